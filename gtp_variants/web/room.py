"""One game on the server: the table, who sits at it, and what somebody at a seat may do. No I/O and no threads."""

import hmac
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from gtp_variants.errors import NotationError, RecordError
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.clock import NO_LIMIT, Clock, TimeControl
from gtp_variants.players.table import Table, is_undoable, set_dice
from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.record import Record
from gtp_variants.rules import words
from gtp_variants.rules.actions import FLAG, FORFEIT, MARK_DEAD, PASS, RESIGN, SETTLE, SWAP, pack
from gtp_variants.rules.dice.stream import DiceStream
from gtp_variants.rules.diced import read_dice
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View
from gtp_variants.rules.words import COLOUR_LETTERS
from gtp_variants.web.refusals import PageRefused
from gtp_variants.web.told import ALL, REFEREE, WATCHING, Json, Transcript, boards, standing

PERSON, BOT, ELSEWHERE = "person", "bot", "elsewhere"
# Longer than any game people finish; a record holds more.
MOST_EVENTS = 20_000
_KEY_BYTES = 16
_FORMAT, _VERSION = "gtp-variants-room", 1


@dataclass(frozen=True, slots=True)
class Chair:
    """Who sits at a colour: a person whoever holds the token, of which only the SHA-256 is kept, a bot by name, or
    somebody who plays elsewhere, whose name is in `bot`, too."""

    kind: str
    key: str = ""
    bot: str = ""
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    """What the person of a colour asks the others for: `what` is "undo" or "dice", which ones says `dice`."""

    colour: int
    what: str
    dice: str = ""
    agreed: frozenset[int] = field(default_factory=frozenset)


def new_token() -> str:
    """A name nobody can guess."""
    return secrets.token_urlsafe(_KEY_BYTES)


def digest(token: str) -> str:
    """What is kept of a token."""
    return sha256(token.encode(errors="surrogatepass")).hexdigest()


def begun(rules: Rules) -> Record:
    """A new game with dice of its own."""
    dice = DiceStream()
    return Record(Game(rules), "secret", dice.commitment, dice.secret)


class Room:
    """A game with chairs. Without chairs it is a record to look at.

    `version` counts what happened, `epoch` how often something was taken back. `is_counting` says that a hidden game
    was shown to both and waits for their word on dead stones. With a `referee`, the SHA-256 of whose token it is, he
    alone enters what is played at real boards, and speaks for all.
    """

    def __init__(
        self,
        name: str,
        record: Record,
        chairs: Mapping[int, Chair],
        control: TimeControl = NO_LIMIT.control,
        clocks: Mapping[int, Clock] | None = None,
        is_counting: bool = False,
        referee: str = "",
    ) -> None:
        self.name = name
        self.record = record
        self.chairs = dict(chairs)
        self.control = control
        self.is_counting = is_counting
        self.referee = referee
        dice = DiceStream(record.secret)
        # The dice of a game that goes on have always been thrown, so that to a record nothing is added.
        self.table = Table.of(record.game, lambda: dice, {})
        self.rules: Any = self.table.rules
        self.clocks = dict(clocks or {colour: Clock.full(control) for colour in self.rules.colours})
        self.wish: Wish | None = None
        self.version = self.epoch = 0
        # Whether nothing is heard any more of a game that is played elsewhere.
        self.is_lost = False
        self._agreed: set[int] = set()
        self._session = Session(self.rules.spec)
        self._session.adopt(self.table)
        self._transcripts: dict[int, Transcript] = {}
        # When the side that is asked began to think, on the clock that only goes on.
        self._since_s = time.monotonic()

    # -- who is who ----------------------------------------------------------------------------------------------------

    def colour_of(self, token: str) -> int | None:
        """The colour whose seat a token opens, or REFEREE."""
        key = digest(token)
        if self.referee and hmac.compare_digest(self.referee, key):
            return REFEREE
        found = [c for c, chair in self.chairs.items() if chair.key and hmac.compare_digest(chair.key, key)]
        return found[0] if found else None

    @property
    def people(self) -> list[int]:
        """The colours that people play."""
        return [colour for colour, chair in self.chairs.items() if chair.kind == PERSON]

    @property
    def is_over(self) -> bool:
        """Whether nothing can happen any more."""
        return not self.chairs or self.table.is_final

    @property
    def is_shown(self) -> bool:
        """Whether nothing is hidden from anybody."""
        return bool(self.rules.is_open) or self.is_over or self.is_counting

    def audience(self, colour: int | None) -> int:
        """As what somebody listens who sits at a colour, or at none."""
        return ALL if self.is_shown else WATCHING if colour is None else colour

    def _voices(self, colour: int) -> set[int]:
        """For whom the person speaks who acts for a colour."""
        return set(self.people) if self.referee else {colour}

    def asked(self) -> int | None:
        """Who is to act now; None while two may, or nobody."""
        return None if self.is_over or self.is_counting else self.table.asked()

    def seed(self, purpose: str) -> str:
        """A text that follows from the secret of this game, for a bot's random choices, and does not tell it."""
        assert self.record.secret is not None
        return hmac.digest(self.record.secret, purpose.encode(), "sha256").hex()

    # -- acting --------------------------------------------------------------------------------------------------------

    def act(self, colour: int, words_of: Mapping[str, Any]) -> None:
        """What the person at a colour does, by the key `do`; the referee does it for the side that is asked.

        Raises VariantsError, and then nothing has changed.
        """
        if colour == REFEREE:
            colour = self.asked() or self.rules.colours[0]
        actions = {
            "play": self._place,
            "pass": lambda colour, _: self.answer(colour, PASS),
            "swap": lambda colour, _: self.answer(colour, SWAP),
            "resign": lambda colour, _: self._leave(colour, RESIGN),
            "undo": lambda colour, _: self._ask(Wish(colour, "undo")),
            "dice": lambda colour, told: self._ask(Wish(colour, "dice", _dice(_word(told, "dice")))),
            "allow": lambda colour, _: self._allow(colour),
            "refuse": lambda colour, _: self._refuse(colour),
            "dead": self._mark_dead,
        }
        what = words_of.get("do")
        if not isinstance(what, str) or what not in actions:
            raise NotationError(f"do: expected one of {' '.join(actions)}")
        turn = words_of.get("turn")
        if turn is not None and turn != self.table.position.turn:
            raise PageRefused("page.moved_on")
        if self.is_over:
            raise self.rules.illegal("game over")
        if len(self.table.game.events) >= MOST_EVENTS and what != "resign":
            raise PageRefused("page.too_long")
        actions[what](colour, words_of)

    def _place(self, colour: int, words_of: Mapping[str, Any]) -> None:
        point = self._point(words_of)
        if not self.rules.is_open and self.table.view(colour).stones[point] == colour:
            # The seat knows that itself: no try is wasted on it.
            vertex, stone = self.rules.board.vertex(point), words.adjective(colour, self.rules.lang)
            raise self.rules.illegal("occupied", vertex=vertex, stone=stone)
        self.answer(colour, point)

    def _point(self, words_of: Mapping[str, Any]) -> int:
        word, board = _word(words_of, "at"), self.rules.board
        try:
            point: int = board.point(word)
        except NotationError:
            raise PageRefused("refusals.no_point", word=word, example=board.vertices[len(board) // 2]) from None
        return point

    def answer(self, colour: int, action: int) -> None:
        """The side that is asked acts."""
        if self.is_counting:
            if action != PASS:
                raise self.rules.illegal("game over")
            self._agree_to_count(colour)
            return
        asked = self.table.asked()
        if asked is None:
            raise self.rules.illegal("game over")
        if colour != asked:
            raise self.rules.illegal("not your turn", name=words.name(asked, self.rules.lang))
        self._tick()
        if self._is_out_of_time(colour):
            self._leave(colour, FLAG)
            return
        mark = self.table.mark()
        self.table.answer(colour, action)
        outcome = self.table.game.outcome
        is_counted = self.table.is_final and outcome is not None and outcome.how == "score"
        if is_counted and not self.rules.is_open and self._can_agree and self.people:
            # Both see the board before they say what is dead; the end is still open to that.
            self.table.go_back(mark)
            self.is_counting = True
        if self.asked() != colour:
            # What a move adds to the clock.
            self.clocks[colour] = self.clocks[colour].after(0)
        self._happened()

    @property
    def _can_agree(self) -> bool:
        return bool(self.rules.values.get("dead") == "agreed")

    def _agree_to_count(self, colour: int) -> None:
        self._agreed.update(self._voices(colour))
        # Bots count what stands.
        if self._agreed.issuperset(self.people):
            self.table.play(colour, SETTLE)
        self._happened()

    def _mark_dead(self, colour: int, words_of: Mapping[str, Any]) -> None:
        if not self._can_agree or not (self.is_counting or (self.rules.is_open and self.table.suspended)):
            raise PageRefused("refusals.dead_when")
        self.table.play(self.table.position.mover, pack(MARK_DEAD, self._point(words_of)))
        self._agreed.clear()
        self._happened()

    def forfeit(self, colour: int) -> None:
        """A bot that failed loses, unless the game is over anyway."""
        if not self.is_over:
            self._leave(colour, FORFEIT)

    def flag(self) -> bool:
        """End the game if the side that is asked has no time left; whether it has none."""
        colour = self.asked()
        if colour is None or not self._is_out_of_time(colour):
            return False
        self._leave(colour, FLAG)
        return True

    def _leave(self, colour: int, how: int) -> None:
        self._tick()
        self.table.play(colour, how)
        self.is_counting = False
        self._happened()

    def _happened(self) -> None:
        self.wish = None
        self.version += 1

    # -- asking the others ---------------------------------------------------------------------------------------------

    def _ask(self, wish: Wish) -> None:
        if self.is_counting or (wish.what == "undo" and not self._can_undo()):
            raise PageRefused("refusals.nothing_to_undo")
        if wish.what == "dice" and not hasattr(self.rules, "dice"):
            raise PageRefused("refusals.no_dice")
        self.wish = wish
        self.version += 1
        self._allow(wish.colour)

    def _can_undo(self) -> bool:
        """Whether there is something of a person's to take back, in a game where nobody learned anything by it."""
        events = self.table.game.events
        mine = (is_undoable(self.table.game, i) and events[i].actor in self.people for i in range(len(events)))
        return bool(self.rules.is_open) and any(mine)

    def _allow(self, colour: int) -> None:
        wish = self.wish
        if wish is None:
            raise PageRefused("page.no_wish")
        self.wish = replace(wish, agreed=wish.agreed | self._voices(colour))
        self.version += 1
        if not self.wish.agreed.issuperset(self.people):
            return
        self.wish = None
        self._tick()
        if wish.what == "dice":
            dice = read_dice(wish.dice)
            set_dice(self.table, dice.count, dice.sides)
        else:
            # A bot's moves go with the person's before them.
            while self.table.undo().actor not in self.people:
                pass
            self.epoch += 1
            self._transcripts.clear()

    def _refuse(self, colour: int) -> None:
        self.wish = None
        self.version += 1

    # -- clocks --------------------------------------------------------------------------------------------------------

    def left_s(self) -> float | None:
        """Seconds until the side that is asked has lost on time; None where no clock runs."""
        colour = self.asked()
        if colour is None or not self._runs():
            return None
        return self.clocks[colour].left_s - (time.monotonic() - self._since_s)

    def clock(self, colour: int) -> Clock:
        """What the side that is asked has left now."""
        clock = self.clocks[colour]
        return replace(clock, left_s=max(0.0, self.left_s() or 0.0)) if self._runs() else clock

    def _runs(self) -> bool:
        """The clocks run from the first move on."""
        return self.control.kind != "none" and self.table.position.turn > 1

    def _is_out_of_time(self, colour: int) -> bool:
        left_s = self.left_s()
        return left_s is not None and colour == self.asked() and left_s <= 0

    def _tick(self) -> None:
        """Take the time since the last look off the clock of the side that is asked."""
        left_s, colour = self.left_s(), self.asked()
        if left_s is not None and colour is not None:
            self.clocks[colour] = replace(self.clocks[colour], left_s=left_s)
        self._since_s = time.monotonic()

    # -- what is told --------------------------------------------------------------------------------------------------

    def transcript(self, audience: int) -> Transcript:
        """What an audience was told so far."""
        if audience not in self._transcripts:
            self._transcripts[audience] = Transcript(self.table, audience)
        return self._transcripts[audience]

    def seen_by(self, colour: int, count: int) -> View:
        """What a seat knew after so many pieces of news."""
        heard = self.table.game.heard(colour)
        has_seating = self.rules.told_at_start(self.table.game.positions[0], colour) is not None
        view: View = self.rules.view(heard[: count + has_seating], colour)
        return view

    def state(self, audience: int) -> Json:
        """How the game stands for an audience, and what only a host has to say of it."""
        transcript = self.transcript(audience)
        transcript.catch_up()
        asked = self.asked()
        told: Json = {
            **standing(self._session, transcript, audience),
            "turn": self.table.position.turn,
            "asked": None if asked is None else COLOUR_LETTERS[asked],
            "final": self.is_over,
            "counting": self.is_counting,
            "wish": self._told_wish(),
        }
        if self._can_agree and self.is_shown and self.table.game.outcome is not None:
            told["dead"] = self.rules.named(getattr(self.table.position, "dead", ()))
        if self.control.kind != "none":
            told["clocks"] = {COLOUR_LETTERS[c]: round(clock.left_s, 1) for c, clock in self.clocks.items()}
            if asked is not None:
                told["clocks"][COLOUR_LETTERS[asked]] = round(self.clock(asked).left_s, 1)
            told["running"] = self._runs()
        return told

    def _told_wish(self) -> Json | None:
        wish = self.wish
        if wish is None:
            return None
        return {
            "colour": COLOUR_LETTERS[wish.colour],
            "what": wish.what,
            "dice": wish.dice,
            "agreed": [COLOUR_LETTERS[colour] for colour in sorted(wish.agreed)],
        }

    def told(self, audience: int) -> Json:
        """The whole game for an audience: what it was told from the beginning."""
        state = self.state(audience)
        transcript = self.transcript(audience)
        told: Json = {"setup": transcript.setup, "news": list(transcript.items), "state": state}
        if audience == ALL and not self.rules.is_open:
            told["boards"] = boards(self.table)
            told["heard"] = {}
            for colour in self.rules.colours:
                seat = self.transcript(colour)
                seat.catch_up()
                told["heard"][COLOUR_LETTERS[colour]] = list(seat.items)
        return told

    def public_record(self) -> Record:
        """The game as anybody may have it. Raises PageRefused while something is hidden."""
        if not self.is_shown:
            raise PageRefused("page.hidden")
        record = replace(self.record, game=self.table.game, result=None)
        if not self.chairs:
            return self.record
        names = {colour: _name(chair, self.rules.lang) for colour, chair in self.chairs.items()}
        record = replace(record, players=names)
        if not hasattr(self.rules, "dice"):
            return replace(record, dice=None, commitment=None, secret=None)
        return record if self.is_over else replace(record, secret=None)

    # -- keeping -------------------------------------------------------------------------------------------------------

    def to_text(self) -> str:
        """The game as one line of JSON, the secret of its dice in it."""
        control = self.control
        fields = {
            "format": _FORMAT,
            "version": _VERSION,
            "chairs": {
                COLOUR_LETTERS[colour]: [chair.kind, chair.key, chair.bot, chair.level]
                for colour, chair in self.chairs.items()
            },
            "control": [control.kind, control.main_s, control.increment_s],
            "clocks": {COLOUR_LETTERS[colour]: clock.left_s for colour, clock in self.clocks.items()},
            "counting": self.is_counting,
            "referee": self.referee,
            "record": json.loads(to_json(replace(self.record, game=self.table.game, result=None))),
        }
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def from_text(name: str, text: str) -> Room:
    """The game of a line of JSON. Raises RecordError for what is none."""
    fields = json.loads(text)
    if fields.get("format") != _FORMAT or fields.get("version") != _VERSION:
        raise RecordError(f"{name}: not a game of this version")
    record = from_json(json.dumps(fields["record"], ensure_ascii=False))
    kind, main_s, increment_s = fields["control"]
    control = TimeControl(kind, main_s=main_s, increment_s=increment_s)
    colours = words.COLOUR_WORDS
    return Room(
        name,
        record,
        {colours[letter]: Chair(*chair) for letter, chair in fields["chairs"].items()},
        control,
        {colours[letter]: Clock(control, left_s) for letter, left_s in fields["clocks"].items()},
        fields["counting"],
        fields["referee"],
    )


def _word(words_of: Mapping[str, Any], key: str) -> str:
    word = words_of.get(key)
    if not isinstance(word, str) or len(word) > 20:
        raise NotationError(f"{key}: expected a word")
    return word


def _dice(word: str) -> str:
    try:
        return str(read_dice(word))
    except ValueError:
        raise PageRefused("refusals.bad_dice") from None


def _name(chair: Chair, lang: str) -> str:
    if chair.kind == PERSON:
        return _PERSON[lang]
    return chair.bot if chair.level is None else f"{chair.bot} ({chair.level})"


_PERSON = {"en": "a person", "fr": "une personne"}
