"""`route`: the answer, its trace, and that a trace is never in the way."""

from __future__ import annotations

import json

import pytest

import memory_project
from pith.files.layout import TRACES


@pytest.fixture
def layout(git_repo):
    return memory_project.empty_in(git_repo)


def routed(pith, layout, *words):
    return pith("route", *words, "--json", cwd=layout.root)


@pytest.mark.parametrize(
    ("request_", "route"),
    [
        ("what does the refund worker do?", "L0/P0/T0/V0/A0/M0/MB0"),
        ("환불 작업은 무엇을 하나요?", "L0/P0/T0/V0/A0/M0/MB0"),
        ("결제 모듈을 나누고 테스트를 추가해 줘", "L4/P4/T3/V4/A0/M0/MB4"),
        ("Fix a typo in the help text", "L1/P1/T1/V1/A0/M0/MB1"),
    ],
)
def test_G21_a_request_gets_its_route_and_leaves_a_trace(request_, route, pith, layout):
    data = routed(pith, layout, request_).json["data"]
    assert data["contract"]["route"] == route
    assert {"output_contract", "quest_policy", "reason_summary"} <= data["contract"].keys()
    trace = json.loads(layout.path(TRACES).read_text("utf-8"))
    assert trace == data["trace"]
    assert (trace["input"], trace["quest_id"]) == (request_, None)
    assert trace["trace_id"].startswith("route_2")


def test_G21_a_quest_has_the_route_that_it_began_with_and_a_layer_overrules_it(pith, layout):
    quest = memory_project.quest(0)
    memory_project.put_quest(layout, quest)
    data = routed(pith, layout, "--quest", quest.id).json["data"]
    assert (data["contract"]["route"], data["trace"]["quest_id"]) == (quest.route, quest.id)
    assert routed(pith, layout, "--quest", quest.id, "--layer", "L3").json["data"]["contract"]["memory"] == "MB3"


@pytest.mark.parametrize("words", [(), ("  ",), ("--layer", "L9", "x"), ("--quest", "nope"), ("x", "--quest", "nope")])
def test_G21_what_cannot_be_routed_is_one_sentence_with_a_next_step(words, pith, layout):
    run = routed(pith, layout, *words)
    assert (run.code, run.json["ok"]) == (1, False)
    assert run.json["error"]["hint"]
    assert not layout.path(TRACES).exists()


@pytest.mark.parametrize("bad", [b"{not json\n", b'{"contract": 5', b"\xff\xfe\n", b"<<<<<<< ours\n"])
def test_G21_a_bad_trace_line_is_never_fatal_and_stays(bad, pith, layout):
    path = layout.path(TRACES)
    path.parent.mkdir()
    path.write_bytes(bad)
    assert routed(pith, layout, "explain this").code == 0
    kept = path.read_bytes()
    assert kept.startswith(bad.rstrip(b"\n"))
    assert json.loads(kept.splitlines()[-1])["input"] == "explain this"


def test_G21_a_trace_that_cannot_be_written_costs_only_itself(pith, layout):
    layout.path(TRACES).mkdir(parents=True)
    run = routed(pith, layout, "explain this")
    assert run.json["data"]["contract"]["layer"] == "L0"
    assert run.json["data"]["warnings"]


def test_G21_a_trace_holds_no_credential(pith, layout):
    secret = "ghp_" + "a1B2" * 9
    routed(pith, layout, f"why does {secret} fail?")
    assert secret not in layout.path(TRACES).read_text("utf-8")
