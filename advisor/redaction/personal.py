"""A text -> what in it tells of people and machines: hosts, addresses, mail, users of paths, prompts and completions.

Each is found by where it stands, as engines, kernels and manifests write it:

    gpu-07:2211:2290 [0] NCCL INFO …     MASTER_ADDR=gpu-07     http://gpu-07:8000/v1     ssh alice@gpu-07
    ip=10.0.4.17, [2001:db8::7]:29500    52:54:00:12:34:56      ops@acme.example          /home/alice/models
    Received request cmpl-1: prompt: '…'    obj=GenerateReqInput(text='…'    {"messages": [{"content": "…"}]}

**Source:** vllm/entrypoints/logger.py (0.11), sglang/srt/utils/request_logger.py (0.5), lmdeploy/logger.py (0.10).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

from advisor.patterns import PatternSet, compile_pattern
from advisor.redaction.names import matchable
from advisor.redaction.public import SUFFIXES, USERS, is_domain, is_file, is_public, is_role

Kind = Literal["host", "address", "mac", "mail", "user", "phone", "prompt"]


LONGEST = 253
"""Characters that the name of a host may have."""


class Mark(NamedTuple):
    """Something private: where it stands, and what it is."""

    start: int
    end: int
    kind: Kind
    name: str


_HOST = r"([A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?)"
_KEYS = (
    r"(?:master|head|node|peer|server|remote|local|proxy|kv|prefill|decode|bootstrap|coordinator|metadata|controller|leader|rdzv"
    r"|dist|nccl|dist[_-]init|nccl[_-]init|data[_-]parallel|head[_-]node|etcd|redis|mooncake|store|router|worker|service|advertise"
    r"|k8s[_-]node|my[_-]node|side[_-]channel|smtp|db|mongo|kafka|registry|gateway|api|target|source|src|dst|from|to)"
)
_HOST_KEYS = (
    rf"(?:{_KEYS}[_-])*(?:address(?:es)?|addr|host(?:s|[_-]?name|[_-]?ip)?|node(?:[_-]?name|[_-]?id|list)?|endpoints?|nodename"
    r"|server[_-]?name)"
)
_HOSTS = tuple(  # each with the host as its only group
    one.replace("HOST", _HOST)
    for one in (
        r"\b[a-z][a-z0-9+.-]{1,20}://(?:[^\s/@\"']*@)?HOST:[0-9]{2,5}\b",
        r":[0-9]{2,5},(?:[a-z]+://)?HOST:[0-9]{2,5}\b",  # the second of several, and every other by `_LISTED`
        r"(?i)\b(?:https?|tcp|grpcs?|wss?|redis|rediss|amqps?|mongodb|mysql|postgres(?:ql)?|etcd|nats|kafka|zmq|ucx|ftp|ldaps?|smtp"
        r"|imap|nfs|hdfs|ssh|http\+unix|git|rsync|mooncake)(?:\+\w+)?://(?:[^\s/@\"']*@)?HOST",
        rf"(?i)(?:^|[^\w])(?:\w+[_-])?{_HOST_KEYS}\\?[\"']?\]?(?:\s*=\s*|\s*:\s+|\":|':|', b?| is )\\?[\"']?(?:tcp://)?HOST",
        rf"(?i)(?:^|\s)--?{_HOST_KEYS}[ \t]+[\"']?(?:tcp://)?HOST",
        r"(?:^|\n|[\s(|])HOST:[0-9]+:[0-9]+ (?:\[[0-9]+\] )?(?:[\w./]+:[0-9]+ )?NCCL",
        r"(?m)^(?:<[0-9]+>)?[A-Z][a-z]{2} +[0-9]+ [0-9:]{8} HOST [\w./()-]+(?:\[[0-9]+\])?:",
        r"(?m)^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9:]+)? HOST [\w./()-]+(?:\[[0-9]+\])?:",
        r"(?:^|[\s\[(])[a-z_][a-z0-9_-]*@HOST(?::[^\s$#]*| [^\s$#\]]+\])?[$#](?:\s|$)",
        r"(?m)^\(?[\w.-]*\)? ?\[?[a-z_][a-z0-9_.-]*@HOST[: ][^\n]{0,80}?[$#] ",
        r"\b(?:ssh|scp|rsync|sftp|mosh|ping|telnet|nc|ssh-copy-id) (?:-[A-Za-z46]+ (?:[^\s@-][^\s@]* )??)*?"
        r"(?:[\w.-]+@)HOST",
        r"\b(?:ssh|ping|telnet|mosh) (?:-[A-Za-z46]+ )*HOST(?:\s|$|[\"';])",
        r"\[HOST\]:[0-9]{2,5}\b",
        r"(?m)^HOST +slots=[0-9]",
        r"(?i)\b(?:node|host|hostname|machine) [\"']?([a-z][a-z0-9]*(?:-[a-z0-9]+)*-[0-9]+[a-z0-9.-]*)",
        r"(?m)^(?:uname[^\n]*: )?Linux HOST [0-9]+\.[0-9]+",
        r"\b(?:10|192|172)(?:\.[0-9]{1,3}){3} +([a-z][\w.-]*-[\w.-]+) +<none>",
        r"\bNode: +HOST/",
        r"(?i)\b(?:connect to|resolve) (?:host |hostname )[\"']?HOST",
        r"(?i)\bname resolution: [\"']?HOST",
        r"(?i)\bpermanently added [\"']?HOST",
        r"(?i)\b(?:psql|pg_dump|mysql|mysqldump|mariadb|redis-cli|clickhouse-client|mongosh?)\b[^\n|;]*?"
        r" (?:-h|--host)[ =]?HOST",
        r"(?i)--(?:tool|proxy|etcd|metadata|kv|rpc|registry)[_-](?:server|address|endpoint)s?[ =][\"']?HOST:[0-9]{2,5}",
        r"\bserver HOST:[0-9]{2,5}\b",  # nginx, HAProxy
        r"(?i)\baddress(?:es)? of \(HOST, [0-9]+\)",  # c10d
        r"(?i)\b(?:connect(?:ed|ing)? to|HTTP connection \([0-9]+\):|DNS resolution failed for|failed to resolve)"
        r" ['\"]?HOST"
        r"(?::[0-9]{2,5}| port [0-9]|'|\"| \([0-9a-f.:]+\))",
        r"(?i)\bname or service not known: '?HOST|\blookup HOST on |\bping: HOST: "
        r"|\bcould not resolve host(?: ?name)?:? '?HOST",
        r"(?m)(?:^|[\s>])"  # UCX, Open MPI
        r"\[([A-Za-z][A-Za-z0-9]*(?:[a-z]-[A-Za-z0-9.-]*[0-9]|[a-z][0-9]+)):[0-9]{3,}(?::[0-9]+)?\]",
        r"\bwith PID [0-9]+ on node HOST|\bPid +[0-9]+ on +HOST +device",
        r"\bsrun: error: HOST:|\*\*\* (?:STEP|JOB) [0-9.]+ ON HOST |\bNode failure on HOST|\bNodes HOST are ",
        r"\b(?:BatchHost|NodeAddr|NodeHostName|AllocNode(?::Sid)?)=HOST",
        r"(?m)^HOST +(?:Not)?Ready[\w,]* +\S+ +[0-9]+[dhms]",  # kubectl get nodes
        r"\bSuccessfully assigned \S+ to HOST|\bkubelet, HOST"
        r"|<none> +([a-z][\w.-]*-[\w.-]*[0-9][\w.-]*) +<none>",
        r"\b[A-Z][A-Z_]*(?:MASTER|SERVER|HEAD_IP|COMM_ID|BROKER|CONTROLLER)=HOST:[0-9]{2,5}",
        r"(?i)\bcontroller_url[\"']?[:=] ?[\"']?HOST:[0-9]{2,5}",
        r"\b[A-Za-z]*(?:Hostname|HostName)[\"']?: ?[\"']?HOST",  # Ray
        r"\b(?:instance=|targets: ?\[|targets\"?: ?\[ ?)[\"']HOST:[0-9]{2,5}",  # Prometheus
        r"\bcurl (?:-\w+ )*HOST:[0-9]{2,5}/|\bHost: HOST:[0-9]{2,5}",
        r"\bRunning on HOST (?:in|via) ",  # Jenkins, GitLab
        r"\bCOMPUTERNAME[\"']?[=:] ?[\"']?HOST",
        r"\bssh-[a-z0-9]+ AAAA[A-Za-z0-9+/=]+ [A-Za-z_][\w.-]*@HOST",
        r"\b[a-z_][a-z0-9_.-]*@HOST(?:: Permission denied|:[~/])",
        r"\bfor [a-z_][a-z0-9_.-]*@HOST\b",
        r"(?:主机名?|服务器|机器|节点|主机名称)(?:[ \t]*[:：=是为][ \t]*HOST"
        r"|[ \t]*([A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*[0-9]))",
        r"(?:^|[\s\"'=(,>])(?:\\\\HOST\\|\\\\\\\\HOST\\\\)[A-Za-z0-9_$]",  # \\server\share, as it is or escaped
        r"(?m)^[ \t]*- +[\"']?HOST:[0-9a-fA-F:]*[0-9.]{7,15}[\"']?[ \t\r]*$",  # compose's extra_hosts
        r"\b(ip-[0-9]{1,3}-[0-9]{1,3}-[0-9]{1,3}-[0-9]{1,3}(?:\.[A-Za-z0-9-]+)*)",
    )
)
_SEVERAL = (  # with several hosts as its only group
    r"(?i)\b(?:mpirun|mpiexec|horovodrun|deepspeed|pdsh|srun|clush)\b[^\n]*? "
    r"(?:-H|--hosts?|-host|-w|--nodelist|--?include) ?=?[\"']?([\w.,:\[\]-]+)",
    r"\b(?:SLURM_(?:JOB_|STEP_)?NODELIST|SLURM_NODE_ALIASES|PBS_NODES|LSB_HOSTS|HOSTS|NODES|NODE_LIST|HOSTLIST|NODE_IPS)"
    r"=[\"']?([\w.,:\[\]-]+)",
    r"(?m)^#SBATCH +(?:-w *|--(?:nodelist|exclude)[ =]|-x *)([\w.,\[\]-]+)",
    r"\bmongodb://(?:[^\s/@\"']*@)?([\w.,:-]+)",
    r"\b(?:ReqNodeList|ExcNodeList|NodeList)=([\w.,\[\]-]+)",
)
_DOMAIN = rf"\b([A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\.{SUFFIXES})\b"
_V4 = r"\b([0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3})\b"
_V6 = r"((?:::(?:[fF]{4}:(?:0:)?)?[0-9]{1,3}(?:\.[0-9]{1,3}){3})|[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7})"
_V4_AFTER = r"(?i)(?:addr|ip|node|host|worker|peer|server)[_:]+([0-9]{1,3}(?:\.[0-9]{1,3}){3})(?:[_:\s\"',.;)/]|$)"
_V6_AFTER = (  # after a name and a colon, as NCCL writes an interface's
    r"\b[A-Za-z][\w.-]*:([0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){2,7})(?:%\w+)?<[0-9]+>",
    r"(?i)\b(?:[sd]?gid|addr|ip6?|ipv6)[:=](?:%5B|\[)?"
    r"([0-9a-f]{1,4}(?::[0-9a-f]{0,4}){2,7})",
)
_MAC = r"\b((?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}|(?:[0-9a-fA-F]{2}-){5}[0-9a-fA-F]{2})\b"
_MAIL = r"([A-Za-z0-9][\w.+%-]*@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9-]*[A-Za-z][A-Za-z0-9-]*)+)"
_PHONE = (
    r"(\+[0-9]{1,3}[ -]?(?:\([0-9]{2,4}\)[ -]?)?[0-9]{2,4}(?:[ -]?[0-9]{3,4}){2})\b",
    r"(?i)(?:\b(?:phone|tel|mobile|cell|call(?: me)?|whatsapp)\b|手机号?码?|电话|联系方式|微信号?)"
    r"(?:[ \t]*(?:[:：=是为]|number|no\.?|at|on))*"
    r"[ \t]*(1[3-9][0-9]-?[0-9]{4}-?[0-9]{4})\b",
)
_USERS = (
    r"/(?:home[0-9]?|Users)/(?:(?:ldap|users|students|staff|local)/)?([A-Za-z0-9_][\w.@-]*)",
    r"(?m)(?:^|[\s\"'=(])(?:/(?:nfs|scratch|data|work|project))?/(?:users|u)/([A-Za-z0-9_][\w.@-]*)",
    r"/torchinductor_([A-Za-z_][\w.-]*?)(?:/|\s|[\"')]|$)",
    r"(?i)\bfor user [\"']([A-Za-z_][\w.-]*)[\"']|\buser \"([A-Za-z_][\w.-]*)\" cannot"
    r"|\blogged in as: ([A-Za-z_][\w.-]*)",
    r"\bUserId=([A-Za-z_][\w.-]*)\([0-9]+\)|\bsudo -u ([A-Za-z_][\w.-]*)",
    r"(?i)\b[A-Z]:(?:\\+|/)Users(?:\\+|/)([A-Za-z0-9_][\w.@-]*)",
    r"\b(?:USER|LOGNAME|USERNAME|SUDO_USER|SLURM_JOB_USER|KUBE_USER|JUPYTERHUB_USER|NB_USER|ansible_user)"
    r"[\"']?(?:=|: ?)[\"']?([A-Za-z_][\w.@-]*)",
    r"\b[ug]id=[0-9]+\(([A-Za-z_][\w.@-]*)\)",
    r"(?m)(?:^|[\s\[(])([a-z_][a-z0-9_.-]*)@[A-Za-z0-9][\w.-]*(?:[: ][^\n]{0,80}?)?[$#](?:\s|$)",
    r"\b(?:ssh|scp|rsync|sftp) (?:[^\n]*? )?([a-z_][\w.-]*)@[A-Za-z0-9]",
    r"(?:^|[\s\"'=:])~([a-z_][\w.-]*)/",
    r"://([A-Za-z_][\w.-]*):[^\s/@]+@",
    r"\b(?:curl|etcdctl)\b[^\n|;]*? (?:-u|--user|-x|--proxy|--proxy-user)[ =]*[\"']?([A-Za-z_][\w.-]*):",
    r"\bpsql\b[^\n|;]*? -U[ =]?([A-Za-z_][\w.-]*)",
    r"(?i)(?:^|\s)/user:(?:[\w.-]+\\+)?([A-Za-z_][\w.-]*)",  # net use
    r"\bjdbc:oracle:\w+:([A-Za-z_][\w.-]*)/",
    r"(?i)\buser(?:[_-]?name)?\\?[\"']?(?: ?= ?|: ?)\\?[\"']?([A-Za-z_][\w.@-]*)(?:[^\w.@(=-]|$)",
    r"(?i)\blogin (?:with username )?([A-Za-z_][\w.@-]*) (?:and )?password\b",
    r"\b(?:publickey|password|keyboard-interactive\S*) for (?:invalid user )?([A-Za-z_][\w.-]*) from [0-9a-f]+[.:]",
    r"\bsession (?:opened|closed) for user ([A-Za-z_][\w.-]*)",
    r"\bsudo(?:\[[0-9]+\])?: +([A-Za-z_][\w.-]*) : ",
    r"(?m)(?:^|[^\w-])[dlbcps-][rwxsStT-]{9}[.+@]? +[0-9]+ ([A-Za-z_][\w.+-]*) +[A-Za-z_]",
    r"(?m)(?:^|[^\w-])[dlbcps-][rwxsStT-]{9}[.+@]? +[0-9]+ [\w.+-]+ +([A-Za-z_][\w.+-]*) +[0-9]",
    r"(?m)^([a-z_][\w.+-]*) +[0-9]+ +[0-9]+\.[0-9] +[0-9]+\.[0-9] ",  # ps aux
    r"\bssh-[a-z0-9]+ AAAA[A-Za-z0-9+/=]+ ([A-Za-z_][\w.-]*)@",
    r"(?:用户名?|账号|帐号|账户|登录名)(?:是|为)?[ \t]*[:：=]?[ \t]*([A-Za-z_][\w.@-]*)",
)
_QUOTED = r"('(?:[^'\\\n\x00]|\\.)*'?|\"(?:[^\"\\\n\x00]|\\.)*\"?)"
_IDS = r"([\[(][0-9,\s.…]*[\])]?)"
_KEYS_SAID = (
    r"[Pp]rompt|[Tt]ext|[Oo]utput|[Cc]ompletion|generated_text|input_text|full_text|delta|content|reasoning_content|reasoning"
    r"|arguments|current_text|previous_text|delta_text|model_output|origin_input_text|output_text|instructions"
)
_ESCAPED = r"(\\\"(?:[^\"\\\x00]|\\\\\\\"|\\[^\"\x00])*(?:\\\")?)"  # its quotes are \", those within are \\\"
_SAID = (  # what is asked and answered, where engines print it; the group is it with its quotes
    rf"\b(?:{_KEYS_SAID})\b(?::[ \t]+|=| = ){_QUOTED}",
    rf"\b(?:{_KEYS_SAID})\b(?::[ \t]+|=| = ){_ESCAPED}",
    r"<\|im_start\|>(?:user|assistant|system|tool)(?:\\n|\n)?([^<\x00]+)",
    r"<\|start_header_id\|>\w+<\|end_header_id\|>(?:\\n|\s)*([^<\x00]+)",
    r"<start_of_turn>(?:user|model)(?:\\n|\n)?([^<\x00]+)",
    r"<｜(?:User|Assistant)｜>([^<\x00]+)|\[INST\]([^\[\x00]+)\[/INST\]|\[/INST\]([^<\[\x00\n]+)",
    r"(?:用户输入|提示词|模型输出)[\"']?[:：] ?([^\n\x00]+)",
    rf"\binput_value={_QUOTED}",  # pydantic's errors
    r"\b[Pp]rompt: ([^\n\x00-\x7f][^\n\x00]*)",  # without quotes, where it is no English
    r"\bPrompt: ([A-Za-z][^\n\x00,]+)",
    rf"\b(?:prompts?|texts?|inputs?|questions?) ?= ?(\[\s*(?:{_QUOTED[1:-1]})[^\]\x00]*\]?)",
    rf"\.(?:generate|encode|embed|chat|score)\(\s*(\[\s*(?:{_QUOTED[1:-1]})[^\]\x00]*\]?)",
    r"\b(?:(?:(?:prompt|output|input|all|new)_)?token_ids?|(?:origin_)?input_ids|output_ids|prompt_ids)"
    r"[\"']?(?:: ?|=)(?:tensor\()?"
    rf"{_IDS}",
    r"\btext=(\[(?:'(?:[^'\\\n\x00]|\\.)*'|\"(?:[^\"\\\n\x00]|\\.)*\"|[, ])*\]?)",
)
_KEYED = (
    r"prompt|content|text|reasoning_content|reasoning|input|inputs|output|outputs|completion|generated_text|output_text|input_text"
    r"|arguments|query|question|answer|response|instructions?|system|system_prompt|prompt_text|user_input|document|documents|passage"
    r"|suffix|refusal|delta|user|raw_request_body|prompts|texts|text_1|text_2|text_input|text_output|user_prompt"
    r"|negative_prompt|transcript|transcription|response_text|thinking|Prompt|origin_input_text"
)
_JSON = (
    r"(?s)\"from\": ?\"(?:human|gpt|user|assistant|system)\", ?\"value\": ?(\"(?:[^\"\\\x00]|\\.)*\"?)",
    rf"(?s)[\"'](?:{_KEYED})[\"'] ?: ?(\"(?:[^\"\\\x00]|\\.)*\"?|'(?:[^'\\\n\x00]|\\.)*'?)",
    rf"\\+\"(?:{_KEYED})\\+\" ?: ?{_ESCAPED}",
    rf"\\+\"(?:{_KEYED})\\+\" ?: ?(\[ ?\\+\"[^\]\x00]*\]?)",
    rf"[\"'](?:{_KEYED})[\"'] ?: ?(\[\s*(?:\"(?:[^\"\\\x00]|\\.)*\"|'(?:[^'\\\x00]|\\.)*'|[,\s])+\]?)",
    r"(data:(?:image|audio|video)/[\w.+-]+;base64,[A-Za-z0-9+/=]{16,})",
)
_API_GROUP = re.compile(r"/v\d+(?:(?:alpha|beta)\d+)?\b")
_ALWAYS = re.compile(r"(?:prompt|content|text|completion|arguments)[\"'\\]+: ?\Z")
_GOES_ON = re.compile(r"\.\d|-py|-cp|[a-z]")
_VERSIONED = re.compile(  # a package, a word for a version, or an operator of one stands before
    r"(?i)(?:cu\d*|cudnn|nccl|rccl|hccl|dcgm|onednn|neuron\w*|[\w-]*-(?:rt|lib|runtime)|section|ofed_linux-\S*|ofed \S*"
    r"|cann|curand|cublas\w*|cufft|cusolver|cusparse\w*|cuda\w*|npp|nvjpeg|lib[a-z]\w*|nv\w+"
    r"|version\w*|ver|versions|release\w*|driver\w*|firmware|toolkit|kit|bios|rocm|hip|torch\w*|vllm|sglang|lmdeploy|xllm|[a-z]+-cu\d\d"
    r"|[\w-]+-cu1\d|\bv|==|>=|<=|~=|!=|wheel|package|ofed|mlnx\w*|ucx|gdrcopy|efa|nvshmem|tensorrt|trt|kernel|glibc)"
    r"[\s|=:'\"(<>~@_,/-]*\Z"
)
_PRIVATE = re.compile(r"192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.")
_TEN = re.compile(  # what has versions of four numbers that begin with 10: CUDA's libraries, and what is built for it
    r"(?i)(?:cu(?:\d+|da\w*|dnn|rand|blas\w*|fft|solver|sparse\w*)|npp|nvjpeg|nv\w+|lib[a-z]\w*|[\w-]+-cu\d+|toolkit|version\w*"
    r"|\bv|==|>=|<=|~=|!=|wheel|package|tensorrt|trt|(?:bump|update|install)\w*(?: \w+)?|to|than|from|until|since)"
    r"[\s|=:'\"(<>~@_,/-]*\Z"
)
_FROM_TO = re.compile(r"(?i)\b(?:to|than|from|until|since)[\s'\"(]*\Z")
_OF_VERSIONS = re.compile(
    r"(?i)\b(?:version|upgrad|downgrad|updat|instal|bump|newer|older|nccl|torch|driver|wheel|\w+==)"
)
"""What such a word speaks of a version after: alone it may as well lead to an address."""


_ALL = (*_HOSTS, *_SEVERAL, _DOMAIN, _V4, _V4_AFTER, _V6, *_V6_AFTER, _MAC, _MAIL, *_PHONE, *_USERS, *_SAID, *_JSON)


@cache
def _at_once() -> PatternSet:
    """All of them, to be looked for in one pass: most texts show few."""
    return PatternSet(_ALL)


class _Text(str):
    """A text that knows which of the patterns it shows."""

    shows: frozenset[str]


def _looked_at(text: str) -> _Text:
    known = _Text(text)
    known.shows = frozenset(_ALL[number] for number in _at_once().found(text))
    return known


def _found(patterns: tuple[str, ...], text: _Text) -> Iterator[tuple[int, int, str]]:
    """The group of each match of each pattern that the text shows."""
    for one in patterns:
        for found in compile_pattern(one).finditer(text) if one in text.shows else ():
            for number, group in enumerate(found.groups(), 1):
                if group:
                    yield found.start(number), found.end(number), group


def marks(text: str) -> list[Mark]:
    """Everything private in the text, in its order; what lies within something else is left to that."""
    seen = _looked_at(matchable(text))
    found = sorted(
        [*_prompts(seen), *_mails(seen), *_addresses(seen), *_hosts(seen), *_users(seen), *_phones(seen)], key=_order
    )
    kept: list[Mark] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _order(one: Mark) -> tuple[int, int]:
    return one.start, -one.end


def _prompts(text: _Text) -> Iterator[Mark]:
    for patterns in (_SAID, _JSON):
        for start, end, said in _found(patterns, text):
            inner = said.strip("\\\"'[]… ")
            if not inner or len(set(inner.replace(" ", ""))) < 3 or inner.startswith("redacted"):
                continue  # nothing, or one character over and over: a failure's sign, and nobody's words
            key = text[max(0, start - 24) : start]
            sure = (patterns is _SAID and not key.endswith("text: ")) or bool(_ALWAYS.search(key))
            sure = sure or said.startswith("data:")
            if sure or " " in inner or not inner.isascii() or (patterns is _JSON and len(inner) > 40):
                yield Mark(start, end, "prompt", said)


def _mails(text: _Text) -> Iterator[Mark]:
    if "@" in text:
        for start, end, name in _found((_MAIL,), text):
            host = name.partition("@")[2]
            if len(name) > LONGEST:
                continue
            if (
                not is_public(host)
                and not is_file(host)
                and is_domain(host)
                and text[max(0, start - 3) : start] != "://"
            ):
                yield Mark(start, end, "mail", name.lower())


def _addresses(text: _Text) -> Iterator[Mark]:
    for start, end, name in _found((_V4,), text):
        if _is_v4(name) and not _is_version(text, start, end):
            yield Mark(start, end, "address", name)
    for start, end, name in _found((_V4_AFTER,), text):
        if _is_v4(name):
            yield Mark(start, end, "address", name)
    if ":" not in text and "-" not in text:
        return
    for start, end, name in _found(_V6_AFTER, text):
        if _is_v6(name):
            yield Mark(start, end, "address", name.lower())
    for start, end, name in _found((_MAC,), text):
        if (
            text[start - 1 : start] not in (":", "-")
            and text[end : end + 1] not in (":", "-")
            and len(set(name.lower())) > 2
        ):
            yield Mark(start, end, "mac", name.lower().replace("-", ":"))
    for start, end, name in _found((_V6,), text):
        if text[end : end + 1].isdigit() and name[-4:].isdigit():  # a port behind it, as uvicorn writes clients
            name = name.rpartition(":")[0]
            end = start + len(name)
        after = text[end : end + 1]
        if after == ":" and "::" in name and text[end + 1 : end + 2].isdigit():
            after = ""
        around = text[start - 1 : start] + after
        if not any(one.isalnum() or one in ":_" for one in around) and _is_v6(name):
            yield Mark(start, end, "address", name.lower())


def _phones(text: _Text) -> Iterator[Mark]:
    for start, end, name in _found(_PHONE, text):
        yield Mark(start, end, "phone", re.sub(r"[^0-9]", "", name))


def _is_v4(name: str) -> bool:
    parts = name.split(".")
    if any((len(one) > 1 and one[0] == "0") or int(one) > 255 for one in parts):
        return False
    return int(parts[0]) not in (0, 127, 255) and int(parts[0]) < 224


def _is_version(text: str, start: int, end: int) -> bool:
    """Whether four numbers are a version: a library's, as `nvidia-curand-cu12 10.3.9.90`."""
    if text[start - 1 : start] in (".", "_", "+") or text[end : end + 1] in ("+", "_") or _GOES_ON.match(text, end):
        return True
    before = text[max(text.rfind("\n", 0, start) + 1, start - 60) : start]
    if _PRIVATE.match(text, start) or (text.startswith("10.", start) and not _TEN.search(before)):
        return False
    if _FROM_TO.search(before) and _OF_VERSIONS.search(before):
        return not _told_address(before)
    return bool(_VERSIONED.search(before)) and not _told_address(before)


def _told_address(before: str) -> bool:
    """Whether what stands before a number says that it is an address, whatever word it ends with."""
    return bool(
        re.search(r"(?i)(?:ip|addr\w*|host\w*|://|from|to|peer|connect\w*|remote|@)[\s=:'\"\[(<]*\Z", before)
    ) and not re.search(r"(?i)(?:version|upgrad|downgrad|updat|bump|instal|\d)[\s\w.]*\Z", before)


def _is_v6(name: str) -> bool:
    if "." in name:  # an IPv4 address as IPv6 writes it
        return _is_v4(name.rpartition(":")[2])
    groups = name.split(":")
    if "::" not in name:
        return len(groups) == 8 and all(groups)
    if name.count("::") > 1 or len(name) < 5 or not re.search(r"\d", name):
        return False
    full = [one for one in groups if one]
    return len(full) >= 2 and len(groups) <= 8 and name.lower() not in ("fe80::", "ff02::1")


def _hosts(text: _Text) -> Iterator[Mark]:
    for start, end, name in _found(_HOSTS, text):
        if _is_host(name) and not (name.istitle() and name.isalpha()):  # a word of prose
            yield Mark(start, end, "host", name)
    for start, _, names in _found(_SEVERAL, text):
        for one in re.finditer(r"[A-Za-z][\w.-]*(?:\[[\d,-]+\])?", names):
            if "[" in one[0] or _is_host(one[0]):
                yield Mark(start + one.start(), start + one.end(), "host", one[0])
    for start, end, name in _found((_DOMAIN,), text):
        if len(name) > LONGEST:
            continue
        is_url = text[max(0, start - 3) : start] == "://"
        if not is_url and _API_GROUP.match(text, end):
            continue
        if _is_own_domain(name, text[start - 1 : start], text[end : end + 1], is_url):
            yield Mark(start, end, "host", name)


def _is_host(name: str) -> bool:
    if (
        not 2 <= len(name) <= LONGEST
        or name.replace(".", "").replace("-", "").isdigit()
        or re.fullmatch(
            r"[\d.]+|(?:[0-9a-f]{12}|[0-9a-f]{40})|[A-Z]+(?:_[A-Z]+)+", name
        )  # an id, a commit, a place to fill
    ):
        return False
    return not (is_public(name) or is_role(name) or is_file(name) or name.startswith("[redacted"))


def _is_own_domain(name: str, before: str, after: str, is_url: bool) -> bool:
    """Whether dotted words are somebody's host: by their ending, and not an attribute, a label's prefix or a file."""
    if (before in ("/", "@", ".", "_", "$", "-", "\\") and not is_url) or after in ("_", "(", "\\") or is_public(name):
        return False
    labels = name.split(".")
    numbered = any(re.search(r"[a-z]-?\d|-", one) for one in labels[:-1])
    if is_domain(name, certain=True):
        return after != "/" or is_url or numbered or len(labels) > 2
    return is_domain(name) and (is_url or (numbered and len(labels) > 2))


def _users(text: _Text) -> Iterator[Mark]:
    for start, _, name in _found(_USERS, text):
        plain = name.rstrip(".-")
        if 0 < len(plain) < 65 and plain.lower() not in USERS and not is_role(plain) and not plain.isdigit():
            yield Mark(start, start + len(plain), "user", plain)


def everywhere(one: Mark) -> bool:
    """Whether a host's name is so much its own that it is hidden wherever it stands, and not only where it was told."""
    bare = one.name.partition(".")[0]
    return (
        one.kind == "host"
        and len(bare) > 3
        and bool(re.search(r"\d|-", bare))
        and not is_role(bare)
        and "[" not in bare
    )
