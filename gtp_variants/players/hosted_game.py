"""A game between people, bots and accounts, as every host drives it: the terminal, the page, the server, a bridge.

No I/O, no threads, no wording: a face brings what people do, keeps the lines, and tells each audience what it may know.

The clocks of one game: whose runs, and since when.
"""

import hmac
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gtp_variants.base.json_values import Json
from gtp_variants.errors import RecordError, VariantsError
from gtp_variants.lang import RequestRefused
from gtp_variants.players.agreements import BOT, BREAK_OFF, COUNT, DICE, PERSON, UNDO, Agreements, Participant
from gtp_variants.players.clock import NO_LIMIT, Clock, TimeControl
from gtp_variants.players.dice_draws import ComingDice
from gtp_variants.players.hosted_state import HostedState
from gtp_variants.players.table import Table, check, is_undoable, judge_dead, list_departures, set_dice
from gtp_variants.players.transcript import Audience, NoSeat, Transcript
from gtp_variants.records.journal import CLOCKS, CUT, Journal, event_line, head_line, line_of
from gtp_variants.records.record import Record, Time
from gtp_variants.rules import words
from gtp_variants.rules.actions import (
    BLACK,
    CHANCE,
    FLAG,
    FORFEIT,
    LEAVING,
    MARK_DEAD,
    PASS,
    SET_DICE,
    SETTLE,
    WHITE,
    Event,
    pack,
    unpack,
)
from gtp_variants.rules.dice import DiceKind, read_dice
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules
from gtp_variants.rules.words import COLOUR_LETTERS


class GameClocks:
    """A clock for each colour, of which at most one runs. `now` reads seconds that only go on.

    The first `free_s` of each move cost nothing. `control` may be "none": then it is only measured how long moves take.
    """

    def __init__(
        self,
        control: TimeControl,
        colours: Iterable[int],
        now: Callable[[], float],
        left_s: Mapping[int, float] | None = None,
        free_s: float = 0.0,
        left_counts: Mapping[int, int] | None = None,
    ) -> None:
        self.control = control
        self.free_s = free_s
        # What each showed when it stopped last.
        self.stopped: dict[int, Clock] = dict.fromkeys(colours, Clock.full(control))
        # Whose clock runs; who of a turn that goes on, and what is left of their free seconds, as after a refused try.
        self.running: int | None = None
        self._on_turn: int | None = None
        self._free_left_s = free_s
        self.put_back(left_s or {}, left_counts or {})
        # When whoever acts next began to think; None as long as nobody is asked.
        self._since_s: float | None = None
        self._now = now

    @property
    def spent_s(self) -> float:
        """How long whoever acts next has been thinking."""
        return 0.0 if self._since_s is None else self._now() - self._since_s

    @property
    def free_left_s(self) -> float:
        """How long whoever acts next may still think before it costs them time."""
        return max(0.0, self._free_left_s - self.spent_s)

    @property
    def is_started(self) -> bool:
        """Whether time goes on."""
        return self._since_s is not None

    def start(self) -> None:
        """Let time go on from now."""
        self._since_s = self._now()

    def put_back(self, left_s: Mapping[int, float], left_counts: Mapping[int, int]) -> None:
        """Let each clock show what is left by colour, a full clock where nothing is said, and none run."""
        full = Clock.full(self.control)
        main_count = 0 if self.control.main_s else full.left_count
        for colour in self.stopped:
            seconds, count = left_s.get(colour), left_counts.get(colour, main_count)
            self.stopped[colour] = full if seconds is None else replace(full, left_s=seconds, left_count=count)
        self.running = self._on_turn = None

    def run(self, colour: int | None) -> None:
        """From now on the clock of a colour runs, or none; the time up to now is taken off the one that ran."""
        self.stopped = {each: self.clock(each) for each in self.stopped}
        self._free_left_s = self.free_left_s
        self.running = colour
        if colour is not None and colour != self._on_turn:
            self._on_turn, self._free_left_s = colour, self.free_s
        if self.is_started:
            self.start()

    def press(self, colour: int) -> None:
        """Give a colour what its time control adds after a move, which ends its turn."""
        self.stopped[colour] = self.stopped[colour].after(0)
        self._on_turn = None

    def clock(self, colour: int) -> Clock:
        """What the clock of a colour shows now, at least 0."""
        clock = self.stopped[colour]
        return clock.while_thinking(self._charged_s) if colour == self.running else clock

    def time_left_s(self) -> float | None:
        """Seconds until the colour whose clock runs loses on time, below 0 if it has; None if no clock runs."""
        return None if self.running is None else self.stopped[self.running].longest_s - self._charged_s

    @property
    def _charged_s(self) -> float:
        """What whoever thinks has used of their time."""
        return max(0.0, self.spent_s - self._free_left_s)


# The result of a game that its players broke off.
VOID = "Void"


@dataclass(frozen=True, slots=True)
class HostPolicy:
    """How a host runs its games.

    `asks_for_the_end`: passes that suspend a game end it only when each side agrees; otherwise at once, unless people
    are to call stones dead first. `one_speaks_for_all`: who acts for one person acts for all, as at one keyboard.
    Clocks run from turn `timed_from_turn` on; they start by themselves if `starts_clocks`.
    """

    asks_for_the_end: bool = True
    one_speaks_for_all: bool = False
    timed_from_turn: int = 1
    starts_clocks: bool = True


def new_record(rules: Rules, secret: bytes | str | None = None, handicap: Collection[int] = ()) -> Record:
    """A game before its first event, with dice of its own: from fresh random bytes, unless their secret is given.

    After a `handicap`, Black's stones on these points, White begins.
    """
    dice = DiceStream(secret)
    game = Game(rules, dict.fromkeys(handicap, BLACK), WHITE) if handicap else Game(rules)
    return Record(game, "secret", dice.commitment, dice.secret)


def seed_from(record: Record, purpose: str) -> str:
    """A text that follows from the secret of a game, for the random choices of a bot, and does not tell it."""
    assert record.secret is not None
    return hmac.digest(record.secret, purpose.encode(), "sha256").hex()


def expect_rest(game: Game) -> None:
    """Check that no dice are to be thrown in a game. Raises RecordError."""
    if game.position.to_play == CHANCE and not game.rules.is_final(game.position):
        raise RecordError("events: they end before a throw of the dice")


class HostedGame:
    """One game: its table, who sits there, clocks, what people agree on, the count, its journal and its transcripts.

    `version` counts what happened, `epoch` how often something was taken back. While `is_counting` a hidden game is
    shown to all and waits for their word on dead stones. `record` is the game with its secret. `notes` are what a face
    must know of it besides, as values of JSON; `lines` are its journal, to which lines are only added. With
    `is_ended` it is over though the rules may not say so: `result` and `why` do.
    """

    def __init__(
        self, journal: Journal, policy: HostPolicy = HostPolicy(), now: Callable[[], float] = time.monotonic
    ) -> None:
        """The game of a journal, where it stands. Raises RecordError for what cannot be in one."""
        record = journal.record
        rules = self.rules = record.game.rules
        state = HostedState.from_json(journal.notes, rules)
        self.record = record
        self.policy = policy
        self.times = dict(record.times)
        self.lines = list(journal.lines)
        dice = DiceStream(record.secret)
        self.table = Table.of(record.game, lambda: dice, {})
        self.seats = dict(state.seats)
        self.people = [colour for colour, each in self.seats.items() if each.kind == PERSON]
        self.clocks = GameClocks(state.control, rules.colours, now, state.left_s, state.free_s, state.left_counts)
        self.table.agreed.update(state.agreed)
        self.table.draws.coming = ComingDice(state.coming_dice, state.furthest)
        self.agreements = Agreements(state.proposals)
        self.is_counting = state.is_counting
        self.is_ended = state.end is not None
        self.result, self.why = state.end or ("", "")
        self.notes = state.notes
        # What the lines hold: the events themselves, and the state as it was written last.
        self._written: list[Event] = list(record.game.events) if len(self.lines) > 1 else []
        self._noted: Json = {**journal.notes, CLOCKS: self._state().to_json()[CLOCKS]}
        self.version = self.epoch = 0
        self._transcripts: dict[tuple[Audience, str], Transcript] = {}
        if self.is_counting and (rules.is_open or not rules.is_over(self.table.position)):
            raise RecordError("counting: expected a hidden game that is over")
        if policy.starts_clocks:
            self.clocks.start()
        if self.table.suspended:
            # Earlier versions judged dead stones when the end was accepted, records of other programs never.
            judge_dead(self.table)
        self._run_clock()
        self._write()

    @classmethod
    def new(
        cls,
        record: Record,
        seats: Mapping[int, Participant],
        policy: HostPolicy = HostPolicy(),
        control: TimeControl = NO_LIMIT.control,
        free_s: float = 0.0,
        notes: Json | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> "HostedGame":
        """A game that nobody hosted before, such as that of `new_record`; `free_s` of each move cost no time."""
        state = HostedState(seats=seats, control=control, free_s=free_s, notes=notes or {})
        head = state.start_to_json()
        return cls(Journal([head_line(record, head)], record, head), policy, now)

    # -- how it stands -------------------------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether nothing can happen any more; a game at which nobody sits is only there to be looked at."""
        return not self.seats or self.is_ended or self.table.is_final

    @property
    def is_shown(self) -> bool:
        """Whether nothing is hidden from anybody."""
        return self.rules.is_open or self.is_over or self.is_counting

    def asked(self) -> int | None:
        """Who is to act now; None while anybody may, or nobody."""
        return None if self.is_over or self.is_counting else self.table.asked()

    def audience(self, seat: Audience | None) -> Audience:
        """What somebody with a seat, or without one, is told the game as now."""
        return NoSeat.ALL if self.is_shown else NoSeat.WATCHING if seat is None else seat

    def transcript(self, audience: Audience, lang: str = "") -> Transcript:
        """What an audience was told, up to now, in a language; "" is the game's."""
        key = audience, lang or self.rules.lang
        if key not in self._transcripts:
            self._transcripts[key] = Transcript(self.table, *key)
        self._transcripts[key].catch_up()
        return self._transcripts[key]

    def to_record(self, players: Mapping[int, str] | None = None) -> Record:
        """The game for whoever may see it: its dice only where some are thrown, and their secret only at its end."""
        if not self.seats:
            return self.record
        record = replace(self.record, game=self.table.game, times=self.times, result=None, players=players or {})
        if not isinstance(self.rules, DicedRules):
            return replace(record, dice=None, commitment=None, secret=None)
        return record if self.is_over else replace(record, secret=None)

    # -- acting --------------------------------------------------------------------------------------------------------

    def answer(self, colour: int, action: int) -> None:
        """The side that is asked acts; it loses if its time is over. While the board is counted a pass agrees to it.

        Raises IllegalMove, and then nothing has changed.
        """
        if self.is_counting and action == PASS:
            self.settle(colour)
            return
        asked = self.asked()
        if asked is None:
            raise words.illegal("game over", self.rules.lang)
        if colour != asked:
            raise words.illegal("not your turn", self.rules.lang, name=words.name(asked, self.rules.lang))
        if not self.flag():
            self._act(colour, action, self.table.answer)

    def play(self, colour: int, action: int) -> None:
        """Carry out what a host enters for a side, asked or not: a try, a resignation, that play goes on, a forfeit.

        Raises IllegalMove, and then nothing has changed.
        """
        self._act(colour, action, self.table.play)

    def flag(self) -> bool:
        """End the game if the side that is asked has no time left; whether it has none."""
        left_s, colour = self.clocks.time_left_s(), self.clocks.running
        if left_s is None or colour is None or left_s >= 0:
            return False
        self.play(colour, FLAG)
        return True

    def _act(self, colour: int, action: int, carry_out: Callable[[int, int], Event]) -> None:
        before, took_s = len(self.table.game.events), self.clocks.spent_s
        carry_out(colour, action)
        self.agreements.clear(UNDO, DICE)
        self.clocks.run(None)
        if self.asked() != colour and action not in LEAVING:
            self.clocks.press(colour)
        if action not in (FLAG, FORFEIT):
            self._note_time(before, colour, took_s)
        self._end_by_passes()
        self._note_change()

    def _note_time(self, before: int, colour: int, took_s: float) -> None:
        """Note how long a colour took for what it did, unless that is no event, such as to agree to the end."""
        events = self.table.game.events
        acted = [number for number in range(before, len(events)) if events[number].actor == colour]
        clock, took_s = self.clocks.stopped[colour], round(took_s, 3)
        time = Time(took_s) if clock.control.kind == "none" else Time(took_s, clock.left_s, clock.left_count or None)
        self.times |= dict.fromkeys(acted[-1:], time)

    def _end_by_passes(self) -> None:
        """What passes come to that suspend a game or end it: people see a hidden board before they agree to its end."""
        table, events = self.table, self.table.game.events
        calls_dead = self.rules.agrees_on_dead and not self.rules.is_open
        if self.is_counting:
            self.is_counting = not table.is_final
        elif table.suspended and not self.policy.asks_for_the_end:
            if calls_dead and len(self.people) > 1:
                self.is_counting = True
            else:
                table.play(table.position.mover, SETTLE)
        elif calls_dead and self.people and events and events[-1].action == SETTLE:
            table.cut(len(events) - 1)
            self.is_counting = True

    # -- the count -----------------------------------------------------------------------------------------------------

    def mark_dead(self, point: int) -> None:
        """The chain on a point is dead, or no longer, where people may say so. Raises RequestRefused, IllegalMove."""
        may_say = self.is_counting or (self.rules.is_open and self.table.suspended)
        if not self.rules.agrees_on_dead or not may_say:
            raise RequestRefused("refusals.dead_when")
        self.table.play(self.table.position.mover, pack(MARK_DEAD, point))
        self.agreements.clear(UNDO, DICE, COUNT)
        self._note_change()

    def settle(self, colour: int) -> bool:
        """A person would count the board as it is marked; whether all would, and the game is over."""
        agreed = self.agreements.add(COUNT, self._voices(colour), "", self.people)
        if agreed:
            self.table.play(colour, SETTLE)
            self.is_counting = False
        self.agreements.clear(UNDO, DICE)
        self._note_change()
        return agreed

    # -- asking the others ---------------------------------------------------------------------------------------------

    def propose(self, colour: int, kind: str, value: str = "") -> bool:
        """A person asks the others for something; whether all agree now, and then it is done.

        That is UNDO, back to before a person's last turn; DICE, those of `value`; BREAK_OFF, no result. Of any other
        kind it is for the face to do. Who has left while others play on is not asked, and asks for nothing. Raises
        RequestRefused where it cannot be, IllegalMove.
        """
        self._expect_voter(colour)
        if kind == UNDO:
            self._expect_undoable()
        if kind == DICE:
            if not isinstance(self.rules, DicedRules):
                raise RequestRefused("refusals.no_dice")
            try:
                value = str(read_dice(value))
            except ValueError:
                raise RequestRefused("refusals.bad_dice") from None
            self._expect_other_dice(self.rules, value)
        if kind == BREAK_OFF:
            # What somebody would have liked in another turn is no agreement.
            value = f"turn {self.table.position.turn}"
        if kind in (UNDO, DICE):
            self.agreements.clear(UNDO, DICE)
        return self._agree(colour, kind, value)

    def accept(self, colour: int) -> bool:
        """A person agrees to an undo or to other dice that somebody asks for; as `propose`."""
        self._expect_voter(colour)
        proposal = self.agreements.find(UNDO, DICE)
        if proposal is None:
            raise RequestRefused("refusals.no_proposal")
        return self._agree(colour, proposal.kind, proposal.value)

    def decline(self, colour: int, *kinds: str) -> None:
        """A person does not want the undo or the dice that are asked for, nor what of other `kinds`; as `propose`."""
        self._expect_voter(colour)
        self.agreements.clear(UNDO, DICE, *kinds)
        self._note_change()

    def _agree(self, colour: int, kind: str, value: str) -> bool:
        agreed = self.agreements.add(kind, self._voices(colour), value, find_voters(self))
        if agreed and kind == UNDO:
            self._take_back()
        elif agreed and kind == DICE:
            self._change_dice(read_dice(value))
        elif agreed and kind == BREAK_OFF:
            self.is_ended, self.result, self.why = True, VOID, "broken off"
        self._note_change()
        return agreed

    def _take_back(self) -> None:
        """Go back to before the last turn of a person who plays on."""
        if isinstance(self.rules, DicedRules):
            coming = self.table.draws.coming
            coming.furthest = max(coming.furthest, self.table.position.turn)
        people, left = find_voters(self), list_departures(self.table)
        # A bot's moves go with the person's before them.
        while self.table.undo().actor not in people:
            pass
        # Who is not asked is not brought back either.
        for event in left:
            if event not in self.table.position.out:
                self.table.play(event.actor, event.action)
        self._begin_anew()

    def _expect_voter(self, colour: int) -> None:
        """Raises RequestRefused for who has left a game that the others play on."""
        if not set(self._voices(colour)) & set(find_voters(self)):
            raise RequestRefused("refusals.left")

    @property
    def _asks_nobody(self) -> bool:
        """Whether what a person asks for is agreed on by nobody who would mind: a bot agrees to everything."""
        return any(each.kind == BOT for each in self.seats.values())

    def _expect_other_dice(self, rules: DicedRules, value: str) -> None:
        """Raises RequestRefused for dice that may not come now: who changes them at will chooses among draws."""
        position, now = self.table.position, rules.dice_of(self.table.position)
        if self._asks_nobody and rules.slots > 1:
            raise RequestRefused("refusals.dice_known")
        if self._asks_nobody:
            is_known = value == str(self.table.draws.coming.after(position.turn) or now)
        else:
            is_known = rules.cast(position, 0) > 0 or value == str(now)
        if is_known:
            raise RequestRefused("refusals.dice_once")

    def _change_dice(self, dice: DiceKind) -> None:
        """Other dice: of people at once, as they agree on them; against a bot from the first turn nobody has seen."""
        if not self._asks_nobody:
            set_dice(self.table, dice.count, dice.sides)
            return
        check(self.table, self.table.position.mover, pack(SET_DICE, dice.code))
        self.table.draws.coming.add(self.table.position.turn, dice)

    def _voices(self, colour: int) -> Collection[int]:
        """For whom the person of a colour speaks."""
        return self.people if self.policy.one_speaks_for_all else (colour,)

    def _expect_undoable(self) -> None:
        """Raises RequestRefused where nothing of a person's can be taken back, or somebody learned something by it."""
        game, people = self.table.game, find_voters(self)
        mine = [i for i, event in enumerate(game.events) if is_undoable(game, i) and event.actor in people]
        if self.is_counting or not self.rules.is_open or not mine:
            raise RequestRefused("refusals.nothing_to_undo")
        # Otherwise a turn could be played under the draw of either dice.
        if self._asks_nobody and any(unpack(event.action)[0] == SET_DICE for event in game.events[mine[-1] :]):
            raise RequestRefused("refusals.undo_dice")

    def withdraw(self) -> None:
        """A referee takes back the last event, be it a refused try. Raises RequestRefused."""
        if not self.table.game.events:
            raise RequestRefused("refusals.nothing_to_undo")
        self.table.cut(len(self.table.game.events) - 1)
        self._begin_anew()
        self._note_change()

    def _begin_anew(self) -> None:
        """Something was taken back, the time it took with it: everybody is told the game from its beginning."""
        self.epoch += 1
        self._transcripts.clear()
        events = self.table.game.events
        left = {
            events[number].actor: self.times[number]
            for number in range(_common(self._written, events))
            if number in self.times
        }
        left_s = {colour: time.left_s for colour, time in left.items() if time.left_s is not None}
        self.clocks.put_back(left_s, {colour: time.left_count for colour, time in left.items() if time.left_count})

    # -- what a host must remember -------------------------------------------------------------------------------------

    def end(self, result: str, why: str) -> None:
        """The game is over, with a result that the rules do not give, or as a host says it."""
        self.is_ended, self.result, self.why = True, result, why
        self.is_counting = False
        self._note_change()

    def follow(self, first: int, events: Sequence[Event]) -> None:
        """After the first so many events these happened, as a host elsewhere says.

        Raises VariantsError for what cannot have happened, and then nothing has changed.
        """
        game, mark, known = self.table.game, self.table.mark(), len(self.table.game.events)
        try:
            game.cut(first)
            for event in events:
                game.play(event.actor, event.action)
            expect_rest(game)
        except VariantsError:
            self.table.go_back(mark)
            raise
        if first < known:
            self._begin_anew()
        self._note_change()

    def remember(self, key: str, value: object) -> None:
        """Keep a value of JSON under a key of `notes`."""
        self.notes[key] = value
        self._write()

    def change_seat(self, colour: int, participant: Participant) -> None:
        """Somebody else plays a colour, or at another level."""
        self.seats[colour] = participant
        self._write()

    def _note_change(self) -> None:
        self.version += 1
        self._run_clock()
        self._write()

    def _run_clock(self) -> None:
        is_timed = self.clocks.control.kind != "none" and self.table.position.turn >= self.policy.timed_from_turn
        self.clocks.run(self.asked() if is_timed else None)

    def _write(self) -> None:
        """Add lines for what is new."""
        game, written = self.table.game, self._written
        kept = _common(written, game.events)
        if kept < len(written):
            self.lines.append(line_of({CUT: kept}))
            del written[kept:]
            self.times = {number: time for number, time in self.times.items() if number < kept}
        self.times = {number: time for number, time in self.times.items() if number < len(game.events)}
        for index in range(kept, len(game.events)):
            event, time = game.events[index], self.times.get(index)
            self.lines.append(event_line(game, index, time))
            if time is not None and time.left_s is not None:
                self._noted[CLOCKS] = {**self._noted[CLOCKS], COLOUR_LETTERS[event.actor]: time.left_s}
            written.append(event)
        state = self._state().to_json()
        # What no line has named is empty.
        changed = {key: value for key, value in state.items() if (value or None) != (self._noted.get(key) or None)}
        if changed:
            self.lines.append(line_of(changed))
            self._noted |= changed

    def _state(self) -> HostedState:
        stopped = self.clocks.stopped if self.clocks.control.kind != "none" else {}
        return HostedState(
            seats=self.seats,
            control=self.clocks.control,
            free_s=self.clocks.free_s,
            left_s={colour: clock.left_s for colour, clock in stopped.items()},
            left_counts={colour: clock.left_count for colour, clock in stopped.items() if clock.left_count},
            is_counting=self.is_counting,
            agreed=self.table.agreed,
            proposals=self.agreements.words,
            end=(self.result, self.why) if self.is_ended else None,
            coming_dice=self.table.draws.coming.by_turn,
            furthest=self.table.draws.coming.furthest,
            notes=self.notes,
        )


def find_voters(hosted: HostedGame) -> Collection[int]:
    """The people whose word counts where something is asked for: all but those who left while others play on."""
    gone = {event.actor for event in list_departures(hosted.table)}
    return [colour for colour in hosted.people if colour not in gone]


def _common(written: Sequence[Event], events: Sequence[Event]) -> int:
    """How many events at the beginning are the very same."""
    count = len(written)
    if count <= len(events) and (not count or events[count - 1] is written[-1]):
        return count
    pairs = enumerate(zip(written, events, strict=False))
    return next((number for number, (old, new) in pairs if old is not new), min(count, len(events)))
