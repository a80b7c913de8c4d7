"""Whether a machine that makes results up is found, and honest ones are left alone."""

from random import Random

import pytest

from gtp_variants.arena.statistics.worker_differences import (
    SUSPICIOUS,
    MachineTally,
    chance_of,
    chi_square_tail,
    differing_machines,
)
from tests.arena.report.test_report import row


@pytest.mark.parametrize(
    ("value", "degrees", "tail"),
    # Percentage points as tables of the distribution have them.
    [(3.841, 1, 0.05), (6.635, 1, 0.01), (5.991, 2, 0.05), (7.815, 3, 0.05), (18.307, 10, 0.05), (24.996, 15, 0.05)],
)
def test_the_tail_of_chi_square(value: float, degrees: int, tail: float) -> None:
    assert chi_square_tail(value, degrees) == pytest.approx(tail, rel=1e-3)
    assert chi_square_tail(0, degrees) == 1


def machine(rng: Random, share: float, games: int = 300, failing: float = 0.0) -> MachineTally:
    tally = MachineTally()
    for number in range(games):
        failed = (("other", "time", ""),) if rng.random() < failing else ()
        tally.add(row(number + 1, "a", "mine" if rng.random() < share else "other", failures=failed))
    return tally


def test_who_makes_results_up_is_found() -> None:
    rng = Random(1)
    honest = {f"honest {number}": machine(rng, 0.5) for number in range(4)}
    assert differing_machines(honest) == {}
    assert list(differing_machines({**honest, "liar": machine(rng, 0.75)})) == ["liar"]
    assert list(differing_machines({**honest, "slow": machine(rng, 0.5, failing=0.1)})) == ["slow"]


def test_honest_machines_are_seldom_suspected() -> None:
    rng = Random(2)
    rounds = [[machine(rng, 0.6, 60) for _ in range(3)] for _ in range(400)]
    chances = [chance_of(first, rest) for first, *rest in rounds]
    assert sum(chance < 0.05 for chance in chances) / len(chances) == pytest.approx(0.05, abs=0.03)
    assert sum(chance < SUSPICIOUS for chance in chances) <= 3


def test_few_games_say_nothing() -> None:
    rng = Random(3)
    assert chance_of(machine(rng, 1.0, 4), [machine(rng, 0.0, 4)]) == 1
    assert chance_of(MachineTally(), []) == 1
