"""What ran as far as it was printed, beside the commands that are handed over with it -> where the two do not agree.

    printed --tensor-parallel-size 8, given 4                     "--tensor-parallel-size 8 (you give 4)"
    printed --enforce-eager, given without it                     "--enforce-eager True (you give none)"
    printed without --max-num-seqs, given with 17                 "no --max-num-seqs (you give 17)"

What one of several commands has counts as given, so that the parts of a deployment are not held against one another.

**Source:** vLLM's `log_non_default_args` (every argument that is not the parser's default; of late `***` in place of
secrets), in stored copies of its source from several releases, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.catalog.engines import knowledge
from advisor.model.condition import as_word
from advisor.model.fact import Value
from advisor.model.knowledge import SettingRecord
from advisor.model.launch import Launch, Setting
from advisor.redaction import redact_value

SHOWN = 4
_LISTS_WHAT_IS_GIVEN = "vllm"  # its dump leaves defaults out; others print them all, and what follows from them
_OWN = ("--model", "--model-path", "--host", "--port")  # what differs from one start to the next
_NOT_PRINTED = ("--config", "--headless", "--api-server-count")  # read before, or set by the engine itself
_HIDDEN = "***"  # what it prints of a key or a token
_SCALAR = ("switch", "pair", "value")


def lists_what_is_given(printed: Launch) -> bool:
    """Whether the engine printed what is given to it, and not what follows from that or stands there anyway."""
    return printed.engine.startswith(_LISTS_WHAT_IS_GIVEN)


def differences(printed: Launch, given: list[Launch], version: str | None, by: str = "you give") -> list[str]:
    """Where no command has what was printed, then what every command has and the engine did not print; `by` says who
    gives."""
    lists = lists_what_is_given(printed)
    other = [said for one in printed.settings if (said := _differs(one, given, by, absent=lists))]
    return other + (list(_lacking(printed, given, version, by)) if lists and printed.complete else [])


def _differs(printed: Setting, given: list[Launch], by: str, *, absent: bool) -> str:
    """What a printed argument is, and what is given in its place; "" where a command has it so."""
    if printed.origin != "observed" or printed.flag in _OWN or str(printed.value).startswith(("{", "[", _HIDDEN)):
        return ""
    flag, shown = printed.flag, as_typed(printed.flag, printed.value)
    typed = [one.setting(flag) for one in given]
    if any(one is not None and alike(one.value, printed.value) for one in typed):
        return ""
    other = next((one for one in typed if one is not None), None)
    if other is not None:
        return f"{flag} {shown} ({by} {as_typed(flag, other.value)})"
    none = absent and not any(one.setting(flag.partition(".")[0]) for one in given)
    return f"{flag} {shown} ({by} none)" if none and printed.value not in (None, "") else ""


def _lacking(printed: Launch, given: list[Launch], version: str | None, by: str) -> Iterator[str]:
    """What every command sets to other than its default, and the engine did not print among what is not."""
    names = {one.flag.partition(".")[0] for one in printed.settings}
    for flag in dict.fromkeys(one.flag for one in given[0].settings if "." not in one.flag):
        if flag in names or flag in _OWN or flag in _NOT_PRINTED:
            continue
        typed = [one.setting(flag) for one in given]
        if all(one is not None and _is_surely_printed(one, printed.engine, version) for one in typed):
            yield f"no {flag} ({by} {as_typed(flag, typed[0].value if typed[0] else None)})"


def _is_surely_printed(typed: Setting, engine: str, version: str | None) -> bool:
    """Whether the engine prints it: a flag of this release, one value, and known not to be the default."""
    known = knowledge(engine)
    record = known.setting(typed.flag, version)
    records = [record] if version else known.records(typed.flag)
    return (
        typed.origin == "stated"
        and typed.known
        and not str(typed.value).startswith(("{", "["))
        and bool(records)
        and all(one is not None and _is_other(one, typed.value) for one in records)
    )


def _is_other(record: SettingRecord, value: Value) -> bool:
    """Whether the value is known to be another than the default."""
    simple = record.kind in _SCALAR and record.default_known and record.env is None
    return simple and not isinstance(record.default, dict | list) and not alike(value, record.default)


def as_typed(flag: str, value: Value) -> str:
    """The value, hidden where it is a secret, as a word of the note."""
    return as_word(str(redact_value(flag, value)))


def alike(one: Value, other: Value) -> bool:
    """Whether two values are one as far as can be told: unset in any spelling, or a name that a shell fills in."""
    unset = (None, "", False)
    words = [str(each).strip().lower() for each in (one, other)]
    same = words[0] == words[1] or (one in unset and other in unset) or "$" in words[0] or words[0].startswith("<")
    return same or (_number(words[0]) is not None and _number(words[0]) == _number(words[1]))


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def listed(said: list[str]) -> str:
    """The first of them, and how many more there are."""
    return ", ".join(said[:SHOWN]) + (f" and {len(said) - SHOWN} more" if len(said) > SHOWN else "")
