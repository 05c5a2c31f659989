"""`pith init`: the first command in a repository; shows which project it is, offers hooks and past sessions."""

from __future__ import annotations

from pith.adapters import hosts
from pith.errors import InputError
from pith.interfaces.cli import import_ as importing
from pith.interfaces.cli import install as installing
from pith.interfaces.cli.command import command, option
from pith.interfaces.cli.status import readable
from pith.services import location, overview
from pith.services import project as project_service
from pith.services.answers.here import here
from pith.services.history import import_project
from pith.services.project_memory import shared_init
from pith.services.setup import installed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal
    from pith.services.answers.here import Here

CLAUDE = "claude"


@command(
    "init",
    option("--yes", "-y", flag=True, help="Install hooks and import without asking."),
    option("--no-hooks", flag=True, help="Leave the settings of agents alone."),
    option("--no-import", flag=True, help="Do not read past sessions."),
    option("--shared", flag=True, help="Make only the project memory that the repository carries, in .orange-hyper/."),
    option("--project", help="With --shared: the project's name; otherwise the folder's."),
    option("--force", flag=True, help="With --shared: write configuration and name anew; the project keeps its id."),
)
def init(
    yes: bool, no_hooks: bool, no_import: bool, shared: bool, project: str | None, force: bool, terminal: Terminal
) -> dict[str, Any]:
    """Begin here: see which project this is, then hooks and past sessions. Writes nothing into the repository.

    With --shared it makes .orange-hyper/ instead, which git carries to everybody who has the repository.
    """
    if shared:
        return _shared(project, force)
    if project is not None or force:
        raise InputError("`--project` and `--force` go with `--shared`.", hint="Run `pith init --help`.")
    place = here()
    wanted = [] if no_hooks else _without_hooks()
    sources = [] if no_import else _history(place)
    data = {
        **_known(place),
        "agents": installing.present(),
        "without_hooks": wanted,
        "history": {"files": len(sources), "bytes": sum(source.size for source in sources)},
        "cleanup_days": installed.cleanup_days(hosts.host(CLAUDE).home()) if _is_here(CLAUDE) else None,
        "import_offered": not no_import,
        "shared": None,
        "hooks": [],
        "import": None,
    }
    _show_found(data, terminal)
    for name in wanted:
        if yes or terminal.confirm(f"Let {hosts.host(name).title} call pith?"):
            data["hooks"].append(installing.installed(name))
    if sources and (yes or terminal.confirm(f"Import the {_count(data['history']['files'])}?")):
        data["import"] = importing.bring_in_here(place, sources, terminal)
    if yes or data["hooks"] or data["import"]:
        data.update(_registered(place))
    data["commands"] = _commands(data)
    return data


def _shared(project: str | None, force: bool) -> dict[str, Any]:
    """What `--shared` did, in the repository that this folder belongs to."""
    made = shared_init.init(shared_init.place(location.working_folder()), project, force=force)
    return {"shared": made.as_json()}


def _without_hooks() -> list[str]:
    """Agents on this machine that do not call this pith as they should."""
    return [name for name in installing.present() if installed.problems(name)]


def _history(place: Here) -> list[import_project.Source]:
    inside = import_project.inside(place.home, place.place)
    if import_project.is_left_alone(place.settings, place.place.root):
        return []
    found = import_project.of_place(import_project.of_hosts(import_project.ALL), inside)
    return import_project.not_yet_read(place.folder, found)


def _is_here(name: str) -> bool:
    return name in installing.present()


def _known(place: Here) -> dict[str, Any]:
    keys = project_service.keys_of(place.place)
    described = project_service.describe(place.project) if place.project else {"key": keys[0], "alias": keys[1:]}
    return {
        "project": {"known": place.project is not None, **described},
        "root": place.place.root,
        "branch": place.place.branch,
        "left_alone": import_project.is_left_alone(place.settings, place.place.root),
    }


def _registered(place: Here) -> dict[str, Any]:
    found = place.registered()
    return {"project": {"known": True, **project_service.describe(found)}, "sizes": overview.sizes(found.folder)}


def _commands(data: dict[str, Any]) -> list[str]:
    """What is left to do, as commands."""
    done = {each["host"] for each in data["hooks"]}
    left = [f"pith install {name}" for name in data["without_hooks"] if name not in done]
    if data["history"]["files"] and data["import"] is None:
        left.append("pith import")
    return left


def _count(files: int) -> str:
    return "session file" if files == 1 else f"{files:,} session files"


# -- Showing -------------------------------------------------------------------------------------------------


def _show_found(data: dict[str, Any], terminal: Terminal) -> None:
    """What is here, before anything is asked; on a screen only, because elsewhere the answer says it all."""
    if terminal.is_screen and not terminal.json_mode:
        _show_project(data, terminal)


def _show_project(data: Any, terminal: Terminal) -> None:
    branch = f", on {data['branch']}" if data["branch"] else ""
    terminal.line(("project  ", "dim"), (data["root"], "bold"), branch)
    terminal.line(("key      ", "dim"), data["project"]["key"])
    if data["left_alone"]:
        terminal.line(("! ", "yellow"), "It is excluded by `capture.exclude.projects`: nothing is remembered.")
    agents = ", ".join(hosts.host(name).title for name in data["agents"]) or "none found on this machine"
    terminal.line(("agents   ", "dim"), agents)
    files, size = data["history"]["files"], readable(data["history"]["bytes"])
    if data["import_offered"]:
        found = f"{files:,} files, {size}" if files else "nothing new of this project"
        terminal.line(("history  ", "dim"), found)
    days = data["cleanup_days"]
    if days is not None:
        terminal.line(
            ("! ", "yellow"),
            f"Claude Code deletes its transcripts after {days} days; what is imported before stays"
            " (`cleanupPeriodDays` in its settings keeps them longer).",
        )


@init.text
def show(data: Any, terminal: Terminal) -> None:
    """What was done, and what is left to do."""
    if data["shared"]:
        _show_shared(data["shared"], terminal)
        return
    if not terminal.is_screen:
        _show_project(data, terminal)
    for each in data["hooks"]:
        installing.show_installed(each, terminal)
    if data["import"]:
        importing.show_report(data["import"], terminal)
    if data["commands"]:
        done = data["hooks"] or data["import"]
        terminal.line("Left to do:" if done else "Nothing was changed. What `pith init --yes` would do:")
        for each in data["commands"]:
            terminal.line(f"  {each}")
    elif not data["agents"]:
        terminal.line(
            "Run `pith init` again once Claude Code or Codex is here; `pith import FOLDER` takes transcripts."
        )
    else:
        terminal.line('Ask with `pith recall "..."`, or look at `pith status`.')
    terminal.line("Nothing was written into the repository.")


def _show_shared(data: Any, terminal: Terminal) -> None:
    """The project, and which files are new."""
    terminal.line("Initialized " if data["created"] else "Already there: ", (data["root"], "bold"))
    terminal.line(("project  ", "dim"), f"{data['project']['project_name']}, {data['project']['project_id']}")
    for file in data["files"]:
        terminal.line(("written  ", "dim"), file)
    if data["files"]:
        terminal.line(("next     ", "dim"), "git add .orange-hyper, and commit it")
