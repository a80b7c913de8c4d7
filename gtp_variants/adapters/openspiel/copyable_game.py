"""`CopyableGame`: a game as searches need it, fast to play and to copy, and exact wherever somebody asks for more."""

from collections.abc import Sequence

from gtp_variants.nets.games.state import State
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View


class CopyableGame:
    """A `State` with the actions that led to it, and the same as a `Game`, which is worked out when it is asked for.

    `tried`  points that were refused to the side to move in this turn
    """

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

    @property
    def actions(self) -> Sequence[int]:
        """Everything played, outcomes of the dice among it."""
        return self._actions

    def play(self, action: int) -> None:
        """Carry out an action of the side to play, or an outcome of the dice."""
        mover = self.state.to_play
        self.state.play(action)
        self._actions.append(action)
        # Only a refused try keeps the turn.
        keeps_turn = not self.rules.is_open and self.state.to_play == mover
        self.tried = self.tried | {action} if keeps_turn else frozenset()

    def game(self) -> Game:
        """The game as a `Game` of this package."""
        if self._game is None:
            self._game = Game(self.rules)
        for action in self._actions[len(self._game.events) :]:
            self._game.play(self._game.position.to_play, action)
        return self._game

    def heard(self, colour: int) -> list[News]:
        """What the seat of a colour was told."""
        return self.game().heard(colour)

    def view(self, colour: int) -> View:
        """What the seat of a colour knows."""
        return self.rules.view(self.heard(colour), colour)

    @property
    def mover(self) -> int:
        """Whose turn it is, also while the dice are to be thrown."""
        to_play = self.state.to_play
        return self.state.position().mover if to_play == CHANCE else to_play


def _replay(rules: Rules, actions: Sequence[int]) -> CopyableGame:
    """The game in which these actions were played."""
    played = CopyableGame(rules)
    for action in actions:
        played.play(action)
    return played
