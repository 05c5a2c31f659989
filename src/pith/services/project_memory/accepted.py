"""Accepted nodes for somebody who asks at the terminal: the copy in the store is brought up to date first."""

from __future__ import annotations

import os

from pith import platform
from pith.errors import NotFound, PithError, StoreUnavailable
from pith.services import node_recall
from pith.services.node_sources import Copied, Known, Table, here, index_of, is_gone
from pith.store import citations, nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.services.location import Place
    from pith.services.meaning.nearness import Meaning
    from pith.store.database import Db


def found(db: Db, place: Place, question: str, most: int, meaning: Meaning | None = None) -> list[Known]:
    """The nodes that answer a question, those that hold first; none without project memory."""
    up_to_date(db, place)
    source = here(db, place.root, place.directory, place.commit or "", platform.now()[:10]).nodes
    return node_recall.find(db, source, question, most, meaning=meaning) if source else []


def cited(db: Db, place: Place, text: str) -> Known | None:
    """The node that a citation names; None when it names something else."""
    up_to_date(db, place)
    kind, id = citations.find(db, text)
    if kind != nodes.NODE:
        return None
    copied = Copied.of(db)
    known = Table(db, copied, place.commit or "", platform.now()[:10]).named(id) if copied else None
    if known is None:
        raise NotFound(f"{text} is the node {id}, which is not in this work tree.", hint="Look in git's history.")
    return known


def up_to_date(db: Db, place: Place) -> bool:
    """Copy the nodes into the store where they may have changed, and tell the log; whether that was done.

    Asking works without it, from the copy as it is or from the index: a store that cannot be written is no reason to
    fail.
    """
    index = index_of(place.root, place.directory)
    copied = Copied.of(db)
    if index is None and not is_gone(copied, place):
        return False
    # What a refresh needs (YAML, above all) takes longer to load than a question does.
    now = (place.commit or "", platform.now()[:10])
    if copied and index and copied.is_of(index) and (copied.commit, copied.day) == now:
        return False
    from pith.services.project_memory import nodes_refresh

    try:
        return nodes_refresh.refresh(db, place)
    except (PithError, StoreUnavailable, OSError):
        return False


def after_change(root: str | os.PathLike[str]) -> None:
    """Bring the store's copy up to date after a command has changed project memory, where there is a store."""
    from pith.services import location, lookup, project

    try:
        place = location.locate(os.fspath(root))
        found = project.find(platform.home(), place)
        if found and lookup.exists(found.folder):
            with lookup.open_to_ask(found.folder) as db:
                up_to_date(db, place)
    except (PithError, OSError):
        return
