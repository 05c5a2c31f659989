"""What is remembered of a tool call: what was done to which files, how it ended, telling lines of its output.

Hosts send the same call in several shapes: a payload, a record, a JSON string, a patch, a text with a header.
All of them end in the same short text, so that two sightings of a call are equal. Nothing is ever raised.
"""

from __future__ import annotations

import json
import re

from pith.domain import events
from pith.domain.excerpts import LINE_KEPT, WINDOW, cut, ends, squeezed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FILES_KEPT = 50
TEXT_KEPT = 4_000
_HEAD_KEPT = 1_600
_NAME_KEPT = 120
_PATH_KEPT = 1_000
_BLOCKS_KEPT = 50

_SHELLS = frozenset(
    (
        "bash",
        "shell",
        "exec_command",
        "shell_command",
        "local_shell",
        "local_shell_call",
        "container.exec",
        "powershell",
    )
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
_OUTPUT_KEYS = (
    "output",
    "aggregated_output",
    "content",
    "result",
    "results",
    "text",
    "message",
    "error",
    "summary",
)
_EXIT_KEYS = ("exit_code", "exitCode", "returnCode", "return_code")

_patterns: dict[str, re.Pattern[str]] = {}
_SOURCES = {
    "numbered": r"^ *\d+[\t→]",
    "patched": r"^\*\*\* (?:Update File|Add File|Delete File|Move to): (.{1,1000})$",
    "exit": r"(?:Process exited with code|Exit code:?|Command failed with exit code:?) (-?\d{1,9})\.?",
    "header": r"(?:Chunk ID|Wall time|Original token count|Total output lines|Duration):? .*",
    "found": r"Found \d+ (?:files?|lines?|matches)\b.*",
}


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
        fields = _fields(input)
        self._take_files(fields)
        self.head = self._head(fields, input)[:_HEAD_KEPT]

    def ended(self, response: object, failed: object) -> tuple[str, dict[str, Any]]:
        """Text and details, now that the call has ended; no text where nothing is known of it."""
        code, output = _outcome(response, bool(failed))
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
            if found := _pattern("patched").match(line.rstrip("\r")):
                self._take(found.group(1).strip())
            elif line[:1] in "+-" and line.strip("+- \t\r") and len(changed) < 24:
                changed.append(cut(line))
        self._patched_later(patch)
        return "\n".join((f"apply_patch {', '.join(self.files[:8])}"[:800], *changed))

    def _patched_later(self, patch: str) -> None:
        """Files that a long patch names after the part whose lines are shown."""
        at = patch.find("\n*** ", max(0, WINDOW - 1_000))
        while at >= 0 and len(self.files) < FILES_KEPT:
            end = patch.find("\n", at + 1, at + _PATH_KEPT + 40)
            if found := _pattern("patched").match(
                patch[at + 1 : end if end >= 0 else at + _PATH_KEPT].rstrip("\r")
            ):
                self._take(found.group(1).strip())
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
            return squeezed(_without_numbers(output), 5, 0, min(room, 600))
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
    fields = _parsed(input) if isinstance(input, str) and input[:1] == "{" else input
    return fields if isinstance(fields, dict) else {}


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


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
        words.append(f"from line {_scalar(start)}")
    return " ".join(words)


def _generic_head(tool: str, fields: Mapping[str, Any], input: object) -> str:
    lines = [tool] if tool else []
    if not fields and input not in (None, "", [], {}):
        lines.append(squeezed(_brief(input), 6, 2, 800))
    values = ((key, squeezed(_brief(fields[key]), 6, 2, 800)) for key in list(fields)[:20])
    lines += [f"{str(key)[:60]}: {value}" for key, value in values if value]
    return "\n".join(lines)


def _changes(edit: Mapping[str, Any]) -> list[str]:
    """A few lines that an edit takes away and puts there."""
    old = _first_lines(edit.get("old_string"))
    new = _first_lines(
        next((edit[key] for key in ("new_string", "new_source", "content") if key in edit), "")
    )
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return [
        f"{sign} {cut(line)}" for sign, side in (("-", old), ("+", new)) for line in side[:6] if line.strip()
    ]


def _first_lines(text: object) -> list[str]:
    return text[:WINDOW].split("\n")[:200] if isinstance(text, str) and text else []


def _brief(value: object, depth: int = 0) -> str:
    """A value in short: text as it is, lists and objects to a small depth and width."""
    if isinstance(value, str):
        return ends(value) if len(value) > 2 * WINDOW else value
    if isinstance(value, dict):
        if depth >= 3:
            return "{...}"
        pairs = ((key, _brief(value[key], depth + 1)) for key in list(value)[:12])
        return ", ".join(f"{str(key)[:60]}: {short[:LINE_KEPT]}" for key, short in pairs if short)
    if isinstance(value, list):
        if depth >= 3:
            return "[...]"
        return ("; " if depth else "\n").join(_brief(part, depth + 1)[:LINE_KEPT] for part in value[:12])
    return _scalar(value)


def _scalar(value: object) -> str:
    if value is None:
        return ""
    try:
        return str(value)[:LINE_KEPT]
    except ValueError:  # a whole number of more digits than Python prints
        return "a very large number"


# -- The output ----------------------------------------------------------------------------------------------


def _outcome(response: object, failed: bool) -> tuple[int | None, str]:
    """Exit code, if the response tells one, and the output without what the host put around it."""
    if (
        isinstance(response, str)
        and response[:1] == "{"
        and '"metadata"' in (response[:200] + response[-400:])
    ):
        parsed = _parsed(response)
        response = parsed if isinstance(parsed, dict) and "output" in parsed else response
    if isinstance(response, dict):
        code, output = _exit_of(response), _output_of(response)
    else:
        code, output = None, _words(response)
    told, output = _unwrapped(output, failed)
    return (told if code is None else code), output


def _exit_of(response: Mapping[str, Any]) -> int | None:
    metadata = response.get("metadata")
    for fields in (response, metadata if isinstance(metadata, dict) else {}):
        for key in _EXIT_KEYS:
            code = fields.get(key)
            if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 2**32:
                return code
    return None


def _output_of(response: Mapping[str, Any]) -> str:
    if "stdout" in response or "stderr" in response:
        return "\n".join(
            filter(None, (_words(response.get("stdout")).rstrip("\n"), _words(response.get("stderr"))))
        )
    file = response.get("file")
    if isinstance(file, dict):
        return _words(file.get("content"))
    told = next((response[key] for key in _OUTPUT_KEYS if response.get(key)), None)
    if told is not None:
        return _words(told)
    names = response.get("filenames")
    if isinstance(names, list):
        return "\n".join(name for name in names[:200] if isinstance(name, str))
    is_empty = response.get("type") in ("image", "input_image") or any(key in response for key in _OUTPUT_KEYS)
    return "" if is_empty else _brief(dict(response))


def _words(value: object, depth: int = 0) -> str:
    """The text in a response: a text, or the text blocks of a list; pictures are named, not kept."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, (_block(part, depth) for part in value[:_BLOCKS_KEPT])))
    if isinstance(value, dict) and depth < 3:
        return _block(value, depth)
    return "" if isinstance(value, dict) else _scalar(value)


def _block(block: object, depth: int) -> str:
    if not isinstance(block, dict):
        return _words(block, depth + 1) if depth < 3 else ""
    if block.get("type") in ("image", "input_image", "image_url", "audio", "blob"):
        return "[image]"
    keys = [key for key in ("text", *_OUTPUT_KEYS) if key in block]
    if not keys:
        return _brief(block, depth + 1)
    told = next((block[key] for key in keys if block[key]), "")
    return _words(told, depth + 1) if depth < 3 else ""


def _unwrapped(text: str, failed: bool) -> tuple[int | None, str]:
    """The exit code in the lines that a host writes above an output, and the output below them."""
    code = None
    if failed:
        text = text.removeprefix("Error: ")
        if text.startswith("<tool_use_error>"):
            text = text[16:].removesuffix("</tool_use_error>")
    for _ in range(8):
        end = text.find("\n", 0, LINE_KEPT)
        line = text[: end if end >= 0 else LINE_KEPT].rstrip("\r")
        if found := _pattern("exit").fullmatch(line):
            code = int(found.group(1))
        elif (
            line != "Output:"
            and not _pattern("header").fullmatch(line)
            and not _pattern("found").fullmatch(line)
        ):
            break
        text = text[end + 1 :] if end >= 0 else text[LINE_KEPT:]
        if line == "Output:":
            break
    return code, text


def _without_numbers(text: str) -> str:
    """The first lines of a file without the numbers that a tool put before them."""
    return "\n".join(_pattern("numbered").sub("", line) for line in text[:WINDOW].split("\n")[:20]) + (
        text[WINDOW:] if len(text) > WINDOW else ""
    )


def _pattern(name: str) -> re.Pattern[str]:
    """A pattern, compiled when first needed: a hook that needs none pays for none."""
    pattern = _patterns.get(name)
    if pattern is None:
        pattern = _patterns[name] = re.compile(_SOURCES[name])
    return pattern
