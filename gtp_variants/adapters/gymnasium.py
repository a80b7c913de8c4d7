"""The games as Gymnasium environments: `gymnasium.make("gtp_variants/go-v0", size=9, opponent="greedy")`.

Importing this module registers every game as `gtp_variants/NAME-v0`; Gymnasium's own notation imports it, too:
`gymnasium.make("gtp_variants.adapters.gymnasium:gtp_variants/go-v0")`. The options of the SPEC are keyword arguments.
The agent plays one colour, and `opponent` plays all the others. An observation holds only what the agent's seat knows:
`planes` and `globals` as `gtp_variants.Encoder` returns them, and `action_mask`. Actions are the policy indices of
`Encoder.actions`. The reward is 1 for a win, -1 for a loss (-1/2 with three players), and 0 for a draw and before the
end.

`gymnasium.make_vec("gtp_variants/go-v0", num_envs=256)` steps a `gtp_variants.Batch`: see `BatchVectorEnv`.
"""

from collections.abc import Callable
from typing import Any, ClassVar

try:
    import gymnasium
    import numpy as np
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:
    from gtp_variants.adapters import missing

    raise missing(error, "gymnasium") from error

from numpy.typing import NDArray

from gtp_variants.adapters.training_table import TrainingTable, observation_spaces
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.games.batch import Batch, Observations
from gtp_variants.errors import NotationError
from gtp_variants.players import bots
from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Player, Seat
from gtp_variants.records.drawing.diagram import diagram
from gtp_variants.rules import AS_IT_STANDS, GAMES, parse
from gtp_variants.rules.colour_names import colour_name, read_colour
from gtp_variants.rules.options import Value, text_of
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

_RANDOM = "random"
_SEEDS = 2**63

IndexArray = NDArray[np.int32]
# Plays many games: takes the observations of the sides to move and a generator; returns one policy index per game.
BatchOpponent = Callable[[Observations, np.random.Generator], IndexArray]


def name_of(name: str) -> str:
    """Return the name that a game has in Gymnasium.

    >>> from gtp_variants.adapters import gymnasium
    >>> gymnasium.name_of("alter-igo")
    'gtp_variants/alter-igo-v0'
    """
    return f"gtp_variants/{name}-v0"


def register_envs() -> None:
    """Register every game with Gymnasium, if it is not registered yet; importing this module does so."""
    for name in GAMES:
        if name_of(name) not in gymnasium.registry:
            gymnasium.register(
                name_of(name),
                entry_point=f"{__name__}:OpponentEnv",
                vector_entry_point=f"{__name__}:BatchVectorEnv",
                kwargs={"game": name},
                disable_env_checker=True,
            )


class RandomPlayer(Seat):
    """A player that chooses among the actions not yet tried, each with equal probability."""

    def choose(self, view: View, clock: Clock) -> int:
        return self.rng.choice([action for action in view.actions if action not in view.tried])


class OpponentEnv(gymnasium.Env):  # type: ignore[misc]
    """A game against a bot.

    `opponent` is "random", the name of any bot (`mcts:playouts=100`, `path/to/file.py:Class`) or a `Player`. With three
    players it plays both other colours; a `Player` cannot do this, because it has only one seat. `colour` is the
    agent's colour, by name or letter; by default each game chooses a colour at random. The options of the game are
    keyword arguments, or are all given in `spec`. An episode is truncated after `most_actions` actions, by default 60
    per point of the board.

    A forbidden action loses the game with reward -1. `info["news"]` holds the sentences that the agent's seat has been
    told since its last action and, after a forbidden action, the reason. `action_masks()` is for sb3-contrib.

    >>> import gymnasium
    >>> import gtp_variants.adapters.gymnasium
    >>> env = gymnasium.make("gtp_variants/go-v0", size=5, colour="black")
    >>> seen, info = env.reset(seed=1)
    >>> seen, reward, terminated, truncated, info = env.step(12)
    >>> int(seen["action_mask"].sum()), info["news"][0], reward
    (24, 'Black: C3', 0.0)
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        game: str | None = None,
        spec: str | None = None,
        opponent: "str | Player" = _RANDOM,
        colour: str | None = None,
        most_actions: int | None = None,
        render_mode: str | None = None,
        **options: Value,
    ) -> None:
        self.rules = rules_of(game, spec, options)
        self.render_mode = render_mode
        encoder = Encoder(self.rules)
        self.table = TrainingTable(self.rules, [int(action) for action in encoder.actions], most_actions)
        planes, mask = observation_spaces(encoder, len(encoder.actions))
        self.observation_space = spaces.Dict({**planes, "action_mask": mask})
        self.action_space = spaces.Discrete(len(encoder.actions))
        self._asked = colour_of(self.rules, colour)
        self.colour = self._asked or self.rules.colours[0]
        self._opponent = opponent
        if not self.rules.is_open and not getattr(self._player(), "plays_hidden", True):
            raise NotationError(f"opponent={opponent}: cannot play where stones are hidden")

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], Any]:
        """Begin a new game; the seed decides dice, colours and the opponent's random numbers from now on."""
        super().reset(seed=seed)
        number = int(self.np_random.integers(_SEEDS))
        self.table.begin(number)
        colours = self.rules.colours
        self.colour = self._asked or int(self.np_random.choice(colours))
        for colour in colours:
            if colour != self.colour:
                self.table.table.seat(colour, self._player(), f"{number} {colour}")
        self._let_others_act()
        return self._observe(), {"news": self.table.sentences(self.colour, 0)}

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Let the agent act, and then the others until the agent's next turn or the end."""
        table, events = self.table, len(self.table.table.game.events)
        refusal = table.act_or_lose(int(action))
        self._let_others_act()
        said = table.sentences(self.colour, events)
        info = {"news": said if refusal is None else [*said, refusal]}
        return self._observe(), table.rewards()[self.colour], table.is_over, table.is_too_long, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return a mask of the actions that may be played, as bool of shape (A,)."""
        return self.table.mask(self.colour).astype(np.bool_)

    def render(self) -> str | None:
        """Return the board with all stones as text, or None unless `render_mode` is "ansi"."""
        return diagram(self.rules, self.table.table.position) if self.render_mode == "ansi" else None

    def _player(self) -> Player:
        if not isinstance(self._opponent, str):
            return self._opponent
        return RandomPlayer() if self._opponent == _RANDOM else bots.load(self._opponent)

    def _let_others_act(self) -> None:
        table = self.table
        while table.to_act != self.colour and not table.is_over and not table.is_too_long:
            table.let_bot_act()

    def _observe(self) -> dict[str, Any]:
        planes, features = self.table.observe(self.colour)
        return {"planes": planes, "globals": features, "action_mask": self.table.mask(self.colour)}


class BatchVectorEnv(VectorEnv):  # type: ignore[misc]
    """Many games at once against one opponent, stepped together by a fast `gtp_variants.Batch`.

    `opponent` is "random", or a function, such as a network, that takes the observations of the sides to move and a
    numpy generator and returns policy indices. It is called for all games together; its answers count only in games in
    which the opponent is to move. For a bot, use `vectorization_mode="sync"` or "async". When a game ends, a new game
    begins in the same step; the reward comes with the first observation of the new game. Without `colour` each game
    chooses the agent's colour at random. A forbidden action raises IllegalMove. `threads` is the number of threads that
    step the games.

    >>> import gymnasium
    >>> import gtp_variants.adapters.gymnasium
    >>> envs = gymnasium.make_vec("gtp_variants/phantom-v0", num_envs=8, size=5)
    >>> seen, infos = envs.reset(seed=1)
    >>> seen, rewards, terminated, truncated, infos = envs.step(seen["action_mask"].argmax(axis=1))
    >>> seen["action_mask"].shape, rewards.shape
    ((8, 26), (8,))
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        game: str | None = None,
        spec: str | None = None,
        opponent: str | BatchOpponent = _RANDOM,
        colour: str | None = None,
        threads: int = 1,
        render_mode: str | None = None,
        **options: Value,
    ) -> None:
        self.rules = rules_of(game, spec, options)
        if isinstance(opponent, str) and opponent != _RANDOM:
            expected = f"{_RANDOM} or a function; bots play with vectorization_mode='sync'"
            raise NotationError(f"opponent={opponent}: expected {expected}")
        self.num_envs, self.render_mode = num_envs, render_mode
        self._opponent = act_randomly if isinstance(opponent, str) else opponent
        self._threads, self._asked = threads, colour_of(self.rules, colour)
        encoder = Encoder(self.rules)
        planes, mask = observation_spaces(encoder, len(encoder.actions))
        self.single_observation_space = spaces.Dict({**planes, "action_mask": mask})
        self.single_action_space = spaces.Discrete(len(encoder.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._order = np.array(self.rules.colours, np.int8)
        self._colours = np.zeros(num_envs, np.int8)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin new games; the seed decides dice, colours and the opponent's random numbers from now on."""
        super().reset(seed=seed)
        number = int(self.np_random.integers(_SEEDS))
        self._batch = Batch(self.rules, self.num_envs, number, self._threads, np.float32)
        self._seen = self._batch.reset()
        self._colours[...] = self._draw_colours()
        self._let_others_act(np.zeros(self.num_envs), np.zeros(self.num_envs, np.bool_))
        return self._observe(), {}

    def step(self, actions: Any) -> tuple[dict[str, Any], Any, Any, Any, dict[str, Any]]:
        """Let the agent act in every game, and then the others until it is the agent's turn in all games."""
        rewards, ended = np.zeros(self.num_envs), np.zeros(self.num_envs, np.bool_)
        self._step(np.asarray(actions, np.int32), np.ones(self.num_envs, np.bool_), rewards, ended)
        self._let_others_act(rewards, ended)
        return self._observe(), rewards, ended, np.zeros(self.num_envs, np.bool_), {}

    def _let_others_act(self, rewards: NDArray[np.float64], ended: NDArray[np.bool_]) -> None:
        while (waiting := self._seen.to_play != self._colours).any():
            self._step(self._opponent(self._seen, self.np_random), waiting, rewards, ended)

    def _step(
        self, indices: IndexArray, acting: NDArray[np.bool_], rewards: NDArray[np.float64], ended: NDArray[np.bool_]
    ) -> None:
        self._seen, shares, done = self._batch.step(indices, acting)
        if done.any():
            share = shares[np.arange(self.num_envs), (self._order == self._colours[:, None]).argmax(1)][done]
            # The winner gets 1, a draw gives 0, and losers share -1.
            rewards[done] = np.where(share > 0, 2 * share - 1, -1 / (len(self._order) - 1))
            ended |= done
            self._colours[done] = self._draw_colours()[done]

    def _draw_colours(self) -> NDArray[np.int8]:
        if self._asked is not None:
            return np.full(self.num_envs, self._asked, np.int8)
        drawn: NDArray[np.int8] = self.np_random.choice(self._order, self.num_envs)
        return drawn

    def _observe(self) -> dict[str, Any]:
        seen = self._seen
        return {"planes": seen.planes.copy(), "globals": seen.globals.copy(), "action_mask": seen.mask.astype(np.int8)}


def act_randomly(seen: Observations, rng: np.random.Generator) -> IndexArray:
    """Return one policy index per game: any action that its mask allows, with equal probability.

    >>> import numpy as np
    >>> import gtp_variants as gv
    >>> from gtp_variants.adapters import gymnasium
    >>> seen = gv.Batch(gv.parse("go:size=5"), 4).reset()
    >>> gymnasium.act_randomly(seen, np.random.default_rng(1)).shape
    (4,)
    """
    indices: IndexArray = (rng.random(seen.mask.shape, np.float32) * seen.mask).argmax(axis=1).astype(np.int32)
    return indices


def rules_of(game: str | None, spec: str | None, options: dict[str, Value]) -> Rules:
    """Return the rules of a SPEC or of a game with options. Raises NotationError for other arguments."""
    if (spec is not None and options) or (spec is None and game is None):
        raise NotationError(f"game={game}, spec={spec}, {', '.join(options)}: expected a game and options, or a SPEC")
    given = ",".join(f"{key}={text_of(value)}" for key, value in options.items())
    return parse(spec or f"{game}:{given}".rstrip(":"), AS_IT_STANDS)


def colour_of(rules: Rules, colour: str | None) -> int | None:
    """Return the number of a colour, or None for None. Raises NotationError for an unknown or unused colour."""
    if colour is None:
        return None
    number = read_colour(colour)
    if number not in rules.colours:
        raise NotationError(f"colour={colour}: nobody plays {colour_name(number)} in this game")
    return number


register_envs()
