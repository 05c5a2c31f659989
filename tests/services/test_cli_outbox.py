"""`pith outbox`: how the outbox stands, trying again, comparing index and store, giving a version up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from knowledge_kit import say
from meaning_kit import DIMENSIONS, LONG, Clock, Words, holds, should_hold
from pith import platform
from pith.errors import SettingInvalid
from pith.services import config
from pith.services.meaning import outbox, reconcile, upkeep, versions
from pith.services.meaning.exact import ExactIndex
from pith.services.work.start import LOCK
from pith.services.workspace import open_workspace


@pytest.fixture
def ws(git_repo: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(git_repo)
    with open_workspace() as found:
        yield found


def index(ws, words: Words) -> ExactIndex:
    return ExactIndex(ws.db, versions.name_of(words), DIMENSIONS)


def work(ws, words: Words | None = None, later: int = 0) -> None:
    words = words or Words()
    outbox.serve(ws.db, words, index(ws, words), clock=Clock(platform.now_ms() + later))


def test_V12_status_tells_what_waits_what_failed_and_why(ws, pith):
    assert "found by words" in pith("outbox", "status").stdout or pith("outbox", "status").code
    say(ws.db, "hello there", session="s1")
    bad = say(ws.db, f"{LONG} to read", session="s2")
    work(ws)
    say(ws.db, "뒤에 온 말", session="s3")
    told = pith("outbox", "status")
    assert told.code == 0
    assert "1 pending, 0 processing, 1 failed, 1 done" in told.stdout
    assert f"event:{bad} (permanent, 1 try): A text is too long." in told.stdout
    data = pith("outbox", "status", "--json").json["data"]
    assert data["in_use"] == data["answering"] == versions.name_of(Words())
    figures = data["versions"][0]["jobs"]
    assert (figures["pending"], figures["failed"], figures["done"], data["alerts"]) == (1, 1, 1, [])
    assert figures["last_processed"]


def test_V12_ten_failures_and_an_hours_wait_are_told_by_status_and_doctor(ws, pith):
    for number in range(10):
        say(ws.db, f"{LONG} {number}", session=f"s{number}")
    work(ws)
    say(ws.db, "still to do", session="late")
    ws.db.execute("UPDATE vector_outbox SET created_at = '2026-01-01T00:00:00.000Z' WHERE status = 'pending'")
    told = pith("outbox", "status").stdout
    assert "10 vectors could not be made." in told
    assert "A vector has been wanted for" in told
    found = {finding["code"] for finding in pith("doctor", "--json").json["data"]["findings"]}
    assert {"VECTORS_FAILED", "VECTORS_LATE"} <= found
    assert "VECTORS_DIFFER" not in found


def test_V08_retry_lets_failures_be_tried_as_if_for_the_first_time(ws, pith):
    first = say(ws.db, f"{LONG} one", session="s1")
    say(ws.db, f"{LONG} two", session="s2")
    work(ws)
    assert pith("outbox", "retry", f"event:{first}").stdout.startswith("1 job waits again")
    assert pith("outbox", "retry", f"event:{first}", "--json").json["error"]["code"] == "INVALID_TRANSITION"
    assert pith("outbox", "retry", "--json").json["data"] == {"retried": 1}
    assert "Nothing had failed." in pith("outbox", "retry").stdout
    assert pith("outbox", "retry", "event:none").code != 0


def test_V08_settings_say_how_often_and_when_to_try_again(ws, monkeypatch):
    def policy():
        return upkeep.policy(config.load(ws.home, ws.folder, ws.place.root))

    assert (policy().most, policy().waits) == (3, (1, 5, 30))
    monkeypatch.setenv("PITH_MEANING_RETRIES", "1")
    monkeypatch.setenv("PITH_MEANING_RETRY_WAITS", "2, 0.5")
    assert (policy().most, policy().waits) == (1, (2, 0.5))
    monkeypatch.setenv("PITH_MEANING_RETRY_WAITS", "soon")
    with pytest.raises(SettingInvalid, match="list of seconds"):
        policy()


def test_V13_reconcile_repairs_both_directions_and_says_what_it_did(ws, pith):
    words = Words()
    events = [say(ws.db, f"event number {number}", session=f"s{number}") for number in range(4)]
    work(ws)
    held = index(ws, words)
    rows = {row.item_id: row for row in held.rows()}
    stray, old = rows[events[0]], rows[events[1]]
    stray.item_id, old.digest = "of-nothing", b"x" * 32
    held.upsert([stray, old])
    held.delete([("event", events[2])])
    other = ExactIndex(ws.db, "unused@32-1", DIMENSIONS)
    other.upsert([rows[events[3]]])
    ws.db.execute("DELETE FROM vector_outbox")
    found = {each["code"] for each in pith("doctor", "--json").json["data"]["findings"]}
    assert "VECTORS_DIFFER" in found
    told = pith("outbox", "reconcile").stdout
    assert "1 missing, to be embedded" in told
    assert "1 of an older text, to be embedded anew" in told
    assert "1 of nothing that is stored, removed" in told
    assert "1 of the unused version unused@32-1, removed" in told
    assert "2 jobs wait; `pith work` does what waits." in told
    work(ws)
    assert holds(index(ws, words)) == should_hold(ws.db)
    assert pith("outbox", "reconcile").stdout.startswith("Index and store agree: 4 items.")
    assert pith("outbox", "reconcile", "--json").json["data"]["held"] == 4


def test_V13_doctor_repairs_what_differs(ws, pith):
    event = say(ws.db, "hello there", session="s1")
    work(ws)
    index(ws, Words()).delete([("event", event)])
    assert pith("doctor", "--repair", "--yes").code == 0
    work(ws)
    name = versions.name_of(Words())
    assert reconcile.compare(ws.db, name, index(ws, Words())).count == 0
    assert holds(index(ws, Words())) == should_hold(ws.db)


def test_V05_what_changes_the_index_waits_for_the_worker_or_says_that_one_is_at_it(ws, pith, monkeypatch):
    monkeypatch.setattr(upkeep, "PATIENCE", 0.01)
    say(ws.db, "hello there", session="s1")
    work(ws)
    name = versions.name_of(Words())
    with platform.Lock(os.path.join(ws.folder, LOCK)):
        for words in (["retry"], ["reconcile"], ["retire", name, "--yes"]):
            told = pith("outbox", *words)
            assert told.code != 0
            assert "A worker is at work in this project." in told.stderr


def test_V02_retire_gives_a_version_up(ws, pith):
    say(ws.db, "hello there", session="s1")
    work(ws)
    name = versions.name_of(Words())
    assert "Nothing was changed." in pith("outbox", "retire", name).stdout
    assert "the vectors of 1 item were removed" in pith("outbox", "retire", name, "--yes").stdout
    assert pith("outbox", "status", "--json").json["data"]["in_use"] is None
    assert pith("outbox", "retire", "none@1-x", "--yes").code != 0


def test_status_has_a_line_about_meaning_only_when_a_version_is_registered(ws, pith):
    say(ws.db, "hello there", session="s1")
    assert "meaning" not in pith("status").stdout
    work(ws)
    assert "meaning" in pith("status").stdout
