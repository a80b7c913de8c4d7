"""The command `gtp-variants dice`: dice for two people at a real board, with a log that anybody can check."""

import argparse
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from gtp_variants.errors import RecordError
from gtp_variants.records.dice_log import Thrower
from gtp_variants.records.files import complain
from gtp_variants.rules import words
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.diced import read_dice

_TEXTS = {
    "en": {
        "begin": "Dice {dice}. Commitment: {commitment}\n"
        "Each player notes it down now: nobody can change the dice after.",
        "resume": "The game goes on with the same dice {dice} after {count} throws. Commitment: {commitment}",
        "log": "Every throw is kept in {log}",
        "keys": "Enter throws, q ends and reveals the secret.",
        "seed": "A short seed can be guessed; for a serious game leave --seed away.",
        "turn": "Turn {turn}, {name}",
        "total": "   total {total}",
        "end": "Secret: {secret}\nThe throws ({count}) can be checked by anybody now: gtp-variants verify {log}",
        "what": "Enter throws, q ends; not {word!r}",
    },
    "fr": {
        "begin": "Dés {dice}. Engagement : {commitment}\n"
        "Que chacun le note maintenant : nul ne pourra plus changer les dés.",
        "resume": "La partie continue avec les mêmes dés {dice} après {count} lancers. Engagement : {commitment}",
        "log": "Chaque lancer est conservé dans {log}",
        "keys": "Entrée pour lancer, q pour finir et révéler le secret.",
        "seed": "Une graine courte se devine ; pour une partie sérieuse, n'employez pas --seed.",
        "turn": "Tour {turn}, {name}",
        "total": "   total {total}",
        "end": "Secret : {secret}\nLancers que chacun peut maintenant vérifier ({count}) : gtp-variants verify {log}",
        "what": "Entrée pour lancer, q pour finir ; pas {word!r}",
    },
}

# Digits that can be read across a table.
_DIGITS = {
    "0": ("███", "█ █", "█ █", "█ █", "███"),
    "1": (" █ ", "██ ", " █ ", " █ ", "███"),
    "2": ("███", "  █", "███", "█  ", "███"),
    "3": ("███", "  █", " ██", "  █", "███"),
    "4": ("█ █", "█ █", "███", "  █", "  █"),
    "5": ("███", "█  ", "███", "  █", "███"),
    "6": ("███", "█  ", "███", "█ █", "███"),
    "7": ("███", "  █", "  █", "  █", "  █"),
    "8": ("███", "█ █", "███", "█ █", "███"),
    "9": ("███", "█ █", "███", "  █", "███"),
}


def main(arguments: Sequence[str]) -> int:
    """Run the command; the exit status: 0, or 2 for what cannot be read or written."""
    parser = argparse.ArgumentParser(
        prog="gtp-variants dice",
        description="Throw dice for a game at a real board: the commitment comes first, Enter throws, q ends.",
    )
    parser.add_argument("dice", metavar="DICE", help="such as 1d6 or 2d4")
    parser.add_argument("--log", metavar="FILE", help="where the throws are kept; an interrupted log is gone on with")
    parser.add_argument("--seed", metavar="TEXT", help="a secret of your own instead of 32 random bytes")
    parser.add_argument("--lang", choices=words.LANGUAGES, default="en")
    options = parser.parse_args(arguments)
    try:
        dice = read_dice(options.dice)
    except ValueError as error:
        sys.stderr.write(f"gtp-variants dice: {options.dice[:40]!r}: expected {error}\n")
        return 2
    path = Path(options.log or f"dice-{datetime.now():%Y%m%d-%H%M%S}.jsonl")
    try:
        thrower = Thrower(path, dice, None if options.seed is None else options.seed.encode())
        _Session(thrower, options.lang, options.seed is not None).run()
    except (OSError, RecordError) as error:
        return complain("dice", error)
    return 0


class _Session:
    """One evening with a pair of dice."""

    def __init__(self, thrower: Thrower, lang: str, has_seed: bool) -> None:
        self.thrower = thrower
        self.lang = lang
        self.has_seed = has_seed
        self.is_terminal = sys.stdin.isatty()

    def say(self, key: str, **parts: object) -> None:
        sys.stdout.write(_TEXTS[self.lang][key].format(**parts) + "\n")

    def run(self) -> None:
        log = self.thrower.log
        if log.throws:
            self.say("resume", dice=log.dice, count=len(log.throws), commitment=log.commitment)
        else:
            self.say("begin", dice=log.dice, commitment=log.commitment)
        if self.has_seed:
            self.say("seed")
        self.say("log", log=self.thrower.path)
        if self.is_terminal:
            self.say("keys")
        # Ctrl-C ends it like q: who only wants a pause closes the window.
        try:
            while self._wants_throw():
                self._throw()
        except KeyboardInterrupt:
            sys.stdout.write("\n")
        secret = self.thrower.reveal()
        self.say("end", secret=secret.hex(), count=len(self.thrower.log.throws), log=self.thrower.path)

    @property
    def turn(self) -> str:
        """Such as `Turn 3, Black`: of the throw that comes next."""
        number = len(self.thrower.log.throws) + 1
        name = words.name(BLACK if number % 2 else WHITE, self.lang)
        return _TEXTS[self.lang]["turn"].format(turn=number, name=name)

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
            self.say("what", word=word[:20])

    def _throw(self) -> None:
        turn = self.turn
        faces = self.thrower.throw()
        if not self.is_terminal:
            sys.stdout.write(f"{turn}: {' '.join(map(str, faces))}\n")
            return
        sys.stdout.write("\n" + drawn(faces, _full_block()) + "\n")
        if len(faces) > 1:
            self.say("total", total=sum(faces))


def drawn(faces: Sequence[int], block: str = "█") -> str:
    """Dice with large digits, side by side, six to a row."""
    return "\n".join(_row_of_dice(faces[start : start + 6], block) for start in range(0, len(faces), 6))


def _row_of_dice(faces: Sequence[int], block: str) -> str:
    dice = [_die(face) for face in faces]
    text = "\n".join("   " + "  ".join(row) for row in zip(*dice, strict=True))
    return text if block == "█" else text.translate(str.maketrans("█┌┐└┘─│", f"{block}++++-|"))


def _die(face: int) -> list[str]:
    """One die, row by row."""
    digits = [_DIGITS[digit] for digit in str(face)]
    edge = "─" * (4 * len(digits) + 3)
    inside = [" ".join(digit[row] for digit in digits) for row in range(5)]
    return [f"┌{edge}┐", *(f"│  {row}  │" for row in inside), f"└{edge}┘"]


def _full_block() -> str:
    """A block, where the terminal can show one."""
    try:
        "█┌".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return "#"
    return "█"
