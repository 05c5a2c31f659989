"""What is written here passes the doctor of orange-hyper 1.0.1 itself (G33), where node and that package are present.

`PITH_ORANGE_JS` names its `bin/orange.js`; without it the one under `build/orange/` is taken, where the set-up of tests
installs it with npm.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from golden.conftest import Shop

ROOT = Path(__file__).parents[2]
GIVEN = os.environ.get("PITH_ORANGE_JS")  # read now: in a test, pith's variables are gone
NODE = shutil.which("node")


def _program() -> Path | None:
    places = [Path(GIVEN)] if GIVEN else [*(ROOT / "build" / "orange").glob("**/orange-hyper/bin/orange.js")]
    return next((place for place in places if place.is_file()), None)


ORANGE_JS = _program()

pytestmark = [
    pytest.mark.skipif(NODE is None, reason="node is not on this machine"),
    pytest.mark.skipif(ORANGE_JS is None, reason="orange-hyper 1.0.1 is not here: set PITH_ORANGE_JS or `make orange`"),
]

KINDS = {
    "intent": ["--triggers", "signup policy", "--triggers", "탈퇴한 이메일 재가입", "--risk-hint", "medium"],
    "decision": ["--rationale", "Support asks every month: # yes"],
    "constraint": ["--severity", "high", "--applies-to", "component.login"],
    "component": ["--paths", "src/결제/**", "--owners", "payments team"],
    "risk": ["--severity", "medium", "--signals", "lag > 2s: \"stale\" reads"],
    "verification": ["--commands", "pytest -q -k 'refund and not slow'"],
    "convention": ["--applies-to", "component.backend"],
    "tool": ["--useful-when", "framework API freshness matters", "--default-state", "suggested_only"],
    "role": ["--unlocked-by", "episode.first", "--scope", "component.backend"],
    "episode": ["--result", "completed", "--memory-deltas", "decision.one"],
}  # fmt: skip

HOSTILE = [
    "Validate that the \"stale read\" fix: replica lag < 2s # holds at night",
    "- [x] {a: b} & *c !d | > % @ ` it's 'quoted' and \"quoted\"",
    "key: value",
    "true",
    "null",
    "1.50",
    "2026-11-30",
    "--- not a fence",
    "back\\slash \\n and \\u2028",
    "탈퇴한 회원의 재가입은 30일 뒤에만 허용한다는 규칙을 회원 서비스에 반영한다.",
    "환불: '재시도'는 \"세 번\"까지 — 그 뒤에는 기록만 남긴다 🍊",
    "日本語の題名：ルールを決める",
]  # fmt: skip


def _theirs(shop: Shop, *words: str) -> Any:
    """What the old program answers here."""
    assert ORANGE_JS is not None
    done = subprocess.run(
        [str(NODE), str(ORANGE_JS), *words, "--json"], cwd=shop.root, capture_output=True, encoding="utf-8", check=False
    )
    answer = json.loads(done.stdout)
    assert done.returncode == 0, answer["data"]["errors"] if "data" in answer else answer
    return answer["data"]


def _demand_clean(shop: Shop) -> None:
    found = _theirs(shop, "doctor")
    # D19: it takes a Korean sentence for short, because it counts letters and not syllables.
    warnings = [each for each in found["warnings"] if "very short or generic" not in each]
    assert (found["errors"], warnings) == ([], [])


def test_G33_its_doctor_finds_nothing_in_a_new_project(shop: Shop) -> None:
    _demand_clean(shop)


def test_G33_its_doctor_finds_nothing_in_proposals_of_every_status(shop: Shop) -> None:
    shop.quest(
        "아직 하고 있는 일을 정한다", "--verify", "시험", "--constraint", "공개 API는 그대로", "--path", "src/결제"
    )
    shop.proposal("Decide that refunds are retried three times")
    shop("remember", "reject", shop.proposal("정산 배치가 은행 점검 시간과 겹치면 실패한다"), check=True)
    quest = shop.quest("은행 점검표를 확인한다")
    shop("quest", "done", quest, "--unverified", "점검표를 아직 받지 못했다", check=True)
    shop.node("재가입은 탈퇴 30일 뒤에만 허용한다")
    _demand_clean(shop)
    assert len(_theirs(shop, "remember", "list")["proposals"]) == 3


@pytest.mark.parametrize("text", HOSTILE)
def test_G33_its_doctor_reads_hostile_and_korean_texts_as_they_were_meant(shop: Shop, text: str) -> None:
    quest = shop.quest(f"Decide this: {text}", "--title", text, "--verify", text, "--constraint", text)
    shop.said("quest", "done", quest, "--evidence", text)
    proposal = shop.said("remember", "propose", "--quest", quest, "--candidate", text, "--why", text)["proposal"]["id"]
    shop.said("remember", "accept", proposal)
    _demand_clean(shop)
    nodes = _theirs(shop, "graph", "list")["nodes"]
    assert [each["summary"] for each in nodes] == [each["summary"] for each in shop.said("graph", "list")["nodes"]]


def test_G33_G14_its_doctor_takes_the_five_kinds_that_it_knows_with_their_fields(shop: Shop) -> None:
    for kind in ("decision", "constraint", "component", "risk", "verification"):
        shop.node(f"재가입 규칙의 {kind}: 탈퇴 30일 뒤", "--type", kind, *KINDS[kind])
    _demand_clean(shop)
    assert len(_theirs(shop, "graph", "list")["nodes"]) == 5


def test_G33_its_doctor_knows_only_five_of_the_ten_kinds(shop: Shop) -> None:
    """The fault is named in `docs/reference/differences.md`, D18; nothing else is found."""
    for kind, fields in KINDS.items():
        shop.node(f"재가입 규칙의 {kind}: 탈퇴 30일 뒤", "--type", kind, *fields)
    unknown = {"intent", "convention", "tool", "role", "episode"}
    assert ORANGE_JS is not None
    done = subprocess.run(
        [str(NODE), str(ORANGE_JS), "doctor", "--json"],
        cwd=shop.root,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    errors = json.loads(done.stdout)["data"]["errors"]
    assert [each for each in errors if not any(kind in each for kind in unknown)] == []
    assert shop("doctor").code == 0


def test_G33_its_doctor_finds_nothing_in_linked_superseded_and_verified_nodes(shop: Shop) -> None:
    old = shop.node("The refund worker retries five times.", "--type", "decision", "--stale-after", "90d")
    new = shop.node("The refund worker retries three times.", "--type", "decision", "--stability", "slow_change")
    proof = shop.node(
        "pytest -q -k refund proves the retries", "--type", "verification", "--link", f"derived_from:{new}"
    )
    shop.said("graph", "link", new, "verified_by", proof, "--confidence", "0.9")
    shop.said("graph", "supersede", old, new)
    shop.said("graph", "verify", new, "--evidence", "3개 시험을 다시 돌렸다")
    _demand_clean(shop)
    shop.said("graph", "unlink", new, "verified_by", proof)
    shop.said("graph", "rebuild-index")
    _demand_clean(shop)


def test_G33_it_can_go_on_where_this_left_off_and_this_where_it_did(shop: Shop) -> None:
    ours = shop.proposal("재가입은 탈퇴 30일 뒤에만 허용한다")
    _theirs(shop, "remember", "accept", ours)
    quest = _theirs(shop, "quest", "new", "Decide that refunds are retried three times", "--layer", "L2")["quest"]["id"]
    shop.said("quest", "done", quest, "--evidence", "3 tests passed")
    theirs = _theirs(shop, "remember", "propose", "--quest", quest)["proposal"]["id"]
    shop.said("remember", "accept", theirs)
    _demand_clean(shop)
    assert shop("doctor").code == 0
    seen = [
        [each["id"] for each in answer["nodes"]]
        for answer in (_theirs(shop, "graph", "list"), shop.said("graph", "list"))
    ]
    assert seen[0] == seen[1]
    assert len(seen[0]) == 2


def test_G13_its_index_and_ours_are_the_same_but_for_who_wrote_them(shop: Shop) -> None:
    for request in (
        "The refund worker must retry three times.",
        "재가입은 탈퇴 30일 뒤에만 허용한다",
        "위험: 정산 배치",
    ):
        shop.node(request)
    index = shop.memory / "graph" / "index.json"
    shop.said("graph", "rebuild-index")
    ours = json.loads(index.read_text(encoding="utf-8"))
    _theirs(shop, "graph", "rebuild-index")
    theirs = json.loads(index.read_text(encoding="utf-8"))
    for each in (ours, *ours["nodes"], theirs, *theirs["nodes"]):
        for name in [name for name in each if re.match(r"generat|source_repository|official_package", name)]:
            del each[name]
    assert ours == theirs


WRONG = [
    ["quest", "new"], ["quest", "new", "x", "--layer", "L9"],
    ["quest", "show", "nope"], ["quest", "show", "../../x"], ["quest", "done", "nope", "--evidence", "x"], ["quest", "nope"],
    ["quest", "done", "{quest}"], ["quest", "done", "{quest}", "--evidence", "x", "--unverified", "y"],
    ["route"], ["route", "x", "--layer", "L9"], ["route", "--quest", "nope"], ["capsule", "nope"], ["capsule", "../x"],
    ["remember"], ["remember", "nope"], ["remember", "propose"], ["remember", "propose", "--quest", "nope"],
    ["remember", "propose", "--quest", "{quest}"], ["remember", "list", "--status", "nope"],
    ["remember", "list", "--type", "nope"], ["remember", "show", "nope"], ["remember", "show", "../../x"],
    ["remember", "validate", "nope"], ["remember", "revise", "{proposal}"], ["remember", "accept", "nope"],
    ["remember", "revise", "{proposal}", "--confidence", "huge"], ["remember", "reject", "/etc/passwd"],
    ["remember", "revise", "{proposal}", "--candidate", ""], ["graph"], ["graph", "nope"], ["graph", "show", "nope"],
    ["graph", "list", "--type", "nope"], ["graph", "search"], ["graph", "search", "x", "--type", "nope"], ["identity", "nope"],
    ["nope"], ["nope", "nope"],
]  # fmt: skip


def test_G30_what_is_refused_has_its_command_id_and_code(shop: Shop) -> None:
    quest, proposal = shop.quest("Decide something long enough"), shop.proposal("Decide another thing")
    differing = {}
    for words in WRONG:
        given = [word.replace("{quest}", quest).replace("{proposal}", proposal) for word in words]
        done = subprocess.run(
            [str(NODE), str(ORANGE_JS), *given, "--json"],
            cwd=shop.root, capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        theirs, ours = json.loads(done.stdout), shop(*given, "--json").json
        pair = [(each["command"], each.get("error", {}).get("code")) for each in (theirs, ours)]
        if pair[0] != pair[1]:
            differing[" ".join(words)] = pair
    assert differing == {}


# What ends lines, opens YAML, closes Markdown, or is written otherwise than it looks.
PIECES = [
    *"-:#?,[]{}&*!|>'\"%@`~^$\\/=+()<>. \t\n", "---", "```", "## ", "- ", ": ", " #", "\r\n", "\x85", "\u2028", "\u200b",
    "\ufeff", "\x07", "\x7f", "null", "0x1f", "가", "규칙", "e\u0301", "각", "漢字", "ｶﾅ", "🍊", "\U0001f468\u200d\U0001f4bb", "word", "A",
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_G33_its_doctor_reads_any_text_as_it_was_meant(shop: Shop, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(40):
        text = "".join(chance.choices(PIECES, k=chance.randint(3, 25))) + f" {number}"
        begun = shop.said("quest", "new", "--layer=L2", f"--title={text}", f"--verify={text}", f"x{text}")
        quest = begun["quest"]["id"]
        shop.said("quest", "done", quest, f"--evidence={text}")
        # D11: a line that would be a heading stands behind a backslash, which only this program takes away again.
        line = re.sub(r"[\r\n]+", " ", text)
        proposed = shop.said("remember", "propose", "--quest", quest, f"--candidate=y {line}", f"--why={text}")
        shop.said("remember", "accept", proposed["proposal"]["id"])
    _demand_clean(shop)
    theirs, ours = _theirs(shop, "graph", "list")["nodes"], shop.said("graph", "list")["nodes"]
    assert len(ours) == 40
    for name in ("id", "title", "summary", "tags", "keywords", "accepted_at"):
        assert [each[name] for each in theirs] == [each[name] for each in ours]
