"""Whether consolidation is due: a few reads, cheap enough for whenever a hook has written. On the hook's path."""

from __future__ import annotations

import json

from pith import platform
from pith.domain import endless
from pith.domain.times import milliseconds
from pith.services.endless.rules import CANDIDATE_MS, Rules
from pith.store import meta, working_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.services.config import Settings
    from pith.store.database import Db

STATE = "endless.consolidated"
PLAN = "endless.plan"
ASKED = "endless.ending"  # a session ended, or was about to be compacted, since the last consolidation


class State:
    """When consolidation was looked at last, up to which event, and how many events stayed behind."""

    __slots__ = ("at", "left", "seq")

    def __init__(self, at: str = "", seq: int = 0, left: int = 0) -> None:
        self.at, self.seq, self.left = at, seq, left


def state(db: Db) -> State:
    """What the last consolidation noted."""
    try:
        known = json.loads(meta.get(db, STATE) or "{}")
        return State(str(known.get("at", "")), int(known.get("seq", 0)), int(known.get("left", 0)))
    except (ValueError, TypeError, AttributeError):
        return State()


def note(db: Db, state: State) -> None:
    """Note what a consolidation did, in its transaction."""
    meta.put(db, STATE, json.dumps({"at": state.at, "seq": state.seq, "left": state.left}))
    meta.drop(db, ASKED)


def ask(db: Db, settings: Settings, now_ms: int) -> bool:
    """A session ends or is about to be compacted: whether that makes consolidation due, which the worker then knows."""
    if not why(db, settings, now_ms, ending=True):
        return False
    if not meta.get(db, ASKED):
        with db.transaction():
            meta.put(db, ASKED, platform.stamp(now_ms))
    return True


def why(db: Db, settings: Settings, now_ms: int, *, ending: bool = False) -> str:
    """Why consolidation is due (interval, count, idle, ending, unfinished), or nothing; never in session mode.

    `ending` is for the end of a session and the moment before a compaction.
    """
    if not settings.is_endless:
        return ""
    if meta.get(db, PLAN):
        return "unfinished"
    triggers, last = Rules(settings).triggers, state(db)
    since = platform.stamp(max(0, now_ms - CANDIDATE_MS))
    rows = working_set.written_after(db, last.seq, since, max(triggers.count, triggers.least))
    return endless.due(
        triggers,
        last=milliseconds(last.at) if last.at else None,
        now=now_ms,
        left=last.left,
        new=[milliseconds(row["at"]) for row in rows],
        ending=ending or meta.get(db, ASKED) is not None,
    )


def is_due(db: Db, settings: Settings, now_ms: int, *, ending: bool = False) -> bool:
    """Whether consolidation is due."""
    return bool(why(db, settings, now_ms, ending=ending))
