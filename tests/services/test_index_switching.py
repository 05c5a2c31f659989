"""Vectors move from one index to the other; whoever asks meanwhile is answered, and a kill costs nothing."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pith import platform
from pith.errors import PithError
from pith.services.meaning import indexes, switching
from pith.services.workspace import Workspace, open_workspace
from pith.store import meta, vectors
from pith.store import versions as stored
from vector_kit import DIMENSIONS, OTHER_VERSION, VERSION, row, towards


@pytest.fixture
def ws(git_repo: Path) -> Iterator[Workspace]:
    with open_workspace(str(git_repo)) as ws:
        for version in (OTHER_VERSION, VERSION):
            with ws.db.transaction():
                stored.put(
                    ws.db,
                    version,
                    model="toy",
                    dimensions=DIMENSIONS,
                    hash=version[-4:],
                    opened_by={},
                    now=platform.now(),
                )
        yield ws


def filled(ws: Workspace, name: str = indexes.EXACT) -> None:
    index = indexes.at(ws, name, VERSION, DIMENSIONS)
    index.upsert([row(f"i{n:03}", 1, n, part=part) for n in range(60) for part in range(1 + n % 3)])
    indexes.at(ws, name, OTHER_VERSION, DIMENSIONS).upsert([row("other", 1)])


def asked(ws: Workspace, version: str = VERSION) -> list[str]:
    return [near.item_id for near in indexes.opened(ws, version, DIMENSIONS).search(towards(1, 0.9), 3)]


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("lancedb")
    monkeypatch.setattr(switching, "STEP", 10)


def test_V15_both_ways_and_every_version_nothing_is_lost(ws: Workspace) -> None:
    filled(ws)
    before = asked(ws)
    there = switching.use(ws, indexes.LANCEDB)
    assert there == {"answers": "lancedb", "copied": 61, "complete": True}
    assert (asked(ws), asked(ws, OTHER_VERSION)) == (before, ["other"])
    assert vectors.versions(ws.db) == []  # the place before holds nothing that could be forgotten twice
    assert switching.use(ws, indexes.LANCEDB)["copied"] == 0
    back = switching.use(ws, indexes.EXACT)
    assert back["copied"] == 61
    assert (asked(ws), asked(ws, OTHER_VERSION)) == (before, ["other"])
    assert indexes.at(ws, indexes.LANCEDB, VERSION, DIMENSIONS).count() == 0


def test_V15_stopped_half_way_the_old_one_answers_and_the_next_run_copies_the_rest(ws: Workspace) -> None:
    filled(ws)
    before = asked(ws)
    turns = iter([True, True, *[False] * 99])
    first = switching.use(ws, indexes.LANCEDB, lambda: next(turns))
    assert (first["answers"], first["complete"]) == ("exact", False)
    assert 0 < first["copied"] < 60
    assert asked(ws) == before
    # Meanwhile something changes and something goes.
    old = indexes.opened(ws, VERSION, DIMENSIONS)
    old.upsert([row("i000", 0, 1, text="changed"), row("fresh", 1, 0.9)])
    old.delete([("event", "i001")])
    second = switching.use(ws, indexes.LANCEDB)
    assert second["complete"]
    assert second["copied"] < 60
    found = {id: digest for _, id, digest in indexes.opened(ws, VERSION, DIMENSIONS).items()}
    assert set(found) == {f"i{n:03}" for n in range(60) if n != 1} | {"fresh"}
    assert found["i000"] == b"changed"


@pytest.mark.parametrize("moment", ["before the old one is removed", "while it is copied"])
def test_V15_a_kill_at_any_point_is_made_good_by_the_next_run(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    filled(ws)
    before = asked(ws)
    name = "_remove_left" if moment.startswith("before") else "_copy"
    with monkeypatch.context() as patch:
        patch.setattr(switching, name, _killed)
        with pytest.raises(KeyboardInterrupt):
            switching.use(ws, indexes.LANCEDB)
    assert asked(ws) == before
    done = indexes.answering(ws.db) == indexes.LANCEDB
    assert done == moment.startswith("before")
    assert switching.is_due(ws) == done  # the setting is changed when all is there
    switching.use(ws, indexes.LANCEDB)
    assert asked(ws) == before
    assert vectors.versions(ws.db) == []
    assert meta.get(ws.db, "meaning.index.left") is None


def _killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_V05_nothing_is_moved_while_a_worker_is_at_it(ws: Workspace) -> None:
    filled(ws)
    with platform.Lock(str(Path(ws.folder) / "work.lock"), timeout=0), pytest.raises(PithError, match="worker"):
        switching.use(ws, indexes.LANCEDB)


@pytest.mark.parametrize("name", indexes.NAMES)
def test_an_index_made_anew_answers_as_before(ws: Workspace, name: str) -> None:
    filled(ws)
    switching.use(ws, name)
    before = set(indexes.opened(ws, VERSION, DIMENSIONS).items())
    found = switching.rebuild(ws)
    assert [each["items"] for each in found["versions"]] == [60, 1]
    assert set(indexes.opened(ws, VERSION, DIMENSIONS).items()) == before
    assert len(asked(ws)) == 3


def test_each_project_has_a_place_of_its_own_in_a_shared_bucket(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    assert indexes.place(ws) == str(Path(ws.folder) / "lance")
    monkeypatch.setenv("PITH_MEANING_LANCEDB_URI", "s3://memory/team/")
    with open_workspace(ws.place.root) as again:
        assert indexes.place(again) == f"s3://memory/team/{ws.project.id}"


def test_what_is_not_installed_is_one_sentence_with_the_command(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    from pith.adapters import lance_index

    with monkeypatch.context() as patch:
        patch.setattr(lance_index, "is_installed", lambda: False)
        with pytest.raises(indexes.IndexMissing, match="not installed") as missing:
            switching.use(ws, indexes.LANCEDB)
        assert "pip install 'pith-memory[lancedb]'" in missing.value.hint
    real = builtins.__import__

    def without_numpy(name: str, *how: object, **more: object) -> object:
        if name == "pith.services.meaning.exact":
            raise ModuleNotFoundError("No module named 'numpy'", name="numpy")
        return real(name, *how, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without_numpy)
    with pytest.raises(indexes.IndexMissing, match="numpy, which is not installed") as missing:
        indexes.opened(ws, VERSION, DIMENSIONS)
    assert "pip install 'pith-memory[embed]'" in missing.value.hint


def test_pith_index_says_where_vectors_are_and_moves_them(
    pith: Callable[..., object], ws: Workspace, git_repo: Path
) -> None:
    filled(ws)
    told = pith("index", "status", cwd=git_repo, check=True)
    assert "exact answers." in told.stdout
    assert f"{VERSION}  60 items" in told.stdout
    assert (
        "lancedb answers now; 61 items copied, nothing embedded anew."
        in pith("index", "use", "lancedb", cwd=git_repo).stdout
    )
    assert pith("config", "get", "meaning.index", cwd=git_repo).stdout.strip().startswith("lancedb")
    assert "lancedb answers in " in pith("index", "status", cwd=git_repo).stdout
    assert "lancedb was made anew: 61 items." in pith("index", "rebuild", cwd=git_repo).stdout
    assert '"answers": "exact"' in pith("index", "use", "exact", "--json", cwd=git_repo).stdout
    wrong = pith("index", "use", "faiss", cwd=git_repo)
    assert wrong.code == 1
