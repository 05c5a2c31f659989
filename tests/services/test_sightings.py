"""One session seen by hooks, in its transcript, again in a fork, in any order: the same events, each once."""

from __future__ import annotations

import itertools
import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from pith import platform
from sessions import (
    START_MS,
    Answer,
    Claude,
    Clock,
    Codex,
    Prompt,
    Say,
    Tool,
    bring_in,
    call,
    expected,
    kept,
    watch,
    written,
)

HOSTS = {"claude": Claude, "codex": Codex}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(platform, "now_ms", clock)
    return clock


@pytest.fixture(params=["claude", "codex"])
def host(request, git_repo, tmp_path):
    folder = tmp_path / "transcripts"
    folder.mkdir()
    return HOSTS[request.param]("shop-1", git_repo, folder)


def session(ids: bool, host) -> list:
    """Equal prompts, equal answers, equal outputs of a tool, in both languages."""
    shell = "Bash" if isinstance(host, Claude) else "exec_command"

    def id(number: int) -> str:
        return f"p{number}" if ids else ""

    return [
        Prompt("장바구니 합계가 1원 틀려요", id(1)),
        Say("Looking at rounding."),
        Tool("t1", shell, {"command": "pytest -q"}, "1 failed"),
        Say("Done."),
        Answer("반올림 때문입니다."),
        Prompt("continue", id(2)),
        Tool("t2", shell, {"command": "pytest -q"}, "1 failed"),
        Answer("Done."),
        Prompt("continue", id(3)),
        Answer("Done."),
        Prompt("계속", id(4)),
        Answer("Fixed with decimal quantize."),
        Prompt("continue", id(5)),
        Tool("t3", shell, {"command": "pytest -q"}, "2 passed"),
        Answer("Done."),
    ]


def store_again(home: Path) -> None:
    shutil.rmtree(home)


@pytest.mark.parametrize("times", [1, 2], ids=["once", "twice"])
@pytest.mark.parametrize("ids", [True, False], ids=["ids", "no-ids"])
def test_pain_23_hooks_import_and_fork_in_every_order_give_the_same_events(
    ids, times, host, clock, git_repo, pith_home
):
    steps = session(ids, host)
    own = [
        Prompt("other way", "pf" if ids else ""),
        Answer("Done."),
        Prompt("continue", "pg" if ids else ""),
        Answer("OK."),
    ]
    written(host.path, host.records(steps, clock))
    fork, lines = host.forked(steps, clock, own)
    written(fork.path, lines)
    wanted = expected(host.session, steps) + expected(fork.session, own)

    ways: dict[str, Callable[[], None]] = {
        "hooks": lambda: watch(host, steps, clock, times=times),
        "import": lambda: bring_in(git_repo, host.path),
        "fork": lambda: bring_in(git_repo, fork.path),
        "again": lambda: bring_in(git_repo, host.path, fork.path),
    }
    for order in itertools.permutations(ways):
        for name in order:
            ways[name]()
        assert kept(git_repo) == wanted, " -> ".join(order)
        store_again(pith_home)


@pytest.mark.parametrize("ids", [True, False], ids=["ids", "no-ids"])
@pytest.mark.parametrize("every", [1, 2, 5])
def test_a_transcript_imported_while_it_grows_beside_hooks_gives_each_event_once(ids, every, host, clock, git_repo):
    steps = session(ids, host)
    for number, step in enumerate(steps):
        clock.at(number)
        call(host, step)
        if number % every == 0:
            now = clock.ms
            written(host.path, host.records(steps[: number + 1], clock), torn=(number % 3) * 9)
            bring_in(git_repo, host.path)
            clock.ms = now
    written(host.path, host.records(steps, clock))
    bring_in(git_repo, host.path)
    assert kept(git_repo) == expected(host.session, steps)


@pytest.mark.parametrize("ids", [True, False], ids=["ids", "no-ids"])
@pytest.mark.parametrize("imported", ["before", "between", "after"])
@pytest.mark.parametrize("first", [1, 5, 6, 9])
def test_hooks_installed_in_the_middle_of_a_session_double_nothing(ids, imported, first, host, clock, git_repo):
    steps = session(ids, host)
    if imported == "before":
        bring_in(git_repo, written(host.path, host.records(steps, clock)))
    if imported == "between":
        bring_in(git_repo, written(host.path, host.records(steps[:first], clock)))
    watch(host, steps, clock, first=first)
    bring_in(git_repo, written(host.path, host.records(steps, clock)))
    assert kept(git_repo) == expected(host.session, steps)


def test_ids_that_only_one_channel_has_double_nothing(host, clock, git_repo, pith_home):
    """A host's hooks learned to give ids before its transcripts did, or the other way round."""
    for ids in (True, False):
        for order in ("hooks first", "import first"):
            seen, told = session(ids, host), session(not ids, host)
            written(host.path, host.records(told, clock))
            ways = [lambda seen=seen: watch(host, seen, clock), lambda: bring_in(git_repo, host.path)]
            for way in ways if order == "hooks first" else reversed(ways):
                way()
            assert kept(git_repo) == expected(host.session, seen), (ids, order)
            store_again(pith_home)


@pytest.mark.parametrize("ids", [True, False], ids=["ids", "no-ids"])
@pytest.mark.parametrize("times", [1, 2], ids=["once", "twice"])
@pytest.mark.parametrize("step", [1, 50, 400])
def test_two_equal_turns_within_a_second_stay_two(ids, times, step, host, clock, git_repo):
    clock.step = step
    steps = [
        Prompt("continue", "p1" if ids else ""),
        Answer("Done."),
        Prompt("continue", "p2" if ids else ""),
        Answer("Done."),
    ]
    watch(host, steps, clock, times=times)
    assert kept(git_repo) == expected(host.session, steps, hooks_only=True)
    bring_in(git_repo, written(host.path, host.records(steps, clock)))
    assert kept(git_repo) == expected(host.session, steps)


def test_two_equal_prompts_stay_two_when_nobody_answered_the_first(host, clock, git_repo):
    """Interrupted at once and typed again some seconds later: nothing stands between them."""
    steps = [Prompt("run the tests"), Prompt("run the tests"), Answer("Done.")]
    watch(host, steps, clock)
    bring_in(git_repo, written(host.path, host.records(steps, clock)))
    assert kept(git_repo) == expected(host.session, steps)


def test_a_resumed_session_goes_on_in_its_file(host, clock, git_repo):
    steps = session(True, host)
    for end in (3, 8, 9, len(steps)):
        bring_in(git_repo, written(host.path, host.records(steps[:end], clock)))
    assert kept(git_repo) == expected(host.session, steps)


def test_a_prompt_that_waited_in_the_queue_is_once_what_hooks_and_transcript_saw(clock, git_repo, tmp_path, pith_home):
    host = Claude("shop-1", git_repo, tmp_path)
    steps = [Prompt("continue", "p1"), Prompt("continue", "p2"), Answer("Done.")]
    records = host.records(steps, clock)
    queued = {**records[1], "type": "attachment", "attachment": {"type": "queued_command", "prompt": "continue"}}
    del queued["promptId"], queued["message"]
    written(host.path, [records[0], queued, records[2]])
    bring_in(git_repo, host.path)
    assert kept(git_repo) == expected(host.session, steps)
    store_again(pith_home)
    for ways in itertools.permutations(
        [
            lambda: watch(host, steps, clock),
            lambda: bring_in(git_repo, host.path),
            lambda: watch(host, steps, clock, first=1),
        ]
    ):
        for way in ways:
            way()
        assert kept(git_repo) == expected(host.session, steps)
        store_again(pith_home)


# A spool that is drained late ---------------------------------------------------------------------------------


def locked_while(home: Path, action: Callable[[], None]) -> None:
    (path,) = home.rglob("store.db")
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    try:
        action()
    finally:
        writer.execute("ROLLBACK")
        writer.close()


@pytest.mark.parametrize("ids", [True, False], ids=["ids", "no-ids"])
@pytest.mark.parametrize("times", [1, 2], ids=["once", "twice"])
@pytest.mark.parametrize("step", [400, pytest.param(7_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("spooled", [{0, 1}, {1, 2}, {0, 1, 2}])
def test_what_waited_in_the_spool_is_neither_lost_nor_doubled(
    ids, times, step, spooled, host, clock, git_repo, pith_home
):
    clock.step = step
    clock.at(-3)
    call(host, Prompt("begin", "p0"))
    steps = [
        Prompt("continue", "p1" if ids else ""),
        Answer("Done."),
        Prompt("continue", "p2" if ids else ""),
        Answer("Done."),
    ]
    if isinstance(host, Codex):
        host.turn = ""
    for number, each in enumerate(steps):
        clock.at(number)
        way = lambda each=each: call(host, each, times)  # noqa: E731
        locked_while(pith_home, way) if number in spooled else way()
    clock.at(20)
    call(host, Answer("at last"))
    wanted = expected(host.session, [Prompt("begin"), *steps, Answer("at last")])
    assert kept(git_repo) == wanted
    bring_in(git_repo, written(host.path, host.records(steps, clock)))
    assert kept(git_repo) == wanted
    assert list(pith_home.rglob("spool/*.json")) == []


# Subagents, compaction ----------------------------------------------------------------------------------------


def test_a_subagents_work_is_its_own_and_once(clock, git_repo, tmp_path, pith_home):
    host = Claude("shop-1", git_repo, tmp_path)
    common = {"session_id": "shop-1", "cwd": str(git_repo), "agent_id": "ag7"}
    hooks = [
        {
            **common,
            "hook_event_name": "PostToolUse",
            "tool_name": "Grep",
            "tool_input": {"pattern": "round"},
            "tool_response": "a.py",
            "tool_use_id": "s1",
        },
        {**common, "hook_event_name": "SubagentStop", "last_assistant_message": "Found one in a.py."},
    ]
    side = {"sessionId": "shop-1", "agentId": "ag7", "isSidechain": True, "timestamp": "2026-05-02T09:00:00Z"}
    call_ = {"type": "tool_use", "id": "s1", "name": "Grep", "input": {"pattern": "round"}}
    result = {"type": "tool_result", "tool_use_id": "s1", "content": "a.py"}
    records = [
        {"type": "assistant", "uuid": "k1", **side, "message": {"content": [call_]}},
        {"type": "user", "uuid": "k2", **side, "message": {"content": [result]}},
        {
            "type": "assistant",
            "uuid": "k3",
            **side,
            "message": {"content": [{"type": "text", "text": "Found one in a.py."}]},
        },
    ]
    written(host.path, records)
    from pith.interfaces.hook.main import serve

    ways = [
        lambda: [serve("claude", json.dumps(payload).encode(), 0.0) for payload in hooks for _ in range(2)],
        lambda: bring_in(git_repo, host.path),
    ]
    wanted = Counter(
        {("shop-1", "ag7", "tool", "Grep round\na.py"): 1, ("shop-1", "ag7", "response", "Found one in a.py."): 1}
    )
    for order in (ways, ways[::-1]):
        for way in order:
            way()
        assert kept(git_repo) == wanted
        store_again(pith_home)


def test_a_compaction_that_each_channel_words_differently_is_one_event(clock, git_repo, tmp_path, pith_home):
    from pith.interfaces.hook.main import serve

    host = Claude("shop-1", git_repo, tmp_path)
    hook = {"hook_event_name": "PostCompact", "session_id": "shop-1", "cwd": str(git_repo)}
    records = [
        {
            "type": "user",
            "uuid": f"c{number}",
            "sessionId": "shop-1",
            "isCompactSummary": True,
            "timestamp": platform.stamp(START_MS + number * 700_000),
            "message": {"content": f"This session continues. Summary: {number}"},
        }
        for number in range(2)
    ]
    written(host.path, records)

    def hooks() -> None:
        for number in range(2):
            clock.at(number * 100)
            for _ in range(2):
                serve("claude", json.dumps({**hook, "compact_summary": f"<summary>{number}</summary>"}).encode(), 0.0)

    ways = [hooks, lambda: bring_in(git_repo, host.path)]
    for order in (ways, ways[::-1]):
        for way in order:
            way()
        assert sorted(kind for _, _, kind, _ in kept(git_repo).elements()) == ["summary", "summary"]
        store_again(pith_home)


def test_pain_24_texts_that_differ_by_one_character_are_two_events(host, clock, git_repo):
    steps = [Prompt("keep it 5 years"), Answer("5년 보관"), Prompt("keep it 6 years"), Answer("6년 보관")]
    watch(host, steps, clock)
    bring_in(git_repo, written(host.path, host.records(steps, clock)))
    assert kept(git_repo) == expected(host.session, steps)
