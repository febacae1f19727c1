"""A setting as given × its record at one release -> how the release would not take it so, or None when it would.

    --tp_size 8            SGLang's argparse wants dashes
    -dp 2                  a spelling that came later
    --enable-chunked-prefill False     a pair takes no value: `--no-…` is its off
    --max-num-seqs many    not an int
    --dtype float64        not among the choices
    --speculative-config '{"method": "dsparc"}'    neither is that, for this key of it

Placeholders (`$TP`, `<model>`, `{{ .Values.tp }}`) are never judged; a lone `x` is one only where a launch is told of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from difflib import get_close_matches

from advisor.model.condition import as_word
from advisor.model.fact import Value
from advisor.model.knowledge import SettingRecord
from advisor.model.late import dataclass
from advisor.model.launch import Setting
from advisor.model.shape import Shape

_PLACEHOLDER = Shape(
    r"[$<>`?%\u00a0\u201c\u201d\u2018\u2019\u2026]|\{\{|\.\.\.|^\[[a-z_]+\]$|^[xX]{2,}$|^[nN]{2,}$|^[XN]$"
)
_LETTER = Shape(r"[xn]")  # --tensor-parallel-size x, in an account of it
_SHOUTED = Shape(r"[A-Z][A-Z0-9_]+")  # TP_SIZE stands for a number; INFO may be a choice in the wrong case
_INT = Shape(r"[+-]?\d[\d_]*|\d+(?:\.\d+)?[kKmMgGtT]|auto")  # some whole numbers may be written 4k or auto
_FLOAT = Shape(r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:inf|nan)", re.I)


@dataclass(frozen=True)
class Fitting:
    """What does not fit: `says` follows the release's name; `refused` when the engine ends with an error."""

    code: str
    says: str
    instead: str = ""
    refused: bool = True


def fit(
    given: Setting, here: SettingRecord, records: tuple[SettingRecord, ...], style: str, *, spoken: bool = False
) -> Fitting | None:
    """How the release would not take a setting as it is given.

    `style`: `argparse`, which tells `--a_b` from `--a-b`, `argparse-underscores`, which does not, or `gflags`.
    `spoken`: it stands in a text that tells of the launch.
    """
    if spoken and given.raw and _LETTER.fullmatch(given.raw):
        return _spelling(given, here, records, style)
    return _spelling(given, here, records, style) or _value(given, here, records, style)


def _spelling(given: Setting, here: SettingRecord, records: tuple[SettingRecord, ...], style: str) -> Fitting | None:
    typed = given.typed.partition(".")[0]
    if style == "gflags" or typed == here.flag or typed in here.aliases:
        return None
    accepted = spellings(here)
    alike = {one.replace("_", "-"): one for one in accepted}
    meant = alike.get(typed.replace("_", "-"))
    if typed in accepted or (meant and style != "argparse"):
        return None
    if typed.startswith("--") and any(one.startswith(typed.replace("_", "-")) for one in alike):
        strict = style == "argparse" and not any(one.startswith(typed) for one in accepted)
        return _dashed(typed, meant or here.flag) if strict else None  # argparse completes a beginning
    if meant:
        return _dashed(typed, meant)
    having = [one for one in records if typed in spellings(one)]
    if not having:
        no_off = typed.startswith("--no-") and here.kind == "switch"
        return (
            Fitting("setting-spelling", f"has no off spelling of {here.flag}; leave the flag out") if no_off else None
        )
    off = typed.startswith("--no-") and here.kind != "pair"
    instead = "" if off else here.flag
    when = f"came in {having[0].since}" if _later(having[0], here, records) else f"went in {having[-1].until}"
    told = "has no off spelling; leave the flag out" if off else f"takes {here.flag}"
    return Fitting("setting-spelling", f"{told}: {given.typed} {when}", instead)


def _dashed(typed: str, meant: str) -> Fitting:
    return Fitting("setting-spelling", f"takes {meant}, not {typed}: it tells dashes from underscores", meant)


def _later(one: SettingRecord, here: SettingRecord, records: tuple[SettingRecord, ...]) -> bool:
    order = [record.since for record in records]
    return order.index(one.since) > order.index(here.since)


def spellings(record: SettingRecord) -> set[str]:
    """Every way a release lets the flag be written."""
    own = {record.flag, *record.aliases}
    off = {f"--no-{one[2:]}" for one in own if one.startswith("--")} if record.kind == "pair" else set()
    return {*own, *off, *record.negations}


def _value(given: Setting, here: SettingRecord, records: tuple[SettingRecord, ...], style: str) -> Fitting | None:
    raw = given.raw
    if not raw or _is_placeholder(raw, here):
        return None
    if "." in given.typed.lstrip("-"):
        return _of_key(given.flag.partition(".")[2], raw, here)
    if here.kind in ("switch", "pair"):
        return _no_value(here, records, raw) if style != "gflags" else None
    if here.kind == "json":
        return _json(raw, here)
    if here.kind != "value" or raw.startswith(("{", "[")):
        return None
    if here.choices and raw not in map(str, here.choices):
        return _no_choice(raw, here.flag, here.choices)
    if not here.choices and not _of_type(raw, here.type):
        return Fitting("setting-value", f"wants {wanted(here)} for {here.flag}, not {raw}")
    return None


def _json(raw: str, here: SettingRecord) -> Fitting | None:
    """JSON that does not parse, or in it a value that its key does not take."""
    if not raw.startswith(("{", "[")):
        return None
    try:
        given = json.loads(raw)
    except (ValueError, RecursionError):
        said = f"wants JSON for {here.flag}; what is given does not parse"
        return Fitting("setting-value", said) if here.type != "str" else None
    items = given.items() if isinstance(given, dict) else ()
    return next((found for key, value in items if (found := _of_key(key, value, here))), None)


def _of_key(key: str, value: object, here: SettingRecord) -> Fitting | None:
    """A value that is not among those that a key of the JSON takes."""
    taken = here.keys.get(key) or ()
    plain = isinstance(value, str | int | float) and not (isinstance(value, str) and _is_placeholder(value, here))
    return _no_choice(str(value), f"{here.flag}.{key}", taken) if taken and plain and value not in taken else None


def _no_choice(raw: str, flag: str, choices: Sequence[Value]) -> Fitting:
    """A value that is none of the choices: the nearest of them, and what they are."""
    named = list(map(str, choices))
    near = get_close_matches(raw, named, 1, 0.6)
    meant = f"did you mean {near[0]}? It takes " if near else "one of "
    listed = ", ".join(named[:12]) + (", …" if len(named) > 12 else "")
    return Fitting("setting-value", f"does not take {as_word(raw)} for {flag}: {meant}{listed}")


def _is_placeholder(raw: str, here: SettingRecord) -> bool:
    """Whether a word stands for a value that is filled in elsewhere."""
    choices = {str(one).lower() for one in here.choices or ()}
    return bool(_PLACEHOLDER.search(raw)) or bool(_SHOUTED.fullmatch(raw) and raw.lower() not in choices)


def wanted(record: SettingRecord | None) -> str:
    """What a flag takes, in words: `a whole number`, `one of auto, half`."""
    if record is not None and record.choices:
        return f"one of {', '.join(map(str, record.choices[:12]))}" + (", …" if len(record.choices) > 12 else "")
    kind = record.type if record is not None and record.kind == "value" else ""
    json_ = record is not None and record.kind == "json"
    return {"int": "a whole number", "float": "a number"}.get(kind or "", "a JSON object" if json_ else "a value")


def _of_type(raw: str, kind: str | None) -> bool:
    if kind == "int":
        return bool(_INT.fullmatch(raw))
    return kind != "float" or bool(_FLOAT.fullmatch(raw))


def _no_value(here: SettingRecord, records: tuple[SettingRecord, ...], raw: str) -> Fitting | None:
    """`--x true` where the flag takes no value; people write so for releases where it took one."""
    if raw.lower() not in ("true", "false"):
        return None
    off = raw.lower() == "false"
    instead = here.flag if not off else f"--no-{here.flag[2:]}" if here.kind == "pair" else ""
    since = next((one.since for one in records if one.kind == here.kind), here.since)
    changed = f" since {since}" if records[0].kind not in ("switch", "pair") else ""
    written = f"write {instead}" if instead else "leave it out"
    return Fitting("setting-kind", f"takes no value after {here.flag}{changed}; {written}", instead)
