"""Whatever bytes a transcript holds and whatever a tool was given: nothing is raised, and every line is accounted for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pith.adapters import transcripts_claude, transcripts_codex
from pith.adapters.jsonl import REASONS, Seen, Skipped
from pith.domain import events
from pith.domain.tools import FILES_KEPT, TEXT_KEPT, digest, origin

DATA = Path(__file__).parents[1] / "data" / "transcripts"
READERS = (transcripts_claude, transcripts_codex)
SMALL = (
    (transcripts_claude, DATA / "claude/projects/-home-me-shop/shop-2.jsonl"),
    (transcripts_codex, sorted((DATA / "codex").rglob("*.jsonl"))[3]),
)

NAMES = st.sampled_from(
    "type uuid sessionId timestamp message content role text tool_use tool_result id name input tool_use_id is_error"
    " toolUseResult isSidechain isMeta isCompactSummary agentId attachment prompt commandMode forkedFrom messageUuid"
    " origin kind promptId promptSource cwd gitBranch payload call_id arguments output action query command cmd files"
    " exit_code metadata stdout stderr file filePath edits old_string new_string patch turn_id git branch source"
    " subagent forked_from_id changes invocation result Ok user_message assistant user response_item event_msg"
    " session_meta turn_context compacted function_call function_call_output custom_tool_call local_shell_call"
    " exec_command_end mcp_tool_call_end patch_apply_end web_search_call agent_message queued_command Bash Edit Read"
    " apply_patch summary ai-title aiTitle pr-link thread_spawn media data image base64".split()
)
TEXT = st.one_of(
    NAMES,
    st.text(max_size=40),
    st.sampled_from(
        ("\ud800", "\x00", "{", '{"a":', "*** Begin Patch\n*** Add File: a\n", "<command-name>", "\n" * 90)
    ),
)
PLAIN = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXT)
JSON = st.recursive(
    PLAIN,
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(NAMES | TEXT, inner, max_size=6)),
    max_leaves=25,
)
CLAUDE_RECORD = st.fixed_dictionaries(
    {"type": st.sampled_from(("user", "assistant", "attachment", "system", "summary", "ai-title")) | JSON},
    optional={
        "message": st.fixed_dictionaries(
            {
                "content": JSON
                | st.lists(
                    st.fixed_dictionaries(
                        {"type": st.sampled_from(("text", "tool_use", "tool_result", "image", "thinking"))},
                        optional=dict.fromkeys(("text", "id", "name", "input", "tool_use_id", "content"), JSON),
                    ),
                    max_size=4,
                )
            }
        )
        | JSON,
        **dict.fromkeys(
            "uuid sessionId timestamp toolUseResult isSidechain isMeta agentId attachment forkedFrom cwd".split(),
            JSON,
        ),
    },
)
ITEM_TYPES = (
    "message function_call function_call_output custom_tool_call custom_tool_call_output local_shell_call user_message"
    " agent_message exec_command_end patch_apply_end mcp_tool_call_end web_search_call web_search_end task_started"
).split()
CODEX_RECORD = st.fixed_dictionaries(
    {
        "timestamp": JSON | st.just("2026-05-02T10:00:00.000Z"),
        "type": st.sampled_from(("response_item", "event_msg", "session_meta", "turn_context", "compacted")) | JSON,
        "payload": JSON
        | st.fixed_dictionaries(
            {"type": st.sampled_from(ITEM_TYPES)},
            optional=dict.fromkeys(
                "role content call_id name arguments input output action message id git source turn_id"
                " exit_code changes invocation result command aggregated_output forked_from_id kind cwd".split(),
                JSON,
            ),
        ),
    }
)
RECORDS = {transcripts_claude: CLAUDE_RECORD, transcripts_codex: CODEX_RECORD}


def account(reader, path):
    """Read a file, and check what every reading promises."""
    data = path.read_bytes()
    reading = reader.read(path)
    items = list(reading)
    taken = {item.line for item in items if isinstance(item, Seen)}
    skipped = [item.line for item in items if isinstance(item, Skipped)]
    assert sorted([*taken, *skipped]) == list(range(1, reading.lines + 1))
    assert reading.lines == data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    assert {item.reason for item in items if isinstance(item, Skipped)} <= set(REASONS)
    assert 0 <= reading.safe_offset <= len(data)
    for item in items:
        if isinstance(item, Seen):
            check(item.sighting)
    return items


def check(seen):
    """A sighting can be stored as it is, but for its text, which is cleaned first."""
    assert seen.kind in events.KINDS
    assert seen.origin in events.ORIGINS
    assert seen.text
    assert seen.session
    for name in ("session", "agent", "record", "tool", "turn", "branch", "commit", "at"):
        value = getattr(seen, name)
        assert isinstance(value, str)
        assert value.encode() is not None
    assert len(seen.at) == 24
    assert seen.record or seen.tool
    json.dumps(seen.details)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("transcripts")


@pytest.mark.parametrize("reader", READERS)
@given(data=st.binary(max_size=400) | st.lists(st.binary(max_size=60)).map(b"\n".join))
def test_pain_32_random_bytes_are_accounted_for(folder, reader, data):
    path = folder / "rollout-random.jsonl"
    path.write_bytes(data)
    account(reader, path)


@pytest.mark.parametrize("reader", READERS)
@given(data=st.data())
def test_pain_32_records_of_any_shape_are_accounted_for(folder, reader, data):
    records = data.draw(st.lists(RECORDS[reader] | JSON, min_size=1, max_size=8))
    compact = data.draw(st.booleans())
    separators = (",", ":") if compact else None
    path = folder / "rollout-shapes.jsonl"
    path.write_text("".join(json.dumps(record, separators=separators) + "\n" for record in records))
    first = account(reader, path)
    assert [names(item) for item in account(reader, path)] == [names(item) for item in first]


def names(item):
    return (item.line, item.sighting.record, item.sighting.tool) if isinstance(item, Seen) else item


@pytest.mark.parametrize(("reader", "source"), SMALL, ids=("claude", "codex"))
def test_pain_32_a_file_cut_at_any_byte_is_accounted_for(tmp_path, reader, source):
    whole = source.read_bytes()
    path = tmp_path / source.name
    for end in range(len(whole) + 1):
        path.write_bytes(whole[:end])
        account(reader, path)


@pytest.mark.parametrize(("reader", "source"), SMALL, ids=("claude", "codex"))
@given(data=st.data())
def test_pain_32_a_file_with_damaged_bytes_is_accounted_for(folder, reader, source, data):
    whole = bytearray(source.read_bytes())
    for at in data.draw(st.lists(st.integers(0, len(whole) - 1), max_size=6)):
        whole[at] = data.draw(st.integers(0, 255))
    path = folder / source.name
    path.write_bytes(whole)
    account(reader, path)


@given(name=st.sampled_from(("Bash", "Edit", "Read", "Grep", "apply_patch", "WebFetch", "mcp__a__b")) | JSON,
       input=JSON | st.dictionaries(NAMES, JSON, max_size=6), response=JSON | st.dictionaries(NAMES, JSON, max_size=6),
       failed=st.booleans() | PLAIN)  # fmt: skip
def test_a_tool_call_of_any_shape_becomes_a_short_text(name, input, response, failed):
    text, details = digest(name, input, response, failed)
    assert len(text) <= TEXT_KEPT
    assert set(details) <= {"tool", "files", "command", "exit", "failed"}
    assert len(set(details.get("files", []))) == len(details.get("files", [])) <= FILES_KEPT
    assert digest(name, input, response, failed) == (text, details)
    assert origin(name) in (events.WEB, events.TOOL_OUTPUT)


@given(lines=st.lists(st.text(st.characters(blacklist_characters="\r\x1b"), max_size=30), max_size=200))
def test_an_output_is_the_same_as_text_and_as_an_object(lines):
    output = "\n".join(lines)
    for name in ("Bash", "mcp__a__b"):
        told = {digest(name, {"command": "x"}, shape, False)[0] for shape in (
            output, {"stdout": output, "stderr": ""}, {"content": output}, [{"type": "text", "text": output}],
        )}  # fmt: skip
        if not output.startswith("{") and output == output.rstrip("\n"):
            assert len(told) == 1


def test_a_number_too_long_to_print_is_no_failure():
    assert digest("mcp__a__b", {"n": 10**5000}, [10**5000], False)[0]
