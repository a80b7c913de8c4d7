"""Our games as PettingZoo environments: `env("phantom:size=9")` takes turns (AEC), `parallel_env` asks all at once.

Agents are `player_0`, `player_1`, ... in turn order. Actions are the points, then the swap, then the pass. An agent
observes what its seat knows and nothing else: `observation` has what `gtp_variants.Encoder` gives, `planes` (planes,
points) and `globals`, and `action_mask` what the agent may try now, nothing unless it is to act. In Go Fantôme a
refused try leaves the turn with the same agent, and a point that was refused in this turn is masked. Dice are thrown
by the environment. Two passes end a game here: nobody objects. An action that is masked raises IllegalMove.

`infos` tell the same in words: `news`, the sentences that the agent's seat was told since it acted last, the answer to
its own action among them.
"""

from typing import Any, ClassVar

try:
    import numpy as np
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
except ModuleNotFoundError as error:
    from gtp_variants.adapters import missing

    raise missing(error, "pettingzoo") from error

from gtp_variants.adapters.training_table import TrainingTable, observation_spaces, usual_actions
from gtp_variants.records.drawing.diagram import diagram
from gtp_variants.rules import find_games, parse

_METADATA: dict[str, Any] = {"render_modes": ["ansi"], "name": "gtp_variants_v0"}


def env(spec: str | None = None, most_actions: int | None = None, render_mode: str | None = None) -> "VariantEnv":
    """An environment for a game, the first where stones are hidden if none is given.

    It is truncated after `most_actions`, 60 for each point if not given.

    >>> from gtp_variants.adapters import pettingzoo
    >>> game = pettingzoo.env("go:size=5")
    >>> game.reset(seed=1)
    >>> game.step(12)
    >>> seen, reward, terminated, truncated, info = game.last()
    >>> game.agent_selection, int(seen["action_mask"].sum()), info["news"]
    ('player_1', 25, ['Black: C3'])
    """
    return VariantEnv(_spec(spec), most_actions, render_mode)


def parallel_env(
    spec: str | None = None, most_actions: int | None = None, render_mode: str | None = None
) -> "VariantParallelEnv":
    """The game as a parallel environment of PettingZoo, with an action from every agent in each step.

    Only that of the agent whose turn it is counts: the one with something in its `action_mask`. If its mask forbids the
    action the agent loses at once, and `infos` say why.

    >>> from gtp_variants.adapters import pettingzoo
    >>> game = pettingzoo.parallel_env("go:size=5")
    >>> seen, infos = game.reset(seed=1)
    >>> seen, rewards, terminations, truncations, infos = game.step({"player_0": 12, "player_1": 0})
    >>> [bool(seen[agent]["action_mask"].any()) for agent in game.agents], infos["player_1"]["news"]
    ([False, True], ['Black: C3'])
    """
    return VariantParallelEnv(_spec(spec), most_actions, render_mode)


def _spec(spec: str | None) -> str:
    return spec or find_games(lambda game: not game.is_open)[0]


class _Agents:
    """The agents of a table: their names, spaces and observations."""

    def __init__(self, spec: str, most_actions: int | None) -> None:
        rules = parse(spec)
        self.table = TrainingTable(rules, usual_actions(rules), most_actions)
        self.names = [f"player_{index}" for index in range(len(rules.colours))]
        self.colours = dict(zip(self.names, rules.colours, strict=True))
        self.actions = {agent: spaces.Discrete(len(self.table.actions)) for agent in self.names}
        planes, mask = observation_spaces(self.table.encoder, len(self.table.actions))
        self.observations = dict.fromkeys(
            self.names, spaces.Dict({"observation": spaces.Dict(planes), "action_mask": mask})
        )
        self._rng = np.random.default_rng()

    def begin(self, seed: int | None) -> None:
        """A new game; a seed decides all dice from now on."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.table.begin(int(self._rng.integers(2**63)))

    @property
    def selected(self) -> str:
        """Whose turn it is."""
        return self.names[self.table.rules.colours.index(self.table.to_act)]

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent's seat knows, and what it may try now."""
        planes, features = self.table.observe(self.colours[agent])
        seen = {"planes": planes, "globals": features}
        return {"observation": seen, "action_mask": self.table.mask(self.colours[agent])}

    def rewards(self) -> dict[str, float]:
        """What the end brought each agent."""
        rewards = self.table.rewards()
        return {agent: rewards[colour] for agent, colour in self.colours.items()}

    def render(self, mode: str | None) -> str | None:
        """The board with everything on it, as text."""
        return diagram(self.table.rules, self.table.table.position) if mode == "ansi" else None


class VariantEnv(AECEnv):  # type: ignore[misc]
    """One game after the other of what a SPEC says, a turn a step.

    >>> from gtp_variants.adapters import pettingzoo
    >>> game = pettingzoo.VariantEnv("phantom:size=5")
    >>> game.reset(seed=1)
    >>> game.step(12)
    >>> game.step(12)  # refused: the agent acts again
    >>> game.agent_selection, int(game.last()[0]["action_mask"][12])
    ('player_1', 0)
    """

    metadata: ClassVar[dict[str, Any]] = {**_METADATA, "is_parallelizable": False}

    def __init__(self, spec: str, most_actions: int | None = None, render_mode: str | None = None) -> None:
        super().__init__()
        self._seats = _Agents(spec, most_actions)
        self.render_mode = render_mode
        self.possible_agents = self._seats.names
        self.agents = list(self.possible_agents)
        self.action_spaces, self.observation_spaces = self._seats.actions, self._seats.observations

    def observation_space(self, agent: str) -> Any:
        """What an agent's observations look like."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The actions of an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game; the seed decides all dice from now on."""
        self._seats.begin(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {"news": []} for agent in self.agents}
        self._add_news(0)
        self.agent_selection = self._seats.selected

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent's seat knows, and what it may try now: nothing unless it is to act."""
        return self._seats.observe(agent)

    def step(self, action: int | None) -> None:
        """Let the agent that is selected act. Raises IllegalMove for what cannot be."""
        agent, table = self.agent_selection, self._seats.table
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        events = len(table.table.game.events)
        table.act(int(action))
        self.infos = {**self.infos, agent: {"news": []}}
        self._add_news(events)
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        if table.is_over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = self._seats.rewards()
        elif table.is_too_long:
            self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self.agent_selection = self._seats.selected

    def _add_news(self, since: int) -> None:
        for agent in self.agents:
            said = self._seats.table.sentences(self._seats.colours[agent], since)
            self.infos[agent] = {"news": [*self.infos[agent]["news"], *said]}

    def render(self) -> str | None:
        """The board with everything on it, as text."""
        return self._seats.render(self.render_mode)

    def close(self) -> None:
        """Nothing is held open."""


class VariantParallelEnv(ParallelEnv):  # type: ignore[misc]
    """One game after the other of what a SPEC says, with an action from every agent in each step.

    >>> from gtp_variants.adapters import pettingzoo
    >>> game = pettingzoo.VariantParallelEnv("alter-igo:size=4")
    >>> seen, infos = game.reset(seed=1)
    >>> sorted(seen["player_0"]["observation"])
    ['globals', 'planes']
    """

    metadata: ClassVar[dict[str, Any]] = _METADATA

    def __init__(self, spec: str, most_actions: int | None = None, render_mode: str | None = None) -> None:
        self._seats = _Agents(spec, most_actions)
        self.render_mode = render_mode
        self.possible_agents = self._seats.names
        self.agents = list(self.possible_agents)
        self.action_spaces, self.observation_spaces = self._seats.actions, self._seats.observations

    def observation_space(self, agent: str) -> Any:
        """What an agent's observations look like."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The actions of an agent."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """A new game; the seed decides all dice from now on."""
        self._seats.begin(seed)
        self.agents = list(self.possible_agents)
        return self._observe(0)

    def step(self, actions: dict[str, int]) -> tuple[Any, Any, Any, Any, Any]:
        """Let the agent whose turn it is act; what the others say counts nothing.

        Answers observations, rewards, terminations, truncations and infos by agent.
        """
        table, agents = self._seats.table, self.agents
        events = len(table.table.game.events)
        agent = self._seats.selected
        refusal = table.act_or_lose(int(actions[agent]))
        seen, infos = self._observe(events)
        if refusal is not None:
            infos[agent] = {"news": [*infos[agent]["news"], refusal]}
        is_over, is_too_long = table.is_over, table.is_too_long
        rewards = self._seats.rewards() if is_over else dict.fromkeys(agents, 0.0)
        if is_over or is_too_long:
            self.agents = []
        return seen, rewards, dict.fromkeys(agents, is_over), dict.fromkeys(agents, is_too_long), infos

    def _observe(self, since: int) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        seats = self._seats
        seen = {agent: seats.observe(agent) for agent in self.agents}
        infos = {agent: {"news": seats.table.sentences(seats.colours[agent], since)} for agent in self.agents}
        return seen, infos

    def render(self) -> str | None:
        """The board with everything on it, as text."""
        return self._seats.render(self.render_mode)

    def close(self) -> None:
        """Nothing is held open."""
