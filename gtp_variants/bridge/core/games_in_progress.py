"""The games of an account: those in progress, and those of earlier runs that ended while nobody looked.

A game on `gtp-variants server`, which referees it, follows the server's `draw`, `play` and `hear` lines.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from gtp_variants.bridge.core import policies
from gtp_variants.bridge.core.account import AccountState, Hooks
from gtp_variants.bridge.core.base_game import BaseGame, DecisionKey, GameContext, new_record_name, records_folder
from gtp_variants.bridge.core.config import BOARD, PLAYER, PRIVATE, REFEREE, TimeConfig
from gtp_variants.bridge.core.game_sync import HiddenReplay, OpenReplay
from gtp_variants.bridge.core.go_server_game import GoGame, settle, stated_result
from gtp_variants.bridge.core.logs import prune
from gtp_variants.bridge.core.private_game import PrivateGame
from gtp_variants.bridge.core.role_games import DemonstrationGame, DiceReferee
from gtp_variants.bridge.core.server import ADJOURNED, OVER, RefereedState, Server, ServerGame
from gtp_variants.bridge.core.state_store import StateStore, StoredGame
from gtp_variants.bridge.core.tasks import BackgroundTasks
from gtp_variants.errors import PeerError, PeerGone, RecordError, VariantsError
from gtp_variants.players.clock import Clock
from gtp_variants.players.publisher import Publisher, Shown
from gtp_variants.players.table import Table
from gtp_variants.records.files import load_record, save
from gtp_variants.records.json import from_json
from gtp_variants.records.record import Record
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.dice_stream import DiceStream

# A game in progress is seen at most this many seconds after the login.
SEEN_WITHIN_S = 10.0
# How long the server may take to say how games ended.
_ANSWERED_WITHIN_S = 5.0
# The class of a game by our role in it.
_GAMES: dict[str, Callable[[GameContext, ServerGame, StoredGame, bool], BaseGame]] = {
    PLAYER: GoGame,
    REFEREE: DiceReferee,
    BOARD: DemonstrationGame,
    PRIVATE: PrivateGame,
}


@dataclass(frozen=True, slots=True)
class LostGame:
    """A game of an earlier run that is not on any more: what is stored of it, and its record as it stood."""

    stored: StoredGame
    path: Path
    record: Record | None

    @property
    def players(self) -> dict[int, str]:
        """Colour -> name, as far as the record says."""
        return dict(self.record.players) if self.record is not None else {}


class LostGames:
    """The stored games of an account, as far as nobody plays them now."""

    def __init__(self, store: StateStore, records: Path, log: Callable[[str], None]) -> None:
        self._store, self._records, self._log = store, records, log

    def find(self, on: frozenset[str]) -> Iterator[LostGame]:
        """The stored games but those `on`; games that a journal of ours has go on by themselves."""
        for key in list(self._store):
            stored = self._store.load(key) if key not in on else None
            if stored is not None and not self._store.has_journal(stored):
                yield self._load(stored)

    def load(self, key: str) -> LostGame | None:
        """The stored game of this name."""
        stored = self._store.load(key)
        return None if stored is None else self._load(stored)

    def _load(self, stored: StoredGame) -> LostGame:
        path = self._records / f"{stored.record}.sgf"
        try:
            return LostGame(stored, path, load_record(path))
        except (OSError, RecordError) as error:
            self._log(f"{stored.key}: its record cannot be read: {error}")
            return LostGame(stored, path, None)

    def age_s(self, game: LostGame) -> float:
        """Return the seconds since something of a game was stored."""
        return time.time() - self._store.stored_at(game.stored.key)

    def close(self, game: LostGame, result: str) -> None:
        """Write the result into the record, reveal the secret of its dice, and forget the game."""
        if game.record is not None:
            try:
                save(with_end(game.record, game.stored.secret, result), game.path)
            except (OSError, VariantsError) as error:
                self._log(f"{game.stored.key}: the record cannot be kept: {error}")
        self._store.delete(game.stored.key)


class GamesInProgress:
    """The games of an account that are not over, by their keys, from the first state of each to its end.

    A game is on while it was `seen` on this connection: of any other nobody knows whether it goes on.
    """

    def __init__(
        self,
        account: AccountState,
        hooks: Hooks,
        background: BackgroundTasks,
        publisher: Publisher | None,
        on_begin: Callable[[BaseGame, bool], None],
        after_end: Callable[[BaseGame], Awaitable[None]],
    ) -> None:
        """`on_begin` is given each game with whether it is new, `after_end` each one that is over or was left."""
        self._account, self._hooks, self._background, self._publisher = account, hooks, background, publisher
        self._on_begin, self._after_end = on_begin, after_end
        config = account.config
        self.by_key: dict[str, BaseGame] = {}
        self.seen: set[str] = set()
        # Games in a row in which an engine or this program failed.
        self.failed_in_a_row = 0
        self.store = StateStore(config.outputs.folder / "games")
        self._lost_games = LostGames(self.store, records_folder(config), account.log)
        self.context = GameContext(
            lambda: account.config,
            lambda: account.server,
            self.store,
            account.log,
            self._note_end,
            self._end_game,
            hooks.tell_of_failure,
            self._report_fault,
            self._show,
        )

    @property
    def is_playing(self) -> bool:
        """True if a game is on that was seen on this connection."""
        return bool(self.seen & set(self.by_key))

    @property
    def seen_states(self) -> list[ServerGame]:
        """The games that were seen on this connection."""
        return [self.by_key[key].state for key in self.seen if key in self.by_key]

    @property
    def has_too_many_failures(self) -> bool:
        """True if so many games in a row failed that no more are played."""
        return self.failed_in_a_row >= self._account.config.engine.failed_games

    def find_with(self, user: str) -> BaseGame | None:
        """A game that somebody plays in."""
        return next((each for each in self.by_key.values() if user in each.state.players.values()), None)

    def was_stored_within(self, seconds: float) -> bool:
        """Return True if something of a game was stored within the last `seconds`."""
        return any(time.time() - self.store.stored_at(key) < seconds for key in self.store)

    async def update(self, state: ServerGame) -> None:
        """Take in the state of a game: the game may begin by it, go on or end. Raises PeerGone."""
        self.seen.add(state.key)
        game, is_on = self.by_key.get(state.key), state.phase not in (OVER, ADJOURNED)
        if game is None and is_on and not self._account.server.abilities.challenges:
            # Where games are paired one after the other, a new one says that the last is over.
            for other in [each for key, each in self.by_key.items() if key not in self.seen]:
                await self._lose(other)
        if game is not None and state.created and state.created != game.state.created:
            # The same people began anew.
            await self._lose(game)
            game = None
        if game is None and (is_on or self._ended_unseen(state)):
            game = await self._open(state)
        if game is not None:
            before = len(game.state.moves)
            try:
                await game.update(state)
            except PeerError:
                raise
            except VariantsError as error:
                # Rules that cannot be, in the middle of a game: what it says next may be right again.
                self._account.log(f"{state.key}: cannot be followed: {error}")
            self._account.counters.moves += max(0, len(state.moves) - before)
        elif state.phase == OVER:
            lost = self._lost_games.load(state.key)
            if lost is not None:
                self._close_lost(lost, state.result)
            elif state.is_whole and not self._account.is_stopping:
                # One that our rules could not follow: the next may be another.
                await self._account.server.ready(state)

    def _ended_unseen(self, state: ServerGame) -> bool:
        """Return True if a game of an earlier run is over and the server tells its last moves, not recorded yet."""
        return state.phase == OVER and state.is_whole and self.store.load(state.key) is not None

    async def _open(self, state: ServerGame) -> BaseGame | None:
        account, config = self._account, self._account.config
        if self.has_too_many_failures:
            return None
        stored = self.store.load(state.key)
        if stored is not None and state.created:
            # The same people played before and never ended that game.
            lost = self._lost_games.load(state.key)
            if lost is not None:
                self._close_lost(lost, "")
            stored = None
        is_new = stored is None and not state.moves
        if stored is None:
            stored = self._make_stored(state)
        try:
            game = (
                RefereedGame(self.context, state, stored)
                if state.refereed
                else _GAMES[config.role](self.context, state, stored, is_new)
            )
        except VariantsError as error:
            account.log(f"{state.key}: cannot be played: {error}")
            if state.phase != OVER:
                await account.server.resign(state)
            return None
        self.by_key[state.key] = game
        account.counters.games += 1
        self._on_begin(game, is_new)
        account.log(f"{state.key}: {' and '.join(state.players.values())}, {len(state.moves)} moves so far")
        return game

    def _make_stored(self, state: ServerGame) -> StoredGame:
        config = self._account.config
        name = new_record_name(state, records_folder(config))
        # A referee who comes late has thrown no dice for what was played.
        let_stand = tuple(range(len(state.moves))) if config.role == REFEREE else ()
        langs, lang = tuple(state.langs.items()), state.langs.get(state.opponent, config.chat.lang)
        return StoredGame(state.key, config.spec, name, let_stand=let_stand, lang=lang, langs=langs)

    def _note_end(self, game: BaseGame) -> None:
        state = game.state
        self._account.counters.results[_result_kind(state)] += 1
        self.failed_in_a_row = self.failed_in_a_row + 1 if game.has_failed else 0
        self._hooks.tell_of_end(state.key, state.result, game.record_path, state.players)

    async def _end_game(self, game: BaseGame) -> None:
        self._let_go(game)
        outputs = self._account.config.outputs
        prune(outputs.folder / "logs", outputs.keep_logs)
        await self._after_end(game)

    def _let_go(self, game: BaseGame) -> None:
        """Let go of a game; nothing more is told of it to those who watch, unless we see it again."""
        del self.by_key[game.state.key]
        if self._publisher is not None:
            self._publisher.leave(game.stored.record)
        self._background.start(game.close())

    def let_go_of_all(self) -> None:
        """Let go of all games: the bridge ends."""
        for game in self.by_key.values():
            self._background.start(game.close())
        self.by_key.clear()

    async def close_lost(self, server: Server) -> None:
        """Some time after a login: end the games of this run or an earlier one that are not on any more."""
        await asyncio.sleep(SEEN_WITHIN_S)
        if self._account.config.role == PRIVATE:
            return
        try:
            lost = self._find_lost(server)
            if any([await server.past.ask_result(key, players) for key, players in lost]):
                await asyncio.sleep(_ANSWERED_WITHIN_S)
            for key, _ in lost:
                if key not in self.seen:
                    await self._end_unseen(key)
        except PeerGone:
            return
        except Exception as error:
            self._account.log.failure("unexpected", error)
        for game in [each for key, each in self.by_key.items() if key not in self.seen]:
            # It waits on the server for another day.
            self._let_go(game)

    async def _end_unseen(self, key: str) -> None:
        game, stored = self.by_key.get(key), self._lost_games.load(key)
        if game is not None:
            await self._lose(game)
        elif stored is not None:
            self._close_lost(stored, "")

    def _find_lost(self, server: Server) -> list[tuple[str, Mapping[int, str]]]:
        """Names and players of the games that were not seen and cannot come again, or that nobody came back to."""
        unseen = [game.state for game in self.by_key.values() if game.state.key not in self.seen]
        found = [(state.key, state.players) for state in unseen if server.past.has_lost(state.key, state.players)]
        keep_games_s = self._account.config.outputs.keep_games_s
        for lost in self._lost_games.find(frozenset(self.by_key) | self.seen):
            key, players = lost.stored.key, lost.players
            if server.past.has_lost(key, players) or self._lost_games.age_s(lost) > keep_games_s:
                found.append((key, players))
        return found

    async def _lose(self, game: BaseGame) -> None:
        game.log("it ended while we were away")
        await game.update(replace(game.state, phase=OVER, awaits_move=False))

    def _close_lost(self, lost: LostGame, result: str) -> None:
        self._lost_games.close(lost, result)
        self._account.counters.results["unknown"] += 1
        self._hooks.tell_of_end(lost.stored.key, result, lost.path, lost.players)

    def _show(self, name: str, record: Record, is_over: bool, state: ServerGame) -> None:
        """Show a game as it stands to those who watch."""
        if self._publisher is None:
            return
        shown = Shown.of(
            self._account.config.name,
            name,
            record.game,
            record.players,
            record.commitment,
            record.secret,
            is_over=is_over,
            result=state.result,
            left_s=_find_left_s(state.clocks, record.game.rules.colours),
        )
        self._publisher.show(name, shown)

    def _report_fault(self, why: str) -> None:
        self._account.counters.engine_failures += 1
        self._account.log(f"the engine failed: {why}")
        self._hooks.tell_of_failure(why)


def _result_kind(state: ServerGame) -> str:
    """Won, lost, drawn, unknown where the server does not say, or refereed."""
    if state.colour not in state.players:
        return "refereed"
    winner = {"B": BLACK, "W": WHITE}.get(state.result[:1])
    if winner is None:
        return "drawn" if state.result == "0" else "unknown"
    return "won" if winner == state.colour else "lost"


def with_end(record: Record, secret: bytes, result: str) -> Record:
    """A record with the end that the server gave it, where our rules can say it, and with the secret of its dice."""
    game, dice = record.game, DiceStream(secret)
    has_dice = record.commitment is not None and dice.commitment == record.commitment
    settle(Table.of(game, lambda: dice, {}), result, ())
    return replace(
        record,
        secret=secret if has_dice else record.secret,
        result=stated_result(game, result),
        comment=f"on the server: {result or 'nobody knows how it ended'}",
    )


def _find_left_s(told: Mapping[int, Clock], colours: Sequence[int]) -> dict[int, float] | None:
    """Return what the server said of the clocks last, if there are any for both."""
    if any(colour not in told or told[colour].control.kind == "none" for colour in colours):
        return None
    return {colour: max(0.0, told[colour].left_s) for colour in colours}


class RefereedGame(BaseGame):
    """One game, as its referee tells it."""

    def __init__(self, context: GameContext, state: ServerGame, stored: StoredGame) -> None:
        """A game as the server tells it. Raises VariantsError for one that our rules cannot follow."""
        assert state.refereed is not None
        rules = parse(state.refereed.spec)
        super().__init__(context, state, stored, rules, partial(OpenReplay if rules.is_open else HiddenReplay, rules))
        self._replay = OpenReplay(rules)

    @property
    def _refereed(self) -> RefereedState:
        assert self.state.refereed is not None
        return self.state.refereed

    async def update(self, state: ServerGame) -> None:
        self._take_in(state, f"{len(self.steps())} lines")
        if not self.is_over:
            self.stored = replace(self.stored, count=len(state.moves))
        self.save()
        if state.phase in (OVER, ADJOURNED):
            await self._end()
        elif state.awaits_move:
            self.turn.start_thinking()

    def steps(self) -> tuple[str, ...]:
        return self._refereed.lines

    def decision_key(self) -> DecisionKey:
        return self._refereed.lines

    def least_time_s(self, time: TimeConfig) -> float:
        # Who waits for us would count the tries that only we hear of.
        return 0.0 if is_retry(self.steps(), self.state.colour) else super().least_time_s(time)

    def fallback(self) -> int:
        if not self.rules.is_open:
            return PASS
        self._replay.follow(self.steps())
        return policies.fallback(self.rules, self._replay.table.position, [])

    def record(self) -> Record | None:
        """The game as we saw it, and when it is over as the referee did."""
        if self._refereed.record:
            return from_json(self._refereed.record)
        if not self.rules.is_open:
            return None
        fault = self._replay.follow(self.steps())
        if fault is not None:
            raise fault.error
        commitment = self._refereed.commitment or None
        dice = "secret" if commitment else None
        game = self._replay.table.game
        result = stated_result(game, self.state.result) if self.is_over else None
        return Record(game, dice=dice, commitment=commitment, players=dict(self.state.players), result=result)

    def _close_replay(self) -> None:
        """Note if the referee's record is not the game that we were told."""
        if not self._refereed.record or not self.rules.is_open:
            return
        try:
            record = from_json(self._refereed.record)
            fault = self._replay.follow(self.steps())
        except VariantsError as error:
            self.log(f"the referee's record cannot be read: {error}")
            return
        ours = list(self._replay.table.game.events)
        if fault is not None or list(record.game.events[: len(ours)]) != ours:
            self.log("dispute: the referee's record is not the game we were told")


def is_retry(lines: Sequence[str], colour: int) -> bool:
    """Return True if the last line tells a seat that its own try was refused, so that it tries again."""
    return bool(lines) and lines[-1].split()[:3] == ["hear", COLOUR_LETTERS[colour], "refused"]
