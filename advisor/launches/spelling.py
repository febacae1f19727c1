"""A flag as typed -> the flag the engine knows: aliases, dashes and underscores, `--no-x`, `--nox`, unique prefixes.

    --tensor_parallel_size (vLLM)  -> --tensor-parallel-size
    --no-enable-prefix-caching     -> --enable-prefix-caching, negated
    -enable_shm (gflags)           -> --enable_shm
    --tp (SGLang)                  -> --tp-size, by argparse's prefix rule
    -sc.method (vLLM)              -> --speculative-config.method
    --sglang-mem-fraction-static   -> --mem-fraction-static, as frameworks above the engines pass flags through

**Source:** argparse `_get_option_tuples` of Python 3.12; `FlexibleArgumentParser` of vLLM v0.11.0; gflags 2.2,
"Setting Flags on the Command Line".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import islice, takewhile

from advisor.model.knowledge import Knowledge, SettingRecord
from advisor.model.late import dataclass
from advisor.model.shape import Shape

_FLAG = Shape(r"--?[A-Za-z][\w-]*(?:\.[\w.+-]+)?\Z")  # --speculative-config.method
_ATTACHED = Shape(r"(-[A-Za-z])(\d\w*)\Z")  # -O3


@dataclass(frozen=True)
class Spelled:
    """`flag` is canonical, or as typed when `known` is False; `record` its description at the version, if any."""

    flag: str
    record: SettingRecord | None
    known: bool
    negated: bool = False

    @cached_property
    def kind(self) -> str | None:
        """switch, pair, value, list or json; None when not known. A key inside a JSON flag takes one value."""
        if "." in self.flag and self.known:
            return "value"
        return self.record.kind if self.record else None

    @cached_property
    def type(self) -> str | None:
        """The type of the flag's value; None when not known."""
        return self.record.type if self.record and "." not in self.flag else None

    @cached_property
    def boolean(self) -> bool:
        """Whether the flag is on or off."""
        return self.kind in ("switch", "pair") or self.type == "bool"


def looks_like_flag(word: str) -> bool:
    """`--tp`, `-tp`, `--a.b`; not `-1`, not `-`, not `-Xmx4g=`."""
    return bool(_FLAG.match(word))


def style(knowledge: Knowledge | None) -> str:
    """argparse or gflags."""
    given = str(knowledge.profile.get("flag_style") or "") if knowledge else ""
    return given.partition("-")[0] or "argparse"


def attached(word: str, knowledge: Knowledge | None) -> tuple[str, str] | None:
    """Flag and value of a one-letter flag with its value attached, where the engine has that flag: `-O3`."""
    found = _ATTACHED.match(word) if word[2:3].isdigit() else None
    if found and knowledge and knowledge.canonical(found.group(1)):
        return found.group(1), found.group(2)
    return None


@lru_cache(maxsize=4096)
def spell(typed: str, knowledge: Knowledge | None, version: str | None) -> Spelled:
    """What the engine would take `typed` for. Never raises; an unknown flag comes back as typed."""
    if knowledge is None:
        return Spelled(typed, None, False)
    if respelled := knowledge.respelled(typed, version):
        return _found(respelled, respelled, knowledge, version)
    for candidate in _spellings(typed, knowledge):
        if opposite := knowledge.opposite_of(candidate, version):
            return Spelled(opposite.flag, opposite, True, True)
        if canonical := knowledge.canonical_at(candidate, version):
            return _found(canonical, candidate, knowledge, version)
    for candidate, positive in _negations(typed, knowledge):
        canonical = knowledge.canonical(positive)
        if canonical and (spelled := _found(canonical, candidate, knowledge, version)).boolean:
            return Spelled(spelled.flag, spelled.record, True, True)
    if style(knowledge) == "argparse" and (canonical := _by_prefix(typed, knowledge, version)):
        return _found(canonical, canonical, knowledge, version)
    return Spelled(_plain(typed, knowledge), None, False)


def _found(canonical: str, candidate: str, knowledge: Knowledge, version: str | None) -> Spelled:
    head = canonical.partition(".")[0]
    record = knowledge.setting(head, version) or knowledge.setting(head, None)
    kind = record.kind if record else ""
    negated = kind == "pair" and candidate.startswith("--no-") and not canonical.startswith("--no-")
    return Spelled(canonical, record, True, negated)


def _spellings(typed: str, knowledge: Knowledge) -> Iterator[str]:
    head, dot, rest = typed.partition(".")
    yield typed
    yield from (one + dot + rest for one in _swapped(head))
    if style(knowledge) == "gflags" and not typed.startswith("--"):
        yield "-" + typed
        yield from ("-" + one for one in _swapped(typed))
    for separator in "-_":  # --sglang-mem-fraction-static, as frameworks above the engines pass flags through
        prefix = f"--{knowledge.engine}{separator}"
        if head.startswith(prefix):
            yield "--" + typed[len(prefix) :]
            yield from ("--" + one[len(prefix) :] for one in _swapped(typed))


def _swapped(flag: str) -> tuple[str, str]:
    dashes = "--" if flag.startswith("--") else "-"
    body = flag[len(dashes) :]
    return dashes + body.replace("_", "-"), dashes + body.replace("-", "_")


def _negations(typed: str, knowledge: Knowledge) -> Iterator[tuple[str, str]]:
    if style(knowledge) == "gflags":
        found = re.match(r"--?no[-_]?(?=\w)", typed)
        if found:
            for one in _swapped("--" + typed[found.end() :]):
                yield typed, one
    elif found := re.match(r"--no[-_](?=\w)", typed):
        for one in _swapped("--" + typed[found.end() :]):
            yield typed, one


def _by_prefix(typed: str, knowledge: Knowledge, version: str | None) -> str | None:
    """argparse takes any unambiguous beginning of a long flag for the flag."""
    head, dot, rest = typed.partition(".")
    wanted = head.replace("_", "-")
    if not wanted.startswith("--") or len(wanted) < 4:
        return None
    names = _names(knowledge)
    first = bisect_left(names, (wanted, ""))
    hits = {flag for _, flag in takewhile(lambda one: one[0].startswith(wanted), islice(names, first, None))}
    if len(hits) > 1 and version:
        hits = {flag for flag in hits if knowledge.setting(flag, version)} or hits
    if len(hits) > 1:
        hits = {flag for name, flag in names if name == f"{wanted}-size"}
    return hits.pop() + dot + rest if len(hits) == 1 else None


@lru_cache(maxsize=16)
def _names(knowledge: Knowledge) -> tuple[tuple[str, str], ...]:
    """Every spelling of every flag, with the flag it stands for, in order: a line may have thousands to look up."""
    records = [record for flag in knowledge.flags() if (record := knowledge.setting(flag, None))]
    return tuple(sorted((name, record.flag) for record in records for name in (record.flag, *record.aliases)))


def _plain(typed: str, knowledge: Knowledge) -> str:
    """An unknown flag in the engine's usual writing: so that two spellings of it are one flag."""
    head, dot, rest = typed.partition(".")
    dashes, underscores = _swapped(head)
    return (underscores if style(knowledge) == "gflags" else dashes) + dot + rest
