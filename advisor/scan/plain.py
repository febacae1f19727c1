"""Words → which of them stand in a text, without a native engine: each is looked for by itself."""

from __future__ import annotations

from collections.abc import Sequence


class Scanner:
    """Which words a text holds: the same as the native one says, in time that grows with the words."""

    def __init__(self, words: Sequence[bytes]) -> None:
        self._words = tuple(enumerate(words))

    def seen(self, data: bytes) -> set[int]:
        """The indices of the words that stand in `data`."""
        return {index for index, word in self._words if word in data}
