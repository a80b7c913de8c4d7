"""Games in roles other than player: refereed by the bridge, or played on our own demonstration board.

A referee throws the dice, announces each throw and points out mistakes, but cannot force anybody. A stone off the line
is called wrong until it is taken back; if play continues, it stands. Most servers hide spectators' chat from the
players, so each player is told in private, in their language, and spectators are told in the game.

On a demonstration board the opponent types moves, and the server shows the board that results by our rules. The
server's own rules do not matter there, so games whose captures differ from Go's can be played.
"""

from collections.abc import Callable
from dataclasses import replace

from gtp_variants.bridge.core import policies
from gtp_variants.bridge.core.base_game import GameContext
from gtp_variants.bridge.core.chat import TO_REFEREE, GameChat, move_of, sentence_of
from gtp_variants.bridge.core.game_sync import RESUMED, ReplayFault, Step, rules_of, steps_of
from gtp_variants.bridge.core.go_server_game import DoublePass, GoGame, WrongStones, positions_of_passes
from gtp_variants.bridge.core.server import OVER, PLAYING, DrawnMove, ServerGame
from gtp_variants.bridge.core.state_store import StoredGame
from gtp_variants.errors import VariantsError
from gtp_variants.lang import say
from gtp_variants.records.notation import read_move, write_move
from gtp_variants.rules.actions import BLACK, EMPTY
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.languages import translate
from gtp_variants.rules.position import Position


class RefereeChat(GameChat["DiceReferee"]):
    """The referee's chat with each player, in that player's language, and with spectators."""

    more = TO_REFEREE

    def __init__(self, game: "DiceReferee") -> None:
        super().__init__(game)
        # The player who is being told something, or None for spectators.
        self.listener: str | None = None

    async def say_text(self, text: str) -> None:
        await self.say_each(lambda: text)

    async def say_each(self, make: Callable[[], str]) -> None:
        game = self.game
        for name in game.state.players.values():
            await self._tell(name, make)
        text = make()
        game.log.quietly(f"says: {text}")
        if game.state.phase != OVER:
            await game.server.say(game.state, text)

    async def _tell(self, user: str, make: Callable[[], str]) -> None:
        # Reset the listener before sending, because other tasks may speak meanwhile.
        self.listener = user
        text = make()
        self.listener = None
        await self.game.server.tell(user, text)

    async def say_rules(self) -> None:
        await self.say("bridge.referee_rules")
        await self._say_game_rules()
        await self.say("bridge.referee_passes")
        await self.say("bridge.commitment", commitment=self._commitment())

    async def answer(self, user: str, make: Callable[[], str]) -> None:
        await self._tell(user, make)

    async def _explain(self, user: str) -> None:
        game = self.game
        await self._tell(user, lambda: translate(game.rules.profile.chat_rules, game.lang))
        await self._tell(user, lambda: say("bridge.referee_passes", game.lang))

    async def _obey(self, user: str, command: str) -> None:
        if command == "bye":
            await self.game.dismiss(user)
        else:
            await self._tell(user, lambda: say("bridge.referee_in_game", self.game.lang))

    def player(self, colour: int) -> str:
        lang = self.game.lang
        name = self.game.state.players.get(colour, "?")
        return say("bridge.player", lang, colour=colour_name(colour, lang), name=name)

    def _who(self, colour: int) -> str:
        is_listener = self.game.state.players.get(colour) == self.listener
        return say("bridge.you", self.game.lang) if is_listener else self.player(colour)


class RefereedStones(WrongStones):
    """A wrong stone in a refereed game: it is called wrong until it is taken back or play continues."""

    _game: "DiceReferee"

    async def dispute(self, fault: ReplayFault) -> None:
        game = self._game
        # The index of the server's move that the faulty step belongs to.
        number, stored = 0, game.stored
        while len(steps_of(game.state.moves[: number + 1], stored.private_steps, ())) <= fault.index:
            number += 1
        if number < len(game.state.moves) - 1:
            await self._let_stand(fault, number)
            return
        if not self._begin():
            return
        game.log(f"wrong: {fault.step.word}: {fault.error}")
        await game.voice.say_each(lambda: self._sentence(fault))

    def _sentence(self, fault: ReplayFault) -> str:
        game, chat = self._game, self._game.voice
        who, why = chat.player(fault.step.colour), chat.why(fault)
        return say("bridge.referee_wrong", game.lang, who=who, why=why, open=chat.open_points())

    async def _let_stand(self, fault: ReplayFault, number: int) -> None:
        """Accept a wrong stone, because the players continued after it. Leave if our rules cannot accept it."""
        game = self._game
        game.stored = replace(game.stored, let_stand=(*game.stored.let_stand, number))
        again = game.replay.follow(game.steps())
        if again is not None and again.index <= fault.index:
            await game.voice.say_each(lambda: say("bridge.referee_lost", game.lang, why=game.voice.why(fault)))
            await game.go()
            return
        await game.voice.say("bridge.referee_lets_stand", vertex=fault.step.word)
        await game.update(game.state)


class RefereedPasses(DoublePass):
    """Two passes in a refereed game: they end the game, or the second pass must be taken back."""

    _game: "DiceReferee"

    async def take_in(self) -> None:
        game = self._game
        positions, moves = positions_of_passes(game.replay.table.game), game.state.moves
        if positions is None or game.stored.accepts:
            return
        double_pass = game.config.policies.double_pass
        kind = policies.second_pass_of_two(double_pass, game.rules, positions[1])
        if kind == policies.END:
            return
        # Nothing more is said until the pass is taken back or the game is scored.
        second = moves[-1][0]
        if kind == policies.AGAIN:
            resumed = Step(3 - second, RESUMED)
            one, other = Step(3 - second, "pass"), Step(second, "pass")
            self._undo.stand_still({1: (other, resumed, one), 2: (one, other, resumed)})
            await game.voice.say("bridge.referee_again")
        else:
            self._undo.stand_still()
            await game.voice.say_each(
                lambda: say("bridge.referee_second_plays", game.lang, open=game.voice.open_points(positions[1]))
            )


class DiceReferee(GoGame):
    """A game between two people that we referee."""

    def __init__(self, context: GameContext, state: ServerGame, stored: StoredGame, is_new: bool) -> None:
        super().__init__(context, state, stored, is_new)
        self.chat = self.voice = RefereeChat(self)
        self._is_dismissed = False
        self.wrong_stones = RefereedStones(self, self.undo)
        self.passes = RefereedPasses(self, self.undo)

    @property
    def lang(self) -> str:
        """The language of the current listener."""
        return self.stored.lang_of(self.voice.listener or "")

    def speak(self, user: str, lang: str) -> None:
        self.keep(self.stored.with_language(user, lang))

    async def dismiss(self, user: str) -> None:
        """Reveal the secret of the dice and leave, because a player wants no referee."""
        await self.chat.say("bridge.referee_goes", user=user, secret=self.stored.secret.hex())
        await self.go()

    async def go(self) -> None:
        """Leave the game to the players. Raises PeerGone if the connection is lost."""
        self._is_dismissed = True
        await self.server.adjourn(self.state)

    async def _end(self) -> None:
        await super()._end()
        if self._is_dismissed:
            # A game that was merely left stays stored, to be resumed, but after a dismissal it is deleted.
            self.context.store.delete(self.stored.key)


class DemonstrationChat(GameChat["DemonstrationGame"]):
    """The chat of a demonstration board, in which the opponent also types moves."""

    async def say_rules(self) -> None:
        for key in ("bridge.board_rules", "bridge.board_how"):
            await self.say(key)
        await self.say("bridge.board_yours", colour=colour_name(3 - self.game.state.colour, self.game.lang))

    async def say_farewell(self) -> None:
        outcome = self.game.replay.table.game.outcome
        if outcome is not None:
            await self.say("bridge.board_over", result=outcome.sentence(self.game.lang))
        await super().say_farewell()

    async def hear(self, user: str, text: str) -> None:
        word = move_of(text)
        if word is None or user != self.game.state.opponent or self.game.state.phase != PLAYING:
            await super().hear(user, text)
        elif word == "resign":
            winner = "B" if self.game.state.colour == BLACK else "W"
            await self.game.server.conclude(self.game.state, f"{winner}+R")
        elif word == "undo":
            await self.game.answer_undo_request()
        else:
            await self.game.play_vertex(word)


def drawn_move(board: Board, before: Position, after: Position, colour: int, action: int) -> DrawnMove:
    """Return the drawing of a stone or a pass, from the positions before and after it."""
    gone = tuple(board.vertex(p) for p in range(len(board)) if before.stones[p] and not after.stones[p])
    stands = action >= 0 and after.stones[action] != EMPTY
    return DrawnMove(colour, write_move(board, action), stands, gone, after.mover)


class DemonstrationGame(GoGame):
    """A game on a board that we draw."""

    def __init__(self, context: GameContext, state: ServerGame, stored: StoredGame, is_new: bool) -> None:
        super().__init__(context, state, stored, is_new)
        self.chat = DemonstrationChat(self)
        # The connection and moves for which we last drew the board, so that no move is drawn twice.
        self._drawn_after: object = None

    async def play_vertex(self, word: str) -> None:
        """Play the vertex or `pass` that the opponent typed, or say why it cannot be played."""
        theirs = 3 - self.state.colour
        if self.replay.table.position.mover != theirs or self._drawn_after == (self.server, self.state.moves):
            await self.chat.say("bridge.board_turn")
            return
        # The language of error messages is an option of the rules, so take rules in the opponent's language.
        rules = rules_of(self.stored.spec, self.state, self.lang)
        try:
            action = read_move(rules.board, word)
            rules.play(self.replay.table.position, action, theirs)
        except VariantsError as error:
            await self.chat.say("bridge.board_wrong", why=sentence_of(error))
            return
        await self._draw(theirs, action)

    async def _send(self, action: int, note: str) -> None:
        await self._draw(self.state.colour, action)

    async def _draw(self, colour: int, action: int) -> None:
        position = self.replay.table.position
        after = self.rules.play(position, action, colour)
        self._drawn_after = self.server, self.state.moves
        await self.server.draw(self.state, drawn_move(self.rules.board, position, after, colour, action))

    async def update(self, state: ServerGame) -> None:
        if state.moves != self.state.moves:
            self._drawn_after = None
        await super().update(state)

    async def go_on(self) -> None:
        outcome = self.replay.table.game.outcome
        if outcome is None:
            await super().go_on()
            return
        await self.chat.say_greeting()
        await self.server.conclude(self.state, outcome.sgf)

    async def answer_undo_request(self) -> None:
        """Take back the opponent's last move and our answer, unless the opponent has done so too often."""
        limit = self.config.policies.undo
        if self.stored.takebacks >= limit:
            await self.chat.say("bridge.no_undo", count=limit)
        elif any(colour != self.state.colour for colour, _ in self.state.moves):
            self.keep(replace(self.stored, takebacks=self.stored.takebacks + 1))
            await self.server.undo(self.state)
