"""A bot that thinks: tree search over playouts, by number or by time."""

from typing import ClassVar

import gtp_variants as gv


class Mcts(gv.Seat):
    """Plays the move that a tree search visited most; `playouts` or `seconds` end its thinking."""

    parameters: ClassVar[dict[str, int | float | bool]] = {
        "playouts": 4000,
        "seconds": 1.0,
        "rave": True,
        "equivalence": 1000.0,
        "exploration": 0.0,
        "even": 10.0,
        "expand_at": 2,
        "tactics": True,
        "proofs": True,
    }

    # What the last search found, for who measures.
    found: gv.Found | None = None

    def __init__(self) -> None:
        vars(self).update(self.parameters)

    def choose(self, view: gv.View, clock: gv.Clock) -> int:
        """The most visited move; where a pass would end the game though a line has more to offer, the best stone."""
        settings = {key: getattr(self, key) for key in self.parameters}
        # Captures and passes make games longer than the empty points say.
        budget = clock.budget_s(max(view.stones.count(gv.EMPTY) // 2, len(view.stones) // 4))
        if budget is not None:
            settings["seconds"] = min(budget, settings["seconds"]) if settings["seconds"] else budget
        self.found = found = gv.search(self.rules, view, seed=self.rng.getrandbits(63), **settings)
        self.explanation = self.explain(found)
        points = self.points(view)
        if found.action not in view.actions:
            # The tree holds no move: every one loses, or fills an eye of ours.
            return self.least_harmful(view, points)
        if found.action != gv.PASS or not self.must_play(view):
            return found.action
        tried = {point: found.visits[point] for point in points if found.visits.get(point)}
        return max(tried, key=tried.__getitem__) if tried else self.least_harmful(view, points)

    def explain(self, found: gv.Found) -> str:
        """Visits, value and what the search expects to follow."""
        value = found.values[self.rules.colours.index(self.colour)] if found.values else 0.0
        moves = " ".join("pass" if move < 0 else self.rules.board.vertex(move) for move in found.principal_variation)
        return f"{found.visits.get(found.action, 0)} of {found.playouts} playouts, value {value:.1%}, expected: {moves}"
