"""Symmetries: rules, draws and encoder respect each of them, in every game."""

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

import gtp_variants as gv
from gtp_variants.rules.actions import CHANCE, Event
from tests.support.specs import ENDLESS, SMALL, two_quick

SPECS = (*SMALL, *ENDLESS)


@pytest.mark.parametrize(
    ("spec", "count"),
    [
        ("go:size=9", 8),
        ("go:size=1", 1),
        ("alter-igo:width=5,height=2", 4),
        ("alter-igo:width=1,height=3", 2),
        ("rosette:n=4", 12),
        ("pentalath", 2),
        ("pentalath:board=hexhex5", 12),
        ("aleago:size=13", 8),
        # A board of the players' own numbers: nothing but its diagonal keeps them.
        ("aleago:size=3,mapping=1.2.3/2.4.2/3.2.1,dice=1d4", 4),
        ("aleago:size=3,mapping=1.1.2/3.0.2/3.3.2", 1),
    ],
)
def test_how_many_there_are(spec: str, count: int) -> None:
    found = gv.symmetries(gv.parse(spec))
    assert found.shape == (count, len(gv.parse(spec).board))
    assert found.dtype == np.int32


@pytest.mark.parametrize("spec", SPECS)
def test_they_are_a_group_of_permutations(spec: str) -> None:
    found = gv.symmetries(gv.parse(spec))
    rows = {tuple(row) for row in found}
    points = np.arange(found.shape[1])
    assert list(found[0]) == list(points)
    assert len(rows) == len(found)
    for first in found:
        assert sorted(first) == list(points)
        assert {tuple(second[first]) for second in found} == rows


def move_along(events: Sequence[Event], goes_to: Sequence[int]) -> list[Event]:
    """The events as they would be had the board been turned before the game."""
    return [
        Event(event.actor, int(goes_to[event.action]) if event.actor != CHANCE and event.action >= 0 else event.action)
        for event in events
    ]


def check_symmetry(rules: gv.Rules, seed: int, plies: int, every: int) -> None:
    """One random game under one symmetry: it may be played, ends alike, and its planes move along."""
    encoder, found = gv.Encoder(rules), gv.symmetries(rules)
    game = gv.random_game(rules, seed, plies)
    goes_to = found[seed % len(found)]
    turned = gv.Game.replay(rules, move_along(game.events, goes_to))
    assert turned.outcome == game.outcome
    for number in range(len(game.positions) % every, len(game.positions), every):
        here, there = game.positions[number], turned.positions[number]
        assert here.to_play == there.to_play
        moved = {action if here.to_play == CHANCE or action < 0 else goes_to[action] for action in rules.actions(here)}
        assert moved == set(rules.actions(there))
        compare(encoder.encode(here), encoder.encode(there), goes_to)
    if not rules.is_open:
        for colour in rules.colours:
            seats = [rules.view(each.heard(colour), colour) for each in (game, turned)]
            compare(encoder.encode(seats[0]), encoder.encode(seats[1]), goes_to)


def compare(here: tuple[np.ndarray, np.ndarray], there: tuple[np.ndarray, np.ndarray], goes_to: Sequence[int]) -> None:
    assert np.array_equal(there[0][:, goes_to], here[0])
    assert np.array_equal(there[1], here[1])


@pytest.mark.parametrize("spec", two_quick(SPECS))
def test_rules_and_encoder_respect_them(spec: str) -> None:
    rules = gv.parse(spec)
    for seed in range(1, 4):
        check_symmetry(rules, seed, plies=25, every=6)


@pytest.mark.long
def test_rules_and_encoder_respect_them_in_many_positions() -> None:
    rng = Random(1)
    for _ in range(2000):
        check_symmetry(gv.parse(rng.choice(SPECS)), rng.randrange(10**6), plies=200, every=3)
