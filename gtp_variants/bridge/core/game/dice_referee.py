"""A game of two people that the bridge referees: it throws the dice, says each draw, and says what is wrong.

It plays nothing and can make nobody do anything. A stone off the line is called wrong until it is undone; if the game
goes on all the same, it stands. People who look on are not heard by the players of most games, so each player is told
in private, in the language he types, and who looks on is told in the game.
"""

from collections.abc import Callable
from dataclasses import replace

from gtp_variants.bridge.core import chat_commands, policies
from gtp_variants.bridge.core.game.base_game import GameContext
from gtp_variants.bridge.core.game.chat import GameChat
from gtp_variants.bridge.core.game.go_game import GoGame
from gtp_variants.bridge.core.game.negotiation import Wishes
from gtp_variants.bridge.core.game.replayed_game import RESUMED, ReplayFault, Step, rules_of, steps_of
from gtp_variants.bridge.core.server import OVER, ServerGame
from gtp_variants.bridge.core.state_store import StoredGame
from gtp_variants.errors import VariantsError
from gtp_variants.lang import say
from gtp_variants.rules import words

# What players may agree on before the first move, and the word that agrees.
_WISHES = ("dice", "crystal", "handicap", "yes")


class RefereeChat(GameChat):
    """What a referee says: to each player in his language, and to whoever looks on."""

    sitting: "DiceReferee"

    def __init__(self, sitting: "DiceReferee") -> None:
        super().__init__(sitting)
        # To whom we speak, None for those who look on.
        self.listener: str | None = None

    async def say(self, key: str, **parts: object) -> None:
        await self.say_each(lambda: say(key, self.sitting.lang, **parts))

    async def say_text(self, text: str) -> None:
        await self.say_each(lambda: text)

    async def say_each(self, make: Callable[[], str]) -> None:
        sitting = self.sitting
        for name in sitting.state.players.values():
            await self.answer(name, make)
        text = make()
        sitting.log.quietly(f"says: {text}")
        if sitting.state.phase != OVER:
            await sitting.server.say(sitting.state, text)

    async def answer(self, user: str, make: Callable[[], str]) -> None:
        """Say something to one player alone."""
        # Only while the words are made: others may speak while these are sent.
        self.listener = user
        text = make()
        self.listener = None
        await self.sitting.server.tell(user, text)

    async def rules(self) -> None:
        for key in ("bridge.referee_rules", "dice.aleago_in_short", "bridge.referee_passes"):
            await self.say(key)
        await self.say("bridge.commitment", commitment=self._commitment())

    async def heard(self, user: str, text: str) -> None:
        """A player said something: a command is answered, in private as far as it concerns nobody else."""
        sitting = self.sitting
        sitting.log.quietly(f"{user} says: {text}")
        found = (
            chat_commands.command_of(text, chat_commands.TO_REFEREE) if sitting.context.config().chat.commands else None
        )
        if found is None or user not in sitting.state.players.values() or not self._patience.lasts(user):
            return
        command, lang = found
        word = text.strip().partition(" ")[2].strip()
        if lang is not None:
            sitting.speak_to(user, lang)
        if command == "stop":
            await sitting.agree_to_end(user)
        elif command == "bye":
            await sitting.be_sent_away(user)
        elif command == "dice" and not word:
            await self.answer(user, self.draw_sentence)
        elif command == "options":
            await self.answer(user, lambda: self.options_sentence("bridge.options"))
        elif command in _WISHES:
            await self._wished(user, command, word)
        elif command == "rules":
            await self.answer(user, lambda: say("dice.aleago_in_short", sitting.lang))
            await self.answer(user, lambda: say("bridge.referee_passes", sitting.lang))
        else:
            await self.answer(user, lambda: say("bridge.referee_in_game", sitting.lang))

    async def _wished(self, user: str, command: str, word: str) -> None:
        """A player would like other options, or those that the other would like."""
        sitting, spec = self.sitting, None
        if not sitting.may_agree:
            await self.answer(user, lambda: say("bridge.too_late", sitting.lang))
            return
        try:
            spec = sitting.wishes.of_others(user) if command == "yes" else sitting.wished(command, word)
        except VariantsError:
            await self.answer(user, lambda: say("bridge.no_option", sitting.lang, what=chat_commands.quote(word)))
        if spec is None or rules_of(spec, sitting.state) == sitting.rules:
            await self.answer(user, lambda: self.options_sentence("bridge.options"))
        elif sitting.wishes.add(user, spec, sitting.state.players.values()):
            await self.agree(spec)
        else:
            await self.say_each(lambda: self.options_sentence("bridge.wished", spec, user=user))

    def player(self, colour: int) -> str:
        """A player by colour and name."""
        lang = self.sitting.lang
        name = self.sitting.state.players.get(colour, "?")
        return say("bridge.player", lang, colour=words.name(colour, lang), name=name)

    def _who(self, colour: int) -> str:
        is_listener = self.sitting.state.players.get(colour) == self.listener
        return say("bridge.you", self.sitting.lang) if is_listener else self.player(colour)


class DiceReferee(GoGame):
    """One game of two people, as the referee has it."""

    chat: RefereeChat

    def __init__(self, context: GameContext, game: ServerGame, entry: StoredGame, is_new: bool) -> None:
        super().__init__(context, game, entry, is_new)
        self.chat = RefereeChat(self)
        # What each player would like to play with, and who would let the next two passes end the game.
        self.wishes, self._stops = Wishes(), Wishes()
        self._is_gone = False

    @property
    def lang(self) -> str:
        """The language of whoever is spoken to now."""
        return self.stored.lang_of(self.chat.listener or "")

    def speak_to(self, user: str, lang: str) -> None:
        """Go on with a player in another language."""
        self.stored = self.stored.spoken_to(user, lang)
        self._keep()

    async def agree_to_end(self, user: str) -> None:
        """A player would let the next two passes end the game: they do when both say so."""
        if self._stops.add(user, "stop", self.state.players.values()):
            self.accept_end()
            await self.chat.say("bridge.stopped")
        else:
            await self.chat.say("bridge.referee_stop", user=user)

    async def be_sent_away(self, user: str) -> None:
        """A player wants no referee: the dice are shown, and the game goes on without us."""
        await self.chat.say("bridge.referee_goes", user=user, secret=self.stored.secret.hex())
        await self._go()

    async def _go(self) -> None:
        self._is_gone = True
        await self.server.adjourn(self.state)

    async def _end(self) -> None:
        await super()._end()
        if self._is_gone:
            # A game that was only left is kept, to be gone on with; this one is not.
            self.context.store.drop(self.stored.key)

    # -- wrong stones --------------------------------------------------------------------------------------------------

    async def _dispute(self, fault: ReplayFault) -> None:
        number = self._number_of(fault)
        if number < len(self.state.moves) - 1:
            await self._let_stand(fault, number)
            return
        if self._disputed == (self.server, self.state.moves):
            return
        self._disputed = self.server, self.state.moves
        self.log(f"wrong: {fault.step.word}: {fault.error}")
        chat = self.chat
        await chat.say_each(
            lambda: say(
                "bridge.referee_wrong",
                self.lang,
                who=chat.player(fault.step.colour),
                why=chat.why(fault),
                open=chat.open_points(),
            )
        )

    def _number_of(self, fault: ReplayFault) -> int:
        """Which of the server's moves a step is."""
        count = 0
        while len(steps_of(self.state.moves[: count + 1], self.stored.unheard, ())) <= fault.index:
            count += 1
        return count

    async def _let_stand(self, fault: ReplayFault, number: int) -> None:
        """The players went on after a wrong stone: so will we, where our rules can."""
        self.stored = replace(self.stored, told=(*self.stored.told, number))
        again = self.replay.follow(self.steps())
        if again is not None and again.index <= fault.index:
            await self.chat.say_each(lambda: say("bridge.referee_lost", self.lang, why=self.chat.why(fault)))
            await self._go()
            return
        await self.chat.say("bridge.referee_lets_stand", vertex=fault.step.word)
        await self.update(self.state)

    # -- the end -------------------------------------------------------------------------------------------------------

    async def _after_passes(self) -> None:
        """Both passed: the players count, or take the last pass back where the game is not over."""
        positions, moves = self._positions_of_passes(), self.state.moves
        if positions is None or self.stored.accepts:
            return
        kind = policies.second_pass_of_two(self.context.config().policies.double_pass, self.rules, positions[1])
        if kind != policies.END:
            # Until it is undone, or counted all the same, there is nothing to say.
            self._undoing = self.server, moves
            await self._go_back(kind)

    async def _go_back(self, kind: str) -> None:
        second = self.state.moves[-1][0]
        first = 3 - second
        positions = self._positions_of_passes()
        assert positions is not None
        if kind == policies.AGAIN:
            resumed = Step(first, RESUMED)
            one, other = Step(first, "pass"), Step(second, "pass")
            self._instead = {1: (other, resumed, one), 2: (one, other, resumed)}
            await self.chat.say("bridge.referee_again")
        else:
            await self.chat.say_each(
                lambda: say("bridge.referee_second_plays", self.lang, open=self.chat.open_points(positions[1]))
            )
