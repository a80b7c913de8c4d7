"""What the play and referee sessions share: a hosted game saved after every event, its boards and messages.

What a clock shows.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from gtp_variants.errors import IllegalMove, VariantsError
from gtp_variants.lang import RequestRefused, as_sentence, say
from gtp_variants.players.clock import Clock
from gtp_variants.players.counting import find_seeming_dead, points
from gtp_variants.players.hosted_game import HostedGame
from gtp_variants.players.player import news_of
from gtp_variants.players.table import Table
from gtp_variants.records.drawing.diagram import legend
from gtp_variants.records.drawing.drawing_model import picture
from gtp_variants.records.journal import read_journal
from gtp_variants.records.sentences import news_sentences
from gtp_variants.rules import words
from gtp_variants.rules.actions import CHANCE, RESUME, WHITE
from gtp_variants.rules.position import Position
from gtp_variants.rules.traits import DicedRules, faces_of
from gtp_variants.rules.views import View
from gtp_variants.terminal.blocks import Block, BoardBlock, DiceBlock, SecretEnds, TextBlock
from gtp_variants.terminal.games import commands
from gtp_variants.terminal.games.save_file import POLICY, SaveFile


class Question:
    """What the next line answers with yes or no; `text` is "" while nothing is asked."""

    def __init__(self, lang: str) -> None:
        self._lang = lang
        self.text = ""
        self._then: Mapping[bool, Callable[[], Iterable[Block]]] = {}

    def ask(
        self, text: str, if_yes: Callable[[], Iterable[Block]], if_no: Callable[[], Iterable[Block]] = tuple
    ) -> None:
        """Ask, and do something then."""
        self.text, self._then = text, {True: if_yes, False: if_no}

    def answer(self, line: str) -> Iterator[Block]:
        """What yes or no comes to; whatever else is typed, it is asked again."""
        word = commands.answer_of(line, self._lang)
        if word is None:
            yield TextBlock(say("terminal.yes_or_no", self._lang), "error")
        else:
            self.text = ""
            yield from self._then[word]()


class GameHost:
    """A game that is kept in a file: its words and boards. `lang` is the language of the game.

    `is_saved` is false once it could not be written.
    """

    def __init__(self, file: SaveFile, game: HostedGame) -> None:
        self.file = file
        self.game = game
        self.rules = game.rules
        self.lang = game.rules.lang
        self.is_saved = True
        self.question = Question(self.lang)

    @property
    def table(self) -> Table:
        """The table of the game."""
        return self.game.table

    def say(self, key: str, **parts: object) -> str:
        """A sentence in the language of the game."""
        return say(key, self.lang, **parts)

    def refuse(self, key: str, **parts: object) -> TextBlock:
        """Why something cannot be done, from a key of a clause."""
        return TextBlock(as_sentence(self.say(key, **parts)), "error")

    def error(self, key: str, **parts: object) -> TextBlock:
        """What went wrong, from a key of a sentence."""
        return TextBlock(self.say(key, **parts), "error")

    def explain(self, error: VariantsError) -> TextBlock:
        """Why something cannot be done, from the error that it raised."""
        if isinstance(error, RequestRefused):
            return TextBlock(as_sentence(error.reason(self.lang)), "error")
        sentence = error.sentence if isinstance(error, IllegalMove) else ""
        return TextBlock(as_sentence(sentence), "error") if sentence else self.refuse("refusals.not_now")

    def name(self, colour: int) -> str:
        """The colour in words."""
        return words.name(colour, self.lang)

    # -- keeping -------------------------------------------------------------------------------------------------------

    def save(self) -> Iterator[Block]:
        """Write the game where it is kept; what goes wrong is said once, and the game goes on."""
        try:
            self.file.write(self.game)
        except OSError as error:
            if self.is_saved:
                yield self.error("terminal.not_kept", why=error.strerror or error)
            self.is_saved = False

    def say_path(self) -> Iterator[Block]:
        """Where the game is kept."""
        if self.is_saved:
            yield TextBlock(self.say("terminal.kept", path=self.file.path), "quiet")

    def load(self) -> HostedGame:
        """The game as it was written last; as it is now where it cannot be kept."""
        return self.file.load() if self.is_saved else HostedGame(read_journal(self.game.lines), POLICY)

    def resume_command(self) -> str:
        """The command that goes on with the game."""
        return f"gtp-variants {self.game.notes['kind']} --resume {self.file.path.stem}"

    def release(self) -> Iterator[Block]:
        """Let other processes go on with the game, and say how."""
        self.file.release()
        if self.is_saved:
            yield TextBlock(self.say("terminal.go_on", command=self.resume_command()))

    # -- showing -------------------------------------------------------------------------------------------------------

    def board(self, view: View, title: str = "", *more: str) -> BoardBlock:
        """The board as a seat knows it, and nothing but that."""
        seen = picture(self.rules, None, view)
        return BoardBlock(self.rules.board, seen, (*seen.lines, *more), tuple(legend(seen, self.lang)), title)

    def referee_board(self) -> BoardBlock:
        """The board as it is: only for when nothing is hidden."""
        seen = picture(self.rules, self.table.position)
        title = self.say("counting.referee_board")
        return BoardBlock(self.rules.board, seen, (), tuple(legend(seen, self.lang)), title)

    def all_boards(self) -> Iterator[Block]:
        """What each side knew, and the board of the referee: when nothing is hidden any more."""
        yield SecretEnds()
        for colour in self.rules.colours:
            seen = picture(self.rules, None, self.table.view(colour))
            yield BoardBlock(self.rules.board, seen, title=self.say("counting.seat_board", name=self.name(colour)))
        yield self.referee_board()

    def news(self, start: int, colour: int) -> Iterator[Block]:
        """What the seat of a colour is told of the events from number `start` on."""
        game = self.table.game
        for index in range(start, len(game.events)):
            event = game.events[index]
            if event.actor == CHANCE and event.action >= 0:
                yield from self._throw(game.positions[index], event.action)
                continue
            news = news_of(game, index, colour)
            if news is not None:
                told = news_sentences(self.rules, news, colour, game.positions[index + 1].dead)
                yield from (TextBlock(sentence, "said") for sentence in told)

    def _throw(self, before: Position, action: int) -> Iterator[Block]:
        """A throw of the dice, nothing for the player who has none."""
        faces = faces_of(self.rules, before, action)
        if faces and isinstance(self.rules, DicedRules):
            name = self.name(self.rules.owner(before, len(before.draws)))
            text = self.say("dice.throws", name=name, faces=" + ".join(map(str, faces)))
            yield DiceBlock(faces, self.rules.dice_of(before).sides, text)

    # -- the end -------------------------------------------------------------------------------------------------------

    def resume(self, then: Callable[[], Iterator[Block]]) -> Iterator[Block]:
        """Let a game that passes have stopped go on."""
        if not self.table.suspended:
            yield self.error("terminal.not_suspended")
            return
        self.game.play(self.table.position.mover, RESUME)
        yield from self.save()
        yield from then()

    def mark_dead(self, text: str) -> Iterator[Block]:
        """Call the chain on a point dead, or no longer; without a point, all that seem dead.

        Raises VariantsError where that cannot be.
        """
        if not self.rules.agrees_on_dead:
            raise RequestRefused("refusals.no_dead")
        may_say = self.game.is_counting or (self.rules.is_open and self.table.suspended)
        if not text and not may_say:
            raise RequestRefused("refusals.dead_when")
        if text:
            points = [commands.point_of(self.rules.board, text, self.lang)]
        else:
            points = [members[0] for members in find_seeming_dead(self.table.game)]
        if may_say and text and not self.table.position.stones[points[0]]:
            raise RequestRefused("refusals.no_stone", vertex=self.rules.board.vertex(points[0]))
        before = len(self.table.game.events)
        for point in points:
            self.game.mark_dead(point)
        yield from self.save()
        yield from self.news(before, self.table.position.mover)
        outcome = self.table.game.outcome
        assert outcome is not None
        yield TextBlock(self.say("counting.standing", result=outcome.sentence(self.lang)))

    def say_dead(self) -> Iterator[Block]:
        """Ask whether what seems dead is."""
        if self.rules.agrees_on_dead:
            dead = [point for members in find_seeming_dead(self.table.game) for point in members]
            if dead:
                vertices = ", ".join(self.rules.board.vertices_of(dead))
                yield TextBlock(self.say("terminal.seem_dead", vertices=vertices), "said")

    def finish(self, players: Mapping[int, str]) -> Iterator[Block]:
        """Let the players leave, count, put the record where it stays, and say in the last line who won."""
        outcome = self.table.game.outcome
        assert outcome is not None
        for player in self.table.seats.values():
            try:
                player.leave(outcome)
            except Exception as error:
                yield self.error("terminal.failed", bot=type(player).__name__, why=f"{type(error).__name__}: {error}")
        if outcome.how == "score":
            yield from (TextBlock(self._points_of(colour, count)) for colour, count in points(self.table.game).items())
        result = outcome.sentence(self.lang)
        result = result[0].upper() + result[1:]
        try:
            path = self.file.finish(self.game.to_record(players))
        except OSError as error:
            yield self.error("terminal.not_kept", why=error.strerror or error)
            yield TextBlock(result, "title")
            return
        if isinstance(self.rules, DicedRules):
            yield TextBlock(self.say("terminal.replayed"), "quiet")
        yield TextBlock(self.say("terminal.finished", result=result, path=path), "title")

    def _points_of(self, colour: int, count: int) -> str:
        komi = float(str(self.rules.values.get("komi", 0))) if colour == WHITE else 0
        if not komi:
            return self.say("counting.points", name=self.name(colour), points=count)
        shown, total = words.number(komi, self.lang), words.number(count + komi, self.lang)
        return self.say("counting.points_and_komi", name=self.name(colour), points=count, komi=shown, total=total)


_MINUTE_S = 60
_HOUR_S = 3600
# Under so many seconds tenths are told.
_HURRY_S = 10.0


def clock_text(clock: Clock, spent_s: float | None = None, elapsed_s: float = 0.0) -> str:
    """What a clock shows after some more seconds; without a time control how long was thought, if that is known.

    In byo-yomi the periods stand behind the time, as `0:25 (3x0:30)`; in a Canadian period the stones, as `4:10/25`.
    """
    control = clock.control
    if control.kind == "none":
        return "" if spent_s is None else minutes(spent_s + elapsed_s)
    now = clock.while_thinking(elapsed_s)
    shown = f"{now.left_s:.1f}" if now.left_s < _HURRY_S else minutes(now.left_s)
    if not now.left_count:
        return shown
    if control.kind == "byoyomi":
        return f"{shown} ({now.left_count}x{minutes(control.period_s)})"
    return f"{shown}/{now.left_count}"


def minutes(seconds: float) -> str:
    """Seconds as a clock shows them: 1:05, or 2:01:05."""
    whole = int(seconds)
    text = f"{whole // _MINUTE_S % _MINUTE_S}:{whole % _MINUTE_S:02}"
    if whole < _HOUR_S:
        return text
    return f"{whole // _HOUR_S}:{whole // _MINUTE_S % _MINUTE_S:02}:{whole % _MINUTE_S:02}"
