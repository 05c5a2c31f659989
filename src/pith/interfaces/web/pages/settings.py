"""Every setting, its value and where that comes from; changed for this project or for all of a person's projects."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from pith.errors import InputError
from pith.interfaces.web import view
from pith.services.answers import settings as answers
from pith.services.keeping import keep_days
from pith.services.project_memory import review
from pith.services.settings import Setting, named
from pith.services.setup import config_edit

PROJECT, HOME = "project", "home"
ACCEPT = "review.accept"


@view.page
def page(request: Request) -> Response:
    """All of them, by the word they begin with."""
    found = answers.every(view.site(request).here())
    groups: dict[str, list[dict[str, object]]] = {}
    for each in found["settings"]:
        groups.setdefault(str(each["name"]).partition(".")[0], []).append({**each, **_shape(named(str(each["name"])))})
    values = {"title": "Settings", "groups": groups, "files": found["files"], "problems": found["problems"]}
    return view.render(request, "settings.html", values)


def _shape(setting: Setting) -> dict[str, object]:
    return {
        "kind": setting.kind,
        "choices": setting.choices,
        "low": setting.low,
        "high": setting.high,
        "korean": setting.meaning_ko,
        "english": setting.meaning,
    }


@view.page
def change(request: Request) -> Response:
    """Set one, or take it back; what would let something be forgotten asks first."""
    given = view.form(request)
    setting = named(given.get("name", ""))
    here = view.site(request).here()
    project = here.registered() if given.get("where") == PROJECT else None
    folder, store = (project.folder, project.id) if project else (None, None)
    if setting.name == ACCEPT and (variable := review.agent()):
        raise InputError(
            f"An agent started this page ({variable}); only a person decides who may accept.",
            hint="Run `pith config set review.accept` in a terminal of your own.",
        )
    if given.get("act") == "unset":
        config_edit.unset_value(here.home, folder, setting.name)
        if setting.name == keep_days.KEY:
            keep_days.agree(here.home, store, 0)
        return _done(request, "unset")
    value = setting.read(given.get("value", ""))
    if setting.name == keep_days.KEY:
        taken = keep_days.would_take(here.home, store, value)
        if taken.events and given.get("agreed") != "yes":
            asked = {"title": "Settings", "setting": setting.name, "value": value, "where": given.get("where", HOME)}
            return view.render(request, "agree.html", {**asked, "events": taken.events, "projects": taken.projects})
    config_edit.set_value(here.home, folder, setting.name, given.get("value", ""))
    if setting.name == keep_days.KEY:
        keep_days.agree(here.home, store, value)
    return _done(request, "set")


def _done(request: Request, said: str) -> Response:
    view.site(request).changed()
    return view.go(f"/settings?said={said}")
