"""Which modules an ordinary prompt loads: each is paid for at every prompt, all day."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pith

OURS = {
    "pith",
    "pith.errors",
    "pith.platform",
    "pith.domain",
    *(
        f"pith.domain.{name}"
        for name in "context events glossary manner named_secrets ranking secrets snippets stems sureness tokens words".split()
    ),
    "pith.store",
    *(f"pith.store.{name}" for name in "branches citations database events kin meta search sessions usage".split()),
    "pith.services",
    *(
        f"pith.services.{name}"
        for name in "brief candidates capture config dates location project recall settings spool workspace".split()
    ),
    "pith.interfaces",
    "pith.interfaces.hook",
    *(f"pith.interfaces.hook.{name}" for name in "answer main payload".split()),
}

# What json, re and sqlite3 load by themselves, and the system's part of os; no Python loads all of these.
STDLIB = set(
    "__future__ _bisect _collections _collections_abc _datetime _functools _json _operator _sha2 _sha256 _sqlite3 _sre"
    " _stat _thread _struct struct abc _abc codecs collections collections.abc copyreg datetime enum functools genericpath"
    " io itertools json json.decoder json.encoder json.scanner keyword math operator os os.path posixpath ntpath nt posix"
    " re re._casefix re._compiler re._constants re._parser reprlib sqlite3 sqlite3.dbapi2 stat time types unicodedata"
    " errno fcntl _opcode opcode _tokenize".split()
)
# What the interpreter has loaded before any program starts, and ways of finding the first module.
NEVER = set("dataclasses typing pathlib subprocess uuid hashlib logging argparse tomllib inspect contextlib".split())

PROBE = """
import sys
before = set(sys.modules)
sys.path.insert(0, sys.argv[1])
from pith.interfaces.hook import main
import time
main.serve("claude", sys.stdin.buffer.read(), time.monotonic())
print(sorted(set(sys.modules) - before))
"""


def loaded(payload: object) -> set[str]:
    """The modules that one call loads, in an interpreter as hosts start it."""
    done = subprocess.run(
        [sys.executable, "-S", "-I", "-c", PROBE, str(Path(pith.__file__).parents[1])],
        input=json.dumps(payload).encode(),
        capture_output=True,
        check=True,
    )
    return set(ast.literal_eval(done.stdout.decode()))


@pytest.fixture
def prompt(tmp_path: Path, home: Path) -> dict[str, str]:
    """A prompt of a project that is known already."""
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(tmp_path)}
    loaded({**payload, "prompt": "the first one", "prompt_id": "p1"})
    assert list(home.rglob("store.db"))
    return {**payload, "prompt": "where is the cart total rounded?", "prompt_id": "p2"}


def test_an_ordinary_prompt_loads_exactly_our_modules_on_this_list(prompt):
    assert {name for name in loaded(prompt) if name.partition(".")[0] == "pith"} == OURS


def test_an_ordinary_prompt_loads_of_the_standard_library_only_what_is_on_this_list(prompt):
    found = {name for name in loaded(prompt) if name.partition(".")[0] != "pith"}
    assert found <= STDLIB
    assert not found & NEVER


def test_no_kind_of_event_loads_what_is_dear(prompt):
    for event in ("SessionStart", "PostToolUse", "PostToolUseFailure", "Stop", "PostCompact", "SessionEnd"):
        told = {**prompt, "hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": "ls"}}
        told |= {"tool_response": "a", "last_assistant_message": "한국어 답", "compact_summary": "요약", "error": "no"}
        assert not loaded(told) & NEVER, event


def test_endless_mode_loads_nothing_dear_either(prompt, monkeypatch):
    monkeypatch.setenv("PITH_MODE", "endless")
    for event in ("UserPromptSubmit", "SessionStart", "PostToolUse", "Stop", "PreCompact"):
        told = {**prompt, "hook_event_name": event, "tool_name": "Edit", "tool_input": {"file_path": "/a/cart.py"}}
        told |= {"tool_response": "a", "last_assistant_message": f"쿠폰함 {event}", "session_id": f"s{event}"}
        found = loaded({**told, "prompt": f"where is the cart total rounded, {event}?", "prompt_id": event})
        assert not found & NEVER, event
        assert "pith.domain.extraction" not in found, event


@pytest.mark.skipif(os.name != "posix", reason="-X importtime is read on one system")
def test_none_of_our_modules_asks_for_enum_or_functools_before_the_standard_library_did(prompt):
    """They may be there because `re` needs them; a module of ours that imports them first would bring them in early."""
    sources = Path(pith.__file__).parent
    for name in OURS - {"pith"}:
        path = sources.joinpath(*name.split(".")[1:])
        file = path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py"
        imported = {
            alias.name
            for node in ast.parse(file.read_text(encoding="utf-8")).body
            if isinstance(node, ast.Import)
            for alias in node.names
        } | {
            node.module for node in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom)
        }
        assert not imported & (NEVER | {"enum", "collections"}), name
