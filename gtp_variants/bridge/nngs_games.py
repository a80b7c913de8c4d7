"""The games at NNGS and IGS: those that we are in, those that wait, and how those ended that we did not see.

The state of a game comes in blocks of lines, whose form is described in `nngs.py`. `results NAME` lists the games of
an account that are over, the newest last. Names are compared without case: the server takes and writes them so.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from secrets import token_hex

from gtp_variants.bridge.core.server import (
    ADJOURNED,
    OVER,
    PLAYING,
    SCORING,
    DoneRefused,
    GameUpdate,
    KomiOffer,
    MoveRefused,
    PastGames,
    ServerEvent,
    ServerGame,
    UndoRefused,
)
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.rules.actions import BLACK, WHITE

COLOURS = {"B": BLACK, "W": WHITE}
# Stones in a period of byo-yomi where the server does not say it: `match` has no word for it.
STONES = 25

_PASS = "pass"
_HEAD = re.compile(r"Game (\d+) \S+ (\S+) \(\d+ (-?\d+) (-?\d+)\) vs (\S+) \(\d+ (-?\d+) (-?\d+)\)")
_MOVE = re.compile(r"\s*(\d+)\(([BW])\): (\S+)(?: (\d+))?")
_GAMES = re.compile(
    r"\[\s*(\d+)\]\s*(\S+) \[.*?\] vs\.\s*(\S+) \[.*?\] \(\s*\d+\s+(\d+)\s+(\d+)\s+(-?[\d.]+)\s+(\d+)\s*([^)]*)\)"
)
# Strong players of IGS carry a star that is not part of their names.
_ENDED = re.compile(r"\{Game (\d+): ([^\s*]+)\*? vs ([^\s*]+)\*? :?\s*(.*)\}")
_POINTS = re.compile(r"W (-?[\d.]+) B (-?[\d.]+)")
_KOMI = re.compile(r"(?:Set the komi to|Komi is now set to) (-?[\d.]+)")
_KOMI_OFFER = re.compile(r"(\S+) offers a new komi of (-?[\d.]+)\.")
_REMOVING = re.compile(r"Removing @ (\S+)")
_STORED = re.compile(r"(\w+)-(\w+)")
_IGS_UNDO_REFUSED = re.compile(
    r"\S+ declines undo\.|You cannot undo in this game|Opponent's client does not support undo"
)
_IGS_LEFT = re.compile(r"(\S+) has (resigned the game|run out of time)\.")
_IGS_SCORE = re.compile(r"\S+ \(W:.\):\s*(-?[\d.]+) to \S+ \(B:.\):\s*(-?[\d.]+)")
_IGS_REMOVED = re.compile(r"Removed game file (\S+)-(\S+) from database")

# White and Black in small letters, by which a game is known.
Pair = tuple[str, str]

# Winner and their colour, loser, and how.
_PAST = re.compile(r"(\S+) +\[.*?\]\(([BW])\) : (\S+) +\[.*?\]\([BW]\) H \d+ K \S+ \d+x\d+ [BW]\+(\S+) ")
_PAST_WORDS = {"Resign": "R", "Time": "T"}


class NngsPast(PastGames):
    """The games of the past, and those that were asked about.

    `goes_on` says whether a game is on or waits to be gone on with; `ask` sends for the list. What waits is known as
    soon as `has_stored_list`.
    """

    def __init__(self, goes_on: Callable[[Pair], bool], ask: Callable[[], Awaitable[None]]) -> None:
        self.has_stored_list = False
        self._goes_on, self._ask = goes_on, ask
        self._asked: dict[Pair, ServerGame] = {}
        self._results: dict[Pair, str] = {}

    def has_lost(self, key: str, players: Mapping[int, str]) -> bool:
        return self.has_stored_list and bool(players) and not self._goes_on(pair_of(players))

    async def ask_result(self, key: str, players: Mapping[int, str]) -> bool:
        self._asked[pair_of(players)] = ServerGame(key, 19, BLACK, players, phase=OVER, is_whole=False)
        if len(self._asked) == 1:
            self._results.clear()
            await self._ask()
        return True

    def read(self, text: str) -> bool:
        """Take in a line, if it is one of a game of the past."""
        found = _PAST.match(text)
        if found is None:
            return False
        white, black = (found[1], found[3]) if found[2] == "W" else (found[3], found[1])
        with suppress(ValueError):
            self._results[white.lower(), black.lower()] = (
                f"{found[2]}+{_PAST_WORDS.get(found[4]) or f'{float(found[4]):g}'}"
            )
        return True

    def tell(self) -> list[ServerEvent]:
        """The list begins or ends: how the games ended that were asked about, as far as it was told."""
        found = {names: game for names, game in self._asked.items() if names in self._results}
        self._asked = {names: game for names, game in self._asked.items() if names not in found}
        return [GameUpdate(replace(game, result=self._results[names])) for names, game in found.items()]


def same_name(one: str, other: str) -> bool:
    """Return True if two names are the same account."""
    return one.lower() == other.lower()


def same_names(names: Mapping[int, str], white: str, black: str) -> bool:
    """Return True if these two play a game."""
    return pair_of(names) == (white.lower(), black.lower())


def pair_of(names: Mapping[int, str]) -> Pair:
    """White and Black of a game."""
    return names.get(WHITE, "").lower(), names.get(BLACK, "").lower()


@dataclass(slots=True)
class _Game:
    """A game as it is put together. `moves` are as in the blocks, handicap among them; `is_known` once it is whole."""

    number: int
    names: dict[int, str]
    moves: list[tuple[int, str]] = field(default_factory=list)
    clocks: dict[int, Clock] = field(default_factory=dict)
    left: dict[int, tuple[int, int]] = field(default_factory=dict)
    control: TimeControl = field(default_factory=TimeControl)
    size: int = 19
    komi: float | None = None
    phase: str = PLAYING
    result: str = ""
    removed: list[str] = field(default_factory=list)
    is_known: bool = False
    created: str = ""

    @property
    def handicap(self) -> int:
        """The stones that the first move placed."""
        word = self.moves[0][1] if self.moves else ""
        return int(word.removeprefix("handicap ")) if word.startswith("handicap ") else 0

    def to_play(self) -> int:
        """The colour whose turn it is."""
        return WHITE if self.moves and self.moves[-1][0] == BLACK else BLACK

    def has_passes(self, count: int) -> bool:
        """Return True if the last so many moves are passes."""
        return len(self.moves) >= count and all(vertex == _PASS for _, vertex in self.moves[-count:])


class OurName:
    """Our name at the server: a guest may get another one, and the server may write it in other letters."""

    def __init__(self, account: str) -> None:
        self._account = self.written = account

    def is_ours(self, name: str) -> bool:
        """Return True if a name is ours."""
        return same_name(name, self.written) or same_name(name, self._account)


class NngsGames:
    """The games that we are in, as their blocks and notices say, and those that wait to be gone on with."""

    def __init__(self, bridge: str, name: OurName, write: Callable[[str], Awaitable[None]], *, is_igs: bool) -> None:
        """`bridge` begins the names of games in the bridge's core; `write` sends a line."""
        self._bridge, self._name, self._write, self._is_igs = bridge, name, write, is_igs
        self._games: dict[int, _Game] = {}
        self._block: tuple[_Game, list[tuple[int, int, str]]] | None = None
        # Numbers of games that began on this connection and of which no block has come yet.
        self._created: set[int] = set()
        # White and Black of games that wait to be gone on with.
        self._stored: set[tuple[str, str]] = set()

    def __bool__(self) -> bool:
        return bool(self._games)

    @property
    def latest(self) -> ServerGame | None:
        """The game that a line without a number means."""
        game = self._latest()
        return self._state(game) if game is not None else None

    def key_with(self, user: str) -> str | None:
        """The name of the game with somebody, None for none."""
        games = self._games.values()
        game = next((game for game in games if any(same_name(user, name) for name in game.names.values())), None)
        return self._state(game).key if game is not None else None

    def note_created(self, number: int) -> None:
        """A game of this number begins now."""
        self._created.add(number)

    # -- blocks --------------------------------------------------------------------------------------------------------

    async def read_line(self, text: str) -> list[ServerEvent]:
        """Take in a line of a block. Raises PeerGone."""
        head = _HEAD.match(text)
        if head is not None:
            happened = await self.end_block()
            game = await self._game_of(head)
            self._block = (game, []) if game is not None else None
            return happened
        move = _MOVE.match(text)
        if move is not None and self._block is not None:
            word = move[3].lower()
            vertex = _PASS if word == _PASS else f"handicap {move[4]}" if word == "handicap" else word.upper()
            self._block[1].append((int(move[1]), COLOURS[move[2]], vertex))
        return []

    async def _game_of(self, head: re.Match[str]) -> _Game | None:
        """The game of a block's first line, None if it is not ours; a new one is asked about."""
        names = {WHITE: head[2], BLACK: head[5]}
        if not any(map(self._name.is_ours, names.values())):
            return None
        number = int(head[1])
        game = self._games.get(number)
        if game is None or game.names != names:
            game = self._games[number] = _Game(number, names, created=token_hex(8) if number in self._created else "")
            self._created.discard(number)
            self._stored = {pair for pair in self._stored if not same_names(names, *pair)}
            await self._ask_about(game)
        game.left = {WHITE: (int(head[3]), int(head[4])), BLACK: (int(head[6]), int(head[7]))}
        return game

    async def _ask_about(self, game: _Game) -> None:
        """Ask for the whole game: the description comes last, and then it is known."""
        game.is_known = False
        await self._write(f"moves {game.number}")
        await self._write(f"games {game.number}")

    async def end_block(self) -> list[ServerEvent]:
        """Take in a block that has ended."""
        block, self._block = self._block, None
        if block is None:
            return []
        game, moves = block
        first = moves[0][0] if moves else 0
        if first > len(game.moves):
            await self._ask_about(game)
            return []
        was = list(game.moves)
        game.moves[first:] = [(colour, vertex) for _, colour, vertex in moves]
        # The third pass of IGS comes after the word that scoring begins.
        if game.phase == SCORING and game.moves != was and not game.has_passes(2):
            game.phase = PLAYING
        return self._update_of(game)

    def read_description(self, text: str) -> list[ServerEvent]:
        """Take in the line that `games` says of a game."""
        found = _GAMES.search(text)
        game = self._games.get(int(found[1])) if found else None
        if found is None or game is None or not same_names(game.names, found[2], found[3]):
            return []
        game.size, game.komi = int(found[4]), float(found[6])
        main_s = float(max(left for left, _ in game.left.values()))
        game.control = control_of(main_s, 60.0 * int(found[7]), STONES)
        game.is_known = True
        return self._update_of(game)

    def _update_of(self, game: _Game) -> list[ServerEvent]:
        return [GameUpdate(self._state(game))] if game.is_known else []

    def _state(self, game: _Game) -> ServerGame:
        colour = BLACK if self._name.is_ours(game.names[BLACK]) else WHITE
        moves = [move for move in game.moves if not move[1].startswith("handicap")]
        # Where three passes end the game the third says nothing new.
        while len(moves) > 2 and all(vertex == _PASS for _, vertex in moves[-3:]):
            moves.pop()
        clocks = {
            each: Clock(game.control, max(0.0, float(seconds)), max(0, stones))
            for each, (seconds, stones) in game.left.items()
        }
        return ServerGame(
            f"{self._bridge}-{game.names[WHITE]}-{game.names[BLACK]}",
            game.size,
            colour,
            game.names,
            tuple(moves),
            clocks,
            game.phase,
            game.phase == PLAYING and game.to_play() == colour,
            game.handicap,
            game.komi,
            game.result,
            tuple(game.removed),
            game.created,
            game.is_known,
        )

    def _latest(self) -> _Game | None:
        """The game that a line without a number means."""
        return next(reversed(self._games.values()), None)

    # -- notices -------------------------------------------------------------------------------------------------------

    def read_notice(self, text: str) -> list[ServerEvent]:
        """Take in a line for people that may say something of our game."""
        game = self._latest()
        if game is None:
            return []
        key = self._state(game).key
        komi, offered, removing = _KOMI.match(text), _KOMI_OFFER.match(text), _REMOVING.search(text)
        if komi is not None:
            game.komi = float(komi[1])
            return self._update_of(game)
        if offered is not None:
            return [KomiOffer(key, offered[1], float(offered[2]))]
        if text.startswith("You can check your score"):
            if not game.has_passes(2):
                game.moves.append((game.to_play(), _PASS))
            game.phase = SCORING
            return self._update_of(game)
        if removing is not None:
            game.removed.append(removing[1].upper())
            return self._update_of(game)
        if "was not finished removing stones" in text:
            return [DoneRefused(key)]
        return self._read_igs_notice(game, key, text) if self._is_igs else []

    def _read_igs_notice(self, game: _Game, key: str, text: str) -> list[ServerEvent]:
        left, over = _IGS_LEFT.match(text), _IGS_REMOVED.match(text)
        if text.startswith("Board is restored"):
            game.removed.clear()
            return self._update_of(game)
        if _IGS_UNDO_REFUSED.match(text):
            return [UndoRefused(key)]
        if left is not None and any(same_name(left[1], name) for name in game.names.values()):
            winner = "W" if same_name(left[1], game.names[BLACK]) else "B"
            game.result = f"{winner}+{'R' if 'resigned' in left[2] else 'T'}"
        if over is not None and same_names(game.names, over[1], over[2]):
            return self._end(game, game.result)
        return []

    def read_error(self, text: str) -> list[ServerEvent]:
        """Take in an error that is about our game."""
        game = self.latest
        if game is None:
            return []
        if "Illegal Move" in text:
            return [MoveRefused(game.key, text)]
        return [UndoRefused(game.key)] if _IGS_UNDO_REFUSED.match(text) else []

    def reopen(self) -> None:
        """A move was taken back: play goes on."""
        game = self._latest()
        if game is not None:
            game.phase = PLAYING
            game.removed.clear()

    def read_score(self, text: str) -> None:
        """The count of a game of IGS, which is over when its file is removed."""
        game, points = self._latest(), _IGS_SCORE.match(text)
        if self._is_igs and game is not None and points is not None:
            game.result = _result_by_points(float(points[1]), float(points[2]))

    def read_end(self, text: str) -> list[ServerEvent]:
        """Take in a line if it says that our game is over or was left."""
        found = _ENDED.match(text)
        if found is None:
            return []
        game = self._games.get(int(found[1]))
        if game is None or not same_names(game.names, found[2], found[3]):
            return []
        if "adjourned" not in found[4]:
            return self._end(game, result_of(found[4]) or game.result)
        del self._games[game.number]
        game.phase = ADJOURNED
        self._stored.add((game.names[WHITE], game.names[BLACK]))
        return [GameUpdate(self._state(game))]

    def _end(self, game: _Game, result: str) -> list[ServerEvent]:
        del self._games[game.number]
        game.phase, game.result = OVER, result
        return [GameUpdate(self._state(game))]

    # -- games that were left ------------------------------------------------------------------------------------------

    async def load_games(self, text: str) -> None:
        """Take in a line of games that wait, and ask for them. Raises PeerGone."""
        for pair in _STORED.findall(text):
            if any(map(self._name.is_ours, pair)):
                self._stored.add(pair)
                await self._write(f"load {pair[0]}-{pair[1]}")

    async def load_with(self, user: str) -> None:
        """Somebody has come: ask for the games that wait for them. Raises PeerGone."""
        for white, black in sorted(self._stored):
            if any(same_name(user, name) for name in (white, black)):
                await self._write(f"load {white}-{black}")

    def goes_on(self, names: Pair) -> bool:
        """Return True if a game is on, or waits to be gone on with."""
        pairs = [*(pair_of(game.names) for game in self._games.values()), *self._stored]
        return any((white.lower(), black.lower()) == names for white, black in pairs)


def control_of(main_s: float, period_s: float, stones: int) -> TimeControl:
    if period_s:
        return TimeControl("canadian", main_s, period_s=period_s, stones=stones)
    return TimeControl("absolute" if main_s else "none", main_s)


def result_of(text: str) -> str:
    """A result in SGF's words. A counted win reads `White resigns. W 6.5 B 81.0`, on IGS `W 6.5 B 81.0`.

    To those who watch IGS says `Black lost by Resign` or `White lost by 1.0`.
    """
    points = _POINTS.search(text)
    if points is not None:
        return _result_by_points(float(points[1]), float(points[2]))
    loser, _, how = text.partition(" ")
    winner = {"White": "B", "Black": "W"}.get(loser)
    if winner is None:
        return ""
    margin = re.search(r"lost by ([\d.]+)", how)
    if margin is not None:
        return f"{winner}+{float(margin[1]):g}"
    how = how.lower()
    return f"{winner}+T" if "time" in how else f"{winner}+R" if "resign" in how else ""


def _result_by_points(white: float, black: float) -> str:
    margin = black - white
    return "0" if not margin else f"{'B' if margin > 0 else 'W'}+{abs(margin):g}"
