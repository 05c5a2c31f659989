"""What standing preferences cost at every prompt: looking for them, and telling them once to a session."""

from __future__ import annotations

import json
from pathlib import Path
from unittest import mock

from bench import stores
from bench.figures import Figure, Outcome
from bench.processes import HOOK, Contestant, compare
from pith.services import preferences
from pith.services.workspace import open_workspace

EVENTS = 300
NONE, TOLD, UNTOLD = "prompt, no preference", "prompt, ten told already", "first prompt of a session, ten to tell"


def hook(quick: bool) -> Outcome:
    """A prompt that asks nothing, with and without ten preferences, half of them in the personal store."""
    with stores.copied(EVENTS) as without, stores.copied(EVENTS) as having:
        _prefer(having.home, having.folder)
        contestants = [
            Contestant(NONE, _command(without.home), lambda number: _prompt(without.folder, "same", number)),
            Contestant(TOLD, _command(having.home), lambda number: _prompt(having.folder, "same", number)),
            Contestant(UNTOLD, _command(having.home), lambda number: _prompt(having.folder, f"new-{number}", number)),
        ]
        found = compare(contestants, stores.environment(without.home), 9 if quick else 41)
    base = found.ratios[NONE]
    figures = [Figure(NONE, base, "x", note=f"{found.milliseconds[NONE]:.1f} ms")]
    figures += [
        Figure(f"  of that: {name}", found.ratios[name] / base, "x", 1.15, note=f"{found.milliseconds[name]:.1f} ms")
        for name in (TOLD, UNTOLD)
    ]
    figures += [Figure(f"  spoke at: {name}", found.spoken[name], "of 1") for name in (TOLD, UNTOLD)]
    return Outcome(figures, found.remarks)


def _prefer(home: Path, folder: Path) -> None:
    with mock.patch.dict("os.environ", {"PITH_HOME": str(home)}), open_workspace(str(folder)) as ws:
        for number in range(10):
            preferences.add(ws, f"Always keep to rule {number}", everywhere=number % 2 == 0, ask=lambda _: True)


def _command(home: Path) -> tuple[str, ...]:
    """The hook in one of two homes; all contestants start in the same way."""
    return ("/usr/bin/env", f"PITH_HOME={home}", *HOOK)


def _prompt(folder: Path, session: str, number: int) -> bytes:
    payload = {"session_id": session, "cwd": str(folder), "hook_event_name": "UserPromptSubmit"}
    return json.dumps({**payload, "prompt_id": f"p{number}", "prompt": "continue"}).encode()
