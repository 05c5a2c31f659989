"""`pith install HOST --mcp`: the server goes into a host's list and comes out again; nothing else is touched."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from pith.adapters import mcp_hosts
from pith.files.settings_file import SettingsUnusable
from pith.services.setup import servers

JSON_HOSTS = ("claude", "claude-desktop", "cursor")
BUSY_JSON = """{
    // mine
    "numStartups": 12,
    "mcpServers": {
        "other": {"command": "npx", "args": ["-y", "thing"]}, // 알림
    },
    "unknown": [1.0, 2.50, {"한글": "\\uac00"}]
}"""
BUSY_TOML = """# mine
model = "gpt-x"   # 알림
[mcp_servers.other]
command = 'npx'
args = ["-y", "thing"]

[mcp_servers.other.env]
TOKEN = "x"
[features]
hooks = true"""
LISTS = {
    "empty": (None, "", "\n", "{}", "{ }", '{"mcpServers": {}}', '{"mcpServers": { /* mine */ }, "a": 1}', BUSY_JSON),
    "toml": (
        None,
        "",
        "\n",
        "# nothing\n",
        'model = "x"',
        BUSY_TOML,
        BUSY_TOML.replace("\n", "\r\n"),
        "[mcp_servers]\n",
    ),
}


@pytest.fixture(params=list(mcp_hosts.HOSTS))
def host(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def _file(name: str) -> Path:
    path = Path(mcp_hosts.host(name).file())
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _entry(name: str) -> dict[str, Any]:
    text = _file(name).read_text(encoding="utf-8")
    chosen = mcp_hosts.host(name)
    whole = tomllib.loads(text) if chosen.toml else json.loads(text)
    found: dict[str, Any] = whole[chosen.servers]["pith"]
    return found


def test_every_list_is_below_the_home_of_the_test(host, home):
    assert Path(mcp_hosts.host(host).file()).is_relative_to(home)


def test_taking_the_server_out_gives_every_byte_back(host):
    for before in LISTS["toml" if mcp_hosts.host(host).toml else "empty"]:
        path = _file(host)
        path.unlink(missing_ok=True)
        if before is not None:
            path.write_bytes(before.encode())
        put = servers.install(host, project="/home/me/shop")
        assert put.changed
        assert servers.installed(host)
        again = servers.install(host, project="/home/me/shop")
        assert not again.changed, before
        servers.uninstall(host)
        assert (path.read_bytes().decode() if path.exists() else None) == before
        assert not servers.uninstall(host).changed


def test_a_server_of_ours_is_renewed_and_what_a_person_added_to_it_stays(host):
    servers.install(host, project="/a")
    path = _file(host)
    old = path.read_text(encoding="utf-8").replace(sys.executable, "/old/bin/python3.11")
    if mcp_hosts.host(host).toml:
        old = old.replace('command = "', 'startup_timeout_sec = 20 # mine\ncommand = "')
    else:
        old = old.replace('"command"', '"disabled": true, "command"')
    path.write_text(old, encoding="utf-8")
    assert servers.install(host, project="/a").changed
    entry = _entry(host)
    assert entry["command"] == mcp_hosts.words()[0]
    assert entry.get("disabled") is True or entry.get("startup_timeout_sec") == 20


def test_a_server_of_somebody_else_with_our_name_is_left_alone(host):
    chosen = mcp_hosts.host(host)
    foreign = (
        '[mcp_servers.pith]\ncommand = "node"\nargs = ["pith.js"]\n'
        if chosen.toml
        else json.dumps({chosen.servers: {"pith": {"command": "node", "args": ["pith.js"]}}})
    )
    _file(host).write_text(foreign, encoding="utf-8")
    with pytest.raises(SettingsUnusable, match="names another server `pith` already"):
        servers.install(host)
    assert not servers.uninstall(host).changed
    assert _file(host).read_text(encoding="utf-8") == foreign


@pytest.mark.parametrize("text", ["{", "[1] x", '{"mcpServers": []}', "mcp_servers = 5", "= ="])
def test_a_list_that_cannot_be_read_is_left_alone_and_the_entry_told(host, text):
    _file(host).write_text(text, encoding="utf-8")
    with pytest.raises(SettingsUnusable):
        servers.install(host)
    assert _file(host).read_text(encoding="utf-8") == text


def test_a_dry_run_writes_nothing(host, home):
    shown = servers.install(host, dry_run=True)
    assert "pith" in shown.diff
    assert not Path(mcp_hosts.host(host).file()).exists()
    assert not (home / "pith").exists()


def test_claude_desktop_is_told_the_project_and_the_others_find_it():
    for name in mcp_hosts.HOSTS:
        servers.install(name, project="/home/me/shop")
        assert ("/home/me/shop" in _entry(name)["args"]) is (name == "claude-desktop")
        assert _entry(name)["env"] == {"PITH_HOME": os.environ["PITH_HOME"]}
    assert _entry("claude")["type"] == "stdio"


def test_claude_code_keeps_its_list_where_its_folder_was_chosen(monkeypatch, home):
    assert Path(mcp_hosts.host("claude").file()) == home / ".claude" / ".claude.json"
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    assert Path(mcp_hosts.host("claude").file()) == home / ".claude.json"


@pytest.mark.parametrize(
    ("command", "arguments", "ours"),
    [
        ("/x/python", ["-P", "-m", "pith.interfaces.cli.main", "mcp"], True),
        ("pith", ["mcp"], True),
        (r"C:\tools\pith.exe", ["mcp", "--tools", "full"], True),
        ("uv", ["run", "pith", "mcp"], True),
        ("pith", ["status"], False),
        ("node", ["pith.js", "mcp"], False),
        ("npx", ["-y", "other-pith", "mcp"], False),
        ("pith", None, False),
    ],
)
def test_our_server_is_known_whoever_wrote_its_entry(command, arguments, ours):
    assert mcp_hosts.is_ours(command, arguments) is ours


# -- The command ---------------------------------------------------------------------------------------------


def test_pain_34_install_proves_that_the_server_lists_its_tools(host, pith, git_repo):
    run = pith("install", host, "--mcp", cwd=git_repo, check=True)
    assert "Self-test passed: the server listed 10 tools." in run.stdout
    assert mcp_hosts.host(host).title in run.stdout
    data = pith("install", host, "--mcp", "--json", cwd=git_repo, check=True).json["data"]
    assert data["hosts"][0]["changed"] is False
    assert len(data["hosts"][0]["self_test"]["tools"]) == 10
    gone = pith("uninstall", host, "--json", cwd=git_repo, check=True).json["data"]
    assert [each["host"] for each in gone["servers"]] == [host]
    assert servers.installed(host) == []


def test_modules_of_the_folder_it_is_started_in_are_not_loaded(pith, git_repo):
    pith("install", "cursor", "--mcp", cwd=git_repo, check=True)
    for name in ("json", "mcp", "pith", "anyio"):
        (git_repo / f"{name}.py").write_text("raise SystemExit('loaded from the project')\n", encoding="utf-8")
    before = os.getcwd()
    os.chdir(git_repo)
    try:
        assert servers.listed("cursor").ok
    finally:
        os.chdir(before)


def test_a_server_that_does_not_answer_is_told(pith, git_repo):
    servers.install("cursor")
    path = _file("cursor")
    path.write_text(path.read_text(encoding="utf-8").replace(sys.executable, "/nowhere/python"), encoding="utf-8")
    found = servers.listed("cursor")
    assert (found.ok, found.failure) == (False, "/nowhere/python cannot be started: No such file or directory.")


def test_a_host_without_hooks_says_how_it_is_installed(pith, git_repo):
    run = pith("install", "cursor", cwd=git_repo)
    assert run.code == 1
    assert "Cursor calls no hooks." in run.stderr
    assert "`pith install cursor --mcp`" in run.stderr


def test_all_installs_where_a_host_is_and_uninstall_takes_everything_out(pith, git_repo, home):
    assert pith("install", "all", "--mcp", cwd=git_repo).code == 1
    (home / ".cursor").mkdir()
    (home / ".codex").mkdir(exist_ok=True)
    data = pith("install", "all", "--mcp", "--json", cwd=git_repo, check=True).json["data"]
    assert [each["host"] for each in data["hosts"]] == ["codex", "cursor"]
    gone = pith("uninstall", cwd=git_repo, check=True).stdout
    assert "Codex no longer starts pith's server" in gone
    assert "Cursor no longer starts pith's server" in gone
    assert not (home / ".cursor" / "mcp.json").exists()
