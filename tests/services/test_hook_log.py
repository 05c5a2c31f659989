"""The database's own log stays small, however many hooks come one after the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

BYTES, CALLS = 120_000, 12


def test_the_log_of_the_store_does_not_grow_with_every_hook(
    run_hook: Callable[..., Any], pith_home: Path, git_repo: Path
) -> None:
    """A hook that leaves with the store open leaves its log to the next one, which never empties it."""
    for number in range(CALLS):
        said = f"{number} " + " ".join(f"word{number}x{n}" for n in range(BYTES // 10))
        call = {"hook_event_name": "Stop", "session_id": "s", "cwd": str(git_repo), "last_assistant_message": said}
        assert run_hook("claude", call).code == 0
    (store,) = pith_home.glob("projects/*/store.db")
    assert store.stat().st_size > BYTES * CALLS
    logs = [log.stat().st_size for log in store.parent.glob("store.db-wal")]
    assert sum(logs) < BYTES * CALLS / 2
