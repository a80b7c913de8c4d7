"""An adapter whose package is missing says in one line what to install."""

import sys
from importlib import import_module

import pytest

from gtp_variants.base.installation import install_command


@pytest.mark.parametrize(
    ("adapter", "package"), [("openspiel", "pyspiel"), ("pettingzoo", "gymnasium"), ("gymnasium", "gymnasium")]
)
def test_a_missing_package_is_named_with_the_extra_that_brings_it(
    adapter: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"gtp_variants.adapters.{adapter}", raising=False)
    with pytest.raises(ImportError) as caught:
        import_module(f"gtp_variants.adapters.{adapter}")
    assert str(caught.value) == f"gtp_variants.adapters.{adapter} needs {package}; {install_command(adapter)}"
