"""The most telling part of a text for a question: the stretch where most of its words stand."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def telling(text: str, probes: Sequence[tuple[str, float]], length: int) -> str:
    """About `length` characters of the text, where the heaviest probes stand together; `…` marks what is cut."""
    if len(text) <= length:
        return text
    folded = text.casefold()
    if len(folded) != len(text):  # folding changed lengths (ß, İ): positions would not fit
        folded = text.lower() if len(text.lower()) == len(text) else text
    places = sorted(place for place in _places(folded, probes))
    start = _best_start(places, length) if places else 0
    start = _word_start(text, max(0, start - length // 6))
    end = min(len(text), start + length)
    return ("…" if start else "") + text[start:end].strip() + ("…" if end < len(text) else "")


def _places(folded: str, probes: Sequence[tuple[str, float]]) -> list[tuple[int, str, float]]:
    places: list[tuple[int, str, float]] = []
    for probe, weight in probes:
        at = folded.find(probe) if probe else -1
        while at >= 0 and len(places) < 400:
            places.append((at, probe, weight))
            at = folded.find(probe, at + len(probe))
    return places


def _best_start(places: list[tuple[int, str, float]], length: int) -> int:
    """The first place from which a window of `length` holds the most weight of different probes."""
    best, best_weight = places[0][0], -1.0
    for number, (start, _, _) in enumerate(places):
        inside = {probe: weight for at, probe, weight in places[number:] if at < start + length}
        weight = sum(inside.values())
        if weight > best_weight:
            best, best_weight = start, weight
    return best


def _word_start(text: str, at: int) -> int:
    """The beginning of the word at a position, so that no word is cut in half."""
    if at == 0:
        return 0
    space = max(text.rfind(" ", max(0, at - 40), at), text.rfind("\n", max(0, at - 40), at))
    return space + 1 if space >= 0 else at
