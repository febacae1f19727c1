"""Commands in YAML scalars over several lines, as an operator hands them over: read as the shell gets them, folded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.front_door import advisor, checked

IMAGE = "vllm/vllm-openai:v0.28.0"
FLAGS = "--pipeline-parallel-size 2", "--speculative-config.method mtp", "--swap-space 16"
POD = f"""apiVersion: apps/v1
kind: Deployment
metadata: {{name: v}}
spec:
  template:
    spec:
      containers:
        - name: v
          image: {IMAGE}
          command: ["/bin/bash", "-c"]
          env: [{{name: NCCL_DEBUG, value: INFO}}]
          args:
"""
LINES = ("vllm serve m", *FLAGS)


def item(opening: str, closing: str = "", between: str = "", indent: int = 14) -> str:
    """The command over four lines, behind `opening`."""
    own = (" " * indent).join(f"{line}{between if index < 3 else ''}\n" for index, line in enumerate(LINES))
    return f"            - {opening}{own.removesuffix(chr(10))}{closing}\n"


BLOCK = "\n" + " " * 14
SCALARS = {
    "folded": POD + item(f">-{BLOCK}"),
    "folded, kept ends": POD + item(f">+{BLOCK}"),
    "folded after a blank line": POD + item(f">{BLOCK}export HF_HUB_OFFLINE=1\n{BLOCK}"),
    "plain": POD + item(""),
    "double quotes": POD + item('"', '"'),
    "double quotes, joined": POD + item('"', '"', " \\"),
    "single quotes": POD + item("'", "'"),
    "folded with continuations": POD + item(f">-{BLOCK}", between=" \\"),
    "literal": POD + item(f"|{BLOCK}", between=" \\"),
    "flow": POD.replace("args:\n", "args: ")
    + item("", "", indent=12).replace("            - ", '["', 1).rstrip()
    + '"]\n',
    "compose": f"services:\n  v:\n    image: {IMAGE}\n    environment:\n      - NCCL_DEBUG=INFO\n    command: >-\n      "
    + "\n      ".join(("--model m", *FLAGS))
    + "\n",
    "compose, plain": f"services:\n  v:\n    image: {IMAGE}\n    environment:\n      - NCCL_DEBUG=INFO\n    command: "
    + "\n      ".join(("--model m", *FLAGS))
    + "\n",
}


@pytest.mark.parametrize("name", SCALARS)
def test_check_and_lint_see_every_line_and_fix_edits_it(tmp_path: Path, name: str) -> None:
    file = tmp_path / "dep.yaml"
    file.write_text(SCALARS[name], encoding="utf-8")
    at = {flag: SCALARS[name][: SCALARS[name].index(flag)].count("\n") + 1 for flag in FLAGS}

    report = checked(str(file)).report
    said = {one["flag"]: one["value"] for one in report["settings"]}
    assert said["--pipeline-parallel-size"] == 2 and said["--speculative-config.method"] == "mtp"
    assert report["environment"]["NCCL_DEBUG"] == "INFO" and report["coverage"]["launch_complete"]
    (met,) = (one for one in report["findings"] if one["rule"] == "vllm/pp-spec-refused")
    if name != "literal":  # whose places the reader of shell gives
        assert f"{file}:{at[FLAGS[0]]}" in {fact["place"] for fact in met["because"]}

    found = json.loads(advisor("lint", str(file), "--format", "json").out)["findings"]
    assert {one["id"]: one["region"]["line"] for one in found}["setting-removed"] == at["--swap-space 16"]
    assert "vllm/pp-spec-refused" in {one["id"] for one in found}

    advisor("fix", "--write", str(file))
    fixed = file.read_text(encoding="utf-8")
    assert "--swap-space" not in fixed and "--speculative-config.method mtp" in fixed
    again = json.loads(advisor("lint", str(file), "--format", "json").out)["findings"]
    assert {one["id"] for one in again} == {one["id"] for one in found} - {"setting-removed"}


def test_what_folding_breaks_is_said(tmp_path: Path) -> None:
    joined, early = tmp_path / "joined.yaml", tmp_path / "early.yaml"
    joined.write_text(SCALARS["folded with continuations"], encoding="utf-8")
    early.write_text(POD + item(f">-{BLOCK}", indent=16), encoding="utf-8")
    for file, said in ((joined, "where a `\\` joins two words"), (early, "does not give `--pipeline-parallel-size`")):
        assert any(said in note for note in checked(str(file)).report["coverage"]["notes"]), file
        assert said in advisor("lint", str(file), "--format", "json").out.replace("\\\\", "\\"), file
    assert not checked(str(early)).report["coverage"]["launch_complete"]


def test_a_template_in_a_folded_command_is_one_unknown_word(tmp_path: Path) -> None:
    file = tmp_path / "values.yaml"
    text = SCALARS["folded"].replace("serve m", "serve {{ .Values.model }}").replace("size 2", "size {{ .Values.pp }}")
    file.write_text(text, encoding="utf-8")
    report = checked(str(file)).report
    said = {one["flag"]: str(one["value"]) for one in report["settings"]}
    assert said["--speculative-config.method"] == "mtp" and said["--pipeline-parallel-size"].startswith("$")
    assert not any("takes a number" in note or "not read as flags" in note for note in report["coverage"]["notes"])
    assert advisor("lint", str(file), "--format", "json").code in (0, 1)


def test_a_part_of_a_manifest_is_no_prose() -> None:
    part = "      containers:\n        - command: [sh, -c]\n" + SCALARS["folded"].partition("env")[2].partition("\n")[2]
    report = checked("--engine", "vllm", "-", stdin=part).report
    assert {one["flag"]: one["value"] for one in report["settings"]}["--pipeline-parallel-size"] == 2
