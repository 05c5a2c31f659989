"""Whatever the layout of a file: an edit changes what was asked and its inverse restores the text."""

from __future__ import annotations

import json
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from pith.files import json_edit

NAMES = st.sampled_from(["hooks", "Stop", "model", "권한", 'quo"te', "", "a\\b", "🙂"])
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=5))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=12,
)
BLANKS = st.sampled_from(["", " ", "  ", "\t", "\n", "\n  ", "\r\n\t", " \n\n    "])
COMMENTS = st.sampled_from(["", "", "", "/* x */", "// 메모\n", "/* a\n, } ] */ ", '// "q": [\r\n'])


@st.composite
def layouts(draw: st.DrawFn, value: object) -> str:
    """A text that means the value, laid out in some odd way."""

    def blank() -> str:
        return draw(BLANKS) + draw(COMMENTS) + draw(BLANKS)

    def write(value: object) -> str:
        if isinstance(value, dict):
            parts = [json.dumps(key) + blank() + ":" + blank() + write(each) for key, each in value.items()]
            return "{" + between(parts) + "}"
        if isinstance(value, list):
            return "[" + between([write(each) for each in value]) + "]"
        return json.dumps(value, ensure_ascii=draw(st.booleans()))

    def between(parts: list[str]) -> str:
        trailing = "," + blank() if parts and draw(st.booleans()) else ""
        return blank() + ",".join(blank() + part + blank() for part in parts) + trailing

    return blank() + write(value) + blank()


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    value = draw(st.dictionaries(NAMES, VALUES, max_size=4))
    return draw(layouts(value)), value


@given(documents())
def test_a_text_means_the_same_however_it_is_laid_out(document):
    text, value = document
    assert json_edit.parse(text).plain() == value


@given(documents(), VALUES, VALUES, st.booleans())
def test_additions_can_be_taken_back_in_any_order(document, first, second, swapped):
    text, value = document
    inside = json_edit.interior(text, ())

    one = json_edit.put(text, (), "first", first)
    both = json_edit.put(one, (), "둘째", second)
    assert json_edit.parse(both).plain() == {**value, "first": first, "둘째": second}

    left = json_edit.remove(both, ("둘째" if swapped else "first",))
    left = json_edit.remove(left, ("first" if swapped else "둘째",))
    if not value:
        left = json_edit.set_interior(left, (), inside)
    assert left == text


@given(documents(), st.data())
def test_removing_any_member_leaves_the_others(document, data):
    text, value = document
    if value:
        key = data.draw(st.sampled_from(sorted(value)))
        left = json_edit.parse(json_edit.remove(text, (key,))).plain()
        assert left == {name: each for name, each in value.items() if name != key}


@given(documents(), VALUES, st.data())
def test_replacing_any_member_leaves_the_others_byte_for_byte(document, new, data):
    text, value = document
    if value:
        key = data.draw(st.sampled_from(sorted(value)))
        node = json_edit.find(json_edit.parse(text), (key,))
        changed = json_edit.replace(text, (key,), new)
        assert json_edit.parse(changed).plain() == {**value, key: new}
        assert changed.startswith(text[: node.start])
        assert changed.endswith(text[node.end :])


@given(st.text(max_size=60))
def test_no_text_does_more_than_be_refused(text):
    with suppress(json_edit.JsonUnreadable):
        json_edit.parse(text)
