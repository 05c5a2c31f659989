"""What a hook answers: recalled context with a prompt, a brief when a session begins, within the deadline."""

from __future__ import annotations

import time

from pith import platform
from pith.domain import context
from pith.services import brief, recall
from pith.store import usage
from pith.store.database import Db

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.domain.context import Context
    from pith.interfaces.hook.payload import Call
    from pith.services.workspace import Workspace

_CHECKED_EVERY = 20_000  # SQLite's virtual machine steps between two looks at the clock


def context_for(workspace: Workspace, call: Call, started: float) -> str:
    """The text to add to the session, possibly empty."""
    db, settings = workspace.db, workspace.settings
    _stop_at(db, started + float(settings.get("recall.deadlineMs")) / 1000)
    found = _briefed(workspace, call) if call.event == "SessionStart" else _recalled(workspace, call)
    db.connection.set_progress_handler(None, 0)
    if found.text:
        query = call.seen.text[:2000] if call.seen else call.event
        with db.transaction():
            usage.add(
                db,
                at=platform.now(),
                face="hook",
                session=call.session,
                query=query,
                shown=found.cited,
                tokens=found.tokens,
            )
    return found.text


def _recalled(workspace: Workspace, call: Call) -> Context:
    settings = workspace.settings
    if not call.seen or not settings.get("recall.hook"):
        return context.EMPTY
    return recall.for_prompt(
        workspace.db,
        call.seen.text[:4000],
        session=call.session,
        most=int(settings.get("recall.maxItems")),
        budget=int(settings.get("recall.budgetTokens")),
        least=float(settings.get("recall.minConfidence")),
        directory=workspace.place.directory,
    )


def _briefed(workspace: Workspace, call: Call) -> Context:
    settings = workspace.settings
    if not settings.get("brief.enabled"):
        return context.EMPTY
    return brief.brief(
        workspace.db,
        call.session,
        int(settings.get("brief.budgetTokens")),
        same_session=call.reason in ("resume", "compact", "fork"),
    )


def _stop_at(db: Db, deadline: float) -> None:
    """Interrupt whatever SQLite does after the deadline."""
    db.connection.set_progress_handler(lambda: time.monotonic() > deadline, _CHECKED_EVERY)
