"""The JSON API: the operations as routes, their answers in the envelope of the command line."""

from __future__ import annotations

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from pith.errors import PithError
from pith.interfaces.web import openapi
from pith.interfaces.web.failure import JSON, failure
from pith.interfaces.web.operations import OPERATIONS, PATH, Operation
from pith.services import fault
from pith.services.answers.written import envelope, json_text
from pith.services.lookup import storable


def _route(operation: Operation) -> Route:
    def answer(request: Request) -> Response:
        try:
            given = {each.name: each.read(_given(request, each.name, each.where)) for each in operation.parameters}
            found = operation.find(request.app.state.site, given)
        except PithError as error:
            return failure(operation.command, error)
        except Exception as error:  # a fault of ours: a sentence for the reader, the rest for the log
            code, message, hint = fault.told(error)
            told = {"code": code, "message": message, "hint": hint}
            text = json_text(envelope(operation.command, ok=False, error=told))
            return Response(text, HTTPStatus.INTERNAL_SERVER_ERROR, media_type=JSON)
        return Response(json_text(envelope(operation.command, found)), media_type=JSON)

    return Route(operation.path, answer, methods=["GET"])


def _given(request: Request, name: str, where: str) -> list[str]:
    given = [request.path_params[name]] if where == PATH else request.query_params.getlist(name)
    return [storable(text) for text in given]


def description(request: Request) -> Response:
    """The API described in OpenAPI, made from the table of operations."""
    address = str(request.base_url).rstrip("/")
    return Response(json_text(openapi.describe(address)), media_type=JSON)


ROUTER = Router([*map(_route, OPERATIONS), Route("/openapi.json", description, methods=["GET"])])
