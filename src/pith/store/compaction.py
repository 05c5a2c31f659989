"""What makes deleted text leave the file: merging the full text, writing the database anew, emptying its log."""

from __future__ import annotations

import sqlite3

from pith.errors import StoreUnavailable
from pith.store.database import BUSY_MS, Db, StoreBusy, connect, told

_PAGES = 200  # merged in one step; hooks can write between two


def purge_terms(db: Db) -> None:
    """Take deleted terms out of the full text: what `optimize` does, in steps that hold the write lock for a moment."""
    db.execute("INSERT INTO entry_terms (entry_terms) VALUES ('optimize')")  # of entries: few, and done at once
    db.execute("INSERT INTO memory_terms (memory_terms) VALUES ('optimize')")
    # Who writes meanwhile makes new segments; without an end to the steps one could chase them for ever.
    steps = 2 * int(db.execute("SELECT count(*) FROM event_terms_data")[0][0]) // _PAGES + 20
    _merge(db, -_PAGES)  # a negative number gathers all segments into one level, which the later steps work off
    for _ in range(steps):
        if _merge(db, _PAGES) < 2:
            return
    db.execute("INSERT INTO event_terms (event_terms) VALUES ('optimize')")


def merge_some(db: Db, pages: int) -> bool:
    """Merge segments of the full text by about so many pages, in one step; whether there is more to do."""
    return _merge(db, pages) > 1


def _merge(db: Db, pages: int) -> int:
    """Merge segments a little; how many rows that changed (one, when there was nothing to do)."""
    before = db.connection.total_changes
    db.execute("INSERT INTO event_terms (event_terms, rank) VALUES ('merge', :pages)", {"pages": pages})
    return db.connection.total_changes - before


def write_anew(db: Db) -> None:
    """Copy the whole database into new pages.

    `secure_delete` alone is not enough after forgetting: when SQLite splits a page, copies of rows may stay in the gap
    between the rows that it keeps (2 of 2,944 deleted rows of a test with random keys).
    """
    db.execute("VACUUM")


def shrink(db: Db) -> None:
    """Give free pages back, without room for a second copy."""
    try:
        db.connection.executescript("PRAGMA incremental_vacuum")  # `execute` takes one step of it, which is one page
    except sqlite3.Error as error:
        raise told(error, db.path) from error


def empty_log(db: Db) -> bool:
    """Move everything into the database and empty the write-ahead log; False while somebody still reads from it."""
    return not db.execute("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]


def hold(path: str) -> Db | None:
    """A connection that keeps others from writing until it is closed; None where the file is too damaged for that."""
    try:
        db = Db(connect(path, BUSY_MS), path)
    except StoreUnavailable:
        return None
    try:
        db.execute("BEGIN IMMEDIATE")
    except StoreBusy:
        db.close()
        raise
    except StoreUnavailable:
        db.close()
        return None
    return db


def is_sound(db: Db) -> bool:
    """Whether SQLite finds no damage."""
    try:
        return [row[0] for row in db.execute("PRAGMA quick_check(1)")] == ["ok"]
    except StoreUnavailable:
        return False


def version_of(db: Db) -> int:
    """The version that the database was brought to."""
    return int(db.execute("PRAGMA user_version")[0][0])
