"""The settings that hold here, as every face tells them."""

from __future__ import annotations

import os

from pith.services.settings import SETTINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pith.services.answers.here import Here
    from pith.services.config import Settings
    from pith.services.settings import Setting


def every(here: Here) -> dict[str, Any]:
    """Each setting, the files that say something, and what is wrong in them."""
    settings = here.settings
    return {
        "settings": [described(setting, settings) for setting in SETTINGS.values()],
        "files": [{"source": layer.source, "path": layer.path} for layer in settings.layers if layer.path],
        "problems": settings.problems,
    }


def described(setting: Setting, settings: Settings) -> dict[str, object]:
    """One setting, its value, and where that comes from."""
    return {
        "name": setting.name,
        "value": settings.get(setting.name),
        "source": settings.source(setting.name),
        "default": setting.default,
        "meaning": setting.meaning_ko if _speaks_korean() else setting.meaning,
    }


def _speaks_korean() -> bool:
    chosen = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return chosen.startswith("ko")
