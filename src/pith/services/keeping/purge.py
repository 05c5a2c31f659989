"""Delete what pith keeps: its own files in its own home, by their names, and never anything else there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from pith.errors import InputError, PithError
from pith.services import project, spool
from pith.services.meaning import indexes

HOME_FILES = (
    "projects.json", "projects.json.damaged-*", "projects.lock", "config.toml", "config.lock", "settings.json",
    "installed.json", "install.lock", "agreed.json", "weights.json", "losses.log", ".*.draft",
)  # fmt: skip
LOG_FILES = ("pith.log", "pith.log.1", "hook.log", "hook.log.1")
STORE_FILES = (
    "store.db", "store.db-wal", "store.db-shm", "store.db-journal", "store.db.*", "store-*", "project.json",
    "config.toml", "config.lock", "settings.json", "create.lock", "*.lock", ".*.draft", "work.json", "work.asked",
    "work.log", "work.log.1",
)  # fmt: skip
STORE_FOLDERS = {  # pith's own, with what it writes into them
    spool.FOLDER: ("*.json", "*.json.damaged", ".*.draft", "drain.lock", "*.tmp"),
    "backups": ("store-*", "*.db", "*.db.draft", "*.db-journal", "*.db-wal", "*.db-shm"),
}

_STORE_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def demand_own(home: str) -> None:
    """Raise InputError unless the folder is one that pith has made its home."""
    real, user = os.path.realpath(home), os.path.realpath(os.path.expanduser("~"))
    holds_user = (user + os.sep).startswith(real.rstrip(os.sep) + os.sep)
    if holds_user:
        raise InputError(f"{home} is no folder of pith's alone; nothing was deleted.", hint=_BY_HAND)
    if not (os.path.isfile(project.register_path(home)) or any(_own_stores(home))):
        raise InputError(f"{home} is not the home of pith; nothing was deleted.", hint=_BY_HAND)


_BY_HAND = "Look at PITH_HOME, or delete by hand what you know to be pith's."


def purge(home: str) -> list[str]:
    """Delete everything of pith's in its home; return what stays because it is somebody else's."""
    demand_own(home)
    home = os.path.realpath(home)  # it may be a link to another disk
    spool.settle_losses(home)
    for folder in (*_own_stores(home), project.personal_store(home)):
        if os.path.islink(folder):
            continue
        for name, patterns in STORE_FOLDERS.items():
            _empty(os.path.join(folder, name), patterns)
        _empty_all(os.path.join(folder, indexes.FOLDER))
        _empty(folder, STORE_FILES)
    _remove_folder(os.path.join(home, "projects"))
    _empty(os.path.join(home, spool.FOLDER), STORE_FOLDERS[spool.FOLDER])
    _empty(os.path.join(home, "log"), LOG_FILES)
    _remove_folder(os.path.join(home, "gone"))
    _empty(home, HOME_FILES)
    return list(_left(home))


def _own_stores(home: str) -> Iterator[str]:
    """Folders of stores: named as we name them, and not links to somewhere else."""
    for folder in project.store_folders(home):
        if _STORE_ID.fullmatch(os.path.basename(folder)) and os.path.isdir(folder) and not os.path.islink(folder):
            yield folder


def _empty(folder: str, patterns: tuple[str, ...]) -> None:
    """Delete the files with these names, and the folder if that was all; a link goes, not what it leads to."""
    if os.path.islink(folder) or not os.path.isdir(folder):
        return
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        is_file = os.path.isfile(path) or os.path.islink(path)
        if is_file and any(fnmatchcase(name, pattern) for pattern in patterns):
            _remove(path)
    _remove_folder(folder)


def _empty_all(folder: str) -> None:
    """Delete the tables of LanceDB, whatever it calls what is within; a link goes, not what it leads to."""
    if os.path.islink(folder):
        return
    for path, folders, names in os.walk(folder, topdown=False):
        for name in (*names, *folders):
            inner = os.path.join(path, name)
            (_remove if os.path.islink(inner) or not os.path.isdir(inner) else _remove_folder)(inner)
    _remove_folder(folder)


def _remove(path: str) -> None:
    try:
        os.remove(path)
    except OSError as error:
        raise PithError(
            f"{path} cannot be deleted: {error.strerror}.", hint="Close what uses it, then run it again."
        ) from error


def _remove_folder(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        pass  # something of somebody else's is in it, or it is not there


def _left(home: str) -> Iterator[str]:
    for path, folders, names in os.walk(home):
        yield from (os.path.join(path, name) for name in sorted(names))
        folders.sort()
