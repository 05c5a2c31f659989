"""The noun of the worker: one chore, when it is due and how it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pith.services.workspace import Workspace

GoOn = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Chore:
    """A piece of background work. Done in steps that may be killed anywhere and begun again.

    `run` asks `go_on()` between two steps, holds no write transaction for longer than 50 ms, and says in one sentence
    what it did, or None when there was nothing. `now` is in milliseconds since 1970.
    """

    name: str
    is_due: Callable[[Workspace, int], bool]
    run: Callable[[Workspace, GoOn], str | None]
