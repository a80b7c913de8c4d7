"""A game played at a terminal, without the terminal: a line comes in, blocks of words and boards come out.

With two people in Go Fantôme a curtain falls between the turns: whoever moved sees what the referee said, then
everything is cleared before the other one looks. Each seat is shown what its View holds and nothing else.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from gtp_variants.errors import ConfigError, NotationError, VariantsError
from gtp_variants.players import bots
from gtp_variants.players.clock import NO_LIMIT
from gtp_variants.players.table import is_undoable, set_dice
from gtp_variants.records.files import save
from gtp_variants.records.picture import picture
from gtp_variants.rules import words
from gtp_variants.rules.actions import CHANCE, FORFEIT, PASS, RESIGN, RESUME, SWAP
from gtp_variants.rules.boards.chains import chain, chains, liberties
from gtp_variants.rules.dice.kinds import read_dice
from gtp_variants.rules.diced import faces_of
from gtp_variants.rules.turns import others
from gtp_variants.rules.views import View
from gtp_variants.terminal.display.blocks import Block, ClearScreen, EstimatesBlock, SecretBegins, Text, ThinkingBlock
from gtp_variants.terminal.games import commands
from gtp_variants.terminal.games.commands import answer_of, quote
from gtp_variants.terminal.games.estimates import Guesses, bar
from gtp_variants.terminal.games.host import begun, has_dice, resume_command
from gtp_variants.terminal.games.save_file import Kept, Slot
from gtp_variants.terminal.games.scoring import Counted

# Where a game stands: somebody plays; he has moved and reads what was said; nobody may look.
_OPEN, _READ, _COVERED = range(3)
_MOST_DRAWS = 12
_MOST_GUESSES = 6


class PlaySession(Counted):
    """One person against bots, or people only, at one keyboard.

    Every line goes to `answer`, whose blocks come one by one, so that a terminal can say that a bot thinks while it
    does.
    """

    is_unseen = False

    def __init__(self, slot: Slot, kept: Kept, has_seed: bool = False) -> None:
        self._has_seed = has_seed
        super().__init__(slot, kept)

    def _take(self, kept: Kept) -> None:
        super()._take(kept)
        self.people = [colour for colour in self.rules.colours if colour not in kept.bots]
        self.is_secret = self.is_hidden and len(self.people) > 1
        self._bots = {colour: bots.load(name) for colour, name in kept.bots.items()}
        self._stage = _COVERED if self.is_secret else _OPEN
        self._question: Callable[[bool], Iterator[Block]] | None = None
        self._asking = ""
        self._seat = self._acting()
        self._guesses: dict[int, Guesses] = {}
        # How many events each seat was told of.
        self._told = {colour: self._last_of(colour) for colour in self.people}

    def _last_of(self, colour: int) -> int:
        """Number of the first event that came after the last one of a colour."""
        events = self.table.game.events
        return next((i + 1 for i in reversed(range(len(events))) if events[i].actor == colour), 0)

    def _acting(self) -> int:
        """The person who acts now or sits at the keyboard."""
        asked = self.table.asked()
        return self.people[0] if asked is None or asked not in self.people else asked

    @property
    def prompt(self) -> str:
        """What stands before the line that is typed next."""
        if self._question is not None:
            return self._asking + " "
        if self._stage == _READ:
            return self.say("terminal.see", name=self.name(self._acting()))
        if self._stage == _COVERED:
            return self.say("terminal.cover", name=self.name(self._acting()))
        return self.say("terminal.prompt", name=self.name(self._seat))

    @property
    def is_curtained(self) -> bool:
        """Whether the next line only moves the curtain between two turns."""
        return self._stage != _OPEN

    @property
    def view(self) -> View:
        """What the seat at the keyboard knows."""
        return self.table.view(self._seat)

    def again(self) -> "PlaySession":
        """The same game from where it is kept, after something was broken off."""
        return PlaySession(self.slot, self.last_kept())

    # -- beginning and going on ----------------------------------------------------------------------------------------

    def begin(self, is_resumed: bool = False) -> Iterator[Block]:
        """The first blocks: who plays, the commitment to the dice, where the game is kept, the board."""
        if self.is_secret:
            yield SecretBegins()
        for colour in self.rules.colours:
            yield Text(self.say("terminal.who", name=self.name(colour), who=self._who(colour)))
        if has_dice(self.rules):
            yield Text(self.say("dice.commitment", commitment=self.base.record.commitment), "quiet")
            if self._has_seed:
                yield Text(self.say("dice.short_seed"), "quiet")
        yield from self.keep()
        if self.is_kept:
            yield Text(self.say("terminal.kept", path=self.slot.path), "quiet")
        yield Text(self.say("terminal.help", vertex=commands.example(self.rules.board)), "quiet")
        if is_resumed:
            yield Text(self.say("terminal.resumed"))
        if self.base.counting and not self.table.is_final:
            yield from self._counting()
        elif not self.is_secret or self.table.is_final:
            yield from self._go_on()

    def _who(self, colour: int) -> str:
        bot = self.base.bots.get(colour)
        return bot or self.say("terminal.person" if len(self.people) > 1 else "terminal.you")

    def _players(self) -> dict[int, str]:
        return {
            colour: self.say("terminal.person") if colour in self.people else self._who(colour)
            for colour in self.rules.colours
        }

    def _go_on(self) -> Iterator[Block]:
        """Tell what happened, let bots act until a person is asked, and show the board to whoever that is."""
        while True:
            if self.table.is_final and self._awaits_dead():
                yield from self._count_first()
                return
            yield from self._report()
            if self.table.is_final:
                yield from self._end()
                return
            colour = self.table.asked()
            if colour is None or colour in self.people:
                break
            yield ThinkingBlock(self.say("terminal.thinks", name=self.name(colour)))
            yield from self._bot_acts(colour)
        if self.is_secret and colour != self._seat:
            yield self._board()
            self._stage = _READ
            return
        self._seat = self._acting()
        yield self._board()

    def _report(self) -> Iterator[Block]:
        """What the seat at the keyboard was not told yet."""
        start, self._told[self._seat] = self._told[self._seat], len(self.table.game.events)
        if not self.is_secret:
            # One pair of eyes: whoever sits there has been told everything.
            self._told = dict.fromkeys(self._told, len(self.table.game.events))
        yield from self.happened(start, self._seat)

    def _board(self) -> Block:
        more = [self.say("terminal.suspended")] if self.table.suspended else []
        more += (
            [self.say("terminal.dead_how")] if self.table.suspended and self.can_agree and self.rules.is_open else []
        )
        return self.shown(self.view, "", *more)

    def _bot_acts(self, colour: int) -> Iterator[Block]:
        """Let a bot act; one that fails loses the game by forfeit."""
        try:
            if colour not in self.table.seats:
                self.table.seat(colour, self._bots[colour], self.seed(f"seat {colour}"))
            self.table.step()
        except Exception as error:
            yield from self._fails(colour, error)
        yield from self.keep()

    def _fails(self, colour: int, error: Exception) -> Iterator[Block]:
        """A bot that failed loses by forfeit, unless the game is over anyway."""
        yield Text(
            self.say("terminal.failed", bot=self.base.bots[colour], why=f"{type(error).__name__}: {error}"), "error"
        )
        # It is told nothing more; another bot sits down again when it is asked.
        self.table.seats.clear()
        if not self.table.is_final:
            self.table.play(colour, FORFEIT)

    def _act(self, action: int) -> Iterator[Block]:
        """The person who is asked does something."""
        before = len(self.table.game.events)
        try:
            self.table.answer(self._seat, action)
        except VariantsError:
            raise
        except Exception as error:
            # A bot that was told of it.
            yield from self._fails(next(iter(self.table.seats)), error)
        if len(self.table.game.events) == before:
            yield Text(self.say("terminal.agrees", name=self.name(self._seat)), "said")
        yield from self.keep()
        yield from self._go_on()

    # -- the end -------------------------------------------------------------------------------------------------------

    def _counting(self) -> Iterator[Block]:
        self._stage = _OPEN
        yield from super()._counting()

    def _take_off_dead(self, text: str) -> Iterator[Block]:
        yield from super()._take_off_dead(text)
        self._told = dict.fromkeys(self._told, len(self.table.game.events))

    def _end(self) -> Iterator[Block]:
        if self.rules.is_open:
            yield self._board()
        yield from super()._end()

    # -- lines ---------------------------------------------------------------------------------------------------------

    def answer(self, line: str) -> Iterator[Block]:
        """What a typed line comes to."""
        if self._question is not None:
            yield from self._answered(line)
        elif self._stage == _READ:
            self._stage = _COVERED
            yield ClearScreen()
        elif self._stage == _COVERED:
            yield from self._lift()
        elif line.strip():
            try:
                yield from self._obey(line)
            except NotationError as error:
                yield Text(str(error), "error")
            except VariantsError as error:
                yield Text(self.explain(error), "error")

    def _lift(self) -> Iterator[Block]:
        """Lift the curtain for whoever has the keyboard now."""
        self._stage = _OPEN
        self._seat = self._acting()
        yield ClearScreen()
        blocks = list(self._report())
        if blocks:
            yield Text(self.say("terminal.said_since"), "quiet")
        yield from blocks
        yield self._board()

    def _answered(self, line: str) -> Iterator[Block]:
        word = answer_of(line, self.lang)
        if word is None:
            yield Text(self.say("terminal.yes_or_no"), "error")
            return
        question, self._question = self._question, None
        assert question is not None
        yield from question(word)

    def _obey(self, line: str) -> Iterator[Block]:
        asked = commands.read(line, commands.PLAY, self.lang, commands.example(self.rules.board))
        if not asked.name:
            yield from self._place(asked.argument)
            return
        if self.base.counting and asked.name not in ("help", "dead", "end", "quit", "board", "record", "new"):
            yield Text(self.say("terminal.counting"), "error")
            return
        yield from getattr(self, f"_do_{asked.name}")(asked.argument)

    def _place(self, text: str) -> Iterator[Block]:
        point = commands.point_of(self.rules.board, text, self.lang)
        if self.base.counting:
            yield Text(self.say("terminal.counting"), "error")
        elif not self.rules.is_open and self.view.stones[point] == self._seat:
            # The seat knows that itself: no try is wasted on it.
            yield Text(self.say("terminal.your_stone", vertex=self.vertex(point)), "error")
        else:
            yield from self._act(point)

    # -- commands, by name ---------------------------------------------------------------------------------------------

    def _offered(self, name: str) -> bool:
        """Whether a command has a use in this game."""
        rules = self.rules
        useful: dict[str, bool] = {
            "pass": rules.end_passes > 0 or PASS in self.view.actions,
            "swap": bool(rules.values.get("swap")),
            "undo": rules.is_open,
            "odds": not rules.is_open,
            "draws": has_dice(rules),
            "dice": has_dice(rules),
            "score": rules.is_scored and rules.is_open,
            "dead": self.can_agree,
            "end": self.can_agree and not rules.is_open,
            "resume": rules.end_passes > 0,
            "level": bool(self.base.bots),
            "save": rules.is_open,
        }
        return useful.get(name, True)

    def _do_help(self, _: str) -> Iterator[Block]:
        offered = [command for command in commands.PLAY if self._offered(command.name)]
        yield Text(self.say("terminal.help", vertex=commands.example(self.rules.board)))
        yield from (Text(line) for line in commands.help_lines(offered, self.lang))
        language = " --lang fr" if self.lang == "fr" else ""
        yield Text(self.say("terminal.rules", command=f"gtp-variants rules {self.rules.name}{language}"), "quiet")

    def _do_pass(self, _: str) -> Iterator[Block]:
        yield from self._act(PASS)

    def _do_swap(self, _: str) -> Iterator[Block]:
        yield from self._act(SWAP)

    def _do_board(self, _: str) -> Iterator[Block]:
        if self.base.counting:
            yield from self._counting()
        else:
            yield self._board()

    def _do_undo(self, _: str) -> Iterator[Block]:
        if not self.rules.is_open:
            yield self.refuse("refusals.undo_hidden")
            return
        table = self.table
        events = table.game.events
        if not any(is_undoable(table.game, i) and events[i].actor in self.people for i in range(len(events))):
            yield self.refuse("refusals.nothing_to_undo")
            return
        while table.undo().actor not in self.people:
            pass
        yield from self.keep()
        self._told = dict.fromkeys(self._told, len(table.game.events))
        yield Text(self.say("terminal.undone" if has_dice(self.rules) else "terminal.undone_plain"))
        yield from self._go_on()

    def _do_hint(self, _: str) -> Iterator[Block]:
        yield ThinkingBlock(self.say("terminal.thinks", name=self.name(self._seat)))
        try:
            bot = bots.load(bots.default(self.rules))
            bot.sit(self.rules, self._seat, self.seed(f"hint {len(self.view.news)}"))
            for news in self.view.news:
                bot.hear(news)
            action = bot.choose(self.view, NO_LIMIT)
        except Exception as error:
            yield Text(self.say("terminal.no_hint", why=f"{type(error).__name__}: {error}"), "error")
            return
        yield Text(self.say("terminal.hint", action=self._typed(action)))

    def _do_odds(self, _: str) -> Iterator[Block]:
        if self.rules.is_open:
            yield self.refuse("refusals.nothing_hidden")
            return
        yield ThinkingBlock(self.say("terminal.thinks", name=self.name(self._seat)))
        view = self.view
        guesses = self._guesses.setdefault(self._seat, Guesses(self.rules, self._seat))
        found = guesses.chances(view)
        if found is None:
            yield Text(self.say("terminal.odds_none"), "error")
            return
        chances, boards = found
        seen = replace(picture(self.rules, None, view), last=None, tried=frozenset())
        stones = words.stones(others(self.rules.colours, self._seat)[0], view.hidden, self.lang)
        how = self.say("terminal.odds_how", stones=stones, boards=boards)
        notes = (how, *self._likeliest(view, chances))
        yield EstimatesBlock(
            self.rules.board, seen, chances, notes, self.say("terminal.odds", name=self.name(self._seat))
        )

    def _likeliest(self, view: View, chances: Sequence[float]) -> Iterator[str]:
        """The points where a hidden stone is likeliest, a line each, the likeliest first."""
        hidden = [point for point in self.rules.board.order if not view.stones[point] and chances[point]]
        for point in sorted(hidden, key=lambda point: -chances[point])[:_MOST_GUESSES]:
            percent = int(100 * chances[point] + 0.5)
            yield self.say("terminal.odds_of", vertex=self.vertex(point), percent=percent, bar=bar(chances[point]))

    def _typed(self, action: int) -> str:
        """What a person types for a point, a pass, a swap or a resignation."""
        name = {PASS: "pass", SWAP: "swap", RESIGN: "resign"}.get(action)
        command = next((each for each in commands.PLAY if each.name == name), None)
        return self.vertex(action) if command is None else command.word(self.lang)

    def _do_liberties(self, text: str) -> Iterator[Block]:
        point = commands.point_of(self.rules.board, text, self.lang)
        stones = self.view.stones
        if not stones[point]:
            key = "terminal.empty" if self.rules.is_open else "terminal.unseen"
            yield Text(self.say(key, vertex=self.vertex(point)), "error")
            return
        members = chain(self.rules.board, stones, point)
        free = self.rules.board.vertices_of(liberties(self.rules.board, stones, members))
        count = self.say("terminal.liberty_one" if len(free) == 1 else "terminal.liberty_more", count=len(free))
        shown = words.stones(stones[point], len(members), self.lang)
        key = "terminal.liberties" if self.rules.is_open else "terminal.liberties_seen"
        yield Text(self.say(key, stones=shown, vertex=self.vertex(point), count=count, list=" ".join(free)))

    def _do_atari(self, _: str) -> Iterator[Block]:
        board, stones = self.rules.board, self.view.stones
        found = []
        for members in chains(board, stones):
            free = liberties(board, stones, members)
            if len(free) == 1:
                shown = words.stones(stones[members[0]], len(members), self.lang)
                found.append(f"{shown} ({' '.join(self.rules.board.vertices_of(members))}; {self.vertex(free.pop())})")
        if found:
            yield Text(self.say("terminal.atari", list=", ".join(found)))
        else:
            yield Text(self.say("terminal.no_atari" if self.rules.is_open else "terminal.no_atari_seen"))

    def _do_draws(self, _: str) -> Iterator[Block]:
        if not has_dice(self.rules):
            yield self.refuse("refusals.no_dice")
            return
        game = self.table.game
        lines = []
        for before, event in zip(game.positions, game.events, strict=False):
            if event.actor == CHANCE and event.action >= 0:
                slot = len(before.draws)
                faces = " + ".join(map(str, faces_of(self.rules, before, event.action))) or self.say("dice.free")
                name = self.name(self.rules.owner(before, slot))
                lines.append(self.say("dice.turn_throw", turn=before.turn + slot, name=name, faces=faces))
        yield from (Text(line) for line in lines[-_MOST_DRAWS:])
        yield Text(self.say("dice.commitment", commitment=self.base.record.commitment), "quiet")

    def _do_dice(self, text: str) -> Iterator[Block]:
        if not has_dice(self.rules):
            yield self.refuse("refusals.no_dice")
            return
        try:
            dice = read_dice(text)
        except ValueError:
            yield self.refuse("refusals.bad_dice")
            return
        set_dice(self.table, dice.count, dice.sides)
        yield from self.keep()
        yield from self._go_on()

    def _do_score(self, _: str) -> Iterator[Block]:
        standing = self.rules.standing(self.table.position) if self.rules.is_open else None
        if standing is None:
            yield Text(self.say("terminal.no_score" if self.rules.is_open else "terminal.no_score_hidden"), "error")
        else:
            yield Text(self.say("counting.standing", result=standing.sentence(self.lang)))

    def _do_end(self, _: str) -> Iterator[Block]:
        if self.base.counting:
            yield from self._settle()
        else:
            yield Text(
                self.say("terminal.end_when" if self.can_agree and self.is_hidden else "refusals.not_now"), "error"
            )

    def _do_resume(self, _: str) -> Iterator[Block]:
        if not self.table.suspended:
            yield Text(self.say("terminal.not_suspended"), "error")
            return
        self.table.play(self.table.position.mover, RESUME)
        yield from self.keep()
        yield from self._go_on()

    def _do_level(self, text: str) -> Iterator[Block]:
        if not self.base.bots:
            yield Text(self.say("terminal.no_bot"), "error")
            return
        levelled = {colour: bot for colour, bot in self._bots.items() if "level" in bots.parameters(bot)}
        if not levelled:
            yield Text(self.say("terminal.no_level", bot=" ".join(sorted(set(self.base.bots.values())))), "error")
            return
        try:
            for bot in levelled.values():
                bots.set_parameter(bot, "level", text)
        except (NotationError, ConfigError) as error:
            yield Text(self.say("terminal.level_which", why=error), "error")
            return
        named = {colour: bots.with_parameter(self.base.bots[colour], "level", text) for colour in levelled}
        self.base = replace(self.base, bots={**self.base.bots, **named})
        yield from self.keep()
        yield Text(self.say("terminal.level", level=text))

    def _do_record(self, _: str) -> Iterator[Block]:
        moves = list(self._moves())
        yield Text(" ".join(moves) if moves else self.say("terminal.no_record"))

    def _moves(self) -> Iterable[str]:
        """The turns so far as the seat heard them."""
        number = 0
        for news in self.view.news:
            refused = news.refused or (news.action is not None and news.action < 0 and news.action not in (PASS, SWAP))
            if news.actor == CHANCE or refused:
                continue
            number += 1
            word = "?" if news.action is None else self._typed(news.action)
            yield f"{number}. {self.name(news.actor)} {word}"

    def _do_save(self, text: str) -> Iterator[Block]:
        if self.is_hidden:
            yield Text(self.say("terminal.save_hidden"), "error")
            return
        path = Path(text or self.slot.path.name).expanduser()
        if path.exists():
            yield Text(self.say("terminal.save_exists", path=quote(str(path))), "error")
            return
        try:
            save(self.public(is_over=False), path)
        except (OSError, VariantsError) as error:
            why = getattr(error, "strerror", None) or error
            yield Text(self.say("terminal.save_failed", why=why), "error")
            return
        yield Text(self.say("terminal.saved", path=path.resolve()))
        if has_dice(self.rules):
            yield Text(self.say("terminal.saved_dice"), "quiet")

    def _do_resign(self, _: str) -> Iterator[Block]:
        self._asking = self.say("terminal.resign", name=self.name(self._seat))
        self._question = self._resigned
        yield from ()

    def _resigned(self, really: bool) -> Iterator[Block]:
        if not really:
            yield Text(self.say("terminal.not_resigned"))
            return
        self.table.play(self._seat, RESIGN)
        yield from self.keep()
        yield from self._go_on()

    def _do_new(self, _: str) -> Iterator[Block]:
        shelf, before = self.slot.shelf, self.slot.path
        try:
            slot = shelf.new(self.rules.name)
        except OSError as error:
            yield Text(self.say("terminal.not_kept", why=error.strerror or error), "error")
            return
        self.slot.release()
        self.slot = slot
        self._has_seed = False
        self._take(replace(self.base, record=begun(self.rules), counting=False))
        yield Text(self.say("terminal.new_kept", command=resume_command("play", before)), "quiet")
        yield from self.begin()

    def _do_quit(self, _: str) -> Iterator[Block]:
        self.is_left = True
        yield from ()
