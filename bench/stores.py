"""A project with a store of 100,000 made-up events, built once and kept under `build/bench/`.

It is built again when the schema, the terms or the texts change. What a measure writes, it writes into a copy.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import texts
from pith import platform
from pith.domain import words
from pith.domain.events import PROMPT, RESPONSE, TOOL, TRANSCRIPT, Sighting
from pith.services import capture, location, project
from pith.store import database, search

BUILD = Path(__file__).resolve().parent.parent / "build" / "bench"
BATCH = 1_000
TURNS = 60  # events of a session
EVENTS, QUICK_EVENTS = 100_000, 10_000


class Made:
    """A home with one project, and the folder whose memory it is."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home = home
        self.folder = folder

    @property
    def store(self) -> Path:
        """The folder of the project's store."""
        return Path(project.resolve(str(self.home), location.locate(str(self.folder))).folder)


def made(count: int) -> Made:
    """The cached store of `count` events; to be read only."""
    place = BUILD / f"events-{count}-{_key()}"
    whole = Made(place / "home", place / "project")
    if not (place / "done").exists():
        for older in BUILD.glob(f"events-{count}-*"):
            shutil.rmtree(older)
        print(f"building a store of {count:,} events (kept in {place}) ...", file=sys.stderr, flush=True)
        _build(whole, count)
        (place / "done").touch()
    return whole


@contextmanager
def copied(count: int) -> Iterator[Made]:
    """A copy of the cached store that may be written into."""
    original = made(count)
    with tempfile.TemporaryDirectory(dir=BUILD) as scratch:
        home = Path(scratch) / "home"
        shutil.copytree(original.home, home)
        yield Made(home, original.folder)


@contextmanager
def empty() -> Iterator[Made]:
    """A new home, and a new repository that it does not know yet."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as scratch:
        fresh = Made(Path(scratch) / "home", Path(scratch) / "project")
        _repository(fresh.folder)
        yield fresh


def sightings(count: int, seed: int = 3) -> Iterator[Sighting]:
    """Sessions of made-up prompts, responses and tool events, in the order of time."""
    author = texts.Author(seed)
    chance = author.chance
    for number in range(count):
        session, turn = divmod(number, TURNS)
        kind = (PROMPT, TOOL, TOOL, RESPONSE, TOOL, RESPONSE)[turn % 6]
        details: dict[str, object] = {}
        if kind == TOOL:
            path = author.path()
            text = f"Bash rg -n {path}\n{author.output(author.length())}"
            details = {"tool": "Bash", "command": f"rg -n {path}", "files": [path]}
        else:
            text = author.speech(author.length() if kind == RESPONSE else author.length() // 2)
        yield Sighting(
            kind,
            f"session-{session:05d}",
            text,
            platform.stamp(1_750_000_000_000 + session * 9_000_000 + turn * 40_000),
            host="claude",
            channel=TRANSCRIPT,
            record=f"record-{number}",
            details=details,
            branch=chance.choice(("main", "main", "feature/cart", "fix/webhook")),
            directory=chance.choice(("", "", "src", "web")),
        )


def _build(whole: Made, count: int) -> None:
    _repository(whole.folder)
    with database.open_store(str(whole.store)) as db:
        pending = sightings(count)
        for _ in range(0, count, BATCH):
            with db.transaction():
                for _, seen in zip(range(BATCH), pending, strict=False):
                    capture.record(db, seen)
        search.optimize(db)


def _repository(folder: Path) -> None:
    folder.mkdir(parents=True)
    identity = ("-c", "user.name=A Developer", "-c", "user.email=developer@example.org")
    for words_ in (("init", "--quiet"), (*identity, "commit", "--quiet", "--allow-empty", "-m", "Begin")):
        subprocess.run(["git", *words_], cwd=folder, check=True)


def _key() -> str:
    """What the store depends on, in a few letters."""
    digest = hashlib.sha256(str(words.VERSION).encode())
    for source in (
        *sorted((Path(database.__file__).parent / "migrations").rglob("*.sql")),
        Path(texts.__file__),
        Path(__file__),
    ):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:10]


def environment(home: Path) -> dict[str, str]:
    """The environment of a child with this home only; it may keep compiled modules, as installed programs do."""
    foreign = ("PITH_", "CLAUDE", "CODEX_", "PYTHONDONTWRITEBYTECODE", "GIT_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return kept | {"PITH_HOME": str(home), "PITH_WORKER_START": "never"}  # a worker would be measured with the next
