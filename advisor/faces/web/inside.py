"""What runs in a process beside the service: jobs come in by standard input, what came of them goes out.

    in   pickled (job, arguments, seconds)          out   b"<length>\\n" and, pickled, (well, result or exception)

It ends with its input, and itself where a job goes on after the service has gone. It takes so much memory and no more,
and starts no processes: there is one a core already, and who ended it would not end those.
"""

from __future__ import annotations

import errno
import os
import pickle
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from advisor import cores
from advisor.errors import AdvisorError
from advisor.faces.web.problems import NO_ROOM, Refused, places
from advisor.redaction import one_answer

ALONE_S = 5
"""A job is ended so long after its time, where the service is no longer there to end it."""
ELSEWHERE = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.ENOENT, errno.EACCES, errno.EMFILE, errno.ENFILE, errno.EIO)
)
"""What goes wrong with files for want of something that the request cannot help."""
BEGIN = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from advisor.faces.web import inside
inside.serve()
"""
"""How such a process is started; the first that it is sent is where modules are."""


class Exhausted(Refused):
    """The job wanted more memory than a process may take."""

    def __init__(self) -> None:
        hint = "hand over less: the lines around the failure, one rank instead of all"
        super().__init__(413, "takes more memory to judge than it may", None, hint)

    def __reduce__(self) -> tuple[type[Refused], tuple[object, ...]]:
        """Out of another process."""
        return Exhausted, ()


class Broken(Exception):
    """A defect of ours in a job: the exception's type and the places it went through, nothing of the user's."""


def serve() -> None:
    """Do jobs until the input ends."""
    taken, given = sys.stdin.buffer, sys.stdout.buffer
    sys.stdin, sys.stdout = open(os.devnull), open(os.devnull, "w")  # noqa: SIM115  what a job prints is no answer
    while True:
        try:
            job, arguments, seconds = pickle.load(taken)  # noqa: S301 - from the process above
        except EOFError:
            return
        answer = _answer(job, arguments, seconds)
        with suppress(BrokenPipeError):  # nobody waits any more; the input has ended as well
            given.write(b"%d\n" % len(answer))
            given.write(answer)
            given.flush()


def _answer(job: Callable[..., object], arguments: tuple[object, ...], seconds: int) -> bytes:
    try:
        return pickle.dumps((True, guarded(job, arguments, seconds)), pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        return pickle.dumps((False, Exhausted()), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        return pickle.dumps((False, error), pickle.HIGHEST_PROTOCOL)


def guarded(job: Callable[..., object], arguments: tuple[object, ...], seconds: int) -> object:
    """The result. What goes wrong is brought home without anything of the request in it."""
    signal.alarm(seconds + ALONE_S)
    try:
        with one_answer():
            return job(*arguments)
    except (AdvisorError, Refused):
        raise
    except MemoryError:
        raise Exhausted from None
    except Exception as error:
        number = error.errno if isinstance(error, OSError) else None
        if number == errno.ENOMEM:
            raise Exhausted from None
        if number is not None and number in ELSEWHERE:
            raise Broken(f"{NO_ROOM.what}: {errno.errorcode[number]}") from None
        raise Broken(places(error)) from None
    finally:
        signal.alarm(0)


def warmed(most_bytes: int) -> None:
    """The first job: be able to judge at once, within these bounds.

    Signals that a terminal or an init system sends to all of a group are meant for the service. Where memory is short
    on the machine, the system is to take this process rather than that one.
    """
    from advisor.faces.web import judging

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    cores.fork_no_more()
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")
    with suppress(ImportError, OSError, ValueError):  # a system without such limits, or with a lower one
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, most_bytes))
    judging.warm()
