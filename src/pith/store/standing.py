"""The preferences in force, as a hook needs them. On the hook's path."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.store.database import Db

PREFERENCE = "preference"  # as citations name them


def in_force(db: Db, limit: int) -> list[Any]:
    """Id and text of the preferences that hold, the one confirmed last first."""
    return db.execute(
        "SELECT preference_id, text FROM preferences WHERE state = 'confirmed' ORDER BY confirmed_at DESC LIMIT :limit",
        {"limit": limit},
    )


# What was told before a compaction is not in the session any more.
TOLD = """
    SELECT shown FROM usage WHERE session = :session AND face = 'hook' AND at >= coalesce((
        SELECT max(e.at) FROM sessions s JOIN events e ON e.session = s.num
        WHERE s.id = :session AND s.agent = '' AND e.kind = 'summary'
    ), '')
"""


def told_in(db: Db, session: str) -> set[str]:
    """The citations that hooks have put into a session since it was last compacted."""
    rows = db.execute(TOLD, {"session": session})
    return {cited for row in rows for cited in json.loads(row["shown"])}
