"""A visible policy: age forgets when a person has set it, size only warns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pith import platform
from pith.domain.events import Sighting
from pith.services import capture
from pith.services.keeping import burial, keep_days, retention
from pith.services.setup import config_edit
from pith.services.workspace import Workspace, open_workspace
from pith.store import database, search, usage
from pith.store import events as stored

DAY = 86_400_000
NOW = 1_780_000_000_000
OLD, NEW = "오래된 결정 zorbleflux", "the newer decision"


@pytest.fixture
def opened(git_repo: Path) -> Any:
    """`opened(keepDays=30)`: the workspace under those settings, with an old and a new event."""
    made: list[Workspace] = []

    def opened(**settings: int) -> Workspace:
        with open_workspace(str(git_repo)) as ws:
            home = ws.home
            put(ws, OLD, 40)
            put(ws, NEW, 20)
        for name, value in settings.items():
            config_edit.set_value(home, None, f"capture.{name}", str(value))
        made.append(open_workspace(str(git_repo)))
        return made[-1]

    yield opened
    for ws in made:
        ws.close()


def put(ws: Workspace, text: str, days: float) -> None:
    at = platform.stamp(NOW - int(days * DAY))
    capture.keep(ws.db, Sighting("prompt", "s-1", text, at, host="claude", channel="hook", turn=text))


def texts(ws: Workspace) -> set[str]:
    return {row["text"] for row in stored.newest(ws.db, 10_000)}


def test_without_the_setting_nothing_is_ever_forgotten(opened):
    ws = opened()
    assert retention.due(ws, NOW + 100_000 * DAY) == 0
    assert retention.apply(ws, NOW + 100_000 * DAY) == retention.Applied()
    assert texts(ws) == {OLD, NEW}


def test_what_is_older_than_the_days_set_is_forgotten_with_every_copy(opened, pith_home):
    ws = opened(keepDays=30)
    database.back_up(ws.db, f"{ws.folder}/backups/store-v1-1.db")
    with ws.db.transaction():
        usage.add(
            ws.db, at=platform.stamp(NOW - 35 * DAY), face="cli", session="", query="anything", shown=[], tokens=0
        )
    assert retention.due(ws, NOW) == 1
    assert retention.apply(ws, NOW) == retention.Applied(1, 0)
    assert texts(ws) == {NEW}
    assert usage.summary(ws.db)["asked"] == 0
    ws.close()
    held = [path for path in pith_home.rglob("*") if path.is_file() and b"zorbleflux" in path.read_bytes()]
    assert held == []


def test_it_is_done_once_a_day_and_the_next_day_again(opened):
    ws = opened(keepDays=30)
    retention.apply(ws, NOW)
    put(ws, "found in an old transcript", 90)
    assert retention.due(ws, NOW + DAY // 2) == 0
    assert retention.apply(ws, NOW + DAY // 2).events == 0
    assert retention.apply(ws, NOW + DAY).events == 1
    assert texts(ws) == {NEW}


def test_a_call_out_of_time_leaves_the_rest_to_the_next_one(opened):
    ws = opened(keepDays=30)
    for number in range(burial.BATCH * 4 + 10):
        put(ws, f"old thing {number}", 60)
    first = retention.apply(ws, NOW, seconds=0)
    assert (first.events, first.left, first.finished) == (burial.BATCH * 4, 11, False)
    assert burial.is_unfinished(ws.db)
    second = retention.apply(ws, NOW, seconds=0)
    assert (second.events, second.left, second.finished) == (11, 0, True)
    assert texts(ws) == {NEW}
    assert not burial.is_unfinished(ws.db)
    assert search.frequency(ws.db, "thing") == 0


def test_a_clock_that_was_set_back_does_not_stop_it(opened):
    ws = opened(keepDays=30)
    retention.apply(ws, NOW + 1_000 * DAY)
    put(ws, "much older", 90)
    assert retention.due(ws, NOW) == 1


def test_another_process_that_forgets_is_left_alone(opened):
    ws = opened(keepDays=30)
    with platform.Lock(f"{ws.folder}/{retention.LOCK}"):
        assert retention.apply(ws, NOW) == retention.Applied(0, 1, finished=False)
    assert texts(ws) == {OLD, NEW}


def test_a_large_store_is_told_and_nothing_is_forgotten_for_it(opened):
    ws = opened(maxStoreMegabytes=1)
    assert not retention.size(ws).is_too_large
    for number in range(6):
        put(ws, f"{number} " + "x y " * 60_000, number)
    assert retention.size(ws).is_too_large
    assert retention.apply(ws, NOW).events == 0
    assert len(texts(ws)) == 8


def test_older_than_by_hand(opened, pith, git_repo):
    ws = opened()
    days = (platform.now_ms() - NOW) // DAY + 30
    seen = pith("forget", "--older-than", f"{days}d", "--dry-run", "--json", cwd=git_repo, check=True).json["data"]
    assert [event["snippet"] for event in seen["events"]] == [OLD]
    pith("forget", "--older-than", f"{days}d", "--yes", cwd=git_repo, check=True)
    assert texts(ws) == {NEW}


def test_status_keeps_up_with_it_and_completes_what_was_stopped(opened, pith, git_repo):
    ws = opened(keepDays=30)
    keep_days.agree(ws.home, None, 30)
    told = pith("status", cwd=git_repo, check=True).stdout
    assert "2 memories older than 30 days forgotten just now, as agreed." in told
    assert texts(ws) == set()  # both are older than that by the real clock, or the clock is wrong
    opened().close()
    burial.bury(ws.db, [1], platform.now())
    config_edit.set_value(ws.home, None, "capture.keepDays", "0")
    assert burial.is_unfinished(ws.db)
    pith("status", cwd=git_repo, check=True)
    assert not burial.is_unfinished(ws.db)


def test_keeping_up_makes_no_store_and_raises_nothing(git_repo, pith):
    with open_workspace(str(git_repo)) as ws:
        assert retention.keep_up(ws) == retention.Applied()
        store = Path(ws.folder, "store.db")
        assert not store.exists()
        assert ws.db
    store.write_bytes(b"damaged" * 1000)
    with open_workspace(str(git_repo)) as ws:
        assert not retention.keep_up(ws).finished


def test_an_import_keeps_up_with_it_too(opened, pith, git_repo):
    ws = opened(keepDays=30)
    transcript = git_repo / "one.jsonl"
    transcript.write_text(
        '{"type":"user","uuid":"u1","sessionId":"s1","timestamp":"2020-01-02T03:04:05.000Z","cwd":"/x",'
        '"message":{"role":"user","content":"아주 오래된 질문"}}\n',
        encoding="utf-8",
    )
    keep_days.agree(ws.home, None, 30)
    pith("import", "claude", str(transcript), cwd=git_repo, check=True)
    assert texts(ws) == set()


def test_only_the_newest_backups_stay_whoever_made_them(opened, pith, git_repo):
    """A migration makes one and knows no policy."""
    ws = opened()
    assert ws.db
    folder = Path(ws.folder, "backups")
    for at in range(5):
        database.back_up(ws.db, str(folder / f"store-v1-{NOW + at}.db"))
    with platform.Lock(str(Path(ws.folder, "upkeep.lock"))):
        assert retention.keep_up(ws).events == 0
    pith("status", cwd=git_repo, check=True)
    assert sorted(path.name for path in folder.glob("*.db")) == [f"store-v1-{NOW + at}.db" for at in (2, 3, 4)]


def test_a_setting_that_nobody_agreed_to_takes_nothing_and_status_tells(opened, pith, git_repo):
    """Edited by hand, set by the environment: 57 of 96 memories once went so, without a question."""
    ws = opened(keepDays=30)
    told = pith("status", cwd=git_repo, check=True).stdout
    assert "! 2 memories are older than 30 days, and nobody agreed" in told
    assert "`pith forget --older-than 30d`" in told
    assert texts(ws) == {OLD, NEW}


@pytest.mark.parametrize("words", [(), ("--project",)])
def test_setting_it_says_how_much_would_go_and_asks(opened, pith, git_repo, words):
    ws = opened()
    refused = pith("config", "set", "capture.keepDays", "20", *words, cwd=git_repo)
    assert refused.code == 1
    assert "2 memories are older than 20 days and would be forgotten for good; nothing was changed." in refused.stderr
    assert "`--yes` agrees" in refused.stderr
    pith("status", cwd=git_repo, check=True)
    assert texts(ws) == {OLD, NEW}
    pith("config", "set", "capture.keepDays", "20", "--yes", *words, cwd=git_repo, check=True)
    pith("status", cwd=git_repo, check=True)
    assert texts(ws) == set()


def test_agreement_holds_for_as_much_or_less_and_ends_with_the_setting(pith_home):
    home = str(pith_home)
    keep_days.agree(home, None, 30)
    assert keep_days.is_agreed(home, "a", 30)
    assert keep_days.is_agreed(home, "a", 365)
    assert not keep_days.is_agreed(home, "a", 29)
    keep_days.agree(home, "a", 20)
    assert keep_days.is_agreed(home, "a", 20)
    assert not keep_days.is_agreed(home, "b", 20)
    keep_days.agree(home, "a", 0)
    assert not keep_days.is_agreed(home, "a", 20)


def test_setting_it_where_nothing_is_so_old_asks_nothing(opened, pith, git_repo):
    opened()
    pith("config", "set", "capture.keepDays", "36500", cwd=git_repo, check=True)
    assert pith("status", "--json", cwd=git_repo, check=True).json["data"]["aged"]["must_ask"] is False


def test_what_is_told_is_what_people_call_memories(opened, pith, git_repo):
    """Changes of knowledge go along with what they were drawn from, and are not counted beside it."""
    ws = opened()
    put(ws, "we decide: refund retries are three with exponential backoff", 40)
    pith("extract", cwd=git_repo, check=True)
    count = pith("status", "--json", cwd=git_repo, check=True).json["data"]["stored"]["events"]
    refused = pith("config", "set", "capture.keepDays", "10", cwd=git_repo)
    assert refused.stderr.startswith(f"{count} memories are older than 10 days")
    pith("config", "set", "capture.keepDays", "10", "-y", cwd=git_repo, check=True)
    assert f"! {count} memories older than 10 days forgotten" in pith("status", cwd=git_repo, check=True).stdout
