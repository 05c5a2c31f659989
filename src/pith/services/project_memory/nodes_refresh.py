"""Copy the accepted nodes of a work tree into the store, so that hooks find them; never called by a hook itself.

Here is also noticed that nodes came, changed or went, by whatever way: the log of knowledge is told (E15).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from pith.domain import retrieval as domain
from pith.domain import validity, words
from pith.domain.validity import CURRENT, State
from pith.errors import PithError
from pith.files.graph_index import Entry
from pith.services.knowledge.fold import Cause
from pith.services.location import Place
from pith.services.node_sources import GONE, Copied, index_of, is_gone
from pith.services.project_memory import accepted_nodes, graph, retrieval
from pith.services.project_memory.accepted_nodes import Difference
from pith.services.project_memory.freshness import Freshness
from pith.services.project_memory.shared import Shared, open_shared
from pith.store import citations, meta, nodes
from pith.store.database import Db

_BATCH = 200  # nodes written in one transaction: a hook waits 150 ms for the lock


def refresh(db: Db, place: Place, *, always: bool = False) -> bool:
    """Copy the nodes of the project memory that `place` belongs to, where they may differ; whether it was done.

    A work tree that never had project memory, or whose memory cannot be read, changes nothing.
    """
    index = index_of(place.root, place.directory)
    if index is None:
        return _withdraw(db, place)
    try:
        shared = open_shared(index.root)
        wanted = Copied(index.root, place.commit or "", index.mark, shared.today, words.VERSION)
        before = Copied.of(db)
        if before and not always and before.as_json() == wanted.as_json():
            return False
        entries = graph.load(shared).entries
        _copy(db, rows_of(shared, entries), anew=before is None or before.words != wanted.words)
        accepted_nodes.compare(db, accepted_nodes.live(entries), _folder(place, index.root), _cause(place))
        with db.transaction():
            meta.put(db, nodes.COPIED, wanted.as_json())
    except (PithError, OSError):
        return False
    return True


def untold(db: Db, place: Place) -> list[Difference]:
    """Where the log of knowledge does not yet say what the nodes of the work tree are."""
    index = index_of(place.root, place.directory)
    if index is not None:
        found = accepted_nodes.live(graph.load(open_shared(index.root)).entries)
        return accepted_nodes.differences(db, found, _folder(place, index.root))
    copied = Copied.of(db)
    if copied is None or not is_gone(copied, place):
        return []
    return accepted_nodes.differences(db, {}, _folder(place, copied.root))


def _withdraw(db: Db, place: Place) -> bool:
    """Say in the log that all nodes are gone, where the memory that was copied is (a branch without it); once."""
    copied = Copied.of(db)
    if not is_gone(copied, place) or copied is None:
        return False
    accepted_nodes.compare(db, {}, _folder(place, copied.root), _cause(place))
    copied.index = GONE
    with db.transaction():
        meta.put(db, nodes.COPIED, copied.as_json())
    return True


def _folder(place: Place, root: str) -> str:
    """Where in the work tree a project memory is; nothing at its top."""
    inside = os.path.relpath(root, place.root).replace(os.sep, "/")
    return "" if inside == "." else inside


def _cause(place: Place) -> Cause:
    return Cause(branch=place.branch or "", commit=place.commit or "")


def _copy(db: Db, found: list[dict[str, Any]], *, anew: bool) -> None:
    """Bring the table to these rows, in short transactions; whoever calls notes at last what it copies."""
    with db.transaction():
        meta.drop(db, nodes.COPIED)
        if anew:
            nodes.clear(db)
    before = nodes.known(db)
    rows = {row["node_id"]: row for row in found}
    changed = [row for id, row in rows.items() if before.get(id) != row]
    gone = sorted(before.keys() - rows.keys())
    for some in _batches([*changed, *gone]):
        with db.transaction():
            # Another copy may have ended since: killed in the middle, this one must leave none that looks whole.
            meta.drop(db, nodes.COPIED)
            for each in some:
                if isinstance(each, str):
                    nodes.remove(db, each)
                else:
                    nodes.put(db, each)
                    citations.give(db, nodes.NODE, each["node_id"])


def _batches(items: list[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(items), _BATCH):
        yield items[start : start + _BATCH]


def rows_of(shared: Shared, entries: list[Entry]) -> list[dict[str, Any]]:
    """Every node of the project as the table holds it, with what it is today."""
    links, _ = retrieval.links_of(shared)
    states = domain.states(entries, links, Freshness(shared).state)
    return [_row(entry, states[entry["id"]]) for entry in entries]


def _row(entry: Entry, state: State) -> dict[str, Any]:
    ends_after, end_reason = _end(entry) if state.name == CURRENT else ("", "")
    text = " ".join((entry["id"], entry["title"], entry["summary"], *entry["scope_paths"]))
    said = entry["validity"]
    return {
        "node_id": entry["id"],
        "kind": entry["node_type"],
        **{
            name: entry[name]
            for name in (
                "title", "summary", "status", "confidence", "file", "accepted_at", "since", "source_quest",
                "source_proposal",
            )
        },
        "paths": json.dumps(entry["scope_paths"], ensure_ascii=False),
        "state": state.name,
        "reason": state.reason,
        "ends_after": ends_after,
        "end_reason": end_reason,
        "on_files": int(validity.pattern_of(said.get("stale_after", "")) is not None),
        "terms": " ".join(sorted(words.terms(text))),
    }  # fmt: skip


def _end(entry: Mapping[str, Any]) -> tuple[str, str]:
    """The last day on which a node holds, and what to say from then on; nothing when no day ends it."""
    said, since = entry["validity"], validity.day(entry["since"])
    ends = []
    if (until := validity.day(said.get("valid_to", ""))) is not None:
        ends.append((until.isoformat(), f"valid_to={said['valid_to']}"))
    days = validity.days_of(said.get("stale_after", ""))
    if days is not None and since is not None:
        reason = f"last_verified_at={entry['since'][:10]}, stale_after={said['stale_after']}"
        ends.append(((since + timedelta(days=days)).isoformat(), reason))
    return min(ends, default=("", ""))
