"""What a plug-in offers; whoever fits one of these protocols can be named in the table of the service that uses it."""

from __future__ import annotations

from typing import Protocol

from pith.domain.extraction import Source, Statement


class Extractor(Protocol):
    """Draws statements from one event. It gives quotes, never offsets, and knows nothing of the store."""

    @property
    def name(self) -> str:
        """What it is called in events and settings."""
        ...

    @property
    def version(self) -> str:
        """What changes when it would draw something else from the same text."""
        ...

    def read(self, source: Source) -> list[Statement]:
        """What the event states; empty where it is not sure."""
        ...
