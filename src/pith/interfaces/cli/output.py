"""What a command prints: lines and small tables for people, one JSON object for programs (requirement G30).

Stored text is data. Whatever is printed passes `plain` (text) or `json_text`, which mask credentials and take
the power from control characters, so a remembered escape sequence cannot move a cursor or rename a window.

How to write a command is told in `command.py`; the `Terminal` below is what its text renderer is given:

    terminal.line("3 memories", ("weak", "dim"))      # a piece is text, or (text, style)
    terminal.table([("mem:k7q2mf", "10:02", "쿠폰함")], headers=("citation", "time", "text"))
    terminal.note("Read from the backup.")             # stderr; says nothing in JSON mode
    with terminal.progress("Reading", total_bytes) as progress:
        progress.add(4096)
    if terminal.confirm("Forget 3 memories?"): ...     # False where nobody can answer
"""

from __future__ import annotations

import os

from pith.domain import secrets
from pith.errors import PithError
from pith.services.answers.written import CONTROLS, are_clean, encodable, envelope, json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TextIO

    Piece = str | tuple[str, str]

STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
WIDTH_ELSEWHERE = 100  # columns to assume when a terminal does not say
GAP = 2  # columns between those of a table
LEAST = 8  # columns that a narrow screen leaves to each column of a table
LEAST_LAST = 20  # and to the last one, which holds the text

_VISIBLE = {code: chr(0x2400 + code) if code < 0x20 else "\ufffd" for code in CONTROLS if code not in (9, 10)}

# -- Text that is safe to print ------------------------------------------------------------------------------


def plain(text: str) -> str:
    """Mask credentials, and show control characters instead of sending them; newlines and tabs stay."""
    return _visible(secrets.mask(text)[0])


def _visible(text: str) -> str:
    if text.isprintable():
        return text
    return encodable(text.replace("\r\n", "\n").translate(_VISIBLE))


def one_line(text: str, shown: Callable[[str], str] = plain) -> str:
    """Like `plain`, on a single line; `shown` may leave the masking out where it was done."""
    return " ".join(shown(text).split())


def width(text: str) -> int:
    """Return how many columns a terminal gives the text; Korean, Chinese and Japanese take two each."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    import unicodedata

    if unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0  # it joins the one before it: accents, joiners, the vowels and finals of decomposed Korean
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def cut(text: str, columns: int) -> str:
    """Shorten the text to that many columns, and show that it goes on."""
    if width(text) <= columns:
        return text
    room, kept = columns - 1, []
    for character in text:
        room -= _columns(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + "…"


def fitted(wanted: list[int], columns: int, even: Sequence[bool] = ()) -> list[int]:
    """How wide the columns of a table are on a screen: the last takes what is left, the widest others give way.

    `even` columns, such as dates, are of use only whole, and give way last.
    """
    widths = list(wanted)
    last = min(widths[-1], LEAST_LAST) if widths else 0
    others = range(len(widths) - 1)
    for yielding in ([at for at in others if not (even and even[at])], list(others)):
        while yielding and columns - sum(widths[at] + GAP for at in others) < last:
            widest = max(yielding, key=widths.__getitem__)
            if widths[widest] <= LEAST:
                break
            widths[widest] -= 1
    if widths:
        left = columns - sum(widths[at] + GAP for at in others)
        widths[-1] = min(widths[-1], max(left, LEAST))
    return widths


def counted(count: int, one: str, many: str) -> str:
    """A number with its noun: `1 session`, `2,000 sessions`."""
    return f"{count:,} {one if count == 1 else many}"


class AnswerLost(PithError):
    """Where the answer should go takes nothing more."""

    code = "ANSWER_LOST"
    hint = "Check the free space where the output goes, then try again."


def lost(error: OSError) -> Exception:
    """What to raise where an answer cannot be written."""
    if isinstance(error, BrokenPipeError):
        return error  # the reader has seen enough
    return AnswerLost(f"The answer could not be written: {error.strerror or error}.")


# -- The terminal --------------------------------------------------------------------------------------------


class Terminal:
    """Where answers go: lines for a person, or one JSON object on stdout and silence elsewhere."""

    __slots__ = ("_colour", "_err", "_in", "_out", "is_screen", "json_mode", "width")

    def __init__(self, out: TextIO, err: TextIO, source: TextIO | None = None, *, json_mode: bool = False) -> None:
        self._out, self._err, self._in = out, err, source
        self.json_mode = json_mode
        self.is_screen = out.isatty()
        self.width = _terminal_width(out) if self.is_screen else 0
        self._colour = self.is_screen and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"

    # -- text

    def line(self, *pieces: Piece) -> None:
        """Print the pieces as one line (or more, where a piece holds newlines)."""
        self._print("".join(self._styled(piece) for piece in pieces) + "\n")

    def key(self, text: str) -> None:
        """Print a line of ours as it is: it holds a key that is meant for whoever reads this terminal, now."""
        self._print(text + "\n")

    def table(self, rows: Iterable[Sequence[Piece]], headers: Sequence[str] = ()) -> None:
        """Print aligned columns under their headers on a screen, and tab-separated rows elsewhere."""
        given = [[(_text(piece), _style(piece)) for piece in row] for row in rows]
        shown = _visible if are_clean(text for row in given for text, _ in row) else plain
        cells = [[(one_line(text, shown), style) for text, style in row] for row in given]
        if not self.is_screen:
            for row in cells:
                self._print("\t".join(text for text, _ in row) + "\n")
            return
        if headers and cells:
            cells.insert(0, [(header, "bold") for header in headers])
        wanted = [max(map(width, column)) for column in zip(*[[t for t, _ in row] for row in cells], strict=True)]
        text_rows = cells[1:] if headers else cells
        even = [len({width(text) for text, _ in column}) == 1 for column in zip(*text_rows, strict=True)]
        widths = fitted(wanted, self.width, even)
        for row in cells:
            self._row(row, widths)

    def _row(self, row: list[tuple[str, str]], widths: list[int]) -> None:
        """Print one row, each cell cut to its column."""
        written = []
        for (text, style), columns in zip(row[:-1], widths[:-1], strict=True):
            shown = cut(text, columns)
            written.append(self._painted(shown, style) + " " * (columns - width(shown) + GAP))
        text, style = row[-1]
        written.append(self._painted(cut(text, widths[-1]), style))
        self._print("".join(written) + "\n")

    def _styled(self, piece: Piece) -> str:
        return self._painted(plain(_text(piece)), _style(piece))

    def _painted(self, text: str, style: str) -> str:
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if style and text and self._colour else text

    # -- beside the answer

    def note(self, text: str) -> None:
        """Say something that is not part of the answer."""
        if not self.json_mode:
            self._err.write(plain(text) + "\n")

    def progress(self, label: str, total: int) -> Progress:
        """Show how far a long work is, where somebody watches."""
        watched = not self.json_mode and self._err.isatty()
        return Progress(self._err if watched else None, label, total)

    @property
    def can_ask(self) -> bool:
        """Whether somebody is there who can answer."""
        return not self.json_mode and self._in is not None and self._in.isatty() and self._err.isatty()

    def confirm(self, question: str) -> bool:
        """Ask yes or no; the answer is no where nobody can answer."""
        if not self.can_ask or self._in is None:
            return False
        self._err.write(f"{plain(question)} [y/N] ")
        self._err.flush()
        return self._in.readline().strip().lower() in ("y", "yes", "예", "네", "ㅛ")

    # -- the envelope

    def answer(self, command: str, data: Any, *, ok: bool = True, error: dict[str, str] | None = None) -> None:
        """Print what a command found as the one JSON object, also when what it found is an error."""
        self._print(json_text(envelope(command, data, ok=ok, error=error)) + "\n")

    def fail(self, command: str, code: str, message: str, hint: str) -> None:
        """Say what went wrong and what to do next: in JSON on stdout, for a person on stderr."""
        if self.json_mode:
            error = {"code": code, "message": message, "hint": hint}
            self._print(json_text(envelope(command, ok=False, error=error)) + "\n")
            return
        self._err.write(one_line(message) + "\n" + (plain(hint) + "\n" if hint else ""))

    def _print(self, text: str) -> None:
        try:
            self._out.write(text)
        except OSError as error:
            raise lost(error) from error

    def flush(self) -> None:
        """Hand over everything printed so far."""
        try:
            self._out.flush()
        except OSError as error:
            raise lost(error) from error
        self._err.flush()


def _text(piece: Piece) -> str:
    return piece if isinstance(piece, str) else piece[0]


def _style(piece: Piece) -> str:
    return "" if isinstance(piece, str) else piece[1]


def _terminal_width(out: TextIO) -> int:
    # Not shutil.get_terminal_size: shutil loads every compressor that Python knows.
    try:
        return int(os.environ.get("COLUMNS", "")) or WIDTH_ELSEWHERE
    except ValueError:
        pass
    try:
        return os.get_terminal_size(out.fileno()).columns or WIDTH_ELSEWHERE
    except (OSError, ValueError):
        return WIDTH_ELSEWHERE


class Progress:
    """A line on stderr that shows how much of a total is done; nothing where nobody watches."""

    __slots__ = ("_done", "_err", "_label", "_shown", "_total")

    def __init__(self, err: TextIO | None, label: str, total: int) -> None:
        self._err, self._label, self._total = err, plain(label), total
        self._done, self._shown = 0, -1

    def __enter__(self) -> Progress:
        self.add(0)
        return self

    def __exit__(self, *_: object) -> None:
        if self._err is not None:
            self._err.write("\r\x1b[K")
            self._err.flush()

    def add(self, amount: int) -> None:
        """Count what was done since the last call."""
        self._done += amount
        percent = min(100, 100 * self._done // self._total) if self._total else 100
        if self._err is None or percent == self._shown:
            return
        self._shown = percent
        bar = "█" * (percent // 5) + "░" * (20 - percent // 5)
        self._err.write(f"\r\x1b[K{self._label} {bar} {percent:3d} %")
        self._err.flush()
