"""An event as the commands show it to people, in one line or two; as data: `services/answers/event.py`."""

from __future__ import annotations

from pith.interfaces.cli.output import cut, one_line, width
from pith.services import dates, lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal

INDENT = "  "
SNIPPET_LINES = 2  # on a screen


def show(event: Any, terminal: Terminal, *, clock: bool = False, mark: str = "", style: str = "bold") -> None:
    """One line for programs and agents; on a screen the text stands below, in two lines at most."""
    when = dates.local(event["at"], day_only=not clock)
    about = f"{when} {event['tool'] or event['kind']}"
    if event["branch"]:
        about += f" on {event['branch']}" + ("" if event.get("merged", True) else ", not merged")
    if event["agent"]:
        about += f" by subagent {event['agent']}"
    if not clock:  # one list shows several sessions, or the moments of one
        about += f" ({lookup.short(event['session'])})"
    text = one_line("(forgotten)" if event.get("forgotten_at") else event["text"])
    head = (f"{mark}[{event['citation']}]", style)
    if not terminal.is_screen:
        terminal.line(head, f" {about}: {text}")
        return
    terminal.line(head, (f" {about}", "dim"))
    for line in wrapped(text, terminal.width - len(INDENT), SNIPPET_LINES):
        terminal.line(INDENT, line)


def wrapped(text: str, columns: int, most: int) -> list[str]:
    """A text in lines of so many columns, broken at spaces; the last one shows what is cut."""
    lines: list[str] = []
    rest = text
    while rest and len(lines) < most - 1 and width(rest) > columns:
        line = cut(rest, columns + 1).removesuffix("…")
        space = line.rfind(" ")
        line = line[:space] if space > len(line) // 2 else line
        lines.append(line)
        rest = rest[len(line) :].lstrip()
    return [*lines, cut(rest, columns)] if rest else lines
