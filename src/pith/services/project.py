"""Which project is this? One resolver for reading and writing, so that memory is never kept under two names.

A store has an id of its own; `projects.json` in the home maps keys to it: the git folder that all worktrees
share (`git:`), the id in `.orange-hyper/config.json` (`id:`), a folder without git (`path:`), a worktree
beside its repository (`tree:`, so that it is still known when it has been deleted). Git is read from its
files; registering something new, which may ask the git program, is in `project_registration`.
"""

from __future__ import annotations

import json
import os

from pith.errors import PithError, StoreTooNew, StoreUnavailable
from pith.services.location import shared_settings, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from pith.services.location import Place

VERSION = 1


# -- What a place may be known by -------------------------------------------------------------------------


def project_id(root: str) -> str | None:
    """Read the id that the repository's own settings give the project."""
    path = shared_settings(root)
    if not os.path.isfile(path):
        return None  # a link to a terminal would keep a hook waiting, and read what is typed there
    try:
        with open(path, "rb") as file:
            value = json.loads(file.read(1_000_000)).get("project_id")
    except (OSError, ValueError, AttributeError, RecursionError):
        return None
    return value if isinstance(value, str) and value else None


def keys_of(place: Place) -> list[str]:
    """Give every key that this place should be known by, the deciding one first."""
    keys = [f"git:{place.common_dir}" if place.common_dir else f"path:{place.root}"]
    if place.common_dir and _is_beside(place.root, place.common_dir):
        keys.append(f"tree:{place.root}")
    known_as = project_id(place.root)
    if known_as:
        keys.append(f"id:{known_as}")
    return keys


def _is_beside(root: str, common: str) -> bool:
    """Whether a work tree lies outside its repository's folder: once deleted, only a note finds it."""
    return not (root + os.sep).startswith(os.path.dirname(common).rstrip(os.sep) + os.sep)


def state_of(place: Place) -> str:
    """Give a mark that changes when the remote, or having a first commit, may have changed."""
    try:
        changed = os.stat(os.path.join(place.common_dir, "config")).st_mtime_ns if place.common_dir else 0
    except OSError:
        changed = 0
    return f"{changed}{'+' if place.commit else '-'}"


def id_seen(key: str, known_as: str) -> str:
    """Name the fact that a place was met with a project id, which a fork has in common with others."""
    return f"{known_as} in {key}"


def known_key(keys: dict[str, str], place: Place) -> str | None:
    """Find the key by which this place is known already, with nothing but look-ups."""
    for key in candidates(place):
        if key in keys:
            return key
    return _same_folder(keys, keys_of(place)[0])


def candidates(place: Place) -> Iterator[str]:
    """Give the keys by which a store may know this place already, the strongest first."""
    yield f"git:{place.common_dir}" if place.common_dir else f"path:{place.root}"
    if place.common_dir:
        yield f"path:{place.root}"  # known before `git init`
        return
    if project_id(place.root):
        return  # a folder that says who it is does not belong to one above it
    home = os.path.realpath(os.path.expanduser("~")) + os.sep
    for folder in upwards(place.root):
        if home.startswith(folder.rstrip(os.sep) + os.sep):
            return  # neither the user's home nor what holds it stands for all that lies below
        yield from (f"path:{folder}", f"tree:{folder}", f"git:{os.path.join(folder, '.git')}")


def _same_folder(keys: dict[str, str], wanted: str) -> str | None:
    """Find a key of the same folder in other letters: some file systems ignore case or Unicode form."""
    kind, _, path = wanted.partition(":")
    folded = _fold(wanted)
    for key in keys:
        if key.startswith(kind) and _fold(key) == folded:
            try:
                if os.path.samefile(key.partition(":")[2], path):
                    return key
            except OSError:
                continue
    return None


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    from unicodedata import normalize

    return normalize("NFC", text).casefold()


# -- The register -----------------------------------------------------------------------------------------


class Project:
    """A project that has a store, and how this place is known to be it."""

    __slots__ = ("_keys", "folder", "id", "key")

    def __init__(self, home: str, key: str, keys: dict[str, str]) -> None:
        self.id = keys[key]
        self.folder = store_folder(home, self.id)
        self.key = key
        self._keys = keys

    @property
    def alias(self) -> list[str]:
        """The other keys of the same store."""
        return [key for key, store in self._keys.items() if store == self.id and key != self.key]

    @property
    def reason(self) -> str:
        """Why this place belongs to this store, in one sentence."""
        reasons = read_record(self.folder).get("keys", {})
        return str(reasons.get(self.key) or "This place is registered under its key.")


class Register:
    """What `projects.json` says: keys to stores, and the state of git when each key was last looked at."""

    __slots__ = ("damaged", "keys", "seen")

    def __init__(self, keys: dict[str, str], seen: dict[str, str], *, damaged: bool = False) -> None:
        self.keys = keys
        self.seen = seen
        self.damaged = damaged


def store_folder(home: str, store: str) -> str:
    """Where the store with this id keeps its database."""
    return os.path.join(home, "projects", store)


def store_folders(home: str) -> list[str]:
    """Give the folder of every store, the oldest first."""
    try:
        return [store_folder(home, store) for store in sorted(os.listdir(os.path.join(home, "projects")))]
    except OSError:
        return []


def personal_store(home: str) -> str:
    """Where the personal store keeps its database: what holds in all projects of one person, and belongs to none."""
    return os.path.join(home, "personal")


def register_path(home: str) -> str:
    """Where keys are mapped to stores."""
    return os.path.join(home, "projects.json")


def read_register(home: str) -> Register:
    """Read the register; what is damaged or lost is put together from the stores, without writing."""
    path = register_path(home)
    try:
        with open(path, "rb") as file:
            found = json.loads(file.read())
    except FileNotFoundError:
        return Register(*_from_stores(home))
    except (ValueError, RecursionError):
        return Register(*_from_stores(home), damaged=True)
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be read: {error.strerror or error}.") from error
    return _checked(home, found)


def _checked(home: str, found: Any) -> Register:
    if isinstance(found, dict) and isinstance(found.get("version"), int) and found["version"] > VERSION:
        raise StoreTooNew(f"{register_path(home)} was written by a newer pith.")
    try:
        keys, seen = found["keys"], found.get("seen", {})
        if all(isinstance(text, str) for table in (keys, seen) for text in table.values()):
            return Register(keys, seen)
    except (KeyError, TypeError, AttributeError):
        pass
    return Register(*_from_stores(home), damaged=True)


def _from_stores(home: str) -> tuple[dict[str, str], dict[str, str]]:
    keys: dict[str, str] = {}
    for record in sorted(read_records(home), key=lambda record: str(record.get("updated"))):
        keys.update(dict.fromkeys(record["keys"], record["id"]))
    return keys, {}


def read_records(home: str) -> list[dict[str, Any]]:
    """Read what every store knows about itself; what cannot be read is left out."""
    return [record for record in map(read_record, store_folders(home)) if record]


def read_record(folder: str) -> dict[str, Any]:
    """Read `project.json` of one store; {} when it is missing or damaged."""
    try:
        with open(os.path.join(folder, "project.json"), "rb") as file:
            record = json.loads(file.read())
    except (OSError, ValueError, RecursionError):
        return {}
    right = isinstance(record, dict) and isinstance(record.get("keys"), dict)
    return record if right and record.get("id") == os.path.basename(folder) else {}


# -- The answers ------------------------------------------------------------------------------------------


def find(home: str, place: Place) -> Project | None:
    """Return the project this place belongs to, or None if it is not registered; never writes."""
    keys = read_register(home).keys
    key = known_key(keys, place)
    return Project(home, key, keys) if key else None


def recognise(home: str, place: Place) -> Project | None:
    """Return the project that has moved to this unknown place, or that this is another clone of, and note that.

    Nothing is written where the place is new; where it cannot be noted, the place stays unknown.
    """
    if not store_folders(home):
        return None
    from pith.services import project_registration

    try:
        return project_registration.recognise(home, place)
    except PithError:
        return None


def resolve(home: str, place: Place) -> Project:
    """Return the project this place belongs to; register what is new about it.

    Raises FileUnwritable or LockTimeout only where the place is unknown and cannot be registered.
    """
    register = read_register(home)
    key = known_key(register.keys, place)
    known = Project(home, key, register.keys) if key else None
    if known and _is_up_to_date(register, place, known):
        return known
    from pith.services import project_registration

    try:
        return project_registration.register(home, place)
    except PithError:
        if known:
            return known  # only an alias could not be noted; it will be tried again
        raise


def _is_up_to_date(register: Register, place: Place, known: Project) -> bool:
    if register.damaged or not os.path.exists(os.path.join(known.folder, "project.json")):
        return False
    keys = keys_of(place)
    if place.common_dir is None and known.key != keys[0]:
        return known.key in candidates(place)  # it belongs to a folder above, and adds nothing
    for key in keys[1:]:
        met = id_seen(keys[0], key) in register.seen if key.startswith("id:") else key in register.keys
        if not met:
            return False
    return keys[0] in register.keys and covers(register.seen.get(keys[0]), state_of(place))


def covers(seen: str | None, state: str) -> bool:
    """Whether what was seen tells all that can be seen now: one worktree may lack a commit, not all."""
    return seen in (state, f"{state[:-1]}+")


def link(home: str, place: Place, other: str) -> Project:
    """Make this place share the store of `other`: a folder, or the beginning of a store's id."""
    from pith.services import project_registration

    return project_registration.link(home, place, other)


def unlink(home: str, place: Place) -> Project:
    """Give this place a store apart again: the one that linking set aside, or a new one."""
    from pith.services import project_registration

    return project_registration.unlink(home, place)


def describe(project: Project) -> dict[str, object]:
    """Say for `pith status` which project this is, and why."""
    record = read_record(project.folder)
    seen = record.get("sights", {}).get(project.key) or {}
    return {
        "id": project.id,
        "folder": project.folder,
        "key": project.key,
        "alias": project.alias,
        "reason": project.reason,
        "remote": seen.get("remote"),
        "project_id": seen.get("project_id"),
        "root_commit": seen.get("root_commit"),
        "set_aside": sorted(record.get("set_aside", {})),
    }
