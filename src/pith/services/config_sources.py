"""Reading a file of settings, when it changed: the person's `config.toml`, or what a repository shares."""

from __future__ import annotations

import json
import os
import stat
import tomllib
from typing import TYPE_CHECKING, Any

from pith.errors import SettingInvalid
from pith.services.settings import SHARED_FILE, Setting, camel, contradiction, named

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# What a repository may set for everybody who clones it.
SHARED = ("recall.budgetTokens", "recall.maxItems", "capture.exclude.paths")
# As many patterns as a person would write: each is compared with every file of a tool call, within a hook.
SHARED_LIST_LIMIT, SHARED_PATTERN_LIMIT = 60, 200
FILE_LIMIT = 262_144  # bytes; a repository may contain anything under the name of its settings


def read(source: str, path: str, stamp: list[int], before: Mapping[str, Any]) -> dict[str, Any]:
    """Read one file; where it is wrong keep what it said `before`, and say so."""
    entry: dict[str, Any] = {"stamp": stamp, "values": {}, "problems": []}
    try:
        found = list(_flat(_content(source, path, stamp)))
    except (OSError, ValueError, RecursionError) as error:
        still = "; what it said before still holds" if before else ""
        entry["values"] = dict(before)
        entry["problems"].append(f"{path} cannot be read as settings ({error}){still}.")
        return entry
    for key, value in found:
        _take(entry, source, path, key, value, before)
    if wrong := contradiction(entry["values"]):
        entry["problems"].append(f"{path}: {wrong}")
    return entry


def _take(entry: dict[str, Any], source: str, path: str, key: str, value: object, before: Mapping[str, Any]) -> None:
    """Put one setting of a file into its entry."""
    name = camel(key)
    try:
        setting = _allowed(key, source)
        if name in entry["values"]:
            raise SettingInvalid(f"`{name}` is given twice.")
        entry["values"][name] = setting.check(_bounded(key, value) if source == SHARED_FILE else value)
    except SettingInvalid as error:
        entry["problems"].append(f"{path}: {error}")
        if name in before:
            entry["values"].setdefault(name, before[name])


def _allowed(key: str, source: str) -> Setting:
    setting = named(key)
    if source == SHARED_FILE and setting.name not in SHARED:
        raise SettingInvalid(f"`{setting.name}` is a person's to set, not a repository's; it is ignored.")
    return setting


def _bounded(key: str, value: Any) -> Any:
    """A value that a repository sets, if a hook has the time for it."""
    if isinstance(value, list) and (
        len(value) > SHARED_LIST_LIMIT or any(len(str(item)) > SHARED_PATTERN_LIMIT for item in value)
    ):
        raise SettingInvalid(
            f"`{key}` is longer than a repository may set: {SHARED_LIST_LIMIT} texts of"
            f" {SHARED_PATTERN_LIMIT} characters."
        )
    return value


def _content(source: str, path: str, stamp: list[int]) -> Any:
    """Return what the file holds; raise OSError or ValueError where it is no file of settings."""
    if any(stamp) and not stat.S_ISREG(stamp[3]):
        raise ValueError("it is not an ordinary file")  # a pipe would keep a hook waiting
    if source == SHARED_FILE and os.path.islink(os.path.dirname(path)):
        raise ValueError("its folder is a link")
    with open(path, "rb") as file:
        data = file.read(FILE_LIMIT + 1)
    if len(data) > FILE_LIMIT:
        raise ValueError(f"it is larger than {FILE_LIMIT:,} bytes")
    text = data.decode("utf-8-sig")
    if source != SHARED_FILE:
        return tomllib.loads(text)
    whole = json.loads(text)
    shared = whole.get("pith", {}) if isinstance(whole, dict) else {}
    if not isinstance(shared, dict):
        raise ValueError("`pith` in it is not an object")  # noqa: TRY004  the caller tells one kind of fault
    return shared


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Give every value under its dotted name."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield before + key, value
