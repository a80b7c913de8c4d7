"""Observers of games, by the lines in docs/protocol/server.md, and the server's metrics for Prometheus.

A hidden game cannot be watched while it is in progress.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from gtp_variants.errors import Refused, VariantsError
from gtp_variants.records.json import to_json
from gtp_variants.rules import parse
from gtp_variants.site.game_store import GameLine
from gtp_variants.site.lobby.account_game import AccountGame, find_untold_options, size_and_komi
from gtp_variants.site.lobby.guests import Guest, LoginStage

# Upper bounds, in seconds, of the buckets in the histogram of move times.
_BOUNDS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
_PREFIX = "gtp_variants_server_"


class Metrics:
    """Counters, gauges and move times of one server since its start."""

    def __init__(self) -> None:
        self._counters = Counter[str]()
        # The functions that read the gauges, by name.
        self.gauges: dict[str, Callable[[], float]] = {}
        self._times = [0] * (len(_BOUNDS_S) + 1)
        self._total_s = 0.0

    def add(self, name: str, amount: int = 1) -> None:
        self._counters[name] += amount

    def time_move(self, seconds: float) -> None:
        """Count a move that took `seconds` to check, store and send."""
        self._times[bisect_left(_BOUNDS_S, seconds)] += 1
        self._total_s += seconds

    def write(self) -> str:
        """Return all metrics in the text format of Prometheus, version 0.0.4."""
        read = [(f"{name}_total", "counter", f"{count}") for name, count in sorted(self._counters.items())]
        read += [(name, "gauge", f"{gauge():g}") for name, gauge in sorted(self.gauges.items())]
        lines = [
            line
            for name, kind, value in read
            for line in (f"# TYPE {_PREFIX}{name} {kind}", f"{_PREFIX}{name} {value}")
        ]
        lines.append(f"# TYPE {_PREFIX}move_seconds histogram")
        below = 0
        for bound, count in zip((*map(str, _BOUNDS_S), "+Inf"), self._times, strict=True):
            below += count
            lines.append(f'{_PREFIX}move_seconds_bucket{{le="{bound}"}} {below}')
        lines += [f"{_PREFIX}move_seconds_sum {self._total_s:.6f}", f"{_PREFIX}move_seconds_count {below}"]
        return "\n".join(lines) + "\n"


# Maximum games per viewer.
_MOST_GAMES = 100


class Observers:
    """The viewers of a server: at most `most` in all, and `from_one_address` from one network."""

    def __init__(self, most: int, from_one_address: int) -> None:
        self._most, self._from_one_address = most, from_one_address
        self._networks = Counter[str]()
        # The games that each viewer watches, with the number of events sent so far.
        self._told: dict[Guest, dict[int, int]] = {}

    def __len__(self) -> int:
        return len(self._told)

    def enter(self, guest: Guest, latest: Iterable[GameLine], running: Iterable[AccountGame]) -> None:
        """Add a viewer and list the games. Raises Refused if there is no room."""
        if len(self._told) >= self._most or self._networks[guest.network] >= self._from_one_address:
            raise Refused("login", "too many viewers; come back later")
        guest.stage = LoginStage.WATCHING
        self._told[guest] = {}
        self._networks[guest.network] += 1
        for ended in latest:
            described = _describe(ended.spec)
            if described is not None and (guest.is_told or described[1]):
                date, _, clock = ended.ended[:16].partition("T")
                game = f"{date or '-'} {clock or '-'} {described[0]} {ended.white} {ended.black}"
                guest.say(f"match {ended.number} {game} {ended.result.split()[0]}")
        for each in running:
            self._announce(guest, each)

    def viewers(self) -> list[tuple[Guest, list[int]]]:
        """Return each viewer with the numbers of the games they watch."""
        return [(guest, sorted(told)) for guest, told in self._told.items()]

    def leave(self, guest: Guest) -> None:
        """Remove a closed connection if it was a viewer."""
        if self._told.pop(guest, None) is not None:
            self._networks[guest.network] -= 1
            self._networks += Counter()

    def receive(self, guest: Guest, text: str, running: Mapping[int, AccountGame]) -> None:
        """Handle a line from a viewer: `observe` or `quit`."""
        said = text.split()
        if said[:1] == ["quit"]:
            guest.hang_up()
        if len(said) != 2 or said[0] != "observe" or not (said[1].isascii() and said[1].isdigit()):
            return
        game = running.get(int(said[1][:18]))
        if game is None or not _may_see(guest, game):
            guest.say(f"info game {said[1][:18]} is not in progress or cannot be watched")
            return
        watched = self._told[guest]
        if len(watched) < _MOST_GAMES:
            watched[game.number] = game.lines.told_count
            for line in game.lines.beginning(is_told=guest.is_told):
                guest.say(line)

    def begin(self, game: AccountGame) -> None:
        """Announce a new game to all viewers."""
        for guest in self._told:
            self._announce(guest, game)

    def show(self, game: AccountGame) -> None:
        """Send the viewers of a game its new events, and its result at the end."""
        for guest, watched in self._told.items():
            told = watched.get(game.number)
            if told is None:
                continue
            for line in game.lines.for_viewers(told, is_told=guest.is_told):
                guest.say(line)
            watched[game.number] = game.lines.told_count
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


@lru_cache(maxsize=256)
def _describe(spec: str) -> tuple[str, bool] | None:
    """Return size and komi, and True if CGOS can describe the game in full; None for a SPEC that is no longer valid."""
    try:
        rules = parse(spec)
    except VariantsError:
        return None
    return size_and_komi(rules), rules.is_open and not find_untold_options(rules)
