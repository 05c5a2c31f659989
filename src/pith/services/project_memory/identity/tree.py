"""The structure of the project beside its memory: a tree of parts, each with how many memories are about it."""

from __future__ import annotations

from collections.abc import Mapping

from pith.domain.structure import PROJECT, Part, Structure
from pith.services.project_memory.identity.graphs import UNMAPPED
from pith.services.project_memory.identity.html import attribute, escape, lang

_OPEN = 2  # levels that are open at first


def section(drawn: Structure, homes: Mapping[str, list[str]]) -> str:
    """The whole tree, and the memories that are about no part of it."""
    inner: dict[str, list[Part]] = {}
    for part in drawn.parts:
        inner.setdefault(part.parent, []).append(part)
    counts = _counts(drawn, homes)
    lost = sum(not places for places in homes.values())
    items = "".join(_item(part, inner, counts, 0) for part in inner.get("", []))
    if lost:
        items += f'<li><div class="leaf">{_button(UNMAPPED, "Unmapped memory", "", lost, "cluster")}</div></li>'
    omitted = sum(drawn.omitted.values())
    more = f'<p class="hint">{omitted:,} <span data-t>smaller parts are not drawn.</span></p>' if omitted else ""
    hint = '<p class="hint" data-t>Drawn from file names and build files; no memory, made again each time.</p>'
    return (
        '<nav class="card structure" aria-labelledby="structure-title"><div class="cardhead">'
        f'<h2 id="structure-title" data-t>Structure</h2></div><ul class="tree">{items}</ul>{more}{hint}</nav>'
    )


def _counts(drawn: Structure, homes: Mapping[str, list[str]]) -> dict[str, int]:
    """How many memories are about each part or something inside it, each counted once."""
    parents = {part.id: part.parent for part in drawn.parts}
    counts: dict[str, int] = {}
    for places in homes.values():
        reached = set()
        for place in places:
            while place and place not in reached:
                reached.add(place)
                place = parents[place]
        for part in reached:
            counts[part] = counts.get(part, 0) + 1
    return counts


def _item(part: Part, inner: Mapping[str, list[Part]], counts: Mapping[str, int], level: int) -> str:
    button = _button(part.id, part.title, part.type, counts.get(part.id, 0), "")
    below = inner.get(part.id, [])
    if not below:
        return f'<li><div class="leaf">{button}</div></li>'
    state = " open" if level < _OPEN and (level == 0 or len(below) <= 12) else ""
    items = "".join(_item(each, inner, counts, level + 1) for each in below)
    name = attribute(f"Parts of {part.title}")
    return f'<li><details{state}><summary aria-label="{name}"></summary><ul>{items}</ul></details>{button}</li>'


def _button(id: str, title: str, type: str, count: int, extra: str) -> str:
    number = f'<span class="n">{count:,}</span>' if count else ""
    mark = (
        f'<span class="mark p-{type}" aria-hidden="true"></span>'
        if type
        else '<span class="mark lost" aria-hidden="true"></span>'
    )
    kind = f'<span class="kind" data-t>{type}</span>' if type and type != PROJECT else ""
    return (
        f'<button type="button" class="part {extra}" data-part="{attribute(id)}">{mark}'
        f'<span class="name"{lang(title)}>{escape(title)}</span>{kind}{number}</button>'
    )
