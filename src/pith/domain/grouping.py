"""From events to groups that become memories: by topic, each event in one group, none of fewer than three.

A group begins with a topic. Groups that share most of their events merge, and what still stands in two of them goes
where it has most in common: one event never tells two memories the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp

LEAST = 3  # events of a group
LARGEST = 40  # of more than that a thousand characters tell too little: the group is parted where the work rested most
MOST_SHARED = 0.5  # groups that share more than this of the smaller one are one
CLOSE_MS = 6 * 3_600_000  # how far apart events may be to count as close
ENOUGH = 10  # events from which on more of them make a memory no surer


@dataclass(frozen=True, slots=True)
class Grouped:
    """An event as it is grouped: its time in milliseconds and its topics, key -> weight or form."""

    id: str
    at: int
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Events about the same, in the order of time, and what they have in common, the most common first."""

    topics: tuple[str, ...]
    events: tuple[Grouped, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(event.id for event in self.events)


def grouped(events: Iterable[Grouped]) -> list[Group]:
    """The groups of three or more, the earliest first; whatever fits none of them is left out."""
    left = {event.id: event for event in events}
    groups: list[Group] = []
    # What one round leaves over may belong together itself: nothing must be left that another run would find.
    while found := _settled(_merged(_by_topic(left.values())), left):
        groups += [part for ids in found for part in _parted([left[id] for id in ids])]
        left = {id: event for id, event in left.items() if not any(id in ids for ids in found)}
    groups.sort(key=lambda group: (group.events[0].at, group.ids))
    return groups


def _by_topic(events: Iterable[Grouped]) -> list[frozenset[str]]:
    holding: dict[str, set[str]] = {}
    for event in events:
        for topic in event.topics:
            holding.setdefault(topic, set()).add(event.id)
    # The smaller first: a telling topic gathers few, and a broad one joins only what mostly stands in it.
    sets = {frozenset(ids) for ids in holding.values() if len(ids) >= LEAST}
    return sorted(sets, key=lambda ids: (len(ids), sorted(ids)))


def _merged(sets: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Groups of which none shares most of its events with another."""
    merged: list[frozenset[str]] = []
    for each in sets:
        one = each
        while (other := _akin(one, merged)) is not None:
            merged.remove(other)
            one |= other
        merged.append(one)
    return merged


def _akin(one: frozenset[str], others: Sequence[frozenset[str]]) -> frozenset[str] | None:
    for other in others:
        small, large = sorted((len(one), len(other)))
        shared = len(one & other)
        # A large group does not swallow the small ones at its edge: their events are settled one by one.
        if shared > MOST_SHARED * large or (shared > MOST_SHARED * small and small + large - shared <= LARGEST):
            return other
    return None


def _settled(groups: Sequence[frozenset[str]], known: Mapping[str, Grouped]) -> list[list[str]]:
    """Each event in the one group with which it shares most topics; groups that become too small dissolve."""
    left = list(groups)
    while True:
        common = [_counts(known[id] for id in group) for group in left]
        taken: list[list[str]] = [[] for _ in left]
        for id in sorted({id for group in left for id in group}):
            # A place is better where the topics of the event are those of many; between equals the smaller group.
            ways = [
                (-sum(common[at].get(topic, 0) / len(group) for topic in known[id].topics), len(group), at)
                for at, group in enumerate(left)
                if id in group
            ]
            taken[min(ways)[2]].append(id)
        small = sorted((len(ids), at) for at, ids in enumerate(taken) if len(ids) < LEAST)
        if not small:
            return taken
        # Half of them at a time: what the smallest give up may keep the others whole.
        for at in sorted((at for _, at in small[: (len(small) + 1) // 2]), reverse=True):
            del left[at]


def _counts(events: Iterable[Grouped]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for event in events:
        for topic in event.topics:
            counted[topic] = counted.get(topic, 0) + 1
    return counted


def _parted(events: list[Grouped]) -> list[Group]:
    """One group, or several where one would be too large: parted at the longest rests that leave three on each side."""
    events = sorted(events, key=lambda event: (event.at, event.id))
    if len(events) <= LARGEST:
        return [group(events)]
    cuts = range(LEAST, len(events) - LEAST + 1)
    middle = len(events) / 2
    cut = max(cuts, key=lambda at: (events[at].at - events[at - 1].at, -abs(at - middle)))
    return _parted(events[:cut]) + _parted(events[cut:])


def group(events: Iterable[Grouped]) -> Group:
    """These events as one group."""
    ordered = tuple(sorted(events, key=lambda event: (event.at, event.id)))
    return Group(_common(ordered), ordered)


def _common(events: Sequence[Grouped]) -> tuple[str, ...]:
    counted = _counts(events)
    kept = [topic for topic, count in counted.items() if count > 1]
    return tuple(sorted(kept, key=lambda topic: (-counted[topic], topic))[:5])


def confidence(group: Group) -> float:
    """How far a memory may be relied on, 0 to 1: how many events, how close in time, how much about the same."""
    return (count_score(len(group.events)) + closeness(group.events) + coherence(group.events)) / 3


def count_score(count: int) -> float:
    """How much the number of events proves."""
    return min(1.0, count / ENOUGH)


def closeness(events: Sequence[Grouped]) -> float:
    """How close events follow each other: 1 at once, less with every hour between two of them."""
    times = sorted(event.at for event in events)
    gaps = [later - earlier for earlier, later in pairwise(times)]
    return sum(exp(-gap / CLOSE_MS) for gap in gaps) / len(gaps) if gaps else 1.0


def coherence(events: Sequence[Grouped]) -> float:
    """How much events are about the same: of an average event's topics, the share of the others that have it too."""
    if len(events) < 2:
        return 1.0
    counted, others = _counts(events), len(events) - 1
    shares = [max(((counted[topic] - 1) / others for topic in event.topics), default=0.0) for event in events]
    return sum(shares) / len(shares)
