"""The structure of a repository, drawn from the names of its files and what its build files say.

Only names decide, so the same files give the same drawing. The drawing is no memory: it can be made anew at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pith.domain import build_files
from pith.domain.build_files import DATASTORES, is_build_file, is_compose

PROJECT, MODULE, DOMAIN, COMPONENT = "project", "module", "domain", "component"
TEST, DOCUMENT, INFRASTRUCTURE, DATASTORE = "test", "document", "infrastructure", "datastore"
TYPES = (PROJECT, MODULE, DOMAIN, COMPONENT, TEST, DOCUMENT, INFRASTRUCTURE, DATASTORE)

# A picture of more is none; what is left out is counted. Together with the project at most 391.
LIMITS = {MODULE: 70, DOMAIN: 80, COMPONENT: 120, TEST: 40, DOCUMENT: 40, INFRASTRUCTURE: 25, DATASTORE: 15}
READ_AT_MOST = 300  # build files whose text is looked at

EXCLUDED = frozenset(
    ".git .hg .svn node_modules dist build target coverage .orange-hyper .venv venv __pycache__ .tox .next .nuxt "
    ".gradle .idea .vscode .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .terraform vendor Pods".split()
)
_TESTS = frozenset("test tests spec specs __tests__ e2e cypress testing integration-tests integration_tests".split())
_DOCS = frozenset("doc docs documentation adr adrs rfcs wiki handbook".split())
_INFRA = frozenset(
    "k8s kubernetes helm charts terraform deploy deployment deployments infra infrastructure ansible docker ops "
    ".github .gitlab .circleci .ci pulumi cloudformation".split()
)
_STORES = frozenset("migrations migration alembic flyway liquibase prisma sql".split())
_PERHAPS_STORES = frozenset("db database schema schemas".split())
_ROOTS = frozenset(
    "src lib libs app apps packages services internal cmd pkg crates modules main java kotlin python source".split()
)
_PACKAGED = frozenset("java kotlin scala groovy".split())  # below these, folders spell a company's address first
_CODE = frozenset(
    "py pyi js jsx mjs cjs ts tsx vue svelte java kt kts scala groovy go rs rb php cs fs c h cc cpp hpp m mm swift "
    "dart ex exs erl clj lua r jl pl sh sql proto graphql css scss html ipynb zig".split()
)
_ENTRIES = frozenset("main index app server cli manage wsgi asgi __main__ program lib mod".split())
_TITLED = ("readme", "contributing", "architecture", "changelog", "security", "license", "design", "agents", "claude")
_PROSE = ("md", "rst", "adoc", "txt", "")
_FEW = 12


@dataclass(frozen=True, slots=True)
class Part:
    """One node of the structure; `parent` is the id of the part that contains it."""

    id: str
    type: str
    title: str
    path: str
    parent: str
    files: int = 0
    source: str = ""

    def as_json(self) -> dict[str, object]:
        return {
            "id": self.id,
            "type": self.type,
            "title": self.title,
            "path": self.path,
            "files": self.files,
            "source": self.source,
        }


@dataclass(frozen=True, slots=True)
class Structure:
    """All parts, the project first; how many of each type were left out; how many files were looked at."""

    parts: tuple[Part, ...]
    omitted: dict[str, int] = field(default_factory=dict)
    files: int = 0

    def edges(self) -> list[dict[str, str]]:
        return [{"from": part.parent, "to": part.id, "type": "contains"} for part in self.parts if part.parent]


class _Folder:
    """A folder with what is in it; the counts include everything below."""

    __slots__ = ("code", "files", "folders", "manifest", "name", "path", "total")

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = path.rpartition("/")[2]
        self.files: list[str] = []
        self.folders: dict[str, _Folder] = {}
        self.code = self.total = 0
        self.manifest = ""

    def inside(self, name: str) -> str:
        return f"{self.path}/{name}" if self.path else name

    def below(self) -> Iterator[_Folder]:
        for name in sorted(self.folders):
            yield self.folders[name]

    def named(self, names: frozenset[str]) -> bool:
        return self.name.lower() in names


def is_excluded(path: str) -> bool:
    """Whether a path lies in a folder that holds nothing of the project's own."""
    return not EXCLUDED.isdisjoint(path.split("/"))


def to_read(files: Iterable[str]) -> list[str]:
    """The files whose text tells more than their name, the outermost first."""
    found = [path for path in files if (is_build_file(path) or is_compose(path)) and not is_excluded(path)]
    return sorted(found, key=lambda path: (path.count("/"), path))[:READ_AT_MOST]


def draw(name: str, files: Sequence[str], texts: Mapping[str, str]) -> Structure:
    """Draw the structure of the repository `name`: `files` are relative paths, `texts` those of the files to read."""
    own = sorted({path for path in files if path and not is_excluded(path)})
    root = _tree(own)
    drawing = _Drawing(texts, own)
    drawing.add(PROJECT, "", name, "", root.total, id="project")
    top = drawing.module(root, "project") if root.manifest else "project"
    drawing.files_of(root, "project")
    drawing.contents(root, top, "project", 0)
    drawing.scattered_tests()
    return _limited(drawing.parts, len(own))


def _tree(files: Sequence[str]) -> _Folder:
    root = _Folder("")
    for path in files:
        *folders, name = path.split("/")
        here = root
        chain = [root]
        for each in folders:
            if each not in here.folders:
                here.folders[each] = _Folder(here.inside(each))
            here = here.folders[each]
            chain.append(here)
        here.files.append(name)
        is_code = _suffix(name) in _CODE
        for folder in chain:
            folder.total += 1
            folder.code += is_code
        if is_build_file(path) and (not here.manifest or build_files.rank(name) < build_files.rank(here.manifest)):
            here.manifest = name
    return root


def _suffix(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def _stem(name: str) -> str:
    return name.partition(".")[0].lower()


def _is_test(name: str) -> bool:
    stem = name.rpartition(".")[0]
    return _suffix(name) in _CODE and (
        stem.startswith("test_") or stem.endswith(("_test", ".test", ".spec", "_spec", "Test", "Tests", "IT"))
    )


class _Drawing:
    """The parts found so far."""

    def __init__(self, texts: Mapping[str, str], files: list[str]) -> None:
        self.texts = texts
        self.all = files
        self.parts: dict[str, Part] = {}

    def add(self, type: str, path: str, title: str, parent: str, files: int, source: str = "", id: str = "") -> str:
        id = id or f"{type}:{path or '.'}"
        self.parts.setdefault(id, Part(id, type, title, path or ".", parent, files, source))
        return id

    def module(self, folder: _Folder, parent: str) -> str:
        source = folder.inside(folder.manifest)
        title = build_files.name_in(folder.manifest, self.texts.get(source, "")) or folder.name or "."
        return self.add(MODULE, folder.path, title, parent, folder.total, source)

    # -- folders

    def contents(self, folder: _Folder, home: str, outer: str, level: int) -> None:
        """Draw what is below a folder; `home` takes code, `outer` what is beside the code."""
        for below in folder.below():
            self.folder(below, home, outer, level)

    def folder(self, folder: _Folder, home: str, outer: str, level: int) -> None:
        beside = self._beside(folder)
        if beside:
            source = folder.path + "/"
            part = self.add(beside, folder.path, folder.name, outer, folder.total, source)
            if beside == DOCUMENT:
                self._documents(folder, part)
        elif folder.manifest and level < 3:
            part = self.module(folder, outer)
            self.files_of(folder, part)
            self.contents(folder, part, part, 0)
        elif folder.name.startswith(".") or not folder.code:
            self.files_of(folder, outer, infrastructure_only=True)
        elif level < 2 and _is_passage(folder):
            self.files_of(folder, home)
            self.contents(folder, home, outer, level)
        elif level < 2:
            part = self.add((DOMAIN, COMPONENT)[level], folder.path, folder.name, home, folder.total, folder.path + "/")
            self.files_of(folder, part, few=level == 0 and not any(each.code for each in folder.folders.values()))
            self.contents(folder, part, part, level + 1)

    def _beside(self, folder: _Folder) -> str:
        if folder.named(_TESTS):
            return TEST if folder.code else ""
        if folder.named(_DOCS):
            return DOCUMENT
        if folder.named(_INFRA) and not folder.manifest:
            return INFRASTRUCTURE
        if any(name.endswith(".tf") for name in folder.files):
            return INFRASTRUCTURE
        if folder.named(_STORES) or (folder.named(_PERHAPS_STORES) and _has_sql(folder)):
            return DATASTORE if folder.code else ""
        return ""

    def _documents(self, folder: _Folder, parent: str) -> None:
        for name in sorted(folder.files):
            if _suffix(name) in _PROSE[:3]:
                self.add(DOCUMENT, folder.inside(name), name, parent, 1, folder.inside(name))
        for below in folder.below():
            if any(_suffix(name) in _PROSE[:3] for name in below.files):
                self.add(DOCUMENT, below.path, below.name, parent, below.total, below.path + "/")

    # -- files

    def files_of(self, folder: _Folder, parent: str, *, few: bool = False, infrastructure_only: bool = False) -> None:
        """Draw the files right in a folder that say something by themselves."""
        code = [
            name for name in folder.files if _suffix(name) in _CODE and not _is_test(name) and name != "__init__.py"
        ]
        for name in sorted(folder.files):
            path = folder.inside(name)
            if _is_infrastructure(name):
                self.add(INFRASTRUCTURE, path, name, parent, 1, path)
                self._services(path, parent)
            elif infrastructure_only:
                continue
            elif name.lower() in ("schema.prisma", "schema.sql", "alembic.ini"):
                self.add(DATASTORE, path, name, parent, 1, path)
            elif _stem(name) in _TITLED and _suffix(name) in _PROSE:
                self.add(DOCUMENT, path, name, parent, 1, path)
            elif name in code and (_stem(name) in _ENTRIES or (few and len(code) <= _FEW)):
                self.add(COMPONENT, path, name, parent, 1, path)

    def _services(self, path: str, parent: str) -> None:
        """The databases that a compose file starts."""
        for image in build_files.images_in(self.texts.get(path, "")) if is_compose(path) else ():
            name = image.rpartition("/")[2].partition(":")[0].partition("@")[0].lower()
            kind = next((store for store in DATASTORES if store in name), "")
            if kind:
                self.add(DATASTORE, path, kind, parent, 1, path, id=f"{DATASTORE}:{kind}")

    def scattered_tests(self) -> None:
        """Tests that stand beside the code, one part for each module that has any."""
        homes = {part.path: part.id for part in self.parts.values() if part.type == MODULE and part.path != "."}
        tested = [part.path for part in self.parts.values() if part.type == TEST]
        counts: dict[str, int] = {}
        for path in self.all:
            folder, _, name = path.rpartition("/")
            if _is_test(name) and not any(folder == each or folder.startswith(each + "/") for each in tested):
                home = next((each for each in _upwards(folder) if each in homes), "")
                counts[home] = counts.get(home, 0) + 1
        for home in sorted(counts):
            title = f"{home}: beside the code" if home else "tests beside the code"
            id = f"{TEST}:{home or '.'}"
            if id not in self.parts:
                self.add(TEST, home, title, homes.get(home, "project"), counts[home], f"{counts[home]} files", id=id)


def _is_passage(folder: _Folder) -> bool:
    """Whether a folder only leads on: `src`, `packages`, or the one package inside `src`."""
    inner = [each for each in folder.folders.values() if each.code]
    if folder.named(_ROOTS):
        return bool(inner)
    own = [name for name in folder.files if _suffix(name) in _CODE]
    if len(inner) == 1 and not own:
        return True
    if inner and not own and _PACKAGED.intersection(folder.path.split("/")[:-1]):
        return True
    outer = folder.path.rpartition("/")[0].rpartition("/")[2].lower()
    return outer in _ROOTS and len(inner) >= 3 and "__init__.py" in folder.files


def _has_sql(folder: _Folder) -> bool:
    return any(_suffix(name) == "sql" for name in folder.files) or any(
        each.named(_STORES) or _has_sql(each) for each in folder.folders.values()
    )


def _is_infrastructure(name: str) -> bool:
    lower = name.lower()
    return (
        lower in ("makefile", "procfile", "jenkinsfile", "vagrantfile", ".gitlab-ci.yml", "fly.toml", "netlify.toml")
        or lower in ("vercel.json", "serverless.yml", "nginx.conf", "skaffold.yaml", "chart.yaml", "justfile")
        or lower == "dockerfile"
        or lower.startswith(("dockerfile.", "containerfile"))
        or is_compose(lower)
    )


def _upwards(folder: str) -> Iterator[str]:
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def _limited(parts: Mapping[str, Part], files: int) -> Structure:
    """Keep the outermost and largest of each type; what was inside a part left out goes to the one around it."""
    kept = {"project"}
    omitted: dict[str, int] = {}
    for type, limit in LIMITS.items():
        these = [part for part in parts.values() if part.type == type]
        these.sort(key=lambda part: (part.path.count("/"), -part.files, part.path, part.id))
        kept |= {part.id for part in these[:limit]}
        if len(these) > limit:
            omitted[type] = len(these) - limit
    chosen = [replace(part, parent=_kept_parent(part, parts, kept)) for part in parts.values() if part.id in kept]
    chosen.sort(key=lambda part: (TYPES.index(part.type), part.path, part.id))
    return Structure(tuple(chosen), omitted, files)


def _kept_parent(part: Part, parts: Mapping[str, Part], kept: set[str]) -> str:
    parent = part.parent
    while parent and parent not in kept:
        parent = parts[parent].parent
    return parent


# -- Finding a part ------------------------------------------------------------------------------------------


def part_of(path: str, parts: Mapping[str, str]) -> str | None:
    """The innermost part that holds a path or a glob, or None; `parts` gives ids by path, the project's left out."""
    clean = _fixed(path)
    if clean is None:
        return None
    return next((parts[each] for each in _upwards(clean) if each in parts), None)


def _fixed(path: str) -> str | None:
    """The part of a path before its first wildcard, without `./`; None for what leads out of the repository."""
    steps = [step for step in path.strip().replace("\\", "/").split("/") if step not in ("", ".")]
    if path.strip().startswith(("/", "~")) or ".." in steps or any(":" in step for step in steps[:1]):
        return None
    fixed = []
    for step in steps:
        if any(mark in step for mark in "*?[{"):
            break
        fixed.append(step)
    return "/".join(fixed)
