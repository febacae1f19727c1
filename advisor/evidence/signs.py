"""The ways to say a symptom, in English and Chinese: a table of signs, each with its example.

Sample: `Sign("symptom.hang", "locks? up", "the engine locks up")`. Only data: `free_text` holds sentences against it.

**Source:** no tool prints these words; they are those of issue threads of the engines.
"""

from __future__ import annotations

from advisor.model.late import dataclass


@dataclass(frozen=True, slots=True)
class Sign:
    """One way to say a thing. Case does not matter, and a sentence is read on one line: a blank is any white space.

    `words` must be in the sentence, not negated; `near` too, in the same sentence; `unless` not in the same clause,
    `against` not in the same sentence.
    """

    fact: str
    words: str
    example: str
    near: str = ""
    unless: str = ""
    against: str = ""
    vanishes: bool = False  # "the line is gone" states it, where "the hang is gone" takes it back
    falls: bool = False  # two numbers are named, and the second must be the smaller


_RANK = (
    r"\branks?(?:\b|\d)|\bgpus?(?:\b|\d)|\bnpus?(?:\b|\d)|\bpeers?\b|\bcards?\b|\bstages?\b|"
    r"\bschedulers?\b|\b[tpd]p ?\d|卡|进程|末级"
)
_SERVER = r"process|\bpods?\b|\branks?\b|container|worker|server|scheduler|engine|instance|\bnode|进程|容器|服务|实例"
_OUTPUT = r"output|answer|result|token|\btext|completion|response|generat|logit"
# what goes wrong: beside it, a word of time says when
_TROUBLE = (
    r"\bhang|\bhung\b|\bfreez|\bfroze|lock(?:s|ed)? up|dead|\bstuck\b|\bwedge|\bstall|\bcrash|\bdie[sd]?\b|\bfail|"
    r"\bstops?\b|\bstopped\b|\bnever\b|n't (?:return|answer|respond)|no (?:response|progress)|unresponsive|"
    r"\bwatchdog\b|"
    r"\breproduc|\bhappens?\b|\bgarbage|\bgibberish|garbled|\bgoes (?:quiet|silent)|timed? ?out|\bgone\b|"
    "卡[住死主着了]|[必就会都又]卡|死锁|假死|崩|挂[掉了住起死]|[必就会都又]挂|停[住了]|不动|没反应|没响应|无响应|"
    "不返回|报错|超时|乱码|复现|出现"
)
_UNIT = r"(?:minutes?|mins?|hours?|hrs?|h|days?|nights?)"
_COUNT = (
    r"(?:(?:about |around |roughly |approximately |some |nearly |almost |under |over |~ ?)*"
    r"(?:[\d.]+ ?(?:(?:-|–|to|or) ?[\d.]+ ?)?\+? ?|(?:a few|a couple of|a good|several|some|many|an?|half an?|one|"
    r"two|three|four|five|six|"
    r"seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty)(?: or \w+)? )?(?:more )?)"
)
_ZH_COUNT = r"(?:[\d.]+(?:[-~到至][\d.]+)?|[一二两三四五六七八九十几数半]+)(?:来|多)? ?(?:个)?(?:多|半)?"
_ZH_UNIT = "(?:小时|钟头|分钟|天|晚上|晚|夜)"
_STARTING = (
    r"(?:start-?up|start|starting(?: up)?|launch|launching|boot|booting|coming up|load|loading|initiali[sz]\w+|"
    r"graph capture|capturing|cuda graph capture"
    r"|worker start|warm-?up|import)\b"
)
_START_NOUN = r"\b(?:start-?up|start|launch|boot|warm-?up|initiali[sz]ation|(?:model |weight )?loading|graph capture|server start)"
_ZH_STARTING = "(?:启动|初始化|加载模型|模型加载|加载权重)(?:时|的时候|阶段|过程中?|期间|中)"

SIGNS: tuple[Sign, ...] = (
    # no progress
    Sign(
        "symptom.hang",
        r"\b(?:hangs?|hung|hanging)\b|\block(?:s|ed|ing) up\b",
        "completions hang for ever; the engine locks up",
        unless="hang-(?:prone|free)|hang (?:detect|check)",
    ),
    Sign(
        "symptom.hang",
        r"\b(?:freezes?|froze|frozen|freezing)\b|冻结|冻住",
        "the rollout loop freezes; 计数冻结",
        unless=r"vision|tower|projector|weights|layers?|encoder|backbone|parameters|\bprefix|mtime|视觉|权重|参数",
    ),
    Sign(
        "symptom.hang",
        r"\bdead[- ]?lock(?:s|ed|ing)?\b|\blive-?lock(?:s|ed)?\b",
        "all schedulers are dead-locked",
    ),
    Sign(
        "symptom.hang",
        r"\bstuck\b|\bwedge[sd]?\b|\bstall(?:s|ed)\b|\bunresponsive\b",
        "TP0 is stuck; decode stalls",
    ),
    Sign(
        "symptom.hang",
        r"\bnever (?:(?:come|came)s? back|return|finish|complete|answer|respond|leave|arrive|reply|replie)(?:s|d|ed|"
        r"es)?\b|"
        r"\bnever (?:gets?|got|receives?d?) (?:an? |any )?(?:response|reply|answer)\b|\bno returns? (?:for ?ever|"
        r"at all|ever)\b",
        "requests never return; no return for ever",
        unless="launch|start|load|initiali|compil",
    ),
    Sign(
        "symptom.hang",
        r"\bnor (?:does it |do they |did it )?(?:ever )?(?:return|finish|complete|answer|respond|come back|"
        r"progress)\w*",
        "it neither crashes nor returns",
        near=r"\bneither\b|n't|\bnot\b",
    ),
    Sign(
        "symptom.hang",
        r"\b(?:goes|going|went|gone|falls|fell) (?:completely |totally |entirely |just )?(?:dead|quiet|silent|mute|dark)\b|"
        r"\bthen (?:it's |it is |it goes |it was |total |complete )?(?:dead|silence)\b",
        "every few hours the engine goes dead",
        unless=r"\blogs?\b|warning|alert|idle|no traffic|watchdog|heartbeat",
    ),
    Sign(
        "symptom.hang",
        r"\b(?:grinds?|ground|comes|came|has come) to an? (?:complete |full )?(?:halt|stop|standstill)\b|"
        r"\bstands? still\b|"
        r"\bstood still\b|\binfinite (?:wait|loop)\b|\b(?:has|have|had)(?:n't| not) (?:advanced|moved)\b",
        "generation grinds to a halt",
    ),
    Sign(
        "symptom.hang",
        r"\bno (?:requests?|responses?|answers?|repl(?:y|ies)|results?) (?:ever |at all )?(?:comes?|came|gets?) back\b",
        "no request comes back",
    ),
    Sign(
        "symptom.hang",
        r"\bwait(?:s|ing)? (?:for|on) (?:each other|one another)\b",
        "the ranks wait for each other",
    ),
    Sign(
        "symptom.hang",
        r"\b(?:for ?ever|indefinitely|endlessly)\b",
        "one request is running for ever",
        near=r"\b(?:running|pending|loading|in flight|queued|spin\w*)\b",
        unless=r"\bruns? for ?ever\b|grow|keep|cache",
    ),
    Sign(
        "symptom.hang",
        r"\b(?:stop|stopped|stops|quits?|cease[sd]?) (?:respond|return|complet|finish|emit|stream|answer|generat|"
        r"produc|process|"
        r"serv|reply|making progress)\w*",
        "the server stops answering; requests stop returning",
        unless=r"\b(?:logprobs?|partial|api|field|param|object|usage|the prompt)\b|\b(?:way|how|option) to stop",
    ),
    Sign(
        "symptom.hang",
        r"\bno longer (?:ever )?(?:answer|respond|repl(?:y|ie)|return|react|finish|complete|serve|produce|generate|emit|stream|"
        r"make progress)(?:s|es|ing|d)?\b",
        "the server no longer answers",
        unless=r"garb|wrong|\berrors?\b|nonsense|\bnans?\b|\b[45]\d\d\b|corrupt|empty|blank|\blogs?\b|api|field|param",
    ),
    Sign(
        "symptom.hang",
        r"\bnothing (?:more |else |ever )?(?:comes?|came|is coming|gets?|got) (?:back|out|through|returned)\b|"
        r"\bnothing (?:is |was |gets? )?(?:ever )?(?:returned|answered|moves|moving)\b",
        "requests pile up and nothing comes back",
        unless=r"\blogs?\b|grep|search|quer(?:y|ies) (?:on|in) the|empty|wrong|garbl|\bas an? error",
    ),
    Sign(
        "symptom.hang",
        "(?:没有?|无)(?:任何|一点儿?)(?:的)?(?:输出|响应|返回|反应|回复|动静)|(?:一直|永远|无限)(?:在|处于)?(?:等待?|干等|等着)",
        "跑几个小时后没有任何输出和报错；主进程一直等待",
        unless="日志(?:里|中|上)?(?:也|都)?(?:没有?|无)|终端|控制台|等待?(?:新|客户端|用户)?(?:的)?请求|空闲|\\bidle\\b",
    ),
    Sign(
        "symptom.hang",
        r"\b(?:no|not|any|without) (?:(?:making|make|making any|further|more|any) )?progress\b",
        "no progress",
    ),
    Sign(
        "symptom.hang",
        r"\b(?:no|without(?: a| any)?) (?:response|answer|reply)\b|n't respond|n't return\b|"
        r"\bnot (?:respond(?:ing)?|return)\b|\b(?:does|do|did)(?:n't| not) (?:ever )?(?:answer|reply|come back|"
        r"finish)\b",
        "the request does not return; the server doesn't reply",
        unless="response (?:hook|format|body|header)|_|question|any of|\\bdocs?\\b|the (?:sentence|answer|word|json)|"
        r"return (?:any |the |such )*(?:garb|gibb|nonsense|wrong|incorrect|err|nan|empty|null|none|\d)",
    ),
    Sign(
        "symptom.hang",
        r"\b(?:waits?|waiting|sits?|sitting|spins?|blocks?|blocked|stops?)(?: there| in \w+)? (?:for ?ever|"
        r"indefinitely|endlessly)\b|\bsits there\b|\bsits at 0\b",
        "a single prompt waits for ever",
    ),
    Sign(
        "symptom.hang",
        r"\b(?:decode|decoding|generation|prefill|service) (?:just |simply |suddenly )?stops\b",
        "a few hours in, the service stops",
        unless="stops (?:with|in|on) (?:an?|the|some)|graph capture|exit",
    ),
    Sign(
        "symptom.hang",
        "卡住|卡死|卡在|卡着|卡主|挂起|挂死|挂住|夯住|夯死|死锁|假死|僵死|僵住|僵持|(?:互相|相互|彼此)(?:在)?(?:等|阻塞)|不返回|没有返回|没返回|不往前走|不再推进|"
        "不推进|没有进展|无进展|没有响应|没响应|无响应|不响应|没反应|"
        "停止(?:了)?(?:响应|回复|应答|输出|工作)|不再(?:响应|返回|回复|应答)|停住|一直不动|不动了|等多久都不动|(?:两边|全部|全|都|就|又)不动|锁死|阻塞住|一直阻塞|转圈|等不到(?:返回|"
        "结果|响应|回复)|必卡|就卡了|就卡$|就卡[，。；,]|会卡$|"
        "(?:老是|经常|总是|又|偶尔)卡|(?:就|突然|忽然|全|都)停了|不会?返回",
        "请求长期不返回；4090 上一直没有响应；半个多小时必卡",
        unless="卡顿|负载均衡|流量(?:就|突然|都)?停",
    ),
    Sign(  # standing still, not what is too heavy to move: 跑不动, 带不动
        "symptom.hang",
        "僵住|僵在|定住|冻住|呆住|(?:静止|住|死|着)不动|一动不动|没有?动静|动弹不得|"
        "(?:进程|服务|请求|推理|程序|引擎|任务|解码|生成|rank|worker) ?\\d{0,3} ?(?:也|都|就|突然|一直|完全|全部?)*不动",
        "请求僵住不动；rank 1 不动，也没有报错；服务一动不动",
        unless="风扇|硬盘|固定住|不动[态用手产]",
    ),
    Sign(
        "symptom.hang",
        "没日志了|日志(?:就|都|突然|同时)?(?:停了|停止了|不动了|不再更新|不再刷新|不刷了|断了)",
        "跑三小时后所有服务同时没日志了",
        unless="磁盘|轮转|收集|重启|采集|心跳",
    ),
    Sign(
        "symptom.hang",
        "没有完成|未完成|没完成",
        "首个正式请求超过 120 秒没有完成",
        near="请求|秒|分钟",
        unless="单元|测试",
    ),
    Sign(
        "symptom.hang",
        r"\bstops? in (?:an? |the )?(?:\w+ )?(?:all[-_]?gather|all[-_]?reduce|broadcast|collective|barrier)\b",
        "traffic on several ranks stops in an all-gather",
    ),
    Sign(
        "symptom.hang",
        r"\bno (?:new |more |further )?tokens? (?:is|are|were|gets?|comes?)\b|(?:\bnot|n't) (?:produc|"
        r"generat|emit)\w*(?: any)? (?:\w+ )?(?:tokens?|output)\b"
        r"|\bproduces? no (?:more |further )?(?:tokens?|output)\b"
        r"|\bthroughput (?:drops|falls|goes|went|is|stays|sits) (?:to |at )?(?:0|zero)\b"
        r"|不出 ?token|没有输出了|不再输出|不吐字|吞吐(?:率|量)?(?:变成?|变为|降到|掉到|跌到|归) ?(?:0|零)|"
        r"(?:计数|tokens?)[^，。]{0,6}(?:不再?|没有?)(?:增长|增加|涨|动)",
        "no tokens are generated; 生成 token 计数不再增长",
        unless=r"token ids?|tokeni[sz]|\bidle\b|no (?:request|traffic|load)|空闲|没有?请求",
    ),
    Sign(
        "symptom.hang",
        r"\b(?:tokens?|output|responses?|replies|answers|everything|stream(?:ing)?|serving|decoding|generation|"
        r"requests?) "
        r"(?:just |simply |suddenly )?(?:stops?|stopped|halts?|halted)(?: coming| arriving| mid-?\w*| halfway|"
        r" for ?ever|$|[,.;])"
        r"|\bno (?:more |further |new )?(?:tokens?|output) (?:for|after|since|any ?more|ever)\b|\bno more (?:tokens|"
        r"output)\b"
        r"|挂着不动|吐字停|(?:但是?|却|就是)(?:一直)?(?:没有?|不出|无)(?:任何)?输出|半(?:就|突然)停",
        "tokens stop coming; the stream stops mid-answer; GPU 利用率 100% 但没输出",
        unless=r"stop (?:token|word|string)|\beos\b|finish_reason|length|max_tokens|\blogs?\b|\bidle\b",
    ),
    # one engine's heartbeat may be silent because it is idle; several that stop together are not
    Sign(
        "symptom.hang",
        r"\bheart-?beats?\b|\bavg thr\b",
        "eight servers stop their heartbeat at the same moment",
        near=(
            r"\b(?:stop|los[et]|fall|fell|go(?:es)?|went)\w*\b.*(?:simultaneous|(?:at|in) the same (?:moment|time|second|minute|instant)|at once)|"
            r"\ball\b.*\bstop.*(?:simultaneous|same)"
        ),
        unless="never|monitor",
    ),
    # a process dies
    Sign(
        "symptom.crash",
        r"\bcrash(?:es|ed|ing)?\b|\bsegfault\w*|segmentation fault|\bcore ?dump(?:s|ed)?\b",
        "the worker crashes",
    ),
    Sign("symptom.crash", r"\bcrash-?loop\w*|illegal memory access|device-side assert", "CUDA illegal memory access"),
    Sign(
        "symptom.crash",
        r"\b(?:dies|died|die|dying)\b",
        "prefill worker dies with a KeyError",
        unless="die size|per die|die-to-die",
    ),
    Sign(
        "symptom.crash",
        r"\babort(?:s|ed|ing)?\b",
        "gloo aborts the process",
        near=r"process|engine|server|worker|\branks?\b|start-?up|scheduler|core",
        unless=r"requests?\b|client|timeout abort|streaming",
    ),
    Sign(
        "symptom.crash",
        r"\bassertion\b|\basserts\b",
        "stops with an assertion",
        near="stop|fail|die|hit|exit|crash|abort|trip|raise",
    ),
    Sign(
        "symptom.crash",
        r"\b(?:is|was|are|were|gets?|got|being|been) (?:brought|taken|torn) down\b|\b(?:falls?|fell) over\b|\bbl(?:ows?|ew) up\b|\b(?:goes|went) down\b|\b(?:takes?|took|brings?|"
        r"brought) (?:it|\w+ server|everything) down\b",
        "our server falls over on the first decode",
        unless=r"\bnan\b|memory|latency|acceptance|rate|throughput",
    ),
    Sign(
        "symptom.crash",
        r"\bkill(?:s|ed)\b",
        "the watchdog kills the server",
        near="server|process|worker|scheduler|kernel|watchdog|being",
        unless=r"\b(?:i|we) (?:have )?kill|by hand|manually",
    ),
    Sign(
        "symptom.crash",
        r"\bstops? with an? [\w ]*(?:error|assertion|attribute|exception|message|traceback|failure)|"
        r"\bexit(?:s|ed) (?:with|unexpected|code|silent)\w*",
        "the script stops with a missing attribute",
    ),
    Sign(
        "symptom.crash",
        "崩溃|崩了|崩掉|崩|挂掉|挂了|跟着挂|(?:全|都|就)挂|断言失败|报错退出|异常退出|失败退出|直接退出|进程退出|"
        "自动退出|突然退出|闪退|段错误",
        "D 节点就挂掉退出",
    ),
    # starting
    Sign(
        "symptom.startup_failure",
        r"\b(?:won't|will not|cannot|can't|could not|couldn't|doesn't|does not|didn't|did not|fail(?:s|"
        r"ed)? to|refuse[sd]? to|unable to|never) (?:even )?(?:launch|start|come up|boot)(?:s|es|ed)?\b",
        "the server refuses to start",
        unless=r"start (?:a|the|any|to|new)\b|start with (?:['\"]|(?:an? |the )?(?:letter|prefix|word|slash|token|string|character|space)\b)",
    ),
    Sign(
        "symptom.startup_failure",
        r"\b(?:dies|died|crash(?:es|ed)|fails|failed|exits|exited|aborts|aborted)(?: \w+)? (?:right|straight|just|immediately|directly|"
        r"shortly) after (?:the )?(?:start|start-?up|starting|launch|launching|boot)\b",
        "vLLM dies right after start",
    ),
    Sign(
        "symptom.startup_failure",
        (
            r"\b(?:dies|died|fails|failed|crash(?:es|ed)|stops|stopped|abort(?:s|ed)|"
            r"out of memory)(?: right away| straight away| immediately)? (?:in|at|on|during|while|"
            r"when) (?:the |our )?(?:\w+ )?" + _STARTING
        ),
        "stops at graph capture although 8 GB are free",
        unless="after",
    ),
    Sign(
        "symptom.startup_failure",
        r"\b(?:start|start-?up|launch|graph capture|warm-?up) (?:fails|failed|aborts|aborted|crashes|dies|"
        r"runs out|says out|is refused)\b",
        "start-up aborts",
    ),
    Sign(
        "symptom.startup_failure",
        r"\b(?:deploying|starting|launching|booting|warm-?up)\b[\w -]* (?:stops|dies|fails|crashes|"
        r"aborts)\b|\bbreaks? (?:\w+ )?(?:start|start-?up|launch)\b",
        "starting the prefill side dies right away",
        unless="after",
    ),
    Sign(
        "symptom.startup_failure",
        r"\b(?:library|package|module|dll)\b",
        "the kernel library won't load",
        near=(
            "cannot (?:be )?(?:load|find|import)|(?:won't|can't|can not) (?:be )?(?:load|find|import|"
            "found)|no longer imports?|fail(?:s|ed) to (?:load|import)"
        ),
    ),
    Sign(
        "symptom.startup_failure",
        "起不来|启动不了|启动失败|无法启动|启动就?报错|没起来|拉不起来|加载失败|一启动就|一导入就|一跑就(?:缺|报|崩)|"
        "启动(?:时|阶段|过程中)(?:崩|报错|失败|退出)|"
        + _ZH_STARTING
        + "[^，。；]{0,24}(?:崩|报错|失败|退出|起不来|挂掉|被[^，。；]{0,16}(?:杀|kill))",
        "服务还没起来就崩了；启动时一个 scheduler 被 OOM killer 杀掉",
        unless="卡|hang|不动",
    ),
    Sign(
        "symptom.startup_hang",
        r"\bnever finish(?:es|ed)? (?:launching|loading|starting|initiali[sz]ing|capturing|start-?up)|"
        r"\bnever (?:reaches|gets to|prints|says|shows)(?: the)? (?:line )?['\"]?(?:application )?start-?up complete|"
        r"\b(?:stuck|hangs?|hung|freezes|frozen|stalls|blocks)\b.*\bbefore (?:it (?:says|prints|"
        r"reaches) )?(?:the )?['\"]?"
        r"(?:application )?start-?up (?:is )?complete",
        "never finishes launching once graph mode is on; stuck before application startup complete",
    ),
    Sign(
        "symptom.startup_hang",
        (
            r"\b(?:start|start-?up|launch)(?: just| simply| always)? (?:hangs|freezes|sits|blocks|stalls|"
            r"is stuck)\b|\b(?:hangs?|hung|stuck|freezes|frozen|blocks|blocked|deadlocks|stalls) (?:in|at|on|"
            r"during|while|when) (?:the )?(?:model )?['\"]?" + _STARTING
        ),
        "hangs during graph capture",
    ),
    Sign(
        "symptom.startup_hang",
        _START_NOUN
        + r" (?:just |simply |then |still )?(?:never (?:finish|complete|end|succeed|return|get)|(?:does|did)(?: not|n't) (?:ever )?"
        r"(?:finish|complete|end))\w*|" + _START_NOUN + r" (?:dead[- ]?locks?|hangs?|freeze|stall)\b",
        "Start-up never finishes; startup deadlock",
        unless="timeout|detect",
    ),
    Sign(
        "symptom.startup_hang",
        r"\b(?:hangs?|hung|stuck|freezes|frozen|froze|blocks|blocked|dead-?lock(?:s|ed)?|stalls|stalled|waits?)\b[^,.;:]{0,40}\b(?:"
        r"(?:while|when|during|at|in|on) (?:it is |it's |they are |(?:the )?(?:\w+ )?\w+ (?:is|are|was|were) |the |our |its |\w+ )?"
        + _STARTING
        + r"|"
        r"(?:before|without ever) (?:any |the |its |our |a |it |they )?(?:\w+ )?(?:load|start|weights?|ready|serv|listen|model)\w*)|"
        r"\b(?:hangs?|hung|stuck|dead-?lock(?:s|ed)?|freezes|froze|blocks)\b[^.;]{0,40}\bbefore (?:the |any )?(?:\w+ )?(?:weights?|model|checkpoint)s?"
        r" (?:is |are |get |gets )?(?:load|read)\w*|\bnever (?:becomes?|became|gets?|got|turns?|reports?|is|was) ready\b",
        "hangs while starting, before the weights load; it never becomes ready",
        unless="loading documents|load test|under load|load balanc",
    ),
    Sign(
        "symptom.startup_hang",
        _ZH_STARTING
        + "[^，。；]{0,12}(?:卡|hang|不动|挂住|死锁|没反应|一直等)|"
        + _ZH_STARTING
        + "[^。；]{0,60}(?:一直|永远)(?:在|处于)?(?:等|阻塞|不动|卡)",
        "启动时偶尔卡住；启动时一个 scheduler 被杀，主进程一直等待",
        unless="不(?:会)?卡|没有?卡",
    ),
    Sign(
        "symptom.startup_hang",
        "启动(?:时|阶段|过程中)?(?:就|会|一直)*(?:卡|hang|不动)|卡在 ?(?:启动|加载|初始化|图捕获|预热|模型加载|权重|"
        "cuda ?graph|graph capture)|一启动就(?:卡|hang)"
        "|启动到[^，。]{1,16}就?(?:停住|卡住|卡死|不动)|等不到[^，。]{0,6}(?:startup complete|启动完成)",
        "启动就卡住；启动到 warmup 就停住",
    ),
    # answers
    Sign(
        "symptom.wrong_output",
        r"\bgarbled\b|\bgibberish\b|\bnonsense\b|\bgarbage\b",
        "answers are garbled",
        unless="garbage.collect",
    ),
    Sign("symptom.wrong_output", r"\bcorrupt(?:s|ed|ion)?\b", "corrupted output", near=_OUTPUT),
    Sign(
        "symptom.wrong_output",
        r"\bdegenerat(?:es|ed|ing|e into)\b|\bmakes? no sense\b|\brandom (?:characters|tokens|symbols|words)\b|"
        r"\brepetitive\b|\bword salad\b|\bdiffers? from (?:[tpd]p ?=? ?\d|"
        r"the (?:target|"
        r"baseline|reference|single|same|one without)|greedy|eager|hf\b|transformers\b|without|what)",
        "output degenerates; the answers make no sense; the output differs from PP1",
        near=_OUTPUT,
        unless="config|logs?\\b|docs",
    ),
    Sign(
        "symptom.wrong_output",
        r"\b(?:wrong|incorrect)\b",
        "answers served from the cache are wrong",
        near=_OUTPUT,
        unless="wrong (?:flag|version|path|device)",
    ),
    Sign(
        "symptom.wrong_output",
        r"\brepeat(?:s|ed|ing)\b|\btwice\b",
        "the text has every piece twice",
        near=r"output|\btext|\btokens?\b|answers?|words?\b|piece",
        unless="request|prompt|twice as",
    ),
    Sign(
        "symptom.wrong_output",
        r"exclamation (?:marks?|points?)|!{5,}|\bblanks\b|\bempty (?:output|answer|response|completion)s?\b|"
        r"\b(?:someone|somebody) else",
        "chats turn into exclamation marks",
    ),
    Sign(
        "symptom.wrong_output",
        r"\b(?:another|a different|the wrong|other|some other|one another'?s?|each other'?s?) ?(?:user|request|customer|person|client|session|"
        r"conversation|prompt|chat|people)?(?:'s|s'|s)? (?:\w+ )?(?:answer|text|output|reply|response|completion|content|words|message|result)s?\b",
        "a request returns another user's text",
        near=r"\breturn|\bget|\bgot\b|receiv|\bmix|\bsees?\b|\bsaw\b|\bshow|\bleak|\bswap|\bcontain|\bgives?\b|\bends? up",
        unless=r"\bfine\b|\bok\b|correct|no other|other than|each other's (?:ranks?)|compare|same as",
    ),
    Sign(
        "symptom.wrong_output",
        "乱码|胡言乱语|胡说八道|输出(?:就|会|全|都|完全|变)*(?:乱|不对|错误|错乱|重复)|乱了|结果(?:也|都|就)*(?:不对|"
        "错误|"
        "对不上)|(?:答案|回答|回复)(?:不对|错|错乱)|重复输出|输出[^，。]{0,8}不一致|答非所问|复读|感叹号|"
        "(?:返回|收到|拿到|看到|出现|混入|串)了?(?:其他|其它|别|另一个?)(?:人|用户|请求|会话|对话)的?(?:回答|回复|答案|内容|输出|结果|文本)|"
        "(?:回答|输出|结果|内容|请求|会话|对话)串(?:了|台|话|号|扰)|全是(?:叹号|[!！]{2,})",
        "第二次输出就完全乱了；回答错乱",
        unless=r"\brank|各卡|正常",
    ),
    # slowness, memory, timeouts
    Sign(
        "symptom.slow",
        r"\bslow(?:er|s|ed)?\b|\bsluggish\b|\btakes? (?:very |too |so )?(?:long|ages)\b",
        "loading takes long",
        unless="memory (?:grow|leak)|slow (?:path|start|tokenizer)",
    ),
    Sign(
        "symptom.slow",
        r"\b(?:latency|throughput|ttft|tpot)\b",
        "very uneven token latency",
        near=(
            r"\bdrop|\bfall|\bfell|degrad|uneven|\bjump|\bworse|\bspike|collaps|halv|\brises?\b|\brose\b|regress|"
            r"terribl|\bpoor"
        ),
        unless="low-latency|heartbeat",
    ),
    Sign(
        "symptom.slow",
        "很慢|变慢|太慢|慢了|更慢|慢得|非常慢|巨慢|吞吐(?:率|量)?(?:下降|降低|掉|很低)|延迟(?:升高|变高|很高|增大|"
        "飙)|性能(?:下降|劣化|退化)",
        "解码变慢",
    ),
    Sign(
        "symptom.oom",
        r"\booms?\b|outofmemory(?:error)?\b|\boom-?killed\b|out[- ]of[- ]memory|\black of memory\b|\bnot enough memory\b",
        "runs out of memory while capturing graphs",
        unless=r"[a-z]-oom-[a-z]|[a-z]/[a-z0-9-]*-?oom|(?:^|[^a-z])oom-[a-z]+-",
    ),
    Sign("symptom.oom", "(?:显存|内存)(?:不够|不足|溢出|爆了?|炸了?)|爆显存|炸显存|爆内存", "还是报显存不够"),
    Sign("symptom.timeout", r"\b(?:timed|times|timing) out\b", "DeepEP keeps timing out"),
    Sign("symptom.timeout", r"\btime out\b", "requests time out", near="request|rpc|calls?|client|connection"),
    Sign(
        "symptom.timeout",
        r"\b(?:nccl|watchdog|collective|rpc|deepep|gloo|hccl) time-?outs?\b",
        "until the NCCL timeout",
    ),
    Sign(
        "symptom.timeout",
        r"\btime-?outs?\b",
        "ends in an RPC timeout",
        near=(
            r"\b(?:ends? in|hits?|gets?|got|reports?|reported|raises?|raised|throws?|threw|sees?|seeing|"
            r"rpc|errors?|fail(?:s|ed) with|caught|dies with)\b"
        ),
        unless=(
            r"disabled|default|waiting timeout|\bset\b|=|-timeout|increas|longer time|timeout (?:of|is|to)|"
            r"abort|\d+ ?s\b|both env"
        ),
    ),
    Sign(
        "symptom.timeout",
        "超时",
        "随后报 sample_tokens 超时",
        near="报|触发|出现|错误|失败|频繁|一直|异常|抛|请求|全部|通信|集合|deepep|nccl|hccl|rpc|gloo|watchdog",
        unless="设置|配置|阈值|参数|以便|调大|默认|启用|开启",
    ),
    Sign(
        "symptom.watchdog",
        r"\bwatch ?dog\b|看门狗|\bheartbeat monitor\b",
        "watchdog fires",
        near=(
            r"\bfire[sd]?\b|\bkill|trigger|time-?out|times? out|caught|catches|\btrip|abort|\btakes?\b|"
            r"\btook\b|terminat|\bends?\b|触发|捕获|杀|超时|报"
        ),
        unless=r"--|watchdog-timeout|disabl|\bset\b|启用|设置|配置",
    ),
    # circumstances
    Sign(
        "symptom.no_error",
        r"\b(?:no|zero|without(?: an?| any)?|not a single)(?: python| visible| obvious| other|"
        r" further)? (?:errors?|exceptions?|traceback|stack ?trace)\b",
        "heartbeat stopped, no traceback",
        unless=r"counter|after (?:the )?(?:fix|upgrad)|\b(?:off|disabled)\b",
    ),
    Sign(
        "symptom.no_error",
        r"\bsilent(?:ly)?\b",
        "silently freezes",
        near=r"hang|freez|froze|\bdie|\bstop|stall|exit|fail|crash|stuck|dead|卡",
    ),
    Sign(
        "symptom.no_error",
        r"\bno logs? (?:at all|output|anymore|any ?more)\b|(?:^|[,;] ?)no logs? ?[.,;]?$|"
        r"\bnothing (?:at all )?(?:(?:is|was|shows up|appears) )?(?:in|printed|logged)\b|\blogs? (?:are|is|"
        r"stays?) (?:clean|empty|quiet|silent)\b",
        "nothing in the log",
        near=r"\blogs?\b|printed|logged|console|dmesg|stderr",
    ),
    Sign(
        "symptom.no_error",
        "(?:没有?|无|未见|不)(?:任何|看到|见到|什么|输出)* ?(?:python ?)?(?:报错|错误|异常|告警|日志输出|traceback|堆栈|stack ?trace|error|exception)|"
        "(?:没有?|无)任何?输出(?:和|与|或|、|及)(?:报错|错误|日志)|日志(?:里|中)?(?:啥|"
        "什么)(?:也|都)没|没有任何(?:日志|输出)|静默|日志(?:里|中)?(?:很干净|没有东西)",
        "没有任何报错",
        unless="目标错误|错误率",
    ),
    Sign(
        "symptom.processes_alive",
        r"\balive\b|\bstill (?:up|running|there)\b|\bstay(?:s|ed)? (?:up|running)\b|\bremain(?:s|"
        r"ed)? (?:up|running)\b",
        "no error, pods alive",
        near=_SERVER,
        unless=r"\brest\b|no longer|keep-?alive|a few|some\b",
    ),
    Sign(
        "symptom.processes_alive",
        r"/health\b|\bhealth ?(?:check|接口|探针|endpoint)",
        "/health fine, completions hang",
        near=r"\bfine\b|\bok\b|\b200\b|healthy|green|passes|正常",
        unless=r"\bnot\b|fails|503|500",
    ),
    Sign(
        "symptom.processes_alive",
        "活着|存活|还在|都在|仍在运行|没死|没有死|没退出",
        "两个 rank 进程都活着",
        near=r"进程|\branks?\b|\bpods?\b|容器|worker|实例|服务",
    ),
    Sign(
        "symptom.heartbeat_stopped",
        r"\bheart-?beats?\b|心跳",
        "all stop their throughput heartbeat",
        near=r"\bstop|silent|ceas|froze|\bgone\b|\blos(?:es?|t|ing)\b|missing|disappear|vanish|stalled|停|没了|没有了|消失|断|不再",
        unless="monitor|never|nccl|zookeeper|etcd",
        vanishes=True,
    ),
    Sign(
        "symptom.heartbeat_stopped",
        r"\bavg thr\b|\b(?:no (?:new |more |further )?)?decode batch(?:es)?\b|\bthroughput (?:line|log|"
        r"report)s?\b|\bengine 000\b|"
        r"\bstats? lines?\b|吞吐(?:日志|行|打印)",
        "no decode batches in the log",
        near=r"\bstop|silent|ceas|froze|\bgone\b|\bno\b|no longer|disappear|停|不再|没|消失",
        unless="never (?:stop|stall)|no (?:traffic|requests|load)|\\bidle\\b|没有?(?:请求|流量)",
        vanishes=True,
    ),
    # ranks
    Sign(
        "symptom.rank_idle",
        r"\bidles?\b|\bidling\b|\bparked\b|\bdo(?:es|ing) nothing\b|\b(?:at|with) zero (?:util\w*|percent|load)|(?:^|"
        r"[^\d.])0(?:\.0)? ?%|空闲|闲着",
        "seven GPUs spin, the last one is idle; GPU 7 占用率 0%",
        near=_RANK + r"|\bother\b|\bothers\b|\blast one\b|\brest\b|\bworker\b|\bhead\b|另一|其他|gpu|npu",
        unless=(
            r"\ball\b|\bevery\b|\bboth\b|gpus (?:at|are) 0|log idle|idle or busy|idle (?:time|timeout|"
            "power)|丢包|loss|error"
        ),
    ),
    Sign(
        "symptom.rank_busy",
        r"\bspin(?:s|ning)?\b|\bspun\b|\bpegged\b|\bbusy[- ]loop\w*|\bmaxed(?: out)?\b|\bat (?:a )?hundred\b|"
        r"\bburns? |空转|打满|跑满|占满|卡满载",
        "seven GPUs spin",
        near=_RANK + r"|\bcpu\b|\bcore\b|\bthread\b|\bothers?\b|gpu|npu",
        unless="(?:spin|spun|spins|spinning)[- ](?:up|down)",
    ),
    Sign(
        "symptom.rank_busy",
        r"\b100 ?%|\bfull(?:y)? utili[sz]\w+|\bbusy\b",
        "every GPU at full utilisation",
        near=r"\branks?\b|\bgpus?\b|\bnpus?\b|\bcards?\b|\bcores?\b|\bcpu\b|utili|占用|利用|scheduler",
        unless="100 ?% (?:of|repro|sure|certain)|idle or busy|too busy|命中|hit rate|接[受收]率",
    ),
    Sign(
        "symptom.ranks_split",
        r"\bdiverge(?:s|d|nce|nt)?\b|\bdisagree(?:s|d|ment)?\b|\bdesync\w*|\bout of (?:sync|step)\b|"
        r"\bdifferent (?:collectives?|places|order|batch\w*|points)\b|\bno longer match\b|"
        r"\bmismatched (?:collectives?|all[- ]?gather|all[- ]?reduce)\b|\b(?:ranks?|stages) (?:are )?split\b|"
        r"\bcollective mismatch\b|\bpermanent split\b|不一致|分叉|看法不一样|不同步",
        "two DP ranks end up in different collectives",
        near=r"\branks?\b|rank-|\bstages?\b|scheduler",
    ),
    Sign(
        "symptom.ranks_split",
        r"\bone (?:\w+ )?(?:rank|stage|scheduler|worker|gpu|npu|node)(?:'s)?\b.*\b(?:(?:the|its|"
        r"all) (?:\w+ )?(?:others?|peers?|rest|next|remaining)|peer)\b",
        "one rank wedged inside NCCL, the other idle",
        unless=r"\bfine\b|\bworks\b|\boom\b|memory",
    ),
    Sign(
        "symptom.ranks_split",
        r"\b(?:[tpd]p|rank) ?\d+ (?:is |sits? |was )?(?:stuck|in|spin|wait|block|wedge|hang|"
        r"at)\w*\b.*\b(?:while|whereas|but|and)\b.*\b(?:ranks? ?\d|[tpd]p ?\d|others?|peers?|rest)\b",
        "TP0 is stuck in the prefetch check while ranks 1 to 3 wait",
    ),
    Sign(
        "symptom.ranks_split",
        r"\b(?:one|two|three|four|five|six|seven|half|some|most|\d+) (?:of the |\w+ )?(?:ranks?|gpus?|npus?|workers?|schedulers?|"
        r"stages?)\b.*(?:,|\band\b|\bwhile\b) (?:the )?(?:other )?(?:one|two|three|four|five|six|seven|half|some|most|others|rest|"
        r"\d+) (?:are |\w+ )?(?:wait|sit|spin|stuck|block|in)\w*\b",
        "four ranks spin in evict, four wait in broadcast_pyobj",
    ),
    Sign("symptom.ranks_split", "一个 ?rank.*另一个", "一个 rank 在 all-gather，另一个在等请求广播"),
    Sign(
        "symptom.ranks_split",
        r"rank ?\d[^，。]*[在卡].*rank ?\d[^，。]*[在卡等]",
        "rank0 在 all_reduce，rank1 在等 broadcast",
    ),
    Sign(
        "symptom.ranks_split",
        r"\brank ?\d (?:is )?(?:in|at|inside|waits|waiting|stuck)\b.*(?:,|;|\band\b|"
        r"\bwhile\b).*\brank ?\d (?:is )?(?:in|at|inside|waits)\b",
        "rank 0 in all_reduce, rank 1 in broadcast_pyobj",
    ),
    # when it happens
    Sign(
        "symptom.first_request",
        r"\b(?:first|1st) (?:real |chat |generate |formal |live |user |actual |ever |http |api |sampled |generated |"
        r"output )*(?:requests?|prompt|sample|"
        r"query|message|completion|decode|inference|curl|call|token)\b|\b(?:right |straight |directly |"
        r"just )?after (?:the )?"
        r"warm-?up(?:_\w+)?\b|\bas soon as (?:i|we|anyone|somebody|someone) (?:sends?|sent|curls?|asks?) "
        r"(?:something|anything|a (?:single )?(?:request|prompt|message))\b",
        "server ready, first real request aborted; hangs at the very first token; first curl hangs",
        unless=r"(?:is|was|always|are) (?:always )?(?:right|fine|ok|correct)|works|succe|after the first|latency|ttft|"
        r"time to|per first|\bslow|excellent|first token (?:is|was|comes|arrives)|longer\b",
    ),
    Sign(
        "symptom.first_request",
        "(?:第一|首)(?:条|个|次)?(?:正式|真实|用户)?的?(?: ?decode| ?curl| ?token|请求|样本|推理|对话|调用|消息|"
        "采样)|第一(?:条|个|次)就|"
        "首条卡住|一(?:发|来|打)请求就|发一(?:条|个)就|第 ?1 ?(?:条|个|次)(?:请求|样本|推理|消息)|刚?发(?:出)?第一条|"
        "预热(?:完成|完|结束|之)?后|warm-?up ?后",
        "第一条正式请求两分钟都不返回；第一条就卡住；一发请求就卡死",
        unless="正常|没问题|成功|延迟|时延|耗时|首 ?token (?:时间|延|慢)|变慢",
    ),
    Sign(
        "symptom.after_a_while",
        (
            r"\bafter (?:(?:\w+ing )?for |only |just )*" + _COUNT + r"(?:" + _UNIT + r"|while|turns)\b"
            r"|\bafter (?:being )?(?:up|running|serving|alive|online) (?:for )?" + _COUNT + _UNIT + r"\b"
            r"|\bafter (?:a )?long (?:uptime|runs?|running)\b|\bafter (?:some|a long) time\b|"
            r"\bafter (?:\w+ing )?(?:for )?a (?:bit|long while)\b"
        ),
        "after about 3.5 hours; after about twenty minutes; after some time",
        unless=r"first request|no (?:hang|crash|problem|issue)|never (?:hang|fail|crash)|download|(?:min\w*|"
        r"\d ?m)\b.*(?:watchdog|time-?out|timed out|loading|compil)|without|"
        r"\bstill (?:fine|healthy|ok|running)",
    ),
    Sign(
        "symptom.after_a_while",
        (
            r"\b"
            + _UNIT
            + r" (?:in|into)\b|\bminutes ?(?:–|-|to) ?hours\b|\b(?:fine|ok|okay|great|normally|well|happily) for "
            + _COUNT
            + r"(?:"
            + _UNIT
            + r"|while|time)\b|\b(?:works?|worked|runs?|ran|serves?|served) "
            r"(?:(?:fine|ok|okay|great|normally|well|happily) )?(?:for a (?:while|bit|time)|at first|initially|"
            r"for hours|for days)\b"
            r"|\b(?:works?|worked|runs?|serves?|served)(?: \w+)? (?:for )?~? ?" + _COUNT + _UNIT + r"\b.*\b(?:then|"
            r"before|until)\b"
        ),
        "a few hours in, the service stops; works for a while; works for 20-40 minutes, then freezes",
        unless=(
            r"hours in (?:a|the)\b|minutes in (?:a|the)\b|into (?:the )?(?:load(?:ing)?|start|warm|compil|"
            r"build)\w*ing\b|without|"
            r"\bstill (?:fine|healthy|ok|running)|\b(?:disabled|off)\b|no problem|no issue|and tell|let it|"
            r"never (?:hang|fail|crash)|\?"
        ),
    ),
    Sign(
        "symptom.after_a_while",
        (
            r"\bevery (?:few |other |couple of |\d[\d.]* ?(?:(?:-|–|to|or) ?\d+ ?)?|two |three |four |"
            r"six )?(?:or \w+ )?(?:hours?|hrs?|h|days?|night)\b"
            r"|\b(?:once|twice|several times|\d times) (?:an?|per|every) (?:hour|day|night|week)\b|\bover ?night\b|"
            r"\bdaily\b"
            r"|\b(?:took|takes?|within|in) " + _COUNT + r"(?:hours?|hrs?|h|days?)\b"
            r"|\beventually\b|\bsooner or later\b|\b(?:hours?|days?) later\b"
            r"|\bafter (?:about |around |some |~ ?)?(?:hundreds|thousands|\d{3,}|tens of thousands|many|"
            r"roughly \d{3,}|\d+ ?k|roughly \d+ ?k)(?: of)?"
            r" (?:requests|prompts|steps|iterations|samples)\b"
        ),
        "every few hours the engine locks up; it hung overnight; eventually the server stops returning",
        near=_TROUBLE,
        unless=(
            r"without|finish|complete|\b(?:no|0|zero) (?:problem|issue|hang|crash|failure|error)|\bfine\b|download|"
            r"\brestart|rotat|\bidle\b|"
            r"upgrad|"
            r"\bpass(?:es|ed)?\b|epoch|\bbuild"
        ),
    ),
    Sign(
        "symptom.after_a_while",
        (
            "跑久了|时间(?:一|长了|久了)|运行久了|一段时间(?:之?后|就|会)|过了?一段时间|长时间运行|长跑|长稳"
            "|(?:跑|运行|用|服务|过)(?:了|上)?(?:一?会儿?|一阵子?|没多久|不久)(?:就|后|之后|又)?|跑着跑着"
            "|" + _ZH_COUNT + _ZH_UNIT + "(?:左右)?(?:之?后|就|必|才|以后|内)"
            "|(?:跑|运行|压|上线|服务)(?:了|上|个)?(?:大概|大约|约|差不多)? ?" + _ZH_COUNT + _ZH_UNIT
        ),
        "运行几分钟到几十分钟后；跑一会儿就卡死；三四个小时后没反应；跑着跑着就卡死了",
        unless="至少|没事|没问题|正常|(?:分钟|min)[^，。]*(?:watchdog|看门狗|超时)|再试|复杂度|时间一样",
    ),
    Sign(
        "symptom.after_a_while",
        "每?隔(?:"
        + _ZH_COUNT
        + ")"
        + _ZH_UNIT
        + "|每(?:"
        + _ZH_COUNT
        + ")?(?:小时|天|晚)|"
        + _ZH_COUNT
        + _ZH_UNIT
        + "[^，。]{0,4}(?:一|两|几)次"
        "|过夜|隔夜|(?:一|整)(?:晚|夜)|十来分钟|迟早",
        "每隔几小时就卡住一次；每天都会卡死",
        near=_TROUBLE,
        unless="没事|正常|没问题|重启|打印|日志切|不会|没有?卡",
    ),
    Sign(
        "symptom.under_load",
        r"\bhigh(?:ly)? concurren\w+|\bunder (?:heavy |high |sustained |real |full |production )?load\b|"
        r"\b(?:flood|burst|wave|storm|rush|spike)s? of (?:\w+ )?(?:requests|traffic|prompts|calls|queries|load)\b|"
        r"\boverload(?:ed|s)?\b|\bheavy (?:load|traffic)\b|\bput load on\b|\b(?:push|put|throw|send)(?:s|"
        r"ing)? (?:many|more|lots of|a lot of) (?:load|requests)\b|\bconcurrency (?:is |goes |gets |"
        r"was )?(?:high|up)\b|\b(?:soak|stress|load) test|\bunder concurrent\b|\bconcurrent decoding\b|"
        r"\b(?:\d{2,}|many|lots of) (?:parallel|concurrent) \w+|\b(?:at|during|in) (?:the )?(?:peak|rush|"
        r"busy) (?:traffic|hours?|load)\b|"
        r"\b(?:when|once|as) (?:the )?(?:traffic|load) (?:picks up|rises|grows|peaks|is high|increases|goes up)\b",
        "when concurrency is high; 20 parallel requests",
        unless=r"\blow\b|works under|fine under",
    ),
    Sign(
        "symptom.under_load",
        r"高并发|大并发|并发(?:一?高|一?大|一?上|一压)|\d{2,} ?路?并发|压测|满载|高负载|(?:流量|压力|"
        r"请求量?)(?:一?大|一?多|一?高|一?上来)|(?:流量|业务|请求)?高峰",
        "32 并发一压 D 节点就挂掉；服务满载时卡住；流量一大就死锁",
        unless="压测后|低并发|卡满载|[gn]pu ?满载|满载运行",
    ),
    Sign(
        "symptom.sampling_only",
        r"\bgreedy\b|\btemperature ?(?:=|of|is|to|at)? ?0(?:\.0+)?(?:[^.\d]|$)|贪心|贪婪",
        "换成 greedy 完全正常",
        near=(
            r"\bfine\b|\bok\b|\bworks?\b|\bcorrect\b|\bclean\b|\bno (?:problem|issue)|\bstable\b|正常|没问题|"
            "没有问题|没事|不会|不复现|稳定"
        ),
        unless=r"\balso\b|\bnot (?:fine|ok|stable)|n't",
        against=r"采样也(?:都|很|完全)?(?:正常|没问题|没事|稳定)|\bsampling (?:is|works)(?: also| too)? (?:fine|ok)\b|so is sampling|(?:\bnot|n't|\bnever) (?:fall|drop)",
    ),
    Sign(
        "symptom.sampling_only",
        r"\bonly (?:\w+ )?(?:with|when|under) (?:random )?(?:sampling|temperature)\b|只有?(?:开|用|在)?(?:随机采样|"
        "带?温度)",
        "only with random sampling",
    ),
    Sign(
        "symptom.acceptance_falls",
        r"\bacceptance(?: rate| length)?\b|\baccept (?:rate|length|len)\b|\baccept_len\b"
        r"|接[受收]率|接[受收]长度|采纳率",
        "接受率一路往下掉",
        near=(
            r"\bfalls?\b|\bfell\b|falling|\bdrops?\b|dropp|declin|collaps|decay|\bsink|go(?:es|ing) down|"
            "plummet|掉|跌|下降|降低|降到|下滑|变低|越来越低"
        ),
        against=r"(?:没有?|不会?|未)(?:再|见|有)?(?:明显)?(?:掉|跌|下降|降低|下滑)|(?:\bnot|n't|\bnever) (?:fall|drop|declin|sink)|as expected",
    ),
    Sign(
        "symptom.acceptance_falls",
        r"\baccept(?:ance|ed)?(?:[ _-](?:rate|lengths?|len))?\b|接[受收](?:率|长度)|采纳率",
        "acceptance went from 3.2 to 1.1; 接受长度从 3.2 变成 1.1",
        near=r"[\d.]+ ?%? ?(?:(?:down )?to|->|→|到|变成|变为|掉到|降到) ?[\d.]+",
        falls=True,
    ),
    Sign(
        "symptom.sigterm_ignored",
        r"\bsigterm\b",
        "SIGTERM 无法正常退出",
        near="ignor|no effect|not (?:exit|stop|die|respond|work)|n't|cannot|无法|不能|没反应|无效|不退出|杀不掉|不响应",
    ),
    Sign(
        "symptom.sigterm_ignored",
        r"\b(?:only|needs?|needed|have to|had to|must)(?: use| a| to| be| restarted with)* (?:kill -9|"
        r"sigkill)\b|只能 ?kill -9|杀不掉|"
        "kill 不掉",
        "only kill -9 helps",
    ),
    Sign(
        "symptom.long_prefill",
        r"\blong(?:er)?[- ](?:prompts?|prefills?|contexts?|inputs?|sequences?)\b|\blonger one\b|"
        r"\bchunked[- ]prefill\b|\bprompts? (?:is |are |gets? )?longer than\b|\b\d{2,4} ?k (?:tokens?|context|"
        r"prompt)\b|\bcontext limit\b",
        "once long prefills come in",
        unless=r"\bshort\b|--",
    ),
    Sign(
        "symptom.long_prefill",
        "长 ?(?:prompt|prefill|上下文|文本|输入|提示词|序列)|分块 ?prefill",
        "同一个长 prompt 连着请求两次",
    ),
    Sign(
        "symptom.sleep_wakeup",
        r"\bsleep/wake-?up\b|\b(?:wake|wakes|woke|waking|wak(?:e)?n)[- ]?up\b|\bafter (?:the )?sleep\b|"
        r"\bfrom sleep\b|\bwake_up\b|\b(?:release|resume)_memory_occupation\b|"
        r"\bengine sleep\b|\bsleep mode\b|\bweights? (?:update|sync|reload)\w*|\bupdat(?:e|es|"
        r"ing) (?:the )?weights\b|\bput(?:s|ting)? (?:[\w']+ ){0,4}to sleep\b|\b(?:goes|go|going|went|gone|sent|sends?) to sleep\b|"
        r"\bsleep\(|\bwake_?up\(|\bwhile (?:it (?:is|was) |the engine (?:is|was) )?(?:asleep|sleeping)\b|"
        r"唤醒|休眠|睡眠|权重(?:更新|同步)|更新权重",
        "after wake-up from sleep mode; put to sleep; calls sleep()",
        unless=r"\b(?:time|asyncio|os|thread|gevent|kernel)\.sleep\(|\bto sleep for \d",
    ),
    # what the ranks put into one collective
    Sign(
        "collective.sizes_differ",
        r"\b(?:unequal|different|uneven|differing|mismatch(?:ed|ing)?|inconsistent|non-?uniform) (?:\w+ )?(?:sizes?|shapes?|lengths?|numel\w*|"
        r"element counts?|number of elements)\b|"
        r"\b(?:sizes?|shapes?|lengths?|numel\w*|element counts?) (?:\w+ ){0,3}?(?:differs?|differing|(?:is|are|was|were) (?:unequal|different|"
        r"not equal|mismatched|not the same)|(?:does|do|did)(?: not|n't) match|mismatch(?:es|ed)?|disagrees?)\b|"
        r"(?:大小|尺寸|形状|长度|numel\w*|元素(?:个)?数)[^，。；]{0,10}(?:不一致|不同|不等|不相等|不匹配|对不上|不一样)",
        "all-gather with unequal sizes on the ranks; 各 rank 的 all-gather 大小不一致",
        near=r"\ball[-_ ]?(?:gather|reduce|to[-_ ]?all)|\bbroadcast|reduce[-_ ]?scatter|\bcollective|\bnumelin\b|集合通信|集合操作",
        unless=r"support|allow|handl|\bmodel\b|chunk|\bprompts?\b|sequence|支持|允许",
        against=r"(?:没有|并非|不存在)[^，。]{0,6}(?:不一致|不同)",
    ),
    # killed, not-a-number, no end
    Sign(
        "symptom.killed",
        r"\boom-?killed\b|\boom[- ]?killer\b|\bkilled by (?:the )?(?:linux |os |host )?(?:kernel|oom|system|signal 9|os\b|k8s|kubernetes|kubelet|docker)|"
        r"\b(?:was|were|is|are|got|gets?|being|been) (?:just |suddenly |silently |randomly )?(?:sig)?killed\b|"
        r"\bexit(?:s|ed)? ?(?:code|status|with)?(?: code| status)?(?: of| is)? ?[:=]? ?(?:137\b|-9\b)|\b(?:code|status) (?:137\b|-9\b)|\bsignal 9\b|\bsignal: killed\b|\bkilled process \d|"
        r"\b(?:kernel|oom[- ]killer|kubelet|docker|k8s|os) (?:\w+ )?(?:kills?|killed)\b",
        "the pod was OOM-killed; the worker exits with code 137; the process is killed by the kernel",
        unless=r"\bby (?:me|us|hand)\b|manually|\b(?:i|we) (?:have )?kill|watchdog|until|has to be|have to be|must be|needs to be",
    ),
    Sign(
        "symptom.killed",
        r"\bsigkill(?:ed)?\b",
        "a rank dies of SIGKILL",
        unless=r"\bonly\b|\bneed|\bha(?:ve|d|s) to\b|\brequired?\b|\bmust\b|\btakes?\b|\bhelps?\b|\buse|sigterm|\bafter (?:a |the )?\d",
    ),
    Sign(
        "symptom.killed",
        r"被 ?(?:系统|内核|操作系统|oom|linux|k8s|docker)?(?:直接|强制|强行)?(?:给)? ?(?:杀(?:掉|死|了)?|kill(?:ed)?)|退出码 ?(?:是|为|:)? ?(?:137|-9)|内存(?:不足|溢出)被杀|oom ?killer",
        "worker 被内核杀掉；退出码 137",
        unless="看门狗|watchdog|手动|手工|我们?(?:自己)?杀",
    ),
    Sign(
        "symptom.graph_capture",
        r"\b(?:cuda ?|acl ?|npu ?|hip ?|full |piecewise )*(?:graph|cudagraph|aclgraph)s? (?:is |are |being )*captur\w+|\bcaptur(?:e|es|ed|ing) (?:of )?(?:the |its |all |cuda |acl |npu |hip |full |piecewise |batch |decode )*(?:graph|cudagraph|aclgraph)s?\b|"
        r"\bcuda_?graph_?(?:capture|runner)\b|\bcapture_model\b|\bwhile (?:it is |the engine is )?capturing\b|\bcaptur(?:e|es|ing) (?:cuda|acl) ?graphs?\b|\bgraph-capture\b",
        "runs out of memory while capturing CUDA graphs; graph capture fails",
        near=(
            r"\bfail|\bcrash|\boom\b|out of (?:\w+ )?memory|\bhang|\bhung\b|\bstuck\b|\bdie[sd]?\b|\babort|error|\billegal|\bassert|\bstops?\b|\bfreez|\bsegfault|"
            r"\bkill|\bnever\b|\bexception|\bbreaks?\b|\bstalls?\b|\bblocks?\b|\bdeadlock|\btraceback|\braises?\b|\bthrows?\b|won't|cannot|can't|崩|挂|卡|报错|失败|爆"
        ),
        unless=r"[a-z]/[a-z0-9-]*graph-capture|\bafter (?:the )?(?:cuda |acl )?graph capture (?:is |was |has )?(?:done|complete|finish)|capture (?:is |was |has )?(?:done|finish|complete|succeed)|"
        r"\b(?:right|just|immediately|shortly|only|some time|long|\d+ \w+) after (?:\w+ ){0,5}?(?:captur|graph capture)",
    ),
    Sign(
        "symptom.graph_capture",
        r"(?:cuda ?|acl ?|npu ?)?(?:graph|图) ?(?:的)?(?:捕获|capture|录制)|(?:捕获|录制|抓取?) ?(?:cuda ?|acl ?|npu ?)?(?:graph|图)|capture 阶段",
        "捕获 CUDA graph 时报错；图捕获阶段显存不够",
        near="报|错|失败|崩|挂|卡|不够|不足|爆|溢出|oom|hang|退出|死|异常|停|起不来",
        unless=r"捕获(?:完成|结束|正常|成功)|capture (?:is |was |has )?(?:done|finish|complete|succeed)|after (?:the )?(?:\w+ )?graph capture",
    ),
    Sign(
        "symptom.nan",
        r"\bnans?\b",
        "the logits are NaN",
        unless=r"allow_nan|nan_to_num|isnan|enable-nan|nan[- ]detect|nan[- ]check|pip|np\.nan",
    ),
    Sign(
        "symptom.runs_to_limit",
        r"\b(?:goes|go|going|went|runs?|ran|running|generat(?:es|e|ed|ing)|keeps? \w+|continues?|continuing|continued|rambl\w+|repeats?|produces?|outputs?|emits?) (?:\w+ ){0,4}?"
        r"(?:until|till|up to|all the way to|to) (?:it (?:hits|reaches) )?(?:the |its |their |reaching )?(?:max\w*|token limit|length limit|limit\b|output limit|context (?:limit|length|window)|generation limit)",
        "it goes on generating until max_tokens; answers run to the token limit",
        unless="memory|concurrency|batch|throughput|rate limit|model[_ -]len|requests? limit|set|raise",
    ),
    Sign(
        "symptom.runs_to_limit",
        r"\bnever (?:stops?|ends?|finish(?:es)?) (?:generating|talking|the answer|answering|outputting|writing)|\b(?:endless(?:ly)?|infinite(?:ly)?|never-?ending|non-?stop|unending|unbounded)"
        r" (?:\w+ )?(?:output|generation|repetition|repeat\w*|text|tokens?|answers?|responses?|blanks?|whitespaces?|newlines?|spaces|generat\w+|stream)\b|"
        r"\b(?:answers?|responses?|outputs?|generations?|completions?) (?:that )?(?:never|do not|does not|don't|doesn't|did not|didn't) (?:ever )?(?:stop|ends?|terminate)s?\b|"
        r"\b(?:does|do|did)(?:n't| not) (?:ever )?stop generating|\b(?:never|not|without|no) (?:emit(?:s|ted|ting)?|produc(?:es|ed|ing)?|generat(?:es|ed|ing)?)? ?(?:an? |any |the )?(?:eos|stop|end-of-\w+)(?: token)?\b|"
        r"\b(?:all|every|until|till) (?:of )?(?:the |its )?max_(?:new_|completion_)?tokens\b|\b(?:only|nothing but|just|endless|thousands of|padded with) (?:trailing |blank |thousands of )*(?:blanks?|whitespaces?|newlines?|spaces)\b",
        "answers never stop; endless whitespace until max_tokens",
        unless=r"stop (?:word|string|sequence)s? (?:are|is) (?:set|configured)|memory",
    ),
    Sign(
        "symptom.runs_to_limit",
        r"\bfinish_reason\W{0,5}(?:is |was )?\W{0,2}length\b",
        "finish_reason length on every answer",
        near=r"\bevery\b|\ball\b|\balways\b|\bnever\b|\bblank|whitespace|endless|\binstead of stop\b|都|每|全",
    ),
    Sign(
        "symptom.runs_to_limit",
        r"停不下来|(?:一直|不停|不断|持续|无限)(?:地|的)?(?:输出|生成|重复|吐|说)[^，。]{0,12}(?:到|至)?[^，。]{0,6}(?:max|上限|长度|截断|限制)|(?:直到|直至|到|达到|跑满|打满) ?(?:最大|长度上限|token ?上限|max_?(?:new_)?tokens|输出上限|上限才)|"
        r"无限(?:循环)?(?:输出|生成|重复)|(?:不停|没完没了)(?:地)?(?:输出|生成|重复)|(?:输出|生成|回答)(?:都|就|一直|根本)*(?:不会?|没法|无法|没有)(?:自己|正常)?(?:停止|结束|终止|停下)|不会停止生成|不吐 ?eos|没有 ?eos|(?:全是|一堆|大量)(?:空格|换行|空白)",
        "回答一直输出到最大长度；停不下来；无限重复",
        unless="并发|显存|内存",
    ),
    Sign(
        "symptom.client_aborts",
        r"\b(?:clients?|users?|callers?|browsers?|consumers?|benchmark|gateway|proxy|router|curl|upstream)\b[^,;]{0,30}\b(?:cancel\w*|abort\w*|disconnect\w*|hang(?:s|ing)? up|hung up|go(?:es)? away|close[sd]? (?:the )?(?:connection|socket|stream)s?|drop(?:s|ped)? (?:the )?(?:connection|request|stream)s?)|"
        r"\bclient (?:disconnect\w*|cancel\w*|abort\w*)|\b(?:cancel|abort)(?:s|led|ling|ed|ing|lation|ation)?(?: of)? (?:the |some |many |a |an |in-?flight |running |streaming |its |their |one |few |long |half |most |of )*(?:requests?|streams?|generations?|connections?)\b|"
        r"\b(?:requests?|streams?|connections?) (?:\w+ )?(?:are|is|were|was|gets?|got|being|been) (?:often |sometimes |frequently )?(?:cancel\w*|disconnected|dropped by)\b|\babort_requests?\b|\bdisconnect(?:s|ed|ing)? (?:early|mid\w*|before|while|during)|\b(?:cancel|disconnect)(?:lation|ation|ion)?s\b|\brequest (?:cancel\w+|abortion)\b",
        "clients cancel long requests; the user disconnects while streaming; aborting requests triggers it",
        unless=r"\b(?:server|engine|scheduler) (?:itself )?(?:aborts?|cancels?|drops?|disconnects?|closes?)|\bby the (?:server|engine|scheduler)|watchdog|waiting timeout|running timeout|\bnccl\b|heartbeat",
    ),
    Sign(
        "symptom.client_aborts",
        r"(?:客户端|用户|调用方|前端|网关|上游)[^，。；]{0,10}(?:取消|断开|断连|掉线|中断|中止|关闭连接|abort)|(?:取消|中止|中断|终止|abort|断开)(?:了|掉)?(?:部分|一些|大量|几个|多个|正在[^，。]{0,6}|流式)?(?:的)? ?(?:请求|连接|流)|请求(?:被)?(?:用户|客户端)?(?:取消|断开)|频繁(?:取消|断连|abort)",
        "客户端断开之后；取消请求",
        unless="看门狗|心跳",
    ),
    Sign(
        "symptom.repeated_prompts",
        r"\b(?:same|identical|repeat(?:ed|ing)|duplicate[ds]?|similar) (?:long |short |system |user |exact )*(?:prompts?|quer(?:y|ies)|prefix(?:es)?|inputs?|questions?|contexts?|conversations?)\b|"
        r"\b(?:same|identical|repeated) (?:long |exact )?requests?\b|\b(?:second|2nd|third|later) (?:time the same|identical|request with the same|copy of)|\bmulti-?turn\b|\b(?:second|third|2nd|3rd|later|follow-?up|subsequent|next) turns?\b|"
        r"\b(?:prefix|radix|kv|cached?)[- ](?:cache[- ])?hits?\b|\bcache[- ]hits?\b|\b(?:hit|hits|hitting|match(?:es|ed|ing)?) (?:in )?(?:the )?(?:prefix|radix|cached?)\b|\bcached (?:prompts?|prefix(?:es)?|tokens?|blocks?|conversations?)\b|"
        r"\b(?:prompt|request|question) (?:\w+ )?(?:again|twice|a second time|two times)\b|\b(?:send|sent|sending|ask|asked|asking) (?:it|that|the same) (?:again|twice|a second time)\b|\b(?:shared?|common) (?:system )?(?:prefix(?:es)?|prompts?)\b",
        "the same prompt again; from the second turn on; prefix cache hits; a shared system prompt",
        unless=r"hit rate:? 0|no longer the same|same prompts? (?:at temperature|with|on) (?:another|eager|hf|transformers)|restart|tried|deploy|start",
    ),
    Sign(
        "symptom.repeated_prompts",
        r"多轮|(?:同一个?|同样的?|相同的?|一样的)(?:的)? ?(?:长|短|系统)? ?(?:prompt|请求|提示词|问题|输入|前缀|上下文)|重复(?:的|发送?|提交|提问|请求|跑|问)? ?(?:同一)?(?:个)?(?:请求|prompt|提示词|问题|输入)|第(?:二|三|2|3) ?轮|"
        r"(?:第二|第 ?2) ?(?:次|遍)(?:请求|输出|对话|提问|发|问|同样|相同|跑)?|命中(?:了)? ?(?:前缀|缓存|prefix|cache|radix)|(?:前缀|缓存|prefix|cache|radix) ?(?:缓存|cache)? ?命中|(?:公共|共享|相同)(?:的)?前缀",
        "同一个 prompt 连着请求两次；多轮对话；命中前缀缓存之后",
        unless="重启|部署|启动",
    ),
)
