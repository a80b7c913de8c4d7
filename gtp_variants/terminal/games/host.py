"""What playing and refereeing share: a game at a table that is kept after every event."""

import hmac
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from gtp_variants.errors import VariantsError
from gtp_variants.lang import as_sentence, say
from gtp_variants.records.diagram import legend
from gtp_variants.records.picture import picture
from gtp_variants.records.record import Record, Time
from gtp_variants.records.sentences import news_sentences
from gtp_variants.rules import words
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.dice.stream import DiceStream
from gtp_variants.rules.diced import faces_of
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View
from gtp_variants.terminal.display.blocks import Block, BoardBlock, DiceBlock, Text
from gtp_variants.terminal.games.save_file import Kept, Slot, load


def begun(rules: Rules, secret: str | None = None) -> Record:
    """A new game with dice of its own, from a secret or from fresh random bytes."""
    dice = DiceStream(secret)
    return Record(Game(rules), "secret", dice.commitment, dice.secret)


def resume_command(kind: str, path: Path) -> str:
    """The command that goes on with a kept game."""
    return f"gtp-variants {kind} --resume {path.stem}"


def has_dice(rules: Rules) -> bool:
    """Whether dice are thrown in a game."""
    return hasattr(rules, "dice")


class Hosted:
    """A game at a table, kept in a slot. `lang` is the language of the game."""

    def __init__(self, slot: Slot, kept: Kept) -> None:
        self.slot = slot
        self.is_left = False
        self.is_finished = False
        self._take(kept)

    def _take(self, kept: Kept) -> None:
        """Go on with a kept game."""
        self.base = kept
        self.table = kept.table()
        self.rules: Any = self.table.rules
        self.lang: str = self.rules.lang
        self.is_hidden = not self.table.rules.is_open
        self.is_kept = True
        self._times = dict(kept.record.times)
        self._timed, self._since_s = len(self.table.game.events), time.monotonic()

    def say(self, key: str, **parts: object) -> str:
        """A sentence in the language of the game."""
        return say(key, self.lang, **parts)

    def refuse(self, key: str, **parts: object) -> Text:
        """Why something cannot be done, from a key of a clause."""
        return Text(as_sentence(self.say(key, **parts)), "error")

    def name(self, colour: int) -> str:
        """The colour in words."""
        return words.name(colour, self.lang)

    def vertex(self, point: int) -> str:
        """The word of a point."""
        return str(self.rules.board.vertex(point))

    @property
    def can_agree(self) -> bool:
        """Whether both sides may agree on dead stones."""
        return bool(self.rules.values.get("dead") == "agreed")

    # -- keeping -------------------------------------------------------------------------------------------------------

    def kept(self) -> Kept:
        """The game as it is now."""
        return replace(self.base, record=self._record())

    def _record(self) -> Record:
        return replace(self.base.record, game=self.table.game, times=self._times, result=None)

    def keep(self) -> Iterator[Block]:
        """Write the game where it is kept; what goes wrong is said once, and the game goes on."""
        self._note_time()
        try:
            self.slot.keep(self.kept())
        except OSError as error:
            if self.is_kept:
                yield Text(self.say("terminal.not_kept", why=error.strerror or error), "error")
            self.is_kept = False

    def _note_time(self) -> None:
        """Note how long whoever acted took since something last happened; of what was taken back nothing stays."""
        events = self.table.game.events
        self._times = {number: took for number, took in self._times.items() if number < len(events)}
        acted = [number for number in range(self._timed, len(events)) if events[number].actor != CHANCE]
        if len(events) != self._timed:
            now_s = time.monotonic()
            self._times |= {number: Time(took_s=round(now_s - self._since_s, 1)) for number in acted[-1:]}
            self._timed, self._since_s = len(events), now_s

    def public(self, is_over: bool) -> Record:
        """The game as anybody may have it: the secret only when the game is over, and only where dice were thrown."""
        record = replace(self._record(), players=self._players())
        if not has_dice(self.rules):
            return replace(record, dice=None, commitment=None, secret=None)
        return record if is_over else replace(record, secret=None)

    def _players(self) -> dict[int, str]:
        return {}

    def seed(self, purpose: str) -> str:
        """A text that follows from the secret of this game, for the random choices of a bot, and does not tell it."""
        secret = self.base.record.secret
        assert secret is not None
        return hmac.digest(secret, purpose.encode(), "sha256").hex()

    def last_kept(self) -> Kept:
        """The game as it was written last; as it is now where it cannot be kept."""
        return load(self.slot.path) if self.is_kept else self.kept()

    def farewell(self) -> Iterator[Block]:
        """Where the game is kept and how to go on with it."""
        self.slot.release()
        if self.is_kept:
            yield Text(self.say("terminal.go_on", command=resume_command(self.base.kind, self.slot.path)))

    # -- showing -------------------------------------------------------------------------------------------------------

    def shown(self, view: View, title: str = "", *more: str) -> BoardBlock:
        """The board as a seat knows it, and nothing but that."""
        seen = picture(self.rules, None, view)
        return BoardBlock(self.rules.board, seen, (*seen.lines, *more), tuple(legend(seen, self.lang)), title)

    def referee_board(self, title: str = "") -> BoardBlock:
        """The board as it is: only for when nothing is hidden."""
        seen = picture(self.rules, self.table.position)
        return BoardBlock(self.rules.board, seen, (), tuple(legend(seen, self.lang)), title)

    def happened(self, start: int, colour: int) -> Iterator[Block]:
        """What the seat of a colour is told of the events from number `start` on."""
        game = self.table.game
        for index in range(start, len(game.events)):
            before, event, after = game.positions[index], game.events[index], game.positions[index + 1]
            if event.actor == CHANCE and event.action >= 0:
                yield from self._fallen(before, event.action)
                continue
            news = self.rules.hears(before, event, after, colour)
            if news is not None:
                yield from (Text(sentence, "said") for sentence in news_sentences(self.rules, news, colour))

    def _fallen(self, before: Any, action: int) -> Iterator[Block]:
        """A throw of the dice, nothing for the player who has none."""
        faces = faces_of(self.rules, before, action)
        if faces:
            name = self.name(self.rules.owner(before, len(before.draws)))
            text = self.say("dice.throws", name=name, faces=" + ".join(map(str, faces)))
            yield DiceBlock(faces, before.dice.sides, text)

    def explain(self, error: VariantsError) -> str:
        """Why something cannot be done, for a person."""
        return as_sentence(getattr(error, "sentence", "") or self.say("refusals.not_now"))
