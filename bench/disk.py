"""How large a store is against the text it keeps, table by table."""

from __future__ import annotations

from bench import stores
from bench.figures import Figure, Outcome
from pith.store.database import Db, open_store


def size(quick: bool) -> Outcome:
    """Bytes of the database against bytes of the texts and details in it."""
    count = stores.QUICK_EVENTS if quick else stores.EVENTS
    place = stores.made(count).store
    with open_store(str(place)) as db:
        kept = db.execute(
            "SELECT sum(length(CAST(text AS BLOB)) + coalesce(length(CAST(details AS BLOB)), 0)) FROM event_bodies"
        )[0][0]
        total = sum(file.stat().st_size for file in place.glob("store.db*"))
        figures = [Figure(f"store of {count:,} events against what it keeps", total / kept, "x", 2.5, 2.0)]
        figures.append(Figure("kept of an event", kept / count, "bytes"))
        return Outcome(figures + _by_table(db, kept), _remarks(db))


def _by_table(db: Db, kept: int) -> list[Figure]:
    try:
        rows = db.execute(
            "SELECT s.tbl_name AS name, sum(d.pgsize) AS size FROM dbstat d JOIN sqlite_schema s ON s.name = d.name"
            " GROUP BY s.tbl_name ORDER BY size DESC LIMIT 6"
        )
    except Exception:  # many builds of SQLite lack dbstat
        return []
    return [Figure(f"  {row['name']}", row["size"] / kept, "x") for row in rows]


def _remarks(db: Db) -> list[str]:
    free, pages = db.execute("PRAGMA freelist_count")[0][0], db.execute("PRAGMA page_count")[0][0]
    return [f"{free / pages:.0%} of its pages are free."] if free * 20 > pages else []
