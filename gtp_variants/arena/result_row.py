"""A finished game as one row of a table."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import from_sgf
from gtp_variants.rules.outcome import Outcome

# The kinds of failure, as reports list them.
ILLEGAL, TIME, CRASH, HANG, PROTOCOL, TAMPERING, KILLED, QUIT = FAILURES = (
    *("illegal", "time", "crash", "hang", "protocol", "tampering", "killed", "quit"),
)
# How the reason begins why a game counts as no player played it: its referee was tampered with.
TAMPERED = "the referee's game is not what fresh rules make of its events"


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A finished game.

    `players` are in the order Black, White, Red. `kind` is "played", "forfeit", "adjudicated" (at the move limit) or
    "void". `result` is as in an SGF `RE`; `winner` is a player's name, None for a draw or a void game. `moves` are
    stones and passes, `stones` only stones. `failures` are player, kind and words; `left` names who dropped out, in
    order. `fingerprint` is equal for games in which the same happened. Times are in seconds, those of thinking by
    player: `thought_s` in all, `slowest_s` the longest move. While a match tunes, `parameters` are what the commands of
    its players were filled in with, by player.
    """

    id: str
    matchup: str
    pair: int
    leg: str
    players: tuple[str, ...]
    kind: str
    result: str
    winner: str | None
    moves: int
    stones: int = 0
    opening: str = ""
    fingerprint: str = ""
    failures: tuple[tuple[str, str, str], ...] = ()
    why: str = ""
    left: tuple[str, ...] = ()
    took_s: float = 0.0
    thought_s: Mapping[str, float] = field(default_factory=dict)
    slowest_s: Mapping[str, float] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def pair_id(self) -> str:
        """The name of the pair that the game belongs to, such as mine-greedy/0007."""
        return self.id[:-1]

    @property
    def is_void(self) -> bool:
        """Whether the game counts for nobody."""
        return self.kind == "void"

    @property
    def is_tampered(self) -> bool:
        """Whether somebody changed the referee's own objects: whoever did lost it; void if it might be several."""
        return self.why.startswith(TAMPERED)

    @property
    def status(self) -> str:
        """The kind, of a forfeit with what it was for, such as forfeit:time."""
        return f"forfeit:{self.failures[0][1]}" if self.kind == "forfeit" and self.failures else self.kind

    def score(self, player: str) -> float:
        """The points of a player: 1 for a win, a draw is shared by those who did not drop out; 0 in a void game."""
        if self.is_void or player not in self.players:
            return 0.0
        if self.winner is not None:
            return float(player == self.winner)
        return 0.0 if player in self.left else 1 / (len(self.players) - len(self.left))

    def place(self, player: str) -> float:
        """The place of a player, from 1; who shares places has their mean. Who drops out first is last."""
        total = len(self.players)
        if player == self.winner:
            return 1.0
        if player in self.left:
            return float(total - self.left.index(player))
        first = 1 if self.winner is None else 2
        return (first + total - len(self.left)) / 2


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A finished game of a match: `row` is what reports count, `sgf` its record as text, exact, draws included.

    `replay` is a page to look at it, "" unless that was wished, `samples` the bytes of a file for learners, b"" unless
    they were wished.
    """

    row: ResultRow
    sgf: str
    replay: str = ""
    samples: bytes = b""

    @property
    def id(self) -> str:
        """The name of the game, such as mine-greedy/0007b: the matchup, the pair and which game of it."""
        return self.row.id

    @property
    def players(self) -> tuple[str, ...]:
        """Who played, in the order Black, White, Red."""
        return self.row.players

    @property
    def record(self) -> Record:
        """The game with its dice, times and comments, read anew from `sgf` each time it is asked for."""
        return from_sgf(self.sgf)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended as the match counts it; None for a void one."""
        if self.row.is_void:
            return None
        game = self.record.game
        if self.row.kind == "adjudicated":
            return game.rules.standing(game.position) if self.row.winner else Outcome(None, "score")
        return game.outcome or Outcome(None, "forfeit")

    @property
    def failures(self) -> tuple[tuple[str, str, str], ...]:
        """What went wrong: player, kind ("illegal", "time", "crash", "hang", "protocol", "tampering") and words."""
        return self.row.failures
