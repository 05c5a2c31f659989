"""What people accepted: nodes, what each rests on and leads to, and the map of memory and structure."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from pith.files import layout
from pith.interfaces.web import numbers, view
from pith.interfaces.web.pages.review import opened
from pith.services.project_memory import graph as service
from pith.services.project_memory.identity import build, sources
from pith.services.project_memory.identity.sources import Sources
from pith.services.project_memory.shared import Shared

LISTED = 60
FAR = 100_000


@view.page
def listing(request: Request) -> Response:
    """The nodes, of one kind or in one state; those that need a look are counted."""
    shared = opened(request)
    read = _read(request, shared)
    kind, state = request.query_params.get("kind", ""), request.query_params.get("state", "")
    wanted = request.query_params.get("q", "").strip().casefold()[:200]
    number = numbers.bounded(request.query_params.get("page"), 1, 1, FAR)
    found = [
        memory
        for memory in read.memories
        if (not kind or memory.node.kind == kind)
        and (not state or state in memory.states)
        and (not wanted or wanted in f"{memory.node.title} {memory.node.summary} {memory.node.id}".casefold())
    ]
    found.sort(key=lambda memory: memory.node.accepted_at, reverse=True)
    states: dict[str, int] = {}
    for memory in read.memories:
        states[memory.state] = states.get(memory.state, 0) + 1
    shown = found[(number - 1) * LISTED : number * LISTED]
    values = {
        "title": "Project graph",
        "nodes": [{**sources.as_json(memory), "reason": memory.reason} for memory in shown],
        "count": len(found),
        "total": len(read.memories),
        "links": len(read.edges),
        "kinds": read.kinds,
        "states": states,
        "problems": read.problems,
        "chosen": {"kind": kind, "state": state, "q": request.query_params.get("q", "")},
        "page": number,
        "more": number * LISTED < len(found),
    }
    return view.render(request, "graph.html", values)


def _read(request: Request, shared: Shared) -> Sources:
    """The files of project memory, read again when one of them has changed."""
    place = shared.layout
    state = (str(place.root), shared.today, *(_stamp(place.path(name)) for name in _WATCHED))
    site = view.site(request)
    kept = site.kept.get("sources")
    if kept and kept[0] == state:
        found: Sources = kept[1]
        return found
    found = sources.read(shared)
    site.kept["sources"] = (state, found)
    return found


_WATCHED = (layout.INDEX, layout.EDGES, layout.ACTIVE, layout.COMPLETED, f"{layout.PROPOSALS}/pending")


def _stamp(path: Any) -> int:
    try:
        return int(path.stat().st_mtime_ns)
    except OSError:
        return 0


@view.page
def page(request: Request) -> Response:
    """One node, with its evidence, where it comes from, its links, and its file."""
    shared = opened(request)
    found = service.show(shared, request.path_params["node"])
    node = found["node"]
    read = _read(request, shared)
    memory = next((each for each in read.memories if each.node.id == node["id"]), None)
    titles = {each.node.id: each.node.title for each in read.memories}
    values = {
        "title": "Node",
        "node": node,
        "warnings": found["warnings"],
        "memory": memory,
        "titles": titles,
        "quest": read.quests.get(node["source_quest"]),
    }
    return view.render(request, "node.html", values)


@view.page
def map(request: Request) -> Response:
    """The identity page: its own style and script stand in it, and its policy knows them by their hash."""
    text, policy = build.composed(opened(request))
    own = f"{policy}; frame-ancestors 'none'"
    return HTMLResponse(text, headers={"content-security-policy": own})
