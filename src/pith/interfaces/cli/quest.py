"""`pith quest`: begin a piece of work, list what is under way, and complete it with evidence."""

from __future__ import annotations

from pith.errors import InputError
from pith.files.quests import FOLDERS
from pith.interfaces.cli import called
from pith.interfaces.cli.command import argument, command, option
from pith.interfaces.cli.shared_here import said, shared_here, show_rows, warn
from pith.services.project_memory import evidence as evidence_service
from pith.services.project_memory import quests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.interfaces.cli.output import Terminal


@command(
    "quest.new",
    argument("request", many=True, required=False, help="What is to be done."),
    option("--title", help="A short name; otherwise the request's beginning."),
    option("--layer", help="How much care it needs, L0 to L4; otherwise judged by rules."),
    option("--verify", many=True, help="How it will be checked; may be repeated."),
    option("--constraint", many=True, help="What must hold meanwhile; may be repeated."),
    option("--path", many=True, help="A file or folder that it is about; may be repeated."),
    option("--contract", help="What is to come out: answer, edit, implementation, review, validation or research."),
)
def new(
    request: tuple[str, ...],
    title: str | None,
    layer: str | None,
    verify: tuple[str, ...],
    constraint: tuple[str, ...],
    path: tuple[str, ...],
    contract: str | None,
) -> dict[str, Any]:
    """Begin a quest: one piece of work, with its level, its limits and how it will be checked."""
    made = quests.new(
        shared_here(),
        said(request),
        title=title,
        layer=layer,
        contract=contract,
        verify=verify,
        constraints=constraint,
        paths=path,
    )
    return made.as_json(called.name())


@new.text
def show_new(data: Any, terminal: Terminal) -> None:
    """The id, the route, and what to do next."""
    quest = data["quest"]
    terminal.line((quest["id"], "bold"))
    terminal.line(("route    ", "dim"), f"{data['contract']['route']}: {data['contract']['reason_summary']}")
    terminal.line(("file     ", "dim"), quest["file"])
    terminal.line(("next     ", "dim"), data["next"]["capsule"])
    if data["warning"]:
        terminal.note(f"! {data['warning']}")
    warn(data, terminal)


@command(
    "quest.list",
    option("--completed", flag=True, help="Completed ones."),
    option("--all", flag=True, help="Active and completed ones."),
)
def list_(completed: bool, all: bool) -> dict[str, Any]:
    """List the quests under way, the latest change first."""
    statuses = tuple(FOLDERS) if all else ("completed",) if completed else ("active",)
    shared = shared_here()
    return quests.listed(shared, *statuses).as_json(shared.layout)


@list_.text
def show_list(data: Any, terminal: Terminal) -> None:
    """A row a quest."""
    if not data["quests"]:
        terminal.line('No quest is here. `pith quest new "..."` begins one.')
    rows = [
        (each["status"], each["id"], each["layer"], each["verification_status"], each["title"])
        for each in data["quests"]
    ]
    show_rows(rows, terminal, id=1)
    warn(data, terminal)


@command("quest.show", argument("quest", help="Its id, or a beginning that fits one only."))
def show(quest: str) -> dict[str, Any]:
    """Show a quest as its file has it."""
    return quests.shown(shared_here(), quest)


@show.text
def show_one(data: Any, terminal: Terminal) -> None:
    """The file."""
    terminal.line(data["quest"]["content"].rstrip("\n"))


@command(
    "quest.done",
    argument("quest", help="Its id, or a beginning that fits one only."),
    option("--evidence", many=True, help="What shows that it is done; may be repeated."),
    option("--evidence-file", many=True, help="A text file of the repository that shows it; may be repeated."),
    option("--unverified", help="Why nothing shows it."),
)
def done(quest: str, evidence: tuple[str, ...], evidence_file: tuple[str, ...], unverified: str | None) -> Any:
    """Complete a quest with evidence, or with the reason why there is none."""
    if unverified is not None and not unverified.strip():
        raise InputError("`--unverified` needs a reason.", hint="Say why nothing shows that it is done.")
    shared = shared_here()
    proof = (*evidence, *(evidence_service.of_file(shared, file) for file in evidence_file))
    return quests.done(shared, quest, evidence=proof, unverified=unverified or "").as_json()


@done.text
def show_done(data: Any, terminal: Terminal) -> None:
    """What was completed, how sure it is, and how to keep what it taught."""
    quest = data["quest"]
    terminal.line((quest["id"], "bold"), f" is completed, {quest['verification_status']}.")
    terminal.line(("next     ", "dim"), f"{called.name()} remember propose --quest {quest['id']}")
    warn(data, terminal)
