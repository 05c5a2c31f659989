"""`pith show`: one memory, or several, in full."""

from __future__ import annotations

from pith.interfaces.cli import event_line
from pith.interfaces.cli.command import argument, command
from pith.interfaces.cli.here import here
from pith.services import dates, lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal

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
    with lookup.open_to_ask(here().folder) as db:
        rows = [lookup.event(db, cited) for cited in citation]
        return {"memories": [{**event_line.facts(db, row), "text": row["text"]} for row in rows]}


@show.text
def show_memories(data: Any, terminal: Terminal) -> None:
    """What is known of each, then its text as it was kept."""
    for number, memory in enumerate(data["memories"]):
        if number:
            terminal.line()
        terminal.line((memory["citation"], "bold"))
        for name, value in _facts(memory):
            terminal.line((f"{name:<10}", "dim"), value)
        terminal.line()
        if memory["forgotten_at"]:
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
