"""The referee of Go Fantôme for real boards, without the terminal: a line comes in, announcements come out.

Source: 001_d6d69fd415a28a9d.txt: "L'arbitre doit rester neutre et ne doit pas influencer les choix des joueurs, ses
propos doivent rester au strict minimum." The players see the screen: nothing typed is repeated on it, and the boards
only after everybody who may not see them looks away.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from gtp_variants.errors import NotationError, VariantsError
from gtp_variants.rules import words
from gtp_variants.rules.actions import BLACK, PASS, RESIGN, RESUME, WHITE
from gtp_variants.rules.turns import others
from gtp_variants.terminal.display.blocks import Block, SecretBegins, SecretEnds, Text
from gtp_variants.terminal.games import commands
from gtp_variants.terminal.games.commands import answer_of
from gtp_variants.terminal.games.save_file import Kept, Slot
from gtp_variants.terminal.games.scoring import Counted

# "b" is Black in English and blanc in French.
_COLOURS = {
    "en": {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE},
    "fr": {"n": BLACK, "noir": BLACK, "b": WHITE, "blanc": WHITE},
}


class RefereeSession(Counted):
    """Two people with three boards tell their tries; `is_echoed` if only a referee sees what is typed."""

    is_secret = False
    how_to_count = "referee.counting"

    def __init__(self, slot: Slot, kept: Kept, is_echoed: bool = False) -> None:
        self.is_echoed = is_echoed
        super().__init__(slot, kept)

    def _take(self, kept: Kept) -> None:
        super()._take(kept)
        self._question: Callable[[], Iterator[Block]] | None = None
        self._asking = ""
        self._is_peeking = False

    def again(self) -> "RefereeSession":
        """The same game from where it is kept, after something was broken off."""
        return RefereeSession(self.slot, self.last_kept(), self.is_echoed)

    @property
    def is_unseen(self) -> bool:
        """Whether the next line must not be seen while it is typed."""
        return not (self.is_echoed or self._question or self._is_peeking or self.base.counting)

    @property
    def prompt(self) -> str:
        """What stands before the line that is typed next."""
        if self._question is not None:
            return self._asking + " "
        if self._is_peeking:
            return self.say("referee.hide")
        return self.say("terminal.prompt", name=self.name(self.table.position.mover))

    def begin(self, is_resumed: bool = False) -> Iterator[Block]:
        """The first blocks: where the game is kept, how to tell a try, what was said last."""
        yield from self.keep()
        if self.is_kept:
            yield Text(self.say("terminal.kept", path=self.slot.path), "quiet")
        example = commands.example(self.rules.board)
        yield Text(self.say("referee.help", vertex=example), "quiet")
        if not self.is_echoed:
            yield Text(self.say("referee.unseen"), "quiet")
        if is_resumed:
            yield Text(self.say("terminal.resumed"))
            yield from self._last_said()
        if self.base.counting:
            yield from self._counting()
        elif self.table.is_final:
            yield from self._end()
        else:
            yield from self._state()

    # -- lines ---------------------------------------------------------------------------------------------------------

    def answer(self, line: str) -> Iterator[Block]:
        """What a typed line comes to."""
        if self._is_peeking:
            self._is_peeking = False
            yield SecretEnds()
        elif self._question is not None:
            yield from self._answered(line)
        elif line.strip():
            try:
                yield from self._obey(line)
            except NotationError as error:
                # What was typed may be a try, which nobody else may read.
                yield Text(self._not_understood() if self.is_unseen else str(error), "error")
            except VariantsError as error:
                yield Text(self.explain(error), "error")

    def _not_understood(self) -> str:
        return self.say("referee.not_understood", vertex=commands.example(self.rules.board))

    def _obey(self, line: str) -> Iterator[Block]:
        first, _, rest = " ".join(line.split()).partition(" ")
        colour = _COLOURS[self.lang].get(commands.fold(first))
        if colour is not None and rest:
            line = rest
            if colour != self.table.position.mover and not self.base.counting:
                yield Text(self.explain(words.not_turn(self.table.position.mover, self.rules.lang)), "error")
                return
        asked = commands.read(line, commands.REFEREE, self.lang, commands.example(self.rules.board))
        if self.base.counting and asked.name not in ("help", "dead", "count", "quit", "board"):
            yield Text(self.say("referee.counting"), "error")
        elif not asked.name:
            yield from self._try(asked.argument)
        else:
            yield from getattr(self, f"_do_{asked.name}")(asked.argument)

    def _ask(self, text: str, then: Callable[[], Iterator[Block]]) -> None:
        self._asking, self._question = text, then

    def _answered(self, line: str) -> Iterator[Block]:
        word = answer_of(line, self.lang)
        if word is None:
            yield Text(self.say("terminal.yes_or_no"), "error")
            return
        then, self._question = self._question, None
        assert then is not None
        if word:
            yield from then()

    # -- announcing ----------------------------------------------------------------------------------------------------

    def _try(self, text: str) -> Iterator[Block]:
        point = commands.point_of(self.rules.board, text, self.lang)
        yield from self._play(point)

    def _play(self, action: int) -> Iterator[Block]:
        self.table.play(self.table.position.mover, action)
        yield from self.keep()
        yield from self._last_said()
        yield from self._end() if self.table.is_final else self._state()

    def _last_said(self) -> Iterator[Block]:
        """The announcements of the last try or pass, as both players hear them."""
        game = self.table.game
        if not game.events:
            return
        event = game.events[-1]
        # The seat that did not act hears what is said aloud, and no more.
        yield from self.happened(
            len(game.events) - 1, others(self.rules.colours, event.actor)[0] if event.actor else BLACK
        )

    def _state(self) -> Iterator[Block]:
        if self.table.suspended:
            yield Text(self.say("referee.suspended"))

    # -- commands, by name ---------------------------------------------------------------------------------------------

    def _do_help(self, _: str) -> Iterator[Block]:
        yield Text(self.say("referee.help", vertex=commands.example(self.rules.board)))
        offered = [each for each in commands.REFEREE if each.name != "dead" or self.can_agree]
        yield from (Text(line) for line in commands.help_lines(offered, self.lang))

    def _do_pass(self, _: str) -> Iterator[Block]:
        if self.table.suspended:
            yield from self._do_count("")
        else:
            yield from self._play(PASS)

    def _do_undo(self, _: str) -> Iterator[Block]:
        if not self.table.game.events:
            yield self.refuse("refusals.nothing_to_undo")
            return
        self._take(self.kept().shortened(1))
        yield from self.keep()
        yield Text(self.say("referee.withdrawn", name=self.name(self.table.position.mover)), "said")
        yield from self._state()

    def _do_correct(self, text: str) -> Iterator[Block]:
        # Read before anything is withdrawn.
        point = commands.point_of(self.rules.board, text, self.lang)
        if not self.table.game.events:
            yield self.refuse("refusals.nothing_to_undo")
            return
        yield from self._do_undo("")
        yield from self._play(point)

    def _do_own(self, text: str) -> Iterator[Block]:
        colour = _COLOURS[self.lang].get(commands.fold(text))
        if colour is None:
            yield Text(self.say("referee.own_whose"), "error")
            return
        other = others(self.rules.colours, colour)[0]
        self._ask(self.say("referee.own", name=self.name(colour), other=self.name(other)), lambda: self._peek(colour))

    def _do_board(self, _: str) -> Iterator[Block]:
        if self.base.counting:
            yield self.referee_board(self.say("counting.referee_board"))
        else:
            self._ask(self.say("referee.look_away"), lambda: self._peek(None))

    def _peek(self, colour: int | None) -> Iterator[Block]:
        """Show the stones of one side, or the referee's board, until the next line."""
        self._is_peeking = True
        yield SecretBegins()
        if colour is None:
            yield self.referee_board(self.say("counting.referee_board"))
        else:
            yield self.shown(self.table.view(colour), self.say("referee.stones_of", name=self.name(colour)))

    def _do_repeat(self, _: str) -> Iterator[Block]:
        if not self.table.game.events:
            yield Text(self.say("terminal.no_record"), "error")
        yield from self._last_said()

    def _do_count(self, _: str) -> Iterator[Block]:
        if self.base.counting:
            yield from self._settle()
        elif self.table.suspended:
            self._ask(self.say("referee.both_agree"), self._agreed)
        else:
            yield Text(self.say("referee.count_when"), "error")

    def _agreed(self) -> Iterator[Block]:
        """Both agree to the end: the boards are shown, and counted unless dead stones may be agreed on first."""
        if self.can_agree:
            self.base = replace(self.base, counting=True)
            yield from self.keep()
            yield from self._counting()
        else:
            yield from self._settle()

    def _do_resume(self, _: str) -> Iterator[Block]:
        if not self.table.suspended:
            yield Text(self.say("terminal.not_suspended"), "error")
            return
        self.table.play(self.table.position.mover, RESUME)
        yield from self.keep()
        yield from self._last_said()

    def _do_resign(self, _: str) -> Iterator[Block]:
        mover = self.table.position.mover
        self._ask(self.say("terminal.resign", name=self.name(mover)), lambda: self._play(RESIGN))
        yield from ()

    def _do_quit(self, _: str) -> Iterator[Block]:
        self.is_left = True
        yield from ()
