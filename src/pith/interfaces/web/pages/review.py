"""Proposals: read with what they rest on and what they replace, edited, accepted or rejected by a person."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from pith.domain.proposals import PENDING, STATUSES
from pith.interfaces.web import difference, view
from pith.services.answers import review as answers
from pith.services.project_memory import accepted, decide, remember
from pith.services.project_memory.review import WEB, agent
from pith.services.project_memory.shared import Shared, open_shared

LISTED = 200
ALL = "all"


def opened(request: Request) -> Shared:
    """The project memory of the folder."""
    return open_shared(view.site(request).folder)


@view.page
def listing(request: Request) -> Response:
    """Those that wait, or those that were decided."""
    status = request.query_params.get("status", PENDING)
    shared = opened(request)
    found = remember.listed(shared, status=status if status in (*STATUSES, ALL) else PENDING).as_json(shared.layout)
    values = {
        "title": "Review",
        "proposals": found["proposals"][:LISTED],
        "warnings": found.get("warnings", []),
        "chosen": status,
        "statuses": (*STATUSES, ALL),
    }
    return view.render(request, "review.html", values)


@view.page
def page(request: Request) -> Response:
    """One, with everything that deciding needs."""
    shared = opened(request)
    found = answers.proposal(shared, view.site(request).here(), request.path_params["proposal"])
    for one in found["replaces"]:
        one["pieces"] = difference.words(one["text"], found["candidate"])
    values = {"title": "Proposal", **found, "pending": found["proposal"]["status"] == PENDING, "agent": agent()}
    return view.render(request, "proposal.html", values)


def _decision(act: Callable[[Shared, str, dict[str, str]], str]) -> view.Page:
    """A form on a proposal that is what was read; `act` says what became of it."""

    @view.page
    def deciding(request: Request) -> Response:
        shared, selector = opened(request), request.path_params["proposal"]
        id = answers.demand_unchanged(shared, selector, view.form(request).get("read_hash", "")).value.id
        said = act(shared, id, view.form(request))
        view.site(request).changed()
        return view.go(f"/review/{quote(id)}?said={said}")

    return deciding


@_decision
def accept(shared: Shared, id: str, _: dict[str, str]) -> str:
    """Make it a node. The guard may refuse: a page that an agent opened is no person."""
    decide.accept(shared, id, via=WEB)
    accepted.after_change(shared.layout.root)
    return "accepted"


@_decision
def reject(shared: Shared, id: str, given: dict[str, str]) -> str:
    """Put it aside, with the reason if one was given."""
    decide.reject(shared, id, reason=given.get("reason"))
    return "rejected"


@_decision
def revise(shared: Shared, id: str, form: dict[str, str]) -> str:
    """Change what it says; a field that was left as it is stays as it is."""
    before = remember.find(shared, id).value
    given = {name: form.get(name, "").replace("\r\n", "\n").strip() for name in _FIELDS}
    changed = {name: text for name, text in given.items() if text and text != getattr(before, name).strip()}
    if not changed:
        return "unchanged"
    remember.revise(shared, id, **changed)  # type: ignore[arg-type]
    return "revised"


_FIELDS = ("candidate", "why", "confidence")
