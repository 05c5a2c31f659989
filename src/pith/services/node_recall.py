"""What people accepted, found by words and by meaning, labelled with whether it holds. On the hook's path."""

from __future__ import annotations

from pith.domain import context, ranking
from pith.services import candidates, recall
from pith.services.node_sources import SUPERSEDED
from pith.store import citations, search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from pith.domain.context import Line
    from pith.domain.ranking import Weighted
    from pith.services.meaning.nearness import Meaning
    from pith.services.node_sources import Here, Known, Listed, Table
    from pith.store.database import Db

JUDGED = 60  # nodes whose texts are read
NEAREST = 20  # nodes that join by meaning
NEAR_ENOUGH = 0.4  # confidence of a node without a word of the question, below which it is no match at all
_WORTH = {"constraint": 1.1, "decision": 1.08, "risk": 1.05}  # how good it is to know a kind, where two fit alike


def find(
    db: Db,
    found: Table | Listed,
    question: str,
    most: int,
    *,
    stored_already: bool = False,
    meaning: Meaning | None = None,
) -> list[Known]:
    """The nodes that answer a question, best first: those that hold, then the others; replaced ones bring their heirs.

    `stored_already`: the question itself is among the events and makes its words no commoner.
    """
    if not found.total():
        return []
    total = found.total() + search.total(db) - stored_already
    asked = _weighed(db, found, question, total, int(stored_already))
    near = meaning.nodes(question, NEAREST) if meaning else {}
    if not (asked or near):
        return []
    gathered = candidates.Gathered(asked)
    for term, _ in gathered.terms:
        gathered.add(term, found.holding(term), whole=True)
    coverage = ranking.Coverage(asked, gathered.bits)
    best = sorted(gathered.events, key=lambda number: (-coverage.weight(gathered.events[number]), number))[:JUDGED]
    known = {one.id: one for one in found.read(best).values()}
    known |= {id: one for id in near if id not in known and (one := found.named(id))}
    candidates.judge_stated([*known.values()], gathered, coverage, asked, near, total)
    for one in known.values():
        ranking.weigh(one.found, {"type": _WORTH.get(one.kind, 1.0)})
        one.score = one.found.score
    ranked = sorted((one for one in known.values() if one.score > 0), key=lambda one: (-round(one.score, 9), one.id))
    candidates.settle(ranked, near if meaning and not meaning.failure else None)
    return _with_heirs(found, [one for one in ranked if one.found.own or one.confidence >= NEAR_ENOUGH])[:most]


def _weighed(db: Db, found: Table | Listed, question: str, total: int, besides: int) -> list[Weighted]:
    """The words of the question, as rare as they are among nodes and events together."""

    def count(term: str) -> int:
        # A word that nobody has used yet counts as one used once: among few nodes it would outweigh all the others.
        return max(1, found.frequency(term) + max(0, search.frequency(db, term) - besides))

    return candidates.weighed(question, total, count)


def _with_heirs(found: Table | Listed, ranked: list[Known]) -> list[Known]:
    """Those that hold first; the node that took the place of one that was found stands for it."""
    listed: dict[str, Known] = {}
    for one in ranked:
        heir = _heir(found, one)
        if heir is not one and heir.id not in {other.id for other in ranked}:
            heir.score, heir.confidence = one.score, one.confidence
            listed.setdefault(heir.id, heir)
        listed.setdefault(one.id, one)
    return sorted(listed.values(), key=lambda one: not one.holds)


def _heir(found: Table | Listed, one: Known) -> Known:
    """The node at the end of the chain of those that replaced this one; itself where nothing did."""
    seen = {one.id}
    last = one
    while last.state == SUPERSEDED and "=" in last.label:
        following = found.named(last.label.rpartition("=")[2])
        if following is None or following.id in seen:
            return one
        seen.add(following.id)
        last = following
    return last


# -- What an agent is told -----------------------------------------------------------------------------------


def for_prompt(db: Db, place: Here, question: str, *, most: int, least: float, told: set[str]) -> list[Line]:
    """Lines for a prompt: sure nodes that this session was not told yet."""
    if place.nodes is None:
        return []
    sure = [
        one
        for one in find(db, place.nodes, question, most * 2, stored_already=True)
        if one.confidence >= least and not recall.was_told(one.cited, told)
    ]
    return lines(db, sure[:most])


def for_session(db: Db, place: Here, most: int) -> list[Line]:
    """Lines for the brief of a new session: constraints and decisions first."""
    return lines(db, place.nodes.first(most)) if place.nodes else []


def lines(db: Db, known: Iterable[Known]) -> list[Line]:
    """Nodes as lines of a context."""
    return [context.Line(citations.short(db, one.cited), one.about, one.text) for one in known]
