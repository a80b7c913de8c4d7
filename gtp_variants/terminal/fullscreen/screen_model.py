"""What the whole screen shows of a session: fed with its blocks and scenes, it forgets what must vanish."""

import time
from collections.abc import Sequence

from gtp_variants.lang import say
from gtp_variants.terminal.display.blocks import (
    Block,
    BoardBlock,
    CandidatesBlock,
    ClearScreen,
    DiceBlock,
    EstimatesBlock,
    SecretBegins,
    SecretEnds,
    TextBlock,
    ThinkingBlock,
    tenths,
)
from gtp_variants.terminal.fullscreen.board_drawing import BoardDrawing, Overlay
from gtp_variants.terminal.fullscreen.cursor import BoardCursor
from gtp_variants.terminal.fullscreen.panel import Message
from gtp_variants.terminal.games.scene import GameScene, SceneBoard

_MOST_MESSAGES = 300
# An answer of more lines than this has a page of its own.
_LONGEST_ANSWER = 8


class ScreenModel:
    """The state of the screen: the last scene, messages, what lies over the board, a page of text, the cursor.

    `is_busy` while the session thinks or acts; `thinking` says who thinks. `page` are the lines of a text that covers
    the board, from `page_top` on; () for none. `answer_head` is where an answer begins that is read from there on, even
    if it is too long for its place; None if the newest that was said is what counts. `is_leaving` while it is asked
    whether the person wants to leave.
    """

    def __init__(self, scene: GameScene, is_letters: bool) -> None:
        self.is_letters = is_letters
        self.messages: list[Message] = []
        self.overlay = Overlay()
        self.page: tuple[str, ...] = ()
        self.page_top = 0
        self.thinking = ""
        self.is_busy = False
        self.is_leaving = False
        self.log_scroll = 0
        self.answer_head: Message | None = None
        self.result = ""
        # How many messages of the answer under way are plain words.
        self._answer: list[Message] = []
        self._board_number = 0
        self._take(scene)
        self.cursor = BoardCursor(scene.board)
        self.drawing = BoardDrawing(scene.board, is_letters)
        self._begin_cursor()

    def _begin_cursor(self) -> None:
        if self.board is not None:
            self.cursor.begin_at(self.board.picture.open)

    def _take(self, scene: GameScene) -> None:
        self.scene = scene
        self.made_s = time.monotonic()

    # -- what comes from the session -----------------------------------------------------------------------------------

    def update(self, scene: GameScene) -> None:
        """The game stands so now."""
        before = self.scene
        self._take(scene)
        if scene.board is not before.board:
            self.cursor = BoardCursor(scene.board)
            self.drawing = BoardDrawing(scene.board, self.is_letters)
        if not scene.is_finished:
            # A new game may follow one that is over.
            self.result = ""
        if scene.moves != before.moves or not scene.boards:
            self.overlay = Overlay()
        if len(scene.boards) != len(before.boards):
            self._board_number = 0
        self._begin_cursor()

    def show(self, block: Block) -> None:
        """Take a block that a session hands out."""
        self.thinking = ""
        match block:
            case TextBlock():
                message = Message(block.text, "" if block.kind == "plain" else block.kind)
                self._say(message)
                if block.kind in ("plain", "quiet"):
                    self._answer.append(message)
                    self.answer_head = self.answer_head or message
                if block.kind == "title":
                    self.result, self.answer_head = block.text, None
            case DiceBlock():
                self._say(Message(block.text, "said"))
            case EstimatesBlock():
                self.overlay = _odds(block)
                self._say_all((block.title, *block.notes))
            case CandidatesBlock():
                self.overlay = _candidates(block)
                self._say_all(block.notes)
            case ThinkingBlock():
                self.thinking = block.text
            case SecretBegins() | ClearScreen() | SecretEnds():
                self.forget()
            case BoardBlock():
                pass

    def begin_answer(self) -> None:
        """Something was asked of the session."""
        self.is_busy = True
        self._answer, self.answer_head = [], None

    def end_answer(self) -> None:
        """All of it has come: a long text gets a page of its own."""
        self.is_busy, self.thinking = False, ""
        texts = [line for message in self._answer for line in message.text.split("\n")]
        if len(texts) > _LONGEST_ANSWER:
            kept = {id(message) for message in self._answer}
            self.open_page(texts)
            self.messages = [message for message in self.messages if id(message) not in kept]
        self._answer = []

    def _say(self, message: Message) -> None:
        self.messages = [*self.messages[1 - _MOST_MESSAGES :], message]
        self.log_scroll = 0

    def _say_all(self, texts: Sequence[str]) -> None:
        messages = [Message(text) for text in texts]
        for message in messages:
            self._say(message)
        self.answer_head = self.answer_head or next(iter(messages), None)

    def forget(self) -> None:
        """Nothing that was shown may be seen any more."""
        self.messages, self._answer, self.answer_head = [], [], None
        self.overlay, self.page = Overlay(), ()

    # -- what the person does to the screen ----------------------------------------------------------------------------

    @property
    def can_point(self) -> bool:
        """Whether there is a board to point at."""
        return bool(self.scene.boards) and not self.page

    @property
    def vertex(self) -> str:
        """The word of the point that is pointed at, "" without a board."""
        return self.scene.board.vertex(self.cursor.point) if self.scene.boards else ""

    @property
    def board(self) -> SceneBoard | None:
        """The board that is looked at."""
        boards = self.scene.boards
        return boards[self._board_number % len(boards)] if boards else None

    def turn_board(self) -> None:
        """Look at the next of several boards."""
        self._board_number += 1

    def open_page(self, texts: Sequence[str]) -> None:
        """Cover the board with a text."""
        self.page, self.page_top = tuple(texts), 0

    def turn_page(self, by: int, rows: int, height: int) -> None:
        """Go on by so many lines of its `rows`, of which `height` are seen."""
        self.page_top = max(0, min(self.page_top + by, rows - height))

    def back(self) -> bool:
        """Close what lies on top: the page, else what is written over the board; whether there was anything."""
        had = bool(self.page or self.overlay.words)
        if self.page:
            self.page = ()
        else:
            self.overlay = Overlay()
        return had

    @property
    def prompt(self) -> str:
        """What stands before the line that is typed."""
        if self.is_leaving:
            return say("terminal.leave", self.scene.lang) + " "
        if self.thinking:
            return self.thinking + " "
        if self.scene.is_finished:
            return say("fullscreen.close", self.scene.lang) + " "
        return self.scene.prompt


def _odds(block: EstimatesBlock) -> Overlay:
    shown = {
        point: chance
        for point, chance in enumerate(block.chances)
        if not block.picture.stones[point] and tenths(chance) != "."
    }
    return Overlay({point: tenths(chance) for point, chance in shown.items()}, shown)


def _candidates(block: CandidatesBlock) -> Overlay:
    points = [each for each in block.candidates if each.action >= 0]
    words = {each.action: str(number) for number, each in enumerate(block.candidates, 1) if each.action >= 0}
    most = max((each.part or 0.0 for each in points), default=0.0) or 1.0
    return Overlay(words, {each.action: 1.0 if each.part is None else each.part / most for each in points})
