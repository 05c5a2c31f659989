"""Backups, and what is saved of a store that was really damaged."""

from __future__ import annotations

import os
import random
import shutil
import stat
from pathlib import Path

import pytest

from crash.sweep import run, state, sweep
from pith.domain.events import Sighting
from pith.errors import PithError, StoreCorrupt
from pith.services import capture, recall
from pith.services.keeping import backup, forget
from pith.services.workspace import Workspace, open_workspace
from pith.store import citations, compaction, exports, health, sessions, usage
from pith.store import events as stored
from pith.store.database import VERSION, Db, open_store

COUNT = 400
PAGE = 4096


def text(number: int) -> str:
    return f"결정 {number}: the word{number}x gateway keeps {number * 7} retries. " + f"filler{number % 13} " * 30


def put(ws: Workspace, numbers: range) -> None:
    with ws.db.transaction():
        for number in numbers:
            tool = number % 3 == 0
            seen = Sighting(
                "tool" if tool else "prompt",
                f"s-{number % 5}",
                text(number),
                f"2026-05-02T09:{number // 60 % 60:02}:{number % 60:02}.000Z",
                host="claude",
                channel="hook",
                turn=f"p-{number}",
                tool=f"t-{number}" if tool else "",
                details={"tool": "Read", "files": [f"src/file{number}.py"]} if tool else None,
                branch="main",
                directory="src",
            )
            capture.record(ws.db, seen)


@pytest.fixture
def folder(git_repo: Path) -> Path:
    """A store with many events, closed."""
    with open_workspace(str(git_repo)) as ws:
        put(ws, range(COUNT))
        with ws.db.transaction():
            sessions.learn(ws.db, "s-1", "", "claude", "title", "쿠폰함")
            exports.keep(ws.db, "/elsewhere/out.jsonl", "2026-05-02T09:00:00.000Z")
            usage.add(ws.db, at="2026-05-02T09:00:00.000Z", face="cli", session="", query="q", shown=[], tokens=1)
        compaction.empty_log(ws.db)
        return Path(ws.folder)


def texts(folder: Path) -> set[str]:
    with open_store(str(folder)) as db:
        return {row["text"] for row in stored.each(db)}


def anchors(db: Db, seq: int) -> list[bytes]:
    return [anchor for event, anchor in stored.anchors(db) if event == seq]


def assert_whole(folder: Path) -> None:
    """The store is as doctor wants it."""
    assert health.damage(str(folder / "store.db"), deep=True) == []
    with open_store(str(folder)) as db:
        held, said = health.postings(db)
        assert held == said
        assert all(health.lacking(db, part) == [] for part in ("body", "event", "session", "place"))
        assert health.uncited(db) == []
        assert health.foreign(db) == []


def overwrite(path: Path, start: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(data)


# -- Backups -------------------------------------------------------------------------------------------------


def test_the_newest_three_backups_are_kept_and_are_private(folder):
    made = [backup.make(str(folder)) for _ in range(5)]
    listed = backup.list_backups(str(folder))
    assert [each.path for each in listed] == [each.path for each in reversed(made[2:])]
    assert all(stat.S_IMODE(os.stat(each.path).st_mode) == 0o600 for each in listed)
    assert [(each.version, each.bytes > 100_000) for each in listed] == [(VERSION, True)] * 3


def test_a_file_that_is_no_backup_is_neither_listed_nor_removed(folder):
    (folder / "backups").mkdir()
    (folder / "backups" / "mine.db").write_bytes(b"x")
    for _ in range(4):
        backup.make(str(folder))
    assert (folder / "backups" / "mine.db").exists()
    assert len(backup.list_backups(str(folder))) == 3


def test_a_restored_backup_takes_the_stores_place_and_the_old_file_is_kept(folder, git_repo):
    made = backup.make(str(folder))
    with open_workspace(str(git_repo)) as ws:
        put(ws, range(COUNT, COUNT + 5))
    aside = backup.restore(str(folder), made.path)
    assert texts(folder) == {text(number) for number in range(COUNT)}
    shutil.copytree(folder, folder.with_name("kept"))
    os.replace(folder.with_name("kept") / os.path.basename(aside), folder.with_name("kept") / "store.db")
    if os.path.exists(f"{aside}-wal"):
        os.replace(
            folder.with_name("kept") / f"{os.path.basename(aside)}-wal", folder.with_name("kept") / "store.db-wal"
        )
    assert len(texts(folder.with_name("kept"))) == COUNT + 5
    assert_whole(folder)


def test_what_was_forgotten_since_does_not_come_back_with_a_backup(folder, git_repo):
    made = backup.make(str(folder))
    copy = folder.with_name("elsewhere.db")
    shutil.copy(made.path, copy)  # out of reach of forgetting
    with open_workspace(str(git_repo)) as ws:
        forget.forget(ws, forget.choose(ws, "s-2"))
    backup.restore(str(folder), str(copy))
    with open_store(str(folder)) as db:
        assert {row["text"] for row in stored.of_session(db, "s-2")} == {""}
        assert len(stored.forgotten(db)) == COUNT // 5
    assert b"word2x" not in (folder / "store.db").read_bytes()


@pytest.mark.parametrize("content", [b"", b"no database at all", bytes(PAGE * 3)])
def test_a_damaged_backup_is_refused_and_the_store_stays(folder, content):
    bad = folder / "bad.db"
    bad.write_bytes(content)
    with pytest.raises(PithError, match="damaged"):
        backup.restore(str(folder), str(bad))
    assert len(texts(folder)) == COUNT


# -- Salvage -------------------------------------------------------------------------------------------------


def damage_middle(path: Path) -> None:
    pages = path.stat().st_size // PAGE
    rng = random.Random(7)
    for number in range(6):
        overwrite(path, PAGE * (pages * (number + 3) // 10), rng.randbytes(PAGE))


def damage_truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size * 3 // 4 // 512 * 512 + 100)


def damage_header(path: Path) -> None:
    overwrite(path, 0, bytes(100))


def damage_first_page(path: Path) -> None:
    overwrite(path, 0, bytes(PAGE))


def damage_log(path: Path) -> None:
    Path(f"{path}-wal").write_bytes(random.Random(3).randbytes(200_000))
    Path(f"{path}-shm").write_bytes(random.Random(4).randbytes(32_768))


DAMAGES = [damage_middle, damage_truncated, damage_header, damage_first_page, damage_log]


@pytest.mark.parametrize("damage", DAMAGES)
def test_pain_19_after_damage_what_can_be_read_is_a_whole_store_again(folder, damage, git_repo):
    damage(folder / "store.db")
    broken = (folder / "store.db").read_bytes()
    saved = backup.restore_readable(str(folder))
    assert_whole(folder)
    kept = texts(folder)
    assert kept <= {text(number) for number in range(COUNT)}
    assert saved.events == len(kept)
    assert saved.lost == (COUNT - len(kept) if damage is damage_middle else saved.lost)
    least = {damage_middle: COUNT // 2, damage_truncated: COUNT // 4}.get(damage, COUNT)
    assert len(kept) >= least
    assert Path(saved.set_aside).name.startswith("store.db.damaged-")
    assert Path(saved.set_aside).read_bytes() == broken
    assert not (folder / "salvage").exists()
    with open_workspace(str(git_repo)) as ws:  # life goes on
        put(ws, range(COUNT, COUNT + 1))
        assert recall.recall(ws.db, f"word{COUNT}x")[0].text.startswith("결정 ")


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_the_damage_took_comes_from_a_backup(folder, damage, git_repo):
    backup.make(str(folder))
    with open_workspace(str(git_repo)) as ws:
        put(ws, range(COUNT, COUNT + 3))
        compaction.empty_log(ws.db)
    damage(folder / "store.db")
    saved = backup.restore_readable(str(folder))
    assert {text(number) for number in range(COUNT)} <= texts(folder)
    assert_whole(folder)
    assert saved.wrong_checksum == []
    with open_workspace(str(git_repo)) as ws:  # the anchors are back too: nothing is taken for new
        put(ws, range(COUNT))
        assert len(stored.remembered(ws.db)) == saved.events


def test_a_store_that_was_written_anew_is_saved_without_its_first_page_too(folder):
    with open_store(str(folder)) as db:
        compaction.write_anew(db)
        compaction.empty_log(db)
    damage_first_page(folder / "store.db")
    assert backup.restore_readable(str(folder)).events == COUNT


def test_ids_citations_anchors_and_facts_survive(folder):
    with open_store(str(folder)) as db:
        before = {
            row["id"]: (row["text"], row["at"], row["branch"], anchors(db, row["seq"])) for row in stored.each(db)
        }
    damage_header(folder / "store.db")
    backup.restore_readable(str(folder))
    with open_store(str(folder)) as db:
        assert {
            row["id"]: (row["text"], row["at"], row["branch"], anchors(db, row["seq"])) for row in stored.each(db)
        } == before
        assert sessions.facts(db, "s-1", "")["title"] == "쿠폰함"
        assert exports.paths(db) == ["/elsewhere/out.jsonl"]
        assert usage.summary(db)["asked"] == 1
        assert db.execute("SELECT count(*) FROM event_files")[0][0] == len([n for n in range(COUNT) if n % 3 == 0])


def test_a_body_that_does_not_fit_its_checksum_is_kept_and_told(folder):
    path = folder / "store.db"
    data = path.read_bytes()
    at = data.index(b"the word123x gateway")
    overwrite(path, at, b"THE")
    saved = backup.restore_readable(str(folder))
    with open_store(str(folder)) as db:
        row = next(row for row in stored.each(db) if "THE word123x" in row["text"])
        assert saved.wrong_checksum == [f"mem:{citations.name(citations.EVENT, row['id'])}"]
    assert (saved.events, saved.lost) == (COUNT, 0)


def test_a_body_with_a_wrong_checksum_is_taken_from_a_backup_where_it_is_right(folder):
    backup.make(str(folder))
    data = (folder / "store.db").read_bytes()
    overwrite(folder / "store.db", data.index(b"the word123x gateway"), b"THE")
    saved = backup.restore_readable(str(folder))
    assert saved.wrong_checksum == []
    assert texts(folder) == {text(number) for number in range(COUNT)}


def test_tombstones_stay_tombstones(folder, git_repo):
    with open_workspace(str(git_repo)) as ws:
        forget.forget(ws, forget.choose(ws, "s-2"))
    damage_header(folder / "store.db")
    backup.restore_readable(str(folder))
    with open_store(str(folder)) as db:
        assert len(stored.forgotten(db)) == COUNT // 5
        assert sessions.without_facts(db, "title") == ["s-2"]


def test_forgetting_reaches_the_damaged_file_that_was_kept(folder, git_repo):
    damage_middle(folder / "store.db")
    saved = backup.restore_readable(str(folder))
    with open_workspace(str(git_repo)) as ws:
        done = forget.forget(ws, forget.choose(ws, "s-1"))
    assert [(each.path, each.outcome) for each in done.copies] == [(saved.set_aside, "removed")]
    assert not os.path.exists(saved.set_aside)


@pytest.mark.parametrize("seed", range(3))
def test_any_damage_ends_in_a_whole_store_and_never_in_an_error(folder, seed):
    rng = random.Random(seed)
    path = folder / "store.db"
    for _ in range(rng.randrange(1, 40)):
        overwrite(path, rng.randrange(path.stat().st_size), rng.randbytes(rng.choice((1, 16, 300, 5000))))
    backup.restore_readable(str(folder))
    assert_whole(folder)
    assert texts(folder) <= {text(number) for number in range(COUNT)} | {
        each for each in texts(folder) if "gateway" in each or "filler" in each
    }


def test_a_file_of_zeros_ends_in_an_empty_store(folder):
    (folder / "store.db").write_bytes(bytes(PAGE * 20))
    with pytest.raises(StoreCorrupt), open_store(str(folder)) as db:
        stored.counts(db)
    assert backup.restore_readable(str(folder)).events == 0
    assert texts(folder) == set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)], ids=["sample", "all"])
def test_killed_at_any_step_the_next_repair_ends_the_same(pith_home, git_repo, every):
    with open_workspace(str(git_repo)) as ws:
        put(ws, range(8))
        place = Path(ws.folder)
    damage_header(place / "store.db")
    before = pith_home.with_name("damaged")
    shutil.copytree(pith_home, before)
    assert run(lambda: backup.restore_readable(str(place))) == 0
    expected = state(pith_home)
    shutil.rmtree(pith_home)
    shutil.move(before, pith_home)
    for number, step in sweep(lambda: backup.restore_readable(str(place)), pith_home, every=every, sample=20):
        assert run(lambda: backup.restore_readable(str(place))) == 0, f"after dying before {number}: {step}"
        assert state(pith_home)["stores"] == expected["stores"], f"after dying before {number}: {step}"
        assert not (place / "salvage").exists()
