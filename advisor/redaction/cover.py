"""A whole answer -> the same without what tells of people and machines: the last thing done before it is shown.

Which fields hold what the user gave stands in one table (`THEIRS`); all else is the catalogue's, and stays. Secrets are
hidden as each thing is quoted (`redact`), where its name is known; here they are looked for once more. Only then is a
quotation cut that is too long (`cutting`), so that none of a secret is left at the cut.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from advisor.redaction import QUOTED, as_given, of_this_answer, redact, redact_value
from advisor.redaction.names import Look

if TYPE_CHECKING:
    from advisor.redaction.pseudonyms import Pseudonyms

Noun = TypeVar("Noun")

_LOOKS = "advisor.redaction.personal"
LARGE = 1 << 14
"""Characters of a text for which loading what looks at it counts for nothing."""
_MAY = Look(  # what any text with something of the kind in it shows: asked before anything more is loaded
    r"\w@\w|:\\+(?i:Users)|://|\d(?:\.\d{1,3}){3}|::|(?:[0-9a-fA-F]{2}[:-]){5}|(?i:/home/|/Users/)|\]:\d"
    r"|(?i:(?:host|addr|node|endpoint|user|logname|server[_-]?name)\w*[\"'\]\\]*(?:\s*[=:]\s*| is )[\"'\\]*"
    r"[\w.-]*[a-z])"
    r"|(?i:-[\w-]*(?:host|addr|node|endpoint)\w*[ \t]+[\"']?[\w.-]*[a-z])"
    r"|NCCL|~[a-z]|(?i:(?:node|host|hostname) [\"']?[a-z][\w-]*-\d)"
    r"|(?i:prompt|content|text|ids|output|query|input|question|response|arguments|system|completion|delta|answer|suffix"
    r"|reasoning|instruction|document|passage|refusal|body)s?[\"'\\]*\s?[:=] ?[\"'\[\\]|data:(?:image|audio|video)/"
    r"|(?:ssh|scp|rsync|ping|telnet|mosh|(?i:mpirun|mpiexec|horovodrun|srun|pdsh|clush|deepspeed))\s"
    r"|(?i:(?:connect to|resolve|added|resolution:) (?:host |hostname )?[\"']?[a-z])|[Pp]rompt: |COMPUTERNAME|host', "
    r"|server \S+:\d|Running on|ssh-\w+ AAAA"
    r"|(?i:phone|tel|mobile|cell|call|whatsapp)\b|手机|电话|联系|微信|主机|服务器|机器|节点|用户|[账帐]|登录名"
    r"|\+\d{1,3}[ (-]{0,2}\d\d"
    r"|:\d{2,5},|[a-z]:\d{2,5}\b|(?i:psql|mysql|mariadb|redis-cli|clickhouse-client|mongosh?|curl|etcdctl|login"
    r"|for user|sudo|for \S+@)|[rwxsStT-]{9}[.+@]? +\d+ "
    r"|^[a-z_][\w.+-]* +\d+ +\d+\.\d|input_value|(?:prompt|text|input|question)s? ?= ?\["
    r"|\.(?:generate|encode|embed|chat|score)\("
    r"|\"from\"|#SBATCH|jdbc:|--\w+[_-](?:server|address|endpoint)|- +[\"']?\w\S*:\d"
    r"|\\\\\w|/(?i:user):|torchinductor|<\|(?:im_start|start_h)|<start_of|<｜|\[/?INST"
    r"|(?:MASTER|SERVER|HEAD_IP|COMM_ID|BROKER|CONTROLLER)=|assigned \S+ to|Ready\b|(?i:user) \"|srun: "
    r"|instance=|targets|text_[12]|transcript|thinking|logged in|UserId=|sudo -u"
    r"|kubelet|<none>|\[[A-Za-z][\w.-]*:\d{3}|STEP |JOB |(?i:pid) +\d"
    r"|(?i:address(?:es)? of|resolution failed|failed to resolve|service not known|lookup \S+ on|gid:|addr:|ip6?:|ipv6)"
    r"|用户输入|提示词|模型输出"
    r"|/users?/|/u/|/home|controller_url|instructions|slots=|NODELIST|[ug]id=|Linux |\bip-\d|(?:[0-9a-fA-F]{1,4}:){7}"
    r"|^(?:<\d+>)?[A-Z][a-z]{2} +\d+ \d\d:|T\d\d:\d\d:\d\d\S* \S+ \S+:|(?i:machine) "
    r"|\.(?i:com|net|org|io|ai|edu|gov|cn|internal|local|lan|corp|intra|private|cloud|example|test|dev|svc|cluster|hpc"
    r"|info|biz|co|me|de|fr|uk|jp|kr|eu|us|tech|app|home|arpa|consul|invalid|localdomain)\b"
)

THEIRS: dict[str, tuple[str, ...]] = {
    # advisor/model/report.py
    "Report": ("environment",),
    "BuildOut": ("version", "image", "fork", "branch", "label", "components", "notes"),
    "SettingOut": ("value", "typed", "place"),
    "FactOut": ("value", "says", "place", "quote", "rank"),
    "Finding": ("headline",),
    "FixOut": ("why",),
    "RemedyOut": ("change", "diff"),
    "LookalikeOut": ("why",),
    "StatementOut": ("says", "ranks", "collective", "places"),
    "MarkOut": ("what", "place"),
    "TrackOut": ("rank", "stands", "absent"),
    "TimelineOut": ("shift_by", "unplaced"),
    "Discrepancy": ("typed", "place", "quote", "says", "instead"),
    "ExcerptOut": ("file", "lines", "places"),
    "InputOut": ("name",),
    "Coverage": ("notes",),
    # advisor/model/lint.py
    "Region": ("snippet",),
    "RelatedOut": ("says",),
    "LintFinding": ("says", "because", "advice", "workload"),
    "SuppressionOut": ("reason",),
    "FileOut": ("workloads", "notes"),
    "LintReport": (),
    # advisor/model/repair.py, upgrade.py
    "Repair": ("workload", "says", "does", "why", "shared"),
    "FileRepair": ("diff",),
    "RepairReport": ("notes",),
    "UpgradeReport": ("diff", "notes"),
    # advisor/model/verification.py
    "StepVerdict": ("says", "missing"),
    "VerificationReport": ("headline", "change", "differs", "missing"),
    # advisor/model/diagnosis.py
    "Standing": (),
    "Recognised": ("build", "settings", "environment", "hardware"),
    # advisor/model/draft.py
    "Draft": ("summary", "given", "build", "settings", "environment", "hardware", "model", "report"),
    "MachineLine": ("pattern", "quote", "place"),
    # advisor/model/capture.py
    "Plan": ("said",),
    "Found": ("rank", "command"),
    "Step": ("how", "note"),
    "Outcome": ("files", "said"),
    "Collection": (),
}
"""The nouns of an answer, and which of their fields hold the user's words. Nouns that are not here hold none."""

NOTE = "names such as {example} are this report's own, for hosts, addresses and people; --no-redact shows theirs"


def covered(noun: Noun, beside: Iterable[str] = ()) -> Noun:
    """The answer as it is shown, its quotations cut; `beside` are texts that tell more of whose names are hosts'."""
    given: dict[tuple[str, str], None] = {}
    _add_texts(noun, given)
    hidden = noun if as_given() else _hidden(noun, given, beside)
    if any(len(name) + len(text) > QUOTED for name, text in given):
        from advisor.redaction.cutting import shortened

        return shortened(hidden, fields_of, THEIRS)
    return hidden


def _hidden(noun: Noun, given: Iterable[tuple[str, str]], beside: Iterable[str]) -> Noun:
    """The answer without what tells of people and machines."""
    without = {text: said for name, text in given if (said := _value(name, text)) != text}
    texts = [(name, without.get(text, text)) for name, text in given]
    others = tuple(beside)
    if _may_tell("\n".join(name + text for name, text in texts), *others):
        from advisor.redaction.pseudonyms import covered_texts

        shown = covered_texts(texts, names(), others)
        without = {text: shown.get(said, said) for text, said in without.items()} | shown
    return _said(rewritten(noun, without), without) if without else noun


def _said(noun: Noun, shown: dict[str, str]) -> Noun:
    """The answer with a note that names were changed, where they were and where it has a place for notes."""
    from advisor.redaction.pseudonyms import TAKEN

    example = next((found[0] for said in shown.values() if (found := TAKEN.search(said))), "")
    inner: Any = getattr(noun, "report", None) if type(noun).__name__ == "Standing" else noun
    coverage = getattr(inner, "coverage", None)
    if not example or coverage is None:
        return noun
    coverage = replace(coverage, notes=(*coverage.notes, NOTE.format(example=example)))
    inner = replace(inner, coverage=coverage)
    return inner if type(noun).__name__ != "Standing" else replace(noun, report=inner)  # type: ignore[type-var]


def _may_tell(*texts: str) -> bool:
    """Whether it is worth a look; what looks is quicker than this question once it is loaded."""
    if _LOOKS in sys.modules:
        return True
    return any(len(one) > LARGE or _MAY.shows(one) for one in texts)


def _value(name: str, text: str) -> str:
    return str(redact_value(name[:-1], text)) if name else redact(text)


def names() -> Pseudonyms:
    """The names that things have in the answer at hand."""
    from advisor.redaction.pseudonyms import Pseudonyms

    kept = of_this_answer()
    if "names" not in kept:
        kept["names"] = Pseudonyms()
    found: Pseudonyms = kept["names"]
    return found


def covered_line(text: str) -> str:
    """One line that is no part of an answer, such as an error, as it is shown."""
    if as_given() or not text:
        return text
    from advisor.redaction.pseudonyms import covered_texts

    said = redact(text)
    return covered_texts((("", said),), names()).get(said, said)


def without_numbers(text: str) -> str:
    """The text with one name for all hosts, one for all addresses: to compare what two reports say."""
    from advisor.redaction.pseudonyms import TAKEN

    return TAKEN.sub(lambda found: str(found[1]), text)


def rewritten(noun: Noun, shown: dict[str, str]) -> Noun:
    """The noun with its texts as `shown` has them; itself where none of them is among those."""
    changed: dict[str, Any] = {}
    theirs, nested = fields_of(cast(Any, type(noun)))
    for name in theirs:
        value = getattr(noun, name)
        if (new := _mapped(value, lambda text: shown.get(text, text))) is not value:
            changed[name] = new
    for name in nested:
        value = getattr(noun, name)
        if (new := _nested(value, shown)) is not value:
            changed[name] = new
    return replace(noun, **changed) if changed else noun  # type: ignore[type-var]


_NAMES = re.compile(r"\w+")


@cache
def fields_of(kind: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields of a noun that hold the user's words, and those that hold nouns which may, both in their order."""
    types: dict[str, Any] = {name: str(one.type) for name, one in kind.__dataclass_fields__.items()}
    theirs = THEIRS[kind.__name__]
    nested = (name for name, told in types.items() if name not in theirs and THEIRS.keys() & set(_NAMES.findall(told)))
    return tuple(name for name in types if name in theirs), tuple(nested)


def _nested(value: Any, shown: dict[str, str]) -> Any:
    if not isinstance(value, tuple):
        return rewritten(value, shown) if type(value).__name__ in THEIRS else value
    new = tuple(rewritten(one, shown) for one in value)
    return new if any(a is not b for a, b in zip(new, value, strict=True)) else value


def _mapped(value: Any, told: Callable[[str], str]) -> Any:
    """A field with each text in it as told; the very same where nothing changes."""
    if isinstance(value, str):
        new: Any = told(value)
    elif isinstance(value, tuple):
        new = tuple(_mapped(one, told) for one in value)
    elif isinstance(value, dict):
        new = {key: _mapped(one, told) for key, one in value.items()}
    else:
        return value
    return value if new == value else new


def _add_texts(noun: Any, found: dict[tuple[str, str], None]) -> None:
    """Add the texts of the user's own in an answer that are not empty, each with what it is the value of."""
    theirs, nested = fields_of(cast(Any, type(noun)))
    for name in theirs:
        value = getattr(noun, name)
        if value:
            of = f"{noun.flag}=" if name == "value" and type(noun).__name__ == "SettingOut" else ""
            _add_strings(value, of, found)
    for name in nested:
        value = getattr(noun, name)
        for one in value if isinstance(value, tuple) else (value,):
            if type(one).__name__ in THEIRS:  # None is none, and a kind may be called as a noun is
                _add_texts(one, found)


def _add_strings(value: Any, of: str, found: dict[tuple[str, str], None]) -> None:
    if isinstance(value, str):
        found[of, value] = None
    elif isinstance(value, tuple):
        for one in value:
            if one:
                _add_strings(one, "", found)
    elif isinstance(value, dict):
        for name, one in value.items():
            if one:
                _add_strings(one, f"{name}=", found)
