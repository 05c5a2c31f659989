"""The settings and where each came from.

Weak to strong: what is built in; `pith` in the repository's `.orange-hyper/config.json`; `config.toml` in the
home; `config.toml` beside the project's store; the environment (`PITH_RECALL_BUDGET_TOKENS`). The repository
comes before the person's own files, because a clone may suggest but must not overrule them, and it may set
`config_sources.SHARED` only: nothing that switches something on, names an address or runs a command. Lists
of exclusions add up instead of replacing one another: what any of these wants kept out stays out.

A hook has no time to read TOML. `load` keeps what it read in `settings.json` beside the store, with the time
and size of every file, and reads again only what changed. A file or a value that is wrong breaks nothing:
what was read there before still holds, and a sentence in `Settings.problems` says what is wrong.
"""

from __future__ import annotations

import json
import os

from pith import __version__, platform
from pith.errors import PithError, SettingInvalid
from pith.services.settings import (
    DEFAULT,
    ENVIRONMENT,
    HOME,
    LIST,
    PROJECT,
    SETTINGS,
    SHARED_FILE,
    contradiction,
    guess,
    named,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

ADDS_UP = "capture.exclude."  # lists with names that begin so hold together, whichever sources say them
COMPILED_LIMIT = 20  # files remembered; every worktree of a project brings its own shared one

# Environment variables of pith that are no settings.
NOT_SETTINGS = ("PITH_HOME", "PITH_DEBUG")


# -- What holds ----------------------------------------------------------------------------------------------


class Layer:
    """What one source says."""

    __slots__ = ("path", "problems", "source", "values")

    def __init__(self, source: str, path: str, values: dict[str, Any], problems: list[str]) -> None:
        self.source, self.path = source, path
        self.values, self.problems = values, problems


class Settings:
    """The settings that hold in one place."""

    __slots__ = ("layers",)

    def __init__(self, layers: list[Layer]) -> None:
        self.layers = layers  # strong to weak

    @property
    def problems(self) -> list[str]:
        """One sentence for everything that is wrong in a source."""
        return [problem for layer in self.layers for problem in layer.problems]

    def get(self, name: str) -> Any:
        """Return a setting's value; exclusions of all sources together."""
        setting = named(name)
        values = [layer.values[setting.name] for layer in self.layers if setting.name in layer.values]
        if not values:
            return setting.default
        if setting.name.startswith(ADDS_UP):
            return tuple(dict.fromkeys(item for value in reversed(values) for item in value))
        return tuple(values[0]) if setting.kind == LIST else values[0]

    @property
    def is_endless(self) -> bool:
        """Whether memory goes on from session to session: the strongest source that says `mode`, or its synonym."""
        for layer in self.layers:
            if "mode" in layer.values:
                return bool(layer.values["mode"] == "endless")
            if "endless.enabled" in layer.values:
                return bool(layer.values["endless.enabled"])
        return False

    def source(self, name: str) -> str:
        """Say where a setting's value comes from, `default` if from nowhere; several for a list."""
        setting = named(name)
        found = [layer.source for layer in self.layers if setting.name in layer.values]
        if setting.name.startswith(ADDS_UP):
            return ", ".join(reversed(found)) or DEFAULT
        return found[0] if found else DEFAULT


def defaults() -> Settings:
    """Return the settings of somebody who has set nothing."""
    return Settings([])


def load(home: str, project_folder: str | None = None, root: str | None = None) -> Settings:
    """Return the settings that hold here; never raises, whatever the files contain."""
    path = os.path.join(project_folder or home, "settings.json")
    known = _read_compiled(path)
    layers, changed = [_environment()], False
    for source, file in _files(home, project_folder, root):
        stamp = _stamp(file, source)
        if stamp is None:
            continue
        entry = known.get(file)
        if entry is None or entry["stamp"] != stamp:
            from pith.services import config_sources

            entry = known[file] = config_sources.read(source, file, stamp, entry["values"] if entry else {})
            changed = True
        layers.append(Layer(source, file, entry["values"], entry["problems"]))
    if changed:
        _write_compiled(path, known)
    return Settings(layers)


def home_file(home: str) -> str:
    """Return where a person's own settings for all projects are."""
    return os.path.join(home, "config.toml")


def project_file(project_folder: str) -> str:
    """Return where a person's own settings for one project are."""
    return os.path.join(project_folder, "config.toml")


def _files(home: str, project_folder: str | None, root: str | None) -> Iterator[tuple[str, str]]:
    """Give the files that may hold settings, strong to weak."""
    if project_folder:
        yield PROJECT, project_file(project_folder)
    yield HOME, home_file(home)
    if root:
        yield SHARED_FILE, os.path.join(root, ".orange-hyper", "config.json")


def _stamp(path: str, source: str) -> list[int] | None:
    """Return what changes when the file does; None if there is no file."""
    try:
        # A repository's link could lead anywhere; a person's own link is how they keep their dotfiles.
        found = os.lstat(path) if source == SHARED_FILE else os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):
        return [0, 0, 0, 0]
    return [found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode]


# -- The compiled file ---------------------------------------------------------------------------------------


def _read_compiled(path: str) -> dict[str, Any]:
    """Return what was read from each file before; nothing if another version wrote it, or anybody else."""
    try:
        with open(path, "rb") as file:
            content = json.loads(file.read())
        if content["version"] != __version__:
            return {}
        files: dict[str, Any] = content["files"]
        return files if all(_is_entry(entry) for entry in files.values()) else {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def _is_entry(entry: Any) -> bool:
    return (
        isinstance(entry["stamp"], list) and isinstance(entry["values"], dict) and isinstance(entry["problems"], list)
    )


def _write_compiled(path: str, files: dict[str, Any]) -> None:
    """Keep what was read, if there is a folder to keep it in."""
    kept = dict(list(files.items())[-COMPILED_LIMIT:])
    text = json.dumps({"version": __version__, "files": kept})
    if os.path.isdir(os.path.dirname(path)):
        try:
            platform.write_private(path, text.encode("ascii"))
        except PithError:
            pass  # a read-only disk: the next process reads the sources again


# -- The environment -----------------------------------------------------------------------------------------


def _environment() -> Layer:
    """Return what the environment sets; what is wrong there is told and ignored."""
    found = [name for name in os.environ if name.startswith("PITH_") and name not in NOT_SETTINGS]
    layer = Layer(ENVIRONMENT, "", {}, [])
    if not found:
        return layer
    variables = {setting.variable: setting for setting in SETTINGS.values()}
    for name in sorted(found):
        try:
            if name not in variables:
                raise SettingInvalid(f"There is no setting for it{guess(name, list(variables))}")
            setting = variables[name]
            layer.values[setting.name] = setting.read(os.environ[name])
        except SettingInvalid as error:
            layer.problems.append(f"Environment variable {name}: {error}")
    if wrong := contradiction(layer.values):
        layer.problems.append(f"Environment: {wrong}")
    return layer
