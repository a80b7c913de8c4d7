"""Self-play: lawful games, the same for any number of threads; what is replayed is what was played."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gtp_variants.ai.backend import load_native
from gtp_variants.ai.mcts.settings import PuctSettings, make_puct_settings
from gtp_variants.ai.nets.encoder import Encoder, symmetries
from gtp_variants.ai.nets.encoding.planes import TURN_PLANES
from gtp_variants.ai.nets.network import SPECIALS
from gtp_variants.errors import ConfigError, RecordError
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, CHANCE, PASS, SWAP, WHITE
from gtp_variants.rules.game import Game
from gtp_variants.rules.traits import DicedRules
from tests.ai.nets.networks import random_network
from tests.gtp.processes import is_gone_soon
from tests.support.programs import COMMAND, environment
from tests.support.waiting import wait_until

pytest.importorskip("gtp_variants.ai.kernel._kernel", reason="the native kernel was not built")
if load_native("gtp_variants.ai.kernel._kernel") is None:
    pytest.skip("plain Python was chosen", allow_module_level=True)

from gtp_variants.training import replay_window, self_play
from gtp_variants.training.hidden_self_play import HiddenSelfPlayer
from gtp_variants.training.replay_window import BoardSamples, ReplayWindow
from gtp_variants.training.self_play import PlayedGames, SelfPlayer
from gtp_variants.training.settings import SelfPlaySettings

SPECS = (
    "go:size=5",
    "aleago:size=5",
    "aleago:size=5,crystal_ball=true",
    "phantom:size=5",
    "rosette:n=2",
    "alter-igo:width=4,height=4",
    "pentalath:swap=true",
    "pentalath:players=3",
)
ROOT = Path(__file__).resolve().parents[2]
FEW = SelfPlaySettings(playouts=4, considered=3, most_moves=60)


def play(spec: str, count: int = 3, threads: int = 1, settings: SelfPlaySettings = FEW) -> PlayedGames:
    rules = parse(spec)
    network = random_network(Encoder(rules), 3, 16, 1)
    return SelfPlayer(rules, network, threads).play(settings, seed=7, first=20, count=count)


def positions(games: PlayedGames) -> list[Game]:
    """The game up to each position that was searched."""
    found, number = [], 0
    for game in range(len(games)):
        whole = games.replay(game)
        for place in games.places[number : number + games.positions[game]]:
            before = Game(whole.rules)
            for event in whole.events[:place]:
                before.play(event.actor, event.action)
            found.append(before)
        number += games.positions[game]
    return found


@pytest.mark.parametrize("spec", SPECS)
def test_games_are_lawful_and_say_how_they_ended(spec: str) -> None:
    games = play(spec)
    for number in range(len(games)):
        game = games.replay(number)
        assert len(game.events) == games.lengths[number]
        outcome = game.outcome or game.rules.standing(game.position)
        winner = outcome.winner if outcome else None
        assert games.winners[number] == (winner or 0)
        if game.rules.is_scored and outcome is not None:
            assert abs(games.margins[number]) == pytest.approx(outcome.margin or 0)
    assert games.positions.sum() == len(games.places) == len(games.policies) == len(games.values)


@pytest.mark.parametrize("spec", SPECS)
def test_policies_are_shares_of_lawful_moves(spec: str) -> None:
    games = play(spec, count=1)
    rules = parse(spec)
    actions = Encoder(rules).actions.tolist()
    for row, before in enumerate(positions(games)):
        legal = set(rules.legal(before.position))
        named = {actions[index] for index in np.flatnonzero(games.policies[row])}
        assert named <= legal
        assert int(games.policies[row].sum()) == pytest.approx(65535, abs=len(actions))
        assert games.values[row].sum() == pytest.approx(1, abs=1e-5)


def test_threads_change_nothing() -> None:
    one, many = play("go:size=5", 5, 1), play("go:size=5", 5, 3)
    assert one.actions.tolist() == many.actions.tolist()
    assert one.policies.tolist() == many.policies.tolist()


@pytest.mark.parametrize("spec", ["go:size=5", "aleago:size=5,dice=1d3", "pentalath"])
def test_only_positions_searched_deeply_are_learnt_from(spec: str) -> None:
    all_moves = replace(FEW, opening=0, long_opening=0)
    few = replace(all_moves, deep_share=0.3, deep_playouts=30)
    whole, capped = play(spec, 8, settings=all_moves), play(spec, 8, settings=few)
    # Forced moves teach nothing.
    share = whole.positions.sum() / whole.lengths.sum()
    assert share > 0.9 or spec.startswith("aleago")  # half of whose actions are throws
    assert 0.15 * share < capped.positions.sum() / capped.lengths.sum() < 0.45 * share
    for number in range(8):
        capped.replay(number)
    samples = BoardSamples(spec, threads=1)
    samples.append(capped)
    assert samples.count == capped.positions.sum()
    samples.draw(np.random.default_rng(1), 50, root_share=0.3)
    threads = play(spec, 8, 3, few)
    assert threads.actions.tolist() == capped.actions.tolist()
    assert threads.values.tolist() == capped.values.tolist()
    assert threads.places.tolist() == capped.places.tolist()


def test_deep_searches_teach_shares_of_visits(monkeypatch: pytest.MonkeyPatch) -> None:
    # Not of priors that values improve.
    monkeypatch.setattr(self_play, "_DEEP_NOISE", 0.0)
    deep = play("go:size=5", 4, settings=replace(FEW, deep_share=1.0, deep_playouts=50))
    visits = deep.policies / 65535 * 50
    assert np.abs(visits - visits.round()).max() < 0.01


@pytest.mark.parametrize("deep_share", [0.0, 1.0])
def test_the_score_counts_in_all_searches(deep_share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    few = replace(FEW, playouts=30, deep_share=deep_share, deep_playouts=50)
    values = []
    changes: tuple[dict[str, Any], ...] = ({}, {"score_weight": 0.0}, {"score_weight": PuctSettings().score_weight})
    for given in changes:
        monkeypatch.setattr(self_play, "make_puct_settings", partial(make_puct_settings, **given))
        monkeypatch.setattr(self_play, "PuctSettings", partial(PuctSettings, **given))
        values.append(play("go:size=5", 2, settings=few).values.tolist())
    assert values[0] == values[2] != values[1]


def test_games_without_an_end_are_counted_as_they_stand() -> None:
    games = play(
        "go:size=5", settings=SelfPlaySettings(playouts=2, considered=2, opening=0, long_opening=0, most_moves=3)
    )
    assert games.lengths.tolist() == [3, 3, 3]
    assert set(games.winners.tolist()) <= {1, 2}


def test_owners_are_those_of_the_last_board() -> None:
    games = play("go:size=5", 1)
    stones = games.replay(0).position.stones
    for point, stone in enumerate(stones):
        if stone:
            assert games.owners[0, point] == stone


@pytest.mark.parametrize("spec", SPECS)
def test_samples_are_what_the_encoder_says_of_the_positions(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_window, "_FORGOTTEN", 1e-9)
    games = play(spec)
    samples = BoardSamples(spec, threads=2)
    samples.append(games)
    rules, encoder = parse(spec), Encoder(parse(spec))
    rng = np.random.default_rng(1)
    chosen, turns = rng.integers(samples.count, size=12), rng.integers(len(symmetries(rules)), size=12)
    batch = samples.draw(np.random.default_rng(1), 12, root_share=0.3)
    before = positions(games)
    points = len(rules.board)
    throws = 0
    for row, (number, turn) in enumerate(zip(chosen, turns, strict=True)):
        goes_to = symmetries(rules)[turn]
        position = before[number].position
        if not batch.mask[row].any():
            # Where a throw came last, what was before it is learnt now and then.
            position = before[number].positions[-2]
            throws += 1
        # Where stones are hidden a seat learns from what it was told.
        mover = position.mover
        view = rules.view(before[number].heard(mover), mover)
        levels, features = encoder.encode_levels(position if rules.is_open else view)
        turned = np.empty_like(levels)
        turned[:, goes_to] = levels
        assert np.array_equal(batch.planes[row], turned)
        assert np.array_equal(batch.globals[row], features)
        is_chance = position.to_play == CHANCE
        may = rules.legal(position) if rules.is_open else view.actions
        legal = [action for action in may if action >= 0 and not is_chance]
        assert set(np.flatnonzero(batch.mask[row, :points])) == {int(goes_to[point]) for point in legal}
        assert batch.policy[row].sum() == pytest.approx(0 if is_chance else 1, abs=1e-5)
        assert not batch.policy[row][batch.mask[row] == 0].any()
        assert batch.policy.shape == (12, points + SPECIALS)
        assert batch.ends[row].sum() == pytest.approx(1, abs=1e-5)
        if batch.hidden is not None:
            there = [point for point, stone in enumerate(position.stones) if stone and not view.stones[point]]
            assert set(np.flatnonzero(batch.hidden[row])) == {int(goes_to[point]) for point in there}
    assert (batch.hidden is None) == rules.is_open
    assert (throws > 0) == isinstance(rules, DicedRules)


@pytest.mark.parametrize("spec", ["go:size=5", "pentalath:players=3", "phantom:size=5"])
def test_some_positions_are_learnt_without_their_last_moves(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = BoardSamples(spec, threads=1)
    samples.append(play(spec))
    batches = []
    for forgotten in (1e-9, 0.3):
        monkeypatch.setattr(replay_window, "_FORGOTTEN", forgotten)
        batches.append(samples.draw(np.random.default_rng(1), 200, root_share=0.3))
    names = samples.encoder.planes
    turns = [[names.index(name) for name in turn] for turn in TURN_PLANES if samples.rules.is_open]
    others = np.setdiff1d(np.arange(len(names)), [row for turn in turns for row in turn])
    assert np.array_equal(batches[0].planes[:, others], batches[1].planes[:, others])
    kept = []
    for whole, part in zip(batches[0].planes, batches[1].planes, strict=True):
        # The turns before the first that differs are known, the turns from there on are not.
        same = [np.array_equal(whole[turn], part[turn]) for turn in turns]
        kept.append(same.index(False) if False in same else len(turns))
        assert not part[[row for turn in turns[kept[-1] :] for row in turn]].any()
    assert set(kept) == set(range(len(turns) + 1))


def test_values_are_seen_from_the_side_to_move() -> None:
    games = play("pentalath:players=3", 4)
    samples = BoardSamples(games.spec, threads=1)
    samples.append(games)
    chosen = np.random.default_rng(1).integers(samples.count, size=8)
    batch = samples.draw(np.random.default_rng(1), 8, root_share=0.0)
    before = positions(games)
    of_game = np.repeat(np.arange(len(games)), games.positions)
    for row, number in enumerate(chosen):
        order = before[number].rules.colours
        mover = order.index(before[number].position.to_play)
        winner = int(games.winners[of_game[number]])
        expected = [float(order[(mover + step) % 3] == winner) for step in range(3)] + [float(winner == 0)]
        assert batch.ends[row].tolist() == expected


@pytest.mark.parametrize(
    "spec", [*SPECS, "aleago:size=5,free_player=w", "aleago:size=5,free_player=w,crystal_ball=true"]
)
@pytest.mark.parametrize("deep_share", [0, 0.3])
def test_samples_know_the_reply_and_the_values_after_a_position(spec: str, deep_share: float) -> None:
    if deep_share and not parse(spec).is_open:
        pytest.skip("hidden games have no deep searches")
    games = play(spec, 6, settings=replace(FEW, deep_share=deep_share, deep_playouts=8))
    samples = BoardSamples(spec, threads=1)
    samples.append(games)
    rules = samples.rules
    order, points, rows = list(rules.colours), len(rules.board), 60
    rng = np.random.default_rng(1)
    chosen, turns = rng.integers(samples.count, size=rows), rng.integers(len(symmetries(rules)), size=rows)
    batch = samples.draw(np.random.default_rng(1), rows, root_share=0.3)
    of_game = np.repeat(np.arange(len(games)), games.positions)
    kept = 1 - 1 / (1 + 0.056 * points)
    for row, (number, turn) in enumerate(zip(chosen, turns, strict=True)):
        events = games.replay(int(of_game[number])).events
        place = int(games.places[number])
        moves = [at for at, event in enumerate(events) if event.actor != CHANCE and at > place]
        expected = -1
        if moves and batch.mask[row].any():
            action = events[moves[0]].action
            expected = int(symmetries(rules)[turn][action]) if action >= 0 else points + (action == SWAP)
        assert batch.reply[row] == expected
        ends, left = np.zeros(len(order) + 1), 1.0
        for later in range(number + 1, games.positions.cumsum()[of_game[number]]):
            beyond = kept ** (1 + moves.index(games.places[later]))
            ends[:-1] += (left - beyond) * games.values[later]
            left = beyond
        winner = int(games.winners[of_game[number]])
        ends[order.index(winner) if winner else -1] += left
        mover = order.index(events[place].actor)
        assert batch.short_term_ends[row].tolist() == pytest.approx([*np.roll(ends[:-1], -mover), ends[-1]], abs=1e-6)
    assert (batch.reply >= 0).sum() > rows / 3


def test_a_short_term_value_mixes_later_values_with_the_result() -> None:
    rules = parse("go:size=5")
    vertices = ("C3", "B2", "D4", "pass", "pass")
    actions = [PASS if vertex == "pass" else rules.board.point(vertex) for vertex in vertices]
    policies = np.zeros((3, 26), np.uint16)
    policies[:, 25] = 1
    games = PlayedGames(
        spec=rules.spec,
        actions=np.array(actions, np.int32),
        lengths=np.array([5], np.int32),
        positions=np.array([3], np.int32),
        places=np.array([1, 2, 4], np.int32),
        policies=policies,
        values=np.array([[0.5, 0.5], [0.75, 0.25], [0.9, 0.1]], np.float32),
        winners=np.array([WHITE], np.int8),
        margins=np.array([-1], np.float32),
        owners=np.full((1, 25), WHITE, np.int8),
    )
    samples = BoardSamples(games.spec, 1)
    samples.append(games)
    batch = samples.draw(np.random.default_rng(1), 100, root_share=0)
    # On 25 points a turn has 1 / 2.4 = 5/12 of what it and the turns after it have. The turn before the last has none
    # stored, so that the last one has its share too.
    black = [5 / 12 * 0.75 + 7 / 12 * (1 - (7 / 12) ** 2) * 0.9, (1 - (7 / 12) ** 2) * 0.9, 0]
    expected = {(1 - black[0], black[0]), (black[1], 1 - black[1]), (0, 1)}
    found = {tuple(round(share, 5) for share in each) for each in batch.short_term_ends[:, :2].tolist()}
    assert found == {tuple(round(share, 5) for share in each) for each in expected}
    assert not batch.short_term_ends[:, 2].any()
    # After White's B2 comes Black's D4, after that a pass, and after the last move nothing.
    assert {kind for kind in batch.reply.tolist() if kind >= 25} == {25}
    assert {kind for kind in batch.reply.tolist() if kind < 0} == {-1}
    corners = {rules.board.point(vertex) for vertex in ("B2", "B4", "D2", "D4")}
    assert {kind for kind in batch.reply.tolist() if 0 <= kind < 25} == corners


def test_the_window_lets_go_of_the_oldest_games() -> None:
    window = ReplayWindow()
    small, large = play("go:size=5"), play("go:size=6")
    window.append(small, most=10_000)
    window.append(large, most=10_000)
    assert len(window) == len(small.places) + len(large.places)
    window.append(large, most=len(large.places) + 1)
    assert len(window) == len(large.places)
    drawn = list(window.draw(np.random.default_rng(2), 3, 4, 0.3))
    assert {len(encoder.rules.board) for encoder, _ in drawn} == {36}


def test_games_come_back_from_a_file(tmp_path: Path) -> None:
    games = play("rosette:n=2")
    games.save(tmp_path / "games.npz")
    again = PlayedGames.load(tmp_path / "games.npz")
    assert again.spec == games.spec
    assert again.actions.tolist() == games.actions.tolist()
    assert again.owners.shape == games.owners.shape


@pytest.mark.parametrize("damage", ["another file", "cut short", "empty", "changed", "an array", "other sizes"])
def test_a_file_that_is_damaged_is_refused_by_its_name(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "games.npz"
    games = play("rosette:n=2", 1)
    games.save(path)
    whole = path.read_bytes()
    damaged = {
        "another file": b"PK nothing",
        "cut short": whole[: len(whole) // 2],
        "empty": b"",
        "changed": whole[:200] + bytes(300) + whole[500:],
    }
    if damage == "an array":
        with path.open("wb") as file:
            np.save(file, np.zeros(3))
    elif damage == "other sizes":
        replace(games, winners=games.winners[:0]).save(path)
    else:
        path.write_bytes(damaged[damage])
    with pytest.raises(RecordError, match=r"games\.npz: not games of self-play: "):
        PlayedGames.load(path)


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_games_that_are_being_played(threads: int) -> None:
    rules = parse("go:size=19")
    player = SelfPlayer(rules, random_network(Encoder(rules), 3, 16, 1), threads)
    began = 0.0
    # A shell that starts the tests in the background has them ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    played_s = time.process_time() + 0.2

    def interrupt() -> None:
        """Interrupt games that this process has worked at for a while, however busy the computer is."""
        nonlocal began
        wait_until(lambda: time.process_time() > played_s, "work")
        began = time.monotonic()
        signal.raise_signal(signal.SIGINT)

    def play_interrupted() -> None:
        interrupter.start()
        player.play(SelfPlaySettings(playouts=1000), seed=7, first=0, count=threads)

    interrupter = threading.Thread(target=interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            play_interrupted()
        assert time.monotonic() - began < 60
    finally:
        interrupter.join()
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_the_thread_that_hears_ctrl_c_looks_for_it_while_the_others_play() -> None:
    """The first of two games is over at once, and the second one, in the other thread, is not."""
    script = (
        "import os, signal, threading\n"
        "from tests.training.test_self_play import *\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "rules = parse('go:size=9')\n"
        "player = SelfPlayer(rules, random_network(Encoder(rules), 3, 16, 1), 2)\n"
        "settings = SelfPlaySettings(playouts=2, most_moves=1, opening=0, deep_share=0.5, deep_playouts=4)\n"
        "deep = player.play(settings, 7, 0, 50).positions.tolist()\n"
        "first = next(number for number in range(50) if deep[number : number + 2] == [0, 1])\n"
        "settings = replace(settings, deep_playouts=1_000_000)\n"
        "worked_s = time.process_time() + 0.3\n"
        "def interrupt():\n"
        "    while time.process_time() < worked_s: time.sleep(0.01)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "try:\n    threading.Thread(target=interrupt).start()\n    player.play(settings, 7, first, 2)\n"
        "except KeyboardInterrupt:\n    print('heard')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.stdout, done.stderr) == ("heard\n", "")


def test_a_wrong_name_of_instructions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GTP_VARIANTS_INSTRUCTIONS", "nonsense")
    with pytest.raises(ConfigError, match="GTP_VARIANTS_INSTRUCTIONS=nonsense: expected one of "):
        play("go:size=5")


@pytest.mark.skipif(sys.platform != "linux", reason="what a process has is read from /proc")
def test_missing_threads_do_not_stop_sampling() -> None:
    script = (
        "import resource\n"
        "from tests.training.test_self_play import *\n"
        "games = play('go:size=5', 1)\n"
        "size = int(Path('/proc/self/statm').read_text().split()[0]) * resource.getpagesize() + (400 << 20)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (size, size))\n"
        "samples = BoardSamples('go:size=5', threads=1000)\n"
        "samples.append(games)\n"
        "print(samples.draw(np.random.default_rng(1), 9, 0.3).planes.shape[0])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "9\n", "")


def test_a_network_of_another_game_is_refused() -> None:
    network = random_network(Encoder(parse("pentalath")), 3, 16, 1)
    with pytest.raises(ValueError, match="a network of another game"):
        SelfPlayer(parse("go:size=5"), network).play(FEW, 1, 0, 1)


def children_of(pid: int) -> list[int]:
    """Return the child processes of all threads of a process, of which any may end meanwhile."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            found += map(int, (task / "children").read_text().split())
    return found


def ticks_of(pid: int) -> int:
    """Return how long a process has worked for itself, or 0 if it has ended."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().split()[13])
    return 0


def play_hidden(threads: int, seed: int = 7, learner: str = "phantom:size=5") -> PlayedGames:
    rules = parse("phantom:size=5")
    settings = SelfPlaySettings(playouts=16, opening=2, long_opening=4, most_moves=80)
    network = random_network(Encoder(parse(learner)), 3, 16, 1)
    return HiddenSelfPlayer(rules, network, threads).play(settings, seed, 20, 3)


def test_seats_with_hidden_stones_make_training_games() -> None:
    games = play_hidden(1)
    rules = parse("phantom:size=5")
    assert games.positions.sum() == len(games.places) == len(games.policies) > 30
    assert games.owners.shape == (3, 25)
    for number in range(3):
        game = games.replay(number)
        outcome = game.outcome or rules.standing(game.position)
        assert outcome is not None
        assert games.winners[number] == (outcome.winner or 0)
        assert abs(games.margins[number]) == pytest.approx(outcome.margin or 0)
        # Passes end it; what people agree on behind them cannot be replayed.
        assert len(game.events) == 80 or game.outcome is not None
    samples = BoardSamples("phantom:size=5", threads=1)
    samples.append(games)
    batch = samples.draw(np.random.default_rng(1), 200, root_share=0.3)
    assert batch.hidden is not None
    own = batch.planes[:, list(Encoder(rules).planes).index("own")]
    assert batch.hidden.any()
    assert not (batch.hidden.astype(bool) & own.astype(bool)).any()
    assert not batch.policy[batch.mask == 0].any()


def test_games_with_hidden_stones_are_learnt_from_as_moves_on_full_boards() -> None:
    judged = parse("go:size=5,repetition=ssk,dead=none")
    settings = SelfPlaySettings(playouts=32, opening=2, long_opening=4, most_moves=120)
    network = random_network(Encoder(judged), 3, 16, 1)
    games = HiddenSelfPlayer(parse("phantom:size=5"), network).play(settings, 7, 20, 4)
    assert games.spec == judged.spec
    assert games.positions.sum() == len(games.places) == len(games.policies) > 30
    for number in range(4):
        game = games.replay(number)
        # No try was refused, and each side moved in turn: these are games of Go.
        assert len(game.events) == games.lengths[number]
        assert [event.actor for event in game.events[:4]] == [BLACK, WHITE, BLACK, WHITE]
        outcome = game.outcome or judged.standing(game.position)
        assert outcome is not None
        assert games.winners[number] == (outcome.winner or 0)
        assert abs(games.margins[number]) == pytest.approx(outcome.margin or 0)
    samples = BoardSamples(judged.spec, threads=1)
    samples.append(games)
    batch = samples.draw(np.random.default_rng(1), 200, root_share=0.3)
    assert batch.hidden is None
    assert batch.policy.sum(1) == pytest.approx(np.ones(200), abs=1e-3)
    assert not batch.policy[batch.mask == 0].any()


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["phantom:size=5", "go:size=5,repetition=ssk,dead=none"])
def test_processes_change_nothing_of_hidden_games(learner: str) -> None:
    one, two, other = (play_hidden(threads, seed, learner) for threads, seed in ((1, 7), (2, 7), (1, 8)))
    assert one.actions.tolist() == two.actions.tolist() != other.actions.tolist()
    assert one.policies.tolist() == two.policies.tolist()


@pytest.mark.slow
def test_hidden_games_are_the_same_with_all_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    with_these = play_hidden(1).actions.tolist()
    monkeypatch.setenv("GTP_VARIANTS_INSTRUCTIONS", "plain")
    assert play_hidden(1).actions.tolist() == with_these


@pytest.mark.slow
def test_an_unguarded_script_gets_an_error_about_the_main_guard(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("from tests.training.test_self_play import play_hidden\nplay_hidden(2)\n")
    told = subprocess.run(
        [sys.executable, script], env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, check=False
    )
    assert b"a script that trains needs `if __name__ == '__main__':`" in told.stderr


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are read from /proc")
def test_processes_that_play_end_with_a_training_that_was_killed(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "gtp_variants",
        "train",
        "phantom:size=9",
        "--into",
        str(tmp_path),
        "--threads",
        "2",
    ]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as training:
        # Two that play, and multiprocessing's own that counts what they share.
        workers = wait_until(
            lambda: found if len(found := children_of(training.pid)) == 3 else None, "processes that play"
        )
        training.kill()
    assert all(is_gone_soon(worker) for worker in workers)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are read from /proc")
def test_ctrl_c_does_not_wait_for_games_of_other_processes(tmp_path: Path) -> None:
    command = ["train", "phantom:size=9", "--into", str(tmp_path), "--threads", "2"]
    with subprocess.Popen([*COMMAND, *command], stderr=subprocess.PIPE, text=True, env=environment()) as training:

        def busy() -> list[int]:
            """Children that have worked for a second: they have begun to play."""
            ticks = os.sysconf("SC_CLK_TCK")
            return [each for each in children_of(training.pid) if ticks_of(each) > ticks]

        wait_until(lambda: len(busy()) == 2, "processes that play")
        training.send_signal(signal.SIGINT)
        _, told = training.communicate(timeout=60)
    assert (training.returncode, told) == (130, "")
