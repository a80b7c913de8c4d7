"""The part that play and referee sessions share: a game saved after every event, its boards and messages."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from gtp_variants.base.folders import user_path
from gtp_variants.errors import IllegalMove, VariantsError
from gtp_variants.lang import RequestRefused, as_sentence, say
from gtp_variants.players.clock import Clock
from gtp_variants.players.hosted_game import HostedGame
from gtp_variants.players.player import news_of
from gtp_variants.players.table import Table
from gtp_variants.records import files
from gtp_variants.records.drawing.diagram import legend
from gtp_variants.records.drawing.drawing_model import picture
from gtp_variants.records.journal import read_journal
from gtp_variants.records.sentences import news_sentences
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.position import Position
from gtp_variants.rules.traits import DicedRules, faces_of
from gtp_variants.rules.views import View
from gtp_variants.terminal.blocks import Block, BoardBlock, DiceBlock, TextBlock, ThinkingBlock
from gtp_variants.terminal.games import commands
from gtp_variants.terminal.games.save_file import POLICY, SaveFile


class Question:
    """A question that the next line answers with yes or no. `text` is "" while there is no question."""

    def __init__(self, lang: str) -> None:
        self._lang = lang
        self.text = ""
        self._then: Mapping[bool, Callable[[], Iterable[Block]]] = {}

    def ask(
        self, text: str, if_yes: Callable[[], Iterable[Block]], if_no: Callable[[], Iterable[Block]] = tuple
    ) -> None:
        """Ask a question, and store what to do for either answer."""
        self.text, self._then = text, {True: if_yes, False: if_no}

    def answer(self, line: str) -> Iterator[Block]:
        """Do what the answer in a line decides, or ask again for yes or no."""
        word = commands.answer_of(line, self._lang)
        if word is None:
            yield TextBlock(say("terminal.yes_or_no", self._lang), "error")
        else:
            self.text = ""
            yield from self._then[word]()


class GameHost:
    """A game saved in a file, with its messages and boards. `is_saved` is False once the file could not be written."""

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
        """Return the text of a key in the language of the game."""
        return say(key, self.lang, **parts)

    def error(self, key: str, **parts: object) -> TextBlock:
        """Return the error message of a key."""
        return TextBlock(self.say(key, **parts), "error")

    def explain(self, error: VariantsError) -> TextBlock:
        """Return an error message that explains why a request was refused."""
        sentence = error.sentence if isinstance(error, IllegalMove) else ""
        if isinstance(error, RequestRefused):
            sentence = error.reason(self.lang)
        return TextBlock(as_sentence(sentence or self.say("refused_requests.not_now")), "error")

    def name(self, colour: int) -> str:
        """Return the name of a colour."""
        return colour_name(colour, self.lang)

    def thinking(self, colour: int) -> ThinkingBlock:
        """Return a block that says who is thinking."""
        return ThinkingBlock(self.say("terminal.thinks", name=self.name(colour)))

    def save(self) -> Iterator[Block]:
        """Save the game. A failure is reported once, and the game continues."""
        try:
            self.file.write(self.game)
        except OSError as error:
            if self.is_saved:
                yield self.error("terminal.not_kept", why=error.strerror or error)
            self.is_saved = False

    def say_path(self) -> Iterator[Block]:
        """Show where the game is saved."""
        if self.is_saved:
            yield TextBlock(self.say("terminal.kept", path=self.file.path), "quiet")

    def load(self) -> HostedGame:
        """Return the game as last saved, or a copy of its current state if it cannot be saved."""
        return self.file.load() if self.is_saved else HostedGame(read_journal(self.game.lines), POLICY)

    def export(self, text: str, players: Mapping[int, str]) -> Iterator[Block]:
        """Save a record in a file. An empty `text` means the name of the saved game."""
        try:
            path = user_path(text or self.file.path.name)
            if path.exists():
                yield self.error("terminal.save_exists", path=commands.quote(str(path)))
                return
            files.save(self.game.to_record(players), path)
        except (OSError, VariantsError) as error:
            yield self.error("terminal.save_failed", why=files.explain(error, self.lang))
            return
        yield TextBlock(self.say("terminal.saved", path=path.resolve()))
        if isinstance(self.rules, DicedRules):
            yield TextBlock(self.say("terminal.saved_dice"), "quiet")

    def resume_command(self) -> str:
        """Return the command that continues the game."""
        return f"gtp-variants {self.game.notes['kind']} --resume {self.file.path.stem}"

    def release(self) -> Iterator[Block]:
        """Release the game to other processes, and show the command that continues it."""
        self.file.release()
        if self.is_saved:
            yield TextBlock(self.say("terminal.go_on", command=self.resume_command()))

    def board(self, view: View, title: str = "", *more: str) -> BoardBlock:
        """Return the board as one seat knows it."""
        seen = picture(self.rules, None, view)
        return BoardBlock(self.rules.board, seen, (*seen.lines, *more), tuple(legend(seen, self.lang)), title)

    def referee_board(self) -> BoardBlock:
        """Return the complete board, to be shown only when it may reveal everything."""
        seen = picture(self.rules, self.table.position)
        title = self.say("counting.referee_board")
        return BoardBlock(self.rules.board, seen, (), tuple(legend(seen, self.lang)), title)

    def news(self, start: int, colour: int) -> Iterator[Block]:
        """Yield the news for one seat, from event number `start` on."""
        game = self.table.game
        for index in range(start, len(game.events)):
            event = game.events[index]
            if event.actor == CHANCE and event.action >= 0:
                yield from self._throw(game.positions[index], event.action)
            elif (news := news_of(game, index, colour)) is not None:
                sentences = news_sentences(self.rules, news, colour, game.positions[index + 1].dead)
                yield from (TextBlock(sentence, "said") for sentence in sentences)

    def _throw(self, before: Position, action: int) -> Iterator[Block]:
        """Yield a throw of the dice, or nothing if the turn has no dice."""
        faces = faces_of(self.rules, before, action)
        if faces and isinstance(self.rules, DicedRules):
            name = self.name(self.rules.owner(before, len(before.draws)))
            text = self.say("dice.throws", name=name, faces=" + ".join(map(str, faces)))
            yield DiceBlock(faces, self.rules.dice_of(before).sides, text)


# With fewer seconds than this left, a clock shows tenths.
_HURRY_S = 10.0


def clock_text(clock: Clock, spent_s: float | None = None, elapsed_s: float = 0.0) -> str:
    """Return a clock's text after `elapsed_s` more seconds. Without a time control, return the time spent or "".

    In byo-yomi the periods follow the time, as in `0:25 (3x0:30)`. In a Canadian period the stones follow: `4:10/25`.
    """
    control = clock.control
    if control.kind == "none":
        return "" if spent_s is None else _minutes(spent_s + elapsed_s)
    now = clock.while_thinking(elapsed_s)
    shown = f"{now.left_s:.1f}" if now.left_s < _HURRY_S else _minutes(now.left_s)
    if not now.left_count:
        return shown
    if control.kind == "byoyomi":
        return f"{shown} ({now.left_count}x{_minutes(control.period_s)})"
    return f"{shown}/{now.left_count}"


def _minutes(seconds: float) -> str:
    """Return seconds as a clock shows them, such as 1:05 or 2:01:05."""
    hours, rest = divmod(int(seconds), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
