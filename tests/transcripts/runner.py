"""Replay the console sessions in a Markdown file and compare what is said with what was written down.

A session is every ```console block of one file, in order, in one shell-like place:

    ```console
    $ pith recall "coupon box"
    [mem:k7q2mf] [..] the coupon box keeps expired coupons
    ...
    ```

`[..]` stands for anything inside a line, a line of only `...` for any lines. A citation is a name: when
it is first seen it takes the value that the program really gave, which later commands and answers mean too. A
line after a command that begins with `> ` continues it. A command that fails shows `[exit N]` as its last
line. A block fenced as ```console no-run is for the reader only.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FENCE = "```"
ANY_LINES = "..."
ANY_TEXT = "[..]"
CITATION = re.compile(r"mem:[a-z2-7]{6,12}\b")
TOKEN = re.compile(rf"({re.escape(ANY_TEXT)}|{CITATION.pattern})")


@dataclass
class Step:
    """One command and the answer written under it; `first` and `last` are the answer's place in the file."""

    command: str
    first: int
    last: int
    expected: list[str]


@dataclass
class Place:
    """Where a session runs: its folder, its variables, what the citations in the text stand for."""

    folder: Path
    env: dict[str, str]
    names: dict[str, str] = field(default_factory=dict)  # real path -> what the reader sees
    citations: dict[str, str] = field(default_factory=dict)  # citation in the text -> real one


@dataclass
class Mismatch:
    """A command that did not answer what the file says."""

    step: Step
    actual: list[str]

    def __str__(self) -> str:
        wanted, got = "\n".join(self.step.expected), "\n".join(self.actual)
        return f"line {self.step.first}: $ {self.step.command}\n--- written\n{wanted}\n--- said\n{got}"


def steps(text: str) -> Iterator[Step]:
    """Every command of every block that is to be run, in order."""
    lines = text.splitlines()
    inside = False
    step: Step | None = None
    for number, line in enumerate(lines):
        opens = not inside and line.rstrip() == f"{FENCE}console"
        closes = inside and line.rstrip() == FENCE
        if opens or closes or (inside and line.startswith("$ ")):
            if step is not None:
                yield step
            step = None
        if opens or closes:
            inside = opens
        elif inside and line.startswith("$ "):
            step = Step(line[2:], number + 1, number + 1, [])
        elif step is not None and not step.expected and line.startswith("> "):
            step.command += "\n" + line[2:]
            step.first = step.last = number + 1
        elif step is not None:
            step.expected.append(line.rstrip())
            step.last = number + 1


def run(step: Step, place: Place) -> list[str]:
    """Run one command where the session stands, and give its lines as the reader would see them."""
    command = CITATION.sub(lambda cited: place.citations.get(cited[0], cited[0]), step.command)
    where = place.folder.parent / ".where"
    script = f'{command}\nended=$?\npwd -P >"$TRANSCRIPT_WHERE"\nexit $ended\n'
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=place.folder,
        env={**place.env, "TRANSCRIPT_WHERE": str(where)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    if where.exists():
        place.folder = Path(where.read_text(encoding="utf-8").rstrip("\n"))
        where.unlink()
    said = done.stdout
    for real, shown in place.names.items():
        said = said.replace(real, shown)
    lines = [line.rstrip() for line in said.splitlines()]
    return [*lines, f"[exit {done.returncode}]"] if done.returncode else lines


def matches(expected: list[str], actual: list[str], citations: dict[str, str]) -> bool:
    """Whether the answer is the one written down; if so, its citations have their values from now on."""
    seen: dict[str, str] = {}
    pattern = "".join(_line_pattern(line, citations, seen) for line in expected)
    match = re.fullmatch(pattern, "".join(f"{line}\n" for line in actual))
    if match is None:
        return False
    citations.update({cited: match[group] for cited, group in seen.items()})
    return True


def _line_pattern(line: str, citations: dict[str, str], seen: dict[str, str]) -> str:
    """A regular expression for one written line; `seen` collects the citations that it names first."""
    if line.strip() == ANY_LINES:
        return r"(?:[^\n]*\n)*?"
    parts = []
    for piece in TOKEN.split(line):
        if piece == ANY_TEXT:
            parts.append(r"[^\n]*?")
        elif not CITATION.fullmatch(piece):
            parts.append(re.escape(piece))
        elif piece in citations:
            parts.append(re.escape(citations[piece]))
        elif piece in seen:
            parts.append(f"(?P={seen[piece]})")
        else:
            seen[piece] = f"c{len(seen)}"
            parts.append(f"(?P<{seen[piece]}>{CITATION.pattern})")
    return "".join(parts) + r"\n"


def replay(text: str, place: Place) -> list[Mismatch]:
    """Run a whole session; a wrong answer does not end it, so that all of them are told at once."""
    wrong = []
    for step in steps(text):
        actual = run(step, place)
        if not matches(step.expected, actual, place.citations):
            wrong.append(Mismatch(step, actual))
    return wrong


def rewritten(text: str, wrong: list[Mismatch], citations: dict[str, str]) -> str:
    """The file with each wrong answer replaced; written lines that still fit keep their wildcards."""
    lines = text.splitlines()
    for mismatch in reversed(wrong):
        kept = [_kept(line, mismatch.step.expected, citations) for line in mismatch.actual]
        lines[mismatch.step.first : mismatch.step.last] = kept
    return "\n".join(lines) + "\n"


def _kept(actual: str, expected: list[str], citations: dict[str, str]) -> str:
    """The written line that stands for this one, or the line itself with known citations named as before."""
    for line in expected:
        if line.strip() != ANY_LINES and matches([line], [actual], dict(citations)):
            return line
    for name, real in citations.items():
        actual = actual.replace(real, name)
    return actual


def place_for(home: Path, samples: Path) -> Place:
    """A new user: an empty home, the git repository `shop` with one commit, the sample sessions in it."""
    repository = home / "shop"
    repository.mkdir()
    env = {name: value for name, value in os.environ.items() if name != "PITH_HOME"}
    env |= {"NO_COLOR": "1", "COLUMNS": "100", "LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONUTF8": "1"}
    for command in (
        ["git", "init", "--quiet", "--initial-branch=main"],
        ["git", "commit", "--quiet", "--allow-empty", "--message", "Begin"],
    ):
        subprocess.run(command, cwd=repository, env=env, check=True)
    if samples.is_dir():
        shutil.copytree(samples, repository / "samples")
        shutil.copytree(samples, home / "pith-source" / "samples")  # where the pages say that the project is cloned
        (repository / ".git" / "info" / "exclude").write_text("samples\n", encoding="utf-8")
    names = {os.path.realpath(home): "/home/me", str(home): "/home/me"}
    return Place(repository, env, names)
