"""Hosted games: laws that hold for all games, whatever the players do."""

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

import pytest

from gtp_variants.errors import IllegalMove, NotationError, VariantsError
from gtp_variants.lang import RequestRefused
from gtp_variants.players.agreements import BOT, BREAK_OFF, COUNT, DICE, UNDO, Participant
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.players.hosted_game import VOID, HostedGame, HostPolicy, new_record
from gtp_variants.players.table import legal_actions
from gtp_variants.players.transcript import Audience, NoSeat
from gtp_variants.records.journal import read_journal
from gtp_variants.records.record import Record, verify
from gtp_variants.rules import AMONG_PEOPLE, GAMES, parse
from gtp_variants.rules.actions import BLACK, FLAG, MARK_DEAD, MATCH, PASS, RESIGN, SET_DICE, WHITE, Event, pack
from gtp_variants.rules.dice import DiceKind
from gtp_variants.rules.dice_stream import DiceStream, Nonce
from gtp_variants.rules.game import Game
from gtp_variants.rules.traits import DicedRules
from tests.support.watch import Watch

# One small SPEC for each game.
SPECS = (
    "go:size=5",
    "aleago:size=5,crystal_ball=true",
    "phantom:size=5,dead=agreed",
    "rosette:n=2",
    "alter-igo",
    "pentalath",
)
HERE = HostPolicy()
FISCHER = TimeControl("fischer", main_s=60.0, increment_s=5.0)


@dataclass
class Host:
    """A hosted game and its watch."""

    game: HostedGame
    watch: Watch = field(default_factory=Watch)

    def play_on(self, turns: int, seed: int = 1) -> "Host":
        """Play random moves for each player that is asked."""
        rng = random.Random(seed)
        for _ in range(turns):
            asked = self.game.asked()
            if asked is None:
                break
            self.watch.now_s += rng.random()
            actions = self.game.rules.actions(self.game.table.position)
            self.game.answer(asked, rng.choice([action for action in actions if action >= 0] or list(actions)))
        return self


def host(spec: str, policy: HostPolicy = HERE, bots: tuple[int, ...] = (), control: TimeControl | None = None) -> Host:
    rules, watch = parse(spec), Watch()
    seats = {colour: Participant(BOT, "uniform") if colour in bots else Participant() for colour in rules.colours}
    return Host(HostedGame.new(new_record(rules, b"7" * 32), seats, policy, control or TimeControl(), now=watch), watch)


def standing(game: HostedGame) -> object:
    """Return everything that a journal must restore."""
    clocks = {colour: clock.left_s for colour, clock in game.clocks.stopped.items()}
    agreed = {kind: dict(words) for kind, words in game.agreements.words.items()}
    state = game.is_counting, game.result, game.why, set(game.table.agreed), agreed
    return list(game.table.game.events), dict(game.times), clocks, dict(game.seats), dict(game.notes), state


def again(game: HostedGame, lines: int | None = None) -> HostedGame:
    """Return the game restored from the first `lines` lines of a journal, or from all of them."""
    return HostedGame(read_journal(game.lines[:lines]), game.policy, now=Watch())


def passed(here: Host, count: int = 2) -> Host:
    for _ in range(count):
        asked = here.game.asked()
        assert asked is not None
        here.game.answer(asked, PASS)
    return here


def test_every_game_is_tried() -> None:
    assert {spec.partition(":")[0] for spec in SPECS} == set(GAMES)


@pytest.mark.parametrize("spec", SPECS)
def test_after_any_line_of_its_journal_the_game_continues_with_the_same_dice(spec: str) -> None:
    here = host(spec, control=FISCHER)
    seen = []
    for turn in range(12):
        here.play_on(1, turn)
        seen.append((len(here.game.lines), standing(here.game)))
    here.game.remember("lang", {"b": "fr"})
    for lines, expected in seen:
        found = again(here.game, lines)
        assert standing(found) == expected
        assert found.lines == here.game.lines[:lines]
    whole = list(here.game.table.game.events)
    for lines in range(1, len(here.game.lines) + 1):
        found = again(here.game, lines)
        assert [*found.table.game.events] == whole[: len(found.table.game.events)]
    assert again(here.game).notes == {"lang": {"b": "fr"}}


def test_a_nonce_before_the_first_throw_keeps_the_terms_of_the_game() -> None:
    game = host("aleago:size=5").game
    game.play(BLACK, pack(MATCH, 1))
    game.add_nonce(WHITE, b"mine", is_unseen=True)
    assert [(event.actor, event.action) for event in game.table.game.events if event.actor] == [(BLACK, pack(MATCH, 1))]
    assert again(game).lines == game.lines


@pytest.mark.parametrize(("spec", "first"), [("aleago:size=5", 4), ("aleago:size=5,crystal_ball=true", 5)])
def test_a_nonce_counts_from_the_first_draw_that_nobody_has_seen(spec: str, first: int) -> None:
    here = host(spec).play_on(2)
    game = here.game
    seen = list(game.table.game.events)
    assert game.add_nonce(WHITE, b"mine") == Nonce(first, WHITE, b"mine")
    assert game.table.game.events == seen
    with pytest.raises(RequestRefused):
        game.add_nonce(WHITE, b"another")
    for length in (0, 65):
        with pytest.raises(RequestRefused):
            game.add_nonce(BLACK, b"x" * length)
    game.propose(WHITE, UNDO)
    game.accept(BLACK)
    # The draw of turn 3 was seen before the undo, so that a nonce cannot replace it.
    assert game.add_nonce(BLACK, b"hers") == Nonce(first, BLACK, b"hers")
    here.play_on(40)
    assert standing(again(game)) == standing(game)
    assert again(game).record.nonces == game.record.nonces
    assert again(game).lines == game.lines
    game.play(BLACK, RESIGN) if not game.is_over else None
    assert verify(game.to_record()).kind == "proven"
    assert len(game.to_record().nonces) == 2
    with pytest.raises(RequestRefused):
        game.add_nonce(BLACK, b"after the game")


def test_a_nonce_counts_from_the_start_while_no_draw_has_been_shown() -> None:
    game = host("aleago:size=5,crystal_ball=true").game
    before, epoch = game.table.position.draws, game.epoch
    for colour, value in ((WHITE, b"w"), (BLACK, b"b5")):
        assert game.add_nonce(colour, value, is_unseen=True).draw == 1
    assert game.table.position.draws != before
    assert game.epoch > epoch
    game.play(BLACK, RESIGN)
    assert verify(game.to_record()).kind == "proven"
    with pytest.raises(RequestRefused):
        host("go:size=5").game.add_nonce(BLACK, b"x")


@pytest.mark.parametrize("spec", [spec for spec in SPECS if parse(spec).is_open])
def test_an_undo_goes_back_to_a_persons_turn_once_all_people_want_it(spec: str) -> None:
    here = host(spec, bots=(BLACK,))
    game = here.game
    with pytest.raises(RequestRefused):
        game.propose(WHITE, UNDO)
    here.play_on(5 * len(game.rules.colours))
    before, epoch, lines = list(game.table.game.events), game.epoch, len(game.lines)
    others = [colour for colour in game.people if colour != WHITE]
    agreed = game.propose(WHITE, UNDO)
    for colour in others:
        assert not agreed
        agreed = game.accept(colour)
    assert agreed
    assert game.epoch == epoch + 1
    assert game.asked() in game.people
    assert len(game.table.game.events) < len(before)
    assert [*game.table.game.events] == before[: len(game.table.game.events)]
    assert '{"cut":' in "".join(game.lines[lines:])
    assert standing(again(game)) == standing(game)


@pytest.mark.parametrize(
    "control",
    [
        FISCHER,
        TimeControl("absolute", main_s=60.0),
        TimeControl("byoyomi", main_s=2.0, period_s=2.0, periods=3),
        TimeControl("canadian", main_s=2.0, period_s=60.0, stones=3),
    ],
)
def test_a_turn_that_is_taken_back_has_cost_no_time_and_earned_none(control: TimeControl) -> None:
    here = host("aleago:size=5", bots=(WHITE,), control=control)
    game, begun = here.game, list[object]()
    for seed in range(6):
        begun.append((game.clocks.clock(BLACK), game.clocks.clock(WHITE)))
        here.play_on(2, seed)
    for shown in reversed(begun):
        # Some time of the interrupted turn has passed as well.
        here.watch.now_s += 1.0
        game.propose(BLACK, UNDO)
        for each in (game, again(game)):
            assert (each.clocks.clock(BLACK), each.clocks.clock(WHITE)) == shown
        assert standing(again(game)) == standing(game)
    assert [game.clocks.clock(colour) for colour in game.rules.colours] == [Clock.full(control)] * 2


def test_a_player_who_left_is_not_asked_and_cannot_return() -> None:
    here = host("pentalath:players=3").play_on(4)
    game, (first, left, last) = here.game, here.game.rules.colours
    game.play(left, RESIGN)
    here.play_on(1)
    # The last undo takes back a move made before that player left.
    for turn in (5, 4, 3):
        assert not game.propose(first, UNDO)
        for act in (lambda: game.propose(left, UNDO), lambda: game.accept(left), lambda: game.decline(left)):
            with pytest.raises(RequestRefused, match="left this game"):
                act()
        assert game.accept(last)
        assert (game.table.position.turn, game.table.position.out) == (turn, (Event(left, RESIGN),))
        assert game.asked() != left
        assert standing(again(game)) == standing(game)
    game.propose(first, BREAK_OFF)
    assert game.propose(last, BREAK_OFF)
    assert game.result == VOID


def test_undoing_a_loss_on_time_restores_that_turns_time() -> None:
    here = host("go:size=5", bots=(WHITE,), control=FISCHER).play_on(2)
    shown = here.game.clocks.clock(BLACK)
    here.watch.now_s += 100.0
    assert here.game.flag()
    here.game.propose(BLACK, UNDO)
    assert (here.game.asked(), here.game.flag(), here.game.clocks.clock(BLACK)) == (BLACK, False, shown)


def test_a_request_is_pending_until_answered_or_the_next_move() -> None:
    here = host("aleago:size=5")
    game = here.play_on(3).game
    game.propose(BLACK, DICE, "2d4")
    proposal = game.agreements.find(UNDO, DICE)
    assert proposal is not None
    assert (proposal.colour, proposal.kind, proposal.value, proposal.agreed) == (BLACK, DICE, "2d4", frozenset({BLACK}))
    assert standing(again(game)) == standing(game)
    game.decline(WHITE)
    with pytest.raises(RequestRefused, match="no request to answer"):
        game.accept(WHITE)
    game.propose(BLACK, DICE, "2d4")
    here.play_on(1)
    assert game.agreements.find(UNDO, DICE) is None
    game.propose(WHITE, DICE, "1d4")
    game.accept(BLACK)
    assert str(game.rules.dice_of(game.table.position)) == "1d4"  # type: ignore[attr-defined]
    assert standing(again(game)) == standing(game)
    # A player who could change the dice again, or to the same dice, could choose between draws.
    for dice in ("1d6", "1d4"):
        with pytest.raises(RequestRefused, match="once per turn"):
            game.propose(WHITE, DICE, dice)


def test_dice_that_only_a_bot_would_mind_come_with_the_next_turn() -> None:
    here = host("aleago:size=5,dice=1d3", bots=(WHITE,))
    game = here.play_on(2).game
    rules, shown, coming = game.rules, game.table.position, game.table.draws.coming
    assert isinstance(rules, DicedRules)
    game.propose(BLACK, DICE, "2d2")
    assert game.table.position == shown
    assert str(coming.after(shown.turn)) == "2d2"
    with pytest.raises(RequestRefused, match="to different dice"):
        game.propose(BLACK, DICE, "2d2")
    # Nobody has seen a draw of the new dice, so they may still be changed or changed back.
    for dice in ("1d3", "1d4"):
        game.propose(BLACK, DICE, dice)
    game = again(game)
    Host(game).play_on(1)
    assert [str(rules.dice_of(game.table.position)), game.table.position.turn] == ["1d4", shown.turn + 1]
    assert game.table.draws.coming.after(game.table.position.turn) is None
    verdict = verify(replace(game.to_record(), secret=game.record.secret))
    assert verdict.ok, verdict.lines
    ball = host("aleago:size=5,dice=1d3,crystal_ball=true", bots=(WHITE,)).game
    with pytest.raises(RequestRefused, match="crystal ball"):
        ball.propose(BLACK, DICE, "2d2")


@pytest.mark.parametrize(
    "spec",
    [
        "aleago:size=3,dice=1d3",
        "aleago:size=3,dice=2d3,overflow=reroll,free_player=w,end_passes=1",
        "aleago:size=3,dice=1d2,free_player=b,agreement=false,end_passes=3",
    ],
)
def test_against_a_bot_no_turn_ever_shows_two_draws_whatever_a_person_does(spec: str) -> None:
    for seed in range(12):
        rng, game = random.Random(seed), host(spec, bots=(WHITE,)).game
        shown: dict[int, object] = {}
        for _ in range(60):
            rules, position = game.rules, game.table.position
            assert isinstance(rules, DicedRules)
            draw = rules.dice_of(position), position.draws
            if position.draws not in ((), (rules.dice_of(position).free,)):
                assert shown.setdefault(position.turn, draw) == draw, (seed, position.turn)
            asked = game.asked()
            wish = rng.choice(["play", "play", "dice", "undo", "again"]) if asked == BLACK else "play"
            if wish == "again":
                game = again(game)
            elif wish == "play" and asked is not None:
                game.answer(asked, rng.choice([*legal_actions(game.table, asked), PASS]))
            else:
                with suppress(RequestRefused, VariantsError):
                    game.propose(BLACK, *((DICE, rng.choice(["1d2", "1d3", "2d2"])) if wish == "dice" else (UNDO, "")))
        assert len(shown) > 2


@pytest.mark.parametrize(
    ("spec", "kind", "why"),
    [
        ("phantom:size=5", UNDO, "nothing to take back"),
        ("go:size=5", DICE, "no dice"),
        ("go:size=5", UNDO, "nothing to take back"),
    ],
)
def test_invalid_agreements_are_refused(spec: str, kind: str, why: str) -> None:
    game = host(spec).game
    with pytest.raises(RequestRefused, match=why):
        game.propose(BLACK, kind, "2d")


def test_a_refused_try_gives_no_free_seconds_again_so_that_no_clock_tells_of_it() -> None:
    left_s = []
    for tries in (["C3"], []):
        watch, rules = Watch(), parse("phantom:size=5,impossible=private")
        seats = dict.fromkeys(rules.colours, Participant())
        game = HostedGame.new(new_record(rules, b"7" * 32), seats, HERE, FISCHER, free_s=1.0, now=watch)
        game.answer(BLACK, rules.board.point("C3"))
        for at_s, vertex in enumerate([*tries, "A1"], 3 - len(tries)):
            watch.now_s = float(at_s)
            game.answer(WHITE, rules.board.point(vertex))
        left_s.append(game.clocks.clock(WHITE).left_s)
    assert left_s == [63.0, 63.0]


def test_a_user_holding_all_seats_agrees_alone() -> None:
    game = host("go:size=5", HostPolicy(one_speaks_for_all=True)).play_on(4).game
    assert game.propose(BLACK, UNDO)
    assert len(game.table.game.events) == 3
    game.withdraw()
    assert len(game.table.game.events) == 2
    assert standing(again(game)) == standing(game)


def test_a_hidden_game_is_shown_and_counted_once_all_agree() -> None:
    here = host("phantom:size=5,dead=agreed").play_on(6)
    game = passed(here, 4).game
    assert game.is_counting
    assert (game.asked(), game.audience(BLACK), game.audience(None)) == (None, NoSeat.ALL, NoSeat.ALL)
    assert standing(again(game)) == standing(game)
    point = next(point for point, stone in enumerate(game.table.position.stones) if stone)
    game.settle(BLACK)
    game.mark_dead(point)
    assert game.agreements.find(COUNT) is None
    assert point in game.table.position.dead
    with pytest.raises(IllegalMove):
        game.answer(BLACK, 0)
    assert not game.settle(BLACK)
    assert standing(again(game)) == standing(game)
    game.answer(WHITE, PASS)
    assert game.is_over
    assert not game.is_counting
    assert standing(again(game)) == standing(game)


@pytest.mark.parametrize(
    ("spec", "people", "counts"),
    [
        ("phantom:size=5,dead=agreed", 2, True),
        ("phantom:size=5,dead=agreed", 1, False),
        ("phantom:size=5", 2, False),
        ("go:size=5", 2, False),
    ],
)
def test_where_nobody_asks_for_the_end_passes_end_the_game_unless_stones_may_be_dead(
    spec: str, people: int, counts: bool
) -> None:
    here = host(spec, HostPolicy(asks_for_the_end=False), bots=(WHITE,) * (2 - people))
    passed(here)
    assert (here.game.is_counting, here.game.is_over) == (counts, not counts)


def test_stones_are_dead_only_where_people_may_say_so() -> None:
    for spec in ("go:size=5,dead=agreed", "go:size=5"):
        with pytest.raises(RequestRefused):
            host(spec).play_on(3).game.mark_dead(0)
    game = passed(host("go:size=5,dead=agreed").play_on(3)).game
    point = next(point for point, stone in enumerate(game.table.position.stones) if stone)
    game.mark_dead(point)
    assert point in game.table.position.dead


@pytest.mark.parametrize("spec", ["go:size=5", "aleago:size=5,end_passes=2", "phantom:size=5", "rosette:n=2"])
def test_people_agree_on_dead_stones_in_every_game_with_a_count(spec: str) -> None:
    here = host(parse(spec, AMONG_PEOPLE).spec).play_on(3)
    # The boards of a hidden game are shown once both accept the end.
    game = passed(here, 2 if here.game.rules.is_open else 4).game
    point = next(point for point, stone in enumerate(game.table.position.stones) if stone)
    game.mark_dead(point)
    assert point in game.table.position.dead

    def accept(colour: int) -> None:
        game.answer(colour if game.is_counting else game.asked() or 0, PASS)

    accept(1)
    # A change withdraws what has been accepted.
    game.mark_dead(point)
    assert not game.table.position.dead
    accept(1)
    assert not game.is_over
    accept(2)
    assert game.is_over


def test_only_the_side_that_is_asked_acts() -> None:
    game = host("go:size=5").game
    before = standing(game), list(game.lines)
    for act in (lambda: game.answer(WHITE, 0), lambda: game.answer(BLACK, 99), lambda: game.play(WHITE, 99)):
        _refused(act)
        assert (standing(game), game.lines) == before
    game.play(WHITE, RESIGN)
    assert game.is_over
    _refused(lambda: game.answer(BLACK, 0))


def _refused(act: Callable[[], None]) -> None:
    with pytest.raises(VariantsError):
        act()


def test_only_the_asked_sides_clock_runs_and_running_out_loses() -> None:
    here = host("go:size=5", HostPolicy(timed_from_turn=2), control=FISCHER)
    game, watch = here.game, here.watch
    watch.now_s = 100.0
    game.answer(BLACK, 0)
    assert game.clocks.stopped[BLACK].left_s == 65.0
    watch.now_s += 10
    assert game.clocks.clock(WHITE).left_s == 50.0
    game.answer(WHITE, 1)
    assert {colour: clock.left_s for colour, clock in game.clocks.stopped.items()} == {BLACK: 65.0, WHITE: 55.0}
    assert game.times[1].took_s == 10.0
    found = again(game)
    assert found.clocks.running == BLACK
    watch.now_s += 65.5
    assert game.flag()
    assert not game.flag()
    outcome = game.table.game.outcome
    assert outcome is not None
    assert (outcome.winner, outcome.how) == (WHITE, "time")
    assert standing(again(game)) == standing(game)


def test_a_part_of_each_move_may_cost_nothing_and_clocks_may_wait_for_their_start() -> None:
    watch, record = Watch(), new_record(parse("go:size=5"))
    game = HostedGame.new(
        record,
        dict.fromkeys((BLACK, WHITE), Participant()),
        HostPolicy(starts_clocks=False),
        TimeControl("absolute", main_s=10.0),
        free_s=0.5,
        now=watch,
    )
    watch.now_s = 100.0
    assert game.clocks.time_left_s() == 10.0
    game.clocks.start()
    watch.now_s += 2.0
    game.answer(BLACK, 0)
    assert game.clocks.stopped[BLACK].left_s == 8.5
    assert again(game).clocks.free_s == 0.5


def test_a_game_that_all_break_off_has_no_result_and_words_of_another_turn_do_not_count() -> None:
    here = host("phantom:size=5")
    game = here.game
    game.propose(BLACK, BREAK_OFF)
    while here.game.table.position.turn == 1:
        here.play_on(1)
    assert not game.propose(WHITE, BREAK_OFF)
    assert game.propose(BLACK, BREAK_OFF)
    assert game.is_over
    assert (game.result, game.asked()) == (VOID, None)
    assert standing(again(game)) == standing(game)


@pytest.mark.parametrize("spec", SPECS)
def test_seats_hear_only_their_own_news(spec: str) -> None:
    game = host(spec).play_on(14, 3).game
    audiences: list[Audience] = [NoSeat.REFEREE, NoSeat.WATCHING, *game.rules.colours]
    told = {audience: game.transcript(audience).items for audience in audiences}
    if game.rules.is_open:
        places = [[item["at"] for item in items if item["actor"] and item["at"]] for items in told.values()]
        assert all(each == places[0] for each in places)
        return
    for colour in game.rules.colours:
        stones = {vertex for item in told[colour] for vertex, there in item["put"].items() if there}
        view = game.table.view(colour).stones
        assert {game.rules.board.point(vertex) for vertex in stones} >= {
            p for p, there in enumerate(view) if there == colour
        }
        assert all(item["at"] is None for item in told[colour] if item["actor"] != "bw"[colour - 1])
    assert all(item["at"] is None and not item["put"] for item in told[NoSeat.WATCHING])


def test_a_record_tells_its_secret_only_at_its_end() -> None:
    for spec, has_dice in (("aleago:size=5", True), ("go:size=5", False)):
        game = host(spec).play_on(3).game
        record = game.to_record({BLACK: "Anna"})
        assert (record.secret, record.commitment is not None, record.players) == (None, has_dice, {BLACK: "Anna"})
        game.play(BLACK, RESIGN)
        assert (game.to_record().secret is not None) is has_dice


def test_a_bot_cannot_throw_again_by_its_answer() -> None:
    game = host("aleago:size=5").game
    before = game.to_record()
    for action in (pack(SET_DICE, DiceKind(1, 6).code), FLAG):
        with pytest.raises(NotationError, match="expected a stone, a pass, a swap or resignation"):
            game.answer(BLACK, action)
    assert game.to_record() == before


def test_a_record_to_look_at_is_over() -> None:
    record = host("go:size=5").play_on(5).game.to_record()
    game = HostedGame.new(record, {}, notes={"title": "x"})
    assert game.is_over
    assert game.to_record() == record
    assert again(game).table.game == record.game


def test_a_seat_may_change_its_player() -> None:
    game = host("go:size=5", bots=(WHITE,)).play_on(2).game
    game.change_seat(WHITE, Participant(BOT, "mcts", 3))
    game.end("Abort", "no more")
    assert standing(again(game)) == standing(game)
    assert again(game).seats[WHITE].level == 3


def test_dice_of_a_game_follow_from_its_secret() -> None:
    games = [host("aleago:size=5").play_on(8, 2).game for _ in range(2)]
    assert games[0].table.game == games[1].table.game
    assert games[0].record.commitment == DiceStream(b"7" * 32).commitment
    assert MARK_DEAD not in [event.action for event in games[0].table.game.events]


def test_a_game_that_stopped_after_two_passes_before_its_dead_were_judged_has_them_judged() -> None:
    rules = parse("phantom:size=5,dead=judged")
    game = Game(rules)
    for colour, vertex in zip((1, 2, 1, 2, 1), ("C3", "B2", "D4", "", ""), strict=True):
        game.play(colour, rules.board.point(vertex) if vertex else PASS)
    assert not HostedGame.new(Record(game), {}).table.position.dead, "a record to look at stays as it is"
    hosted = HostedGame.new(Record(game), dict.fromkeys(rules.colours, Participant()))
    assert hosted.table.position.dead == {rules.board.point("B2")}
    again = HostedGame(read_journal(hosted.lines))
    assert again.table.position.dead == hosted.table.position.dead
