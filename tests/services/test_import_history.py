"""Importing what hosts wrote: everything once, everything accounted for, in small transactions."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pith.domain import events
from pith.domain.events import Sighting
from pith.services import capture, config
from pith.services.history import import_history
from pith.services.history.import_history import CLAUDE, CODEX, import_files, import_notes
from pith.store import database
from pith.store import events as stored

DATA = Path(__file__).parents[1] / "data" / "transcripts"


@pytest.fixture
def db(pith_home):
    with database.open_store(str(pith_home / "projects" / "p")) as store:
        yield store


@pytest.fixture
def homes(tmp_path):
    return Path(shutil.copytree(DATA, tmp_path / "homes"))


def files(homes):
    return [
        *import_history.find_files(CLAUDE, homes / "claude"),
        *import_history.find_files(CODEX, homes / "codex"),
    ]


def bring(db, paths, **more):
    return import_files(db, paths, config.defaults(), **more)


def texts(db):
    return sorted((row["session"], row["agent"], row["kind"], row["text"]) for row in stored.each(db))


def test_every_line_of_every_file_is_accounted_for(db, homes):
    report = bring(db, files(homes))
    assert len(report.files) == 9
    for file in report.files:
        assert file.lines == file.taken + sum(file.skipped.values())
        assert file.lines == len(Path(file.path).read_bytes().splitlines())
    assert report.lines == report.taken + sum(report.skipped.values())
    assert report.new + report.known + sum(report.left_out.values()) >= report.taken
    assert report.bytes == sum(path.stat().st_size for path in files(homes))
    assert not report.errors


def test_a_second_import_adds_nothing_and_reads_nothing(db, homes):
    first = bring(db, files(homes))
    before = texts(db)
    second = bring(db, files(homes))
    assert first.new == len(before)
    assert (second.new, second.lines, second.bytes) == (0, 0, 0)
    third = bring(db, files(homes), again=True)
    assert (third.new, third.lines) == (0, first.lines)
    assert texts(db) == before


def test_a_fork_adds_only_what_it_does_not_share_in_either_order(db, homes, tmp_path):
    paths = files(homes)
    bring(db, paths)
    with database.open_store(str(tmp_path / "other")) as other:
        bring(other, reversed(paths))
        assert texts(other) == texts(db)
    rows = [row for row in stored.each(db) if row["session"].startswith("019de8")]
    assert sum(row["text"] == "장바구니 합계가 1원 틀려요" for row in rows) == 1


def test_what_hooks_saw_first_is_known_to_an_import(db, homes):
    def hook(kind, text, at, **more):
        seen = Sighting(kind, "shop-1", text, at, host=CLAUDE, channel=events.HOOK, **more)
        assert capture.keep(db, capture.prepare(seen, config.defaults())) is not None

    at = "2026-05-02T09:00:01.500Z"
    hook(events.PROMPT, "장바구니 합계가 1원 틀려요. 쿠폰 두 장을 같이 쓸 때만요", at, turn="p1")
    hook(events.TOOL, "$ pytest -q tests/test_total.py\nexit 1\n1 failed", at, tool="t2")
    hook(events.RESPONSE, "쿠폰을 먼저 빼고 마지막에 한 번만 반올림합니다.", at)
    (path,) = [path for path in files(homes) if path.name == "shop-1.jsonl"]
    report = bring(db, [path])
    assert report.known == 3
    with_hooks = len(texts(db))
    assert bring(db, [path], again=True).new == 0
    assert len(texts(db)) == with_hooks == report.new + 3


def test_what_was_appended_is_brought_in_without_reading_the_rest(db, homes):
    (path,) = [path for path in files(homes) if path.name == "shop-2.jsonl"]
    first = bring(db, [path])
    with path.open("a") as file:
        file.write(
            json.dumps({"type": "user", "uuid": "n1", "sessionId": "shop-2", "message": {"content": "계속해"}}) + "\n"
        )
    report = bring(db, [path])
    assert (report.lines, report.new) == (1, 1)
    assert report.files[0].start == first.files[0].size


def test_a_file_that_shrank_or_became_another_is_read_from_its_start(db, homes):
    (path,) = [path for path in files(homes) if path.name == "shop-1.jsonl"]
    first = bring(db, [path])
    whole = path.read_bytes()
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[:20]))
    assert (bring(db, [path]).lines, bring(db, [path]).lines) == (20, 0)
    path.write_bytes(whole.replace(b"fix/coupon", b"fix/rounds"))
    report = bring(db, [path])
    assert (report.lines, report.new) == (first.lines, 0)


def test_pain_32_an_import_that_is_stopped_anywhere_goes_on_where_it_was(db, homes, monkeypatch):
    monkeypatch.setattr(import_history, "BATCH", 2)
    paths = files(homes)
    with database.open_store(db.path.removesuffix("store.db") + "calm") as calm:
        bring(calm, paths)
        expected = texts(calm)
    real, calls = capture.record, 0

    def record(*args):
        nonlocal calls
        calls += 1
        if calls % 7 == 0:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(capture, "record", record)
    for _ in range(100):
        try:
            bring(db, paths)
            break
        except KeyboardInterrupt:
            continue
    assert texts(db) == expected


def test_pain_32_bad_lines_are_told_by_file_and_line(db, tmp_path):
    path = tmp_path / "odd.jsonl"
    path.write_bytes(b'{"type":"user","message":{"content":"kept"}}\n{"type":\n' + b"[]\n" * 30)
    report = bring(db, [path])
    assert report.bad[:2] == [(str(path), 2, "not readable as JSON"), (str(path), 3, "not a record")]
    assert len(report.bad) == 20
    assert (report.new, sum(report.skipped.values())) == (1, 31)


def test_a_file_that_cannot_be_read_does_not_stop_the_others(db, homes, tmp_path):
    report = bring(db, [tmp_path / "gone.jsonl", tmp_path, *files(homes)])
    assert [Path(path).name for path, _ in report.errors] == ["gone.jsonl", tmp_path.name]
    assert report.new > 30


def test_work_of_another_project_is_left_out_and_counted(db, homes):
    report = bring(db, files(homes), directory_of=lambda cwd: None)
    assert set(report.left_out) == {import_history.ELSEWHERE}
    assert (report.new, texts(db)) == (0, [])


def test_the_directory_within_the_project_is_kept(db, homes):
    directories = {"/home/me/shop": "", "/home/me/shop/docs": "docs"}
    bring(db, files(homes), directory_of=directories.get)
    told = {row["text"]: row["directory"] for row in stored.each(db) if row["session"].startswith("019de8")}
    assert told["요약: 반올림은 마지막에 한 번만 한다."] == "docs"
    assert told["장바구니 합계가 1원 틀려요"] == ""


def test_pain_15_sessions_of_pith_itself_are_not_imported(db, pith_home, tmp_path):
    path = tmp_path / "s.jsonl"
    record = {
        "type": "user",
        "uuid": "1",
        "cwd": str(pith_home / "work"),
        "message": {"content": "summarise this"},
    }
    path.write_text(json.dumps(record) + "\n")
    report = bring(db, [path])
    assert report.left_out == {import_history.OWN: 1}
    assert texts(db) == []


def test_titles_and_parents_of_sessions_are_kept(db, homes):
    bring(db, files(homes))
    rows = db.execute("SELECT id, title, parent, cwd FROM sessions WHERE agent = ''")
    told = {row["id"]: (row["title"], row["parent"]) for row in rows}
    assert told["shop-1"][0] == "장바구니 반올림"
    assert told["shop-2"][1] == "shop-1"


def test_secrets_are_masked_before_anything_is_written(db, tmp_path):
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    path = tmp_path / "s.jsonl"
    path.write_text(
        json.dumps({"type": "user", "uuid": "1", "message": {"content": f"토큰은 {key[:40]} 입니다"}}) + "\n"
    )
    bring(db, [path])
    assert key[:40].encode() not in Path(db.path).read_bytes() + Path(f"{db.path}-wal").read_bytes()


def test_pain_37_the_hosts_notes_come_along_once(db, homes):
    from pith.adapters import notes_claude

    paths = notes_claude.find_notes(homes / "claude")
    first = import_notes(db, paths, config.defaults(), directory_of={"/home/me/shop": ""}.get)
    assert (first.new, first.files[0].lines) == (3, 3)
    assert import_notes(db, paths, config.defaults()).new == 0
    assert {row["origin"] for row in stored.each(db)} == {events.IMPORTED}
    assert import_notes(db, paths, config.defaults(), directory_of=lambda cwd: None).left_out


def test_progress_is_told_up_to_the_end(db, homes):
    told = []
    bring(db, files(homes), progress=lambda *at: told.append(at))
    last = {path: (done, size) for path, done, size in told}
    assert len(last) == 9
    assert all(done <= size for done, size in last.values())


@pytest.mark.parametrize("path", sorted(DATA.rglob("*.jsonl")), ids=lambda path: path.stem[:30])
def test_whose_transcript_a_file_is_can_be_seen(tmp_path, path):
    expected = CODEX if "codex" in path.parts else CLAUDE
    assert import_history.host_of(path) == expected
    assert import_history.host_of(shutil.copy(path, tmp_path / "renamed.jsonl")) == expected
