"""An accepted node as `recall` and `show` print it to people, in a line or two."""

from __future__ import annotations

from pith.interfaces.cli.event_line import INDENT, SNIPPET_LINES, wrapped
from pith.interfaces.cli.output import one_line
from pith.services.answers.event import SNIPPET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal


def show(node: Any, terminal: Terminal, *, style: str = "bold") -> None:
    """One line for programs and agents; on a screen the text stands below, in two lines at most."""
    about = f"accepted {node['node_type']} {node['id']}, {node['accepted_at'][:10]}"
    about += f" ({node['validity']})" if node["validity"] else ""
    text = one_line(node["text"])
    head = (f"[{node['citation']}]", style)
    if not terminal.is_screen:
        terminal.line(head, f" {about}: {text if len(text) <= SNIPPET else text[:SNIPPET].rstrip() + '…'}")
        return
    terminal.line(head, (f" {about}", "dim"))
    for line in wrapped(text, terminal.width - len(INDENT), SNIPPET_LINES):
        terminal.line(INDENT, line)


def told(node: Any) -> list[tuple[str, str]]:
    """What is known of a node, name and value."""
    found = [
        ("node", node["id"]),
        ("what", f"{node['node_type']}, accepted by a person"),
        ("accepted", node["accepted_at"]),
        ("validity", node["validity"] or "it holds"),
    ]
    return [(name, value) for name, value in found if value]
