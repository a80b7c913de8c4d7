"""Challenges: who may play us and on what terms, who is waiting, and whom we invite."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path

from gtp_variants.bridge.core import policies
from gtp_variants.bridge.core.account import AccountState
from gtp_variants.bridge.core.base_game import BaseGame
from gtp_variants.bridge.core.config import PLAYER, BridgeConfig, OfferConfig
from gtp_variants.bridge.core.games_in_progress import GamesInProgress
from gtp_variants.bridge.core.policies import Refusal, is_of_rank, terms_of_offer
from gtp_variants.bridge.core.server import Challenge, DeclineReason, Invitations, Seeker, Server, Terms
from gtp_variants.errors import PeerGone
from gtp_variants.lang import say
from gtp_variants.records.files import write

# Seconds that a called player has to challenge us before the next player is called.
CALLED_S = 90.0


class ChallengeQueue:
    """The queue of at most `most` players who are waiting for a game. Times are monotonic."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._waiting: list[str] = []
        self._called = ""
        self._called_until_s = 0.0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, user: str) -> int | None:
        """Add a player and return their place, counted from 1, or None if the queue is full."""
        names = [each.lower() for each in self._waiting]
        if user.lower() not in names:
            if len(names) >= self.most:
                return None
            self._waiting.append(user)
            return len(self._waiting)
        return names.index(user.lower()) + 1

    def remove(self, user: str) -> None:
        """Remove a player who is now playing us or has left."""
        self._waiting = [each for each in self._waiting if each.lower() != user.lower()]
        if self._called.lower() == user.lower():
            self._called = ""

    def call(self, now_s: float) -> str | None:
        """Call the next player and return their name, or None if nobody is waiting."""
        if not self._waiting:
            return None
        self._called, self._called_until_s = self._waiting.pop(0), now_s + CALLED_S
        return self._called

    def must_wait(self, user: str, now_s: float) -> bool:
        """Return True if another player has been called and still has time to challenge us."""
        is_another = bool(self._called) and self._called.lower() != user.lower()
        return is_another and now_s < self._called_until_s


# Maximum value of the counter of games with people.
_MOST_PEOPLE = 1_000_000


class OpponentCounts:
    """Today's number of games with each opponent, kept in a file. The argument `today` returns the current date."""

    def __init__(self, path: Path, log: Callable[[str], None], today: Callable[[], date] = date.today) -> None:
        self._path, self._log, self._today = path, log, today
        self._day = today().isoformat()
        self._games = Counter[str]()
        # Number of games with people since the last game with a program.
        self.people = 0
        # Names of known programs, in lower case.
        self._programs: set[str] = set()
        with suppress(OSError, ValueError, OverflowError, RecursionError, LookupError, TypeError, AttributeError):
            kept = json.loads(path.read_bytes())
            self.people = max(0, min(int(kept["people"]), _MOST_PEOPLE))
            if kept["day"] == self._day:
                self._games.update({str(name): int(count) for name, count in kept["games"].items()})

    def today(self, user: str) -> int:
        """Return the number of games with this player today."""
        if self._day != self._today().isoformat():
            self._day = self._today().isoformat()
            self._games.clear()
        return self._games[user.lower()]

    def note_programs(self, users: Collection[str]) -> None:
        """Note that the server or the operator calls these players programs."""
        self._programs |= {user.lower() for user in users}

    def is_program(self, user: str, known: Collection[str]) -> bool:
        """Return True if a player is in `known` or was noted as a program."""
        return user.lower() in self._programs or user.lower() in {name.lower() for name in known}

    def add(self, user: str, *, is_program: bool) -> None:
        self.today(user)
        self._games[user.lower()] += 1
        self.people = 0 if is_program else min(self.people + 1, _MOST_PEOPLE)
        kept = {"day": self._day, "games": dict(self._games), "people": self.people}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write(self._path, (json.dumps(kept) + "\n").encode())
        except OSError as error:
            self._log(f"cannot save {self._path}: {error}")


# Maximum seconds between two searches for somebody to invite.
_LOOK_S = 1.0
# Minimum seconds between two searches.
_SHORTEST_LOOK_S = 0.01
# Seconds for which an invitation stays open.
_OPEN_S = 60.0
# Seconds after which the list of players looking for a game is outdated.
_SEEKERS_S = 30.0
_DAY_S = 86_400.0


class InvitationLog:
    """When each player was invited, and with what success. Times are monotonic."""

    def __init__(self) -> None:
        # When each player was last invited, and how many consecutive invitations had no success.
        self._last_s: dict[str, float] = {}
        self._vain = Counter[str]()

    def may_ask(self, offer: OfferConfig, user: str, now_s: float) -> bool:
        """Return True if the pause since a player's last invitation is over: a day after `offer.tries` failures."""
        gone_s = now_s - self._last_s.get(user.lower(), float("-inf"))
        return gone_s >= max(offer.again_s, 0.0 if self._vain[user.lower()] < offer.tries else _DAY_S)

    def may_take(self, offer: OfferConfig, user: str, now_s: float) -> bool:
        """Return True if a player's open challenge may be accepted. After a failed invitation, `may_ask` decides."""
        return not self._vain[user.lower()] or self.may_ask(offer, user, now_s)

    def note(self, user: str, now_s: float) -> None:
        """Note an invitation, which counts as unsuccessful until a game begins."""
        name = user.lower()
        if now_s - self._last_s.get(name, now_s) >= _DAY_S:
            self._vain[name] = 0
        self._last_s[name] = now_s
        self._vain[name] += 1

    def note_game(self, user: str) -> None:
        self._vain[user.lower()] = 0

    def note_absence(self, user: str) -> None:
        """Note that a player could not receive the invitation, which therefore does not count as unsuccessful."""
        if user.lower() in self._last_s:
            self._vain[user.lower()] -= 1


class Inviter:
    """Invites players, one at a time. `refusal` returns why to refuse a player, `is_free` whether we may invite now."""

    def __init__(
        self,
        config: Callable[[], BridgeConfig],
        refusal: Callable[[str, Terms], Refusal | None],
        is_free: Callable[[], bool],
        log: Callable[[str], None],
    ) -> None:
        self._config, self._refusal, self._is_free, self._log = config, refusal, is_free, log
        self.asked = InvitationLog()
        # The invited player and when the invitation expires; then the earliest time for the next invitation.
        self._pending: tuple[str, float] | None = None
        self._next_s = 0.0
        self._turn = 0
        self._seekers: tuple[Seeker, ...] = ()
        self._looked_s: float | None = None

    async def run(self, server: Server) -> None:
        """Invite players until PeerGone is raised. Return at once if the server has no invitations."""
        self._forget_connection()
        invitations = server.invitations
        if invitations is None:
            return
        while True:
            await asyncio.sleep(max(_SHORTEST_LOOK_S, min(_LOOK_S, self._config().offer.every_s)))
            now_s = loop_time_s()
            if self._pending is not None:
                user, until_s = self._pending
                if now_s >= until_s or not self._is_free():
                    self._pending = None
                    self._log(f"invitation to {user} withdrawn")
                    await invitations.withdraw(user)
            elif self._is_free() and now_s >= self._next_s:
                await self._ask_one(invitations, now_s)

    def _forget_connection(self) -> None:
        self._pending, self._looked_s, self._seekers = None, None, ()

    async def _ask_one(self, invitations: Invitations, now_s: float) -> None:
        offer = self._config().offer
        if offer.takes and (self._looked_s is None or now_s - self._looked_s > _SEEKERS_S):
            self._looked_s, self._seekers = now_s, ()
            await invitations.look_for_seekers()
            # Wait for the list of seekers, which arrives before the next search.
            return
        found = await self._choose(invitations, now_s)
        if found is not None:
            self._next_s = now_s + offer.every_s
            self._pending = found.name, now_s + _OPEN_S
            self.asked.note(found.name, now_s)
            self._log(f"{found.name} is invited")
            refused = await invitations.invite(found.name, self._terms(found))
            if refused is not None:
                # This player never saw the invitation, so invite the next player at once, and this player later.
                self._next_s = now_s
                self.note_refusal(refused.user, is_absent=refused.is_absent)

    async def _choose(self, invitations: Invitations, now_s: float) -> Seeker | None:
        offer = self._config().offer
        turned = (*offer.players[self._turn :], *offer.players[: self._turn])
        for name in turned:
            if self.asked.may_ask(offer, name, now_s):
                self._turn = (offer.players.index(name) + 1) % len(offer.players)
                found = await invitations.look_up(name)
                if found is not None and self._fits(found):
                    return found
                # Do not look up an unsuitable player again and again.
                self.asked.note(name, now_s)
                self.asked.note_absence(name)
        may_ask = self.asked.may_ask
        return next((each for each in self._seekers if may_ask(offer, each.name, now_s) and self._fits(each)), None)

    def _fits(self, seeker: Seeker) -> bool:
        return is_of_rank(self._config().offer, seeker.rank) and self._refusal(seeker.name, self._terms(seeker)) is None

    def _terms(self, seeker: Seeker) -> Terms:
        return terms_of_offer(self._config(), seeker)

    def see(self, seekers: Sequence[Seeker]) -> None:
        """Note the players who are looking for a game now."""
        self._seekers = tuple(seekers)

    def note_refusal(self, user: str, *, is_absent: bool) -> None:
        """Note that the invited player has declined or, with `is_absent`, cannot be invited now."""
        if self._pending is not None and self._pending[0].lower() == user.lower():
            self._pending = None
            self._log(f"{user} {'is unavailable' if is_absent else 'declines'}")
            if is_absent:
                self.asked.note_absence(user)

    def note_game(self, user: str) -> None:
        self.asked.note_game(user)
        if self._pending is not None and self._pending[0].lower() == user.lower():
            self._pending = None


class Challenges:
    """The challenges to one account: each is accepted, refused with a reason, or queued."""

    def __init__(self, account: AccountState, games: GamesInProgress) -> None:
        self._account, self._games = account, games
        config = account.config
        self.queue = ChallengeQueue(config.challenges.queue)
        self.counts = OpponentCounts(config.outputs.folder / "opponents.json", account.log)
        self.inviter = Inviter(lambda: account.config, self.refusal, self._may_ask, account.log)

    async def answer(self, challenge: Challenge) -> None:
        """Accept, queue, refuse or ignore a challenge. Raises PeerGone if the connection is lost."""
        account, server = self._account, self._account.server
        refusal = self.refusal(challenge.user, challenge.terms)
        is_first = challenge.is_open and not challenge.is_counter
        if is_first and refusal is None and not self._may_take(challenge):
            return
        if not account.is_stopping and server.abilities.concurrent:
            challenges, user, terms = account.config.challenges, challenge.user, challenge.terms
            refusal = refusal or policies.refusal_of_one_more(challenges, user, terms, self._games.seen_states)
        elif refusal is None and (self._games.is_playing or self.queue.must_wait(challenge.user, loop_time_s())):
            place = self.queue.add(challenge.user) if not challenge.is_open else None
            is_told = place is not None and server.abilities.chat
            refusal = Refusal("bridge.queued", {"place": place}) if is_told else Refusal("bridge.busy")
        if refusal is None:
            self.queue.remove(challenge.user)
            account.log(f"{challenge.user} challenges: accepted")
            await server.accept(challenge)
            return
        if challenge.is_open:
            return
        account.counters.challenges_refused += 1
        account.log(f"{challenge.user} challenges: refused ({refusal.key})")
        is_silent = refusal.key == "bridge.blocked"
        lang = challenge.lang or account.config.chat.lang
        text = "" if is_silent else say(refusal.key, lang, **refusal.parts)
        await server.decline(challenge.user, DeclineReason(refusal.key, text, challenge.id))

    async def call_next(self) -> None:
        """Ask the first player in the queue to challenge us again. Raises PeerGone if the connection is lost."""
        account = self._account
        user = self.queue.call(loop_time_s())
        if user is not None and not account.is_stopping and account.server.abilities.chat:
            account.log(f"{user} has waited longest and is called")
            await account.server.tell(user, say("bridge.your_turn", account.config.chat.lang))

    def refusal(self, user: str, terms: Terms) -> Refusal | None:
        """Return why a player is refused on these terms now, or None if there is no reason."""
        if self._account.is_stopping:
            return Refusal("bridge.leaving")
        if terms.is_program:
            self.counts.note_programs([user])
        terms = replace(terms, is_program=self._is_program(user))
        challenges = self._account.config.challenges
        return policies.refusal(challenges, user, terms, self.counts.today(user), self.counts.people)

    def _is_program(self, user: str) -> bool:
        return self.counts.is_program(user, self._account.config.challenges.programs)

    def note_begin(self, game: BaseGame, is_new: bool) -> None:
        """Count a game that has begun, if it is new and not resumed."""
        self.counts.note_programs(game.state.programs)
        if is_new:
            for user in game.people:
                self.inviter.note_game(user)
                self.counts.add(user, is_program=self._is_program(user))

    async def ask_people(self, server: Server) -> None:
        """Invite players until the connection is lost, if we play ourselves."""
        if self._account.config.role == PLAYER:
            with suppress(PeerGone):
                await self.inviter.run(server)

    def _may_ask(self) -> bool:
        """Return True if we are free to invite somebody; players in the queue come first."""
        is_called = len(self.queue) or self.queue.must_wait("", loop_time_s())
        return not (self._account.is_stopping or self._games.is_playing or is_called)

    def _may_take(self, challenge: Challenge) -> bool:
        """Return True if an open challenge should be accepted; if so, note it as an invitation."""
        offer, asked = self._account.config.offer, self.inviter.asked
        is_free = is_of_rank(offer, challenge.terms.rank) and not self._games.is_playing
        may_take = is_free and asked.may_take(offer, challenge.user, loop_time_s())
        if may_take:
            asked.note(challenge.user, loop_time_s())
        return may_take


def loop_time_s() -> float:
    """Return the time of the event loop in seconds."""
    return asyncio.get_running_loop().time()
