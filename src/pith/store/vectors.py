"""Vectors of the exact index as bytes: rows one by one, and what is packed of them. Nothing here knows what they mean.

A packed code outlives its row for the moment; the slot is gone then, and what stood in the block is overwritten.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from typing import NamedTuple

from pith.store.database import Db, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

MARK = 20  # bytes of what filters ask for, of one slot

_ROW = "slot, item_kind, item_id, part, digest, at, session, script, vector"
_HERE = "set_num = :set AND item_id = :id AND item_kind = :kind"


class Block(NamedTuple):
    """What a packed block says of itself; its contents are read apart."""

    block: int
    first_slot: int
    last_slot: int
    mean: int
    slots: int
    gone: int


# -- Sets ----------------------------------------------------------------------------------------------------


def are_kept(db: Db) -> bool:
    """Whether the store has a place for vectors; a backup that an older pith made has none."""
    return bool(db.execute("SELECT 1 FROM sqlite_master WHERE name = 'vector_sets'"))


def number(db: Db, version: str) -> int | None:
    """The number of a version's set; None when there is none."""
    found = db.execute("SELECT num FROM vector_sets WHERE version = :version", {"version": version})
    return int(found[0]["num"]) if found else None


def make(db: Db, version: str) -> int:
    """The number of a version's set, made when there is none."""
    db.execute("INSERT INTO vector_sets (version) VALUES (:version) ON CONFLICT DO NOTHING", {"version": version})
    return number(db, version) or 0


def changes(db: Db, number: int) -> int:
    """How often the set was written; another figure than before means that there is something new."""
    found = db.execute("SELECT changes FROM vector_sets WHERE num = :set", {"set": number})
    return int(found[0]["changes"]) if found else -1


def note_change(db: Db, number: int) -> None:
    db.execute("UPDATE vector_sets SET changes = changes + 1 WHERE num = :set", {"set": number})


def versions(db: Db) -> list[tuple[str, int]]:
    """Every version that has a set here, and how many items are in it."""
    return [(row["version"], count(db, row["num"])) for row in db.execute("SELECT num, version FROM vector_sets")]


def drop(db: Db, number: int, most: int) -> int:
    """Remove up to `most` rows of a set, and the set itself with its last; how many went."""
    gone = db.changed(
        "DELETE FROM vectors WHERE slot IN (SELECT slot FROM vectors WHERE set_num = :set LIMIT :most)",
        {"set": number, "most": most},
    )
    if gone < most:
        db.execute("DELETE FROM vector_blocks WHERE set_num = :set", {"set": number})
        db.execute("DELETE FROM vector_sets WHERE num = :set", {"set": number})
    return gone


# -- Rows ----------------------------------------------------------------------------------------------------


def add(db: Db, rows: Iterable[Mapping[str, Any]]) -> None:
    """Put rows in; `remove` takes those of the same items away first."""
    db.many(
        "INSERT INTO vectors (set_num, item_kind, item_id, part, digest, at, session, script, vector)"
        " VALUES (:set, :kind, :id, :part, :digest, :at, :session, :script, :vector)",
        rows,
    )


def remove(db: Db, number: int, items: Iterable[tuple[str, str]]) -> int:
    """Remove every row of the items (kind, id), and their codes; how many rows went."""
    slots = []
    for kind, id in items:
        named = {"set": number, "kind": kind, "id": id}
        slots += [row["slot"] for row in db.execute(f"SELECT slot FROM vectors WHERE {_HERE}", named)]
        db.execute(f"DELETE FROM vectors WHERE {_HERE}", named)
    for slot in slots:
        _overwrite(db, number, slot)
    return len(slots)


def digests(db: Db, number: int, items: Sequence[tuple[str, str]]) -> dict[tuple[str, str], bytes]:
    """Of these items, those that are there, with the digest of their text."""
    found = db.execute(
        "SELECT item_kind, item_id, digest FROM json_each(:items) CROSS JOIN vectors ON set_num = :set"
        " AND item_id = json_extract(value, '$[1]') AND item_kind = json_extract(value, '$[0]') AND part = 0",
        {"set": number, "items": json.dumps([list(item) for item in items])},
    )
    return {(row["item_kind"], row["item_id"]): row["digest"] for row in found}


def items(db: Db, number: int) -> Iterator[tuple[str, str, bytes]]:
    """Every item: kind, id, digest."""
    statement = "SELECT item_kind, item_id, min(digest) AS digest FROM vectors WHERE set_num = :set"
    for row in db.each(f"{statement} GROUP BY item_id, item_kind", {"set": number}):
        yield row["item_kind"], row["item_id"], row["digest"]


def count(db: Db, number: int) -> int:
    """How many items there are."""
    counted = "SELECT count(*) AS n FROM (SELECT 1 FROM vectors WHERE set_num = :set GROUP BY item_id, item_kind)"
    return int(db.execute(counted, {"set": number})[0]["n"])


def count_rows(db: Db, number: int) -> int:
    """How many vectors there are."""
    return int(db.execute("SELECT count(*) AS n FROM vectors WHERE set_num = :set", {"set": number})[0]["n"])


def rows_of(db: Db, number: int) -> sqlite3.Cursor:
    """Every row, item by item."""
    return db.each(
        f"SELECT {_ROW} FROM vectors WHERE set_num = :set ORDER BY item_id, item_kind, part", {"set": number}
    )


def fetch(db: Db, slots: Iterable[int]) -> list[Any]:
    """The rows of these slots, ascending; those that are gone are left out."""
    named = {"slots": json.dumps(list(slots))}
    return db.execute(f"SELECT {_ROW} FROM vectors WHERE slot IN (SELECT value FROM json_each(:slots))", named)


def of_items(db: Db, number: int, ids: Iterable[str]) -> list[Any]:
    """The rows of these items, whatever their kind, ascending."""
    found = db.execute(
        f"SELECT {_ROW} FROM vectors WHERE set_num = :set AND item_id IN (SELECT value FROM json_each(:ids))",
        {"set": number, "ids": json.dumps([id.encode("utf-8", "replace").decode() for id in ids])},
    )
    return sorted(found, key=lambda row: row["slot"])


def between(db: Db, number: int, after: int, last: int | None = None, most: int = -1) -> list[Any]:
    """The rows after a slot, up to another one, ascending."""
    return db.execute(
        f"SELECT {_ROW} FROM vectors WHERE set_num = :set AND slot > :after AND slot <= :last"
        " ORDER BY slot LIMIT :most",
        {"set": number, "after": after, "last": 2**62 if last is None else last, "most": most},
    )


# -- Blocks --------------------------------------------------------------------------------------------------


def blocks(db: Db, number: int) -> list[Block]:
    """The packed blocks of a set, in the order of their slots."""
    found = db.execute(
        "SELECT block, first_slot, last_slot, mean, slots, gone FROM vector_blocks WHERE set_num = :set"
        " ORDER BY first_slot",
        {"set": number},
    )
    return [Block(*row) for row in found]


def contents(db: Db, numbers: Iterable[int]) -> dict[int, tuple[bytes, bytes]]:
    """Places and codes of blocks, by their number."""
    found = db.execute(
        "SELECT block, places, codes FROM vector_blocks WHERE block IN (SELECT value FROM json_each(:blocks))",
        {"blocks": json.dumps(list(numbers))},
    )
    return {row["block"]: (row["places"], row["codes"]) for row in found}


def marks(db: Db, numbers: Iterable[int]) -> dict[int, bytes]:
    """What filters ask for, of blocks, by their number."""
    found = db.execute(
        "SELECT block, marks FROM vector_blocks WHERE block IN (SELECT value FROM json_each(:blocks))",
        {"blocks": json.dumps(list(numbers))},
    )
    return {row["block"]: row["marks"] for row in found}


def packed_slots(db: Db, number: int) -> int:
    """How many slots the blocks of a set have."""
    found = db.execute("SELECT sum(slots) AS n FROM vector_blocks WHERE set_num = :set", {"set": number})
    return int(found[0]["n"] or 0)


def whole_blocks(db: Db, number: int) -> list[Any]:
    """All that stands in the blocks of a set, in the order of their slots; in one look, so that it fits together."""
    return db.execute(
        # By the first slot would be the same order, but no index: everything would be written down to be sorted.
        "SELECT mean, last_slot, places, marks, codes FROM vector_blocks WHERE set_num = :set ORDER BY last_slot",
        {"set": number},
    )


def packed_to(db: Db, number: int) -> int:
    """The last slot that stands in a block; 0 when none does."""
    found = db.execute("SELECT max(last_slot) AS last FROM vector_blocks WHERE set_num = :set", {"set": number})
    return int(found[0]["last"] or 0)


def replace_blocks(db: Db, number: int, old: Sequence[int], made: Mapping[str, Any] | None) -> None:
    """Put a block in the place of others; None only takes them away."""
    db.execute(
        "DELETE FROM vector_blocks WHERE block IN (SELECT value FROM json_each(:old))", {"old": json.dumps(list(old))}
    )
    if made is not None:
        db.execute(
            "INSERT INTO vector_blocks (set_num, first_slot, last_slot, mean, slots, places, marks, codes)"
            " VALUES (:set, :first, :last, :mean, :slots, :places, :marks, :codes)",
            {"set": number, **made},
        )


def _overwrite(db: Db, number: int, slot: int) -> None:
    """Put zeros where the slot's code and marks stand, so that nothing of a forgotten text is left."""
    found = db.execute(
        "SELECT block, slots, places FROM vector_blocks"
        " WHERE set_num = :set AND last_slot >= :slot AND first_slot <= :slot",
        {"set": number, "slot": slot},
    )
    for row in found:
        places = memoryview(row["places"]).cast("q")
        at = bisect_left(places, slot)
        if at < len(places) and places[at] == slot:
            _zero(db, row["block"], "marks", at, row["slots"])
            _zero(db, row["block"], "codes", at, row["slots"])
            db.execute("UPDATE vector_blocks SET gone = gone + 1 WHERE block = :block", {"block": row["block"]})


def _zero(db: Db, block: int, column: str, at: int, slots: int) -> None:
    import sqlite3

    try:
        with db.connection.blobopen("vector_blocks", column, block) as blob:
            size = len(blob) // slots
            blob.seek(at * size)
            blob.write(bytes(size))
    except sqlite3.Error as error:
        raise told(error, db.path) from error


# -- Means ---------------------------------------------------------------------------------------------------


def means(db: Db, version: str) -> dict[int, dict[str, bytes]]:
    """The means of a version that are still named by something: number -> script -> mean."""
    found: dict[int, dict[str, bytes]] = {}
    for row in db.execute(
        "SELECT number, script, mean FROM vector_means WHERE version = :version ORDER BY number", {"version": version}
    ):
        found.setdefault(row["number"], {})[row["script"]] = row["mean"]
    return found


def counted(db: Db, version: str) -> int:
    """How many vectors the newest mean was made from."""
    found = db.execute(
        "SELECT sum(counted) AS n FROM vector_means WHERE version = :version AND number ="
        " (SELECT max(number) FROM vector_means WHERE version = :version)",
        {"version": version},
    )
    return int(found[0]["n"] or 0)


def put_means(db: Db, version: str, number: int, now: str, fitted: Mapping[str, tuple[int, bytes]]) -> None:
    """Add a numbered mean: script -> how many vectors, mean."""
    db.many(
        "INSERT INTO vector_means (version, number, script, counted, mean, fitted_at)"
        " VALUES (:version, :number, :script, :counted, :mean, :now)",
        [
            {"version": version, "number": number, "script": script, "counted": many, "mean": mean, "now": now}
            for script, (many, mean) in fitted.items()
        ],
    )


def drop_means(db: Db, version: str, below: int) -> None:
    """Remove the means that nothing names any more; the first one is kept, since later ones lean on it."""
    db.execute(
        "DELETE FROM vector_means WHERE version = :version AND number > 1 AND number < :below",
        {"version": version, "below": below},
    )
