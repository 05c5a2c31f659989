"""Full-text rows of events: which events hold a term, how rare it is, and the few facts that ranking needs.

The table holds terms without positions and without a copy of the text. One term is asked at a time: a row costs a
third of a microsecond that way, and how often a term occurs is read from the vocabulary, not guessed.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from pith.store.database import Db

CHANGES = "changes"  # in `meta`: how many events are changes of knowledge


def add(db: Db, seq: int, terms: Iterable[str]) -> None:
    """Make an event findable under its terms."""
    db.execute("INSERT INTO event_terms (rowid, terms) VALUES (:seq, :terms)", {"seq": seq, "terms": " ".join(terms)})


def remove(db: Db, seq: int, terms: Iterable[str]) -> None:
    """Take an event's row away; FTS5 needs the very terms it was added with."""
    db.execute(
        "INSERT INTO event_terms (event_terms, rowid, terms) VALUES ('delete', :seq, :terms)",
        {"seq": seq, "terms": " ".join(terms)},
    )


def merge(db: Db, pages: int = 500) -> None:
    """Merge index segments a little, so that later questions look in fewer places."""
    db.execute("INSERT INTO event_terms (event_terms, rank) VALUES ('merge', :pages)", {"pages": pages})


def optimize(db: Db) -> None:
    """Merge everything into one segment; a removed term stays in the file until then."""
    db.execute("INSERT INTO event_terms (event_terms) VALUES ('optimize')")


def has_entries(db: Db) -> bool:
    """Whether statements or tasks were drawn from events: only then more is loaded to look for them."""
    return bool(db.execute("SELECT 1 FROM entities UNION ALL SELECT 1 FROM entry_words LIMIT 1"))


def has_preferences(db: Db) -> bool:
    """Whether a person confirmed a preference here: only then more is loaded to tell it."""
    return bool(db.execute("SELECT 1 FROM preferences WHERE state = 'confirmed' LIMIT 1"))


def has_memories(db: Db) -> bool:
    """Whether anything was consolidated: only then more is loaded to look for it."""
    return bool(db.execute("SELECT 1 FROM memory_words LIMIT 1"))


def has_vectors(db: Db) -> bool:
    """Whether anything was ever to be embedded: only then more is loaded to look for meaning."""
    return bool(db.execute("SELECT 1 FROM embedding_versions LIMIT 1"))


def total(db: Db) -> int:
    """How many events there are to choose from: changes of knowledge stand among them and are never found by words."""
    # Counting would read the whole table; the store counts its changes of knowledge itself (knowledge.append).
    return int(
        db.execute(
            "SELECT coalesce((SELECT max(seq) FROM events), 0)"
            f" - coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = '{CHANGES}'), 0)"
        )[0][0]
    )


def last(db: Db) -> int:
    """The sequence number of the last event of any kind."""
    return int(db.execute("SELECT coalesce(max(seq), 0) FROM events")[0][0])


def frequency(db: Db, term: str) -> int:
    """In how many events the term occurs."""
    rows = db.execute("SELECT doc FROM event_vocabulary WHERE term = :term", {"term": term})
    return int(rows[0]["doc"]) if rows else 0


def beginnings(db: Db, letters: str, limit: int) -> list[str]:
    """Terms that begin with these letters, for the single syllable that is asked for."""
    rows = db.execute(
        "SELECT term FROM event_vocabulary WHERE term >= :low AND term < :high LIMIT :limit",
        {"low": letters, "high": letters + "\U0010ffff", "limit": limit},
    )
    return [row["term"] for row in rows]


class Filter:
    """Which events a question may find: an SQL condition over events `e`, and its values. Empty finds all.

    `leaves_out`: whether all it does is to leave out a session. `asks_the_store`: whether it asks for more than
    sessions and times, of which alone an index of vectors knows.
    """

    __slots__ = ("asks_the_store", "condition", "leaves_out", "not_session", "session", "since", "until", "values")

    def __init__(
        self,
        *,
        session: str = "",
        kinds: Sequence[str] = (),
        file: str = "",
        since: str = "",
        until: str = "",
        branch: str = "",
        not_session: str = "",
    ) -> None:
        self.session, self.not_session, self.since, self.until = session, not_session, since, until
        self.asks_the_store = bool(kinds or file or branch)
        parts: list[str] = []
        self.values: dict[str, Any] = {}
        if session:
            parts.append("e.session IN (SELECT num FROM sessions WHERE id = :f_session)")
            self.values["f_session"] = session
        if not_session:
            parts.append("e.session NOT IN (SELECT num FROM sessions WHERE id = :f_not_session)")
            self.values["f_not_session"] = not_session
        if kinds:
            parts.append("e.kind IN (" + ",".join(f":f_kind{n}" for n in range(len(kinds))) + ")")
            self.values.update({f"f_kind{n}": kind for n, kind in enumerate(kinds)})
        if file:
            parts.append(
                "e.seq IN (SELECT event FROM event_files WHERE path = :f_file"
                " OR substr(path, -length(:f_file) - 1) = '/' || :f_file)"
            )
            self.values["f_file"] = file.removeprefix("./")
        if since:
            parts.append("e.at >= :f_since")
            self.values["f_since"] = since
        if until:
            parts.append("e.at < :f_until")
            self.values["f_until"] = until
        if branch:
            parts.append("e.place IN (SELECT num FROM places WHERE branch = :f_branch)")
            self.values["f_branch"] = branch
        self.condition = " AND ".join(parts)
        self.leaves_out = bool(not_session) and len(parts) == 1


def holding(db: Db, term: str, limit: int, only: Filter) -> list[int]:
    """The newest events that hold the term (at most `limit`), in no order."""
    values = {"term": f'"{term}"', "limit": limit, **only.values}
    if only.leaves_out:
        # A prompt leaves out its own session: its few events are looked up once, not every event of the list.
        sql = (
            "SELECT rowid AS seq FROM event_terms WHERE event_terms MATCH :term AND rowid NOT IN"
            " (SELECT seq FROM events WHERE session IN (SELECT num FROM sessions WHERE id = :f_not_session))"
            " ORDER BY rowid DESC LIMIT :limit"
        )
    elif only.condition:
        sql = (
            "SELECT t.rowid AS seq FROM event_terms t CROSS JOIN events e ON e.seq = t.rowid"
            f" WHERE t.event_terms MATCH :term AND {only.condition} ORDER BY t.rowid DESC LIMIT :limit"
        )
    else:
        sql = "SELECT rowid AS seq FROM event_terms WHERE event_terms MATCH :term ORDER BY rowid DESC LIMIT :limit"
    # One text with all numbers is read in a third of the time that as many rows take.
    listed = db.execute(f"SELECT group_concat(seq) FROM ({sql})", values)[0][0]
    return list(map(int, str(listed).split(","))) if listed else []


def candidates(db: Db, numbers: Iterable[int], characters: int) -> list[Any]:
    """What ranking needs to know of events, with the first characters of their texts; forgotten ones are left out."""
    listed = ",".join(str(int(number)) for number in numbers)
    return db.execute(
        "SELECT e.seq, e.session, e.at, e.kind, e.size, p.directory,"
        f" substr(b.text, 1, {int(characters)}) AS text"
        " FROM events e JOIN places p ON p.num = e.place JOIN event_bodies b ON b.seq = e.seq"
        f" WHERE e.seq IN ({listed}) AND b.forgotten_at IS NULL"
    )


def neighbours(db: Db, numbers: Iterable[int], only: Filter) -> dict[int, tuple[int, int]]:
    """The turn before and the turn after each event in its session; 0 where there is none."""
    listed = ",".join(str(int(number)) for number in numbers)
    also = f" AND {only.condition}" if only.condition else ""
    beside = "SELECT e.seq FROM events e WHERE e.session = o.session AND (e.at, e.seq)"
    rows = db.execute(
        f"SELECT o.seq, ({beside} < (o.at, o.seq){also} ORDER BY e.at DESC, e.seq DESC LIMIT 1),"
        f" ({beside} > (o.at, o.seq){also} ORDER BY e.at, e.seq LIMIT 1) FROM events o WHERE o.seq IN ({listed})",
        only.values,
    )
    return {seq: (before or 0, after or 0) for seq, before, after in rows}


def named(db: Db, numbers: Iterable[int]) -> dict[str, int]:
    """The ids of events, each with its number."""
    listed = ",".join(str(int(number)) for number in numbers)
    return {row["id"]: row["seq"] for row in db.execute(f"SELECT id, seq FROM events WHERE seq IN ({listed})")}


def numbered(db: Db, ids: Iterable[str]) -> dict[str, int]:
    """The numbers of events by id; those that are gone are left out."""
    import json

    sql = "SELECT e.id, e.seq FROM json_each(:ids) j JOIN events e ON e.id = j.value"
    return {row["id"]: row["seq"] for row in db.execute(sql, {"ids": json.dumps(list(ids))})}


def among(db: Db, numbers: Iterable[int], only: Filter) -> set[int]:
    """Those of the events that a filter allows."""
    listed = ",".join(str(int(number)) for number in numbers)
    rows = db.execute(f"SELECT e.seq FROM events e WHERE e.seq IN ({listed}) AND {only.condition}", only.values)
    return {row["seq"] for row in rows}


def allowed(db: Db, only: Filter) -> frozenset[str]:
    """The ids of all events that a filter allows."""
    rows = db.execute(f"SELECT e.id FROM events e WHERE e.session IS NOT NULL AND {only.condition}", only.values)
    return frozenset(row["id"] for row in rows)


# -- Files ---------------------------------------------------------------------------------------------------

NAMING = 60  # events whose texts name a file, that are asked for its whole path
TOUCHED = 40  # events that touched a file, the newest
TOUCHING = 1_000  # of those that touched it, how many are looked at for those that a filter allows

# Whole paths that end in a name are found through texts that hold its words: looking at the ends of all paths would
# read them all. A path that is named whole needs no such text.
_PATHS = """
    SELECT :file AS path
    UNION
    SELECT f.path
    FROM (SELECT rowid AS event FROM event_terms WHERE event_terms MATCH :terms ORDER BY rowid DESC LIMIT :naming) n
    JOIN event_files f ON f.event = n.event
    WHERE lower(substr('/' || f.path, -length(:file) - 1)) = '/' || lower(:file)
"""


def touching(db: Db, file: str, terms: Iterable[str], only: Filter) -> dict[int, str]:
    """The newest events that touched a file, number and id: `file` is its path or the end of it, `terms` name it."""
    values = {"file": file, "terms": " ".join(f'"{term}"' for term in terms) or '"/"', "naming": NAMING}
    also = f" WHERE {only.condition}" if only.condition else ""
    rows = db.execute(
        f"SELECT e.seq, e.id FROM (SELECT DISTINCT f.event FROM ({_PATHS}) p CROSS JOIN event_files f"
        f" ON f.path = p.path ORDER BY f.event DESC LIMIT :touching) t CROSS JOIN events e ON e.seq = t.event{also}"
        " ORDER BY e.seq DESC LIMIT :touched",
        {**values, "touching": TOUCHING, "touched": TOUCHED, **only.values},
    )
    return {row["seq"]: row["id"] for row in rows}


# -- Making all rows anew ------------------------------------------------------------------------------------

_BATCH = 500
_BATCH_BYTES = 300_000  # a hook waits 150 ms for the write lock: a batch must be over before
UNMADE = "0"  # the version of the words while the rows are being made: none that can be relied on


def rebuild_text(db: Db) -> int:
    """Make every full-text row anew from the bodies, in transactions of its own; how many events there are.

    Killed anywhere it can be run again and ends the same; two at once share the work; hooks write in between.
    """
    with db.transaction():
        _begin_rebuild(db)
    going = True
    while going:
        with db.transaction():
            going = _rebuild_some(db)
    return int(db.execute("SELECT count(*) FROM event_bodies WHERE forgotten_at IS NULL")[0][0])


def _begin_rebuild(db: Db) -> None:
    """Take all rows away and note up to which event they must be made; what is written later brings its own."""
    _note(db, "words", UNMADE)
    _note(db, "rebuilding", f"0 {last(db)}")
    db.execute("DELETE FROM meta WHERE name = 'sizes'")
    db.execute("INSERT INTO event_terms (event_terms) VALUES ('delete-all')")


_NEXT_BODIES = """
    SELECT b.seq, CAST(b.text AS BLOB) AS text, e.size FROM event_bodies b LEFT JOIN events e ON e.seq = b.seq
    WHERE b.seq > :done AND b.seq <= :last AND b.forgotten_at IS NULL ORDER BY b.seq LIMIT :most
"""


def _rebuild_some(db: Db) -> bool:
    """Add the rows of some events and note how far it came; False when nothing is left."""
    from pith.domain import words

    noted = db.execute("SELECT value FROM meta WHERE name = 'rebuilding'")
    if not noted:
        return False
    done, last = (int(number) for number in noted[0]["value"].split())
    rows = db.execute(_NEXT_BODIES, {"done": done, "last": last, "most": _BATCH})
    size = 0
    for row in rows:
        # Decoded here: one text that a bad disk has made unreadable must not stop all others from being found.
        terms = words.terms(row["text"].decode("utf-8", "replace"))
        add(db, row["seq"], terms)
        if len(terms) != row["size"]:  # by other words than the event was written with, and its size never changes
            _note(db, "sizes", "differ")
        done, size = row["seq"], size + len(row["text"])
        if size > _BATCH_BYTES:
            break
    if rows:
        _note(db, "rebuilding", f"{done} {last}")
    else:
        db.execute("DELETE FROM meta WHERE name = 'rebuilding'")
        _note(db, "words", str(words.VERSION))
    return bool(rows)


def _note(db: Db, name: str, value: str) -> None:
    db.execute(
        "INSERT INTO meta (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = :value",
        {"name": name, "value": value},
    )
