"""A search with each backend: the kernel where it was built, and plain Python."""

from importlib.util import find_spec

import pytest

from gtp_variants.ai.backend import search_backend

IS_NATIVE = search_backend() == "native"


@pytest.fixture(params=["native", "python"])
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The form of the search in a test that requests this fixture: "native", then "python"."""
    return choose_backend(request.param, monkeypatch)


def choose_backend(name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Search with this backend from now on; the test is skipped where it was not built."""
    if name == "native" and not IS_NATIVE:
        pytest.skip("the native kernel was not built")
    modules = ["gtp_variants.ai.mcts.search", "gtp_variants.ai.mcts.tree_search"]
    modules += ["gtp_variants.ai.mcts.puct_search"] if find_spec("numpy") else []
    for module in modules:
        monkeypatch.setattr(f"{module}.search_backend", lambda rules=None: name)
    return name
