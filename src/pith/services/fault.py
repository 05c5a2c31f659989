"""What is said of a fault in pith itself: a sentence for whoever asked, the traceback in a log."""

from __future__ import annotations

import os

from pith import platform
from pith.domain import secrets
from pith.errors import PithError

LOG_BYTES = 1_000_000  # then the log moves aside, once


def log_path() -> str:
    """Return where tracebacks are kept."""
    return os.path.join(platform.home(), "log", "pith.log")


def told(error: Exception) -> tuple[str, str, str]:
    """Write the traceback to the log; return code, sentence and hint for the reader."""
    sentence = f"pith met an error that it did not expect ({type(error).__name__})."
    if _logged(error):
        hint = f"The details are in {log_path()}; please report them. PITH_DEBUG=1 shows them here."
    else:
        hint = "Run it again with PITH_DEBUG=1 to see the details, and please report them."
    return "UNEXPECTED", sentence, hint


def _logged(error: Exception) -> bool:
    import traceback

    text = "".join(traceback.format_exception(error))
    entry = f"{platform.now()} pid {os.getpid()}\n{secrets.mask(text)[0]}\n"
    try:
        _append(log_path(), entry.encode("utf-8", "backslashreplace"))
    except (OSError, PithError):
        return False
    return True


def _append(path: str, entry: bytes) -> None:
    platform.private_folder(os.path.dirname(path))
    if os.path.exists(path) and os.path.getsize(path) > LOG_BYTES:
        os.replace(path, path + ".1")
    log = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(log, entry)
    finally:
        os.close(log)
