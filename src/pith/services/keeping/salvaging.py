"""Fill a new store with what can be read of a damaged one, of its backups, and of files that were set aside before."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pith.domain import events, words
from pith.domain.events import TRANSCRIPT, Sighting
from pith.services.keeping import burial
from pith.services.keeping.salvaging_knowledge import Changes
from pith.services.keeping.salvaging_sessions import Names
from pith.store import citations, exports, meta, search, sessions, usage
from pith.store import events as stored
from pith.store.database import Db
from pith.store.salvage import Damaged

_BATCH = 500


@dataclass
class Salvaged:
    """What could be saved, and what not; `set_aside` is the damaged file, kept."""

    set_aside: str = ""
    events: int = 0
    changes: int = 0
    from_backups: int = 0
    lost: int = 0
    nameless: int = 0
    wrong_checksum: list[str] = field(default_factory=list)


def fill(fresh: Db, sources: Sequence[str]) -> Salvaged:
    """Fill a new store from a damaged one (first) and its backups.

    An event is taken from the first of them in which it is as it was written. What none has so is taken as it is, and
    told. How far transcripts were imported is not taken: the next import looks for what was lost.
    """
    saved = Salvaged()
    doubtful: list[_Found] = []
    names = Names()
    changes = Changes(fresh)
    highest = 0
    for number, source in enumerate(sources):
        if not os.path.exists(source):
            continue
        with Damaged(source) as damaged:
            names.learn(damaged)
            added = _take(fresh, damaged, source, doubtful)
            saved.events += added
            saved.from_backups += added if number else 0
            highest = max(highest, damaged.last)
            changes.take(damaged)
            _take_rest(fresh, damaged, is_first=number == 0)
    _take_doubtful(fresh, doubtful, names, saved)
    changes.take_over()
    saved.changes = changes.added
    saved.lost = max(0, highest - saved.events - changes.known)  # numbers have no gaps: events never leave
    return saved


@dataclass
class _Found:
    """An event as it was read, and whether it is as it was written."""

    id: str
    seen: Sighting
    checksum: bytes
    forgotten_at: str
    anchors: list[bytes]
    is_right: bool
    nameless: tuple[str, int] | None = None  # the source, and the number of the session in it whose name was lost
    placeless: tuple[str, int] | None = None  # the same of its place

    @property
    def waits(self) -> bool:
        """Whether another source may know it better."""
        return not self.is_right or self.placeless is not None


def _found(damaged: Damaged, source: str) -> Iterator[_Found]:
    """The events that can be put together from the rows that were found."""
    for row in damaged.events():
        body = damaged.body(row["seq"])
        if body is None:
            continue
        named = damaged.sessions.get(row["session"])
        session = named or _unknown_session(row["session"])
        known = damaged.places.get(row["place"])
        place = known or {"branch": "", "commit_id": "", "directory": ""}
        seen = Sighting(
            row["kind"],
            session["id"],
            body["text"],
            row["at"],
            host=session["host"],
            channel=TRANSCRIPT,
            origin=row["origin"],
            agent=session["agent"],
            details=_details(body["details"]),
            branch=place["branch"],
            commit=place["commit_id"],
            directory=place["directory"],
        )
        gone = body["forgotten_at"] or ""
        right = bool(gone) or events.checksum(seen, events.text_hash(seen.text)) == row["checksum"]
        anchors = damaged.anchors.get(row["seq"], [])
        nameless = None if named else (source, row["session"])
        placeless = None if known else (source, row["place"])
        yield _Found(row["id"], seen, row["checksum"], gone, anchors, right and not nameless, nameless, placeless)


def _unknown_session(number: int) -> dict[str, str]:
    return {"id": f"{sessions.NAMELESS}{number}", "agent": "", "host": sessions.UNKNOWN_HOST}


def _details(text: object) -> dict[str, Any]:
    try:
        details = json.loads(text) if isinstance(text, str) else {}
    except ValueError:
        return {}
    return details if isinstance(details, dict) else {}


def _take(fresh: Db, damaged: Damaged, source: str, doubtful: list[_Found]) -> int:
    """Write the events that are as they were written, each once; the others wait until all sources were asked."""
    added = 0
    batch: list[_Found] = []
    gone = {found.id for found in doubtful if found.forgotten_at}
    for found in _found(damaged, source):
        if found.waits:
            doubtful.append(found)
            continue
        if found.id in gone and not found.forgotten_at:
            continue  # the tombstone waits for its session's name, and must not find the text in its place
        batch.append(found)
        if len(batch) >= _BATCH:
            added += _write(fresh, batch)
            batch = []
    return added + _write(fresh, batch)


def _take_doubtful(fresh: Db, doubtful: list[_Found], names: Names, saved: Salvaged) -> None:
    """Write what no source has any better, and say which these are.

    First what a name makes right, then what must stay without one, then what is other than it was written.
    """
    gone = {found.id for found in doubtful if found.forgotten_at}
    doubtful = [found for found in doubtful if found.forgotten_at or found.id not in gone]
    _find_places(fresh, [found for found in doubtful if found.placeless])
    named = [
        found
        for found in sorted(doubtful, key=lambda one: bool(one.forgotten_at))
        if found.is_right or _is_named(found, names)
    ]
    nameless = [found for found in doubtful if found.nameless]
    saved.events += _write(fresh, named)
    saved.nameless = _write(fresh, nameless)
    saved.events += saved.nameless
    for found in doubtful:
        if not found.is_right and not found.nameless and _write(fresh, [found]):
            saved.events += 1
            saved.wrong_checksum.append(f"mem:{citations.name(citations.EVENT, found.id)}")


def _find_places(fresh: Db, placeless: list[_Found]) -> None:
    """Where an event without its place was taken from another source, all that had the same number were there."""
    known: dict[tuple[str, int], Any] = {}
    for found in placeless:
        taken = stored.by_id(fresh, found.id)
        if taken is not None and found.placeless:
            known[found.placeless] = taken
    for found in placeless:
        place = known.get(found.placeless) if found.placeless else None
        if place is not None:
            found.seen.branch, found.seen.commit = place["branch"], place["commit"]
            found.seen.directory = place["directory"]


def _is_named(found: _Found, names: Names) -> bool:
    """Whether a name was found for the session of an event that had lost it; the event is then one of that."""
    name = names.of(*found.nameless, found.seen, found.checksum) if found.nameless else None
    if name is None:
        return False
    found.seen.session, found.seen.agent, found.seen.host = name
    found.is_right, found.nameless = True, None
    return True


def _write(fresh: Db, batch: list[_Found]) -> int:
    added = 0
    with fresh.transaction():
        for found in batch:
            known = stored.by_id(fresh, found.id)
            if known is None:
                _write_one(fresh, found)
                added += 1
            else:
                stored.add_anchors(fresh, known["seq"], found.anchors)
    return added


def _write_one(fresh: Db, found: _Found) -> None:
    seen = found.seen
    session = sessions.number(fresh, seen.session, seen.agent, seen.host)
    place = sessions.place(fresh, seen.branch, seen.commit, seen.directory)
    if found.forgotten_at:
        seq = stored.append_forgotten(
            fresh, id=found.id, kind=seen.kind, session=session, at=seen.at, origin=seen.origin, place=place,
            checksum=found.checksum, forgotten_at=found.forgotten_at,
        )  # fmt: skip
    else:
        terms = words.terms(seen.text)
        own = events.checksum(seen, events.text_hash(seen.text))
        checksum = found.checksum if found.nameless else own  # it may still prove the name
        seq = stored.append(fresh, seen, id=found.id, session=session, place=place, size=len(terms), checksum=checksum)
        search.add(fresh, seq, terms)
    stored.add_anchors(fresh, seq, found.anchors)
    citations.give(fresh, citations.EVENT, found.id)


def _take_rest(fresh: Db, damaged: Damaged, *, is_first: bool) -> None:
    """What else the store knew: facts of sessions, where exports are, what was asked. Imports begin anew."""
    with fresh.transaction():
        for _, row in sorted(damaged.sessions.items()):
            _take_session(fresh, row)
        for path, at in damaged.exports:
            exports.keep(fresh, path, at)
        if is_first and burial.UNFINISHED in damaged.facts:
            meta.put(fresh, burial.UNFINISHED, damaged.facts[burial.UNFINISHED])
        for _, row in sorted(damaged.questions.items()) if is_first else ():
            _take_question(fresh, row)


def _take_session(fresh: Db, row: dict[str, Any]) -> None:
    key = str(row["id"]), str(row["agent"])
    known = sessions.facts(fresh, *key)
    for fact in sessions.FACTS:
        if row[fact] is None or (known is not None and known[fact] is not None):
            continue
        sessions.learn(fresh, *key, str(row["host"]), fact, str(row[fact]))
        if row[fact] == "" and fact in sessions.TELLING:
            sessions.forget_facts(fresh, key[0], (fact,), agent=key[1])


def _take_question(fresh: Db, row: dict[str, Any]) -> None:
    try:
        shown = json.loads(row["shown"])
        usage.add(
            fresh,
            at=str(row["at"]),
            face=str(row["face"]),
            session=str(row["session"] or ""),
            query=str(row["query"]),
            shown=[str(one) for one in shown],
            tokens=int(row["tokens"]),
        )
    except (ValueError, TypeError):
        pass  # statistics
