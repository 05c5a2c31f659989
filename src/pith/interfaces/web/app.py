"""The table of addresses: which page, file or answer stands under which."""

from __future__ import annotations

from importlib import import_module

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Receive, Scope, Send

from pith.errors import NotFound, PithError
from pith.interfaces.web import live, static, view
from pith.interfaces.web.failure import failure
from pith.interfaces.web.site import Site
from pith.services import fault


class Unforeseen(PithError):
    """A fault of ours."""

    code = "UNEXPECTED"


def _opened(name: str) -> view.Page:
    """A page by `module:function`; its module is loaded when the page is first asked for."""
    module, _, function = name.partition(":")

    def answer(request: Request) -> Response:
        found: view.Page = getattr(import_module(f"pith.interfaces.web.pages.{module}"), function)
        return found(request)

    return answer


async def _api(scope: Scope, receive: Receive, send: Send) -> None:
    from pith.interfaces.web import api

    await api.ROUTER(scope, receive, send)


ROUTES: list[BaseRoute] = [
    Route("/", _opened("overview:page")),
    Route("/search", _opened("search:page")),
    Route("/sessions", _opened("sessions:listing")),
    Route("/sessions/{session}", _opened("sessions:page")),
    Route("/memory/{citation}", _opened("events:page")),
    Route("/entries", _opened("entries:listing")),
    Route("/entries/{entry}", _opened("entries:page")),
    Route("/entities/{entity}", _opened("entries:entity")),
    Route("/tasks", _opened("tasks:page")),
    Route("/memories", _opened("memories:page")),
    Route("/memories/{memory}", _opened("memories:one")),
    Route("/preferences", _opened("preferences:page")),
    Route("/preferences/decide", _opened("preferences:decide"), methods=["POST"]),
    Route("/review", _opened("review:listing")),
    Route("/review/{proposal}", _opened("review:page")),
    Route("/review/{proposal}/accept", _opened("review:accept"), methods=["POST"]),
    Route("/review/{proposal}/reject", _opened("review:reject"), methods=["POST"]),
    Route("/review/{proposal}/revise", _opened("review:revise"), methods=["POST"]),
    Route("/graph", _opened("graph:listing")),
    Route("/graph/map", _opened("graph:map")),
    Route("/graph/{node}", _opened("graph:page")),
    Route("/doctor", _opened("doctor:page")),
    Route("/doctor/examine", _opened("doctor:examine"), methods=["POST"]),
    Route("/doctor/repair", _opened("doctor:confirm")),
    Route("/doctor/repair", _opened("doctor:repair"), methods=["POST"]),
    Route("/settings", _opened("settings:page")),
    Route("/settings/set", _opened("settings:change"), methods=["POST"]),
    Route("/live", live.events),
    Route("/static/{name}", static.file),
    Mount("/api", app=_api),
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
        return failure("web", error)
    return view.failed(request, error)
