"""From the words for what blocks a task to the entity that they mean.

A URL, an issue key or `owner/repo#n` is an artifact; the exact name of a task is that task; everything else is a
condition, with the tasks that may be meant kept beside it. No task is made up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pith.domain import knowledge
from pith.domain.entities import (
    ARTIFACT,
    CANCELLED,
    CONDITION,
    DONE,
    RESOLVED,
    TASK,
    Entity,
    artifact,
    condition_key,
    normalised,
    task_key,
)
from pith.errors import InputError
from pith.services.knowledge.fold import Command
from pith.store import edges, entities
from pith.store.database import Db

LIKELY = 0.5  # share of a condition's words that a task's title has in common with it
_MOST = 5


@dataclass(frozen=True)
class Blocker:
    """The words for a blocker, and what is known of where they stand (span, confidence, source_event_id)."""

    raw_text: str
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_proved(self) -> bool:
        """Whether the words were found in an event."""
        return bool(self.about.get("source_event_id"))


def resolve(command: Command, project: str, said: str | Blocker, sources: Iterable[str] = ()) -> dict[str, Any]:
    """The blocker as it stands in a change: its entity, declared when it is new, and the words for it."""
    blocker = said if isinstance(said, Blocker) else Blocker(said)
    text = " ".join(blocker.raw_text.split())
    if not text:
        raise InputError("A blocker needs a few words.", hint="Name an issue, a URL, a task, or say what is missing.")
    entity = _artifact(command, text, sources) or _named(command.db, project, text)
    id = entity.entity_id if entity else _condition(command, project, text, sources)
    return {"entity": id, "raw_text": text, **blocker.about}


def _artifact(command: Command, text: str, sources: Iterable[str]) -> Entity | None:
    named = artifact(text)
    if named is None:
        return None
    known = entities.find_by_canonical_key(command.db, named.key)
    if known is None:
        id = knowledge.entity_id(named.key)
        payload = {"artifact": id, "key": named.key, "title": named.title, "url": named.url}
        command.append(knowledge.ARTIFACT_DECLARED, payload, sources=sources)
        known = entities.by_id(command.db, id)
    return known if known is not None and known.entity_type == ARTIFACT else None


def _named(db: Db, project: str, text: str) -> Entity | None:
    """The entity that is called exactly so, by its id, or by the name of a task."""
    known = entities.by_id(db, text) or entities.find_by_canonical_key(db, task_key(project, text))
    return known if known is not None and (known.entity_type == TASK or known.entity_id == text) else None


def _condition(command: Command, project: str, text: str, sources: Iterable[str]) -> str:
    """The condition of these words; one that was settled holds again when it is stated again."""
    key = condition_key(project, text)
    known = entities.find_by_canonical_key(command.db, key)
    id = known.entity_id if known else knowledge.entity_id(key)
    if known is None or is_settled(command.db, id):
        payload = {"condition": id, "key": key, "title": text, "candidates": likely_tasks(command.db, text)}
        command.append(knowledge.CONDITION_DECLARED, payload, sources=sources)
    return id


def likely_tasks(db: Db, text: str) -> list[str]:
    """Open tasks that share much of their words with the text, the likeliest first."""
    wanted = set(normalised(text).split())
    scored = []
    for task in entities.listed(db, TASK):
        words = set((task.title_norm or "").split())
        if task.state not in (DONE, CANCELLED) and words:
            share = len(wanted & words) / min(len(wanted), len(words)) if wanted else 0
            if share >= LIKELY:
                scored.append((-share, task.entity_id))
    return [id for _, id in sorted(scored)[:_MOST]]


def resolved_as(db: Db, condition: str) -> list[str]:
    """The entity that a condition was found to be, if it was."""
    return [edge.dst_id for edge in edges.find_by_src(db, condition, "resolves_to")]


def effective(db: Db, id: str) -> str:
    """What stands at the end of a chain of conditions that were found to be something else; a circle ends."""
    seen = {id}
    while following := [target for target in resolved_as(db, id) if target not in seen]:
        id = following[0]
        seen.add(id)
    return id


def is_settled(db: Db, id: str) -> bool:
    """Whether a blocker blocks no more: at its end stands a done task or a resolved condition."""
    end = entities.by_id(db, effective(db, id))
    return end is None or (end.entity_type, end.state) in ((TASK, DONE), (CONDITION, RESOLVED))
