"""`pith tasks`, `task show|set`, `conditions`, `condition resolve`: what is to be done, and what it waits for."""

from __future__ import annotations

from pith.domain.entities import BLOCKED, CONDITION, OPEN, PRIORITIES, RESOLVED, TASK_STATES
from pith.errors import InputError
from pith.interfaces.cli import knowledge_line
from pith.interfaces.cli.command import argument, command, option
from pith.services.answers import knowledge as answers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal

LIMIT = answers.TASKS
STATES = (*TASK_STATES, answers.ALL)


@command(
    "tasks",
    option(
        "--status", choices=(*TASK_STATES, answers.ALL), many=True, help="Only in this state; unfinished ones without."
    ),
    option("--blocked", flag=True, help="Only blocked ones."),
    option("--limit", "-n", kind=int, default=LIMIT, help="How many to list."),
)
def tasks(status: tuple[str, ...], blocked: bool, limit: int) -> dict[str, Any]:
    """List the tasks, each with what effectively blocks it."""
    if limit < 1:
        raise InputError("`--limit` must be at least 1.", hint="Run `pith tasks --help`.")
    with answers.opened() as ws:
        return answers.tasks(ws, statuses=status, blocked=blocked, limit=limit)


@tasks.text
def show_tasks(data: Any, terminal: Terminal) -> None:
    """A line a task, and one for each blocker."""
    for task in data["tasks"]:
        knowledge_line.show_entity(task, terminal)
    if not data["tasks"]:
        terminal.line("No task is blocked." if data["states"] == [BLOCKED] else "No such task is known.")
    if data["more"]:
        terminal.note("There are more; `--limit` shows them.")


@command("task.show", argument("task", help="A citation, an id, or the title."))
def show(task: str) -> dict[str, Any]:
    """Show a task: what blocks it, what proves that, and how it came to stand where it stands."""
    with answers.opened() as ws:
        return answers.task(ws, task)


@show.text
def show_task(data: Any, terminal: Terminal) -> None:
    """All of it."""
    knowledge_line.show_whole(data["task"], terminal)


@command(
    "task.set",
    argument("task", help="A citation, an id, or the title; a new title makes a task."),
    option("--status", choices=TASK_STATES, help="Move it there."),
    option("--blocked-by", many=True, help="What it waits for: an issue, a URL, a task, or words; may be repeated."),
    option("--priority", choices=PRIORITIES, help="How urgent it is."),
    option("--title", help="Call it so; it is still found under the old name."),
    option("--reason", default="", help="Why."),
)
def set_(
    task: str, status: str | None, blocked_by: tuple[str, ...], priority: str | None, title: str | None, reason: str
) -> dict[str, Any]:
    """Make a task, move it, say what blocks it, how urgent it is, or what it is called."""
    with answers.opened() as ws:
        return answers.set_task(
            ws, task, status=status, blocked_by=blocked_by, priority=priority, title=title, reason=reason
        )


@set_.text
def show_set(data: Any, terminal: Terminal) -> None:
    """The task as it stands now."""
    knowledge_line.show_entity(data["task"], terminal)


@command("conditions", option("--all", flag=True, help="Resolved ones too."))
def conditions(all: bool) -> dict[str, Any]:
    """List what tasks wait for."""
    from pith.services.knowledge import lookup as look
    from pith.store import entities

    with answers.opened() as ws:
        found = entities.listed(ws.db, CONDITION, (OPEN, RESOLVED) if all else (OPEN,))
        return {"conditions": [look.whole_entity(ws.db, one) for one in found]}


@conditions.text
def show_conditions(data: Any, terminal: Terminal) -> None:
    """A line a condition, and one for each task that waits for it."""
    for each in data["conditions"]:
        knowledge_line.show_entity(each, terminal)
        for task in each["blocks"]:
            terminal.line("    blocks ", (f"[{task['citation']}]", "dim"), f" {task['title']}")
    if not data["conditions"]:
        terminal.line("Nothing is waited for.")


@command(
    "condition.resolve",
    argument("condition", help="A citation, an id, or its words."),
    option("--as", help="The task, condition or artifact that it really is."),
    option("--evidence", required=True, help="What shows that it is settled."),
)
def resolve(condition: str, evidence: str, **given: Any) -> dict[str, Any]:
    """Settle a condition; whoever waited for nothing else goes on. With `--as` that entity stands in its place."""
    from pith.domain import secrets
    from pith.services.knowledge import lookup as look
    from pith.services.knowledge import tasks as service

    proof = secrets.mask(secrets.without_private(" ".join(evidence.split()))[0])[0]
    if not proof:
        raise InputError("`--evidence` is empty.", hint="Say what shows that it is settled.")
    with answers.opened() as ws:
        known = look.entity(ws.db, ws.project.id, condition, CONDITION)
        to = look.entity(ws.db, ws.project.id, given["as"]).entity_id if given.get("as") else ""
        before = [task["id"] for task in look.whole_entity(ws.db, known)["blocks"]]
        settled = service.resolve(ws.db, known.entity_id, to=to, evidence=proof)
        told = look.whole_entity(ws.db, settled)
        now = [look.told_entity(ws.db, look.entity(ws.db, ws.project.id, task)) for task in before]
        freed = [task for task in now if task["status"] != BLOCKED]
        return {"condition": told, "freed": freed}


@resolve.text
def show_resolved(data: Any, terminal: Terminal) -> None:
    """The condition, and who goes on."""
    knowledge_line.show_entity(data["condition"], terminal)
    for task in data["freed"]:
        terminal.line("    goes on: ", (f"[{task['citation']}]", "dim"), f" {task['title']}")
