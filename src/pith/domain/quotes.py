"""Whether a short text (a question, a title) quotes texts that are to be forgotten.

It does when it stands in one of them, when one of its lines does, or when it holds a term that no other stored text
holds. Too much is better than too little here: what is compared are statistics and names, which can go.
"""

from __future__ import annotations

from pith.domain import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

WIDE = 12  # letters from which a line is telling by itself; a Korean syllable counts as two
OWN_QUESTION = 2000  # characters of a prompt that are noted as the question it asked


class Quotes:
    """The texts to be forgotten, prepared for asking who quotes them."""

    __slots__ = ("_beginnings", "_is_rare", "_known", "_lines", "_texts", "terms")

    def __init__(self, texts: Iterable[str], frequency: Callable[[str], int]) -> None:
        """`frequency` says in how many stored texts, these included, a term occurs."""
        texts = list(texts)
        self._texts = [(words.terms(text), _flat(text)) for text in texts]
        self._beginnings = {_flat(text[:OWN_QUESTION]) for text in texts}
        self._lines = {flat for text in texts for line in text.split("\n") if _is_wide(flat := _flat(line))}
        self.terms: dict[str, int] = {}
        for held, _ in self._texts:
            for term in held:
                self.terms[term] = self.terms.get(term, 0) + 1
        self._is_rare = frequency
        self._known: dict[str, bool] = {}

    def are_in(self, said: str) -> bool:
        """Whether the short text quotes one of them."""
        whole = _flat(said)
        if not whole:
            return False
        if whole in self._beginnings or not self._lines.isdisjoint(map(_flat, said.split("\n"))):
            return True
        asked = words.terms(said)
        if any(self._stands_only_here(term) for term in asked if term in self.terms):
            return True
        if not _is_wide(whole):
            return False
        return any(asked <= held and whole in text for held, text in self._texts)

    def _stands_only_here(self, term: str) -> bool:
        known = self._known.get(term)
        if known is None:
            known = self._known[term] = self._is_rare(term) <= self.terms[term]
        return known


def _flat(text: str) -> str:
    return " ".join(words.normal(text).casefold().split())


def _is_wide(text: str) -> bool:
    return sum(2 if words.is_cjk(letter) else 1 for letter in text) >= WIDE
