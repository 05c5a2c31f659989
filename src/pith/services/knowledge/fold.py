"""Every change of knowledge is an event, and the tables of entries, entities and edges are the fold of these events.

`Command` appends what one command causes and folds it in the same transaction; `catch_up` folds what others appended
(an import, a worker, a restored backup); `rebuild` folds everything anew. All three give the same rows, ids included,
and none of them runs an extractor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from pith import platform
from pith.domain import folding, knowledge
from pith.domain.events import PERSON
from pith.domain.fold import Nothing, Rows
from pith.domain.knowledge import Change
from pith.store import folded, meta
from pith.store import knowledge as stored
from pith.store.database import Db, Transaction

BATCH = 200  # changes folded in one transaction: a hook waits only a moment for the write lock
_FOLD_VERSION = "knowledge.fold"

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Cause:
    """Who changes knowledge, when and where; `command` names the command, so that running it again appends nothing."""

    at: str = ""
    origin: str = PERSON
    command: str = ""
    branch: str = ""
    commit: str = ""


class Command:
    """A transaction in which one command changes knowledge; what it appends is folded before the next step.

    with Command(db, cause) as command:
        command.append(knowledge.TASK_CREATED, {...})

    `is_repeated` says that a command of this name was carried out before: it should do nothing.
    """

    def __init__(self, db: Db, cause: Cause | None = None) -> None:
        self.db = db
        self.cause = cause or Cause()
        self.name = self.cause.command or platform.new_id(platform.now_ms())
        self.at = self.cause.at or platform.now()
        self.changes: list[Change] = []
        self.is_repeated = False
        self._transaction: Transaction | None = None
        self._count = 0

    def __enter__(self) -> Command:
        self._transaction = self.db.transaction()
        self._transaction.__enter__()
        try:
            _catch_up_here(self.db)
            self.is_repeated = stored.is_known(self.db, knowledge.command_anchor(self.name, 0))
        except BaseException as error:
            self._transaction.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._transaction is not None
        self._transaction.__exit__(kind, error, trace)

    def append(
        self, kind: str, payload: Mapping[str, Any], *, sources: Iterable[str] = (), anchor: bytes | None = None
    ) -> Change | None:
        """Append one change and fold it; None when it was appended before. `sources` are the events that it quotes."""
        change = stored.append(
            self.db,
            kind,
            payload,
            at=self.at,
            anchor=anchor or knowledge.command_anchor(self.name, self._count),
            origin=self.cause.origin,
            sources=sources,
            branch=self.cause.branch,
            commit=self.cause.commit,
        )
        self._count += anchor is None
        if change is not None:
            self.changes.append(change)
            _fold(self.db, [change])
        return change


def catch_up(db: Db, progress: Progress | None = None, batch: int = BATCH) -> int:
    """Fold what was appended since the last time, in small transactions; how many changes that were."""
    done = 0
    total = stored.last(db) if progress else 0
    while True:
        with db.transaction():
            _begin_again_if_older(db)
            count = _fold_some(db, batch)
        done += count
        if progress:
            progress(stored.offset(db), total)
        if count < batch:
            return done


def rebuild(db: Db, progress: Progress | None = None) -> dict[str, int]:
    """Throw all rows away and make them anew from the events; how many there are of each kind.

    The fold is made in memory, while others go on writing, and takes the place of the old rows in one transaction.
    """
    while True:
        forgotten, until = stored.forgotten(db), stored.last(db)
        rows = _folded(db, until, progress)
        with db.transaction():
            if stored.forgotten(db) != forgotten:
                continue  # something was forgotten meanwhile, and stands in what was folded
            stored.clear(db)
            folded.write_anew(db, rows)
            stored.set_offset(db, until)
            meta.put(db, _FOLD_VERSION, str(knowledge.FOLD_VERSION))
            _catch_up_here(db)
        return stored.counts(db)


def is_current(db: Db) -> bool:
    """Whether everything that was appended is folded, by the rules of this version."""
    return stored.offset(db) == stored.last(db) and _is_of_this_version(db)


def folded_anew(db: Db) -> Rows:
    """What all events give, folded over nothing; no row is written."""
    return _folded(db, stored.last(db), None)


def _folded(db: Db, until: int, progress: Progress | None) -> Rows:
    rows = Rows(Nothing())
    for number, change in enumerate(stored.since(db, 0, until)):
        folding.fold(rows, change)
        if progress and not number % 1000:
            progress(change.seq, until)
    return rows


def _catch_up_here(db: Db) -> None:
    """Catch up inside a transaction, whatever it takes: what follows relies on it."""
    _begin_again_if_older(db)
    while _fold_some(db, 10_000):
        pass


def _fold_some(db: Db, limit: int) -> int:
    after, last = stored.offset(db), stored.last(db)
    if after >= last:
        return 0
    changes = []
    for change in stored.since(db, after, last):
        changes.append(change)
        if len(changes) == limit:
            break
    _fold(db, changes, until=changes[-1].seq if len(changes) == limit else last)
    return len(changes)


def _fold(db: Db, changes: list[Change], until: int = 0) -> None:
    rows = Rows(folded.Tables(db))
    for change in changes:
        folding.fold(rows, change)
    folded.write(db, rows)
    stored.set_offset(db, until or changes[-1].seq)


def _is_of_this_version(db: Db) -> bool:
    return meta.get(db, _FOLD_VERSION) in (None, str(knowledge.FOLD_VERSION))


def _begin_again_if_older(db: Db) -> None:
    if not _is_of_this_version(db):
        stored.clear(db)
    if meta.get(db, _FOLD_VERSION) != str(knowledge.FOLD_VERSION):
        meta.put(db, _FOLD_VERSION, str(knowledge.FOLD_VERSION))
