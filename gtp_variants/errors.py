"""Every exception this package raises on purpose. Imports nothing.

::

    VariantsError
     ├ NotationError(ValueError)     cannot be read
     │  └ SpecError                  a SPEC that names no game, key or value
     ├ IllegalMove(ValueError)       read, but forbidden; carries a reason and a sentence
     ├ GameOver                      asked of a game that has ended (or has nothing to take back)
     ├ RecordError                   a record that is damaged or contradicts itself
     ├ ConfigError                   a configuration file, every fault at once
     ├ EvaluatorError(ValueError)    what an evaluator of a search answered is no answer
     ├ CommandFailed                 a GTP command that is answered '?' with a fixed text
     └ PeerError                     the program at the other end of a pipe or socket
        ├ Refused                    it answered '?'
        ├ PeerGone                   it ended
        │  └ PeerKilled              and somebody else ended it
        ├ PeerSilent                 it did not answer before the deadline
        │  └ PeerLate                and that deadline was its clock
        ├ PeerGarbled                it answered something that is not GTP, or no answer to what was asked
        ├ PeerUnclean                it hung or crashed when it was told to quit
        ├ BotFailed                  a bot in a process of its own raised an error
        └ PeerUnfit                  it cannot play the game at hand

They are caught at borders only: a GTP handler, a referee, a worker, the command line.
"""

from collections.abc import Mapping, Sequence


class VariantsError(Exception):
    """Base of all exceptions of this package.

    >>> import gtp_variants as gv
    >>> try:
    ...     gv.parse("chess")
    ... except gv.VariantsError as error:
    ...     print(error)
    unknown game 'chess', known: go aleago phantom rosette alter-igo pentalath
    """


class NotationError(VariantsError, ValueError):
    """A text cannot be read: a vertex, a colour, a number, a board.

    >>> import gtp_variants as gv
    >>> try:
    ...     gv.parse("go:size=9").board.point("I5")
    ... except gv.NotationError as error:
    ...     print(error)
    invalid colour or vertex: I5 (there is no column I)
    """


class SpecError(NotationError):
    """A SPEC names a game, a key or a value that does not exist; the message lists what is known.

    `reason` says it in another language, if somebody translated it: `translations` by language.

    >>> import gtp_variants as gv
    >>> try:
    ...     gv.parse("go:sise=9")
    ... except gv.SpecError as error:
    ...     print(error)
    unknown key 'sise' for go, known: size komi repetition dead lang; did you mean size?
    """

    def __init__(self, message: str, translations: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.translations = dict(translations or {})

    def reason(self, lang: str) -> str:
        """Why, in a language: a clause; in English where nobody translated it."""
        return self.translations.get(lang, str(self))


class IllegalMove(VariantsError, ValueError):
    """A move that can be read but is forbidden.

    `reason` is one of the fixed words of `REASONS`; `sentence` says it to a person, or is empty.

    >>> import gtp_variants as gv
    >>> game = gv.random_game(gv.parse("go:size=5"), seed=1, plies=1)
    >>> try:
    ...     game.play(gv.WHITE, game.events[0].action)
    ... except gv.IllegalMove as error:
    ...     print(error.reason, "-", error.sentence)
    occupied - E1 holds a black stone
    """

    # In order: where several reasons apply to a move, the first is the one that is given.
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
    """Something was asked of a game that has ended, or that has nothing left to take back.

    >>> import gtp_variants as gv
    >>> try:
    ...     gv.Game(gv.parse("go:size=5")).undo()
    ... except gv.GameOver as error:
    ...     print(error)
    nothing has happened that could be undone
    """


class RecordError(VariantsError):
    """A record cannot be replayed; the message names the place and what is wrong there.

    >>> import gtp_variants as gv
    >>> try:
    ...     gv.Game.replay(gv.parse("go:size=5"), [gv.Event(gv.BLACK, 0), gv.Event(gv.WHITE, 0)])
    ... except gv.RecordError as error:
    ...     print(error)
    event 2: (occupied): A1 holds a black stone
    """


class ConfigError(VariantsError):
    """A configuration is wrong; `faults` lists every fault with its path, not only the first.

    >>> import gtp_variants as gv
    >>> try:
    ...     gv.match("go:size=5", ["greedy", "uniform"], pairs=0)
    ... except gv.ConfigError as error:
    ...     print(error.faults)
    ('pairs=0: expected 1 to 10000000',)
    """

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)

    def __reduce__(self) -> tuple[type, tuple[Sequence[str]]]:
        # Between processes it is made anew, of what it was made of.
        return type(self), (self.faults,)


class EvaluatorError(VariantsError, ValueError):
    """An evaluator answered what is no answer: the message names the array, the value and what was expected.

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
    """A GTP command cannot be carried out; the message is the whole answer after '?'."""


class PeerError(VariantsError):
    """A program at the other end of a pipe or socket did not do its part.

    `failure` is what a referee calls that: "crash", "killed", "hang", "time", "quit" or "protocol".

    >>> import gtp_variants as gv
    >>> from gtp_variants.errors import PeerGone
    >>> issubclass(PeerGone, gv.PeerError), PeerGone.failure
    (True, 'crash')
    """

    failure = "protocol"


class Refused(PeerError):
    """The peer answered '?'; `answer` is its text."""

    def __init__(self, command: str, answer: str) -> None:
        super().__init__(f"{command!r} was refused: {answer}")
        self.command = command
        self.answer = answer

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.command, self.answer)


class PeerGone(PeerError):
    """The peer ended, or closed its side."""

    failure = "crash"


class PeerKilled(PeerGone):
    """The peer was ended by SIGKILL, which it is sent from outside: by a person, or by a system short of memory."""

    failure = "killed"


class PeerUnclean(PeerError):
    """The peer hung or crashed when it was told to quit; nothing depends on it any more."""

    failure = "quit"


class PeerSilent(PeerError):
    """The peer did not answer before the deadline."""

    failure = "hang"


class PeerLate(PeerSilent):
    """The peer did not answer before its time was over."""

    failure = "time"


class PeerGarbled(PeerError):
    """The peer answered something that is not a GTP response, or not the answer to what it was asked."""


class BotFailed(PeerError):
    """A bot in a process of its own raised an error; the message is that error and where it was raised."""

    failure = "crash"


class PeerUnfit(PeerError):
    """The peer lacks what the game at hand needs; the message says what."""
