"""`local/nodes.json`: what each node file said when it was last read, so that only changed files are parsed.

It belongs to this machine. Losing it costs time, nothing else; what can be computed from the rest is not kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

from pith import __version__
from pith.domain import nodes as domain
from pith.domain.nodes import Node
from pith.domain.origin import NAMES
from pith.files import atomic, caches, front_matter, nodes
from pith.files.front_matter import MemoryFileInvalid
from pith.files.layout import FOLDER, LARGEST, NODE_CACHE, NODES, READY_INDEX, READY_LIST, Layout

Entry = dict[str, Any]
"""A node as a list answers it, with the fields of BESIDE."""

BESIDE = ("license", "freshness", "since", "validity", "scope_paths", "own", "entries", "hash")

_VERSION = 4
_RACY_NS = 2_000_000_000


def entry_of(node: Node, file: str, hash: str = "") -> Entry:
    """A node as the lists hold it; `hash` is that of its file."""
    validity = {name: value for name in node.validity.__slots__ if (value := getattr(node.validity, name))}
    return {
        **domain.list_entry(node, file),
        "license": node.license,
        "freshness": node.freshness,
        "since": node.since,
        "validity": validity,
        "scope_paths": list(node.scope_paths or node.own.get("paths", ())),
        "own": node.own,
        "entries": list(node.entries),
        "hash": hash,
    }


class NodeCache:
    """Entries of node files, from memory where the file is as it was."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.path = layout.path(NODE_CACHE)
        self.shared: list[list[str]] = []  # project and origin, which nearly all nodes have in common
        self._numbers: dict[tuple[str, ...], int] = {}
        self.before = self._read()
        self.now: dict[str, list[Any]] = {}
        self.changed = False

    def _read(self) -> dict[str, list[Any]]:
        try:
            whole = json.loads(caches.read(self.path))
            if whole["version"] == _VERSION and whole["written_by"] == __version__:
                self.shared = whole["shared"]
                self._numbers = {tuple(each): number for number, each in enumerate(self.shared)}
                return dict(whole["files"])
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
        return {}

    def entry(self, kind: str, file: os.DirEntry[str]) -> Entry:
        """The entry of a file, which is parsed only when it is another than the one remembered.

        Raises MemoryFileInvalid.
        """
        key = f"{kind}/{file.name}"
        known = self.before.get(key)
        try:
            status = file.stat()
            if known and _is_as_it_was(known, status):
                self.now[key] = known
                return self._entry(key, known)
            return self._fresh(file.path, key, status, known)
        except OSError as error:
            raise MemoryFileInvalid(f"cannot be read ({error.strerror})", Path(file.path)) from error

    def _fresh(self, path: str, key: str, status: os.stat_result, known: list[Any] | None) -> Entry:
        if status.st_size > LARGEST:
            raise MemoryFileInvalid(f"the file is larger than {LARGEST // 1_000_000} MB", Path(path))
        read_at = time.time_ns()
        data = atomic.read(path, LARGEST)
        digest = hashlib.sha256(data).hexdigest()
        stamp = [*stamp_of(status), read_at]
        if known and known[_DIGEST] == digest and known[:4] == stamp[:4]:
            self.changed = self.changed or not is_racy(stamp, read_at)
            self.now[key] = stamp + known[_DIGEST:]
            return self._entry(key, known)
        entry = entry_of(nodes.node_of(front_matter.parse(data, Path(path))), f"{FOLDER}/{NODES}/{key}", digest)
        self.changed = True
        self.now[key] = [*stamp, digest, *self._kept(entry)]
        return entry

    def _kept(self, entry: Entry) -> list[Any]:
        """What cannot be computed of an entry."""
        common = tuple(entry[name] for name in ("project_id", "project_name", *NAMES, "license"))
        number = self._numbers.setdefault(common, len(self.shared))
        if number == len(self.shared):
            self.shared.append(list(common))
        return [number, *(entry[name] for name in _OWN), "\n".join(entry["keywords"]), *(entry[name] for name in _LATE)]

    def _entry(self, key: str, known: list[Any]) -> Entry:
        """The entry that was kept, in the order of its names."""
        number, id, kind, status, confidence, title, quest, proposal, accepted, origin, summary = known[6:17]
        words, fresh, since, validity, paths, own, cited = known[17:]
        project, name, by, package, version, repository, official, license = self.shared[number]
        keywords = words.split("\n") if words else []
        return {
            "id": id,
            "file": f"{FOLDER}/{NODES}/{key}",
            "project_id": project,
            "project_name": name,
            "kind": kind,
            "node_type": kind,
            "status": status,
            "confidence": confidence,
            "title": title,
            "source_quest": quest,
            "source_proposal": proposal,
            "accepted_at": accepted,
            "generated_by": by,
            "generator_package": package,
            "generator_version": version,
            "source_repository": repository,
            "official_package": official,
            "origin": origin,
            "candidate_memory": summary,
            "summary": summary,
            "tags": domain.tags(keywords),
            "keywords": keywords,
            "license": license,
            "freshness": fresh,
            "since": since,
            "validity": validity,
            "scope_paths": paths,
            "own": own,
            "entries": cited,
            "hash": known[_DIGEST],
        }

    def save(self) -> None:
        """Keep what was read, where that is possible; a read-only tree is no reason to fail."""
        if not self.changed and len(self.now) == len(self.before):
            return
        whole = {"version": _VERSION, "written_by": __version__, "shared": self.shared, "files": self.now}
        for name in (READY_LIST, READY_INDEX):  # what was taken out of a file must not stay in an answer
            caches.remove(self.layout.path(name))
        caches.write(self.path, json.dumps(whole, ensure_ascii=False).encode("utf-8", "surrogatepass"))


_OWN = (
    "id", "kind", "status", "confidence", "title", "source_quest", "source_proposal", "accepted_at", "origin",
    "summary",
)  # fmt: skip
_LATE = ("freshness", "since", "validity", "scope_paths", "own", "entries")


_DIGEST = 5  # where the hash stands in what is kept of a file, behind its stamp and the time of reading


def stamp_of(status: os.stat_result) -> list[int]:
    """What changes with a file. Its change time cannot be set, where the system has one."""
    return [status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns]


def _is_as_it_was(known: list[Any], status: os.stat_result) -> bool:
    return known[:4] == stamp_of(status) and not is_racy(known, known[4])


def is_racy(stamp: list[Any], read_at: int) -> bool:
    """Whether a file was read so soon after its last change that it may have changed again without a trace."""
    return bool(read_at <= max(stamp[1], stamp[3]) + _RACY_NS)
