"""The formats that samples are kept in, and what each needs; known without loading any of it."""

from importlib.util import find_spec

from gtp_variants.base.installation import install_command

# How each format is called in a match file, which is also how its files end.
FORMATS = ("npz", "jsonl", "parquet")
# What a file says that it is, and in which version.
KIND, VERSION = "gtp-variants samples", 1
# What the files of a folder must agree in, for their rows to be of one shape and meaning.
SHARED = ("spec", "planes", "scales", "globals", "actions", "colours")

_EXTRAS = {"numpy": "arrays", "pyarrow": "parquet"}
_NEEDS = {"npz": ("numpy",), "jsonl": ("numpy",), "parquet": ("numpy", "pyarrow")}


def describe_missing(form: str) -> str:
    """In words what has to be installed for a format, "" for nothing."""
    missing = [name for name in _NEEDS[form] if find_spec(name) is None]
    if not missing:
        return ""
    # The last one's extra brings the others, too.
    return f"{form} needs {' and '.join(missing)}; {install_command(_EXTRAS[missing[-1]])}"
