"""Claude Code itself, with pith beside it: what a session leaves in the store, and what reaches the model from there."""

from __future__ import annotations

import json
import os
import signal

import pytest

from host_kit import ROOT, ClaudeCode, told
from host_model import Tool

LOCKED = "The coupon sessions stay in Redis because rows were locked in Postgres."
RELATED = "Why do the coupon sessions stay in Redis and not in Postgres?"


def by_settings(claude: ClaudeCode) -> None:
    """`pith install claude`."""
    claude.pith("install", "claude", check=True)


def by_plugin(claude: ClaudeCode) -> None:
    """The plugin, as a person installs it."""
    claude.run("plugin", "marketplace", "add", str(ROOT))
    claude.run("plugin", "install", "pith@pith")


@pytest.fixture
def installed(claude: ClaudeCode) -> ClaudeCode:
    """Claude Code that calls pith by its settings, and a hook that notes what hooks are given."""
    claude.record_payloads()
    by_settings(claude)
    return claude


def said_about_coupons(claude: ClaudeCode) -> str:
    """A session in which something was learned; its id."""
    claude.model.says("쿠폰 세션은 어디", Tool("Bash", {"command": "echo coupons"}), LOCKED)
    return str(claude.ask("쿠폰 세션은 어디에 두었지?")["session_id"])


def imported(claude: ClaudeCode) -> int:
    """How many events an import of what Claude Code wrote adds."""
    return int(claude.said("import", "claude")["new"])


@pytest.mark.parametrize("route", [by_settings, by_plugin])
def test_pain_23_each_thing_is_kept_once_as_what_it_is_and_an_import_adds_nothing(claude, model, route):
    route(claude)
    session = said_about_coupons(claude)
    assert claude.words_kept() == [
        ("prompt", "쿠폰 세션은 어디에 두었지?"),
        ("tool", "$ echo coupons"),
        ("response", LOCKED),
    ]
    assert {(event.session, event.branch, event.directory) for event in claude.kept()} == {(session, "main", "")}
    assert [event.origin for event in claude.kept()] == ["person", "tool", "agent"]
    assert imported(claude) == 0
    assert len(claude.kept()) == 3
    assert not [each for each in claude.said("doctor")["findings"] if each["code"].startswith("HOOKS")]


@pytest.mark.long
def test_an_import_alone_tells_the_same_as_hooks(claude, model):
    said_about_coupons(claude)
    assert claude.kept_nothing()
    assert imported(claude) == 3
    assert [kind for kind, _ in claude.words_kept()] == ["prompt", "tool", "response"]
    assert claude.said("import", "claude")["skipped"].get("unknown type of record", 0) == 0


@pytest.mark.long
@pytest.mark.parametrize("route", [by_settings, by_plugin])
def test_a_second_session_is_told_of_the_first_and_a_related_prompt_what_it_asks_for(claude, model, route, monkeypatch):
    route(claude)
    said_about_coupons(claude)
    model.says("Hello", "Hello.")
    claude.ask("Hello there, good morning")
    brief = told(model.asked_about("Hello there")[0])
    assert LOCKED in brief
    assert "[mem:" in brief
    assert "Recalled from earlier sessions" not in brief

    model.says("Why do the coupon", "As you said.")
    monkeypatch.setenv("PITH_BRIEF_ENABLED", "false")  # what a brief has told, no prompt is told again
    claude.ask(RELATED)
    recalled = told(model.asked_about(RELATED)[-1])
    assert recalled.count("Recalled from earlier sessions") == 1
    assert LOCKED in recalled
    assert "[mem:" in recalled
    assert "good morning" not in recalled

    model.says("Sort these", "Sorted.")
    claude.ask("Sort these numbers: 3, 1, 2")
    assert told(model.asked_about("Sort these")[-1]) == ""


@pytest.mark.long
def test_pain_23_both_routes_together_keep_everything_once_and_doctor_says_so(installed, model):
    by_plugin(installed)
    said_about_coupons(installed)
    model.says("And 쿠폰", "네.")
    installed.ask("And 쿠폰은?")
    assert len(installed.kept()) == 5
    assert told(model.asked_about("And 쿠폰")[0]).count("where earlier sessions in it stopped") == 1
    assert imported(installed) == 0
    found = [each for each in installed.said("doctor")["findings"] if each["code"] == "HOOKS_BROKEN"]
    assert ["arrives twice" in each["message"] for each in found] == [True]


@pytest.mark.long
def test_a_subagents_work_is_kept_as_its_own_and_its_end_is_no_prompt(installed, model):
    task = {"description": "find rounding", "prompt": "Please find all rounding helpers"}
    model.says("Ask a helper", Tool("Agent", {**task, "subagent_type": "general-purpose"}), "It found one.")
    model.says("<task-notification>", "The helper is done.")
    model.says("Please find all", Tool("Bash", {"command": "ls -a"}), "Rounding lives in total.py, line 7.")
    installed.ask("Ask a helper where we round")
    own = [(event.kind, event.text.split("\n")[0]) for event in installed.kept() if event.agent]
    assert own == [("tool", "$ ls -a"), ("response", "Rounding lives in total.py, line 7.")]
    prompts = [event.text for event in installed.kept() if event.kind == "prompt"]
    assert prompts == ["Ask a helper where we round"]
    assert any("<task-notification>" in each["prompt"] for each in installed.payloads("UserPromptSubmit"))
    before = installed.words_kept()
    assert imported(installed) == 1, [
        each for each in installed.words_kept() if each not in before
    ]  # the task itself, which no hook tells
    assert [event.origin for event in installed.kept() if event.text == task["prompt"]] == ["agent"]
    assert installed.sessions()[0]["title"] == "Ask a helper where we round"


@pytest.mark.long
def test_a_session_that_goes_on_and_one_that_forks_are_told_apart(installed, model):
    session = said_about_coupons(installed)
    model.says("Go on", "Going on.")
    assert installed.ask("Go on please", "--resume", session)["session_id"] == session
    assert installed.ask("Go on again", "--continue")["session_id"] == session
    fork = installed.ask("Go on elsewhere", "--resume", session, "--fork-session")["session_id"]
    assert fork != session
    assert len(installed.kept(session)) == 7
    assert installed.words_kept(fork) == [("prompt", "Go on elsewhere"), ("response", "Going on.")]
    assert [each["source"] for each in installed.payloads("SessionStart")] == ["startup", "resume", "resume", "fork"]
    assert imported(installed) == 0
    assert len(installed.kept()) == 9


@pytest.mark.long
def test_pain_23_a_fork_adds_nothing_though_its_original_was_written_to_after_it(installed, model):
    session = said_about_coupons(installed)
    model.says("Go on", "Going on.")
    fork = installed.ask("Go on elsewhere", "--resume", session, "--fork-session")["session_id"]
    installed.ask("Go on here", "--resume", session)
    assert imported(installed) == 0
    assert len(installed.kept(session)) == 5
    assert len(installed.kept(fork)) == 2


@pytest.mark.long
def test_a_compaction_is_one_summary(installed, model):
    session = said_about_coupons(installed)
    model.says("detailed summary", "We keep coupons in Redis.")
    installed.run("-p", "/compact", "--resume", session)
    assert [event.text for event in installed.kept() if event.kind == "summary"] == ["We keep coupons in Redis."]
    assert len(installed.kept()) == 4
    assert [each["trigger"] for each in installed.payloads("PreCompact")] == ["manual"]
    assert imported(installed) == 0
    assert len(installed.kept()) == 4


@pytest.mark.long
def test_what_fails_what_is_written_and_what_is_private(installed, model):
    file = installed.repo / "쿠폰함.py"
    model.says(
        "합계가 1원",
        Tool("Bash", {"command": "echo boom; false"}),
        Tool("Read", {"file_path": str(installed.repo / "none.txt")}),
        Tool("Write", {"file_path": str(file), "content": "print('쿠폰')\n"}),
        Tool("Edit", {"file_path": str(file), "old_string": "쿠폰'", "new_string": "쿠폰함'"}),
        "고쳤습니다. <private>hunter2</private>",
    )
    installed.ask("장바구니 합계가 1원 틀려요 <private>비밀번호 zebra-4711-quagga</private>")
    assert "쿠폰함" in file.read_text("utf-8")
    prompt, boom, read, write, edit, response = installed.kept()
    assert prompt.text == "장바구니 합계가 1원 틀려요 [private]"
    assert boom.text == "$ echo boom; false\nexit 1\nboom"
    assert (boom.details["exit"], boom.details["failed"], read.details["failed"]) == (1, True, True)
    assert write.details["files"] == edit.details["files"] == [str(file)]
    assert edit.text.endswith("- 쿠폰'\n+ 쿠폰함'")
    assert response.text == "고쳤습니다. [private]"
    assert imported(installed) == 0
    stored = b"".join(path.read_bytes() for path in (installed.home / "pith").rglob("*") if path.is_file())
    assert b"hunter2" not in stored
    assert b"zebra-4711-quagga" not in stored


@pytest.mark.long
def test_the_hooks_that_run_are_those_of_the_turn_and_no_more(installed, model):
    said_about_coupons(installed)
    assert [each["hook_event_name"] for each in installed.payloads()] == [
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd",
    ]  # fmt: skip
    assert not (installed.home / "pith" / "log" / "hook.log").exists()
    transcript = installed.transcripts()[0].read_text("utf-8")
    assert '"hookErrors":[]' in transcript


@pytest.mark.long
@pytest.mark.parametrize("route", ["settings", "plugin"])
def test_pain_25_the_servers_tools_are_offered_answer_and_are_not_learned_from(claude, model, route):
    by_settings(claude)
    said_about_coupons(claude)
    if route == "plugin":
        by_plugin(claude)
        server, listed = "mcp__plugin_pith_pith", "plugin:pith:pith"
    else:
        claude.pith("install", "claude", "--mcp", check=True)
        server, listed = "mcp__pith", "pith"
    answer = claude.run("mcp", "list").stdout
    assert [line.split(" - ")[1] for line in answer.splitlines() if line.startswith(f"{listed}:")] == ["✔ Connected"]

    model.says("Search the memory", Tool(f"{server}__mem-search", {"question": RELATED}), "Found it.")
    claude.ask("Search the memory", tools=server)
    last = model.asked_about("Search the memory")[-1]
    assert f"{server}__mem-search" in last.text
    results = [block for block in last.blocks if block.get("type") == "tool_result"]
    assert LOCKED in json.dumps(results, ensure_ascii=False)
    assert [kind for kind, _ in claude.words_kept()] == ["prompt", "tool", "response", "prompt", "response"]
    assert imported(claude) == 0


@pytest.mark.long
def test_G28_an_agent_cannot_accept_a_proposal_where_the_plugin_is(claude, model):
    by_plugin(claude)
    model.says("Accept it", Tool("Bash", {"command": "pith remember accept p-1"}), "I may not.")
    claude.ask("Accept it yourself")
    assert "A person accepts proposals, an agent does not." in model.asked_about("Accept it")[-1].text


@pytest.mark.long
def test_pain_05_a_host_that_is_killed_in_the_middle_has_lost_nothing_that_it_told(installed, model):
    model.says("Work", *[Tool("Bash", {"command": f"echo step {number}"}) for number in range(40)], "Done.")
    process = installed.start("-p", "Work through the steps", "--allowedTools", "Bash")
    installed.wait_for(lambda: len(installed.payloads("PostToolUse")) >= 3)
    told = installed.payloads()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    # A hook beside ours noted the last of them perhaps before ours was done; each one before was answered by all.
    done = [each["tool_use_id"] for each in told if each["hook_event_name"] == "PostToolUse"][:-1]
    assert len(done) >= 2
    kept = installed.words_kept()
    assert kept[0] == ("prompt", "Work through the steps")
    assert [text for kind, text in kept if kind == "tool"][: len(done)] == [
        f"$ echo step {n}" for n in range(len(done))
    ]
    assert not [each for each in installed.said("doctor")["findings"] if each["severity"] == "error"]
    imported(installed)
    steps = [text for _, text in installed.words_kept() if text.startswith("$ echo step")]
    assert len(steps) == len(set(steps))


@pytest.mark.long
@pytest.mark.parametrize(("days", "told"), [(30, True), (365, False)])
def test_pain_31_the_days_that_its_own_settings_give_are_read(installed, model, days, told):
    said_about_coupons(installed)
    settings = json.loads(installed.settings.read_text("utf-8"))
    installed.settings.write_text(json.dumps({**settings, "cleanupPeriodDays": days}), encoding="utf-8")
    installed.ask("Hello")  # the host takes these settings
    found = [each["code"] for each in installed.said("doctor")["findings"]]
    assert ("HISTORY_DELETED_EARLY" in found) is told
