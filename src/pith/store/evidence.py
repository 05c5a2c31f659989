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
    return [(row["entry"], row["event"]) for row in db.execute(f"{said} EXCEPT {drawn}")]
