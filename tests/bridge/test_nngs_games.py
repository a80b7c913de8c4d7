"""The games at NNGS and IGS as their lines say, without a connection."""

from pathlib import Path

from gtp_variants.bridge.core.server import ADJOURNED, OVER, PLAYING, SCORING, ServerEvent, ServerGame
from gtp_variants.bridge.nngs import Nngs, NngsGames, OurName
from gtp_variants.rules.actions import BLACK, WHITE
from tests.bridge.fakes.running_bridge import config_of

HEAD = "Game 1 I: alpha (0 598 -1) vs botty (0 596 -1)"
DESCRIPTION = "[ 1] alpha [ 5k*] vs. botty [ 4k*] ( 2 5 0 6.5 10 I) ( 0)"


def _games(*, is_igs: bool = False) -> tuple[NngsGames, list[str]]:
    written: list[str] = []

    async def write(text: str) -> None:
        written.append(text)

    return NngsGames("bridge", OurName("botty"), write, is_igs=is_igs), written


async def _known(*moves: str, is_igs: bool = False) -> tuple[NngsGames, ServerGame]:
    """A game with these moves, whole."""
    games, _ = _games(is_igs=is_igs)
    for line in (HEAD, *(f"  {number}({'BW'[number % 2]}): {vertex}" for number, vertex in enumerate(moves))):
        assert await games.read_line(line) == []
    await games.end_block()
    return games, _state(games.read_description(DESCRIPTION))


def _state(happened: list[ServerEvent]) -> ServerGame:
    (update,) = happened
    assert isinstance(update, ServerGame)
    return update


async def test_a_new_game_is_asked_about_and_told_once_it_is_known() -> None:
    games, written = _games()
    await games.read_line(HEAD)
    assert written == ["moves 1", "games 1"]
    assert await games.end_block() == [], "its size is not known"
    state = _state(games.read_description(DESCRIPTION))
    assert (state.key, state.size, state.colour, state.komi) == ("bridge-alpha-botty", 5, BLACK, 6.5)
    assert state.awaits_move


async def test_other_peoples_games_are_ignored() -> None:
    games, written = _games()
    await games.read_line(HEAD.replace("botty", "carol"))
    assert written == []
    assert not games


async def test_a_block_with_another_move_removes_the_later_moves() -> None:
    games, state = await _known("C3", "D4", "B2")
    assert state.moves == ((BLACK, "C3"), (WHITE, "D4"), (BLACK, "B2"))
    await games.read_line(HEAD)
    await games.read_line("  1(W): A1")
    assert _state(await games.end_block()).moves == ((BLACK, "C3"), (WHITE, "A1"))


async def test_the_pass_before_scoring_is_added_and_dead_chains_are_noted() -> None:
    games, _ = await _known("C3", "pass")
    state = _state(games.read_notice("You can check your score with the score command"))
    assert state.phase == SCORING
    assert [vertex for _, vertex in state.moves] == ["C3", "pass", "pass"]
    assert _state(games.read_notice("Removing @ C3")).removed == ("C3",)
    games.reopen()
    latest = games.latest
    assert latest is not None
    assert (latest.phase, latest.removed) == (PLAYING, ())


async def test_a_game_that_was_left_waits_and_one_that_is_over_does_not() -> None:
    for text, phase, waits in (("has adjourned.", ADJOURNED, True), (": White resigns.", OVER, False)):
        games, _ = await _known("C3")
        assert _state(games.read_end(f"{{Game 1: alpha vs botty {text}}}")).phase == phase
        assert games.goes_on(("alpha", "botty")) is waits


async def test_igs_ends_a_game_when_its_file_is_removed() -> None:
    games, _ = await _known("C3", is_igs=True)
    assert games.read_notice("alpha has resigned the game.") == []
    state = _state(games.read_notice("Removed game file alpha-botty from database."))
    assert (state.phase, state.result) == (OVER, "B+R")


async def test_an_offer_that_cannot_be_read_is_declined_with_a_sentence(tmp_path: Path) -> None:
    server, written = Nngs(config_of("nngs", 1, tmp_path), print, is_igs=False), list[str]()

    async def write(text: str, **how: object) -> None:
        written.append(text)

    server._line.write = write  # type: ignore[method-assign]
    assert await server._read("9 Use <match alpha B 5 10> or <decline alpha> to respond.") == []
    said = "tell alpha I cannot read the terms of this challenge. Please send one with other terms."
    assert written == ["decline alpha", said]
