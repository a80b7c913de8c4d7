"""`SpielState`: a state of OpenSpiel, and `CopyableGame`, a game that is fast to play and to copy."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pyspiel

from gtp_variants.ai.belief.worlds import Worlds
from gtp_variants.ai.nets.games.state import State
from gtp_variants.records.notation import write_move
from gtp_variants.rules.actions import CHANCE, PASS, SWAP
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import faces_of
from gtp_variants.rules.views import News, View


class CopyableGame:
    """A `State` and its actions, converted to a `Game` on demand. `tried` has the points refused in this turn."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.state = State(rules, chance="given")
        self.tried: frozenset[int] = frozenset()
        self._actions: list[int] = []
        self._game: Game | None = None

    def __deepcopy__(self, memo: object) -> "CopyableGame":
        twin = object.__new__(CopyableGame)
        twin.rules, twin.state, twin.tried = self.rules, self.state.copy(), self.tried
        twin._actions, twin._game = self._actions[:], None
        if self._game is not None:
            twin._game = Game(self.rules)
            twin._game.go_back(self._game.mark())
        return twin

    def __reduce__(self) -> tuple[object, ...]:
        return _replay, (self.rules, self._actions)

    def __len__(self) -> int:
        return len(self._actions)

    def play(self, action: int) -> None:
        """Carry out an action of the side to play, or an outcome of the dice."""
        mover = self.state.to_play
        self.state.play(action)
        self._actions.append(action)
        # Only a refused try keeps the turn, so only then is the action added to `tried`.
        keeps_turn = not self.rules.is_open and self.state.to_play == mover
        self.tried = self.tried | {action} if keeps_turn else frozenset()

    def game(self) -> Game:
        """Return the game as a `Game`."""
        if self._game is None:
            self._game = Game(self.rules)
        for action in self._actions[len(self._game.events) :]:
            self._game.play(self._game.position.to_play, action)
        return self._game

    def heard(self, colour: int) -> list[News]:
        return self.game().heard(colour)

    def view(self, colour: int) -> View:
        return self.rules.view(self.heard(colour), colour)


def _replay(rules: Rules, actions: Sequence[int]) -> CopyableGame:
    """Return a game in which these actions have been played."""
    played = CopyableGame(rules)
    for action in actions:
        played.play(action)
    return played


_SEEDS = 2**53


class SpielState(pyspiel.State):  # type: ignore[misc]
    """The state of a game.

    >>> import pyspiel, gtp_variants.adapters.openspiel
    >>> state = pyspiel.load_game("gtp_phantom(size=4)").new_initial_state()
    >>> state.apply_action(5)
    >>> state.apply_action(5)  # refused: it is still White's turn
    >>> state.current_player(), 5 in state.legal_actions()
    (1, False)
    """

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.played = CopyableGame(game.rules)

    def __reduce__(self) -> tuple[object, ...]:
        return _deserialize, (pyspiel.serialize_game_and_state(self.get_game(), self),)

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.played.rules

    @property
    def game(self) -> Game:
        """The game so far as an exact `Game`, to save it, draw it or apply the rules to it."""
        return self.played.game()

    def current_player(self) -> int:
        """Return the number of the player to act, in turn order, or OpenSpiel's number for chance or the end."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        actor = self.played.state.to_play
        return int(pyspiel.PlayerId.CHANCE) if actor == CHANCE else self.rules.colours.index(actor)

    def is_terminal(self) -> bool:
        """Return True if the game is over or has `max_game_length` events."""
        return self.played.state.outcome is not None or len(self.played) >= self.get_game().max_game_length()

    def _legal_actions(self, player: int) -> list[int]:
        # In Go Fantôme any point may be tried except the player's own stones and points refused in this turn.
        played = self.played
        return sorted(number_of(self.rules, each) for each in played.state.actions() if each not in played.tried)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the dice with their probabilities."""
        position = self.played.state.position()
        odds = zip(self.rules.actions(position), self.rules.odds(position), strict=True)
        return [(outcome, share) for outcome, share in odds if share]

    def _apply_action(self, action: int) -> None:
        is_throw = self.played.state.to_play == CHANCE
        self.played.play(action if is_throw else action_of(self.rules, action))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            faces = faces_of(self.rules, self.played.state.position(), action)
            return f"dice {' '.join(map(str, faces)) or 'free'}"
        return write_move(self.rules.board, action_of(self.rules, action))

    def returns(self) -> list[float]:
        """Return 1 for the winner and equal shares of -1 for the others; 0 for a draw and before the end."""
        players = len(self.rules.colours)
        outcome = self.played.state.outcome
        if outcome is None and self.is_terminal():
            outcome = self.rules.standing(self.played.state.position())
        if outcome is None or outcome.winner is None:
            return [0.0] * players
        return [1.0 if colour == outcome.winner else -1.0 / (players - 1) for colour in self.rules.colours]

    def __str__(self) -> str:
        events = (f"{event.actor}:{event.action}" for event in self.game.events)
        return f"{self.rules.spec} {' '.join(events)}"

    def heard(self, player: int) -> list[News]:
        """Return the news that a player was told."""
        return self.played.heard(self.rules.colours[player])

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "SpielState":
        """Return a state consistent with all that a player was told; `sampler` returns random numbers from 0 to 1."""
        if self.rules.is_open:
            return self.clone()  # type: ignore[no-any-return]
        seed = Random(int(sampler() * _SEEDS)).getrandbits(63)
        worlds = Worlds(self.rules, self.rules.colours[player], 1, seed, 8)
        for news in self.heard(player):
            worlds.hear(news)
        [game] = worlds.games()
        state: SpielState = self.get_game().new_initial_state()
        for event in game.events:
            state.apply_action(number_of(self.rules, event.action))
        return state


def number_of(rules: Rules, action: int) -> int:
    """Return OpenSpiel's number for an action: first the points, then the swap, then the pass."""
    return {SWAP: len(rules.board), PASS: len(rules.board) + 1}.get(action, action)


def action_of(rules: Rules, number: int) -> int:
    """Return the action that has this number in OpenSpiel."""
    points = len(rules.board)
    return number if number < points else SWAP if number == points else PASS


def _deserialize(text: str) -> SpielState:
    _, state = pyspiel.deserialize_game_and_state(text)
    return state  # type: ignore[no-any-return]
