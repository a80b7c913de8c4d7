"""Our games as Python games for OpenSpiel: `pyspiel.load_game("gtp_phantom(size=9)")` once this module is imported.

Every game is registered as `gtp_NAME`, dashes as underscores, with the options of its SPEC as parameters. Actions are
the points, then the swap, then the pass, which is the last number, as OpenSpiel's tools expect; an outcome of the dice
is a chance outcome. A refused try in Go Fantôme is an action that keeps the turn; a point that was refused in this turn
is not offered again. Two passes end a game here: nobody objects. A game that is longer than `max_game_length` is scored
as it stands, or drawn where there is no score.

The information state is what the seat was told, word for word. `resample_from_infostate` imagines another game that
agrees with it, so that OpenSpiel's IS-MCTS in Python runs on Go Fantôme. C++ bots of OpenSpiel do not run on games
written in Python.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

try:
    import pyspiel
except ModuleNotFoundError as error:
    from gtp_variants.adapters import missing

    raise missing(error, "openspiel") from error

from gtp_variants.belief.particles import Worlds
from gtp_variants.records.notation import write_move
from gtp_variants.rules import GAMES, game_class
from gtp_variants.rules.actions import CHANCE, PASS, SWAP
from gtp_variants.rules.diced import DicedRules, faces_of
from gtp_variants.rules.game import Game
from gtp_variants.rules.options import RULES_KEY, Option
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News

# The longest game, in actions for each point of the board.
_LENGTH = 60
_SEEDS = 2**53
# What a parameter says that leaves it to the game.
_DEFAULT = "default"


def name_of(name: str) -> str:
    """What a game of ours is called there."""
    return f"gtp_{name.replace('-', '_')}"


def _type_of(name: str) -> pyspiel.GameType:
    cls = game_class(name)
    kinds = pyspiel.GameType
    modes = kinds.ChanceMode
    chance = modes.EXPLICIT_STOCHASTIC if issubclass(cls, DicedRules) else modes.DETERMINISTIC
    return kinds(
        short_name=name_of(name),
        long_name=cls.title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=chance,
        information=kinds.Information.PERFECT_INFORMATION if cls.is_open else kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=cls.max_players,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=False,
        provides_factored_observation_string=False,
        parameter_specification={option.key: _unset(option, cls) for option in cls.options}
        | ({RULES_KEY: _DEFAULT} if cls.options.rule_sets else {}),
    )


def _unset(option: Option, cls: type[Rules]) -> int | float | bool | str:
    """The value of a parameter that is not given, of the kind it has; texts may depend on the other options."""
    value = cls().values[option.key]
    return (0 if option.kind == "int" else _DEFAULT) if value is None or isinstance(value, str) else value


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """One configured game."""

    def __init__(self, name: str, kind: pyspiel.GameType, given: Mapping[str, Any]) -> None:
        unset = kind.parameter_specification
        words = {
            key: str(value).lower() if isinstance(value, bool) else str(value)
            for key, value in given.items()
            if value != unset[key]
        }
        self.rules: Rules = game_class(name)(words)
        points, players = len(self.rules.board), len(self.rules.colours)
        start = self.rules.start()
        info = pyspiel.GameInfo(
            num_distinct_actions=points + 2,
            max_chance_outcomes=max(self.rules.actions(start)) + 2 if start.to_play == CHANCE else 0,
            num_players=players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=_LENGTH * points,
        )
        super().__init__(kind, info, dict(given))

    def new_initial_state(self) -> "SpielState":
        """The state before the first event."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "SpielObserver":
        """What tells strings about states."""
        if params:
            raise ValueError(f"observation parameters are not supported: {params}")
        return SpielObserver(iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A game of ours as it stands."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.rules = game.rules
        self.played = Game(game.rules)
        self._limit = game.max_game_length()

    def current_player(self) -> int:
        """The number of the player to act in turn order, or that of chance, or that of the end."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        actor = self.played.position.to_play
        return int(pyspiel.PlayerId.CHANCE) if actor == CHANCE else self.rules.colours.index(actor)

    def is_terminal(self) -> bool:
        """Whether the game is over, or too long."""
        return self.rules.is_over(self.played.position) or len(self.played.events) >= self._limit

    def _legal_actions(self, player: int) -> list[int]:
        position = self.played.position
        # What the seat may know: in Go Fantôme every point without a stone of its own that was not refused just now.
        allowed = (action for action in self.rules.actions(position) if action not in position.tried)
        return sorted(map(self._number, allowed))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes of the dice and their probabilities."""
        position = self.played.position
        return list(zip(self.rules.actions(position), self.rules.odds(position), strict=True))

    def _apply_action(self, action: int) -> None:
        actor = self.played.position.to_play
        self.played.play(actor, action if actor == CHANCE else self._action(action))

    def _number(self, action: int) -> int:
        return {SWAP: len(self.rules.board), PASS: len(self.rules.board) + 1}.get(action, action)

    def _action(self, number: int) -> int:
        points = len(self.rules.board)
        return number if number < points else SWAP if number == points else PASS

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            faces = faces_of(self.rules, self.played.position, action)
            return f"dice {' '.join(map(str, faces)) or 'free'}"
        return write_move(self.rules.board, self._action(action))

    def returns(self) -> list[float]:
        """1 for who has won; the others share the loss; 0 for a draw and before the end."""
        players = len(self.rules.colours)
        position = self.played.position
        outcome = (self.rules.outcome(position) or self.rules.standing(position)) if self.is_terminal() else None
        if outcome is None or outcome.winner is None:
            return [0.0] * players
        return [1.0 if colour == outcome.winner else -1.0 / (players - 1) for colour in self.rules.colours]

    def __str__(self) -> str:
        """What has happened, for people."""
        events = (f"{event.actor}:{event.action}" for event in self.played.events)
        return f"{self.rules.spec} {' '.join(events)}"

    def heard(self, player: int) -> list[News]:
        """What a player was told."""
        return self.played.heard(self.rules.colours[player])

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "SpielState":
        """Another state that agrees with all that the player was told; `sampler` gives numbers from 0 to 1."""
        if self.rules.is_open:
            return self.clone()  # type: ignore[no-any-return]
        seed = Random(int(sampler() * _SEEDS)).getrandbits(63)
        worlds = Worlds(self.rules, self.rules.colours[player], 1, seed, 8)
        for news in self.heard(player):
            worlds.hear(news)
        [imagined] = worlds.games()
        state: SpielState = self.get_game().new_initial_state()
        for event in imagined.events:
            state.apply_action(self._number(event.action))
        return state


class SpielObserver:
    """What a seat was told, in words; there are no tensors."""

    def __init__(self, kind: Any) -> None:
        self.tensor = None
        self.dict: dict[str, Any] = {}
        self._recalls = kind.perfect_recall

    def set_from(self, state: SpielState, player: int) -> None:
        """Nothing: there are no tensors."""

    def string_from(self, state: SpielState, player: int) -> str:
        """All the news of a player, or with less memory only what it knows now."""
        rules, colour = state.rules, state.rules.colours[player]
        if self._recalls:
            return "\n".join([rules.spec, f"seat {colour}", *map(_describe_news, state.heard(player))])
        view = rules.view(state.heard(player), colour)
        position = view.position
        draws = () if position is None else position.draws
        known = bytes(view.stones).hex(), view.to_play, view.turn, view.passes, sorted(view.tried), view.hidden, draws
        return f"{rules.spec} seat {colour} {known} {_describe_news(view.news[-1]) if view.news else ''}"


def _describe_news(news: News) -> str:
    said = " ".join(f"{item.code}={item.count}{list(item.points)}" for item in news.said)
    refused = f" refused {'' if news.shown is None else news.shown}".rstrip() if news.refused else ""
    return f"{news.actor}{refused} {'?' if news.action is None else news.action} {list(news.captured)} {said}".rstrip()


def _register(name: str) -> None:
    kind = _type_of(name)

    class Registered(SpielGame):
        """A game of one name, as OpenSpiel makes it from parameters."""

        def __init__(self, params: Mapping[str, Any] | None = None) -> None:
            super().__init__(name, kind, params or {})

    pyspiel.register_game(kind, Registered)


for _name in GAMES:
    _register(_name)
