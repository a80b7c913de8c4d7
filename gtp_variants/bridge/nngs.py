"""NNGS and IGS in client mode: each line a code, a blank and a text. The state of a game comes in blocks::

    15 Game 1 I: bravo (0 598 -1) vs alpha (0 596 -1)        White first: captures, seconds, stones of byo-yomi or -1
    15   2(B): Pass                                          the last move, or after `moves` all of them, from 0

A block says how many moves there are: what stood beyond it was taken back, and where it begins beyond what we know the
whole game is asked for. The pass that ends a game is not in a block on NNGS. In scoring, a vertex marks a dead chain.

IGS differs: an undo is asked for, three passes end a game, `undo` in scoring only clears the marks, and the end of a
game comes in several lines, of which the last says that its file was removed.
"""

import re
import unicodedata
from collections.abc import AsyncIterator, Awaitable, Callable
from secrets import choice

from gtp_variants.bridge.core.config import BridgeConfig, read_rank
from gtp_variants.bridge.core.line_connection import TextLine
from gtp_variants.bridge.core.server import (
    ASKED,
    AT_ONCE,
    OVER,
    SCORING,
    Abilities,
    Challenge,
    ChatLine,
    DeclineReason,
    InvitationRefused,
    Invitations,
    KomiOffer,
    LoginReplaced,
    MoveNote,
    Seeker,
    SeekersSeen,
    Server,
    ServerEvent,
    ServerGame,
    Terms,
    UndoRequest,
)
from gtp_variants.bridge.nngs_games import COLOURS, STONES, NngsGames, NngsPast, OurName, control_of, same_name
from gtp_variants.errors import PeerGone, PeerSilent, Refused
from gtp_variants.players.clock import TimeControl
from gtp_variants.rules.actions import BLACK, WHITE

_LOOKS = "!"
_LISTED = re.compile(r"([A-Z! ]{2,3})\s+(?:--|\d+)\s+(?:--|\d+)\s+(\S+)\s+\S+\s+(NR|\?\?\?|\d+[kdp])")
_LISTED_ALL = re.compile(r"\*{3,}\s*\d+ Players")
_DECLINED = re.compile(r"(\S+) declines your request for a match\.")
_LETTERS = {BLACK: "B", WHITE: "W"}


class NngsInvitations(Invitations):
    """Games that we ask for: who looks for one, `match` and `nmatch`, and what is answered.

    `who` lists those who are logged in, two in a line: each with marks, the games they look on at and play, their name,
    how long they are idle, and their rank. `!` marks who looks for a game::

        27   Q! --   -- alpha       4s      5k* |    X --    2 bravo      12s     NR  |
        27                 ********   2 Players 1 Total Games ********
    """

    def __init__(self, write: Callable[[str], Awaitable[None]], is_me: Callable[[str], bool], *, is_igs: bool) -> None:
        """`is_me` knows our own names, `write` sends a line."""
        self._write, self._is_me, self._is_igs = write, is_me, is_igs
        self._invited = ""
        # Those who were listed so far, None where no list is awaited.
        self._seekers: list[Seeker] | None = None

    async def look_for_seekers(self) -> None:
        # That IGS lists by this word those alone who look for a game is a guess; they have the same mark.
        self._seekers = []
        await self._write("who l")

    async def invite(self, user: str, terms: Terms) -> None:
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
        # IGS is not known to have a word for it.
        if not self._is_igs:
            await self._write(f"withdraw {user}")

    # -- what is answered ----------------------------------------------------------------------------------------------

    def read_list(self, text: str) -> list[ServerEvent]:
        """A line of those who are logged in; the last one counts them."""
        if self._seekers is None:
            return []
        for marks, name, rank in _LISTED.findall(text):
            if _LOOKS in marks and not self._is_me(name):
                self._seekers.append(Seeker(name, _rank_of(rank)))
        if _LISTED_ALL.search(text) is None:
            return []
        seekers, self._seekers = tuple(self._seekers), None
        return [SeekersSeen(seekers)]

    def read_notice(self, text: str) -> list[ServerEvent]:
        """A line for people, in which somebody may decline."""
        found = _DECLINED.match(text)
        return self._end(is_absent=False) if found is not None and same_name(found[1], self._invited) else []

    def read_error(self, text: str) -> list[ServerEvent]:
        """An error, which names whom we asked in quotes where they are gone, busy, or not open to matches."""
        is_theirs = self._invited and f'"{self._invited.lower()}"' in text.lower()
        return self._end(is_absent=True) if is_theirs else []

    def _end(self, *, is_absent: bool) -> list[ServerEvent]:
        invited, self._invited = self._invited, ""
        return [InvitationRefused(invited, is_absent)]


def _rank_of(word: str) -> float | None:
    """A rank such as 5k or 2d, None for NR and what is not known."""
    try:
        return float(read_rank(word))
    except ValueError:
        return None


_LOGIN_S = 60.0
_UNKNOWN = ("is not a registered name", "This is a guest account")
_PROMPTS = ("Login:", "login:", "Password:", "#>")
_LONGEST_SAYING = 200

_CODE = re.compile(r"(\d{1,2}) ?(.*)")
# What begins with these words the server says: what people say begins with their name.
_REPLACED = re.compile(r"\s*\*+ \S+ has arrived - you can't both be logged in")
_OFFER = re.compile(r"Use <(n?match) (\S+) ([BWN]) ([\d ]+)> or <decline")
_CREATED = re.compile(r"Creating match \[(\d+)\] with (\S+?)\.?")
_STORED_COUNT = re.compile(r"Found (\d+) stored games?\.")
# What the server calls us: a guest may get another name, and an account need not be written as we write it.
_OUR_NAME = re.compile(r"(?:Your account name is|Player:)\s+([^\s.*]+)")
_SAY = re.compile(r"\*?(\w+)\*?:? (.*)")
_CAME = re.compile(r"\{(\w+) .*has connected\.\}")
_IGS_UNDO_ASKED = re.compile(r"(\S+) requests undo\.")
_IGS_SYSTEM = "SYSTEM"


class Nngs(Server):
    """A connection to NNGS or IGS."""

    past: NngsPast

    def __init__(self, config: BridgeConfig, log: Callable[[str], None], *, is_igs: bool) -> None:
        self._config = config.server
        self._line = TextLine(log, "utf-8" if config.server.charset == "ascii" else config.server.charset)
        self._name = OurName(config.server.account)
        self._is_igs = is_igs
        undo = ASKED if is_igs else AT_ONCE
        # Where three passes end the game, undo in scoring only takes back marks.
        self.abilities = Abilities(chat=True, undo=undo, resumes=not is_igs, marks=True, challenges=True)
        self.invitations = self._invitations = NngsInvitations(self._line.write, self._name.is_ours, is_igs=is_igs)
        self._games = NngsGames(config.name, self._name, self._line.write, is_igs=is_igs)
        # The commands that take what is offered, by who offers it.
        self._offers: dict[str, str] = {}
        self.past = NngsPast(self._games.goes_on, lambda: self._line.write(f"results {self._name.written}"))

    # -- login ---------------------------------------------------------------------------------------------------------

    async def login(self) -> None:
        config = self._config
        await self._line.open(config.host, config.port)
        named = asked = False
        while True:
            line = (await self._line.read(_LOGIN_S, _PROMPTS)).strip()
            if line.endswith(("Login:", "login:")) or line == "1 0":
                if named:
                    raise Refused("login", "the name is not taken, or not with this password")
                named = True
                await self._line.write(config.account)
            elif line.endswith("Password:") or line == "1 1":
                if asked or not config.password:
                    raise Refused("login", "the password is wrong" if asked else "the account has a password")
                asked = True
                await self._line.write(config.password.reveal(), is_secret=True)
            elif (found := _OUR_NAME.search(line)) is not None:
                self._name.written = found[1]
            elif "nvalid password" in line or (config.password and any(each in line for each in _UNKNOWN)):
                raise Refused("login", line)
            elif "is already logged in" in line and "kicking" not in line:
                raise PeerGone(line.strip("* "))
            # Whoever is quick has already said something behind the prompt.
            elif line.startswith("#>") or re.fullmatch(r"1 [5-8]", line):
                break
        # Without these two an IGS server refuses on our behalf what people ask for.
        own = ("toggle newundo on", "toggle nmatch on") if self._is_igs else ()
        for command in ("toggle client on", "toggle verbose off", *own, "toggle open on", "stats", "stored"):
            await self._line.write(command)

    # -- what is said --------------------------------------------------------------------------------------------------

    async def events(self) -> AsyncIterator[ServerEvent]:
        while True:
            for happening in await self._read(await self._next()):
                yield happening

    async def _next(self) -> str:
        """The next line; after half the silence that is allowed the server is asked whether it is there."""
        half_s = self._config.silence_s / 2
        try:
            return await self._line.read(half_s)
        except PeerSilent:
            await self._line.write("ayt")
            return await self._line.read(half_s)

    async def _read(self, line: str) -> list[ServerEvent]:
        found = _CODE.match(line.strip("\r"))
        code, text = (int(found[1]), found[2]) if found else (0, line)
        if _REPLACED.match(text) is not None:
            raise LoginReplaced(text.strip("* "))
        if code == 15:
            return await self._games.read_line(text)
        happened = await self._games.end_block()
        match code:
            case 5:
                happened += self._invitations.read_error(text) or self._games.read_error(text)
            case 7:
                happened += self._games.read_description(text)
            case 9 | 0:
                self._read_about_us(text)
                happened += self._read_notice(text)
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
        came = _CAME.match(text) if code == 21 else None
        if came is not None:
            await self._games.load_with(came[1])
        return happened

    def _read_chat(self, text: str) -> list[ServerEvent]:
        said = _SAY.fullmatch(text)
        if said is None:
            return []
        asked, game = _IGS_UNDO_ASKED.match(said[2]), self._games.latest
        if self._is_igs and said[1] == _IGS_SYSTEM:
            return [UndoRequest(game.key, asked[1])] if asked and game is not None else []
        return [ChatLine(said[1], said[2], self._games.key_with(said[1]))]

    def _read_notice(self, text: str) -> list[ServerEvent]:
        """A line for people, that says something to us as well."""
        if self.past.read(text):
            return []
        created = _CREATED.match(text)
        if created is not None:
            self._games.note_created(int(created[1]))
        if refused := self._invitations.read_notice(text):
            return refused
        offer = _OFFER.match(text)
        if offer is not None:
            self._offers[offer[2]] = f"{offer[1]} {offer[2]} {offer[3]} {offer[4]}"
            terms = _terms(offer)
            return [Challenge(offer[2], terms)] if terms is not None else []
        return self._games.read_notice(text)

    def _read_about_us(self, text: str) -> None:
        named = _OUR_NAME.match(text)
        if named is not None and not self._games:
            self._name.written = named[1]
        if _STORED_COUNT.search(text):
            self.past.has_stored_list = True

    # -- what we say ---------------------------------------------------------------------------------------------------

    async def play(self, game: ServerGame, vertex: str, note: MoveNote) -> None:
        await self._line.write(vertex.lower())

    async def resign(self, game: ServerGame) -> None:
        await self._line.write("resign")

    async def ready(self, game: ServerGame) -> None:
        """Nothing: whoever wants a game asks for it."""

    async def close(self) -> None:
        await self._line.close()

    async def say(self, game: ServerGame, text: str) -> None:
        if game.phase == OVER:
            await self.tell(game.opponent, text)
            return
        await self._speak("say", text)

    async def tell(self, user: str, text: str) -> None:
        await self._speak(f"tell {user}", text)

    async def _speak(self, command: str, text: str) -> None:
        if self._config.charset == "ascii":
            text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
        words, line = text.split(), ""
        for word in words:
            if line and len(line) + len(word) >= _LONGEST_SAYING:
                await self._line.write(f"{command} {line}")
                line = ""
            line = f"{line} {word}" if line else word
        if line:
            await self._line.write(f"{command} {line}")

    async def accept(self, challenge: Challenge) -> None:
        command = self._offers.pop(challenge.user, None)
        if command is not None:
            await self._line.write(command)

    async def decline(self, user: str, reason: DeclineReason | None = None) -> None:
        self._offers.pop(user, None)
        await self._line.write(f"decline {user}")
        if reason is not None and reason.text:
            await self.tell(user, reason.text)

    async def accept_komi(self, offer: KomiOffer) -> None:
        await self._line.write(f"komi {offer.komi:g}")

    async def undo(self, game: ServerGame) -> None:
        # In the scoring of IGS nobody need be asked: it clears the marks.
        await self._line.write("undoplease" if self._is_igs and game.phase != SCORING else "undo")

    async def answer_undo(self, game: ServerGame, allowed: bool) -> None:
        await self._line.write("undo" if allowed else "noundo")

    async def mark_dead(self, game: ServerGame, vertex: str) -> None:
        await self._line.write(vertex.lower())

    async def agree(self, game: ServerGame) -> None:
        await self._line.write("done")

    async def adjourn(self, game: ServerGame) -> None:
        await self._line.write("adjourn")


def _terms(offer: re.Match[str]) -> Terms | None:
    """Return the terms of an offer, None for numbers that say nothing."""
    numbers = [int(word) for word in offer[4].split()]
    if offer[1] == "match" and len(numbers) == 3:
        size, minutes, period = numbers
        return Terms(size, control_of(60.0 * minutes, 60.0 * period, STONES), COLOURS.get(offer[3], BLACK))
    if offer[1] == "nmatch" and len(numbers) >= 5:
        handicap, size, seconds, period, stones = numbers[:5]
        control = control_of(float(seconds), float(period), stones)
        if len(numbers) >= 7 and numbers[5] and numbers[6]:
            control = TimeControl("byoyomi", float(seconds), period_s=float(numbers[6]), periods=numbers[5])
        return Terms(size, control, COLOURS.get(offer[3], BLACK), handicap)
    return None
