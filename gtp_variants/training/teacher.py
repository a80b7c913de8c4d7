"""Labels from a teacher: an engine that speaks KataGo's JSON analysis protocol judges positions to learn from."""

import hashlib
import json
import shlex
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gtp_variants.ai.nets.games.plain_games import index_of
from gtp_variants.base.json_values import Json, parse_object
from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.errors import NotationError, PeerError, PeerGarbled, PeerGone, PeerSilent, VariantsError
from gtp_variants.records.files import write
from gtp_variants.records.katago_rules import write_katago_rules
from gtp_variants.records.notation import read_move, write_move
from gtp_variants.rules import GO, parse
from gtp_variants.rules.actions import BLACK, PASS
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game
from gtp_variants.training.self_play import OWNED, POLICY_UNIT, PlayedGames
from gtp_variants.training.settings import LABELS_A_GAME

# Seconds without an answer after which a teacher has failed. KataGo first tunes itself for a graphics card.
_SILENCE_S = 600.0
# Seconds between the reports of a long search, which show that the teacher is alive.
_REPORT_S = 60.0
# Number of failures without an answer in between after which a training ends.
_TRIES = 3
_MOST_VISITS = 2**40


class TeacherFailed(VariantsError):
    """A teacher cannot be started, refuses a position, or fails repeatedly."""


@dataclass(frozen=True, slots=True)
class Label:
    """A teacher's judgement of a position. `winrate`, `lead` in points and `owners` are Black's.

    `policy` contains shares in 1/65535 by policy index: the network's, or those of a search's visits. `owners` are
    numbers from -100 to 100 by point. Without a score, `lead` is 0 and `owners` is empty.
    """

    policy: Sequence[int]
    winrate: float
    lead: float
    owners: Sequence[int]


def read_label(game: Game, turn: int, answer: Json, visits: int = 1) -> Label:
    """Read the answer about the position after `turn` actions. Raises PeerGarbled, naming the field at fault."""
    rules, position = game.rules, game.positions[turn]
    cells = [point for row in rules.board.rows() for point in row]
    if visits > 1:
        field, share_of = "moveInfos", _read_visits(game, answer)
    else:
        field, priors = "policy", _numbers(answer, "policy", len(cells) + 1, -1, 1)
        share_of = dict(zip([*cells, PASS], priors, strict=True))
    shares = np.zeros(len(rules.board) + rules.has_pass)
    for action in rules.legal(position):
        shares[index_of(rules, action)] = max(0.0, share_of.get(action, 0.0))
    if not shares.any():
        raise PeerGarbled(f"{field}: expected a share of a legal move after {turn} moves, found none")
    root = answer.get("rootInfo")
    lead, owners = 0.0, [0] * len(rules.board) if rules.is_scored else []
    if rules.is_scored:
        lead = _number(root, "scoreLead", -1e4, 1e4)
        for cell, owner in zip(cells, _numbers(answer, "ownership", len(cells), -1, 1), strict=True):
            if cell is not None:
                owners[cell] = round(OWNED * owner)
    policy = np.rint(POLICY_UNIT * shares / shares.sum()).astype(int).tolist()
    return Label(policy, _number(root, "winrate", 0, 1), lead, owners)


def _read_visits(game: Game, answer: Json) -> dict[int | None, float]:
    """Return the visits of each searched move. Where lines share positions, `edgeVisits` counts the move's own.

    A move with `isSymmetryOf` was not searched: its visits are a copy of another move's, so they do not count.
    """
    found: dict[int | None, float] = {}
    infos = answer.get("moveInfos")
    if not isinstance(infos, list) or not all(isinstance(info, dict) for info in infos):
        raise PeerGarbled(f"moveInfos: expected a list of objects, got {str(infos)[:40]}")
    for info in (each for each in infos if "isSymmetryOf" not in each):
        count = _number(info, "edgeVisits" if "edgeVisits" in info else "visits", 0, _MOST_VISITS)
        try:
            found[read_move(game.rules.board, str(info.get("move")))] = count
        except NotationError as error:
            raise PeerGarbled(f"moveInfos: {error}") from error
    return found


def _number(fields: object, name: str, least: float, most: float) -> float:
    value = fields.get(name) if isinstance(fields, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise PeerGarbled(f"{name}: expected a number from {least:g} to {most:g}, got {str(value)[:40]}")
    return value


def _numbers(answer: Json, name: str, count: int, least: float, most: float) -> list[float]:
    found = answer.get(name)
    if not isinstance(found, list) or len(found) != count:
        raise PeerGarbled(f"{name}: expected {count} numbers, got {str(found)[:40]}")
    return [_number({name: each}, name, least, most) for each in found]


class Teacher:
    """An engine in a process, started by the first query. `command` is a program with its arguments.

    If the process ends, sends garbage or says nothing for `silence_s` seconds, it is replaced, and the new process is
    asked for the answers that are missing.
    """

    def __init__(self, command: Sequence[str], silence_s: float = _SILENCE_S) -> None:
        self._command, self._silence_s = command, silence_s
        self._channel: ProcessChannel | None = None
        self._arrived = b""
        self._asked = 0
        self._is_closed = False

    def close(self) -> None:
        """End the process for good, from any thread."""
        self._is_closed = True
        self._end()

    def _end(self) -> None:
        if self._channel is not None:
            self._channel.kill()
            self._channel.close(0.0)
        self._channel, self._arrived = None, b""

    def introduce(self) -> str:
        """Return the name of the teacher's only network, or else of its program. Raises TeacherFailed if that fails."""
        told: Json = {}
        self._persist(lambda: told.update(next(self._answers({"action": "query_models"}))), lambda: 1)
        models = told.get("models")
        is_one = isinstance(models, list) and len(models) == 1 and isinstance(models[0], dict)
        name = told["models"][0].get("internalName") if is_one else ""
        return "_".join(str(name or Path(self._command[0]).name).replace("=", " ").split())[:80]

    def label(self, game: Game, turns: Collection[int], take: Callable[[int, Label], None], visits: int) -> None:
        """Call `take` with each number of actions in `turns` and that position's label, or raise TeacherFailed."""
        missing = set(turns)

        def ask() -> None:
            for answer in self._answers(_query(game, missing, visits)):
                if "error" in answer:
                    raise TeacherFailed(f"the teacher refuses a position of {game.rules.spec}: {answer['error']}")
                turn = answer.get("turnNumber")
                if not isinstance(turn, int) or turn not in missing:
                    raise PeerGarbled(f"turnNumber: expected one of {sorted(missing)}, got {str(turn)[:40]}")
                take(turn, read_label(game, turn, answer, visits))
                missing.discard(turn)
                if not missing:
                    return

        self._persist(ask, lambda: len(missing))

    def _persist(self, ask: Callable[[], None], count_missing: Callable[[], int]) -> None:
        """Call `ask` until it succeeds, each time with a new process. Raises TeacherFailed after repeated failures."""
        failures = 0
        while True:
            before = count_missing()
            try:
                return ask()
            except PeerError as error:
                self._end()
                failures = 1 if count_missing() < before else failures + 1
                if failures == _TRIES:
                    command = shlex.join(self._command)
                    raise TeacherFailed(f"the teacher {command} failed {_TRIES} times: {error}") from error

    def _answers(self, query: Json) -> Iterator[Json]:
        """Send a query and yield its answers, without reports and warnings. Raises PeerError if the teacher fails."""
        if self._is_closed:
            raise TeacherFailed("the teacher was ended")
        if self._channel is None:
            self._channel = ProcessChannel(self._command, is_quiet=True, farewell=b"")
        self._asked += 1
        name = str(self._asked)
        self._channel.write(json.dumps({"id": name, **query}).encode() + b"\n")
        while True:
            line = self._read_line(self._channel)
            try:
                answer = parse_object(line)
            except ValueError as error:
                raise PeerGarbled(f"expected an answer in JSON, got {line[:80]!r}: {error}") from None
            if "warning" in answer or answer.get("isDuringSearch") is True:
                continue
            if answer.get("id") != name and "error" not in answer:
                raise PeerGarbled(f"id: expected {name}, got {str(answer.get('id'))[:40]}")
            yield answer

    def _read_line(self, channel: ProcessChannel) -> bytes:
        deadline = time.monotonic() + self._silence_s
        while b"\n" not in self._arrived:
            chunk = channel.read(deadline - time.monotonic())
            if chunk is None:
                raise PeerSilent(f"it has not answered for {self._silence_s:g} s")
            if not chunk:
                raise PeerGone(f"it ended before it answered ({channel.ending()})")
            self._arrived += chunk
        line, _, self._arrived = self._arrived.partition(b"\n")
        return line


def _query(game: Game, turns: Collection[int], visits: int) -> Json:
    """Return the query for a search of `visits` visits of each of the positions after these numbers of actions.

    The search has no noise and searches symmetric moves, too. Our own engine reports chances without `calibration`, so
    that a network learns what the search compares. KataGo does not know this setting and only warns.
    """
    rules, board = game.rules, game.rules.board
    moves = game.events[: max(turns)]
    query = {
        "rules": rules.spec,
        "boardXSize": board.width,
        "boardYSize": board.height,
        "moves": [[COLOUR_LETTERS[event.actor].upper(), write_move(board, event.action)] for event in moves],
        "analyzeTurns": sorted(turns),
        "maxVisits": visits,
        "reportDuringSearchEvery": _REPORT_S,
        "includePolicy": True,
        "includeOwnership": rules.is_scored,
        "overrideSettings": {
            "reportAnalysisWinratesAs": "BLACK",
            "wideRootNoise": 0,
            "calibration": 1,
            "rootSymmetryPruning": False,
        },
    }
    if rules.name == GO:
        told = write_katago_rules(rules)
        del told["spec"]
        query |= {"rules": told, "komi": rules.values["komi"]}
    return query


def teach(
    games: PlayedGames, teachers: Sequence[Teacher], share: float, seed: Sequence[int], log: Path, visits: int = 1
) -> PlayedGames:
    """Return the games with the positions to learn from: some of each game, labelled by the teachers, and others.

    `share`, above 0, is the share of labelled positions. The seed chooses the positions, which teachers search with
    `visits`. Labels are written to `log` as they arrive, and read from a log of these games. Teachers share the games.
    Raises TeacherFailed if a teacher fails.
    """
    rng = np.random.default_rng(seed)
    game_of = np.repeat(np.arange(len(games)), games.positions)
    order = rng.permutation(len(game_of))
    # The positions of each game in random order.
    order = order[np.argsort(game_of[order], kind="stable")]
    rank = np.arange(len(order)) - np.repeat(np.cumsum(games.positions) - games.positions, games.positions)
    chosen, rest = np.sort(order[rank < LABELS_A_GAME]), order[rank >= LABELS_A_GAME]
    rows = np.sort([*chosen, *rng.permutation(rest)[: round(len(chosen) * (1 - share) / share)]]).astype(np.int64)
    about = hashlib.sha256(games.spec.encode() + games.actions.tobytes() + chosen.tobytes()).hexdigest()
    labels = _read_log(log, about)
    # The positions to ask for in each game, by number of actions.
    missing: dict[int, dict[int, int]] = {}
    for row in chosen.tolist():
        if row not in labels:
            missing.setdefault(int(game_of[row]), {})[int(games.places[row])] = row

    def ask(which: int) -> None:
        for number, row_of in list(missing.items())[which :: len(teachers)]:
            teachers[which].label(games.replay(number), row_of, partial(add, row_of), visits)

    def add(row_of: Mapping[int, int], place: int, label: Label) -> None:
        labels[row_of[place]] = label
        file.write(json.dumps([row_of[place], asdict(label)]).encode() + b"\n")

    # Without a buffer each label is written at once, and as a whole.
    with log.open("ab", buffering=0) as file, ThreadPoolExecutor(len(teachers)) as pool:
        try:
            list(pool.map(ask, range(len(teachers))))
        except BaseException:
            for each in teachers:
                each.close()
            raise
    return _with_labels(games, rows, np.bincount(game_of[rows], minlength=len(games)), labels)


def _with_labels(
    games: PlayedGames, rows: NDArray[np.int64], positions: NDArray[np.int64], labels: dict[int, Label]
) -> PlayedGames:
    """Return the games with only the positions in `rows`, some with `labels`. `positions` counts them by game."""
    policies, values = games.policies[rows], games.values[rows]
    taught = np.flatnonzero([int(row) in labels for row in rows])
    found = [labels[int(row)] for row in rows[taught]]
    policies[taught] = np.array([label.policy for label in found], np.uint16).reshape(-1, policies.shape[1])
    winrates = np.array([label.winrate for label in found], np.float32)
    values[taught] = np.stack([abs(winrates - (colour != BLACK)) for colour in parse(games.spec).colours], 1)
    return replace(
        games,
        positions=positions.astype(np.int32),
        places=games.places[rows],
        policies=policies,
        values=values,
        taught=taught.astype(np.int32),
        leads=np.array([label.lead for label in found], np.float32),
        shares=np.array([label.owners for label in found], np.int8),
    )


def _read_log(path: Path, about: str) -> dict[int, Label]:
    """Return a log's labels by position, without an incomplete last line. A log of other games is emptied."""
    kept = [json.dumps(about).encode()]
    if path.exists() and (lines := path.read_bytes().splitlines(keepends=True))[:1] == [kept[0] + b"\n"]:
        kept = [line[:-1] for line in lines if line.endswith(b"\n")]
    write(path, b"".join(line + b"\n" for line in kept))
    return {row: Label(**told) for row, told in map(json.loads, kept[1:])}
