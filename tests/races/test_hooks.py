"""Many hooks at once, as real processes: all begin, none is lost, none is doubled, whatever else goes on."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import program
from pith.services import spool
from pith.services.workspace import open_workspace
from sessions import Answer, Claude, Clock, Prompt, bring_in, kept, written


def payload(cwd: Path, number: int, event: str = "UserPromptSubmit") -> bytes:
    words = {"prompt": f"쿠폰함 {number}번 확인", "prompt_id": f"p{number}"}
    return json.dumps({"hook_event_name": event, "session_id": f"s{number % 7}", "cwd": str(cwd), **words}).encode()


def hook(cwd: Path, number: int) -> None:
    done = subprocess.run([*program("pith-hook"), "claude"], input=payload(cwd, number), capture_output=True)
    assert (done.returncode, done.stderr) == (0, b""), number


def hooks(cwd: Path, numbers: Iterable[int], at_once: int = 16) -> None:
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(lambda number: hook(cwd, number), numbers))


def texts(cwd: Path) -> list[str]:
    return sorted(text for (_, _, _, text) in kept(cwd).elements())


def drained(cwd: Path) -> None:
    with open_workspace(str(cwd)) as workspace:
        spool.drain(workspace)
        assert spool.waiting(workspace.folder) == []
        assert spool.losses(workspace.home) == {}
        assert workspace.db.execute("PRAGMA quick_check")[0][0] == "ok"


def test_six_first_starts_at_once_all_succeed(git_repo, pith_home):
    """Each process has started and waits for its input: what meets is the work, not the interpreters."""
    line = [*program("pith-hook"), "claude"]
    processes = [
        subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(6)
    ]
    time.sleep(0.3)
    for number, process in enumerate(processes):
        process.stdin.write(payload(git_repo, number))
    for process in processes:
        process.stdin.close()
        process.stdin = None
    for process in processes:
        assert (*process.communicate(), process.returncode) == (b"", b"", 0)
    drained(git_repo)
    assert texts(git_repo) == sorted(f"쿠폰함 {number}번 확인" for number in range(6))
    assert len(list(pith_home.rglob("store.db"))) == 1
    assert not list(pith_home.rglob("*.draft"))


class Writer(threading.Thread):
    """Somebody who holds the store's write lock, lets go, and takes it again."""

    def __init__(self, path: Path, held: float, free: float) -> None:
        super().__init__()
        self.path, self.held, self.free = path, held, free
        self.stop = threading.Event()

    def run(self) -> None:
        connection = sqlite3.connect(self.path, isolation_level=None, timeout=5)
        while not self.stop.is_set():
            connection.execute("BEGIN IMMEDIATE")
            self.stop.wait(self.held)
            connection.execute("COMMIT")
            self.stop.wait(self.free)
        connection.close()


@pytest.mark.parametrize("count", [200])
def test_hooks_at_once_lose_nothing_and_double_nothing(count, git_repo):
    hooks(git_repo, range(count))
    drained(git_repo)
    assert texts(git_repo) == sorted(f"쿠폰함 {number}번 확인" for number in range(count))


@pytest.mark.parametrize("count", [48, pytest.param(200, marks=pytest.mark.long)])
def test_hooks_beside_a_writer_that_holds_the_store_lose_nothing_and_double_nothing(count, git_repo, pith_home):
    hook(git_repo, 0)
    (path,) = pith_home.rglob("store.db")
    writer = Writer(path, held=0.4, free=0.2)
    writer.start()
    try:
        hooks(git_repo, range(1, count))
    finally:
        writer.stop.set()
        writer.join()
    drained(git_repo)
    assert texts(git_repo) == sorted(f"쿠폰함 {number}번 확인" for number in range(count))


def test_pain_09_hooks_whose_store_is_locked_all_along_end_and_are_drained_by_the_next(git_repo, pith_home):
    hook(git_repo, 0)
    (path,) = pith_home.rglob("store.db")
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    hooks(git_repo, range(1, 9))
    assert len(list(pith_home.rglob("spool/*.json"))) == 8
    connection.execute("ROLLBACK")
    connection.close()
    hook(git_repo, 9)
    assert texts(git_repo) == sorted(f"쿠폰함 {number}번 확인" for number in range(10))
    drained(git_repo)


WRITE = """
import sys
from pith import platform
from pith.domain.events import HOOK, PROMPT, Sighting
from pith.services import capture
from pith.services.workspace import open_workspace
sys.stdin.readline()  # all begin together
name, count = sys.argv[2], int(sys.argv[3])
with open_workspace(sys.argv[1]) as workspace:
    for number in range(count):
        seen = Sighting(PROMPT, name, f"{name} writes {number}", platform.now(), host="claude", channel=HOOK)
        assert capture.keep(workspace.db, capture.prepare(seen, workspace.settings))
"""


@pytest.mark.parametrize("count", [15, pytest.param(500, marks=pytest.mark.long)])
def test_pain_18_twenty_processes_that_write_at_once_meet_no_error(count, git_repo):
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WRITE, str(git_repo), f"w{number}", str(count)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(20)
    ]
    for process in processes:
        process.stdin.write(b"go\n")
        process.stdin.flush()
    assert [(process.communicate()[1], process.returncode) for process in processes] == [(b"", 0)] * 20
    assert len(texts(git_repo)) == 20 * count
    drained(git_repo)


IMPORT = """
import sys
from pathlib import Path
from pith.services.history import import_history
from pith.services.workspace import open_workspace
with open_workspace(sys.argv[1]) as workspace:
    report = import_history.import_files(workspace.db, [Path(sys.argv[2])], workspace.settings)
    assert not report.errors, report.errors
"""


def test_hooks_during_an_import_lose_nothing_and_both_find_the_same_events(git_repo, tmp_path):
    """The hooks' own session is in the file too: whoever comes second finds it there."""
    host = Claude("s1", git_repo, tmp_path)
    steps = []
    for number in range(1500):
        steps += [Prompt(f"쿠폰함 {number}번 확인", f"p{number}"), Answer(f"{number}번은 서랍에 있습니다. " * 8)]
    written(host.path, host.records(steps, Clock()))
    importing = subprocess.Popen([sys.executable, "-c", IMPORT, str(git_repo), str(host.path)], stderr=subprocess.PIPE)
    mine = [number for number in range(0, 420, 7) if number % 7 == 0]
    seen = [json.loads(payload(git_repo, number)) | {"session_id": "s1"} for number in mine]
    line = [*program("pith-hook"), "claude"]
    with ThreadPoolExecutor(8) as pool:
        ended = list(pool.map(lambda call: subprocess.run(line, input=json.dumps(call).encode()).returncode, seen))
    assert ended == [0] * len(seen)
    assert (importing.communicate()[1], importing.returncode) == (b"", 0)
    drained(git_repo)
    found = kept(git_repo)
    assert set(found.values()) == {1}
    assert len(found) == len(steps)
    bring_in(git_repo, host.path)
    assert kept(git_repo) == found


@pytest.mark.parametrize("count", [40, pytest.param(300, marks=pytest.mark.long)])
def test_hooks_killed_at_random_leave_a_whole_store_and_every_event_of_those_that_ended(count, git_repo, pith_home):
    chance = random.Random(7)
    line = [*program("pith-hook"), "claude"]
    ended: list[int] = []

    def one(number: int) -> None:
        process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        process.stdin.write(payload(git_repo, number))
        process.stdin.close()
        if number % 2:
            time.sleep(chance.random() * 0.15)
            process.kill()
        if process.wait() == 0:
            ended.append(number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(count)))
    hook(git_repo, count)
    drained(git_repo)
    found = texts(git_repo)
    assert len(found) == len(set(found))
    assert {f"쿠폰함 {number}번 확인" for number in [*ended, count]} <= set(found)
    (path,) = pith_home.rglob("store.db")
    connection = sqlite3.connect(path)
    for table in ("event_bodies", "citations"):
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (len(found),)
    connection.close()
