"""The steps of a record, as seen by a spectator after the game or by one seat during the game."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gtp_variants.lang import say
from gtp_variants.records.drawing.diagram import diagram
from gtp_variants.records.record import Record, Time, printable
from gtp_variants.records.sentences import announcements, event_sentence, in_language
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.languages import format_number
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import HiddenRules, faces_of
from gtp_variants.rules.views import News, View


@dataclass(frozen=True, slots=True)
class RecordStep:
    """One step of a record: the board after an event and the throws that follow it.

    `event` is the number of that event, or None at the start. `events` is the number of events so far, including the
    throws that follow. `move` is the number of stones, passes and swaps so far. `captures` is True if stones were
    captured.
    """

    event: int | None
    events: int
    move: int
    captures: bool = False


class RecordSteps:
    """The steps of a record. They show everything, or if `seat` is given, only what that colour knew at each step.

    The seat makes a difference only in a game with hidden stones, and only until the game ends. Sentences are in
    `lang`; "" means the game's own language.
    """

    def __init__(self, record: Record, seat: int | None = None, lang: str = "") -> None:
        self.record = record
        self.game = record.game
        self.rules: Rules = in_language(record.game.rules, lang)
        self.seat = None if self.rules.is_open else seat
        self.all: Sequence[RecordStep] = tuple(self._find_steps())

    def _find_steps(self) -> Iterable[RecordStep]:
        game = self.game
        before = 0
        yield RecordStep(None, self._after_throws(0), 0)
        for index, event in enumerate(game.events):
            if (event.actor == CHANCE and event.action >= 0) or (self.seat is not None and self._news(index) is None):
                continue
            position = game.positions[index + 1]
            move = position.turn - game.positions[0].turn
            captures = move > before and bool(position.captured)
            yield RecordStep(index, self._after_throws(index + 1), move, captures)
            before = move

    def _after_throws(self, count: int) -> int:
        """Return the index of the next event, from `count` on, that is not a throw."""
        events = self.game.events
        while count < len(events) and events[count].actor == CHANCE and events[count].action >= 0:
            count += 1
        return count

    def _news(self, index: int) -> News | None:
        game = self.game
        assert self.seat is not None
        return self.rules.hears(game.positions[index], game.events[index], game.positions[index + 1], self.seat)

    @property
    def last_move(self) -> int:
        """The number of moves in the record."""
        return self.all[-1].move

    def at_move(self, move: int) -> int | None:
        """Return the number of the first step after this many moves, or None if the game is shorter."""
        return next((number for number, moment in enumerate(self.all) if moment.move == move), None)

    def position(self, moment: RecordStep) -> Position:
        """Return the position of a step."""
        return self.game.positions[moment.events]

    def view(self, moment: RecordStep) -> View | None:
        """Return the seat's knowledge at a step, or None if nothing is hidden from the reader."""
        if self.seat is None or self.rules.is_final(self.position(moment)):
            return None
        start = self.rules.hears_start(self.game.positions[0], self.seat)
        heard = [start, *(self._news(index) for index in range(moment.events))]
        return self.rules.view((news for news in heard if news is not None), self.seat)

    def caption(self, moment: RecordStep) -> list[str]:
        """Return one or more lines with the move number and the event."""
        lang = self.rules.lang
        if moment.event is None:
            return [say("game.start", lang)]
        # A seat cannot know how long the game will last.
        key = "game.move" if self.seat is not None else "game.move_of"
        told = say(key, lang, number=moment.move, count=self.last_move)
        clock = self._clock(self.record.times.get(moment.event))
        happened, said = self._describe_event(moment.event)
        for sentence in happened:
            told = say("game.label", lang, name=told, value=sentence)
        return [f"{told}{clock}", *said]

    def _describe_event(self, index: int) -> tuple[list[str], list[str]]:
        """Return sentences about a player's action, if the reader may know it, and the referee's announcements."""
        event, after = self.game.events[index], self.game.positions[index + 1]
        if self.seat is None:
            # A position keeps the referee's last announcements until the next try.
            tried = self.game.is_turn(index) or self.game.is_refused(index)
            said = announcements(self.rules, after) if tried else []
            done = event_sentence(self.rules, event.actor, event.action, after.dead)
            return [done + (self._under(index) if tried else "")], said
        news = self._news(index)
        assert news is not None
        rules = self.rules
        told = [] if news.action is None else [event_sentence(rules, news.actor, news.action, after.dead)]
        return told, rules.sentences(news.said) if isinstance(rules, HiddenRules) else []

    def _under(self, index: int) -> str:
        """Return the draw under which a stone or pass was played, in parentheses, or "" without one."""
        before = self.game.positions[index]
        faces = faces_of(self.rules, before, before.draws[0]) if before.draws else ()
        return f" ({say('game.draw', self.rules.lang, faces=' + '.join(map(str, faces)))})" if faces else ""

    def _clock(self, time: Time | None) -> str:
        lang = self.rules.lang
        said = []
        if time is not None and time.took_s is not None:
            said.append(say("game.took", lang, seconds=format_number(round(time.took_s, 1), lang)))
        if time is not None and time.left_s is not None:
            key = "game.left" if time.left_count is None else "game.left_for"
            said.append(say(key, lang, seconds=format_number(round(time.left_s, 1), lang), count=time.left_count))
        return f", {', '.join(said)}" if said else ""

    def title(self) -> str:
        """Return the names of the game and the players."""
        lang = self.rules.lang
        players = [
            say("game.label", lang, name=colour_name(colour, lang), value=printable(self.record.players[colour]))
            for colour in self.rules.colours
            if self.record.players.get(colour)
        ]
        return ", ".join([self.rules.title, *players])

    def remark(self, moment: RecordStep) -> list[str]:
        """Return the recorded result at the last step if the game itself has none, or else []."""
        result = self.record.result
        if self.seat is not None or moment is not self.all[-1] or not result or self.game.outcome is not None:
            return []
        return [say("game.recorded", self.rules.lang, result=printable(result))]


def text_of(moments: RecordSteps, moment: RecordStep) -> str:
    """Return a step as text: the title, the move and the board."""
    board = diagram(moments.rules, moments.position(moment), moments.view(moment))
    lines = [moments.title(), *moments.caption(moment), "", board, *moments.remark(moment)]
    return "\n".join(lines) + "\n"
