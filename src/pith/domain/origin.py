"""Who writes the files of the project memory: the same six fields stand in every one of them."""

from __future__ import annotations

from collections.abc import Mapping

from pith import __version__

NAMES = ("generated_by", "generator_package", "generator_version", "source_repository", "official_package")

ORIGIN = {
    "generated_by": "pith",
    "generator_package": "pith-memory",
    "generator_version": __version__,
    # Neutral: a project's own files say nothing about where its tools are downloaded.
    "source_repository": "pith",
    "official_package": "pith-memory",
    "license": "MIT",
}


def of(fields: Mapping[str, object]) -> dict[str, str]:
    """The five fields that an answer repeats, as a file has them; empty where it has none."""
    return {name: value if isinstance(value := fields.get(name), str) else "" for name in NAMES}
