"""The tools of project memory: quests, proposals and accepted nodes. An agent proposes; a person accepts."""

from __future__ import annotations

from pith.domain import fence, nodes, proposals, routes
from pith.errors import InputError
from pith.interfaces.mcp import lines
from pith.interfaces.mcp.tool import Told, choice, fields, number, text, texts, tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.mcp.asked import Asked

BEGIN, LIST, SHOW, DONE = "new", "list", "show", "done"
NODE = "Its id, or a beginning that fits one only."
STATUSES = {"active": ("active",), "completed": ("completed",), "all": ("active", "completed")}


@tool(
    "quest",
    "Begin, list, show or complete a quest",
    choice("action", (BEGIN, LIST, SHOW, DONE), required=True),
    text("request", help="new: what is to be done."),
    text("title", help="new: a short name."),
    choice("layer", routes.LAYERS, help="new: how much care it needs."),
    text("quest", help="show, done: its id, or a beginning that fits one only."),
    texts("evidence", help="done: what shows that it is done."),
    text("unverified", help="done: why nothing shows it."),
    choice("status", tuple(STATUSES), default="active", help="list."),
    changes=True,
)
def quest(asked: Asked, action: str, **given: Any) -> Told:
    """Keep track of one piece of work: begin a quest, list or show quests, complete one with evidence."""
    from pith.services.project_memory import quests as service

    shared = asked.shared()
    if action == BEGIN:
        made = service.new(shared, given["request"] or "", title=given["title"], layer=given["layer"]).as_json()
        said = f"Begun: {made['quest']['id']} ({made['contract']['route']})."
        return Told(" ".join(filter(None, (said, made["warning"]))), made)
    if action == LIST:
        listed = service.listed(shared, *STATUSES[given["status"]]).as_json(shared.layout)
        return Told(lines.listed(map(_quest, listed["quests"]), empty="No quest is here."), listed)
    if not given["quest"]:
        raise InputError(f"`quest` is needed to {action} one.", hint="The action `list` gives the ids.")
    if action == SHOW:
        found = service.shown(shared, given["quest"])
        return Told(fence.fenced(found["quest"]["content"]), found)
    done = service.done(shared, given["quest"], evidence=given["evidence"], unverified=given["unverified"] or "")
    told = done.as_json()
    said = f"{told['quest']['id']} is completed, {told['quest']['verification_status']}."
    return Told(f"{said} memory-propose keeps what it taught.", told)


def _quest(one: Any) -> str:
    return lines.line(one["id"], f"{one['status']}, {one['layer']}, {one['verification_status']}", one["title"])


@tool(
    "memory-propose",
    "Propose a memory",
    text("quest", required=True, help="The completed quest that taught it."),
    text("candidate", help="What is to be remembered; otherwise drawn from the quest."),
    text("why", help="Why it should be."),
    choice("type", nodes.KINDS),
    text("confidence", help="low, medium, high, or 0 to 1."),
    texts("paths", help="Files or folders that it is about."),
    texts("entries", help="Statements that it rests on, by citation."),
    texts("links", help="RELATION:NODE."),
    fields("fields", help="Validity, and fields of the type."),
    text("force_reason", help="Why a quest of level L0 or L1 is worth it."),
    changes=True,
)
def propose(asked: Asked, quest: str, type: str | None, fields: dict[str, Any] | None, **given: Any) -> Told:
    """Propose what a completed quest taught. It waits for a person: only they accept it, never you."""
    from pith.services.project_memory import citing_entries
    from pith.services.project_memory import remember as service

    shared = asked.shared()
    entries = citing_entries.named(str(shared.layout.root), given["entries"]) if given["entries"] else None
    further = {
        **(fields or {}),
        "entries": entries,
        "links": given["links"] or None,
        "scope_paths": given["paths"] or None,
    }
    data = service.propose(
        shared,
        quest,
        node_type=type,
        candidate=given["candidate"],
        why=given["why"],
        confidence=given["confidence"],
        further=further,
        force_reason=given["force_reason"],
    ).as_json()
    return Told(_proposed(data), data)


def _proposed(data: Any) -> str:
    one = data["proposal"]
    first = "The same is proposed already:" if data["duplicated"] else "Proposed:"
    warnings = " ".join(f"! {warning}." for warning in data["warnings"])
    person = f"A person decides: `pith remember show {one['id']}`, then `pith remember accept` or `reject`."
    return " ".join(filter(None, (first, f"{one['id']} ({one['node_type']}).", warnings, person)))


@tool(
    "graph-search",
    "Search accepted memory",
    text("query", required=True, help="Words; all of them count."),
    choice("type", nodes.KINDS),
    number("limit", default=8, most=100),
)
def search(asked: Asked, query: str, type: str | None, limit: int) -> Told:
    """Find what people accepted for this project: decisions, constraints, procedures, risks and more."""
    from pith.services.project_memory import graph as service

    data = service.search(asked.shared(), query, service.Filters(type))
    more = len(data["nodes"]) - limit
    said = f"{more} more; `limit` shows them. " if more > 0 else ""
    rows = [_node(one) for one in data["nodes"][:limit]]
    see = f"{said}Read one whole as the resource pith://node/ID."
    return Told(lines.listed(rows, empty="No accepted memory has these words.", notice=see), data)


def _node(one: Any) -> str:
    about = f"{one['node_type']}, {one['status']}, {one['accepted_at'][:10]}"
    return lines.line(one["id"], about, f"{one['title']}. {one.get('summary') or ''}".strip())


# -- More ----------------------------------------------------------------------------------------------------


@tool("graph-show", "Show an accepted node", text("node", required=True, help=NODE))
def show(asked: Asked, node: str) -> Told:
    """Show an accepted node as its file has it, with its relations."""
    from pith.services.project_memory import graph as service

    data = service.show(asked.shared(), node)
    return Told(fence.fenced(data["node"]["content"]), data)


@tool(
    "memory-list",
    "List proposals",
    choice("status", proposals.STATUSES, default=proposals.PENDING),
    number("limit", default=20, most=200),
)
def listing(asked: Asked, status: str, limit: int) -> Told:
    """List proposals of memory, the latest change first."""
    from pith.services.project_memory import remember as service

    shared = asked.shared()
    data = service.listed(shared, status=status).as_json(shared.layout)
    rows = [
        lines.line(one["id"], f"{one['status']} {one['node_type']}, {one['confidence']}", one["title"])
        for one in data["proposals"][:limit]
    ]
    return Told(lines.listed(rows, empty="No such proposal is here."), data)


@tool("memory-show", "Show a proposal", text("proposal", required=True, help=NODE))
def proposal(asked: Asked, proposal: str) -> Told:
    """Show a proposal as its file has it."""
    from pith.services.project_memory import remember as service

    data = service.show(asked.shared(), proposal)
    return Told(fence.fenced(data["proposal"]["content"]), data)


@tool(
    "route",
    "Judge a request",
    text("request", required=True, help="What is to be done."),
    choice("layer", routes.LAYERS),
    changes=True,
)
def route(asked: Asked, request: str, layer: str | None) -> Told:
    """Say how much care a request needs, what is to come out, and whether it should be a quest."""
    from pith.services.project_memory import route as service

    data = service.show(asked.shared(), request, layer=layer)
    made = data["contract"]
    policy = made["quest_policy"].replace("_", " ")
    return Told(f"{made['route']}: {made['output_contract']}; a quest is {policy}. {made['reason_summary']}", data)
