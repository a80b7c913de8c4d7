"""The command `gtp-variants dice`, which throws dice for two people at a real board, with a log anybody can check."""

import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from gtp_variants.cli.parser import CommandParser, language_of
from gtp_variants.lang import say
from gtp_variants.records.dice_log import Thrower
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.dice import read_dice


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status. Raises OSError and RecordError for an unusable log."""
    options = parser().parse_args(arguments)
    path = Path(options.log or f"dice-{datetime.now():%Y%m%d-%H%M%S}.jsonl")
    thrower = Thrower(path, options.dice, None if options.seed is None else options.seed.encode())
    _Session(thrower, language_of(options), options.seed is not None).run()
    return 0


def parser() -> CommandParser:
    made = CommandParser("dice")
    made.add_argument("dice", type=read_dice, metavar="DICE")
    made.add_argument("--log", metavar="FILE")
    made.add_argument("--seed", metavar="TEXT")
    return made


class _Session:
    """One session at a real board, with the throws for one log."""

    def __init__(self, thrower: Thrower, lang: str, has_seed: bool) -> None:
        self.thrower, self.lang, self.has_seed = thrower, lang, has_seed
        self.is_terminal = sys.stdin.isatty()

    def say(self, key: str, **parts: object) -> None:
        sys.stdout.write(say(key, self.lang, **parts) + "\n")

    def run(self) -> None:
        log = self.thrower.log
        if log.throws:
            self.say("dice.log_resumes", dice=log.dice, count=len(log.throws), commitment=log.commitment)
        else:
            self.say("dice.log_begins", dice=log.dice, commitment=log.commitment)
        if self.has_seed:
            self.say("dice.short_seed")
        self.say("dice.log", log=self.thrower.path)
        if self.is_terminal:
            self.say("dice.keys")
        # Ctrl-C reveals the secret, as q does. Closing the window does not reveal it, so the log can be continued.
        try:
            while self._wants_throw():
                self._throw()
        except KeyboardInterrupt:
            sys.stdout.write("\n")
        secret = self.thrower.reveal()
        self.say("dice.log_ends", secret=secret.hex(), count=len(self.thrower.log.throws), log=self.thrower.path)

    @property
    def turn(self) -> str:
        """The turn to which the next throw belongs, such as `Turn 3, Black`."""
        number = len(self.thrower.log.throws) + 1
        name = colour_name(BLACK if number % 2 else WHITE, self.lang)
        return say("dice.turn", self.lang, turn=number, name=name)

    def _wants_throw(self) -> bool:
        while True:
            if self.is_terminal:
                sys.stdout.write(f"\n{self.turn} > ")
            sys.stdout.flush()
            line = sys.stdin.buffer.readline().decode(errors="replace")
            word = line.strip().lower()
            if not line or word in ("q", "quit"):
                if self.is_terminal and not line:
                    sys.stdout.write("\n")
                return False
            if not word or not self.is_terminal:
                return True
            self.say("dice.unknown_key", word=word[:20])

    def _throw(self) -> None:
        turn = self.turn
        faces = self.thrower.throw()
        if not self.is_terminal:
            self.say("game.label", name=turn, value=" ".join(map(str, faces)))
            return
        sys.stdout.write("\n" + draw_dice(faces, _full_block()) + "\n")
        if len(faces) > 1:
            self.say("dice.total", total=sum(faces))


def draw_dice(faces: Sequence[int], block: str = "█") -> str:
    """Draw dice with large digits, six to a row. If `block` is another character, the edges are ASCII."""
    rows = []
    for start in range(0, len(faces), 6):
        dice = map(_die, faces[start : start + 6])
        rows += ["   " + "  ".join(row) for row in zip(*dice, strict=True)]
    text = "\n".join(rows)
    return text if block == "█" else text.translate(str.maketrans("█┌┐└┘─│", f"{block}++++-|"))


def _die(face: int) -> list[str]:
    """Return the drawing of one die, row by row."""
    # Digits from 0 to 9 that can be read across a table, each three columns wide and followed by two blank columns.
    drawn = Path(__file__).with_name("digits.txt").read_text(encoding="utf-8").splitlines()
    digits = [int(digit) for digit in str(face)]
    edge = "─" * (4 * len(digits) + 3)
    inside = [" ".join(f"{row[5 * digit : 5 * digit + 3]:<3}" for digit in digits) for row in drawn]
    return [f"┌{edge}┐", *(f"│  {row}  │" for row in inside), f"└{edge}┘"]


def _full_block() -> str:
    """Return the character that fills digits: a block, or `#` if the terminal cannot show blocks."""
    try:
        "█┌".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return "#"
    return "█"
