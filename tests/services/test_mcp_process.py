"""`pith mcp` as a host starts it: nothing but protocol on stdout, any line survived, and an end when nobody asks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import program
from mcp_kit import Server, said, with_process

SAMPLES = Path(__file__).parents[2] / "samples"
QUESTION = "why did the Celery autoretry not work?"
SEARCH = {"name": "mem-search", "arguments": {"question": QUESTION}}

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has neither these signals nor a parent that changes")


@pytest.fixture
def shop(pith: Callable[..., Any], git_repo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(git_repo)
    pith("import", str(SAMPLES), check=True)
    return git_repo


def _text(answer: dict[str, Any]) -> str:
    return str(answer["result"]["content"][0]["text"])


def test_the_sdks_own_client_is_served_in_both_eras(shop):
    async def work(client: Any) -> Any:
        names = [one.name for one in (await client.list_tools()).tools]
        return names, await client.call_tool("mem-search", {"question": QUESTION})

    for mode in ("legacy", "auto"):
        names, found = with_process(work, shop, mode=mode)
        assert len(names) == 10
        assert "order row lock" in said(found)


def test_tools_full_lists_more_and_a_project_can_be_named(shop, tmp_path):
    async def work(client: Any) -> Any:
        names = [one.name for one in (await client.list_tools()).tools]
        return names, await client.call_tool("mem-search", {"question": QUESTION})

    names, found = with_process(work, tmp_path, "--tools", "full", "--project", str(shop))
    assert len(names) == 19
    assert "order row lock" in said(found)


def test_what_was_asked_before_the_input_ended_is_answered(shop):
    with Server(shop) as server:
        server.begin()
        for id in range(1, 6):
            server.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": SEARCH})
        code, out, _ = server.end()
    answers = [json.loads(line) for line in out.splitlines()]
    assert {one["id"] for one in answers} == {1, 2, 3, 4, 5}
    assert code == 0


# -- Stdout --------------------------------------------------------------------------------------------------

CHATTY = """
import os, subprocess, sys
from pith.interfaces.mcp import main, memory
def chatty(asked, **given):
    print("print"); sys.stdout.flush(); os.write(1, b"write\\n"); subprocess.run(["echo", "child"])
    assert sys.stdin.read() == ""
    return memory.Told("done", {})
memory.search.function = chatty
main.serve(None, "default")
"""


@posix
def test_pain_29_every_byte_of_stdout_is_protocol_whoever_prints(tmp_path):
    with Server(tmp_path, command=[sys.executable, "-c", CHATTY]) as server:
        server.begin()
        assert _text(server.ask(1, "tools/call", **SEARCH)) == "done"
        code, out, err = server.end()
    assert (code, out) == (0, b"")
    assert err.split() == [b"print", b"write", b"child"]


def test_pain_29_nothing_is_printed_where_a_terminal_would_be_told_something(shop):
    with Server(shop, "--json") as server:
        server.begin()
        server.ask(1, "tools/list")
        code, out, err = server.end()
    assert (code, out, err) == (0, b"", b"")


# -- Lines that are no requests ------------------------------------------------------------------------------


NO_REQUESTS: list[tuple[bytes, Any, int]] = [
    (b"garbage", None, -32700),
    (b"{", None, -32700),
    (b"\xff\xfe\x00", None, -32700),
    (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":', 7, -32700),
    (b"[]", None, -32600),
    (b"null", None, -32600),
    (b'"text"', None, -32600),
    (b'{"id":7,"method":"tools/list"}', 7, -32600),
    (b'{"jsonrpc":"1.0","id":"seven","method":"tools/list"}', "seven", -32600),
    (b'{"jsonrpc":"2.0","id":[7],"method":"tools/list"}', None, -32600),
    (b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}', None, -32600),
    (b'{"jsonrpc":"2.0","id":7.5,"method":"tools/list"}', None, -32600),
    (b'{"jsonrpc":"2.0","id":7,"method":"no/such"}', 7, -32601),
    (b'{"jsonrpc":"2.0","id":7,"method":"tools/call"}', 7, -32602),
    (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5}}', 7, -32602),
    (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"mem-stats","arguments":[]}}', 7, -32602),
    (b"[" * 100_000, None, -32700),
    (b'{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"x":"' + b"y" * 4_000_000 + b'"}}', 7, -32600),
    (b'{"method":"tools/list","params":{"x":"' + b"y" * 9_000_000 + b'"},"jsonrpc":"2.0","id":7}', 7, -32600),
    (b"y" * 9_000_000, None, -32600),
]


def test_a_line_that_is_no_request_is_answered_and_the_next_one_is_read(shop):
    with Server(shop) as server:
        server.begin()
        for line, id, code in NO_REQUESTS:
            server.send(line)
            answer = server.answer()
            assert (answer["id"], answer["error"]["code"]) == (id, code), line[:80]
            assert server.ask(8, "ping")["id"] == 8
        assert "order row lock" in _text(server.ask(9, "tools/call", **SEARCH))


HALVES = (r"\ud800", r"a\u0000b", r"\ud83d\ude00 \udc00", "\u2028", r"\\ud800")


def test_halves_of_characters_and_nul_are_read_as_far_as_they_make_sense(shop):
    line = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mem-search","arguments":{"question":"%s"}}}'
    with Server(shop) as server:
        server.begin()
        for text in HALVES:
            server.send((line % f"{text} Celery autoretry").encode())
            assert "order row lock" in _text(server.answer()), text


def test_empty_lines_stray_answers_and_notifications_are_let_be(shop):
    with Server(shop) as server:
        server.begin()
        for line in (b"", b"   ", b'{"jsonrpc":"2.0","id":99,"result":{}}', b'{"jsonrpc":"2.0","method":"no/such"}'):
            server.send(line)
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 12345}})
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled"})
        assert server.ask(1, "ping") == {"jsonrpc": "2.0", "id": 1, "result": {}}


STRAY: tuple[dict[str, Any], ...] = (
    {"method": "notifications/cancelled", "params": {"requestId": [1]}},
    {"method": "notifications/cancelled", "params": {"requestId": {"a": 1}}},
    {"method": "notifications/cancelled", "params": {}},
    {"method": "notifications/cancelled"},
    {"id": 77, "error": {"code": 1, "message": "m"}},
    {"id": None, "error": {"code": 1, "message": "m"}},
)


@pytest.mark.parametrize("stray", STRAY, ids=str)
def test_a_stray_message_ends_nothing_and_is_not_sent_back(shop, stray):
    with Server(shop) as server:
        server.begin()
        server.send({"jsonrpc": "2.0", **stray})
        assert server.ask(1, "ping") == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_client_that_cannot_say_its_roots_is_answered_all_the_same(shop):
    with Server(shop) as server:
        server.begin(roots={})
        asked = server.ask(1, "tools/call", **SEARCH)
        assert asked["method"] == "roots/list"
        server.send({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}})
        assert "order row lock" in _text(server.answer())


@posix
def test_a_client_that_asks_and_never_reads_is_read_no_further_for_a_while(shop):
    """A full pipe stops the client and not the machine: what waits to be written is bounded."""
    ping = b'{"jsonrpc":"2.0","id":%d,"method":"tools/list"}\n'
    with Server(shop) as server:
        server.begin()
        pipe = server.process.stdin.fileno()
        os.set_blocking(pipe, False)
        sent, quiet = 0, 0
        while quiet < 20:
            try:
                os.write(pipe, ping % sent)  # shorter than what a pipe takes in one piece
                sent, quiet = sent + 1, 0
            except BlockingIOError:
                quiet += 1
                time.sleep(0.05)
            assert sent < 8_000
        os.set_blocking(pipe, True)
        assert {server.answer()["id"] for _ in range(sent)} == set(range(sent))


# -- The end -------------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_pain_30_a_signal_ends_it_at_once_even_in_the_middle_of_a_call(shop, name):
    with Server(shop) as server:
        server.begin()
        server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": SEARCH})
        server.process.send_signal(getattr(signal, name))
        assert server.process.wait(30) == -getattr(signal, name)


@posix
@pytest.mark.parametrize("heard", [True, False])
def test_pain_30_it_ends_with_its_input_whether_it_was_spoken_to_or_not(shop, heard):
    with Server(shop) as server:
        if heard:
            server.begin()
        code, out, err = server.end()
    assert (code, out, err) == (0, b"", b"")


HOST = """
import os, subprocess, sys, time
keeps, to = os.pipe()
servers = [subprocess.Popen(sys.argv[2:], stdin=keeps, stdout=subprocess.PIPE) for _ in range(int(sys.argv[1]))]
# The other end of the pipe outlives us, as it does when a host's sibling has inherited it.
holder = subprocess.Popen(["sleep", "120"], pass_fds=[to], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
print(holder.pid, *[one.pid for one in servers], flush=True)
time.sleep(120)
"""


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


def _killed_hosts_leave(count: int, folder: Path) -> list[int]:
    """Start a host with so many servers, kill it, and say which of them are left after a while."""
    command = [sys.executable, "-c", HOST, str(count), *program("pith"), "mcp"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE) as host:
        assert host.stdout
        holder, *servers = map(int, host.stdout.readline().split())
        time.sleep(1.5)
        host.kill()
    try:
        for _ in range(300):
            left = [pid for pid in servers if _is_there(pid)]
            if not left:
                break
            time.sleep(0.1)
        return left
    finally:
        os.kill(holder, signal.SIGKILL)


@posix
def test_pain_30_it_ends_with_its_parent_though_its_input_stays_open(shop):
    assert _killed_hosts_leave(2, shop) == []


@posix
@pytest.mark.long
def test_pain_01_pain_30_fifty_killed_sessions_leave_no_process(shop):
    assert [left for _ in range(5) for left in _killed_hosts_leave(10, shop)] == []


# -- What is missing -----------------------------------------------------------------------------------------


def test_without_the_sdk_it_says_in_one_sentence_how_to_install_it(tmp_path):
    code = "import sys; sys.modules['mcp'] = None; from pith.interfaces.cli.main import main; sys.exit(main(['mcp']))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == (
        'The MCP server needs mcp, which this installation lacks.\nInstall it with `pip install "pith-memory[mcp]"`.\n'
    )


@posix
def test_a_server_whose_folder_is_gone_says_so_and_stays(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    with Server(gone) as server:
        server.begin()
        gone.rmdir()
        assert "gone" in _text(server.ask(1, "tools/call", **SEARCH))
    gone.mkdir()
    code = f"import os; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r}); from pith.interfaces.mcp import main; "
    with Server(tmp_path, command=[sys.executable, "-c", code + "main.serve(None, 'default')"]) as server:
        server.begin()
        assert "does not exist any more" in _text(server.ask(1, "tools/call", **SEARCH))


def test_a_project_that_is_no_folder_is_told_before_anything_is_served(tmp_path, run_pith):
    run = run_pith("mcp", "--project", "nowhere", cwd=tmp_path)
    assert run.code == 1
    assert run.stdout == ""
    assert "`--project nowhere` is no folder." in run.stderr


def test_pain_36_a_hundred_calls_leave_its_memory_as_it_was(shop):
    if not Path("/proc/self/status").exists():
        pytest.skip("only Linux says how much a process takes")
    with Server(shop) as server:
        server.begin()
        for id in range(1, 30):
            server.ask(id, "tools/call", **SEARCH)
        before = _resident(server.process.pid)
        for id in range(30, 130):
            server.ask(id, "tools/call", **SEARCH)
        assert _resident(server.process.pid) < before + 8_000


def _resident(pid: int) -> int:
    """Kilobytes of memory that a process takes."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])


@posix
def test_pain_20_it_watches_no_file_and_runs_no_thread_but_those_that_answer(shop):
    with Server(shop) as server:
        server.begin()
        server.ask(1, "tools/list")
        threads = list(Path(f"/proc/{server.process.pid}/task").iterdir()) if Path("/proc/self/task").exists() else []
        assert len(threads) <= 4  # the loop, the reader, the writer, the one that looks for the parent
        links = Path(f"/proc/{server.process.pid}/fd").iterdir() if threads else ()
        assert not [link for link in links if "inotify" in os.readlink(link)]
