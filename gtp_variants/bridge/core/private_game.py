"""Games with hidden stones, played by private messages, and the pairing of people for them in a chat room.

The server does not know of these games: the bridge hosts each one and keeps it in a journal. Each player sends us
their tries, and is told what `Rules.hears` and their view allow; a bot receives the same news. Until the game is over
nobody else sees any of it, and no record is written.

Two people who ask for opposite colours play each other; `!bot` starts a game with our bot. A game is in progress while
all its players are in the room, and is suspended while a player is away.
"""

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial

from gtp_variants.base.connection_gate import TokenBuckets
from gtp_variants.bridge.core import chat, policies
from gtp_variants.bridge.core.base_game import BaseGame, DecisionKey, GameContext, records_folder
from gtp_variants.bridge.core.config import TimeConfig
from gtp_variants.bridge.core.game_sync import HiddenReplay, rules_of
from gtp_variants.bridge.core.policies import Refusal
from gtp_variants.bridge.core.role_games import drawn_move
from gtp_variants.bridge.core.server import ADJOURNED, OVER, PLAYING, RoomPresence, ServerGame, Terms
from gtp_variants.bridge.core.state_store import StateStore, StoredGame, safe_name
from gtp_variants.errors import NotationError, VariantsError
from gtp_variants.lang import as_sentence, say
from gtp_variants.players.agreements import BOT, BREAK_OFF, PERSON, Participant
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.counting import refused_in_a_row
from gtp_variants.players.hosted_game import VOID, HostedGame, HostPolicy, new_record
from gtp_variants.players.hosted_state import HostedState
from gtp_variants.players.player import news_of
from gtp_variants.players.table import Table
from gtp_variants.records.drawing.diagram import diagram, draw_board
from gtp_variants.records.drawing.drawing_model import picture
from gtp_variants.records.files import save
from gtp_variants.records.news_notation import write_news
from gtp_variants.records.record import MAX_EVENTS, Record
from gtp_variants.records.sentences import news_sentences
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, EMPTY, PASS, RESIGN, SETTLE, WHITE
from gtp_variants.rules.colour_names import COLOUR_WORDS, colour_name
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News

# Passes end a game at once, except that two people first agree on dead stones.
_POLICY = HostPolicy(asks_for_the_end=False)
# The comment in the record of a broken-off game.
BROKEN_OFF = "broken off"
# Maximum lines from one player in a burst, and per second: more than in chat.py, because tries take many lines.
_LINES_AT_ONCE = 12.0
_LINES_A_SECOND = 1.2
# Maximum events of a game: a longer game could not be recorded.
_MOST_EVENTS = MAX_EVENTS - 16


class PrivateVoice:
    """The messages of a private game: each player is told, in their language, only what they may hear."""

    def __init__(self, game: "PrivateGame") -> None:
        self._game = game

    async def tell(self, user: str, text: str) -> None:
        """Send a player a line unchanged."""
        self._game.log.quietly(f"to {user}: {text}")
        await self._game.server.tell(user, text)

    async def say(self, user: str, key: str, /, **parts: object) -> None:
        """Send a player a sentence from the catalogue. Raises PeerGone if the connection is lost."""
        await self.tell(user, say(key, self._game.stored.lang_of(user), **parts))

    async def say_all(self, key: str, /, **parts: object) -> None:
        """Send a sentence to all players. Raises PeerGone if the connection is lost."""
        for user in self._game.people:
            await self.say(user, key, **parts)

    async def refuse(self, user: str, key: str, /, **parts: object) -> None:
        """Tell a player why something is refused. Raises PeerGone if the connection is lost."""
        await self.tell(user, as_sentence(say(key, self._game.stored.lang_of(user), **parts)))

    def _other(self, user: str) -> str:
        return next(name for name in self._game.state.players.values() if name != user)

    def _rules_for(self, user: str) -> Rules:
        return rules_of(self._game.stored.spec, self._game.state, self._game.stored.lang_of(user))

    async def welcome(self, user: str) -> None:
        """Tell a player which game begins, or the state of a resumed game."""
        if not self._game.is_new or self._game.table.game.events:
            await self.say(user, "bridge.private_goes_on")
            await self.recall(user)
            return
        lang, colour = self._game.stored.lang_of(user), self._game.colour_of(user)
        for line in self._game.config.chat.greeting:
            await self.tell(user, self._fill(line, user))
        for key in ("bridge.private_rules", "bridge.private_how"):
            await self.say(user, key)
        mine, other = colour_name(colour, lang), colour_name(3 - colour, lang)
        await self.say(user, "bridge.private_yours", colour=mine, other=other, user=self._other(user))
        await self.say_turn(user)

    def _fill(self, line: str, user: str) -> str:
        game, account = self._game, self._game.config.server.account
        return chat.fill_line(line, game.state, game.rules, account, self._other(user))

    async def say_turn(self, user: str) -> None:
        """Tell a player whose turn it is. Raises PeerGone if the connection is lost."""
        is_theirs = self._game.table.position.mover == self._game.colour_of(user)
        key = "bridge.private_your_turn" if is_theirs else "bridge.private_their_turn"
        await self.say(user, key, user=self._other(user))

    async def recall(self, user: str) -> None:
        """Tell a player the news since their last turn, the view and whose turn it is; during the count, the score."""
        if self._game.hosted.is_counting:
            await self.say_count(user)
            return
        rules, colour = self._rules_for(user), self._game.colour_of(user)
        heard = self._since_turn(colour)
        said = _join(text for news, dead in heard for text in news_sentences(rules, news, colour, dead))
        if said:
            await self.say(user, "bridge.private_since", said=said)
        view = self._game.table.view(colour)
        await self._show(user, diagram(rules, None, view).splitlines())
        own = rules.board.vertices_of(point for point, stone in enumerate(view.stones) if stone == colour)
        await self.say(user, "bridge.private_stones" if own else "bridge.private_no_stones", list=" ".join(own))
        await self.say_turn(user)

    def _since_turn(self, colour: int) -> list[tuple[News, frozenset[int]]]:
        """Return a seat's news since its last move, each with the stones called dead at that time."""
        game = self._game.table.game
        told = ((news_of(game, index, colour), game.positions[index + 1].dead) for index in range(len(game.events)))
        heard = [(news, dead) for news, dead in told if news is not None]
        own = [index for index, (news, _) in enumerate(heard) if news.actor == colour and not news.refused]
        return heard[own[-1] + 1 if own else 0 :]

    async def _show(self, user: str, lines: Iterable[str]) -> None:
        for line in filter(None, lines):
            await self.tell(user, line)

    async def tell_news(self, user: str, first: int) -> None:
        """Tell a player what they may hear of the events from index `first` on."""
        game, rules, colour = self._game.table.game, self._rules_for(user), self._game.colour_of(user)
        for index in range(first, len(game.events)):
            news = news_of(game, index, colour)
            if news is not None and news.action != SETTLE:
                await self.tell(user, _join(news_sentences(rules, news, colour, game.positions[index + 1].dead)))

    async def say_count(self, user: str) -> None:
        """Show a player the true board and the score: nothing is hidden during the count."""
        await self._say_true_board(user)
        await self.say(user, "bridge.private_counting")
        await self.say_standing(user)

    async def _say_true_board(self, user: str) -> None:
        await self.say(user, "bridge.private_true")
        rules, position = self._game.rules, self._game.table.position
        await self._show(user, draw_board(rules.board, picture(rules, position)).rows())

    async def say_standing(self, user: str) -> None:
        """Tell a player the score with the stones as they are marked. Raises PeerGone if the connection is lost."""
        outcome = self._game.table.game.outcome
        assert outcome is not None
        await self.say(user, "counting.standing", result=f"{outcome.sentence(self._game.stored.lang_of(user))}.")

    async def say_end(self) -> None:
        """Tell the players a finished game's result and true board. Raises PeerGone if the connection is lost."""
        game, outcome = self._game, self._game.table.game.outcome
        for user in game.people:
            if outcome is None:
                await self.say(user, "bridge.private_broken_off")
            else:
                await self.say(user, "bridge.board_over", result=outcome.sentence(game.stored.lang_of(user)))
            await self._say_true_board(user)
            for line in game.config.chat.farewell:
                await self.tell(user, self._fill(line, user))

    async def publish(self) -> None:
        """Show everybody a finished game, if it has a result. Raises PeerGone if the connection is lost."""
        game, outcome = self._game, self._game.table.game.outcome
        if outcome is None:
            return
        black, white = game.state.players[BLACK], game.state.players[WHITE]
        lang = game.config.chat.lang
        text = say("bridge.private_public", lang, black=black, white=white, result=outcome.sentence(lang))
        board, positions = game.rules.board, game.table.game.positions
        # Only completed turns are shown, not refused tries.
        moves = tuple(
            drawn_move(board, positions[index], positions[index + 1], event.actor, event.action)
            for index, event in enumerate(game.table.game.events)
            if game.table.game.is_turn(index)
        )
        await game.server.publish(game.state, text, moves)


class PrivateWishes:
    """The players' wishes for options, an end without a result, or a count. Each needs both players in one turn."""

    def __init__(self, game: "PrivateGame", voice: PrivateVoice) -> None:
        self._game, self._voice = game, voice

    async def propose(self, user: str, word: str, spec: str | None = None) -> None:
        """Handle a player's wish for an option or a full SPEC. If neither is given, list the options."""
        if (word or spec) and self._game.table.game.events:
            await self._voice.say(user, "bridge.too_late")
            return
        try:
            spec = chat.with_option(self._game.stored.spec, word) if word else spec
        except NotationError:
            await self._voice.say(user, "bridge.no_option", what=chat.quote(word))
        if spec is None or parse(spec) == self._game.rules:
            await self._say_options(user)
            return
        refusal = policies.refusal(self._game.config.challenges, user, terms_of(parse(spec)), 0)
        if refusal is not None:
            await self._voice.say(user, refusal.key, **refusal.parts)
        elif self._game.hosted.propose(self._game.colour_of(user), chat.OPTIONS, spec):
            await self._game.play_with(spec)
        else:
            self._game.save()
            new = [each for each in _options(parse(spec)) if each not in _options(self._game.rules)]
            await self._voice.say_all("bridge.private_wished", user=user, wish=", ".join(new))

    async def _say_options(self, user: str) -> None:
        options = (each for each in self._game.rules.options if each.choices and each.key != "lang")
        choices = [f"{each.key} {'/'.join((*each.choices, *(['none'] if each.none else [])))}" for each in options]
        lists = _options(self._game.rules), map(str, self._game.config.challenges.sizes), choices
        now, sizes, listed = map(", ".join, lists)
        await self._voice.say(user, "bridge.private_options", now=now, sizes=sizes, choices=listed)

    async def break_off(self, user: str) -> None:
        """Handle a player's wish to end the game without a result."""
        if self._game.hosted.propose(self._game.colour_of(user), BREAK_OFF):
            await self._game.go_on()
            return
        self._game.save()
        await self._voice.say_all("bridge.private_bye", user=user)

    async def call_dead(self, user: str, word: str) -> None:
        """Mark the chain on a vertex as dead or as alive again, or tell `user` that it has no stone."""
        first = len(self._game.table.game.events)
        try:
            self._game.hosted.mark_dead(self._game.rules.board.point(word))
        except VariantsError:
            await self._voice.refuse(user, "refused_requests.no_stone", vertex=chat.quote(word).upper())
            return
        self._game.save()
        for each in self._game.people:
            await self._voice.tell_news(each, first)
            await self._voice.say_standing(each)

    async def count(self, user: str) -> None:
        """Handle a player's wish to count the board with the stones as they are marked."""
        first = len(self._game.table.game.events)
        if self._game.hosted.settle(self._game.colour_of(user)):
            await self._game.tell_what_follows(first)
        else:
            self._game.save()
            await self._voice.say_all("bridge.private_count", user=user)


class PrivateGame(BaseGame):
    """A game between two people, or between a person and our bot, hosted by the bridge."""

    def __init__(self, context: GameContext, state: ServerGame, stored: StoredGame, is_new: bool) -> None:
        """Raises VariantsError if the stored game cannot be read."""
        self.hosted = load_game(context.store, stored, state.colour) or self._new_game(state, stored)
        rules = self.hosted.rules
        super().__init__(context, state, stored, rules, partial(HiddenReplay, rules))
        self._journal = context.store.journal(stored.key)
        self.is_new = is_new
        self.voice = PrivateVoice(self)
        self._wishes = PrivateWishes(self, self.voice)
        self._answers = TokenBuckets(_LINES_AT_ONCE, _LINES_A_SECOND)
        # Users who were told that they type too fast.
        self._warned: set[str] = set()
        # The connection on which the players were told the state of the game.
        self._welcomed_on: object = None

    @staticmethod
    def _new_game(state: ServerGame, stored: StoredGame) -> HostedGame:
        mine, players = state.colour, state.players.items()
        seats = {colour: Participant(BOT if colour == mine else PERSON, name) for colour, name in players}
        return HostedGame.new(new_record(parse(stored.spec), stored.secret), seats, _POLICY)

    @property
    def table(self) -> Table:
        return self.hosted.table

    async def update(self, state: ServerGame) -> None:
        self._take_in(replace(self.state, phase=state.phase), f"{len(self.table.game.events)} events")
        if self.is_over:
            # The connection was lost before all players heard of the end, so tell them again.
            await self._take_leave()
            await self.context.on_end(self)
        elif state.phase == ADJOURNED:
            await self._end()
        else:
            self.save()
            if self._welcomed_on is not self.server and not self.hosted.is_over:
                self._welcomed_on = self.server
                for user in self.people:
                    await self.voice.welcome(user)
            await self.go_on()

    async def go_on(self) -> None:
        """End the game or let our bot think, if either is due. Raises PeerGone if the connection is lost."""
        if len(self.table.game.events) > _MOST_EVENTS:
            self.hosted.end(VOID, BROKEN_OFF)
        if self.hosted.is_over:
            outcome = self.table.game.outcome
            result = self.hosted.result if outcome is None else outcome.sgf
            self.state = replace(self.state, phase=OVER, result=result, awaits_move=False)
            await self._end()
        elif self.awaits_answer():
            self.turn.start_thinking()

    async def hear(self, user: str, text: str) -> None:
        """Handle a move or a command that a player typed; anything else is only logged."""
        self.log.quietly(f"{user} says: {text}")
        found, move = chat.command_of(text, chat.IN_PRIVATE), chat.move_of(text)
        if (found is None and move is None) or self.is_over:
            return
        if not self._answers.allows(user, time.monotonic()):
            if user not in self._warned:
                self._warned.add(user)
                await self.voice.say(user, "bridge.private_too_fast")
            return
        self._warned.discard(user)
        if move is not None:
            await self._try_move(user, move)
        elif found is not None:
            command, lang = found
            if lang is not None and lang != self.stored.lang_of(user):
                self.keep(self.stored.with_language(user, lang))
            await self._obey(user, command, text.strip().partition(" ")[2].strip())

    async def _try_move(self, user: str, move: str) -> None:
        colour = self.colour_of(user)
        if move == "undo":
            await self.voice.refuse(user, "refused_requests.undo_hidden")
        elif move == "resign":
            await self._carry_out(colour, RESIGN)
        elif self.hosted.is_counting:
            await self.voice.say(user, "bridge.private_counting")
        elif self.table.position.mover != colour:
            await self.voice.say_turn(user)
        else:
            try:
                action = PASS if move == "pass" else self.rules.board.point(move)
            except VariantsError:
                await self.voice.say(user, "bridge.private_no_point", vertex=move.upper())
                return
            await self._carry_out(colour, action)

    async def _carry_out(self, colour: int, action: int) -> None:
        first = len(self.table.game.events)
        self.hosted.play(colour, action)
        await self.tell_what_follows(first)

    async def tell_what_follows(self, first: int) -> None:
        """Tell the players the events from index `first` on, and continue the game."""
        self.save()
        for user in self.people:
            await self.voice.tell_news(user, first)
            if self.hosted.is_counting:
                await self.voice.say_count(user)
        await self.go_on()

    async def _obey(self, user: str, command: str, word: str) -> None:
        match command:
            case "rules":
                await self.voice.say(user, "bridge.private_rules")
            case "board":
                await self.voice.recall(user)
            case "options":
                await self._wishes.propose(user, word)
            case "yes":
                others = self.hosted.agreements.value_of_others(chat.OPTIONS, self.colour_of(user))
                await self._wishes.propose(user, "", others)
            case "dead" if self.hosted.is_counting:
                await self._wishes.call_dead(user, word)
            case "count" if self.hosted.is_counting:
                await self._wishes.count(user)
            case "bye":
                await self._wishes.break_off(user)
            case _:
                await self.voice.say(user, "bridge.private_help")

    async def play_with(self, spec: str) -> None:
        """Begin again with options that both players want. Raises PeerGone if the connection is lost."""
        stored = replace(self.stored, spec=spec)
        hosted = self._new_game(self.state, stored)
        rules = hosted.rules
        self.turn.change_game(partial(HiddenReplay, rules))
        self.rules, self.stored, self.hosted = rules, stored, hosted
        self.state = replace(self.state, size=rules.board.width)
        self.save()
        await self.voice.say_all("bridge.private_agreed", now=", ".join(_options(rules)))
        await self.go_on()

    def steps(self) -> list[str]:
        """Return our bot's news as `hear` lines."""
        heard = (write_news(self.rules, news) for news in self.table.game.heard(self.state.colour))
        return [" ".join(("hear", *line)) for line in heard if line]

    def decision_key(self) -> DecisionKey:
        return len(self.table.game.events), self.stored.spec

    def awaits_answer(self) -> bool:
        is_on = not self.is_over and self.state.phase == PLAYING
        return is_on and self.hosted.asked() == self.state.colour

    def least_time_s(self, time: TimeConfig) -> float:
        if refused_in_a_row(self.table.game):
            # No pause: it would reveal how many of our tries were refused.
            return 0.0
        return time.at_least_s if self.table.game.events else max(time.first_s, time.at_least_s)

    def fallback(self) -> int:
        return PASS

    async def _send(self, action: int, note: str) -> None:
        if refused_in_a_row(self.table.game) > len(self.rules.board):
            self.log("the engine tries the same refused points again and again")
            self.turn.is_faulty = True
            await self.give_up()
        else:
            await self._carry_out(self.state.colour, action)

    async def tell_of_fallback(self) -> None:
        await self.voice.say_all("bridge.engine_replaced")

    async def give_up(self) -> None:
        await self.voice.say_all("bridge.engine")
        await super().give_up()

    async def resign(self) -> None:
        await self._carry_out(self.state.colour, RESIGN)

    def save(self) -> None:
        if not self.is_over:
            try:
                self._journal.write(self.hosted.lines)
                self.stored = replace(self.stored, game="")
            except OSError as error:
                # A full disk does not stop the game.
                self.log(f"cannot store the game: {error}")
        super().save()

    def record(self) -> Record | None:
        return record_of(self.hosted) if self.is_over else None

    def _close_replay(self) -> None:
        """Do nothing: the game is ours and has ended already."""

    async def _take_leave(self) -> None:
        """Tell the players and the room about the finished game, and delete its stored state."""
        await self.voice.say_end()
        await self.voice.publish()
        await super()._take_leave()


def load_game(store: StateStore, stored: StoredGame, our_colour: int = EMPTY) -> HostedGame | None:
    """Return a stored private game, None without a journal. `our_colour`: our bot's. Raises RecordError if damaged."""
    journal = store.load_journal(stored)
    if journal is None:
        return None
    game = journal.record.game
    state = HostedState.from_json(journal.notes, game.rules)
    # Older versions stored neither which seat is a bot nor whether a count has begun, so add both here.
    if our_colour in game.rules.colours:
        state = replace(state, seats={**state.seats, our_colour: replace(state.seats[our_colour], kind=BOT)})
    if game.rules.is_suspended(game.position):
        state = replace(state, is_counting=True)
    return HostedGame(replace(journal, notes=journal.notes | state.to_json()), _POLICY)


def record_of(hosted: HostedGame) -> Record:
    players = {colour: seat.name for colour, seat in hosted.seats.items()}
    comment = BROKEN_OFF if hosted.result == VOID else ""
    return replace(hosted.to_record(players), times={}, comment=comment)


def terms_of(rules: Rules) -> Terms:
    """Return the terms of a game without a clock, to be checked by the policies."""
    return Terms(rules.board.width, TimeControl(), None, 0, float(str(rules.values["komi"])))


def _options(rules: Rules) -> list[str]:
    return [each for each in rules.spec.partition(":")[2].split(",") if not each.startswith("lang=")]


def _join(texts: Iterable[str]) -> str:
    return " ".join(f"{text[:1].upper()}{text[1:]}." for text in texts)


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
        self._account, self._store = context.account, context.store
        self._in_progress, self._update, self._refusal = in_progress, update, refusal
        self._answers = TokenBuckets(chat.ANSWERS_AT_ONCE, chat.ANSWERS_A_SECOND)
        self._here: frozenset[str] = frozenset()
        self._guests: frozenset[str] = frozenset()
        # The user waiting to play each colour, and the language that each user last used.
        self._waiting: dict[int, str] = {}
        self._langs: dict[str, str] = {}
        # All unfinished games, and the connection and phase with which each was last updated.
        self._games = {game.key: game for game in map(self._load, self._store) if game is not None}
        self._seen: dict[str, tuple[object, str]] = {}

    def _load(self, key: str) -> ServerGame | None:
        stored = self._store.load(key)
        try:
            hosted = load_game(self._store, stored) if stored is not None else None
        except VariantsError as error:
            self._account.log(f"cannot resume {key}: {error}")
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
        return self._account.config.server.account

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
        now = self._account.server, PLAYING if is_on else ADJOURNED
        private = self._in_progress.get(game.key)
        if self._seen.get(game.key) == now or not (is_on or private) or not self._goes_on(game):
            return
        self._seen[game.key] = now
        if private is not None and not is_on:
            for user in people & self._here:
                lang, away = private.stored.lang_of(user), ", ".join(people - self._here)
                await self._account.server.tell(user, say("bridge.private_left", lang, user=away))
        await self._update(replace(game, phase=now[1]))

    def _goes_on(self, game: ServerGame) -> bool:
        """Return True if a game is unfinished; otherwise forget it."""
        goes_on = game.key in self._in_progress or self._store.load(game.key) is not None
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
        found = chat.command_of(text, chat.IN_PRIVATE)
        is_blocked = user.lower() in {name.lower() for name in self._account.config.challenges.block}
        if found is None or is_blocked or not self._answers.allows(user, time.monotonic()):
            return
        command, lang = found
        if lang is not None:
            self._langs[user] = lang
        in_games = [each for each in self._games.values() if user in each.players.values()]
        game = next(filter(self._goes_on, in_games), None)
        if game is not None:
            await self._answer_absentee(user, game, command)
        elif command in COLOUR_WORDS:
            await self._wait_for_colour(user, COLOUR_WORDS[command])
        elif command == "bot" and self._account.config.engine:
            if await self._may_play(user):
                theirs = next((colour for colour, name in self._waiting.items() if name == user), BLACK)
                await self._begin({theirs: user, 3 - theirs: self._me})
        elif command == "bye" and user in self._waiting.values():
            self._stop_waiting(user)
            await self._say(user, "bridge.lobby_free")
        else:
            await self._say(user, "bridge.lobby_help")
            if self._account.config.engine:
                await self._say(user, "bridge.lobby_bot")

    async def _say(self, user: str, key: str, /, **parts: object) -> None:
        await self._account.server.tell(user, say(key, self._lang(user), **parts))

    def _lang(self, user: str) -> str:
        return self._langs.get(user, self._account.config.chat.lang)

    async def _answer_absentee(self, user: str, game: ServerGame, command: str) -> None:
        """Answer a user whose opponent is away: they may wait, or break the game off."""
        away = self._people(game) - self._here - {user}
        if user not in self._here or not away:
            await self._say(user, "bridge.lobby_room", room=self._account.config.server.room)
            return
        if command != "bye":
            await self._say(user, "bridge.lobby_in_game", user=", ".join(away))
            return
        del self._games[game.key]
        stored = self._store.load(game.key)
        if stored is not None:
            self._archive(stored)
        await self._say(user, "bridge.private_broken_off")

    def _archive(self, stored: StoredGame) -> None:
        try:
            hosted = load_game(self._store, stored)
            if hosted is not None:
                hosted.end(VOID, BROKEN_OFF)
                folder = records_folder(self._account.config)
                folder.mkdir(parents=True, exist_ok=True)
                save(record_of(hosted), folder / f"{stored.record}.sgf")
        except (OSError, VariantsError) as error:
            self._account.log(f"{stored.key}: cannot save the record: {error}")
        self._store.delete(stored.key)

    async def _wait_for_colour(self, user: str, colour: int) -> None:
        lang = self._lang(user)
        name, word = colour_name(colour, lang), _WORDS[lang][3 - colour]
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
            await self._say(user, "bridge.lobby_room", room=self._account.config.server.room)
            return False
        if user in self._guests:
            await self._say(user, "bridge.lobby_guest")
            return False
        refusal = self._refusal(user, terms_of(parse(self._account.config.spec)))
        if refusal is not None:
            await self._say(user, refusal.key, **refusal.parts)
        return refusal is None

    async def _begin(self, players: Mapping[int, str]) -> None:
        for user in players.values():
            self._stop_waiting(user)
        names = "-".join(players[colour] for colour in (BLACK, WHITE))
        config = self._account.config
        key = f"{config.name}-{safe_name(f'{datetime.now():%Y%m%d-%H%M%S-%f}-{names}')}"
        self._games[key] = self._game(key, players, parse(config.spec).board.width)
        self._seen[key] = self._account.server, PLAYING
        await self._update(self._games[key])
