"""`pith rebuild`: make entries, entities and edges anew from the events; nothing is extracted again."""

from __future__ import annotations

from pith.interfaces.cli.command import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal


@command("rebuild")
def rebuild(terminal: Terminal) -> dict[str, Any]:
    """Make everything that was drawn from events anew: the same rows, with the same ids."""
    import time

    from pith.services import lookup
    from pith.services.knowledge import fold as knowledge
    from pith.services.workspace import open_workspace
    from pith.store import knowledge as changes

    with open_workspace() as ws:
        lookup.open_to_ask(ws.folder).close()
        began = time.monotonic()
        with terminal.progress("Rebuilding", changes.last(ws.db)) as bar:
            at = [0]

            def move(reached: int, total: int) -> None:  # noqa: ARG001
                bar.add(reached - at[0])
                at[0] = reached

            counts = knowledge.rebuild(ws.db, move)
        return {**counts, "seconds": round(time.monotonic() - began, 3)}


@rebuild.text
def show(data: Any, terminal: Terminal) -> None:
    """One line."""
    rows = ", ".join(f"{data[table]:,} {name}" for table, name in TABLES)
    terminal.line(f"{data['changes']:,} changes of knowledge give {rows}.")


TABLES = (("entries", "entries"), ("entities", "entities"), ("edges", "edges"), ("status_moves", "moves"))
