"""Our turn in a game: each state is thought about once and answered once on each connection."""

from types import SimpleNamespace
from typing import Any, cast

from gtp_variants.bridge.core.base_game import BaseGame, EngineTurn
from gtp_variants.bridge.core.config import TimeConfig
from gtp_variants.bridge.core.engine_seat import EngineMove
from gtp_variants.bridge.core.server import ServerGame
from gtp_variants.errors import PeerGone
from gtp_variants.rules.actions import PASS, RESIGN
from tests.support.waiting import until


class _Game:
    """A game that wants an answer in whatever state it is."""

    def __init__(self) -> None:
        self.state = ServerGame("cgos-1", 5, 1, {})
        self.server: object = object()
        self.key, self.wants = 0, True
        self.done: list[object] = []
        self.config = SimpleNamespace(time=TimeConfig(at_least_s=0.0))
        self.context = SimpleNamespace(on_failure=self.done.append)
        self.log: Any = SimpleNamespace(quietly=self.done.append, failure=lambda text, error: None)
        self.turn: EngineTurn

    def decision_key(self) -> tuple[object, ...]:
        return (self.key,)

    def awaits_answer(self) -> bool:
        return self.wants

    def steps(self) -> list[object]:
        return []

    def may(self, action: int) -> bool:
        return action != RESIGN

    def fallback(self) -> int:
        return PASS

    def least_time_s(self, time: TimeConfig) -> float:
        return 0.0

    async def play(self, action: int, move: EngineMove) -> None:
        self.turn.note_answer()
        self.done.append(action)


class _Player:
    """Answers each question with the next of its moves; an error among them is raised."""

    is_given_up = False

    def __init__(self, game: _Game, *moves: int | Exception) -> None:
        self.moves, self.asked, self._game = list(moves), 0, game

    async def choose(self, *_: object, **__: object) -> EngineMove:
        self.asked += 1
        move = self.moves.pop(0)
        if isinstance(move, Exception):
            raise move
        # A negative move stands for a state that changes while it is thought about.
        if move < -100:
            self._game.key += 1
        return EngineMove(abs(move) if move < -100 else move)


def _turn(game: _Game, *moves: int | Exception) -> tuple[EngineTurn, _Player]:
    class Turn(EngineTurn):
        def _make_player(self, make_replay: object) -> Any:
            return _Player(game, *moves)

    game.turn = Turn(cast(BaseGame, game), lambda: cast(Any, None))
    game.turn.note_state()
    return game.turn, cast(_Player, game.turn.player)


async def test_a_state_is_answered_once_on_a_connection_and_again_on_the_next() -> None:
    game = _Game()
    turn, player = _turn(game, 7)
    turn.start_thinking()
    await until(lambda: game.done == [7], "the move")
    assert turn.has_answer
    turn.start_thinking()
    assert game.done == [7]
    game.server = object()
    turn.note_state()
    assert not turn.has_answer
    turn.start_thinking()
    await until(lambda: game.done == [7, 7], "the move on the next connection")
    assert player.asked == 1, "it is not thought of again"


async def test_nothing_is_sent_before_a_new_connection_has_told_the_state() -> None:
    game = _Game()
    turn, _ = _turn(game, 7)
    game.server = object()
    turn.start_thinking()
    await until(lambda: turn.decided is not None, "the decision")
    assert game.done == []
    assert not turn.has_answer


async def test_a_decision_is_dropped_when_another_state_comes() -> None:
    game = _Game()
    turn, player = _turn(game, -101, 8)
    turn.start_thinking()
    await until(lambda: game.done == [8], "the move of the new state")
    assert player.asked == 2


async def test_a_wish_that_is_not_allowed_becomes_the_fallback() -> None:
    game = _Game()
    turn, _ = _turn(game, RESIGN)
    turn.start_thinking()
    await until(lambda: game.done == [PASS], "the fallback")


async def test_an_error_that_nobody_expected_is_answered_by_rule() -> None:
    game = _Game()
    turn, _ = _turn(game, ZeroDivisionError("odd"))
    turn.start_thinking()
    await until(lambda: PASS in game.done, "the fallback")
    assert game.done[0] == "ZeroDivisionError: odd"
    assert turn.has_failed


async def test_a_line_that_breaks_is_no_failure() -> None:
    game = _Game()
    turn, _ = _turn(game)

    async def break_line() -> None:
        raise PeerGone("cut")

    turn.start(break_line)
    await until(lambda: bool(game.done), "the note")
    assert game.done == ["cannot send: cut"]
    assert not turn.has_failed
