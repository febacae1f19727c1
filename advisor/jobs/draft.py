"""An upstream issue, pasted -> a draft rule: what the text itself gives, and a blank for everything else.

Nothing is guessed: the engine, build, settings and hardware as the readers find them, the error lines that no other
rule has, as patterns, the threads linked. Which of the settings matter, what the cause is and which build is cured is
left blank, with the question that has to be answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.errors import UsageError
from advisor.evidence.lines import body, lines
from advisor.jobs.assemble import assemble
from advisor.jobs.judging import catalogue
from advisor.jobs.request import File, Request
from advisor.model.case import Case
from advisor.model.condition import Condition, atoms
from advisor.model.draft import Draft, MachineLine
from advisor.model.fact import Thread
from advisor.model.rule import Rule
from advisor.patterns import compile_pattern
from advisor.redaction import redact, redact_value
from advisor.redaction.cover import covered

MOST_LINES = 6
_TRIED = 100  # different lines that are held against the rules
_SHOWN = 160  # characters of a line that become a pattern

_ID = re.compile(r"[a-z][a-z0-9-]{0,30}/[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?")
_THREAD = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)/(?:issues|pull)/([0-9]+)")
_TITLE = re.compile(r"^[^\S\n]*+(?:#{1,6}\s++|title:\s*+)?(.{8,200}?)[^\S\n]*+$", re.M | re.I)
_TAG = re.compile(r"^(?:\[[^\]]{1,20}\]:?\s*)+|^[#\s]+")
_TELLS = re.compile(
    r"(?i)error|exception|assert|check failed|\bfail(?:ed|ure)?\b|fatal|timed? ?out|cannot|could not|unable|invalid"
    r"|not supported|mismatch|unexpected|illegal|abort|leak|not defined|not implemented"
)
_FRAMING = re.compile(r"^\s*(?:Traceback \(most recent|File \"|\^+|During handling|The above exception|#\d+ )")
_SAID_ANYWAY = frozenset(
    (
        "vllm",
        "sglang",
        "lmdeploy",
        "xllm",
        "ascend",
        "bug",
        "with",
        "when",
        "the",
        "and",
        "on",
        "in",
        "of",
        "for",
        "is",
        "using",
    )
)
_TELLING = 15  # characters that a rule's pattern has to find in a line for the line to be its own
_VARYING = re.compile(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)*|(?:/[\w.@+-]+)+/")


def draft(text: str, name: str, day: str, id: str = "", url: str = "") -> Draft:
    """The draft of a report called `name`, made on `day`. `id` and `url` are the user's, "" to find them in the text.

    Raises UsageError for an empty report, an id of another shape, and where no engine is recognised and none is given.
    """
    if not text.strip():
        raise UsageError("is empty", name, "paste the issue's text into it")
    if id:
        checked_id(id)
    if url and not url.startswith("https://"):
        raise UsageError(f"not an https address: {url!r}", "--url", None)
    case, _ = assemble(Request(files=(File(name, text.encode("utf-8", "replace")),), strict=False))
    titles = (_TAG.sub("", found[1]).strip() for found in _TITLE.finditer(text))
    title = next((said for said in titles if said and not said.startswith(("http://", "https://", "```"))), "")
    engine = id.partition("/")[0] if id else case.build.engine
    if not engine:
        raise UsageError("names no engine", name, "say which: --id vllm/slug")
    own = id or f"{engine}/{_slug(title)}"
    named = checked_id(own)
    theirs, shared = _machine_lines(case)
    threads = [found[0] for found in _THREAD.finditer(f"{url}\n{text}")]
    launches = case.launches
    made = Draft(
        id=named,
        as_of=day,
        summary=redact(title),
        engine=engine,
        given=case.build.version or case.build.commit or case.build.image or "",
        build=case.build.label() if case.build.known() else "",
        settings=_unique(
            (one.flag, redact_value(one.flag, one.value))
            for each in launches
            for one in each.settings
            if not str(one.value).startswith("{")  # its keys stand beside it
        ),
        environment=_unique(
            (one.name, redact_value(one.name, one.value)) for each in launches for one in each.environment
        ),
        hardware=_unique(
            (fact.name.partition(".")[2], fact.value)
            for fact in case.facts
            if fact.name.startswith("hardware.") and fact.origin != "derived"
        ),
        model=redact(next((one.model for one in launches if one.model), "")),
        facts=_unique((fact.name, fact.value) for fact in case.facts if fact.name.startswith("symptom.")),
        lines=theirs,
        shared=shared,
        frames=next((tuple(one.function for one in thread.frames[:3]) for thread in _stacks(case)), ()),
        threads=tuple(dict.fromkeys(threads))[:20],
        report=redact(text),
    )
    return covered(made)


def blank(id: str, day: str) -> Draft:
    """A rule of which nothing is known but its name. Raises UsageError for an id of another shape."""
    named = checked_id(id)
    return Draft(id=named, as_of=day, engine=named.partition("/")[0])


def checked_id(id: str) -> str:
    """The id, when it is `<engine>/<slug>` of an engine with rules of its own and no rule has it. Raises UsageError."""
    from advisor.catalog.engines import named

    engines = (*named(), "any")
    if not _ID.fullmatch(id) or id.partition("/")[0] not in engines:
        raise UsageError(
            f"not an id: {id!r}", "--id", f"<engine>/<slug> in small letters; engines: {', '.join(engines)}"
        )
    if any(id in (rule.id, *rule.former_ids) for rule in catalogue()):
        raise UsageError(f"there is a rule {id} already", "--id", f"advisor explain {id}")
    return id


def _stacks(case: Case) -> Iterator[Thread]:
    """Threads of a dump, with enough frames to tell something; a traceback is none."""
    dumped = {one.name for one in case.artifacts if one.kind == "stack"}
    return (one for one in case.threads if one.span.artifact in dumped and len(one.frames) > 2)


def _slug(title: str) -> str:
    words = [one for one in re.findall(r"[a-z][a-z0-9]*", title.lower()) if one not in _SAID_ANYWAY and len(one) > 1]
    return "-".join(words[:5])[:60].strip("-") or "unnamed"


def _unique(pairs: Iterator[tuple[str, object]]) -> tuple[tuple[str, str], ...]:
    found = dict.fromkeys((name, _yaml(value)) for name, value in pairs)
    return tuple((name, value) for name, value in found if "[redacted" not in value)


def _yaml(value: object) -> str:
    """A value as a rule writes it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = str(value)
    return text if isinstance(value, int | float) else "'" + text.replace("'", "''").replace("\n", " ") + "'"


def _machine_lines(case: Case) -> tuple[tuple[MachineLine, ...], tuple[MachineLine, ...]]:
    """The telling lines that no other rule has, and those that some have."""
    own: dict[str, MachineLine] = {}
    shared: dict[str, MachineLine] = {}
    for artifact in case.artifacts:
        if artifact.kind not in ("log", "stack"):
            continue
        for line in lines(artifact.text):
            said = redact(body(line.text).strip())
            if len(said) < 12 or _FRAMING.match(said) or not _TELLS.search(said):
                continue
            pattern = pattern_of(said)
            if pattern in own or pattern in shared:
                continue
            quote, place = redact(said[:240]), str(artifact.span(line.start, line.end))
            holders = tuple(rule.id for rule in catalogue() if _has(rule, said))
            found = MachineLine(pattern, quote, place, holders)
            (shared if holders else own).setdefault(pattern, found)
            if (len(own) >= MOST_LINES and len(shared) >= MOST_LINES) or len(own) + len(shared) > _TRIED:
                return tuple(own.values())[:MOST_LINES], tuple(shared.values())[:MOST_LINES]
    return tuple(own.values())[:MOST_LINES], tuple(shared.values())[:MOST_LINES]


def pattern_of(line: str) -> str:
    """A line as a linear-time pattern: numbers, addresses and folders may be others."""
    kept, last = [], 0
    said = line[:_SHOWN]
    for found in _VARYING.finditer(said):
        kept.append(re.escape(said[last : found.start()]))
        kept.append(r"\S*/" if found[0].startswith("/") else r"0x[0-9a-f]+" if found[0].startswith("0x") else r"[\d.]+")
        last = found.end()
    return "".join([*kept, re.escape(said[last:])]).replace(r"\ ", " ").replace(r"\-", "-").replace(r"\#", "#")


def _has(rule: Rule, line: str) -> bool:
    """Whether the rule speaks of this line, or calls it an echo; the name of an exception alone is nobody's."""
    own, echoes = (rule.symptoms.signature, *rule.symptoms.supporting), rule.symptoms.downstream
    return _longest(own, line) >= _TELLING or _longest(echoes, line) > 0


def _longest(conditions: Iterable[Condition | None], line: str) -> int:
    patterns = (atom.name for one in conditions for atom in atoms(one) if atom.kind == "log")
    found = (compile_pattern(pattern).search(line) for pattern in patterns)
    return max((one.end() - one.start() for one in found if one is not None), default=0)
