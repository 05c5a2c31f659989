"""`pith graph`: the accepted nodes of project memory, what relates them, and which still hold."""

from __future__ import annotations

from pith.domain.nodes import KINDS, RELATIONS
from pith.interfaces.cli.command import argument, command, option
from pith.interfaces.cli.shared_here import asker, refreshed, said, shared_here, show_rows, warn
from pith.services import curate
from pith.services import graph as service
from pith.services.graph import Filters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal

_FILTERS = (
    option("--type", help=f"Only this kind: {', '.join(KINDS)}."),
    option("--source-quest", help="Only nodes that this quest taught, by its whole id."),
    option("--source-proposal", help="Only the node of this proposal, by its whole id."),
)
_NODE = argument("node", help="Its id, or a beginning that fits one only.")


@command("graph.list", *_FILTERS)
def list_(type: str | None, source_quest: str | None, source_proposal: str | None) -> dict[str, Any]:
    """List the accepted nodes of this project."""
    return service.listed(shared_here(), Filters(type, source_quest, source_proposal))


@list_.text
def show_list(data: Any, terminal: Terminal) -> None:
    """A row a node."""
    if not data["nodes"]:
        terminal.line("No node is here.")
    rows = [
        (each["id"], each["node_type"], each["status"], each["accepted_at"][:10], each["title"])
        for each in data["nodes"]
    ]
    show_rows(rows, terminal, id=0)
    warn(data, terminal)


@command(
    "graph.search",
    argument("query", many=True, required=False, dashes=True, help="Words; all of them count."),
    *_FILTERS,
)
def search(
    query: tuple[str, ...], type: str | None, source_quest: str | None, source_proposal: str | None
) -> dict[str, Any]:
    """Find accepted nodes by words, the best match first."""
    return service.search(shared_here(), said(query), Filters(type, source_quest, source_proposal))


search.text(show_list)


@command("graph.show", _NODE)
def show(node: str) -> dict[str, Any]:
    """Show a node as its file has it, with its relations."""
    return service.show(shared_here(), node)


@show.text
def show_one(data: Any, terminal: Terminal) -> None:
    """The file, then the edges."""
    node = data["node"]
    terminal.line(node["content"].rstrip("\n"))
    if node.get("edges"):
        terminal.line("")
        terminal.table([(each["from"], (each["type"], "bold"), each["to"]) for each in node["edges"]])
    warn(data, terminal)


@command("graph.rebuildIndex")
def rebuild_index() -> dict[str, Any]:
    """Write graph/index.json anew from the files of the nodes; what ends a merge conflict in it."""
    shared = shared_here()
    return refreshed(shared, service.rebuild_index(shared))


@rebuild_index.text
def show_rebuilt(data: Any, terminal: Terminal) -> None:
    """How many nodes it holds."""
    terminal.line((data["file"], "bold"), f": {data['count']} node{'' if data['count'] == 1 else 's'}")
    warn(data, terminal)


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
