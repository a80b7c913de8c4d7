"""A tournament as a file says it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gtp_variants.config import fields
from gtp_variants.config.fields import Node, Reader, option, required
from gtp_variants.config.readers import DURATION, choice, scalar, whole
from gtp_variants.errors import PeerUnfit, SpecError
from gtp_variants.server.access.accounts import is_name
from gtp_variants.server.account_game import rules_to_host

SWISS, ROUND_ROBIN = "swiss", "round-robin"
_MOST_ENTRANTS = 200


def _time(word: str) -> datetime:
    try:
        found = datetime.fromisoformat(word)
    except ValueError:
        raise ValueError from None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _spec(word: str) -> str:
    try:
        return rules_to_host(word).spec
    except (SpecError, PeerUnfit) as error:
        raise ValueError(str(error)) from None


def _read_names(node: Node) -> tuple[str, ...]:
    names = tuple(item.text() for item in node.items())
    wrong = next((name for name in names if not is_name(name)), None)
    if wrong is not None:
        node.refuse(f"{wrong}: expected names of accounts")
    if not 2 <= len({name.lower() for name in names}) == len(names) <= _MOST_ENTRANTS:
        node.refuse(f"expected 2 to {_MOST_ENTRANTS} names, each once")
    return names


_TIME = scalar("a time such as 2026-12-01T18:00, in UTC unless it says otherwise", _time)
_SPEC = scalar("a game such as aleago:size=9", _spec)
_NAMES = Reader("a list of names of accounts", _read_names, schema={"type": "array", "items": {"type": "string"}})


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """Who plays what, when and how; `name` is that of the file."""

    name: str
    type: str = option("type", choice(SWISS, ROUND_ROBIN), SWISS, "round-robin: everybody meets everybody")
    spec: str = required("game", _SPEC, "expected a game such as aleago:size=9", "what is played")
    begins: datetime = required("begins", _TIME, "expected a time such as 2026-12-01T18:00", "when it begins, in UTC")
    players: tuple[str, ...] = option("players", _NAMES, (), "who plays; without it whoever is there when it begins")
    rounds: int = option("rounds", whole(1, 100), 5, "of a Swiss tournament")
    games: int = option("games", whole(1, 100), 2, "of each meeting; colours change from one to the next")
    wait_s: float = option("wait", DURATION, 180.0, "how long a game waits for somebody who is not there")


def load_plan(path: Path) -> TournamentPlan:
    """The tournament of a file. Raises ConfigError with every fault, and OSError."""
    node = fields.parse(fields.load(path), path.parent, str(path))
    if not is_name(path.stem):
        node.fault(f"{path.stem}: expected a file that is called as an account may be")
    plan = fields.read(TournamentPlan, node, name=path.stem)
    if node.faults:
        raise node.error()
    return plan
