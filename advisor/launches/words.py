"""Shell words: where they start and end in a text, and what they say once quotes and expansions are resolved.

    --speculative-config '{"method":"dspark"}' -tp 8 \\
      --port="${PORT:-8000}"
        -> `--speculative-config`, `{"method":"dspark"}`, `-tp`, `8`, `--port=8000`, each with its characters

`prepare` walks a text once: it says whether the text is one plain command, which quote is never closed, and gives a
copy of the same length in which three things people paste are made harmless: JSON without its quotes
(`{"method":"dspark"}`), placeholders (`<path>`) and shell prompts. `resolve` gives the words that one typed word
becomes. What a variable holds is taken from the same text only; any other expansion is kept as typed and marked as
not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from advisor.model.late import dataclass
from advisor.model.shape import Shape

_PROMPT = Shape(
    r"^[ \t]*(?:\([\w.-]+\)[ \t]*)?(?:[\w.-]+@[\w.-]+[: ][^\s$#]*[ \t]*[$#]|[$%])[ \t]+(?=\S)", re.M
)  # user@host:~$ vllm …
_LOOSE_CONTINUATION = Shape(r"\\([ \t\r]+)(?=\n)")  # a backslash with blanks after it
_PLACEHOLDER = Shape(r"<[^<>\s|&;\"'`()]{1,60}>")  # <path>
_NAME = Shape(r"[A-Za-z_]\w*")
_ASSIGNMENT = Shape(r"[A-Za-z_]\w*=")
_HEREDOC = Shape(r"<<[-~]?[ \t]*+([\"']?)([A-Za-z_]\w*+)\1[^\n]*\n")  # cat <<'EOF'
_RESERVED = {
    "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "select", "function", "time",
    "coproc", "export", "declare", "typeset", "local", "readonly", "unset", "unsetenv", "[[", "[", "!", "{", "}",
}  # fmt: skip
_JSON = Shape(r'\{\s*"')  # {"method"
_ORDINARY = Shape(r"[^\s\\'\"{}<>#;|&()`$]+")  # what only stands for itself
_TYPED = r"(?>(?:[^\s\\'\"{}<>#;|&()`$]+|'[^']*'|\"(?:[^\"\\$`]|\\[^$`])*\")+)"
_ONE_COMMAND = Shape(
    rf"(?>(?:[ \t\n]|\\\n)*)(?>(?:{_TYPED}(?>(?:[ \t]|\\\n)*))*)(?:[ \t\n]|\\\n)*"
)  # vllm serve m --speculative-config '{"method":"dspark"}'
_WORDS = Shape(_TYPED)
_AS_TYPED = Shape(r"[^\\'\"$`{]+")  # --tensor-parallel-size
_UNPLAIN = Shape(r"[\\'\"$`{]")
_QUOTED = Shape(r"(?>(?:[^\\'\"$`{]+|'[^']*'|\"[^\"\\$`]*\")+)")  # --port="8000"
_PARTS = Shape(r"'([^']*)'|\"([^\"]*)\"|([^'\"]+)")
_SPECIAL = frozenset(";|&()<>`$#{}")
_ENDS = {'"': '"', "(": ")", "{": "}"}

MAX_ENCLOSED = 1 << 14  # characters between a quote or bracket and its end
MAX_WORD = 1 << 14
MAX_SLIPS = 200  # brackets that never close, after which a text is not taken for shell any further


@dataclass(frozen=True, slots=True)
class Word:
    """A word as the program would receive it, and the characters it was typed in (-1 when it is typed nowhere as such).

    `known` is False when part of it is an expansion whose value the text does not give; such parts stay as typed.
    `open` is True when it may stand for any number of words: `$EXTRA_ARGS`, `"$@"`.
    """

    text: str
    start: int = -1
    end: int = -1
    known: bool = True
    open: bool = False


Scope = dict[str, "Word | tuple[Word, ...] | None"]
"""Variables of a script: a string, an array, or None when assigned something that cannot be known."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """`text` has the length of what was given. `spans` are its words, blanks outside quotes apart, comments left out.

    `simple` says that it is one plain command, so that `spans` are that command's words. `unclosed` are the places of
    quotes that are opened and never closed.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    simple: bool
    unclosed: tuple[int, ...]


def prepare(text: str) -> Prepared:
    """The text made harmless, its words when it is one plain command, and its unclosed quotes."""
    text = _cleaned(text)
    if len(text) <= MAX_ENCLOSED and _ONE_COMMAND.fullmatch(text):  # as most are: nothing in it needs a walk
        spans = [found.span() for found in _WORDS.finditer(text)]
        return Prepared(text, tuple(spans), _starts_plainly(text, spans), ())
    return _walked(text)


def _cleaned(text: str) -> str:
    """The text without prompts, carriage returns and blanks behind a backslash, in its places."""
    if "\\" in text:
        text = _LOOSE_CONTINUATION.sub(lambda found: " " * len(found.group(1)) + "\\", text)
    text = text.replace("\r", " ")
    if "$" in text or "#" in text or "%" in text:
        text = _PROMPT.sub(lambda found: " " * len(found.group()), text)
    return text


def _walked(text: str) -> Prepared:
    unclosed: list[int] = []
    walk = _Walk(text)
    while (at := walk.run()) is not None:
        unclosed.append(at)
        if len(unclosed) > 20:  # hopeless as shell: say so and stop
            break
        walk = _Walk(text[:at] + "_" + text[at + 1 :])
        text = walk.text
    simple = walk.simple and _starts_plainly(walk.text, walk.found)
    return Prepared("".join(walk.masked), tuple(walk.found), simple, tuple(unclosed))


def _starts_plainly(text: str, spans: list[tuple[int, int]]) -> bool:
    """Whether the first word of one command, assignments aside, is no keyword of the shell."""
    for start, end in spans:
        if not _ASSIGNMENT.match(text, start, end):
            return text[start:end] not in _RESERVED
    return not spans


class _Walk:
    """One pass over a text: quotes, escapes, comments, here-documents."""

    def __init__(self, text: str) -> None:
        self.text, self.masked, self.simple, self.broken = text, list(text), True, False
        self.found: list[tuple[int, int]] = []
        self.begun: int | None = None
        self.slips = 0
        self.last_line = text.rfind("\n")

    def run(self) -> int | None:
        """Walk to the end; the place of a quote that never closes, or None."""
        at, text = 0, self.text
        while at < len(text):
            char = text[at]
            if char in " \t\n" or (char == "\\" and text[at + 1 : at + 2] == "\n"):
                self._stop(at)
                self.broken |= char == "\n" and bool(self.found)
                at += 2 if char == "\\" else 1
                continue
            fresh = self.begun is None
            if fresh:
                self.begun = at
                self.simple &= not self.broken
            if plain := _ORDINARY.match(text, at):
                at = plain.end()
            elif char in "'\"":
                end = _closing(text, at)
                if end is None:
                    return at
                if char == '"' and not _literal(text, at + 1, end - 1):
                    self.simple = False
                at = end
            else:
                at = self._other(at, fresh)
        self._stop(at)
        return None

    def _stop(self, at: int) -> None:
        if self.begun is not None:
            self.found.append((self.begun, min(at, len(self.text))))
            self.begun = None

    def _other(self, at: int, fresh: bool) -> int:
        text, char = self.text, self.text[at]
        if char == "\\":  # the grammar takes a blank behind one for a blank, where a word begins
            return self._hide(at, at + 2) if text[at + 1 : at + 2] in (" ", "\t") else at + 2
        if char == "{" and (fresh or text[at - 1] == "=" or text[at - 2 : at] == "=_") and self.slips < MAX_SLIPS:
            if end := bare_json(text, at):
                return self._hide(at, end)
            self.slips += 1
        if char == "<":
            if placeholder := _PLACEHOLDER.match(text, at):
                return self._hide(at, placeholder.end())
            if at < self.last_line and (heredoc := _HEREDOC.match(text, at)):
                self.simple = False
                return _heredoc_end(text, heredoc.end(), heredoc.group(2))
        if char == "#" and not fresh:
            return at + 1
        if char in _SPECIAL:
            self.simple = False
        if char == "#":
            end = text.find("\n", at)
            self.begun = None
            return end if end >= 0 else len(text)
        if char not in "$`" or self.slips >= MAX_SLIPS:
            return at + 1
        stop = expansion_end(text, at)
        self.slips += stop == at + 1
        return stop

    def _hide(self, start: int, end: int) -> int:
        self.masked[start:end] = "_" * (end - start)
        return end


def _literal(text: str, start: int, end: int) -> bool:
    return text.find("$", start, end) < 0 and text.find("`", start, end) < 0


def _heredoc_end(text: str, at: int, word: str) -> int:
    found = re.compile(rf"^[ \t]*{re.escape(word)}[ \t]*$", re.M).search(text, at)
    return found.end() if found else len(text)


def _closing(text: str, at: int, limit: int | None = None) -> int | None:
    """Just past the quote that closes the one at `at`, or None."""
    if text[at] == "'":
        end = text.find("'", at + 1)
        return end + 1 if end >= 0 else None
    return _enclosed(text, at, limit)


def _enclosed(text: str, at: int, limit: int | None = None) -> int | None:
    """Just past what ends the `"`, `(` or `{` at `at`, nested ones included, or None. One pass, no going back."""
    stack: list[str] = []
    place, stop = at, min(len(text), at + MAX_ENCLOSED if limit is None else limit)
    while place < stop:
        char, inside = text[place], stack[-1] if stack else ""
        if char == "\\":
            place += 2
            continue
        if char == inside:
            stack.pop()
        elif char == '"' or (char in "({" and (inside != '"' or text[place - 1] == "$")):
            stack.append(_ENDS[char])
        elif char == "'" and inside != '"':
            end = text.find("'", place + 1, stop)
            if end < 0:
                return None
            place = end
        place += 1
        if not stack:
            return place
    return None


def bare_json(text: str, at: int, limit: int | None = None) -> int | None:
    """Just past a JSON object that stands at `at` without shell quotes around it, or None: `{"method":"dspark"}`."""
    if not _JSON.match(text, at):
        return None
    depth, place, stop = 0, at, min(len(text), at + MAX_ENCLOSED if limit is None else limit)
    while place < stop:
        char = text[place]
        if char == '"':
            end = _json_string_end(text, place)
            if end is None:
                return None
            place = end
            continue
        depth += (char in "{[") - (char in "}]")
        place += 1
        if depth == 0:
            return place
    return None


def _json_string_end(text: str, at: int) -> int | None:
    place = at + 1
    while place < len(text) and text[place] != "\n":
        if text[place] == '"':
            return place + 1
        place += 2 if text[place] == "\\" else 1
    return None


def expansion_end(text: str, at: int, limit: int | None = None) -> int:
    """Just past the `$…` or backtick expansion at `at`; one past `at` when it is only that character."""
    if text[at] == "`":
        end = text.find("`", at + 1, limit if limit is not None else at + MAX_ENCLOSED)
        return end + 1 if end >= 0 else at + 1
    following = text[at + 1 : at + 2]
    if following in ("(", "{"):
        return _enclosed(text, at + 1, limit) or at + 1
    if name := _NAME.match(text, at + 1):
        return name.end()
    return at + 2 if following and following in "0123456789@*#?!$-" else at + 1


class _Field:
    """The words under construction for one typed word: text, and where it stands if it is typed plainly."""

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end
        self.done: list[Word] = []
        self.fresh()

    def fresh(self) -> None:
        self.parts: list[str] = []
        self.places: list[tuple[int, int]] = []
        self.known, self.open, self.begun = True, False, False

    def add(self, text: str, place: tuple[int, int] = (-1, -1), *, known: bool = True, quoted: bool = False) -> None:
        if text:
            self.parts.append(text)
            self.places.append(place)
        self.known &= known
        self.begun |= quoted or bool(text)

    def stop(self) -> None:
        """End the word here, as a blank in an unquoted expansion does."""
        if self.begun:
            place = self.places[0] if len(self.places) == 1 else (-1, -1)
            self.done.append(Word("".join(self.parts), *place, self.known, self.open))
        self.fresh()

    def words(self) -> list[Word]:
        self.stop()
        if len(self.done) == 1:
            only = self.done[0]
            return [Word(only.text, self.start, self.end, only.known, only.open)]
        return self.done


def of_one_command(text: str, spans: Sequence[tuple[int, int]]) -> list[Word]:
    """The words of one plain command: what nothing quotes or expands is each word as typed."""
    if len(text) > MAX_WORD or _UNPLAIN.search(text):
        return [word for start, end in spans for word in resolve(text, start, end, {})]
    return [Word(text[start:end], start, end) for start, end in spans]


def resolve(text: str, start: int, end: int, scope: Scope) -> list[Word]:
    """The words that the typed word `text[start:end]` becomes: mostly one; none or many where a variable expands so."""
    if _AS_TYPED.fullmatch(text, start, end):
        return [Word(text[start:end], start, end)]
    if _QUOTED.fullmatch(text, start, end):
        return [Word(_unquoted(text, start, end), start, end)]
    if end - start > MAX_WORD:
        return [Word(text[start:end], start, end, False)]
    return _stepped(text, start, end, scope)


def _unquoted(text: str, start: int, end: int) -> str:
    return "".join(found[found.lastindex or 0] for found in _PARTS.finditer(text, start, end))


def _stepped(text: str, start: int, end: int, scope: Scope) -> list[Word]:
    field = _Field(start, end)
    at = start
    while at < end:
        at = _step(text, at, start, end, scope, field)
    return field.words()


def _step(text: str, at: int, start: int, end: int, scope: Scope, field: _Field) -> int:
    char = text[at]
    if char == "\\":
        if text[at + 1 : at + 2] != "\n":
            field.add(text[at + 1 : at + 2], quoted=True)
        return at + 2
    if char in "'\"":
        closed = _closing(text, at, end)
        if closed is None or closed > end:  # never closed: skip the quote, keep what follows
            return at + 1
        if char == "'":
            field.add(text[at + 1 : closed - 1], quoted=True)
        else:
            _double_quoted(text, at + 1, closed - 1, scope, field)
        return closed
    if (
        char == "{"
        and (at == start or text[at - 1] in "='\"")
        and (json_end := bare_json(text, at, end))
        and json_end <= end
    ):
        field.add(text[at:json_end])
        return json_end
    if text.startswith("$'", at) and (closed := _closing(text, at + 1, end)):
        field.add(_ansi(text[at + 2 : closed - 1]), quoted=True)
        return closed
    if text.startswith('$"', at):
        return at + 1
    if char in "$`" and (stop := expansion_end(text, at, end)) > at + 1:
        _expand(text, at, min(stop, end), scope, field, quoted=False)
        return stop
    plain = _AS_TYPED.match(text, at + 1, end)
    stop = plain.end() if plain else at + 1
    field.add(text[at:stop])
    return stop


def _ansi(text: str) -> str:
    named = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
    return re.sub(r"\\(.)", lambda found: named.get(found.group(1), found.group()), text, flags=re.S)


def _double_quoted(text: str, at: int, end: int, scope: Scope, field: _Field) -> None:
    field.add("", quoted=True)
    while at < end:
        char = text[at]
        if char == "\\" and text[at + 1 : at + 2] in ("\\", '"', "$", "`", "\n"):
            field.add("" if text[at + 1] == "\n" else text[at + 1])
            at += 2
        elif char in "$`" and (stop := expansion_end(text, at, end)) > at + 1:
            _expand(text, at, min(stop, end), scope, field, quoted=True)
            at = stop
        else:
            plain = at + 1
            while plain < end and text[plain] not in "\\$`":
                plain += 1
            field.add(text[at:plain])
            at = plain


_BRACED = Shape(r"\$\{([A-Za-z_]\w*|[0-9@*])(\[[@*]\])?(?:(:?[-=])(.*))?\}\Z", re.S)  # ${args[@]}, ${PORT:-8000}


def _expand(text: str, at: int, end: int, scope: Scope, field: _Field, *, quoted: bool) -> None:
    typed = text[at:end]
    braced = _BRACED.match(typed)
    name = braced.group(1) if braced else typed[1:]
    value = scope.get(name) if braced or _NAME.fullmatch(name) else None
    if isinstance(value, tuple):
        _expand_array(value if braced and braced.group(2) else value[:1], field)
    elif isinstance(value, Word) and (value.text or not (braced and (braced.group(3) or "").startswith(":"))):
        _expand_string(value, field, quoted)
    elif braced and braced.group(3) and name not in scope:
        inner = _default(text, at + braced.start(4), at + braced.end(4), scope)
        if braced.group(3).endswith("="):
            scope[name] = inner
        _expand_string(inner, field, quoted)
    else:
        field.open |= not quoted or typed in ("$@", "${@}") or bool(braced and braced.group(2))
        field.add(typed, known=False)


def _default(text: str, start: int, end: int, scope: Scope) -> Word:
    """`default` of `${NAME:-default}`: one string, quotes resolved, blanks kept."""
    field = _Field(start, end)
    _double_quoted(text, start, end, scope, field)
    value = "".join(field.parts)
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return Word(value[1:-1], start + 1, end - 1, field.known)
    return Word(value, start, end, field.known) if value == text[start:end] else Word(value, known=field.known)


def _expand_array(elements: tuple[Word, ...], field: _Field) -> None:
    for index, element in enumerate(elements):
        if index:
            field.stop()
        field.add(element.text, (element.start, element.end), known=element.known, quoted=True)
        field.open |= element.open


def _expand_string(value: Word, field: _Field, quoted: bool) -> None:
    if quoted:
        field.add(value.text, known=value.known, quoted=True)
        return
    for index, (offset, part) in enumerate(_blank_separated(value.text)):
        if index or offset:
            field.stop()
        place = (value.start + offset, value.start + offset + len(part)) if value.start >= 0 else (-1, -1)
        field.add(part, place, known=value.known)
    if value.text[-1:].isspace():
        field.stop()


def _blank_separated(text: str) -> Iterator[tuple[int, str]]:
    for found in re.finditer(r"\S+", text):
        yield found.start(), found.group()
