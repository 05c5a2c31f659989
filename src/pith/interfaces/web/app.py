"""The table of addresses: which page, file or answer stands under which."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route

from pith.errors import NotFound, PithError
from pith.interfaces.web import api, live, static, view
from pith.interfaces.web.pages import (
    doctor,
    entries,
    events,
    graph,
    memories,
    overview,
    preferences,
    review,
    search,
    sessions,
    settings,
    tasks,
)
from pith.interfaces.web.site import Site
from pith.services import fault


class Unforeseen(PithError):
    """A fault of ours."""

    code = "UNEXPECTED"


ROUTES: list[BaseRoute] = [
    Route("/", overview.page),
    Route("/search", search.page),
    Route("/sessions", sessions.listing),
    Route("/sessions/{session}", sessions.page),
    Route("/memory/{citation}", events.page),
    Route("/entries", entries.listing),
    Route("/entries/{entry}", entries.page),
    Route("/entities/{entity}", entries.entity),
    Route("/tasks", tasks.page),
    Route("/memories", memories.page),
    Route("/memories/{memory}", memories.one),
    Route("/preferences", preferences.page),
    Route("/preferences/decide", preferences.decide, methods=["POST"]),
    Route("/review", review.listing),
    Route("/review/{proposal}", review.page),
    Route("/review/{proposal}/accept", review.accept, methods=["POST"]),
    Route("/review/{proposal}/reject", review.reject, methods=["POST"]),
    Route("/review/{proposal}/revise", review.revise, methods=["POST"]),
    Route("/graph", graph.listing),
    Route("/graph/map", graph.map),
    Route("/graph/{node}", graph.page),
    Route("/doctor", doctor.page),
    Route("/doctor/examine", doctor.examine, methods=["POST"]),
    Route("/doctor/repair", doctor.confirm),
    Route("/doctor/repair", doctor.repair, methods=["POST"]),
    Route("/settings", settings.page),
    Route("/settings/set", settings.change, methods=["POST"]),
    Route("/live", live.events),
    Route("/static/{name}", static.file),
    Mount("/api", routes=api.ROUTES),
]


def build(site: Site) -> Starlette:
    """The application for one project; the guard stands in front of it."""
    app = Starlette(routes=ROUTES, exception_handlers={HTTPException: _missing, Exception: _fault})
    app.state.site = site
    return app


def _missing(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    said = NotFound("There is no such page." if status == 404 else "This page is not asked for like that.")
    said.hint, said.http_status = "Go back to the overview.", status
    return _told(request, said)


def _fault(request: Request, error: Exception) -> Response:
    """One sentence for the reader, the rest for the log: a text of a foreign error may quote what somebody said."""
    _, message, hint = fault.told(error)
    return _told(request, Unforeseen(message, hint=hint))


def _told(request: Request, error: PithError) -> Response:
    if request.url.path.startswith("/api"):
        return api.failure("web", error)
    return view.failed(request, error)
