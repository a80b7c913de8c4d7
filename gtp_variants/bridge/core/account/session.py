"""One account at work: logged in, in its games, logged in again when the line is lost, until it is told to end."""

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic, time

from gtp_variants.bridge.core import chat_commands, policies
from gtp_variants.bridge.core.account import hooks
from gtp_variants.bridge.core.account.challenge_queue import ChallengeQueue
from gtp_variants.bridge.core.account.end_notes import EndNotes
from gtp_variants.bridge.core.account.game_publisher import snapshot
from gtp_variants.bridge.core.account.inviter import Inviter
from gtp_variants.bridge.core.account.lost_games import LostGame, LostGames
from gtp_variants.bridge.core.account.matchmaker import AccountAccess, Matchmaker
from gtp_variants.bridge.core.account.name_lists import NameList
from gtp_variants.bridge.core.account.opponent_counts import OpponentCounts
from gtp_variants.bridge.core.backoff import Backoff
from gtp_variants.bridge.core.config import BOARD, PLAYER, PRIVATE, REFEREE, WAIT, BridgeConfig
from gtp_variants.bridge.core.game.base_game import BaseGame, GameContext, new_record_name, records_folder
from gtp_variants.bridge.core.game.demonstration_game import DemonstrationGame
from gtp_variants.bridge.core.game.dice_referee import DiceReferee
from gtp_variants.bridge.core.game.go_server_game import GoGame
from gtp_variants.bridge.core.game.private_game import PrivateGame
from gtp_variants.bridge.core.game.variant_server_game import RefereedGame
from gtp_variants.bridge.core.logs import Log, prune
from gtp_variants.bridge.core.server import (
    ADJOURNED,
    OVER,
    Challenge,
    ChatLine,
    DeclineReason,
    GameUpdate,
    InvitationRefused,
    LoginReplaced,
    RoomPresence,
    SeekersSeen,
    Server,
    ServerEvent,
    ServerGame,
    Terms,
)
from gtp_variants.bridge.core.state_store import StateStore, StoredGame
from gtp_variants.broadcast.publisher import Publisher
from gtp_variants.connections.token_buckets import TokenBuckets
from gtp_variants.errors import PeerError, PeerGone, Refused, VariantsError
from gtp_variants.lang import say
from gtp_variants.records.record import Record
from gtp_variants.rules.actions import BLACK, WHITE

ENDED, REFUSED, FAILED = 0, 3, 4
# So long after a line was lost a game may go on, or may have begun, whose clock is ours.
_AWAITED_S = 600.0
# A game that was begun when we were told to end is known of within so long.
_CROSSES_WITHIN_S = 1.0
# A game that goes on is seen within so long after the login.
_SEEN_WITHIN_S = 10.0
# How long the server may take to say how games ended, and what a hook is told where it does not.
_ANSWERED_WITHIN_S = 5.0
_UNKNOWN = "unknown"
# So long a game that is over may take to be put away when the bridge ends.
_CLOSE_WITHIN_S = 10.0


# What a game is to each role.
_GAMES = {PLAYER: GoGame, REFEREE: DiceReferee, BOARD: DemonstrationGame, PRIVATE: PrivateGame}


@dataclass(slots=True)
class Counters:
    """What the metrics tell."""

    state: str = "starting"
    logins: int = 0
    lost_lines: int = 0
    games: int = 0
    moves: int = 0
    challenges_refused: int = 0
    engine_failures: int = 0
    results: Counter[str] = field(default_factory=Counter)


class AccountSession:
    """The bridge's own life. `run` returns the exit status; `stop` and `reload` may be called while it runs."""

    def __init__(
        self,
        config: BridgeConfig,
        log: Log,
        *,
        make: Callable[[BridgeConfig, Callable[[str], None]], Server],
        rng: random.Random | None = None,
        publisher: Publisher | None = None,
    ) -> None:
        self.config = config
        self.log = log
        # The configuration as the file has it, and the names on lists elsewhere.
        self._own_config = config
        self._allowed, self._blocked = self._open_lists(config, {})
        self._queue = ChallengeQueue(config.challenges.queue)
        self.counters = Counters()
        self.games: dict[str, BaseGame] = {}
        self.is_stopping = False
        # Told to end at once: hooks, too.
        self._is_hurried = False
        self._make = make
        self._rng = rng or random.Random()
        self._publisher = publisher
        self._server: Server | None = None
        # The games that were seen on this connection: of others nobody knows whether they go on.
        self._seen: set[str] = set()
        self._backoff = Backoff()
        # When we were last on a server that lets games begin by itself.
        self._paired_s: float | None = None
        self._end = asyncio.Event()
        self._status: int | None = None
        self._background: set[asyncio.Task[None]] = set()
        self._store = StateStore(config.outputs.folder / "games")
        self._end_notes = EndNotes(config.outputs.folder / "ended")
        self._lost_games = LostGames(self._store, records_folder(config), log)
        self._counts = OpponentCounts(config.outputs.folder / "opponents.json", log)
        self._inviter = Inviter(lambda: self.config, self._refusal, self._may_ask, log)
        self._failed_in_a_row = 0
        self._answers = TokenBuckets(chat_commands.ANSWERS_AT_ONCE, chat_commands.ANSWERS_A_SECOND)
        self._context = GameContext(
            lambda: self.config,
            self._current_server,
            self._store,
            self.log,
            self._note_end,
            self._end_game,
            self._report_failure,
            self._report_fault,
            self._show,
        )
        access = AccountAccess(self.games, self._update_game, self._refusal)
        self._matchmaker = Matchmaker(self._context, access) if config.role == PRIVATE else None

    # -- from outside --------------------------------------------------------------------------------------------------

    def stop(self, *, at_once: bool = False) -> None:
        """End after the games that are on, or at once."""
        self.is_stopping, self._is_hurried = True, at_once
        if at_once:
            self._end.set()
        elif self.counters.state == "online" and not self._current_server().abilities.challenges:
            # Where the server pairs, a game may have begun that we have not heard of yet.
            asyncio.get_running_loop().call_later(_CROSSES_WITHIN_S, self._end_if_idle)
        else:
            self._end_if_idle()
        self.counters.state = "stopping"
        self.log("stops at once" if at_once else "stops after the games that are on")

    def _end_if_idle(self) -> None:
        if self.is_stopping and not self._is_playing():
            self._end.set()

    def reload(self, config: BridgeConfig) -> None:
        """Take another configuration: policies at once, the engine for the next game, the server at the next login.

        What games that go on are found by stays until the next start: the bridge's name, its role and its folder.
        """
        own = self._own_config
        outputs = replace(config.outputs, folder=own.outputs.folder)
        self._own_config = replace(config, name=own.name, role=own.role, outputs=outputs)
        if self._own_config != config:
            self.log("name, role and outputs.dir stay as they are until the next start")
        config = self._own_config
        known = {each.source: each for each in (*self._allowed, *self._blocked)}
        self._allowed, self._blocked = self._open_lists(config, known)
        self._queue.most = config.challenges.queue
        self._take_names()
        self._in_background(self._refresh_lists())
        self.log("the configuration was read again")

    def _open_lists(self, config: BridgeConfig, known: Mapping[str, NameList]) -> tuple[list[NameList], list[NameList]]:
        """The lists of who is allowed and who is blocked; those that are known already keep their names."""
        make_list = partial(NameList, log=self.log, has_blanks=config.server.names_have_blanks)
        challenges = config.challenges
        allowed, blocked = (
            [known.get(source) or make_list(source) for source in sources]
            for sources in (challenges.allow_lists, challenges.block_lists)
        )
        return allowed, blocked

    async def _refresh_lists(self) -> None:
        """Read the lists of names again."""
        for each in (*self._allowed, *self._blocked):
            await each.refresh()
        self._take_names()

    async def _keep_lists_fresh(self) -> None:
        while True:
            await self._refresh_lists()
            await asyncio.sleep(self.config.challenges.refresh_s)

    def _take_names(self) -> None:
        """Put the names of the lists into the configuration."""
        own = self._own_config.challenges
        allow, block = ([name for each in lists for name in each.names] for lists in (self._allowed, self._blocked))
        challenges = replace(own, allow=(*own.allow, *allow), block=(*own.block, *block))
        self.config = replace(self._own_config, challenges=challenges)

    async def ask_past(self) -> None:
        """Ask the server for games of the past, whose answer says nothing that is needed. Raises PeerGone."""
        if self._server is not None:
            await self._server.past.ask_result("", {})

    # -- connections ---------------------------------------------------------------------------------------------------

    async def run(self) -> int:
        """Log in, play, and log in again until it is over; the exit status."""
        for name, facts in self._end_notes:
            self._in_background(self._tell_hook(name, facts))
        lists = asyncio.ensure_future(self._keep_lists_fresh())
        try:
            while not self._end.is_set():
                began = _now_s()
                error = await self._run_until_end(self._connection())
                if self._end.is_set() or error is None:
                    break
                pause_s = self._pause_after(error, _now_s() - began)
                if pause_s is None:
                    break
                await self._run_until_end(asyncio.sleep(pause_s * self._rng.uniform(0.75, 1.25)))
        finally:
            self.counters.state = "ended"
            lists.cancel()
            await self._close_games()
        return ENDED if self._status is None else self._status

    async def _run_until_end(self, work: Awaitable[None]) -> Exception | None:
        """Do something until it is done, or until we are to end; the error that ended it."""
        task = asyncio.ensure_future(work)
        end = asyncio.ensure_future(self._end.wait())
        try:
            await asyncio.wait({task, end}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            end.cancel()
            task.cancel()
            error: Exception | None = None
            try:
                await task
            except asyncio.CancelledError:
                pass
            except Exception as raised:
                error = raised
        return error

    def _pause_after(self, error: Exception, lasted_s: float = 0.0) -> float | None:
        """How long to wait for the next login after this error of a connection that lasted so long, None for ever."""
        config = self.config.reconnect
        if isinstance(error, Refused):
            self._fail(REFUSED, f"the server refuses the login: {error.answer}")
            return None
        if isinstance(error, LoginReplaced):
            if config.on_replaced != WAIT:
                self._fail(REFUSED, f"replaced: {error}")
                return None
            self.log(f"replaced: {error}; the next login in {config.replaced_s:.0f} s")
            return config.replaced_s
        self.counters.lost_lines += 1
        if not isinstance(error, PeerError | OSError):
            self.log.failure("unexpected", error)
            self._report_failure(f"{type(error).__name__}: {error}")
        pause_s = self._backoff.find_pause(config, lasted_s, is_awaited=self._is_awaited())
        self.log(f"lost the line: {error}; the next login in about {pause_s:.1f} s")
        return pause_s

    def _is_awaited(self) -> bool:
        """Whether somebody may be waiting for us, or a clock of ours running: also in a game that we do not know of."""
        paired = self._paired_s is not None and _now_s() - self._paired_s < _AWAITED_S
        return (
            bool(self.games) or paired or any(time() - self._store.stored_at(key) < _AWAITED_S for key in self._store)
        )

    async def _connection(self) -> None:
        """One connection, from login to its end, which is an error unless we are done."""
        self.counters.state = "logging in"
        server = self._make(self.config, self.log.quietly)
        beside: list[asyncio.Future[None]] = []
        try:
            await server.login()
            # Not before: who speaks during a login answers the server's questions.
            self._server = server
            self._seen.clear()
            asyncio.get_running_loop().call_later(_SEEN_WITHIN_S, self._end_if_idle)
            self.counters.state = "stopping" if self.is_stopping else "online"
            self.counters.logins += 1
            self.log(f"logged in as {self.config.server.account}")
            beside = [
                asyncio.ensure_future(each) for each in (self._close_lost_games(server), self._ask_people(server))
            ]
            async for event in server.events():
                await self._handle(event)
                if self._end.is_set():
                    return
        finally:
            for each in beside:
                each.cancel()
            if self.counters.state == "online" and not server.abilities.challenges:
                self._paired_s = _now_s()
            self.counters.state = "offline"
            await _finish(server.close())

    # -- what happens --------------------------------------------------------------------------------------------------

    async def _handle(self, event: ServerEvent) -> None:
        match event:
            case GameUpdate(state):
                await self._update_game(state)
            case Challenge():
                await self._answer_challenge(event)
            case ChatLine(user, text, _) if self._matchmaker is not None:
                await self._matchmaker.hear(user, text)
            case ChatLine(user, text, key):
                await self._hear(user, text, key)
            case InvitationRefused(user, is_absent):
                self._inviter.note_refusal(user, is_absent=is_absent)
            case SeekersSeen(seekers):
                self._inviter.see(seekers)
            case RoomPresence():
                if self._matchmaker is not None:
                    await self._matchmaker.update_presence(event)
            case _:
                game = self.games.get(event.key)
                if isinstance(game, GoGame):
                    await game.handle(event)

    async def _update_game(self, state: ServerGame) -> None:
        self._seen.add(state.key)
        game, is_on = self.games.get(state.key), state.phase not in (OVER, ADJOURNED)
        if is_on:
            self._backoff.note_game()
        if game is None and is_on and not self._current_server().abilities.challenges:
            # Where games are paired one after the other, a new one says that the last is over.
            for other in [each for key, each in self.games.items() if key not in self._seen]:
                await self._lose(other)
        if game is not None and state.created and state.created != game.state.created:
            # The same people began anew.
            await self._lose(game)
            game = None
        if game is None and (is_on or self._ended_unseen(state)):
            game = await self._open_game(state)
        if game is not None:
            before = len(game.state.moves)
            try:
                await game.update(state)
            except PeerError:
                raise
            except VariantsError as error:
                # Rules that cannot be, in the middle of a game: what it says next may be right again.
                self.log(f"{state.key}: cannot be followed: {error}")
            self.counters.moves += max(0, len(state.moves) - before)
        elif state.phase == OVER:
            lost = self._lost_games.load(state.key)
            if lost is not None:
                self._close_lost(lost, state.result)
            elif state.is_whole and not self.is_stopping:
                # One that our rules could not follow: the next may be another.
                await self._current_server().ready(state)

    def _ended_unseen(self, state: ServerGame) -> bool:
        """Whether a game of an earlier run is over of which the server tells all: its last moves were not recorded."""
        return state.phase == OVER and state.is_whole and self._store.load(state.key) is not None

    async def _open_game(self, state: ServerGame) -> BaseGame | None:
        if self._failed_in_a_row >= self.config.engine.failed_games:
            return None
        stored, is_referee = self._store.load(state.key), self.config.role == REFEREE
        if stored is not None and state.created:
            # The same people played before and never ended that game.
            lost = self._lost_games.load(state.key)
            if lost is not None:
                self._close_lost(lost, "")
            stored = None
        is_new = stored is None and not state.moves
        if stored is None:
            name = new_record_name(state, records_folder(self.config))
            # A referee who comes late has thrown no dice for what was played.
            let_stand = tuple(range(len(state.moves))) if is_referee else ()
            langs, lang = tuple(state.langs.items()), state.langs.get(state.opponent, self.config.chat.lang)
            stored = StoredGame(state.key, self.config.spec, name, let_stand=let_stand, lang=lang, langs=langs)
        try:
            game = (
                RefereedGame(self._context, state, stored)
                if state.refereed
                else _GAMES[self.config.role](self._context, state, stored, is_new)
            )
        except VariantsError as error:
            self.log(f"{state.key}: cannot be played: {error}")
            if state.phase != OVER:
                await self._current_server().resign(state)
            return None
        self.games[state.key] = game
        self.counters.games += 1
        self._counts.note_programs(state.programs)
        if is_new:
            for user in game.people:
                self._inviter.note_game(user)
                self._counts.add(user, is_program=self._is_program(user))
        self.log(f"{state.key}: {' and '.join(state.players.values())}, {len(state.moves)} moves so far")
        return game

    def _current_server(self) -> Server:
        assert self._server is not None
        return self._server

    async def _answer_challenge(self, challenge: Challenge) -> None:
        server = self._current_server()
        refusal = self._refusal(challenge.user, challenge.terms)
        is_first = challenge.is_open and not challenge.is_counter
        if is_first and refusal is None and not self._may_take(challenge):
            return
        if not self.is_stopping and server.abilities.concurrent:
            playing = [self.games[key].state for key in self._seen if key in self.games]
            challenges, user, terms = self.config.challenges, challenge.user, challenge.terms
            refusal = refusal or policies.refusal_of_one_more(challenges, user, terms, playing)
        elif refusal is None and (self._is_playing() or self._queue.must_wait(challenge.user, _now_s())):
            refusal = self._wait_in_line(challenge)
        if refusal is None:
            self._queue.remove(challenge.user)
            self.log(f"{challenge.user} challenges: accepted")
            await server.accept(challenge)
            return
        if challenge.is_open:
            return
        self.counters.challenges_refused += 1
        self.log(f"{challenge.user} challenges: refused ({refusal.key})")
        is_silent = refusal.key == "bridge.blocked"
        lang = challenge.lang or self.config.chat.lang
        text = "" if is_silent else say(refusal.key, lang, **dict(refusal.parts))
        await server.decline(challenge.user, DeclineReason(refusal.key, text, challenge.id))

    def _wait_in_line(self, challenge: Challenge) -> policies.Refusal:
        """Somebody has to wait until we are free: they are told their place, if there is one."""
        place = self._queue.add(challenge.user) if not challenge.is_open else None
        if place is None or not self._current_server().abilities.chat:
            return policies.Refusal("bridge.busy")
        return policies.Refusal("bridge.queued", (("place", place),))

    async def _call_next(self) -> None:
        """We are free: who has waited longest is asked to challenge us again."""
        user = self._queue.call(_now_s())
        if user is not None and not self.is_stopping and self._current_server().abilities.chat:
            self.log(f"{user} has waited and is called")
            await self._current_server().tell(user, say("bridge.your_turn", self.config.chat.lang))

    def _refusal(self, user: str, terms: Terms) -> policies.Refusal | None:
        """Why somebody is not played on these terms now, None if they are."""
        if self.is_stopping:
            return policies.Refusal("bridge.leaving")
        if terms.is_program:
            self._counts.note_programs([user])
        terms = replace(terms, is_program=self._is_program(user))
        return policies.refusal(self.config.challenges, user, terms, self._counts.today(user), self._counts.people)

    def _is_program(self, user: str) -> bool:
        return self._counts.is_program(user, self.config.challenges.programs)

    # -- games that we ask for -----------------------------------------------------------------------------------------

    async def _ask_people(self, server: Server) -> None:
        """Ask people for games for as long as a connection lasts."""
        if self.config.role != PLAYER:
            return
        try:
            await self._inviter.run(server)
        except PeerGone:
            return
        except Exception as error:
            self.log.failure("unexpected", error)

    def _may_ask(self) -> bool:
        """Whether we are free to ask somebody: whoever waits in line comes first."""
        is_called = len(self._queue) or self._queue.must_wait("", _now_s())
        return not (self.is_stopping or self._is_playing() or is_called)

    def _may_take(self, challenge: Challenge) -> bool:
        """Whether an open challenge of somebody is taken; that they were asked is noted."""
        offer, asked = self.config.offer, self._inviter.asked
        if not policies.is_of_rank(offer, challenge.terms.rank):
            return False
        if self._is_playing() or not asked.may_take(offer, challenge.user, _now_s()):
            return False
        asked.note(challenge.user, _now_s())
        return True

    async def _hear(self, user: str, text: str, key: str | None) -> None:
        """Somebody said something; what a player says in no game belongs to theirs."""
        game = self.games.get(key or "")
        if game is None:
            game = next((each for each in self.games.values() if user in each.state.players.values()), None)
        if isinstance(game, GoGame):
            await game.chat.hear(user, text)
            return
        found = chat_commands.command_of(text, chat_commands.TO_REFEREE if self.config.role == REFEREE else None)
        if found is None or not self.config.chat.commands or not self._current_server().abilities.chat:
            return
        is_blocked = user.lower() in {name.lower() for name in self.config.challenges.block}
        # Our moves go out on the same line as what we answer.
        if is_blocked or not self._answers.allows(user, monotonic()):
            return
        command, lang = found[0], found[1] or self.config.chat.lang
        if self.config.role == REFEREE:
            await self._answer_about_referee(user, command, lang)
        else:
            await self._current_server().tell(user, say("bridge.help", lang))

    async def _answer_about_referee(self, user: str, command: str, lang: str) -> None:
        """Somebody outside of a game speaks to a referee."""
        key = "bridge.referee_help"
        if command == "referee":
            key = "bridge.leaving" if self.is_stopping else "bridge.referee_comes"
        await self._current_server().tell(user, say(key, lang))
        if key == "bridge.referee_comes":
            await self._current_server().watch(user)

    # -- ends ----------------------------------------------------------------------------------------------------------

    def _note_end(self, game: BaseGame) -> None:
        """A game is over."""
        state = game.state
        self.counters.results[_result_kind(state)] += 1
        self._failed_in_a_row = self._failed_in_a_row + 1 if game.has_failed else 0
        self._tell_of_end(state.key, state.result, game.record_path, state.players)

    async def _end_game(self, game: BaseGame) -> None:
        """A game is over, or was left and may come again."""
        self._close_game(game)
        prune(self.config.outputs.folder / "logs", self.config.outputs.keep_logs)
        if self._failed_in_a_row >= self.config.engine.failed_games:
            self._fail(FAILED, f"the engine failed in {self._failed_in_a_row} games in a row")
        elif self.is_stopping and not self._is_playing():
            self._end.set()
        elif game.is_over and game.state.key in self._seen:
            await self._current_server().ready(game.state)
            if not self._is_playing():
                await self._call_next()

    def _tell_of_end(self, key: str, result: str, record: Path, players: Mapping[int, str]) -> None:
        """Log that a game is over, and tell the hook, in another run if this one is killed before it could."""
        self.log(f"{key}: over, {result or 'the server does not say how'}")
        facts = {
            "RESULT": result or _UNKNOWN,
            "RECORD": str(record.absolute()),
            "BLACK": players.get(BLACK, ""),
            "WHITE": players.get(WHITE, ""),
        }
        if self.config.hooks.on_game_end:
            try:
                self._end_notes.write(record.stem, facts)
            except OSError as error:
                self.log(f"{key}: its end cannot be noted: {error}")
            self._in_background(self._tell_hook(record.stem, facts))

    async def _tell_hook(self, name: str, facts: Mapping[str, str]) -> None:
        await self.run_hook("game_end", facts)
        self._end_notes.delete(name)

    # -- games that ended while we were away ---------------------------------------------------------------------------

    async def _close_lost_games(self, server: Server) -> None:
        """Some time after a login: games that are not on any more, of this run or an earlier one, are ended."""
        await asyncio.sleep(_SEEN_WITHIN_S)
        if self.config.role == PRIVATE:
            return
        try:
            lost = self._find_lost(server)
            if any([await server.past.ask_result(key, players) for key, players in lost]):
                await asyncio.sleep(_ANSWERED_WITHIN_S)
            for key, _ in lost:
                if key not in self._seen:
                    await self._end_unseen(key)
        except PeerGone:
            return
        except Exception as error:
            self.log.failure("unexpected", error)
        for game in [each for key, each in self.games.items() if key not in self._seen]:
            # It waits on the server for another day.
            self._close_game(game)

    async def _end_unseen(self, key: str) -> None:
        game, stored = self.games.get(key), self._lost_games.load(key)
        if game is not None:
            await self._lose(game)
        elif stored is not None:
            self._close_lost(stored, "")

    def _find_lost(self, server: Server) -> list[tuple[str, Mapping[int, str]]]:
        """Names and players of the games that were not seen and cannot come again, or that nobody came back to."""
        unseen = [game.state for game in self.games.values() if game.state.key not in self._seen]
        found = [(state.key, state.players) for state in unseen if server.past.has_lost(state.key, state.players)]
        for lost in self._lost_games.find(frozenset(self.games) | self._seen):
            key, players = lost.stored.key, lost.players
            if server.past.has_lost(key, players) or self._lost_games.age_s(lost) > self.config.outputs.keep_games_s:
                found.append((key, players))
        return found

    async def _lose(self, game: BaseGame) -> None:
        """A game ended and nobody told us how."""
        game.log("it ended while we were away")
        await game.update(replace(game.state, phase=OVER, awaits_move=False))

    def _close_lost(self, lost: LostGame, result: str) -> None:
        """A game of an earlier run has ended."""
        self._lost_games.close(lost, result)
        self.counters.results["unknown"] += 1
        self._tell_of_end(lost.stored.key, result, lost.path, lost.players)

    def _close_game(self, game: BaseGame) -> None:
        """Let go of a game; nothing more is told of it to those who watch, unless we see it again."""
        del self.games[game.state.key]
        if self._publisher is not None:
            self._publisher.leave(game.stored.record)
        self._in_background(game.close())

    def _is_playing(self) -> bool:
        """Whether a game is on that was seen on this connection."""
        return bool(self._seen & set(self.games))

    def _show(self, name: str, record: Record, is_over: bool, state: ServerGame) -> None:
        """Whoever watches sees how a game stands now."""
        if self._publisher is not None:
            self._publisher.show(name, snapshot(self.config.name, name, record, is_over, state))

    def _report_failure(self, why: str) -> None:
        # Nobody's clock runs while a user's command does.
        self._in_background(self.run_hook("failure", {"WHY": why}))

    def _report_fault(self, why: str) -> None:
        self.counters.engine_failures += 1
        self.log(f"the engine failed: {why}")
        self._report_failure(why)

    def _fail(self, status: int, why: str) -> None:
        """End with this status, after the games that are on."""
        if self._status is not None:
            return
        self.log(f"ends: {why}")
        self._status, self.is_stopping = status, True
        self._report_failure(why)
        self._end_if_idle()

    async def run_hook(self, name: str, facts: Mapping[str, str]) -> None:
        """Run the command for this, if there is one."""
        command = self.config.hooks.on_failure if name == "failure" else self.config.hooks.on_game_end
        if command:
            await hooks.run(command, {"EVENT": name, "BRIDGE": self.config.name, **facts}, self.log)

    def _in_background(self, work: Awaitable[None]) -> None:
        async def safely() -> None:
            try:
                await work
            except Exception as error:
                self.log.failure("unexpected", error)

        task = asyncio.get_running_loop().create_task(safely())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _close_games(self) -> None:
        for game in self.games.values():
            self._in_background(game.close())
        self.games.clear()
        if self._background:
            # What a user wants done after a game may take as long as it may while the bridge goes on.
            within_s = _CLOSE_WITHIN_S if self._is_hurried else hooks.LIMIT_S
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait(set(self._background), timeout=within_s)
        for task in list(self._background):
            task.cancel()


def _now_s() -> float:
    return asyncio.get_running_loop().time()


async def _finish(work: Coroutine[object, object, None]) -> None:
    """Wait for something that must not be left half done, also when we are cancelled meanwhile."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


def _result_kind(state: ServerGame) -> str:
    """Won, lost, drawn, unknown where the server does not say, or refereed."""
    if state.colour not in state.players:
        return "refereed"
    winner = {"B": BLACK, "W": WHITE}.get(state.result[:1])
    if winner is None:
        return "drawn" if state.result == "0" else "unknown"
    return "won" if winner == state.colour else "lost"
