"""Endless mode decides here: how relevant an event is, what the working set keeps, when consolidation is due.

Pure arithmetic over times in milliseconds; no clock. On the hook's path.
"""

from __future__ import annotations

from pith.domain.topics import overlap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

SESSION, ENDLESS = "session", "endless"
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
CANDIDATE_DAYS = 7  # an event that is in no memory may still become part of one for so long

# What each kind of event is worth. A person's words weigh most, a tool's output least.
KINDS = {"prompt": 1.0, "response": 0.9, "summary": 0.9, "note": 0.7, "tool": 0.6}
RECENCY, KIND, NEARNESS, USE = 0.4, 0.25, 0.25, 0.1  # shares; together one


class Item:
    """An event as the working set weighs it. `at` in milliseconds; `used` is how often recall has shown it."""

    __slots__ = ("at", "files", "id", "kind", "topics", "used")

    def __init__(
        self, id: str, kind: str, at: int, topics: Collection[str] = (), files: Collection[str] = (), used: int = 0
    ) -> None:
        self.id, self.kind, self.at = id, kind, at
        self.topics, self.files, self.used = topics, files, used


class Focus:
    """What the work is about just now."""

    __slots__ = ("files", "topics")

    def __init__(self, topics: Collection[str] = (), files: Collection[str] = ()) -> None:
        self.topics, self.files = frozenset(topics), frozenset(files)


def relevance(item: Item, focus: Focus, now: int, window_ms: int) -> float:
    """How relevant an event is, 0 to 1: how new, of which kind, how near to the present topics and files, how used."""
    return (
        RECENCY * recency(item.at, now, window_ms)
        + KIND * KINDS.get(item.kind, 0.5)
        + NEARNESS * _nearness(item, focus)
        + USE * min(item.used, 2) / 2
    )


def recency(at: int, now: int, window_ms: int) -> float:
    """1 now, 0 at the end of the window; what a clock that was set back calls the future is new."""
    return min(1.0, max(0.0, 1 - (now - at) / window_ms)) if window_ms > 0 else 0.0


def _nearness(item: Item, focus: Focus) -> float:
    """How much of an event's topics and files is in focus; one shared file is much, half of the topics is all."""
    topics = len(focus.topics.intersection(item.topics)) / len(item.topics) if item.topics else 0.0
    files = overlap(item.files, focus.files) if item.files else 0.0
    return min(1.0, max(2 * topics, files, 0.8 if files else 0.0))


def is_expired(at: int, now: int, window_ms: int) -> bool:
    """Whether an event has left the window for its age."""
    return now - at >= window_ms


def window(
    items: Sequence[Item], focus: Focus, now: int, *, window_ms: int, most: int, floor: float
) -> list[tuple[float, Item]]:
    """What the working set holds: within the window, not below the floor, the most relevant and newest `most` first."""
    weighed = [
        (relevance(item, focus, now, window_ms), item) for item in items if not is_expired(item.at, now, window_ms)
    ]
    kept = [one for one in weighed if one[0] >= floor]
    kept.sort(key=lambda one: (-round(one[0], 9), -one[1].at, one[1].id))
    return kept[: max(0, most)]


# -- When consolidation is due -------------------------------------------------------------------------------

INTERVAL, COUNT, IDLE, ENDING = "interval", "count", "idle", "ending"


class Triggers:
    """From when on consolidation is due."""

    __slots__ = ("count", "idle_ms", "interval_ms", "least")

    def __init__(self, interval_ms: int, count: int, idle_ms: int, least: int) -> None:
        self.interval_ms, self.count, self.idle_ms, self.least = interval_ms, count, idle_ms, least


def due(triggers: Triggers, *, last: int | None, now: int, left: int, new: Sequence[int], ending: bool = False) -> str:
    """Why consolidation is due, or nothing.

    `last` is when it was looked at last, `left` how many events stayed behind then, `new` the times of those that came
    since, in the order of writing. Without anything new nothing has changed: it is never due then.
    """
    if not new or left + len(new) < triggers.least:
        return ""
    if ending:
        return ENDING
    if len(new) >= triggers.count:
        return COUNT
    # A clock that was set back must not keep it waiting; one that was never looked at counts from its first event.
    since = now - (last if last is not None else min(new))
    if since >= triggers.interval_ms or since < 0:
        return INTERVAL
    return IDLE if _paused(triggers, left, new, now) else ""


def _paused(triggers: Triggers, left: int, new: Sequence[int], now: int) -> bool:
    """Whether the work rested long enough, behind enough events: between two of them, or since the newest."""
    times = [*new, now]
    return any(
        times[at] - times[at - 1] >= triggers.idle_ms and left + at >= triggers.least for at in range(1, len(times))
    )
