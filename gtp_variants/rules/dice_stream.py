"""Verifiable dice: faces computed by HMAC-SHA-256 from a secret, committed to before the game and revealed after it.

Face number i of draw k is a function of a secret, k and i::

    message = "draw {k} face {i} try {t}"                      ASCII, decimal numbers, t = 0, 1, ...
    block   = HMAC-SHA-256(key = secret, message)
    number  = the first 8 bytes of block, big-endian
    if number < 2**64 - 2**64 % sides:  face = number % sides + 1      else t + 1 is tried

This makes faces exactly uniform. k is the number of the turn that the draw is for: stones and passes so far + 1. i
counts from 0 within a draw. Dice that are thrown again use a later i: the next unused i after a total that names no
line (`overflow=reroll`), and the next multiple of 1000 after each change of the dice in that turn.

Players may add nonces once they know the commitment, so that the referee cannot choose a secret that pleases it. A draw
for which nonces count has the key HMAC-SHA-256(secret, message) instead, with a message such as "nonces b 00ff w 7a":
the colour and the hex of each nonce, in order of the first draw that it counts for, then of colours.

The commitment is SHA-256(secret) in lower-case hex, published before the game. Once the secret is revealed, anyone can
check every draw. A secret made from a short text can be guessed: use 32 random bytes where that matters.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import NamedTuple

from gtp_variants.errors import GameOver
from gtp_variants.rules.actions import CHANCE, PASS, SWAP, Event
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game
from gtp_variants.rules.traits import DicedRules

_SPAN = 2**64
# Face numbers reserved for each change of the dice within a turn.
_CAST = 1000


def throw_face(secret: bytes, draw: int, index: int, sides: int) -> int:
    """Return face number `index` (from 0) of draw number `draw` (from 1) for a die, from 1 to `sides`."""
    limit = _SPAN - _SPAN % sides
    attempt = 0
    while True:
        message = f"draw {draw} face {index} try {attempt}".encode()
        number = int.from_bytes(hmac.digest(secret, message, "sha256")[:8], "big")
        if number < limit:
            return number % sides + 1
        attempt += 1


class Nonce(NamedTuple):
    """A player's contribution to the dice: bytes that affect the draws from number `draw` (from 1) on."""

    draw: int
    colour: int
    value: bytes

    def __str__(self) -> str:
        return f"{self.draw} {COLOUR_LETTERS[self.colour]} {self.value.hex()}"


class DiceStream:
    """The dice of one game, from a secret: a text stands for its UTF-8 bytes, None for 32 new random bytes.

    The same turn always gets the same faces, whatever has been played, undone or replayed before. Nonces may be added
    to `nonces` for draws that nobody has seen.

    >>> import gtp_variants as gv
    >>> dice = gv.DiceStream("paper/0042")
    >>> dice.commitment[:16]
    '0e264f20e283ebe1'
    >>> game = gv.Game(gv.parse("aleago:size=9,dice=1d4"))
    >>> game.play(gv.CHANCE, dice.draw(game))
    Event(actor=0, action=2)
    """

    def __init__(self, secret: str | bytes | None = None, nonces: Iterable[Nonce] = ()) -> None:
        given = secrets.token_bytes(32) if secret is None else secret
        self.secret = given.encode() if isinstance(given, str) else given
        self.nonces = list(nonces)

    @property
    def commitment(self) -> str:
        """SHA-256 of the secret in lower-case hex, to be published before the game."""
        return hashlib.sha256(self.secret).hexdigest()

    def draw(self, game: Game) -> int:
        """Return the CHANCE action for the throw that is due. Raises GameOver if no throw is due."""
        position, rules = game.position, game.rules
        if position.to_play != CHANCE or not isinstance(rules, DicedRules):
            raise GameOver("no dice are to be thrown now")
        slot = len(position.draws)
        draw, dice = position.turn + slot, rules.dice_of(position)
        key, index = self.key(game, draw), rules.cast(position, slot) * _CAST
        while True:
            faces = tuple(throw_face(key, draw, index + i, dice.sides) for i in range(dice.count))
            if rules.line_table.stands_as_thrown(dice, faces):
                return dice.outcome(faces)
            index += dice.count

    def key(self, game: Game, draw: int) -> bytes:
        """Return the HMAC key for the faces of draw number `draw`."""
        words = [str(nonce).partition(" ")[2] for nonce in sorted(self.nonces) if nonce.draw <= draw]
        return hmac.digest(self.secret, " ".join(["nonces", *words]).encode(), "sha256") if words else self.secret


class SharedDice(DiceStream):
    """Dice that fall the same way in all processes with the same secret and the same moves.

    The key of the first draw is HMAC-SHA-256(secret, setup), where the setup lists its stones in the form "b D4",
    joined by blanks. The key of draw k + 1 is HMAC-SHA-256(key of draw k, move k), where a move is a stone, pass or
    swap in the form "w pass". With the crystal ball draws are made a turn earlier, so the second draw has the key of
    the first, and draw k + 2 has HMAC-SHA-256(key of draw k + 1, move k).
    """

    def __init__(self, secret: str | bytes | None = None) -> None:
        super().__init__(secret)
        # Cached: the text of the setup with the first key, and each move with the key after it.
        self._first: tuple[str, bytes] | None = None
        self._after: list[tuple[Event, bytes]] = []

    def key(self, game: Game, draw: int) -> bytes:
        ahead = game.rules.slots - 1 if isinstance(game.rules, DicedRules) else 0
        count = max(0, draw - 1 - ahead)
        board, moves = game.rules.board, game.turns()
        setup = " ".join(_words(board, colour, point) for point, colour in sorted(game.setup.items()))
        if self._first is None or self._first[0] != setup:
            self._first = (setup, hmac.digest(self.secret, setup.encode(), "sha256"))
            self._after.clear()
        while self._after and (len(self._after) > len(moves) or self._after[-1][0] is not moves[len(self._after) - 1]):
            self._after.pop()
        for move in moves[len(self._after) : count]:
            before = self._after[-1][1] if self._after else self._first[1]
            word = _words(board, move.actor, move.action)
            self._after.append((move, hmac.digest(before, word.encode(), "sha256")))
        return self._after[count - 1][1] if count else self._first[1]


def _words(board: Board, colour: int, action: int) -> str:
    """Return a move as two words, such as "b D4"."""
    vertex = {PASS: "pass", SWAP: "swap"}.get(action) or board.vertex(action)
    return f"{COLOUR_LETTERS[colour]} {vertex}"
