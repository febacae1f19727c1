"""What runs in a process beside a face: jobs come in by standard input, what came of them goes out.

    in   pickled (job, arguments, seconds)          out   b"<length>\\n" and, pickled, (well, result or exception)

It ends with its input, and itself where a job goes on after the face has gone.
"""

from __future__ import annotations

import errno
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from advisor import cores
from advisor.errors import AdvisorError
from advisor.redaction import one_answer

ALONE_S = 5
"""A job is ended so long after its time, where the face is no longer there to end it."""
ELSEWHERE = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.ENOENT, errno.EACCES, errno.EMFILE, errno.ENFILE, errno.EIO)
)
"""What goes wrong with files for want of something that the request cannot help."""
BEGIN = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from advisor.faces.workers import inside
inside.serve()
"""
"""How such a process is started; the first that it is sent is where modules are."""


class Told(Exception):
    """Why a job is not done, in words for who asked: it comes home as it is."""


class Exhausted(Exception):
    """The job wanted more memory than a process may take."""


class Broken(Exception):
    """A defect of ours in a job: the exception's type and the places it went through, nothing of the user's."""


class NoRoom(Exception):
    """The machine lacks what the job needs for its files; the name of the system's error."""


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
    _alarm(seconds + ALONE_S)
    try:
        with one_answer():
            return job(*arguments)
    except (AdvisorError, Told):
        raise
    except MemoryError:
        raise Exhausted from None
    except Exception as error:
        number = error.errno if isinstance(error, OSError) else None
        if number == errno.ENOMEM:
            raise Exhausted from None
        if number is not None and number in ELSEWHERE:
            raise NoRoom(errno.errorcode[number]) from None
        raise Broken(places(error)) from None
    finally:
        _alarm(0)


def _alarm(seconds: int) -> None:
    if hasattr(signal, "alarm"):  # not on Windows
        signal.alarm(seconds)


def places(error: BaseException) -> str:
    """A defect's type and the places that it went through, innermost first; nothing of the user's."""
    frames = reversed(traceback.extract_tb(error.__traceback__)[-6:])
    names = [f"{'/'.join(one.filename.split('/')[-2:])}:{one.lineno}" for one in frames]
    return f"{type(error).__name__} at {' < '.join(names)}"


def bounded(most_bytes: int) -> None:
    """From here on: so much memory and no more, and no processes of its own, as there is one a core already, and who
    ended this one would not end those.

    Signals that a terminal or an init system sends to all of a group are meant for the face. Where memory is short on
    the machine, the system is to take this process rather than that one.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    cores.fork_no_more()
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")
    with suppress(ImportError, OSError, ValueError):  # a system without such limits, or with a lower one
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, most_bytes))
