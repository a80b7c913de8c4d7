"""One game of two accounts, refereed by our rules: what is played, what each seat is told, what the clocks show."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, TypeVar

from gtp_variants.errors import NotationError, PeerUnfit, VariantsError
from gtp_variants.players.table import Table
from gtp_variants.records.news import write_news
from gtp_variants.records.notation import read_move, write_faces, write_move
from gtp_variants.records.record import MAX_EVENTS, Record, Time
from gtp_variants.rules import parse, words
from gtp_variants.rules.actions import BLACK, CHANCE, FLAG, FORFEIT, PASS, SETTLE, SWAP, WHITE
from gtp_variants.rules.dice.stream import DiceStream
from gtp_variants.rules.diced import faces_of
from gtp_variants.rules.options import text_of
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turns import next_mover

T = TypeVar("T")

_SHOWN = 40
# Refused tries of one side in a game, for each point of the board: who wants to make a lost game longer than a record
# holds, and so to nothing, loses it first.
_VAIN_TRIES = 20
# The game of CGOS; what its `setup` says of one, and what makes no difference here: what stands is counted.
PLAIN_GAME = "go"
_TOLD_OR_ALIKE = frozenset(("size", "komi", "dead", "lang"))
# As the protocol says them.
_ENDS = {"resign": "Resign", "time": "Time", "forfeit": "Illegal"}


def hosted(spec: str) -> Rules:
    """The rules of a game that the server can host. Raises SpecError, or PeerUnfit with the reason for another."""
    rules = parse(spec)
    if len(rules.colours) != 2:
        raise PeerUnfit(f"{spec}: a game of {len(rules.colours)}; the protocol has a Black and a White only")
    return rules


def untold(rules: Rules) -> list[str]:
    """What a client of CGOS cannot know of a game, since `setup` does not say it: the game, or options as in a SPEC."""
    if rules.name != PLAIN_GAME:
        return [rules.name]
    return [
        f"{key}={text_of(value)}"
        for key, value in rules.options.find_changes(rules.values).items()
        if key not in _TOLD_OR_ALIKE
    ]


@dataclass(slots=True)
class Match:
    """A game that is on, or was. Times are in seconds; `gift_s` of each move cost nothing.

    `left_s` is what each clock showed after its colour's last move, `times` what it was at each event. `result` is ""
    while the game goes on, then as the protocol says it, with `why`. `tries` counts those refused since the last move.
    """

    number: int
    names: dict[int, str]
    table: Table
    dice: DiceStream
    level_s: float
    gift_s: float
    left_s: dict[int, float]
    ratings: dict[int, str] = field(default_factory=dict)
    times: dict[int, Time] = field(default_factory=dict)
    result: str = ""
    why: str = ""
    tries: int = 0

    @classmethod
    def new(
        cls, number: int, spec: str, names: dict[int, str], level_s: float, gift_s: float, secret: bytes | None = None
    ) -> "Match":
        """A game before its first move; the secret of its dice is made up unless it is given."""
        dice = DiceStream(secret)
        table = Table(hosted(spec), lambda: dice)
        return cls(number, names, table, dice, level_s, gift_s, dict.fromkeys((BLACK, WHITE), level_s))

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.table.rules

    @property
    def asked(self) -> int | None:
        """The colour whose move is waited for, None when the game is over."""
        return None if self.result else int(self.table.position.mover)

    def colour(self, name: str) -> int:
        """The colour of an account."""
        return next(colour for colour, other in self.names.items() if other == name)

    # -- what is played ------------------------------------------------------------------------------------------------

    def left_after(self, took_s: float) -> float:
        """What the clock of the asked colour shows after so long."""
        assert self.asked is not None
        return self.left_s[self.asked] - max(0.0, took_s - self.gift_s)

    def play(self, word: str, took_s: float) -> None:
        """Carry out what the asked colour answered after so long; what it may not do loses the game."""
        colour = self.asked
        assert colour is not None
        left_s = self.left_after(took_s)
        if left_s < 0:
            self.flag()
            return
        self.left_s[colour] = left_s
        try:
            action = read_move(self.rules.board, word)
            self.table.play(colour, action)
        except NotationError:
            self._forfeit(f"cannot be read: {_shown(word)}")
            return
        except VariantsError as error:
            self._forfeit(f"Illegal move error:{error} move:{_shown(word)}")
            return
        self._took(colour, took_s)
        self._settle(colour)

    def _took(self, colour: int, took_s: float) -> None:
        """Note what the clock showed at the event of this move: the dice may have fallen since."""
        events = self.table.game.events
        number = next(i for i in reversed(range(len(events))) if events[i].actor == colour)
        self.times[number] = Time(took_s=max(0.0, took_s), left_s=max(0.0, self.left_s[colour]))
        self.tries = self.tries + 1 if self.table.game.is_refused(number) else 0

    def _settle(self, colour: int) -> None:
        table = self.table
        # A seat knows what was refused to it in this turn: to try it all over again would go on for ever.
        if self.tries > len(self.rules.board):
            self._forfeit("tries the same refused points again and again")
            return
        if self.tries and self._vain(colour) > _VAIN_TRIES * len(self.rules.board):
            self._forfeit("too many refused tries in one game")
            return
        if table.suspended:
            table.play(table.position.mover, SETTLE)
        if table.is_final:
            self._end()
        elif len(table.game.events) > MAX_EVENTS - 16:
            self.result, self.why = "Abort", "the game is longer than a record holds"

    def _vain(self, colour: int) -> int:
        game = self.table.game
        return sum(event.actor == colour and game.is_refused(i) for i, event in enumerate(game.events))

    def flag(self) -> None:
        """The asked colour has no time left."""
        assert self.asked is not None
        self.left_s[self.asked] = 0.0
        self.table.play(self.asked, FLAG)
        self._end()

    def _forfeit(self, why: str) -> None:
        assert self.asked is not None
        self.table.play(self.asked, FORFEIT)
        self._end(why)

    def _end(self, why: str = "") -> None:
        outcome = self.table.game.outcome
        assert outcome is not None
        if outcome.winner is None:
            self.result = "Draw"
        else:
            letter = words.COLOUR_LETTERS[outcome.winner].upper()
            end = _ENDS.get(outcome.how)
            self.result = f"{letter}+{end}" if end else outcome.gtp
        self.why = why or outcome.sentence(self.rules.lang)

    # -- what is told --------------------------------------------------------------------------------------------------

    def opening(self, colour: int) -> str:
        """The line that says which game it is."""
        line = f"variant {self.number} {words.COLOUR_LETTERS[colour]} {self.rules.spec}"
        return f"{line} {self.dice.commitment}" if self.rules.name == "aleago" else line

    def setup(self, *, with_moves: bool) -> str:
        """The line that says who plays, with which clocks; with the moves so far, if nothing of them is hidden."""
        white, black = (f"{self.names[c]}({self.ratings.get(c, '?')})" for c in (WHITE, BLACK))
        komi = words.number(float(str(self.rules.values.get("komi", 0))))
        line = f"setup {self.number} {self.rules.board.width} {komi} {_ms(self.level_s)} {white} {black}"
        if not with_moves or not self.rules.is_open:
            return line
        events = self.table.game.events
        moves = (self._move(i) for i, event in enumerate(events) if event.actor != CHANCE and self._is_move(i))
        return " ".join([line, *moves])

    def gameover(self) -> str:
        """The line that says how it ended."""
        return f"gameover {date.today().isoformat()} {self.result} {self.why}".strip()

    def heard(self, colour: int, since: int, *, with_own: bool) -> list[str]:
        """What a seat is told of the events from number `since` on; of its own moves only if it does not know them."""
        if not self.rules.is_open:
            return [f"hear {line}" for line in self._news(colour, since)]
        game = self.table.game
        lines = []
        for number in range(since, len(game.events)):
            event = game.events[number]
            if event.actor == CHANCE and event.action >= 0:
                lines.append(self._draw(number))
            elif self._is_move(number) and (with_own or event.actor != colour):
                lines.append(f"play {words.COLOUR_LETTERS[event.actor]} {self._move(number)}")
        # A draw is known before the move after which it falls is told: who follows the game never lacks one.
        return sorted(lines, key=lambda line: not line.startswith("draw"))

    def _is_move(self, number: int) -> bool:
        action = self.table.game.events[number].action
        return action >= 0 or action in (PASS, SWAP)

    def _move(self, number: int) -> str:
        event = self.table.game.events[number]
        left_s = self.times[number].left_s if number in self.times else self.level_s
        return f"{write_move(self.rules.board, event.action)} {_ms(left_s or 0.0)}"

    def _draw(self, number: int) -> str:
        game, rules = self.table.game, self.rules
        before: Any = game.positions[number]
        slot = len(before.draws)
        colour = before.mover if slot == 0 else next_mover(rules.colours, before, before.mover)
        faces = write_faces(faces_of(rules, before, game.events[number].action))
        return f"draw {before.turn + slot} {words.COLOUR_LETTERS[colour]} {faces}"

    def _news(self, colour: int, since: int) -> list[str]:
        game = self.table.game
        lines = []
        for number in range(since, len(game.events)):
            before, after = game.positions[number], game.positions[number + 1]
            news = self.rules.hears(before, game.events[number], after, colour)
            if news is not None:
                lines.append(" ".join(write_news(self.rules, news)))
        return [line for line in lines if line]

    # -- what is kept --------------------------------------------------------------------------------------------------

    def record(self) -> Record:
        """The game as the referee saw it."""
        thrown = self.rules.name == "aleago"
        return Record(
            self.table.game,
            dice="secret" if thrown else None,
            commitment=self.dice.commitment if thrown else None,
            secret=self.dice.secret if thrown else None,
            players=dict(self.names),
            comment=self.why,
            main_s=self.level_s,
            times=dict(self.times),
        )


def by_letter(values: Mapping[int, T]) -> dict[str, T]:
    """What belongs to each colour, by its letter."""
    return {words.COLOUR_LETTERS[colour]: value for colour, value in values.items()}


def _ms(seconds: float) -> int:
    return int(max(0.0, seconds) * 1000)


def _shown(word: str) -> str:
    return word[:_SHOWN] if word.isprintable() else ascii(word)[:_SHOWN]
