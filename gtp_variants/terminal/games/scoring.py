"""How a game at a terminal is counted and ends: the boards shown, stones called dead, the points, who won."""

from collections.abc import Iterator
from dataclasses import replace

from gtp_variants.players.player import Player
from gtp_variants.records.picture import picture
from gtp_variants.rules import words
from gtp_variants.rules.actions import MARK_DEAD, SETTLE, pack
from gtp_variants.rules.boards.chains import area, without
from gtp_variants.terminal.display.blocks import Block, BoardBlock, SecretEnds, Text
from gtp_variants.terminal.games import commands
from gtp_variants.terminal.games.host import Hosted, has_dice


class Counted(Hosted):
    """A game that can end. While it is counted, `base.counting`, nothing of a hidden game is hidden any more."""

    # What is said while a hidden game is counted.
    how_to_count = "terminal.counting"

    # -- the count -----------------------------------------------------------------------------------------------------

    def _awaits_dead(self) -> bool:
        """Whether a hidden game has just ended by passes and both may still call stones dead."""
        outcome = self.table.game.outcome
        return self.is_hidden and self.can_agree and outcome is not None and outcome.how == "score"

    def _count_first(self) -> Iterator[Block]:
        """Show a hidden game to both before it is counted, the end still open to their word on dead stones."""
        self._take(replace(self.kept().shortened(1), counting=True))
        yield from self.keep()
        yield from self._counting()

    def _counting(self) -> Iterator[Block]:
        yield from self.boards_of_all()
        yield Text(self.say(self.how_to_count))

    def boards_of_all(self) -> Iterator[Block]:
        """What each side knew, and the board of the referee: when nothing is hidden any more."""
        yield SecretEnds()
        for colour in self.rules.colours:
            view = self.table.view(colour)
            seen = picture(self.rules, None, view)
            yield BoardBlock(self.rules.board, seen, title=self.say("counting.seat_board", name=self.name(colour)))
        yield self.referee_board(self.say("counting.referee_board"))

    def _do_dead(self, text: str) -> Iterator[Block]:
        if not self.can_agree:
            yield Text(self.say("terminal.no_dead"), "error")
        elif not (self.base.counting if self.is_hidden else self.table.suspended):
            yield self.refuse("refusals.dead_when")
        else:
            yield from self._take_off_dead(text)

    def _take_off_dead(self, text: str) -> Iterator[Block]:
        """Call the chain on a point dead, or no longer."""
        point = commands.point_of(self.rules.board, text, self.lang)
        if not self.table.position.stones[point]:
            yield self.refuse("refusals.no_stone", vertex=self.vertex(point))
            return
        before = len(self.table.game.events)
        self.table.play(self.table.position.mover, pack(MARK_DEAD, point))
        yield from self.keep()
        yield from self.happened(before, self.table.position.mover)
        outcome = self.table.game.outcome
        assert outcome is not None
        yield Text(self.say("counting.standing", result=outcome.sentence(self.lang)))

    # -- the end -------------------------------------------------------------------------------------------------------

    def _settle(self) -> Iterator[Block]:
        """Make the end by passes final."""
        self.table.play(self.table.position.mover, SETTLE)
        yield from self.keep()
        yield from self._end()

    def _end(self) -> Iterator[Block]:
        if self.is_hidden and not self.base.counting:
            yield from self.boards_of_all()
        for player in self.table.seats.values():
            yield from self._leaves(player)
        yield from self._finish()

    def _leaves(self, player: Player) -> Iterator[Block]:
        try:
            player.leave(self.table.game.outcome)
        except Exception as error:
            yield Text(
                self.say("terminal.failed", bot=type(player).__name__, why=f"{type(error).__name__}: {error}"), "error"
            )

    def _count_lines(self) -> Iterator[str]:
        """The points of each side, where points decide."""
        position = self.table.position
        outcome = self.table.game.outcome
        if outcome is None or outcome.how != "score":
            return
        dead = position.dead
        counted = area(self.rules.board, without(position.stones, dead) if dead else position.stones)
        komi = self.rules.komi
        for colour in self.rules.colours:
            points = {"name": self.name(colour), "points": counted[colour]}
            if colour == words.COLOUR_WORDS["w"] and komi:
                total = words.number(counted[colour] + komi, self.lang)
                yield self.say("counting.points_and_komi", **points, komi=words.number(komi, self.lang), total=total)
            else:
                yield self.say("counting.points", **points)

    def _finish(self) -> Iterator[Block]:
        """Count, put the record where it stays, and say in the last line who won."""
        outcome = self.table.game.outcome
        assert outcome is not None
        yield from (Text(line) for line in self._count_lines())
        result = outcome.sentence(self.lang)
        result = result[0].upper() + result[1:]
        self.is_finished = True
        try:
            path = self.slot.finish(self.public(is_over=True))
        except OSError as error:
            yield Text(self.say("terminal.not_kept", why=error.strerror or error), "error")
            yield Text(result, "title")
            return
        if has_dice(self.rules):
            yield Text(self.say("terminal.replayed"), "quiet")
        yield Text(self.say("terminal.finished", result=result, path=path), "title")
