"""One figure of a measure, what it should be, and how it is shown."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

NOISY = 0.15  # a spread of the reference from which a run is called noisy


@dataclass(frozen=True)
class Figure:
    """`must` and `stretch` are upper bounds, or lower bounds where `more_is_better`; None where there is no promise."""

    name: str
    value: float
    unit: str = "x"
    must: float | None = None
    stretch: float | None = None
    more_is_better: bool = False
    note: str = ""

    @property
    def verdict(self) -> str:
        if self.must is None:
            return ""
        if self.stretch is not None and self._reaches(self.stretch):
            return "stretch"
        return "reached" if self._reaches(self.must) else "MISSED"

    def _reaches(self, bound: float) -> bool:
        return self.value >= bound if self.more_is_better else self.value <= bound

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "verdict": self.verdict}


@dataclass(frozen=True)
class Outcome:
    """What a measure found, and the sentences that belong to it (why it was skipped, that the machine was busy)."""

    figures: Sequence[Figure]
    remarks: Sequence[str] = ()


def table(measure: str, outcome: Outcome) -> str:
    """The figures of a measure, one in a line."""
    lines = [measure]
    for one in outcome.figures:
        bounds = [f"{bound:g}" if bound is not None else "-" for bound in (one.must, one.stretch)]
        lines.append(
            f"  {one.name:<58} {_number(one.value):>9} {one.unit:<5} {bounds[0]:>6} {bounds[1]:>6}  {one.verdict:<8}"
            + (f" {one.note}" if one.note else "")
        )
    return "\n".join([*lines, *(f"  {remark}" for remark in outcome.remarks)])


def heading() -> str:
    return f"  {'':<58} {'measured':>9} {'':<5} {'must':>6} {'stretch':>6}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}" if abs(value) < 1 else f"{value:.2f}"


def spread(values: Iterable[float]) -> float:
    """How far the middle half of the values reaches, as a share of their median."""
    listed = sorted(values)
    if len(listed) < 4:
        return 0.0
    low, _, high = statistics.quantiles(listed, n=4)
    return (high - low) / statistics.median(listed)


def noise(values: Iterable[float]) -> list[str]:
    """A sentence when the reference itself varied so much that absolute figures mean little."""
    found = spread(values)
    return (
        [f"The machine was busy: the reference varied by {found:.0%}; trust the ratios only."] if found > NOISY else []
    )


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]
