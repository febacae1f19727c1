"""What a person answered (`Request.said`) → stated facts, by the name that conditions have for each thing.

A flag or variable said not to be there has the value None, a line or stack said not to be there False.
"""

from __future__ import annotations

from math import isfinite

from advisor.errors import UsageError
from advisor.jobs.request import Said
from advisor.model.condition import HARDWARE
from advisor.model.fact import Fact, FactKind, Span, Value
from advisor.patterns import PatternError, compile_pattern

YES = ("yes", "y", "true", "on", "1", "是", "有", "对", "会")
NO = ("no", "n", "false", "off", "0", "否", "没有", "不", "不是", "不会")
NOT_THERE = ("not there", "absent", "not set", "unset", "none", "未设置", "没有", "没有设置", "不在命令行里")


def fact_of(said: Said) -> Fact:
    """The answer as a stated fact. Raises UsageError where it is not one of the kind asked for."""
    kind, _, name = said.about.partition(":")
    text = said.answer.strip()
    if kind == "log":
        _compiles(name)
    if kind in ("log", "stack"):
        return _stated(said.about, yes_or_no(text), text)
    if kind in ("setting", "env"):
        gone = text.casefold() in NOT_THERE
        value: Value = None if gone else text if kind == "env" else _value(text)
        return _stated(said.about, value, f"{name} {'is not set' if gone else text}")
    if kind == "hardware":
        return _stated(f"hardware.{name}", _machine(name, text), text)
    if kind == "fact":
        return _of_kind(name, text)
    raise UsageError(f"no question is about {said.about!r}", "--said", "the line that diagnose prints has them")


def _compiles(pattern: str) -> None:
    try:
        compile_pattern(pattern)
    except PatternError as error:
        raise UsageError(f"is no pattern: {error}", f"--said log:{pattern}", None) from None


CLOSED = {
    "arch": {"x86_64": "x86_64", "amd64": "x86_64", "x86": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"},
    "vendor": {
        **{"nvidia": "nvidia", "amd": "amd", "rocm": "amd", "ascend": "ascend", "huawei": "ascend", "昇腾": "ascend"},
        **{"cambricon": "cambricon", "mlu": "cambricon", "寒武纪": "cambricon", "intel": "intel", "google": "google"},
    },
    "os": {"linux": "linux", "windows": "windows", "wsl": "wsl", "wsl2": "wsl"},
}
"""Things of which there are only so many, by the words for each."""


def _machine(name: str, text: str) -> Value:
    if name not in HARDWARE:
        raise UsageError(f"nothing is known of hardware:{name}", "--said", f"known: {', '.join(HARDWARE)}")
    if name in ("count", "nodes", "capability"):
        if (many := number(text)) < 1:
            raise UsageError(f"{text!r} is too few", "answer", None)
        return many
    if name not in CLOSED:
        return text
    word = CLOSED[name].get(text.casefold())
    if word is None:
        known = ", ".join(dict.fromkeys(CLOSED[name].values()))
        raise UsageError(f"{text!r} is none of {known}", "answer", "one of these, or ? for not known")
    return word


def _of_kind(name: str, text: str) -> Fact:
    from advisor.jobs.vocabulary import kinds

    kind: FactKind | None = kinds().get(name)
    if kind is None:
        raise UsageError(f"no fact is called {name!r}", "--said", "docs/vocabulary.md lists them")
    if kind.type == "bool":
        value: Value = yes_or_no(text)
    elif kind.type in ("int", "float"):
        value = number(text)
    else:
        value = text
    fact = _stated(name, value, f"{kind.question} {text}")
    return fact.but(notable=name.startswith("symptom.") and value is True)


def _stated(name: str, value: Value, quote: str) -> Fact:
    return Fact(name, value, "stated", Span("--said"), quote)


def yes_or_no(text: str) -> bool:
    """The answer to a yes-or-no question. Raises UsageError where it is neither."""
    word = text.casefold().rstrip(".。!！")
    if word in YES:
        return True
    if word in NO:
        return False
    raise UsageError(f"{text!r} is neither yes nor no", "answer", "yes, no, or ? for not known")


def number(text: str) -> int | float:
    """The number that was answered. Raises UsageError where it is none."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        if isfinite(value := float(text)):
            return value
        raise ValueError
    except ValueError:
        raise UsageError(f"{text!r} is not a number", "answer", "a number, or ? for not known") from None


def _value(text: str) -> Value:
    word = text.casefold()
    if word in ("true", "yes", "on"):
        return True
    if word in ("false", "no", "off"):
        return False
    try:
        return number(text)
    except UsageError:
        return text
