"""The laws of what learners see, in a few positions; `benchmarks/correctness/encoder_laws.py` tries a million."""

import pytest

import gtp_variants as gv

pytest.importorskip("gtp_variants.ai.kernel._kernel", reason="the native kernel was not built")

from tests.ai.nets.laws import LawBroken, compare_forms, compare_news, compare_twins, turn_game
from tests.support import twins
from tests.support.specs import ENDLESS, SMALL, two_quick

SPECS = (*SMALL, *ENDLESS)


@pytest.mark.parametrize("spec", two_quick(SPECS))
def test_different_news_give_different_planes(spec: str) -> None:
    assert compare_news(gv.parse(spec), 1, most=60) > 0


@pytest.mark.parametrize("spec", twins.QUICK_SPECS)
def test_a_seat_sees_nothing_that_it_did_not_hear(spec: str) -> None:
    assert compare_twins(spec, 3) > 1


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_batch_state_and_rules_agree(spec: str) -> None:
    assert compare_forms(gv.parse(spec), 1, steps=15, games=2) == 30


def test_a_broken_law_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = gv.parse("go:size=4")
    with monkeypatch.context() as patch:
        patch.setattr("tests.ai.nets.laws.kernel_states.play", lambda state, action: None)
        with pytest.raises(LawBroken, match="two pieces of news look alike"):
            compare_news(rules, 1, most=60)
    turns = gv.symmetries(rules)
    monkeypatch.setattr(gv, "symmetries", lambda rules: turns[:, ::-1][:, [1, 0, *range(2, 16)]])
    with pytest.raises(LawBroken, match="do not turn along"):
        turn_game(rules, 1, most=20)
