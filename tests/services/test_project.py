"""Which project is this? Real repositories, the real git program, a home of each test's own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conftest import git
from pith.adapters.git import normal_remote
from pith.errors import FileUnwritable, InputError, NotFound, StoreTooNew
from pith.services import location, project, project_registration
from pith.services.location import Place
from pith.services.project import Project

SSH, HTTPS = "git@example.org:shop/api.git", "https://someone:secret-token@example.org/shop/api"


@pytest.fixture
def store_home(pith_home: Path) -> str:
    return str(pith_home)


def repository(folder: Path, text: str = "hello") -> Path:
    """A repository with one commit; another text makes another root commit."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "README.md").write_text(text, encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "Begin")
    return folder


def give_id(folder: Path, project_id: str = "project_1", *, commit: bool = False) -> None:
    (folder / ".orange-hyper").mkdir(exist_ok=True)
    settings = {"project_id": project_id, "project_name": "shop"}
    (folder / ".orange-hyper" / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    if commit:
        git(folder, "add", ".orange-hyper")
        git(folder, "commit", "--quiet", "--message", "Share memory")


def resolve(home: str, folder: Path | str) -> Project:
    return project.resolve(home, location.locate(str(folder)))


def find(home: str, folder: Path | str) -> Project | None:
    return project.find(home, location.locate(str(folder)))


def both(home: str, folder: Path | str) -> str:
    """The store that writing goes to, which must be the one that reading comes from."""
    written = resolve(home, folder)
    read = find(home, folder)
    assert read is not None
    assert read.id == written.id
    return written.id


def stores(home: str) -> list[str]:
    return sorted(os.listdir(Path(home) / "projects"))


# -- One clone, many folders ------------------------------------------------------------------------------


def test_pain_12_two_worktrees_at_once_and_the_main_work_tree_are_one_project(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "shop")
    git(repo, "worktree", "add", "--quiet", "-b", "one", str(tmp_path / "wt-one"))
    git(repo, "worktree", "add", "--quiet", "-b", "two", str(repo / ".worktrees" / "two"))
    trees = (tmp_path / "wt-one", repo / ".worktrees" / "two", repo)
    assert len({both(store_home, tree) for tree in trees}) == 1
    places = [location.locate(str(tree)) for tree in trees]
    assert [place.branch for place in places] == ["one", "two", "main"]
    assert [place.root for place in places] == [str(tree) for tree in trees]
    assert {place.common_dir for place in places} == {str(repo / ".git")}


def test_pain_12_a_submodule_is_a_project_of_its_own(tmp_path: Path, store_home: str) -> None:
    library, repo = repository(tmp_path / "library", "library"), repository(tmp_path / "shop")
    add_submodule(repo, library)
    assert both(store_home, repo) != both(store_home, repo / "vendor")
    assert both(store_home, repo / "vendor") != both(store_home, library)
    place = location.locate(str(repo / "vendor"))
    assert (place.root, place.branch) == (str(repo / "vendor"), "main")


def test_pain_12_a_submodule_is_the_same_project_in_every_worktree(tmp_path: Path, store_home: str) -> None:
    library, repo = repository(tmp_path / "library", "library"), repository(tmp_path / "shop")
    add_submodule(repo, library)
    tree = tmp_path / "tree"
    git(repo, "worktree", "add", "--quiet", "-b", "one", str(tree))
    git(tree, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
    assert both(store_home, tree / "vendor") == both(store_home, repo / "vendor")
    assert location.locate(str(tree / "vendor")).commit == git(library, "rev-parse", "HEAD")


def add_submodule(repo: Path, library: Path) -> None:
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "vendor")
    git(repo, "commit", "--quiet", "--message", "Add the library")


def test_pain_12_a_bare_repository_and_its_worktrees_are_one_project(tmp_path: Path, store_home: str) -> None:
    repo, bare = repository(tmp_path / "shop"), tmp_path / "shop.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(repo), str(bare))
    git(bare, "worktree", "add", "--quiet", str(tmp_path / "tree"), "main")
    assert both(store_home, bare) == both(store_home, tmp_path / "tree") == both(store_home, bare / "refs")
    assert both(store_home, bare) != both(store_home, repo)
    assert location.locate(str(bare)).root == str(bare)


def test_pain_12_a_hidden_bare_repository_behind_a_git_file_is_found(tmp_path: Path, store_home: str) -> None:
    repo, around = repository(tmp_path / "shop"), tmp_path / "around"
    git(tmp_path, "clone", "--quiet", "--bare", str(repo), str(around / ".bare"))
    (around / ".git").write_text("gitdir: ./.bare\n", encoding="utf-8")
    git(around, "worktree", "add", "--quiet", str(around / "tree"), "main")
    assert both(store_home, around) == both(store_home, around / "tree")


def test_pain_12_a_symlinked_path_is_the_same_project(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "real" / "shop")
    (repo / "src").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "deep").symlink_to(repo / "src")
    assert both(store_home, tmp_path / "link" / "shop") == both(store_home, repo)
    assert both(store_home, tmp_path / "deep") == both(store_home, repo)
    assert location.locate(str(tmp_path / "deep")).directory == "src"


def test_pain_12_a_file_system_that_ignores_case_has_one_project_for_both_spellings(
    tmp_path: Path, store_home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stands for such a file system: two spellings that samefile() calls one folder."""
    first, second = repository(tmp_path / "Shop-가게"), repository(tmp_path / "shop-가게")
    store = both(store_home, first)
    monkeypatch.setattr(os.path, "samefile", lambda one, two: one.casefold() == two.casefold())
    assert both(store_home, second) == store
    assert "in other letters" in resolve(store_home, second).reason


def test_pain_12_a_file_system_that_minds_case_keeps_two_spellings_apart(tmp_path: Path, store_home: str) -> None:
    upper, lower = tmp_path / "Shop", tmp_path / "shop"
    repository(upper)
    if lower.exists():
        assert both(store_home, upper) == both(store_home, lower)
    else:
        assert both(store_home, upper) != both(store_home, repository(lower, "another"))


@pytest.mark.parametrize("name", ["쿠폰함 서비스", "with space", "v1.2.git", ".dotted", "a'b\"c", "tab\there", "-x"])
def test_pain_12_any_folder_name_works(tmp_path: Path, store_home: str, name: str) -> None:
    repo = repository(tmp_path / name)
    (repo / "소스 코드").mkdir()
    git(repo, "worktree", "add", "--quiet", "-b", "기능/결제", str(tmp_path / f"{name} 나무"))
    assert both(store_home, repo / "소스 코드") == both(store_home, tmp_path / f"{name} 나무")
    assert location.locate(str(repo / "소스 코드")).directory == "소스 코드"
    assert location.locate(str(tmp_path / f"{name} 나무")).branch == "기능/결제"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_pain_12_a_folder_name_in_a_foreign_encoding_works(tmp_path: Path, store_home: str) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    repo = repository(Path(folder))
    (repo / os.fsdecode(b"t\xeate")).mkdir()
    assert both(store_home, folder) == both(store_home, repo / os.fsdecode(b"t\xeate"))
    location.locate(str(repo / os.fsdecode(b"t\xeate"))).directory.encode("utf-8")
    Path(project.register_path(store_home)).write_bytes(b"{")
    assert both(store_home, folder)
    assert len(stores(store_home)) == 1


def test_pain_13_reading_never_registers_and_writing_is_read_back(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "shop")
    assert find(store_home, repo) is None
    assert not os.path.exists(store_home)
    assert resolve(store_home, repo).id == resolve(store_home, repo).id == both(store_home, repo)


def test_pain_13_a_worktree_deleted_below_its_repository_still_belongs_to_it(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "shop")
    tree = repo / ".claude" / "worktrees" / "one"
    git(repo, "worktree", "add", "--quiet", "-b", "one", str(tree))
    store = both(store_home, tree / "src" / "gone")
    shutil.rmtree(repo / ".claude")
    assert both(store_home, tree / "src") == store == both(store_home, repo)


def test_pain_13_a_worktree_deleted_beside_its_repository_still_belongs_to_it(tmp_path: Path, store_home: str) -> None:
    repo, tree = repository(tmp_path / "shop"), tmp_path / "shop-one"
    git(repo, "worktree", "add", "--quiet", "-b", "one", str(tree))
    store = both(store_home, tree)
    git(repo, "worktree", "remove", str(tree))
    assert both(store_home, tree / "src") == store == both(store_home, repo)
    assert resolve(store_home, tree).reason == "A worktree of this repository."


def test_pain_13_a_deleted_repository_is_still_known(tmp_path: Path, store_home: str) -> None:
    """Old sessions of it can be imported, and land where the others are."""
    repo = repository(tmp_path / "shop")
    store = both(store_home, repo)
    shutil.rmtree(repo)
    assert both(store_home, repo / "src") == store


def test_the_folder_of_git_itself_belongs_to_its_repository(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "shop")
    assert both(store_home, repo / ".git" / "hooks") == both(store_home, repo)
    assert location.locate(str(repo / ".git" / "hooks")).root == str(repo)


def test_an_environment_that_names_another_repository_changes_nothing(
    tmp_path: Path, store_home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = repository(tmp_path / "one"), repository(tmp_path / "two", "other")
    git(one, "remote", "add", "origin", SSH)
    monkeypatch.setenv("GIT_DIR", str(two / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(two))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(two / ".git" / "objects"))
    known = project.describe(resolve(store_home, one))
    assert known["key"] == f"git:{one / '.git'}"
    assert known["remote"] == "example.org/shop/api"
    assert known["root_commit"] == location.locate(str(one)).commit


def test_an_empty_folder_named_git_is_no_repository(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "shop")
    (repo / "sub" / ".git").mkdir(parents=True)
    assert both(store_home, repo / "sub") == both(store_home, repo)


def test_a_git_folder_kept_elsewhere_is_found(tmp_path: Path, store_home: str) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "--quiet", f"--separate-git-dir={tmp_path / 'elsewhere'}")
    assert location.locate(str(folder)).common_dir == str(tmp_path / "elsewhere")


def test_the_sessions_folder_decides_when_an_agent_steps_elsewhere(tmp_path: Path) -> None:
    repo, other = repository(tmp_path / "shop"), repository(tmp_path / "other", "other")
    (repo / "src").mkdir()
    git(repo, "worktree", "add", "--quiet", "-b", "one", str(tmp_path / "tree"))
    elsewhere = location.locate(str(other), str(repo))
    assert (elsewhere.root, elsewhere.directory) == (str(repo), "")
    inside = location.locate(str(repo / "src"), str(repo))
    assert (inside.root, inside.directory) == (str(repo), "src")
    tree = location.locate(str(tmp_path / "tree"), str(repo))
    assert (tree.root, tree.branch) == (str(tmp_path / "tree"), "one")


def test_pain_13_worktrees_with_and_without_settings_do_not_take_turns_to_register(
    tmp_path: Path, store_home: str
) -> None:
    repo, tree, empty = repository(tmp_path / "shop"), tmp_path / "tree", tmp_path / "empty"
    git(repo, "worktree", "add", "--quiet", "-b", "one", str(tree))
    git(repo, "worktree", "add", "--quiet", "-b", "two", str(empty))
    git(empty, "checkout", "--quiet", "--orphan", "nothing-yet")
    give_id(repo)
    for folder in (repo, tree, empty):
        resolve(store_home, folder)
    before = Path(project.register_path(store_home)).stat().st_mtime_ns
    for folder in (repo, tree, empty, repo, empty, tree):
        known = resolve(store_home, folder)
    assert Path(project.register_path(store_home)).stat().st_mtime_ns == before
    assert project.describe(known)["project_id"] == "project_1"


@pytest.mark.parametrize("tail", ["a\0b", "\ud800", "x" * 5000, "loop/x", "file/x", "..", ".", ""])
def test_any_text_is_a_place(tmp_path: Path, store_home: str, tail: str) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    repo = repository(tmp_path / "shop")
    assert both(store_home, f"{tmp_path}/{tail}")
    assert both(store_home, f"{repo}/sub/{tail}") == both(store_home, repo)
    location.locate(f"{repo}/sub/{tail}", f"{tmp_path}/{tail}").directory.encode("utf-8")


# -- Branch, commit, directory ----------------------------------------------------------------------------


def head(folder: Path) -> tuple[str | None, str | None]:
    place = location.locate(str(folder))
    return place.branch, place.commit


def test_branch_commit_and_directory_are_read_from_gits_files(tmp_path: Path) -> None:
    repo = repository(tmp_path / "shop")
    (repo / "src" / "cart").mkdir(parents=True)
    place = location.locate(str(repo / "src" / "cart"))
    assert (place.branch, place.commit) == ("main", git(repo, "rev-parse", "HEAD"))
    assert place.directory == "src/cart"
    assert location.locate(str(repo)).directory == ""


def test_packed_references_are_read(tmp_path: Path) -> None:
    repo = repository(tmp_path / "shop")
    git(repo, "branch", "main-2")
    git(repo, "branch", "z/main")
    git(repo, "tag", "-a", "-m", "a tag", "v1")
    git(repo, "pack-refs", "--all")
    assert not (repo / ".git" / "refs" / "heads" / "main").exists()
    assert head(repo) == ("main", git(repo, "rev-parse", "HEAD"))


def test_packed_references_are_read_from_a_worktree(tmp_path: Path) -> None:
    repo, tree = repository(tmp_path / "shop"), tmp_path / "tree"
    git(repo, "worktree", "add", "--quiet", "-b", "one", str(tree))
    git(repo, "pack-refs", "--all")
    assert head(tree) == ("one", git(repo, "rev-parse", "HEAD"))


def test_a_detached_head_has_a_commit_and_no_branch(tmp_path: Path) -> None:
    repo = repository(tmp_path / "shop")
    git(repo, "checkout", "--quiet", "--detach")
    assert head(repo) == (None, git(repo, "rev-parse", "HEAD"))


def test_a_branch_without_commit_has_no_commit(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    git(tmp_path / "new", "init", "--quiet", "--initial-branch=trunk")
    assert head(tmp_path / "new") == ("trunk", None)


def test_references_in_another_format_leave_the_branch_unknown(tmp_path: Path) -> None:
    """As git writes HEAD where references are kept in tables."""
    repo = repository(tmp_path / "shop")
    (repo / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n", encoding="utf-8")
    assert head(repo) == (None, None)


def test_a_reference_may_name_a_reference_but_not_for_ever(tmp_path: Path) -> None:
    repo = repository(tmp_path / "shop")
    git(repo, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    (repo / ".git" / "HEAD").write_text("ref: refs/heads/alias\n", encoding="utf-8")
    assert head(repo) == ("alias", git(repo, "rev-parse", "main"))
    (repo / ".git" / "refs" / "heads" / "alias").write_text("ref: refs/heads/alias\n", encoding="utf-8")
    assert head(repo) == ("alias", None)


def test_a_garbled_head_is_unknown_and_no_failure(tmp_path: Path) -> None:
    repo = repository(tmp_path / "shop")
    (repo / ".git" / "HEAD").write_bytes(b"\x00\xff\xfe" * 9000)
    assert head(repo) == (None, None)


# -- Without git ------------------------------------------------------------------------------------------


def test_without_git_the_real_path_is_the_key(tmp_path: Path, store_home: str) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "notes")
    known = resolve(store_home, tmp_path / "link")
    assert known.key == f"path:{tmp_path / 'notes'}"
    assert both(store_home, tmp_path / "notes") == known.id


def test_a_folder_without_git_belongs_to_the_nearest_known_one_above(tmp_path: Path, store_home: str) -> None:
    notes = tmp_path / "notes"
    (notes / "a" / "b").mkdir(parents=True)
    outer = both(store_home, notes)
    assert both(store_home, notes / "a" / "b") == outer
    assert both(store_home, notes / "a" / "gone") == outer
    assert len(json.loads(Path(project.register_path(store_home)).read_bytes())["keys"]) == 1


def test_a_folder_without_git_inside_a_repository_belongs_to_it(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "shop")
    (repo / "nested" / "notes").mkdir(parents=True)
    assert both(store_home, repo / "nested" / "notes") == both(store_home, repo)


def test_a_repository_inside_a_known_folder_is_its_own(tmp_path: Path, store_home: str) -> None:
    (tmp_path / "all").mkdir()
    outer = both(store_home, tmp_path / "all")
    assert both(store_home, repository(tmp_path / "all" / "shop")) != outer


def test_the_users_home_never_stands_for_what_lies_below(home: Path, store_home: str) -> None:
    (home / "notes").mkdir()
    whole = both(store_home, home)
    above = both(store_home, home.parent)
    top = both(store_home, home.anchor)
    assert len({whole, above, top, both(store_home, home / "notes")}) == 4
    assert both(store_home, home) == whole


def test_git_init_later_keeps_what_the_folder_knew(tmp_path: Path, store_home: str) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    store = both(store_home, folder)
    git(folder, "init", "--quiet")
    assert find(store_home, folder) is not None
    known = resolve(store_home, folder)
    assert (known.id, known.key) == (store, f"git:{folder / '.git'}")
    assert known.alias == [f"path:{folder}"]
    assert known.reason == "This folder was known before it had a git repository."


def test_a_removed_git_folder_changes_nothing(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "shop")
    store = both(store_home, repo)
    shutil.rmtree(repo / ".git")
    assert both(store_home, repo) == store == both(store_home, repo / "src")


def test_without_git_the_folder_with_the_settings_is_the_root(tmp_path: Path, store_home: str) -> None:
    (tmp_path / "shop" / "src").mkdir(parents=True)
    give_id(tmp_path / "shop")
    place = location.locate(str(tmp_path / "shop" / "src"))
    assert (place.root, place.directory) == (str(tmp_path / "shop"), "src")
    assert both(store_home, tmp_path / "shop" / "src") == both(store_home, tmp_path / "shop")


def test_a_folder_that_says_who_it_is_does_not_belong_to_one_above(tmp_path: Path, store_home: str) -> None:
    (tmp_path / "all" / "shop").mkdir(parents=True)
    outer = both(store_home, tmp_path / "all")
    give_id(tmp_path / "all" / "shop")
    assert both(store_home, tmp_path / "all" / "shop") != outer


def test_a_folder_without_git_that_moved_is_known_by_its_project_id(tmp_path: Path, store_home: str) -> None:
    (tmp_path / "old").mkdir()
    give_id(tmp_path / "old")
    store = both(store_home, tmp_path / "old")
    shutil.copytree(tmp_path / "old", tmp_path / "copy")
    assert both(store_home, tmp_path / "copy") != store  # the old one is still there
    (tmp_path / "old").rename(tmp_path / "new")
    assert both(store_home, tmp_path / "new") == store
    assert resolve(store_home, tmp_path / "new").reason == f"Moved here from {tmp_path / 'old'}."


# -- A new key met together with a known one --------------------------------------------------------------


def test_capturing_first_and_init_later_loses_nothing(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "shop")
    store = both(store_home, repo)
    give_id(repo)
    known = resolve(store_home, repo)
    assert (known.id, known.alias) == (store, ["id:project_1"])
    assert project.describe(known)["project_id"] == "project_1"


def test_switching_to_a_branch_without_the_settings_loses_nothing(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "shop")
    git(repo, "checkout", "--quiet", "-b", "with")
    give_id(repo, commit=True)
    store = both(store_home, repo)
    git(repo, "checkout", "--quiet", "main")
    assert not (repo / ".orange-hyper").exists()
    assert both(store_home, repo) == store
    git(repo, "checkout", "--quiet", "with")
    assert both(store_home, repo) == store


def test_another_project_id_becomes_an_alias(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "shop")
    give_id(repo, "project_1")
    store = both(store_home, repo)
    give_id(repo, "project_2")
    assert both(store_home, repo) == store
    assert set(resolve(store_home, repo).alias) == {"id:project_1", "id:project_2"}


@pytest.mark.parametrize("settings", [b"", b"{", b"[]", b'{"project_id": 7}', b"\xff", b"[" * 100_000])
def test_damaged_settings_are_no_id_and_no_failure(tmp_path: Path, store_home: str, settings: bytes) -> None:
    repo = repository(tmp_path / "shop")
    (repo / ".orange-hyper").mkdir()
    (repo / ".orange-hyper" / "config.json").write_bytes(settings)
    assert resolve(store_home, repo).alias == []


# -- Moved ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("remote", [SSH, None])
def test_pain_13_moving_the_folder_loses_nothing(tmp_path: Path, store_home: str, remote: str | None) -> None:
    repo, new = repository(tmp_path / "old"), tmp_path / "새 곳"
    if remote:
        git(repo, "remote", "add", "origin", remote)
    store = both(store_home, repo)
    repo.rename(new)
    known = resolve(store_home, new)
    assert (known.id, known.key) == (store, f"git:{new / '.git'}")
    assert known.alias == [f"git:{repo / '.git'}"]
    assert known.reason == f"Moved here from {repo}."
    assert both(store_home, new) == store
    assert both(store_home, repo / "src") == store  # sessions from before the move


def test_pain_13_moving_twice_and_back_loses_nothing(tmp_path: Path, store_home: str) -> None:
    one, two = repository(tmp_path / "one"), tmp_path / "two"
    store = both(store_home, one)
    for source, target in ((one, two), (two, one), (one, tmp_path / "three")):
        source.rename(target)
        assert both(store_home, target) == store
    assert len(stores(store_home)) == 1


def test_a_remote_or_first_commit_that_came_after_the_first_capture_is_known_when_it_moves(
    tmp_path: Path, store_home: str
) -> None:
    repo = tmp_path / "old"
    repo.mkdir()
    git(repo, "init", "--quiet")
    store = both(store_home, repo)
    (repo / "a").write_text("a", encoding="utf-8")
    git(repo, "add", ".")
    git(repo, "commit", "--quiet", "--message", "Begin")
    assert both(store_home, repo) == store
    git(repo, "remote", "add", "origin", HTTPS)
    assert both(store_home, repo) == store
    repo.rename(tmp_path / "new")
    assert both(store_home, tmp_path / "new") == store


def test_a_repository_that_moved_is_known_although_its_old_place_is_taken(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "old")
    store = both(store_home, repo)
    repo.rename(tmp_path / "new")
    git(tmp_path, "clone", "--quiet", str(tmp_path / "new"), str(repo))
    assert both(store_home, tmp_path / "new") == store


def test_a_clone_of_a_repository_that_is_still_there_stays_apart(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "old")
    store = both(store_home, repo)
    git(tmp_path, "clone", "--quiet", str(repo), str(tmp_path / "clone"))
    assert both(store_home, tmp_path / "clone") != store


def test_a_deleted_clone_is_continued_once_not_by_every_later_clone(tmp_path: Path, store_home: str) -> None:
    origin = repository(tmp_path / "origin")
    for name in ("one", "two", "three"):
        git(tmp_path, "clone", "--quiet", str(origin), str(tmp_path / name))
    first = both(store_home, tmp_path / "one")
    shutil.rmtree(tmp_path / "one")
    assert both(store_home, tmp_path / "two") == first
    assert both(store_home, tmp_path / "three") != first


def test_of_two_clones_that_are_gone_the_one_that_moved_is_recognised(tmp_path: Path, store_home: str) -> None:
    origin = repository(tmp_path / "origin")
    known = {}
    for name in ("one", "two", "three"):
        git(tmp_path, "clone", "--quiet", str(origin), str(tmp_path / name))
        known[name] = both(store_home, tmp_path / name)
    assert len(set(known.values())) == 3
    (tmp_path / "two").rename(tmp_path / "moved")
    shutil.rmtree(tmp_path / "one")
    shutil.rmtree(tmp_path / "three")
    assert both(store_home, tmp_path / "moved") == known["two"]


def test_another_repository_is_not_taken_for_a_moved_one(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "old")
    store = both(store_home, repo)
    shutil.rmtree(repo)
    assert both(store_home, repository(tmp_path / "new", "another")) != store


def test_a_clone_from_another_remote_is_not_taken_for_the_repository_that_is_gone(
    tmp_path: Path, store_home: str
) -> None:
    one = repository(tmp_path / "one")
    git(one, "remote", "add", "origin", SSH)
    forked = clone(tmp_path, "fork", one, "git@example.org:someone/api.git")
    store = both(store_home, one)
    shutil.rmtree(one)
    assert both(store_home, forked) != store


def test_a_remote_removed_before_the_move_is_not_missed(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "old")
    git(repo, "remote", "add", "origin", SSH)
    store = both(store_home, repo)
    git(repo, "remote", "remove", "origin")
    assert both(store_home, repo) == store
    repo.rename(tmp_path / "new")
    assert both(store_home, tmp_path / "new") == store


def test_a_worktree_whose_repository_moved_away_is_still_known(tmp_path: Path, store_home: str) -> None:
    repo, tree = repository(tmp_path / "old"), tmp_path / "tree"
    git(repo, "worktree", "add", "--quiet", "-b", "one", str(tree))
    store = both(store_home, repo)
    repo.rename(tmp_path / "new")
    assert both(store_home, tmp_path / "new") == store
    assert both(store_home, tree) == store  # its .git file names the old place


def test_a_shallow_clone_is_not_taken_for_the_repository_that_is_gone(tmp_path: Path, store_home: str) -> None:
    """Where its history ends says nothing about where it began."""
    origin = repository(tmp_path / "origin")
    for name in ("one", "two"):
        git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{origin}", str(tmp_path / name))
    store = both(store_home, tmp_path / "one")
    shutil.rmtree(tmp_path / "one")
    assert both(store_home, tmp_path / "two") != store


# -- Clones, forks, links ---------------------------------------------------------------------------------


def clone(tmp_path: Path, name: str, source: Path, remote: str) -> Path:
    git(tmp_path, "clone", "--quiet", str(source), str(tmp_path / name))
    git(tmp_path / name, "remote", "set-url", "origin", remote)
    return tmp_path / name


def test_clones_share_by_themselves_when_remote_and_project_id_both_match(tmp_path: Path, store_home: str) -> None:
    one = repository(tmp_path / "one")
    give_id(one, commit=True)
    git(one, "remote", "add", "origin", SSH)
    two = clone(tmp_path, "two", one, HTTPS)
    assert both(store_home, one) == both(store_home, two)
    known = resolve(store_home, two)
    assert known.reason == f"The same project_id and remote as {one}."
    assert known.key == f"git:{two / '.git'}"


def test_a_clone_without_settings_stays_apart(tmp_path: Path, store_home: str) -> None:
    one = repository(tmp_path / "one")
    git(one, "remote", "add", "origin", SSH)
    assert both(store_home, one) != both(store_home, clone(tmp_path, "two", one, SSH))


def test_clones_without_a_remote_stay_apart(tmp_path: Path, store_home: str) -> None:
    one = repository(tmp_path / "one")
    give_id(one, commit=True)
    shutil.copytree(one, tmp_path / "two")
    assert both(store_home, one) != both(store_home, tmp_path / "two")


def fork(tmp_path: Path) -> tuple[Path, Path]:
    one = repository(tmp_path / "one")
    give_id(one, commit=True)
    git(one, "remote", "add", "origin", SSH)
    return one, clone(tmp_path, "fork", one, "git@example.org:someone/api.git")


def test_a_fork_stays_apart_until_asked(tmp_path: Path, store_home: str) -> None:
    one, forked = fork(tmp_path)
    store, own = both(store_home, one), both(store_home, forked)
    assert store != own
    linked = project.link(store_home, location.locate(str(forked)), str(one))
    assert linked.id == store == both(store_home, forked)
    assert both(store_home, one) == store


def test_linking_sets_the_own_store_aside_and_says_so(tmp_path: Path, store_home: str) -> None:
    one, forked = fork(tmp_path)
    store, own = both(store_home, one), both(store_home, forked)
    linked = project.link(store_home, location.locate(str(forked)), store[:-1])
    assert own in linked.reason
    assert "set aside" in linked.reason
    assert project.describe(linked)["set_aside"] == [own]
    assert own in stores(store_home)


def test_linking_before_the_first_capture_makes_no_store(tmp_path: Path, store_home: str) -> None:
    one, forked = fork(tmp_path)
    store = both(store_home, one)
    assert project.link(store_home, location.locate(str(forked)), str(one)).id == store
    assert stores(store_home) == [store]
    assert resolve(store_home, forked).reason == f"Linked by `pith link` to {one}."


def test_unlinking_brings_the_store_back_that_was_set_aside(tmp_path: Path, store_home: str) -> None:
    one, forked = fork(tmp_path)
    store, own = both(store_home, one), both(store_home, forked)
    project.link(store_home, location.locate(str(forked)), str(one))
    back = project.unlink(store_home, location.locate(str(forked)))
    assert back.id == own == both(store_home, forked)
    assert both(store_home, one) == store
    assert project.describe(resolve(store_home, one))["set_aside"] == []
    assert back.reason == "This repository's git folder."


def test_unlinking_a_clone_that_shares_by_itself_keeps_it_apart(tmp_path: Path, store_home: str) -> None:
    one = repository(tmp_path / "one")
    give_id(one, commit=True)
    git(one, "remote", "add", "origin", SSH)
    two = clone(tmp_path, "two", one, SSH)
    store = both(store_home, one)
    assert both(store_home, two) == store
    apart = project.unlink(store_home, location.locate(str(two)))
    assert apart.id != store
    assert both(store_home, two) == apart.id
    assert both(store_home, one) == store


def test_a_linked_fork_that_moves_stays_linked(tmp_path: Path, store_home: str) -> None:
    one, forked = fork(tmp_path)
    store = both(store_home, one)
    both(store_home, forked)
    project.link(store_home, location.locate(str(forked)), str(one))
    forked.rename(tmp_path / "moved")
    assert both(store_home, tmp_path / "moved") == store


def test_linking_takes_every_clone_of_a_project_along_and_they_may_move(tmp_path: Path, store_home: str) -> None:
    one, forked = fork(tmp_path)
    second = clone(tmp_path, "fork-2", forked, "git@example.org:someone/api.git")
    store = both(store_home, one)
    assert both(store_home, forked) == both(store_home, second)
    project.link(store_home, location.locate(str(forked)), str(one))
    shutil.rmtree(second / ".orange-hyper")  # so that only root commit and remote can tell
    second.rename(tmp_path / "moved")
    assert both(store_home, tmp_path / "moved") == store


def test_what_cannot_be_linked_is_said_in_a_sentence(tmp_path: Path, store_home: str) -> None:
    one = repository(tmp_path / "one")
    place = location.locate(str(one))
    with pytest.raises(NotFound, match="No project is known"):
        project.link(store_home, place, str(tmp_path))
    store = resolve(store_home, one).id
    with pytest.raises(InputError, match="the same project already"):
        project.link(store_home, place, store)
    with pytest.raises(InputError, match="nothing to unlink"):
        project.unlink(store_home, place)


@pytest.mark.parametrize(
    "url",
    [
        "git@example.org:shop/api.git",
        "git@EXAMPLE.org:shop/api",
        "example.org:/shop/api.git/",
        "https://example.org/shop/api",
        "https://example.org/shop/api.git",
        "https://example.org/shop/api/?token=abc#x",
        "https://someone:secret@example.org:8443/shop/api.git/",
        "http://token@example.org/shop/api",
        "ssh://git@example.org:2222/shop/api.git",
        "git+ssh://git@example.org/shop/api.git",
        "git://example.org/shop/api",
    ],
)
def test_every_form_of_one_remote_is_the_same_remote(url: str) -> None:
    assert normal_remote(url) == "example.org/shop/api"


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("/srv/git/shop.git", "/srv/git/shop"),
        ("file:///srv/git/shop.git", "/srv/git/shop"),
        ("../shop", "../shop"),
        ("./with:colon", "./with:colon"),
        (r"C:\git\shop.git", "C:/git/shop"),
        ("git@[::1]:shop/api.git", "::1/shop/api"),
        ("ssh://git@[::1]:22/shop/api.git", "::1/shop/api"),
        ("https://example.org/가게/쿠폰함.git", "example.org/가게/쿠폰함"),
        ("", ""),
    ],
)
def test_other_remotes_keep_what_tells_them_apart(url: str, normal: str) -> None:
    assert normal_remote(url) == normal


def test_remotes_are_read_as_git_would_use_them(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "shop")
    git(repo, "remote", "add", "upstream", "https://example.org/upstream/api")
    git(repo, "remote", "add", "a-mirror", "https://example.org/mirror/api")
    assert project.describe(resolve(store_home, repo))["remote"] == "example.org/mirror/api"
    git(repo, "remote", "add", "origin", "short:shop/api")
    git(repo, "config", "url.git@example.org:.insteadOf", "short:")
    assert project.describe(resolve(store_home, repo))["remote"] == "example.org/shop/api"


# -- Telling ----------------------------------------------------------------------------------------------


def test_pain_13_status_can_tell_key_alias_and_reason(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "shop")
    give_id(repo)
    git(repo, "remote", "add", "origin", HTTPS)
    known = resolve(store_home, repo)
    assert project.describe(known) == {
        "id": known.id,
        "folder": str(Path(store_home) / "projects" / known.id),
        "key": f"git:{repo / '.git'}",
        "alias": ["id:project_1"],
        "reason": "This repository's git folder.",
        "remote": "example.org/shop/api",
        "project_id": "project_1",
        "root_commit": git(repo, "rev-parse", "HEAD"),
        "set_aside": [],
    }


def test_a_password_in_a_remote_is_stored_nowhere(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "shop")
    git(repo, "remote", "add", "origin", HTTPS)
    resolve(store_home, repo)
    for folder, _, files in os.walk(store_home):
        for name in files:
            assert b"secret-token" not in (Path(folder) / name).read_bytes()


def test_everything_is_readable_by_its_owner_only(tmp_path: Path, store_home: str) -> None:
    resolve(store_home, repository(tmp_path / "shop"))
    for folder, _, files in os.walk(store_home):
        assert os.stat(folder).st_mode & 0o777 == 0o700
        assert {os.stat(Path(folder) / name).st_mode & 0o777 for name in files} <= {0o600}


def test_nothing_is_written_into_the_repository(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "shop")
    before = sorted(str(path) for path in repo.rglob("*"))
    both(store_home, repo)
    assert sorted(str(path) for path in repo.rglob("*")) == before


# -- What can go wrong ------------------------------------------------------------------------------------


@contextmanager
def unwritable(folder: Path) -> Iterator[None]:
    """Nobody may write into the folder; the superuser, whom permissions do not stop, becomes somebody else."""
    for path in (*folder.rglob("*"), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    superuser = hasattr(os, "geteuid") and os.geteuid() == 0
    if superuser:
        os.seteuid(65534)
    try:
        yield
    finally:
        if superuser:
            os.seteuid(0)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)


@pytest.fixture
def open_path() -> Iterator[Path]:
    """A folder that every user may enter; pytest's own are private."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder.resolve()
    shutil.rmtree(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are another thing there")
def test_a_read_only_home_is_read_and_writing_something_new_says_why_not(open_path: Path) -> None:
    home, known, new = (
        open_path / "home",
        repository(open_path / "known"),
        repository(open_path / "new", "new"),
    )
    store = both(str(home), known)
    give_id(known)  # an alias that cannot be noted
    with unwritable(home):
        assert both(str(home), known) == store
        assert find(str(home), new) is None
        with pytest.raises(FileUnwritable, match="cannot be written"):
            resolve(str(home), new)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are another thing there")
def test_a_home_that_cannot_be_made_says_so(open_path: Path) -> None:
    repo, locked = repository(open_path / "repo"), open_path / "locked"
    locked.mkdir()
    with unwritable(locked):
        assert find(str(locked / "home"), repo) is None
        with pytest.raises(FileUnwritable):
            resolve(str(locked / "home"), repo)


DAMAGE = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'{"version": 1}',
    b'{"version": 1, "keys": {"git:/a": 7}}',
    b"\xff\x00" * 50,
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_register_is_kept_aside_and_rebuilt_from_the_stores(
    tmp_path: Path, store_home: str, damage: bytes
) -> None:
    one, forked = fork(tmp_path)
    three = repository(tmp_path / "three", "three")
    both(store_home, forked)
    project.link(store_home, location.locate(str(forked)), both_str(store_home, one))
    before = {folder: resolve(store_home, folder) for folder in (one, forked, three)}
    told = {folder: project.describe(known) for folder, known in before.items()}
    path = Path(project.register_path(store_home))
    path.write_bytes(damage)
    for folder, known in before.items():  # reading goes on, without writing
        read = find(store_home, folder)
        assert read is not None
        assert read.id == known.id
    assert path.read_bytes() == damage
    for folder in before:
        after = project.describe(resolve(store_home, folder))
        assert after | {"alias": None} == told[folder] | {"alias": None}
        assert set(after["alias"]) == set(told[folder]["alias"])  # type: ignore[call-overload]
    kept = list(Path(store_home).glob("projects.json.damaged-*"))
    assert [file.read_bytes() for file in kept] == [damage]


def both_str(home: str, folder: Path) -> str:
    both(home, folder)
    return str(folder)


def test_a_claim_that_the_register_does_not_confirm_is_dropped(tmp_path: Path, store_home: str) -> None:
    """A crash can leave one in the note of a store; a later rebuild must not follow it."""
    one, two = repository(tmp_path / "one"), repository(tmp_path / "two", "two")
    store, other = both(store_home, one), both(store_home, two)
    note = Path(project.store_folder(store_home, store)) / "project.json"
    record = json.loads(note.read_bytes())
    record["keys"][f"git:{two / '.git'}"] = "A claim."
    note.write_text(json.dumps(record), encoding="utf-8")
    give_id(one)
    assert both(store_home, one) == store
    os.unlink(project.register_path(store_home))
    assert both(store_home, two) == other


def test_a_lost_register_is_rebuilt_from_the_stores(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "shop")
    store = both(store_home, repo)
    os.unlink(project.register_path(store_home))
    assert both(store_home, repo) == store


def test_a_lost_note_of_a_store_is_written_again(tmp_path: Path, store_home: str) -> None:
    repo, notes = repository(tmp_path / "shop"), tmp_path / "notes"
    (notes / "sub").mkdir(parents=True)
    for folder, asked in ((repo, repo), (notes, notes / "sub")):
        known = resolve(store_home, folder)
        shutil.rmtree(known.folder)
        assert both(store_home, asked) == known.id
        assert (Path(known.folder) / "project.json").exists()


def test_a_newer_register_is_refused_and_left_alone(tmp_path: Path, store_home: str) -> None:
    repo = repository(tmp_path / "shop")
    resolve(store_home, repo)
    path = Path(project.register_path(store_home))
    path.write_text('{"version": 2, "projects": []}', encoding="utf-8")
    for ask in (find, resolve):
        with pytest.raises(StoreTooNew):
            ask(store_home, repo)
    assert path.read_text(encoding="utf-8") == '{"version": 2, "projects": []}'


CRASH = """
import os, sys
from pith.services import location, project
count = 0
def watch(event, arguments):
    global count
    if event in ("os.rename", "os.mkdir") or event == "open" and str(arguments[0]).endswith(".draft"):
        count += 1
        if count == int(sys.argv[3]):
            os._exit(9)
place = location.locate(sys.argv[2])
sys.addaudithook(watch)
if len(sys.argv) > 4:
    project.link(sys.argv[1], place, sys.argv[4])
else:
    project.resolve(sys.argv[1], place)
"""


def crash(*words: str) -> int:
    return subprocess.run([sys.executable, "-c", CRASH, *words], check=False).returncode


def test_killed_at_any_file_change_a_registration_ends_with_one_store(tmp_path: Path) -> None:
    repo = repository(tmp_path / "shop")
    for number in range(1, 40):
        home = str(tmp_path / f"home-{number}")
        code = crash(home, str(repo), str(number))
        store = both(home, repo)
        assert stores(home) == [store]
        os.unlink(project.register_path(home))
        assert both(home, repo) == store
        if code == 0:
            assert number > 5
            return
    pytest.fail("the registration never ended")


def test_killed_at_any_file_change_a_link_is_made_or_not_made(tmp_path: Path) -> None:
    one, forked = fork(tmp_path)
    for number in range(1, 40):
        home = str(tmp_path / f"home-{number}")
        store, own = both(home, one), both(home, forked)
        code = crash(home, str(forked), str(number), str(one))
        assert both(home, forked) in (store, own)
        if both(home, forked) == own:
            project.link(home, location.locate(str(forked)), str(one))
        assert both(home, forked) == both(home, one) == store
        assert project.unlink(home, location.locate(str(forked))).id == own
        if code == 0:
            assert number > 3
            return
    pytest.fail("the link never ended")


def test_without_the_git_program_everything_but_moves_works(
    tmp_path: Path, store_home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = repository(tmp_path / "shop")
    git(repo, "remote", "add", "origin", SSH)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path / "nothing"))
        store = both(store_home, repo)
        give_id(repo)
        assert both(store_home, repo) == store
        assert project.describe(resolve(store_home, repo))["remote"] is None


def test_a_known_place_is_answered_without_registering(
    tmp_path: Path, store_home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, notes = repository(tmp_path / "shop"), tmp_path / "notes"
    notes.mkdir()
    tree = tmp_path / "tree"
    git(repo, "worktree", "add", "--quiet", "-b", "one", str(tree))
    give_id(repo)
    known = [resolve(store_home, folder).id for folder in (repo, notes, tree)]

    def refuse(home: str, place: Place) -> Project:
        raise AssertionError("a known place must not be registered again")

    monkeypatch.setattr(project_registration, "register", refuse)
    folders = (repo, notes / "below", tree / "src")
    assert [resolve(store_home, folder).id for folder in folders] == known
