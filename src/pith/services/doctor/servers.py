"""Checks of the MCP servers that agents start: pith's own is there, and the agent's list can be read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from pith.adapters import mcp_hosts
from pith.errors import PithError
from pith.services.doctor.finding import ERROR, WARNING, Symptom
from pith.services.doctor.patient import Patient
from pith.services.setup import servers


def broken(_patient: Patient) -> Iterator[Symptom]:
    for name, host in mcp_hosts.HOSTS.items():
        again = f"Run `pith install {name} --mcp`, which changes nothing else in it."
        try:
            line = servers.installed(name)
        except PithError as error:
            yield Symptom(str(error), host.file(), "Mend that file; until then the agent starts no servers.", WARNING)
            continue
        if line and shutil.which(line[0]) is None:
            yield Symptom(f"{host.title} starts {line[0]}, which does not exist.", host.file(), again, ERROR)
