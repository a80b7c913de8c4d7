"""Check an engine against the rules, with the games and probes in the conformance files `gtp/conformance/GAME.jsonl`.

An engine that lists legal moves or shows its state is compared with the rules after each step. Any other engine is
tested by probes: positions in which an engine with a wrong belief about the rules can hardly answer legally.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import islice

from gtp_variants.base.json_values import Json, parse_object
from gtp_variants.errors import IllegalMove, NotationError, PeerUnfit, Refused
from gtp_variants.gtp.client.peer import Line, Peer
from gtp_variants.gtp.client.player import DRAWS, VARIANTS, go_opening, level
from gtp_variants.records.drawing.diagram import diagram
from gtp_variants.records.notation import read_faces, read_move, write_move
from gtp_variants.records.state import describe_game
from gtp_variants.rules import parse
from gtp_variants.rules.actions import CHANCE, PASS, RESIGN
from gtp_variants.rules.colour_names import COLOUR_LETTERS, read_colour
from gtp_variants.rules.game import Game
from gtp_variants.rules.traits import DicedRules

# Number of times that each probe asks for a move, because an engine may pass or choose at random.
REPEATS = 4
# Number of games of a file that are replayed by default, after all its probes.
SAMPLE = 5
_SURE = 0.5  # minimum probability that an engine with the wrong belief answers wrongly, for a probe


@dataclass(frozen=True, slots=True)
class RuleFault:
    """A rule that an engine gets wrong.

    `position` is a diagram and `sent` the commands that lead there. `belief` names the wrong belief, or is "" if no
    known belief explains the answer. `fault` and `rule` describe the wrong belief and the true rule.
    """

    spec: str
    asked: str
    answer: str
    expected: str
    position: str
    sent: tuple[str, ...]
    belief: str = ""
    fault: str = "answers against the rules"
    rule: str = ""

    def text(self) -> str:
        """Return the fault in words, with the position and the expected answer."""
        rule = f" The rule: {self.rule}" if self.rule else ""
        asked = f"asked: {self.asked}\nanswered: {self.answer}\nexpected: {self.expected}"
        return f"{self.spec}: it {self.fault}.{rule}\n{self.position.rstrip()}\n{asked}"


_LIST = "variant-legal_moves"


class _Wrong(Exception):
    """An answer that the rules exclude: what was asked, the answer and the expected answer."""


class _Case:
    """One line of a file, played move by move on our board and on the engine's board."""

    def __init__(self, line: Json, peer: Peer) -> None:
        self.line, self.peer = line, peer
        self.rules = parse(line["spec"])
        self.game = Game(self.rules)
        self.level = level(peer, self.rules)
        if self.level != VARIANTS and ("," in line["spec"] or not (self.rules.profile.is_go or self.level == DRAWS)):
            raise PeerUnfit(f"{peer.name} cannot be set to {line['spec']}")
        if not self.rules.is_open and not peer.knows(_LIST):
            raise PeerUnfit(f"{peer.name} cannot referee a hidden game")
        self.sent: list[Line] = []
        # The game at the end of the steps, and the commands that led there, once the steps have been played.
        self.reached, self.path = self.game, list(self.sent)

    def begin(self) -> None:
        """Set up the engine for a new game. Raises PeerUnfit if it cannot be set up."""
        self.game = Game(self.rules)
        opening = [("variant-set", self.rules.spec)] if self.level == VARIANTS else go_opening(self.rules, self.peer)
        self.sent = []
        self.peer.told.clear()
        try:
            for line in [*opening, ("clear_board",)]:
                self.send(*line)
        except Refused as error:
            raise PeerUnfit(str(error)) from None
        if self.peer.knows("time_settings"):
            # Allow a tenth of a second per move, because the checks do not need good moves.
            self.peer.ask("time_settings", 0, 1, 10)

    def send(self, *line: str) -> str:
        self.sent.append(line)
        return self.peer.send(*line)

    def do(self, step: str, refusal: str = "") -> None:
        """Play a step of the file on both boards; with `refusal` the engine must refuse it. Raises _Wrong otherwise."""
        word, *rest = step.split()
        rules = self.rules
        if word == "draw":
            assert isinstance(rules, DicedRules)
            dice = rules.dice_of(self.game.position)
            self.send("aleago-draw", *rest)
            self.game.play(CHANCE, dice.outcome(read_faces(rest[1:])))
            return
        self.tell(word, rest[0], refusal)
        self.game.play(read_colour(word), read_move(rules.board, rest[0]))

    def tell(self, colour: str, vertex: str, refusal: str = "") -> None:
        """Send a stone or pass that must be accepted or, with `refusal`, refused. Raises _Wrong otherwise."""
        asked = f"play {colour} {vertex}"
        try:
            self.send("play", colour, vertex)
        except Refused as error:
            if not refusal:
                raise _Wrong(asked, f"? {error.answer}", "=") from None
        else:
            if refusal:
                raise _Wrong(asked, "=", f"? {refusal}")

    @property
    def legal(self) -> list[str]:
        """The legal moves, as GTP words."""
        return sorted(write_move(self.rules.board, action) for action in self.rules.legal(self.game.position))

    def compare_legal(self) -> None:
        """Compare the engine's list of legal moves, if it gives a list, with ours. Raises _Wrong if they differ."""
        if not self.peer.knows(_LIST):
            return
        answer = self.send(_LIST)
        if sorted(answer.upper().split()) != sorted(word.upper() for word in self.legal):
            raise _Wrong(_LIST, answer, " ".join(self.legal) or "no move")

    def compare_state(self) -> None:
        """Compare the stones, result and announcements shown by the engine with ours. Raises _Wrong if they differ."""
        if not self.peer.knows("variant-state"):
            return
        answer = self.send("variant-state")
        try:
            found = _facts(parse_object(answer))
        except (ValueError, KeyError, TypeError):
            raise _Wrong("variant-state", answer, "the keys of `variant-state`") from None
        for key, value in _facts(describe_game(self.game)).items():
            if found[key] != value:
                raise _Wrong(f"variant-state: {key}", json.dumps(found[key]), json.dumps(value))

    def fault(self, wrong: _Wrong) -> RuleFault:
        """Return a wrong answer as a `RuleFault` without a belief."""
        asked, answer, expected = wrong.args
        position = diagram(self.rules, self.game.position)
        sent = tuple(" ".join(line) for line in self.sent)
        return RuleFault(self.line["spec"], asked, answer, expected, position, sent)


def _facts(state: Json) -> Json:
    """Return the facts of a `variant-state` that do not depend on its language."""
    said = [(each["code"], each["count"]) for each in state["announcements"]]
    return {**{key: state[key] for key in ("stones", "captures", "result")}, "announcements": said}


def read_file(game: str) -> tuple[Json, list[Json]]:
    """Return the head of a game's conformance file and its other lines; both are empty for a game of an extension."""
    file = files("gtp_variants.gtp").joinpath("conformance", f"{game}.jsonl")
    head, *lines = map(json.loads, file.read_text(encoding="utf-8").splitlines() if file.is_file() else ["{}"])
    return head, lines


def find_fault(peer: Peer, game: str, most_games: int | None = SAMPLE) -> RuleFault | None:
    """Drive an engine through a game's file: all probes and up to `most_games` games. Return its fault, or None.

    The fault names the wrong belief that best explains which probes failed. An engine that cannot play the game has
    no fault. Raises PeerError if the engine fails.
    """
    head, lines = read_file(game)
    probes = [line for line in lines if "probe" in line]
    games = [line for line in lines if "steps" in line and "probe" not in line]
    failed = list(_find(peer, head, probes, _probe))
    if not failed:
        failed = list(islice(_find(peer, head, islice(games, most_games), _replay), 1))
        with suppress(PeerUnfit, _Wrong):
            return failed[0][1] if failed else _find_idle(peer, head, probes)
        return None

    def fit(belief: str) -> float:
        """Return the overlap, from 0 to 1, of the probes that show a belief and the probes that the engine failed."""
        shown = [line for line in probes if belief in line["shows"]]
        both = sum(belief in line["shows"] for line, _ in failed)
        return both / (len(shown) + len(failed) - both)

    best = max(head["beliefs"], key=fit)
    return _name(next((fault for line, fault in failed if line["probe"] == best), failed[0][1]), best, head)


def _name(fault: RuleFault, belief: str, head: Json) -> RuleFault:
    words = head["beliefs"][belief]
    return replace(fault, belief=belief, fault=words["fault"], rule=words["rule"])


def _find(
    peer: Peer, head: Json, lines: Iterable[Json], check: Callable[[_Case], None]
) -> Iterator[tuple[Json, RuleFault]]:
    """Yield each of `lines` in which `check` finds a fault, with the fault. Skip lines that the engine cannot play."""
    for line in lines:
        try:
            case = _Case(line, peer)
            if "probe" not in line or head["beliefs"][line["probe"]]["usual"] or case.level == VARIANTS:
                check(case)
        except PeerUnfit:
            continue
        except _Wrong as wrong:
            yield line, case.fault(wrong)


def _replay(case: _Case) -> None:
    case.begin()
    for step in case.line["steps"]:
        facts = {"do": step} if isinstance(step, str) else step
        case.do(facts["do"], facts.get("error", ""))
        if not facts["do"].startswith("draw"):
            case.compare_state()
        if case.game.outcome is None and case.game.position.to_play != CHANCE:
            case.compare_legal()


def _walk(case: _Case) -> None:
    """Lead the engine to a probe's position. Raises _Wrong if the engine refuses a step."""
    if case.path:
        case.game, case.sent = case.reached, []
        case.peer.told.clear()
        for line in case.path:
            case.send(*line)
        return
    case.begin()
    for step in case.line["steps"]:
        case.do(step)
    case.reached, case.path = case.game, list(case.sent)


def _probe(case: _Case) -> None:
    """Check the moves that an engine lists, accepts and chooses at a probe. Raises _Wrong for a fault."""
    _walk(case)
    case.compare_legal()
    line, mover = case.line, case.line["to_play"]
    for vertex in line["missing"].split()[:1]:
        case.tell(mover, vertex)
        _walk(case)
    if _is_judge(case):
        for vertex in line["wrong"].split()[:1]:
            case.tell(mover, vertex, "illegal move")
    if line["wrong"] and line["sure"] >= _SURE and case.rules.is_open:
        for number in range(1 if case.peer.knows(_LIST) else REPEATS):
            _walk(case)
            _ask(case, mover, number)


def _is_judge(case: _Case) -> bool:
    """Return True if the engine refuses illegal stones, False in ordinary Go, where it may accept them from hosts."""
    if case.rules.profile.is_go:
        return False
    taken = [point for point, there in enumerate(case.game.position.stones) if there]
    return bool(taken) and case.peer.ask("play", case.line["to_play"], case.rules.board.vertex(taken[0])) is None


def _ask(case: _Case, mover: str, number: int) -> int:
    """Ask for a move, and return it. Raises _Wrong if the engine refuses or the move is illegal."""
    if case.peer.knows("set_random_seed"):
        case.peer.ask("set_random_seed", number)
    rules, asked, legal = case.rules, f"genmove {mover}", " or ".join(case.legal)
    try:
        answer = case.send("genmove", mover)
    except Refused as error:
        raise _Wrong(asked, f"? {error.answer}", legal) from None
    try:
        action = read_move(rules.board, answer)
        if action != RESIGN:
            rules.play(case.game.position, action)
    except (IllegalMove, NotationError) as error:
        raise _Wrong(asked, f"{answer}, which is illegal {error}", legal) from None
    return action


def _find_idle(peer: Peer, head: Json, probes: Sequence[Json]) -> RuleFault | None:
    """Return a fault if a Go engine passes at each probe of a belief, but moves if the stones are placed directly.

    This finds beliefs under which no move seems legal. An engine that also passes on a plain board, where a move is
    good, is only timid and has no fault.
    """
    idle = [line for line in probes if not line["wrong"] and line["sure"] >= _SURE]
    if "timid" not in head or _passes(_Case(head["timid"], peer), _walk):
        return None
    for belief in dict.fromkeys(line["probe"] for line in idle):
        cases = [_Case(line, peer) for line in idle if line["probe"] == belief]
        if all(_passes(case, _walk) and not _passes(case, _place) for case in cases):
            _walk(cases[0])
            asked, answer = f"genmove {cases[0].line['to_play']}", "pass; with the same stones, placed at once, a move"
            return _name(cases[0].fault(_Wrong(asked, answer, " or ".join(cases[0].legal))), belief, head)
    return None


def _passes(case: _Case, prepare: Callable[[_Case], None]) -> bool:
    """Return True if an engine passes every time it is asked. `prepare` leads the engine to the position."""
    for number in range(REPEATS):
        prepare(case)
        if _ask(case, case.line["to_play"], number) != PASS:
            return False
    return True


def _place(case: _Case) -> None:
    """Place the stones of a probe's position directly, without captures, and the stone of the last move last."""
    _walk(case)
    rules, position = case.rules, case.game.position
    placed = [point for point, there in enumerate(position.stones) if there]
    last = -1 if position.last is None else position.last.action
    case.begin()
    for point in sorted(placed, key=lambda point: point == last):
        case.send("play", COLOUR_LETTERS[position.stones[point]], rules.board.vertex(point))
    case.game = Game(rules, {point: position.stones[point] for point in placed}, position.mover)
