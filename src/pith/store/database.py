"""Open a project's database whole, bring it to this program's version, and run transactions.

A new database is built as a draft under a lock and moved into place, so that six processes which start at once all
find a complete one. Migrations are numbered files, each in one transaction in which the version is read again, after
a backup.
"""

from __future__ import annotations

import os
import sqlite3

from pith import platform
from pith.errors import StoreCorrupt, StoreTooNew, StoreUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType
    from typing import Any

VERSION = 8
FILE = "store.db"
BUSY_HOOK_MS = 150
BUSY_READ_MS = 5_000
BUSY_MS = 20_000  # what a command waits for others; twenty that write at once take turns unevenly

_FOLDER = os.path.join(os.path.dirname(__file__), "migrations", "sqlite")
_OLDEST_SQLITE = (3, 37, 0)
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


class StoreBusy(StoreUnavailable):
    """Another process has been writing for longer than this one may wait."""

    code = "STORE_BUSY"
    hint = "Try again in a moment."


class Db:
    """A connection to one project's store: rows by name, errors as sentences, transactions as blocks."""

    __slots__ = ("connection", "path", "unmerged")

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self.connection = connection
        self.path = path
        self.unmerged: frozenset[str] = frozenset()  # branches that are not in what is checked out, where it is known

    def execute(self, sql: str, values: Mapping[str, Any] | None = None) -> list[Any]:
        """Run one statement with `:name` values; all its rows, each readable by name."""
        try:
            return self.connection.execute(sql, values or {}).fetchall()
        except sqlite3.Error as error:
            raise told(error, self.path) from error

    def insert(self, sql: str, values: Mapping[str, Any]) -> int:
        """Run one INSERT; the number of the new row."""
        try:
            return self.connection.execute(sql, values).lastrowid or 0
        except sqlite3.Error as error:
            raise told(error, self.path) from error

    def changed(self, sql: str, values: Mapping[str, Any] | None = None) -> int:
        """Run one UPDATE or DELETE; how many rows it touched."""
        try:
            return self.connection.execute(sql, values or {}).rowcount
        except sqlite3.Error as error:
            raise told(error, self.path) from error

    def many(self, sql: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Run one statement for each set of values."""
        try:
            self.connection.executemany(sql, rows)
        except sqlite3.Error as error:
            raise told(error, self.path) from error

    def each(self, sql: str, values: Mapping[str, Any] | None = None) -> sqlite3.Cursor:
        """Run one SELECT and give its rows as they are read, for tables larger than memory."""
        try:
            return self.connection.execute(sql, values or {})
        except sqlite3.Error as error:
            raise told(error, self.path) from error

    def transaction(self) -> Transaction:
        """A block that is committed whole at its end, or not at all."""
        return Transaction(self)

    def expect_much(self) -> None:
        """Take 32 MB of page cache, and copy the log back every 32 MB: an import touches pages all over the file."""
        self.execute("PRAGMA cache_size=-32000")
        self.execute("PRAGMA wal_autocheckpoint=8000")

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> Db:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Transaction:
    """`with db.transaction() as db:`; takes the write lock at once, so that no reader becomes a late writer."""

    __slots__ = ("db",)

    def __init__(self, db: Db) -> None:
        self.db = db

    def __enter__(self) -> Db:
        self.db.execute("BEGIN IMMEDIATE")
        return self.db

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            try:
                self.db.execute("COMMIT")
            except StoreUnavailable:
                self._undo()
                raise
        else:
            self._undo()

    def _undo(self) -> None:
        if self.db.connection.in_transaction:
            self.db.connection.rollback()


def open_store(folder: str, *, busy_ms: int = BUSY_MS, create: bool = True) -> Db:
    """The store in `folder`, whole and at this program's version.

    Raises StoreTooNew when a newer pith wrote it, StoreCorrupt when it cannot be read, StoreUnavailable else.
    """
    path = os.path.join(folder, FILE)
    if not os.path.exists(path):
        if not create:
            raise StoreUnavailable("Nothing has been stored for this project yet.", hint="Run `pith init`.")
        _create(folder, path, _patience(busy_ms))
    db = Db(connect(path, busy_ms), path)
    try:
        version = db.execute("PRAGMA user_version")[0][0]
        if version > VERSION:
            raise StoreTooNew(
                f"The database was written by a newer pith (version {version}, this one knows {VERSION})."
            )
        if version < VERSION:
            _migrate(db, folder, _patience(busy_ms))
    except BaseException:
        db.close()
        raise
    return db


def open_to_read(folder: str, *, busy_ms: int = BUSY_READ_MS) -> Db:
    """The store in `folder` opened read-only, whatever its version, for `doctor`, `status`, backups and hooks."""
    path = os.path.join(folder, FILE)
    if not os.path.exists(path):
        raise StoreUnavailable("Nothing has been stored for this project yet.", hint="Run `pith init`.")
    try:
        connection = sqlite3.connect(
            f"file:{_quoted(path)}?mode=ro", timeout=busy_ms / 1000, uri=True, isolation_level=None
        )
    except sqlite3.Error as error:
        raise told(error, path) from error
    connection.row_factory = sqlite3.Row
    return Db(connection, path)


def connect(path: str, busy_ms: int) -> sqlite3.Connection:
    """A connection with the settings that every one of ours has."""
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise StoreUnavailable(
            f"SQLite {sqlite3.sqlite_version} is too old; pith needs 3.37.", hint="Use a newer Python build."
        )
    try:
        connection = sqlite3.connect(path, timeout=busy_ms / 1000, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        connection.executescript("PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON; PRAGMA synchronous=FULL;")
    except sqlite3.Error as error:
        raise told(error, path) from error
    return connection


def told(error: sqlite3.Error, path: str) -> Exception:
    """The sentence for what SQLite reported, by its code and never by its text."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        # Python itself, not SQLite, found that a stored text is no UTF-8: a bad disk has written over it.
        damaged = isinstance(error, sqlite3.OperationalError)
        return StoreCorrupt(f"The database {path} holds text that cannot be read.") if damaged else error
    primary = code & 0xFF
    if primary in _DAMAGED:
        return StoreCorrupt(f"The database {path} is damaged ({error}).")
    if primary in _BUSY:
        return StoreBusy("Another process is writing to the store.")
    if primary == sqlite3.SQLITE_FULL:
        return StoreUnavailable("The disk is full.", hint="Free some space; nothing that was stored is lost.")
    if primary in (
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_PERM,
    ):
        return StoreUnavailable(f"The database {path} cannot be opened or written ({error}).")
    return error


def statements(script: str) -> list[str]:
    """The single statements of a script; `executescript` would commit the transaction that they belong to."""
    found, pending = [], ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending.strip())
            pending = ""
    return [statement for statement in found if statement]


def _patience(busy_ms: int) -> float:
    """Seconds to wait for others that create or migrate: a hook has its spool, a command has time."""
    return 1.0 if busy_ms <= BUSY_HOOK_MS else 30.0


def _create(folder: str, path: str, patience: float) -> None:
    """Build a new database beside its place and move it there, unless another process has just done so."""
    platform.private_folder(folder)
    with platform.Lock(os.path.join(folder, "create.lock"), timeout=patience):
        if os.path.exists(path):
            return
        draft = f"{path}.draft"
        _remove_draft(draft)
        try:
            _build(draft)
            os.chmod(draft, 0o600)
            platform.replace(draft, path)
        except BaseException:
            _remove_draft(draft)  # on a full disk it would take the room that the spool needs
            raise


def _remove_draft(draft: str) -> None:
    for leftover in (draft, f"{draft}-wal", f"{draft}-shm", f"{draft}-journal"):
        if os.path.exists(leftover):
            os.remove(leftover)


def _build(draft: str) -> None:
    connection = connect(draft, BUSY_MS)
    try:
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        connection.execute("PRAGMA journal_mode=WAL")
        _apply(Db(connection, draft), 0)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        raise told(error, draft) from error
    finally:
        connection.close()


def _migrate(db: Db, folder: str, patience: float) -> None:
    with platform.Lock(os.path.join(folder, "create.lock"), timeout=patience):
        version = db.execute("PRAGMA user_version")[0][0]
        if version >= VERSION:
            return
        backups = os.path.join(folder, "backups")
        _remove_drafts(backups)
        back_up(db, os.path.join(backups, f"store-v{version}-{platform.now_ms()}.db"))
        _apply(db, version)


def upgrade(db: Db) -> None:
    """Bring a database that nobody else has open, such as a backup, to this program's version."""
    _apply(db, int(db.execute("PRAGMA user_version")[0][0]))


def _remove_drafts(folder: str) -> None:
    """Remove the unfinished copies that killed processes left; only whoever holds the lock makes any."""
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if ".draft" in name:
            os.remove(os.path.join(folder, name))


def _apply(db: Db, version: int) -> None:
    for number, name in sorted((int(name[:4]), name) for name in os.listdir(_FOLDER) if name.endswith(".sql")):
        if version < number <= VERSION:  # an upgrade may put newer files beside a program that is running
            with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
                script = file.read()
            with db.transaction():
                for statement in statements(script):
                    db.execute(statement)
                _after(db, number)
                db.execute(f"PRAGMA user_version={number}")


def _after(db: Db, number: int) -> None:
    """What a migration needs besides its SQL."""
    if number == 1:
        from pith.domain.words import VERSION as words_version

        # Merging segments inside a hook's commit costs it 20 to 50 ms now and then; imports and the worker merge.
        db.execute("INSERT INTO event_terms (event_terms, rank) VALUES ('automerge', 0)")
        db.execute("INSERT INTO meta (name, value) VALUES ('words', :v)", {"v": str(words_version)})


def back_up(db: Db, path: str) -> None:
    """A complete copy of the store at `path` (0600), consistent while others write."""
    platform.private_folder(os.path.dirname(path))
    target = sqlite3.connect(f"{path}.draft")
    try:
        db.connection.backup(target)
    except sqlite3.Error as error:
        raise told(error, db.path) from error
    finally:
        target.close()
    os.chmod(f"{path}.draft", 0o600)
    platform.replace(f"{path}.draft", path)


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
