"""What was stated, what it rests on, word for word, and what it is about."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from pith.domain import secrets
from pith.domain.entries import STAGES, STATUSES, TYPES
from pith.interfaces.web import numbers, view
from pith.services.answers import knowledge
from pith.services.knowledge import lookup as look
from pith.services.workspace import Workspace
from pith.store import entries as stored
from pith.store import extracting

RULES = "extract.rules"
LISTED = 40
FAR = 100_000
ABOUT = 200  # characters around a quote


@view.page
def listing(request: Request) -> Response:
    """The newest first, of one type, stage or status."""
    chosen = {name: request.query_params.get(name, "") for name in ("type", "stage", "status")}
    number = numbers.bounded(request.query_params.get("page"), 1, 1, FAR)
    with view.site(request).knowing() as ws:
        found = stored.listed(
            ws.db,
            types=[chosen["type"]] if chosen["type"] in TYPES else (),
            stages=[chosen["stage"]] if chosen["stage"] in STAGES else (),
            statuses=[chosen["status"]] if chosen["status"] in STATUSES else knowledge.LIVE,
            limit=LISTED + 1,
            skip=(number - 1) * LISTED,
        )
        told = [look.told_entry(ws.db, one) for one in found[:LISTED]]
        unread = extracting.waiting(ws.db, RULES)
    values = {
        "title": "Statements",
        "unread": unread,
        "entries": told,
        "chosen": chosen,
        "narrowed": any(chosen.values()),
        "choices": {"type": TYPES, "stage": STAGES, "status": STATUSES},
        "page": number,
        "more": len(found) > LISTED,
        "address": urlencode({name: value for name, value in chosen.items() if value}),
    }
    return view.render(request, "entries.html", values)


@view.page
def page(request: Request) -> Response:
    """One, with its evidence shown where it stands in what was said."""
    with view.site(request).knowing(reading=False) as ws:
        one = look.entry(ws.db, request.path_params["entry"])
        whole = look.whole_entry(ws.db, one)
        for item in whole["evidence"]:
            item["around"] = _around(ws, item)
        steps = knowledge.lineage(ws, one.entry_id)
    values = {"title": "Statement", "entry": whole, "lineage": steps}
    return view.render(request, "entry.html", values)


def _around(ws: Workspace, item: dict[str, object]) -> tuple[str, str, str] | None:
    """The quote with a little of what was said before and after it."""
    from pith.store import events

    if item["quote"] is None or not isinstance(start := item.get("start"), int):
        return None
    end = item.get("end")
    row = events.by_id(ws.db, str(item["event_id"]))
    if row is None or not isinstance(end, int):
        return None
    text = row["text"]
    if secrets.find(text):  # each piece is masked by itself when it is shown, and half of a credential is none
        return "", text[start:end], ""
    before, after = text[max(0, start - ABOUT) : start], text[end : end + ABOUT]
    cut = ("…" if start > ABOUT else ""), ("…" if end + ABOUT < len(text) else "")
    return cut[0] + before, text[start:end], after + cut[1]


@view.page
def entity(request: Request) -> Response:
    """A task, a condition or an artifact."""
    with view.site(request).knowing(reading=False) as ws:
        found = look.whole_entity(ws.db, look.entity(ws.db, ws.project.id, request.path_params["entity"]))
    return view.render(request, "entity.html", {"title": found["type"], "entity": found})
