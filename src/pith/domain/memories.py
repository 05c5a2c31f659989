"""A consolidated memory: what several events together said, the fold of one event of knowledge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pith.domain import knowledge
from pith.domain.knowledge import Change
from pith.platform import sha256

MEMORY = "memory"  # as citations name them


@dataclass(frozen=True, slots=True)
class Memory:
    """A summary, the events that it rests on, how far it goes, and what they were about."""

    memory_id: str
    summary: str
    events: tuple[str, ...]
    confidence: float
    created_at: str
    summarizer: str
    version: str
    topics: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    first_at: str = ""
    last_at: str = ""
    branches: tuple[str, ...] = ()


def memory_id(events: Iterable[str]) -> str:
    """The id of the memory of these events: consolidating them twice gives the same one."""
    return knowledge.derived_id(MEMORY, *sorted(events))


def anchor(events: Iterable[str]) -> bytes:
    """The name by which a consolidation that runs again knows that it has told these events."""
    return sha256(f"knowledge\0{MEMORY}\0{memory_id(events)}".encode())[:16]


def folded(change: Change) -> Memory:
    """The memory that a change of knowledge tells."""
    said: Mapping[str, Any] = change.payload
    return Memory(
        memory_id(said["events"]),
        str(said["summary"]),
        tuple(map(str, said["events"])),
        min(1.0, max(0.0, float(said["confidence"]))),
        change.at,
        str(said["summarizer"]),
        str(said["version"]),
        tuple(map(str, said.get("topics", ()))),
        tuple(map(str, said.get("files", ()))),
        str(said.get("first_at") or change.at),
        str(said.get("last_at") or change.at),
        tuple(map(str, said.get("branches", ()))),
    )
