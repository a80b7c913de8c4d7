"""Dice for people at a real board: a phone throws them, and anybody can check them afterwards.

As with `gtp-variants dice`, the commitment is published first, and the secret once the dice are put away; the log has
the same format. Anybody with the link may throw. A throw is stored before it is shown, and asking for its number again
returns the same throw, so that two phones never throw twice for one turn.
"""

import json
from dataclasses import dataclass, replace
from functools import lru_cache

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gtp_variants.base.json_values import Json
from gtp_variants.errors import NotationError
from gtp_variants.records import dice_log
from gtp_variants.records.dice_log import DiceLog
from gtp_variants.rules import find_games, parse
from gtp_variants.rules.actions import BLACK, CHANCE, WHITE
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.traits import DicedRules
from gtp_variants.site.page.requests import LONGEST_REQUEST, Services, read_request
from gtp_variants.site.page.seat_locks import new_token
from gtp_variants.site.refusals import PageRefused

# The game with dice that people play at a real board.
_GAME = find_games(lambda cls: issubclass(cls, DicedRules))[0]
# Maximum throws in a log; no game needs that many.
_MOST_THROWS = 2000


@dataclass(frozen=True, slots=True)
class ThrownDice:
    """Dice at a board: the SPEC, the log with its secret, and whether the dice have been put away."""

    spec: str
    log: DiceLog
    is_over: bool = False

    def throw(self, draw: int) -> "ThrownDice":
        """Return the dice after throw number `draw`, the next throw or the last again. Raises PageRefused otherwise."""
        count = len(self.log.throws)
        if draw == count and count:
            return self
        if self.is_over or draw != count + 1 or count >= _MOST_THROWS:
            raise PageRefused("page.dice_away" if self.is_over else "page.dice_order")
        assert self.log.secret is not None
        faces = dice_log.throw(self.log.secret, self.log.dice, draw)
        return replace(self, log=replace(self.log, throws=(*self.log.throws, faces)))

    @property
    def public_log(self) -> DiceLog:
        """The log, with its secret only once the dice have been put away."""
        return self.log if self.is_over else replace(self.log, secret=None)

    def as_json(self) -> Json:
        """Return the public state as JSON: each throw with its owner and the lines it opens on an empty board."""
        secret = self.public_log.secret
        return {
            "spec": self.spec,
            "dice": str(self.log.dice),
            "commitment": self.log.commitment,
            "throws": [
                {"draw": draw, "colour": _owner(draw), "faces": list(faces), "open": _opens(self.spec, faces)}
                for draw, faces in enumerate(self.log.throws, 1)
            ],
            "next": _owner(len(self.log.throws) + 1),
            "secret": None if secret is None else secret.hex(),
        }


def _owner(draw: int) -> str:
    return COLOUR_LETTERS[BLACK if draw % 2 else WHITE]


@lru_cache(1000)
def _opens(spec: str, faces: tuple[int, ...]) -> list[int]:
    """Return the lines a throw opens on an empty board."""
    rules = parse(spec)
    assert isinstance(rules, DicedRules)
    start = rules.start()
    draw = rules.describe_draw(rules.play(start, rules.dice.outcome(faces), CHANCE))
    return [] if draw is None else list(draw["open"])


class DiceRoutes:
    """The routes of the dice for people at a real board."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store, self._most = services.games.store, services.games.limits.games

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/api/dice", self._begin, methods=["POST"]),
            Route("/api/dice/{name}", self._dice, methods=["GET", "POST"]),
            Route("/api/dice/{name}/log", self._log),
        ]

    async def _begin(self, request: Request) -> Response:
        self._services.expect_private(request)
        asked = await read_request(request, LONGEST_REQUEST)
        size, dice = asked.get("size"), asked.get("dice")
        if type(size) is not int or not isinstance(dice, str):
            raise NotationError('expected {"size": NUMBER, "dice": TEXT}')
        rules = parse(_GAME, {"size": str(size), "dice": dice})
        assert isinstance(rules, DicedRules)
        stream = DiceStream()
        name, thrown = new_token(), ThrownDice(rules.spec, DiceLog(rules.dice, stream.commitment, (), stream.secret))
        self._keep(name, thrown)
        return JSONResponse({"log": name, **thrown.as_json()}, 201)

    async def _dice(self, request: Request) -> Response:
        """Return the dice, after throwing them or putting them away if requested."""
        # Read the body before finding the dice, because somebody else may throw while it arrives.
        asked = await read_request(request, LONGEST_REQUEST) if request.method == "POST" else None
        name, thrown = self._find(request)
        match asked:
            case None:
                after = thrown
            case {"do": "throw", "draw": int(draw)} if type(draw) is int:
                after = thrown.throw(draw)
            case {"do": "reveal"}:
                after = replace(thrown, is_over=True)
            case _:
                raise NotationError('expected {"do": "throw", "draw": NUMBER} or {"do": "reveal"}')
        if after != thrown:
            self._keep(name, after)
        return JSONResponse(after.as_json())

    async def _log(self, request: Request) -> Response:
        """Return the throws as a file for `gtp-variants verify`, with the secret once the dice are put away."""
        name, thrown = self._find(request)
        headers = {"Content-Disposition": f'attachment; filename="dice-{name[:6]}.jsonl"'}
        return Response(dice_log.text(thrown.public_log), media_type="application/jsonl", headers=headers)

    def _find(self, request: Request) -> tuple[str, ThrownDice]:
        name = request.path_params["name"]
        text = self._store.load_dice(name)
        if text is None:
            raise PageRefused("page.no_log", 404)
        kept = json.loads(text)
        return name, ThrownDice(kept["spec"], dice_log.read(kept["log"].encode()), kept["over"])

    def _keep(self, name: str, thrown: ThrownDice) -> None:
        # The log has the secret from the beginning. This is safe, because only the operator can read the store.
        text = json.dumps({"spec": thrown.spec, "over": thrown.is_over, "log": dice_log.text(thrown.log)})
        try:
            has_room = self._store.keep_dice(name, text, thrown.is_over, self._most)
        except OSError as error:
            raise PageRefused("page.cannot_keep", 503) from error
        if not has_room:
            raise PageRefused("page.many_dice", 503, count=self._most)
