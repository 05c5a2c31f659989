"""Whose is an event whose session's row was lost? Its checksum tells: it was made over the session's name too.

What no readable row of the store or of its backups explains is kept under a name of our own, its checksum as it was
written, so that a transcript can still prove the session when it is imported again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from pith.domain import events
from pith.domain.events import Sighting
from pith.store import events as stored
from pith.store import sessions
from pith.store.database import Db
from pith.store.salvage import Damaged

Named = tuple[str, str, str]  # session, subagent, host
_TRIED = 8  # events of one number that fit no name: then none of the others will either


class Names:
    """The sessions of which any source knows the name, and which number stood for which."""

    def __init__(self) -> None:
        self._hosts: dict[tuple[str, str], str] = {}
        self._proven: dict[tuple[str, int], Named] = {}
        self._misses: Counter[tuple[str, int]] = Counter()

    def learn(self, damaged: Damaged) -> None:
        """Note every name that a source holds; one that was only asked in has no host."""
        for row in damaged.sessions.values():
            self._hosts[str(row["id"]), str(row["agent"])] = str(row["host"])
        for row in damaged.questions.values():
            if row["session"]:
                self._hosts.setdefault((str(row["session"]), ""), sessions.UNKNOWN_HOST)

    def of(self, source: str, number: int, seen: Sighting, checksum: bytes) -> Named | None:
        """The session that the checksum proves; of a text that is gone, the one that another event proved."""
        known = self._proven.get((source, number))
        if not seen.text or self._misses[source, number] >= _TRIED:
            return known
        digest = events.text_hash(seen.text)
        for name in [known] if known else self._all():
            if fits(seen, name[0], name[1], digest, checksum):
                self._proven[source, number] = name
                return name
        self._misses[source, number] += not known
        return None

    def _all(self) -> Iterator[Named]:
        for (session, agent), host in self._hosts.items():
            yield session, agent, host


def fits(seen: Sighting, session: str, agent: str, digest: bytes, checksum: bytes) -> bool:
    """Whether the event was written as one of that session."""
    other = Sighting(seen.kind, session, "", seen.at, host="", channel="", origin=seen.origin, agent=agent)
    return events.checksum(other, digest) == checksum


# -- A transcript that is imported again ---------------------------------------------------------------------


def mend(db: Db, batch: Iterable[Sighting]) -> None:
    """Name the sessions without a name that the sightings of a transcript prove, inside a transaction."""
    for seen in batch:
        for anchor in events.id_anchors(seen, events.text_hash(seen.text)):
            number = stored.seen_as(db, anchor)
            if number is not None:
                _prove(db, stored.read(db, [number])[0], seen)


def _prove(db: Db, row: object, seen: Sighting) -> None:
    event = dict(row)  # type: ignore[call-overload]
    if not sessions.is_nameless(event["session"]) or event["forgotten_at"]:
        return
    was = Sighting(event["kind"], "", "", event["at"], host="", channel="", origin=event["origin"])
    if fits(was, seen.session, seen.agent, events.text_hash(event["text"]), event["checksum"]):
        sessions.name(db, event["session"], seen.session, seen.agent, seen.host)
