"""Reasons, statements about ranks, notes and verdicts of the rooms below, in Chinese: whole, or as templates.

A value that is a sentence or a name of ranks itself (`below.py` says which) is told the same way; every other value
stays as it is. A sentence that nobody put here is printed in English.
"""

from __future__ import annotations

from advisor.render.chinese_collect import NOT_TAKEN
from advisor.render.chinese_conflicts import CONFLICTS
from advisor.render.chinese_facts import FACTS, QUESTIONS

REASONS: dict[str, str] = {
    # notes
    "names such as {example} are this report's own, for hosts, addresses and people; --no-redact shows theirs": (
        "{example} 这类名称是本报告为主机、地址和人员起的代号；--no-redact 显示原名"
    ),
    # facts in words
    "seen: {what}": "看到：{what}",
    "seen: {what} ({more})": "看到：{what}（{more}）",
    "the text says: {quote}": "原文：{quote}",
    "answered: a log shows `{quote}`": "据回答：日志中有 `{quote}`",
    "a thread is in {frames}": "有线程停在 {frames}",
    "{fact} is {value}": "{fact} 为 {value}",
    "{fact} is unset": "{fact} 未设置",
    "{fact} is not set": "{fact} 未设置",
    "{fact} = {value} from {source}": "{fact} = {value}，由 {source} 得出",
    "{fact} is {value}, as a line of the log gives away": "{fact} 为 {value}，由日志中的一行可知",
    "{component} is {version}": "{component} 为 {version}",
    "{component} is {version} ({more})": "{component} 为 {version}（{more}）",
    "model is {value}": "模型为 {value}",
    "{flag} is not on the command line; its default in {version} is {value}": (
        "命令行中没有 {flag}；它在 {version} 中的默认值为 {value}"
    ),
    "{flag} is not on the command line; its default in every release read is {value}": (
        "命令行中没有 {flag}；它在所有已读取版本中的默认值均为 {value}"
    ),
    "{version} has no {flag}": "{version} 没有 {flag}",
    "{value} is {vendor}'s": "{value} 属于 {vendor}",
    "{value} is stated": "用户说明了 {value}",
    "the {value} has compute capability {number}": "{value} 的计算能力为 {number}",
    "a machine has one {value}": "一台机器有一块 {value}",
    "{value} has its Arm CPU in the package": "{value} 封装内带 Arm CPU",
    "{name} runs on accelerators of {vendor} alone": "{name} 只在 {vendor} 的加速卡上运行",
    "the build is an image": "构建是镜像",
    "the launch names an image": "启动参数指定了镜像",
    "the launch runs in a container": "在容器中启动",
    "a CUDA build of NCCL": "NCCL 的 CUDA 构建",
    "the last such line; the log goes on without it": "最后一行此类日志；之后的日志不再有它",
    "requests are running and no token moves from here on": "有请求在运行，但从此处起 token 不再变化",
    "{name} {pin} is what {build} asks for; not observed: {command}": "{build} 要求 {name} {pin}；未观测：{command}",
    "the default of {build} on {arch} (torch{pin}); not observed: {command}": (
        "{build} 在 {arch} 上的默认值（torch{pin}）；未观测：{command}"
    ),
    # conditions
    "{fact} is {value} or {more}": "{fact} 为 {value} 或 {more}",
    "{fact} at least {value}": "{fact} 至少为 {value}",
    "{fact} at most {value}": "{fact} 至多为 {value}",
    "{fact} more than {value}": "{fact} 大于 {value}",
    "{fact} less than {value}": "{fact} 小于 {value}",
    "{fact} matches {value}": "{fact} 匹配 {value}",
    "{fact} is given": "给出了 {fact}",
    "{fact} is not given": "未给出 {fact}",
    "{component} from {version}": "{component} 自 {version} 起",
    "{component} before {version}": "{component} 早于 {version}",
    "{component} from {version} before {until}": "{component} 自 {version} 起、早于 {until}",
    # builds and fixes
    "it is said to be a fork ({name})": "据说是 fork（{name}）",
    "{fix} is already in {version}, and the build is that or later": "{version} 已含 {fix}，而该构建不早于它",
    "the build is before {version}, {fix} is not in any release before that": "该构建早于 {version}，此前没有版本含 {fix}",
    "commit {commit} is a build known to have it": "提交 {commit} 是已知有此故障的构建",
    "no fixed build is known": "尚无已知的修复构建",
    "it is {fix} itself": "它就是 {fix} 本身",
    "{fix} is in: {why}": "已含 {fix}：{why}",
    "{fix} is not in: {why}": "不含 {fix}：{why}",
    "{fix} is already in {version}": "{version} 已含 {fix}",
    "{fix} of {date} is already in commit {commit} of {day}": "{date} 的 {fix} 已在 {day} 的提交 {commit} 中",
    "{fix} of {date} is not in commit {commit} of {day}": "{date} 的 {fix} 不在 {day} 的提交 {commit} 中",
    "{version} is not before {until}": "{version} 不早于 {until}",
    "{version} is before {until}": "{version} 早于 {until}",
    "{version} is before {until}, the first release with {fix}": "{version} 早于首个含 {fix} 的版本 {until}",
    "{version} was built after {until}": "{version} 构建于 {until} 之后",
    "{version} branched from main at {commit} of {day}, after {fix} of {date}": (
        "{version} 于 {day} 的 {commit} 从 main 拉出，在 {date} 的 {fix} 之后"
    ),
    "{version} branched from main at {commit} of {day}, before {fix} of {date}": (
        "{version} 于 {day} 的 {commit} 从 main 拉出，在 {date} 的 {fix} 之前"
    ),
    "commit {commit} of {day} is older than {fix}, merged {date}": "{day} 的提交 {commit} 早于 {date} 合入的 {fix}",
    "{version} of {day} is older than {fix}, merged {date}": "{day} 的 {version} 早于 {date} 合入的 {fix}",
    "the build is from {day} or before, {fix} was merged on {date} (placed by date)": (
        "该构建不晚于 {day}，{fix} 于 {date} 合入（按日期定位）"
    ),
    "the build is from {day} or later, {fix} was merged on {date} (placed by date)": (
        "该构建不早于 {day}，{fix} 于 {date} 合入（按日期定位）"
    ),
    "the build is from {day} or later, {fix} was merged on {date}, and no release is out later than {count} days "
    "after it left main (placed by date)": (
        "该构建不早于 {day}，{fix} 于 {date} 合入，而各版本最迟在离开 main 后 {count} 天发布（按日期定位）"
    ),
    "Whether it holds {fix} is not established from “{text}”.": "由“{text}”不能确定它是否含 {fix}。",
    "Commit {commit} is not on the upstream history known here: is this a fork or a patched build?": (
        "提交 {commit} 不在此处已知的上游历史中：这是 fork 还是打过补丁的构建？"
    ),
    "a fork ({name}); stock releases do not reach this failure": "是 fork（{name}）；官方发布版本不会走到此故障",
    "{version} is a stock release; only forks and patched builds have it": (
        "{version} 是官方发布版本；只有 fork 和打过补丁的构建才有"
    ),
    "{version} is a tagged release, and no tagged release holds the change that brought it in": (
        "{version} 是有标签的发布版本，而引入它的改动不在任何有标签的版本中"
    ),
    "{version} is a published release": "{version} 是已发布的版本",
    "it is a commit or a dev build, not a release": "是某个提交或开发构建，不是发布版本",
    "{version} lacks it ({how})": "{version} 不含它（{how}）",
    "{version} holds it ({how})": "{version} 含有它（{how}）",
    "the pull request is open; no release holds it unless a fork picked it": (
        "PR 尚未合入；除非有 fork 摘取，否则没有版本含有它"
    ),
    "the pull request is closed; no release holds it unless a fork picked it": (
        "PR 已关闭；除非有 fork 摘取，否则没有版本含有它"
    ),
    "it is in a fork; look in the fork's own history": "它在某个 fork 中；请看该 fork 自己的历史",
    "this is a fix of {name}": "这是 {name} 的修复",
    "which {name} every rank loads is not known": "各 rank 加载的是哪个 {name} 尚不清楚",
    "{name} here is {version} ({how}); the fix is in from {first}": "此处的 {name} 为 {version}（{how}）；修复自 {first} 起",
    "first released in {first}; newest release checked that holds it: {last}": (
        "首次发布于 {first}；已核对过含有它的最新版本：{last}"
    ),
    "not merged: the pull request is open": "未合入：PR 尚未关闭",
    "not merged: the pull request is closed": "未合入：PR 已关闭",
    "which releases hold it is not established": "哪些版本含有它尚未确定",
    "no tagged release holds it": "没有带标签的版本含有它",
    "only in a fork; no upstream release holds it": "仅在某个 fork 中；没有上游版本含有它",
    "not established ({how})": "未确定（{how}）",
    "commit not in the clone read, which ends {date}": "提交不在所读的克隆仓库中，该仓库止于 {date}",
    "not established for {count} ({first} to {last}) of {total} releases": (
        "{total} 个版本中有 {count} 个（{first} 到 {last}）未确定"
    ),
    # how a remedy is known
    "in a release": "已随版本发布",
    "merged upstream": "已合入上游",
    "a maintainer confirmed it": "维护者已确认",
    "a reporter tried it and it worked there": "报告者试过，在其环境中有效",
    "follows from reading the source; not tried": "由阅读源码得出；未实测",
    "only suggested; not verified": "仅为建议；未经验证",
    # the verdict in a line
    "Matches {rule}: {what} (cause established upstream)": "匹配 {rule}：{what}（原因：上游已确认）",
    "Matches {rule}: {what} (cause proposed, not established)": "匹配 {rule}：{what}（原因：有推测，未确认）",
    "Matches {rule}: {what} (cause not known)": "匹配 {rule}：{what}（原因：尚不清楚）",
    "Likely {rule}: {what} (the build or configuration is not fully known)": (
        "很可能 {rule}：{what}（构建或配置尚不完全清楚）"
    ),
    "Likely {rule}: {what} (only general signs were seen)": "很可能 {rule}：{what}（只看到一般性的迹象）",
    "Possible {rule}: {what} (a sign speaks against it)": "可能 {rule}：{what}（有迹象与之相反）",
    "Possible {rule}: {what} (its own signature does not hold)": "可能 {rule}：{what}（其自身特征不成立）",
    "Possible {rule}: {what} (general signs only, and the configuration is not fully known)": (
        "可能 {rule}：{what}（只有一般性的迹象，且配置尚不完全清楚）"
    ),
    "Exposed to {rule}: {what} (it can happen here; it was not seen)": "有风险 {rule}：{what}（此处可能发生；尚未见到）",
    "Looks like {rule}, but {why}": "像 {rule}，但{why}",
    "Not {rule}: {why}": "不是 {rule}：{why}",
}

STATEMENTS: dict[str, str] = {
    # where ranks stand
    "{who} waits {where}": "{who} 在等待：{where}",
    "{who} wait {where}": "{who} 在等待：{where}",
    "{who} stands {where}": "{who} 停在：{where}",
    "{who} stand {where}": "{who} 停在：{where}",
    "{who} all stand at the same place: none of them is ahead by its stack": (
        "{who} 都停在同一处：从调用栈看没有谁领先"
    ),
    "between two captures the main thread of {who} did not move by a line": "两次抓取之间，{who} 的主线程一行也没动",
    "{who} was captured once: a second capture half a minute later tells waiting from passing through": (
        "{who} 只抓取了一次：半分钟后再抓一次，才能区分是在等待还是恰好经过"
    ),
    "{who} were captured once: a second capture half a minute later tells waiting from passing through": (
        "{who} 各只抓取了一次：半分钟后再抓一次，才能区分是在等待还是恰好经过"
    ),
    "no stack and no dump of {who} is here: one tells whether it waits too, or for what": (
        "没有 {who} 的调用栈或转储：有了才能知道它是否也在等待、在等什么"
    ),
    "neither stacks nor dumps are here: what each rank waits for is not known": (
        "这里既没有调用栈也没有转储：各 rank 在等什么尚不清楚"
    ),
    "only {who} speaks: which rank is missing takes a log, a dump or a stack of the others": (
        "只有 {who} 的材料：要知道缺的是哪个 rank，还需其他 rank 的日志、转储或调用栈"
    ),
    "nothing here says how far {who} is in {group}: its flight-recorder dump would": (
        "没有材料说明 {who} 在{group}中走到哪里：它的 flight recorder 转储可以说明"
    ),
    # devices
    "{device} is {load} % busy at {power}: it waits inside a kernel, it does not compute": (
        "{device} 占用率 {load} %，功耗 {power}：它在 kernel 里等待，并没有计算"
    ),
    "{device} idles at {load} % while {who} waits {where}": "{device} 空闲，占用率 {load} %，而 {who} 在等待：{where}",
    "{device} idles at {load} % beside a busy one": "{device} 空闲，占用率 {load} %，旁边的却在忙",
    # collectives
    "{who} wait for {op} #{seq} of {group} with {numel} elements each": (
        "{who} 在等待{group}的 {op} #{seq}，各 {numel} 个元素"
    ),
    "{who} wait for {op} #{seq} of {group}": "{who} 在等待{group}的 {op} #{seq}",
    "{who} waits for {op} #{seq} of {group}": "{who} 在等待{group}的 {op} #{seq}",
    "{who} waits for {op} #{seq} of {group} of {numel} elements": "{who} 在等待{group}的 {op} #{seq}，{numel} 个元素",
    "{who} waits for {op} #{seq} of {group} of {numel} elements ({counts})": (
        "{who} 在等待{group}的 {op} #{seq}，{numel} 个元素（{counts}）"
    ),
    "whether {group} has other ranks, and whether those joined #{seq}, is not said": (
        "{group}是否还有其他 rank、它们是否加入了 #{seq}，没有说明"
    ),
    "{count} collectives of {group} came before: in service, not at the first sample": (
        "{group}此前已有 {count} 次集合通信：发生在服务中，不是第一次采样时"
    ),
    "it is collective #{seq} of {group}: at the first steps, not after long service": (
        "这是{group}的第 {seq} 次集合通信：发生在最初几步，不是长时间服务之后"
    ),
    "{op} #{seq} of {group} has different sizes: {parties}": "{group}的 {op} #{seq} 各方大小不同：{parties}",
    "{op} #{seq} of {group} has different types: {parties}": "{group}的 {op} #{seq} 各方类型不同：{parties}",
    "{who} launched {op} #{seq} of {group}, which {others} never joined": (
        "{who} 发起了{group}的 {op} #{seq}，而 {others} 始终没有加入"
    ),
    "{who} all joined {op} #{seq} of {group} and none completed it: no rank is missing": (
        "{who} 都加入了{group}的 {op} #{seq}，却都没有完成：没有 rank 缺席"
    ),
    "{who} joined {op} #{seq} of {group}, not complete when dumped: a second dump tells if it is stuck": (
        "{who} 已加入{group}的 {op} #{seq}，转储时尚未完成：再转储一次可知是否卡住"
    ),
    "{who} completed {op} #{seq} of {group}, {others} did not, though all joined it": (
        "{who} 完成了{group}的 {op} #{seq}，{others} 没有，尽管都已加入"
    ),
    "whether {who} joined {op} #{seq} of {group} is not known: neither a dump nor a count of it is here": (
        "{who} 是否加入了{group}的 {op} #{seq} 尚不清楚：既没有它的转储，也没有它的计数"
    ),
    "in {group} {who} is behind (enqueued so far: {counts})": "在{group}中 {who} 落后（已入队：{counts}）",
    "in {group} {who} are behind (enqueued so far: {counts})": "在{group}中 {who} 落后（已入队：{counts}）",
    # memory
    "{who} asked for {size}": "{who} 申请 {size}",
    "the process asked for {size}": "进程申请 {size}",
    "{who} asked for {size} while {free} was free on {device}": "{who} 申请 {size}，而 {device} 只剩 {free}",
    "the process asked for {size} while {free} was free on {device}": "进程申请 {size}，而 {device} 只剩 {free}",
    "{who} asked for {size} while {free} was free on {device} ({all} in all)": "{who} 申请 {size}，而 {device} 只剩 {free}（共 {all}）",
    "the process asked for {size} while {free} was free on {device} ({all} in all)": "进程申请 {size}，而 {device} 只剩 {free}（共 {all}）",
    # what stopped, who failed, who only reports
    "{kind} of {source} stopped, last at {time}": "{source} 的 {kind} 停了，最后一次在 {time}",
    "{kind} of {names} stopped within {count} s of one another, last at {time}": (
        "{names} 的 {kind} 在 {count} 秒内先后停止，最后一次在 {time}"
    ),
    "the watchdog of {who} reports the stand-still; who caused it, it does not say": (
        "{who} 的看门狗报告了停滞；是谁造成的，它没有说"
    ),
    "the watchdog here reports the stand-still; who caused it, it does not say": "看门狗报告了停滞；是谁造成的，它没有说",
    "{who} failed first, and by itself: {error}": "{who} 最先失败，且是自身失败：{error}",
    "{who} failed first, and by themselves: {error}": "{who} 最先失败，且是自身失败：{error}",
    "{who} failed by themselves, and which first is not known: {error}": "{who} 各自失败，谁最先尚不清楚：{error}",
    "the failure ({error}) is an echo: a peer ended or did not answer": (
        "失败（{error}）只是连带报错：对端已退出或没有应答"
    ),
    "the failure ({error}) of {who} is an echo: a peer ended or did not answer": (
        "{who} 的失败（{error}）只是连带报错：对端已退出或没有应答"
    ),
    "the failure ({error}) follows from {who}'s failure": "失败（{error}）由 {who} 的失败引起",
    "the failure ({error}) of {peer} follows from {who}'s failure": "{peer} 的失败（{error}）由 {who} 的失败引起",
    "the timeout that the watchdog reports is an echo: a peer ended or did not answer": (
        "看门狗报告的超时只是连带报错：对端已退出或没有应答"
    ),
    "{quote}: by itself this names no cause; look for what came before it, on this rank or another": (
        "{quote}：它本身不指明原因；请看此前此 rank 或别的 rank 上先出现了什么"
    ),
}

NOTES: dict[str, str] = {
    # what does not fit
    "write {what}": "改写为 {what}",
    "write {what} in its place": "在原处改写为 {what}",
    "delete it; {what} means the opposite, so write that only to have the opposite": (
        "删掉它；{what} 的含义相反，只有想要相反的效果时才写"
    ),
    "{name} here is {version}; {build} brings {pinned}; judged by {judged}": (
        "此处的 {name} 为 {version}；{build} 自带 {pinned}；按 {judged} 判断"
    ),
    "{build} has no {flag}: it was removed in {version}": "{build} 没有 {flag}：已在 {version} 移除",
    "{build} has no {flag}: it was removed in {version}. {more}": "{build} 没有 {flag}：已在 {version} 移除。{more}",
    "{build} does not read {name}: it was removed in {version}. {more}": (
        "{build} 不读取 {name}：已在 {version} 移除。{more}"
    ),
    "{build} warns that {name} is deprecated": "{build} 会警告 {name} 已弃用",
    "{build} warns that {name} is deprecated. {more}": "{build} 会警告 {name} 已弃用。{more}",
    "{build} warns that {name} is deprecated; use {instead}": "{build} 会警告 {name} 已弃用；改用 {instead}",
    "{flag} is a flag of no {name} release read": "{flag} 不是任何已读取的 {name} 版本的参数",
    "{flag} is a flag of no {name} release read; did you mean {near}?": (
        "{flag} 不是任何已读取的 {name} 版本的参数；是否想写 {near}？"
    ),
    "{flag} is a flag of no {name} release read; {more}": "{flag} 不是任何已读取的 {name} 版本的参数；{more}",
    "it is a flag of {name}": "它是 {name} 的参数",
    "{build} is no release known here; the newest is {newest} of {date} (read {day})": (
        "{build} 不是此处已知的版本；最新为 {date} 的 {newest}（{day} 读取）"
    ),
    "{build} does not declare {name}: it is declared from {version} on; code elsewhere may read it all the same": (
        "{build} 未声明 {name}：它从 {version} 起才声明；别处的代码仍可能读取它"
    ),
    # about the inputs
    "some {series} release: {version} or later, before {until}; the patch number is not given": (
        "某个 {series} 版本：不早于 {version}，早于 {until}；未给出补丁号"
    ),
    "said to be a fork that equals upstream; taken as upstream": "据说是与上游相同的 fork；按上游判断",
    "a build based on {version} is not {until}: which commit, and which changes are on top?": (
        "基于 {version} 的构建并不是 {until}：是哪个提交，上面加了哪些改动？"
    ),
    "{place}: not taken for what happens here: {kinds}": "{place}：不当作此处发生的事：{kinds}",
    "{place}: not read as flags: {text}": "{place}：未当作参数读取：{text}",
    "{place}: the manifest was read in part: command, arguments, image and variables": (
        "{place}：manifest 只读取了一部分：命令、参数、镜像和变量"
    ),
    # a verification
    "PASS: {rule} is verified as cured by this evidence, {count} of {total} steps": (
        "通过：由这些证据验证 {rule} 已修好，{total} 步中满足 {count} 步"
    ),
    "FAIL: {rule}: {what}": "未通过：{rule}：{what}",
    "its signs are there again": "它的迹象再次出现",
    "a step of its verification is not met": "有一个验证步骤未满足",
    "and it can still happen to this build and launch": "而且它仍可能发生在本构建与启动参数下",
    "NOT ENOUGH YET: {rule}: {met} of {total} steps met, {count} things missing": (
        "证据尚不足：{rule}：{total} 步中满足 {met} 步，还缺 {count} 项"
    ),
    "step {number} is for you to look at: {what} (then --confirmed {number})": (
        "第 {number} 步需要你亲自查看：{what}（然后加 --confirmed {number}）"
    ),
    "confirmed by you": "已由你确认",
    "a line that must stay away is there: {quote}": "出现了不该再出现的行：{quote}",
    "a log of every rank since the change, whole": "改动之后每个 rank 的完整日志",
    "none of the {count} lines that must stay away is in the logs": "{count} 种不该出现的行，日志中一种也没有",
    "{name} grew over {count} snapshots of /metrics": "{name} 在 {count} 次 /metrics 快照中持续增长",
    "{name} stands still over {count} snapshots of /metrics": "{name} 在 {count} 次 /metrics 快照中没有变化",
    "{name} is in none of the snapshots given; take two while requests run: {command}": (
        "所给快照中都没有 {name}；在有请求运行时取两次：{command}"
    ),
    "{name} is in one of the snapshots given; take two while requests run: {command}": (
        "所给快照中只有一次含 {name}；在有请求运行时取两次：{command}"
    ),
    "a log with times: {time} have to be watched, and none can be told": (
        "带时间的日志：需要观察 {time}，而现有日志看不出时长"
    ),
    "{time} of {total} watched so far; {left} to go": "已观察 {time}，共需 {total}；还差 {left}",
    "{time} watched, {total} asked for": "已观察 {time}，要求 {total}",
    "the change: {rule} can still happen to this build and launch ({why})": (
        "改动本身：{rule} 仍可能发生在本构建与启动参数下（{why}）"
    ),
    "the change: {what}": "改动本身：{what}",
    "evidence in which it no longer happens: {what}": "不再发生该现象的证据：{what}",
    "an input that could not be read: {text}": "有一份材料无法读取：{text}",
    # an upgrade
    "{rule} exposed": "{rule} 有风险",
    "not ruled out at {version}: {rules}. {what}": "在 {version} 上未能排除：{rules}。{what}",
    "{name} is not known.": "{name} 尚不清楚。",
    "the settings of {build} itself were not read: the release before": "未收录 {build} 本身的参数：采用它之前的版本",
    # lint
    "{build} can meet {rule}: {what}": "{build} 可能遇到 {rule}：{what}",
    "{build} with {settings} can meet {rule}: {what}": "{build} 带 {settings} 时可能遇到 {rule}：{what}",
    "{build} with {settings} can meet {rule}: {what}; first fixed in {version}": (
        "{build} 带 {settings} 时可能遇到 {rule}：{what}；首个修复版本 {version}"
    ),
    "{build} can meet {rule}: {what}; first fixed in {version}": (
        "{build} 可能遇到 {rule}：{what}；首个修复版本 {version}"
    ),
    "the build: {text}": "构建：{text}",
    "{name}, build not given": "{name}，未给出构建版本",
    "unknown engine, build not given": "引擎未知，未给出构建版本",
    "{name}, exact build not given": "{name}，未给出确切的构建版本",
    "unknown engine, exact build not given": "引擎未知，未给出确切的构建版本",
    "{name} {version} or later, before {until}": "{name}，{version} 或更新、{until} 之前",
}

PLACES: dict[str, str] = {
    # where a rank stands, and of which group or device it is said: only within a statement
    "in a gloo {name}": "gloo {name}",
    "in a {name}": "{name}",
    "in an {name}": "{name}",
    "in a sleep on the host ({name})": "主机侧休眠（{name}）",
    "for its device, in {name}": "等设备完成，{name}",
    "for work, in {frame}": "等任务，{frame}",
    "in DeepEP's {name}": "DeepEP 的 {name}",
    "in ncclLocalOpAppend (for a slot of NCCL's proxy)": "ncclLocalOpAppend（等 NCCL proxy 的空槽位）",
    "in ncclLocalOpAppend (for a slot of NCCL's proxy) inside {name}": (
        "{name} 内的 ncclLocalOpAppend（等 NCCL proxy 的空槽位）"
    ),
    "{where}, called from {frame}": "{where}，由 {frame} 调用",
    "in {frame}": "{frame}",
    "group {name}": "进程组 {name} ",
    "the default group": "默认进程组",
    "a group that is not named": "某个未命名的进程组",
    "the GPU of {who}": "{who} 的 GPU",
}

KNOWN_BY: dict[str, str] = {
    # how a value, or a release of a fix, is known: only in parentheses behind it
    "default": "默认值",
    "stated": "据用户所述",
    "observed": "已观测",
    "date": "日期",
    "descent": "提交继承关系",
    "fingerprint": "代码指纹",
    "git": "git",
}

UNNAMED = "某个未命名的 rank"

BELOW: dict[str, str] = {**FACTS, **QUESTIONS, **REASONS, **STATEMENTS, **NOTES, **CONFLICTS, **NOT_TAKEN}
