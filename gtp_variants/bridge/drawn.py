"""A game whose board we draw ourselves: the opponent types moves, our rules say what they do, and the server shows it.

Nothing that a server knows of Go matters here, so games are played on it that take stones otherwise.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from gtp_variants.bridge import wording
from gtp_variants.bridge.answering import House
from gtp_variants.bridge.course import rules_of
from gtp_variants.bridge.hosting import Host
from gtp_variants.bridge.server import PLAYING, Drawn, Note, ServerGame
from gtp_variants.bridge.sitting import Sitting
from gtp_variants.bridge.vault import Entry
from gtp_variants.errors import VariantsError
from gtp_variants.rules import words
from gtp_variants.rules.actions import BLACK, EMPTY, PASS
from gtp_variants.rules.board import read_vertex

_VERTEX = re.compile(r"[a-z]{1,2}\d{1,2}")
# What people type beside vertices and commands.
_PASSES, _RESIGNS, _UNDOES = ("pass", "passe"), ("resign", "abandon"), ("undo", "annuler")


class BoardHost(Host):
    """The voice at a board that we draw; it reads moves, too."""

    sitting: "DrawnSitting"

    async def rules(self) -> None:
        for key in ("board rules", "board how"):
            await self.say(key)
        await self.say("board yours", colour=words.name(3 - self.sitting.game.colour, self.sitting.lang))

    async def farewell(self) -> None:
        outcome = self.sitting.course.table.game.outcome
        if outcome is not None:
            await self.say_each(
                lambda: wording.say("board over", self.sitting.lang, result=outcome.sentence(self.sitting.lang))
            )
        await super().farewell()

    async def heard(self, user: str, text: str) -> None:
        word = text.strip().lower().rstrip(".!")
        if user == self.sitting.game.opponent and " " not in word and self.sitting.game.phase == PLAYING:
            if _VERTEX.fullmatch(word) or word in _PASSES:
                await self.sitting.typed("pass" if word in _PASSES else word)
                return
            if word in _RESIGNS:
                await self.sitting.give_up_for_opponent()
                return
            if word in _UNDOES:
                await self.sitting.undo_asked()
                return
        await super().heard(user, text)


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
            await self.host.say("board turn")
            return
        # Sentences are in the language of the rules that say them.
        rules = rules_of(self.entry.spec, self.game, self.lang)
        try:
            action = PASS if word == "pass" else self.rules.board.at(*read_vertex(word))
            rules.play(self.course.table.position, len(rules.board) if action is None else action, theirs)
        except VariantsError as error:
            why = getattr(error, "sentence", "") or str(error)
            await self.host.say("board wrong", why=why[:1].upper() + why[1:])
            return
        assert action is not None
        await self._draw(theirs, action)

    async def _send(self, action: int, note: Note) -> None:
        await self._draw(self.game.colour, action)

    async def _draw(self, colour: int, action: int) -> None:
        """Show a move and what it does."""
        board, position = self.rules.board, self.course.table.position
        after = self.rules.play(position, action, colour)
        gone = [p for p in range(len(board)) if position.stones[p] and not after.stones[p]]
        stone = "" if action < 0 else board.vertex(action)
        self._drawn_after = self.server, self.game.moves
        await self.server.draw(
            self.game,
            Drawn(
                colour, stone or "pass", bool(stone) and after.stones[action] != EMPTY, self._named(gone), after.mover
            ),
        )

    def _named(self, points: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.rules.board.vertex(point) for point in points)

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
            await self.host.say("no undo", count=limit)
        elif any(colour != self.game.colour for colour, _ in self.game.moves):
            self.entry = replace(self.entry, takebacks=self.entry.takebacks + 1)
            self._keep()
            await self.server.undo(self.game)

    async def give_up_for_opponent(self) -> None:
        """The opponent resigns."""
        await self.server.conclude(self.game, f"{'B' if self.game.colour == BLACK else 'W'}+R")
