"""How likely it is that a hit answers: one scale for every face, with meaning and without.

The constants were fitted to one half of the sets of questions and are held against the other
(`docs/explanation/recall.md`).
"""

from __future__ import annotations

from math import exp, log

from pith.domain.ranking import ENOUGH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pith.domain.ranking import Found, Weighted

EXCHANGE_SHARE = 0.9  # what a word counts for confidence when the prompt that was answered holds it
NEAR_SHARE = 0.5  # and when it stands next door or elsewhere in the session
CHANCE = 1.8  # what two rare words weigh: sharing as much with a question is chance
BEYOND = 3.5  # up to where the words that a text holds say ever more
THIRD = 0.3  # what each word beyond those two adds to the substance of a question
UNNAMED = 0.3  # and what the name or the number that a question asks for, and nothing holds, takes from it
# Of what a confidence is made: a base, what is covered, what was asked at all, the share of the best score, the cosine.
WITH_WORDS = (-12.6, 1.9, 2.7, 9.0, 0.0)
WITH_MEANING = (-12.4, 1.2, 1.0, 9.5, 3.8)
STATED = 1.0
FEW = 30  # texts, up to which their number says something against the rarity of a word


def covered(
    one: Found, words: Sequence[Weighted], exchange: Iterable[Found], session: Iterable[Found], total: int
) -> tuple[float, float]:
    """How much of the question is there, 0 to 1, and how much that says, 0 to about 1.5.

    The first is the share of the question's information that the hit holds and, with a discount, what the rest of its
    exchange and its session hold (words of a question without an answer occur too, but scattered); rare words count by
    their square. The second is low for a question of common words only, of which every other text holds some; among few
    texts that says little. Two words are soon shared by chance, so a third one adds to it; a name or a number that is
    asked for and that nothing holds takes from it.
    """
    discount = 1.0 if one.own else 0.5
    near = [(EXCHANGE_SHARE * discount, other.coverage) for other in exchange]
    near += [(NEAR_SHARE * discount, other.coverage) for other in session]
    rarest, least = log(1 + total) or 1.0, 1 - total / FEW
    whole = covered = mass = held = unnamed = 0.0
    for word in _distinct(one, words):
        name, weight = word.word.text, word.weight
        own = one.coverage.get(name, 0.0)
        share = max(own, max((part * known.get(name, 0.0) for part, known in near), default=0.0))
        whole += weight**2
        covered += weight**2 * share
        mass += weight * share
        if own > ENOUGH:
            held += own * min(1.0, max(weight / rarest, least))
        if word.is_name:
            unnamed = max(unnamed, 1 - share)
    if not whole:
        return 0.0, 0.0
    substance = min(1.0, max(mass / rarest, least)) + THIRD * max(0.0, min(held, BEYOND) - CHANCE) - UNNAMED * unnamed
    return covered / whole, max(0.0, substance)


def _distinct(one: Found, words: Sequence[Weighted]) -> list[Weighted]:
    """The words of a question without those that mean the same as another of which the hit holds more.

    One word in the other language is both `sign` and `signature`: to hold it is to hold one thing.
    """
    kept: list[Weighted] = []
    for word in sorted(words, key=lambda word: -one.coverage.get(word.word.text, 0.0)):
        if not any(word.names & other.names for other in kept):
            kept.append(word)
    return kept


def of(
    covered: float, substance: float, share_of_best: float, meaning: float | None = None, *, stated: bool = False
) -> float:
    """How likely it is that a hit answers, 0 to 1: the same scale everywhere, with meaning and without.

    A logistic curve over what `covered` says, the share that a score has of the best one, and the cosine where meaning
    was asked; fitted to one half of the sets of questions and held against the other. What is `stated`, by an entry or
    an accepted node, says one thing and answers more often than a turn that holds the same words.
    """
    base, by_covered, by_substance, by_share, by_meaning = WITH_WORDS if meaning is None else WITH_MEANING
    weight = base + STATED * stated + by_covered * covered + by_substance * substance + by_share * share_of_best
    return 1 / (1 + exp(-weight - by_meaning * max(0.0, meaning or 0.0)))


def holds_all(one: Found, words: Sequence[Weighted]) -> bool:
    """Whether a text holds every word that is asked for: no weak match for whoever asks, however common the words."""
    return bool(words) and all(one.coverage.get(word.word.text, 0.0) >= 1 for word in words)


def bar(confidences: Sequence[float], least: float) -> float:
    """How sure a hit must be to be told: once one is sure enough, others beside it may be half as sure."""
    return least / 2 if confidences and max(confidences) >= least else least
