"""Front matter keeps every text as it was written, and changes only the lines that are meant."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pith.files import front_matter
from pith.files.front_matter import MemoryFileInvalid, meant, plain

FILE = Path("memory.md")
SURROGATES = st.characters(exclude_categories=["Cs"])
TEXT = st.text(SURROGATES, max_size=20)
TRICKY = st.sampled_from(
    ["null", "~", "true", "no", "007", "1.50", "0x1f", "1e3", "12:30", "2026-11-30", "", " a ", "- x", "a: b", "# c", "'",
     '"', "a\u2028b", "a\u0085b", "\ufeffx", "재가입", "재가입", "[x]", "{x}", "&a", "*a", "!t", "%d", "@x",
     "`x`", "|", ">", "a\nb", "a\r\nb", "\t", "---", "\\", "\\u0041", "😀", "<<<<<<< HEAD", "=", "<<"]
)  # fmt: skip
SCALAR = st.one_of(TRICKY, TEXT)
KEY = st.one_of(
    st.from_regex(r"[a-z][a-z0-9_]{0,12}", fullmatch=True), st.sampled_from(["null", "on", "yes", "1", "a-b", "한글"])
)
VALUE = st.one_of(
    SCALAR,
    st.lists(SCALAR, max_size=4),
    st.dictionaries(KEY, SCALAR, max_size=4),
    st.lists(st.lists(SCALAR), max_size=2),
)
FIELDS = st.dictionaries(KEY, VALUE, max_size=4)


def parsed(text: str) -> front_matter.Document:
    return front_matter.parse(text.encode("utf-8"), FILE)


@given(FIELDS)
@example({"title": "a\u2028b"})
@example({"verification_evidence": ["null", "true", "007", "1.50"]})
def test_orange_04_orange_05_any_text_in_any_field_comes_back_as_it_was(fields: dict[str, object]) -> None:
    assert parsed(front_matter.dump(fields, "# Title")).fields == fields


@given(FIELDS)
def test_orange_05_a_reader_with_types_sees_texts_too(fields: dict[str, object]) -> None:
    """What is written here does not change its type in another program, save dates, times and the schema version."""
    whole = front_matter.dump({"schema_version": "1", **fields}, "")
    assume(not re.search(r"[0-9]{4}-[0-9]", whole))
    typed = yaml.safe_load(whole.split("\n---\n")[0].removeprefix("---\n"))
    assert {key: value for key, value in typed.items() if key != "schema_version"} == {
        key: value for key, value in fields.items() if key != "schema_version"
    }


SOUP = st.lists(
    st.one_of(
        st.builds(lambda key, value: f"{key}: {value}", KEY, TRICKY),
        st.builds(lambda key, value: f"{key}: {front_matter.scalar(value)}", KEY, SCALAR),
        st.builds(lambda value: f"  - {front_matter.scalar(value)}", SCALAR),
        st.builds(lambda key, value: f"  {key}: {front_matter.scalar(value)}", KEY, SCALAR),
        st.sampled_from(
            ["a:", "b:", "a: []", "a: {}", "", "# note", "  - x: y", "- x", "a: b # c", 'a: "\\/"', 'a: "\\x41"']
        ),
        TEXT,
    ),
    max_size=7,
)


@given(SOUP)
def test_the_fast_reader_agrees_with_yaml_or_leaves_it_to_yaml(lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    fast = front_matter.simple_yaml(text)
    if fast is None:
        return
    node = yaml.compose(text, Loader=yaml.CBaseLoader)
    assert fast == ({} if node is None else front_matter._built(node, FILE, 0, 0))


@given(FIELDS, KEY, VALUE, TEXT)
def test_G34_a_change_touches_its_own_lines_only(fields: dict[str, object], key: str, value: object, body: str) -> None:
    body = plain(body)
    before = parsed(front_matter.dump({**fields, "owner": "x"}, body))
    after = parsed(front_matter.changed(before, {key: value}))
    assert after.fields == before.fields | {key: value}
    assert after.body == before.body


def test_G34_unknown_keys_comments_and_sections_survive_a_change() -> None:
    text = (
        "---\n# ours\nid: a   # the id\nteam:\n  - one\n  # why two\n  - two\nstatus: 'pending'\n\nx-note: >\n  folded\n"
        "  text\n---\n\n# T\n\n## Ours\n\nkept  \n"
    )
    document = parsed(text)
    assert front_matter.changed(document, {"status": "accepted"}) == text.replace("'pending'", "accepted")
    assert front_matter.with_section(text, "Theirs", "new").startswith(text.rstrip("\n"))


@given(FIELDS, TEXT)
def test_G34_crlf_and_a_byte_order_mark_are_read_as_lf(fields: dict[str, object], body: str) -> None:
    text = front_matter.dump(fields, plain(body))
    crlf = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode("utf-8")
    assert front_matter.parse(crlf, FILE).fields == parsed(text).fields
    assert front_matter.parse(crlf, FILE).text == parsed(text).text


@given(
    st.one_of(
        TEXT,
        st.lists(st.sampled_from(["## Evidence", "---", "```", "a", "", "\\## x", "<<<<<<< HEAD", "  # y"])).map(
            "\n".join
        ),
    )
)
def test_orange_11_no_line_of_a_text_becomes_a_section_and_all_come_back(text: str) -> None:
    normal = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    whole = front_matter.dump({"id": "a"}, f"## One\n\n{plain(text)}\n\n## Two\n\nx")
    found = front_matter.sections(parsed(whole).body)
    assert list(found) == ["One", "Two"]
    assert meant(found["One"]).strip() == normal


@pytest.mark.parametrize(
    ("data", "line", "said"),
    [
        (b"", 1, "no front matter"),
        (b"# x", 1, "no front matter"),
        (b"---\nid: a\n", 1, "never closed"),
        (b"---\nid: a\nid: b\n---\n", 3, "stands twice"),
        (b"---\na: &x b\nc: *x\n---\n", 3, "alias"),
        (b"---\na: [\n---\n", None, "YAML"),
        (b"---\n\tid: a\n---\n", 2, "YAML"),
        (b"---\nid: \xff\n---\n", 2, "UTF-8"),
        (b"---\nid: a\n<<<<<<< HEAD\n---\n", 3, "merge conflict"),
        (b"---\n- a\n---\n", 2, "key: value"),
        (b"---\na: " + b"[" * 40 + b"]" * 40 + b"\n---\n", None, "deep"),
    ],
)
def test_orange_03_what_cannot_be_read_is_told_with_file_and_line(data: bytes, line: int | None, said: str) -> None:
    with pytest.raises(MemoryFileInvalid, match=said) as raised:
        front_matter.parse(data, FILE)
    assert raised.value.path == FILE
    if line is not None:
        assert raised.value.line == line
