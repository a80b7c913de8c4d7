"""The listeners of the games of the page: who is there, and what each is told.

One socket that listens to a game of the page.

How much the server of the page takes on.
"""

import asyncio
import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from gtp_variants.base.json_values import Json
from gtp_variants.base.processes.cores import available_cores
from gtp_variants.players.agreements import BOT, PERSON, Participant
from gtp_variants.players.hosted_game import HostedGame
from gtp_variants.players.levels import meaning, title
from gtp_variants.players.publisher import HEARTBEAT_S
from gtp_variants.players.transcript import Audience, NoSeat
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.site.http import Full
from gtp_variants.site.page.chat import message_of
from gtp_variants.site.page.opponents import Opponents
from gtp_variants.site.page.page_game import PageGame, TokenHolder


@dataclass(frozen=True, slots=True)
class PageLimits:
    """How much the server takes on.

    `games` are kept at most: those that are over make room, then those without a move that are older than `unbegun_s`,
    then those that nobody has gone on with for `idle_s`. `live` ones are shown that are played elsewhere, each given up
    for lost after `lost_s` without a word; `sockets` of those who watch are open at most, `listeners` to one game, and
    `seated` from its seats; `queue` messages wait for a slow client;
    `rate_hz` messages a second may come from one in the long run and `burst` at once; `message` bytes in one, `upload`
    bytes in a record; `recoveries` of seats of a game may be tried at once and `recovery_hz` a second; `threads` bots
    and `engines` engines think at the same time. A bot's move takes `pause_s` at least, so that a person sees it; who
    came and went is told after `meeting_s`.
    """

    games: int = 1000
    unbegun_s: float = 3600.0
    idle_s: float = 30 * 86_400.0
    sockets: int = 600
    listeners: int = 300
    seated: int = 60
    queue: int = 64
    live: int = 100
    rate_hz: float = 10.0
    burst: int = 40
    message: int = 4096
    upload: int = 1_000_000
    join_s: float = 10.0
    pause_s: float = 0.5
    meeting_s: float = 0.2
    lost_s: float = 3 * HEARTBEAT_S
    engines: int = 16
    recoveries: int = 5
    recovery_hz: float = 0.1
    threads: int = field(default_factory=lambda: max(1, available_cores() - 1))


# As what somebody listens, how often something had been taken back by then, and how much news they have.
Heard = tuple[Audience, int, int]


class PageListener:
    """One socket: what it was told last, and what waits to be sent to it."""

    def __init__(self, game: PageGame, colour: TokenHolder | None, most: int, lang: str = "en", name: str = "") -> None:
        self.game = game
        self.colour = colour
        self.lang = lang
        # What somebody who only watches is called.
        self.name = name
        self.queue: asyncio.Queue[str] = asyncio.Queue(most)
        # What it was told last, and how the game stood then.
        self.heard: Heard | None = None
        self.standing: Json = {}
        # Set when it reads so slowly that it is given up; it may come again.
        self.is_lost = asyncio.Event()

    def send(self, text: str) -> None:
        """Put a message in the queue."""
        try:
            self.queue.put_nowait(text)
        except asyncio.QueueFull:
            self.is_lost.set()


# So many names of those who watch are told.
_MOST_NAMES = 20


class Listeners:
    """All sockets of all games.

    `is_kept` says of a game's name whether the game is written down, `wishes` which colours would play it once more.
    """

    def __init__(
        self,
        limits: PageLimits,
        opponents: Opponents,
        is_kept: Callable[[str], bool],
        wishes: Callable[[str], list[int]],
    ) -> None:
        self._limits = limits
        self._opponents = opponents
        self._is_kept, self._wishes = is_kept, wishes
        self._listeners: dict[str, set[PageListener]] = {}
        # When listeners hear who came and went.
        self._meetings: dict[str, asyncio.TimerHandle] = {}

    def __contains__(self, name: object) -> bool:
        """Whether anybody listens to the game of a name."""
        return name in self._listeners

    def of(self, name: str) -> Collection[PageListener]:
        """The sockets that listen to the game of a name."""
        return self._listeners.get(name, ())

    def close(self) -> None:
        """Nobody hears any more who came and went."""
        for handle in self._meetings.values():
            handle.cancel()

    def enter(self, game: PageGame, colour: TokenHolder | None, lang: str, name: str) -> PageListener:
        """One more listens to a game, from a seat or as one who watches, called `name`. Raises Full."""
        listeners = self._listeners.get(game.name, set())
        if colour is None and sum(map(len, self._listeners.values())) >= self._limits.sockets:
            raise Full("page.many_sockets")
        # Those who watch keep nobody from a seat, who would lose on time.
        alike = sum((each.colour is None) == (colour is None) for each in listeners)
        if alike >= (self._limits.listeners if colour is None else self._limits.seated):
            raise Full("page.many_listeners")
        self._listeners[game.name] = listeners
        listener = PageListener(game, colour, self._limits.queue, lang, name)
        listeners.add(listener)
        return listener

    def leave(self, listener: PageListener) -> None:
        """A socket is gone; those who are still there hear of it."""
        name = listener.game.name
        self._listeners[name].discard(listener)
        if self._listeners[name]:
            self.tell_who(listener.game)
        else:
            del self._listeners[name]

    def send_away(self, name: str) -> None:
        """A game is removed, and whoever listens to it is given up."""
        for listener in self.of(name):
            listener.is_lost.set()
        handle = self._meetings.pop(name, None)
        if handle is not None:
            handle.cancel()

    def seats(self, game: PageGame) -> Json:
        """Who sits where, and whether somebody is there."""
        here = {listener.colour for listener in self._listeners.get(game.name, ())}
        return {
            COLOUR_LETTERS[colour]: {
                "kind": each.kind,
                "bot": "" if each.kind == PERSON else each.name,
                "level": each.level,
                "here": each.kind != PERSON or colour in here or NoSeat.REFEREE in here,
                "claimed": game.is_claimed(colour),
                **({"name": each.name} if each.kind == PERSON and each.name else {}),
                **(self._titles(each, game.hosted) if each.kind == BOT else {}),
            }
            for colour, each in game.hosted.seats.items()
        }

    def _titles(self, seat: Participant, hosted: HostedGame) -> Json:
        """What a bot is called and how it plays, in every language."""
        if self._opponents.is_engine(seat.name):
            return {}
        rules, has_clock = hosted.rules, hosted.clocks.control.kind != "none"
        return {
            "title": {lang: title(seat.bot, lang) for lang in LANGUAGES},
            "meaning": {lang: meaning(seat.bot, rules, lang, has_clock=has_clock) for lang in LANGUAGES},
        }

    def _who(self, game: PageGame) -> Json:
        return {
            "seats": self.seats(game),
            "watching": sum(each.colour is None for each in self._listeners[game.name]),
            "watchers": sorted({each.name for each in self._listeners[game.name] if each.colour is None and each.name})[
                :_MOST_NAMES
            ],
            "again": [COLOUR_LETTERS[colour] for colour in self._wishes(game.name)],
            "kept": self._is_kept(game.name),
            "lost": game.is_lost,
        }

    def tell_who(self, game: PageGame) -> None:
        """Tell soon who is there: of many who come at once the others hear once."""
        if game.name in self._listeners and game.name not in self._meetings:
            later = asyncio.get_running_loop().call_later
            self._meetings[game.name] = later(self._limits.meeting_s, self._meet, game)

    def _meet(self, game: PageGame) -> None:
        del self._meetings[game.name]
        if game.name not in self._listeners:
            return
        who = self._who(game)
        text = json.dumps({"type": "who", **who})
        for listener in self._listeners[game.name]:
            listener.send(text)
            listener.standing["lost"] = who["lost"]

    def tell(self, game: PageGame, only: Iterable[PageListener] | None = None) -> None:
        """Tell listeners what they have not heard yet; each audience's message is written once."""
        listeners = self._listeners.get(game.name, ()) if only is None else only
        if not listeners:
            return
        shared = self._who(game)
        written: dict[tuple[object, ...], tuple[str, Json]] = {}
        # Who plays hears before the many who may be watching.
        for listener in sorted(listeners, key=lambda each: each.colour is None):
            if listener.is_lost.is_set():
                continue
            audience = game.hosted.audience(listener.colour)
            heard = listener.heard
            if heard is not None and heard[:2] != (audience, game.hosted.epoch):
                heard = None
            key = audience, heard, listener.colour if heard is None else None, listener.lang
            if key not in written:
                message = self._message(listener, audience, heard, shared)
                written[key] = json.dumps(message, ensure_ascii=False), _standing(message)
            text, standing = written[key]
            count = len(game.hosted.transcript(audience).items)
            # Who hears nothing is sent nothing: that a message comes would tell that something happened.
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
            **game.title_and_dice(),
            **game.whole(audience, lang),
            **shared,
        }

    def tell_chat(self, listeners: Iterable[PageListener]) -> None:
        """Tell listeners all that was said in the rooms that they may hear."""
        for each in listeners:
            lines = each.game.chat.lines_for(each.colour is not None, each.game.hosted.is_over)
            if lines:
                each.send(json.dumps({**message_of(lines), "all": True}, ensure_ascii=False))


def _standing(message: Json) -> Json:
    """How a game stands by a message, apart from the time that passes, from who is there and whether it can be kept.

    These are told in their own time or with the next news: told earlier they would tell that something happened.
    """
    return {key: value for key, value in message["state"].items() if key not in ("clocks", "periods")} | {
        "lost": message["lost"]
    }
