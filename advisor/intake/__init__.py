"""What the user hands over -> artifacts, each of one kind, decoded and cut to size.

Recognises by content, never by trust in a name: stacks (py-spy, gdb, faulthandler), logs, launches, machine readings,
metrics, health answers, flight-recorder dumps, `collect_env` and package lists, a person's prose, and binaries, which
are named but not opened. Archives are opened in memory, logs wrapped in JSON unwrapped. A text that mixes kinds is
split, and each part keeps its line in the original. Nothing here raises on odd bytes; what was not read is said in a
note.

Of a large log only the lines that tell something are taken (`large`, `condense`): it is read in pieces.
"""

from advisor.intake.folders import content_of, files_of
from advisor.intake.inputs import Taken, digested, take, take_early
from advisor.intake.large import Digest, digests, may_be_large
from advisor.intake.parts import rank_of_name
from advisor.intake.streams import Large

__all__ = [
    "Digest",
    "Large",
    "Taken",
    "content_of",
    "digested",
    "digests",
    "files_of",
    "may_be_large",
    "rank_of_name",
    "take",
    "take_early",
]
