"""Addresses that a person set: whether one is a web address, whether a key may go there, and how it is shown."""

from __future__ import annotations

import ipaddress
from urllib.parse import SplitResult, urlsplit

from pith.domain import secrets

_SHOWN = 60  # characters


def web_address(url: str) -> SplitResult | None:
    """The parts of an `http` or `https` address with a host; None for anything else."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") and parts.hostname else None


def is_safe_for_a_key(parts: SplitResult) -> bool:
    """Whether a key that is sent there crosses no network in the open."""
    return parts.scheme == "https" or is_here(parts.hostname or "")


def is_here(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def shown(url: str) -> str:
    """An address as messages quote it: short, and without the password in it."""
    return secrets.mask(url)[0][:_SHOWN]
