"""Which extractors read here: the rules always; a language model where one was switched on, within its budget."""

from __future__ import annotations

import json
import os
from typing import Any

from pith import platform
from pith.domain.extraction import Rules
from pith.domain.ports import Extractor
from pith.errors import PithError
from pith.services.config import Settings
from pith.services.workspace import Workspace
from pith.store import meta
from pith.store.database import Db

_SPENT = "extract.model.spent"


class DailyCapReached(PithError):
    """The tokens of the day are spent."""

    code = "DAILY_CAP_REACHED"
    hint = "It goes on tomorrow; `extract.model.dailyTokens` is the cap."
    http_status = 429


class DailyBudget:
    """Tokens that may be spent in a day (UTC), kept in the project's store so that every process counts along."""

    def __init__(self, db: Db, cap: int) -> None:
        self._db, self._cap = db, cap

    def claim(self, wanted: int) -> None:
        """Take tokens before a call; raises DailyCapReached when the day's are used up."""
        with self._db.transaction():
            spent = _today(self._db)
            if spent["today"] + wanted > self._cap:
                raise DailyCapReached(f"{spent['today']:,} of {self._cap:,} tokens of today are spent.")
            _note(self._db, spent, wanted)

    def settle(self, claimed: int, used: int) -> None:
        """Say what a call really took."""
        with self._db.transaction():
            _note(self._db, _today(self._db), used - claimed)


def chosen(ws: Workspace) -> list[Extractor]:
    """The extractors of a project."""
    found: list[Extractor] = [Rules()]
    if ws.settings.get("extract.model.enabled"):
        from pith.adapters.extractor_http import HttpExtractor

        settings = ws.settings
        key = os.environ.get(str(settings.get("extract.model.keyVariable")), "")
        budget = DailyBudget(ws.db, int(settings.get("extract.model.dailyTokens")))
        found.append(
            HttpExtractor(str(settings.get("extract.model.url")), str(settings.get("extract.model.name")), budget, key)
        )
    return found


def spending(db: Db, settings: Settings) -> dict[str, Any]:
    """Whether a model is asked, and what that took."""
    return {
        "enabled": bool(settings.get("extract.model.enabled")),
        "model": settings.get("extract.model.name"),
        "cap": settings.get("extract.model.dailyTokens"),
        **_today(db),
    }


def _today(db: Db) -> dict[str, Any]:
    """Tokens spent today and ever."""
    try:
        known = json.loads(meta.get(db, _SPENT) or "{}")
        day, today, total = str(known.get("day", "")), int(known.get("today", 0)), int(known.get("total", 0))
    except (ValueError, TypeError, AttributeError):
        day, today, total = "", 0, 0
    this = platform.now()[:10]
    return {"day": this, "today": today if day == this else 0, "total": total}


def _note(db: Db, spent: dict[str, Any], tokens: int) -> None:
    said = {"day": spent["day"], "today": max(0, spent["today"] + tokens), "total": max(0, spent["total"] + tokens)}
    meta.put(db, _SPENT, json.dumps(said))
