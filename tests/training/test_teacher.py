"""Labels of a teacher: whose numbers they are, what survives a failure or a kill, and the share of the mixture."""

import json
import sys
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gtp_variants.ai.backend import load_native
from gtp_variants.ai.mcts.search import search
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.errors import ConfigError, PeerGarbled
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.game import Game
from tests.ai.nets.networks import random_network
from tests.support.programs import COMMAND

pytest.importorskip("gtp_variants.ai.kernel._kernel", reason="the native kernel was not built")
if load_native("gtp_variants.ai.kernel._kernel") is None:
    pytest.skip("plain Python was chosen", allow_module_level=True)

from gtp_variants.training.replay_window import BoardSamples
from gtp_variants.training.self_play import OWNED, POLICY_UNIT, PlayedGames
from gtp_variants.training.settings import LABELS_A_GAME, SelfPlaySettings, TrainingSettings
from gtp_variants.training.teacher import Label, Teacher, TeacherFailed, read_label, teach
from tests.training.test_self_play import play

# A teacher that prefers passing, finds Black ahead by 2.5 points and gives Black the board. Each process notes the
# turns that it was asked for in a file, and fails as told after some answers.
FAKE = """
import json, sys, time
notes, how, after = sys.argv[1], sys.argv[2], int(sys.argv[3])
told = 0
for line in sys.stdin:
    query = json.loads(line)
    if "action" in query:
        print(json.dumps({**query, "models": [{"name": "x.bin", "internalName": "the fake"}]}), flush=True)
        continue
    with open(notes, "a") as file:
        file.write(json.dumps(query) + "\\n")
    cells = query["boardXSize"] * query["boardYSize"]
    print(json.dumps({"id": query["id"], "warning": "nothing serious", "field": "rules"}), flush=True)
    for turn in query["analyzeTurns"]:
        if told == after:
            if how == "dies":
                sys.exit(3)
            if how == "hangs":
                open(notes + ".hangs", "w").close()
                time.sleep(1000)
            lie = {"id": query["id"], "turnNumber": turn, "rootInfo": {"winrate": 7}}
            refusal = {"id": query["id"], "error": "bad komi"}
            print({"garbles": "{]", "refuses": json.dumps(refusal), "lies": json.dumps(lie)}[how], flush=True)
        told += 1
        print(json.dumps({
            "id": query["id"], "turnNumber": turn, "isDuringSearch": False,
            "rootInfo": {"winrate": 0.75, "scoreLead": 2.5},
            "policy": [0.01] * cells + [0.5], "ownership": [1.0] * cells,
            "moveInfos": [{"move": "pass", "visits": query["maxVisits"], "order": 0}],
        }), flush=True)
"""


def fake(folder: Path, how: str = "answers", after: int = -1) -> Teacher:
    program = folder / "fake.py"
    program.write_text(FAKE)
    return Teacher([sys.executable, str(program), str(folder / "notes"), how, str(after)])


def notes(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "notes").read_text().splitlines()]


def test_a_label_is_read_from_the_top_left_and_leaves_out_illegal_moves() -> None:
    game = Game(parse("go:size=5"))
    point = game.rules.board.point
    game.play(BLACK, point("B5"))
    policy, ownership = [0.0] * 26, [0.0] * 25
    # A5, B5 (occupied), E1 and pass
    policy[0], policy[1], policy[24], policy[25] = 0.2, 0.5, 0.1, 0.1
    ownership[1], ownership[24] = 1.0, -0.254
    root = {"winrate": 0.3, "scoreLead": -4.5}
    label = read_label(game, 1, {"policy": policy, "ownership": ownership, "rootInfo": root})
    assert (label.winrate, label.lead) == (0.3, -4.5)
    assert {i: share for i, share in enumerate(label.policy) if share} == {
        point("A5"): round(POLICY_UNIT / 2),
        point("E1"): round(POLICY_UNIT / 4),
        25: round(POLICY_UNIT / 4),
    }
    assert {i: owner for i, owner in enumerate(label.owners) if owner} == {point("B5"): OWNED, point("E1"): -25}


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"policy": [0.5] * 25}, "policy: expected 26 numbers"),
        ({"policy": [-1] * 26}, "policy: expected a share of a legal move"),
        ({"policy": [None] * 26}, "policy: expected a number"),
        ({"ownership": [2] * 25}, "ownership: expected a number from -1 to 1, got 2"),
        ({"rootInfo": {"winrate": 1.5, "scoreLead": 0}}, "winrate: expected a number from 0 to 1, got 1.5"),
        ({"rootInfo": {"winrate": 0.5}}, "scoreLead: expected"),
        ({"rootInfo": 3}, "scoreLead: expected"),
    ],
)
def test_a_wrong_answer_is_named(changed: dict[str, Any], named: str) -> None:
    answer = {"policy": [0.1] * 26, "ownership": [0] * 25, "rootInfo": {"winrate": 0.5, "scoreLead": 0}}
    with pytest.raises(PeerGarbled, match=named):
        read_label(Game(parse("go:size=5")), 0, answer | changed)


def test_a_search_teaches_the_shares_of_its_visits() -> None:
    game = Game(parse("go:size=5"))
    point = game.rules.board.point
    game.play(BLACK, point("B5"))
    infos = [
        {"move": "C3", "order": 0, "visits": 90, "edgeVisits": 60},
        {"move": "A5", "order": 1, "visits": 30},
        {"move": "pass", "order": 2, "visits": 10, "edgeVisits": 10},
        {"move": "D4", "order": 3, "visits": 0, "edgeVisits": 0},
        # Copied from a symmetric move, not searched.
        {"move": "A1", "order": 3, "visits": 30, "edgeVisits": 30, "isSymmetryOf": "A5"},
        # Occupied.
        {"move": "B5", "order": 4, "visits": 50, "edgeVisits": 50},
    ]
    root = {"winrate": 0.3, "scoreLead": -4.5}
    answer = {"policy": [0.1] * 26, "moveInfos": infos, "ownership": [0.0] * 25, "rootInfo": root}
    label = read_label(game, 1, answer, visits=150)
    assert (label.winrate, label.lead) == (0.3, -4.5)
    assert {i: share for i, share in enumerate(label.policy) if share} == {
        point("C3"): round(POLICY_UNIT * 0.6),
        point("A5"): round(POLICY_UNIT * 0.3),
        25: round(POLICY_UNIT * 0.1),
    }


@pytest.mark.parametrize(
    ("infos", "named"),
    [
        (None, "moveInfos: expected a list of objects, got None"),
        ([], "moveInfos: expected a share of a legal move after 0 moves"),
        ([{"move": "C3", "visits": 0}], "moveInfos: expected a share of a legal move after 0 moves"),
        ([{"move": "C3", "visits": -1}], "visits: expected a number from 0"),
        ([{"move": "C3", "visits": 3, "edgeVisits": "2"}], "edgeVisits: expected a number"),
        ([{"visits": 3}], "moveInfos: .*None"),
        ([{"move": "x", "visits": 3}], "moveInfos: .*vertex: x"),
        (["C3"], "moveInfos: expected a list of objects"),
    ],
)
def test_wrong_visits_are_named(infos: object, named: str) -> None:
    answer = {"moveInfos": infos, "ownership": [0] * 25, "rootInfo": {"winrate": 0.5, "scoreLead": 0}}
    with pytest.raises(PeerGarbled, match=named):
        read_label(Game(parse("go:size=5")), 0, answer, visits=2)


def labelled_game(label: Label) -> PlayedGames:
    """A game that White won by a point: a stone of each side and a pass. Its second and third positions are learnt."""
    rules = parse("go:size=5")
    actions = [rules.board.point("B5"), rules.board.point("C3"), PASS]
    policies = np.zeros((2, 26), np.uint16)
    policies[1, 25] = POLICY_UNIT
    policies[0] = label.policy
    return PlayedGames(
        spec=rules.spec,
        actions=np.array(actions, np.int32),
        lengths=np.array([3], np.int32),
        positions=np.array([2], np.int32),
        places=np.array([1, 2], np.int32),
        policies=policies,
        values=np.array([[label.winrate, 1 - label.winrate], [0.5, 0.5]], np.float32),
        winners=np.array([WHITE], np.int8),
        margins=np.array([-1], np.float32),
        owners=np.full((1, 25), WHITE, np.int8),
        taught=np.array([0], np.int32),
        leads=np.array([label.lead], np.float32),
        shares=np.array([label.owners], np.int8),
    )


def test_the_targets_of_a_label_are_those_of_the_side_to_move_on_the_turned_board() -> None:
    rules = parse("go:size=5")
    a5, b5, e1 = (rules.board.point(vertex) for vertex in ("A5", "B5", "E1"))
    policy, owners = [0] * 26, [0] * 25
    policy[a5], policy[25] = POLICY_UNIT - 13107, 13107
    owners[b5], owners[e1] = OWNED, -50
    games = labelled_game(Label(policy, 0.75, 3.5, owners))
    # Joined after a game without labels, the label still belongs to its own position.
    none = np.empty(0, np.int32)
    blank = replace(games, taught=none, leads=none.astype(np.float32), shares=np.empty((0, 0), np.int8))
    samples = BoardSamples(games.spec, 1)
    samples.append(blank)
    samples.append(games)
    batch = samples.draw(np.random.default_rng(1), 200, root_share=0.5)
    assert batch.owners is not None
    assert batch.score is not None
    opponents = samples.encoder.planes.index("other_3_liberties")
    taught = np.flatnonzero(batch.score == -3.5)
    assert 20 < len(taught) < 80
    corners = set()
    for row in taught:
        # White is to move, and Black has 75%.
        assert batch.ends[row].tolist() == [0.25, 0.75, 0]
        [mine], [theirs] = np.flatnonzero(batch.owners[row] == 0.5), np.flatnonzero(batch.owners[row] == -1)
        assert batch.planes[row, opponents, theirs] > 0
        [corner] = np.flatnonzero(batch.policy[row, :25])
        assert batch.policy[row][[int(corner), 25]].tolist() == pytest.approx([0.8, 0.2], abs=1e-4)
        # The opposite corner is White's; the stone is beside this one.
        assert mine == 24 - corner
        corners.add((int(corner), int(theirs)))
    assert len(corners) == 8
    # The other positions mix the search with the result, a win of White by a point.
    kinds = {(*each.tolist(), lead) for each, lead in zip(batch.ends, batch.score.tolist(), strict=True)}
    assert kinds == {(0.25, 0.75, 0, -3.5), (0.625, 0.375, 0, 1), (0.25, 0.75, 0, -1)}


def test_labels_replace_the_search_of_some_positions_of_each_game(tmp_path: Path) -> None:
    games = play("go:size=5", 3)
    teacher = fake(tmp_path)
    found = teach(games, [teacher], 1, (1, 2), tmp_path / "log")
    teacher.close()
    kept = np.minimum(games.positions, LABELS_A_GAME)
    assert found.positions.tolist() == kept.tolist()
    assert found.taught.tolist() == list(range(kept.sum()))
    assert set(found.leads) == {2.5}
    assert set(found.shares.ravel()) == {OWNED}
    assert {tuple(each) for each in found.values.tolist()} == {(0.75, 0.25)}
    asked = [(len(query["moves"]), query["analyzeTurns"]) for query in notes(tmp_path)]
    assert sorted(turn for _, turns in asked for turn in turns) == sorted(found.places)
    query = notes(tmp_path)[0]
    assert query["rules"] | {"whiteHandicapBonus": 0} == {
        "ko": "POSITIONAL", "scoring": "AREA", "tax": "NONE", "suicide": False, "hasButton": False,
        "whiteHandicapBonus": 0, "friendlyPassOk": False,
    }  # fmt: skip
    assert (query["komi"], query["boardXSize"], query["maxVisits"]) == (7.5, 5, 1)
    # Chances as the search compares them, and no moves that only noise tries.
    assert query["overrideSettings"] == {
        "reportAnalysisWinratesAs": "BLACK", "wideRootNoise": 0, "calibration": 1, "rootSymmetryPruning": False,
    }  # fmt: skip
    found.save(tmp_path / "games.npz")
    loaded = PlayedGames.load(tmp_path / "games.npz")
    assert all(np.array_equal(getattr(loaded, each.name), getattr(found, each.name)) for each in fields(found))


@pytest.mark.parametrize("share", [0.25, 0.5, 0.8])
def test_the_share_counts_positions(tmp_path: Path, share: float) -> None:
    games = play("go:size=9", 2, settings=SelfPlaySettings(playouts=4, considered=3, most_moves=150))
    teacher = fake(tmp_path)
    found = teach(games, [teacher], share, (1,), tmp_path / "log")
    teacher.close()
    labels = int(np.minimum(games.positions, LABELS_A_GAME).sum())
    own = min(int(games.positions.sum()) - labels, round(labels * (1 - share) / share))
    assert (len(found.taught), len(found.places)) == (labels, labels + own)
    # The others keep the values of the search.
    others = np.delete(found.values, found.taught, axis=0)
    assert {tuple(each) for each in others.tolist()} <= {tuple(each) for each in games.values.tolist()}


@pytest.mark.parametrize("how", ["dies", "garbles", "lies", "hangs"])
def test_a_failing_teacher_is_replaced_and_asked_for_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    read, hangs = ProcessChannel.read, tmp_path / "notes.hangs"

    def read_until_it_hangs(channel: ProcessChannel, timeout_s: float) -> bytes | None:
        """Report that the time is up as soon as the fake hangs and all that it said before has been read."""
        assert 500 < timeout_s <= 600
        while True:
            is_hanging = hangs.exists()
            chunk = read(channel, 0.02)
            if chunk is not None:
                return chunk
            if is_hanging:
                hangs.unlink()
                return None

    monkeypatch.setattr(ProcessChannel, "read", read_until_it_hangs)
    games = play("go:size=5", 2)
    teacher = fake(tmp_path, how, after=15)
    found = teach(games, [teacher], 1, (1,), tmp_path / "log")
    teacher.close()
    assert len(found.taught) == len(found.places)
    asked = [len(query["analyzeTurns"]) for query in notes(tmp_path)]
    # Three processes for up to 40 positions: each answered 15, and nothing was asked again that had been answered.
    assert sum(asked) < len(found.places) + 40
    assert len(asked) == 2 + (len(found.places) - 1) // 15


@pytest.mark.parametrize(
    ("how", "named"), [("dies", "failed 3 times: it ended before"), ("refuses", "refuses a position of go.*bad komi")]
)
def test_a_teacher_that_never_answers_ends_the_training(tmp_path: Path, how: str, named: str) -> None:
    teacher = fake(tmp_path, how, after=0)
    with pytest.raises(TeacherFailed, match=named):
        teach(play("go:size=5", 1), [teacher], 1, (1,), tmp_path / "log")
    teacher.close()
    assert len(notes(tmp_path)) == (3 if how == "dies" else 1)


def test_a_missing_program_is_named(tmp_path: Path) -> None:
    with pytest.raises(TeacherFailed, match=r"no-such-program.*program not found"):
        Teacher(["no-such-program"]).introduce()


def test_no_label_is_asked_for_twice_after_a_kill(tmp_path: Path) -> None:
    games, log = play("go:size=5", 3), tmp_path / "log"
    refusing = fake(tmp_path, "refuses", after=25)
    with pytest.raises(TeacherFailed):
        teach(games, [refusing], 1, (1,), log)
    written = log.read_bytes()
    assert written.count(b"\n") == 1 + 25
    # The last line was cut off by the kill.
    log.write_bytes(written[:-9])
    (tmp_path / "notes").unlink()
    teacher = fake(tmp_path)
    found = teach(games, [teacher], 1, (1,), log)
    assert sum(len(query["analyzeTurns"]) for query in notes(tmp_path)) == len(found.places) - 24
    assert set(found.leads) == {2.5}
    # A log of other games is not used.
    (tmp_path / "notes").unlink()
    others = play("go:size=5", 2)
    assert len(teach(others, [teacher], 1, (1,), log).places) == sum(
        len(each["analyzeTurns"]) for each in notes(tmp_path)
    )
    teacher.close()


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("phantom:size=5", "hidden stones"),
        ("aleago:size=5", "dice"),
        ("pentalath:swap=true", "a swap"),
        ("pentalath:players=3", "three players"),
    ],
)
def test_games_that_the_protocol_cannot_describe_are_refused(spec: str, named: str) -> None:
    with pytest.raises(ConfigError, match=f"{spec}: a teacher cannot label games with .*{named}"):
        TrainingSettings((spec,), teacher_share=1).check_rules([parse(spec)])


@pytest.mark.slow
def test_our_own_analysis_engine_teaches_uncalibrated_chances(tmp_path: Path) -> None:
    rules = parse("go:size=5")
    # With this power every chance but an even one is told as certain.
    network = replace(random_network(Encoder(rules), 3, 16, 1), calibration=1000.0)
    network.save(tmp_path / "known.safetensors")
    game = Game(rules)
    game.play(BLACK, rules.board.point("C3"))
    labels: dict[tuple[int, int], Label] = {}
    with closing(Teacher([*COMMAND, "analysis", "--net", str(tmp_path / "known.safetensors")])) as teacher:
        for visits in (1, 30):
            teacher.label(game, [0, 1], lambda turn, label: labels.update({(visits, turn): label}), visits)  # noqa: B023
    assert len(labels) == 4
    for (visits, turn), label in labels.items():
        shown = search(rules, game.positions[turn], playouts=30, network=network)
        assert min(shown.values) < 1e-3
        assert 0.1 < label.winrate < 0.9
        counts = np.array(label.policy) / POLICY_UNIT * 30
        assert np.allclose(counts, counts.round(), atol=1e-2) == (visits == 30)


@pytest.mark.slow
@pytest.mark.parametrize("visits", [1, 20])
@pytest.mark.parametrize("spec", ["go:size=3", "rosette:n=2", "pentalath"])
def test_our_own_analysis_engine_teaches(tmp_path: Path, spec: str, visits: int) -> None:
    teacher = Teacher([*COMMAND, "analysis"])
    # It has several networks, so that its program names it.
    assert teacher.introduce() == Path(sys.executable).name
    games = play(spec, 1)
    found = teach(games, [teacher], 1, (1,), tmp_path / "log", visits)
    teacher.close()
    assert len(found.taught) == min(LABELS_A_GAME, games.positions[0])
    assert abs(found.policies.sum(axis=1, dtype=np.int64) - POLICY_UNIT).max() < 200
    assert np.allclose(found.values.sum(axis=1), 1)
    samples = BoardSamples(games.spec, 1)
    samples.append(found)
    batch = samples.draw(np.random.default_rng(1), 16, root_share=0)
    assert np.allclose(batch.policy.sum(axis=1), 1)
    assert not (batch.policy > batch.mask).any()
