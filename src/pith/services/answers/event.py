"""An event as every face tells it to a program."""

from __future__ import annotations

from pith.services import lookup
from pith.store import events as stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.store.database import Db

SNIPPET = 200  # characters of a text that stand for it
TOLD = (
    "tool",
    "command",
    "files",
    "exit",
)  # of a tool event's details, the ones that have a place of their own


def facts(db: Db, row: Any) -> dict[str, Any]:
    """Everything about a stored event but its text."""
    details = stored.details(row)
    return {
        "citation": lookup.cited(db, row),
        "id": row["id"],
        "at": row["at"],
        "kind": row["kind"],
        "session": row["session"],
        "agent": row["agent"],
        "title": row["title"],
        "host": row["host"],
        "origin": row["origin"],
        "branch": row["branch"],
        "commit": row["commit"],
        "directory": row["directory"],
        **{name: details.get(name) for name in TOLD},
        "details": {name: value for name, value in details.items() if name not in TOLD},
        "forgotten_at": row["forgotten_at"],
    }


def shortened(text: str) -> str:
    """The beginning of a text, on one line."""
    flat = " ".join(text[: SNIPPET * 4].split())
    return flat if len(flat) <= SNIPPET and len(text) <= SNIPPET * 4 else flat[:SNIPPET].rstrip() + "…"
