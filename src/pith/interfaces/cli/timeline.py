"""`pith timeline`: what happened before and after a memory, in its session."""

from __future__ import annotations

from pith.errors import InputError
from pith.interfaces.cli import event_line
from pith.interfaces.cli.command import argument, command, option
from pith.services.answers import timeline as service
from pith.services.answers.here import here
from pith.services.answers.timeline import AROUND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal


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
    return service.timeline(here(), citation, before, after)


@timeline.text
def show(data: Any, terminal: Terminal) -> None:
    """The session, then its events; the one that was asked for is marked."""
    terminal.line(("session ", "dim"), data["session"], f" ({data['title']})" if data["title"] else "")
    for event in data["events"]:
        asked = event["asked_for"]
        event_line.show(event, terminal, clock=True, mark="> " if asked else "  ", style="bold" if asked else "")
