"""Requests between players of the page, without a server: one draw offer per turn, and refusals."""

import pytest

from gtp_variants.players.agreements import UNDO, Participant
from gtp_variants.players.hosted_game import HostedGame, HostPolicy, new_record
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.page.page_game import Offers
from gtp_variants.site.refusals import PageRefused


def begin(spec: str) -> tuple[HostedGame, Offers]:
    seats = dict.fromkeys((BLACK, WHITE), Participant())
    hosted = HostedGame.new(new_record(parse(spec)), seats, HostPolicy(timed_from_turn=2))
    hosted.play(BLACK, 0)
    return hosted, Offers(hosted)


def test_a_draw_that_both_offer_in_one_turn_ends_the_game() -> None:
    hosted, offers = begin("go:size=5,komi=6")
    offers.offer_draw(WHITE)
    assert offers.describe() == {
        "colour": "w",
        "what": "draw",
        "dice": "",
        "agreed": ["w"],
        "asked": ["b"],
    }
    assert not hosted.is_over
    hosted.accept(BLACK)
    assert (hosted.is_over, hosted.result) == (True, "0")


def test_a_draw_offered_in_another_turn_is_no_agreement() -> None:
    hosted, offers = begin("go:size=5,komi=6")
    offers.offer_draw(BLACK)
    hosted.play(WHITE, 1)
    assert offers.describe() is None
    offers.offer_draw(WHITE)
    assert not hosted.is_over


def test_no_draw_is_offered_where_the_rules_know_none() -> None:
    _, offers = begin("go:size=5,komi=6.5")
    assert not offers.knows_draws
    with pytest.raises(PageRefused):
        offers.offer_draw(WHITE)


def test_a_refusal_is_told_until_the_turn_is_over() -> None:
    hosted, offers = begin("go:size=5")
    hosted.propose(BLACK, UNDO)
    offers.decline(WHITE)
    assert offers.describe() is None
    assert offers.describe_refusal() == {"what": "undo", "by": "w"}
    hosted.play(WHITE, 1)
    assert offers.describe_refusal() is None
