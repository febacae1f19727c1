"""Jobs that do what ours never should."""

import os
import signal
import time


def sleeping(*_: object) -> None:
    time.sleep(60)


def dying(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def failing(*_: object) -> None:
    raise RuntimeError("the user's secret words")


def pausing(*_: object) -> None:
    time.sleep(0.4)


def stopping(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def eating(*_: object) -> int:
    return len(b"x" * (1 << 30))


def without_room(number: int, *_: object) -> None:
    raise OSError(number, os.strerror(number), "/secret/folder")
