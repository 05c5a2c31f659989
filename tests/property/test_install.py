"""Whatever a user's settings hold: installing and uninstalling gives the same bytes."""

from __future__ import annotations

import json
import os

from hypothesis import given
from hypothesis import strategies as st

from pith.adapters.hook_program import Program
from pith.adapters.hosts import HOSTS
from pith.files import json_edit
from pith.services.setup.install import install, uninstall
from pith.services.setup.installed import installed

NEW = Program("/새 폴더/bin/python", "/새 폴더/pith/interfaces/hook/start.py")
OLD = Program("/old/python", "/old/pith/interfaces/hook/start.py")

HANDLERS = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.sampled_from(["say 'done'", "echo pith-hook", "알림"])}
)
GROUPS = st.one_of(
    st.fixed_dictionaries({"hooks": st.lists(HANDLERS, max_size=2)}, optional={"matcher": st.just("Edit|Write")}),
    st.sampled_from([{}, None, "odd", {"hooks": None}]),
)
EVENTS = st.sampled_from(["Stop", "PostToolUse", "SessionEnd", "PreToolUse", "Notification", "SessionStart"])
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "model": st.text(max_size=4),
        "hooks": st.dictionaries(EVENTS, st.lists(GROUPS, max_size=2), max_size=4),
        "env": st.dictionaries(st.text(max_size=3), st.floats(allow_nan=False, allow_infinity=False), max_size=2),
        "": st.none(),
    },
)
INDENTS = st.sampled_from([None, 0, 1, 2, 4, "\t"])


@st.composite
def texts(draw: st.DrawFn) -> str | None:
    """A settings file as one editor or another leaves it; None is no file."""
    if draw(st.integers(0, 19)) == 0:
        return draw(st.sampled_from([None, "", "\n", "  "]))
    indent = draw(INDENTS)
    separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (",", ": "), (" ,", " : ")]))
    text = json.dumps(draw(SETTINGS), indent=indent, separators=separators, ensure_ascii=draw(st.booleans()))
    for place in draw(st.lists(st.integers(0, len(text)), max_size=3)):
        for comment in ("/* 메모 */", " // note\n", "\n\n", ","):
            changed = text[:place] + comment + text[place:]
            if _means(changed) == _means(text):
                text = changed
                break
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return draw(st.sampled_from(["", "\ufeff"])) + (text + draw(st.sampled_from(["", "\n"]))).replace("\n", newline)


def _means(text: str) -> object:
    try:
        return json_edit.parse(text).plain()
    except json_edit.JsonUnreadable:
        return text


@given(texts(), st.sampled_from(sorted(HOSTS)), st.booleans(), st.booleans())
def test_install_and_uninstall_give_the_same_bytes(text, host, upgraded, twice):
    path = HOSTS[host].settings()
    os.makedirs(os.path.dirname(path), exist_ok=True)
    _put(path, text)

    if upgraded:
        install(host, program=OLD)
    install(host, program=NEW)
    if twice:
        assert not install(host, program=NEW).changed
    hooks = installed(host)
    assert [hook.event for hook in hooks if hook.words[0] == NEW.python] == [hook.event for hook in hooks]
    assert sorted(hook.event for hook in hooks) == sorted(HOSTS[host].events)
    with open(path, encoding="utf-8-sig", newline="") as file:
        _only_hooks_differ(_means((text or "{}").lstrip("\ufeff")), _means(file.read()))

    uninstall(host)
    assert _get(path) == text


def _only_hooks_differ(before: object, after: object) -> None:
    if isinstance(before, dict) and isinstance(after, dict):
        assert {**before, "hooks": None} == {**after, "hooks": None} or "hooks" not in before
        for event, groups in before.get("hooks", {}).items():
            assert after["hooks"][event][: len(groups)] == groups


def _put(path: str, text: str | None) -> None:
    if text is None:
        if os.path.exists(path):
            os.unlink(path)
        return
    with open(path, "wb") as file:
        file.write(text.encode("utf-8"))


def _get(path: str) -> str | None:
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read().decode("utf-8")
