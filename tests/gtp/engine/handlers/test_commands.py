"""Every command of the table has its handler, and every handler is in the table."""

from importlib import import_module

import pytest

from gtp_variants.gtp.engine import handlers


@pytest.mark.parametrize("subject", handlers.COMMANDS)
def test_the_table_names_what_a_module_handles(subject: str) -> None:
    assert sorted(import_module(f"{handlers.__name__}.{subject}").HANDLERS) == sorted(
        handlers.COMMANDS[subject].split()
    )
