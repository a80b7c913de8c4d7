"""Pairs people in a chat room for games with hidden stones.

Two people who type the two colours play each other; `!bot` starts a game with our bot. A game is in progress while all
its players are in the room, and is suspended while one is away.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime

from gtp_variants.base.connection_gate import TokenBuckets
from gtp_variants.bridge.core.base_game import BaseGame, GameContext, records_folder
from gtp_variants.bridge.core.chat import ANSWERS_A_SECOND, ANSWERS_AT_ONCE, IN_PRIVATE, command_of
from gtp_variants.bridge.core.policies import Refusal
from gtp_variants.bridge.core.private_game import BROKEN_OFF, PrivateGame, load_game, record_of, terms_of
from gtp_variants.bridge.core.server import ADJOURNED, PLAYING, RoomPresence, ServerGame, Terms
from gtp_variants.bridge.core.state_store import StoredGame, safe_name
from gtp_variants.errors import VariantsError
from gtp_variants.lang import say
from gtp_variants.players.hosted_game import VOID
from gtp_variants.records.files import save
from gtp_variants.rules import parse, words
from gtp_variants.rules.actions import BLACK, WHITE

_COLOURS = {"black": BLACK, "white": WHITE}
# The commands for the colours.
_WORDS = {"en": {BLACK: "!black", WHITE: "!white"}, "fr": {BLACK: "!noir", WHITE: "!blanc"}}


class Matchmaker:
    """People looking for a game, and all unfinished games."""

    def __init__(
        self,
        context: GameContext,
        in_progress: Mapping[str, BaseGame],
        update: Callable[[ServerGame], Awaitable[None]],
        refusal: Callable[[str, Terms], Refusal | None],
    ) -> None:
        """`in_progress` maps keys to games, `update` takes a game's new state, `refusal` says why a user is refused."""
        self._context, self._in_progress, self._update, self._refusal = context, in_progress, update, refusal
        self._answers = TokenBuckets(ANSWERS_AT_ONCE, ANSWERS_A_SECOND)
        self._here: frozenset[str] = frozenset()
        self._guests: frozenset[str] = frozenset()
        # The waiting user of each colour, and the language each user typed last.
        self._waiting: dict[int, str] = {}
        self._langs: dict[str, str] = {}
        # All unfinished games, and for each the connection and phase it was last updated with.
        self._games = {game.key: game for game in map(self._load, context.store) if game is not None}
        self._seen: dict[str, tuple[object, str]] = {}

    def _load(self, key: str) -> ServerGame | None:
        stored = self._context.store.load(key)
        try:
            hosted = load_game(self._context.store, stored) if stored is not None else None
        except VariantsError as error:
            self._context.log(f"cannot resume {key}: {error}")
            return None
        if hosted is None:
            return None
        players = {colour: seat.name for colour, seat in hosted.seats.items()}
        return self._game(key, players, hosted.rules.board.width)

    def _game(self, key: str, players: Mapping[int, str], size: int) -> ServerGame:
        mine = next((colour for colour, name in players.items() if name == self._me), 0)
        langs = {name: self._langs[name] for name in players.values() if name in self._langs}
        return ServerGame(key, size, mine, players, langs=langs)

    @property
    def _me(self) -> str:
        return self._context.config().server.account

    def _people(self, game: ServerGame) -> frozenset[str]:
        return frozenset(game.players.values()) - {self._me}

    async def update_presence(self, presence: RoomPresence) -> None:
        """Note who is in the room now, and resume or suspend games."""
        self._here, self._guests = presence.users, presence.guests
        self._waiting = {colour: name for colour, name in self._waiting.items() if name in self._here}
        for game in list(self._games.values()):
            await self._start_or_stop(game)

    async def _start_or_stop(self, game: ServerGame) -> None:
        people = self._people(game)
        is_on = people <= self._here
        now = self._context.server(), PLAYING if is_on else ADJOURNED
        private = self._in_progress.get(game.key)
        if self._seen.get(game.key) == now or not (is_on or private) or not self._goes_on(game):
            return
        self._seen[game.key] = now
        if private is not None and not is_on:
            for user in people & self._here:
                lang, away = private.stored.lang_of(user), ", ".join(people - self._here)
                await self._context.server().tell(user, say("bridge.private_left", lang, user=away))
        await self._update(replace(game, phase=now[1]))

    def _goes_on(self, game: ServerGame) -> bool:
        """Return True if a game is unfinished; forget it otherwise."""
        goes_on = game.key in self._in_progress or self._context.store.load(game.key) is not None
        if not goes_on:
            del self._games[game.key]
            self._seen.pop(game.key, None)
        return goes_on

    async def hear(self, user: str, text: str) -> None:
        """Handle a private message, or a command typed in the room."""
        private = next((each for each in self._in_progress.values() if user in each.state.players.values()), None)
        if isinstance(private, PrivateGame):
            await private.hear(user, text)
            return
        found = command_of(text, IN_PRIVATE)
        is_blocked = user.lower() in {name.lower() for name in self._context.config().challenges.block}
        if found is None or is_blocked or not self._answers.allows(user, time.monotonic()):
            return
        command, lang = found
        if lang is not None:
            self._langs[user] = lang
        in_games = [each for each in self._games.values() if user in each.players.values()]
        game = next(filter(self._goes_on, in_games), None)
        if game is not None:
            await self._answer_absentee(user, game, command)
        elif command in _COLOURS:
            await self._wait_for_colour(user, _COLOURS[command])
        elif command == "bot" and self._context.config().engine:
            if await self._may_play(user):
                theirs = next((colour for colour, name in self._waiting.items() if name == user), BLACK)
                await self._begin({theirs: user, 3 - theirs: self._me})
        elif command == "bye" and user in self._waiting.values():
            self._stop_waiting(user)
            await self._say(user, "bridge.lobby_free")
        else:
            await self._say(user, "bridge.lobby_help")
            if self._context.config().engine:
                await self._say(user, "bridge.lobby_bot")

    async def _say(self, user: str, key: str, /, **parts: object) -> None:
        await self._context.server().tell(user, say(key, self._lang(user), **parts))

    def _lang(self, user: str) -> str:
        return self._langs.get(user, self._context.config().chat.lang)

    async def _answer_absentee(self, user: str, game: ServerGame, command: str) -> None:
        """Answer a user whose opponent is away: they may wait, or break the game off."""
        away = self._people(game) - self._here - {user}
        if user not in self._here or not away:
            await self._say(user, "bridge.lobby_room", room=self._context.config().server.room)
            return
        if command != "bye":
            await self._say(user, "bridge.lobby_in_game", user=", ".join(away))
            return
        del self._games[game.key]
        stored = self._context.store.load(game.key)
        if stored is not None:
            self._archive(stored)
        await self._say(user, "bridge.private_broken_off")

    def _archive(self, stored: StoredGame) -> None:
        try:
            hosted = load_game(self._context.store, stored)
            if hosted is not None:
                hosted.end(VOID, BROKEN_OFF)
                folder = records_folder(self._context.config())
                folder.mkdir(parents=True, exist_ok=True)
                save(record_of(hosted), folder / f"{stored.record}.sgf")
        except (OSError, VariantsError) as error:
            self._context.log(f"{stored.key}: cannot save the record: {error}")
        self._context.store.delete(stored.key)

    async def _wait_for_colour(self, user: str, colour: int) -> None:
        lang = self._lang(user)
        name, word = words.name(colour, lang), _WORDS[lang][3 - colour]
        if self._waiting.get(colour, user) != user:
            await self._say(user, "bridge.lobby_taken", user=self._waiting[colour], colour=name, word=word)
        elif await self._may_play(user):
            self._stop_waiting(user)
            self._waiting[colour] = user
            if len(self._waiting) == 2:
                await self._begin(dict(self._waiting))
            else:
                await self._say(user, "bridge.lobby_waits", colour=name, word=word)

    def _stop_waiting(self, user: str) -> None:
        self._waiting = {colour: name for colour, name in self._waiting.items() if name != user}

    async def _may_play(self, user: str) -> bool:
        if user not in self._here:
            await self._say(user, "bridge.lobby_room", room=self._context.config().server.room)
            return False
        if user in self._guests:
            await self._say(user, "bridge.lobby_guest")
            return False
        refusal = self._refusal(user, terms_of(parse(self._context.config().spec)))
        if refusal is not None:
            await self._say(user, refusal.key, **dict(refusal.parts))
        return refusal is None

    async def _begin(self, players: Mapping[int, str]) -> None:
        for user in players.values():
            self._stop_waiting(user)
        names = "-".join(players[colour] for colour in (BLACK, WHITE))
        config = self._context.config()
        key = f"{config.name}-{safe_name(f'{datetime.now():%Y%m%d-%H%M%S-%f}-{names}')}"
        self._games[key] = self._game(key, players, parse(config.spec).board.width)
        self._seen[key] = self._context.server(), PLAYING
        await self._update(self._games[key])
