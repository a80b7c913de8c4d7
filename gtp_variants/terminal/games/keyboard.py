"""Who sits at the keyboard, what their seat was told, and the curtain between two people of a hidden game.

The curtain falls between the turns of two people: whoever moved sees what the referee said, then everything is cleared
before the other one looks. Each seat is shown what its View holds and nothing else.
"""

from collections.abc import Iterator

from gtp_variants.rules.views import View
from gtp_variants.terminal.blocks import Block, BoardBlock, ClearScreen, TextBlock
from gtp_variants.terminal.games.host import GameHost, clock_text

# The curtain: up; still up for whoever moved, to read what was said; down, so that nobody may look.
_UP, _READ, _DOWN = range(3)


class Interruption:
    """A word from another thread that whatever is being thought is to be broken off; it is never taken back."""

    is_set = False

    def check(self) -> None:
        """Raise KeyboardInterrupt once it was said."""
        if self.is_set:
            raise KeyboardInterrupt


class Keyboard:
    """The seat at the keyboard, and what each seat was told; `is_secret` if a curtain falls between the turns."""

    def __init__(self, host: GameHost) -> None:
        self._host = host
        self.people = host.game.people
        self.is_secret = not host.rules.is_open and len(self.people) > 1
        self._curtain = _DOWN if self.is_secret else _UP
        self.seat = self.asked()
        # How many events each seat was told of.
        self._told = {colour: self._count_until(colour) for colour in self.people}

    def _count_until(self, colour: int) -> int:
        """Number of the first event that came after the last one of a colour."""
        events = self._host.table.game.events
        return next((i + 1 for i in reversed(range(len(events))) if events[i].actor == colour), 0)

    def asked(self) -> int:
        """The person who acts now, the first person where none does."""
        colour = self._host.game.asked()
        return self.people[0] if colour is None or colour not in self.people else colour

    @property
    def view(self) -> View:
        """What the seat at the keyboard knows."""
        return self._host.table.view(self.seat)

    @property
    def prompt(self) -> str:
        """What stands before the line that is typed next."""
        key = {_READ: "terminal.see", _DOWN: "terminal.cover"}.get(self._curtain)
        if key is not None:
            return self._host.say(key, name=self._host.name(self.asked()))
        return self._host.say("terminal.prompt", name=self._host.name(self.seat))

    # -- what the seat is told -----------------------------------------------------------------------------------------

    def report(self) -> Iterator[Block]:
        """What the seat at the keyboard was not told yet."""
        start, self._told[self.seat] = self._told[self.seat], len(self._host.table.game.events)
        if not self.is_secret:
            # One pair of eyes: whoever sits there has been told everything.
            self.skip_news()
        yield from self._host.news(start, self.seat)

    def skip_news(self) -> None:
        """Tell nobody what happened until now: it was said already, or taken back."""
        self._told = dict.fromkeys(self._told, len(self._host.table.game.events))

    def board(self) -> BoardBlock:
        """The board as the seat knows it; below it what passes came to, and the clocks."""
        rules, suspended = self._host.rules, self._host.table.suspended
        keys = ["terminal.suspended"] if suspended else []
        keys += ["terminal.dead_how"] if suspended and rules.agrees_on_dead and rules.is_open else []
        return self._host.board(self.view, "", *map(self._host.say, keys), *self._clocks())

    def _clocks(self) -> Iterator[str]:
        """What the clocks show, in a game that has them."""
        clocks, host = self._host.game.clocks, self._host
        if clocks.control.kind != "none":
            shown = (f"{host.name(colour)} {clock_text(clocks.clock(colour))}" for colour in host.rules.colours)
            yield host.say("terminal.clocks", list=", ".join(shown))

    # -- who sits there ------------------------------------------------------------------------------------------------

    @property
    def is_curtained(self) -> bool:
        """Whether the next line only moves the curtain."""
        return self._curtain != _UP

    @property
    def is_covered(self) -> bool:
        """Whether nobody may look."""
        return self._curtain == _DOWN

    def raise_curtain(self) -> None:
        """Hide nothing more from whoever sits there."""
        self._curtain = _UP

    def show_board(self) -> Iterator[Block]:
        """Show the board to whoever is asked now; whoever moved before a curtain falls reads first what was said."""
        if self.is_secret and self._host.game.asked() != self.seat:
            yield self.board()
            self._curtain = _READ
        else:
            self.seat = self.asked()
            yield self.board()

    def move_curtain(self) -> Iterator[Block]:
        """Let the curtain fall, or lift it for whoever has the keyboard now."""
        if not self.is_covered:
            self._curtain = _DOWN
            yield ClearScreen()
            return
        self._curtain = _UP
        self.seat = self.asked()
        yield ClearScreen()
        blocks = list(self.report())
        if blocks:
            yield TextBlock(self._host.say("terminal.said_since"), "quiet")
        yield from blocks
        yield self.board()
