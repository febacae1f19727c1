"""What the user hands over -> artifacts, each of one kind, decoded and cut to size.

Recognises by content, never by trust in a name: stacks (py-spy, gdb, faulthandler), logs, launches, machine readings,
metrics, health answers, flight-recorder dumps, `collect_env` and package lists, a person's prose, and binaries, which
are named but not opened. Archives are opened in memory, logs wrapped in JSON unwrapped. A text that mixes kinds is
split, and each part keeps its line in the original. Nothing here raises on odd bytes; what was not read is said in a
note.
"""

from advisor.intake.folders import content_of, files_of
from advisor.intake.inputs import Taken, take, take_early
from advisor.intake.parts import rank_of_name

__all__ = ["Taken", "content_of", "files_of", "rank_of_name", "take", "take_early"]
