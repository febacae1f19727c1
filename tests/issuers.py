"""The prefixes that issuers give their tokens, out of a kept detector's rules: `python -m tests.issuers` writes them anew.

kingfisher-secret-scanner (Apache-2.0; its rules are its own and those of betterleaks, MIT) keeps a rule for each kind of
token. Of a rule whose pattern begins with letters of the token itself this takes those letters: whatever follows them is
hidden, of any length. Not for rules that look for a word beside the token: names are read here anyway.
"""

from __future__ import annotations

import re
from pathlib import Path

TARGET = Path(__file__).parents[1] / "advisor" / "redaction" / "issuers.py"
_BEGIN = re.compile(r"(?:\(\?[ix]+\)|\\b|\(\?:|\(\?P?<\w+>|\((?!\?)|\(\?i:)*")
_LITERAL = re.compile(r"(?:[A-Za-z0-9_]|\\?-|\\\.)+")
_HEAD = '''"""Prefixes of issued tokens, by `python -m tests.issuers` out of {library} {version}: not typed in.

Apache-2.0 and, for the rules of betterleaks among them, MIT; see docs/decisions/0013-hostile-input-and-private-data.md.
"""

ISSUERS = (
{rows}
)
'''


def prefix(pattern: str) -> str:
    """The letters that a token of this pattern begins with; "" where they do not tell it from a word."""
    begin = _BEGIN.match(pattern)
    at = begin.end() if begin else 0
    found = _LITERAL.match(pattern, at)
    if found is None:
        return ""
    literal, rest = found[0].replace("\\", ""), pattern[found.end() :]
    if rest[:1] in ("?", "*", "+", "{", "|"):
        literal = literal[:-1]
    if not rest.startswith(("[", "(?i)[", "(?:[", "\\d", "\\w", "([", "(?i:[")):
        return ""
    tells = literal[-1:] in ("_", "-", ".") and len(literal) > 3
    return literal if tells and not literal.isdigit() else ""


def patterns() -> tuple[list[str], str]:
    """The patterns of the library's rules, and its version. Needs kingfisher-secret-scanner installed."""
    from kingfisher_sdk import _native  # type: ignore[import-not-found]

    rules = _native.Rules([], True, "low", cache=False)
    return [str(rules.detail(one["id"])["pattern"]) for one in rules.metadata()], str(_native.__version__)


def main() -> None:
    """Write the module, and say how many there are."""
    every, version = patterns()
    found = sorted({one for pattern in every if (one := prefix(pattern))})
    kept = [one for one in found if not any(one != other and one.startswith(other) for other in found)]
    rows = "\n".join(f'    "{one}",' for one in kept)
    TARGET.write_text(_HEAD.format(library="kingfisher-secret-scanner", version=version, rows=rows), encoding="utf-8")
    print(f"{len(kept)} prefixes of {len(every)} rules: {TARGET.relative_to(TARGET.parents[2])}")


if __name__ == "__main__":
    main()
