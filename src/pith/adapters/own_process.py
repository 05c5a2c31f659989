"""This very process: how little of the machine it takes, how large it is, and how it is told to end."""

from __future__ import annotations

import os
import signal
import sys
import time
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

NICENESS = 10
# What libraries for numbers read when they are loaded: each would start a thread on every core. Not LANCE_IO_THREADS:
# with a single one a merge waits for itself, for ever.
_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "LANCE_CPU_THREADS",
    "TOKIO_WORKER_THREADS",
)
_ASKED = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")


def be_modest() -> None:
    """Give way to everything else and use one core; called before anything heavy is imported."""
    os.environ.update(dict.fromkeys(_THREADS, "1"), TOKENIZERS_PARALLELISM="false")
    if sys.platform == "win32":
        return
    try:
        os.nice(max(0, NICENESS - os.nice(0)))
        if sys.platform == "linux":
            cores = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, {cores[os.getpid() % len(cores)]})
    except OSError:
        pass  # a sandbox forbids it: the work is done all the same


def megabytes() -> float:
    """How much memory this process holds now, or held at most where the system does not say more; 0 if neither."""
    if sys.platform == "linux":
        try:
            with open("/proc/self/statm", "rb") as file:
                return int(file.read().split()[1]) * int(os.sysconf("SC_PAGE_SIZE")) / 1e6
        except (OSError, ValueError, IndexError):
            pass
    return _most_megabytes()


def _most_megabytes() -> float:
    if sys.platform == "win32":
        return 0.0
    else:
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most / 1e6 if sys.platform == "darwin" else most / 1e3


class Ending:
    """Notices that this process is asked to end, and ends it after `patience` seconds if it has not left by itself.

    A thread listens, since Python looks at signals only between two of its own instructions: a long computation in a
    library would keep everybody waiting. `at_last` is called before that hard end. Only for the main thread.
    """

    def __init__(self, patience: float = 1.5, at_last: Callable[[], None] = lambda: None) -> None:
        self.asked = False
        self.at_last = at_last
        self._patience = patience
        self._left = False
        self._asleep = allocate_lock()
        self._before: dict[int, Any] = {}
        self._before_fd = -1
        self._pipe = (-1, -1)

    def __enter__(self) -> Ending:
        self._asleep.acquire()
        self._pipe = os.pipe()
        if sys.platform != "win32":
            os.set_blocking(self._pipe[1], False)
        self._before_fd = signal.set_wakeup_fd(self._pipe[1], warn_on_full_buffer=False)
        for number in filter(None, (getattr(signal, name, None) for name in _ASKED)):
            if number == getattr(signal, "SIGHUP", None) and signal.getsignal(number) is signal.SIG_IGN:
                continue  # started with `nohup`
            self._before[number] = signal.signal(number, _let_the_thread_know)
        start_new_thread(self._listen, (self._pipe[0], frozenset(self._before)))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left = True
        signal.set_wakeup_fd(self._before_fd)
        for number, before in self._before.items():
            signal.signal(number, before)
        os.close(self._pipe[1])  # the thread reads to the end, and closes its own

    def wait(self, seconds: float) -> bool:
        """Sleep until so many seconds are over or the end is asked for; whether it is."""
        if not self.asked and self._asleep.acquire(timeout=seconds):
            self._asleep.release()
        return self.asked

    def _listen(self, reading: int, meant: frozenset[int]) -> None:
        try:
            while (data := os.read(reading, 1)) and data[0] not in meant:
                continue
        finally:
            os.close(reading)
        if data:
            self.asked = True
            self._asleep.release()
            time.sleep(self._patience)
            self._end_hard()

    def _end_hard(self) -> None:
        if self._left:
            return
        try:
            self.at_last()
        finally:
            os._exit(0)


def _let_the_thread_know(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: that a signal has a function makes the system write it into the pipe."""
