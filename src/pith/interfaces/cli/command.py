"""How a command is written: a function that returns data, and another that shows them to a person.

    from pith.interfaces.cli.command import Answer, argument, command, option

    @command(
        "recall",                                   # the id in JSON, in dot notation: "graph.list"
        argument("question", many=True),            # -> question: tuple[str, ...]
        option("--limit", "-n", kind=int, default=6, help="How many to show."),
        option("--kind", choices=("prompt", "tool"), help="Only events of this kind."),
        option("--file", many=True, help="Only events about this file; may be repeated."),
        option("--weak", flag=True, help="Show weak matches too."),
    )
    def recall(question, limit, kind, file, weak):
        \"\"\"Find what was said, decided or tried.\"\"\"     # the help text
        return {"hits": [...]}                      # what json.dumps takes; printed as it is by --json

    @recall.text
    def show(data, terminal):                       # terminal: see output.py
        terminal.table([(hit["citation"], hit["text"]) for hit in data["hits"]])

Then list it in `commands.COMMANDS`. Every command has `--json` without saying so. Failures are raised as
`PithError`; nothing catches, prints or exits. A command that ends with another code returns
`Answer(data, code=2)`. A function with a parameter named `terminal` is given it, to show progress or to ask
before it does harm.

The declarations stand here and not in click's own objects because loading click costs two and a half times
what starting Python does. `parse` reads what is ordinary; the rest (also `--help`) goes to click, which knows
how to explain (`clicks.py`). A property test compares the two.
"""

from __future__ import annotations

from pith.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from pith.interfaces.cli.output import Terminal


class Parameter:
    """An option or an argument of a command."""

    __slots__ = ("choices", "dashes", "default", "flag", "help", "kind", "many", "name", "names", "required")

    def __init__(
        self,
        names: tuple[str, ...],
        *,
        kind: type = str,
        default: object = None,
        choices: tuple[str, ...] = (),
        many: bool = False,
        flag: bool = False,
        required: bool = False,
        dashes: bool = False,
        help: str = "",
    ) -> None:
        self.names = names
        self.name = names[0].lstrip("-").replace("-", "_")
        self.kind, self.choices, self.many, self.flag = kind, choices, many, flag
        self.required, self.dashes, self.help = required, dashes, help
        self.default = () if many else False if flag else default

    @property
    def is_option(self) -> bool:
        """Whether it is named on the command line."""
        return self.names[0].startswith("-")

    def value(self, word: str) -> object:
        """Turn a word of the command line into a value, or raise ValueError."""
        if self.choices and word not in self.choices:
            raise ValueError(word)
        return self.kind(word)


def option(*names: str, **how: Any) -> Parameter:
    """Declare `--name VALUE`, or a switch with `flag=True`; names as typed, the long one first."""
    return Parameter(names, **how)


def argument(name: str, *, required: bool = True, **how: Any) -> Parameter:
    """Declare a word without a name; `many=True` takes all that are left, `dashes=True` words such as `-x` too."""
    return Parameter((name,), required=required, **how)


JSON = option("--json", flag=True, help="Print one JSON object.")


class Answer:
    """What a command found, when it ends with another exit code than 0; `error` is what its envelope says then."""

    __slots__ = ("code", "data", "error")

    def __init__(self, data: object, *, code: int = 0, error: dict[str, str] | None = None) -> None:
        self.data = data
        self.code = code
        self.error = error


class Command:
    """A function with its parameters, and how its data read as text."""

    __slots__ = ("function", "help", "id", "parameters", "renderer")

    def __init__(self, id: str, parameters: tuple[Parameter, ...], function: Callable[..., Any]) -> None:
        self.id = id
        self.parameters = (*parameters, JSON)
        self.function = function
        self.help = function.__doc__ or ""
        self.renderer: Callable[[Any, Terminal], None] | None = None

    def text(self, renderer: Callable[[Any, Terminal], None]) -> Callable[[Any, Terminal], None]:
        """Use the function to show this command's data to a person."""
        self.renderer = renderer
        return renderer

    def run(self, values: dict[str, Any], terminal: Terminal) -> int:
        """Do the work, print what it found, return the exit code."""
        terminal.json_mode = values.pop(JSON.name)
        code = self.function.__code__
        if "terminal" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
            values["terminal"] = terminal
        found = self.function(**values)
        answer = found if isinstance(found, Answer) else Answer(found)
        if terminal.json_mode:
            terminal.answer(self.id, answer.data, ok=answer.code == 0, error=answer.error)
        elif self.renderer is not None:
            self.renderer(answer.data, terminal)
        return answer.code


def command(id: str, *parameters: Parameter) -> Callable[[Callable[..., Any]], Command]:
    """Make a command of the function below."""
    return lambda function: Command(id, parameters, function)


# -- Reading the command line --------------------------------------------------------------------------------


def parse(parameters: Sequence[Parameter], words: Sequence[str]) -> dict[str, Any] | None:
    """Return a value for every parameter, or None where click has something to explain."""
    options = {name: parameter for parameter in parameters for name in parameter.names if parameter.is_option}
    values: dict[str, Any] = {parameter.name: parameter.default for parameter in parameters}
    loose: list[str] = []
    dashes = any(parameter.dashes for parameter in parameters)
    try:
        rest = iter(words)
        for word in rest:
            if word == "--":
                loose.extend(rest)
            elif len(word) < 2 or word[0] != "-" or (dashes and word[1] != "-" and word not in options):
                loose.append(word)
            else:
                _take_option(options, values, word, rest)
        _take_arguments([each for each in parameters if not each.is_option], values, loose)
    except (KeyError, ValueError, StopIteration):
        return None
    missing = any(each.required and values[each.name] in (None, ()) for each in parameters)
    return None if missing else values


def _take_option(options: dict[str, Parameter], values: dict[str, Any], word: str, rest: Any) -> None:
    """Read one option; raise where it is unknown, lacks its value or has one it cannot take."""
    name, equals, given = word.partition("=")
    if equals and not name.startswith("--"):
        raise ValueError(word)
    parameter = options[name]
    if parameter.flag:
        if equals:
            raise ValueError(word)
        values[parameter.name] = True
        return
    value = parameter.value(given if equals else _following(options, next(rest)))
    values[parameter.name] = (*values[parameter.name], value) if parameter.many else value


def _following(options: dict[str, Parameter], word: str) -> str:
    """The word after an option as its value; raise where it is the next option, so that the value is missing."""
    if word == "--" or word.partition("=")[0] in options:
        raise ValueError(word)
    return word


def demand_values(parameters: Sequence[Parameter], words: Sequence[str]) -> None:
    """Raise InputError where an option stands in the place of another's value; click would take it for the value."""
    from itertools import pairwise

    options = {name: parameter for parameter in parameters for name in parameter.names if parameter.is_option}
    for word, following in pairwise(words):
        if word == "--":
            return
        if word in options and not options[word].flag and (following == "--" or following in options):
            raise InputError(
                f"`{word}` needs a value.", hint=f"A text that is an option's name is given as `{word}={following}`."
            )


def _take_arguments(arguments: list[Parameter], values: dict[str, Any], loose: list[str]) -> None:
    """Give the words without a name to the arguments, in order; raise where one is left over."""
    for parameter in arguments:
        if parameter.many:
            values[parameter.name] = tuple(parameter.value(word) for word in loose)
            return
        if loose:
            values[parameter.name] = parameter.value(loose.pop(0))
    if loose:
        raise ValueError(loose[0])
