"""Evidence of the older shape, as lines of JSON, becomes entries and edges; the JSON stays readable in the entry.

A line is an entry of a store that had only evidence JSON: `entry_id`, `entry_type`, `title`, `content_json`, `stage`,
`created_ts`, `canonical_key`, and `evidence_json`, a list of `{canonical_key, confidence, span}`. An entry that the
store has already needs `entry_id` and `evidence_json` only. Evidence for a task that is not there yet is kept; running
`backfill` again, or the same import, draws the edge once the task exists. Stopped anywhere, both go on where they were.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pith.domain import entries as kinds
from pith.domain import knowledge
from pith.domain.edges import IllegalEdge, read_meta
from pith.domain.events import IMPORTED
from pith.domain.fold_entries import older_meta
from pith.errors import InputError
from pith.platform import sha256
from pith.services.knowledge import fold as knowledge_of
from pith.services.knowledge.fold import Cause, Command
from pith.store import edges, entities, entries, evidence
from pith.store.canonical import as_json
from pith.store.database import Db

BATCH = 100  # lines in one transaction
_BAD_SHOWN = 20

Clean = Callable[[str], str]


@dataclass
class Taken:
    """What became of the lines."""

    lines: int = 0
    entries: int = 0
    edges: int = 0
    waiting: int = 0
    damaged: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)


def bring_in(db: Db, lines: Iterable[str], clean: Clean, at: str = "") -> Taken:
    """Take lines of older entries in; what was taken before is not taken again. `clean` masks what is to be stored."""
    knowledge_of.catch_up(db)
    taken = Taken()
    batch: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        taken.lines += 1
        try:
            batch.append(_read(db, line, clean))
        except (ValueError, KeyError, TypeError, AttributeError, InputError, IllegalEdge) as error:
            taken.damaged += 1
            if len(taken.bad) < _BAD_SHOWN:
                taken.bad.append((number, str(error) or "not as it should be"))
        if len(batch) == BATCH:
            _write(db, batch, at, taken)
            batch = []
    _write(db, batch, at, taken)
    taken.edges += backfill(db, at)
    taken.waiting = sum(1 for _ in _waiting(db))
    return taken


def backfill(db: Db, at: str = "") -> int:
    """Draw the edges of older evidence whose entity exists by now; how many were drawn."""
    knowledge_of.catch_up(db)
    ready = [found for found in _waiting(db) if found[2]]
    drawn = 0
    for start in range(0, len(ready), BATCH):
        with Command(db, Cause(at=at, origin=IMPORTED)) as command:
            for entry, item, entity in ready[start : start + BATCH]:
                anchor = _anchor("edge", entry, as_json(item), entity)
                payload = {"entry_id": entry, "evidence": [item]}
                drawn += command.append(knowledge.EVIDENCE_IMPORTED, payload, anchor=anchor) is not None
    return drawn


def _waiting(db: Db) -> Iterable[tuple[str, dict[str, Any], str]]:
    """Older evidence without an edge: its entry, itself, and the entity that it means (empty where there is none)."""
    for id, _, items in evidence.each(db):
        older = [item for item in items if "canonical_key" in item]
        known = {edge.dst_id for edge in edges.find_by_src(db, id, "evidence_of")} if older else set()
        for item in older:
            entity = entities.find_by_canonical_key(db, str(item["canonical_key"]))
            if entity is None or entity.entity_id not in known:
                yield id, item, entity.entity_id if entity else ""


def _write(db: Db, batch: list[dict[str, Any]], at: str, taken: Taken) -> None:
    if not batch:
        return
    with Command(db, Cause(at=at, origin=IMPORTED)) as command:
        for payload in batch:
            before = len(edges.find_by_src(db, payload["entry_id"], "evidence_of"))
            is_new = entries.by_id(db, payload["entry_id"]) is None
            anchor = _anchor("line", payload["entry_id"], as_json(payload["evidence"]))
            if command.append(knowledge.EVIDENCE_IMPORTED, payload, anchor=anchor) is not None:
                taken.entries += is_new
                taken.edges += len(edges.find_by_src(db, payload["entry_id"], "evidence_of")) - before


def _read(db: Db, line: str, clean: Clean) -> dict[str, Any]:
    """What a line says, as a change carries it; raises where it cannot be."""
    said = json.loads(line)
    if not isinstance(said, dict) or not isinstance(said.get("entry_id"), str) or not said["entry_id"]:
        raise InputError("it names no entry_id")
    items = _parsed(said.get("evidence_json") or [])
    for item in items:
        if not isinstance(item["canonical_key"], str):
            raise InputError("a canonical_key is no text")
        read_meta("evidence_of", older_meta(item, "import"))
    payload: dict[str, Any] = {"entry_id": said["entry_id"], "evidence": [_cleaned(item, clean) for item in items]}
    if "title" in said:
        payload["entry"] = _entry(said, clean)
    elif entries.by_id(db, said["entry_id"]) is None:
        raise InputError(f"there is no entry {said['entry_id']}, and the line does not say what it states")
    return payload


def _entry(said: Mapping[str, Any], clean: Clean) -> dict[str, Any]:
    if said["entry_type"] not in kinds.TYPES or said.get("stage", "raw") not in kinds.STAGES:
        raise InputError(f"`{said['entry_type']}`, `{said.get('stage')}`: no such type or stage")
    content = _parsed(said.get("content_json") or {})
    fields = {
        "entry_type": said["entry_type"],
        "title": str(said["title"]),
        "content_json": content if isinstance(content, dict) else {"text": content},
        "stage": said.get("stage", "raw"),
        "created_ts": said.get("created_ts", ""),
        "canonical_key": said.get("canonical_key"),
    }
    cleaned: dict[str, Any] = _cleaned(fields, clean)
    return cleaned


def _parsed(value: Any) -> Any:
    """JSON that may stand as a value or as the text of one, as an older store kept it."""
    return json.loads(value) if isinstance(value, str) else value


def _cleaned(value: Any, clean: Clean) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {name: _cleaned(item, clean) for name, item in value.items()}
    if isinstance(value, list):
        return [_cleaned(item, clean) for item in value]
    return value


def _anchor(*parts: str) -> bytes:
    return sha256("\0".join(("knowledge", "evidence", *parts)).encode("utf-8", "surrogatepass"))[:16]
