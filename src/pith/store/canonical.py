"""JSON as it is stored: the same value, the same text."""

from __future__ import annotations

import json

# `json.dumps` with settings of its own makes an encoder at every call, which takes longer than the encoding.
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


def as_json(value: object) -> str:
    """The text of a value, keys in order."""
    return _encode(value)
