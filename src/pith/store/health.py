"""What `doctor` asks of a store, and the few things that put one right. Reading changes nothing and survives damage."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from typing import Any

from pith.errors import StoreCorrupt, StoreUnavailable
from pith.store.database import FILE, Db, StoreBusy, open_to_read, told

SQLITE = sqlite3.sqlite_version_info
PATIENCE_MS = 2000
DAMAGE_SHOWN = 5  # of what may be thousands of complaints about one torn file


# -- Opening -------------------------------------------------------------------------------------------------


def look(folder: str) -> Db:
    """The store in `folder`, opened to read; also where nothing may be written beside it."""
    db = open_to_read(folder)
    db.connection.text_factory = _readable
    try:
        db.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
        version(db)
    except StoreUnavailable as error:
        db.close()
        if isinstance(error, (StoreBusy, StoreCorrupt)) or os.access(folder, os.W_OK):
            raise
        return _unchanging(os.path.join(folder, FILE))
    return db


def _unchanging(path: str) -> Db:
    """A database as if nobody could write it: the only way to read WAL mode on a read-only disk."""
    db = _open(path, "mode=ro&immutable=1")
    try:
        version(db)
    except BaseException:
        db.close()
        raise
    return db


def _open(path: str, how: str) -> Db:
    from urllib.parse import quote

    try:
        address = f"file:{quote(os.fsencode(path))}?{how}"
        connection = sqlite3.connect(address, uri=True, timeout=PATIENCE_MS / 1000, isolation_level=None)
    except sqlite3.Error as error:
        raise told(error, path) from error
    connection.row_factory = sqlite3.Row
    connection.text_factory = _readable
    return Db(connection, path)


def _readable(data: bytes) -> str:
    """Read stored text, also where a bad disk has made something else of it."""
    return data.decode("utf-8", "replace")


def version(db: Db) -> int:
    """Which version of the tables the store has."""
    db.execute("SELECT count(*) FROM sqlite_master")  # reads a page: a file that is no database is found out here
    return int(db.execute("PRAGMA user_version")[0][0])


def damage(path: str, *, deep: bool = False) -> list[str]:
    """What SQLite finds wrong in a database's pages; `deep` compares every index with its table too."""
    # Not read-only where that can be avoided: some versions of SQLite then call full text unreadable.
    for how in ("mode=rw", "mode=ro&immutable=1"):
        db = _open(path, how)
        try:
            rows = db.execute(f"PRAGMA {'integrity_check' if deep else 'quick_check'}({DAMAGE_SHOWN})")
            return [str(row[0]) for row in rows if row[0] != "ok"]
        except StoreBusy:
            raise
        except StoreCorrupt as error:
            return [str(error)]
        except StoreUnavailable:
            if how != "mode=rw":
                raise
        finally:
            db.close()
    return []


# -- Events --------------------------------------------------------------------------------------------------

# EXCEPT and not NOT EXISTS: anchors are found by anchor, and a hundred thousand searches would take minutes.
LACKING = {
    "body": "SELECT seq FROM events EXCEPT SELECT seq FROM event_bodies",
    "event": "SELECT seq FROM event_bodies EXCEPT SELECT seq FROM events",
    "anchor": "SELECT seq FROM event_bodies WHERE forgotten_at IS NULL EXCEPT SELECT event FROM event_anchors",
    "session": "SELECT seq FROM events WHERE session NOT IN (SELECT num FROM sessions)",
    "place": "SELECT seq FROM events WHERE place NOT IN (SELECT num FROM places)",
}

UNCITED = """
    SELECT e.id FROM events e JOIN event_bodies b ON b.seq = e.seq
    WHERE b.forgotten_at IS NULL AND e.session IS NOT NULL
    EXCEPT SELECT item_id FROM citations WHERE item_kind = 'event'
"""

BODIES = """
    SELECT e.seq, e.id, e.kind, s.id AS session, s.agent, s.host, e.at, e.origin, e.checksum, b.text
    FROM events e JOIN event_bodies b ON b.seq = e.seq JOIN sessions s ON s.num = e.session
    WHERE b.forgotten_at IS NULL ORDER BY e.seq
"""


def lacking(db: Db, part: str) -> list[int]:
    """Numbers of the events that lack a part that every event has."""
    return [row[0] for row in db.execute(LACKING[part])]


def uncited(db: Db) -> list[str]:
    """Ids of the events that no citation names."""
    return [row["id"] for row in db.execute(UNCITED)]


def bodies(db: Db) -> Iterator[Any]:
    """Every event that is not forgotten, with what its checksum is made of, one at a time."""
    return _each(db, BODIES)


def foreign(db: Db) -> list[tuple[str, str]]:
    """Rows that point to nothing: their table and the one they point to."""
    return [(row[0], row[2]) for row in db.execute("PRAGMA foreign_key_check")]


def ahead(db: Db, moment: str) -> tuple[int, str]:
    """How many events are later than a moment, and when the last of them is."""
    row = db.execute("SELECT count(*), coalesce(max(at), '') FROM events WHERE at > :at", {"at": moment})[0]
    return int(row[0]), str(row[1])


def last_import(db: Db) -> str:
    """When a transcript was imported last; empty if never."""
    return str(db.execute("SELECT coalesce(max(imported_at), '') FROM imports")[0][0])


MADE = """
    SELECT type, name, sql FROM sqlite_master
    WHERE sql IS NOT NULL AND name NOT GLOB '*_terms_*'
"""  # the tables behind the full text are worded by SQLite, and by each version anew


def unmade(db: Db, model: Db) -> list[tuple[str, str, str]]:
    """Type, name and definition of every table, index and trigger of the model that is missing or other here."""
    made = {(row["type"], row["name"]): row["sql"] for row in db.execute(MADE)}
    wanted = [(row["type"], row["name"], row["sql"]) for row in model.execute(MADE)]
    return [(type, name, sql) for type, name, sql in wanted if made.get((type, name)) != sql]


def make(db: Db, type: str, name: str, sql: str) -> None:
    """Put an index or a trigger, which hold nothing of their own, back as they should be."""
    if type not in ("index", "trigger"):
        raise StoreCorrupt(f"The {type} {name} is missing or changed, and only a backup has what was in it.")
    db.execute(f'DROP {type} IF EXISTS "{name}"')
    db.execute(sql)


def _each(db: Db, sql: str) -> Iterator[Any]:
    try:
        yield from db.each(sql)
    except sqlite3.Error as error:
        raise told(error, db.path) from error


# -- Full text -----------------------------------------------------------------------------------------------


class TextState:
    """Which words the full text was made of, and whether it is being made anew.

    `sizes_hold` says that the sizes kept with events count these words: sizes never change, the words' rules may.
    """

    __slots__ = ("rebuilding", "sizes_hold", "version")

    def __init__(self, noted: dict[str, str]) -> None:
        self.version = noted.get("words", "")
        self.rebuilding = "rebuilding" in noted
        self.sizes_hold = "sizes" not in noted


def text_state(db: Db) -> TextState:
    """How the full text stands."""
    return TextState({row["name"]: row["value"] for row in db.execute("SELECT name, value FROM meta")})


SAMPLE = """
    WITH span AS (SELECT max(seq) AS last, max(1, max(seq) / :count) AS step FROM event_bodies)
    SELECT seq, text FROM event_bodies, span WHERE forgotten_at IS NULL AND (last - seq) % step = 0
    ORDER BY seq DESC LIMIT :count
"""


def sample(db: Db, count: int) -> list[tuple[int, str]]:
    """Number and text of up to `count` events, from everywhere in the store, the newest included."""
    return [(row["seq"], row["text"]) for row in db.execute(SAMPLE, {"count": count})]


def postings(db: Db) -> tuple[int, int]:
    """How many pairs of term and event the full text holds, and how many the events say there are."""
    held = db.execute("SELECT coalesce(sum(doc), 0) FROM event_vocabulary")[0][0]
    said = db.execute(
        "SELECT coalesce(sum(e.size), 0) FROM events e JOIN event_bodies b ON b.seq = e.seq"
        " WHERE b.forgotten_at IS NULL"
    )[0][0]
    return int(held), int(said)


def pairs(db: Db) -> Iterator[tuple[str, int]]:
    """Every pair of term and event in the full text."""
    # The one table that tells which event a term is in; temporary, because it serves nobody else.
    db.execute("DROP TABLE IF EXISTS temp.event_pairs")
    db.execute("CREATE VIRTUAL TABLE temp.event_pairs USING fts5vocab (main, event_terms, instance)")
    for row in _each(db, "SELECT term, doc FROM temp.event_pairs"):
        yield row[0], row[1]


def is_found(db: Db, term: str, seq: int) -> bool:
    """Whether the full text finds an event by a term."""
    sql = "SELECT 1 FROM event_terms WHERE event_terms MATCH :term AND rowid = :seq"
    return bool(db.execute(sql, {"term": f'"{term}"', "seq": seq}))


def segments(db: Db) -> int:
    """In how many places a question must look."""
    return int(db.execute("SELECT count(DISTINCT segid) FROM event_terms_idx")[0][0])


# -- Size ----------------------------------------------------------------------------------------------------


def size(db: Db) -> int:
    """Bytes of the database file, its empty pages included."""
    return int(db.execute("PRAGMA page_count")[0][0]) * int(db.execute("PRAGMA page_size")[0][0])


def text_size(db: Db) -> int:
    """Bytes of the text kept."""
    sql = "SELECT coalesce(sum(length(CAST(text AS BLOB)) + coalesce(length(details), 0)), 0) FROM event_bodies"
    return int(db.execute(sql)[0][0])
