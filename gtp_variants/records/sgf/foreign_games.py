"""Games from SGF files of other programs: setups in mid-game, moves out of turn, illegal moves, and clocks."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import zip_longest

from gtp_variants.errors import IllegalMove, RecordError, VariantsError
from gtp_variants.records.record import MAX_EVENTS, Caveat, Time, describe_error, name_place, new_game, printable
from gtp_variants.records.sgf import points
from gtp_variants.records.sgf.dialects import count_of, first_value, options_of, seconds_of, size_of
from gtp_variants.records.sgf.syntax import Node
from gtp_variants.rules import GO, parse
from gtp_variants.rules.actions import BLACK, CHANCE, PASS, RESUME, TURN, WHITE, Event
from gtp_variants.rules.boards.handicap import fixed_points
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules

# A function that returns the CHANCE action for the throw that is due, given the game and the event that follows.
Draws = Callable[[Game, Event], int]

_MAX_SETUPS = 100
_FEWEST_HANDICAP = 2
_MAX_CAVEATS = 200
# The games of a collection mostly have the same rules.
_parse_once = lru_cache(64)(parse)
# Maximum number of characters shown of a file's rules.
_LONGEST_RULES = 40


def go_rules(root: Node, is_lenient: bool, caveats: list[Caveat]) -> Rules:
    """Return Go with a file's size, komi and rules. Raises RecordError if invalid; `is_lenient` drops a bad komi."""
    width, height = size_of(root)
    told = options_of(root, width != height)
    try:
        return _parse_once(f"{GO}:" + ",".join(f"{key}={text}" for key, text in told.items()))
    except VariantsError as error:
        if is_lenient and "komi" in told and str(error).startswith("komi="):
            caveats.append(Caveat("no_komi", {"text": first_value(root, "KM")}))
            return go_rules({name: values for name, values in root.items() if name not in ("KM", "KO")}, False, [])
        raise RecordError(str(error)) from error


def _whose_rules(error: VariantsError, rules: Rules, root: Node) -> str:
    """Return a phrase that names the rules if they forbid a move that other rules may allow, or else ""."""
    if not isinstance(error, IllegalMove) or error.reason not in ("suicide", "repetition"):
        return ""
    named = first_value(root, "RU")
    own = f" and not {printable(named[:_LONGEST_RULES])}, as the file says" if named else ""
    return f", by the rules of {rules.short_spec}{own}"


class ForeignGame:
    """A game from another program, as it is read. If stones are set up after moves, a new game begins with them.

    If `is_lenient`, a new game also begins after an illegal move, which is carried out as FF[4] requires: the stone
    replaces any stone on its point, and captures.
    """

    def __init__(
        self, rules: Rules, nodes: list[Node], draws: Draws | None, is_taken_in: bool, is_lenient: bool
    ) -> None:
        self.game = Game(rules)
        self.draws = draws
        self.is_taken_in = is_taken_in
        self.is_lenient = is_lenient
        self.nodes = nodes
        # The number of the last node that plays a stone.
        self.last_stone = len(nodes) - 1
        while self.last_stone and all(
            points.is_pass(rules.board, value) for name in ("B", "W") for value in nodes[self.last_stone].get(name, ())
        ):
            self.last_stone -= 1
        self.times: dict[int, Time] = {}
        self.before: list[tuple[Game, Caveat]] = []
        self.caveats: list[Caveat] = []
        self.counts: list[int] = []
        self.setup: dict[int, int] | None = None
        self.first: int | None = None
        self.reason = Caveat("setup")
        self.number = self.point_count = 0

    def read(self, before_move: int | None) -> None:
        """Read the nodes up to move number `before_move`, or all. Sets `counts`: the number of events after each node.

        Nodes of earlier games count -1. Raises RecordError for a fault that cannot be tolerated.
        """
        board, size = self.game.rules.board, size_of(self.nodes[0])
        kind = first_value(self.nodes[0], "GM")
        if kind not in (None, "1"):
            raise RecordError(f"GM[{kind[:20]}]: expected 1, the game of Go")
        if size != (board.width, board.height):
            raise RecordError(f"SZ[{size[0]}:{size[1]}]: expected {board.width}:{board.height}, the size of this board")
        self._place_handicap()
        moves = 0
        for number, node in enumerate(self.nodes):
            self._set_up(node, number)
            for name, value in self._moves_of(node, number):
                moves += 1
                try:
                    event = Event(points.MOVES[name], points.action_of(board, name, value, number))
                    self._begin(event.actor)
                    if moves == before_move:
                        return
                    self._play(event, number)
                    self._note_time(node, name)
                except RecordError as error:
                    self._bear(error, number, name, value)
            self.counts.append(len(self.game.events))
        self._begin(None)

    def _moves_of(self, node: Node, number: int) -> list[tuple[str, str]]:
        """Return the moves of a node by name; several take turns, because most lack only their semicolons."""
        named = [[(name, value) for value in values] for name, values in node.items() if name in ("B", "W")]
        found = [move for row in zip_longest(*named) for move in row if move is not None]
        if len(found) > 1:
            self._note(Caveat("moves", {"number": number, "count": len(found)}))
        return found

    def _place_handicap(self) -> None:
        """If HA counts stones that no node sets up and White plays first, place them on the fixed points."""
        rules, nodes, count = self.game.rules, self.nodes, count_of(self.nodes[0], "HA") or 0
        start = next((number for number, node in enumerate(nodes) if points.MOVES.keys() & node.keys()), len(nodes) - 1)
        if count < _FEWEST_HANDICAP or any(points.EDITS.keys() & node.keys() for node in nodes[: start + 1]):
            return
        is_fixed = rules.handicap == "fixed" and "W" in nodes[start] and "B" not in nodes[start]
        placed = fixed_points(rules.board, count) if is_fixed else None
        if placed is None:
            self._note(Caveat("no_handicap", {"count": count}))
            return
        self._note(Caveat("handicap", {"count": count, "points": " ".join(rules.board.vertices_of(placed))}))
        self._change(dict.fromkeys(placed, BLACK), WHITE, Caveat("setup"))

    def _set_up(self, node: Node, number: int) -> None:
        """Note the stones that a node sets up, and the player that it names as next to move."""
        rules = self.game.rules
        # PL begins a game only in a node without a move: beside a move it names the next player.
        begins = "PL" in node and not self.game.events and not points.MOVES.keys() & node.keys()
        if not (begins or points.EDITS.keys() & node.keys()):
            return
        self.number = number
        first = None
        with name_place(f"node {number}"):
            try:
                first = points.player_to_move(rules, node)
            except RecordError as error:
                if not self.is_lenient:
                    raise
                self._note(Caveat("no_player", {"number": number, "why": error}))
            found = points.setup_of(rules, node, points.EDITS, self._points_of)
        if found or begins:
            self._change(found, first, Caveat("setup", {"number": number}))

    def _points_of(self, name: str, value: str) -> list[int]:
        """Return the points in a setup value; note a caveat if none. Raises RecordError for a fault unless lenient."""
        found: list[int] = []
        try:
            found = points.points_of(self.game.rules.board, name, value) if value.strip() else []
        except RecordError:
            if not self.is_lenient:
                raise
        if not found:
            self._note(Caveat("no_point", {"number": self.number, "text": f"{name}[{value[:20]}]"}))
        self.point_count += len(found)
        points.check_points(self.point_count)
        return found

    def _note(self, caveat: Caveat) -> None:
        if len(self.caveats) >= _MAX_CAVEATS:
            raise RecordError(f"more than {_MAX_CAVEATS} faults; the last is: {caveat.sentence()}")
        self.caveats.append(caveat)

    def _change(self, stones: Mapping[int, int], first: int | None, reason: Caveat) -> None:
        if self.setup is None:
            self.setup = {point: colour for point, colour in enumerate(self.game.position.stones) if colour}
        self.first, self.reason = first or self.first, reason
        self.setup |= stones

    def _begin(self, mover: int | None) -> None:
        """Start the game from the stones that were set up.

        PL's player plays first, else the mover, else White after a handicap. Raises RecordError for a bad setup.
        """
        if self.setup is None:
            return
        if len(self.before) >= _MAX_SETUPS:
            raise RecordError(f"node {self.number}: more than {_MAX_SETUPS} setups")
        rules = self.game.rules
        stones = {point: colour for point, colour in self.setup.items() if colour}
        handicap = WHITE if set(stones.values()) == {BLACK} and WHITE in rules.colours else None
        with name_place(f"node {self.number}"):
            fresh = new_game(rules, stones, self.first or mover or handicap)
        if self.game.events or self.before or self.reason.key == "illegal":
            self.before.append((self.game, self.reason))
        self.game = fresh
        self.counts = [-1 if number < self.number else 0 for number in range(len(self.counts))]
        self.times = {}
        self.setup = self.first = None

    def _note_time(self, node: Node, letter: str) -> None:
        """Note the time that a node states after a colour's move."""
        left_s = seconds_of(first_value(node, f"{letter}L"))
        if left_s is not None and self.game.events:
            self.times[len(self.game.events) - 1] = Time(left_s=left_s, left_count=count_of(node, f"O{letter}"))

    def _bear(self, error: RecordError, number: int, name: str, value: str) -> None:
        """Turn the error of a move into a caveat, and put its stone on the board. Raises the error unless lenient."""
        if not self.is_lenient:
            raise error
        fault = Caveat("illegal", {"why": str(error)})
        self._note(fault)
        board, colour = self.game.rules.board, points.MOVES[name]
        if self.setup is not None or not isinstance(error.__cause__, IllegalMove) or points.is_pass(board, value):
            return
        point = points.point_of(board, name, value.strip())
        try:
            self.game.take_in(colour, point)
        except VariantsError:
            self.number = number
            stones = points.execute(board, self.game.position.stones, colour, point)
            self._change(dict(enumerate(stones)), BLACK + WHITE - colour, fault)
            self._begin(None)

    def _play(self, event: Event, number: int) -> None:
        """Play a move of a format without skipped turns, resumed games and dice. Raises RecordError if illegal."""
        game, rules = self.game, self.game.rules
        if len(game.events) >= MAX_EVENTS:
            raise RecordError(f"node {number}: more than {MAX_EVENTS} events")
        if event.action == PASS and rules.is_final(game.position):
            return
        try:
            # A later stone shows that the end by passes was not final, so resume the game.
            if number <= self.last_stone and rules.is_suspended(game.position):
                game.play(game.position.mover, RESUME)
            if event.actor != game.position.mover:
                game.play(event.actor, TURN)
            while game.position.to_play == CHANCE:
                if self.draws is None:
                    raise RecordError("the file lacks the dice throws of this game")
                game.play(CHANCE, self.draws(game, event))
            carry_out = game.take_in if self.is_taken_in else game.play
            carry_out(event.actor, event.action)
        except RecordError as error:
            raise RecordError(f"node {number}: {error}") from None
        except VariantsError as error:
            told = f"{describe_error(error)}{_whose_rules(error, rules, self.nodes[0])}"
            raise RecordError(f"node {number}: {told}") from error
