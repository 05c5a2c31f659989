"""Pith keeps what a project knows."""

# Written here because asking importlib.metadata for it costs five times what starting Python does.
__version__ = "0.1.0"
