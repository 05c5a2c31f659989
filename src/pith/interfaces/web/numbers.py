"""Numbers as people read them, and what a reader typed as a bounded number."""

from __future__ import annotations


def size(count: int) -> str:
    """Bytes: `1.4 MB`."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} B"


def grouped(count: float | None) -> str:
    """`12,345`."""
    return f"{count or 0:,}"


def bounded(text: str | None, default: int, least: int, most: int) -> int:
    """A number that stands in an address; what is none is the default, what is beyond a bound the bound."""
    try:
        return max(least, min(most, int(text or default)))
    except ValueError:
        return default
