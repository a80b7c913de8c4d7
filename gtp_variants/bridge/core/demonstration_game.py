"""A game on a demonstration board of ours: the opponent types moves, our rules say what they do, the server shows it.

Nothing that a server knows of Go matters here, so games are played on it that take stones otherwise.
"""

from gtp_variants.bridge.core import chat_commands
from gtp_variants.bridge.core.base_game import GameContext
from gtp_variants.bridge.core.chat import GameChat, sentence_of
from gtp_variants.bridge.core.game_sync import rules_of
from gtp_variants.bridge.core.go_server_game import GoGame
from gtp_variants.bridge.core.server import PLAYING, DrawnMove, MoveNote, ServerGame
from gtp_variants.bridge.core.state_store import StoredGame
from gtp_variants.errors import VariantsError
from gtp_variants.records.notation import read_move, write_move
from gtp_variants.rules import words
from gtp_variants.rules.actions import BLACK, EMPTY
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.position import Position


class DemonstrationChat(GameChat["DemonstrationGame"]):
    """The voice at a demonstration board; it reads moves, too."""

    async def say_rules(self) -> None:
        for key in ("bridge.board_rules", "bridge.board_how"):
            await self.say(key)
        await self.say("bridge.board_yours", colour=words.name(3 - self.game.state.colour, self.game.lang))

    async def say_farewell(self) -> None:
        outcome = self.game.replay.table.game.outcome
        if outcome is not None:
            await self.say("bridge.board_over", result=outcome.sentence(self.game.lang))
        await super().say_farewell()

    async def hear(self, user: str, text: str) -> None:
        word = chat_commands.move_of(text)
        if word is None or user != self.game.state.opponent or self.game.state.phase != PLAYING:
            await super().hear(user, text)
        elif word == "resign":
            await self.game.resign_for_opponent()
        elif word == "undo":
            await self.game.answer_undo_request()
        else:
            await self.game.play_vertex(word)


def drawn_move(board: Board, before: Position, after: Position, colour: int, action: int) -> DrawnMove:
    """A stone or a pass as it is drawn, from the positions before and after it."""
    gone = tuple(board.vertex(p) for p in range(len(board)) if before.stones[p] and not after.stones[p])
    stands = action >= 0 and after.stones[action] != EMPTY
    return DrawnMove(colour, write_move(board, action), stands, gone, after.mover)


class DemonstrationGame(GoGame):
    """One game on a board that we draw."""

    def __init__(self, context: GameContext, state: ServerGame, stored: StoredGame, is_new: bool) -> None:
        super().__init__(context, state, stored, is_new)
        self.chat = DemonstrationChat(self)
        # The moves after which we drew, so that no move is drawn twice before the server shows it.
        self._drawn_after: object = None

    async def play_vertex(self, word: str) -> None:
        """The opponent typed a vertex or `pass`."""
        theirs = 3 - self.state.colour
        if self.replay.table.position.mover != theirs or self._drawn_after == (self.server, self.state.moves):
            await self.chat.say("bridge.board_turn")
            return
        # Sentences are in the language of the rules that say them.
        rules = rules_of(self.stored.spec, self.state, self.lang)
        try:
            action = read_move(rules.board, word)
            rules.play(self.replay.table.position, action, theirs)
        except VariantsError as error:
            await self.chat.say("bridge.board_wrong", why=sentence_of(error))
            return
        await self._draw(theirs, action)

    async def _send(self, action: int, note: MoveNote) -> None:
        await self._draw(self.state.colour, action)

    async def _draw(self, colour: int, action: int) -> None:
        """Show a move and what it does."""
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
        """The opponent takes back their last move, with our answer."""
        limit = self.context.config().policies.undo
        if self.stored.takebacks >= limit:
            await self.chat.say("bridge.no_undo", count=limit)
        elif any(colour != self.state.colour for colour, _ in self.state.moves):
            self._count_takeback()
            await self.server.undo(self.state)

    async def resign_for_opponent(self) -> None:
        """The opponent resigns."""
        await self.server.conclude(self.state, f"{'B' if self.state.colour == BLACK else 'W'}+R")
