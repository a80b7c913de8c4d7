"""What a GTP engine remembers between two commands: the game, its table, its bot, its host."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gtp_variants.errors import CommandFailed, GameOver, IllegalMove, NotationError, RecordError, VariantsError
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.players.player import Player
from gtp_variants.players.table import Table, check, legal_actions, possible_tries
from gtp_variants.records.notation import read_move, write_move
from gtp_variants.rules import split_spec, words
from gtp_variants.rules.actions import BLACK, PASS, TURN, WHITE
from gtp_variants.rules.boards.handicap import free_points
from gtp_variants.rules.diced import DicedRules
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Dice, Rules
from gtp_variants.rules.views import View

if TYPE_CHECKING:
    from gtp_variants.gtp.engine.bot.remote_seat import Odds, RemoteSeat
    from gtp_variants.mcts.result import Ask, SearchResult
    from gtp_variants.mcts.settings import Avoided
    from gtp_variants.records.record import Record

_CACHED_POSITIONS = 16
# Bridges to servers where people play: kgsGtp asks for answers to their chat, gtp2ogs says lines of the log.
KGS, OGS = "kgs", "ogs"


@dataclass(frozen=True, slots=True)
class Manners:
    """How to treat a host that has no command for it.

    `takes_off_line`  a stone off the open line is taken, and the log says so, because the host shows it anyway
    `tells`           the log tells every draw and what the referee says
    `handicap`        stones with which each new game begins, where the game has such
    `veils`           moves that the viewer of the screen must not see go under wrong names, which only we can read
    `chat`            the bridge that carries our words to people, KGS or OGS; "" for none
    """

    takes_off_line: bool = False
    tells: bool = False
    handicap: int = 0
    veils: bool = False
    chat: str = ""


class Session:
    """The state of one engine process.

    `given` are the options that were set explicitly, by the SPEC or by commands. `seed` is the secret of the dice, or
    None for dice shared between the processes of one host. `seer` is the colour whose knowledge a ruler shows.
    `manners` are what a host needs that cannot ask for it.
    """

    def __init__(
        self,
        spec: str = "aleago",
        *,
        bot: str = "",
        seed: str | None = None,
        seer: int | None = None,
        defaults: Mapping[str, str] | None = None,
        manners: Manners | None = None,
    ) -> None:
        self.defaults = dict(defaults or {})
        self.bot = bot
        self.seed = seed
        self.seer = seer
        self.manners = manners or Manners()
        self.done = False
        # Whether the host has said more, and whether it wants an answer now; alone with it, one round of work is all.
        self.is_called: Callable[[], bool] = lambda: True
        self.is_interrupted: Callable[[], bool] = lambda: False
        # What the host turned out to be: one that asked for a game's id, one that asks for legal moves or boards.
        self.is_asked_id = False
        self.is_ruler = False
        self.is_revealed = False
        self.control = TimeControl()
        self.clocks: dict[int, Clock] = {}
        self.random_seed: str | None = None
        self.explanation = ""
        # What the bot's last search found, if it searches.
        self.found: SearchResult | None = None
        # Who looks on while the bot thinks and says whether it goes on, and the moves that the host wants left out.
        self.watch: Ask | None = None
        self.avoided: Avoided = ()
        # The last stone off the open line that was let stand: the position after it, and its vertex.
        self.off_line: tuple[Any, str] | None = None
        # What people set of the bot, beyond what its name says.
        self.bot_parameters: dict[str, str] = {}
        self._told: Any = None
        self._texts: dict[Any, dict[str, str]] = {}
        self._table: Table | None = None
        # The seat under somebody's referee; while there is one there is no table.
        self.seated: RemoteSeat | None = None
        self._odds: Odds | None = None
        self.game_class, self.given = split_spec(spec)
        self.rules = self.rules_of(self.game_class, self.given)

    # -- the game ------------------------------------------------------------------------------------------------------

    def rules_of(self, game_class: type[Rules], given: Mapping[str, str]) -> Rules:
        """The rules for options, and the defaults of this process for those that are not given."""
        known = {option.key for option in game_class.options}
        return game_class({**{key: value for key, value in self.defaults.items() if key in known}, **given})

    def set_game(self, spec: str) -> None:
        """A new game of what the SPEC says. Raises SpecError, and then nothing has changed."""
        game_class, given = split_spec(spec)
        rules = self.rules_of(game_class, given)
        self.game_class, self.given, self.rules = game_class, given, rules
        self.new_game()

    def with_options(self, **changed: str) -> Rules:
        """The rules with some options changed, the others as they were given."""
        return self.rules_of(self.game_class, {**self.given, **changed})

    def change(self, **changed: str) -> None:
        """Change options in the middle of a game. Raises CommandFailed if the game could not have been played so."""
        rules = self.with_options(**changed)
        if self.seated is not None:
            self.given.update(changed)
            self.rules = rules
            self._seat_anew(self.seated)
            return
        game = self.table.game
        try:
            moved = Game.replay(rules, game.events, game.setup, game.first)
        except RecordError as error:
            raise CommandFailed(f"this game could not have been played so: {error}") from None
        self.given.update(changed)
        self.rules = rules
        self._table = Table.of(moved, self.make_dice, self.table.draws.told)
        self._texts.clear()

    def resize(self, rules: Rules, **changed: str) -> None:
        """A new game on another board."""
        self.given.update(changed)
        self.rules = rules
        self.new_game()

    def new_game(self, setup: Mapping[int, int] | None = None, first: int | None = None) -> None:
        """An empty board, or one with a setup; the same dice."""
        if setup is None and self.manners.handicap and self.rules.handicap != "none":
            points = free_points(self.rules.board, self.manners.handicap) or ()
            setup, first = dict.fromkeys(points, BLACK), WHITE
        table = Table(self.rules, self.make_dice, setup, first)
        if self._table is None or self._table.rules != self.rules:
            self._texts.clear()
        self._table = table
        self._odds = self.seated = None
        self.is_revealed = False
        self.set_time(self.control)

    def set_time(self, control: TimeControl) -> None:
        """Full clocks under a time control; each new game begins with them, as hosts set the time only once."""
        self.control = control
        self.clocks = {colour: Clock.full(control) for colour in self.rules.colours}

    def adopt(self, table: Table) -> None:
        """Go on with a game that was loaded."""
        self._table = table
        self._odds = self.seated = None
        self._texts.clear()
        self.rules = table.rules
        self.is_revealed = False

    @property
    def table(self) -> Table:
        """The table; the first use lays it, so that a process that is only asked its name does no work.

        Raises CommandFailed while the engine is a seat: it has no table then.
        """
        if self.seated is not None:
            raise CommandFailed("under a referee")
        if self._table is None:
            self.new_game()
            assert self._table is not None
        return self._table

    def sit_down(self, colour: int) -> None:
        """A new game, in which the engine is the seat of one colour and hears only what a referee tells it."""
        from gtp_variants.gtp.engine.bot.remote_seat import RemoteSeat

        self.new_game()
        self.seated = RemoteSeat(self.rules, colour, self.make_player(), self._bot_seed(colour))

    def view(self, colour: int) -> "View":
        """What the player of a colour may know. Raises CommandFailed for another colour than that of the seat."""
        if self.seated is None:
            return self.table.view(colour)
        if colour != self.seated.colour:
            raise CommandFailed("under a referee")
        return self.seated.view

    def odds(self, colour: int) -> tuple[float, ...] | None:
        """The probability of an enemy stone on each point, as a player may know; None if none can be."""
        return self._imagining().of(self.rules, self.view(colour))

    def imagined(self, colour: int) -> list[Any]:
        """Positions with a colour to move that agree with all it may know. Raises GameOver if none was found."""
        worlds = self._imagining().worlds(self.rules, self.view(colour))
        return [self.rules.play(position, TURN, colour) for position in worlds.positions(self.is_called)]

    def _imagining(self) -> "Odds":
        from gtp_variants.gtp.engine.bot.remote_seat import Odds

        if self._odds is None:
            self._odds = Odds()
        return self._odds

    @property
    def mover(self) -> int:
        """Whose turn it is, as far as is known here."""
        return int(self.position.mover) if self.seated is None else self.seated.view.to_play

    @property
    def is_over(self) -> bool:
        """Whether the game is over for good."""
        return self.seated.is_over if self.seated is not None else self.table.is_final or self.is_revealed

    @property
    def is_bound(self) -> bool:
        """Whether a draw of dice says where the side to move may play."""
        return self.seated is None and bool(getattr(self.position, "draws", ()))

    def tries(self, colour: int) -> Sequence[int]:
        """What a colour might play or try if it were to move, as far as it may know itself."""
        if self.seated is not None:
            return self.view(colour).actions
        ask = legal_actions if self.rules.is_open else possible_tries
        return ask(self.table, colour)

    def _seat_anew(self, seated: "RemoteSeat") -> None:
        """Give the seat under a referee to a new bot."""
        self.seated = seated.with_player(self.make_player(), self._bot_seed(seated.colour), self.rules)

    def set_seed(self, seed: str) -> None:
        """Give the bots other random numbers from now on."""
        self.random_seed = seed
        if self.seated is not None:
            self._seat_anew(self.seated)
        else:
            self.table.seats.clear()

    @property
    def is_hosted(self) -> bool:
        """Whether a host like GoGui plays this game by `gogui-rules_*`; ordinary Go it plays by itself."""
        return self.is_asked_id and not self.rules.is_go

    @property
    def position(self) -> Any:
        """The position now."""
        return self.table.position

    def make_dice(self) -> Dice:
        """The dice of this process: from its secret, or shared with the host's other processes."""
        from gtp_variants.rules.dice.stream import DiceStream, SharedDice

        if self.seed is not None:
            return DiceStream(self.seed)
        from gtp_variants.gtp.engine.host_key import host_key

        return SharedDice(host_key())

    def cached(self, key: str, make: Callable[[], str]) -> str:
        """A text about the position, made only the first time it is asked for in one of the last positions.

        A host like GoGui replays the whole game for every move: the same position comes back as another object.
        """
        texts = self._texts.get(self.position)
        if texts is None:
            if len(self._texts) >= _CACHED_POSITIONS:
                del self._texts[next(iter(self._texts))]
            texts = self._texts[self.position] = {}
        if key not in texts:
            texts[key] = make()
        return texts[key]

    # -- words ---------------------------------------------------------------------------------------------------------

    def colour(self, word: str) -> int:
        """The colour of a word. Raises NotationError if no such colour plays this game."""
        colour = words.read_colour(word)
        if colour not in self.rules.colours:
            raise NotationError(f"invalid colour or vertex: {word} (nobody plays {words.name(colour)} in this game)")
        return colour

    def action(self, word: str) -> int:
        """The action of a vertex, `pass`, `swap` or `resign`; a point off the board is a number past its last."""
        return read_move(self.rules.board, word)

    def word(self, action: int) -> str:
        """The vertex of a point, or `pass`, `swap`, `resign`."""
        return write_move(self.rules.board, action)

    # -- moves ---------------------------------------------------------------------------------------------------------

    def play(self, colour: int, action: int) -> None:
        """A move the host reports. Raises IllegalMove, or CommandFailed for a try the referee refuses."""
        table = self.table
        if table.is_final and action == PASS:
            # Hosts that know only passes end every game with them.
            return
        if self.is_revealed:
            raise words.illegal("game over", self.rules.lang)
        meant = {shown: point for point, shown in self.veil(colour).items()}
        action = meant.get(action, action)
        if self.is_hosted:
            table.play_as_told(colour, action)
        elif self.manners.takes_off_line:
            self._play_whatever_the_line(colour, action)
        else:
            table.play(colour, action)
        if self.was_refused() and not self.is_ruler:
            raise CommandFailed(words.sentence("impossible", self.rules.lang))

    def _play_whatever_the_line(self, colour: int, action: int) -> None:
        try:
            self.table.play(colour, action)
        except IllegalMove as error:
            self.table.play_as_told(colour, action)
            self.off_line = self.position, self.word(action)
            self.log(f"warning: OFF THE LINE: {error.sentence}; the stone stays, as the program that sent it shows it")

    def veil(self, colour: int) -> dict[int, int]:
        """The points a colour may play on now, and how they are named to a host whose viewer must not know them."""
        seer = self.seer
        if not self.manners.veils or not self.is_hosted or self.rules.is_open or seer in (None, colour):
            return {}
        from gtp_variants.gtp.engine.decoys import veiled

        assert seer is not None
        stones = self.table.view(seer).stones
        points = [point for point, owner in enumerate(stones) if not owner]
        return veiled(self._key(), self.position.turn, points)

    def _key(self) -> bytes:
        """What all processes of one window know and nobody else."""
        if self.seed is not None:
            return self.seed.encode("utf-8", "surrogateescape")
        from gtp_variants.gtp.engine.host_key import host_key

        return host_key()

    def was_refused(self) -> bool:
        """Whether the last event is a try that the referee refused."""
        game = self.table.game
        return bool(game.events) and game.is_refused(len(game.events) - 1)

    def player(self, colour: int) -> Player:
        """The bot that plays a colour, seated and told what happened so far."""
        table = self.table
        if colour not in table.seats:
            table.seat(colour, self.make_player(), self._bot_seed(colour))
        table.clocks.update(self.clocks)
        return table.seats[colour]

    @property
    def bot_name(self) -> str:
        """The bot this engine plays with."""
        if self.bot:
            return self.bot
        from gtp_variants.players.bots import default

        return default(self.rules)

    def make_player(self) -> Player:
        """A new bot of the kind this engine was started with."""
        from gtp_variants.players.bots import load, parameters, set_parameter

        bot = load(self.bot_name)
        known = parameters(bot)
        for key, text in self.bot_parameters.items():
            # Another game may have another bot.
            if key in known:
                set_parameter(bot, key, text)
        return bot

    def set_bot_parameter(self, key: str, text: str) -> None:
        """Set a parameter of the bot, from its next move on and in games to come.

        Raises NotationError or ConfigError for what cannot be, and then nothing has changed.
        """
        from gtp_variants.players.bots import set_parameter

        set_parameter(self.make_player(), key, text)
        # The last one set comes last, as each has to fit those before it.
        self.bot_parameters.pop(key, None)
        self.bot_parameters[key] = text
        players = [self.seated.player] if self.seated is not None else self.table.seats.values()
        for player in players:
            set_parameter(player, key, text)

    def _bot_seed(self, colour: int) -> str:
        from hashlib import sha256
        from secrets import token_hex

        if self.random_seed is None and self.seed is None:
            return token_hex(16)
        # A bot must not learn the secret of the dice from its own seed.
        return sha256(f"bot {colour} {self.random_seed} {self.seed}".encode()).hexdigest()

    def generate(self, colour: int) -> int:
        """Let the bot move: think, play, and, where a referee refuses tries, think again. The action played."""
        begun = time.monotonic()
        if self.seated is not None:
            action = self._try_from_seat(self.seated, colour)
        else:
            action = self._play_until_accepted(colour)
        if colour in self.clocks:
            # A host that never tells the time left is kept to all the same.
            self.clocks[colour] = self.clocks[colour].after(time.monotonic() - begun)
        return action

    def _try_from_seat(self, seated: "RemoteSeat", colour: int) -> int:
        self.seated, action = self._ask_seat(seated, colour, self._bot_seed(seated.colour))
        player = self.seated.player
        self.found = getattr(player, "found", None)
        self.explanation = str(getattr(player, "explanation", ""))
        return action

    def _ask_seat(self, seat: "RemoteSeat", colour: int, seed: str) -> "tuple[RemoteSeat, int]":
        """What is tried from a seat, and the seat: its player may have to be another one."""
        clock = self.clocks[seat.colour]
        self._attend(seat.player)
        try:
            return seat, seat.choose(colour, clock)
        except GameOver as error:
            seat = seat.with_player(self._substitute(error), seed)
            self._attend(seat.player)
            return seat, seat.choose(colour, clock)

    def _play_until_accepted(self, colour: int) -> int:
        while True:
            action = self.think(colour)
            self.table.play(colour, action)
            if not self.was_refused():
                return action

    def think(self, colour: int) -> int:
        """What the bot of a colour would play now; always something the rules allow."""
        table = self.table
        allowed = legal_actions(table, colour)
        if not allowed:
            raise words.illegal("not your turn", self.rules.lang, name=words.name(self.position.mover, self.rules.lang))
        player = self.player(colour)
        self._attend(player)
        try:
            action = table.choose(colour)
        except GameOver as error:
            player = self._substitute(error)
            table.seat(colour, player, self._bot_seed(colour))
            self._attend(player)
            action = table.choose(colour)
        self.explanation = str(getattr(player, "explanation", ""))
        self.found = getattr(player, "found", None)
        unwanted = {move for side, move, _ in self.avoided if side == colour}
        wanted = [option for option in allowed if option not in unwanted] or allowed
        if action in unwanted:
            # Few bots know how to leave out a pass, or everything but their own eyes.
            return wanted[-1]
        try:
            check(table, colour, action)
        except VariantsError as error:
            name = type(player).__name__
            self.log(f"warning: {name} chose {action}, which is not allowed {error}; another move is played")
            return wanted[-1]
        return action

    def _substitute(self, error: GameOver) -> Player:
        """A bot for a game that the one of this engine cannot play, as a search of hidden stones: a move is owed."""
        from gtp_variants.players.bots import default, load

        name = default(self.rules)
        self.log(f"warning: {self.bot_name} cannot play {self.rules.title} ({error}); {name} plays")
        return load(name)

    def _attend(self, player: Player) -> None:
        """Let the host of a bot that can be interrupted do so, look on, and leave out moves."""
        if hasattr(player, "ask"):
            player.ask = self._goes_on
        if hasattr(player, "avoided"):
            player.avoided = self.avoided

    def _goes_on(self, so_far: "Callable[[], SearchResult]") -> bool:
        return (self.watch is None or self.watch(so_far)) and not self.is_interrupted()

    def consider(self, colour: int) -> int:
        """What the bot would play, without playing it; always the same in the same position."""
        if self.seated is not None:
            seat = self.seated.with_player(self.make_player(), "regression")
            return self._ask_seat(seat, colour, "regression")[1]
        seats = dict(self.table.seats)
        self.table.seat(colour, self.make_player(), "regression")
        try:
            return self.think(colour)
        finally:
            self.table.seats = seats

    # -- records -------------------------------------------------------------------------------------------------------

    def record(self) -> "Record":
        """The game so far as it would be written to a file; the secret only once it is revealed."""
        from gtp_variants.records.record import Record

        if not isinstance(self.rules, DicedRules):
            return Record(self.table.game)
        told = frozenset(turn for turn, _ in self.table.draws.told)
        if self.seed is None:
            return Record(self.table.game, dice="shared", told=told)
        from gtp_variants.rules.dice.stream import DiceStream

        dice = DiceStream(self.seed)
        secret = dice.secret if self.is_revealed else None
        return Record(self.table.game, dice="secret", commitment=dice.commitment, secret=secret, told=told)

    def tell(self) -> None:
        """Tell the log what has changed since it was told: what the referee said, the draw and what it opens."""
        from gtp_variants.lang import say
        from gtp_variants.records.sentences import announcements, draw_sentence

        rules, position = self.rules, self.position
        if position == self._told:
            return
        self._told = position
        for sentence in announcements(rules, position):
            self.log(sentence)
        if rules.suspended(position):
            self.log(say("game.suspended", rules.lang))
        draw = draw_sentence(rules, position)
        if draw is not None:
            opened: Any = rules
            points = " ".join(rules.board.vertices_of(opened.open_points(position)))
            self.log(f"{words.name(position.mover, rules.lang)}, {draw} {points}".rstrip())

    def log(self, text: str) -> None:
        """A line for the person who reads the engine's log."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
