"""What a consolidation does: a memory stands that stood not, of events that are in no other."""

from __future__ import annotations

from pith.domain import memories
from pith.domain.fold import Rows
from pith.domain.knowledge import Change


def memory_consolidated(rows: Rows, change: Change) -> None:
    memory = memories.folded(change)
    # Two stores may have consolidated the same events; the first to arrive here tells them.
    if memory.events and not any(rows.is_consolidated(event) for event in memory.events):
        rows.add_memory(memory)
