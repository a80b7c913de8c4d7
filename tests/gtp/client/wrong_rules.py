"""Wrong beliefs about the rules: each is a game of ours with one rule changed.

`write_conformance.py` searches for positions in which a believer must answer wrongly, and the tests seed the same
faults into a sample engine.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gtp_variants.rules import split_spec
from gtp_variants.rules.boards.chains import breathless, without
from gtp_variants.rules.games.aleago import AleagoPosition, AleagoRules
from gtp_variants.rules.games.alter_igo import AlterIgoPosition, AlterIgoRules
from gtp_variants.rules.games.go import GoFamily, GoPosition
from gtp_variants.rules.illegal_moves import illegal
from gtp_variants.rules.rules import Rules


class _Capturing(GoFamily[GoPosition]):
    """Go with another rule of capture.

    `taken` returns the stones that leave, of the enemy `chains` without a liberty; `touched` are the enemy's stones
    next to the new one.
    """

    is_own_first = False
    is_suicide_legal = False

    def taken(self, chains: Sequence[list[int]], touched: Collection[int]) -> Collection[int]:
        return {point for chain in chains for point in chain}

    def _place(self, position: GoPosition, point: int) -> tuple[bytes, tuple[int, ...]] | None:
        board, mover = self.board, position.mover
        stones = bytearray(position.stones)
        stones[point] = mover
        near = [each for each in board.neighbours[point] if stones[each] not in (0, mover)]
        found: list[list[int]] = []
        for each in near:
            chain = breathless(board, stones, each)
            if chain is not None and not self.lives(stones, chain) and not any(each in other for other in found):
                found.append(chain)
        own = breathless(board, stones, point) or []
        taken = self.taken(found, near)
        if own and (self.is_own_first or not taken) and not self.is_suicide_legal and not self.may_stand(stones, own):
            return None
        return without(bytes(stones), taken), tuple(sorted(taken))


class SuicideLegal(_Capturing):
    is_suicide_legal = True


class OwnFirst(_Capturing):
    is_own_first = True


class CapturedStay(_Capturing):
    def taken(self, chains: Sequence[list[int]], touched: Collection[int]) -> Collection[int]:
        return ()


class OneChain(_Capturing):
    def taken(self, chains: Sequence[list[int]], touched: Collection[int]) -> Collection[int]:
        return chains[0] if chains else ()


class NeighbourOnly(_Capturing):
    def taken(self, chains: Sequence[list[int]], touched: Collection[int]) -> Collection[int]:
        return {point for chain in chains for point in chain if point in touched}


class EdgeBreathes(_Capturing):
    def lives(self, stones: bytes | bytearray, members: Collection[int]) -> bool:
        inner = max(map(len, self.board.neighbours))
        return super().lives(stones, members) or any(len(self.board.neighbours[point]) < inner for point in members)

    def may_stand(self, stones: bytes | bytearray, members: Collection[int]) -> bool:
        return self.lives(stones, members)


class FromTheCentre(AleagoRules):
    def configure(self) -> None:
        super().configure()
        last = max(self.lines)
        self.lines = tuple(last + 1 - line for line in self.lines)
        self.on_line = {line: tuple(p for p, at in enumerate(self.lines) if at == line) for line in self.on_line}


class NoFallback(AleagoRules):
    def configure(self) -> None:
        super().configure()
        self.has_fallback = False


class FallbackUp(AleagoRules):
    def open_lines(self, position: AleagoPosition) -> tuple[int, ...] | None:
        if position.draws[0] == position.dice.free:
            return None
        faces = position.dice.faces(position.draws[0])
        drawn = self.line_table.drawn_lines(position.dice, faces)
        higher = [(line,) for line in self.on_line if line > sum(faces)]
        return next((lines for lines in [drawn, *higher] if self._has_room(position, lines)), ())


class OneLineDown(AleagoRules):
    """The fallback goes to the next line only."""

    def open_lines(self, position: AleagoPosition) -> tuple[int, ...] | None:
        lines = super().open_lines(position)
        if not lines:
            return lines
        total = sum(position.dice.faces(position.draws[0]))
        return lines if max(lines) >= min(total, max(self.on_line)) - 1 else ()


class EnemyFirst(AlterIgoRules):
    """Capture as in Go: the enemy's strings leave before the own string is judged."""

    def find_removed(self, placed: bytes, point: int) -> tuple[int, ...]:
        removed = super().find_removed(placed, point)
        return tuple(each for each in removed if placed[each] != placed[point]) or removed


class OwnSpared(AlterIgoRules):
    def find_removed(self, placed: bytes, point: int) -> tuple[int, ...]:
        return tuple(each for each in super().find_removed(placed, point) if placed[each] != placed[point])


class NewStoneOnly(AlterIgoRules):
    """A wrong rule: a suicide removes only the new stone, and leaves the rest of its string."""

    def find_removed(self, placed: bytes, point: int) -> tuple[int, ...]:
        removed = super().find_removed(placed, point)
        return tuple(each for each in removed if placed[each] != placed[point] or each == point)


class NoLoneSuicide(AlterIgoRules):
    def actions(self, position: AlterIgoPosition) -> Sequence[int]:
        return [action for action in super().actions(position) if action < 0 or not self.loses(position, action)]

    def put(self, position: AlterIgoPosition, point: int) -> AlterIgoPosition:
        if self.loses(position, point):
            raise illegal("suicide", vertex=self.board.vertex(point))
        return super().put(position, point)


@dataclass(frozen=True, slots=True)
class Belief:
    """A wrong belief: the change of a game's class or options, its words, and the true rule with its source."""

    name: str
    fault: str
    rule: str
    specs: tuple[str, ...]
    kind: type[Any] | None = None
    options: Mapping[str, str] | None = None
    is_usual_go: bool = True  # True if every Go engine keeps the true rule, whatever rules it was told

    def rules(self, spec: str) -> Rules[Any]:
        """Return the rules of a SPEC as the believer has them."""
        cls, given = split_spec(spec)
        kind = cls if self.kind is None else self.kind
        if not issubclass(kind, cls):
            kind = type(kind.__name__, (kind, cls), {})
        made: Rules[Any] = kind({**given, **(self.options or {})})
        return made


_GO = ("go:size=5", "go:size=4", "go:size=3")
_ALEAGO = ("aleago:size=5,dice=1d3", "aleago:size=5", "aleago:size=4,dice=1d2")
_ALTER = ("alter-igo:size=4", "alter-igo:size=3", "alter-igo:size=5")
_ROSETTE = ("rosette:n=2",)
_PHANTOM = ("phantom:size=4", "phantom:size=3")
_CAPTURE = (
    ("suicide", SuicideLegal, "believes that suicide is legal", "A stone or chain may not be left without a liberty."),
    ("captures stay", CapturedStay, "leaves captured stones on its board", "Captured stones leave the board."),
    (
        "own first",
        OwnFirst,
        "judges the new stone's liberties before it takes the captured stones",
        "Captured stones leave the board before the new stone's liberties are counted.",
    ),
    (
        "one chain",
        OneChain,
        "takes only one of several captured chains",
        "Every enemy chain without a liberty is captured.",
    ),
    (
        "neighbours only",
        NeighbourOnly,
        "takes only the captured stones next to the new stone",
        "A captured chain leaves the board as a whole.",
    ),
    ("edge breathes", EdgeBreathes, "counts the edge as a liberty", "Only an empty point is a liberty."),
)
_KO = (
    ("no ko", {"repetition": "none"}, "knows no ko", "A stone may not repeat an earlier board.", True),
    ("simple ko", {"repetition": "simple"}, "knows the ko but no superko",
     "A stone may not repeat any earlier board.", False),
)  # fmt: skip


def _of_go(specs: tuple[str, ...]) -> list[Belief]:
    found = [Belief(name, fault, rule, specs, kind) for name, kind, fault, rule in _CAPTURE]
    return found + [
        Belief(name, fault, rule, specs, None, options, is_usual_go=usual) for name, options, fault, rule, usual in _KO
    ]


_STAR = 'The highest total of dice marked * also opens the lines that no total can name. Source: "Dés et goban".'
_DOWN = 'If the drawn line has no room, the line below counts, down to the first. Source: "Plus de place ?".'
_AT_ONCE = "Strings of both colours without a liberty are removed at once. Source: rule 4."

BELIEFS: dict[str, list[Belief]] = {
    "go": _of_go(_GO),
    "aleago": [
        Belief("lines from the centre", "counts the lines from the centre",
               'Lines are counted from the edge. Source: "Tirage de la ligne".',
               _ALEAGO, FromTheCentre),
        Belief("no fallback", "passes where the drawn line has no room", _DOWN, _ALEAGO, NoFallback),
        Belief("fallback upward", "looks for room on the lines above", _DOWN, _ALEAGO, FallbackUp),
        Belief("one line down", "looks for room on the next line only", _DOWN, _ALEAGO, OneLineDown),
        Belief("overflow passes", "passes if the total is beyond the last line", _DOWN, ("aleago:size=5",),
               None, {"overflow": "pass"}),
        Belief("star ignored", "ignores the star", _STAR, ("aleago:size=5,dice=1d2",), None, {"star": "false"}),
        Belief("star always", "opens the star's lines where the dice have no star", _STAR,
               ("aleago:size=5,dice=1d2,star=false",), None, {"star": "true"}),
        Belief("ko leaves room", "thinks that a point forbidden by ko leaves room on its line",
               "A line with nothing but points forbidden by repetition has no room.", _ALEAGO,
               None, {"fallback_ko": "false"}),
        *_of_go(_ALEAGO),
    ],
    "alter-igo": [
        Belief("enemy first", "takes the enemy's stones before it judges its own, as in Go", _AT_ONCE, _ALTER,
               EnemyFirst),
        Belief("own spared", "takes only the enemy's stones", _AT_ONCE, _ALTER, OwnSpared),
        Belief("new stone only", "takes the new stone but not the rest of its string", _AT_ONCE, _ALTER, NewStoneOnly),
        Belief("no lone suicide", "believes that a lone suicide is illegal",
               "A player whose stone is the only one removed loses. Source: rule 5.", _ALTER, NoLoneSuicide),
    ],
    "rosette": [
        Belief("no immunity", "captures rosettes",
               'A chain with six stones around a hexagon is never captured. Source: "VIE ET MORT".', _ROSETTE,
               None, {"immunity": "false"}),
        Belief("rosette suicide", "lets a rosette be left without a liberty by its own player",
               "A stone may not take the last liberty of its own chain.", _ROSETTE,
               None, {"rosette_suicide": "legal"}),
        *_of_go(_ROSETTE),
    ],
    "phantom": _of_go(_PHANTOM),
    "pentalath": [],
}  # fmt: skip
