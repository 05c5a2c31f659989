"""Where commands are called: in a repository that has moved, in a folder that is gone, into a disk that is full."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from conftest import git, program

SAMPLES = Path(__file__).parents[2] / "samples"
REMOTE = "https://example.org/shop/cart.git"


@pytest.mark.parametrize("remote", [REMOTE, None])
@pytest.mark.parametrize(
    "words",
    [("status",), ("recall", "refund retries"), ("sessions",), ("show", "mem:"), ("export", "--jsonl"), ("doctor",)],
)
def test_pain_13_a_person_finds_the_memory_of_a_repository_that_has_moved(pith, git_repo, remote, words):
    if remote:
        git(git_repo, "remote", "add", "origin", remote)
    pith("import", str(SAMPLES), cwd=git_repo, check=True)
    cited = pith("recall", "refund retries", "--json", cwd=git_repo, check=True).json["data"]["hits"][0]["citation"]
    moved = git_repo.rename(git_repo.with_name("cart2"))
    said = pith(*[cited if word == "mem:" else word for word in words], cwd=moved, check=True).stdout
    assert "none yet" not in said
    assert "STORE_ABSENT" not in said
    if words == ("status",):
        assert f"key      git:{moved}/.git (Moved here from {git_repo})" in said
        assert f"also     git:{git_repo}/.git" in said


def test_pain_13_a_repository_copied_beside_the_old_one_stays_unknown(pith, git_repo, tmp_path, pith_home):
    pith("import", str(SAMPLES), cwd=git_repo, check=True)
    before = (pith_home / "projects.json").read_bytes()
    git(tmp_path, "clone", "--quiet", str(git_repo), str(tmp_path / "copy"))
    assert pith("status", "--json", cwd=tmp_path / "copy", check=True).json["data"]["project"] == {"known": False}
    assert (pith_home / "projects.json").read_bytes() == before


@pytest.mark.skipif(os.name == "nt", reason="a folder in use cannot be removed there")
@pytest.mark.parametrize(
    "words", [("status",), ("recall", "x"), ("init",), ("import",), ("quest", "list"), ("forget", "mem:aaaaaa")]
)
def test_a_folder_that_is_gone_is_told_in_one_sentence(tmp_path, words):
    gone = tmp_path / "gone"
    gone.mkdir()
    command = 'rmdir "$1" && shift && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", command, "sh", str(gone), *program("pith"), *words], cwd=gone, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr == "This folder does not exist any more.\nGo to one that does, then try again.\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_an_export_into_a_full_disk_is_told_in_one_sentence(pith, git_repo):
    pith("import", str(SAMPLES), cwd=git_repo, check=True)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*program("pith"), "export", "--jsonl"], cwd=git_repo, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr.startswith("The answer could not be written: No space left on device.\n")
    assert "unexpected" not in done.stderr
