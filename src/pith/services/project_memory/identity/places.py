"""Where everything stands on the map: parts around the part that contains them, memories around what they are about.

The same graph gives the same map: nothing is left to chance, and numbers are rounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pith.domain.structure import DOMAIN, MODULE, PROJECT, Structure
from pith.services.project_memory.identity.graphs import UNMAPPED
from pith.services.project_memory.identity.sources import Memory

CORE = {PROJECT: 13.0, MODULE: 9.0, DOMAIN: 7.5, UNMAPPED: 8.0}
SMALL, HUB = 4.5, 4.0  # other parts; the middle of the memories of one kind
# For so many memories: how large one is, how far apart they stand, the air between circles. Few ones leave room for
# their names.
SPACES = ((12, 8.0, 46.0, 34.0), (80, 6.0, 22.0, 16.0), (10**9, 5.0, 14.0, 9.0))
NEAREST = 230.0  # half of what is seen at least: three dots must not fill the screen
TOGETHER, FEW = 14, 4  # so many memories stand in one circle, and more while there are but few of each kind

Point = tuple[float, float]
_TURN = math.pi * (3 - math.sqrt(5))  # the golden angle: neighbours on the spiral never line up


@dataclass(frozen=True, slots=True)
class Space:
    """The radius of a memory, the distance between two, and the air between circles."""

    dot: float
    step: float
    gap: float


@dataclass(slots=True)
class Spot:
    """A circle on the map: the middle of a part or of a kind, with the memories right around it."""

    id: str
    type: str
    title: str
    core: float
    memories: list[int] = field(default_factory=list)
    inner: list[Spot] = field(default_factory=list)
    radius: float = 0.0  # of the circle around it and everything inside
    middle: Point = (0.0, 0.0)  # of its core, seen from the middle of that circle
    at: Point = (0.0, 0.0)  # of the middle of the circle, seen from the one around it

    @property
    def count(self) -> int:
        """How many memories are in it, at any depth."""
        return len(self.memories) + sum(each.count for each in self.inner)


@dataclass(slots=True)
class Map:
    """Absolute places: spots with their core and surrounding circle, memories by number, and the frame around all."""

    space: Space
    spots: list[tuple[Spot, Point, Point]] = field(default_factory=list)
    memories: dict[int, Point] = field(default_factory=dict)
    links: list[tuple[Point, Point]] = field(default_factory=list)
    spokes: list[tuple[Point, Point]] = field(default_factory=list)
    frame: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


def plan(memories: Sequence[Memory], drawn: Structure, homes: Mapping[str, list[str]]) -> Map:
    """Give everything its place."""
    root = _tree(memories, drawn, homes)
    space = next(Space(*rest) for most, *rest in SPACES if len(memories) <= most)
    _settle(root, space)
    found = Map(space)
    _absolute(root, (0.0, 0.0), found, None)
    found.frame = _frame(root.radius)
    return found


def _tree(memories: Sequence[Memory], drawn: Structure, homes: Mapping[str, list[str]]) -> Spot:
    spots = {part.id: Spot(part.id, part.type, part.title, CORE.get(part.type, SMALL)) for part in drawn.parts}
    parents = {part.id: part.parent for part in drawn.parts}
    lost = Spot(UNMAPPED, UNMAPPED, "Unmapped memory", CORE[UNMAPPED])
    for number, memory in enumerate(memories):
        home = homes[memory.node.id]
        (spots[home[0]] if home else lost).memories.append(number)
    for id, spot in spots.items():
        if parents[id]:
            spots[parents[id]].inner.append(spot)
    root = spots[PROJECT]
    if memories:
        _prune(root)
    if lost.memories:
        root.inner.append(lost)
    for spot in [*spots.values(), lost]:
        _part_by_kind(spot, memories)
    return root


def _prune(spot: Spot, level: int = 0) -> None:
    """Keep what memories are about, and the outer modules and domains; the list beside the map has every part."""
    for each in spot.inner:
        _prune(each, level + (each.id != f"{MODULE}:."))
    spot.inner = [each for each in spot.inner if each.count or (level == 0 and each.type in (MODULE, DOMAIN))]


def _part_by_kind(spot: Spot, memories: Sequence[Memory]) -> None:
    """Where many memories of several kinds meet, each kind gets a circle of its own."""
    spot.memories.sort(key=lambda number: (memories[number].node.kind, number))
    kinds: dict[str, list[int]] = {}
    for number in spot.memories:
        kinds.setdefault(memories[number].node.kind, []).append(number)
    if len(kinds) > 1 and len(spot.memories) > max(TOGETHER, FEW * len(kinds)):
        spot.inner += [Spot(f"{spot.id}/{kind}", "kind", kind, HUB, numbers) for kind, numbers in kinds.items()]
        spot.memories = []


# -- Circles -------------------------------------------------------------------------------------------------


def _settle(spot: Spot, space: Space) -> None:
    """Give a spot and what is inside it places relative to each other."""
    for each in spot.inner:
        _settle(each, space)
    own = spot.core
    if spot.memories:
        own = _ring(spot.core, len(spot.memories) - 1, space) + space.dot
    inner = sorted(spot.inner, key=lambda each: (-each.radius, each.id))
    circles = pack(own + space.gap / 2, [each.radius + space.gap / 2 for each in inner])
    middle, radius = _around([(0.0, 0.0, own + space.gap / 2), *circles])
    for each, (x, y, _) in zip(inner, circles, strict=True):
        each.at = (x - middle[0], y - middle[1])
    spot.middle = (-middle[0], -middle[1])
    spot.radius = radius


def _ring(core: float, number: int, space: Space) -> float:
    """How far from the middle the memory of that number stands."""
    return math.sqrt((core + space.dot + space.step / 3) ** 2 + number * space.step**2 / 1.9)


def pack(core: float, radii: Sequence[float]) -> list[tuple[float, float, float]]:
    """Place circles around a core, the largest given first, each as near to the middle as it fits without overlap."""
    placed: list[tuple[float, float, float]] = [(0.0, 0.0, core)]
    for radius in radii:
        placed.append((*_nearest_gap(placed, radius), radius))
    return placed[1:]


def _nearest_gap(placed: Sequence[tuple[float, float, float]], radius: float) -> Point:
    best: tuple[float, float, Point] | None = None
    for x, y in _candidates(placed, radius):
        distance = round(math.hypot(x, y), 3)
        key = (distance, round((math.atan2(y, x) + math.pi / 2) % math.tau, 6))
        if (best is None or key < best[:2]) and _is_free(placed, x, y, radius):
            best = (*key, (x, y))
    if best is None:  # a circle right of everything always fits
        return max(each[0] + each[2] for each in placed) + radius, 0.0
    return best[2]


def _candidates(placed: Sequence[tuple[float, float, float]], radius: float) -> Iterator[Point]:
    """Where the circle touches two others, and on the four sides of the first."""
    core = placed[0][2] + radius
    yield from ((0.0, -core), (core, 0.0), (0.0, core), (-core, 0.0))
    for i, (x1, y1, r1) in enumerate(placed):
        for x2, y2, r2 in placed[i + 1 :]:
            a, b, d = r1 + radius, r2 + radius, math.hypot(x2 - x1, y2 - y1)
            if d > a + b or d < 1e-9:
                continue
            along = (a * a - b * b + d * d) / (2 * d)
            aside = a * a - along * along
            if aside < 0:
                continue
            height, ux, uy = math.sqrt(aside), (x2 - x1) / d, (y2 - y1) / d
            yield x1 + along * ux - height * uy, y1 + along * uy + height * ux
            yield x1 + along * ux + height * uy, y1 + along * uy - height * ux


def _is_free(placed: Sequence[tuple[float, float, float]], x: float, y: float, radius: float) -> bool:
    return all((x - cx) ** 2 + (y - cy) ** 2 >= (radius + r - 0.01) ** 2 for cx, cy, r in placed)


def _around(circles: Sequence[tuple[float, float, float]]) -> tuple[Point, float]:
    """A small circle around some circles: its middle moves towards the farthest of them, less each time."""
    x = y = 0.0
    for turn in range(1, 60 if len(circles) > 1 else 1):
        cx, cy, r = max(circles, key=lambda each: math.hypot(each[0] - x, each[1] - y) + each[2])
        distance = math.hypot(cx - x, cy - y)
        reach = distance + r
        step = (reach - r) / (turn + 1) / (distance or 1.0)
        x, y = x + (cx - x) * step, y + (cy - y) * step
    return (x, y), max(math.hypot(cx - x, cy - y) + r for cx, cy, r in circles)


# -- The map -------------------------------------------------------------------------------------------------


def _absolute(spot: Spot, middle: Point, found: Map, outer: Point | None) -> None:
    core = (middle[0] + spot.middle[0], middle[1] + spot.middle[1])
    found.spots.append((spot, core, middle))
    if outer is not None:
        found.links.append((outer, core))
    for order, number in enumerate(spot.memories):
        angle, distance = order * _TURN - math.pi / 2, _ring(spot.core, order, found.space)
        found.memories[number] = (core[0] + distance * math.cos(angle), core[1] + distance * math.sin(angle))
        found.spokes.append((core, found.memories[number]))
    for each in spot.inner:
        _absolute(each, (middle[0] + each.at[0], middle[1] + each.at[1]), found, core)


def _frame(radius: float) -> tuple[float, float, float, float]:
    """What is looked at first: everything, with some air."""
    half = max(radius + 14, NEAREST)
    return -half, -half, 2 * half, 2 * half
