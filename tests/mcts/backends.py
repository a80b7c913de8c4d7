"""A search in the form that runs here, and in plain Python whichever that is."""

from typing import Any

import pytest

from gtp_variants.mcts import search_backend
from gtp_variants.mcts.plain import tree
from gtp_variants.mcts.tree_search import Thinker

native = pytest.mark.skipif(search_backend() != "native", reason="the native kernel was not built")


class PythonThinker(Thinker):
    """A thinker in plain Python, whichever form is there."""

    def _plant(self, position: Any) -> Any:
        return tree.PlainTree(self.rules, position, self.settings)


FORMS = [pytest.param(Thinker, id="form"), pytest.param(PythonThinker, id="python")]
