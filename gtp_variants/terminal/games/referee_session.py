"""The `referee` command without I/O, which takes typed lines and returns the referee's announcements.

Source: the specification's 001_d6d69fd415a28a9d.txt: "L'arbitre doit rester neutre et ne doit pas influencer les choix
des joueurs, ses propos doivent rester au strict minimum." The players can see the screen, so the command never repeats
what was typed, and shows boards only once players who may not see them have looked away.
"""

from collections.abc import Iterable, Iterator

from gtp_variants.errors import NotationError, VariantsError
from gtp_variants.players.agreements import example_point
from gtp_variants.players.hosted_game import HostedGame
from gtp_variants.rules.actions import BLACK, PASS, RESIGN, WHITE
from gtp_variants.rules.illegal_moves import not_turn
from gtp_variants.rules.turn_rules import others
from gtp_variants.terminal.blocks import Block, Secret, TextBlock
from gtp_variants.terminal.games import commands
from gtp_variants.terminal.games.game_end import GameEnd
from gtp_variants.terminal.games.host import GameHost
from gtp_variants.terminal.games.save_file import SaveFile

_WHILE_COUNTING = ("help", "dead", "count", "quit", "board")
# The letter "b" means Black in English, but White ("blanc") in French.
_COLOURS = {
    "en": {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE},
    "fr": {"n": BLACK, "noir": BLACK, "b": WHITE, "blanc": WHITE},
}


class RefereeSession:
    """A game of two people with their own boards. `is_echoed` is True if only a human referee sees the screen."""

    is_secret = False

    def __init__(self, file: SaveFile, game: HostedGame, is_echoed: bool = False) -> None:
        self.host = GameHost(file, game)
        self.game = game
        self.lang = self.host.lang
        self.is_echoed = is_echoed
        self.is_left = False
        self.rules = self.host.rules
        self._end = GameEnd(self.host)
        self._is_peeking = False
        self._example = example_point(self.rules.board)

    @property
    def is_finished(self) -> bool:
        """Return True if the result has been shown."""
        return self._end.is_finished

    def again(self) -> "RefereeSession":
        """Return a session that continues the saved game after an interruption."""
        return RefereeSession(self.host.file, self.host.load(), self.is_echoed)

    @property
    def is_unseen(self) -> bool:
        """Return True if the next line must be typed without echo."""
        return not (self.is_echoed or self.host.question.text or self._is_peeking or self.game.is_counting)

    @property
    def prompt(self) -> str:
        """The text shown before the next line."""
        if self.host.question.text:
            return self.host.question.text + " "
        if self._is_peeking:
            return self.host.say("referee.hide")
        return self.host.say("terminal.prompt", name=self.host.name(self.host.table.position.mover))

    def begin(self, is_resumed: bool = False) -> Iterator[Block]:
        """Yield the first blocks: the path of the file, how to type a try, and the last announcements."""
        yield from self.host.save()
        yield from self.host.say_path()
        yield TextBlock(self.host.say("referee.help", vertex=self._example), "quiet")
        if not self.is_echoed:
            yield TextBlock(self.host.say("referee.unseen"), "quiet")
        if is_resumed:
            yield TextBlock(self.host.say("terminal.resumed"))
            yield from self._repeat_last()
        if self.game.is_counting:
            yield from self._end.show_count("referee.counting")
        elif self.game.is_over:
            yield from self._end.finish({})
        else:
            yield from self._state()

    def answer(self, line: str) -> Iterator[Block]:
        """Yield the blocks that answer a typed line."""
        if self._is_peeking:
            self._is_peeking = False
            yield Secret.ENDS
        elif self.host.question.text:
            yield from self.host.question.answer(line)
        elif line.strip():
            try:
                yield from self._obey(line)
            except NotationError as error:
                # The line may be a try, which the opponent must not read, so the message does not quote it.
                unquoted = self.host.say("referee.not_understood", vertex=self._example)
                yield TextBlock(unquoted if self.is_unseen else str(error), "error")
            except VariantsError as error:
                yield self.host.explain(error)

    def _obey(self, line: str) -> Iterator[Block]:
        first, _, rest = " ".join(line.split()).partition(" ")
        colour = _COLOURS[self.lang].get(commands.fold(first))
        if colour is not None and rest:
            line = rest
            if colour != self.host.table.position.mover and not self.game.is_counting:
                raise not_turn(self.host.table.position.mover, self.lang)
        typed = commands.read(line, commands.REFEREE, self.lang, self._example)
        if self.game.is_counting and typed.name not in _WHILE_COUNTING:
            yield self.host.error("referee.counting")
        elif not typed.name:
            yield from self._play(commands.point_of(self.rules.board, typed.argument, self.lang))
        else:
            yield from getattr(self, f"_do_{typed.name}")(typed.argument)

    def _play(self, action: int) -> Iterator[Block]:
        self.game.play(self.host.table.position.mover, action)
        yield from self.host.save()
        yield from self._repeat_last()
        yield from self._end.finish({}) if self.game.is_over else self._state()

    def _repeat_last(self) -> Iterator[Block]:
        """Yield the announcements of the last try or pass."""
        events = self.host.table.game.events
        if events:
            # The seat that did not act hears exactly what the referee says aloud, so announce its news.
            listener = others(self.rules.colours, events[-1].actor)[0] if events[-1].actor else BLACK
            yield from self.host.news(len(events) - 1, listener)

    def _state(self) -> Iterator[Block]:
        if self.host.table.suspended:
            yield TextBlock(self.host.say("referee.suspended"))

    def _do_help(self, _: str) -> Iterator[Block]:
        yield TextBlock(self.host.say("referee.help", vertex=self._example))
        offered = [each for each in commands.REFEREE if each.name != "dead" or self.rules.agrees_on_dead]
        yield from (TextBlock(line) for line in commands.help_lines(offered, self.lang))

    def _do_pass(self, _: str) -> Iterator[Block]:
        if self.host.table.suspended:
            yield from self._do_count("")
        else:
            yield from self._play(PASS)

    def _do_undo(self, _: str) -> Iterator[Block]:
        self.game.withdraw()
        yield from self.host.save()
        yield TextBlock(self.host.say("referee.withdrawn", name=self.host.name(self.host.table.position.mover)), "said")
        yield from self._state()

    def _do_correct(self, text: str) -> Iterator[Block]:
        # The point is read first, so that nothing is withdrawn if the text cannot be understood.
        point = commands.point_of(self.rules.board, text, self.lang)
        yield from self._do_undo("")
        yield from self._play(point)

    def _do_own(self, text: str) -> Iterator[Block]:
        colour = _COLOURS[self.lang].get(commands.fold(text))
        if colour is None:
            yield self.host.error("referee.own_whose")
            return
        other = others(self.rules.colours, colour)[0]
        asked = self.host.say("referee.own", name=self.host.name(colour), other=self.host.name(other))
        self.host.question.ask(asked, lambda: self._peek(colour))

    def _do_board(self, _: str) -> Iterator[Block]:
        if self.game.is_counting:
            yield self.host.referee_board()
        else:
            self.host.question.ask(self.host.say("referee.look_away"), lambda: self._peek(None))

    def _peek(self, colour: int | None) -> Iterator[Block]:
        """Show one side's stones, or the referee's board, until a line is typed."""
        self._is_peeking = True
        yield Secret.BEGINS
        if colour is None:
            yield self.host.referee_board()
        else:
            title = self.host.say("referee.stones_of", name=self.host.name(colour))
            yield self.host.board(self.host.table.view(colour), title)

    def _do_repeat(self, _: str) -> Iterator[Block]:
        if not self.host.table.game.events:
            yield self.host.error("terminal.no_record")
        yield from self._repeat_last()

    def _do_dead(self, text: str) -> Iterator[Block]:
        return self._end.mark_dead(text)

    def _do_count(self, _: str) -> Iterator[Block]:
        if self.game.is_counting:
            self.game.settle(self.game.people[0])
            yield from self.host.save()
            yield from self._end.finish({})
        elif self.host.table.suspended:
            self.host.question.ask(self.host.say("referee.both_agree"), self._agree)
        else:
            yield self.host.error("referee.count_when")

    def _agree(self) -> Iterator[Block]:
        """End the game by agreement: show the boards, and count unless the players must first agree on dead stones."""
        while (colour := self.game.asked()) is not None:
            self.game.answer(colour, PASS)
        yield from self.host.save()
        yield from self._end.show_count("referee.counting") if self.game.is_counting else self._end.finish({})

    def _do_resume(self, _: str) -> Iterator[Block]:
        return self._end.resume(self._repeat_last)

    def _do_resign(self, _: str) -> Iterable[Block]:
        mover = self.host.table.position.mover
        self.host.question.ask(self.host.say("terminal.resign", name=self.host.name(mover)), lambda: self._play(RESIGN))
        return ()

    def _do_quit(self, _: str) -> Iterable[Block]:
        self.is_left = True
        return ()
