"""A seat with hidden stones gets exactly what it heard and may play."""

from dataclasses import replace

import numpy as np
import pytest

import gtp_variants as gv
from gtp_variants.ai.nets.encoding.scene import REMEMBERED_TURNS
from gtp_variants.rules.actions import Event
from gtp_variants.rules.views import Announcement
from tests.support.twins import ALL_SPECS, QUICK_SPECS, make_twins


def tensor(rules: gv.Rules, news: list[gv.News], colour: int) -> bytes:
    planes, features = gv.Encoder(rules).encode(rules.view(news, colour))
    return planes.tobytes() + features.tobytes()


def check_twins(spec: str, seed: int) -> bool:
    """Fails unless games that sound the same to a seat look the same to it; says whether they differ at all."""
    colour = 1 + seed % 2
    first, second = make_twins(spec, colour, seed)
    assert tensor(first.rules, list(first.heard(colour)), colour) == tensor(
        second.rules, list(second.heard(colour)), colour
    )
    return first.position.stones != second.position.stones


def check_next_news(spec: str, seed: int) -> None:
    """After everything that can happen next: other news give other tensors, the same news the same."""
    rules = gv.parse(spec)
    game = gv.random_game(rules, seed, 5 + seed % 30)
    position = game.position
    if rules.is_over(position):
        return
    for colour in rules.colours:
        heard, tensors = list(game.heard(colour)), {}
        # A try that was refused a moment ago tells nothing new.
        for action in set(rules.actions(position)) - position.tried:
            after = rules.play(position, action)
            news = rules.hears(position, Event(position.mover, action), after, colour)
            tensors[news] = tensor(rules, [*heard, news] if news else heard, colour)
        assert len(set(tensors.values())) == len(tensors)


@pytest.mark.parametrize("spec", QUICK_SPECS)
def test_equal_news_give_equal_tensors(spec: str) -> None:
    assert True in {check_twins(spec, seed) for seed in range(8)}


@pytest.mark.parametrize("spec", [*QUICK_SPECS, "phantom:size=3,rules=openspiel", "phantom:size=4,rules=olympiad"])
def test_different_news_give_different_tensors(spec: str) -> None:
    for seed in range(6):
        check_next_news(spec, seed)


@pytest.mark.slow
@pytest.mark.parametrize("stride", [5, pytest.param(1, marks=pytest.mark.long)])
def test_twins_under_every_way_of_announcing(stride: int) -> None:
    for seed, spec in enumerate(ALL_SPECS[::stride]):
        check_twins(spec, seed)
        check_next_news(spec, seed)


def test_announcements_of_the_last_eight_turns_show_and_older_ones_do_not() -> None:
    """python.md: "what the seat heard in its last eight turns, and every older fact that still holds"."""
    rules = gv.parse("phantom:size=7")
    news = list(gv.random_game(rules, 2, 80).heard(gv.BLACK))
    turns = [number for number, item in enumerate(news) if not item.refused]
    usual = tensor(rules, news, gv.BLACK)
    for back, number in enumerate(reversed(turns), 1):
        said = (*news[number].said, Announcement("self_atari", news[number].actor))
        if any(item.code == "self_atari" for item in news[number].said):
            continue
        changed = [*news]
        changed[number] = replace(news[number], said=said)
        assert (tensor(rules, changed, gv.BLACK) != usual) == (back <= REMEMBERED_TURNS)


def test_a_fact_that_holds_is_remembered_for_ever() -> None:
    """A refused try of long ago shows, until a stone of the seat stands there."""
    rules = gv.parse("phantom:size=7")
    game, board = gv.Game(rules), rules.board
    game.play(gv.BLACK, board.point("D4"))
    game.play(gv.WHITE, board.point("D4"))
    encoder = gv.Encoder(rules)
    for vertex in "A1 B1 C1 D1 E1 F1 G1 A7 B7 C7 D7 E7 F7 G7 A6 B6 C6 E6 F6 G6".split():
        game.play(game.position.mover, board.point(vertex))
    refused = encoder.encode_levels(rules.view(game.heard(gv.WHITE), gv.WHITE))[0][encoder.planes.index("refused")]
    assert np.flatnonzero(refused).tolist() == [board.point("D4")]
    assert refused.max() == 1
