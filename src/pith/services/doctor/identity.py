"""Checks of which project is which, and of the settings that hold."""

from __future__ import annotations

import os
from collections.abc import Iterator

from pith import platform
from pith.errors import PithError
from pith.services import project
from pith.services.doctor.finding import Symptom
from pith.services.doctor.patient import Patient
from pith.services.project import Register
from pith.services.project_registration import Books
from pith.store.database import FILE


def unreadable(patient: Patient) -> Iterator[Symptom]:
    path = project.register_path(patient.home)
    if os.path.lexists(patient.home) and not os.path.isdir(patient.home):
        return  # told of the home itself
    if patient.register_error:
        hint = patient.register_error.hint
        yield Symptom(str(patient.register_error), path, "" if hint == PithError.hint else hint)
    elif _register(patient).damaged:
        yield Symptom(f"{path} is damaged; the stores' own notes are used instead.", path)


def disagreeing(patient: Patient) -> Iterator[Symptom]:
    if patient.register_error:
        return
    keys = _register(patient).keys
    records = {record["id"]: record for record in project.read_records(patient.home)}
    for store, record in records.items():
        for key in record["keys"]:
            if keys.get(key) != store:
                yield Symptom(f"Store {store} says it belongs to {key}, the register does not.", key)
    for key, store in keys.items():
        if key not in records.get(store, {}).get("keys", {}):
            yield Symptom(f"The register leads {key} to store {store}, which does not say so.", key)


def ownerless(patient: Patient) -> Iterator[Symptom]:
    if patient.register_error:
        return
    known = {*_register(patient).keys.values(), *(each["id"] for each in project.read_records(patient.home))}
    for folder in patient.folders:
        if os.path.basename(folder) not in known and os.path.exists(os.path.join(folder, FILE)):
            yield Symptom(f"Nothing says which project the store in {folder} belongs to.", folder)


def put_right(patient: Patient) -> str:
    """Let the register and the stores' notes complete each other, as registering does after a crash."""
    platform.private_folder(os.path.join(patient.home, "projects"))
    with platform.Lock(os.path.join(patient.home, "projects.lock")):
        books = Books(patient.home)
        for record in list(books.records.values()):
            books.write(record)
    return f"The register of projects and the notes of {len(books.records):,} stores agree."


def set_aside(patient: Patient) -> Iterator[Symptom]:
    for record in project.read_records(patient.home):
        for store in record.get("set_aside", {}):
            told = f"Store {store} is set aside, because its project was linked to store {record['id']}."
            yield Symptom(told, project.store_folder(patient.home, store))


def wrong_settings(patient: Patient) -> Iterator[Symptom]:
    for layer in patient.settings.layers:
        for problem in layer.problems:
            yield Symptom(problem, layer.path or layer.source)


def _register(patient: Patient) -> Register:
    return project.read_register(patient.home)
