"""Everything that can go wrong with a hook: it exits 0, says nothing, and what it was told is kept, spooled or counted."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Run, program
from pith.interfaces.hook.main import serve
from pith.interfaces.hook.payload import Call
from pith.services import spool
from pith.store.database import BUSY_HOOK_MS

SECRET = "쿠폰함은 서랍에 있다"


def told(cwd: Path | str, event: str = "UserPromptSubmit", **fields: object) -> dict[str, Any]:
    payload = {"hook_event_name": event, "session_id": "s1", "cwd": str(cwd), "prompt": SECRET, "prompt_id": "p1"}
    return payload | fields


def quiet(run: Run) -> None:
    """What a host must see of a failure: nothing."""
    assert (run.code, run.stdout, run.stderr) == (0, "", "")


def texts(home: Path) -> list[str]:
    """Every text that the home's stores hold."""
    found: list[str] = []
    for path in sorted(path for path in home.rglob("store.db") if path.is_file()):
        connection = sqlite3.connect(path)
        found += [text for (text,) in connection.execute("SELECT text FROM event_bodies ORDER BY seq")]
        connection.close()
    return found


def spooled(home: Path) -> list[str]:
    """Every text that waits in a spool."""
    return [fields["text"] for path in sorted(home.rglob("spool/*.json")) for fields in json.loads(path.read_bytes())]


def store_of(home: Path) -> Path:
    (path,) = home.rglob("store.db")
    return path


@pytest.fixture(autouse=True)
def own_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Losses that the home cannot take are counted beside it, in this test's own place."""
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    return place


# The home ------------------------------------------------------------------------------------------------------


def test_pain_08_without_home_in_the_environment_a_hook_still_keeps_or_counts(
    run_hook, git_repo, monkeypatch, tmp_path
):
    for name in ("HOME", "PITH_HOME", "XDG_DATA_HOME", "USERPROFILE"):
        monkeypatch.delenv(name)
    if os.name == "posix" and os.getuid() == 0:
        # Without HOME the system's list of users says where the home is: make sure that it is not this machine's.
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    quiet(run_hook("claude", told(git_repo)))
    assert texts(tmp_path / "data") == [SECRET] or os.getuid() != 0


def test_pain_08_a_home_that_is_a_file_is_a_counted_loss(run_hook, git_repo, pith_home, own_tmp):
    pith_home.write_text("not a folder")
    quiet(run_hook("claude", told(git_repo)))
    assert sum(spool.losses(str(pith_home)).values()) == 1
    assert pith_home.read_text() == "not a folder"


def inside(script: str, command: list[str], payload: object, **env: str) -> Run:
    """Run the command after a shell script that may mount: in a mount namespace of its own, gone at its end."""
    line = [
        "unshare",
        "--mount",
        "--map-root-user",
        "sh",
        "-c",
        f'{script}\n"$@"; code=$?; cp -r "$PITH_HOME" "$OUT"; exit $code',
    ]
    done = subprocess.run(
        [*line, "sh", *command], input=json.dumps(payload).encode(), capture_output=True, env={**os.environ, **env}
    )
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def can_mount() -> bool:
    line = ["unshare", "--mount", "--map-root-user", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return shutil.which("unshare") is not None and subprocess.run(line, capture_output=True).returncode == 0


@pytest.fixture
def on_disk(tmp_path: Path, pith_home: Path) -> Callable[..., tuple[Run, Path]]:
    """`on_disk("size=64k", prepare, payload)`: a hook whose home is a disk of its own, and a copy of that disk."""

    def run(options: str, prepare: str, payload: object) -> tuple[Run, Path]:
        pith_home.mkdir(exist_ok=True)
        out = tmp_path / "out"
        script = f'mount -t tmpfs -o {options} tmpfs "$PITH_HOME" || exit 99\n{prepare}'
        return inside(script, [*program("pith-hook"), "claude"], payload, OUT=str(out)), out

    return run


def test_pain_08_a_read_only_home_is_a_counted_loss(run_hook, git_repo, pith_home, own_tmp, on_disk):
    if can_mount():
        run, _ = on_disk("size=1m", 'mount -o remount,ro "$PITH_HOME" || exit 98', told(git_repo))
    else:
        pith_home.mkdir(mode=0o500)
        run = run_hook("claude", told(git_repo))
    quiet(run)
    assert sum(spool.losses(str(pith_home)).values()) == 1
    assert [path.name for path in own_tmp.iterdir()] == [f"pith-{os.getuid()}-losses.log"]


@pytest.mark.parametrize("size", ["16k", "32k", "64k", "128k", "200k", "256k"])
def test_pain_08_a_full_disk_ends_in_a_kept_spooled_or_counted_event(size, git_repo, pith_home, own_tmp, on_disk):
    """Each size fails at another place: the register, the new database, its log, the commit."""
    if not can_mount():
        run = subprocess.run(  # a limit on the size of files fails writes at the same places
            ["sh", "-c", f'ulimit -f {int(size[:-1]) * 2}; exec "$@"', "sh", *program("pith-hook"), "claude"],
            input=json.dumps(told(git_repo)).encode(),
            capture_output=True,
        )
        quiet(Run(run.returncode, run.stdout.decode(), run.stderr.decode()))
        out = pith_home
    else:
        run, out = on_disk(f"size={size}", "", told(git_repo))
        quiet(run)
    lost = sum(spool.losses(str(out)).values())
    assert [*texts(out), *spooled(out)] == [SECRET] if not lost else lost == 1
    assert not list(out.rglob("*.draft")), "a full disk is not filled further"


def test_pain_08_a_disk_that_is_full_later_spools_or_counts_and_keeps_what_was_there(git_repo, pith_home, on_disk):
    if not can_mount():
        pytest.fail("this system lets nobody mount; name a way to fill a disk here")
    filled = f"""
        for n in 1 2 3; do printf '%s' '{json.dumps(told(git_repo, prompt="early", prompt_id="p0"), ensure_ascii=True)}' | "$@"; done
        cat /dev/zero > "$PITH_HOME/ballast" 2>/dev/null
    """
    run, out = on_disk("size=2m", filled, told(git_repo, prompt=SECRET * 3000))
    quiet(run)
    assert texts(out) == ["early"]
    assert len(spooled(out)) + sum(spool.losses(str(out)).values()) == 1


# The database --------------------------------------------------------------------------------------------------


def test_pain_09_a_locked_database_is_waited_for_briefly_and_then_spooled(git_repo, pith_home, monkeypatch):
    """No timing: the patience is asked for, and SQLite is told it."""
    serve("claude", json.dumps(told(git_repo, prompt="first", prompt_id="p0")).encode(), time.monotonic())
    monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail(f"a hook slept {seconds} seconds"))
    writer = sqlite3.connect(store_of(pith_home), isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    assert serve("claude", json.dumps(told(git_repo)).encode(), time.monotonic()) is None
    assert BUSY_HOOK_MS <= 150
    assert (texts(pith_home), spooled(pith_home)) == (["first"], [SECRET])
    writer.execute("ROLLBACK")
    serve("claude", json.dumps(told(git_repo, prompt="later", prompt_id="p2")).encode(), time.monotonic())
    assert (texts(pith_home), spooled(pith_home)) == (["first", "later", SECRET], [])


def test_pain_08_a_locked_database_is_silent(run_hook, git_repo, pith_home):
    quiet(run_hook("claude", told(git_repo, prompt="first", prompt_id="p0")))
    writer = sqlite3.connect(store_of(pith_home), isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    quiet(run_hook("claude", told(git_repo)))
    writer.close()
    assert spooled(pith_home) == [SECRET]


def test_pain_08_a_newer_database_is_left_alone_and_the_event_spooled(run_hook, git_repo, pith_home):
    quiet(run_hook("claude", told(git_repo, prompt="first", prompt_id="p0")))
    connection = sqlite3.connect(store_of(pith_home))
    connection.execute("PRAGMA user_version=999")
    connection.close()
    quiet(run_hook("claude", told(git_repo)))
    assert (texts(pith_home), spooled(pith_home)) == (["first"], [SECRET])


@pytest.mark.parametrize("where", ["header", "everything", "empty", "middle"])
def test_pain_08_a_damaged_database_is_silent_and_the_event_spooled(where, run_hook, git_repo, pith_home):
    for number in range(30):
        serve(
            "claude",
            json.dumps(told(git_repo, prompt=f"number {number} " * 40, prompt_id=f"q{number}")).encode(),
            time.monotonic(),
        )
    path = store_of(pith_home)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    data = bytearray(path.read_bytes())
    if where == "header":
        data[:100] = b"x" * 100
    elif where == "everything":
        data[:] = os.urandom(len(data))
    elif where == "empty":
        data[:] = b"not a database"
    else:  # every page but the first: the schema is read, what it leads to is not
        data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)
    quiet(run_hook("claude", told(git_repo)))
    assert spooled(pith_home) == [SECRET]


@pytest.mark.parametrize("name", ["store.db", "spool", "projects.json", "projects.lock", "settings.json", "log"])
def test_pain_08_a_folder_or_file_of_the_wrong_kind_anywhere_is_silent(name, run_hook, git_repo, pith_home):
    """A folder where a file belongs, a file where a folder belongs."""
    quiet(run_hook("claude", told(git_repo, prompt="first", prompt_id="p0")))
    folder = store_of(pith_home).parent
    place = (folder if name in ("store.db", "spool") else pith_home) / name
    shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
    place.write_text("x") if name in ("spool", "log") else place.mkdir()
    quiet(run_hook("claude", told(git_repo)))
    found = {path: texts(path.parent) for path in pith_home.rglob("store.db") if path.is_file()}
    stored = [text for some in found.values() for text in some]
    assert sorted(stored + spooled(pith_home)) == sorted([SECRET] + ["first"] * (name != "store.db"))


def test_pain_08_what_can_neither_be_stored_nor_spooled_is_counted(run_hook, git_repo, pith_home):
    quiet(run_hook("claude", told(git_repo, prompt="first", prompt_id="p0")))
    folder = store_of(pith_home).parent
    shutil.move(folder / "store.db", folder / "aside.db")
    (folder / "store.db").mkdir()
    (folder / "spool").write_text("in the way")
    quiet(run_hook("claude", told(git_repo)))
    assert sum(spool.losses(str(pith_home)).values()) == 1


def test_an_event_whose_project_cannot_be_registered_yet_waits_in_the_home(run_hook, git_repo, pith_home):
    (pith_home / "projects.lock").mkdir(parents=True)
    quiet(run_hook("claude", told(git_repo)))
    assert (texts(pith_home), spooled(pith_home)) == ([], [SECRET])
    (pith_home / "projects.lock").rmdir()
    quiet(run_hook("claude", told(git_repo, "Stop", last_assistant_message="an answer")))
    assert (sorted(texts(pith_home)), spooled(pith_home)) == (["an answer", SECRET], [])
    assert sum(spool.losses(str(pith_home)).values()) == 0


# What comes in -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "lost"),
    [
        (b"", 0),
        (b" \n", 0),
        (b"{", 1),
        (b"no json at all", 1),
        (b"[1, 2]", 1),
        (b"null", 1),
        (b'"text"', 1),
        (b"\xff\xfe\x00{", 1),
        (b"\x00" * 100, 1),
        (b"[" * 200_000, 1),
        (b'{"a":' * 100_000, 1),
        (b"{}", 0),
        (b'{"hook_event_name": "SomethingNew", "session_id": "s1", "prompt": "x"}', 0),
        (b'{"hook_event_name": ["UserPromptSubmit"], "prompt": "x"}', 0),
        (b"\xef\xbb\xbf{}", 0),
    ],
)
def test_pain_08_what_is_no_hook_call_is_silent_and_counted_if_it_told_something(
    data, lost, run_hook, git_repo, pith_home
):
    quiet(run_hook("claude", data, cwd=git_repo))
    assert sum(spool.losses(str(pith_home)).values()) == lost
    assert texts(pith_home) == []


def test_pain_08_fifty_megabytes_on_stdin_are_taken_in_short(run_hook, git_repo, pith_home):
    prompt = "가격을 다시 계산한다 " * 1_700_000
    data = json.dumps(told(git_repo, prompt=prompt), ensure_ascii=False)
    assert len(data.encode()) > 50_000_000
    quiet(run_hook("claude", data))
    (kept,) = texts(pith_home)
    assert len(kept.encode()) < 1_000_000
    assert kept.startswith("가격을 다시")


def test_pain_08_more_than_a_hook_reads_is_a_counted_loss(run_hook, git_repo, pith_home):
    quiet(run_hook("claude", json.dumps(told(git_repo, prompt="x" * 68_000_000))))
    assert spool.losses(str(pith_home)) == {"hook input over 64 MB": 1}


@pytest.mark.parametrize(
    "prompt",
    [
        b'"\\ud83d alone and \\u0000 and \\udc00"',
        b'"bytes \xff\xfe that are no text"',
        '"\u1112\u1161\u11ab\u1100\u1173\u11af"'.encode(),
        b'"a\\u0000b"',
    ],
)
def test_pain_35_text_that_is_no_text_is_kept_as_far_as_it_is_one(prompt, run_hook, git_repo, pith_home):
    data = json.dumps(told(git_repo, prompt="@")).encode().replace(b'"@"', prompt)
    quiet(run_hook("claude", data))
    (kept,) = texts(pith_home)
    assert kept.encode("utf-8")
    assert spooled(pith_home) == []


@pytest.mark.parametrize("missing", ["hook_event_name", "session_id", "cwd", "prompt", "prompt_id"])
def test_pain_08_a_missing_field_is_silent(missing, run_hook, git_repo, pith_home):
    payload = told(git_repo)
    del payload[missing]
    quiet(run_hook("claude", payload, cwd=git_repo))
    assert texts(pith_home) == ([] if missing in ("hook_event_name", "prompt") else [SECRET])


def test_pain_08_unknown_fields_and_events_are_no_failure(run_hook, git_repo, pith_home):
    quiet(run_hook("claude", told(git_repo, surprise={"deep": [1, 2]}, effort={"level": "high"})))
    assert texts(pith_home) == [SECRET]


@pytest.mark.parametrize("words", [[], ["cursor"], [""], ["claude", "more"], ["--help"], ["CLAUDE"]])
def test_pain_08_a_missing_or_unknown_host_is_silent(words, git_repo, pith_home):
    done = subprocess.run(
        [*program("pith-hook"), *words], input=json.dumps(told(git_repo)).encode(), capture_output=True
    )
    quiet(Run(done.returncode, done.stdout.decode(), done.stderr.decode()))
    assert texts(pith_home) == ([SECRET] if words == ["claude", "more"] else [])


@pytest.mark.skipif(os.name != "posix", reason="a shell closes the descriptors")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "</dev/null", ">/dev/full", "2>/dev/full"])
def test_pain_08_closed_or_full_descriptors_do_not_stop_capture(closed, git_repo, pith_home):
    call = json.dumps(told(git_repo, "SessionStart", source="startup"))
    line = ["sh", "-c", f'"$@" {closed}', "sh", *program("pith-hook"), "claude"]
    done = subprocess.run(line, input=call.encode(), capture_output=True)
    quiet(Run(done.returncode, done.stdout.decode(), done.stderr.decode()))
    done = subprocess.run(line, input=json.dumps(told(git_repo)).encode(), capture_output=True)
    quiet(Run(done.returncode, done.stdout.decode(), done.stderr.decode()))
    assert texts(pith_home) == ([] if "<" in closed else [SECRET])


def test_pain_08_a_reader_that_went_away_does_not_stop_capture(git_repo, pith_home):
    serve("claude", json.dumps(told(git_repo, prompt="쿠폰함은 서랍", session_id="s0")).encode(), time.monotonic())
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*program("pith-hook"), "claude"],
        input=json.dumps(told(git_repo, "SessionStart", source="startup")).encode(),
        stdout=writing,
        stderr=subprocess.PIPE,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("cwd", ["/no/such/folder", "", "relative/place", "\x00", "x" * 5000, "/dev/null", "C:\\shop"])
def test_pain_08_a_folder_that_does_not_exist_is_silent_and_its_event_kept(cwd, run_hook, git_repo, pith_home):
    quiet(run_hook("claude", told(cwd), cwd=git_repo))
    assert texts(pith_home) == [SECRET]


@pytest.mark.parametrize("field", ["session_id", "agent_id", "prompt_id", "cwd"])
def test_pain_35_half_a_character_in_a_name_is_no_failure(field, run_hook, git_repo, pith_home):
    quiet(run_hook("claude", json.dumps(told(git_repo) | {field: "/\ud800"}), cwd=git_repo))
    quiet(run_hook("claude", json.dumps(told(git_repo, "SessionStart") | {field: "/\ud800"}), cwd=git_repo))
    assert texts(pith_home) == [SECRET]
    assert not (pith_home / "log").exists()


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_pain_08_a_folder_that_cannot_be_read_is_silent_and_its_event_kept(git_repo, pith_home, tmp_path):
    locked = tmp_path / "locked"
    (locked / "inner").mkdir(parents=True)
    locked.chmod(0)
    try:
        done = subprocess.run(
            [*program("pith-hook"), "claude"], input=json.dumps(told(locked / "inner")).encode(), capture_output=True
        )
    finally:
        locked.chmod(0o700)
    quiet(Run(done.returncode, done.stdout.decode(), done.stderr.decode()))
    assert texts(pith_home) == [SECRET]


def test_pain_08_a_working_folder_that_was_removed_is_silent_and_its_event_kept(tmp_path, pith_home):
    gone = tmp_path / "gone"
    gone.mkdir()
    payload = told("")
    line = ["sh", "-c", f'cd "{gone}" && rmdir "{gone}" && exec "$@"', "sh", *program("pith-hook"), "claude"]
    done = subprocess.run(line, input=json.dumps(payload).encode(), capture_output=True)
    quiet(Run(done.returncode, done.stdout.decode(), done.stderr.decode()))
    assert texts(pith_home) == [SECRET]


# Any value in any field ----------------------------------------------------------------------------------------

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40) | st.just("\ud800\x00"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
EVENTS = (
    "SessionStart UserPromptSubmit PostToolUse PostToolUseFailure Stop SubagentStop PreCompact PostCompact SessionEnd"
).split()
FIELDS = (
    "session_id cwd prompt prompt_id turn_id agent_id tool_name tool_input tool_response tool_use_id error source reason"
    " last_assistant_message compact_summary transcript_path trigger"
).split()


@given(
    host=st.sampled_from(["claude", "codex"]),
    event=st.sampled_from(EVENTS) | VALUES,
    fields=st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=8),
)
def test_pain_08_any_value_in_any_field_is_understood_as_far_as_it_goes(host, event, fields):
    """The part that reads what hosts send raises for nothing."""
    call = Call(host, {"hook_event_name": event, **fields}, "2026-01-02T03:04:05.000Z")
    assert all(isinstance(value, str) for value in (call.event, call.session, call.agent, call.cwd, call.reason))
    assert call.seen is None or isinstance(call.seen.text, str)


@pytest.fixture(scope="module")
def fuzz_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@given(data=st.data())
def test_pain_08_a_hook_told_anything_keeps_it_or_nothing_and_never_fails(fuzz_home, data):
    """In-process, with a real store: the fields that a host fills are filled with anything."""
    fields = data.draw(st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=8))
    event = data.draw(st.sampled_from(EVENTS))
    host = data.draw(st.sampled_from(["claude", "codex"]))
    before = os.environ["PITH_HOME"]
    os.environ["PITH_HOME"] = str(fuzz_home / "pith")
    try:
        payload = {"cwd": str(fuzz_home), **fields, "hook_event_name": event}
        answer = serve(host, json.dumps(payload).encode("utf-8", "surrogatepass"), time.monotonic())
    finally:
        os.environ["PITH_HOME"] = before
    assert answer is None or set(answer) == {"hookSpecificOutput"}
    assert spooled(fuzz_home) == []
    assert not (fuzz_home / "pith" / "log").exists(), (fuzz_home / "pith" / "log" / "hook.log").read_text()


# What goes out -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["claude", "codex"])
@pytest.mark.parametrize("event", ["UserPromptSubmit", "SessionStart"])
def test_an_answer_is_one_json_object_with_the_keys_that_both_hosts_know(host, event, run_hook, git_repo):
    earlier = told(git_repo, prompt="결제 취소는 PaymentGateway.refund 로 한다", session_id="s0", turn_id="t0")
    quiet(run_hook(host, earlier))
    run = run_hook(host, told(git_repo, event, prompt="PaymentGateway.refund 결제 취소 어떻게?", source="startup"))
    assert (run.code, run.stderr) == (0, "")
    assert run.stdout.count("\n") == 1
    assert run.json.keys() == {"hookSpecificOutput"}
    assert run.json["hookSpecificOutput"].keys() == {"hookEventName", "additionalContext"}
    assert run.json["hookSpecificOutput"]["hookEventName"] == event
    assert "refund" in run.json["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("event", [event for event in EVENTS if event not in ("UserPromptSubmit", "SessionStart")])
@pytest.mark.parametrize("host", ["claude", "codex"])
def test_other_events_are_answered_with_nothing(host, event, run_hook, git_repo):
    quiet(run_hook(host, told(git_repo, event, tool_name="Bash", tool_input={"command": "ls"}, tool_response="a")))


def test_pain_35_stdout_is_utf_8_whatever_the_system_says(git_repo, run_hook):
    quiet(run_hook("claude", told(git_repo, prompt="결제 취소는 PaymentGateway.refund 로 한다", session_id="s0")))
    env = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"}
    run = run_hook("claude", told(git_repo, prompt="PaymentGateway.refund 결제 취소 어떻게?"), env=env)
    assert "결제 취소" in run.json["hookSpecificOutput"]["additionalContext"]


# The host's clock ----------------------------------------------------------------------------------------------


def test_pain_05_a_session_whose_end_never_came_is_as_complete_as_one_that_ended(run_hook, git_repo, pith_home):
    for session in ("s1", "s2"):
        quiet(run_hook("claude", told(git_repo, session_id=session, prompt=f"prompt of {session}")))
        quiet(
            run_hook("claude", told(git_repo, "Stop", session_id=session, last_assistant_message=f"answer {session}"))
        )
    quiet(run_hook("claude", told(git_repo, "SessionEnd", session_id="s2", reason="logout")))
    assert texts(pith_home) == ["prompt of s1", "answer s1", "prompt of s2", "answer s2"]


def test_pain_05_a_session_end_alone_writes_no_event(run_hook, git_repo, pith_home):
    quiet(run_hook("claude", told(git_repo, "SessionEnd", reason="logout")))
    assert (texts(pith_home), spooled(pith_home)) == ([], [])


def test_the_log_of_failures_is_bounded_and_quotes_nobody(run_hook, git_repo, pith_home):
    quiet(run_hook("claude", told(git_repo, prompt="first", prompt_id="p0")))
    store_of(pith_home).write_bytes(b"not a database" * 1000)
    log = pith_home / "log" / "hook.log"
    log.parent.mkdir()
    log.write_text("x" * 1_100_000)
    quiet(run_hook("claude", told(git_repo)))
    assert log.stat().st_size < 10_000
    assert "쿠폰함" not in log.read_text(encoding="utf-8")
    assert log.stat().st_mode & 0o777 == 0o600 or sys.platform == "win32"
