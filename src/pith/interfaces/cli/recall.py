"""`pith recall`, also called `search`: what was said, decided or tried, each with its citation."""

from __future__ import annotations

from pith import platform
from pith.domain import context, secrets, tokens
from pith.domain.events import KINDS
from pith.errors import InputError, StoreUnavailable
from pith.interfaces.cli import event_line, knowledge_line, node_line
from pith.interfaces.cli.command import argument, command, option
from pith.interfaces.cli.here import here
from pith.services import dates, entry_recall, lookup, node_recall
from pith.services import recall as service
from pith.services.project_memory import accepted as accepted_service
from pith.store import citations, entry_words, usage
from pith.store.search import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal
    from pith.services.entry_recall import Known as Stated
    from pith.services.node_sources import Known
    from pith.services.recall import Answer
    from pith.store.database import Db

LIMIT = 8
NEIGHBOURS = 3  # entries beside one in the graph


@command(
    "recall",
    argument("question", many=True, help="A question or a few words, in any language."),
    option("--limit", "-n", kind=int, default=LIMIT, help="How many to show."),
    option("--session", help="Only this session; the beginning of its id is enough."),
    option("--kind", choices=KINDS, many=True, help="Only this kind; may be repeated."),
    option("--file", help="Only events about this file, by its path or the end of it."),
    option("--since", help="Only from then on: 2026-11-01, 7d, yesterday, 어제."),
    option("--until", help="Only until then; a day is meant whole."),
    option("--branch", help="Only what happened on this branch."),
    option("--budget", kind=int, help="Print what an agent would be given, in at most so many tokens."),
)
def recall(
    question: tuple[str, ...],
    limit: int,
    session: str | None,
    kind: tuple[str, ...],
    file: str | None,
    since: str | None,
    until: str | None,
    branch: str | None,
    budget: int | None,
) -> dict[str, Any]:
    """Find what was said, decided or tried."""
    asked = lookup.storable(" ".join(question)).strip()
    if not asked:
        raise InputError("There is no question.", hint='Ask like this: pith recall "why do we retry?"')
    if limit < 1 or (budget is not None and budget < 1):
        raise InputError("`--limit` and `--budget` must be at least 1.", hint="Run `pith recall --help`.")
    begins, ends = dates.since(since) if since else "", dates.until(until) if until else ""
    if begins and ends and begins >= ends:
        raise InputError(f"`--since {since}` is after `--until {until}`.", hint="Exchange the two.")
    place = here()
    least = float(place.settings.get("recall.minConfidence"))
    with lookup.open_to_ask(place.folder) as db:
        only = Filter(
            session=lookup.session(db, session) if session else "",
            kinds=kind,
            file=lookup.storable(file),
            since=begins,
            until=ends,
            branch=lookup.storable(branch),
        )
        narrowed = bool(session or kind or file or since or until or branch)
        accepted = [] if narrowed else accepted_service.found(db, place.place, asked, limit)
        stated = [] if narrowed else entry_recall.find(db, asked, max(1, limit // 2))
        found = service.recall(db, asked, limit, only, place.place.directory, length=event_line.SNIPPET)
        stated = _of_use(stated, found, least)
        found = _besides(found, stated, least)
        nodes = [node_line.facts(db, one, least) for one in accepted]
        entries = [_stated(db, one, least) for one in stated]
        hits = [_hit(answer, least) for answer in found]
        told = _context(db, accepted, stated, found, least, budget) if budget else None
        shown = [*nodes, *entries, *hits]
        sure = [each["citation"] for each in shown if not each["weak"]]
        _note(db, asked, told["citations"] if told else sure, told["tokens"] if told else _cost(shown))
    return {
        "question": asked,
        "nodes": sorted(nodes, key=lambda node: node["weak"]),
        "entries": sorted(entries, key=lambda entry: entry["weak"]),
        "hits": sorted(hits, key=lambda hit: hit["weak"]),
        "context": told,
        "narrowed": narrowed,
        "limit": limit,
    }


def _of_use(stated: list[Stated], found: list[Answer], least: float) -> list[Stated]:
    """The entries that are sure to answer; the best of the weak ones only where nothing at all is sure."""
    sure = [one for one in stated if one.confidence >= least]
    return sure if sure or any(answer.confidence >= least for answer in found) else stated[:1]


def _besides(found: list[Answer], stated: list[Stated], least: float) -> list[Answer]:
    """The hits without those that only say what a sure entry drawn from them says already."""
    said = {" ".join(one.text.split()) for one in stated if one.confidence >= least}
    return [answer for answer in found if " ".join(answer.text.split()) not in said]


def _stated(db: Db, one: Stated, least: float) -> dict[str, Any]:
    """An entry as it is told, with what it is about and its neighbours."""
    return {
        "citation": f"mem:{citations.short(db, one.cited)}",
        "id": one.id,
        "kind": entry_words.ENTRY,
        "type": one.kind,
        "about": one.about(db),
        "title": one.title,
        "stage": one.stage,
        "status": one.status,
        "standing": one.standing,
        "at": one.at,
        "branch": one.branch,
        "entities": [dict(row) for row in entry_words.about(db, one.id)],
        "beside": [f"mem:{citations.short(db, near.cited)}" for near in entry_recall.beside(db, [one], NEIGHBOURS)],
        "confidence": round(one.confidence, 3),
        "weak": one.confidence < least,
        "text": one.text,
    }


def _hit(answer: Answer, least: float) -> dict[str, Any]:
    return {
        "citation": f"mem:{answer.cited}",
        "id": answer.id,
        "at": answer.at,
        "kind": answer.kind,
        "tool": answer.details.get("tool"),
        "branch": answer.branch,
        "session": answer.session,
        "agent": answer.agent,
        "host": answer.host,
        "confidence": round(answer.confidence, 3),
        "weak": answer.confidence < least,
        "text": answer.text,
    }


def _context(
    db: Db, accepted: list[Known], stated: list[Stated], found: list[Answer], least: float, budget: int
) -> dict[str, Any]:
    """What an agent would be given: accepted nodes, entries and the sure hits, fenced, within the budget."""
    lines = node_recall.lines(db, [one for one in accepted if one.confidence >= least])
    lines += entry_recall.lines(db, [one for one in stated if one.confidence >= least])
    lines += [context.Line(one.cited, one.about, one.text) for one in found if one.confidence >= least]
    told = context.lay_out(lines, budget)
    return {
        "text": told.text,
        "tokens": told.tokens,
        "budget": budget,
        "citations": [f"mem:{cited}" for cited in told.cited],
        "left_out": told.left_out if told.text else len(lines),
    }


def _cost(hits: list[dict[str, Any]]) -> int:
    return sum(tokens.estimate(hit["text"]) for hit in hits)


def _note(db: Db, asked: str, shown: list[str], cost: int) -> None:
    """Count the question; a store that cannot be written just now answers all the same."""
    names = [cited.removeprefix("mem:") for cited in shown]
    try:
        usage.add(
            db,
            at=platform.now(),
            face="cli",
            session="",
            query=secrets.mask(secrets.without_private(asked)[0])[0],
            shown=names,
            tokens=cost,
        )
    except StoreUnavailable:
        pass


@recall.text
def show(data: Any, terminal: Terminal) -> None:
    """Sure hits first; the others only under their own heading."""
    if data["context"]:
        _show_context(data["context"], terminal)
        return
    hits = data["hits"][: max(0, data["limit"] - len(data["entries"]))]
    sure = [hit for hit in hits if not hit["weak"]]
    weak = [hit for hit in hits if hit["weak"]]
    _show_known(data, terminal, weak=False)
    if not (data["hits"] or data["nodes"] or data["entries"]):
        more = " or without a filter" if data["narrowed"] else ""
        terminal.line(f"Nothing is remembered about this. Ask in other words{more}, or look at `pith sessions`.")
    for hit in sure:
        event_line.show(hit, terminal)
    if weak or any(each["weak"] for each in (*data["nodes"], *data["entries"])):
        terminal.line(("weak matches:", "dim"))
    _show_known(data, terminal, weak=True)
    for hit in weak:
        event_line.show(hit, terminal, style="dim")
    if terminal.is_screen and data["hits"]:
        terminal.note("`pith show` prints one in full, `pith timeline` what happened around it.")


def _show_context(told: Any, terminal: Terminal) -> None:
    if told["text"]:
        terminal.line(told["text"])
    elif told["left_out"]:
        terminal.note(f"{told['budget']} tokens hold none of the {told['left_out']} memories; give more.")
    else:
        terminal.note("An agent would be told nothing: no memory fits well enough.")


def _show_known(data: Any, terminal: Terminal, *, weak: bool) -> None:
    """Accepted nodes, then entries: those that are sure, or those that are not."""
    style = "dim" if weak else "bold"
    for node in data["nodes"]:
        if node["weak"] is weak:
            node_line.show(node, terminal, style=style)
    for entry in data["entries"]:
        if entry["weak"] is weak:
            knowledge_line.show_recalled(entry, terminal, style=style)
