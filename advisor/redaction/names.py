"""What is asked first, of texts and names: `HF_TOKEN` says a secret, `--num-speculative-tokens` does not."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from advisor.model.shape import Shape

if TYPE_CHECKING:
    from advisor.patterns import Pattern

GONE = "[redacted]"
_HALVES = re.compile("[\ud800-\udfff]")

_SECRET_NAME = Shape(
    r"(?i)(?:^|[_.-])(?:token|secret|passw(?:or)?d|passwd|passphrase|pass|sshpass|pwd|pw|psw|pat|tok|credentials?|creds|cookie"
    r"|(?:auth|access)[_-]?code|jwt[_-]signing|sas|dsn"
    r"|webhook|salt|sk|ak|api[ _-]?keys?|auth|(?:client|deploy|openai|master|subscription|access|private|account"
    r"|admin|middleware|worker|app"
    r"|(?:en|de)cryption|signing|secret|session|ssh|license)[_-]?keys?|authorization|identitytoken"
    r"|registrytoken|dockerconfigjson|connection[_-]?string)(?:$|[_.-])|api[ _]?key"
    r"|passwd|password|secret ?key|access ?key|privatekey"
)
_NO_SECRET = Shape(  # files, switches and times that go with a secret
    r"(?i)^(?:old)?pwd$|(?:existing|from)[_-]?secret$|pull[_-]?secrets?$|[_.-](?:file|path|dir|name|ref|type|mode|method|policy|enabled|required|timeout|ttl|len|length|url|uri|scope)s?$"
)
_COUNTED = Shape(
    r"(?i)tokens?$|token[_-]?(?:num|ids?|len|limit|ratio|budget|count)|(?:num|max|min|draft|speculative)[_-](?:\w+[_-])?tokens?"
)
_CHANCE = re.compile(r"(?=.*(?:\d|[a-z][A-Z]))[!-;=?-~]{6,}")  # as tokens are written, and the words of a model are not
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_OWN = Shape(  # HF_TOKEN is a secret, --num-tokens a count
    r"(?i)(?:hf|hub|auth|access|api|bearer|secret|refresh|session|id|user|bot|personal|deploy|registry|csrf)[_-]?\w*token$"
)


class Look:
    """A question that comes first, of the same engine as the patterns that it stands for: a text is read once for all
    alternatives. It may say yes too often, never too seldom."""

    def __init__(self, pattern: str) -> None:
        self.pattern = f"(?m){pattern}"

    @cached_property
    def _compiled(self) -> Pattern:
        from advisor.patterns import compile_pattern

        return compile_pattern(self.pattern)

    def shows(self, text: str) -> bool:
        """Whether the text shows any of it."""
        return self._compiled.search(matchable(text).encode()) is not None


def matchable(text: str) -> str:
    """The text for patterns, character by character: bytes of a name that are no UTF-8 are no character either."""
    return text if text.isascii() else _HALVES.sub("\ufffd", text)


def says_secret(name: str, value: str) -> bool:
    """Whether a name says that its value is secret: HF_TOKEN does, a number of tokens does not."""
    if value.startswith(("$", "<", GONE)) or value.lower() in _NO_VALUE:
        return False
    name = _in_parts(name)
    if not _may_name_secret(name):
        return False
    may_count = not name.isupper() or value.replace(".", "").lstrip("-+").isdigit()  # HF_X_TOKEN=abc counts nothing
    return not (may_count and _counts(name, value))


def _in_parts(name: str) -> str:
    return name if name.isupper() else _HUMP.sub("_", name)  # refreshToken, clientSecret


@lru_cache(maxsize=4096)  # of flags and variables there are few, and none is a secret itself
def _may_name_secret(name: str) -> bool:
    return _SECRET_NAME.search(name) is not None and not _NO_SECRET.search(name)


_NO_VALUE = frozenset(("", "none", "null", "true", "false", "no", "yes", "0", "1", "auto", "required", "optional"))


def _counts(name: str, value: str) -> bool:
    """Whether the name speaks of the tokens of a text."""
    if name.lstrip("-").lower() == "token" or name.lower().endswith((".token", "_authtoken")):
        return not (_CHANCE.fullmatch(value) and re.search(r"[A-Za-z]", value))
    return bool(_COUNTED.search(name)) and not _OWN.search(name)


_RUN, _DIGIT = re.compile(r"[\w+/=.~-]{16,}", re.ASCII), re.compile(r"[0-9]")  # as tokens are
_WORDS = (
    r"(?i:token(?:[^s_i]|s\w|_(?:[^i]|i[^d]|i?$)|i[^z]|i?$)|secret|passw|passphrase|pass\b|pass_|_pass|pwd|psw\b"
    r"|\btok\b|_tok\b|access.?code|sudo|b64enc|from-literal|ticket|base64|key|auth|cred|minio|(?:oss|obs|tos)util|ossfs"
    r"|jwt|bearer|basic|cookie"
    r"|sig=|dsn|identified by|net use|private-lines|hook|salt|jdbc:|mc (?:alias|config)|\bpw\b"
    r"|(?:\b|_)[as]k\b|密|口令|令牌|秘钥"
    r"|\bpat[_=:]|\bsas\b|\b(?:sshpass|mysql|mariadb|redis-cli|curl|etcdctl|login)\b)"
)
_TOLD = Look(_WORDS)
_MAY = Look(  # what any text with a secret in it shows, but for a run as tokens are: a word for one, or a place of one
    _WORDS + r"|://|-----BEGIN"
    r"|\b(?:hf_|sk-|gh[pousr]_|AKIA|ASIA|xox[abeprs]-|AIza|eyJ|nvapi-)\w|\w=[\"']?\s*$"
)


def may_hold_secrets(text: str) -> bool:
    """The question that comes first: False where there is none for certain."""
    return _MAY.shows(text) or any(map(_DIGIT.search, _RUN.findall(text)))


def may_tell_of_secrets(text: str) -> bool:
    """Whether it has a word for one: few texts do, and most patterns need it."""
    return _TOLD.shows(text)
