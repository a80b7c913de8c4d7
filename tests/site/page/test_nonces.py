"""Dice that neither side can choose: the first throw waits for the nonces of the players."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gtp_variants.records.json import from_json
from gtp_variants.records.record import Record, verify
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.dice_stream import Nonce
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.guests import Guest, PlayerLines
from gtp_variants.site.page.listeners import PageLimits
from tests.site.page.serving import Client, Json, Site, site

SPEC = "aleago:size=5,crystal_ball=true"
FOR_EVER = PageLimits(pause_s=0.0, nonces_s=3600.0)
INVITED = {"w": {"kind": "invited"}}


@pytest.fixture(scope="module")
def patient() -> Iterator[Site]:
    with site(limits=FOR_EVER) as running:
        yield running


def begin(served: Site, **more: object) -> tuple[Json, str]:
    """A new game that waits for nonces, and the cookie of its creator."""
    answer = served.ask("/api/games", {"spec": SPEC, "nonces": True, **more})
    return answer.json, answer.cookie


def come(served: Site, made: Json) -> str:
    """Take the invited seat as a new visitor, whose cookie is returned."""
    cookie = served.ask("/").cookie
    served.ask(f"/api/games/{made['game']}/seat", {"invitation": made["invitations"]["w"]}, cookie=cookie)
    return cookie


def share(end: Client, nonce: str) -> None:
    """Add a nonce, and take the game as it then is."""
    end.do("nonce", nonce=nonce)
    end.take_one("game")


def record_of(served: Site, end: Client) -> Record:
    end.do("resign")
    end.until("final", True)
    return from_json(served.ask(f"/api/games/{end.whole['game']}/record.json").body.decode())


def test_both_players_choose_the_dice_before_anybody_sees_a_throw(patient: Site) -> None:
    made, creator = begin(patient, seats=INVITED)
    with patient.sit(made["game"], f"{creator}|b") as black:
        commitment = black.whole["commitment"]
        assert len(commitment) == 64
        # The creator adds a nonce while the other seat is open, and does not see what it leads to.
        share(black, "Ada's")
        assert "one text" in black.refused("nonce", nonce="better")
        assert (black.state["waiting"], black.state["draw"], black.news) == (True, None, [])
        guest = come(patient, made)
        with patient.sit(made["game"], f"{guest}|w") as white:
            assert (white.state["waiting"], white.news) == (True, [])
            assert white.state["nonces"] == [f"1 b {b'''Ada's'''.hex()}"]
            share(white, "Bea's")
            assert "waiting" not in white.state
            black.until("waiting", None)
            assert black.news == white.news
            assert [item["kind"] for item in black.news] == ["draw", "draw"]
            assert black.whole["commitment"] == commitment
        record = record_of(patient, black)
    assert record.nonces == (Nonce(1, BLACK, b"Ada's"), Nonce(1, WHITE, b"Bea's"))
    assert record.commitment == commitment
    assert verify(record).kind == "proven"


def test_no_nonce_changes_a_throw_that_somebody_has_seen() -> None:
    with site(limits=PageLimits(pause_s=0.0, nonces_s=0.0)) as served:
        made, creator = begin(served, seats=INVITED)
        guest = come(served, made)
        # White's browser adds no nonce, so that the first throws wait no longer.
        with served.sit(made["game"], f"{creator}|b") as black, served.sit(made["game"], f"{guest}|w") as white:
            for each in (black, white):
                each.until("waiting", None)
            seen, moment = list(black.news), black.state["draw"]
            black.do("nonce", nonce="late")
            for each in (black, white):
                each.until("nonces", [f"3 b {b'late'.hex()}"])
                assert (each.state["draw"], each.news) == (moment, seen)
            assert "one text" in black.refused("nonce", nonce="second")
            record = record_of(served, black)
    assert record.nonces == (Nonce(3, BLACK, b"late"),)
    assert verify(record).kind == "proven"


def test_a_game_against_a_bot_waits_for_the_person_alone(patient: Site) -> None:
    made, creator = begin(patient, seats={"b": {"kind": "bot", "bot": "uniform"}})
    with patient.sit(made["game"], f"{creator}|w") as white:
        assert "only on your turn" in white.refused("hint")
        assert white.refused("play", at="C3") == "this is not possible until all seats are taken"
        white.do("nonce", nonce="mine")
        white.until("turn", 2)
        record = record_of(patient, white)
    assert record.nonces == (Nonce(1, WHITE, b"mine"),)
    assert verify(record).kind == "proven"


def test_a_person_at_both_seats_adds_one_nonce(patient: Site) -> None:
    made, creator = begin(patient)
    with patient.sit(made["game"], f"{creator}|b") as black, patient.sit(made["game"], f"{creator}|w") as white:
        share(white, "mine")
        black.until("waiting", None)
        assert black.state["nonces"] == [f"1 w {b'mine'.hex()}"]


def test_the_wait_continues_after_a_restart(tmp_path: Path) -> None:
    store = tmp_path / "games.sqlite3"
    with site(store, FOR_EVER) as served:
        made, creator = begin(served, seats=INVITED)
        with served.sit(made["game"], f"{creator}|b") as black:
            commitment = black.whole["commitment"]
            share(black, "Ada's")
            guest = come(served, made)
    with site(store, FOR_EVER) as served, served.sit(made["game"], f"{guest}|w") as white:
        assert (white.whole["commitment"], white.state["waiting"]) == (commitment, True)
        share(white, "Bea's")
        record = record_of(served, white)
    assert [nonce.draw for nonce in record.nonces] == [1, 1]
    assert verify(record).kind == "proven"


def test_a_rematch_has_other_dice_and_waits_again(patient: Site) -> None:
    made, creator = begin(patient, seats={"w": {"kind": "bot", "bot": "uniform"}})
    with patient.sit(made["game"], f"{creator}|b") as black:
        black.do("resign")
        black.until("final", True)
        black.do("again")
        again = black.take_one("again")["game"]
        with patient.sit(again, f"{creator}|w") as white:
            assert (white.state["waiting"], white.news) == (True, [])
            assert white.whole["commitment"] != black.whole["commitment"]


def test_throws_that_a_game_continues_with_are_not_thrown_again(patient: Site) -> None:
    game, seats = patient.begin(SPEC)
    with patient.sit(game, seats["b"]) as black:
        black.do("resign")
        black.until("final", True)
        made, creator = begin(patient, **{"from": game, "at": 2}, seats=INVITED)
        with patient.sit(made["game"], f"{creator}|b") as again:
            again.do("nonce", nonce="mine")
            again.until("nonces", [f"3 b {b'mine'.hex()}"])
            come(patient, made)
            again.until("waiting", None)
            assert again.news == black.news[:2]


def test_programs_in_the_lobby_hear_the_first_throw_when_the_clocks_start() -> None:
    said: list[str] = []
    alpha = Guest(said.append, lambda: None, name="alpha", games=frozenset({"aleago"}), is_told=True)
    lines, game = PlayerLines({"alpha": alpha}), AccountGame.new(1, SPEC, {BLACK: "alpha", WHITE: "bravo"}, 60.0, 0.0)
    lines.seat(alpha, game)
    game.act(WHITE, {"do": "nonce", "nonce": "Bea's"})
    lines.tell(game)
    assert [line.split()[0] for line in said] == ["variant", "setup"]
    game.start()
    lines.tell(game)
    assert [line.split()[:3] for line in said[2:]] == [["draw", "1", "b"], ["draw", "2", "w"]]
    game.act(WHITE, {"do": "resign"})
    record = game.record()
    assert record.nonces == (Nonce(1, WHITE, b"Bea's"),)
    assert verify(record).kind == "proven"
