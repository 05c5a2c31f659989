"""Forgetting inside one database, the store itself or a backup of it: bodies become tombstones, copies go."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pith.domain import words
from pith.domain.quotes import Quotes
from pith.errors import StoreUnavailable
from pith.services.knowledge import fold as knowledge
from pith.services.meaning import gone as vectors
from pith.store import citations, compaction, entry_words, memories, meta, search, sessions, usage
from pith.store import events as stored
from pith.store import knowledge as changes
from pith.store.database import Db, StoreBusy

UNFINISHED = "forget.unfinished"
BATCH = 50  # events in one transaction: a hook waits only a moment for the write lock
_TRIES = 5

Progress = Callable[[int, int], None]


class _Questions:
    """The noted questions, read once; those noted meanwhile are read inside each transaction."""

    def __init__(self, db: Db) -> None:
        self._db = db
        self._rows: dict[int, Any] = {}
        self._last = 0
        self.read_on()

    def read_on(self) -> None:
        for row in usage.after(self._db, self._last):
            self._rows[row["id"]] = row
            self._last = row["id"]

    def about(self, quotes: Quotes, cited: set[str]) -> list[int]:
        """The questions that quote what is to be forgotten, or were answered with it."""
        prefixes = {one[: citations.SHORTEST] for one in cited}
        found = []
        for id, row in self._rows.items():
            shown = [one for one in _shown(row) if one[: citations.SHORTEST] in prefixes]
            if any(one.startswith(short) for short in shown for one in cited) or quotes.are_in(row["query"]):
                found.append(id)
        return found

    def leave(self, ids: Sequence[int]) -> None:
        for id in ids:
            self._rows.pop(id, None)


def _shown(row: Any) -> list[str]:
    import json

    return [str(one).removeprefix("mem:") for one in json.loads(row["shown"])]


def bury(
    db: Db,
    numbers: Sequence[int],
    now: str,
    *,
    allow_return: bool = False,
    progress: Progress | None = None,
    spare: Sequence[str] = (),
) -> dict[str, int]:
    """Replace bodies by tombstones, with all that quotes them here: how many events and questions went.

    Changes of the kinds in `spare` stay, though they quote what goes.
    Each batch is a transaction that leaves a mark; `scour` takes it away when the bytes are gone too.
    """
    _renew_terms(db)
    questions = _Questions(db)
    gone = {"events": 0, "questions": 0}
    for start in range(0, len(numbers), BATCH):
        with db.transaction():
            events, asked = _bury(db, numbers[start : start + BATCH], questions, now, allow_return, spare)
        gone["events"] += events
        gone["questions"] += asked
        if progress:
            progress(min(start + BATCH, len(numbers)), len(numbers))
    return gone


def _bury(
    db: Db, numbers: Sequence[int], questions: _Questions, now: str, allow_return: bool, spare: Sequence[str]
) -> tuple[int, int]:
    meta.put(db, UNFINISHED, now)
    rows = stored.read(db, numbers)
    quotes = _quotes(db, rows)
    questions.read_on()
    asked = questions.about(quotes, _cited(db, rows))
    usage.remove(db, asked)
    questions.leave(asked)
    if allow_return:
        stored.drop_anchors(db, numbers)
    buried = sum([_bury_one(db, row, now) for row in rows])
    changes.bury_quoting(db, (row["id"] for row in rows), now, spare)
    for session in sorted({row["session"] for row in rows}):
        _forget_names(db, session, quotes)
    return buried, len(asked)


def bury_changes(db: Db, numbers: Sequence[int], now: str) -> int:
    """Bury changes of knowledge among these events; how many. `scour` is to follow."""
    with db.transaction():
        meta.put(db, UNFINISHED, now)
        return changes.bury(db, numbers, now)


def _quotes(db: Db, rows: Sequence[Any]) -> Quotes:
    return Quotes([row["text"] for row in rows if row["text"]], lambda term: search.frequency(db, term))


def _bury_one(db: Db, row: Any, now: str) -> bool:
    if row["forgotten_at"]:
        return False
    search.remove(db, row["seq"], words.terms(row["text"]))
    return stored.bury(db, row["seq"], now)


def _forget_names(db: Db, session: str, quotes: Quotes) -> None:
    """Take a session's title and folder away when nothing of it is left, its title alone when that quotes what went."""
    if not sessions.is_remembered(db, session):
        sessions.forget_facts(db, session)
    elif any(quotes.are_in(title) for title in sessions.titles(db, session)):
        sessions.forget_facts(db, session, ("title",))


def bury_session(db: Db, session: str, now: str) -> None:
    """Take the names of a session away, also where it has no events."""
    with db.transaction():
        meta.put(db, UNFINISHED, now)
        sessions.forget_facts(db, session)


def about(db: Db, numbers: Sequence[int]) -> int:
    """How many noted questions `bury` would take away, were the events one batch."""
    rows = stored.read(db, numbers)
    return len(_Questions(db).about(_quotes(db, rows), _cited(db, rows)))


def _cited(db: Db, rows: Sequence[Any]) -> set[str]:
    """The citations of events, of the entries that were drawn from them, and of the memories that quote them."""
    drawn = entry_words.drawn_from(db, [row["id"] for row in rows])
    events = {citations.name(citations.EVENT, row["id"]) for row in rows}
    quoting = {citations.name(memories.MEMORY, id) for id in memories.of_events(db, [row["id"] for row in rows])}
    return events | quoting | {citations.name(entry_words.ENTRY, id) for id in drawn}


def is_unfinished(db: Db) -> bool:
    """Whether a forgetting was stopped before the last bytes were gone."""
    return meta.get(db, UNFINISHED) is not None


def scour(db: Db) -> bool:
    """Make what was deleted leave the file; False when a reader kept the log from being emptied."""
    knowledge.catch_up(db)  # what was drawn from forgotten words is gone with the rest, which is folded anew
    vectors.take_away(db)
    compaction.purge_terms(db)
    for tries_left in _tries():
        try:
            compaction.write_anew(db)
            break
        except StoreBusy:
            if not tries_left:
                raise
        except StoreUnavailable:
            compaction.shrink(db)  # no room for a second copy: what secure_delete left in gaps stays until there is
            return False
    if not _empty_log(db):
        return False
    with db.transaction():
        meta.drop(db, UNFINISHED)
    return _empty_log(db)


def _empty_log(db: Db) -> bool:
    for _ in _tries():
        try:
            if compaction.empty_log(db):
                return True
        except StoreBusy:
            continue
    return False


def _tries() -> Iterator[int]:
    for left in range(_TRIES - 1, -1, -1):
        yield left
        if left:
            time.sleep(0.1)


def _renew_terms(db: Db) -> None:
    """Make the full text by today's words: a row leaves only with the very terms that it was written with."""
    if meta.get(db, "words") != str(words.VERSION):
        search.rebuild_text(db)
