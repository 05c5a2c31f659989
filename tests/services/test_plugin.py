"""The plugin for Claude Code: its files are as the host wants them, its hooks are those of `install`, and it keeps the rule."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml

import pith
from pith.adapters import host_claude

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "plugin"
HOOKS = json.loads((PLUGIN / "hooks" / "hooks.json").read_text())["hooks"]


def front(path: Path) -> dict[str, str]:
    """The front matter of a command or skill."""
    _, matter, body = path.read_text(encoding="utf-8").split("---\n", 2)
    assert body.strip()
    return yaml.safe_load(matter)


def test_the_manifest_and_the_marketplace_agree_and_name_what_is_there():
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text())
    market = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text())
    (entry,) = market["plugins"]
    assert (ROOT / entry["source"]).resolve() == PLUGIN
    assert entry["name"] == manifest["name"] == "pith"
    assert entry["version"] == manifest["version"] == pith.__version__
    assert {"name", "owner", "plugins"} <= set(market)
    assert market["owner"]["name"]


def test_the_plugin_listens_to_what_install_listens_to_and_runs_it_without_a_shell():
    told = {event for event in HOOKS if event != "PreToolUse"}
    assert told == set(host_claude.EVENTS)
    for event in told:
        ((handler,),) = (group["hooks"] for group in HOOKS[event])
        assert handler == {
            "type": "command",
            "command": "pith-hook",
            "args": ["claude"],
            "timeout": host_claude.EVENTS[event],
        }


def test_the_server_is_named_as_capture_knows_it():
    servers = json.loads((PLUGIN / ".mcp.json").read_text())["mcpServers"]
    assert servers == {"pith": {"command": "pith", "args": ["mcp"]}}


@pytest.mark.parametrize("path", sorted(PLUGIN.glob("commands/*.md")), ids=lambda path: path.stem)
def test_a_command_says_what_it_is_for_and_names_only_what_exists(path, pith):
    assert front(path)["description"]
    text = path.read_text(encoding="utf-8")
    for words in re.findall(r"`pith ((?:[a-z]+ ?)+)", text):
        assert pith(*words.split()[:2], "--help").code == 0, words


def test_the_skill_says_when_and_that_a_person_accepts():
    path = PLUGIN / "skills" / "project-memory" / "SKILL.md"
    matter = front(path)
    assert matter["name"] == path.parent.name
    assert matter["description"].startswith("Use when")
    assert "a person accepts" in path.read_text(encoding="utf-8")


ACCEPTING = (
    "pith remember accept p-1",
    "cd repo && pith  remember accept p-1 --yes",
    "/opt/bin/pith --json remember accept p-1",
    "PITH_HOME=/x orange remember accept p-1",
    "python3 -m pith remember accept p-1",
    "bash -c 'pith remember accept p-1'",
    "echo y | pith remember accept p-1",
    "env CI= pith remember accept 제안-1",
    "env -u CLAUDECODE pith remember accept p-1",
    "for one in p-1 p-2; do pith remember accept $one; done",
    'while read one; do pith remember accept "$one"; done < 제안.txt',
    "if true; then pith remember accept p-1; fi",
    "{ pith remember accept p-1; }",
    "! pith remember accept p-1",
    "bash -lc 'cd repo && pith remember accept p-1'",
    "bash -c \"bash -c 'pith remember accept p-1'\"",
    "bash <<EOF\npith remember accept p-1\nEOF",
    "uv run --project . pith remember accept p-1",
    "poetry run pith remember accept p-1",
    "uvx --from pith-memory pith remember accept p-1",
    "pipx run pith-memory remember accept p-1",
    "python3 -X utf8 -m pith remember accept p-1",
    "timeout 30 pith remember accept p-1",
    "nohup pith remember accept p-1 &",
    "command pith remember accept p-1",
    "eval pith remember accept p-1",
    "pith remember list | xargs -n 1 pith remember accept",
    "find . -name 'p-*' -exec pith remember accept {} \\;",
    "pith remember \\\n  accept p-1",
    "pith remember 'accept' p-1",
    '"/opt/my tools/pith" remember accept p-1',
    "NOTE='a b' pith remember accept p-1",
    'echo "$(pith remember accept p-1)"',
)
HARMLESS = (
    "pith remember list",
    "pith remember show p-1",
    "grep -rn 'pith remember accept' docs",
    "git commit -m 'Describe remember accept'",
    "echo 수락은 사람이 합니다",
    "pith recall 'remember accept'",
    "pith recall pith remember accept",
    "pith remember accept --help",
    "# pith remember accept p-1\nls",
    "grep -rn 'show|pith remember accept' docs",
    "git commit -m 'Say more; pith remember accept is for people'",
    "git commit -m \"$(cat <<'EOF'\nTell people to run\npith remember accept\nEOF\n)\"",
    "cat > README.md <<'EOF'\npith remember accept p-1\nEOF",
    'gh pr create --body "Steps:\n\n    pith remember accept p-1"',
    "pith note fact 'pith remember accept is for people'",
    "python3 - <<'EOF'\nprint('pith remember accept')\nEOF",
)


def before_tool(command: object) -> dict[str, object]:
    return {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }


@pytest.mark.parametrize("command", ACCEPTING)
def test_G28_the_plugin_refuses_an_agent_that_would_accept(run_hook, command):
    answer = run_hook("claude", before_tool(command)).json["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny"
    assert "person" in answer["permissionDecisionReason"]


LARGE = [
    one * 20_000
    for one in ("accept remember ", "pith ", "<<EOF remember accept\n", "\"'$(", "pith remember 'accept", "(")
]


@pytest.mark.parametrize("command", [*HARMLESS, None, 7, ["pith remember accept"], *LARGE])
def test_G28_anything_else_runs_and_nothing_is_kept_of_it(run_hook, pith_home, command):
    answer = run_hook("claude", before_tool(command))
    assert (answer.code, answer.stdout, answer.stderr) == (0, "", "")
    assert not list(pith_home.rglob("store.db"))


def test_G28_the_rule_looks_at_every_command_of_a_shell():
    (group,) = HOOKS["PreToolUse"]
    assert group["matcher"] == "Bash"
    (handler,) = group["hooks"]
    assert (handler["command"], handler["args"]) == ("pith-hook", ["claude"])


@pytest.mark.skipif(not shutil.which("claude"), reason="the `claude` program is not here to ask")
def test_the_host_itself_finds_nothing_wrong(tmp_path, monkeypatch):
    import subprocess

    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    for folder in (PLUGIN, ROOT):
        found = subprocess.run(
            ["claude", "plugin", "validate", str(folder)], capture_output=True, text=True, timeout=60, check=False
        )
        assert found.returncode == 0, found.stdout + found.stderr
        assert "warning" not in found.stdout
