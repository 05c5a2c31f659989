"""Which events answer a question best: words, closeness, meaning, neighbouring turns, manner, and no two of the same.

Pure arithmetic over what recall has gathered. The weights were chosen on conversations 1 to 3 of a public set and are
held against the rest (`docs/explanation/recall.md`); `make bench` prints both.
"""

from __future__ import annotations

from math import log

from pith.domain import manner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pith.domain.words import Word

    Translated = tuple[Mapping[str, int], float]
    """Terms of which each is the same part of a word in another language, with the events that hold each; its share."""

SATURATION = 0.8  # how soon a further occurrence of a word stops counting (BM25's k1)
LENGTH = 0.1  # how much a long text is held against it (BM25's b)
CLOSENESS = 1.0  # share of two words' weight given when they stand side by side
MEANING = 0.5  # share of closeness in meaning beside words, where there are vectors
NEXT_DOOR = 0.45  # share of the better of the two neighbouring turns
TWO_DOORS = 0.3  # and of the better of the two behind those
SESSION = 0.3  # share of the best in the same session
KIN_NEAR = 0.3  # what a candidate gives to whom the worker found near it in meaning, times how near
KIN_ABOUT = 0.15  # and to what is about the same task, condition or artifact
TOGETHER = 0.2  # and of what the texts of the session hold of the question together
ANSWERED = 1.5  # what a question lends to the turn after it: there stands the answer
ASKING = 0.8  # what a text that asks is worth itself
SPEAKING = 0.1  # more for whom the question names
TIMED = 0.2  # more for a text with a time in it, where the question asks when
RECENT = 0.03  # at most this much of a score for being new
NEAR = 0.05  # the same for the same part of the repository
KINDS = {"prompt": 0.8, "response": 1.0, "tool": 0.9, "summary": 0.9, "note": 1.0}  # who asks rarely answers
BORROWED = {"prompt": 0.0, "tool": 0.3}  # of both, for a text of that kind without a word of the question
ENOUGH = 0.45  # share of a word's parts that must be there for it to count at all
TRANSLATED = 0.8  # what a word counts that is there in another language
TOUCHED = 0.8  # what the name of a file counts for what touched the file and does not say so
WINDOW = 48  # characters between two words that still count as close


class Weighted:
    """A word of the question with what it weighs here: its rarity, and the share of each of its terms.

    `alternatives` are terms of which each alone is the whole word: `getuserbyid` besides its parts, or whatever begins
    with a single syllable that is asked for. `translations` are what it is called in another language, `names` those of
    a word that is one there too. An identifier, a path or what has a digit `is_name`.
    """

    __slots__ = (
        "alternatives", "frequencies", "is_name", "names", "probe", "shares", "translations", "weight", "word",
    )  # fmt: skip

    def __init__(
        self, word: Word, frequencies: Mapping[str, int], total: int, translations: Sequence[Translated] = ()
    ) -> None:
        self.word = word
        self.translations = translations
        self.frequencies = dict(frequencies)
        for part, _ in translations:
            self.frequencies.update(part)
        self.names = frozenset(translations[0][0] if len(translations) == 1 and translations[0][1] >= 1 else ())
        self.is_name = bool(word.whole) or any(letter.isdigit() for letter in word.text)
        self.probe = probe(word)
        if word.is_syllable:
            self.alternatives = tuple(frequencies)
            self.weight = idf(min(total, sum(frequencies.values())), total)
            self.shares: dict[str, float] = {}
            return
        self.alternatives = (word.whole,) if word.whole else ()
        rarity = {part: idf(frequencies.get(part, 0), total) for part in word.parts}
        self.weight = max(rarity.values())
        whole = sum(rarity.values())
        # Without any rarity, as where others wrote between two looks, each part counts alike.
        self.shares = {part: value / whole if whole else 1 / len(rarity) for part, value in rarity.items()}


class Found:
    """One candidate: where it stands, which words it holds and how well, and its scores as they grow."""

    __slots__ = (
        "asks", "at", "base", "by_file", "by_meaning", "by_words", "close", "coverage", "directory", "file", "folded",
        "kin", "kin_of", "kind", "meaning", "near", "own", "score", "seq", "session", "session_share", "size", "terms",
        "text", "worth",
    )  # fmt: skip

    def __init__(self, seq: int, session: int, at: str, kind: str, size: int, directory: str) -> None:
        self.seq = seq
        self.session = session
        self.at = at
        self.kind = kind
        self.size = size
        self.directory = directory
        self.text = ""
        self.folded = ""  # for comparing
        self.asks = False
        self.own = self.close = 0.0  # by words, and how much of that for words that stand close together
        self.file = 0.0  # for a file that the question names, which it touched without saying so
        self.by_words = self.by_file = self.by_meaning = 0.0  # the same on one scale, and mixed
        self.meaning = 0.0  # a cosine, 0 where it is not known
        self.base = 0.0  # of both
        self.near = self.session_share = 0.0  # what it borrows
        self.worth: dict[str, float] = {}  # by what its score was multiplied
        self.kin, self.kin_of = 0.0, ""  # what it has from a candidate that it belongs to, and in what way
        self.score = 0.0
        self.terms = 0  # of the question, that it holds, one bit each
        self.coverage: dict[str, float] = {}


def idf(frequency: int, total: int) -> float:
    """Rarity of a term that `frequency` of `total` events hold; never below zero."""
    return log(1 + (total - frequency + 0.5) / (frequency + 0.5)) if total >= frequency else 0.0


def probe(word: Word) -> str:
    """The letters by which a word is looked for in a text, whatever its ending there."""
    if word.is_cjk or word.whole:
        return word.whole or word.text
    text = word.parts[0] if len(word.parts) == 1 else word.text
    return text[:-1] if len(text) > 4 and text[-1] == "i" else text


class Coverage:
    """How much of each word of the question the terms of a text hold, worked out once for each set of terms.

    A set of terms is a number with one bit for each: thousands of events hold the same few combinations.
    """

    __slots__ = ("_known", "_words")

    def __init__(self, words: Sequence[Weighted], bits: Mapping[str, int]) -> None:
        self._words = [
            (
                word.word.text,
                word.weight,
                sum({bits.get(term, 0) for term in word.alternatives}),
                [(sum({bits.get(term, 0) for term in part}), share) for part, share in word.translations],
                [(bits.get(part, 0), share) for part, share in word.shares.items()],
            )
            for word in words
        ]
        self._known: dict[int, tuple[float, dict[str, float]]] = {}

    def of(self, terms: int) -> dict[str, float]:
        """The share of each word that is there, 0 to 1."""
        return self._look(terms)[1]

    def weight(self, terms: int) -> float:
        """What the words that are there weigh together."""
        return self._look(terms)[0]

    def _look(self, terms: int) -> tuple[float, dict[str, float]]:
        known = self._known.get(terms)
        if known is None:
            known = self._known[terms] = self._worked_out(terms)
        return known

    def _worked_out(self, terms: int) -> tuple[float, dict[str, float]]:
        total, shares = 0.0, {}
        for name, weight, whole, translated, parts in self._words:
            share = 1.0
            if not terms & whole:
                share = sum([value for bit, value in parts if terms & bit])
                if share <= ENOUGH:
                    share = 0.0
                if translated:
                    share = max(share, TRANSLATED * sum([value for bit, value in translated if terms & bit]))
            shares[name] = share
            total += weight * share
        return total, shares


def own_score(found: Found, words: Sequence[Weighted], average_size: float) -> float:
    """BM25 with the share of each word that is there, and a premium for words that stand close together."""
    folded, coverage = found.folded, found.coverage
    worn = SATURATION * (1 - LENGTH + LENGTH * found.size / average_size)
    score = close = 0.0
    before: Weighted | None = None
    places: list[int] = []
    for word in words:
        share = coverage.get(word.word.text)
        if not share:
            continue
        times = folded.count(word.probe) or 1
        score += word.weight * share * times * (SATURATION + 1) / (times + worn)
        here = _places(folded, word.probe)
        if before is not None and places and here:
            distance = _distance(places, len(before.probe), here, len(word.probe))
            close += CLOSENESS * min(before.weight, word.weight) * (1 - distance / WINDOW)
        before, places = word, here
    found.close = close
    return score + close


def _distance(ones: list[int], length: int, others: list[int], other_length: int) -> int:
    """Characters between the nearest two places of two words, at most WINDOW."""
    least = WINDOW
    for one in ones:
        for other in others:
            gap = other - one - length if other >= one else one - other - other_length
            if gap < least:
                least = gap
    return max(0, least)


def _places(text: str, what: str, most: int = 6) -> list[int]:
    places: list[int] = []
    at = text.find(what)
    while at >= 0 and len(places) < most:
        places.append(at)
        at = text.find(what, at + 1)
    return places


def mix(found: Iterable[Found], words: Sequence[Weighted]) -> None:
    """Put words and meaning on one scale, both 0 to about 1, and mix them; without any meaning, words alone are left.

    Words are measured by all that is asked, known here or not, and not by the best candidate: a question in another
    language shares a stray word with somebody, and that must not count as much as what means the same.
    """
    listed = list(found)
    whole = sum(word.weight for word in words)
    share = MEANING if any(one.meaning > 0 for one in listed) else 0.0
    for one in listed:
        one.by_words = (1 - share) * one.own / whole if whole else 0.0
        one.by_file = (1 - share) * one.file / whole if whole else 0.0
        one.by_meaning = share * max(0.0, one.meaning)
        one.base = one.by_words + one.by_file + one.by_meaning + one.kin


def touched(one: Found, names: Iterable[str], words: Sequence[Weighted]) -> None:
    """Note that a candidate touched a file: that counts nearly like the words of its name, as far as it holds none."""
    for word in words:
        name = word.word.text
        missing = TOUCHED - one.coverage.get(name, 0.0)
        if name in names and missing > 0:
            one.file += word.weight * missing
            one.coverage = {**one.coverage, name: TOUCHED}  # sets of terms share theirs


def adopt(found: Mapping[int, Found], kin: Iterable[tuple[int, int, float, str]]) -> None:
    """Give what belongs to a candidate a share of its score: candidate, other, share, in what way; the best counts."""
    for candidate, other, share, how in kin:
        one = found.get(other)
        given = share * found[candidate].base
        if one and given > one.kin:
            one.kin, one.kin_of = given, how


def lend(
    found: Mapping[int, Found], beside: Mapping[int, tuple[int, int]], together: Mapping[int, float] | None = None
) -> None:
    """Add shares of what stands near: the turns next door, those behind them, the session.

    An answer often stands next door to the words of the question, and right after somebody asked the same. Who says
    "thanks" there does not answer: what has nothing of the question itself borrows less. `together` is the share of the
    question that each session holds.
    """
    together = together or {}
    best: dict[int, float] = {}
    for one in found.values():
        best[one.session] = max(best.get(one.session, 0.0), one.base)
    nobody = (0, 0)
    for seq, one in found.items():
        before, after = beside.get(seq, nobody)
        asked = found.get(before)
        lent = 0.0 if asked is None else asked.base * (ANSWERED if asked.asks else 1.0)
        next_door = max(lent, _base(found, after))
        two_doors = max(
            _base(found, beside.get(before, nobody)[0]) if before else 0.0,
            _base(found, beside.get(after, nobody)[1]) if after else 0.0,
        )
        share = 1.0 if one.base else BORROWED.get(one.kind, 1.0)
        one.near = share * (NEXT_DOOR * next_door + TWO_DOORS * two_doors)
        one.session_share = share * (SESSION * best[one.session] + TOGETHER * together.get(one.session, 0.0))
        one.score = one.base + one.near + one.session_share


def _base(found: Mapping[int, Found], seq: int) -> float:
    one = found.get(seq)
    return one.base if one else 0.0


def prefer(found: Iterable[Found], newest: str, oldest: str, directory: str) -> None:
    """Who asks rarely answers; and weak preferences that only break near-ties: newer, same part of the repository."""
    span = max(1.0, _day(newest) - _day(oldest))
    for one in found:
        worth = {"kind": KINDS[one.kind], "recency": 1 + RECENT * (_day(one.at) - _day(oldest)) / span}
        if one.asks:
            worth["question"] = ASKING
        if directory and one.directory and (one.directory + "/").startswith(directory + "/"):
            worth["folder"] = 1 + NEAR
        weigh(one, worth)


def heed(found: Iterable[Found], words: Sequence[Weighted], question: str) -> None:
    """Heed whom the question names, and that it asks for a time."""
    names = tuple(word.probe for word in words if len(word.probe) > 1)
    timed = manner.asks_when(question)
    for one in found:
        if manner.speaker(one.folded).startswith(names):
            weigh(one, {"speaker": 1 + SPEAKING})
        if timed and manner.has_time(one.folded):
            weigh(one, {"time": 1 + TIMED})


def weigh(one: Found, worth: Mapping[str, float]) -> None:
    """Multiply a score, and note by what."""
    for name, factor in worth.items():
        one.score *= factor
        if factor != 1:
            one.worth[name] = factor


def explained(one: Found) -> dict[str, object]:
    """Which part of a score came from where; the parts added and multiplied are the score."""
    together = one.close / one.own if one.own else 0.0
    return {
        "words": round(one.by_words * (1 - together), 4),
        "close_together": round(one.by_words * together, 4),
        "file": round(one.by_file, 4),
        "meaning": round(one.by_meaning, 4),
        "kin": round(one.kin, 4),
        "neighbours": round(one.near, 4),
        "session": round(one.session_share, 4),
        "times": {name: round(factor, 4) for name, factor in one.worth.items()},
        "score": round(one.score, 4),
        "matched": {word: round(share, 2) for word, share in one.coverage.items() if share},
        "cosine": round(one.meaning, 4) if one.meaning else None,
        "kin_of": one.kin_of or None,
    }


def _day(at: str) -> float:
    """Days, roughly, for weighing only."""
    return int(at[:4]) * 365.25 + int(at[5:7]) * 30.44 + int(at[8:10]) + int(at[11:13]) / 24


def diverse(found: Sequence[Found], most: int) -> list[Found]:
    """The best first, texts that were already listed left out."""
    listed: list[Found] = []
    texts: set[str] = set()
    for one in sorted(found, key=lambda one: (-one.score, -one.seq)):
        if one.score <= 0:
            break
        key = " ".join(one.text.split()).casefold()
        if key and key in texts:
            continue
        texts.add(key)
        listed.append(one)
        if len(listed) == most:
            break
    return listed
