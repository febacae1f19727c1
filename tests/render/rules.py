"""A hand-made rule that uses every part a rule can have."""

from advisor.model.condition import parse
from advisor.model.rule import (
    Advice,
    Affected,
    Boundary,
    Cause,
    Fix,
    Lookalike,
    Reference,
    Remedy,
    Rule,
    Source,
    Step,
    Superseded,
    Symptoms,
    Wanted,
)

READ = Source("2026-09-22", "https://github.com/example/engine/issues/53402", None, "the reporter's first message")

RULE = Rule(
    id="example/pp-broadcast-skew",
    summary="One pipeline rank waits for a broadcast that its peer skipped",
    level="error",
    maturity="stable",
    as_of="2026-11-29",
    symptoms=Symptoms(
        parse(
            {
                "all": [
                    {"log": r"\(pp_broadcast\)"},
                    {
                        "any": [
                            {"stack": ["irecv", "pp_broadcast"], "state": "active"},
                            {"not": {"fact": "symptom.crash", "is": True}},
                        ]
                    },
                ]
            }
        ),
        (parse({"log": r"RPC call to \w+ timed out"}), parse({"fact": "symptom.hang", "is": True})),
    ),
    details="Rank 0 skips the broadcast when nothing is left to do.\nThe peer waits.\n\n- no error is printed\n- the watchdog fires",
    cause=Cause("proposed", "The ranks disagree about which requests are done.", (READ,)),
    verification=(
        Step(
            "Run the same traffic",
            "no request stays open",
            absent=("timed out",),
            advancing="example:tokens_total",
            duration_s=90,
        ),
    ),
    references=(
        Reference("REPORT", READ.url or "", "2026-08-22"),
        Reference("WEB", "https://example.com/pp", None, "how it works"),
    ),
    former_ids=("example/pp-hang",),
    aliases=("example/engine#53402",),
    affected=(
        Affected(introduced=Boundary("0.20.0", "d87a440f88", 41, "2026-01-02"), fixed=Boundary("0.30.0")),
        Affected(only="commits", introduced=Boundary(commit="d87a440f88"), fixed=Boundary(commit="e87a440f88")),
        Affected(only="forks", commits=("f87a440f88",), why="stock builds never skip"),
        Affected(component="nccl", introduced=Boundary("2.28.9"), fixed=Boundary("2.29.3")),
    ),
    exposure=parse(
        {
            "all": [
                {"fact": "topology.pp", "more_than": 1},
                {"not": {"env": "EXAMPLE_SAFE", "is": "1"}},
                {"model": "(?i)big"},
                {"component": "nccl", "from": "2.28.9", "before": "2.29.3"},
            ]
        }
    ),
    fixes=(
        Fix(
            "example/engine", "complete", "Sends the count", (READ,), 54436, "6bafc049aae6c26e210162630914ee9177a4b586"
        ),
    ),
    remedies=(
        Remedy(
            "unset",
            "Remove --speculative-config.",
            "slower",
            "reporter_verified",
            (READ,),
            unset=("--speculative-config",),
            proof="66 minutes",
        ),
        Remedy(
            "env",
            "Skip the fast path",
            "nothing",
            "suggested",
            (READ,),
            env={"EXAMPLE_FAST": None, "EXAMPLE_SAFE": "1"},
            applies_when=parse(
                {
                    "all": [
                        {"fact": "topology.pp", "more_than": 1},
                        {"any": [{"hardware": "arch", "is": "aarch64"}, {"setting": "--eager", "is": False}]},
                    ]
                }
            ),
        ),
        Remedy(
            "patch",
            "Take the fix into your build",
            "a build of your own",
            "merged",
            (READ,),
            repo="example/engine",
            commit="6bafc049aae6c26e210162630914ee9177a4b586",
        ),
    ),
    not_helpful=(Advice("Set NCCL_PROTO=Simple", "nothing is posted", (READ,)),),
    harmful=(Advice("Raise the timeout", "the stacks are gone by then", (READ,)),),
    lookalikes=(Lookalike("example/pp-spec-sample-width", "It hangs at the first sample"),),
    wanted=(Wanted("Stacks of both ranks", "whether they wait in different places", "py-spy dump --pid PID"),),
    superseded=(Superseded("A lost packet", "A skipped broadcast", "counters stayed at zero", (READ,)),),
    caveats=("A watchdog line alone does not say which rank is at fault.",),
)
