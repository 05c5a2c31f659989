"""The preferences that a session is told: confirmed by the person, here and everywhere. On the hook's path."""

from __future__ import annotations

from pith.domain import context
from pith.services import recall
from pith.store import citations, database
from pith.store import standing as stored
from pith.store.standing import told_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.domain.context import Context, Line
    from pith.store.database import Db

__all__ = ["told", "told_in"]

MOST = 20  # preferences, at most, that are looked at; more are no preferences but a manual
_PATIENCE_MS = 50
_PERSONAL, _PROJECT = "preference (personal, everywhere)", "preference (this project)"
_HEADING = "What the person asked for and confirmed, to be kept to; what they say in this session goes first."
_MORE = "(More: `pith prefer list`)"


def told(db: Db, personal: str, budget: int, already: set[str]) -> Context:
    """The preferences in force that a session was not told yet, within the budget, or nothing.

    `personal` is the folder of the personal store, empty where there is none.
    """
    lines = _personal(personal) if personal else {}
    for id, line in _lines(db, _PROJECT).items():
        lines.setdefault(id, line)
    untold = [line for line in lines.values() if not recall.was_told(line.cited, already)]
    return context.lay_out_whole(untold, budget, heading=_HEADING, more=_MORE) if untold else context.EMPTY


def _personal(folder: str) -> dict[str, Line]:
    """What holds everywhere; nothing where the store is damaged or newer: a project's own memory is told without it."""
    try:
        with database.open_to_read(folder, busy_ms=_PATIENCE_MS) as db:
            return _lines(db, _PERSONAL)
    except Exception:
        return {}


def _lines(db: Db, about: str) -> dict[str, Line]:
    return {
        row["preference_id"]: context.Line(
            citations.short(db, citations.name(stored.PREFERENCE, row["preference_id"])), about, row["text"]
        )
        for row in stored.in_force(db, MOST)
    }
