"""Events of knowledge: appended once however often, read in order, buried with what they quote; how far folds read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pith import platform
from pith.domain import knowledge
from pith.domain.knowledge import Change
from pith.platform import sha256
from pith.store import events, meta, sessions
from pith.store.canonical import as_json
from pith.store.database import Db
from pith.store.search import CHANGES

FOLD = "knowledge"
FOLDED = (
    "entries", "entities", "entity_aliases", "edges", "status_moves", "node_entries", "preferences",
    "consolidated_memories",
)  # fmt: skip
_STATISTICS = ("accessed_at", "access_count")  # columns that no event tells


def append(
    db: Db,
    kind: str,
    payload: Mapping[str, Any],
    *,
    at: str,
    anchor: bytes,
    origin: str,
    sources: Iterable[str] = (),
    branch: str = "",
    commit: str = "",
    id: str = "",
) -> Change | None:
    """Write a change of knowledge with the ids of the events it quotes; None when its anchor was seen before.

    One that comes from another store brings its id along: what was drawn from it then has the same ids, too.
    """
    knowledge.check(kind, payload)
    if events.seen_as(db, anchor) is not None:
        return None
    id, details = id or platform.new_id(platform.now_ms()), as_json(payload)
    seq = db.insert(
        "INSERT INTO events (id, kind, session, at, origin, place, size, checksum)"
        " VALUES (:id, :kind, NULL, :at, :origin, :place, 0, :checksum)",
        {
            "id": id,
            "kind": kind,
            "at": at,
            "origin": origin,
            "place": sessions.place(db, branch, commit, ""),
            "checksum": checksum(kind, at, origin, details),
        },
    )
    db.execute(
        "INSERT INTO event_bodies (seq, text, details) VALUES (:seq, '', :details)", {"seq": seq, "details": details}
    )
    events.add_anchors(db, seq, (anchor,))
    db.execute(COUNT_ONE, {"name": CHANGES})
    for source in dict.fromkeys(sources):
        db.execute(
            "INSERT INTO event_sources (source, event) VALUES (:source, :event)", {"source": source, "event": seq}
        )
    return Change(seq, id, kind, at, json.loads(details), branch, commit)


COUNT_ONE = """
    INSERT INTO meta (name, value) VALUES (:name, '1')
    ON CONFLICT (name) DO UPDATE SET value = CAST(value AS INTEGER) + 1
"""


def checksum(kind: str, at: str, origin: str, details: str) -> bytes:
    """What tells whether a stored change is still as it was written."""
    return sha256("\0".join((kind, at, origin, details)).encode("utf-8", "surrogatepass"))


def is_known(db: Db, anchor: bytes) -> bool:
    """Whether a change was appended under this anchor; a worker asks before it works."""
    return events.seen_as(db, anchor) is not None


SINCE = """
    SELECT e.seq, e.id, e.kind, e.at, p.branch, p.commit_id, b.details
    FROM events e JOIN event_bodies b ON b.seq = e.seq JOIN places p ON p.num = e.place
    WHERE e.session IS NULL AND e.seq > :after AND e.seq <= :until AND b.forgotten_at IS NULL ORDER BY e.seq
"""


def since(db: Db, after: int, until: int) -> Iterator[Change]:
    """The changes after one sequence number up to another, in order, one at a time."""
    yield from map(_change, db.each(SINCE, {"after": after, "until": until}))


def _change(row: Any) -> Change:
    seq, id, kind, at, branch, commit, details = row
    return Change(seq, id, kind, at, json.loads(details), branch, commit)


def of_kinds(db: Db, kinds: Iterable[str]) -> list[Change]:
    """Every change of these kinds that is not forgotten, in order."""
    sql = SINCE.replace("e.seq > :after AND e.seq <= :until", "e.kind IN (SELECT value FROM json_each(:kinds))")
    return [_change(row) for row in db.execute(sql, {"kinds": json.dumps(list(kinds))})]


TO_EXPORT = """
    SELECT e.seq, e.id, e.kind, e.at, e.origin, p.branch, p.commit_id AS "commit", b.details,
           (SELECT json_group_array(source) FROM event_sources WHERE event = e.seq) AS sources
    FROM events e JOIN event_bodies b ON b.seq = e.seq JOIN places p ON p.num = e.place
    WHERE e.session IS NULL AND b.forgotten_at IS NULL ORDER BY e.seq
"""


def to_export(db: Db) -> Iterator[dict[str, Any]]:
    """Every change that is not forgotten, with all that another store needs to have it too."""
    # Anchors are found by anchor only: all are read at once, and none for each.
    named = db.execute(
        "SELECT a.event, a.anchor FROM event_anchors a JOIN events e ON e.seq = a.event WHERE e.session IS NULL"
    )
    anchors_of = {row["event"]: bytes(row["anchor"]).hex() for row in named}
    for row in db.each(TO_EXPORT):
        fields = {name: row[name] for name in ("id", "kind", "at", "origin", "branch", "commit")}
        anchors = [anchors_of[row["seq"]]]
        payload, sources = json.loads(row["details"]), sorted(json.loads(row["sources"]))
        yield {**fields, "payload": payload, "sources": sources, "anchors": anchors}


def has_id(db: Db, id: str) -> bool:
    """Whether an event of any kind has this id, forgotten or not."""
    return bool(db.execute("SELECT 1 FROM events WHERE id = :id", {"id": id}))


def quotes_forgotten(db: Db, sources: Iterable[str]) -> bool:
    """Whether one of these events is forgotten here."""
    return any(
        db.execute(
            "SELECT 1 FROM events e JOIN event_bodies b ON b.seq = e.seq"
            " WHERE e.id = :id AND b.forgotten_at IS NOT NULL",
            {"id": source},
        )
        for source in sources
    )


def last(db: Db) -> int:
    """The sequence number of the last change, forgotten ones counted."""
    return int(db.execute("SELECT coalesce(max(seq), 0) FROM events WHERE session IS NULL")[0][0])


def by_id(db: Db, id: str) -> Change | None:
    """The change with this event id, unless it is forgotten."""
    sql = SINCE.replace("e.seq > :after AND e.seq <= :until", "e.id = :id")
    rows = db.execute(sql, {"id": id})
    return _change(rows[0]) if rows else None


# -- Forgetting ----------------------------------------------------------------------------------------------


def quoting(db: Db, sources: Iterable[str]) -> list[int]:
    """Sequence numbers of the changes that quote one of these events and are not forgotten."""
    found: set[int] = set()
    for source in sources:
        rows = db.execute(
            "SELECT s.event FROM event_sources s JOIN event_bodies b ON b.seq = s.event"
            " WHERE s.source = :source AND b.forgotten_at IS NULL",
            {"source": source},
        )
        found.update(row["event"] for row in rows)
    return sorted(found)


def bury_quoting(db: Db, sources: Iterable[str], now: str, spare: Iterable[str] = ()) -> int:
    """Bury the changes that quote one of these events, and throw away what was folded; how many were buried."""
    return bury(db, quoting(db, sources), now, spare)


def bury(db: Db, numbers: Iterable[int], now: str, spare: Iterable[str] = ()) -> int:
    """Bury changes, and throw away what was folded; how many were buried.

    Observed events among them are left alone, and so are changes of the kinds to spare.
    """
    listed = ",".join(str(int(number)) for number in numbers)
    rows = db.execute(
        f"SELECT seq FROM events WHERE session IS NULL AND seq IN ({listed})"
        " AND kind NOT IN (SELECT value FROM json_each(:spare))",
        {"spare": json.dumps(list(spare))},
    )
    buried = sum([events.bury(db, row["seq"], now) for row in rows])
    if buried:
        clear(db)
    return buried


def quoted(db: Db) -> set[str]:
    """The ids of the events that changes quote; those of other stores too."""
    return {row["source"] for row in db.execute("SELECT DISTINCT source FROM event_sources")}


def ids_of(db: Db, numbers: Iterable[int]) -> set[str]:
    """The ids of the events with these sequence numbers."""
    listed = ",".join(str(int(number)) for number in numbers)
    return {row["id"] for row in db.execute(f"SELECT id FROM events WHERE seq IN ({listed})")} if listed else set()


# -- Offsets -------------------------------------------------------------------------------------------------


def offset(db: Db, projection: str = FOLD, origin: str = "") -> int:
    """Up to which sequence number a projection has read."""
    rows = db.execute(
        "SELECT seq FROM knowledge_offsets WHERE projection = :p AND origin = :o", {"p": projection, "o": origin}
    )
    return int(rows[0]["seq"]) if rows else 0


def set_offset(db: Db, seq: int, projection: str = FOLD, origin: str = "") -> None:
    """Note how far a projection has read."""
    db.execute(
        "INSERT INTO knowledge_offsets (projection, origin, seq) VALUES (:p, :o, :seq)"
        " ON CONFLICT (projection, origin) DO UPDATE SET seq = excluded.seq",
        {"p": projection, "o": origin, "seq": seq},
    )


def clear(db: Db) -> None:
    """Throw away every folded row; the next fold begins at the first change."""
    for table in FOLDED:
        db.execute(f"DELETE FROM {table}")
    db.execute("DELETE FROM knowledge_offsets WHERE projection = :p", {"p": FOLD})
    db.execute("DELETE FROM citations WHERE item_kind = 'preference'")  # their ids follow from words: given anew


# -- Counting ------------------------------------------------------------------------------------------------


def forgotten(db: Db) -> int:
    """How many changes have been buried."""
    return int(
        db.execute(
            "SELECT count(*) FROM events e JOIN event_bodies b ON b.seq = e.seq"
            " WHERE e.session IS NULL AND b.forgotten_at IS NOT NULL"
        )[0][0]
    )


def counted(db: Db) -> tuple[int, int]:
    """How many changes the store says that it has, and how many there are."""
    row = db.execute(
        "SELECT coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = :name), 0) AS said,"
        " (SELECT count(*) FROM events WHERE session IS NULL) AS held",
        {"name": CHANGES},
    )[0]
    return row["said"], row["held"]


def count_again(db: Db) -> None:
    """Write down how many changes there are."""
    meta.put(db, CHANGES, str(counted(db)[1]))


def differing(db: Db, other: Db, table: str) -> int:
    """How many rows of a folded table only one of two stores has."""
    # A count and a sum of hashes would do with less memory, but not tell how many.
    names = [row["name"] for row in db.execute(f"PRAGMA table_info({table})")]
    columns = ", ".join(name for name in names if name not in _STATISTICS)
    sql = f"SELECT {columns} FROM {table}"
    here, there = ({hash(tuple(row)): None for row in one.each(sql)} for one in (db, other))
    return len(here.keys() ^ there.keys())


def counts(db: Db) -> dict[str, int]:
    """How many changes are kept, and how many rows were folded from them."""
    found = {"changes": int(db.execute("SELECT count(*) FROM events WHERE session IS NULL")[0][0]) - forgotten(db)}
    return found | {table: int(db.execute(f"SELECT count(*) FROM {table}")[0][0]) for table in FOLDED}
