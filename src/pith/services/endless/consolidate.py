"""Put events of the last days into memories: grouped by topic, told in a few cited sentences, each event once.

What is to be done is planned first, and the plan kept (ids only): a run that is killed anywhere is carried on by the
next one, with the same memories in the end. Each memory is written in a transaction of its own, with what it takes out
of the working set; nothing that went into none leaves it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from typing import Any

from pith import platform
from pith.domain import grouping, knowledge, memories
from pith.domain.events import AGENT, PROMPT, TOOL
from pith.domain.grouping import Grouped
from pith.domain.summarising import Material, told
from pith.domain.times import milliseconds
from pith.domain.topics import Commonness
from pith.services.config import Settings
from pith.services.endless import about, contexts, due, summarizers, window
from pith.services.endless.due import PLAN, State
from pith.services.endless.rules import CANDIDATE_MS, Rules
from pith.services.endless.summarizers import Writers
from pith.services.knowledge import fold
from pith.services.knowledge.fold import Cause, Command
from pith.store import citations, meta, search, working_set
from pith.store.database import Db

READ = 2_400  # characters of an event that a summary reads
FILES = 12  # of a memory that are named
MOST = 2_000  # events that are grouped at once, the oldest first


@dataclass
class Report:
    """What a run did."""

    memories: list[str] = field(default_factory=list)
    events: int = 0
    left: int = 0
    contexts: int = 0
    finished: bool = True
    problems: list[str] = field(default_factory=list)


def run(
    db: Db,
    settings: Settings,
    now_ms: int,
    *,
    writers: Writers | None = None,
    spare: Container[str] = (),
    go_on: Callable[[], bool] = lambda: True,
) -> Report:
    """Consolidate what there is, whether it is due or not; safe to be killed, and to be run twice.

    `spare` are events that are left where they are.
    """
    fold.catch_up(db)
    rules, report = Rules(settings), Report()
    writers = writers or summarizers.chosen(db, settings)
    report.contexts = contexts.log_new(db, rules, now_ms)
    common = about.common(db)
    unfinished = _plan(db)
    if unfinished:
        _carry_out(db, unfinished, common, writers, report, go_on)
    goes_on = report.finished
    while goes_on:
        plan, before = _planned(db, now_ms, spare), len(report.memories)
        _carry_out(db, plan, common, writers, report, go_on)
        goes_on = plan["more"] and report.finished and len(report.memories) > before
    if report.finished:
        report.left = due.state(db).left
    if settings.is_endless:
        window.tidy(db, rules, now_ms)
    report.problems = writers.problems
    return report


def _carry_out(
    db: Db, plan: dict[str, Any], common: Commonness, writers: Writers, report: Report, go_on: Callable[[], bool]
) -> None:
    """Make the memories of a plan, one after the other, and take it away when all are made."""
    for ids in plan["groups"]:
        if not go_on():
            report.finished = False
            return
        made = _remember(db, ids, plan["at"], common, writers)
        if made:
            report.memories.append(made)
            report.events += len(ids)
    _finish(db, plan)


# -- The plan ------------------------------------------------------------------------------------------------


def _plan(db: Db) -> dict[str, Any] | None:
    """The plan of a run that was killed, if there is one."""
    try:
        known = json.loads(meta.get(db, PLAN) or "null")
        return known if isinstance(known["groups"], list) and isinstance(known["at"], str) else None
    except (ValueError, TypeError, KeyError):
        return None


def _planned(db: Db, now_ms: int, spare: Container[str]) -> dict[str, Any]:
    """A new plan: which events become memories together."""
    until = search.last(db)
    rows = working_set.candidates(db, platform.stamp(max(0, now_ms - CANDIDATE_MS)), about.READ)
    rows = [row for row in rows if row["id"] not in spare]
    groups = [list(group.ids) for group in grouping.grouped(_grouped(rows[:MOST], about.common(db)))]
    plan = {"at": platform.stamp(now_ms), "until": until, "groups": groups, "more": len(rows) > MOST}
    with db.transaction():
        meta.put(db, PLAN, json.dumps(plan))
    return plan


def _grouped(rows: Sequence[Any], common: Commonness) -> list[Grouped]:
    """Events, in the order of time, with their topics.

    What a tool did is about what it was asked for too, and so is an answer that names nothing itself.
    """
    known: dict[str, tuple[str, ...]] = {}
    found = []
    for row in rows:
        own = tuple(about.topics_of(row, common))
        if (row["kind"] == TOOL or not own) and (asked := row["asked"]):
            if asked not in known:
                known[asked] = tuple(about.topics_of({"kind": PROMPT, "text": asked}, common))
            own = tuple(dict.fromkeys((*own, *known[asked])))
        found.append(Grouped(row["id"], milliseconds(row["at"]), own))
    return found


def _finish(db: Db, plan: dict[str, Any]) -> None:
    """Take the plan away and note that it was carried out, and how many events are in no memory."""
    since = platform.stamp(max(0, milliseconds(plan["at"]) - CANDIDATE_MS))
    left = len(working_set.candidates(db, since, 0))
    with db.transaction():
        due.note(db, State(plan["at"], int(plan["until"]), left))
        meta.drop(db, PLAN)


# -- One memory ----------------------------------------------------------------------------------------------


def _remember(db: Db, ids: Sequence[str], at: str, common: Commonness, writers: Writers) -> str:
    """Write the memory of some events; nothing when they are in one already, or some of them were forgotten."""
    rows = working_set.named(db, ids, READ)
    if len(rows) != len(ids) or not working_set.still_free(db, ids):
        return ""
    payload = _payload(rows, common, writers)
    cause = Cause(at=at, origin=AGENT, command=f"consolidate:{memories.memory_id(ids)}")
    with Command(db, cause) as command:
        if not working_set.still_free(db, ids):  # a language model took its time, and another process was faster
            return ""
        command.append(knowledge.MEMORY_CONSOLIDATED, payload, sources=sorted(ids), anchor=memories.anchor(ids))
    return memories.memory_id(ids) if command.changes else ""


def _payload(rows: Sequence[Any], common: Commonness, writers: Writers) -> dict[str, Any]:
    found = {row["id"]: about.topics_of(row, common) for row in rows}
    group = grouping.group(_grouped(rows, common))
    forms = {key: form for topics in found.values() for key, form in topics.items()}
    events = [Material(row["id"], row["kind"], row["origin"], milliseconds(row["at"]), row["text"]) for row in rows]
    summary = writers.tell(events, group.topics)
    cite = {row["id"]: citations.name(citations.EVENT, row["id"]) for row in rows}
    return {
        "events": list(group.ids),
        "summary": told(summary.sentences, cite),
        "summarizer": summary.summarizer,
        "version": summary.version,
        "confidence": round(grouping.confidence(group), 4),
        "topics": [forms[key] for key in group.topics if key in forms],
        "files": _files(rows),
        "branches": sorted({row["branch"] for row in rows if row["branch"]}),
        "first_at": rows[0]["at"],
        "last_at": rows[-1]["at"],
    }


def _files(rows: Sequence[Any]) -> list[str]:
    counted: dict[str, int] = {}
    for row in rows:
        for path in about.files_of(row):
            counted[path] = counted.get(path, 0) + 1
    return sorted(counted, key=lambda path: (-counted[path], path))[:FILES]
