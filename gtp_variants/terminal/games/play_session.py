"""The `play` command without I/O: a typed line comes in, blocks to show come out.

With two people in Go Fantôme a curtain falls between the turns: whoever moved sees what the referee said, then
everything is cleared before the other one looks. Each seat is shown what its View holds and nothing else.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from gtp_variants.base.folders import user_path
from gtp_variants.errors import ConfigError, NotationError, VariantsError
from gtp_variants.lang import RequestRefused
from gtp_variants.players import bots
from gtp_variants.players.agreements import BOT, DICE, UNDO, example_point
from gtp_variants.players.hosted_game import HostedGame, new_record, seed_from
from gtp_variants.players.isolated.player import BotDeadlines, describe, make_player, set_parameter
from gtp_variants.players.levels import NUMBERS, introduce, level_meanings, title
from gtp_variants.players.player import Seat
from gtp_variants.players.table import view_to_move
from gtp_variants.players.thinking.hints import suggest_move
from gtp_variants.records.files import explain, save
from gtp_variants.records.record import printable
from gtp_variants.rules import words
from gtp_variants.rules.actions import FORFEIT, PASS, RESIGN, SWAP
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules
from gtp_variants.rules.views import View
from gtp_variants.terminal.blocks import Block, ClearScreen, SecretBegins, TextBlock, ThinkingBlock
from gtp_variants.terminal.games import commands, info_commands
from gtp_variants.terminal.games.commands import quote
from gtp_variants.terminal.games.host import GameHost, clock_text
from gtp_variants.terminal.games.info_commands import tell_hint
from gtp_variants.terminal.games.save_file import POLICY, SaveFile

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.result import SearchResult
    from gtp_variants.terminal.games.position_analysis import Estimates

# A person may wait for a bot as long as they like, and break it off.
_PATIENCE = BotDeadlines(command_s=math.inf)
# Where a game stands: somebody plays; they have moved and read what was said; nobody may look.
_OPEN, _READ, _COVERED = range(3)
_WHILE_COUNTING = ("help", "rules", "dead", "end", "quit", "board", "record", "new")
_WHEN_FINISHED = (
    *("help", "rules", "quit", "board", "record", "new"),
    *("liberties", "atari", "draws", "score", "save"),
)
# Letters of somebody's name in a file.
_LONGEST_NAME = 40


class PlaySession:
    """One person against bots, or people only, at one keyboard.

    Every line goes to `answer`, whose blocks come one by one, so that a terminal can say that a bot thinks while it
    does.
    """

    is_unseen = False

    def __init__(
        self,
        file: SaveFile,
        game: HostedGame,
        has_seed: bool = False,
        cores: int = 1,
        replaced: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        """`cores` are those that bots and searches may think with, `replaced` whom a file names where a bot plays."""
        self._has_seed = has_seed
        self._replaced = replaced
        self._cores = cores
        self._is_terse = False
        self.is_left = False
        self._is_interrupted = False
        self._take(GameHost(file, game))

    def _take(self, host: GameHost) -> None:
        """Play the game of a host from where it stands."""
        self.host = host
        self.game = host.game
        self.lang = host.lang
        self.people = self.game.people
        self.is_secret = not self.rules.is_open and len(self.people) > 1
        names = {colour: each.name for colour, each in self.game.seats.items() if each.kind == BOT}
        self._bots = {colour: make_player(name, deadlines=_PATIENCE) for colour, name in names.items()}
        self.is_finished = False
        self._stage = _COVERED if self.is_secret else _OPEN
        self._was_shown = self.game.is_counting
        self._seat = self._acting()
        self._estimates: dict[int, Estimates] = {}
        # How many events each seat was told of.
        self._told = {colour: self._last_of(colour) for colour in self.people}

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.host.rules

    def _last_of(self, colour: int) -> int:
        """Number of the first event that came after the last one of a colour."""
        events = self.host.table.game.events
        return next((i + 1 for i in reversed(range(len(events))) if events[i].actor == colour), 0)

    def _acting(self) -> int:
        """The person who acts now or sits at the keyboard."""
        asked = self.game.asked()
        return self.people[0] if asked is None or asked not in self.people else asked

    @property
    def prompt(self) -> str:
        """What stands before the line that is typed next."""
        if self.host.question.text:
            return self.host.question.text + " "
        key = {_READ: "terminal.see", _COVERED: "terminal.cover"}.get(self._stage)
        if key is not None:
            return self.host.say(key, name=self.host.name(self._acting()))
        return self.host.say("terminal.prompt", name=self.host.name(self._seat))

    @property
    def is_curtained(self) -> bool:
        """Whether the next line only moves the curtain between two turns."""
        return self._stage != _OPEN

    @property
    def is_covered(self) -> bool:
        """Whether nobody may look."""
        return self._stage == _COVERED

    def interrupt(self) -> None:
        """Break off whatever is being thought, from another thread: the blocks under way end in KeyboardInterrupt."""
        self._is_interrupted = True

    def check_clock(self) -> Iterator[Block]:
        """End the game if the time of the person who is asked is over."""
        if not self.game.is_over and self.game.asked() in self.people and self.game.flag():
            yield from self.host.save()
            yield from self._go_on()

    @property
    def view(self) -> View:
        """What the seat at the keyboard knows."""
        return self.host.table.view(self._seat)

    def again(self) -> "PlaySession":
        """A session that goes on with this game from where it is kept, after something was broken off."""
        return PlaySession(self.host.file, self.host.load(), cores=self._cores)

    def farewell(self) -> Iterator[Block]:
        """Where the game is kept and how to go on with it."""
        return self.host.release()

    # -- beginning and going on ----------------------------------------------------------------------------------------

    def begin(self, is_resumed: bool = False, is_terse: bool = False) -> Iterator[Block]:
        """The first blocks: who plays, the commitment to the dice, where the game is kept, the board.

        With `is_terse` only what a screen does not show anyway, in this game and in those that follow it.
        """
        self._is_terse = is_terse
        if self.is_secret:
            yield SecretBegins()
        yield from self.host.save()
        if not is_terse:
            yield from self._introduce()
        else:
            for colour in self._bots:
                name = self.host.name(colour)
                yield TextBlock(self.host.say("terminal.who", name=name, who=self.who(colour)), "quiet")
        for colour, named in self._replaced.items():
            who = {
                "name": self.host.name(colour),
                "named": printable(named)[:_LONGEST_NAME],
                "who": self.title_of(colour),
            }
            yield TextBlock(self.host.say("terminal.instead", **who))
        if is_resumed:
            yield TextBlock(self.host.say("terminal.resumed"))
        if self.game.is_counting:
            yield from self._show_count()
        elif not self.is_secret or self.game.is_over:
            yield from self._go_on()

    def _introduce(self) -> Iterator[Block]:
        host = self.host
        for colour in self.rules.colours:
            yield TextBlock(host.say("terminal.who", name=host.name(colour), who=self.who(colour)))
        if isinstance(self.rules, DicedRules):
            yield TextBlock(host.say("dice.commitment", commitment=self.game.record.commitment), "quiet")
            if self._has_seed:
                yield TextBlock(host.say("dice.short_seed"), "quiet")
        yield from host.say_path()
        yield TextBlock(host.say("terminal.help", vertex=example_point(self.rules.board)), "quiet")

    def who(self, colour: int) -> str:
        """Who plays a colour, and how strong a bot is."""
        bot = self.game.seats[colour].name
        if bot:
            return introduce(bot, self.rules, self.lang, has_clock=self.game.clocks.control.kind != "none")
        return self.host.say("terminal.person" if len(self.people) > 1 else "terminal.you")

    def title_of(self, colour: int) -> str:
        """What the bot of a colour is called, "" for a person."""
        bot = self.game.seats[colour].name
        return bot and title(bot, self.lang)

    def level_meanings(self) -> tuple[str, ...]:
        """What each level of the bot means at this game, the lowest first; () without a bot that has levels."""
        names = [self.game.seats[colour].name.partition(":")[0] for colour in self._bots]
        found = (level_meanings(name, self.rules, self.lang) for name in names)
        return tuple(next(filter(None, found), ()))

    def _names(self) -> dict[int, str]:
        """Who plays, for a record."""
        person = self.host.say("terminal.person")
        return {colour: self.title_of(colour) or person for colour in self.rules.colours}

    def _go_on(self) -> Iterator[Block]:
        """Tell what happened, let bots act until a person is asked, and show the board to whoever that is."""
        while True:
            if self.game.is_counting:
                yield from self._show_count()
                return
            yield from self._report()
            if self.game.is_over:
                yield from self._end()
                return
            colour = self.game.asked()
            if colour is None or colour in self.people:
                break
            yield ThinkingBlock(self.host.say("terminal.thinks", name=self.host.name(colour)))
            yield from self._let_bot_act(colour)
        if self.is_secret and colour != self._seat:
            yield self._board()
            self._stage = _READ
            return
        self._seat = self._acting()
        yield self._board()
        if self.host.table.suspended and self.rules.is_open:
            yield from self.host.say_dead()

    def _report(self) -> Iterator[Block]:
        """What the seat at the keyboard was not told yet."""
        start, self._told[self._seat] = self._told[self._seat], len(self.host.table.game.events)
        if not self.is_secret:
            # One pair of eyes: whoever sits there has been told everything.
            self._tell_nothing_of_the_past()
        yield from self.host.news(start, self._seat)

    def _tell_nothing_of_the_past(self) -> None:
        self._told = dict.fromkeys(self._told, len(self.host.table.game.events))

    def _board(self) -> Block:
        suspended = self.host.table.suspended
        keys = ["terminal.suspended"] if suspended else []
        keys += ["terminal.dead_how"] if suspended and self.rules.agrees_on_dead and self.rules.is_open else []
        return self.host.board(self.view, "", *map(self.host.say, keys), *self._clocks())

    def _clocks(self) -> Iterator[str]:
        """What the clocks show, in a game that has them."""
        clocks = self.game.clocks
        if clocks.control.kind != "none":
            shown = (f"{self.host.name(colour)} {clock_text(clocks.clock(colour))}" for colour in self.rules.colours)
            yield self.host.say("terminal.clocks", list=", ".join(shown))

    def _let_bot_act(self, colour: int) -> Iterator[Block]:
        """Let a bot act; one that fails loses the game by forfeit."""
        table = self.host.table
        try:
            if colour not in table.seats:
                table.seat(colour, self._bots[colour], seed_from(self.game.record, f"seat {colour}"))
            player = table.seats[colour]
            bots.lend_cores(player, self._cores)
            if isinstance(player, Seat):
                player.on_progress = self._let_think_on
            table.clocks[colour] = self.game.clocks.clock(colour)
            action = table.choose(colour)
            self._expect_no_interruption()
            self.game.answer(colour, action)
        except Exception as error:
            # A bot whose process ended because we leave has not failed.
            self._expect_no_interruption()
            yield from self._forfeit(colour, error)
        yield from self.host.save()

    def _let_think_on(self, _: "Callable[[], SearchResult]") -> bool:
        return not self._is_interrupted

    def _expect_no_interruption(self) -> None:
        if self._is_interrupted:
            raise KeyboardInterrupt

    def _forfeit(self, colour: int, error: Exception) -> Iterator[Block]:
        """A bot that failed loses by forfeit, unless the game is over anyway."""
        name, why = self.title_of(colour), f"{type(error).__name__}: {error}"
        yield self.host.error("terminal.failed", bot=name, why=why)
        # It is told nothing more; another bot sits down again when it is asked.
        self.host.table.seats.clear()
        if self.game.is_over:
            self.game.remember("failed", name)
        else:
            self.game.play(colour, FORFEIT)

    def _act(self, action: int) -> Iterator[Block]:
        """The person who is asked does something."""
        table = self.host.table
        before = len(table.game.events)
        try:
            self.game.answer(self._seat, action)
        except VariantsError:
            raise
        except Exception as error:
            # A bot that was told of it.
            yield from self._forfeit(next(iter(table.seats)), error)
        if len(table.game.events) == before and not self.game.is_counting:
            yield TextBlock(self.host.say("terminal.agrees", name=self.host.name(self._seat)), "said")
        yield from self.host.save()
        yield from self._go_on()

    # -- the end -------------------------------------------------------------------------------------------------------

    def _show_count(self) -> Iterator[Block]:
        """Show a hidden game to both before it is counted, the end still open to their word on dead stones."""
        self._stage, self._was_shown = _OPEN, True
        yield from self.host.all_boards()
        yield TextBlock(self.host.say("terminal.counting"))
        yield from self.host.say_dead()

    def _end(self) -> Iterator[Block]:
        self.is_finished = True
        if self.rules.is_open:
            yield self._board()
        elif not self._was_shown:
            yield from self.host.all_boards()
        yield from self.host.finish(self._names())

    def last_words(self, result: str) -> Iterator[Block]:
        """The board at the end and a sentence on the result, for whoever closed the screen on which they stood."""
        table = self.host.table
        yield self.host.board(table.view(self._seat)) if self.rules.is_open else self.host.referee_board()
        yield TextBlock(result, "title")

    # -- lines ---------------------------------------------------------------------------------------------------------

    def answer(self, line: str) -> Iterator[Block]:
        """What a typed line comes to."""
        if self.host.question.text:
            yield from self.host.question.answer(line)
        elif self.is_curtained:
            yield from self._move_curtain(line)
        elif line.strip():
            try:
                yield from self._obey(line)
            except NotationError as error:
                yield TextBlock(str(error), "error")
            except VariantsError as error:
                yield self.host.explain(error)

    def _move_curtain(self, line: str) -> Iterator[Block]:
        """What a line comes to at a curtain: an empty one moves it, and whoever leaves sees nothing more."""
        if self._means_quit(line):
            yield from self._do_quit("")
        elif line.strip():
            if self.is_covered:
                # What was typed may be a move, which whoever comes may not read.
                yield ClearScreen()
            yield self.host.error("terminal.only_enter")
        elif self.is_covered:
            yield from self._lift()
        else:
            self._stage = _COVERED
            yield ClearScreen()

    def _means_quit(self, line: str) -> bool:
        try:
            return commands.read(line, commands.PLAY, self.lang, example_point(self.rules.board)).name == "quit"
        except NotationError:
            return False

    def _lift(self) -> Iterator[Block]:
        """Lift the curtain for whoever has the keyboard now."""
        self._stage = _OPEN
        self._seat = self._acting()
        yield ClearScreen()
        blocks = list(self._report())
        if blocks:
            yield TextBlock(self.host.say("terminal.said_since"), "quiet")
        yield from blocks
        yield self._board()

    def _obey(self, line: str) -> Iterator[Block]:
        typed = commands.read(line, commands.PLAY, self.lang, example_point(self.rules.board))
        if self.is_finished and typed.name not in _WHEN_FINISHED:
            raise words.illegal("game over", self.lang)
        if self.game.is_counting and typed.name not in _WHILE_COUNTING:
            yield self.host.error("terminal.counting")
        elif not typed.name:
            yield from self._place(typed.argument)
        else:
            yield from getattr(self, f"_do_{typed.name}")(typed.argument)

    def _place(self, text: str) -> Iterator[Block]:
        point = commands.point_of(self.rules.board, text, self.lang)
        if not self.rules.is_open and self.view.stones[point] == self._seat:
            # The seat knows that itself: no try is wasted on it.
            yield self.host.error("terminal.your_stone", vertex=self.rules.board.vertex(point))
        else:
            yield from self._act(point)

    # -- commands, by name ---------------------------------------------------------------------------------------------

    def useful_commands(self) -> list[str]:
        """The names of the commands that have a use in this game."""
        return [command.name for command in commands.PLAY if self._has_use(command.name)]

    def _has_use(self, name: str) -> bool:
        rules = self.rules
        has_dice = isinstance(rules, DicedRules)
        useful: dict[str, bool] = {
            "pass": rules.end_passes > 0 or PASS in self.view.actions,
            "swap": bool(rules.values.get("swap")),
            "undo": rules.is_open,
            "odds": not rules.is_open,
            "analysis": rules.is_open,
            "draws": has_dice,
            "dice": has_dice,
            "score": rules.is_scored and rules.is_open,
            "dead": rules.agrees_on_dead,
            "end": rules.agrees_on_dead and not rules.is_open,
            "resume": rules.end_passes > 0,
            "level": bool(self._bots),
            "save": rules.is_open or self.is_finished,
        }
        return useful.get(name, True) and (name in _WHEN_FINISHED or not self.is_finished)

    def _do_rules(self, _: str) -> Iterator[Block]:
        from gtp_variants.handbook.pages import text

        yield TextBlock(text(self.rules).rstrip())

    def _do_help(self, _: str) -> Iterator[Block]:
        offered = [command for command in commands.PLAY if self._has_use(command.name)]
        yield TextBlock(self.host.say("terminal.help", vertex=example_point(self.rules.board)))
        yield from (TextBlock(line) for line in commands.help_lines(offered, self.lang))
        language = " --lang fr" if self.lang == "fr" else ""
        yield TextBlock(
            self.host.say("terminal.rules", command=f"gtp-variants rules {self.rules.name}{language}"), "quiet"
        )

    def _do_pass(self, _: str) -> Iterator[Block]:
        return self._act(PASS)

    def _do_swap(self, _: str) -> Iterator[Block]:
        return self._act(SWAP)

    def _do_board(self, _: str) -> Iterator[Block]:
        if self.game.is_counting:
            yield from self._show_count()
        else:
            yield self._board()

    def _do_undo(self, _: str) -> Iterator[Block]:
        if not self.rules.is_open:
            raise RequestRefused("refusals.undo_hidden")
        self.game.propose(self._seat, UNDO)
        yield from self.host.save()
        self._tell_nothing_of_the_past()
        has_dice = isinstance(self.rules, DicedRules)
        yield TextBlock(self.host.say("terminal.undone" if has_dice else "terminal.undone_plain"))
        yield from self._go_on()

    def _do_hint(self, _: str) -> Iterator[Block]:
        yield ThinkingBlock(self.host.say("terminal.thinks", name=self.host.name(self._seat)))
        try:
            seed = seed_from(self.game.record, f"hint {len(self.view.news)}")
            view = view_to_move(self.host.table, self._seat)
            heard = self.host.table.game.heard(self._seat)
            action, found = suggest_move(self.rules, self._seat, seed, heard, view, self._cores)
        except Exception as error:
            yield self.host.error("terminal.no_hint", why=f"{type(error).__name__}: {error}")
            return
        self._expect_no_interruption()
        yield from tell_hint(self.host, action, found)

    def _do_analysis(self, _: str) -> Iterator[Block]:
        if not self.rules.is_open:
            raise RequestRefused("refusals.hidden_analysis")
        yield ThinkingBlock(self.host.say("terminal.thinks", name=self.host.name(self._seat)))
        from gtp_variants.terminal.games.position_analysis import analyse

        found = analyse(self.host, self._seat, lambda: self._is_interrupted, self._cores)
        self._expect_no_interruption()
        yield found

    def _do_odds(self, _: str) -> Iterator[Block]:
        if self.rules.is_open:
            raise RequestRefused("refusals.nothing_hidden")
        yield ThinkingBlock(self.host.say("terminal.thinks", name=self.host.name(self._seat)))
        # Only who asks for it waits until it is loaded.
        from gtp_variants.terminal.games.position_analysis import Estimates

        estimates = self._estimates.setdefault(self._seat, Estimates(self.rules, self._seat))
        yield estimates.show(self.host, self.view)

    def _do_liberties(self, text: str) -> Iterator[Block]:
        yield info_commands.tell_liberties(self.host, self.view, text)

    def _do_atari(self, _: str) -> Iterator[Block]:
        yield info_commands.tell_ataris(self.host, self.view)

    def _do_draws(self, _: str) -> Iterator[Block]:
        yield from info_commands.tell_draws(self.host)

    def _do_dice(self, text: str) -> Iterator[Block]:
        self.game.propose(self._seat, DICE, text)
        yield from self.host.save()
        coming = self.host.table.draws.coming.after(self.host.table.position.turn)
        if coming is not None:
            yield TextBlock(self.host.say("dice.coming", dice=coming), "said")
        yield from self._go_on()

    def _do_score(self, _: str) -> Iterator[Block]:
        yield info_commands.tell_score(self.host)

    def _do_record(self, _: str) -> Iterator[Block]:
        yield info_commands.tell_moves(self.host, self.view)

    def _do_dead(self, text: str) -> Iterator[Block]:
        yield from self.host.mark_dead(text)
        self._tell_nothing_of_the_past()

    def _do_end(self, _: str) -> Iterator[Block]:
        if self.game.is_counting:
            self.game.settle(self._seat)
            yield from self.host.save()
            yield from self._end()
        elif self._has_use("end"):
            yield self.host.error("terminal.end_when")
        else:
            raise RequestRefused("refusals.not_now")

    def _do_resume(self, _: str) -> Iterator[Block]:
        return self.host.resume(self._go_on)

    def _do_level(self, text: str) -> Iterator[Block]:
        seats = self.game.seats
        if not self._bots:
            yield self.host.error("terminal.no_bot")
            return
        levelled = {
            colour: bot for colour, bot in self._bots.items() if "level" in describe(seats[colour].name).parameters
        }
        if not levelled:
            names = sorted({self.title_of(colour) for colour in self._bots})
            yield self.host.error("terminal.no_level", bot=", ".join(names))
            return
        if not text:
            yield self.host.error("terminal.level_needed")
            return
        for colour, bot in levelled.items():
            try:
                set_parameter(bot, "level", text)
            except (NotationError, ConfigError) as error:
                why = self._why_not_level(seats[colour].name, text, error)
                yield self.host.error("terminal.level_which", why=why)
                return
        for colour in levelled:
            name = bots.with_parameter(seats[colour].name, "level", text)
            self.game.change_seat(colour, replace(seats[colour], name=name))
        yield from self.host.save()
        yield TextBlock(self.host.say("terminal.level", level=text))
        yield from (TextBlock(self.who(colour)) for colour in levelled if self.who(colour) != self.title_of(colour))

    def _why_not_level(self, name: str, level: str, error: NotationError | ConfigError) -> str:
        """Why a bot takes no such level; what somebody else's bot says of it is in its author's words."""
        if isinstance(error, NotationError):
            return self.host.say("terminal.level_number", level=level[:40])
        if not bots.is_ours(name):
            return str(error)
        if int(level) in NUMBERS:
            return self.host.say("terminal.level_playouts", level=level)
        return self.host.say("terminal.level_range", level=level, least=NUMBERS[0], most=NUMBERS[-1])

    def _do_save(self, text: str) -> Iterator[Block]:
        if not self._has_use("save"):
            yield self.host.error("terminal.save_hidden")
            return
        try:
            path = user_path(text or self.host.file.path.name)
            if path.exists():
                yield self.host.error("terminal.save_exists", path=quote(str(path)))
                return
            save(self.game.to_record(self._names()), path)
        except (OSError, VariantsError) as error:
            yield self.host.error("terminal.save_failed", why=explain(error, self.lang))
            return
        yield TextBlock(self.host.say("terminal.saved", path=path.resolve()))
        if isinstance(self.rules, DicedRules):
            yield TextBlock(self.host.say("terminal.saved_dice"), "quiet")

    def _do_resign(self, _: str) -> Iterator[Block]:
        asked = self.host.say("terminal.resign", name=self.host.name(self._seat))
        self.host.question.ask(asked, self._resign, lambda: [TextBlock(self.host.say("terminal.not_resigned"))])
        return iter(())

    def _resign(self) -> Iterator[Block]:
        self.game.play(self._seat, RESIGN)
        yield from self.host.save()
        yield from self._go_on()

    def _do_new(self, _: str) -> Iterator[Block]:
        before, was_finished, folder = self.host, self.is_finished, self.host.file.folder
        try:
            file = folder.new(self.rules.name)
        except OSError as error:
            yield self.host.error("terminal.not_kept", why=error.strerror or error)
            return
        before.file.release()
        self._has_seed, self._replaced = False, {}
        game = HostedGame.new(
            new_record(self.rules),
            self.game.seats,
            POLICY,
            self.game.clocks.control,
            notes={"kind": self.game.notes["kind"]},
        )
        self._take(GameHost(file, game))
        if before.is_saved and not was_finished:
            yield TextBlock(self.host.say("terminal.new_kept", command=before.resume_command()), "quiet")
        yield from self.begin(is_terse=self._is_terse)

    def _do_quit(self, _: str) -> Iterator[Block]:
        self.is_left = True
        return iter(())
