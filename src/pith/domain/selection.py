"""Which item somebody means: its whole id, or a beginning that fits one only."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection

from pith.errors import InputError

_SHOWN = 5


class NoSuchItem(InputError):
    """Nothing has this id, and no id begins with it."""

    hint = "Give the id that the list command prints, or its beginning."
    http_status = 404


class AmbiguousItem(InputError):
    """Several ids begin with what was given."""

    http_status = 409


def pick(wanted: str, ids: Collection[str], what: str, missing: str | None = None) -> str:
    """The id that was meant. Raises NoSuchItem, and AmbiguousItem that names the candidates."""
    normal = unicodedata.normalize("NFC", wanted)
    named = {unicodedata.normalize("NFC", each): each for each in ids}
    if normal in named:
        return named[normal]
    found = sorted(each for each in named if each.startswith(normal))
    if len(found) == 1:
        return named[found[0]]
    if not found:
        raise NoSuchItem(f"{missing or f'{what} not found'}: {wanted}")
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    raise AmbiguousItem(
        f"{what} selector is ambiguous: {wanted}",
        hint=f"It may be {', '.join(found[:_SHOWN])}{more}. Give more of its characters.",
    )
