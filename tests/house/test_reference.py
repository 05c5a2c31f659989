"""The reference names every command and every option, as `--help` does.

`docs/reference/options.md` is made from the commands themselves: PITH_UPDATE_REFERENCE=1 writes it anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from pith.interfaces.cli.command import JSON, Command, Parameter
from pith.interfaces.cli.commands import ALIASES, COMMANDS, load

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
OPTIONS = REFERENCE / "options.md"
UPDATE = os.environ.get("PITH_UPDATE_REFERENCE") == "1"  # read now: in a test, pith's variables are gone

BEGINNING = """# Every option

What `pith COMMAND --help` says, for all commands. This page is made from the program, and a test compares them. Every
command takes `--json` too. What the commands are for: [commands](commands.md),
[commands of project memory](commands-project-memory.md).
"""


def _page() -> str:
    return "\n".join([BEGINNING, *(_section(name, load(name)) for name in COMMANDS)])


def _section(name: str, command: Command) -> str:
    told = " ".join(command.help.strip().partition("\n\n")[0].split())
    rows = [_row(each) for each in command.parameters if each is not JSON]
    table = ["", "| | |", "|---|---|", *rows] if rows else []
    return "\n".join([f"## `pith {name}`", "", told, *table, ""])


def _row(parameter: Parameter) -> str:
    names = parameter.names if parameter.is_option else (parameter.name.upper(),)
    value = "" if parameter.flag or not parameter.is_option else f" {_value(parameter)}"
    told = parameter.help or ""
    if not parameter.is_option and parameter.choices:
        told = f"{told} One of {', '.join(parameter.choices)}.".strip()
    if parameter.default not in (None, (), False):
        told = f"{told.rstrip('.')} ({parameter.default})."
    if parameter.many and parameter.is_option and "repeated" not in told:
        told = f"{told} May be repeated.".strip()
    return f"| `{', '.join(names)}{value}` | {told} |".replace("|-", r"\|-")


def _value(parameter: Parameter) -> str:
    if parameter.choices:
        return " or ".join(parameter.choices)
    return "N" if parameter.kind is int else "TEXT"


def test_every_option_stands_in_the_reference():
    if UPDATE:
        OPTIONS.write_text(_page(), encoding="utf-8")
    held = OPTIONS.read_text(encoding="utf-8")
    assert held == _page(), "Run this test with PITH_UPDATE_REFERENCE=1, and read the difference."


@pytest.mark.parametrize("name", [*COMMANDS, *ALIASES])
def test_every_command_is_explained(name):
    """In words, beside the made page: on the page of commands, or that of project memory."""
    pages = [REFERENCE / "commands.md", REFERENCE / "commands-project-memory.md"]
    told = " ".join(page.read_text(encoding="utf-8") for page in pages)
    assert re.search(rf"`(?:pith )?{re.escape(name)}(?![\w-])", told), f"`pith {name}` is nowhere explained"


def test_only_make_test_brings_in_a_browser():
    """A demonstration must not install programs on somebody's machine."""
    assert "browser" not in (ROOT / "requirements" / "setup").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipes = re.findall(r"^([\w-]+):.*\n((?:\t.*\n)*)", makefile, re.MULTILINE)
    assert [name for name, lines in recipes if "requirements/browser" in lines] == ["test"]
