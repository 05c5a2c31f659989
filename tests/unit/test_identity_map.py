"""Places on the map: nothing hides anything, and the same graph gives the same map."""

from __future__ import annotations

import itertools
import math

from hypothesis import given
from hypothesis import strategies as st

import memory_project as sample
from pith.domain import structure
from pith.services.project_memory.identity import places
from pith.services.project_memory.identity.sources import Memory

FILES = ["package.json", *(f"packages/{name}/src/{part}/a.ts" for name in "abcde" for part in "xyz")]


@given(core=st.floats(1, 80), radii=st.lists(st.floats(1, 120), max_size=25))
def test_packed_circles_never_overlap(core, radii):
    circles = [(0.0, 0.0, core), *places.pack(core, sorted(radii, reverse=True))]
    for at, (x1, y1, r1) in enumerate(circles):
        for x2, y2, r2 in circles[at + 1 :]:
            assert math.hypot(x1 - x2, y1 - y2) >= r1 + r2 - 0.1


def _plan(count: int) -> places.Map:
    drawn = structure.draw("shop", FILES, {})
    parts = [part.id for part in drawn.parts]
    memories = [Memory(sample.memory(number, sample.quest(number)), "file", ("fresh",)) for number in range(count)]
    homes = {
        each.node.id: [parts[number * 3 % len(parts)]] if number % 4 else [] for number, each in enumerate(memories)
    }
    return places.plan(memories, drawn, homes)


@given(count=st.integers(0, 150))
def test_every_memory_has_a_place_of_its_own_inside_the_frame(count):
    found = _plan(count)
    assert len(found.memories) == count
    spots = sorted(found.memories.values())
    assert all(math.dist(one, other) > 2 * found.space.dot - 1 for one, other in itertools.pairwise(spots))
    left, top, width, height = found.frame
    assert all(left <= x <= left + width and top <= y <= top + height for x, y in spots)


def test_the_same_graph_gives_the_same_map():
    assert _plan(120).memories == _plan(120).memories
