"""The reference lists every tool as clients see it; PITH_UPDATE_REFERENCE=1 writes the table anew."""

from __future__ import annotations

import os
import re
from pathlib import Path

from pith.interfaces.mcp import prompts, resources
from pith.interfaces.mcp.tool import FORMAT, Tool
from pith.interfaces.mcp.tools import MORE, TEN

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "mcp.md"
UPDATE = os.environ.get("PITH_UPDATE_REFERENCE") == "1"
PART = re.compile(r"(?<=<!-- tools -->\n).*?(?=<!-- /tools -->)", re.DOTALL)


def _row(one: Tool) -> str:
    taken = ", ".join(
        f"**{each.name}**" if each.required else each.name for each in one.parameters if each is not FORMAT
    )
    return f"| `{one.name}` | {taken} | {'writes' if one.changes else 'reads'} | {one.promise} |"


def _table() -> str:
    head = "| tool | takes (**needed**) | | what the model is told |\n|---|---|---|---|\n"
    more = "| *with `--tools full`* | | | |\n"
    return head + "".join(f"{_row(one)}\n" for one in TEN) + more + "".join(f"{_row(one)}\n" for one in MORE)


def test_every_tool_stands_in_the_reference():
    text = PAGE.read_text(encoding="utf-8")
    if UPDATE:
        text = PART.sub(lambda _: _table(), text)
        PAGE.write_text(text, encoding="utf-8")
    found = PART.search(text)
    assert found, "The table has lost its place."
    assert found[0] == _table(), "Run this test with PITH_UPDATE_REFERENCE=1, and read the difference."


def test_every_resource_and_prompt_stands_in_the_reference():
    text = PAGE.read_text(encoding="utf-8")
    names = [
        *prompts.PROMPTS,
        resources.CAPSULE,
        *(one["uri_template"].partition("{")[0] for one in resources.TEMPLATES),
    ]
    assert [name for name in names if name not in text] == []
