"""What tests of knowledge share: a store of one's own, what was said in it, and statements that rest on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pith.domain import knowledge
from pith.domain.events import HOOK, PROMPT, Sighting
from pith.domain.evidence import Body, evidence
from pith.services import capture
from pith.services.knowledge.fold import Cause, Command
from pith.store import events
from pith.store import knowledge as stored
from pith.store.database import Db

AT = "2026-05-02T09:00:00.000Z"


def say(db: Db, text: str, at: str = AT, session: str = "s1") -> str:
    """Keep a prompt; the id of its event."""
    seq = capture.keep(db, Sighting(PROMPT, session, text, at, host="claude", channel=HOOK))
    assert seq is not None
    return str(events.read(db, [seq])[0]["id"])


def statement(db: Db, event: str, title: str, *quotes: str, type: str = "fact", **more: Any) -> dict[str, Any]:
    """A statement as an extractor gives it, its quotes looked for in the event."""
    row = events.by_id(db, event)
    assert row is not None
    body = Body(row["text"])
    found = [evidence(event, body, quote) for quote in quotes]
    return {"type": type, "title": title, "quotes": list(quotes), "evidence": found, **more}


def extract(db: Db, event: str, statements: Iterable[dict[str, Any]], build: str = "b1", at: str = AT) -> list[str]:
    """Append what an extractor drew from an event; the ids of the entries (none when it was appended before)."""
    listed = list(statements)
    with Command(db, Cause(at=at, origin="agent", branch="main", commit="abc")) as command:
        change = command.append(
            knowledge.MEMORY_EXTRACTED,
            {"source": event, "extractor": "rules", "version": "1", "build_id": build, "statements": listed},
            sources=(event,),
            anchor=knowledge.build_anchor(knowledge.MEMORY_EXTRACTED, build, event),
        )
    return [knowledge.entry_id(change.id, n) for n in range(len(listed))] if change else []


def change(db: Db, kind: str, at: str = AT, sources: Iterable[str] = (), **payload: Any) -> Any:
    """Append one change of knowledge."""
    with Command(db, Cause(at=at)) as command:
        return command.append(kind, payload, sources=sources)


def rows_of(db: Db) -> dict[str, list[tuple[Any, ...]]]:
    """Every folded row."""
    return {table: sorted(map(tuple, db.execute(f"SELECT * FROM {table}")), key=repr) for table in stored.FOLDED}
