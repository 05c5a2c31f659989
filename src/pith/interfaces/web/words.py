"""What the page says, in the reader's language: the English sentence is the key of the Korean one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pith.interfaces.web.catalogue import ENGLISH, KOREAN, SAID, SINGULAR

LANGUAGES = ("en", "ko")
Speaker = Callable[..., str]


def speaker(language: str) -> Speaker:
    """The function that templates call `t`: a sentence in that language, its blanks filled in."""

    def say(text: Any, **blanks: Any) -> str:
        key = str(text)
        if language == "ko":
            found = KOREAN.get(key, key)
        else:
            found = SINGULAR.get(key, key) if str(blanks.get("n")) == "1" else ENGLISH.get(key, key)
        return found.format(**blanks) if blanks else found

    return say


def said(language: str, name: str) -> str:
    """What is told after a form was sent; an address can only name it, never say it."""
    return speaker(language)(SAID[name]) if name in SAID else ""
