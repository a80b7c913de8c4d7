"""NNGS and IGS in client mode. nngs.toml explains the lines of these servers, beside the patterns that read them."""

import re
import textwrap
import unicodedata
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from secrets import choice, token_hex

from gtp_variants.bridge.core import server as core
from gtp_variants.bridge.core.config import BridgeConfig, find_rank
from gtp_variants.bridge.core.line_connection import TextLine
from gtp_variants.errors import PeerGone, PeerSilent, Refused
from gtp_variants.lang import load, say
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.rules.actions import BLACK, WHITE

COLOURS = {"B": BLACK, "W": WHITE}
# Stones per byo-yomi period if the server does not give the number: `match` has no parameter for it.
STONES = 25

_LINES: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern) for name, pattern in load(Path(__file__).with_suffix(".toml"))["lines"].items()
}
_PASS = "pass"

# Lower-case names of White and Black, which identify a game.
Pair = tuple[str, str]

_PAST_WORDS = {"Resign": "R", "Time": "T"}


class NngsPast(core.PastGames):
    """The results of finished games, and the games whose results we have requested.

    `goes_on` says whether a game is in progress or stored; `ask` requests the list of results. The list of stored games
    has arrived once `has_stored_list` is set.
    """

    def __init__(self, goes_on: Callable[[Pair], bool], ask: Callable[[], Awaitable[None]]) -> None:
        self.has_stored_list = False
        self._goes_on, self._ask = goes_on, ask
        self._asked: dict[Pair, core.ServerGame] = {}
        self._results: dict[Pair, str] = {}

    def has_lost(self, key: str, players: Mapping[int, str]) -> bool:
        return self.has_stored_list and bool(players) and not self._goes_on(pair_of(players))

    async def ask_result(self, key: str, players: Mapping[int, str]) -> bool:
        self._asked[pair_of(players)] = core.ServerGame(key, 19, BLACK, players, phase=core.OVER, is_whole=False)
        if len(self._asked) == 1:
            self._results.clear()
            await self._ask()
        return True

    def read(self, text: str) -> bool:
        """Process a line. Return True if it is a result."""
        found = _LINES["past"].match(text)
        if found is None:
            return False
        white, black = (found[1], found[3]) if found[2] == "W" else (found[3], found[1])
        with suppress(ValueError):
            how = _PAST_WORDS.get(found[4]) or f"{float(found[4]):g}"
            self._results[white.lower(), black.lower()] = f"{found[2]}+{how}"
        return True

    def tell(self) -> list[core.ServerEvent]:
        """Return the requested results that have arrived, and request them no longer."""
        found = {names: game for names, game in self._asked.items() if names in self._results}
        self._asked = {names: game for names, game in self._asked.items() if names not in found}
        return [replace(game, result=self._results[names]) for names, game in found.items()]


def same_names(names: Mapping[int, str], white: str, black: str) -> bool:
    """Return True if a game is between these two players."""
    return pair_of(names) == (white.lower(), black.lower())


def pair_of(names: Mapping[int, str]) -> Pair:
    """Return the names of a game's White and Black in lower case."""
    return names.get(WHITE, "").lower(), names.get(BLACK, "").lower()


@dataclass(slots=True)
class _Game:
    """A game as received so far. `moves` includes the handicap; `is_known` is True once all its data has arrived."""

    number: int
    names: dict[int, str]
    moves: list[tuple[int, str]] = field(default_factory=list)
    left: dict[int, tuple[int, int]] = field(default_factory=dict)
    control: TimeControl = field(default_factory=TimeControl)
    size: int = 19
    komi: float | None = None
    phase: str = core.PLAYING
    result: str = ""
    removed: list[str] = field(default_factory=list)
    is_known: bool = False
    created: str = ""

    @property
    def handicap(self) -> int:
        """The number of handicap stones, which the first move places."""
        word = self.moves[0][1] if self.moves else ""
        return int(word.removeprefix("handicap ")) if word.startswith("handicap ") else 0

    def to_play(self) -> int:
        return WHITE if self.moves and self.moves[-1][0] == BLACK else BLACK

    def has_passes(self, count: int) -> bool:
        return len(self.moves) >= count and all(vertex == _PASS for _, vertex in self.moves[-count:])


class OurName:
    """Our name on the server, which may rename guests and change the case of names."""

    def __init__(self, account: str) -> None:
        self._account = self.written = account

    def is_ours(self, name: str) -> bool:
        return core.same_name(name, self.written) or core.same_name(name, self._account)


class NngsGames:
    """The games we are in, as blocks and notices describe them, and our stored games."""

    def __init__(self, bridge: str, name: OurName, write: Callable[[str], Awaitable[None]], *, is_igs: bool) -> None:
        """`bridge` is the first part of the games' keys; `write` sends a line."""
        self._bridge, self._name, self._write, self._is_igs = bridge, name, write, is_igs
        self._games: dict[int, _Game] = {}
        self._block: tuple[_Game, list[tuple[int, int, str]]] | None = None
        # Numbers of games that began on this connection and whose first block has not arrived yet.
        self.created: set[int] = set()
        # The players of each stored game, White first.
        self._stored: set[tuple[str, str]] = set()

    def __bool__(self) -> bool:
        return bool(self._games)

    @property
    def latest(self) -> core.ServerGame | None:
        """The game that lines without a number refer to, or None."""
        game = self._latest()
        return self._state(game) if game is not None else None

    def key_with(self, user: str) -> str | None:
        """Return the key of our game with a user, or None if we are not playing them."""
        games = self._games.values()
        game = next((game for game in games if any(core.same_name(user, name) for name in game.names.values())), None)
        return self._state(game).key if game is not None else None

    async def read_line(self, text: str) -> list[core.ServerEvent]:
        """Process a line of a block. Raises PeerGone if the connection is lost."""
        head = _LINES["head"].match(text)
        if head is not None:
            happened = await self.end_block()
            game = await self._game_of(head)
            self._block = (game, []) if game is not None else None
            return happened
        move = _LINES["move"].match(text)
        if move is not None and self._block is not None:
            word = move[3].lower()
            vertex = _PASS if word == _PASS else f"handicap {move[4]}" if word == "handicap" else word.upper()
            self._block[1].append((int(move[1]), COLOURS[move[2]], vertex))
        return []

    async def _game_of(self, head: re.Match[str]) -> _Game | None:
        """Return the game named in a block's first line, or None if it is not ours. Request all moves of a new game."""
        names = {WHITE: head[2], BLACK: head[5]}
        if not any(map(self._name.is_ours, names.values())):
            return None
        number = int(head[1])
        game = self._games.get(number)
        if game is None or game.names != names:
            game = self._games[number] = _Game(number, names, created=token_hex(8) if number in self.created else "")
            self.created.discard(number)
            self._stored = {pair for pair in self._stored if not same_names(names, *pair)}
            await self._ask_about(game)
        game.left = {WHITE: (int(head[3]), int(head[4])), BLACK: (int(head[6]), int(head[7]))}
        return game

    async def _ask_about(self, game: _Game) -> None:
        """Request the whole game. Its description arrives last and completes the data."""
        game.is_known = False
        await self._write(f"moves {game.number}")
        await self._write(f"games {game.number}")

    async def end_block(self) -> list[core.ServerEvent]:
        """Process the block that has ended, if there is one."""
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
        # On IGS the third pass arrives after the line that announces scoring, so passes do not resume play.
        if game.phase == core.SCORING and game.moves != was and not game.has_passes(2):
            game.phase = core.PLAYING
        return self._update_of(game)

    def read_description(self, text: str) -> list[core.ServerEvent]:
        """Process a game's line in the reply to `games`."""
        found = _LINES["games"].search(text)
        game = self._games.get(int(found[1])) if found else None
        if found is None or game is None or not same_names(game.names, found[2], found[3]):
            return []
        game.size, game.komi = int(found[4]), float(found[6])
        main_s = float(max(left for left, _ in game.left.values()))
        game.control = control_of(main_s, 60.0 * int(found[7]), STONES)
        game.is_known = True
        return self._update_of(game)

    def _update_of(self, game: _Game) -> list[core.ServerEvent]:
        return [self._state(game)] if game.is_known else []

    def _state(self, game: _Game) -> core.ServerGame:
        colour = BLACK if self._name.is_ours(game.names[BLACK]) else WHITE
        moves = [move for move in game.moves if not move[1].startswith("handicap")]
        # The core expects two passes at the end, but IGS has three, so remove the third.
        while len(moves) > 2 and all(vertex == _PASS for _, vertex in moves[-3:]):
            moves.pop()
        clocks = {
            each: Clock(game.control, max(0.0, float(seconds)), max(0, stones))
            for each, (seconds, stones) in game.left.items()
        }
        return core.ServerGame(
            f"{self._bridge}-{game.names[WHITE]}-{game.names[BLACK]}",
            game.size,
            colour,
            game.names,
            tuple(moves),
            clocks,
            game.phase,
            game.phase == core.PLAYING and game.to_play() == colour,
            game.handicap,
            game.komi,
            game.result,
            tuple(game.removed),
            game.created,
            game.is_known,
        )

    def _latest(self) -> _Game | None:
        return next(reversed(self._games.values()), None)

    def read_notice(self, text: str) -> list[core.ServerEvent]:
        """Process a notice, written for people, that may concern our game."""
        game = self._latest()
        if game is None:
            return []
        key = self._state(game).key
        komi, offered = _LINES["komi"].match(text), _LINES["komi_offer"].match(text)
        if komi is not None:
            game.komi = float(komi[1])
            return self._update_of(game)
        if offered is not None:
            return [core.KomiOffer(key, offered[1], float(offered[2]))]
        if text.startswith("You can check your score"):
            if not game.has_passes(2):
                game.moves.append((game.to_play(), _PASS))
            game.phase = core.SCORING
            return self._update_of(game)
        if (removing := _LINES["removing"].search(text)) is not None:
            game.removed.append(removing[1].upper())
            return self._update_of(game)
        if "was not finished removing stones" in text:
            return [core.DoneRefused(key)]
        return self._read_igs_notice(game, key, text) if self._is_igs else []

    def _read_igs_notice(self, game: _Game, key: str, text: str) -> list[core.ServerEvent]:
        left, over = _LINES["igs_left"].match(text), _LINES["igs_removed"].match(text)
        if text.startswith("Board is restored"):
            game.removed.clear()
            return self._update_of(game)
        if _LINES["igs_undo_refused"].match(text):
            return [core.UndoRefused(key)]
        if left is not None and any(core.same_name(left[1], name) for name in game.names.values()):
            winner = "W" if core.same_name(left[1], game.names[BLACK]) else "B"
            game.result = f"{winner}+{'R' if 'resigned' in left[2] else 'T'}"
        if over is not None and same_names(game.names, over[1], over[2]):
            return self._end(game, game.result)
        return []

    def read_error(self, text: str) -> list[core.ServerEvent]:
        """Process an error that concerns our game."""
        game = self.latest
        if game is None:
            return []
        if "Illegal Move" in text:
            return [core.MoveRefused(game.key, text)]
        return [core.UndoRefused(game.key)] if _LINES["igs_undo_refused"].match(text) else []

    def reopen(self) -> None:
        """Resume play, because a move was taken back."""
        game = self._latest()
        if game is not None:
            game.phase = core.PLAYING
            game.removed.clear()

    def read_score(self, text: str) -> None:
        """Note the score of a game on IGS. The game ends later, when its file is removed."""
        game, points = self._latest(), _LINES["igs_score"].match(text)
        if self._is_igs and game is not None and points is not None:
            game.result = _result_by_points(float(points[1]), float(points[2]))

    def read_end(self, text: str) -> list[core.ServerEvent]:
        """Process a line if it ends or adjourns our game."""
        found = _LINES["ended"].match(text)
        if found is None:
            return []
        game = self._games.get(int(found[1]))
        if game is None or not same_names(game.names, found[2], found[3]):
            return []
        if "adjourned" not in found[4]:
            return self._end(game, result_of(found[4]) or game.result)
        del self._games[game.number]
        game.phase = core.ADJOURNED
        self._stored.add((game.names[WHITE], game.names[BLACK]))
        return [self._state(game)]

    def _end(self, game: _Game, result: str) -> list[core.ServerEvent]:
        del self._games[game.number]
        game.phase, game.result = core.OVER, result
        return [self._state(game)]

    async def load_games(self, text: str) -> None:
        """Load the stored games listed in a line. Raises PeerGone if the connection is lost."""
        for pair in _LINES["stored"].findall(text):
            if any(map(self._name.is_ours, pair)):
                self._stored.add(pair)
                await self._write(f"load {pair[0]}-{pair[1]}")

    async def load_with(self, user: str) -> None:
        """Load the stored games with a user who has logged in. Raises PeerGone if the connection is lost."""
        for white, black in sorted(self._stored):
            if any(core.same_name(user, name) for name in (white, black)):
                await self._write(f"load {white}-{black}")

    def goes_on(self, names: Pair) -> bool:
        """Return True if a game is in progress or stored."""
        pairs = [*(pair_of(game.names) for game in self._games.values()), *self._stored]
        return any((white.lower(), black.lower()) == names for white, black in pairs)


def control_of(main_s: float, period_s: float, stones: int) -> TimeControl:
    if period_s:
        return TimeControl("canadian", main_s, period_s=period_s, stones=stones)
    return TimeControl("absolute" if main_s else "none", main_s)


def result_of(text: str) -> str:
    """Convert a text such as `White resigns. W 6.5 B 81.0`, or `W 6.5 B 81.0` on IGS, to an SGF result.

    IGS sends observers `Black lost by Resign` or `White lost by 1.0`. The result of any other text is "".
    """
    points = _LINES["points"].search(text)
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


_LOOKS = "!"
_LETTERS = {BLACK: "B", WHITE: "W"}


class NngsInvitations(core.Invitations):
    """Invitations by `match` or `nmatch`, and the list of players who are looking for a game."""

    def __init__(self, write: Callable[[str], Awaitable[None]], is_me: Callable[[str], bool], *, is_igs: bool) -> None:
        """`is_me` recognises our own names; `write` sends a line."""
        self._write, self._is_me, self._is_igs = write, is_me, is_igs
        self._invited = ""
        # The players listed so far, or None while no list is expected.
        self._seekers: list[core.Seeker] | None = None

    async def look_for_seekers(self) -> None:
        # It is a guess that IGS then lists only players who are looking for a game. They have the mark `!`, too.
        self._seekers = []
        await self._write("who l")

    async def invite(self, user: str, terms: core.Terms) -> None:
        self._invited = user
        letter, control = _LETTERS.get(terms.colour or 0), terms.control
        main_s, period_s = round(control.main_s), round(control.period_s)
        if self._is_igs:
            numbers = f"0 {terms.size} {main_s} {period_s} {control.stones or STONES} 0 0 0"
            await self._write(f"nmatch {user} {letter or 'N'} {numbers}")
        else:
            await self._write(f"match {user} {letter or choice('BW')} {terms.size} {main_s // 60} {period_s // 60}")

    async def withdraw(self, user: str) -> None:
        self._invited = ""
        # IGS has no known command for withdrawing an invitation.
        if not self._is_igs:
            await self._write(f"withdraw {user}")

    def read_list(self, text: str) -> list[core.ServerEvent]:
        """Process a line of the list of players, which ends with their number."""
        if self._seekers is None:
            return []
        for marks, name, rank in _LINES["listed"].findall(text):
            if _LOOKS in marks and not self._is_me(name):
                self._seekers.append(core.Seeker(name, find_rank(rank)))
        if _LINES["listed_all"].search(text) is None:
            return []
        seekers, self._seekers = tuple(self._seekers), None
        return [core.SeekersSeen(seekers)]

    def read_notice(self, text: str) -> list[core.ServerEvent]:
        """Process a notice, written for people, that may decline our invitation."""
        found = _LINES["declined"].match(text)
        return self._end(is_absent=False) if found is not None and core.same_name(found[1], self._invited) else []

    def read_error(self, text: str) -> list[core.ServerEvent]:
        """Process an error. If it names the invited player, that player is gone, busy or not open to matches."""
        is_theirs = self._invited and f'"{self._invited.lower()}"' in text.lower()
        return self._end(is_absent=True) if is_theirs else []

    def _end(self, *, is_absent: bool) -> list[core.ServerEvent]:
        invited, self._invited = self._invited, ""
        return [core.InvitationRefused(invited, is_absent)]


_LOGIN_S = 60.0
_UNKNOWN = ("is not a registered name", "This is a guest account")
_PROMPTS = ("Login:", "login:", "Password:", "#>")
_LONGEST_SAYING = 200

_IGS_SYSTEM = "SYSTEM"


class Nngs(core.Server):
    """A connection to NNGS or IGS."""

    past: NngsPast

    def __init__(self, config: BridgeConfig, log: Callable[[str], None], *, is_igs: bool) -> None:
        self._config, self._log, self._lang = config.server, log, config.chat.lang
        self._line = TextLine(log, "utf-8" if config.server.charset == "ascii" else config.server.charset)
        self._name = OurName(config.server.account)
        self._is_igs = is_igs
        undo = core.ASKED if is_igs else core.AT_ONCE
        # Play cannot be resumed on IGS, because an undo during scoring, after three passes, only clears the marks.
        self.abilities = core.Abilities(chat=True, undo=undo, resumes=not is_igs, marks=True, challenges=True)
        self.invitations = self._invitations = NngsInvitations(self._line.write, self._name.is_ours, is_igs=is_igs)
        self._games = NngsGames(config.name, self._name, self._line.write, is_igs=is_igs)
        # User -> command that accepts their offer.
        self._offers: dict[str, str] = {}
        self.past = NngsPast(self._games.goes_on, lambda: self._line.write(f"results {self._name.written}"))

    async def login(self) -> None:
        config = self._config
        await self._line.open(config.host, config.port)
        named = asked = False
        while True:
            line = (await self._line.read(_LOGIN_S, _PROMPTS)).strip()
            if line.endswith(("Login:", "login:")) or line == "1 0":
                if named:
                    raise Refused("login", "the server rejects the name or the password")
                named = True
                await self._line.write(config.account)
            elif line.endswith("Password:") or line == "1 1":
                if asked or not config.password:
                    raise Refused("login", "the password is wrong" if asked else "the account needs a password")
                asked = True
                await self._line.write(config.password.reveal(), is_secret=True)
            elif (found := _LINES["our_name"].search(line)) is not None:
                self._name.written = found[1]
            elif "nvalid password" in line or (config.password and any(each in line for each in _UNKNOWN)):
                raise Refused("login", line)
            elif "is already logged in" in line and "kicking" not in line:
                raise PeerGone(line.strip("* "))
            # The prompt may be followed directly by a user's chat, so compare only its beginning.
            elif line.startswith("#>") or re.fullmatch(r"1 [5-8]", line):
                break
        # Without these two settings, IGS refuses undo and match requests sent to us.
        own = ("toggle newundo on", "toggle nmatch on") if self._is_igs else ()
        for command in ("toggle client on", "toggle verbose off", *own, "toggle open on", "stats", "stored"):
            await self._line.write(command)

    async def _receive(self) -> Callable[[], Awaitable[Sequence[core.ServerEvent]]]:
        """Wait for the next line. After half of the allowed silence, ask the server for a sign of life."""
        half_s = self._config.silence_s / 2
        try:
            line = await self._line.read(half_s)
        except PeerSilent:
            await self._line.write("ayt")
            line = await self._line.read(half_s)
        return partial(self._read, line)

    async def _read(self, line: str) -> list[core.ServerEvent]:
        found = _LINES["code"].match(line.strip("\r"))
        code, text = (int(found[1]), found[2]) if found else (0, line)
        if _LINES["replaced"].match(text) is not None:
            raise core.LoginReplaced(text.strip("* "))
        if code == 15:
            return await self._games.read_line(text)
        happened = await self._games.end_block()
        match code:
            case 5:
                happened += self._invitations.read_error(text) or self._games.read_error(text)
            case 7:
                happened += self._games.read_description(text)
            case 9 | 0:
                named = _LINES["our_name"].match(text)
                if named is not None and not self._games:
                    self._name.written = named[1]
                if _LINES["stored_count"].search(text):
                    self.past.has_stored_list = True
                happened += await self._read_notice(text)
            case 19 | 24:
                happened += self._read_chat(text)
            case 23:
                await self._games.load_games(text)
            case 20:
                self._games.read_score(text)
            case 25:
                happened += self.past.tell()
            case 27:
                happened += self._invitations.read_list(text)
            case 28:
                self._games.reopen()
        if code in (9, 21, 22):
            happened += self._games.read_end(text)
        came = _LINES["came"].match(text) if code == 21 else None
        if came is not None:
            await self._games.load_with(came[1])
        return happened

    def _read_chat(self, text: str) -> list[core.ServerEvent]:
        said = _LINES["say"].fullmatch(text)
        if said is None:
            return []
        asked, game = _LINES["igs_undo_asked"].match(said[2]), self._games.latest
        if self._is_igs and said[1] == _IGS_SYSTEM:
            return [core.UndoRequest(game.key)] if asked and game is not None else []
        return [core.ChatLine(said[1], said[2], self._games.key_with(said[1]))]

    async def _read_notice(self, text: str) -> list[core.ServerEvent]:
        if self.past.read(text):
            return []
        created = _LINES["created"].match(text)
        if created is not None:
            self._games.created.add(int(created[1]))
        if refused := self._invitations.read_notice(text):
            return refused
        offer = _LINES["offer"].match(text)
        if offer is not None:
            self._offers[offer[2]] = f"{offer[1]} {offer[2]} {offer[3]} {offer[4]}"
            terms = _terms(offer)
            if terms is None:
                reason = core.DeclineReason("bridge.unreadable", say("bridge.unreadable", self._lang))
                await self.decline(offer[2], reason)
            return [core.Challenge(offer[2], terms)] if terms is not None else []
        return self._games.read_notice(text)

    async def play(self, game: core.ServerGame, vertex: str, note: str) -> None:
        await self._line.write(vertex.lower())

    async def resign(self, game: core.ServerGame) -> None:
        await self._line.write("resign")

    async def ready(self, game: core.ServerGame) -> None:
        """Do nothing: the next game begins with a challenge."""

    async def close(self) -> None:
        await self._line.close()

    async def say(self, game: core.ServerGame, text: str) -> None:
        if game.phase == core.OVER:
            await self.tell(game.opponent, text)
            return
        await self._speak("say", text)

    async def tell(self, user: str, text: str) -> None:
        await self._speak(f"tell {user}", text)

    async def _speak(self, command: str, text: str) -> None:
        if self._config.charset == "ascii":
            text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
        # `str.split` is not used, because it would also split at the non-breaking spaces of French.
        words = re.sub(r"\s+", " ", text, flags=re.ASCII)
        for line in textwrap.wrap(words, _LONGEST_SAYING, break_long_words=False, break_on_hyphens=False):
            await self._line.write(f"{command} {line}")

    async def accept(self, challenge: core.Challenge) -> None:
        command = self._offers.pop(challenge.user, None)
        if command is not None:
            await self._line.write(command)

    async def decline(self, user: str, reason: core.DeclineReason | None = None) -> None:
        self._offers.pop(user, None)
        await self._line.write(f"decline {user}")
        if reason is not None and reason.text:
            await self.tell(user, reason.text)

    async def accept_komi(self, offer: core.KomiOffer) -> None:
        await self._line.write(f"komi {offer.komi:g}")

    async def undo(self, game: core.ServerGame) -> None:
        # During scoring, `undo` clears the marks on IGS without asking the opponent.
        await self._line.write("undoplease" if self._is_igs and game.phase != core.SCORING else "undo")

    async def answer_undo(self, game: core.ServerGame, allowed: bool) -> None:
        await self._line.write("undo" if allowed else "noundo")

    async def mark_dead(self, game: core.ServerGame, vertex: str) -> None:
        await self._line.write(vertex.lower())

    async def agree(self, game: core.ServerGame) -> None:
        await self._line.write("done")

    async def adjourn(self, game: core.ServerGame) -> None:
        await self._line.write("adjourn")


def _terms(offer: re.Match[str]) -> core.Terms | None:
    """Return the terms of an offer, or None if it has too few or too many numbers."""
    numbers = [int(word) for word in offer[4].split()]
    if offer[1] == "match" and len(numbers) == 3:
        size, minutes, period = numbers
        return core.Terms(size, control_of(60.0 * minutes, 60.0 * period, STONES), COLOURS.get(offer[3], BLACK))
    if offer[1] == "nmatch" and len(numbers) >= 5:
        handicap, size, seconds, period, stones = numbers[:5]
        control = control_of(float(seconds), float(period), stones)
        if len(numbers) >= 7 and numbers[5] and numbers[6]:
            control = TimeControl("byoyomi", float(seconds), period_s=float(numbers[6]), periods=numbers[5])
        return core.Terms(size, control, COLOURS.get(offer[3], BLACK), handicap)
    return None
