"""What the serving side and those who joined send each other: JSON in HTTP, signed with the token that both know.

The token itself never travels. A signature covers the address and the body, that of an answer also the question's, so
nobody without the token can give a machine a game to play or hand in a result. Nothing is encrypted: for that there is
TLS before the server, or a tunnel.

A fixture travels as a pickle, as to a worker process: it names commands that the machine is going to run anyway, and it
is unpickled only after its signature was checked. What comes back is plain JSON and is checked by replay.
"""

import base64
import hmac
import json
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from secrets import compare_digest

from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.result_row import FinishedGame
from gtp_variants.arena.schedule import Fixture
from gtp_variants.errors import RecordError
from gtp_variants.json_values import Json, parse_object

SIGNATURE = "X-Gtp-Variants-Signature"
# A record and the samples of a long game, with room to spare.
MAX_BYTES = 32 * 2**20
_TIMES = ("thought_s", "slowest_s")
JOIN, LEASE, RESULT, HEARTBEAT, LEAVE = "/join", "/lease", "/result", "/heartbeat", "/leave"


def sign(token: str, *parts: bytes) -> str:
    """The signature of what is sent: HMAC-SHA256 in hex."""
    return hmac.new(token.encode(), b"\n".join(parts), sha256).hexdigest()


def is_signed(signature: str, token: str, *parts: bytes) -> bool:
    """Whether a signature is that of whoever knows the token."""
    return compare_digest(signature.encode(), sign(token, *parts).encode())


def pack(value: Fixture | MatchConfig) -> str:
    """A game or a match as text."""
    return base64.b64encode(pickle.dumps(value)).decode()


def unpack_game(text: str) -> Fixture:
    """The game that a text stands for. Only for text whose signature was checked. Raises RecordError for none."""
    found = pickle.loads(base64.b64decode(text))
    if not isinstance(found, Fixture):
        raise RecordError("a lease: expected a game")
    return found


def unpack_match(text: str) -> MatchConfig:
    """The match that a text stands for. Only for text whose signature was checked. Raises RecordError for none."""
    found = pickle.loads(base64.b64decode(text))
    if not isinstance(found, MatchConfig):
        raise RecordError("an invitation: expected a match")
    return found


def lend(fixture: Fixture) -> Fixture:
    """A game as a machine gets it: even after a crash it keeps the seed, by which its dice are checked."""
    return replace(fixture, has_fresh_seed=False)


@dataclass(frozen=True, slots=True)
class GameReport:
    """What a machine says of a game that it played: the record and what cannot be found out from that.

    `failures` are player, kind and words, as in a row of results; times are in seconds.
    """

    sgf: str
    kind: str
    why: str
    failures: tuple[tuple[str, str, str], ...]
    took_s: float
    thought_s: Mapping[str, float]
    slowest_s: Mapping[str, float]
    samples: bytes = b""


def write_report(game: FinishedGame) -> Json:
    """A finished game as it is handed in."""
    row = game.row
    return {
        "sgf": game.sgf,
        "kind": row.kind,
        "why": row.why,
        "failures": row.failures,
        "took_s": row.took_s,
        "thought_s": dict(row.thought_s),
        "slowest_s": dict(row.slowest_s),
        "samples": base64.b64encode(game.samples).decode(),
    }


def read_report(value: Json) -> GameReport:
    """A finished game as it was handed in. Raises RecordError for what is none."""
    try:
        failures = tuple((str(who), str(kind), str(why)) for who, kind, why in value["failures"])
        thought_s, slowest_s = ({str(who): float(each) for who, each in value[key].items()} for key in _TIMES)
        return GameReport(
            str(value["sgf"]),
            str(value["kind"]),
            str(value["why"]),
            failures,
            float(value["took_s"]),
            thought_s,
            slowest_s,
            base64.b64decode(value["samples"]),
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise RecordError(f"a report of a game: {error!r}") from None


def encode(message: Json) -> bytes:
    """A message as it travels."""
    return json.dumps(message, ensure_ascii=False).encode()


def decode(body: bytes) -> Json:
    """A message from what travelled. Raises RecordError for what is none."""
    try:
        return parse_object(body)
    except ValueError as error:
        raise RecordError(f"a message: {error}") from None
