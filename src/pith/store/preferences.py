"""Standing preferences as rows: those that people confirmed or withdrew, and where in prompts more may stand."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pith.domain.preferences import Preference, Wish
from pith.store import citations
from pith.store.canonical import as_json
from pith.store.database import Db

PREFERENCE = "preference"  # as citations name them

PUT = """
    INSERT INTO preferences (preference_id, text, scope, state, said_at, confirmed_at, withdrawn_at, event_id,
                             evidence_json)
    VALUES (:preference_id, :text, :scope, :state, :said_at, :confirmed_at, :withdrawn_at, :event_id, :evidence_json)
    ON CONFLICT (preference_id) DO UPDATE SET
        text = excluded.text, scope = excluded.scope, state = excluded.state, said_at = excluded.said_at,
        confirmed_at = excluded.confirmed_at, withdrawn_at = excluded.withdrawn_at, event_id = excluded.event_id,
        evidence_json = excluded.evidence_json
"""


def write_many(db: Db, preferences: Iterable[Preference]) -> None:
    """Let these preferences stand as they are, each under its citation."""
    for each in preferences:
        values = {name: getattr(each, name) for name in Preference.__slots__ if name != "evidence"}
        db.execute(PUT, {**values, "evidence_json": as_json(list(each.evidence))})
        citations.give(db, PREFERENCE, each.preference_id)


def by_id(db: Db, id: str) -> Preference | None:
    """The preference with this id, confirmed or withdrawn."""
    rows = db.execute("SELECT * FROM preferences WHERE preference_id = :id", {"id": id})
    return _preference(rows[0]) if rows else None


def listed(db: Db) -> list[Preference]:
    """Every preference that was ever decided on, the latest decision first."""
    rows = db.execute("SELECT * FROM preferences ORDER BY coalesce(withdrawn_at, confirmed_at) DESC, preference_id")
    return [_preference(row) for row in rows]


def _preference(row: Any) -> Preference:
    values = {name: row[name] for name in Preference.__slots__ if name != "evidence"}
    return Preference(**values, evidence=tuple(json.loads(row["evidence_json"])))


def changes_of(db: Db, id: str) -> list[int]:
    """Sequence numbers of the changes that confirmed or withdrew a preference and are not forgotten."""
    rows = db.execute(
        "SELECT e.seq, b.details FROM events e JOIN event_bodies b ON b.seq = e.seq"
        " WHERE e.session IS NULL AND e.kind IN ('preference_confirmed', 'preference_withdrawn')"
        " AND b.forgotten_at IS NULL AND json_extract(b.details, '$.preference') = :id ORDER BY e.seq",
        {"id": id},
    )
    return [row["seq"] for row in rows]


# -- Candidates ----------------------------------------------------------------------------------------------

# Only what the person typed to the agent: a subagent's prompt is written by an agent.
PROMPTS = """
    SELECT e.seq, b.text FROM events e JOIN event_bodies b ON b.seq = e.seq JOIN sessions s ON s.num = e.session
    WHERE e.seq > :after AND e.kind = 'prompt' AND e.origin = 'person' AND s.agent = '' AND b.forgotten_at IS NULL
    ORDER BY e.seq LIMIT :limit
"""


def prompts(db: Db, after: int, limit: int) -> list[Any]:
    """What a person said after a sequence number: number and text, in the order of writing."""
    return db.execute(PROMPTS, {"after": after, "limit": limit})


def last_observed(db: Db) -> int:
    """The sequence number of the last event of any kind."""
    return int(db.execute("SELECT coalesce(max(seq), 0) FROM events")[0][0])


def add_candidates(db: Db, event: int, wishes: Iterable[Wish]) -> None:
    """Note where in a prompt standing preferences may be, unless it was forgotten while it was read."""
    db.many(
        "INSERT INTO preference_candidates (event, start, end, quote_hash, preference_id)"
        " SELECT seq, :start, :end, :hash, :id FROM event_bodies WHERE seq = :event AND forgotten_at IS NULL"
        " ON CONFLICT DO NOTHING",
        ({"event": event, "start": one.start, "end": one.end, "hash": one.hash, "id": one.id} for one in wishes),
    )


def clear_candidates(db: Db) -> None:
    """Throw all away; they are found again."""
    db.execute("DELETE FROM preference_candidates")


CANDIDATES = """
    SELECT c.event, c.start, c.end, c.quote_hash, c.preference_id, e.id, e.at, b.text
    FROM preference_candidates c JOIN events e ON e.seq = c.event JOIN event_bodies b ON b.seq = c.event
    WHERE NOT EXISTS (SELECT 1 FROM preferences p WHERE p.preference_id = c.preference_id)
    ORDER BY e.at DESC, c.event DESC, c.start
"""


def candidates(db: Db) -> list[Any]:
    """Where preferences stand that nobody has decided on, the newest first, each with the prompt that holds it."""
    return db.execute(CANDIDATES)


def other_events(db: Db) -> int:
    """How many events of a store decide nothing about a preference; the personal store has none."""
    sql = "SELECT count(*) FROM events WHERE kind NOT IN ('preference_confirmed', 'preference_withdrawn')"
    return int(db.execute(sql)[0][0])
