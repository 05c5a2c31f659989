"""`pith mcp`: serve a client over stdin and stdout until it goes."""

from __future__ import annotations

import gc
import os
import signal
import sys

from pith.interfaces.mcp import parent, pipes


def serve(folder: str | None, tools: str) -> None:
    """Answer the client at stdin and stdout; never returns.

    The process may be ended at any moment: all that it writes, it writes in transactions or in one step.
    """
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    source, target = pipes.claimed()
    parent.watch()
    code = 1
    try:
        _serve(folder, tools, source, target)
        code = 0
    except Exception as error:
        from pith.services import fault

        _, sentence, hint = fault.told(error)
        print(sentence, hint, file=sys.stderr, flush=True)
    finally:
        os._exit(code)  # a thread that still reads, or waits for a lock, must not hold us back


def _serve(folder: str | None, tools: str, source: int, target: int) -> None:
    gc.disable()  # the SDK makes some hundred thousand objects that stay: looking through them is in vain
    import anyio

    from pith.interfaces.mcp import server

    made = server.create(folder, tools)
    gc.freeze()
    gc.enable()
    anyio.run(server.run, made, source, target)
