"""What hooks answer where a host asks twice: by the plugin and by its settings, both at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from work_kit import call

SAID = "The coupon sessions stay in Redis because rows were locked in Postgres."


@pytest.fixture
def hook(git_repo: Path, run_hook: Any) -> Any:
    """`hook("SessionStart", source="startup")`: what one hook call answers, as text."""

    def hook(event: str, session: str = "s2", **fields: Any) -> str:
        payload = {**json.loads(call(git_repo, event, **fields)), "session_id": session}
        answer = run_hook("claude", payload).stdout
        return str(json.loads(answer)["hookSpecificOutput"]["additionalContext"]) if answer else ""

    hook("Stop", session="s1", last_assistant_message=SAID)
    return hook


def test_a_session_is_briefed_once_however_many_ways_lead_to_pith(hook):
    assert SAID in hook("SessionStart", source="startup")
    assert hook("SessionStart", source="startup") == ""
    assert SAID in hook("SessionStart", session="s3", source="startup")


def test_a_compaction_right_after_the_beginning_is_briefed_again(hook):
    assert hook("SessionStart", source="resume")
    assert hook("SessionStart", source="compact")
