"""Codex's rollouts, read from files of every shape of record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pith.adapters import jsonl, transcripts_codex
from pith.adapters.jsonl import Seen, SessionFact, Skipped
from pith.domain import events

HOME = Path(__file__).parents[1] / "data" / "transcripts" / "codex"
FULL, FORK, EVENTS, ITEMS = sorted(HOME.rglob("*.jsonl"))
OWN, FORKED = FULL.stem[-36:], FORK.stem[-36:]


def read(path, offset=0):
    reading = transcripts_codex.read(path, offset)
    return reading, list(reading)


def sightings(items):
    return [item.sighting for item in items if isinstance(item, Seen)]


def reasons(items):
    return {item.line: item.reason for item in items if isinstance(item, Skipped)}


def facts(items):
    return {(item.session, item.name): item.value for item in items if isinstance(item, SessionFact)}


def texts(items, kind):
    return [seen.text for seen in sightings(items) if seen.kind == kind]


def write(path: Path, *lines) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def line(kind, at="2026-05-02T10:00:00.000Z", **payload):
    return {"timestamp": at, "type": kind, "payload": payload}


@pytest.mark.parametrize("path", [FULL, FORK, EVENTS, ITEMS], ids=lambda path: path.stem[8:27])
def test_pain_32_every_line_is_taken_or_skipped_for_a_reason(path):
    reading, items = read(path)
    taken = {item.line for item in items if isinstance(item, Seen)}
    skipped = [item.line for item in items if isinstance(item, Skipped)]
    assert sorted([*taken, *skipped]) == list(range(1, reading.lines + 1))
    assert reading.lines == len(path.read_bytes().splitlines())
    assert set(reasons(items).values()) <= set(jsonl.REASONS)


def test_prompts_are_what_was_typed_and_not_what_the_host_put_before_it():
    _, items = read(FULL)
    assert texts(items, events.PROMPT) == ["장바구니 합계가 1원 틀려요", "계속해"]
    assert [seen.turn[-2:] for seen in sightings(items) if seen.kind == events.PROMPT] == ["a1", "a2"]


def test_answers_are_told_once_and_two_equal_ones_stay_two():
    _, items = read(FULL)
    assert texts(items, events.RESPONSE) == [
        "먼저 테스트를 돌려 보겠습니다.",
        "Fixed with decimal quantize.",
        "Done.",
        "Done.",
    ]
    records = [seen.record for seen in sightings(items) if seen.text == "Done."]
    assert len(set(records)) == 2


def test_a_file_with_events_only_is_read_from_them():
    _, items = read(EVENTS)
    assert texts(items, events.PROMPT) == ["only events here"]
    assert texts(items, events.RESPONSE) == ["알겠습니다.", "알겠습니다."]


def test_a_file_with_items_only_is_read_from_them():
    _, items = read(ITEMS)
    assert texts(items, events.PROMPT) == ["only items here, from the agent above"]
    assert reasons(items) == {1: jsonl.FACT, 2: jsonl.INJECTED, 5: jsonl.TORN}


def test_an_answer_first_seen_as_an_event_is_known_when_the_item_follows(tmp_path):
    said = line("response_item", type="message", role="assistant", content=[{"type": "output_text", "text": "Done."}])
    before = [line("session_meta", id="s"), line("event_msg", type="agent_message", message="Done.")]
    _, items = read(write(tmp_path / "rollout-s.jsonl", *before))
    _, later = read(write(tmp_path / "rollout-s.jsonl", *before, said))
    assert [seen.record for seen in sightings(items)] == [seen.record for seen in sightings(later)]


def test_tools_are_told_with_their_result_whichever_record_tells_of_them():
    _, items = read(FULL)
    calls = {seen.tool: seen for seen in sightings(items) if seen.kind == events.TOOL}
    assert list(calls) == ["k1", "k2", "k3", "only-event", "", "m1"]
    assert calls["k1"].text == "$ pytest -q\nexit 1\n1 failed"
    assert calls["k2"].details["files"] == ["total.py", "docs/반올림.md"]
    assert calls["k3"].text == "$ git status --short\n M total.py"
    assert calls["only-event"].details == {
        "tool": "exec_command",
        "command": "ls",
        "exit": 0,
        "failed": False,
    }
    assert calls[""].origin == events.WEB
    assert "two pages" in calls["m1"].text


def test_a_compaction_is_a_summary():
    _, items = read(FULL)
    assert texts(items, events.SUMMARY) == ["요약: 반올림은 마지막에 한 번만 한다."]


def test_facts_of_a_session_are_told_and_the_last_folder_wins():
    _, items = read(FULL)
    assert facts(items) == {
        (OWN, "started"): "2026-05-02T10:00:00.000Z",
        (OWN, "cwd"): "/home/me/shop/docs",
        (OWN, "branch"): "main",
        (OWN, "commit"): "abc123",
    }
    assert {(seen.branch, seen.commit) for seen in sightings(items)} == {("main", "abc123")}


def test_a_subagents_session_has_a_parent_and_its_task_is_not_a_persons():
    _, items = read(ITEMS)
    assert facts(items)[ITEMS.stem[-36:], "parent"] == OWN
    assert facts(items)[ITEMS.stem[-36:], "agent_type"] == "explorer"
    assert sightings(items)[0].origin == events.AGENT


def test_what_a_fork_copied_belongs_to_its_parent_and_is_the_same():
    _, parent = read(FULL)
    _, fork = read(FORK)
    copied = [seen for seen in sightings(fork) if seen.session == OWN]
    own = [seen for seen in sightings(fork) if seen.session == FORKED]
    assert [seen.text for seen in own] == ["try half-even rounding instead", "Half-even gives 1000, too."]
    known = {anchor for seen in sightings(parent) for anchor in events.id_anchors(seen, b"")}
    assert len(copied) == 9
    assert all(events.id_anchors(seen, b"")[0] in known for seen in copied)
    assert facts(fork)[FORKED, "parent"] == OWN


def test_a_fork_that_kept_the_times_of_its_copies_is_told_by_them(tmp_path):
    path = write(
        tmp_path / "rollout-f.jsonl",
        line(
            "session_meta",
            "2026-05-02T12:00:00Z",
            id="f",
            forked_from_id="p",
            timestamp="2026-05-02T12:00:00Z",
        ),
        line("event_msg", "2026-05-02T10:00:00Z", type="user_message", message="before"),
        line("event_msg", "2026-05-02T12:00:01Z", type="user_message", message="after"),
    )
    assert [(seen.session, seen.text) for seen in sightings(read(path)[1])] == [
        ("p", "before"),
        ("f", "after"),
    ]


def test_lines_before_a_second_meta_of_the_files_own_session_are_the_parents(tmp_path):
    path = write(
        tmp_path / "rollout-2026-f.jsonl",
        line("session_meta", id="p"),
        line("event_msg", type="user_message", message="before"),
        line("session_meta", id="f"),
        line("event_msg", type="user_message", message="after"),
        line("session_meta", id="q"),
        line("event_msg", type="user_message", message="still here"),
    )
    told = [(seen.session, seen.text) for seen in sightings(read(path)[1])]
    assert told == [("p", "before"), ("f", "after"), ("f", "still here")]


def test_a_second_reading_gives_the_same_ids():
    ids = [[(seen.record, seen.tool) for seen in sightings(read(FULL)[1])] for _ in range(2)]
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == len(ids[0])


@pytest.mark.parametrize("path", [FULL, FORK, EVENTS, ITEMS], ids=lambda path: path.stem[8:27])
def test_pain_32_reading_on_from_the_safe_offset_loses_nothing(tmp_path, path):
    whole = path.read_bytes()
    copy = tmp_path / path.name
    expected = {(seen.record, seen.tool) for seen in sightings(read(path)[1])}
    ends = [at + 1 for at, byte in enumerate(whole) if byte == 10]
    for end in ends + [end - 3 for end in ends]:
        copy.write_bytes(whole[:end])
        first, items = read(copy)
        copy.write_bytes(whole)
        second, more = read(copy, first.safe_offset)
        assert {(seen.record, seen.tool) for seen in sightings([*items, *more])} == expected
        assert second.lines == len(whole.splitlines())
        assert all(item.line > first.safe_line for item in more if not isinstance(item, SessionFact))


def test_rollouts_are_found_in_a_home_or_a_folder(tmp_path):
    assert {path.name for path in transcripts_codex.find_transcripts(HOME)} == {
        path.name for path in (FULL, FORK, EVENTS, ITEMS)
    }
    assert transcripts_codex.find_transcripts(FULL) == [FULL]
    (tmp_path / "history.jsonl").touch()
    (tmp_path / "archived_sessions").mkdir()
    (tmp_path / "archived_sessions" / "rollout-a.jsonl").touch()
    assert [path.name for path in transcripts_codex.find_transcripts(tmp_path)] == ["rollout-a.jsonl"]


def test_a_subagent_is_kept_with_the_session_that_its_rollout_names_as_hooks_keep_it(tmp_path):
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "root", "agent_role": "explorer"}}}
    meta = {"session_id": "root", "id": "helper", "cwd": "/home/me/shop", "source": spawned}
    _, items = read(rollout(tmp_path, "helper", ("session_meta", meta), said("user", "find all helpers")))
    (seen,) = sightings(items)
    assert (seen.session, seen.agent, seen.origin, seen.text) == ("root", "helper", events.AGENT, "find all helpers")
    told = [(item.session, item.agent, item.name, item.value) for item in items if isinstance(item, SessionFact)]
    assert ("root", "helper", "agent_type", "explorer") in told
    assert ("root", "helper", "cwd", "/home/me/shop") in told
    assert "parent" not in [name for _, _, name, _ in told]


def test_what_codex_says_that_it_made_is_no_prompt(tmp_path):
    made = said("user", "anything new", kinds=["multi_agent.something_new"])
    typed = said("user", "쿠폰함은 어디?", kinds=["environments.environment_context", "user.text"])
    old = said("user", "<subagent_notification>{}</subagent_notification>")
    _, items = read(rollout(tmp_path, "s1", ("session_meta", {"id": "s1"}), made, typed, old))
    assert [seen.text for seen in sightings(items)] == ["쿠폰함은 어디?"]


def test_pain_25_a_servers_tool_has_the_name_that_hooks_tell(tmp_path):
    call = {"type": "function_call", "namespace": "mcp__pith", "name": "mem_search", "call_id": "k1", "arguments": "{}"}
    done = {"type": "function_call_output", "call_id": "k1", "output": "- [mem:k7q2mf] the coupons stay"}
    _, items = read(
        rollout(tmp_path, "s1", ("session_meta", {"id": "s1"}), ("response_item", call), ("response_item", done))
    )
    (seen,) = sightings(items)
    assert seen.details["tool"] == "mcp__pith__mem_search"


def said(role, text, kinds=None):
    """A message as a rollout holds it."""
    item = {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}
    if kinds:
        item["internal_chat_message_metadata_passthrough"] = {"content_item_kinds": kinds}
    return "response_item", item


def rollout(folder, name, *records):
    """A rollout of these records."""
    path = folder / f"rollout-2026-05-02T10-00-00-{name}.jsonl"
    rows = ({"timestamp": "2026-05-02T10:00:00.000Z", "type": kind, "payload": payload} for kind, payload in records)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path
