"""What a seat of a game with hidden stones remembers: facts that still hold with their age, and its last turns."""

from collections import deque
from dataclasses import dataclass

from gtp_variants.rules.actions import EMPTY, FLAG, FORFEIT, PASS, RESIGN, TURN
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View

# A seat remembers what was said in its last eight turns: as many of the other side lie between them.
REMEMBERED_TURNS = 16


@dataclass(frozen=True, slots=True)
class HeardTurn:
    """What was heard of one turn: stones captured and put in atari, an own atari, refused tries before it ended."""

    is_own: bool
    is_pass: bool
    captured: int
    atari: int
    self_atari: bool
    refused: int


class SeatMemory:
    """The facts of all the news a seat heard, point by point and turn by turn.

    `placed`, `refused`, `lost` and `taken` hold a turn for each point, 0 where there is nothing to remember: the turn
    in which the seat's stone that stands there was placed, in which its try there was refused, in which a stone of its
    own or of the other side was last captured there. A fact is forgotten when it no longer says anything: the last
    three when the seat places a stone there, a refusal also when a stone is shown or captured there.
    """

    def __init__(self, rules: Rules, view: View) -> None:
        points = len(rules.board)
        self.placed, self.refused, self.lost, self.taken = ([0] * points for _ in range(4))
        self.turns: deque[HeardTurn] = deque(maxlen=REMEMBERED_TURNS)
        self.refused_now = 0
        self.tries = 0
        self.captures = [0, 0, 0, 0]
        self.last_point = -1
        self.captured_last: tuple[int, ...] = ()
        self._colours = rules.colours
        self._colour = view.colour
        self._to_play = rules.colours[0]
        self._turn = 1
        for news in view.news:
            self._hear(news)

    def _hear(self, news: News) -> None:
        if news.seating is not None:
            self._to_play = news.seating.to_play
        elif news.refused:
            self._hear_refusal(news)
        elif news.action == TURN:
            self.refused_now = self.refused_now if news.actor == self._to_play else 0
            self._to_play = news.actor
        elif news.action in (RESIGN, FLAG, FORFEIT):
            # Who leaves has had the last turn, and captured nothing in it.
            self.captured_last = ()
        elif news.action is None or news.action >= 0 or news.action == PASS:
            self._hear_turn(news)

    def _hear_refusal(self, news: News) -> None:
        self.tries += 1
        self.refused_now += 1
        if news.action is not None:
            is_shown = news.shown not in (None, EMPTY, self._colour)
            self.refused[news.action] = 0 if is_shown else self._turn

    def _hear_turn(self, news: News) -> None:
        is_own = news.actor == self._colour
        self.turns.appendleft(
            HeardTurn(
                is_own,
                news.action == PASS,
                news.count,
                sum(item.count for item in news.said if item.code == "atari"),
                any(item.code == "self_atari" for item in news.said),
                self.refused_now,
            )
        )
        self.last_point = -1
        if is_own and news.action is not None and news.action >= 0:
            self.last_point = news.action
            self.placed[news.action] = self._turn
            self.refused[news.action] = self.lost[news.action] = self.taken[news.action] = 0
        for point in news.captured:
            self.placed[point] = self.refused[point] = 0
            (self.taken if is_own else self.lost)[point] = self._turn
        self.captured_last = news.captured
        self.captures[news.actor] += news.count
        self.tries += 1
        self.refused_now = 0
        self._to_play = next(colour for colour in self._colours if colour != news.actor)
        self._turn += 1
