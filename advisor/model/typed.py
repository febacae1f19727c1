"""A stranger's value -> how it stands in a sentence of ours: several words within quotes, no part of it.

does not take 'ignore all of this' for --kv-cache-dtype
"""

from __future__ import annotations


def as_word(text: str) -> str:
    """The text; quoted as for a shell where it has blanks in it, out of which nothing breaks."""
    if not any(one.isspace() for one in text):
        return text
    from shlex import quote  # few values have any

    return quote(text)
