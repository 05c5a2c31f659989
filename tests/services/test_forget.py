"""Forgetting: no byte of it is left in any file below the home, whoever wrote it, and killed anywhere it ends the same."""

from __future__ import annotations

import json
import multiprocessing
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import knowledge_kit
from crash.sweep import run, state, sweep
from pith import platform
from pith.domain import words
from pith.domain.events import Sighting
from pith.interfaces.hook.main import serve
from pith.services import spool
from pith.services.history import import_history
from pith.services.keeping import exchange, forget
from pith.services.workspace import Workspace, open_workspace
from pith.store import citations, database, exports, usage
from pith.store import events as stored

SESSION = "5a0d7c1e-2b6f-4f0e-9d57-6c1a0b9e4d11"
OTHER = "9c3b1f22-7e4d-4c55-8a10-0d5e6f7a8b22"

# Invented words that occur nowhere else, so that their terms can be looked for too.
ENGLISH = "The zorbleflux gateway must retry thrice before quaxomancing the ledger."
KOREAN = "뷁쫢큵 결제창은 갊뿗뛟 이후에만 열어야 한다"
COMMAND = "zigglewhomp --frobnitz"
PATH = "src/vexquibble/zanthorpe.py"
OUTPUT = "kwyjibodone: 3 snarkfizz failed"
TITLE = "Plan of the zorbleflux gateway"
CANARIES = (ENGLISH, KOREAN, COMMAND, PATH, OUTPUT, TITLE)
KEPT = "The ordinary deployment runs on Tuesdays and must be announced."


@pytest.fixture
def call(git_repo: Path) -> Callable[..., object]:
    """One hook call of Claude Code, in this process."""

    def call(event: str, session: str = SESSION, **fields: object) -> object:
        payload = {"hook_event_name": event, "session_id": session, "cwd": str(git_repo), **fields}
        return serve("claude", json.dumps(payload).encode(), time.monotonic())

    return call


@pytest.fixture
def ws(git_repo: Path) -> Any:
    with open_workspace(str(git_repo)) as workspace:
        yield workspace


def tool(call: Callable[..., object], session: str = SESSION) -> None:
    call(
        "PostToolUse",
        session,
        tool_name="Bash",
        tool_use_id="toolu_1",
        tool_input={"command": COMMAND},
        tool_response={"stdout": OUTPUT, "stderr": ""},
    )
    call(
        "PostToolUse",
        session,
        tool_name="Read",
        tool_use_id="toolu_2",
        tool_input={"file_path": f"/home/me/shop/{PATH}"},
        tool_response={"file": {"content": "x = 1"}},
    )


def transcript(folder: Path, session: str = SESSION) -> Path:
    """What the host wrote of the same session, with a title."""
    lines = [
        {"type": "user", "uuid": "u-1", "sessionId": session, "timestamp": "2026-05-02T09:00:00.000Z", "cwd": "/home/me/shop",
         "message": {"role": "user", "content": ENGLISH}},
        {"type": "user", "uuid": "u-2", "sessionId": session, "timestamp": "2026-05-02T09:01:00.000Z", "cwd": "/home/me/shop",
         "message": {"role": "user", "content": KOREAN}},
        {"type": "custom-title", "customTitle": TITLE, "sessionId": session},
    ]  # fmt: skip
    path = folder / f"{session}.jsonl"
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def plant(call: Callable[..., object], ws: Workspace, place: Path) -> Path:
    """Put the canaries everywhere: hooks, import, questions, spool, backups, an export. Returns the transcript."""
    call("UserPromptSubmit", prompt=ENGLISH, prompt_id="p-1")
    call("UserPromptSubmit", prompt=KOREAN, prompt_id="p-2")
    tool(call)
    call("UserPromptSubmit", OTHER, prompt=KEPT, prompt_id="p-3")
    path = transcript(place)
    import_history.import_files(ws.db, [path], ws.settings)
    from pith.store import sessions

    with ws.db.transaction():
        sessions.learn(ws.db, SESSION, "", "claude", "title", TITLE)
        usage.add(ws.db, at="2026-05-02T09:02:00.000Z", face="cli", session="", query="zorbleflux?", shown=[], tokens=0)
        usage.add(ws.db, at="2026-05-02T09:02:00.000Z", face="hook", session=OTHER, query=KOREAN, shown=[], tokens=9)
        usage.add(
            ws.db, at="2026-05-02T09:03:00.000Z", face="cli", session="", query="when do we deploy", shown=[], tokens=0
        )
    for number in range(2):
        database.back_up(ws.db, os.path.join(ws.folder, "backups", f"store-v1-{number}.db"))
    exchange.export_file(ws, str(place / "all.jsonl"))
    spool.put(
        ws.folder,
        [Sighting("prompt", SESSION, "zorbleflux again", "2026-05-02T09:09:00.000Z", host="claude", channel="hook")],
    )
    damaged = Path(ws.folder, "spool", "torn.json.damaged")
    damaged.write_text(f'[{{"text": "{ENGLISH[:40]}', encoding="utf-8")
    abandoned = Path(ws.folder, "backups", "store-v1-9.db.draft")
    abandoned.write_bytes(b"SQLite" + ENGLISH.encode())
    os.utime(abandoned, (1, 1))
    return path


def telling(text: str) -> set[str]:
    """Terms of a canary that no other text of these tests has, and that chance does not write into a hash."""
    ordinary = words.terms(KEPT) | words.terms("when do we deploy x = 1 Bash Read main claude home me shop")
    rare = words.terms(text) - ordinary
    return {term for term in rare if len(term.encode()) > 5}


def found(home: Path, needles: set[str]) -> list[tuple[str, str]]:
    """Every needle in the bytes of any file below the home, as UTF-8 or (six bytes and more) UTF-16."""
    forms = [(needle, form) for needle in needles for form in (needle.encode(), needle.encode("utf-16-le"))]
    hits = []
    for path in home.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            hits += [(path.name, needle) for needle, form in forms if len(form) > 5 and form in data]
    return hits


def everything() -> set[str]:
    return {*CANARIES, *(term for text in CANARIES for term in telling(text))}


def test_no_byte_of_a_forgotten_session_is_left_in_any_file(call, ws, pith_home, tmp_path):
    plant(call, ws, tmp_path)
    before = {name for _, name in found(pith_home, everything())}
    assert set(CANARIES) <= before
    assert any(name in before for name in telling(KOREAN))  # the search would find what is there
    done = forget.forget(ws, forget.choose(ws, SESSION), exports=True)
    assert done.finished
    assert done.events == 5  # two prompts, two tools, one from the spool
    assert done.questions >= 2
    ws.close()
    assert found(pith_home, everything()) == []
    assert not (tmp_path / "all.jsonl").exists()
    with open_workspace(str(ws.place.root)) as again:
        assert {row["text"] for row in stored.newest(again.db, 9)} == {KEPT}
        assert usage.summary(again.db)["asked"] == 1


def test_the_outcome_says_which_copies_were_rewritten_removed_or_left(call, ws, tmp_path):
    plant(call, ws, tmp_path)
    Path(ws.folder, "backups", "store-v0-1.db").write_bytes(b"no database " + ENGLISH.encode())
    done = forget.forget(ws, forget.choose(ws, SESSION))
    told = {(os.path.basename(each.path), each.outcome) for each in done.copies}
    assert told == {
        ("store-v1-0.db", "rewritten"),
        ("store-v1-1.db", "rewritten"),
        ("store-v0-1.db", "removed"),
        ("store-v1-9.db.draft", "removed"),
        ("torn.json.damaged", "removed"),
        ("all.jsonl", "left"),
    }
    backup = database.Db(sqlite3.connect(Path(ws.folder, "backups", "store-v1-0.db")), "")
    backup.connection.row_factory = sqlite3.Row
    assert [row["text"] for row in stored.newest(backup, 9)] == [KEPT]
    backup.close()
    assert [
        each.outcome
        for each in forget.forget(ws, forget.choose(ws, SESSION), exports=True).copies
        if each.kind == "export"
    ] == ["removed"]
    assert exports.paths(ws.db) == []


@pytest.mark.parametrize("version", range(1, database.VERSION))
def test_the_backup_that_a_migration_left_is_forgotten_in_and_not_lost(version, ws, pith_home, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(database, "VERSION", version)
        with database.open_store(ws.folder) as old:
            for text in (KEPT, ENGLISH):
                knowledge_kit.say(old, text)
    (seq,) = [row["seq"] for row in stored.newest(ws.db, 9) if row["text"] == ENGLISH]
    done = forget.forget(ws, forget.Choice((seq,)))
    assert [(each.kind, each.outcome) for each in done.copies] == [("backup", "rewritten")]
    ws.close()
    assert found(pith_home, {ENGLISH, *telling(ENGLISH)}) == []
    (backup,) = Path(ws.folder, "backups").iterdir()
    kept = sqlite3.connect(backup)
    assert kept.execute("SELECT text FROM event_bodies ORDER BY seq").fetchall()[0] == (KEPT,)
    kept.close()


def test_one_forgotten_memory_leaves_the_others_findable(call, ws, pith_home, tmp_path, pith, git_repo):
    call("UserPromptSubmit", prompt=ENGLISH, prompt_id="p-1")
    call("UserPromptSubmit", prompt=KOREAN, prompt_id="p-2")
    row = next(row for row in stored.newest(ws.db, 9) if row["text"] == KOREAN)
    cited = "mem:" + citations.name(citations.EVENT, row["id"])
    answer = pith("forget", cited, "--yes", "--json", cwd=git_repo, check=True).json["data"]
    assert answer["done"]["events"] == 1
    ws.close()
    assert found(pith_home, {KOREAN, *telling(KOREAN)}) == []
    assert found(pith_home, {ENGLISH})
    shown = pith("show", cited, cwd=git_repo, check=True).stdout
    assert "Forgotten on" in shown
    again = pith("forget", cited, "--yes", cwd=git_repo, check=True).stdout
    assert again.startswith("It was forgotten on 2")


def test_what_is_forgotten_does_not_come_back_by_hook_import_or_spool(call, ws, pith_home, tmp_path):
    path = plant(call, ws, tmp_path)
    waiting = Sighting(
        "prompt", SESSION, ENGLISH, "2026-05-02T09:00:00.000Z", host="claude", channel="hook", turn="p-1"
    )
    forget.forget(ws, forget.choose(ws, SESSION), exports=True)
    spool.put(ws.folder, [waiting])
    report = import_history.import_files(ws.db, [path], ws.settings, again=True)
    call("UserPromptSubmit", prompt=ENGLISH, prompt_id="p-1")
    tool(call)
    assert report.new == 0
    assert spool.waiting(ws.folder) == []
    assert {row["text"] for row in stored.newest(ws.db, 9)} == {KEPT}
    ws.close()
    assert found(pith_home, {TITLE, *telling(TITLE)}) == []


def test_with_allow_return_a_later_import_brings_it_back(call, ws, tmp_path):
    path = transcript(tmp_path)
    import_history.import_files(ws.db, [path], ws.settings)
    forget.forget(ws, forget.choose(ws, SESSION))
    assert import_history.import_files(ws.db, [path], ws.settings, again=True).new == 0
    forget.forget(ws, forget.choose(ws, SESSION), allow_return=True)
    assert import_history.import_files(ws.db, [path], ws.settings, again=True).new == 2
    assert {row["text"] for row in stored.newest(ws.db, 9)} == {ENGLISH, KOREAN}


def test_the_preview_changes_nothing_and_names_what_would_go(call, ws, pith_home, tmp_path, pith, git_repo):
    plant(call, ws, tmp_path)
    call("UserPromptSubmit", OTHER, prompt=f"Remember: {ENGLISH}", prompt_id="p-4")
    with ws.db.transaction():
        shown = [citations.name("event", row["id"]) for row in stored.newest(ws.db, 9) if row["text"] == ENGLISH]
        usage.add(ws.db, at="2026-05-02T09:10:00.000Z", face="hook", session=OTHER, query="?", shown=shown, tokens=9)
    spool.drain(ws)
    before = state(pith_home)
    seen = pith("forget", SESSION[:8], "--dry-run", "--json", cwd=git_repo, check=True).json["data"]
    assert (seen["count"], seen["done"]) == (5, None)
    assert [event["kind"] for event in seen["events"]].count("prompt") == 3
    assert seen["questions"] == 2  # not `zorbleflux?`: a memory that stays has the word too
    assert [os.path.basename(path) for path in seen["backups"]] == [
        "store-v1-0.db",
        "store-v1-1.db",
        "store-v1-9.db.draft",
    ]
    assert seen["exports"] == [str(tmp_path / "all.jsonl")]
    assert len(seen["also_said_in"]) == 1
    text = pith("forget", SESSION, "--dry-run", cwd=git_repo, check=True).stdout
    assert "5 memories would be forgotten" in text
    assert KOREAN in text
    refused = pith("forget", SESSION, cwd=git_repo)  # nobody there to agree
    assert refused.code == 1
    assert "Nothing was forgotten. Add `--yes`" in refused.stdout
    assert state(pith_home) == before


def test_forgetting_twice_changes_nothing_more(call, ws, pith_home, tmp_path):
    plant(call, ws, tmp_path)
    choice = forget.choose(ws, SESSION)
    forget.forget(ws, choice, exports=True)
    once = state(pith_home)
    second = forget.forget(ws, choice, exports=True)
    assert (second.events, second.questions) == (0, 0)
    assert state(pith_home) == once


def test_a_citation_of_nothing_and_two_wishes_at_once_are_refused(pith, git_repo, call):
    assert "Nothing has been stored" in pith("forget", "mem:aaaaaa", cwd=git_repo).stderr
    call("UserPromptSubmit", prompt=KEPT)
    assert "Nothing in this project is cited as mem:aaaaaa" in pith("forget", "mem:aaaaaa", cwd=git_repo).stderr
    assert "No session begins with 00000000-0" in pith("forget", "00000000-0", cwd=git_repo).stderr
    assert "Say what to forget" in pith("forget", cwd=git_repo).stderr
    both = pith("forget", "mem:aaaaaa", "--older-than", "3d", cwd=git_repo)
    assert both.stderr.startswith("`mem:aaaaaa` and `--older-than` are two different things to forget; nothing was")


def _write_on(repository: str, stop: Any) -> None:
    number = 0
    while not stop.is_set():
        number += 1
        payload = {
            "hook_event_name": "UserPromptSubmit",
            "session_id": OTHER,
            "cwd": repository,
            "prompt": f"ordinary work number {number}",
            "prompt_id": f"w-{number}",
        }
        serve("claude", json.dumps(payload).encode(), time.monotonic())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
def test_forgetting_while_another_process_writes_loses_nothing_and_leaves_nothing(
    call, ws, pith_home, git_repo, tmp_path
):
    plant(call, ws, tmp_path)
    ws.close()
    forking = multiprocessing.get_context("fork")
    stop = forking.Event()
    writer = forking.Process(target=_write_on, args=(str(git_repo), stop))
    writer.start()
    try:
        done = forget.forget(ws, forget.choose(ws, SESSION), exports=True)
    finally:
        stop.set()
        writer.join()
    while not done.finished:
        done = forget.finish(ws)
    spool.drain(ws)
    written = [row["text"] for row in stored.newest(ws.db, 10_000) if row["text"].startswith("ordinary work")]
    assert sorted(written, key=lambda text: int(text.split()[-1])) == [
        f"ordinary work number {number}" for number in range(1, len(written) + 1)
    ]
    ws.close()
    assert found(pith_home, everything()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)], ids=["sample", "all"])
def test_killed_at_any_step_and_run_again_it_ends_as_a_calm_run(call, ws, pith_home, git_repo, tmp_path, every):
    plant(call, ws, tmp_path)
    spool.drain(ws)
    ws.close()
    outside = tmp_path / "all.jsonl"
    kept = outside.read_bytes()

    def action() -> None:
        outside.write_bytes(kept) if not outside.exists() else None
        with open_workspace(str(git_repo)) as mine:
            forget.forget(mine, forget.choose(mine, SESSION), exports=True)

    def again() -> None:
        with open_workspace(str(git_repo)) as mine:
            forget.forget(mine, forget.choose(mine, SESSION), exports=True)

    before = pith_home.with_name("calm")
    import shutil

    shutil.copytree(pith_home, before)
    assert run(action) == 0
    expected = state(pith_home)
    shutil.rmtree(pith_home)
    shutil.move(before, pith_home)
    for number, step in sweep(action, pith_home, every=every, sample=20):
        assert run(again) == 0, f"run again after dying before {number}: {step}"
        assert state(pith_home) == expected, f"after dying before {number}: {step}"
        assert found(pith_home, everything()) == [], f"after dying before {number}: {step}"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
def test_a_stopped_forgetting_is_completed_without_being_told_what(call, ws, pith_home, git_repo, tmp_path):
    plant(call, ws, tmp_path)
    choice = forget.choose(ws, SESSION)
    ws.close()

    def stopped() -> None:
        from pith.services.keeping import copies

        copies.clean_databases = lambda *_, **__: os._exit(9)
        forget.forget(ws, choice, exports=True)

    assert run(stopped) == 9
    assert found(pith_home, {ENGLISH})
    assert forget.is_unfinished(ws)
    assert forget.finish(ws).finished
    assert not forget.is_unfinished(ws)
    ws.close()
    assert found(pith_home, everything()) == []


def test_a_store_with_terms_of_older_words_is_forgotten_whole(call, ws, pith_home):
    call("UserPromptSubmit", prompt=KOREAN, prompt_id="p-2")
    call("UserPromptSubmit", OTHER, prompt=KEPT, prompt_id="p-3")
    from pith.store import meta, search

    with ws.db.transaction():
        row = stored.newest(ws.db, 9)[-1]
        search.remove(ws.db, row["seq"], words.terms(KOREAN))
        search.add(ws.db, row["seq"], ["뷁쫢큵", "결제창은"])
        meta.put(ws.db, "words", "0")
    assert forget.forget(ws, forget.choose(ws, SESSION)).finished
    assert search.frequency(ws.db, "tuesday") == 1
    ws.close()
    assert found(pith_home, {KOREAN, "뷁쫢큵", "결제창은", *telling(KOREAN)}) == []


def test_a_session_without_events_loses_its_folder_too(call, ws):
    call("SessionStart", source="startup")
    from pith.store import sessions

    assert sessions.facts(ws.db, SESSION, "")["cwd"]
    forget.forget(ws, forget.choose(ws, SESSION))
    assert sessions.facts(ws.db, SESSION, "")["cwd"] == ""


def test_age_in_the_file_system_does_not_matter_to_a_fresh_draft_of_a_hook(ws):
    assert ws.db
    folder = Path(ws.folder, "spool")
    folder.mkdir(exist_ok=True)
    draft = folder / f".x.json.{os.getpid()}-0.draft"
    draft.write_text("being written", encoding="utf-8")
    assert platform.now_ms()
    forget.copies.clean_spool(ws)
    assert draft.exists()
