"""Project memory that is damaged, hostile or half merged: told with file, line and next step; nothing lost, nothing
written outside `.orange-hyper/` (G34)."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Run


class Memory:
    """A repository with one quest, one pending proposal and one accepted node."""

    def __init__(self, root: Path, run: Callable[..., Run]) -> None:
        self.root, self.base, self.run = root, root / ".orange-hyper", run
        self("init", "--shared")
        self.quest = self("quest", "new", "Decide something long enough", "--layer", "L2")["quest"]["id"]
        self.proposal = self._proposed("정산 배치는 은행 점검 시간을 피한다")
        self.node = self("remember", "accept", self._proposed("Refunds must be retried three times."))["node"]["id"]

    def _proposed(self, request: str) -> str:
        quest = self("quest", "new", request, "--layer", "L2")["quest"]["id"]
        self("quest", "done", quest, "--evidence", "3 tests passed")
        return str(self("remember", "propose", "--quest", quest)["proposal"]["id"])

    def __call__(self, *words: str) -> Any:
        return self.run(*words, "--json", cwd=self.root, check=True).json["data"]

    def error(self, *words: str) -> Any:
        """What a command that must fail says."""
        run = self.run(*words, "--json", cwd=self.root)
        assert (run.code, run.stderr) == (1, ""), run.stdout
        return run.json["error"]

    def file_of(self, id: str) -> Path:
        return next(self.base.rglob(f"{id}.md"))

    def files(self) -> dict[str, bytes]:
        """Every file of the repository and beside it, links not followed; the lock and caches aside."""
        found = {}
        for folder, folders, names in os.walk(self.root.parent):
            folders[:] = [name for name in folders if name not in (".git", "local")]
            for name in names:
                path = Path(folder, name)
                found[str(path)] = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
        return found


@pytest.fixture
def memory(git_repo: Path, pith: Callable[..., Run]) -> Memory:
    return Memory(git_repo, pith)


# -- Selectors -----------------------------------------------------------------------------------------------

SELECTORS = [
    "../../x", "../../../etc/passwd", "/etc/passwd", "..", ".", "*", "a\x00b", "a\nb", "a\\..\\b", "quest_*", "x" * 5000,
    "C:\\Windows", "~root", "-", "$(id)", "\ud800", "quests/active/../../config.json", "한글/../없음",
]  # fmt: skip

NAMING = [
    ("quest", "show", "{}"),
    ("quest", "done", "{}", "--evidence", "x"),
    ("remember", "propose", "--quest={}"),
    ("remember", "show", "{}"),
    ("remember", "validate", "{}"),
    ("remember", "revise", "{}", "--why", "x"),
    ("remember", "accept", "{}"),
    ("remember", "reject", "{}"),
    ("graph", "show", "{}"),
    ("graph", "link", "{}", "depends_on", "{node}"),
    ("graph", "link", "{node}", "depends_on", "{}"),
    ("graph", "unlink", "{}", "depends_on", "{node}"),
    ("graph", "supersede", "{node}", "{}"),
    ("graph", "verify", "{}", "--evidence", "x"),
    ("capsule", "{}"),
    ("capsule", "--quest={}"),
    ("route", "--quest={}"),
]


@pytest.mark.parametrize("command", NAMING, ids=" ".join)
def test_G34_a_selector_that_is_no_id_leads_nowhere(memory: Memory, command: tuple[str, ...]) -> None:
    before = memory.files()
    for selector in SELECTORS:
        words = [word.replace("{node}", memory.node).replace("{}", selector) for word in command]
        error = memory.error(*words)
        assert error["code"] == "USER_INPUT_ERROR", (selector, error)
        assert error["hint"]
        assert "root:" not in error["message"]
    assert memory.files() == before


@pytest.mark.parametrize(
    "link", ["applies_to:../../x", "applies_to:", "nothing:{node}", "applies_to", ":", "applies_to:a\nb"]
)
def test_G34_a_link_that_leads_nowhere_is_refused_before_anything_is_written(memory: Memory, link: str) -> None:
    before = memory.files()
    error = memory.error("remember", "revise", memory.proposal, "--link", link.replace("{node}", memory.node))
    assert error["code"] == "USER_INPUT_ERROR"
    assert memory.files() == before


# -- Files ---------------------------------------------------------------------------------------------------


def _bomb() -> bytes:
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"] + [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    return ("---\n" + "\n".join(lines) + "\n---\n\nbody\n").encode()


# name -> the file's bytes, and the line that a reader is sent to (None where there is none).
DAMAGED: dict[str, tuple[bytes, int | None]] = {
    "yaml-bomb": (_bomb(), None),
    "anchor": (b"---\nid: &a x\ntitle: *a\n---\n", 3),
    "object-tag": (b'---\nid: !!python/object/apply:os.system ["touch /tmp/x"]\n: [\n---\n', None),
    "duplicate-key": (b"---\nid: x\ntitle: one\ntitle: two\n---\n", 4),
    "tab": (b"---\nid: x\n\ttitle: one\n---\n", 3),
    "nested": (b"---\nid: " + b"[" * 500 + b"]" * 500 + b"\n---\n", 2),
    "not-utf8": (b"---\nid: x\ntitle: \xff\xfe\n---\n", 3),
    "conflict": (b"---\nid: x\n<<<<<<< HEAD\ntitle: a\n=======\ntitle: b\n>>>>>>> feature\n---\n", 3),
    "conflict-in-body": (b"---\nid: x\n---\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> feature\n", 5),
    "unclosed": (b"---\nid: x\n", 1),
    "empty": (b"", 1),
    "nul": (b"---\nid: x\x00y\n---\n", None),
    "ten-megabytes": (b"---\nid: x\n---\n\n" + b"x" * 10_000_000, None),
}


@pytest.fixture(params=DAMAGED)
def damage(request: pytest.FixtureRequest) -> tuple[bytes, int | None]:
    return DAMAGED[request.param]


def _warnings(memory: Memory, *words: str) -> list[str]:
    answer = memory(*words)
    return [warning for warning in answer.get("warnings", []) if "damaged" in warning]


@pytest.mark.parametrize(
    ("folder", "listing"),
    [
        ("graph/nodes/decision", ("graph", "list")),
        ("graph/nodes/decision", ("graph", "search", "refunds")),
        ("graph/nodes/decision", ("graph", "rebuild-index")),
        ("quests/active", ("quest", "list", "--all")),
        ("quests/completed", ("quest", "list", "--all")),
        ("proposals/memory-delta/pending", ("remember", "list")),
        ("proposals/memory-delta/accepted", ("remember", "list")),
    ],
)
def test_G34_a_damaged_file_is_one_warning_with_its_place_and_stays_as_it_is(
    memory: Memory, damage: tuple[bytes, int | None], folder: str, listing: tuple[str, ...]
) -> None:
    data, line = damage
    file = memory.base / folder / "damaged.md"
    file.write_bytes(data)
    told = _warnings(memory, *listing)
    assert len(told) == 1
    assert f"{folder}/damaged.md" + (f":{line}" if line else "") in told[0]
    assert len(told[0]) < 500
    assert file.read_bytes() == data


@pytest.mark.parametrize("folder", ["graph/nodes/decision", "quests/completed", "proposals/memory-delta/accepted"])
def test_G34_doctor_has_one_finding_for_a_damaged_file_with_its_place(
    memory: Memory, damage: tuple[bytes, int | None], folder: str
) -> None:
    data, line = damage
    (memory.base / folder / "damaged.md").write_bytes(data)
    run = memory.run("doctor", "--shared", "--json", cwd=memory.root)
    assert (run.code, run.stderr) == (2, "")
    found = [each for each in run.json["data"]["diagnostics"]["errors"] if "damaged.md" in each["message"]]
    assert len(found) == 1, found
    assert f"{folder}/damaged.md" + (f":{line}" if line else "") in found[0]["message"]
    assert found[0]["hint"]


def test_G34_a_damaged_file_that_is_named_is_an_error_with_its_line(memory: Memory) -> None:
    for id, words in (
        (memory.quest, ("quest", "done", memory.quest, "--evidence", "x")),
        (memory.proposal, ("remember", "accept", memory.proposal)),
        (memory.proposal, ("remember", "revise", memory.proposal, "--why", "x")),
    ):
        file = memory.file_of(id)
        file.write_bytes(DAMAGED["duplicate-key"][0])
        before = memory.files()
        error = memory.error(*words)
        assert error["code"] == "VALIDATION_ERROR"
        assert f"{id}.md:4: " in error["message"]
        assert memory.files() == before


def test_G34_two_files_with_one_id_are_one_warning_and_both_stay(memory: Memory) -> None:
    file = memory.file_of(memory.node)
    twin = file.with_name("another-name.md")
    twin.write_bytes(file.read_bytes())
    answer = memory("graph", "list")
    assert [each["id"] for each in answer["nodes"]] == [memory.node]
    assert len([warning for warning in answer["warnings"] if memory.node in warning]) == 1
    assert twin.read_bytes() == file.read_bytes()


@pytest.mark.parametrize("folder", ["quests/active", "proposals/memory-delta/pending", "graph/nodes/decision", "graph"])
def test_G34_a_folder_that_is_a_file_is_an_error_with_a_next_step(memory: Memory, folder: str, git_repo: Path) -> None:
    place = memory.base / folder
    kept = git_repo.parent / "kept"
    place.rename(kept)
    place.write_bytes(b"not a folder\n")
    before = memory.files()
    for words in (
        ("quest", "new", "Decide another thing", "--layer", "L2"),
        ("remember", "propose", "--quest", next((memory.base / "quests" / "completed").glob("*.md")).stem),
        ("remember", "accept", memory.proposal),
        ("graph", "rebuild-index"),
    ):
        run = memory.run(*words, "--json", cwd=memory.root)
        if run.code:
            assert run.json["error"]["code"] != "UNEXPECTED", (words, run.stdout)
            assert run.json["error"]["hint"]
    after = memory.files()
    assert place.read_bytes() == b"not a folder\n"
    assert before.items() - after.items() <= {item for item in before.items() if "/.orange-hyper/" in item[0]}
    assert [name for name in before if name not in after and name.endswith(".md")] in (
        [],
        [str(memory.base / "proposals/memory-delta/pending" / f"{memory.proposal}.md")],
    )


def _obeys_permissions() -> bool:
    """Whether a folder can be made read-only for this user at all; for root it usually cannot."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o555)
        return not os.access(folder, os.W_OK)


@pytest.mark.parametrize(
    "words", [("quest", "new", "Decide another thing"), ("init", "--shared", "--force", "--project", "x")]
)
@pytest.mark.skipif(not _obeys_permissions(), reason="nothing is read-only for this user")
def test_G34_a_read_only_tree_is_read_and_said_to_be_so(memory: Memory, words: tuple[str, ...]) -> None:
    folders = [memory.base, *(path for path in memory.base.rglob("*") if path.is_dir())]
    before = memory.files()
    for folder in folders:
        folder.chmod(0o555)
    try:
        assert memory("graph", "list")["count"] == 1
        assert memory("graph", "search", "refunds")["count"] == 1
        assert memory("quest", "list")["quests"]
        error = memory.error(*words)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert error["code"] == "FILE_UNWRITABLE"
    assert error["hint"]
    assert memory.files() == before


# -- Links out of the memory ---------------------------------------------------------------------------------

LINKED = ["quests/active", "quests", "graph/nodes/decision", "graph", "proposals/memory-delta/accepted", "capsules"]


@pytest.fixture(params=LINKED)
def linked(request: pytest.FixtureRequest, memory: Memory, tmp_path: Path) -> Path:
    """The folder outside that a folder of the memory is a link to."""
    outside = tmp_path / "outside"
    place = memory.base / request.param
    place.rename(outside)
    place.symlink_to(outside)
    return outside


def test_G24_nothing_is_written_through_a_linked_folder(memory: Memory, linked: Path) -> None:
    before = {path: path.read_bytes() for path in linked.rglob("*") if path.is_file()}
    for words in (
        ("quest", "new", "Decide another thing", "--layer", "L2"),
        ("quest", "done", memory.quest, "--evidence", "x"),
        ("remember", "accept", memory.proposal),
        ("graph", "link", memory.node, "depends_on", memory.node),
        ("graph", "rebuild-index"),
        ("capsule",),
    ):
        run = memory.run(*words, "--json", cwd=memory.root)
        if run.code:
            assert run.json["error"]["code"] != "UNEXPECTED", (words, run.stdout)
    after = {path: path.read_bytes() for path in linked.rglob("*") if path.is_file()}
    assert after == before


def test_G24_a_file_that_links_out_of_the_memory_is_not_read(memory: Memory, tmp_path: Path) -> None:
    secret = tmp_path / "outside.md"
    secret.write_text(
        memory.file_of(memory.node).read_text(encoding="utf-8").replace("Refunds", "A private matter: Refunds"), "utf-8"
    )
    (memory.base / "graph" / "nodes" / "decision" / "decision.linked.md").symlink_to(secret)
    (memory.base / "quests" / "active" / "quest_linked.md").symlink_to(secret)
    for words in (
        ("graph", "list"),
        ("graph", "search", "Private"),
        ("quest", "list", "--all"),
        ("graph", "rebuild-index"),
    ):
        assert "private matter" not in json.dumps(memory(*words))


# -- What stands in the way of a file that is to be written ---------------------------------------------------


def test_G34_hand_edits_unknown_keys_and_sections_survive_every_command(memory: Memory) -> None:
    for id in (memory.quest, memory.proposal, memory.node):
        file = memory.file_of(id)
        text = file.read_text(encoding="utf-8").replace("---\n\n", 'owner: "결제 팀"\n# a remark\n---\n\n', 1)
        file.write_text(text + "\n## Our own notes\n\n- 손으로 쓴 것\n", encoding="utf-8", newline="\r\n")
    memory("quest", "done", memory.quest, "--evidence", "x")
    memory("remember", "revise", memory.proposal, "--confidence", "high")
    memory("remember", "accept", memory.proposal)
    memory("graph", "verify", memory.node, "--evidence", "다시 보았다")
    for id in (memory.quest, memory.proposal, memory.node):
        text = memory.file_of(id).read_text(encoding="utf-8")
        assert 'owner: "결제 팀"\n# a remark\n' in text
        assert "## Our own notes\n\n- 손으로 쓴 것" in text


# -- The files that are no Markdown --------------------------------------------------------------------------

CONFLICT = b'<<<<<<< HEAD\n{"a": 1}\n=======\n{"a": 2}\n>>>>>>> feature\n'
JSON_DAMAGE = {
    "empty": b"",
    "conflict": CONFLICT,
    "half": b'{"schema_version": 1, "nodes": [',
    "list": b"[1, 2]",
    "null": b"null",
    "deep": b"[" * 100_000,
    "not-utf8": b'{"x": "\xff\xfe"}',
    "huge-number": b'{"project_id": 1e999, "nodes": 5}',
    "big": b'{"x": "' + b"x" * 10_000_000 + b'"}',
}


@pytest.mark.parametrize("damage", JSON_DAMAGE)
def test_G34_a_damaged_configuration_is_an_error_that_names_it_and_nothing_is_written(
    memory: Memory, damage: str
) -> None:
    config = memory.base / "config.json"
    config.write_bytes(JSON_DAMAGE[damage])
    before = memory.files()
    for words in (["graph", "list"], ["quest", "new", "Decide another thing"], ["remember", "accept", memory.proposal]):
        run = memory.run(*words, "--json", cwd=memory.root)
        if damage == "huge-number":
            continue  # an object without an identity is a finding of doctor, not an error here
        assert (run.code, run.stderr) == (1, "")
        assert run.json["error"]["code"] == "VALIDATION_ERROR"
        assert "config.json" in run.json["error"]["message"]
    if damage != "huge-number":
        assert memory.files() == before
    run = memory.run("doctor", "--shared", "--json", cwd=memory.root)
    assert run.code == 2
    assert "config.json" in json.dumps(run.json["data"]["diagnostics"]["errors"])


@pytest.mark.parametrize("damage", JSON_DAMAGE)
def test_G34_a_damaged_index_stops_nothing_and_one_command_makes_it_anew(memory: Memory, damage: str) -> None:
    index = memory.base / "graph" / "index.json"
    whole = index.read_bytes()
    index.write_bytes(JSON_DAMAGE[damage])
    assert memory("graph", "list")["count"] == 1
    assert memory("graph", "search", "refunds")["count"] == 1
    assert memory.run("doctor", "--shared", "--json", cwd=memory.root).code == 2
    memory("graph", "rebuild-index")
    assert {**json.loads(index.read_bytes()), "generated_at": ""} == {**json.loads(whole), "generated_at": ""}


def test_G34_damaged_relations_are_told_by_line_and_survive_what_is_written_beside_them(memory: Memory) -> None:
    other = memory("remember", "accept", memory.proposal)["node"]["id"]
    edges = memory.base / "graph" / "edges.jsonl"
    bad = CONFLICT + b'{"from": "x"}\nnot json\n{"from": 1, "type": "touches", "to": 2}\n\xff\xfe\n[]\n'
    edges.write_bytes(bad)
    memory("graph", "link", memory.node, "depends_on", other)
    assert edges.read_bytes().startswith(bad)
    told = memory("graph", "show", memory.node)["warnings"]
    assert all(any(f"edges.jsonl:{line}:" in warning for warning in told) for line in (1, 3, 5, 6, 7, 8, 9, 10))
    memory("graph", "unlink", memory.node, "depends_on", other)
    assert edges.read_bytes() == bad


@pytest.mark.parametrize(
    "file", ["../outside.txt", "/tmp/outside.txt", ".git/config", "README.md", ".orange-hyper/../README.md"]
)
def test_G24_a_forged_record_of_an_unfinished_command_writes_nothing_outside(memory: Memory, file: str) -> None:
    before = memory.files()
    git_config = (memory.root / ".git" / "config").read_bytes()
    intent = memory.base / "local" / "intent.json"
    steps = [
        {"file": file, "before": None, "after": "forged"},
        {"file": file, "before": "# A project\n", "after": None},
    ]
    intent.write_text(json.dumps({"command": "x", "subject": "y", "steps": steps}), encoding="utf-8")
    memory("quest", "new", "Decide another thing", "--layer", "L2")
    after = memory.files()
    assert {name: after.get(name) for name in before if "/.orange-hyper/" not in name} == {
        name: data for name, data in before.items() if "/.orange-hyper/" not in name
    }
    assert not [name for name in after if "outside" in name]
    assert (memory.root / ".git" / "config").read_bytes() == git_config


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'{"command": 1, "subject": 2, "steps": 3}',
        b'{"command": "x", "subject": "y", "steps": [{"file": ".orange-hyper/x", "before": 1, "after": 2}]}',
    ],
)
def test_G34_a_damaged_record_of_an_unfinished_command_stops_nobody(memory: Memory, data: bytes) -> None:
    (memory.base / "local" / "intent.json").write_bytes(data)
    memory("quest", "new", "Decide another thing", "--layer", "L2")
    assert not (memory.base / "local" / "intent.json").exists()
