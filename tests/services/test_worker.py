"""`pith work`: does what waits, one for each store, ends when told or idle, and is started by hooks when it is due."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import git, program
from pith import platform
from pith.adapters.own_process import Ending
from pith.domain.events import HOOK, PROMPT, Sighting
from pith.errors import StoreUnavailable
from pith.services import spool
from pith.services.knowledge import extract
from pith.services.work import chores, record, start, worker
from pith.services.work.chore import Chore
from pith.services.work.chores import CHORES
from pith.services.work.record import IDLE, MEMORY, ONCE, TIME
from pith.services.workspace import Workspace, open_workspace
from pith.store import due, ladder, meta, search
from pith.store.database import Transaction
from work_kit import AUTO, call, hook, running, say, store_of, wait_for

posix_only = pytest.mark.skipif(os.name != "posix", reason="signals and /proc")


@pytest.fixture
def shop(git_repo: Path) -> Path:
    """A repository in which things were said that nobody has drawn anything from."""
    say(git_repo, 5)
    return git_repo


@pytest.fixture
def ws(shop: Path) -> Iterator[Workspace]:
    with open_workspace(str(shop)) as opened:
        yield opened


def work(ws: Workspace, until: str = IDLE, listed: tuple[Chore, ...] = CHORES, **limits: float) -> worker.Report:
    """Work in this process."""
    return worker.work(ws, until, worker.Going(Ending(), **limits), chores=listed)


def watching(cwd: Path, *words: str) -> subprocess.Popen[bytes]:
    """A worker as a real process, that has the lock."""
    store = store_of(cwd)
    (store / start.STATE).unlink(missing_ok=True)
    process = subprocess.Popen(
        [*program("pith"), "work", "--watch", *words], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    begun = store / start.STATE
    wait_for(lambda: begun.exists() or process.poll() is not None, "it has the lock and says so")
    assert process.poll() is None, process.communicate()
    return process


def last(folder: str | Path) -> record.Record:
    """What the last worker of a store wrote about itself."""
    found = record.read(str(folder))
    assert found is not None
    return found


def has_ended(folder: str) -> bool:
    found = record.read(folder)
    return found is not None and found.ended != ""


# -- What it does --------------------------------------------------------------------------------------------


def test_M17_it_draws_what_was_said_and_ends_when_nothing_is_left(shop, run_pith, ws):
    data = run_pith("work", "--json", cwd=shop, check=True).json["data"]
    assert (data["why"], data["failed"]) == ("idle", {})
    did = {each["chore"]: each["said"] for each in data["did"]}
    assert did["knowledge"].startswith("5 events read, ")
    assert not extract.is_behind(ws.db)
    text = run_pith("work", "--until-idle", cwd=shop, check=True).stdout
    assert text == "Nothing is left to do.\n"


def test_M17_once_goes_through_the_chores_once(ws):
    seen: list[str] = []
    listed = tuple(
        Chore(name, lambda _ws, _now: True, lambda _ws, _go_on, name=name: seen.append(name) or "did it")
        for name in ("first", "second")
    )
    report = work(ws, ONCE, listed)
    assert (seen, report.why, report.passes) == (["first", "second"], ONCE, 1)


def test_pain_04_what_hooks_spooled_is_brought_in(shop, ws):
    spool.put(
        ws.folder, [Sighting(PROMPT, "s1", "the lighthouse", "2026-05-02T09:00:00.000Z", host="claude", channel=HOOK)]
    )
    spool.put(
        ws.home,
        [Sighting(PROMPT, "s1", "a light", "2026-05-02T09:01:00.000Z", host="claude", channel=HOOK)],
        cwd=str(shop),
    )
    assert "2 spooled files brought in" in dict(work(ws).did)["spool"]
    assert spool.waiting(ws.folder) == spool.waiting(ws.home) == []
    assert not extract.is_behind(ws.db)


def test_full_text_is_merged_after_many_events_and_finds_the_same(shop, ws, monkeypatch):
    monkeypatch.setattr(chores, "NEW", 40)
    say(shop, 40, begin=100)
    before = search.frequency(ws.db, "coupon")
    assert "merged" in dict(work(ws).did)["full-text"]
    assert search.frequency(ws.db, "coupon") == before > 40
    assert meta.get(ws.db, "work.merged")
    assert work(ws).did == []


def test_drafts_that_killed_writers_left_are_removed_when_they_are_old(ws):
    for name, age in ((".work.json.1-a.draft", 7200), (".work.json.2-b.draft", 10)):
        path = Path(ws.folder, name)
        path.write_text("{")
        os.utime(path, (time.time() - age,) * 2)
    work(ws)
    assert sorted(path.name for path in Path(ws.folder).glob(".*.draft")) == [".work.json.2-b.draft"]


def test_no_transaction_of_a_worker_writes_more_than_a_few_hundred_rows(shop, ws, monkeypatch):
    """How long one takes depends on the machine; how much it writes does not."""
    monkeypatch.setattr(chores, "NEW", 60)
    say(shop, 60, begin=100)
    written: list[int] = []
    begin, end = Transaction.__enter__, Transaction.__exit__
    at: list[int] = []

    def enter(self):
        at.append(self.db.connection.total_changes)
        return begin(self)

    def leave(self, *how):
        end(self, *how)
        written.append(self.db.connection.total_changes - at.pop())

    monkeypatch.setattr(Transaction, "__enter__", enter)
    monkeypatch.setattr(Transaction, "__exit__", leave)
    report = work(ws)
    assert {"knowledge", "full-text"} <= {chore for chore, _ in report.did}
    assert len(written) > 60
    assert max(written) <= 200


def test_what_was_stated_again_is_looked_up_and_not_compared_with_everything(ws):
    work(ws)
    plan = [row["detail"] for row in ws.db.execute(f"EXPLAIN QUERY PLAN {ladder.RESTATED}")]
    assert not [step for step in plan if step.startswith("SCAN") or "idx_edges_rel" in step]


def test_short_calls_read_on_where_the_last_one_stood(shop, ws):
    """A window of events that takes longer than one call may last would else be begun for ever."""
    for _ in range(6):
        left = iter([True, False])
        extract.extract(ws.db, ws.project.id, go_on=lambda left=left: next(left))
    assert not extract.is_behind(ws.db)


def test_pain_11_no_worker_touches_the_work_tree(shop, run_pith):
    before = {path: path.stat().st_mtime_ns for path in shop.rglob("*")}
    run_pith("work", cwd=shop, check=True)
    assert {path: path.stat().st_mtime_ns for path in shop.rglob("*")} == before
    assert git(shop, "status", "--porcelain") == ""


def test_where_nothing_was_stored_it_says_so_and_makes_nothing(git_repo, pith_home, run_pith):
    done = run_pith("work", cwd=git_repo)
    assert (done.code, pith_home.exists()) == (1, False)
    assert "pith init" in done.stderr


def test_two_ways_to_end_exclude_each_other(shop, pith):
    assert "exclude each other" in pith("work", "--once", "--watch", cwd=shop).stderr
    assert "1 or more" in pith("work", "--minutes", "0", cwd=shop).stderr


# -- A chore that fails --------------------------------------------------------------------------------------


def failing(name: str, error: Exception, tries: list[int]) -> Chore:
    def run(ws, go_on):
        tries.append(1)
        raise error

    return Chore(name, lambda _ws, _now: True, run)


def test_M17_a_chore_that_fails_is_noted_and_stops_neither_the_others_nor_its_next_time(ws):
    tries: list[int] = []
    listed = (failing("broken", StoreUnavailable("The disk is full."), tries), *CHORES)
    report = work(ws, IDLE, listed)
    assert report.failed == {"broken": "The disk is full."}
    assert "knowledge" in dict(report.did)
    assert len(tries) == report.passes == 2
    work(ws, ONCE, listed)
    assert last(ws.folder).failures["broken"].times == len(tries) == 3
    assert Path(ws.folder, "work.log").read_text().count("broken: The disk is full.") == 3
    work(ws, ONCE, (Chore("broken", lambda _ws, _now: False, lambda _ws, _go_on: None),))
    assert last(ws.folder).failures == {}


def test_an_error_of_others_is_named_but_not_quoted(ws):
    work(ws, ONCE, (failing("broken", ValueError("the customer said swordfish"), []),))
    log = Path(ws.folder, "work.log").read_text() + Path(ws.folder, "work.json").read_text()
    assert "ValueError in test_worker.py" in log
    assert "swordfish" not in log


def test_pain_04_the_log_of_failures_does_not_grow_for_ever(ws):
    for _ in range(3):
        Path(ws.folder, "work.log").write_bytes(b"x" * (record.LOG_LIMIT + 1))
        record.log(ws.folder, "again")
    assert sum(path.stat().st_size for path in Path(ws.folder).glob("work.log*")) < 2.1 * record.LOG_LIMIT


def test_a_broken_transaction_of_one_chore_is_none_of_the_next_ones(ws):
    def leave_open(ws, go_on):
        ws.db.execute("BEGIN IMMEDIATE")
        raise ValueError

    report = work(ws, ONCE, (Chore("broken", lambda _ws, _now: True, leave_open), *CHORES))
    assert (set(report.failed), not extract.is_behind(ws.db)) == ({"broken"}, True)


def test_a_store_that_another_file_replaced_is_opened_anew(ws, tmp_path):
    db = ws.db
    work(ws, ONCE)
    path = Path(ws.folder, "store.db")
    copy = tmp_path / "copy.db"
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    copy.write_bytes(path.read_bytes())

    def swap(ws, go_on):
        os.replace(copy, path)

    inodes: list[int] = []
    see = Chore("see", lambda _ws, _now: True, lambda ws, _go_on: inodes.append(id(ws.db)))
    work(ws, ONCE, (see, Chore("swap", lambda _ws, _now: True, swap), see))
    assert inodes[0] != inodes[1]


# -- Limits --------------------------------------------------------------------------------------------------


def test_what_is_left_when_its_time_is_over_is_for_the_next_one(ws):
    assert work(ws, IDLE, seconds=-1.0).why == TIME
    assert extract.is_behind(ws.db)
    assert work(ws).why == IDLE
    assert not extract.is_behind(ws.db)


def test_pain_36_one_that_grows_beyond_its_limit_leaves_and_is_not_started_again_at_once(shop, ws):
    start.start(ws.folder, ["/nowhere"])
    assert work(ws, IDLE, megabytes=1.0).why == MEMORY
    assert start.back_off(ws.folder, time.time()) > 0
    assert work(ws, IDLE, megabytes=10_000.0).why == IDLE
    assert start.back_off(ws.folder, time.time()) == 0


@posix_only
def test_it_gives_way_to_everything_else_and_uses_one_core():
    code = """
import os
from pith.adapters import own_process
for _ in range(2):
    own_process.be_modest()
cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
print(os.nice(0), cores, os.environ["OMP_NUM_THREADS"], os.environ["OPENBLAS_NUM_THREADS"], own_process.megabytes() > 1)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    niceness, rest = done.stdout.split(maxsplit=1)
    assert int(niceness) >= 10
    assert rest.split() == ["1", "1", "1", "True"]


# -- One at a time, and how it ends --------------------------------------------------------------------------


@posix_only
def test_V05_a_second_worker_says_that_another_is_at_work_and_leaves(shop, run_pith):
    first = watching(shop)
    second = run_pith("work", cwd=shop)
    assert (second.code, second.stdout) == (0, "Another worker is at work in this project; nothing to do here.\n")
    assert run_pith("work", "--json", cwd=shop).json["data"]["is_busy"] is True
    first.send_signal(signal.SIGTERM)
    assert first.wait(timeout=60) == 0
    assert run_pith("work", "--json", cwd=shop).json["data"]["is_busy"] is False


@posix_only
def test_V05_a_killed_worker_keeps_no_lock(shop, run_pith):
    first = watching(shop)
    first.kill()
    first.wait()
    assert last(store_of(shop)).ended == ""
    assert run_pith("work", "--json", cwd=shop).json["data"]["why"] == "idle"
    assert last(store_of(shop)).why == "idle"


def test_V05_a_lock_file_that_was_left_behind_means_nothing(shop, run_pith):
    (store_of(shop) / "work.lock").write_text("4711")
    assert run_pith("work", "--json", cwd=shop).json["data"]["is_busy"] is False


@posix_only
def test_M17_a_watching_worker_sees_what_is_new(shop, ws):
    process = watching(shop)
    wait_for(lambda: not extract.is_behind(ws.db), "it draws what was there")
    say(shop, 1, begin=50)
    wait_for(lambda: not extract.is_behind(ws.db), "it draws what came")
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 0


@posix_only
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_M17_one_that_is_told_to_ends_cleanly(name, shop):
    process = watching(shop)
    process.send_signal(getattr(signal, name))
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert out.decode().splitlines()[-1] == "Stopped."
    assert last(store_of(shop)).why == "stopped"


@posix_only
def test_a_watching_worker_that_ignores_hanging_up_stays(shop):
    process = subprocess.Popen(["nohup", *program("pith"), "work", "--watch"], cwd=shop, stdout=-1, stderr=-1)
    wait_for(lambda: not start.is_free(str(store_of(shop))), "it takes the lock")
    process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 0


LONG = """
import hashlib, sys
from pith.adapters.own_process import Ending
from pith.services.work import worker
from pith.services.work.chore import Chore
from pith.services.workspace import open_workspace

def compute(ws, go_on):
    print("begun", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)  # half an hour, in which no Python runs

with open_workspace() as ws, Ending(at_last=lambda: print("told", flush=True)) as ending:
    chores = (Chore("long", lambda ws, now: True, compute),)
    worker.work(ws, "watch", worker.Going(ending), chores=chores)
print("never")
"""


@posix_only
def test_M17_one_that_is_in_the_middle_of_a_long_computation_ends_all_the_same(shop):
    assert Ending()._patience < 2
    process = subprocess.Popen([sys.executable, "-c", LONG], cwd=shop, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n"
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 0
    assert process.stdout.read() == b"told\n", "whoever stopped it is told, and nothing after that is done"
    assert last(store_of(shop)).why == "stopped"


@posix_only
def test_a_store_that_is_taken_away_is_not_made_again(shop, pith_home):
    process = watching(shop)
    store = store_of(shop)
    store.rename(pith_home / "away")
    assert process.wait(timeout=60) == 0
    assert not store.exists()


# -- Started by a hook ---------------------------------------------------------------------------------------


def due_after(event: str, cwd: Path) -> bool:
    with open_workspace(str(cwd)) as ws:
        return bool(start.after_hook(ws))


@pytest.fixture
def auto(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(*next(iter(AUTO.items())))


@posix_only
@pytest.mark.parametrize("event", ["Stop", "SessionEnd", "PreCompact"])
def test_a_hook_starts_a_worker_that_does_its_work_and_is_gone(event, shop, pith_home, ws):
    hook(shop, event, last_assistant_message="We decided to keep it.")
    wait_for(lambda: has_ended(ws.folder), "a worker ends")
    wait_for(lambda: not running(pith_home), "nothing is left running")
    assert not extract.is_behind(ws.db)
    assert not os.path.exists(os.path.join(ws.folder, start.ASKED))


@posix_only
@pytest.mark.parametrize("event", ["UserPromptSubmit", "PostToolUse", "SessionStart", "SubagentStop"])
def test_no_other_hook_starts_one(event, shop, ws):
    with open_workspace(str(shop)):
        subprocess.run(
            [*program("pith-hook"), "claude"], input=call(shop, event), env={**os.environ, **AUTO}, check=True
        )
    assert not os.path.exists(os.path.join(ws.folder, start.ASKED))


def test_a_few_events_wait_for_more_or_for_an_hour(shop, auto, pith):
    assert due_after("Stop", shop)  # none ever ran
    pith("work", cwd=shop, check=True)
    assert not due_after("Stop", shop)
    say(shop, 3, begin=10)
    assert not due_after("Stop", shop)
    state = store_of(shop) / start.STATE
    os.utime(state, (time.time() - start.PATIENCE - 5,) * 2)
    assert due_after("Stop", shop)
    state.touch()
    say(shop, start.MANY, begin=20)
    assert due_after("Stop", shop)


def test_pain_06_a_spooled_file_is_due_at_once(shop, auto, pith, ws):
    pith("work", cwd=shop, check=True)
    spool.put(ws.folder, [Sighting(PROMPT, "s1", "x", "2026-05-02T09:00:00.000Z", host="claude", channel=HOOK)])
    assert due_after("Stop", shop)


def test_new_events_are_seen_behind_any_number_of_changes(shop, ws):
    say(shop, 40, begin=100)
    work(ws)
    assert due.unread(ws.db) == 0
    say(shop, 2, begin=200)
    assert due.unread(ws.db) == 2


def test_never_paused_or_from_a_repository_none_is_started(shop, auto, pith, monkeypatch):
    assert due_after("Stop", shop)
    pith("pause", cwd=shop, check=True)
    assert not due_after("Stop", shop)
    pith("resume", cwd=shop, check=True)
    monkeypatch.delenv("PITH_WORKER_START")
    pith("config", "set", "worker.start", "never", cwd=shop, check=True)
    (shop / ".orange-hyper").mkdir()
    (shop / ".orange-hyper" / "config.json").write_text(json.dumps({"pith": {"worker.start": "auto"}}))
    assert not due_after("Stop", shop)


@posix_only
def test_none_is_started_for_an_excluded_project(shop, pith, ws):
    pith("config", "set", "capture.exclude.projects", str(shop), check=True)
    hook(shop, "Stop", last_assistant_message="x")
    assert not os.path.exists(os.path.join(ws.folder, start.ASKED))


def test_while_one_works_none_is_started(shop, auto, ws):
    lock = platform.try_lock(os.path.join(ws.folder, start.LOCK))
    assert lock
    assert not due_after("Stop", shop)
    lock.release()
    assert due_after("Stop", shop)


def test_pain_01_after_a_worker_that_died_none_is_started_for_longer_and_longer(shop, auto, ws):
    asked = Path(ws.folder, start.ASKED)
    waits = []
    for _ in range(6):
        start.start(ws.folder, ["/nowhere"])
        assert not due_after("Stop", shop)
        waits.append(round(start.back_off(ws.folder, asked.stat().st_mtime)))
    assert waits == [300, 600, 1200, 2400, 3600, 3600]
    os.utime(asked, (time.time() - 3605,) * 2)
    assert due_after("Stop", shop)
    os.utime(asked, (time.time() + 100_000,) * 2)  # by a clock that was set back since
    assert due_after("Stop", shop)


def test_after_a_failing_chore_the_next_start_waits_too(shop, auto, ws):
    start.start(ws.folder, ["/nowhere"])
    work(ws, IDLE, (failing("broken", ValueError(), []),))
    assert not due_after("Stop", shop)
    work(ws)
    say(shop, start.MANY, begin=20)
    assert due_after("Stop", shop)


@posix_only
def test_a_repository_lends_the_worker_no_code(shop, ws):
    for name in ("pith.py", "json.py", "sqlite3.py", "sitecustomize.py"):
        (shop / name).write_text("import os; open(os.path.join(os.path.dirname(__file__), 'ran'), 'w')")
    hook(shop, "Stop", env={"PYTHONPATH": ""}, last_assistant_message="x")
    wait_for(lambda: has_ended(ws.folder), "a worker ends")
    with open_workspace(str(shop)) as opened:
        words = start.command(opened)
    subprocess.run(words, cwd=shop, env={**os.environ, "PYTHONPATH": str(shop)}, check=True, capture_output=True)
    assert not (shop / "ran").exists()


@posix_only
def test_the_folder_may_go_while_a_worker_runs(shop, tmp_path):
    process = watching(shop)
    assert os.readlink(f"/proc/{process.pid}/cwd") == "/"
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 0
