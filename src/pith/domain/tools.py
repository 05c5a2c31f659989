"""What is remembered of a tool call: what was done to which files, how it ended, telling lines of its output.

Hosts send the same call in several shapes: a payload, a record, a JSON string, a patch, a text with a header.
All of them end in the same short text, so that two sightings of a call are equal. Nothing is ever raised.
"""

from __future__ import annotations

import re

from pith.domain import events, secrets
from pith.domain.excerpts import WINDOW, brief, clipped, cut, scalar, squeezed
from pith.domain.outcomes import outcome, parsed, without_numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FILES_KEPT = 50
TEXT_KEPT = 4_000
_HEAD_KEPT = 1_600
_NAME_KEPT = 120
_PATH_KEPT = 1_000
_LOOKED_INTO = 8  # levels of an input or a response; nothing below them is ever kept

_SHELLS = frozenset(
    "bash shell exec_command shell_command local_shell local_shell_call container.exec powershell".split()
)
_PATCHES = frozenset(("apply_patch", "applypatch"))
_READERS = frozenset(("read", "notebookread", "view", "read_file", "view_image"))
_FINDERS = frozenset(("grep", "glob", "ls", "search", "list_dir", "grep_files"))
_WRITERS = frozenset(("edit", "multiedit", "write", "notebookedit", "create", "str_replace"))
_WEB = frozenset(("webfetch", "websearch", "web_search", "web_search_call", "web_fetch", "fetch"))
_WEB_WORDS = ("browser", "fetch", "web", "playwright", "puppeteer", "http", "crawl")

_PATH_KEYS = ("file_path", "notebook_path", "filePath", "path", "filename", "file")
_PATH_LISTS = ("paths", "files", "filenames")
_COMMAND_KEYS = ("command", "cmd", "script")

_patched: re.Pattern[str] | None = None


def digest(name: object, input: object, response: object, failed: object) -> tuple[str, dict[str, Any]]:
    """The text that is remembered of a tool call, and its details: tool, files, command, exit, failed."""
    return Call(name, input).ended(response, failed)


def origin(name: object) -> str:
    """Where a tool's words come from: the web, or something on this machine."""
    if not isinstance(name, str):
        return events.TOOL_OUTPUT
    short = name.lower()
    if short in _WEB or (short.startswith("mcp__") and any(word in short for word in _WEB_WORDS)):
        return events.WEB
    return events.TOOL_OUTPUT


class Call:
    """A tool call whose result may come later; it keeps a few lines of its input, never the input."""

    __slots__ = ("command", "exit", "files", "head", "tool")

    def __init__(self, name: object, input: object) -> None:
        self.tool = name[:_NAME_KEPT] if isinstance(name, str) else ""
        self.command = ""
        self.files: list[str] = []
        self.exit: int | None = None
        fields, input = _covered(_fields(input)), _covered(input)
        self._take_files(fields)
        self.head = clipped(self._head(fields, input), _HEAD_KEPT)

    def ended(self, response: object, failed: object) -> tuple[str, dict[str, Any]]:
        """Text and details, now that the call has ended; no text where nothing is known of it."""
        code, output = outcome(_covered(response), bool(failed))
        output = secrets.without_sections(output)  # it may have been put together from lines, or read from JSON
        code = self.exit if code is None else code
        wrong = bool(failed) or bool(code)
        if self.kind == "find" and isinstance(response, dict):
            self._take_files(response)
        parts = [self.head]
        if code:
            parts.append(f"exit {code}")
        elif wrong:
            parts.append("failed")
        room = TEXT_KEPT - sum(map(len, parts)) - len(parts)
        if shown := self._shown(output, wrong, room):
            parts.append(shown)
        return "\n".join(filter(None, parts)), self._details(code, wrong)

    def add(self, code: object, changes: Mapping[str, Any]) -> None:
        """What another record tells of the call before its result: exit code, files that changed."""
        if isinstance(code, int) and not isinstance(code, bool):
            self.exit = code
        if not self.files:  # the input names them as the agent did, and may have done so already
            for path in list(changes)[:FILES_KEPT]:
                self._take(path)

    @property
    def kind(self) -> str:
        """The family of tools that this one belongs to; a family is remembered in one way."""
        short = self.tool.lower()
        for kind, names in _FAMILIES:
            if short in names:
                return kind
        return "other"

    def _details(self, code: int | None, failed: bool) -> dict[str, Any]:
        details: dict[str, Any] = {"tool": self.tool} if self.tool else {}
        if self.files:
            details["files"] = list(self.files)
        if self.command:
            details["command"] = self.command
        if code is not None:
            details["exit"] = code
        details["failed"] = failed
        return details

    def _take_files(self, fields: Mapping[str, Any]) -> None:
        for key in _PATH_KEYS:
            self._take(fields.get(key))
        for key in _PATH_LISTS:
            several = fields.get(key)
            if isinstance(several, list):
                for path in several[:FILES_KEPT]:
                    self._take(path)

    def _take(self, path: object) -> None:
        if not isinstance(path, str) or not path or len(path) > _PATH_KEPT or "\n" in path:
            return
        if path not in self.files and len(self.files) < FILES_KEPT:
            self.files.append(path)

    def _head(self, fields: Mapping[str, Any], input: object) -> str:
        patch = _patch(self.kind, fields, input)
        if patch:
            return self._patch_head(patch)
        kind = self.kind
        if kind == "shell":
            return self._shell_head(fields, input)
        if kind == "write":
            return self._write_head(fields)
        if kind in ("read", "find"):
            return _one_line(self.tool, fields)
        return _generic_head(self.tool, fields, input)

    def _shell_head(self, fields: Mapping[str, Any], input: object) -> str:
        command = next((fields[key] for key in _COMMAND_KEYS if fields.get(key)), "" if fields else input)
        self.command = squeezed(_command(command), 8, 4, 1_200)
        return f"$ {self.command}" if self.command else self.tool

    def _patch_head(self, patch: str) -> str:
        changed: list[str] = []
        for line in patch[:WINDOW].split("\n"):
            if file := _patched_file(line):
                self._take(file)
            elif line[:1] in "+-" and line.strip("+- \t\r") and len(changed) < 24:
                changed.append(cut(line))
        self._patched_later(patch)
        return "\n".join((f"apply_patch {', '.join(self.files[:8])}"[:800], *changed))

    def _patched_later(self, patch: str) -> None:
        """Files that a long patch names after the part whose lines are shown."""
        at = patch.find("\n*** ", max(0, WINDOW - 1_000))
        while at >= 0 and len(self.files) < FILES_KEPT:
            end = patch.find("\n", at + 1, at + _PATH_KEPT + 40)
            self._take(_patched_file(patch[at + 1 : end if end >= 0 else at + _PATH_KEPT]))
            at = patch.find("\n*** ", at + 1)

    def _write_head(self, fields: Mapping[str, Any]) -> str:
        lines = [f"{self.tool} {', '.join(self.files[:4])}"[:800]]
        edits = fields.get("edits")
        for edit in [fields, *(edits[:4] if isinstance(edits, list) else ())]:
            if isinstance(edit, dict):
                lines += _changes(edit)
        return "\n".join(lines)

    def _shown(self, output: str, failed: bool, room: int) -> str:
        """The lines of the output that are worth keeping for this family of tools."""
        kind = self.kind
        if failed or kind in ("shell", "other"):
            return squeezed(output, 20, 20, room)
        if kind == "read":
            return squeezed(without_numbers(output), 5, 0, min(room, 600))
        if kind == "find":
            return squeezed(output, 12, 0, min(room, 1_200))
        return ""  # an edit that succeeded says so and repeats the file


_FAMILIES = (
    ("shell", _SHELLS),
    ("patch", _PATCHES),
    ("read", _READERS),
    ("find", _FINDERS),
    ("write", _WRITERS),
)


# -- The input -----------------------------------------------------------------------------------------------


def _fields(input: object) -> Mapping[str, Any]:
    """The named parts of an input, which one host sends as an object and another as JSON text."""
    fields = parsed(input) if isinstance(input, str) and input[:1] == "{" else input
    return fields if isinstance(fields, dict) else {}


def _covered(value: Any, depth: int = 0) -> Any:
    """The value without private sections and keys in its texts: a few lines are chosen from them later."""
    if isinstance(value, str):
        return secrets.without_sections(value)
    if depth >= _LOOKED_INTO:
        return value
    if isinstance(value, list):
        return [_covered(part, depth + 1) for part in value]
    if isinstance(value, dict):
        return {key: _covered(part, depth + 1) for key, part in value.items()}
    return value


def _command(command: object) -> str:
    """A command as one would type it; `bash -lc x` is x."""
    if isinstance(command, list):
        words = [word for word in command[:200] if isinstance(word, str)]
        if len(words) >= 3 and words[1] in ("-lc", "-c", "-ic", "/c", "-Command"):
            return words[2]
        return " ".join(words)
    return command if isinstance(command, str) else ""


def _patch(kind: str, fields: Mapping[str, Any], input: object) -> str:
    """The patch that an input holds, or nothing; shells are sometimes handed one."""
    candidates = (input, *(fields.get(key) for key in ("input", "patch", *_COMMAND_KEYS)))
    for text in candidates:
        if isinstance(text, list) and len(text) == 2 and text[0] == "apply_patch":
            text = text[1]
        if isinstance(text, str) and text[:1] != "{" and "*** Begin Patch" in text[:400]:
            return text
    return input if kind == "patch" and isinstance(input, str) and not fields else ""


def _one_line(tool: str, fields: Mapping[str, Any]) -> str:
    """Tool and plain parameters on one line: `Grep round_half in src`."""
    words = [tool]
    named = (fields.get(key) for key in ("pattern", "query", *_PATH_KEYS, "dir_path", "glob", "type"))
    words += [cut(value.partition("\n")[0]) for value in named if isinstance(value, str) and value]
    if isinstance(start := fields.get("offset"), int) and not isinstance(start, bool):
        words.append(f"from line {scalar(start)}")
    return " ".join(words)


def _generic_head(tool: str, fields: Mapping[str, Any], input: object) -> str:
    lines = [tool] if tool else []
    if not fields and input not in (None, "", [], {}):
        lines.append(squeezed(brief(input), 6, 2, 800))
    values = ((key, squeezed(brief(fields[key]), 6, 2, 800)) for key in list(fields)[:20])
    lines += [f"{str(key)[:60]}: {value}" for key, value in values if value]
    return "\n".join(lines)


def _changes(edit: Mapping[str, Any]) -> list[str]:
    """A few lines that an edit takes away and puts there."""
    old = _first_lines(edit.get("old_string"))
    new = _first_lines(next((edit[key] for key in ("new_string", "new_source", "content") if key in edit), ""))
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return [f"{sign} {cut(line)}" for sign, side in (("-", old), ("+", new)) for line in side[:6] if line.strip()]


def _first_lines(text: object) -> list[str]:
    return text[:WINDOW].split("\n")[:200] if isinstance(text, str) and text else []


def _patched_file(line: str) -> str:
    """The file that a line of a patch names, or nothing."""
    global _patched
    if _patched is None:
        _patched = re.compile(r"\*\*\* (?:Update File|Add File|Delete File|Move to): (.{1,1000})")
    found = _patched.fullmatch(line.rstrip("\r"))
    return found.group(1).strip() if found else ""
