"""`pith link` and `pith unlink`: let two places share one memory, or stop sharing."""

from __future__ import annotations

from pith.interfaces.cli.command import argument, command
from pith.services import project
from pith.services.answers.here import here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal


@command("link", argument("other", help="The folder of the other project, or the beginning of its store's id."))
def link(other: str) -> dict[str, Any]:
    """Share the memory of another project; a memory of one's own is set aside, not deleted."""
    place = here()
    return _told(project.describe(project.link(place.home, place.place, other)))


@command("unlink")
def unlink() -> dict[str, Any]:
    """Stop sharing: the memory set aside comes back, or a new one begins."""
    place = here()
    return _told(project.describe(project.unlink(place.home, place.place)))


def _told(described: dict[str, Any]) -> dict[str, Any]:
    return {"project": described}


@link.text
def show_link(data: Any, terminal: Terminal) -> None:
    """Which memory is used from now on, and how to go back."""
    found = data["project"]
    terminal.line("This project now uses the store ", (found["id"], "bold"), ".")
    terminal.line(found["reason"])
    terminal.line("`pith unlink` goes back.")


@unlink.text
def show_unlink(data: Any, terminal: Terminal) -> None:
    """Which memory is used from now on."""
    terminal.line("This project has a store of its own again: ", (data["project"]["id"], "bold"), ".")
