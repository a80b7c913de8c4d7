"""The interface of a Go server: its abilities, events and commands.

An adapter translates one server's protocol to these values and back, and makes no decisions. It reports each game as a
complete `ServerGame`, as the server sent it last.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gtp_variants.errors import PeerGarbled, PeerGone
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.rules.actions import BLACK, EMPTY

# Errors that an adapter may raise for a malformed message.
UNREADABLE = PeerGarbled, LookupError, TypeError, ValueError, AttributeError, ArithmeticError
# How a client takes a move back: not at all, by a command, or by asking the opponent.
NEVER, AT_ONCE, ASKED = "never", "at once", "asked"
PLAYING, SCORING, OVER, ADJOURNED = "playing", "scoring", "over", "adjourned"


def same_name(one: str, other: str) -> bool:
    """Return True if two names belong to the same account. Servers ignore case."""
    return one.lower() == other.lower()


class LoginReplaced(PeerGone):
    """A second login with our name has replaced ours. Logging in again at once would replace that login, and so on."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """The abilities of a server's clients, all absent by default.

    * `undo`: NEVER, AT_ONCE or ASKED
    * `resumes`: play can continue after the passes that end a game
    * `marks`: the players mark dead stones; otherwise the server counts the board as it stands
    * `challenges`: games are agreed on with people; otherwise the server pairs players
    * `edits`: we draw the board ourselves, and the server applies no rules
    * `concurrent`: an account can play several games at a time
    * `passes_stay`: if play continues after two passes, they stay in the server's list of moves
    """

    chat: bool = False
    undo: str = NEVER
    resumes: bool = False
    marks: bool = False
    challenges: bool = False
    edits: bool = False
    concurrent: bool = False
    passes_stay: bool = False


# A colour and its move: a vertex or `pass`.
ServerMove = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a game. `colour` is our colour, or None if it is random; `komi` is None if the server gives no komi.

    `speed` is the server's speed class, or "" if it has none. `rank` is the opponent's rank, where 30 is 1 dan, or None
    if it is unknown. `analysis` means that the opponent may try out moves during the game, and `is_program` that the
    server calls the opponent a program.
    """

    size: int
    control: TimeControl
    colour: int | None
    handicap: int = 0
    komi: float | None = None
    rated: bool = False
    speed: str = ""
    rank: float | None = None
    analysis: bool = False
    is_program: bool = False


@dataclass(frozen=True, slots=True)
class Seeker:
    """A player who may be invited. `rank` and `is_program` have the same meaning as in `Terms`."""

    name: str
    rank: float | None = None
    is_program: bool = False


@dataclass(frozen=True, slots=True)
class RefereedState:
    """The news of a refereed game, on a server that plays by our rules.

    `lines` are the `draw`, `play` and `hear` lines of `gtp_variants.site.lobby` for our seat. `record` is the referee's
    record as JSON, once the game is over.
    """

    spec: str
    commitment: str = ""
    lines: tuple[str, ...] = ()
    record: str = ""


@dataclass(frozen=True, slots=True)
class ServerGame:
    """The complete state of a game on the server.

    * `key`: the game's name, also used in file names; it survives reconnections
    * `awaits_move`: the server waits for our move
    * `result`: as in SGF's `RE` once the game is over, "" if the server does not say
    * `removed`: the stones marked as dead
    * `created`: identifies a game that began on this connection; "" if it is older
    * `is_whole`: False if only the phase and the result are known
    * `refereed`: set on a server that knows our games
    * `height`: the number of rows, if it may differ from `size`, the number of columns; otherwise 0
    * `placed`: Black's stones on the board at the start, if the server says where they are; `placed_white`: White's
    * `first`: the colour that moves first if there are such stones; 0 for White
    * `langs`: the languages in which players asked for the game, where known
    * `speed`: as in `Terms`
    * `is_paused`: the clocks are stopped
    * `options`: the server's options for Go, with our names
    * `programs`: the players that the server calls programs
    """

    key: str
    size: int
    colour: int
    players: Mapping[int, str]
    moves: tuple[ServerMove, ...] = ()
    clocks: Mapping[int, Clock] = field(default_factory=dict)
    phase: str = PLAYING
    awaits_move: bool = False
    handicap: int = 0
    komi: float | None = None
    result: str = ""
    removed: tuple[str, ...] = ()
    created: str = ""
    is_whole: bool = True
    refereed: "RefereedState | None" = None
    height: int = 0
    placed: tuple[str, ...] = ()
    langs: Mapping[str, str] = field(default_factory=dict)
    speed: str = ""
    is_paused: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    programs: frozenset[str] = frozenset()
    placed_white: tuple[str, ...] = ()
    first: int = EMPTY

    @property
    def opponent(self) -> str:
        return next((name for colour, name in self.players.items() if colour != self.colour), "?")


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge to us, or an open challenge to everybody, which is declined silently.

    `id` distinguishes several challenges from one player; `lang` is the player's language, if known. `is_counter` marks
    a reply to our own challenge with different terms.
    """

    user: str
    terms: Terms
    is_open: bool = False
    id: str = ""
    lang: str = ""
    is_counter: bool = False


@dataclass(frozen=True, slots=True)
class DeclineReason:
    """A reason for declining: the key of its sentence, its text ("" for none), and the challenge's id."""

    key: str
    text: str
    challenge_id: str = ""


@dataclass(frozen=True, slots=True)
class ChatLine:
    """A line of a user's chat, in the game `key` or outside games."""

    user: str
    text: str
    key: str | None = None


@dataclass(frozen=True)
class GameEvent:
    """An event in the game `key`, other than a new state."""

    key: str


@dataclass(frozen=True)
class KomiOffer(GameEvent):
    """The opponent's offer of another komi."""

    user: str
    komi: float


class UndoRequest(GameEvent):
    """The opponent's request to take a move back."""


class UndoRefused(GameEvent):
    """The refusal of our undo request by the opponent or the server."""


@dataclass(frozen=True)
class MoveRefused(GameEvent):
    """The server's refusal of our last move."""

    why: str


@dataclass(frozen=True)
class AgreementOffer(GameEvent):
    """The opponent's proposal of an agreement, on a server that knows agreements."""

    text: str


class DoneRefused(GameEvent):
    """The opponent's change to the dead stones after we agreed to them."""


@dataclass(frozen=True, slots=True)
class RoomPresence:
    """The people in our room, sent after each change. Names in `guests` are not reserved: others may use them later."""

    users: frozenset[str]
    guests: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class InvitationRefused:
    """The refusal of our invitation. `is_absent` is True if the player is gone, busy or cannot be asked."""

    user: str
    is_absent: bool = False


@dataclass(frozen=True, slots=True)
class SeekersSeen:
    """The players who are looking for a game and may be invited."""

    seekers: tuple[Seeker, ...]


# A `ServerGame` is sent whenever the state of a game may have changed.
ServerEvent = ServerGame | Challenge | ChatLine | GameEvent | RoomPresence | InvitationRefused | SeekersSeen


@dataclass(frozen=True, slots=True)
class DrawnMove:
    """A move to draw: a vertex or `pass`. `stands` is False if its stone is removed, `gone` has other such stones."""

    colour: int
    vertex: str
    stands: bool
    gone: tuple[str, ...]
    to_play: int


def state_of_board(
    key: str, size: int, me: str, names: Mapping[int, str], moves: Sequence[ServerMove], guest: tuple[str, int, str]
) -> ServerGame:
    """Return the state of a game on a board that we draw. `guest` has the last guest's name, colour and language."""
    colour = next((each for each, name in names.items() if same_name(name, me)), BLACK)
    is_ours = (3 - moves[-1][0] if moves else BLACK) == colour
    langs = {guest[0]: guest[2]} if guest[2] and guest[0] in names.values() else {}
    return ServerGame(key, size, colour, dict(names), tuple(moves), awaits_move=is_ours, langs=langs)


class PastGames:
    """A server's knowledge of unfinished games not sent since the login. By default the server knows nothing."""

    def has_lost(self, key: str, players: Mapping[int, str]) -> bool:
        """Return True if a game with this key and players can no longer be resumed."""
        return False

    async def ask_result(self, key: str, players: Mapping[int, str]) -> bool:
        """Ask how the game ended. The answer arrives as an incomplete state. Return False if no answer will come."""
        return False


class Invitations(ABC):
    """Invitations of players by name. Every method raises PeerGone if the connection is lost."""

    async def look_up(self, user: str) -> Seeker | None:
        """Return the server's data about a player, or None if there is no such player."""
        return Seeker(user)

    @abstractmethod
    async def look_for_seekers(self) -> None:
        """Request the players who are looking for a game; they arrive as `SeekersSeen`."""

    @abstractmethod
    async def invite(self, user: str, terms: Terms) -> InvitationRefused | None:
        """Invite a player who has been looked up. Return a refusal if the server does not forward the invitation."""

    @abstractmethod
    async def withdraw(self, user: str) -> None:
        """Withdraw an invitation that has not been answered."""


class Server(ABC):
    """One connection to a server; after an error, a new connection is needed.

    Methods for an ability that the server lacks are never called. `invitations` is None if no player can be invited.
    """

    abilities: Abilities
    _log: Callable[[str], None]
    past: PastGames = PastGames()
    invitations: Invitations | None = None

    @abstractmethod
    async def login(self) -> None:
        """Connect and log in. Raises Refused if every login would fail, else PeerGone, PeerSilent or LoginReplaced."""

    async def events(self) -> AsyncIterator[ServerEvent]:
        """Yield events; only log unreadable messages. The connection ends with an error, usually a PeerError."""
        while True:
            read = await self._receive()
            try:
                happened = await read()
            except UNREADABLE as error:
                self._log(f"cannot read what arrived last: {error!r}")
                continue
            for happening in happened:
                yield happening

    async def _receive(self) -> Callable[[], Awaitable[Sequence[ServerEvent]]]:
        """Wait for the next message, and return a function that reads it. Raises PeerError without a connection."""
        raise NotImplementedError

    @abstractmethod
    async def play(self, game: ServerGame, vertex: str, note: str) -> None:
        """Play a vertex or `pass`. `note` is an engine's analysis for the server's record, as JSON, or ""."""

    @abstractmethod
    async def resign(self, game: ServerGame) -> None:
        """Give up the game."""

    @abstractmethod
    async def ready(self, game: ServerGame) -> None:
        """Declare a finished game closed, so that the next game may begin."""

    @abstractmethod
    async def close(self) -> None:
        """End the connection, if it has not ended."""

    async def offer(self, game: ServerGame, text: str) -> bool:
        """Propose an agreement in place of a move. Return False if the server knows no agreements."""
        return False

    async def answer_offer(self, game: ServerGame, text: str, accepted: bool) -> None:
        """Answer the opponent's proposal of an agreement."""
        raise self._lacks("agreements")

    async def say(self, game: ServerGame, text: str) -> None:
        """Say something in a game."""
        raise self._lacks("chat")

    async def tell(self, user: str, text: str) -> None:
        """Send a message to a user outside games."""
        raise self._lacks("chat")

    async def watch(self, user: str) -> None:
        """Watch this user's game, now or as soon as it begins."""
        raise self._lacks("challenges")

    async def accept(self, challenge: Challenge) -> None:
        raise self._lacks("challenges")

    async def decline(self, user: str, reason: DeclineReason | None = None) -> None:
        """Decline a user's challenge or offer, and give the reason if there is one."""
        raise self._lacks("challenges")

    async def accept_komi(self, offer: KomiOffer) -> None:
        raise self._lacks("challenges")

    async def undo(self, game: ServerGame) -> None:
        """Take the last move back, or ask the opponent to allow that."""
        raise self._lacks("undo")

    async def answer_undo(self, game: ServerGame, allowed: bool) -> None:
        """Answer the opponent's undo request."""
        raise self._lacks("undo")

    async def draw(self, game: ServerGame, move: DrawnMove) -> None:
        """Draw a move on our board."""
        raise self._lacks("edits")

    async def conclude(self, game: ServerGame, result: str) -> None:
        """End a game on our board with this result."""
        raise self._lacks("edits")

    async def publish(self, game: ServerGame, text: str, moves: Sequence[DrawnMove]) -> None:
        """Show a finished game to everybody in the room, with a text about it."""
        raise self._lacks("edits")

    async def mark_dead(self, game: ServerGame, vertex: str) -> None:
        """Mark the chain on a vertex as dead."""
        raise self._lacks("marks")

    async def agree(self, game: ServerGame) -> None:
        """Agree to the stones that are marked as dead."""
        raise self._lacks("marks")

    async def adjourn(self, game: ServerGame) -> None:
        """Leave the game unfinished."""
        raise self._lacks("challenges")

    def _lacks(self, ability: str) -> AssertionError:
        return AssertionError(f"{type(self).__name__} was asked for {ability}")
