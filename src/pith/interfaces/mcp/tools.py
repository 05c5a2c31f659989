"""The tables of tools: ten that every client is shown, and those that `pith mcp --tools full` adds."""

from __future__ import annotations

from pith.interfaces.mcp import context, knowledge, memory, project_memory

DEFAULT, FULL = "default", "full"

TEN = (
    memory.search,
    memory.timeline,
    memory.details,
    memory.stats,
    knowledge.note,
    knowledge.tasks,
    context.context,
    project_memory.propose,
    project_memory.quest,
    project_memory.search,
)
MORE = (
    memory.sessions,
    knowledge.listing,
    knowledge.evidence,
    knowledge.lineage,
    knowledge.set_task,
    project_memory.show,
    project_memory.listing,
    project_memory.proposal,
    project_memory.route,
)
SETS = {DEFAULT: TEN, FULL: (*TEN, *MORE)}
