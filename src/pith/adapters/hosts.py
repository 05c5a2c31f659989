"""The agents whose hooks pith can be installed into."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pith.adapters.hook_program import Program
from pith.adapters.host_claude import Claude
from pith.adapters.host_codex import Codex
from pith.errors import InputError


class Host(Protocol):
    """What an agent's hooks look like, and where it keeps them."""

    name: str  # as in `pith install claude`
    title: str
    events: Mapping[str, int]  # event -> timeout in seconds
    after_install: tuple[str, ...]  # what the user must know or do

    def home(self) -> str: ...

    def settings(self) -> str: ...

    def handler(self, event: str, program: Program) -> dict[str, Any]: ...

    def words(self, handler: Mapping[str, Any]) -> list[str]: ...

    def line(self, handler: Mapping[str, Any]) -> list[str]: ...

    def complaints(self, settings: Mapping[str, Any], hooks: list[tuple[str, int, int]]) -> list[str]: ...

    def plugin(self, settings: Mapping[str, Any]) -> str: ...

    def waits_for(self, settings: Mapping[str, Any], hooks: list[tuple[str, int, int]]) -> str: ...


HOSTS: Mapping[str, Host] = {"claude": Claude(), "codex": Codex()}


def host(name: str) -> Host:
    """Return the host of that name."""
    if name not in HOSTS:
        raise InputError(f"{name} is no agent that pith knows.", hint=f"Choose one of: {', '.join(HOSTS)}.")
    return HOSTS[name]
