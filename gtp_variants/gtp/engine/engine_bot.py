"""The player behind `genmove`: seated at our own table, or in a seat that another program referees."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from gtp_variants.errors import GameOver, VariantsError
from gtp_variants.gtp.engine.clocks import HostClocks
from gtp_variants.gtp.stderr_log import log
from gtp_variants.players.player import Player, Seat
from gtp_variants.players.table import Table, check, legal_actions
from gtp_variants.rules import words
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.result import OnProgress, SearchResult
    from gtp_variants.ai.mcts.settings import AvoidedMove
    from gtp_variants.players.refereed_seat import RefereedSeat


class BotKind(Protocol):
    """What kind of players an engine has."""

    def name(self, rules: Rules) -> str:
        """What the bot of a game is called."""
        ...

    def make(self, rules: Rules) -> Player:
        """A new player of it."""
        ...


class BotSession(Protocol):
    """The part of an engine's session that its bot needs: the game, the clocks and the word to stop."""

    rules: Rules
    seed: str | None
    clocks: HostClocks
    refereed_seat: "RefereedSeat | None"
    is_interrupted: Callable[[], bool]
    has_input_ended: Callable[[], bool]

    @property
    def table(self) -> Table: ...


class NamedBot:
    """A bot of ours or of a file, by its name; without one the default bot of each game.

    `parameters` are what people set of it, beyond what its name says.
    """

    def __init__(self, bot: str) -> None:
        self._bot = bot
        self.parameters: dict[str, str] = {}

    def name(self, rules: Rules) -> str:
        return self._bot or rules.profile.default_bot

    def make(self, rules: Rules) -> Player:
        from gtp_variants.players.bots import load, parameters, set_parameter

        bot = load(self.name(rules))
        known = parameters(bot)
        for key, text in self.parameters.items():
            # Another game may have another bot.
            if key in known:
                set_parameter(bot, key, text)
        return bot


class EngineBot:
    """Plays the games of a session.

    `found` is what the last search found, if the bot searches; `explanation` what it says of its last move.
    `on_progress` looks on while it thinks, and may end that; `avoided` are moves that the host wants left out; `cores`
    is how many it may think with unless its settings say so.
    """

    def __init__(self, session: BotSession, kind: BotKind) -> None:
        self.kind = kind
        self.found: SearchResult | None = None
        self.explanation = ""
        self.on_progress: OnProgress | None = None
        self.avoided: Sequence[AvoidedMove] = ()
        self.cores = 1
        self._session = session
        self._random_seed: str | None = None
        # True while a search of a fixed number of playouts runs: the end of the input does not cut it short.
        self._is_counted = False

    @property
    def name(self) -> str:
        """What it is called in the game that is played."""
        return self.kind.name(self._session.rules)

    def introduce(self, lang: str = "") -> str:
        """What people are told of it: its title and how strong it plays, by default in the language of the game."""
        from gtp_variants.players.levels import introduce

        rules = self._session.rules
        has_clock = self._session.clocks.control.kind != "none"
        return introduce(self._name_as_set, rules, lang or rules.lang, has_clock=has_clock)

    @property
    def title(self) -> str:
        """What people are told that it is called."""
        from gtp_variants.players.levels import title

        return title(self._name_as_set, self._session.rules.lang)

    @property
    def _name_as_set(self) -> str:
        """Its name with what people set since."""
        from gtp_variants.players.bots import with_parameter

        name = self.name
        if isinstance(self.kind, NamedBot):
            for key, text in self.kind.parameters.items():
                name = with_parameter(name, key, text)
        return name

    def make_player(self) -> Player:
        """A new player of its kind."""
        return self.kind.make(self._session.rules)

    @property
    def search_threads(self) -> int:
        """With how many threads it would search now; 1 for a bot that does not say."""
        from gtp_variants.players.bots import lend_cores
        from gtp_variants.players.levelled_seat import LevelledSeat

        player = self.make_player()
        if not isinstance(player, LevelledSeat):
            return 1
        lend_cores(player, self.cores)
        player.rules = self._session.rules
        return player.search_threads

    def seed(self, colour: int) -> str:
        """The random numbers of a colour's player."""
        from hashlib import sha256
        from secrets import token_hex

        secret = self._session.seed
        if self._random_seed is None and secret is None:
            return token_hex(16)
        # A bot must not learn the secret of the dice from its own seed.
        return sha256(f"bot {colour} {self._random_seed} {secret}".encode()).hexdigest()

    def set_random_seed(self, seed: str) -> None:
        """Give the players other random numbers from now on."""
        self._random_seed = seed
        self.forget()

    def forget(self) -> None:
        """Play on with players who have found nothing yet."""
        if self._session.refereed_seat is not None:
            self.take_refereed_seat(self._session.refereed_seat)
        else:
            self._session.table.seats.clear()

    def stop_pondering(self) -> None:
        """Nobody thinks on until their next move."""
        seat = self._session.refereed_seat
        for player in [seat.player] if seat is not None else self._session.table.seats.values():
            if isinstance(player, Seat):
                player.stop_pondering()

    def set_parameter(self, key: str, text: str) -> None:
        """Set a parameter of a named bot, from its next move on and in games to come.

        Raises NotationError or ConfigError for what cannot be, and then nothing has changed.
        """
        from gtp_variants.players.bots import parameters, set_parameter

        set_parameter(self.make_player(), key, text)
        if isinstance(self.kind, NamedBot):
            # The last one set comes last, as each has to fit those before it.
            self.kind.parameters.pop(key, None)
            self.kind.parameters[key] = text
        seat = self._session.refereed_seat
        for player in [seat.player] if seat is not None else self._session.table.seats.values():
            # One that plays instead may not know it.
            if key in parameters(player):
                set_parameter(player, key, text)

    def take_refereed_seat(self, seat: "RefereedSeat") -> None:
        """Give the seat under a referee to a new player."""
        self._session.refereed_seat = seat.with_player(self.make_player(), self.seed(seat.colour), self._session.rules)

    # -- moves ---------------------------------------------------------------------------------------------------------

    def generate(self, colour: int) -> int:
        """Think, play, and, where a referee refuses tries, think again. The action played."""
        began = time.monotonic()
        seat, clocks = self._session.refereed_seat, self._session.clocks
        action = self._play_until_it_stands(colour) if seat is None else self._try_from_seat(seat, colour)
        # Some hosts never tell the time left.
        clocks[colour] = clocks[colour].after(time.monotonic() - began)
        return action

    def consider(self, colour: int) -> int:
        """What the bot would play, without playing it; always the same in the same position."""
        refereed_seat = self._session.refereed_seat
        if refereed_seat is not None:
            seat = refereed_seat.with_player(self.make_player(), "regression")
            return self._ask_seat(seat, colour, "regression")[1]
        table = self._session.table
        seats = dict(table.seats)
        table.seat(colour, self.make_player(), "regression")
        try:
            return self._think(colour)
        finally:
            table.seats = seats

    def _try_from_seat(self, seat: "RefereedSeat", colour: int) -> int:
        seat, action = self._ask_seat(seat, colour, self.seed(seat.colour))
        self._session.refereed_seat = seat
        self._note(seat.player)
        return action

    def _ask_seat(self, seat: "RefereedSeat", colour: int, seed: str) -> "tuple[RefereedSeat, int]":
        """What is tried from a seat, and the seat: its player may have to be another one."""
        clock = self._session.clocks[seat.colour]
        self._attend(seat.player)
        try:
            return seat, seat.choose(colour, clock)
        except GameOver as error:
            seat = seat.with_player(self._substitute(error), seed)
            self._attend(seat.player)
            return seat, seat.choose(colour, clock)

    def _play_until_it_stands(self, colour: int) -> int:
        table, began = self._session.table, time.monotonic()
        while True:
            # The tries of a turn share its time.
            action = self._think(colour, time.monotonic() - began)
            table.play(colour, action)
            if not table.game.is_refused(len(table.game.events) - 1):
                return action

    def _think(self, colour: int, spent_s: float = 0.0) -> int:
        """What the player of a colour would play now, so long after it was asked; always something the rules allow."""
        from gtp_variants.ai.mcts.settings import find_moves_to_avoid

        table, rules = self._session.table, self._session.rules
        allowed = legal_actions(table, colour)
        if not allowed:
            raise words.illegal("not your turn", rules.lang, name=words.name(table.position.mover, rules.lang))
        if colour not in table.seats:
            table.seat(colour, self.make_player(), self.seed(colour))
        table.clocks.update(self._session.clocks)
        table.clocks[colour] = table.clocks[colour].while_thinking(spent_s)
        self._attend(table.seats[colour])
        try:
            action = table.choose(colour)
        except GameOver as error:
            table.seat(colour, self._substitute(error), self.seed(colour))
            self._attend(table.seats[colour])
            action = table.choose(colour)
        player = table.seats[colour]
        self._note(player)
        unwanted = find_moves_to_avoid(self.avoided, colour)
        wanted = [option for option in allowed if option not in unwanted] or allowed
        if action in unwanted:
            # Few bots know how to leave out a pass, or everything but their own eyes.
            return wanted[-1]
        try:
            check(table, colour, action)
        except VariantsError as error:
            name = type(player).__name__
            log(f"warning: {name} chose {action}, which is not allowed {error}; another move is played")
            return wanted[-1]
        return action

    def _note(self, player: Player) -> None:
        self.found = getattr(player, "found", None)
        self.explanation = str(getattr(player, "explanation", ""))

    def _substitute(self, error: GameOver) -> Player:
        """A bot for a game that the one of this engine cannot play, as a search of hidden stones: a move is owed."""
        from gtp_variants.players.bots import carry_over, load

        rules = self._session.rules
        name = rules.profile.default_bot
        substitute = load(name)
        left = carry_over(self.make_player(), substitute)
        without = f", without {', '.join(left)}" if left else ""
        log(f"warning: {self.name} cannot play {rules.title} ({error}); {name} plays{without}")
        return substitute

    def _attend(self, player: Player) -> None:
        """Let the host of a bot that can be interrupted do so, look on, leave out moves, and lend it cores."""
        from gtp_variants.players.bots import lend_cores
        from gtp_variants.players.levelled_seat import LevelledSeat

        has_clock = self._session.clocks.control.kind != "none"
        self._is_counted = isinstance(player, LevelledSeat) and player.counts_playouts and not has_clock
        if hasattr(player, "on_progress"):
            player.on_progress = self._report
        if hasattr(player, "avoided"):
            player.avoided = self.avoided
        lend_cores(player, self.cores)

    def _report(self, so_far: "Callable[[], SearchResult]") -> bool:
        """Show the host what was found so far. Return False if the search is to end."""
        if self.on_progress is not None and not self.on_progress(so_far):
            return False
        session = self._session
        return not session.is_interrupted() and (self._is_counted or not session.has_input_ended())
