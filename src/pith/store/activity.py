"""How much happened when, and what recall was asked for: what an overview draws."""

from __future__ import annotations

from typing import Any

from pith.store.database import Db


def hours(db: Db, since: str) -> list[Any]:
    """How many events of each kind happened in each hour (`2026-11-12T09`) from then on."""
    return db.execute(
        "SELECT substr(at, 1, 13) AS hour, kind, count(*) AS n FROM events"
        " WHERE session IS NOT NULL AND at >= :since GROUP BY 1, 2",
        {"since": since},
    )


def questions(db: Db, limit: int) -> list[Any]:
    """The questions that were asked last: when, through which face, the words, how many memories and tokens."""
    return db.execute(
        "SELECT at, face, session, query, json_array_length(shown) AS memories, shown, tokens FROM usage"
        " ORDER BY id DESC LIMIT :limit",
        {"limit": limit},
    )


def faces(db: Db) -> list[Any]:
    """For each face how many questions it asked, how many were answered, and the tokens of that."""
    return db.execute(
        "SELECT face, count(*) AS asked, sum(shown != '[]') AS answered, sum(tokens) AS tokens FROM usage"
        " GROUP BY face ORDER BY asked DESC, face"
    )


def of_session(db: Db, session: str, limit: int, skip: int) -> list[int]:
    """The numbers of so many events of a session, its subagents' included, in the order of time."""
    rows = db.execute(
        "SELECT e.seq FROM events e JOIN sessions s ON s.num = e.session WHERE s.id = :session"
        " ORDER BY e.at, e.seq LIMIT :limit OFFSET :skip",
        {"session": session, "limit": limit, "skip": skip},
    )
    return [row["seq"] for row in rows]


def before(db: Db, session: str, at: str, seq: int) -> int:
    """How many events of a session happened before one of them."""
    return int(
        db.execute(
            "SELECT count(*) FROM events e JOIN sessions s ON s.num = e.session"
            " WHERE s.id = :session AND (e.at, e.seq) < (:at, :seq)",
            {"session": session, "at": at, "seq": seq},
        )[0][0]
    )
