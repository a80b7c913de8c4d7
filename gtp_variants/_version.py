"""The version. It is a literal because the build reads it with a regex and importlib.metadata is slow."""

# Keep the second number at 15 or above: Lizzie reads this as a Leela Zero version and warns below 0.15.
__version__ = "0.20.0"
