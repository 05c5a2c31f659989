"""A server that nobody asks any more ends by itself.

Its input ends when its client does, unless some other process has inherited the other end of the pipe. So the parent
is watched too. The kernel's own signal (PR_SET_PDEATHSIG) would be quicker, but it comes when the parent's thread
ends, and hosts start servers in threads that do not last.
"""

from __future__ import annotations

import os
import threading
import time

LOOKED_AT = 0.5  # seconds between two looks


def watch() -> None:
    """End this process soon after its parent. Not on Windows, where a child keeps its parent's number for good."""
    if os.name == "nt":
        return
    threading.Thread(target=_watch, args=(os.getppid(),), name="parent", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOKED_AT)
    os._exit(0)  # whatever is being written is written in transactions
