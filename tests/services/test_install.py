"""Hooks go into a host's settings and come out again; what else stands there is nobody's business."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pith import platform
from pith.adapters import hook_program, host_codex
from pith.adapters.hook_program import Program
from pith.adapters.hosts import HOSTS
from pith.errors import FileUnwritable, InputError
from pith.files import settings_file
from pith.files.json_edit import JsonUnreadable
from pith.files.settings_file import SettingsUnusable
from pith.services.setup.install import install, uninstall
from pith.services.setup.installed import cleanup_days, installed, problems, waits_for
from pith.services.setup.self_test import self_test

PROGRAM = Program("/opt/venv/bin/python", "/opt/venv/lib/pith/interfaces/hook/start.py")
OLDER = Program("/old/bin/python3.11", "/old/site-packages/pith/interfaces/hook/start.py")

BUSY = """{
    // mine
    "model": "opus",
    "cleanupPeriodDays": 1e2,
    "hooks": {
        "Stop": [
            {"matcher": "", "hooks": [{"type": "command", "command": "say done"}]}, // 알림
        ],
        "PreToolUse": [],
        "PostToolUse": [ ],
    },
    "unknown": [1.0, 2.50, {"한글": "\\uac00"}]
}"""

LEFT_OUT = shutil.ignore_patterns("__pycache__")

# A hook with nothing but the protocol: it keeps each prompt and tells the next session all earlier ones.
STAND_IN = """
import json, os, sys
payload = json.load(sys.stdin)
os.makedirs(os.environ["PITH_HOME"], exist_ok=True)
with open(os.path.join(os.environ["PITH_HOME"], "kept"), "a+", encoding="utf-8") as file:
    file.seek(0)
    context = file.read()
    file.write(payload["prompt"] + "\\n")
print(json.dumps({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}))
"""


@pytest.fixture(params=["claude", "codex"])
def host(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def settings(host: str) -> Path:
    """The settings file of the host, which does not exist yet; its folder does."""
    path = Path(HOSTS[host].settings())
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@pytest.fixture
def claude() -> Path:
    path = Path(HOSTS["claude"].settings())
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@pytest.fixture
def codex() -> Path:
    path = Path(HOSTS["codex"].settings())
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def program_in(folder: Path, start: str = STAND_IN) -> Program:
    """A program whose interpreter and start file stand in the folder."""
    folder = folder / "pith" / "interfaces" / "hook"
    folder.mkdir(parents=True)
    (folder / "start.py").write_text(start, encoding="utf-8")
    python = folder / "python"
    python.symlink_to(sys.executable)
    return Program(str(python), str(folder / "start.py"))


def handlers(settings: Path) -> dict[str, list[dict[str, object]]]:
    hooks = json.loads(settings.read_text(encoding="utf-8"))["hooks"]
    return {event: [each for group in groups for each in group["hooks"]] for event, groups in hooks.items()}


# -- What is written -----------------------------------------------------------------------------------------


def test_claude_gets_every_event_in_exec_form_with_small_timeouts(claude):
    install("claude", program=PROGRAM)

    found = handlers(claude)
    assert list(found) == [
        "SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStop",
        "PreCompact", "PostCompact", "SessionEnd",
    ]  # fmt: skip
    assert found["Stop"] == [
        {"type": "command", "command": PROGRAM.python, "args": ["-S", "-E", "-I", PROGRAM.start, "claude"],
         "timeout": 10}
    ]  # fmt: skip
    assert found["SessionEnd"][0]["timeout"] == 5


def test_codex_gets_its_own_events_in_shell_form_without_unknown_keys(codex):
    install("codex", program=PROGRAM)

    found = handlers(codex)
    assert "PostToolUseFailure" not in found
    assert found["Stop"] == [
        {"type": "command", "command": f"{PROGRAM.python} -S -E -I {PROGRAM.start} codex", "timeout": 10}
    ]
    assert found["SessionEnd"][0]["timeout"] == 3, "Codex complains at each start about more"


def test_pain_09_timeouts_are_a_few_seconds_and_written_in_seconds(settings, host):
    install(host, program=PROGRAM)

    assert {hook.timeout for hook in installed(host)} <= {3, 5, 10}


def test_pain_05_the_end_of_a_session_asks_for_more_than_the_hosts_own_limit(settings, host):
    install(host, program=PROGRAM)

    [end] = [hook for hook in installed(host) if hook.event == "SessionEnd"]
    assert end.timeout in {3, 5}  # Claude Code gives all hooks together 1.5 seconds otherwise


def test_pain_35_a_korean_path_reaches_the_file_as_it_is_and_no_shell_reads_it(claude):
    program = Program("/home/사용자/bin/python", "/home/사용자/pith/interfaces/hook/start.py")

    install("claude", program=program)

    assert "/home/사용자/bin/python" in claude.read_bytes().decode("utf-8")
    assert all(hook.line == (program.python, "-S", "-E", "-I", program.start, "claude")
               for hook in installed("claude"))  # fmt: skip


def test_the_installed_interpreter_is_the_one_of_the_environment_not_the_file_behind_it():
    program = hook_program.here()

    assert program.python == os.path.abspath(sys.executable)
    assert program.start.endswith(os.path.join("pith", "interfaces", "hook", "start.py"))


def test_a_shim_is_never_installed(tmp_path, monkeypatch):
    shim = tmp_path / "shims" / "python3"
    shim.parent.mkdir()
    shim.symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(shim))

    assert "shims" not in hook_program.interpreter()


@pytest.mark.parametrize("executable", ["", None])
def test_a_python_that_does_not_know_where_it_is_cannot_be_installed(monkeypatch, executable):
    monkeypatch.setattr(sys, "executable", executable)

    with pytest.raises(hook_program.ProgramUnusable, match="does not say where it is"):
        install("claude")


def test_a_program_in_a_cache_is_installed_with_a_warning(claude):
    cached = Program("/c/uv/archive-v0/x/bin/python", "/c/uv/archive-v0/x/pith/interfaces/hook/start.py")

    assert any("temporary place" in note for note in install("claude", program=cached).notes)


def test_a_path_that_is_no_utf8_cannot_be_installed(claude, monkeypatch):
    monkeypatch.setattr(sys, "executable", os.fsdecode(b"/\xff/python"))

    with pytest.raises(hook_program.ProgramUnusable, match="is not UTF-8"):
        install("claude")
    assert not claude.exists()


def test_windows_paths_are_written_for_cmd_without_quotes_where_none_are_needed():
    words = [r"C:\Users\me\python.exe", "-S", r"C:\pith\start.py", "codex"]

    assert host_codex.windows_line(words) == r"C:\Users\me\python.exe -S C:\pith\start.py codex"


def test_an_unknown_host_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="emacs") as refused:
        install("emacs")
    assert "claude, codex" in refused.value.hint


# -- What stays ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "{}", "{ }\n", "{\n}\n", '{"a":1}', '{"hooks":{}}', '{\n  "hooks": {\n    "Stop": [\n    ]\n  }\n}\n',
        BUSY, BUSY.replace("\n", "\r\n"), BUSY.replace("    ", "\t"), "\ufeff" + BUSY, "", " \n",
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
        '{\n  "hooks": {\n    // none yet\n  }, "z": 0\n}',
    ],
)  # fmt: skip
def test_install_and_uninstall_leave_the_file_byte_for_byte(settings, host, text):
    settings.write_bytes(text.encode())

    assert install(host, program=PROGRAM).changed
    assert len(installed(host)) == len(HOSTS[host].events)
    assert uninstall(host).changed

    assert settings.read_bytes() == text.encode()
    assert not uninstall(host).changed


def test_a_file_that_was_not_there_is_gone_again(settings, host):
    change = install(host, program=PROGRAM)
    assert change.before is None
    assert change.backup is None
    assert stat.S_IMODE(settings.stat().st_mode) == 0o600

    assert uninstall(host).after is None
    assert not settings.exists()


def test_a_file_that_pith_made_stays_when_others_have_used_it(claude):
    install("claude", program=PROGRAM)
    document = json.loads(claude.read_text())
    document["model"] = "opus"
    claude.write_text(json.dumps(document))

    uninstall("claude")

    assert json.loads(claude.read_text()) == {"model": "opus"}


def test_hooks_of_other_tools_stay_where_they_are(claude):
    claude.write_text(BUSY)
    install("claude", program=PROGRAM)
    text = claude.read_text()

    for line in BUSY.splitlines()[:4]:
        assert line in text
    assert '{"matcher": "", "hooks": [{"type": "command", "command": "say done"}]}, // 알림\n' in text
    assert '"PreToolUse": [],' in text


def test_without_its_receipt_uninstall_takes_away_what_it_leaves_empty(claude, pith_home):
    claude.write_text('{\n  "a": 1,\n  "hooks": {}\n}\n')
    install("claude", program=PROGRAM)
    (pith_home / "installed.json").unlink()

    uninstall("claude")

    assert claude.read_text() == '{\n  "a": 1\n}\n'


def test_a_dry_run_shows_the_change_and_writes_nothing(settings, host, pith_home):
    settings.write_text('{\n  "a": 1\n}\n')

    change = install(host, dry_run=True, program=PROGRAM)

    assert '+  "hooks": {\n' in change.diff
    assert '   "a": 1' not in change.diff.replace('-  "a": 1', "")
    assert settings.read_text() == '{\n  "a": 1\n}\n'
    assert os.listdir(settings.parent) == [settings.name]
    assert not pith_home.exists()


# -- Again, and after an upgrade -----------------------------------------------------------------------------


def test_installing_again_changes_nothing_and_keeps_no_copy(settings, host):
    install(host, program=PROGRAM)
    before = settings.read_bytes()

    change = install(host, program=PROGRAM)

    assert not change.changed
    assert change.diff == ""
    assert settings.read_bytes() == before
    assert os.listdir(settings.parent) == [settings.name]


def test_installing_after_an_upgrade_replaces_in_place_and_leaves_nothing_stale(settings, host):
    original = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "one"}]}]}, "x": 1}'
    settings.write_text(original)
    install(host, program=OLDER)
    grown = settings.read_text().replace(
        '"Stop": [',
        '"Notification": [{"hooks": [{"type": "command", "command": "pith-hook claude"}]}], "Stop": [',
    )
    settings.write_text(grown)

    install(host, program=PROGRAM)

    assert "/old/" not in settings.read_text()
    assert "Notification" not in settings.read_text()
    assert [hook.event for hook in installed(host)].count("Stop") == 1
    uninstall(host)
    assert settings.read_text() == original


@pytest.mark.parametrize(
    "command",
    [
        "pith-hook claude",
        "/home/me/.local/bin/pith-hook claude",
        "'/home/my name/bin/pith-hook' claude",
        'PITH_HOME="/data/x y" pith-hook claude',
        r"C:\Python\Scripts\pith-hook.exe claude",
        r'"C:\Program Files\pith-hook.exe" claude',
        "/usr/bin/python3 -S -I '/it'\"'\"'s/pith/interfaces/hook/start.py' claude",
        r"C:\py\python.exe -S C:\pith\interfaces\hook\start.py claude",
    ],
)
def test_a_hook_of_an_older_installation_is_known_again(claude, command):
    claude.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}))

    install("claude", program=PROGRAM)

    assert [hook.words[0] for hook in installed("claude")] == [PROGRAM.python] * 9


@pytest.mark.parametrize("command", ["echo pith-hook", "my-pith-hook", "pith-hooks x", "python start.py", "'"])
def test_a_hook_of_somebody_else_is_not_taken_for_ours(claude, command):
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})
    claude.write_text(text)

    assert not uninstall("claude").changed
    install("claude", program=PROGRAM)
    assert len(handlers(claude)["Stop"]) == 2


def test_a_hook_that_shares_its_group_leaves_the_others(claude):
    ours = HOSTS["claude"].handler("Stop", OLDER)
    group = {"matcher": "", "hooks": [{"type": "command", "command": "a"}, ours, ours]}
    claude.write_text(json.dumps({"hooks": {"Stop": [group]}}, indent=2))

    uninstall("claude")

    assert handlers(claude)["Stop"] == [{"type": "command", "command": "a"}]


# -- Copies, links, permissions ------------------------------------------------------------------------------


def test_a_change_keeps_a_private_copy_and_only_the_newest_three(settings, host, monkeypatch):
    settings.write_text('{"a": 1}')
    settings.chmod(0o644)
    monkeypatch.setattr(platform, "now_ms", iter(range(1_700_000_000_000, 1_800_000_000_000, 1)).__next__)

    copies = []
    for _ in range(3):
        copies += [install(host, program=PROGRAM).backup, uninstall(host).backup]

    kept = sorted(str(path) for path in settings.parent.glob("*.pith-backup-*"))
    assert kept == copies[-3:]
    assert {stat.S_IMODE(os.stat(path).st_mode) for path in kept} == {0o600}
    assert Path(copies[-2]).read_text() == '{"a": 1}'
    assert stat.S_IMODE(settings.stat().st_mode) == 0o644


def test_a_linked_settings_file_is_edited_behind_its_link(settings, host, tmp_path):
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "settings").write_text("{}")
    settings.symlink_to(dotfiles / "settings")

    install(host, program=PROGRAM)

    assert settings.is_symlink()
    assert "start.py" in (dotfiles / "settings").read_text()
    assert os.listdir(dotfiles) == ["settings"], "a copy in somebody's repository would be a nuisance"
    uninstall(host)
    assert (dotfiles / "settings").read_text() == "{}"


def test_a_link_to_nowhere_gets_its_file_and_loses_it_again(settings, host, tmp_path):
    settings.symlink_to(tmp_path / "not there yet")

    install(host, program=PROGRAM)
    assert "start.py" in (tmp_path / "not there yet").read_text()

    uninstall(host)
    assert settings.is_symlink()
    assert not (tmp_path / "not there yet").exists()


def test_what_another_program_wrote_meanwhile_is_not_overwritten(settings):
    settings.write_text("{}")
    file = settings_file.read(str(settings))
    settings.write_text('{"new": 1}')

    with pytest.raises(SettingsUnusable, match="changed by another program"):
        settings_file.write(file, "{}")
    assert settings.read_text() == '{"new": 1}'


def test_installers_that_start_at_once_leave_one_hook_each(settings, host):
    settings.write_text('{"a": 1}')
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _turn: install(host, program=PROGRAM), range(8)))

    assert [hook.event for hook in installed(host)] == list(HOSTS[host].events)
    uninstall(host)
    assert settings.read_text() == '{"a": 1}'


def test_a_read_only_file_is_refused(settings, host):
    settings.write_text("{}")
    settings.chmod(0o444)

    with pytest.raises(FileUnwritable, match="read-only"):
        install(host, program=PROGRAM)
    assert settings.read_text() == "{}"


def test_a_missing_folder_of_the_host_is_made():
    install("claude", program=PROGRAM)
    assert Path(HOSTS["claude"].settings()).exists()


# -- Refusals ------------------------------------------------------------------------------------------------


def test_a_file_that_is_no_json_is_left_alone_with_place_and_block(settings, host):
    settings.write_text('{\n  "a": 1\n  "b": 2\n}')

    with pytest.raises(JsonUnreadable, match="line 3, column 3: a comma") as refused:
        install(host, program=PROGRAM)

    assert str(settings) in str(refused.value)
    pasted = json.loads(refused.value.hint.split("\n\n")[1])
    assert list(pasted["hooks"]) == list(HOSTS[host].events)
    assert settings.read_text() == '{\n  "a": 1\n  "b": 2\n}'
    with pytest.raises(JsonUnreadable):
        uninstall(host)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[]", "line 1, column 1: the settings should be an object and is an array"),
        ('{"hooks": []}', "line 1, column 11: `hooks` should be an object and is an array"),
        ('{"hooks": null}', "`hooks` should be an object and is one word"),
        ('{"hooks": {"Stop": {}}}', "line 1, column 20: `hooks.Stop` should be an array and is an object"),
        ('{"hooks": {},\n "hooks": {}}', "line 2, column 2: `hooks` stands here a second time"),
        ('{"hooks": {"Stop": [], "Stop": []}}', "line 1, column 24: `Stop` stands here a second time"),
    ],
)
def test_a_file_in_which_hooks_have_no_place_is_refused(settings, host, text, sentence):
    settings.write_text(text)

    with pytest.raises(SettingsUnusable, match=sentence):
        install(host, program=PROGRAM)
    assert settings.read_text() == text


def test_a_folder_or_another_encoding_in_the_place_of_settings_is_refused(claude):
    claude.write_bytes('{"a": "한"}'.encode("cp949"))
    with pytest.raises(SettingsUnusable, match="not UTF-8: see its byte 7"):
        install("claude", program=PROGRAM)
    claude.unlink()
    claude.mkdir()
    with pytest.raises(SettingsUnusable, match="cannot be read"):
        install("claude", program=PROGRAM)


# -- Odd paths, for real -------------------------------------------------------------------------------------

ODD = [
    "two words",
    "v1.2.3",
    "사용자",
    "it's",
    'say "hi"',
    "$HOME",
    "`id`",
    "a\\b",
    "semi;colon & more",
    "%PATH%",
    "!x",
    "~",
]


@pytest.mark.skipif(os.name == "nt", reason="these names cannot exist there")
@pytest.mark.parametrize("shell", ["/bin/sh", "/bin/bash"])
@pytest.mark.parametrize("name", ODD)
def test_pain_34_hooks_run_from_paths_with_odd_characters(tmp_path, host, settings, name, shell, monkeypatch):
    monkeypatch.setenv("SHELL", shell)
    install(host, program=program_in(tmp_path / name))

    test = self_test(host)

    assert test.ok, test.failure


@pytest.mark.skipif(os.name == "nt", reason="these names cannot exist there")
def test_pain_34_settings_in_an_odd_home_are_found(tmp_path, host, monkeypatch):
    odd = tmp_path / " ".join(ODD)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(odd / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(odd / "codex"))
    monkeypatch.setenv("PITH_HOME", str(odd / "pith"))

    change = install(host, program=program_in(odd))

    assert change.path.startswith(str(odd))
    assert self_test(host).ok
    assert uninstall(host).after is None


# -- The self-test -------------------------------------------------------------------------------------------


def test_pain_34_the_self_test_leaves_the_real_home_alone(host, settings, tmp_path, pith_home):
    install(host, program=program_in(tmp_path))
    before = sorted(os.listdir(pith_home))

    test = self_test(host)

    assert test.ok
    assert "temporary home" in test.note
    assert sorted(os.listdir(pith_home)) == before


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        ("raise ValueError('no luck')", "failed under .*: ValueError: no luck"),
        ("import sys; sys.exit(3)", "ended with code 3"),
        ("pass", "stored nothing"),
        ("print('Welcome!')", "no JSON.*Welcome!"),
        (STAND_IN.replace('"additionalContext": context', ""), "did not recall it"),
    ],
)
def test_pain_34_a_hook_that_does_not_work_is_told_in_a_sentence(host, settings, tmp_path, start, sentence):
    install(host, program=program_in(tmp_path, start))

    test = self_test(host)

    assert not test.ok
    assert re.search(sentence, test.failure or ""), test.failure


@pytest.mark.skipif(os.name == "nt", reason="no login shell there")
def test_pain_34_a_login_script_that_prints_is_told_because_codex_would_read_it(codex, home, tmp_path, monkeypatch):
    monkeypatch.setenv("SHELL", "/bin/sh")
    (home / ".profile").write_text("echo Good morning\n")
    install("codex", program=program_in(tmp_path))

    assert "perhaps by a login script: Good morning" in (self_test("codex").failure or "")


def test_pain_34_a_missing_or_locked_interpreter_is_told(host, settings, tmp_path):
    program = program_in(tmp_path)
    install(host, program=program)
    Path(program.python).unlink()
    assert "exist" in (self_test(host).failure or "")

    Path(program.python).write_text("#!/bin/sh\n")
    assert "not executable" in (self_test(host).failure or "")


def test_pain_34_without_hooks_the_self_test_says_what_to_run(host, settings):
    assert self_test(host).failure == f"No prompt hook is installed; run `pith install {host}`."


def test_pain_34_the_real_hook_writes_and_reads_one_memory(host, settings):
    install(host)

    test = self_test(host)

    assert test.ok, test.failure


def test_pain_34_the_real_hook_works_from_a_copy_in_a_folder_with_an_odd_name(host, settings, tmp_path):
    place = tmp_path / "my 기억's v1.2"
    shutil.copytree(Path(hook_program.here().start).parents[2], place / "pith", ignore=LEFT_OUT)
    install(host, program=Program(sys.executable, str(place / "pith" / "interfaces" / "hook" / "start.py")))

    test = self_test(host)

    assert test.ok, test.failure


# -- What doctor asks ----------------------------------------------------------------------------------------


def test_nothing_is_wrong_with_a_fresh_installation_for_claude(claude, tmp_path, monkeypatch):
    program = program_in(tmp_path)
    monkeypatch.setattr(hook_program, "here", lambda: program)
    install("claude")

    assert problems("claude") == []
    assert all(hook.current for hook in installed("claude"))


def test_hooks_that_are_missing_doubled_or_dead_are_told(host, settings, tmp_path):
    assert problems(host)[0].startswith("The hooks of pith are not in ")

    install(host, program=PROGRAM)
    assert any("/opt/venv/bin/python, which does not exist" in each for each in problems(host))

    uninstall(host)
    install(host, program=program_in(tmp_path))
    assert any("another pith" in each for each in problems(host))

    document = json.loads(settings.read_text())
    document["hooks"]["Stop"] *= 2
    del document["hooks"]["PreCompact"]
    settings.write_text(json.dumps(document))
    assert any("more than once at Stop;" in each for each in problems(host))
    assert any("does not call pith at PreCompact;" in each for each in problems(host))


def test_claude_settings_that_switch_hooks_off_or_double_them_are_told(claude):
    claude.write_text('{"disableAllHooks": true, "enabledPlugins": {"pith@market": true, "other@market": true}}')
    install("claude", program=PROGRAM)

    found = "\n".join(problems("claude"))
    assert "`disableAllHooks` is true" in found
    assert "arrives twice: by the plugin pith@market" in found
    assert "other@market" not in found


def test_installing_beside_the_plugin_says_that_one_is_enough(claude):
    claude.write_text('{"enabledPlugins": {"pith@market": true}}')
    assert any("The plugin pith@market calls pith already" in note for note in install("claude", program=PROGRAM).notes)


def test_a_file_the_host_itself_cannot_read_is_told(settings, host):
    settings.write_text('{"a": 1,}')
    change = install(host, program=PROGRAM)

    assert any("no trailing commas" in note for note in change.notes)
    assert any("no trailing commas" in each for each in problems(host))
    settings.write_text("{")
    assert "cannot be used" in problems(host)[0]


def test_codex_hooks_are_untrusted_until_config_toml_holds_the_hash_of_each(codex):
    install("codex", program=PROGRAM)
    assert "skips its hooks until you trust them: open `/hooks` in Codex" in waits_for("codex")
    assert not any("trust" in each for each in problems("codex"))  # installing again would help nobody

    document = json.loads(codex.read_text())
    lines = []
    for hook in installed("codex"):
        mark = host_codex.fingerprint(hook.event, document["hooks"][hook.event][hook.group], hook.index)
        label = {"UserPromptSubmit": "user_prompt_submit"}.get(hook.event, host_codex._label(hook.event))
        lines.append(f'[hooks.state."{codex}:{label}:{hook.group}:{hook.index}"]\ntrusted_hash = "{mark}"\n')
    (codex.parent / "config.toml").write_text("\n".join(lines))
    assert waits_for("codex") == ""

    install("codex", program=OLDER)
    assert "trust" in waits_for("codex"), "the command is another one now"


def test_untrusted_hooks_stand_in_their_own_line_and_are_not_offered_again(codex, pith, tmp_path):
    pith("install", "codex", check=True)
    status = pith("status", cwd=tmp_path, check=True).stdout
    assert "not trusted yet: open `/hooks` in it" in status
    assert "!" not in status
    begun = pith("init", "--json", cwd=tmp_path, check=True).json["data"]
    assert begun["without_hooks"] == []


def test_the_trust_hash_is_of_what_a_hook_means():
    group = {"hooks": [{"timeout": 10, "command": "run 한글", "type": "command"}]}

    meant = '{"event_name":"stop","hooks":[{"async":false,"command":"run 한글","timeout":10,"type":"command"}]}'
    assert host_codex.fingerprint("Stop", group, 0) == "sha256:" + platform.sha256(meant.encode()).hex()


def test_codex_settings_that_switch_hooks_off_or_double_them_are_told(codex):
    install("codex", program=PROGRAM)
    (codex.parent / "config.toml").write_text(
        "[features]\nhooks = false\n"
        '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "pith-hook codex"\n'
    )

    found = "\n".join(problems("codex"))
    assert "`hooks = false` stands under [features]" in found
    assert "Stop arrives twice: by hooks.json and by [hooks] in config.toml" in found


def test_a_broken_config_toml_of_codex_is_told(codex):
    install("codex", program=PROGRAM)
    (codex.parent / "config.toml").write_text("[features\n")

    assert any("config.toml cannot be read" in each for each in problems("codex"))


@pytest.mark.parametrize(
    ("text", "days"),
    [(None, 30), ("", 30), ("{", 30), ("[]", 30), ("{}", 30), ('{"cleanupPeriodDays": 365}', 365),
     ('{"cleanupPeriodDays": "7"}', 30), ('{"cleanupPeriodDays": 0}', 0), ('{"cleanupPeriodDays": true}', 30)],
)  # fmt: skip
def test_pain_31_the_days_until_claude_deletes_transcripts_are_read(claude, text, days):
    if text is not None:
        claude.write_text(text)

    assert cleanup_days(str(claude.parent)) == days


def test_the_codex_line_is_read_by_a_shell_as_it_was_meant(codex):
    words = ["/bin/echo", *ODD]
    done = subprocess.run(["/bin/sh", "-lc", shlex.join(words)], capture_output=True, text=True, check=True)
    assert done.stdout == " ".join(ODD) + "\n"
