"""The session of one account: it logs in, plays, and reconnects until it is told to stop."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from time import monotonic

from gtp_variants.base.connection_gate import TokenBuckets
from gtp_variants.base.tasks import BackgroundTasks
from gtp_variants.bridge.core import server as core
from gtp_variants.bridge.core.account import HOOK_LIMIT_S, AccountState, Hooks, ListedConfig
from gtp_variants.bridge.core.base_game import BaseGame
from gtp_variants.bridge.core.challenges import Challenges, loop_time_s
from gtp_variants.bridge.core.chat import ANSWERS_A_SECOND, ANSWERS_AT_ONCE, TO_REFEREE, command_of
from gtp_variants.bridge.core.config import PRIVATE, REFEREE, WAIT, BridgeConfig
from gtp_variants.bridge.core.games_in_progress import SEEN_WITHIN_S, GamesInProgress
from gtp_variants.bridge.core.go_server_game import GoGame
from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.core.private_game import Matchmaker
from gtp_variants.errors import PeerError, Refused
from gtp_variants.lang import say
from gtp_variants.players.publisher import Publisher

# A function that makes an unopened connection from a configuration and a log for its lines.
Connect = Callable[[BridgeConfig, Callable[[str], None]], core.Server]
ENDED, REFUSED, FAILED = 0, 3, 4
# Seconds after a lost connection during which we assume that a game may exist and its clock may be running.
_AWAITED_S = 600.0
# Seconds for which we wait, when told to stop, for a game that began at the same moment.
_CROSSES_WITHIN_S = 1.0
# Seconds allowed for closing finished games when the bridge stops at once.
_CLOSE_WITHIN_S = 10.0
# Seconds after which a connection counts as stable, so that the next pause is the shortest again.
_STEADY_S = 60.0
# The longest pause before a login, in seconds, while a game may be in progress.
_LONGEST_AWAITED_S = 10.0
# Seconds after which a lost connection counts as interrupted, not refused; and the pause before the login after that.
_PLAYED_S, _AT_ONCE_S = 5.0, 0.25


class Reconnection:
    """The decision on when to log in again after a connection has ended."""

    def __init__(self, account: AccountState, games: GamesInProgress, on_failure: Callable[[str], None]) -> None:
        """`on_failure` gets unexpected errors."""
        self._account, self._games, self._on_failure = account, games, on_failure
        # The last pause before a login, in seconds; 0 after a good connection.
        self._wait_s = 0.0
        # When we were last connected to a server that pairs players.
        self._paired_s: float | None = None

    def note_game(self) -> None:
        """Note that a game is in progress, so the connection is good."""
        self._wait_s = 0.0

    def note_paired(self) -> None:
        """Note that we are connected to a server that pairs players."""
        self._paired_s = loop_time_s()

    def find_end(self, error: Exception) -> str | None:
        """Return why there must be no further login after an error, or None if we may log in again."""
        if isinstance(error, Refused):
            return f"the server refuses the login: {error.answer}"
        if isinstance(error, core.LoginReplaced) and self._account.config.reconnect.on_replaced != WAIT:
            return f"replaced: {error}"
        return None

    def find_pause(self, error: Exception, lasted_s: float = 0.0) -> float:
        """Return the seconds to wait before the next login. The lost connection had lasted `lasted_s` seconds."""
        config, log = self._account.config.reconnect, self._account.log
        if isinstance(error, core.LoginReplaced):
            log(f"replaced: {error}; next login in {config.replaced_s:.0f} s")
            return config.replaced_s
        self._account.counters.lost_lines += 1
        if not isinstance(error, PeerError | OSError):
            log.failure("unexpected", error)
            self._on_failure(f"{type(error).__name__}: {error}")
        if lasted_s > _STEADY_S:
            self._wait_s = 0.0
        is_first = not self._wait_s
        pause_s = self._wait_s = min(config.most_s, max(config.first_s, 2 * self._wait_s))
        if self.is_awaited:
            pause_s = min(pause_s, _AT_ONCE_S if is_first and lasted_s > _PLAYED_S else _LONGEST_AWAITED_S)
        log(f"disconnected: {error}; next login in about {pause_s:.1f} s")
        return pause_s

    @property
    def is_awaited(self) -> bool:
        """True if an opponent may be waiting or our clock running, even in an unknown game."""
        was_paired = self._paired_s is not None and loop_time_s() - self._paired_s < _AWAITED_S
        store = self._games.store
        return bool(self._games.by_key) or was_paired or any(store.age_s(key) < _AWAITED_S for key in store)


class AccountSession:
    """The session of one account. `run` returns the exit status; `stop` and `reload` may be called meanwhile."""

    def __init__(
        self,
        config: BridgeConfig,
        log: Log,
        *,
        make: Connect,
        rng: random.Random | None = None,
        publisher: Publisher | None = None,
    ) -> None:
        self._account = account = AccountState(ListedConfig(config, log), log)
        self.counters = account.counters
        self._make = make
        self._rng = rng or random.Random()
        # True if we were told to stop at once, which cuts hooks short, too.
        self._is_hurried = False
        self._end = asyncio.Event()
        self._status: int | None = None
        self._background = BackgroundTasks(lambda error: log.failure("unexpected", error))
        self._hooks = Hooks(account, self._background)
        self._games = games = GamesInProgress(
            account, self._hooks, self._background, publisher, self._note_begin, self._after_end
        )
        self.games: Mapping[str, BaseGame] = games.by_key
        self._challenges = Challenges(account, games)
        self._reconnection = Reconnection(account, games, self._hooks.tell_of_failure)
        self._answers = TokenBuckets(ANSWERS_AT_ONCE, ANSWERS_A_SECOND)
        self._matchmaker: Matchmaker | None = None
        if config.role == PRIVATE:
            self._matchmaker = Matchmaker(games.context, games.by_key, self._update_game, self._challenges.refusal)

    @property
    def is_stopping(self) -> bool:
        return self._account.is_stopping

    def stop(self, *, at_once: bool = False) -> None:
        """Stop after the games in progress, or at once."""
        self._account.is_stopping, self._is_hurried = True, at_once
        if at_once:
            self._end.set()
        elif self.counters.state == "online" and not self._account.server.abilities.challenges:
            # A server that pairs players may have just begun a game, so wait for it briefly.
            asyncio.get_running_loop().call_later(_CROSSES_WITHIN_S, self._end_if_idle)
        else:
            self._end_if_idle()
        self.counters.state = "stopping"
        self._account.log("stopping at once" if at_once else "stopping after the games in progress")

    def _end_if_idle(self) -> None:
        if self.is_stopping and not self._games.is_playing:
            self._end.set()

    def reload(self, config: BridgeConfig) -> None:
        """Use another configuration: policies now, the engine from the next game, the server from the next login."""
        self._account.settings.replace(config)
        self._challenges.queue.most = config.challenges.queue
        self._background.start(self._account.settings.refresh())
        self._account.log("configuration reloaded")

    async def ask_past(self) -> None:
        """Ask the server for past games; the answer is not used. Raises PeerGone if the connection is lost."""
        if self._account.connection is not None:
            await self._account.connection.past.ask_result("", {})

    async def run(self) -> int:
        """Log in and play, again and again, until told to stop. Return the exit status."""
        self._hooks.tell_earlier_ends()
        lists = asyncio.ensure_future(self._account.settings.keep_fresh())
        try:
            while not self._end.is_set():
                began = loop_time_s()
                error = await self._run_until_end(self._connection())
                if self._end.is_set() or error is None:
                    break
                why = self._reconnection.find_end(error)
                if why is not None:
                    self._fail(REFUSED, why)
                    break
                pause_s = self._reconnection.find_pause(error, loop_time_s() - began)
                await self._run_until_end(asyncio.sleep(pause_s * self._rng.uniform(0.75, 1.25)))
        finally:
            self.counters.state = "ended"
            lists.cancel()
            self._games.let_go_of_all()
            # After the last game, hooks may still use their normal time limit.
            await self._background.finish(_CLOSE_WITHIN_S if self._is_hurried else HOOK_LIMIT_S)
        return ENDED if self._status is None else self._status

    async def _run_until_end(self, work: Awaitable[None]) -> Exception | None:
        """Run `work` until it is done or the session ends. Return its error, if any."""
        task = asyncio.ensure_future(work)
        end = asyncio.ensure_future(self._end.wait())
        try:
            await asyncio.wait({task, end}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            end.cancel()
            task.cancel()
            (result,) = await asyncio.gather(task, return_exceptions=True)
        return result if isinstance(result, Exception) else None

    async def _connection(self) -> None:
        """Run one connection from its login to its end, which is an error unless we stop."""
        account, counters = self._account, self.counters
        counters.state = "logging in"
        server = self._make(account.config, account.log.quietly)
        beside = BackgroundTasks(lambda error: account.log.failure("unexpected", error))
        try:
            await server.login()
            # Set this only now, because during the login we may only answer the server's questions.
            account.connection = server
            self._games.seen.clear()
            asyncio.get_running_loop().call_later(SEEN_WITHIN_S, self._end_if_idle)
            counters.state = "stopping" if self.is_stopping else "online"
            counters.logins += 1
            account.log(f"logged in as {account.config.server.account}")
            beside.start(self._games.close_lost(server))
            beside.start(self._challenges.ask_people(server))
            async for event in server.events():
                await self._handle(event)
                if self._end.is_set():
                    return
        finally:
            beside.stop()
            if counters.state == "online" and not server.abilities.challenges:
                self._reconnection.note_paired()
            counters.state = "offline"
            await _finish(server.close())

    async def _handle(self, event: core.ServerEvent) -> None:
        match event:
            case core.ServerGame():
                await self._update_game(event)
            case core.Challenge():
                await self._challenges.answer(event)
            case core.ChatLine(user, text, _) if self._matchmaker is not None:
                await self._matchmaker.hear(user, text)
            case core.ChatLine(user, text, key):
                await self._hear(user, text, key)
            case core.InvitationRefused(user, is_absent):
                self._challenges.inviter.note_refusal(user, is_absent=is_absent)
            case core.SeekersSeen(seekers):
                self._challenges.inviter.see(seekers)
            case core.RoomPresence():
                if self._matchmaker is not None:
                    await self._matchmaker.update_presence(event)
            case _:
                game = self.games.get(event.key)
                if game is not None:
                    await game.handle(event)

    async def _update_game(self, state: core.ServerGame) -> None:
        if state.phase not in (core.OVER, core.ADJOURNED):
            self._reconnection.note_game()
        await self._games.update(state)

    def _note_begin(self, game: BaseGame, is_new: bool) -> None:
        self._challenges.note_begin(game, is_new)

    async def _after_end(self, game: BaseGame) -> None:
        if self._games.has_too_many_failures:
            self._fail(FAILED, f"the engine failed in {self._games.failed_in_a_row} games in a row")
        elif self.is_stopping and not self._games.is_playing:
            self._end.set()
        elif game.is_over and game.state.key in self._games.seen:
            await self._account.server.ready(game.state)
            if not self._games.is_playing:
                await self._challenges.call_next()

    def _fail(self, status: int, why: str) -> None:
        """Stop with this status after the games in progress."""
        if self._status is not None:
            return
        self._account.log(f"stopping: {why}")
        self._status, self._account.is_stopping = status, True
        self._hooks.tell_of_failure(why)
        self._end_if_idle()

    async def _hear(self, user: str, text: str, key: str | None) -> None:
        """Answer a line of chat. Messages that a player sends outside a game belong to that player's game."""
        game = self.games.get(key or "") or self._games.find_with(user)
        if isinstance(game, GoGame):
            await game.chat.hear(user, text)
            return
        config, server = self._account.config, self._account.server
        found = command_of(text, TO_REFEREE if config.role == REFEREE else None)
        if found is None or not config.chat.commands or not server.abilities.chat:
            return
        is_blocked = user.lower() in {name.lower() for name in config.challenges.block}
        # Limit the answers, because our moves use the same connection.
        if is_blocked or not self._answers.allows(user, monotonic()):
            return
        command, lang = found[0], found[1] or config.chat.lang
        key = "bridge.referee_help" if config.role == REFEREE else "bridge.help"
        if config.role == REFEREE and command == "referee":
            key = "bridge.leaving" if self.is_stopping else "bridge.referee_comes"
        await server.tell(user, say(key, lang))
        if key == "bridge.referee_comes":
            await server.watch(user)


async def _finish(work: Coroutine[object, object, None]) -> None:
    """Wait for `work`, which must be completed even if we are cancelled."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
