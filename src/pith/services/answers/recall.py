"""What a question finds, as every face tells it: accepted nodes, entries and events, each with how sure it is."""

from __future__ import annotations

from pith import platform
from pith.domain import context, ranking, secrets, sureness, tokens
from pith.errors import InputError, StoreUnavailable
from pith.services import branches, dates, entry_recall, lookup, memory_recall, node_recall
from pith.services import recall as service
from pith.services.answers import event, node
from pith.services.project_memory import accepted as accepted_service
from pith.store import citations, entry_words, search, usage
from pith.store import memories as memory_store
from pith.store.search import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from pith.services.answers.here import Here
    from pith.services.entry_recall import Known as Stated
    from pith.services.meaning.nearness import Meaning
    from pith.services.memory_recall import Known as Remembered
    from pith.services.node_sources import Known
    from pith.services.recall import Answer
    from pith.services.workspace import Workspace
    from pith.store.database import Db

LIMIT = 8
NEIGHBOURS = 3  # entries beside one in the graph


class Question:
    """What is asked, and what it is narrowed to; times as people write them, a session by its beginning."""

    __slots__ = ("branch", "explain", "file", "kinds", "limit", "session", "since", "text", "until", "words")

    def __init__(
        self,
        text: str,
        *,
        limit: int = LIMIT,
        session: str | None = None,
        kinds: Sequence[str] = (),
        file: str | None = None,
        since: str | None = None,
        until: str | None = None,
        branch: str | None = None,
        words: bool = False,
        explain: bool = False,
    ) -> None:
        self.text = lookup.storable(text).strip()
        self.limit, self.session, self.kinds, self.file = limit, session, tuple(kinds), file
        self.since, self.until, self.branch = since, until, branch
        self.words, self.explain = words, explain  # by words alone; with every part of each score
        if not self.text:
            raise InputError("There is no question.", hint='Ask like this: pith recall "why do we retry?"')

    @property
    def narrowed(self) -> bool:
        """Whether only some events may answer, and nothing else."""
        return bool(self.session or self.kinds or self.file or self.since or self.until or self.branch)

    def only(self, db: Db) -> Filter:
        """The events that may answer."""
        begins = dates.since(self.since) if self.since else ""
        ends = dates.until(self.until) if self.until else ""
        if begins and ends and begins >= ends:
            raise InputError(f"`--since {self.since}` is after `--until {self.until}`.", hint="Exchange the two.")
        return Filter(
            session=lookup.session(db, self.session) if self.session else "",
            kinds=self.kinds,
            file=lookup.storable(self.file),
            since=begins,
            until=ends,
            branch=lookup.storable(self.branch),
        )


def recall(here: Here, question: Question, *, face: str, budget: int | None = None, asker: str = "") -> dict[str, Any]:
    """What is known about a question; with a budget also the text that an agent would be given for it.

    `face` and `asker`, the session that asks, are noted beside the question.
    """
    with here.reading() as ws:
        db, least = ws.db, float(ws.settings.get("recall.minConfidence"))
        if branches.is_new(ws):
            branches.look(ws)
        only, narrowed, limit = question.only(db), question.narrowed, question.limit
        meaning, trouble = (None, "") if question.words else _meaning(ws)
        accepted = [] if narrowed else accepted_service.found(db, here.place, question.text, limit, meaning)
        stated = [] if narrowed else entry_recall.find(db, question.text, max(1, limit // 2), meaning=meaning)
        found = service.recall(
            db, question.text, limit, only, here.place.directory, length=event.SNIPPET, meaning=meaning
        )
        stated = _of_use(stated, found, least)
        found = _besides(found, stated, least)
        nodes = [node.facts(db, one, least, explain=question.explain) for one in accepted]
        entries = [_stated(db, one, least, explain=question.explain) for one in stated]
        kept = [] if narrowed else _kept(db, question.text, limit, least, meaning)
        memories = [memory_recall.recalled(db, one, least, explain=question.explain) for one in kept]
        bar = sureness.bar([answer.confidence for answer in found], least)
        hits = [_hit(db, answer, bar, explain=question.explain) for answer in found]
        sure_hits = [one for one in found if not _is_weak(one, bar)]
        told = _context(db, accepted, stated, kept, sure_hits, least, budget) if budget else None
        shown = [*nodes, *entries, *memories, *hits]
        sure = [each["citation"] for each in shown if not each["weak"]]
        cost = told["tokens"] if told else _cost(shown)
        note(db, face, asker, question.text, told["citations"] if told else sure, cost)
    return {
        "question": question.text,
        "nodes": sorted(nodes, key=lambda one: one["weak"]),
        "entries": sorted(entries, key=lambda one: one["weak"]),
        "memories": memories,
        "hits": sorted(hits, key=lambda one: one["weak"]),
        "context": told,
        "meaning": {"used": bool(meaning and not meaning.failure), "trouble": trouble or (meaning and meaning.failure)},
        "narrowed": narrowed,
        "limit": limit,
    }


def _meaning(ws: Workspace) -> tuple[Meaning | None, str]:
    """What finds by meaning here, if anything does; what it takes is loaded only where there are vectors."""
    if not search.has_vectors(ws.db):
        return None, ""
    from pith.services.meaning import nearness

    return nearness.opened(ws)


def _kept(db: Db, question: str, limit: int, least: float, meaning: Meaning | None) -> list[Remembered]:
    """The consolidated memories that are sure to answer, a few beside what they were made of."""
    found = memory_recall.find(db, question, max(1, limit // 4), meaning=meaning)
    return [one for one in found if one.confidence >= least]


def _of_use(stated: list[Stated], found: list[Answer], least: float) -> list[Stated]:
    """The entries that are sure to answer; the best of the weak ones only where nothing at all is sure."""
    sure = [one for one in stated if one.confidence >= least]
    return sure if sure or any(answer.confidence >= least for answer in found) else stated[:1]


def _besides(found: list[Answer], stated: list[Stated], least: float) -> list[Answer]:
    """The hits without those that only say what a sure entry drawn from them says already."""
    said = {" ".join(one.text.split()) for one in stated if one.confidence >= least}
    return [answer for answer in found if " ".join(answer.text.split()) not in said]


def _stated(db: Db, one: Stated, least: float, *, explain: bool = False) -> dict[str, Any]:
    """An entry as it is told, with what it is about and its neighbours."""
    parts = {"parts": ranking.explained(one.found)} if explain else {}
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
        "merged": one.branch not in db.unmerged,
        "entities": [dict(row) for row in entry_words.about(db, one.id)],
        "beside": [f"mem:{citations.short(db, near.cited)}" for near in entry_recall.beside(db, [one], NEIGHBOURS)],
        "confidence": round(one.confidence, 3),
        "weak": one.confidence < least,
        "text": one.text,
        **parts,
    }


def _is_weak(answer: Answer, least: float) -> bool:
    """Whether a hit is not sure to answer; for whoever asks for a word, what holds it does."""
    return answer.confidence < least and not answer.holds_all


def _hit(db: Db, answer: Answer, least: float, *, explain: bool = False) -> dict[str, Any]:
    parts = {"parts": ranking.explained(answer.found)} if explain else {}
    return {
        "citation": f"mem:{answer.cited}",
        "id": answer.id,
        "at": answer.at,
        "kind": answer.kind,
        "tool": answer.details.get("tool"),
        "branch": answer.branch,
        "merged": answer.branch not in db.unmerged,
        "session": answer.session,
        "agent": answer.agent,
        "host": answer.host,
        "confidence": round(answer.confidence, 3),
        "weak": _is_weak(answer, least),
        "text": answer.text,
        **parts,
    }


def _context(
    db: Db,
    accepted: list[Known],
    stated: list[Stated],
    kept: list[Remembered],
    found: list[Answer],
    least: float,
    budget: int,
) -> dict[str, Any]:
    """What an agent would be given: accepted nodes and entries that are sure, and hits, fenced, within the budget."""
    lines = node_recall.lines(db, [one for one in accepted if one.confidence >= least])
    lines += entry_recall.lines(db, [one for one in stated if one.confidence >= least])
    lines += memory_recall.lines(db, kept)
    lines += [context.Line(one.cited, one.about, one.text) for one in found]
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


def note(db: Db, face: str, session: str, asked: str, shown: list[str], cost: int) -> None:
    """Count the question; a store that cannot be written just now answers all the same."""
    names = [cited.removeprefix("mem:") for cited in shown]
    try:
        usage.add(
            db,
            at=platform.now(),
            face=face,
            session=session,
            query=secrets.mask(secrets.without_private(asked)[0])[0],
            shown=names,
            tokens=cost,
        )
        memory_store.note_use(db, names, platform.now())
    except StoreUnavailable:
        pass
