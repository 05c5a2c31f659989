"""From rows with scores to answers: what every index does with what it found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pith.domain.ports import Near, VectorFilter

SIGNS = 256  # numbers of a vector, from which their signs tell enough; of shorter ones more are compared
RESCORED = 400  # vectors whose floats are compared at least: recall@10 is .998 then, with 200 it was .989
ALL_OF = 1_000  # vectors that a filter leaves, up to which all of them are compared
IN_VAIN = 10_000  # vectors read in vain, from which more is done to find out which may fit


def first_wanted(most: int, dimensions: int) -> int:
    """How many vectors are compared at first."""
    return max(RESCORED, 8 * most) * max(1, SIGNS // dimensions)


def fits(row: Any, only: VectorFilter) -> bool:
    """Whether a filter allows the row."""
    return (
        (not only.kinds or row["item_kind"] in only.kinds)
        and (not only.session or row["session"] == only.session)
        and (not only.not_session or row["session"] != only.not_session)
        and (not only.since or row["at"] >= only.since)
        and (not only.until or row["at"] < only.until)
        and (only.ids is None or row["item_id"] in only.ids)
    )


def best(rows: Sequence[Any], scores: Sequence[float]) -> list[Near]:
    """Each item once, by its best piece; equal scores in the order of kind and id."""
    found: dict[tuple[str, str], Near] = {}
    for row, score in zip(rows, scores, strict=True):
        key = (row["item_kind"], row["item_id"])
        if key not in found or score > found[key].closeness:
            found[key] = Near(*key, row["part"], score)
    return sorted(found.values(), key=lambda near: (-near.closeness, near.kind, near.item_id))
