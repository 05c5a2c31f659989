"""Made-up text with the statistics of real sessions: a few words everywhere, most words rarely, two languages, code.

Every word is drawn by Zipf's law from vocabularies that are themselves made of syllables, so that a store of any
size has as many different words as one of real sessions would.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import accumulate

ENGLISH_WORDS, KOREAN_NOUNS, NAMES = 30_000, 15_000, 6_000
LENGTHS = (90, 160, 260, 420, 700, 1_100, 2_400)  # bytes of an event's text
LENGTH_WEIGHTS = (12, 17, 20, 19, 15, 11, 6)

COMMON = (
    "the to a and is of in it that for on with this not be as we at are but by or so if from when then test file error"
    " code run fix add use change call return value check build user data name list server request after before only"
).split()
ENDINGS = ("", "", "", "", "s", "ed", "ing", "er", "ion", "ly")
PARTICLES = ("을", "를", "이", "가", "은", "는", "에", "에서", "로", "으로", "의", "와", "도", "", "", "까지")
VERBS = (
    "했습니다",
    "하세요",
    "합니다",
    "바꿨어요",
    "고쳤습니다",
    "확인했어요",
    "남겨 주세요",
    "실패합니다",
    "없습니다",
)
ONSETS = ("b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "pl", "ch")
RIMES = ("a", "e", "i", "o", "u", "an", "er", "in", "on", "ar", "el", "ist", "ock", "ine", "ate")
STEEPNESS = 1.2  # so that 64 KB of code and Korean have 3,800 different terms; those of this project have 3,600
SYLLABLES = 700  # of the 11,172 that there could be, a language uses few


class Zipf:
    """Words, the first of which are drawn far more often than the later ones."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self._weights = list(accumulate((rank + 2.7) ** -STEEPNESS for rank in range(len(words))))

    def draw(self, chance: random.Random, count: int) -> list[str]:
        return chance.choices(self.words, cum_weights=self._weights, k=count)


class Author:
    """Writes texts of all sorts; the same seed writes the same ones."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        words = random.Random(1)  # everybody speaks the same languages
        self.english = Zipf(COMMON + [_english_word(words) for _ in range(ENGLISH_WORDS)])
        syllables = _syllables(words)
        self.korean = Zipf([_korean_noun(words, syllables) for _ in range(KOREAN_NOUNS)])
        self.names = Zipf([_name(words, self.english) for _ in range(NAMES)])

    def length(self) -> int:
        return self.chance.choices(LENGTHS, LENGTH_WEIGHTS)[0]

    def speech(self, size: int) -> str:
        """About `size` bytes of what people and agents say: one language, a name of the code here and there."""
        sentence = self.korean_sentence if self.chance.random() < 0.45 else self.english_sentence
        return self._filled(size, sentence, " ")

    def output(self, size: int) -> str:
        """About `size` bytes of code, search results and log lines."""
        return self._filled(size, self._line, "\n")

    def mixed(self, size: int) -> str:
        """About `size` bytes of Korean, English and code in turn."""
        return self._filled(size, self._sentence_or_line, "\n")

    def english_sentence(self) -> str:
        words = self.english.draw(self.chance, self.chance.randint(6, 18))
        if self.chance.random() < 0.4:
            words.insert(len(words) // 2, self.names.draw(self.chance, 1)[0])
        return " ".join(words).capitalize() + "."

    def korean_sentence(self) -> str:
        words = [
            noun + self.chance.choice(PARTICLES) for noun in self.korean.draw(self.chance, self.chance.randint(3, 9))
        ]
        if self.chance.random() < 0.4:
            words.insert(len(words) // 2, self.names.draw(self.chance, 1)[0])
        return " ".join([*words, self.chance.choice(VERBS)]) + "."

    def path(self) -> str:
        folder, file = self.names.draw(self.chance, 2)
        return f"src/{folder.lower()}/{file.lower()}.py"

    def _sentence_or_line(self) -> str:
        return self.korean_sentence() if self.chance.random() < 0.5 else self._line()

    def _line(self) -> str:
        name, other = self.names.draw(self.chance, 2)
        number = self.chance.randint(1, 4_000)
        words = " ".join(self.english.draw(self.chance, 4))
        return self.chance.choice(
            (
                f"{self.path()}:{number}: def {name}({other}, limit={number}): # {words}",
                f"    return {name}.{other}(self.{words.replace(' ', '_')}, {number})",
                f"2026-05-{number % 28 + 1:02d} ERROR {name} failed with {number}: {words}",
                f"FAILED tests/test_{name.lower()}.py::test_{other.lower()} - {words}",
            )
        )

    def _filled(self, size: int, part: Callable[[], str], between: str) -> str:
        parts: list[str] = []
        while size > 0:
            parts.append(part())
            size -= len(parts[-1].encode()) + 1
        return between.join(parts)


def _english_word(chance: random.Random) -> str:
    syllables = (chance.choice(ONSETS) + chance.choice(RIMES) for _ in range(chance.choice((1, 2, 2, 3))))
    return "".join(syllables) + chance.choice(ENDINGS)


def _syllables(chance: random.Random) -> Zipf:
    """Syllables as Korean uses them: half of them end in a vowel."""
    open_ones = [chr(ord("가") + number * 28) for number in range(399)]
    closed = [chr(ord(letter) + tail) for letter in open_ones for tail in (1, 4, 8, 16, 17, 21)]
    return Zipf(chance.sample(open_ones, SYLLABLES // 3) + chance.sample(closed, SYLLABLES - SYLLABLES // 3))


def _korean_noun(chance: random.Random, syllables: Zipf) -> str:
    return "".join(syllables.draw(chance, chance.choice((2, 2, 2, 3, 4))))


def _name(chance: random.Random, english: Zipf) -> str:
    words = english.draw(chance, chance.choice((2, 2, 3)))
    return "_".join(words) if chance.random() < 0.6 else "".join(word.capitalize() for word in words)
