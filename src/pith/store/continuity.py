"""Contexts as the store knows them: when their events happened, what they were about, and how each followed another."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from pith.store.database import Db

MOMENTS = """
    SELECT e.seq, e.id, s.id AS session, e.at, p.branch
    FROM events e JOIN sessions s ON s.num = e.session JOIN places p ON p.num = e.place
    WHERE e.kind != 'note' AND s.id IN (
        SELECT o.id FROM sessions o JOIN events x ON x.session = o.num WHERE x.at >= :since
    )
    ORDER BY e.at, e.seq
"""


def moments(db: Db, since: str) -> list[Any]:
    """The events of all sessions that went on after that time, whole sessions, in the order of time."""
    return db.execute(MOMENTS, {"since": since})


LATEST = """
    SELECT e.seq, e.id, s.id AS session, e.at, p.branch
    FROM events e JOIN sessions s ON s.num = e.session JOIN places p ON p.num = e.place
    WHERE e.kind != 'note' AND e.session IS NOT NULL ORDER BY e.seq DESC LIMIT :most
"""


def latest_moments(db: Db, most: int) -> list[Any]:
    """The events that were written last, the newest first: a hook has no time to look at whole sessions."""
    return db.execute(LATEST, {"most": most})


def told(db: Db, numbers: Iterable[int], characters: int) -> list[Any]:
    """Kind, beginning of the text, and details of events that are not forgotten."""
    listed = ",".join(str(int(number)) for number in numbers)
    return db.execute(
        f"SELECT e.seq, e.id, e.kind, substr(b.text, 1, {int(characters)}) AS text, b.details"
        " FROM events e JOIN event_bodies b ON b.seq = e.seq"
        f" WHERE e.seq IN ({listed}) AND b.forgotten_at IS NULL"
    )


ENTITIES = """
    SELECT DISTINCT g.dst_id AS id FROM edges o JOIN edges g ON g.src_id = o.dst_id
    WHERE o.src_id = :event AND o.rel_type = 'source_of' AND o.dst_type = 'entry' AND o.retired_at IS NULL
      AND g.rel_type IN ('evidence_of', 'mentions') AND g.retired_at IS NULL
    UNION SELECT dst_id FROM edges
    WHERE src_id = :event AND rel_type = 'source_of' AND dst_type = 'entity' AND retired_at IS NULL
"""


def entities(db: Db, events: Iterable[str]) -> set[str]:
    """The tasks, conditions and artifacts that statements drawn from these events are about."""
    return {row["id"] for event in events for row in db.execute(ENTITIES, {"event": event})}


def log(
    db: Db, *, id: str, previous: str | None, context: str, score: float | None, kind: str, now: str, began: str,
    session: str,
) -> bool:  # fmt: skip
    """Write down how a context followed another, once; whether it was new."""
    return bool(
        db.changed(
            "INSERT INTO continuity_log (log_id, from_context_id, to_context_id, continuity_score, transition_type,"
            " created_at, began_at, session)"
            " VALUES (:id, :previous, :context, :score, :kind, :now, :began, :session) ON CONFLICT DO NOTHING",
            {
                "id": id, "previous": previous, "context": context, "score": score, "kind": kind, "now": now,
                "began": began, "session": session,
            },
        )
    )  # fmt: skip


def logged(db: Db) -> set[str]:
    """The contexts of which it was written down."""
    return {row["to_context_id"] for row in db.execute("SELECT to_context_id FROM continuity_log")}


def of_context(db: Db, context: str) -> Any | None:
    """How a context followed another, if that was written down."""
    rows = db.execute("SELECT * FROM continuity_log WHERE to_context_id = :id", {"id": context})
    return rows[0] if rows else None


def since(db: Db, began: str) -> list[Any]:
    """The transitions into contexts that began from then on, in their order."""
    return db.execute(
        "SELECT * FROM continuity_log WHERE began_at >= :began ORDER BY began_at, log_id", {"began": began}
    )


def newest(db: Db) -> Any | None:
    """The transition into the context that began last."""
    rows = db.execute("SELECT * FROM continuity_log ORDER BY began_at DESC, log_id DESC LIMIT 1")
    return rows[0] if rows else None


UNREAD = """
    SELECT e.seq, e.id, e.at, e.kind, b.text, p.branch
    FROM events e JOIN event_bodies b ON b.seq = e.seq JOIN places p ON p.num = e.place
    WHERE e.seq > coalesce((
            SELECT seq FROM knowledge_offsets WHERE projection = 'extract.rules' AND origin = ''), 0)
      AND e.kind IN ('prompt', 'response', 'summary') AND b.forgotten_at IS NULL
    ORDER BY e.seq DESC LIMIT :most
"""


def unread_turns(db: Db, most: int) -> list[Any]:
    """What was said last of that from which no statements were drawn yet, the newest first."""
    return db.execute(UNREAD, {"most": most})


def by_hour(db: Db, since: str) -> dict[str, dict[str, int]]:
    """How many events of each kind happened in each hour (`2026-11-30T09`) from then on."""
    found: dict[str, dict[str, int]] = {}
    rows = db.execute(
        "SELECT substr(at, 1, 13) AS hour, kind, count(*) AS n FROM events"
        " WHERE at >= :since AND session IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2",
        {"since": since},
    )
    for row in rows:
        found.setdefault(row["hour"], {})[row["kind"]] = row["n"]
    return found
