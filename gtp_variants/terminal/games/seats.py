"""The players of a game at the keyboard: the person there, behind a curtain in a hidden game, and the bots.

The curtain falls between two turns: the player who moved reads the referee's answer, then the screen is cleared before
the other player looks. Each seat is shown only its View.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.players import bots
from gtp_variants.players.agreements import BOT
from gtp_variants.players.hosted_game import seed_from
from gtp_variants.players.isolated.player import BotDeadlines, describe, make_player, set_parameter
from gtp_variants.players.levels import NUMBERS, introduce, level_meanings, title
from gtp_variants.players.player import Seat
from gtp_variants.rules.actions import FORFEIT
from gtp_variants.rules.views import View
from gtp_variants.terminal.blocks import Block, BoardBlock, ClearScreen, TextBlock
from gtp_variants.terminal.games.host import GameHost, clock_text

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.result import SearchResult

# States of the curtain: up; still up while the player who moved reads the answer; down, so that nobody may look.
_UP, _READ, _DOWN = range(3)
# A person may wait for a bot without limit, and interrupt it.
_PATIENCE = BotDeadlines(command_s=math.inf)


class Interruption:
    """A request from another thread to stop thinking; it is never withdrawn."""

    is_set = False

    def check(self) -> None:
        """Raise KeyboardInterrupt if the request was made."""
        if self.is_set:
            raise KeyboardInterrupt


class Keyboard:
    """The seat at the keyboard and the news each seat has seen; `is_secret` if a curtain falls between the turns."""

    def __init__(self, host: GameHost) -> None:
        self._host = host
        self.people = host.game.people
        self.is_secret = not host.rules.is_open and len(self.people) > 1
        self._curtain = _DOWN if self.is_secret else _UP
        self.seat = self.asked()
        # The number of events that each seat was told of.
        self._told = {colour: self._count_until(colour) for colour in self.people}

    def _count_until(self, colour: int) -> int:
        """Return the number of events up to the last one of a colour."""
        events = self._host.table.game.events
        return next((i + 1 for i in reversed(range(len(events))) if events[i].actor == colour), 0)

    def asked(self) -> int:
        """Return the person to act, or the first person while none is asked."""
        colour = self._host.game.asked()
        return self.people[0] if colour is None or colour not in self.people else colour

    @property
    def view(self) -> View:
        """The View of the seat at the keyboard."""
        return self._host.table.view(self.seat)

    @property
    def prompt(self) -> str:
        """The text before the line that is typed next."""
        key = {_READ: "terminal.see", _DOWN: "terminal.cover"}.get(self._curtain)
        if key is not None:
            return self._host.say(key, name=self._host.name(self.asked()))
        return self._host.say("terminal.prompt", name=self._host.name(self.seat))

    def report(self) -> Iterator[Block]:
        """Yield the news that the seat at the keyboard was not told yet."""
        start, self._told[self.seat] = self._told[self.seat], len(self._host.table.game.events)
        if not self.is_secret:
            # All people read the same screen.
            self.skip_news()
        yield from self._host.news(start, self.seat)

    def skip_news(self) -> None:
        """Mark all events as told, since they were said already or taken back."""
        self._told = dict.fromkeys(self._told, len(self._host.table.game.events))

    def board(self) -> BoardBlock:
        """Return the seat's board, with lines on suspension and clocks below."""
        rules, suspended = self._host.rules, self._host.table.suspended
        keys = ["terminal.suspended"] if suspended else []
        keys += ["terminal.dead_how"] if suspended and rules.agrees_on_dead and rules.is_open else []
        return self._host.board(self.view, "", *map(self._host.say, keys), *self._clocks())

    def _clocks(self) -> Iterator[str]:
        """Yield a line with the clocks, in a game that has them."""
        clocks, host = self._host.game.clocks, self._host
        if clocks.control.kind != "none":
            shown = (f"{host.name(colour)} {clock_text(clocks.clock(colour))}" for colour in host.rules.colours)
            yield host.say("terminal.clocks", list=", ".join(shown))

    @property
    def is_curtained(self) -> bool:
        """Return True if the next line only moves the curtain."""
        return self._curtain != _UP

    @property
    def is_covered(self) -> bool:
        """Return True if nobody may look."""
        return self._curtain == _DOWN

    def raise_curtain(self) -> None:
        """Raise the curtain for good."""
        self._curtain = _UP

    def show_board(self) -> Iterator[Block]:
        """Show the board to the person to act; in a hidden game first to the one who moved."""
        if self.is_secret and self._host.game.asked() != self.seat:
            yield self.board()
            self._curtain = _READ
        else:
            self.seat = self.asked()
            yield self.board()

    def move_curtain(self) -> Iterator[Block]:
        """Let the curtain fall, or lift it for the person to act."""
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


class BotSeats:
    """The bots of a game, `by_colour`; each may think with `cores` cores."""

    def __init__(self, host: GameHost, interruption: Interruption, cores: int) -> None:
        self._host = host
        self._interruption = interruption
        self._cores = cores
        names = {colour: each.name for colour, each in host.game.seats.items() if each.kind == BOT}
        self.by_colour = {colour: make_player(name, deadlines=_PATIENCE) for colour, name in names.items()}

    def who(self, colour: int) -> str:
        """Describe the player of a colour, with the strength of a bot."""
        host, bot = self._host, self._host.game.seats[colour].name
        if bot:
            return introduce(bot, host.rules, host.lang, has_clock=host.game.clocks.control.kind != "none")
        return host.say("terminal.person" if len(host.game.people) > 1 else "terminal.you")

    def title_of(self, colour: int) -> str:
        """Return the title of the bot of a colour, "" for a person."""
        bot = self._host.game.seats[colour].name
        return bot and title(bot, self._host.lang)

    def names(self) -> dict[int, str]:
        """Return the names of the players, for a record."""
        person = self._host.say("terminal.person")
        return {colour: self.title_of(colour) or person for colour in self._host.rules.colours}

    def level_meanings(self) -> tuple[str, ...]:
        """Describe each level of the bot at this game, the lowest first; () without a bot that has levels."""
        names = [self._host.game.seats[colour].name.partition(":")[0] for colour in self.by_colour]
        found = (level_meanings(name, self._host.rules, self._host.lang) for name in names)
        return tuple(next(filter(None, found), ()))

    def act(self, colour: int) -> Iterator[Block]:
        """Let a bot act; one that fails loses the game by forfeit."""
        game, table = self._host.game, self._host.table
        try:
            if colour not in table.seats:
                table.seat(colour, self.by_colour[colour], seed_from(game.record, f"seat {colour}"))
            player = table.seats[colour]
            bots.lend_cores(player, self._cores)
            if isinstance(player, Seat):
                player.on_progress = self._let_think_on
            table.clocks[colour] = game.clocks.clock(colour)
            action = table.choose(colour)
            self._interruption.check()
            game.answer(colour, action)
        except Exception as error:
            # A bot's process that ended because the person leaves has not failed.
            self._interruption.check()
            yield from self.forfeit(colour, error)
        yield from self._host.save()

    def _let_think_on(self, _: "Callable[[], SearchResult]") -> bool:
        return not self._interruption.is_set

    def forfeit(self, colour: int, error: Exception) -> Iterator[Block]:
        """Let a failed bot lose by forfeit, unless the game is over."""
        game, name = self._host.game, self.title_of(colour)
        yield self._host.error("terminal.failed", bot=name, why=f"{type(error).__name__}: {error}")
        # The failed bot is told nothing more; any other bot is seated again at its next move.
        self._host.table.seats.clear()
        if game.is_over:
            game.remember("failed", name)
        else:
            game.play(colour, FORFEIT)

    def set_level(self, text: str) -> Iterator[Block]:
        """Set the level of all bots that have levels, or explain why not."""
        host, seats = self._host, self._host.game.seats
        if not self.by_colour:
            yield host.error("terminal.no_bot")
            return
        levelled = {
            colour: bot for colour, bot in self.by_colour.items() if "level" in describe(seats[colour].name).parameters
        }
        if not levelled:
            names = sorted({self.title_of(colour) for colour in self.by_colour})
            yield host.error("terminal.no_level", bot=", ".join(names))
            return
        if not text:
            yield host.error("terminal.level_needed")
            return
        for colour, bot in levelled.items():
            try:
                set_parameter(bot, "level", text)
            except (NotationError, ConfigError) as error:
                why = self._why_not_level(seats[colour].name, text, error)
                yield host.error("terminal.level_which", why=why)
                return
        for colour in levelled:
            name = bots.with_parameter(seats[colour].name, "level", text)
            host.game.change_seat(colour, replace(seats[colour], name=name))
        yield from host.save()
        yield TextBlock(host.say("terminal.level", level=text))
        yield from (TextBlock(self.who(colour)) for colour in levelled if self.who(colour) != self.title_of(colour))

    def _why_not_level(self, name: str, level: str, error: NotationError | ConfigError) -> str:
        """Explain why a bot does not have a level; a bot of a file does so in its author's words."""
        if isinstance(error, NotationError):
            return self._host.say("terminal.level_number", level=level[:40])
        if not bots.is_ours(name):
            return str(error)
        if int(level) in NUMBERS:
            return self._host.say("terminal.level_playouts", level=level)
        return self._host.say("terminal.level_range", level=level, least=NUMBERS[0], most=NUMBERS[-1])
