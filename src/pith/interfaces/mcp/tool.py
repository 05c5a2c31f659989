"""How a tool is written: a function of the project that is asked about, which returns a text for the model and data.

    @tool(
        "mem-search",                                  # the name that clients see, for good
        "Search memory",                               # the name that people see
        text("question", required=True, help="A question or a few words, in any language."),
        number("limit", default=5, most=20),
    )
    def search(asked, question, limit):
        \"\"\"Find what was said, decided or tried.\"\"\"  # what the model is told
        return Told("...", {"hits": [...]})

Then name it in `tools.py`. The schemas are written by hand and not drawn from annotations: they are a promise to
clients, they start without pydantic building a model for each, and what is wrong with a call can be told in one
sentence. Failures are raised as `PithError`.
"""

from __future__ import annotations

from pith.domain import secrets
from pith.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from pith.interfaces.mcp.asked import Asked

    Function = Callable[..., "Told"]

LONGEST = 20_000  # characters of one text
MOST_TEXTS = 50


class Told:
    """What a tool answers: a text for the model, and the data that the command line prints with `--json`."""

    __slots__ = ("data", "text")

    def __init__(self, text: str, data: dict[str, Any]) -> None:
        self.text = text
        self.data = data


class Parameter:
    """One argument of a tool."""

    __slots__ = ("choices", "default", "help", "kind", "least", "most", "name", "required")

    def __init__(self, name: str, kind: str, *, help: str = "", required: bool = False, default: object = None) -> None:
        self.name, self.kind, self.help, self.required, self.default = name, kind, help, required, default
        self.choices: tuple[str, ...] = ()
        self.least, self.most = 1, 1000

    @property
    def schema(self) -> dict[str, Any]:
        """Its JSON schema."""
        found: dict[str, Any] = {"type": self.kind}
        if self.kind == "array":
            found["items"] = {"type": "string", **({"enum": list(self.choices)} if self.choices else {})}
        elif self.choices:
            found["enum"] = list(self.choices)
        if self.kind == "integer":
            found |= {"minimum": self.least, "maximum": self.most}
        if self.default not in (None, (), False, ""):
            found["default"] = self.default
        if self.help:
            found["description"] = self.help
        return found

    def read(self, value: object) -> object:
        """The value as the function takes it; raises InputError with a sentence about what is wrong."""
        if self.kind == "array":
            return self._texts(value)
        if self.kind == "integer":
            return self._number(value)
        if self.kind == "boolean":
            if isinstance(value, bool):
                return value
            raise self._wrong("must be true or false")
        if self.kind == "object":
            if isinstance(value, dict):
                return {taken(str(name)): value[name] for name in value}
            raise self._wrong("must be an object")
        return self._text(value)

    def _text(self, value: object) -> str:
        if not isinstance(value, str):
            raise self._wrong("must be a text")
        if len(value) > LONGEST:
            raise self._wrong(f"is {len(value):,} characters long, and {LONGEST:,} are taken at most")
        found = taken(value)
        if self.choices and found not in self.choices:
            raise self._wrong(f"must be one of {', '.join(self.choices)}")
        if self.required and not found.strip():
            raise self._wrong("is empty")
        return found

    def _texts(self, value: object) -> tuple[str, ...]:
        listed = [value] if isinstance(value, str) else value  # models leave the brackets out now and then
        if not isinstance(listed, list):
            raise self._wrong("must be a list of texts")
        if len(listed) > MOST_TEXTS:
            raise self._wrong(f"has {len(listed):,} items, and {MOST_TEXTS} are taken at most")
        if self.required and not listed:
            raise self._wrong("is empty")
        return tuple(self._text(each) for each in listed)

    def _number(self, value: object) -> int:
        if isinstance(value, str) and (digits := value.strip().removeprefix("-")).isdecimal():
            value = int(digits[:12]) * (-1 if "-" in value else 1)  # models quote numbers now and then
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong("must be a whole number")
        if not self.least <= value <= self.most:
            raise self._wrong(f"must be from {self.least} to {self.most}")
        return value

    def _wrong(self, what: str) -> InputError:
        return InputError(f"`{self.name}` {what}.", hint="")


def text(name: str, **how: Any) -> Parameter:
    """An argument that is a text; with `required=True` one that is not empty."""
    return Parameter(name, "string", **how)


def texts(name: str, *, choices: tuple[str, ...] = (), **how: Any) -> Parameter:
    """An argument that is a list of texts."""
    found = Parameter(name, "array", **{"default": (), **how})
    found.choices = choices
    return found


def choice(name: str, choices: tuple[str, ...], **how: Any) -> Parameter:
    """An argument that is one of a few words."""
    found = Parameter(name, "string", **how)
    found.choices = choices
    return found


def number(name: str, *, least: int = 1, most: int = 1000, **how: Any) -> Parameter:
    """An argument that is a whole number within bounds."""
    found = Parameter(name, "integer", **how)
    found.least, found.most = least, most
    return found


def switch(name: str, **how: Any) -> Parameter:
    """An argument that is true or false."""
    return Parameter(name, "boolean", **{"default": False, **how})


def fields(name: str, **how: Any) -> Parameter:
    """An argument that is an object; the service says which names it may have."""
    return Parameter(name, "object", **how)


TEXT, JSON = "text", "json"
FORMAT = choice("format", (TEXT, JSON), default=TEXT)


class Tool:
    """A function with its name, its parameters, and what clients may expect of it."""

    __slots__ = ("changes", "function", "name", "parameters", "promise", "title")

    def __init__(
        self, name: str, title: str, parameters: tuple[Parameter, ...], function: Function, *, changes: bool
    ) -> None:
        self.name, self.title, self.function = name, title, function
        self.parameters = (*parameters, FORMAT)
        self.promise = " ".join((function.__doc__ or "").split())
        self.changes = changes

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        required = [each.name for each in self.parameters if each.required]
        return {
            "type": "object",
            "properties": {each.name: each.schema for each in self.parameters},
            **({"required": required} if required else {}),
            "additionalProperties": False,
        }

    def call(self, asked: Asked, arguments: Mapping[str, object]) -> tuple[Told, bool]:
        """The answer, and whether it is wanted as data."""
        values = self._values(arguments)
        wanted = values.pop(FORMAT.name) == JSON
        return self.function(asked, **values), wanted

    def _values(self, arguments: Mapping[str, object]) -> dict[str, object]:
        known = {each.name: each for each in self.parameters}
        for name in arguments:
            if name not in known:
                raise InputError(f"{self.name} has no argument `{taken(str(name))[:60]}`.", hint=self._takes())
        values = {name: each.default for name, each in known.items()}
        for name, each in known.items():
            if arguments.get(name) is not None:
                values[name] = each.read(arguments[name])
            elif each.required:
                raise InputError(f"{self.name} needs `{name}`.", hint=each.help)
        return values

    def _takes(self) -> str:
        return f"It takes {', '.join(each.name for each in self.parameters)}."


def tool(name: str, title: str, *parameters: Parameter, changes: bool = False) -> Callable[[Function], Tool]:
    """Make a tool of the function below; `changes` says that it writes what people will read. None destroys."""
    return lambda function: Tool(name, title, parameters, function, changes=changes)


def clean(value: str) -> str:
    """A text that a database and a file can keep: no NUL, no halves of characters."""
    return value.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def taken(value: str) -> str:
    """What a client sent, as far as it may be used: an error that repeats it would show a secret out of its place."""
    return secrets.mask(clean(value))[0]
