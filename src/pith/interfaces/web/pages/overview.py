"""The first page: what was remembered lately, how much there is, and what needs attention."""

from __future__ import annotations

import time
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from pith import platform
from pith.interfaces.web import charts, view
from pith.interfaces.web.site import Site
from pith.services import dates, overview
from pith.services.answers import activity
from pith.services.answers import event as answer
from pith.services.meaning import upkeep
from pith.store import events as stored
from pith.store import search

FEED, ASKED = 8, 8
FRESH = 5.0  # seconds for which the figures of a store that did not change are not counted again
PARTS = ("database", "wal", "spool", "backups")


@view.page
def page(request: Request) -> Response:
    """Figures, what happened last, and what recall was used for."""
    site = view.site(request)
    status = told(site)
    if not status["stored"] and not status["problem"]:
        return view.render(request, "welcome.html", {"title": "Overview", "status": status})
    with site.reading() as db:
        rows = [row for row in stored.newest(db, FEED * 3) if row["session"]][:FEED]
        feed = [{**answer.facts(db, row), "text": answer.shortened(row["text"])} for row in rows]
        asked = activity.questions(db, ASKED)
        days = _days(site, db)
        meaning = upkeep.overview(db, platform.now_ms())
    sizes = status["sizes"]
    parts = [(name, sizes.get(name, 0)) for name in PARTS if sizes.get(name)]
    return view.render(
        request,
        "overview.html",
        {
            "title": "Overview",
            "status": status,
            "feed": feed,
            "feed_size": FEED,
            "asked": asked,
            "meaning": meaning,
            "chart": charts.bars(days, (*activity.KINDS, activity.OTHER)),
            "days": days,
            "kinds": (*activity.KINDS, activity.OTHER),
            "parts": [*parts, *([("log", status["log_bytes"])] if status["log_bytes"] else [])],
            "largest": max((size for _, size in parts), default=1),
        },
    )


def told(site: Site) -> dict[str, Any]:
    """What `pith status` tells; counted again when something was written, or after a moment."""
    here = site.here()
    kept = site.kept.get("status")
    now = time.monotonic()
    if kept and now - kept[0] < FRESH:
        found: dict[str, Any] = kept[1]
        return found
    found = overview.overview(here.home, here.place, here.project)
    site.kept["status"] = (now, found)
    return found


def _days(site: Site, db: Any) -> list[dict[str, Any]]:
    """The days of the chart; counting them reads every event, so that is done when there are new ones."""
    today = dates.local(platform.now(), day_only=True)
    state = (search.last(db), today)
    kept = site.kept.get("days")
    if kept and kept[0] == state:
        found: list[dict[str, Any]] = kept[1]
        return found
    found = activity.activity(db, today)["days"]
    site.kept["days"] = (state, found)
    return found
