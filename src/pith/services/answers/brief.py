"""The brief of a project for whoever asks for it: what holds, what was accepted, what is open, where work stands.

A hook tells the same to a session that begins, without loading what brings the copy of accepted nodes up to date.
"""

from __future__ import annotations

import os

from pith import platform
from pith.domain import context
from pith.services import brief as service
from pith.services import entry_recall, lookup, node_recall, node_sources, project, standing
from pith.services.answers.recall import note
from pith.services.endless import brief as lasting
from pith.services.project_memory import accepted
from pith.store.database import FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.domain.context import Context, Line
    from pith.services.answers.here import Here
    from pith.store.database import Db

NODES = 8


def brief(here: Here, budget: int, *, face: str, asker: str = "") -> dict[str, Any]:
    """The text that a session which begins here is given, within so many tokens."""
    with lookup.open_to_ask(here.folder) as db:
        holds = _standing(db, here, budget)
        nodes, notice = _accepted(db, here)
        tasks = entry_recall.for_session(db)
        first, then = lasting.order(db, here.settings, asker, here.place.branch or "", nodes, tasks)
        left = budget - (holds.tokens + 1 if holds.text else 0)
        told = service.brief(db, asker, left, first=first, then=then, notice=notice)
        told = context.joined(holds, told)
        citations = [f"mem:{cited}" for cited in told.cited]
        note(db, face, asker, "brief", citations, told.tokens)
    return {
        "text": told.text,
        "tokens": told.tokens,
        "budget": budget,
        "citations": citations,
        "left_out": told.left_out,
    }


def _standing(db: Db, here: Here, budget: int) -> Context:
    """The preferences in force, in a small share of the whole."""
    personal = project.personal_store(here.home)
    there = os.path.exists(os.path.join(personal, FILE))
    share = min(int(here.settings.get("recall.preferenceTokens")), budget // 2)
    return standing.told(db, personal if there else "", share, set()) if share else context.EMPTY


def _accepted(db: Db, here: Here) -> tuple[list[Line], str]:
    place = here.place
    accepted.up_to_date(db, place)
    found = node_sources.here(db, place.root, place.directory, place.commit or "", platform.now()[:10])
    return node_recall.for_session(db, found, NODES), found.notice
