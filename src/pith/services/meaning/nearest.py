"""From rows with scores to answers: what every index does with what it found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pith.domain.ports import Near, VectorFilter


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
