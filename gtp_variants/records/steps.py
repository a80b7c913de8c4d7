"""The steps of a record, as seen by a spectator after the game or by one seat during the game."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gtp_variants.lang import say
from gtp_variants.records.drawing.diagram import diagram
from gtp_variants.records.record import Caveat, Record, Time, printable
from gtp_variants.records.sentences import announcements, event_sentence, in_language
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.game import Game
from gtp_variants.rules.languages import format_number
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import HiddenRules, faces_of
from gtp_variants.rules.views import News, View


@dataclass(frozen=True, slots=True)
class RecordStep:
    """One step of a record: the board of a game after an event and the throws that follow it.

    `event` is the number of that event, or None at the start. `events` is the number of events so far, including the
    throws that follow. `move` is the number of stones, passes and swaps in the record so far. `captures` is True if
    stones were captured. `reason` says why a game begins in the middle of the record.
    """

    game: Game
    event: int | None
    events: int
    move: int
    captures: bool = False
    reason: Caveat | None = None


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
        begun, reason = 0, None
        for game, next_reason in [*self.record.before, (self.game, None)]:
            # An illegal move that was carried out counts as a move.
            begun += reason is not None and reason.key == "illegal"
            yield RecordStep(game, None, _after_throws(game, 0), begun, reason=reason)
            before, start = begun, begun - game.positions[0].turn
            for index, event in enumerate(game.events):
                is_throw = event.actor == CHANCE and event.action >= 0
                if is_throw or (self.seat is not None and self._news(game, index) is None):
                    continue
                position = game.positions[index + 1]
                move = position.turn + start
                captures = move > before and bool(position.captured)
                yield RecordStep(game, index, _after_throws(game, index + 1), move, captures)
                before = move
            begun, reason = game.position.turn + start, next_reason

    def _news(self, game: Game, index: int) -> News | None:
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
        return moment.game.positions[moment.events]

    def view(self, moment: RecordStep) -> View | None:
        """Return the seat's knowledge at a step, or None if nothing is hidden from the reader."""
        if self.seat is None or self.rules.is_final(self.position(moment)):
            return None
        start = self.rules.hears_start(moment.game.positions[0], self.seat)
        heard = [start, *(self._news(moment.game, index) for index in range(moment.events))]
        return self.rules.view((news for news in heard if news is not None), self.seat)

    def caption(self, moment: RecordStep) -> list[str]:
        """Return one or more lines with the move number and the event."""
        lang = self.rules.lang
        if moment.event is None:
            return [say("game.start", lang) if moment.reason is None else moment.reason.sentence(lang)]
        # Leave out the total, because a seat cannot know how long the game will last.
        key = "game.move" if self.seat is not None else "game.move_of"
        told = say(key, lang, number=moment.move, count=self.last_move)
        clock = self._clock(self.record.times.get(moment.event) if moment.game is self.game else None)
        happened, said = self._describe_event(moment.game, moment.event)
        for sentence in happened:
            told = say("game.label", lang, name=told, value=sentence)
        return [f"{told}{clock}", *said]

    def _describe_event(self, game: Game, index: int) -> tuple[list[str], list[str]]:
        """Return sentences about a player's action, if the reader may know it, and the referee's announcements."""
        event, after = game.events[index], game.positions[index + 1]
        if self.seat is None:
            # Report announcements only after a try, because the position keeps them until the next try.
            tried = game.is_turn(index) or game.is_refused(index)
            said = announcements(self.rules, after) if tried else []
            done = event_sentence(self.rules, event.actor, event.action, after.dead)
            return [done + (self._under(game, index) if tried else "")], said
        news = self._news(game, index)
        assert news is not None
        rules = self.rules
        told = [] if news.action is None else [event_sentence(rules, news.actor, news.action, after.dead)]
        return told, rules.sentences(news.said) if isinstance(rules, HiddenRules) else []

    def _under(self, game: Game, index: int) -> str:
        """Return the draw under which a stone or pass was played, in parentheses, or "" without one."""
        before = game.positions[index]
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
        """Return the recorded result at the last step, or [] for a seat or if the game itself has a result."""
        result = self.record.result
        if self.seat is not None or moment is not self.all[-1] or not result or self.game.outcome is not None:
            return []
        return [say("game.recorded", self.rules.lang, result=printable(result))]


def _after_throws(game: Game, count: int) -> int:
    """Return the index of the next event, from `count` on, that is not a throw."""
    events = game.events
    while count < len(events) and events[count].actor == CHANCE and events[count].action >= 0:
        count += 1
    return count


def text_of(moments: RecordSteps, moment: RecordStep) -> str:
    """Return a step as text: the title, the move and the board."""
    board = diagram(moments.rules, moments.position(moment), moments.view(moment))
    lines = [moments.title(), *moments.caption(moment), "", board, *moments.remark(moment)]
    return "\n".join(lines) + "\n"
