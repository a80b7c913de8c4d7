"""A bot that thinks: tree search over playouts, by number or by time."""

from typing import ClassVar

import gtp_variants as gv


class Mcts(gv.Seat):
    """Plays the move that a tree search visited most. `playouts` or `seconds` end its thinking, whichever comes first."""

    parameters: ClassVar[dict[str, int | float | bool]] = {
        "playouts": 4000,
        "seconds": 1.0,
        "rave": True,
        "equivalence": 1000.0,
        "exploration": 0.0,
        "even": 10.0,
        "expand_at": 2,
        "proofs": True,
    }
    playouts: int = 4000
    seconds: float = 1.0
    rave: bool = True
    equivalence: float = 1000.0
    exploration: float = 0.0
    even: float = 10.0
    expand_at: int = 2
    proofs: bool = True

    def choose(self, view: gv.View, clock: gv.Clock) -> int:
        """The most visited move; where a pass would end the game though a line has more to offer, the best stone."""
        found = gv.search(
            self.rules,
            view,
            playouts=self.playouts,
            seconds=self.seconds,
            seed=self.rng.getrandbits(63),
            **{key: getattr(self, key) for key in ("rave", "equivalence", "exploration", "even", "expand_at", "proofs")},
        )
        if found.action != gv.PASS or not self.must_play(view):
            return found.action
        stones = {action: visits for action, visits in found.visits.items() if action in view.actions and action >= 0}
        return max(stones, key=stones.__getitem__) if stones else self.least_harmful(view, self.open_points(view))
