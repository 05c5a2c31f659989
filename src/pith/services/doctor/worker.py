"""Checks of the worker: it can begin, it came to its end, its chores do not fail, and work does not pile up."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from pith.services import dates
from pith.services.doctor.finding import Symptom
from pith.services.doctor.patient import Patient
from pith.services.work import record, start, telling
from pith.store import extracting

MANY = 1_000  # unread events, and
LONG = 86_400.0  # seconds without a worker, from which on work piles up


def blocked(patient: Patient) -> Iterator[Symptom]:
    """The lock is the system's and never left behind; only its file can stand in the way."""
    path = os.path.join(patient.folder or "", start.LOCK)
    if patient.folder and os.path.lexists(path) and not (os.path.isfile(path) and os.access(path, os.W_OK)):
        yield Symptom(f"{path} is no file that can be written, so no worker can begin.", path)


def unended(patient: Patient) -> Iterator[Symptom]:
    last = record.read(patient.folder) if patient.folder else None
    if last is None or patient.folder is None:
        return
    path = os.path.join(patient.folder, start.STATE)
    if telling.is_killed(last, telling.is_running(patient.folder)):
        yield Symptom(f"The worker that began at {dates.local(last.began)} was killed, or crashed.", path)
    elif last.why == record.MEMORY:
        hint = "Raise `worker.maxMegabytes`, then run `pith work`."
        yield Symptom("The last worker left because it held more memory than it may.", path, hint)


def failing(patient: Patient) -> Iterator[Symptom]:
    last = record.read(patient.folder) if patient.folder else None
    for name, one in (last.failures if last else {}).items():
        times = "once" if one.times == 1 else f"{one.times:,} times"
        yield Symptom(
            f"The chore `{name}` of the worker failed {times}, last at {dates.local(one.at)}: {one.error.rstrip('.')}.",
            name,
        )


def behind(patient: Patient) -> Iterator[Symptom]:
    if patient.folder is None or not patient.is_readable:
        return
    waiting = extracting.waiting(patient.db, "extract.rules")
    if waiting >= MANY and start.changed(patient.folder, start.STATE) < time.time() - LONG:
        yield Symptom(f"{waiting:,} events wait to be read, and no worker ran for a day.", patient.folder)
