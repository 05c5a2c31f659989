"""The program `pith`, also installed as `orange`: finds the command, runs it, turns failures into sentences.

The commands are listed in `commands.py`; how to write one is told in `command.py`.
"""

from __future__ import annotations

import os
import sys

from pith.errors import InputError, PithError
from pith.interfaces.cli import called
from pith.interfaces.cli.command import parse
from pith.interfaces.cli.commands import ALIASES, COMMANDS, below, load, nearest, split
from pith.interfaces.cli.output import AnswerLost, Terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TextIO

FAILED, INTERRUPTED, PIPE_CLOSED = 1, 130, 141  # the last two as a shell reports SIGINT and SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code; no failure shows a traceback."""
    words = [_readable(word) for word in (sys.argv[1:] if argv is None else argv)]
    out, err = _utf8(sys.stdout), _utf8(sys.stderr)
    asked = words[: words.index("--")] if "--" in words else words
    terminal = Terminal(out, err, sys.stdin, json_mode="--json" in asked)
    try:
        code = _guarded(words, terminal)
        terminal.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard(out)
        return PIPE_CLOSED
    except AnswerLost as error:
        _discard(out)
        err.write(f"{error}\n{error.hint}\n")
        return FAILED
    return code


def _guarded(words: list[str], terminal: Terminal) -> int:
    """Run the command; say in one sentence what went wrong."""
    try:
        return _run(words, terminal)
    except (AnswerLost, BrokenPipeError, KeyboardInterrupt):
        raise
    except PithError as error:
        terminal.fail(_command_id(words), error.code, str(error), error.hint)
    except Exception as error:  # a fault of ours: the reader gets a sentence, the log the rest
        if os.environ.get("PITH_DEBUG") == "1":
            raise
        from pith.services import fault

        terminal.fail(_command_id(words), *fault.told(error))
    return FAILED


def _run(words: list[str], terminal: Terminal) -> int:
    if words[:1] == ["--json"]:
        words = [*words[1:], "--json"]
    if words[:1] in (["--version"], ["-V"]):
        return _show_version(terminal)
    words = called.translated(words)
    name, rest = split(words)
    if name:
        command = load(name)
        values = parse(command.parameters, rest)
        if values is not None:
            return command.run(values, terminal)
    elif words and not words[0].startswith("-") and not (below(words[0]) and {"--help", "-h"} & set(words)):
        raise _unknown(words)
    return _explained(words, terminal)


def _explained(words: list[str], terminal: Terminal) -> int:
    """Let click print help, or say what is wrong with the words."""
    from pith.interfaces.cli import clicks

    found = clicks.read(words or ["--help"])
    if isinstance(found, int):
        return found
    command, values = found
    return command.run(values, terminal)


def _show_version(terminal: Terminal) -> int:
    from pith import __version__

    if terminal.json_mode:
        terminal.answer("version", {"version": __version__})
    else:
        terminal.line(f"pith {__version__}")
    return 0


def _command_id(words: Sequence[str]) -> str:
    """Return the id to put into an envelope when the command could not be loaded or did not finish."""
    said = [word for word in words if word != "--json"]
    name, _ = split(said)
    if not name:
        return _unknown_id(said)
    try:
        return load(name).id
    except Exception:  # the failure being told is the one that matters
        return name.replace(" ", ".")


def _unknown_id(words: Sequence[str]) -> str:
    """`frobnicate.unknown`, as orange-hyper has it; of a known first word `graph.frobnicate`."""
    if not words or words[0].startswith("-"):
        return "pith"
    first, second = words[0][:40], "".join(words[1:2])[:40]
    known = below(first) or first in called.NOT_OURS
    return f"{first}.{second}" if known and second and not second.startswith("-") else f"{first}.unknown"


def _unknown(words: Sequence[str]) -> InputError:
    word, known = words[0], below(words[0])
    if known:
        return InputError(
            f"`pith {word}` has no command `{words[1][:40]}`." if words[1:] else f"`pith {word}` is no whole command.",
            hint=f"It has {', '.join(known)}; `pith {word} --help` tells what they do.",
        )
    near = nearest(word, [*COMMANDS, *ALIASES])
    guess = f"; did you mean {' or '.join(f'`pith {name}`' for name in near)}?" if near else "."
    return InputError(f"There is no command `{word[:40]}`{guess}")


# -- Streams -------------------------------------------------------------------------------------------------


def _utf8(stream: Any) -> TextIO:
    """Make a stream speak UTF-8 whatever the system's language; a closed one swallows what it is given."""
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="backslashreplace")
    written: TextIO = stream
    return written


def _readable(word: str) -> str:
    """Read a word as UTF-8 where the system's language made Python take it for something else."""
    if word.isascii():
        return word
    try:
        return os.fsencode(word).decode("utf-8")
    except UnicodeError:
        return word


def _discard(stream: TextIO) -> None:
    """Send what is left to nowhere: Python flushes at its end, and would complain about the closed pipe."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
    except (OSError, ValueError):
        pass


if __name__ == "__main__":
    sys.exit(main())
