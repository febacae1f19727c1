"""Secrets that are told by more than a name in front of them: by another line, a list, a language, a prompt.

    api_key: ['x', 'y']                  every value of a list, and of a map below its name
    API_KEY="${API_KEY:-x}"              what stands where a variable has none
    echo x | sudo -S true                what a program reads
    $ cat ~/.cache/huggingface/token     what a command shows, on the line below it
    [sudo] password for alice: x         what was typed at a prompt
    密码还是 x                           what is said in Chinese

Each pattern is of the linear-time engine, with the secret in its group `v` and, where that decides, the name in `n`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from advisor.patterns import Match, PatternSet, compile_pattern
from advisor.redaction.names import GONE, may_tell_of_secrets, says_secret

NAME = (
    r"(?:[\w.-]*(?:token|secret|passw(?:or)?d|passphrase|pwd|credentials?|creds|dsn|webhook|[_-]pat|[_-]pass|sshpass|psw"
    r"|[_-]tok|[_-]sas|[_-]salt|[_-][as]k|api[ _-]?keys?|(?:auth|access)[_-]code"
    r"|(?:client|deploy|openai|master|subscription|access|private|account|cryption|secret|admin|middleware|worker|app"
    r"|signing|session|ssh|license)[ _-]?keys?|auth|cookie|dockerconfigjson|connection[_-]?string)"
    r"(?:[ _-]?(?:id|value|string|key|data|b64|base64|url))?|[as]k|pw|tok)"
)
_NAMES = rf"(?:{NAME}s?|secrets)"
_WORD = r"[^\s\"',;)}\]]+"
_FILE = r"\S*(?:token|secret|passw\w*|\.netrc|\.pgpass|credentials)\S*"

WITHIN = (  # values of a list or a map that a name stands before
    rf"(?is)\\*[\"']?(?P<n>{_NAMES})\\*[\"']?[ \t]*[:=][ \t]*\[(?P<v>[^\[\]{{}}]+)\]",
    rf"(?is)\b(?P<n>{_NAMES})[ \t]*=[ \t]*\((?P<v>[^()\[\]{{}}]+),[ \t]*\)",
    rf"(?is)\\*[\"']?(?P<n>{_NAMES})\\*[\"']?[ \t]*[:=][ \t]*\{{(?P<v>[^\[\]{{}}]+)\}}",
    rf"(?im)^[ \t-]*[\"']?(?P<n>{_NAMES})[\"']?:[ \t]*\r?\n(?P<v>(?:[ \t]*- +[^\n]*\n?)+)",
)
_ITEM = re.compile(r"(?:\"?[\w./:@-]*\"?: *|'[\w./:@-]*': *)?(?:\\*\"([^\"\\\n]+)\\*\"|'([^'\n]+)'|([^\s\"',]+))")
BELOW = rf"(?im)^(?P<i>[ \t-]*)[\"']?(?P<n>{_NAMES})[\"']?:[ \t]*(?P<b>[|>][+-]?[0-9]?)?[ \t\r]*\n"  # `b` for a block
_LINES = 40  # below a name that are looked at
_ENTRY = re.compile(r"[ \t]*[\"']?([\w.-]+)[\"']?:[ \t]+[\"']?([^\s\"'#|>{\[&*!][^\s\"']*)[\"']?[ \t\r]*\Z")
_REFERS = frozenset(
    ("name", "key", "file", "external", "type", "path", "mountpath", "secretname", "namespace", "kind", "from", "mode",
     "optional", "engine")
)  # fmt: skip

SURE = (
    r"(?i)(?:^|[\s\"'\[,-])(?:requirepass|masterauth)[\"',]*[ \t]+[\"']?(?P<v>[^\s\"',\]]+)",
    r"\bAUTH default [\"']?(?P<v>[^\s\"']+)",
    r"(?i)\becho +(?:-\w+ +)*[\"']?(?:\w+:)?(?P<v>[^\s\"'|$]+)[\"']? *\|[^\n|]*"
    r"(?:sudo (?:-\w+ )*-S|chpasswd|passwd --stdin|--with-token)",
    rf"(?i)\b(?:echo|printf) +(?:-\w+ +)*[\"']?(?P<v>[^\s\"'|$]+)[\"']? *>+ *{_FILE}",
    r"(?i)--password-stdin[^\n]*<<-?[ \t]*[\"']?\w+[\"']?[ \t\r]*\n(?P<v>\S+)",
    r"(?i)\bcurl\b[^\n|;]*?\s(?:-b|--cookie)[ =]*(?P<v>'[^'\n=]+=[^'\n]*'|\"[^\"\n=]+=[^\"\n]*\"|[^\s\"'=]+=\S+)",
    r"(?i)<(?:\w+:)?(?:password|secret|api-?key|token|access-?key|secret-?key)>(?P<v>[^<\s][^<\n]*)</",
    r"(?i)\bUnseal Key \d+: (?P<v>\S+)",
    r"\{\{-? *\"(?P<v>[^\"\n]+)\" *\| *b64enc",
    r"--from-literal[= ][\"']?[\w.-]+=(?P<v>[^\s\"']+)",
    r"(?i)\bSecretStr\([\"'](?P<v>[^\"'\n]+)",
    r"(?i)\b(?:wandb|swanlab|comet|huggingface-cli|hf auth|modelscope) login (?:--?\w+[ =]+)*(?P<v>[A-Za-z0-9_-]{16,})",
    r"(?i)\blogin\((?:token|key|api_key)? *=? *[\"'](?P<v>[^\"'\n]{16,})",
    r"(?i)\b(?:api key|token)\b[^\n:]{0,60}(?:paste|enter)[^\n:]{0,60}: *(?P<v>[A-Za-z0-9_-]{16,})",
    r"(?i)\b(?:paste|enter)\b[^\n:]{0,40}(?:api key|token)\b[^\n:]{0,60}: *(?P<v>[A-Za-z0-9_-]{16,})",
    r"(?i)\bAPI key provided: (?P<v>[^\s*]{6,})",
    r"\b(?:Auth|Credentials?|Minio|Static\w*)\((?:[^()\n]*, *)??[\"'][^\"'\n]+[\"'], *[\"'](?P<v>[^\"'\n]{16,})[\"']",
    r"\b(?:obsutil|ossutil(?:64)?|ossfs|tosutil)\b[^\n|;]*?\s-k[ =]?(?P<v>\S+)",
    r"\baz login\b[^\n|;]*?\s(?:-p|--password)[ =](?P<v>[^\s-]\S*)",
)
NAMED = (
    r"\$\{(?P<n>[A-Za-z_]\w*):?[-=](?P<v>[^}\n]+)\}",
    rf"(?i)\b(?P<n>{NAME})=[\"']?\$\{{\w+:?[-=](?P<v>[^}}\n]+)\}}",
    rf"(?i)\b(?P<n>{NAME})=[\"']?\$\((?:echo|printf)(?: -\w+)* [\"']?(?P<v>[^\s\"')]+)",
    rf"(?i)\$\{{?(?P<n>{NAME})\}}?[\"']? *(?:==?|!=) *[\"'](?P<v>[^\"'$\n]+)",
    rf"(?i)[\"']--?(?P<n>{NAME})[\"'][^()\n]*?\bdefault *= *[\"'](?P<v>[^\"'\n]+)",
    rf"(?i)\b(?P<n>{NAME}) *: *(?:Optional\[)?(?:str|SecretStr)\]?(?: *\| *None)? *= *"
    r"(?:[bfru]{0,2})[\"']+(?P<v>[^\"'\n]+)",
    rf"(?i)\b(?P<n>{NAME})[\"']? *[:=] *(?:[fru]|rb|br)[\"']+(?P<v>[^\"'\n]+)",
    rf"(?i)\b(?P<n>{NAME}) *= *\"\"\"(?P<v>[^\"]+)",
    r"(?i)[\"']?\b(?:name|key)[\"']?[ \t]*[:=][ \t]*\\*[\"'](?P<n>[\w.-]+)\\*[\"'],"
    r"\s*\\*[\"']?value\\*[\"']?[ \t]*[:=][ \t]*\\*[\"'](?P<v>[^\"'\\\n]+)",
    r"(?i)\{\s*\\*[\"']?value\\*[\"']?:\s*\\*[\"']?(?P<v>[^\"'\\\n,}]+)\\*[\"']?,\s*\\*[\"']?name\\*[\"']?:\s*\\*[\"']?(?P<n>[\w.-]+)",
    rf"(?i)\b(?P<n>{NAME})\\*[\"']?(?:\x1b?\[[0-9;]{{1,12}}m)+[ \t]*[=:]?[ \t]*"
    rf"(?:\x1b?\[[0-9;]{{1,12}}m)*(?P<v>{_WORD})",
    rf"(?i)\b(?P<n>{NAME})\\*[\"']?[ \t]*[=:][ \t]*(?:\x1b?\[[0-9;]{{1,12}}m)+(?P<v>{_WORD})",
    rf"(?i)(?P<n>--?{NAME})(?:\x00|\^@|\\0|\\x00)(?P<v>[^\x00\s^\\]+)",
    rf"(?i)\b(?P<n>{NAME})(?:%22|%27|\\u0022|\\x22|&quot;)*(?:%3[ad]|\\x3d|\\u003[ad]|=)(?:%22|%27|\\u0022|\\x22|&quot;)+(?P<v>[^\s&\"'%\\<]+)",
    r"(?i)\b(?:name|key)[:=]\"?(?P<n>[\w.-]+)\"? value[:=]\"?(?P<v>[^\s\"]+)",  # as Go and protobuf print it
    rf"(?i)\| *(?P<n>{NAME}) *\| *(?P<v>[^\s|]+) *\|",
    rf"(?i)\b(?P<n>{NAME}) *:= *[\"'](?P<v>[^\"'\n]+)",
    rf"(?i)\b(?P<n>{NAME})\" *\{{[^{{}}]*?\b(?:default|value) *= *\"(?P<v>[^\"\n]+)",  # terraform
    rf"(?i)(?:%(?:3f|26|22|2c|20|3b)|\b)(?P<n>{NAME})(?:%3d|\\x3d|\\u003d)(?P<v>[^\s&\"'%\\<]+)",
)
CHANCE = (  # hidden where chance seems to have made it
    rf"(?i)(?P<n>{NAME})[\"']?(?:[ \t]*\([^)\n]{{0,40}}\))?[ \t]*(?:->|=>)[ \t]*[\"']?(?P<v>{_WORD})",
    rf"(?i)\b(?P<n>{NAME})[ \t]+(?:is|was|set to|to|provided|created|named)?[ \t]*:?[ \t]+[\"'(]?(?P<v>{_WORD})",
    rf"(?i)\b(?P<n>{NAME}) \((?P<v>[^\s()]{{8,}})\)",
    rf"(?i)\b(?P<n>{NAME}) (?:is|was|for [^\n:]{{1,60}}): *[\"']?(?P<v>{_WORD})",
    r"(?i)\b(?P<n>creds): *[\w.@-]+:(?P<v>[^\s\"',;]+)",
    r"(?i)\((?P<n>pass|pw|password) (?P<v>[^\s()]+)\)",
    r"(?i)\b(?P<n>passphrase) for key [^\n]*?: +(?P<v>\S+)",
    r"(?i)\b(?P<n>secret access key) \[[^\]\n]*\]: *(?P<v>\S+)",
    r"(?i)[\"'](?P<n>pass|pwd)[\"']: *[\"'](?P<v>[^\"'\n/\\]+)[\"']",
    r"(?i)(?:^|[\s;,?&\"'])(?P<n>pass|pwd|jwt[_-]signing|tok)=(?P<v>[^\s\"',;&/\\]+)",
    r"\b(?P<n>(?:[A-Z][A-Z0-9]*_)+KEY|KEY)[\"']?[ \t]*[=:][ \t]*[\"']?(?P<v>[^\s\"',;}/]{12,})",
    rf"(?i)(?P<n>--[\w-]+-key)[ =][\"']?(?P<v>{_WORD})",
    rf"(?im)^[^\n]*(?:\bcat {_FILE}|\becho [\"']?\$\{{?\w*(?:token|key|secret|pass\w*)\}}?"
    r"|\bprintenv \w*(?:token|key|secret|passw\w*)\w*|\bbase64 (?:-d|-D|--decode)|secrets versions access[^\n]*"
    r"|print-access-token|get-login-password[^\n]*)[\"']?[ \t\r]*\n[ \t]*(?P<v>[^\s]{8,})[ \t\r]*$",
    r"(?:密码|口令|密钥|令牌|密匙|秘钥|密碼|AK/SK|(?i:api ?key))(?:[（(][^）)\n]{0,12}[）)])?"
    r"[^!-~\n，。；、]{0,8}[\"'“「【(（：:=＝ \t]{0,4}(?P<v>[!-~]{4,})",
    r"(?i)[\w.-]*(?:api|access|secret)[\w.-]*keys?[\"']?[ \t]*[:=][ \t]*[^\s\"',;]+[;,](?P<v>[^\s\"',;=:]{8,})",
    r"(?i)--?[\w-]*api-keys?[= ][\"']?[^\s\"',;-][^\s\"',;]*[ ,](?P<v>[^\s\"',;=:/-][^\s\"',;=:/]{11,})",
    r"(?i)- +[\"']?--?[\w-]*api-keys?[\"']?[ \t\r]*\n[ \t]*- +\S+[ \t\r]*\n"
    r"[ \t]*- +[\"']?(?P<v>[^\s\"'-][^\s\"']{11,})",
)
_ALL = (*WITHIN, BELOW, *SURE, *NAMED, *CHANCE)


@cache
def _at_once() -> PatternSet:
    return PatternSet(_ALL)


_NOT_KEYS = re.compile(
    r"(?i)(?:cache|rout(?:e|er|ing)|partition|sort|primary|public|foreign|lookup|block|hash|config|group|registry|host|header|tenant|model"
    r"|lora|request|shard|label|map|dict|state|object|bucket|metrics?|idempotency)[_-]?key$"
)
_NUMBER = re.compile(r"[-+]?[\d.]+%?")
_NO_SECRETS = frozenset(
    ("bearer", "basic", "digest", "negotiate", "disabled", "enabled", "required", "optional", "none", "null", "true",
     "false", "str", "string")
)  # fmt: skip
_PATH = re.compile(
    r"(?:/(?:etc|root|home|run|var|mnt|opt|tmp|data|secrets?|usr)/|~/|\./)[\w./@-]*"
    r"|/[\w./-]+\.(?:json|key|pem|crt|ya?ml|txt)"
)
_CMDLET = re.compile(r"(?:Get|Read|New|Import|ConvertTo|Invoke)-[A-Z][A-Za-z]+")  # PowerShell: a call, no value


def is_value(text: str) -> bool:
    """Whether it stands for itself: no variable, no place to fill in."""
    plain = text.lstrip("\"'\\")
    if plain.lower() in _NO_SECRETS or _PATH.fullmatch(plain.rstrip("\"'")):
        return False
    return not plain.startswith(("$", "<", "{{", "%", GONE[:-1], "***", "…")) and not _CMDLET.fullmatch(plain)


def is_mixed(value: str) -> bool:
    """Letters and digits, or small and capital letters within, as chance makes and a word is not."""
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    return letters and (digits or not (value.islower() or value.isupper() or value.istitle()))


def told(text: str) -> Iterator[tuple[int, int]]:
    """Where they stand."""
    if not may_tell_of_secrets(text):
        return
    shown = {_ALL[number] for number in _at_once().found(text)}
    for pattern in shown.intersection((*SURE, *NAMED, *CHANCE)):
        compiled = compile_pattern(pattern)
        place = compiled.groupindex["v"]
        for found in compiled.finditer(text):
            start, end = _bare(text, found.start(place), found.end(place))
            value, name = text[start:end], found.groupdict().get("n") or ""
            if len(value) < 3 or not is_value(value) or _NUMBER.fullmatch(value) or _NOT_KEYS.search(name[-60:]):
                continue
            if pattern in SURE or (
                says_secret(name, value) if pattern in NAMED else len(value) > 5 and is_mixed(value)
            ):
                yield start, end
    for pattern in shown.intersection((*WITHIN, BELOW)):
        compiled = compile_pattern(pattern)
        for found in compiled.finditer(text):
            name = found.group("n").rstrip("s")

            def hides(value: str, name: str = name) -> bool:
                return is_value(value) and says_secret(name, value)

            if pattern == BELOW:
                yield from _below(text, found, hides)
            else:
                at = found.start(compiled.groupindex["v"])
                yield from ((at + start, at + end) for start, end in _items(name, found.group("v"), hides))


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    """Without the quotes around it."""
    while start < end and text[start] in "\"'":
        start += 1
    while start < end and text[end - 1] in "\"'":
        end -= 1
    return start, end


def _items(name: str, inner: str, hides: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """The values of a list, or of a map on one line; those of a key or a password need not look like chance's."""
    sure = name.lower().endswith(("key", "password", "passwd", "secret"))
    for one in _ITEM.finditer(inner):
        number = one.lastindex or 0
        value, after = one[number], inner[one.end() : one.end() + 1]
        whole = not after or after.isspace() or after in ",;"
        if whole and hides(value) and ((sure and number < 3 and len(value) > 5) or is_mixed(value)):
            yield one.span(number)


def _below(text: str, found: Match, hides: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """A value on the line below its name, in a block, or those of a map there."""
    own, block = len(found.group("i").replace("-", "")), bool(found.group("b"))
    at = found.end()
    for number in range(_LINES):
        line = text[at : text.find("\n", at) + 1 or len(text)]
        bare = line.strip()
        if len(line) - len(line.lstrip()) <= own or not bare:
            break
        entry = _ENTRY.match(line.rstrip("\r\n"))
        if entry and not block:
            value = entry[2]
            if entry[1].lower() not in _REFERS and hides(value) and len(value) > 7 and is_mixed(value):
                yield at + entry.start(2), at + entry.end(2)
        elif (block or number == 0) and not bare.startswith(("-", "#")) and not {":", " "} & set(bare):
            start = at + line.index(bare)
            if hides(bare) and (block or is_mixed(bare)):
                yield start, start + len(bare)
        at += len(line)
