"""Write the conformance files of the package, `gtp_variants/gtp/conformance/GAME.jsonl`, from our rules.

    python -m benchmarks.correctness.write_conformance [GAME...]

Games are random, with fixed seeds, so that the files are the same on every machine. Probes are positions in which a
believer of `tests/gtp/client/wrong_rules.py` sees other legal points than the rules. The best are those in which it
must answer wrongly.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from gtp_variants.errors import IllegalMove, VariantsError
from gtp_variants.records.notation import write_faces, write_move
from gtp_variants.rules import parse
from gtp_variants.rules.actions import CHANCE, PASS
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules, HiddenRules, faces_of
from tests.gtp.client.wrong_rules import BELIEFS, Belief

FOLDER = Path(__file__).parents[2] / "gtp_variants" / "gtp" / "conformance"
# For each game its SPECs, each with the number of games and the longest game in events.
GAMES: dict[str, list[tuple[str, int, int]]] = {
    "go": [
        ("go:size=3", 60, 40), ("go:size=4", 60, 40), ("go:size=5", 40, 50), ("go:size=5,repetition=simple", 20, 50),
        ("go:size=3,repetition=ssk", 30, 40), ("go:size=3,repetition=nssk", 30, 40),
        ("go:size=4,suicide=true", 30, 40), ("go:width=5,height=3", 20, 40), ("go:size=9", 4, 150), ("go", 2, 200),
    ],
    "aleago": [
        ("aleago:size=3,dice=1d2", 80, 40), ("aleago:size=5", 40, 70), ("aleago:size=5,dice=1d2", 30, 70),
        ("aleago:size=5,dice=1d3,fallback_ko=false", 10, 80), ("aleago:size=5,dice=2d2", 10, 80),
        ("aleago:size=5,overflow=reroll", 10, 80), ("aleago:size=5,overflow=pass", 10, 80),
        ("aleago:size=5,mapping=original", 10, 80), ("aleago:size=9", 4, 160), ("aleago", 2, 200),
        ("aleago:size=19,dice=2d4", 2, 200),
    ],
    "phantom": [("phantom:size=3", 110, 30), ("phantom:size=4", 60, 40), ("phantom:size=5", 30, 40),
                ("phantom:size=9", 4, 150)],
    "rosette": [("rosette:n=1", 70, 20), ("rosette:n=2", 120, 50), ("rosette:n=3", 12, 90), ("rosette", 2, 120)],
    "alter-igo": [("alter-igo:size=3", 100, 40), ("alter-igo:width=4,height=2", 50, 40), ("alter-igo:size=4", 80, 60),
                  ("alter-igo:size=3,white_passes=2", 30, 40), ("alter-igo:size=3,repetition=situation", 30, 40),
                  ("alter-igo", 4, 150)],
    "pentalath": [("pentalath", 100, 80), ("pentalath:players=3", 80, 80), ("pentalath:board=hexhex5", 60, 80),
                  ("pentalath:swap=true,repetition=draw3", 30, 80)],
}  # fmt: skip
# A plain position with one move that fills no eye. An engine that passes there, too, may pass at a probe.
TIMID: dict[str, dict[str, Any]] = {
    "go": {
        "timid": {
            "spec": "go:size=3",
            "steps": ["b A2", "w C2", "b B1", "w B3", "b A3", "w pass", "b C1", "w pass"],
            "to_play": "b",
        }
    }
}
PROBES = 3
_SEEDS = 150
_CANDIDATES = 8
_PASSES = 0.02
_MANY = 4
_LONGEST_PATH = 90


def lines_of(game: str) -> Iterator[dict[str, Any]]:
    """Yield the lines of a game's file: the head, node counts, probes and games."""
    beliefs = BELIEFS[game]
    told = {each.name: {"fault": each.fault, "rule": each.rule, "usual": each.is_usual_go} for each in beliefs}
    yield {"conformance": game, "licence": "CC0-1.0", "beliefs": told, **TIMID.get(game, {})}
    for spec, _, _ in GAMES[game]:
        rules = parse(spec)
        depth = 3 if len(rules.board) <= 16 else 2 if len(rules.board) <= 81 else 1
        yield {"perft": spec, "nodes": [_count_nodes(Game(rules), ply) for ply in range(1, depth + 1)]}
    for belief in beliefs:
        yield from _probes(belief, beliefs)
    for spec, count, longest in GAMES[game]:
        for number in range(count):
            yield _game(parse(spec), f"{spec}/{number}", longest)


def _count_nodes(game: Game, depth: int) -> int:
    """Return how many sequences of `depth` accepted actions there are; every throw of the dice is an action."""
    position = game.position
    if game.outcome is not None:
        return 0
    actions = list(game.rules.legal(position))
    if position.to_play == CHANCE:
        actions.pop()  # the action that opens every line is no throw
    if depth == 1:
        return len(actions)
    found = 0
    for action in actions:
        game.play(position.to_play, action)
        found += _count_nodes(game, depth - 1)
        game.undo()
    return found


def _own_eye(rules: Rules[Any], stones: bytes, point: int, colour: int) -> bool:
    return all(stones[near] == colour for near in rules.board.neighbours[point])


def _step(game: Game, action: int) -> str:
    """Return an action as the files write it, before it is played."""
    rules, position = game.rules, game.position
    if position.to_play == CHANCE:
        return f"draw {COLOUR_LETTERS[position.mover]} {write_faces(faces_of(rules, position, action))}"
    return f"{COLOUR_LETTERS[position.mover]} {write_move(rules.board, action)}"


def _vertices(rules: Rules[Any], points: Any) -> str:
    return " ".join(rules.board.vertex(point) for point in sorted(points))


# -- games ------------------------------------------------------------------------------------------------------------


def _game(rules: Rules[Any], seed: str, longest: int) -> dict[str, Any]:
    rng, game = Random(seed), Game(rules)
    steps: list[str | dict[str, Any]] = []
    while game.outcome is None and len(steps) < longest:
        action = _choose(game, rng)
        before, done = game.position, _step(game, action)
        game.play(before.to_play, action)
        facts = _facts(game, before.turn)
        steps.append({"do": done, **facts} if facts else done)
    position = game.position
    stones = {
        COLOUR_LETTERS[colour]: _vertices(rules, [p for p, at in enumerate(position.stones) if at == colour])
        for colour in rules.colours
    }
    result = None if game.outcome is None else game.outcome.sgf
    return {"spec": rules.short_spec, "steps": steps, "stones": stones, "result": result}


def _choose(game: Game, rng: Random) -> int:
    rules, position = game.rules, game.position
    actions = list(rules.actions(position))
    if position.to_play == CHANCE:
        return rng.choice(actions[:-1])
    stones, mover = position.stones, position.mover
    points = [p for p in actions if p >= 0 and not _own_eye(rules, stones, p, mover)]
    if not rules.is_open:
        # Most tries should be accepted, and some refused.
        points = [p for p in points if rng.random() < 0.3 or p in rules.legal(position)]
    if not points or rng.random() < _PASSES:
        return rng.choice(actions)
    return rng.choice(points)


def _facts(game: Game, turn: int) -> dict[str, Any]:
    """Return what must hold after the last event, as far as it is not plain."""
    rules, position = game.rules, game.position
    facts: dict[str, Any] = {}
    is_try = not rules.is_open and position.turn == turn
    if is_try:
        facts["error"] = "impossible move"
    elif position.captured and position.turn > turn:
        facts["took"] = _vertices(rules, position.captured)
    if isinstance(rules, HiddenRules):
        said = [f"{each.code} {each.count}" if each.count else each.code for each in rules.announcements(position)]
        if said not in (["played"], ["impossible"], ["passed"]):
            facts["said"] = said
    if game.outcome is None and position.to_play != CHANCE and not is_try:
        refused: dict[str, list[int]] = {}
        for point in (point for point, there in enumerate(position.stones) if not there):
            if (reason := _refusal(rules, position, point)) not in ("", "line"):
                refused.setdefault(reason, []).append(point)
        if refused:
            facts["refused"] = {reason: _vertices(rules, points) for reason, points in refused.items()}
        if isinstance(rules, DicedRules):
            facts["open"] = list(rules.open_lines(position) or ())
    return facts


def _refusal(rules: Rules[Any], position: Any, point: int) -> str:
    try:
        if isinstance(rules, HiddenRules):
            rules.try_point(position, point)  # type: ignore[attr-defined]
        else:
            rules.play(position, point)
    except IllegalMove as error:
        return error.reason
    return ""


# -- probes -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Candidate:
    spec: str
    actions: list[tuple[int, int]]
    steps: list[str]
    to_play: str
    wrong: frozenset[int]
    missing: frozenset[int]
    sure: float  # the share of wrong points among those that a believer would choose
    shows: tuple[str, ...] = ()  # the other beliefs that show here, too


def _legal_points(rules: Rules[Any], position: Any) -> frozenset[int]:
    return frozenset(point for point in rules.legal(position) if point >= 0)


def _probes(belief: Belief, beliefs: list[Belief]) -> Iterator[dict[str, Any]]:
    found: list[_Candidate] = []
    for spec in belief.specs:
        for seed in range(_SEEDS):
            found += _search(belief, spec, f"{belief.name}/{spec}/{seed}")
            if sum(each.sure == 1 for each in found if each.spec == spec) >= _CANDIDATES:
                break
    found.sort(key=lambda each: (-each.sure, len(each.steps)))
    found = found[: 4 * _CANDIDATES]
    for each in found:
        each.shows = tuple(other.name for other in beliefs if other is not belief and _differs(other, each))
    found.sort(key=lambda each: (-each.sure, len(each.shows), belief.specs.index(each.spec), len(each.steps)))
    for each in found[:PROBES]:
        board = parse(each.spec)
        yield {
            "probe": belief.name,
            "spec": each.spec,
            "steps": each.steps,
            "to_play": each.to_play,
            "wrong": _vertices(board, each.wrong),
            "missing": _vertices(board, each.missing),
            "sure": round(each.sure, 2),
            "shows": [belief.name, *each.shows],
        }


def _search(belief: Belief, spec: str, seed: str) -> Iterator[_Candidate]:
    """Play one random game that is legal for both, and yield at most its best position of each kind."""
    truth, wrong = parse(spec), belief.rules(spec)
    rng, game, position = Random(seed), Game(truth), wrong.start()
    steps: list[str] = []
    actions: list[tuple[int, int]] = []
    best: _Candidate | None = None
    while game.outcome is None and len(steps) < _LONGEST_PATH:
        actor = game.position.to_play
        if actor == CHANCE:
            action = rng.choice(list(truth.actions(game.position))[:-1])
        else:
            mine, theirs = _legal_points(truth, game.position), _legal_points(wrong, position)
            found = _compare(spec, game, position, mine, theirs, (actions, steps))
            if found is not None and (best is None or found.sure > best.sure):
                best = found
            both = sorted(mine & theirs)
            both = [p for p in both if not _own_eye(truth, game.position.stones, p, actor)] or both
            if not both and not truth.has_pass:
                break
            action = rng.choice(both) if both else PASS
        try:
            position = wrong.play(position, action, actor)
        except VariantsError:
            break
        steps.append(_step(game, action))
        actions.append((actor, action))
        game.play(actor, action)
    if best is not None:
        yield best


def _compare(
    spec: str,
    game: Game,
    position: Any,
    mine: frozenset[int],
    theirs: frozenset[int],
    path: tuple[list[tuple[int, int]], list[str]],
) -> _Candidate | None:
    """Return a candidate if the believer sees other legal points at this position, else None."""
    wrong, missing = theirs - mine, mine - theirs
    if not wrong and not missing:
        return None
    rules, mover = game.rules, game.position.mover
    chosen = [p for p in theirs if not _own_eye(rules, position.stones, p, mover)]
    if chosen:
        sure = sum(p in wrong for p in chosen) / len(chosen)
    else:
        # The believer sees no move. That shows only where the rules leave many.
        plain = [p for p in mine if not _own_eye(rules, game.position.stones, p, mover)]
        sure = 0.5 if len(plain) >= _MANY and 2 * len(mine) >= len(rules.board) else 0.0
    return _Candidate(spec, list(path[0]), list(path[1]), COLOUR_LETTERS[mover], wrong, missing, sure)


def _differs(other: Belief, candidate: _Candidate) -> bool:
    """Return True if another belief shows at the candidate's position, or on the way to it, too."""
    wrong = other.rules(candidate.spec)
    truth = Game(parse(candidate.spec))
    position = wrong.start()
    try:
        for actor, action in candidate.actions:
            position = wrong.play(position, action, actor)
            truth.play(actor, action)
    except VariantsError:
        return True
    return _legal_points(wrong, position) != _legal_points(truth.rules, truth.position)


def write(game: str) -> str:
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines_of(game))


def main() -> int:
    """Write the files of the games that are named, or of all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help="a game, by default all")
    for game in parser.parse_args().games or GAMES:
        text = write(game)
        (FOLDER / f"{game}.jsonl").write_text(text, encoding="utf-8")
        print(f"{game}: {len(text) / 1000:.0f} kB, {text.count(chr(10))} lines", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
