"""Memories in full, as every face tells them, whatever their citations name."""

from __future__ import annotations

from pith import platform
from pith.errors import Ambiguous, NotFound
from pith.services import lookup, memory_recall
from pith.services.answers import event, node
from pith.services.project_memory import accepted
from pith.store import citations, entry_words, memories
from pith.store.database import BUSY_HOOK_MS
from pith.store.standing import PREFERENCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from pith.errors import PithError
    from pith.services.answers.here import Here
    from pith.services.location import Place
    from pith.store.database import Db


def show(here: Here, cited: Sequence[str]) -> tuple[dict[str, Any], PithError | None]:
    """The memories that citations name, and what was wrong with the first of several that name none.

    Raises NotFound or Ambiguous where only one was asked for.
    """
    found, missing = [], []
    with lookup.open_to_ask(here.folder) as db:
        for one in cited:
            try:
                found.append(_memory(db, here.place, one))
            except (NotFound, Ambiguous) as error:
                preference = _preference(here, one)
                if preference is not None:
                    found.append(preference)
                    continue
                if len(cited) == 1:
                    raise
                missing.append(error)
    told = {"memories": found, "missing": [{"message": str(each), "hint": each.hint} for each in missing]}
    return told, missing[0] if missing else None


def _memory(db: Db, place: Place, cited: str) -> dict[str, Any]:
    known = accepted.cited(db, place, cited)
    if known is not None:
        return node.facts(db, known)
    stated = _of_knowledge(db, cited)
    if stated is not None:
        return stated
    row = lookup.event(db, cited)
    return {**event.facts(db, row), "text": row["text"]}


def _preference(here: Here, cited: str) -> dict[str, Any] | None:
    """The preference that a citation names, from either store; None when it names something else."""
    from pith.services import preferences
    from pith.services.workspace import Workspace

    if here.project is None:
        return None
    with Workspace(here.home, here.place, here.project, here.settings, BUSY_HOOK_MS) as ws:
        try:
            return {"kind": PREFERENCE, **preferences.look(ws, cited)}
        except (NotFound, Ambiguous):
            return None


def _memory_of(db: Db, id: str) -> dict[str, Any]:
    """A consolidated memory with the events that it rests on."""
    found = memory_recall.whole(db, id)
    if found is None:
        raise NotFound("That memory is gone: an event that it quoted was forgotten.", hint="Ask `pith recall` again.")
    memories.note_use_of(db, id, platform.now())
    return found


def _of_knowledge(db: Db, cited: str) -> dict[str, Any] | None:
    """The entry, entity or consolidated memory that a citation names; None when it names something else."""
    kind, id = citations.find(db, cited)
    if kind == memories.MEMORY:
        return _memory_of(db, id)
    if kind not in (entry_words.ENTRY, entry_words.ENTITY):
        return None
    from pith.services.knowledge import lookup as look

    named = f"mem:{citations.name(kind, id)}"
    if kind == entry_words.ENTRY:
        return look.whole_entry(db, look.entry(db, named))
    return look.whole_entity(db, look.entity(db, "", named))
