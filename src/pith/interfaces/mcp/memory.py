"""The tools of what was said and done: search, the events around a memory, memories in full, sessions, figures."""

from __future__ import annotations

from pith.domain import events, fence, tokens
from pith.interfaces.mcp import lines
from pith.interfaces.mcp.tool import Told, number, text, texts, tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.mcp.asked import Asked

HITS, MOST_HITS = 5, 30
IN_FULL = 2_000  # tokens of memories that are shown in full
CITATION = "As mem-search gives it: mem:k7q2mf."


@tool(
    "mem-search",
    "Search memory",
    text("question", required=True, help="A question or a few words, in any language."),
    number("limit", default=HITS, most=MOST_HITS),
    texts("kind", choices=events.KINDS, help="Only these kinds of event."),
    text("file", help="Only events about this file."),
    text("since", help="2026-11-01, 7d, yesterday."),
    text("until"),
    text("branch"),
    text("session", help="Only this session, by the beginning of its id."),
)
def search(asked: Asked, question: str, limit: int, kind: tuple[str, ...], **only: Any) -> Told:
    """Find what earlier sessions decided, tried, said or ran, cited, with how sure each is. Ask before you redo."""
    from pith.services.answers import recall as service

    wanted = service.Question(question, limit=limit, kinds=kind, **only)
    data = service.recall(asked.here(), wanted, face="mcp", asker=asked.session)
    return Told(_found(data), data)


def _found(data: Any) -> str:
    """Sure ones first, whatever they are; the weak under a heading of their own."""
    shapes = {"nodes": lines.node, "entries": lines.entry, "memories": lines.memory, "hits": lines.event}
    told = [(one["weak"], show(one, sure=True)) for name, show in shapes.items() for one in data[name]]
    rows = [row for weak, row in told if not weak]
    weak = [row for is_weak, row in told if is_weak][: max(0, data["limit"] - len(rows))]
    rows = [*rows[: data["limit"]], *(["Weak matches:"] if weak else []), *weak]
    wider = "Ask in other words" + (", or without a filter." if data["narrowed"] else ".")
    return lines.listed(rows, empty=f"Nothing is remembered about this. {wider}", notice=lines.SEE)


@tool(
    "mem-timeline",
    "What happened around a memory",
    text("citation", required=True, help=CITATION),
    number("before", default=3, least=0, most=50),
    number("after", default=3, least=0, most=50),
)
def timeline(asked: Asked, citation: str, before: int, after: int) -> Told:
    """Show the events before and after a memory in its session."""
    from pith.services.answers import timeline as service

    data = service.timeline(asked.here(), citation, before, after)
    rows = [("> " if one["asked_for"] else "") + lines.event(_readable(one)) for one in data["events"]]
    return Told(lines.listed(rows, empty="Nothing is kept around it.", notice=lines.SEE), data)


def _readable(one: Any) -> Any:
    return {**one, "text": "(forgotten)"} if one.get("forgotten_at") else one


@tool(
    "mem-details",
    "Show memories in full",
    texts("citations", required=True, help=CITATION),
    number("max_tokens", default=IN_FULL, least=50, most=20_000, help="For all of them together."),
)
def details(asked: Asked, citations: tuple[str, ...], max_tokens: int) -> Told:
    """Show memories in full: an event's text, a statement with its quotes, a task, an accepted node."""
    from pith.services.answers import show as service

    data, error = service.show(asked.here(), citations)
    rows = [_whole(one, max_tokens // len(citations)) for one in data["memories"]]
    missing = " ".join(f"{each['message']} {each['hint']}" for each in data["missing"]) if error else ""
    return Told(lines.listed(rows, empty=missing, notice=missing), data)


_LONG = ("text", "evidence", "about", "moves", "details", "proved_by", "blocks", "suggested", "source_events")
_SKIPPED = ("citation", "id", "session", "host", "confidence", "weak", "aliases", "key")


def _whole(one: Any, room: int) -> str:
    """The facts of a memory in a few words, then its text and the quotes, within its room."""
    facts = [f"{name} {_word(value)}" for name, value in one.items() if _is_fact(name, value)]
    head = f"[{one['citation']}] {fence.flat('; '.join(facts))}"
    body = "(forgotten)" if one.get("forgotten_at") else one.get("text") or one.get("title") or ""
    quotes = [
        f"rests on [{each['citation']}]: “{each['quote']}”" for each in one.get("evidence") or () if _quoted(each)
    ]
    proofs = [f"proved by [{each['citation']}]: {each['title']}" for each in one.get("proved_by") or ()]
    made_of = ", ".join(each["citation"] for each in one.get("source_events") or ())
    whole = "\n".join([body, *quotes, *proofs, *([f"made of {made_of}"] if made_of else [])])
    told = tokens.cut(whole, max(20, room - tokens.estimate(head)))
    cut = f"\n(cut; max_tokens={tokens.estimate(whole) + tokens.estimate(head) + 50} shows all of it)"
    return f"{head}\n{told}" + (cut if told != whole else "")


def _is_fact(name: str, value: object) -> bool:
    return name not in _LONG and name not in _SKIPPED and value not in (None, "", [], {})


def _quoted(evidence: Any) -> bool:
    return isinstance(evidence, dict) and bool(evidence.get("quote")) and bool(evidence.get("citation"))


def _word(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_word(each) for each in value)
    if isinstance(value, dict):
        return f"{value.get('title') or ''} {value.get('citation') or ''}".strip() or ", ".join(map(str, value))
    return str(value)


@tool("mem-stats", "What is remembered")
def stats(asked: Asked) -> Told:
    """Say which project this is, how much is remembered of it, and what needs attention."""
    from pith.services import overview

    here = asked.here()
    data = overview.overview(here.home, here.place, here.project)
    return Told("\n".join(_figures(data)), data)


def _figures(data: Any) -> list[str]:
    rows = [f"! {fence.flat(warning)}" for warning in data["warnings"]]
    rows.append(f"project {fence.flat(data['place']['root'])}" + _on(data["place"]["branch"]))
    stored = data["stored"]
    if not stored:
        return [*rows, "Nothing is remembered yet."]
    kinds = ", ".join(f"{count} {kind}" for kind, count in stored["kinds"].items() if count)
    rows.append(f"{stored['events']} events in {stored['sessions']} sessions ({kinds})")
    if stored["events"]:
        rows.append(f"from {stored['first_at'][:10]} to {stored['last_at'][:10]}, {stored['forgotten']} forgotten")
    known, usage = stored["knowledge"], stored["usage"]
    rows.append(f"{known['entries']} statements, {known['open_tasks']} open tasks, {known['unread']} events unread")
    rows.append(f"asked {usage['asked']} times, answered {usage['answered']}, {usage['tokens']} tokens")
    return rows


def _on(branch: str | None) -> str:
    return f" on {fence.flat(branch)}" if branch else ""


@tool(
    "mem-sessions",
    "List sessions",
    text("session", help="One session, by the beginning of its id: what happened in it."),
    number("limit", default=10, most=200),
)
def sessions(asked: Asked, session: str | None, limit: int) -> Told:
    """List the sessions kept, the latest first, or what happened in one."""
    from pith.services.answers import sessions as service

    if session:
        data = service.session(asked.here(), session, limit)
        rows = [lines.event(_readable(one)) for one in data["events"]]
        more = f"{data['left_out']} more; `limit` shows them." if data["left_out"] else lines.SEE
        return Told(lines.listed(rows, empty="It holds nothing.", notice=more), data)
    data = service.sessions(asked.here(), limit)
    rows = [
        f"- {one['id']} {one['last_at'][:10]} {one['host']}, {one['events']} events: {fence.flat(one['title'])}"
        for one in data["sessions"]
    ]
    return Told(lines.listed(rows, empty="No session is stored yet."), data)
