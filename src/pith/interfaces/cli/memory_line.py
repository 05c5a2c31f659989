"""Consolidated memories as the commands show them to a person."""

from __future__ import annotations

from pith.services import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal


def show(memory: Any, terminal: Terminal, *, style: str = "bold") -> None:
    """A memory as it is listed: citation, days, topics, then what it says."""
    about = f"  {memory['about']}, reliability {memory['reliability']:.2f}"
    terminal.line((f"[{memory['citation']}]", style), (about, "dim"))
    if memory["topics"]:
        terminal.line("    ", (", ".join(memory["topics"]), "dim"))
    for sentence in memory["text"].split("\n"):
        terminal.line(f"    {sentence}")


def show_whole(memory: Any, terminal: Terminal) -> None:
    """Everything about a memory, with the events that it rests on."""
    show(memory, terminal)
    if memory["files"]:
        terminal.line(("    files ", "dim"), ", ".join(memory["files"]))
    used = f"used {memory['access_count']:,} times" if memory["access_count"] != 1 else "used once"
    made = f"    made {dates.local(memory['created_at'])} by {memory['summarizer']}, {used}"
    terminal.line((made, "dim"))
    for event in memory["source_events"]:
        terminal.line("    from ", (f"[{event['citation']}]", "dim"), f" {dates.local(event['at'])} {event['kind']}")
