"""Times as the store writes them (`2026-11-30T09:00:00.123Z`), reckoned with. On the hook's path."""

from __future__ import annotations


def milliseconds(at: str) -> int:
    """The milliseconds since 1970 of a time; 0 where it is none."""
    try:
        year, month, day = int(at[:4]), int(at[5:7]), int(at[8:10])
        seconds = int(at[11:13]) * 3600 + int(at[14:16]) * 60 + float(at[17:].rstrip("Z") or 0)
    except ValueError:
        return 0
    # Days since 1970 in the calendar of all years, counted from March so that a leap day ends the year.
    year -= month < 3
    days = year * 365 + year // 4 - year // 100 + year // 400 + (153 * ((month + 9) % 12) + 2) // 5 + day - 719_469
    return days * 86_400_000 + round(seconds * 1000)
