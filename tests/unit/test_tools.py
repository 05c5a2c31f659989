"""What is remembered of a tool call, whichever way a host tells of it."""

from __future__ import annotations

import base64

import pytest

from pith.domain import events
from pith.domain.excerpts import LINE_KEPT
from pith.domain.tools import FILES_KEPT, TEXT_KEPT, Call, digest, origin

LOG = "\n".join(f"line {n}" for n in range(1, 301))


def text_of(name, input, response=None, failed=False):
    return digest(name, input, response, failed)[0]


def test_a_command_is_remembered_with_its_exit_code_and_output():
    text, details = digest("Bash", {"command": "pytest -q"}, "Error: Exit code 1\n1 failed", True)
    assert text == "$ pytest -q\nexit 1\n1 failed"
    assert details == {"tool": "Bash", "command": "pytest -q", "exit": 1, "failed": True}


@pytest.mark.parametrize(
    ("name", "input", "response", "failed"),
    [
        ("Bash", {"command": "pytest -q"}, "Error: Exit code 1\n1 failed", True),
        ("Bash", {"command": "pytest -q", "description": "run"}, "Exit code 1\n1 failed", True),
        ("Bash", {"command": "pytest -q"}, "Command failed with exit code 1\n1 failed", True),
        ("Bash", {"command": "pytest -q"}, {"stdout": "1 failed", "stderr": "", "exit_code": 1}, True),
        ("exec_command", '{"cmd":"pytest -q"}', "Process exited with code 1\nOutput:\n1 failed", False),
        ("exec_command", '{"cmd":"pytest -q"}', "Chunk ID: a\nWall time: 3 s\nExit code: 1\nOutput:\n1 failed", False),
        ("shell", '{"command":["bash","-lc","pytest -q"]}', '{"output":"1 failed","metadata":{"exit_code":1}}', False),
        ("local_shell", {"type": "exec", "command": ["zsh", "-c", "pytest -q"]}, "Exit code: 1\nOutput:\n1 failed", False),
        ("exec_command", {"command": ["bash", "-lc", "pytest -q"]}, {"exit_code": 1, "output": "1 failed"}, False),
    ],
)  # fmt: skip
def test_the_same_call_gives_the_same_text_however_a_host_tells_of_it(name, input, response, failed):
    text, details = digest(name, input, response, failed)
    assert text == "$ pytest -q\nexit 1\n1 failed"
    assert details["exit"] == 1
    assert details["failed"] is True


@pytest.mark.parametrize(
    ("hook", "transcript"),
    [
        (
            (
                "Read",
                {"file_path": "/shop/결제.py"},
                {"file": {"content": "a = 1\nb = 2", "filePath": "/shop/결제.py"}},
            ),
            ("Read", {"file_path": "/shop/결제.py"}, "     1→a = 1\n     2→b = 2"),
        ),
        (
            ("Grep", {"pattern": "round"}, {"mode": "files_with_matches", "filenames": ["a.py", "b.py"]}),
            ("Grep", {"pattern": "round"}, "Found 2 files\na.py\nb.py"),
        ),
        (
            ("Bash", {"command": "ls"}, {"stdout": "a.py\n", "stderr": "warning", "interrupted": False}),
            ("Bash", {"command": "ls"}, "a.py\nwarning"),
        ),
        (
            ("mcp__docs__find", {"q": "round"}, [{"type": "text", "text": "two pages"}]),
            ("mcp__docs__find", '{"q":"round"}', {"content": [{"type": "text", "text": "two pages"}]}),
        ),
    ],
)
def test_a_hooks_object_and_a_transcripts_text_are_one(hook, transcript):
    assert text_of(*hook) == text_of(*transcript)


def test_an_edit_is_its_file_and_the_lines_that_changed():
    edit = {
        "file_path": "/shop/total.py",
        "old_string": "def f():\n    a\n    b",
        "new_string": "def f():\n    c\n    b",
    }
    text, details = digest("Edit", edit, {"originalFile": "x" * 100_000}, False)
    assert text == "Edit /shop/total.py\n-     a\n+     c"
    assert details["files"] == ["/shop/total.py"]


def test_several_edits_and_a_new_file_are_shown_in_short():
    edits = [{"old_string": "", "new_string": f"line {n}"} for n in range(9)]
    assert text_of("MultiEdit", {"file_path": "a.py", "edits": ["odd", *edits]}).count("+ line") == 3
    assert text_of("Write", {"file_path": "a.py", "content": LOG}).splitlines()[:2] == [
        "Write a.py",
        "+ line 1",
    ]


def test_a_patch_names_every_file_and_a_few_lines():
    patch = "*** Begin Patch\n*** Update File: 총액.py\n@@\n-round(x)\n+quantize(x)\n*** Add File: b.py\n+new\n*** End Patch"
    text, details = digest("apply_patch", patch, "Success", False)
    assert details["files"] == ["총액.py", "b.py"]
    assert text == "apply_patch 총액.py, b.py\n-round(x)\n+quantize(x)\n+new"
    for shape in ({"input": patch}, {"command": ["apply_patch", patch]}, {"command": patch}):
        assert text_of("apply_patch", shape) == text
    assert text_of("shell", {"command": ["apply_patch", patch]}) == text


def test_files_named_late_in_a_long_patch_are_found():
    patch = "*** Begin Patch\n*** Add File: a.py\n" + "+x\n" * 30_000 + "*** Delete File: old.py\n*** End Patch"
    assert digest("apply_patch", patch, None, False)[1]["files"] == ["a.py", "old.py"]


def test_files_are_named_once_and_are_not_too_many():
    names = [f"f{n}.py" for n in range(500)]
    details = digest("Glob", {"pattern": "*.py", "path": "f0.py"}, {"filenames": names}, False)[1]
    assert details["files"] == names[:FILES_KEPT]


def test_a_long_output_keeps_both_ends_and_counts_what_is_left_out():
    text = text_of("Bash", {"command": "x"}, {"stdout": LOG})
    assert "line 20\n... 260 lines left out ...\nline 281" in text
    assert text.endswith("line 300")


def test_error_lines_from_the_middle_are_kept():
    for size in (300, 300_000):
        lines = [f"line {n}" for n in range(size)]
        lines[size // 2] = "E   오류: 합계가 1원 다릅니다 (AssertionError)"
        text = text_of("Bash", {"command": "x"}, {"stdout": "\n".join(lines)})
        assert lines[size // 2] in text
        kept = sum(line.startswith("line ") for line in text.splitlines())
        assert f"... {size - kept - 1} lines left out ..." in text


def test_megabytes_become_a_few_lines():
    for big in (
        "x" * 5_000_000,
        "error\n" * 800_000,
        "한 " * 2_000_000,
        "\n" * 5_000_000,
        "rror" * 1_000_000,
    ):
        for response in (big, {"stdout": big}, [{"type": "text", "text": big}], {"content": {"text": big}}):
            text, details = digest("Bash", {"command": big}, response, True)
            assert len(text) <= TEXT_KEPT
            assert max(map(len, text.splitlines())) <= LINE_KEPT + 2
            assert len(details["command"]) <= TEXT_KEPT
        assert len(text_of("mcp__a__b", {"q": big, "list": [big] * 5}, big)) <= TEXT_KEPT


def test_encoded_bytes_are_never_kept():
    blob = base64.b64encode(bytes(range(256)) * 400).decode()
    wrapped = "\n".join(blob[at : at + 76] for at in range(0, len(blob), 76))
    picture = {"type": "image", "source": {"type": "base64", "data": blob}}
    for response in (
        blob,
        wrapped,
        f"before {blob} after",
        {"stdout": wrapped},
        [picture],
        {"file": {"base64": blob}},
        picture,
    ):
        text = text_of("Bash", {"command": "base64 a.png"}, response)
        assert blob[:60] not in text
        assert blob[-200:-140] not in text
    assert blob[:60] not in text_of("mcp__a__b", {"image": blob, "more": {"deep": [blob]}})


def test_a_long_path_is_not_taken_for_encoded_bytes():
    path = "/" + "/".join(["a_rather_long_folder_name"] * 8)
    assert path in text_of("Bash", {"command": f"ls {path}"}, path)


@pytest.mark.parametrize("around", [" ", '","', "가"])
@pytest.mark.parametrize("tool", ["Bash", "mcp__a__b", "Read", "Edit"])
def test_a_key_is_never_cut_in_two(tool, around):
    """Masking comes after this, and half a key is no longer one that it would find."""
    key = "ghp_" + "k3y" * 12
    for at in (*range(330, 420), *range(1_150, 1_210), *range(15_950, 16_020), 40_000):
        line = "x" * 20 + around * (at // len(around)) + key + around * 30_000
        for sent, output in ((line, ""), ("x", line), (line[::-1], line[::-1])):
            text = text_of(tool, {"command": sent, "q": sent, "new_string": sent}, output)
            rest = text.replace(key, "").replace(key[::-1], "")
            assert "k3y" not in rest
            assert "y3k" not in rest


def test_colours_and_overwritten_progress_are_not_words():
    text = text_of("Bash", {"command": "x"}, "\x1b[31mred\x1b[0m\r\n 10%\r 50%\r100% done\n\n")
    assert text == "$ x\nred\n100% done"


def test_a_failure_without_an_exit_code_says_so():
    told = "<tool_use_error>File has not been read yet.</tool_use_error>"
    assert text_of("Edit", {"file_path": "a.py"}, told, True) == "Edit a.py\nfailed\nFile has not been read yet."


def test_what_is_not_known_is_not_said():
    assert digest(None, None, None, None) == ("", {"failed": False})
    assert digest("Bash", {}, {"stdout": "", "stderr": ""}, False) == (
        "Bash",
        {"tool": "Bash", "failed": False},
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("WebFetch", events.WEB),
        ("WebSearch", events.WEB),
        ("web_search", events.WEB),
        ("mcp__playwright__browser_snapshot", events.WEB),
        ("mcp__fetch__get", events.WEB),
        ("mcp__shop__orders", events.TOOL_OUTPUT),
        ("Bash", events.TOOL_OUTPUT),
        (None, events.TOOL_OUTPUT),
        (5, events.TOOL_OUTPUT),
    ],
)
def test_words_from_the_web_are_marked_as_such(name, expected):
    assert origin(name) == expected


def test_a_waiting_call_keeps_little_of_its_input():
    call = Call("Write", {"file_path": "a.py", "content": "x y\n" * 1_000_000})
    assert len(call.head) < 2_000
    call = Call("mcp__a__b", {str(n): "x" * 10_000 for n in range(1_000)})
    assert len(call.head) < 2_000
