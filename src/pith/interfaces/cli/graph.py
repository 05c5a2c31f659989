"""`pith graph`: the accepted nodes of project memory; what relates them is in `curate.py`."""

from __future__ import annotations

from pith.domain.nodes import KINDS
from pith.interfaces.cli.command import argument, command, option
from pith.interfaces.cli.ready import ready_index, ready_list
from pith.interfaces.cli.shared_here import refreshed, said, shared_here, show_rows, warn
from pith.services.project_memory import graph as service
from pith.services.project_memory.graph import Filters

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
def list_(
    type: str | None, source_quest: str | None, source_proposal: str | None, terminal: Terminal
) -> dict[str, Any]:
    """List the accepted nodes of this project."""
    shared, wanted = shared_here(), Filters(type, source_quest, source_proposal)
    if terminal.json_mode and wanted == Filters():
        return ready_list(shared, lambda: service.listed(shared))
    return service.listed(shared, wanted)


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
def rebuild_index(terminal: Terminal) -> dict[str, Any]:
    """Write graph/index.json anew from the files of the nodes; what ends a merge conflict in it."""
    shared = shared_here()
    if terminal.json_mode:
        return refreshed(shared, ready_index(shared, lambda: service.rebuild_index(shared)))
    return refreshed(shared, service.rebuild_index(shared))


@rebuild_index.text
def show_rebuilt(data: Any, terminal: Terminal) -> None:
    """How many nodes it holds."""
    terminal.line((data["file"], "bold"), f": {data['count']} node{'' if data['count'] == 1 else 's'}")
    warn(data, terminal)
