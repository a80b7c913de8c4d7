"""A finished game: its record, and its row in the table from which reports are computed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import from_sgf
from gtp_variants.rules.outcome import Outcome

# The kinds of failure, in the order in which reports list them.
ILLEGAL, TIME, CRASH, HANG, PROTOCOL, TAMPERING, KILLED, QUIT = FAILURES = (
    *("illegal", "time", "crash", "hang", "protocol", "tampering", "killed", "quit"),
)
# The reason begins with these words if a bot changed the referee's objects. The bot loses.
TAMPERED = "the referee's game is not what fresh rules make of its events"
# The reason begins with these words if every stone counted, and the winner would change without the dead stones.
UNJUDGED = "the winner depends on dead stones that nobody judged"


@dataclass(frozen=True, slots=True)
class ResultRow:
    """The result of a finished game.

    `players` are in the order Black, White, Red. `kind` is "played", "forfeit", "adjudicated" (at the move limit) or
    "void". `result` is as in an SGF `RE`; `winner` is None for a draw or a void game. `moves` counts stones and passes.
    Each of `failures` is a tuple of player, kind and reason. The kind `KILLED` is interference: the process of the
    player, or for the player "" that of the referee, was ended or stopped from outside. Such an attempt at the game is
    void and blames nobody. `left` lists the players that dropped out, in order. Games with equal events have the same
    `fingerprint`. `thought_s` is each player's thinking time, and `slowest_s` the time for its slowest move. In a
    tuning, `parameters` are the values in each player's command.
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
        """The id of the game's pair, such as mine-greedy/0007."""
        return self.id[:-1]

    @property
    def is_void(self) -> bool:
        """True if the game counts for nobody."""
        return self.kind == "void"

    @property
    def interferences(self) -> int:
        """The number of attempts at the game that are void because of interference."""
        return sum(kind == KILLED for _, kind, _ in self.failures)

    @property
    def status(self) -> str:
        """The kind of result, for a forfeit with the kind of failure, such as forfeit:time."""
        return f"forfeit:{self.failures[0][1]}" if self.kind == "forfeit" and self.failures else self.kind

    def score(self, player: str) -> float:
        """Return a player's points: 1 for a win, 0 in a void game. The players who did not drop out share a draw."""
        if self.is_void or player not in self.players:
            return 0.0
        if self.winner is not None:
            return float(player == self.winner)
        return 0.0 if player in self.left else 1 / (len(self.players) - len(self.left))

    def place(self, player: str) -> float:
        """Return a player's place, from 1. Equal players get their mean place; the first to drop out comes last."""
        total = len(self.players)
        if player == self.winner:
            return 1.0
        if player in self.left:
            return float(total - self.left.index(player))
        first = 1 if self.winner is None else 2
        return (first + total - len(self.left)) / 2


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A finished game of a match: its result `row`, and `sgf`, its complete record.

    `replay` is an HTML page and `samples` a file of training samples; each is empty unless the match asks for it.
    """

    row: ResultRow
    sgf: str
    replay: str = ""
    samples: bytes = b""

    @property
    def id(self) -> str:
        """The id of the game, made of matchup, pair and leg, such as mine-greedy/0007b."""
        return self.row.id

    @property
    def players(self) -> tuple[str, ...]:
        """The players' names in the order Black, White, Red."""
        return self.row.players

    @property
    def record(self) -> Record:
        """The game with its dice, times and comments. Each access parses `sgf` again."""
        return from_sgf(self.sgf)

    @property
    def outcome(self) -> Outcome | None:
        """The outcome that the match counts; None for a void game."""
        if self.row.is_void:
            return None
        game = self.record.game
        if self.row.kind == "adjudicated":
            return game.rules.standing(game.position) if self.row.winner else Outcome(None, "score")
        return game.outcome or Outcome(None, "forfeit")

    @property
    def failures(self) -> tuple[tuple[str, str, str], ...]:
        """The failures, each a tuple of player, kind (one of `FAILURES`) and reason."""
        return self.row.failures
