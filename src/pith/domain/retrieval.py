"""Which nodes a piece of work needs: found by names, paths, words and edges, those that do not simply hold set apart.

The same nodes and the same request give the same slice, whatever order the nodes come in. Nothing here knows the clock,
git or files: edges, and whether a node still holds, are passed in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Any

from pith.domain import routes, validity, words
from pith.domain.nodes import KINDS, weight_of
from pith.domain.validity import CURRENT, SUPERSEDED, State
from pith.domain.words import Word

Entry = Mapping[str, Any]
Holds = Callable[[Entry], State]
"""Asked with a node; whether it holds today, and why not."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one level of memory may cost: nodes, tokens, whether their texts are told, how far edges are followed."""

    name: str
    nodes: int
    tokens: int
    bodies: bool = True
    hops: int = 2


BUDGETS = {
    "MB0": Budget("MB0", 0, 0, bodies=False, hops=0),
    "MB1": Budget("MB1", 10, 600, bodies=False, hops=1),
    "MB2": Budget("MB2", 5, 1_500),
    "MB3": Budget("MB3", 20, 6_000),
    "MB4": Budget("MB4", 60, 24_000, hops=4),
}


# -- What is asked -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asked:
    """The entities of a request (words, paths, ids of nodes) and its action: what is to come out of it."""

    words: tuple[Word, ...]
    paths: tuple[str, ...]
    ids: frozenset[str]
    action: str

    @property
    def is_nothing(self) -> bool:
        return not (self.words or self.paths or self.ids)


_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+*-]+)+/?|\b[\w-]+\.(?:[a-z]{1,4}|[a-z]+\.[a-z]{1,4})\b")
_ID = re.compile(rf"\b(?:{'|'.join(KINDS)})\.[\w.-]*\w")


def asked(text: str, paths: Iterable[str] = (), action: str = "") -> Asked:
    """What a request names; `paths` are those that it names beside its text."""
    ids = frozenset(_ID.findall(text))
    named = [path for path in _PATH.findall(text) if path not in ids]
    every = [tidy for path in (*paths, *named) if (tidy := _tidy(path))]
    return Asked(tuple(words.question(text)), tuple(sorted(set(every))), ids, action or routes.expected_output(text))


def _tidy(path: str) -> str:
    return path.strip().replace("\\", "/").removeprefix("./").strip("/")


# -- What is found -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Link:
    """An edge between two nodes, as the slice reads it."""

    source: str
    relation: str
    target: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Reached:
    """How well a node fits, and by what it was found."""

    score: float
    by: str


CONFLICTING = "conflicting"
NAMED, ON_PATH = 40.0, 12.0
FEW = 3  # a question of so few words is answered by a node that holds one of them
LEAST = 0.25  # of the best score by words; less is chance
ALONG = 0.5  # of a node's score goes to its neighbour
_FIELDS = ("id", "title", "summary", "source_quest")
_TITLE = 0.5  # what a word in the title counts more
_GOING_ON = ("component",)  # from these, edges are followed further: what holds for a component holds for work on it

_WORTH = {"constraint": 1.3, "decision": 1.2, "risk": 1.15, "verification": 1.05}
_WORTH_FOR = {
    routes.VALIDATION: {"verification": 1.4},
    routes.REVIEW: {"risk": 1.3, "component": 1.1},
    routes.RESEARCH: {"decision": 1.3},
}


def find(entries: Sequence[Entry], asked: Asked, links: Iterable[Link], hops: int) -> dict[str, Reached]:
    """The nodes that a request reaches: itself, by words and paths, and from these along edges."""
    by_id = {entry["id"]: entry for entry in sorted(entries, key=lambda entry: str(entry["id"]))}
    reached = _by_words(by_id, asked)
    for id, entry in by_id.items():
        if id in asked.ids:
            _raise(reached, id, NAMED, "named in the request")
        path = next((path for path in asked.paths if _is_about(entry, path)), None)
        if path:
            _raise(reached, id, ON_PATH, f"path {path}")
    return _along(reached, by_id, _neighbours(by_id, links), hops)


def _raise(reached: dict[str, Reached], id: str, score: float, by: str) -> None:
    before = reached.get(id)
    reached[id] = Reached(before.score + score, f"{by}; {before.by}") if before else Reached(score, by)


def _is_about(entry: Entry, path: str) -> bool:
    """Whether a node names the path, a folder above it or something in it."""
    for pattern in (*entry.get("scope_paths", ()), validity.pattern_of(entry["validity"].get("stale_after", "")) or ""):
        named = _tidy(pattern)
        if named and (validity.matches(named, path) or (named + "/").startswith(path + "/")):
            return True
    return False


def _by_words(by_id: Mapping[str, Entry], asked: Asked) -> dict[str, Reached]:
    """Nodes that hold several words of the request, or one that stands for few; rare words count more."""
    terms = {id: words.terms(" ".join(str(entry[name]) for name in _FIELDS)) for id, entry in by_id.items()}
    holders = {word.text: [id for id in terms if _holds(terms[id], word)] for word in asked.words}
    scores: dict[str, float] = {}
    held: dict[str, list[str]] = {}
    for word in asked.words:
        weight = log(1 + len(by_id) / (len(holders[word.text]) or 1))
        for id in holders[word.text]:
            more = _TITLE if _holds(words.terms(by_id[id]["title"]), word) else 0.0
            scores[id] = scores.get(id, 0.0) + weight * (1 + more)
            held.setdefault(id, []).append(word.text)
    enough = {
        id: score
        for id, score in scores.items()
        if len(held[id]) > 1 or len(asked.words) <= FEW or _is_telling(held[id][0])
    }
    least = LEAST * max(enough.values(), default=0.0)
    return {id: Reached(score, f"words {', '.join(held[id][:5])}") for id, score in enough.items() if score >= least}


def _holds(terms: set[str], word: Word) -> bool:
    return bool(word.whole and word.whole in terms) or all(part in terms for part in word.parts)


def _is_telling(word: str) -> bool:
    """Whether a word alone says what is meant: an identifier, a path, a name with a digit."""
    return any(letter in word for letter in "_./:-") or any(letter.isdigit() for letter in word)


def _neighbours(by_id: Mapping[str, Entry], links: Iterable[Link]) -> dict[str, list[tuple[str, str, float]]]:
    near: dict[str, list[tuple[str, str, float]]] = {}
    for link in (*links, *own_links(by_id.values())):
        if link.source in by_id and link.target in by_id and link.source != link.target:
            near.setdefault(link.source, []).append((link.target, link.relation, link.weight))
            near.setdefault(link.target, []).append((link.source, link.relation, link.weight))
    return {id: sorted(set(others)) for id, others in near.items()}


def own_links(entries: Iterable[Entry]) -> list[Link]:
    """The nodes that a node names in the fields of its kind (`applies_to: component.auth`): edges as well."""
    found = []
    for entry in entries:
        for name, value in entry.get("own", {}).items():
            texts = value if isinstance(value, list) else [value]
            found += [Link(entry["id"], name, text) for text in texts if isinstance(text, str) and _ID.fullmatch(text)]
    return found


def _along(
    reached: dict[str, Reached], by_id: Mapping[str, Entry], near: Mapping[str, list[tuple[str, str, float]]], hops: int
) -> dict[str, Reached]:
    """Add the direct neighbours of what was reached; from components, and when going deep, theirs too."""
    found, edge_of = dict(reached), set(reached)
    for hop in range(hops):
        new: dict[str, Reached] = {}
        for id in sorted(edge_of):
            if hop and hops <= 2 and by_id[id]["node_type"] not in _GOING_ON:
                continue
            for other, relation, weight in near.get(id, ()):
                score = found[id].score * ALONG * weight
                if other not in found and score > new.get(other, Reached(0.0, "")).score:
                    new[other] = Reached(score, f"{relation} {id}")
        found |= new
        edge_of = set(new)
    return found


def ordered(reached: Mapping[str, Reached], by_id: Mapping[str, Entry], action: str) -> list[str]:
    """The best fit first, by what the action needs; equal ones in order of their ids."""
    worth = _WORTH | _WORTH_FOR.get(action, {})

    def rank(id: str) -> tuple[float, str]:
        return -round(reached[id].score * worth.get(by_id[id]["node_type"], 1.0), 9), id

    return sorted(reached, key=rank)


# -- What holds ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Apart:
    """A node that does not simply hold, and the sentence that says so."""

    id: str
    reason: str
    state: str

    @property
    def line(self) -> str:
        return f"- {self.id}: {self.reason}"


@dataclass(slots=True)
class Slice:
    """What work is given: nodes that hold, best first, and apart from them the others; how many found no room."""

    budget: Budget
    current: list[str] = field(default_factory=list)
    stale: list[Apart] = field(default_factory=list)
    superseded: list[Apart] = field(default_factory=list)
    conflicting: list[Apart] = field(default_factory=list)
    found: dict[str, Reached] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    @property
    def apart(self) -> list[Apart]:
        return [*self.stale, *self.superseded, *self.conflicting]


def retrieve(entries: Sequence[Entry], asked: Asked, links: Sequence[Link], budget: Budget, holds: Holds) -> Slice:
    """The slice of a request within a budget of nodes; the budget of tokens is the text's business."""
    slice_ = Slice(budget)
    if not budget.nodes or asked.is_nothing:
        return slice_
    by_id = {entry["id"]: entry for entry in entries}
    reached = find(entries, asked, links, budget.hops)
    replaced_by = replacements(by_id, links)
    _bring_successors(reached, by_id, replaced_by)
    slice_.found = reached
    quarrels = _quarrels(by_id, links)
    judged = _Judged(by_id, replaced_by, holds, links)
    order = ordered(reached, by_id, asked.action)
    for at, id in enumerate(order):
        if len(slice_.current) >= budget.nodes:
            slice_.left_out = order[at:]
            break
        _put(slice_, id, judged, quarrels)
    return slice_


def _put(slice_: Slice, id: str, judged: _Judged, quarrels: Mapping[str, list[str]]) -> None:
    """Put a node where it belongs; beyond the budget of its own, what is apart is left out too."""
    state = judged.of(id)
    opponent = next((other for other in quarrels.get(id, ()) if judged.of(other).holds), None)
    if state.name == SUPERSEDED:
        box, apart = slice_.superseded, Apart(id, state.reason, state.name)
    elif not state.holds:
        box, apart = slice_.stale, Apart(id, state.reason, state.name)
    elif opponent:
        box, apart = slice_.conflicting, Apart(id, f"conflicts_with={opponent}", CONFLICTING)
    else:
        slice_.current.append(id)
        return
    if len(box) < slice_.budget.nodes:
        box.append(apart)
    else:
        slice_.left_out.append(id)


class _Judged:
    """The state of each node, worked out once: asking git about files is dear."""

    def __init__(
        self, by_id: Mapping[str, Entry], replaced_by: Mapping[str, str], holds: Holds, links: Sequence[Link]
    ) -> None:
        self._by_id, self._replaced_by, self._holds = by_id, replaced_by, holds
        self._ended = ended_by(by_id, links)
        self._known: dict[str, State] = {}

    def of(self, id: str) -> State:
        if id not in self._known:
            self._known[id] = self._judge(id)
        return self._known[id]

    def _judge(self, id: str) -> State:
        if id in self._replaced_by:
            return State(SUPERSEDED, f"superseded_by={self._replaced_by[id]}")
        state = self._holds(self._by_id[id])
        if state.name == CURRENT and id in self._ended:
            return State(
                validity.STALE, f"last_verified_at={_verified(self._by_id[id])}, stale_after={self._ended[id]}"
            )
        return state


def states(entries: Sequence[Entry], links: Sequence[Link], holds: Holds) -> dict[str, State]:
    """What every node is today; of two that hold and contradict each other, neither simply does."""
    by_id = {entry["id"]: entry for entry in entries}
    judged = _Judged(by_id, replacements(by_id, links), holds, links)
    quarrels = _quarrels(by_id, links)
    found = {}
    for id in by_id:
        state = judged.of(id)
        if state.holds:
            opponent = next((other for other in quarrels.get(id, ()) if judged.of(other).holds), None)
            state = State(CONFLICTING, f"conflicts_with={opponent}") if opponent else state
        found[id] = state
    return found


def _verified(entry: Entry) -> str:
    return str(entry["since"])[:10] or "never"


def replacements(by_id: Mapping[str, Entry], links: Iterable[Link]) -> dict[str, str]:
    """Which node took the place of which: said by the node itself, or by an edge."""
    found = {link.target: link.source for link in sorted(links, key=_key) if link.relation == "supersedes"}
    found |= {id: by for id, entry in by_id.items() if (by := entry["validity"].get("superseded_by"))}
    return {old: new for old, new in found.items() if old in by_id}


def ended_by(by_id: Mapping[str, Entry], links: Iterable[Link]) -> dict[str, str]:
    """Nodes that an edge lets end with another one, which was accepted and after which nobody verified them."""
    return {
        link.source: link.target
        for link in sorted(links, key=_key)
        if link.relation == "stale_after"
        and link.source in by_id
        and link.target in by_id
        and by_id[link.source]["validity"].get("last_verified_at", "") <= by_id[link.target]["accepted_at"]
    }


def _bring_successors(reached: dict[str, Reached], by_id: Mapping[str, Entry], replaced_by: Mapping[str, str]) -> None:
    """Where something was found that was replaced, what took its place is found too, and as well."""
    for old in sorted(reached):
        chain = validity.chain(old, replaced_by)
        new = chain.last
        if new != old and not chain.cycle and new in by_id:
            score = max(reached[old].score, reached[new].score if new in reached else 0.0)
            reached[new] = Reached(score, reached[new].by if new in reached else f"supersedes {old}")


def _quarrels(by_id: Mapping[str, Entry], links: Iterable[Link]) -> dict[str, list[str]]:
    found: dict[str, set[str]] = {}
    for link in links:
        if link.relation == "conflicts_with" and link.source in by_id and link.target in by_id:
            found.setdefault(link.source, set()).add(link.target)
            found.setdefault(link.target, set()).add(link.source)
    return {id: sorted(others) for id, others in found.items()}


def _key(link: Link) -> tuple[str, str, str]:
    return link.source, link.relation, link.target


def weight(confidence: str) -> float:
    """What an edge carries along, by its confidence; one that says nothing carries as much as a sure one."""
    known = weight_of(confidence)
    return 1.0 if known is None else 0.5 + known / 2
