"""Deployments made by hand, as the readers of files make them: a command's own text with its places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from advisor.catalog.engines import engines, knowledge
from advisor.jobs.lint_judging import findings_of
from advisor.launches import reading
from advisor.model.deployment import (
    Argument,
    Assignment,
    Deployment,
    Place,
    Probe,
    Quantity,
    Service,
    VersionSource,
    Workload,
)
from advisor.model.fact import Span
from advisor.model.launch import Launch
from advisor.model.lint import LintFinding

KNOWN = {name: knowledge(name) for name in engines()}


def place(text: str, part: str, file: str = "f.yaml", form: Any = "text") -> Place:
    """Where `part` first stands in `text`."""
    start = text.index(part)
    line = text.count("\n", 0, start) + 1
    return Place(start, start + len(part), form, Span(file, line, line + part.count("\n")))


def quantity(text: str, part: str, value: int, file: str = "f.yaml") -> Quantity:
    return Quantity(value, part, place(text, part, file))


def probe(text: str, part: str, kind: Any, allows_s: int, path: str = "/health") -> Probe:
    return Probe(kind, allows_s, path, place(text, part))


def service(text: str, part: str, name: str, namespace: str = "", file: str = "f.yaml") -> Service:
    return Service(name, namespace, place(text, part, file))


def launch_of(text: str, engine: str = "", file: str = "f.yaml", *, index: int = 0) -> Launch:
    """The launch of the commands in `text`, with its settings' places in it."""
    found = reading.read(text, knowledge=KNOWN, engine=engine or None, artifact=file, bare_is_complete=True)
    return replace(found.launches[index], text=text) if found.launches else Launch(engine, artifact=file, text=text)


def workload(
    text: str, *, file: str = "f.yaml", engine: str = "", version: str = "", pip: str = "", git: str = "", image: str = "",
    format: str = "shell", index: int = 0, launch: Launch | None = None, **more: Any,
) -> Workload:  # fmt: skip
    """A workload of `text`; each version source has to stand in it, or is placed at its start."""
    made = launch or launch_of(text, engine, file, index=index)
    sources = (("explicit", version), ("pip", pip), ("git", git), ("image", image))
    versions = tuple(VersionSource(kind, said, _at(text, said, file)) for kind, said in sources if said)  # type: ignore[arg-type]
    words = tuple(
        Argument(word, place(text, word, file, "shell word")) for word in dict.fromkeys(text.split()) if word in text
    )
    environment = tuple(Assignment(one.name, one.value, _at(text, one.name, file)) for one in made.environment)
    whole = Place(0, len(text), "text", Span(file, 1, text.count("\n") + 1))
    return Workload(
        file,
        format,
        made,
        **{"place": whole, "arguments": words, "environment": environment, "versions": versions, **more},
    )


def _at(text: str, part: str, file: str) -> Place:
    return place(text, part, file) if part in text else Place(0, 0, "text", Span(file, 1, 1))


def pod(text: str, **more: Any) -> Workload:
    """A workload of a whole Deployment of Kubernetes: with a selector and an image, which names no release."""
    named = {"format": "kubernetes", "kind": "Deployment", "name": "llm", "container": "engine"}
    made = workload(f"{text}# selector\n", **{**named, **more})
    image = made.launch.image or f"registry.example/{made.launch.engine}"
    return replace(made, launch=replace(made.launch, image=image))


def lint(
    *workloads: Workload, services: Sequence[Service] = (), others: Sequence[Deployment] = (), evidence: bool = False
) -> tuple[LintFinding, ...]:
    """What lint says of one file that deploys these."""
    first = workloads[0]
    made = Deployment(first.file, first.launch.text, first.format, workloads, tuple(services))
    return findings_of(made, others, evidence=evidence)


def only(findings: Sequence[LintFinding], id: str) -> LintFinding:
    """The one finding of that id."""
    found = [one for one in findings if one.id == id]
    assert len(found) == 1, [one.id for one in findings]
    return found[0]


def ids(findings: Sequence[LintFinding]) -> list[str]:
    return [one.id for one in findings]
