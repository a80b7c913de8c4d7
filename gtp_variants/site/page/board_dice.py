"""Dice for people at a real board: a phone throws them, and anybody can check them afterwards.

As with `gtp-variants dice`, the commitment is published first and the secret when the dice are put away; the log has
the same form. Anyone with the link may throw. A throw is stored before it is told, and asking for its number again
returns the same throw, so that two phones never throw twice for one turn.
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
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.traits import DicedRules
from gtp_variants.rules.words import COLOUR_LETTERS
from gtp_variants.site.http import PageRefused
from gtp_variants.site.page.game_store import PageStore

# The game with dice that people play at a real board.
_GAME = find_games(lambda cls: issubclass(cls, DicedRules))[0]
# More throws than any game needs.
_MOST_THROWS = 2000


@dataclass(frozen=True, slots=True)
class ThrownDice:
    """Dice at a board: the SPEC, the log with its secret, and whether the dice were put away."""

    spec: str
    log: DiceLog
    is_over: bool = False

    def throw(self, draw: int) -> "ThrownDice":
        """Return the dice after throw `draw`, which is the next one or the last one again. Raises PageRefused."""
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
        """The log without its secret, until the dice are put away."""
        return self.log if self.is_over else replace(self.log, secret=None)

    def as_json(self) -> Json:
        """Return the public state: each throw with its owner and the lines it opens on an empty board."""
        secret = self.public_log.secret
        return {
            "spec": self.spec,
            "dice": str(self.log.dice),
            "commitment": self.log.commitment,
            "throws": [
                {"draw": draw, "colour": _owner(draw), "faces": list(faces), "open": _opens(self.spec, faces)}
                for draw, faces in enumerate(self.log.throws, 1)
            ],
            "next": _owner(len(self.log.throws) + 1),
            "secret": None if secret is None else secret.hex(),
        }


def _owner(draw: int) -> str:
    return COLOUR_LETTERS[BLACK if draw % 2 else WHITE]


@lru_cache(1000)
def _opens(spec: str, faces: tuple[int, ...]) -> list[int]:
    """Return the lines a throw opens on an empty board."""
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
        """Create new dice. Raises VariantsError."""
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
        """Return the dice of a name."""
        text = self._store.load_dice(name)
        if text is None:
            return None
        kept = json.loads(text)
        return ThrownDice(kept["spec"], dice_log.read(kept["log"].encode()), kept["over"])

    def act(self, name: str, thrown: ThrownDice, asked: Json) -> ThrownDice:
        """Throw the dice or put them away, and store that before it is told. Raises VariantsError."""
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
        # The log holds the secret from the beginning: only the server's user can read the store.
        text = json.dumps({"spec": thrown.spec, "over": thrown.is_over, "log": dice_log.text(thrown.log)})
        try:
            has_room = self._store.keep_dice(name, text, thrown.is_over, self._most)
        except OSError as error:
            raise PageRefused("page.cannot_keep", 503) from error
        if not has_room:
            raise PageRefused("page.many_dice", 503, count=self._most)
