"""Remove something for good: every copy of it that this store knows, with a preview first.

The order makes it safe to be killed anywhere and run again. What is found by its text goes in the transaction in which
the text goes; what lies outside the store (backups, exports) is found by the tombstones, which stay. A mark in the
store says that the bytes are not all gone yet, so that `finish` can go on without being told what was forgotten.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pith import platform
from pith.errors import NotFound, PithError
from pith.services import lookup
from pith.services.keeping import burial, copies, preference_copies
from pith.services.keeping.burial import Progress
from pith.services.keeping.copies import Copy
from pith.services.meaning import gone
from pith.services.workspace import Workspace
from pith.store import citations, entry_words
from pith.store import events as stored

LOCK = "upkeep.lock"
PATIENCE = 30  # seconds
_SNIPPET = 120
_SHOWN = 1_000
_COUNTED = 500  # events for which the preview counts questions
_COMPARED = 50  # events for which it looks who else says the same
_TELLING = 20  # characters from which saying the same is worth telling


@dataclass(frozen=True)
class Choice:
    """What is to be forgotten: numbers of events, and the session if a whole one was named; or a preference's id."""

    numbers: tuple[int, ...]
    session: str = ""
    preference: str = ""


@dataclass
class Preview:
    """What would go."""

    events: list[dict[str, Any]] = field(default_factory=list)
    count: int = 0
    already: int = 0
    forgotten_on: str = ""
    session: str = ""
    questions: int | None = 0
    spool: list[str] = field(default_factory=list)
    backups: list[str] = field(default_factory=list)
    exports: list[str] = field(default_factory=list)
    others_in_exports: list[int] = field(default_factory=list)
    also_said_in: list[str] = field(default_factory=list)


@dataclass
class Done:
    """What went; `finished` is False while another process keeps old bytes in use."""

    events: int = 0
    questions: int = 0
    copies: list[Copy] = field(default_factory=list)
    finished: bool = True


# -- Choosing ------------------------------------------------------------------------------------------------


def choose(ws: Workspace, name: str) -> Choice:
    """The event that a citation names, or the whole session that an id, or the beginning of one, names."""
    copies.settle_spool(ws)
    if _looks_cited(name):
        try:
            return Choice((int(lookup.event(ws.db, name)["seq"]),))
        except NotFound:
            if preference := preference_copies.named(ws, name):
                return Choice((), preference=preference)
            if source := _source(ws, name):
                raise NotFound(
                    f"{name} was drawn from what was said, and goes with it.",
                    hint=f"Run `pith forget {source}`: that is the event it rests on.",
                ) from None
            if ":" in name:
                raise
    session = lookup.session(ws.db, name)
    return Choice(tuple(row["seq"] for row in stored.of_session(ws.db, session)), session)


def _source(ws: Workspace, name: str) -> str:
    """The event that a cited statement was drawn from, as it is shown; '' where there is none."""
    try:
        kind, id = citations.find(ws.db, name)
    except PithError:
        return ""
    event = entry_words.source_of(ws.db, id) if kind == entry_words.ENTRY else None
    row = stored.by_id(ws.db, event) if event else None
    return lookup.cited(ws.db, row) if row else ""


def choose_older(ws: Workspace, before: str) -> Choice:
    """Everything that happened before that time."""
    copies.settle_spool(ws)
    return Choice(tuple(stored.older(ws.db, before)))


def _looks_cited(name: str) -> bool:
    bare = name.strip().strip("[]").lower().removeprefix("mem:")
    return citations.SHORTEST <= len(bare) <= citations.LENGTH and "-" not in bare


# -- Looking -------------------------------------------------------------------------------------------------


def preview(ws: Workspace, choice: Choice) -> Preview:
    """What `forget` would take away, changing nothing."""
    db = ws.db
    found = Preview(session=choice.session)
    ids = set()
    for start in range(0, len(choice.numbers), 200):
        for row in _rows(ws, choice, start):
            ids.add(row["id"])
            if row["forgotten_at"]:
                found.already += 1
                found.forgotten_on = max(found.forgotten_on, row["forgotten_at"])
            elif found.count < _SHOWN:
                found.events.append(_described(ws, row))
            found.count += not row["forgotten_at"]
    found.events.sort(key=lambda event: str(event["at"]))
    few = len(choice.numbers) <= _COUNTED
    found.questions = burial.about(db, choice.numbers) if few else None
    found.spool = copies.unreadable(ws)
    found.backups = [path for path, _ in copies.databases(ws.folder)] + copies.drafts(ws.folder)
    found.also_said_in = _also_said(ws, choice.numbers)
    if choice.preference:
        ids |= _add_preference(ws, choice.preference, found)
    found.exports = copies.holding_exports(db, ids)
    found.others_in_exports = [copies.others_in(path, ids) for path in found.exports]
    return found


def _add_preference(ws: Workspace, id: str, found: Preview) -> set[str]:
    """Tell of a preference that would go; the ids of what holds its words."""
    told = preference_copies.told(ws, id)
    found.events.append(told["event"])
    found.count += 1
    found.also_said_in += told["also_said_in"]
    found.backups += preference_copies.others(ws)
    return preference_copies.ids(ws, id)


def _described(ws: Workspace, row: Any) -> dict[str, Any]:
    text = " ".join(row["text"].split())
    return {
        "citation": lookup.cited(ws.db, row),
        "at": row["at"],
        "kind": row["kind"],
        "snippet": text if len(text) <= _SNIPPET else text[: _SNIPPET - 1] + "…",
    }


def _also_said(ws: Workspace, numbers: Sequence[int]) -> list[str]:
    """Citations of events that stay and hold the whole text of one that goes."""
    found: list[int] = []
    if len(numbers) > _COMPARED:
        return []
    for row in stored.read(ws.db, numbers):
        if len(row["text"]) >= _TELLING:
            found += stored.saying(ws.db, row["text"], [*numbers, *found], 10 - len(found))
        if len(found) >= 10:
            break
    return [lookup.cited(ws.db, row) for row in stored.read(ws.db, found)]


# -- Forgetting ----------------------------------------------------------------------------------------------


def forget(
    ws: Workspace,
    choice: Choice,
    *,
    exports: bool = False,
    allow_return: bool = False,
    progress: Progress | None = None,
) -> Done:
    """Remove every copy of what was chosen; safe to be killed anywhere and to be run again."""
    now = platform.now()
    done = Done()
    with platform.Lock(os.path.join(ws.folder, LOCK), timeout=PATIENCE):
        done.copies += copies.clean_spool(ws)
        ids = _ids(ws, choice)
        elsewhere = _forget_preferences(ws, choice, ids, now, done)
        buried = burial.bury(ws.db, choice.numbers, now, allow_return=allow_return, progress=progress)
        done.events, done.questions = done.events + buried["events"], buried["questions"]
        if choice.session:
            burial.bury_session(ws.db, choice.session, now)
        done.copies += copies.clean_exports(ws.db, ids, remove=exports)
        _finish(ws, now, done, allow_return=allow_return)
        done.finished = done.finished and elsewhere
    return done


def _forget_preferences(ws: Workspace, choice: Choice, ids: set[str], now: str, done: Done) -> bool:
    """Bury the preference that was chosen, or those that quote what was; whether all is gone from the personal store.

    It goes before what it quotes: whoever is stopped here has forgotten nothing yet, and begins again.
    """
    if choice.preference:
        ids |= preference_copies.ids(ws, choice.preference)
        count, further, finished = preference_copies.forget(ws, choice.preference, now)
        done.events += bool(count)
    else:
        further, finished = preference_copies.forget_quoting(ws.home, ids, now)
    done.copies += further
    return finished


def _ids(ws: Workspace, choice: Choice) -> set[str]:
    return {row["id"] for start in range(0, len(choice.numbers), 200) for row in _rows(ws, choice, start)}


def _rows(ws: Workspace, choice: Choice, start: int) -> list[Any]:
    return stored.read(ws.db, choice.numbers[start : start + 200])


def finish(ws: Workspace) -> Done:
    """Complete a forgetting that was stopped; does nothing where none was."""
    done = Done()
    if burial.is_unfinished(ws.db):
        with platform.Lock(os.path.join(ws.folder, LOCK), timeout=PATIENCE):
            _finish(ws, platform.now(), done)
    return done


def is_unfinished(ws: Workspace) -> bool:
    """Whether a forgetting was stopped before every copy was gone."""
    return burial.is_unfinished(ws.db)


def _finish(ws: Workspace, now: str, done: Done, *, allow_return: bool = False) -> None:
    done.copies += copies.clean_databases(ws, now, allow_return=allow_return)
    done.finished = burial.scour(ws.db)
    gone.take_away_beside(ws)
