"""The state of the full screen, updated by blocks and scenes, and its cursor."""

import math
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gtp_variants.lang import say
from gtp_variants.rules.boards.board import Board
from gtp_variants.terminal import blocks
from gtp_variants.terminal.fullscreen.board_drawing import BoardDrawing, Overlay
from gtp_variants.terminal.games.scene import GameScene, SceneBoard

# Diagonal steps on a square grid, and on a hexagonal grid, where rows are shifted by half a cell.
_RECT = {"up-left": (-1, 1), "up-right": (1, 1), "down-left": (-1, -1), "down-right": (1, -1)}
_HEX = {"up-left": (0, 1), "up-right": (1, 1), "down-left": (-1, -1), "down-right": (0, -1)}


class BoardCursor:
    """The cursor on a board. It starts in the middle."""

    def __init__(self, board: Board) -> None:
        self.board = board
        places = [board.drawn_at(point) for point in range(len(board))]
        self._middle = (sum(x for x, _ in places) / len(places), sum(y for _, y in places) / len(places))
        self._has_moved = False
        self._begin_among(range(len(board)))

    def begin_at(self, points: Collection[int]) -> None:
        """Go to the most central of these points, unless the person has moved the cursor."""
        if points and not self._has_moved:
            self._begin_among(points)

    def _begin_among(self, points: Collection[int]) -> None:
        self.point = min(points, key=lambda p: (math.dist(self.board.drawn_at(p), self._middle), p))
        # The horizontal place to which the cursor stays close while it moves up and down.
        self._wanted = self.board.drawn_at(self.point)[0]

    def go_to(self, point: int) -> None:
        """Move to a point."""
        self.point, self._has_moved = point, True
        self._wanted = self.board.drawn_at(point)[0]

    def move(self, direction: str) -> bool:
        """Move one step left, right, up, down or diagonally, as in "up-left". Return False at the edge.

        Up and down go to the nearest point of the next row, and follow a straight line over several rows.
        """
        if direction in ("up", "down"):
            row = self.board.cells[self.point][1] + (1 if direction == "up" else -1)
            points = [point for point, (_, y) in enumerate(self.board.cells) if y == row]
            found = min(points, key=lambda p: abs(self.board.drawn_at(p)[0] - self._wanted), default=None)
            if found is not None:
                self.point, self._has_moved = found, True
            return found is not None
        steps = _HEX if self.board.geometry == "hex" else _RECT
        dx, dy = {"left": (-1, 0), "right": (1, 0)}.get(direction) or steps[direction]
        point = self._along(dx, dy)
        if point is not None:
            self.go_to(point)
        return point is not None

    def _along(self, dx: int, dy: int) -> int | None:
        """Return the next point in a direction, skipping any holes of the board, or None at the edge."""
        x, y = self.board.cells[self.point]
        while 0 <= x + dx < self.board.width and 0 <= y + dy < self.board.height:
            x, y = x + dx, y + dy
            point = self.board.at(x, y)
            if point is not None:
                return point
        return None


_MOST_MESSAGES = 300
# Maximum number of lines of an answer shown without a page of its own.
_LONGEST_ANSWER = 8


@dataclass(frozen=True, slots=True)
class Message:
    """A text in the list of messages, and its style."""

    text: str
    style: str = ""


class ScreenModel:
    """The state of the screen: the latest scene, messages, an overlay on the board, a page of text and the cursor.

    `is_busy` is True while the session thinks or acts, and `thinking` says who is thinking. `page` has the lines of a
    text that covers the board, shown from line `page_top` on, or is () for none. `answer_head` is the first message of
    an answer that is shown from its start even if it is too long, or None to show the newest messages. `is_leaving`
    is True while the screen asks whether the person wants to leave.
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
        # The plain and quiet messages of the current answer.
        self._answer: list[Message] = []
        self._board_number = 0
        self._take(scene, has_new_board=True)

    def _take(self, scene: GameScene, *, has_new_board: bool) -> None:
        self.scene, self.made_s = scene, time.monotonic()
        if has_new_board:
            self.cursor, self.drawing = BoardCursor(scene.board), BoardDrawing(scene.board, self.is_letters)
        if self.board is not None:
            self.cursor.begin_at(self.board.picture.open)

    # -- what comes from the session -----------------------------------------------------------------------------------

    def update(self, scene: GameScene) -> None:
        """Show the current scene."""
        before = self.scene
        if len(scene.boards) != len(before.boards):
            self._board_number = 0
        self._take(scene, has_new_board=scene.board is not before.board)
        if not scene.is_finished:
            # A new game may have begun, so the result of the game before it is dropped.
            self.result = ""
        if scene.moves != before.moves or not scene.boards:
            self.overlay = Overlay()

    def show(self, block: blocks.Block) -> None:
        """Show a block of the session's answer."""
        self.thinking = ""
        match block:
            case blocks.TextBlock():
                message = Message(block.text, "" if block.kind == "plain" else block.kind)
                self._say(message)
                if block.kind in ("plain", "quiet"):
                    self._answer.append(message)
                    self.answer_head = self.answer_head or message
                if block.kind == "title":
                    self.result, self.answer_head = block.text, None
            case blocks.DiceBlock():
                self._say(Message(block.text, "said"))
            case blocks.BoardBlock() if block.chances:
                self.overlay = _odds(block)
                self._say_all((block.title, *block.notes))
            case blocks.CandidatesBlock():
                self.overlay = _candidates(block)
                self._say_all(block.notes)
            case blocks.ThinkingBlock():
                self.thinking = block.text
            case blocks.Secret():
                self.forget()

    def begin_answer(self) -> None:
        """Prepare for the answer to a request."""
        self.is_busy = True
        self._answer, self.answer_head = [], None

    def end_answer(self) -> None:
        """Finish the answer. A long text is moved to a page of its own."""
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
        """Remove all messages, the overlay and the page."""
        self.messages, self._answer, self.answer_head = [], [], None
        self.overlay, self.page = Overlay(), ()

    # -- what the person does to the screen ----------------------------------------------------------------------------

    @property
    def can_point(self) -> bool:
        """Return True if a board is visible, so that the person can point at it."""
        return bool(self.scene.boards) and not self.page

    @property
    def vertex(self) -> str:
        """The vertex under the cursor, or "" without a board."""
        return self.scene.board.vertex(self.cursor.point) if self.scene.boards else ""

    @property
    def board(self) -> SceneBoard | None:
        """The board that is shown, or None while nobody may look."""
        boards = self.scene.boards
        return boards[self._board_number % len(boards)] if boards else None

    def turn_board(self) -> None:
        """Show the next board, if there are several."""
        self._board_number += 1

    def open_page(self, texts: Sequence[str]) -> None:
        """Cover the board with a text."""
        self.page, self.page_top = tuple(texts), 0

    def turn_page(self, by: int, rows: int, height: int) -> None:
        """Scroll the page by `by` rows. It has `rows` rows, of which `height` are visible."""
        self.page_top = max(0, min(self.page_top + by, rows - height))

    def back(self) -> bool:
        """Close the page, or else the overlay. Return False if neither was open."""
        had = bool(self.page or self.overlay.words)
        if self.page:
            self.page = ()
        else:
            self.overlay = Overlay()
        return had

    @property
    def prompt(self) -> str:
        """The text shown before the input."""
        if self.is_leaving:
            return say("terminal.leave", self.scene.lang) + " "
        if self.thinking:
            return self.thinking + " "
        if self.scene.is_finished:
            return say("fullscreen.close", self.scene.lang) + " "
        return self.scene.prompt


def _odds(block: blocks.BoardBlock) -> Overlay:
    empty = {point: chance for point, chance in enumerate(block.chances) if not block.picture.stones[point]}
    words = {point: word for point, chance in empty.items() if (word := blocks.tenths(chance)) != "."}
    return Overlay(words, {point: empty[point] for point in words})


def _candidates(block: blocks.CandidatesBlock) -> Overlay:
    points = [each for each in block.candidates if each.action >= 0]
    words = {each.action: str(number) for number, each in enumerate(block.candidates, 1) if each.action >= 0}
    most = max((each.part or 0.0 for each in points), default=0.0) or 1.0
    return Overlay(words, {each.action: 1.0 if each.part is None else each.part / most for each in points})
