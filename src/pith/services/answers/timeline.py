"""What happened around a memory in its session, as every face tells it."""

from __future__ import annotations

from pith.services import lookup
from pith.services.answers import event
from pith.store import citations, entry_words, memories
from pith.store import events as stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.services.answers.here import Here
    from pith.store.database import Db

AROUND = 3


def timeline(here: Here, citation: str, before: int = AROUND, after: int = AROUND) -> dict[str, Any]:
    """The events of a session before and after the one that a citation names; of an entry, the first it rests on."""
    with lookup.open_to_ask(here.folder) as db:
        this = _event(db, citation)
        rows = stored.around(db, this["seq"], before, after)
        events = [
            {
                **event.facts(db, row),
                "text": event.shortened(row["text"]),
                "asked_for": row["seq"] == this["seq"],
            }
            for row in rows
        ]
        return {"session": this["session"], "title": this["title"], "host": this["host"], "events": events}


def _event(db: Db, citation: str) -> Any:
    """The event that a citation names; of an entry the first that it rests on, of a memory the last."""
    kind, id = citations.find(db, citation)
    source = entry_words.source_of(db, id) if kind == entry_words.ENTRY else None
    if kind == memories.MEMORY and (rests_on := memories.events_of(db, id)):
        source = str(rests_on[-1]["id"])
    return stored.by_id(db, source) if source else lookup.event(db, citation)
