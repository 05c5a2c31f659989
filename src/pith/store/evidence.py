"""What entries rest on, and the texts that it was taken from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from pith.store.database import Db


def each(db: Db, entry: str = "") -> Iterator[tuple[str, str, list[Any]]]:
    """Id, title and evidence of each entry that rests on something (or of one), in the order of their ids."""
    # Read by pages of ids: others may write between two, and no read lasts.
    last = ""
    while True:
        rows = db.execute(
            "SELECT entry_id, title, evidence_json FROM entries WHERE entry_id > :last AND evidence_json IS NOT NULL"
            " AND (:entry = '' OR entry_id = :entry) ORDER BY entry_id LIMIT 1000",
            {"last": last, "entry": entry},
        )
        for row in rows:
            yield row["entry_id"], row["title"], json.loads(row["evidence_json"])
        if len(rows) < 1000:
            return
        last = rows[-1]["entry_id"]


def count(db: Db) -> int:
    """How many spans there are."""
    return int(db.execute("SELECT coalesce(sum(json_array_length(evidence_json)), 0) FROM entries")[0][0])


def texts(db: Db, events: Iterable[str]) -> dict[str, str | None]:
    """The stored text of each event; None for a forgotten one. An event that is not stored is missing."""
    listed = json.dumps(sorted(events))
    rows = db.execute(
        "SELECT e.id, b.text, b.forgotten_at FROM events e JOIN event_bodies b ON b.seq = e.seq"
        " WHERE e.id IN (SELECT value FROM json_each(:ids))",
        {"ids": listed},
    )
    return {row["id"]: None if row["forgotten_at"] else row["text"] for row in rows}


def sample(db: Db, start: str, most: int) -> list[str]:
    """Entries that rest on something, from one place in the order of their ids on, around its end."""
    # Ids are hashes: any stretch of them is a fair choice.
    found: list[str] = []
    for condition in (">= :start", "< :start"):
        rows = db.execute(
            f"SELECT entry_id FROM entries WHERE entry_id {condition} AND evidence_json IS NOT NULL"
            " ORDER BY entry_id LIMIT :most",
            {"start": start, "most": most - len(found)},
        )
        found += [row["entry_id"] for row in rows]
    return found


UNFOUNDED = """
    SELECT e.src_id AS entry, e.edge_id AS edge
    FROM edges e JOIN entries n ON n.entry_id = e.src_id JOIN events v ON v.id = e.event_id
    WHERE e.rel_type = 'evidence_of' AND e.retired_at IS NULL
      AND v.kind != 'evidence_imported'  -- the older shape names no event
      AND json_extract(e.meta_json, '$.span.start') IS NOT NULL
      AND NOT EXISTS (
        SELECT 1 FROM json_each(n.evidence_json) i
        WHERE json_extract(i.value, '$.event_id') = json_extract(e.meta_json, '$.source_event_id')
          AND json_extract(i.value, '$.start') = json_extract(e.meta_json, '$.span.start')
          AND json_extract(i.value, '$.end') = json_extract(e.meta_json, '$.span.end'))
    ORDER BY 1, 2
"""


def unfounded(db: Db) -> list[tuple[str, str]]:
    """Entries and their live `evidence_of` edges that tell of a place which `evidence_json` does not."""
    return [(row["entry"], row["edge"]) for row in db.execute(UNFOUNDED)]


def uncovered(db: Db) -> list[tuple[str, str]]:
    """Entries and events where `evidence_json` and the live `source_of` edges disagree; `doctor` compares them."""
    said = """
        SELECT DISTINCT n.entry_id AS entry, json_extract(v.value, '$.event_id') AS event
        FROM entries n JOIN json_each(n.evidence_json) v
        WHERE json_extract(v.value, '$.method') != 'failed' AND json_extract(v.value, '$.event_id') IS NOT NULL
    """
    drawn = """
        SELECT dst_id AS entry, src_id AS event FROM edges
        WHERE rel_type = 'source_of' AND dst_type = 'entry' AND retired_at IS NULL
    """
    return [(row["entry"], row["event"]) for row in db.execute(f"{said} EXCEPT {drawn} ORDER BY 1, 2")]
