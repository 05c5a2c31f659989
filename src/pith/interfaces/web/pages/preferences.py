"""What the person wants always or never: found in what they said, confirmed, added and withdrawn by them alone."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from pith.domain.preferences import CANDIDATE, CONFIRMED, LONGEST, WITHDRAWN
from pith.interfaces.web import view
from pith.interfaces.web.site import BEFORE_ANSWERING
from pith.services import preferences as service
from pith.services.project_memory.review import WEB, agent

EVERYWHERE = "everywhere"


@view.page
def page(request: Request) -> Response:
    """What holds, what may be meant to, and what was withdrawn."""
    with view.site(request).knowing(reading=False) as ws:
        found = service.listed(ws, all=True, seconds=BEFORE_ANSWERING)
    groups = {state: [one for one in found["preferences"] if one["state"] == state] for state in _ORDER}
    values = {"title": "Preferences", "groups": groups, "longest": LONGEST, "agent": agent(), "unread": found["unread"]}
    return view.render(request, "preferences.html", values)


_ORDER = (CONFIRMED, CANDIDATE, WITHDRAWN)


@view.page
def decide(request: Request) -> Response:
    """Confirm one, withdraw one, or add one."""
    given = view.form(request)
    act, everywhere = given.get("act"), given.get("where") == EVERYWHERE
    with view.site(request).knowing(reading=False) as ws:
        if act == "add":
            service.add(ws, given.get("text", ""), everywhere=everywhere, via=WEB)
        elif act == "withdraw":
            service.withdraw(ws, given.get("name", ""), via=WEB)
        else:
            service.confirm(ws, given.get("name", ""), everywhere=everywhere, via=WEB)
    return view.go(f"/preferences?said={'withdrawn' if act == 'withdraw' else 'confirmed'}")
