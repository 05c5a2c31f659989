"""Word forms: English endings cut back to a stem, Korean particles found, and the words that carry nothing.

The stemmer follows the idea of Porter's algorithm (M. F. Porter, "An algorithm for suffix stripping", 1980) with
fewer steps: what matters for recall is that the forms of one word meet, not that the stem is a word. A hook may
import only the standard library, so no stemming library can be used here.
"""

from __future__ import annotations

from functools import lru_cache  # `re` has loaded it already

_VOWELS = frozenset("aeiouy")
_SHAPE = {code: "v" if chr(code) in _VOWELS else "c" for code in range(ord("a"), ord("z") + 1)}

STOP = frozenset(
    """
    a an the and or but nor so if then than that this these those there here it its he she his her him they
    them their we us our you your i me my mine is are was were be been being am do does did doing done have
    has had having will would shall should can could may might must of in on at by for to from with without
    into onto about as not no s t re ve ll d m what which who whom whose when where why how let lets please
    many much ever also just
    그 이 저 것 거 수 등 및 또 더 안 좀 잘 왜 뭐 뭘 나 너 내 네 제 우리 저희 그거 이거 저거 그게 이게 뭐가
    뭔가 무엇 무엇을 무슨 어떤 어떻게 어디 어디서 어디에 언제 누가 누구 얼마나 얼마 몇 그리고 그래서 그런데
    하지만 또는 혹은 때 때문 위해 대해 대한 대해서 관해 관한 하는 하고 해서 했던 했지 했나 했어 했는지
    하기로 하기 한다 했다 하나 하지 할까 해야 했더라 있는 있나 있지 있어 있다 있었지 있었나 있던 없는 없나
    되는 되나 됐지 됐나 됐던 되지 되었지 되었나 된 인가 인지 였지 였나 이었지 이었나 거였지 뭐였지
    무엇이었지 무엇인가 뭔가요 뭐지 어땠지 왜지 지난번 지난번에 저번에 그때 이번 이번에 우리가 정했지
    정했나 정했더라
    """.split()
)

# Longest first. A particle is cut only where at least two syllables stay: one left alone would find half the corpus.
_PARTICLES = tuple(
    sorted(
        """
        은 는 이 가 을 를 에 의 로 도 만 와 과 랑 나 요 들 에서 에게 한테 으로 까지 부터 처럼 보다 마다 조차
        마저 이나 이랑 라고 이라고 에는 에도 에만 에서는 에서도 으로는 으로도 로는 로도 에게는 까지는 부터는
        들은 들이 들을 이란 란 이라는 라는 인데 이고 이면 이며 인가 인지 인가요 였지 이었지 이었나 였나 이야 야
        이지 지 하는 하고 하면 하지 하기 하려고 하려면 한 할 함 했지 했나 했던 했더라 했는지 했어 했다 했고
        해서 해야 해도 하다가 하도록 되는 되면 되지 되나 된 될 됐지 됐나 됐던 됐는지 되었지 되었나 되었는지
        됐을 되던 하던 하던데 에선 에서의 으로의 와의 과의 만의 이었던 였던
        """.split(),
        key=len,
        reverse=True,
    )
)


def particle_length(run: str) -> int:
    """How many syllables at the end of a Korean run are particle or ending, not word; 0 when in doubt."""
    if not "가" <= run[-1] <= "힣":
        return 0
    for particle in _PARTICLES:
        if len(run) - len(particle) >= 2 and run.endswith(particle):
            return len(particle)
    return 0


@lru_cache(100_000)
def stem(word: str) -> str:
    """The stem of a casefolded word; words with anything but a to z, and short ones, stay as they are."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word[-1] == "s":
        word = _plural(word)
    if word[-1] in "dgy":
        word = _y_to_i(_past(word))
    return _derived(word)


def _plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ingly", "edly", "ing", "ed"):
        if word.endswith(ending):
            base = word[: -len(ending)]
            return _restored(base) if len(base) >= 2 and _has_vowel(base) else word
    return word


def _restored(base: str) -> str:
    """What stood before -ed or -ing: `retri(ed)`, `runn(ing)` -> `run`, `creat(ing)` -> `create`."""
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if len(base) > 2 and base[-1] == base[-2] and base[-1] not in "lszaeiou":
        return base[:-1]
    if _measure(base) == 1 and _ends_short(base):
        return base + "e"
    return base


def _y_to_i(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and len(word) > 2 and word[-2] not in _VOWELS else word


_DERIVED = (
    ("ization", "ize"), ("ational", "ate"), ("fulness", "ful"), ("ousness", "ous"), ("iveness", "ive"),
    ("tional", "tion"), ("ation", "ate"), ("alism", "al"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
    ("ement", ""), ("ment", ""), ("ness", ""), ("izer", "ize"), ("ator", "ate"), ("alli", "al"), ("entli", "ent"),
    ("ousli", "ous"), ("abli", "able"), ("bli", "ble"), ("eli", "e"), ("ful", ""), ("ance", ""), ("ence", ""),
    ("able", ""), ("ible", ""), ("ion", ""), ("er", ""), ("al", ""), ("ive", ""), ("ize", ""), ("ate", ""), ("li", ""),
)  # fmt: skip


_BY_LAST: dict[str, list[tuple[str, str]]] = {}
for _ending, _instead in _DERIVED:
    _BY_LAST.setdefault(_ending[-1], []).append((_ending, _instead))
_ENDINGS = tuple(ending for ending, _ in _DERIVED)


def _derived(word: str) -> str:
    if not word.endswith(_ENDINGS):
        return _without_e(word)
    for ending, instead in _BY_LAST.get(word[-1], ()):
        if word.endswith(ending):
            base = word[: -len(ending)]
            if _measure(base) < (1 if instead else 2) or (ending == "ion" and base[-1] not in "st"):
                return _without_e(word)
            return _without_e(base + instead) if len(ending) > 4 or not instead else _derived(base + instead)
    return _without_e(word)


def _without_e(word: str) -> str:
    if word[-1] != "e":
        return word
    base = word[:-1]
    measure = _measure(base)
    return base if measure > 1 or (measure == 1 and not _ends_short(base)) else word


def _measure(base: str) -> int:
    """Porter's m: how many times a vowel is followed by a consonant."""
    return base.translate(_SHAPE).count("vc")


def _has_vowel(base: str) -> bool:
    return not _VOWELS.isdisjoint(base)


def _ends_short(base: str) -> bool:
    """Whether a base ends consonant, vowel, consonant (not w, x, y), as `hop` does."""
    return len(base) >= 3 and base[-1] not in "aeiouwxy" and base[-2] in _VOWELS and base[-3] not in "aeiou"
