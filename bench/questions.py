"""Questions as people ask them of a store: a few words of something that is there, with or without a filter."""

from __future__ import annotations

import random
from collections.abc import Iterator

from bench.stores import sightings
from pith.domain.events import TOOL, Sighting
from pith.store.search import Filter

OPENINGS = ("why did we", "what was decided about", "where is", "which error came from", "how do I run")
ENDINGS = ("어떻게 하기로 했지?", "왜 그랬지?", "어디에 있나요?", "언제 바꿨어?", "오류 원인이 뭐였지?")


def varied(count: int, events: int, seed: int = 11) -> list[tuple[str, Filter]]:
    """Questions in both languages, short and long; every fourth with a filter."""
    chance = random.Random(seed)
    texts = [seen.text for seen in _some(chance, count, events)]
    return [
        (_asked(chance, text), _filter(chance) if number % 4 == 3 else Filter()) for number, text in enumerate(texts)
    ]


def _some(chance: random.Random, count: int, events: int) -> Iterator[Sighting]:
    wanted = set(chance.sample(range(min(events, 20_000)), count))
    return (seen for number, seen in enumerate(sightings(max(wanted) + 1)) if number in wanted)


def _asked(chance: random.Random, text: str) -> str:
    """Some words of a text that stand together, and others from anywhere in it, in a question."""
    words = text.replace("\n", " ").split()
    start = chance.randrange(len(words))
    picked = words[start : start + chance.choice((1, 2, 3, 5))]
    picked += chance.sample(words, min(len(words), chance.choice((0, 1, 2, 6, 14))))
    said = " ".join(word.strip(".,:#()") for word in picked)
    is_korean = any("가" <= letter <= "힣" for letter in said)
    return f"{said} {chance.choice(ENDINGS)}" if is_korean else f"{chance.choice(OPENINGS)} {said}?"


def _filter(chance: random.Random) -> Filter:
    return chance.choice(
        (Filter(kinds=(TOOL,)), Filter(branch="main"), Filter(since="2025-09-01"), Filter(not_session="session-00012"))
    )
