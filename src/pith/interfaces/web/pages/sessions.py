"""The sessions kept, and what happened in one of them, in the order of time."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from pith.errors import NotFound
from pith.interfaces.web import numbers, view
from pith.services import lookup
from pith.services.answers import event as answer
from pith.services.answers import sessions as answers
from pith.store import activity
from pith.store import events as stored
from pith.store import sessions as kept

LISTED, SHOWN = 40, 100
FAR = 1_000_000  # pages further than that are nobody's


@view.page
def listing(request: Request) -> Response:
    """The latest first."""
    page = numbers.bounded(request.query_params.get("page"), 1, 1, FAR)
    with view.site(request).reading() as db:
        rows = kept.latest(db, LISTED, (page - 1) * LISTED)
        found = [answers.facts(db, row) for row in rows]
        total = kept.count(db)
    values = {"title": "Sessions", "sessions": found, "total": total, "page": page, "more": page * LISTED < total}
    return view.render(request, "sessions.html", values)


@view.page
def page(request: Request) -> Response:
    """What happened in one; `at` opens the page on which an event stands."""
    with view.site(request).reading() as db:
        id = lookup.session(db, request.path_params["session"])
        rows = kept.latest(db, 1, session=id)
        if not rows:
            raise NotFound("This session has no events.", hint="Go back to the sessions.")
        marked = request.query_params.get("at", "")
        number = numbers.bounded(request.query_params.get("page"), 1, 1, FAR)
        if marked and "page" not in request.query_params:
            one = lookup.event(db, marked)
            number = activity.before(db, id, one["at"], one["seq"]) // SHOWN + 1
        shown = activity.of_session(db, id, SHOWN, (number - 1) * SHOWN)
        events = sorted(stored.read(db, shown), key=lambda row: (row["at"], row["seq"]))
        told = [{**answer.facts(db, row), "text": answer.shortened(row["text"])} for row in events]
        session = answers.facts(db, rows[0])
    values = {
        "title": "Session",
        "session": session,
        "events": told,
        "marked": marked,
        "page": number,
        "more": number * SHOWN < session["events"],
    }
    return view.render(request, "session.html", values)
