"""What `advisor diagnose` says, in Chinese."""

from __future__ import annotations

DIAGNOSIS: dict[str, str] = {
    "Paste logs, stacks, a command line or a manifest, or say what you see; @FILE reads a file.": (
        "粘贴日志、调用栈、启动命令或部署清单，或直接描述现象；@文件名 读取文件。"
    ),
    "Enter alone goes on, e ends with the report. Ctrl-C keeps everything for --resume.": (
        "直接回车继续，e 结束并输出报告。按 Ctrl-C 不丢任何内容，可用 --resume 接着做。"
    ),
    "Understood:": "已识别：",
    "Nothing is known yet.": "目前还一无所知。",
    "build": "构建",
    "flags": "参数",
    "hardware": "硬件",
    "seen": "现象",
    "evidence": "材料",
    "{name}: {text}": "{name}：{text}",
    "Can still be {count} of {whole} known failures ({was} before).": (
        "{whole} 个已知故障中还剩 {count} 个可能（此前 {was} 个）。"
    ),
    "Can still be {count} of {whole} known failures.": "{whole} 个已知故障中还剩 {count} 个可能。",
    "{status} {rule}: {summary}": "{status} {rule}：{summary}",
    "Question {number}: {question}": "问题 {number}：{question}",
    "decides: {rules}": "用于判断：{rules}",
    "To find out, on the machine; paste what it prints:": "在机器上执行，把输出粘贴到这里：",
    "a number, or the answer itself; ? not known, b back, e end with the report": (
        "输入编号或直接回答；? 不知道，b 返回上一步，e 结束并输出报告"
    ),
    "paste it, or @FILE; ? not to be had, b back, e end with the report": (
        "粘贴内容或 @文件名；? 拿不到，b 返回上一步，e 结束并输出报告"
    ),
    "the answer, or @FILE; ? not known, b back, e end with the report": (
        "直接回答或 @文件名；? 不知道，b 返回上一步，e 结束并输出报告"
    ),
    "it is not there": "没有这一项",
    "Capture this next, before anything is restarted": "重启之前，接下来要采集",
    "In short": "结论",
    "To go on from here": "后续",
    "For the ticket: {file}": "可附到工单的文件：{file}",
    "Your pastes and answers are kept in {folder}": "粘贴的内容和回答保存在 {folder}",
    "The same judgement again:": "重现同一判断：",
    "The same judgement again": "重现同一判断",
    "Asked and answered": "问答记录",
    "{question} {answer}": "{question} {answer}",
    "Stopped.": "已停止。",
    "Stopped; all is kept in {folder}. Go on: advisor diagnose --resume": (
        "已停止；内容都保存在 {folder}。继续：advisor diagnose --resume"
    ),
    "Nothing is kept, so --resume will not work: {problem}": "无法保存，因此不能用 --resume 继续：{problem}",
    "environment": "环境变量",
    "there is no choice {text}: 1 to {count}, the answer itself, or ?": "没有选项 {text}：请输入 1 到 {count}、直接回答或 ?",
    "more, or Enter to go on> ": "继续粘贴，或直接回车> ",
    "Nearest in words alone: {rule} ({summary})": "仅文字最接近：{rule}（{summary}）",
    "Before any restart, capture what is listed above.": "重启之前，先采集上面列出的内容。",
    "This is the first step: there is nothing to take back.": "这是第一步，没有可以返回的。",
}
