"""`pith entries`, `entry show`, `lineage`, `evidence`: what was stated, what it rests on, what it came from."""

from __future__ import annotations

from pith.domain.entries import STAGES, STATUSES, TYPES
from pith.errors import InputError
from pith.interfaces.cli import knowledge_line
from pith.interfaces.cli.command import argument, command, option
from pith.services.answers import knowledge as answers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal

LIMIT = answers.ENTRIES


@command(
    "entries",
    option("--type", choices=TYPES, many=True, help="Only this type; may be repeated."),
    option("--stage", choices=STAGES, many=True, help="Only on this rung; may be repeated."),
    option("--status", choices=STATUSES, many=True, help="Only of this status; active and contested without."),
    option("--all", flag=True, help="Superseded and deprecated ones too."),
    option("--limit", "-n", kind=int, default=LIMIT, help="How many to list."),
)
def entries(
    type: tuple[str, ...], stage: tuple[str, ...], status: tuple[str, ...], all: bool, limit: int
) -> dict[str, Any]:
    """List what was stated, the newest first, each with its stage and status."""
    if limit < 1:
        raise InputError("`--limit` must be at least 1.", hint="Run `pith entries --help`.")
    with answers.opened() as ws:
        statuses = () if all else status or answers.LIVE
        return answers.entries(ws, types=type, stages=stage, statuses=statuses, limit=limit)


@entries.text
def show_entries(data: Any, terminal: Terminal) -> None:
    """A line an entry."""
    for entry in data["entries"]:
        knowledge_line.show_entry(entry, terminal)
    if not data["entries"]:
        terminal.line("Nothing like that has been stated yet.")
    if data["more"]:
        terminal.note("There are more; `--limit` shows them.")


@command("entry.show", argument("entry", help="A citation, an id or the beginning of one."))
def show(entry: str) -> dict[str, Any]:
    """Show an entry with its evidence, what it is about, and how it moved."""
    from pith.services.knowledge import lookup as knowledge_lookup

    with answers.opened(reading=False) as ws:
        return {"entry": knowledge_lookup.whole_entry(ws.db, knowledge_lookup.entry(ws.db, entry))}


@show.text
def show_entry(data: Any, terminal: Terminal) -> None:
    """All of it."""
    knowledge_line.show_whole(data["entry"], terminal)


@command(
    "lineage",
    argument("entry", help="A citation, an id or the beginning of one."),
    option("--depth", kind=int, default=10, help="How many steps to follow, 10 at most."),
)
def lineage(entry: str, depth: int) -> dict[str, Any]:
    """Show what an entry was derived from, and what was derived from it."""
    with answers.opened(reading=False) as ws:
        return answers.lineage(ws, entry, depth)


@lineage.text
def show_lineage(data: Any, terminal: Terminal) -> None:
    """The entry between what it came from and what came of it."""
    for each in reversed(data["ancestors"]):
        terminal.line((f"{-each['depth']:>3} ", "dim"), f"[{each['citation']}] {each['title']}")
    terminal.line(("  0 ", "dim"), (f"[{data['entry']['citation']}]", "bold"), f" {data['entry']['title']}")
    for each in data["descendants"]:
        terminal.line((f"{each['depth']:>+3} ", "dim"), f"[{each['citation']}] {each['title']}")


@command("evidence", argument("what", help="An entry or entity: a citation, an id, or a task's title."))
def evidence(what: str) -> dict[str, Any]:
    """Show the quotes that an entry rests on, or the entries that prove something about a task or condition."""
    with answers.opened(reading=False) as ws:
        return answers.evidence(ws, what)


@evidence.text
def show_evidence(data: Any, terminal: Terminal) -> None:
    """A line a quote, or an entry."""
    if "entry" in data:
        knowledge_line.show_entry(data["entry"], terminal)
        knowledge_line.show_evidence(data["evidence"], terminal)
        if not data["evidence"]:
            terminal.line("    It quotes nothing.")
        return
    knowledge_line.show_entity(data["entity"], terminal)
    for each in data["entries"]:
        knowledge_line.show_entry(each, terminal)
