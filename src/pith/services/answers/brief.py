"""The brief of a project for whoever asks for it: what was accepted, which tasks are open, where sessions stopped."""

from __future__ import annotations

from pith import platform
from pith.services import brief as service
from pith.services import entry_recall, lookup, node_recall, node_sources
from pith.services.answers.recall import note
from pith.services.project_memory import accepted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.domain.context import Line
    from pith.services.answers.here import Here
    from pith.store.database import Db

NODES, BEFORE_TASKS = 8, 3


def brief(here: Here, budget: int, *, face: str, asker: str = "") -> dict[str, Any]:
    """The text that a session which begins here is given, within so many tokens."""
    with lookup.open_to_ask(here.folder) as db:
        first, notice = _accepted(db, here)
        tasks = entry_recall.for_session(db)
        first = first[:BEFORE_TASKS] + tasks + first[BEFORE_TASKS:]
        told = service.brief(db, asker, budget, first=first, notice=notice)
        citations = [f"mem:{cited}" for cited in told.cited]
        note(db, face, asker, "brief", citations, told.tokens)
    return {
        "text": told.text,
        "tokens": told.tokens,
        "budget": budget,
        "citations": citations,
        "left_out": told.left_out,
    }


def _accepted(db: Db, here: Here) -> tuple[list[Line], str]:
    place = here.place
    accepted.up_to_date(db, place)
    found = node_sources.here(db, place.root, place.directory, place.commit or "", platform.now()[:10])
    return node_recall.for_session(db, found, NODES), found.notice
