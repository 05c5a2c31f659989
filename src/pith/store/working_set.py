"""The working set: events of the last hours, each at most once; and the events that may become memories.

On the hook's path: a hook adds, and reads.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from pith.store.database import Db

KINDS = ("prompt", "response", "tool")
_QUESTIONS = 1_000  # of the newest that are looked at
_KINDS = ", ".join(f"'{kind}'" for kind in KINDS)

ADD = """
    INSERT INTO working_set (id, event_id, added_at, expires_at)
    SELECT e.id, e.id, e.at, :expires_at FROM events e WHERE e.seq = :seq ON CONFLICT DO NOTHING
"""


def add(db: Db, seq: int, expires_at: str) -> None:
    """Put an event in, unless it is there or in a memory; in the transaction that wrote it."""
    db.execute(ADD, {"seq": seq, "expires_at": expires_at})


SHED = """
    DELETE FROM working_set WHERE id IN (
        SELECT id FROM working_set ORDER BY relevance_score DESC, added_at DESC, id DESC LIMIT -1 OFFSET :most
    )
"""


def shed(db: Db, most: int) -> int:
    """Let the least relevant and oldest go beyond so many; how many went."""
    if int(db.execute("SELECT count(*) FROM working_set")[0][0]) <= most:
        return 0
    return db.changed(SHED, {"most": most})


READ = """
    SELECT w.event_id, w.added_at, w.expires_at, w.relevance_score, w.topics, e.seq, e.kind, e.at, s.id AS session,
           p.branch, substr(b.text, 1, :characters) AS text, b.details
    FROM working_set w JOIN events e ON e.id = w.event_id JOIN event_bodies b ON b.seq = e.seq
         JOIN sessions s ON s.num = e.session JOIN places p ON p.num = e.place
    WHERE w.added_at > :since AND w.expires_at > :now AND b.forgotten_at IS NULL
    ORDER BY w.added_at DESC, e.seq DESC LIMIT :most
"""


def read(db: Db, now: str, since: str, most: int, characters: int) -> list[Any]:
    """What is in the window at that time, the newest first, with the beginnings of the texts."""
    return db.execute(READ, {"now": now, "since": since, "most": most, "characters": characters})


def weigh(db: Db, rows: Iterable[Mapping[str, Any]]) -> None:
    """Keep what was worked out of events in the set: relevance and topics (`event_id`, `relevance`, `topics`)."""
    db.many(
        "UPDATE working_set SET relevance_score = :relevance, topics = :topics WHERE event_id = :event_id",
        ({**row, "topics": json.dumps(row["topics"], ensure_ascii=False)} for row in rows),
    )


def keep_only(db: Db, ids: Iterable[str], until: int) -> int:
    """Let all others that were written up to `until` leave; how many did."""
    return db.changed(
        "DELETE FROM working_set WHERE event_id NOT IN (SELECT value FROM json_each(:ids))"
        " AND event_id IN (SELECT id FROM events WHERE seq <= :until)",
        {"ids": json.dumps(list(ids)), "until": until},
    )


def clear(db: Db) -> None:
    """Empty the set."""
    db.execute("DELETE FROM working_set")


def held(db: Db) -> set[str]:
    """The events in it."""
    return {row["event_id"] for row in db.execute("SELECT event_id FROM working_set")}


# -- Events that may become memories -------------------------------------------------------------------------

# What an event was asked for: the last prompt before it in its session, whether that is in a memory or not.
_ASKED = """
    CASE WHEN :characters > 0 THEN (
        SELECT substr(y.text, 1, :characters) FROM events x JOIN event_bodies y ON y.seq = x.seq
        WHERE x.session = e.session AND x.kind = 'prompt' AND (x.at, x.seq) < (e.at, e.seq) AND y.forgotten_at IS NULL
        ORDER BY x.at DESC, x.seq DESC LIMIT 1
    ) END AS asked
"""
CANDIDATES = f"""
    SELECT e.seq, e.id, e.kind, e.origin, e.at, s.id AS session, p.branch, substr(b.text, 1, :characters) AS text,
           b.details, {_ASKED}
    FROM events e JOIN event_bodies b ON b.seq = e.seq JOIN sessions s ON s.num = e.session
         JOIN places p ON p.num = e.place
    WHERE e.at >= :since AND e.kind IN ({_KINDS}) AND b.forgotten_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM memory_events m WHERE m.event_id = e.id)
    ORDER BY e.at, e.seq
"""


def candidates(db: Db, since: str, characters: int) -> list[Any]:
    """The events from then on that are in no memory and not forgotten, in the order of time."""
    return db.execute(CANDIDATES, {"since": since, "characters": characters})


NAMED = f"""
    SELECT e.seq, e.id, e.kind, e.origin, e.at, s.id AS session, p.branch, substr(b.text, 1, :characters) AS text,
           b.details, {_ASKED}
    FROM json_each(:ids) i JOIN events e ON e.id = i.value JOIN event_bodies b ON b.seq = e.seq
         JOIN sessions s ON s.num = e.session JOIN places p ON p.num = e.place
    WHERE b.forgotten_at IS NULL ORDER BY e.at, e.seq
"""


def named(db: Db, ids: Iterable[str], characters: int) -> list[Any]:
    """Those of these events that are not forgotten, in the order of time."""
    return db.execute(NAMED, {"ids": json.dumps(list(ids)), "characters": characters})


def still_free(db: Db, ids: Iterable[str]) -> bool:
    """Whether none of these events went into a memory or was forgotten meanwhile."""
    listed = json.dumps(list(ids))
    return not db.execute(
        "SELECT 1 FROM json_each(:ids) i LEFT JOIN events e ON e.id = i.value LEFT JOIN event_bodies b ON b.seq = e.seq"
        " WHERE b.seq IS NULL OR b.forgotten_at IS NOT NULL"
        "    OR EXISTS (SELECT 1 FROM memory_events m WHERE m.event_id = i.value) LIMIT 1",
        {"ids": listed},
    )


# Of the newest rows only: an import may have left a hundred thousand old ones behind, and a hook asks.
NEW = f"""
    SELECT seq, at FROM (SELECT seq, kind, at FROM events WHERE seq > :after ORDER BY seq DESC LIMIT :looked_at)
    WHERE kind IN ({_KINDS}) AND at >= :since ORDER BY seq
"""


def written_after(db: Db, after: int, since: str, most: int) -> list[Any]:
    """Times of the newest events that were written after one and happened from `since` on, in the order of writing.

    As many as there are, up to about `most`, changes of knowledge standing between them.
    """
    return db.execute(NEW, {"after": after, "since": since, "looked_at": 3 * most + 300})


def times_shown(db: Db, since: str) -> dict[str, int]:
    """How often recall has shown each event since then, by the beginning of its citation."""
    rows = db.execute(
        "SELECT value AS cited, count(*) AS n FROM usage, json_each(usage.shown)"
        f" WHERE usage.id > (SELECT max(id) FROM usage) - {_QUESTIONS} AND at >= :since GROUP BY value",
        {"since": since},
    )
    return {str(row["cited"]).removeprefix("mem:"): int(row["n"]) for row in rows}
