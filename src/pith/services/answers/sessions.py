"""The sessions kept, and what happened in one of them, as every face tells it."""

from __future__ import annotations

from pith.services import lookup
from pith.services.answers import event
from pith.store import events as stored
from pith.store import sessions as kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.services.answers.here import Here
    from pith.store.database import Db

LIMIT = 20
TITLE = 80


def sessions(here: Here, limit: int = LIMIT) -> dict[str, Any]:
    """The sessions kept, the latest first."""
    with lookup.open_to_ask(here.folder) as db:
        return {"sessions": [facts(db, row) for row in kept.latest(db, limit)], "total": kept.count(db)}


def session(here: Here, prefix: str, limit: int | None = None) -> dict[str, Any]:
    """What happened in the session whose id begins so, as many events as asked for."""
    with lookup.open_to_ask(here.folder) as db:
        id = lookup.session(db, prefix)
        rows = stored.of_session(db, id)
        events = [{**event.facts(db, row), "text": event.shortened(row["text"])} for row in rows[:limit]]
        found = [facts(db, row) for row in kept.latest(db, 1, session=id)]
        return {
            "session": found[0] if found else {"id": id},
            "events": events,
            "left_out": len(rows) - len(events),
        }


def facts(db: Db, row: Any) -> dict[str, Any]:
    """A session but for what happened in it."""
    return {
        "id": row["id"],
        "host": row["host"],
        "title": row["title"] or _first_words(db, row["id"]),
        "first_at": row["first_at"],
        "last_at": row["last_at"],
        "ended_at": row["ended_at"],
        "parent": row["parent"],
        "branches": _listed(row["branches"]),
        "agents": _listed(row["agents"]),
        "events": row["events"],
        "forgotten": row["forgotten"],
        "prompts": row["prompts"],
    }


def _first_words(db: Db, session: str) -> str:
    """What a session without a title began with."""
    rows = stored.read(db, stored.first_turn(db, session)) or stored.of_session(db, session)[:1]
    return " ".join(rows[0]["text"].split())[:TITLE] if rows else ""


def _listed(joined: str | None) -> list[str]:
    return sorted(joined.split(",")) if joined else []
