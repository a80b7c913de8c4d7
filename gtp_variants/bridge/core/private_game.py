"""A game of hidden stones that is told in private: each player says their tries to us and hears what they may hear.

The server has nothing of it, so the game is hosted here and kept in a journal. What a player is told comes from
`Rules.hears` and from their view, and a bot follows the same news. Until the game is over nothing of it is shown to
anybody else, and no record is written.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from gtp_variants.bridge.core import chat_commands, policies
from gtp_variants.bridge.core.base_game import BaseGame, DecisionKey, GameContext
from gtp_variants.bridge.core.chat import fill_line
from gtp_variants.bridge.core.chat_commands import OPTIONS, with_option
from gtp_variants.bridge.core.config import TimeConfig
from gtp_variants.bridge.core.demonstration_game import drawn_move
from gtp_variants.bridge.core.game_sync import HiddenReplay, rules_of
from gtp_variants.bridge.core.server import ADJOURNED, OVER, PLAYING, DrawnMove, MoveNote, ServerGame, Terms
from gtp_variants.bridge.core.state_store import StateStore, StoredGame
from gtp_variants.connections.token_buckets import TokenBuckets
from gtp_variants.errors import NotationError, VariantsError
from gtp_variants.lang import as_sentence, say
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.counting import refused_in_a_row
from gtp_variants.players.hosted_game import VOID, HostedGame, HostPolicy, new_record
from gtp_variants.players.hosting.agreements import BREAK_OFF
from gtp_variants.players.hosting.hosted_state import HostedState
from gtp_variants.players.participants import BOT, PERSON, Participant
from gtp_variants.players.seat_views import news_of
from gtp_variants.players.table import Table
from gtp_variants.records.drawing.diagram import diagram, draw_board
from gtp_variants.records.drawing.drawing_model import picture
from gtp_variants.records.news_notation import write_news
from gtp_variants.records.record import MAX_EVENTS, Record
from gtp_variants.records.sentences import news_sentences
from gtp_variants.rules import parse, words
from gtp_variants.rules.actions import BLACK, EMPTY, PASS, RESIGN, SETTLE, WHITE
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News

# Passes end a game at once, unless two people are to call stones dead first.
_POLICY = HostPolicy(asks_for_the_end=False)
# What the record of a game that was broken off says of it.
BROKEN_OFF = "broken off"
# Who tries one point after the other types more than commands.
_LINES_AT_ONCE = 12.0
_LINES_A_SECOND = 1.2
# A longer game could not be kept.
_MOST_EVENTS = MAX_EVENTS - 16


class PrivateGame(BaseGame):
    """One game of two people, or of one with our bot: their words to a hosted game, and its news to them."""

    def __init__(self, context: GameContext, state: ServerGame, stored: StoredGame, is_new: bool) -> None:
        """A game at its beginning or as it was stored. Raises VariantsError for one that cannot be read."""
        self._hosted = load_game(context.store, stored, state.colour) or self._new_game(state, stored)
        rules = self._hosted.rules
        super().__init__(context, state, stored, rules, partial(HiddenReplay, rules))
        self._journal = context.store.journal(stored.key)
        self._is_new = is_new
        self._answers = TokenBuckets(_LINES_AT_ONCE, _LINES_A_SECOND)
        # Who was told that their last line came too fast.
        self._warned: set[str] = set()
        # On which connection the players were told where the game stands.
        self._welcomed_on: object = None

    @staticmethod
    def _new_game(state: ServerGame, stored: StoredGame) -> HostedGame:
        seats = {
            colour: Participant(BOT if colour == state.colour else PERSON, name)
            for colour, name in state.players.items()
        }
        return HostedGame.new(new_record(parse(stored.spec), stored.secret), seats, _POLICY)

    @property
    def table(self) -> Table:
        """Where the game is played."""
        return self._hosted.table

    def _colour_of(self, user: str) -> int:
        return next(colour for colour, name in self.state.players.items() if name == user)

    def _rules_for(self, user: str) -> Rules:
        """The rules in somebody's language."""
        return rules_of(self.stored.spec, self.state, self.stored.lang_of(user))

    # -- what is there -------------------------------------------------------------------------------------------------

    async def update(self, state: ServerGame) -> None:
        self._take_in(replace(self.state, phase=state.phase), f"{len(self.table.game.events)} events")
        if self.is_over:
            # The line was lost while the players were told.
            await self._take_leave()
            await self.context.on_end(self)
        elif state.phase == ADJOURNED:
            await self._end()
        else:
            self._save()
            if self._welcomed_on is not self.server and not self._hosted.is_over:
                self._welcomed_on = self.server
                for user in self.people:
                    await self._welcome(user)
            await self._go_on()

    async def _go_on(self) -> None:
        if len(self.table.game.events) > _MOST_EVENTS:
            self._hosted.end(VOID, BROKEN_OFF)
        if self._hosted.is_over:
            outcome = self.table.game.outcome
            result = self._hosted.result if outcome is None else outcome.sgf
            self.state = replace(self.state, phase=OVER, result=result, awaits_move=False)
            await self._end()
        elif self._awaits_answer():
            self._start_thinking()

    # -- what the players are told -------------------------------------------------------------------------------------

    async def _tell(self, user: str, text: str) -> None:
        self.log.quietly(f"to {user}: {text}")
        await self.server.tell(user, text)

    async def _say(self, user: str, key: str, /, **parts: object) -> None:
        await self._tell(user, say(key, self.stored.lang_of(user), **parts))

    async def _say_all(self, key: str, /, **parts: object) -> None:
        for user in self.people:
            await self._say(user, key, **parts)

    async def _refuse(self, user: str, key: str, /, **parts: object) -> None:
        await self._tell(user, as_sentence(say(key, self.stored.lang_of(user), **parts)))

    def _other(self, user: str) -> str:
        return next(name for name in self.state.players.values() if name != user)

    async def _welcome(self, user: str) -> None:
        """Tell a player what is played, or where it stands."""
        if not self._is_new or self.table.game.events:
            await self._say(user, "bridge.private_goes_on")
            await self._recall(user)
            return
        lang, colour = self.stored.lang_of(user), self._colour_of(user)
        for line in self.context.config().chat.greeting:
            await self._tell(user, self._fill(line, user))
        for key in ("bridge.private_rules", "bridge.private_how"):
            await self._say(user, key)
        mine, other = words.name(colour, lang), words.name(3 - colour, lang)
        await self._say(user, "bridge.private_yours", colour=mine, other=other, user=self._other(user))
        await self._say_turn(user)

    def _fill(self, line: str, user: str) -> str:
        return fill_line(line, self.state, self.rules, self.context.config().server.account, self._other(user))

    async def _say_turn(self, user: str) -> None:
        is_theirs = self.table.position.mover == self._colour_of(user)
        await self._say(
            user, "bridge.private_your_turn" if is_theirs else "bridge.private_their_turn", user=self._other(user)
        )

    async def _recall(self, user: str) -> None:
        """Tell a player what they know: what was said since their last turn, their stones, whose turn it is."""
        if self._hosted.is_counting:
            await self._say_count(user)
            return
        rules, colour = self._rules_for(user), self._colour_of(user)
        said = _join(
            text for news, dead in self._since_turn(colour) for text in news_sentences(rules, news, colour, dead)
        )
        if said:
            await self._say(user, "bridge.private_since", said=said)
        view = self.table.view(colour)
        await self._show(user, diagram(rules, None, view).splitlines())
        own = rules.board.vertices_of(point for point, stone in enumerate(view.stones) if stone == colour)
        await self._say(user, "bridge.private_stones" if own else "bridge.private_no_stones", list=" ".join(own))
        await self._say_turn(user)

    def _since_turn(self, colour: int) -> list[tuple[News, frozenset[int]]]:
        """What a seat heard after it last played or passed, each with the stones that were called dead then."""
        game = self.table.game
        told = ((news_of(game, index, colour), game.positions[index + 1].dead) for index in range(len(game.events)))
        heard = [(news, dead) for news, dead in told if news is not None]
        own = [index for index, (news, _) in enumerate(heard) if news.actor == colour and not news.refused]
        return heard[own[-1] + 1 if own else 0 :]

    async def _show(self, user: str, lines: Iterable[str]) -> None:
        for line in filter(None, lines):
            await self._tell(user, line)

    async def _tell_news(self, user: str, first: int) -> None:
        """Tell a player what they may hear of the events from number `first` on."""
        game, rules, colour = self.table.game, self._rules_for(user), self._colour_of(user)
        for index in range(first, len(game.events)):
            news = news_of(game, index, colour)
            if news is not None and news.action != SETTLE:
                await self._tell(user, _join(news_sentences(rules, news, colour, game.positions[index + 1].dead)))

    # -- what the players type -----------------------------------------------------------------------------------------

    async def hear(self, user: str, text: str) -> None:
        """A player typed something to us: a try, or a command; anything else is noted."""
        self.log.quietly(f"{user} says: {text}")
        found, move = chat_commands.command_of(text, chat_commands.IN_PRIVATE), chat_commands.move_of(text)
        if (found is None and move is None) or self.is_over:
            return
        if not self._answers.allows(user, time.monotonic()):
            if user not in self._warned:
                self._warned.add(user)
                await self._say(user, "bridge.private_too_fast")
            return
        self._warned.discard(user)
        if move is not None:
            await self._try_move(user, move)
        elif found is not None:
            command, lang = found
            if lang is not None and lang != self.stored.lang_of(user):
                self.stored = self.stored.with_language(user, lang)
                self._save()
            await self._obey(user, command, text.strip().partition(" ")[2].strip())

    async def _try_move(self, user: str, move: str) -> None:
        colour = self._colour_of(user)
        if move == "undo":
            await self._refuse(user, "refusals.undo_hidden")
        elif move == "resign":
            await self._carry_out(colour, RESIGN)
        elif self._hosted.is_counting:
            await self._say(user, "bridge.private_counting")
        elif self.table.position.mover != colour:
            await self._say_turn(user)
        else:
            try:
                action = PASS if move == "pass" else self.rules.board.point(move)
            except VariantsError:
                await self._say(user, "bridge.private_no_point", vertex=move.upper())
                return
            await self._carry_out(colour, action)

    async def _carry_out(self, colour: int, action: int) -> None:
        first = len(self.table.game.events)
        self._hosted.play(colour, action)
        await self._tell_what_follows(first)

    async def _tell_what_follows(self, first: int) -> None:
        """Something happened, from event number `first` on: each player is told, and the game goes on."""
        self._save()
        for user in self.people:
            await self._tell_news(user, first)
            if self._hosted.is_counting:
                await self._say_count(user)
        await self._go_on()

    async def _obey(self, user: str, command: str, word: str) -> None:
        match command:
            case "rules":
                await self._say(user, "bridge.private_rules")
            case "board":
                await self._recall(user)
            case "options":
                await self._propose(user, word)
            case "yes":
                await self._propose(user, "", self._hosted.agreements.value_of_others(OPTIONS, self._colour_of(user)))
            case "dead" if self._hosted.is_counting:
                await self._call_dead(user, word)
            case "count" if self._hosted.is_counting:
                await self._count(user)
            case "bye":
                await self._break_off(user)
            case _:
                await self._say(user, "bridge.private_help")

    # -- agreements ----------------------------------------------------------------------------------------------------

    async def _propose(self, user: str, word: str, spec: str | None = None) -> None:
        """A player would like an option, or a whole SPEC; without either they ask what there is."""
        if (word or spec) and self.table.game.events:
            await self._say(user, "bridge.too_late")
            return
        try:
            spec = with_option(self.stored.spec, word) if word else spec
        except NotationError:
            await self._say(user, "bridge.no_option", what=chat_commands.quote(word))
        if spec is None or parse(spec) == self.rules:
            await self._say_options(user)
            return
        refusal = policies.refusal(self.context.config().challenges, user, terms_of(parse(spec)), 0)
        if refusal is not None:
            await self._say(user, refusal.key, **dict(refusal.parts))
        elif self._hosted.propose(self._colour_of(user), OPTIONS, spec):
            await self._agree(spec)
        else:
            self._save()
            new = [each for each in _options(parse(spec)) if each not in _options(self.rules)]
            await self._say_all("bridge.private_wished", user=user, wish=", ".join(new))

    async def _agree(self, spec: str) -> None:
        """All would like these options: play with them."""
        self._cancel()
        stored = replace(self.stored, spec=spec)
        hosted = self._new_game(self.state, stored)
        rules = hosted.rules
        await self._change_rules(rules, partial(HiddenReplay, rules))
        self.stored, self._hosted = stored, hosted
        self.state = replace(self.state, size=rules.board.width)
        self._save()
        await self._say_all("bridge.private_agreed", now=", ".join(_options(rules)))
        await self._go_on()

    async def _say_options(self, user: str) -> None:
        choices = [
            f"{option.key} {'/'.join((*option.choices, *(['none'] if option.none else [])))}"
            for option in self.rules.options
            if option.choices and option.key != "lang"
        ]
        await self._say(
            user,
            "bridge.private_options",
            now=", ".join(_options(self.rules)),
            sizes=", ".join(map(str, self.context.config().challenges.sizes)),
            choices=", ".join(choices),
        )

    async def _break_off(self, user: str) -> None:
        """A player would like no result; what they liked in another turn is no agreement."""
        if self._hosted.propose(self._colour_of(user), BREAK_OFF):
            await self._go_on()
            return
        self._save()
        await self._say_all("bridge.private_bye", user=user)

    # -- the count -----------------------------------------------------------------------------------------------------

    async def _say_count(self, user: str) -> None:
        """Nothing is hidden any more: show the referee's board, and what it would come to."""
        await self._say_true_board(user)
        await self._say(user, "bridge.private_counting")
        await self._say_standing(user)

    async def _say_true_board(self, user: str) -> None:
        await self._say(user, "bridge.private_true")
        await self._show(user, draw_board(self.rules.board, picture(self.rules, self.table.position)).rows())

    async def _say_standing(self, user: str) -> None:
        outcome = self.table.game.outcome
        assert outcome is not None
        await self._say(user, "counting.standing", result=f"{outcome.sentence(self.stored.lang_of(user))}.")

    async def _call_dead(self, user: str, word: str) -> None:
        """A player calls the chain on a point dead, or no longer."""
        first = len(self.table.game.events)
        try:
            self._hosted.mark_dead(self.rules.board.point(word))
        except VariantsError:
            await self._refuse(user, "refusals.no_stone", vertex=chat_commands.quote(word).upper())
            return
        self._save()
        for each in self.people:
            await self._tell_news(each, first)
            await self._say_standing(each)

    async def _count(self, user: str) -> None:
        """A player would count it as it is marked now."""
        first = len(self.table.game.events)
        if self._hosted.settle(self._colour_of(user)):
            await self._tell_what_follows(first)
        else:
            self._save()
            await self._say_all("bridge.private_count", user=user)

    # -- our bot -------------------------------------------------------------------------------------------------------

    def steps(self) -> list[str]:
        """What our bot heard, in the words of `phantom-hear`."""
        heard = (write_news(self.rules, news) for news in self.table.game.heard(self.state.colour))
        return [" ".join(("hear", *line)) for line in heard if line]

    def _decision_key(self) -> DecisionKey:
        return len(self.table.game.events), self.stored.spec

    def _awaits_answer(self) -> bool:
        is_on = not self.is_over and self.state.phase == PLAYING
        return is_on and self._hosted.asked() == self.state.colour

    def _least_time_s(self, time: TimeConfig) -> float:
        if refused_in_a_row(self.table.game):
            # Who waits for us would count the tries that only we hear of.
            return 0.0
        return time.at_least_s if self.table.game.events else max(time.first_s, time.at_least_s)

    def _fallback(self) -> int:
        return PASS

    async def _send(self, action: int, note: MoveNote) -> None:
        if refused_in_a_row(self.table.game) > len(self.rules.board):
            self.log("the engine tries the same refused points again and again")
            self._has_failed = True
            await self._give_up()
        else:
            await self._carry_out(self.state.colour, action)

    async def _tell_of_fallback(self) -> None:
        await self._say_all("bridge.engine_replaced")

    async def _give_up(self) -> None:
        await self._say_all("bridge.engine")
        await super()._give_up()

    async def _resign(self) -> None:
        await self._carry_out(self.state.colour, RESIGN)

    # -- what is kept, and the end -------------------------------------------------------------------------------------

    def _save(self) -> None:
        if not self.is_over:
            self.write_journal()
        super()._save()

    def write_journal(self) -> None:
        """Keep what is new of the game. A full disk does not stop it."""
        try:
            self._journal.write(self._hosted.lines)
            self.stored = replace(self.stored, game="")
        except OSError as error:
            self.log(f"the game cannot be kept: {error}")

    def record(self) -> Record | None:
        return record_of(self._hosted) if self.is_over else None

    def _close_replay(self) -> None:
        """Nothing: the game is ours, and so is its end."""

    async def _take_leave(self) -> None:
        """The game is over and kept: everything may be told, to both and to all."""
        outcome = self.table.game.outcome
        for user in self.people:
            if outcome is None:
                await self._say(user, "bridge.private_broken_off")
            else:
                await self._say(user, "bridge.board_over", result=outcome.sentence(self.stored.lang_of(user)))
            await self._say_true_board(user)
            for line in self.context.config().chat.farewell:
                await self._tell(user, self._fill(line, user))
        if outcome is not None:
            await self._publish(outcome.sentence(self.context.config().chat.lang))
        await super()._take_leave()

    async def _publish(self, result: str) -> None:
        black, white = self.state.players[BLACK], self.state.players[WHITE]
        lang = self.context.config().chat.lang
        text = say("bridge.private_public", lang, black=black, white=white, result=result)
        await self.server.publish(self.state, text, tuple(self._drawn_moves()))

    def _drawn_moves(self) -> Iterator[DrawnMove]:
        """The stones and passes of the game as they are drawn, without the tries that were refused."""
        game = self.table.game
        for index, event in enumerate(game.events):
            if game.is_turn(index):
                before, after = game.positions[index], game.positions[index + 1]
                yield drawn_move(self.rules.board, before, after, event.actor, event.action)


def load_game(store: StateStore, stored: StoredGame, our_colour: int = EMPTY) -> HostedGame | None:
    """The game of two people that is stored, None if the server has it. Raises RecordError for what cannot be read."""
    journal = store.load_journal(stored)
    if journal is None:
        return None
    game = journal.record.game
    state = HostedState.from_json(journal.notes, game.rules)
    # Older versions noted neither who is a bot nor that a game waits to be counted.
    if our_colour in game.rules.colours:
        state = replace(state, seats={**state.seats, our_colour: replace(state.seats[our_colour], kind=BOT)})
    if game.rules.is_suspended(game.position):
        state = replace(state, is_counting=True)
    return HostedGame(replace(journal, notes=journal.notes | state.to_json()), _POLICY)


def record_of(hosted: HostedGame) -> Record:
    """The record of a game that is over."""
    players = {colour: seat.name for colour, seat in hosted.seats.items()}
    comment = BROKEN_OFF if hosted.result == VOID else ""
    return replace(hosted.to_record(players), times={}, comment=comment)


def terms_of(rules: Rules) -> Terms:
    """What a game without a clock is played on, as `policies` judges it."""
    return Terms(rules.board.width, TimeControl(), None, 0, float(str(rules.values["komi"])))


def _options(rules: Rules) -> list[str]:
    """The options of a game, but its language."""
    return [each for each in rules.spec.partition(":")[2].split(",") if not each.startswith("lang=")]


def _join(texts: Iterable[str]) -> str:
    """Sentences on one line."""
    return " ".join(f"{text[:1].upper()}{text[1:]}." for text in texts)
