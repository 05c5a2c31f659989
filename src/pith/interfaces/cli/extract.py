"""`pith extract` and `pith note`: draw statements from what was said, or state something oneself."""

from __future__ import annotations

from pith.domain.entries import TYPES
from pith.interfaces.cli import knowledge_line
from pith.interfaces.cli.command import Answer, argument, command, option
from pith.services.answers import knowledge as answers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal


@command("extract", option("--again", flag=True, help="Read everything again, as a new build in the old one's place."))
def extract(again: bool, terminal: Terminal) -> Answer:
    """Draw facts, decisions, insights, tasks and references from events that were not read yet."""
    from dataclasses import asdict

    from pith.services.knowledge import extract as service
    from pith.services.knowledge import extractors
    from pith.store import extracting

    with answers.opened(reading=False) as ws:
        total = extracting.waiting(ws.db, "extract.rules")
        with terminal.progress("Reading", total) as bar:
            chosen = extractors.chosen(ws)
            report = service.extract(ws.db, ws.project.id, chosen, again=again, progress=bar.add)
    return Answer(asdict(report), code=1 if report.problems else 0)


@extract.text
def show(data: Any, terminal: Terminal) -> None:
    """One line of counts, and what went wrong."""
    terminal.line(
        f"{data['read']:,} events read: {data['entries']:,} statements, {data['tasks']:,} blocked tasks,"
        f" {data['resolved']:,} conditions settled."
    )
    for problem in data["problems"]:
        terminal.line(("! ", "yellow"), problem)
    if data["entries"]:
        terminal.line("Look at them with `pith entries` and `pith tasks`.")


@command(
    "note",
    argument("type", help=f"What it is: {', '.join(TYPES)}."),
    argument("title", help="The statement in one sentence."),
    option("--text", default="", help="More of it."),
    option("--quote", many=True, help="Words from the session that it rests on; may be repeated."),
)
def note(type: str, title: str, text: str, quote: tuple[str, ...]) -> dict[str, Any]:
    """State something; its quotes are looked for in what was said lately."""
    from pith.services.workspace import open_workspace

    with open_workspace() as ws:
        return answers.note(ws, type, title, text, quote)


@note.text
def show_note(data: Any, terminal: Terminal) -> None:
    """The entry as it stands."""
    knowledge_line.show_whole(data["entry"], terminal)
