"""Draw statements, tasks and what blocks them from events that no extractor has read yet.

Every event is read once by each extractor's build; what it states is appended as one change of knowledge under the
anchor of build and event, so that a run may be killed anywhere and begun again. `again` begins a new build, whose
statements take the place of the old one's. Never called by a hook.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pith.domain import extraction, knowledge
from pith.domain.entities import CONDITION, OPEN, normalised
from pith.domain.evidence import Body, evidence
from pith.domain.extraction import DEAD_END, STATED, Rules, Source, Statement
from pith.domain.ports import Extractor
from pith.errors import PithError
from pith.services.knowledge import ladder, reconcile, tasks
from pith.services.knowledge.blockers import Blocker
from pith.services.knowledge.fold import Cause, Command, catch_up
from pith.services.knowledge.tasks import Grounds
from pith.store import entities, extracting, meta
from pith.store import knowledge as stored
from pith.store.database import Db

WINDOW = 2000  # events that are put in the order of time before they are read: imports write them in another
BEFORE_ANSWERING = 2.0  # seconds that a command spends on new events before it answers

Progress = Callable[[int], None]
GoOn = Callable[[], bool]


@dataclass
class Report:
    """What a run did."""

    read: int = 0
    left: int = 0
    entries: int = 0
    tasks: int = 0
    resolved: int = 0
    builds: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def extract(
    db: Db,
    project: str,
    extractors: Sequence[Extractor] = (),
    *,
    again: bool = False,
    seconds: float | None = None,
    go_on: GoOn | None = None,
    progress: Progress | None = None,
) -> Report:
    """Read what is new (with `again` everything, as a new build), for so many seconds and while `go_on()` at most.

    An extractor that cannot answer is left at the event it stands at; the others go on.
    """
    catch_up(db)
    report = Report()
    may_go_on = _until(seconds, go_on)
    for extractor in extractors or (Rules(),):
        build = _build(db, extractor, again)
        report.builds[extractor.name] = build
        try:
            _run(db, project, extractor, build, report, may_go_on, progress)
        except PithError as error:
            report.problems.append(f"{extractor.name}: {error}")
        report.left += extracting.waiting(db, _projection(extractor))
    ladder.climb(db)
    return report


def _until(seconds: float | None, go_on: GoOn | None) -> GoOn:
    ends = None if seconds is None else time.monotonic() + seconds
    return lambda: (ends is None or time.monotonic() <= ends) and (go_on is None or go_on())


def is_behind(db: Db, extractor: Extractor | None = None) -> bool:
    """Whether events wait to be read."""
    return extracting.waiting(db, _projection(extractor or Rules())) > 0


def keep_up(db: Db, project: str) -> Report | None:
    """Read what is new before a command answers, in bounded time; None where nothing was."""
    return extract(db, project, seconds=BEFORE_ANSWERING) if is_behind(db) else None


def _projection(extractor: Extractor) -> str:
    return f"extract.{extractor.name}"


def _build(db: Db, extractor: Extractor, again: bool) -> str:
    """The id of the build that reads on; `again` begins the next one, unless one that began so is not done yet."""
    name = f"extract.{extractor.name}.build"
    with db.transaction():
        number = int(meta.get(db, name) or 1)
        unfinished = number > 1 and extracting.waiting(db, _projection(extractor)) > 0
        if again and not unfinished and stored.offset(db, _projection(extractor)) > 0:
            number += 1
            meta.put(db, name, str(number))
            stored.set_offset(db, 0, _projection(extractor))
    return f"{extractor.name}-{extractor.version}-{number}"


def _run(
    db: Db,
    project: str,
    extractor: Extractor,
    build: str,
    report: Report,
    go_on: GoOn,
    progress: Progress | None,
) -> None:
    projection = _projection(extractor)
    while rows := extracting.after(db, stored.offset(db, projection), WINDOW):
        unread = {row["seq"] for row in rows}
        until = max(unread)
        for row in sorted(rows, key=lambda row: (row["at"], row["seq"])):
            if not go_on():
                _note_where(db, min(unread) - 1, projection)
                return
            _read(db, project, extractor, build, row, report)
            unread.discard(row["seq"])
            report.read += 1
            if progress:
                progress(1)
        _note_where(db, until, projection)


def _note_where(db: Db, seq: int, projection: str) -> None:
    """Note up to where everything was read: short calls must get on, also where reading a window takes longer."""
    if seq > stored.offset(db, projection):
        with db.transaction():
            stored.set_offset(db, seq, projection)


def _read(db: Db, project: str, extractor: Extractor, build: str, row: Any, report: Report) -> None:
    """Draw from one event, in steps of which each is done once however often it is begun."""
    source = Source(row["id"], row["kind"], row["origin"], row["text"], row["command"] or "")
    anchor = knowledge.build_anchor(knowledge.MEMORY_EXTRACTED, build, source.event_id)
    known = extracting.change_of(db, anchor)
    found = known.statements if known else [with_evidence(source, one) for one in _permitted(extractor, source)]
    if known is None and (found or extracting.has_earlier_build(db, source.event_id, extractor.name)):
        _append(db, extractor, build, row, anchor, found)
        report.entries += len(found)
    if found and extractor.name == extraction.NAME:
        known = known or extracting.change_of(db, anchor)
        _block(db, project, row, found, known.id if known else "", report)
    if extractor.name == extraction.NAME:
        _resolve(db, row, report)


def _permitted(extractor: Extractor, source: Source) -> list[Statement]:
    """What an extractor draws, but for what text from tools and the web may not decide."""
    found = extractor.read(source)
    if source.origin in ("person", "agent"):
        return found
    return [one for one in found if one.type not in ("decision", "insight", "task_note")]


def _append(db: Db, extractor: Extractor, build: str, row: Any, anchor: bytes, found: list[dict[str, Any]]) -> None:
    payload = {
        "source": row["id"],
        "extractor": extractor.name,
        "version": extractor.version,
        "build_id": build,
        "statements": found,
        "stated_at": row["at"],
    }
    cause = _cause(row, f"extract:{build}:{row['id']}")
    with Command(db, cause) as command:
        change = command.append(knowledge.MEMORY_EXTRACTED, payload, sources=(row["id"],), anchor=anchor)
        if change is not None:
            ids = [knowledge.entry_id(change.id, number) for number in range(len(found))]
            reconcile.reconcile(command, ids, sources=(row["id"],))


def _cause(row: Any, name: str) -> Cause:
    return Cause(at=row["at"], origin="agent", command=name, branch=row["branch"], commit=row["commit_id"])


def with_evidence(source: Source, said: Statement) -> dict[str, Any]:
    """A statement as an event holds it: its quotes found in the text, and how far it may be trusted."""
    body = Body(source.text)
    found = [evidence(source.event_id, body, quote) for quote in said.quotes]
    whole = bool(found) and all(one["method"] != "failed" for one in found)
    content: dict[str, Any] = {"standing": said.standing, "origin": source.origin}
    content |= {name: value for name, value in (("task", said.task), ("blocked_by", said.blocked_by)) if value}
    trusted = whole and said.standing in (STATED, DEAD_END) and source.origin in ("person", "agent")
    return {
        "type": said.type,
        "title": said.title,
        "text": said.text,
        "quotes": list(said.quotes),
        "evidence": found,
        "content": content,
        "key": f"{said.type}:{normalised(said.text)}",
        "stage": "working" if trusted else "raw",
    }


# -- Tasks ---------------------------------------------------------------------------------------------------


def _block(db: Db, project: str, row: Any, found: Iterable[dict[str, Any]], change: str, report: Report) -> None:
    """Let the tasks that a text says are blocked be blocked, by what it says blocks them."""
    for number, said in enumerate(found):
        title, words = said["content"].get("task"), said["content"].get("blocked_by")
        if not title or not words:
            continue
        grounds = Grounds((row["id"],), (knowledge.entry_id(change, number),) if change else ())
        name = f"extract:{row['id']}:{knowledge.derived_id(normalised(title), normalised(words))}"
        try:
            task = tasks.create(db, project, title, grounds=grounds, cause=_cause(row, f"{name}:create"))
            blocker = Blocker(words, _where(row, words, said))
            tasks.state_blockers(
                db, project, task.entity_id, [blocker], grounds=grounds, cause=_cause(row, f"{name}:block")
            )
            report.tasks += 1
        except PithError:
            continue  # it cannot be blocked as it stands (done, or by itself); that was written down


def _where(row: Any, words: str, said: dict[str, Any]) -> dict[str, Any]:
    """Where the words for a blocker stand; else where the sentence does."""
    one = evidence(row["id"], Body(row["text"]), words)
    if one["method"] == "failed":
        one = next((each for each in said["evidence"] if each["method"] != "failed"), one)
    if one["method"] == "failed":
        return {}
    span = {"start": one["start"], "end": one["end"]}
    return {"span": span, "confidence": one["confidence"], "source_event_id": row["id"]}


def _resolve(db: Db, row: Any, report: Report) -> None:
    """Settle open conditions of which a person or an agent says that what they waited for is there."""
    if row["kind"] not in ("prompt", "response", "summary") or row["origin"] not in ("person", "agent"):
        return
    waiting = [one for one in entities.listed(db, CONDITION, (OPEN,)) if str(one.current.get("since", "")) < row["at"]]
    if not waiting:
        return
    for sentence in extraction.sentences(row["text"]):
        for condition in waiting:
            if extraction.settles(sentence, condition.title):
                cause = _cause(row, f"extract:{row['id']}:{condition.entity_id}:resolve")
                tasks.resolve(
                    db, condition.entity_id, evidence=sentence, resolution="auto_resolved", confidence=0.9,
                    grounds=Grounds((row["id"],)), cause=cause,
                )  # fmt: skip
                report.resolved += 1
