"""Guests without a lobby: the games they can play, their current game, and its lines."""

from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.guests import Guest, LoginStage, OfferedGames, PlayerLines, RunningGames


def make_guest(name: str, *games: str, is_told: bool = True) -> tuple[Guest, list[str]]:
    said: list[str] = []
    return Guest(said.append, lambda: None, name=name, games=frozenset(games), is_told=is_told), said


def make_game(number: int, black: str, white: str) -> AccountGame:
    return AccountGame.new(number, "go:size=5", {BLACK: black, WHITE: white}, 60.0, 0.25)


def test_a_guest_can_play_what_their_client_knows_and_can_be_told() -> None:
    offered = OfferedGames(["go:size=9", "go:size=9,repetition=ssk", "aleago:size=5"])
    bot, _ = make_guest("bot", "go", "aleago")
    plain, _ = make_guest("plain", "go", is_told=False)
    assert offered.find_playable(bot) == list(offered.specs)
    assert offered.find_playable(plain) == [offered.specs[0]]
    assert offered.find_needs("pentalath") == ("pentalath", ["pentalath"])


def test_a_name_finds_its_first_game_however_it_is_written() -> None:
    running = RunningGames()
    first, second = make_game(1, "Alpha", "bravo"), make_game(2, "bravo", "charlie")
    for game in (first, second):
        running[game.number] = game
    assert running.find_with("ALPHA") is first
    assert running.find_with("bravo") is first
    assert {name for game in running.values() for name in game.names.values()} == {"Alpha", "bravo", "charlie"}
    del running[first.number]
    assert (running.find_with("alpha"), running.find_with("bravo")) == (None, second)
    assert dict(running) == {2: second}


def test_players_are_told_the_others_moves_only_once_and_are_asked_in_turn() -> None:
    (alpha, to_alpha), (bravo, to_bravo) = make_guest("alpha", "go"), make_guest("bravo", "go")
    lines, game = PlayerLines({"alpha": alpha, "bravo": bravo}), make_game(1, "alpha", "bravo")
    for guest in (alpha, bravo):
        lines.seat(guest, game)
    assert [line.split()[0] for line in to_alpha] == ["variant", "setup"]
    to_alpha.clear()
    to_bravo.clear()
    game.play("C3")
    for _ in range(2):
        lines.tell(game)
    lines.ask(game)
    assert to_alpha == []
    assert [line.split()[:3] for line in to_bravo] == [["play", "b", "C3"], ["genmove", "w", to_bravo[1].split()[2]]]
    game.play("resign")
    lines.end(game)
    assert (alpha.stage, bravo.stage) == (LoginStage.OVER, LoginStage.OVER)
    assert to_alpha[-1].startswith("gameover ")
    assert "B+Resign" in to_alpha[-1]


def test_a_departed_guest_gets_no_lines() -> None:
    (alpha, _), (bravo, to_bravo) = make_guest("alpha", "go"), make_guest("bravo", "go")
    guests = {"alpha": alpha, "bravo": bravo}
    lines, game = PlayerLines(guests), make_game(1, "alpha", "bravo")
    for guest in (alpha, bravo):
        lines.seat(guest, game)
    del guests["bravo"]
    to_bravo.clear()
    game.play("C3")
    lines.tell(game)
    lines.ask(game)
    assert to_bravo == []
    assert [guest.name for _, guest in lines.guests_at(game)] == ["alpha"]
