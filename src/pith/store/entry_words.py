"""By which words entries are found, and what a hook needs to know of those it tells. On the hook's path."""

from __future__ import annotations

from pith.domain import words
from pith.store import citations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Protocol

    from pith.store.database import Db

    class Stated(Protocol):
        """As much of an entry as is needed to find it by words."""

        @property
        def entry_id(self) -> str: ...
        @property
        def title(self) -> str: ...
        @property
        def content(self) -> Any: ...


ENTRY = "entry"  # as citations name them
ENTITY = "entity"

_READ = """
    SELECT w.num, n.entry_id, n.entry_type, n.title, n.created_ts, n.stage, coalesce(n.status, 'active') AS status,
           n.superseded_by, n.branch, n.evidence_json, json_extract(n.content_json, '$.text') AS text,
           coalesce(json_extract(n.content_json, '$.standing'), 'stated') AS standing
    FROM entry_words w JOIN entries n ON n.entry_id = w.entry_id
"""


def add_many(db: Db, entries: Iterable[Stated]) -> None:
    """Make new entries findable by the words of their titles and texts, and citable."""
    found = [(each.entry_id, " ".join(sorted(words.terms(_text(each))))) for each in entries]
    db.many(
        "INSERT INTO entry_words (entry_id, terms) VALUES (:id, :terms) ON CONFLICT DO NOTHING",
        ({"id": id, "terms": terms} for id, terms in found),
    )
    _cite(db, ENTRY, (id for id, _ in found))


def cite_entities(db: Db, ids: Iterable[str]) -> None:
    """Make entities citable."""
    _cite(db, ENTITY, ids)


def _cite(db: Db, kind: str, ids: Iterable[str]) -> None:
    db.many(
        "INSERT INTO citations (id, item_kind, item_id) VALUES (:id, :kind, :item) ON CONFLICT DO NOTHING",
        ({"id": citations.name(kind, id), "kind": kind, "item": id} for id in ids),
    )


def _text(entry: Stated) -> str:
    text = str(entry.content.get("text", ""))
    return text if text.startswith(entry.title) else f"{entry.title}\n{text}"


def any_are_there(db: Db) -> bool:
    """Whether there are entries at all."""
    return bool(db.execute("SELECT 1 FROM entry_words LIMIT 1"))


def total(db: Db) -> int:
    """How many entries there are to choose from."""
    return int(db.execute("SELECT coalesce(max(num), 0) FROM entry_words")[0][0])


def live(db: Db) -> int:
    """How many entries stand: neither replaced nor withdrawn."""
    rows = db.execute("SELECT count(*) FROM entries WHERE coalesce(status, 'active') IN ('active', 'contested')")
    return int(rows[0][0])


def frequency(db: Db, term: str) -> int:
    """In how many entries the term occurs."""
    rows = db.execute("SELECT doc FROM entry_vocabulary WHERE term = :term", {"term": term})
    return int(rows[0]["doc"]) if rows else 0


def holding(db: Db, term: str, limit: int) -> list[int]:
    """The newest entries that hold the term, at most `limit` of them."""
    rows = db.execute(
        "SELECT rowid FROM entry_terms WHERE entry_terms MATCH :term ORDER BY rowid DESC LIMIT :limit",
        {"term": f'"{term}"', "limit": limit},
    )
    return [int(row[0]) for row in rows]


def read(db: Db, numbers: Iterable[int]) -> list[Any]:
    """These entries, as much of them as is told."""
    listed = ",".join(str(int(number)) for number in numbers)
    return db.execute(f"{_READ} WHERE w.num IN ({listed}) ORDER BY w.num")


def named(db: Db, ids: Iterable[str]) -> dict[str, Any]:
    """These entries by id, as much of them as is told."""
    found = {}
    for id in ids:
        for row in db.execute(f"{_READ} WHERE n.entry_id = :id", {"id": id}):
            found[id] = row
    return found


def latest(db: Db, type: str, limit: int) -> list[Any]:
    """The entries of a type that stand, as they were stated last."""
    return db.execute(
        f"{_READ} WHERE n.entry_type = :type AND coalesce(n.status, 'active') IN ('active', 'contested')"
        " ORDER BY n.created_ts DESC, n.entry_id LIMIT :limit",
        {"type": type, "limit": limit},
    )


def opponents(db: Db, entry: str) -> list[str]:
    """The live entries that contradict one."""
    rows = db.execute(
        "SELECT dst_id AS id FROM edges WHERE src_id = :id AND rel_type = 'contradicts' AND retired_at IS NULL"
        " UNION SELECT src_id FROM edges WHERE dst_id = :id AND rel_type = 'contradicts' AND retired_at IS NULL"
        " ORDER BY id",
        {"id": entry},
    )
    return [row["id"] for row in rows]


def beside(db: Db, entry: str, limit: int) -> list[str]:
    """Live entries that are about, or mention, the same entities as one, or that it was derived from; newest first."""
    rows = db.execute(
        "SELECT n.entry_id AS id FROM edges a JOIN edges b ON b.dst_id = a.dst_id AND b.src_id != a.src_id"
        " JOIN entries n ON n.entry_id = b.src_id"
        " WHERE a.src_id = :id AND a.rel_type IN ('evidence_of', 'mentions') AND a.retired_at IS NULL"
        "   AND b.rel_type IN ('evidence_of', 'mentions') AND b.retired_at IS NULL"
        "   AND coalesce(n.status, 'active') IN ('active', 'contested')"
        " UNION SELECT dst_id FROM edges WHERE src_id = :id AND rel_type = 'derived_from' AND retired_at IS NULL"
        " LIMIT :limit",
        {"id": entry, "limit": limit},
    )
    return [row["id"] for row in rows]


def about(db: Db, entry: str) -> list[Any]:
    """The entities that an entry proves something about: type, title and state."""
    return db.execute(
        "SELECT n.entity_id, n.entity_type, n.title, json_extract(n.current_json, '$.status') AS state"
        " FROM edges g JOIN entities n ON n.entity_id = g.dst_id"
        " WHERE g.src_id = :id AND g.rel_type IN ('evidence_of', 'mentions') AND g.retired_at IS NULL"
        " ORDER BY n.entity_type, n.entity_id LIMIT 5",
        {"id": entry},
    )


def source_of(db: Db, entry: str) -> str | None:
    """The first observed event that an entry rests on."""
    rows = db.execute(
        "SELECT e.id FROM edges g JOIN events e ON e.id = g.src_id AND e.session IS NOT NULL"
        " WHERE g.dst_id = :id AND g.rel_type = 'source_of' AND g.retired_at IS NULL ORDER BY e.seq LIMIT 1",
        {"id": entry},
    )
    return str(rows[0]["id"]) if rows else None


def drawn_from(db: Db, events: Iterable[str]) -> list[str]:
    """The entries that rest on one of these events."""
    found = []
    for event in events:
        rows = db.execute(
            "SELECT dst_id FROM edges WHERE src_id = :id AND rel_type = 'source_of' AND dst_type = 'entry'",
            {"id": event},
        )
        found += [row["dst_id"] for row in rows]
    return found


def resting_on(db: Db, events: Iterable[str], limit: int) -> list[str]:
    """The entries that rest on one of these events, the newest first."""
    import json

    rows = db.execute(
        "SELECT DISTINCT g.dst_id AS id FROM json_each(:events) j CROSS JOIN edges g ON g.src_id = j.value"
        " WHERE g.rel_type = 'source_of' AND g.dst_type = 'entry' AND g.retired_at IS NULL"
        " ORDER BY g.recorded_at DESC, g.dst_id LIMIT :limit",
        {"events": json.dumps(list(events)), "limit": limit},
    )
    return [row["id"] for row in rows]


OPEN_TASKS = """
    SELECT entity_id, title, json_extract(current_json, '$.status') AS state,
           coalesce(json_extract(current_json, '$.priority'), 'normal') AS priority, updated_at,
           json_extract(current_json, '$.since') AS since
    FROM entities
    WHERE entity_type = 'task' AND json_extract(current_json, '$.status') IN ('pending', 'in_progress', 'blocked')
    ORDER BY state = 'blocked' DESC, state = 'in_progress' DESC, since DESC, entity_id LIMIT :limit
"""


def open_tasks(db: Db, limit: int) -> list[Any]:
    """The tasks that are not over: blocked ones first, then those in progress, the latest first."""
    return db.execute(OPEN_TASKS, {"limit": limit})


def waiting_for(db: Db, task: str) -> list[str]:
    """What effectively blocks a task, as titles."""
    rows = db.execute(
        "SELECT DISTINCT effective_title AS title FROM v_task_blockers_effective WHERE task_id = :id ORDER BY title",
        {"id": task},
    )
    return [row["title"] for row in rows]
