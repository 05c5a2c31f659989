"""Changes of knowledge on their way out of a store and into another, where their entries have the same ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pith.domain import events, knowledge
from pith.domain.preferences import EVERYWHERE
from pith.errors import InputError
from pith.services.keeping.exchange_lines import Damaged, masked
from pith.store import knowledge as stored
from pith.store.database import Db

TYPE = "knowledge"
_TEXTS = ("id", "kind", "at", "origin", "branch", "commit")


def lines(db: Db, personal: bool) -> Iterator[dict[str, Any]]:
    """Every change as the object of a line; they stand after the events that they quote."""
    for fields in stored.to_export(db):
        cleaned: dict[str, Any] = masked(fields, personal)
        yield {"type": TYPE, **cleaned}


def check(fields: Mapping[str, Any]) -> None:
    """Raise Damaged unless the line is as `lines` writes it."""
    if not all(isinstance(fields[name], str) for name in _TEXTS) or not isinstance(fields["payload"], dict):
        raise Damaged("a field is missing")
    if fields["origin"] not in events.ORIGINS or len(fields["id"]) != 36:
        raise Damaged("an unknown kind of event")
    if len(fields["anchors"]) != 1 or len(bytes.fromhex(fields["anchors"][0])) != 16:
        raise Damaged("an anchor is not as pith writes it")
    if not all(isinstance(source, str) for source in fields["sources"]):
        raise Damaged("a source is no id")
    try:
        knowledge.check(fields["kind"], fields["payload"])
        int(fields["id"][:8] + fields["id"][9:13], 16)
    except (InputError, ValueError) as error:
        raise Damaged(str(error)) from error


def decides(fields: Mapping[str, Any]) -> bool:
    """Whether a change says that a person confirmed a preference: agents are told of it as the person's wish."""
    return bool(fields["kind"] == knowledge.PREFERENCE_CONFIRMED)


def holds_everywhere(fields: Mapping[str, Any]) -> bool:
    """Whether a change belongs into a personal store."""
    kinds = (knowledge.PREFERENCE_CONFIRMED, knowledge.PREFERENCE_WITHDRAWN)
    return bool(fields["kind"] in kinds and fields["payload"].get("scope") == EVERYWHERE)


def take(db: Db, fields: Mapping[str, Any], same: Mapping[str, str], personal: bool) -> bool | None:
    """Append a change from another store; False when it is known, None when it quotes what is forgotten here.

    `same` tells under which id this store has an event that the other one knows by another.
    """
    sources = [same.get(source, source) for source in fields["sources"]]
    if stored.quotes_forgotten(db, sources):
        return None
    if stored.has_id(db, fields["id"]):
        return False
    payload: dict[str, Any] = _renamed(masked(fields["payload"], personal), same)
    change = stored.append(
        db,
        fields["kind"],
        payload,
        at=fields["at"],
        anchor=bytes.fromhex(fields["anchors"][0]),
        origin=fields["origin"],
        sources=sources,
        branch=masked(fields["branch"], personal),
        commit=masked(fields["commit"], personal),
        id=fields["id"],
    )
    return change is not None


def _renamed(value: Any, same: Mapping[str, str]) -> Any:
    if not same:
        return value
    if isinstance(value, str):
        return same.get(value, value)
    if isinstance(value, list):
        return [_renamed(item, same) for item in value]
    if isinstance(value, dict):
        return {name: _renamed(item, same) for name, item in value.items()}
    return value
