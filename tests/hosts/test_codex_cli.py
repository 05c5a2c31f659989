"""Codex itself, with pith beside it: trusted hooks, what they keep, its rollouts, and the server it starts."""

from __future__ import annotations

import json
import re

import pytest

from host_kit import CodexCli, told
from host_model import Request, Tool

LOCKED = "The coupon sessions stay in Redis because rows were locked in Postgres."
RELATED = "Why do the coupon sessions stay in Redis and not in Postgres?"


@pytest.fixture
def installed(codex: CodexCli) -> CodexCli:
    """Codex that calls pith and trusts its hooks, and a hook that notes what hooks are given."""
    codex.record_payloads()
    codex.pith("install", "codex", check=True)
    codex.trust()
    return codex


def said_about_coupons(codex: CodexCli) -> str:
    """A session in which something was learned; its id."""
    codex.model.says("쿠폰 세션은 어디", Tool("exec_command", {"cmd": "echo coupons"}), LOCKED)
    return codex.ask("쿠폰 세션은 어디에 두었지?")


def imported(codex: CodexCli) -> int:
    """How many events an import of what Codex wrote adds."""
    return int(codex.said("import", "codex")["new"])


def test_pain_23_each_thing_is_kept_once_as_what_it_is_and_an_import_adds_nothing(installed):
    session = said_about_coupons(installed)
    assert installed.words_kept() == [
        ("prompt", "쿠폰 세션은 어디에 두었지?"),
        ("tool", "$ echo coupons"),
        ("response", LOCKED),
    ]
    assert {(event.session, event.branch, event.directory) for event in installed.kept()} == {(session, "main", "")}
    assert [event.origin for event in installed.kept()] == ["person", "tool", "agent"]
    assert imported(installed) == 0
    assert len(installed.kept()) == 3


@pytest.mark.long
def test_pain_34_hooks_that_nobody_trusted_do_not_run_and_doctor_says_so(codex):
    codex.pith("install", "codex", check=True)
    said_about_coupons(codex)
    assert codex.kept_nothing()
    waiting = "Codex skips its hooks until you trust them"
    codex.pith("init", check=True)
    assert any(waiting in each["message"] for each in codex.said("doctor")["findings"])
    codex.trust()  # by the hashes that pith reckons with
    said_about_coupons(codex)
    assert len(codex.kept()) == 3
    assert not any(waiting in each["message"] for each in codex.said("doctor")["findings"])


@pytest.mark.long
def test_an_import_alone_tells_the_same_as_hooks(codex):
    said_about_coupons(codex)
    assert imported(codex) == 3
    assert [kind for kind, _ in codex.words_kept()] == ["prompt", "tool", "response"]
    assert imported(codex) == 0


@pytest.mark.long
def test_every_record_of_a_rollout_is_of_a_known_sort(installed):
    said_about_coupons(installed)
    assert installed.said("import", "codex")["skipped"].get("unknown type of record", 0) == 0


@pytest.mark.long
def test_a_second_session_is_told_of_the_first_and_a_related_prompt_what_it_asks_for(installed, model, monkeypatch):
    said_about_coupons(installed)
    model.says("Hello", "Hello.")
    installed.ask("Hello there, good morning")
    brief = told(model.asked_about("Hello there")[0])
    assert LOCKED in brief
    assert "[mem:" in brief

    model.says("Why do the coupon", "As you said.")
    monkeypatch.setenv("PITH_BRIEF_ENABLED", "false")  # what a brief has told, no prompt is told again
    installed.ask(RELATED)
    recalled = told(model.asked_about(RELATED)[-1])
    assert recalled.count("Recalled from earlier sessions") == 1
    assert LOCKED in recalled
    assert "good morning" not in recalled

    model.says("Sort these", "Sorted.")
    installed.ask("Sort these numbers: 3, 1, 2")
    assert told(model.asked_about("Sort these")[-1]) == ""


@pytest.mark.long
def test_a_session_that_goes_on_stays_one(installed, model):
    session = said_about_coupons(installed)
    model.says("Go on", "Going on.")
    assert installed.ask("Go on please", resume=True) == session
    assert len(installed.kept(session)) == 5
    assert [each["source"] for each in installed.payloads("SessionStart")] == ["startup", "resume"]
    assert imported(installed) == 0


@pytest.mark.long
def test_pain_23_a_subagents_work_is_kept_once_as_its_own(installed, model):
    def wait(request: Request) -> Tool:
        (agent,) = set(re.findall(r'agent_id\\*":\\*"([0-9a-f-]{36})', request.text))
        return Tool("wait_agent", {"targets": [agent], "timeout_ms": 20_000}, space="multi_agent_v1")

    task = {"message": "Please find all rounding helpers", "agent_type": "explorer"}
    model.says("Ask a helper", Tool("spawn_agent", task, space="multi_agent_v1"), wait, "It found one.")
    model.says("Please find all", Tool("exec_command", {"cmd": "ls -a"}), "Rounding lives in total.py, line 7.")
    session = installed.ask("Ask a helper where we round")
    own = [(event.kind, event.origin, event.text.split("\n")[0]) for event in installed.kept(session) if event.agent]
    assert own == [
        ("prompt", "agent", "Please find all rounding helpers"),
        ("tool", "tool", "$ ls -a"),
        ("response", "agent", "Rounding lives in total.py, line 7."),
    ]
    assert imported(installed) == 0
    assert [each["id"] for each in installed.sessions()] == [session]


@pytest.mark.long
def test_what_fails_what_is_patched_and_what_is_private(installed, model):
    patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: 쿠폰함.py\n+print('쿠폰')\n*** End Patch\nEOF\n"
    model.says(
        "합계가 1원",
        Tool("exec_command", {"cmd": "echo boom; false"}),
        Tool("exec_command", {"cmd": patch}),
        "고쳤습니다. <private>hunter2</private>",
    )
    installed.ask("장바구니 합계가 1원 틀려요 <private>비밀번호 zebra-4711-quagga</private>")
    assert (installed.repo / "쿠폰함.py").exists()
    assert installed.words_kept() == [
        ("prompt", "장바구니 합계가 1원 틀려요 [private]"),
        ("tool", "$ echo boom; false"),
        ("response", "고쳤습니다. [private]"),
    ]
    assert imported(installed) == 1  # the patch: Codex calls no hook after one that a shell was handed
    (patched,) = [event for event in installed.kept() if "apply_patch" in event.text]
    assert patched.details["files"] == ["쿠폰함.py"]
    stored = b"".join(path.read_bytes() for path in (installed.home / "pith").rglob("*") if path.is_file())
    assert b"hunter2" not in stored
    assert b"zebra-4711-quagga" not in stored


@pytest.mark.long
def test_pain_25_the_servers_tools_are_offered_answer_and_are_not_learned_from(installed, model):
    installed.pith("install", "codex", "--mcp", check=True)
    said_about_coupons(installed)
    assert "enabled" in next(line for line in installed.run("mcp", "list").stdout.splitlines() if line[:5] == "pith ")

    model.says("Search the memory", Tool("mem_search", {"question": RELATED}, space="mcp__pith"), "Found it.")
    installed.ask("Search the memory")
    last = model.asked_about("Search the memory")[-1]
    assert "mcp__pithmem_search" in last.tools
    results = [item for item in last.body["input"] if item.get("type") == "function_call_output"]
    assert LOCKED in json.dumps(results, ensure_ascii=False)
    assert [kind for kind, _ in installed.words_kept()] == ["prompt", "tool", "response", "prompt", "response"]
    assert imported(installed) == 0


@pytest.mark.long
def test_the_hooks_that_run_are_those_of_the_turn_and_no_more(installed):
    said_about_coupons(installed)
    names = [each["hook_event_name"] for each in installed.payloads()]
    assert names == ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"]
    assert all(each["turn_id"] for each in installed.payloads() if not each["hook_event_name"].startswith("Session"))
    assert installed.sessions()[0]["ended_at"]
    assert not (installed.home / "pith" / "log" / "hook.log").exists()
