"""Prose, Markdown or code that speaks of a launch without being a command -> one partial Launch and facts.

    **Key flags**: `--speculative-algorithm DSPARK --watchdog-timeout 120`, both `SGLANG_REQ_WAITING_TIMEOUT` and
    `SGLANG_REQ_RUNNING_TIMEOUT` at default `-1`
        -> --speculative-algorithm DSPARK, --watchdog-timeout 120, two variables at -1, speculation.method dspark

A flag that takes a value counts only with one; a switch only beside other flags or in code; neither where the clause
speaks of removing or trying it. No launch means that no flag, variable, image or model is mentioned.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice

from advisor.launches import cases, named, overrides, python_code, stated, variables
from advisor.launches.bare import is_engine_variable
from advisor.launches.command_line import Source, phrases
from advisor.launches.flags import Place, parse
from advisor.launches.prose import Prose
from advisor.launches.spelling import looks_like_flag, spell
from advisor.launches.typography import plain
from advisor.launches.words import Word, prepare, resolve
from advisor.model.fact import HELPED, TRIED, Artifact, Fact, Note, Span
from advisor.model.knowledge import Knowledge
from advisor.model.late import dataclass
from advisor.model.launch import Launch, Setting, Variable
from advisor.model.shape import Shape

FACTS = stated.FACTS

Spoken = tuple[Setting, int, int]
"""A setting spoken of and the characters it stands on, -1 when it follows from another one there."""

SETTLED_BY: dict[str, tuple[str, ...]] = {
    "topology.tp": ("--tensor-parallel-size", "--tp-size", "--tp", "--tp_size"),
    "topology.pp": ("--pipeline-parallel-size", "--pp-size", "--pp", "--pp_size"),
    "topology.dp": ("--data-parallel-size", "--dp-size", "--dp", "--dp_size"),
    "topology.ep": ("--ep-size", "--ep", "--ep_size", "--expert-parallel-size"),
    "topology.nodes": ("--nnodes",),
    "speculation.method": ("--speculative-config.method", "--speculative-algorithm", "--speculative_algorithm"),
    "speculation.tokens": (
        "--speculative-config.num_speculative_tokens", "--speculative-num-draft-tokens", "--num_speculative_tokens",
    ),
}  # fmt: skip
"""The flags that say on a command line what the fact says in words."""

_FLAG = Shape(r"(?<![A-Za-z0-9_/.\-=])--?[A-Za-z][A-Za-z0-9_.-]*")
_FIRST = Shape(r"--?[A-Za-z][\w-]*(?:\.\w+)*")
_DEFAULT = Shape(r"\bat (?:its |their |the )?default(?: value)?(?: of)? `?(-?[\w.]+)`?")  # at default `-1`
_NAME = Shape(r"`([A-Z][A-Z0-9]*_[A-Z0-9_]+)`")
_AGAINST = Shape(
    r"(?i)\b(?:remov\w+|without|drop\w*|disabl\w+|turn\w* off|unset|unless|instead of|rather than|workarounds?|"
    r"avoid\w*|recommend\w*|suggest\w*|should|consider|try(?:ing)?|add(?:ing)?|needs?|require[sd]?|if)\b|"
    r"去掉|关闭|关掉|禁用|不加|不带|移除|取消|除非|规避|可考虑|建议|尝试|如果"
)
_CLIENT = Shape(
    r"\b(?:curl|evalscope|pip3? install|git \w+|py-spy|vllm bench|bench_serving|pre-commit|pytest"
    r"|apt(?:-get)?|docker build|wrk|nsys)\b"
)  # curl --max-time 5
MAX_SPOKEN = 400  # runs of flags, or variables, of one text
MANY = 3  # flags in one run that make it a launch, rather than talk of some flags
_TRAILING = ".,;:，。；：、)）*`"


@dataclass(frozen=True, slots=True)
class Mentions:
    """`launch` is None when nothing of a launch is mentioned."""

    launch: Launch | None
    facts: tuple[Fact, ...]
    notes: tuple[Note, ...]


def read(
    text: str, knowledge: Mapping[str, Knowledge], engine: str | None, version: str | None, source: Source
) -> Mentions:
    """What the text mentions. Never raises."""
    prose = Prose(Artifact(source.name, "text", text, source.first_line))
    image, name = _image(text, knowledge)
    chosen = overrides.engine(text)
    name = engine or name or (chosen if chosen in knowledge else "") or spoken_engine(text, knowledge)
    known = knowledge.get(name)
    facts, notes = stated.read(prose)
    arguments = python_code.read(prose, known, version)
    spoken = [
        *_flags(prose, known, version),
        *named.read(prose, known, version),
        *overrides.read(prose, known, version),
    ]
    theirs, tried = _sorted_by_run(prose, spoken)
    settings, conflicts = _agreed([*theirs, *arguments.settings])
    environment, tried_variables = _variables(prose, known)
    facts = (*facts, *dict.fromkeys((*tried, *tried_variables)))
    model = arguments.model or next((str(one.value) for one in settings if _names_model(one, known)), "")
    if not (settings or environment or image or model):
        return Mentions(None, facts, notes)
    launch = Launch(name, settings, environment, False, model, image, "", source.name)
    return Mentions(launch, facts, (*notes, *conflicts))


def _sorted_by_run(prose: Prose, spoken: Iterable[Spoken]) -> tuple[list[Setting], list[Fact]]:
    """The deployment's settings, and facts `tried:<flag>`, `helped:<flag>` for those that were tried."""
    theirs: list[Setting] = []
    tried: list[Fact] = []
    for one, start, end in spoken:
        if start < 0 or not cases.of_another_run(prose, start, end):
            theirs.append(one)
        else:
            tried += _trial(prose, start, end, Fact(one.flag, one.value, "stated", one.span, one.quote))
    return theirs, tried


def _trial(prose: Prose, start: int, end: int, given: Fact) -> list[Fact]:
    """What is given at `start`..`end` as a fact that it was tried, with or without effect; none where it was not."""
    if cases.tried(prose, start, end):
        return [given.but(name=TRIED + given.name, why="it was tried and changed nothing")]
    if cases.helped(prose, start, end):
        return [given.but(name=HELPED + given.name, why="with it the failure was gone")]
    return []


def spoken_engine(text: str, knowledge: Mapping[str, Knowledge]) -> str:
    """The engine a text is about: the one its first line names, else the one named most; "" for none or a tie."""
    title, _, _ = text.strip().partition("\n")
    for part in (title[:300], text):
        low = part.lower()
        counts = {
            name: len(re.findall(rf"(?i)(?<![a-z]){re.escape(name)}(?![a-z])", part)) if name.lower() in low else 0
            for name in knowledge
        }
        best = max(counts, key=lambda name: counts[name], default="")
        if best and counts[best] and sum(count == counts[best] for count in counts.values()) == 1:
            return best
    return ""


def _image(text: str, knowledge: Mapping[str, Knowledge]) -> tuple[str, str]:
    for name, known in knowledge.items():
        for one, *_ in phrases(known, "images"):
            if one in text and (
                found := re.search(
                    rf"(?<![\w/])(?:[\w.:-]{{1,80}}/){{0,6}}{re.escape(one)}(?![\w/-])(?::[\w.-]*\w)?(?:@sha256:\w+)?",
                    text,
                )
            ):
                return found.group(), name
    return "", ""


def _names_model(one: Setting, known: Knowledge | None) -> bool:
    return known is not None and one.flag in [flag for (flag, *_) in phrases(known, "model_flags")]


def _flags(prose: Prose, known: Knowledge | None, version: str | None) -> Iterator[Spoken]:
    """The settings of every run of flags in the text."""
    past = runs = 0
    for found in _FLAG.finditer(prose.joined) if "-" in prose.joined else ():
        if runs >= MAX_SPOKEN:
            return
        if found.start() < past or _of_a_client(prose, found.start()):
            continue
        runs += 1
        settings, past = _run(prose, found.start(), known, version)
        yield from settings


def _of_a_client(prose: Prose, at: int) -> bool:
    """Whether the flags are those of a client or tool named in front of them on the line: `curl --max-time 5`."""
    begin = prose.joined.rfind("\n", 0, at) + 1
    return bool(_CLIENT.search(prose.joined[begin:at].rpartition("`")[2]))


def _run(prose: Prose, start: int, known: Knowledge | None, version: str | None) -> tuple[list[Spoken], int]:
    """The settings of the run of flags that begins at `start`, and where it ends."""
    first = _FIRST.match(prose.joined, start)
    name = first.group() if first else ""
    if known is not None and known.flags() and not spell(name, known, version).known:
        return [], start + max(1, len(name))
    code = prose.in_code(start)
    stop = code[1] if code else prose.joined.find("\n", start)
    limit = min(stop if stop >= 0 else len(prose.joined), start + 1500)
    words = _words(prose.joined, start, limit, in_code=code is not None, known=known, version=version)
    end = max((word.end for word in words), default=start + 1)
    parsed = parse(words, known, version, Place(prose.text, prose.span))
    flags = [word for word in words if looks_like_flag(word.text.partition("=")[0])]
    if _AGAINST.search(prose.before(start)) or cases.unreal(prose, start, end):
        return [], max(end, start + 1)
    tried = cases.tried(prose, start, end)
    company = len(flags) > 1 or code is not None or tried
    kept = [one for one in parsed.settings if _counts(one, known, company)]
    if len(flags) >= MANY and not tried:  # a whole launch: what is said of it is said of the deployment
        return [(replace(one, start=-1, end=-1), -1, -1) for one in kept], max(end, start + 1)
    return [(replace(one, start=-1, end=-1), one.start, one.end) for one in kept], max(end, start + 1)


def _words(
    text: str, start: int, limit: int, *, in_code: bool, known: Knowledge | None, version: str | None
) -> list[Word]:
    """The words of a run: flags and what can be their values. In a sentence the run ends where the sentence goes on."""
    piece = plain(text[start:limit])
    words: list[Word] = []
    for first, last in prepare(piece).spans:
        for word in resolve(piece, first, last, {}):
            cut = _cut(word, in_code)
            if not _belongs(cut, words, in_code, known, version):
                return words
            words.append(replace(cut, start=cut.start + start, end=cut.end + start) if cut.start >= 0 else cut)
            if not in_code and word.text != cut.text and word.text[len(cut.text) :].strip(",，、*`"):
                return words
    return words


def _cut(word: Word, in_code: bool) -> Word:
    """The word without the punctuation of the sentence around it."""
    text = word.text.rstrip(",，、" if in_code else _TRAILING)
    if word.start < 0:
        return replace(word, text=text)
    return Word(text, word.start, word.end - (len(word.text) - len(text)), word.known)


def _belongs(word: Word, words: list[Word], in_code: bool, known: Knowledge | None, version: str | None) -> bool:
    if looks_like_flag(word.text.partition("=")[0]):
        return True
    if not words or not looks_like_flag(words[-1].text):
        return False
    spelled = spell(words[-1].text, known, version)
    if spelled.kind in ("switch", "pair"):
        return False
    if spelled.type in ("int", "float"):
        return bool(re.match(r"-?[\d.]+[kKmMgG]?\Z", word.text))
    if spelled.record and spelled.record.choices and not in_code:
        return word.text.lower() in [str(one).lower() for one in spelled.record.choices]
    if in_code or re.search(r"[\d_/{$]|\A[A-Z]", word.text):
        return True
    return spelled.known and word.text.isascii() and word.text.isidentifier()


def _counts(one: Setting, known: Knowledge | None, in_company: bool) -> bool:
    """Whether a mention gives the setting a value."""
    if one.span is None or one.start < 0:
        return one.origin == "derived"
    if not one.known and known is not None and known.flags():
        return False
    switch = one.value is True and "=" not in one.quote
    return in_company or not switch


def _agreed(settings: list[Setting]) -> tuple[tuple[Setting, ...], tuple[Note, ...]]:
    """One setting per flag: the value said most often, then first; a note where values differ."""
    by_flag: dict[str, list[Setting]] = {}
    for one in settings:
        by_flag.setdefault(one.flag, []).append(one)
    chosen: list[Setting] = []
    notes: list[Note] = []
    for flag, said in by_flag.items():
        said = [one for one in said if one.origin != "default"] or said
        counts = Counter(str(one.value) for one in said)
        best = max(said, key=lambda one: counts[str(one.value)])
        chosen.append(best)
        others = [value for value in counts if value != str(best.value)]
        if others and "{" not in str(best.value):
            # each with its flag before it, by which a secret is known as one
            named = " and also ".join(f"{flag} {value}" for value in (best.value, *others))
            notes.append(Note("conflict", f"the text says {named}", best.span))
    return tuple(chosen), tuple(notes)


def _variables(prose: Prose, known: Knowledge | None) -> tuple[tuple[Variable, ...], list[Fact]]:
    """The variables in force, and facts `tried:<NAME>`, `helped:<NAME>` for those that were tried."""
    found: dict[str, Variable] = {}
    tried: list[Fact] = []
    for one in islice(chain(variables.read(prose.joined), _at_default(prose)), 2 * MAX_SPOKEN):
        if not is_engine_variable(one.name, known) or _AGAINST.search(prose.before(one.start)):
            continue
        span, quote = prose.span(one.start, one.end), prose.quote(one.start)
        trial = _trial(prose, one.start, one.end, Fact(one.name, one.value, "stated", span, quote))
        tried += trial
        if not trial and not cases.elsewhere(prose, one.start, one.end):
            found.setdefault(one.name, Variable(one.name, one.value, span, "stated", quote))
    return tuple(found.values()), tried


def _at_default(prose: Prose) -> Iterator[variables.Assigned]:
    """both `A_TIMEOUT` and `B_TIMEOUT` at default `-1`"""
    for one in _DEFAULT.finditer(prose.joined) if "default" in prose.joined else ():
        for name in _NAME.findall(prose.before(one.start())):
            yield variables.Assigned(name, one.group(1), *one.span())


def tried_in_environment(text: str, artifact: str) -> tuple[Fact, ...]:
    """Facts `tried:<NAME>`, `helped:<NAME>` of a text that gives variables: `NCCL_PROTO=Simple tried`."""
    prose = Prose(Artifact(artifact, "text", text))
    found: list[Fact] = []
    for one in variables.read(text):
        given = Fact(one.name, one.value, "stated", Span(artifact), prose.quote(one.start))
        found += _trial(prose, one.start, one.end, given)
    return tuple(found)
