"""Consolidated memories and endless mode: where work stands, the last day hour by hour, what was made of it."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from pith import platform
from pith.errors import NotFound
from pith.interfaces.web import charts, numbers, view
from pith.services import dates, memory_recall
from pith.services.answers.activity import KINDS, OTHER
from pith.services.endless import status as service
from pith.store import citations, memories

HOURS = 24
LISTED, ITEMS, CONTEXTS = 30, 20, 30
MOST = 300


@view.page
def page(request: Request) -> Response:
    """What endless mode knows; memories are listed in both modes."""
    site = view.site(request)
    settings, now = site.here().settings, platform.now_ms()
    limit = numbers.bounded(request.query_params.get("limit"), LISTED, 1, MOST)
    with site.reading() as db:
        told = service.timeline(db, settings, now, HOURS)
        items = service.items(db, settings, now)[:ITEMS]
        made = [memory_recall.told(db, one) for one in memory_recall.latest(db, limit)]
    hours = [_hour(each) for each in told["hours"]]
    values = {
        "title": "Memories",
        "status": told["status"],
        "chart": charts.bars(hours, (*KINDS, OTHER)),
        "hours": hours,
        "kinds": (*KINDS, OTHER),
        "lanes": charts.lanes(told["contexts"], told["memories"], told["hours"][0]["hour"], len(hours)),
        "contexts": told["contexts"][-CONTEXTS:],
        "items": items,
        "memories": made,
        "more": len(made) == limit < MOST,
        "next": limit * 2,
    }
    return view.render(request, "memories.html", values)


def _hour(told: dict[str, Any]) -> dict[str, Any]:
    counted = told["events"]
    known = {kind: counted.get(kind, 0) for kind in KINDS}
    return {"day": dates.local(told["hour"])[11:], **known, OTHER: sum(counted.values()) - sum(known.values())}


@view.page
def one(request: Request) -> Response:
    """One memory with the events that it rests on."""
    with view.site(request).reading() as db:
        kind, id = citations.find(db, request.path_params["memory"])
        found = memory_recall.whole(db, id) if kind == memories.MEMORY else None
        if found is None:
            raise NotFound("That is no consolidated memory, or it is gone.", hint="Go back to the memories.")
    return view.render(request, "consolidated.html", {"title": "Memory", "memory": found})
