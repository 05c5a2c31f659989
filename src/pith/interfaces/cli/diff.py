"""A change of a file, as `diff` shows it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.interfaces.cli.output import Terminal


def show_diff(diff: str, terminal: Terminal) -> None:
    """Lines that came in green, lines that went in red."""
    for line in diff.splitlines():
        style = {"+": "green", "-": "red", "@": "dim"}.get(line[:1], "")
        terminal.line((line, style))
