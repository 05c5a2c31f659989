"""Failures that a person or an agent can act on: what happened, what to do next, and a code for programs.

Every error that reaches a face (CLI, hook log, MCP, web) is a `PithError`; its text is one sentence, its hint is
the next step. Code and HTTP status belong to the class, so nobody ever compares messages.
"""

from __future__ import annotations


class PithError(Exception):
    """Something went wrong that the reader can do something about."""

    code = "ERROR"
    hint = "Run `pith doctor` to see what is wrong."
    http_status = 500

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        if hint is not None:
            self.hint = hint


class InputError(PithError):
    """What was asked for cannot be understood."""

    code = "USER_INPUT_ERROR"
    hint = "Run `pith --help` to see the commands."
    http_status = 400


class NotFound(PithError):
    """What was named does not exist."""

    code = "NOT_FOUND"
    hint = "Run `pith sessions` to see what is stored."
    http_status = 404


class Ambiguous(PithError):
    """A short name fits several things."""

    code = "AMBIGUOUS"
    hint = "Give more of its characters."
    http_status = 409


class SettingInvalid(PithError):
    """A setting has an unknown name or a value that cannot be."""

    code = "CONFIG_INVALID"
    hint = "Run `pith config` to see every setting and where it comes from."
    http_status = 400


class StoreUnavailable(PithError):
    """The database cannot be used just now; what is written meanwhile waits in the spool."""

    code = "STORE_UNAVAILABLE"
    http_status = 503


class StoreTooNew(StoreUnavailable):
    """A newer pith wrote this database."""

    code = "STORE_TOO_NEW"
    hint = "Upgrade pith; nothing was changed, and hooks keep new events in the spool until then."


class StoreCorrupt(StoreUnavailable):
    """The database is damaged."""

    code = "STORE_CORRUPT"
    hint = "Run `pith doctor --repair`; it keeps the damaged file and restores what can be read."


class FileUnwritable(PithError):
    """A file or folder cannot be written."""

    code = "FILE_UNWRITABLE"
    hint = "Check the permissions and the free space of the folder, then try again."
