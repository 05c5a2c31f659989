"""The table of all commands.

To add one: write it in a module of its own (`command.py` shows how) and name it here. A module is loaded when
its command is used, so one that is missing or broken harms no other.
"""

from __future__ import annotations

from pith.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pith.interfaces.cli.command import Command

# What is typed, one or two words -> module:attribute.
COMMANDS = {
    "init": "pith.interfaces.cli.init:init",
    "install": "pith.interfaces.cli.install:install",
    "uninstall": "pith.interfaces.cli.install:uninstall",
    "import": "pith.interfaces.cli.import_:import_",
    "recall": "pith.interfaces.cli.recall:recall",
    "show": "pith.interfaces.cli.show:show",
    "timeline": "pith.interfaces.cli.timeline:timeline",
    "sessions": "pith.interfaces.cli.sessions:sessions",
    "status": "pith.interfaces.cli.status:status",
    "dashboard": "pith.interfaces.cli.dashboard:dashboard",
    "config": "pith.interfaces.cli.config:config",
    "config get": "pith.interfaces.cli.config:get",
    "config set": "pith.interfaces.cli.config:set_",
    "config unset": "pith.interfaces.cli.config:unset",
    "pause": "pith.interfaces.cli.pause:pause",
    "resume": "pith.interfaces.cli.pause:resume",
    "forget": "pith.interfaces.cli.forget:forget",
    "export": "pith.interfaces.cli.export:export",
    "link": "pith.interfaces.cli.link:link",
    "unlink": "pith.interfaces.cli.link:unlink",
    "quest new": "pith.interfaces.cli.quest:new",
    "quest list": "pith.interfaces.cli.quest:list_",
    "quest show": "pith.interfaces.cli.quest:show",
    "quest done": "pith.interfaces.cli.quest:done",
    "route": "pith.interfaces.cli.route:route",
    "capsule": "pith.interfaces.cli.capsule:capsule",
    "remember propose": "pith.interfaces.cli.remember:propose",
    "remember list": "pith.interfaces.cli.remember:list_",
    "remember show": "pith.interfaces.cli.remember:show",
    "remember validate": "pith.interfaces.cli.remember:validate",
    "remember revise": "pith.interfaces.cli.remember:revise",
    "remember accept": "pith.interfaces.cli.remember:accept",
    "remember reject": "pith.interfaces.cli.remember:reject",
    "graph list": "pith.interfaces.cli.graph:list_",
    "graph show": "pith.interfaces.cli.graph:show",
    "graph search": "pith.interfaces.cli.graph:search",
    "graph rebuild-index": "pith.interfaces.cli.graph:rebuild_index",
    "graph link": "pith.interfaces.cli.curate:link",
    "graph unlink": "pith.interfaces.cli.curate:unlink",
    "graph supersede": "pith.interfaces.cli.curate:supersede",
    "graph verify": "pith.interfaces.cli.curate:verify",
    "identity build": "pith.interfaces.cli.identity:build",
    "import evidence": "pith.interfaces.cli.import_evidence:import_evidence",
    "entries": "pith.interfaces.cli.entries:entries",
    "entry show": "pith.interfaces.cli.entries:show",
    "lineage": "pith.interfaces.cli.entries:lineage",
    "evidence": "pith.interfaces.cli.entries:evidence",
    "tasks": "pith.interfaces.cli.tasks:tasks",
    "task show": "pith.interfaces.cli.tasks:show",
    "task set": "pith.interfaces.cli.tasks:set_",
    "conditions": "pith.interfaces.cli.tasks:conditions",
    "condition resolve": "pith.interfaces.cli.tasks:resolve",
    "prefer list": "pith.interfaces.cli.prefer:list_",
    "prefer confirm": "pith.interfaces.cli.prefer:confirm",
    "prefer add": "pith.interfaces.cli.prefer:add",
    "prefer withdraw": "pith.interfaces.cli.prefer:withdraw",
    "note": "pith.interfaces.cli.extract:note",
    "endless enable": "pith.interfaces.cli.endless:enable",
    "endless disable": "pith.interfaces.cli.endless:disable",
    "endless status": "pith.interfaces.cli.endless:status",
    "endless consolidate": "pith.interfaces.cli.endless:consolidate",
    "extract": "pith.interfaces.cli.extract:extract",
    "rebuild": "pith.interfaces.cli.rebuild:rebuild",
    "verify": "pith.interfaces.cli.verify:verify",
    "work": "pith.interfaces.cli.work:work",
    "outbox status": "pith.interfaces.cli.outbox:status",
    "outbox retry": "pith.interfaces.cli.outbox:retry",
    "outbox reconcile": "pith.interfaces.cli.outbox:reconcile",
    "outbox retire": "pith.interfaces.cli.outbox:retire",
    "index status": "pith.interfaces.cli.index:status",
    "index use": "pith.interfaces.cli.index:use",
    "index rebuild": "pith.interfaces.cli.index:rebuild",
    "doctor": "pith.interfaces.cli.doctor:doctor",
    "check": "pith.interfaces.cli.check:check",
    "mcp": "pith.interfaces.cli.mcp:mcp",
}
# How `pith --help` parts them: the first command of each part, and what stands above it.
PARTS = {
    "init": "Commands",
    "quest new": "What a team decided, in git",
    "import evidence": "What was stated, and tasks",
    "prefer list": "Preferences, notes, endless mode",
    "extract": "Upkeep",
}
ALIASES = {"search": "recall"}


def split(words: Sequence[str]) -> tuple[str, list[str]]:
    """Part a command's name, of two words or one, from what follows; the name is empty if there is none."""
    for count in (2, 1):
        name = " ".join(words[:count])
        name = ALIASES.get(name, name)
        if name in COMMANDS and len(words) >= count:
            return name, list(words[count:])
    return "", list(words)


def below(group: str) -> dict[str, str]:
    """The commands whose first word this is, their second word -> the whole name."""
    return {name.partition(" ")[2]: name for name in COMMANDS if name.startswith(f"{group} ")}


def load(name: str) -> Command:
    """Return a command of the table, or say that this installation lacks it."""
    from importlib import import_module

    module, _, attribute = COMMANDS[name].partition(":")
    try:
        command: Command = getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise InputError(f"`pith {name}` is not part of this version.") from error
    return command


def nearest(word: str, names: Sequence[str]) -> list[str]:
    """Return up to three names that someone may have meant."""
    from difflib import get_close_matches

    return get_close_matches(word, names, n=3, cutoff=0.6)
