"""Environment variables that hold passwords and keys, which no program that we start may read."""

import os
import re

_SECRET = re.compile(r"PASSW|SECRET|TOKEN|API_?KEY", re.IGNORECASE)
# Variables that passwords have been read from.
_hidden_variables: set[str] = set()


def hide_variable(variable: str) -> None:
    """Hide a variable from every program started from now on."""
    _hidden_variables.add(variable)


def is_secret(variable: str) -> bool:
    """Return True if a variable is hidden, or its name says that it holds a secret."""
    return variable in _hidden_variables or _SECRET.search(variable) is not None


def empty_secrets() -> dict[str, str]:
    """Return the secret variables of our environment, with empty values."""
    return {name: "" for name in os.environ if is_secret(name)}
