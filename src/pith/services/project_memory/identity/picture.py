"""The map as SVG: readable without a script, which only adds zoom, labels as they fit, and choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pith.domain.structure import DOMAIN, MODULE, PROJECT
from pith.services.project_memory.identity.graphs import UNMAPPED
from pith.services.project_memory.identity.html import attribute, escape, lang
from pith.services.project_memory.identity.places import Map, Point
from pith.services.project_memory.identity.sources import Memory, Sources

_HALOED = (MODULE, DOMAIN, UNMAPPED, "kind")
_LABELLED = (PROJECT, MODULE, DOMAIN, UNMAPPED)


def svg(found: Map, sources: Sources) -> str:
    """The whole picture."""
    x, y, width, height = (_n(value) for value in found.frame)
    numbers = {memory.node.id: number for number, memory in enumerate(sources.memories)}
    layers = (
        _halos(found),
        f'<path class="link" d="{_lines(found.links)}"/>',
        f'<path class="spoke" d="{_lines(found.spokes)}"/>',
        f'<g id="relations">{_relations(found, sources, numbers)}</g>',
        f'<g id="parts">{_parts(found)}</g>',
        f'<g id="dots">{_dots(found, sources.memories)}</g>',
        f'<g id="labels">{_labels(found, sources)}</g>',
    )
    return (
        f'<svg id="map" role="img" aria-labelledby="map-title" viewBox="{x} {y} {width} {height}" '
        f'preserveAspectRatio="xMidYMid meet">{"".join(layers)}</svg>'
    )


def _n(value: float) -> str:
    """A number with one decimal at most; never `-0`."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _at(point: Point) -> str:
    return f'cx="{_n(point[0])}" cy="{_n(point[1])}"'


def _lines(pairs: Sequence[tuple[Point, Point]]) -> str:
    return "".join(f"M{_n(a[0])} {_n(a[1])}L{_n(b[0])} {_n(b[1])}" for a, b in pairs)


def _halos(found: Map) -> str:
    return "".join(
        f'<circle class="halo halo-{attribute(spot.type)}" {_at(at)} r="{_n(spot.radius - 3)}"/>'
        for spot, _, at in found.spots
        if spot.type in _HALOED and spot.count
    )


def _parts(found: Map) -> str:
    """The middles of the parts; `data-r` is how much room the part has, which says when its label fits."""
    return "".join(
        f'<circle class="part p-{attribute(spot.type)}{"" if spot.count else " bare"}" {_at(core)} '
        f'r="{_n(spot.core)}" data-id="{attribute(spot.id)}" data-r="{_n(spot.radius)}" data-count="{spot.count}" '
        f'data-title="{attribute(spot.title)}"/>'
        for spot, core, _ in found.spots
    )


def _dots(found: Map, memories: Sequence[Memory]) -> str:
    return "".join(
        f'<circle class="dot k-{memories[number].node.kind} s-{memories[number].state}" data-i="{number}" '
        f'{_at(at)} r="{_n(found.space.dot)}"/>'
        for number, at in sorted(found.memories.items())
    )


def _relations(found: Map, sources: Sources, numbers: Mapping[str, int]) -> str:
    """The kept edges, slightly bent so that two between the same nodes do not hide each other."""
    drawn = []
    for edge in sources.edges:
        a, b = numbers[edge.source], numbers[edge.target]
        (x1, y1), (x2, y2) = found.memories[a], found.memories[b]
        bend = f"{_n((x1 + x2) / 2 - (y2 - y1) * 0.14)} {_n((y1 + y2) / 2 + (x2 - x1) * 0.14)}"
        drawn.append(
            f'<path class="rel r-{edge.relation}" data-a="{a}" data-b="{b}" '
            f'd="M{_n(x1)} {_n(y1)}Q{bend} {_n(x2)} {_n(y2)}"/>'
        )
    return "".join(drawn)


def _labels(found: Map, sources: Sources) -> str:
    """Names that fit without a script: the large parts, and the memories where they are few."""
    size = max(found.frame[2] / 60, 5)
    shown = [
        _label(core[0], core[1] + spot.core + size * 1.2, spot.title, size)
        for spot, core, _ in found.spots
        if spot.type in _LABELLED and (spot.count or spot.type != DOMAIN)
    ]
    if len(sources.memories) <= 12:
        shown += [
            _label(x, y + found.space.dot + size, sources.memories[number].node.title[:28], size * 0.85)
            for number, (x, y) in sorted(found.memories.items())
        ]
    return "".join(shown)


def _label(x: float, y: float, text: str, size: float) -> str:
    return f'<text x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}"{lang(text)}>{escape(text)}</text>'
