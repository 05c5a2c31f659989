"""Endless mode as hosts, people and programs meet it: hooks feed it, prompts and briefs are told, commands show it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import git
from pith import platform
from pith.domain import tokens
from pith.domain.events import HOOK, PROMPT, RESPONSE, TOOL, TRANSCRIPT, Sighting
from pith.interfaces.hook.main import serve
from pith.services import capture, memory_recall, spool
from pith.services.config import PROJECT, Layer, Settings
from pith.services.endless import brief, consolidate, contexts, due, status, switch, window
from pith.services.endless.rules import Rules
from pith.services.keeping import burial, exchange
from pith.services.knowledge import fold
from pith.services.work import start
from pith.services.workspace import Workspace, open_workspace
from pith.store import citations, memories, usage, working_set
from pith.store import continuity as log
from pith.store import events as stored
from pith.store.database import Db, open_store

ENDLESS = Settings([Layer(PROJECT, "", {"mode": "endless"}, [])])
NOW = 1_780_000_000_000
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Db]:
    with open_store(str(tmp_path / "store")) as opened:
        yield opened


@pytest.fixture
def shop(git_repo: Path, pith_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which this process stands."""
    monkeypatch.chdir(git_repo)
    return git_repo


def on(where: Path) -> None:
    """Switch endless mode on, without taking anything in."""
    with open_workspace(str(where)) as ws:
        switch._set(ws, "endless", everywhere=False)


def hook(where: Path, event: str, session: str = "s1", **fields: Any) -> str:
    """One call of the host; the context that it is given."""
    payload = {"hook_event_name": event, "session_id": session, "cwd": str(where), **fields}
    answer = serve("claude", json.dumps(payload).encode(), time.monotonic())
    return answer["hookSpecificOutput"]["additionalContext"] if answer else ""


def turn(where: Path, prompt: str, answer: str, session: str = "s1", file: str = "src/refunds/retry.py") -> str:
    """One turn as a host tells it; what the prompt was given."""
    told = hook(where, "UserPromptSubmit", session, prompt=prompt, prompt_id=f"{session}{prompt}")
    edit = {"file_path": str(where / file), "old_string": "a", "new_string": "b"}
    done = {"tool_input": edit, "tool_response": {"ok": True}, "tool_use_id": f"t{session}{prompt}"}
    hook(where, "PostToolUse", session, tool_name="Edit", **done)
    hook(where, "Stop", session, last_assistant_message=answer)
    return told


def refunds(where: Path, session: str = "s1") -> None:
    turn(where, "Why do refund retries hammer the gateway?", "The gateway client swallowed the timeout.", session)
    turn(where, "Bound the refund retries.", "We decided to retry a refund at most three times.", session)
    turn(
        where,
        "Do the refund retries have tests?",
        "The refund tests pass now.\n남은 일: refund 샌드박스 확인.",
        session,
    )


def held(where: Path) -> list[str]:
    with open_workspace(str(where)) as ws:
        rows = ws.db.execute(
            "SELECT e.kind FROM working_set w JOIN events e ON e.id = w.event_id ORDER BY w.added_at, e.seq"
        )
        return [row["kind"] for row in rows]


def say(db: Db, text: str, ago: int = 0, kind: str = PROMPT, session: str = "s1", **more: Any) -> str:
    seen = Sighting(kind, session, text, platform.stamp(NOW - ago), host="claude", channel=HOOK, **more)
    seq = capture.keep(db, seen, ENDLESS)
    assert seq is not None
    return str(stored.read(db, [seq])[0]["id"])


def coupons(db: Db, ago: int = 0) -> list[str]:
    return [
        say(db, "쿠폰함에 만료된 쿠폰이 계속 보인다.", ago),
        say(db, "원인은 쿠폰함 조회가 만료 시각을 비교하지 않았기 때문이다.", ago - 1, RESPONSE),
        say(db, "만료된 쿠폰은 쿠폰함에서 숨기기로 했다.", ago - 2, RESPONSE),
    ]


# -- M03 what hooks put in


def test_M03_hooks_put_prompts_tools_and_answers_into_the_working_set_in_endless_mode_only(shop):
    refunds(shop)
    assert held(shop) == []
    on(shop)
    refunds(shop, "s2")
    assert held(shop) == ["prompt", "tool", "response"] * 3
    with open_workspace(str(shop)) as ws:
        switch.disable(ws)
    refunds(shop, "s3")
    assert len(held(shop)) == 9


def test_M03_what_had_to_wait_in_the_spool_joins_when_it_is_brought_in_and_an_import_never_does(shop):
    on(shop)
    with open_workspace(str(shop)) as ws:
        at = platform.now()
        spool.put(ws.folder, [Sighting(PROMPT, "s1", "쿠폰함은 어디에?", at, host="claude", channel=HOOK)])
        spool.drain(ws)
        imported = Sighting(PROMPT, "s1", "an old prompt", at, host="claude", channel=TRANSCRIPT)
        assert capture.keep(ws.db, imported, ws.settings) is not None
    assert held(shop) == ["prompt"]


def test_M02_a_second_sighting_of_an_event_puts_nothing_in(db):
    say(db, "쿠폰함은 어디에?", turn="t1")
    seen = Sighting(PROMPT, "s1", "쿠폰함은 어디에?", platform.stamp(NOW), host="claude", channel=HOOK, turn="t1")
    assert capture.keep(db, seen, ENDLESS) is None
    assert len(working_set.held(db)) == 1
    [row] = db.execute("SELECT seq FROM events")
    working_set.add(db, row["seq"], platform.stamp(NOW + DAY))
    assert len(working_set.held(db)) == 1


def test_M04_a_hook_that_puts_in_one_too_many_lets_the_oldest_leave(db):
    few = Settings([Layer(PROJECT, "", {"mode": "endless", "endless.workingSet.maxEvents": 3}, [])])
    for number in range(5):
        at = platform.stamp(NOW + number)
        seen = Sighting(PROMPT, "s", f"coupon number {number}", at, host="claude", channel=HOOK)
        capture.keep(db, seen, few)
    assert [one.row["text"][-1] for one in window.current(db, Rules(few), NOW + 9)] == ["4", "3", "2"]
    assert len(working_set.held(db)) == 3


def test_M02_the_tables_have_the_columns_and_indexes_of_the_source(db):
    wanted = {
        "working_set": "id event_id added_at relevance_score topics expires_at",
        "consolidated_memories": "memory_id summary topics source_events confidence created_at accessed_at access_count",
        "continuity_log": "log_id from_context_id to_context_id continuity_score transition_type created_at",
    }
    for table, columns in wanted.items():
        assert set(columns.split()) <= {row["name"] for row in db.execute(f"PRAGMA table_info({table})")}
    indexes = {row["name"] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'index'")}
    assert {"idx_working_set_expires", "idx_working_set_relevance", "idx_consolidated_confidence"} <= indexes


# -- M06 when hooks and the worker look


def test_M06_the_end_of_a_session_asks_for_a_consolidation_that_the_worker_then_does(shop, monkeypatch):
    on(shop)
    for session in ("s1", "s2"):
        refunds(shop, session)
    monkeypatch.setenv("PITH_WORKER_START", "auto")
    started: list[Any] = []
    monkeypatch.setattr(start, "start", lambda folder, words: started.append(words))
    monkeypatch.setattr(start, "MANY", 1_000)
    monkeypatch.setattr(start, "PATIENCE", 0.0)
    monkeypatch.setattr(start, "is_worthwhile", lambda *_: False)
    hook(shop, "Stop", "s2", last_assistant_message="쿠폰함도 고쳤다.")
    assert started == [], "nothing is due in the middle of a session"
    hook(shop, "PreCompact", "s2")
    assert len(started) == 1
    with open_workspace(str(shop)) as ws:
        assert due.why(ws.db, ws.settings, platform.now_ms()) == "ending"
        assert consolidate.run(ws.db, ws.settings, platform.now_ms()).memories
        assert due.why(ws.db, ws.settings, platform.now_ms()) == ""


def test_M06_the_worker_consolidates_what_is_due_and_notes_new_contexts(shop, pith):
    on(shop)
    for session in ("s1", "s2"):
        refunds(shop, session)
    with open_workspace(str(shop)) as ws:
        assert due.ask(ws.db, ws.settings, platform.now_ms())
    pith("work", "--until-idle", cwd=shop, check=True)
    told = pith("endless", "status", "--json", cwd=shop, check=True).json["data"]
    assert told["memories"] >= 1
    assert told["due"] is None
    with open_workspace(str(shop)) as ws:
        assert len(log.logged(ws.db)) == 2


def test_M06_session_mode_is_never_due(db):
    coupons(db)
    assert due.why(db, Settings([]), NOW + 90 * DAY, ending=True) == ""


# -- M10, E15 memories are a fold


def test_M10_E15_a_memory_is_folded_from_its_event_and_a_rebuild_gives_the_same_row_with_its_use(db):
    ids = coupons(db)
    [made] = consolidate.run(db, ENDLESS, NOW).memories
    memories.note_use_of(db, made, platform.stamp(NOW))
    before = [tuple(row) for row in db.execute("SELECT * FROM consolidated_memories")]
    assert [row["id"] for row in memories.events_of(db, made)] == ids
    fold.rebuild(db)
    assert [tuple(row) for row in db.execute("SELECT * FROM consolidated_memories")] == before
    assert memory_recall.find(db, "만료된 쿠폰", 3)[0].id == made


def test_E15_forgetting_an_event_takes_the_memory_that_quotes_it_and_frees_the_others(db):
    ids = coupons(db)
    say(db, "쿠폰함 화면도 만료를 본다.", 5)
    [made] = consolidate.run(db, ENDLESS, NOW).memories
    cited = citations.name(memories.MEMORY, made)
    numbers = [row["seq"] for row in db.execute("SELECT seq FROM events WHERE id = :id", {"id": ids[1]})]
    burial.bury(db, numbers, platform.stamp(NOW))
    assert burial.scour(db)
    assert memories.count(db) == 0
    assert memory_recall.find(db, "만료된 쿠폰", 3) == []
    file = Path(db.path).read_bytes()
    assert "비교하지 않았기".encode() not in file
    [again] = consolidate.run(db, ENDLESS, NOW).memories
    assert citations.name(memories.MEMORY, again) != cited
    assert ids[1] not in {row["id"] for row in memories.events_of(db, again)}


def test_E15_forgetting_takes_the_questions_along_that_were_answered_with_the_memory(shop, pith):
    on(shop)
    refunds(shop)
    [memory] = pith("endless", "consolidate", "--json", check=True).json["data"]["new"]
    with open_workspace(str(shop)) as ws:
        shown = [memory["citation"].removeprefix("mem:")]
        with ws.db.transaction():
            usage.add(ws.db, at=platform.now(), face="cli", session="", query="q", shown=shown, tokens=1)
    pith("forget", memory["source_events"][0]["citation"], "--yes", check=True)
    with open_workspace(str(shop)) as ws:
        assert not [row for row in usage.after(ws.db, 0) if shown[0] in row["shown"]]
    assert pith("show", memory["citation"]).code == 1


def test_E15_memories_leave_with_an_export_and_arrive_once(shop, tmp_path, pith):
    on(shop)
    refunds(shop)
    pith("endless", "consolidate", check=True)
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet")
    with open_workspace(str(shop)) as here, open_workspace(str(other)) as there:
        exchange.export_file(here, str(tmp_path / "a.jsonl"))
        for _ in range(2):
            exchange.bring_in(there, str(tmp_path / "a.jsonl"))
            mine, theirs = ([tuple(row) for row in memories.latest(ws.db, 9)] for ws in (here, there))
            assert mine == theirs
        assert working_set.held(there.db) == set()


def test_a_forgotten_event_leaves_the_working_set_with_its_topics(db):
    say(db, "쿠폰함에 만료된 쿠폰이 보인다.")
    window.tidy(db, Rules(ENDLESS), NOW)
    assert "쿠폰함" in db.execute("SELECT topics FROM working_set")[0]["topics"]
    burial.bury(db, [row["seq"] for row in db.execute("SELECT seq FROM events")], platform.stamp(NOW))
    assert working_set.held(db) == set()


def test_M10_an_event_of_another_store_that_tells_the_same_again_makes_no_second_memory(db):
    ids = coupons(db)
    consolidate.run(db, ENDLESS, NOW)
    from pith.domain import knowledge

    payload = {"events": ids[:2], "summary": "again", "summarizer": "x", "version": "1", "confidence": 0.5}
    with fold.Command(db) as command:
        command.append(knowledge.MEMORY_CONSOLIDATED, payload, sources=ids[:2])
    assert memories.count(db) == 1
    before = memories.latest(db, 9)[0]["summary"]
    fold.rebuild(db)
    assert [row["summary"] for row in memories.latest(db, 9)] == [before]


# -- M11 searched like everything else


def test_M11_memories_are_recalled_opened_and_their_use_is_counted(shop, pith):
    on(shop)
    refunds(shop)
    pith("endless", "consolidate", check=True)
    told = pith("recall", "how many times do we retry a refund?", "--json", check=True).json["data"]
    [memory] = told["memories"]
    assert memory["kind"] == "memory"
    assert "at most three times" in memory["text"]
    shown = pith("show", memory["citation"], "--json", check=True).json["data"]["memories"][0]
    assert len(shown["source_events"]) == shown["events"] == 9
    assert shown["access_count"] == 1
    assert shown["accessed_at"]
    text = pith("show", memory["citation"], check=True).stdout
    assert "from [mem:" in text
    assert "used 2 times" in text
    around = pith("timeline", memory["citation"], "--json", check=True).json["data"]["events"]
    assert [one["citation"] for one in around if one["asked_for"]] == [shown["source_events"][-1]["citation"]]
    event = shown["source_events"][0]["citation"]
    assert pith("show", event, check=True).stdout


def test_M11_each_citation_inside_a_summary_opens_the_event_it_rests_on(shop, pith):
    on(shop)
    refunds(shop)
    [memory] = pith("endless", "consolidate", "--json", check=True).json["data"]["new"]
    for line in memory["text"].split("\n"):
        sentence, _, cited = line.rpartition(" [mem:")
        opened = pith("show", f"mem:{cited.rstrip(']')}", "--json", check=True).json["data"]["memories"][0]
        assert sentence in opened["text"]


# -- M13 what prompts and sessions are told


def test_M13_a_prompt_receives_the_working_set_memories_and_continuity_in_endless_mode_only(shop):
    refunds(shop)
    with open_workspace(str(shop)) as ws:
        switch.enable(ws, platform.now_ms())
        consolidate.run(ws.db, ws.settings, platform.now_ms())
    turn(shop, "The coupon box shows expired coupons.", "We agreed to hide expired coupons.", "s2", "src/coupon.py")
    told = hook(shop, "UserPromptSubmit", "s3", prompt="How many times do we retry a refund?", prompt_id="p")
    assert "memory of 9 events" in told
    assert "working set of this project" in told
    assert "coupon" in told
    assert "Continuity 0." in told
    with open_workspace(str(shop)) as ws:
        switch.disable(ws)
    told = hook(shop, "UserPromptSubmit", "s4", prompt="How many times do we retry a refund?", prompt_id="q")
    assert "working set" not in told
    assert "Continuity" not in told


def test_M13_a_prompt_that_asks_for_nothing_still_receives_where_the_work_stands(shop):
    on(shop)
    refunds(shop)
    told = hook(shop, "UserPromptSubmit", "s2", prompt="계속해 줘", prompt_id="p")
    assert "We decided to retry a refund at most three times." in told
    again = hook(shop, "UserPromptSubmit", "s2", prompt="go on", prompt_id="q")
    assert "at most three times" not in again, "a session is told once"


@pytest.mark.parametrize("budget", [60, 120, 300, 800])
def test_M13_a_prompt_never_costs_more_than_its_budget(shop, budget, monkeypatch):
    on(shop)
    for session in ("s1", "s2"):
        refunds(shop, session)
    with open_workspace(str(shop)) as ws:
        consolidate.run(ws.db, ws.settings, platform.now_ms())
    refunds(shop, "s3")
    monkeypatch.setenv("PITH_RECALL_BUDGET_TOKENS", str(budget))
    told = hook(shop, "UserPromptSubmit", "s9", prompt="why did refund retries hammer the gateway?", prompt_id="p")
    assert tokens.estimate(told) <= budget
    assert told.count("] ") <= 10 + 3 + 6 or budget >= 800


def test_M13_a_new_session_starts_with_the_brief_before_any_worker_has_run(shop):
    refunds(shop)
    told = hook(shop, "SessionStart", "s2", source="startup")
    assert "where we are" in told
    assert "decided on main: We decided to retry a refund at most three times." in told
    assert "open on main: 남은 일: refund 샌드박스 확인." in told
    assert "files touched last: " in told
    assert "src/refunds/retry.py" in told
    assert tokens.estimate(told) <= 800
    for line in told.split("\n"):
        assert not line.startswith("- ") or line.startswith("- [mem:")


def test_M13_after_the_worker_the_brief_tells_decisions_and_memories(shop, pith):
    on(shop)
    refunds(shop)
    pith("endless", "consolidate", check=True)
    told = hook(shop, "SessionStart", "s2", source="startup")
    assert "memory of 9 events" in told
    assert "decision (" in told
    assert "where we are" in told


def test_M13_after_a_compaction_the_brief_is_about_this_session(shop):
    refunds(shop, "s1")
    turn(shop, "The coupon box shows expired coupons.", "We agreed to hide expired coupons.", "s2", "src/coupon.py")
    told = hook(shop, "SessionStart", "s1", source="compact")
    where = next(line for line in told.split("\n") if "where we are" in line)
    assert "refund" in where
    assert "coupon" not in where


def test_M13_the_brief_of_an_empty_project_is_empty_and_of_a_small_budget_small(shop, monkeypatch):
    assert hook(shop, "SessionStart", "s1", source="startup") == ""
    refunds(shop)
    monkeypatch.setenv("PITH_BRIEF_BUDGET_TOKENS", "150")
    assert 0 < tokens.estimate(hook(shop, "SessionStart", "s2", source="startup")) <= 150


def test_M13_a_context_that_has_said_nothing_yet_is_told_how_near_it_is_in_time(shop):
    on(shop)
    refunds(shop)
    told = hook(shop, "UserPromptSubmit", "s2", prompt="go on", prompt_id="p")
    assert "Continuity 1.00 (seamless): the work goes on where it stopped." in told


def test_M12_the_brief_says_how_the_last_context_followed_and_what_that_means(db):
    for number in range(2):
        for text in ("refund retry gateway", "refund backoff gateway"):
            say(db, text, (5 - number) * HOUR, session=f"s{number}")
    [line] = brief.where(db, ENDLESS, "new", "", NOW)
    assert "4 hours ago" in line.text
    assert "(seamless): the work goes on where it stopped" in line.text
    assert "refund" in line.text


def test_M12_each_context_is_logged_once_and_without_a_predecessor_it_is_unknown(db):
    for number, ago in enumerate((9, 8, 3)):
        for text in ("refund retry gateway", "refund backoff gateway"):
            say(db, text, ago * HOUR, session=f"s{number}")
    assert contexts.log_new(db, Rules(ENDLESS), NOW) == 3
    assert contexts.log_new(db, Rules(ENDLESS), NOW + DAY) == 0
    say(db, "refund retry again", -MINUTE, session="s9")
    assert contexts.log_new(db, Rules(ENDLESS), NOW + MINUTE) == 0, "a single prompt does not say yet what it is about"
    assert contexts.log_new(db, Rules(ENDLESS), NOW + HOUR) == 1
    rows = log.since(db, "")
    assert [row["transition_type"] for row in rows] == ["unknown", "seamless", "seamless", "seamless"]
    assert rows[0]["continuity_score"] is None
    assert rows[0]["from_context_id"] is None


# -- M14, M15, M16


def test_M15_enabling_remembers_seven_days_and_fills_the_window_with_what_is_inside_it(shop):
    with open_workspace(str(shop)) as ws:
        now = platform.now_ms()
        for days, subject in ((9, "invoice export"), (4, "refund gateway"), (0, "coupon box")):
            for number in range(4):
                at = platform.stamp(now - days * DAY - number * MINUTE)
                seen = Sighting(PROMPT, f"s{days}", f"Look at the {subject}, {number}", at, host="claude", channel=HOOK)
                capture.keep(ws.db, seen, ws.settings)
        done = switch.enable(ws, now)
        assert done.is_on
        assert (len(done.report.memories), done.report.events, done.in_window) == (1, 4, 4)
        assert "refund" in memories.latest(ws.db, 9)[0]["summary"]
        assert {row["text"].split(",")[0] for row in _held(ws)} == {"Look at the coupon box"}
        again = switch.enable(ws, now)
        assert (again.report.memories, again.in_window) == ([], 4)


def _held(ws: Workspace) -> list[Any]:
    return [one.row for one in window.current(ws.db, Rules(ws.settings), platform.now_ms())]


def test_M14_enable_status_consolidate_and_disable_at_the_terminal(shop, pith):
    refunds(shop)
    assert "mode          session" in pith("endless", "status", check=True).stdout
    told = pith("endless", "enable", check=True).stdout
    assert "Endless mode is on." in told
    assert "The working set holds 9 events." in told
    data = pith("endless", "status", "--json", check=True).json["data"]
    assert data["mode"] == "endless"
    assert data["working_set"]["events"] == 9
    assert data["working_set"]["first_at"] <= data["working_set"]["last_at"]
    assert data["continuity"]["type"] == "unknown"
    assert "refund" in data["topics"]
    assert any(path.endswith("src/refunds/retry.py") for path in data["files"])
    assert "1 memory made of 9 events" in pith("endless", "consolidate", check=True).stdout
    assert "Nothing new belongs together" in pith("endless", "consolidate", check=True).stdout
    told = pith("endless", "status", check=True).stdout
    assert "memories      1" in told
    assert "consolidated  never" not in told
    assert "1 consolidated memory stay" in pith("endless", "disable", check=True).stdout
    assert pith("endless", "status", "--json", check=True).json["data"]["mode"] == "session"


def test_M14_a_stronger_source_is_named_where_it_decides(shop, pith, monkeypatch):
    refunds(shop)
    monkeypatch.setenv("PITH_MODE", "session")
    told = pith("endless", "enable", check=True).stdout
    assert "stays off: environment says so" in told
    monkeypatch.setenv("PITH_MODE", "endless")
    assert "stays on: environment says so" in pith("endless", "disable", check=True).stdout


def test_M14_enabling_takes_the_synonym_out_so_that_nothing_contradicts(shop, pith):
    refunds(shop)
    pith("config", "set", "endless.enabled", "false", "--project", check=True)
    pith("endless", "enable", check=True)
    told = pith("config", "--json", check=True).json["data"]
    assert told["problems"] == []
    assert pith("endless", "status", "--json", check=True).json["data"]["mode"] == "endless"


def test_M14_before_anything_was_stored_the_commands_say_what_to_do(shop, pith):
    for words in (("status",), ("consolidate",)):
        run = pith("endless", *words)
        assert run.code == 1
        assert "pith init" in run.stderr


def test_M16_the_timeline_tells_the_last_day_as_data(db):
    coupons(db, 3 * HOUR)
    coupons_again = [say(db, f"쿠폰함 정렬 {number}", HOUR - number) for number in range(3)]
    say(db, "an old prompt about invoices", 3 * DAY, session="s0")
    consolidate.run(db, ENDLESS, NOW)
    told = status.timeline(db, ENDLESS, NOW)
    json.dumps(told)
    assert len(told["hours"]) == 25
    assert sum(sum(hour["events"].values()) for hour in told["hours"]) == 3 + len(coupons_again)
    assert [one["events"] for one in told["contexts"]] == [3, 3]
    assert [one["continuity"]["type"] for one in told["contexts"]] == ["topic_shift", "seamless"] or told["contexts"]
    assert "쿠폰함" in told["contexts"][-1]["topics"]
    assert told["memories"][0]["citation"].startswith("mem:")
    assert told["status"]["memories"] >= 1
    items = status.items(db, ENDLESS, NOW)
    assert all(0 <= item["relevance"] <= 1 and item["citation"].startswith("mem:") for item in items)


def test_a_tool_that_names_no_file_and_no_words_breaks_nothing(db):
    say(db, "tool", kind=TOOL, details={"tool": "X", "files": "no list"})
    say(db, "\ud7a3 . / :", 1)
    assert consolidate.run(db, ENDLESS, NOW).memories == []
    assert len(window.current(db, Rules(ENDLESS), NOW)) == 2


def test_M15_more_events_than_are_grouped_at_once_are_all_taken_in(db, monkeypatch):
    monkeypatch.setattr(consolidate, "MOST", 5)
    for hours, subject in ((9, "refund gateway"), (6, "coupon box"), (3, "search index")):
        for number in range(4):
            say(db, f"Look at the {subject}, {number}", hours * HOUR - number)
    assert consolidate.run(db, ENDLESS, NOW).events == 12
    assert consolidate.run(db, ENDLESS, NOW).memories == []


def test_M10_a_plan_that_was_left_unfinished_is_carried_out_before_what_came_since(db):
    coupons(db, HOUR)
    assert not consolidate.run(db, ENDLESS, NOW, go_on=lambda: False).finished
    assert due.why(db, ENDLESS, NOW) == "unfinished"
    for number in range(3):
        say(db, f"The refund gateway times out, round {number}.", number)
    done = consolidate.run(db, ENDLESS, NOW + MINUTE)
    assert len(done.memories) == 2
    assert done.finished
    assert due.why(db, ENDLESS, NOW + MINUTE) == ""
