"""Errors: what they say arrives whole in another process, too."""

import pickle

import pytest

from gtp_variants import errors
from gtp_variants.errors import ConfigError, IllegalMove, Refused, SpecError, VariantsError

MADE = {
    ConfigError: ConfigError(["pairs: 0, expected 1 or more", "seed: is missing"]),
    IllegalMove: IllegalMove("line", "D4 is on line 4, the draw opens line 2"),
    Refused: Refused("play b D4", "illegal move"),
    SpecError: SpecError("size=1: expected 2 to 25", {"fr": "size=1\u00a0: attendu de 2 à 25"}),
}
KINDS = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, VariantsError)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.__name__))
def test_an_error_travels_between_processes(kind: type[VariantsError]) -> None:
    error = MADE[kind] if kind in MADE else kind("what went wrong")
    there = pickle.loads(pickle.dumps(error))
    assert type(there) is kind
    assert str(there) == str(error)
    assert vars(there) == vars(error)
