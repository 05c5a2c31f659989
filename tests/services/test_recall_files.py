"""A question that names a file brings what touched the file, even where no text of it says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from knowledge_kit import extract, say, statement
from pith.domain import words
from pith.domain.events import HOOK, RESPONSE, TOOL, Sighting
from pith.services import capture, entry_recall, recall
from pith.store import events
from pith.store.database import Db, open_store
from pith.store.search import Filter

AT = "2026-05-02T09:00:00.000Z"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Db]:
    """A store in which many things were said, one of them with a file that its text does not name."""
    with open_store(str(tmp_path / "store")) as opened:
        for number in range(20):
            say(opened, f"Chatter number {number} about something else.", session="s9")
        touched(opened, "Edit src/cart/refund.py", "src/cart/refund.py", session="s1")
        touched(opened, "The pauses were doubled.", "src/cart/refund.py", session="s2")
        touched(opened, "The pauses were halved.", "src/cart/other_refund.py", session="s3")
        yield opened


def touched(db: Db, text: str, *files: str, session: str, kind: str = TOOL) -> str:
    seen = Sighting(kind, session, text, AT, host="claude", channel=HOOK, details={"tool": "Edit", "files": [*files]})
    seq = capture.keep(db, seen)
    assert seq is not None
    return str(events.read(db, [seq])[0]["id"])


def told(db: Db, question: str, only: Filter | None = None) -> dict[str, recall.Hit]:
    return {hit.found.text: hit for hit in recall.hits(db, question, 8, only)}


@pytest.mark.parametrize(
    ("question", "files"),
    [
        ("refund.py에서 왜 기다려?", ["refund.py"]),
        ("왜 src/cart/Refund.py:42를 고쳤어", ["src/cart/Refund.py"]),
        ("환불.md를 보면", ["환불.md"]),
        ("getUserById.test.ts는 어디", ["getUserById.test.ts"]),
        ("what is in src/payment?", ["src/payment"]),
        ("version 3.11 of it. Done", []),
        ("look at https://example.org/page.html", []),
        ("왜 결제를 고쳤어", []),
    ],
)
def test_what_looks_like_a_file(question: str, files: list[str]) -> None:
    assert [path for path, _, _ in words.files(question)] == files


@pytest.mark.parametrize("name", ["refund.py", "src/cart/refund.py", "cart/refund.py", "Refund.py", "refund.py:12"])
@pytest.mark.parametrize("question", ["why was {} changed", "{}에서 무엇을 바꿨어"])
def test_a_question_that_names_a_file_brings_what_touched_it_though_no_text_says_so(
    db: Db, name: str, question: str
) -> None:
    found = told(db, question.format(name))
    assert "The pauses were doubled." in found
    assert found["The pauses were doubled."].found.by_file > 0
    assert "The pauses were halved." not in found or found["The pauses were halved."].found.by_file == 0


def test_a_file_that_only_a_path_names_is_found_by_its_path(db: Db) -> None:
    touched(db, "Rounded once.", "lib/Money.kt", session="s4")
    assert "Rounded once." in told(db, "why lib/Money.kt")
    assert "Rounded once." not in told(db, "why lib/Other.kt")


def test_what_names_the_file_itself_is_worth_more_and_not_counted_twice(db: Db) -> None:
    found = told(db, "refund.py")
    assert found["Edit src/cart/refund.py"].found.by_file == 0
    assert found["Edit src/cart/refund.py"].found.own > found["The pauses were doubled."].found.file


def test_a_filter_holds_for_files_too(db: Db) -> None:
    assert "The pauses were doubled." not in told(db, "refund.py", Filter(not_session="s2"))
    assert told(db, "refund.py", Filter(session="s2")).keys() == {"The pauses were doubled."}
    assert told(db, "refund.py", Filter(session="s9")).keys() == set()


def test_a_question_without_a_file_asks_no_table_of_files_and_one_with_a_file_once(db: Db) -> None:
    asked: list[str] = []
    db.connection.set_trace_callback(asked.append)
    recall.hits(db, "why were the pauses doubled", 5)
    assert not any("event_files" in each for each in asked)
    recall.hits(db, "why were the pauses in refund.py doubled", 5)
    assert sum("event_files" in each for each in asked) == 1


def test_the_files_of_a_question_are_looked_up_by_indexes_alone(db: Db) -> None:
    asked: list[str] = []
    db.connection.set_trace_callback(asked.append)
    recall.hits(db, "refund.py", 5)
    db.connection.set_trace_callback(None)
    [sql] = [each for each in asked if "event_files" in each]
    plan = [str(row["detail"]) for row in db.execute(f"EXPLAIN QUERY PLAN {sql}")]
    assert not [step for step in plan if step.startswith("SCAN") and step.split()[1] in ("f", "e", "event_files")]
    assert sum("event_files" in step or "SEARCH f " in step for step in plan) == 2


def test_what_was_stated_about_a_file_is_found_by_the_file(db: Db) -> None:
    source = touched(db, "Pauses double up to a minute.", "src/cart/refund.py", session="s5", kind=RESPONSE)
    [entry] = extract(db, source, [statement(db, source, "Pauses double", "Pauses double up to a minute.")])
    [best] = entry_recall.find(db, "refund.py에서 뭘 정했지", 3)
    assert best.id == entry
    assert best.found.by_file > 0
    assert entry_recall.find(db, "invoice.py에서 뭘 정했지", 3) == []


def test_explain_shows_the_part_of_a_file(pith, git_repo: Path, run_hook) -> None:  # type: ignore[no-untyped-def]
    _edit(run_hook, git_repo, "one", "src/refund.py")
    _edit(run_hook, git_repo, "many", *(f"src/part{n}.py" for n in range(7)), "src/refund.py")
    found = json.loads(pith("recall", "refund.py", "--explain", "--json", cwd=git_repo).stdout)["data"]["hits"]
    assert [hit["parts"]["file"] > 0 for hit in found] == [False, True], found
    assert "its file" in pith("recall", "refund.py", "--explain", cwd=git_repo).stdout


def _edit(run_hook, root: Path, id: str, *files: str) -> None:  # type: ignore[no-untyped-def]
    """A tool call that says of its first files only that it touched them."""
    touched = [str(root / file) for file in files]
    payload = {
        "hook_event_name": "PostToolUse", "session_id": id, "cwd": str(root), "tool_name": "Edit",
        "tool_input": {"file_path": touched[0], "paths": touched, "old_string": "a", "new_string": "b"},
        "tool_response": {"ok": True}, "tool_use_id": id,
    }  # fmt: skip
    run_hook("claude", payload)
