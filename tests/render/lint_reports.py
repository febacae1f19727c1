"""Hand-made lint reports: one that holds every kind, level and way to be suppressed, and one whose texts are hostile."""

from __future__ import annotations

from dataclasses import replace

from advisor.model.lint import (
    LINT_SCHEMA,
    CheckOut,
    FileOut,
    LintFinding,
    LintReport,
    Region,
    RelatedOut,
    SuppressionOut,
)
from advisor.model.report import SourceOut

THREAD = SourceOut("https://github.com/example/engine/issues/53402", "2026-09-22", "reporter")
CHART = "charts/vllm.yaml"
SERVER = "Deployment/default/example:server"

CHECKS = (
    CheckOut(
        "example/pp-broadcast-skew",
        "exposure",
        "error",
        "One pipeline rank waits for a broadcast that its peer skipped",
        "The ranks disagree about which requests are done; one leaves the loop early and the other waits for ever.",
        "Upgrade to 0.30.0, or remove `--speculative-config`.",
    ),
    CheckOut("example/never-found", "exposure", "warning", "A failure that nothing here can meet", "It needs MLA.", ""),
    CheckOut("setting-removed", "setting", "error", "A setting that this release does not have", "", "Remove it."),
    CheckOut("build-unpinned", "build", "note", "The build is not pinned", "A moving tag is no build.", "Pin it."),
    CheckOut("stale-workaround", "stale", "warning", "A workaround for what this build has fixed", "", ""),
    CheckOut("gpu-count", "interaction", "error", "Fewer GPUs than ranks", "", ""),
    CheckOut("no-stack-tool", "evidence", "note", "An incident would leave no stacks", "", ""),
)


def region(line: int, column: int, end_column: int, snippet: str, file: str = CHART, end_line: int = 0) -> Region:
    return Region(file, line, column, end_line or line, end_column, snippet)


EXPOSED = LintFinding(
    id="example/pp-broadcast-skew",
    kind="exposure",
    level="error",
    says="example 0.26.0 can meet it: a pipeline rank waits for a broadcast that its peer skipped.",
    because=("--pipeline-parallel-size is 2", "0.26.0 is older than 0.30.0, the first release with the fix"),
    advice=("Remove --speculative-config; decoding gets slower.", "Upgrade to example 0.30.0."),
    actionability="fix released",
    edit="safe",
    workload=SERVER,
    region=region(41, 13, 41, "          - --pipeline-parallel-size=2"),
    related=(
        RelatedOut(region(30, 18, 40, "          image: example/engine:v0.26.0"), "the image that pins the version"),
    ),
    fingerprint="0f1e2d3c4b5a69788796a5b4c3d2e1f0",
    suppressed=None,
    sources=(THREAD,),
)
REMOVED = replace(
    EXPOSED,
    id="setting-removed",
    kind="setting",
    says="example 0.26.0 does not have --old-flag; it does not start with it.",
    because=("removed in 0.20.0",),
    advice=("Write --new-flag instead.",),
    region=region(12, 25, 35, "\texec example serve 模型 \t--old-flag 3", "run 启动.sh"),
    related=(),
    workload="shell",
    fingerprint="11111111111111111111111111111111",
    sources=(),
)
UNPINNED = replace(
    REMOVED,
    id="build-unpinned",
    kind="build",
    level="note",
    says="The tag latest moves: which build runs is not known.",
    because=(),
    advice=("Pin a release or a digest.",),
    actionability="workaround",
    edit="",
    region=region(3, 12, 33, "    image: example/engine:latest", "compose.yaml"),
    workload="server",
    fingerprint="22222222222222222222222222222222",
)
STALE = replace(
    REMOVED,
    id="stale-workaround",
    kind="stale",
    level="warning",
    says="EXAMPLE_SKIP=1 can be dropped since 0.25.0.",
    region=region(44, 11, 8, "          - name: EXAMPLE_SKIP\n            value: '1'", end_line=45),
    workload=SERVER,
    fingerprint="33333333333333333333333333333333",
    suppressed=SuppressionOut(
        "comment",
        "kept until all clusters are on 0.26",
        "2027-01-31",
        region(43, 11, 60, "          # advisor: ignore[…]"),
    ),
)
KNOWN = replace(
    STALE,
    id="gpu-count",
    kind="interaction",
    level="error",
    says="tp 4 · pp 2 needs 8 GPUs; the container asks for 4.",
    region=region(50, 31, 32, "              nvidia.com/gpu: 4"),
    fingerprint="44444444444444444444444444444444",
    suppressed=SuppressionOut("baseline", "known from the baseline", "", None),
)
EVIDENCE = replace(
    UNPINNED,
    id="no-stack-tool",
    kind="evidence",
    says="Without SYS_PTRACE nobody can take a stack of a hung rank.",
    actionability="none",
    advice=(),
    region=region(20, 7, 20, "      containers:"),
    workload=SERVER,
    fingerprint="55555555555555555555555555555555",
)

RICH = LintReport(
    schema=LINT_SCHEMA,
    files=(
        FileOut(CHART, "kubernetes", (SERVER,), ()),
        FileOut("compose.yaml", "compose", ("server",), ()),
        FileOut("README.md", "", (), ()),
        FileOut("broken.yaml", "", (), ("line 7: a conflict marker; nothing after it was read",)),
        FileOut("run 启动.sh", "shell", ("shell",), ()),
        FileOut("well.yaml", "kubernetes", ("Deployment/well:server",), ()),
    ),
    findings=(EVIDENCE, EXPOSED, STALE, KNOWN, UNPINNED, REMOVED),
    checks=CHECKS,
    notes=("advisor-baseline.json: gpu-count in old.yaml does not occur any more; its line can go",),
    as_of="2026-11-29",
    advisor="0.1.0",
)
CLEAN = replace(RICH, files=(RICH.files[-1],), findings=(), notes=())

NASTY = (
    "\x1b[31mred\x1b[0m \x1b]0;owned\x07 \x9b2J\r\n::error file=x::spoofed ##[error]spoofed %0A::add-mask::x ]]> "
    "<script>alert(1)</script> </details> ``` @maintainer |a\\|b| \u202egnp.exe\u2028 [x](http://evil.example) {0} \x00\ufffe end\ud800"
)
_BAD = replace(
    EXPOSED,
    id=f"example/{NASTY}",
    says=NASTY,
    because=(NASTY,),
    advice=(NASTY,),
    workload=NASTY,
    region=Region(f"a/{NASTY}", 1, 5, 1, 9, NASTY),
    related=(RelatedOut(Region("../b,c:d%.yaml", 0, 0, 0, 0, ""), NASTY),),
    fingerprint="66666666666666666666666666666666",
    suppressed=None,
)
LONG = "x: " + "a" * 500_000 + "\t--needle 中文" + "b" * 500_000
HOSTILE = replace(
    RICH,
    files=(FileOut(f"a/{NASTY}", NASTY, (NASTY,), (NASTY,)), FileOut("/home/someone/secret/deploy.yaml", "x", (), ())),
    findings=(
        _BAD,
        replace(
            _BAD,
            id="on-a-long-line",
            region=Region("/home/someone/secret/deploy.yaml", 9, 500_005, 9, 500_016, LONG),
            fingerprint="7" * 32,
        ),
        replace(
            _BAD, id="beyond-the-line", region=Region("deploy.yaml", 9, 400, 9, 300, "short"), fingerprint="8" * 32
        ),
        replace(
            _BAD,
            id="hushed",
            suppressed=SuppressionOut("configuration", NASTY, NASTY, Region(NASTY, 1, 1, 1, 2, "")),
            fingerprint="9" * 32,
        ),
    ),
    checks=(CheckOut("hushed", "file", "note", NASTY, NASTY * 10, NASTY),),
    notes=(NASTY,),
)
LINT_REPORTS = {"rich": RICH, "clean": CLEAN, "hostile": HOSTILE}
