"""CGOS, a Go server for programs, and `gtp-variants server`, which extends its protocol.

CGOS plays rounds of games with area scoring, and has neither chat nor undo. It sends: `protocol WORDS`, `username`,
`password`, `Error: TEXT`, `info TEXT`, `setup GID SIZE KOMI LEVEL_MS WHITE(rating) BLACK(rating) [MOVE MS]*` for a new
or resumed game, `play COLOUR MOVE MS`, `genmove COLOUR MS`, `gameover DATE RESULT [TEXT]`. The additional commands of
`gtp-variants server` are listed in docs/protocol/server.md.
"""

import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from itertools import cycle

from gtp_variants._version import __version__
from gtp_variants.bridge.core import server as core
from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.line_connection import TextLine
from gtp_variants.errors import PeerGarbled, PeerGone, Refused
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.colour_names import COLOUR_LETTERS

_LOGIN_S = 60.0
_PROMPTS = ("username", "password")
COLOURS = {"b": BLACK, "w": WHITE}
_REPLACED = "another login is being attempted"
_POINTS = re.compile(r"\d+(\.\d+)?")
_RATING = re.compile(r"\([^()]*\)$")
# Errors in the account name or password, which another login would not fix.
_FOR_GOOD = re.compile(r"password|user name|invalid response|not removing", re.IGNORECASE)


class CgosPast(core.PastGames):
    """Past games on CGOS: a game that is not sent right after the login is lost, and its result is never reported."""

    def has_lost(self, key: str, players: Mapping[int, str]) -> bool:
        return True


class Cgos(core.Server):
    """A connection to CGOS."""

    abilities = core.Abilities()
    past: core.PastGames = CgosPast()

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        self._config = config.server
        self._line = TextLine(log)
        self._takes_notes = False
        self._game: core.ServerGame | None = None
        self._control = TimeControl()
        self._host = config.name

    async def login(self) -> None:
        config = self._config
        await self._line.open(config.host, config.port)
        while True:
            line = await self._line.read(_LOGIN_S, _PROMPTS)
            word, _, rest = line.strip().partition(" ")
            if word == "protocol":
                await self._line.write(f"e1 gtp-variants/{__version__}{self._offers(rest.split())}")
            elif word == "username":
                await self._line.write(config.account)
            elif word == "password":
                await self._line.write(config.password.reveal(), is_secret=True)
                return
            elif word.startswith("Error"):
                self._refuse(line)

    def _offers(self, words: Sequence[str]) -> str:
        self._takes_notes = "genmove_analyze" in words
        return " genmove_analyze" if self._takes_notes else ""

    def _refuse(self, line: str) -> None:
        said = line.partition(":")[2].strip() or line
        if _FOR_GOOD.search(said):
            raise Refused("login", said)
        raise PeerGone(f"the server says: {said}")

    async def events(self) -> AsyncIterator[core.ServerEvent]:
        while True:
            line = (await self._line.read(self._config.silence_s)).strip()
            words = line.split()
            if not words:
                continue
            if words[0].startswith("Error"):
                self._refuse(line)
            if words[0] == "info" and _REPLACED in line:
                raise core.LoginReplaced(line.partition(" ")[2])
            try:
                event = self._state_after(words, line)
            except core.UNREADABLE as error:
                raise PeerGarbled(f"cannot read {line[:80]!r}: {error}") from None
            if event is not None:
                yield event

    def _state_after(self, words: list[str], line: str) -> core.ServerGame | core.AgreementOffer | None:
        """Return the game after a line, or None if the line changes nothing. `Variants` also reads offers."""
        game, word = self._game, words[0]
        if word == "setup":
            self._game = self._set_up(words)
        elif game is not None and word in ("play", "genmove"):
            colour, left = COLOURS[words[1].lower()[:1]], words[3:4] if word == "play" else words[2:3]
            clocks = {**game.clocks, colour: self._clock(left[0])} if left else game.clocks
            moves = (*game.moves, (colour, _vertex(words[2]))) if word == "play" else game.moves
            is_ours = word == "genmove" and colour == game.colour
            self._game = replace(game, moves=moves, clocks=clocks, awaits_move=is_ours)
        elif game is not None and word == "gameover":
            self._game = replace(game, phase=core.OVER, awaits_move=False, result=_result("".join(words[2:3])))
        else:
            return None
        return self._game

    def _set_up(self, words: list[str]) -> core.ServerGame:
        _, number, size, komi, level, white, black, *moves = words
        self._control = TimeControl("absolute", int(level) / 1000)
        names = {BLACK: _RATING.sub("", black), WHITE: _RATING.sub("", white)}
        colour = BLACK if names[BLACK] == self._config.account else WHITE
        if self._config.account not in names.values():
            raise ValueError(f"a game without {self._config.account}")
        clocks = {each: Clock.full(self._control) for each in (BLACK, WHITE)}
        clocks |= {each: self._clock(left) for each, left in zip(cycle((BLACK, WHITE)), moves[1::2], strict=False)}
        played = tuple((each, _vertex(word)) for each, word in zip(cycle((BLACK, WHITE)), moves[0::2], strict=False))
        key = f"{self._host}-{number}"
        return core.ServerGame(key, int(size), colour, names, played, clocks, komi=float(komi))

    def _clock(self, left: str) -> Clock:
        return Clock(self._control, max(0.0, int(left) / 1000))

    async def play(self, game: core.ServerGame, vertex: str, note: str) -> None:
        text, ours = vertex.lower(), self._game
        await self._line.write(f"{text} {note}" if note and self._takes_notes else text)
        # The server does not echo our own moves, so this move is added here.
        if ours is not None and ours.key == game.key:
            self._game = replace(ours, moves=(*ours.moves, (game.colour, _vertex(vertex))), awaits_move=False)

    async def resign(self, game: core.ServerGame) -> None:
        await self._line.write("resign")

    async def ready(self, game: core.ServerGame) -> None:
        self._game = None
        await self._line.write("ready")

    async def close(self) -> None:
        await self._line.close()


def _vertex(text: str) -> str:
    return "pass" if text.lower() == "pass" else text.upper()


def _result(text: str) -> str:
    """Return the SGF form of B+12.0, W+Resign, W+Time, B+Illegal or Draw, or "" for Abort and other words."""
    if text.lower() == "draw":
        return "0"
    winner, plus, how = text.partition("+")
    if not plus or winner.upper() not in ("B", "W"):
        return ""
    word = {"resign": "R", "time": "T", "illegal": "F"}.get(how.lower())
    if word is None and _POINTS.fullmatch(how):
        word = f"{float(how):g}"
    return f"{winner.upper()}+{word}" if word is not None else ""


_WORD = "variants"
_LINES = ("agreed", "draw", "play", "hear")


class Variants(Cgos):
    """A connection to `gtp-variants server`."""

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        super().__init__(config, log)
        rules = parse(config.spec)
        self._plays, self._is_open = rules.name, rules.is_open
        self._agrees = False
        # The refereed game, which `variant` announces before `setup`.
        self._refereed: core.RefereedState | None = None

    def _offers(self, words: Sequence[str]) -> str:
        if _WORD not in words:
            raise Refused("login", f"the server does not offer `{_WORD}`; use type: cgos for a CGOS server")
        self._agrees = "agreements" in words
        return f" {_WORD}={self._plays}" + " agreements" * self._agrees

    def _state_after(self, words: list[str], line: str) -> core.ServerGame | core.AgreementOffer | None:
        if words[0] == "propose" and self._game is not None:
            return core.AgreementOffer(self._game.key, " ".join(words[2:]))
        if words[0] == "variant":
            self._game = None
            self._refereed = core.RefereedState(words[3], words[4] if len(words) > 4 else "")
            return None
        refereed = self._refereed
        if refereed is None:
            return super()._state_after(words, line)
        if words[0] in _LINES:
            self._take_in(replace(refereed, lines=(*refereed.lines, line)), words)
            # The dice change nothing until the move is requested.
            return None if words[0] in ("agreed", "draw") else self._game
        if words[0] == "record":
            self._take_in(replace(refereed, record=line.partition(" ")[2]), words)
            return None
        game = super()._state_after(words, line)
        if not isinstance(game, core.ServerGame):
            return game
        self._game = replace(game, refereed=self._refereed, moves=_moves(refereed.lines))
        if game.phase == core.OVER:
            self._refereed = None
        return self._game

    def _take_in(self, refereed: core.RefereedState, words: Sequence[str]) -> None:
        self._refereed = refereed
        if self._game is None:
            return
        clocks, moves = self._game.clocks, _moves(refereed.lines)
        if len(words) > 3 and words[0] == "play":
            clocks = {**clocks, COLOURS[words[1].lower()[:1]]: self._clock(words[3])}
        self._game = replace(self._game, refereed=refereed, moves=moves, clocks=clocks, awaits_move=False)

    async def play(self, game: core.ServerGame, vertex: str, note: str) -> None:
        # In open games the referee does not repeat our own move, so add it here. In hidden games it sends the result.
        if self._refereed is not None and self._is_open:
            lines = (*self._refereed.lines, f"play {COLOUR_LETTERS[game.colour]} {vertex}")
            self._take_in(replace(self._refereed, lines=lines), ())
        await self._line.write(vertex.lower())

    async def offer(self, game: core.ServerGame, text: str) -> bool:
        if self._agrees:
            await self._line.write(f"propose {text}")
        return self._agrees

    async def answer_offer(self, game: core.ServerGame, text: str, accepted: bool) -> None:
        await self._line.write(f"accept {text}" if accepted else "decline")


def _moves(lines: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """Return the stones and passes in the referee's lines, without refused moves. A hidden move's vertex is "?"."""
    said = [line.split() for line in lines if not line.startswith(("agreed", "draw"))]
    return tuple((COLOURS[words[1].lower()[:1]], words[2]) for words in said if words[2] != "refused")
