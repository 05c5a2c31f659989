"""The identity page as files: what is composed, what is written, and what never changes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memory_project as sample
from conftest import Run, git
from pith.domain.validity import Validity
from pith.files.edges import Edge
from pith.files.layout import IDENTITY, STRUCTURE, SUMMARY, Layout
from pith.services.project_memory.identity.build import build
from pith.services.project_memory.shared import open_shared

GOLDEN = Path(__file__).parents[1] / "data" / "orange-golden"


def _built(layout: Layout) -> dict[str, Any]:
    return build(open_shared(layout.root, lambda: "2026-11-30T00:00:00.000Z"))


def _page(layout: Layout) -> str:
    return layout.path(IDENTITY).read_text(encoding="utf-8")


def _state(layout: Layout) -> dict[str, Any]:
    found = re.search(
        r'<script id="orange-hyper-state" type="application/json">(.*?)</script>', _page(layout), re.DOTALL
    )
    assert found
    return json.loads(found[1])


def _tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# -- The three graphs ----------------------------------------------------------------------------------------


def test_G27_memory_is_composed_with_structure_by_the_scope_of_its_quest(tmp_path):
    layout = sample.make(tmp_path / "shop", 24)
    _built(layout)
    graph = _state(layout)["identityGraph"]
    assert {name: graph[name] for name in ("displayOnly", "derived", "readOnly")} == {
        "displayOnly": False, "derived": False, "readOnly": True,
    }  # fmt: skip
    types = {node["id"]: node["type"] for node in graph["nodes"]}
    scoped = {(types[edge["from"]], edge["to"]) for edge in graph["edges"] if edge["type"] == "scoped_to"}
    assert scoped == {
        ("memory", "domain:packages/auth/src/api"), ("memory", "module:packages/payment"), ("memory", "module:packages/member"),
    }  # fmt: skip
    assert all(edge["from"] in types and edge["to"] in types for edge in graph["edges"])


def test_G27_a_memory_without_a_place_stands_in_the_unmapped_cluster(tmp_path):
    layout = sample.empty(tmp_path / "shop")
    nowhere = sample.quest(0, scope_paths=("no/such/folder", "/etc/passwd", "../outside"))
    sample.put_quest(layout, nowhere)
    node = sample.memory(0, nowhere)
    sample.put(layout, node)
    _built(layout)
    graph = _state(layout)["identityGraph"]
    assert {"id": "unmapped-memory", "type": "memoryCluster", "title": "Unmapped memory", "count": 1} in graph["nodes"]
    assert {"from": node.id, "to": "unmapped-memory", "type": "clustered_in"} in graph["edges"]


def test_G27_a_components_own_paths_win_over_those_of_its_quest(tmp_path):
    layout = sample.make(tmp_path / "shop")
    node = sample.memory(0, sample.quest(1), kind="component", own={"paths": ["packages/auth/src/model"]})
    sample.put(layout, node)
    _built(layout)
    edges = _state(layout)["identityGraph"]["edges"]
    assert {"from": node.id, "to": "domain:packages/auth/src/model", "type": "scoped_to"} in edges


def test_G27_memory_graph_holds_accepted_memory_of_this_project_and_kept_edges_only(tmp_path):
    layout = sample.make(tmp_path / "shop", 12)
    foreign = sample.memory(90, sample.quest(0), project_id="project_of_others")
    legacy = sample.memory(91, sample.quest(0), project_id="")
    for node in (foreign, legacy):
        sample.put(layout, node)
    pending = layout.path("proposals/memory-delta/pending/p.md")
    pending.parent.mkdir(parents=True)
    accepted = GOLDEN / "tree-final/proposals/memory-delta/accepted"
    pending.write_bytes(next(accepted.glob("*.md")).read_bytes())
    answer = _built(layout)
    state = _state(layout)
    graph = state["memoryGraph"]
    assert len(graph["nodes"]) == 12 == answer["summary"]["acceptedMemoryNodes"]
    assert not {foreign.id, legacy.id} & {node["id"] for node in graph["nodes"]}
    assert {edge["type"] for edge in graph["edges"]} <= {"depends_on", "conflicts_with"}
    assert state["sourceGraph"] == graph
    drawn = {node["id"] for node in state["structureGraph"]["nodes"]}
    assert not drawn & {node["id"] for node in graph["nodes"]}
    assert any("another project" in warning for warning in answer["summary"]["graphWarnings"])


def test_G27_structure_is_kept_beside_and_knows_the_project_even_in_an_empty_folder(tmp_path):
    layout = sample.empty(tmp_path / "nothing")
    _built(layout)
    kept = json.loads(layout.path(STRUCTURE).read_bytes())
    assert [(node["id"], node["type"]) for node in kept["nodes"]] == [("project", "project")]
    assert kept["acceptedMemory"] is False


def test_G27_what_git_ignores_is_not_drawn(git_repo):
    (git_repo / ".gitignore").write_text("generated/\n", encoding="utf-8")
    for folder in ("generated", "engine"):
        (git_repo / folder).mkdir()
        (git_repo / folder / "main.py").write_text("", encoding="utf-8")
    layout = sample.empty_in(git_repo)
    _built(layout)
    paths = {node["path"] for node in _state(layout)["structureGraph"]["nodes"]}
    assert "engine" in paths
    assert "generated" not in paths


def test_G27_links_are_not_followed_and_no_absolute_path_is_written(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "package.json").write_text('{"name": "outside-secret"}', encoding="utf-8")
    layout = sample.make(tmp_path / "shop", 3)
    (layout.root / "linked").symlink_to(outside, target_is_directory=True)
    (layout.root / "packages" / "auth" / "package.json").unlink()
    (layout.root / "packages" / "auth" / "package.json").symlink_to(outside / "package.json")
    _built(layout)
    for name in (IDENTITY, STRUCTURE, SUMMARY):
        text = layout.path(name).read_text(encoding="utf-8")
        assert "outside-secret" not in text
        assert str(tmp_path) not in text


# -- What holds ----------------------------------------------------------------------------------------------


def _states(layout: Layout) -> dict[str, list[str]]:
    _built(layout)
    return {node["id"]: node["states"] for node in _state(layout)["memoryGraph"]["nodes"]}


def test_stale_superseded_and_conflicting_memories_are_told_apart(tmp_path):
    layout = sample.empty(tmp_path / "shop")
    source = sample.quest(0)
    old = Validity(stale_after="30d", last_verified_at="2026-01-01")
    made = [
        sample.memory(0, source),
        sample.memory(1, source, validity=old),
        sample.memory(2, source, validity=Validity(superseded_by="decision.other")),
        sample.memory(3, source),
        sample.memory(5, source, validity=old),
        sample.memory(6, source),
        sample.memory(7, source, validity=Validity(valid_to="2026-01-01")),
    ]
    for node in made:
        sample.put(layout, node)
    ids = [node.id for node in made]
    sample.put_edges(
        layout,
        [
            Edge(ids[3], "conflicts_with", ids[4]),
            Edge(ids[0], "supersedes", ids[5]),
            Edge(ids[0], "conflicts_with", ids[2]),  # settled: one of the two was replaced
        ],
    )
    states = _states(layout)
    assert [states[id] for id in ids] == [
        ["fresh"], ["stale"], ["superseded"], ["conflicting"], ["conflicting", "stale"], ["superseded"], ["expired"],
    ]  # fmt: skip


def test_a_memory_is_stale_when_files_of_its_condition_changed_since(git_repo):
    layout = sample.empty_in(git_repo)
    source = sample.quest(0, scope_paths=())
    made = [
        sample.memory(
            number, source, validity=Validity(stale_after=f"path:{pattern}", last_verified_at="2026-01-01T00:00:00Z")
        )
        for number, pattern in enumerate(("README.md", "engine/**"))
    ]
    for node in made:
        sample.put(layout, node)
    (git_repo / "engine").mkdir()
    (git_repo / "engine" / "main.py").write_text("print(1)\n", encoding="utf-8")
    git(git_repo, "add", "engine")
    git(git_repo, "commit", "--quiet", "--message", "An engine")
    later = {"GIT_COMMITTER_DATE": "2026-02-02T00:00:00+00:00"}
    subprocess.run(
        ["git", "commit", "--quiet", "--amend", "--no-edit"], cwd=git_repo, check=True, env=os.environ | later
    )
    states = _states(layout)
    assert states[made[1].id] == ["stale"]


# -- The page ------------------------------------------------------------------------------------------------


def test_G26_the_same_state_gives_the_same_bytes_and_nothing_else_changes(tmp_path):
    layout = sample.make(tmp_path / "shop", 30)
    before = _tree(layout.root)
    build(open_shared(layout.root, lambda: "2026-11-30T00:00:00.000Z"))
    first = _tree(layout.root)
    written = {str(Path(".orange-hyper") / name) for name in (IDENTITY, SUMMARY, STRUCTURE)}
    assert first.keys() - before.keys() == written
    assert {name: first[name] for name in before} == before
    build(open_shared(layout.root, lambda: "2026-12-01T12:34:56.000Z"))
    assert _tree(layout.root) == first


def test_G26_another_clone_gives_the_same_bytes(tmp_path):
    pages = []
    for name in ("one", "another/deeper"):
        layout = sample.make(tmp_path / name, 20)
        _built(layout)
        pages.append(_page(layout))
    assert pages[0] == pages[1]


def test_G26_the_page_needs_nothing_but_itself_and_says_that_it_is_read_only(tmp_path):
    layout = sample.make(tmp_path / "shop", 5)
    _built(layout)
    page = _page(layout)
    assert "Graph preview is read-only" in page
    assert "Graph editing is not supported" in page
    assert "default-src 'none'" in page
    assert not re.search(
        r"""(?:src|href)=["'](?!#)|url\(|@import|https?://|fetch\(|XMLHttpRequest|localStorage""", page
    )


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)> & \"'`<!-- \u2028 \x1b[31m \u202e"


def test_G26_whatever_stands_in_a_field_stays_text(tmp_path):
    layout = sample.make(tmp_path / "shop")
    source = sample.quest(0, title=HOSTILE)
    sample.put_quest(layout, source)
    node = sample.memory(
        0, source, kind="decision", title=HOSTILE, summary=HOSTILE, evidence=HOSTILE, own={"rationale": HOSTILE}
    )
    sample.put(layout, node)
    _built(layout)
    page = _page(layout)
    assert page.count("<script") == page.count("</script>") == 2
    assert "<img" not in page
    assert "\u202e" not in page.replace("\\u202e", "")
    assert "alert(1)" in _state(layout)["memoryGraph"]["nodes"][0]["summary"]


def test_a_credential_in_a_file_does_not_reach_the_page(tmp_path):
    layout = sample.make(tmp_path / "shop")
    key = "AKIA" + "Q3EGRM5AUBKF2PL7"
    sample.put(
        layout, sample.memory(0, sample.quest(0), summary=f"The key is {key} for now.", evidence=f"- Evidence: {key}")
    )
    _built(layout)
    assert not [name for name in (IDENTITY, SUMMARY) if key in layout.path(name).read_text(encoding="utf-8")]


def test_one_broken_file_hides_no_other_and_is_told(tmp_path):
    layout = sample.make(tmp_path / "shop", 3)
    (layout.nodes("risk") / "broken.md").parent.mkdir(parents=True, exist_ok=True)
    (layout.nodes("risk") / "broken.md").write_text("---\nid: [\n---\n", encoding="utf-8")
    answer = _built(layout)
    assert answer["summary"]["acceptedMemoryNodes"] == 3
    assert any("broken.md" in warning for warning in answer["summary"]["graphWarnings"])
    assert "broken.md" in _page(layout)


@pytest.mark.parametrize("name", ["identity", "structure"])
def test_nothing_is_written_through_a_link_out_of_the_memory(tmp_path, pith, name):
    layout = sample.make(tmp_path / "shop", 1)
    outside = tmp_path / "outside"
    outside.mkdir()
    (layout.base / name).symlink_to(outside, target_is_directory=True)
    run = pith("identity", "build", "--json", cwd=layout.root)
    assert run.code == 1
    assert "link" in run.json["error"]["message"]
    assert os.listdir(outside) == []


# -- The answer ----------------------------------------------------------------------------------------------


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shape(value[0])] if value else []
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def test_G26_the_answer_has_the_recorded_shape_and_counts(tmp_path, pith):
    root = tmp_path / "shop"
    shutil.copytree(GOLDEN / "tree-final", root / ".orange-hyper")
    recorded = json.loads((GOLDEN / "083-identity-build.json").read_bytes())["data"]
    ours = pith("identity", "build", "--json", cwd=root, check=True).json["data"]
    assert (ours["file"], ours["summary_file"]) == (recorded["file"], recorded["summary_file"])
    ours_shape, recorded_shape = _shape(ours["summary"]), _shape(recorded["summary"])
    # What no clone has, and candidates that are not suggested here: differences.md.
    for shape in (ours_shape, recorded_shape):
        del shape["routeDistribution"], shape["growthPreview"]["topCandidates"]
    assert ours_shape == recorded_shape
    assert list(ours["summary"]) == list(recorded["summary"])
    same = (
        "activeCount completedCount verifiedCount unverifiedCount acceptedMemoryProposals acceptedMemoryNodes".split()
    )
    assert {name: ours["summary"][name] for name in same} == {name: recorded["summary"][name] for name in same}
    assert ours["summary"]["graphPreview"]["sourceLinks"] == recorded["summary"]["graphPreview"]["sourceLinks"]
    kept = json.loads((root / ".orange-hyper" / SUMMARY).read_bytes())
    assert kept == ours["summary"]


def test_the_command_says_where_the_page_is_from_any_folder_below(tmp_path, pith):
    layout = sample.make(tmp_path / "shop", 2)
    run = pith("identity", "build", cwd=layout.root / "docs", check=True)
    assert ".orange-hyper/identity/orange-hyper.html" in run.stdout
    assert layout.path(IDENTITY).is_file()


def test_without_a_project_memory_the_command_names_the_next_step(tmp_path, pith: Callable[..., Run]):
    run = pith("identity", "build", "--json", cwd=tmp_path)
    assert (run.code, run.json["error"]["code"]) == (1, "USER_INPUT_ERROR")


def test_two_thousand_memories_make_a_page_below_six_megabytes(tmp_path):
    layout = sample.make(tmp_path / "shop", 2_000)
    _built(layout)
    assert layout.path(IDENTITY).stat().st_size < 6_000_000


def test_a_repository_in_which_git_fails_is_walked(git_repo, monkeypatch):
    layout = sample.empty_in(git_repo)
    (git_repo / "engine").mkdir()
    (git_repo / "engine" / "main.py").write_text("", encoding="utf-8")
    monkeypatch.setenv("PATH", "")
    _built(layout)
    assert "engine" in {node["path"] for node in _state(layout)["structureGraph"]["nodes"]}


def test_a_file_that_git_knows_but_that_is_gone_does_no_harm(git_repo):
    (git_repo / "package.json").write_text('{"name": "gone"}', encoding="utf-8")
    git(git_repo, "add", "package.json")
    (git_repo / "package.json").unlink()
    _built(sample.empty_in(git_repo))
