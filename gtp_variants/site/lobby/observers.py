"""Observers by the line protocol: the viewers of CGOS, and such as know a few words more.

Lines: S is the server, C a viewer. What is marked * is for viewers that said `variants` only::

    C v1 NAME/VERSION [variants]                    without the word only games that CGOS's words tell in full
    S match GID DATE TIME SIZE KOMI WHITE(RATING) BLACK(RATING) RESULT        the latest games; of one that is on
                                                    DATE, TIME and RESULT are -
    C observe GID                                   a game that is on; as many as one likes
    S variant GID SPEC [COMMITMENT]               * the game in full, and what its dice will be checked by
    S draw GID TURN COLOUR FACE...|free           *
    S setup GID - - SIZE KOMI WHITE(RATING) BLACK(RATING) MS [MOVE MS]*
    S update GID MOVE MS                            colours in turn, Black first
    S record GID JSON                             * at its end
    S update GID RESULT

A hidden game is not shown before it is over.

What a server counts, as Prometheus reads it: counters, gauges that are asked for, and how long moves took.

Games on the page of another server: which are shown there, and how they stand.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from gtp_variants.errors import Refused, VariantsError
from gtp_variants.players.publisher import Publisher, Shown
from gtp_variants.records.json import to_json
from gtp_variants.rules import parse
from gtp_variants.rules.languages import format_number
from gtp_variants.site.lobby.account_game import AccountGame, find_untold_options
from gtp_variants.site.lobby.account_store import MatchLine
from gtp_variants.site.lobby.guests import Guest, LoginStage

# Upper bounds in seconds of the times a move took.
_BOUNDS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
_PREFIX = "gtp_variants_server_"


class Metrics:
    """Counts of one server since it was started."""

    def __init__(self) -> None:
        self._counters = Counter[str]()
        self._gauges: dict[str, Callable[[], float]] = {}
        self._times = [0] * (len(_BOUNDS_S) + 1)
        self._total_s = 0.0

    def add(self, name: str, amount: int = 1) -> None:
        """Count something that happened."""
        self._counters[name] += amount

    def count(self, name: str) -> int:
        """How often it happened."""
        return self._counters[name]

    def gauge(self, name: str, read: Callable[[], float]) -> None:
        """Let a value be read that goes up and down."""
        self._gauges[name] = read

    def time_move(self, seconds: float) -> None:
        """A move was checked, written and told in so long."""
        self._times[bisect_left(_BOUNDS_S, seconds)] += 1
        self._total_s += seconds

    def write(self) -> str:
        """All of it in the text format of Prometheus, version 0.0.4."""
        lines = []
        for name in sorted(self._counters):
            lines += [f"# TYPE {_PREFIX}{name}_total counter", f"{_PREFIX}{name}_total {self._counters[name]}"]
        for name in sorted(self._gauges):
            lines += [f"# TYPE {_PREFIX}{name} gauge", f"{_PREFIX}{name} {self._gauges[name]():g}"]
        lines.append(f"# TYPE {_PREFIX}move_seconds histogram")
        below = 0
        for bound, count in zip((*map(str, _BOUNDS_S), "+Inf"), self._times, strict=True):
            below += count
            lines.append(f'{_PREFIX}move_seconds_bucket{{le="{bound}"}} {below}')
        lines += [f"{_PREFIX}move_seconds_sum {self._total_s:.6f}", f"{_PREFIX}move_seconds_count {below}"]
        return "\n".join(lines) + "\n"


# A viewer that watches so many has room on no screen.
_MOST_GAMES = 100


class Observers:
    """The viewers of a server: at most `most` of them, `from_one_address` from one network."""

    def __init__(self, most: int, from_one_address: int) -> None:
        self._most, self._from_one_address = most, from_one_address
        self._networks = Counter[str]()
        # Of each viewer the games it watches, and how many events of each it was told.
        self._told: dict[Guest, dict[int, int]] = {}

    def __len__(self) -> int:
        return len(self._told)

    def enter(self, guest: Guest, latest: Iterable[MatchLine], running: Iterable[AccountGame]) -> None:
        """Somebody would watch, and is told what there is. Raises Refused where there is no room."""
        if len(self._told) >= self._most or self._networks[guest.network] >= self._from_one_address:
            raise Refused("login", "too many viewers; come back later")
        guest.stage = LoginStage.WATCHING
        self._told[guest] = {}
        self._networks[guest.network] += 1
        for ended in latest:
            heading = _heading_of(ended.spec)
            if heading is not None and (guest.is_told or heading.is_plain):
                date, _, clock = ended.ended[:16].partition("T")
                when = f"{date or '-'} {clock or '-'}"
                guest.say(
                    f"match {ended.number} {when} {heading.text} {ended.white} {ended.black} {ended.result.split()[0]}"
                )
        for game in running:
            self._announce(guest, game)

    def viewers(self) -> list[tuple[Guest, list[int]]]:
        """Each viewer with the numbers of the games that they watch now."""
        return [(guest, sorted(told)) for guest, told in self._told.items()]

    def leave(self, guest: Guest) -> None:
        """A connection is gone that may have been a viewer's."""
        if self._told.pop(guest, None) is not None:
            self._networks[guest.network] -= 1
            self._networks += Counter()

    def receive(self, guest: Guest, text: str, running: Mapping[int, AccountGame]) -> None:
        """A viewer wants to watch, or goes."""
        said = text.split()
        if said[:1] == ["quit"]:
            guest.hang_up()
        if len(said) != 2 or said[0] != "observe" or not (said[1].isascii() and said[1].isdigit()):
            return
        game = running.get(int(said[1][:18]))
        if game is None or not _may_see(guest, game):
            guest.say(f"info game {said[1][:18]} is not on, or cannot be watched")
            return
        watched = self._told[guest]
        if len(watched) < _MOST_GAMES:
            watched[game.number] = len(game.game.events)
            for line in game.lines.beginning(is_told=guest.is_told):
                guest.say(line)

    def begin(self, game: AccountGame) -> None:
        """A game begins: everybody is told that it can be watched."""
        for guest in self._told:
            self._announce(guest, game)

    def show(self, game: AccountGame) -> None:
        """Something happened in a game, or it is over."""
        for guest, watched in self._told.items():
            told = watched.get(game.number)
            if told is None:
                continue
            for line in game.lines.for_viewers(told, is_told=guest.is_told):
                guest.say(line)
            watched[game.number] = len(game.game.events)
            if game.result:
                if guest.is_told:
                    guest.say(f"record {game.number} {to_json(game.record())}")
                guest.say(f"update {game.number} {game.result}")
                del watched[game.number]

    def _announce(self, guest: Guest, game: AccountGame) -> None:
        if _may_see(guest, game):
            guest.say(f"match {game.number} - - {game.lines.heading()} -")


def _may_see(guest: Guest, game: AccountGame) -> bool:
    return game.rules.is_open and (guest.is_told or not find_untold_options(game.rules))


class GameHeading:
    """Size and komi of a game as CGOS says them; `is_plain` if its viewers are told all of it."""

    def __init__(self, spec: str) -> None:
        """The heading of games of a SPEC. Raises SpecError."""
        rules = parse(spec)
        self.text = f"{rules.board.width} {format_number(float(str(rules.values.get('komi', 0))))}"
        self.is_plain = rules.is_open and not find_untold_options(rules)


@lru_cache(maxsize=256)
def _heading_of(spec: str) -> GameHeading | None:
    try:
        return GameHeading(spec)
    except VariantsError:
        return None


# So many games are shown on a page at a time: the page and the publisher have room for them.
_MOST_PUBLISHED = 60


class ServerBroadcast:
    """Shows the games of a server on the page of a running `serve`; `source` is what people find them under.

    A hidden game is not shown before it is over: a player could read on the way what is sent to the page.
    """

    def __init__(self, publisher: Publisher, source: str) -> None:
        self._publisher = publisher
        self._source = source
        self._on: set[int] = set()

    def show(self, game: AccountGame) -> None:
        """Show how a game stands when the clock of the side to move begins to run, and its end."""
        if game.result:
            self._on.discard(game.number)
        elif not game.rules.is_open or len(self._on | {game.number}) > _MOST_PUBLISHED:
            return
        else:
            self._on.add(game.number)
        self._publisher.show(str(game.number), game_for_page(self._source, game))


def game_for_page(source: str, game: AccountGame) -> Shown:
    """A game as those see it who watch."""
    record = game.record()
    return Shown.of(
        source,
        f"game {game.number}",
        game.game,
        game.names,
        record.commitment,
        record.secret,
        is_over=bool(game.result),
        result=game.result,
        why=game.hosted.why,
        left_s=game.left_s,
        free_s=game.hosted.clocks.free_left_s,
    )
