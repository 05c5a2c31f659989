"""`pith index`: where the vectors are, moving them, making what is derived from them anew."""

from __future__ import annotations

from pith.interfaces.cli.command import argument, command
from pith.interfaces.cli.output import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal


@command("index.status")
def status() -> dict[str, Any]:
    """Show which index answers, and how much is in it."""
    from pith.services import lookup
    from pith.services.meaning import switching
    from pith.services.workspace import open_workspace

    with open_workspace() as ws:
        lookup.open_to_ask(ws.folder).close()
        return switching.status(ws)


@status.text
def show_status(data: Any, terminal: Terminal) -> None:
    """One line, and one for each embedding version."""
    where = f" in {data['place']}" if data["place"] else ""
    terminal.line((data["answers"], "bold"), f" answers{where}.")
    if data["wanted"] != data["answers"]:
        terminal.line(f"The settings ask for {data['wanted']}: the next `pith work` moves the vectors.")
    for each in data["versions"]:
        terminal.line((f"  {each['version']}  ", "dim"), counted(each["items"], "item", "items"))
    if not data["versions"]:
        terminal.line("Nothing was embedded in this project yet; everything is found by words.")


@command("index.use", argument("name", choices=("exact", "lancedb"), help="The index that should answer."))
def use(name: str) -> dict[str, Any]:
    """Move this project's vectors to another index; the one before answers until all are there."""
    from pith.services import lookup
    from pith.services.meaning import switching
    from pith.services.setup import config_edit
    from pith.services.workspace import open_workspace

    with open_workspace() as ws:
        lookup.open_to_ask(ws.folder).close()
        done = switching.use(ws, name)
        config_edit.set_value(ws.home, ws.folder, "meaning.index", name)
        return done


@use.text
def show_use(data: Any, terminal: Terminal) -> None:
    """What was moved."""
    moved = counted(data["copied"], "item", "items")
    terminal.line((data["answers"], "bold"), f" answers now; {moved} copied, nothing embedded anew.")


@command("index.rebuild")
def rebuild() -> dict[str, Any]:
    """Make anew what is derived from the vectors; what was deleted leaves the disk, nothing is embedded."""
    from pith.services import lookup
    from pith.services.meaning import switching
    from pith.services.workspace import open_workspace

    with open_workspace() as ws:
        lookup.open_to_ask(ws.folder).close()
        return switching.rebuild(ws)


@rebuild.text
def show_rebuild(data: Any, terminal: Terminal) -> None:
    """How much there is."""
    items = counted(sum(each["items"] for each in data["versions"]), "item", "items")
    terminal.line((data["answers"], "bold"), f" was made anew: {items}.")
