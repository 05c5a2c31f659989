"""The settings: where each comes from, and that no file of them can break a hook."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as how
from hypothesis import strategies as st

from pith.errors import SettingInvalid
from pith.services import config, config_sources
from pith.services.config import Settings
from pith.services.settings import LIST, SETTINGS, Setting, camel, named
from pith.services.setup import config_edit

Pith = Callable[..., Any]
same_places = how(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


class Places:
    """A home, a project's folder in it, and a repository."""

    def __init__(self, home: Path, root: Path) -> None:
        self.home, self.root = home, root
        self.folder = home / "projects" / "p"
        self.folder.mkdir(parents=True)
        (root / ".orange-hyper").mkdir(parents=True)

    def load(self) -> Settings:
        return config.load(str(self.home), str(self.folder), str(self.root))

    def set_home(self, text: str) -> None:
        (self.home / "config.toml").write_text(text, encoding="utf-8")

    def set_project(self, text: str) -> None:
        (self.folder / "config.toml").write_text(text, encoding="utf-8")

    def set_shared(self, value: object) -> None:
        (self.root / ".orange-hyper" / "config.json").write_text(json.dumps(value), encoding="utf-8")


@pytest.fixture
def places(pith_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    for name in ("PITH_WORKER_START", "PITH_MEANING_EMBEDDER"):  # nothing here starts a worker or embeds
        monkeypatch.delenv(name)
    return Places(pith_home, tmp_path / "root")


# -- The table


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=lambda each: each.name)
def test_every_setting_is_explained_in_english_and_korean_and_keeps_its_own_rule(setting: Setting) -> None:
    assert setting.meaning.endswith(".")
    assert any("가" <= character <= "힣" for character in setting.meaning_ko)
    default = list(setting.default) if setting.kind == LIST else setting.default  # type: ignore[call-overload]
    assert setting.check(default) == default
    assert setting.read(json.dumps(default)) == default


def test_names_may_be_written_in_either_case() -> None:
    assert named("recall.budget_tokens") is named("recall.budgetTokens")
    assert camel("capture.max_store_megabytes") == "capture.maxStoreMegabytes"


def test_an_unknown_name_is_told_with_the_nearest_one() -> None:
    with pytest.raises(SettingInvalid, match=r"no setting `recall.budgetToken`; did you mean `recall.budgetTokens`\?"):
        named("recall.budgetToken")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("recall.budgetTokens", 5),
        ("recall.budgetTokens", True),
        ("recall.budgetTokens", 10.5),
        ("recall.minConfidence", 1.5),
        ("recall.minConfidence", float("nan")),
        ("recall.hook", "yes"),
        ("capture.exclude.paths", "*.env"),
        ("capture.exclude.paths", [""]),
        ("capture.exclude.paths", ["x"] * 1_001),
    ],
)
def test_a_value_out_of_range_names_the_key_and_the_range(name: str, value: object) -> None:
    with pytest.raises(SettingInvalid, match=rf"`{name}` is .*, but must be {named(name).range}"):
        named(name).check(value)


# -- The order of the sources


def test_nothing_set_means_the_defaults_and_leaves_no_file(places: Places) -> None:
    found = places.load()
    assert (found.get("recall.budgetTokens"), found.source("recall.budgetTokens")) == (800, "default")
    assert found.problems == []
    assert not (places.folder / "settings.json").exists()


def test_a_place_that_does_not_exist_has_the_defaults(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere")
    assert config.load(nowhere, None, None).get("recall.hook") is True
    assert config.load(nowhere, nowhere, nowhere).get("recall.hook") is True
    assert not (tmp_path / "nowhere").exists()


def test_each_source_is_stronger_than_the_one_before(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    changes: tuple[Callable[[], None], ...] = (
        lambda: places.set_shared({"pith": {"recall": {"budgetTokens": 100}}}),
        lambda: places.set_home("[recall]\nbudgetTokens = 200\n"),
        lambda: places.set_project("recall.budget_tokens = 300\n"),
        lambda: monkeypatch.setenv("PITH_RECALL_BUDGET_TOKENS", "400"),
    )
    for change in changes:
        change()
        found = places.load()
        seen.append((found.get("recall.budgetTokens"), found.source("recall.budgetTokens")))
    assert seen == [(100, "shared"), (200, "home"), (300, "project"), (400, "environment")]


def test_exclusions_add_up(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    places.set_shared({"pith": {"capture.exclude.paths": ["dist/**"]}})
    places.set_home('capture.exclude.paths = ["*.env", "비밀/**"]\n')
    monkeypatch.setenv("PITH_CAPTURE_EXCLUDE_PATHS", "*.pem, *.env")
    found = places.load()
    assert found.get("capture.exclude.paths") == ("dist/**", "*.env", "비밀/**", "*.pem")
    assert found.source("capture.exclude.paths") == "shared, home, environment"


@pytest.mark.parametrize("name", [name for name in SETTINGS if name not in config_sources.SHARED])
def test_a_repository_switches_nothing_on_or_off(places: Places, name: str) -> None:
    other: object = {True: False, False: True}.get(SETTINGS[name].default, 7)  # type: ignore[call-overload]
    places.set_shared({"project_id": "project_1", "pith": {name: other}})
    found = places.load()
    assert (found.get(name), found.source(name)) == (SETTINGS[name].default, "default")
    assert "not a repository's" in found.problems[0]


@pytest.mark.skipif(os.name != "posix", reason="links need a privilege on Windows")
def test_a_repository_cannot_point_at_a_pipe_or_another_folder(places: Places) -> None:
    shared = places.root / ".orange-hyper" / "config.json"
    os.mkfifo(shared)
    assert "not an ordinary file" in places.load().problems[0]
    shared.unlink()
    (places.home / "other.json").write_text('{"pith": {"recall.maxItems": 1}}', encoding="utf-8")
    shared.symlink_to(places.home / "other.json")
    assert places.load().get("recall.maxItems") == 6


def test_a_wrong_variable_is_told_and_ignored(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITH_RECALL_MAX_ITEMS", "many")
    monkeypatch.setenv("PITH_RECALL_MAX_ITMS", "3")
    found = places.load()
    assert found.get("recall.maxItems") == 6
    assert '`recall.maxItems` is "many", but must be a whole number from 1 to 50.' in found.problems[0]
    assert "did you mean `PITH_RECALL_MAX_ITEMS`?" in found.problems[1]


# -- What is wrong breaks nothing


def test_a_broken_file_leaves_what_it_said_before(places: Places) -> None:
    places.set_home("[capture]\npaused = true\n")
    assert places.load().get("capture.paused") is True
    places.set_home("[capture\npaused = maybe")
    for _ in range(2):  # the second time from the compiled file
        found = places.load()
        assert found.get("capture.paused") is True
        assert "what it said before still holds" in found.problems[0]
    places.set_home("[capture]\npaused = false\n")
    assert (places.load().get("capture.paused"), places.load().problems) == (False, [])


def test_a_wrong_value_leaves_what_it_was_and_the_others_count(places: Places) -> None:
    places.set_home("recall.maxItems = 3\nrecall.hook = true\n")
    places.load()
    places.set_home("recall.maxItems = 3000\nrecall.hook = false\nrecall.maxItms = 1\n")
    found = places.load()
    assert (found.get("recall.maxItems"), found.get("recall.hook")) == (3, False)
    assert "did you mean `recall.maxItems`?" in found.problems[1]


def test_one_setting_spelled_twice_is_told(places: Places) -> None:
    places.set_home("[recall]\nmaxItems = 3\nmax_items = 4\n")
    assert "`recall.maxItems` is given twice." in places.load().problems[0]


def test_a_removed_file_means_unset(places: Places) -> None:
    places.set_home("recall.maxItems = 3\n")
    assert places.load().get("recall.maxItems") == 3
    (places.home / "config.toml").unlink()
    assert places.load().get("recall.maxItems") == 6


@same_places
@given(data=st.binary(max_size=300), which=st.sampled_from(["home", "project", "shared", "compiled"]))
def test_no_bytes_in_any_file_stop_a_hook(places: Places, data: bytes, which: str) -> None:
    path = {
        "home": places.home / "config.toml",
        "project": places.folder / "config.toml",
        "shared": places.root / ".orange-hyper" / "config.json",
        "compiled": places.folder / "settings.json",
    }[which]
    path.write_bytes(data)
    places.load().get("recall.budgetTokens")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["version", "files", "stamp", "values", "problems", "pith", "recall"]), inner)
    ),
    max_leaves=8,
)


@same_places
@given(content=json_values, which=st.sampled_from([".orange-hyper/config.json", "settings.json"]))
def test_no_json_of_another_shape_stops_a_hook(places: Places, content: object, which: str) -> None:
    path = places.root / which if "/" in which else places.folder / which
    path.write_text(json.dumps(content), encoding="utf-8")
    places.load().get("recall.budgetTokens")


def test_deeply_nested_or_huge_files_are_refused(places: Places) -> None:
    shared = places.root / ".orange-hyper" / "config.json"
    shared.write_text("[" * 100_000, encoding="utf-8")
    assert "cannot be read as settings" in places.load().problems[0]
    shared.write_text(json.dumps({"pith": {}, "x": "x" * 300_000}), encoding="utf-8")
    assert "larger than" in places.load().problems[0]


# -- The compiled file


def test_a_hook_reads_no_toml_while_nothing_changed(places: Places) -> None:
    places.set_home("recall.maxItems = 3\n")
    probe = (
        "import sys; from pith.services import config; found = config.load(*sys.argv[1:]);"
        "print(found.get('recall.maxItems'), 'tomllib' in sys.modules)"
    )
    command = [sys.executable, "-c", probe, str(places.home), str(places.folder), str(places.root)]
    answers = [subprocess.run(command, capture_output=True, check=True).stdout.split() for _ in range(2)]
    assert answers == [[b"3", b"True"], [b"3", b"False"]]


def test_the_compiled_file_is_left_alone_while_nothing_changed(places: Places) -> None:
    places.set_home("recall.maxItems = 3\n")
    places.load()
    before = (places.folder / "settings.json").stat()
    other = Places.__new__(Places)
    other.home, other.folder, other.root = places.home, places.folder, places.root.parent / "worktree"
    other.load()
    places.load()
    after = (places.folder / "settings.json").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_two_worktrees_do_not_take_the_compiled_file_from_one_another(places: Places) -> None:
    places.set_shared({"pith": {"recall.maxItems": 1}})
    other = Places.__new__(Places)
    other.home, other.folder, other.root = places.home, places.folder, places.root.parent / "worktree"
    (other.root / ".orange-hyper").mkdir(parents=True)
    other.set_shared({"pith": {"recall.maxItems": 2}})
    assert [each.load().get("recall.maxItems") for each in (places, other)] == [1, 2]
    before = (places.folder / "settings.json").read_bytes()
    assert [each.load().get("recall.maxItems") for each in (places, other)] == [1, 2]
    assert (places.folder / "settings.json").read_bytes() == before


def test_a_compiled_file_that_cannot_be_written_is_no_obstacle(places: Places) -> None:
    places.set_home("recall.maxItems = 3\n")
    (places.folder / "settings.json").mkdir()
    assert places.load().get("recall.maxItems") == 3
    assert [each.name for each in places.folder.iterdir()] == ["settings.json"]


def test_a_hook_loads_nothing_slow_for_its_settings() -> None:
    probe = "import json, os, sys; b = set(sys.modules); import pith.services.config; print(*set(sys.modules) - b)"
    source = str(Path(config.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-S", "-c", probe],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONPATH": source},
    )
    loaded = {name for name in done.stdout.decode().split() if not name.startswith("pith")}
    assert loaded <= {"__future__", "_sha2", "_sha256", "_thread", "time"}


# -- Changing a setting

MINE = """\
# Mine, and I like it so.
[recall]
budget_tokens = 500   # enough

[capture.exclude]
paths = [
    "*.env",  # never
]
"""


def test_setting_a_value_leaves_comments_order_and_spelling(places: Places) -> None:
    places.set_home(MINE)
    config_edit.set_value(str(places.home), None, "recall.budgetTokens", "900")
    config_edit.set_value(str(places.home), None, "recall.maxItems", "3")
    written = (places.home / "config.toml").read_text(encoding="utf-8")
    assert written == MINE.replace("500", "900").replace("# enough\n", "# enough\nmaxItems = 3\n")
    assert places.load().get("recall.budgetTokens") == 900


def test_what_is_set_and_unset_again_was_never_there(places: Places) -> None:
    places.set_home(MINE)
    assert config_edit.set_value(str(places.home), None, "recall.maxItems", "3") == 3
    assert config_edit.unset_value(str(places.home), None, "recall.maxItems") is True
    assert config_edit.unset_value(str(places.home), None, "recall.maxItems") is False
    assert (places.home / "config.toml").read_text(encoding="utf-8") == MINE


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=lambda each: each.name)
@pytest.mark.parametrize("project", [False, True])
def test_every_setting_can_be_set_and_read_back(places: Places, setting: Setting, project: bool) -> None:
    folder = str(places.folder) if project else None
    chosen = setting.choices[-1] if setting.choices else ""
    typed = {"switch": "true", "list": "비밀/**, *.env", "choice": chosen}.get(
        setting.kind, "1" if setting.high <= 50 else f"{min(setting.high, 2000):.0f}"
    )
    value = config_edit.set_value(str(places.home), folder, setting.name, typed)
    found = places.load()
    assert found.get(setting.name) == (tuple(value) if setting.kind == LIST else value)
    assert found.source(setting.name) == ("project" if project else "home")
    assert found.problems == []


def test_a_wrong_value_changes_nothing(places: Places) -> None:
    places.set_home(MINE)
    with pytest.raises(SettingInvalid):
        config_edit.set_value(str(places.home), None, "recall.maxItems", "51")
    assert (places.home / "config.toml").read_text(encoding="utf-8") == MINE


@pytest.mark.parametrize("text", ["[recall\n", "recall = 1\n"])
def test_a_file_that_cannot_be_edited_is_left_as_it_is(places: Places, text: str) -> None:
    places.set_home(text)
    with pytest.raises(SettingInvalid):
        config_edit.set_value(str(places.home), None, "recall.maxItems", "5")
    assert (places.home / "config.toml").read_text(encoding="utf-8") == text


@pytest.mark.skipif(os.name != "posix", reason="links need a privilege on Windows")
def test_settings_kept_elsewhere_stay_a_link(places: Places, tmp_path: Path) -> None:
    dotfile = tmp_path / "dotfiles" / "pith.toml"
    dotfile.parent.mkdir()
    dotfile.write_text(MINE, encoding="utf-8")
    (places.home / "config.toml").symlink_to(dotfile)
    config_edit.set_value(str(places.home), None, "recall.budgetTokens", "900")
    assert (places.home / "config.toml").is_symlink()
    assert "900" in dotfile.read_text(encoding="utf-8")
    assert places.load().get("recall.budgetTokens") == 900


def test_settings_changed_at_once_are_all_kept(places: Places) -> None:
    wanted = ("recall.budgetTokens", "recall.maxItems", "recall.deadlineMs", "brief.budgetTokens")
    with ThreadPoolExecutor(len(wanted)) as pool:
        list(pool.map(lambda name: config_edit.set_value(str(places.home), None, name, "50"), wanted))
    assert [places.load().get(name) for name in wanted] == [50] * 4


# -- The commands


def test_config_prints_each_value_and_where_it_came_from(pith: Pith, places: Places) -> None:
    places.set_home("recall.maxItems = 3\n")
    rows = {line.split("\t")[0]: line.split("\t")[1:3] for line in pith("config", check=True).stdout.splitlines()}
    assert rows.keys() == SETTINGS.keys()
    assert rows["recall.maxItems"] == ["3", "home"]
    assert rows["recall.hook"] == ["true", "default"]


def test_config_speaks_korean_to_a_korean_system(pith: Pith) -> None:
    assert "기억하지 않습니다" in pith("config", "get", "capture.paused", env={"LC_ALL": "ko_KR.UTF-8"}).stdout


def test_config_tells_what_is_wrong_and_fails(pith: Pith, places: Places) -> None:
    places.set_home("recall.maxItms = 3\n")
    run = pith("config")
    assert run.code == 1
    assert "did you mean `recall.maxItems`?" in run.stderr
    assert pith("config", "--json").json["data"]["problems"] == [run.stderr.strip()]


def test_G30_config_commands_have_ids_in_dot_notation(pith: Pith) -> None:
    answers = [
        pith("config", "set", "recall.max_items", "3", "--json"),
        pith("config", "get", "recall.maxItems", "--json"),
        pith("config", "unset", "recall.maxItems", "--json"),
    ]
    assert [each.json["command"] for each in answers] == ["config.set", "config.get", "config.unset"]
    assert [each.json["data"]["value"] for each in answers] == [3, 3, 6]
    assert [each.stderr for each in answers] == ["", "", ""]


def test_a_setting_of_one_project_is_not_another_s(pith: Pith, git_repo: Path, tmp_path: Path) -> None:
    pith("config", "set", "recall.maxItems", "3", "--project", cwd=git_repo, check=True)
    value = [
        pith("config", "get", "recall.maxItems", "--json", cwd=folder).json["data"]["value"]
        for folder in (git_repo, tmp_path)
    ]
    assert value == [3, 6]


def test_pause_holds_until_resume(pith: Pith, git_repo: Path) -> None:
    assert pith("pause", "--json", cwd=git_repo).json["data"] == {"paused": True, "source": "home"}
    assert pith("resume", "--json", cwd=git_repo).json["data"] == {"paused": False, "source": "default"}


def test_a_paused_project_stays_paused_when_the_others_resume(pith: Pith, git_repo: Path) -> None:
    pith("pause", "--project", cwd=git_repo, check=True)
    run = pith("resume", cwd=git_repo, check=True)
    assert "Nothing new is remembered" in run.stdout
    assert "`pith resume --project`" in run.stdout
    assert pith("resume", "--project", cwd=git_repo, check=True).stdout == "Sessions are remembered.\n"


def test_a_list_that_excludes_nothing_is_replaced_by_the_stronger_source_and_keeps_what_it_says_twice(
    home, monkeypatch
):
    (home / "pith").mkdir(exist_ok=True)
    (home / "pith" / "config.toml").write_text('[meaning]\nretryWaits = ["1", "5"]\n', "utf-8")
    monkeypatch.setenv("PITH_MEANING_RETRY_WAITS", "60, 60, 2")
    found = config.load(str(home / "pith"))
    assert list(found.get("meaning.retryWaits")) == ["60", "60", "2"]
    assert found.source("meaning.retryWaits") == "environment"


@pytest.mark.parametrize("text", ["[" * 90_000, "[1", "{}", "nul\0l"])
def test_a_list_in_the_environment_that_is_none_is_told_and_breaks_nothing(home, monkeypatch, text):
    monkeypatch.setattr("os.environ", {**os.environ, "PITH_CAPTURE_EXCLUDE_PATHS": text})
    found = config.load(str(home / "pith"))
    assert found.problems or found.get("capture.exclude.paths") == (text,)
