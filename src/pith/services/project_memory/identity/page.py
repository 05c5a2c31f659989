"""The identity page: one HTML file that needs nothing but itself, and says everything without its script too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pith.domain.structure import Structure
from pith.services.project_memory.identity import graphs, overview, picture, places, table, tree
from pith.services.project_memory.identity.html import attribute, data_script, digest, escape, lang
from pith.services.project_memory.identity.sources import Sources

ASSETS = Path(__file__).parent / "assets"
SCHEMA = "0.3.0"


def html(sources: Sources, drawn: Structure, structure_graph: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    """The whole page. The same state gives the same bytes."""
    style, script = _asset("page.css"), _asset("page.js")
    homes = graphs.places_of(sources, drawn)
    name = summary["project_name"]
    state = _state(sources, drawn, structure_graph, summary, homes)
    return "\n".join(
        (
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{escape(name)} · project memory</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            '<a class="skip" href="#memory">Skip to the memory</a>',
            _header(name, summary),
            "<main>",
            overview.section(sources, drawn, summary),
            _FILTERS,
            '<div class="work">',
            tree.section(drawn, homes),
            '<div class="middle">',
            _map(sources, drawn, homes),
            table.section(sources, drawn, homes),
            "</div>",
            _PANEL,
            "</div>",
            overview.problems(sources),
            "</main>",
            _footer(summary),
            data_script("orange-hyper-state", state),
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        )
    )


def _asset(name: str) -> str:
    return "\n" + (ASSETS / name).read_text(encoding="utf-8")


def policy() -> str:
    """What the page may do, for a server that sends it."""
    return _policy(_asset("page.css"), _asset("page.js"))


def _policy(style: str, script: str) -> str:
    """Nothing is loaded, sent or framed; the one style and the one script of the page are known by their hash."""
    return (
        f"default-src 'none'; style-src {digest(style)}; script-src {digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _state(
    sources: Sources,
    drawn: Structure,
    structure_graph: Mapping[str, Any],
    summary: Mapping[str, Any],
    homes: Mapping[str, list[str]],
) -> dict[str, Any]:
    memory = graphs.memory_graph(sources, graphs.memories_of(sources))
    preview = {name: summary["graphPreview"][name] for name in _PREVIEW}
    return {
        "schemaVersion": SCHEMA,
        "project": {name: summary[name] for name in ("project_id", "project_name", "generatedAt")},
        "origin": summary["origin"],
        "acceptedMemoryNodes": summary["acceptedMemoryNodes"],
        "projectBoundaryActive": summary["projectBoundaryActive"],
        "nodeTypeDistribution": sources.kinds,
        "graphPreview": preview,
        "growthPreview": summary["growthPreview"],
        **graphs.READ_ONLY,
        "editingSupported": False,
        "quests": {id: sources.quests[id].title for id in _named_quests(sources)},
        "structureGraph": dict(structure_graph),
        "memoryGraph": memory,
        "sourceGraph": memory,
        "identityGraph": graphs.identity_graph(sources, drawn, homes),
    }


_PREVIEW = ("readOnly", "editingSupported", "acceptedMemoryNodes", "nodeTypeDistribution")


def _named_quests(sources: Sources) -> list[str]:
    """The quests that some memory comes from."""
    return sorted({memory.node.source_quest for memory in sources.memories} & sources.quests.keys())


def _header(name: str, summary: Mapping[str, Any]) -> str:
    as_of = summary["generatedAt"]
    shown = (
        f'<time datetime="{attribute(as_of)}">{escape(as_of[:16].replace("T", " "))} UTC</time>'
        if as_of
        else "no entry yet"
    )
    return (
        '<header class="top"><div class="title"><p class="eyebrow" data-t>Project memory</p>'
        f"<h1{lang(name)}>{escape(name)}</h1>"
        f'<p class="asof"><span data-t>As of</span> {shown} '
        f'<span class="id">{escape(summary["project_id"])}</span></p></div>'
        '<div class="notes"><p><span data-t>Graph preview is read-only</span>.</p>'
        "<p><span data-t>Graph editing is not supported</span>.</p>"
        '<button id="language" type="button" class="js quiet" lang="ko">한국어</button></div></header>'
    )


_FILTERS = (
    '<form class="filters js" id="filters" role="search" aria-label="Filter the memory">'
    '<label class="wide"><span data-t>Search</span><input id="f-text" type="search" autocomplete="off" '
    'spellcheck="false" placeholder="word, id, path, 쿠폰"></label>'
    '<label><span data-t>Type</span><select id="f-type"><option value="" data-t>All types</option></select></label>'
    '<label><span data-t>State</span><select id="f-state"><option value="" data-t>All states</option></select></label>'
    '<label><span data-t>Source quest</span><select id="f-quest">'
    '<option value="" data-t>All quests</option></select></label>'
    '<button id="reset" type="reset" data-t>Clear</button>'
    '<p id="count" role="status" aria-live="polite"></p></form>'
)

_PANEL = (
    '<aside class="panel js" id="panel" aria-labelledby="panel-title" tabindex="-1">'
    '<button id="close" type="button" class="quiet" aria-label="Close details">✕</button>'
    '<h2 id="panel-title" data-t>Details</h2><div id="panel-body">'
    '<p class="hint" data-t>Choose a memory on the map or in the table to see what it rests on.</p></div></aside>'
)


def _map(sources: Sources, drawn: Structure, homes: Mapping[str, list[str]]) -> str:
    found = places.plan(sources.memories, drawn, homes)
    return (
        '<section class="card mapbox" aria-labelledby="map-title"><div class="cardhead">'
        '<h2 id="map-title" data-t>Map</h2><div class="tools js" role="group" aria-label="Zoom">'
        '<button type="button" id="zoom-in" aria-label="Zoom in">+</button>'
        '<button type="button" id="zoom-out" aria-label="Zoom out">−</button>'
        '<button type="button" id="zoom-fit" data-t>Fit</button></div></div>'
        f'<div class="mapframe">{picture.svg(found, sources)}<div id="tip" role="presentation" hidden></div></div>'
        f"{_legend(sources)}"
        '<p class="hint js" data-t>Drag to move. Scroll while the map has the focus, or pinch, to zoom. '
        "Arrow keys go from memory to memory, Enter opens one, + − 0 zoom.</p></section>"
    )


def _legend(sources: Sources) -> str:
    kinds = "".join(
        f'<li><svg viewBox="-6 -6 12 12" aria-hidden="true"><circle class="dot k-{kind}" r="5"/></svg>'
        f"<span data-t>{kind}</span></li>"
        for kind in sources.kinds
    )
    present = {memory.state for memory in sources.memories}
    states = "".join(
        f'<li><svg viewBox="-6 -6 12 12" aria-hidden="true"><circle class="dot k-episode s-{state}" r="4.6"/></svg>'
        f"<span data-t>{state}</span></li>"
        for state in ("stale", "conflicting", "superseded", "expired", "not_yet")
        if state in present
    )
    part = (
        '<li><svg viewBox="-6 -6 12 12" aria-hidden="true"><circle class="part" r="4"/></svg>'
        "<span data-t>structure</span></li>"
    )
    return f'<ul class="legend" aria-label="Legend">{kinds}{states}{part}</ul>'


def _footer(summary: Mapping[str, Any]) -> str:
    messages = " ".join(f"<span data-t>{escape(each)}</span>" for each in summary["statusMessages"])
    return (
        f"<footer><p>{messages}</p><p><span data-t>Made by</span> {escape(summary['generated_by'])} "
        f"{escape(summary['generator_version'])}</p></footer>"
    )
