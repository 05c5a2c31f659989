"""What the build and workspace files of many languages say about a project: its name, its modules, its databases."""

from __future__ import annotations

import json
import re
import tomllib

# In the order in which they name a folder that has several.
_MANIFESTS = (
    "pyproject.toml", "package.json", "go.mod", "Cargo.toml", "pom.xml", "build.gradle.kts", "build.gradle",
    "setup.py", "setup.cfg", "composer.json", "Gemfile", "mix.exs", "Package.swift", "pubspec.yaml", "build.sbt",
)  # fmt: skip
_PROJECTS = (".csproj", ".fsproj", ".vbproj", ".gemspec", ".cabal")
_NO_MODULES = frozenset(
    "test tests __tests__ fixtures fixture testdata examples example samples docs templates".split()
)

DATASTORES = (
    "postgres", "mysql", "mariadb", "mongo", "redis", "valkey", "elasticsearch", "opensearch", "cassandra",
    "clickhouse", "cockroach", "rabbitmq", "kafka", "minio", "memcached", "neo4j", "influxdb", "mssql", "dynamodb",
    "qdrant",
)  # fmt: skip

_LONGEST_NAME = 80


def is_build_file(path: str) -> bool:
    """Whether a file makes its folder a module; those of tests, examples and the like do not."""
    *folders, name = path.split("/")
    if name not in _MANIFESTS and not name.endswith(_PROJECTS):
        return False
    return _NO_MODULES.isdisjoint(folders)


def is_compose(path: str) -> bool:
    """Whether a file describes containers that run together."""
    name = path.rpartition("/")[2].lower()
    return name.startswith(("docker-compose", "compose.")) and name.endswith((".yml", ".yaml"))


def rank(name: str) -> int:
    """Which of several build files names their folder: the least."""
    return _MANIFESTS.index(name) if name in _MANIFESTS else len(_MANIFESTS)


def name_in(manifest: str, text: str) -> str:
    """The name that a build file gives its module, or nothing."""
    try:
        found = _name_in(manifest, text)
    except (ValueError, RecursionError, AttributeError, TypeError):
        return ""
    return " ".join(found.split())[:_LONGEST_NAME] if isinstance(found, str) else ""


def _name_in(manifest: str, text: str) -> object:
    if manifest in ("package.json", "composer.json"):
        return json.loads(text).get("name")
    if manifest == "pyproject.toml":
        whole = tomllib.loads(text)
        return whole.get("project", {}).get("name") or whole.get("tool", {}).get("poetry", {}).get("name")
    if manifest == "Cargo.toml":
        return tomllib.loads(text).get("package", {}).get("name")
    if manifest == "pom.xml":
        text = re.sub(r"<(parent|dependencies|build)>.*?</\1>", "", text, flags=re.DOTALL)
    pattern = _NAMES.get(manifest)
    match = re.search(pattern, text, re.MULTILINE) if pattern else None
    return match[1] if match else manifest.rpartition(".")[0] if manifest.endswith(_PROJECTS) else ""


_NAMES = {
    "go.mod": r"^module\s+(?:\S*/)?([^\s/]+)\s*$",
    "pom.xml": r"<artifactId>\s*([^<\s]+)\s*</artifactId>",
    "setup.py": r"""\bname\s*=\s*["']([^"']+)["']""",
    "setup.cfg": r"^name\s*=\s*(\S+)",
    "pubspec.yaml": r"^name:\s*(\S+)",
    "mix.exs": r"\bapp:\s*:(\w+)",
    "Package.swift": r'\bname:\s*"([^"]+)"',
}


def images_in(text: str) -> list[str]:
    """The container images that a compose file names, each once."""
    return list(dict.fromkeys(re.findall(r"""^\s*image:\s*["']?([^\s"'#]+)""", text, re.MULTILINE)))
