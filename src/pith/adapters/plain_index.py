"""The arithmetic of the exact index without numpy, for a process that asks a question or two and ends.

To import numpy takes several times as long as to compare 100,000 signs here. What is near is the same as there:
distances are whole numbers, and closeness is worked out in 64-bit floats instead of 32.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from math import dist, hypot, isfinite
from typing import Any

from pith.domain.centring import OTHER, Means

MARK = 20  # bytes of what filters ask for, of one code: time, then hashes of kind, session and item
KIND, SESSION = 8, 12  # where they begin in it
FAR = 255  # a distance that is as long or longer, and one that a filter does not allow


def unit(vector: bytes, dimensions: int) -> bytes:
    """The vector with length one, or ValueError, as `exact_index.unit` has it."""
    if len(vector) != dimensions * 4:
        raise ValueError(f"A vector has {len(vector) / 4:g} numbers instead of {dimensions}.")
    numbers = _floats(vector)
    length = hypot(*numbers)
    if not isfinite(length) or length < 1e-6:
        raise ValueError("A vector is zero." if length < 1e-6 else "A vector holds a number that is none.")
    return struct.pack(f"<{dimensions}f", *[number / length for number in numbers])


def _floats(vector: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(vector) // 4}f", vector)


def _mean(means: Means, script: str, dimensions: int) -> tuple[float, ...]:
    found = means.of.get(script) or means.of.get(OTHER)
    return _floats(found) if found else (0.0,) * dimensions


def _centred(vector: bytes, script: str, means: Means) -> list[float]:
    numbers = _floats(vector)
    return [one - other for one, other in zip(numbers, _mean(means, script, len(numbers)), strict=True)]


# -- Signs ---------------------------------------------------------------------------------------------------


def signs(vector: bytes, script: str, means: Means) -> int:
    """The signs of a question as one number, the first as the highest bit, filled up to whole words as codes are."""
    bits = "".join("1" if number > 0 else "0" for number in _centred(vector, script, means))
    return int(bits.ljust(-(-len(bits) // 64) * 64, "0"), 2)


def distances(codes: bytes, signs: int, dimensions: int) -> bytes:
    """In how many signs each code differs, in a byte each; from FAR on they are all the same."""
    size = -(-dimensions // 64) * 8
    number = int.from_bytes
    found = [(number(code, "big") ^ signs).bit_count() for (code,) in struct.iter_unpack(f"{size}s", codes)]
    try:
        return bytes(found)
    except ValueError:
        return bytes([min(FAR, each) for each in found])


def allowed(marks: bytes, kinds: Sequence[str], session: str) -> int:
    """Which codes may fit: FAR for each that does, 0 for others, as one number. Names are compared by their hashes."""
    fitting = int.from_bytes(b"\xff" * (len(marks) // MARK), "little")
    for at, names in ((KIND, kinds), (SESSION, [session] if session else [])):
        if names:
            some = 0
            for name in names:
                some |= _equal(marks, at, zlib.crc32(name.encode("utf-8", "replace")))
            fitting &= some
    return fitting


def _equal(marks: bytes, at: int, hashed: int) -> int:
    """Where four bytes of each mark are those of a hash."""
    equal = -1
    for place, byte in enumerate(hashed.to_bytes(4, "little")):
        table = bytes(FAR if each == byte else 0 for each in range(256))
        equal &= int.from_bytes(marks[at + place :: MARK].translate(table), "little")
    return equal


def nearest(distances: bytes, fitting: int | None, most: int) -> list[int] | None:
    """The places of the `most` smallest distances among those that fit; None where too many are too far to tell."""
    if fitting is not None:
        outside = fitting ^ int.from_bytes(b"\xff" * len(distances), "little")
        distances = (int.from_bytes(distances, "little") | outside).to_bytes(len(distances), "little")
    found: list[int] = []
    for distance in range(FAR):
        left = most - len(found)
        if left <= 0:
            return found
        at = distances.find(distance)
        while at >= 0 and left > 0:
            found.append(at)
            left -= 1
            at = distances.find(distance, at + 1)
    return found if len(found) >= most else None


# -- Rescoring -----------------------------------------------------------------------------------------------


def closeness(vector: bytes, script: str, rows: Sequence[Any], means: Means) -> list[float]:
    """How near each row is to the question: the cosine of both without their means.

    Two distances tell it, from the row to its mean and to the end of the question's direction at that mean: what is
    a loop over numbers otherwise is a loop inside Python.
    """
    centred = _centred(vector, script, means)
    length = hypot(*centred)
    asked = [number / (length if length > 1e-9 else 1) for number in centred]
    square = sum(number * number for number in asked)
    ends: dict[str, tuple[tuple[float, ...], list[float]]] = {}
    found = []
    halves = struct.Struct(f"<{len(asked)}e").unpack
    for row in rows:
        known = ends.get(row["script"])
        if known is None:
            mean = _mean(means, row["script"], len(asked))
            known = ends[row["script"]] = (mean, [one + other for one, other in zip(mean, asked, strict=True)])
        numbers = halves(row["vector"])
        long, off = dist(numbers, known[0]), dist(numbers, known[1])
        found.append((long * long + square - off * off) / (2 * (long if long > 1e-9 else 1)))
    return found
