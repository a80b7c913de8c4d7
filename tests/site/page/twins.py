"""Twin games at the page: all messages to a seat and to watchers, and answers to anybody's requests."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

from gtp_variants.players.player import news_of
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game
from gtp_variants.site.page.listeners import PageLimits
from tests.site.page.serving import KEY, Client, Json, Site, site
from tests.support.twins import Leak, TwinPair
from tests.support.waiting import wait_until

LIMITS = PageLimits(games=100_000, pause_s=0.0, rate_hz=1e6, burst=1_000_000, meeting_s=0.0, live=20)
# What anybody may ask for about a game without a seat at it, played here or elsewhere.
_HERE = ("/api/games", "/api/games/{game}/record.sgf", "/api/games/{game}/record.json")
_ELSEWHERE = ("/api/live", "/api/games/{game}/record.json")
# What a seat may ask, on whoever's turn, and should learn nothing by.
_ORACLES: tuple[Json, ...] = (
    *(
        {"do": word, "re": word}
        for word in ("undo", "allow", "refuse", "swap", "hint", "hidden", "odds", "dead", "draw", "again")
    ),
    {"do": "dice", "dice": "1d6"},
    {"do": "chat", "text": "what do you know?"},
    {"do": "dead", "at": "A1"},
    *({"do": "analysis", "at": at, "of": of} for at in (0, 10**6) for of in ("", "b", "w")),
    *({"do": "play", "at": at, "turn": turn} for at in ("A1", "Z9") for turn in (0, 10**6)),
)
_CLOCKS = re.compile(r'"clocks": \{[^}]*\}')


def ask_outside(served: Site, name: str, paths: Iterable[str]) -> list[object]:
    """What is answered to who has no seat at a game: status, length and words."""
    found: list[object] = []
    for path in paths:
        answer = served.ask(path.format(game=name))
        if "/record." in path:
            found += [answer.status, answer.headers.get("content-length"), answer.body]
        else:
            # Who plays other games may come and go meanwhile.
            listed = answer.json["games"]
            found += [[each["game"] for each in listed], [each for each in listed if each["game"] == name]]
    return found


def expect_silence(end: Client, what: str) -> None:
    """Raises Leak if something came: the next that comes must be the answer to what is asked now."""
    end.line.send(json.dumps({"do": "nothing", "re": "silence"}))
    came = json.loads(end.line.recv(timeout=60.0))
    if came.get("re") != "silence":
        raise Leak(f"{what}: a frame {came['type']!r} came at the moment of an event that is not heard")


def _ask(end: Client, asked: Json) -> list[str]:
    """What comes to who asks for something that cannot be."""
    for word in (asked, {"do": "nothing", "re": "last"}):
        end.line.send(json.dumps(word))
    came: list[str] = []
    while not came or json.loads(came[-1]).get("re") != "last":
        came.append(str(end.line.recv(timeout=60.0)))
    return came


class PageTwin:
    """A game played at the page by two seats, with somebody who watches, and what came to each of the three."""

    def __init__(self, served: Site, game: Game, is_timed: bool = False) -> None:
        self._served = served
        self._game = game
        clock = {"clock": {"main_s": 600, "increment_s": 5}} if is_timed else {}
        self.name, self.seats = served.begin(game.rules.spec, **clock)
        self.came: dict[str, list[str]] = {}
        self._is_asked = False

    def play(self) -> dict[str, list[str]]:
        """Play it; what came to `b`, `w` and `watching`, those who come anew at the end among them.

        Raises Leak if anything comes, or changes for who asks, when somebody does what the others do not hear of.
        """
        with ExitStack() as stack:
            ends = {letter: stack.enter_context(self._served.sit(self.name, self.seats[letter])) for letter in "bw"}
            ends["watching"] = stack.enter_context(self._served.sit(self.name))
            for end in ends.values():
                _await_all(end)
            for index in range(len(self._game.events)):
                self._act(ends, index)
            for who, end in ends.items():
                end.came += [text for asked in _ORACLES for text in _ask(end, asked)]
                seat = None if who == "watching" else self.seats[who]
                again = stack.enter_context(self._served.sit(self.name, seat))
                self.came[who] = [self._clean(text) for text in (*end.came, again.came[0])]
        return self.came

    def _act(self, ends: dict[str, Client], index: int) -> None:
        """One event, and all that it makes come."""
        game = self._game
        event, letter = game.events[index], COLOUR_LETTERS[game.events[index].actor]
        hears = {COLOUR_LETTERS[colour]: news_of(game, index, colour) is not None for colour in (BLACK, WHITE)}
        hears["watching"] = all(hears.values())
        # To ask takes longer than to play: it is done at the first event that is hidden.
        is_asked = not all(hears.values()) and not self._is_asked
        before = ask_outside(self._served, self.name, _HERE) if is_asked else []
        ends[letter].do("pass") if event.action == PASS else ends[letter].do(
            "play", at=game.rules.board.vertex(event.action)
        )
        for who, end in ends.items():
            if hears[who]:
                message = end.take()
                if message["type"] != "news" or not message["news"]:
                    raise Leak(f"{game.rules.spec}, event {index}, {who}: {message['type']} instead of news")
        for who in (who for who in ends if not hears[who]):
            expect_silence(ends[who], f"{game.rules.spec}, event {index}, {who}")
        if is_asked and ask_outside(self._served, self.name, _HERE) != before:
            raise Leak(f"{game.rules.spec}, event {index}: an answer to strangers has changed")
        self._is_asked = self._is_asked or is_asked

    def _clean(self, text: str) -> str:
        """A message without what is another in every game: its name, and the time."""
        text = text.replace(self.name, "GAME")
        # Digits are as many as they were: the sizes are compared, too.
        return _CLOCKS.sub(lambda clocks: re.sub(r"\d", "0", clocks[0]), text)


def _await_all(end: Client) -> None:
    """Wait until it is said that everybody is there; what was said of that before is left out."""
    while not (_is_complete(json.loads(end.came[-1]))):
        end.take()
    end.came = [text for text in end.came if not text.startswith('{"type": "who"')]


def _is_complete(message: Json) -> bool:
    seats = message.get("seats", {})
    return message["type"] == "who" and message["watching"] == 1 and all(each["here"] for each in seats.values())


def compare_page(served: Site, pair: TwinPair) -> None:
    """Compare what a seat and who watches get of two games at the page. Raises Leak."""
    ours, theirs = (PageTwin(served, game, is_timed=pair.number % 2 == 1).play() for game in pair.games)
    for who in (COLOUR_LETTERS[pair.colour], "watching"):
        _compare(f"pair {pair.number}, {pair.spec}, {who}", ours[who], theirs[who])


def _compare(what: str, ours: list[str], theirs: list[str]) -> None:
    for index, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if one != other:
            raise Leak(f"{what}, frame {index}:\n{one}\n{other}")
    if len(ours) != len(theirs):
        raise Leak(f"{what}: {len(ours)} frames and {len(theirs)}")


def watch_published(served: Site, game: Game, name: str) -> list[str]:
    """What comes to who watches a game that is played elsewhere and published here event by event."""
    head: Json = {"source": "match", "title": "twin", "spec": game.rules.spec, "players": {"b": "a", "w": "b"}}
    head |= {"setup": [], "first": None, "commitment": None}
    _publish(served, name, {"from": 0, "events": [], "head": head})
    with served.sit(name) as watcher:
        while watcher.take_one("who")["watching"] != 1:
            pass
        watcher.came = watcher.came[:1]
        is_asked = False
        for index, event in enumerate(game.events):
            is_heard = all(news_of(game, index, colour) is not None for colour in game.rules.colours)
            before = [] if is_heard or is_asked else ask_outside(served, name, _ELSEWHERE)
            _publish(served, name, {"from": index, "events": [[event.actor, event.action]]})
            if is_heard:
                watcher.take()
            else:
                expect_silence(watcher, f"published {game.rules.spec}, event {index}")
                if not is_asked and ask_outside(served, name, _ELSEWHERE) != before:
                    raise Leak(f"published {game.rules.spec}, event {index}: an answer to strangers has changed")
                is_asked = True
        with served.sit(name) as late:
            came = [*watcher.came, late.came[0]]
    # It makes room for others.
    end = {"result": "", "why": "", "secret": None}
    _publish(served, name, {"from": len(game.events), "events": [], "end": end})
    return [text.replace(name, "GAME") for text in came]


def _publish(served: Site, name: str, told: Json) -> None:
    def publish() -> bool:
        answer = served.ask(f"/api/live/{name}", told, authorization=f"Bearer {KEY}")
        assert answer.status in {200, 429}, answer.body
        return answer.status == 200

    # Twins publish faster than the page takes it.
    wait_until(publish, "a published event")


def compare_published(served: Site, pair: TwinPair) -> None:
    """Compare what comes to who watches two games that are published here. Raises Leak."""
    names = [f"published-twin-number-{pair.number}-{which}-of-two" for which in "ab"]
    ours, theirs = (watch_published(served, game, name) for game, name in zip(pair.games, names, strict=True))
    _compare(f"pair {pair.number}, {pair.spec}, published", ours, theirs)


@contextmanager
def twin_site() -> Iterator[Site]:
    """A server that is quick enough for whole games, and says at once who comes."""
    with site(limits=LIMITS) as running:
        yield running
