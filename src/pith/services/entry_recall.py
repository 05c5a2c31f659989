"""What was stated, found by the words of a question and labelled with how far it may be trusted. On the hook's path."""

from __future__ import annotations

from pith.domain import context, ranking, sureness
from pith.services import candidates, dates, recall
from pith.store import branches, citations, entry_words, search
from pith.store.search import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from pith.domain.context import Line
    from pith.domain.ranking import Weighted
    from pith.services.meaning.nearness import Meaning
    from pith.store.database import Db

HOLDING = 500  # entries looked at for one term
JUDGED = 60  # entries whose texts are read
NEAREST = 20  # entries that join by meaning
TOUCHED = 20  # entries that join by a file
_WORTH = {"decision": 1.08, "insight": 1.06, "fact": 1.0, "task_note": 0.95, "reference": 0.95}
_STAGE = {"certified": 1.15, "verified": 1.12, "candidate": 1.06, "working": 1.0, "raw": 0.9}
_STATUS = {"active": 1.0, "contested": 0.97, "deprecated": 0.6, "superseded": 0.6}
_NAMES = {"hypothesis": "hypothesis", "dead_end": "dead end"}
_TASKS = 5  # open tasks, at most, that a session is told when it begins


class Known:
    """An entry as it is told: what it is, how far it goes, and how well it fits."""

    __slots__ = (
        "against", "at", "branch", "confidence", "covered", "found", "id", "kind", "score", "sources", "stage",
        "standing", "status", "substance", "superseded_by", "text", "title",
    )  # fmt: skip

    def __init__(self, row: Any) -> None:
        self.id, self.kind = str(row["entry_id"]), str(row["entry_type"])
        self.title, self.text = str(row["title"]), str(row["text"] or row["title"])
        self.at, self.branch = str(row["created_ts"]), str(row["branch"])
        self.stage, self.status, self.standing = str(row["stage"]), str(row["status"]), str(row["standing"])
        self.superseded_by = row["superseded_by"]
        self.against: list[str] = []
        self.sources = str(row["evidence_json"] or "")
        self.score = self.confidence = self.covered = self.substance = 0.0
        self.found = ranking.Found(int(row["num"]), 0, self.at, "note", 1, "")
        self.found.text = self.text if self.text.startswith(self.title) else f"{self.title}\n{self.text}"
        self.found.folded = self.found.text.casefold()

    @property
    def cited(self) -> str:
        return citations.name(entry_words.ENTRY, self.id)

    def about(self, db: Db) -> str:
        """What stands before its text: when, what it is, how far it is proved, and what is to be held against it."""
        label = self.stage
        if self.status == "superseded":
            label += ", superseded" + (f" by mem:{_short(db, self.superseded_by)}" if self.superseded_by else "")
        elif self.status == "contested":
            label += ", contested" + "".join(f" by mem:{_short(db, id)}" for id in self.against)
        elif self.status != "active":
            label += f", {self.status}"
        name = _NAMES.get(self.standing, self.kind.replace("_", " "))
        return f"{dates.local(self.at, day_only=True)} {name} ({label}){branches.said_on(db, self.branch)}"


def _short(db: Db, id: str) -> str:
    return citations.short(db, citations.name(entry_words.ENTRY, id))


def find(
    db: Db, question: str, most: int, *, stored_already: bool = False, meaning: Meaning | None = None
) -> list[Known]:
    """The entries that answer a question, best first; one that was replaced brings its heir, a contested one its rival.

    `stored_already`: the question itself is among the events and makes its words no commoner.
    """
    total = entry_words.total(db) + search.total(db) - stored_already
    asked = _weighed(db, question, total, int(stored_already))
    near = meaning.entries(question, NEAREST) if meaning else {}
    if not (asked or near):
        return []
    touched = _touched(db, question)
    gathered = candidates.Gathered(asked)
    for term, _ in gathered.terms:
        gathered.add(term, entry_words.holding(db, term, HOLDING), whole=True)
    coverage = ranking.Coverage(asked, gathered.bits)
    best = sorted(gathered.events, key=lambda number: (-coverage.weight(gathered.events[number]), -number))[:JUDGED]
    also = entry_words.named(db, [*near, *touched]).values()
    rows = {row["num"]: row for row in (*entry_words.read(db, best), *also)}
    told = [Known(row) for row in rows.values() if _is_tellable(row)]
    judged = _judged(told, gathered, coverage, asked, near, touched)
    for one in judged:
        one.covered, one.substance = sureness.covered(one.found, asked, (), (), total)
    ranked = sorted((one for one in judged if one.score > 0), key=lambda one: (-round(one.score, 9), one.id))
    candidates.settle(ranked, near if meaning and not meaning.failure else None)
    return _with_others(db, _once(ranked))[:most]


def _touched(db: Db, question: str) -> dict[str, Collection[str]]:
    """The entries that rest on events which touched a file of the question, each with the file's names there."""
    return {
        id: names
        for names, events in candidates.touching(db, question, Filter())
        for id in (entry_words.resting_on(db, events.values(), TOUCHED) if events else ())
    }


def _is_tellable(row: Any) -> bool:
    """Whether an entry may be told as a statement: at least one of its quotes was found, or it needs none."""
    evidence = row["evidence_json"]
    if not evidence or evidence == "[]":
        return True
    return any(f'"method":"{method}"' in evidence for method in ("exact", "normalized", "fuzzy")) or (
        '"method"' not in evidence
    )


def _weighed(db: Db, question: str, total: int, besides: int) -> list[Weighted]:
    """The words of the question, as rare as they are among entries and events together."""

    def count(term: str) -> int:
        return entry_words.frequency(db, term) + max(0, search.frequency(db, term) - besides)

    return candidates.weighed(question, total, count)


def _judged(
    known: list[Known],
    gathered: candidates.Gathered,
    coverage: ranking.Coverage,
    asked: list[Weighted],
    near: Mapping[str, float],
    touched: Mapping[str, Collection[str]],
) -> list[Known]:
    """Score entries by words and, where there is one, by meaning; then by what they are and how far they are proved."""
    for one in known:
        found = one.found
        found.coverage = coverage.of(gathered.events.get(found.seq, 0))
        found.own = ranking.own_score(found, asked, 1.0)
        found.meaning = near.get(one.id, 0.0)
        ranking.touched(found, touched.get(one.id, ()), asked)
    ranking.mix([one.found for one in known], asked)
    for one in known:
        one.found.score = one.found.base
        standing = 0.8 if one.standing == "hypothesis" else 1.0
        worth = {"type": _WORTH.get(one.kind, 1.0), "stage": _STAGE[one.stage], "status": _STATUS[one.status]}
        ranking.weigh(one.found, worth | {"standing": standing})
        one.score = one.found.score
    return known


def _once(ranked: list[Known]) -> list[Known]:
    """The best of those that say the same in the same words, one that holds before one that was replaced."""
    texts: dict[str, Known] = {}
    for one in sorted(ranked, key=lambda one: one.status in ("superseded", "deprecated")):
        texts.setdefault(f"{one.kind} {' '.join(one.text.casefold().split())}", one)
    return [one for one in ranked if one in texts.values()]


def _with_others(db: Db, ranked: list[Known]) -> list[Known]:
    """Each with what must be told beside it; what was replaced after all else."""
    listed: dict[str, Known] = {}
    for one in ranked:
        for other in (*_heir(db, one), *([one] if one.status != "superseded" else []), *_rivals(db, one)):
            if other is not one:
                other.score, other.confidence = one.score, one.confidence
            listed.setdefault(other.id, other)
    for one in ranked:
        listed.setdefault(one.id, one)
    return list(listed.values())


def _heir(db: Db, one: Known) -> list[Known]:
    """The entry at the end of the chain of those that replaced this one."""
    seen, last = {one.id}, one
    while last.status == "superseded" and last.superseded_by and last.superseded_by not in seen:
        seen.add(last.superseded_by)
        row = entry_words.named(db, [last.superseded_by]).get(last.superseded_by)
        if row is None:
            return []
        last = Known(row)
    return [] if last is one else [last]


def _rivals(db: Db, one: Known) -> list[Known]:
    """The live entries that contradict one; both know of each other then."""
    if one.status != "contested":
        return []
    one.against = entry_words.opponents(db, one.id)
    rivals = [Known(row) for row in entry_words.named(db, one.against).values()]
    for rival in rivals:
        rival.against = [one.id]
    return [rival for rival in rivals if rival.status == "contested"]


def beside(db: Db, found: list[Known], most: int) -> list[Known]:
    """Entries about the same things as those that were found: their neighbours in the graph."""
    known = {one.id for one in found}
    near: dict[str, Known] = {}
    for one in found:
        for id in entry_words.beside(db, one.id, most):
            if id not in known and id not in near:
                row = entry_words.named(db, [id]).get(id)
                if row is not None and _is_tellable(row):
                    near[id] = Known(row)
    return list(near.values())[:most]


# -- What an agent is told -----------------------------------------------------------------------------------


def for_prompt(db: Db, question: str, *, most: int, least: float, told: set[str]) -> list[Line]:
    """Lines for a prompt: sure entries that this session was not told yet, and neighbours where there is room."""
    sure = [
        one
        for one in find(db, question, most * 2, stored_already=True)
        if one.confidence >= least and not recall.was_told(one.cited, told)
    ][:most]
    if sure and len(sure) < most:
        near = beside(db, sure[:2], most - len(sure))
        sure += [one for one in near if not recall.was_told(one.cited, told)]
    return lines(db, sure)


def for_session(db: Db) -> list[Line]:
    """Lines for the brief of a new session: the tasks that are not over, with what they effectively wait for."""
    found = []
    for task in entry_words.open_tasks(db, _TASKS):
        blockers = entry_words.waiting_for(db, task["entity_id"]) if task["state"] == "blocked" else []
        text = task["title"] + (f"; waits for {', '.join(blockers)}" if blockers else "")
        about = f"{dates.local(str(task['since'] or ''), day_only=True)} task, {task['state'].replace('_', ' ')}"
        if task["priority"] != "normal":
            about += f", {task['priority']}"
        cited = citations.short(db, citations.name(entry_words.ENTITY, task["entity_id"]))
        found.append(context.Line(cited, about.strip(), text))
    return found


def lines(db: Db, known: Iterable[Known]) -> list[Line]:
    """Entries as lines of a context."""
    return [context.Line(citations.short(db, one.cited), one.about(db), one.text) for one in known]
