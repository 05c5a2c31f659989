"""Ask, narrow, and see why each answer stands where it stands."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from pith.domain.events import KINDS
from pith.errors import InputError, NotFound
from pith.interfaces.web import numbers, view
from pith.services.answers import recall
from pith.store import nodes

LIMIT, MOST = 12, 50
LONGEST = 1_000  # characters of a question
SUPERSEDED = "superseded_by="
FILTERS = ("kind", "session", "file", "branch", "since", "until")


def question(request: Request, text: str, default: int) -> recall.Question:
    """What an address asks."""
    given: dict[str, Any] = {name: request.query_params.get(name, "").strip()[:300] or None for name in FILTERS}
    kinds = tuple(each for each in request.query_params.getlist("kind") if each)
    if unknown := [each for each in kinds if each not in KINDS]:
        raise InputError(f"`{unknown[0][:40]}` is no kind of event.", hint=f"Use one of {', '.join(KINDS)}.")
    del given["kind"]
    limit = numbers.bounded(request.query_params.get("limit"), default, 1, MOST)
    return recall.Question(text[:LONGEST], kinds=kinds, limit=limit, words=_words(request), explain=True, **given)


def _words(request: Request) -> bool:
    return request.query_params.get("words") == "true"


def _name_successors(request: Request, found: list[dict[str, Any]]) -> None:
    """Say of each superseded node what took its place, by its title: a reader cannot tell one id from another."""
    superseded = {each["id"]: (each["validity"] or "").partition(SUPERSEDED)[2] for each in found}
    if not any(superseded.values()):
        return
    with view.site(request).reading() as db:
        for each in found:
            if id := superseded[each["id"]]:
                row = nodes.by_id(db, id)
                each["replaced_by"] = {"id": id, "title": row["title"] if row else id}


@view.page
def page(request: Request) -> Response:
    """The form, and what was found."""
    text = request.query_params.get("q", "").strip()
    found, problem = None, None
    if text:
        try:
            found = recall.recall(view.site(request).here(), question(request, text, LIMIT), face="web")
            _name_successors(request, found["nodes"])
        except (InputError, NotFound) as error:
            problem = error
    chosen = {name: request.query_params.get(name, "") for name in FILTERS}
    values = {
        "title": "Search",
        "asked": text,
        "found": found,
        "problem": problem,
        "chosen": chosen,
        "kinds": KINDS,
        "words_alone": _words(request),
        "narrowed": any(chosen.values()),
    }
    return view.render(request, "search.html", values, problem.http_status if problem else 200)
