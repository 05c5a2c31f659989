"""Text to search terms, in every script, and a question to the words it asks for.

English words are stemmed; identifiers and paths stand whole and split; numbers and error codes are kept. Hangul, Kana
and Han have no term per word, since particles and spacing vary: every syllable starts a term of two (the last one of a
run stands alone), so `쿠폰함` is found in `쿠폰함을`, in `내쿠폰함은` and, syllable by syllable, anywhere.

Changing what `terms` gives changes the full-text rows: raise `VERSION`, and stores rebuild them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from operator import add  # `collections` has loaded it already

from pith.domain.stems import STOP, particle_length, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

VERSION = 1
LONGEST = 64  # characters of one term
DATA = 512  # a stretch longer than this without a break is data (base64, minified code): only its beginning counts

# A stretch is what people write without a break: an identifier, a path, a version, `c++`, or a run of any script. No
# class of CJK letters here: compiling one costs a hook 4 ms, so the scripts are told apart by comparing letters.
_STRETCH = re.compile(r"\w[\w./:@+#-]*")
_JOINTS = "./:@-"  # between the parts of a stretch, never at its end
_PIECE = re.compile(r"\w+(?:\+\+|#)?")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|[0-9]+")

_memory: dict[str, tuple[str, ...]] = {}
_MEMORY_LIMIT = 200_000


class Word:
    """One word of a question: what it is called, the terms that stand for it, and the whole form if it has parts.

    `parts` together mean the word (bigrams of `쿠폰함`, pieces of `getUserById`); `whole` alone does too.
    """

    __slots__ = ("is_cjk", "parts", "text", "whole")

    def __init__(self, text: str, parts: tuple[str, ...], whole: str = "", is_cjk: bool = False) -> None:
        self.text = text
        self.parts = parts
        self.whole = whole
        self.is_cjk = is_cjk

    @property
    def is_syllable(self) -> bool:
        """Whether it is a single syllable: the terms that begin with it stand for it."""
        return self.is_cjk and len(self.text) == 1

    def __repr__(self) -> str:
        return f"Word({self.text!r}, {self.parts!r}, {self.whole!r})"


def normal(text: str) -> str:
    """The one form in which texts are compared: NFKC (so that NFD and half-width input match)."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFKC", text)


def terms(text: str) -> set[str]:
    """The terms under which a text is found."""
    found: set[str] = set()
    take = found.update
    known = _memory.get
    korean: list[str] = []
    for stretch in set(_STRETCH.findall(normal(text))):
        made = known(stretch)
        if made is not None:
            take(made)
        elif stretch[0] >= "가" and stretch.isalpha():
            korean.append(stretch)
        else:
            take(_remember(stretch))
    if korean:
        take(_of_korean(korean))
    return found


def question(text: str) -> list[Word]:
    """The informative words of a question, each once, in their order; those that carry nothing are left out."""
    words: dict[str, Word] = {}
    for stretch in _STRETCH.findall(normal(text)):
        for word in _words(stretch.rstrip(_JOINTS)):
            words.setdefault(word.text, word)
    return list(words.values())


def files(text: str) -> list[tuple[str, list[Word], list[Word]]]:
    """What looks like a file in a question: its path or name as written, the words of that, those of its base name.

    A path has a slash, a name an ending in ASCII letters; a particle or a line number may follow (`refund.py에서`).
    """
    found: dict[str, tuple[str, list[Word], list[Word]]] = {}
    for stretch in _STRETCH.findall(normal(text)):
        if ("." in stretch or "/" in stretch) and (path := _file(stretch)):
            asked = stretch[: len(path)] + _ascii(stretch[len(path) :])
            found[path] = path, question(asked), question(path.rpartition("/")[2])
    return list(found.values())


def _file(stretch: str) -> str:
    """The path that a stretch begins with, or nothing."""
    stretch = stretch.rstrip(_JOINTS)
    before, point, after = stretch.rpartition(".")
    ending = _ascii(after).partition(":")[0].partition("#")[0]
    rest = after[len(ending) :]
    if "//" in stretch or (rest and not (rest[0] in ":#" or is_cjk(rest[0]))):
        return ""
    if point and before and ending.isalnum() and ending[0].isalpha() and len(ending) <= 8:
        return f"{before}.{ending}"
    return _ascii(stretch) if "/" in _ascii(stretch).strip("/") else ""


def _ascii(text: str) -> str:
    """The beginning of a text that is ASCII."""
    return next((text[:at] for at, letter in enumerate(text) if not letter.isascii()), text)


def _remember(stretch: str) -> tuple[str, ...]:
    if len(stretch) > DATA:
        return tuple(_terms(stretch[:DATA] if stretch.isascii() else stretch))
    if len(_memory) >= _MEMORY_LIMIT:
        _memory.clear()
    made = _memory[stretch] = tuple(_terms(stretch))
    return made


def _of_korean(stretches: list[str]) -> Iterable[str]:
    """The terms of stretches, nearly always Hangul alone: then all pairs of syllables at once, in half of the time."""
    joined = " ".join(stretches)
    if not _is_hangul(joined.replace(" ", "가")):
        return [term for stretch in stretches for term in _remember(stretch)]
    pairs = set(map(add, joined, f"{joined[1:]} "))
    return [pair.rstrip() for pair in pairs if pair[0] != " "]


def _terms(stretch: str) -> Iterable[str]:
    stretch = stretch.rstrip(_JOINTS)
    folded = stretch.casefold()
    if folded.isalpha():
        if folded.isascii():
            if stretch[1:].islower():  # a plain word: most of them
                return () if folded in STOP or len(folded) > LONGEST else (stem(folded),)
        elif _is_hangul(folded):
            return _bigrams(folded)
    elif folded.isdigit():
        return (folded,) if len(folded) <= LONGEST else ()
    return _mixed_terms(stretch)


def _mixed_terms(stretch: str) -> list[str]:
    """Terms of a stretch with marks, digits, humps or several scripts."""
    found: list[str] = []
    for run, cjk in _runs(stretch):
        if cjk:
            found += _bigrams(run)
            continue
        pieces = _PIECE.findall(run)
        if len(pieces) > 1 and len(run) <= LONGEST:
            found.append(run.casefold())
        for piece in pieces:
            found += _latin(piece)
    return found


def _runs(stretch: str) -> Iterator[tuple[str, bool]]:
    """The runs of a stretch that are CJK or not (`src/cart.py` and `에서`), each with which it is."""
    if stretch.isascii():
        yield stretch, False
        return
    start, kind = 0, is_cjk(stretch[0])
    for at in range(1, len(stretch)):
        if is_cjk(stretch[at]) != kind:
            yield stretch[start:at].strip(_JOINTS), kind
            start, kind = at, not kind
    yield stretch[start:].strip(_JOINTS), kind


def _is_hangul(text: str) -> bool:
    return min(text) >= "가" and max(text) <= "힣"


def is_cjk(letter: str) -> bool:
    """Whether a letter belongs to Hangul (jamo too), Kana or Han."""
    return letter >= "\u1100" and (
        letter <= "\u11ff"
        or "\u3005" <= letter <= "\u9fff"
        or "\ua960" <= letter <= "\ua97f"
        or "\uac00" <= letter <= "\ud7ff"
        or "\uf900" <= letter <= "\ufaff"
        or letter >= "\U00020000"
    )


def _bigrams(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(len(run))]


@lru_cache(_MEMORY_LIMIT)
def _latin(piece: str) -> tuple[str, ...]:
    """The whole piece and, where it has humps (`getUserById`, `HTTP500`), each of them."""
    folded = piece.casefold()
    if folded in STOP or len(piece) > LONGEST:
        return ()
    return (stem(folded), *_humps(piece))


def _humps(piece: str) -> list[str]:
    """Stems of the parts of an identifier; none where it has only one."""
    if not piece.isascii() or piece.isdigit() or (piece.islower() and piece.isalpha()):
        return []
    humps = _HUMP.findall(piece)
    return [stem(hump) for part in humps if (hump := part.lower()) not in STOP] if len(humps) > 1 else []


def _words(stretch: str) -> Iterator[Word]:
    """The words that one stretch of a question asks for."""
    for run, cjk in _runs(stretch):
        if cjk:
            yield from _cjk_word(run)
            continue
        pieces = _PIECE.findall(run)
        folded = run.casefold()
        if len(pieces) > 1 and len(run) <= LONGEST:
            parts = _parts(pieces)
            if parts:
                yield Word(folded, parts, folded)
            continue
        for piece in pieces:
            parts = _parts([piece])
            if parts:
                whole = stem(piece.casefold())
                yield Word(whole, parts, whole if len(parts) > 1 else "")


def _parts(pieces: Iterable[str]) -> tuple[str, ...]:
    """The terms that together stand for pieces: their humps, or each whole; a word that carries nothing has none."""
    found: list[str] = []
    for piece in pieces:
        whole = _latin(piece)
        if whole:
            found += _humps(piece) or whole
    return tuple(dict.fromkeys(found))


def syllable_of(word: Word) -> Word | None:
    """The single syllable of a two-syllable word that may be syllable and particle (`값은`), for when it is unknown."""
    if len(word.text) == 2 and word.is_cjk and word.text[1] in "은는이가을를에의로도만와과요":
        return Word(word.text[0], (word.text[0],), is_cjk=True)
    return None


def _cjk_word(run: str) -> Iterator[Word]:
    """One run of a question without its particle; a run of one syllable stays as it is."""
    kept = run[: len(run) - particle_length(run)] or run
    if kept in STOP or run in STOP:
        return
    if len(kept) == 1:
        yield Word(kept, (kept,), is_cjk=True)
        return
    yield Word(kept, tuple(dict.fromkeys(_bigrams(kept)[:-1])), is_cjk=True)
