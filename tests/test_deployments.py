"""The corpus of deployment files: what is read in each, where it stands, and what lint says of it.

`tests/deployments/NAME` has its truth beside it in `NAME.expect.yaml`, derived by hand; the keys are explained in
tests/deployments/README.md. Every pair is discovered: a new file needs no line here.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from advisor.jobs.lint_judging import findings_of
from advisor.model.deployment import Argument, Place, Quantity, VersionSource, Workload
from advisor.model.launch import Setting
from tests.deployment_pairs import README, name_of, pairs, plain, read, split, written
from tests.front_door import advisor

PAIRS = {name_of(file): (file, expected) for file, expected in pairs()}
TWELVE = (
    "shell", "python", "docker", "kubernetes", "compose", "helm-values", "llm-d", "lws", "kserve", "dynamo",
    "rayservice", "dockerfile",
)  # fmt: skip
UNSURE = "?"  # a value that a reader may know or not: right when known


def edits(expected: dict[str, Any]) -> list[str]:
    """The lines of the diff that safe edits of this file make."""
    return [line for one in expected["workloads"] for lines in one.get("fixable", {}).values() for line in lines]


each = pytest.mark.parametrize("name", sorted(PAIRS))


@cache
def expected_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = PAIRS[name][1]
    return found


def matched(name: str) -> list[tuple[dict[str, Any], Workload]]:
    """Each launch expected with the launch read, in the file's order; fails when they are not as many."""
    expected, found = expected_of(name)["workloads"], read(PAIRS[name][0]).workloads
    assert len(found) == len(expected), f"read {[one.identity() for one in found]}"
    return list(zip(expected, found, strict=True))


# recognition


@each
def test_format(name: str) -> None:
    found = read(PAIRS[name][0])
    assert found.recognised == expected_of(name)["format"]
    assert found.text.encode() == PAIRS[name][0].read_bytes()


@each
def test_identity(name: str) -> None:
    for wanted, found in matched(name):
        for key in ("kind", "name", "namespace", "container", "role"):
            if key in wanted:
                assert (key, getattr(found, key)) == (key, wanted[key])
        for key in ("engine", "model", "complete"):
            if key in wanted:
                assert (key, getattr(found.launch, key)) == (key, wanted[key])


@each
def test_settings(name: str) -> None:
    for wanted, found in matched(name):
        settings = {one.flag: one for one in found.launch.settings if not split(one, found)}
        if "settings" in wanted:
            aside = wanted.get("optional", {})
            given = {flag for flag in settings if settings[flag].origin == "stated" or flag in wanted["settings"]}
            assert given - set(aside) - _model_only(wanted, given) == set(wanted["settings"])
        for flag, value in {**wanted.get("settings", {}), **wanted.get("settings_include", {})}.items():
            assert flag in settings
            known = all(one.known for one in _arguments(found, settings[flag]))
            _assert_value(flag, value, settings[flag].value, known)


def _model_only(wanted: dict[str, Any], given: set[str]) -> set[str]:
    """Readers may show the model as a setting too; the corpus lists it where the file has the flag."""
    return {one for one in given if one in ("--model", "--model-path") and one not in wanted["settings"]}


def _assert_value(name: str, wanted: object, found: object, known: bool) -> None:
    if wanted is None:
        assert not known, f"{name} is {found!r}, which the file does not tell"
        return
    if isinstance(wanted, str) and wanted.startswith(UNSURE):
        if not known:
            return
        wanted = wanted.removeprefix(UNSURE)
    assert known, f"{name} stands in the file"
    assert (name, plain(found)) == (name, plain(wanted))


@each
def test_environment(name: str) -> None:
    for wanted, found in matched(name):
        if "environment" not in wanted:
            continue
        last = {one.name: one for one in found.environment}
        known = {one for one, given in last.items() if given.known}
        assert known <= set(wanted["environment"]) and set(wanted["environment"]) >= set(last)
        for variable, value in wanted["environment"].items():
            if value is None:
                assert variable not in known
            elif not value.startswith(UNSURE):
                assert (variable, last[variable].value) == (variable, value)


@each
def test_versions(name: str) -> None:
    for wanted, found in matched(name):
        if "versions" in wanted:
            read_here = Counter((one.kind, _without_extras(one.text)) for one in found.versions)
            assert read_here == Counter((one["kind"], _without_extras(one["text"])) for one in wanted["versions"])


def _without_extras(text: str) -> str:
    return re.sub(r"\[[^\]]*\]", "", text).replace(" ", "")


@each
def test_resources(name: str) -> None:
    for wanted, found in matched(name):
        held = found.resources
        numbers = {
            "gpus": held.gpus, "shm_bytes": held.shm, "memory_bytes": held.memory, "replicas": found.replicas,
            "nodes": found.nodes, "grace_s": found.grace,
        }  # fmt: skip
        for key, quantity in numbers.items():
            if key in wanted:
                assert (key, quantity.value if quantity else None) == (key, wanted[key])
        plain = {
            "gpu_resource": held.gpu_resource, "host_ipc": held.host_ipc, "pre_stop_s": found.pre_stop_s,
            "service_links": found.service_links, "capabilities": list(found.capabilities),
        }  # fmt: skip
        for key, value in plain.items():
            if key in wanted:
                assert (key, value) == (key, wanted[key])
        for kind, seconds in wanted.get("probes", {}).items():
            assert (kind, seconds) in [(one.kind, one.allows_s) for one in found.probes]


@each
def test_services_and_notes(name: str) -> None:
    found, expected = read(PAIRS[name][0]), expected_of(name)
    assert [one.name for one in found.services] == expected.get("services", [])
    assert bool(found.unread) == expected.get("unread", False), [one.text for one in found.unread]


# places


@each
def test_spans(name: str) -> None:
    text = read(PAIRS[name][0]).text
    for wanted, found in matched(name):
        for key, pieces in wanted.get("spans", {}).items():
            assert (key, _at(text, key, found, pieces)) == (key, pieces)


def _at(text: str, key: str, workload: Workload, wanted: object) -> object:
    """What the file has at the place of `$VARIABLE`'s value, of an `@` source or quantity, or of a setting: its words.

    A setting for which one text is expected is compared whole, from its first character to its last.
    """
    if key.startswith("$"):
        place = [one for one in workload.environment if one.name == key[1:]][-1].value_place
        assert place is not None, f"{key} has no place of its value"
        return _cut(text, place)
    if key.startswith("@"):
        return _cut(text, _place_of(key[1:], workload))
    setting = workload.launch.setting(key)
    assert setting is not None, key
    words = sorted({(one.place.start, one.place.end) for one in _arguments(workload, setting)})
    assert words, f"{key} has no words in the file"
    assert (setting.start, setting.end) == (words[0][0], words[-1][1]), f"{key}: {text[setting.start : setting.end]!r}"
    if isinstance(wanted, list) and len(wanted) == 1:
        return [text[setting.start : setting.end]]
    return [text[start:end] for start, end in words]


def _arguments(workload: Workload, setting: Setting) -> list[Argument]:
    return [one for one in workload.arguments if setting.start <= one.place.start and one.place.end <= setting.end]


def _place_of(key: str, workload: Workload) -> Place:
    held = workload.resources
    quantities: dict[str, Quantity | None] = {"gpus": held.gpus, "shm": held.shm, "grace": workload.grace}
    if key in quantities:
        quantity = quantities[key]
        assert quantity is not None, key
        return quantity.place
    sources: list[VersionSource] = [one for one in workload.versions if one.kind == key]
    assert sources, f"no version of kind {key}"
    return sources[0].place


def _cut(text: str, place: Place) -> str:
    return text[place.start : place.end]


@each
def test_places_lie_in_the_file(name: str) -> None:
    found = read(PAIRS[name][0])
    for one in found.workloads:
        for place in (one.place, *(word.place for word in one.arguments), *(source.place for source in one.versions)):
            assert 0 <= place.start <= place.end <= len(found.text)
            assert place.span.line == found.text.count("\n", 0, place.start) + 1


@each
def test_every_pair_says_enough(name: str) -> None:
    expected = expected_of(name)
    assert set(expected) >= {"for", "format", "source", "workloads"} and expected["source"]["url"].startswith(
        "https://"
    )
    spans = [key for one in expected["workloads"] for key in one.get("spans", {})]
    assert len(spans) >= (
        3 if name.startswith(("operators/", "helm-", "llm-d/", "kustomize/", "helm-template/")) else 4
    )
    assert all("findings" in one or "findings_any" in one for one in expected["workloads"])


# findings


@each
def test_findings(name: str) -> None:
    found = read(PAIRS[name][0])
    said = findings_of(found, ())
    wanted = [(workload.identity(), one) for one, workload in matched(name)]
    for identity in dict(wanted):
        ids = {one.id for one in said if one.workload == identity and one.kind != "evidence"}
        mine = [one for named, one in wanted if named == identity]
        choices = [set(one) for one in mine[0].get("findings_any", [])]
        assert ids in (choices or [{each for one in mine for each in one["findings"]}]), identity


@pytest.mark.parametrize("name", [name for name in sorted(PAIRS) if edits(PAIRS[name][1])])
def test_fix_makes_the_edits_expected(name: str, tmp_path: Path) -> None:
    file = PAIRS[name][0]
    wanted, lines = edits(expected_of(name)), file.read_bytes().decode().replace("\r\n", "\n").split("\n")
    assert all(one[1:] in lines for one in wanted if one.startswith("-"))
    assert all(one[0] in "+-" for one in wanted)
    copy = tmp_path / name
    copy.parent.mkdir(parents=True)
    copy.write_bytes(file.read_bytes())
    ran = advisor("fix", name, cwd=tmp_path)
    assert set(wanted) <= set(_changed(ran.out)), ran.out + ran.err
    assert copy.read_bytes() == file.read_bytes(), "without --write nothing is written"


def test_fix_leaves_clean_files_alone(tmp_path: Path) -> None:
    clean = [
        name for name in sorted(PAIRS) if not any(one.get("findings", [1]) for one in expected_of(name)["workloads"])
    ]
    for name in clean:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(PAIRS[name][0].read_bytes())
    ran = advisor("fix", "--write", ".", cwd=tmp_path)
    assert (ran.code, _changed(ran.out)) == (0, []), ran.out + ran.err
    assert all((tmp_path / name).read_bytes() == PAIRS[name][0].read_bytes() for name in clean)


def _changed(diff: str) -> list[str]:
    """The lines that a unified diff takes away or adds, without its headers."""
    return [one.rstrip("\r") for one in diff.split("\n") if re.match(r"[+-](?![+-]{2} )", one)]


# the corpus itself


def test_the_table_is_that_of_the_corpus() -> None:
    assert written(README.read_text()) == README.read_text(), "run python -m tests.deployment_pairs"


def test_there_are_enough_files_of_each_format() -> None:
    assert len(PAIRS) >= 66
    folders = Counter(name.partition("/")[0] for name in PAIRS)
    assert {one: folders[one] for one in TWELVE if folders[one] < 3} == {}
    engines_seen = {one["engine"] for _, expected in PAIRS.values() for one in expected["workloads"] if "engine" in one}
    assert engines_seen >= {"vllm", "sglang", "lmdeploy", "xllm"}


def test_clean_exposed_and_contradictory_files_are_all_there() -> None:
    found = [
        {each for one in expected["workloads"] for each in one.get("findings", ())} for _, expected in PAIRS.values()
    ]
    clean = sum(not one for one in found)
    facts = sum(any("/" in each or each.startswith(("setting-", "variable-")) for each in one) for one in found)
    assert clean >= len(found) // 4
    assert facts >= len(found) // 4
    assert len(found) - clean - facts >= len(found) // 5
