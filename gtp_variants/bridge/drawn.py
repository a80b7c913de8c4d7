"""A game whose board we draw ourselves: the opponent types moves, our rules say what they do, and the server shows it.

Nothing that a server knows of Go matters here, so games are played on it that take stones otherwise.
"""

from dataclasses import replace
from typing import Any

from gtp_variants.bridge import wording
from gtp_variants.bridge.answering import House
from gtp_variants.bridge.course import rules_of
from gtp_variants.bridge.hosting import Host
from gtp_variants.bridge.server import PLAYING, Drawn, Note, ServerGame
from gtp_variants.bridge.sitting import Sitting
from gtp_variants.bridge.vault import Entry
from gtp_variants.errors import VariantsError
from gtp_variants.lang import say
from gtp_variants.rules import words
from gtp_variants.rules.actions import BLACK, EMPTY, PASS
from gtp_variants.rules.board import Board, read_vertex


class BoardHost(Host):
    """The voice at a board that we draw; it reads moves, too."""

    sitting: "DrawnSitting"

    async def rules(self) -> None:
        for key in ("bridge.board_rules", "bridge.board_how"):
            await self.say(key)
        await self.say("bridge.board_yours", colour=words.name(3 - self.sitting.game.colour, self.sitting.lang))

    async def farewell(self) -> None:
        outcome = self.sitting.course.table.game.outcome
        if outcome is not None:
            await self.say_each(
                lambda: say("bridge.board_over", self.sitting.lang, result=outcome.sentence(self.sitting.lang))
            )
        await super().farewell()

    async def heard(self, user: str, text: str) -> None:
        word = wording.move_of(text)
        if word is None or user != self.sitting.game.opponent or self.sitting.game.phase != PLAYING:
            await super().heard(user, text)
        elif word == "resign":
            await self.sitting.give_up_for_opponent()
        elif word == "undo":
            await self.sitting.undo_asked()
        else:
            await self.sitting.typed(word)


def as_drawn(board: Board, before: Any, after: Any, colour: int, action: int) -> Drawn:
    """A stone or a pass as it is drawn, from the positions before and after it."""
    gone = tuple(board.vertex(p) for p in range(len(board)) if before.stones[p] and not after.stones[p])
    if action < 0:
        return Drawn(colour, "pass", False, gone, after.mover)
    return Drawn(colour, board.vertex(action), after.stones[action] != EMPTY, gone, after.mover)


class DrawnSitting(Sitting):
    """One game on a board that we draw."""

    host: BoardHost

    def __init__(self, house: House, game: ServerGame, entry: Entry, is_new: bool) -> None:
        super().__init__(house, game, entry, is_new)
        self.host = BoardHost(self)
        # The moves after which we drew, so that no move is drawn twice before the server shows it.
        self._drawn_after: object = None

    async def typed(self, word: str) -> None:
        """The opponent typed a vertex or `pass`."""
        theirs = 3 - self.game.colour
        if self.course.table.position.mover != theirs or self._drawn_after == (self.server, self.game.moves):
            await self.host.say("bridge.board_turn")
            return
        # Sentences are in the language of the rules that say them.
        rules = rules_of(self.entry.spec, self.game, self.lang)
        try:
            action = PASS if word == "pass" else self.rules.board.at(*read_vertex(word))
            rules.play(self.course.table.position, len(rules.board) if action is None else action, theirs)
        except VariantsError as error:
            why = getattr(error, "sentence", "") or str(error)
            await self.host.say("bridge.board_wrong", why=why[:1].upper() + why[1:])
            return
        assert action is not None
        await self._draw(theirs, action)

    async def _send(self, action: int, note: Note) -> None:
        await self._draw(self.game.colour, action)

    async def _draw(self, colour: int, action: int) -> None:
        """Show a move and what it does."""
        position = self.course.table.position
        after = self.rules.play(position, action, colour)
        self._drawn_after = self.server, self.game.moves
        await self.server.draw(self.game, as_drawn(self.rules.board, position, after, colour, action))

    async def update(self, game: ServerGame) -> None:
        if game.moves != self.game.moves:
            self._drawn_after = None
        await super().update(game)

    async def _go_on(self) -> None:
        outcome = self.course.table.game.outcome
        if outcome is None:
            await super()._go_on()
            return
        await self.host.greet()
        await self.server.conclude(self.game, outcome.sgf)

    async def undo_asked(self) -> None:
        """The opponent takes back his last move, with our answer."""
        limit = self.house.config().policies.undo
        if self.entry.takebacks >= limit:
            await self.host.say("bridge.no_undo", count=limit)
        elif any(colour != self.game.colour for colour, _ in self.game.moves):
            self.entry = replace(self.entry, takebacks=self.entry.takebacks + 1)
            self._keep()
            await self.server.undo(self.game)

    async def give_up_for_opponent(self) -> None:
        """The opponent resigns."""
        await self.server.conclude(self.game, f"{'B' if self.game.colour == BLACK else 'W'}+R")
