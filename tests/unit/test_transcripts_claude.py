"""Claude Code's transcripts, read from files of every shape of record."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from pith.adapters import jsonl, notes_claude, transcripts_claude
from pith.adapters.jsonl import Seen, SessionFact, Skipped
from pith.domain import events

HOME = Path(__file__).parents[1] / "data" / "transcripts" / "claude"
SHOP = HOME / "projects" / "-home-me-shop"


def read(path, offset=0, line=0):
    reading = transcripts_claude.read(path, offset, line)
    return reading, list(reading)


def sightings(items):
    return [item.sighting for item in items if isinstance(item, Seen)]


def reasons(items):
    return {item.line: item.reason for item in items if isinstance(item, Skipped)}


def facts(items):
    return {(item.session, item.agent, item.name): item.value for item in items if isinstance(item, SessionFact)}


def write(path: Path, *records, tail: bytes = b"") -> Path:
    lines = (record if isinstance(record, bytes) else json.dumps(record).encode() for record in records)
    path.write_bytes(b"".join(line + b"\n" for line in lines) + tail)
    return path


def prompt(text, **more):
    return {
        "type": "user",
        "uuid": f"u-{text}",
        "sessionId": "s",
        "message": {"role": "user", "content": text},
        **more,
    }


@pytest.mark.parametrize("path", sorted(HOME.rglob("*.jsonl")), ids=lambda path: path.stem)
def test_pain_32_every_line_is_taken_or_skipped_for_a_reason(path):
    reading, items = read(path)
    taken = {item.line for item in items if isinstance(item, Seen)}
    skipped = [item.line for item in items if isinstance(item, Skipped)]
    assert sorted([*taken, *skipped]) == list(range(1, reading.lines + 1))
    assert reading.lines == len(path.read_bytes().splitlines())
    assert set(reasons(items).values()) <= set(jsonl.REASONS)


def test_words_of_a_person_are_told_from_everything_else_that_looks_like_them():
    _, items = read(SHOP / "shop-1.jsonl")
    said = [seen.text for seen in sightings(items) if seen.kind == events.PROMPT and not seen.agent]
    assert said == [
        "장바구니 합계가 1원 틀려요. 쿠폰 두 장을 같이 쓸 때만요",
        "세금도 같이 확인해 줘",
        "and the shipping fee",
        "from a program",
        "이 화면처럼 보이게 해 줘",
    ]
    assert all(seen.origin == events.PERSON for seen in sightings(items) if seen.text in said)


def test_each_reason_for_skipping_is_told():
    _, items = read(SHOP / "shop-1.jsonl")
    assert Counter(reasons(items).values()) == {
        jsonl.META: 7,
        jsonl.INJECTED: 5,
        jsonl.FACT: 5,
        jsonl.LOCAL_COMMAND: 4,
        jsonl.JOINED: 4,
        jsonl.MIRROR: 2,
        jsonl.SYNTHETIC: 2,
        jsonl.THINKING: 1,
        jsonl.PROGRESS: 1,
        jsonl.IMAGE: 1,
        jsonl.UNKNOWN: 1,
    }


def test_a_tool_call_is_told_with_its_result_and_by_its_id():
    _, items = read(SHOP / "shop-1.jsonl")
    calls = {seen.tool: seen for seen in sightings(items) if seen.kind == events.TOOL}
    assert list(calls) == ["t1", "t2", "t3", "t4", "t5", "t6"]
    assert calls["t1"].text == "Read /home/me/shop/total.py\ndef total(items):\n    return round(sum(items))"
    assert calls["t2"].details == {
        "tool": "Bash",
        "command": "pytest -q tests/test_total.py",
        "exit": 1,
        "failed": True,
    }
    assert calls["t5"].origin == events.WEB
    assert "Two helpers" in calls["t6"].text


def test_texts_of_one_record_are_told_apart_and_keep_turn_and_branch():
    _, items = read(SHOP / "shop-1.jsonl")
    told = [seen for seen in sightings(items) if seen.record.startswith("a6")]
    assert [seen.record for seen in told] == ["a6", "a6#2"]
    assert {(seen.turn, seen.branch, seen.session) for seen in told} == {("p1", "fix/coupon", "shop-1")}
    assert [seen.kind for seen in told] == [events.RESPONSE] * 2


def test_a_subagents_words_are_kept_under_its_name_and_its_task_is_not_a_persons():
    _, items = read(SHOP / "shop-1" / "subagents" / "agent-ag7.jsonl")
    assert {seen.agent for seen in sightings(items)} == {"ag7"}
    assert {seen.session for seen in sightings(items)} == {"shop-1"}
    task = sightings(items)[0]
    assert (task.kind, task.origin, task.text) == (events.PROMPT, events.AGENT, "find all rounding helpers")
    assert facts(items)["shop-1", "ag7", "agent_type"] == "Explore"
    assert facts(items)["shop-1", "ag7", "title"] == "find rounding"


def test_a_sidechain_inside_the_main_file_is_kept_apart_too():
    _, items = read(SHOP / "shop-1.jsonl")
    side = [seen for seen in sightings(items) if seen.agent]
    assert [(seen.agent, seen.origin) for seen in side] == [("ag6", events.AGENT)] * 2


def test_a_fork_belongs_to_the_session_that_first_wrote_each_record():
    _, items = read(SHOP / "shop-2.jsonl")
    assert [(seen.session, seen.record) for seen in sightings(items)] == [
        ("shop-1", "u1"),
        ("shop-1", "a6"),
        ("shop-1", "a6#2"),
        ("shop-2", "f2"),
        ("shop-2", "f3"),
    ]
    assert facts(items)["shop-2", "", "parent"] == "shop-1"


def test_a_forks_copies_have_the_same_ids_as_what_they_were_copied_from():
    anchors = [
        {anchor for seen in sightings(read(SHOP / name)[1]) for anchor in events.id_anchors(seen, b"")}
        for name in ("shop-1.jsonl", "shop-2.jsonl")
    ]
    copied = [seen for seen in sightings(read(SHOP / "shop-2.jsonl")[1]) if seen.session == "shop-1"]
    assert len(copied) == 3
    assert all(events.id_anchors(seen, b"")[0] in anchors[0] & anchors[1] for seen in copied)


def test_a_compaction_is_a_summary_and_what_came_before_stays():
    _, items = read(SHOP / "shop-3.jsonl")
    kinds = [seen.kind for seen in sightings(items)]
    assert kinds == ["prompt", "response", "summary", "prompt", "response", "prompt"]
    assert sightings(items)[2].origin == events.AGENT


def test_two_equal_prompts_stay_two():
    _, items = read(SHOP / "shop-3.jsonl")
    again = [seen for seen in sightings(items) if seen.text == "계속해"]
    assert [(seen.record, seen.turn) for seen in again] == [("c1", "q1"), ("c5", "q2")]


def test_facts_of_a_session_are_told_and_a_given_title_is_not_overwritten():
    _, items = read(SHOP / "shop-1.jsonl")
    assert facts(items) == facts(items) | {
        ("shop-1", "", "cwd"): "/home/me/shop",
        ("shop-1", "", "branch"): "fix/coupon",
        ("shop-1", "", "started"): "2026-05-02T09:00:01.000Z",
        ("shop-1", "", "title"): "장바구니 반올림",
        ("shop-1", "", "summary"): "Rounding of the cart",
        ("shop-1", "", "pr"): "https://example.invalid/pr/12",
    }
    before = items[: items.index(next(item for item in items if isinstance(item, Seen)))]
    assert SessionFact("shop-1", "cwd", "/home/me/shop") in before


def test_times_are_utc_and_a_missing_one_is_the_last():
    _, items = read(SHOP / "shop-3.jsonl")
    assert sightings(items)[-1].at == "2026-05-03T09:00:00.000Z"
    _, items = read(SHOP / "broken.jsonl")
    assert {seen.at for seen in sightings(items)} == {"2026-05-02T09:00:00.000Z"}


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("2026-05-02T09:00:00.123Z", "2026-05-02T09:00:00.123Z"),
        ("2026-05-02T09:00:00Z", "2026-05-02T09:00:00.000Z"),
        ("2026-05-02T09:00:00.123456+09:00", "2026-05-02T00:00:00.123Z"),
        ("2026-05-02 09:00:00", "2026-05-02T09:00:00.000Z"),
        (1_777_712_400, "2026-05-02T09:00:00.000Z"),
        (1_777_712_400_500, "2026-05-02T09:00:00.500Z"),
        ("0001-01-01T00:00:00+09:00", "before"),
        ("soon", "before"),
        (None, "before"),
        (True, "before"),
        (float("nan"), "before"),
        ([], "before"),
    ],
)
def test_a_time_in_any_shape(told, kept):
    assert jsonl.moment(told, "before") == kept


def test_pain_32_a_torn_last_line_is_read_when_it_is_whole(tmp_path):
    whole = (SHOP / "shop-3.jsonl").read_bytes()
    path = tmp_path / "shop-3.jsonl"
    path.write_bytes(whole)
    reading, items = read(path)
    assert reasons(items)[reading.lines] == jsonl.TORN
    result = {"type": "tool_result", "tool_use_id": "t8", "content": "ok"}
    rest = {
        "type": "user",
        "uuid": "c9",
        "sessionId": "shop-3",
        "message": {"role": "user", "content": [result]},
    }
    torn = whole.rindex(b"\n") + 1
    path.write_bytes(whole[:torn] + json.dumps(rest).encode() + b"\n")
    _, more = read(path, reading.safe_offset, reading.safe_line)
    assert [seen.text for seen in sightings(more)] == ["$ make refund-smoke\nok"]
    assert [item.line for item in more if isinstance(item, Seen)] == [9]


@pytest.mark.parametrize("name", ["shop-1.jsonl", "shop-2.jsonl", "shop-3.jsonl", "broken.jsonl"])
def test_pain_32_reading_on_from_the_safe_offset_loses_nothing(tmp_path, name):
    """Whatever a file held when it was first read, the second reading brings the rest; only ids tell what is new."""
    whole = (SHOP / name).read_bytes()
    path = tmp_path / name
    expected = {seen.record for seen in sightings(read(SHOP / name)[1])}
    ends = [at + 1 for at, byte in enumerate(whole) if byte == 10]
    for end in ends + [end - 3 for end in ends]:
        path.write_bytes(whole[:end])
        first, items = read(path)
        path.write_bytes(whole)
        _, more = read(path, first.safe_offset, first.safe_line)
        assert {seen.record for seen in sightings([*items, *more])} == expected


def test_pain_32_a_line_beyond_the_cap_is_streamed_over_and_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonl, "LINE_CAP", 10_000)
    monkeypatch.setattr(jsonl, "_STEP", 1_000)
    path = write(tmp_path / "s.jsonl", prompt("before"), prompt("x" * 50_000), prompt("after"))
    _, items = read(path)
    assert [seen.text for seen in sightings(items)] == ["before", "after"]
    assert reasons(items) == {2: jsonl.TOO_LONG}
    path = write(tmp_path / "s.jsonl", prompt("before"), tail=b"x" * 50_000)
    reading, items = read(path)
    assert reasons(items) == {2: jsonl.TORN}
    assert path.read_bytes()[reading.safe_offset :] == b"x" * 50_000


def test_pain_32_words_beside_megabytes_of_base64_are_kept(tmp_path):
    picture = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0K" * 200_000},
    }
    content = [picture, {"type": "text", "text": "버튼이 잘려 보여요"}]
    path = write(
        tmp_path / "s.jsonl",
        prompt("x", message={"content": content}),
        prompt("y", message={"content": [picture]}),
    )
    _, items = read(path)
    assert [seen.text for seen in sightings(items)] == ["버튼이 잘려 보여요"]
    assert reasons(items) == {2: jsonl.IMAGE}


def test_pain_32_bytes_that_are_no_utf8_do_not_hide_the_rest_of_a_line(tmp_path):
    line = json.dumps(prompt("caf\x00e")).encode().replace(b"\\u0000", b"\xff")
    path = write(tmp_path / "s.jsonl", line, b"\xff\xfe\x00", prompt("after"))
    _, items = read(path)
    assert [seen.text for seen in sightings(items)] == ["caf\ufffde", "after"]
    assert reasons(items) == {2: jsonl.BAD_JSON}


def test_a_last_line_that_only_lacks_its_newline_is_taken(tmp_path):
    path = write(tmp_path / "s.jsonl", tail=json.dumps(prompt("whole")).encode())
    reading, items = read(path)
    assert [seen.text for seen in sightings(items)] == ["whole"]
    assert reading.safe_offset == path.stat().st_size


def test_calls_without_a_result_are_given_up_when_a_person_speaks_again(tmp_path):
    call = {
        "type": "assistant",
        "sessionId": "s",
        "message": {"content": [{"type": "tool_use", "id": "t", "name": "Bash"}]},
    }
    path = write(tmp_path / "s.jsonl", prompt("one"), call, prompt("two"))
    reading, _ = read(path)
    assert (reading.unanswered, reading.pending) == (1, {})
    assert reading.safe_offset == path.stat().st_size
    path = write(tmp_path / "s.jsonl", prompt("one"), call)
    assert read(path)[0].safe_line == 1


def test_a_record_without_an_id_has_the_same_one_at_every_reading(tmp_path):
    path = write(tmp_path / "s.jsonl", *({"type": "user", "message": {"content": "계속해"}} for _ in range(2)))
    first, second = ([seen.record for seen in sightings(read(path)[1])] for _ in range(2))
    assert first == second
    assert len(set(first)) == 2


def test_transcripts_are_found_oldest_first_with_those_of_subagents(tmp_path):
    assert {path.name for path in transcripts_claude.find_transcripts(HOME)} == {
        "shop-1.jsonl", "shop-2.jsonl", "shop-3.jsonl", "broken.jsonl", "agent-ag7.jsonl",
    }  # fmt: skip
    folder = tmp_path / "projects" / "-x"
    (folder / "s" / "tool-results").mkdir(parents=True)
    for age, name in enumerate(("c.jsonl", "a.jsonl", "b.jsonl", "a.txt", "s/tool-results/t.jsonl")):
        (folder / name).touch()
        os.utime(folder / name, (1_000_000 - age, 1_000_000 - age))
    assert [path.name for path in transcripts_claude.find_transcripts(tmp_path)] == [
        "b.jsonl",
        "a.jsonl",
        "c.jsonl",
    ]
    assert transcripts_claude.find_transcripts(folder / "a.jsonl") == [folder / "a.jsonl"]
    assert [path.name for path in transcripts_claude.find_transcripts(folder)] == [
        "b.jsonl",
        "a.jsonl",
        "c.jsonl",
    ]


def test_pain_23_a_fork_is_read_behind_its_original_however_late_that_was_written_to(tmp_path):
    folder = tmp_path / "projects" / "-x"
    folder.mkdir(parents=True)
    said = (
        '{"type":"user","uuid":"u1","timestamp":"2026-05-02T09:00:00.100Z","message":{"role":"user","content":"x"}}\n'
    )
    began = '{"type":"queue-operation","operation":"enqueue","timestamp":"2026-05-02T%s:00.000Z"}\n'
    for age, (name, at) in enumerate((("original", "09:00"), ("fork", "10:00"))):
        (folder / f"{name}.jsonl").write_text(began % at + said)
        os.utime(folder / f"{name}.jsonl", (1_000_000 - age, 1_000_000 - age))
    assert [path.stem for path in transcripts_claude.find_transcripts(tmp_path)] == ["original", "fork"]


def test_the_hosts_own_notes_come_by_section_and_are_marked_as_imported():
    (path,) = notes_claude.find_notes(HOME)
    notes = list(notes_claude.read(path))
    assert [note.text.splitlines()[0] for note in notes] == ["Read this first.", "# Tests", "## 환불"]
    assert "# not a heading" in notes[1].text
    assert {(note.kind, note.origin, note.session) for note in notes} == {
        (events.NOTE, events.IMPORTED, "memory/-home-me-shop")
    }
    assert len({note.record for note in notes}) == 3
    assert [note.record for note in notes_claude.read(path)] == [note.record for note in notes]
    assert notes_claude.folder_of_work(path) == "/home/me/shop"
