"""A game from the lobby between two players, and the protocol lines that describe it to each seat."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from time import monotonic

from gtp_variants.base.json_values import Json
from gtp_variants.errors import NotationError, PeerUnfit, RecordError, VariantsError
from gtp_variants.players.agreements import ACCOUNT, BOT, Participant
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.counting import refused_in_a_row
from gtp_variants.players.hosted_game import HostedGame, HostPolicy, new_record
from gtp_variants.players.levels import Opponent, opponents_of
from gtp_variants.players.player import news_of
from gtp_variants.records.journal import read_journal
from gtp_variants.records.news_notation import write_news
from gtp_variants.records.notation import read_move, write_action, write_faces, write_move
from gtp_variants.records.record import MAX_EVENTS, Record
from gtp_variants.rules import AS_IT_STANDS, parse
from gtp_variants.rules.actions import BLACK, CHANCE, FORFEIT, PASS, SET_DICE, SWAP, WHITE, unpack
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game
from gtp_variants.rules.languages import format_number
from gtp_variants.rules.options import text_of
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules, faces_of
from gtp_variants.rules.turn_rules import next_mover
from gtp_variants.site.access.accounts import is_name
from gtp_variants.site.page.page_game import PageGame, TokenHolder
from gtp_variants.site.page.seat_locks import SeatLock
from gtp_variants.site.refusals import PageRefused

_LONGEST_QUOTE = 40
_DAY_S = 86_400
# Maximum refused tries of one side in a game, per point of the board. A side with more loses: otherwise it
# could prolong the game beyond the length of a record, which would make the game void.
_VAIN_TRIES = 20
# Options that make no difference to a CGOS client, or that the `setup` line states.
_TOLD_OR_ALIKE = frozenset(("size", "komi", "dead", "lang"))
# The protocol's words for these ways to end a game.
_ENDS = {"resign": "Resign", "time": "Time", "forfeit": "Illegal"}
_POLICY = HostPolicy(asks_for_the_end=False, starts_clocks=False)
# The requests that people may make in a game from the lobby.
_OF_PEOPLE = ("play", "pass", "swap", "resign", "nonce")


def rules_to_host(spec: str) -> Rules:
    """Return the rules of a game for two. Raises SpecError for an invalid SPEC, PeerUnfit for more players."""
    # The protocol, like CGOS, has no words for dead stones, so players must capture them.
    rules = parse(spec, AS_IT_STANDS)
    if len(rules.colours) != 2:
        raise PeerUnfit(f"{spec}: expected a game for two players; the protocol has Black and White only")
    return rules


def find_untold_options(rules: Rules) -> list[str]:
    """Return the facts that the CGOS line `setup` cannot state: the game's name, or options as in a SPEC."""
    if not rules.profile.is_go:
        return [rules.name]
    return [
        f"{key}={text_of(value)}"
        for key, value in rules.options.find_changes(rules.values).items()
        if key not in _TOLD_OR_ALIKE
    ]


def size_and_komi(rules: Rules) -> str:
    """Return the size and komi of a game as CGOS writes them."""
    return f"{rules.board.width} {format_number(float(str(rules.values.get('komi', 0))))}"


class GameLines:
    """The protocol lines that describe a game to its seats, and an open game to viewers."""

    def __init__(self, number: int, hosted: HostedGame, names: Mapping[int, str]) -> None:
        self._number = number
        self._hosted = hosted
        self._rules = hosted.rules
        self._level_s = hosted.clocks.control.main_s
        self._names = {COLOUR_LETTERS[colour]: name for colour, name in names.items()}
        # For each seat, its news of each event, or "" for none. A player who reconnects is sent all the news again.
        self._heard: dict[int, list[str]] = {colour: [] for colour in hosted.seats}

    @property
    def _game(self) -> Game:
        return self._hosted.table.game

    @property
    def _players(self) -> str:
        ratings = self._hosted.notes.get("ratings", {})
        return " ".join(f"{self._names[letter]}({ratings.get(letter, '?')})" for letter in "wb")

    def opening(self, colour: int) -> str:
        """Return the line with the SPEC of the game and, with dice, the commitment to the dice."""
        line = f"variant {self._number} {COLOUR_LETTERS[colour]} {self._rules.spec}"
        return f"{line} {self._hosted.record.commitment}" if isinstance(self._rules, DicedRules) else line

    def setup(self, *, with_moves: bool) -> str:
        """Return the line with the players, the clocks and, if `with_moves` and nothing is hidden, the moves so far."""
        line = f"setup {self._number} {size_and_komi(self._rules)} {_ms(self._level_s)} {self._players}"
        return " ".join([line, *self._moves()]) if with_moves and self._rules.is_open else line

    def _moves(self, since: int = 0) -> list[str]:
        return [self._move(number) for number in range(since, len(self._game.events)) if self._is_move(number)]

    def heading(self) -> str:
        return f"{size_and_komi(self._rules)} {self._players}"

    def beginning(self, *, is_told: bool) -> list[str]:
        """Return the lines for a viewer who joins an open game, including the SPEC and the dice if `is_told`."""
        setup = f"setup {self._number} - - {self.heading()} {_ms(self._level_s)}"
        told = [" ".join([setup, *self._moves()])]
        if not is_told:
            return told
        line = f"variant {self._number} {self._rules.spec}"
        dice = self._hosted.record.commitment if isinstance(self._rules, DicedRules) else ""
        return [f"{line} {dice}".strip(), *self._draws(0), *told]

    def for_viewers(self, since: int, *, is_told: bool) -> list[str]:
        """Return the lines for a viewer about the events from number `since` on."""
        draws = self._draws(since) if is_told else []
        return [*draws, *(f"update {self._number} {move}" for move in self._moves(since))]

    def _draws(self, since: int) -> list[str]:
        numbers = (number for number in range(since, len(self._game.events)) if self._is_draw(number))
        return [f"draw {self._number} {self._draw(number).partition(' ')[2]}" for number in numbers]

    def gameover(self) -> str:
        return f"gameover {date.today().isoformat()} {self._hosted.result} {self._hosted.why}".strip()

    def for_seat(self, colour: int, since: int, *, with_own: bool) -> list[str]:
        """Return the lines for a seat about the events from `since` on, including its own moves if `with_own`."""
        if not self._rules.is_open:
            return [f"hear {line}" for line in self._news(colour, since)]
        lines = []
        for number, event in enumerate(self._game.events[since:], since):
            if self._is_draw(number):
                lines.append(self._draw(number))
            elif unpack(event.action)[0] == SET_DICE:
                agreed = write_action(self._rules, event.action)
                lines.append(f"agreed {self._game.positions[number].turn} {agreed}")
            elif self._is_move(number) and (with_own or event.actor != colour):
                lines.append(f"play {COLOUR_LETTERS[event.actor]} {self._move(number)}")
        # Send the dice before the moves, so that a client always knows the dice for its next move.
        return sorted(lines, key=lambda line: not line.startswith(("draw", "agreed")))

    @property
    def told_count(self) -> int:
        """The number of events to tell: none before the game starts, because nonces may change the first throw."""
        is_shown = self._hosted.clocks.is_started or self._hosted.is_over or self._game.position.turn > 1
        return len(self._game.events) if is_shown else 0

    def _is_draw(self, number: int) -> bool:
        event = self._game.events[number]
        return event.actor == CHANCE and event.action >= 0 and number < self.told_count

    def _is_move(self, number: int) -> bool:
        event = self._game.events[number]
        return event.actor != CHANCE and (event.action >= 0 or event.action in (PASS, SWAP))

    def _move(self, number: int) -> str:
        event = self._game.events[number]
        left_s = self._hosted.times[number].left_s if number in self._hosted.times else self._level_s
        return f"{write_move(self._rules.board, event.action)} {_ms(left_s or 0.0)}"

    def _draw(self, number: int) -> str:
        game, rules = self._game, self._rules
        before = game.positions[number]
        slot = len(before.draws)
        colour = before.mover if slot == 0 else next_mover(rules.colours, before, before.mover)
        faces = write_faces(faces_of(rules, before, game.events[number].action))
        return f"draw {before.turn + slot} {COLOUR_LETTERS[colour]} {faces}"

    def _news(self, colour: int, since: int) -> list[str]:
        known = self._heard[colour]
        for number in range(len(known), len(self._game.events)):
            news = news_of(self._game, number, colour)
            known.append("" if news is None else " ".join(write_news(self._rules, news)))
        return [line for line in known[since:] if line]


class AccountGame(PageGame):
    """A game from the lobby, in progress or over; `number` is its number in the protocol and its name."""

    def __init__(self, number: int, hosted: HostedGame, locks: Mapping[int, SeatLock] | None = None) -> None:
        owners = {colour: SeatLock(each.name) for colour, each in hosted.seats.items() if each.kind == ACCOUNT}
        super().__init__(str(number), hosted, owners | dict(locks or {}))
        self.number: int = number
        self.rules = hosted.rules
        self.event = str(hosted.notes.get("event", ""))
        # Copied because they never change and are read at every move; `players` are in lower case.
        self.names = {colour: _name_of(each, hosted.rules) for colour, each in hosted.seats.items()}
        self.players = frozenset(map(str.lower, self.names.values()))
        self.lines = GameLines(number, hosted, self.names)

    @classmethod
    def load(cls, number: int, lines: Sequence[str], locks: Mapping[int, SeatLock] | None = None) -> "AccountGame":
        """Rebuild a game from its journal and the locks of its seats. Raises RecordError for invalid data."""
        game = cls(number, HostedGame(read_journal(lines), _POLICY), locks)
        if not set(game.names) == set(game.rules.colours) == {BLACK, WHITE}:
            raise RecordError("expected a game between Black and White")
        if not all(map(is_name, game.names.values())):
            raise RecordError("players: expected account names")
        if game.hosted.table.is_final and not game.hosted.is_ended:
            raise RecordError("the game is over but has no result")
        return game

    @classmethod
    def new(
        cls,
        number: int,
        spec: str,
        names: Mapping[int, str],
        level_s: float,
        gift_s: float,
        secret: bytes | None = None,
        ratings: Mapping[int, str] | None = None,
        now: Callable[[], float] = monotonic,
        event: str = "",
        control: TimeControl | None = None,
        owners: Mapping[int, str] | None = None,
        is_rated: bool = True,
        opponents: Mapping[int, Opponent] | None = None,
    ) -> "AccountGame":
        """Create a game with stopped clocks. `secret`, the secret of the dice, is random by default.

        `control` replaces `level_s`, `gift_s` is free time per move, and `owners` have the seats if not the accounts.
        The seats of `opponents` belong to bots of this package.
        """
        rules = rules_to_host(spec)
        seats = {colour: Participant(ACCOUNT, name) for colour, name in names.items()}
        for colour, each in (opponents or {}).items():
            seats[colour] = Participant(BOT, rules.profile.default_bot, each.level)
        record = new_record(rules, secret)
        control = control or TimeControl("absolute", main_s=level_s)
        shown = {COLOUR_LETTERS[colour]: rating for colour, rating in (ratings or {}).items()}
        notes: Json = {"ratings": shown}
        if event:
            notes["event"] = event
        if not is_rated:
            notes["unrated"] = True
        locks = {colour: SeatLock(owner) for colour, owner in (owners or {}).items()}
        return cls(number, HostedGame.new(record, seats, _POLICY, control, gift_s, notes, now), locks)

    @property
    def game(self) -> Game:
        return self.hosted.table.game

    @property
    def result(self) -> str:
        """The result in the words of the protocol; "" while the game is in progress."""
        return self.hosted.result

    @property
    def asked(self) -> int | None:
        """The colour to move, or None if the game is over."""
        return None if self.result else int(self.hosted.table.position.mover)

    @property
    def is_rated(self) -> bool:
        return not self.hosted.notes.get("unrated")

    @property
    def is_slow(self) -> bool:
        """True if a game is played over days, so that its players do other things meanwhile."""
        control = self.hosted.clocks.control
        return control.main_s + control.period_s >= _DAY_S

    @property
    def awaits_players(self) -> bool:
        """True until the clocks start: the players are given a moment to look at the board."""
        return not (self.hosted.clocks.is_started or self.result)

    def colour(self, name: str) -> int:
        return next(colour for colour, other in self.names.items() if other == name)

    def start(self) -> None:
        """Start the clocks. A new epoch makes the listeners receive the game again, with its dice."""
        self.hosted.clocks.start()
        self.hosted.epoch += 1

    def act(self, holder: TokenHolder, request: Json, lang: str = "") -> None:
        """Carry out a person's request. An illegal move from a browser is refused; from a program it would lose."""
        if request.get("do") not in _OF_PEOPLE:
            raise PageRefused("page.rated")
        super().act(holder, request, lang)
        assert isinstance(holder, int)
        self._expect_sense(holder)

    def answer(self, colour: int, action: int) -> None:
        super().answer(colour, action)
        self._expect_sense(colour)

    def play(self, word: str) -> None:
        """Play the move that the side to move has sent. An illegal or late move loses."""
        colour = self.asked
        assert colour is not None
        if self.flag():
            return
        try:
            self.hosted.play(colour, read_move(self.rules.board, word))
        except NotationError:
            self._forfeit(colour, f"cannot be read: {_quote(word)}")
        except VariantsError as error:
            self._forfeit(colour, f"Illegal move error:{error} move:{_quote(word)}")
        else:
            self._expect_sense(colour)

    def flag(self) -> bool:
        is_late = self.hosted.flag()
        if is_late:
            self._end()
        return is_late

    def _expect_sense(self, colour: int) -> None:
        """End the game if it is over by the rules, or if a player is only prolonging it."""
        # A seat knows which tries were refused in this turn. A bot that repeats them might never stop, so it loses.
        tries, size = refused_in_a_row(self.game), len(self.rules.board)
        refused = (n for n, event in enumerate(self.game.events) if event.actor == colour and self.game.is_refused(n))
        if tries > size:
            self._forfeit(colour, "tries the same refused points again and again")
        elif tries and len(list(refused)) > _VAIN_TRIES * size:
            self._forfeit(colour, "too many refused tries in one game")
        elif self.hosted.table.is_final:
            self._end()
        elif len(self.game.events) > MAX_EVENTS - 16:
            self.hosted.end("Abort", "the game is longer than a record holds")

    def _forfeit(self, colour: int, why: str) -> None:
        self.hosted.play(colour, FORFEIT)
        self._end(why)

    def _end(self, why: str = "") -> None:
        outcome = self.game.outcome
        assert outcome is not None
        result = "Draw"
        if outcome.winner is not None:
            end = _ENDS.get(outcome.how)
            result = f"{COLOUR_LETTERS[outcome.winner].upper()}+{end}" if end else outcome.gtp
        self.hosted.end(result, why or outcome.sentence(self.rules.lang))

    def record(self) -> Record:
        """Return the record of the game, as the referee saw it."""
        record = self.hosted.to_record(self.names)
        secret = self.hosted.record.secret if isinstance(self.rules, DicedRules) else None
        return replace(record, secret=secret, comment=self.hosted.why, main_s=self.hosted.clocks.control.main_s)


def _name_of(seat: Participant, rules: Rules) -> str:
    """Return the name of an account, or of a bot of this package by its level; "" for another seat."""
    if seat.kind == BOT:
        return next((each.account for each in opponents_of(rules.name) if each.level == seat.level), "")
    return seat.name


def _ms(seconds: float) -> int:
    return int(max(0.0, seconds) * 1000)


def _quote(word: str) -> str:
    return word[:_LONGEST_QUOTE] if word.isprintable() else ascii(word)[:_LONGEST_QUOTE]
