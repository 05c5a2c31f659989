"""What is to be done, and what effectively stands in its way, as a list and as a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from pith.domain.entities import CONDITION, OPEN, RESOLVED, TASK_STATES
from pith.interfaces.web import charts, view
from pith.services.answers import knowledge
from pith.services.knowledge import lookup as look
from pith.store import entities, extracting

RULES = "extract.rules"
LISTED, DRAWN = 100, 40


@view.page
def page(request: Request) -> Response:
    """Unfinished ones, or those in one state."""
    state = request.query_params.get("status", "")
    with view.site(request).knowing() as ws:
        states = [state] if state in TASK_STATES else [knowledge.ALL] if state == knowledge.ALL else []
        found = knowledge.tasks(ws, statuses=states, limit=LISTED)
        conditions = [
            look.told_entity(ws.db, one) for one in entities.listed(ws.db, CONDITION, (OPEN, RESOLVED), LISTED)
        ]
        unread = extracting.waiting(ws.db, RULES)
    values = {
        "title": "Tasks",
        "unread": unread,
        "tasks": found["tasks"],
        "more": found["more"],
        "conditions": conditions,
        "chosen": state,
        "states": (*TASK_STATES, knowledge.ALL),
        "graph": drawing(found["tasks"]),
    }
    return view.render(request, "tasks.html", values)


def drawing(tasks: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The tasks that wait and what they wait for; None where nothing waits."""
    edges = [(task["id"], blocker["id"]) for task in tasks for blocker in task["blocked_by"]][:DRAWN]
    named = {id for edge in edges for id in edge}
    boxes = {task["id"]: task for task in tasks if task["id"] in named}
    for task in tasks:
        for blocker in task["blocked_by"]:
            if blocker["id"] in named:
                boxes.setdefault(blocker["id"], {**blocker, "status": None})
    return charts.graph(boxes.values(), edges) if edges else None
