"""The shared memory of one project, opened to read or to write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pith import platform
from pith.domain import secrets
from pith.files import atomic, config, graph_index, intent, layout
from pith.files.config import Config
from pith.files.intent import Intent, Step
from pith.files.layout import Layout
from pith.services import location

Clock = Callable[[], str]


@dataclass(frozen=True, slots=True)
class Shared:
    """A project's layout and configuration; `now` tells the time."""

    layout: Layout
    config: Config
    now: Clock = platform.now

    @property
    def today(self) -> str:
        return self.now()[:10]


def open_shared(folder: str | Path | None = None, now: Clock = platform.now) -> Shared:
    """The project memory of a folder or of the nearest one above it. Raises NotInitialized."""
    place = layout.find(Path(folder or location.working_folder()))
    return Shared(place, config.read(place), now)


@contextmanager
def writing(shared: Shared) -> Iterator[None]:
    """Be the only writer; what an interrupted command left is completed or undone first."""
    with atomic.writing(shared.layout):
        recover(shared)
        yield


def recover(shared: Shared) -> str | None:
    """Settle the intent of a command that was interrupted: `completed`, `undone`, or None when there is none.

    Called under the lock.
    """
    left = intent.pending(shared.layout)
    if left is None:
        intent.clear(shared.layout)
        return None
    outcome = intent.settle(shared.layout, left)
    _reindex(shared)
    intent.clear(shared.layout)
    return outcome


def change(shared: Shared, command: str, subject: str, steps: list[Step], *, reindex: bool = False) -> None:
    """Change several files as one, whenever it is killed: all of them or, after the next command, none.

    Called under the lock.
    """
    if len(steps) == 1 and not reindex:
        intent.do(shared.layout, steps[0])
        return
    intent.carry_out(shared.layout, Intent(command, subject, tuple(steps)))
    if reindex:
        _reindex(shared)
    intent.clear(shared.layout)


def _reindex(shared: Shared) -> None:
    graph_index.rebuild(shared.layout, shared.config, shared.now())


# Readers do not agree whether these are white space, so the same title would come out differently.
_DOUBTFUL = {0x1C: " ", 0x1D: " ", 0x1E: " ", 0x1F: " ", 0x85: " ", 0xFEFF: None}


class Masking:
    """Takes credentials and personal data out of texts before they reach a shared file, and counts them."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0

    def text(self, text: str) -> str:
        text, cut = secrets.without_private(text.translate(_DOUBTFUL))
        masked, count = secrets.mask(text, personal=True)
        self.count += cut + count
        return masked

    def texts(self, texts: Any) -> tuple[str, ...]:
        return tuple(self.text(each) for each in texts)

    def value(self, value: Any) -> Any:
        """A front-matter value with every text in it masked."""
        return self.text(value) if isinstance(value, str) else [self.value(each) for each in value]

    @property
    def said(self) -> list[str]:
        """The sentence that an answer carries when something was masked."""
        if not self.count:
            return []
        what = "piece of private data was" if self.count == 1 else "pieces of private data were"
        return [f"{self.count} {what} masked: this file is shared with everybody who has the repository"]
