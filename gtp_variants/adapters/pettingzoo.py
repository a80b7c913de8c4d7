"""The games as PettingZoo environments: `env("phantom:size=9")` has the AEC form, `parallel_env` the parallel form.

Agents are `player_0`, `player_1`, ... in turn order. Actions are the points, then the swap, then the pass. An agent
observes only what its seat knows: `observation` holds `planes` (planes, points) and `globals` as `gtp_variants.Encoder`
returns them; `action_mask` marks the actions that the agent may try now, and is all 0 unless it is the agent's turn. In
Go Fantôme a refused try keeps the turn, and its point is masked until the turn ends. The environment throws the dice.
Passes that would suspend a game end it. In `env` an action outside the mask raises IllegalMove.

`infos` describes events in sentences: `news` holds the sentences that the agent's seat has been told since the agent
last acted, including the answer to its own action.
"""

from typing import Any, ClassVar

try:
    import numpy as np
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
except ModuleNotFoundError as error:
    from gtp_variants.adapters import missing

    raise missing(error, "pettingzoo") from error

from gtp_variants.adapters.training_table import TrainingTable, observation_spaces
from gtp_variants.records.drawing.diagram import diagram
from gtp_variants.rules import AS_IT_STANDS, find_games, parse
from gtp_variants.rules.actions import PASS, SWAP

_METADATA: dict[str, Any] = {"render_modes": ["ansi"], "name": "gtp_variants_v0"}


def env(spec: str | None = None, most_actions: int | None = None, render_mode: str | None = None) -> "VariantEnv":
    """Return an environment for a SPEC, by default for the first game with hidden stones.

    An episode is truncated after `most_actions` actions, by default 60 per point of the board.

    >>> from gtp_variants.adapters import pettingzoo
    >>> game = pettingzoo.env("go:size=5")
    >>> game.reset(seed=1)
    >>> game.step(12)
    >>> seen, reward, terminated, truncated, info = game.last()
    >>> game.agent_selection, int(seen["action_mask"].sum()), info["news"]
    ('player_1', 25, ['Black: C3'])
    """
    return VariantEnv(spec, most_actions, render_mode)


def parallel_env(
    spec: str | None = None, most_actions: int | None = None, render_mode: str | None = None
) -> "VariantParallelEnv":
    """Return a parallel environment, with an action from every agent in each step.

    Only the action of the agent to move counts; no other agent has a 1 in its `action_mask`. If the mask forbids the
    action, the agent loses at once, and `infos` gives the reason.

    >>> from gtp_variants.adapters import pettingzoo
    >>> game = pettingzoo.parallel_env("go:size=5")
    >>> seen, infos = game.reset(seed=1)
    >>> seen, rewards, terminations, truncations, infos = game.step({"player_0": 12, "player_1": 0})
    >>> [bool(seen[agent]["action_mask"].any()) for agent in game.agents], infos["player_1"]["news"]
    ([False, True], ['Black: C3'])
    """
    return VariantParallelEnv(spec, most_actions, render_mode)


class _AgentTable:
    """A table whose players are agents: the part that both kinds of environment share."""

    def __init__(
        self, spec: str | None = None, most_actions: int | None = None, render_mode: str | None = None
    ) -> None:
        super().__init__()
        rules = parse(spec or find_games(lambda game: not game.is_open)[0], AS_IT_STANDS)
        self.table = TrainingTable(rules, [*range(len(rules.board)), SWAP, PASS], most_actions)
        self.render_mode = render_mode
        self.possible_agents = [f"player_{index}" for index in range(len(rules.colours))]
        self.agents = list(self.possible_agents)
        self._colours = dict(zip(self.agents, rules.colours, strict=True))
        planes, mask = observation_spaces(self.table.encoder, len(self.table.actions))
        seen = spaces.Dict({"observation": spaces.Dict(planes), "action_mask": mask})
        self.observation_spaces = dict.fromkeys(self.agents, seen)
        self.action_spaces = {agent: spaces.Discrete(len(self.table.actions)) for agent in self.agents}
        self._rng = np.random.default_rng()

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent's seat knows, and a mask of what it may try: all 0 unless the agent is to move."""
        planes, features = self.table.observe(self._colours[agent])
        seen = {"planes": planes, "globals": features}
        return {"observation": seen, "action_mask": self.table.mask(self._colours[agent])}

    def render(self) -> str | None:
        """Return the board with all stones as text, or None unless `render_mode` is "ansi"."""
        return diagram(self.table.rules, self.table.table.position) if self.render_mode == "ansi" else None

    def close(self) -> None:
        pass

    def _begin(self, seed: int | None) -> None:
        """Begin a new game; a seed decides all dice from now on."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.table.begin(int(self._rng.integers(2**63)))
        self.agents = list(self.possible_agents)

    def _agent_to_act(self) -> str:
        return self.possible_agents[self.table.rules.colours.index(self.table.to_act)]

    def _final_rewards(self) -> dict[str, float]:
        rewards = self.table.rewards()
        return {agent: rewards[colour] for agent, colour in self._colours.items()}

    def _news(self, agent: str, since: int) -> list[str]:
        return self.table.sentences(self._colours[agent], since)


class VariantEnv(_AgentTable, AECEnv):  # type: ignore[misc]
    """Games of a SPEC, one after the other, with one agent's turn in each step.

    >>> from gtp_variants.adapters import pettingzoo
    >>> game = pettingzoo.VariantEnv("phantom:size=5")
    >>> game.reset(seed=1)
    >>> game.step(12)
    >>> game.step(12)  # refused: the agent acts again
    >>> game.agent_selection, int(game.last()[0]["action_mask"][12])
    ('player_1', 0)
    """

    metadata: ClassVar[dict[str, Any]] = {**_METADATA, "is_parallelizable": False}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game; the seed decides all dice from now on."""
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {"news": self._news(agent, 0)} for agent in self.agents}
        self.agent_selection = self._agent_to_act()

    def step(self, action: int | None) -> None:
        """Let the selected agent act, or leave a finished game. Raises IllegalMove for a forbidden action."""
        agent, table = self.agent_selection, self.table
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        events = len(table.table.game.events)
        table.act(int(action))
        self.infos = {
            each: {"news": [*(self.infos[each]["news"] if each != agent else ()), *self._news(each, events)]}
            for each in self.agents
        }
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        if table.is_over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = self._final_rewards()
        elif table.is_too_long:
            self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self.agent_selection = self._agent_to_act()


class VariantParallelEnv(_AgentTable, ParallelEnv):  # type: ignore[misc]
    """Games of a SPEC, one after the other, with an action from every agent in each step.

    >>> from gtp_variants.adapters import pettingzoo
    >>> game = pettingzoo.VariantParallelEnv("alter-igo:size=4")
    >>> seen, infos = game.reset(seed=1)
    >>> sorted(seen["player_0"]["observation"])
    ['globals', 'planes']
    """

    metadata: ClassVar[dict[str, Any]] = _METADATA

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Begin a new game; the seed decides all dice from now on."""
        self._begin(seed)
        return self._observe_all(0)

    def step(self, actions: dict[str, int]) -> tuple[Any, Any, Any, Any, Any]:
        """Let the agent whose turn it is act; the actions of the others are ignored.

        Returns observations, rewards, terminations, truncations and infos by agent.
        """
        table, agents, agent = self.table, self.agents, self._agent_to_act()
        events = len(table.table.game.events)
        refusal = table.act_or_lose(int(actions[agent]))
        seen, infos = self._observe_all(events)
        if refusal is not None:
            infos[agent]["news"].append(refusal)
        is_over, is_too_long = table.is_over, table.is_too_long
        rewards = self._final_rewards() if is_over else dict.fromkeys(agents, 0.0)
        if is_over or is_too_long:
            self.agents = []
        return seen, rewards, dict.fromkeys(agents, is_over), dict.fromkeys(agents, is_too_long), infos

    def _observe_all(self, since: int) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        seen = {agent: self.observe(agent) for agent in self.agents}
        return seen, {agent: {"news": self._news(agent, since)} for agent in self.agents}
