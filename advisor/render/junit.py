"""Lint report -> JUnit XML, for the test reports of GitLab, Jenkins, Azure and their kin.

A suite is a file, a case one finding in it: failed when it makes the run fail, skipped when suppressed, otherwise
passed with its text as output. A file that deploys something and has no finding is one passed case, so that a clean
run is not an empty one; a file that could not be read is a skipped case that says so.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from xml.etree import ElementTree

from advisor.model.lint import FileOut, LintFinding, LintReport
from advisor.render.lint_words import counting, relative, suppressed
from advisor.render.quoting import many_lines, one_line

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML 1.0 has no place for


def junit(report: LintReport, failing: Collection[LintFinding] | None = None) -> str:
    """The report as JUnit XML. `failing` are the findings that fail the run; by default errors and warnings do."""
    fails = {one.fingerprint for one in (_default(report) if failing is None else failing)}
    here: dict[str, list[LintFinding]] = {one.name: [] for one in report.files if one.format or one.notes}
    for one in report.findings:
        here.setdefault(one.region.file, []).append(one)
    files = {one.name: one for one in report.files}
    root = ElementTree.Element("testsuites", name="advisor lint")
    for name, findings in here.items():
        root.append(_suite(name, files.get(name), findings, fails))
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


def _default(report: LintReport) -> list[LintFinding]:
    return [one for one in counting(report) if one.level != "note"]


def _suite(name: str, file: FileOut | None, findings: list[LintFinding], fails: Collection[str]) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", name=_clean(relative(name)))
    for one in findings:
        suite.append(_case(one, fails))
    for note in file.notes if file else ():
        case = _named(name, "could be read")
        ElementTree.SubElement(case, "skipped", message=_clean(f"not read in full: {note}"))
        suite.append(case)
    if not len(suite):
        suite.append(_named(name, "no findings"))
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("*/failure"))))
    suite.set("errors", "0")
    suite.set("skipped", str(len(suite.findall("*/skipped"))))
    suite.set("time", "0")
    return suite


def _case(one: LintFinding, fails: Collection[str]) -> ElementTree.Element:
    about = f" ({one.workload})" if one.workload else ""
    case = _named(one.region.file, f"{one.id}{about} line {one.region.line}", one.region.line)
    told = "\n".join(
        [
            f"{relative(one.region.file)}:{one.region.line}:{one.region.column}: {one.level} {one.id}",
            one.says,
            *(f"because {why}" for why in one.because),
            *(f"- {advice}" for advice in one.advice),
        ]
    )
    if one.suppressed:
        ElementTree.SubElement(case, "skipped", message=_clean(suppressed(one)))
    elif one.fingerprint in fails:
        failure = ElementTree.SubElement(case, "failure", type=one.level, message=_clean(one_line(one.says)))
        failure.text = _clean(told)
    else:
        ElementTree.SubElement(case, "system-out").text = _clean(told)
    return case


def _named(file: str, name: str, line: int = 1) -> ElementTree.Element:
    where = _clean(relative(file))
    return ElementTree.Element(
        "testcase", classname=where, name=_clean(one_line(name)), file=where, line=str(line), time="0"
    )


def _clean(text: str) -> str:
    return _ILLEGAL.sub("�", many_lines(text))
