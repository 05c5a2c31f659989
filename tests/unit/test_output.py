"""What is printed: harmless to a terminal, readable in Korean, and one JSON object for programs."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pith.interfaces.cli import output
from pith.interfaces.cli.output import Terminal, json_text
from pith.services.answers.written import Written

KEY = "sk-ant-api03-" + "Zx9Kq2Wm7Rt4Yb8Nc3" * 5
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

any_text = st.text(st.characters(), max_size=200)  # lone surrogates included
any_data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=12,
)


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def terminal(out: io.StringIO | None = None, **how: Any) -> tuple[Terminal, io.StringIO, io.StringIO]:
    out, err = out or io.StringIO(), io.StringIO()
    return Terminal(out, err, **how), out, err


@pytest.fixture(autouse=True)
def a_screen_of_forty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


@given(any_text)
def test_no_stored_text_can_command_a_terminal(text: str) -> None:
    face, out, err = terminal()
    face.line(text, (text, "bold"))
    face.table([(text, text)])
    face.note(text)
    face.fail("recall", "NOT_FOUND", text, text)
    printed = out.getvalue() + err.getvalue()
    assert not CONTROL.search(printed)
    printed.encode("utf-8")


@given(any_data)
def test_G30_any_answer_is_one_line_that_holds_one_valid_object(data: Any) -> None:
    face, out, err = terminal(json_mode=True)
    face.answer("recall", data)
    written = out.getvalue()
    assert written.endswith("\n")
    assert written.count("\n") == 1
    assert not CONTROL.search(written[:-1])
    envelope = json.loads(written.encode("utf-8"))
    assert list(envelope) == ["ok", "contract_version", "command", "data"]
    assert (envelope["ok"], envelope["contract_version"], envelope["command"]) == (True, "0.1", "recall")
    assert err.getvalue() == ""


@given(any_text)
def test_G30_a_string_comes_back_as_it_was(text: str) -> None:
    whole = text.encode("utf-8", "ignore").decode("utf-8")
    assert json.loads(output.json_text({"text": whole})) == {"text": whole}


def test_G30_a_failure_is_an_envelope_with_code_message_and_hint() -> None:
    face, out, err = terminal(json_mode=True)
    face.fail("show", "NOT_FOUND", "There is no mem:abc123.", "Run `pith sessions`.")
    assert json.loads(out.getvalue()) == {
        "ok": False,
        "contract_version": "0.1",
        "command": "show",
        "error": {"code": "NOT_FOUND", "message": "There is no mem:abc123.", "hint": "Run `pith sessions`."},
    }
    assert err.getvalue() == ""


def test_credentials_are_masked_wherever_they_would_be_printed() -> None:
    face, out, err = terminal()
    face.line(f"the key is {KEY}", (KEY, "bold"))
    face.table([(KEY, f"열쇠는 {KEY} 입니다")])
    face.note(KEY)
    face.fail("recall", "ERROR", KEY, KEY)
    face.answer("recall", {"text": KEY, KEY: [KEY]})
    with face.progress(KEY, 10) as progress:
        progress.add(5)
    assert KEY not in out.getvalue() + err.getvalue()
    assert "the key is" in out.getvalue()


def test_escape_sequences_are_shown_instead_of_sent() -> None:
    face, out, _ = terminal()
    face.line("before \x1b[31mred\x1b[0m \x07 after")
    assert out.getvalue() == "before ␛[31mred␛[0m ␇ after\n"


def test_newlines_stay_in_a_line_and_leave_a_table() -> None:
    face, out, _ = terminal()
    face.line("one\r\ntwo\tthree")
    face.table([("a\nb", "c\td")])
    assert out.getvalue() == "one\ntwo\tthree\na b\tc d\n"


def test_columns_line_up_when_some_cells_are_korean() -> None:
    face, out, _ = terminal(Screen())
    face.table([("쿠폰함", "mem:a"), ("coupon", "mem:b"), ("한a", "mem:c")], headers=("이름", "id"))
    lines = re.sub(r"\x1b\[\d+m", "", out.getvalue()).splitlines()
    assert {output.width(re.split(r"mem:|id", line)[0]) for line in lines} == {8}


def test_decomposed_korean_is_as_wide_as_composed() -> None:
    assert output.width("한글") == output.width("\u1112\u1161\u11ab\u1100\u1173\u11af") == 4


@given(any_text, st.integers(1, 60))
def test_a_cut_text_fits(text: str, columns: int) -> None:
    assert output.width(output.cut(text, columns)) <= columns


def test_the_last_column_takes_what_the_screen_has_left() -> None:
    face, out, _ = terminal(Screen())
    face.table([("mem:abc123", "배송지 변경은 결제 전까지만 가능하다고 정했다"), ("x", "y")])
    first = out.getvalue().splitlines()[0]
    assert output.width(first) <= 40
    assert first.endswith("…")


@pytest.mark.parametrize("variable", [{"NO_COLOR": "1"}, {"NO_COLOR": ""}, {"TERM": "dumb"}])
def test_colours_can_be_refused(variable: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in variable.items():
        monkeypatch.setenv(name, value)
    face, out, _ = terminal(Screen())
    face.line(("strong", "bold"))
    assert out.getvalue() == "strong\n"


def test_a_screen_gets_colours_and_a_file_gets_none() -> None:
    shown, screen, _ = terminal(Screen())
    shown.line(("strong", "bold"))
    kept, file, _ = terminal()
    kept.line(("strong", "bold"))
    assert (screen.getvalue(), file.getvalue()) == ("\x1b[1mstrong\x1b[0m\n", "strong\n")


def test_a_table_in_a_file_has_tabs_and_no_headers() -> None:
    face, out, _ = terminal()
    face.table([("mem:a", ("쿠폰", "bold"))], headers=("id", "text"))
    assert out.getvalue() == "mem:a\t쿠폰\n"


def test_an_empty_table_prints_nothing() -> None:
    face, out, _ = terminal(Screen())
    face.table([], headers=("id",))
    assert out.getvalue() == ""


def test_G30_nothing_is_said_beside_the_answer_in_json_mode() -> None:
    err = Screen()
    face = Terminal(Screen(), err, Screen("y\n"), json_mode=True)
    face.note("Read from the backup.")
    with face.progress("Reading", 10) as progress:
        progress.add(10)
    assert face.confirm("Forget everything?") is False
    assert err.getvalue() == ""


def test_progress_is_drawn_where_somebody_watches_and_wiped_at_the_end() -> None:
    err = Screen()
    face = Terminal(io.StringIO(), err)
    with face.progress("Reading", 200) as progress:
        progress.add(100)
    assert "50 %" in err.getvalue()
    assert err.getvalue().endswith("\r\x1b[K")


@pytest.mark.parametrize(("typed", "agreed"), [("y\n", True), ("네\n", True), ("\n", False), ("no\n", False)])
def test_only_a_clear_yes_is_a_yes(typed: str, agreed: bool) -> None:
    assert Terminal(Screen(), Screen(), Screen(typed)).confirm("Forget 3 memories?") is agreed


def test_nobody_is_asked_where_nobody_can_answer() -> None:
    assert Terminal(io.StringIO(), io.StringIO(), io.StringIO("y\n")).confirm("Forget?") is False


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 120])
def test_no_row_is_wider_than_the_screen(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    rows = [
        (
            "1d468e8b",
            "2026-11-03 01:20",
            "claude",
            "feature/환불-재시도-" * 3,
            "배송지 변경은 결제 전까지만 가능하다고 정했다",
        ),
        ("ae963b5d", "2026-11-05 05:37", "codex", "main", "x" * 200),
    ]
    widths = output.fitted([max(map(output.width, column)) for column in zip(*rows, strict=True)], columns)
    total = sum(widths) + output.GAP * (len(widths) - 1)
    assert total <= max(columns, 5 * output.LEAST + 4 * output.GAP)
    assert output.fitted([8, 8], 80) == [8, 8]
    assert output.fitted([], 80) == []


def test_a_wide_column_gives_way_and_shows_it():
    assert output.fitted([8, 90, 60], 80) == [8, 48, 20]
    assert output.fitted([16, 12, 60], 50) == [14, 12, 20]
    assert output.fitted([16, 12, 60], 50, [True, False, False]) == [16, 10, 20]


@given(any_data, any_data)
def test_G30_a_part_that_was_written_before_gives_the_same_json(part: Any, other: Any) -> None:
    whole = {"before": other, "nodes": part, "after": [part]}
    written = Written(json_text(part))
    assert json_text({"before": other, "nodes": written, "after": [written]}) == json_text(whole)


def test_what_json_does_not_know_is_refused() -> None:
    with pytest.raises(TypeError):
        json_text({"a": object()})
