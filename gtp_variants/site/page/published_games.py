"""Games played on other sites and shown here. After a restart of this server, publishers send all events again."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from gtp_variants.base.json_values import Json
from gtp_variants.base.tasks import Timers
from gtp_variants.errors import NotationError, RecordError
from gtp_variants.players.agreements import ELSEWHERE, Participant
from gtp_variants.players.hosted_game import HostedGame, expect_rest
from gtp_variants.players.publisher import Clocks
from gtp_variants.players.transcript import Audience
from gtp_variants.records.record import MAX_SECONDS, Record, printable
from gtp_variants.rules import parse
from gtp_variants.rules.actions import Event
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules
from gtp_variants.site.page.listeners import Listeners
from gtp_variants.site.page.page_game import MOST_EVENTS, PageGame, read_event
from gtp_variants.site.refusals import Full, PageRefused

# Maximum events in one message, so that other games need not wait.
MOST_AT_ONCE = 1000
LONGEST_TEXT = 200
_COMMITMENT = re.compile(r"[0-9a-f]{64}")


class PublishedGame(PageGame):
    """A game called `title` from `source`, such as a match. `told_clocks` are the publisher's last clocks, or None."""

    def __init__(self, name: str, head: object, events: list[Event]) -> None:
        """Create the game that a message's `head` describes. Raises VariantsError if `head` or `events` is invalid."""
        match head:
            case {"spec": str(spec), "players": dict(players), "setup": list(setup), **more}:
                rules, first, commitment = parse(spec), more.get("first"), more.get("commitment")
            case _:
                raise NotationError("head: expected an object with a spec, players and a setup")
        if not set(players) <= {COLOUR_LETTERS[colour] for colour in rules.colours}:
            raise NotationError("players: expected names by colour letter")
        stones = dict[int, int]()
        for pair in setup:
            match pair:
                case [int(point), int(colour)] if 0 <= point < len(rules.board) and colour in rules.colours:
                    stones[point] = colour
                case _:
                    raise NotationError("setup: expected pairs of a point and a colour of this game")
        if first is not None and (type(first) is not int or first not in rules.colours):
            raise NotationError("first: expected a colour of this game")
        if commitment is not None and not (isinstance(commitment, str) and _COMMITMENT.fullmatch(commitment)):
            raise NotationError("commitment: expected 64 hex digits")
        names = {colour: _text(players, COLOUR_LETTERS[colour]) for colour in rules.colours}
        seats = {colour: Participant(ELSEWHERE, name) for colour, name in names.items()}
        self.source, self.title = _text(more, "source"), _text(more, "title")
        self.told_clocks: Clocks | None = None
        game = Game.replay(rules, events, stones, first)
        expect_rest(game)
        record = Record(game, "secret", commitment) if isinstance(rules, DicedRules) else Record(game)
        super().__init__(name, HostedGame.new(record, seats))

    def follow(self, first: int, events: list[Event]) -> None:
        """Replace all events from number `first` on. If this raises VariantsError, the game is unchanged."""
        known = self.hosted.table.game.events
        if first > len(known):
            raise PageRefused("page.live_unknown", 409)
        if list(known[first:]) != events:
            self.hosted.follow(first, events)

    def state(self, audience: Audience, lang: str = "") -> Json:
        """Return the state of the game for an audience, with the clocks that its publisher sent."""
        state, told, asked = super().state(audience, lang), self.told_clocks, self.hosted.asked()
        if told is None:
            return state
        left_s, free_s = dict(told.left_s), told.free_s
        # The clocks stand still if the publisher says so or is silent, and after the game.
        runs = told.runs and asked is not None and not self.is_lost
        if runs and asked is not None:
            letter, spent_s = COLOUR_LETTERS[asked], time.monotonic() - told.at_s
            left_s[letter] = max(0.0, left_s[letter] - max(0.0, spent_s - free_s))
            free_s = max(0.0, free_s - spent_s)
        clocks = {letter: round(left, 1) for letter, left in left_s.items()}
        return state | {"clocks": clocks, "running": runs, "free_s": round(free_s, 1)}


class PublishedGames:
    """At most `most` published games, none with an `is_taken` name; lost after `lost_s` seconds without messages."""

    def __init__(self, most: int, lost_s: float, listeners: Listeners, is_taken: Callable[[str], bool]) -> None:
        self._most, self._lost_s, self._listeners, self._is_taken = most, lost_s, listeners, is_taken
        self._games: dict[str, PublishedGame] = {}
        self._silences = Timers(self._lose)

    def close(self) -> None:
        self._silences.stop_all()

    def get(self, name: str) -> PublishedGame | None:
        return self._games.get(name)

    def all(self) -> list[PublishedGame]:
        """Return all games: those in progress before the others, each group with the latest first."""
        latest_first = list(self._games.values())[::-1]
        return sorted(latest_first, key=lambda each: each.hosted.is_over or each.is_lost)

    def publish(self, name: str, told: Json) -> None:
        """Process a publisher's message and tell the listeners. If this raises VariantsError, no game has changed."""
        game = self._take_in(name, told)
        self._listeners.tell(game)
        if game.hosted.is_over:
            self._silences.stop(name)
        else:
            self._silences.set(name, self._lost_s, game)

    def _take_in(self, name: str, told: Json) -> PublishedGame:
        first, events = _events(told)
        result, why, secret = _end(told["end"]) if "end" in told else ("", "", None)
        game = self._games.get(name)
        if game is not None and game.hosted.is_ended:
            return game
        if game is None:
            if self._is_taken(name):
                raise NotationError("name: taken by a game played here; choose another")
            if first or "head" not in told:
                raise PageRefused("page.live_unknown", 409)
            game = PublishedGame(name, told["head"], events)
        if secret is not None and DiceStream(secret).commitment != game.hosted.record.commitment:
            raise RecordError("secret: does not match the commitment")
        clocks = _clocks(told["clocks"], game.hosted.rules) if "clocks" in told else None
        game.follow(first, events)
        game.told_clocks = clocks or game.told_clocks
        if "end" in told:
            game.hosted.record = replace(game.hosted.record, secret=secret)
            game.hosted.end(result, why)
        game.is_lost = False
        if name not in self._games:
            self._make_room()
            self._games[name] = game
        return game

    def _make_room(self) -> None:
        """If there is no room, remove a game that is over or lost and has no listeners. Raises Full otherwise."""
        if len(self._games) < self._most:
            return
        spare = (name for name, each in self._games.items() if each.hosted.is_over or each.is_lost)
        unwatched = next((name for name in spare if name not in self._listeners), None)
        if unwatched is None:
            raise Full("page.many_live", count=self._most)
        del self._games[unwatched]

    def _lose(self, game: PublishedGame) -> None:
        game.is_lost = True
        self._listeners.tell_who(game)


# -- reading a message; each function raises NotationError if its part of the message is invalid -----------------------


def _events(told: Json) -> tuple[int, list[Event]]:
    """Return the number of earlier events, and the new events."""
    match told:
        case {"from": first, "events": list(events)} if type(first) is int and len(events) <= MOST_AT_ONCE:
            if 0 <= first <= MOST_EVENTS - len(events):
                return first, list(map(read_event, events))
    raise NotationError(f"from, events: expected at most {MOST_AT_ONCE} at once and {MOST_EVENTS} in the game")


def _text(told: Mapping[object, object], key: str) -> str:
    value = told.get(key, "")
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise NotationError(f"{key}: expected a string of at most {LONGEST_TEXT} letters")
    return printable(value)


def _end(told: object) -> tuple[str, str, bytes | None]:
    """Return the result, its reason, and the secret of the dice, or None if the message has no secret."""
    if not isinstance(told, dict):
        raise NotationError("end: expected an object")
    try:
        secret = None if told.get("secret") is None else bytes.fromhex(told["secret"])
    except (TypeError, ValueError):
        raise NotationError("secret: expected hex digits") from None
    return _text(told, "result"), _text(told, "why"), secret


def _clocks(told: object, rules: Rules) -> Clocks:
    letters = {COLOUR_LETTERS[colour] for colour in rules.colours}
    if isinstance(told, dict) and isinstance(left_s := told.get("left_s"), dict) and set(left_s) == letters:
        age_s, free_s, runs = told.get("age_s", -1.0), told.get("free_s", 0.0), told.get("runs")
        seconds = (*left_s.values(), age_s, free_s)
        if type(runs) is bool and all(type(each) in (int, float) and 0 <= each <= MAX_SECONDS for each in seconds):
            return Clocks(left_s, time.monotonic() - age_s, runs, float(free_s))
    expected = f"left_s of each colour, age_s and free_s, in seconds from 0 to {MAX_SECONDS}, and runs, true or false"
    raise NotationError(f"clocks: expected {expected}")
