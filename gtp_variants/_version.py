"""The version. It is a literal because the build reads it with a regex and importlib.metadata is slow."""

__version__ = "1.0.0"
