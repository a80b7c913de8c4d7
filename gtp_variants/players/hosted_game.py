"""A game between people, bots and accounts, without I/O. Every host uses it: terminal, page, server or bridge."""

import hmac
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from gtp_variants.base.json_values import Json
from gtp_variants.errors import NotationError, RecordError
from gtp_variants.lang import RequestRefused, say
from gtp_variants.players import agreements
from gtp_variants.players.agreements import Agreements, Participant, TableRequests
from gtp_variants.players.clock import NO_LIMIT, GameClocks, TimeControl
from gtp_variants.players.dice_draws import ComingDice
from gtp_variants.players.hosted_state import HostedState, JournalWriter
from gtp_variants.players.table import Table, judge_dead
from gtp_variants.players.transcript import Audience, NoSeat, Transcript
from gtp_variants.records.journal import Journal, head_line
from gtp_variants.records.record import MAX_NONCE, Record
from gtp_variants.rules import actions
from gtp_variants.rules.actions import Event, pack, unpack
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.dice import read_dice
from gtp_variants.rules.dice_stream import DiceStream, Nonce
from gtp_variants.rules.game import Game
from gtp_variants.rules.illegal_moves import illegal
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

# The result of a game that is broken off.
VOID = "Void"


@dataclass(frozen=True, slots=True)
class HostPolicy:
    """The rules by which a host runs its games.

    With `asks_for_the_end`, passes that suspend a game end it only once each side agrees. Otherwise they end the game
    at once, unless people still have to mark dead stones. With `one_speaks_for_all` one person acts for all, as when
    people share a keyboard. Clocks run from turn `timed_from_turn`, and start by themselves if `starts_clocks` is set.
    """

    asks_for_the_end: bool = True
    one_speaks_for_all: bool = False
    timed_from_turn: int = 1
    starts_clocks: bool = True


def new_record(rules: Rules, secret: bytes | str | None = None, handicap: Collection[int] = ()) -> Record:
    """Return a new game's record, with secret dice. After Black's `handicap` stones White plays first."""
    dice = DiceStream(secret)
    game = Game(rules, dict.fromkeys(handicap, actions.BLACK), actions.WHITE) if handicap else Game(rules)
    return Record(game, "secret", dice.commitment, dice.secret)


def seed_from(record: Record, purpose: str) -> str:
    """Derive a random seed for `purpose`, such as a bot, from a game's secret, without revealing the secret."""
    assert record.secret is not None
    return hmac.digest(record.secret, purpose.encode(), "sha256").hex()


def expect_rest(game: Game) -> None:
    """Raise RecordError if a throw of dice is due in the game."""
    if game.position.to_play == actions.CHANCE and not game.rules.is_final(game.position):
        raise RecordError("events: expected a throw of the dice at the end")


def _cut_to_terms(table: Table) -> None:
    """Take everything back except the terms on which the game is played."""
    terms = [event for event in table.game.events if unpack(event.action)[0] in actions.TERMS]
    table.cut(0)
    for event in terms:
        table.play(event.actor, event.action)


class HostedGame:
    """One game: its table, participants, clocks, agreements, count, journal and transcripts.

    `version` counts the changes, and `epoch` counts how often something was taken back. While `is_counting` is True, a
    hidden game is shown to everybody until people agree on the dead stones. `record` includes the secret of the dice.
    `notes` contains the host's JSON values. `lines` is the journal, which only ever grows. If `is_ended` is True, the
    host or the players have ended the game, with a `result` and the reason `why`.
    """

    def __init__(
        self, journal: Journal, policy: HostPolicy = HostPolicy(), now: Callable[[], float] = time.monotonic
    ) -> None:
        """Continue the game in a journal. Raises RecordError if the journal is inconsistent."""
        record = journal.record
        rules = self.rules = record.game.rules
        state = HostedState.from_json(journal.notes, rules)
        self.record = record
        self.policy = policy
        self.times = dict(record.times)
        self._dice = DiceStream(record.secret, record.nonces)
        self.table = Table.of(record.game, lambda: self._dice, {})
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
        self.version, self.epoch = -1, 0
        self._transcripts: dict[tuple[Audience, str], Transcript] = {}
        if self.is_counting and (rules.is_open or not rules.is_over(self.table.position)):
            raise RecordError("counting: expected a hidden game that is over")
        if policy.starts_clocks:
            self.clocks.start()
        if self.table.suspended and self.seats:
            # Journals from earlier versions and from other programs may not say which stones are dead.
            judge_dead(self.table)
        self._note_change()

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
        """Return a game with a new journal. The first `free_s` seconds of each move are not counted."""
        state = HostedState(seats=seats, control=control, free_s=free_s, notes=notes or {})
        head = state.start_to_json()
        return cls(Journal([head_line(record, head)], record, head), policy, now)

    @property
    def is_over(self) -> bool:
        """True if nothing more can happen. A game without participants is only for viewing."""
        return not self.seats or self.is_ended or self.table.is_final

    @property
    def is_shown(self) -> bool:
        """True if nothing is hidden from anybody any more."""
        return self.rules.is_open or self.is_over or self.is_counting

    def asked(self) -> int | None:
        """Return the colour that must act now, or None if no colour must act."""
        return None if self.is_over or self.is_counting else self.table.asked()

    def audience(self, seat: Audience | None) -> Audience:
        """Return the audience to which a seat belongs now, or a viewer if `seat` is None."""
        return NoSeat.ALL if self.is_shown else NoSeat.WATCHING if seat is None else seat

    def transcript(self, audience: Audience, lang: str = "") -> Transcript:
        """Return an audience's transcript up to now, in a language, or in the game's own language for ""."""
        key = audience, lang or self.rules.lang
        if key not in self._transcripts:
            self._transcripts[key] = Transcript(self.table, *key)
        self._transcripts[key].catch_up()
        return self._transcripts[key]

    def to_record(self, players: Mapping[int, str] | None = None) -> Record:
        """Return a record that anybody may read. The secret of the dice is left out until the end."""
        if not self.seats:
            return self.record
        record = replace(self.record, game=self.table.game, times=self.times, result=None, players=players or {})
        if not isinstance(self.rules, DicedRules):
            return replace(record, dice=None, commitment=None, secret=None)
        return record if self.is_over else replace(record, secret=None)

    def answer(self, colour: int, action: int) -> None:
        """Play a bot's action for the side to move, or end the game if its time is up. A pass accepts a count.

        Raises IllegalMove if illegal, and NotationError for any action but a stone, a pass, a swap and resignation.
        """
        if action < 0 and action not in (actions.PASS, actions.SWAP, actions.RESIGN):
            raise NotationError(f"action {action}: expected a stone, a pass, a swap or resignation")
        if self.is_counting and action == actions.PASS:
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
        """Play a host's action for a side, even out of turn. If this raises IllegalMove, nothing has changed."""
        self._act(colour, action, self.table.play)

    def flag(self) -> bool:
        """If the side to move has no time left, end the game and return True."""
        left_s, colour = self.clocks.time_left_s(), self.clocks.running
        if left_s is None or colour is None or left_s >= 0:
            return False
        self.play(colour, actions.FLAG)
        return True

    def _act(self, colour: int, action: int, carry_out: Callable[[int, int], Event]) -> None:
        before, took_s = len(self.table.game.events), self.clocks.spent_s
        carry_out(colour, action)
        if not self.table.game.is_refused(len(self.table.game.events) - 1):
            self.agreements.clear(*agreements.LAPSING)
        self.clocks.run(None)
        if self.asked() != colour and action not in actions.LEAVING:
            self.clocks.press(colour)
        if action not in (actions.FLAG, actions.FORFEIT):
            # Agreeing to the end is not an event, so its time is not recorded.
            events = self.table.game.events
            acted = [number for number in range(before, len(events)) if events[number].actor == colour]
            self.times |= dict.fromkeys(acted[-1:], self.clocks.time_of(colour, took_s))
        self._end_by_passes()
        self._note_change()

    def _end_by_passes(self) -> None:
        """Handle passes that suspend or end a game. A hidden board is shown to people before they agree to the end."""
        table, events = self.table, self.table.game.events
        calls_dead = self.rules.agrees_on_dead and not self.rules.is_open
        if self.is_counting:
            self.is_counting = not table.is_final
        elif table.suspended and not self.policy.asks_for_the_end:
            if calls_dead and len(self.people) > 1:
                self.is_counting = True
            else:
                table.play(table.position.mover, actions.SETTLE)
        elif calls_dead and self.people and events and events[-1].action == actions.SETTLE:
            table.cut(len(events) - 1)
            self.is_counting = True

    def mark_dead(self, point: int) -> None:
        """Mark or unmark a chain as dead. Raises RequestRefused if not allowed now, IllegalMove for an empty point."""
        may_say = self.is_counting or (self.rules.is_open and self.table.suspended)
        if not self.rules.agrees_on_dead or not may_say:
            raise RequestRefused("refused_requests.dead_when")
        self.table.play(self.table.position.mover, pack(actions.MARK_DEAD, point))
        self.agreements.clear(*agreements.LAPSING, agreements.COUNT)
        self._note_change()

    def settle(self, colour: int) -> bool:
        """Accept the count on behalf of a person. Return True if all have now accepted and the game is over."""
        self.agreements.clear(*agreements.LAPSING)
        return self._agree(colour, agreements.COUNT, "")

    def propose(self, colour: int, kind: str, value: str = "") -> bool:
        """Propose a kind, also one of the host's own, and for DICE or AGREE a `value`. Return True if all agree."""
        self.requests.expect_voter(colour)
        if kind == agreements.UNDO:
            self.requests.expect_undoable(self.is_counting)
        if kind == agreements.DICE:
            value = self.requests.read_other_dice(value)
        if kind == agreements.AGREE:
            self.requests.read_agreement(value)
        if kind in agreements.LAPSING and self.agreements.value_of_others(kind, colour) != value:
            self.agreements.clear(*agreements.LAPSING)
        return self._agree(colour, kind, value)

    def accept(self, colour: int) -> bool:
        """Accept the open proposal of `LAPSING`. Return True if all agree. Raises RequestRefused if none is open."""
        self.requests.expect_voter(colour)
        proposal = self.agreements.find()
        if proposal is None:
            raise RequestRefused("refused_requests.no_proposal")
        return self._agree(colour, proposal.kind, proposal.value)

    def decline(self, colour: int) -> None:
        """Decline the open proposal of `LAPSING`."""
        self.requests.expect_voter(colour)
        self.agreements.clear(*agreements.LAPSING)
        self._note_change()

    def _agree(self, colour: int, kind: str, value: str) -> bool:
        proposer = next(iter(self.agreements.words.get(kind, ())), colour)
        agreed = self.agreements.add(kind, self.requests.voices(colour), value, self.requests.voters)
        if agreed and kind == agreements.UNDO:
            self.requests.take_back()
            self._begin_anew()
        elif agreed and kind == agreements.DICE:
            self.requests.change_dice(read_dice(value))
        elif agreed and kind == agreements.AGREE:
            self._carry_out(value, proposer)
        elif agreed and kind == agreements.COUNT:
            self.table.play(colour, actions.SETTLE)
            self.is_counting = False
        elif agreed and kind == agreements.BREAK_OFF:
            self.is_ended, self.result, self.why = True, VOID, "broken off"
        elif agreed and kind == agreements.DRAW:
            self.is_ended, self.result, self.why = True, "0", say("page.draw_agreed", self.rules.lang)
        self._note_change()
        return agreed

    def _carry_out(self, text: str, colour: int) -> None:
        table, agreement = self.table, self.requests.read_agreement(text)
        are_terms = agreement.word in (agreements.PASSES, agreements.PAIR)
        if are_terms:
            # Terms begin a game, so what bots have played before is taken back.
            self.requests.note_seen_draws()
            _cut_to_terms(table)
        agreement.carry_out(table, colour)
        if table.rules is not self.rules:
            # The first line of a journal has the options, so a new journal begins.
            self.rules, self.record = table.rules, replace(self.record, game=table.game)
            head = self._state().start_to_json()
            self._journal = JournalWriter(Journal([head_line(self.record, head)], self.record, head), self._state())
            self.lines = self._journal.lines
        if are_terms:
            self._begin_anew()

    def withdraw(self) -> None:
        """Take back the last event, even a refused try, for a referee. Raises RequestRefused if there is no event."""
        if not self.table.game.events:
            raise RequestRefused("refused_requests.nothing_to_undo")
        self.table.cut(len(self.table.game.events) - 1)
        self._begin_anew()
        self._note_change()

    def _begin_anew(self) -> None:
        """Begin new transcripts and restore the clocks after something has been taken back."""
        self.epoch += 1
        self._transcripts.clear()
        events = self.table.game.events
        timed = [number for number in range(self._journal.count_common(events)) if number in self.times]
        self.clocks.go_back_to({events[number].actor: self.times[number] for number in timed})

    def end(self, result: str, why: str) -> None:
        """End the game with a result given by the host."""
        self.is_ended, self.result, self.why = True, result, why
        self.is_counting = False
        self._note_change()

    def follow(self, first: int, events: Sequence[Event]) -> None:
        """Replace the events from index `first` on. If this raises VariantsError, nothing has changed."""
        game, known = self.table.game, len(self.table.game.events)
        with self.table.all_or_nothing():
            game.cut(first)
            for event in events:
                game.play(event.actor, event.action)
            expect_rest(game)
        if first < known:
            self._begin_anew()
        self._note_change()

    def remember(self, key: str, value: object) -> None:
        """Store a JSON value in `notes` under this key."""
        self.notes[key] = value
        self._write()

    def change_seat(self, colour: int, participant: Participant) -> None:
        """Give a colour to another participant, or change the level of its bot."""
        self.seats[colour] = participant
        self._write()

    def add_nonce(self, colour: int, value: bytes, *, is_unseen: bool = False) -> Nonce:
        """Add a player's nonce of 1 to 64 bytes to the dice. It affects all draws that nobody has seen.

        With `is_unseen` nobody has seen any draw yet, so it affects every draw. Raises RequestRefused if the
        game is over or has no dice, for a value of another length, and for a second nonce of a player.
        """
        rules, position, draws = self.rules, self.table.position, self.table.draws
        if not isinstance(rules, DicedRules):
            raise RequestRefused("refused_requests.no_dice")
        if self.is_over or not 1 <= len(value) <= MAX_NONCE or any(colour == old.colour for old in self._dice.nonces):
            raise RequestRefused("refused_requests.nonce", most=MAX_NONCE)
        seen = 0 if is_unseen else max(draws.coming.furthest, position.turn) + rules.slots - 1
        nonce = Nonce(seen + 1, colour, value)
        self._dice.nonces.append(nonce)
        self.record = replace(self.record, nonces=tuple(sorted(self._dice.nonces)))
        if is_unseen:
            _cut_to_terms(self.table)
            self._begin_anew()
        self._note_change()
        return nonce

    def _note_change(self) -> None:
        self.version += 1
        is_timed = self.clocks.control.kind != "none" and self.table.position.turn >= self.policy.timed_from_turn
        self.clocks.run(self.asked() if is_timed else None)
        self._write()

    def _write(self) -> None:
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
            nonces=self.record.nonces,
            notes=self.notes,
        )
