"""A second implementation of rules.md for comparison, slow and simple, which shares no code with the package.

A point is represented by its vertex, and stones by a dict from vertex to `b`, `w` or `r`. Every question is answered by
looking at every chain on the board, and repetition by searching a list of all earlier boards.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

Stones = dict[str, str]
Board = frozenset[tuple[str, str]]

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Graph:
    """Points with their places on the grid, their neighbours, and the points around each hexagon."""

    where: dict[str, tuple[int, int]]
    near: dict[str, frozenset[str]]
    faces: tuple[frozenset[str], ...] = ()


def vertex(x: int, y: int) -> str:
    """Return the name of a point, by gtp.md 2."""
    return (LETTERS[x] if x < 25 else LETTERS[x // 25 - 1] + LETTERS[x % 25]) + str(y + 1)


def graph_of(cells: Iterable[tuple[int, int]], touch: Callable[[int, int], bool]) -> Graph:
    """Return a graph of cells; two cells touch if `touch` accepts their distances in x and y."""
    where = {vertex(x, y): (x, y) for x, y in cells}
    near = {
        name: frozenset(other for other, (u, v) in where.items() if touch(u - x, v - y))
        for name, (x, y) in where.items()
    }
    return Graph(where, near)


def touch_on_squares(dx: int, dy: int) -> bool:
    return abs(dx) + abs(dy) == 1


def touch_on_hexagons(dx: int, dy: int) -> bool:
    return (dx, dy) in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1))


def rectangle(width: int, height: int) -> Graph:
    return graph_of([(x, y) for x in range(width) for y in range(height)], touch_on_squares)


def trapezoid() -> Graph:
    """rules.md 5.1.2: "y = 0..6, x = 0..y+6"."""
    return graph_of([(x, y) for y in range(7) for x in range(y + 7)], touch_on_hexagons)


def hexhex5() -> Graph:
    """rules.md 5.1.2: "all cells with |x-y| <= 4"."""
    return graph_of([(x, y) for y in range(9) for x in range(9) if abs(x - y) <= 4], touch_on_hexagons)


def honeycomb(n: int) -> Graph:
    """rules.md 3.1, as drawn on paper: hexagons of side 1, their corners, and the corners' cells on the grid."""
    faces = []
    for a in range(1 - n, n):
        for b in range(1 - n, n):
            if abs(a + b) < n:
                corners = []
                for turn in range(6):
                    px = 1.5 * a + math.cos(turn * math.pi / 3)
                    py = math.sqrt(3) * (a / 2 + b) + math.sin(turn * math.pi / 3)
                    y = round(py / (math.sqrt(3) / 2))
                    corners.append((round(px + y / 2) + 2 * n - 1, y + 2 * n - 1))
                faces.append(corners)
    graph = graph_of(sorted({cell for corners in faces for cell in corners}), touch_on_hexagons)
    return Graph(graph.where, graph.near, tuple(frozenset(vertex(*cell) for cell in corners) for corners in faces))


# -- chains ------------------------------------------------------------------------------------------------------------


def chain_at(graph: Graph, stones: Stones, point: str) -> frozenset[str]:
    chain, ends = {point}, [point]
    while ends:
        more = [n for n in graph.near[ends.pop()] if n not in chain and stones.get(n) == stones[point]]
        chain.update(more)
        ends += more
    return frozenset(chain)


def liberties(graph: Graph, stones: Stones, chain: Iterable[str]) -> set[str]:
    return {n for p in chain for n in graph.near[p] if n not in stones}


def all_chains(graph: Graph, stones: Stones) -> set[frozenset[str]]:
    chains: set[frozenset[str]] = set()
    left = set(stones)
    while left:
        chain = chain_at(graph, stones, next(iter(left)))
        chains.add(chain)
        left -= chain
    return chains


def in_atari(graph: Graph, stones: Stones, colour: str) -> set[str]:
    """Return the stones of a colour whose chains have one liberty."""
    return {
        point
        for chain in all_chains(graph, stones)
        if len(liberties(graph, stones, chain)) == 1
        for point in chain
        if stones[point] == colour
    }


def without(stones: Stones, points: Iterable[str]) -> Stones:
    gone = set(points)
    return {point: colour for point, colour in stones.items() if point not in gone}


def board_of(stones: Stones) -> Board:
    return frozenset(stones.items())


Lives = Callable[[frozenset[str]], bool]


def nobody_lives(chain: frozenset[str]) -> bool:
    return False


def placed(
    graph: Graph, stones: Stones, colour: str, point: str, lives: Lives = nobody_lives, may_stand: Lives = nobody_lives
) -> Stones | None:
    """Return the stones after a placement, by rules.md 0, second line, and 3.2; None for suicide."""
    after = {**stones, point: colour}
    dead = {
        member
        for chain in all_chains(graph, after)
        if after[next(iter(chain))] != colour and not liberties(graph, after, chain) and not lives(chain)
        for member in chain
    }
    after = without(after, dead)
    own = chain_at(graph, after, point)
    if not dead and not liberties(graph, after, own) and not may_stand(own):
        return None
    return after


def area(graph: Graph, stones: Stones, colour: str) -> int:
    """rules.md 0: "stones on the board + empty regions bordered by exactly one colour"."""
    points = sum(1 for there in stones.values() if there == colour)
    left = set(graph.near) - set(stones)
    while left:
        region = {left.pop()}
        while True:
            more = {n for p in region for n in graph.near[p] if n not in stones} - region
            if not more:
                break
            region |= more
        left -= region
        border = {stones[n] for p in region for n in graph.near[p] if n in stones}
        if border == {colour}:
            points += len(region)
    return points


# -- the Go family -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    """A board that has occurred: the side to play, the side that made it, and whether by placing a stone."""

    board: Board
    to_play: str
    maker: str
    by_placing: bool


def other(colour: str) -> str:
    return {"b": "w", "w": "b"}[colour]


@dataclass
class Go:
    """A game by rules.md 0 and, with `faces` and the Rosette options, also by 3.2."""

    graph: Graph
    repetition: str
    immunity: bool = False
    rosette_suicide: bool = False
    supply: int | None = None
    stones: Stones = field(default_factory=dict)
    mover: str = "b"
    seen: list[Seen] = field(default_factory=list)
    before: Board = frozenset()

    def __post_init__(self) -> None:
        self.note("", False)

    def note(self, maker: str, by_placing: bool) -> None:
        self.seen.append(Seen(board_of(self.stones), self.mover, maker, by_placing))

    def lives(self, chain: frozenset[str]) -> bool:
        return self.immunity and any(face <= chain for face in self.graph.faces)

    def may_stand(self, chain: frozenset[str]) -> bool:
        return self.rosette_suicide and self.lives(chain)

    def after(self, point: str) -> Stones | None:
        return placed(self.graph, self.stones, self.mover, point, self.lives, self.may_stand)

    def repeats(self, stones: Stones) -> bool:
        """rules.md 0, "Repetition options"."""
        board, mover = board_of(stones), self.mover
        if self.repetition == "simple":
            return board == self.before
        if self.repetition == "psk":
            return any(seen.board == board for seen in self.seen)
        if self.repetition == "ssk":
            return any(seen.board == board and seen.to_play == other(mover) for seen in self.seen)
        if self.repetition == "nssk":
            return any(seen.board == board and seen.maker == mover and seen.by_placing for seen in self.seen)
        return False

    def reason(self, point: str, by_repetition: bool = True) -> str:
        """Return the reason why a stone may not be placed there; "" if it may."""
        if point in self.stones:
            return "occupied"
        if self.supply is not None and sum(1 for c in self.stones.values() if c == self.mover) >= self.supply:
            return "supply"
        stones = self.after(point)
        if stones is None:
            return "suicide"
        if by_repetition and self.repeats(stones):
            return "repetition"
        return ""

    def legal(self) -> set[str]:
        return {point for point in self.graph.near if not self.reason(point)}

    def place(self, point: str) -> None:
        stones = self.after(point)
        assert stones is not None
        maker, self.before, self.stones = self.mover, board_of(self.stones), stones
        self.mover = other(maker)
        self.note(maker, True)

    def pass_turn(self) -> None:
        maker, self.before = self.mover, board_of(self.stones)
        self.mover = other(maker)
        self.note(maker, False)

    def turn_to(self, colour: str) -> None:
        if colour != self.mover:
            self.mover = colour
            self.note("", False)

    def margin(self) -> int:
        """Return Black's points minus White's, without komi."""
        return area(self.graph, self.stones, "b") - area(self.graph, self.stones, "w")


# -- Aléago ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Draw:
    """The options of rules.md 1.1.3 to 1.1.5 and 1.3 that decide what a throw opens."""

    size: int
    count: int
    sides: int
    star: bool
    star_lines: str = "all"
    overflow: str = "fallback"
    fallback_ko: bool = True
    double_whole_board: bool = False

    def line(self, x: int, y: int) -> int:
        """rules.md 1.1.1."""
        n = self.size
        return 1 + min(x, y, n - 1 - x, n - 1 - y)

    def on(self, graph: Graph, line: int) -> set[str]:
        return {point for point, (x, y) in graph.where.items() if self.line(x, y) == line}

    def opens(self, game: Go, faces: Sequence[int]) -> set[str]:
        """Return the points where a stone may be placed under a throw; none means a forced pass."""
        total, lowest, highest = sum(faces), self.count, self.count * self.sides
        last = math.ceil(self.size / 2)
        if self.double_whole_board and self.count > 1 and set(faces) == {self.sides}:
            return {point for point in game.graph.near if not game.reason(point)}
        lines = {total} if total <= last else set()
        if self.star and total == highest:
            for line in range(1, last + 1):
                reachable = lowest <= line <= highest
                if not reachable and (self.star_lines == "all" or line > highest):
                    lines.add(line)
        if not lines and self.overflow == "pass":
            return set()
        for attempt in [lines, *({line} for line in range(total - 1, 0, -1))]:
            points = {point for line in attempt for point in self.on(game.graph, line)}
            room = {point for point in points if not game.reason(point, by_repetition=self.fallback_ko)}
            if room:
                return {point for point in room if not game.reason(point)}
        return set()


# -- Go Fantôme --------------------------------------------------------------------------------------------------------


def announcements(before: Go, point: str, atari: str = "new", self_atari: str = "always") -> list[tuple[str, int]]:
    """Return the referee's announcements of a legal stone (rules.md 2.1.3, [F-3], [F-4]), with numbers of stones."""
    graph, mover, enemy = before.graph, before.mover, other(before.mover)
    stones = before.after(point)
    assert stones is not None
    said = []
    captured = [gone for gone in before.stones if gone not in stones]
    if captured:
        said.append(("captured", len(captured)))
    threatened = in_atari(graph, stones, enemy)
    if atari == "new":
        threatened -= in_atari(graph, before.stones, enemy)
    if threatened:
        said.append(("atari", len(threatened)))
    if point in in_atari(graph, stones, mover):
        rest = chain_at(graph, stones, point) - {point}
        is_old = bool(rest) and rest <= in_atari(graph, before.stones, mover)
        if self_atari == "always" or not is_old:
            said.append(("self_atari", 0))
    return said or [("played", 0)]


# -- Alter Igo ---------------------------------------------------------------------------------------------------------


@dataclass
class AlterIgo:
    """A game by rules.md 4.1. `result` is "" until the end, then the winner or "draw"."""

    graph: Graph
    repetition: str = "board"
    repeat_count: int = 3
    white_passes: int = 0
    mover: str = "b"
    stones: Stones = field(default_factory=dict)
    seen: list[tuple[Board, str]] = field(default_factory=list)
    result: str = ""

    def __post_init__(self) -> None:
        self.seen.append((board_of(self.stones), self.mover))

    def legal(self) -> set[str]:
        return set() if self.result else set(self.graph.near) - set(self.stones)

    def may_pass(self) -> bool:
        return not self.result and self.mover == "w" and self.white_passes > 0

    def removed(self, point: str, colour: str) -> set[str]:
        after = {**self.stones, point: colour}
        return {p for chain in all_chains(self.graph, after) if not liberties(self.graph, after, chain) for p in chain}

    def losing(self, colour: str) -> set[str]:
        return {p for p in set(self.graph.near) - set(self.stones) if self.removed(p, colour) == {p}}

    def place(self, point: str) -> None:
        removed = self.removed(point, self.mover)
        loser = self.mover
        self.stones = without({**self.stones, point: self.mover}, removed)
        self.mover = other(loser)
        now = (board_of(self.stones), self.mover)
        self.seen.append(now)
        if removed == {point}:
            self.result = other(loser)
        else:
            again = [
                seen for seen in self.seen if (seen == now if self.repetition == "situation" else seen[0] == now[0])
            ]
            if len(again) >= self.repeat_count:
                self.result = "draw"

    def pass_turn(self) -> None:
        self.white_passes -= 1
        self.mover = other(self.mover)


# -- Pentalath ---------------------------------------------------------------------------------------------------------


@dataclass
class Pentalath:
    """A game by rules.md 5.1, [P-1], [P-2], [P-3], [P-6]. `result` is "" until the end, then the winner or "draw"."""

    graph: Graph
    colours: tuple[str, ...] = ("w", "b")
    repetition: str = "none"
    no_move: str = "draw"
    supply: int | None = None
    stones: Stones = field(default_factory=dict)
    mover: str = "w"
    gone: set[str] = field(default_factory=set)
    seen: list[tuple[Board, str]] = field(default_factory=list)
    passes: int = 0
    result: str = ""

    def __post_init__(self) -> None:
        self.seen.append((board_of(self.stones), self.mover))

    def following(self) -> str:
        index = self.colours.index(self.mover)
        order = [*self.colours[index + 1 :], *self.colours[: index + 1]]
        return next(colour for colour in order if colour not in self.gone)

    def reason(self, point: str) -> str:
        if point in self.stones:
            return "occupied"
        if self.supply is not None and sum(1 for c in self.stones.values() if c == self.mover) >= self.supply:
            return "supply"
        return "suicide" if placed(self.graph, self.stones, self.mover, point) is None else ""

    def moves(self) -> set[str]:
        return {point for point in self.graph.near if not self.reason(point)}

    def legal(self) -> set[str]:
        return set() if self.result else self.moves()

    def may_pass(self) -> bool:
        return not self.result and self.no_move == "pass" and not self.moves()

    def five(self, colour: str) -> bool:
        cells = {self.graph.where[point] for point, there in self.stones.items() if there == colour}
        return any(
            all((x + i * dx, y + i * dy) in cells for i in range(5))
            for x, y in cells
            for dx, dy in ((1, 0), (0, 1), (1, 1))
        )

    def place(self, point: str) -> None:
        stones = placed(self.graph, self.stones, self.mover, point)
        assert stones is not None
        self.stones, self.passes, mover = stones, 0, self.mover
        self.mover = self.following()
        now = (board_of(self.stones), self.mover)
        self.seen.append(now)
        again = [
            seen for seen in self.seen if (seen == now if self.repetition == "draw3_situation" else seen[0] == now[0])
        ]
        if self.five(mover):
            self.result = mover
        elif self.repetition != "none" and len(again) >= 3:
            self.result = "draw"
        else:
            self.judge()

    def judge(self) -> None:
        """Apply [P-2] if the player to move has no move."""
        if self.no_move != "pass" and not self.moves():
            self.result = self.following() if self.no_move == "loss" and len(self.colours) == 2 else "draw"

    def pass_turn(self) -> None:
        self.passes += 1
        self.mover = self.following()
        if self.passes >= len(self.colours) - len(self.gone):
            self.result = "draw"

    def leave(self, colour: str) -> None:
        self.gone.add(colour)
        left = [c for c in self.colours if c not in self.gone]
        if len(left) == 1:
            self.result = left[0]
            return
        if self.mover == colour:
            self.mover = self.following()
        self.judge()
