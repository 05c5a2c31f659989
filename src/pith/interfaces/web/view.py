"""From data to a page: templates that escape everything, in the reader's language and time zone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, wraps
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from pith import __version__
from pith.domain import secrets
from pith.errors import PithError, StoreUnavailable
from pith.interfaces.web import numbers, words
from pith.interfaces.web.site import Site
from pith.services import dates, lookup

HERE = Path(__file__).parent
LANGUAGE = "pith_language"  # the cookie that keeps a choice

# Controls that no document may hold, and marks that show a text in another order than it is stored.
_UNSHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")

_CITATION = re.compile(r"(\[mem:[a-z2-7]{6,12}\])")

Page = Callable[[Request], Response]


def shown(value: Any) -> Any:
    """A value as it is put into a page: what was masked when it was stored is masked again, and nothing hides."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return "" if value is None else value
    text = secrets.mask(value)[0] if len(value) > 7 else value
    return _UNSHOWN.sub("\ufffd", text)


@cache
def _templates() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "local": dates.local,
        "day": lambda at: dates.local(at, day_only=True),
        "clock": lambda at: dates.local(at)[11:],
        "size": numbers.size,
        "count": numbers.grouped,
        "short": lookup.short,
        "cited": cited,
        "one_line": lambda text: " ".join(str(text).split()),
    }
    made.globals |= {"version": __version__}
    return made


def cited(text: str) -> list[tuple[str, str]]:
    """A text in pieces, each with the citation that it is, or with none."""
    pieces = _CITATION.split(text)
    return [(piece, piece.strip("[]") if number % 2 else "") for number, piece in enumerate(pieces) if piece]


def site(request: Request) -> Site:
    """What the request is about."""
    found: Site = request.app.state.site
    return found


def form(request: Request) -> dict[str, str]:
    """What a form of ours carried; the guard has read it."""
    found: dict[str, str] = request.scope.get("pith.form", {})
    return found


def language(request: Request) -> str:
    """`ko` or `en`: as it was chosen, or as the browser asks for it."""
    chosen = request.query_params.get("lang") or request.cookies.get(LANGUAGE)
    if chosen in words.LANGUAGES:
        return str(chosen)
    asked = request.headers.get("accept-language", "")
    first = asked.split(",")[0].strip().lower()
    return "ko" if first.startswith("ko") else "en"


def render(request: Request, template: str, values: Mapping[str, Any] | None = None, status: int = 200) -> Response:
    """A page of ours."""
    spoken = language(request)
    place = site(request).here().place
    text = (
        _templates()
        .get_template(template)
        .render(
            {
                "t": words.speaker(spoken),
                "language": spoken,
                "path": request.url.path,
                "other_language": _other_language(request, spoken),
                "form_secret": site(request).known.form,
                "project": place.root.rstrip("/").rsplit("/", 1)[-1] or place.root,
                "branch": place.branch,
                "waiting": site(request).waiting(),
                "said": words.said(spoken, request.query_params.get("said", "")),
                **(values or {}),
            }
        )
    )
    answer = HTMLResponse(text, status)
    if request.query_params.get("lang") in words.LANGUAGES:
        answer.set_cookie(LANGUAGE, spoken, max_age=365 * 86_400, samesite="strict", httponly=True)
    return answer


def _other_language(request: Request, spoken: str) -> str:
    """The address of this page in the other language."""
    return "?" + str(request.url.include_query_params(lang="en" if spoken == "ko" else "ko").query)


def go(address: str) -> Response:
    """After a form: to the page that shows what came of it."""
    return RedirectResponse(address, 303)


def page(function: Callable[[Request], Response]) -> Page:
    """Turn failures into pages: one sentence, and what to do next."""

    @wraps(function)
    def answering(request: Request) -> Response:
        try:
            return function(request)
        except PithError as error:
            return failed(request, error)

    return answering


def failed(request: Request, error: PithError) -> Response:
    """The page of a failure; a project of which nothing is stored yet is none."""
    nothing_yet = isinstance(error, StoreUnavailable) and not site(request).has_store()
    values = {"title": "Nothing is here yet" if nothing_yet else "This did not work", "nothing_yet": nothing_yet}
    return render(
        request,
        "failed.html",
        values | {"message": str(error), "hint": error.hint},
        200 if nothing_yet else error.http_status,
    )
