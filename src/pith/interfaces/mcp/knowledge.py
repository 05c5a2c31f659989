"""The tools of what was stated and what is to be done: notes, tasks, entries and what they rest on."""

from __future__ import annotations

from pith.domain import entities, entries
from pith.errors import InputError
from pith.interfaces.mcp import lines
from pith.interfaces.mcp.memory import CITATION
from pith.interfaces.mcp.tool import Told, choice, number, switch, text, texts, tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.mcp.asked import Asked

NAMED = "A citation, or its title."


@tool(
    "mem-note",
    "Note a statement",
    choice("type", entries.TYPES, required=True),
    text("title", required=True, help="The statement in one sentence."),
    texts("quotes", required=True, help="Words of this or an earlier session that it rests on, word for word."),
    text("text", default="", help="More of it."),
    changes=True,
)
def note(asked: Asked, type: str, title: str, quotes: tuple[str, ...], text: str) -> Told:
    """State a fact, decision, insight or task note of your own, with the words that it rests on."""
    from pith.services.answers import knowledge as service
    from pith.services.workspace import open_workspace

    if not any(quote.strip() for quote in quotes):
        raise InputError("`quotes` is empty.", hint="Quote the words of the session that it rests on.")
    asked.here()
    with open_workspace(asked.folder, busy_ms=asked.patience) as ws:
        data = service.note(ws, type, title, text, quotes)
    one = data["entry"]
    lost = sum(1 for each in one["evidence"] if each.get("method") == "failed")
    warning = f"{lost} of {len(one['evidence'])} quotes were not found, so it is kept as raw." if lost else ""
    return Told(lines.listed([lines.entry(one)], empty="", notice=f"Noted. {warning}".strip()), data)


@tool(
    "mem-tasks",
    "List tasks",
    texts("status", choices=(*entities.TASK_STATES, "all"), help="Unfinished ones without."),
    switch("blocked", help="Only blocked ones."),
    number("limit", default=20, most=200),
)
def tasks(asked: Asked, status: tuple[str, ...], blocked: bool, limit: int) -> Told:
    """List what is to be done, each with what it effectively waits for."""
    from pith.services.answers import knowledge as service

    with asked.opened() as ws:
        data = service.tasks(ws, statuses=status, blocked=blocked, limit=limit)
    return Told(_listed(data, "tasks", lines.task, "No such task is known."), data)


def _listed(data: Any, name: str, show: Any, empty: str) -> str:
    more = "There are more; `limit` shows them. " if data["more"] else ""
    return lines.listed(map(show, data[name]), empty=empty, notice=more + lines.SEE)


# -- More ----------------------------------------------------------------------------------------------------


@tool(
    "mem-entries",
    "List statements",
    texts("type", choices=entries.TYPES),
    texts("stage", choices=entries.STAGES),
    texts("status", choices=entries.STATUSES, help="Active and contested without."),
    number("limit", default=20, most=200),
)
def listing(asked: Asked, type: tuple[str, ...], stage: tuple[str, ...], status: tuple[str, ...], limit: int) -> Told:
    """List what was stated, the newest first, each with its stage and status."""
    from pith.services.answers import knowledge as service

    with asked.opened() as ws:
        statuses = status or service.LIVE
        data = service.entries(ws, types=type, stages=stage, statuses=statuses, limit=limit)
    return Told(_listed(data, "entries", lines.entry, "Nothing like that was stated yet."), data)


@tool("mem-evidence", "What a statement rests on", text("what", required=True, help=NAMED))
def evidence(asked: Asked, what: str) -> Told:
    """Show the quotes that a statement rests on, or the statements that prove something about a task."""
    from pith.services.answers import knowledge as service

    with asked.opened(reading=False) as ws:
        data = service.evidence(ws, what)
    if "entry" in data:
        rows = [lines.entry(data["entry"])]
        for one in data["evidence"]:
            about = f"{(one['at'] or '')[:10]} {one['method']}"
            rows.append(lines.line(one["citation"] or "-", about, one["quote"] or "(not found)"))
    else:
        rows = [lines.task(data["entity"]), *map(lines.entry, data["entries"])]
    return Told(lines.listed(rows, empty="", notice=lines.SEE), data)


@tool(
    "mem-lineage",
    "What a statement came from",
    text("entry", required=True, help=CITATION),
    number("depth", default=5, most=10),
)
def lineage(asked: Asked, entry: str, depth: int) -> Told:
    """Show what a statement was derived from, and what was derived from it."""
    from pith.services.answers import knowledge as service

    with asked.opened(reading=False) as ws:
        data = service.lineage(ws, entry, depth)
    rows = ["From:", *map(lines.entry, data["ancestors"])] if data["ancestors"] else []
    rows.append(lines.entry(data["entry"]))
    rows += ["Into:", *map(lines.entry, data["descendants"])] if data["descendants"] else []
    return Told(lines.listed(rows, empty="", notice=lines.SEE), data)


@tool(
    "task-set",
    "Change a task",
    text("task", required=True, help=f"{NAMED} A new title makes a task."),
    choice("status", entities.TASK_STATES),
    texts("blocked_by", help="What it waits for: an issue, a URL, a task, or words."),
    choice("priority", entities.PRIORITIES),
    text("title", help="Call it so from now on."),
    text("reason", default=""),
    changes=True,
)
def set_task(asked: Asked, task: str, **change: Any) -> Told:
    """Make a task, move it, or say what blocks it, how urgent it is, or what it is called."""
    from pith.services.answers import knowledge as service

    with asked.opened() as ws:
        data = service.set_task(ws, task, **change)
    return Told(lines.listed([lines.task(data["task"])], empty=""), data)
