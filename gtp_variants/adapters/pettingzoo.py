"""Our games as PettingZoo environments: `env("phantom:size=9")` is an AEC environment of raw observations.

Agents are `player_0`, `player_1`, ... in turn order. Actions are the points, then the swap, then the pass. An agent
observes what its seat knows and nothing else, and so does its `action_mask`: in Go Fantôme a refused try leaves the
turn with the same agent, and a point that was refused in this turn is masked. Dice are thrown by the environment. Two
passes end a game here: nobody objects. An action that is masked raises IllegalMove.
"""

from typing import Any, ClassVar

try:
    import numpy as np
    from gymnasium import spaces
    from pettingzoo import AECEnv
except ModuleNotFoundError as error:
    from gtp_variants.adapters import missing

    raise missing(error, "pettingzoo") from error

from gtp_variants.players.table import Table
from gtp_variants.records.drawing.diagram import diagram
from gtp_variants.rules import find_games, parse
from gtp_variants.rules.actions import EMPTY, PASS, SWAP
from gtp_variants.rules.dice.stream import DiceStream
from gtp_variants.rules.views import View

# What the planes of an observation hold for each point: an own stone, one of another's that is known, a try that was
# refused in this turn, a point that may be played now.
PLANES = 4


def env(spec: str | None = None, most_actions: int | None = None, render_mode: str | None = None) -> "VariantEnv":
    """An environment for a game, the first where stones are hidden if none is given.

    It is truncated after `most_actions`, 60 for each point if not given.
    """
    hidden = find_games(lambda game: not game.is_open)
    return VariantEnv(spec or hidden[0], most_actions, render_mode)


class VariantEnv(AECEnv):  # type: ignore[misc]
    """One game after the other of what the SPEC says."""

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi"],
        "name": "gtp_variants_v0",
        "is_parallelizable": False,
    }

    def __init__(self, spec: str, most_actions: int | None = None, render_mode: str | None = None) -> None:
        super().__init__()
        self.rules = rules = parse(spec)
        self.render_mode = render_mode
        points = len(rules.board)
        self._most = 60 * points if most_actions is None else most_actions
        self.possible_agents = [f"player_{index}" for index in range(len(rules.colours))]
        self.agents = list(self.possible_agents)
        self._colours = dict(zip(self.possible_agents, rules.colours, strict=True))
        self.action_spaces = {agent: spaces.Discrete(points + 2) for agent in self.possible_agents}
        seen = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, (PLANES, points), np.int8),
                "action_mask": spaces.Box(0, 1, (points + 2,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        self._rng = np.random.default_rng()

    def observation_space(self, agent: str) -> Any:
        """What an agent's observations look like."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The actions of an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game; the seed decides all dice from now on."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        dice = DiceStream(str(self._rng.integers(2**63)))
        self.table = Table(self.rules, lambda: dice)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._acted = 0
        self._select()

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent's seat knows, and what it may try now: nothing unless it is to act."""
        view = self.table.view(self._colours[agent])
        mask = np.zeros(len(self.rules.board) + 2, np.int8)
        if not self.rules.is_over(self.table.position):
            mask[[self._number(action) for action in view.actions if action not in view.tried]] = 1
        return {"observation": self._planes(view, mask), "action_mask": mask}

    def _planes(self, view: View, mask: Any) -> Any:
        stones = np.frombuffer(view.stones, np.uint8)
        planes = np.zeros((PLANES, len(stones)), np.int8)
        planes[0] = stones == view.colour
        planes[1] = (stones != view.colour) & (stones != EMPTY)
        planes[2, sorted(view.tried)] = 1
        planes[3] = mask[: len(stones)]
        return planes

    def step(self, action: int | None) -> None:
        """Let the agent that is selected act. Raises IllegalMove for what cannot be."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        points = len(self.rules.board)
        self.table.play(self._colours[agent], action if action < points else SWAP if action == points else PASS)
        self._acted += 1
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        position = self.table.position
        if self.rules.is_over(position):
            self.terminations = dict.fromkeys(self.agents, True)
            outcome = self.rules.outcome(position)
            if outcome is not None and outcome.winner is not None:
                lost = -1.0 / (len(self.possible_agents) - 1)
                self.rewards = {a: 1.0 if self._colours[a] == outcome.winner else lost for a in self.agents}
        elif self._acted >= self._most:
            self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self._select()

    def _select(self) -> None:
        self.agent_selection = self.possible_agents[self.rules.colours.index(self.table.position.mover)]

    def _number(self, action: int) -> int:
        return {SWAP: len(self.rules.board), PASS: len(self.rules.board) + 1}.get(action, action)

    def render(self) -> str | None:
        """The board with everything on it, as text."""
        return diagram(self.rules, self.table.position) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is held open."""
