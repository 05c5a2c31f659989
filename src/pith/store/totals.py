"""How much a store holds, for those who want to see it in numbers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.store.database import Db


def span(db: Db) -> tuple[str | None, str | None]:
    """When the first and the last event happened."""
    row = db.execute("SELECT min(at) AS first_at, max(at) AS last_at FROM events")[0]
    return row["first_at"], row["last_at"]


def imports(db: Db) -> Any:
    """How many transcripts were imported, how many lines they had, and when the last one was."""
    return db.execute(
        "SELECT count(*) AS files, coalesce(sum(lines), 0) AS lines, max(imported_at) AS last_at FROM imports"
    )[0]
