"""The state of a hosted game apart from its events, and how a journal stores it."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import TypeVar

from gtp_variants.base.json_values import Json
from gtp_variants.errors import RecordError
from gtp_variants.players.agreements import ACCOUNT, BOT, ELSEWHERE, PERSON, Participant
from gtp_variants.players.clock import NO_LIMIT, TimeControl
from gtp_variants.records.journal import CLOCKS, CUT, NONCES, Journal, event_line, line_of
from gtp_variants.records.record import Time
from gtp_variants.rules.actions import Event
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.dice import DiceKind, read_dice
from gtp_variants.rules.dice_stream import Nonce
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules

T = TypeVar("T")

_MOST_S = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedState:
    """The state of a hosted game apart from its events.

    `left_s` and `left_counts` are the readings of the stopped clocks, by colour. `agreed` lists the colours that accept
    the end. `proposals` are keyed by kind and colour. `end` is a result given by the host, and its reason.
    `coming_dice` and `furthest` are the fields of `ComingDice`. `nonces` are the record's, which are read with it.
    `notes` contains the host's JSON values.
    """

    seats: Mapping[int, Participant] = field(default_factory=dict)
    control: TimeControl = NO_LIMIT.control
    free_s: float = 0.0
    left_s: Mapping[int, float] = field(default_factory=dict)
    left_counts: Mapping[int, int] = field(default_factory=dict)
    is_counting: bool = False
    agreed: Collection[int] = ()
    proposals: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    end: tuple[str, str] | None = None
    nonces: Sequence[Nonce] = ()
    coming_dice: Mapping[int, DiceKind] = field(default_factory=dict)
    furthest: int = 0
    notes: Json = field(default_factory=dict)

    @classmethod
    def from_json(cls, values: Json, rules: Rules) -> "HostedState":
        """Read the state from a journal's notes. Raises RecordError for an invalid value."""
        dice, furthest = _read_coming_dice(values.get("coming_dice", {}), values.get("furthest", 0))
        free_s, proposals = values.get("free_s", 0.0), values.get("agreements", {})
        if not isinstance(free_s, int | float) or not 0 <= free_s < _MOST_S:
            raise RecordError("free_s: expected a number of seconds")
        if not isinstance(proposals, dict):
            raise RecordError("agreements: expected an object with kinds as keys")
        return cls(
            seats=_read_seats(values.get("seats", {}), rules),
            control=_read_control(values.get("control", {})),
            free_s=free_s,
            left_s=_by_colour(values.get(CLOCKS, {}), CLOCKS, rules, int, float),
            left_counts=_by_colour(values.get("left_counts", {}), "left_counts", rules, int),
            is_counting=bool(values.get("counting", False)),
            agreed=_by_colour(values.get("agreed", {}), "agreed", rules, bool).keys(),
            proposals={kind: _by_colour(words, "agreements", rules, str) for kind, words in proposals.items()},
            end=_read_end(values.get("end")),
            coming_dice=dice,
            furthest=furthest,
            notes={key: value for key, value in values.items() if key not in _KEYS},
        )

    def to_json(self) -> Json:
        """Return the values that may change during the game."""
        return {
            "seats": self._seats_to_json(),
            CLOCKS: _by_letter(self.left_s),
            "left_counts": _by_letter(self.left_counts),
            "counting": self.is_counting,
            "agreed": _by_letter(dict.fromkeys(sorted(self.agreed), True)),
            "agreements": {kind: _by_letter(words) for kind, words in self.proposals.items()},
            "end": None if self.end is None else [*self.end],
            "coming_dice": {str(turn): str(dice) for turn, dice in self.coming_dice.items()},
            "furthest": self.furthest,
            NONCES: list(map(str, self.nonces)),
            **self.notes,
        }

    def start_to_json(self) -> Json:
        """Return the values that are written before the first event: seats, time and notes."""
        time = {"control": _set_fields(self.control), "free_s": self.free_s}
        return {"seats": self._seats_to_json(), **time, **self.notes}

    def _seats_to_json(self) -> Json:
        return _by_letter({colour: _set_fields(each) for colour, each in self.seats.items()})


def _by_letter(values: Mapping[int, object]) -> Json:
    return {COLOUR_LETTERS[colour]: value for colour, value in values.items()}


def _set_fields(value: Participant | TimeControl) -> Json:
    named = {field.name: getattr(value, field.name) for field in fields(value)}
    return {key: each for key, each in named.items() if each or key == "kind"}


def _by_colour(value: object, what: str, rules: Rules, *kinds: type[T]) -> dict[int, T]:
    """Convert values keyed by colour letter to a dictionary keyed by colour. Raises RecordError if they are invalid."""
    if not isinstance(value, dict) or not all(isinstance(each, kinds) for each in value.values()):
        raise RecordError(f"{what}: expected an object with colours as keys")
    return {colour: value[COLOUR_LETTERS[colour]] for colour in rules.colours if COLOUR_LETTERS[colour] in value}


def _read_seats(value: object, rules: Rules) -> dict[int, Participant]:
    seats = {}
    for colour, each in _by_colour(value, "seats", rules, dict).items():
        try:
            seats[colour] = Participant(**each)
        except TypeError:
            raise RecordError("seats: expected participants by colour") from None
        if seats[colour].kind not in (PERSON, BOT, ACCOUNT, ELSEWHERE) or not isinstance(seats[colour].name, str):
            raise RecordError("seats: expected a kind and a name")
    return seats


def _read_control(value: object) -> TimeControl:
    if isinstance(value, dict):
        numbers = [each for key, each in value.items() if key != "kind"]
        if all(isinstance(each, int | float) and 0 <= each < _MOST_S for each in numbers):
            with suppress(TypeError):
                return TimeControl(**value)
    raise RecordError("control: expected a time control with its seconds as numbers")


def _read_end(value: object) -> tuple[str, str] | None:
    match value:
        case None:
            return None
        case [str(result), str(why)]:
            return result, why
    raise RecordError("end: expected a result and its reason")


def _read_coming_dice(dice: object, furthest: object) -> tuple[dict[int, DiceKind], int]:
    if isinstance(dice, dict) and type(furthest) is int:
        with suppress(ValueError, AttributeError):
            return {int(turn): read_dice(kind) for turn, kind in dice.items()}, furthest
    raise RecordError("coming_dice, furthest: expected dice by turn number, and a turn number")


# All other keys in a journal are notes.
_KEYS = HostedState().start_to_json().keys() | HostedState().to_json().keys()


class JournalWriter:
    """The journal of a hosted game. New `lines` are added to the journal, but old lines never change."""

    def __init__(self, journal: Journal, state: HostedState) -> None:
        """Continue the journal of a game that has this `state`."""
        self.lines = list(journal.lines)
        # The events and the state that the lines contain.
        self._written: list[Event] = list(journal.record.game.events) if len(self.lines) > 1 else []
        self._noted: Json = {**journal.notes, CLOCKS: state.to_json()[CLOCKS]}

    def count_common(self, events: Sequence[Event]) -> int:
        """Return how many of the first events are the same objects as the events written so far."""
        written = self._written
        count = len(written)
        if count <= len(events) and (not count or events[count - 1] is written[-1]):
            return count
        pairs = enumerate(zip(written, events, strict=False))
        return next((number for number, (old, new) in pairs if old is not new), min(count, len(events)))

    def write(self, game: Game, times: Mapping[int, Time], state: HostedState) -> dict[int, Time]:
        """Add lines for all changes. Return the times of the events that have not been taken back."""
        kept, end = self.count_common(game.events), len(game.events)
        if kept < len(self._written):
            self.lines.append(line_of({CUT: kept}))
            del self._written[kept:]
            end = kept
        times = {number: time for number, time in times.items() if number < end}
        for index in range(kept, len(game.events)):
            event, time = game.events[index], times.get(index)
            self.lines.append(event_line(game, index, time))
            if time is not None and time.left_s is not None:
                self._noted[CLOCKS] = {**self._noted[CLOCKS], COLOUR_LETTERS[event.actor]: time.left_s}
            self._written.append(event)
        # A key that no line names counts as empty, so a first empty value needs no line.
        values = state.to_json().items()
        changed = {key: value for key, value in values if (value or None) != (self._noted.get(key) or None)}
        if changed:
            self.lines.append(line_of(changed))
            self._noted |= changed
        return times
