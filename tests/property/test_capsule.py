"""A capsule never costs more than its budget, and says what it costs, whatever the nodes say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pith.domain import routes, tokens
from pith.domain.nodes import Node
from pith.domain.retrieval import BUDGETS, Apart, Slice
from pith.files import capsule
from pith.files.capsule import Told, Work
from pith.files.config import Config

TEXTS = st.text(max_size=400) | st.sampled_from(
    ["환불은 세 번까지 " * 40, "word " * 300, "a" * 2_000, "## Verification\n- x"]
)


@st.composite
def slices(draw):
    budget = BUDGETS[draw(st.sampled_from(["MB1", "MB2", "MB3"]))]
    found = Slice(budget)
    told = []
    for number in range(draw(st.integers(0, budget.nodes))):
        id = f"decision.n{number}{draw(st.sampled_from(['', '-long' * 20]))}"
        node = Node(id, "decision", "candidate", "high", "t", draw(TEXTS), own={"rationale": draw(TEXTS)})
        found.current.append(id)
        told.append(Told(id, draw(TEXTS), draw(TEXTS), node if budget.bodies else None, draw(TEXTS)))
    for letter, box in zip("abc", (found.stale, found.superseded, found.conflicting), strict=True):
        for number in range(draw(st.integers(0, budget.nodes))):
            box.append(Apart(f"risk.{letter}{number}", draw(st.text("abc=", max_size=80)), "stale"))
    found.left_out = [f"tool.t{number}" for number in range(draw(st.integers(0, 5)))]
    return found, told


@given(slices(), st.sampled_from(["", "Reading deeply needs a person's word: `--deep`."]))
def test_G18_the_memory_of_a_capsule_never_costs_more_than_its_budget(made, notice):
    found, told = made
    memory = capsule.memory(found, told, notice)
    assert tokens.estimate(memory.text) == memory.tokens <= found.budget.tokens
    assert len(memory.told) <= found.budget.nodes
    every = [*found.current, *(each.id for each in found.apart), *found.left_out]
    assert sorted(
        [*(each.id for each in memory.told), *(each.id for each in memory.apart), *memory.left_out]
    ) == sorted(every)


@given(slices(), TEXTS)
def test_G18_a_capsule_states_what_it_costs(made, request):
    found, told = made
    work = Work(request, routes.contract(request, "L2"))
    config = Config("project_550e8400-e29b-41d4-a716-446655440000", "데모")
    text = capsule.text_of(config, work, capsule.memory(found, told), "2026-11-30T00:00:00.000Z")
    assert tokens.estimate(text) <= capsule.cost_of(text) <= tokens.estimate(text) + 2
    assert capsule.text_of(config, work, capsule.memory(found, told), "2026-11-30T00:00:00.000Z") == text


@given(TEXTS)
def test_G20_no_text_of_a_node_makes_a_section_of_its_own(text):
    node = Node("decision.a", "decision", "candidate", "high", "t", text)
    found = Slice(BUDGETS["MB2"], current=["decision.a"])
    memory = capsule.memory(found, [Told("decision.a", text, text, node, "")])
    lines = [line for line in memory.text.split("\n") if line.startswith("#")]
    assert lines in ([], ["### decision.a"])
