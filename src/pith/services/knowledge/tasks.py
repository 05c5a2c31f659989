"""Tasks and what stands in their way: made, renamed, started, blocked, finished, reopened; conditions resolved.

Each function is one command: what it changes is appended as events, and either all of it happens or nothing. A move
that a task cannot make is refused and written down as refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pith.domain import entities as rules
from pith.domain import knowledge
from pith.domain.edges import InvariantViolation
from pith.domain.entities import BLOCKED, CANCELLED, CONDITION, DONE, IN_PROGRESS, RESOLVED, TASK, Entity
from pith.errors import InputError, NotFound
from pith.services.knowledge import blockers
from pith.services.knowledge.blockers import Blocker
from pith.services.knowledge.fold import Cause, Command
from pith.store import entities
from pith.store.database import Db


@dataclass(frozen=True)
class Grounds:
    """What a change rests on: the observed events that it quotes, and the entries that state it."""

    sources: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()


NO_GROUNDS = Grounds()


def create(
    db: Db,
    project: str,
    title: str,
    *,
    priority: str = "normal",
    grounds: Grounds = NO_GROUNDS,
    cause: Cause | None = None,
) -> Entity:
    """The task of this title; made when there is none of this name, nor ever was."""
    title = _title(title)
    _check_priority(priority)
    key = rules.task_key(project, title)
    with Command(db, cause) as command:
        known = entities.find_by_canonical_key(db, key)
        if known is None:
            id = knowledge.entity_id(key)
            payload = {"task": id, "key": key, "title": title, "priority": priority, **_entries(grounds)}
            command.append(knowledge.TASK_CREATED, payload, sources=grounds.sources)
            known = _entity(db, id)
    return known


def rename(
    db: Db, project: str, task: str, title: str, *, grounds: Grounds = NO_GROUNDS, cause: Cause | None = None
) -> Entity:
    """Give a task another title; it is still found under the old one. Raises InputError where another task has it."""
    title = _title(title)
    key = rules.task_key(project, title)
    with Command(db, cause) as command:
        known = _task(db, task)
        other = entities.find_by_canonical_key(db, key)
        if other is not None and other.entity_id != task:
            raise InputError(
                f"“{title}” is the name of another task.", hint=f"Look at it: `pith task show {other.entity_id}`."
            )
        if title != known.title and not command.is_repeated:
            payload = {"task": task, "key": key, "title": title}
            command.append(knowledge.TASK_TITLE_CHANGED, payload, sources=grounds.sources)
    return _task(db, task)


def prioritise(db: Db, task: str, priority: str, *, cause: Cause | None = None) -> Entity:
    """Say how urgent a task is."""
    _check_priority(priority)
    with Command(db, cause) as command:
        if _task(db, task).current.get("priority") != priority and not command.is_repeated:
            command.append(knowledge.TASK_PRIORITY_CHANGED, {"task": task, "priority": priority})
    return _task(db, task)


def start(db: Db, task: str, *, grounds: Grounds = NO_GROUNDS, cause: Cause | None = None) -> Entity:
    """Begin a task, or go on with one that was blocked: whatever blocked it counts as settled."""
    return move(db, task, IN_PROGRESS, grounds=grounds, cause=cause)


def finish(db: Db, task: str, *, grounds: Grounds = NO_GROUNDS, cause: Cause | None = None) -> Entity:
    """Say that a task is done; whoever waited for it and nothing else goes on."""
    return move(db, task, DONE, grounds=grounds, cause=cause)


def reopen(db: Db, task: str, *, grounds: Grounds = NO_GROUNDS, cause: Cause | None = None) -> Entity:
    """Go on with a task that was done."""
    with Command(db, cause) as command:
        known = _task(db, task)
        refused = None if known.state == DONE or command.is_repeated else _reject(command, known, IN_PROGRESS)
        if refused is None and not command.is_repeated:
            _move(command, known, IN_PROGRESS, "reopened", grounds)
    if refused is not None:
        raise refused
    return _task(db, task)


def cancel(db: Db, task: str, *, grounds: Grounds = NO_GROUNDS, cause: Cause | None = None) -> Entity:
    """Give a task up."""
    return move(db, task, CANCELLED, grounds=grounds, cause=cause)


def move(
    db: Db, task: str, to: str, reason: str = "", *, grounds: Grounds = NO_GROUNDS, cause: Cause | None = None
) -> Entity:
    """Move a task to a state. Raises TransitionRejected, having written it down, where it cannot go there."""
    if to == BLOCKED:
        return block(db, "", task, (), reason, grounds=grounds, cause=cause)
    with Command(db, cause) as command:
        known = _task(db, task)
        if command.is_repeated or known.state == to:
            return known
        refused = None if rules.may_move(known.state, to) else _reject(command, known, to, reason)
        if refused is None:
            _move(command, known, to, reason, grounds)
    if refused is not None:
        raise refused
    return _task(db, task)


def block(
    db: Db,
    project: str,
    task: str,
    by: Sequence[str | Blocker],
    reason: str = "",
    *,
    grounds: Grounds = NO_GROUNDS,
    cause: Cause | None = None,
) -> Entity:
    """Block a task by what these texts name (see blockers.py); a blocked one is now blocked by these alone.

    Without any, a condition `unknown` stands in. Raises InvariantViolation for a blocker that is settled already.
    """
    with Command(db, cause) as command:
        known = _task(db, task)
        if command.is_repeated:
            return known
        may = known.state == BLOCKED or rules.may_move(known.state, BLOCKED)
        refused = None if may else _reject(command, known, BLOCKED, reason)
        if refused is None:
            resolved = [blockers.resolve(command, project, each, grounds.sources) for each in by]
            _check_blockers(db, known, resolved)
            _block(command, known, resolved, reason, grounds)
    if refused is not None:
        raise refused
    return _task(db, task)


def state_blockers(
    db: Db,
    project: str,
    task: str,
    by: Sequence[Blocker],
    *,
    grounds: Grounds = NO_GROUNDS,
    cause: Cause | None = None,
) -> Entity:
    """Blockers as an extractor found them: those whose words were found in an event block, the others are suggested."""
    proved = [blocker for blocker in by if blocker.is_proved]
    guessed = [blocker for blocker in by if not blocker.is_proved]
    name = (cause or Cause()).command
    found = _task(db, task)
    if proved:
        found = block(db, project, task, proved, grounds=grounds, cause=cause)
    if guessed:
        also = replace(cause or Cause(), command=f"{name}:suggested" if name else "")
        found = suggest_blockers(db, project, task, guessed, grounds=grounds, cause=also)
    return found


def suggest_blockers(
    db: Db,
    project: str,
    task: str,
    by: Sequence[str | Blocker],
    *,
    grounds: Grounds = NO_GROUNDS,
    cause: Cause | None = None,
) -> Entity:
    """Note what may block a task, without blocking it: nobody has proved it."""
    with Command(db, cause) as command:
        known = _task(db, task)
        if not command.is_repeated and known.state not in (DONE, CANCELLED):
            resolved = [blockers.resolve(command, project, each, grounds.sources) for each in by]
            wanted = [one for one in resolved if one["entity"] != task]
            payload = {"task": task, "mode": "suggest", "blockers": wanted, **_entries(grounds)}
            command.append(knowledge.TASK_BLOCKERS_SET, payload, sources=grounds.sources)
    return _task(db, task)


def resolve(
    db: Db,
    condition: str,
    *,
    to: str = "",
    evidence: str = "",
    resolution: str = "user_confirmed",
    confidence: float = 1.0,
    grounds: Grounds = NO_GROUNDS,
    cause: Cause | None = None,
) -> Entity:
    """Settle a condition, or say which entity it really is (`to`); whoever waited for nothing else goes on."""
    with Command(db, cause) as command:
        known = _entity(db, condition)
        if known.entity_type != CONDITION:
            raise InputError(
                f"“{known.title}” is a {known.entity_type}, not a condition.", hint="Run `pith conditions`."
            )
        if to:
            _check_target(db, condition, to)
        links = blockers.resolved_as(db, condition)
        settled = known.state == RESOLVED and links == ([to] if to else [])
        if not command.is_repeated and not settled:
            payload: dict[str, Any] = {"condition": condition, "evidence": evidence, **_entries(grounds)}
            if to:
                payload |= {"as": to, "resolution_type": resolution, "confidence": confidence}
            command.append(knowledge.CONDITION_RESOLVED, payload, sources=grounds.sources)
    return _entity(db, condition)


# -- Parts ---------------------------------------------------------------------------------------------------


def _move(command: Command, task: Entity, to: str, reason: str, grounds: Grounds) -> None:
    payload = {"task": task.entity_id, "from": task.state, "to": to, "reason": reason, **_entries(grounds)}
    command.append(knowledge.TASK_STATE_CHANGED, payload, sources=grounds.sources)


def _block(command: Command, task: Entity, resolved: list[dict[str, Any]], reason: str, grounds: Grounds) -> None:
    if task.state != BLOCKED:
        payload = {
            "task": task.entity_id, "from": task.state, "to": BLOCKED, "reason": reason, "blockers": resolved,
            **_entries(grounds),
        }  # fmt: skip
        command.append(knowledge.TASK_STATE_CHANGED, payload, sources=grounds.sources)
    elif resolved:
        payload = {"task": task.entity_id, "mode": "replace", "blockers": resolved, **_entries(grounds)}
        command.append(knowledge.TASK_BLOCKERS_SET, payload, sources=grounds.sources)


def _reject(command: Command, task: Entity, to: str, reason: str = "") -> rules.TransitionRejected:
    """Write down that a move was refused; the error to raise when that is committed."""
    try:
        rules.check_move(task.title, task.state, to)
    except rules.TransitionRejected as error:
        refused = error
    else:
        refused = rules.TransitionRejected(f"Task “{task.title}” is {task.state}, not done.", hint="Start it instead.")
    payload = {"task": task.entity_id, "from": task.state, "to": to, "reason": reason or str(refused)}
    command.append(knowledge.TASK_TRANSITION_REJECTED, payload)
    return refused


def _check_blockers(db: Db, task: Entity, resolved: Sequence[dict[str, Any]]) -> None:
    for blocker in resolved:
        end = _entity(db, blockers.effective(db, blocker["entity"]))
        if end.entity_id == task.entity_id:
            raise InvariantViolation(f"Task “{task.title}” cannot block itself.", hint="Name what it waits for.")
        if end.entity_type == TASK and end.state == DONE:
            raise InvariantViolation(
                f"Task “{end.title}” is done and blocks nothing.", hint="Reopen it first, or name another blocker."
            )


def _check_target(db: Db, condition: str, to: str) -> None:
    _entity(db, to)
    if blockers.effective(db, to) == condition or to == condition:
        raise InvariantViolation("A condition cannot resolve to itself.", hint="Name the entity that it really is.")


def _entity(db: Db, id: str) -> Entity:
    found = entities.by_id(db, id)
    if found is None:
        raise NotFound(f"There is no entity {id}.", hint="`pith tasks` and `pith conditions` list them.")
    return found


def _task(db: Db, id: str) -> Entity:
    found = _entity(db, id)
    if found.entity_type != TASK:
        raise InputError(f"“{found.title}” is a {found.entity_type}, not a task.", hint="`pith tasks` lists the tasks.")
    return found


def _title(text: str) -> str:
    title = " ".join(text.split())
    if not title:
        raise InputError("A task needs a title.", hint="Say in a few words what is to be done.")
    return title


def _check_priority(priority: str) -> None:
    if priority not in rules.PRIORITIES:
        raise InputError(f"`{priority}` is no priority.", hint=f"Use one of {', '.join(rules.PRIORITIES)}.")


def _entries(grounds: Grounds) -> dict[str, list[str]]:
    return {"entries": list(grounds.entries)} if grounds.entries else {}
