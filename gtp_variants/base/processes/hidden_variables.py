"""Variables of the environment that hold passwords and keys, which no program we start may read."""

import os
import re

_SECRET = re.compile(r"PASSW|SECRET|TOKEN|API_?KEY", re.IGNORECASE)
# Variables that a password was read from.
_hidden_variables: set[str] = set()


def hide_variable(variable: str) -> None:
    """Hide a variable of the environment from every program started from now on."""
    _hidden_variables.add(variable)


def is_secret(variable: str) -> bool:
    """Return True if a variable is hidden: a password was read from it, or its name says that it holds one."""
    return variable in _hidden_variables or _SECRET.search(variable) is not None


def empty_secrets() -> dict[str, str]:
    """Return the variables of our environment that hold passwords, with empty values."""
    return {name: "" for name in os.environ if is_secret(name)}
