"""How far each transcript has been imported."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.store.database import Db

KEEP = """
    INSERT INTO imports (path, file_size, offset, head_hash, lines, imported_at)
    VALUES (:path, :size, :offset, :head, :lines, :now)
    ON CONFLICT (path) DO UPDATE SET file_size = :size, offset = :offset, head_hash = :head, lines = :lines,
        imported_at = :now
"""


def keep(db: Db, path: str, *, size: int, offset: int, head: bytes, lines: int, now: str) -> None:
    """Remember how far a file was read, with a hash of its head, by which it is known again."""
    db.execute(KEEP, {"path": path, "size": size, "offset": offset, "head": head, "lines": lines, "now": now})


def of(db: Db, path: str) -> Any | None:
    """What is remembered of a file: file_size, offset, head_hash, lines, imported_at."""
    rows = db.execute("SELECT * FROM imports WHERE path = :path", {"path": path})
    return rows[0] if rows else None
