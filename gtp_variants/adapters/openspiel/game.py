"""`SpielGame`: a configured game for OpenSpiel, and its registration."""

from collections.abc import Mapping
from typing import Any

import pyspiel

from gtp_variants.adapters.openspiel.observer import SpielObserver
from gtp_variants.adapters.openspiel.state import SpielState
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.rules import AS_IT_STANDS, game_class, parse
from gtp_variants.rules.options import RULES_KEY, Option, text_of
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

# Maximum number of events per point of the board, unless `max_game_length` is given.
_LENGTH = 60
# The value of a text parameter that has not been given.
_DEFAULT = "default"
# The parameters that are not options of the rules.
_MAX_LENGTH, _PICTURE = "max_game_length", "picture"


def name_of(name: str) -> str:
    """Return the name that a game has in OpenSpiel.

    >>> from gtp_variants.adapters import openspiel
    >>> openspiel.name_of("alter-igo")
    'gtp_alter_igo'
    """
    return f"gtp_{name.replace('-', '_')}"


def load_game(spec: str, max_game_length: int = 0, picture: bool = False) -> "SpielGame":
    """Return the game of a SPEC, as `pyspiel.load_game` loads it from OpenSpiel's own notation.

    >>> from gtp_variants.adapters import openspiel
    >>> game = openspiel.load_game("pentalath:players=3,supply=40/40/30")
    >>> game.num_players(), game.rules.short_spec
    (3, 'pentalath:players=3,supply=40/40/30')
    """
    rules = parse(spec, AS_IT_STANDS)
    given: dict[str, int | float | bool | str] = {}
    for key, value in rules.options.find_changes(rules.values).items():
        option = next(option for option in rules.options if option.key == key)
        number = float(value) if option.kind == "float" and isinstance(value, int) else value
        given[key] = text_of(value) if option.each or number is None else number
    if max_game_length:
        given[_MAX_LENGTH] = max_game_length
    if picture:
        given[_PICTURE] = True
    return pyspiel.load_game(name_of(rules.name), given)  # type: ignore[no-any-return]


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """One configured game.

    `rules`    the rules of the game
    `encoder`  the encoder of the game's tensors
    `picture`  True if an observation is one picture instead of planes and features

    >>> import pyspiel, gtp_variants.adapters.openspiel
    >>> game = pyspiel.load_game("gtp_go(size=5,komi=0.5)")
    >>> game.rules.short_spec, game.num_distinct_actions()
    ('go:size=5,komi=0.5', 27)
    """

    def __init__(self, name: str, kind: pyspiel.GameType, given: Mapping[str, Any]) -> None:
        unset = kind.parameter_specification
        words = {
            key: str(value).lower() if isinstance(value, bool) else str(value)
            for key, value in given.items()
            if value != unset[key] and key not in (_MAX_LENGTH, _PICTURE)
        }
        self.rules: Rules = game_class(name)(words)
        self.encoder = Encoder(self.rules)
        self.picture = bool(given.get(_PICTURE))
        points, players = len(self.rules.board), len(self.rules.colours)
        outcomes = self.rules.dice_of(self.rules.start()).free + 1 if isinstance(self.rules, DicedRules) else 0
        info = pyspiel.GameInfo(
            num_distinct_actions=points + 2,
            max_chance_outcomes=outcomes,
            num_players=players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=given.get(_MAX_LENGTH) or _LENGTH * points,
        )
        super().__init__(kind, info, {key: _writable(key, value, self.rules) for key, value in given.items()})

    def __reduce__(self) -> tuple[object, ...]:
        # To find `_load`, unpickling imports this package, which registers the game, so the game's name suffices.
        return _load, (str(self),)

    def new_initial_state(self) -> SpielState:
        """Return the state before the first event."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver:
        """Return an observer of states, by default for `observation_tensor`. Raises ValueError for any `params`."""
        if params:
            raise ValueError(f"observation parameters are not supported: {params}")
        return SpielObserver(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


def _writable(key: str, value: Any, rules: Rules) -> Any:
    """Return a parameter that OpenSpiel can read back: a number given as text is repeated for each colour, as 40/40."""
    if isinstance(value, str) and value.lstrip("+-").isdigit():
        return "/".join([value] * len(rules.colours))
    return value


def _load(name: str) -> SpielGame:
    return pyspiel.load_game(name)  # type: ignore[no-any-return]


def register(name: str) -> None:
    """Register a game with OpenSpiel."""
    kind = _type_of(name)

    class Registered(SpielGame):
        def __init__(self, params: Mapping[str, Any] | None = None) -> None:
            super().__init__(name, kind, params or {})

    pyspiel.register_game(kind, Registered)


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
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification={option.key: _unset(option, cls) for option in cls.options}
        | {_MAX_LENGTH: 0, _PICTURE: False}
        | ({RULES_KEY: _DEFAULT} if cls.options.rule_sets else {}),
    )


def _unset(option: Option, cls: type[Rules]) -> int | float | bool | str:
    """Return the value of a missing parameter: a fixed default, or else the placeholder 0 or "default".

    In OpenSpiel a parameter has only one type, so a parameter that may have a number per colour, such as 40/40/30, is a
    text.
    """
    value = cls().values[option.key]
    if option.each or value is None or isinstance(value, str):
        return 0 if option.kind == "int" and not option.each else _DEFAULT
    return value
