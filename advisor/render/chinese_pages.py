"""What the other pages say, in Chinese: lint, fix, upgrade, patch, verify, search, and what is known of engines."""

from __future__ import annotations

PAGES: dict[str, str] = {
    # lint
    "no findings": "没有发现问题",
    "{count} error": "{count} 个错误",
    "{count} warning": "{count} 个警告",
    "{count} note": "{count} 个提示",
    "1 launch in {ours} of {files}": "在 {files}（其中 {ours} 个可识别）中找到 1 处启动",
    "{count} launches in {ours} of {files}": "在 {files}（其中 {ours} 个可识别）中找到 {count} 处启动",
    "{count} suppressed": "已屏蔽 {count} 条",
    "{files} not read in full": "{files}未能完整读取",
    "suppressed by {how}: {reason}": "已由{how}屏蔽：{reason}",
    "suppressed by {how}, until {date}: {reason}": "已由{how}屏蔽，至 {date} 为止：{reason}",
    "no reason given": "未说明理由",
    "comment": "注释",
    "annotation": "注解",
    "configuration": "配置",
    "baseline": "基线",
    "note: ": "提示：",
    "see ": "参见 ",
    "because ": "依据：",
    "source: ": "来源：",
    "notes": "提示",
    "… and {lines}": "……另有 {lines}",
    "{count} more line": "{count} 行",
    "| where | finding | what to do |": "| 位置 | 问题 | 怎么办 |",
    " Knowledge as of {date}.": "知识截至 {date}。",
    "{findings} more than fit here.": "另有 {findings}，此处放不下。",
    "{details} left out for length.": "因篇幅略去 {details}。",
    "- see {where}: {what}": "- 参见 {where}：{what}",
    "- source: {where} (read {date})": "- 来源：{where}（{date} 读取）",
    # fix
    "safe": "安全",
    "unsafe": "不安全",
    "{id} ({edit}): {does}": "{id}（{edit}）：{does}",
    "{id} left: {does} ({why})": "{id} 未改：{does}（{why}）",
    "; the text is shared, so this changes {others} too": "；这段文本是共用的，因此也会改到 {others}",
    "; not written (--write)": "；尚未写入（--write）",
    "{name}: judged again: {counts}": "{name}：重新判断：{counts}",
    "{findings} gone": "消除 {findings}",
    "1 remains": "剩余 1 条",
    "{count} remain": "剩余 {count} 条",
    "{count} new": "新增 {count} 条",
    "none new": "无新增",
    "{place} new: {name}: {what}": "{place} 新增：{name}：{what}",
    # upgrade
    "Nothing known speaks against {engine} {start} with this launch (rules as of {date})": (
        "没有已知问题表明 {engine} {start} 不适合此启动参数（规则截至 {date}）"
    ),
    "{engine} {release} is the smallest release after {start} with nothing known against this launch "
    "(rules as of {date})": ("{engine} {release} 是 {start} 之后对此启动参数没有已知问题的最小版本（规则截至 {date}）"),
    "No release of {engine} after {start} is known here; what is known against this launch stays": (
        "此处不知道 {engine} 在 {start} 之后的任何版本；此启动参数的已知问题依旧"
    ),
    "No release after {start} up to {limit} has less known against this launch: stay, and see below": (
        "{start} 之后直到 {limit} 的版本，对此启动参数的已知问题都不会更少：不必升级，见下文"
    ),
    "No release of {engine} after {start} up to {limit} clears this launch of all that is known; "
    "{release} comes closest": (
        "{engine} 在 {start} 之后直到 {limit} 的版本，都不能消除此启动参数的全部已知问题；{release} 最接近"
    ),
    "{release}  skipped: {why}": "{release}  跳过：{why}",
    "What is still said of it at {release}:": "在 {release} 上仍有的问题：",
    "Settings given that change on the way:": "已给出的参数中，升级途中有变化的：",
    "Defaults that change, of settings not given here, where a rule looks at them:": (
        "未给出的参数中，默认值有变化且有规则涉及的："
    ),
    "Edits of the flags:": "对参数的修改：",
    "{edit} left: {why}": "{edit}，未改：{why}",
    "Not ruled out at {release}, as the launch does not decide it: {count} (--verbose asks what does): {rules}": (
        "{release} 上未能排除（这份启动参数不足以判断）的有 {count} 个（--verbose 说明由什么判断）：{rules}"
    ),
    "Not ruled out at {release}: {count}, each with what decides it:": (
        "{release} 上未能排除的有 {count} 个，以及各由什么判断："
    ),
    "Note: {note}": "提示：{note}",
    "{name}: added in {release}: {what}": "{name}：{release} 新增：{what}",
    "{name}: changed in {release}: {what}": "{name}：{release} 有变化：{what}",
    "{name}: removed in {release}": "{name}：{release} 移除",
    "{name}: removed in {release}; write {instead}": "{name}：{release} 移除；改写为 {instead}",
    "{name}: removed in {release}; write {instead}, with the value turned round": (
        "{name}：{release} 移除；改写为 {instead}，并把值取反"
    ),
    # search
    "No known failure shares a telling word with that.": "没有已知故障与这段文字有值得一提的共有词。",
    "Nothing of the case was judged: `advisor check` with the build, the launch and the logs does that.": (
        "并未对案例作判断：要判断，请用 `advisor check` 并给出构建版本、启动参数和日志。"
    ),
    "Known failures that resemble it in words only": "仅在文字上与之相似的已知故障",
    "Known failures of {engine} that resemble it in words only": "{engine} 中仅在文字上与之相似的已知故障",
    # verify
    "pass": "通过",
    "fail": "未通过",
    "not enough": "证据不足",
    "The change": "所作的改动",
    "Missing for a verdict": "要下结论还缺什么",
    "A pass would also need": "要通过还需要",
    "This failure cannot happen to this build and launch.": "本构建与启动参数下不会发生此故障。",
    "This failure can still happen to this build and launch.": "本构建与启动参数下仍会发生此故障。",
    "Whether this failure can still happen to this build and launch is not known.": (
        "本构建与启动参数下是否仍会发生此故障尚不清楚。"
    ),
    "Seen again": "再次出现的迹象",
    "Steps": "步骤",
    "must be: {expect}": "应当：{expect}",
    "missing: {what}": "还缺：{what}",
    "{name}: {kind}, {lines}": "{name}：{kind}，{lines}",
    "A pass says that the steps known for this failure are met; it is no proof that nothing else is wrong.": (
        "“通过”只说明本故障已知的各验证步骤都已满足，并不证明没有别的问题。"
    ),
    # patch
    "Judged: {repo} at {ref}, commit {commit} (not the work tree).": (
        "判断对象：{repo} 的 {ref}，提交 {commit}（不含工作区的改动）。"
    ),
    "Judged: {site}": "判断对象：{site}",
    "Not taken": "未采用",
    "Mind": "注意",
    "{commit} (the fix)": "{commit}（修复）",
    "{commit} (needed by it)": "{commit}（修复所依赖）",
    "Purpose: {why}": "作用：{why}",
    "Needed because: {why}": "需要它的原因：{why}",
    "Is it in: {answer}; {how}.": "是否已包含：{answer}；{how}。",
    "yes": "是",
    "no": "否",
    "unknown": "未知",
    "Does it apply: {answer}.": "能否应用：{answer}。",
    "Not tried: {why}.": "未尝试：{why}。",
    "every change of it is there already": "其全部改动都已存在",
    "applies cleanly": "可干净应用",
    "applies by a three-way merge": "可经三方合并应用",
    "conflicts": "有冲突",
    "fits": "吻合",
    "already there": "已存在",
    "CONFLICT": "冲突",
    "merged by its context: read it before you build; nothing was compiled or run": (
        "按上下文合并：构建之前请先通读；没有编译或运行过"
    ),
    "does not fit: its text is another": "不吻合：文本不同",
    "would be added": "将新增",
    "is not there, and the fix changes it": "不存在，而修复要改它",
    "not part of the installed package": "不属于已安装的包",
    "not Python: it takes a build": "不是 Python：需要重新构建",
    "lies there, but is not Python of the package; not judged": "在安装目录中，但不是包内的 Python；未判断",
    "the lines that it changes, or those around them, are not here as the fix found them": (
        "它要改的行或其前后的行，与修复当时看到的不同"
    ),
    ": ": "：",
    "upstream's line {line}": "上游第 {line} 行",
    "upstream's line {line}, {where}": "上游第 {line} 行，{where}",
    "Installed": "已安装的包",
    "To do it yourself (nothing was changed)": "自行操作（未作任何改动）",
    "These name the file that --output writes; write it first.": "以下命令中的文件由 --output 写出；请先写出。",
    "{purpose}:": "{purpose}：",
    "Then restart every rank, on every node that has this package; an upgrade or reinstall undoes it.": (
        "然后在装有此包的每个节点上重启所有 rank；升级或重装会撤销这一改动。"
    ),
    "Made": "已创建",
    "The branch {branch}, at {commit}. Your work tree is as it was. To go there:": (
        "分支 {branch}，位于 {commit}。工作区未变。切换过去："
    ),
    "Written": "已写出",
    "Next": "下一步",
    "To carry it, the commit is needed. This brings it:": "要移植它，需要这个提交。用下面的命令取得：",
    "To take it:": "应用它：",
    "Nothing was changed. --apply makes a branch with it; --output FILE writes it for `git am`.": (
        "未作任何改动。--apply 会创建含它的分支；--output FILE 会写出可供 `git am` 的文件。"
    ),
    "Nothing was changed, and the mails do not apply as they are. This stops at the conflict:": (
        "未作任何改动，而且写出的补丁不能直接应用。下面的命令会停在冲突处："
    ),
    "Resolve it and go on with `git am --continue`; or give up with `git am --abort`.": (
        "解决冲突后用 `git am --continue` 继续；或用 `git am --abort` 放弃。"
    ),
    "Nothing was changed. `git am --3way` on the mails (--output) stops at the conflict, to be resolved.": (
        "未作任何改动。对补丁（--output）执行 `git am --3way` 会停在冲突处，由你解决。"
    ),
    "Or leave out what conflicts, for it is no code:": "或略去有冲突的部分，因为那不是代码：",
    # a rule as a page
    "Also known as {names}. ": "又称 {names}。",
    "Level {level}, {maturity}, as of {date}. Cause {cause}.": (
        "级别：{level}；{maturity}；截至 {date}。原因：{cause}。"
    ),
    "draft": "草稿",
    "stable": "稳定",
    "retired": "已停用",
    "Affected builds": "受影响的构建",
    "Can happen when": "发生条件",
    "Told from its look-alikes by": "区别于相似故障的特征",
    "Weaker signs": "较弱的迹象",
    "Speaks against it": "反证",
    "Only its echoes (they name no cause)": "仅为其连带报错（不指明原因）",
    "all of these:": "以下全部：",
    "at least one of these:": "以下至少一项：",
    "not:": "并非：",
    "not ({condition})": "并非（{condition}）",
    " and ": " 且 ",
    " or ": " 或 ",
    " (where {condition})": "（适用条件：{condition}）",
    "a line: {what}": "日志行：{what}",
    "a thread: {what}": "线程：{what}",
    "a line like `{pattern}`": "形如 `{pattern}` 的日志行",
    "one thread with the frames {frames} (innermost first)": "同一线程含有栈帧 {frames}（最内层在前）",
    "one {state} thread with the frames {frames} (innermost first)": "同一 {state} 线程含有栈帧 {frames}（最内层在前）",
    "the model's name is like `{pattern}`": "模型名形如 `{pattern}`",
    "releases": "发布版本",
    "builds of main": "main 分支的构建",
    "forks and patched builds only": "仅 fork 与打过补丁的构建",
    "{builds}: from {start}": "{builds}：自 {start} 起",
    "before {end}": "到 {end} 之前",
    "no fixed build is known": "尚无已知的修复构建",
    "commits {commits}": "提交 {commits}",
    "a commit that is not established": "尚未确定的提交",
    # flags and releases of an engine
    " ({asked} was not read; this is the last release before it)": "（{asked} 未收录；这是它之前的最后一个版本）",
    "{release}: {flags}, {variables}. Read {date} from the released artefacts; releases read: {oldest} to {newest}.": (
        "{release}：{flags}，{variables}。{date} 从发布产物读取；已读取的版本：{oldest} 到 {newest}。"
    ),
    "switch: takes no value; pair: --x or --no-x; value, list, json: takes one, several, a JSON object.": (
        "switch：不带值；pair：--x 或 --no-x；value、list、json：带一个值、多个值、一个 JSON 对象。"
    ),
    "NOT IN THIS RELEASE": "【此版本没有】",
    "IN NEITHER RELEASE": "【两个版本都没有】",
    "GONE": "【移除】",
    "CHANGED": "【变化】",
    "NEW": "【新增】",
    "{name}  went in {release}": "{name}  {release} 移除",
    "{name}  came in {release}": "{name}  {release} 新增",
    "{name}  in {release}": "{name}  于 {release}",
    "{name}  since {release}": "{name}  自 {release} 起",
    "use {name}": "改用 {name}",
    "use {name}, which means the opposite: turn its value round": "改用 {name}，其含义相反：把值取反",
    "default {value}": "默认 {value}",
    "none": "无",
    "set at run time": "运行时确定",
    "follows {name}": "取自 {name}",
    "{key} one of {choices}": "{key} 可选 {choices}",
    "one of {choices}": "可选 {choices}",
    "since {release}": "自 {release} 起",
    "since {release}, as here since {changed}": "自 {release} 起，自 {changed} 起如此",
    "gone in {release}": "{release} 移除",
    "deprecated": "已弃用",
    "deprecated, use {name}": "已弃用，改用 {name}",
    "{step}: {removed} removed, {changed} changed, {added} added. What went before the first or came after the "
    "second is not here; advisor check says it of a command line. Read {date}.": (
        "{step}：移除 {removed}，变化 {changed}，新增 {added}。在前一版本之前移除、或后一版本之后新增的不在此列；"
        "advisor check 会针对命令行指出。{date} 读取。"
    ),
    "{what}. Read {date} from {source}.": "{what}。{date} 读取自 {source}。",
    "{count} older ones: --all shows them": "更早的 {count} 个：--all 全部列出",
    "no date": "日期不详",
    "pins {pins}": "锁定 {pins}",
    "NCCL that follows: {versions}": "随之而来的 NCCL：{versions}",
    "first to hold: {fixes}": "首次包含：{fixes}",
    # which releases hold a fix
    "No upstream fix is known for this rule; advisor explain says what is.": (
        "本规则尚无已知的上游修复；已知的情况见 advisor explain。"
    ),
    "open": "未合入",
    "closed": "已关闭，未合入",
    "fork": "仅在 fork 中",
    "commit not established": "提交未确定",
    " (a prefix; the rest is not established)": "（仅前缀；其余未确定）",
    "first in: {release}": "首个版本：{release}",
    "held by: {releases}": "包含它的版本：{releases}",
    "lacked by: {releases}": "不包含它的版本：{releases}",
    "not established for: {releases}": "未确定的版本：{releases}",
    "no release": "无",
    "not established": "未确定",
    "how known: {means}": "依据：{means}",
    "fingerprint: {mark}": "代码指纹：{mark}",
    "needs first: {need}": "须先有：{need}",
    "{first} to {last} ({count} releases)": "{first} 到 {last}（{count} 个版本）",
    # the knowledge itself
    "holds": "内容",
    "reaches": "截至",
    "read, age": "读取日期、距今",
    "Tags and history come from clones and may end before the newest release, which is then judged by its files.": (
        "标签与历史取自克隆仓库，可能早于最新版本；最新版本则按其文件判断。"
    ),
    "{total} kB in {files}": "共 {total} kB，{files}",
}
