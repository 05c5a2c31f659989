"""All nodes at once: read from their files, and written as `graph/index.json`.

The files are the truth. The index is what other programs read; rebuilding it without a change gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from json.encoder import encode_basestring
from typing import Any

from pith.domain import nodes as domain
from pith.domain.origin import NAMES, ORIGIN
from pith.files import atomic, nodes
from pith.files.config import Config
from pith.files.front_matter import MemoryFileInvalid
from pith.files.layout import INDEX, Layout
from pith.files.node_cache import BESIDE, Entry, NodeCache, entry_of

__all__ = [
    "Entry", "Graph", "build", "entry_of", "indexed", "listed", "load", "read", "rebuild", "standing", "to_bytes",
]  # fmt: skip

VERSION = "0.3.0"
SOURCE = "graph-node-markdown"
_NODES = b'"nodes"'
_UNSTABLE = ("generated_at", *ORIGIN)  # when and by whom it was written


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


def load(layout: Layout, config: Config) -> Graph:
    """Every node of this project, in order of ids; a file whose size and times are as remembered is not read again."""
    cache = NodeCache(layout)
    graph = Graph()
    seen: dict[str, Entry] = {}
    for folder in nodes.folders(layout):
        kind = folder.rpartition("/")[2]
        for file in layout.entries(folder):
            try:
                entry = cache.entry(kind, file)
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


def listed(entry: Entry) -> dict[str, Any]:
    """An entry as `graph list` answers it."""
    shown = entry.copy()
    for name in BESIDE:
        del shown[name]
    return shown


# -- The index -----------------------------------------------------------------------------------------------


def read(layout: Layout) -> dict[str, Any]:
    """The index as it stands. Raises MemoryFileInvalid when it is missing or no index."""
    path = layout.path(INDEX)
    try:
        data = atomic.read(path)
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


def build(graph: Graph, config: Config, now: str) -> dict[str, Any]:
    """The index of a graph."""
    return {
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


_INDEXED = (
    "id", "file", "project_id", "project_name", "node_type", "title", "source_quest", "source_proposal", "accepted_at",
    *NAMES, "license", "candidate_memory", "summary", "tags", "keywords",
)  # fmt: skip
_SINGLE = _INDEXED[:-2]


def indexed(entry: Entry) -> dict[str, Any]:
    """An entry as the index holds it."""
    return {name: entry[name] for name in _INDEXED}


def rebuild(layout: Layout, config: Config, now: str) -> tuple[dict[str, Any], Graph]:
    """Write the index anew from the node files; where it says the same as before, nothing is written."""
    graph = load(layout, config)
    index = build(graph, config, now)
    path = layout.path(INDEX)
    try:
        old = atomic.read(path)
    except OSError:
        old = b""
    # Who wrote it last, and when, says nothing about the nodes: two tools would rewrite it in turns.
    unstable, new = _unstable(old), to_bytes(index)
    if (unstable and _stable(old) == _stable(new)) or (old and _says_same(old, index)):
        return index | unstable, graph
    atomic.write(path, new)
    return index, graph


def standing(layout: Layout) -> tuple[str, dict[str, Any]] | None:
    """What the index says of the nodes, as a hash, and when and by whom it was written; None where it tells neither."""
    try:
        data = atomic.read(layout.path(INDEX))
    except OSError:
        return None
    unstable = _unstable(data)
    if not unstable:
        return None
    head, rest = _stable(data)
    digest = hashlib.blake2b(json.dumps(head).encode())
    digest.update(rest)
    return digest.hexdigest(), unstable


def _unstable(data: bytes) -> dict[str, Any]:
    """When and by whom an index was written, from its first lines."""
    try:
        whole = json.loads(_head(data))
        return {name: whole[name] for name in _UNSTABLE}
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}


def _stable(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The rest of an index with such lines: what its head says besides, and its nodes with what follows them."""
    head = json.loads(_head(data))
    return {name: head[name] for name in head if name not in _UNSTABLE}, data[data.find(_NODES) :]


def _head(data: bytes) -> str:
    return (data[: data.find(_NODES)].rstrip().rstrip(b",") + b"}").decode("utf-8-sig")


def _says_same(data: bytes, index: dict[str, Any]) -> bool:
    """Whether an index that is laid out in another way (CRLF, say) says the same."""
    try:
        whole = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return isinstance(whole, dict) and {name: whole[name] for name in whole if name not in _UNSTABLE} == {
        name: index[name] for name in index if name not in _UNSTABLE
    }


def to_bytes(index: dict[str, Any]) -> bytes:
    """The index as its file holds it: JSON indented by two spaces, as `json.dumps` writes it but ten times as fast."""
    return ("".join(_written(index)) + "\n").encode("utf-8", "surrogatepass")


def _written(index: dict[str, Any]) -> Iterator[str]:
    yield "{\n"
    last = len(index) - 1
    for at, (name, value) in enumerate(index.items()):
        end = ",\n" if at < last else "\n"
        if name == "nodes" and value:
            yield f'  "nodes": [\n{",".join(map(_node_text, value))[1:]}\n  ]{end}'
        else:
            yield f"  {encode_basestring(name)}: {json.dumps(value, ensure_ascii=False)}{end}"
    yield "}"


_MARK = "\ue000"  # stands between texts that are escaped together; JSON leaves it as it is
_TEMPLATE = (
    "\n    {\n"
    + "".join(f'      "{name}": "%s",\n' for name in _SINGLE)
    + '      "tags": %s,\n      "keywords": %s\n    }'
)
_BETWEEN = '",\n        "'


def _node_text(entry: dict[str, Any]) -> str:
    tags, keywords = entry["tags"], entry["keywords"]
    texts = [*(entry[name] for name in _SINGLE), *tags, *keywords]
    parts = encode_basestring(_MARK.join(texts))[1:-1].split(_MARK)
    if len(parts) != len(texts):  # one of them holds the mark itself
        parts = [encode_basestring(text)[1:-1] for text in texts]
    first = len(_SINGLE) + len(tags)
    return _TEMPLATE % (*parts[: len(_SINGLE)], _list_text(parts[len(_SINGLE) : first]), _list_text(parts[first:]))


def _list_text(parts: list[str]) -> str:
    return f'[\n        "{_BETWEEN.join(parts)}"\n      ]' if parts else "[]"
