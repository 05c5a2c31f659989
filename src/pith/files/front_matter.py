"""Markdown with front matter: read as plain strings, changed line by line so that everything else stays as it was.

The only module that knows YAML. Nothing is typed: `no` stays `no` and `1.10` stays `1.10`. What could be used against a
reader (aliases, tags that build objects, bottomless nesting, duplicate keys) is an error with its line.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pith.errors import PithError
from pith.files import atomic
from pith.files.layout import LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    import yaml

Value = str | list[Any] | dict[str, Any]

_FENCE = "---"
_DEEPEST = 12
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*(?::[A-Za-z0-9_./-]+)*")
# What a reader with types would turn into something else.
_TYPED = re.compile(
    r"(?i:null|true|false|yes|no|on|off|y|n)|[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:e[-+]?[0-9]+)?|0x[0-9a-f]+|0o?[0-7]+"
    r"|[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?"
)
_KEY = re.compile(r"([^\s#:'\"\[\]{}&*!|>%@`,-][^:#]*?|'[^']*'|\"[^\"]*\")\s*:(?:\s|$)")
_MARKERS = ("<<<<<<< ", "=======", ">>>>>>> ")


class MemoryFileInvalid(PithError):
    """A Markdown file of the project memory cannot be read."""

    code = "VALIDATION_ERROR"
    hint = "Mend the file by hand, or take it from git again."
    http_status = 422

    def __init__(self, message: str, path: Path | None = None, line: int | None = None) -> None:
        where = f"{path}:{line}: " if path and line else f"{path}: " if path else ""
        super().__init__(where + message)
        self.path = path
        self.line = line
        self.problem = message


class Document:
    """One file: its front matter as strings, its body, its text with LF, and the hash of its bytes when it was read."""

    __slots__ = ("body", "fields", "path", "read_hash", "text")

    def __init__(self, path: Path, text: str, fields: dict[str, Any], body: str, read_hash: str) -> None:
        self.path = path
        self.text = text
        self.fields = fields
        self.body = body
        self.read_hash = read_hash

    def get(self, key: str, default: str = "") -> str:
        """A scalar field as it is written, or the default where it is absent or no scalar."""
        value = self.fields.get(key, default)
        return value if isinstance(value, str) else default

    def listed(self, key: str) -> list[str]:
        """A field that is a list of texts; a single text counts as a list of one."""
        value = self.fields.get(key)
        if isinstance(value, list):
            return [item for item in value if isinstance(item, str)]
        return [value] if isinstance(value, str) and value else []

    def section(self, title: str) -> str | None:
        """The text under `## title`, or None when the body has no such section."""
        return sections(self.body).get(title)


def read(path: Path) -> Document:
    """Read a file of the project memory. Raises MemoryFileInvalid with the file and, where known, the line."""
    try:
        data = atomic.read(path, LARGEST)
    except OSError as error:
        raise MemoryFileInvalid(f"cannot be read ({error.strerror})", path) from error
    return parse(data, path)


def parse(data: bytes, path: Path) -> Document:
    """Take a file's bytes apart; LF, CRLF and a byte order mark are all read."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise MemoryFileInvalid("not UTF-8", path, line) from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Only \n ends a line here: U+2028 and its kin are characters of a title.
    lines = text.split("\n")
    _refuse_conflicts(lines, path)
    if not lines or lines[0].rstrip() != _FENCE:
        raise MemoryFileInvalid("no front matter: the first line must be `---`", path, 1)
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE), None)
    if end is None:
        raise MemoryFileInvalid("the front matter is never closed with `---`", path, 1)
    fields = load_yaml("\n".join(lines[1:end]) + "\n", path)
    return Document(path, text, fields, "\n".join(lines[end + 1 :]).lstrip("\n"), hashlib.sha256(data).hexdigest())


def _refuse_conflicts(lines: list[str], path: Path) -> None:
    for number, line in enumerate(lines, 1):
        if line.startswith(("<<<<<<< ", ">>>>>>> ")):
            raise MemoryFileInvalid("an unresolved merge conflict", path, number)


def load_yaml(text: str, path: Path, offset: int = 1) -> dict[str, Any]:
    """A YAML mapping with strings for all scalars; `offset` lines stand before it in the file."""
    simple = simple_yaml(text)
    if simple is not None:
        return simple
    import yaml  # which takes as long to load as Python does, and is seldom needed

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        _refuse_traps(yaml.parse(text, Loader=loader), path, offset)
        node = yaml.compose(text, Loader=loader)
        fields = {} if node is None else _built(node, path, offset, 0)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        said = getattr(error, "problem", None) or "cannot be parsed"
        raise MemoryFileInvalid(f"YAML: {said}", path, mark.line + 1 + offset if mark else None) from error
    if not isinstance(fields, dict):
        raise MemoryFileInvalid("the front matter is no list of `key: value`", path, 1 + offset)
    return fields


# What the writers below produce, and nothing that two readers could take differently: a plain word, a double-quoted
# text with JSON's escapes but no surrogates, a list or a mapping of these one level down.
_SIMPLE_KEY = r"([A-Za-z_][A-Za-z0-9_-]{0,99}):"
_SIMPLE_PLAIN = r"[A-Za-z0-9_][A-Za-z0-9_./-]*(?::[A-Za-z0-9_./-]+)*"
_SIMPLE_QUOTED = (
    r'"(?:[^"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]'
    r'|\\["\\bfnrt]|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4})*"'
)
_SIMPLE_SCALAR = f"({_SIMPLE_PLAIN}|{_SIMPLE_QUOTED})"
_simple_line = re.compile(
    f"{_SIMPLE_KEY}(?: (?:{_SIMPLE_SCALAR}|(\\[\\]|{{}})))?|  - {_SIMPLE_SCALAR}|  {_SIMPLE_KEY} {_SIMPLE_SCALAR}"
).fullmatch


def simple_yaml(text: str) -> dict[str, Any] | None:
    """Read the simple YAML that `dump` writes, thirty times as fast as a whole YAML reader; None for any other."""
    found: dict[str, Any] = {}
    key, opened = "", False  # whether `key:` waits for its items on the lines below
    for line in text.removesuffix("\n").split("\n"):
        match = _simple_line(line)
        if match is None:
            return None
        name, value, empty, item, inner, inner_value = match.groups()
        if name is not None:
            if name in found or (opened and found[key] is None):
                return None
            key, opened = name, value is None and empty is None
            found[key] = None if opened else [] if empty == "[]" else {} if empty else _simple(value)
        elif item is not None:
            if not opened or isinstance(found[key], dict):
                return None
            found[key] = [*(found[key] or []), _simple(item)]
        else:
            box = found[key] if opened else ()
            if not opened or isinstance(box, list) or (box and inner in box):
                return None
            found[key] = {**(box or {}), inner: _simple(inner_value)}
    return None if opened and found[key] is None else found


def _simple(text: str) -> str:
    if text[0] != '"':
        return text
    value: str = json.loads(text) if "\\" in text else text[1:-1]
    return value


def _refuse_traps(events: Iterable[yaml.Event], path: Path, offset: int) -> None:
    """Raise for aliases, a few lines of which would fill any memory, and for nesting that would exhaust the stack."""
    import yaml

    depth = 0
    for event in events:
        line = event.start_mark.line + 1 + offset if event.start_mark else None
        if isinstance(event, yaml.AliasEvent):
            raise MemoryFileInvalid("an alias (`*name`), which is not read here", path, line)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise MemoryFileInvalid("nested too deeply", path, line)


def _built(node: yaml.Node, path: Path, offset: int, depth: int) -> Any:
    import yaml

    line = node.start_mark.line + 1 + offset
    if depth > _DEEPEST:
        raise MemoryFileInvalid("nested too deeply", path, line)
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_built(item, path, offset, depth + 1) for item in node.value]
    found: dict[str, Any] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise MemoryFileInvalid("a key that is no text", path, line)
        if key.value in found:
            raise MemoryFileInvalid(f"the key `{key.value}` stands twice", path, key.start_mark.line + 1 + offset)
        found[str(key.value)] = _built(value, path, offset, depth + 1)
    return found


# -- Writing -------------------------------------------------------------------------------------------------


def dump(fields: dict[str, Any], body: str) -> str:
    """A whole new file: front matter, an empty line, the body, and one newline at the end."""
    return (
        f"{_FENCE}\n{''.join(_entry(key, value) for key, value in fields.items())}{_FENCE}\n\n{body.strip(chr(10))}\n"
    )


def changed(document: Document, updates: dict[str, Any]) -> str:
    """The document's text with some fields replaced or, where new, added last; every other line stays as it was."""
    lines = document.text.split("\n")
    end = next(number for number, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE)
    head, rest = lines[1:end], lines[end:]
    for key, value in updates.items():
        start, stop = _block(head, key)
        head[start:stop] = _entry(key, value).rstrip("\n").split("\n")
    return "\n".join([_FENCE, *head, *rest])


def _block(head: list[str], key: str) -> tuple[int, int]:
    """The lines that hold a top-level key and its value; an empty place at the end where it is absent."""
    start = next((number for number, line in enumerate(head) if _key_of(line) == key), None)
    if start is None:
        return len(head), len(head)
    stop = start + 1
    while stop < len(head) and (not head[stop] or (head[stop][0] in " \t-" and _key_of(head[stop]) is None)):
        stop += 1
    while not head[stop - 1].strip():  # blank lines belong to nobody
        stop -= 1
    return start, stop


def _key_of(line: str) -> str | None:
    match = _KEY.match(line)
    return match[1].strip("'\"") if match else None


def _entry(key: str, value: Any, indent: str = "") -> str:
    name = key if _PLAIN.fullmatch(key) and not _TYPED.fullmatch(key) else _quoted(key)
    if isinstance(value, dict):
        if not value:
            return f"{indent}{name}: {{}}\n"
        return f"{indent}{name}:\n" + "".join(_entry(inner, item, indent + "  ") for inner, item in value.items())
    if isinstance(value, list):
        if not value:
            return f"{indent}{name}: []\n"
        return f"{indent}{name}:\n" + "".join(f"{indent}  - {_item(item)}\n" for item in value)
    # The version of the format is the one number that is meant as a number, by the old tool too.
    shown = value if (key, value) == ("schema_version", "1") else scalar(value)
    return f"{indent}{name}: {shown}\n"


def _item(value: Any) -> str:
    """One list item; what is itself a list or mapping stands on one line."""
    return scalar(value) if isinstance(value, str) else _flow(value)


def _flow(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_quoted(key)}: {_flow(item)}' for key, item in value.items())}}}"
    return _quoted(value)


def scalar(text: str) -> str:
    """A text as YAML: plain where every reader agrees that it is a text, else in double quotes.

    The words `null`, `true` and numbers are quoted when they are texts, so that no reader changes their type; times
    such as 2026-11-30T03:26:24.884Z stand plain, as in the files of orange-hyper.
    """
    return text if _PLAIN.fullmatch(text) and not _TYPED.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    # JSON leaves these readable; YAML 1.1 and readers by line take them for ends of lines.
    shown = json.dumps(text, ensure_ascii=False)
    return re.sub(
        "[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]", lambda match: f"\\u{ord(match[0]):04x}", shown
    )


def write(path: Path, text: str, *, expected: str | None = None) -> None:
    """Replace a file in one step, LF only; with `expected`, only while its bytes still have that hash.

    Raises EditedMeanwhile instead of overwriting what somebody changed by hand since it was read.
    """
    atomic.write(path, text.encode("utf-8"), expected=expected)


# -- Bodies --------------------------------------------------------------------------------------------------


def sections(body: str) -> dict[str, str]:
    """The `## title` sections of a body, in order, without blank lines around them; code fences are no titles."""
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    fenced = False
    for line in body.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if not fenced and line.startswith("## "):
            current = found.setdefault(line[3:].strip(), [])
        elif current is not None:
            current.append(line)
    return {title: "\n".join(lines).strip("\n").rstrip() for title, lines in found.items()}


def with_section(text: str, title: str, content: str) -> str:
    """The file's text with the content of one `## title` section replaced, or added at the end where there is none."""
    lines = text.split("\n")
    fenced = False
    start = stop = None
    for number, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if fenced or not line.startswith("## "):
            continue
        if start is not None:
            stop = number
            break
        if line[3:].strip() == title:
            start = number
    if start is None:
        return f"{text.rstrip(chr(10))}\n\n## {title}\n\n{content.strip(chr(10))}\n"
    tail = lines[stop:] if stop is not None else []
    block = [lines[start], "", *content.strip("\n").split("\n"), ""]
    return "\n".join([*lines[:start], *block, *tail]).rstrip("\n") + "\n"


# Lines that would become a heading, a rule, a fence or the mark of a merge conflict, behind any backslashes.
_SPECIAL = re.compile(r"\\*(?:\s{0,3}(?:#{1,6}(?:\s|$)|---\s*$|```|~~~)|<{7}|>{7}|={7}\s*$)")


def plain(text: str) -> str:
    """A text that a person gave, as a body may hold it: a line that would mean something gets a backslash in front."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(f"\\{line}" if _SPECIAL.match(line) else line for line in lines).strip()


def meant(text: str) -> str:
    """The text that `plain` was given."""
    return "\n".join(line[1:] if line[:1] == "\\" and _SPECIAL.match(line) else line for line in text.split("\n"))
