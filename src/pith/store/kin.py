"""Events that belong to an event though they share no word with the question: near in meaning, or about the same thing.

On the hook's path.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from pith.store.database import Db

NEAREST = 5  # of each event
KEPT = 8  # of each event, since what comes later may be nearer
ABOUT = 6  # other events about the same thing


def near(db: Db, numbers: Sequence[int]) -> list[tuple[int, int, float]]:
    """The nearest of each event, with how near they are."""
    listed = ",".join(str(int(number)) for number in numbers)
    rows = db.execute(
        f"SELECT event, other, closeness FROM neighbours WHERE event IN ({listed})"
        " ORDER BY event, closeness DESC, other"
    )
    found: list[tuple[int, int, float]] = []
    for row in rows:
        if len(found) < NEAREST or found[-NEAREST][0] != row["event"]:
            found.append((row["event"], row["other"], row["closeness"]))
    return found


_SHARING = """
    SELECT DISTINCT e.seq, n.title
    FROM events o
    JOIN edges a ON a.src_id = o.id AND a.rel_type = 'source_of' AND a.retired_at IS NULL
    JOIN edges m ON m.src_id = a.dst_id AND m.rel_type IN ('evidence_of', 'mentions') AND m.retired_at IS NULL
    JOIN entities n ON n.entity_id = m.dst_id
    JOIN edges k ON k.dst_id = m.dst_id AND k.rel_type IN ('evidence_of', 'mentions') AND k.retired_at IS NULL
    JOIN edges b ON b.dst_id = k.src_id AND b.rel_type = 'source_of' AND b.retired_at IS NULL
    JOIN events e ON e.id = b.src_id AND e.session IS NOT NULL AND e.seq != o.seq
    WHERE o.seq = :event ORDER BY e.seq DESC LIMIT :most
"""


def sharing(db: Db, numbers: Sequence[int]) -> list[tuple[int, int, str]]:
    """Events whose statements are about the same task, condition or artifact as each event's, with its title."""
    if not db.execute("SELECT 1 FROM entities LIMIT 1"):
        return []
    found = []
    for event in numbers:
        rows = db.execute(_SHARING, {"event": event, "most": ABOUT})
        found += [(event, int(row["seq"]), str(row["title"])) for row in rows]
    return found


def put(db: Db, rows: Iterable[tuple[int, int, float]]) -> None:
    """Note how near events are to each other, in both directions; of each event only the nearest are kept."""
    pairs = list(rows)
    db.many(
        "INSERT INTO neighbours (event, other, closeness) VALUES (:event, :other, :closeness)"
        " ON CONFLICT (event, other) DO UPDATE SET closeness = excluded.closeness",
        (
            {"event": one, "other": two, "closeness": closeness}
            for event, other, closeness in pairs
            for one, two in ((event, other), (other, event))
        ),
    )
    for event in {one for pair in pairs for one in pair[:2]}:
        db.execute(
            "DELETE FROM neighbours WHERE event = :event AND other NOT IN"
            " (SELECT other FROM neighbours WHERE event = :event ORDER BY closeness DESC, other LIMIT :most)",
            {"event": event, "most": KEPT},
        )


def next_vectors(db: Db, number: int, after: int, most: int) -> list[Any]:
    """The next events after one that have a vector in a set: seq, script, the vector of their first piece as stored."""
    return db.execute(
        "SELECT e.seq, v.script, v.vector FROM events e CROSS JOIN vectors v ON v.set_num = :set AND v.item_id = e.id"
        " AND v.item_kind = 'event' AND v.part = 0 WHERE e.seq > :after ORDER BY e.seq LIMIT :most",
        {"set": number, "after": after, "most": most},
    )


def clear(db: Db) -> None:
    """Forget who is near whom: another model sees that otherwise."""
    db.execute("DELETE FROM neighbours")
