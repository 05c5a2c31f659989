"""Where the pieces of a drawing go; templates draw them, so that every text in them is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

WIDTH, HEIGHT = 720, 150
FOOT, HEAD, LEFT, RIGHT = 22, 8, 34, 14


def bars(days: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> dict[str, Any]:
    """Stacked bars, one a day, with a scale that ends at a round number."""
    most = max((sum(day[kind] for kind in kinds) for day in days), default=0)
    top = _round_up(most)
    room, wide = HEIGHT - FOOT - HEAD, (WIDTH - LEFT - RIGHT) / max(1, len(days))
    drawn = []
    for number, day in enumerate(days):
        y, pieces = float(HEIGHT - FOOT), []
        for kind in kinds:
            high = room * day[kind] / top
            y -= high
            if day[kind]:
                pieces.append({"kind": kind, "y": _short(y), "height": _short(max(high, 0.8))})
        drawn.append(
            {
                "day": day["day"],
                "x": _short(LEFT + number * wide + wide * 0.14),
                "width": _short(wide * 0.72),
                "middle": _short(LEFT + (number + 0.5) * wide),
                "total": sum(day[kind] for kind in kinds),
                "pieces": pieces,
                "labelled": (len(days) - 1 - number) % 7 == 0,
            }
        )
    lines = [{"value": value, "y": _short(HEIGHT - FOOT - room * value / top)} for value in (0, top // 2, top)]
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "right": WIDTH - RIGHT,
        "bars": drawn,
        "lines": lines,
        "most": most,
    }


def _round_up(most: int) -> int:
    """The next number that is even and easy to read: 2, 4, 10, 20, 40, 100 ..."""
    step = 2
    while step < most:
        step = step * 5 // 2 if str(step)[0] == "4" else step * 2
    return step


def _short(number: float) -> float:
    return round(number, 1)


# -- Tasks and what they wait for --------------------------------------------------------------------------

BOX, TALL, BETWEEN, ACROSS = 232, 46, 16, 64
LETTERS = 28  # of a title in a box; Hangul counts double


def graph(nodes: Iterable[Mapping[str, Any]], edges: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Boxes in columns: what waits stands right of what it waits for. A circle is cut where it is met again."""
    known = {str(node["id"]): node for node in nodes}
    waits: dict[str, list[str]] = {id: [] for id in known}
    for waiting, blocker in edges:
        if waiting in known and blocker in known:
            waits[waiting].append(blocker)
    depths = dict.fromkeys(known, 0)
    for id in known:
        depths[id] = _depth(id, waits, depths, ())
    rows: dict[int, int] = {}
    boxes: dict[str, dict[str, Any]] = {}
    for id, node in sorted(known.items(), key=lambda item: depths[item[0]]):
        column = depths[id]
        row = rows[column] = rows.get(column, -1) + 1
        boxes[id] = {
            **node,
            "x": column * (BOX + ACROSS) + 1,
            "y": row * (TALL + BETWEEN) + 1,
            "label": cut(str(node["title"]), LETTERS),
        }
    return {
        "width": (max(rows, default=0) + 1) * (BOX + ACROSS) - ACROSS + 2,
        "height": max((count + 1 for count in rows.values()), default=0) * (TALL + BETWEEN) - BETWEEN + 2,
        "box": BOX,
        "tall": TALL,
        "boxes": list(boxes.values()),
        "lines": [_line(boxes[blocker], boxes[waiting]) for waiting, found in waits.items() for blocker in found],
    }


def _depth(id: str, waits: Mapping[str, Sequence[str]], known: Mapping[str, int], above: tuple[str, ...]) -> int:
    if id in above or len(above) > len(known):
        return 0
    return max((1 + _depth(each, waits, known, (*above, id)) for each in waits[id] if each not in above), default=0)


def _line(blocker: Mapping[str, Any], waiting: Mapping[str, Any]) -> str:
    """A path from the right of one box to the left of another."""
    x1, y1 = blocker["x"] + BOX, blocker["y"] + TALL // 2
    x2, y2 = waiting["x"] - 6, waiting["y"] + TALL // 2
    bend = max(30, abs(x2 - x1) // 2)
    return f"M{x1} {y1} C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"


def cut(text: str, columns: int) -> str:
    """A text that fits into so many columns; a wide letter takes two."""
    used = 0
    for number, letter in enumerate(text):
        used += 2 if ord(letter) > 0x10FF else 1
        if used > columns:
            return text[:number].rstrip() + "…"
    return text


# -- A day, hour by hour -------------------------------------------------------------------------------------

LANE, LANES = 12, 6  # pixels of one, and how many at most


def lanes(
    contexts: Sequence[Mapping[str, Any]], memories: Sequence[Mapping[str, Any]], begins: str, hours: int
) -> dict[str, Any]:
    """Contexts as strips under the bars of their hours, side by side where they overlap; memories as points."""
    start, whole = _seconds(begins), hours * 3_600
    wide = WIDTH - LEFT - RIGHT

    def x(at: str) -> float:
        return _short(LEFT + wide * min(1.0, max(0.0, (_seconds(at) - start) / whole)))

    ends: list[float] = []
    strips = []
    for each in contexts:
        left, right = x(each["began_at"]), x(each["ended_at"])
        right = max(right, left + 4)
        lane = next((number for number, end in enumerate(ends) if end + 2 <= left), len(ends))
        if lane == len(ends) < LANES:
            ends.append(right)
        lane = min(lane, LANES - 1)
        ends[lane] = max(ends[lane], right)
        strips.append({**each, "x": left, "y": lane * (LANE + 3), "width": _short(right - left)})
    base = max(1, len(ends)) * (LANE + 3) + 8
    points = [{**each, "x": x(each["created_at"]), "y": base} for each in memories]
    return {"width": WIDTH, "height": base + 10, "lane": LANE, "strips": strips, "points": points}


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
