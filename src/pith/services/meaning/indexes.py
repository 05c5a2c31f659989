"""Which index holds the vectors of a project: the built-in one, or LanceDB after `pith index use lancedb`.

The store says which one answers; the setting says which one is wanted. Between the two, vectors are copied.
"""

from __future__ import annotations

import os
from typing import Protocol

from pith.domain.ports import Searched, VectorIndex
from pith.errors import PithError
from pith.services.config import Settings
from pith.services.workspace import Workspace
from pith.store import meta
from pith.store.database import Db

EXACT, LANCEDB = "exact", "lancedb"
NAMES = (EXACT, LANCEDB)
ANSWERS = "meaning.index.answers"  # a fact of the store
FOLDER = "lance"  # beside the store, where no place is set


class IndexMissing(PithError):
    """The index cannot be opened in this installation."""

    code = "INDEX_MISSING"
    http_status = 503


class Index(VectorIndex, Protocol):
    """An index that can be made anew, and removed."""

    def rebuild(self) -> None:
        """Make everything that is derived from the vectors anew."""
        ...

    def drop(self) -> None:
        """Remove everything."""
        ...


def answering(db: Db) -> str:
    """The name of the index that holds the vectors and answers."""
    return meta.get(db, ANSWERS) or EXACT


def wanted(settings: Settings) -> str:
    """The name of the index that the settings ask for."""
    return str(settings.get("meaning.index"))


def opened(ws: Workspace, version: str, dimensions: int) -> Index:
    """The index that holds the vectors of an embedding version."""
    return at(ws, answering(ws.db), version, dimensions)


def to_ask(ws: Workspace, version: str, dimensions: int) -> Searched:
    """What questions about these vectors are put to: the index that holds them, or what answers for it at first."""
    name = answering(ws.db)
    if name == LANCEDB:
        return at(ws, name, version, dimensions)
    from pith.services.meaning.first import FirstAsked

    return FirstAsked(ws.db, version, dimensions, lambda: at(ws, name, version, dimensions))


def at(ws: Workspace, name: str, version: str, dimensions: int) -> Index:
    """An index by its name, whether it answers or not; nothing is opened until it is used."""
    try:
        if name == LANCEDB:
            return _lance(ws, version, dimensions)
        from pith.services.meaning.exact import ExactIndex
    except ModuleNotFoundError as error:
        raise _missing(error) from error
    return ExactIndex(ws.db, version, dimensions)


def place(ws: Workspace) -> str:
    """Where LanceDB keeps the vectors of this project: each project has a folder of its own, also in a bucket."""
    uri = str(ws.settings.get("meaning.lancedb.uri")).rstrip("/")
    if not uri:
        return os.path.join(ws.folder, FOLDER)
    uri = uri if "://" in uri else os.path.abspath(os.path.expanduser(uri))
    return f"{uri}/{os.path.basename(ws.folder)}"


def _lance(ws: Workspace, version: str, dimensions: int) -> Index:
    from pith.adapters import lance_index
    from pith.services.meaning.lance import LanceIndex

    if not lance_index.is_installed():
        raise IndexMissing(
            "The package lancedb is not installed.",
            hint="Run `pip install 'pith-memory[lancedb]'`, or `pith index use exact`.",
        )
    return LanceIndex(ws.db, version, dimensions, place(ws))


def _missing(error: ModuleNotFoundError) -> IndexMissing:
    return IndexMissing(
        f"Comparing vectors needs the package {error.name}, which is not installed.",
        hint="Run `pip install 'pith-memory[embed]'`.",
    )
