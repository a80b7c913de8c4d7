"""A game under the server's referee: what is told, how it ends, what is kept."""

import pytest

from gtp_variants.errors import PeerUnfit, SpecError
from gtp_variants.records.record import verify
from gtp_variants.rules.actions import BLACK, CHANCE, WHITE
from gtp_variants.server import server_game as match_module
from gtp_variants.server.journal import Kept, head_of, lines_of, match_of
from gtp_variants.server.server_game import Match, hosted, untold
from tests.server.servers import play_on

SPECS = (
    "go:size=5",
    "aleago:size=5,crystal_ball=true",
    "phantom:size=5",
    "alter-igo:size=5",
    "pentalath",
    "rosette:n=2",
)


def _match(spec: str, **more: float) -> Match:
    return Match.new(1, spec, {BLACK: "alpha", WHITE: "bravo"}, more.get("level_s", 60.0), 0.25, bytes(32))


def _kept(match: Match) -> Match:
    """The match after it was written and read."""
    return match_of(Kept(match.number, head_of(match), lines_of(match, 0), match.dice.secret, match.result, match.why))


@pytest.mark.parametrize("spec", SPECS)
def test_a_game_is_kept_and_goes_on_after_every_move(spec: str) -> None:
    match = _match(spec)
    for seed in range(40):
        play_on(match, 1, seed)
        again = _kept(match)
        assert (head_of(again), lines_of(again, 0)) == (head_of(match), lines_of(match, 0))
        assert again.table.game == match.table.game
        assert (again.left_s, again.times, again.tries) == (match.left_s, match.times, match.tries)
        for colour in (BLACK, WHITE):
            assert again.heard(colour, 0, with_own=True) == match.heard(colour, 0, with_own=True)
    assert verify(match.record()).ok


@pytest.mark.parametrize("spec", SPECS)
def test_what_is_told_in_parts_is_what_is_told_at_once(spec: str) -> None:
    match = _match(spec)
    told: dict[int, list[str]] = {BLACK: [], WHITE: []}
    since = 0
    for seed in range(60):
        for colour, lines in told.items():
            lines += match.heard(colour, since, with_own=True)
        since = len(match.table.game.events)
        play_on(match, 1, seed)
    for colour, lines in told.items():
        lines += match.heard(colour, since, with_own=True)
        assert sorted(lines) == sorted(match.heard(colour, 0, with_own=True))


def test_a_seat_of_a_hidden_game_is_told_no_stone_of_the_other() -> None:
    match = _match("phantom:size=5")
    match.play("C3", 0)
    match.play("C3", 0)
    match.play("D4", 0)
    assert match.heard(BLACK, 0, with_own=True) == ["hear b C3", "hear w refused ?", "hear w ?"]
    assert match.heard(WHITE, 0, with_own=True) == ["hear b ?", "hear w refused C3", "hear w D4"]


def test_the_draw_is_told_before_the_move_it_follows() -> None:
    match = _match("aleago:size=5")
    first = match.heard(WHITE, 0, with_own=True)
    assert [line.split()[:3] for line in first] == [["draw", "1", "b"]]
    since = len(match.table.game.events)
    point = next(a for a in match.rules.legal(match.table.position) if a >= 0)
    match.play(match.rules.board.vertex(point), 1.0)
    lines = match.heard(WHITE, since, with_own=False)
    assert [line.split()[0] for line in lines] == ["draw", "play"]
    assert lines[1].endswith(" 59250")
    assert [line.split()[0] for line in match.heard(BLACK, since, with_own=False)] == ["draw"]


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
        match.play(word, 0.1)
    assert match.result == result
    assert why in match.gameover()
    assert match.gameover().isprintable()
    assert match.asked is None


def test_time_runs_out() -> None:
    match = _match("go:size=5", level_s=10.0)
    match.play("c3", 4.25)
    assert match.left_s == {BLACK: 6.0, WHITE: 10.0}
    match.play("pass", 10.2)
    assert match.left_s[WHITE] == pytest.approx(0.05)
    match.play("d3", 6.5)
    assert match.result == "W+Time"


def test_refused_tries_come_to_an_end() -> None:
    match = _match("phantom:size=5")
    match.play("C3", 0)
    for _ in range(25):
        assert match.asked == WHITE
        match.play("C3", 0)
        # A server that was started anew counts on.
        match = _kept(match)
    assert match.asked == WHITE
    match.play("C3", 0)
    assert match.result == "B+Illegal"


def test_a_lost_game_is_not_made_endless_by_refused_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_module, "_VAIN_TRIES", 2)
    match = _match("phantom:size=5")
    for black, white in (("A1", "C3"), ("E5", "C4")):
        match.play(black, 0)
        for _ in range(25):
            match.play("A1", 0)
        match.play(white, 0)
    match.play("E1", 0)
    assert match.asked == WHITE
    # A server that was started anew counts on.
    match = _kept(match)
    match.play("A1", 0)
    assert match.result == "B+Illegal"
    assert "too many" in match.gameover()


def test_setup_tells_a_client_of_cgos_the_whole_game() -> None:
    match = _match("go:size=5,komi=6.5")
    match.ratings = {BLACK: "1500?", WHITE: "1612"}
    match.play("c3", 1.25)
    match.play("PASS", 0)
    setup = "setup 1 5 6.5 60000 bravo(1612) alpha(1500?)"
    assert match.setup(with_moves=True) == f"{setup} C3 59000 pass 60000"
    assert match.setup(with_moves=False) == setup


def test_games_that_cannot_be_hosted() -> None:
    with pytest.raises(PeerUnfit, match="a game of 3"):
        hosted("pentalath:players=3")
    with pytest.raises(SpecError):
        hosted("chess")


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
def test_what_a_client_of_cgos_cannot_be_told(spec: str, unsaid: list[str]) -> None:
    assert untold(hosted(spec)) == unsaid


def test_every_option_of_go_is_told_or_makes_no_difference_or_is_untold() -> None:
    # An option that is new belongs in one of the two.
    assert {option.key for option in hosted("go").options} == match_module._TOLD_OR_ALIKE | {"repetition"}


def test_a_draw_is_that_of_the_dice() -> None:
    match = _match("aleago:size=5")
    play_on(match, 10, 3)
    draws = [event.action for event in match.table.game.events if event.actor == CHANCE]
    assert draws
    assert match.opening(BLACK).split()[-1] == match.dice.commitment
