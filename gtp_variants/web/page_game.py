"""One game on the page: what a person at a seat asks for as JSON, and how the game stands for each audience."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeGuard

from gtp_variants.errors import NotationError
from gtp_variants.json_values import Json
from gtp_variants.lang import say
from gtp_variants.players.agreements import DICE, UNDO
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.hosted_game import HostedGame, HostPolicy, new_record
from gtp_variants.players.participants import BOT, PERSON, Participant
from gtp_variants.players.table import Table, legal_actions
from gtp_variants.players.transcript import ALL, REFEREE, WATCHING, Transcript, named_stones
from gtp_variants.records.journal import read_journal
from gtp_variants.records.record import Record, printable
from gtp_variants.records.state import describe_for_seat, describe_game, describe_view
from gtp_variants.rules import parse, words
from gtp_variants.rules.actions import PASS, RESIGN, SWAP
from gtp_variants.rules.diced import DicedRules
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.words import COLOUR_LETTERS
from gtp_variants.web.opponents import Opponents
from gtp_variants.web.refusals import PageRefused
from gtp_variants.web.seat_locks import (
    NewSeats,
    SeatLock,
    claim_seat,
    digest,
    find_by_token,
    invite,
    is_token,
    new_token,
)

# Longer than any game people finish; a record holds more.
MOST_EVENTS = 20_000
_DAY_S = 86_400
# A person who is invited to a seat, in the request for a new game.
_INVITED = "invited"
_LONGEST_NAME = 30


def policy_of(referee: str) -> HostPolicy:
    """How games are hosted: the clocks run from the first move on, and a referee speaks for all."""
    return HostPolicy(one_speaks_for_all=bool(referee), timed_from_turn=2)


def load_game(name: str, lines: Sequence[str], locks: Mapping[int, SeatLock] | None = None) -> "PageGame":
    """The game of its journal, with the locks of its seats. Raises RecordError for what is none."""
    journal = read_journal(lines)
    hosted = HostedGame(journal, policy_of(journal.notes.get("referee", "")))
    # Older versions kept a seat's token with the game, and nothing else opened it.
    old = {colour: SeatLock(each.key) for colour, each in hosted.seats.items() if each.key}
    return PageGame(name, hosted, old | dict(locks or {}))


def new_game(asked: Json, opponents: Opponents) -> tuple["PageGame", NewSeats]:
    """A game from a SPEC and who sits where; what opens the seats of people. Raises VariantsError."""
    spec = asked.get("spec")
    if not isinstance(spec, str):
        raise NotationError("spec: expected a text")
    rules = parse(spec, {"lang": asked["lang"]} if isinstance(asked.get("lang"), str) else {})
    kinds = _read_seats(rules, asked.get("seats", {}), opponents)
    name, control, notes = new_token(), _read_control(asked.get("clock")), dict[str, str]()
    locks, opening = dict[int, SeatLock](), NewSeats()
    if asked.get("referee"):
        if any(seat.kind != PERSON for seat, _ in kinds.values()):
            raise NotationError("referee: expected people at all seats")
        # They sit at real boards: one token is all there is.
        opening.referee = new_token()
        notes["referee"] = digest(opening.referee)
    else:
        locks, opening = _lock_seats(name, kinds)
        if opening.creator:
            notes["creator"] = digest(opening.creator)
    seats = {colour: seat for colour, (seat, _) in kinds.items()}
    hosted = HostedGame.new(new_record(rules), seats, policy_of(notes.get("referee", "")), control, notes=notes)
    return PageGame(name, hosted, locks), opening


def _lock_seats(game: str, kinds: Mapping[int, tuple[Participant, bool]]) -> tuple[dict[int, SeatLock], NewSeats]:
    """The locks of people's seats: invitations to some, the others taken by who begins the game."""
    locks, opening = dict[int, SeatLock](), NewSeats()
    for colour, (seat, is_invited) in kinds.items():
        if is_invited:
            locks[colour], opening.invitations[colour] = invite()
        elif seat.kind == PERSON:
            locks[colour], claim = claim_seat(game, colour)
            opening.claims.append(claim)
    if opening.invitations:
        opening.creator = new_token()
    return locks, opening


def _read_seats(rules: Rules, asked: object, opponents: Opponents) -> dict[int, tuple[Participant, bool]]:
    """Who sits at each colour, a person where nobody is named; and whether they are still to be invited."""
    letters = {COLOUR_LETTERS[colour]: colour for colour in rules.colours}
    if not isinstance(asked, dict) or not set(asked) <= set(letters):
        raise NotationError(f"seats: expected who plays {' '.join(letters)}")
    return {
        colour: _read_seat(rules, asked.get(letter, {"kind": PERSON}), opponents) for letter, colour in letters.items()
    }


def _read_seat(rules: Rules, asked: object, opponents: Opponents) -> tuple[Participant, bool]:
    """Who sits at a colour, and whether it is somebody to invite. Raises NotationError for what is no such thing."""
    if not isinstance(asked, dict) or asked.get("kind") not in (PERSON, _INVITED, BOT):
        raise NotationError(
            'seats: expected {"kind": "person"}, {"kind": "invited"} or {"kind": "bot", "bot": NAME, "level": 5}'
        )
    if asked["kind"] == _INVITED:
        return Participant(), True
    if asked["kind"] == PERSON:
        return Participant(name=read_name(asked.get("name", ""))), False
    name, level = asked.get("bot") or rules.default_bot, asked.get("level")
    opponents.make(name, level)
    return Participant(BOT, name, level), False


def read_name(asked: object) -> str:
    """What a person would be called, on one line; "" for somebody who does not say. Raises NotationError."""
    name = " ".join(printable(asked).split()) if isinstance(asked, str) else None
    if name is None or len(name) > _LONGEST_NAME:
        raise NotationError(f"name: expected a text of at most {_LONGEST_NAME} letters")
    return name


def _read_control(asked: object) -> TimeControl:
    """The time control of a new game: main time and seconds for each move. Raises NotationError."""
    if asked is None:
        return TimeControl()
    if isinstance(asked, dict):
        main_s, increment_s = asked.get("main_s"), asked.get("increment_s")
        if _is_time(main_s, 1) and _is_time(increment_s, 0):
            return TimeControl("fischer", main_s=main_s, increment_s=increment_s)
    raise NotationError("clock: expected main_s of 1 to 86400 and increment_s of 0 to 86400")


def _is_time(value: object, least: float) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= _DAY_S


class PageGame:
    """A hosted game with a name; without seats it is a record to look at.

    `locks` are of the seats of people. `hosted.notes["referee"]` is the SHA-256 of the token of a referee, if there is
    one: they alone enter what is played at real boards; `["creator"]` that of the token which renews invitations.
    """

    def __init__(self, name: str, hosted: HostedGame, locks: Mapping[int, SeatLock] | None = None) -> None:
        self.name = name
        self.hosted = hosted
        self.locks = dict(locks or {})
        # Whether nothing is heard any more of a game that is played elsewhere.
        self.is_lost = False
        # What those who only watch were told when it was asked last: as what, how often anew, how much.
        self._told: tuple[int, int, int] | None = None

    def colour_of(self, token: str) -> int | None:
        """The colour whose seat a token opens, or REFEREE."""
        if is_token(token, self.hosted.notes.get("referee", "")):
            return REFEREE
        return find_by_token(self.locks, token)

    def is_claimed(self, colour: int) -> bool:
        """Whether somebody plays a colour: no invitation to it waits to be taken."""
        return colour not in self.locks or self.locks[colour].is_claimed

    @property
    def awaits_players(self) -> bool:
        """Whether the dice wait until all seats are taken.

        Who begins a game and sees its first draw could begin others until they like one, and then invite to that.
        """
        hosted = self.hosted
        is_begun = bool(hosted.table.game.turns()) or hosted.is_over
        return isinstance(hosted.rules, DicedRules) and not is_begun and not all(map(self.is_claimed, self.locks))

    def take_new_dice(self) -> None:
        """Begin with dice that nobody has seen a draw of, now that all who play are there."""
        old = self.hosted
        control, notes = old.clocks.control, old.notes
        self.hosted = HostedGame.new(new_record(old.rules), old.seats, old.policy, control, notes=notes)
        # Everybody is told the game anew.
        self.hosted.epoch = old.epoch + 1

    def is_creators(self, colour: int) -> bool:
        """Whether a seat is one that who began the game and invited to others kept for themselves."""
        return bool(self.hosted.notes.get("creator")) and colour in self.locks and not self.locks[colour].invitation

    # -- acting --------------------------------------------------------------------------------------------------------

    def act(self, colour: int, request: Json) -> None:
        """What the person at a colour does, by the key `do`; the referee does it for the side that is asked.

        Raises VariantsError, and then nothing has changed.
        """
        hosted = self.hosted
        if colour == REFEREE:
            colour = hosted.asked() or hosted.rules.colours[0]
        actions: dict[str, Callable[[], object]] = {
            "play": lambda: hosted.answer(colour, self._free_point(colour, request)),
            "pass": lambda: hosted.answer(colour, PASS),
            "swap": lambda: hosted.answer(colour, SWAP),
            "resign": lambda: hosted.play(colour, RESIGN),
            "undo": lambda: hosted.propose(colour, UNDO),
            "dice": lambda: hosted.propose(colour, DICE, _word(request, "dice")),
            "allow": lambda: hosted.accept(colour),
            "refuse": hosted.decline,
            "dead": lambda: hosted.mark_dead(self._point(request)),
        }
        what = request.get("do")
        if not isinstance(what, str) or what not in actions:
            raise NotationError(f"do: expected one of {' '.join(actions)}")
        turn = request.get("turn")
        if turn is not None and turn != hosted.table.position.turn:
            raise PageRefused("page.moved_on")
        if hosted.is_over:
            raise words.illegal("game over", hosted.rules.lang)
        # How much the person heard themselves: what is hidden counts for nothing that they could see.
        if len(hosted.transcript(hosted.audience(colour)).items) >= MOST_EVENTS and what != "resign":
            raise PageRefused("page.too_long")
        if self.awaits_players and what != "resign":
            raise PageRefused("page.not_all_here")
        actions[what]()

    def _free_point(self, colour: int, request: Json) -> int:
        """The point that a person names; on a stone that the seat knows for its own no try is wasted."""
        point, rules = self._point(request), self.hosted.rules
        if not rules.is_open and self.hosted.table.view(colour).stones[point] == colour:
            stone = words.adjective(colour, rules.lang)
            raise words.illegal("occupied", rules.lang, vertex=rules.board.vertex(point), stone=stone)
        return point

    def _point(self, request: Json) -> int:
        word, board = _word(request, "at"), self.hosted.rules.board
        try:
            return board.point(word)
        except NotationError:
            example = board.vertices[len(board) // 2]
            raise PageRefused("refusals.no_point", word=word, example=example) from None

    # -- what is told --------------------------------------------------------------------------------------------------

    def state(self, audience: int) -> Json:
        """How the game stands for an audience, and what only a host has to say of it."""
        hosted, asked = self.hosted, self.hosted.asked()
        position = hosted.table.position
        state: Json = {
            **standing(hosted.table, hosted.transcript(audience), audience),
            "turn": position.turn,
            "asked": None if asked is None else COLOUR_LETTERS[asked],
            "final": hosted.is_over,
            "counting": hosted.is_counting,
            "wish": self._proposal(),
        }
        coming = hosted.table.draws.coming.after(position.turn)
        if coming is not None:
            state["coming_dice"] = str(coming)
        if hosted.rules.agrees_on_dead and hosted.is_shown and hosted.table.game.outcome is not None:
            state["dead"] = hosted.rules.board.vertices_of(position.dead)
        if hosted.clocks.control.kind != "none":
            clocks = {colour: hosted.clocks.clock(colour) for colour in hosted.rules.colours}
            state["clocks"] = {COLOUR_LETTERS[colour]: round(clock.left_s, 1) for colour, clock in clocks.items()}
            if asked is not None:
                state["running"] = hosted.clocks.running is not None
        return state | ({"draw": None, "legal": [], "asked": None, "waiting": True} if self.awaits_players else {})

    def _proposal(self) -> Json | None:
        proposal = self.hosted.agreements.find(UNDO, DICE)
        if proposal is None:
            return None
        return {
            "colour": COLOUR_LETTERS[proposal.colour],
            "what": proposal.kind,
            "dice": proposal.value,
            "agreed": [COLOUR_LETTERS[colour] for colour in sorted(proposal.agreed)],
        }

    def whole(self, audience: int) -> Json:
        """The whole game for an audience: what it was told from the beginning."""
        hosted, state = self.hosted, self.state(audience)
        transcript = hosted.transcript(audience)
        news = [] if self.awaits_players else list(transcript.items)
        whole: Json = {"setup": transcript.setup, "news": news, "state": state}
        if audience == ALL and not hosted.rules.is_open:
            whole["boards"] = boards(hosted.table)
            heard = {colour: hosted.transcript(colour).items for colour in hosted.rules.colours}
            whole["heard"] = {COLOUR_LETTERS[colour]: list(items) for colour, items in heard.items()}
        return whole

    def take_news(self) -> bool:
        """Whether those who only watch were told something since this was asked last."""
        audience = self.hosted.audience(None)
        told = audience, self.hosted.epoch, len(self.hosted.transcript(audience).items)
        is_new, self._told = told != self._told, told
        return is_new

    def public_record(self) -> Record:
        """The game as anybody may have it. Raises PageRefused while something is hidden."""
        hosted = self.hosted
        if not hosted.is_shown:
            raise PageRefused("page.hidden")
        if self.awaits_players:
            raise PageRefused("page.not_all_here")
        if not hosted.seats:
            return hosted.record
        names = {colour: _name(each, hosted.rules.lang) for colour, each in hosted.seats.items()}
        return replace(hosted.to_record(names), times={})

    def title_and_dice(self) -> Json:
        """What a game is, as anybody may know it."""
        rules = self.hosted.rules
        has_dice = isinstance(rules, DicedRules) and not self.awaits_players
        commitment = self.hosted.record.commitment if has_dice else None
        return {"spec": rules.spec, "title": rules.title, "open": rules.is_open, "commitment": commitment}


def _word(request: Json, key: str) -> str:
    word = request.get(key)
    if not isinstance(word, str) or len(word) > 20:
        raise NotationError(f"{key}: expected a word")
    return word


def _name(participant: Participant, lang: str) -> str:
    if participant.kind == PERSON:
        return participant.name or say("terminal.person", lang)
    return participant.name if participant.level is None else f"{participant.name} ({participant.level})"


# -- how a game stands -------------------------------------------------------------------------------------------------


def standing(table: Table, transcript: Transcript, audience: int) -> Json:
    """How the game stands for an audience: the keys of `variant-state`."""
    if audience != WATCHING:
        return _state_for(table, audience) if audience > 0 else describe_game(table.game)
    # Of a hidden game those who watch are told what follows from the news that all hear.
    return {**describe_view(table.rules, transcript.view), "stones": {}, "legal": []}


def _state_for(table: Table, colour: int) -> Json:
    return describe_for_seat(table.game, table.view(colour), legal_actions(table, colour))


def boards(table: Table) -> Json:
    """What each seat of a hidden game knew, by colour: shown when nothing is hidden any more."""
    return {COLOUR_LETTERS[colour]: named_stones(table, table.view(colour).stones) for colour in table.rules.colours}
