"""Prove an installation: run the installed command as the host would, keep one memory, and read it back."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pith.adapters import hosts
from pith.errors import PithError
from pith.services.setup.installed import InstalledHook, installed

PATIENCE = 30  # seconds; the host gives less, but a first start on a cold disk should not read as a failure
NOTE = "Done in a temporary home that is gone again; your own memory was not touched."
_LETTERS = "bcdfghjkmnpqrstvwxz"


@dataclass(frozen=True, slots=True)
class SelfTest:
    """Whether the installed hook wrote and read one memory, and if not, why, in one sentence."""

    host: str
    ok: bool
    command: tuple[str, ...]
    failure: str | None = None
    note: str = NOTE


class _Failed(Exception):
    """A step of the test went wrong; the text is the sentence to tell."""


def self_test(name: str) -> SelfTest:
    """Run the installed prompt hook twice: what the first session says, the second must be told."""
    host = hosts.host(name)
    try:
        hook = _prompt_hook(host.name)
    except (PithError, _Failed) as error:
        return SelfTest(host.name, False, (), str(error))
    with tempfile.TemporaryDirectory(prefix="pith-self-test-", ignore_cleanup_errors=True) as folder:
        try:
            _write_and_read(hook, os.path.realpath(folder))
        except _Failed as failure:
            return SelfTest(host.name, False, hook.line, str(failure))
    return SelfTest(host.name, True, hook.line)


def _prompt_hook(name: str) -> InstalledHook:
    for hook in installed(name):
        if hook.event == "UserPromptSubmit":
            return hook
    raise _Failed(f"No prompt hook is installed; run `pith install {name}`.")


def _write_and_read(hook: InstalledHook, folder: str) -> None:
    project, home = os.path.join(folder, "project"), os.path.join(folder, "home")
    os.mkdir(project)
    subject, answer = _word(), _word()
    said = f"Decision about the lighthouse {subject}: its lamp is called {answer}."
    asked = f"What is the lamp of the lighthouse {subject} called?"
    _context(_call(hook, project, home, "pith-self-test-1", said))
    if not _holds(home, answer):
        raise _Failed("The hook ran and stored nothing; run `pith doctor` to see what it is missing.")
    told = _context(_call(hook, project, home, "pith-self-test-2", asked))
    if answer not in told:
        raise _Failed("The hook stored a memory and did not recall it; run `pith doctor` to see why.")


def _call(hook: InstalledHook, project: str, home: str, session: str, prompt: str) -> str:
    """Give the hook a prompt as the host does, and return what it prints."""
    payload = {
        "session_id": session,
        "transcript_path": None,
        "cwd": project,
        "hook_event_name": "UserPromptSubmit",
        "permission_mode": "default",
        "prompt": prompt,
    }
    if hook.host == "codex":
        payload |= {"turn_id": f"{session}-turn", "model": "self-test"}
    env = {**os.environ, "PITH_HOME": home, "CLAUDE_PROJECT_DIR": project}
    try:
        done = subprocess.run(
            hook.line,
            input=json.dumps(payload, ensure_ascii=False).encode("utf-8"),
            cwd=project,
            env=env,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _Failed(f"The hook did not end within {PATIENCE} seconds.") from error
    except OSError as error:
        raise _Failed(_not_started(hook.line, error)) from error
    return _output(hook, done)


def _not_started(line: Sequence[str], error: OSError) -> str:
    if isinstance(error, PermissionError):
        return f"{line[0]} is not executable."
    if isinstance(error, FileNotFoundError):
        return f"{line[0]} does not exist."
    return f"{line[0]} cannot be started: {error.strerror}."


def _output(hook: InstalledHook, done: subprocess.CompletedProcess[bytes]) -> str:
    """Return what the hook printed, or say what went wrong in it."""
    complaint = done.stderr.decode("utf-8", "replace").strip()
    last = complaint.splitlines()[-1].strip() if complaint else "it said nothing"
    if "Traceback" in complaint or "can't open file" in complaint:
        raise _Failed(f"The hook failed under {hook.words[0]}: {last}.".replace("..", "."))
    if done.returncode in (126, 127):
        raise _Failed(f"{hook.words[0]} is not executable or does not exist: {last}.")
    if done.returncode != 0:
        raise _Failed(f"{hook.words[0]} ended with code {done.returncode}, which a hook never does: {last}.")
    return done.stdout.decode("utf-8", "replace").strip()


def _context(output: str) -> str:
    """Return the context in a hook's answer; a host takes one JSON object or nothing."""
    if not output:
        return ""
    try:
        answer: Any = json.loads(output)
    except ValueError as error:
        first = output.splitlines()[0][:80]
        raise _Failed(f"The host would be given text that is no JSON, perhaps by a login script: {first}") from error
    specific = answer.get("hookSpecificOutput") if isinstance(answer, dict) else None
    return str(specific.get("additionalContext", "")) if isinstance(specific, dict) else ""


def _holds(folder: str, word: str) -> bool:
    """Whether any file below the folder, be it database, its log or spool, holds the word."""
    for path, _folders, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                if word.encode() in file.read():
                    return True
    return False


def _word() -> str:
    """Make up a word that stands in no text and looks like no secret."""
    return "".join(secrets.choice(_LETTERS) + secrets.choice("aeiou") for _ in range(4))
