"""The cases beside each rule, run as a user would hand them over, against what they expect.

`cases/<name>/expect.yaml` says what is given and what must come out; every other file of the folder is an input.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from advisor.catalog.places import rules_root
from advisor.errors import RuleError
from advisor.jobs.check import check
from advisor.jobs.request import File, Request
from advisor.model.report import Finding, Report
from advisor.model.rule import Rule
from advisor.redaction import shown_as_given
from advisor.yaml import load

KINDS = ("fires", "quiet", "unsure")
GIVEN = ("engine", "version", "flags", "env", "component", "hardware", "model", "symptom", "logs", "stacks")
EXPECT = ("status", "leads", "because", "deciding", "asks", "others", "not_matched")


@dataclass(frozen=True)
class RuleCase:
    """One case of one rule. `todo` is why it is a known gap, "" when it must pass."""

    rule: str
    name: str
    folder: Path
    request: Request
    expect: dict[str, Any]
    todo: str

    @property
    def kind(self) -> str:
        """`fires`, `quiet` or `unsure`: the prefix of its name; "" for another name."""
        prefix = self.name.partition("-")[0]
        return prefix if prefix in KINDS else ""

    def __str__(self) -> str:
        return f"{self.rule}/cases/{self.name}"


def cases(base: Path | None = None, only: str = "") -> Iterator[RuleCase]:
    """Every case below `base`, in order; `only` narrows to one rule id. Raises RuleError for an unusable case."""
    base = base or rules_root()
    for folder in case_folders(base, only):
        yield read_case(base, folder)


def case_folders(base: Path, only: str = "") -> list[Path]:
    """Every case's folder below `base`, in order."""
    found = sorted(one for one in base.glob("[!.]*/[!.]*/cases/[!.]*") if one.is_dir())
    return [one for one in found if only in ("", "/".join(one.relative_to(base).parts[:2]))]


def read_case(base: Path, folder: Path) -> RuleCase:
    """One case. Raises RuleError for one that cannot be used."""
    rule = "/".join(folder.relative_to(base).parts[:2])
    file = folder / "expect.yaml"
    name = f"rules/{rule}/cases/{folder.name}/expect.yaml"
    try:
        document = load(file.read_text(encoding="utf-8"), name)
    except FileNotFoundError:
        raise RuleError("is missing", name, "a case says what it expects") from None
    except UnicodeDecodeError:
        raise RuleError("is not UTF-8 text", name) from None
    value = document.value if isinstance(document.value, dict) else {}
    given, expect = value.get("given") or {}, value.get("expect") or {}
    for words, known, where in ((given, GIVEN, "given"), (expect, EXPECT, "expect")):
        extra = sorted(set(words) - set(known))
        if extra:
            raise RuleError(
                f"{where} does not know {', '.join(extra)}",
                f"{name}:{document.line((where, extra[0]))}",
                f"known: {', '.join(known)}",
            )
    if not value.get("source") or not expect:
        raise RuleError("a case needs expect and source", name)
    return RuleCase(
        rule, file.parent.name, file.parent, _request(given, file.parent), expect, str(value.get("todo") or "")
    )


def _request(given: dict[str, Any], folder: Path) -> Request:
    kinds = {**dict.fromkeys(_many(given.get("logs")), "log"), **dict.fromkeys(_many(given.get("stacks")), "stack")}
    files = sorted(one for one in folder.rglob("*") if one.is_file() and one.name != "expect.yaml")
    return Request(
        engine=str(given.get("engine") or ""),
        version=str(given.get("version") or ""),
        flags=_many(given.get("flags")),
        env=_many(given.get("env")),
        components=_many(given.get("component")),
        hardware=_many(given.get("hardware")),
        model=str(given.get("model") or ""),
        symptoms=_many(given.get("symptom")),
        files=tuple(File(one.name, one.read_bytes(), kinds.get(one.name, "")) for one in files),
    )


def _many(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(str(one) for one in value) if isinstance(value, list) else (str(value),)


def run(case: RuleCase, among: tuple[Rule, ...] | None = None) -> list[str]:
    """What is wrong with the report on this case, the rules being `among`; empty when it is as expected."""
    with shown_as_given():  # what a case expects is said in its inputs' own words
        answer = check(case.request, among)
    return [*(f"input not read: {one.line()}" for one in answer.problems), *faults(case, answer.report)]


def faults(case: RuleCase, report: Report) -> list[str]:
    """Where the report differs from what the case expects."""
    found = {one.rule: one for one in report.findings}
    wrong: list[str] = []
    for rule, wanted in {case.rule: case.expect.get("status"), **(case.expect.get("others") or {})}.items():
        have = found[rule].status if rule in found else "none"
        if wanted is not None and have != wanted:
            wrong.append(f"{rule} is {have}, expected {wanted}")
    if case.expect.get("leads") and (not report.findings or report.findings[0].rule != case.rule):
        wrong.append(f"leads: {report.findings[0].rule if report.findings else 'nothing'}, expected {case.rule}")
    if case.expect.get("not_matched") and any(one.status == "matched" for one in report.findings):
        wrong.append("something is matched, expected nothing")
    wrong += _texts(case, found.get(case.rule))
    return wrong + _asks(case, report)


def _texts(case: RuleCase, finding: Finding | None) -> list[str]:
    wrong = []
    for key in ("because", "deciding"):
        facts = getattr(finding, key) if finding else ()
        text = "\n".join(f"{fact.name} {fact.says} {fact.quote}" for fact in facts)
        wrong += [f"{key} lacks {part!r}" for part in case.expect.get(key) or () if str(part) not in text]
    return wrong


def _asks(case: RuleCase, report: Report) -> list[str]:
    asked = [f"{one.question} {one.how}" for one in report.questions]
    place = 0
    for part in case.expect.get("asks") or ():
        found = next((index for index in range(place, len(asked)) if str(part) in asked[index]), None)
        if found is None:
            return [f"questions lack {part!r} (in this order)"]
        place = found
    return []
