"""Settings spoken of by the flag's bare name -> settings.

    tp_size=4 pp_size=1, mem-fraction-static 0.85     -> --tp-size 4, --pp-size 1, --mem-fraction-static 0.85
    expert_parallel_size=8              -> --dp 8, --ep 8 where the profile's `keywords` say so (LMDeploy under xtuner)
    backend: `pytorch`; backend pytorch               -> --backend pytorch, `pytorch` being one of its choices

Only a name that is the flag's own and a value that fits the flag's type or choices count: prose has many words that
are also flags.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from advisor.launches import python_code
from advisor.launches.flags import convert
from advisor.launches.prose import Prose
from advisor.model.fact import Value
from advisor.model.knowledge import Knowledge, SettingRecord
from advisor.model.launch import Setting
from advisor.model.shape import Shape

_NAMED = Shape(
    r"(?<![A-Za-z0-9_./-])([a-z][a-z0-9]*(?:[_-][a-z0-9]+)*)`?\s*(=(?!=)|[:：]|\s)\s{0,40}[`\"']?([A-Za-z0-9_.-]*[A-Za-z0-9_])(?![A-Za-z0-9_(=])"
)  # tp_size=4
_OTHER_CASE = Shape(r"(?i)\b(?:if|unless|without|not|no|needs?|requires?|fix\w*|instead|default)\b|#\d{3,}|如果|除非")


def read(prose: Prose, known: Knowledge | None, version: str | None) -> Iterator[tuple[Setting, int, int]]:
    """Each such setting, with the characters it stands on."""
    if known is None:
        return
    for found in _NAMED.finditer(prose.joined):
        name, sign, said = found.groups()
        records = _records(name, known, version)  # first: most words are no flag's name
        if not records or _OTHER_CASE.search(prose.clause(*found.span())):
            continue
        for record in records:
            value = _fitting(record, said, spoken=not sign.strip(), compound="_" in name or "-" in name)
            if value is not None:
                span = prose.span(*found.span())
                yield Setting(record.flag, value, name, span, quote=prose.quote(found.start())), *found.span()


@lru_cache(maxsize=4096)
def _records(name: str, known: Knowledge, version: str | None) -> tuple[SettingRecord, ...]:
    """The flags that a name stands for: its own, that behind a framework's prefix, or what the profile says it sets."""
    bare = name.removeprefix(f"{known.engine}_")
    told = python_code.flags_of(name, known)
    records = (_record(each[2:], known, version) for each in told or (f"--{bare}",))
    return tuple(record for record in records if record)


def _record(name: str, known: Knowledge, version: str | None) -> SettingRecord | None:
    for spelled in (f"--{name}", f"--{name.replace('_', '-')}", f"--{name.replace('-', '_')}"):
        if canonical := known.canonical(spelled):
            return known.setting(canonical, version) or known.setting(canonical, None)
    return None


def _fitting(record: SettingRecord, said: str, *, spoken: bool, compound: bool) -> Value:
    """The value, or None where the words do not say that it is one: a lone word takes a listed choice or a `=`."""
    if record.choices:
        return (
            said if said in [str(one) for one in record.choices] and (compound or not spoken or len(said) > 4) else None
        )
    value = convert(said, record.type)
    if record.type in ("int", "float"):
        return value if not isinstance(value, str) and (compound or not spoken) else None
    if record.type == "bool":
        return value if isinstance(value, bool) and said.lower() in ("true", "false") and not spoken else None
    return None
