"""The structure graph: what the repository consists of, drawn anew and kept in `structure/structure.json`."""

from __future__ import annotations

from typing import Any

from pith.adapters import git
from pith.domain import secrets, structure
from pith.domain.structure import Structure
from pith.files import structure as files
from pith.services.project_memory.shared import Shared


def draw(shared: Shared) -> Structure:
    """Draw the repository: what git lists where git is there, else what lies in the folder."""
    root = shared.layout.root
    names = git.files(str(root))
    if names is None:
        names = files.walk(root)
    names = names[: files.MOST_FILES]
    return structure.draw(_shown(shared.config.project_name), names, files.texts(root, structure.to_read(names)))


def as_graph(drawn: Structure, shared: Shared) -> dict[str, Any]:
    """The drawing as its file and the page hold it."""
    return {
        "schema_version": 1,
        "source": "repository-structure",
        "project_id": shared.config.project_id,
        "project_name": _shown(shared.config.project_name),
        "acceptedMemory": False,
        "readOnly": True,
        "files": drawn.files,
        "omitted": drawn.omitted,
        "nodes": [
            {**part.as_json(), "title": _shown(part.title), "path": _shown(part.path), "source": _shown(part.source)}
            for part in drawn.parts
        ],
        "edges": drawn.edges(),
    }


def _shown(text: str) -> str:
    """A name as text that every encoding can carry, credentials masked."""
    return secrets.mask(text.encode("utf-8", "replace").decode("utf-8"))[0]
