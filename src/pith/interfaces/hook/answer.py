"""What a hook answers: recalled context with a prompt, a brief when a session begins, within the deadline."""

from __future__ import annotations

import os
import time

from pith import platform
from pith.domain import context
from pith.services import brief, recall
from pith.services.location import shared_index
from pith.services.project import personal_store
from pith.store import search, usage
from pith.store.database import FILE, Db

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.domain.context import Context, Line
    from pith.interfaces.hook.payload import Call
    from pith.services.workspace import Workspace

_BRIEFED = 8  # accepted nodes, at most, that a session is told when it begins
_ASKED_TWICE_MS = 5_000
_CHECKED_EVERY = 20_000  # SQLite's virtual machine steps between two looks at the clock


def context_for(workspace: Workspace, call: Call, started: float) -> str:
    """The text to add to the session, possibly empty."""
    db, settings = workspace.db, workspace.settings
    _stop_at(db, started + float(settings.get("recall.deadlineMs")) / 1000)
    standing = _standing(workspace, call)
    taken = standing.tokens + 1 if standing.text else 0
    found = (_briefed if call.event == "SessionStart" else _recalled)(workspace, call, taken)
    found = context.joined(standing, _with_working_set(workspace, call, found, taken))
    db.connection.set_progress_handler(None, 0)
    if found.text:
        query = call.seen.text[:2000] if call.seen else f"{call.event} {call.reason}".strip()
        with db.transaction():
            if usage.is_told_since(db, call.session, query, platform.stamp(platform.now_ms() - _ASKED_TWICE_MS)):
                return ""  # the host calls pith by two ways, a plugin and its settings, and both at once
            usage.add(
                db,
                at=platform.now(),
                face="hook",
                session=call.session,
                query=query,
                shown=found.cited,
                tokens=found.tokens,
            )
            if search.has_memories(db):
                from pith.store import memories

                memories.note_use(db, found.cited, platform.now())
    return found.text


def _is_endless(workspace: Workspace, call: Call) -> bool:
    """Whether a prompt is told of the working set too."""
    settings = workspace.settings
    return bool(call.event != "SessionStart" and call.seen and settings.is_endless and settings.get("recall.hook"))


def _with_working_set(workspace: Workspace, call: Call, found: Context, taken: int) -> Context:
    """What recall found and, in endless mode, memories, the working set and the continuity beside it."""
    if not _is_endless(workspace, call) or call.seen is None:
        return found
    from pith.services.endless import prompt

    budget = int(workspace.settings.get("recall.budgetTokens")) - taken
    return prompt.beside(
        workspace.db, workspace.settings, call.seen.text[:4000], found, session=call.session, budget=budget
    )


def _standing(workspace: Workspace, call: Call) -> Context:
    """The preferences in force, always at the beginning of a session, and with a prompt where it was not told them yet.

    They take their own small share of what the session may be told, and half of it at most.
    """
    begins = call.event == "SessionStart"
    settings = workspace.settings
    share = int(settings.get("recall.preferenceTokens"))
    if not share or not settings.get("brief.enabled" if begins else "recall.hook"):
        return context.EMPTY
    personal = personal_store(workspace.home)
    has_personal = os.path.exists(os.path.join(personal, FILE))
    if not has_personal and not search.has_preferences(workspace.db):
        return context.EMPTY
    from pith.services import standing

    whole = int(settings.get("brief.budgetTokens" if begins else "recall.budgetTokens"))
    told: set[str] = set() if begins else standing.told_in(workspace.db, call.session)
    return standing.told(workspace.db, personal if has_personal else "", min(share, whole // 2), told)


def _recalled(workspace: Workspace, call: Call, taken: int) -> Context:
    settings = workspace.settings
    if not call.seen or not settings.get("recall.hook"):
        return context.EMPTY
    question = call.seen.text[:4000]
    if not recall.says_something(question):
        return context.EMPTY
    most, least = int(settings.get("recall.maxItems")), float(settings.get("recall.minConfidence"))
    budget = int(settings.get("recall.budgetTokens")) - taken
    if _is_endless(workspace, call):
        from pith.services.endless import prompt

        budget = prompt.share(budget)
    first, notice = _accepted(workspace, call, question, max(1, most // 2), least)
    first += _stated(workspace, call, question, max(1, most // 2), least)
    return recall.for_prompt(
        workspace.db,
        question,
        session=call.session,
        most=most,
        budget=budget,
        least=least,
        directory=workspace.place.directory,
        is_stored=not settings.get("capture.paused"),
        first=first,
        notice=notice,
    )


def _stated(workspace: Workspace, call: Call, question: str, most: int, least: float) -> list[Line]:
    """Lines about what was stated, for a question; for a session that begins, the tasks that are not over."""
    if not search.has_entries(workspace.db):
        return []
    from pith.services import entry_recall

    if not question:
        return entry_recall.for_session(workspace.db)
    told = recall.told_in(workspace.db, call.session)
    return entry_recall.for_prompt(workspace.db, question, most=most, least=least, told=told)


def _accepted(workspace: Workspace, call: Call, question: str, most: int, least: float = 0.0) -> tuple[list[Line], str]:
    """Lines about what people accepted here, for a question or (without one) for a session that begins; a notice."""
    place = workspace.place
    if shared_index(place.root, place.directory) is None:
        return [], ""
    from pith.services import node_recall, node_sources

    db = workspace.db
    found = node_sources.here(db, place.root, place.directory, place.commit or "", platform.now()[:10])
    if not question:
        return node_recall.for_session(db, found, most), found.notice
    told = recall.told_in(db, call.session)
    return node_recall.for_prompt(db, found, question, most=most, least=least, told=told), found.notice


def _briefed(workspace: Workspace, call: Call, taken: int) -> Context:
    settings = workspace.settings
    if not settings.get("brief.enabled"):
        return context.EMPTY
    from pith.services.endless import brief as lasting

    db = workspace.db
    accepted, notice = _accepted(workspace, call, "", _BRIEFED)
    tasks = _stated(workspace, call, "", 0, 0.0)
    again = call.reason in ("resume", "compact", "fork")
    branch = workspace.place.branch or ""
    first, then = lasting.order(db, settings, call.session, branch, accepted, tasks, same_session=again)
    return brief.brief(
        db,
        call.session,
        int(settings.get("brief.budgetTokens")) - taken,
        same_session=again,
        first=first,
        then=then,
        notice=notice,
    )


def _stop_at(db: Db, deadline: float) -> None:
    """Interrupt whatever SQLite does after the deadline."""
    db.connection.set_progress_handler(lambda: time.monotonic() > deadline, _CHECKED_EVERY)
