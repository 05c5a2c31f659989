"""The page's own style and script; a name is looked up, never joined to a path."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from pith.errors import NotFound
from pith.interfaces.web import view

FOLDER = Path(__file__).parent / "static"
KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


@cache
def _files() -> dict[str, tuple[bytes, str]]:
    return {each.name: (each.read_bytes(), KINDS[each.suffix]) for each in FOLDER.iterdir() if each.suffix in KINDS}


@view.page
def file(request: Request) -> Response:
    """One of them."""
    name = request.path_params["name"]
    if name not in _files():
        raise NotFound("There is no such file.", hint="Go back to the overview.")
    content, kind = _files()[name]
    return Response(content, media_type=kind, headers={"cache-control": "private, max-age=300"})
