"""The rules of the house that a linter does not know."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "pith"

# A file is one noun. A table of data may be long; name it here with the reason. Empty is the aim.
LONG_FILES: tuple[str, ...] = ()

# `urllib.request` is not a top-level package, so import-linter cannot forbid it.
NETWORK = ("urllib.request", "http.client", "http.server", "socket", "ssl")


def _tracked() -> list[Path]:
    listing = subprocess.run(
        ["git", "-c", "core.quotepath=off", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True
    )
    paths = (ROOT / name for name in listing.stdout.decode("utf-8").split("\0") if name)
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def _sources() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def test_every_folder_of_the_program_is_named_in_the_architecture():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    folders = {path.parent.relative_to(SOURCE).as_posix() for path in _sources()} - {"."}
    missing = sorted(folder for folder in folders if f"{folder}/" not in page)
    assert not missing, f"ARCHITECTURE.md does not name {missing}."


def test_every_file_is_short_enough_to_be_one_noun():
    lengths = {path.relative_to(ROOT).as_posix(): len(path.read_bytes().splitlines()) for path in _sources()}
    long = {name: length for name, length in lengths.items() if length > 400 and name not in LONG_FILES}
    assert not long


def test_the_import_contracts_hold():
    linter = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run(
        [linter, "--no-logo", "--no-cache"], cwd=ROOT, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout


def _imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def test_nobody_but_adapters_and_the_web_page_opens_a_connection():
    free = (SOURCE / "adapters", SOURCE / "interfaces" / "web")
    guilty = {
        path.relative_to(ROOT).as_posix(): sorted(_imported(path).intersection(NETWORK))
        for path in _sources()
        if not any(path.is_relative_to(folder) for folder in free) and _imported(path).intersection(NETWORK)
    }
    assert not guilty


# Spelled in parts, so that this file does not hold what it looks for.
UNWANTED = {
    "an absolute path of some machine": rf"/{'root'}/|/{'work'}/(main|shared|notes|\.library)",
    "the address of a package registry": "|".join(
        (
            r"https?://[^\s\"]*/packages/[0-9a-f]{2}/",
            r"https?://[^\s\"]*/simple(/|\"|\s|$)",
            r"https?://[^\s\"]*/-/[^\s\"]+\.tgz",
            rf"https?://[^\s\"]*({'pypi'}|{'pythonhosted'}|{'npmjs'})\.",
        )
    ),
    "a promise left in the code": rf"\b({'TO' + 'DO'}|{'FIX' + 'ME'})\b",
}


@pytest.mark.parametrize("what", UNWANTED)
def test_no_tracked_file_holds(what):
    pattern = re.compile(UNWANTED[what])
    found = []
    for path in _tracked():
        if what == "a promise left in the code" and path.suffix in (".json", ".jsonl"):
            continue  # sample sessions talk as people do
        text = path.read_bytes().decode("utf-8", "replace")
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in [pattern.search(text)] if match]
    assert not found


def test_text_files_end_their_lines_like_unix():
    suffixes = {".py", ".md", ".toml", ".in", ".txt", ".sql", ".svg", ".sh"}
    wrong = [str(path) for path in _tracked() if path.suffix in suffixes and b"\r\n" in path.read_bytes()]
    assert not wrong


def test_every_link_between_the_pages_leads_somewhere():
    pages = [path for path in _tracked() if path.suffix == ".md" and not path.is_relative_to(ROOT / "tests")]
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert not broken
