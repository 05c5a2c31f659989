"""Where exports of this store were written, so that forgetting knows of them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.store.database import Db


def keep(db: Db, path: str, now: str) -> None:
    """Remember that an export is being written there."""
    db.execute(
        "INSERT INTO exports (path, written_at) VALUES (:path, :now)"
        " ON CONFLICT (path) DO UPDATE SET written_at = :now",
        {"path": path, "now": now},
    )


def paths(db: Db) -> list[str]:
    """Where exports are, as far as this store knows."""
    return [str(row["path"]) for row in db.execute("SELECT path FROM exports ORDER BY path")]


def drop(db: Db, path: str) -> None:
    """Know of that export no more."""
    db.execute("DELETE FROM exports WHERE path = :path", {"path": path})
