"""What is handed over twice and not alike, in Chinese: the notes, and each difference that one of them lists."""

from __future__ import annotations

CONFLICTS: dict[str, str] = {
    "the log shows {differences}; judged by what you give": "日志显示 {differences}；按你给出的判断",
    "the log shows {differences}: which of them ran?": "日志显示 {differences}：实际运行的是哪一个？",
    "there is {differences}; judged by what you give": "另有 {differences}；按你给出的判断",
    "ranks were started with other arguments: {differences}": "各 rank 的启动参数不同：{differences}",
    "one command has {differences}: the last holds": "同一条命令中 {differences}：以最后一个为准",
    "the process that was looked at has {differences}; judged by what you give": (
        "被抓取的进程带有 {differences}；按你给出的判断"
    ),
    "what was seen is {differences}; judged by that": "实际看到的是 {differences}；以此判断",
    "{quote} here and {given} by --env; judged by the last of --env": (
        "此处为 {quote}，而 --env 为 {given}；按最后一个 --env 判断"
    ),
    "you say {quote}, what is launched is {given}": "你说的是 {quote}，而启动的是 {given}",
    "you say {quote}, the log says {given}; judged as {judged}": "你说的是 {quote}，而日志说是 {given}；按 {judged} 判断",
    "you say {quote}, {name} is {given}; judged as {judged}": "你说的是 {quote}，而 {name} 是 {given}；按 {judged} 判断",
    "the answer “{quote}” to {name} is not followed: this says otherwise": (
        "对 {name} 的回答“{quote}”未被采纳：此处与之不符"
    ),
    "{place} says {build}; judged as {judged}": "{place} 说是 {build}；按 {judged} 判断",
    "{component} is given in {count} versions: {quote}; which one does every rank load?": (
        "{component} 给出了 {count} 个版本：{quote}；每个 rank 加载的是哪一个？"
    ),
    # of which engine the evidence is
    "the log is {name}'s, the case is judged as {engine}": "日志是 {name} 的，而本案例按 {engine} 判断",
    "this starts {name}, the case is judged as {engine}: left aside": "此处启动的是 {name}，而本案例按 {engine} 判断：已搁置",
    "These lines are of {name}, not of {engine}: judged as {engine}, {why}; to judge them as they are: {command}": (
        "这些行属于 {name}，而不是 {engine}：{why}，按 {engine} 判断；若要按其本来的引擎判断：{command}"
    ),
    **{
        f"{count} engines are in this: judged as {{engine}}, {{why}}; {{given}} was left aside, to judge that: {{command}}": (
            f"其中有{said}个引擎：{{why}}，按 {{engine}} 判断；{{given}} 已搁置，若要判断它：{{command}}"
        )
        for count, said in {"Two": "两", "Three": "三"}.items()
    },
    "as --engine says": "依 --engine 所说",
    "which a command here starts": "因为此处有命令启动它",
    "whose arguments are given here": "因为此处给出了它的参数",
    "whose lines come last": "因为最后的行是它的",
    "as the rest of what is given says": "依其余材料所说",
}

DIFFERENCES: dict[str, str] = {
    "{flag} {quote} (you give none)": "{flag} {quote}（你没有给出）",
    "{flag} {quote} (you give {given})": "{flag} {quote}（你给出的是 {given}）",
    "no {flag} (you give {given})": "没有 {flag}（你给出的是 {given}）",
    "{flag} {quote} in {file} (you give {given})": "{file} 中的 {flag} {quote}（你给出的是 {given}）",
    "{flag} {quote} ({file} has none)": "{flag} {quote}（{file} 中没有）",
    "{flag} {quote} ({file} has {given})": "{flag} {quote}（{file} 中是 {given}）",
    "no {flag} ({file} has {given})": "没有 {flag}（{file} 中是 {given}）",
    "{flag} {quote} of rank {first}, {given} of rank {other}": "rank {first} 为 {flag} {quote}，rank {other} 为 {given}",
    "{flag} {quote} and then {given}": "{flag} 先是 {quote}，后是 {given}",
    "{quote} accelerators (you say {given}: is this one of several nodes?)": (
        "{quote} 块加速卡（你说的是 {given}：这是多个节点之一吗？）"
    ),
    "{quote} (you say {given})": "{quote}（你说的是 {given}）",
}
