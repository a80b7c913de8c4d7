"""The `play` command without I/O, which takes typed lines and returns blocks to show."""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType

from gtp_variants.errors import NotationError, VariantsError
from gtp_variants.lang import RequestRefused
from gtp_variants.players.agreements import AGREE, DICE, UNDO, example_point, follow_in_match
from gtp_variants.players.hosted_game import HostedGame, new_record
from gtp_variants.records.record import printable
from gtp_variants.records.sentences import event_sentence
from gtp_variants.rules.actions import PASS, RESIGN, SWAP, TERMS, unpack
from gtp_variants.rules.illegal_moves import illegal
from gtp_variants.rules.traits import DicedRules
from gtp_variants.terminal.blocks import Block, Secret, TextBlock
from gtp_variants.terminal.games import commands
from gtp_variants.terminal.games.enquiries import Enquiries
from gtp_variants.terminal.games.game_end import GameEnd
from gtp_variants.terminal.games.host import GameHost
from gtp_variants.terminal.games.save_file import POLICY, SaveFile
from gtp_variants.terminal.games.seats import BotSeats, Interruption, Keyboard

# Maximum number of characters shown of a player's name from a file.
_LONGEST_NAME = 40


class GameCourse:
    """The course of a game at the keyboard: bots act until it is a person's turn, and news is shown."""

    def __init__(self, host: GameHost, keyboard: Keyboard, bots: BotSeats) -> None:
        self._host = host
        self._keyboard = keyboard
        self._bots = bots
        self.end = GameEnd(host)

    def go_on(self) -> Iterator[Block]:
        """Show news, let bots act, and show the board to the next person to act."""
        host, keyboard = self._host, self._keyboard
        while True:
            if host.game.is_counting:
                yield from self.show_count()
                return
            yield from keyboard.report()
            if host.game.is_over:
                yield from self.finish()
                return
            colour = host.game.asked()
            if colour is None or colour in keyboard.people:
                break
            yield host.thinking(colour)
            yield from self._bots.act(colour)
        yield from keyboard.show_board()
        if host.table.suspended and host.rules.is_open:
            yield from self.end.say_dead()

    def act(self, action: int) -> Iterator[Block]:
        """Carry out an action of the person at the keyboard. Raises VariantsError if it is not allowed."""
        host, seat = self._host, self._keyboard.seat
        before = len(host.table.game.events)
        try:
            host.game.answer(seat, action)
        except VariantsError:
            raise
        except Exception as error:
            # A bot failed when it was told of the action, so it loses by forfeit.
            yield from self._bots.forfeit(next(iter(host.table.seats)), error)
        if len(host.table.game.events) == before and not host.game.is_counting:
            yield TextBlock(host.say("terminal.agrees", name=host.name(seat)), "said")
        yield from self.save_and_go_on()

    def save_and_go_on(self) -> Iterator[Block]:
        """Save the game, then continue it."""
        yield from self._host.save()
        yield from self.go_on()

    def check_clock(self) -> Iterator[Block]:
        """End the game if the person to act has run out of time."""
        game = self._host.game
        if not game.is_over and game.asked() in self._keyboard.people and game.flag():
            yield from self.save_and_go_on()

    def show_count(self) -> Iterator[Block]:
        """Show a hidden game to both players before they agree on dead stones."""
        self._keyboard.raise_curtain()
        yield from self.end.show_count("terminal.counting")
        yield from self.end.say_dead()

    def finish(self) -> Iterator[Block]:
        """Show how the game ended."""
        seen = [self._keyboard.board()] if self._host.rules.is_open else []
        yield from self.end.finish(self._bots.names(), *seen)


class PlaySession:
    """A game between people, or between one person and bots, at one keyboard.

    `answer` takes a line and yields the answer block by block, so that a terminal can show that a bot is thinking.
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
        """`cores` is the number of cores for bots and searches. `replaced` names saved players whom bots replace."""
        self._has_seed = has_seed
        self._replaced = replaced
        self._cores = cores
        self._is_terse = False
        self.is_left = False
        self._interruption = Interruption()
        self._take(GameHost(file, game))

    def _take(self, host: GameHost) -> None:
        """Switch to the game of a host, either a new game or a saved game."""
        self.host = host
        self.game = host.game
        self.rules = host.rules
        self.lang = host.lang
        self.keyboard = Keyboard(host)
        self.is_secret = self.keyboard.is_secret
        self.bots = BotSeats(host, self._interruption, self._cores)
        self.course = GameCourse(host, self.keyboard, self.bots)
        self._handlers = self._commands()

    @property
    def is_finished(self) -> bool:
        """Return True if the result has been shown."""
        return self.course.end.is_finished

    @property
    def prompt(self) -> str:
        """The text shown before the next line."""
        question = self.host.question.text
        return question + " " if question else self.keyboard.prompt

    def interrupt(self) -> None:
        """Stop all thinking. Called from another thread, it ends the current answer with KeyboardInterrupt."""
        self._interruption.is_set = True

    def again(self) -> "PlaySession":
        """Return a session that continues the saved game after an interruption."""
        return PlaySession(self.host.file, self.host.load(), cores=self._cores)

    # -- beginning and ending ------------------------------------------------------------------------------------------

    def begin(self, is_resumed: bool = False, is_terse: bool = False) -> Iterator[Block]:
        """Yield the first blocks: the players, the commitment to the dice, the path of the file, and the board.

        If `is_terse`, this and later games leave out the blocks that the full screen shows anyway.
        """
        self._is_terse = is_terse
        if self.is_secret:
            yield Secret.BEGINS
        yield from self.host.save()
        if not is_terse:
            yield from self._introduce()
        else:
            for colour in self.bots.by_colour:
                name = self.host.name(colour)
                yield TextBlock(self.host.say("terminal.who", name=name, who=self.bots.who(colour)), "quiet")
        for colour, named in self._replaced.items():
            name, who, named = self.host.name(colour), self.bots.title_of(colour), printable(named)[:_LONGEST_NAME]
            yield TextBlock(self.host.say("terminal.instead", name=name, named=named, who=who))
        if is_resumed:
            yield TextBlock(self.host.say("terminal.resumed"))
        if self.game.is_counting:
            yield from self.course.show_count()
        elif not self.is_secret or self.game.is_over:
            yield from self.course.go_on()

    def _introduce(self) -> Iterator[Block]:
        host = self.host
        for colour in self.rules.colours:
            yield TextBlock(host.say("terminal.who", name=host.name(colour), who=self.bots.who(colour)))
        if isinstance(self.rules, DicedRules):
            yield TextBlock(host.say("dice.commitment", commitment=self.game.record.commitment), "quiet")
            if self._has_seed:
                yield TextBlock(host.say("dice.short_seed"), "quiet")
        yield from host.say_path()
        yield TextBlock(host.say("terminal.help", vertex=example_point(self.rules.board)), "quiet")

    def last_words(self, result: str) -> Iterator[Block]:
        """Yield the last board and the result, for the terminal once the full screen has closed."""
        yield self.host.board(self.keyboard.view) if self.rules.is_open else self.host.referee_board()
        yield TextBlock(result, "title")

    # -- lines ---------------------------------------------------------------------------------------------------------

    def answer(self, line: str) -> Iterator[Block]:
        """Yield the blocks that answer a typed line."""
        if self.host.question.text:
            yield from self.host.question.answer(line)
        elif self.keyboard.is_curtained:
            yield from self._move_curtain(line)
        elif line.strip():
            try:
                yield from self._obey(line)
            except NotationError as error:
                yield TextBlock(str(error), "error")
            except VariantsError as error:
                yield self.host.explain(error)

    def _move_curtain(self, line: str) -> Iterator[Block]:
        """Answer a line at the curtain. An empty line moves the curtain, and `quit` leaves without showing more."""
        with suppress(NotationError):
            self.is_left = self._read(line).name == "quit"
        if self.is_left:
            return
        if not line.strip():
            yield from self.keyboard.move_curtain()
            return
        if self.keyboard.is_covered:
            # Clear the line, because it may be a move, which the next person must not read.
            yield Secret.CLEARED
        yield self.host.error("terminal.only_enter")

    def _read(self, line: str) -> commands.TypedLine:
        return commands.read(line, commands.PLAY, self.lang, example_point(self.rules.board))

    def _obey(self, line: str) -> Iterator[Block]:
        typed = self._read(line)
        if self.is_finished and typed.name not in commands.names_at("finished"):
            raise illegal("game over", self.lang)
        if self.game.is_counting and typed.name not in commands.names_at("counting"):
            yield self.host.error("terminal.counting")
        elif not typed.name:
            yield from self._place(typed.argument)
        else:
            yield from self._handlers[typed.name](typed.argument)

    def _place(self, text: str) -> Iterator[Block]:
        point = commands.point_of(self.rules.board, text, self.lang)
        if not self.rules.is_open and self.keyboard.view.stones[point] == self.keyboard.seat:
            # The seat knows its own stones, so this does not count as a try.
            yield self.host.error("terminal.your_stone", vertex=self.rules.board.vertex(point))
        else:
            yield from self.course.act(point)

    # -- commands ------------------------------------------------------------------------------------------------------

    def useful_commands(self) -> list[str]:
        """Return the names of the commands that are useful in this game."""
        state = self.rules, self.keyboard.view.actions, bool(self.bots.by_colour), self.is_finished
        return [command.name for command in commands.PLAY if commands.has_use(command.name, *state)]

    def _commands(self) -> Mapping[str, Callable[[str], Iterable[Block]]]:
        """Return the handlers by command name. A handler takes the text after the command word."""
        return {
            **Enquiries(self.host, self.keyboard, self._interruption, self._cores).handlers(),
            "help": lambda _: self._help(),
            "pass": lambda _: self.course.act(PASS),
            "swap": lambda _: self.course.act(SWAP),
            "undo": lambda _: self._undo(),
            "board": lambda _: self.course.show_count() if self.game.is_counting else [self.keyboard.board()],
            "dice": self._change_dice,
            "passes": lambda text: self._agree_on_terms(f"white_passes {text}"),
            "match": lambda text: self._agree_on_terms(f"match 2 {text}".strip()),
            "nonce": self._add_nonce,
            "dead": self._mark_dead,
            "end": lambda _: self._settle(),
            "resume": lambda _: self.course.end.resume(self.course.go_on),
            "level": self.bots.set_level,
            "save": self._save,
            "resign": lambda _: self._ask_to_resign(),
            "new": lambda _: self._begin_another(),
            "quit": lambda _: self._quit(),
        }

    def _help(self) -> Iterator[Block]:
        useful = self.useful_commands()
        offered = [command for command in commands.PLAY if command.name in useful]
        yield TextBlock(self.host.say("terminal.help", vertex=example_point(self.rules.board)))
        yield from (TextBlock(line) for line in commands.help_lines(offered, self.lang))
        command = f"gtp-variants rules {self.rules.name}{' --lang fr' if self.lang == 'fr' else ''}"
        yield TextBlock(self.host.say("terminal.rules", command=command), "quiet")

    def _undo(self) -> Iterator[Block]:
        if not self.rules.is_open:
            raise RequestRefused("refused_requests.undo_hidden")
        self.game.propose(self.keyboard.seat, UNDO)
        yield from self.host.save()
        self.keyboard.skip_news()
        has_dice = isinstance(self.rules, DicedRules)
        yield TextBlock(self.host.say("terminal.undone" if has_dice else "terminal.undone_plain"))
        yield from self.course.go_on()

    def _change_dice(self, text: str) -> Iterator[Block]:
        self.game.propose(self.keyboard.seat, DICE, text)
        yield from self.host.save()
        coming = self.host.table.draws.coming.after(self.host.table.position.turn)
        if coming is not None:
            yield TextBlock(self.host.say("dice.coming", dice=coming), "said")
        yield from self.course.go_on()

    def _agree_on_terms(self, text: str) -> Iterator[Block]:
        """Begin the game again on terms that `text` says. Bots agree to them."""
        seat = self.keyboard.seat
        try:
            self.game.propose(seat, AGREE, text)
        except RequestRefused:
            is_late = any(event.actor in self.game.people for event in self.host.table.game.turns())
            raise RequestRefused(f"refused_requests.{'terms_when' if is_late else 'bad_terms'}") from None
        self._take(GameHost(self.host.file, self.game))
        terms = [event.action for event in self.host.table.game.events if unpack(event.action)[0] in TERMS]
        yield TextBlock(event_sentence(self.rules, seat, terms[-1], ()), "said")
        yield from self.course.save_and_go_on()

    def _add_nonce(self, text: str) -> Iterator[Block]:
        """Add a text, or random bytes for "", to the dice for the person who is to act."""
        nonce = self.game.add_nonce(self.keyboard.seat, text.encode("utf-8", "replace") or secrets.token_bytes(16))
        yield from self.host.save()
        yield TextBlock(self.host.say("dice.nonce", nonce=nonce), "said")

    def _mark_dead(self, text: str) -> Iterator[Block]:
        yield from self.course.end.mark_dead(text)
        self.keyboard.skip_news()

    def _settle(self) -> Iterator[Block]:
        """Accept the marked dead stones and count the board."""
        if self.game.is_counting:
            self.game.settle(self.keyboard.seat)
            yield from self.host.save()
            yield from self.course.finish()
        elif "end" in self.useful_commands():
            yield self.host.error("terminal.end_when")
        else:
            raise RequestRefused("refused_requests.not_now")

    def _save(self, text: str) -> Iterator[Block]:
        if "save" in self.useful_commands():
            yield from self.host.export(text, self.bots.names())
        else:
            yield self.host.error("terminal.save_hidden")

    def _ask_to_resign(self) -> Iterable[Block]:
        asked = self.host.say("terminal.resign", name=self.host.name(self.keyboard.seat))
        self.host.question.ask(asked, self._resign, lambda: [TextBlock(self.host.say("terminal.not_resigned"))])
        return ()

    def _resign(self) -> Iterator[Block]:
        self.game.play(self.keyboard.seat, RESIGN)
        yield from self.course.save_and_go_on()

    def _begin_another(self) -> Iterator[Block]:
        """Release this game and begin another with the same settings and new dice: if due, a match's second game."""
        before, was_finished = self.host, self.is_finished
        try:
            file = before.file.folder.new(self.rules.name)
        except OSError as error:
            yield before.error("terminal.not_kept", why=error.strerror or error)
            return
        before.file.release()
        self._has_seed, self._replaced = False, {}
        seats, control, notes = self.game.seats, self.game.clocks.control, {"kind": self.game.notes["kind"]}
        terms, first = follow_in_match(before.table.game) if was_finished else ([], {})
        notes |= first
        if terms:
            seats = dict(zip(seats, reversed(seats.values()), strict=True))
        game = HostedGame.new(new_record(self.rules), seats, POLICY, control, notes=notes)
        for action in terms:
            game.play(self.keyboard.seat, action)
        self._take(GameHost(file, game))
        if before.is_saved and not was_finished:
            yield TextBlock(self.host.say("terminal.new_kept", command=before.resume_command()), "quiet")
        yield from self.begin(is_terse=self._is_terse)

    def _quit(self) -> Iterable[Block]:
        self.is_left = True
        return ()
