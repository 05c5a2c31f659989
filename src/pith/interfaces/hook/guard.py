"""What the plugin keeps an agent from: accepting its own proposals. A guard, not a proof; a person decides."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

REASON = (
    "A person accepts proposals, an agent does not. Show the proposal and let them run `pith remember accept` in a"
    " terminal of their own, or use `pith dashboard`."
)
# A command of ours at the beginning of a command, or of what a shell is given to run.
_ACCEPTS = (
    r"(?:^|[;&|(`\n]|-c\s*['\"])\s*(?:(?:\w+=\S*|sudo|env|time|exec|xargs|uvx|-\S+|(?:\S*/)?python[0-9.]*)\s+)*"
    r"(?:[^\s;&|'\"]*/)?(?:pith|orange)(?:\.exe)?\s+(?:-\S+\s+)*remember\s+(?:-\S+\s+)*accept\b"
)


def refused(payload: Mapping[str, Any]) -> dict[str, Any] | None:
    """The answer to a tool that is about to run: a refusal when it would accept a proposal, else nothing."""
    given = payload.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else None
    if not isinstance(command, str) or "accept" not in command:
        return None
    import re

    if re.search(_ACCEPTS, command) is None:
        return None
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": REASON,
        }
    }
