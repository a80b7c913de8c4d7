"""The exceptions that users of this package may catch. This module imports nothing of the package.

Programs report them at their edges: in GTP handlers, referees, workers and the command line.
"""

from collections.abc import Mapping, Sequence


class VariantsError(Exception):
    """Base of all exceptions of this package.

    >>> import gtp_variants as gv
    >>> gv.parse("chess")
    Traceback (most recent call last):
    gtp_variants.errors.SpecError: unknown game 'chess', known: go aleago phantom rosette alter-igo pentalath
    """


class NotationError(VariantsError, ValueError):
    """A text, such as a vertex, a colour, a number or a board, cannot be read.

    >>> import gtp_variants as gv
    >>> gv.parse("go:size=9").board.point("I5")
    Traceback (most recent call last):
    gtp_variants.errors.NotationError: invalid colour or vertex: I5 (there is no column I)
    """


class SpecError(NotationError):
    """A SPEC is malformed, or names an unknown game, key or value. The message says what was expected.

    `translations` holds the message by language.

    >>> import gtp_variants as gv
    >>> gv.parse("go:dead=perhaps")
    Traceback (most recent call last):
    gtp_variants.errors.SpecError: dead=perhaps: expected agreed, judged or none
    """

    def __init__(self, message: str, translations: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.translations = dict(translations or {})

    def reason(self, lang: str) -> str:
        """Return the message as a clause in a language, or in English if it has not been translated."""
        return self.translations.get(lang, str(self))


class IllegalMove(VariantsError, ValueError):
    """A move can be read but is forbidden.

    `reason` is one of `REASONS`; `sentence` explains the reason to a person, or is empty.

    >>> import gtp_variants as gv
    >>> game = gv.random_game(gv.parse("go:size=5"), seed=1, plies=1)
    >>> try:
    ...     game.play(gv.WHITE, game.events[0].action)
    ... except gv.IllegalMove as error:
    ...     print(error.reason, "-", error.sentence)
    occupied - E1 holds a black stone
    """

    # If several reasons apply to a move, the first in this order is given.
    REASONS = (
        "game over",
        "not your turn",
        "no pass",
        "no swap",
        "off board",
        "occupied",
        "supply",
        "suicide",
        "repetition",
        "line",
    )

    def __init__(self, reason: str, sentence: str = "") -> None:
        super().__init__(reason, sentence)
        self.reason = reason
        self.sentence = sentence

    def __str__(self) -> str:
        return f"({self.reason}): {self.sentence}" if self.sentence else f"({self.reason})"


class GameOver(VariantsError):
    """The game has ended, no throw of the dice is due, or there is nothing to take back.

    >>> import gtp_variants as gv
    >>> gv.Game(gv.parse("go:size=5")).undo()
    Traceback (most recent call last):
    gtp_variants.errors.GameOver: nothing has happened that could be undone
    """


class RecordError(VariantsError):
    """A record, or another file that this package reads, cannot be used. The message names the place and the fault.

    >>> import gtp_variants as gv
    >>> gv.Game.replay(gv.parse("go:size=5"), [gv.Event(gv.BLACK, 0), gv.Event(gv.WHITE, 0)])
    Traceback (most recent call last):
    gtp_variants.errors.RecordError: event 2: (occupied): A1 holds a black stone
    """


class RecordWarning(UserWarning):
    """Warns that part of a file was guessed, mended or left out, or that a move in it is illegal."""


class ConfigError(VariantsError):
    """A configuration is wrong. `faults` lists every fault with its path, not only the first.

    >>> import gtp_variants as gv
    >>> gv.match("go:size=5", ["greedy", "uniform"], pairs=0)
    Traceback (most recent call last):
    gtp_variants.errors.ConfigError: pairs=0: expected 1 to 10000000
    """

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)

    def __reduce__(self) -> tuple[type, tuple[Sequence[str]]]:
        # Pickle the faults, because `args` holds the message.
        return type(self), (self.faults,)


class EvaluatorError(VariantsError, ValueError):
    """An evaluator returned an invalid result. The message names the array, the value and what was expected.

    >>> import gtp_variants as gv
    >>> class Silent:
    ...     batch = 1
    ...     def evaluate(self, planes, globals, mask, to_play):
    ...         return None
    >>> rules = gv.parse("go:size=5")
    >>> try:
    ...     gv.search(rules, rules.start(), playouts=10, evaluator=Silent())
    ... except gv.EvaluatorError as error:
    ...     print(error)
    evaluate: NoneType 'None': expected (priors, values) or (priors, values, mapping)
    """


class CommandFailed(VariantsError):
    """A GTP command failed. The message is the whole answer after '?'."""


class PeerError(VariantsError):
    """A program at the other end of a pipe or socket failed.

    `failure` is the referee's word for the failure: "crash", "killed", "hang", "time", "quit" or "protocol".

    >>> import gtp_variants as gv
    >>> from gtp_variants.errors import PeerGone
    >>> issubclass(PeerGone, gv.PeerError), PeerGone.failure
    (True, 'crash')
    """

    failure = "protocol"


class Refused(PeerError):
    """The peer answered a command with '?'. `answer` is the text after the '?'."""

    def __init__(self, command: str, answer: str) -> None:
        super().__init__(f"{command!r} was refused: {answer}")
        self.command = command
        self.answer = answer

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.command, self.answer)


class PeerGone(PeerError):
    """The peer ended or could not be started, or closed its side of the connection."""

    failure = "crash"


class PeerKilled(PeerGone):
    """The peer was ended or stopped from outside: by another program, a person or a system short of memory."""

    failure = "killed"


class PeerUnclean(PeerError):
    """The peer hung or crashed after it was told to quit, when its answers no longer mattered."""

    failure = "quit"


class PeerSilent(PeerError):
    """The peer did not answer before a deadline."""

    failure = "hang"


class PeerLate(PeerSilent):
    """The peer did not answer before its clock ran out."""

    failure = "time"


class PeerGarbled(PeerError):
    """The peer's answer is not a GTP response, or does not belong to the command."""


class BotFailed(PeerError):
    """A bot in a process of its own raised an error. The message names the error and where it was raised."""

    failure = "crash"


class PeerUnfit(PeerError):
    """The peer lacks something that the game needs. The message says what."""
