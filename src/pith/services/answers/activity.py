"""How much happened on each day, in the reader's time, and what recall was asked for."""

from __future__ import annotations

from typing import Any

from pith.domain.events import PROMPT, RESPONSE, TOOL
from pith.services import dates
from pith.store import activity as stored
from pith.store import totals
from pith.store.database import Db

KINDS = (PROMPT, RESPONSE, TOOL)
OTHER = "other"
DAYS = 30
_LONGER = 2  # days: the reader's midnight is not that of the stored times


def activity(db: Db, today: str, days: int = DAYS) -> dict[str, Any]:
    """Events by day and kind, until today or, where nothing happened in so many days, until something last did."""
    last = totals.span(db)[1]
    ends = today
    if last and dates.days_before(today, days - 1) > (last_day := dates.local(last, day_only=True)):
        ends = last_day
    listed = [dates.days_before(ends, ago) for ago in range(days - 1, -1, -1)]
    counted = {day: dict.fromkeys((*KINDS, OTHER), 0) for day in listed}
    for row in stored.hours(db, dates.days_before(listed[0], _LONGER)):
        day = dates.local(f"{row['hour']}:00:00.000Z", day_only=True)
        if day in counted:
            counted[day][row["kind"] if row["kind"] in KINDS else OTHER] += row["n"]
    return {"days": [{"day": day, **counted[day]} for day in listed]}


def questions(db: Db, limit: int) -> dict[str, Any]:
    """What was asked last and how much that brought, and how much each face asked."""
    return {
        "questions": [{name: row[name] for name in row.keys()} for row in stored.questions(db, limit)],  # noqa: SIM118
        "faces": [dict(row) for row in stored.faces(db)],
    }
