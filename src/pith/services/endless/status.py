"""Where endless mode stands, and what the last day looked like, as data that every face prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pith import platform
from pith.domain import continuity
from pith.domain.endless import DAY_MS, HOUR_MS
from pith.services import memory_recall
from pith.services.config import Settings
from pith.services.endless import about, contexts, due, window
from pith.services.endless.contexts import Link, Snapshots
from pith.services.endless.rules import CANDIDATE_MS, Rules
from pith.services.endless.summarizers import SWITCH
from pith.services.endless.window import Kept
from pith.services.knowledge import extractors
from pith.store import citations, memories, working_set
from pith.store import continuity as stored
from pith.store.database import Db

TOPICS, FILES, MEMORIES = 8, 8, 5
_SHOWN = 160  # characters of an event


def status(db: Db, settings: Settings, now_ms: int) -> dict[str, Any]:
    """Mode, working set and its span, continuity and what it means, memories, last consolidation, topics, files."""
    rules, common = Rules(settings), about.common(db)
    kept = window.current(db, rules, now_ms, common=common) if settings.is_endless else []
    times = sorted(one.row["at"] for one in kept)
    last = due.state(db)
    return {
        "mode": "endless" if settings.is_endless else "session",
        "source": _source(settings),
        "working_set": {
            "events": len(kept),
            "most": rules.most,
            "hours": rules.window_ms / HOUR_MS,
            "first_at": times[0] if times else None,
            "last_at": times[-1] if times else None,
        },
        "continuity": _continuity(db, rules, common),
        "memories": memories.count(db),
        "candidates": len(working_set.candidates(db, platform.stamp(max(0, now_ms - CANDIDATE_MS)), 0)),
        "last_consolidation": last.at or None,
        "due": due.why(db, settings, now_ms) or None,
        "topics": topics(kept),
        "files": files(kept),
        "model": {**extractors.spending(db, settings), "enabled": bool(settings.get(SWITCH))},
    }


def _source(settings: Settings) -> str:
    """Which source decides the mode."""
    found = (layer.source for layer in settings.layers if {"mode", "endless.enabled"} & layer.values.keys())
    return next(found, "default")


def _continuity(db: Db, rules: Rules, common: Any) -> dict[str, Any]:
    found = contexts.latest(db)
    if not found:
        return _told(None)
    return _told(contexts.present(db, found[-1], found, Snapshots(db, common), rules))


def _told(link: Link | None) -> dict[str, Any]:
    kind = link.kind if link else continuity.UNKNOWN
    score = round(link.score, 3) if link and link.score is not None else None
    return {"score": score, "type": kind, "meaning": continuity.MEANING[kind]}


def topics(kept: Sequence[Kept]) -> list[str]:
    """What the working set is about, the most frequent first."""
    counted: dict[str, int] = {}
    forms: dict[str, str] = {}
    for one in kept:
        for key, form in one.topics.items():
            counted[key] = counted.get(key, 0) + 1
            forms.setdefault(key, form)
    return [forms[key] for key in sorted(counted, key=lambda key: (-counted[key], key))[:TOPICS]]


def files(kept: Sequence[Kept]) -> list[str]:
    """The files that it touched, the latest first."""
    newest = sorted(kept, key=lambda one: one.row["at"], reverse=True)
    return list(dict.fromkeys(path for one in newest for path in one.files))[:FILES]


def items(db: Db, settings: Settings, now_ms: int) -> list[dict[str, Any]]:
    """What is in the working set, the most relevant first."""
    if not settings.is_endless:
        return []
    return [_item(db, one) for one in window.current(db, Rules(settings), now_ms, common=about.common(db))]


def _item(db: Db, one: Kept) -> dict[str, Any]:
    row = one.row
    return {
        "citation": "mem:" + citations.short(db, citations.name(citations.EVENT, row["event_id"])),
        "at": row["at"],
        "kind": row["kind"],
        "session": row["session"],
        "branch": row["branch"],
        "relevance": round(one.relevance, 3),
        "topics": list(one.topics.values()),
        "files": one.files,
        "text": row["text"][:_SHOWN],
    }


# -- The last day --------------------------------------------------------------------------------------------


def timeline(db: Db, settings: Settings, now_ms: int, hours: int = 24) -> dict[str, Any]:
    """The last hours: how much happened in each, the contexts and how they followed each other, the memories made."""
    since = now_ms - hours * HOUR_MS
    rules, snapshots = Rules(settings), Snapshots(db, about.common(db))
    found = contexts.since(db, now_ms, hours * HOUR_MS / DAY_MS)
    within = [one for one in found if one.ended >= since]
    made = memories.made_since(db, platform.stamp(max(0, since)))
    return {
        "from": platform.stamp(max(0, since)),
        "to": platform.stamp(now_ms),
        "hours": _hours(db, since, hours),
        "contexts": [_context(db, one, found, snapshots, rules) for one in within],
        "memories": [memory_recall.told(db, memory_recall.Known(row)) for row in made],
        "status": status(db, settings, now_ms),
    }


def _hours(db: Db, since: int, hours: int) -> list[dict[str, Any]]:
    counted = stored.by_hour(db, platform.stamp(max(0, since)))
    told = []
    for number in range(hours + 1):
        hour = platform.stamp(since + number * HOUR_MS)[:13]
        told.append({"hour": f"{hour}:00:00.000Z", "events": counted.get(hour, {})})
    return told


def _context(db: Db, one: Any, found: Sequence[Any], snapshots: Snapshots, rules: Rules) -> dict[str, Any]:
    link = contexts.known_link(db, one, found, snapshots, rules)
    return {
        "id": continuity.context_id(one),
        "session": one.session,
        "branch": one.events[-1].branch,
        "began_at": platform.stamp(one.began),
        "ended_at": platform.stamp(one.ended),
        "events": len(one.events),
        "topics": snapshots.shown(one),
        "files": list(snapshots.of(one).files)[:FILES],
        "follows": continuity.context_id(link.previous) if link.previous else None,
        "continuity": _told(link),
    }
