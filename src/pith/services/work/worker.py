"""The worker of one store: does the chores in order, pass after pass, and leaves when it is told or idle.

Each chore is done in steps that are safe to kill and to repeat, so that nothing needs tidying wherever a run ends. One
that fails is noted and stops neither the others nor its own next time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pith import platform
from pith.adapters import own_process
from pith.adapters.own_process import Ending
from pith.services import config, location
from pith.services.work import record as kept
from pith.services.work import start
from pith.services.work.chore import Chore
from pith.services.work.chores import CHORES
from pith.services.work.record import IDLE, MEMORY, ONCE, STOPPED, TIME, Done, Failure, Record
from pith.services.workspace import Workspace
from pith.store import due
from pith.store.database import FILE

WATCH = "watch"
PATIENCE = 0.3  # seconds to wait for the lock: a hook that looks whether it is free holds it for a moment
LOOK_EVERY = 2.0  # seconds between two looks of a watching worker at whether anything was written
PASS_EVERY = 60.0  # and after which it goes through its chores all the same: files and time move too
_MEASURED_EVERY = 0.2
FAILING = 3  # passes with a chore that fails, after which it waits: on a full disk others do the same again and again

Tell = Callable[[str, str], None]


@dataclass
class Going:
    """Whether a worker may go on; called between two steps. `reason` says why not; `look` is called each time."""

    ending: Ending
    seconds: float | None = None
    megabytes: float | None = None
    reason: str = ""
    look: Callable[[], None] = lambda: None
    _began: float = field(default_factory=time.monotonic)
    _measured: float = 0.0

    def __call__(self) -> bool:
        now = time.monotonic()
        self.look()
        if self.reason:
            pass
        elif self.ending.asked:
            self.reason = STOPPED
        elif self.seconds is not None and now - self._began > self.seconds:
            self.reason = TIME
        elif self.megabytes is not None and now - self._measured > _MEASURED_EVERY:
            self._measured = now
            if own_process.megabytes() > self.megabytes:
                self.reason = MEMORY
        return not self.reason


@dataclass
class Report:
    """What a run did; `is_busy` says that another worker has the store, and nothing was done."""

    is_busy: bool = False
    why: str = ""
    passes: int = 0
    seconds: float = 0.0
    did: list[tuple[str, str]] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


def work(
    ws: Workspace,
    until: str,
    going: Going,
    *,
    chores: Sequence[Chore] = CHORES,
    tell: Tell = lambda _chore, _said: None,
) -> Report:
    """Do the chores once, until nothing is left to do, or until told to end; nothing where another worker does."""
    lock = platform.Lock(os.path.join(ws.folder, start.LOCK), timeout=PATIENCE)
    try:
        lock.__enter__()
    except platform.LockTimeout:
        return Report(is_busy=True)
    try:
        return _Run(ws, until, going, chores, tell).all()
    finally:
        lock.release()


class _Run:
    """One run under the lock."""

    def __init__(self, ws: Workspace, until: str, going: Going, chores: Sequence[Chore], tell: Tell) -> None:
        self.ws, self.until, self.going, self.chores, self.tell = ws, until, going, chores, tell
        self.record = Record(began=platform.now(), until=until)
        before, names = kept.read(ws.folder), {chore.name for chore in chores}
        if before:
            self.record.did = {name: done for name, done in before.did.items() if name in names}
            self.record.failures = {name: failure for name, failure in before.failures.items() if name in names}
        self.report = Report()
        self._failing = 0  # passes in a row
        self._folder, self._store = _inode(ws.folder), _inode(os.path.join(ws.folder, FILE))

    def all(self) -> Report:
        began = time.monotonic()
        kept.write(self.ws.folder, self.record)
        tell_last = self.going.ending.at_last

        def at_last() -> None:
            self._end(STOPPED)
            tell_last()

        self.going.ending.at_last = at_last
        why = self._passes()
        self.going.ending.at_last = lambda: None
        self._end(why)
        self.report.why, self.report.passes = why, self.record.passes
        self.report.seconds = round(time.monotonic() - began, 3)
        return self.report

    def _passes(self) -> str:
        while True:
            seen = self._version()
            has_done = self._pass()
            self._failing = self._failing + 1 if self.report.failed else 0
            if not self.going():
                return self.going.reason
            if self.until == ONCE:
                return ONCE
            if has_done and self._failing < FAILING:
                continue
            if self.until != WATCH:
                return IDLE
            kept.write(self.ws.folder, self.record)
            if not self._has_news(seen):
                return self.going.reason or STOPPED

    def _pass(self) -> bool:
        """Do every chore that is due; whether any of them did something."""
        self._look_again()
        has_done = False
        for chore in self.chores:
            if not self.going() or self._is_taken_away():
                break
            has_done = self._do(chore) or has_done
        self.record.passes += 1
        return has_done

    def _do(self, chore: Chore) -> bool:
        """Do one chore if it is due, whatever happens in it."""
        try:
            self._reopen_if_replaced()
            said = chore.run(self.ws, self.going) if chore.is_due(self.ws, platform.now_ms()) else None
        except Exception as error:
            self._note(chore.name, error)
            return False
        self.record.failures.pop(chore.name, None)
        self.report.failed.pop(chore.name, None)
        if said:
            self.record.did[chore.name] = Done(platform.now(), said)
            self.report.did.append((chore.name, said))
            self.tell(chore.name, said)
        return said is not None

    def _note(self, name: str, error: Exception) -> None:
        said = kept.told(error)
        times = self.record.failures[name].times + 1 if name in self.record.failures else 1
        self.record.failures[name] = Failure(times, platform.now(), said)
        self.report.failed[name] = said
        kept.log(self.ws.folder, f"{name}: {said}")
        self.tell(name, f"failed: {said}")
        self.ws.close()  # whatever state the connection is in, the next chore begins with a new one

    def _end(self, why: str) -> None:
        self.record.ended, self.record.why = platform.now(), why
        kept.write(self.ws.folder, self.record)
        if self.record.is_well:
            start.settle(self.ws.folder)

    # -- Between passes --------------------------------------------------------------------------------------

    def _look_again(self) -> None:
        """See where the work tree stands now and what the settings say: both may change under a long run."""
        place = self.ws.place
        folder = os.path.join(place.root, place.directory) if place.directory else place.root
        self.ws.place = location.locate(folder)
        self.ws.settings = config.load(self.ws.home, self.ws.folder, self.ws.place.root)

    def _reopen_if_replaced(self) -> None:
        """Open the store anew where a repair or a restored backup has put another file in its place."""
        store = _inode(os.path.join(self.ws.folder, FILE))
        if store != self._store:
            self.ws.close()
            self._store = store

    def _is_taken_away(self) -> bool:
        """Whether the store's folder, and our lock with it, is gone: it must not be made again by opening the store."""
        return _inode(self.ws.folder) != self._folder

    def _version(self) -> int:
        try:
            return -1 if self._is_taken_away() else due.version(self.ws.db)
        except Exception:  # the chores will tell what is wrong with it
            return -1

    def _has_news(self, seen: int) -> bool:
        """Wait until something was written or a while has passed; False when it is time to end."""
        ends = time.monotonic() + PASS_EVERY
        while self.going() and not self.going.ending.wait(LOOK_EVERY):
            if self._is_taken_away():
                return False
            if self._version() != seen or start.is_spooled(self.ws.folder) or time.monotonic() > ends:
                return self.going()
        return False


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0
