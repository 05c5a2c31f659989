"""One table: which change is folded by which function."""

from __future__ import annotations

from collections.abc import Callable

from pith.domain import fold_entries, fold_memories, fold_preferences, fold_tasks, knowledge
from pith.domain.fold import Rows
from pith.domain.knowledge import Change


def _nothing(rows: Rows, change: Change) -> None:
    """It tells of work that was done, or belongs to a fold of its own."""


FOLDS: dict[str, Callable[[Rows, Change], None]] = {
    knowledge.SESSION_INGESTED: _nothing,
    knowledge.MEMORY_EXTRACTED: fold_entries.memory_extracted,
    knowledge.ENTRY_NOTED: fold_entries.entry_noted,
    knowledge.ENTRY_STAGE_MOVED: fold_entries.entry_stage_moved,
    knowledge.ENTRY_STATUS_MOVED: fold_entries.entry_status_moved,
    knowledge.TASK_CREATED: fold_tasks.task_created,
    knowledge.TASK_TITLE_CHANGED: fold_tasks.task_title_changed,
    knowledge.TASK_STATE_CHANGED: fold_tasks.task_state_changed,
    knowledge.TASK_PRIORITY_CHANGED: fold_tasks.task_priority_changed,
    knowledge.TASK_BLOCKERS_SET: fold_tasks.task_blockers_set,
    knowledge.TASK_TRANSITION_REJECTED: fold_tasks.task_transition_rejected,
    knowledge.CONDITION_DECLARED: fold_tasks.condition_declared,
    knowledge.CONDITION_RESOLVED: fold_tasks.condition_resolved,
    knowledge.ARTIFACT_DECLARED: fold_tasks.artifact_declared,
    knowledge.MEMORY_CONSOLIDATED: fold_memories.memory_consolidated,
    knowledge.ENTITY_ALIAS_ADDED: fold_tasks.entity_alias_added,
    knowledge.EVIDENCE_IMPORTED: fold_entries.evidence_imported,
    knowledge.PREFERENCE_CONFIRMED: fold_preferences.preference_confirmed,
    knowledge.PREFERENCE_WITHDRAWN: fold_preferences.preference_withdrawn,
    knowledge.PROPOSAL_ACCEPTED: fold_entries.proposal_accepted,
    knowledge.NODE_WITHDRAWN: fold_entries.node_withdrawn,
}


def fold(rows: Rows, change: Change) -> None:
    """Let the rows be what they are after the change."""
    FOLDS[change.kind](rows, change)
