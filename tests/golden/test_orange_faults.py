"""Seventeen things that orange-hyper 1.0.1 does wrong, each done right here, through the commands that people give.

The rule of each stands in `docs/reference/differences.md` under the same number (`D01` ... `D17`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import program, run_program
from golden.conftest import Shop

NODE = "---\nid: {id}\nnode_type: decision\n---\n\n## Summary\n\nEmpty of sense.\n"


def _at_once(shop: Shop, commands: list[list[str]]) -> list[int]:
    """The exit codes of commands that run in processes of their own, eight at a time."""
    with ThreadPoolExecutor(8) as threads:
        runs = threads.map(lambda words: run_program([*program("orange"), *words], cwd=shop.root), commands)
        return [run.code for run in runs]


def test_orange_01_quests_begun_at_once_never_overwrite_each_other(shop: Shop) -> None:
    titles = [f"결정: {title} 규칙을 정한다" for title in "가나다"] + ["Decide the same thing"] * 5
    assert _at_once(shop, [["quest", "new", title, "--layer", "L2"] for title in titles]) == [0] * 8
    quests = shop.said("quest", "list")["quests"]
    assert len({each["id"] for each in quests}) == 8
    assert sorted(each["title"] for each in quests) == sorted(titles)
    assert all(each["id"].isascii() for each in quests)


def test_orange_02_a_beginning_that_fits_several_is_refused_and_names_them(shop: Shop) -> None:
    first, second = shop.quest("Decide the first thing"), shop.quest("Decide the second thing")
    run = shop("quest", "done", "quest_2", "--evidence", "x", "--json")
    assert run.code == 1
    assert "ambiguous" in run.json["error"]["message"]
    assert first in run.json["error"]["hint"]
    assert second in run.json["error"]["hint"]
    assert len(shop.said("quest", "list")["quests"]) == 2


BAD = {
    "empty": b"",
    "no-front-matter": b"# A title\n",
    "never-closed": b"---\nid: x\n",
    "bad-yaml": b"---\nid: [x\n---\n\nbody\n",
    "not-utf8": b"---\nid: \xff\xfe\n---\n",
}


@pytest.mark.parametrize("kind", [*BAD, "dangling-link", "folder"])
def test_orange_03_one_bad_file_stops_no_command_and_is_named(shop: Shop, kind: str) -> None:
    shop.node("Decide that refunds are retried three times")
    bad = shop.memory / "graph" / "nodes" / "decision" / "decision.bad.md"
    if kind == "folder":
        bad.mkdir()
    elif kind == "dangling-link":
        bad.symlink_to("nothing-here.md")
    else:
        bad.write_bytes(BAD[kind])
    for words in (["graph", "list"], ["graph", "search", "refunds"], ["graph", "rebuild-index"]):
        answer = shop.said(*words)
        assert answer["count"] == 1
        if kind in BAD:
            assert any(bad.name in warning for warning in answer["warnings"])
    shop("identity", "build", check=True)
    named = [finding for finding in shop.findings() if bad.name in finding["message"]]
    assert named
    assert all(finding["hint"] for finding in named)


@pytest.mark.parametrize("change", [lambda data: data.replace(b"\n", b"\r\n"), lambda data: b"\xef\xbb\xbf" + data])
def test_orange_03_line_ends_and_byte_order_marks_of_other_systems_are_read(shop: Shop, change: object) -> None:
    node = shop.node("Decide that refunds are retried three times")
    for path in shop.memory.rglob("*.md"):
        path.write_bytes(change(path.read_bytes()))  # type: ignore[operator]
    assert [each["id"] for each in shop.said("graph", "list")["nodes"]] == [node]
    assert shop.said("graph", "search", "refunds")["count"] == 1
    assert shop.said("quest", "list", "--completed")["warnings"] == []
    shop("identity", "build", check=True)
    assert shop("doctor").code == 0


def test_orange_04_a_title_with_a_line_separator_is_read_again(shop: Shop) -> None:
    quest = shop.quest("Decide something long enough", "--title", "a\u2028b\u0085c")
    assert shop.said("quest", "show", quest)["quest"]["title"] == "a b c"
    shop.said("quest", "done", quest, "--evidence", "ein\u2028zwei")
    assert shop("doctor").code == 0


@pytest.mark.parametrize("text", ["123", "true", "007", "1.50", "null", "~", "no", "1e3", "0x1f", "12:30:00"])
def test_orange_05_titles_and_evidence_stay_texts(shop: Shop, text: str) -> None:
    quest = shop.quest("Decide something long enough", "--title", text)
    assert shop.said("quest", "show", quest)["quest"]["title"] == text
    shop.said("quest", "done", quest, "--evidence", text)
    assert shop.said("quest", "show", quest)["quest"]["verification_evidence"] == [text]
    shop.said("remember", "propose", "--quest", quest)


def test_orange_06_sixteen_people_accept_at_once(shop: Shop) -> None:
    waiting = [shop.proposal(f"규칙 {number}: 환불은 {number}번까지 시도한다") for number in range(16)]
    assert _at_once(shop, [["remember", "accept", each] for each in waiting]) == [0] * 16
    index = json.loads((shop.memory / "graph" / "index.json").read_text(encoding="utf-8"))
    assert len(index["nodes"]) == len([*(shop.memory / "graph" / "nodes").rglob("*.md")]) == 16
    assert shop.said("graph", "list")["count"] == 16


def test_orange_07_a_damaged_index_keeps_nobody_from_accepting(shop: Shop) -> None:
    index = shop.memory / "graph" / "index.json"
    proposal = shop.proposal("Decide that refunds are retried three times")
    index.write_text("{ not json", encoding="utf-8")
    node = shop.said("remember", "accept", proposal)["node"]["id"]
    assert [each["id"] for each in json.loads(index.read_text(encoding="utf-8"))["nodes"]] == [node]


def test_orange_07_a_node_that_is_gone_is_made_again(shop: Shop) -> None:
    node = shop.node("Decide that refunds are retried three times")
    file = shop.file_of(node)
    file.unlink()
    assert "ACCEPTED_PROPOSAL_MISSING_NODE" in {finding["code"] for finding in shop.findings()}
    shop("doctor", "--repair", "--yes", check=True)
    assert file.exists()
    assert shop.findings() == []


def test_orange_08_force_keeps_the_identity_of_a_project(shop: Shop) -> None:
    node = shop.node("Decide that refunds are retried three times")
    config = shop.memory / "config.json"
    before = json.loads(config.read_text(encoding="utf-8"))["project_id"]
    shop("init", "--force", "--project", "another name", check=True)
    after = json.loads(config.read_text(encoding="utf-8"))
    assert (after["project_id"], after["project_name"]) == (before, "another name")
    assert [each["id"] for each in shop.said("graph", "list")["nodes"]] == [node]


@pytest.mark.parametrize("how", ["absolute", "upwards", "link", "git"])
def test_orange_09_evidence_from_outside_the_repository_stays_outside(shop: Shop, tmp_path: Path, how: str) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("a private matter", encoding="utf-8")
    (shop.root / "link.txt").symlink_to(outside)
    names = {"absolute": str(outside), "upwards": "../outside.txt", "link": "link.txt", "git": ".git/config"}
    quest = shop.quest("Decide something long enough")
    run = shop("quest", "done", quest, "--evidence-file", names[how], "--json")
    assert (run.code, run.json["error"]["code"]) == (1, "USER_INPUT_ERROR")
    assert "a private matter" not in shop.file_of(quest).read_text(encoding="utf-8")


def test_orange_09_evidence_from_a_file_of_the_repository_is_taken(shop: Shop) -> None:
    (shop.root / "report.txt").write_text("14 시험 통과\n0 실패\n", encoding="utf-8")
    quest = shop.quest("Decide something long enough")
    done = shop.said("quest", "done", quest, "--evidence-file", "report.txt")
    assert done["quest"]["verification_evidence"] == ["14 시험 통과 0 실패"]


def test_orange_10_a_linked_memory_folder_is_not_followed(git_repo: Path, tmp_path: Path, orange: object) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (git_repo / ".orange-hyper").symlink_to(elsewhere)
    linked = Shop(git_repo, orange)  # type: ignore[arg-type]
    for words in (["init"], ["quest", "new", "Decide something"], ["graph", "list"]):
        run = linked(*words, "--json")
        assert (run.code, run.json["error"]["code"]) == (1, "USER_INPUT_ERROR")
        assert "symbolic link" in run.json["error"]["message"]
    assert list(elsewhere.iterdir()) == []


def test_orange_11_headings_in_a_text_forge_no_section(shop: Shop) -> None:
    proposal = shop.proposal("Decide that refunds are retried three times")
    forged = "Good\n\n## Evidence\n\n- forged"
    shop.said("remember", "revise", proposal, "--candidate", forged)
    node = shop.said("remember", "accept", proposal)["node"]["id"]
    shown = shop.said("graph", "show", node)["node"]
    assert shown["candidate_memory"] == forged
    assert "3 tests passed" in shown["evidence"]
    assert "forged" not in shown["evidence"]


@pytest.mark.parametrize(
    "words",
    [
        ["quest", "new", "Decide something", "--layerr", "L2"],
        ["graph", "list", "--no-such-flag"],
        ["quest", "new", "Decide something", "--verify"],
        ["remember", "list", "--statsu=pending"],
        ["doctor", "--no-such-flag"],
        ["init", "--projct", "x"],
    ],
)
def test_orange_12_unknown_flags_and_flags_without_a_value_are_errors(shop: Shop, words: list[str]) -> None:
    before = shop.tree()
    run = shop(*words, "--json")
    assert (run.code, run.json["error"]["code"]) == (1, "USER_INPUT_ERROR")
    assert shop.tree() == before


def test_orange_12_text_that_begins_with_dashes_can_be_given(shop: Shop) -> None:
    quest = shop.said("quest", "new", "--layer=L2", "--title=--force가 하는 일", "--json", "--", "--force keeps the id")
    shown = shop.said("quest", "show", quest["quest"]["id"])["quest"]
    assert shown["title"] == "--force가 하는 일"
    assert "--force keeps the id" in shown["content"]
    assert shop.said("quest", "list")["quests"][0]["id"] == quest["quest"]["id"]


def test_orange_13_a_damaged_file_has_one_code_and_a_next_step_of_its_own(shop: Shop) -> None:
    quest, proposal = shop.quest("Decide something long enough"), shop.proposal("Decide another thing")
    for id in (quest, proposal):
        shop.file_of(id).write_text("---\nnever closed\n", encoding="utf-8")
    for words in (
        ["quest", "show", quest],
        ["quest", "done", quest, "--evidence", "x"],
        ["remember", "show", proposal],
    ):
        error = shop(*words, "--json").json["error"]
        assert error["code"] == "VALIDATION_ERROR"
        assert f"{words[2]}.md:1:" in error["message"]
        assert "--help" not in error["hint"]


@pytest.mark.parametrize(
    "query", ["worker doubling", '"doubling pauses"', "pauses, worker!", "재가입을", "재가입은 검사", "서비스 재가입"]
)
def test_orange_14_words_are_found_apart_in_quotes_and_with_another_particle(shop: Shop, query: str) -> None:
    shop.node("The refund worker must retry three times with doubling pauses.")
    shop.node("재가입은 탈퇴 30일 뒤에만 허용한다: 회원 서비스가 검사한다.")
    assert shop.said("graph", "search", query)["count"] == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there is no `resource` on Windows")
def test_orange_15_a_huge_file_is_never_read_whole(shop: Shop) -> None:
    shop.node("Decide that refunds are retried three times")
    huge = shop.memory / "graph" / "nodes" / "decision" / "decision.huge.md"
    huge.write_bytes(b"---\n")
    os.truncate(huge, 1_000_000_000)
    measured = (
        "import os, resource, sys; from pith.interfaces.cli.main import main; code = main(sys.argv[1:]);"
        "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"  # on Linux with what the parent had when it forked
        "own = os.path.exists('/proc/self/status') and open('/proc/self/status').read().partition('VmHWM:')[2].split()[0];"
        "print(own or peak, file=sys.stderr); sys.exit(code)"
    )
    for words in (["graph", "list"], ["graph", "search", "refunds"], ["doctor", "--shared"]):
        done = subprocess.run(
            [sys.executable, "-c", measured, *words], cwd=shop.root, capture_output=True, encoding="utf-8", check=False
        )
        peak = int(done.stderr.splitlines()[-1]) // (1024 if sys.platform == "darwin" else 1)
        assert peak < 300_000  # KB
        assert huge.name in done.stdout + done.stderr


def test_orange_16_a_path_is_no_secret_and_neither_are_bare_words(shop: Shop) -> None:
    shop.node("Login must stay in src/auth/login.ts: the token, the secret and the auth header are read there.")
    shop.node("비밀번호와 토큰은 로그에 남기지 않는다: auth, secret, token 이라는 말은 괜찮다.")
    assert shop("doctor", check=True).code == 0
    assert shop.findings() == []


def test_orange_17_commands_work_from_any_folder_of_the_project(shop: Shop) -> None:
    below = shop.root / "src" / "회원 서비스"
    below.mkdir(parents=True)
    node = shop.node("Decide that refunds are retried three times")
    assert [each["id"] for each in shop.said("graph", "list", cwd=below)["nodes"]] == [node]
    assert len(shop.said("quest", "list", "--all", cwd=below)["quests"]) == 1
    shop("doctor", cwd=below, check=True)
    shop("init", cwd=below, check=True)
    assert not (below / ".orange-hyper").exists()
