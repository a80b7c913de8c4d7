"""Our own server, which speaks CGOS's protocol and a few words beyond it: see `gtp_variants.server`."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from gtp_variants.bridge.cgos import COLOURS, Cgos
from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.server import OVER, MoveNote, RefereedState, ServerGame
from gtp_variants.errors import Refused
from gtp_variants.rules import parse

_WORD = "variants"
_LINES = ("draw", "play", "hear")


class Variants(Cgos):
    """A connection to `gtp-variants server`."""

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        super().__init__(config, log)
        rules = parse(config.spec)
        self._plays, self._is_open = rules.name, rules.is_open
        # The game that is told before its `setup`.
        self._refereed: RefereedState | None = None

    def _offers(self, words: Sequence[str]) -> str:
        if _WORD not in words:
            raise Refused("login", f"the server does not know {_WORD}; expected type: cgos for one of that kind")
        return f" {_WORD}={self._plays}"

    def _state_after(self, words: list[str], line: str) -> ServerGame | None:
        if words[0] == "variant":
            self._game = None
            self._refereed = RefereedState(words[3], words[4] if len(words) > 4 else "")
            return None
        refereed = self._refereed
        if refereed is None:
            return super()._state_after(words, line)
        if words[0] in _LINES:
            self._take_in(replace(refereed, lines=(*refereed.lines, line)), words)
            # A draw comes before what it belongs to.
            return None if words[0] == "draw" else self._game
        if words[0] == "record":
            self._take_in(replace(refereed, record=line.partition(" ")[2]), words)
            return None
        game = super()._state_after(words, line)
        if game is None:
            return None
        self._game = replace(game, refereed=self._refereed, moves=_moves(refereed.lines))
        if game.phase == OVER:
            self._refereed = None
        return self._game

    def _take_in(self, refereed: RefereedState, words: Sequence[str]) -> None:
        self._refereed = refereed
        if self._game is None:
            return
        clocks = self._game.clocks
        if len(words) > 3 and words[0] == "play":
            clocks = {**clocks, COLOURS[words[1].lower()[:1]]: self._clock(words[3])}
        self._game = replace(
            self._game, refereed=refereed, moves=_moves(refereed.lines), clocks=clocks, awaits_move=False
        )

    async def play(self, game: ServerGame, vertex: str, note: MoveNote) -> None:
        # In a hidden game the referee says what became of it, elsewhere it is not told to us again.
        if self._refereed is not None and self._is_open:
            letter = next(letter for letter, colour in COLOURS.items() if colour == game.colour)
            lines = (*self._refereed.lines, f"play {letter} {vertex}")
            self._take_in(replace(self._refereed, lines=lines), ())
        await self._line.write(vertex.lower())


def _moves(lines: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """The stones and passes among what the referee said; of those that are hidden nobody says where."""
    said = [line.split() for line in lines if not line.startswith("draw")]
    return tuple((COLOURS[words[1].lower()[:1]], words[2]) for words in said if words[2] != "refused")
