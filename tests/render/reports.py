"""Hand-made reports that between them hold every status, origin, proof and answer. Engine, rules and threads are invented."""

from __future__ import annotations

from dataclasses import replace

from advisor.model.report import (
    SCHEMA,
    AdviceOut,
    BuildOut,
    CauseOut,
    Coverage,
    Discrepancy,
    ExcerptOut,
    FactOut,
    Finding,
    FixOut,
    InputOut,
    LookalikeOut,
    MarkOut,
    MissingOut,
    NeedOut,
    Question,
    ReferenceOut,
    RemedyOut,
    Report,
    ResemblanceOut,
    SettingOut,
    SourceOut,
    StatementOut,
    StepOut,
    SupersededOut,
    TimelineOut,
    TrackOut,
)

THREAD = "https://github.com/example/engine/issues/53402"
READ = SourceOut(THREAD, "2026-09-22", "reporter: gone for 66 minutes without speculation")
WHEEL = SourceOut("example-engine 0.30.0 wheel, engine/worker/pp.py", "2026-11-29", "")

DIFF = """\
--- launch.sh
+++ launch.sh
@@ -1,4 +1,3 @@
 example serve /models/big \\
   --pipeline-parallel-size 2 \\
-  --speculative-config '{"method": "dspark", "num_speculative_tokens": 5}' \\
   --port 8000
"""

BUILD = BuildOut(
    engine="example",
    version="0.26.0",
    commit=None,
    image="example/engine:v0.26.0-cu130",
    fork="",
    branch=None,
    label="example 0.26.0 (image example/engine:v0.26.0-cu130)",
    components={"nccl": "2.28.9", "torch": "2.11.0"},
    notes=("nccl 2.28.9 is the release's default and was not observed",),
)

BECAUSE = (
    FactOut(
        "setting:--pipeline-parallel-size",
        2,
        "--pipeline-parallel-size is 2",
        "stated",
        "launch.sh:2",
        "--pipeline-parallel-size 2",
    ),
    FactOut(
        "setting:--speculative-config.method",
        "dspark",
        "--speculative-config.method is dspark",
        "stated",
        "launch.sh:3",
        '--speculative-config \'{"method": "dspark", "num_speculative_tokens": 5}\'',
    ),
    FactOut(
        "log:OpType=BROADCAST",
        "OpType=BROADCAST",
        "the watchdog gave up on a broadcast of pp_broadcast",
        "observed",
        "rank1.log:8812",
        "[rank1]:[E822 14:03:11.123456789 ProcessGroupNCCL.cpp:688] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=48211, OpType=BROADCAST, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran for 600012 milliseconds",
        "1",
    ),
    FactOut(
        "symptom.hang",
        True,
        "requests never return",
        "stated",
        "问题.txt:1",
        "两卡 PP2，跑了大约一个小时以后请求长期不返回，日志里没有报错，进程都还活着。",
    ),
    FactOut("runner.version", 2, "the model runner is version 2", "default", "", ""),
    FactOut("topology.pp", 2, "topology.pp = 2 from --pipeline-parallel-size", "derived", "", ""),
)

FIX = FixOut(
    repo="example/engine",
    pr=54436,
    url="https://github.com/example/engine/pull/54436",
    commit="6bafc049aae6c26e210162630914ee9177a4b586",
    commit_is_prefix=False,
    state="merged",
    merged="2026-08-31",
    completeness="unverified_for_this_case",
    what="Sends the count of unfinished requests with the broadcast, so that both ranks skip it together",
    component=None,
    first_release="0.30.0",
    releases=("0.30.0", "0.30.1", "0.31.0", "0.31.1", "0.32.0", "0.32.1", "0.33.0"),
    releases_by=("git", "fingerprint"),
    releases_says="first released in 0.30.0; newest release checked that holds it: 0.33.0",
    in_this_build="no",
    why="0.26.0 is older than 0.30.0, the first release that holds it",
    needs=(
        NeedOut(
            "example/engine",
            50312,
            "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
            "It brings the header that the fix reads",
            (WHEEL,),
        ),
    ),
    sources=(READ, WHEEL),
)

UNSET = RemedyOut(
    do="unset",
    what="Remove --speculative-config",
    cost="decoding without speculation, about a third slower at low load",
    status="reporter_verified",
    status_says="a reporter tried it and it worked there: one reporter ran 66 minutes without a hang; it used to hang within 40",
    proof="one reporter ran 66 minutes without a hang; it used to hang within 40",
    applies="yes",
    change={"--speculative-config": None},
    diff=DIFF,
    sources=(READ,),
)
UPGRADE = RemedyOut(
    do="upgrade",
    what="Upgrade to example 0.30.0",
    cost="a new release to qualify",
    status="released",
    status_says="the change is in a release",
    proof="",
    applies="yes",
    change={"to": "0.30.0"},
    diff="",
    sources=(WHEEL,),
)
DERIVED = replace(
    UPGRADE,
    do="env",
    what="Set EXAMPLE_SKIP_EMPTY=0",
    cost="",
    status="derived",
    status_says="follows from reading the source; not tried",
    applies="unknown",
    change={"EXAMPLE_SKIP_EMPTY": "0"},
)
SUGGESTED = replace(
    UPGRADE,
    do="set",
    what="Set --num-speculative-tokens 1",
    cost="most of the speed-up",
    status="suggested",
    status_says="only suggested",
    applies="yes",
    change={"--num-speculative-tokens": 1, "--eager": True},
)
BESIDE = replace(
    UPGRADE, do="component", what="Put NCCL 2.29.3 in place", applies="no", change={"component": "nccl", "to": "2.29.3"}
)

MATCHED = Finding(
    rule="example/pp-broadcast-skew",
    status="matched",
    level="error",
    summary="One pipeline rank waits for a broadcast that its peer skipped",
    headline="a pipeline rank waits for ever in a broadcast that its peer has skipped",
    aliases=("example/engine#53402",),
    because=BECAUSE,
    deciding=(),
    against=(),
    echoes=(),
    missing=(),
    exposure="yes",
    signature="yes",
    cause=CauseOut(
        "proposed",
        "The ranks disagree about which requests are done after a verify step.\n\nOne of them then leaves the loop early.",
        (READ,),
    ),
    no_fix="",
    fixes=(
        FIX,
        replace(
            FIX,
            pr=None,
            url="",
            commit="d87a440f88",
            commit_is_prefix=True,
            state="open",
            merged=None,
            completeness="partial",
            what="",
            component="nccl",
            releases=(),
            releases_by=(),
            releases_says="not merged: the pull request is open",
            in_this_build="unknown",
            why="",
            sources=(),
        ),
    ),
    remedies=(UNSET, DERIVED, SUGGESTED, UPGRADE, BESIDE),
    not_helpful=(
        AdviceOut(
            "Set NCCL_PROTO=Simple.", "The broadcast is never posted; its protocol does not matter.", "yes", (READ,)
        ),
    ),
    harmful=(
        AdviceOut("Raise the NCCL timeout", "the hang lasts longer and the stacks are gone by then", "no", (READ,)),
        AdviceOut("Turn off --async-scheduling", "the ranks drift apart sooner", "yes", ()),
    ),
    verification=(
        StepOut(
            "Run the same traffic with the change in",
            "no request stays open longer than 60 s",
            "",
            ("Watchdog caught collective operation timeout", r"\(pp_broadcast\)"),
            "example:generation_tokens_total",
            3960,
        ),
        StepOut(
            "Look at both ranks",
            "neither stands in pp_broadcast twice in a row",
            "py-spy dump --native --pid PID",
            (),
            "",
            None,
        ),
    ),
    lookalikes=(
        LookalikeOut(
            "example/pp-spec-sample-width",
            "It hangs at the first sample, every time",
            "ruled_out",
            "it ran for an hour",
        ),
        LookalikeOut("any/nccl-proxy-append", "A thread spins in ncclLocalOpAppend", "possible", ""),
        LookalikeOut("example/draft-graph-race", "Only with CUDA graphs for the draft model", "", ""),
    ),
    wanted=(
        MissingOut(
            "Stacks of both ranks at the same moment, twice, a minute apart",
            "whether the two ranks wait in different places",
            "py-spy dump --native --pid PID > rank$RANK.txt",
        ),
        MissingOut("The flight recorder dump of each rank", "", "ls /tmp/nccl_trace_rank_*"),
    ),
    superseded=(
        SupersededOut(
            "A lost NCCL packet", "A broadcast that was skipped", "the fabric's counters stayed at zero", (READ,)
        ),
    ),
    caveats=("A watchdog line alone does not say which rank is at fault.",),
    references=(
        ReferenceOut("REPORT", THREAD, ""),
        ReferenceOut("DISCUSSION", "https://github.com/example/engine/discussions/9", "the same with four ranks"),
    ),
    details="Rank 0 skips the broadcast when nothing is left to do.\n\n- the peer waits\n- the watchdog fires after `600000` ms",
    maturity="draft",
    as_of="2026-11-29",
)

LIKELY = replace(
    MATCHED,
    rule="any/nccl-proxy-append",
    status="likely",
    headline="Likely any/nccl-proxy-append: a rank spins in NCCL's proxy (the build is not fully known)",
    because=(
        FactOut(
            "component:nccl", "2.28.9", "nccl is 2.28.9, the default of example 0.26.0 on aarch64", "default", "", ""
        ),
        BECAUSE[3],
    ),
    missing=(
        MissingOut(
            "component:nccl",
            "Which nccl does every rank really load?",
            "grep -o '/[^ ]*libnccl[^ ]*' /proc/PID/maps | sort -u",
        ),
    ),
    exposure="unknown",
    signature="yes",
    cause=CauseOut("unknown", "", ()),
    fixes=(),
    no_fix="No fix is known as of 2026-11-29.",
    remedies=(SUGGESTED,),
    harmful=(),
    not_helpful=(),
    lookalikes=(),
    wanted=(),
)
POSSIBLE = replace(
    LIKELY,
    rule="example/draft-graph-race",
    status="possible",
    headline="the draft model's graph may be replayed too early",
    because=(BECAUSE[3],),
    missing=(MissingOut("setting:--cuda-graph", "Is --cuda-graph on?", "ps -ww -o args -p PID"),),
    signature="unknown",
)
EXPOSED = replace(
    MATCHED,
    rule="example/sleep-wakeup-leak",
    status="exposed",
    headline="Exposed to example/sleep-wakeup-leak: sleeping and waking leaks the draft model's cache (it was not seen)",
    because=(BECAUSE[0], BECAUSE[4]),
    signature="unknown",
    remedies=(
        replace(UNSET, what="Remove --enable-sleep", status="maintainer_confirmed"),
        replace(UPGRADE, status="merged"),
    ),
    harmful=(),
    not_helpful=(),
    maturity="stable",
)
RULED_OUT = replace(
    MATCHED,
    rule="example/pp-spec-sample-width",
    status="ruled_out",
    summary="The first sample is as wide as the draft and both ranks hang at once.",
    headline="looks like pp-spec-sample-width, but it is not",
    because=(),
    deciding=(FactOut("component:example", "0.26.0", "0.26.0 holds the fix (example/engine#50514)", "stated", "", ""),),
    exposure="no",
    signature="yes",
)

TIMELINE = TimelineOut(
    clock="own",
    start="2026-08-22T13:53:01",
    end="2026-08-22T14:04:11",
    span_s=670.0,
    tracks=(
        TrackOut(
            "0",
            (
                MarkOut(
                    "moving",
                    "2026-08-22T13:53:01",
                    0.0,
                    "2026-08-22T13:53:11",
                    10.0,
                    "Decode batch",
                    3,
                    True,
                    "rank0.log:80",
                ),
                MarkOut(
                    "completed",
                    "2026-08-22T13:53:11",
                    10.5,
                    "2026-08-22T13:53:11",
                    10.5,
                    "all_reduce #200 of the default group",
                    1,
                    True,
                    "fr_rank_0:1",
                ),
                MarkOut(
                    "waits",
                    "2026-08-22T13:53:11",
                    10.6,
                    "2026-08-22T14:03:11",
                    610.6,
                    "_all_gather_base #201 of the default group",
                    1,
                    True,
                    "rank0.log:88",
                ),
                MarkOut(
                    "still",
                    "2026-08-22T13:53:16",
                    15.0,
                    "2026-08-22T14:04:11",
                    670.0,
                    "Decode batch",
                    131,
                    True,
                    "rank0.log:140",
                ),
                MarkOut(
                    "watchdog",
                    "2026-08-22T14:03:11",
                    610.6,
                    "2026-08-22T14:03:11",
                    610.6,
                    "_all_gather_base #201 of the default group",
                    1,
                    True,
                    "rank0.log:88",
                ),
                MarkOut(
                    "last", "2026-08-22T14:04:11", 670.0, "2026-08-22T14:04:11", 670.0, "", 1, True, "rank0.log:140"
                ),
            ),
            "for its device, in cuCtxSynchronize_v2",
            True,
            (),
        ),
        TrackOut(
            "1",
            (
                MarkOut(
                    "failed",
                    "2026-08-22T13:53:09",
                    8.0,
                    "2026-08-22T13:53:09",
                    8.0,
                    "RuntimeError",
                    1,
                    False,
                    "rank1.log:8812",
                ),
            ),
            "",
            False,
            ("_all_gather_base #201 of the default group",),
        ),
    ),
    left_out=0,
    files=2,
    shift_s=7200.0,
    shift_by="_all_gather_base #201 of the default group",
    unplaced=(),
)
EXCERPT = ExcerptOut(
    "rank1.log",
    8811,
    (
        "[2026-08-22 14:03:08 PP1] Decode batch, #running-req: 8",
        BECAUSE[2].quote,
        "[2026-08-22 14:03:13 PP1] <b>no</b> markup of a log's own",
    ),
    (8812,),
    ("rank1.log:8812",),
)

HUNG = Report(
    schema=SCHEMA,
    id="",
    build=BUILD,
    settings=(
        SettingOut("--pipeline-parallel-size", 2, "-pp", "launch.sh:2", True),
        SettingOut("--pipelin-depth", None, "--pipelin-depth", "launch.sh:4", False),
    ),
    environment={"NCCL_DEBUG": "INFO", "EXAMPLE_API_KEY": "[redacted]"},
    situation=(
        StatementOut(
            "missing_rank",
            "rank 0 launched _all_gather_base #201 of the default group, which rank 1 never joined",
            ("0", "1"),
            "default #201 _all_gather_base",
            ("rank0.log:88", "fr_rank_0:1", "fr_rank_1:1", "rank1.txt:4"),
        ),
        StatementOut("unknown", "whether rank 1 still runs is not shown: give a stack of it", ("1",), "", ()),
    ),
    timeline=(TIMELINE,),
    discrepancies=(
        Discrepancy(
            code="setting-replaced",
            level="error",
            subject="--disable-request-log",
            typed="--disable-request-log",
            place="launch.sh:4",
            quote="--disable-request-log",
            says="example 0.26.0 has no --disable-request-log: it was removed in 0.25.0. Requests are not logged "
            "unless asked for",
            instead="--enable-request-log",
            inverted=True,
            sources=(SourceOut("https://github.com/example/engine/pull/21739", "2026-07-02", "release notes"),),
        ),
        Discrepancy(
            "setting-unknown",
            "warning",
            "--pipelin-depth",
            "--pipelin-depth",
            "launch.sh:4",
            "",
            "--pipelin-depth is a flag of no example release read; did you mean --pipeline-depth?",
            "--pipeline-depth",
            False,
            (),
        ),
    ),
    findings=(MATCHED, LIKELY, POSSIBLE, EXPOSED, RULED_OUT),
    unexplained=(
        FactOut(
            "error.exception",
            "KeyError",
            "a KeyError ended the front end",
            "observed",
            "front.log:91",
            "KeyError: 'chatcmpl-1'",
        ),
    ),
    questions=(
        Question(
            "wanted:example/pp-broadcast-skew",
            "The flight recorder dump of each rank",
            "ls /tmp/nccl_trace_rank_*",
            ("example/pp-broadcast-skew",),
        ),
        Question(
            "component:nccl",
            "Which nccl does every rank really load?",
            "grep -o '/[^ ]*libnccl[^ ]*' /proc/PID/maps | sort -u",
            ("any/nccl-proxy-append",),
        ),
        Question("symptom", "Did it start after a weight update?", "", ()),
    ),
    related=(),
    excerpts=(EXCERPT,),
    coverage=Coverage(
        inputs=(
            InputOut("launch.sh", "launch", 4, 3),
            InputOut("rank1.log", "log", 8813, 12),
            InputOut("问题.txt", "text", 1, 1),
        ),
        notes=("rank0.log: cut after 200 MB; what follows was not read",),
        rules=41,
        launch_complete=True,
    ),
    as_of="2026-11-29",
    advisor="0.1.0",
)

NOTHING = replace(
    HUNG,
    discrepancies=(),
    id="case-7",
    build=replace(BUILD, engine="", version=None, image=None, label="", components={}, notes=()),
    settings=(),
    environment={},
    situation=(),
    timeline=(),
    excerpts=(),
    findings=(RULED_OUT,),
    unexplained=(BECAUSE[3],),
    questions=(
        Question(
            "build",
            "Which engine and which exact build is running: version, commit, or image digest?",
            "pip show ENGINE | head -2",
            (),
        ),
        Question(
            "launch",
            "What is the whole command line, with its environment?",
            "ps -ww -o args -p PID; tr '\\0' '\\n' </proc/PID/environ",
            (),
        ),
    ),
    related=(
        ResemblanceOut(
            "example/wake-up",
            "After a weight update a rank waits for a broadcast that never comes",
            ("weight", "update", "broadcast"),
        ),
    ),
    coverage=Coverage((InputOut("问题.txt", "text", 1, 1),), (), 41, False),
)
EMPTY = replace(
    NOTHING, id="", findings=(), unexplained=(), questions=(), related=(), coverage=Coverage((), (), 0, False)
)
CAN_HAPPEN = replace(
    HUNG,
    discrepancies=(),
    findings=(EXPOSED, replace(EXPOSED, rule="example/other", headline="another one", remedies=(), because=())),
    unexplained=(),
    questions=(),
)
UNCERTAIN = replace(HUNG, findings=(POSSIBLE, EXPOSED, RULED_OUT), unexplained=())
REFUSED = replace(NOTHING, discrepancies=HUNG.discrepancies, build=BUILD)
UNPROVEN = replace(
    HUNG,
    findings=(
        replace(
            LIKELY,
            status="likely",
            exposure="yes",
            signature="no",
            wanted=MATCHED.wanted,
            caveats=("一次对照实验不足以证明原因：开启投机解码的八个服务器同时停住，也可能来自它们共同的上游。",),
        ),
    ),
)

NASTY = "\x1b[31mred\x1b[0m \x1b]0;owned\x07 \x9b2J ``` </details><script>alert(1)</script> @maintainer `x` \u202egnp.exe\u2028 ![p](http://evil.example/p.png) \r\n# heading\n- item |a|b| $x$ <!-- "
HOSTILE = replace(
    HUNG,
    id=NASTY,
    build=replace(BUILD, label=NASTY, notes=(NASTY,)),
    settings=(SettingOut(NASTY, NASTY, NASTY, NASTY, False),),
    environment={NASTY: NASTY},
    situation=(StatementOut("waits", NASTY, (NASTY,), NASTY, (NASTY,)),),
    timeline=(
        replace(
            TIMELINE,
            tracks=(replace(TIMELINE.tracks[1], rank=NASTY, stands=NASTY, absent=(NASTY,)),),
            shift_by=NASTY,
        ),
    ),
    excerpts=(ExcerptOut(NASTY, 1, (NASTY, NASTY + "``````"), (1, 2), (NASTY,)),),
    findings=(
        replace(
            MATCHED,
            because=(FactOut("model", NASTY, f"the model is {NASTY}", "stated", NASTY, NASTY + "``````", NASTY),),
            remedies=(replace(UNSET, diff=f"--- a\n+++ b\n-{NASTY}\n+````\n"),),
            wanted=(MissingOut("x", NASTY, NASTY),),
        ),
        replace(RULED_OUT, deciding=(FactOut("model", NASTY, NASTY, "stated", "", ""),)),
    ),
    unexplained=(FactOut("model", NASTY, NASTY, "observed", NASTY, "end\ud800"),),
    coverage=Coverage((InputOut(NASTY, "log", 1, 1),), (NASTY,), 1, False),
)

REPORTS = {
    "hung": HUNG,
    "nothing": NOTHING,
    "empty": EMPTY,
    "can-happen": CAN_HAPPEN,
    "uncertain": UNCERTAIN,
    "unproven": UNPROVEN,
    "refused": REFUSED,
    "hostile": HOSTILE,
}
