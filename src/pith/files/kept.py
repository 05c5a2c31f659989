"""What is kept in a Markdown file: the value it holds, and the document it was read from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from pith.files import front_matter
from pith.files.front_matter import Document, MemoryFileInvalid
from pith.files.layout import Layout

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kept(Generic[T]):
    """A value and its file."""

    value: T
    document: Document

    @property
    def path(self) -> Path:
        return self.document.path


@dataclass(slots=True)
class Found(Generic[T]):
    """What could be read of some files, and what could not: one bad file never hides the others."""

    items: list[Kept[T]] = field(default_factory=list)
    problems: list[MemoryFileInvalid] = field(default_factory=list)


def read_all(paths: Iterable[Path], value_of: Callable[[Document], T]) -> Found[T]:
    """Read each file; one that cannot be read becomes a problem."""
    found: Found[T] = Found()
    for path in paths:
        try:
            document = front_matter.read(path)
            found.items.append(Kept(value_of(document), document))
        except MemoryFileInvalid as problem:
            found.problems.append(problem)
    return found


def warnings(layout: Layout, problems: Iterable[MemoryFileInvalid]) -> list[str]:
    """The problems as sentences that name file and line."""
    return [told(layout, problem) for problem in problems]


def told(layout: Layout, problem: MemoryFileInvalid) -> str:
    """One problem as a sentence: `.orange-hyper/quests/active/x.md:3: ... It was left out.`"""
    where = layout.shown(problem.path) if problem.path else layout.base.name
    line = f":{problem.line}" if problem.line else ""
    return f"{where}{line}: {problem.problem}; the file was left out"
