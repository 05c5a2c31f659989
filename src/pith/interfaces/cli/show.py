"""`pith show`: one memory, or several, in full."""

from __future__ import annotations

from pith.interfaces.cli import knowledge_line, memory_line, node_line, prefer
from pith.interfaces.cli.command import Answer, argument, command
from pith.services import dates
from pith.services.answers import node
from pith.services.answers import show as service
from pith.services.answers.here import here
from pith.store import entry_words, memories
from pith.store.standing import PREFERENCE

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
def show(citation: tuple[str, ...]) -> Answer:
    """Print memories in full, with everything known about them."""
    data, error = service.show(here(), citation)
    if error is None:
        return Answer(data)
    return Answer(data, code=1, error={"code": error.code, "message": str(error), "hint": error.hint})


@show.text
def show_memories(data: Any, terminal: Terminal) -> None:
    """What is known of each, then its text as it was kept."""
    for number, memory in enumerate(data["memories"]):
        if number:
            terminal.line()
        if memory["kind"] in (entry_words.ENTRY, entry_words.ENTITY):
            knowledge_line.show_whole(memory, terminal)
            continue
        if memory["kind"] == memories.MEMORY:
            memory_line.show_whole(memory, terminal)
            continue
        if memory["kind"] == PREFERENCE:
            prefer.show_one(memory, terminal)
            continue
        terminal.line((memory["citation"], "bold"))
        for name, value in node_line.told(memory) if memory["kind"] == node.NODE else _facts(memory):
            terminal.line((f"{name:<10}", "dim"), value)
        terminal.line()
        if memory.get("forgotten_at"):
            terminal.line(f"Forgotten on {dates.local(memory['forgotten_at'])}; its text is gone.")
        else:
            terminal.line(memory["text"])

    for each in data["missing"]:
        terminal.flush()
        terminal.note(f"{each['message']}\n{each['hint']}")


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
