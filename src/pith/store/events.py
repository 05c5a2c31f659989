"""Events and their bodies: appended, read, and forgotten through the one door that the triggers leave open."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from pith.domain.events import Sighting
    from pith.store.database import Db


def seen_as(db: Db, anchor: bytes) -> int | None:
    """The event that was seen under this anchor."""
    rows = db.execute("SELECT event FROM event_anchors WHERE anchor = :anchor", {"anchor": anchor})
    return int(rows[0]["event"]) if rows else None


def is_any_seen(db: Db, anchors: Sequence[bytes]) -> bool:
    """Whether an event was seen under any of a few anchors."""
    values = {f"a{n}": anchor for n, anchor in enumerate(anchors)}
    # With IN, SQLite would first sort the few values into a table of their own.
    each = " UNION ALL ".join([f"SELECT 1 FROM event_anchors WHERE anchor = :{name}" for name in values])
    return bool(db.execute(each, values))


def add_anchors(db: Db, event: int, anchors: Iterable[bytes]) -> None:
    """Remember further names of an event; a name belongs to the event that had it first."""
    for anchor in anchors:  # one statement with several rows takes half as long again
        db.execute(
            "INSERT INTO event_anchors (anchor, event) VALUES (:anchor, :event) ON CONFLICT DO NOTHING",
            {"anchor": anchor, "event": event},
        )


def append(db: Db, seen: Sighting, *, id: str, session: int, place: int, size: int, checksum: bytes) -> int:
    """Write an event and its body; the event's sequence number in this store."""
    seq = db.insert(
        "INSERT INTO events (id, kind, session, at, origin, place, size, checksum)"
        " VALUES (:id, :kind, :session, :at, :origin, :place, :size, :checksum)",
        {
            "id": id,
            "kind": seen.kind,
            "session": session,
            "at": seen.at,
            "origin": seen.origin,
            "place": place,
            "size": size,
            "checksum": checksum,
        },
    )
    details = json.dumps(seen.details, ensure_ascii=False, separators=(",", ":")) if seen.details else None
    db.execute(
        "INSERT INTO event_bodies (seq, text, details) VALUES (:seq, :text, :details)",
        {"seq": seq, "text": seen.text, "details": details},
    )
    for path in dict.fromkeys(seen.details.get("files", ())):
        db.execute(
            "INSERT INTO event_files (path, event) VALUES (:path, :event) ON CONFLICT DO NOTHING",
            {"path": path, "event": seq},
        )
    return seq


def time_of(db: Db, seq: int) -> str:
    """When the event happened."""
    return str(db.execute("SELECT at FROM events WHERE seq = :seq", {"seq": seq})[0]["at"])


def stand_between(db: Db, session: int, seq: int, at: str, other: str) -> bool:
    """Whether the session has events between one that is stored, at `at`, and the moment `other`, later or earlier."""
    later = "(at, seq) > (:at, :seq) AND at <= :other"
    earlier = "(at, seq) < (:at, :seq) AND at > :other"
    rows = db.execute(
        f"SELECT 1 FROM events WHERE session = :session AND {later if other >= at else earlier} LIMIT 1",
        {"session": session, "at": at, "seq": seq, "other": other},
    )
    return bool(rows)


WHOLE = """
    SELECT e.seq, e.id, e.kind, e.at, e.origin, e.size, e.checksum, s.id AS session, s.agent, s.host, s.title,
           p.branch, p.commit_id AS "commit", p.directory, b.text, b.details, b.forgotten_at
    FROM events e JOIN event_bodies b ON b.seq = e.seq JOIN sessions s ON s.num = e.session
         JOIN places p ON p.num = e.place
"""


def read(db: Db, numbers: Iterable[int]) -> list[Any]:
    """The events with these sequence numbers, whole, in no order."""
    listed = ",".join(str(int(number)) for number in numbers)
    return db.execute(f"{WHOLE} WHERE e.seq IN ({listed})") if listed else []


def by_id(db: Db, id: str) -> Any | None:
    """The event with this id, whole."""
    rows = db.execute(f"{WHOLE} WHERE e.id = :id", {"id": id})
    return rows[0] if rows else None


def of_session(db: Db, session: str) -> list[Any]:
    """Every event of a session, its subagents' included, in the order of time."""
    return db.execute(f"{WHOLE} WHERE s.id = :session ORDER BY e.at, e.seq", {"session": session})


def around(db: Db, seq: int, before: int, after: int) -> list[Any]:
    """The events of the same session around one, in the order of time, the one itself included."""
    this = db.execute("SELECT session, at FROM events WHERE seq = :seq", {"seq": seq})[0]
    values = {"session": this["session"], "at": this["at"], "seq": seq, "before": before, "after": after}
    earlier = db.execute(
        "SELECT seq FROM events WHERE session = :session AND (at, seq) < (:at, :seq)"
        " ORDER BY at DESC, seq DESC LIMIT :before",
        values,
    )
    later = db.execute(
        "SELECT seq FROM events WHERE session = :session AND (at, seq) > (:at, :seq) ORDER BY at, seq LIMIT :after",
        values,
    )
    numbers = [row["seq"] for row in earlier] + [seq] + [row["seq"] for row in later]
    return sorted(read(db, numbers), key=lambda row: (row["at"], row["seq"]))


TURNS = """
    SELECT e.seq FROM events e JOIN sessions s ON s.num = e.session
    WHERE s.id = :session AND s.agent = '' AND e.kind IN ('prompt', 'response', 'summary')
"""


def last_turns(db: Db, session: str, limit: int) -> list[int]:
    """The last things that were said in a session, the latest first."""
    rows = db.execute(f"{TURNS} ORDER BY e.at DESC, e.seq DESC LIMIT :limit", {"session": session, "limit": limit})
    return [row["seq"] for row in rows]


def first_turn(db: Db, session: str) -> list[int]:
    """The first thing that was said in a session, if anything was."""
    return [row["seq"] for row in db.execute(f"{TURNS} ORDER BY e.at, e.seq LIMIT 1", {"session": session})]


def each(db: Db, after: int = 0) -> Iterator[Any]:
    """Every event in the order of writing, whole, one at a time."""
    yield from db.each(f"{WHOLE} WHERE e.seq > :after ORDER BY e.seq", {"after": after})


def newest(db: Db, limit: int) -> list[Any]:
    """The events that were written last, newest first."""
    return db.execute(f"{WHOLE} WHERE b.forgotten_at IS NULL ORDER BY e.seq DESC LIMIT :limit", {"limit": limit})


def details(row: Any) -> dict[str, Any]:
    """What a tool event did, or nothing."""
    return json.loads(row["details"]) if row["details"] else {}


def bury(db: Db, seq: int, now: str) -> bool:
    """Put a tombstone where the body stood; False when it stands there already. Only `forget` calls this."""
    db.execute("DELETE FROM event_files WHERE event = :seq", {"seq": seq})
    return bool(
        db.changed(
            "UPDATE event_bodies SET text = '', details = NULL, forgotten_at = :now"
            " WHERE seq = :seq AND forgotten_at IS NULL",
            {"seq": seq, "now": now},
        )
    )


def anchors(db: Db) -> Iterator[tuple[int, bytes]]:
    """Every name under which an event was seen, with the event's number, in the order of the events."""
    # Sorted once and read along with the events: there is no way from an event to its names but through all of them.
    for row in db.each("SELECT event, anchor FROM event_anchors ORDER BY event, anchor"):
        yield row["event"], row["anchor"]


def drop_anchors(db: Db, numbers: Iterable[int]) -> None:
    """Forget under which names events were seen: the next sighting will be a new event."""
    listed = ",".join(str(int(number)) for number in numbers)
    db.execute(f"DELETE FROM event_anchors WHERE event IN ({listed})")


def older(db: Db, before: str) -> list[int]:
    """The events that happened before that time and are not forgotten, oldest first."""
    rows = db.execute(
        "SELECT e.seq FROM events e JOIN event_bodies b ON b.seq = e.seq"
        " WHERE e.at < :before AND b.forgotten_at IS NULL ORDER BY e.at, e.seq",
        {"before": before},
    )
    return [row["seq"] for row in rows]


def count_older(db: Db, before: str) -> int:
    """How many observed events happened before that time and are not forgotten; changes of knowledge go uncounted."""
    rows = db.execute(
        "SELECT count(*) FROM events e JOIN event_bodies b ON b.seq = e.seq"
        " WHERE e.at < :before AND e.session IS NOT NULL AND b.forgotten_at IS NULL",
        {"before": before},
    )
    return int(rows[0][0])


def remembered(db: Db) -> dict[str, int]:
    """Ids and sequence numbers of the events that are not forgotten."""
    rows = db.execute(
        "SELECT e.id, e.seq FROM events e JOIN event_bodies b ON b.seq = e.seq WHERE b.forgotten_at IS NULL"
    )
    return {row["id"]: row["seq"] for row in rows}


def forgotten(db: Db) -> set[str]:
    """Ids of the events that are forgotten."""
    rows = db.execute("SELECT e.id FROM events e JOIN event_bodies b ON b.seq = e.seq WHERE b.forgotten_at IS NOT NULL")
    return {row["id"] for row in rows}


def saying(db: Db, text: str, besides: Iterable[int], limit: int) -> list[int]:
    """Other events whose text holds this one whole."""
    listed = ",".join(str(int(number)) for number in besides)
    rows = db.execute(
        f"SELECT seq FROM event_bodies WHERE instr(text, :text) > 0 AND seq NOT IN ({listed}) LIMIT :limit",
        {"text": text, "limit": limit},
    )
    return [row["seq"] for row in rows]


def append_forgotten(
    db: Db, *, id: str, kind: str, session: int, at: str, origin: str, place: int, checksum: bytes, forgotten_at: str
) -> int:
    """Write an event of which another store kept only the tombstone; its sequence number in this one."""
    seq = db.insert(
        "INSERT INTO events (id, kind, session, at, origin, place, size, checksum)"
        " VALUES (:id, :kind, :session, :at, :origin, :place, 0, :checksum)",
        {"id": id, "kind": kind, "session": session, "at": at, "origin": origin, "place": place, "checksum": checksum},
    )
    db.execute(
        "INSERT INTO event_bodies (seq, text, details, forgotten_at) VALUES (:seq, '', NULL, :at)",
        {"seq": seq, "at": forgotten_at},
    )
    return seq


def counts(db: Db) -> dict[str, int]:
    """How many observed events of each kind are stored, and how many are forgotten."""
    rows = db.execute("SELECT kind, count(*) AS n FROM events WHERE session IS NOT NULL GROUP BY kind")
    found = {row["kind"]: row["n"] for row in rows}
    found["forgotten"] = db.execute(
        "SELECT count(*) FROM event_bodies b JOIN events e ON e.seq = b.seq"
        " WHERE b.forgotten_at IS NOT NULL AND e.session IS NOT NULL"
    )[0][0]
    return found
