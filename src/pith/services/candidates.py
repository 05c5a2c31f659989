"""Who may answer a question: events that hold its words or are near it, with the turns beside them, scored by words."""

from __future__ import annotations

from pith.domain import glossary, manner, ranking, sureness, words
from pith.store import kin, search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any

    from pith.domain.ranking import Found, Translated, Weighted
    from pith.domain.words import Word
    from pith.store.database import Db
    from pith.store.search import Filter

POSTINGS = 1500  # at most this many of the newest events for one term
GATHERED = 4_500  # and this many for all terms of a question together, from its rarest on
JUDGED = 120  # candidates whose texts are read
READ = 3000  # characters of each
ASKED = 24  # the rarest words of a long question
ASKING_KIN = 10  # candidates whose kin joins them
BESIDE = 40  # candidates whose neighbours join them
FILES = 2  # files of a question that are looked up
BEGINNINGS = 200  # terms that may stand for a single syllable


def weigh(db: Db, question: str, total: int, besides: int = 0) -> list[Weighted]:
    """The words of the question with their rarity among `total` events; the rarest where there are many."""
    if total <= 0:
        return []

    def count(term: str) -> int:
        return max(0, search.frequency(db, term) - besides)

    asked = []
    for word in words.question(question):
        frequencies = {term: count(term) for term in _terms_of(db, word)}
        if not any(frequencies.values()) and (syllable := words.syllable_of(word)):
            word, frequencies = syllable, {term: count(term) for term in _terms_of(db, syllable)}
        asked.append(ranking.Weighted(word, frequencies, total, translations(word, count)))
    return _rarest(asked)


def weighed(question: str, total: int, count: Callable[[str], int]) -> list[Weighted]:
    """The words of the question, each as rare as `count` says of its terms; for what is no event."""
    asked = []
    for word in words.question(question)[: ASKED * 4]:
        terms = [*word.parts, word.whole] if word.whole else word.parts
        frequencies = {term: count(term) for term in terms}
        asked.append(ranking.Weighted(word, frequencies, total, translations(word, count)))
    return _rarest(asked)


def _rarest(asked: list[Weighted]) -> list[Weighted]:
    if len(asked) <= ASKED:
        return asked
    kept = sorted(asked, key=lambda one: -one.weight)[:ASKED]
    return [one for one in asked if one in kept]


def translations(word: Word, count: Callable[[str], int]) -> list[Translated]:
    """The parts of a word in the other language: the rarest term of each name, with how many hold it."""
    found: list[Translated] = []
    for part in glossary.parts(word):
        held = {}
        for terms in part.names:
            counted = {term: count(term) for term in terms}
            rarest = min(counted, key=counted.__getitem__)
            if counted[rarest]:
                held[rarest] = counted[rarest]
        if held:
            found.append((held, part.share))
    return found


def _terms_of(db: Db, word: Word) -> Sequence[str]:
    """The terms that stand for a word, alone or together."""
    if word.is_syllable:
        return search.beginnings(db, word.text, BEGINNINGS) or word.parts
    return [*word.parts, word.whole] if word.whole else word.parts


def gather(db: Db, asked: list[Weighted], only: Filter) -> Gathered:
    """Events with the terms they hold, the rarest terms first, until enough were gathered."""
    gathered = Gathered(asked)
    room = GATHERED
    for term, frequency in gathered.terms:
        most = min(POSTINGS, room)
        numbers = search.holding(db, term, most, only)
        gathered.add(term, numbers, whole=frequency <= most)
        room -= len(numbers)
        if room <= 0:
            break
    return gathered


class Gathered:
    """Events that hold terms of the question: for each a number with a bit for every term.

    A common term is listed in part only: whether a text that was found by other terms holds it, the text itself says.
    """

    __slots__ = ("_unlisted", "bits", "events", "terms")

    def __init__(self, asked: list[Weighted]) -> None:
        frequencies: dict[str, int] = {}
        for word in asked:
            frequencies.update(word.frequencies)
        self.terms = sorted(((term, n) for term, n in frequencies.items() if n), key=lambda item: item[1])
        self.bits = {term: 1 << place for place, (term, _) in enumerate(self.terms)}
        self.events: dict[int, int] = {}
        self._unlisted = dict(self.bits)

    def add(self, term: str, numbers: list[int], *, whole: bool) -> None:
        """Note events that hold a term; `whole` when these are all there are."""
        bit, events = self.bits[term], self.events
        for seq in numbers:
            events[seq] = events.get(seq, 0) | bit
        if whole:
            del self._unlisted[term]

    def held(self, one: Found) -> int:
        """The terms that an event holds."""
        terms = self.events.get(one.seq, 0)
        for term, bit in self._unlisted.items():
            if term in one.folded:
                terms |= bit
        return terms


class Judge:
    """Scores candidates by words, with the lengths of those that were found first as the measure."""

    __slots__ = ("_asked", "_average", "_coverage", "_gathered")

    def __init__(self, gathered: Gathered, asked: list[Weighted]) -> None:
        self._gathered, self._asked = gathered, asked
        self._coverage = ranking.Coverage(asked, gathered.bits)
        self._average = 0.0

    def best(self, db: Db) -> dict[int, Found]:
        """The most promising events with their own scores."""
        found = found_of(db, self._most_promising()) if self._gathered.events else {}
        self.score(found.values())
        return found

    def score(self, found: Collection[Found]) -> None:
        """Note which words each holds, and what that is worth."""
        if not found:
            return
        self._average = self._average or sum(one.size for one in found) / len(found) or 1.0
        for one in found:
            one.terms = self._gathered.held(one)
            one.coverage = self._coverage.of(one.terms)
            one.own = ranking.own_score(one, self._asked, self._average)

    def touched(self, found: Iterable[Found], names: Collection[str]) -> None:
        """Note which touched a file that has these names in the question."""
        for one in found:
            ranking.touched(one, names, self._asked)

    def together(self, found: Iterable[Found]) -> dict[int, float]:
        """The share of the question that the texts of each session hold together."""
        terms: dict[int, int] = {}
        for one in found:
            terms[one.session] = terms.get(one.session, 0) | one.terms
        whole = sum(word.weight for word in self._asked) or 1.0
        return {session: self._coverage.weight(held) / whole for session, held in terms.items()}

    def _most_promising(self) -> list[int]:
        """The events whose terms weigh most, the newer first among equals."""
        alike: dict[int, list[int]] = {}
        for seq, terms in self._gathered.events.items():
            alike.setdefault(terms, []).append(seq)
        weight = self._coverage.weight
        chosen: list[int] = []
        for terms in sorted(alike, key=weight, reverse=True):
            if len(chosen) >= JUDGED or weight(terms) <= 0:
                break
            chosen += sorted(alike[terms], reverse=True)
        return chosen[:JUDGED]


def found_of(db: Db, numbers: Iterable[int]) -> dict[int, Found]:
    found = {}
    for seq, session, at, kind, size, directory, text in search.candidates(db, numbers, READ):
        one = found[seq] = ranking.Found(seq, session, at, kind, size, directory)
        one.text, one.folded, one.asks = text, text.casefold(), manner.asks(text)
    return found


def join_near(db: Db, found: dict[int, Found], near: Mapping[int, float], judge: Judge) -> None:
    """Let what is near in meaning be candidates too, and note of each how near it is."""
    joined = found_of(db, near.keys() - found.keys())
    judge.score(joined.values())
    found.update(joined)
    for seq, closeness in near.items():
        if seq in found:
            found[seq].meaning = closeness


def join_touched(db: Db, found: dict[int, Found], question: str, only: Filter, judge: Judge) -> None:
    """Let what touched a file that the question names join, even where its text does not name it."""
    for names, events in touching(db, question, only):
        joined = found_of(db, events.keys() - found.keys())
        judge.score(joined.values())
        found.update(joined)
        judge.touched([found[seq] for seq in events if seq in found], names)


def touching(db: Db, question: str, only: Filter) -> list[tuple[set[str], dict[int, str]]]:
    """For each file that a question names: its names there, and the events that touched it; else nothing is asked.

    Base names are looked for by their words among texts, and from there on by whole paths.
    """
    found = []
    for path, named, base in words.files(question)[:FILES]:
        terms = [part for word in base for part in word.parts]
        found.append(({word.text for word in named}, search.touching(db, path, terms, only)))
    return found


def join_kin(db: Db, found: dict[int, Found], only: Filter, judge: Judge, *, by_table: bool) -> None:
    """Let what belongs to the best candidates join: what is about the same things, and `by_table` what is near them.

    The second look of a question that takes two steps: the first finds what is meant, the second what became of it.
    """
    best = sorted(found, key=lambda seq: (-found[seq].base, -seq))[:ASKING_KIN]
    links = [(event, other, ranking.KIN_ABOUT, f"about {title}") for event, other, title in kin.sharing(db, best)]
    if by_table:
        links += [(event, other, ranking.KIN_NEAR * near, "near") for event, other, near in kin.near(db, best)]
    missing = {other for _, other, _, _ in links} - found.keys()
    if missing and only.condition:
        missing = search.among(db, missing, only)
    joined = found_of(db, missing) if missing else {}
    judge.score(joined.values())
    found.update(joined)
    ranking.adopt(found, links)


def look_beside(db: Db, found: dict[int, Found], only: Filter, judge: Judge) -> dict[int, tuple[int, int]]:
    """The neighbouring turns of each candidate; those of the best join the candidates."""
    beside = search.neighbours(db, found, only)
    best = sorted(found, key=lambda seq: -found[seq].base)[:BESIDE]
    joined = found_of(db, {other for seq in best for other in beside[seq] if other and other not in found})
    judge.score(joined.values())
    found.update(joined)
    beside.update(search.neighbours(db, joined, only))
    return beside


def judge_stated(
    known: Sequence[Any],
    gathered: Gathered,
    coverage: ranking.Coverage,
    asked: list[Weighted],
    near: Mapping[str, float],
    total: int,
) -> None:
    """Score nodes or memories, by words and by meaning where there is one; what they are comes after."""
    for one in known:
        found = one.found
        found.coverage = coverage.of(gathered.events.get(found.seq, 0))
        found.own = ranking.own_score(found, asked, 1.0)
        found.meaning = near.get(one.id, 0.0)
    ranking.mix([one.found for one in known], asked)
    for one in known:
        one.found.score = one.found.base
        one.covered, one.substance = sureness.covered(one.found, asked, (), (), total)


def settle(ranked: Sequence[Any], near: Mapping[str, float] | None = None) -> None:
    """Say of statements, nodes or memories, the best first, how likely each is to answer; `near`: by meaning, too."""
    for one in ranked:
        meaning = None if near is None else near.get(one.id, 0.0)
        share = one.score / ranked[0].score
        one.confidence = sureness.of(one.covered, one.substance, share, meaning, stated=True)
