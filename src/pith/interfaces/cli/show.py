"""`pith show`: one memory, or several, in full."""

from __future__ import annotations

from pith.interfaces.cli import event_line, node_line
from pith.interfaces.cli.command import argument, command
from pith.interfaces.cli.here import here
from pith.services import accepted, dates, lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal
    from pith.services.location import Place
    from pith.store.database import Db

ORIGINS = {
    "person": "said by the person",
    "agent": "said by the agent",
    "tool": "output of a tool",
    "web": "text from the web",
    "import": "the host's own notes",
}


@command("show", argument("citation", many=True, help="As `pith recall` prints it: mem:k7q2mf."))
def show(citation: tuple[str, ...]) -> dict[str, Any]:
    """Print memories in full, with everything known about them."""
    place = here()
    with lookup.open_to_ask(place.folder) as db:
        return {"memories": [_memory(db, place.place, cited) for cited in citation]}


def _memory(db: Db, place: Place, cited: str) -> dict[str, Any]:
    node = accepted.cited(db, place, cited)
    if node is not None:
        return node_line.facts(db, node)
    row = lookup.event(db, cited)
    return {**event_line.facts(db, row), "text": row["text"]}


@show.text
def show_memories(data: Any, terminal: Terminal) -> None:
    """What is known of each, then its text as it was kept."""
    for number, memory in enumerate(data["memories"]):
        if number:
            terminal.line()
        terminal.line((memory["citation"], "bold"))
        for name, value in node_line.told(memory) if memory["kind"] == node_line.NODE else _facts(memory):
            terminal.line((f"{name:<10}", "dim"), value)
        terminal.line()
        if memory.get("forgotten_at"):
            terminal.line(f"Forgotten on {dates.local(memory['forgotten_at'])}; its text is gone.")
        else:
            terminal.line(memory["text"])


def _facts(memory: Any) -> list[tuple[str, str]]:
    what = f"{memory['kind']}, {ORIGINS[memory['origin']]}"
    session = memory["session"] + (f" ({memory['title']})" if memory["title"] else "")
    place = memory["branch"] + (f" at {memory['commit'][:12]}" if memory["commit"] else "")
    ended = memory["exit"] if memory["exit"] is not None else ""
    if memory["details"].get("failed"):
        ended = f"{ended} (failed)".strip()
    found = [
        ("when", dates.local(memory["at"])),
        ("what", what),
        ("session", session),
        ("subagent", memory["agent"]),
        ("host", memory["host"]),
        ("branch", place),
        ("directory", memory["directory"]),
        ("tool", memory["tool"] or ""),
        ("command", memory["command"] or ""),
        ("files", ("\n" + " " * 10).join(memory["files"] or ())),
        ("exit", str(ended)),
    ]
    return [(name, value) for name, value in found if value]
