"""All nodes at once: read from their files, kept in a cache of this machine, and written as `graph/index.json`.

The files are the truth. The cache (`local/nodes.json`) remembers what each file said under its hash, so that only
changed files are parsed. The index is what other programs read; rebuilding it without a change gives the same
bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any

from pith import __version__
from pith.domain import nodes as domain
from pith.domain.nodes import Node
from pith.domain.origin import NAMES, ORIGIN
from pith.errors import PithError
from pith.files import atomic, front_matter, nodes
from pith.files.config import Config
from pith.files.front_matter import MemoryFileInvalid
from pith.files.layout import INDEX, LARGEST, NODE_CACHE, Layout

VERSION = "0.3.0"
SOURCE = "graph-node-markdown"

_CACHE_VERSION = 1
_RACY_NS = 2_000_000_000  # a file changed so shortly before it was read may have changed again without a trace

Entry = dict[str, Any]
"""A node as a list answers it, with `license`, `updated_at`, `freshness` and `validity` beside."""


@dataclass(slots=True)
class Graph:
    """What the node files say: entries by id, files that could not be read, and what belongs to another project."""

    entries: list[Entry] = field(default_factory=list)
    problems: list[MemoryFileInvalid] = field(default_factory=list)
    foreign: list[Entry] = field(default_factory=list)
    twice: list[tuple[Entry, Entry]] = field(default_factory=list)

    def by_id(self) -> dict[str, Entry]:
        return {entry["id"]: entry for entry in self.entries}


# -- Reading -------------------------------------------------------------------------------------------------


def load(layout: Layout, config: Config, *, by_hash: bool = False) -> Graph:
    """Every node of this project, in order of ids.

    A file whose size and times are as remembered comes from the cache; with `by_hash` its bytes are compared instead.
    """
    cache = _Cache(layout)
    graph = Graph()
    seen: dict[str, Entry] = {}
    for folder in nodes.folders(layout):
        for path in layout.files(folder):
            try:
                entry = cache.entry(path, by_hash)
            except MemoryFileInvalid as problem:
                graph.problems.append(problem)
                continue
            _place(graph, seen, entry, config)
    cache.save()
    graph.entries = [seen[id] for id in sorted(seen)]
    return graph


def _place(graph: Graph, seen: dict[str, Entry], entry: Entry, config: Config) -> None:
    if entry["project_id"] != config.project_id:
        graph.foreign.append(entry)
    elif entry["id"] in seen:
        graph.twice.append((seen[entry["id"]], entry))
    else:
        seen[entry["id"]] = entry


def entry_of(node: Node, file: str) -> Entry:
    """A node as the cache and the lists hold it."""
    validity = {name: getattr(node.validity, name) for name in node.validity.__slots__ if getattr(node.validity, name)}
    return {
        **domain.list_entry(node, file),
        "license": node.license,
        "freshness": node.freshness,
        "since": node.since,
        "validity": validity,
        "scope_paths": list(node.scope_paths or node.own.get("paths", ())),
    }


def listed(entry: Entry) -> dict[str, Any]:
    """An entry as `graph list` answers it."""
    return {name: entry[name] for name in entry if name not in _BESIDE}


_BESIDE = ("license", "freshness", "since", "validity", "scope_paths")


class _Cache:
    """What each node file said when it was last read. Losing it costs time, nothing else."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.path = layout.path(NODE_CACHE)
        self.before = self._read()
        self.now: dict[str, list[Any]] = {}
        self.changed = False

    def _read(self) -> dict[str, list[Any]]:
        try:
            whole = json.loads(self.path.read_bytes())
            if whole["version"] == _CACHE_VERSION and whole["written_by"] == __version__:
                return dict(whole["files"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            pass
        return {}

    def entry(self, path: Path, by_hash: bool) -> Entry:
        """The entry of a file, parsed only when the file is another than the one remembered."""
        name = f"{path.parent.name}/{path.name}"
        old = self.before.get(name)
        try:
            status = os.stat(path)
            stamp = [status.st_size, status.st_mtime_ns, status.st_ino]
            if old and not by_hash and old[0] == stamp and old[1] > status.st_mtime_ns + _RACY_NS:
                self.now[name] = old
                entry: Entry = old[3]
                return entry
            return self._fresh(path, name, stamp, old)
        except OSError as error:
            raise MemoryFileInvalid(f"cannot be read ({error.strerror})", path) from error

    def _fresh(self, path: Path, name: str, stamp: list[int], old: list[Any] | None) -> Entry:
        if stamp[0] > LARGEST:
            raise MemoryFileInvalid(f"the file is larger than {LARGEST // 1_000_000} MB", path)
        read_at = time.time_ns()
        data = path.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        if old and old[2] == digest:
            entry: Entry = old[3]
        else:
            node = nodes.node_of(front_matter.parse(data, path))
            entry = entry_of(node, self.layout.shown(path))
        self.now[name] = [stamp, read_at, digest, entry]
        self.changed = self.changed or not old or old[0] != stamp or old[2] != digest or _was_racy(old)
        return entry

    def save(self) -> None:
        """Keep what was read, where that is possible; a read-only tree is no reason to fail."""
        if not self.changed and len(self.now) == len(self.before):
            return
        whole = {"version": _CACHE_VERSION, "written_by": __version__, "files": self.now}
        try:
            atomic.write(self.path, json.dumps(whole, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        except (PithError, OSError):
            pass


def _was_racy(old: list[Any]) -> bool:
    return bool(old[1] <= old[0][1] + _RACY_NS)


# -- The index -----------------------------------------------------------------------------------------------


def read(layout: Layout) -> dict[str, Any]:
    """The index as it stands. Raises MemoryFileInvalid when it is missing or no index."""
    path = layout.path(INDEX)
    try:
        data = path.read_bytes()
        whole = json.loads(data.decode("utf-8-sig"))
    except OSError as error:
        raise MemoryFileInvalid(f"cannot be read ({error.strerror})", path) from error
    except json.JSONDecodeError as error:
        conflict = b"\n<<<<<<< " in data or data.startswith(b"<<<<<<< ")
        said = "an unresolved merge conflict" if conflict else f"not JSON ({error.msg})"
        raise MemoryFileInvalid(said, path, error.lineno) from error
    except (ValueError, RecursionError) as error:
        raise MemoryFileInvalid("not JSON", path, 1) from error
    if not isinstance(whole, dict) or not isinstance(whole.get("nodes"), list):
        raise MemoryFileInvalid("no index of nodes", path, 1)
    return whole


def build(graph: Graph, config: Config, now: str, before: dict[str, Any] | None = None) -> dict[str, Any]:
    """The index of a graph; `generated_at` of the index before is kept when it says the same."""
    index = {
        "schema_version": 1,
        "index_version": VERSION,
        "project_id": config.project_id,
        "project_name": config.project_name,
        "updated_at": domain.newest(entry["freshness"] for entry in graph.entries),
        "generated_at": now if graph.entries else None,
        "source": SOURCE,
        **ORIGIN,
        "nodes": [indexed(entry) for entry in graph.entries],
    }
    if before is not None and _says_same(before, index):
        # Who wrote it last says nothing about the nodes: keep that too, or two tools would rewrite it in turns.
        index |= {name: before[name] for name in ("generated_at", *ORIGIN) if name in before}
    return index


_INDEXED = (
    "id", "file", "project_id", "project_name", "node_type", "title", "source_quest", "source_proposal", "accepted_at",
    *NAMES, "license", "candidate_memory", "summary", "tags", "keywords",
)  # fmt: skip


def indexed(entry: Entry) -> dict[str, Any]:
    """An entry as the index holds it."""
    return {name: entry[name] for name in _INDEXED}


def _says_same(before: dict[str, Any], after: dict[str, Any]) -> bool:
    unstable = {"generated_at", *ORIGIN}
    return {name: value for name, value in before.items() if name not in unstable} == {
        name: value for name, value in after.items() if name not in unstable
    }


def rebuild(layout: Layout, config: Config, now: str, *, by_hash: bool = True) -> tuple[dict[str, Any], Graph]:
    """Write the index anew from the node files; where its bytes would be the same, nothing is written."""
    graph = load(layout, config, by_hash=by_hash)
    try:
        before: dict[str, Any] | None = read(layout)
    except MemoryFileInvalid:
        before = None
    index = build(graph, config, now, before)
    data = to_bytes(index)
    path = layout.path(INDEX)
    if not path.is_file() or path.read_bytes() != data:
        atomic.write(path, data)
    return index, graph


def to_bytes(index: dict[str, Any]) -> bytes:
    """The index as its file holds it: JSON indented by two spaces, as `json.dumps` writes it but ten times as fast."""
    return ("".join(_written(index)) + "\n").encode("utf-8", "surrogatepass")


def _written(index: dict[str, Any]) -> Iterator[str]:
    yield "{\n"
    last = len(index) - 1
    for at, (name, value) in enumerate(index.items()):
        end = ",\n" if at < last else "\n"
        if name == "nodes" and value:
            yield '  "nodes": [\n'
            yield ",\n".join(_node_text(entry) for entry in value)
            yield f"\n  ]{end}"
        else:
            yield f"  {encode_basestring(name)}: {json.dumps(value, ensure_ascii=False)}{end}"
    yield "}"


def _node_text(entry: dict[str, Any]) -> str:
    fields = ",\n".join(f"      {encode_basestring(name)}: {_value_text(value)}" for name, value in entry.items())
    return f"    {{\n{fields}\n    }}"


def _value_text(value: Any) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return "[\n" + ",\n".join(f"        {encode_basestring(item)}" for item in value) + "\n      ]"
    return json.dumps(value, ensure_ascii=False)


def ids(entries: Iterable[Entry]) -> list[str]:
    """The ids of some entries."""
    return [entry["id"] for entry in entries]
