"""What a newcomer stumbled over: each command says the right sentence, and does no more than it says."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from conftest import git
from pith.adapters import notes_claude
from pith.interfaces.cli.commands import COMMANDS, PARTS

SAMPLES = Path(__file__).parents[2] / "samples"
KEPT = "환불 재시도는 세 번으로 하기로 했습니다"


@pytest.fixture
def shop(pith: Any, git_repo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(git_repo)
    pith("import", str(SAMPLES), check=True)
    return git_repo


def cited(pith: Any, question: str = "refund retries", at: int = 0) -> str:
    return str(pith("recall", question, "--json", check=True).json["data"]["hits"][at]["citation"])


# -- Import --------------------------------------------------------------------------------------------------


def test_an_export_is_recognised_and_taken_back(shop, pith, tmp_path):
    pith("export", "--jsonl", str(tmp_path / "b.jsonl"), check=True)
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet")
    said = pith("import", str(tmp_path / "b.jsonl"), cwd=other, check=True).stdout
    assert said.startswith("96 new memories from")
    assert pith("status", "--json", cwd=other, check=True).json["data"]["stored"]["sessions"] == 7


def test_an_export_among_transcripts_is_told(shop, pith, tmp_path):
    pith("export", "--jsonl", str(tmp_path / "b.jsonl"), check=True)
    run = pith("import", str(SAMPLES), str(tmp_path / "b.jsonl"))
    assert run.code == 1
    assert run.stderr == (
        f"{tmp_path}/b.jsonl is an export of pith, not a transcript.\nRun `pith import --jsonl {tmp_path}/b.jsonl`.\n"
    )


def test_a_second_import_speaks_of_what_is_known(shop, pith):
    said = pith("import", "claude", str(SAMPLES), check=True).stdout
    assert "Nothing new." in said
    assert "2 lines, 2 known already, 0 skipped." in said


def test_everywhere_can_be_tried_and_writes_nothing(pith, git_repo, home, pith_home):
    folder = home / ".claude" / "projects" / "repo"
    folder.mkdir(parents=True)
    for path in SAMPLES.glob("claude/projects/*/*.jsonl"):
        text = path.read_text("utf-8").replace("/home/me/shop", str(git_repo))
        (folder / path.name).write_text(text, "utf-8")
    tried = pith("import", "--everywhere", "--dry-run", "--json", cwd=git_repo, check=True).json["data"]
    assert not (pith_home / "projects").exists()
    done = pith("import", "--everywhere", "--json", cwd=git_repo, check=True).json["data"]
    assert [(one["root"], one["new"]) for one in tried["projects"]] == [
        (one["root"], one["new"]) for one in done["projects"]
    ]
    assert tried["dry_run"]


def test_notes_that_were_copied_are_not_of_the_day_of_the_copy(tmp_path):
    shutil.copytree(SAMPLES / "claude", tmp_path / "claude")
    notes = notes_claude.find_notes(tmp_path / "claude")[0]
    os.utime(notes)
    assert {seen.at[:10] for seen in notes_claude.read(notes)} == {"2026-11-17"}
    early = 1_700_000_000
    os.utime(notes, (early, early))
    assert {seen.at[:10] for seen in notes_claude.read(notes)} == {"2023-11-14"}


# -- Show, recall, config, forget ----------------------------------------------------------------------------


def test_of_several_the_missing_one_hides_none(shop, pith):
    known = cited(pith)
    run = pith("show", known, "mem:aaaaaa")
    assert run.code == 1
    assert run.stdout.startswith(known)
    assert "Nothing in this project is cited as mem:aaaaaa." in run.stderr
    told = pith("show", known, "mem:aaaaaa", "--json").json
    assert (told["ok"], told["error"]["code"], len(told["data"]["memories"])) == (False, "NOT_FOUND", 1)


def test_a_wrong_option_is_answered_with_one_that_is_alike_or_with_none(shop, pith):
    assert "did you mean `--limit`?" in pith("recall", "--limt", "3", "x").stderr
    assert "did you mean" not in pith("recall", "--nope", "x").stderr


def test_a_beginning_after_the_end_is_told(shop, pith):
    run = pith("recall", "x", "--since", "2026-11-20", "--until", "2026-11-10")
    assert run.stderr == "`--since 2026-11-20` is after `--until 2026-11-10`.\nExchange the two.\n"
    assert pith("recall", "x", "--since", "2026-11-20", "--until", "2026-11-20").code == 0


def test_a_negative_value_is_a_value(shop, pith):
    run = pith("config", "set", "capture.keepDays", "-1")
    assert "must be a whole number from 0 to 36,500" in run.stderr


def test_forgetting_an_export_says_first_what_else_is_in_it(shop, pith, tmp_path):
    pith("export", "--jsonl", str(tmp_path / "b.jsonl"), check=True)
    event = next(hit for hit in pith("recall", "refund", "--json").json["data"]["hits"])["citation"]
    said = pith("forget", event, "--exports", "--dry-run", check=True).stdout
    assert (
        f"{tmp_path}/b.jsonl: an export that holds it; would be removed, with 95 other memories that it holds" in said
    )


def test_help_tells_every_command_whole_on_eighty_columns(pith, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    said = pith("--help").stdout
    assert "..." not in said.partition("Commands:")[2]
    assert max(map(len, said.splitlines())) <= 80
    assert "  -y, --yes" in pith("forget", "--help").stdout


# -- Install -------------------------------------------------------------------------------------------------


def test_uninstalling_says_where_copies_of_the_settings_stay_and_purging_removes_them(pith, git_repo, home):
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model": "large"}\n', "utf-8")
    pith("install", "claude", cwd=git_repo, check=True)
    pith("status", cwd=git_repo, check=True)
    said = pith("uninstall", cwd=git_repo, check=True).stdout
    copies = sorted(settings.parent.glob("settings.json.pith-backup-*"))
    assert copies
    assert "Copies of agents' settings as they were stay:" in said
    assert all(str(copy) in said for copy in copies)
    pith("import", str(SAMPLES), cwd=git_repo, check=True)
    pith("uninstall", "--purge", "--yes", cwd=git_repo, check=True)
    assert not list(settings.parent.glob("settings.json.pith-backup-*"))
    assert settings.read_text("utf-8") == '{"model": "large"}\n'


def test_a_dry_run_shows_the_change_of_settings_that_are_read_only(pith, git_repo, home):
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{}\n", "utf-8")
    settings.chmod(0o444)
    said = pith("install", "claude", "--dry-run", cwd=git_repo, check=True).stdout
    assert '+  "hooks": {' in said
    assert f"{settings} is read-only." in said
    assert pith("install", "claude", cwd=git_repo).code == 1


# -- A hook in a folder that is gone -------------------------------------------------------------------------


def prompt(cwd: Path) -> dict[str, str]:
    return {"session_id": "s-1", "cwd": str(cwd), "hook_event_name": "UserPromptSubmit", "prompt": KEPT}


def test_a_hook_in_a_folder_that_is_gone_founds_no_store_for_it(pith, run_hook, tmp_path, pith_home):
    for name in ("one", "two"):
        run_hook("claude", prompt(tmp_path / "gone" / name), check=True)
    assert len(list((pith_home / "projects").iterdir())) == 1
    [hit] = pith("recall", "환불 재시도", "--limit", "1", "--json", cwd=pith_home / "gone", check=True).json["data"][
        "hits"
    ]
    memory = pith("show", hit["citation"], "--json", cwd=pith_home / "gone").json["data"]["memories"][0]
    assert memory["directory"] == f"{tmp_path}/gone/one".lstrip("/")


def test_a_folder_that_is_gone_and_excluded_is_left_alone(pith, run_hook, tmp_path, pith_home):
    pith("config", "set", "capture.exclude.projects", str(tmp_path / "gone"), cwd=tmp_path, check=True)
    run_hook("claude", prompt(tmp_path / "gone"), check=True)
    assert not (pith_home / "projects").exists()
    assert not list(pith_home.glob("spool/*"))


def test_below_a_project_that_is_known_it_is_that_projects(pith, run_hook, git_repo):
    run_hook("claude", prompt(git_repo / "gone"), check=True)
    [hit] = pith("recall", "환불 재시도", "--json", cwd=git_repo, check=True).json["data"]["hits"]
    assert json.dumps(hit, ensure_ascii=False).count(KEPT) == 1


def test_the_long_list_of_commands_is_parted_and_begins_with_those_of_every_day(pith):
    told = pith("--help", check=True).stdout
    headings = [line.rstrip(":") for line in told.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == ["Options", *PARTS.values()]
    assert set(PARTS) <= set(COMMANDS)
    assert next(iter(PARTS)) == next(iter(COMMANDS))


def test_an_agent_that_pith_does_not_know_is_answered_with_those_that_it_knows(pith):
    known = "'claude', 'codex', 'claude-desktop', 'cursor', 'all'"
    assert pith("install", "emacs").stderr.splitlines()[0] == f"'emacs' is not one of {known}."
    assert pith("install").stderr.splitlines()[0] == "Say which one: claude, codex, claude-desktop, cursor, all."


def test_where_no_agent_is_found_init_says_how_to_go_on(pith, git_repo):
    assert "Run `pith init` again once Claude Code or Codex is here" in pith("init", cwd=git_repo).stdout
