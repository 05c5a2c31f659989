"""Figures of the outbox, and when they should worry somebody."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from pith.store import jobs
from pith.store.database import Db

FAILED, LATE = "VECTORS_FAILED", "VECTORS_LATE"
MANY_FAILED = 10
LONG_PENDING_MS = 3_600_000


@dataclass(frozen=True)
class Alert:
    """Something about the outbox that somebody should look at."""

    code: str
    message: str
    hint: str

    def as_json(self) -> dict[str, str]:
        return asdict(self)


def metrics(db: Db, version: str, now_ms: int) -> dict[str, Any]:
    """Counts by state, mean time of a job, age of the oldest that waits (milliseconds), when the last was done."""
    found = jobs.metrics(db, version)
    oldest = found.pop("oldest_pending")
    age = None if oldest is None else max(0, now_ms - _ms(oldest))
    return found | {"oldest_pending_age_ms": age}


def alerts(figures: dict[str, Any]) -> list[Alert]:
    """What is wrong by these figures: ten or more failed, or one that waits for more than an hour."""
    found = []
    if figures["failed"] >= MANY_FAILED:
        found.append(
            Alert(
                FAILED,
                f"{figures['failed']:,} vectors could not be made.",
                "`pith outbox status` shows why; `pith outbox retry` tries them again.",
            )
        )
    age = figures["oldest_pending_age_ms"]
    if age is not None and age > LONG_PENDING_MS:
        found.append(
            Alert(
                LATE,
                f"A vector has been wanted for {_told(age)}, and was not made.",
                "`pith work --once` does what waits, and shows what stops it.",
            )
        )
    return found


def _told(ms: int) -> str:
    hours = ms // 3_600_000
    if hours < 48:
        return f"{hours} hour{'s' * (hours != 1)}"
    return f"{hours // 24} days"


def _ms(at: str) -> int:
    return int(datetime.fromisoformat(at).timestamp() * 1000)
