"""Checks of meaning: vectors are what the stored texts give, and the outbox keeps up."""

from __future__ import annotations

from collections.abc import Iterator

from pith import platform
from pith.errors import PithError
from pith.services.doctor.finding import Symptom
from pith.services.doctor.patient import Patient
from pith.services.meaning import alerts, reconcile, upkeep
from pith.store import versions as stored


def failed(patient: Patient) -> Iterator[Symptom]:
    yield from _alert(patient, alerts.FAILED)


def late(patient: Patient) -> Iterator[Symptom]:
    yield from _alert(patient, alerts.LATE)


def _alert(patient: Patient, code: str) -> Iterator[Symptom]:
    for alert in upkeep.overview(patient.db, platform.now_ms())["alerts"]:
        if alert["code"] == code:
            yield Symptom(alert["message"], "vector_outbox", hint=alert["hint"])


def different(patient: Patient) -> Iterator[Symptom]:
    """What the outbox is still to do is no difference."""
    used = stored.in_use(patient.db)
    if used is None or used.enqueue_kind:  # while a version is first enqueued, most is missing
        return
    try:
        with patient.workspace() as ws:
            found = reconcile.compare(patient.db, used.version, upkeep.index_of(ws, used.version, used.dimensions))
    except PithError as error:
        yield Symptom(f"Vectors cannot be compared with what is stored: {error}", "vectors", hint=error.hint)
        return
    for items, said in (
        (found.missing, "have no vector, and none is on its way"),
        (found.orphaned, "have a vector, and are not stored"),
        (found.outdated, "have a vector of another text"),
    ):
        if items:
            kind, id = items[0]
            yield Symptom(f"Items that {said}: {len(items):,}, for instance {kind}:{id}.", "vectors")


def repair(patient: Patient) -> str:
    with patient.workspace() as ws:
        done = upkeep.reconciled(ws)
    enqueued = done["enqueued_missing"] + done["enqueued_outdated"]
    return f"{enqueued:,} items are to be embedded by the worker, {done['removed_orphans']:,} vectors were removed."
