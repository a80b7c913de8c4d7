"""One game on the page: requests from its seats, and its state for each audience, as JSON."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from gtp_variants.base.json_values import Json
from gtp_variants.errors import IllegalMove, NotationError
from gtp_variants.lang import say
from gtp_variants.players import agreements
from gtp_variants.players.agreements import BOT, COUNT, PERSON, Participant, read_point
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.counting import count_board
from gtp_variants.players.hosted_game import VOID, HostedGame, HostPolicy, new_record
from gtp_variants.players.levels import title
from gtp_variants.players.table import Table, legal_actions, list_departures
from gtp_variants.players.transcript import Audience, NoSeat, Transcript, named_stones
from gtp_variants.records.journal import read_journal
from gtp_variants.records.record import Record, printable
from gtp_variants.records.sentences import in_language
from gtp_variants.records.state import describe_for_seat, describe_game, describe_view
from gtp_variants.rules import AMONG_PEOPLE, parse
from gtp_variants.rules.actions import CHANCE, FORFEIT, PASS, RESIGN, SWAP, Event
from gtp_variants.rules.boards.handicap import free_points
from gtp_variants.rules.colour_names import COLOUR_LETTERS, colour_adjective, colour_name
from gtp_variants.rules.game import Game
from gtp_variants.rules.illegal_moves import illegal, not_turn
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules
from gtp_variants.site.access.visitors import is_guest
from gtp_variants.site.page import seat_locks
from gtp_variants.site.page.chat import Chat
from gtp_variants.site.page.opponents import Opponents
from gtp_variants.site.page.seat_locks import SeatLock
from gtp_variants.site.refusals import PageRefused

# Maximum events in one game: more than people ever play, fewer than a record can hold.
MOST_EVENTS = 20_000
_LARGEST_ACTION = 2**40
_DAY_S = 86_400
# The note of a game whose first throw waits for nonces.
AWAITS_NONCES = "awaits_nonces"
# The seat kind that a request for a new game uses for a person yet to be invited.
_INVITED = "invited"
_LONGEST_NAME, _LONGEST_RESULT = 30, 100
_MOST_HANDICAP = 25
# The fields of a time control that the page needs to show a clock.
_CONTROL = ("kind", "main_s", "increment_s", "period_s", "periods", "stones")


def policy_of(referee: str) -> HostPolicy:
    """Return the policy of a hosted game: clocks run from turn 2, and a referee, if any, acts for all players."""
    return HostPolicy(one_speaks_for_all=bool(referee), timed_from_turn=2)


def load_game(name: str, lines: Sequence[str], locks: Mapping[int, SeatLock] | None = None) -> "PageGame":
    """Rebuild a game from its journal and the locks of its seats. Raises RecordError for an invalid journal."""
    journal = read_journal(lines)
    hosted = HostedGame(journal, policy_of(journal.notes.get("referee", "")))
    # Older versions kept each seat's only token in the journal, so make a lock of it.
    old = {colour: SeatLock(token=each.key) for colour, each in hosted.seats.items() if each.key}
    return PageGame(name, hosted, old | dict(locks or {}))


def new_game(
    asked: Json, opponents: Opponents, visitor: str, start: Game | None = None, name: str | None = None
) -> tuple["PageGame", dict[int, str]]:
    """Return the game `asked` for, from `start` if given, and its invitations. Raises VariantsError if refused.

    People are called `name`, or as `asked` if it is None.
    """
    rules = start.rules if start is not None else _read_rules(asked)
    kinds = _read_seats(rules, asked.get("seats", {}), opponents)
    control, notes = read_control(asked.get("clock")), Json()
    locks, invitations = dict[int, SeatLock](), dict[int, str]()
    if asked.get("referee"):
        if any(seat.kind != PERSON for seat, _ in kinds.values()):
            raise NotationError("referee: expected people at all seats")
        # The people sit at a real board, so the referee acts for all of them.
        notes["referee"] = visitor
    else:
        for colour, (seat, is_invited) in kinds.items():
            if is_invited:
                locks[colour], invitations[colour] = seat_locks.invite()
            elif seat.kind == PERSON:
                locks[colour] = SeatLock(visitor)
        if invitations or not locks:
            notes["creator"] = visitor
    seats = {colour: seat for colour, (seat, _) in kinds.items()}
    if name is not None:
        seats |= {colour: replace(each, name=name) for colour, each in seats.items() if each.kind == PERSON}
    if asked.get("chat") is False:
        notes["chat"] = "off"
    if asked.get("nonces") is True and start is None and isinstance(rules, DicedRules) and "referee" not in notes:
        notes[AWAITS_NONCES] = True
    record = new_record(rules, handicap=_read_handicap(rules, asked.get("handicap", 0)))
    if start is not None:
        # Earlier throws came from different dice, so record them as told by the host.
        thrown = start.position.turn - (start.position.to_play == CHANCE)
        told = frozenset(range(1, thrown + 1)) if isinstance(rules, DicedRules) else frozenset()
        record = replace(record, game=start, told=told)
    hosted = HostedGame.new(record, seats, policy_of(notes.get("referee", "")), control, notes=notes)
    return PageGame(seat_locks.new_token(), hosted, locks), invitations


def _read_rules(asked: Json) -> Rules:
    spec = asked.get("spec")
    if not isinstance(spec, str):
        raise NotationError("spec: expected a string")
    lang = {"lang": asked["lang"]} if isinstance(asked.get("lang"), str) else {}
    return parse(spec, {**AMONG_PEOPLE, **lang})


def _read_seats(rules: Rules, asked: object, opponents: Opponents) -> dict[int, tuple[Participant, bool]]:
    """Return each colour's participant (a person by default), with True if somebody is yet to be invited."""
    letters = {COLOUR_LETTERS[colour]: colour for colour in rules.colours}
    if not isinstance(asked, dict) or not set(asked) <= set(letters):
        raise NotationError(f"seats: expected an object with keys among {' '.join(letters)}")
    return {
        colour: _read_seat(rules, asked.get(letter, {"kind": PERSON}), opponents) for letter, colour in letters.items()
    }


def _read_seat(rules: Rules, asked: object, opponents: Opponents) -> tuple[Participant, bool]:
    """Return the requested participant, and True if somebody is to be invited. Raises VariantsError if invalid."""
    if not isinstance(asked, dict) or asked.get("kind") not in (PERSON, _INVITED, BOT):
        raise NotationError(
            'seats: expected {"kind": "person"}, {"kind": "invited"} or {"kind": "bot", "bot": NAME, "level": 5}'
        )
    if asked["kind"] == _INVITED:
        return Participant(), True
    if asked["kind"] == PERSON:
        return Participant(name=read_name(asked.get("name", ""))), False
    name, level = asked.get("bot") or rules.profile.default_bot, asked.get("level")
    limits = {key: asked[key] for key in ("seconds", "playouts") if asked.get(key) is not None}
    if limits and opponents.knows(name):
        if level is not None:
            raise NotationError(f"level: cannot be combined with {' or '.join(limits)}")
        name = opponents.limit(name, limits)
    opponents.expect_choice(name)
    opponents.make(name, level)
    opponents.expect_fit(name, rules)
    return Participant(BOT, name, level), False


def read_name(asked: object) -> str:
    """Return a player's name on one line, perhaps "". Raises NotationError for a name that is too long or no string."""
    name = " ".join(printable(asked).split()) if isinstance(asked, str) else None
    if name is None or len(name) > _LONGEST_NAME:
        raise NotationError(f"name: expected a string of at most {_LONGEST_NAME} letters")
    return name


def _read_handicap(rules: Rules, asked: object) -> list[int]:
    """Return the points of `asked` handicap stones. Raises NotationError or PageRefused if impossible."""
    if type(asked) is not int or not 0 <= asked <= _MOST_HANDICAP:
        raise NotationError(f"handicap: expected 0 to {_MOST_HANDICAP}")
    if asked == 0:
        return []
    points = None if rules.handicap == "none" else free_points(rules.board, asked)
    if points is None:
        raise PageRefused("page.no_handicap", count=asked)
    return points


# The numbers that each kind of time control needs, with their minimum and maximum.
_SECONDS, _LITTLE, _COUNT = (1, 28 * _DAY_S), (0, 28 * _DAY_S), (1, 100)
_KINDS: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "fischer": {"main_s": _SECONDS, "increment_s": _LITTLE},
    "absolute": {"main_s": _SECONDS},
    "byoyomi": {"main_s": _LITTLE, "period_s": _SECONDS, "periods": _COUNT},
    "canadian": {"main_s": _LITTLE, "period_s": _SECONDS, "stones": _COUNT},
}


def describe_control(control: TimeControl) -> Json:
    """Return the fields of a time control that a browser needs to show a clock."""
    return {name: getattr(control, name) for name in _CONTROL}


def read_control(asked: object) -> TimeControl:
    """Return the time control in `asked`: no clock if None, "fischer" by default. Raises NotationError if invalid."""
    if asked is None:
        return TimeControl()
    kind = asked.get("kind", "fischer") if isinstance(asked, dict) else None
    if not isinstance(asked, dict) or not isinstance(kind, str) or kind not in _KINDS:
        raise NotationError(f"clock: expected a kind, one of {' '.join(_KINDS)}, and its numbers")
    wanted, given = _KINDS[kind], {key: value for key, value in asked.items() if key != "kind"}
    if set(given) != set(wanted) or not all(_is_within(key, given[key], *bounds) for key, bounds in wanted.items()):
        ranges = ", ".join(f"{key} of {least} to {most}" for key, (least, most) in wanted.items())
        raise NotationError(f"clock: expected {ranges}")
    return TimeControl(kind, **given)


def _is_within(key: str, value: object, least: float, most: float) -> bool:
    kinds = int if key in ("periods", "stones") else int | float
    return isinstance(value, kinds) and not isinstance(value, bool) and least <= value <= most


# The owner of a token: a seat's colour, or the referee.
TokenHolder = int | Literal[NoSeat.REFEREE]


class Offers:
    """The proposals in one game: to take back moves, to change the dice, to agree on a draw or anything else."""

    def __init__(self, hosted: HostedGame) -> None:
        self._hosted = hosted
        # The last refusal, shown until its turn ends: the proposal's kind, the colour that refused it, and the turn.
        self._declined: tuple[str, int, int] | None = None

    def decline(self, colour: int) -> None:
        proposal = self._hosted.agreements.find()
        self._hosted.decline(colour)
        if proposal is not None:
            self._declined = proposal.kind, colour, self._hosted.table.position.turn

    @property
    def knows_draws(self) -> bool:
        """True if the players can agree on a draw: all are people, the count has not begun, and the rules allow it."""
        hosted = self._hosted
        has_draws = not hosted.rules.is_scored or hosted.rules.komi == int(hosted.rules.komi)
        return has_draws and len(hosted.people) == len(hosted.rules.colours) and not hosted.is_counting

    def offer_draw(self, colour: int) -> None:
        """Offer a draw, or agree; the game ends once all agree in the same turn. Raises PageRefused if forbidden."""
        if not self.knows_draws:
            raise PageRefused("page.no_draw")
        self._hosted.propose(colour, agreements.DRAW)

    def describe_refusal(self) -> Json | None:
        """Return the proposal refused in this turn, and the player who refused it, as JSON; None without a refusal."""
        if self._declined is None or self._hosted.agreements.find() is not None:
            return None
        what, colour, turn = self._declined
        # Compare turns: numbers of events would tell the other players that a try was refused.
        return {"what": what, "by": COLOUR_LETTERS[colour]} if turn == self._hosted.table.position.turn else None

    def describe(self) -> Json | None:
        """Return the current proposal as JSON, with the colours that agreed and the colours still asked, or None."""
        proposal = self._hosted.agreements.find()
        if proposal is None:
            return None
        return {
            "colour": COLOUR_LETTERS[proposal.colour],
            "what": proposal.kind,
            "words" if proposal.kind == agreements.AGREE else "dice": proposal.value,
            "agreed": [COLOUR_LETTERS[colour] for colour in sorted(proposal.agreed)],
            "asked": [COLOUR_LETTERS[each] for each in self._hosted.requests.voters if each not in proposal.agreed],
        }


class PageGame:
    """A hosted game with a name. A game without seats is a record to look at.

    `locks` guard the seats of people. `hosted.notes` names visitors of the site: "referee", who enters all the moves
    of a real board (or the digest of a link of an older version), and "creator", who can renew invitations and in whose
    name its bots think. For a record to look at, they have "beside", the remarks and variations in the file; "file",
    the text of an SGF file; and "result", the result that the file states.
    """

    # The number of a game from the lobby, and the tournament and the game's key there, such as "cup 3.1", or "".
    number: int | None = None
    event = ""

    def __init__(self, name: str, hosted: HostedGame, locks: Mapping[int, SeatLock] | None = None) -> None:
        self.name = name
        self.hosted = hosted
        self.locks = dict(locks or {})
        # The network from which the game was opened first: for it the bots think in a guest's game.
        self.network = ""
        # True if the publisher of a game played elsewhere has fallen silent.
        self.is_lost = False
        # False if its last change could not be written.
        self.is_kept = True
        # The socket through which each colour has asked for a rematch. The note "rematch" names the one that has begun.
        self.wishes: dict[int, object] = {}
        self.chat = Chat()
        self.offers = Offers(hosted)
        # The spectators' news at the last `take_news`: audience, epoch and number of items.
        self._told: tuple[Audience, int, int] | None = None

    @property
    def is_rated(self) -> bool:
        """True if the game counts for ratings."""
        return False

    @property
    def is_strict(self) -> bool:
        """True if the game is from the lobby. Its players get no advice and cannot take back moves."""
        return self.number is not None

    @property
    def owner(self) -> str:
        """The visitor who began the game, or has a seat in it; "" if that is unknown."""
        return str(self.hosted.notes.get("creator") or next(iter(self.find_owners()), ""))

    @property
    def thinker(self) -> str:
        """The owner of the bots' turns to think: an account, or the network of a guest, who may have many names."""
        return self.network if is_guest(self.owner) else self.owner

    def find_owners(self) -> list[str]:
        """Return the visitors who have seats, or who enter all the moves."""
        return list(filter(None, (self.hosted.notes.get("referee"), *(each.owner for each in self.locks.values()))))

    def find_seats(self, visitor: str) -> list[TokenHolder]:
        """Return the seats of a visitor, who is "" if their browser keeps no cookie."""
        if visitor and self.hosted.notes.get("referee") == visitor:
            return [NoSeat.REFEREE]
        return [colour for colour, lock in self.locks.items() if visitor and lock.owner == visitor]

    def is_creator(self, visitor: str) -> bool:
        """Return True if a visitor created the game. In old games, the creator's seat has a token but no invitation."""
        old = any(lock.owner == visitor and lock.token and not lock.invitation for lock in self.locks.values())
        return bool(visitor) and (old or self.hosted.notes.get("creator") == visitor)

    def is_claimed(self, colour: int) -> bool:
        """Return True unless an invitation to this seat is still open."""
        return colour not in self.locks or self.locks[colour].is_claimed

    @property
    def awaits_players(self) -> bool:
        """True while nobody may see the first throw, so that no creator waits for good dice before inviting."""
        hosted = self.hosted
        is_begun = bool(hosted.table.game.turns()) or hosted.is_over or not isinstance(hosted.rules, DicedRules)
        return not is_begun and (self.awaits_nonces or not all(map(self.is_claimed, self.locks)))

    @property
    def awaits_nonces(self) -> bool:
        """True while all seats are taken, and the first throw still waits for nonces."""
        is_due = bool(self.hosted.notes.get(AWAITS_NONCES)) and not self.hosted.is_over
        return is_due and all(map(self.is_claimed, self.locks))

    def _add_nonce(self, colour: int, value: str) -> None:
        """Add a nonce. The first throw waits until each person has added one, at any of their seats."""
        hosted, locks = self.hosted, self.locks
        # The throws that a game continues with were seen in the game before.
        is_unseen = self.awaits_players and not hosted.record.told
        hosted.add_nonce(colour, value.encode("utf-8", "replace"), is_unseen=is_unseen)
        owners = {locks[each].owner for each in hosted.people if each in locks}
        if self.awaits_nonces and owners <= {locks[each.colour].owner for each in hosted.record.nonces}:
            self.show_dice()

    def show_dice(self) -> None:
        """Show the first throw. A new epoch makes each listener receive the whole game again."""
        self.hosted.remember(AWAITS_NONCES, False)
        self.hosted.epoch += 1

    def flag(self) -> bool:
        """Return True if a time is up: the first throw waits no longer, or the side to move has lost."""
        if not self.awaits_nonces:
            return self.hosted.flag()
        self.show_dice()
        return True

    # -- acting --------------------------------------------------------------------------------------------------------

    def act(self, holder: TokenHolder, request: Json, lang: str = "") -> None:
        """Carry out a request; a referee acts for the side to move. Raises VariantsError, in `lang`, if refused."""
        lang = lang or self.hosted.rules.lang
        try:
            self._act(holder, request, lang)
        except IllegalMove as error:
            raise self._say_in(lang, error, request) from error

    def _say_in(self, lang: str, error: IllegalMove, request: Json) -> IllegalMove:
        """Return the error in a language, by trying the request again with rules in that language."""
        hosted, asked = self.hosted, self.hosted.asked()
        if error.reason == "not your turn" and asked is not None:
            return not_turn(asked, lang)
        word = str(request.get("do"))
        action = self._point(request) if word == "play" else {"pass": PASS, "swap": SWAP}.get(word, RESIGN)
        try:
            in_language(hosted.rules, lang).play(hosted.table.position, action)
        except IllegalMove as said:
            return said if said.reason == error.reason else error
        return error

    def _act(self, holder: TokenHolder, request: Json, lang: str) -> None:
        hosted = self.hosted
        colour = hosted.asked() or hosted.rules.colours[0] if holder is NoSeat.REFEREE else holder
        actions: dict[str, Callable[[], object]] = {
            "play": lambda: hosted.answer(colour, self._free_point(colour, request, lang)),
            "pass": lambda: hosted.answer(colour, PASS),
            "swap": lambda: hosted.answer(colour, SWAP),
            "resign": lambda: hosted.play(colour, RESIGN),
            "undo": lambda: hosted.propose(colour, agreements.UNDO),
            "dice": lambda: hosted.propose(colour, agreements.DICE, _word(request, "dice")),
            "agree": lambda: hosted.propose(colour, agreements.AGREE, _word(request, "words")),
            "nonce": lambda: self._add_nonce(colour, _word(request, "nonce")),
            "draw": lambda: self.offers.offer_draw(colour),
            "allow": lambda: hosted.accept(colour),
            "refuse": lambda: self.offers.decline(colour),
            "abort": self._abort,
            "dead": lambda: self._mark_dead(request),
        }
        what = request.get("do")
        if not isinstance(what, str) or what not in actions:
            raise NotationError(f"do: expected one of {' '.join(actions)}")
        turn = request.get("turn")
        if turn is not None and turn != hosted.table.position.turn:
            raise PageRefused("page.moved_on")
        if hosted.is_over:
            raise illegal("game over", lang)
        # Count only the news this person has heard, so that the limit reveals nothing hidden.
        if len(hosted.transcript(hosted.audience(colour)).items) >= MOST_EVENTS and what != "resign":
            raise PageRefused("page.too_long")
        if self.awaits_players and what not in ("resign", "abort", "nonce"):
            raise PageRefused("page.not_all_here")
        actions[what]()

    @property
    def is_abortable(self) -> bool:
        """True if the game is in progress and not from the lobby, and no side has had more than one turn."""
        hosted = self.hosted
        is_begun = hosted.table.position.turn > len(hosted.rules.colours) + 1
        return not (hosted.is_over or is_begun or self.is_strict)

    def _abort(self) -> None:
        if not self.is_abortable:
            raise PageRefused("page.too_late")
        self.hosted.end(VOID, say("page.aborted", self.hosted.rules.lang))

    def _mark_dead(self, request: Json) -> None:
        """Mark the chains at the points `at`, one word or a list, as dead; unmark chains that are marked already."""
        words_at = request.get("at")
        several = words_at if isinstance(words_at, list) else [words_at]
        points = [self._point({"at": word}) for word in several]
        for point in points:
            self.hosted.mark_dead(point)

    def _free_point(self, colour: int, request: Json, lang: str) -> int:
        """Return the requested point. In a hidden game, raises IllegalMove at the player's own stone, to save a try."""
        point, rules = self._point(request), self.hosted.rules
        if not rules.is_open and self.hosted.table.view(colour).stones[point] == colour:
            stone = colour_adjective(colour, lang)
            raise illegal("occupied", lang, vertex=rules.board.vertex(point), stone=stone)
        return point

    def _point(self, request: Json) -> int:
        return read_point(self.hosted.rules.board, _word(request, "at"))

    def answer(self, colour: int, action: int) -> None:
        """Play a bot's action; FORFEIT stands for a bot that has failed."""
        (self.hosted.play if action == FORFEIT else self.hosted.answer)(colour, action)

    # -- messages ------------------------------------------------------------------------------------------------------

    def state(self, audience: Audience, lang: str = "") -> Json:
        """Return the state of the game for an audience, as JSON in a language."""
        hosted, asked = self.hosted, self.hosted.asked()
        position = hosted.table.position
        state: Json = {
            **_standing(hosted.table, hosted.transcript(audience), audience),
            "turn": position.turn,
            "asked": None if asked is None else COLOUR_LETTERS[asked],
            "final": hosted.is_over,
            "counting": hosted.is_counting,
            "left": [COLOUR_LETTERS[event.actor] for event in list_departures(hosted.table)],
            "wish": self.offers.describe(),
            "declined": self.offers.describe_refusal(),
            "abortable": self.is_abortable,
            "draws": self.offers.knows_draws and not hosted.is_over,
            "agreements": self._list_agreements(),
        }
        if state["reason"] and hosted.table.game.outcome is not None:
            state["reason"] = hosted.table.game.outcome.sentence(lang or hosted.rules.lang)
        if hosted.is_ended and not state["result"]:
            state |= {"over": True, "suspended": False, "result": hosted.result}
            state["reason"] = _why(hosted, lang) or hosted.result
        if (coming := hosted.table.draws.coming.after(position.turn)) is not None:
            state["coming_dice"] = str(coming)
        if hosted.is_counting:
            state["count_agreed"] = [COLOUR_LETTERS[each] for each in sorted(hosted.agreements.words.get(COUNT, {}))]
        if hosted.rules.agrees_on_dead and hosted.is_shown and hosted.table.game.outcome is not None:
            state["dead"] = hosted.rules.board.vertices_of(position.dead)
        if recorded := _recorded_result(hosted, state["result"]):
            state |= {"result": recorded, "reason": say("page.recorded", lang or hosted.rules.lang, result=recorded)}
        elif hosted.is_over and audience is NoSeat.ALL:
            state |= _count(hosted)
            match, winner = agreements.tell_match(hosted.table.game, hosted.notes)
            if match:
                words = lang or hosted.rules.lang
                state["match"] = say(f"counting.{match}", words, name=colour_name(winner, words))
        state |= _describe_clocks(hosted)
        if hosted.record.nonces:
            state["nonces"] = list(map(str, hosted.record.nonces))
        state |= {"rating": hosted.notes["rating"]} if "rating" in hosted.notes else {}
        return state | ({"draw": None, "legal": [], "asked": None, "waiting": True} if self.awaits_players else {})

    def _list_agreements(self) -> list[str]:
        """Return the first words of the agreements that people can propose now, and the die of a single one."""
        if self.hosted.is_over or self.is_strict or self.awaits_players:
            return []
        found = agreements.find_agreements(self.hosted.table, self.hosted.people)
        die = agreements.single_die(self.hosted.table)
        return [f"{word} {die}" if word == agreements.SINGLE_DIE else word for word in found]

    def whole(self, audience: Audience, lang: str = "") -> Json:
        """Return the whole game for an audience: setup, all news and the state, in a language."""
        hosted, state = self.hosted, self.state(audience, lang)
        transcript = hosted.transcript(audience, lang)
        news = [] if self.awaits_players else list(transcript.items)
        whole: Json = {"setup": transcript.setup, "news": news, "state": state}
        if not hosted.seats:
            # Seconds taken and left, by event number; null where the record does not say.
            times = {str(number): [time.took_s, time.left_s] for number, time in hosted.times.items()}
            whole |= {"beside": hosted.notes.get("beside"), "times": times}
        if audience is NoSeat.ALL and not hosted.rules.is_open:
            # The board each seat knew, now that nothing is hidden.
            table = hosted.table
            whole["boards"] = {
                COLOUR_LETTERS[colour]: named_stones(table, table.view(colour).stones) for colour in table.rules.colours
            }
            heard = {colour: hosted.transcript(colour, lang) for colour in hosted.rules.colours}
            whole["heard"] = {COLOUR_LETTERS[colour]: list(each.items) for colour, each in heard.items()}
            # Align each seat's news with the full news: at each full item, the number of items the seat had heard.
            whole["heard_at"] = {COLOUR_LETTERS[colour]: list(each.ends) for colour, each in heard.items()}
        return whole

    def take_news(self) -> bool:
        """Return True if there has been news for spectators since the last call."""
        audience = self.hosted.audience(None)
        told = audience, self.hosted.epoch, len(self.hosted.transcript(audience).items)
        is_new, self._told = told != self._told, told
        return is_new

    def public_record(self) -> Record:
        """Return the record that anybody may have. Raises PageRefused while something is hidden or seats are open."""
        hosted = self.hosted
        if not hosted.is_shown:
            raise PageRefused("page.hidden")
        if self.awaits_players:
            raise PageRefused("page.not_all_here")
        if not hosted.seats:
            return replace(hosted.record, result=hosted.notes.get("result"))
        names = {colour: _name(each, hosted.rules.lang) for colour, each in hosted.seats.items()}
        record = replace(hosted.to_record(names), times={})
        return replace(record, result=hosted.result) if hosted.is_ended and record.result is None else record

    def title_and_dice(self) -> Json:
        """Return the public facts of the game, such as its SPEC, its title and its commitment to the dice."""
        rules, record = self.hosted.rules, self.hosted.record
        commitment = record.commitment if isinstance(rules, DicedRules) else None
        has_chat = bool(self.hosted.seats) and self.hosted.notes.get("chat") != "off"
        known: Json = {"spec": rules.spec, "title": rules.title, "open": rules.is_open, "commitment": commitment}
        known |= {"chat": has_chat, "strict": self.is_strict, "rated": self.is_rated}
        if not self.hosted.seats and record.players:
            # Only a record to look at needs players' names here; other games send the names with their seats.
            known["players"] = {COLOUR_LETTERS[colour]: printable(name) for colour, name in record.players.items()}
        return known


def read_event(value: object) -> Event:
    """Return the event in a message. Raises NotationError unless it is a pair of actor and action."""
    match value:
        case [int(actor), int(action)] if 0 <= actor < len(COLOUR_LETTERS) and abs(action) < _LARGEST_ACTION:
            return Event(actor, action)
    raise NotationError("events: expected pairs of actor and action")


def _word(request: Json, key: str) -> str:
    word = request.get(key)
    if not isinstance(word, str) or len(word) > 20:
        raise NotationError(f"{key}: expected a word of at most 20 letters")
    return word


def _recorded_result(hosted: HostedGame, result: str | None) -> str:
    """Return the file's result if the recorded events leave the outcome open, else ""."""
    recorded = hosted.notes.get("result")
    if hosted.seats or hosted.table.is_final or recorded in (None, result):
        return ""
    return printable(recorded)[:_LONGEST_RESULT]


def _count(hosted: HostedGame) -> Json:
    game = hosted.table.game
    outcome, board = game.outcome, hosted.rules.board
    if outcome is None or outcome.how != "score" or not hosted.rules.is_scored:
        return {}
    counted = count_board(game)
    sides = {
        COLOUR_LETTERS[colour]: {
            "prisoners" if counted.counts_prisoners else "stones": counted.pieces[colour],
            "territory": board.vertices_of(counted.territory[colour]),
            "komi": counted.komi[colour],
        }
        for colour in hosted.rules.colours
    }
    return {"count": {"sides": sides, "neutral": board.vertices_of(counted.neutral)}}


def _why(hosted: HostedGame, lang: str) -> str:
    """Return why the host ended the game. An agreed draw and an abort are worded in `lang`."""
    for key in ("page.draw_agreed", "page.aborted"):
        if hosted.why == say(key, hosted.rules.lang):
            return say(key, lang or hosted.rules.lang)
    return hosted.why


def _describe_clocks(hosted: HostedGame) -> Json:
    """Return the clocks as JSON, {} without any: seconds, periods or stones left, the control and free seconds."""
    control = hosted.clocks.control
    if control.kind == "none":
        return {}
    clocks = {COLOUR_LETTERS[colour]: hosted.clocks.clock(colour) for colour in hosted.rules.colours}
    told: Json = {
        "clocks": {letter: round(clock.left_s, 1) for letter, clock in clocks.items()},
        "periods": {letter: clock.left_count for letter, clock in clocks.items()},
        "control": describe_control(control),
    }
    if hosted.asked() is not None:
        told["running"] = hosted.clocks.running is not None
    if hosted.clocks.free_s:
        told["free_s"] = round(hosted.clocks.free_left_s, 1)
    return told


def _name(participant: Participant, lang: str) -> str:
    if participant.kind == PERSON:
        return participant.name or say("terminal.person", lang)
    return title(participant.bot, lang) if participant.kind == BOT else participant.name


def _standing(table: Table, transcript: Transcript, audience: Audience) -> Json:
    """Return the state for an audience, with the keys of GTP's `variant-state`."""
    if audience is NoSeat.WATCHING:
        # Spectators of a hidden game know only what follows from the news that everybody hears, so they see no stones.
        return {**describe_view(table.rules, transcript.view), "stones": {}, "legal": []}
    if isinstance(audience, NoSeat):
        return describe_game(table.game)
    return describe_for_seat(table.game, table.view(audience), legal_actions(table, audience))
