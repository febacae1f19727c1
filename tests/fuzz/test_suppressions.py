"""A comment for the advisor, anywhere in a file: what it does not name, or does not cover, counts as before."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.jobs import lint as job
from advisor.model.lint import LintFinding

TODAY = dt.date(2026, 11, 30)
FILES = {
    "run.sh": "#!/bin/bash\npip install vllm==0.28.0\nvllm serve m \\\n  --swap-space 4 \\\n  --disable-log-requests \\\n  --pipeline-parallel-size 2\n",
    "pod.yaml": (
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: llm\nspec:\n  containers:\n    - name: c\n      image: vllm/vllm-openai:v0.28.0\n"
        "      args:\n        - --model\n        - m\n        - --swap-space=4\n        - --disable-log-requests\n        - --pipeline-parallel-size=2\n"
    ),
    "Dockerfile": 'FROM vllm/vllm-openai:v0.28.0\nENV A=1\nENTRYPOINT ["vllm", "serve", "m", "--swap-space", "4"]\n',
}
SOUND = ["ignore", "ignore-file", "Ignore"]
ODD = ["ignroe", "ignore file", "ignores", "ignore-line"]
IDS = st.one_of(
    st.sampled_from(
        [
            "setting-removed",
            "*",
            "vllm/*",
            "setting-*",
            "nothing-such",
            "vllm/pp-broadcast-skew",
            "setting-removed, vllm/*",
            "",
            " ",
            "[",
            "setting-removed,,",
        ]
    ),
    st.text(alphabet="abc/*-?[ ,é", max_size=10),
)
TAIL = st.sampled_from(
    [
        "because",
        "until=2027-01-31 because",
        "until=2020-01-01 because",
        "until=soon because",
        "until= x",
        "",
        "— why",
        "until=2027-01-31",
    ]
)
MARK = st.sampled_from(["# advisor: ", "#advisor:", "#  advisor:  ", "# Advisor: ", "# x # advisor: "])


def findings(name: str, text: str) -> tuple[LintFinding, ...]:
    return job.lint(job.LintRequest(paths=(), today=TODAY, given=((name, text.encode()),))).findings


@cache
def plain(name: str) -> Counter[str]:
    found = Counter(one.id for one in findings(name, FILES[name]))
    assert found["setting-removed"], f"{name} has nothing to suppress"
    return found


def with_comment(name: str, at: int, comment: str, behind: bool) -> tuple[str, int]:
    """The file with a comment on or behind a line that a comment can stand on, and the number of its line."""
    lines = FILES[name].split("\n")[:-1]
    free = [n for n, line in enumerate(lines) if n == 0 or not lines[n - 1].endswith("\\")]
    n = max(1, free[at % len(free)])
    if behind and not lines[n].endswith("\\") and name != "Dockerfile":
        lines[n] += f"  {comment}"
        return "\n".join([*lines, ""]), n + 1
    return "\n".join([*lines[:n], comment, *lines[n:], ""]), n + 1


@settings(max_examples=80)
@given(
    st.sampled_from(sorted(FILES)),
    st.integers(0, 20),
    st.booleans(),
    MARK,
    st.sampled_from(SOUND + ODD),
    st.booleans(),
    IDS,
    TAIL,
)
def test_a_comment_hushes_what_it_names_where_it_stands_and_is_told_of_otherwise(
    name: str, at: int, behind: bool, mark: str, verb: str, closed: bool, ids: str, tail: str
) -> None:
    comment = f"{mark}{verb}[{ids}{']' if closed else ''} {tail}"
    text, line = with_comment(name, at, comment, behind)
    found = findings(name, text)
    own = [one for one in found if one.kind != "suppression"]
    assert Counter(one.id for one in own) == plain(name), "a comment changed what is found"
    hushed = [one for one in own if one.suppressed]
    named = {one.strip() for one in ids.replace(",", " ").split()}
    for one in hushed:
        assert verb.lower() in ("ignore", "ignore-file") and closed and tail, comment
        assert "2020" not in tail and "soon" not in tail and "until= " not in tail and tail != "until=2027-01-31", (
            comment
        )
        assert any(_may_mean(each, one.id) for each in named), (named, one.id)
        assert verb.lower() == "ignore-file" or one.region.end_line >= line, (comment, one.region)
    told = [one for one in found if one.kind == "suppression"]
    if not hushed and "advisor:" in mark and verb in ("ignore", "ignore-file", "ignroe"):
        assert told, f"nothing is said of {comment!r}"
    for one in told:
        assert one.region.line == line, one


def _may_mean(typed: str, id: str) -> bool:
    return typed in (id, id.rpartition("/")[2], id.replace("/", ".")) or any(mark in typed for mark in "*?[")
