"""A game under the server's referee: its lines, its end, and its record."""

import pytest

from gtp_variants.errors import PeerUnfit, SpecError
from gtp_variants.records.record import verify
from gtp_variants.rules.actions import BLACK, CHANCE, WHITE
from gtp_variants.site.lobby import account_game as match_module
from gtp_variants.site.lobby.account_game import AccountGame, find_untold_options, rules_to_host
from tests.site.lobby.servers import new_game, play, play_on

SPECS = (
    "go:size=5",
    "aleago:size=5,crystal_ball=true",
    "phantom:size=5",
    "alter-igo:size=5",
    "pentalath",
    "rosette:n=2",
)


def _match(spec: str, level_s: float = 60.0) -> AccountGame:
    return new_game(spec, level_s=level_s)


def _kept(match: AccountGame) -> AccountGame:
    """The game after it was written and read."""
    return AccountGame.load(match.number, match.hosted.lines)


def _left_s(match: AccountGame) -> dict[int, float]:
    return {colour: clock.left_s for colour, clock in match.hosted.clocks.stopped.items()}


@pytest.mark.parametrize("spec", SPECS)
def test_a_game_is_kept_and_continues_after_every_move(spec: str) -> None:
    match = _match(spec)
    for seed in range(40):
        play_on(match, 1, seed)
        again = _kept(match)
        assert again.hosted.lines == match.hosted.lines
        assert again.game == match.game
        assert (_left_s(again), again.hosted.times) == (_left_s(match), match.hosted.times)
        for colour in (BLACK, WHITE):
            assert again.lines.for_seat(colour, 0, with_own=True) == match.lines.for_seat(colour, 0, with_own=True)
    assert verify(match.record()).ok


@pytest.mark.parametrize("spec", SPECS)
def test_incremental_lines_equal_a_full_replay(spec: str) -> None:
    match = _match(spec)
    told: dict[int, list[str]] = {BLACK: [], WHITE: []}
    since = 0
    for seed in range(60):
        for colour, lines in told.items():
            lines += match.lines.for_seat(colour, since, with_own=True)
        since = len(match.game.events)
        play_on(match, 1, seed)
    for colour, lines in told.items():
        lines += match.lines.for_seat(colour, since, with_own=True)
        assert sorted(lines) == sorted(match.lines.for_seat(colour, 0, with_own=True))


def test_a_seat_of_a_hidden_game_is_told_no_stone_of_the_other() -> None:
    match = _match("phantom:size=5")
    play(match, "C3", 0)
    play(match, "C3", 0)
    play(match, "D4", 0)
    assert match.lines.for_seat(BLACK, 0, with_own=True) == ["hear b C3", "hear w refused ?", "hear w ?"]
    assert match.lines.for_seat(WHITE, 0, with_own=True) == ["hear b ?", "hear w refused C3", "hear w D4"]


def test_the_draw_is_told_before_the_move_it_follows() -> None:
    match = _match("aleago:size=5")
    first = match.lines.for_seat(WHITE, 0, with_own=True)
    assert [line.split()[:3] for line in first] == [["draw", "1", "b"]]
    since = len(match.game.events)
    point = next(a for a in match.rules.legal(match.game.position) if a >= 0)
    play(match, match.rules.board.vertex(point), 1.0)
    lines = match.lines.for_seat(WHITE, since, with_own=False)
    assert [line.split()[0] for line in lines] == ["draw", "play"]
    assert lines[1].endswith(" 59250")
    assert [line.split()[0] for line in match.lines.for_seat(BLACK, since, with_own=False)] == ["draw"]


@pytest.mark.parametrize(
    ("moves", "result", "why"),
    [
        (["resign"], "W+Resign", "resignation"),
        (["pass", "resign"], "B+Resign", "resignation"),
        (["Z99"], "W+Illegal", "off board"),
        (["c3", "C3"], "B+Illegal", "occupied"),
        (["nonsense\x1b"], "W+Illegal", "cannot be read"),
        (["c3", "pass", "pass"], "B+17.5", "17.5"),
        (["swap"], "W+Illegal", "no swap"),
    ],
)
def test_the_ends_of_a_game(moves: list[str], result: str, why: str) -> None:
    match = _match("go:size=5,komi=7.5")
    for word in moves:
        play(match, word, 0.1)
    assert match.result == result
    assert why in match.lines.gameover()
    assert match.lines.gameover().isprintable()
    assert match.asked is None


def test_time_runs_out() -> None:
    match = _match("go:size=5", level_s=10.0)
    play(match, "c3", 4.25)
    assert _left_s(match) == pytest.approx({BLACK: 6.0, WHITE: 10.0})
    play(match, "pass", 10.2)
    assert _left_s(match)[WHITE] == pytest.approx(0.05)
    play(match, "d3", 6.5)
    assert match.result == "W+Time"


def test_refused_tries_come_to_an_end() -> None:
    match = _match("phantom:size=5")
    play(match, "C3", 0)
    for _ in range(25):
        assert match.asked == WHITE
        play(match, "C3", 0)
        # A server that was started anew counts on.
        match = _kept(match)
    assert match.asked == WHITE
    play(match, "C3", 0)
    assert match.result == "B+Illegal"


def test_a_lost_game_is_not_made_endless_by_refused_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_module, "_VAIN_TRIES", 2)
    match = _match("phantom:size=5")
    for black, white in (("A1", "C3"), ("E5", "C4")):
        play(match, black, 0)
        for _ in range(25):
            play(match, "A1", 0)
        play(match, white, 0)
    play(match, "E1", 0)
    assert match.asked == WHITE
    # A server that was started anew counts on.
    match = _kept(match)
    play(match, "A1", 0)
    assert match.result == "B+Illegal"
    assert "too many" in match.lines.gameover()


def test_setup_tells_a_client_of_cgos_the_whole_game() -> None:
    match = _match("go:size=5,komi=6.5")
    match.hosted.remember("ratings", {"b": "1500?", "w": "1612"})
    play(match, "c3", 1.25)
    play(match, "PASS", 0)
    setup = "setup 1 5 6.5 60000 bravo(1612) alpha(1500?)"
    assert match.lines.setup(with_moves=True) == f"{setup} C3 59000 pass 60000"
    assert match.lines.setup(with_moves=False) == setup


def test_games_that_cannot_be_hosted() -> None:
    with pytest.raises(PeerUnfit, match="expected a game for two players"):
        rules_to_host("pentalath:players=3")
    with pytest.raises(SpecError):
        rules_to_host("chess")


@pytest.mark.parametrize(
    ("spec", "unsaid"),
    [
        ("go", []),
        ("go:size=9,komi=-3.5,dead=agreed,lang=fr", []),
        ("go:size=9,repetition=simple", ["repetition=simple"]),
        ("aleago:size=9", ["aleago"]),
        ("alter-igo:width=9,height=7", ["alter-igo"]),
    ],
)
def test_games_that_a_cgos_client_cannot_follow(spec: str, unsaid: list[str]) -> None:
    assert find_untold_options(rules_to_host(spec)) == unsaid


def test_every_option_of_go_is_told_or_makes_no_difference_or_is_untold() -> None:
    # An option that is new belongs in one of the two.
    untold = {"repetition", "width", "height", "suicide", "scoring", "handicap_bonus", "komi_in_handicap", "button"}
    assert {option.key for option in rules_to_host("go").options} == match_module._TOLD_OR_ALIKE | untold


def test_a_draw_is_that_of_the_dice() -> None:
    match = _match("aleago:size=5")
    play_on(match, 10, 3)
    draws = [event.action for event in match.game.events if event.actor == CHANCE]
    assert draws
    assert match.lines.opening(BLACK).split()[-1] == match.hosted.record.commitment
