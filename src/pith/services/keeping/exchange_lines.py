"""The lines of an export: a header, sessions and events as JSON objects; made, and checked when they are read."""

from __future__ import annotations

import json
from typing import Any

from pith.domain import events, secrets
from pith.domain.events import TRANSCRIPT, Sighting
from pith.store import events as stored
from pith.store import sessions

VERSION = 1
TYPE = "pith-export"


class Damaged(ValueError):
    """A line that is not as it was written; the text says how."""


def header(now: str) -> dict[str, Any]:
    """The first line."""
    return {"type": TYPE, "version": VERSION, "written_at": now}


def line(fields: dict[str, Any]) -> bytes:
    """An object as a line."""
    return json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def session(row: Any, personal: bool) -> dict[str, Any]:
    """A session with what is known of it."""
    fields = {"type": "session", "id": row["id"], "agent": row["agent"], "host": row["host"]}
    for fact in sessions.FACTS:
        value = row[fact] if fact in row.keys() else None  # noqa: SIM118 (a row is no mapping)
        if value is not None:
            fields[fact] = masked(value, personal)
    return fields


def event(row: Any, anchors: list[bytes], personal: bool) -> dict[str, Any]:
    """One event; `copies` knows that its type, id and tombstone come first."""
    fields: dict[str, Any] = {"type": "event", "id": row["id"]}
    if row["forgotten_at"]:
        fields["forgotten_at"] = row["forgotten_at"]
    fields |= {name: row[name] for name in ("kind", "session", "agent", "at", "origin")}
    fields |= {name: masked(row[name], personal) for name in ("branch", "commit", "directory")}
    if not row["forgotten_at"]:
        fields["text"] = masked(row["text"], personal)
        if row["details"]:
            fields["details"] = masked(stored.details(row), personal)
        fields["checksum"] = events.checksum(sighting(fields, ""), events.text_hash(fields["text"])).hex()
    else:
        fields["checksum"] = bytes(row["checksum"]).hex()
    fields["anchors"] = [anchor.hex() for anchor in anchors]
    return fields


def masked(value: Any, personal: bool) -> Any:
    """The value with every text in it masked, and private sections cut out."""
    if isinstance(value, str):
        return secrets.mask(secrets.without_private(value)[0], personal)[0]
    if isinstance(value, list):
        return [masked(item, personal) for item in value]
    if isinstance(value, dict):
        return {name: masked(item, personal) for name, item in value.items()}
    return value


# -- Reading -------------------------------------------------------------------------------------------------

_TEXTS = {
    "session": ("id", "agent", "host"),
    "event": ("id", "kind", "session", "agent", "at", "origin", "branch", "commit", "directory", "checksum"),
}


def checked(fields: dict[str, Any]) -> bool:
    """Whether a line is to be taken (kinds of a later version are passed over); raises where it is damaged."""
    names = _TEXTS.get(fields["type"])
    if names is None:
        return False
    if not all(isinstance(fields[name], str) for name in names):
        raise Damaged("a field is missing")
    if fields["type"] == "session":
        if not all(isinstance(fields.get(fact, ""), str) for fact in sessions.FACTS):
            raise Damaged("a fact is no text")
        return True
    _check_event(fields)
    return True


def _check_event(fields: dict[str, Any]) -> None:
    if fields["kind"] not in events.KINDS or fields["origin"] not in events.ORIGINS or len(fields["id"]) != 36:
        raise Damaged("an unknown kind of event")
    if not all(len(bytes.fromhex(anchor)) == 16 for anchor in fields["anchors"]):
        raise Damaged("an anchor is not as pith writes it")
    if len(bytes.fromhex(fields["checksum"])) != 32:
        raise Damaged("the checksum is not as pith writes it")
    if "forgotten_at" in fields:
        if not isinstance(fields["forgotten_at"], str) or not fields["forgotten_at"]:
            raise Damaged("a tombstone without its time")
        return
    if not isinstance(fields["text"], str) or not isinstance(fields.get("details", {}), dict):
        raise Damaged("a field is missing")
    files = fields.get("details", {}).get("files", [])
    if not isinstance(files, list) or not all(isinstance(path, str) for path in files):
        raise Damaged("the files are not as pith writes them")
    if events.checksum(sighting(fields, ""), events.text_hash(fields["text"])).hex() != fields["checksum"]:
        raise Damaged("the text does not fit its checksum")


def sighting(fields: dict[str, Any], host: str) -> Sighting:
    """The event of a line as it is stored."""
    return Sighting(
        fields["kind"],
        fields["session"],
        fields["text"],
        fields["at"],
        host=host,
        channel=TRANSCRIPT,
        origin=fields["origin"],
        agent=fields["agent"],
        details=fields.get("details"),
    )
