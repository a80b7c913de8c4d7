"""Challenges of our own at OGS, kept alive until they are answered. Whom and when, the core decides.

What is posted is what the site's own page posts; the names of a few fields, and that a bot may do it at all, are
guesses.
"""

import asyncio
from collections.abc import Callable, Coroutine

from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.server import UNREADABLE, InvitationRefused, Invitations, Seeker, Terms
from gtp_variants.bridge.ogs import values
from gtp_variants.bridge.ogs.transport import OgsTransport
from gtp_variants.errors import PeerGarbled, PeerGone
from gtp_variants.json_values import Json
from gtp_variants.rules import parse
from gtp_variants.rules.words import COLOUR_LETTERS

_KEEPALIVE_S = 1.0
_COLOURS = {"b": "black", "w": "white"}


class Challenger(Invitations):
    """The challenge that we sent last: to whom, its own number and its game's."""

    def __init__(
        self,
        config: BridgeConfig,
        line: OgsTransport,
        begin: Callable[[Coroutine[object, object, None]], None],
        log: Callable[[str], None],
    ) -> None:
        """`begin` lets something be done beside everything else."""
        self._config, self._line, self._begin, self._log = config, line, begin, log
        self._user = ""
        self._challenge_id = self._game_id = 0
        self._ids: dict[str, int] = {}

    def end(self, game_id: int) -> str:
        """The game of a challenge has begun, or was refused: whom we challenged, "" where it was not ours."""
        if not self._game_id or game_id != self._game_id:
            return ""
        user = self._user
        self._forget()
        return user

    def _forget(self) -> None:
        """Keep no challenge alive any more; it goes by itself."""
        self._user, self._challenge_id, self._game_id = "", 0, 0

    async def withdraw(self, user: str) -> None:
        self._forget()

    async def look_for_seekers(self) -> None:
        """Nothing: what is open to all there is listed nowhere for us."""

    async def look_up(self, user: str) -> Seeker | None:
        if user.isdecimal():
            return Seeker(user)
        try:
            found = await self._line.find_player(user)
            self._ids[user] = int(found["id"])
        except (PeerGone, PeerGarbled, TypeError, ValueError) as error:
            # What goes over HTTP may fail where the line of the games holds.
            self._log(f"{user} cannot be found: {error}")
            return None
        return Seeker(user, values.rank_of(found), values.is_program(found))

    async def invite(self, user: str, terms: Terms) -> InvitationRefused | None:
        try:
            player = int(user) if user.isdecimal() else self._ids[user]
            answer = await self._line.post(f"/api/v1/players/{player}/challenge", self._fields(terms))
            self._challenge_id, self._game_id = int(answer["challenge"]), int(answer["game"])
        except (PeerGone, *UNREADABLE) as error:
            self._log(f"{user} cannot be challenged: {error!r}")
            return InvitationRefused(user, is_absent=isinstance(error, PeerGone))
        self._user = user
        self._begin(self._keep_alive())
        return None

    async def _keep_alive(self) -> None:
        """Keep the challenge open that was sent last, until it is answered or withdrawn. Raises PeerGone."""
        game_id, challenge_id = self._game_id, self._challenge_id
        while game_id and self._game_id == game_id:
            await self._line.send("challenge/keepalive", {"challenge_id": challenge_id, "game_id": game_id})
            await asyncio.sleep(_KEEPALIVE_S)

    def _fields(self, terms: Terms) -> Json:
        rules, control = parse(self._config.spec), terms.control
        game: Json = {
            "name": self._config.offer.text or rules.title,
            "rules": "chinese",
            "ranked": terms.rated,
            "width": terms.size,
            "height": terms.size,
            "handicap": 0,
            "komi_auto": "automatic" if terms.komi is None else "custom",
            "komi": terms.komi,
            "disable_analysis": True,
            "initial_state": None,
            "private": False,
            "rengo": False,
            "pause_on_weekends": False,
            "time_control": control.kind,
            "time_control_parameters": values.time_fields(control, values.speed_of(control)),
        }
        mine = "automatic" if terms.colour is None else _COLOURS[COLOUR_LETTERS[terms.colour]]
        return {"initialized": False, "min_ranking": -1000, "max_ranking": 1000, "challenger_color": mine, "game": game}
