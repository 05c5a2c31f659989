"""The extractive summary of a group of events: the sentences that carry decisions, causes, results and open questions.

Every sentence stands in an event as it is told here, in that event's language, and names it. Rules only: no model, no
chance. What tools and the web said is told only where nobody else said anything, and never as a rule.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from pith.domain import cues, extraction, words
from pith.domain.events import AGENT, IMPORTED, PERSON, PROMPT, RESPONSE, SUMMARY
from pith.domain.topics import candidates

NAME, VERSION = "extractive", "1"
LONGEST = 1_000  # characters of a summary, citations included
CITATION = 8  # characters of a citation in a summary: enough for it to stay clear as a store grows
_CITED = len(" [mem:]") + CITATION
MOST = 8  # sentences
_SENTENCES = 12  # of one event that are looked at
_READ = 2_400  # characters of one event
_SENTENCE = 260  # characters of a sentence that is told whole
_TELLING = 4  # words from which on a sentence without any cue may tell something
_SAME = 0.6  # share of the words of the shorter of two sentences from which on they say the same

_WORTH = {"decision": 3.0, "insight": 2.6, extraction.TASK_NOTE: 2.3, "fact": 1.3, "reference": 0.9}
_RESULT, _QUESTION, _PLAIN = 1.8, 1.6, 0.4
_ENDED = re.compile(
    r"\b(?:(?:tests?|checks?|suite) (?:\w+ )?pass|passe[sd]|passing"
    r"|fixed|works now|works again|done|finished|merged|deployed|shipped|resolved|green"
    r"|succeed(?:s|ed)|fail(?:s|ed)|now (?:fails|works|returns|shows|takes))\b"
    r"|통과|해결(?:됐|되었|했)|완료|고쳤|배포(?:했|됐)|병합(?:했|됐)|성공|실패(?:했|한)|끝났|마쳤|반영(?:했|됐)"
)


@dataclass(frozen=True, slots=True)
class Material:
    """An event as a summary reads it."""

    id: str
    kind: str
    origin: str
    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a summary and the event that it stands in."""

    text: str
    event: str


class Extractive:
    """The summarizer that is always there."""

    name = NAME
    version = VERSION

    def summarise(self, events: Sequence[Material], topics: Collection[str]) -> list[Sentence]:
        """The telling sentences of the events, in the order of time."""
        return extract(events, topics)


def extract(events: Sequence[Material], topics: Collection[str] = ()) -> list[Sentence]:
    """The telling sentences of events, none saying what another says, in the order of time; never none for any text."""
    ordered = sorted(events, key=lambda event: (event.at, event.id))
    found = [one for event in ordered for one in _read(event, is_last=_asks_last(event, ordered))]
    kept = _kept(found, frozenset(topics)) if found else []
    kept.sort(key=lambda one: (one.at, one.event, one.place))
    return fitted(Sentence(one.text, one.event) for one in kept) or fitted(_beginnings(ordered))


def told(sentences: Iterable[Sentence], cite: dict[str, str]) -> str:
    """The summary as text: a line a sentence, each with the citation of its event."""
    return "\n".join(f"{one.text} [mem:{cite[one.event][:CITATION]}]" for one in sentences)


def fitted(sentences: Iterable[Sentence]) -> list[Sentence]:
    """As many sentences, in their order, as a summary holds with their citations."""
    kept: list[Sentence] = []
    room = LONGEST
    for one in sentences:
        room -= len(one.text) + _CITED + bool(kept)
        if room < 0 or len(kept) == MOST:
            break
        kept.append(one)
    return kept


class _Candidate:
    """A sentence that may be told: what it is worth, and its words."""

    __slots__ = ("at", "event", "place", "terms", "text", "topics", "worth")

    def __init__(self, event: Material, place: int, text: str, worth: float) -> None:
        self.event, self.at, self.place, self.text, self.worth = event.id, event.at, place, text, worth
        self.terms = words.terms(text)
        self.topics = frozenset(candidates(text))


def _read(event: Material, *, is_last: bool) -> list[_Candidate]:
    if event.origin not in (PERSON, AGENT, IMPORTED):
        return []
    found = []
    for place, sentence in enumerate(extraction.sentences(event.text[:_READ])):
        if place >= _SENTENCES:
            break
        if len(sentence) <= _SENTENCE:
            worth = _worth(event, sentence, is_last=is_last)
            if worth > 0:
                found.append(_Candidate(event, place, " ".join(sentence.split()), worth))
    return found


def _worth(event: Material, sentence: str, *, is_last: bool) -> float:
    said = extraction.read(sentence, by_person=event.kind == PROMPT)
    folded = sentence.casefold()
    if said is not None:
        return _WORTH[said.type] * (0.7 if said.standing == extraction.HYPOTHESIS else 1.0)
    if cues.QUESTION.search(folded):
        return _QUESTION if is_last else 0.0  # one that was answered is told by its answer
    if event.kind != PROMPT and _ENDED.search(folded):
        return _RESULT
    if cues.INTENT.search(folded) or len(folded.split()) < _TELLING:
        return 0.0
    return _PLAIN * (1.0 if event.kind in (RESPONSE, SUMMARY) else 0.8)


def _asks_last(event: Material, ordered: Sequence[Material]) -> bool:
    """Whether nobody answered an event: nothing but tools came after it."""
    later = ordered[ordered.index(event) + 1 :]
    return all(other.kind not in (PROMPT, RESPONSE, SUMMARY) for other in later)


def _kept(found: list[_Candidate], topics: frozenset[str]) -> list[_Candidate]:
    """The best that together fit, none of which repeats another."""
    for one in found:
        one.worth += 0.35 * min(3, len(one.topics & topics))
    kept: list[_Candidate] = []
    room = LONGEST
    least = max(one.worth for one in found) / 4  # beside what was decided, small talk is not worth telling
    for one in sorted(found, key=lambda one: (-one.worth, -one.at, one.event, one.place)):
        cost = len(one.text) + _CITED + bool(kept)
        if one.worth < least or len(kept) == MOST:
            break
        if cost <= room and not any(_is_same(one, other) for other in kept):
            kept.append(one)
            room -= cost
    return kept


def _is_same(one: _Candidate, other: _Candidate) -> bool:
    smaller = min(len(one.terms), len(other.terms))
    return len(one.terms & other.terms) >= _SAME * smaller if smaller else one.text == other.text


def _beginnings(ordered: Sequence[Material]) -> list[Sentence]:
    """How the events begin, for a group of which no sentence can be told: what tools did, or words without an end."""
    found: dict[str, Sentence] = {}
    for event in ordered:
        line = " ".join(event.text.split())
        if len(line) > 120:
            line = line[:119].rsplit(" ", 1)[0].rstrip() + "…"
        if line:
            found.setdefault(line.casefold(), Sentence(line, event.id))
    return list(found.values())
