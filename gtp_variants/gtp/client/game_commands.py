"""Turns the events of a game into GTP commands for an external engine, by what that engine understands.

A script begins with the commands of a new game and grows with the news of one seat. An engine that was told all of it
knows what the seat knows.
"""

from collections.abc import Sequence

from gtp_variants.errors import PeerUnfit
from gtp_variants.gtp.client.peer import CLEAR, Line
from gtp_variants.records.news_notation import write_news
from gtp_variants.records.notation import write_faces, write_move
from gtp_variants.rules import words
from gtp_variants.rules.actions import (
    CHANCE,
    LEAVING,
    PASS,
    RESUME,
    SET_DICE,
    SWAP,
    unpack,
)
from gtp_variants.rules.boards.chains import place
from gtp_variants.rules.dice.kinds import dice_of_code
from gtp_variants.rules.diced import faces_of
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turn_rules import next_mover
from gtp_variants.rules.views import News


def play_line(rules: Rules, colour: int, action: int) -> Line:
    """The `play` of a stone, pass or swap."""
    return "play", words.COLOUR_LETTERS[colour], write_move(rules.board, action)


def go_opening(rules: Rules, is_rectangular_known: bool) -> list[Line]:
    """A new game for an engine that knows only Go. Raises PeerUnfit where the board is none of Go's."""
    board = rules.board
    if board.geometry != "rect" or len(board) != board.width * board.height:
        raise PeerUnfit(f"the board of {rules.name} is no board of Go; an engine needs `variant-set` for it")
    if board.width == board.height:
        lines: list[Line] = [("boardsize", str(board.width))]
    elif is_rectangular_known:
        lines = [("rectangular_boardsize", str(board.width), str(board.height))]
    else:
        raise PeerUnfit(f"a board of {board.width} by {board.height} needs `variant-set` or `rectangular_boardsize`")
    komi = rules.values.get("komi")
    if komi is not None:
        lines.append(("komi", words.number(float(str(komi)))))
    return [*lines, CLEAR]


class MoveCommands:
    """Every move as it was played and every draw as it fell: for engines that know the game."""

    def __init__(self, rules: Rules, opening: Sequence[Line], is_told_leaving: bool) -> None:
        self.rules = rules
        self.lines = list(opening)
        self._position = rules.start()
        self._is_told_leaving = is_told_leaving

    def hear(self, news: News) -> None:
        assert news.after is not None
        self.lines += self._lines_of(news, news.after)
        self._position = news.after

    def _lines_of(self, news: News, after: Position) -> list[Line]:
        rules, action = self.rules, news.action
        if action is None:
            return self._start(after)
        if news.actor == CHANCE and action >= 0:
            return [self._draw(action)]
        kind, argument = unpack(action)
        if action >= 0 or action in (PASS, SWAP):
            return [play_line(rules, news.actor, action)]
        if kind == SET_DICE:
            return [("aleago-set_dice", str(dice_of_code(argument)))]
        if kind == RESUME:
            return [("aleago-resume",)]
        if kind in LEAVING and self._is_told_leaving:
            return [("variant-resign", words.COLOUR_LETTERS[news.actor])]
        # An end, or a side passed over: GTP lets either colour play at any time.
        return []

    def _start(self, position: Position) -> list[Line]:
        stones = [
            word
            for point in self.rules.board.order
            if position.stones[point]
            for word in (words.COLOUR_LETTERS[position.stones[point]], self.rules.board.vertex(point))
        ]
        placed: list[Line] = [("gogui-setup", *stones)] if stones else []
        return [*placed, ("gogui-setup_player", words.COLOUR_LETTERS[position.mover])]

    def _draw(self, action: int) -> Line:
        """A draw belongs to the side to move; with the crystal ball the second that is known to the side after it."""
        rules, position = self.rules, self._position
        owner = position.mover if not position.draws else next_mover(rules.colours, position, position.mover)
        faces = faces_of(rules, position, action)
        return "aleago-draw", words.COLOUR_LETTERS[owner], *write_faces(faces).split()


class BoardCommands:
    """The board as an engine must see it that knows only Go: move by move, and set up anew where captures differ."""

    def __init__(self, rules: Rules, opening: Sequence[Line]) -> None:
        self.rules = rules
        self.lines = list(opening)
        self._opening = len(opening)
        self._stones = bytes(len(rules.board))

    def hear(self, news: News) -> None:
        if news.after is None or (news.actor == CHANCE and news.action is not None):
            return
        if news.action is None:
            self.set_up(news.after.stones)
        elif news.action == PASS:
            self.lines.append(play_line(self.rules, news.actor, PASS))
        elif news.action >= 0:
            self._place(news.actor, news.action, news.after.stones)

    def _place(self, colour: int, point: int, stones: bytes) -> None:
        by_go = place(self.rules.board, self._stones, colour, point)
        if by_go is not None and bytes(by_go[0]) == stones:
            self.lines.append(play_line(self.rules, colour, point))
            self._stones = stones
        else:
            self.set_up(stones)

    def set_up(self, stones: bytes | None = None) -> None:
        """Begin anew with these stones on the board, or with those that stand there.

        A stone at a time, in any order: every chain has a liberty in the end, so it has one on the way.
        """
        self._stones = self._stones if stones is None else stones
        del self.lines[self._opening :]
        order = self.rules.board.order
        self.lines += [play_line(self.rules, self._stones[point], point) for point in order if self._stones[point]]


class NewsCommands:
    """What a seat of a hidden game is told, in the words of `phantom-hear`."""

    def __init__(self, rules: Rules, opening: Sequence[Line]) -> None:
        self.rules = rules
        self.lines = list(opening)

    def hear(self, news: News) -> None:
        if news.seating is not None:
            raise PeerUnfit("a hidden game that starts with stones on the board cannot be told")
        written = write_news(self.rules, news)
        if written:
            self.lines.append(("phantom-hear", *written))


# The commands so far, and how they go on with what the seat is told.
GameCommands = MoveCommands | BoardCommands | NewsCommands
