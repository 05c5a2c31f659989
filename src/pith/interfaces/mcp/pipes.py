"""Stdin and stdout belong to the client alone."""

from __future__ import annotations

import os


def claimed() -> tuple[int, int]:
    """Take stdin and stdout for the wire: from here on everything else that is printed goes to stderr.

    At the level of the file descriptors, because a library, a C extension or a child process prints past Python.
    """
    source, target = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no stderr
        os.dup2(nowhere, 1)
    os.close(nowhere)
    return source, target
