"""Begin the shared memory of a repository, or put back what is missing of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pith import platform
from pith.domain import secrets, titles
from pith.errors import FileUnwritable
from pith.files import atomic, config, front_matter, graph_index, layout
from pith.files.config import Config
from pith.files.layout import KINDS, NODES, PROPOSALS, STATUSES, Layout
from pith.services import location

IGNORED = (
    "capsules/", "traces/", "identity/", "local/", "structure/", "hooks/", "evals/",
    "proposals/memory-delta/pending/", "proposals/memory-delta/rejected/", "*.draft",
)  # fmt: skip
# orange-hyper 1.0.1 looks for these two lines.
_ALSO_IGNORED = ("hooks/reports/", "evals/reports/")
ATTRIBUTES = ("* text eol=lf", "graph/edges.jsonl merge=union")

FOLDERS = (
    layout.ACTIVE,
    layout.COMPLETED,
    "capsules",
    "traces",
    "local",
    *(f"{PROPOSALS}/{status}" for status in STATUSES),
    *(f"{NODES}/{kind}" for kind in KINDS),
)


@dataclass(frozen=True, slots=True)
class Initialized:
    """What was done: the project, whether it is new, and the files that were written."""

    layout: Layout
    config: Config
    created: bool
    written: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "project": self.config.as_json(),
            "root": layout.FOLDER,
            "created": self.created,
            "files": list(self.written),
        }


def place(folder: str | Path) -> Path:
    """Where the memory of a folder is or belongs: where one is above it in its work tree, else the top of that.

    A work tree inside another project's folder gets a memory of its own.
    """
    here = location.locate(str(folder))
    try:
        found = layout.find(Path(folder)).root
    except layout.NotInitialized:
        return Path(here.root)
    return found if here.common_dir is None or found.resolve().is_relative_to(here.root) else Path(here.root)


def init(root: str | Path, project_name: str | None = None, *, force: bool = False) -> Initialized:
    """Make what is missing of `.orange-hyper/`; with everything there, change nothing.

    `force` writes the configuration and the rules anew, but a project keeps its id: it is in every file.
    Raises OutsideMemory for a `.orange-hyper` that is a link.
    """
    place = Layout(Path(os.path.abspath(root)))
    with atomic.writing(place):
        return _init(place, project_name, force)


def _init(place: Layout, project_name: str | None, force: bool) -> Initialized:
    for folder in FOLDERS:
        atomic.make_folder(place.path(folder))
    before = _present(place)
    kept = _kept(place, before, project_name, force)
    written = [] if before == kept else [place.shown(place.path(layout.CONFIG))]
    if written:
        config.write(place, kept)
    written += _rules(place, layout.IGNORE, (*IGNORED, *_ALSO_IGNORED))
    written += _rules(place, layout.ATTRIBUTES, ATTRIBUTES)
    written += _empty_files(place, kept)
    return Initialized(place, kept, before is None, tuple(written))


def _present(place: Layout) -> Config | None:
    return config.read(place) if place.path(layout.CONFIG).exists() else None


def _kept(place: Layout, before: Config | None, project_name: str | None, force: bool) -> Config:
    """The configuration as it is to be."""
    named = titles.one_line(secrets.mask(project_name or "", personal=True)[0])
    if before is None:
        return config.new(named or place.root.name)
    wanted = named or before.project_name
    if force and before.project_id:
        return config.with_identity(before, before.project_id, wanted)
    if not before.project_id and force:
        return config.with_identity(before, config.new(wanted).project_id, wanted)
    return before


def _rules(place: Layout, name: str, wanted: tuple[str, ...]) -> list[str]:
    """Add the lines that a file of rules lacks; those that people added stay."""
    path = place.path(name)
    old = _present_rules(path)
    have = {line.strip() for line in old.splitlines()}
    missing = [line for line in wanted if line not in have]
    if not missing:
        return []
    gap = "" if not old or old.endswith("\n") else "\n"
    text = old + gap + "".join(f"{line}\n" for line in missing)
    atomic.write(path, text.encode("utf-8", "surrogateescape"))
    return [place.shown(path)]


def _present_rules(path: Path) -> str:
    try:
        text = atomic.read(path, layout.LARGEST).decode("utf-8-sig", "surrogateescape")
    except FileNotFoundError:
        return ""
    except OSError as error:
        hint = "Put a text file in its place or take it away, then run the command again."
        raise FileUnwritable(f"{path} cannot be read ({error.strerror}).", hint=hint) from error
    return text.replace("\r\n", "\n")


def _empty_files(place: Layout, kept: Config) -> list[str]:
    """The files that every project has from its first day."""
    written = []
    for name, text in (
        (layout.EDGES, ""),
        (layout.TRACES, ""),
        (layout.CAPSULE, _capsule(kept)),
    ):
        if not place.path(name).exists():
            atomic.write(place.path(name), text.encode("utf-8"))
            written.append(place.shown(place.path(name)))
    if not place.path(layout.INDEX).exists():
        graph_index.rebuild(place, kept, platform.now())
        written.append(place.shown(place.path(layout.INDEX)))
    return written


def _capsule(kept: Config) -> str:
    """The capsule before any was made."""
    return (
        "# Current Capsule\n\n## Project Boundary\n\n"
        f"- Project name: {front_matter.plain(kept.project_name)}\n"
        f"- Project id: {kept.project_id}\n\n"
        "No capsule has been made yet.\n"
    )
