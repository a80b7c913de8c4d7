"""Games that are played elsewhere and shown here: a publisher tells how each goes on, and nobody here takes part.

They are kept in memory only. Who publishes has them, and tells them again to a server that was started anew.

All games that are played elsewhere and shown here: their room, and the silence after which one is given up.
"""

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from gtp_variants.base.json_values import Json
from gtp_variants.errors import NotationError, RecordError
from gtp_variants.players.agreements import ELSEWHERE, Participant
from gtp_variants.players.hosted_game import HostedGame, expect_rest
from gtp_variants.players.transcript import Audience
from gtp_variants.records.record import MAX_SECONDS, Record, printable
from gtp_variants.rules import parse
from gtp_variants.rules.actions import Event
from gtp_variants.rules.colour_names import COLOUR_LETTERS, COLOUR_WORDS
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules
from gtp_variants.site.http import Full, PageRefused
from gtp_variants.site.page.page_game import MOST_EVENTS, PageGame

# So many events are taken in at once, so that no other game waits for them.
MOST_AT_ONCE = 1000
LONGEST_TEXT = 200
_LARGEST_ACTION = 2**40
_COMMITMENT = re.compile(r"[0-9a-f]{64}")


class NoRoom(Exception):
    """As many games are shown as there may be."""


@dataclass(frozen=True, slots=True)
class Head:
    """What does not change of a published game: what it belongs to, which game it is there, how it began."""

    source: str
    title: str
    spec: str
    players: Mapping[int, str]
    setup: Mapping[int, int]
    first: int | None
    commitment: str | None


@dataclass(frozen=True, slots=True)
class End:
    """How a published game ended, where the rules do not say it, and the secret of its dice if that may be known."""

    result: str
    why: str
    secret: bytes | None


@dataclass(frozen=True, slots=True)
class ToldClocks:
    """What the clocks of a published game showed at `at_s` of the monotonic clock here, in seconds by colour.

    `runs`: that of the side to move has been running since, after the `free_s` that cost them nothing.
    """

    left_s: Mapping[int, float]
    at_s: float
    runs: bool
    free_s: float


class PublishedGame(PageGame):
    """A game that is played elsewhere; `told_clocks` is what the clocks showed last, if its publisher says."""

    def __init__(self, name: str, head: Head, events: list[Event]) -> None:
        self.head = head
        self.told_clocks: ToldClocks | None = None
        rules = parse(head.spec)
        game = Game.replay(rules, events, head.setup, head.first)
        expect_rest(game)
        has_dice = isinstance(rules, DicedRules)
        record = Record(game, "secret" if has_dice else None, head.commitment if has_dice else None)
        seats = {colour: Participant(ELSEWHERE, head.players.get(colour, "")) for colour in rules.colours}
        super().__init__(name, HostedGame.new(record, seats))

    def follow(self, first: int, events: list[Event]) -> None:
        """After the first so many events these happened, whatever was told of it before.

        Raises PageRefused if not so many were told, VariantsError for what cannot have happened; then nothing changed.
        """
        known = self.hosted.table.game.events
        if first > len(known):
            raise PageRefused("page.live_unknown", 409)
        if list(known[first:]) != events:
            self.hosted.follow(first, events)

    def expect(self, end: End) -> None:
        """Check that the secret at the end is that of this game's commitment. Raises RecordError."""
        if end.secret is not None and DiceStream(end.secret).commitment != self.hosted.record.commitment:
            raise RecordError("secret: does not match the commitment")

    def end(self, end: End) -> None:
        """It is over, perhaps with a result that the rules do not give."""
        self.hosted.record = replace(self.hosted.record, secret=end.secret)
        self.hosted.end(end.result, end.why)

    def state(self, audience: Audience, lang: str = "") -> Json:
        """How the game stands, with the clocks as its publisher tells them."""
        told = super().state(audience, lang)
        if self.told_clocks is not None:
            told |= self._shown_clocks(self.told_clocks)
        return told

    def _shown_clocks(self, told: ToldClocks) -> Json:
        """What the clocks show now; those of a game that is over or not heard of stand."""
        asked = self.hosted.asked()
        runs = told.runs and asked is not None and not self.is_lost
        left_s, free_s = dict(told.left_s), told.free_s
        if runs and asked in left_s:
            spent_s = time.monotonic() - told.at_s
            left_s[asked] = max(0.0, left_s[asked] - max(0.0, spent_s - free_s))
            free_s = max(0.0, free_s - spent_s)
        clocks = {COLOUR_LETTERS[colour]: round(left, 1) for colour, left in left_s.items()}
        return {"clocks": clocks, "running": runs, "free_s": round(free_s, 1)}


class PublishedGames:
    """The published games of a server, at most `most` of them: those that are over or not heard of make room."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._games: dict[str, PublishedGame] = {}

    def get(self, name: str) -> PublishedGame | None:
        """The game of a name."""
        return self._games.get(name)

    def all(self) -> list[PublishedGame]:
        """All of them, the one that was published last first."""
        return list(self._games.values())[::-1]

    def tell(self, name: str, told: Mapping[str, object], is_watched: Callable[[str], bool]) -> PublishedGame:
        """Take in what a publisher says of a game; `is_watched` says which games must not make room.

        Raises PageRefused for a game that has to be told from the beginning, VariantsError for what cannot be, and then
        nothing has changed.
        """
        first, events = _events(told)
        end = _end(told["end"]) if "end" in told else None
        game = self._games.get(name)
        if game is not None and game.hosted.is_ended:
            return game
        if game is None:
            if first or "head" not in told:
                raise PageRefused("page.live_unknown", 409)
            game = PublishedGame(name, _head(told["head"]), events)
        if end is not None:
            game.expect(end)
        clocks = _told_clocks(told["clocks"], game.hosted.rules) if "clocks" in told else None
        game.follow(first, events)
        game.told_clocks = clocks or game.told_clocks
        if end is not None:
            game.end(end)
        game.is_lost = False
        if name not in self._games:
            self._make_room(is_watched)
            self._games[name] = game
        return game

    def _make_room(self, is_watched: Callable[[str], bool]) -> None:
        if len(self._games) < self._most:
            return
        spare = [
            each for each in self._games.values() if (each.hosted.is_over or each.is_lost) and not is_watched(each.name)
        ]
        if not spare:
            raise NoRoom
        del self._games[spare[0].name]


# -- what a publisher says ---------------------------------------------------------------------------------------------


def _events(told: Mapping[str, object]) -> tuple[int, list[Event]]:
    """After how many events the new ones come, and these."""
    first, events = told.get("from"), told.get("events")
    if type(first) is not int or not 0 <= first <= MOST_EVENTS:
        raise NotationError(f"from: expected a number of events up to {MOST_EVENTS}")
    if not isinstance(events, list) or len(events) > MOST_AT_ONCE or first + len(events) > MOST_EVENTS:
        raise NotationError(f"events: expected a list of at most {MOST_AT_ONCE}, and {MOST_EVENTS} in all")
    return first, [Event(*_pair(each, "events", _LARGEST_ACTION)) for each in events]


def _pair(value: object, what: str, most: int) -> tuple[int, int]:
    if isinstance(value, list) and len(value) == 2 and all(type(each) is int and abs(each) < most for each in value):
        return value[0], value[1]
    raise NotationError(f"{what}: expected pairs of whole numbers")


def _text(told: Mapping[str, object], key: str) -> str:
    value = told.get(key, "")
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise NotationError(f"{key}: expected a text of at most {LONGEST_TEXT} letters")
    return printable(value)


def _end(told: object) -> End:
    """How a game ended. Raises NotationError."""
    if not isinstance(told, dict):
        raise NotationError("end: expected an object")
    secret = told.get("secret")
    try:
        revealed = None if secret is None else bytes.fromhex(secret)
    except (TypeError, ValueError):
        raise NotationError("secret: expected hex digits") from None
    return End(_text(told, "result"), _text(told, "why"), revealed)


def _told_clocks(told: object, rules: Rules) -> ToldClocks:
    """What clocks show. Raises NotationError."""
    if not isinstance(told, dict):
        raise NotationError("clocks: expected an object")
    left_s, age_s, free_s = told.get("left_s"), told.get("age_s"), told.get("free_s", 0.0)
    letters = {COLOUR_LETTERS[colour] for colour in rules.colours}
    if not isinstance(left_s, dict) or set(left_s) != letters:
        raise NotationError("clocks: expected left_s, seconds for each colour of this game")
    if not all(type(each) in (int, float) and 0 <= each <= MAX_SECONDS for each in (*left_s.values(), age_s, free_s)):
        raise NotationError(f"clocks: expected seconds from 0 to {MAX_SECONDS}, age_s and free_s too")
    if type(told.get("runs")) is not bool:
        raise NotationError("clocks: expected runs, true or false")
    by_colour = {COLOUR_WORDS[letter]: float(seconds) for letter, seconds in left_s.items()}
    return ToldClocks(by_colour, time.monotonic() - float(age_s or 0), told["runs"], float(free_s))


def _head(told: object) -> Head:
    """What does not change of a game. Raises NotationError, SpecError."""
    if not isinstance(told, dict) or not isinstance(told.get("spec"), str):
        raise NotationError("head: expected an object with a spec")
    rules = parse(told["spec"])
    players, setup, first, commitment = (told.get(key) for key in ("players", "setup", "first", "commitment"))
    if not isinstance(players, dict) or not set(players) <= {COLOUR_LETTERS[colour] for colour in rules.colours}:
        raise NotationError("players: expected names by colour letter")
    if not isinstance(setup, list) or len(setup) > len(rules.board):
        raise NotationError("setup: expected pairs of point and colour")
    stones = dict(_pair(each, "setup", len(rules.board)) for each in setup)
    if not set(stones) <= set(range(len(rules.board))) or not set(stones.values()) <= set(rules.colours):
        raise NotationError("setup: expected points and colours of this game")
    if first is not None and (type(first) is not int or first not in rules.colours):
        raise NotationError("first: expected a colour of this game")
    if commitment is not None and not (isinstance(commitment, str) and _COMMITMENT.fullmatch(commitment)):
        raise NotationError("commitment: expected 64 hex digits")
    named = {COLOUR_WORDS[letter]: _text(players, letter) for letter in players}
    return Head(_text(told, "source"), _text(told, "title"), rules.spec, named, stones, first, commitment)


class LiveGames:
    """The games that others publish, at most `most`, each given up for lost after `lost_s` without a word.

    `is_watched` says which games must not make room, `tell` is called with each that went on, `tell_lost` with each
    that was given up.
    """

    def __init__(
        self,
        most: int,
        lost_s: float,
        is_watched: Callable[[str], bool],
        tell: Callable[[PublishedGame], None],
        tell_lost: Callable[[PublishedGame], None],
    ) -> None:
        self._games = PublishedGames(most)
        self._most, self._lost_s = most, lost_s
        self._is_watched, self._tell, self._tell_lost = is_watched, tell, tell_lost
        self._silences: dict[str, asyncio.TimerHandle] = {}

    def close(self) -> None:
        """Wait for no more words."""
        for handle in self._silences.values():
            handle.cancel()

    def get(self, name: str) -> PublishedGame | None:
        """The game of a name."""
        return self._games.get(name)

    def all(self) -> list[PublishedGame]:
        """All of them: those that go on first, of each kind the latest first."""
        return sorted(self._games.all(), key=lambda each: each.hosted.is_over or each.is_lost)

    def publish(self, name: str, told: Json) -> None:
        """A game stands so now. Raises VariantsError, Full."""
        try:
            game = self._games.tell(name, told, self._is_watched)
        except NoRoom:
            raise Full("page.many_live", count=self._most) from None
        self._tell(game)
        handle = self._silences.pop(name, None)
        if handle is not None:
            handle.cancel()
        if not game.hosted.is_over:
            later = asyncio.get_running_loop().call_later
            self._silences[name] = later(self._lost_s, self._lose, game)

    def _lose(self, game: PublishedGame) -> None:
        """Nothing was heard of a game for a while."""
        del self._silences[game.name]
        game.is_lost = True
        self._tell_lost(game)
