"""A game whose board we draw ourselves: the opponent types moves, our rules say what they do, and the server shows it.

Nothing that a server knows of Go matters here, so games are played on it that take stones otherwise.
"""

from dataclasses import replace
from typing import Any

from gtp_variants.bridge.core import chat_commands
from gtp_variants.bridge.core.game.base_game import GameContext
from gtp_variants.bridge.core.game.chat import GameChat
from gtp_variants.bridge.core.game.go_game import GoGame
from gtp_variants.bridge.core.game.replayed_game import rules_of
from gtp_variants.bridge.core.server import PLAYING, DrawnMove, MoveNote, ServerGame
from gtp_variants.bridge.core.state_store import StoredGame
from gtp_variants.errors import VariantsError
from gtp_variants.lang import say
from gtp_variants.rules import words
from gtp_variants.rules.actions import BLACK, EMPTY, PASS
from gtp_variants.rules.boards.board import Board, read_vertex


class DemonstrationChat(GameChat):
    """The voice at a board that we draw; it reads moves, too."""

    sitting: "DemonstrationGame"

    async def rules(self) -> None:
        for key in ("bridge.board_rules", "bridge.board_how"):
            await self.say(key)
        await self.say("bridge.board_yours", colour=words.name(3 - self.sitting.state.colour, self.sitting.lang))

    async def farewell(self) -> None:
        outcome = self.sitting.replay.table.game.outcome
        if outcome is not None:
            await self.say_each(
                lambda: say("bridge.board_over", self.sitting.lang, result=outcome.sentence(self.sitting.lang))
            )
        await super().farewell()

    async def heard(self, user: str, text: str) -> None:
        word = chat_commands.move_of(text)
        if word is None or user != self.sitting.state.opponent or self.sitting.state.phase != PLAYING:
            await super().heard(user, text)
        elif word == "resign":
            await self.sitting.give_up_for_opponent()
        elif word == "undo":
            await self.sitting.undo_asked()
        else:
            await self.sitting.typed(word)


def as_drawn(board: Board, before: Any, after: Any, colour: int, action: int) -> DrawnMove:
    """A stone or a pass as it is drawn, from the positions before and after it."""
    gone = tuple(board.vertex(p) for p in range(len(board)) if before.stones[p] and not after.stones[p])
    if action < 0:
        return DrawnMove(colour, "pass", False, gone, after.mover)
    return DrawnMove(colour, board.vertex(action), after.stones[action] != EMPTY, gone, after.mover)


class DemonstrationGame(GoGame):
    """One game on a board that we draw."""

    chat: DemonstrationChat

    def __init__(self, context: GameContext, game: ServerGame, entry: StoredGame, is_new: bool) -> None:
        super().__init__(context, game, entry, is_new)
        self.chat = DemonstrationChat(self)
        # The moves after which we drew, so that no move is drawn twice before the server shows it.
        self._drawn_after: object = None

    async def typed(self, word: str) -> None:
        """The opponent typed a vertex or `pass`."""
        theirs = 3 - self.state.colour
        if self.replay.table.position.mover != theirs or self._drawn_after == (self.server, self.state.moves):
            await self.chat.say("bridge.board_turn")
            return
        # Sentences are in the language of the rules that say them.
        rules = rules_of(self.stored.spec, self.state, self.lang)
        try:
            action = PASS if word == "pass" else self.rules.board.at(*read_vertex(word))
            rules.play(self.replay.table.position, len(rules.board) if action is None else action, theirs)
        except VariantsError as error:
            why = getattr(error, "sentence", "") or str(error)
            await self.chat.say("bridge.board_wrong", why=why[:1].upper() + why[1:])
            return
        assert action is not None
        await self._draw(theirs, action)

    async def _send(self, action: int, note: MoveNote) -> None:
        await self._draw(self.state.colour, action)

    async def _draw(self, colour: int, action: int) -> None:
        """Show a move and what it does."""
        position = self.replay.table.position
        after = self.rules.play(position, action, colour)
        self._drawn_after = self.server, self.state.moves
        await self.server.draw(self.state, as_drawn(self.rules.board, position, after, colour, action))

    async def update(self, game: ServerGame) -> None:
        if game.moves != self.state.moves:
            self._drawn_after = None
        await super().update(game)

    async def _go_on(self) -> None:
        outcome = self.replay.table.game.outcome
        if outcome is None:
            await super()._go_on()
            return
        await self.chat.greet()
        await self.server.conclude(self.state, outcome.sgf)

    async def undo_asked(self) -> None:
        """The opponent takes back his last move, with our answer."""
        limit = self.context.config().policies.undo
        if self.stored.takebacks >= limit:
            await self.chat.say("bridge.no_undo", count=limit)
        elif any(colour != self.state.colour for colour, _ in self.state.moves):
            self.stored = replace(self.stored, takebacks=self.stored.takebacks + 1)
            self._keep()
            await self.server.undo(self.state)

    async def give_up_for_opponent(self) -> None:
        """The opponent resigns."""
        await self.server.conclude(self.state, f"{'B' if self.state.colour == BLACK else 'W'}+R")
