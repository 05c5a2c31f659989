"""Build the identity page."""

from __future__ import annotations

import json
from typing import Any

from pith.files import atomic
from pith.files import structure as structure_files
from pith.files.layout import IDENTITY, SUMMARY
from pith.files.structure import demand_inside
from pith.services.project_memory.identity import page, sources, structure, summary
from pith.services.project_memory.shared import Shared


def composed(shared: Shared) -> tuple[str, str]:
    """The page as it would be written now, and the policy to send it with; nothing is written."""
    read = sources.read(shared)
    drawn = structure.draw(shared)
    text = page.html(read, drawn, structure.as_graph(drawn, shared), summary.of(read, shared))
    return text, page.policy()


def build(shared: Shared) -> dict[str, Any]:
    """Write the page, its summary and the structure; where the bytes would be the same, nothing is written."""
    read = sources.read(shared)
    drawn = structure.draw(shared)
    graph = structure.as_graph(drawn, shared)
    counted = summary.of(read, shared)
    text = page.html(read, drawn, graph, counted)
    structure_files.write(shared.layout, graph)
    _put(shared, SUMMARY, _by_field(counted))
    _put(shared, IDENTITY, text)
    layout = shared.layout
    return {
        "file": layout.shown(layout.path(IDENTITY)),
        "summary_file": layout.shown(layout.path(SUMMARY)),
        "summary": counted,
    }


def _by_field(whole: dict[str, Any]) -> str:
    """An object with one field on each line; indented all through, five thousand nodes would take a second more."""
    fields = (f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in whole.items())
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _put(shared: Shared, name: str, text: str) -> None:
    path, data = shared.layout.path(name), text.encode("utf-8", "replace")
    demand_inside(shared.layout, path)
    if not path.is_file() or path.read_bytes() != data:
        atomic.write(path, data)
