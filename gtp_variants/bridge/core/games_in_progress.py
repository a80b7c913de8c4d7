"""The games of an account: games in progress, and stored games that ended while the bridge was away.

The module also plays refereed games on `gtp-variants server`, following its `draw`, `play` and `hear` lines.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from gtp_variants.base.processes.secrecy import SECRET_PLACES
from gtp_variants.base.tasks import BackgroundTasks
from gtp_variants.bridge.core import policies, server as core
from gtp_variants.bridge.core.account import AccountState, Hooks
from gtp_variants.bridge.core.base_game import BaseGame, DecisionKey, GameContext, new_record_name, records_folder
from gtp_variants.bridge.core.config import BOARD, PLAYER, PRIVATE, REFEREE, TimeConfig
from gtp_variants.bridge.core.engine_seat import EngineMove
from gtp_variants.bridge.core.game_sync import HiddenReplay, OpenReplay
from gtp_variants.bridge.core.go_server_game import GoGame, settle, stated_result
from gtp_variants.bridge.core.logs import prune
from gtp_variants.bridge.core.private_game import PrivateGame
from gtp_variants.bridge.core.role_games import DemonstrationGame, DiceReferee
from gtp_variants.bridge.core.state_store import StateStore, StoredGame
from gtp_variants.errors import PeerError, PeerGone, RecordError, VariantsError
from gtp_variants.players.publisher import Publisher, Shown
from gtp_variants.players.table import Table
from gtp_variants.records.files import load_record, save
from gtp_variants.records.json import from_json
from gtp_variants.records.record import Record
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.dice_stream import DiceStream

# Seconds after the login within which the server reports all games in progress.
SEEN_WITHIN_S = 10.0
# Seconds that the server has to report how games ended.
_ANSWERED_WITHIN_S = 5.0
_MakeGame = Callable[[GameContext, core.ServerGame, StoredGame, bool], BaseGame]
# Role -> class of its games.
_GAMES: dict[str, _MakeGame] = {PLAYER: GoGame, REFEREE: DiceReferee, BOARD: DemonstrationGame, PRIVATE: PrivateGame}


class GamesInProgress:
    """The unfinished games of an account by key. `seen` has the keys of all games reported on this connection."""

    def __init__(
        self,
        account: AccountState,
        hooks: Hooks,
        background: BackgroundTasks,
        publisher: Publisher | None,
        on_begin: Callable[[BaseGame, bool], None],
        after_end: Callable[[BaseGame], Awaitable[None]],
    ) -> None:
        """`on_begin` receives each game and whether it is new, and `after_end` each game that is over or was left."""
        self._account, self._hooks, self._background, self._publisher = account, hooks, background, publisher
        self._on_begin, self._after_end = on_begin, after_end
        config = account.config
        self.by_key: dict[str, BaseGame] = {}
        self.seen: set[str] = set()
        # Consecutive games in which an engine or this program failed.
        self.failed_in_a_row = 0
        self.store = StateStore(config.outputs.folder / "games")
        # The dice of games in progress, and what the engines of other games say.
        SECRET_PLACES.update(config.outputs.folder.absolute() / name for name in ("games", "logs"))
        ends = self._note_end, self._end_game
        self.context = GameContext(account, self.store, *ends, hooks.tell_of_failure, self._report_fault, self._show)

    @property
    def is_playing(self) -> bool:
        """True if a game seen on this connection is in progress."""
        return bool(self.seen & set(self.by_key))

    @property
    def seen_states(self) -> list[core.ServerGame]:
        return [self.by_key[key].state for key in self.seen if key in self.by_key]

    @property
    def has_too_many_failures(self) -> bool:
        """True if too many consecutive games have failed, so that no more games are played."""
        return self.failed_in_a_row >= self._account.config.engine.failed_games

    def find_with(self, user: str) -> BaseGame | None:
        return next((each for each in self.by_key.values() if user in each.state.players.values()), None)

    async def update(self, state: core.ServerGame) -> None:
        """Process a state, which may begin, continue or end a game. Raises PeerGone if the connection is lost."""
        self.seen.add(state.key)
        game, is_on = self.by_key.get(state.key), state.phase not in (core.OVER, core.ADJOURNED)
        if game is None and is_on and not self._account.server.abilities.challenges:
            # On a server that pairs players, a new game means that the last game is over, so end it here, too.
            for other in [each for key, each in self.by_key.items() if key not in self.seen]:
                await self._lose(other)
        if game is not None and state.created and state.created != game.state.created:
            # The same players have begun another game, so this game is over.
            await self._lose(game)
            game = None
        # A game that ended between two runs is opened again, because its last moves are not recorded yet.
        if game is None and (is_on or (state.is_whole and state.phase == core.OVER and self.store.load(state.key))):
            game = await self._open(state)
        if game is not None:
            before = len(game.state.moves)
            try:
                await game.update(state)
            except PeerError:
                raise
            except VariantsError as error:
                # The server sent impossible rules in mid-game. Its next state may be right, so keep the game.
                self._account.log(f"cannot follow {state.key}: {error}")
            self._account.counters.moves += max(0, len(state.moves) - before)
        elif state.phase == core.OVER:
            stored = self.store.load(state.key)
            if stored is not None:
                self._close_lost(stored, state.result)
            elif state.is_whole and not self._account.is_stopping:
                # Our rules could not follow this game, but perhaps they can follow the next game, so ask for it.
                await self._account.server.ready(state)

    async def _open(self, state: core.ServerGame) -> BaseGame | None:
        account, config = self._account, self._account.config
        if self.has_too_many_failures:
            return None
        stored = self.store.load(state.key)
        if stored is not None and state.created:
            # An older game of the same players is stored and never ended, so close it.
            self._close_lost(stored, "")
            stored = None
        is_new = stored is None and not state.moves
        if stored is None:
            stored = self._make_stored(state)
        known = self.context, state, stored
        try:
            game = RefereedGame(*known) if state.refereed else _GAMES[config.role](*known, is_new)
        except VariantsError as error:
            account.log(f"cannot play {state.key}: {error}")
            if state.phase != core.OVER:
                await account.server.resign(state)
            return None
        self.by_key[state.key] = game
        account.counters.games += 1
        self._on_begin(game, is_new)
        account.log(f"{state.key}: {' and '.join(state.players.values())}, {len(state.moves)} moves so far")
        return game

    def _make_stored(self, state: core.ServerGame) -> StoredGame:
        config = self._account.config
        known = state.key, config.spec, new_record_name(state, records_folder(config))
        # A referee who joined late threw no dice for the earlier moves, so all of them are accepted.
        let_stand = tuple(range(len(state.moves))) if config.role == REFEREE else ()
        langs, lang = tuple(state.langs.items()), state.langs.get(state.opponent, config.chat.lang)
        stored = StoredGame(*known, let_stand=let_stand, lang=lang, langs=langs, configured=config.spec)
        return stored if state.moves else self.store.begin(state.players, state.size, stored)

    def _note_end(self, game: BaseGame) -> None:
        state = game.state
        self._account.counters.results[_result_kind(state)] += 1
        self.failed_in_a_row = self.failed_in_a_row + 1 if game.turn.has_failed else 0
        self._hooks.tell_of_end(state.key, state.result, game.record_path, state.players)

    async def _end_game(self, game: BaseGame) -> None:
        self._let_go(game)
        outputs = self._account.config.outputs
        prune(outputs.folder / "logs", outputs.keep_logs)
        await self._after_end(game)

    def _let_go(self, game: BaseGame) -> None:
        """Release a game, and stop showing it to spectators unless the server sends it again."""
        del self.by_key[game.state.key]
        if self._publisher is not None:
            self._publisher.leave(game.stored.record)
        self._background.start(game.close())

    def let_go_of_all(self) -> None:
        for game in self.by_key.values():
            self._background.start(game.close())
        self.by_key.clear()

    async def close_lost(self, server: core.Server) -> None:
        """Some seconds after the login, end stored games that the server has lost, and release suspended games."""
        await asyncio.sleep(SEEN_WITHIN_S)
        if self._account.config.role == PRIVATE:
            return
        try:
            lost = self._find_lost(server)
            if any([await server.past.ask_result(key, players) for key, players in lost]):
                await asyncio.sleep(_ANSWERED_WITHIN_S)
            for key, _ in lost:
                if key in self.seen:
                    continue
                if key in self.by_key:
                    await self._lose(self.by_key[key])
                elif (stored := self.store.load(key)) is not None:
                    self._close_lost(stored, "")
        except PeerGone:
            return
        except Exception as error:
            self._account.log.failure("unexpected", error)
        for game in [each for key, each in self.by_key.items() if key not in self.seen]:
            # The game is suspended on the server, so it is released until the server sends it again.
            self._let_go(game)

    def _find_lost(self, server: core.Server) -> list[tuple[str, Mapping[int, str]]]:
        """Return keys and players of games that the server has lost, or that nobody has resumed for a long time."""
        unseen = [game.state for game in self.by_key.values() if game.state.key not in self.seen]
        found = [(state.key, state.players) for state in unseen if server.past.has_lost(state.key, state.players)]
        keep_games_s = self._account.config.outputs.keep_games_s
        for key in self.store:
            stored = self.store.load(key) if key not in self.by_key and key not in self.seen else None
            # The server does not know games that have a journal, so it cannot lose them.
            if stored is None or stored.game or self.store.journal(key).path.exists():
                continue
            record = self._load_record(stored)
            players = dict(record.players) if record is not None else {}
            if server.past.has_lost(key, players) or self.store.age_s(key) > keep_games_s:
                found.append((key, players))
        return found

    async def _lose(self, game: BaseGame) -> None:
        game.log("it ended while we were away")
        await game.update(replace(game.state, phase=core.OVER, awaits_move=False))

    def _close_lost(self, stored: StoredGame, result: str) -> None:
        """Write the result and the dice secret into the record, delete the stored game, and report its end."""
        record, path = self._load_record(stored), self._record_path(stored)
        if record is not None:
            try:
                save(with_end(record, stored.secret, result), path)
            except (OSError, VariantsError) as error:
                self._account.log(f"{stored.key}: cannot save the record: {error}")
        self.store.delete(stored.key)
        self._account.counters.results["unknown"] += 1
        self._hooks.tell_of_end(stored.key, result, path, dict(record.players) if record is not None else {})

    def _record_path(self, stored: StoredGame) -> Path:
        return records_folder(self._account.config) / f"{stored.record}.sgf"

    def _load_record(self, stored: StoredGame) -> Record | None:
        try:
            return load_record(self._record_path(stored))
        except (OSError, RecordError) as error:
            self._account.log(f"{stored.key}: cannot read its record: {error}")
            return None

    def _show(self, name: str, record: Record, is_over: bool, state: core.ServerGame) -> None:
        if self._publisher is None:
            return
        clocks, colours = state.clocks, record.game.rules.colours
        has_clocks = all(colour in clocks and clocks[colour].control.kind != "none" for colour in colours)
        left_s = {colour: max(0.0, clocks[colour].left_s) for colour in colours} if has_clocks else None
        known = record.game, record.players, record.commitment, record.secret
        source, result = self._account.config.name, state.result
        self._publisher.show(name, Shown.of(source, name, *known, is_over=is_over, result=result, left_s=left_s))

    def _report_fault(self, why: str) -> None:
        self._account.counters.engine_failures += 1
        self._account.log(f"the engine failed: {why}")
        self._hooks.tell_of_failure(why)


def _result_kind(state: core.ServerGame) -> str:
    """Return `won`, `lost`, `drawn`, `refereed`, or `unknown` if the server does not say."""
    if state.colour not in state.players:
        return "refereed"
    winner = {"B": BLACK, "W": WHITE}.get(state.result[:1])
    if winner is None:
        return "drawn" if state.result == "0" else "unknown"
    return "won" if winner == state.colour else "lost"


def with_end(record: Record, secret: bytes, result: str) -> Record:
    """Return a record with the server's result, as far as our rules can express it, and the secret of its dice."""
    game, dice = record.game, DiceStream(secret)
    has_dice = record.commitment is not None and dice.commitment == record.commitment
    settle(Table.of(game, lambda: dice, {}), result, ())
    revealed = secret if has_dice else record.secret
    comment = f"on the server: {result or 'nobody knows how it ended'}"
    return replace(record, secret=revealed, result=stated_result(game, result), comment=comment)


class RefereedGame(BaseGame):
    """A game that we follow through a referee's reports."""

    def __init__(self, context: GameContext, state: core.ServerGame, stored: StoredGame) -> None:
        """Raises VariantsError if our rules cannot follow the game."""
        assert state.refereed is not None
        rules = parse(state.refereed.spec)
        super().__init__(context, state, stored, rules, partial(OpenReplay if rules.is_open else HiddenReplay, rules))
        self._replay = OpenReplay(rules)
        # The state in which an agreement was proposed.
        self._offered_at: DecisionKey | None = None

    @property
    def _refereed(self) -> core.RefereedState:
        assert self.state.refereed is not None
        return self.state.refereed

    async def update(self, state: core.ServerGame) -> None:
        self._take_in(state, f"{len(self.steps())} lines")
        if not self.is_over:
            self.stored = replace(self.stored, count=len(state.moves))
        self.save()
        if state.phase in (core.OVER, core.ADJOURNED):
            await self._end()
        elif state.awaits_move:
            if self._offered_at == self.decision_key():
                self.turn.forget_answer()
            self.turn.start_thinking()

    async def handle(self, event: core.GameEvent) -> None:
        if isinstance(event, core.AgreementOffer):
            self.turn.start_beside(partial(self._answer_offer, event.text))

    async def _answer_offer(self, text: str) -> None:
        accepted = await self.turn.player.accepts(self.steps(), text)
        await self.server.answer_offer(self.state, text, accepted)

    async def play(self, action: int, move: EngineMove) -> None:
        """Play, but send what the engine proposes first, once in a turn. The server then asks for the move again."""
        if move.proposal and self._offered_at != self.decision_key():
            self._offered_at = self.decision_key()
            if await self.server.offer(self.state, move.proposal):
                self.turn.note_answer()
                return
        await super().play(action, move)

    def steps(self) -> tuple[str, ...]:
        return self._refereed.lines

    def decision_key(self) -> DecisionKey:
        return self._refereed.lines

    def least_time_s(self, time: TimeConfig) -> float:
        # No pause after a refused try: it would reveal how many of our tries were refused.
        return 0.0 if is_retry(self.steps(), self.state.colour) else super().least_time_s(time)

    def fallback(self) -> int:
        if not self.rules.is_open:
            return PASS
        self._replay.follow(self.steps())
        return policies.fallback(self.rules, self._replay.table.position, [])

    def record(self) -> Record | None:
        """Return the referee's record if it has arrived; otherwise the game as we saw it, or None in a hidden game."""
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
        """Log a dispute if the referee's record differs from the game as we saw it."""
        if not self._refereed.record or not self.rules.is_open:
            return
        try:
            record = from_json(self._refereed.record)
            fault = self._replay.follow(self.steps())
        except VariantsError as error:
            self.log(f"cannot read the referee's record: {error}")
            return
        ours = list(self._replay.table.game.events)
        if fault is not None or list(record.game.events[: len(ours)]) != ours:
            self.log("dispute: the referee's record differs from the game we saw")


def is_retry(lines: Sequence[str], colour: int) -> bool:
    """Return True if the last line refuses a seat's own try, so that the seat must try again."""
    return bool(lines) and lines[-1].split()[:3] == ["hear", COLOUR_LETTERS[colour], "refused"]
