"""What tests of the worker share: sessions that leave work, workers as real processes, and who still runs."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conftest import program
from pith.interfaces.hook.main import serve
from pith.services.workspace import open_workspace

AUTO = {"PITH_WORKER_START": "auto"}


def call(cwd: Path, event: str, **fields: Any) -> bytes:
    """What a host writes to a hook."""
    return json.dumps({"hook_event_name": event, "session_id": "s1", "cwd": str(cwd), **fields}).encode()


def say(cwd: Path, count: int, begin: int = 0) -> None:
    """Keep so many prompts that state something each; no worker is started."""
    for number in range(begin, begin + count):
        text = f"We decided to keep the {number}th coupon for {number} days. 쿠폰은 {number}일 보관하기로 결정했습니다."
        serve("claude", call(cwd, "UserPromptSubmit", prompt=text, prompt_id=f"p{number}"), time.monotonic())


def hook(cwd: Path, event: str, env: dict[str, str] | None = None, **fields: Any) -> None:
    """One hook of Claude Code, as a real process that may start a worker."""
    done = subprocess.run(
        [*program("pith-hook"), "claude"],
        input=call(cwd, event, **fields),
        capture_output=True,
        env={**os.environ, **AUTO, **(env or {})},
        cwd=cwd,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def store_of(cwd: Path) -> Path:
    """The folder of the store that a folder belongs to."""
    with open_workspace(str(cwd)) as ws:
        return Path(ws.folder)


def wait_for(condition: Callable[[], Any], what: str) -> Any:
    """Wait until it holds; a minute is for machines that do ten other things."""
    for _ in range(6000):
        if found := condition():
            return found
        time.sleep(0.01)
    raise AssertionError(f"It never came to pass: {what}.")


def running(home: Path) -> dict[int, str]:
    """Every process but this one that has this home in its environment, with its command line."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            environment = (entry / "environ").read_bytes().split(b"\0")
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if f"PITH_HOME={home}".encode() in environment:
            found[int(entry.name)] = words
    return found
