"""`pith timeline`: what happened before and after a memory, in its session."""

from __future__ import annotations

from pith.errors import InputError
from pith.interfaces.cli import event_line
from pith.interfaces.cli.command import argument, command, option
from pith.interfaces.cli.here import here
from pith.services import lookup
from pith.store import citations, entry_words
from pith.store import events as stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal
    from pith.store.database import Db

AROUND = 3


@command(
    "timeline",
    argument("citation", help="As `pith recall` prints it: mem:k7q2mf."),
    option("--before", "-b", kind=int, default=AROUND, help="How many events before it."),
    option("--after", "-a", kind=int, default=AROUND, help="How many events after it."),
)
def timeline(citation: str, before: int, after: int) -> dict[str, Any]:
    """Show what happened around a memory, in its session."""
    if before < 0 or after < 0:
        raise InputError("`--before` and `--after` cannot be negative.", hint="Run `pith timeline --help`.")
    with lookup.open_to_ask(here().folder) as db:
        this = _event(db, citation)
        rows = stored.around(db, this["seq"], before, after)
        events = [
            {
                **event_line.facts(db, row),
                "text": event_line.shortened(row["text"]),
                "asked_for": row["seq"] == this["seq"],
            }
            for row in rows
        ]
        return {"session": this["session"], "title": this["title"], "host": this["host"], "events": events}


def _event(db: Db, citation: str) -> Any:
    """The event that a citation names; of an entry the first that it rests on."""
    kind, id = citations.find(db, citation)
    source = entry_words.source_of(db, id) if kind == entry_words.ENTRY else None
    return stored.by_id(db, source) if source else lookup.event(db, citation)


@timeline.text
def show(data: Any, terminal: Terminal) -> None:
    """The session, then its events; the one that was asked for is marked."""
    terminal.line(("session ", "dim"), data["session"], f" ({data['title']})" if data["title"] else "")
    for event in data["events"]:
        asked = event["asked_for"]
        event_line.show(event, terminal, clock=True, mark="> " if asked else "  ", style="bold" if asked else "")
