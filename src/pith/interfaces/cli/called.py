"""By which of its two names the program was called: `orange` speaks of project memory only."""

from __future__ import annotations

import os
import sys

from pith.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PITH, ORANGE = "pith", "orange"

# What means project memory only under the one name, and more under the other.
_SHARED = ("init", "doctor")
# What orange-hyper did beside project memory.
NOT_OURS = ("adapter", "growth", "eval", "mcp", "hook")


def name() -> str:
    """`orange` when the program was started as such, else `pith`."""
    called = os.path.basename(sys.argv[0]) if sys.argv else PITH
    return ORANGE if called.lower().removesuffix(".exe") == ORANGE else PITH


def translated(words: Sequence[str]) -> list[str]:
    """The words as `pith` takes them: `orange init` is `pith init --shared`. Raises InputError for what is not here."""
    found = list(words)
    if name() != ORANGE or not found:
        return found
    if found[0] in NOT_OURS:
        raise InputError(
            f"`orange {found[0]}` is not part of this program, which keeps project memory and nothing beside it.",
            hint="Run `orange --help` to see the commands.",
        )
    if found[0] in _SHARED and "--shared" not in found:
        found.insert(1, "--shared")
    return found
