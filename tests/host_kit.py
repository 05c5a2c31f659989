"""The real hosts as tests drive them: in one repository, with one home, and a model that the test speaks for."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conftest import Run
from host_model import Model, Request
from pith.adapters import host_codex

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 120  # seconds; a turn takes one or two, on a machine that does nothing else
# A hook that is none of ours, and writes down what hooks are given.
_TEE = "import sys; data = sys.stdin.read(); open(sys.argv[1], 'a', encoding='utf-8').write(data.strip() + '\\n')"


def host_program(name: str) -> str:
    """The host's program, from `make hosts` or from the path; the test is skipped where there is none."""
    made = ROOT / "build" / "hosts" / "node_modules" / ".bin" / name
    found = str(made) if made.exists() else shutil.which(name)
    if not found or not shutil.which("node"):
        pytest.skip(f"{name} is not installed; `make hosts` fetches it.")
    return found


@dataclass(frozen=True)
class Kept:
    """One event that pith keeps, with what was noted beside its text."""

    kind: str
    text: str
    fields: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        return self.fields.get(name)


class HostProgram(ABC):
    """A host's program in one repository, and pith beside it."""

    name = ""

    def __init__(self, repo: Path, home: Path, model: Model, pith: Callable[..., Run]) -> None:
        self.repo, self.home, self.model, self._pith = repo, home, model, pith
        self.program = host_program(self.name)
        self.payloads_file = home / "payloads.jsonl"

    @abstractmethod
    def env(self) -> dict[str, str]:
        """What this host needs to be told by its environment."""

    def run(self, *words: str, check: bool = True, cwd: Path | None = None, **env: str) -> Run:
        """Run the host itself."""
        line, told = [self.program, *words], {**os.environ, **self.env(), **env}
        where = cwd or self.repo
        done = subprocess.run(line, cwd=where, env=told, input=b"", capture_output=True, timeout=PATIENCE, check=False)
        run = Run(done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace"))
        assert not check or run.code == 0, f"{line} ended with {run.code}:\n{run.stdout}\n{run.stderr}"
        return run

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start the host without waiting for it; it leads a group of processes of its own."""
        quiet, told = subprocess.DEVNULL, {**os.environ, **self.env()}
        return subprocess.Popen(
            [self.program, *words], cwd=self.repo, env=told,
            stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True,
        )  # fmt: skip

    def pith(self, *words: str, **how: Any) -> Run:
        """A command of ours in the repository."""
        return self._pith(*words, **{"cwd": self.repo, **how})

    def said(self, *words: str) -> Any:
        """What a command of ours answers as data."""
        return self.pith(*words, "--json", check=True).json["data"]

    def kept(self, session: str = "") -> list[Kept]:
        """All that is kept of this repository, or of one session, the oldest first."""
        lines = [json.loads(line) for line in self.pith("export", "--jsonl", check=True).stdout.splitlines()]
        events = [Kept(line["kind"], line["text"], line) for line in lines if "kind" in line and "text" in line]
        return [event for event in events if session in ("", event.session)]

    def words_kept(self, session: str = "") -> list[tuple[str, str]]:
        """Kind and first line of all that is kept."""
        return [(event.kind, event.text.split("\n")[0]) for event in self.kept(session)]

    def kept_nothing(self) -> bool:
        """Whether there is no store at all."""
        return not list((self.home / "pith").rglob("store.db"))

    def sessions(self) -> list[dict[str, Any]]:
        """The sessions kept, the latest first."""
        found: list[dict[str, Any]] = self.said("sessions")["sessions"]
        return found

    def wait_for(self, condition: Callable[[], object]) -> None:
        """Wait until it holds."""
        for _ in range(PATIENCE * 50):
            if condition():
                return
            time.sleep(0.02)
        raise AssertionError("It never came to pass.")

    def payloads(self, event: str = "") -> list[dict[str, Any]]:
        """What hooks were given, or those of one event."""
        text = self.payloads_file.read_text("utf-8") if self.payloads_file.exists() else ""
        found = [json.loads(line) for line in text.splitlines() if line]
        return [each for each in found if event in ("", each["hook_event_name"])]

    def tee(self) -> list[str]:
        """A command line that writes a hook's input down."""
        return [sys.executable, "-c", _TEE, str(self.payloads_file)]


def told(request: Request) -> str:
    """What pith told the model in a request."""
    return "\n".join(text for _, text in request.words if "<pith" in text)


class ClaudeCode(HostProgram):
    """Claude Code without a terminal."""

    name = "claude"
    events = (
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStart",
        "SubagentStop", "PreCompact", "PostCompact", "SessionEnd",
    )  # fmt: skip

    def env(self) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": self.model.address,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
        }

    @property
    def settings(self) -> Path:
        return self.home / ".claude" / "settings.json"

    def ask(self, prompt: str, *words: str, tools: str = "Bash,Read,Write,Edit,Task,Agent") -> dict[str, Any]:
        """One turn; what the host says about it."""
        run = self.run("-p", prompt, "--output-format", "json", "--allowedTools", tools, *words)
        answer: dict[str, Any] = json.loads(run.stdout)
        return answer

    def record_payloads(self) -> None:
        """Let a hook that is none of ours write down what hooks are given."""
        command, *arguments = self.tee()
        hook = {"type": "command", "command": command, "args": arguments}
        self.settings.parent.mkdir(exist_ok=True)
        hooks = {event: [{"hooks": [hook]}] for event in self.events}
        self.settings.write_text(json.dumps({"hooks": hooks}), encoding="utf-8")

    def transcripts(self) -> list[Path]:
        """What it wrote to disk itself."""
        return sorted((self.home / ".claude" / "projects").rglob("*.jsonl"))


class CodexCli(HostProgram):
    """Codex without a terminal, with a provider of models of our own."""

    name = "codex"
    events = (
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStart", "SubagentStop",
        "PreCompact", "PostCompact", "SessionEnd",
    )  # fmt: skip

    def __init__(self, repo: Path, home: Path, model: Model, pith: Callable[..., Run]) -> None:
        super().__init__(repo, home, model, pith)
        self.folder.mkdir()
        self.config.write_text(
            f"""model = "m"
model_provider = "stand-in"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.stand-in]
name = "Stand-in"
base_url = "{model.address}/v1"
wire_api = "responses"
env_key = "STAND_IN_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false
""",
            encoding="utf-8",
        )

    def env(self) -> dict[str, str]:
        return {"STAND_IN_KEY": "none"}

    @property
    def folder(self) -> Path:
        return self.home / ".codex"

    @property
    def config(self) -> Path:
        return self.folder / "config.toml"

    def ask(self, prompt: str, *, resume: bool = False) -> str:
        """One turn, of the last session or of a new one; the session's id."""
        again = ("resume", "--last") if resume else ()
        lines = self.run("exec", *again, "--json", prompt).stdout.splitlines()
        told = [json.loads(line) for line in lines if line.startswith("{")]
        return next(str(each["thread_id"]) for each in told if each["type"] == "thread.started")

    def record_payloads(self) -> None:
        """Let a hook that is none of ours write down what hooks are given."""
        hook = {"type": "command", "command": shlex.join(self.tee()), "timeout": 3}
        hooks = {event: [{"hooks": [hook]}] for event in self.events}
        (self.folder / "hooks.json").write_text(json.dumps({"hooks": hooks}), encoding="utf-8")

    def trust(self) -> None:
        """Trust every hook, as a person does in `/hooks`: Codex keeps the hash of each beside its place."""
        path = self.folder / "hooks.json"
        states = []
        for event, groups in json.loads(path.read_text("utf-8"))["hooks"].items():
            for group, body in enumerate(groups):
                for index in range(len(body["hooks"])):
                    label = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
                    mark = host_codex.fingerprint(event, body, index)
                    states.append(f'[hooks.state."{path}:{label}:{group}:{index}"]\ntrusted_hash = "{mark}"\n')
        with self.config.open("a", encoding="utf-8") as file:
            file.write("\n" + "\n".join(states))

    def rollouts(self) -> list[Path]:
        """What it wrote to disk itself."""
        return sorted((self.folder / "sessions").rglob("*.jsonl"))
