"""The version: a literal, because the build reads it with a regex and importlib.metadata is slow."""

# The second number stays at 15 or above: Lizzie takes it for Leela Zero's and warns of engines below 0.15.
__version__ = "0.20.0"
