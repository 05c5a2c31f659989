"""Checks of what the database holds: events as they were written, with all their parts, and found by their words."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pith import platform
from pith.domain import events, words
from pith.domain.events import Sighting
from pith.errors import StoreUnavailable
from pith.services.doctor.finding import WARNING, Symptom
from pith.services.doctor.patient import Patient
from pith.services.keeping import burial, forget
from pith.store import citations, compaction, health, search, sessions
from pith.store.database import Db, open_store

DAY_MS = 86_400_000
PARTS = {
    "body": "without text",
    "event": "text without its event",
    "anchor": "without a name by which a second sighting is known",
    "session": "without a session",
    "place": "without a place",
}
SAMPLE = 200  # events whose words are tried without --deep
SAMPLE_TERMS = 8  # of each


def altered(patient: Patient) -> Iterator[Symptom]:
    with _model() as model:
        unmade = health.unmade(patient.db, model)
    for type, name, _ in unmade:
        yield Symptom(f"The {type} {name} is missing or is not as this pith makes it.", name)


def make_again(patient: Patient) -> str:
    with _model() as model, patient.workspace() as ws, ws.db.transaction() as db:
        unmade = health.unmade(db, model)
        for type, name, sql in unmade:
            health.make(db, type, name, sql)
    return f"{', '.join(name for _, name, _ in unmade)}: made again."


@contextmanager
def _model() -> Iterator[Db]:
    """Give a new and empty store, as this program makes it."""
    with tempfile.TemporaryDirectory(prefix="pith-doctor-") as folder, open_store(folder) as db:
        yield db


def changed(patient: Patient) -> Iterator[Symptom]:
    wrong = [row["id"] for row in health.bodies(patient.db) if not _is_right(row)]
    if wrong:
        yield Symptom(f"Other than they were written: {_events(wrong)}.", wrong[0])


def _is_right(row: Any) -> bool:
    """Whether an event is as it was written; one whose session lost its name cannot be compared."""
    return sessions.is_nameless(row["session"]) or _checksum(row) == row["checksum"]


def _checksum(row: Any) -> bytes:
    seen = Sighting(
        row["kind"], row["session"], row["text"], row["at"],
        host=row["host"], channel="", origin=row["origin"], agent=row["agent"],
    )  # fmt: skip
    return events.checksum(seen, events.text_hash(seen.text))


def incomplete(patient: Patient) -> Iterator[Symptom]:
    for part, lack in PARTS.items():
        numbers = health.lacking(patient.db, part)
        if not numbers:
            continue
        told = f"{lack.capitalize()}: {_events(numbers)}."
        if part == "anchor":  # as after a rescue: nothing is missing that anybody could read
            hint = "Nothing is lost; only an import of the same transcript might store them a second time."
            yield Symptom(told, f"event {numbers[0]}", hint, WARNING)
        else:
            yield Symptom(told, f"event {numbers[0]}")


def uncited(patient: Patient) -> Iterator[Symptom]:
    ids = health.uncited(patient.db)
    if ids:
        yield Symptom(f"Without a citation, so that nothing can show them: {_events(ids)}.", ids[0])


def cite(patient: Patient) -> str:
    with patient.workspace() as ws, ws.db.transaction() as db:
        ids = health.uncited(db)
        for id in ids:
            citations.give(db, citations.EVENT, id)
    return f"A citation was given again to {_events(ids)}."


def dangling(patient: Patient) -> Iterator[Symptom]:
    rows = health.foreign(patient.db)
    for table, parent in sorted(set(rows)):
        count = rows.count((table, parent))
        yield Symptom(f"Rows of {table} that point to rows of {parent} that are not there: {count:,}.", table)


def ahead(patient: Patient) -> Iterator[Symptom]:
    count, last = health.ahead(patient.db, platform.stamp(platform.now_ms() + DAY_MS))
    if count:
        yield Symptom(f"Events in the future: {count:,}, the last at {last}.", last)


def half_forgotten(patient: Patient) -> Iterator[Symptom]:
    if burial.is_unfinished(patient.db):
        yield Symptom("Something was to be forgotten, and not every copy of it is gone yet.", burial.UNFINISHED)


def forget_the_rest(patient: Patient) -> str:
    with patient.workspace() as ws:
        if not forget.finish(ws).finished:
            raise StoreUnavailable(
                "Another process still uses pages with forgotten text.", hint="End the sessions in this project first."
            )
    return "Everything that was to be forgotten is gone."


# -- Full text -----------------------------------------------------------------------------------------------


def outdated(patient: Patient) -> Iterator[Symptom]:
    state = health.text_state(patient.db)
    if state.rebuilding:
        yield Symptom("Full text was being rebuilt, and that has not been finished.", "event_terms")
    elif state.version != str(words.VERSION):
        told = f"Full text was made by version {state.version or 'none'} of the words; this pith uses {words.VERSION}."
        yield Symptom(told, "event_terms")


def different(patient: Patient) -> Iterator[Symptom]:
    state = health.text_state(patient.db)
    if state.rebuilding or state.version != str(words.VERSION):
        return  # told as outdated
    wrong = _all_different(patient) if patient.deep else _sample_different(patient)
    if wrong:
        yield Symptom(f"Not found by exactly their words: {_events(wrong)}.", f"event {wrong[0]}")
        return
    held, said = health.postings(patient.db)
    if state.sizes_hold and held != said:
        yield Symptom(f"Full text holds {held:,} words of events, which have {said:,}.", "event_terms")


def _all_different(patient: Patient) -> list[int]:
    """Compare every word of every event in both directions: number and sum of hashes, since all would fill memory."""
    wanted: dict[int, int] = {}
    for row in health.bodies(patient.db):
        wanted[row["seq"]] = sum(hash(term) | 1 for term in words.terms(row["text"]))
    for term, seq in health.pairs(patient.db):
        wanted[seq] = wanted.get(seq, 0) - (hash(term) | 1)
    return sorted(seq for seq, rest in wanted.items() if rest)


def _sample_different(patient: Patient) -> list[int]:
    """Try some words of events from everywhere in the store, the newest included."""
    return [seq for seq, text in health.sample(patient.db, SAMPLE) if not _is_found(patient, seq, text)]


def _is_found(patient: Patient, seq: int, text: str) -> bool:
    some = sorted(words.terms(text), key=lambda term: (-len(term), term))[:SAMPLE_TERMS]
    return all(health.is_found(patient.db, term, seq) for term in some)


def rebuild(patient: Patient) -> str:
    # Forgetting takes words away by the very terms they were written with: the two must not meet.
    with patient.workspace() as ws, platform.Lock(os.path.join(ws.folder, forget.LOCK), timeout=forget.PATIENCE):
        count = search.rebuild_text(ws.db)
        compaction.purge_terms(ws.db)
    return f"Full text was rebuilt from {count:,} events."


def _events(which: list[Any]) -> str:
    return f"{len(which):,} events" if len(which) != 1 else "1 event"
