"""How a tool's answer reads: one line a memory, of a hundred tokens at most, and how to see more."""

from __future__ import annotations

from pith.domain import fence, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

A_HIT = 100  # tokens that one line may cost
SEE = "mem-details shows a citation in full; mem-timeline, what happened around it."


def line(cited: str, about: str, text: str, room: int = A_HIT) -> str:
    """One memory: its citation, what it is, and as much of its text as there is room for."""
    head = f"- [{cited}] {fence.flat(about)}: "
    return head + tokens.cut(fence.flat(text), max(8, room - tokens.estimate(head) - 1))


def event(one: Any, *, sure: bool = False) -> str:
    """An event: when, what, on which branch, and how sure it is to answer."""
    about = f"{one['at'][:10]} {one.get('tool') or one['kind']}" + (f" on {one['branch']}" if one["branch"] else "")
    about += f" by subagent {one['agent']}" if one["agent"] else ""
    return line(one["citation"], about + (confidence(one) if sure else ""), one["text"])


def entry(one: Any, *, sure: bool = False) -> str:
    """A statement: its type, how far it is proved, what is to be held against it."""
    about = one.get("about") or f"{one['at'][:10]} {one['type'].replace('_', ' ')} ({one['stage']}, {one['status']})"
    against = one.get("superseded_by") or ", ".join(one.get("contradicts") or ())
    about += f" against {against}" if against else ""
    return line(one["citation"], about + (confidence(one) if sure else ""), one["text"])


def node(one: Any, *, sure: bool = False) -> str:
    """An accepted node: its kind, when a person accepted it, whether it still holds."""
    about = f"accepted {one['node_type']} {one['id']}, {one['accepted_at'][:10]}"
    about += f" ({one['validity']})" if one["validity"] else ""
    return line(one["citation"], about + (confidence(one) if sure else ""), one["text"])


def memory(one: Any, *, sure: bool = False) -> str:
    """A consolidated memory: which days it is about, and how reliable it is."""
    about = f"{one['about']}, reliability {one['reliability']:.2f}"
    return line(one["citation"], about + (confidence(one) if sure else ""), one["text"])


def task(one: Any) -> str:
    """A task or a condition: where it stands, and what it effectively waits for."""
    about = f"{one['type']}, {(one['status'] or '-').replace('_', ' ')}"
    if one.get("priority", "normal") != "normal":
        about += f", {one['priority']}"
    waits = "; ".join(f"{each['title']} [{each['citation']}]" for each in one.get("blocked_by") or ())
    return line(one["citation"], about, one["title"] + (f"; waits for {waits}" if waits else ""))


def confidence(one: Any) -> str:
    """How sure a memory is to answer, in words for a line."""
    return f", sure {one['confidence']:.2f}"


def listed(rows: Iterable[str], *, empty: str, notice: str = "") -> str:
    """The lines in their fence, or the sentence for none."""
    body = "\n".join(rows)
    return fence.fenced(body, notice=notice) if body else empty
