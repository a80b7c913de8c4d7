"""Who plays a colour of a hosted game, and how that is written in its journal."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TypeVar

from gtp_variants.errors import RecordError
from gtp_variants.json_values import Json
from gtp_variants.players import bots
from gtp_variants.players.clock import TimeControl
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.words import COLOUR_LETTERS

T = TypeVar("T")

_MOST_S = 10**9
PERSON, BOT, ACCOUNT, ELSEWHERE = "person", "bot", "account", "elsewhere"


@dataclass(frozen=True, slots=True)
class Participant:
    """Who plays a colour: a person here, a bot by name, an account of a server, or somebody who plays elsewhere.

    `key` is the SHA-256 of the token that opens a person's seat, `level` that of a bot which has levels.
    """

    kind: str = PERSON
    name: str = ""
    level: int | None = None
    key: str = ""

    @property
    def bot(self) -> str:
        """The bot's name with its level."""
        return self.name if self.level is None else bots.with_parameter(self.name, "level", f"{self.level}")


def seats_to_json(seats: Mapping[int, Participant]) -> dict[str, Json]:
    """Who plays, by letter of colour."""
    return {COLOUR_LETTERS[colour]: _set_fields(each) for colour, each in seats.items()}


def seats_from_json(value: object, rules: Rules) -> dict[int, Participant]:
    """Who plays. Raises RecordError."""
    seats = {}
    for colour, each in by_colour(value, "seats", rules, dict).items():
        try:
            seats[colour] = Participant(**each)
        except TypeError:
            raise RecordError("seats: expected who plays, by colour") from None
        if seats[colour].kind not in (PERSON, BOT, ACCOUNT, ELSEWHERE) or not isinstance(seats[colour].name, str):
            raise RecordError("seats: expected a kind and a name")
    return seats


def control_to_json(control: TimeControl) -> Json:
    """A time control, without what is not set."""
    return _set_fields(control)


def control_from_json(value: object) -> TimeControl:
    """The time control of a journal. Raises RecordError."""
    if isinstance(value, dict):
        numbers = [each for key, each in value.items() if key != "kind"]
        if all(isinstance(each, int | float) and 0 <= each < _MOST_S for each in numbers):
            try:
                return TimeControl(**value)
            except TypeError:
                pass
    raise RecordError("control: expected a time control, its seconds as numbers")


def seconds_from_json(value: object) -> float:
    """A number of seconds. Raises RecordError."""
    if not isinstance(value, int | float) or not 0 <= value < _MOST_S:
        raise RecordError("free_s: expected a number of seconds")
    return value


def by_colour(value: object, what: str, rules: Rules, *kinds: type[T]) -> dict[int, T]:
    """The values of an object by letter of colour, as far as that colour plays. Raises RecordError."""
    if not isinstance(value, dict) or not all(isinstance(each, kinds) for each in value.values()):
        raise RecordError(f"{what}: expected an object, by colour")
    return {colour: value[COLOUR_LETTERS[colour]] for colour in rules.colours if COLOUR_LETTERS[colour] in value}


def _set_fields(value: Participant | TimeControl) -> Json:
    """The fields that are set."""
    named = {field.name: getattr(value, field.name) for field in fields(value)}
    return {key: each for key, each in named.items() if each or key == "kind"}
