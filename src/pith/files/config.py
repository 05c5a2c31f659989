"""`.orange-hyper/config.json`: which project this memory belongs to. It never holds a path of this machine."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from typing import Any

from pith.domain.origin import ORIGIN
from pith.errors import PithError
from pith.files import atomic
from pith.files.layout import CONFIG, FOLDER, LARGEST, Layout, NotInitialized


class ConfigInvalid(PithError):
    """The configuration of the project memory cannot be read."""

    code = "VALIDATION_ERROR"
    hint = "Mend `.orange-hyper/config.json` by hand, or take it from git again."
    http_status = 422


@dataclass(frozen=True, slots=True)
class Config:
    """The project's identity, and everything else that stands in the file."""

    project_id: str
    project_name: str
    whole: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, str]:
        return {"project_id": self.project_id, "project_name": self.project_name}


def read(layout: Layout) -> Config:
    """Read the configuration. Raises NotInitialized where there is none, and ConfigInvalid."""
    path = layout.path(CONFIG)
    try:
        whole = json.loads(atomic.read(path, LARGEST).decode("utf-8-sig"))
    except FileNotFoundError as error:
        raise NotInitialized from error
    except OSError as error:
        raise ConfigInvalid(f"{path} cannot be read ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        line = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ConfigInvalid(f"{path}{line} cannot be read as JSON ({error}).") from error
    if not isinstance(whole, dict):
        raise ConfigInvalid(f"{path}:1 must hold an object.")
    return Config(_text(whole, "project_id", "id"), _text(whole, "project_name", "name") or layout.root.name, whole)


def _text(whole: dict[str, Any], name: str, older: str) -> str:
    """A field of the file, or its older place under `project`."""
    box = whole.get("project")
    for value in (whole.get(name), box.get(older) if isinstance(box, dict) else None):
        if isinstance(value, str) and value:
            return value
    return ""


def new(project_name: str, project_id: str | None = None) -> Config:
    """The configuration of a new project, with a random id."""
    id = project_id or f"project_{uuid.uuid4()}"
    return Config(id, project_name, {**_SHAPE, **_identity(id, project_name), **_REST})


def _identity(id: str, name: str) -> dict[str, Any]:
    return {
        "project_id": id,
        "project_name": name,
        "project": {"id": id, "name": name, "default_language": "ko"},
    }


_SHAPE = {"version": "0.1.0", "origin": dict(ORIGIN)}
_REST: dict[str, Any] = {
    "storage": {"root": FOLDER, "quest_format": "markdown+yaml-frontmatter"},
    "quest": {"recommend_from_layer": "L2", "require_from_layer": "L3"},
    "route": {"expose_from": "L2", "default_max_layer": "L3"},
    "verification": {"completion_requires": "evidence_or_unverified_reason"},
    "features": dict.fromkeys(
        (
            "hooks", "mcp", "subagents", "role_evolution", "auto_planner", "auto_execution_loop",
            "branch_pr_spec_workflow_required",
        ),
        False,
    ),
}  # fmt: skip


def with_identity(config: Config, project_id: str, project_name: str) -> Config:
    """The configuration with another identity, everything else as it is."""
    box = config.whole.get("project")
    project = {**(box if isinstance(box, dict) else {}), "id": project_id, "name": project_name}
    whole = {**config.whole, "project_id": project_id, "project_name": project_name, "project": project}
    return Config(project_id, project_name, whole)


def write(layout: Layout, config: Config) -> None:
    """Write the configuration in one step."""
    text = json.dumps(config.whole, ensure_ascii=False, indent=2) + "\n"
    atomic.write(layout.path(CONFIG), text.encode("utf-8", "backslashreplace"))
