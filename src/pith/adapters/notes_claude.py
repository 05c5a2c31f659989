"""Claude Code's own notes about a project: `projects/<slug>/memory/*.md`, one sighting a section."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from pith import platform
from pith.adapters import jsonl, transcripts_claude
from pith.domain import events
from pith.domain.events import Sighting

_FILE_CAP = 1_000_000
_LINES_TRIED = 200
_TAIL = 65_536
_TIME = re.compile(rb'"timestamp"\s*:\s*"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)')


def find_notes(home: str | Path) -> list[Path]:
    """The files of notes in a home of Claude Code, or in a folder of notes, oldest first."""
    place = Path(home)
    projects = place / "projects"
    found = projects.glob("*/memory/**/*.md") if projects.is_dir() else place.glob("memory/**/*.md")
    return jsonl.oldest_first(found)


def read(path: str | Path) -> Iterator[Sighting]:
    """The sections of a file of notes; an unchanged section has the same record id at every reading."""
    path = Path(path)
    at = _written_at(path)
    with path.open("rb") as file:
        text = file.read(_FILE_CAP).decode("utf-8", "replace").lstrip("\ufeff")
    for section in sections(text):
        yield Sighting(
            events.NOTE,
            f"memory/{_project_folder(path).name}",
            section,
            at,
            host=transcripts_claude.HOST,
            channel=events.TRANSCRIPT,
            record=f"{path.name}#{events.text_hash(section).hex()[:32]}",
        )


def _written_at(path: Path) -> str:
    """When a file of notes was written: as the file system says, but not after the last session beside it.

    Notes are written in sessions. A copy or a clone gives a file the time of copying; what the transcripts say of
    their own time goes along with them.
    """
    at = platform.stamp(path.stat().st_mtime_ns // 1_000_000)
    return min(at, _last_session(_project_folder(path)) or at)


@lru_cache(maxsize=8)
def _last_session(folder: Path) -> str:
    """When the latest record in a project's transcripts was written; empty where there is none."""
    found = (time for transcript in folder.glob("*.jsonl") for time in _TIME.findall(_tail(transcript)))
    last = max(found, default=b"").decode()
    return f"{last}.999Z" if last else ""


def _tail(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _TAIL))
            return file.read(_TAIL)
    except OSError:
        return b""


def sections(text: str) -> list[str]:
    """The parts of a Markdown text, each beginning at a heading; a heading in a code fence is none."""
    parts: list[list[str]] = [[]]
    fence = ""
    for line in text.splitlines():
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~") and (not fence or mark == fence):
            fence = "" if fence else mark
        if not fence and line.startswith("#") and line.lstrip("#")[:1] == " ":
            parts.append([])
        parts[-1].append(line)
    return [section for lines in parts if (section := "\n".join(lines).strip())]


def folder_of_work(path: str | Path) -> str:
    """Where the project of a file of notes is, as a transcript beside it tells; empty when none does.

    The name of the folder does not tell: several characters of a path become the same one there.
    """
    for transcript in reversed(jsonl.oldest_first(_project_folder(Path(path)).glob("*.jsonl"))):
        if cwd := _cwd_in(transcript):
            return cwd
    return ""


def _project_folder(path: Path) -> Path:
    for folder in path.parents:
        if folder.name == "memory":
            return folder.parent
    return path.parent


def _cwd_in(transcript: Path) -> str:
    with transcript.open("rb") as file:
        for line in jsonl.lines(file):
            if line.number > _LINES_TRIED:
                return ""
            if b'"cwd"' in line.data[:4_000]:
                record = jsonl.parsed(line.data)
                if isinstance(record, dict) and (cwd := jsonl.word(record, "cwd")):
                    return cwd
    return ""
