"""Text to search terms, in every script, and a question to the words it asks for.

English words are stemmed; identifiers and paths stand whole and split; numbers and error codes are kept. Hangul, Kana
and Han have no term per word, since particles and spacing vary: every syllable starts a term of two (the last one of a run
stands alone), so `쿠폰함` is found in `쿠폰함을`, in `내쿠폰함은` and, syllable by syllable, anywhere.

Changing what `terms` gives changes the full-text rows: raise `VERSION`, and stores rebuild them.
"""

from __future__ import annotations

import re

from pith.domain.stems import STOP, particle_length, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

VERSION = 1
LONGEST = 64  # characters of one term
DATA = 512  # a stretch longer than this without a break is data (base64, minified code): only its first terms count

_CJK = "ᄀ-ᇿ぀-ヿㄱ-ㆎㇰ-ㇿ㐀-鿿豈-﫿ꥠ-꥿가-힣ힰ-ퟻ\U00020000-\U0003fffd"
# A stretch is what people write without a break: an identifier, a path, a version, `c++`, or a run of any script.
_STRETCH = re.compile(r"\w[\w./:@+#-]*")
_PIECE = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+(?:['’][^\W{_CJK}]+)?(?:\+\+|#)?")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|[0-9]+|[^\WA-Za-z0-9_]+")
_IS_CJK = re.compile(rf"[{_CJK}]")

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
    add = found.update
    known = _memory.get
    for stretch in set(_STRETCH.findall(normal(text))):
        made = known(stretch)
        add(_remember(stretch) if made is None else made)
    return found


def question(text: str) -> list[Word]:
    """The informative words of a question, each once, in their order; those that carry nothing are left out."""
    words: dict[str, Word] = {}
    for stretch in _STRETCH.findall(normal(text)):
        for word in _words(stretch.rstrip("./:@-")):
            words.setdefault(word.text, word)
    return list(words.values())


def _remember(stretch: str) -> tuple[str, ...]:
    if len(stretch) > DATA:
        return tuple(_terms(stretch if _IS_CJK.search(stretch) else stretch[:DATA]))
    made = tuple(dict.fromkeys(_terms(stretch.rstrip("./:@-"))))
    if len(_memory) >= _MEMORY_LIMIT:
        _memory.clear()
    _memory[stretch] = made
    return made


def _terms(stretch: str) -> Iterable[str]:
    folded = stretch.casefold()
    if folded.isascii() and folded.isalpha() and stretch[1:].islower():  # a plain word: most of them
        if folded not in STOP and len(folded) <= LONGEST:
            yield stem(folded)
        return
    pieces = _PIECE.findall(stretch)
    if len(pieces) > 1 and len(folded) <= LONGEST and not _IS_CJK.search(folded):
        yield folded
    for piece in pieces:
        yield from _bigrams(piece) if _IS_CJK.match(piece) else _latin(piece)


def _bigrams(run: str) -> Iterable[str]:
    for start in range(len(run)):
        yield run[start : start + 2]


def _latin(piece: str) -> Iterable[str]:
    """The whole piece and, where it has humps (`getUserById`, `HTTP500`), each of them."""
    if len(piece) > LONGEST:
        return
    folded = piece.casefold()
    for ending in ("'s", "’s"):
        folded = folded.removesuffix(ending)
    if folded in STOP:
        return
    yield stem(folded)
    humps = _humps(piece)
    if len(humps) > 1:
        for hump in humps:
            if hump not in STOP:
                yield stem(hump)


def _humps(piece: str) -> list[str]:
    return [hump.casefold() for hump in _HUMP.findall(piece)]


def _words(stretch: str) -> Iterable[Word]:
    """The words that one stretch of a question asks for."""
    folded = stretch.casefold()
    pieces = _PIECE.findall(stretch)
    if len(pieces) > 1 and len(folded) <= LONGEST and not _IS_CJK.search(folded):
        parts = tuple(dict.fromkeys(term for piece in pieces for term in _latin_parts(piece)))
        if parts:
            yield Word(folded, parts, folded)
        return
    for piece in pieces:
        if _IS_CJK.match(piece):
            yield from _cjk_word(piece)
            continue
        if len(piece) > LONGEST:
            continue
        parts = tuple(dict.fromkeys(_latin_parts(piece)))
        if parts:
            whole = stem(piece.casefold())
            yield Word(whole, parts, whole if len(parts) > 1 else "")


def _latin_parts(piece: str) -> list[str]:
    humps = _humps(piece)
    if len(humps) > 1 and len(piece) <= LONGEST:
        return [stem(hump) for hump in humps if hump not in STOP]
    return list(_latin(piece))


def _cjk_word(run: str) -> Iterable[Word]:
    """One run of a question without its particle; a run of one syllable stays as it is."""
    kept = run[: len(run) - particle_length(run)] or run
    if kept in STOP or run in STOP:
        return
    if len(kept) == 1:
        yield Word(kept, (kept,), is_cjk=True)
        return
    yield Word(kept, tuple(dict.fromkeys(kept[at : at + 2] for at in range(len(kept) - 1))), is_cjk=True)
