"""Entities: tasks, conditions and artifacts; the names by which one is recognised, and the states of a task."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args
from urllib.parse import urlsplit, urlunsplit

from pith.domain.entries import IllegalMove

EntityType = Literal["task", "condition", "artifact"]
TaskState = Literal["pending", "in_progress", "blocked", "done", "cancelled"]

TASK, CONDITION, ARTIFACT = "task", "condition", "artifact"
TYPES: tuple[str, ...] = get_args(EntityType)

PENDING, IN_PROGRESS, BLOCKED, DONE, CANCELLED = "pending", "in_progress", "blocked", "done", "cancelled"
TASK_STATES: tuple[str, ...] = get_args(TaskState)
TASK_MOVES: dict[str, tuple[str, ...]] = {
    PENDING: (IN_PROGRESS, BLOCKED, CANCELLED),
    IN_PROGRESS: (BLOCKED, DONE, CANCELLED),
    BLOCKED: (IN_PROGRESS, CANCELLED),
    DONE: (IN_PROGRESS,),
    CANCELLED: (),
}

OPEN, RESOLVED = "open", "resolved"  # the states of a condition
PRIORITIES = ("low", "normal", "high", "urgent")


class TransitionRejected(IllegalMove):
    """A task cannot go from its state to that one."""

    code = "TASK_TRANSITION_REJECTED"
    hint = "A task is started before it is done: `pith task set <id> --status in_progress`."


@dataclass(frozen=True)
class Entity:
    """A thing whose state changes; `current` is the fold of what happened to it."""

    entity_id: str
    entity_type: str
    canonical_key: str
    title: str
    current: Mapping[str, Any]
    stage: str = "raw"
    status: str = "active"
    title_norm: str = ""
    search_text: str = ""
    created_at: str = ""
    updated_at: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def state(self) -> str:
        """Where it stands: a task's or condition's state; empty for an artifact."""
        return str(self.current.get("status", ""))


def may_move(state: str, to: str) -> bool:
    """Whether a task goes from one state to the other in one step."""
    return to in TASK_MOVES.get(state, ())


def check_move(title: str, state: str, to: str) -> None:
    """Raise TransitionRejected unless the task may go there."""
    if to not in TASK_STATES:
        raise TransitionRejected(f"`{to}` is no state of a task.", hint=f"Use one of {', '.join(TASK_STATES)}.")
    if not may_move(state, to):
        allowed = ", ".join(TASK_MOVES[state]) or "nowhere"
        raise TransitionRejected(
            f"Task “{title}” is {state} and cannot become {to}.", hint=f"From {state} it can go to: {allowed}."
        )


# -- Names ---------------------------------------------------------------------------------------------------


def normalised(title: str) -> str:
    """A title by which equal ones are recognised: NFKC, casefolded, punctuation and space folded into one space.

    Letters, digits, marks and symbols of every script stay: Hangul, Kana, Han, accents.
    """
    text = title
    for _ in range(4):  # casefolding can undo NFKC and the other way round; two rounds settle all known cases
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        if folded == text:
            break
        text = folded
    kept = "".join(_kept(character) for character in text)
    return unicodedata.normalize("NFKC", " ".join(kept.split()))


def _kept(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cf":  # invisible joiners and soft hyphens part nothing
        return ""
    return " " if category[0] in "PZC" else character


def _name(text: str) -> str:
    """What stands in a key for a title; one of punctuation alone keeps a hash, so that `!!!` and `???` differ."""
    return normalised(text) or "~" + _sha1(text.strip())[:12]


def task_key(project: str, title: str) -> str:
    """The canonical key of a task."""
    return f"task:{project}:{_name(title)}"


def condition_key(project: str, text: str) -> str:
    """The canonical key of a condition."""
    return f"cond:{project}:{_name(text)}"


def unknown_condition_key(task_id: str) -> str:
    """The key of the condition that stands in where a task is blocked and nobody said by what."""
    return f"cond:unknown:{task_id}"


@dataclass(frozen=True)
class Artifact:
    """Something outside that is referred to: its key, how it is called, and where it is if that is known."""

    key: str
    title: str
    url: str = ""


_URL = re.compile(r"https?://[^\s<>\"'`]+", re.IGNORECASE)
_GH_URL = re.compile(r"https?://github\.com/([\w.-]+/[\w.-]+)/(?:issues|pull)/(\d+)\b", re.IGNORECASE)
_GH_ISSUE = re.compile(r"(?<![\w/.-])([A-Za-z0-9][\w.-]*/[\w.-]*\w)#(\d+)\b", re.ASCII)
_JIRA_URL = re.compile(r"https?://[^\s/]+/(?:[^\s]*/)?browse/([A-Z][A-Z0-9_]{1,15}-\d+)\b")
_JIRA = re.compile(r"(?<![A-Za-z0-9_-])([A-Z][A-Z0-9_]{1,15}-\d+)(?![A-Za-z0-9_-])")
# Written like an issue key, but the name of a standard, a model or an algorithm.
_NO_PROJECTS = frozenset(
    "UTF UCS ISO SHA MD RFC HTTP TLS SSL AES RSA CVE CWE GPT ES EN IEEE COVID ASCII BASE RC HS RS PS OAUTH IPV"
    " ECMA PEP JSR UTC GMT WIN ARM USB MP PKCS P ED X".split()
)


def artifact(text: str) -> Artifact | None:
    """The first artifact that a text names: a GitHub issue, an issue key, or a URL."""
    for pattern in (_GH_URL, _GH_ISSUE):
        if found := pattern.search(text):
            repository, number = found[1].lower(), int(found[2])
            url = found[0] if pattern is _GH_URL else f"https://github.com/{found[1]}/issues/{number}"
            return Artifact(f"art:gh_issue:{repository}:{number}", f"{found[1]}#{number}", url)
    if found := _JIRA_URL.search(text):
        return Artifact(f"art:jira:{found[1]}", found[1], found[0])
    if found := _URL.search(text):
        url = _tidy_url(found[0])
        return Artifact(f"art:url:{_sha1(url)}", url, url)
    for found in _JIRA.finditer(text):
        if found[1].rsplit("-", 1)[0] not in _NO_PROJECTS:
            return Artifact(f"art:jira:{found[1]}", found[1])
    return None


def _tidy_url(url: str) -> str:
    """The URL without the punctuation of the sentence around it; scheme and host in small letters."""
    url = url.rstrip(".,;:!?…。、")
    for opening, closing in ("()", "[]", "{}"):
        while url.endswith(closing) and url.count(closing) > url.count(opening):
            url = url[:-1].rstrip(".,;:!?…。、")
    try:
        parts = urlsplit(url)
    except ValueError:  # a bracket of an address that never ends
        return url
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path, parts.query, parts.fragment))


def _sha1(text: str) -> str:
    return hashlib.sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
