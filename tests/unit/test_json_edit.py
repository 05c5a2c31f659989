"""Edits of JSON text touch one place; everything else stays, byte for byte."""

from __future__ import annotations

import json

import pytest

from pith.files import json_edit
from pith.files.json_edit import JsonUnreadable


def test_a_member_is_added_in_the_indentation_of_the_file():
    text = '{\n    "model": "x",\n    "env": {"A": 1.50}\n}\n'

    assert json_edit.put(text, (), "hooks", {"Stop": [1]}) == (
        '{\n    "model": "x",\n    "env": {"A": 1.50},\n'
        '    "hooks": {\n        "Stop": [\n            1\n        ]\n    }\n}\n'
    )


def test_tabs_and_carriage_returns_are_kept_and_continued():
    text = '{\r\n\t"a": 1\r\n}\r\n'

    assert json_edit.put(text, (), "b", [2]) == '{\r\n\t"a": 1,\r\n\t"b": [\r\n\t\t2\r\n\t]\r\n}\r\n'


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"a":1}', '{"a":1,"b":{"c":[2,3]}}'),
        ('{"a": 1}', '{"a": 1, "b": {"c": [2, 3]}}'),
    ],
)
def test_a_file_on_one_line_stays_on_one_line(text, wanted):
    assert json_edit.put(text, (), "b", {"c": [2, 3]}) == wanted


def test_an_element_goes_behind_the_comment_that_belongs_to_its_neighbour():
    text = '{\n  "list": [\n    1, // 하나\n    2 /* 둘 */ // the last\n    // nothing more\n  ]\n}'

    assert json_edit.append(text, ("list",), 3) == (
        '{\n  "list": [\n    1, // 하나\n    2, /* 둘 */ // the last\n    3\n    // nothing more\n  ]\n}'
    )


def test_a_trailing_comma_stays_a_habit_of_the_file():
    assert json_edit.append("[\n  1,\n]", (), 2) == "[\n  1,\n  2,\n]"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{\n  "a": 1\n}\n', ()),
        ('{"a":1}', ()),
        ('{ "a" : 1 }', ()),
        ('{\n  "a": 1, // why\n}', ()),
        ('{\n  "a": 1 // why  \n}', ()),
        ('{"a": 1 // why\n}', ()),
        ('{\r\n\t"a": [ ]\r\n}', ()),
        ('{"a": {"b": null}\n, "c": 2}', ("a",)),
        ('{\n "u": "http://x"}', ()),
        ('{"a": 1 /* x */ /* y\n z */}', ()),
    ],
)
def test_removing_what_was_added_gives_the_former_text(text, path):
    one = json_edit.put(text, path, "new", [{"x": "y"}])
    two = json_edit.put(one, path, "newer", {"z": 1})

    assert json_edit.remove(json_edit.remove(two, (*path, "new")), (*path, "newer")) == text
    assert json_edit.remove(json_edit.remove(two, (*path, "newer")), (*path, "new")) == text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[1, 2]", "[2]"),
        ("[\n  1,\n  2\n]", "[\n  2\n]"),
        ("[1 ]", "[ ]"),
        ("[1,]", "[]"),
        ("[ // c\n  1, 2]", "[ // c\n 2]"),
        ("[ // c\n  1]", "[ // c\n]"),
    ],
)
def test_the_first_element_can_be_removed(text, wanted):
    assert json_edit.remove(text, (0,)) == wanted


def test_a_comment_in_front_of_the_last_element_does_not_swallow_the_bracket():
    assert json_edit.remove('{"a": 1, // c\n"b": 2}', ("b",)) == '{"a": 1 // c\n}'


def test_a_value_is_replaced_where_it_stands():
    text = '{\n  "a": {\n    "b": 1\n  },\n  "c": 2e0\n}'

    assert json_edit.replace(text, ("a",), {"d": 3}) == '{\n  "a": {\n    "d": 3\n  },\n  "c": 2e0\n}'


def test_a_comment_in_an_empty_container_survives_an_addition():
    assert json_edit.put('{"a": {\n  // later\n}}', ("a",), "b", 1) == '{"a": {\n  // later\n  "b": 1\n}}'


def test_the_last_of_equal_keys_counts_as_it_does_for_every_host():
    text = '{"a": [1], "a": [2]}'

    assert json_edit.find(json_edit.parse(text), ("a",)).plain() == [2]
    assert json_edit.append(text, ("a",), 3) == '{"a": [1], "a": [2, 3]}'


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', r"Line 3, column 3: a comma"),
        ('{"a": }', r"Line 1, column 7"),
        ('{"a": 1', r"Line 1, column 8"),
        ("{'a': 1}", r"Line 1, column 2: a name in double quotes"),
        ('{"a" 1}', r"Line 1, column 6: a colon"),
        ('{"a": "x\n"}', r"Line 1, column 7: a text"),
        ('{"a": "\\x"}', r"Line 1, column 7: a text holds an unknown escape"),
        ("{} {}", r"Line 1, column 4: something follows"),
        ("{} /* never", r"Line 1, column 4: a comment is never closed"),
        ("[NaN]", r"Line 1, column 2: this is no JSON"),
        ("[1,,2]", r"Line 1, column 4"),
        ("", r"Line 1, column 1: a value is missing"),
        ("[" * 300, r"Line 1, column 202: more than 200 levels"),
    ],
)
def test_a_text_that_is_no_json_is_refused_with_line_and_column(text, where):
    with pytest.raises(JsonUnreadable, match=where):
        json_edit.parse(text)


def test_values_read_as_the_standard_library_reads_them():
    text = '{"a": [1, -2.5e3, true, false, null, "\\ud55c\\n한"], "b": {}}'

    assert json_edit.parse(text).plain() == json.loads(text)


def test_a_number_too_long_for_python_does_no_harm():
    assert json_edit.put('{"n": ' + "9" * 5000 + "}", (), "b", 1).endswith('9, "b": 1}')


def test_comments_and_trailing_commas_are_not_json_by_the_book():
    assert json_edit.is_strict('{"a": 1}')
    assert not json_edit.is_strict('{"a": 1,}')
    assert not json_edit.is_strict('{"a": 1} // x')
