"""Who may accept: a guard against agents that accept what they proposed themselves. A guard, not a proof."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from pith import platform
from pith.adapters import git
from pith.domain import secrets
from pith.errors import InputError, PithError
from pith.services import config, location, project
from pith.services.settings import HOME, PROJECT, named

TERMINAL, WEB, CLIENT = "terminal", "web", "client"
VIA = (TERMINAL, WEB, CLIENT)

AUTO, ANYONE = "auto", "anyone"
_SETTING = "review.accept"

# What hosts set for the commands that their agent runs. Editors whose terminals people use too (`TERM_PROGRAM`,
# `CURSOR_TRACE_ID`) are no sign of an agent.
AGENT_VARIABLES = (
    "CLAUDECODE", "CLAUDE_CODE", "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID",
    "CURSOR_AGENT", "GEMINI_CLI", "COPILOT_CLI", "OPENCODE", "CLINE_ACTIVE", "AMP_CURRENT_THREAD_ID", "AI_AGENT",
)  # fmt: skip

Ask = Callable[[str], bool]
"""Puts a question to the person at the terminal; True for yes."""


class NeedsAPerson(PithError):
    """An agent, or nobody, is at the other end of a command that only a person may give."""

    code = "REVIEW_REQUIRED"
    hint = "Run the command yourself in a terminal; `pith config review.accept` says who may accept."
    http_status = 403


def setting(folder: str) -> str:
    """Who may accept here: the person's own setting, never the repository's and never the environment's."""
    home = platform.home()
    known = project.find(home, location.locate(folder))
    settings = config.load(home, known.folder if known else None)
    own = (layer.values for layer in settings.layers if layer.source in (PROJECT, HOME))
    return str(next((values[_SETTING] for values in own if _SETTING in values), named(_SETTING).default))


def agent(environment: Mapping[str, str] = os.environ) -> str | None:
    """The variable that says that an agent runs this command, if one does."""
    return next((name for name in AGENT_VARIABLES if environment.get(name)), None)


def is_by_person(folder: str) -> bool:
    """Whether what is done now counts as a person's doing without anybody being asked."""
    allowed = setting(folder)
    return allowed == ANYONE or (allowed == AUTO and agent() is None)


def demand_person(folder: str, question: str, ask: Ask | None) -> None:
    """Raise NeedsAPerson unless accepting is open to anyone here, or a person at the terminal says yes."""
    if is_by_person(folder):
        return
    if ask is None:
        found = agent()
        why = f"{found} says that an agent runs this command" if found else "review.accept is `terminal`"
        raise NeedsAPerson(f"Only a person may decide this: {why}, and no terminal is here to ask.")
    if not ask(question):
        raise NeedsAPerson("Nothing was decided.", hint="Answer yes to decide.")


def name_of_person(folder: str) -> str:
    """git's user.name, without an e-mail address in it; `unknown` where git knows none."""
    return secrets.mask(git.user_name(folder) or "", personal=True)[0].strip() or "unknown"


def demand_via(via: str) -> None:
    """Raise InputError for a way of deciding that does not exist."""
    if via not in VIA:
        raise InputError(f"`{via}` is no way to decide.", hint=f"Use one of {', '.join(VIA)}.")
