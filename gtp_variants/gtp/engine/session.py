"""What a GTP engine remembers between two commands: the game and its options, the clocks, its bot, its host.

A cache of texts by position, since GoGui replays the whole game for every move.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from gtp_variants.errors import CommandFailed, IllegalMove, NotationError, VariantsError
from gtp_variants.gtp.engine.clocks import HostClocks
from gtp_variants.gtp.engine.decoys import shared_key, shuffle
from gtp_variants.gtp.engine.engine_bot import BotKind, EngineBot, NamedBot
from gtp_variants.gtp.engine.quirks import HostQuirks
from gtp_variants.gtp.stderr_log import log
from gtp_variants.players.dice_draws import ToldDraws
from gtp_variants.players.table import Table, judge_dead
from gtp_variants.records.notation import read_move, write_move
from gtp_variants.rules import split_spec, words
from gtp_variants.rules.actions import BLACK, PASS, TOLERATE, WHITE, Event
from gtp_variants.rules.boards.handicap import free_points
from gtp_variants.rules.game import Dice, Game
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

_POSITIONS = 16


class TextCache:
    """Texts about the last positions that were asked about; the same position comes back as another object."""

    def __init__(self) -> None:
        self._texts: dict[Position, dict[str, str]] = {}

    def clear(self) -> None:
        """Forget all of them: the same position may mean something else now."""
        self._texts.clear()

    def get(self, position: Position, key: str, make: Callable[[], str]) -> str:
        """The text under a key, made only the first time."""
        texts = self._texts.get(position)
        if texts is None:
            if len(self._texts) >= _POSITIONS:
                del self._texts[next(iter(self._texts))]
            texts = self._texts[position] = {}
        if key not in texts:
            texts[key] = make()
        return texts[key]


if TYPE_CHECKING:
    from gtp_variants.ai.belief.stone_odds import StoneOdds
    from gtp_variants.players.refereed_seat import RefereedSeat


class Session:
    """The state of one engine process.

    `given` are the options that were set explicitly, by the SPEC or by commands. `seed` is the secret of the dice, or
    None for dice shared between the processes of one host. `viewer` is the colour whose knowledge a ruler shows.
    `refereed_seat` is the seat under somebody's referee; while there is one there is no table.
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
        # The host has sent another line; it wants an answer now; its input has ended, though lines may still wait.
        # Without a host one round of work is all.
        self.has_pending_command: Callable[[], bool] = lambda: True
        self.is_interrupted: Callable[[], bool] = lambda: False
        self.has_input_ended: Callable[[], bool] = lambda: False
        # What the host turned out to be: one that asked for a game's id, one that asks for legal moves or boards.
        self.is_asked_id = False
        self.is_ruler = False
        self.is_revealed = False
        # The last stone off the open line that was let stand: the position after it, and its vertex.
        self.off_line: tuple[Position, str] | None = None
        # What came by `trymove`; a move that was taken back is no move of the game any more.
        self.tried_moves: list[Event] = []
        self.texts = TextCache()
        self.refereed_seat: RefereedSeat | None = None
        self._table: Table | None = None
        self._stone_odds: StoneOdds | None = None
        self.game_class, self.given = split_spec(spec)
        self.rules = self.rules_of(self.game_class, self.given)
        self.clocks = HostClocks(self.rules.colours)

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
        if self.refereed_seat is None:
            events, replayed = self.table.game.events, self._replay(rules)
            self._table = Table.of(replayed, self._make_dice, self.table.draws.told)
            # Moves are known by identity: the same one may be tried, taken back and played.
            self.tried_moves[:] = [
                now
                for event, now in zip(_without_tolerance(events), _without_tolerance(replayed.events), strict=True)
                if any(event is each for each in self.tried_moves)
            ]
            self.texts.clear()
        self.given.update(changed)
        self.rules = rules
        if rules.colours != tuple(self.clocks):
            self.clocks.restart(rules.colours)
        if self.refereed_seat is not None:
            self.bot.take_refereed_seat(self.refereed_seat)

    def _replay(self, rules: Rules) -> Game:
        """Return the present game under other rules. Raises CommandFailed where they do not allow it."""
        game = self.table.game
        replayed = Game(rules, game.setup, game.first)
        for number, event in enumerate(_without_tolerance(game.events), 1):
            try:
                replayed.take_in(event.actor, event.action)
            except VariantsError as error:
                raise CommandFailed(f"this game could not have been played so: event {number}: {error}") from None
        return replayed

    def resize(self, rules: Rules, **changed: str) -> None:
        """A new game on another board."""
        self.given.update(changed)
        self.rules = rules
        self.new_game()

    def new_game(self, setup: Mapping[int, int] | None = None, first: int | None = None) -> None:
        """An empty board, or one with a setup; the same dice."""
        if setup is None and self.quirks.handicap and self.rules.handicap != "none":
            points = free_points(self.rules.board, self.quirks.handicap) or ()
            setup, first = dict.fromkeys(points, BLACK), WHITE
        self._lay(Table(self.rules, self._make_dice, setup, first))

    def adopt(self, game: Game, told: ToldDraws) -> None:
        """Go on with a game that was loaded, under the draws that were told of it."""
        self.rules = game.rules
        self._lay(Table.of(game, self._make_dice, told))
        judge_dead(self.table)

    def _lay(self, table: Table) -> None:
        if self._table is None or self._table.rules != table.rules:
            self.texts.clear()
        self._table = table
        self.tried_moves.clear()
        self._stone_odds = self.refereed_seat = None
        self.is_revealed = False
        self.clocks.restart(self.rules.colours)

    def _make_dice(self) -> Dice:
        """The dice of this process: from its secret, or shared with the host's other processes."""
        from gtp_variants.rules.dice_stream import DiceStream, SharedDice

        if self.seed is not None:
            return DiceStream(self.seed)
        from gtp_variants.gtp.engine.shared_dice_key import host_key

        return SharedDice(host_key())

    @property
    def table(self) -> Table:
        """The table; the first use lays it, so that a process that is only asked its name does no work.

        Raises CommandFailed while the engine is a seat: it has no table then.
        """
        if self.refereed_seat is not None:
            raise CommandFailed("under a referee")
        if self._table is None:
            self.new_game()
            assert self._table is not None
        return self._table

    @property
    def position(self) -> Position:
        """The position now."""
        return self.table.game.position

    @property
    def mover(self) -> int:
        """Whose turn it is, as far as is known here."""
        return self.position.mover if self.refereed_seat is None else self.refereed_seat.view.to_play

    @property
    def is_over(self) -> bool:
        """Whether the game is over for good."""
        return self.refereed_seat.is_over if self.refereed_seat is not None else self.table.is_final or self.is_revealed

    @property
    def is_hosted(self) -> bool:
        """Whether a host like GoGui plays this game by `gogui-rules_*`; ordinary Go it plays by itself."""
        return self.is_asked_id and not self.rules.profile.is_go

    # -- what a seat knows ---------------------------------------------------------------------------------------------

    def sit_down(self, colour: int) -> None:
        """A new game, in which the engine is the seat of one colour and hears only what a referee tells it."""
        from gtp_variants.players.refereed_seat import RefereedSeat

        self.new_game()
        self.refereed_seat = RefereedSeat(self.rules, colour, self.bot.make_player(), self.bot.seed(colour))

    def view(self, colour: int) -> View:
        """What the player of a colour may know. Raises CommandFailed for another colour than that of the seat."""
        if self.refereed_seat is None:
            return self.table.view(colour)
        if colour != self.refereed_seat.colour:
            raise CommandFailed("under a referee")
        return self.refereed_seat.view

    @property
    def stone_odds(self) -> "StoneOdds":
        """Where hidden stones may be, for each seat that is asked about."""
        if self._stone_odds is None:
            from gtp_variants.ai.belief.stone_odds import StoneOdds

            self._stone_odds = StoneOdds()
        return self._stone_odds

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
        meant = {shown: point for point, shown in decoys(self, colour).items()}
        action = meant.get(action, action)
        if self.is_hosted:
            table.play_for_host(colour, action)
        elif self.rules.profile.is_go or self.quirks.accepts_off_line:
            self._play_with_warning(colour, action)
        else:
            table.play(colour, action)
        if table.game.is_refused(len(table.game.events) - 1) and not self.is_ruler:
            raise CommandFailed(words.sentence("impossible", self.rules.lang))

    def _play_with_warning(self, colour: int, action: int) -> None:
        """Play a move that the host is right about even where the rules forbid it, which stderr then says."""
        try:
            self.table.play(colour, action)
        except IllegalMove as error:
            self.table.play_for_host(colour, action)
            what = error.sentence
            if error.reason == "line":
                self.off_line = self.position, self.word(action)
                what = f"OFF THE LINE: {what}"
            log(f"warning: {what}; the stone stays, as the program that sent it shows it")


def _without_tolerance(events: Sequence[Event]) -> list[Event]:
    """Return what happened besides TOLERATE: which stones need it depends on the rules."""
    return [event for event in events if event.action != TOLERATE]


def decoys(session: Session, colour: int) -> dict[int, int]:
    """Return the points a colour may play on now, each with the decoy that a host sees whose viewer must not know it.

    The result is empty where the host may see the points themselves.
    """
    viewer = session.viewer
    if not session.quirks.uses_decoys or not session.is_hosted or session.rules.is_open or viewer in (None, colour):
        return {}
    assert viewer is not None
    stones = session.table.view(viewer).stones
    empty = [point for point, owner in enumerate(stones) if not owner]
    return shuffle(shared_key(session.seed), session.position.turn, empty)


def shown_view(session: Session) -> View | None:
    """What the one player knows whose knowledge is shown; None where all may be shown, as after the end."""
    if session.refereed_seat is not None:
        return session.refereed_seat.view
    if session.viewer is None or session.rules.is_open or session.table.is_final:
        return None
    return session.view(session.viewer)
