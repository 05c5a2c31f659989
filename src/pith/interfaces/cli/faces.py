"""The other faces that a command starts, opened by name: faces are siblings and import nothing of each other.

A face is a function of a module that takes plain values and runs until it is told to end. What it needs besides pith
itself is an extra, and may be missing.
"""

from __future__ import annotations

from pith.errors import PithError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Its name, which is also that of the extra -> module:function, the packages that it needs, what to call it.
FACES = {
    "mcp": ("pith.interfaces.mcp.main:serve", ("mcp",), "The MCP server"),
    "web": ("pith.interfaces.web.serve:serve", ("starlette", "uvicorn", "jinja2"), "The dashboard"),
}


class FaceMissing(PithError):
    """What a face needs is not installed."""

    code = "EXTRA_MISSING"


def face(name: str) -> Callable[..., Any]:
    """The function that runs a face. Raises FaceMissing, which says how to install what it needs."""
    from importlib import import_module
    from importlib.util import find_spec

    target, needs, called = FACES[name]
    missing = [package for package in needs if find_spec(package) is None]
    if missing:
        raise FaceMissing(
            f"{called} needs {', '.join(missing)}, which this installation lacks.",
            hint=f'Install it with `pip install "pith-memory[{name}]"`.',
        )
    module, _, function = target.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
