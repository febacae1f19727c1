"""Secrets in a text, found by their shape, by the name they are given to, or by where they stand.

    hf_AbCd…                                  a shape that its issuer chose
    --api-key x, "password": "y", HF_TOKEN=z  a name that says it
    https://user:x@host, sshpass -p x         a place that says it
    kind: Secret, data: {any: base64}         a document that says it
    -----BEGIN RSA PRIVATE KEY-----           a block, over several lines

All patterns are of the linear-time engine, for the texts are strangers'. Lines stay as many as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from advisor.patterns import Match, Pattern, PatternSet, compile_pattern
from advisor.redaction.issuers import ISSUERS
from advisor.redaction.names import GONE, matchable, may_hold_secrets, says_secret
from advisor.redaction.said import NAME, is_mixed, is_value, told

Span = tuple[int, int]

# Each with the part to hide as its only group. Prefixes are their issuers' own.
_SHAPES = (
    r"\b((?:hf|api_org)_[A-Za-z0-9]{16,})",  # Hugging Face
    r"\b(sk-[A-Za-z0-9_-]{16,})",  # OpenAI, Anthropic (sk-ant-), DeepSeek, OpenRouter
    r"\b((?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{20,})",
    r"\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,})\b",  # AWS key ids
    r"\b(LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{28,})\b",  # Alibaba Cloud, Tencent Cloud
    r"\b(AKLT[A-Za-z0-9_-]{16,}|bce-v3/ALTAK-[\w/-]{16,}|jina_\w{16,}|tskey-[\w-]{16,}|ATATT[\w=-]{16,})",
    r"\b(xox[abeprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,})",  # Slack
    r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/_-]{16,})",
    r"(?i)/(?:hook|webhooks?|incomingwebhook)/([A-Za-z0-9@/_-]{16,})",  # Feishu, Discord, Teams
    r"\b(SCT[0-9]{3,}T[A-Za-z0-9]{10,})",  # ServerChan
    r"\b(AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{16,}|GOCSPX-[A-Za-z0-9_-]{16,})",  # Google
    r"([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})",  # an Entra application's secret
    r"\b(eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]{5,})?)",  # JSON web tokens
    r"\b((?:r8_|fw_)[A-Za-z0-9]{20,})",  # Replicate, Fireworks
    r"\b(ms-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})",  # ModelScope
    r"\b(pypi-AgE[A-Za-z0-9_-]{16,}|dapi[0-9a-f]{32})",
    r"\b((?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|AGE-SECRET-KEY-1[A-Z0-9]{20,})",
    r"\b([0-9]{8,10}:AA[A-Za-z0-9_-]{32,})",  # Telegram
    r"(?i)\b(?:bearer|basic)[ :]+([A-Za-z0-9._~+/=-]{8,})",
    r"(?i)\b(?:proxy-)?authorization[\"']?\s*[:=]\s*[\"']?(?:[a-z]+ )?([^\s\"',;\[]{6,})",
    r"(?i)\b(?:x-[\w-]*(?:key|token|secret|password)|api-key|private-token|job-token|ocp-apim-subscription-key)[\"']?"
    r"(?:: *|: *\[b?[\"']|, *b?[\"'])[\"']?"
    r"([^\s\"',;\[]{6,})",
    r"(?i)\b(?:set-)?cookie(?:: *|[\"'][,:] *b?[\"'])([^\n\"']{6,})",
    r"://[^\s/:@\"'<>$]*:([^\s/@\"'<>$][^\s/@]*(?:@[^\s/@?#&,]+)*)@",  # user:password in a URL, with an @ in it too
    r"://[^\s/:@\"'<>$]+:([^\s/@\"'<>${]*[^\s/@\"'<>${0-9][^\s/@\"'<>${]*/[^\s@\"'<>${]*)@",  # with a slash
    r"://([A-Za-z0-9_.~-]{20,})@",  # a token in a URL
    r"(?i)[?&;](?:access_token|api[_-]?key|key|secret|ticket|passwd|pwd|q-ak|(?:[a-z]+-)*(?:token|signature|credential|password)|(?:s[ve]_)?sig"
    r"|[a-z]*accesskeyid)=([^\s&\"'#;]{6,})",
    r"(?i)\b(?:AccountKey|SharedAccessKey|SharedAccessSignature|SharedSecret)=([^\s;\"']{6,})",
    r"(?i)\bIDENTIFIED BY '([^']+)'",
)
_COMMANDS = (  # each looked for by itself: what stands between its words may be a secret of another shape
    r"(?i)\bsshpass\s+(?:-\w\s+)*?-p\s*('[^'\n]*'|\"[^\"\n]*\"|\S+)",
    r"(?i)\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\n|;]*?\s-p('[^'\n]*'|\"[^\"\n]*\"|[^\s'\"]+)",
    r"(?i)\bredis-cli\b[^\n|;]*?[\s\"']-a[\s\"',]*('[^'\n]*'|\"[^\"\n]*\"|[^\s\"',\]]+)",
    r"(?i)\bcurl\b[^\n|;]*?\s(?:-u|--user|--proxy-user)[ =]*"
    r"(?:'[^:'\n]+:([^'\n]+)'|\"[^:\"\n]+:([^\"\n]+)\"|[^\s:'\"]+:([^\s'\"]+))",
    r"(?i)\bcurl\b[^\n|;]*?\s(?:-x|--proxy)[ =]*['\"]?[^\s/:@'\"]+:([^\s@/'\"]+)@",
    r"(?i)\betcdctl\b[^\n|;]*?\s--user[ =]*['\"]?[^\s:'\"]+:([^\s'\"]+)",
    r"(?i)\becho +(?:-n +)?('[^'\n]*'|\"[^\"\n]*\"|[^\s|]+) *\|[^\n|]*--password-stdin",
    r"\bmc (?:alias set|config host add) \S+ \S+ (\S+ \S+)",
    r"\bvault login (?:-\S+ )*([^\s-]\S+)",
    r"\bossutil(?:64)? config\b[^\n|;]*?\s-k ?(\S+)",
    r"\bjdbc:oracle:\w+:[^\s/@]+/([^\s@]+)@",
    r"\bauth=\(b?[\"'][^\"'\n]*[\"'], *b?[\"']([^\"'\n]+)[\"']",
    r"(?:密码|口令|密钥|令牌|密匙|秘钥)(?:是|为|[ \t]*[:：=]|[ \t])[ \t]*[\"'“「]?([!-~]{4,})",
    r"(?m)^Private-MAC: ([0-9a-f]{32,})",
    r"(?m)^Private-Lines: [0-9]+[ \t]*\r?\n((?:[A-Za-z0-9+/=]+\r?$\n?)+)",  # PuTTY
    r"(?i)\bnet use (?:\S+ )??\\\\+[^\s\\]+\\+\S+ (?:/\S+ )*('[^'\n]*'|\"[^\"\n]*\"|[^\s/*\"']\S*)",
    r"(?i)\b(?:docker|podman|nerdctl|helm registry|crane auth|oras|skopeo) login\b[^\n|;]*?\s-p[ =]*"
    r"('[^'\n]*'|\"[^\"\n]*\"|\S+)",
)
_BEGIN = r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
_PEM = rf"{_BEGIN}([^-]*)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)?"
_LAST = r"([A-Za-z0-9+/]{8,}={0,2})[ \t\r]*\n[^\n]{0,80}-----END [A-Z0-9 ]*PRIVATE KEY"
_LONGEST_KEY = 16_000  # characters, with what stands before each line
_RUN_AT_END = r"([A-Za-z0-9+/]{8,}={0,2})\s*$"
_CUT = (  # the start of a token, where the text was cut within it
    r"\b((?:hf_|sk-|gh[pousr]_|github_pat_|glpat-|AKIA|ASIA|xox[abeprs]-|AIza|eyJ|nvapi-)[A-Za-z0-9_.-]{3,})(?:…|\.\.\.)"
)
_LINE = r"(?m)^[ \t|>]*([A-Za-z0-9+/]{60,76}={0,2})[ \t\r]*$"  # of a key whose first line is not shown
_PADDED = r"(?m)^\s+[\w.-]+:\s+[\"']?([A-Za-z0-9+/]{6,}={1,2})[\"']?\s*$"  # of a Secret whose kind is not shown

_VALUE = r"((?:\bb)?\\*\"(?:[^\"\\\n]|\\.)*\\*\"?|(?:\bb)?\\*'(?:[^'\\\n]|\\.)*\\*'?|[^\s\"',;}{)\]]+)"
# The last two are of flags, in lists.
_JOINT = r"(\s*=\s*|\s*:\s*|\s*,\s*|[ \t]*[：为是][ \t]*|[ \t]+(?:is[ \t]+)?|[ \t\r]*\n[ \t]*- +)"
_ASSIGNED = rf"(?i)(\\*[\"']?)({NAME})\b\\*[\"']?\]?{_JOINT}{_VALUE}"
_BELOW = rf"(?i)(?:^|[\s\"'])(--?{NAME})[ \t]*\\?[ \t\r]*\n[ \t]*{_VALUE}"  # of a flag, on the next line
_TURNED = r"(?i)\bvalue:[ \t]*(\S[^\n\r]*)\r?\n[ \t]*name:[ \t]*[\"']?([\w.-]+)"  # as tools sort an entry of `env`
_PAIRS = (  # the entries of a manifest's `env`
    r"(?i)name:[ \t]*[\"']?([\w.-]+)[\"']?\s+(?:#[^\n]*\n\s*)*(?:-\s+)?value:[ \t]*(?:[|>][+-]?\s+)?(\S[^\n\r]*)",
    r"(?i)name:[ \t]*[\"']?([\w.-]+)[\"']?,[ \t]*value:[ \t]*('[^'\n]*'|\"[^\"\n]*\"|[^\s,}]+)",
    r"(?i)\"name\":\s*\"([\w.-]+)\",\s*\"value\":\s*\"((?:[^\"\\]|\\.)*)\"",
)
_SHORT = re.compile(r"(?i)(?:^|[_.-])[as]k$")
_RUN = re.compile(r"[A-Za-z0-9]{12}")  # names made of words have a stop within
_IS_SECRET = r"(?m)(?:^|[{,\s])[\"']?kind[\"']?:\s*[\"']?Secret\b"  # noqa: S105 - a pattern
_ENTRY = r"(?m)^\s+[\"']?[\w./-]+[\"']?:[ \t]+[\"']?([^\s\"'|>{\[&*!#][^\n\"']*)"
_BLOCK = r"(?s)[\"']?(?:data|stringData)[\"']?:\s*\{([^}]*)\}"
_JSON_VALUE = r":\s*\"((?:[^\"\\]|\\.)+)\""


def secrets_in(text: str) -> set[str]:
    """The secrets themselves, those that are long and mixed enough to be known again where they stand alone."""
    if not may_hold_secrets(text):
        return set()
    found = {text[start:end] for start, end in _spans(matchable(text))}
    return {one for one in found if len(one) > 5 and is_mixed(one) and "\n" not in one}


def without_secrets(text: str) -> str:
    """The text with `[redacted]` for each secret."""
    found = sorted(set(_spans(matchable(text))), key=lambda span: (span[0], -span[1]))
    kept, at = [], 0
    for start, end in found:
        if start < at:
            start, end = at, max(at, end)  # within one that is hidden already, or beyond its end
        if start < end:
            kept += [text[at:start], _gone(text[start:end])]
            at = end
    return "".join([*kept, text[at:]]).replace(GONE + GONE, GONE) if kept else text


def _gone(hidden: str) -> str:
    """What stands for it: as many lines as it had."""
    return GONE + f"\n{GONE}" * hidden.count("\n")


SHAPED = "|".join(f"(?:{one})" for one in (*_SHAPES, _PEM, _CUT))
ISSUED = rf"\b(?:{'|'.join(map(re.escape, ISSUERS))})([A-Za-z0-9_=.-]{{14,}})"
"""What begins as some issuer's tokens do."""
_ALL = (SHAPED, *_COMMANDS, ISSUED, _ASSIGNED, _BELOW, _TURNED, *_PAIRS, _LINE, _PADDED)


@cache
def _at_once() -> PatternSet:
    """All of them, to be looked for in one pass: most texts show none."""
    return PatternSet(_ALL)


@cache
def _issued() -> Pattern:
    return compile_pattern(ISSUED)


def _spans(text: str) -> Iterator[Span]:
    shown = {_ALL[number] for number in _at_once().found(text)}
    for found in (
        one for pattern in (SHAPED, *_COMMANDS) if pattern in shown for one in compile_pattern(pattern).finditer(text)
    ):
        number = next((at for at, one in enumerate(found.groups(), 1) if one is not None), 0)
        if number and found.group(number).strip() and is_value(found.group(number)):
            yield _inside(text, found.start(number), found.end(number))
    for found in _issued().finditer(text) if ISSUED in shown else ():
        tail = str(found.group(1))
        if any(map(str.isdigit, tail)) and (_RUN.search(tail) or (any(map(str.isupper, tail)) and is_mixed(tail))):
            yield found.start(), found.end()
    yield from _named(text, shown)
    yield from told(text)
    yield from _of_lines(text, shown)
    if "PRIVATE KEY" in text:
        yield from _of_keys(text)
    if "Secret" in text:
        yield from _of_manifests(text)


def _inside(text: str, start: int, end: int) -> Span:
    """The span without the quotes, plain or escaped, around it and the line ends at it."""
    while start < end and text[start] in "\"'\\\r\n":
        start += 1
    while start < end and text[end - 1] in "\"'\r\n":
        end -= 1
    return start, end


def _named(text: str, shown: set[str]) -> Iterator[Span]:
    """Values that stand behind a name that says it; `--api-keys a b` gives several to one name."""
    for found in compile_pattern(_ASSIGNED).finditer(text) if _ASSIGNED in shown else ():
        name, joint, value = (str(found.group(number)) for number in (2, 3, 4))
        start, end = _inside(text, found.start(4), found.end(4))
        plain = text[start:end]
        if not plain or not is_value(plain) or not _hides(name, joint, plain, value[:1] in "\"'\\"):
            continue
        yield start, end
        if name.lower().endswith("keys") and not joint.strip(' :"'):
            more = compile_pattern(r"[ \t]+([^\s-]\S*)")
            at = end
            while (after := more.match(text[at : at + 400])) is not None:
                yield at + after.start(1), at + after.end(1)
                at += after.end(1)
    yield from _of_flags_and_entries(text, shown)


def _of_flags_and_entries(text: str, shown: set[str]) -> Iterator[Span]:
    """Values on another line than the name that says it, or in the other entry of a pair."""
    for pattern, name, value in [(_BELOW, 1, 2), (_TURNED, 2, 1), *((one, 1, 2) for one in _PAIRS)]:
        for found in compile_pattern(pattern).finditer(text) if pattern in shown else ():
            start, end = _inside(text, found.start(value), found.end(value))
            plain = text[start:end]
            if plain and is_value(plain) and plain[0] != "-" and says_secret(str(found.group(name)), plain):
                yield start, end


def _hides(name: str, joint: str, value: str, quoted: bool) -> bool:
    """Whether a value is hidden for its name: what a name, an `=` or `:` says, prose says only of what looks secret."""
    if not says_secret(name, value):
        return False
    if re.fullmatch(r"[-+]?\d+(?:\.\d+)?", value):  # a password of digits; shorter ones count or switch something
        return len(value) > 5 and (name.startswith("-") or (value.isdigit() and ("=" in joint or ":" in joint)))
    if name.startswith("-"):
        return len(value) > 2 and not value.startswith("--")
    if "\n" in joint or (_SHORT.search(name) and not _of_cloud(value)):
        return False
    if "," in joint:  # setdefault("HF_TOKEN", "…"), and not a list of words
        return quoted and name.isupper() and is_mixed(value)
    if "=" in joint:
        return len(value) > 2
    if ":" in joint:
        return len(value) > 3 and (quoted or name.lower() != "auth" or is_mixed(value)) and not value.endswith(":")
    return len(value) > 5 and is_mixed(value) and "/" not in value and "(" not in value


def _of_cloud(value: str) -> bool:
    """Whether it is as the keys of clouds are, for names as short as `ak`: long, and no number of the machine's."""
    return len(value) > 9 and any(map(str.isupper, value)) and is_mixed(value) and value[:2] != "0x"


def _of_lines(text: str, shown: set[str]) -> Iterator[Span]:
    for pattern in shown.intersection((_LINE, _PADDED)):
        for found in compile_pattern(pattern).finditer(text):
            value = str(found.group(1))
            if any(map(str.islower, value)) and any(map(str.isupper, value)):
                yield found.start(1), found.end(1)


def _of_keys(text: str) -> Iterator[Span]:
    """The lines of private keys, whatever stands before each, and the last of one whose beginning is not shown."""
    for found in compile_pattern(_BEGIN).finditer(text):
        at = found.end()
        for line in text[at : at + _LONGEST_KEY].splitlines(keepends=True):
            run = compile_pattern(_RUN_AT_END).search(line)
            if "-----END" in line or (run is None and line.strip() and ":" not in line):
                break
            if run is not None:
                yield at + run.start(1), at + run.end(1)
            at += len(line)
    for found in compile_pattern(_LAST).finditer(text):
        yield found.start(1), found.end(1)


def _of_manifests(text: str) -> Iterator[Span]:
    """The values of Kubernetes' Secrets: any name may stand before them."""
    at = 0
    for part in re.split(r"(?m)(^---.*$)", text):
        if compile_pattern(_IS_SECRET).search(part):
            yield from ((at + start, at + end) for start, end in _of_secret(part))
        at += len(part)


def _of_secret(part: str) -> Iterator[Span]:
    entry, value = compile_pattern(_ENTRY), compile_pattern(_JSON_VALUE)
    for found in compile_pattern(_BLOCK).finditer(part):
        yield from _groups(value.finditer, str(found.group(1)), found.start(1))
    inside, at = False, 0
    for line in part.splitlines(keepends=True):
        bare = line.strip()
        if not line[:1].isspace() or bare in ("data:", "stringData:"):
            inside = bare in ("data:", "stringData:")
        elif inside and bare:
            told = list(_groups(entry.finditer, line, at))
            indented = len(line) - len(line.lstrip())
            block = not told and ":" not in bare  # a line of a block, such as a file that is kept in the Secret
            yield from told or ([(at + indented, at + indented + len(bare))] if block else [])
        at += len(line)


def _groups(finditer: Callable[[str], Iterator[Match]], text: str, at: int) -> Iterator[Span]:
    for found in finditer(text):
        start, end = found.start(1), found.end(1)
        yield at + start, at + start + len(text[start:end].rstrip())
