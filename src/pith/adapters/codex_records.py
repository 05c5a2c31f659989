"""Records of a rollout in which nothing is said or done that another one does not tell, and why each is skipped."""

from __future__ import annotations

from pith.adapters import jsonl

EVENTS = {
    "token_count": jsonl.META,
    "agent_reasoning": jsonl.THINKING,
    "agent_reasoning_raw_content": jsonl.THINKING,
    "agent_reasoning_section_break": jsonl.THINKING,
    "agent_message_delta": jsonl.PROGRESS,
    "exec_command_begin": jsonl.PROGRESS,
    "exec_command_output_delta": jsonl.PROGRESS,
    "mcp_tool_call_begin": jsonl.PROGRESS,
    "patch_apply_begin": jsonl.PROGRESS,
    "web_search_begin": jsonl.PROGRESS,
    "task_complete": jsonl.MIRROR,
    "turn_complete": jsonl.MIRROR,
    "turn_aborted": jsonl.META,
    "turn_diff": jsonl.MIRROR,
    "plan_update": jsonl.MIRROR,
    "context_compacted": jsonl.MIRROR,
    "thread_rolled_back": jsonl.META,
    "thread_name_updated": jsonl.META,
    "thread_settings_applied": jsonl.META,
    "error": jsonl.META,
    "warning": jsonl.META,
    "stream_error": jsonl.META,
    "background_event": jsonl.META,
    "view_image_tool_call": jsonl.MIRROR,
    "item_completed": jsonl.MIRROR,
    "entered_review_mode": jsonl.META,
    "exited_review_mode": jsonl.META,
}
ITEMS = {
    "reasoning": jsonl.THINKING,
    "compaction": jsonl.THINKING,
    "compaction_summary": jsonl.THINKING,
    "ghost_snapshot": jsonl.META,
    "tool_search_call": jsonl.META,
    "tool_search_output": jsonl.META,
    "image_generation_call": jsonl.IMAGE,
}
TYPES = {
    "world_state": jsonl.META,
    "inter_agent_communication": jsonl.META,
    "inter_agent_communication_metadata": jsonl.META,
    "token_usage_record": jsonl.META,
}
