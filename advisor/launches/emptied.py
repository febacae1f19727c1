"""An assignment that is a whole command -> what to write in its place, so that what stands around it still is a script.

    export A=1; vllm serve m          -> vllm serve m
    test -f x || { export A=1; }      -> test -f x || { :; }
    if x; then                        -> if x; then
      export A=1                           :
    fi                                   fi

Taken away alone it would leave `; vllm serve m`, which no shell reads, or a bare `export`, which prints every variable,
secrets among them. `:` does nothing and succeeds, as an assignment does.
"""

from __future__ import annotations

from advisor.model.shape import Shape

LONGEST = 2_000
"""Characters on either side that are looked at."""
_DECLARES = Shape(r"(?:export|declare|typeset|readonly|local)(?:[ \t]+-\w+)*(?:[ \t]|\\\r?\n)+\Z")
_OPENS = Shape(r"(?:\A|(?<!\\)(?<!\\\r)\n|[;&|({`\"')]|(?:\b(?:then|do|else|RUN|CMD|ENTRYPOINT)|[-:|>!])[ \t])[ \t]*\Z")
_ENDS = Shape(r"[ \t]*(?:\Z|\r?\n|[#;&|)`\"'])")
_JOINED = Shape(r"[ \t]*(?:;(?!;)|&&)[ \t]*")
_CLOSES = Shape(r"(?:[})#;&|\"'`\r\n]|\Z|(?:fi|done|else|elif|esac)\b)")
_REST_OF_LINE = Shape(r"[ \t]*+;?[ \t]*+(?:#[^\n]*)?(?:\r?\n|\Z)")
_BLOCK_BEGINS = Shape(r"(?:\b(?:then|do|else)|[{(]|(?<!;)[^\n\s(]\))[ \t\r]*\n\s*\Z")
_BLOCK_ENDS = Shape(r"\s*(?:fi|done|else|elif|esac)\b|\s*(?:;;|[})])")


def whole_command(text: str, start: int, end: int) -> tuple[int, int, str] | None:
    """From where to where to replace, and by what; None where the assignment is only a part of its command."""
    floor = max(0, start - LONGEST)
    declares = _DECLARES.search(text, floor, start)
    first = declares.start() if declares else start
    if not _OPENS.search(text, max(0, first - LONGEST), first) or not _ENDS.match(text, end, end + LONGEST):
        return None
    quoted = text[:first].rstrip(" \t")[-1:] in ("'", '"')
    if quoted and declares is None and not text.startswith("export", first) and not _JOINED.match(text, end):
        return None  # `-e "A=1"`
    line = text.rfind("\n", 0, first) + 1
    rest = _REST_OF_LINE.match(text, end)
    if rest is not None and not text[line:first].strip():
        if _BLOCK_BEGINS.search(text, max(0, line - LONGEST), line) and _BLOCK_ENDS.match(text, rest.end()):
            return first, end, ":"
        return line, rest.end(), ""
    joined = _JOINED.match(text, end)
    if joined is not None and not _CLOSES.match(text, joined.end()):
        return first, joined.end(), ""
    return first, end, ":"


_KEY = Shape(r"([ \t]*(?:-[ \t]+)*)[\w\"'.-]+:(?:[ \t]+&[\w.-]+)?(?=[ \t]*(?:#[^\n]*)?\r?\Z)")
_BARE = Shape(r"[ \t]*(?:#[^\n]*)?\r?\Z")


def without_entry(text: str, span: tuple[int, int]) -> str:
    """The text without the lines of one entry of a map or list of YAML; where it was the only one the key gets `{}` or
    `[]`, for a key without a value is null, which compose refuses and Helm takes for a default that is taken away."""
    after = text[: span[0]] + text[span[1] :]
    first = text.rfind("\n", 0, max(span[0] - 1, 0)) + 1 if text[span[0] - 1 : span[0]] == "\n" else -1
    key = _KEY.match(text[first : span[0] - 1]) if first >= 0 else None
    if key is None:
        return after
    column, item = len(key.group(1)), text[span[0] : span[1]].lstrip().startswith("- ")
    following = next((one for one in after[span[0] :].split("\n", 200)[:200] if not _BARE.match(one)), "")
    indent = len(following) - len(following.lstrip())
    more = indent > column or (item and indent == column and following.lstrip().startswith("- "))
    if more:
        return after
    at = first + key.end()
    return f"{after[:at]} {'[]' if item else '{}'}{after[at:]}"
