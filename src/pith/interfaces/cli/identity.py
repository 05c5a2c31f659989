"""`pith identity build`: the project's memory and structure as one page to open in a browser."""

from __future__ import annotations

from pith.interfaces.cli.command import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal


@command("identity.build")
def build() -> dict[str, Any]:
    """Write the identity page: one HTML file with the project's memory and structure, to read offline."""
    from pith.services.project_memory import shared
    from pith.services.project_memory.identity import build as identity

    return identity.build(shared.open_shared())


@build.text
def show(data: Any, terminal: Terminal) -> None:
    """Where the page is, how to open it, and what could not be read."""
    summary = data["summary"]
    count = summary["acceptedMemoryNodes"]
    terminal.line(f"Wrote {data['file']} ({count} {'memory' if count == 1 else 'memories'}).")
    terminal.line("Open it in a browser; it needs no network and no server.")
    for warning in summary["graphWarnings"]:
        terminal.line(("left out: ", "yellow"), warning)
