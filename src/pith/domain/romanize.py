"""Write Hangul and kana with Latin letters, so that an id stays readable where only ASCII is safe.

Close to the Revised Romanization and to Hepburn, letter by letter: a reader recognises the word, and nobody needs to
turn it back. Han characters have no reading without a dictionary and are left out.
"""

from __future__ import annotations

import unicodedata

_INITIAL = "g kk n d tt r m b pp s ss - j jj ch k t p h".replace("-", "").split(" ")
_MEDIAL = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i".split()
_FINAL = "- k k k n n n t l k m l l l p l m p p t t ng t t k t p t".replace("-", "").split(" ")
# The same consonants before a vowel, where they begin the next syllable: 재가입은 is jaegaibeun.
_LINKED = "- g kk gs n nj n d r lg lm lb ls lt lp r m b bs s ss ng j ch k t p h".replace("-", "").split(" ")
_FIRST, _LAST, _NO_INITIAL = 0xAC00, 0xD7A3, 11

_KANA = dict(
    zip(
        "あいうえおかきくけこがぎぐげごさしすせそざじずぜぞたちつてとだぢづでどなにぬねの"
        "はひふへほばびぶべぼぱぴぷぺぽまみむめもやゆよらりるれろわをんぁぃぅぇぉゔ",
        (
            "a i u e o ka ki ku ke ko ga gi gu ge go sa shi su se so za ji zu ze zo ta chi tsu te to da ji zu de do "
            "na ni nu ne no ha hi fu he ho ba bi bu be bo pa pi pu pe po ma mi mu me mo ya yu yo ra ri ru re ro wa o n "
            "a i u e o vu"
        ).split(),
        strict=True,
    )
)
_GLIDES = {"ゃ": "a", "ゅ": "u", "ょ": "o"}
_SMALL_TSU, _LONG = "っ", "ー"


def romanized(text: str) -> str:
    """The text in ASCII; letters and digits of other scripts become spaces."""
    return unicodedata.normalize("NFKD", _kana(_hangul(unicodedata.normalize("NFKC", text)))).translate(_Ascii())


class _Ascii(dict[int, str | None]):
    """Keeps ASCII, drops the accents of Latin letters, and puts a space for everything else."""

    def __missing__(self, code: int) -> str | None:
        if code < 128:
            return chr(code)
        return None if unicodedata.combining(chr(code)) else " "


def _hangul(text: str) -> str:
    written = []
    for at, letter in enumerate(text):
        if not _FIRST <= ord(letter) <= _LAST:
            written.append(letter)
            continue
        rest, final = divmod(ord(letter) - _FIRST, len(_FINAL))
        initial, medial = divmod(rest, len(_MEDIAL))
        ending = _LINKED if _begins_with_vowel(text[at + 1 : at + 2]) else _FINAL
        written.append(_INITIAL[initial] + _MEDIAL[medial] + ending[final])
    return "".join(written)


def _begins_with_vowel(letter: str) -> bool:
    if not letter or not _FIRST <= ord(letter) <= _LAST:
        return False
    return (ord(letter) - _FIRST) // (len(_FINAL) * len(_MEDIAL)) == _NO_INITIAL


def _kana(text: str) -> str:
    written: list[str] = []
    doubled = False
    for letter in text:
        hiragana = chr(ord(letter) - 0x60) if "ァ" <= letter <= "ヴ" else letter
        if hiragana == _SMALL_TSU:
            doubled = True
        elif hiragana in _GLIDES and written and written[-1].endswith("i"):
            stem = written[-1][:-1]
            written[-1] = stem + ("" if stem.endswith(("sh", "ch", "j")) else "y") + _GLIDES[hiragana]
        elif hiragana != _LONG:
            sound = _KANA.get(hiragana, letter)
            written.append(sound[0] + sound if doubled and sound.isascii() and sound.isalpha() else sound)
            doubled = False
    return "".join(written)
