"""The API in OpenAPI 3.1, made from the table of operations, so that it cannot say anything else."""

from __future__ import annotations

from typing import Any

from pith import __version__
from pith.interfaces.web.operations import LONGEST, NUMBER, OPERATIONS, PATH, SWITCH, Operation, Parameter

_FAILURES = {
    "400": "What was asked cannot be understood.",
    "401": "The token is missing or wrong.",
    "403": "Another site asked.",
    "404": "There is no such thing here.",
    "409": "A short name fits several things.",
    "414": "The address is too long.",
    "421": "The request was sent to another name.",
    "503": "The store cannot be used just now.",
}

_ERROR = {
    "type": "object",
    "required": ["code", "message", "hint"],
    "properties": {name: {"type": "string"} for name in ("code", "message", "hint")},
}


def describe(address: str) -> dict[str, Any]:
    """The whole description."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "pith",
            "version": __version__,
            "description": "What is remembered of one project. Each answer is that of a command's `--json`.",
        },
        "servers": [{"url": f"{address}/api"}],
        "security": [{"token": []}],
        "paths": {operation.path: {"get": _operation(operation)} for operation in OPERATIONS},
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Answer": _envelope(ok=True), "Failure": _envelope(ok=False)},
        },
    }


def _operation(operation: Operation) -> dict[str, Any]:
    failures = {code: _response(about, "Failure") for code, about in _FAILURES.items()}
    name = operation.path.strip("/").replace("/", "_").replace("{", "").replace("}", "")
    return {
        "operationId": name,
        "summary": operation.about,
        "description": f"The answer of `{operation.command}`.",
        "parameters": [_parameter(each) for each in operation.parameters],
        "responses": {"200": _response("The answer.", "Answer"), **failures},
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    schema = _schema(parameter)
    if parameter.many:
        schema = {"type": "array", "items": schema}
    told = {"name": parameter.name, "in": parameter.where, "description": parameter.about, "schema": schema}
    return told | {"required": parameter.required or parameter.where == PATH}


def _schema(parameter: Parameter) -> dict[str, Any]:
    if parameter.kind == NUMBER:
        bounds = {"type": NUMBER, "minimum": parameter.least, "maximum": parameter.most}
        return bounds if parameter.default is None else bounds | {"default": parameter.default}
    if parameter.kind == SWITCH:
        return {"type": SWITCH, "default": parameter.default}
    if parameter.choices:
        return {"type": "string", "enum": list(parameter.choices)}
    return {"type": "string", "minLength": 1, "maxLength": LONGEST, "pattern": r"[^\s\u001c-\u001f\u0085]"}


def _response(about: str, schema: str) -> dict[str, Any]:
    return {
        "description": about,
        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}},
    }


def _envelope(*, ok: bool) -> dict[str, Any]:
    last: dict[str, Any] = {"data": {"type": "object"}} if ok else {"error": _ERROR}
    return {
        "type": "object",
        "required": ["ok", "contract_version", "command", *last],
        "properties": {
            "ok": {"const": ok},
            "contract_version": {"const": "0.1"},
            "command": {"type": "string"},
            **last,
        },
    }
