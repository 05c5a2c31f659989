"""The doctor: everything it promises to see is damaged here on purpose; it must be loud, repair it, and be quiet."""

from __future__ import annotations

import io
import os
import shutil
import sqlite3
import stat
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conftest import program as program_of
from conftest import run_program
from pith import platform
from pith.domain.events import HOOK, PROMPT, RESPONSE, Sighting
from pith.interfaces.cli.doctor import doctor
from pith.interfaces.cli.output import Terminal
from pith.services import capture, location, preferences, project, spool, workspace
from pith.services.doctor import examination, program, store_content, store_file
from pith.services.doctor import home as home_checks
from pith.services.doctor import worker as worker_checks
from pith.services.doctor.checks import CHECKS as ALL_CHECKS
from pith.services.doctor.checks import CONTENT, GROUPS, KNOWLEDGE, MEMORY, check
from pith.services.doctor.finding import ERROR, NOTE, SEVERITIES, Check, Finding, Symptom
from pith.services.doctor.patient import admit
from pith.services.keeping import backup
from pith.services.setup import install
from pith.services.work import record
from pith.services.work import start as work_start
from pith.store import database, health, search
from pith.store import events as database_events

ROOT = Path(__file__).parents[2]
OUTSIDE = [each for each in ALL_CHECKS if each.group != MEMORY]  # those: test_doctor_memory.py
CHECKS = [each for each in OUTSIDE if each.group != KNOWLEDGE]  # those: test_doctor_knowledge.py
UPDATE = os.environ.get("PITH_UPDATE_TRANSCRIPTS") == "1"  # read before a test has an environment of its own
SAID = (
    (PROMPT, "쿠폰함은 왜 만료된 쿠폰을 보여주나요?"),
    (RESPONSE, "The coupon box reads expired coupons from `coupon_store.py`; getExpired() lacks a filter."),
    (PROMPT, "배송지변경 화면도 고쳐 주세요."),
    (RESPONSE, "Changed src/shop/address.py, error E1234 is gone."),
    (PROMPT, "tag v2.1 and push"),
)


@dataclass
class Sick:
    """A project that was healthy, and what a test needs to damage it."""

    repo: Path
    home: Path  # the user's
    pith_home: Path
    folder: Path
    patch: pytest.MonkeyPatch

    @property
    def db(self) -> Path:
        return self.folder / database.FILE

    def sql(self, *statements: str) -> None:
        """Run SQL behind the program's back."""
        connection = sqlite3.connect(self.db, isolation_level=None)
        for statement in statements:
            connection.execute(statement)
        connection.close()

    def open(self) -> database.Db:
        return database.open_store(str(self.folder))

    def codes(self, **how: Any) -> list[str]:
        return [finding.code for finding in self.findings(**how)]

    def findings(self, **how: Any) -> tuple[Finding, ...]:
        with admit(cwd=str(self.repo), **how) as patient:
            return examination.examine(patient).findings

    def found(self, code: str) -> Finding:
        return next(finding for finding in self.findings() if finding.code == code)

    def repair(self, code: str) -> examination.Treatment:
        with admit(cwd=str(self.repo)) as patient:
            return examination.repair(patient, code)


def said(kind: str, text: str, number: int = 0, at: str = "2026-01-02T03:04:05.000Z") -> Sighting:
    return Sighting(kind, "session-1", text, at, host="claude", channel=HOOK, record=f"record-{number}-{text[:9]}")


@pytest.fixture
def sick(git_repo: Path, home: Path, pith_home: Path, monkeypatch: pytest.MonkeyPatch) -> Sick:
    """A healthy project, not yet damaged; its folder has a Korean name."""
    repo = git_repo.parent / "쇼핑몰"
    git_repo.rename(repo)
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    with workspace.open_workspace(str(repo)) as ws:
        for number, (kind, text) in enumerate(SAID):
            capture.keep(ws.db, said(kind, text, number, f"2026-01-02T03:04:{number:02}.000Z"))
        folder = Path(ws.folder)
    return Sick(repo, home, pith_home, folder, monkeypatch)


# -- One way to damage each promise ----------------------------------------------------------------------------


def python_old(sick: Sick) -> None:
    sick.patch.setattr(program, "OLDEST_PYTHON", (99, 0))


def sqlite_old(sick: Sick) -> None:
    sick.patch.setattr(program, "OLDEST_SQLITE", (99, 0, 0))


def another(sick: Sick, name: str) -> None:
    folder = sick.home / "bin"
    folder.mkdir()
    script = folder / name
    script.write_text("#!/bin/sh\necho another\n", encoding="utf-8")
    script.chmod(0o755)
    sick.patch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def another_pith(sick: Sick) -> None:
    another(sick, "pith")


def another_orange(sick: Sick) -> None:
    another(sick, "orange")


def home_is_a_file(sick: Sick) -> None:
    shutil.rmtree(sick.pith_home)
    sick.pith_home.write_text("", encoding="utf-8")


def disk_full(sick: Sick) -> None:
    sick.patch.setattr(home_checks, "ENOUGH_FREE", 1 << 62)


def open_to_others(sick: Sick) -> None:
    sick.db.chmod(0o644)
    sick.folder.chmod(0o755)


def draft(sick: Sick) -> None:
    path = sick.folder / ".config.toml.99-aabbccdd.draft"
    path.write_text("half a", encoding="utf-8")
    path.chmod(0o600)
    os.utime(path, (1, 1))


def damaged_spool_file(sick: Sick) -> None:
    path = sick.folder / "spool" / "1.json.damaged"
    platform.private_folder(str(path.parent))
    platform.write_private(str(path), b"{")


def lost(sick: Sick) -> None:
    for _ in range(3):
        spool.lose(str(sick.pith_home), "hook input over 64 MB")


def register_garbage(sick: Sick) -> None:
    (sick.pith_home / "projects.json").write_text("{ not json", encoding="utf-8")


def register_without_a_key(sick: Sick) -> None:
    note = sick.folder / "project.json"
    note.write_text(note.read_text(encoding="utf-8").replace('"git:', '"path:/elsewhere'), encoding="utf-8")


def ownerless(sick: Sick) -> None:
    folder = sick.pith_home / "projects" / "00000000-0000-7000-8000-000000000000"
    platform.private_folder(str(folder))
    platform.write_private(str(folder / database.FILE), sick.db.read_bytes())


def linked(sick: Sick) -> None:
    other = sick.repo.parent / "other"
    other.mkdir()
    with workspace.open_workspace(str(other)) as ws:
        ws.db.execute("SELECT 1")
    project.link(str(sick.pith_home), location.locate(str(other)), str(sick.repo))


def wrong_setting(sick: Sick) -> None:
    platform.write_private(str(sick.pith_home / "config.toml"), b"[recall]\nbudgetTokens = 'many'\n")


def no_store(sick: Sick) -> None:
    for path in sick.folder.glob("store.db*"):
        path.unlink()


def a_folder_instead(sick: Sick) -> None:
    no_store(sick)
    sick.db.mkdir(0o700)


def torn(sick: Sick) -> None:
    """Overwrite the middle of the file, as a failing disk does."""
    data = bytearray(sick.db.read_bytes())
    page = 4096
    for start in range(2 * page, len(data) - page, 3 * page):
        data[start : start + 200] = b"\xa5" * 200
    sick.db.write_bytes(data)


def newer(sick: Sick) -> None:
    sick.sql("PRAGMA user_version = 99")


def older(sick: Sick) -> None:
    sick.db.write_bytes(b"")


def spooled(sick: Sick) -> None:
    spool.put(str(sick.folder), [said(PROMPT, "대기 중인 질문", 77)])


def log_large(sick: Sick) -> None:
    sick.patch.setattr(store_file, "LOG_LARGE", 0)
    db = sick.open()
    db.execute("INSERT INTO meta (name, value) VALUES ('a', 'b')")
    sick.patch.setitem(globals(), "_kept_open", db)  # the last one to close would empty the log


def bad_backup(sick: Sick) -> None:
    path = sick.folder / "backups" / "store-v1-1.db"
    platform.private_folder(str(path.parent))
    platform.write_private(str(path), b"no database")
    os.utime(path, (1, 1))


def bloated(sick: Sick) -> None:
    sick.patch.setattr(store_file, "LARGE_FROM", 1_000_000)
    sick.sql(
        "INSERT INTO meta VALUES ('filler', CAST(zeroblob(3000000) AS TEXT))",
        "DELETE FROM meta WHERE name = 'filler'",
    )


def over_limit(sick: Sick) -> None:
    platform.write_private(str(sick.pith_home / "config.toml"), b"[capture]\nmaxStoreMegabytes = 1\n")
    sick.sql("INSERT INTO meta VALUES ('filler', CAST(zeroblob(3000000) AS TEXT))")


def scattered(sick: Sick) -> None:
    sick.patch.setattr(store_file, "SEGMENTS_MANY", 1)


def no_trigger(sick: Sick) -> None:
    sick.sql("DROP TRIGGER events_never_change", "DROP INDEX events_by_session")


def half_forgotten(sick: Sick) -> None:
    sick.sql("INSERT INTO meta VALUES ('forget.unfinished', '2026-01-02T03:04:05.000Z')")


def dangling(sick: Sick) -> None:
    sick.sql("INSERT INTO event_files (path, event) VALUES ('src/a.py', 999)")


def no_anchor(sick: Sick) -> None:
    sick.sql("DELETE FROM event_anchors WHERE event = 2")


def change_text(sick: Sick, text: str) -> None:
    connection = sqlite3.connect(sick.db, isolation_level=None)
    name = "bodies_are_forgotten_once"
    (trigger,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", [name]).fetchone()
    connection.execute(f"DROP TRIGGER {name}")
    connection.execute("UPDATE event_bodies SET text = ? WHERE seq = 2", [text])
    connection.execute(trigger)
    connection.close()


def changed(sick: Sick) -> None:
    change_text(sick, "The coupon box hides expired coupons.")


def uncited(sick: Sick) -> None:
    sick.sql("DELETE FROM citations")


def outdated(sick: Sick) -> None:
    sick.sql("UPDATE meta SET value = '0' WHERE name = 'words'")


def unfindable(sick: Sick) -> None:
    with sick.open() as db:
        row = db.execute("SELECT seq, text FROM event_bodies WHERE seq = 3")[0]
        search.remove(db, row["seq"], store_content.words.terms(row["text"]))


def ahead(sick: Sick) -> None:
    with workspace.open_workspace(str(sick.repo)) as ws:
        capture.keep(ws.db, said(PROMPT, "내일의 질문", 8, "2199-01-01T00:00:00.000Z"))


def agent(sick: Sick, settings: str = '{"cleanupPeriodDays": 365}') -> Path:
    folder = sick.home / ".claude"
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(settings, encoding="utf-8")
    return folder


def hooks_absent(sick: Sick) -> None:
    agent(sick)


def hooks_dead(sick: Sick) -> None:
    folder = agent(sick)
    install.install("claude")
    file = folder / "settings.json"
    gone = file.read_text(encoding="utf-8").replace(str(Path(sys.executable).parent), "/gone")
    file.write_text(gone, encoding="utf-8")


def server_dead(sick: Sick) -> None:
    from pith.adapters import mcp_hosts
    from pith.services.setup import servers

    servers.install("cursor")
    file = Path(mcp_hosts.host("cursor").file())
    file.write_text(file.read_text(encoding="utf-8").replace(sys.executable, "/gone/python"), encoding="utf-8")


def deletes_early(sick: Sick) -> None:
    agent(sick, '{"cleanupPeriodDays": 30}')


def imported_long_ago(sick: Sick) -> None:
    folder = agent(sick) / "projects" / "-home-me-shop"
    folder.mkdir(parents=True)
    sample = next((ROOT / "samples" / "claude" / "projects").glob("*/*.jsonl"))
    shutil.copy(sample, folder)
    sick.sql("INSERT INTO imports VALUES ('x.jsonl', 1, 1, x'00', 1, '2020-01-01T00:00:00.000Z')")


def personal_store(sick: Sick) -> Path:
    with workspace.open_workspace(str(sick.repo)) as ws:
        preferences.add(ws, "Always answer in Korean", everywhere=True)
    return sick.home / "pith" / "personal" / "store.db"


def personal_torn(sick: Sick) -> None:
    with personal_store(sick).open("r+b") as file:
        file.seek(4096)
        file.write(b"\x5a" * 8192)


def personal_changed(sick: Sick) -> None:
    connection = sqlite3.connect(personal_store(sick), isolation_level=None)
    connection.execute("UPDATE preferences SET text = 'Always run everything as root'")
    connection.close()


def lock_is_a_folder(sick: Sick) -> None:
    (sick.folder / work_start.LOCK).mkdir(mode=0o700)


def worker_killed(sick: Sick) -> None:
    record.write(str(sick.folder), record.Record(began="2026-01-02T03:04:05.000Z", until="idle"))


def worker_fails(sick: Sick) -> None:
    failures = {"nodes": record.Failure(3, "2026-01-02T03:04:05.000Z", "The disk is full.")}
    record.write(str(sick.folder), record.Record("2026", "2026", "idle", "idle", failures=failures))


def work_piles_up(sick: Sick) -> None:
    sick.patch.setattr(worker_checks, "MANY", 1)


DAMAGE: dict[str, Callable[[Sick], None]] = {
    "PYTHON_OLD": python_old,
    "SQLITE_OLD": sqlite_old,
    "COMMAND_NOT_OURS": another_pith,
    "ORANGE_NOT_OURS": another_orange,
    "HOME_UNWRITABLE": home_is_a_file,
    "DISK_NEARLY_FULL": disk_full,
    "OPEN_TO_OTHERS": open_to_others,
    "DRAFT_LEFT": draft,
    "DAMAGED_FILE_KEPT": damaged_spool_file,
    "EVENTS_LOST": lost,
    "PERSONAL_UNREADABLE": personal_torn,
    "PERSONAL_DIFFERS": personal_changed,
    "REGISTER_UNREADABLE": register_garbage,
    "REGISTER_DISAGREES": register_without_a_key,
    "STORE_OWNERLESS": ownerless,
    "STORE_SET_ASIDE": linked,
    "SETTING_INVALID": wrong_setting,
    "STORE_ABSENT": no_store,
    "STORE_UNAVAILABLE": a_folder_instead,
    "STORE_CORRUPT": torn,
    "STORE_TOO_NEW": newer,
    "STORE_OLD": older,
    "SPOOL_WAITING": spooled,
    "LOG_LARGE": log_large,
    "BACKUP_UNREADABLE": bad_backup,
    "STORE_LARGE": bloated,
    "STORE_OVER_LIMIT": over_limit,
    "INDEX_SCATTERED": scattered,
    "SCHEMA_ALTERED": no_trigger,
    "ROW_DANGLING": dangling,
    "EVENT_INCOMPLETE": no_anchor,
    "EVENT_CHANGED": changed,
    "CITATION_MISSING": uncited,
    "FORGETTING_UNFINISHED": half_forgotten,
    "TEXT_OUTDATED": outdated,
    "TEXT_DIFFERS": unfindable,
    "CLOCK_AHEAD": ahead,
    "WORKER_BLOCKED": lock_is_a_folder,
    "WORKER_UNENDED": worker_killed,
    "WORKER_FAILING": worker_fails,
    "WORKER_BEHIND": work_piles_up,
    "HOOKS_ABSENT": hooks_absent,
    "HOOKS_BROKEN": hooks_dead,
    "SERVER_BROKEN": server_dead,
    "HISTORY_DELETED_EARLY": deletes_early,
    "IMPORT_LATE": imported_long_ago,
}


def test_every_check_is_damaged_on_purpose():
    assert [each.code for each in CHECKS] == list(DAMAGE)


def test_a_healthy_project_is_told_nothing(sick):
    assert sick.findings() == ()
    assert sick.findings(deep=True) == ()


@pytest.mark.parametrize("code", DAMAGE)
def test_damage_is_told_with_its_next_step_repaired_and_then_quiet(code, sick):
    DAMAGE[code](sick)
    found = sick.found(code)
    assert found.message.strip().endswith(".")
    assert found.hint.strip().endswith((".", "`"))
    assert found.severity in SEVERITIES
    if check(code).repair is None:
        return
    assert examination.repairable([found])
    treated = sick.repair(code)
    assert treated.worked, treated.message
    assert treated.message.endswith(".")
    assert code not in sick.codes()


@pytest.mark.parametrize("code", DAMAGE)
def test_nothing_but_the_damage_is_told(code, sick):
    DAMAGE[code](sick)
    also = {
        "EVENT_CHANGED": {"TEXT_DIFFERS"},  # changed behind the program's back, its words are others
        "HISTORY_DELETED_EARLY": {"HOOKS_ABSENT"},
        "IMPORT_LATE": {"HOOKS_ABSENT"},
    }
    assert set(sick.codes()) - also.get(code, set()) == {code}


# -- What repairs leave behind -----------------------------------------------------------------------------------


def test_a_rebuilt_full_text_holds_exactly_the_words_of_the_bodies(sick):
    unfindable(sick)
    with sick.open() as db:
        search.add(db, 4, ["stranger"])
    assert "TEXT_DIFFERS" in sick.codes(deep=True)
    sick.repair("TEXT_DIFFERS")
    assert sick.codes(deep=True) == []


def test_full_text_is_not_rebuilt_while_another_process_forgets(sick):
    unfindable(sick)
    sick.patch.setattr(store_content.forget, "PATIENCE", 0.05)
    with platform.Lock(str(sick.folder / "upkeep.lock")):
        assert not sick.repair("TEXT_DIFFERS").worked
    assert sick.repair("TEXT_DIFFERS").worked
    assert sick.codes(deep=True) == []


def test_a_word_too_many_is_seen_by_the_sums_without_looking_at_every_word(sick):
    with sick.open() as db:
        search.add(db, 4, ["stranger"])
    assert sick.codes() == ["TEXT_DIFFERS"]


def test_a_word_in_the_wrong_event_is_seen_with_deep(sick):
    """One word less here and one more there: the sums agree, and no sample need meet it."""
    sick.patch.setattr(store_content, "SAMPLE_TERMS", 0)
    with sick.open() as db:
        search.remove(db, 5, ["push"])
        search.add(db, 4, ["push"])
    assert sick.codes() == []
    assert sick.codes(deep=True) == ["TEXT_DIFFERS"]


def test_a_rebuild_that_was_killed_is_told_and_finished(sick):
    with sick.open() as db:
        with db.transaction():
            search._begin_rebuild(db)
        with db.transaction():
            search._rebuild_some(db)
    assert sick.codes() == ["TEXT_OUTDATED"]
    sick.repair("TEXT_OUTDATED")
    assert sick.codes(deep=True) == []


def test_a_text_that_is_no_text_any_more_is_told_and_keeps_no_other_from_being_found(sick):
    """A bad disk may turn letters into bytes that no encoding knows."""
    data = bytearray(sick.db.read_bytes())
    at = data.index("배송지변경 화면도".encode())
    data[at : at + 4] = b"\xff\xfe\x80\x81"
    sick.db.write_bytes(data)
    assert sick.codes(deep=True) == ["EVENT_CHANGED", "TEXT_DIFFERS"]
    assert "배송지" not in "".join(finding.message for finding in sick.findings())
    assert sick.repair("TEXT_DIFFERS").worked
    assert sick.codes(deep=True) == ["EVENT_CHANGED"]


def test_what_is_written_during_a_rebuild_gets_one_row(sick):
    with sick.open() as db:
        with db.transaction():
            search._begin_rebuild(db)
        with workspace.open_workspace(str(sick.repo)) as ws:
            capture.keep(ws.db, said(PROMPT, "재구성 중에 들어온 질문", 9))
        going = True
        while going:
            with db.transaction():
                going = search._rebuild_some(db)
    assert sick.codes(deep=True) == []


def test_where_sizes_count_other_words_than_today_the_sums_prove_nothing_and_samples_do(sick):
    changed(sick)
    sick.repair("TEXT_DIFFERS")
    assert sick.codes(deep=True) == ["EVENT_CHANGED"]
    with sick.open() as db:
        assert not health.text_state(db).sizes_hold
    unfindable(sick)
    assert "TEXT_DIFFERS" in sick.codes()


def test_a_spooled_event_is_in_the_store_after_the_repair(sick):
    spooled(sick)
    sick.repair("SPOOL_WAITING")
    with sick.open() as db:
        assert db.execute("SELECT count(*) FROM event_bodies WHERE text = '대기 중인 질문'")[0][0] == 1


def test_after_the_repair_events_cannot_be_changed_again(sick):
    no_trigger(sick)
    assert sick.repair("SCHEMA_ALTERED").worked
    with sick.open() as db, pytest.raises(sqlite3.IntegrityError, match="never change"):
        db.execute("UPDATE events SET kind = 'note'")


def test_a_lost_table_is_told_and_not_made_up(sick):
    sick.sql("DROP TABLE citations")
    assert sick.codes().count("SCHEMA_ALTERED") == 1
    assert not sick.repair("SCHEMA_ALTERED").worked


def test_what_waits_in_the_home_finds_its_project(sick):
    spool.put(str(sick.pith_home), [said(PROMPT, "아직 모르는 프로젝트의 질문", 78)], str(sick.repo))
    assert sick.codes() == ["SPOOL_WAITING"]
    assert sick.repair("SPOOL_WAITING").worked
    assert sick.codes() == []


def test_permissions_of_everything_in_the_home_are_closed(sick):
    open_to_others(sick)
    platform.write_private(str(sick.pith_home / "log.txt"), b"")
    (sick.pith_home / "log.txt").chmod(0o666)
    sick.repair("OPEN_TO_OTHERS")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in sick.pith_home.rglob("*")}
    assert modes == {0o600, 0o700}


def test_a_link_to_somebodys_dotfiles_is_left_alone(sick):
    dotfile = sick.home / "dotfiles.toml"
    dotfile.write_text("", encoding="utf-8")
    dotfile.chmod(0o644)
    (sick.pith_home / "config.toml").symlink_to(dotfile)
    assert sick.codes() == []


def test_a_draft_that_is_being_written_is_left_alone(sick):
    draft(sick)
    os.utime(sick.folder / ".config.toml.99-aabbccdd.draft", (time.time(), time.time()))
    assert sick.codes() == []


def test_a_torn_database_is_saved_from_its_backup_and_the_damaged_file_is_kept(sick):
    backup.make(str(sick.folder))
    torn(sick)
    damaged = sick.db.read_bytes()
    treated = sick.repair("STORE_CORRUPT")
    assert treated.message.startswith("5 events saved")
    kept = next(path for path in sick.folder.glob("store.db.damaged-*") if not path.name.endswith("-wal"))
    assert kept.read_bytes() == damaged
    assert sick.codes(deep=True) == ["DAMAGED_FILE_KEPT"]


def test_what_is_no_database_at_all_begins_anew_and_says_what_is_kept(sick):
    sick.db.write_bytes(b"this is no database at all")
    assert sick.repair("STORE_CORRUPT").message.startswith("0 events saved")
    assert sick.codes(deep=True) == ["DAMAGED_FILE_KEPT"]


def test_forgotten_events_are_no_damage(sick):
    with sick.open() as db, db.transaction():
        row = db.execute("SELECT text FROM event_bodies WHERE seq = 2")[0]
        search.remove(db, 2, store_content.words.terms(row["text"]))
        database_events.bury(db, 2, platform.now())
    assert sick.codes(deep=True) == []


def test_pain_02_a_database_out_of_proportion_to_its_text_is_told_and_made_small(sick):
    bloated(sick)
    assert "times the text" in sick.found("STORE_LARGE").message
    before = sick.db.stat().st_size
    sick.repair("STORE_LARGE")
    assert sick.db.stat().st_size < before / 7  # an empty store has a page for each table and index
    assert sick.codes(deep=True) == []


def test_pain_31_a_host_that_deletes_early_is_told_with_how_to_keep_its_history(sick):
    deletes_early(sick)
    found = sick.found("HISTORY_DELETED_EARLY")
    assert found.severity == "warning"
    assert "30 days" in found.message
    assert "pith import" in found.hint
    agent(sick, '{"cleanupPeriodDays": 365}')
    assert "HISTORY_DELETED_EARLY" not in sick.codes()


def test_pain_04_losses_are_counted_by_reason_until_somebody_has_seen_them(sick):
    lost(sick)
    assert sick.found("EVENTS_LOST").message == "3 events lost: hook input over 64 MB."
    assert "3 events" in sick.repair("EVENTS_LOST").message
    assert sick.codes() == []


def test_hooks_whose_program_is_gone_are_an_error_and_other_complaints_a_warning(sick):
    hooks_dead(sick)
    assert {finding.severity for finding in sick.findings()} == {ERROR}
    agent(sick, '{"cleanupPeriodDays": 365, "disableAllHooks": true}')
    install.install("claude")
    assert [finding.severity for finding in sick.findings()] == ["warning"]


def test_an_agent_that_calls_pith_by_the_plugin_alone_is_well(sick):
    agent(sick, '{"cleanupPeriodDays": 365, "enabledPlugins": {"pith@pith": true}}')
    assert not [code for code in sick.codes() if code.startswith("HOOKS")]


def test_hooks_beside_the_plugin_are_told_with_what_it_costs(sick):
    agent(sick, '{"cleanupPeriodDays": 365, "enabledPlugins": {"pith@pith": true}}')
    install.install("claude")
    (finding,) = sick.findings()
    assert "arrives twice" in finding.message
    assert "install claude" not in finding.hint.replace("uninstall claude", "")


def test_settings_of_a_host_that_cannot_be_read_are_told_once(sick):
    agent(sick, "{ not json")
    assert [code for code in sick.codes() if code.startswith("HOOKS")] == ["HOOKS_BROKEN"]


# -- Always an answer ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", DAMAGE)
def test_the_command_never_ends_in_a_traceback(code, sick, pith):
    DAMAGE[code](sick)
    for words in (["doctor"], ["doctor", "--deep", "--json"]):
        run = pith(*words, cwd=sick.repo)
        assert run.code in (0, 2)
        assert run.stderr == ""
        assert code in run.stdout


def test_a_locked_database_is_told_as_busy(sick):
    """An exclusive lock outside WAL mode keeps even readers out."""
    sick.sql("PRAGMA journal_mode = DELETE")
    sick.patch.setattr(health, "PATIENCE_MS", 50)
    holder = sqlite3.connect(sick.db, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    found = sick.found("STORE_UNAVAILABLE")
    holder.execute("ROLLBACK")
    holder.close()
    assert found.severity == "warning"
    assert sick.codes() == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_store_on_a_read_only_disk_is_examined(sick):
    for path in (sick.db, sick.folder, sick.pith_home / "projects", sick.pith_home):
        path.chmod(0o400 if path.is_file() else 0o500)
    try:
        assert sick.codes(deep=True) == ["HOME_UNWRITABLE"]
    finally:
        for path in (sick.pith_home, sick.pith_home / "projects", sick.folder):
            path.chmod(0o700)


def test_a_writer_does_not_disturb_the_examination(sick):
    holder = sick.open()
    holder.execute("BEGIN IMMEDIATE")
    assert sick.codes() == []
    holder.close()


@pytest.mark.parametrize("words", [["doctor"], ["doctor", "--repair", "--yes"], ["doctor", "--json"]])
def test_without_home_store_git_or_agents_there_are_only_notes(words, pith, tmp_path, monkeypatch, pith_home):
    monkeypatch.setenv("PATH", str(tmp_path))
    folder = tmp_path / "새 프로젝트"
    folder.mkdir()
    run = pith(*words, cwd=folder)
    assert run.code == 0
    assert "STORE_ABSENT" in run.stdout
    assert "COMMAND_NOT_OURS" in run.stdout
    assert not pith_home.exists()


def test_a_folder_that_is_gone_is_no_reason_to_fail(tmp_path, run_pith, monkeypatch):
    script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" doctor'
    done = run_program(["sh", "-c", script, *program_of("pith")], cwd=tmp_path)
    assert done.code == 0
    assert "STORE_ABSENT" in done.stdout


def test_the_content_of_a_damaged_database_is_left_out_and_said_so(sick, pith):
    torn(sick)
    run = pith("doctor", "--json", cwd=sick.repo)
    assert run.code == 2
    assert set(run.json["data"]["left_out"]) == {each.code for each in ALL_CHECKS if each.group in (CONTENT, KNOWLEDGE)}
    assert "must wait until the database can be read" in pith("doctor", cwd=sick.repo).stdout


def test_a_check_that_fails_is_told_and_the_others_are_made(sick):
    def fails(patient: Any) -> Any:
        raise ZeroDivisionError("in the check")
        yield

    broken = Check("BROKEN", "home", NOTE, "It is whole.", "Look.", fails)
    seen = Check("SEEN", "home", NOTE, "It is seen.", "Look.", lambda patient: [Symptom("Seen.")])
    with admit(cwd=str(sick.repo)) as patient:
        found = examination.examine(patient, (broken, seen))
    assert [finding.code for finding in found.findings] == ["BROKEN", "SEEN"]
    assert found.findings[0].severity == "warning"


# -- The command -----------------------------------------------------------------------------------------------


def test_a_healthy_project_hears_that_all_checks_passed(sick, pith):
    assert pith("doctor", cwd=sick.repo, check=True).stdout == f"All {len(OUTSIDE)} checks passed.\n"


def test_G22_errors_end_with_2_warnings_and_notes_with_0_and_strict_makes_errors_of_warnings(sick, pith):
    open_to_others(sick)
    another_orange(sick)
    run = pith("doctor", cwd=sick.repo)
    assert run.code == 0
    assert run.stdout.index("warning OPEN_TO_OTHERS") < run.stdout.index("note ORANGE_NOT_OURS")
    strict = pith("doctor", "--strict", "--json", cwd=sick.repo)
    assert strict.code == 2
    severities = {each["code"]: each["severity"] for each in strict.json["data"]["findings"]}
    assert severities == {"OPEN_TO_OTHERS": "error", "ORANGE_NOT_OURS": "note"}
    uncited(sick)
    assert pith("doctor", cwd=sick.repo).code == 2


def test_G22_a_finding_has_code_severity_message_hint_and_subject_also_in_a_failing_envelope(sick, pith):
    uncited(sick)
    run = pith("doctor", "--json", cwd=sick.repo)
    assert run.json["ok"] is False
    (finding,) = run.json["data"]["findings"]
    assert finding["code"] == "CITATION_MISSING"
    assert set(finding) == {"code", "severity", "message", "hint", "subject"}


def test_G22_absent_hooks_store_history_and_another_orange_are_notes():
    notes = {each.code for each in CHECKS if each.severity == NOTE}
    assert {"HOOKS_ABSENT", "STORE_ABSENT", "ORANGE_NOT_OURS"} <= notes


def test_repair_asks_and_does_nothing_where_nobody_answers(sick, pith):
    open_to_others(sick)
    run = pith("doctor", "--repair", cwd=sick.repo)
    assert "Nothing was repaired" in run.stdout
    assert "OPEN_TO_OTHERS" in sick.codes()


def test_repair_with_yes_repairs_everything_that_is_safe_and_tells_what_it_did(sick, pith):
    for damage in (open_to_others, draft, spooled, uncited, unfindable):
        damage(sick)
    run = pith("doctor", "--repair", "--yes", "--json", cwd=sick.repo)
    assert run.code == 0
    assert run.json["data"]["findings"] == []
    assert all(each["worked"] for each in run.json["data"]["repaired"])
    assert pith("doctor", cwd=sick.repo).stdout.startswith("All ")


ALONE = {"shared": False, "repair_project_id": False}


class Screen(io.StringIO):
    """A terminal as far as a program can tell."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "repaired"), [("예\n", True), ("y\n", True), ("\n", False)])
def test_on_a_terminal_repair_says_what_it_would_do_and_waits_for_yes(sick, answer, repaired):
    open_to_others(sick)
    sick.patch.chdir(sick.repo)
    asked = Screen()
    terminal = Terminal(Screen(), asked, Screen(answer))
    doctor.run({"repair": True, "yes": False, "deep": False, "strict": False, "json": False, **ALONE}, terminal)
    assert "OPEN_TO_OTHERS: Others on this machine can get at" in asked.getvalue()
    assert asked.getvalue().endswith("Repair them now? [y/N] ")
    assert ("OPEN_TO_OTHERS" in sick.codes()) is not repaired


def test_on_a_terminal_severities_have_their_colours(sick):
    for damage in (open_to_others, another_orange, uncited):
        damage(sick)
    sick.patch.setenv("TERM", "xterm")
    sick.patch.delenv("NO_COLOR", raising=False)
    sick.patch.chdir(sick.repo)
    screen = Screen()
    code = doctor.run(
        {"repair": False, "yes": False, "deep": False, "strict": False, "json": False, **ALONE},
        Terminal(screen, Screen()),
    )
    assert code == 2
    for painted in ("\x1b[31merror\x1b[0m", "\x1b[33mwarning\x1b[0m", "\x1b[2mnote\x1b[0m"):
        assert painted in screen.getvalue()


def test_several_repairs_leave_only_the_note_about_the_damaged_register_that_is_kept(sick, pith):
    outdated(sick)
    unfindable(sick)
    register_garbage(sick)
    run = pith("doctor", "--repair", "--yes", "--json", cwd=sick.repo)
    assert [each["code"] for each in run.json["data"]["findings"]] == ["DAMAGED_FILE_KEPT"]


def test_a_repair_that_serves_two_findings_is_made_once():
    found = [check(code).finding(Symptom("x")) for code in ("TEXT_DIFFERS", "TEXT_OUTDATED")]
    assert examination.repairable(found) == ["TEXT_OUTDATED"]


# -- The page --------------------------------------------------------------------------------------------------


def table() -> str:
    """The tables of codes for the documentation."""
    lines = []
    for group, title in GROUPS.items():
        lines += [f"## {title}", "", "| code | severity | promise | next step | repaired |", "|---|---|---|---|---|"]
        for each in ALL_CHECKS:
            if each.group == group:
                repaired = "yes" if each.repair else ""
                cells = f"`{each.code}`", each.severity, each.promise, each.hint, repaired
                lines.append("| " + " | ".join(cells).rstrip() + " |")
        lines.append("")
    return "\n".join(lines)


def test_the_documentation_names_every_check_as_it_is():
    page = ROOT / "docs" / "reference" / "doctor.md"
    before, mark, _ = page.read_text(encoding="utf-8").partition("<!-- checks -->\n")
    wanted = f"{before}{mark}\n{table()}".rstrip() + "\n"
    if UPDATE:
        page.write_text(wanted, encoding="utf-8")
    assert page.read_text(encoding="utf-8") == wanted
