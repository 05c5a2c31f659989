"""Small facts about a store itself: the version of its words, what is still to be finished."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.store.database import Db


def get(db: Db, name: str) -> str | None:
    """The fact, if it was ever written."""
    rows = db.execute("SELECT value FROM meta WHERE name = :name", {"name": name})
    return str(rows[0]["value"]) if rows else None


def put(db: Db, name: str, value: str) -> None:
    """Write the fact over what stood there."""
    db.execute(
        "INSERT INTO meta (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = :value",
        {"name": name, "value": value},
    )


def drop(db: Db, name: str) -> None:
    """Take the fact away."""
    db.execute("DELETE FROM meta WHERE name = :name", {"name": name})
