"""Changing a person's `config.toml` without disturbing the rest: comments, order and spelling stay."""

from __future__ import annotations

import os
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from pith import platform
from pith.errors import FileUnwritable, SettingInvalid
from pith.services import config
from pith.services.settings import Setting, camel, named


def set_value(home: str, project_folder: str | None, name: str, text: str) -> Any:
    """Set a setting for all projects, or for the one that is given; return the value as it was understood."""
    setting = named(name)
    value = setting.read(text)
    _edit(home, project_folder, lambda document: _put(document, setting, value))
    return value


def unset_value(home: str, project_folder: str | None, name: str) -> bool:
    """Take a setting out of the file again; say whether it was there."""
    setting = named(name)
    return _edit(home, project_folder, lambda document: _take_out(document, setting))


def _edit(home: str, project_folder: str | None, change: Any) -> bool:
    """Change the file under a lock, in one step, and only if there is something to change."""
    path = config.project_file(project_folder) if project_folder else config.home_file(home)
    path = os.path.realpath(path)  # a person's dotfiles may be links; the link stays
    platform.private_folder(home)
    platform.private_folder(os.path.dirname(path))
    with platform.Lock(os.path.join(home, "config.lock")):
        before = _read(path)
        document = _parsed(path, before)
        changed: bool = change(document)
        if changed:
            platform.write_private(path, tomlkit.dumps(document).encode("utf-8"))
    return changed


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise FileUnwritable(f"{path} cannot be read: {error}.") from error


def _parsed(path: str, text: str) -> Any:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise SettingInvalid(
            f"{path} is not valid TOML: {error}.", hint="Correct that line in an editor, then try again."
        ) from error


def _put(document: Any, setting: Setting, value: object) -> bool:
    place = _find(document, setting.name.split("."))
    if place is not None:
        table, key = place
        table[key] = value
        return True
    *path, last = setting.name.split(".")
    table = document
    for at, part in enumerate(path):
        key = _spelled(table, part)
        if key not in table:
            table[key] = tomlkit.table(is_super_table=at < len(path) - 1)
        table = table[key]
        if not isinstance(table, dict):
            raise SettingInvalid(f"`{part}` in the settings file is a value, but must be a table.")
    table[last] = value
    return True


def _take_out(document: Any, setting: Setting) -> bool:
    place = _find(document, setting.name.split("."))
    if place is None:
        return False
    table, key = place
    del table[key]
    return True


def _find(table: Any, parts: list[str]) -> tuple[Any, str] | None:
    """Return the table and the key that hold a setting, however its name is spelled or divided."""
    for count in range(1, len(parts) + 1):
        key = _spelled(table, ".".join(parts[:count]))
        if key not in table:
            continue
        if count == len(parts):
            return table, key
        below = table[key]
        found = _find(below, parts[count:]) if isinstance(below, dict) else None
        if found:
            return found
    return None


def _spelled(table: Any, name: str) -> str:
    """Return the key that means the name: `budget_tokens` where the file says so."""
    return next((str(key) for key in table if camel(str(key)) == name), name)
