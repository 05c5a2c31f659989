"""`graph/edges.jsonl`: one relation between two nodes a line. A line that cannot be read stays, and is a finding."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pith.domain.nodes import RELATIONS, is_confidence
from pith.files import atomic
from pith.files.front_matter import MemoryFileInvalid
from pith.files.layout import EDGES, Layout

LARGEST = 50_000_000


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation; `further` holds what else its line says, `confidence` is as written."""

    source: str
    relation: str
    target: str
    confidence: str = ""
    further: tuple[tuple[str, Any], ...] = ()

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes two lines the same relation."""
        return self.source, self.relation, self.target

    def as_json(self) -> dict[str, Any]:
        """The edge as its line and an answer hold it."""
        whole: dict[str, Any] = {"from": self.source, "type": self.relation, "to": self.target}
        if self.confidence:
            whole["confidence"] = _number(self.confidence)
        return whole | dict(self.further)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the file: its text, and the edge or the problem that it holds (neither, when it is blank)."""

    number: int
    text: str
    edge: Edge | None = None
    problem: MemoryFileInvalid | None = None


def lines(layout: Layout) -> list[Line]:
    """Every line of the file, in order. Raises MemoryFileInvalid only when it cannot be read at all."""
    return list(_lines(layout))


def read(layout: Layout) -> tuple[list[Edge], list[MemoryFileInvalid]]:
    """The edges, each once (a merge may bring a line twice), and what could not be read."""
    edges: dict[tuple[str, str, str], Edge] = {}
    problems = []
    try:
        for line in _lines(layout):
            if line.edge:
                edges[line.edge.key] = line.edge
            if line.problem:
                problems.append(line.problem)
    except MemoryFileInvalid as problem:
        problems.append(problem)
    return list(edges.values()), problems


def _lines(layout: Layout) -> Iterator[Line]:
    path = layout.path(EDGES)
    try:
        data = atomic.read(path, LARGEST)
    except FileNotFoundError:
        return
    except OSError as error:
        raise MemoryFileInvalid(f"cannot be read ({error.strerror})", path) from error
    text = data.decode("utf-8-sig", "surrogateescape")
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield Line(number, line, edge=_edge(line))
        except (ValueError, RecursionError) as error:
            yield Line(number, line, problem=MemoryFileInvalid(_told(line, error), path, number))


def _told(line: str, error: Exception) -> str:
    if line.startswith(("<<<<<<< ", "=======", ">>>>>>> ")):
        return "an unresolved merge conflict"
    return f"no edge ({error})" if not isinstance(error, json.JSONDecodeError) else "no edge (not JSON)"


def _edge(line: str) -> Edge:
    whole = json.loads(line)
    if not isinstance(whole, dict):
        raise ValueError("not an object")  # noqa: TRY004 (the line is at fault, not a caller)
    ends = [whole.get(name) for name in ("from", "type", "to")]
    if not all(isinstance(end, str) and end for end in ends):
        raise ValueError("`from`, `type` and `to` must be texts")
    if ends[1] not in RELATIONS:
        raise ValueError(f"type is `{ends[1]}`, which is none of {', '.join(RELATIONS)}")
    confidence = whole.get("confidence", "")
    shown = confidence if isinstance(confidence, str) else json.dumps(confidence)
    if shown and not is_confidence(shown):
        raise ValueError(f"confidence is `{shown}`")
    further = tuple((name, value) for name, value in whole.items() if name not in ("from", "type", "to", "confidence"))
    return Edge(str(ends[0]), str(ends[1]), str(ends[2]), shown, further)


def _number(confidence: str) -> Any:
    try:
        return json.loads(confidence)
    except ValueError:
        return confidence


# -- Writing -------------------------------------------------------------------------------------------------


def added(layout: Layout, edges: Iterable[Edge]) -> str:
    """The file's text with edges added, or put in the place of those with the same ends and relation."""
    new = {edge.key: edge for edge in edges}
    kept = [
        _written(new.pop(line.edge.key)) if line.edge and line.edge.key in new else line.text for line in _lines(layout)
    ]
    return _joined(kept + [_written(edge) for edge in new.values()])


def removed(layout: Layout, keys: set[tuple[str, str, str]]) -> tuple[str, int]:
    """The file's text without the lines of these relations, and how many there were."""
    before = lines(layout)
    kept = [line.text for line in before if not (line.edge and line.edge.key in keys)]
    return _joined(kept), len(before) - len(kept)


def _written(edge: Edge) -> str:
    return json.dumps(edge.as_json(), ensure_ascii=False, separators=(",", ":"))


def _joined(texts: list[str]) -> str:
    # Bytes that are no UTF-8 pass through unchanged, as surrogates: `front_matter` and `intent` write them back.
    return "".join(f"{text}\n" for text in texts)
