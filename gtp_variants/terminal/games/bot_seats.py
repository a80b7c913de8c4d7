"""The bots of a game at the keyboard: what they are called, their turns, their failures and their levels."""

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
from gtp_variants.terminal.blocks import Block, TextBlock
from gtp_variants.terminal.games.host import GameHost
from gtp_variants.terminal.games.keyboard import Interruption

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.result import SearchResult

# A person may wait for a bot as long as they like, and break it off.
_PATIENCE = BotDeadlines(command_s=math.inf)


class BotSeats:
    """The bots of a game, `by_colour`; `cores` are those that they may think with."""

    def __init__(self, host: GameHost, interruption: Interruption, cores: int) -> None:
        self._host = host
        self._interruption = interruption
        self._cores = cores
        names = {colour: each.name for colour, each in host.game.seats.items() if each.kind == BOT}
        self.by_colour = {colour: make_player(name, deadlines=_PATIENCE) for colour, name in names.items()}

    # -- who they are --------------------------------------------------------------------------------------------------

    def who(self, colour: int) -> str:
        """Who plays a colour, and how strong a bot is."""
        host, bot = self._host, self._host.game.seats[colour].name
        if bot:
            return introduce(bot, host.rules, host.lang, has_clock=host.game.clocks.control.kind != "none")
        return host.say("terminal.person" if len(host.game.people) > 1 else "terminal.you")

    def title_of(self, colour: int) -> str:
        """What the bot of a colour is called, "" for a person."""
        bot = self._host.game.seats[colour].name
        return bot and title(bot, self._host.lang)

    def names(self) -> dict[int, str]:
        """Who plays, for a record."""
        person = self._host.say("terminal.person")
        return {colour: self.title_of(colour) or person for colour in self._host.rules.colours}

    def level_meanings(self) -> tuple[str, ...]:
        """What each level of the bot means at this game, the lowest first; () without a bot that has levels."""
        names = [self._host.game.seats[colour].name.partition(":")[0] for colour in self.by_colour]
        found = (level_meanings(name, self._host.rules, self._host.lang) for name in names)
        return tuple(next(filter(None, found), ()))

    # -- their turns ---------------------------------------------------------------------------------------------------

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
            # A bot whose process ended because we leave has not failed.
            self._interruption.check()
            yield from self.forfeit(colour, error)
        yield from self._host.save()

    def _let_think_on(self, _: "Callable[[], SearchResult]") -> bool:
        return not self._interruption.is_set

    def forfeit(self, colour: int, error: Exception) -> Iterator[Block]:
        """Let a bot that failed lose by forfeit, unless the game is over anyway."""
        game, name = self._host.game, self.title_of(colour)
        yield self._host.error("terminal.failed", bot=name, why=f"{type(error).__name__}: {error}")
        # It is told nothing more; another bot sits down again when it is asked.
        self._host.table.seats.clear()
        if game.is_over:
            game.remember("failed", name)
        else:
            game.play(colour, FORFEIT)

    # -- their levels --------------------------------------------------------------------------------------------------

    def set_level(self, text: str) -> Iterator[Block]:
        """Let all bots that have levels play at this one from now on, or say why that cannot be."""
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
        """Why a bot takes no such level; what somebody else's bot says of it is in its author's words."""
        if isinstance(error, NotationError):
            return self._host.say("terminal.level_number", level=level[:40])
        if not bots.is_ours(name):
            return str(error)
        if int(level) in NUMBERS:
            return self._host.say("terminal.level_playouts", level=level)
        return self._host.say("terminal.level_range", level=level, least=NUMBERS[0], most=NUMBERS[-1])
