"""Text as HTML: whatever it is, it stays text. No templates: small functions that return finished pieces."""

from __future__ import annotations

import hashlib
import html
import json
import re
from base64 import b64encode
from typing import Any

# Controls that no document may hold, and marks that show text in another order than it is stored.
_UNSHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
_KANA = re.compile("[\u3040-\u30ff]")
# Marks that show text in another order, and ends of lines that some readers know: written as numbers in data.
_HIDDEN = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def escape(text: str) -> str:
    """Text between tags."""
    return html.escape(_UNSHOWN.sub("\ufffd", text), quote=False)


def attribute(text: str) -> str:
    """Text between the double quotes of an attribute."""
    return html.escape(_UNSHOWN.sub("\ufffd", text), quote=True).replace("\n", "&#10;")


def lang(text: str) -> str:
    """The attribute that says which language a text is in, where its letters tell; the page itself is English."""
    if text.isascii():
        return ""
    return ' lang="ko"' if _HANGUL.search(text) else ' lang="ja"' if _KANA.search(text) else ""


def data_script(id: str, value: Any) -> str:
    """A value for scripts to read: JSON that cannot end its element or open a comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    text = _HIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    text = re.sub("[\ud800-\udfff]", "\ufffd", text)
    return f'<script id="{id}" type="application/json">{text}</script>'


def digest(text: str) -> str:
    """The name under which the page's policy allows an inline style or script."""
    return f"'sha256-{b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
