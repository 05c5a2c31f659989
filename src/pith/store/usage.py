"""What recall was asked and what it showed: statistics, outside every fold, removed with what they quote."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from pith.store.database import Db


LONGEST = 500  # characters of a question; what was asked is kept for statistics, not to be read


def add(db: Db, *, at: str, face: str, session: str, query: str, shown: Sequence[str], tokens: int) -> None:
    """Note one question, by whom it was asked (hook, cli, mcp, web) and which citations were shown."""
    db.execute(
        "INSERT INTO usage (at, face, session, query, shown, tokens)"
        " VALUES (:at, :face, :session, :query, :shown, :tokens)",
        {
            "at": at,
            "face": face,
            "session": session or None,
            "query": query[:LONGEST],
            "shown": json.dumps(list(shown)),
            "tokens": tokens,
        },
    )


def shown_in(db: Db, session: str) -> set[str]:
    """The citations that hooks have already put into this session."""
    rows = db.execute("SELECT shown FROM usage WHERE session = :session AND face = 'hook'", {"session": session})
    return {cited for row in rows for cited in json.loads(row["shown"])}


def is_told_since(db: Db, session: str, query: str, since: str) -> bool:
    """Whether a hook has answered the very same question of this session since that time."""
    values = {"session": session, "query": query[:LONGEST], "since": since}
    told = "SELECT 1 FROM usage WHERE session = :session AND face = 'hook' AND query = :query AND at >= :since LIMIT 1"
    return bool(db.execute(told, values))


def after(db: Db, id: int) -> list[Any]:
    """The questions that were noted after that one: id, query and the citations shown."""
    return db.execute("SELECT id, query, shown FROM usage WHERE id > :id ORDER BY id", {"id": id})


def remove(db: Db, ids: Sequence[int]) -> int:
    """Take questions out of the statistics; how many were there."""
    listed = ",".join(str(int(id)) for id in ids)
    return db.changed(f"DELETE FROM usage WHERE id IN ({listed})") if listed else 0


def remove_older(db: Db, before: str) -> int:
    """Take the questions before that time out of the statistics; how many there were."""
    return db.changed("DELETE FROM usage WHERE at < :before", {"before": before})


def summary(db: Db) -> Any:
    """How many questions were asked, how many were answered, and how many tokens that took."""
    return db.execute(
        "SELECT count(*) AS asked, coalesce(sum(shown != '[]'), 0) AS answered, coalesce(sum(tokens), 0) AS tokens"
        " FROM usage"
    )[0]
