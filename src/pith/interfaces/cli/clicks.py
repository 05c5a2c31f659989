"""The command line as click sees it: help, shell completion, and what is wrong with the words.

`main` reads ordinary command lines by itself and comes here for the rest, so click is loaded only then.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, ClassVar

import click

from pith import __version__
from pith.errors import InputError
from pith.interfaces.cli.command import Command, Parameter, demand_values
from pith.interfaces.cli.commands import COMMANDS, PARTS, below, load, nearest, split

ABOUT = "Pith keeps what a project knows: what was decided, what failed, which file, which command."
SETTINGS = {"help_option_names": ["--help", "-h"], "max_content_width": 100}
TYPES: dict[type, click.ParamType[Any]] = {str: click.STRING, int: click.INT, float: click.FLOAT}


def read(words: list[str]) -> tuple[Command, dict[str, Any]] | int:
    """Return the command and its values, or the exit code if the answer was printed; raise InputError."""
    name, rest = split(words)
    if name:
        demand_values(load(name).parameters, rest)
    try:
        found: tuple[Command, dict[str, Any]] | int = group().main(words, prog_name="pith", standalone_mode=False)
    except click.NoSuchOption as error:
        raise _no_such_option(error) from error
    except click.UsageError as error:
        raise InputError(_sentence(error), hint=_hint(error)) from error
    return found


def _no_such_option(error: click.NoSuchOption) -> InputError:
    known = [name for each in (error.ctx.command.params if error.ctx else []) for name in each.opts]
    bare = {name.lstrip("-"): name for name in known if name.startswith("--")}  # the dashes are alike in all of them
    near = [bare[name] for name in nearest(error.option_name.lstrip("-"), list(bare))]
    guess = f"; did you mean {' or '.join(f'`{name}`' for name in near)}?" if near else "."
    path = error.ctx.command_path if error.ctx else "pith"
    return InputError(f"`{path}` has no option `{error.option_name[:40]}`{guess}", hint=_hint(error))


def _sentence(error: click.UsageError) -> str:
    param = error.param if isinstance(error, click.BadParameter) else None
    if isinstance(param, click.Argument) and isinstance(param.type, click.Choice):
        if isinstance(error, click.MissingParameter):
            return f"Say which one: {', '.join(param.type.choices)}."
        return " ".join(error.message.split())  # without the names once more, in braces
    return " ".join(error.format_message().split())


def _hint(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx else "pith"
    return f"Run `{path} --help` to see what it takes."


class Listing(click.Group):
    """A group whose help tells each command's sentence whole, on as many lines as it takes."""

    parts: ClassVar[Mapping[str, str]] = {}  # the first command of each part -> its heading

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with what they say of themselves first."""
        parts: list[tuple[str, list[tuple[str, str]]]] = [("Commands", [])]
        for name in self.list_commands(ctx):
            if name in self.parts and parts[-1][1]:
                parts.append((self.parts[name], []))
            command = self.get_command(ctx, name)
            if command is not None:
                parts[-1][1].append((name, _sentence_of(command)))
        for heading, rows in parts:
            with formatter.section(heading):
                formatter.write_dl(rows, col_max=24)


def _sentence_of(command: click.Command) -> str:
    """The first sentence of a command's help; its others stand in its own help."""
    first = " ".join((command.help or "").partition("\n\n")[0].split())
    return first.partition(". ")[0].rstrip(".") + "."


class Commands(Listing):
    """The table of commands, each loaded when it is looked at."""

    parts = PARTS

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names in the table's order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a command, or None where this version lacks it or its module is broken."""
        try:
            return as_click(cmd_name, load(cmd_name))
        except Exception:  # help lists what works; using the command says what does not
            return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take a name of one or two words."""
        name, rest = split(args)
        if name:
            return name, as_click(name, load(name)), rest
        if args and below(args[0]):
            return args[0], _overview(args[0]), args[1:]
        return super().resolve_command(ctx, args)


def group() -> Commands:
    """Return the whole program as a click group."""
    return Commands(
        "pith",
        help=ABOUT,
        params=[
            click.Option(["--json"], is_flag=True, expose_value=False, help="Print one JSON object."),
            click.Option(["--version", "-V"], is_flag=True, expose_value=False, help=f"Say {__version__}."),
        ],
        context_settings=SETTINGS,
    )


def _overview(first: str) -> click.Command:
    """The commands that begin with a word, for its help."""
    commands = {second: as_click(name, load(name)) for second, name in below(first).items()}
    return Listing(first, commands=commands, context_settings=SETTINGS)


def as_click(name: str, command: Command) -> click.Command:
    """Return a command of ours as one of click's; invoking it gives the command and its values."""
    return click.Command(
        name,
        help=_help(command),
        epilog=_subcommands(name),
        params=[_parameter(each) for each in command.parameters],
        callback=lambda **values: (command, values),
        context_settings=SETTINGS,
    )


def _help(command: Command) -> str:
    """Return what the command says of itself, and of its arguments, which click does not explain."""
    told = [f"{each.name.upper()}: {each.help}" for each in command.parameters if not each.is_option and each.help]
    return "\n\n".join([inspect.cleandoc(command.help), *told])


def _subcommands(name: str) -> str | None:
    below = [f"`pith {other}`" for other in COMMANDS if other.startswith(f"{name} ")]
    return f"See also {', '.join(below)}." if below else None


def _parameter(declared: Parameter) -> click.Parameter:
    kind = click.Choice(declared.choices) if declared.choices else TYPES[declared.kind]
    if not declared.is_option:
        count = -1 if declared.many else 1
        return click.Argument([declared.name], type=kind, nargs=count, required=declared.required)
    if declared.flag:
        return click.Option([*declared.names], is_flag=True, help=declared.help)
    shown = declared.default not in (None, ())
    return click.Option(
        [*declared.names, declared.name],
        type=kind,
        multiple=declared.many,
        default=declared.default,
        show_default=shown,
        required=declared.required,
        help=declared.help,
    )
