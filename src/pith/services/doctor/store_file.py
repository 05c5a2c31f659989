"""Checks of the database as a file: it opens, it is whole, it has this program's version, it stays small."""

from __future__ import annotations

import os
from collections.abc import Iterator

from pith.errors import PithError, StoreCorrupt
from pith.services.doctor.finding import ERROR, WARNING, Symptom
from pith.services.doctor.patient import Patient
from pith.services.keeping import backup, retention
from pith.store import compaction, health
from pith.store.database import VERSION, StoreBusy

MEGABYTE = 1_000_000
LARGE_RATIO = 4  # bytes of database for a byte of text
LARGE_FROM = 16 * MEGABYTE  # a small database is mostly empty pages
LOG_LARGE = 64 * MEGABYTE
SEGMENTS_MANY = 60
SHOWN = 10


def absent(patient: Patient) -> Iterator[Symptom]:
    if patient.store_path is None and patient.register_error is None and not _is_closed(patient.folder):
        yield Symptom("Nothing has been stored for this project yet.", patient.place.root)


def _is_closed(folder: str | None) -> bool:
    """Whether nobody can see what is in the folder."""
    return folder is not None and os.path.isdir(folder) and not os.access(folder, os.R_OK | os.X_OK)


def unopened(patient: Patient) -> Iterator[Symptom]:
    if patient.folder and _is_closed(patient.folder):
        yield Symptom(f"The folder of the store, {patient.folder}, cannot be read.", patient.folder)
    error = patient.opening_error
    if error is None or isinstance(error, StoreCorrupt):
        return
    severity = WARNING if isinstance(error, StoreBusy) else ERROR
    hint = error.hint if error.hint != PithError.hint else ""
    yield Symptom(str(error), patient.store_path or "", hint, severity)


def damaged(patient: Patient) -> Iterator[Symptom]:
    path = patient.store_path or ""
    if isinstance(patient.opening_error, StoreCorrupt):
        yield Symptom(str(patient.opening_error), path)
    elif patient.damage:
        first = " ".join(patient.damage[0].split())
        yield Symptom(f"The database {path} is damaged ({first}).", path)


def restore(patient: Patient) -> str:
    """Make a whole database of what can be read, here and in backups; the damaged one is kept."""
    patient.close()
    saved = backup.restore_readable(os.path.dirname(patient.store_path or ""))
    told = [f"{_events(saved.events)} saved"]
    if saved.from_backups:
        told.append(f"{saved.from_backups:,} of them from backups")
    if saved.lost:
        told.append(f"{saved.lost:,} lost, which `pith import` may bring back")
    if saved.nameless:
        told.append(f"{_events(saved.nameless)} whose session is unknown, until `pith import` finds its transcript")
    if saved.wrong_checksum:
        told.append(f"not as they were written: {', '.join(saved.wrong_checksum[:SHOWN])}")
    return f"{'; '.join(told)}; the damaged file is kept as {saved.set_aside}."


def _events(number: int) -> str:
    return f"{number:,} event{'' if number == 1 else 's'}"


def newer(patient: Patient) -> Iterator[Symptom]:
    if patient.version is not None and patient.version > VERSION:
        told = f"The database was written by a newer pith (version {patient.version}, this one knows {VERSION})."
        yield Symptom(told, patient.store_path or "")


def older(patient: Patient) -> Iterator[Symptom]:
    if patient.version is not None and patient.version < VERSION:
        told = f"The database has version {patient.version}; this pith makes {VERSION} of it."
        yield Symptom(told, patient.store_path or "")


def migrate(patient: Patient) -> str:
    with patient.workspace() as ws:
        version = health.version(ws.db)
        retention.keep_up(ws)  # a migration leaves a backup; the newest few stay
    return f"The database now has version {version}; the old one is in the folder `backups` beside it."


def log_large(patient: Patient) -> Iterator[Symptom]:
    path = f"{patient.store_path}-wal"
    try:
        size = os.path.getsize(path)
    except OSError:
        return
    if size > LOG_LARGE:
        yield Symptom(f"The log beside the database has {size // MEGABYTE:,} MB.", path)


def empty_log(patient: Patient) -> str:
    with patient.workspace() as ws:
        if not compaction.empty_log(ws.db):
            raise StoreBusy("The log is in use by another process.")
    return "The log was brought into the database."


def large(patient: Patient) -> Iterator[Symptom]:
    size, text = health.size(patient.db), health.text_size(patient.db)
    if size > LARGE_FROM and size > LARGE_RATIO * text:
        times = f"{size / text:.1f} times the text it keeps" if text else "and keeps no text"
        yield Symptom(f"The database has {size // MEGABYTE:,} MB, {times}.", patient.store_path or "")


def shrink(patient: Patient) -> str:
    with patient.workspace() as ws:
        before = health.size(ws.db)
        compaction.purge_terms(ws.db)
        compaction.shrink(ws.db)
        compaction.empty_log(ws.db)
        after = health.size(ws.db)
    return f"The database went from {before // MEGABYTE:,} to {after // MEGABYTE:,} MB."


def over_limit(patient: Patient) -> Iterator[Symptom]:
    limit = patient.settings.get("capture.maxStoreMegabytes")
    size = health.size(patient.db)
    if limit and size > limit * MEGABYTE:
        told = f"The database has {size // MEGABYTE:,} MB, more than the {limit:,} MB of your settings."
        yield Symptom(told, "capture.maxStoreMegabytes")


def scattered(patient: Patient) -> Iterator[Symptom]:
    segments = health.segments(patient.db)
    if segments > SEGMENTS_MANY:
        yield Symptom(f"Full text is spread over {segments} segments, which slows every question.", "event_terms")


def merge(patient: Patient) -> str:
    with patient.workspace() as ws:
        compaction.purge_terms(ws.db)
        return f"Full text was merged into {health.segments(ws.db)} segment."


def unreadable_backups(patient: Patient) -> Iterator[Symptom]:
    folder = os.path.join(patient.folder or "", "backups")
    try:
        paths = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".db")]
        paths.sort(key=os.path.getmtime)
    except OSError:
        return
    for path in paths if patient.deep else paths[-1:]:
        try:
            complaints = health.damage(path, deep=patient.deep)
        except PithError as error:
            complaints = [str(error)]
        if complaints:
            yield Symptom(f"The backup {path} cannot be trusted ({complaints[0]}).", path)


def back_up_again(patient: Patient) -> str:
    made = backup.make(patient.folder or "")
    return f"A new backup was written to {made.path}."
