"""How an entry climbs from working to candidate: it was stated again in another session, or shown in several.

Further up leads only what a person accepts: a node of the project memory that cites the entry.
"""

from __future__ import annotations

from pith import platform
from pith.domain import knowledge
from pith.services.knowledge.fold import Cause, Command
from pith.store import ladder as stored
from pith.store.database import Db

SESSIONS = 2  # in which an entry was shown to an agent before its use counts for it


def climb(db: Db) -> int:
    """Let those climb that have earned it; how many did."""
    moves = dict.fromkeys(stored.restated(db), "stated again in another session")
    for id in stored.used(db, SESSIONS):
        moves.setdefault(id, f"shown in {SESSIONS} sessions")
    for id, reason in sorted(moves.items()):
        with Command(db, Cause(at=platform.now(), origin="agent", command=f"climb:{id}")) as command:
            if not command.is_repeated:
                command.append(knowledge.ENTRY_STAGE_MOVED, {"entry": id, "to": "candidate", "reason": reason})
    return len(moves)
