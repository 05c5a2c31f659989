"""Copies of a store: made, rotated, put back in its place, and salvaged from when the store itself is damaged."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass

from pith import platform
from pith.errors import NotFound, PithError
from pith.services.keeping import burial, salvaging
from pith.services.keeping.copies import BACKUPS, databases
from pith.services.keeping.forget import LOCK, PATIENCE
from pith.services.keeping.salvaging import Salvaged
from pith.store import compaction
from pith.store import events as stored
from pith.store.database import BUSY_MS, FILE, VERSION, Db, back_up, connect, open_store

KEEP = 3
LOGS = ("-wal", "-shm")
_WORK = "salvage"
_NAME = re.compile(r"store-v(\d+)-(\d+)\.db")


class BackupUnusable(PithError):
    """A backup cannot take the store's place."""

    code = "BACKUP_UNUSABLE"
    hint = "Choose another one; the store was not touched."


@dataclass(frozen=True)
class Backup:
    """A copy of the store: when it was made and by which version."""

    path: str
    at: str
    version: int
    bytes: int


# -- Making and rotating -------------------------------------------------------------------------------------


def list_backups(folder: str) -> list[Backup]:
    """The backups of a store, the newest first."""
    found = []
    place = os.path.join(folder, BACKUPS)
    for name in os.listdir(place) if os.path.isdir(place) else ():
        match = _NAME.fullmatch(name)
        if match:
            path = os.path.join(place, name)
            found.append(Backup(path, platform.stamp(int(match[2])), int(match[1]), os.path.getsize(path)))
    return sorted(found, key=lambda backup: (backup.at, backup.path), reverse=True)


def make(folder: str, keep: int = KEEP) -> Backup:
    """Copy the store as it is now, and keep the newest copies only."""
    with platform.Lock(os.path.join(folder, LOCK), timeout=PATIENCE), open_store(folder, create=False) as db:
        path = os.path.join(folder, BACKUPS, f"store-v{VERSION}-{platform.now_ms()}.db")
        back_up(db, path)
        rotate(folder, keep)
    return next(backup for backup in list_backups(folder) if backup.path == path)


def rotate(folder: str, keep: int = KEEP) -> list[str]:
    """Remove all but the newest backups; what was removed."""
    removed = []
    for backup in list_backups(folder)[keep:]:
        for path in (backup.path, *(backup.path + log for log in LOGS)):
            if os.path.exists(path):
                os.remove(path)
        removed.append(backup.path)
    return removed


# -- Putting back --------------------------------------------------------------------------------------------


def restore(folder: str, path: str) -> str:
    """Put a backup in the place of the store; where the old one is kept.

    What has been forgotten since then is forgotten in it first. Raises BackupUnusable where it is damaged.
    """
    if not os.path.isfile(path):
        raise NotFound(f"{path} does not exist.", hint="Run `pith doctor` to see the backups.")
    with platform.Lock(os.path.join(folder, LOCK), timeout=PATIENCE), _work(folder) as work:
        copy = os.path.join(work, FILE)
        _copy(path, copy)
        _check(copy, path)
        with open_store(work) as db:
            _forget_again(db, _forgotten(folder))
        return _swap(folder, copy, "before-restore")


def _check(copy: str, path: str) -> None:
    try:
        with Db(connect(copy, BUSY_MS), copy) as db:
            if compaction.is_sound(db) and 0 < compaction.version_of(db) <= VERSION:
                return
    except PithError:
        pass
    raise BackupUnusable(f"The backup {path} is damaged, or a newer pith wrote it.")


def _forgotten(folder: str) -> set[str]:
    """What the present store knows to be forgotten, as far as it can be read."""
    try:
        with open_store(folder, create=False) as db:
            return stored.forgotten(db)
    except PithError:
        return set()


def _forget_again(db: Db, ids: set[str]) -> None:
    numbers = sorted(seq for id, seq in stored.remembered(db).items() if id in ids)
    if numbers:
        burial.bury(db, numbers, platform.now())
        burial.bury_changes(db, numbers, platform.now())
        burial.scour(db)


class _work:  # noqa: N801 (reads as the function it is)
    """A folder beside the store for what is being made; empty at first, gone afterwards."""

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, _WORK)

    def __enter__(self) -> str:
        shutil.rmtree(self.path, ignore_errors=True)
        platform.private_folder(self.path)
        return self.path

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def _copy(source: str, target: str) -> None:
    """Copy a database with its log, for this user only."""
    for suffix in ("", "-wal"):
        if os.path.exists(source + suffix):
            shutil.copyfile(source + suffix, target + suffix)
            os.chmod(target + suffix, 0o600)


def _swap(folder: str, new: str, why: str) -> str:
    """Put a closed database in the store's place; where the old one is kept, with its log.

    The store's path is never empty, or a hook would begin a new store there; the log leaves first, or SQLite would play
    it into the new database.
    """
    path = os.path.join(folder, FILE)
    aside = f"{path}.{why}-{platform.now_ms()}"
    with platform.Lock(os.path.join(folder, "create.lock"), timeout=PATIENCE):
        if os.path.exists(path):
            _link(path, aside)
        if os.path.exists(f"{path}-wal"):
            platform.replace(f"{path}-wal", f"{aside}-wal")
        if os.path.exists(f"{path}-shm"):
            os.remove(f"{path}-shm")
        platform.replace(new, path)
    return aside if os.path.exists(aside) else ""


def _link(path: str, aside: str) -> None:
    try:
        os.link(path, aside)
    except OSError:  # a file system without links
        shutil.copyfile(path, aside)
        os.chmod(aside, 0o600)


# -- Salvaging -----------------------------------------------------------------------------------------------


def restore_readable(folder: str) -> Salvaged:
    """Make a whole store of what can be read: from the damaged one, then from backups and files set aside before.

    The damaged file stays as `store.db.damaged-<time>`. Killed anywhere and run again, it ends the same.
    """
    with platform.Lock(os.path.join(folder, LOCK), timeout=PATIENCE), _work(folder) as work:
        path = os.path.join(folder, FILE)
        held = compaction.hold(path) if os.path.exists(path) else None  # hooks spool meanwhile
        try:
            with open_store(work) as fresh:
                saved = salvaging.fill(fresh, [path, *_others(folder)])
                compaction.write_anew(fresh)
                compaction.empty_log(fresh)
            saved.set_aside = _swap(folder, os.path.join(work, FILE), "damaged")
        finally:
            if held:
                held.close()
    return saved


def _others(folder: str) -> list[str]:
    newest = [backup.path for backup in list_backups(folder)]
    return [*newest, *(path for path, _ in databases(folder) if path not in newest)]
