"""The file formats of samples and the packages they need, known without loading any."""

from importlib.util import find_spec

from gtp_variants.base.installation import install_command

# The names of formats in a match file, which are also file suffixes.
FORMATS = ("npz", "jsonl", "parquet")
# The kind and version that a file states.
KIND, VERSION = "gtp-variants samples", 1
# Fields in which the files of a folder must agree, so that rows have one shape and meaning.
SHARED = ("spec", "planes", "scales", "globals", "actions", "colours")

_EXTRAS = {"numpy": "arrays", "pyarrow": "parquet"}
_NEEDS = {"npz": ("numpy",), "jsonl": ("numpy",), "parquet": ("numpy", "pyarrow")}


def describe_missing(form: str) -> str:
    """Return what must be installed for a format, or "" for nothing."""
    missing = [name for name in _NEEDS[form] if find_spec(name) is None]
    if not missing:
        return ""
    # The extra of the last package includes the others.
    return f"{form} needs {' and '.join(missing)}; {install_command(_EXTRAS[missing[-1]])}"
