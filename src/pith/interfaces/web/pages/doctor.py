"""What the doctor finds, asked for by a button since it reads everything, and repairs that somebody confirmed."""

from __future__ import annotations

import threading
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from pith import platform
from pith.errors import NotFound, PithError
from pith.interfaces.web import view
from pith.interfaces.web.site import Site
from pith.services.doctor.checks import CHECKS
from pith.services.doctor.examination import Treatment, repairable
from pith.services.doctor.examination import examine as examination
from pith.services.doctor.examination import repair as treatment
from pith.services.doctor.finding import SEVERITIES
from pith.services.doctor.patient import admit

SHOWN = 200


class Visit:
    """One examination: what was found, or that it is under way."""

    def __init__(self) -> None:
        self.is_running = True
        self.at = ""
        self.findings: list[dict[str, Any]] = []
        self.counts: dict[str, int] = {}
        self.made = 0
        self.left_out: tuple[str, ...] = ()
        self.repairable: list[str] = []
        self.problem = ""


@view.page
def page(request: Request) -> Response:
    """The last examination, and the button for one."""
    site = view.site(request)
    visit = site.kept.get("doctor")
    promises = {each.code: each.promise for each in CHECKS}
    values = {
        "title": "Doctor",
        "visit": visit,
        "promises": promises,
        "shown": SHOWN,
        "treatments": site.kept.pop("treatments", []),
    }
    return view.render(request, "doctor.html", values)


@view.page
def examine(request: Request) -> Response:
    """Begin an examination; the page shows it when it is done."""
    _begin(view.site(request))
    return view.go("/doctor")


def _begin(site: Site) -> None:
    with site.lock:
        running = site.kept.get("doctor")
        if running and running.is_running:
            return
        visit = site.kept["doctor"] = Visit()
    threading.Thread(target=_examine, args=(site.folder, visit), daemon=True).start()


def _examine(folder: str, visit: Visit) -> None:
    try:
        with admit(cwd=folder) as patient:
            found = examination(patient)
        visit.findings = [each.as_dict() for each in found.findings]
        visit.counts = {name: found.count(name) for name in SEVERITIES}
        visit.made, visit.left_out = found.made, found.left_out
        visit.repairable = repairable(found.findings)
    except PithError as error:
        visit.problem = f"{error} {error.hint}"
    except Exception as error:  # whoever waits must be told
        visit.problem = f"The examination met a {type(error).__name__}."
    finally:
        visit.at = platform.now()
        visit.is_running = False


def _demanded(request: Request, code: str) -> tuple[str, str]:
    """A repair that the last examination offered, and its promise. Raises NotFound."""
    visit = view.site(request).kept.get("doctor")
    if visit is None or code not in visit.repairable:
        raise NotFound("There is nothing of that kind to repair.", hint="Examine again.")
    return code, next(each.promise for each in CHECKS if each.code == code)


@view.page
def confirm(request: Request) -> Response:
    """What the repair is for, and the button that does it."""
    code, promise = _demanded(request, request.query_params.get("code", ""))
    visit = view.site(request).kept["doctor"]
    found = [each for each in visit.findings if each["code"] == code]
    return view.render(
        request, "repair.html", {"title": "Repair", "code": code, "promise": promise, "findings": found[:SHOWN]}
    )


@view.page
def repair(request: Request) -> Response:
    """Do it, and look again."""
    site = view.site(request)
    code, _ = _demanded(request, view.form(request).get("code", ""))
    with admit(cwd=site.folder) as patient:
        done: Treatment = treatment(patient, code)
    site.kept.clear()
    site.kept["treatments"] = [{"code": done.code, "message": done.message, "worked": done.worked}]
    _begin(site)
    return view.go("/doctor")
