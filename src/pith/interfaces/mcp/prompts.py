"""What a person may start with one word: go through what waits for their decision."""

from __future__ import annotations

from pith.domain import fence
from pith.errors import NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pith.interfaces.mcp.asked import Asked

SHOWN = 10  # proposals in one review
_PROPOSALS = (
    "Go through these proposals of memory with me, one by one. For each: say in one sentence what would be remembered,"
    " check its evidence against the code and with mem-search, name what it contradicts or repeats, and recommend to"
    " accept, revise or reject it. The decision is mine: I run `pith remember accept`, `revise` or `reject` myself, and"
    " you never do."
)
_KNOWLEDGE = (
    "Go through what this project is said to know with me: statements that contradict each other, and tasks that wait."
    " For each contested pair look at both with mem-details, check the code, and say which holds; for each task say"
    " whether what it waits for is settled. Change nothing before I agree."
)


def listed() -> list[dict[str, Any]]:
    """The prompts, as clients show them."""
    shown = ("title", "description", "arguments")
    return [{"name": id, **{name: one[name] for name in shown}} for id, one in PROMPTS.items()]


def told(asked: Asked, name: str, given: dict[str, str]) -> str:
    """The words of a prompt, with what they are about. Raises NotFound."""
    if name not in PROMPTS:
        raise NotFound(f"There is no prompt {name[:60]}.", hint=f"There are {', '.join(PROMPTS)}.")
    write: Callable[[Asked, dict[str, str]], str] = PROMPTS[name]["write"]
    return write(asked, given)


def _proposals(asked: Asked, given: dict[str, str]) -> str:
    from pith.services.project_memory import remember

    shared = asked.shared()
    if given.get("proposal"):
        found = [remember.show(shared, given["proposal"])["proposal"]]
        left = 0
    else:
        waiting = remember.listed(shared, status="pending").items
        found = [remember.show(shared, one.value.id)["proposal"] for one in waiting[:SHOWN]]
        left = max(0, len(waiting) - SHOWN)
    if not found:
        return "Tell me that no proposal waits for my decision."
    more = f"{left} more wait; ask again when these are decided." if left else ""
    return f"{_PROPOSALS}\n\n{fence.fenced(_joined(one['content'] for one in found), notice=more)}"


def _joined(texts: Any) -> str:
    return "\n\n".join(texts)


def _knowledge(asked: Asked, _given: dict[str, str]) -> str:
    from pith.interfaces.mcp import lines
    from pith.services.answers import knowledge

    with asked.opened() as ws:
        contested = knowledge.entries(ws, statuses=("contested",), limit=20)["entries"]
        waiting = knowledge.tasks(ws, blocked=True, limit=20)["tasks"]
    rows = [*map(lines.entry, contested), *map(lines.task, waiting)]
    return f"{_KNOWLEDGE}\n\n{lines.listed(rows, empty='Nothing is contested, and no task waits.')}"


_ONE = {"name": "proposal", "description": "One proposal, by its id or a beginning of it.", "required": False}
PROMPTS: dict[str, dict[str, Any]] = {
    "review-proposals": {
        "title": "Review proposals of memory",
        "description": "Go through what waits for a person to accept or reject.",
        "arguments": [_ONE],
        "write": _proposals,
    },
    "review-knowledge": {
        "title": "Review what is known",
        "description": "Go through statements that contradict each other, and tasks that wait.",
        "arguments": [],
        "write": _knowledge,
    },
}
