"""Embedders that run here: the packaged model, a model file made by hand, an address on this machine."""

from __future__ import annotations

import json
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

DIMENSIONS = 16
WORDS = ["[UNK]", *"query passage the cart total is off by one 장바구니 합계 가 1원 틀립니다 결정 hello".split()]

Answer = Callable[["Handler", dict[str, Any]], None]


# -- A model file, without a library that writes one ----------------------------------------------------------


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def _number(field: int, number: int) -> bytes:
    return _varint(field << 3) + _varint(number)


def _bytes(field: int, content: bytes | str) -> bytes:
    raw = content.encode() if isinstance(content, str) else content
    return _varint(field << 3 | 2) + _varint(len(raw)) + raw


def _value(name: str, kind: int, *axes: int | str) -> bytes:
    """A graph's input or output: name, type of its elements, its axes."""
    sizes = b"".join(_bytes(1, _bytes(2, axis) if isinstance(axis, str) else _number(1, axis)) for axis in axes)
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, sizes)))


def onnx_model(dimensions: int = DIMENSIONS) -> bytes:
    """A model that gives each token a vector of its own: one `Gather` from a table."""
    table = b"".join(
        struct.pack("<f", (zlib.crc32(f"{word}:{axis}".encode()) % 2_000 - 1_000) / 1_000)
        for word in WORDS
        for axis in range(dimensions)
    )
    node = b"".join([_bytes(1, "table"), _bytes(1, "input_ids"), _bytes(2, "last_hidden_state"), _bytes(4, "Gather")])
    tensor = b"".join(
        [_number(1, len(WORDS)), _number(1, dimensions), _number(2, 1), _bytes(8, "table"), _bytes(9, table)]
    )
    graph = b"".join(
        [
            _bytes(1, node),
            _bytes(2, "tokens"),
            _bytes(5, tensor),
            _bytes(11, _value("input_ids", 7, "batch", "length")),
            _bytes(11, _value("attention_mask", 7, "batch", "length")),
            _bytes(12, _value("last_hidden_state", 1, "batch", "length", dimensions)),
        ]
    )
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, "") + _number(2, 13))


def onnx_folder(place: Path, **config: object) -> Path:
    """A folder as somebody would export it, with a tokenizer of a dozen words."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    folder = place / "my-model"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(onnx_model())
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    if config:
        (folder / "pith.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


# -- An address ----------------------------------------------------------------------------------------------


def spoken(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """What the address says of a text: words that it shares with another bring both together."""
    numbers = [0.1] * dimensions
    for word in text.split():
        numbers[zlib.crc32(word.encode()) % dimensions] += 3
    return numbers


class Handler(BaseHTTPRequestHandler):
    """Notes what it was asked and answers as the test wants."""

    protocol_version = "HTTP/1.1"
    answer: Answer
    asked: list[dict[str, Any]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append({**body, "path": self.path, "key": self.headers.get("Authorization")})
        type(self).answer(self, body)

    def say(self, status: int, content: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def give(self, lists: list[Any]) -> None:
        data = [{"object": "embedding", "index": at, "embedding": each} for at, each in enumerate(lists)]
        self.say(200, json.dumps({"object": "list", "data": data[::-1]}).encode())

    def log_message(self, *_: object) -> None:
        pass


def well(handler: Handler, body: dict[str, Any]) -> None:
    handler.give([spoken(text) for text in body["input"]])


@contextmanager
def served(answer: Answer = well) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """An OpenAI-style address on this machine, and what it was asked."""
    asked: list[dict[str, Any]] = []
    handler = type("Its", (Handler,), {"answer": staticmethod(answer), "asked": asked})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
