"""Kill an action before each of its SQL statements and file changes, do it again, and compare with a calm run.

An *action* is what one process does: a hook call, an import, a repair. It runs in a forked child in which a counter goes
up before every SQL statement (trace callback) and every change of a file (audit hook); at number n the child ends at
once, as after `kill -9`. `sweep` does that for many n, each time from the same folder, and hands the folder to the test.

    def test_an_import_killed_anywhere_ends_the_same(sweep_of):
        for n, folder in sweep(action, folder): assert state(folder) == calm
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Action = Callable[[], object]

KILLED = 9
FAILED = 70
_CHANGES = {
    "os.rename",
    "os.remove",
    "os.mkdir",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
    "shutil.rmtree",
    "shutil.copyfile",
    "sqlite3.connect",
}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class _Counter:
    """Counts steps inside the child; before number `last` it ends the process (never, when that is 0)."""

    def __init__(self, last: int, names: int = -1) -> None:
        self.last = last
        self.count = 0
        self.names = names
        self.busy = False

    def step(self, what: str) -> None:
        if self.busy:
            return
        self.count += 1
        if self.names >= 0:
            self.busy = True
            os.write(self.names, f"{what[:120]}\n".encode("utf-8", "replace"))
            self.busy = False
        if self.count == self.last:
            os._exit(KILLED)

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in _CHANGES:
            self.step(f"{event} {arguments[0]}".replace("\n", " "))
        elif event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITING:
            self.step(f"open {arguments[0]}".replace("\n", " "))

    def watch(self, connect: Callable[..., sqlite3.Connection]) -> Callable[..., sqlite3.Connection]:
        """`sqlite3.connect` whose connections tell each statement before it runs."""

        def connected(*arguments: Any, **named: Any) -> sqlite3.Connection:
            connection = connect(*arguments, **named)
            connection.set_trace_callback(lambda sql: self.step(" ".join(sql.split())))
            return connection

        return connected


def run(action: Action, kill_before: int = 0, names: int = -1) -> int:
    """Run the action in a child, ended before that step; the exit code: 0, KILLED, or FAILED when it raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads: the child uses none of them
        child = os.fork()
    if child == 0:
        code = FAILED
        try:
            counter = _Counter(kill_before, names)
            sqlite3.connect = counter.watch(sqlite3.connect)
            sys.addaudithook(counter.audit)
            action()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def steps(action: Action) -> list[str]:
    """What the action does, step by step, in a calm run."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as told:
        # The pipe is read after the child has ended: its size bounds what an action may tell.
        import fcntl

        fcntl.fcntl(writing, getattr(fcntl, "F_SETPIPE_SZ", 1031), 1 << 20)
        code = run(action, names=writing)
        os.close(writing)
        assert code == 0, f"the action failed in a calm run ({code})"
        return told.read().decode("utf-8", "replace").splitlines()


def points(total: int, *, every: bool, sample: int = 25) -> list[int]:
    """Where to kill: before every step, or before an even sample of them that holds the first and the last."""
    if every or total <= sample:
        return list(range(1, total + 1))
    return sorted({1 + round(at * (total - 1) / (sample - 1)) for at in range(sample)})


def sweep(action: Action, folder: Path, *, every: bool = False, sample: int = 25) -> Iterator[tuple[int, str]]:
    """Kill the action at each point, from the same beginning; yields number and name of the step it died before.

    `folder` is as the action finds it. When the loop goes on, it is put back; at its end too.
    """
    before = folder.with_name(f"{folder.name}.before")
    shutil.copytree(folder, before, symlinks=True) if folder.exists() else None
    try:
        named = steps(action)
        for number in points(len(named), every=every, sample=sample):
            put_back(folder, before)
            code = run(action, number)
            assert code == KILLED, f"not killed before step {number} ({named[number - 1]}) but ended with {code}"
            yield number, named[number - 1]
        put_back(folder, before)
    finally:
        shutil.rmtree(before, ignore_errors=True)


def put_back(folder: Path, before: Path) -> None:
    """Make the folder what it was, or nothing where nothing was."""
    shutil.rmtree(folder, ignore_errors=True)
    if before.exists():
        shutil.copytree(before, folder, symlinks=True)


# What a home holds ----------------------------------------------------------------------------------------------------

# Made by chance or by the clock: two runs that did the same differ in these.
_CHANCE = {
    "events": {"id"},
    "event_bodies": {"forgotten_at"},
    "citations": {"id", "item_id"},
    "sessions": {"ended_at"},
    "imports": {"imported_at"},
    "exports": {"written_at"},
    "usage": {"at", "shown"},
}
_CLOCK = {"events": {"at", "checksum"}}
_SHADOW = ("event_terms_", "node_terms_", "entry_terms_", "memory_terms_")
_DRAFTS = (".draft", ".tmp", "-journal")


def state(home: Path, *, clock: bool = False) -> dict[str, Any]:
    """Everything in the stores of a home that two runs of the same actions have in common, and the names of its files.

    With `clock` the times of events count too (where the action names them, as an import does).
    """
    stores = sorted(home.rglob("store.db"))
    return {
        "stores": [_tables(store, clock) for store in stores],
        "spool": sorted(path.suffix for path in home.rglob("spool/*") if path.name != "drain.lock"),
        "drafts": sorted(path.name for path in home.rglob("*") if path.name.endswith(_DRAFTS)),
    }


def _tables(path: Path, clock: bool) -> dict[str, Any]:
    connection = sqlite3.connect(path)
    try:
        assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        found: dict[str, Any] = {"version": connection.execute("PRAGMA user_version").fetchone()[0]}
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        virtual = tuple(name for name, sql in rows if str(sql).startswith("CREATE VIRTUAL"))
        for name, _ in rows:
            if not name.startswith((*_SHADOW, *virtual)):
                left_out = _CHANCE.get(name, set()) | (set() if clock else _CLOCK.get(name, set()))
                found[name] = _rows(connection, name, left_out)
        found["schema"] = connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2").fetchall()
        return found
    finally:
        connection.close()


def _rows(connection: sqlite3.Connection, table: str, left_out: set[str]) -> list[tuple[Any, ...]]:
    cursor = connection.execute(f'SELECT * FROM "{table}"')
    kept = [at for at, column in enumerate(cursor.description) if column[0] not in left_out]
    return sorted((tuple(row[at] for at in kept) for row in cursor), key=repr)
