"""A failure as a program is told of it."""

from __future__ import annotations

from starlette.responses import Response

from pith.errors import PithError
from pith.services.answers.written import envelope, json_text

JSON = "application/json"


def failure(command: str, error: PithError) -> Response:
    """What went wrong and what to do next."""
    told = {"code": error.code, "message": str(error), "hint": error.hint}
    return Response(json_text(envelope(command, ok=False, error=told)), error.http_status, media_type=JSON)
