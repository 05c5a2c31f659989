"""What a client may attach to a conversation: accepted nodes, the capsule, any memory by its citation."""

from __future__ import annotations

from urllib.parse import unquote

from pith.domain import fence
from pith.errors import NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.mcp.asked import Asked

MARKDOWN = "text/markdown"
CAPSULE, NODE, MEMORY = "pith://capsule", "pith://node/", "pith://memory/"
PAGE = 100

TEMPLATES: tuple[dict[str, Any], ...] = (
    {
        "uri_template": f"{NODE}{{id}}",
        "name": "node",
        "title": "An accepted node",
        "description": "A node of project memory as its file has it.",
        "mime_type": MARKDOWN,
    },
    {
        "uri_template": f"{MEMORY}{{citation}}",
        "name": "memory",
        "title": "A memory",
        "description": "What a citation names, such as k7q2mf, in full.",
        "mime_type": MARKDOWN,
    },
)


def listed(asked: Asked, after: str | None) -> tuple[list[dict[str, Any]], str | None]:
    """The capsule and the accepted nodes, a page of them, and where the next page begins."""
    from pith.files.layout import CAPSULE as FILE
    from pith.files.layout import NotInitialized
    from pith.services.project_memory import graph

    try:
        shared = asked.shared()
    except NotInitialized:
        return [], None
    found = [_capsule()] if shared.layout.path(FILE).is_file() and not after else []
    start = int(after) if after and after.isdecimal() else 0
    nodes = graph.listed(shared)["nodes"]
    found += [_node(one) for one in nodes[start : start + PAGE]]
    return found, str(start + PAGE) if len(nodes) > start + PAGE else None


def _capsule() -> dict[str, Any]:
    told = "What the quest under way needs to know."
    return {"uri": CAPSULE, "name": "capsule", "title": "The capsule", "description": told, "mime_type": MARKDOWN}


def _node(one: Any) -> dict[str, Any]:
    title = fence.flat(one["title"])
    return {"uri": f"{NODE}{one['id']}", "name": one["id"], "title": title, "mime_type": MARKDOWN}


def read(asked: Asked, uri: str) -> str:
    """The text of a resource, fenced as the data that it is."""
    if uri == CAPSULE:
        return fence.fenced(_current(asked))
    if uri.startswith(NODE):
        from pith.services.project_memory import graph

        return fence.fenced(graph.show(asked.shared(), unquote(uri.removeprefix(NODE)))["node"]["content"])
    if uri.startswith(MEMORY):
        from pith.interfaces.mcp.memory import details

        cited = unquote(uri.removeprefix(MEMORY)).removeprefix("mem:")
        return details.function(asked, (f"mem:{cited}",), 20_000).text
    raise NotFound(f"There is no resource {uri[:80]}.", hint=f"There are {CAPSULE}, {NODE}ID and {MEMORY}CITATION.")


def _current(asked: Asked) -> str:
    from pith.services.project_memory import capsule

    return capsule.current(asked.shared())
