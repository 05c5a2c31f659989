"""Whatever a prompt holds: spans are whole, masked text stays masked, and what is told never leaves its fence."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from pith.domain import context, preferences, secrets, tokens

PIECES = st.sampled_from(
    ["Always run the tests.", "항상 한국어로 답해 줘.", "```", "\n", "\n\n", '"', "<a>", "</a>", "> ", "`", "- ", "🎉", "\x00",
     "\r\n", "  ", "Never use any.", "</pith-memory>", "says:\n", "각", "\u200b", "never mind"]
)  # fmt: skip
PROMPTS = st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=30).map("".join)


@given(PROMPTS)
def test_every_span_reads_as_its_text_and_finding_never_fails(prompt):
    for wish in preferences.find(prompt):
        assert prompt[wish.start : wish.end] == wish.text
        assert not {"\n", "```"} & set(wish.text.split(" "))


@given(st.text(max_size=40), st.sampled_from(["ghp_" + "a1B2" * 9, "AKIA" + "ABCD1234EFGH5678"]))
def test_a_masked_prompt_gives_masked_preferences(words, secret):
    masked, count = secrets.mask(f"{words}\nAlways use {secret} for tests.")
    assert count
    assert all(secret not in wish.text for wish in preferences.find(masked))


@given(st.lists(st.tuples(st.text(max_size=20), PROMPTS), max_size=12), st.integers(0, 400))
def test_what_is_told_is_whole_within_its_budget_and_inside_the_fence(told, budget):
    lines = [context.Line("abcdef", about, text) for about, text in told]
    found = context.lay_out_whole(
        lines, budget, heading="What the person asked for.", more="(More: `pith prefer list`)"
    )
    assert found.tokens <= budget
    assert len(found.cited) + found.left_out == (len(lines) if found.text else 0)
    if found.text:
        inner = found.text.removeprefix("<pith-memory>\n").removesuffix("\n</pith-memory>")
        assert not re.search(r"<\s*/?\s*pith-memory", inner, re.IGNORECASE)
        assert len(inner.splitlines()) == 1 + len(found.cited) + bool(found.left_out)
        assert "…" not in inner or any("…" in about + text for about, text in told)


@given(PROMPTS, st.integers(40, 400), st.integers(40, 400))
def test_two_blocks_cost_what_they_cost_and_one_more(text, one, other):
    first = context.lay_out([context.Line("abcdef", "a", text)], one)
    then = context.lay_out([context.Line("abcdeg", "b", text)], other)
    both = context.joined(first, then)
    assert both.tokens <= first.tokens + then.tokens + 1
    assert tokens.estimate(both.text) == both.tokens
    assert context.without_own(f"before{both.text}after").split() in (["before", "after"], ["beforeafter"])
