"""A Go server as the bridge sees it: its abilities, its events, its commands.

An adapter turns one server's protocol into these values and back, and decides nothing. All it tells about a game is a
`ServerGame`: the whole state, taken from what the server said last. `abilities` say what may be asked of it.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

from gtp_variants.errors import PeerGarbled, PeerGone
from gtp_variants.players.clock import Clock, TimeControl

# What an adapter may raise for a message of the server's that is not as it should be.
UNREADABLE = PeerGarbled, LookupError, TypeError, ValueError, AttributeError, ArithmeticError
# How a client makes a move go away: never, by a command that works at once, or by asking the opponent.
NEVER, AT_ONCE, ASKED = "never", "at once", "asked"
PLAYING, SCORING, OVER, ADJOURNED = "playing", "scoring", "over", "adjourned"


class LoginReplaced(PeerGone):
    """A second login with our name took our place: to log in again at once would take it back, without end."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """The abilities of a server's clients: by default none.

    `undo` is NEVER, AT_ONCE or ASKED; `resumes`: play can go on after the passes that end it; `marks`: the players mark
    dead stones, else the server counts the board as it stands; `comments`: a move can carry an analysis that goes into
    the server's record; `challenges`: games are agreed on with people, else the server pairs; `edits`: the board is
    what we draw, and the server knows no rules; `concurrent`: an account plays several games at a time; `passes_stay`:
    where play goes on after the passes that end it, these stay in the server's list of moves.
    """

    chat: bool = False
    undo: str = NEVER
    resumes: bool = False
    marks: bool = False
    comments: bool = False
    challenges: bool = False
    edits: bool = False
    concurrent: bool = False
    passes_stay: bool = False


# A colour and what it played: a vertex or `pass`, in GTP's words.
ServerMove = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a game; `colour` is ours, None by lot. `komi` is None where nothing is said of it.

    `speed` is the class of time that a server sorts games into, "" where there are none. `rank` is the opponent's, 30
    for 1 dan and one less or more for each rank, None where it is not known; `analysis` says that the server lets them
    try out moves on the board, and promise some beforehand; `is_program` that it calls the opponent one.
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
    """A player who may be asked for a game; `rank` and `is_program` are as in `Terms`."""

    name: str
    rank: float | None = None
    is_program: bool = False


@dataclass(frozen=True, slots=True)
class RefereedState:
    """The news of a game's referee, on a server that plays by our rules.

    `lines` say what happened as far as our seat may know, by the words `draw`, `play` and `hear` of
    `gtp_variants.site.lobby`. `record` is the referee\'s own, as JSON, once the game is over.
    """

    spec: str
    commitment: str = ""
    lines: tuple[str, ...] = ()
    record: str = ""


@dataclass(frozen=True, slots=True)
class ServerGame:
    """One game, whole, as the server has it.

    `key` names the game and stays the same over reconnections, in file names too. `awaits_move` says that the server
    waits for a move of ours. `result` is as in an SGF `RE`, once the game is over, "" if the server does not say.
    `removed` are the stones that were called dead. `created` tells a game that began on this connection from every
    other one; one that was there before has "". Where the game is not `is_whole` only its phase and its result are
    known. `refereed` is there on a server that knows our games. `placed` are the handicap stones where the server says
    where they are; `langs` are the languages in which people asked for the game, as far as they are known. `speed` is
    as in `Terms`; a game that `is_paused` has clocks that stand still. `options` are those of Go that the server plays
    by, in our words. `programs` are the players that the server calls programs.
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
    placed: tuple[str, ...] = ()
    langs: Mapping[str, str] = field(default_factory=dict)
    speed: str = ""
    is_paused: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    programs: frozenset[str] = frozenset()

    @property
    def opponent(self) -> str:
        """The name of whom we play."""
        return next((name for colour, name in self.players.items() if colour != self.colour), "?")


@dataclass(frozen=True, slots=True)
class GameUpdate:
    """The state of a game, which may have changed."""

    game: ServerGame


@dataclass(frozen=True, slots=True)
class Challenge:
    """Somebody wants to play us, or whoever comes: what is open to all is declined without a word.

    `id` names it where one person may have several, `lang` is their language where it is known. `is_counter` says that
    they would play whom they were asked by, on these terms instead.
    """

    user: str
    terms: Terms
    is_open: bool = False
    id: str = ""
    lang: str = ""
    is_counter: bool = False


@dataclass(frozen=True, slots=True)
class DeclineReason:
    """The reason for declining a challenge: the key of a sentence, its words, "" for none, and the challenge's id."""

    key: str
    text: str
    challenge_id: str = ""


@dataclass(frozen=True, slots=True)
class ChatLine:
    """A person said something; `key` is the game it belongs to, None outside of one."""

    user: str
    text: str
    key: str | None = None


@dataclass(frozen=True, slots=True)
class KomiOffer:
    """The opponent would like another komi."""

    key: str
    user: str
    komi: float


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """The opponent asks us to let a move be taken back."""

    key: str
    user: str


@dataclass(frozen=True, slots=True)
class UndoRefused:
    """The opponent, or the server, does not let us take a move back."""

    key: str


@dataclass(frozen=True, slots=True)
class MoveRefused:
    """The server did not take our last move."""

    key: str
    why: str


@dataclass(frozen=True, slots=True)
class DoneRefused:
    """The opponent changed the marks of dead stones after we agreed to them."""

    key: str


@dataclass(frozen=True, slots=True)
class RoomPresence:
    """The people in our room, told whenever somebody comes or goes.

    Some may be `guests`, whose names are anybody's who comes next.
    """

    users: frozenset[str]
    guests: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class InvitationRefused:
    """The player we asked does not want a game, or `is_absent`: gone, busy, or not to be asked."""

    user: str
    is_absent: bool = False


@dataclass(frozen=True, slots=True)
class SeekersSeen:
    """The players who look for a game, of those whom we may ask."""

    seekers: tuple[Seeker, ...]


# What a server tells of one game beside its state.
GameEvent = KomiOffer | UndoRequest | UndoRefused | MoveRefused | DoneRefused
ServerEvent = GameUpdate | Challenge | ChatLine | GameEvent | RoomPresence | InvitationRefused | SeekersSeen


@dataclass(frozen=True, slots=True)
class DrawnMove:
    """A move as it is shown on a board that we draw.

    `vertex` may be `pass`; `stands` says that the stone stays, `gone` are the vertices that become empty, `to_play` is
    whose turn it is then.
    """

    colour: int
    vertex: str
    stands: bool
    gone: tuple[str, ...]
    to_play: int


class PastGames:
    """A server's knowledge of games that were in progress and not seen since the login: by default none."""

    def has_lost(self, key: str, players: Mapping[int, str]) -> bool:
        """Return True if such a game cannot come again."""
        return False

    async def ask_result(self, key: str, players: Mapping[int, str]) -> bool:
        """Ask how it ended; what is known comes as its state, which is not whole. False if nobody can say."""
        return False


class Invitations(ABC):
    """Invitations of players by name. Every method raises PeerGone."""

    async def look_up(self, user: str) -> Seeker | None:
        """Return what the server says of a player before they are asked, None where there is no such player."""
        return Seeker(user)

    @abstractmethod
    async def look_for_seekers(self) -> None:
        """Ask who looks for a game; they come as `SeekersSeen`."""

    @abstractmethod
    async def invite(self, user: str, terms: Terms) -> InvitationRefused | None:
        """Ask a player, who was looked up, for a game: it begins, or they refuse it, or nothing comes of it.

        Where the server does not put the question to them its refusal is given at once.
        """

    @abstractmethod
    async def withdraw(self, user: str) -> None:
        """Ask a player no more who has not answered."""


class Server(ABC):
    """One connection to a server. After an error it is of no more use: the next connection is a new one.

    What asks for an ability the server lacks is never called. `invitations` are None where nobody can be asked by name.
    """

    abilities: Abilities
    past: PastGames = PastGames()
    invitations: Invitations | None = None

    @abstractmethod
    async def login(self) -> None:
        """Connect and log in. Raises Refused for good, PeerGone or PeerSilent for now, Replaced."""

    @abstractmethod
    def events(self) -> AsyncIterator[ServerEvent]:
        """Yield what happens, until the connection ends, which raises as `login` does."""

    @abstractmethod
    async def play(self, game: ServerGame, vertex: str, note: str) -> None:
        """Play a vertex or `pass`. `note` is an engine's remarks for the server's record, as JSON, "" for none."""

    @abstractmethod
    async def resign(self, game: ServerGame) -> None:
        """Give the game up."""

    @abstractmethod
    async def ready(self, game: ServerGame) -> None:
        """A finished game is dealt with; the next may come."""

    @abstractmethod
    async def close(self) -> None:
        """End the connection. May be called again."""

    async def say(self, game: ServerGame, text: str) -> None:
        """Say something to the opponent."""
        raise self._lacks("chat")

    async def tell(self, user: str, text: str) -> None:
        """Say something to somebody outside of a game."""
        raise self._lacks("chat")

    async def watch(self, user: str) -> None:
        """Look on at the game of this user, now or when it begins."""
        raise self._lacks("challenges")

    async def accept(self, challenge: Challenge) -> None:
        """Play on these terms."""
        raise self._lacks("challenges")

    async def decline(self, user: str, reason: DeclineReason | None = None) -> None:
        """Do not play, or not on what was offered last; a reason is told."""
        raise self._lacks("challenges")

    async def accept_komi(self, offer: KomiOffer) -> None:
        """Play with this komi."""
        raise self._lacks("challenges")

    async def undo(self, game: ServerGame) -> None:
        """Make the last move go away, or ask for it."""
        raise self._lacks("undo")

    async def answer_undo(self, game: ServerGame, allowed: bool) -> None:
        """Answer an opponent who asked for an undo."""
        raise self._lacks("undo")

    async def draw(self, game: ServerGame, move: DrawnMove) -> None:
        """Show a move."""
        raise self._lacks("edits")

    async def conclude(self, game: ServerGame, result: str) -> None:
        """End a game with this result."""
        raise self._lacks("edits")

    async def publish(self, game: ServerGame, text: str, moves: Sequence[DrawnMove]) -> None:
        """Show everybody in the room a game that is over, and say this of it."""
        raise self._lacks("edits")

    async def mark_dead(self, game: ServerGame, vertex: str) -> None:
        """Call the chain on a vertex dead."""
        raise self._lacks("marks")

    async def agree(self, game: ServerGame) -> None:
        """Agree to the stones as they are marked now."""
        raise self._lacks("marks")

    async def adjourn(self, game: ServerGame) -> None:
        """Ask to leave the game as it is."""
        raise self._lacks("challenges")

    def _lacks(self, ability: str) -> AssertionError:
        return AssertionError(f"{type(self).__name__} was asked for {ability}")
