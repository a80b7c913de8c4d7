"""The file formats of samples and the packages they need; this module loads none of these packages."""

from importlib.util import find_spec

from gtp_variants.base.installation import install_command

# The names of the formats in match files; they are also file suffixes.
FORMATS = ("npz", "jsonl", "parquet")
# The kind and version stated in each file.
KIND, VERSION = "gtp-variants samples", 1
# Fields in which the files of a folder must agree, so that all rows have the same shape and meaning.
SHARED = ("spec", "planes", "scales", "globals", "actions", "colours")

_EXTRAS = {"numpy": "arrays", "pyarrow": "parquet"}
_NEEDS = {"npz": ("numpy",), "jsonl": ("numpy",), "parquet": ("numpy", "pyarrow")}


def describe_missing(form: str) -> str:
    """Return a text that says what must be installed for a format, or "" if nothing is missing."""
    missing = [name for name in _NEEDS[form] if find_spec(name) is None]
    if not missing:
        return ""
    # Name only the extra of the last missing package, because it installs the others too.
    return f"{form} needs {' and '.join(missing)}; {install_command(_EXTRAS[missing[-1]])}"
