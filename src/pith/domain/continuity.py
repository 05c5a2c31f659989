"""Contexts and how one follows another: score, kind of transition, and what that means. On the hook's path.

A context is a session, or a stretch of one between rests of half an hour.
"""

from __future__ import annotations

from math import exp

from pith.domain.topics import overlap
from pith.platform import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

REST_MS = 30 * 60_000  # a rest of half an hour or more ends a context
SEAMLESS, TOPIC_SHIFT, BREAK, UNKNOWN = "seamless", "topic_shift", "break", "unknown"
SHIFT = 0.4  # from this score on the work goes on, with another topic
TOPICS, FILES, TIME, ENTITIES = 0.3, 0.2, 0.3, 0.2  # shares

MEANING = {
    SEAMLESS: "the work goes on where it stopped",
    TOPIC_SHIFT: "the work goes on, with another topic",
    BREAK: "something else was begun",
    UNKNOWN: "nothing went before",
}


class Moment:
    """An event as contexts are made of them: its number, id, session, time in milliseconds, and branch."""

    __slots__ = ("at", "branch", "id", "seq", "session")

    def __init__(self, seq: int, id: str, session: str, at: int, branch: str = "") -> None:
        self.seq, self.id, self.session, self.at, self.branch = seq, id, session, at, branch


class Context:
    """A stretch of a session, its events in the order of time."""

    __slots__ = ("events",)

    def __init__(self, events: Sequence[Moment]) -> None:
        self.events = list(events)

    @property
    def session(self) -> str:
        return self.events[0].session

    @property
    def began(self) -> int:
        return self.events[0].at

    @property
    def ended(self) -> int:
        return self.events[-1].at

    @property
    def key(self) -> tuple[int, int]:
        """Contexts are in this order."""
        return self.events[0].at, self.events[0].seq

    @property
    def branches(self) -> set[str]:
        return {event.branch for event in self.events}


class Snapshot:
    """What a context was about, as it is compared."""

    __slots__ = ("entities", "files", "topics")

    def __init__(
        self, topics: Collection[str] = (), files: Collection[str] = (), entities: Collection[str] = ()
    ) -> None:
        self.topics, self.files, self.entities = topics, files, entities


def contexts(events: Iterable[Moment]) -> list[Context]:
    """The contexts of some events, in the order in which they began."""
    open_ones: dict[str, Context] = {}
    found: list[Context] = []
    for event in sorted(events, key=lambda event: (event.at, event.seq)):
        known = open_ones.get(event.session)
        if known is not None and event.at - known.ended < REST_MS:
            known.events.append(event)
        else:
            open_ones[event.session] = Context([event])
            found.append(open_ones[event.session])
    found.sort(key=lambda context: context.key)
    return found


def predecessor(context: Context, earlier: Sequence[Context]) -> Context | None:
    """The context that one follows: the last before it on its branch, else the last: two worktrees are two lines."""
    before = [other for other in earlier if other.key < context.key]
    branch = context.events[0].branch
    same = [other for other in before if branch in other.branches]
    return max(same or before, key=lambda other: other.key, default=None)


def score(current: Snapshot, previous: Snapshot, apart_ms: float, decay_hours: float) -> float:
    """How much the current context continues the previous one, 0 to 1.

    What is empty on both sides tells nothing and is left out; the others share its weight.
    """
    weighed = [(TIME, exp(-max(0.0, apart_ms) / (decay_hours * 3_600_000)) if decay_hours > 0 else 0.0)]
    for weight, a, b in (
        (TOPICS, current.topics, previous.topics),
        (FILES, current.files, previous.files),
        (ENTITIES, current.entities, previous.entities),
    ):
        if a or b:
            weighed.append((weight, overlap(a, b)))
    return sum(weight * value for weight, value in weighed) / sum(weight for weight, _ in weighed)


def transition(value: float | None, seamless: float) -> str:
    """The kind of a transition; without a predecessor it is unknown."""
    if value is None:
        return UNKNOWN
    if value >= seamless:
        return SEAMLESS
    return TOPIC_SHIFT if value >= SHIFT else BREAK


def apart(current: Context, previous: Context) -> int:
    """How long the work rested between two contexts; none where they overlap."""
    ends = [event.at for event in previous.events if event.at <= current.began]
    return current.began - max(ends)


def context_id(context: Context) -> str:
    """A name that a context keeps while it grows: its session and its first event."""
    first = context.events[0]
    return sha256(f"context\0{first.session}\0{first.id}".encode("utf-8", "surrogatepass"))[:16].hex()
