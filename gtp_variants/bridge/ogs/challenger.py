"""Challenges of our own at OGS: to named players, one after the other, kept alive until they are answered.

What is posted is what the site's own page posts; the names of a few fields, and that a bot may do it at all, are
guesses.
"""

import asyncio
from collections.abc import Callable

from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.ogs import values
from gtp_variants.bridge.ogs.transport import OgsTransport
from gtp_variants.errors import PeerGarbled
from gtp_variants.json_values import Json
from gtp_variants.rules import parse

_KEEPALIVE_S = 1.0
# How long a challenge stays open, and until the next one is sent.
_OPEN_S, _NEXT_S = 60.0, 1.0


class Challenger:
    """Challenges the players of `offer: {players: ...}` while nothing is played."""

    def __init__(self, config: BridgeConfig, line: OgsTransport, log: Callable[[str], None]) -> None:
        self._config, self._line, self._log = config, line, log
        self._game_id = 0

    def end_wait(self, game_id: int) -> None:
        """The game of a challenge has begun, or was refused: it need not be kept alive any more."""
        if game_id == self._game_id:
            self._game_id = 0

    async def run(self, is_free: Callable[[], bool]) -> None:
        """Challenge one player after the other, whenever we are free. Raises PeerGone."""
        number = 0
        players = self._config.offer.players
        while players:
            await asyncio.sleep(_NEXT_S)
            if is_free():
                await self._challenge(players[number % len(players)])
                number += 1

    async def _challenge(self, name: str) -> None:
        try:
            player = await self._id_of(name)
            answer = await self._line.post(f"/api/v1/players/{player}/challenge", self._fields())
            challenge_id, self._game_id = int(answer["challenge"]), int(answer["game"])
        except (PeerGarbled, KeyError, TypeError, ValueError) as error:
            self._log(f"{name} cannot be challenged: {error!r}")
            await asyncio.sleep(_OPEN_S)
            return
        self._log(f"{name} is challenged")
        game_id = self._game_id
        for _ in range(round(_OPEN_S / _KEEPALIVE_S)):
            if self._game_id != game_id:
                break
            await self._line.send("challenge/keepalive", {"challenge_id": challenge_id, "game_id": game_id})
            await asyncio.sleep(_KEEPALIVE_S)
        else:
            self._log(f"{name} does not answer")
            self._game_id = 0

    async def _id_of(self, name: str) -> int:
        if name.isdecimal():
            return int(name)
        return await self._line.find_player(name)

    def _fields(self) -> Json:
        config = self._config
        rules, given = parse(config.spec), config.challenges
        size = rules.board.width
        control = config.offer.control
        game: Json = {
            "name": config.offer.text or rules.title,
            "rules": "chinese",
            "ranked": given.rated,
            "width": size,
            "height": size,
            "handicap": 0,
            "komi_auto": "custom" if "komi" in rules.values else "automatic",
            "komi": float(str(rules.values["komi"])) if "komi" in rules.values else None,
            "disable_analysis": True,
            "initial_state": None,
            "private": False,
            "rengo": False,
            "pause_on_weekends": False,
            "time_control": control.kind,
            "time_control_parameters": values.time_fields(control, values.speed_of(control)),
        }
        mine = "automatic" if given.colours == "any" else given.colours
        return {"initialized": False, "min_ranking": -1000, "max_ranking": 1000, "challenger_color": mine, "game": game}
