"""The state of a GTP engine between two commands: its options, clocks, bot and game, and its host's needs.

The game is a TablePlay at our own table, or a SeatPlay in a seat that another program referees.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from gtp_variants.errors import CommandFailed, GameOver, IllegalMove, NotationError, VariantsError
from gtp_variants.gtp.engine.engine_bot import BotKind, EngineBot, HostClocks, NamedBot
from gtp_variants.gtp.engine.engine_host import HostQuirks, shared_key, shuffle
from gtp_variants.gtp.stderr_log import log
from gtp_variants.players.dice_draws import ToldDraws
from gtp_variants.players.player import Player
from gtp_variants.players.refereed_seat import RefereedSeat
from gtp_variants.players.table import Table, check, judge_dead, legal_actions, possible_tries
from gtp_variants.records.notation import read_move, write_move
from gtp_variants.rules import split_spec
from gtp_variants.rules.actions import BLACK, CHANCE, PASS, RESIGN, TOLERATE, WHITE, Event
from gtp_variants.rules.boards.handicap import free_points
from gtp_variants.rules.colour_names import colour_name, read_colour
from gtp_variants.rules.game import Dice, Game
from gtp_variants.rules.illegal_moves import explain, illegal
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

if TYPE_CHECKING:
    from gtp_variants.ai.belief.stone_odds import StoneOdds

# Number of positions whose texts are cached.
_POSITIONS = 16


class TablePlay:
    """The game at our own table: the host reports moves, the bot makes moves, and the whole position is known.

    `is_revealed` is True once the secret of the dice has been revealed, which ends the game. `tried_moves` lists the
    moves made by `trymove`, including moves taken back. `off_line` is the position after the last stone that was
    accepted off the open line, and that stone's vertex.
    """

    def __init__(self, session: "Session", table: Table) -> None:
        self.table = table
        self.is_revealed = False
        self.tried_moves: list[Event] = []
        self.off_line: tuple[Position, str] | None = None
        self._explained: tuple[Event, str] | None = None
        self._session = session

    @property
    def mover(self) -> int:
        """The colour to move."""
        return self.table.position.mover

    @property
    def is_over(self) -> bool:
        """True if the game has ended and cannot be resumed."""
        return self.table.is_final or self.is_revealed

    def change_rules(self, rules: Rules) -> "TablePlay":
        """Return this game under other rules. Raises CommandFailed if the new rules forbid a past move."""
        game = self.table.game
        replayed = Game(rules, game.setup, game.first)
        replayed.source = game.source
        events = _without_tolerance(game.events)
        for number, event in enumerate(events, 1):
            try:
                replayed.take_in(event.actor, event.action)
            except VariantsError as error:
                raise CommandFailed(f"cannot change rules: event {number}: {error}") from None
        changed = TablePlay(self._session, Table.of(replayed, self._session.make_dice, self.table.draws.told))
        changed.is_revealed = self.is_revealed
        # Compared by identity, because a move may be tried and taken back, and an equal move then played.
        pairs = zip(events, _without_tolerance(replayed.events), strict=True)
        changed.tried_moves = [now for event, now in pairs if any(event is each for each in self.tried_moves)]
        return changed

    def view(self, colour: int) -> View:
        """Return the view of a colour's player."""
        return self.table.view(colour)

    @property
    def viewer(self) -> int | None:
        """The colour whose knowledge alone may be shown, or None if everything may be shown."""
        return None if self.table.rules.is_open else self._session.viewer

    @property
    def shown_view(self) -> View | None:
        """The view that may be shown, or None if everything may be shown."""
        return None if self.viewer is None or self.table.is_final else self.view(self.viewer)

    def actions(self, colour: int) -> Sequence[int]:
        """Return the moves that a colour could try if it were to move."""
        ask = legal_actions if self.table.rules.is_open else possible_tries
        return ask(self.table, colour)

    def find_decoys(self, colour: int) -> dict[int, int]:
        """Return a decoy for each point that a colour may play on, or {} if the host may see the real points."""
        session, viewer = self._session, self.viewer
        if not session.quirks.uses_decoys or not session.is_hosted or viewer in (None, colour):
            return {}
        assert viewer is not None
        empty = [point for point, owner in enumerate(self.view(viewer).stones) if not owner]
        return shuffle(shared_key(session.seed), self.table.position.turn, empty)

    # -- moves ---------------------------------------------------------------------------------------------------------

    def take_move(self, colour: int, action: int) -> None:
        """Play a move that the host reports. Raises IllegalMove if illegal, CommandFailed if the referee refuses it."""
        table, session = self.table, self._session
        if table.is_final and action == PASS:
            # Ignored: hosts end every game with passes, because they know no other ending.
            return
        if self.is_revealed:
            raise illegal("game over", table.rules.lang)
        meant = {shown: point for point, shown in self.find_decoys(colour).items()}
        action = meant.get(action, action)
        if session.is_hosted:
            table.play_for_host(colour, action)
        elif table.rules.profile.is_go or session.quirks.accepts_off_line:
            self._take_with_warning(colour, action)
        else:
            table.play(colour, action)
        if table.game.is_refused(len(table.game.events) - 1) and not session.is_ruler:
            raise CommandFailed(explain("impossible", table.rules.lang))

    def _take_with_warning(self, colour: int, action: int) -> None:
        """Play a move even if the rules forbid it, with a warning, because the host has already played it."""
        try:
            self.table.play(colour, action)
        except IllegalMove as error:
            self.table.play_for_host(colour, action)
            why = error.sentence
            if error.reason == "line":
                self.off_line = self.table.position, self._session.word(action)
                why = f"OFF THE LINE: {why}"
            log(f"warning: {why}; the stone stays, as the program that sent it shows it")

    # -- the bot -------------------------------------------------------------------------------------------------------

    @property
    def players(self) -> Sequence[Player]:
        """The players seated so far."""
        return list(self.table.seats.values())

    def forget_players(self) -> None:
        """Unseat the players. New players are seated when the bot next moves."""
        self.table.seats.clear()

    def decide(self, colour: int) -> int | None:
        """Return RESIGN for a side that has lost, PASS for any other side, or None before the end of the game."""
        if not self.is_over:
            return None
        outcome = self.table.game.outcome
        return PASS if outcome is None or outcome.winner in (None, colour) else RESIGN

    def generate(self, colour: int) -> int:
        """Let the bot play, thinking again after each refused try. Return the action played."""
        table, began_s = self.table, time.monotonic()
        while True:
            # All tries of a turn, and the loading of the bot, share the time for one move.
            action = self._think(colour, began_s)
            self._explained = table.play(colour, action), self._session.bot.explanation
            if not table.game.is_refused(len(table.game.events) - 1):
                return action

    def explain(self) -> str:
        """Return the bot's reason for its last move, or "" if that move is not in the game any more."""
        event, reason = self._explained or (None, "")
        moves = [each for each in self.table.game.events if each.actor != CHANCE]
        if all(each is not event for each in moves):
            return ""
        return reason if moves[-1] is event or not reason else f"the bot's move before this one: {reason}"

    def consider(self, colour: int) -> int:
        """Return the bot's choice without playing it. The choice is always the same in the same position."""
        table = self.table
        seats = dict(table.seats)
        table.seat(colour, self._session.bot.make_player(), "regression")
        try:
            return self._think(colour)
        finally:
            table.seats = seats

    def _think(self, colour: int, began_s: float | None = None) -> int:
        """Return the bot's move or a legal substitute, timed from `began_s`. Raises IllegalMove if out of turn."""
        from gtp_variants.ai.mcts.settings import find_moves_to_avoid

        table, rules, bot = self.table, self.table.rules, self._session.bot
        allowed = legal_actions(table, colour)
        if not allowed:
            raise illegal("not your turn", rules.lang, name=colour_name(table.position.mover, rules.lang))
        if colour not in table.seats:
            table.seat(colour, bot.make_player(), bot.seed(colour))
        try:
            action = self._ask(colour, began_s)
        except GameOver as error:
            table.seat(colour, bot.substitute(error), bot.seed(colour))
            action = self._ask(colour, began_s)
        player = table.seats[colour]
        bot.note(player)
        unwanted = find_moves_to_avoid(bot.avoided, colour)
        wanted = [option for option in allowed if option not in unwanted] or allowed
        if action in unwanted:
            # Few bots can avoid passing, or all moves outside their own eyes, so replace the move here.
            return wanted[-1]
        try:
            check(table, colour, action)
        except VariantsError as error:
            name = type(player).__name__
            log(f"warning: {name} chose {action}, which is not allowed {error}; another move is played")
            return wanted[-1]
        return action

    def _ask(self, colour: int, began_s: float | None) -> int:
        """Return the choice of the player in a seat, even if it is not legal."""
        table = self.table
        self._session.bot.attend(table.seats[colour])
        table.clocks.update(self._session.clocks)
        if began_s is not None:
            table.clocks[colour] = table.clocks[colour].while_thinking(time.monotonic() - began_s)
        return table.choose(colour)


class SeatPlay:
    """A game in a seat that another program referees. The bot knows only its colour and that program's news."""

    def __init__(self, session: "Session", seat: RefereedSeat) -> None:
        self.seat = seat
        self._session = session

    @property
    def mover(self) -> int:
        """The colour to move, as far as the seat knows."""
        return self.seat.view.to_play

    @property
    def is_over(self) -> bool:
        """True if the game is over, as far as the seat knows."""
        return self.seat.is_over

    def change_rules(self, rules: Rules) -> "SeatPlay":
        """Return this game under other rules."""
        bot = self._session.bot
        seat = self.seat.with_player(bot.kind.make(rules), bot.seed(self.seat.colour), rules)
        return SeatPlay(self._session, seat)

    def view(self, colour: int) -> View:
        """Return the seat's view. Raises CommandFailed for any other colour."""
        if colour != self.seat.colour:
            raise CommandFailed("under a referee")
        return self.seat.view

    @property
    def viewer(self) -> int:
        """The seat's colour: only its knowledge may be shown."""
        return self.seat.colour

    @property
    def shown_view(self) -> View:
        """The seat's view, which may be shown."""
        return self.seat.view

    def actions(self, colour: int) -> Sequence[int]:
        """Return the moves that the seat may try. Raises CommandFailed for any other colour."""
        return self.view(colour).actions

    def find_decoys(self, colour: int) -> dict[int, int]:
        """Return {}, as only the seat's own player sees the screen."""
        return {}

    @property
    def players(self) -> Sequence[Player]:
        """The seat's player."""
        return [self.seat.player]

    def forget_players(self) -> None:
        """Give the seat to a new player."""
        bot = self._session.bot
        self.seat = self.seat.with_player(bot.make_player(), bot.seed(self.seat.colour), self._session.rules)

    def decide(self, colour: int) -> None:
        """Return None, as the seat itself knows when the game is over."""

    def generate(self, colour: int) -> int:
        """Return the bot's try, which the referee will accept or refuse."""
        self.seat, action = self._ask(self.seat, colour, self._session.bot.seed(self.seat.colour))
        self._session.bot.note(self.seat.player)
        return action

    def explain(self) -> str:
        """Return the bot's reason for its last try."""
        return self._session.bot.explanation

    def consider(self, colour: int) -> int:
        """Return the bot's choice. It is always the same in the same position."""
        seat = self.seat.with_player(self._session.bot.make_player(), "regression")
        return self._ask(seat, colour, "regression")[1]

    def _ask(self, seat: RefereedSeat, colour: int, seed: str) -> tuple[RefereedSeat, int]:
        """Return the seat and its try. If the player cannot play this game, the seat has a substitute."""
        bot, clock = self._session.bot, self._session.clocks[seat.colour]
        bot.attend(seat.player)
        try:
            return seat, seat.choose(colour, clock)
        except GameOver as error:
            seat = seat.with_player(bot.substitute(error), seed)
            bot.attend(seat.player)
            return seat, seat.choose(colour, clock)


class Session:
    """The state of one engine process.

    `given` has the options set by the SPEC or by commands, and `defaults` this process's values for other options.
    `seed` is the secret of the dice, or None if the processes of one host share their dice. `viewer` is the colour
    whose knowledge is shown by a ruler, the process that GoGui asks for the board.
    """

    def __init__(
        self,
        spec: str,
        *,
        bot: BotKind | None = None,
        seed: str | None = None,
        viewer: int | None = None,
        defaults: Mapping[str, str] | None = None,
        quirks: HostQuirks | None = None,
    ) -> None:
        self.defaults = dict(defaults or {})
        self.seed = seed
        self.viewer = viewer
        self.quirks = quirks or HostQuirks()
        self.bot = EngineBot(self, bot or NamedBot(""))
        self.is_done = False
        # The setting of `PuctSettings` with this name, used only for analysis.
        self.wide_root_noise = 0.0
        # The state of the input: a line is waiting, the host has sent an interrupt, or the end has been read, perhaps
        # with lines still waiting. Without a host, a search ends after one slice.
        self.has_pending_command: Callable[[], bool] = lambda: True
        self.is_interrupted: Callable[[], bool] = lambda: False
        self.has_input_ended: Callable[[], bool] = lambda: False
        # `is_asked_id`: GoGui has asked for the game's id. `is_ruler`: GoGui has asked for the board or legal moves.
        self.is_asked_id = False
        self.is_ruler = False
        # Texts about the latest positions, by key.
        self._texts: dict[tuple[Rules, Position], dict[str, str]] = {}
        self._play: TablePlay | SeatPlay | None = None
        self._stone_odds: StoneOdds | None = None
        self.game_class, self.given = split_spec(spec)
        self.rules = self.rules_of(self.game_class, self.given)
        self.clocks = HostClocks(self.rules.colours)

    @property
    def engine_name(self) -> str:
        """The engine's name, as hosts show it."""
        return self.quirks.identity.name

    # -- options -------------------------------------------------------------------------------------------------------

    def rules_of(self, game_class: type[Rules], given: Mapping[str, str]) -> Rules:
        """Return the rules with the given options, and this process's defaults for the other options."""
        known = {option.key for option in game_class.options}
        return game_class({**{key: value for key, value in self.defaults.items() if key in known}, **given})

    def set_game(self, spec: str) -> None:
        """Start the game that a SPEC names. If this raises SpecError, nothing has changed."""
        game_class, given = split_spec(spec)
        rules = self.rules_of(game_class, given)
        self.game_class, self.given, self.rules = game_class, given, rules
        self.new_game()

    def with_options(self, **changed: str) -> Rules:
        """Return the rules with some options changed and the other options as given before."""
        return self.rules_of(self.game_class, {**self.given, **changed})

    def change(self, **changed: str) -> None:
        """Change options in the middle of a game. Raises CommandFailed if the new rules forbid a past move."""
        rules = self.with_options(**changed)
        self._play = self.play.change_rules(rules)
        self.given.update(changed)
        self.rules = rules
        if rules.colours != tuple(self.clocks):
            self.clocks.restart(rules.colours)

    def resize(self, rules: Rules, **changed: str) -> None:
        """Start a new game under rules whose board size was set by the options in `changed`."""
        self.given.update(changed)
        self.rules = rules
        self.new_game()

    def new_game(self, setup: Mapping[int, int] | None = None, first: int | None = None) -> None:
        """Start a new game with the same dice, on a setup, or else with the host's handicap or on an empty board."""
        if setup is None and self.quirks.handicap and self.rules.handicap != "none":
            points = free_points(self.rules.board, self.quirks.handicap) or ()
            setup, first = dict.fromkeys(points, BLACK), WHITE
        self._lay(Table(self.rules, self.make_dice, setup, first))

    def adopt(self, game: Game, told: ToldDraws) -> None:
        """Continue a loaded game, with the draws from its file."""
        self.rules = game.rules
        self._lay(Table.of(game, self.make_dice, told))
        judge_dead(self.table)

    def sit_down(self, colour: int) -> None:
        """Start a game in a seat, which knows only the referee's news."""
        self.new_game()
        self._play = SeatPlay(self, RefereedSeat(self.rules, colour, self.bot.make_player(), self.bot.seed(colour)))

    def _lay(self, table: Table) -> None:
        self._play = TablePlay(self, table)
        self._stone_odds = None
        self.clocks.restart(self.rules.colours)

    def make_dice(self) -> Dice:
        """Return this process's dice: its own if it has a secret, or else the dice that the host's processes share."""
        from gtp_variants.rules.dice_stream import DiceStream, SharedDice

        return SharedDice(shared_key(None)) if self.seed is None else DiceStream(self.seed)

    # -- the play ------------------------------------------------------------------------------------------------------

    @property
    def play(self) -> TablePlay | SeatPlay:
        """The current game, created on first use, so that a process asked only for its name does no work."""
        if self._play is None:
            self.new_game()
            assert self._play is not None
        return self._play

    @property
    def is_in_seat(self) -> bool:
        """True if another program referees the game. Unlike `play`, it does not create a game."""
        return isinstance(self._play, SeatPlay)

    @property
    def table_play(self) -> TablePlay:
        """The game at our own table. Raises CommandFailed in a seat."""
        play = self.play
        if not isinstance(play, TablePlay):
            raise CommandFailed("under a referee")
        return play

    @property
    def table(self) -> Table:
        """Our own table. Raises CommandFailed in a seat."""
        return self.table_play.table

    @property
    def position(self) -> Position:
        """The position at our own table. Raises CommandFailed in a seat."""
        return self.table.game.position

    @property
    def seat(self) -> RefereedSeat:
        """The seat that another program referees. Use it only in commands that work in a seat."""
        assert isinstance(self.play, SeatPlay)
        return self.play.seat

    @property
    def is_hosted(self) -> bool:
        """True if GoGui plays this game by `gogui-rules_*` commands. GoGui knows ordinary Go itself."""
        return self.is_asked_id and not self.rules.profile.is_go

    @property
    def stone_odds(self) -> "StoneOdds":
        """The estimates of hidden stones for each seat, created on first use."""
        if self._stone_odds is None:
            from gtp_variants.ai.belief.stone_odds import StoneOdds

            self._stone_odds = StoneOdds()
        return self._stone_odds

    # -- words ---------------------------------------------------------------------------------------------------------

    def remember(self, key: str, make: Callable[[], str]) -> str:
        """Return a text about the position, made once per `key`, because GoGui replays the game for every move."""
        texts = self._texts.setdefault((self.rules, self.position), {})
        if len(self._texts) > _POSITIONS:
            del self._texts[next(iter(self._texts))]
        if key not in texts:
            texts[key] = make()
        return texts[key]

    def colour(self, word: str) -> int:
        """Return the colour that a word names. Raises NotationError if nobody plays that colour in this game."""
        colour = read_colour(word)
        if colour not in self.rules.colours:
            raise NotationError(f"invalid colour or vertex: {word} (nobody plays {colour_name(colour)} in this game)")
        return colour

    def action(self, word: str) -> int:
        """Return the action for a vertex, `pass`, `swap` or `resign`. A vertex off the board gets an unused number."""
        return read_move(self.rules.board, word)

    def word(self, action: int) -> str:
        """Return the vertex of a point, or `pass`, `swap` or `resign` for these actions."""
        return write_move(self.rules.board, action)


def _without_tolerance(events: Sequence[Event]) -> list[Event]:
    """Return all events except TOLERATE, because the rules decide which stones need that event."""
    return [event for event in events if event.action != TOLERATE]
