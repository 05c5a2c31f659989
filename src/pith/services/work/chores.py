"""Every chore of the worker, in the order in which they are done. To add one: two functions, and a line in CHORES."""

from __future__ import annotations

import os
import time

from pith import platform
from pith.services import branches, node_sources, spool
from pith.services.endless import contexts
from pith.services.endless import due as consolidation
from pith.services.endless.rules import Rules
from pith.services.keeping import backup, burial, keep_days, retention
from pith.services.knowledge import extract, fold
from pith.services.meaning import chore as meaning
from pith.services.meaning import neighbours
from pith.services.project_memory import accepted
from pith.services.work.chore import Chore, GoOn
from pith.services.workspace import Workspace
from pith.store import compaction, meta, search

FILES = 20  # spooled files brought in before the next look at whether to go on
FOLDED = 25  # changes of knowledge folded in one transaction
NEW = 200  # events since the full text was last merged
PAGES = 16  # of the full text, merged in one step
ABANDONED_AFTER = 3600  # seconds; writing a draft takes milliseconds
_MERGED = "work.merged"


# -- What hooks could not write ------------------------------------------------------------------------------


def is_spooled(ws: Workspace, _now: int) -> bool:
    return bool(spool.waiting(ws.folder) or spool.waiting(ws.home))


def drain(ws: Workspace, go_on: GoOn) -> str | None:
    spool.sort_in(ws.home)
    done = 0
    while go_on() and (some := spool.drain(ws, FILES)):
        done += some
    return f"{_counted(done, 'spooled file')} brought in" if done else None


# -- The copy of accepted nodes ------------------------------------------------------------------------------


def has_nodes(ws: Workspace, _now: int) -> bool:
    place = ws.place
    return node_sources.index_of(place.root, place.directory) is not None or node_sources.is_gone(
        node_sources.Copied.of(ws.db), place
    )


def copy_nodes(ws: Workspace, go_on: GoOn) -> str | None:  # noqa: ARG001  done at once
    return "accepted nodes copied" if accepted.up_to_date(ws.db, ws.place) else None


# -- Which branches are not merged ---------------------------------------------------------------------------


def ask_git(ws: Workspace, go_on: GoOn) -> str | None:  # noqa: ARG001  done at once
    return "noted which branches are merged" if branches.look(ws) else None


# -- Entries, entities, edges --------------------------------------------------------------------------------


def is_unread(ws: Workspace, _now: int) -> bool:
    return extract.is_behind(ws.db) or not fold.is_current(ws.db)


def read(ws: Workspace, go_on: GoOn) -> str | None:
    """By rules alone: a model costs tokens, and is asked by `pith extract` only."""
    fold.catch_up(ws.db, batch=FOLDED)
    report = extract.extract(ws.db, ws.project.id, go_on=go_on)
    if not report.read:
        return None
    drawn = f"{report.entries:,} statement{'s' * (report.entries != 1)}"
    return f"{_counted(report.read, 'event')} read, {drawn} drawn"


# -- Memories ------------------------------------------------------------------------------------------------


def has_contexts(ws: Workspace, _now: int) -> bool:
    return bool(ws.settings.is_endless and contexts.is_new(ws.db))


def follow(ws: Workspace, go_on: GoOn) -> str | None:  # noqa: ARG001  done at once
    new = contexts.look(ws.db, Rules(ws.settings), platform.now_ms())
    return f"{_counted(new, 'new context')} noted" if new else None


def is_to_consolidate(ws: Workspace, now: int) -> bool:
    return consolidation.is_due(ws.db, ws.settings, now)


def consolidate(ws: Workspace, go_on: GoOn) -> str | None:
    from pith.services.endless import consolidate as service

    report = service.run(ws.db, ws.settings, platform.now_ms(), go_on=go_on)
    if not report.memories:
        return None
    made = f"{len(report.memories):,} memor{'y' if len(report.memories) == 1 else 'ies'}"
    return f"{made} made of {_counted(report.events, 'event')}"


# -- The full text -------------------------------------------------------------------------------------------


def is_scattered(ws: Workspace, _now: int) -> bool:
    return search.last(ws.db) >= int(meta.get(ws.db, _MERGED) or 0) + NEW


def merge(ws: Workspace, go_on: GoOn) -> str | None:
    """Small steps: hooks never merge, and a large step would keep them from writing."""
    until, steps = search.last(ws.db), 0
    while go_on():
        steps += 1
        if not compaction.merge_some(ws.db, PAGES):
            with ws.db.transaction():
                meta.put(ws.db, _MERGED, str(until))
            break
    return f"full text merged in {_counted(steps, 'step')}" if steps > 1 else None


# -- Forgetting for age --------------------------------------------------------------------------------------


def is_aged(ws: Workspace, now: int) -> bool:
    if burial.is_unfinished(ws.db) or len(backup.list_backups(ws.folder)) > backup.KEEP:
        return True
    days = int(ws.settings.get(keep_days.KEY))
    return bool(days) and keep_days.is_agreed(ws.home, ws.project.id, days) and retention.due(ws, now) > 0


def forget(ws: Workspace, go_on: GoOn) -> str | None:  # noqa: ARG001  it bounds itself to two seconds
    done = retention.keep_up(ws)
    return f"{_counted(done.events, 'event')} forgotten for age, as agreed" if done.events else None


# -- What is left lying about --------------------------------------------------------------------------------


def _abandoned(ws: Workspace) -> list[str]:
    """Drafts that killed writers left in the store's folder."""
    before = time.time() - ABANDONED_AFTER
    found = []
    with os.scandir(ws.folder) as entries:
        for entry in entries:
            is_draft = entry.name.startswith(".") and entry.name.endswith(".draft")
            if (
                is_draft
                and entry.is_file(follow_symlinks=False)
                and entry.stat(follow_symlinks=False).st_mtime < before
            ):
                found.append(entry.path)
    return found


def is_littered(ws: Workspace, _now: int) -> bool:
    return bool(_abandoned(ws))


def clean(ws: Workspace, go_on: GoOn) -> str | None:
    done = 0
    for path in _abandoned(ws):
        if not go_on():
            break
        os.remove(path)
        done += 1
    return f"{_counted(done, 'abandoned draft')} removed" if done else None


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


CHORES = (
    Chore("spool", is_spooled, drain),
    Chore("nodes", has_nodes, copy_nodes),
    Chore("branches", branches.is_new, ask_git),
    Chore("knowledge", is_unread, read),
    Chore("contexts", has_contexts, follow),
    Chore("consolidation", is_to_consolidate, consolidate),
    Chore("index", meaning.is_to_move, meaning.move),
    Chore("vectors", meaning.is_to_embed, meaning.embed),
    Chore("kin", neighbours.is_due, neighbours.run),
    Chore("full-text", is_scattered, merge),
    Chore("retention", is_aged, forget),
    Chore("cleanup", is_littered, clean),
)
