"""Project memory from the first quest to a certified node, on real folders with real git."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import git
from pith.domain.nodes import KINDS, OWN_FIELDS
from pith.domain.proposals import ProposalAlreadyDecided, ProposalInvalid
from pith.domain.quests import QuestAlreadyCompleted
from pith.domain.selection import AmbiguousItem, NoSuchItem
from pith.errors import InputError
from pith.files import edges, front_matter, graph_index, nodes, proposals
from pith.files.atomic import EditedMeanwhile
from pith.files.layout import NotInitialized, OutsideMemory
from pith.services.project_memory import curate, decide, graph, quests, remember, review, shared, shared_init
from pith.services.project_memory.graph import Filters
from pith.services.project_memory.review import AGENT_VARIABLES, NeedsAPerson
from pith.services.project_memory.shared import Shared
from pith.services.setup import config_edit

GOLDEN = Path(__file__).parents[1] / "data" / "orange-golden"
KOREAN = "탈퇴한 회원의 재가입은 30일 뒤에만 허용한다는 규칙을 회원 서비스에 반영한다."


def ticking() -> Callable[[], str]:
    """A clock of one second a look."""
    seconds = iter(range(10_000))

    def now() -> str:
        minutes, second = divmod(next(seconds), 60)
        return f"2026-11-30T{minutes // 60:02}:{minutes % 60:02}:{second:02}.000Z"

    return now


@pytest.fixture
def memory(git_repo: Path) -> Shared:
    """An empty project memory in a repository whose git knows a name."""
    git(git_repo, "config", "user.name", "Reviewer One")
    shared_init.init(git_repo, "데모 demo")
    return shared.open_shared(git_repo, ticking())


def completed(memory: Shared, request: str = KOREAN, **fields: Any) -> str:
    """A completed quest; its id."""
    quest = quests.new(memory, request, layer=fields.pop("layer", "L2"), **fields).quest.id
    quests.done(memory, quest, evidence=["테스트 9개 통과"])
    return quest


def accepted(memory: Shared, request: str = KOREAN, kind: str | None = None, **further: Any) -> str:
    """An accepted node; its id."""
    proposed = remember.propose(memory, completed(memory, request), node_type=kind, further=further)
    return decide.accept(memory, proposed.proposal.id).node.id


def tree(memory: Shared) -> dict[str, bytes]:
    """Everything that git would see of the memory, and the pending and rejected proposals."""
    return {
        path.relative_to(memory.layout.base).as_posix(): path.read_bytes()
        for path in memory.layout.base.rglob("*")
        if path.is_file() and "local/" not in path.relative_to(memory.layout.base).as_posix()
    }


# -- Beginning -------------------------------------------------------------------------------------------------


def test_G01_init_makes_the_folder_once_and_changes_nothing_afterwards(git_repo: Path) -> None:
    first = shared_init.init(git_repo, "데모")
    memory = shared.open_shared(git_repo)
    before = tree(memory)
    assert re.fullmatch(
        r"project_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", first.config.project_id
    )
    assert shared_init.init(git_repo, "another").written == ()
    assert tree(memory) == before
    assert str(git_repo) not in memory.layout.path("config.json").read_text(encoding="utf-8")


def test_orange_08_force_never_changes_the_id_of_a_project(memory: Shared) -> None:
    accepted(memory)
    shared_init.init(memory.layout.root, "new name", force=True)
    again = shared.open_shared(memory.layout.root)
    assert again.config.project_id == memory.config.project_id
    assert again.config.project_name == "new name"
    assert graph.listed(again)["count"] == 1


def test_orange_10_a_linked_memory_folder_is_refused(git_repo: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (git_repo / ".orange-hyper").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutsideMemory):
        shared_init.init(git_repo)
    with pytest.raises(OutsideMemory):
        shared.open_shared(git_repo)
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("folder", ["graph/nodes/constraint", "proposals/memory-delta/accepted", "graph", "local"])
def test_orange_10_nothing_is_written_through_a_linked_folder(memory: Shared, tmp_path: Path, folder: str) -> None:
    made = remember.propose(memory, completed(memory)).proposal.id
    elsewhere = tmp_path / "elsewhere"
    memory.layout.path(folder).rename(elsewhere)
    memory.layout.path(folder).symlink_to(elsewhere)
    before = {path: path.read_bytes() for path in elsewhere.rglob("*") if path.is_file()}
    for act in (lambda: decide.accept(memory, made), lambda: shared_init.init(memory.layout.root)):
        with pytest.raises(OutsideMemory, match="symbolic link"):
            act()
    assert {path: path.read_bytes() for path in elsewhere.rglob("*") if path.is_file()} == before


def test_orange_17_the_memory_is_found_from_any_folder_below(memory: Shared, tmp_path: Path) -> None:
    deep = memory.layout.root / "src" / "깊은"
    deep.mkdir(parents=True)
    assert shared.open_shared(deep).layout.root == memory.layout.root
    with pytest.raises(NotInitialized):
        shared.open_shared(tmp_path)


def test_G31_git_carries_what_is_shared_and_nothing_else(memory: Shared) -> None:
    accepted(memory)
    decide.reject(memory, remember.propose(memory, completed(memory, "Decide another thing entirely.")).proposal.id)
    remember.propose(memory, completed(memory, "Decide a third thing entirely."))
    quests.new(memory, "still active")
    git(memory.layout.root, "add", ".")
    names = git(memory.layout.root, "-c", "core.quotepath=off", "ls-files", ".orange-hyper").splitlines()
    folders = {"/".join(name.split("/")[1:4]).rpartition("/")[0] for name in names}
    assert folders == {"", "graph", "graph/nodes", "proposals/memory-delta", "quests/active", "quests/completed"}
    assert not [name for name in names if "/pending/" in name or "/rejected/" in name or "/local/" in name]


# -- Quests ----------------------------------------------------------------------------------------------------


def test_G02_a_quest_keeps_everything_it_was_given(memory: Shared) -> None:
    made = quests.new(
        memory, "Decide\n## Request\nmore", title="007", layer="L3", verify=["true"], constraints=["no: x"], paths=["src/a"]
    )  # fmt: skip
    found = quests.find(memory, made.quest.id).value
    assert (found.title, found.layer, found.expected_verification) == ("007", "L3", ("true",))
    assert (found.constraints, found.scope_paths) == (("no: x",), ("src/a",))
    assert found.request == "Decide\n## Request\nmore"


@pytest.mark.parametrize("text", ["null", "true", "007", "1.50", "a\u2028b", "---", "# x: y"])
def test_orange_04_orange_05_titles_and_evidence_stay_as_they_were_written(memory: Shared, text: str) -> None:
    quest = quests.new(memory, "Decide something long enough", title=text, layer="L2").quest.id
    quests.done(memory, quest, evidence=[text])
    found = quests.find(memory, quest).value
    shown = " ".join(text.split())
    assert (found.title, found.verification_evidence) == (shown, (shown,))
    assert remember.propose(memory, quest, node_type="decision").proposal.title == shown


def test_G02_quests_are_listed_with_the_newest_change_first(memory: Shared) -> None:
    one, two = (quests.new(memory, text, layer="L2").quest.id for text in ("first", "second"))
    assert [each.value.id for each in quests.listed(memory).items] == [two, one]
    quests.done(memory, one, unverified="no time")
    assert [each.value.id for each in quests.listed(memory, "active", "completed").items] == [one, two]
    assert [each.value.status for each in quests.listed(memory, "completed").items] == ["completed"]


def test_orange_02_an_ambiguous_beginning_names_the_candidates_and_changes_nothing(memory: Shared) -> None:
    ids = [quests.new(memory, text).quest.id for text in ("first", "second")]
    with pytest.raises(AmbiguousItem) as raised:
        quests.done(memory, "quest_2026", evidence=["x"])
    assert all(id in raised.value.hint for id in ids)
    assert len(quests.listed(memory).items) == 2
    with pytest.raises(NoSuchItem, match="Quest not found: nope"):
        quests.find(memory, "nope")
    assert quests.find(memory, ids[0][:-2]).value.id == ids[0]
    assert quests.find(memory, f".orange-hyper/quests/active/{ids[0]}.md").value.id == ids[0]


@pytest.mark.parametrize("selector", ["../../x", "/etc/passwd", "a\x00b", "a\nb", "..", "", " ", "a/../b"])
def test_selectors_that_are_no_ids_are_refused_everywhere(memory: Shared, selector: str) -> None:
    for look in (quests.find, remember.find, graph.find):
        with pytest.raises(InputError):
            look(memory, selector)


def test_G02_a_quest_is_completed_once(memory: Shared) -> None:
    quest = completed(memory)
    with pytest.raises(QuestAlreadyCompleted, match="already completed"):
        quests.done(memory, quest, evidence=["again"])


# -- Proposals -------------------------------------------------------------------------------------------------


def test_G04_a_proposal_has_the_fields_and_sections_of_the_recorded_ones(memory: Shared) -> None:
    made = remember.propose(memory, completed(memory))
    ours = remember.find(memory, made.proposal.id).document
    recorded = front_matter.read(next((GOLDEN / "tree-final" / "proposals").rglob("*.md")))
    assert set(recorded.fields) <= set(ours.fields)
    assert list(front_matter.sections(ours.body)) == list(front_matter.sections(recorded.body))
    assert not proposals.missing(ours)
    assert made.proposal.node_type == "constraint"
    assert "규칙" in made.as_json()["type_reason"]


def test_G05_a_second_equal_proposal_is_the_first_one(memory: Shared) -> None:
    quest = completed(memory)
    first = remember.propose(memory, quest)
    before = tree(memory)
    second = remember.propose(memory, quest)
    assert (first.duplicated, second.duplicated, second.proposal.id) == (False, True, first.proposal.id)
    assert tree(memory) == before
    decide.reject(memory, first.proposal.id)
    assert remember.propose(memory, quest).proposal.id == f"{first.proposal.id}_2"


def test_G07_proposals_are_listed_by_status_type_and_quest(memory: Shared) -> None:
    quest = completed(memory)
    one = remember.propose(memory, quest, node_type="risk").proposal.id
    two = remember.propose(memory, quest, node_type="decision").proposal.id
    decide.reject(memory, one, reason="not now")

    def ids(**only: str) -> list[str]:
        return [each["id"] for each in remember.listed(memory, **only).as_json(memory.layout)["proposals"]]

    assert ids() == [one, two]
    assert (ids(status="pending"), ids(node_type="risk"), ids(quest="none")) == ([two], [one], [])
    with pytest.raises(InputError, match="Unsupported memory proposal status: foo"):
        ids(status="foo")
    with pytest.raises(InputError, match="Unsupported memory proposal node type: foo"):
        ids(node_type="foo")


def test_G08_revise_changes_pending_ones_only_and_moves_the_confidence_that_is_shown(memory: Shared) -> None:
    made = remember.propose(memory, completed(memory))
    answer = remember.revise(
        memory, made.proposal.id, candidate="재가입은 탈퇴 30일 뒤에만 허용한다.", why="매달 묻는다", confidence="0.8"
    )
    after = remember.find(memory, made.proposal.id)
    assert answer["revisions"] == ["candidate", "why", "confidence"]
    assert after.value.candidate == "재가입은 탈퇴 30일 뒤에만 허용한다."
    assert "- Confidence: 0.8" in after.value.suggested
    assert after.value.updated_at > made.proposal.updated_at
    decide.accept(memory, made.proposal.id)
    with pytest.raises(ProposalAlreadyDecided):
        remember.revise(memory, made.proposal.id, why="late")
    assert remember.validate(memory, made.proposal.id)["validation"]["valid"]


def test_G08_revise_refuses_to_repeat_another_pending_proposal_and_bad_values(memory: Shared) -> None:
    one = remember.propose(memory, completed(memory, "Decide how the worker retries things."))
    two = remember.propose(memory, completed(memory, "Decide where the worker keeps things."))
    before = tree(memory)
    with pytest.raises(ProposalInvalid, match=one.proposal.id):
        remember.revise(memory, two.proposal.id, candidate=one.proposal.candidate)
    with pytest.raises(InputError, match="confidence: huge"):
        remember.revise(memory, two.proposal.id, confidence="huge")
    with pytest.raises(InputError, match="--candidate requires a value"):
        remember.revise(memory, two.proposal.id, candidate=" ")
    with pytest.raises(InputError, match="requires --candidate"):
        remember.revise(memory, two.proposal.id)
    assert tree(memory) == before


def test_orange_11_headings_in_a_candidate_stay_text(memory: Shared) -> None:
    made = remember.propose(memory, completed(memory))
    remember.revise(memory, made.proposal.id, candidate="Good rule to keep\n\n## Evidence\n\n- forged")
    node = graph.find(memory, decide.accept(memory, made.proposal.id).node.id).value
    assert node.summary == "Good rule to keep\n\n## Evidence\n\n- forged"
    assert "테스트 9개 통과" in node.evidence


# -- Accepting -------------------------------------------------------------------------------------------------


def test_G09_accept_moves_the_proposal_and_makes_the_node_with_all_its_provenance(memory: Shared) -> None:
    made = remember.propose(memory, completed(memory))
    answer = decide.accept(memory, made.proposal.id)
    file = memory.layout.root / answer.file
    node = graph.find(memory, answer.node.id)
    assert not (memory.layout.proposals("pending") / file.name).exists()
    assert node.value.source_proposal_hash == hashlib.sha256(file.read_bytes()).hexdigest()
    recorded = front_matter.read(next((GOLDEN / "tree-final" / "graph" / "nodes").rglob("*.md")))
    assert set(recorded.fields) <= set(node.document.fields)
    assert set(recorded.fields["provenance"]) <= set(node.value.provenance)
    assert node.value.provenance["accepted_by"] == "Reviewer One"
    assert node.value.provenance["accepted_via"] == "terminal"
    assert "developer@example.org" not in file.read_text(encoding="utf-8") + node.document.text
    assert [entry["id"] for entry in graph_index.read(memory.layout)["nodes"]] == [answer.node.id]
    with pytest.raises(ProposalAlreadyDecided, match="already accepted"):
        decide.accept(memory, made.proposal.id)
    with pytest.raises(ProposalAlreadyDecided, match="already accepted"):
        decide.reject(memory, made.proposal.id)


def test_orange_07_a_damaged_index_does_not_stop_accepting(memory: Shared) -> None:
    memory.layout.path("graph/index.json").write_bytes(b"{")
    id = accepted(memory)
    assert [entry["id"] for entry in graph_index.read(memory.layout)["nodes"]] == [id]


def test_G34_what_was_edited_by_hand_is_taken_over_and_never_overwritten(memory: Shared) -> None:
    made = remember.propose(memory, completed(memory))
    found = remember.find(memory, made.proposal.id)
    found.path.write_bytes(found.path.read_bytes().replace(b"title:", b"team: ours\ntitle:").replace(b"\n", b"\r\n"))
    answer = decide.accept(memory, made.proposal.id)
    assert front_matter.read(memory.layout.root / answer.file).get("team") == "ours"
    with pytest.raises(EditedMeanwhile):
        front_matter.write(found.path, "x", expected="0" * 64)


def test_an_id_edited_by_hand_cannot_lead_anywhere(memory: Shared) -> None:
    made = remember.propose(memory, completed(memory))
    found = remember.find(memory, made.proposal.id)
    text = found.document.text.replace(f"id: {made.proposal.id}", 'id: "../../../evil"')
    found.path.write_text(text, encoding="utf-8")
    with pytest.raises(ProposalInvalid, match="another name"):
        decide.accept(memory, made.proposal.id)
    assert list(memory.layout.root.rglob("*evil*")) == []


def test_G14_every_kind_keeps_its_own_fields_and_unknown_ones(memory: Shared) -> None:
    for kind in KINDS:
        own = {name: ["하나", "b: c"] if shape == "list" else "값: true" for name, shape in OWN_FIELDS[kind].items()}
        id = accepted(memory, f"Remember this about the {kind} of it all.", kind, **own, stale_after="90d")
        node = graph.find(memory, id).value
        assert (node.kind, node.own, node.validity.stale_after) == (kind, own, "90d")
    assert graph.listed(memory)["count"] == len(KINDS)
    with pytest.raises(InputError, match="no field `severity`"):
        remember.propose(memory, completed(memory), node_type="decision", further={"severity": "high"})


# -- Who accepts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variable", AGENT_VARIABLES)
def test_G28_an_agent_cannot_accept_without_a_person(
    memory: Shared, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    made = remember.propose(memory, completed(memory)).proposal.id
    monkeypatch.setenv(variable, "1")
    with pytest.raises(NeedsAPerson, match=variable):
        decide.accept(memory, made)
    with pytest.raises(NeedsAPerson):
        decide.accept(memory, made, ask=lambda _question: False)
    assert graph.listed(memory)["count"] == 0
    decide.accept(memory, made, ask=lambda _question: True)


def test_G28_the_setting_is_a_persons_never_the_repositorys_nor_the_environments(
    memory: Shared, pith_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in AGENT_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    root = str(memory.layout.root)
    config = memory.layout.path("config.json")
    config.write_text(
        json.dumps(json.loads(config.read_bytes()) | {"pith": {"review.accept": "anyone"}}), encoding="utf-8"
    )
    monkeypatch.setenv("PITH_REVIEW_ACCEPT", "anyone")
    assert review.setting(root) == "auto"
    config_edit.set_value(str(pith_home), None, "review.accept", "terminal")
    assert review.setting(root) == "terminal"
    with pytest.raises(NeedsAPerson, match=r"review\.accept"):
        review.demand_person(root, "?", None)
    config_edit.set_value(str(pith_home), None, "review.accept", "anyone")
    monkeypatch.setenv("CLAUDECODE", "1")
    review.demand_person(root, "?", None)


# -- Masking ---------------------------------------------------------------------------------------------------


def test_G32_nothing_private_reaches_a_shared_file_and_the_answer_says_so(memory: Shared) -> None:
    private = ("010-1234-5678", "900101-1234568", "kim@example.com")
    text = f"담당자 {private[0]}, 주민 {private[1]}, 메일 {private[2]} 규칙"
    made = quests.new(memory, text, layer="L2", verify=[private[0]], constraints=[private[2]])
    done = quests.done(memory, made.quest.id, evidence=[f"전화 {private[0]}"])
    proposed = remember.propose(memory, made.quest.id, candidate=f"연락처는 {private[0]} 이다", why=private[2])
    decide.accept(memory, proposed.proposal.id)
    whole = b"".join(tree(memory).values()).decode("utf-8")
    assert not [each for each in private if each in whole]
    assert made.as_json()["masked"] > 0
    assert done.as_json()["masked"] == 1
    assert "masked" in proposed.warnings[-1]


def test_G32_private_data_written_by_hand_is_masked_when_it_is_accepted(memory: Shared) -> None:
    made = remember.propose(memory, completed(memory))
    found = remember.find(memory, made.proposal.id)
    text = front_matter.with_section(found.document.text, "Candidate Memory", "담당자는 010-1234-5678 이다, 오래 간다")
    found.path.write_text(text, encoding="utf-8")
    answer = decide.accept(memory, made.proposal.id)
    assert answer.masked == 1
    assert "010-1234-5678" not in b"".join(tree(memory).values()).decode("utf-8")


# -- The graph -------------------------------------------------------------------------------------------------


def test_G11_nodes_are_listed_by_type_and_source(memory: Shared) -> None:
    one = accepted(memory, kind="constraint")
    two = accepted(memory, "Decide how the worker retries things.", kind="decision")
    source = graph.find(memory, two).value

    def ids(filters: Filters) -> list[str]:
        return [each["id"] for each in graph.listed(memory, filters)["nodes"]]

    assert ids(Filters()) == sorted([one, two])
    assert ids(Filters(node_type="constraint")) == [one]
    assert ids(Filters(source_quest=source.source_quest)) == [two]
    assert ids(Filters(source_proposal=source.source_proposal)) == [two]
    with pytest.raises(InputError, match="Unsupported graph node type: foo"):
        ids(Filters(node_type="foo"))
    with pytest.raises(InputError, match="query is required"):
        graph.search(memory, " ")


def test_orange_03_G34_one_bad_file_is_one_warning_and_stops_nothing(memory: Shared) -> None:
    good = accepted(memory)
    folder = memory.layout.nodes("decision")
    bad = {"empty.md": b"", "open.md": b"---\nid: a\n", "yaml.md": b"---\nid: [\n---\n", "latin.md": b"---\nid: \xff\n---\n",
           "conflict.md": b"---\nid: a\n<<<<<<< HEAD\n---\n", "huge.md": b"---\n" + b"a" * 2_100_000}  # fmt: skip
    for name, data in bad.items():
        (folder / name).write_bytes(data)
    (folder / "folder.md").mkdir()
    (folder / "dangling.md").symlink_to("nowhere")
    (folder / "outside.md").symlink_to("/etc/passwd")
    answer = graph.listed(memory)
    assert [each["id"] for each in answer["nodes"]] == [good]
    assert len(answer["warnings"]) == len(bad)
    assert all(f".orange-hyper/graph/nodes/decision/{name}" in "\n".join(answer["warnings"]) for name in bad)
    assert any("conflict.md:3:" in each for each in answer["warnings"])
    assert graph.search(memory, "재가입")["count"] == graph.rebuild_index(memory)["count"] == 1
    (memory.layout.path("quests/active") / "bad.md").write_bytes(b"x")
    (memory.layout.proposals("pending") / "bad.md").write_bytes(b"x")
    assert len(quests.listed(memory).warnings) == len(remember.listed(memory).warnings) == 1


def test_orange_03_a_node_with_crlf_and_a_byte_order_mark_is_an_ordinary_node(memory: Shared) -> None:
    id = accepted(memory)
    path = graph.find(memory, id).path
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert graph.listed(memory)["count"] == 1
    assert graph.show(memory, id)["warnings"] == []


def test_G29_foreign_and_legacy_nodes_are_left_out_and_told(memory: Shared) -> None:
    id = accepted(memory)
    path = graph.find(memory, id).path
    text = path.read_text(encoding="utf-8")
    path.with_name("foreign.md").write_text(
        text.replace(memory.config.project_id, "project_other").replace(f"id: {id}", "id: x1")
    )
    line = f"project_id: {memory.config.project_id}\n"
    path.with_name("legacy.md").write_text(text.replace(line, "", 1).replace(f"id: {id}", "id: x2"))
    path.with_name("twice.md").write_text(text)
    answer = graph.listed(memory)
    assert answer["count"] == 1
    assert [
        "project_other" in each or "no project_id" in each or "has the id" in each for each in answer["warnings"]
    ] == [True] * 3


def test_G13_the_recorded_index_is_rebuilt_byte_for_byte(git_repo: Path) -> None:
    import shutil

    shutil.copytree(GOLDEN / "tree-final", git_repo / ".orange-hyper")
    memory = shared.open_shared(git_repo)
    before = memory.layout.path("graph/index.json").read_bytes()
    graph.rebuild_index(memory)
    assert memory.layout.path("graph/index.json").read_bytes() == before
    recorded = json.loads((GOLDEN / "064-graph-list.json").read_bytes())["data"]
    found = graph.listed(memory)
    assert found == recorded
    assert [list(each) for each in found["nodes"]] == [list(each) for each in recorded["nodes"]]


def _recorded(name: str) -> Any:
    return json.loads((GOLDEN / f"{name}.json").read_bytes())["data"]


def test_G07_G11_G12_the_recorded_project_gives_the_recorded_answers(git_repo: Path) -> None:
    import shutil

    shutil.copytree(GOLDEN / "tree-final", git_repo / ".orange-hyper")
    memory = shared.open_shared(git_repo)
    for answer in sorted(GOLDEN.glob("07*-graph-search-*.json")):
        recorded = json.loads(answer.read_bytes())["data"]
        filters = Filters(*recorded["filters"].values())
        found = graph.search(memory, recorded["query"], filters)
        nodes_found, nodes_recorded = found.pop("nodes"), recorded.pop("nodes")
        assert found == recorded
        assert [each | {"score": 0} for each in nodes_found] == [each | {"score": 0} for each in nodes_recorded]
    shown = _recorded("067-graph-show-constraint")
    assert graph.show(memory, shown["node"]["id"]) == shown
    assert graph.rebuild_index(memory) == _recorded("079-rebuild-index")
    listed = remember.listed(memory).as_json(memory.layout)
    after = _recorded("063-remember-list-after")  # the rejected one is not in git
    assert listed == after | {"proposals": [each for each in after["proposals"] if each["status"] == "accepted"]}
    for each in listed["proposals"]:
        assert remember.validate(memory, each["id"])["validation"] == {"valid": True, "errors": [], "warnings": []}


def test_G13_rebuilding_gives_the_same_bytes_and_follows_every_change(memory: Shared) -> None:
    id = accepted(memory)
    index = memory.layout.path("graph/index.json")
    before = index.read_bytes()
    assert json.loads(before) == graph.rebuild_index(memory)["index"]
    assert index.read_bytes() == before
    assert before.decode("utf-8") == json.dumps(json.loads(before), ensure_ascii=False, indent=2) + "\n"
    path = graph.find(memory, id).path
    stamp = path.stat()
    path.write_bytes(path.read_bytes().replace("재가입은".encode(), "재등록은".encode()))
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # the clock tells nothing; the bytes do
    assert graph.rebuild_index(memory)["index"]["nodes"][0]["summary"].startswith("탈퇴한 회원의 재등록은")


def test_G15_edges_join_nodes_that_exist_and_bad_lines_stay(memory: Shared) -> None:
    one, two = accepted(memory), accepted(memory, "Decide how the worker retries things.")
    path = memory.layout.path("graph/edges.jsonl")
    path.write_bytes(b'not json\n{"from":"a","type":"likes","to":"b"}\n')
    curate.link(memory, one, "applies_to", two, confidence="0.5")
    answer = curate.link(memory, one, "applies_to", two, confidence="high")
    assert answer["edge"] == {"from": one, "type": "applies_to", "to": two, "confidence": "high"}
    assert path.read_bytes().startswith(b'not json\n{"from":"a","type":"likes","to":"b"}\n')
    assert path.read_bytes().count(b"\n") == 3
    assert [each.line for each in edges.read(memory.layout)[1]] == [1, 2]
    assert graph.show(memory, two)["node"]["edges"] == [answer["edge"]]
    for wrong in ((one, "likes", two), (one, "touches", "decision.nope"), (one, "touches", one)):
        with pytest.raises(InputError):
            curate.link(memory, *wrong)
    assert curate.unlink(memory, one, "applies_to", two)["removed"] == 1
    with pytest.raises(InputError, match="no edge"):
        curate.unlink(memory, one, "applies_to", two)


def test_G15_links_of_a_proposal_become_edges_of_its_node(memory: Shared) -> None:
    one = accepted(memory)
    two = accepted(memory, "Decide how the worker retries things.", links=[f"depends_on:{one}"])
    assert [edge.key for edge in edges.read(memory.layout)[0]] == [(two, "depends_on", one)]
    with pytest.raises(InputError):
        remember.propose(
            memory, completed(memory, "Third thing to decide upon."), further={"links": ["depends_on:nope"]}
        )


def test_G16_supersede_sets_the_chain_and_refuses_a_circle(memory: Shared) -> None:
    one, two = accepted(memory), accepted(memory, "Decide how the worker retries things.")
    curate.supersede(memory, one, two)
    assert graph.find(memory, one).value.validity.superseded_by == two
    assert edges.read(memory.layout)[0][0].key == (two, "supersedes", one)
    for pair in ((two, one), (one, one)):
        with pytest.raises(curate.CycleOfNodes):
            curate.supersede(memory, *pair)


def test_G16_verify_certifies_and_records_who_and_on_which_evidence(memory: Shared) -> None:
    id = accepted(memory)
    before = graph.find(memory, id).value
    answer = curate.verify(memory, id, "ran the tests")
    curate.verify(memory, id, "다시 확인")
    after = graph.find(memory, id)
    assert (after.value.status, after.value.validity.last_verified_at > before.accepted_at) == ("certified", True)
    record = after.document.section("Verifications") or ""
    assert [line.split(": ", 1)[1] for line in record.split("\n")] == [
        "Reviewer One (terminal): ran the tests",
        "Reviewer One (terminal): 다시 확인",
    ]
    assert answer["verified_by"] == "Reviewer One"
    with pytest.raises(InputError, match="--evidence"):
        curate.verify(memory, id, " ")


def test_G31_branches_that_each_accepted_something_merge(memory: Shared) -> None:
    root = memory.layout.root
    base = accepted(memory)
    git(root, "add", ".")
    git(root, "commit", "-qm", "base")
    made = {}
    for branch in ("left", "right"):
        git(root, "checkout", "-qb", branch, "main")
        made[branch] = accepted(memory, f"Decide what the {branch} branch needs to know.")
        curate.link(memory, made[branch], "depends_on", base)
        git(root, "add", ".")
        git(root, "commit", "-qm", branch)
    merge = os.system(f"cd {root} && git merge -q left >/dev/null 2>&1")
    unmerged = git(root, "diff", "--name-only", "--diff-filter=U").split()
    assert unmerged in ([], [".orange-hyper/graph/index.json"])
    assert bool(merge) == bool(unmerged)
    graph.rebuild_index(memory)
    assert [each["id"] for each in graph.listed(memory)["nodes"]] == sorted([base, *made.values()])
    assert {edge.source for edge in edges.read(memory.layout)[0]} == set(made.values())
    assert edges.read(memory.layout)[1] == []


def test_what_is_written_is_what_nodes_read(memory: Shared) -> None:
    found = nodes.read_all_of(memory.layout)
    assert (found.items, found.problems) == ([], [])
