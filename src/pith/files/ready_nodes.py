"""`local/*.ready`: answers over all nodes as they were printed, for as long as no file behind them is another.

Each holds the state it was made of, a hash of the rest, the answer without its nodes, and these as JSON text. Whether a
credential has to be masked was decided when that text was made, by this version.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from typing import Any

from pith import __version__
from pith.errors import PithError
from pith.files import atomic, caches, nodes
from pith.files.layout import CONFIG, INTENT, LARGEST, Layout
from pith.files.node_cache import is_racy, stamp_of

_VERSION = 1


def state(layout: Layout, beside: str = "") -> str | None:
    """All that an answer comes from, in short: every node file's stamp, the configuration, and what is told `beside`.

    None where a file may change without a trace, and where a command was interrupted.
    """
    now = time.time_ns()
    try:
        layout.demand_no_links()
        config = hashlib.sha256(atomic.read(layout.path(CONFIG), LARGEST)).hexdigest()
        found = [str(_VERSION), __version__, str(layout.root), config, beside]
        for folder in nodes.folders(layout):
            found.append(folder)
            for file in layout.entries(folder):
                stamp = stamp_of(file.stat())
                if is_racy(stamp, now):
                    return None
                found.append(f"{file.name}/{stamp}")
    except (PithError, OSError):
        return None
    if os.path.lexists(layout.path(INTENT)):
        return None
    return _hash("\0".join(found).encode("utf-8", "surrogateescape"))


def kept(layout: Layout, name: str, state: str) -> tuple[dict[str, Any], str] | None:
    """The answer without its nodes, and the text of these, where they are of this state."""
    whole = memoryview(caches.read(layout.path(name)))
    head = len(state) + len(state)
    if whole[: len(state)] != state.encode() or whole[len(state) : head] != _hash(whole[head:]).encode():
        return None
    rest, _, text = str(whole[head:], "utf-8").partition("\n")
    return json.loads(rest), text


def keep(layout: Layout, name: str, state: str, answer: dict[str, Any], text: str) -> None:
    """Keep an answer, given without its nodes, for the next time."""
    rest = f"{json.dumps(answer)}\n{text}".encode()
    caches.write(layout.path(name), state.encode() + _hash(rest).encode() + rest)


def _hash(data: bytes | memoryview) -> str:
    return hashlib.blake2b(data, digest_size=32).hexdigest()
