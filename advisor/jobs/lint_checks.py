"""Everything that lint looks for: a check for each rule of the catalogue and each of its own, with what it rests on."""

from __future__ import annotations

from advisor.jobs import lint_build
from advisor.jobs.judging import catalogue
from advisor.match import interactions, pod_life, readiness, stale
from advisor.match.observation import Check
from advisor.model.lint import CheckOut
from advisor.model.rule import Rule

PAGE = "docs/lint-checks.md"

_LEAD = {
    "setting": (
        "\nErrors are for what surely reaches the engine, whether or not more of its command line stands elsewhere: "
        "its own command or image, a chart's values, Ray Serve's `engine_kwargs`, keywords of vLLM's `LLM` and its "
        "argument classes. They are notes where that is not sure: a template that chooses with `else` (image and "
        "flags may be of two choices), an image or a script that is not the engine's own, a file of settings that "
        "nothing names as the engine's.\n"
    ),
}

SETTINGS = (
    Check("setting-unknown", "setting", "error", "A flag that no release of the engine has.",
          "Most often a slip; the nearest spelling is named. A warning where the build is not placed exactly."),
    Check("setting-not-yet", "setting", "error", "A flag that came with a later release.",
          "The engine refuses to start on it."),
    Check("setting-removed", "setting", "error", "A flag that an earlier release had and this one has not.",
          "Nothing took its place, or what did is not established."),
    Check("setting-replaced", "setting", "error", "A flag whose place another one took.",
          "The new flag is named, and whether its value means the opposite."),
    Check("setting-spelling", "setting", "error", "A spelling of a flag that this release does not take.",
          "Dashes for underscores, or a short form that came later."),
    Check("setting-kind", "setting", "error", "A flag given a value that takes none here.",
          "A switch that became a pair takes no value: --no-x is its off."),
    Check("setting-value", "setting", "error", "A value that this release does not take for the flag.",
          "Not among the choices, of another type, or missing; so too for the keys of a JSON value that take only some "
          "values. Placeholders are never judged."),
    Check("setting-deprecated", "setting", "note", "A flag that this release takes with a warning.",
          "What it names instead is given."),
    Check("variable-unknown", "setting", "note", "A variable that no release reads, much like one that is read.",
          "Most often a slip."),
    Check("variable-not-yet", "setting", "note", "A variable of a later release.", "It does nothing here."),
    Check("variable-removed", "setting", "warning", "A variable that this release no longer reads.",
          "It does nothing here."),
    Check("variable-replaced", "setting", "warning", "A variable that another one replaced.", "The new one is named."),
    Check("variable-deprecated", "setting", "note", "A variable that this release reads with a warning.",
          "What it names instead is given."),
)  # fmt: skip

OWN: tuple[Check, ...] = (
    *lint_build.CHECKS,
    *SETTINGS,
    *stale.CHECKS,
    *interactions.CHECKS,
    *pod_life.CHECKS,
    *readiness.CHECKS,
)


def checks() -> tuple[CheckOut, ...]:
    """Every rule and check that runs, rules first, each in its order. Those of evidence run only when asked for."""
    return (*map(_rule, catalogue()), *map(_own, OWN))


def _rule(rule: Rule) -> CheckOut:
    return CheckOut(rule.id, "exposure", rule.level, rule.summary, rule.details.strip(), f"advisor explain {rule.id}")


def _own(check: Check) -> CheckOut:
    return CheckOut(check.id, check.kind, check.level, check.summary, check.details, f"{PAGE}#{check.id}")


def page() -> str:
    """`docs/lint-checks.md`, made from the checks."""
    head = (
        "# What `advisor lint` looks for\n\n"
        "Made from the checks themselves by `python -m tests.lint_checks`; edit those, not this page.\n\n"
        "## Known failures\n\nJudged as by `advisor check` on the same facts; `advisor explain RULE` says all about "
        "one.\n\n| rule | level | what |\n|---|---|---|\n"
    )
    rules = "".join(f"| `{one.id}` | {one.level} | {_cell(one.summary)} |\n" for one in catalogue())
    kinds = {
        "build": "Which build runs",
        "setting": "Settings that do not fit the release",
        "stale": "Workarounds no longer needed",
        "interaction": "Settings that do not go together",
        "evidence": "Would an incident leave evidence (only when asked for)",
    }
    parts = [
        f"\n## {title}\n" + _LEAD.get(kind, "") + "".join(_section(one) for one in OWN if one.kind == kind)
        for kind, title in kinds.items()
    ]
    return head + rules + "".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _section(check: Check) -> str:
    lines = [f"\n### {check.id}\n\n{check.summary} ({check.level})\n\n{check.details}\n"]
    if check.sources:
        lines.append("\nRests on:\n\n")
        lines += [f"- {one.where} ({one.date})" + (f": {one.note}\n" if one.note else "\n") for one in check.sources]
    return "".join(lines)
