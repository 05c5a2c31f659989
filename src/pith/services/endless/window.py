"""The working set: what hooks put in, what is in it just now, and what leaves it. On the hook's path."""

from __future__ import annotations

import json

from pith import platform
from pith.domain import endless
from pith.domain.endless import Focus, Item
from pith.domain.times import milliseconds
from pith.domain.topics import UNKNOWN, Commonness
from pith.services.endless import about
from pith.services.endless.rules import Rules
from pith.store import citations, search, working_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from pith.store.database import Db

FOCUSED = 12  # of the newest events, which tell what the work is about just now
_SPARE = 4  # times as many events are weighed as are kept


class Kept:
    """An event in the working set: its row, how relevant it is, its topics (key -> form) and files."""

    __slots__ = ("files", "relevance", "row", "topics")

    def __init__(self, row: Any, relevance: float, topics: dict[str, str], files: list[str]) -> None:
        self.row, self.relevance, self.topics, self.files = row, relevance, topics, files


def add(db: Db, seq: int, at: str, rules: Rules) -> None:
    """Put an event that was just written in, in the same transaction; beyond the limit the least relevant leaves."""
    working_set.add(db, seq, expiry(at, rules))
    working_set.shed(db, rules.most)


def expiry(at: str, rules: Rules) -> str:
    """When an event leaves the window."""
    return platform.stamp(milliseconds(at) + rules.window_ms)


def current(
    db: Db,
    rules: Rules,
    now_ms: int,
    *,
    common: Commonness | None = None,
    most: int = 0,
    focus: Focus | None = None,
    not_session: str = "",
) -> list[Kept]:
    """What the working set holds at that time, the most relevant first; never an expired event.

    `focus` is what the work is about; without it the newest events say so. `not_session` leaves a session's own out.
    """
    now, since = platform.stamp(now_ms), platform.stamp(max(0, now_ms - rules.window_ms))
    rows = working_set.read(db, now, since, most or rules.most * _SPARE, about.READ)
    if not rows:
        return []
    told = {row["event_id"]: _told(row, common) for row in rows}
    newest = [told[row["event_id"]] for row in rows[:FOCUSED]]
    if focus is None:
        focus = Focus({key for found, _ in newest for key in found}, {path for _, files in newest for path in files})
    shown = working_set.times_shown(db, since)
    items = [_item(row, *told[row["event_id"]], shown) for row in rows if row["session"] != not_session]
    by_id = {row["event_id"]: row for row in rows}
    return [
        Kept(by_id[item.id], relevance, *told[item.id])
        for relevance, item in endless.window(
            items, focus, now_ms, window_ms=rules.window_ms, most=rules.most, floor=rules.floor
        )
    ]


def _told(row: Any, common: Commonness | None) -> tuple[dict[str, str], list[str]]:
    known = json.loads(row["topics"]) if row["topics"] else None
    topics = known if isinstance(known, dict) else about.topics_of(row, common or UNKNOWN)
    return topics, about.files_of(row)


def _item(row: Any, topics: Collection[str], files: Sequence[str], shown: dict[str, int]) -> Item:
    cited = citations.name(citations.EVENT, row["event_id"])
    # What was shown stands there under a prefix of its citation, which may have been longer or shorter.
    used = (
        sum(shown.get(cited[:length], 0) for length in range(citations.SHORTEST, citations.LENGTH + 1)) if shown else 0
    )
    return Item(row["event_id"], row["kind"], milliseconds(row["at"]), topics, files, used)


def tidy(db: Db, rules: Rules, now_ms: int) -> int:
    """Let leave what is expired, below the floor or beyond the limit; keep what was worked out; how many left.

    What leaves so and is in no memory may still become part of one for some days: it is read from the events.
    """
    until = search.last(db)  # what a hook puts in meanwhile was not weighed and stays
    kept = current(db, rules, now_ms, common=about.common(db))
    with db.transaction():
        gone = working_set.keep_only(db, [one.row["event_id"] for one in kept], until)
        working_set.weigh(
            db,
            [
                {"event_id": one.row["event_id"], "relevance": round(one.relevance, 4), "topics": one.topics}
                for one in kept
            ],
        )
    return gone


def fill(db: Db, rules: Rules, now_ms: int) -> set[str]:
    """Put in what happened within the window and is in no memory; what is in it then."""
    since = platform.stamp(max(0, now_ms - rules.window_ms + 1))
    with db.transaction():
        for row in working_set.candidates(db, since, 0):
            working_set.add(db, row["seq"], expiry(row["at"], rules))
    tidy(db, rules, now_ms)
    return working_set.held(db)
