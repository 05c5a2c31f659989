"""The frame around every command: the table, the words on the command line, failures, and how the program ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pith as package
from pith.errors import NotFound
from pith.interfaces.cli import clicks, commands
from pith.interfaces.cli.command import Answer, Command, argument, command, option, parse
from pith.interfaces.cli.output import Terminal

Pith = Callable[..., Any]

KEY = "sk-ant-api03-" + "Zx9Kq2Wm7Rt4Yb8Nc3" * 5
WITH_SLOW_COMMAND = """
import sys, time, types
from pith.interfaces.cli import commands, main
from pith.interfaces.cli.command import command
def slow():
    print("ready", flush=True)
    time.sleep(60)
module = types.ModuleType("slow_command")
module.slow = command("slow")(slow)
sys.modules["slow_command"] = module
commands.COMMANDS["slow"] = "slow_command:slow"
sys.exit(main.main(["slow"]))
"""


@command(
    "try.out",
    argument("question", many=True),
    option("--limit", "-n", kind=int, default=6, help="How many to show."),
    option("--kind", choices=("prompt", "tool"), help="Only these."),
    option("--file", many=True, help="Only about this file."),
    option("--weak", flag=True, help="Weak ones too."),
)
def try_out(question: tuple[str, ...], **given: Any) -> dict[str, Any]:
    """Try what the frame does."""
    return {"question": list(question), **given}


@try_out.text
def show(data: Any, terminal: Terminal) -> None:
    terminal.line(" ".join(data["question"]))


@command("fail", argument("how"))
def fail(how: str, terminal: Terminal) -> Answer:
    """End in the way that is asked for."""
    if how == "known":
        raise NotFound("There is no mem:abc123.", hint="Run `pith sessions`.")
    if how == "fault":
        raise ZeroDivisionError(f"with {KEY}")
    assert isinstance(terminal, Terminal)
    return Answer({"findings": 1}, code=2)


@pytest.fixture(autouse=True)
def two_commands_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("commands_of_this_test")
    vars(module).update(try_out=try_out, fail=fail)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(commands.COMMANDS, "try out", "commands_of_this_test:try_out")
    monkeypatch.setitem(commands.COMMANDS, "try", "commands_of_this_test:try_out")
    monkeypatch.setitem(commands.COMMANDS, "fail", "commands_of_this_test:fail")
    monkeypatch.setitem(commands.COMMANDS, "broken", "commands_of_this_test_that_are_missing:broken")


# -- The table


def test_a_command_is_found_by_two_words_or_one(pith: Pith) -> None:
    assert pith("try", "out", "쿠폰함", check=True).stdout == "쿠폰함\n"
    assert pith("try", "outer", check=True).stdout == "outer\n"


def test_search_is_another_name_for_recall() -> None:
    assert commands.split(["search", "쿠폰함"]) == ("recall", ["쿠폰함"])


def test_an_unknown_command_is_told_with_the_nearest_names(pith: Pith) -> None:
    run = pith("recal", "쿠폰함")
    assert (run.code, run.stdout) == (1, "")
    assert run.stderr.splitlines()[0] == "There is no command `recal`; did you mean `pith recall`?"


def test_a_missing_command_harms_no_other(pith: Pith) -> None:
    run = pith("broken")
    assert (run.code, run.stderr.splitlines()[0]) == (1, "`pith broken` is not part of this version.")
    overview = pith("--help", check=True).stdout
    assert "try out" in overview
    assert "broken" not in overview


def test_without_words_the_commands_are_listed(pith: Pith) -> None:
    run = pith(check=True)
    assert "Commands:" in run.stdout
    assert "Try what the frame does." in run.stdout


def test_help_tells_what_a_command_takes(pith: Pith) -> None:
    told = pith("try", "out", "--help", check=True).stdout
    assert told.startswith("Usage: pith try out [OPTIONS] QUESTION...\n")
    assert "How many to show.  [default: 6]" in told


def test_the_version_is_the_one_that_is_built(pith: Pith) -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = project.get("version", package.__version__)
    assert pith("--version", check=True).stdout == f"pith {version}\n"
    assert pith("--version", "--json", check=True).json["data"] == {"version": version}


def test_every_named_command_that_exists_has_an_id_in_dot_notation() -> None:
    for name in list(commands.COMMANDS):
        try:
            found = commands.load(name)
        except package.errors.InputError:
            continue
        assert isinstance(found, Command)
        assert " " not in found.id
        assert found.help, f"`pith {name}` says nothing about itself"


# -- The words

WORDS = st.sampled_from(
    "--limit -n 3 -3 x 쿠폰함 - -- --kind tool --kind=tool --kind=x --json --file --file=a=b --weak --weak=1 "
    "--limit=2 -n5 -n=5 --bogus --lim ".split(" ")
)


@given(st.lists(WORDS, max_size=8))
def test_what_is_read_without_click_is_what_click_reads(words: list[str]) -> None:
    read = parse(try_out.parameters, words)
    if read is not None:
        _, expected = clicks.as_click("try out", try_out).main(words, "pith", standalone_mode=False)
        assert read == expected


@given(st.lists(st.text(max_size=5) | WORDS, max_size=5))
def test_what_click_refuses_is_never_read_without_it(words: list[str]) -> None:
    try:
        clicks.as_click("try out", try_out).main([*words], "pith", standalone_mode=False)
    except click.UsageError:
        assert parse(try_out.parameters, words) is None


def test_options_stand_anywhere_and_two_dashes_end_them() -> None:
    read = parse(try_out.parameters, ["a", "-n", "2", "b", "--file", "x", "--file=y", "--", "--json"])
    assert read is not None
    assert (read["question"], read["limit"], read["file"], read["json"]) == (
        ("a", "b", "--json"),
        2,
        ("x", "y"),
        False,
    )


def test_words_joined_to_a_short_option_are_left_to_click(pith: Pith) -> None:
    assert pith("try", "-n5", "x", "--json", check=True).json["data"]["limit"] == 5


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["x", "--limt", "3"], "`pith try out` has no option `--limt`; did you mean `--limit`?"),
        (["x", "--limit", "many"], "Invalid value for '--limit' / '-n': 'many' is not a valid integer."),
        (["x", "--kind", "tol"], "Invalid value for '--kind': 'tol' is not one of 'prompt', 'tool'."),
        ([], "Missing argument 'QUESTION...'."),
    ],
)
def test_words_that_cannot_be_understood_get_one_sentence_and_a_next_step(
    pith: Pith, words: list[str], sentence: str
) -> None:
    run = pith("try", "out", *words)
    assert (run.code, run.stdout) == (1, "")
    assert run.stderr.splitlines() == [sentence, "Run `pith try out --help` to see what it takes."]


# -- Answers and failures


@pytest.mark.parametrize("words", [("--json", "try", "out", "x"), ("try", "out", "x", "--json")])
def test_G30_json_may_be_asked_for_before_or_after(pith: Pith, words: tuple[str, ...]) -> None:
    run = pith(*words, check=True)
    assert run.json["command"] == "try.out"
    assert run.json["data"]["question"] == ["x"]
    assert run.stderr == ""


def test_a_known_failure_is_a_sentence_and_a_next_step(pith: Pith) -> None:
    run = pith("fail", "known")
    assert (run.code, run.stdout, run.stderr) == (1, "", "There is no mem:abc123.\nRun `pith sessions`.\n")


@pytest.mark.parametrize(
    ("words", "id", "code"),
    [
        (("fail", "known"), "fail", "NOT_FOUND"),
        (("try", "out", "--limt"), "try.out", "USER_INPUT_ERROR"),
        (("recal",), "recal.unknown", "USER_INPUT_ERROR"),
        (("broken",), "broken", "USER_INPUT_ERROR"),
        (("fail", "fault"), "fail", "UNEXPECTED"),
    ],
)
def test_G30_failures_are_envelopes_on_stdout(pith: Pith, words: tuple[str, ...], id: str, code: str) -> None:
    run = pith(*words, "--json")
    assert (run.code, run.stderr) == (1, "")
    assert list(run.json) == ["ok", "contract_version", "command", "error"]
    assert (run.json["ok"], run.json["command"], run.json["error"]["code"]) == (False, id, code)
    assert list(run.json["error"]) == ["code", "message", "hint"]


def test_a_command_may_answer_and_end_with_another_code(pith: Pith) -> None:
    run = pith("fail", "softly", "--json")
    assert (run.code, run.json["ok"], run.json["data"]) == (2, False, {"findings": 1})


def test_a_fault_is_told_in_a_sentence_and_its_traceback_goes_to_the_log(pith: Pith, pith_home: Path) -> None:
    run = pith("fail", "fault")
    assert (run.code, run.stdout) == (1, "")
    assert run.stderr.startswith("pith met an error that it did not expect (ZeroDivisionError).\n")
    assert "Traceback" not in run.stderr
    log = pith_home / "log" / "pith.log"
    assert "Traceback" in log.read_text(encoding="utf-8")
    assert KEY not in log.read_text(encoding="utf-8")
    if os.name == "posix":
        assert log.stat().st_mode & 0o777 == 0o600


def test_a_fault_is_told_even_where_no_log_can_be_written(pith: Pith, pith_home: Path) -> None:
    pith_home.write_text("this is no folder", encoding="utf-8")
    run = pith("fail", "fault")
    assert run.code == 1
    assert "PITH_DEBUG=1" in run.stderr


def test_a_full_log_moves_aside(pith: Pith, pith_home: Path) -> None:
    log = pith_home / "log" / "pith.log"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"x" * 1_000_001)
    pith("fail", "fault")
    assert log.stat().st_size < 10_000
    assert (log.parent / "pith.log.1").stat().st_size == 1_000_001


def test_a_developer_sees_the_traceback(pith: Pith) -> None:
    with pytest.raises(ZeroDivisionError):
        pith("fail", "fault", env={"PITH_DEBUG": "1"})


# -- The process


def test_korean_is_printed_whatever_the_language_of_the_system(run_pith: Pith) -> None:
    run = run_pith("config", "get", "recall.쿠폰", env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"})
    assert "recall.쿠폰" in run.stderr


@pytest.mark.skipif(os.name != "posix", reason="pipes end otherwise on Windows")
def test_a_reader_that_leaves_early_is_no_failure_to_talk_about() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "pith.interfaces.cli.main", "config"],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(os.name != "posix", reason="signals are otherwise on Windows")
def test_control_c_ends_quietly() -> None:
    child = subprocess.Popen([sys.executable, "-c", WITH_SLOW_COMMAND], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    child.send_signal(signal.SIGINT)
    _, complaint = child.communicate(timeout=60)
    assert (child.returncode, complaint) == (130, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only some systems have a disk that is always full")
def test_an_answer_that_cannot_be_written_is_told_in_a_sentence() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pith.interfaces.cli.main", "config"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.decode().splitlines()[0] == "The answer could not be written: No space left on device."
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="a shell is needed")
def test_a_closed_stdout_is_no_fault() -> None:
    done = subprocess.run(
        ["sh", "-c", '"$0" -m pith.interfaces.cli.main config >&-', sys.executable],
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_ordinary_command_starts_without_what_is_slow_to_load() -> None:
    probe = (
        "import sys; before = set(sys.modules); from pith.interfaces.cli.main import main;"
        "assert main(['config', 'get', 'recall.maxItems']) == 0; print(*set(sys.modules) - before)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", probe],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1])},
    )
    slow = {
        "click",
        "typing",
        "dataclasses",
        "inspect",
        "pathlib",
        "subprocess",
        "shutil",
        "logging",
        "argparse",
    }
    slow |= {"tomllib", "tomlkit", "importlib.metadata", "difflib", "uuid", "hashlib", "asyncio", "traceback"}
    assert not slow & set(done.stdout.decode().split())
