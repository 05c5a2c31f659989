"""Register what is new about a place: the rare and slow half of `project`, which may ask the git program.

Every store keeps what it knows about itself in `project.json`. That is written before `projects.json`, which
decides: after a crash between the two the next registration picks the note up, and ends with the same store.
"""

from __future__ import annotations

import json
import os

from pith import platform
from pith.adapters import git
from pith.errors import Ambiguous, InputError, NotFound
from pith.services import location, project
from pith.services.location import Place
from pith.services.project import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Facts = dict[str, str | None]  # remote, project_id, root_commit, inode
    Record = dict[str, Any]  # what project.json holds

_PATIENCE = 1.0  # seconds to wait for the others that register something now; a hook may not take longer

_OWN = {
    "git": "This repository's git folder.",
    "path": "This folder; it has no git.",
    "tree": "A worktree of this repository.",
    "id": "The project_id in .orange-hyper/config.json.",
}


class Sight:
    """What a look at a place tells about its identity."""

    __slots__ = ("facts", "keys", "place", "state")

    def __init__(self, place: Place) -> None:
        self.place = place
        self.state = project.state_of(place)  # before the rest: a change in between is then seen next time
        self.keys = project.keys_of(place)
        common = place.common_dir
        self.facts = {
            "remote": git.remote(common) if common else None,
            "project_id": project.project_id(place.root),
            "root_commit": git.root_commit(common, place.commit) if common else None,
            "inode": _inode(common or place.root),
        }


def _inode(folder: str) -> str | None:
    try:
        return str(os.stat(folder).st_ino)
    except OSError:
        return None


def register(home: str, place: Place) -> Project:
    """Return the project of this place, with its new keys noted; make a store's folder when it is new."""
    sight = Sight(place)
    with _locked(home):
        books = Books(home)
        key = project.known_key(books.keys, place)
        if key and _lies_below(key, place):
            books.write(books.record(books.keys[key]))
        elif key:
            books.note(sight, books.keys[key], _why_known(key, sight))
        else:
            store, reason = _recognised(books.records.values(), sight) or (platform.new_id(platform.now_ms()), None)
            books.note(sight, store, reason)
        return books.project(place)


def recognise(home: str, place: Place) -> Project | None:
    """Register a place that a store knows from elsewhere; of any other nothing is noted."""
    records = [{**record, "sights": dict(record.get("sights") or {})} for record in project.read_records(home)]
    return register(home, place) if _recognised(records, Sight(place)) else None


def link(home: str, place: Place, other: str) -> Project:
    """Let the project of this place share another's store; a store of its own is set aside, never deleted."""
    target = _named(home, other)
    sight = Sight(place)
    with _locked(home):
        books = Books(home)
        key = project.known_key(books.keys, place)
        own = books.keys[key] if key else None
        if own == target:
            raise InputError("Both are the same project already.", hint="Run `pith status` to see its keys.")
        reason = f"Linked by `pith link` to {_path(_primary(books.record(target)))}."
        if own:
            reason = f"{reason[:-1]}; its own store {own} is set aside."
            books.set_aside(own, target, reason)
        books.note(sight, target, reason)
        return books.project(place)


def unlink(home: str, place: Place) -> Project:
    """Give the project of this place its own store again: the one set aside, or a new one."""
    sight = Sight(place)
    with _locked(home):
        books = Books(home)
        key = project.known_key(books.keys, place)
        if not key or key == _primary(books.record(books.keys[key])):
            raise InputError(
                "This project has a store of its own; there is nothing to unlink.",
                hint="Run `pith unlink` in the project that was linked to it.",
            )
        store = books.take_back(key) or platform.new_id(platform.now_ms())
        books.part(sight, store)
        return books.project(place)


# -- Recognising ------------------------------------------------------------------------------------------


def _lies_below(key: str, place: Place) -> bool:
    """Whether a folder without git is known only through one above it."""
    return place.common_dir is None and key != f"path:{place.root}" and key in project.candidates(place)


def _why_known(key: str, sight: Sight) -> str | None:
    """Say why a new key belongs to the store that another key found; None if the key says it itself."""
    if key == sight.keys[0]:
        return None
    if key == f"path:{sight.place.root}":
        return "This folder was known before it had a git repository."
    return f"The same folder as {_path(key)}, written in other letters."


def _recognised(records: Iterable[Record], sight: Sight) -> tuple[str, str] | None:
    """Find the store of a clone that shares by itself, or of the project that was moved here."""
    in_use = [record for record in records if "set_aside_for" not in record]
    newest_first = sorted(in_use, key=lambda record: str(record["id"]), reverse=True)
    seen = [(record, key, facts) for record in newest_first for key, facts in record["sights"].items()]
    for record, key, facts in seen:
        if _is_same_clone(facts, sight.facts):
            return record["id"], f"The same project_id and remote as {_path(key)}."
    gone = [one for one in seen if _could_be(*one[1:], sight) and _has_left(*one[1:], sight)]
    # Of several clones that are gone, the one moved within its file system has kept its number there.
    for record, key, _ in sorted(gone, key=lambda one: one[2].get("inode") != sight.facts["inode"]):
        del record["sights"][key]  # it is here now, and cannot move to a second place
        return record["id"], f"Moved here from {_path(key)}."
    return None


def _is_same_clone(old: Facts, new: Facts) -> bool:
    return bool(new["project_id"] and new["remote"]) and _agree(old, new, "project_id", "remote")


def _could_be(key: str, old: Facts, sight: Sight) -> bool:
    """Whether what was seen under a key, were it gone from there, could be what stands here."""
    if sight.facts["root_commit"]:
        return _agree(old, sight.facts, "root_commit", "remote")
    both_without_git = sight.place.common_dir is None and _kind(key) == "path"
    return both_without_git and bool(sight.facts["project_id"]) and _agree(old, sight.facts, "project_id")


def _has_left(key: str, old: Facts, sight: Sight) -> bool:
    """Whether what was seen under the key has left its place, where something else may stand by now."""
    now_there = _inode(_folder(key))
    return now_there is None or now_there != old.get("inode") == sight.facts["inode"]


def _agree(old: Facts, new: Facts, *names: str) -> bool:
    return all(old.get(name) == new[name] for name in names)


def _kind(key: str) -> str:
    return key.partition(":")[0]


def _folder(key: str) -> str:
    return key.partition(":")[2]


def _path(key: str) -> str:
    """Give the folder in a key as people know it."""
    return _folder(key).removesuffix(os.sep + ".git")


def _primary(record: Record) -> str:
    """Give the key under which the store was made."""
    return str(record.get("key") or next(iter(record["keys"]), record["id"]))


def _named(home: str, other: str) -> str:
    """Find the store that a person means by a folder, or by the beginning of an id."""
    register = project.read_register(home)
    if os.path.isdir(other):
        found = project.find(home, location.locate(other))
        stores = {found.id} if found else set()
    else:
        stores = {store for store in register.keys.values() if other and store.startswith(other)}
    if len(stores) > 1:
        raise Ambiguous(f"{other} is the beginning of {len(stores)} store ids.")
    for store in stores:
        return store
    raise NotFound(
        f"No project is known as {other}.", hint="Give its folder, after working there once, or its store id."
    )


# -- Writing ----------------------------------------------------------------------------------------------


def _locked(home: str) -> platform.Lock:
    platform.private_folder(os.path.join(home, "projects"))
    return platform.Lock(os.path.join(home, "projects.lock"), timeout=_PATIENCE)


def _sweep(home: str) -> None:
    """Remove what a killed registration left: drafts of our two files, and the empty folder of a store."""
    for folder in (home, *project.store_folders(home)):
        try:
            for name in os.listdir(folder):
                if name.startswith((".project.json.", ".projects.json.")) and name.endswith(".draft"):
                    os.unlink(os.path.join(folder, name))
            if folder != home and not os.listdir(folder):
                os.rmdir(folder)
        except OSError:
            continue  # it does no harm


class Books:
    """The register and the note of every store, read while nobody else writes; changed together."""

    def __init__(self, home: str) -> None:
        self.home = home
        _sweep(home)
        self.register = project.read_register(home)
        if self.register.damaged:
            self._keep_damaged()
        self.keys = self.register.keys
        self.records: dict[str, Record] = {record["id"]: record for record in project.read_records(home)}
        self._reconcile()

    def _keep_damaged(self) -> None:
        path = project.register_path(self.home)
        when = platform.now().replace(":", "").replace(".", "")
        try:
            platform.replace(path, f"{path}.damaged-{when}")
        except OSError:
            pass  # it is about to be replaced; the stores know all that it said

    def _reconcile(self) -> None:
        """Complete what a crash left half done: the register decides, a store's note adds what it lacks."""
        for store, record in self.records.items():
            record.setdefault("sights", {})
            for key in list(record["keys"]):
                if self.keys.setdefault(key, store) != store:
                    del record["keys"][key]
        for key, store in self.keys.items():
            self.record(store)["keys"].setdefault(key, _OWN.get(_kind(key), ""))

    def record(self, store: str) -> Record:
        """Return the note of a store, a new one where there is none."""
        new = {"version": project.VERSION, "id": store, "created": platform.now(), "keys": {}, "sights": {}}
        return self.records.setdefault(store, new)

    def project(self, place: Place) -> Project:
        """Return the project that this place belongs to now."""
        key = project.known_key(self.keys, place)
        assert key is not None, "the place has just been noted"
        return Project(self.home, key, self.keys)

    def note(self, sight: Sight, store: str, reason: str | None) -> None:
        """Let the keys of the place lead to the store, unless they lead elsewhere, and keep what was seen."""
        record = self.record(store)
        for key in sight.keys:
            if self.keys.setdefault(key, store) == store:
                own = _OWN[_kind(key)]
                record["keys"].setdefault(key, own if _kind(key) in ("id", "tree") else reason or own)
                record.setdefault("key", key)
        first = sight.keys[0]
        record["sights"][first] = _newer(record["sights"].get(first, {}), sight.facts)
        if not project.covers(self.register.seen.get(first), sight.state):
            self.register.seen[first] = sight.state
        for key in sight.keys[1:]:
            if _kind(key) == "id":
                self.register.seen[project.id_seen(first, key)] = platform.now()
        self.write(record)

    def set_aside(self, own: str, target: str, reason: str) -> None:
        """Lead all keys of a store to another one, and note in both how it was before."""
        old, new = self.record(own), self.record(target)
        keys, old["keys"] = old["keys"], {}
        new.setdefault("set_aside", {})[own] = keys
        old["set_aside_for"] = target
        new["sights"].update(old["sights"])
        for key in keys:
            self.keys[key] = target
            new["keys"][key] = reason
        self._write_record(new)
        self._write_record(old)

    def take_back(self, key: str) -> str | None:
        """Lead the keys that linking took from a store back to it; None if linking took none."""
        shared = self.record(self.keys[key])
        for old, keys in shared.get("set_aside", {}).items():
            if key in keys:
                del shared["set_aside"][old]
                record = self.record(old)
                record.pop("set_aside_for", None)
                record["keys"].update(keys)
                self._move(keys, shared, old)
                return str(old)
        return None

    def part(self, sight: Sight, store: str) -> None:
        """Lead what names this very place to the store; an id that clones have in common stays."""
        shared = self.record(self.keys.get(sight.keys[0], store))
        if shared["id"] != store:
            self._move([key for key in sight.keys if _kind(key) != "id"], shared, store)
        self.note(sight, store, None)

    def _move(self, keys: Iterable[str], shared: Record, store: str) -> None:
        for key in keys:
            shared["keys"].pop(key, None)
            shared["sights"].pop(key, None)
            self.keys[key] = store
        self._write_record(shared)

    def write(self, record: Record) -> None:
        """Write a store's note, then the register, which makes it count."""
        self._write_record(record)
        value = {"version": project.VERSION, "keys": self.keys, "seen": self.register.seen}
        platform.write_private(project.register_path(self.home), _json(value))

    def _write_record(self, record: Record) -> None:
        record["updated"] = platform.now()
        folder = project.store_folder(self.home, record["id"])
        platform.private_folder(folder)
        platform.write_private(os.path.join(folder, "project.json"), _json(record))


def _newer(old: Facts, new: Facts) -> Facts:
    """Prefer what was seen now; what could not be seen this time does not wipe out what was seen before."""
    told: Facts = {name: value for name, value in new.items() if value is not None}
    if new["root_commit"]:
        told["remote"] = new["remote"]  # git answered: there is none any more
    return old | told


def _json(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return text.encode("utf-8", "surrogatepass") + b"\n"  # a path may hold what is no character
