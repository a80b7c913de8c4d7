"""The sockets that listen to games on the page, and the messages sent to each."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from gtp_variants.base.connection_gate import network_of
from gtp_variants.base.json_values import Json
from gtp_variants.base.processes.cores import available_cores
from gtp_variants.base.tasks import Timers
from gtp_variants.players.agreements import BOT, PERSON, Participant
from gtp_variants.players.hosted_game import HostedGame
from gtp_variants.players.levels import meaning, title
from gtp_variants.players.publisher import HEARTBEAT_S
from gtp_variants.players.transcript import Audience, NoSeat
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.site.access.visitors import is_guest
from gtp_variants.site.page.chat import message_of
from gtp_variants.site.page.opponents import Opponents
from gtp_variants.site.page.page_game import PageGame, TokenHolder
from gtp_variants.site.refusals import Full


@dataclass(frozen=True, slots=True)
class PageLimits:
    """The limits of the page's server."""

    # Maximum games in the store. Finished games are removed first, then games without a move that are older than
    # `unbegun_s`, then games without news for `idle_s`.
    games: int = 1000
    unbegun_s: float = 3600.0
    idle_s: float = 30 * 86_400.0
    # Maximum games played elsewhere; a game counts as lost after `lost_s` without a message.
    live: int = 100
    lost_s: float = 3 * HEARTBEAT_S
    # Maximum sockets of spectators in all, from one network and at one game, and of the players of one game.
    sockets: int = 600
    from_one_network: int = 300
    listeners: int = 300
    seated: int = 60
    # Limits for one client: messages per second in the long run, messages at once, bytes in a message and in a record.
    rate_hz: float = 10.0
    burst: int = 40
    message: int = 4096
    upload: int = 1_000_000
    # Maximum messages that wait for a slow client.
    queue: int = 64
    # Seconds to join a game after connecting, and the delay of presence updates.
    join_s: float = 10.0
    meeting_s: float = 0.2
    # Maximum seconds for which the first throw waits for the nonces of the players.
    nonces_s: float = 5.0
    # Minimum seconds that a bot's move takes, so that people can follow it.
    pause_s: float = 0.5
    # Maximum bots, and maximum engines, that think at the same time.
    threads: int = field(default_factory=lambda: max(1, available_cores() - 1))
    engines: int = 16


# A listener's audience, the epoch of its game, and the number of news items it has received.
Heard = tuple[Audience, int, int]


@dataclass(eq=False, slots=True)
class BrowserLine:
    """The messages that wait for one browser. Setting `is_lost` disconnects it, as when it reads too slowly."""

    queue: asyncio.Queue[str]
    # When it connected, as by time.time.
    opened_s: float = field(default_factory=time.time, init=False)
    is_lost: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    def send(self, text: str) -> None:
        try:
            self.queue.put_nowait(text)
        except asyncio.QueueFull:
            self.is_lost.set()


@dataclass(eq=False, slots=True)
class PageListener(BrowserLine):
    """One socket at a game, and the news it has received. `name` is the name of a spectator."""

    game: PageGame
    colour: TokenHolder | None
    lang: str = "en"
    name: str = ""
    visitor: str = ""
    address: str = ""
    network: str = field(init=False)
    # The news it has received, and the state that was sent with the last news.
    heard: Heard | None = field(default=None, init=False)
    standing: Json = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.network = network_of(self.address)

    @property
    def owner(self) -> str:
        """The owner of the turns that advice takes: a guest, who may have many names, shares those of its network."""
        return self.network if is_guest(self.visitor) else self.visitor

    @property
    def is_spectator(self) -> bool:
        """True if the listener has no seat or the game is over. Keeping such a listener out loses nobody a game."""
        return self.colour is None or self.game.hosted.is_over


# Maximum names of spectators shown at one game.
_MOST_NAMES = 20


class Listeners:
    """All sockets of all games."""

    def __init__(self, limits: PageLimits, opponents: Opponents) -> None:
        self._limits = limits
        self._opponents = opponents
        self._listeners: dict[str, set[PageListener]] = {}
        # Timers of pending presence updates.
        self._meetings = Timers(self._meet)

    def __contains__(self, name: object) -> bool:
        """Return True if the game with this name has listeners."""
        return name in self._listeners

    def of(self, name: str) -> Collection[PageListener]:
        """Return the sockets that listen to the game with this name."""
        return self._listeners.get(name, ())

    def all(self) -> list[PageListener]:
        """Return the sockets at all games."""
        return [each for listeners in self._listeners.values() for each in listeners]

    def close(self) -> None:
        self._meetings.stop_all()

    def close_boards(self, is_meant: Callable[[PageListener], bool]) -> int:
        """Disconnect the listeners for whom `is_meant` returns True, and return their number."""
        meant = list(filter(is_meant, self.all()))
        for each in meant:
            each.is_lost.set()
        return len(meant)

    def enter(self, listener: PageListener) -> None:
        """Add a listener. Raises Full if there is no room."""
        name, colour = listener.game.name, listener.colour
        listeners = self._listeners.get(name, set())
        if listener.is_spectator:
            networks = Counter(each.network for each in self.all() if each.is_spectator)
            here = networks[listener.network]
            if here >= self._limits.from_one_network or networks.total() >= self._limits.sockets:
                raise Full("page.many_sockets")
        # Spectators and players have separate limits, because a player who is kept out would lose on time.
        alike = sum((each.colour is None) == (colour is None) for each in listeners)
        if alike >= (self._limits.listeners if colour is None else self._limits.seated):
            raise Full("page.many_listeners")
        self._listeners[name] = listeners
        listeners.add(listener)

    def leave(self, listener: PageListener) -> None:
        """Remove a listener and tell the others."""
        name = listener.game.name
        self._listeners[name].discard(listener)
        if self._listeners[name]:
            self.tell_who(listener.game)
        else:
            del self._listeners[name]

    def send_away(self, name: str) -> None:
        """Disconnect all listeners of a game that is being removed."""
        for listener in self.of(name):
            listener.is_lost.set()
        self._meetings.stop(name)

    def summary(self, game: PageGame) -> Json:
        """Return the facts of a game that any spectator may see."""
        return {
            "game": game.name,
            "title": game.hosted.rules.title,
            "spec": game.hosted.rules.spec,
            "turn": game.hosted.table.position.turn,
            "over": game.hosted.is_over,
            "seats": self._seats(game),
        }

    def _seats(self, game: PageGame) -> Json:
        """Return the participant of each colour as JSON, with `here` true if connected."""
        here = {listener.colour for listener in self._listeners.get(game.name, ())}
        ratings = game.hosted.notes.get("ratings", {})
        return {
            COLOUR_LETTERS[colour]: {
                "kind": each.kind,
                "bot": "" if each.kind == PERSON else each.name,
                "level": each.level,
                "here": each.kind != PERSON or colour in here or NoSeat.REFEREE in here,
                "claimed": game.is_claimed(colour),
                **({"name": each.name} if each.kind == PERSON and each.name else {}),
                **(self._titles(each, game.hosted) if each.kind == BOT else {}),
                **({"rating": ratings[COLOUR_LETTERS[colour]]} if COLOUR_LETTERS[colour] in ratings else {}),
            }
            for colour, each in game.hosted.seats.items()
        }

    def _titles(self, seat: Participant, hosted: HostedGame) -> Json:
        """Return the title of a bot and the meaning of its level, in every language; {} for an engine."""
        if self._opponents.is_engine(seat.name):
            return {}
        rules, has_clock = hosted.rules, hosted.clocks.control.kind != "none"
        return {
            "title": {lang: title(seat.bot, lang) for lang in LANGUAGES},
            "meaning": {lang: meaning(seat.bot, rules, lang, has_clock=has_clock) for lang in LANGUAGES},
        }

    def _who(self, game: PageGame) -> Json:
        watching = [each for each in self._listeners[game.name] if each.colour is None]
        names = {each.name for each in watching}
        return {
            "seats": self._seats(game),
            "watching": len(watching),
            "watchers": sorted(names - {""})[:_MOST_NAMES],
            "again": [COLOUR_LETTERS[colour] for colour in sorted(game.wishes)],
            "kept": game.is_kept,
            "lost": game.is_lost,
        }

    def tell_who(self, game: PageGame) -> None:
        """Schedule a presence update, which simultaneous arrivals share."""
        if game.name in self._listeners and game.name not in self._meetings:
            self._meetings.set(game.name, self._limits.meeting_s, game)

    def _meet(self, game: PageGame) -> None:
        if game.name not in self._listeners:
            return
        who = self._who(game)
        text = json.dumps({"type": "who", **who})
        for listener in self._listeners[game.name]:
            listener.send(text)
            listener.standing["lost"] = who["lost"]

    def tell(self, game: PageGame, only: Iterable[PageListener] | None = None) -> None:
        """Send all listeners of a game, or `only` these, their news. Equal messages are written only once."""
        listeners = self._listeners.get(game.name, ()) if only is None else only
        if not listeners:
            return
        shared = self._who(game)
        written: dict[tuple[object, ...], tuple[str, Json]] = {}
        # Tell players first: there may be many spectators.
        for listener in sorted(listeners, key=lambda each: each.colour is None):
            if listener.is_lost.is_set():
                continue
            audience = game.hosted.audience(listener.colour)
            heard = listener.heard
            if heard is not None and heard[:2] != (audience, game.hosted.epoch):
                heard = None
            key = audience, heard, (listener.colour, listener.visitor) if heard is None else None, listener.lang
            if key not in written:
                message = self._message(listener, audience, heard, shared)
                written[key] = json.dumps(message, ensure_ascii=False), _standing(message, audience)
            text, standing = written[key]
            count = len(game.hosted.transcript(audience).items)
            # Send nothing without news: even an empty message would reveal that something happened.
            if heard is None or count > heard[2] or standing != listener.standing:
                listener.send(text)
            listener.heard, listener.standing = (audience, game.hosted.epoch, count), dict(standing)

    def _message(self, listener: PageListener, audience: Audience, heard: Heard | None, shared: Json) -> Json:
        game, colour, lang = listener.game, listener.colour, listener.lang
        if heard is not None:
            return {
                "type": "news",
                "news": game.hosted.transcript(audience, lang).items[heard[2] :],
                "state": game.state(audience, lang),
                **shared,
            }
        return {
            "type": "game",
            "game": game.name,
            "you": None if colour is None or colour is NoSeat.REFEREE else COLOUR_LETTERS[colour],
            "referee": colour is NoSeat.REFEREE,
            "mine": [COLOUR_LETTERS[each] for each in game.find_seats(listener.visitor) if isinstance(each, int)],
            "creator": game.is_creator(listener.visitor),
            **game.title_and_dice(),
            **game.whole(audience, lang),
            **shared,
        }

    def tell_chat(self, listeners: Iterable[PageListener], *, is_changed: bool = False) -> None:
        """Send listeners all lines of the chat rooms they may read, unless there are none and that is no news."""
        for each in listeners:
            lines = each.game.chat.lines_for(each.colour is not None, each.game.hosted.is_over)
            if lines or is_changed:
                each.send(json.dumps({**message_of(lines), "all": True}, ensure_ascii=False))


def _standing(message: Json, audience: Audience) -> Json:
    """Return the state in a message without the parts whose change alone would reveal that something happened."""
    times = ("clocks", "periods", "" if audience is NoSeat.ALL else "free_s")
    return {key: value for key, value in message["state"].items() if key not in times} | {"lost": message["lost"]}
