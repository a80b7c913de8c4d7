"""The participants in a game, and what they agree on: terms, undo, other dice, dead stones, playing on, breaking off.

An `Agreement` becomes events of the record. docs/protocol/agreements.md explains each.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gtp_variants.base.json_values import Json
from gtp_variants.errors import IllegalMove, NotationError, VariantsError
from gtp_variants.lang import RequestRefused
from gtp_variants.players import bots
from gtp_variants.players.table import Table, change_dead, check, is_undoable, list_departures, set_dice
from gtp_variants.records.notation import read_event
from gtp_variants.records.record import printable
from gtp_variants.rules import split_spec
from gtp_variants.rules.actions import BLACK, MATCH, RESUME, SET_DICE, TERMS, WHITE_PASSES, pack, unpack
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.dice import DiceKind, dice_of_code, read_dice
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

PERSON, BOT, ACCOUNT, ELSEWHERE = "person", "bot", "account", "elsewhere"


@dataclass(frozen=True, slots=True)
class Participant:
    """The player of one colour. `key` is the SHA-256 hash of the token that opens a person's seat."""

    kind: str = PERSON
    name: str = ""
    level: int | None = None
    key: str = ""

    @property
    def bot(self) -> str:
        return self.name if self.level is None else bots.with_parameter(self.name, "level", f"{self.level}")


_LONGEST_WORD = 20
_COLUMN_I = re.compile(r"[a-z]?i[a-z]?[0-9]+", re.IGNORECASE)


def read_point(board: Board, word: str) -> int:
    """Return the point that a word names. Raises RequestRefused if it names no point on the board."""
    try:
        return board.point(word)
    except (NotationError, IllegalMove):
        key = "refused_requests.no_column_i" if _COLUMN_I.fullmatch(word) else "refused_requests.no_point"
        shown = f"'{printable(word[:_LONGEST_WORD])}'"
        raise RequestRefused(key, word=shown, example=example_point(board)) from None


def example_point(board: Board) -> str:
    """Return the name of some point on the board, as an example."""
    return board.vertices[len(board) // 2]


# Kinds of proposal. AGREE proposes an `Agreement`. COUNT accepts the dead stones as marked. BREAK_OFF ends the game
# without a result. Those of `LAPSING` are open only until the next move, and each replaces the others.
UNDO, DICE, AGREE, DRAW, COUNT, BREAK_OFF = "undo", "dice", "agree", "draw", "count", "break off"
LAPSING = (UNDO, DICE, AGREE, DRAW, BREAK_OFF)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A request by one colour, such as UNDO, or DICE with the dice as `value`. `agreed` lists the colours in favour."""

    kind: str
    colour: int
    value: str
    agreed: frozenset[int]


class Agreements:
    """The open proposals, by kind and colour. A new proposal replaces the colour's earlier proposal of its kind."""

    def __init__(self, words: Mapping[str, Mapping[int, str]] | None = None) -> None:
        # The proposed values by kind and colour, oldest first.
        self.words = {kind: dict(each) for kind, each in (words or {}).items() if each}

    def add(self, kind: str, colours: Collection[int], value: str, people: Collection[int]) -> bool:
        """Record a proposal by `colours`. Return True, and clear this kind, if all `people` now want `value`."""
        said = self.words.setdefault(kind, {})
        said.update(dict.fromkeys(colours, value))
        if any(said.get(each) != value for each in people):
            return False
        self.clear(kind)
        return True

    def find(self, *kinds: str) -> Proposal | None:
        """Return the oldest open proposal of the first of these kinds, by default `LAPSING`, that has any, or None."""
        for kind in kinds or LAPSING:
            for colour, value in self.words.get(kind, {}).items():
                agreed = frozenset(each for each, theirs in self.words[kind].items() if theirs == value)
                return Proposal(kind, colour, value, agreed)
        return None

    def value_of_others(self, kind: str, colour: int) -> str | None:
        """Return the oldest value of this kind that another colour proposes, or None."""
        return next((value for each, value in self.words.get(kind, {}).items() if each != colour), None)

    def clear(self, *kinds: str) -> None:
        for kind in kinds:
            self.words.pop(kind, None)


def single_die(table: Table) -> DiceKind | None:
    """Return the single die to which the players may agree to change, or None. Aléago allows it "towards the end"."""
    rules, position = table.rules, table.position
    if not isinstance(rules, DicedRules) or rules.slots > 1 or rules.is_over(position):
        return None
    dice = table.draws.coming.after(position.turn) or rules.dice_of(position)
    return DiceKind(1, dice.sides) if dice.count > 1 else None


# The first words of the agreements that programs negotiate.
SINGLE_DIE, DEAD, PLAY_ON, PASSES, PAIR = "set_dice", "dead", "resume", "white_passes", "match"


def find_agreements(table: Table, people: Collection[int] = ()) -> list[str]:
    """Return the first words of the agreements that can be made now. In a hidden game only a match can be.

    Programs do not agree on a match. `people` agree on terms until one of them has had a turn, and mark dead stones.
    """
    rules, position, events = table.rules, table.position, table.game.events
    is_suspended = rules.is_open and table.suspended
    # A resumption must not follow another before a stone or a throw.
    last = next((e.action for e in reversed(events) if e.action >= 0 or e.action == RESUME), 0)
    terms = {unpack(event.action)[0] for event in events}.intersection(TERMS)
    # Refused tries do not count, because the other players must not learn of them.
    is_early = not any(event.actor in people for event in table.game.turns()) if people else position.turn == 1
    is_possible = {
        SINGLE_DIE: single_die(table) is not None,
        DEAD: not people and is_suspended and (rules.agrees_on_dead or rules.judges_dead),
        PLAY_ON: is_suspended and last != RESUME,
        PASSES: PASSES in rules.values and is_early and WHITE_PASSES not in terms,
        PAIR: bool(people) and len(rules.colours) == 2 and is_early and MATCH not in terms,
    }
    return [word for word, may in is_possible.items() if may]


@dataclass(frozen=True, slots=True)
class Agreement:
    """An agreement between players, such as `dead D4 E5`: its first word, and the `actions` that it becomes."""

    word: str
    actions: tuple[int, ...]

    @classmethod
    def read(cls, table: Table, text: str, people: Collection[int] = ()) -> "Agreement":
        """Return the agreement in a text, for `find_agreements`. Raises VariantsError if it cannot be made now."""
        rules, die = table.rules, single_die(table)
        word, _, rest = text.partition(" ")
        if word not in (possible := find_agreements(table, people)):
            expected = f"expected one of {', '.join(possible)}" if possible else "no agreement is possible now"
            raise NotationError(f"{word[:20]!r}: {expected}")
        if word == DEAD:
            called = {rules.board.point(vertex) for vertex in rest.split()}
            if not all(table.position.stones[point] for point in called):
                raise NotationError(f"{text[:20]!r}: expected points with stones")
            return cls(word, change_dead(table, called))
        # The first game of a match says so in its record.
        action = read_event(rules, table.position, "w", f"{word} 1/{rest}" if word == PAIR else text).action
        if word == SINGLE_DIE and die is not None and action != pack(SET_DICE, die.code):
            raise NotationError(f"{text[:20]!r}: expected {SINGLE_DIE} {die}")
        agreed_rules(rules, (action,))
        return cls(word, (action,))

    def is_fair(self, table: Table) -> bool:
        """Return True if a bot agrees: to dead stones only if a search finds the same, and to everything else."""
        from gtp_variants.ai.mcts.final_status import find_dead_chains

        rules, position = table.rules, table.position
        if self.word != DEAD:
            return True
        dead = {point for points in find_dead_chains(rules, position) for point in points}
        for action in self.actions:
            position = rules.play(position, action)
        return position.dead == dead

    def carry_out(self, table: Table, colour: int) -> None:
        """Make the agreement, which a colour proposed, part of the game."""
        if self.word == SINGLE_DIE:
            table.draws.coming.add(table.position.turn, dice_of_code(unpack(self.actions[0])[1]))
            return
        if self.word == PASSES:
            table.change_rules(agreed_rules(table.rules, self.actions))
        for action in self.actions:
            # The side to move resumes the game, because a resumption does not change the turn.
            table.play(table.position.mover if action == RESUME else colour, action)


def agreed_rules(rules: Rules, actions: Iterable[int]) -> Rules:
    """Return the rules with the options that an agreement in `actions` sets. Raises SpecError if they are invalid."""
    for kind, argument in map(unpack, actions):
        if kind == WHITE_PASSES:
            cls, given = split_spec(rules.spec)
            return cls({**given, PASSES: str(argument)})
    return rules


def _find_match(game: Game) -> int | None:
    """Return which game of a match this is, as an index into MATCH_GAMES, or None if it belongs to no match."""
    return next((argument for kind, argument in (unpack(event.action) for event in game.events) if kind == MATCH), None)


# A game of a match: its players, Black first, the winner or None for a draw, and the number of stones played.
MatchGame = tuple[tuple[str, ...], str | None, int]


def _as_match_game(game: Game, players: tuple[str, str]) -> MatchGame:
    """Return a finished game between these players, Black first, as a `MatchGame`."""
    winner = None if game.outcome is None else game.outcome.winner
    stones = sum(event.action >= 0 for event in game.turns())
    return players, None if winner is None else players[winner - BLACK], stones


def winner_of_match(games: Sequence[MatchGame], is_by_moves: bool) -> tuple[str | None, bool]:
    """Return the winner of a match of two games, or None for a tie, and True if the tie-break decided.

    The player with more points wins. With `is_by_moves`, if both won as Black, the winner of the game with fewer stones
    wins. Source: "the one who won as black in less moves".
    """
    (players, *_), (_, _, stones) = games
    for player in players:
        if sum(2 * (winner == player) + (winner is None) for _, winner, _ in games) > 2:
            return player, False
    both_as_black = all(winner == players[0] for players, winner, _ in games)
    if is_by_moves and both_as_black and games[0][2] != stones:
        return min(games, key=lambda game: game[2])[1], True
    return None, False


def follow_in_match(game: Game) -> tuple[list[int], dict[str, MatchGame]]:
    """Return the terms and the host's notes of a match's second game, after its first, or both empty."""
    number = _find_match(game)
    if number is None or number % 2:
        return [], {}
    # The players are named by their colours in the second game.
    return [pack(MATCH, number + 1)], {"first_game": _as_match_game(game, ("w", "b"))}


def tell_match(game: Game, notes: Json) -> tuple[str, int]:
    """Return a key of words about a finished game's match, "" without any, and the winner's colour in this game."""
    number, first = _find_match(game), notes.get("first_game")
    if number is None or first is None or number % 2 == 0:
        return "match_second" if number is not None and number % 2 == 0 else "", BLACK
    winner, is_by_moves = winner_of_match([first, _as_match_game(game, ("b", "w"))], number >= 2)
    key = "match_tied" if winner is None else "match_by_moves" if is_by_moves else "match_won"
    return key, COLOUR_LETTERS.index(winner or "b")


class TableRequests:
    """The requests that people at a table may make. With `one_speaks_for_all` one person's request counts for all."""

    def __init__(self, table: Table, seats: Mapping[int, Participant], one_speaks_for_all: bool) -> None:
        self.people = [colour for colour, each in seats.items() if each.kind == PERSON]
        self._table = table
        self._seats = seats
        self._one_speaks_for_all = one_speaks_for_all

    @property
    def voters(self) -> Collection[int]:
        """The people or accounts whose consent is needed: all except those who have left a game that others play on."""
        gone = {event.actor for event in list_departures(self._table)}
        voters = self.people or [colour for colour, each in self._seats.items() if each.kind == ACCOUNT]
        return [colour for colour in voters if colour not in gone]

    @property
    def is_with_bots(self) -> bool:
        """True if a bot plays. Bots agree to everything."""
        return any(each.kind == BOT for each in self._seats.values())

    def voices(self, colour: int) -> Collection[int]:
        """Return the colours for which the person playing this colour speaks."""
        return self.people if self._one_speaks_for_all else (colour,)

    def expect_voter(self, colour: int) -> None:
        """Raise RequestRefused if this person speaks only for colours that have left while others play on."""
        if not set(self.voices(colour)) & set(self.voters):
            raise RequestRefused("refused_requests.left")

    def expect_undoable(self, is_counting: bool) -> None:
        """Raise RequestRefused in a count, without a person's turn to undo, or if bots play and dice changed since."""
        game, people = self._table.game, self.voters
        mine = [i for i, event in enumerate(game.events) if is_undoable(game, i) and event.actor in people]
        if is_counting or not self._table.rules.is_open or not mine:
            raise RequestRefused("refused_requests.nothing_to_undo")
        # Refuse, because a person could otherwise choose between the draws of the old and the new dice.
        if self.is_with_bots and any(unpack(event.action)[0] == SET_DICE for event in game.events[mine[-1] :]):
            raise RequestRefused("refused_requests.undo_dice")

    def note_seen_draws(self) -> None:
        """Note before something is taken back that the draws up to now have been seen, so no dice can change them."""
        if isinstance(self._table.rules, DicedRules):
            coming = self._table.draws.coming
            coming.furthest = max(coming.furthest, self._table.position.turn)

    def read_agreement(self, text: str) -> Agreement:
        """Return the agreement in a text. Raises RequestRefused if people cannot make it now."""
        try:
            return Agreement.read(self._table, text, self.people)
        except VariantsError:
            raise RequestRefused("refused_requests.not_now") from None

    def take_back(self) -> None:
        """Take back the last turn taken by a person who is still playing."""
        self.note_seen_draws()
        people, left = self.voters, list_departures(self._table)
        # The bots' moves after that person's last turn are taken back too.
        while self._table.undo().actor not in people:
            pass
        # Players who have left are not asked for consent, so the undo does not bring them back.
        for event in left:
            if event not in self._table.position.out:
                self._table.play(event.actor, event.action)

    def read_other_dice(self, text: str) -> str:
        """Return the requested dice in standard notation. Raises RequestRefused if this change is impossible now."""
        position, rules = self._table.position, self._table.rules
        if not isinstance(rules, DicedRules):
            raise RequestRefused("refused_requests.no_dice")
        try:
            value = str(read_dice(text))
        except ValueError:
            raise RequestRefused("refused_requests.bad_dice") from None
        if self.is_with_bots and rules.slots > 1:
            raise RequestRefused("refused_requests.dice_known")
        coming = self._table.draws.coming.after(position.turn) if self.is_with_bots else None
        has_changed = not self.is_with_bots and rules.cast(position, 0) > 0
        if has_changed or value == str(coming or rules.dice_of(position)):
            raise RequestRefused("refused_requests.dice_once")
        return value

    def change_dice(self, dice: DiceKind) -> None:
        """Change the dice. Against a bot the change takes effect at the first turn whose draw nobody has seen."""
        if not self.is_with_bots:
            set_dice(self._table, dice.count, dice.sides)
            return
        check(self._table, self._table.position.mover, pack(SET_DICE, dice.code))
        self._table.draws.coming.add(self._table.position.turn, dice)
