"""From a quote to the span of an event's text that it rests on: exact, then normalised, then fuzzy; else it failed.

Extractors give quotes, never offsets. Offsets count code points of the stored text, and a span never begins or ends
inside a cluster: a letter with its marks, a sequence of jamo, a surrogate pair. What was found can be told again from
the text alone, each by its own rule (`holds`):

- exact: the span is the quote;
- normalized: both are equal once composed (NFC), casefolded, and with each run of white space read as one space;
- fuzzy: both are 85 % alike in that form, and agree in every number and every negation: "6 years" proves nothing about
  "5 years".
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pith.platform import sha256

EXACT, NORMALIZED, FUZZY = "exact", "normalized", "fuzzy"
LIKE_ENOUGH = 0.85
SHORTEST_FUZZY = 12  # characters; two short texts are alike by chance
_LONGEST_FUZZY = 200_000  # characters of a text; beyond that a search by likeness would take seconds

# What belongs to the character before it: marks, a low surrogate after a high one, a vowel or final jamo.
_CLUSTERS = re.compile(
    r"\s+"
    r"|[\ud800-\udbff][\udc00-\udfff]"
    r"|[\u1100-\u115f\ua960-\ua97c]+[\u1160-\u11a7\ud7b0-\ud7c6]*[\u11a8-\u11ff\ud7cb-\ud7fb]*"
    r"|[\uac00-\ud7a3][\u1160-\u11ff\ud7b0-\ud7fb]*"
    r"|[\u1160-\u11ff\ud7b0-\ud7fb]+"
    r"|.",
    re.DOTALL,
)
_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATIONS = re.compile(
    r"\b(?:not|no|never|none|cannot|without|neither|nor)\b|n['’]t\b|안\s|않|못|없|아니|말고|말아|ない|なかっ|ません|不|没|沒"
)


@dataclass(frozen=True)
class Span:
    """Where a quote stands in a text, how it was found, and how sure that is."""

    start: int
    end: int
    method: str
    confidence: float


def quote_hash(text: str) -> str:
    """SHA-256 of the words that a span covers; what `verify` compares."""
    return sha256(text.encode("utf-8", "surrogatepass")).hex()


def normal(text: str) -> str:
    """The form in which a normalised quote equals its span."""
    return "".join(_normal(cluster) for cluster in _clusters(text)).strip(" ")


def holds(text: str, quote: str, span: Span) -> bool:
    """Whether the span still is, by its own rule, what the quote says."""
    found = text[span.start : span.end]
    if not found or not is_whole(text, span.start) or not is_whole(text, span.end):
        return False
    if span.method == EXACT:
        return found == quote
    if span.method == NORMALIZED:
        return normal(found) == normal(quote)
    return _is_like(normal(quote), normal(found))


def is_whole(text: str, offset: int) -> bool:
    """Whether a span may begin or end here: not inside a cluster."""
    if offset <= 0 or offset >= len(text):
        return 0 <= offset <= len(text)
    before, after = text[offset - 1], text[offset]
    if after.isascii():
        return True
    if _extends(after):
        return False
    return not (len(_CLUSTERS.findall(before + after)) == 1 and not (before.isspace() and after.isspace()))


def evidence(event_id: str, body: Body, quote: str) -> dict[str, Any]:
    """The record of one quote, as an entry keeps it; one that was not found says so and covers nothing."""
    span = body.find(quote)
    if span is None:
        return {
            "event_id": event_id, "start": None, "end": None,
            "quote_hash": quote_hash(quote), "method": "failed", "confidence": 0.0,
        }  # fmt: skip
    return {
        "event_id": event_id,
        "start": span.start,
        "end": span.end,
        "quote_hash": quote_hash(body.text[span.start : span.end]),
        "method": span.method,
        "confidence": span.confidence,
    }


class Body:
    """The text of one event, in which several quotes are looked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    def find(self, quote: str) -> Span | None:
        """Where the quote stands, by the strictest rule that finds it."""
        quote = quote.strip()
        if not quote:
            return None
        return self._exact(quote) or self._normalised(quote) or self._fuzzy(quote)

    def _exact(self, quote: str) -> Span | None:
        start = self.text.find(quote)
        while start >= 0:
            end = start + len(quote)
            if is_whole(self.text, start) and is_whole(self.text, end):
                return Span(start, end, EXACT, 1.0)
            start = self.text.find(quote, start + 1)
        return None

    @cached_property
    def _form(self) -> tuple[str, list[int], list[int]]:
        """The normalised text; for each of its characters, where the cluster that it came from begins and ends."""
        parts: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        at = 0
        for cluster in _clusters(self.text):
            form = _normal(cluster)
            parts.append(form)
            starts += [at] * len(form)
            at += len(cluster)
            ends += [at] * len(form)
        return "".join(parts), starts, ends

    def _normalised(self, quote: str) -> Span | None:
        form, starts, ends = self._form
        wanted = normal(quote)
        at = form.find(wanted) if wanted else -1
        while at >= 0:
            last = at + len(wanted) - 1
            begins = at == 0 or starts[at - 1] != starts[at]
            if begins and (last + 1 == len(form) or starts[last + 1] != starts[last]):
                return Span(starts[at], ends[last], NORMALIZED, 0.99)
            at = form.find(wanted, at + 1)
        return None

    def _fuzzy(self, quote: str) -> Span | None:
        form, starts, ends = self._form
        wanted = normal(quote)
        if len(wanted) < SHORTEST_FUZZY or len(wanted) > len(form) * 1.2 or len(form) > _LONGEST_FUZZY:
            return None
        from rapidfuzz import fuzz

        if len(wanted) > len(form):
            low, high = 0, len(form)
        else:
            found = fuzz.partial_ratio_alignment(wanted, form, score_cutoff=LIKE_ENOUGH * 100)
            if found is None:
                return None
            low, high = _widened(form, found.dest_start, found.dest_end)
        if low >= high:
            return None
        start, end = starts[low], ends[high - 1]
        covered = normal(self.text[start:end])
        if not _is_like(wanted, covered):
            return None
        return Span(start, end, FUZZY, round(min(_likeness(wanted, covered), 0.98), 4))


def _widened(form: str, low: int, high: int) -> tuple[int, int]:
    """The span without spaces at its ends, and with the rest of a word or number that it cuts in two."""
    while low > 0 and form[low - 1].isalnum() and form[low].isalnum():
        low -= 1
    while high < len(form) and form[high - 1].isalnum() and form[high].isalnum():
        high += 1
    while low < high and form[low] == " ":
        low += 1
    while high > low and form[high - 1] == " ":
        high -= 1
    return low, high


def _is_like(wanted: str, found: str) -> bool:
    """Whether two normalised texts say the same but for a few letters."""
    if _NUMBERS.findall(wanted) != _NUMBERS.findall(found):
        return False
    if len(_NEGATIONS.findall(wanted)) != len(_NEGATIONS.findall(found)):
        return False
    return _likeness(wanted, found) >= LIKE_ENOUGH


def _likeness(one: str, other: str) -> float:
    from rapidfuzz import fuzz

    return float(fuzz.ratio(one, other)) / 100


def _extends(character: str) -> bool:
    """Whether a character belongs to the one before it, whatever that is: a mark, or an invisible joiner."""
    return unicodedata.category(character) in ("Mn", "Mc", "Me") or character in "\u200c\u200d"


def _clusters(text: str) -> list[str]:
    found = _CLUSTERS.findall(text)
    if text.isascii():
        return found
    joined: list[str] = []
    for cluster in found:
        if joined and _extends(cluster[0]):
            joined[-1] += cluster
        else:
            joined.append(cluster)
    return joined


def _normal(cluster: str) -> str:
    if cluster.isascii():
        return " " if cluster.isspace() else cluster.lower()
    if cluster.isspace():
        return " "
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", cluster).casefold())
