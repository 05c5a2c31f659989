"""The project memory that a command works on, and whom it can ask."""

from __future__ import annotations

from pith.interfaces.cli.output import cut, one_line
from pith.services.project_memory import accepted
from pith.services.project_memory.shared import Shared, open_shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from pith.interfaces.cli.output import Terminal
    from pith.services.project_memory.review import Ask


def shared_here() -> Shared:
    """The project memory of this folder or the nearest one above. Raises NotInitialized."""
    return open_shared()


def refreshed(shared: Shared, answer: dict[str, Any]) -> dict[str, Any]:
    """The answer of a command that changed nodes or edges, once recall knows of it as well."""
    accepted.after_change(shared.layout.root)
    return answer


def asker(terminal: Terminal) -> Ask | None:
    """Who can be asked: the person at the terminal, or nobody."""
    return terminal.confirm if terminal.can_ask else None


def said(words: Iterable[str]) -> str:
    """Words of the command line as the one text that they are."""
    return " ".join(words)


def show_rows(rows: Iterable[Sequence[str]], terminal: Terminal, *, id: int) -> None:
    """Rows with tabs for programs; on a screen the title first, and under it the facts and the whole id to copy.

    `id` is its column; the title is the last one.
    """
    if not terminal.is_screen:
        terminal.table(rows)
        return
    for row in rows:
        facts = [fact for column, fact in enumerate(row[:-1]) if column != id]
        terminal.line((cut(one_line(row[-1]), terminal.width), "bold"))
        terminal.line((f"  {'  '.join(facts)}  ", "dim"), row[id])


def warn(data: Any, terminal: Terminal) -> None:
    """Tell what was left out or masked, beside the answer."""
    for warning in data.get("warnings", ()):
        terminal.note(f"! {warning}")
    if data.get("masked"):
        terminal.note("! Private data was masked: this file is shared with everybody who has the repository.")
