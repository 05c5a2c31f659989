"""Edit one place of a JSON file and keep every other byte: order, indentation, comments, number spellings.

The text is parsed to spans only; an edit splices the text, and the result is parsed again for the next one.
Comments and trailing commas are understood although JSON has none, because people write them. Removing what
was added gives the former text back, except inside containers that were empty (see `interior`).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from pith.errors import PithError

Path = tuple[str | int, ...]

DEEPEST = 200  # settings are a few levels deep; a file made to exhaust the stack is refused

_BLANKS = " \t\r\n"
_CLOSING = {"{": "}", "[": "]"}
_SPACE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null", re.ASCII)


class JsonUnreadable(PithError):
    """A file that should hold JSON cannot be parsed; it is left as it is."""

    code = "JSON_UNREADABLE"
    hint = "Mend the file at that place, then try again; nothing was changed."
    http_status = 409


@dataclass(frozen=True, slots=True)
class Node:
    """A value, and where it stands: `text[start:end]`."""

    kind: str  # object, array, string, number or word
    start: int
    end: int
    scalar: Any = None
    parts: tuple[Part, ...] = ()

    def get(self, key: str) -> Node | None:
        """Return the member's value; of equal keys the last, as every host reads it."""
        found = [part.node for part in self.parts if part.key == key]
        return found[-1] if found else None

    def plain(self) -> Any:
        """Return the value as Python's own."""
        if self.kind == "object":
            return {part.key: part.node.plain() for part in self.parts}
        if self.kind == "array":
            return [part.node.plain() for part in self.parts]
        return self.scalar


@dataclass(frozen=True, slots=True)
class Part:
    """A member or an element: its key if it has one, its value, and the comma behind it if there is one."""

    start: int
    key: str | None
    node: Node
    comma: int | None


def parse(text: str) -> Node:
    """Return the spans of a JSON text, or raise JsonUnreadable naming line and column."""
    return _Reader(text).document()


def place(text: str, offset: int) -> str:
    """Say where an offset is: `line 3, column 5`."""
    start = text.rfind("\n", 0, offset) + 1
    return f"line {text.count(chr(10), 0, offset) + 1}, column {offset - start + 1}"


def find(node: Node, path: Path) -> Node | None:
    """Return the value at a path of keys and indexes."""
    for step in path:
        if isinstance(step, int):
            below = node.parts[step].node if step < len(node.parts) else None
        else:
            below = node.get(step)
        if below is None:
            return None
        node = below
    return node


def is_strict(text: str) -> bool:
    """Whether the text is JSON by the book, without comments and trailing commas."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


# -- Reading -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Reader:
    """Walks through the text once; `at` is the next character."""

    text: str
    at: int = 0
    depth: int = 0

    def document(self) -> Node:
        node = self.value()
        self.skip()
        if self.at != len(self.text):
            self.fail("something follows the end of the value")
        return node

    def fail(self, what: str) -> NoReturn:
        where = place(self.text, self.at)
        raise JsonUnreadable(f"{where[0].upper()}{where[1:]}: {what}.")

    def skip(self) -> None:
        self.at = _trivia(self.text, self.at)[0]
        if self.text.startswith("/*", self.at):
            self.fail("a comment is never closed")

    def value(self) -> Node:
        self.skip()
        mark = self.text[self.at : self.at + 1]
        if mark in _CLOSING:
            return self.container(mark)
        start = self.at
        if mark == '"':
            written = self.string()
            return Node("string", start, self.at, written)
        return self.scalar()

    def string(self) -> str:
        found = _STRING.match(self.text, self.at)
        if not found:
            self.fail("a text is never closed, or holds a character that must be escaped")
        try:
            written: str = json.loads(found[0])
        except ValueError:
            self.fail("a text holds an unknown escape")
        self.at = found.end()
        return written

    def scalar(self) -> Node:
        found = _SCALAR.match(self.text, self.at)
        if not found:
            self.fail("a value is missing" if self.at == len(self.text) else "this is no JSON value")
        self.at = found.end()
        kind = "word" if found[0][0] in "tfn" else "number"
        return Node(kind, found.start(), found.end(), _scalar(found[0]))

    def container(self, mark: str) -> Node:
        start, parts = self.at, list[Part]()
        self.at += 1
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(f"more than {DEEPEST} levels")
        while not self.closes(mark):
            if parts and parts[-1].comma is None:
                self.fail(f"a comma or `{_CLOSING[mark]}` is missing")
            parts.append(self.part(mark))
        self.depth -= 1
        return Node("object" if mark == "{" else "array", start, self.at, None, tuple(parts))

    def closes(self, mark: str) -> bool:
        self.skip()
        closed = self.text.startswith(_CLOSING[mark], self.at)
        self.at += closed
        return closed

    def part(self, mark: str) -> Part:
        start = self.at
        key = self.key() if mark == "{" else None
        node = self.value()
        end = self.at
        self.skip()
        if self.text.startswith(",", self.at):
            self.at += 1
            return Part(start, key, node, self.at - 1)
        self.at = end
        return Part(start, key, node, None)

    def key(self) -> str:
        if not self.text.startswith('"', self.at):
            self.fail("a name in double quotes is missing")
        name = self.string()
        self.skip()
        if not self.text.startswith(":", self.at):
            self.fail("a colon is missing")
        self.at += 1
        return name


def _scalar(written: str) -> object:
    if len(written) > 300:  # Python refuses to read numbers of thousands of digits; nobody needs this one
        return written
    value: object = json.loads(written)
    return value


def _trivia(text: str, at: int) -> tuple[int, list[tuple[int, int]]]:
    """Skip blanks and comments; return where they end, and the span of each comment."""
    comments: list[tuple[int, int]] = []
    while True:
        at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
        found = _COMMENT.match(text, at)
        if not found:
            return at, comments
        comments.append(found.span())
        at = found.end()


# -- Editing -------------------------------------------------------------------------------------------------


def append(text: str, path: Path, value: object) -> str:
    """Add an element at the end of the array at the path."""
    return _insert(text, path, None, value)


def put(text: str, path: Path, key: str, value: object) -> str:
    """Add a member at the end of the object at the path, which must not have it yet."""
    return _insert(text, path, key, value)


def replace(text: str, path: Path, value: object) -> str:
    """Write another value in the place of the one at the path."""
    root = parse(text)
    node = _at(root, path)
    style = _Style.of(text, root)
    base = style.indent_at(text, node.start) if "\n" in text[node.start : node.end] else None
    return text[: node.start] + style.write(value, base) + text[node.end :]


def remove(text: str, path: Path) -> str:
    """Take the member or element at the path out, with its comma and the blanks in front of it."""
    box = _at(parse(text), path[:-1])
    index = _index(box, path[-1])
    part = box.parts[index]
    before, open_comment = _blank_start(text, box, index)
    if part.comma is not None:
        end = part.comma + 1
        if index == 0 and before == part.start and len(box.parts) > 1:
            end = _SPACE.match(text, end).end()  # type: ignore[union-attr]
        return _cut(text, before, end, open_comment)
    text = _cut(text, before, part.node.end, open_comment)
    comma = box.parts[index - 1].comma if index else None
    return text if comma is None else text[:comma] + text[comma + 1 :]


def _cut(text: str, start: int, end: int, open_comment: bool) -> str:
    """Take a span out; what follows must not slip into a `//` comment in front of it."""
    if open_comment and text[end:].lstrip(" \t")[:1] not in ("\r", "\n"):
        return text[:start] + ("\r\n" if text[start] == "\r" else "\n") + text[end:]
    return text[:start] + text[end:]


def interior(text: str, path: Path) -> str:
    """Return what stands between the brackets of the container at the path."""
    box = _at(parse(text), path)
    return text[box.start + 1 : box.end - 1]


def set_interior(text: str, path: Path, inside: str) -> str:
    """Write what stands between the brackets of the container at the path."""
    box = _at(parse(text), path)
    return text[: box.start + 1] + inside + text[box.end - 1 :]


def _insert(text: str, path: Path, key: str | None, value: object) -> str:
    root = parse(text)
    box = _at(root, path)
    style = _Style.of(text, root)
    if box.parts:
        return _insert_behind(text, box, style, key, value)
    inside = text[box.start + 1 : box.end - 1].rstrip(_BLANKS)  # a comment, if anything
    if not style.multiline:
        return text[: box.start + 1] + inside + style.member(key, value, None) + text[box.end - 1 :]
    outer = style.indent_at(text, box.start)
    inner = outer + style.unit
    added = inside + style.newline + inner + style.member(key, value, inner) + style.newline + outer
    return text[: box.start + 1] + added + text[box.end - 1 :]


def _insert_behind(text: str, box: Node, style: _Style, key: str | None, value: object) -> str:
    """Add behind the last part, and behind a comment that stands beside it."""
    first, last = box.parts[0], box.parts[-1]
    end = last.node.end if last.comma is None else last.comma + 1
    spot = end
    for start, stop in _trivia(text, end)[1]:
        if "\n" not in text[end:start]:
            spot = stop
    if "\n" in text[box.start : first.start]:
        base = style.indent_at(text, first.start)
        added = style.newline + base + style.member(key, value, base)
    elif text.startswith("//", _last_comment(text, end, spot)):
        added = style.newline + style.member(key, value, None)  # nothing may follow such a comment on its line
    else:
        added = style.gap + style.member(key, value, None)
    if last.comma is None:
        return text[:end] + "," + text[end:spot] + added + text[spot:]
    return text[:spot] + added + "," + text[spot:]


def _last_comment(text: str, end: int, spot: int) -> int:
    comments = [start for start, stop in _trivia(text, end)[1] if stop <= spot]
    return comments[-1] if comments else len(text)


def _blank_start(text: str, box: Node, index: int) -> tuple[int, bool]:
    """Return where the blanks in front of a part begin, and whether they end a `//` comment."""
    if index:
        before = box.parts[index - 1]
        anchor = before.node.end if before.comma is None else before.comma + 1
    else:
        anchor = box.start + 1
    comments = _trivia(text, anchor)[1]
    if not comments:
        return anchor, False
    start, stop = comments[-1]
    return stop, text.startswith("//", start)


def _at(root: Node, path: Path) -> Node:
    node = find(root, path)
    if node is None:
        raise KeyError(path)
    return node


def _index(box: Node, step: str | int) -> int:
    if isinstance(step, int):
        return step
    return next(i for i in range(len(box.parts) - 1, -1, -1) if box.parts[i].key == step)


@dataclass(frozen=True, slots=True)
class _Style:
    """How this text is laid out, so that what is added looks as if it had always been there."""

    newline: str
    unit: str
    multiline: bool
    gap: str  # between elements on one line, and behind a colon

    @classmethod
    def of(cls, text: str, root: Node) -> _Style:
        whole = text[root.start : root.end]
        line = text.find("\n")
        newline = "\r\n" if line > 0 and text[line - 1] == "\r" else "\n"
        multiline = "\n" in whole or not root.parts
        unit, gap = "  ", " "
        if root.parts:
            first = root.parts[0]
            lead = text[text.rfind("\n", 0, first.start) + 1 : first.start]
            unit = lead if multiline and lead and not lead.strip(" \t") else unit
            gap = " " if multiline or text[first.node.start - 1] in _BLANKS else ""
        return cls(newline, unit, multiline, gap)

    def indent_at(self, text: str, at: int) -> str:
        """Return the indentation of the line that holds an offset."""
        line = text[text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def member(self, key: str | None, value: object, base: str | None) -> str:
        name = "" if key is None else json.dumps(key, ensure_ascii=False) + ":" + self.gap
        return name + self.write(value, base)

    def write(self, value: object, base: str | None) -> str:
        """Write a value over several lines indented from `base`, or on one line."""
        if base is None:
            return json.dumps(value, ensure_ascii=False, separators=("," + self.gap, ":" + self.gap))
        lines = json.dumps(value, ensure_ascii=False, indent=self.unit)
        return lines.replace("\n", self.newline + base)
