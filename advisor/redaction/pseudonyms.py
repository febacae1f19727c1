"""One name for one thing: the same host is `host-1` wherever an answer speaks of it, so that ranks stay told apart.

Numbers go by first appearance. What is called so already, as in an archive that was covered before, keeps its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from advisor.patterns import compile_pattern
from advisor.redaction import BETWEEN, GONE, parts
from advisor.redaction.names import matchable
from advisor.redaction.personal import Mark, everywhere, marks
from advisor.redaction.secrets import secrets_in

MOST = 2000
"""Names, and secrets, that are looked for away from what told them; a stranger's text may hold any number."""
SAID = "[redacted text]"
"""What stands for a prompt or a completion."""
_WORDS = {"host": "host", "address": "address", "mac": "mac", "mail": "mail", "user": "user", "phone": "phone"}
TAKEN = re.compile(r"\b(host|address|mac|mail|user|phone)-(\d{1,6})\b")


class Pseudonyms:
    """The names given so far. One for each answer: never kept for another."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}
        self._reserved: set[str] = set()
        self._names: dict[str, str] = {}
        self._secrets: list[str] = []
        self._known: re.Pattern[str] | None = None
        self._paths: re.Pattern[str] | None = None

    def __bool__(self) -> bool:
        return bool(self._given or self._secrets)

    def learn(self, text: str) -> list[Mark]:
        """What is private in the text, each with a name from now on."""
        self._reserved.update(found.group(0) for found in compile_pattern(TAKEN.pattern).finditer(matchable(text)))
        found: list[Mark] = []
        at = 0
        for part in parts(text):
            own = (one for one in marks(part) if not TAKEN.fullmatch(one.name))
            found += [Mark(one.start + at, one.end + at, one.kind, one.name) for one in own]
            at += len(part)
        for one in found:
            if one.kind != "prompt":
                self._name(one)
        return found

    def learn_secrets(self, text: str) -> None:
        """The secrets of a text that is not shown itself: pieces of it may be, away from what told them."""
        for part in parts(text):
            found = sorted(secrets_in(part).difference(self._secrets))
            self._secrets += found[: MOST - len(self._secrets)]
        self._secrets.sort(key=lambda one: (-len(one), one))  # the longest first: one may begin as another does

    def host(self, name: str) -> None:
        """Take it for a host's name, wherever it stands: this machine's own."""
        one = Mark(0, len(name), "host", name)
        if everywhere(one):
            self._name(one)

    def _name(self, one: Mark) -> str:
        bare = one.name.partition(".")[0].lower() if everywhere(one) else one.name.lower()
        key = (one.kind, bare if one.kind == "host" else one.name.lower())
        if key not in self._given:
            word = _WORDS[one.kind]
            number = self._counts.get(word, 0) + 1
            while f"{word}-{number}" in self._reserved:
                number += 1
            self._counts[word] = number
            self._given[key] = f"{word}-{number}"
        if (everywhere(one) or one.kind == "user") and len(self._names) < MOST:
            names = [one.name, one.name.partition(".")[0]] if one.kind == "host" else [one.name]
            for name in names:
                if name not in self._names:
                    self._names[name] = self._given[key]
                    self._known = self._paths = None
        return self._given[key]

    def cover(self, text: str, found: Sequence[Mark]) -> str:
        """The text with a name for each mark of it, and for what is known to be private from elsewhere."""
        kept, at = [], 0
        for one in found:
            kept += [self._elsewhere(text[at : one.start]), self._stands_for(one, text)]
            at = one.end
        return "".join([*kept, self._elsewhere(text[at:])])

    def _stands_for(self, one: Mark, text: str) -> str:
        if one.kind != "prompt":
            return self._name(one)
        said = text[one.start : one.end]
        opening = re.match(r"\\*[\"']?", said)
        quote = opening[0] if opening else ""
        return f"{quote}{SAID}{quote if said.endswith(quote) and len(said) > 1 else ''}" + "\n" * said.count("\n")

    def _elsewhere(self, text: str) -> str:
        """The text with the names known from elsewhere: hosts wherever they stand, users in a path or before an `@`."""
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, GONE)
        if not text or not self._names:
            return text
        if self._known is None or self._paths is None:
            names = sorted(self._names, key=lambda one: (-len(one), one))
            hosts = "|".join(re.escape(one) for one in names if self._names[one].startswith("host-"))
            users = "|".join(re.escape(one) for one in names if self._names[one].startswith("user-"))
            self._known = re.compile(rf"(?<![A-Za-z0-9])(?:{hosts})(?![A-Za-z0-9])") if hosts else _NONE
            self._paths = (
                re.compile(rf"(?<=[/\\~])(?:{users})(?=[/\\:\s\"',;)]|\Z)|\b(?:{users})(?=@)") if users else _NONE
            )
        text = self._known.sub(lambda found: self._names[found[0]], text)
        return self._paths.sub(lambda found: self._names[found[0]], text)


_NONE = re.compile(r"(?!)")
Given = tuple[str, str]
"""What a text is the value of, with the sign between them (`MASTER_ADDR=`; "" of most), and the text."""


def covered_texts(texts: Iterable[Given], names: Pseudonyms, beside: Iterable[str] = ()) -> dict[str, str]:
    """Each of the texts, and what is shown in its place; those that stay as they are left out.

    `beside` are texts that are not shown, and that may say of a name in the others that it is a host's.
    """
    once = list(dict.fromkeys(texts))
    joined, others = BETWEEN.join(name + text for name, text in once), tuple(beside)
    found = names.learn(BETWEEN.join((joined, *others)))  # together: to look takes as long for a short text
    for one in others:
        names.learn_secrets(one)
    if not found and not names:
        return {}
    shown, at, index = {}, 0, 0
    for name, text in once:
        at += len(name)
        end, own = at + len(text), []
        while index < len(found) and found[index].start < end:
            mark = found[index]
            if mark.start >= at:
                own.append(Mark(mark.start - at, min(mark.end, end) - at, mark.kind, mark.name))
            index += 1
        hidden = names.cover(text, own)
        if hidden != text:
            shown[text] = hidden
        at = end + len(BETWEEN)
    return shown
