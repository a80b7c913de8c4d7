"""A game between people, bots and accounts, as every host drives it: the terminal, the page, the server, a bridge.

No I/O, no threads, no wording: a face brings what people do, keeps the lines, and tells each audience what it may know.
"""

import hmac
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from gtp_variants.base.json_values import Json
from gtp_variants.errors import RecordError, VariantsError
from gtp_variants.lang import RequestRefused
from gtp_variants.players.agreements import BREAK_OFF, COUNT, DICE, UNDO, Agreements, Participant, TableRequests
from gtp_variants.players.clock import NO_LIMIT, GameClocks, TimeControl
from gtp_variants.players.dice_draws import ComingDice
from gtp_variants.players.hosted_state import HostedState, JournalWriter
from gtp_variants.players.table import Table, judge_dead
from gtp_variants.players.transcript import Audience, NoSeat, Transcript
from gtp_variants.records.journal import Journal, head_line
from gtp_variants.records.record import Record
from gtp_variants.rules.actions import (
    BLACK,
    CHANCE,
    FLAG,
    FORFEIT,
    LEAVING,
    MARK_DEAD,
    PASS,
    SETTLE,
    WHITE,
    Event,
    pack,
)
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.dice import read_dice
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.illegal_moves import illegal
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

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
        dice = DiceStream(record.secret)
        self.table = Table.of(record.game, lambda: dice, {})
        self.seats = dict(state.seats)
        self.clocks = GameClocks(state.control, rules.colours, now, state.left_s, state.free_s, state.left_counts)
        self.table.agreed.update(state.agreed)
        self.table.draws.coming = ComingDice(state.coming_dice, state.furthest)
        self.agreements = Agreements(state.proposals)
        self.requests = TableRequests(self.table, self.seats, policy.one_speaks_for_all)
        self.people = self.requests.people
        self.is_counting = state.is_counting
        self.is_ended = state.end is not None
        self.result, self.why = state.end or ("", "")
        self.notes = state.notes
        self._journal = JournalWriter(journal, self._state())
        self.lines = self._journal.lines
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
            raise illegal("game over", self.rules.lang)
        if colour != asked:
            raise illegal("not your turn", self.rules.lang, name=colour_name(asked, self.rules.lang))
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
            # To agree to the end is no event, and no time is noted for it.
            events = self.table.game.events
            acted = [number for number in range(before, len(events)) if events[number].actor == colour]
            self.times |= dict.fromkeys(acted[-1:], self.clocks.time_of(colour, took_s))
        self._end_by_passes()
        self._note_change()

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
            raise RequestRefused("refused_requests.dead_when")
        self.table.play(self.table.position.mover, pack(MARK_DEAD, point))
        self.agreements.clear(UNDO, DICE, COUNT)
        self._note_change()

    def settle(self, colour: int) -> bool:
        """A person would count the board as it is marked; whether all would, and the game is over."""
        agreed = self.agreements.add(COUNT, self.requests.voices(colour), "", self.people)
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
        self.requests.expect_voter(colour)
        if kind == UNDO:
            self.requests.expect_undoable(self.is_counting)
        if kind == DICE:
            value = self.requests.read_other_dice(value)
        if kind == BREAK_OFF:
            # What somebody would have liked in another turn is no agreement.
            value = f"turn {self.table.position.turn}"
        if kind in (UNDO, DICE):
            self.agreements.clear(UNDO, DICE)
        return self._agree(colour, kind, value)

    def accept(self, colour: int) -> bool:
        """A person agrees to an undo or to other dice that somebody asks for; as `propose`."""
        self.requests.expect_voter(colour)
        proposal = self.agreements.find(UNDO, DICE)
        if proposal is None:
            raise RequestRefused("refused_requests.no_proposal")
        return self._agree(colour, proposal.kind, proposal.value)

    def decline(self, colour: int, *kinds: str) -> None:
        """A person does not want the undo or the dice that are asked for, nor what of other `kinds`; as `propose`."""
        self.requests.expect_voter(colour)
        self.agreements.clear(UNDO, DICE, *kinds)
        self._note_change()

    def _agree(self, colour: int, kind: str, value: str) -> bool:
        agreed = self.agreements.add(kind, self.requests.voices(colour), value, self.requests.voters)
        if agreed and kind == UNDO:
            self.requests.take_back()
            self._begin_anew()
        elif agreed and kind == DICE:
            self.requests.change_dice(read_dice(value))
        elif agreed and kind == BREAK_OFF:
            self.is_ended, self.result, self.why = True, VOID, "broken off"
        self._note_change()
        return agreed

    def withdraw(self) -> None:
        """A referee takes back the last event, be it a refused try. Raises RequestRefused."""
        if not self.table.game.events:
            raise RequestRefused("refused_requests.nothing_to_undo")
        self.table.cut(len(self.table.game.events) - 1)
        self._begin_anew()
        self._note_change()

    def _begin_anew(self) -> None:
        """Something was taken back, the time it took with it: everybody is told the game from its beginning."""
        self.epoch += 1
        self._transcripts.clear()
        events = self.table.game.events
        timed = [number for number in range(self._journal.count_common(events)) if number in self.times]
        self.clocks.go_back_to({events[number].actor: self.times[number] for number in timed})

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
        self.times = self._journal.write(self.table.game, self.times, self._state())

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
