"""The version. It is a literal because the build reads it with a regex and importlib.metadata is slow."""

# Keep the second number at 15 or above: Lizzie takes it for Leela Zero's and warns about engines below 0.15.
__version__ = "0.20.0"
