"""Checks of knowledge: rows are what events give, quotes are where they were found, tasks wait for something."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable, Iterator, Mapping

from pith.services.doctor.finding import Symptom
from pith.services.doctor.patient import Patient
from pith.services.knowledge import fold as knowledge
from pith.services.knowledge import verify
from pith.services.project_memory import nodes_refresh
from pith.store import entities, evidence, folded
from pith.store import knowledge as stored
from pith.store.database import open_store

SAMPLE = 200  # entries whose quotes are read again without --deep
SHOWN = 5  # findings of one kind that are told one by one

# -- The rows follow from the events -------------------------------------------------------------------------


def behind(patient: Patient) -> Iterator[Symptom]:
    if not knowledge.is_current(patient.db):
        last, done = stored.last(patient.db), stored.offset(patient.db)
        why = f"up to {done:,} of {last:,}" if done != last else "by the rules of another pith"
        yield Symptom(f"Entries, tasks and edges follow the events only {why}.", "knowledge_offsets")


def different(patient: Patient) -> Iterator[Symptom]:
    """With --deep only: everything is folded once more, in a store that is thrown away."""
    if not patient.deep or not knowledge.is_current(patient.db):
        return
    with tempfile.TemporaryDirectory(prefix="pith-doctor-") as folder, open_store(folder) as model:
        with model.transaction():
            folded.write_anew(model, knowledge.folded_anew(patient.db))
        for table in stored.FOLDED:
            if wrong := stored.differing(patient.db, model, table):
                yield Symptom(f"{table}: {wrong:,} rows are not what the events give.", table)


def miscounted(patient: Patient) -> Iterator[Symptom]:
    said, held = stored.counted(patient.db)
    if said != held:
        yield Symptom(f"The store says that it has {said:,} changes of knowledge, and has {held:,}.", "meta")


def count_again(patient: Patient) -> str:
    with patient.workspace() as ws, ws.db.transaction() as db:
        stored.count_again(db)
    return "The changes of knowledge were counted again."


def rebuild(patient: Patient) -> str:
    with patient.workspace() as ws:
        found = knowledge.rebuild(ws.db)
    return f"{found['changes']:,} changes of knowledge were folded anew into {found['entries']:,} entries."


# -- Evidence ------------------------------------------------------------------------------------------------


def uncovered(patient: Patient) -> Iterator[Symptom]:
    db = patient.db
    told = [f"Entry {entry}: no edge source_of from event {event}." for entry, event in evidence.uncovered(db)]
    told += [f"Entry {entry}: its edge {edge} tells of another place." for entry, edge in evidence.unfounded(db)]
    yield from _told(told, "edges", "more entries and edges that disagree")


def misquoted(patient: Patient) -> Iterator[Symptom]:
    """Quotes that no longer read as they did; some entries are tried, with --deep all."""
    if patient.deep:
        found = verify.verify(patient.db)
    else:
        found = verify.Verified()
        for entry in evidence.sample(patient.db, f"{random.getrandbits(32):08x}", SAMPLE):
            found.add(verify.verify(patient.db, entry))
    told = [f"Entry {one.entry}, event {one.event}, {one.start}-{one.end}: {one.reason}." for one in found.bad]
    yield from _told(told, "entries", "more quotes", found.broken)


# -- Tasks ---------------------------------------------------------------------------------------------------


def unsound(patient: Patient) -> Iterator[Symptom]:
    for row in entities.unsound(patient.db):
        why = "nothing stands in its way" if row["state"] == "blocked" else f"{row['live']} blockers stand in its way"
        yield Symptom(f"The task `{row['title']}` is {row['state']}, but {why}.", row["entity_id"])


def circular(patient: Patient) -> Iterator[Symptom]:
    for ring in _rings(entities.resolutions(patient.db)):
        yield Symptom(f"Conditions resolve to each other in a circle: {' > '.join(ring)}.", ring[0])


def waiting_in_circles(patient: Patient) -> Iterator[Symptom]:
    waits: dict[str, list[str]] = {}
    for row in entities.effective_blockers(patient.db):
        waits.setdefault(row["task_id"], []).append(row["effective_blocker_id"])
    for ring in _rings(waits):
        titles = [found.title if (found := entities.by_id(patient.db, id)) else id for id in ring]
        yield Symptom(f"Tasks wait for each other, so that none can go on: {' > '.join(titles)}.", ring[0])


def _rings(following: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Circles in what follows what, each once, from its smallest member on; not every one of those that overlap."""
    found: dict[tuple[str, ...], None] = {}
    done: set[str] = set()
    for start in sorted(following):
        path: dict[str, Iterator[str]] = {}
        at: str | None = start
        while at is not None:
            if at in path:
                ring = [*path][[*path].index(at) :]
                first = ring.index(min(ring))
                found[(*ring[first:], *ring[:first])] = None
            elif at not in done:
                path[at] = iter(sorted(following.get(at, ())))
            at = _next(path, done)
    return [[*ring, ring[0]] for ring in found]


def _next(path: dict[str, Iterator[str]], done: set[str]) -> str | None:
    """Where a walk goes on: from the end of the path, or from where it last had a choice."""
    while path:
        last = next(reversed(path))
        following = next(path[last], None)
        if following is not None:
            return following
        done.add(last)
        del path[last]
    return None


# -- Nodes ---------------------------------------------------------------------------------------------------


def untold(patient: Patient) -> Iterator[Symptom]:
    found = [one.node for one in nodes_refresh.untold(patient.db, patient.place) if one.changes_entries]
    told = [f"The node {node} came, changed or went since somebody asked." for node in found]
    yield from _told(told, "graph/nodes", "more nodes")


def tell(patient: Patient) -> str:
    with patient.workspace() as ws:
        nodes_refresh.refresh(ws.db, ws.place, always=True)
    return "The nodes of the work tree were compared with the log."


def _told(sentences: list[str], subject: str, more: str, count: int = 0) -> Iterator[Symptom]:
    """The first few one by one, the rest as a number."""
    for sentence in sentences[:SHOWN]:
        yield Symptom(sentence, subject)
    rest = max(count, len(sentences)) - SHOWN
    if rest > 0:
        yield Symptom(f"{rest:,} {more}.", subject)
