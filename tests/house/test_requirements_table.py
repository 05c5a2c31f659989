"""The tables of promises: no number is missing, and one that is marked proved has tests that exist.

A row's last cell is `open`, `open: <what is left>; <tests>` or a list of tests. A test is written
`tests/file.py::test_name` (or `::Class::test_name`), in backticks. It must name its number, in its name
(`test_E07_...`, `test_pain_08_...`) or in a `# E07` comment inside it, and must not be skipped.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COUNTS = {"E": 18, "V": 15, "M": 17, "G": 34}
REQUIREMENTS = [f"{letter}{number:02}" for letter, count in COUNTS.items() for number in range(1, count + 1)]
PAINS = [f"{number:02}" for number in range(1, 39)]
TEST = re.compile(r"`(tests/[^`:]+\.py)::([^`]+)`")


def _rows(page: str) -> list[tuple[str, str, str]]:
    """Number, title and state of each row of the page's tables."""
    text = (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([EVMG]?\d{2}) \| (.+?) \| (.+?) \|$", text, re.MULTILINE)
    return [(number, title.strip(), state.strip()) for number, title, state in rows]


@cache
def _source_of(file: str, test: str) -> str | None:
    """The text of a test with its decorators, or None where there is no such test."""
    path = ROOT / file
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    body: list[ast.stmt] = ast.parse(text).body
    node: ast.stmt | None = None
    for name in test.split("::"):
        named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        node = next((one for one in body if isinstance(one, named) and one.name == name), None)
        if node is None:
            return None
        body = node.body if isinstance(node, ast.ClassDef) else []
    first = min([node.lineno, *(mark.lineno for mark in getattr(node, "decorator_list", []))])
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])


def _complaint(number: str, file: str, test: str) -> str | None:
    """What is wrong with a test as a proof of a number, or None."""
    source = _source_of(file, test)
    if source is None:
        return f"{number}: {file}::{test} does not exist"
    name = f"_pain_{number}_" if number.isdigit() else f"_{number}_"
    comment = rf"#.*\b(pain {number}|{number})\b" if number.isdigit() else rf"#.*\b{number}\b"
    if name not in f"{test}_" and not re.search(comment, source):
        return f"{number}: {file}::{test} does not name the number"
    if re.search(r"@pytest\.mark\.(skip|xfail)\b", source):
        return f"{number}: {file}::{test} is skipped, which proves nothing"
    return None


PAGES = pytest.mark.parametrize(("page", "numbers"), [("requirements.md", REQUIREMENTS), ("pains.md", PAINS)])


@PAGES
def test_every_number_has_one_row_in_order(page, numbers):
    assert [number for number, _, _ in _rows(page)] == numbers


@PAGES
def test_a_number_is_open_or_proved_by_tests_that_name_it(page, numbers):
    complaints = []
    for number, _, state in _rows(page):
        tests = TEST.findall(state)
        if not tests and not state.startswith(("open", "by design:")):
            complaints.append(f"{number}: neither open nor proved: {state}")
        complaints += [told for file, test in tests if (told := _complaint(number, file, test))]
    assert not complaints, "\n".join(complaints)


def test_a_missing_test_a_nameless_test_and_a_skipped_test_prove_nothing(tmp_path, monkeypatch):
    file = tmp_path / "tests" / "a.py"
    file.parent.mkdir()
    file.write_text(
        "import pytest\n"
        "def test_E07_holds(): ...\n"
        "def test_other(): ...\n"
        "def test_commented():\n    # E07\n    ...\n"
        "@pytest.mark.skip\ndef test_E07_later(): ...\n"
    )
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    told = [
        _complaint("E07", "tests/a.py", f"test_{name}") for name in "E07_holds commented other E07_later gone".split()
    ]
    assert [bool(one) for one in told] == [False, False, True, True, True]
