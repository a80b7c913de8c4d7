"""Asks players for games while nothing is played: whom, how often and of which ranks, the configuration says.

One is asked at a time, those that are named in turn, and between them those who look for a game. What is asked for has
to be what we would accept.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gtp_variants.bridge.core.config import BridgeConfig, OfferConfig
from gtp_variants.bridge.core.policies import Refusal, is_of_rank, terms_of_offer
from gtp_variants.bridge.core.server import Invitations, Seeker, Server, Terms

# How often it is looked whether somebody may be asked, and how long one has for an answer.
_LOOK_S = 1.0
# Nor is anybody looked for more often where no time is to pass between two questions.
_SHORTEST_LOOK_S = 0.01
_OPEN_S = 60.0
# Who looks for a game is asked for again after so long, and what is older is not believed.
_SEEKERS_S = 30.0
_DAY_S = 86_400.0


@dataclass(slots=True)
class _LastInvitation:
    """When somebody was asked last, and how often in a row it came to no game."""

    since_s: float
    in_vain: int = 0


class InvitationLog:
    """Who was asked when; times are of any clock that goes on."""

    def __init__(self) -> None:
        self._asked: dict[str, _LastInvitation] = {}

    def may_ask(self, offer: OfferConfig, user: str, now_s: float) -> bool:
        """Whether a player may be asked now: not so soon again, and not today where it was in vain too often."""
        asked = self._asked.get(user.lower())
        if asked is None:
            return True
        gone_s = now_s - asked.since_s
        return gone_s >= max(offer.again_s, 0.0 if asked.in_vain < offer.tries else _DAY_S)

    def may_take(self, offer: OfferConfig, user: str, now_s: float) -> bool:
        """Whether the open challenge of a player may be taken: where we were let down before, as if they were asked."""
        asked = self._asked.get(user.lower())
        return asked is None or not asked.in_vain or self.may_ask(offer, user, now_s)

    def note(self, user: str, now_s: float) -> None:
        """A player is asked; until there is a game it is in vain."""
        asked = self._asked.setdefault(user.lower(), _LastInvitation(now_s))
        if now_s - asked.since_s >= _DAY_S:
            asked.in_vain = 0
        asked.since_s = now_s
        asked.in_vain += 1

    def note_game(self, user: str) -> None:
        """A player plays us, whoever asked."""
        if user.lower() in self._asked:
            self._asked[user.lower()].in_vain = 0

    def note_absence(self, user: str) -> None:
        """A player could not hear us: that was not in vain, and is no reason to leave them alone."""
        if user.lower() in self._asked:
            self._asked[user.lower()].in_vain -= 1


class Inviter:
    """Asks one after the other. `refusal` says why somebody is not played, `is_free` whether anybody may be asked."""

    def __init__(
        self,
        config: Callable[[], BridgeConfig],
        refusal: Callable[[str, Terms], Refusal | None],
        is_free: Callable[[], bool],
        log: Callable[[str], None],
    ) -> None:
        self._config, self._refusal, self._is_free, self._log = config, refusal, is_free, log
        self.asked = InvitationLog()
        # Who is asked now and until when, and when somebody may be asked again.
        self._pending: tuple[str, float] | None = None
        self._next_s = 0.0
        self._turn = 0
        self._seekers: tuple[Seeker, ...] = ()
        self._looked_s: float | None = None

    async def run(self, server: Server) -> None:
        """Ask for games on a connection, until it ends. Raises PeerGone."""
        self._begin()
        invitations = server.invitations
        if invitations is None:
            return
        while True:
            await asyncio.sleep(max(_SHORTEST_LOOK_S, min(_LOOK_S, self._config().offer.every_s)))
            now_s = asyncio.get_running_loop().time()
            if self._pending is not None:
                await self._wait_for_answer(invitations, self._pending, now_s)
            elif self._is_free() and now_s >= self._next_s:
                await self._ask_one(invitations, now_s)

    def _begin(self) -> None:
        """Nobody is asked on a new connection, and who looks for a game is not known."""
        self._pending, self._looked_s, self._seekers = None, None, ()

    async def _wait_for_answer(self, invitations: Invitations, pending: tuple[str, float], now_s: float) -> None:
        user, until_s = pending
        if now_s >= until_s or not self._is_free():
            self._pending = None
            self._log(f"{user} is asked no more")
            await invitations.withdraw(user)

    async def _ask_one(self, invitations: Invitations, now_s: float) -> None:
        offer = self._config().offer
        if offer.takes and (self._looked_s is None or now_s - self._looked_s > _SEEKERS_S):
            self._looked_s, self._seekers = now_s, ()
            await invitations.look_for_seekers()
            # Those who look for a game are told of before the next look.
            return
        found = await self._choose(invitations, now_s)
        if found is not None:
            self._next_s = now_s + offer.every_s
            self._pending = found.name, now_s + _OPEN_S
            self.asked.note(found.name, now_s)
            self._log(f"{found.name} is asked for a game")
            refused = await invitations.invite(found.name, self._terms(found))
            if refused is not None:
                # Nobody was bothered: the next in line is asked at once, and this one when their turn comes again.
                self._next_s = now_s
                self.note_refusal(refused.user, is_absent=refused.is_absent)

    async def _choose(self, invitations: Invitations, now_s: float) -> Seeker | None:
        """Whom to ask now, None for nobody."""
        offer = self._config().offer
        turned = (*offer.players[self._turn :], *offer.players[: self._turn])
        for name in turned:
            if self.asked.may_ask(offer, name, now_s):
                self._turn = (offer.players.index(name) + 1) % len(offer.players)
                found = await invitations.look_up(name)
                if found is not None and self._fits(found):
                    return found
                # Who cannot be found now, or is none we play, is not looked up all the time.
                self.asked.note(name, now_s)
                self.asked.note_absence(name)
        may_ask = self.asked.may_ask
        return next((each for each in self._seekers if may_ask(offer, each.name, now_s) and self._fits(each)), None)

    def _fits(self, seeker: Seeker) -> bool:
        return is_of_rank(self._config().offer, seeker.rank) and self._refusal(seeker.name, self._terms(seeker)) is None

    def _terms(self, seeker: Seeker) -> Terms:
        return terms_of_offer(self._config(), seeker)

    def see(self, seekers: Sequence[Seeker]) -> None:
        """Note who looks for a game now."""
        self._seekers = tuple(seekers)

    def note_refusal(self, user: str, *, is_absent: bool) -> None:
        """Whom we asked does not want to play us, or is not there, or plays somebody else."""
        if self._pending is not None and self._pending[0].lower() == user.lower():
            self._pending = None
            self._log(f"{user} {'cannot be asked now' if is_absent else 'does not want to play'}")
            if is_absent:
                self.asked.note_absence(user)

    def note_game(self, user: str) -> None:
        """A game with this player begins."""
        self.asked.note_game(user)
        if self._pending is not None and self._pending[0].lower() == user.lower():
            self._pending = None
