"""Times as people say and read them, in their own time zone, against the UTC text that is stored."""

from __future__ import annotations

import time

from pith import platform
from pith.errors import InputError

_DAY = 86_400
_UNITS = {"h": 3_600, "d": _DAY, "w": 7 * _DAY, "시간": 3_600, "일": _DAY, "주": 7 * _DAY}
_DAYS_AGO = {"today": 0, "yesterday": 1, "오늘": 0, "어제": 1, "그제": 2, "그저께": 2}
_LONGEST = 36_500 * _DAY


def since(text: str) -> str:
    """The UTC time at which what a person named begins: `2026-11-01`, `7d`, `yesterday`, `어제`."""
    return _stamp(_begins(text, time.time())[0])


def until(text: str) -> str:
    """The UTC time at which what a person named is over: a day is meant whole."""
    begins, is_day = _begins(text, time.time())
    return _stamp(_midnight(begins, 1) if is_day else begins)


def local(at: str, *, day_only: bool = False) -> str:
    """Stored UTC text as the reader's clock says it: `2026-11-12 09:14`."""
    when = _seconds(at)
    if when is None:
        return at[:10] if day_only else at[:16].replace("T", " ")
    return time.strftime("%Y-%m-%d" if day_only else "%Y-%m-%d %H:%M", time.localtime(when))


def days_before(day: str, count: int) -> str:
    """The day (`2026-11-12`) so many days before another."""
    seconds = (_seconds(f"{day}T12:00:00") or 0) - count * _DAY
    return platform.stamp(max(0, seconds * 1000))[:10]


def _begins(text: str, now: float) -> tuple[float, bool]:
    """Seconds since 1970 at which it begins, and whether it names a whole day."""
    said = text.strip().lower()
    if said in _DAYS_AGO:
        return _midnight(now, -_DAYS_AGO[said]), True
    ago = _ago(said)
    if ago is not None:
        return now - ago, False
    for form, is_day in (("%Y-%m-%d", True), ("%Y-%m-%dT%H:%M", False), ("%Y-%m-%d %H:%M", False)):
        try:
            parts = time.strptime(said.upper(), form)
            return time.mktime((*parts[:8], -1)), is_day
        except (ValueError, OverflowError):
            continue
    raise InputError(
        f"`{text[:40]}` is no date.",
        hint="Write 2026-11-01, 2026-11-01T09:30, 7d, 12h, today, yesterday or 어제.",
    )


def _ago(said: str) -> int | None:
    said = said.removesuffix(" ago").removesuffix("전").strip()
    for unit, seconds in _UNITS.items():
        count = said.removesuffix(unit).strip()
        if said.endswith(unit) and count.isascii() and count.isdigit() and len(count) < 7:
            return min(int(count) * seconds, _LONGEST)
    return None


def _midnight(when: float, days: int) -> float:
    """The local midnight that begins the day of `when`, or one so many days later."""
    year, month, day = time.localtime(when)[:3]  # not by seconds: a day need not have 24 hours
    return time.mktime((year, month, day + days, 0, 0, 0, 0, 0, -1))


def _stamp(seconds: float) -> str:
    return platform.stamp(max(0, int(seconds * 1000)))


def _seconds(at: str) -> int | None:
    """Stored UTC text as seconds since 1970; Python's own way there (calendar, datetime) loads too much."""
    try:
        year, month, day = int(at[:4]), int(at[5:7]), int(at[8:10])
        clock = int(at[11:13]) * 3_600 + int(at[14:16]) * 60 + int(at[17:19] or 0)
    except ValueError:
        return None
    year -= month <= 2
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1  # of a year that begins in March
    days = year * 365 + year // 4 - year // 100 + year // 400 + day_of_year - 719_468
    return days * _DAY + clock
