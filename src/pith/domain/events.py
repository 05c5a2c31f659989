"""What a session produced: kinds of event, and how two sightings of one event are recognised.

The same session is often seen twice, live by hooks and later in a transcript, or by two hosts at once. A *sighting* is
one such view; an *anchor* is a name under which an event was seen. Two sightings are one event when an id agrees or,
where either lacks that id, when the text and its ordinal among equal texts of that session and kind agree. Each channel
(hook, transcript) counts its own sightings, so "the second `continue`" means the same to both.
"""

from __future__ import annotations

from pith.platform import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

PROMPT = "prompt"
RESPONSE = "response"
TOOL = "tool"
SUMMARY = "summary"
NOTE = "note"
KINDS = (PROMPT, RESPONSE, TOOL, SUMMARY, NOTE)

PERSON = "person"
AGENT = "agent"
TOOL_OUTPUT = "tool"
WEB = "web"
IMPORTED = "import"
ORIGINS = (PERSON, AGENT, TOOL_OUTPUT, WEB, IMPORTED)

HOOK = "hook"
TRANSCRIPT = "transcript"

ORIGIN_OF_KIND = {PROMPT: PERSON, RESPONSE: AGENT, TOOL: TOOL_OUTPUT, SUMMARY: AGENT, NOTE: IMPORTED}


class Sighting:
    """One view of an event, by a hook or in a transcript, before anything was decided about it.

    `record`, `tool` and `turn` are the ids it came with (a transcript record's uuid, a tool-use id, a prompt or turn
    id), each possibly empty. `details` holds what a tool event did: tool, files, command, exit. `at` is UTC text.
    """

    __slots__ = (
        "agent",
        "at",
        "branch",
        "channel",
        "commit",
        "details",
        "directory",
        "host",
        "kind",
        "origin",
        "record",
        "session",
        "text",
        "tool",
        "turn",
    )

    def __init__(
        self,
        kind: str,
        session: str,
        text: str,
        at: str,
        *,
        host: str,
        channel: str,
        origin: str = "",
        agent: str = "",
        record: str = "",
        tool: str = "",
        turn: str = "",
        details: Mapping[str, Any] | None = None,
        branch: str = "",
        commit: str = "",
        directory: str = "",
    ) -> None:
        self.kind = kind
        self.session = session
        self.text = text
        self.at = at
        self.host = host
        self.channel = channel
        self.origin = origin or ORIGIN_OF_KIND[kind]
        self.agent = agent
        self.record = record
        self.tool = tool
        self.turn = turn
        self.details = dict(details) if details else {}
        self.branch = branch
        self.commit = commit
        self.directory = directory

    def as_dict(self) -> dict[str, Any]:
        """Every field that is not empty, for the spool and for exports."""
        return {name: value for name in self.__slots__ if (value := getattr(self, name))}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Sighting:
        """The sighting that `as_dict` wrote; fields of a newer version are ignored."""
        known = {name: value for name, value in fields.items() if name in cls.__slots__}
        return cls(known.pop("kind"), known.pop("session"), known.pop("text", ""), known.pop("at"), **known)


def text_hash(text: str) -> bytes:
    """SHA-256 of a stored (masked, NFC) text; lone surrogates count as what they are."""
    return sha256(text.encode("utf-8", "surrogatepass"))


def anchor(*parts: object) -> bytes:
    """Sixteen bytes that stand for one name under which an event was seen."""
    return sha256("\0".join(map(str, parts)).encode("utf-8", "surrogatepass"))[:16]


def id_anchors(seen: Sighting, digest: bytes) -> list[bytes]:
    """The anchors that the sighting's ids give; a turn may hold several prompts, so its id counts with the text."""
    anchors = []
    if seen.record:
        anchors.append(anchor("record", seen.record))
    if seen.tool:
        anchors.append(anchor("tool", seen.kind, seen.tool))
    if seen.turn and seen.kind == PROMPT:
        anchors.append(anchor("turn", seen.turn, digest.hex()))
    return anchors


def text_anchor(seen: Sighting, digest: bytes, channel: str, ordinal: int) -> bytes:
    """The anchor of the `ordinal`-th equal text of this session and kind, as `channel` counts.

    A compaction summary is worded differently in the hook and in the transcript: there the ordinal alone decides.
    """
    text = "" if seen.kind == SUMMARY else digest.hex()
    return anchor("text", channel, seen.session, seen.agent, seen.kind, text, ordinal)


def checksum(seen: Sighting, digest: bytes) -> bytes:
    """What `doctor` compares to see whether a stored event is still as it was written."""
    return sha256("\0".join((seen.kind, seen.session, seen.agent, seen.at, seen.origin, digest.hex())).encode())
