"""How far `pith work` is with embedding, where somebody watches: of all its chores only this one takes minutes."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.interfaces.cli.output import Terminal
    from pith.services.workspace import Workspace

LOOK_EVERY = 1.0  # seconds


class HowFar:
    """Looks when it is called, between two steps of the work, and now and then draws what it saw."""

    def __init__(self, ws: Workspace, terminal: Terminal) -> None:
        self._ws, self._terminal = ws, terminal
        self._looked = self._began = 0.0
        self._before = -1  # what was done when the first look found something to do

    def __call__(self) -> None:
        now = time.monotonic()
        if now - self._looked < LOOK_EVERY:
            return
        self._looked = now
        try:
            self._look(now)
        except Exception:  # the chore tells what is wrong with the store; a picture of the work must not end it
            return

    def _look(self, now: float) -> None:
        from pith.services.meaning import upkeep

        done, waiting = upkeep.progress(self._ws.db)
        if not waiting:
            return
        if self._before < 0:
            self._before, self._began = done, now
        new, total = done - self._before, done - self._before + waiting
        left = _left((now - self._began) / new * waiting) if new > 0 else ""
        self._terminal.progress(f"Embedding {new:,} of {total:,} texts{left}", total).add(new)

    def wipe(self) -> None:
        """Take the line away."""
        if self._before >= 0:
            self._terminal.progress("", 0).__exit__()


def _left(seconds: float) -> str:
    if seconds < 60:
        return ", less than a minute left"
    minutes = round(seconds / 60)
    return f", about {minutes:,} minute{'s' * (minutes != 1)} left"
