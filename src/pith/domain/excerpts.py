"""The telling lines of a long text: its first and last, errors between them, and how many were left out.

A text of megabytes is cut before it is split. Encoded bytes, colours and overwritten progress are not lines.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LINE_KEPT = 400
_WORD_KEPT = 200
_OF_WORDS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/=.")
WINDOW = 16_000  # characters looked at from each end of a text
_ERRORS_KEPT = 8
_WRONG = ("rror", "ERROR", "FAIL", "Traceback", "xception", "panic", "atal:", "오류", "실패")

_patterns: dict[str, re.Pattern[str]] = {}
_SOURCES = {
    "ansi": r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])",
    "base64": r"[A-Za-z0-9+/_-]{120,}={0,2}",
    "base64 line": r"[A-Za-z0-9+/]{60,}={0,2}",
}


def squeezed(text: str, first: int, last: int, room: int) -> str:
    """First and last lines of a text within `room` characters, errors between them, what was left out."""
    if not text or room < 40:
        return ""
    if len(text) > 2 * WINDOW:
        start, end = _edges(text)
        opening, closing = _tidy(text[:start]), _tidy(text[end:])
        wrong = _wrong_lines(text, start, end)
        hidden = max(1, text.count("\n", start, end) - 1)
    else:
        opening, closing, wrong, hidden = _tidy(text), [], [], 0
    if not closing:
        if len(opening) <= first + last:
            return _within(opening, [], [], hidden, room)
        opening, middle, closing = _parted(opening, first, last)
        wrong = _telling(middle)
        hidden = len(middle)
    else:
        hidden += max(0, len(opening) - first) + max(0, len(closing) - last)
        opening, closing = opening[:first], closing[-last:] if last else []
    return _within(opening, wrong, closing, hidden, room)


def _parted(lines: list[str], first: int, last: int) -> tuple[list[str], list[str], list[str]]:
    end = len(lines) - last
    return lines[:first], lines[first:end], lines[end:]


def _within(opening: list[str], wrong: list[str], closing: list[str], hidden: int, room: int) -> str:
    """Put the parts together; where they are too long, lines next to the gap go first, errors last."""
    room -= 40
    size = sum(len(line) + 1 for part in (opening, wrong, closing) for line in part)
    for part, at, least in (
        (opening, -1, 3),
        (closing, 0, 3),
        (opening, -1, 1),
        (wrong, -1, 1),
        (closing, 0, 0),
    ):
        while size > room and len(part) > least:
            size -= len(part.pop(at)) + 1
            hidden += 1
    hidden -= len(wrong)
    gap = [f"... {hidden} {'line' if hidden == 1 else 'lines'} left out ..."] if hidden > 0 else []
    return clipped("\n".join([*opening, *wrong, *gap, *closing]), room + 40)


def _edges(text: str) -> tuple[int, int]:
    """Where the looked-at start of a long text ends and its looked-at end starts, between lines if near."""
    start = text.rfind("\n", WINDOW // 2, WINDOW)
    end = text.find("\n", len(text) - WINDOW, len(text) - WINDOW // 2)
    return (start if start >= 0 else WINDOW), (end + 1 if end >= 0 else _next_word(text, len(text) - LINE_KEPT))


def _wrong_lines(text: str, start: int, end: int) -> list[str]:
    """A few lines between two places that look like errors; linear, whatever the text is."""
    found: dict[int, str] = {}
    for word in _WRONG:
        at = text.find(word, start, end)
        for _ in range(_ERRORS_KEPT):
            if at < 0:
                break
            left = text.rfind("\n", max(start, at - LINE_KEPT // 2), at) + 1
            left = left or _next_word(text, max(start, at - LINE_KEPT // 2))
            right = text.find("\n", at, at + LINE_KEPT)
            right = right if right >= 0 else at + LINE_KEPT
            found.setdefault(left, text[left:right])
            at = text.find(word, right, end)
    return _tidy("\n".join(found[left] for left in sorted(found)[:_ERRORS_KEPT]))


def _telling(lines: Iterable[str]) -> list[str]:
    wrong = [line for line in lines if any(word in line for word in _WRONG)]
    return wrong[:_ERRORS_KEPT]


def _tidy(text: str) -> list[str]:
    """Lines without colours, overwritten progress, empty ends, and anything that is not words."""
    if "\x1b" in text:
        text = _pattern("ansi").sub("", text)
    lines = [cut(line) for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return _without_blobs(lines)


def cut(line: str) -> str:
    """A line of at most `LINE_KEPT` characters, without encoded bytes and what was overwritten."""
    line = line.rstrip()
    if "\r" in line:
        line = line.rpartition("\r")[2]
    if len(line) > 100:
        line = _pattern("base64").sub(_blob, line[: 8 * LINE_KEPT])
    return line if len(line) <= LINE_KEPT else f"{clipped(line, LINE_KEPT - 4)} ..."


def clipped(text: str, limit: int) -> str:
    """At most `limit` characters, not ending within a word: half a key is a secret that no pattern finds."""
    if len(text) <= limit:
        return text
    end = limit
    while end > limit - _WORD_KEPT and end > 0 and text[end - 1] in _OF_WORDS and text[end] in _OF_WORDS:
        end -= 1
    return text[: end if end > max(0, limit - _WORD_KEPT) else limit]


def _next_word(text: str, at: int) -> int:
    """Where the next word begins, for a text that is looked at from somewhere in its middle."""
    for near in range(at, min(at + _WORD_KEPT, len(text))):
        if text[near] not in _OF_WORDS:
            return near
    return at


def _blob(found: re.Match[str]) -> str:
    """What stands for a long run of letters: a path stays, encoded bytes go."""
    run = found.group()
    separators = run.count("/") + run.count("-") + run.count("_")
    wordy = separators * 20 > len(run) and not any(sign.isdigit() for sign in run)
    return run if wordy else "[encoded]"


def _without_blobs(lines: list[str]) -> list[str]:
    """Lines where three or more of encoded bytes in a row became one."""
    if len(lines) < 3 or not any(len(line) >= 60 and " " not in line for line in lines):
        return lines
    kept: list[str] = []
    run: list[str] = []
    for line in lines:
        if len(line) >= 60 and _pattern("base64 line").fullmatch(line.strip()):
            run.append(line)
            continue
        kept += run if len(run) < 3 else ["[encoded]"]
        run = []
        kept.append(line)
    return kept + (run if len(run) < 3 else ["[encoded]"])


def brief(value: object, depth: int = 0) -> str:
    """A value in short: text as it is, lists and objects to a small depth and width."""
    if isinstance(value, str):
        return ends(value) if len(value) > 2 * WINDOW else value
    if isinstance(value, dict):
        if depth >= 3:
            return "{...}"
        pairs = ((key, brief(value[key], depth + 1)) for key in list(value)[:12])
        return ", ".join(f"{str(key)[:60]}: {clipped(short, LINE_KEPT)}" for key, short in pairs if short)
    if isinstance(value, list):
        if depth >= 3:
            return "[...]"
        return ("; " if depth else "\n").join(clipped(brief(part, depth + 1), LINE_KEPT) for part in value[:12])
    return scalar(value)


def scalar(value: object) -> str:
    if value is None:
        return ""
    try:
        return str(value)[:LINE_KEPT]
    except ValueError:  # a whole number of more digits than Python prints
        return "a very large number"


def ends(text: str) -> str:
    """A long text with only what is looked at, for values inside others."""
    start, end = _edges(text)
    return f"{text[:start]}\n{text[end:]}"


def _pattern(name: str) -> re.Pattern[str]:
    """A pattern, compiled when first needed: a hook that needs none pays for none."""
    pattern = _patterns.get(name)
    if pattern is None:
        pattern = _patterns[name] = re.compile(_SOURCES[name])
    return pattern
