"""Questions of GNU Go's that regression suites ask (gtp.md 3)."""

import re

import pytest

from tests.gtp.talk import SCORED, UNSCORED, Talk


def test_the_board() -> None:
    assert Talk("go:size=9")("query_boardsize") == "9"
    assert Talk("alter-igo:width=4,height=3")("query_boardsize") == "4 3"
    talk = Talk("go:size=5")
    talk.plays("b:B1 w:A1 b:A2 w:C1")
    assert talk("color B1") == "black"
    assert (talk("color C1"), talk("color A1"), talk("color E5")) == ("white", "empty", "empty")
    assert (talk("list_stones b"), talk("list_stones white")) == ("A2 B1", "C1")
    assert (talk("captures b"), talk("captures w")) == ("1", "0")
    assert (talk("countlib C1"), talk("findlib C1")) == ("2", "C2 D1")
    assert talk.fails("countlib E5") == "vertex must not be empty"


def test_moves_the_last_one_first() -> None:
    talk = Talk("go:size=5")
    assert talk("move_history") == ""
    assert talk.fails("last_move") == "no previous move known"
    talk.plays("b:C3 w:pass")
    talk("trymove b D4")
    assert talk("move_history") == "black D4\nwhite pass\nblack C3"
    talk("popgo")
    assert talk("last_move") == "white pass"


@pytest.mark.parametrize("spec", ["go:size=9", "aleago:size=9,free_player=b", "phantom:size=9", "pentalath"])
def test_popgo_takes_back_only_trymove_stones(spec: str) -> None:
    talk = Talk(spec, seed="x")
    sides = "wb" if spec == "pentalath" else "bw"
    for number in range(2):
        talk(f"play {sides[number]} {talk('variant-legal_moves').split()[number]}")
    before = talk.snapshot()
    for number in range(2):
        talk(f"trymove {sides[number]} {talk('variant-legal_moves').split()[number]}")
    # Other options leave the game as it is, and with it what was tried.
    talk("komi 3.5")
    talk("popgo")
    talk("popgo")
    assert talk.fails("popgo") == "stack empty"
    talk("komi 7.5")
    assert talk.snapshot() == before
    # One that was taken back otherwise is no longer there to be popped, and what was played since is no try.
    talk(f"trymove {sides[0]} {talk('variant-legal_moves').split()[0]}")
    talk("undo")
    assert talk.fails("popgo") == "stack empty"
    talk(f"play {sides[0]} {talk('variant-legal_moves').split()[0]}")
    assert talk.fails("popgo") == "stack empty"
    talk(f"trymove {sides[1]} {talk('variant-legal_moves').split()[0]}")
    talk("clear_board")
    assert talk.fails("popgo") == "stack empty"


@pytest.mark.parametrize("spec", [*SCORED, *UNSCORED])
def test_is_legal_agrees_with_play(spec: str) -> None:
    talk = Talk(spec, seed="x")
    side = str(talk.state()["to_play"])
    allowed = [word for word in talk(f"variant-legal_moves {side}").split() if word not in ("pass", "swap")]
    assert talk(f"all_legal {side}").split() == allowed
    assert talk(f"is_legal {side} {allowed[0]}") == "1"
    talk(f"play {side} {allowed[0]}")
    assert talk(f"is_legal {talk.state()['to_play']} {allowed[0]}") == ("1" if spec.startswith("phantom") else "0")


def test_a_score_is_estimated_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gtp_variants.gtp.engine.handlers.score._ESTIMATE_S", 0.05)
    talk = Talk("go:size=5,komi=0.5")
    talk.plays("b:C3 w:pass b:C2 w:pass")
    found = re.fullmatch(r"B\+([\d.]+) \(upper bound: (-?[\d.]+), lower: (-?[\d.]+)\)", talk("estimate_score"))
    assert found is not None
    assert float(found[3]) <= -float(found[1]) <= float(found[2])
    talk.plays("b:pass w:pass b:pass")
    assert talk("estimate_score") == talk("final_score") == "B+24.5"
    assert Talk("pentalath").fails("estimate_score") == "cannot score"


def test_the_best_of_some_moves_and_the_best_of_all() -> None:
    talk = Talk("go:size=5", bot="mcts:playouts=300,seconds=0")
    before = talk.snapshot()
    assert talk("restricted_genmove b A1 C3 E1") == "C3"
    assert talk.fails("restricted_genmove b Z9").startswith(("invalid", "syntax error", "illegal"))
    best = talk("top_moves b").split()
    assert best[0] == "C3"
    assert 50 < float(best[1]) < 100
    assert talk.snapshot() == before
    assert talk("echo what is said") == "what is said"
    assert talk("help") == talk("list_commands")


def test_gg_genmove_is_reg_genmove_and_takes_a_seed() -> None:
    talk = Talk("go:size=5", bot="uniform")
    before = talk("showboard")
    assert talk("gg_genmove b 7") == talk("gg_genmove b") == talk("reg_genmove b")
    assert talk("showboard") == before
    assert talk.fails("gg_genmove")


def test_unconditional_status_of_chains() -> None:
    talk = Talk("go:size=5", bot="uniform")
    talk("play w A2")
    for vertex in "A3 B3 C3 D3 C2 E2 A1 B1 C1 D1 E1".split():
        talk(f"play b {vertex}")
    said = {vertex: talk(f"unconditional_status {vertex}") for vertex in ("A3", "A2", "B2", "E5")}
    assert said == {"A3": "alive", "A2": "dead", "B2": "black_territory", "E5": "undecided"}
    assert talk.fails("unconditional_status")
    assert talk.fails("unconditional_status Z9")
    assert Talk("pentalath").fails("unconditional_status A1") == "cannot judge: expected an open game of area scoring"
    assert (
        Talk("phantom:size=5").fails("unconditional_status A1") == "cannot judge: expected an open game of area scoring"
    )
