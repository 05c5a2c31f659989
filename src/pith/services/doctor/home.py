"""Checks of the home: it can be written, only its owner can read it, and nothing is left lying about."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator

from pith.errors import FileUnwritable
from pith.services import spool
from pith.services.doctor.finding import ERROR, NOTE, WARNING, Symptom
from pith.services.doctor.patient import Patient

MEGABYTE = 1_000_000
ENOUGH_FREE = 500 * MEGABYTE
NEARLY_NONE_FREE = 50 * MEGABYTE
ABANDONED_AFTER = 600  # seconds; a draft that is being written is younger
PRIVATE_FILE, PRIVATE_FOLDER, OF_OTHERS = 0o600, 0o700, 0o077


def unwritable(patient: Patient) -> Iterator[Symptom]:
    home = patient.home
    if os.path.lexists(home) and not os.path.isdir(home):
        yield Symptom(f"{home} should be a folder and is none.", home)
        return
    folder = _nearest(home)
    if not os.access(folder, os.W_OK | os.X_OK):
        what = "cannot be written" if folder == home else f"cannot be made, because {folder} cannot be written"
        yield Symptom(f"The home {home} {what}.", home)
    elif patient.folder and os.path.isdir(patient.folder) and not os.access(patient.folder, os.W_OK | os.X_OK):
        yield Symptom(f"The folder of the store, {patient.folder}, cannot be written.", patient.folder)


def _nearest(folder: str) -> str:
    """Give the folder itself, or the nearest one above it that exists."""
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder


def disk_full(patient: Patient) -> Iterator[Symptom]:
    try:
        free = shutil.disk_usage(_nearest(patient.home)).free
    except OSError:
        return
    if free < ENOUGH_FREE:
        severity = ERROR if free < NEARLY_NONE_FREE else WARNING
        yield Symptom(f"The disk of {patient.home} has {free // MEGABYTE:,} MB left.", patient.home, "", severity)


# -- Permissions ---------------------------------------------------------------------------------------------


def open_to_others(patient: Patient) -> Iterator[Symptom]:
    paths = _readable_by_others(patient.home)
    if paths:
        more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
        yield Symptom(f"Others on this machine can get at {paths[0]}{more}.", paths[0])


def close_to_others(patient: Patient) -> str:
    paths = _readable_by_others(patient.home)
    for path in paths:
        try:
            os.chmod(path, PRIVATE_FOLDER if os.path.isdir(path) else PRIVATE_FILE)
        except FileNotFoundError:
            continue  # a draft that has been moved into place meanwhile
        except OSError as error:
            raise FileUnwritable(f"The permissions of {path} cannot be changed: {error.strerror}.") from error
    return f"The permissions of {_count(len(paths), 'path')} were set to 0600 and 0700."


def _readable_by_others(home: str) -> list[str]:
    """Give every file and folder of the home that others may read, write or enter."""
    if os.name == "nt":
        return []  # a profile's folder is its user's own there, and modes mean nothing
    return [path for path in _below(home) if os.lstat(path).st_mode & OF_OTHERS]


def _below(home: str) -> Iterator[str]:
    """Give the home and everything in it; links are not ours: they may lead into somebody's dotfiles."""
    if os.path.isdir(home):
        yield home
    for folder, folders, files in os.walk(home):
        for name in sorted(folders + files):
            path = os.path.join(folder, name)
            if os.path.lexists(path) and not os.path.islink(path):
                yield path


# -- Leftovers -----------------------------------------------------------------------------------------------


def drafts(patient: Patient) -> Iterator[Symptom]:
    paths = _abandoned(patient.home)
    if paths:
        yield Symptom(f"{_count(len(paths), 'interrupted write')} left a draft, first {paths[0]}.", paths[0])


def remove_drafts(patient: Patient) -> str:
    paths = _abandoned(patient.home)
    for path in paths:
        try:
            os.remove(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise FileUnwritable(f"{path} cannot be removed: {error.strerror}.") from error
    return f"{_count(len(paths), 'draft')} removed; what they were to replace stands as it was."


def _abandoned(home: str) -> list[str]:
    before = time.time() - ABANDONED_AFTER
    return [path for path in _below(home) if _is_draft(path) and os.lstat(path).st_mtime < before]


def _is_draft(path: str) -> bool:
    """Whether it is a draft as `platform.write_private`, a new database or a backup leaves it."""
    name = os.path.basename(path)
    return os.path.isfile(path) and name.endswith((".draft", ".draft-wal", ".draft-shm", ".draft-journal"))


def set_aside_damaged(patient: Patient) -> Iterator[Symptom]:
    for path in _below(patient.home):
        name, inside = os.path.basename(path), os.path.basename(os.path.dirname(path))
        if inside == spool.FOLDER and name.endswith(".damaged"):
            hint = "Look into the file; when nothing in it is worth keeping, delete it."
            yield Symptom(f"{path} waited to be stored and cannot be read.", path, hint, WARNING)
        elif ".damaged" in name and not name.endswith("-wal"):  # the log goes with its database
            yield Symptom(f"{path} was damaged, was replaced, and is kept.", path, "", NOTE)


# -- What waits and what was lost ----------------------------------------------------------------------------


def waiting(patient: Patient) -> Iterator[Symptom]:
    for folder in dict.fromkeys((patient.home, patient.folder or patient.home)):
        paths = spool.waiting(folder)
        if paths:
            told = f"Events wait in {os.path.dirname(paths[0])} to be stored: {_count(len(paths), 'file')}."
            yield Symptom(told, paths[0])


def drain(patient: Patient) -> str:
    before = len(spool.waiting(patient.home))
    spool.sort_in(patient.home)
    sorted_in = before - len(spool.waiting(patient.home))
    if patient.project is None:
        return f"{_count(sorted_in, 'file')} brought from the home's spool to the projects they belong to."
    with patient.workspace() as ws:
        done = spool.drain(ws)
    return f"{_count(done, 'file')} brought from the spool into the store."


def lost(patient: Patient) -> Iterator[Symptom]:
    for reason, count in spool.losses(patient.home).items():
        yield Symptom(f"{_count(count, 'event')} lost: {reason}.", reason)


def settle(patient: Patient) -> str:
    counted = spool.losses(patient.home)
    spool.settle_losses(patient.home)
    return f"Counting starts anew; {_count(sum(counted.values()), 'event')} had been lost."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
