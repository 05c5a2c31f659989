"""The arithmetic of the exact index: signs of centred vectors, compared by the bit, then the floats of the best few.

It is given bytes and gives bytes; what it compares stands in the store, and the service that composes both reads it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pith.domain.centring import OTHER, Means
from pith.domain.ports import VectorFilter, VectorRow

Floats = npt.NDArray[np.float32]

MARKS = np.dtype([("at", "<i8"), ("kind", "<u4"), ("session", "<u4"), ("item", "<u4")])
_NAMES = 1 << 20  # places for the hashes of the names in a filter: 20,000 of them let 2 % of the others pass by chance
_STORED = np.dtype("<f2")
_DIGITS = 17  # of a time with milliseconds


# -- Vectors -------------------------------------------------------------------------------------------------


def unit(vector: bytes, dimensions: int) -> Floats:
    """The vector with length one, or ValueError: one that says nothing must not be found near everything."""
    if len(vector) != dimensions * 4:
        raise ValueError(f"A vector has {len(vector) / 4:g} numbers instead of {dimensions}.")
    numbers = np.frombuffer(vector, "<f4").astype(np.float64)
    length = float(np.linalg.norm(numbers))
    if not np.isfinite(length) or length < 1e-6:
        raise ValueError("A vector is zero." if length < 1e-6 else "A vector holds a number that is none.")
    return (numbers / length).astype(np.float32)


def accepted(rows: Sequence[VectorRow], dimensions: int) -> list[tuple[VectorRow, bytes]]:
    """The rows with their vectors as they are stored, the last one of each piece; ValueError if any is no good.

    They are of unit length and 16-bit floats: half the bits, and a centred cosine changes by less than 0.001.
    """
    latest = {(row.kind, row.item_id, row.part): row for row in rows}
    return [(row, unit(row.vector, dimensions).astype(_STORED).tobytes()) for row in latest.values()]


def whole(stored: bytes) -> bytes:
    """A stored vector as the embedder gave it."""
    return np.frombuffer(stored, _STORED).astype("<f4").tobytes()


def sums(rows: Iterable[Any], known: dict[str, tuple[int, bytes]]) -> dict[str, tuple[int, bytes]]:
    """Add rows to what was counted before: script -> how many, their sum in 64-bit floats."""
    found = {script: (many, np.frombuffer(total, "<f8").copy()) for script, (many, total) in known.items()}
    grouped: dict[str, list[bytes]] = {}
    for row in rows:
        grouped.setdefault(row["script"], []).append(row["vector"])
    for script, stored in grouped.items():
        added = _matrix(stored).sum(axis=0, dtype=np.float64)
        many, total = found.get(script, (0, 0.0))
        found[script] = (many + len(stored), total + added)
    return {script: (many, total.tobytes()) for script, (many, total) in found.items()}


def fitted(counts: Mapping[str, tuple[int, bytes]], prior: Means, weight: int) -> dict[str, tuple[int, bytes]]:
    """The mean of each script, where the prior one weighs as much as `weight` vectors: few are all near their own mean.

    A script without a prior mean leans on the mean of all vectors.
    """
    totals = {script: np.frombuffer(total, "<f8") for script, (_, total) in counts.items()}
    overall = sum(totals.values(), np.float64(0)) / max(1, sum(many for many, _ in counts.values()))
    made = {}
    for script in {*counts, *prior.of}:
        many = counts[script][0] if script in counts else 0
        before = np.frombuffer(prior.of[script], "<f4") if script in prior.of else overall
        mean = (totals.get(script, 0.0) + before * np.float64(weight)) / (many + weight)
        made[script] = (many, np.asarray(mean).astype("<f4").tobytes())
    return made


def average(vectors: Sequence[bytes]) -> bytes:
    """The mean of vectors."""
    matrix = np.frombuffer(b"".join(vectors), "<f4").reshape(len(vectors), -1)
    return np.asarray(matrix.mean(axis=0, dtype=np.float64)).astype("<f4").tobytes()


def _matrix(stored: Sequence[bytes]) -> Floats:
    return np.frombuffer(b"".join(stored), _STORED).reshape(len(stored), -1).astype(np.float32)


def _mean(means: Means, script: str) -> Any:
    """What is taken off; a script that has no mean of its own takes the others'."""
    found = means.of.get(script) or means.of.get(OTHER)
    return np.frombuffer(found, "<f4") if found else np.float32(0)


def _unit_rows(matrix: Floats) -> Floats:
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.where(lengths > 1e-9, lengths, 1), np.float32)


def _centred(rows: Sequence[Any], means: Means) -> Floats:
    matrix = _matrix([row["vector"] for row in rows])
    scripts = [row["script"] for row in rows]
    for script in set(scripts):
        matrix[[one == script for one in scripts]] -= _mean(means, script)
    return matrix


# -- Codes ---------------------------------------------------------------------------------------------------


class Packed(NamedTuple):
    """A block: its slots, what filters ask for, and the signs, each as bytes."""

    places: bytes
    marks: bytes
    codes: bytes


def packed(rows: Sequence[Any], means: Means) -> Packed:
    """The block of these rows, ascending by slot."""
    marks = np.empty(len(rows), MARKS)
    marks["at"] = [moment(row["at"]) for row in rows]
    for mark, column in (("kind", "item_kind"), ("session", "session"), ("item", "item_id")):
        marks[mark] = _hashes([row[column] for row in rows])
    places = np.array([row["slot"] for row in rows], "<i8")
    return Packed(places.tobytes(), marks.tobytes(), _signs(_centred(rows, means)).tobytes())


def _signs(matrix: Floats) -> npt.NDArray[np.uint64]:
    """The signs as bits, filled up to whole words."""
    bits = np.packbits(matrix > 0, axis=1)
    missing = -bits.shape[1] % 8
    return np.pad(bits, ((0, 0), (0, missing))).view(np.uint64) if missing else bits.view(np.uint64)


def moment(at: str) -> int:
    """A time as a number in the same order as the texts are."""
    digits = "".join(character for character in at if character.isdecimal() and character.isascii())
    return int(digits[:_DIGITS].ljust(_DIGITS, "0"))


def _hashes(names: Sequence[str]) -> npt.NDArray[np.uint32]:
    try:
        return np.fromiter(map(zlib.crc32, map(str.encode, names)), np.uint32, len(names))
    except UnicodeEncodeError:  # half a surrogate pair, which no stored name holds
        return _hashes([name.encode("utf-8", "replace").decode() for name in names])


class Codes:
    """The codes of a set in memory, 48 bytes each for 384 dimensions, and which mean each part was made with."""

    def __init__(self, parts: Sequence[tuple[int, bytes, bytes]]) -> None:
        """`parts` are mean, places and codes of blocks, ascending by slot."""
        self._parts = [(mean, len(places) // 8) for mean, places, _ in parts]
        self._places = np.frombuffer(b"".join(places for _, places, _ in parts), "<i8")
        count = len(self._places)
        joined = b"".join(codes for _, _, codes in parts)
        self._codes = np.frombuffer(joined, np.uint64).reshape(count, -1) if count else np.empty((0, 1), np.uint64)

    def __len__(self) -> int:
        return len(self._places)

    def nearest(
        self, vector: bytes, script: str, means: Mapping[int, Means], most: int, allowed: npt.NDArray[np.bool_] | None
    ) -> list[int]:
        """The slots of the `most` codes nearest to the question's among those allowed, in no order."""
        places, distances = self._places, self._distances(vector, script, means)
        if allowed is not None:
            places, distances = places[allowed], distances[allowed]
        if len(places) > most:
            places = places[np.argpartition(distances, most - 1)[:most]]
        found: list[int] = places.tolist()
        return found

    def _distances(self, vector: bytes, script: str, means: Mapping[int, Means]) -> npt.NDArray[np.uint16]:
        question = np.frombuffer(vector, "<f4")
        distances = np.empty(len(self._places), np.uint16)
        at = 0
        for number, count in _runs(self._parts):
            centred = question - _mean(means.get(number, Means()), script)
            signs = _signs(centred[np.newaxis, :])[0]
            here = slice(at, at + count)
            np.sum(np.bitwise_count(self._codes[here] ^ signs), axis=1, dtype=np.uint16, out=distances[here])
            at += count
        return distances


def _runs(parts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Neighbouring parts of the same mean as one: number, how many codes."""
    runs: list[tuple[int, int]] = []
    for number, count in parts:
        if runs and runs[-1][0] == number:
            runs[-1] = (number, runs[-1][1] + count)
        else:
            runs.append((number, count))
    return runs


def fitting(marks: bytes, only: VectorFilter) -> npt.NDArray[np.bool_]:
    """Which codes may fit a filter: all that do, and a few that do not, since names are compared by hashes here.

    `not_session` is left to whoever reads the rows: a hash says that two names may be equal, never that they are.
    """
    here = np.frombuffer(marks, MARKS)
    allowed = np.ones(len(here), np.bool_)
    if only.kinds:
        allowed &= _named(here["kind"], only.kinds)
    if only.session:
        allowed &= _named(here["session"], [only.session])
    if only.ids is not None:
        allowed &= _named(here["item"], list(only.ids))
    if only.since:
        allowed &= here["at"] >= moment(only.since)
    if only.until:
        allowed &= here["at"] <= moment(only.until)
    return allowed


def _named(hashes: npt.NDArray[np.uint32], names: Sequence[str]) -> npt.NDArray[np.bool_]:
    places = np.zeros(_NAMES, np.bool_)
    places[_hashes(names) % _NAMES] = True
    return np.asarray(places[hashes % _NAMES], np.bool_)


# -- Rescoring -----------------------------------------------------------------------------------------------


def direction(vector: bytes, script: str, means: Means) -> bytes:
    """The question without its mean, of unit length."""
    centred = (np.frombuffer(vector, "<f4") - _mean(means, script))[np.newaxis, :]
    return bytes(_unit_rows(centred)[0].tobytes())


def closeness(vector: bytes, script: str, rows: Sequence[Any], means: Means) -> list[float]:
    """How near each row is to the question: the cosine of both without their means."""
    if not rows:
        return []
    question = np.frombuffer(direction(vector, script, means), np.float32)
    found: list[float] = (_unit_rows(_centred(rows, means)) @ question).astype(np.float64).tolist()
    return found
