"""`pith graph link`, `unlink`, `supersede` and `verify`: what relates the nodes, and which still hold."""

from __future__ import annotations

from pith.domain.nodes import RELATIONS
from pith.interfaces.cli.command import argument, command, option
from pith.interfaces.cli.shared_here import asker, refreshed, shared_here, warn
from pith.services.project_memory import curate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal

_NODE = argument("node", help="Its id, or a beginning that fits one only.")
_RELATION = argument("relation", help=f"One of {', '.join(RELATIONS)}.")


@command(
    "graph.link",
    argument("source", help="The node that the relation starts from."),
    _RELATION,
    argument("target", help="The node that it leads to."),
    option("--confidence", help="low, medium, high, or a number from 0 to 1."),
)
def link(source: str, relation: str, target: str, confidence: str | None) -> dict[str, Any]:
    """Relate two nodes."""
    shared = shared_here()
    return refreshed(shared, curate.link(shared, source, relation, target, confidence=confidence or ""))


@link.text
def show_linked(data: Any, terminal: Terminal) -> None:
    """The relation."""
    edge = data["edge"]
    terminal.line(edge["from"], (f" {edge['type']} ", "bold"), edge["to"])


@command(
    "graph.unlink",
    argument("source", help="The node that the relation starts from."),
    _RELATION,
    argument("target", help="The node that it leads to; it may be gone already."),
)
def unlink(source: str, relation: str, target: str) -> dict[str, Any]:
    """Take a relation away."""
    shared = shared_here()
    return refreshed(shared, curate.unlink(shared, source, relation, target))


@unlink.text
def show_unlinked(data: Any, terminal: Terminal) -> None:
    """How many went."""
    terminal.line(f"{data['removed']} relation{'' if data['removed'] == 1 else 's'} removed.")


@command(
    "graph.supersede",
    argument("old", help="The node that no longer holds."),
    argument("new", help="The node that takes its place."),
)
def supersede(old: str, new: str) -> dict[str, Any]:
    """Say that one node takes the place of another, which stays as history."""
    shared = shared_here()
    return refreshed(shared, curate.supersede(shared, old, new))


@supersede.text
def show_superseded(data: Any, terminal: Terminal) -> None:
    """Which took whose place."""
    terminal.line((data["superseded_by"], "bold"), " takes the place of ", data["node"]["id"])


@command("graph.verify", _NODE, option("--evidence", help="What shows that it still holds."))
def verify(node: str, evidence: str | None, terminal: Terminal) -> dict[str, Any]:
    """Say that a node still holds, and on which evidence; a person's decision."""
    shared = shared_here()
    return refreshed(shared, curate.verify(shared, node, evidence or "", ask=asker(terminal)))


@verify.text
def show_verified(data: Any, terminal: Terminal) -> None:
    """Who said so, and when."""
    terminal.line((data["node"]["id"], "bold"), f" holds: {data['evidence']}")
    terminal.line(("verified ", "dim"), f"{data['last_verified_at']} by {data['verified_by']}")
    warn(data, terminal)
