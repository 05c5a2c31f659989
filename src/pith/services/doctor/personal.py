"""Checks of the personal store: it can be read, and its rows are the fold of its events, all about preferences."""

from __future__ import annotations

from collections.abc import Iterator

from pith.errors import PithError
from pith.services import personal
from pith.services.doctor.finding import ERROR, Symptom
from pith.services.doctor.patient import Patient
from pith.services.keeping import backup
from pith.services.knowledge import fold as knowledge
from pith.services.project import personal_store
from pith.store import health, preferences
from pith.store.database import FILE, VERSION, Db

_NEWER = "Upgrade pith; nothing was changed."


def unreadable(patient: Patient) -> Iterator[Symptom]:
    """What keeps the personal store from being read; nothing where there is none."""
    path = f"{personal_store(patient.home)}/{FILE}"
    if not personal.exists(patient.home):
        return
    try:
        with health.look(personal_store(patient.home)) as db:
            if health.version(db) > VERSION:
                yield Symptom(f"A newer pith wrote the personal store {path}.", path, _NEWER, ERROR)
                return
        for damage in health.damage(path, deep=patient.deep)[:1]:
            yield Symptom(f"The personal store {path} is damaged: {damage}.", path)
    except PithError as error:
        yield Symptom(f"The personal store {path} cannot be read: {error}", path)


def restore(patient: Patient) -> str:
    saved = backup.restore_readable(personal_store(patient.home))
    return f"What could be read was put into a new store; the damaged file is kept as {saved.set_aside}."


def different(patient: Patient) -> Iterator[Symptom]:
    """Rows that are not what the events give; few events, so they are always folded once more."""
    with _sound(patient) as db:
        if db is None:
            return
        rows = knowledge.folded_anew(db).preferences
        held = {each.preference_id: each for each in preferences.listed(db)}
        wrong = sum(rows.get(id) != held.get(id) for id in rows.keys() | held.keys())
        if wrong or not knowledge.is_current(db):
            yield Symptom("Preferences that hold everywhere are not what their events give.", "personal")
        if count := preferences.other_events(db):
            hint = "Please report this; agents are told nothing of it."
            yield Symptom(f"The personal store holds {count:,} events that decide on no preference.", "personal", hint)


def rebuild(patient: Patient) -> str:
    with personal.open_personal(patient.home) as own:
        found = knowledge.rebuild(own.db)
    return f"{found['changes']:,} changes were folded anew into {found['preferences']:,} preferences."


class _sound:  # noqa: N801 -- read as a word: `with _sound(patient) as db`
    """The personal store opened to read, or None where there is none or it is told by `unreadable`."""

    def __init__(self, patient: Patient) -> None:
        self._patient = patient
        self._db: Db | None = None

    def __enter__(self) -> Db | None:
        if personal.exists(self._patient.home) and not any(unreadable(self._patient)):
            self._db = health.look(personal_store(self._patient.home))
            if health.version(self._db) != VERSION:
                self.__exit__()
        return self._db

    def __exit__(self, *_: object) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None
