"""The players of a game at the keyboard: the bots, and people, who in a hidden game are separated by a curtain.

The curtain falls between two turns. The player who moved reads the referee's answer, and the screen is cleared before
the other player looks. Each seat is shown only its own View.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.gtp.client.isolated_bot import describe, launch_bot, make_player, set_parameter
from gtp_variants.gtp.client.player import FreshEngines
from gtp_variants.players import bots
from gtp_variants.players.agreements import BOT
from gtp_variants.players.hosted_game import seed_from
from gtp_variants.players.levels import NUMBERS, introduce, level_meanings, title
from gtp_variants.players.player import Seat
from gtp_variants.rules.actions import FORFEIT
from gtp_variants.rules.views import View
from gtp_variants.terminal.blocks import Block, BoardBlock, Secret, TextBlock
from gtp_variants.terminal.games.host import GameHost, clock_text

# States of the curtain: up, still up while the player who moved reads the answer, or down so that nobody may look.
_UP, _READ, _DOWN = range(3)


class Interruption:
    """A request from another thread to stop thinking. It is never withdrawn."""

    is_set = False

    def check(self) -> None:
        """Raise KeyboardInterrupt if the request has been made."""
        if self.is_set:
            raise KeyboardInterrupt


class Keyboard:
    """The seat at the keyboard, and the news each seat has seen. `is_secret` is True if a curtain separates turns."""

    def __init__(self, host: GameHost) -> None:
        self._host = host
        self.people = host.game.people
        self.is_secret = not host.rules.is_open and len(self.people) > 1
        self._curtain = _DOWN if self.is_secret else _UP
        self.seat = self.asked()
        # The number of events that each seat has been told of: those up to and including its own last event.
        last = {event.actor: number for number, event in enumerate(host.table.game.events, 1)}
        self._told = {colour: last.get(colour, 0) for colour in self.people}

    def asked(self) -> int:
        """Return the colour of the person to act, or of the first person if nobody has to act."""
        colour = self._host.game.asked()
        return self.people[0] if colour is None or colour not in self.people else colour

    @property
    def view(self) -> View:
        """The View of the seat at the keyboard."""
        return self._host.table.view(self.seat)

    @property
    def prompt(self) -> str:
        """The text shown before the next line."""
        key = {_READ: "terminal.see", _DOWN: "terminal.cover"}.get(self._curtain)
        if key is not None:
            return self._host.say(key, name=self._host.name(self.asked()))
        return self._host.say("terminal.prompt", name=self._host.name(self.seat))

    def report(self) -> Iterator[Block]:
        """Yield the news that the seat at the keyboard has not been told yet."""
        start, self._told[self.seat] = self._told[self.seat], len(self._host.table.game.events)
        if not self.is_secret:
            # All people read the same screen, so nobody is told this news again.
            self.skip_news()
        yield from self._host.news(start, self.seat)

    def skip_news(self) -> None:
        """Mark all events as told, because they have already been shown or taken back."""
        self._told = dict.fromkeys(self._told, len(self._host.table.game.events))

    def board(self) -> BoardBlock:
        """Return the seat's board, with lines about suspension and the clocks below it."""
        rules, suspended = self._host.rules, self._host.table.suspended
        keys = ["terminal.suspended"] if suspended else []
        keys += ["terminal.dead_how"] if suspended and rules.agrees_on_dead and rules.is_open else []
        return self._host.board(self.view, "", *map(self._host.say, keys), *self._clocks())

    def _clocks(self) -> Iterator[str]:
        """Yield a line with the clocks, if the game has a time control."""
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
        """Show the board to the person to act, or in a hidden game first to the person who has just moved."""
        if self.is_secret and self._host.game.asked() != self.seat:
            yield self.board()
            self._curtain = _READ
        else:
            self.seat = self.asked()
            yield self.board()

    def move_curtain(self) -> Iterator[Block]:
        """Lower the curtain, or raise it for the person to act."""
        if not self.is_covered:
            self._curtain = _DOWN
            yield Secret.CLEARED
            return
        self._curtain = _UP
        self.seat = self.asked()
        yield Secret.CLEARED
        blocks = list(self.report())
        if blocks:
            yield TextBlock(self._host.say("terminal.said_since"), "quiet")
        yield from blocks
        yield self.board()


class BotSeats:
    """The bots of a game, listed in `by_colour`. Each may think with `cores` cores."""

    def __init__(self, host: GameHost, interruption: Interruption, cores: int) -> None:
        self._host = host
        self._interruption = interruption
        self._cores = cores
        names = {colour: each.name for colour, each in host.game.seats.items() if each.kind == BOT}
        # There is no time limit for bots, because the person can interrupt them.
        self.by_colour = {
            colour: make_player(name, FreshEngines(launch_bot(name, command_s=math.inf)))
            for colour, name in names.items()
        }

    def who(self, colour: int) -> str:
        """Return a description of the player of a colour. For a bot it includes the strength."""
        host, bot = self._host, self._host.game.seats[colour].name
        if bot:
            return introduce(bot, host.rules, host.lang, has_clock=host.game.clocks.control.kind != "none")
        return host.say("terminal.person" if len(host.game.people) > 1 else "terminal.you")

    def title_of(self, colour: int) -> str:
        """Return the title of the bot of a colour, or "" for a person."""
        bot = self._host.game.seats[colour].name
        return bot and title(bot, self._host.lang)

    def names(self) -> dict[int, str]:
        """Return the names of the players by colour, for a record."""
        person = self._host.say("terminal.person")
        return {colour: self.title_of(colour) or person for colour in self._host.rules.colours}

    def level_meanings(self) -> tuple[str, ...]:
        """Return descriptions of the bot's levels in this game, the lowest first, or () if no bot has levels."""
        names = [self._host.game.seats[colour].name.partition(":")[0] for colour in self.by_colour]
        found = (level_meanings(name, self._host.rules, self._host.lang) for name in names)
        return tuple(next(filter(None, found), ()))

    def act(self, colour: int) -> Iterator[Block]:
        """Let a bot act. If it fails, it loses the game by forfeit."""
        game, table = self._host.game, self._host.table
        try:
            if colour not in table.seats:
                table.seat(colour, self.by_colour[colour], seed_from(game.record, f"seat {colour}"))
            player = table.seats[colour]
            bots.lend_cores(player, self._cores)
            if isinstance(player, Seat):
                player.on_progress = lambda _: not self._interruption.is_set
            table.clocks[colour] = game.clocks.clock(colour)
            action = table.choose(colour)
            self._interruption.check()
            game.answer(colour, action)
        except Exception as error:
            # If the bot's process ended because the person is leaving, the bot has not failed, so check that first.
            self._interruption.check()
            yield from self.forfeit(colour, error)
        yield from self._host.save()

    def forfeit(self, colour: int, error: Exception) -> Iterator[Block]:
        """Let a failed bot lose by forfeit, unless the game is over."""
        game, name = self._host.game, self.title_of(colour)
        yield self._host.error("terminal.failed", bot=name, why=f"{type(error).__name__}: {error}")
        # The failed bot gets no more news. Any other bot is seated again when it next moves.
        self._host.table.seats.clear()
        if game.is_over:
            game.remember("failed", name)
        else:
            game.play(colour, FORFEIT)

    def set_level(self, text: str) -> Iterator[Block]:
        """Set the level of all bots that have levels, or explain why that is not possible."""
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
        """Return why a bot does not have a level. For a bot from a file, the reason is its own error message."""
        if isinstance(error, NotationError):
            return self._host.say("terminal.level_number", level=level[:40])
        if not bots.is_ours(name):
            return str(error)
        if int(level) in NUMBERS:
            return self._host.say("terminal.level_playouts", level=level)
        return self._host.say("terminal.level_range", level=level, least=NUMBERS[0], most=NUMBERS[-1])
