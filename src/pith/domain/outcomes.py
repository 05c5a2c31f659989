"""What came out of a tool call: its exit code and its words, out of whatever shape a host put them in."""

from __future__ import annotations

import json
import re

from pith.domain.excerpts import LINE_KEPT, WINDOW, brief, scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_BLOCKS_KEPT = 50
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
    "exit": r"(?:Process exited with code|Exit code:?|Command failed with exit code:?) (-?\d{1,9})\.?",
    "header": r"(?:Chunk ID|Wall time|Original token count|Total output lines|Duration):? .*",
    "found": r"Found \d+ (?:files?|lines?|matches)\b.*",
}


def outcome(response: object, failed: bool) -> tuple[int | None, str]:
    """Exit code, if the response tells one, and the output without what the host put around it."""
    if isinstance(response, str) and response[:1] == "{" and '"metadata"' in response[:200] + response[-400:]:
        told = parsed(response)
        response = told if isinstance(told, dict) and "output" in told else response
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
        return "\n".join(filter(None, (_words(response.get("stdout")).rstrip("\n"), _words(response.get("stderr")))))
    file = response.get("file")
    if isinstance(file, dict):
        return _words(file.get("content"))
    told = next((response[key] for key in _OUTPUT_KEYS if response.get(key)), None)
    if told is not None:
        return _words(told)
    names = response.get("filenames")
    if isinstance(names, list):
        return "\n".join(name for name in names[:200] if isinstance(name, str))
    is_picture = response.get("type") in ("image", "input_image")
    return "" if is_picture or any(key in response for key in _OUTPUT_KEYS) else brief(dict(response))


def _words(value: object, depth: int = 0) -> str:
    """The text in a response: a text, or the text blocks of a list; pictures are named, not kept."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, (_block(part, depth) for part in value[:_BLOCKS_KEPT])))
    if isinstance(value, dict) and depth < 3:
        return _block(value, depth)
    return "" if isinstance(value, dict) else scalar(value)


def _block(block: object, depth: int) -> str:
    if not isinstance(block, dict):
        return _words(block, depth + 1) if depth < 3 else ""
    if block.get("type") in ("image", "input_image", "image_url", "audio", "blob"):
        return "[image]"
    keys = [key for key in ("text", *_OUTPUT_KEYS) if key in block]
    if not keys:
        return brief(block, depth + 1)
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
        elif line != "Output:" and not _pattern("header").fullmatch(line) and not _pattern("found").fullmatch(line):
            break
        text = text[end + 1 :] if end >= 0 else text[LINE_KEPT:]
        if line == "Output:":
            break
    return code, text


def without_numbers(text: str) -> str:
    """The first lines of a file without the numbers that a tool put before them."""
    return "\n".join(_pattern("numbered").sub("", line) for line in text[:WINDOW].split("\n")[:20]) + (
        text[WINDOW:] if len(text) > WINDOW else ""
    )


def parsed(text: str) -> object:
    """The value of a JSON text; None when it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _pattern(name: str) -> re.Pattern[str]:
    """A pattern, compiled when first needed: a hook that needs none pays for none."""
    pattern = _patterns.get(name)
    if pattern is None:
        pattern = _patterns[name] = re.compile(_SOURCES[name])
    return pattern
