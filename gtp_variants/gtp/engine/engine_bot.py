"""The bot behind `genmove`: its name, parameters, random seed and clocks, and how the host interrupts it."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from gtp_variants.errors import GameOver
from gtp_variants.gtp.stderr_log import log
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.players.player import Player, Seat
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.result import OnProgress, SearchResult
    from gtp_variants.ai.mcts.settings import AvoidedMove


class BotKind(Protocol):
    """The kind of player that an engine creates for each seat."""

    def name(self, rules: Rules) -> str: ...
    def make(self, rules: Rules) -> Player: ...


class HostClocks(dict[int, Clock]):
    """The clock of each side, by colour, under the host's last time control.

    A remaining time from the host stays in force until the host sends a newer time or time control. Even
    `clear_board` does not reset it, as hosts clear the board and send the moves again. A clock that the host never set
    is full again in the next game, as many hosts send the time control only once for several games.
    """

    def __init__(self, colours: Iterable[int]) -> None:
        super().__init__()
        self.control = TimeControl()
        self._told: dict[int, Clock] = {}
        self.restart(colours)

    def set_control(self, control: TimeControl) -> None:
        """Start full clocks under a time control for this and later games."""
        self.control = control
        self._told.clear()
        self.restart(list(self))

    def tell(self, colour: int, left_s: float, count: int) -> None:
        """Set a side's clock to the seconds and the number of stones or periods that the host sent.

        A second or more above a period counts as main time, because some hosts send other time controls in Canadian
        terms.
        """
        count = count if left_s < self.control.period_s + 1 else 0
        self._told[colour] = self[colour] = Clock(self.control, left_s, count)

    def restart(self, colours: Iterable[int]) -> None:
        """Start a game. Each clock has the remaining time that the host sent, or else is full."""
        self.clear()
        for colour in colours:
            self[colour] = self._told.get(colour) or Clock.full(self.control)


class BotPlay(Protocol):
    """The game that the bot plays, either at our own table or in a seat that another program referees."""

    @property
    def players(self) -> Sequence[Player]: ...
    def forget_players(self) -> None: ...
    def generate(self, colour: int) -> int: ...


class BotSession(Protocol):
    """The part of an engine's session that its bot uses: the game, the clocks and the signals to stop."""

    rules: Rules
    seed: str | None
    clocks: HostClocks
    is_interrupted: Callable[[], bool]
    has_input_ended: Callable[[], bool]

    @property
    def play(self) -> BotPlay: ...


class NamedBot:
    """A bot of this package or a file, by name ("": each game's default), with `parameters` that people have added."""

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
            # Another game may have another bot, with other parameters, so skip parameters that this bot lacks.
            if key in known:
                set_parameter(bot, key, text)
        return bot


class EngineBot:
    """The bot that plays the games of a session.

    `found` is the result of its last search, or None without a search. `explanation` explains its last move.
    `on_progress` is called while the bot thinks, and stops it by returning False. `avoided` lists the moves that the
    host excludes; `may_resign` is False if the host excludes resignation. `cores` is the number of cores that the bot
    may use unless its own settings say otherwise.
    """

    def __init__(self, session: BotSession, kind: BotKind) -> None:
        self.kind = kind
        self.found: SearchResult | None = None
        self.explanation = ""
        self.on_progress: OnProgress | None = None
        self.avoided: Sequence[AvoidedMove] = ()
        self.may_resign = True
        self.cores = 1
        self._session = session
        self._random_seed: str | None = None
        # A player that was told not to resign for one move.
        self._hushed: Player | None = None
        # True during a search limited by playouts and not by time, which the end of the input does not stop.
        self._is_counted = False

    @property
    def name(self) -> str:
        """The bot's name in the current game."""
        return self.kind.name(self._session.rules)

    def introduce(self, lang: str = "") -> str:
        """Return a sentence with the bot's title and strength, by default in the language of the game."""
        from gtp_variants.players.levels import introduce

        rules = self._session.rules
        has_clock = self._session.clocks.control.kind != "none"
        return introduce(self._name_as_set, rules, lang or rules.lang, has_clock=has_clock)

    @property
    def title(self) -> str:
        """The bot's name in the form shown to people."""
        from gtp_variants.players.levels import title

        return title(self._name_as_set, self._session.rules.lang)

    @property
    def _name_as_set(self) -> str:
        """The bot's name together with the parameters that people have set."""
        from gtp_variants.players.bots import with_parameter

        name = self.name
        if isinstance(self.kind, NamedBot):
            for key, text in self.kind.parameters.items():
                name = with_parameter(name, key, text)
        return name

    def make_player(self) -> Player:
        """Return a new player of the bot's kind."""
        return self.kind.make(self._session.rules)

    @property
    def search_threads(self) -> int:
        """The number of threads that the next search would use, or 1 if the bot does not report it."""
        from gtp_variants.players.bots import lend_cores
        from gtp_variants.players.levelled_seat import LevelledSeat

        player = self.make_player()
        if not isinstance(player, LevelledSeat):
            return 1
        lend_cores(player, self.cores)
        player.rules = self._session.rules
        return player.search_threads

    def seed(self, colour: int) -> str:
        """Return the random seed for the player of a colour."""
        from hashlib import sha256
        from secrets import token_hex

        secret = self._session.seed
        if self._random_seed is None and secret is None:
            return token_hex(16)
        # Hashed, so that a bot cannot work out the secret of the dice from its own seed.
        return sha256(f"bot {colour} {self._random_seed} {secret}".encode()).hexdigest()

    def set_random_seed(self, seed: str) -> None:
        """Set the seed of the players' random numbers, and replace the players."""
        self._random_seed = seed
        self.forget()

    def forget(self) -> None:
        """Discard the players and their search results."""
        self._session.play.forget_players()

    def stop_pondering(self) -> None:
        """Stop pondering, that is thinking on the opponent's time, until the next move."""
        for player in self._session.play.players:
            if isinstance(player, Seat):
                player.stop_pondering()

    def set_parameter(self, key: str, text: str) -> None:
        """Set a named bot's parameter from now on. Raises NotationError or ConfigError, and then changes nothing."""
        from gtp_variants.players.bots import parameters, set_parameter

        set_parameter(self.make_player(), key, text)
        if isinstance(self.kind, NamedBot):
            # Moved to the end, because each parameter is checked against the parameters before it.
            self.kind.parameters.pop(key, None)
            self.kind.parameters[key] = text
        for player in self._session.play.players:
            # Check first, because a substitute bot may not have this parameter.
            if key in parameters(player):
                set_parameter(player, key, text)

    def generate(self, colour: int) -> int:
        """Think and play on the colour's clock. Return the action played, or in a seat the action tried."""
        began = time.monotonic()
        action = self._session.play.generate(colour)
        # Some hosts never send the remaining time, so it is counted here.
        clocks = self._session.clocks
        clocks[colour] = clocks[colour].after(time.monotonic() - began)
        return action

    def note(self, player: Player) -> None:
        """Store a player's search result and its explanation of the move."""
        self.found = getattr(player, "found", None)
        self.explanation = str(getattr(player, "explanation", ""))

    def substitute(self, error: GameOver) -> Player:
        """Log a warning, and return the game's default bot to replace a bot that cannot play the game."""
        from gtp_variants.players.bots import carry_over, load

        rules = self._session.rules
        name = rules.profile.default_bot
        substitute = load(name)
        left = carry_over(self.make_player(), substitute)
        without = f", without {', '.join(left)}" if left else ""
        log(f"warning: {self.name} cannot play {rules.title} ({error}); {name} plays{without}")
        return substitute

    def attend(self, player: Player) -> None:
        """Pass the host's requests, such as moves to avoid, to a player before it thinks, and lend it cores."""
        from gtp_variants.players.bots import lend_cores, parameters, set_parameter
        from gtp_variants.players.levelled_seat import LevelledSeat

        has_clock = self._session.clocks.control.kind != "none"
        self._is_counted = isinstance(player, LevelledSeat) and player.counts_playouts and not has_clock
        if hasattr(player, "on_progress"):
            player.on_progress = self._report
        if hasattr(player, "avoided"):
            player.avoided = self.avoided
        if self._hushed is not None:
            set_parameter(self._hushed, "resign", "true")
            self._hushed = None
        if not self.may_resign and parameters(player).get("resign"):
            set_parameter(player, "resign", "false")
            self._hushed = player
        lend_cores(player, self.cores)

    def _report(self, so_far: "Callable[[], SearchResult]") -> bool:
        """Report the result so far to the host. Return False if the search is to end."""
        session = self._session
        # Checked first, so that `on_progress` can see any line that ends the search.
        is_wanted = not session.is_interrupted() and (self._is_counted or not session.has_input_ended())
        return (self.on_progress is None or self.on_progress(so_far)) and is_wanted
