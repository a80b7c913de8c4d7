"""An external engine as a player. It is sent the news for its seat, and asked for a move on its turn.

The commands depend on the engine's abilities. `level` returns the first of these levels that fits:

`variants`  The engine has `variant-set` and accepts the SPEC. It is sent every move (`play`) and every draw
            (`aleago-draw`), and moves on `genmove`. For a hidden game it needs `phantom-seat` and `phantom-hear`.
`draws`     The game is Aléago and the engine has `aleago-draw`. It is sent every move and every draw, but
            `boardsize` and `komi` set up its board.
`allow`     The engine knows only Go but can be restricted to given points, by `kata-genmove_analyze` or
            `lz-genmove_analyze` with `allow`, or by `restricted_genmove`. It plays Aléago and Alter Igo this way.
`plain`     The engine knows only Go. If the draw or a repetition forbids its move, the move is taken back and the
            engine is asked again. After three such moves, or a repeated move, `best_open_point` plays for it.

At the last two levels an engine is not asked if no point is open. A restricted engine that passes is asked again
without the restriction; `best_open_point` plays unless it passes again or its move is open. Where captures differ from
Go's, the board is set up anew by `clear_board` and `play`. A move that Go itself forbids stands, and loses the game.
"""

import math
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from gtp_variants import errors
from gtp_variants.ai.samples.thought import Thought, read_thought
from gtp_variants.gtp.client.peer import CLEAR, AnalysingPeer, Launch, Line, Peer, TalkLog, read_analysis
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.records.katago_rules import write_unusual_rules
from gtp_variants.records.news_notation import write_news
from gtp_variants.records.notation import read_move, write_faces, write_move
from gtp_variants.rules.actions import CHANCE, LEAVING, PASS, RESIGN, RESUME, SET_DICE, SWAP, TURN, unpack
from gtp_variants.rules.boards.chains import chain, is_eye, liberties, place
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.dice import dice_of_code
from gtp_variants.rules.languages import format_number
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules, faces_of
from gtp_variants.rules.turn_rules import next_mover
from gtp_variants.rules.views import News, View

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.result import OnProgress, SearchResult


def play_line(rules: Rules, colour: int, action: int) -> Line:
    """Return the `play` line for a stone, pass or swap."""
    return "play", COLOUR_LETTERS[colour], write_move(rules.board, action)


def go_opening(rules: Rules, peer: Peer) -> list[Line]:
    """Return the lines that begin a game for a Go-only engine. Raises PeerUnfit if the board is not a Go board.

    Rules that are unusual in more than repetition are sent to an engine that has `kata-set-rules`.
    """
    board = rules.board
    if board.geometry != "rect" or len(board) != board.width * board.height:
        raise errors.PeerUnfit(f"{rules.name} is not played on a Go board; the engine needs `variant-set`")
    if board.width == board.height:
        lines: list[Line] = [("boardsize", str(board.width))]
    elif peer.knows("rectangular_boardsize"):
        lines = [("rectangular_boardsize", str(board.width), str(board.height))]
    else:
        shape = f"{board.width} by {board.height}"
        raise errors.PeerUnfit(f"a board of {shape} needs `variant-set` or `rectangular_boardsize`")
    komi = rules.values.get("komi")
    if komi is not None:
        lines.append(("komi", format_number(float(str(komi)))))
    told = write_unusual_rules(rules)
    if told and peer.knows("kata-set-rules"):
        lines.append(("kata-set-rules", told))
    return [*lines, CLEAR]


class MoveCommands:
    """The lines for an engine that knows the game, for every move and every draw."""

    def __init__(self, rules: Rules, opening: Sequence[Line], knows: Callable[[str], bool]) -> None:
        """`knows` returns True for a command that the engine has."""
        self.rules = rules
        self.lines = list(opening)
        self._position = rules.start()
        self._knows = knows

    def hear(self, news: News) -> None:
        assert news.after is not None
        self.lines += self._lines_of(news, news.after)
        self._position = news.after

    def _lines_of(self, news: News, after: Position) -> list[Line]:
        rules, action = self.rules, news.action
        if action is None:
            return self._start(after)
        if news.actor == CHANCE and action >= 0:
            return [self._draw(action)]
        kind, argument = unpack(action)
        if action >= 0 or action in (PASS, SWAP):
            return [play_line(rules, news.actor, action)]
        if kind == SET_DICE:
            return [("aleago-set_dice", str(dice_of_code(argument)))]
        if kind == RESUME:
            names = ("variant-resume", "aleago-resume")[: 1 + isinstance(rules, DicedRules)]
            known: list[Line] = [(name,) for name in names if self._knows(name)]
            return known[:1]
        if kind in LEAVING and len(rules.colours) > 2 and self._knows("variant-resign"):
            # Only a game of three goes on after a departure, so only then is the engine told.
            return [("variant-resign", COLOUR_LETTERS[news.actor])]
        # The end of a game and a skipped turn need no line, because GTP lets either colour play at any time.
        return []

    def _start(self, position: Position) -> list[Line]:
        board, stones = self.rules.board, []
        for point in board.order:
            if position.stones[point]:
                stones += [COLOUR_LETTERS[position.stones[point]], board.vertex(point)]
        placed: list[Line] = [("gogui-setup", *stones)] if stones else []
        return [*placed, ("gogui-setup_player", COLOUR_LETTERS[position.mover])]

    def _draw(self, action: int) -> Line:
        """Return the line for a draw. A second draw, known through the crystal ball, belongs to the next side."""
        rules, position = self.rules, self._position
        owner = position.mover if not position.draws else next_mover(rules.colours, position, position.mover)
        faces = faces_of(rules, position, action)
        return "aleago-draw", COLOUR_LETTERS[owner], *write_faces(faces).split()


class BoardCommands:
    """The lines for a Go-only engine: one per move, or a new setup where captures differ from Go's."""

    def __init__(self, rules: Rules, opening: Sequence[Line]) -> None:
        self.rules = rules
        self.lines = list(opening)
        self._opening = len(opening)
        self._stones = bytes(len(rules.board))

    def hear(self, news: News) -> None:
        if news.after is None or (news.actor == CHANCE and news.action is not None):
            return
        if news.action is None:
            self.set_up(news.after.stones)
        elif news.action == PASS:
            self.lines.append(play_line(self.rules, news.actor, PASS))
        elif news.action >= 0:
            self._place(news.actor, news.action, news.after.stones)

    def _place(self, colour: int, point: int, stones: bytes) -> None:
        by_go = place(self.rules.board, self._stones, colour, point)
        if by_go is not None and bytes(by_go[0]) == stones:
            self.lines.append(play_line(self.rules, colour, point))
            self._stones = stones
        else:
            self.set_up(stones)

    def set_up(self, stones: bytes | None = None) -> None:
        """Set up the board again, by default with the present stones. Each chain has a liberty, so any order works."""
        self._stones = self._stones if stones is None else stones
        del self.lines[self._opening :]
        order = self.rules.board.order
        self.lines += [play_line(self.rules, self._stones[point], point) for point in order if self._stones[point]]


class NewsCommands:
    """The `phantom-hear` lines for a seat of a hidden game."""

    def __init__(self, rules: Rules, opening: Sequence[Line]) -> None:
        self.rules = rules
        self.lines = list(opening)

    def hear(self, news: News) -> None:
        if news.seating is not None:
            raise errors.PeerUnfit("cannot send an engine a hidden game with starting stones")
        written = write_news(self.rules, news)
        if written:
            self.lines.append(("phantom-hear", *written))


GameCommands = MoveCommands | BoardCommands | NewsCommands


VARIANTS, DRAWS, ALLOW, PLAIN = "variants", "draws", "allow", "plain"
# Commands that restrict a Go engine to some points, in order of preference.
RESTRICTING = ("kata-genmove_analyze", "lz-genmove_analyze", "restricted_genmove")
_ASKED_AT_MOST = 3
# The first word of an agreement -> the command that tells an engine of it, if it has to be told.
_TELLING = {"set_dice": "aleago-set_dice", "resume": "variant-resume"}
# Report interval in centiseconds. It is long because no report is needed before the answer.
_SELDOM = 100_000


class Engines(Protocol):
    """A source of engines."""

    def take(self, colour: int, seed: str) -> Peer:
        """Return an engine for a seat. Raises PeerError if no engine can be started."""

    def give_back(self, peer: Peer, outcome: Outcome | None, failure: errors.PeerError | None) -> None:
        """Take an engine back after its game, or after a failure."""


class FreshEngines:
    """A source that starts a new engine for each game, and may log the talk and write its standard error to files."""

    def __init__(self, launch: Launch, stderr: Path | None = None, talk: Path | None = None) -> None:
        self._launch, self._stderr, self._talk = launch, stderr, talk

    def take(self, colour: int, seed: str) -> Peer:
        talk = None if self._talk is None else TalkLog(self._talk)
        return Peer(self._launch.start(self._stderr, is_quiet=self._talk is not None), self._launch, talk)

    def give_back(self, peer: Peer, outcome: Outcome | None, failure: errors.PeerError | None) -> None:
        peer.close(failure)


def level(peer: Peer, rules: Rules) -> str:
    """Find the level at which an engine plays a game, with few commands. Raises PeerUnfit if none fits."""
    refusal = ""
    if peer.knows("variant-set"):
        peer.told.clear()
        try:
            peer.tell([("variant-set", rules.spec)])
        except errors.Refused as error:
            refusal = f"; it refused {error.command!r}: {error.answer}"
        else:
            lacks = [name for name in ("phantom-seat", "phantom-hear") if not rules.is_open and not peer.knows(name)]
            if lacks:
                raise errors.PeerUnfit(f"{peer.name} cannot play a hidden game: it has no {' and no '.join(lacks)}")
            return VARIANTS
    if not rules.profile.fits_go_hosts:
        why = f"its variant-set is missing or refuses it{refusal}"
        raise errors.PeerUnfit(f"{peer.name} does not know {rules.name}: {why}")
    go_opening(rules, peer)
    if isinstance(rules, DicedRules) and peer.knows("aleago-draw"):
        return DRAWS
    if not rules.profile.is_go and restricting(peer):
        return ALLOW
    return PLAIN


def restricting(peer: Peer) -> str | None:
    """Return the command that restricts an engine to some points, or None if the engine has no such command."""
    return next((name for name in RESTRICTING if peer.knows(name)), None)


def prepare(peer: Peer, rules: Rules, colour: int) -> tuple[str, GameCommands]:
    """Begin a game. Return the engine's level and commands. Raises PeerUnfit if the engine cannot play the game."""
    at = level(peer, rules)
    opening: list[Line] = [("variant-set", rules.spec)]
    if at != VARIANTS:
        opening = go_opening(rules, peer)
    script: GameCommands
    if not rules.is_open:
        script = NewsCommands(rules, [*opening, ("phantom-seat", COLOUR_LETTERS[colour])])
    elif at in (ALLOW, PLAIN):
        script = BoardCommands(rules, opening)
    else:
        script = MoveCommands(rules, opening, peer.knows)
    try:
        peer.tell(script.lines)
    except errors.Refused as error:
        raise errors.PeerUnfit(f"{peer.name} cannot play {rules.name} here: {error}") from None
    return at, script


def time_settings(control: TimeControl, peer: Peer) -> Line | None:
    """Return the line that best describes a time control to an engine, or None if no line is needed."""
    main, period = (str(math.floor(part)) for part in (control.main_s, control.period_s))
    if control.kind == "none":
        # In GTP a period without stones means no time limit.
        return ("time_settings", "0", "1", "0") if peer.time_settings else None
    if control.kind == "canadian":
        return "time_settings", main, period, str(control.stones)
    if control.kind == "byoyomi" and peer.knows("kgs-time_settings"):
        return "kgs-time_settings", "byoyomi", main, period, str(control.periods)
    if control.kind == "fischer" and peer.knows("kata-time_settings"):
        return "kata-time_settings", "fischer", f"{control.main_s:g}", f"{control.increment_s:g}"
    return "time_settings", main, "0", "0"


def random_seed(seed: str) -> int:
    """Convert a seed to a 31-bit number, as engines expect."""
    return int.from_bytes(sha256(seed.encode()).digest()[:4], "big") >> 1


def best_open_point(rules: Rules, view: View, wanted: Sequence[int]) -> int:
    """Return the point to play for an engine whose own moves are not open.

    Return RESIGN if every point loses at once. Of the other points prefer, in this order: outside the engine's own
    eyes, most captures, no self-atari, nearest to the engine's first choice, first by column and row.
    """
    board, position, colour = rules.board, view.position, view.colour
    assert position is not None
    points = [point for point in view.actions if point >= 0]
    safe = [point for point in points if not rules.loses(position, point)]

    def worth(point: int) -> tuple[bool, int, bool, int, tuple[int, int]]:
        x, y = board.cells[point]
        after = rules.play(position, point)
        stays = after.stones[point] and len(liberties(board, after.stones, chain(board, after.stones, point))) > 1
        far = abs(x - board.cells[wanted[0]][0]) + abs(y - board.cells[wanted[0]][1]) if wanted else 0
        return is_eye(board, view.stones, point, colour), -len(after.captured), not stays, far, (x, y)

    return min(safe, key=worth) if safe else RESIGN


class GtpPlayer:
    """A player backed by a GTP engine, taken in `sit` and given back in `leave`.

    Raises PeerError for any failure of the engine. `explanation` gives the reason if the engine's own choice was not
    played. `found` is the engine's analysis of its last move, or None without an analysis.
    """

    def __init__(self, engines: Engines) -> None:
        self.engines = engines
        self.explanation = ""
        self.found: Thought | None = None
        self.level = ""
        # Set by a host. It is called while the engine thinks. If it returns False, the engine stops thinking.
        self.on_progress: OnProgress | None = None
        self._peer: Peer | None = None
        self._script: GameCommands | None = None
        self._asked: _Asked | None = None

    @property
    def answer(self) -> str:
        """The engine's last answer to a request for a move, or ""."""
        return "" if self._asked is None else self._asked.answer

    def sit(self, rules: Rules, colour: int, seed: str) -> None:
        """Take an engine and prepare it for the game. Raises PeerUnfit if it cannot play the game."""
        self.rules, self.colour, self.seed = rules, colour, seed
        self._letter = COLOUR_LETTERS[colour]
        with self._engine() as peer:
            self.level, self._script = prepare(peer, rules, colour)
            if peer.knows("set_random_seed"):
                peer.ask("set_random_seed", random_seed(seed))

    def hear(self, news: News) -> None:
        """Send the news at once if the engine has all earlier news, else before the next request for a move."""
        script = self._script
        assert script is not None
        before = len(script.lines)
        script.hear(news)
        if self._peer is not None and len(self._peer.told) == before and script.lines[:before] == self._peer.told:
            with self._engine() as peer:
                self._tell(peer)

    def choose(self, view: View, clock: Clock) -> int:
        """Return the engine's move or, if the move of a Go engine is not open, the move that replaces it."""
        self.explanation, self.found = "", None
        with self._engine() as peer:
            if not isinstance(peer, AnalysingPeer):
                return self._choose(peer, view, clock)
            peer.analysis = ""
            action = self._choose(peer, view, clock)
            self.found = _read_thought(self.rules, self.colour, peer.analysis)
            return action

    def _choose(self, peer: Peer, view: View, clock: Clock) -> int:
        self._tell(peer)
        self._tell_time(peer, clock)
        asked = self._asked = _Asked(peer, self.rules, self.colour, clock, self.on_progress)
        if self.level in (VARIANTS, DRAWS) or self.rules.profile.is_go:
            self._tell_draw_out_of_turn(peer, view)
            action = asked.genmove()
            if self.rules.is_open:
                self._note_move(peer, action)
            return action
        return self._choose_as_go(peer, view, asked)

    def negotiate(self, command: str, agreement: str = "", unasked: str = "") -> str:
        """Ask the engine about an agreement. Return its answer, `unasked` without the command, or "" if it has none.

        Also return "" if the engine would have to be told of the agreement and lacks the command for that.
        """
        with self._engine() as peer:
            answer = unasked
            if peer.knows(command):
                self._tell(peer)
                answer = peer.ask(command, self._letter, *agreement.split()) or ""
            telling = _TELLING.get((agreement or answer).partition(" ")[0])
            is_told = telling is not None and self.level in (VARIANTS, DRAWS)
            return "" if is_told and not peer.knows(str(telling)) else answer

    def find_dead(self) -> Collection[int] | None:
        """Return the points of the stones that the engine calls dead; None if it gives no list, or in a hidden game."""
        with self._engine() as peer:
            # Do not ask an engine that knows only its own stones, because it cannot judge any stones.
            if not self.rules.is_open or not peer.knows("final_status_list"):
                return None
            self._tell(peer)
            answer = peer.ask("final_status_list", "dead")
            if answer is None:
                return None
            try:
                return {self.rules.board.point(word) for word in answer.split()}
            except errors.VariantsError as error:
                what = f"its answer {answer[:40]!r} to final_status_list"
                raise errors.PeerGarbled(f"cannot read {what}: {error}") from None

    def leave(self, outcome: Outcome | None) -> None:
        peer, self._peer = self._peer, None
        if peer is None:
            return
        failure = None
        try:
            if outcome is not None and not self.rules.is_open:
                peer.ask("phantom-hear", "end", outcome.sgf)
        except errors.PeerError as error:
            failure = error
        self.engines.give_back(peer, outcome, failure)

    def engine(self) -> Peer:
        """Return the engine, or a new engine if the last engine failed."""
        if self._peer is None:
            self._peer = self.engines.take(self.colour, self.seed)
        return self._peer

    @contextmanager
    def _engine(self) -> Iterator[Peer]:
        """Yield the engine, and give it back at once if it fails."""
        try:
            yield self.engine()
        except errors.PeerError as error:
            peer, self._peer = self._peer, None
            if peer is not None:
                self.engines.give_back(peer, None, error)
            raise

    def _tell(self, peer: Peer) -> None:
        script = self._script
        assert script is not None
        try:
            peer.tell(script.lines)
        except errors.Refused as error:
            if not isinstance(script, BoardCommands):
                raise errors.PeerGarbled(f"it refused the game so far: {error}") from None
            # Go may forbid a repetition that this game allows, so set the board up again: then nothing is a repetition.
            script.set_up()
            try:
                peer.tell(script.lines)
            except errors.Refused as again:
                raise errors.PeerGarbled(f"it refused the board: {again}") from None

    def _tell_draw_out_of_turn(self, peer: Peer, view: View) -> None:
        """Send the draw to a side that is asked out of turn, after passes have suspended the game."""
        position = view.position
        if position is not None and position.draws and view.news and view.news[-1].action == TURN:
            faces = write_faces(faces_of(self.rules, position, position.draws[0]))
            # An engine that has given the turn to the other side refuses this command, and does not need it.
            peer.ask("aleago-draw", self._letter, faces)

    def _tell_time(self, peer: Peer, clock: Clock) -> None:
        settings = time_settings(clock.control, peer)
        if settings is not None and settings != peer.time_settings:
            peer.ask(*settings)
            peer.time_settings = settings
        if clock.control.kind != "none" and peer.knows("time_left"):
            peer.ask("time_left", self._letter, math.floor(clock.left_s), clock.left_count)

    def _note_move(self, peer: Peer, action: int) -> None:
        """Record that the engine has played its move on its own board."""
        if action != RESIGN and action < len(self.rules.board):
            peer.told.append(play_line(self.rules, self.colour, action))

    def _choose_as_go(self, peer: Peer, view: View, asked: "_Asked") -> int:
        points = [action for action in view.actions if action >= 0]
        if not points:
            return PASS
        if PASS not in view.actions:
            assert view.position is not None
            points = [point for point in points if not self.rules.loses(view.position, point)] or points
        wanted: list[int] = []
        is_held = self.level == ALLOW
        for _ in range(_ASKED_AT_MOST):
            action = asked.among(points, PASS in view.actions) if is_held else asked.genmove()
            if is_held and action == PASS:
                # The engine chose no open point, so ask for an unrestricted move. A new setup undoes the pass, which
                # not every engine has played.
                is_held = False
                peer.told.clear()
                self._tell(peer)
                continue
            self._note_move(peer, action)
            if action in points or action == RESIGN or self._is_no_stone(view, action):
                return action
            if action == PASS and PASS in view.actions:
                return PASS
            if action == PASS or action in wanted or self.level == ALLOW:
                wanted += [action] if action >= 0 and action not in wanted else []
                break
            wanted.append(action)
            self._tell(peer)
        point = best_open_point(self.rules, view, wanted)
        asked_for = ", ".join(self.rules.board.vertex(point) for point in wanted) or "a pass"
        played = write_move(self.rules.board, point)
        self.explanation = f"the engine wanted {asked_for}, which is not open; {played} is played instead"
        peer.note(self.explanation)
        return point

    def _is_no_stone(self, view: View, action: int) -> bool:
        """Return True if Go itself forbids the stone, so that no engine may answer with it."""
        if action < 0:
            return False
        if action >= len(self.rules.board):
            return True
        assert view.position is not None
        try:
            self.rules.play(view.position, action)
        except errors.IllegalMove as error:
            return error.reason not in ("line", "repetition")
        return False


class _Asked:
    """One decision by an engine. All requests for it share the time of one move."""

    def __init__(self, peer: Peer, rules: Rules, colour: int, clock: Clock, on_progress: "OnProgress | None") -> None:
        self._should_stop = None if on_progress is None else lambda: not on_progress(_nothing_yet)
        self.answer = ""
        self._peer, self._rules, self._letter = peer, rules, COLOUR_LETTERS[colour]
        self._has_clock = clock.longest_s < math.inf
        within_s = clock.longest_s + peer.launch.margin_s if self._has_clock else peer.launch.command_s
        self._deadline = time.monotonic() + within_s

    def genmove(self) -> int:
        """Return the engine's unrestricted move."""
        return self._read(self._send("genmove", self._letter))

    def among(self, points: Sequence[int], may_pass: bool) -> int:
        """Return the engine's move if it may play only on these points and, with `may_pass`, pass."""
        command = restricting(self._peer)
        assert command is not None
        vertices = self._rules.board.vertices_of(points)
        if command == "restricted_genmove":
            return self._read(self._send(command, self._letter, *vertices))
        listed = ",".join([*vertices, "pass"] if may_pass else vertices)
        answer = self._send(command, self._letter, str(_SELDOM), "allow", self._letter, listed, "1")
        # The last line is `play VERTEX`, and the lines before it are analysis.
        return self._read(answer.rpartition("\n")[2].removeprefix("play").strip())

    def _send(self, *line: str) -> str:
        try:
            self._peer.should_stop = self._should_stop
            return self._peer.send(*line, timeout_s=max(0.0, self._deadline - time.monotonic()))
        except errors.PeerSilent as error:
            if self._has_clock:
                raise errors.PeerLate(str(error)) from None
            raise

    def _read(self, answer: str) -> int:
        self.answer = answer
        try:
            return read_move(self._rules.board, answer)
        except errors.NotationError:
            raise errors.PeerGarbled(f"expected a vertex, pass or resign, got {answer[:40]!r}") from None


def _read_thought(rules: Rules, colour: int, said: str) -> Thought | None:
    """Return the search result in an engine's analysis, or None if it has neither visits nor a win rate."""
    note, visits = read_analysis(said), []
    moves, won = note.get("moves"), note.get("winrate")
    for move in moves if isinstance(moves, list) else ():
        with suppress(errors.NotationError, TypeError, KeyError):
            visits.append((read_move(rules.board, str(move["move"])), move["visits"]))
    values: list[float] = []
    if isinstance(won, float | int) and len(rules.colours) == 2:
        values = [won if each == colour else 1 - won for each in rules.colours]
    return read_thought(rules, visits, values)


def _nothing_yet() -> "SearchResult":
    """Return an empty result: an external engine's search is not visible."""
    from gtp_variants.ai.mcts.result import NO_RESULT

    return NO_RESULT
