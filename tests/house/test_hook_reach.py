"""What a hook may reach: a hook runs at every prompt, so each module on its path is paid for all day."""

from __future__ import annotations

import sys

import grimp
import pytest

REACHED = (
    "pith.errors",
    "pith.platform",
    *(
        f"pith.domain.{name}"
        for name in "events tools excerpts outcomes secrets named_secrets words stems tokens glossary manner ranking sureness context snippets topics times endless continuity briefing injected".split()
    ),
    *(
        f"pith.store.{name}"
        for name in "database branches events sessions search kin citations usage meta nodes entry_words memories working_set continuity due standing".split()
    ),
    *(
        f"pith.services.{name}"
        for name in "config settings location project workspace spool capture candidates dates recall brief node_recall node_sources entry_recall standing memory_recall".split()
    ),
    "pith.services.work.start",
    *(f"pith.services.endless.{name}" for name in "rules about window contexts due prompt brief".split()),
    "pith.interfaces.hook",
)

# Imported inside a function, on a path that is rarely taken: (importer, imported, when).
SLOW_PATHS: tuple[tuple[str, str, str], ...] = (
    ("pith.domain.secrets", "pith.domain.personal", "a setting asks to mask personal data too"),
    (
        "pith.services.project",
        "pith.services.project_registration",
        "a project or a key is seen for the first time",
    ),
    ("pith.services.config", "pith.services.config_sources", "a file with settings has changed"),
)


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Our imports, without those of type checking and of the slow paths."""
    graph = grimp.build_graph(
        "pith", cache_dir=None, include_external_packages=True, exclude_type_checking_imports=True
    )
    for importer, imported, _ in SLOW_PATHS:
        if imported in graph.find_modules_directly_imported_by(importer):
            graph.remove_import(importer=importer, imported=imported)
    return graph


def _reached(graph: grimp.ImportGraph) -> set[str]:
    hook = {"pith.interfaces.hook", *graph.find_descendants("pith.interfaces.hook")}
    return hook.union(*(graph.find_upstream_modules(module) for module in hook))


def _is_package(graph: grimp.ImportGraph, module: str) -> bool:
    return bool(graph.find_children(module))


def test_the_hook_reaches_only_the_modules_on_its_list(graph):
    ours = {module for module in _reached(graph) if module.split(".")[0] == "pith"}
    extra = {
        module
        for module in ours
        if not any(module == listed or module.startswith(f"{listed}.") for listed in REACHED)
        and not _is_package(graph, module)
    }
    assert not extra, f"The hook must not reach {sorted(extra)}; see tests/house/test_hook_reach.py."


def test_every_slow_path_is_a_real_import():
    graph = grimp.build_graph("pith", cache_dir=None)
    gone = [(a, b) for a, b, _ in SLOW_PATHS if not graph.direct_import_exists(importer=a, imported=b)]
    assert not gone


def test_the_hook_reaches_nothing_that_must_be_installed(graph):
    allowed = set(sys.stdlib_module_names) | {"pith"}
    foreign = {module.split(".")[0] for module in _reached(graph)} - allowed
    assert not foreign
