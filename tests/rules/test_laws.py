"""Laws that hold for every registered game. They would also test a seventh game without a change here."""

import pickle
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from gtp_variants.errors import NotationError, VariantsError
from gtp_variants.records.state import describe_position
from gtp_variants.rules import GAMES, game_class, parse, split_spec
from gtp_variants.rules.actions import (
    CHANCE,
    FLAG,
    FORFEIT,
    MARK_DEAD,
    PASS,
    RED,
    RESIGN,
    RESUME,
    SET_DICE,
    SETTLE,
    SWAP,
    TERMS,
    TURN,
    Event,
    pack,
)
from gtp_variants.rules.boards.chains import chains, liberties
from gtp_variants.rules.game import Game, random_game
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules, HiddenRules
from tests.support.specs import SMALL, two_quick

# Every game with its defaults, and every option at least once, on boards small enough to be played to the end.
SPECS = [*SMALL, *GAMES]

# Plies after which every random game has ended, unless its rules allow endless repetition.
LIMIT = 5_000

quickly = settings(
    max_examples=8, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.differing_executors]
)
seeds = st.integers(0, 10_000)


def some_game(spec: str, seed: int, plies: int = 60) -> Game:
    return random_game(parse(spec), seed, plies)


def playable(rules: Rules, position: Any) -> list[int]:
    """Return the actions that are certainly allowed: the possible throws or, otherwise, what the referee accepts."""
    if position.to_play == CHANCE:
        return [action for action, odds in zip(rules.actions(position), rules.odds(position), strict=True) if odds]
    return list(rules.legal(position))


@pytest.mark.parametrize("spec", two_quick(SMALL))
@settings(quickly, max_examples=3)
@given(seed=seeds)
def test_random_games_end(spec: str, seed: int) -> None:
    rules = parse(spec)
    game = random_game(rules, seed, LIMIT)
    assert game.outcome is not None
    assert rules.is_over(game.position)
    assert game.outcome.sentence("en")
    assert game.outcome.sentence("fr")
    if rules.is_final(game.position):
        assert rules.actions(game.position) == ()


@pytest.mark.parametrize("name", GAMES)
def test_random_games_of_full_size_end_or_meet_their_limit(name: str) -> None:
    game = random_game(parse(name), seed=1, plies=400)
    assert game.outcome is not None or len(game.turns()) > 100


@pytest.mark.parametrize("spec", two_quick(SPECS))
@quickly
@given(seed=seeds)
def test_a_replay_is_exact(spec: str, seed: int) -> None:
    game = some_game(spec, seed)
    again = Game.replay(game.rules, game.events)
    assert again == game
    assert again.positions == game.positions


@pytest.mark.parametrize("spec", two_quick(SPECS))
@quickly
@given(seed=seeds, back=st.integers(1, 20))
def test_undo_of_play_is_identity(spec: str, seed: int, back: int) -> None:
    game = some_game(spec, seed, 40)
    events, positions = list(game.events), list(game.positions)
    taken = [game.undo() for _ in range(min(back, len(events)))]
    assert taken[::-1] == events[len(events) - len(taken) :]
    shorter = Game.replay(game.rules, events[: len(events) - len(taken)])
    assert shorter == game
    assert shorter.position == game.position
    for event in reversed(taken):
        game.play(event.actor, event.action)
    assert game.events == events
    assert game.positions == positions


@pytest.mark.parametrize("spec", two_quick(SPECS))
@settings(quickly, max_examples=4)
@given(seed=seeds)
def test_listed_actions_are_legal_and_all_others_refused(spec: str, seed: int) -> None:
    """gtp.md 5: "a move listed as legal never fails"; in Go Fantôme the rest is refused and keeps the turn."""
    rules = parse(spec)
    game = some_game(spec, seed, 30)
    for position in game.positions[:: 1 + len(game.positions) // 8]:
        listed = set(rules.actions(position))
        legal = set(rules.legal(position))
        assert legal <= listed
        for action in [*range(max(len(rules.board), len(listed)) + 3), PASS, SWAP]:
            if action in legal:
                after = rules.play(position, action)
                assert position.to_play == CHANCE or after.turn == position.turn + 1
            elif not rules.is_open and 0 <= action < len(rules.board) and not rules.is_final(position):
                after = rules.play(position, action)
                assert (after.stones, after.mover, after.turn) == (position.stones, position.mover, position.turn)
                assert after.passes == position.passes or rules.values["in_a_row"] == "tries"
                assert after.history == position.history
            else:
                with pytest.raises(VariantsError):
                    rules.play(position, action)


@pytest.mark.parametrize("spec", two_quick(SPECS))
@quickly
@given(seed=seeds)
def test_actions_come_in_order(spec: str, seed: int) -> None:
    """`Rules.actions`: "points in order of number, then SWAP, then PASS"."""
    rules = parse(spec)
    for position in some_game(spec, seed, 40).positions:
        actions = list(rules.actions(position))
        points = [action for action in actions if action >= 0]
        assert points == sorted(set(points))
        assert actions == points + [action for action in (SWAP, PASS) if action in actions]


@pytest.mark.parametrize("spec", two_quick(SPECS))
@quickly
@given(seed=seeds)
def test_no_chain_stays_without_a_liberty(spec: str, seed: int) -> None:
    """rules.md 0, 3.2, 4.1.2, 5.1.4: this holds after every move, except for Rosette's immune chains."""
    rules: Any = parse(spec)
    for position in some_game(spec, seed).positions:
        for chain in chains(rules.board, position.stones):
            if not liberties(rules.board, position.stones, chain):
                assert rules.name == "rosette"
                assert any(set(face) <= set(chain) for face in rules.board.faces)


@pytest.mark.parametrize("spec", two_quick(SPECS))
@quickly
@given(seed=seeds)
def test_positions_are_values(spec: str, seed: int) -> None:
    """design.md: "A position is a value": play never changes an earlier position, and a copy continues alike."""
    rules = parse(spec)
    game = Game(rules)
    kept = []
    for event in some_game(spec, seed, 30).events:
        kept.append((game.position, pickle.dumps(game.position)))
        game.play(event.actor, event.action)
    for position, as_it_was in kept:
        copied = pickle.loads(as_it_was)
        assert copied == position
        assert hash(copied) == hash(position)
        assert copied.history == position.history
    copied_rules = pickle.loads(pickle.dumps(rules))
    assert copied_rules == rules
    assert copied_rules.actions(pickle.loads(pickle.dumps(game.position))) == rules.actions(game.position)


@pytest.mark.parametrize("spec", two_quick(SPECS))
def test_views_and_news_can_be_pickled(spec: str) -> None:
    game = some_game(spec, 1, 12)
    for colour in game.rules.colours:
        view = game.rules.view(game.heard(colour), colour)
        copied = pickle.loads(pickle.dumps(view))
        assert copied == view
        assert copied.actions == view.actions
        assert copied.news == view.news


@pytest.mark.parametrize("spec", two_quick(spec for spec in SPECS if spec.startswith("aleago")))
@quickly
@given(seed=seeds)
def test_chances_add_up_to_one(spec: str, seed: int) -> None:
    """design.md: `odds` are "chance only, parallel to actions"."""
    rules = parse(spec)
    throws = 0
    for position in some_game(spec, seed, 30).positions:
        if position.to_play == CHANCE and not rules.is_final(position):
            odds = rules.odds(position)
            assert len(odds) == len(rules.actions(position))
            assert sum(odds) == pytest.approx(1, abs=1e-9)
            assert all(chance >= 0 for chance in odds)
            throws += 1
        else:
            with pytest.raises(NotationError, match="no dice are to be thrown"):
                rules.odds(position)
    assert throws > 0


DICED = [spec for spec in SPECS if issubclass(split_spec(spec)[0], DicedRules)]


@pytest.mark.parametrize("spec", two_quick(DICED))
@settings(quickly, max_examples=4)
@given(seed=seeds)
def test_the_odds_of_lines_are_those_of_the_next_throw(spec: str, seed: int) -> None:
    """`DicedRules.odds_of_lines`: passes leave the board unchanged until the turn of the next throw."""
    rules = parse(spec)
    assert isinstance(rules, DicedRules)
    for position in some_game(spec, seed, 40).positions:
        told = rules.odds_of_lines(position)
        assert list(told) == list(rules.on_line)
        before = _before_the_next_throw(rules, position)
        if before is None:
            continue
        if before.mover == rules.free_player:
            assert set(told.values()) == {1.0}
            continue
        chances = dict.fromkeys(told, 0.0)
        for action, odds in zip(rules.actions(before), rules.odds(before), strict=True):
            if odds:
                for line in rules.open_lines(rules.with_draws(before, (action,) * rules.slots)) or ():
                    chances[line] += odds
        assert told == pytest.approx(chances, abs=1e-9)


def _before_the_next_throw(rules: DicedRules[Any], position: Any) -> Any:
    """Return the position, reached by passes alone, that first needs a throw not yet made; None if there is none."""
    for _ in position.draws:
        if rules.is_final(position):
            return None
        while position.to_play == CHANCE:
            position = rules.play(position, rules.dice_of(position).free)
        position = rules.play(position, PASS)
    return None if rules.is_final(position) else rules.with_draws(position, ())


@pytest.mark.parametrize("spec", two_quick(SPECS))
@quickly
@given(seed=seeds)
def test_turns_are_numbered_and_captures_counted(spec: str, seed: int) -> None:
    """`Position.turn`, `taken` and `captured`, which hosts show, agree with the board."""
    rules = parse(spec)
    game = some_game(spec, seed)
    taken = [0, 0, 0, 0]
    turn = 1
    for index, (before, after) in enumerate(zip(game.positions, game.positions[1:], strict=False)):
        event = game.events[index]
        if event.actor == CHANCE or game.is_refused(index):
            assert (after.turn, after.stones, after.taken) == (turn, before.stones, before.taken)
            continue
        turn += 1
        gone = {p for p, there in enumerate(before.stones) if there and not after.stones[p]}
        if event.action >= 0:
            own = set() if after.stones[event.action] else {event.action}
            assert set(after.captured) == gone | own
            taken[event.actor] += sum(1 for p in gone if before.stones[p] != event.actor)
            # A score counts the stones of a suicide for the other side.
            taken[3 - event.actor] += len(after.captured) if own and rules.is_scored else 0
        assert (after.turn, after.taken) == (turn, tuple(taken))
        assert after.last == event
        known = () if before.last is None or not rules.is_open else (before.last.action, *before.earlier)
        assert after.earlier == known[: Position.EARLIER]
    assert rules.board is game.rules.board


@pytest.mark.parametrize("spec", two_quick(spec for spec in SPECS if parse(spec).is_scored))
@quickly
@given(seed=seeds)
def test_scores_add_up_to_the_board(spec: str, seed: int) -> None:
    """rules.md 0: no point counts for both sides."""
    rules: Any = parse(spec)
    for position in some_game(spec, seed, 50).positions[::5]:
        standing = rules.standing(position)
        assert standing is not None
        signed = standing.margin if standing.winner == 1 else -standing.margin
        assert abs(signed + rules.effective_komi(position)) <= len(rules.board)


@pytest.mark.parametrize("spec", two_quick(SPECS))
@quickly
@given(seed=seeds)
def test_the_same_seed_gives_the_same_game(spec: str, seed: int) -> None:
    assert some_game(spec, seed, 25) == some_game(spec, seed, 25)


# -- whatever hosts and damaged records may ask ------------------------------------------------------------------------


def any_event(rules: Rules, rng: Random) -> Event:
    """Return a random event, often a legal one: points, throws, agreements, departures, sometimes of a wrong actor."""
    actor = rng.choice((CHANCE, *rules.colours, *rules.colours, RED))
    kind = rng.random()
    if kind < 0.35:
        return Event(actor, rng.randrange(len(rules.board) + 2))
    if kind < 0.55:
        return Event(actor, PASS)
    if kind < 0.985:
        special = rng.choice((SWAP, RESUME, SET_DICE, MARK_DEAD, SETTLE, TURN, TURN, TURN, *TERMS))
        argument = rng.choice((0, 0, 0, 1, 2, 1002, 1004, 2003, rng.randrange(10_000)))
        return Event(actor, pack(special, argument))
    return Event(actor, rng.choice((RESIGN, FLAG, FORFEIT, -4711)))


def is_lawful(game: Game) -> None:
    """Fail unless all queries about the game's position have consistent answers."""
    rules, position = game.rules, game.position
    actions = list(rules.actions(position))
    over, final = rules.is_over(position), rules.is_final(position)
    outcome = rules.outcome(position)
    assert (outcome is not None) == over
    assert over or not final
    assert rules.is_suspended(position) == (over and not final)
    # A game that continues or may be reopened offers an action; a game that is finally over does not.
    assert bool(actions) != final
    assert set(rules.legal(position)) <= set(actions)
    assert position.to_play in (CHANCE, *rules.colours)
    gone = {event.actor for event in position.out}
    assert over or position.mover not in gone
    assert not final or position.to_play != CHANCE
    describe_position(rules, position)
    rules.standing(position)
    for colour in rules.colours:
        view = rules.view(game.heard(colour), colour)
        assert (view.to_play, view.turn, view.passes) == (position.to_play, position.turn, position.passes)
        if rules.is_open or position.ended is None:
            # Only the referee knows whether a board has been repeated.
            assert list(view.actions) == (actions if position.to_play == colour else [])
        assert view.ends == rules.next_pass_ends(position)
        if rules.is_open:
            assert view.position == position
        elif position.to_play == colour and not final:
            assert view.tried == position.tried


@pytest.mark.parametrize("spec", two_quick(SPECS))
@settings(quickly, max_examples=6)
@given(seed=seeds)
def test_any_event_is_carried_out_or_refused(spec: str, seed: int) -> None:
    """design.md: "failure raises", and only the errors in errors.py; a refused event changes nothing."""
    rules, rng = parse(spec), Random(seed)
    game = Game(rules)
    for _ in range(60):
        event, before = any_event(rules, rng), game.position
        was_final = rules.is_final(before)
        # Half of the time, choose a possible action.
        listed = rules.actions(before)
        if listed and rng.random() < 0.5:
            event = Event(before.to_play, rng.choice(listed))
        try:
            game.play(event.actor, event.action)
        except VariantsError:
            assert game.position is before
            continue
        assert not was_final or game.position.stones == before.stones
        assert not was_final or rules.is_final(game.position)
        is_lawful(game)
    assert Game.replay(rules, game.events).positions == game.positions
    while game.events:
        game.undo()
    assert game == Game(rules)


@pytest.mark.slow
@pytest.mark.parametrize("spec", SMALL)
@settings(quickly, max_examples=30)
@given(seed=seeds)
def test_many_events_are_carried_out_or_refused(spec: str, seed: int) -> None:
    test_any_event_is_carried_out_or_refused.hypothesis.inner_test(spec, seed)


@pytest.mark.slow
@pytest.mark.parametrize("spec", SMALL)
@settings(quickly, max_examples=25)
@given(seed=seeds)
def test_many_random_games_end(spec: str, seed: int) -> None:
    rules = parse(spec)
    game = random_game(rules, seed, LIMIT)
    assert game.outcome is not None
    assert Game.replay(rules, game.events).position == game.position


@pytest.mark.parametrize("name", GAMES)
def test_a_game_declares_how_many_can_play_it(name: str) -> None:
    players = next((option.high for option in game_class(name).options if option.key == "players"), 2)
    assert game_class(name).max_players == players


@pytest.mark.parametrize("name", GAMES)
def test_a_games_profile_agrees_with_its_rules(name: str) -> None:
    """Hosts and search rely on these facts, not on the name of a game."""
    cls = game_class(name)
    profile = cls.profile
    rules = parse(profile.small_spec)
    assert (type(rules), rules.is_open) == (cls, not isinstance(rules, HiddenRules))
    assert tuple(rules.find_marks(rules.start())) == profile.mark_names
    assert set(profile.decisive_marks) <= set(profile.mark_names)
    assert (rules.standing(rules.start()) is not None) == cls.is_scored
    assert profile.fits_go_hosts or not profile.captures_as_go
    assert len(profile.chat_rules) == len(LANGUAGES)
    assert all(profile.chat_rules) or not any(profile.chat_rules)
    assert bool(profile.kernel_facts(rules)) == bool(profile.kernel_game)
    assert len(profile.point_classes(rules)) in (0, len(rules.board))
