"""A worker in trouble: it does what it can, says what it cannot, and does not turn round and round."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pith.adapters.own_process import Ending
from pith.errors import StoreUnavailable
from pith.services.work import record, worker
from pith.services.work.chore import Chore
from pith.services.workspace import open_workspace


@pytest.fixture
def ws(git_repo: Path):
    with open_workspace(str(git_repo)) as found:
        _ = found.db
        yield found


def fails(_ws: object, _now: object) -> str:
    raise StoreUnavailable("The disk is full.")


@pytest.mark.parametrize("until", [record.IDLE, worker.WATCH])
def test_pain_01_on_a_full_disk_a_chore_that_does_the_same_again_is_left_for_later(until, ws, monkeypatch):
    """What a chore did may be lost where it cannot be written: it is due again at once, and for ever."""
    done: list[str] = []

    def again(_ws: object, _go_on: object) -> str:
        done.append("again")
        assert len(done) < 50, "it turns round and round"
        return "done"

    monkeypatch.setattr(worker.Going, "__call__", lambda _self: True)
    monkeypatch.setattr(worker._Run, "_has_news", lambda _self, _seen: False)
    chores = (Chore("again", lambda *_: True, again), Chore("broken", lambda *_: True, fails))
    report = worker.work(ws, until, worker.Going(Ending()), chores=chores)
    assert len(done) == worker.FAILING
    assert list(report.failed) == ["broken"]
    assert os.path.getsize(os.path.join(ws.folder, record.LOG)) < 1_000


def test_while_nothing_fails_it_goes_on_until_nothing_is_left(ws):
    left = list(range(20))
    chore = Chore("some", lambda *_: bool(left), lambda *_: f"{left.pop()} done")
    report = worker.work(ws, record.IDLE, worker.Going(Ending()), chores=(chore,))
    assert (left, report.why, report.failed) == ([], "idle", {})
