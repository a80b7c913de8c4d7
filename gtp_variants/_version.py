"""The version: a literal, because the build reads it with a regex and importlib.metadata is slow."""

__version__ = "0.1.0"
