"""Dice for people at a real board: a phone throws them, and anybody can check them afterwards.

As with `gtp-variants dice` the commitment is told first and the secret when the dice are put away; the log is the same.
Whoever has the link throws. Every throw is kept before it is told, and the same throw is asked for by its number, so
that two phones never throw twice for one turn.
"""

import json
from dataclasses import dataclass, replace
from functools import lru_cache

from gtp_variants.base.json_values import Json
from gtp_variants.errors import NotationError
from gtp_variants.records import dice_log
from gtp_variants.records.dice_log import DiceLog
from gtp_variants.rules import find_games, parse
from gtp_variants.rules.actions import BLACK, CHANCE, WHITE
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.traits import DicedRules
from gtp_variants.site.http import PageRefused
from gtp_variants.site.page.game_store import PageStore

# The game with dice that people play at real boards.
_GAME = find_games(lambda cls: issubclass(cls, DicedRules))[0]
# More turns than any game has.
_MOST_THROWS = 2000


@dataclass(frozen=True, slots=True)
class ThrownDice:
    """Dice at a board: the SPEC of the game, the log with its secret, and whether the dice were put away."""

    spec: str
    log: DiceLog
    is_over: bool = False

    def throw(self, draw: int) -> "ThrownDice":
        """After throw number `draw`: the next one, or the last one asked for again."""
        count = len(self.log.throws)
        if draw == count and count:
            return self
        if self.is_over or draw != count + 1 or count >= _MOST_THROWS:
            raise PageRefused("page.dice_away" if self.is_over else "page.dice_order")
        assert self.log.secret is not None
        faces = dice_log.throw(self.log.secret, self.log.dice, draw)
        return replace(self, log=replace(self.log, throws=(*self.log.throws, faces)))

    @property
    def public_log(self) -> DiceLog:
        """The log as anybody may have it."""
        return self.log if self.is_over else replace(self.log, secret=None)

    def as_json(self) -> Json:
        """What is told of it: the throws with whose they are and what they open on an empty board."""
        secret, throws = self.public_log.secret, enumerate(self.log.throws, 1)
        return {
            "spec": self.spec,
            "dice": str(self.log.dice),
            "commitment": self.log.commitment,
            "throws": [
                {"draw": draw, "colour": _owner(draw), "faces": list(faces), "open": _opens(self.spec, faces)}
                for draw, faces in throws
            ],
            "next": _owner(len(self.log.throws) + 1),
            "secret": None if secret is None else secret.hex(),
        }


def _owner(draw: int) -> str:
    return COLOUR_LETTERS[BLACK if draw % 2 else WHITE]


@lru_cache(1000)
def _opens(spec: str, faces: tuple[int, ...]) -> list[int]:
    """The lines that a throw opens where the board is empty."""
    rules = parse(spec)
    assert isinstance(rules, DicedRules)
    start = rules.start()
    draw = rules.describe_draw(rules.play(start, rules.dice.outcome(faces), CHANCE))
    return [] if draw is None else list(draw["open"])


class BoardDice:
    """All dice of one server, at most `most` of them."""

    def __init__(self, store: PageStore, most: int) -> None:
        self._store = store
        self._most = most

    def begin(self, asked: Json, name: str) -> ThrownDice:
        """New dice. Raises VariantsError."""
        size, dice = asked.get("size"), asked.get("dice")
        if type(size) is not int or not isinstance(dice, str):
            raise NotationError('expected {"size": NUMBER, "dice": TEXT}')
        rules = parse(_GAME, {"size": str(size), "dice": dice})
        assert isinstance(rules, DicedRules)
        stream = DiceStream()
        thrown = ThrownDice(rules.spec, DiceLog(rules.dice, stream.commitment, (), stream.secret))
        self._keep(name, thrown)
        return thrown

    def find(self, name: str) -> ThrownDice | None:
        """The dice of a name."""
        text = self._store.load_dice(name)
        if text is None:
            return None
        kept = json.loads(text)
        return ThrownDice(kept["spec"], dice_log.read(kept["log"].encode()), kept["over"])

    def act(self, name: str, thrown: ThrownDice, asked: Json) -> ThrownDice:
        """A throw, or the dice are put away; kept before it is told. Raises VariantsError."""
        what, draw = asked.get("do"), asked.get("draw")
        if what == "throw" and type(draw) is int:
            after = thrown.throw(draw)
        elif what == "reveal":
            after = replace(thrown, is_over=True)
        else:
            raise NotationError('expected {"do": "throw", "draw": NUMBER} or {"do": "reveal"}')
        if after != thrown:
            self._keep(name, after)
        return after

    def _keep(self, name: str, thrown: ThrownDice) -> None:
        # The secret stands in the log from the beginning: the store is its user's only.
        text = json.dumps({"spec": thrown.spec, "over": thrown.is_over, "log": dice_log.text(thrown.log)})
        try:
            has_room = self._store.keep_dice(name, text, thrown.is_over, self._most)
        except OSError as error:
            raise PageRefused("page.cannot_keep", 503) from error
        if not has_room:
            raise PageRefused("page.many_dice", 503, count=self._most)
