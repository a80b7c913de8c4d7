"""A trainer in a folder: equal seeds give equal weights, and a kill at any moment changes nothing."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gtp_variants.ai.backend import load_native
from gtp_variants.ai.nets.adaptation import inputs_to_freeze
from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.training_stages import training_stages
from gtp_variants.ai.nets.weight_choice import choose_hidden_network, choose_network
from gtp_variants.arena.api import match
from gtp_variants.base.installation import install_command
from gtp_variants.cli import main
from gtp_variants.cli.engines import training_gate
from gtp_variants.cli.engines.train import progress_page
from gtp_variants.cli.engines.training_gate import NO_NETWORK, TrainingGate
from gtp_variants.errors import ConfigError, RecordError
from gtp_variants.rules import parse

pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)
pytest.importorskip("gtp_variants.ai.kernel._kernel", reason="the native kernel was not built")
if load_native("gtp_variants.ai.kernel._kernel") is None:
    pytest.skip("plain Python was chosen", allow_module_level=True)

from gtp_variants.training.folder import Progress
from gtp_variants.training.self_play import PlayedGames, SelfPlayer
from gtp_variants.training.settings import TrainingSettings
from gtp_variants.training.trainer import Trainer
from tests.training.test_teacher import fake

SMALL = TrainingSettings(
    ("go:size=4", "go:size=5"), channels=16, blocks=1, positions=300, batch=64, playouts=4, considered=3
)
RUN = """
import sys
from pathlib import Path
from tests.training.test_trainer import SMALL, train
train(Path(sys.argv[1]), int(sys.argv[2]))
"""


def train(folder: Path, iterations: int, settings: TrainingSettings = SMALL, threads: int = 1) -> Trainer:
    trainer = Trainer(settings, folder, threads)
    trainer.run(lambda: trainer.progress.iteration >= iterations, lambda progress: None)
    return trainer


def weights(folder: Path, iteration: int) -> dict[str, bytes]:
    return dict(Network.load(folder / "weights" / f"{iteration:05}.safetensors").tensors)


def test_equal_seeds_give_equal_weights(tmp_path: Path) -> None:
    train(tmp_path / "one", 2)
    train(tmp_path / "two", 2, threads=3)
    train(tmp_path / "other", 2, replace(SMALL, seed=2))
    assert weights(tmp_path / "one", 2) == weights(tmp_path / "two", 2)
    assert weights(tmp_path / "one", 2) != weights(tmp_path / "other", 2)


def test_a_taught_network_names_its_teachers_and_continues_to_the_same_weights(tmp_path: Path) -> None:
    taught = replace(SMALL, specs=("go:size=4",), teacher_share=0.5, positions=50, chunk=4)
    for name, halves in (("one", [2]), ("two", [1, 2])):
        for iterations in halves:
            teacher = fake(tmp_path)
            trainer = Trainer(taught, tmp_path / name, 1, teachers=[teacher])
            trainer.run(lambda: trainer.progress.iteration >= iterations, lambda progress: None)  # noqa: B023
            teacher.close()
    assert weights(tmp_path / "one", 2) == weights(tmp_path / "two", 2)
    stage = training_stages(trainer.network)[-1]
    assert (stage.teacher, stage.visits, stage.positions) == ("the_fake", 1, trainer.progress.positions)
    assert 0 < stage.labels == trainer.progress.labels <= stage.positions
    assert f"({stage.labels} labelled by the_fake)" in str(stage)
    assert not list(tmp_path.rglob("*.labels"))
    deep = replace(taught, teacher_visits=1200)
    with closing(fake(tmp_path)) as teacher:
        trainer = Trainer(deep, tmp_path / "deep", 1, teachers=[teacher])
        trainer.run(lambda: trainer.progress.iteration >= 1, lambda progress: None)
        with pytest.raises(ConfigError, match=r"teacher_visits: 1200, but .*two was begun with 1$"):
            Trainer(deep, tmp_path / "two", 1, teachers=[teacher])
    stage = training_stages(trainer.network)[-1]
    assert (stage.visits, stage.teacher) == (1200, "the_fake")
    assert f"({stage.labels} labelled by the_fake, 1,200 visits each)" in str(stage)
    assert {json.loads(line)["maxVisits"] for line in (tmp_path / "notes").read_text().splitlines()} == {1, 1200}
    with pytest.raises(ConfigError, match=r"teacher_share: 0\.5 with 0 teachers"):
        Trainer(taught, tmp_path / "two", 1)
    with pytest.raises(ConfigError, match=r"teacher_share: 0\.0, but .*two was begun with 0\.5"):
        Trainer(replace(taught, teacher_share=0.0), tmp_path / "two", 1)


def test_losses_on_unseen_games_are_those_before_learning_and_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = train(tmp_path / "one", 2)
    rows = trainer.history()
    assert [set(row["unseen"]) for row in rows] == [set(row["losses"]) for row in rows]
    # At first it knows nothing.
    assert rows[0]["unseen"]["value"] > rows[0]["losses"]["value"]
    page = progress_page("Go", rows, "", [])
    assert page.count("</i>unseen games</span>") == page.count("</i>learnt from</span>") == 6
    assert "unseen games" not in progress_page("Go", [row | {"unseen": None} for row in rows], "", [])
    assert Trainer(SMALL, tmp_path / "one", 1).progress == trainer.progress
    monkeypatch.setattr(Trainer, "_find_unseen_losses", lambda trainer, played: None)
    train(tmp_path / "two", 2)
    assert weights(tmp_path / "one", 2) == weights(tmp_path / "two", 2)
    # As in a folder of an earlier version.
    assert [row["unseen"] for row in train(tmp_path / "two", 3).history()] == [None] * 3


def test_it_continues_where_it_stopped(tmp_path: Path) -> None:
    train(tmp_path / "whole", 3)
    train(tmp_path / "parts", 1)
    told: list[Progress] = []
    trainer = Trainer(SMALL, tmp_path / "parts", 1)
    assert trainer.progress.iteration == 1
    trainer.run(lambda: trainer.progress.iteration >= 3, told.append)
    assert [each.iteration for each in told] == [2, 3]
    assert weights(tmp_path / "whole", 3) == weights(tmp_path / "parts", 3)
    assert [row["iteration"] for row in trainer.history()] == [1, 2, 3]


def test_hours_count_the_games_that_were_written_before_a_kill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play, clock = SelfPlayer.play, [0.0]
    stops: list[float] = []

    def take_ten_seconds(player: SelfPlayer, *arguments: Any) -> PlayedGames:
        clock[0] += 10
        if clock[0] in stops:
            raise KeyboardInterrupt
        return play(player, *arguments)

    monkeypatch.setattr(SelfPlayer, "play", take_ten_seconds)
    monkeypatch.setattr(Trainer, "_processor_s", lambda trainer: clock[0])
    settings = replace(SMALL, positions=600, chunk=16)
    whole = train(tmp_path / "whole", 2, settings)
    stops += [clock[0] + 30, clock[0] + 50]
    for _ in stops:
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path / "killed", 2, settings)
    killed = train(tmp_path / "killed", 2, settings)
    assert killed.progress.self_play_s == whole.progress.self_play_s == 40
    # What it took to play games of another folder is not known here, and not of this training.
    (tmp_path / "student").mkdir()
    shutil.copytree(tmp_path / "whole" / "games", tmp_path / "student" / "games")
    assert train(tmp_path / "student", 2, settings).progress.self_play_s == 0


@pytest.mark.parametrize("is_of_an_earlier_version", [False, True])
def test_games_before_the_window_may_be_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_of_an_earlier_version: bool
) -> None:
    monkeypatch.setattr("gtp_variants.training.settings._FIRST_WINDOW", 130)
    settings = replace(SMALL, blocks=0, positions=60, chunk=4, playouts=2)
    train(tmp_path / "whole", 3, settings)
    parts = train(tmp_path / "parts", 2, settings)
    files = sorted((tmp_path / "parts" / "games").iterdir())
    if is_of_an_earlier_version:
        earlier = replace(parts.progress, specs=(), unseen=None)
        rate, window = parts.history()[-1]["rate"], parts.history()[-1]["window"]
        parts.folder.commit(earlier, parts.network, parts._learner, rate, window)
        files[0].rename(tmp_path / "first.npz")
        with pytest.raises(RecordError, match=r"00001-0000\.npz: expected games of iteration"):
            Trainer(settings, tmp_path / "parts", 1)
        (tmp_path / "first.npz").rename(files[0])
    else:
        assert len(parts._window) < parts.progress.positions
        files[0].unlink()
    train(tmp_path / "parts", 3, settings)
    assert weights(tmp_path / "whole", 3) == weights(tmp_path / "parts", 3)


def test_games_of_another_folder_are_learnt_from_and_it_continues_alike(tmp_path: Path) -> None:
    teacher = train(tmp_path / "teacher", 1, replace(SMALL, positions=2000, chunk=8))
    (tmp_path / "student").mkdir()
    shutil.copytree(tmp_path / "teacher" / "games", tmp_path / "student" / "games")
    student = replace(SMALL, positions=300, chunk=8)
    first = train(tmp_path / "student", 1, student)
    assert 300 <= first.progress.positions < teacher.progress.positions
    again = Trainer(student, tmp_path / "student", 1)
    # What was there beyond those that were enough is not learnt from, before or after it is begun again.
    assert len(again._window) == len(first._window) == first.progress.positions


def test_chunks_that_are_too_small_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gtp_variants.training.settings._MOST_CHUNKS", 2)
    settings = replace(SMALL, positions=600)
    with pytest.raises(ConfigError, match=r"chunk: 6 games are too few for 600 positions an iteration$"):
        train(tmp_path / "one", 1, replace(settings, chunk=6))
    with pytest.raises(
        ConfigError, match="chunk: 3 games are too few for 600 positions an iteration, expected 4 or more"
    ):
        Trainer(replace(settings, chunk=3), tmp_path / "three", 1)
    assert not (tmp_path / "three").exists()
    train(tmp_path / "two", 1, SMALL)
    with pytest.raises(ConfigError, match=r"chunk: 32, but .*two was begun with 64"):
        train(tmp_path / "two", 1, replace(settings, chunk=32))


def test_training_without_pytorch_is_refused_with_what_installs_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("trainer", "pytorch.learner", "pytorch.forward_pass"):
        monkeypatch.delitem(sys.modules, f"gtp_variants.training.{name}")
    monkeypatch.setitem(sys.modules, "torch", None)
    assert main(["train", "go:size=4", "--into", str(tmp_path / "one"), "--iterations", "1"]) != 0
    assert f"training needs torch; {install_command('train')}" in capsys.readouterr().err


def test_a_starting_network_counts_with_its_training_positions(tmp_path: Path) -> None:
    """The steps of the learner go on as small as they were; another game's positions count only so far."""
    trainer = train(tmp_path / "first", 1)
    known = trainer.network
    many = replace(known, training={**known.training, "positions": "2500000"})
    many.save(tmp_path / "many.safetensors")
    same = train(tmp_path / "same", 1, replace(SMALL, start=str(tmp_path / "many.safetensors")))
    assert same.history()[0]["rate"] == SMALL.rate(2_500_000) < SMALL.rate(0)
    assert "positions=2500000" in same.network.training["start"]
    other = replace(SMALL, specs=("aleago:size=5",), start=str(tmp_path / "many.safetensors"))
    assert SMALL.rate(2_500_000) < train(tmp_path / "other", 1, other).history()[0]["rate"] < SMALL.rate(0)
    # What a network began with counts, too, and so does what somebody says instead.
    same.network.save(tmp_path / "more.safetensors")
    more = replace(SMALL, start=str(tmp_path / "more.safetensors"))
    assert train(tmp_path / "more", 1, more).history()[0]["rate"] == SMALL.rate(2_500_000)
    fewer = replace(more, start_positions=10)
    assert train(tmp_path / "fewer", 1, fewer).history()[0]["rate"] == SMALL.rate(0)
    # What it began with is told by the file alone, and the same command goes on after it.
    again = Trainer(replace(SMALL, start=str(tmp_path / "many.safetensors")), tmp_path / "same", 1)
    assert again.network.training["start"] == same.network.training["start"]


def test_the_start_file_may_change_after_training_began(tmp_path: Path) -> None:
    start = tmp_path / "start.safetensors"
    known = train(tmp_path / "first", 1).network
    replace(known, training={"positions": "2500000"}).save(start)
    settings = replace(SMALL, start=str(start))
    train(tmp_path / "whole", 2, settings)
    parts = train(tmp_path / "parts", 1, settings)
    replace(known, training={"positions": "1"}).save(start)
    assert Trainer(settings, tmp_path / "parts", 1).network.training == parts.network.training
    start.unlink()
    train(tmp_path / "parts", 2, settings)
    assert weights(tmp_path / "whole", 2) == weights(tmp_path / "parts", 2)


def test_a_folder_of_an_older_version_continues_from_the_file_it_began_with(tmp_path: Path) -> None:
    start = tmp_path / "start.safetensors"
    train(tmp_path / "first", 1).network.save(start)
    settings = replace(SMALL, start=str(start))
    train(tmp_path / "older", 1, settings)
    (tmp_path / "older" / "start.safetensors").unlink()
    about = json.loads((tmp_path / "older" / "training.json").read_text())
    del about["start_sha256"]
    (tmp_path / "older" / "training.json").write_text(json.dumps(about))
    train(tmp_path / "older", 2, settings)
    # From now on it has its own.
    start.unlink()
    assert train(tmp_path / "older", 3, settings).progress.iteration == 3


def test_another_start_counts_after_a_beginning_that_failed(tmp_path: Path) -> None:
    known = train(tmp_path / "first", 1).network
    for name, positions in (("one", "1000"), ("other", "2000")):
        replace(known, training={"positions": positions}).save(tmp_path / f"{name}.safetensors")
    folder = tmp_path / "failed"
    folder.mkdir()
    # The disk was full before the settings were written.
    shutil.copy(tmp_path / "one.safetensors", folder / "start.safetensors")
    settings = replace(SMALL, start=str(tmp_path / "other.safetensors"))
    assert "positions=2000" in Trainer(settings, folder, 1).network.training["start"]
    assert Network.load(folder / "start.safetensors").training == {"positions": "2000"}


def test_games_without_a_position_to_learn_from_end_the_training(tmp_path: Path) -> None:
    for share in (0.0, 0.5):
        settings = replace(SMALL, specs=("go:size=1",), deep_share=share)
        with pytest.raises(ConfigError, match=r"go:size=1.*: \d+ games have no position to learn from"):
            train(tmp_path / str(share), 1, settings)
        assert len(list((tmp_path / str(share) / "games").iterdir())) < 5


def kill_and_go_on(folder: Path, iterations: int, kills: int) -> int:
    """Train in processes of which so many are killed, each a little later than the last; how many were."""
    killed = 0
    for number in range(kills + 1):
        process = subprocess.Popen(
            [sys.executable, "-c", RUN, str(folder), str(iterations)], cwd=Path(__file__).parents[2]
        )
        try:
            process.wait(timeout=0.8 + 0.13 * number if number < kills else 120)
            break
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            killed += 1
    assert process.returncode == 0
    return killed


@pytest.mark.long
def test_a_kill_changes_nothing(tmp_path: Path) -> None:
    train(tmp_path / "whole", 12)
    began = time.monotonic()
    killed = kill_and_go_on(tmp_path / "killed", 12, 20)
    assert killed or time.monotonic() - began < 1
    assert weights(tmp_path / "whole", 12) == weights(tmp_path / "killed", 12)


def test_a_folder_that_was_begun_with_other_settings_is_refused(tmp_path: Path) -> None:
    Trainer(SMALL, tmp_path, 1)
    with pytest.raises(ConfigError, match=r"channels: 32, but .* was begun with 16"):
        Trainer(replace(SMALL, channels=32), tmp_path, 1)
    # More boards may come in later.
    Trainer(replace(SMALL, specs=("go:size=4", "go:size=6")), tmp_path, 1)


def test_the_weights_name_every_spec_that_was_learnt_from_in_the_folder(tmp_path: Path) -> None:
    few = replace(SMALL, blocks=0, positions=20, chunk=2, playouts=2)
    first = ("rosette:n=2,supply=12", "rosette:n=2,supply=12", "rosette:n=3,supply=12")
    assert train(tmp_path, 1, replace(few, specs=first)).network.training["specs"] == " ".join(first)
    train(tmp_path, 2, replace(few, specs=("rosette:n=2",)))
    again = train(tmp_path, 3, replace(few, specs=("rosette:n=3", "rosette:n=2")))
    (supply, *_), specs = first, again.network.training["specs"]
    assert specs.split() == [supply, "rosette:n=2", "rosette:n=3"]
    # So no input that it has learnt is frozen.
    assert not inputs_to_freeze(specs, parse(supply)).features


def test_specs_of_two_games_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="pentalath: expected the game of go:size=4"):
        Trainer(replace(SMALL, specs=("go:size=4", "pentalath")), tmp_path, 1)


def test_a_damaged_state_is_refused(tmp_path: Path) -> None:
    train(tmp_path, 1)
    (tmp_path / "state.bin").write_bytes(b"\x04\x00\x00\x00oh no")
    with pytest.raises(RecordError, match="not a state of training"):
        Trainer(SMALL, tmp_path, 1)


def test_a_failed_start_leaves_the_folder_free(tmp_path: Path) -> None:
    with pytest.raises(RecordError):
        Trainer(replace(SMALL, start=str(tmp_path / "nothing.safetensors")), tmp_path / "a", 1)
    assert train(tmp_path / "a", 1).progress.iteration == 1


def test_small_steps_and_many_playouts_last_for_ever() -> None:
    rules = parse("go:size=5")
    assert SMALL.rate(10**30) < SMALL.rate(1_600_000) < SMALL.rate(0)
    played = [SMALL.self_play(rules, positions).playouts for positions in (0, 500_000, 1_600_000, 10**30)]
    assert played == sorted(set(played))
    # No score tells a beginning network much by few playouts.
    assert SMALL.self_play(parse("pentalath"), 0).playouts == SMALL.self_play(rules, 500_000).playouts


def test_a_training_by_deep_searches_continues(tmp_path: Path) -> None:
    settings = replace(SMALL, deep_share=0.25, deep_playouts=12)
    how = settings.self_play(parse("go:size=5"), 500_000)
    assert (how.playouts, how.deep_playouts, how.deep_share) == (SMALL.playouts, 12, 0.25)
    train(tmp_path / "whole", 2, settings)
    train(tmp_path / "parts", 1, settings)
    train(tmp_path / "parts", 2, settings)
    assert weights(tmp_path / "whole", 2) == weights(tmp_path / "parts", 2)
    with pytest.raises(ConfigError, match=r"deep_share: 0\.0, but"):
        Trainer(replace(settings, deep_share=0.0), tmp_path / "parts")


def test_values_of_deep_searches_count_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = replace(SMALL, deep_share=0.25, deep_playouts=12)
    monkeypatch.setattr("gtp_variants.training.settings._DEEP_VALUE_WEIGHT", 1.0)
    for name, settings in (("deep", deep), ("few", SMALL)):
        train(tmp_path / f"{name}-equal", 1, settings)
    monkeypatch.undo()
    for name, settings in (("deep", deep), ("few", SMALL)):
        train(tmp_path / name, 1, settings)
    assert weights(tmp_path / "deep", 1) != weights(tmp_path / "deep-equal", 1)
    assert weights(tmp_path / "few", 1) == weights(tmp_path / "few-equal", 1)


def test_a_folder_begun_by_an_earlier_version_continues(tmp_path: Path) -> None:
    train(tmp_path, 1)
    path = tmp_path / "training.json"
    # As it was written before there were deep searches.
    settings = json.loads(path.read_text()) | {"root_share": 0.3, "cheap_share": 0.0}
    del settings["deep_share"], settings["deep_playouts"]
    path.write_text(json.dumps(settings))
    assert train(tmp_path, 2).progress.iteration == 2
    path.write_text(json.dumps(settings | {"cheap_share": 0.5}))
    with pytest.raises(ConfigError, match=r"cheap_share: None, but .* was begun with 0\.5"):
        Trainer(SMALL, tmp_path)


def test_a_folder_begun_before_networks_learnt_later_turns_continues(tmp_path: Path) -> None:
    trainer = train(tmp_path / "one", 1)
    state = np.frombuffer(trainer._learner.state(), np.float32)
    count = sum(prod(sizes) for _, sizes in trainer.network.shape.tensors().values())
    old = np.concatenate([state[:-2].reshape(4, -1)[:, :count].ravel(), state[-2:]]).tobytes()
    path, log = tmp_path / "one" / "state.bin", tmp_path / "one" / "log.jsonl"
    raw = path.read_bytes()
    about, row = json.loads(raw[4 : 4 + int.from_bytes(raw[:4], "little")]), json.loads(log.read_text())
    del about["sha256"]
    for losses in (about["losses"], about["unseen"], row["losses"], row["unseen"]):
        del losses["reply"], losses["short_term_value"]
    head = json.dumps(about).encode()
    path.write_bytes(len(head).to_bytes(4, "little") + head + old)
    log.write_text(json.dumps(row) + "\n")
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    again = Trainer(SMALL, tmp_path / "one", 1)
    assert again.network.tensors == trainer.network.tensors
    again.run(lambda: again.progress.iteration >= 2, lambda progress: None)
    assert again.progress.losses.reply > 0
    assert progress_page("Go", again.history(), "", []).count('<figure class="plot"') == 7
    train(tmp_path / "two", 2)
    assert weights(tmp_path / "one", 2) == weights(tmp_path / "two", 2)


def test_a_larger_network_begins_with_a_smaller_one_and_continues(tmp_path: Path) -> None:
    train(tmp_path / "small", 1)
    start = str(tmp_path / "small" / "weights" / "00001.safetensors")
    larger = replace(SMALL, channels=2 * SMALL.channels, blocks=SMALL.blocks + 1, start=start)
    whole = train(tmp_path / "whole", 2, larger)
    assert (whole.network.shape.channels, whole.network.shape.blocks) == (larger.channels, larger.blocks)
    train(tmp_path / "parts", 1, larger)
    train(tmp_path / "parts", 2, larger)
    assert weights(tmp_path / "whole", 2) == weights(tmp_path / "parts", 2)
    with pytest.raises(ConfigError, match="cannot start a network with"):
        Trainer(replace(SMALL, start=str(tmp_path / "whole" / "weights" / "00002.safetensors")), tmp_path / "smaller")


def test_the_command_writes_a_page_and_refuses_invalid_arguments(tmp_path: Path) -> None:
    small = ["--channels", "16", "--blocks", "1"]
    assert main(["train", "go:size=4", "--into", str(tmp_path), *small, "--hours", "1e-12"]) == 0
    page = (tmp_path / "training.html").read_text()
    assert "No iteration has finished yet" in page
    assert json.loads((tmp_path / "training.json").read_text())["specs"] == ["go:size=4"]
    for wrong in (
        ["--hours", "-1"],
        ["--passes", "0"],
        ["--passes", "nan"],
        ["--playouts", "1"],
        ["--deep-share", "1.1"],
        ["--deep-share", "nan"],
        ["--deep-share", "1e-6"],
        ["--deep-playouts", "1"],
    ):
        with pytest.raises(SystemExit):
            main(["train", "--into", str(tmp_path / "b"), *wrong, "go:size=4"])
    assert main(["train", "go:size=4", "pentalath", "--into", str(tmp_path / "b")]) == 2
    assert main(["train", "phantom:size=5", "--deep-share", "0.5", "--into", str(tmp_path / "b")]) == 2


def test_the_page_shows_curves_and_games(tmp_path: Path) -> None:
    trainer = train(tmp_path, 2)
    games = [("game-1.html", "<svg></svg>", "a <game>")]
    page = progress_page("Go & more", trainer.history(), "<p>a strength</p>", games)
    assert "Go &amp; more" in page
    assert "a &lt;game&gt;" in page
    assert page.count('<figure class="plot"') == 7
    assert all(
        word in page
        for word in ("policy", "value", "owners", "score", "Loss of the reply", "short term value", "<p>a strength</p>")
    )
    assert len(trainer.sample_games(2)) == 2


def test_full_boards_of_hidden_games_are_learnt_from(tmp_path: Path) -> None:
    specs = ("go:size=5,repetition=ssk,dead=none",)
    settings = replace(SMALL, specs=specs, play_as="phantom", positions=60, playouts=16, chunk=2)
    trainer = train(tmp_path / "a", 1, settings)
    network = trainer.network
    assert (network.game, network.shape.has_hidden_stones) == ("go", False)
    assert network.training["specs"] == specs[0]
    weights = trainer.folder.weights_path(1)
    with pytest.raises(ConfigError, match="expected a network that predicts hidden stones"):
        choose_hidden_network(parse("phantom:size=5"), weights)
    assert choose_network(parse("phantom:size=5"), weights) is not None
    # A gate plays the game with hidden stones, too.
    gate = TrainingGate(parse("phantom:size=5"), tmp_path / "a", 1, 0.001, judges=True)
    [found] = gate.play(1, 0.0, weights)
    assert (found.against, found.games) == (NO_NETWORK, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["go:size=9", "--play-as", "chess"], "unknown game 'chess'"),
        (["go:size=9", "--play-as", "aleago"], "aleago: expected a game whose positions are those of go:size=9"),
        (["phantom:size=9", "--play-as", "phantom"], "expected a game whose positions are those of phantom:size=9"),
        (["go:width=9,height=7", "--play-as", "phantom"], "expected a game whose positions are those of go:width=9"),
        (["go:size=9,suicide=true", "--play-as", "phantom"], "positions are those of go:size=9,suicide=true"),
        (
            ["go:size=9", "--play-as", "phantom:komi=3.5"],
            "phantom:komi=3.5: expected a game whose positions are those of go",
        ),
        (["go:size=9", "--play-as", "phantom", "--deep-share", "0.1"], "deep_share is not supported"),
    ],
)
def test_games_that_cannot_be_played_instead(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", *arguments, "--into", str(tmp_path / "b")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "b").exists()


@pytest.mark.long
def test_hidden_stones_are_learnt_and_played_with(tmp_path: Path) -> None:
    settings = replace(SMALL, specs=("phantom:size=5",), positions=200, playouts=16, chunk=4)
    trainer = train(tmp_path / "one", 2, settings)
    assert trainer.network.shape.has_hidden_stones
    assert 0 < trainer.progress.losses.hidden_stones < 1
    train(tmp_path / "two", 2, settings, threads=2)
    assert weights(tmp_path / "one", 2) == weights(tmp_path / "two", 2)
    gate = TrainingGate(trainer.rules[0], tmp_path / "one", pairs=1, seconds=0.01)
    assert [each.against for each in gate.play(2, 0.1, trainer.folder.weights_path(2))] == ["no network"]


@pytest.mark.slow
def test_a_gate_of_three_lets_the_network_play_two_others(tmp_path: Path) -> None:
    settings = replace(SMALL, specs=("pentalath:players=3",))
    trainer = train(tmp_path, 1, settings)
    gate = TrainingGate(trainer.rules[0], tmp_path, pairs=2, seconds=0.002)
    (first,) = gate.play(1, 0.1, trainer.folder.weights_path(1))
    assert first.games == 6
    assert first.low < first.elo < first.high
    # Even is a third of the points.
    stored = match(trainer.rules[0], dict.fromkeys(("new", "a", "b"), "bot:uniform"), pairs=20, seed=1)
    points = stored.points("new") / len(stored.games)
    elo, low, high = training_gate._elo(stored)
    assert (elo > 0) == (points > 1 / 3)
    assert low < 0 < high


@pytest.mark.slow
def test_a_gate_lets_the_network_play(tmp_path: Path) -> None:
    trainer = train(tmp_path, 2)
    gate = TrainingGate(trainer.rules[0], tmp_path, pairs=1, seconds=0.005)
    first = gate.play(1, 0.1, trainer.folder.weights_path(1))
    second = gate.play(2, 0.2, trainer.folder.weights_path(2))
    assert [each.against for each in first] == ["no network"]
    assert [each.against for each in second] == ["no network", "iteration 1"]
    assert (tmp_path / "best.safetensors").exists()
    again = TrainingGate(trainer.rules[0], tmp_path, pairs=1, seconds=0.005)
    assert again.results == [*first, *second]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--teacher", " "], "--teacher: expected a program and its arguments"),
        (["--teacher", "'"], "--teacher: cannot be read: No closing quotation"),
        (
            ["--teacher-share", "0.3"],
            "--teacher-share, --teacher-visits, --teacher-processes: expected --teacher COMMAND",
        ),
        (["--teacher-visits", "100"], "--teacher-processes: expected --teacher COMMAND"),
        (["--teacher", "x", "--teacher-visits", "0"], "--teacher-visits: expected 1 to "),
        (["--teacher", "x", "--teacher-share", "0"], "--teacher-share: expected 0.01 to 1"),
    ],
)
def test_an_unusable_teacher_is_refused_before_anything_is_written(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], options: list[str], named: str
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["train", "go:size=5", "--into", str(tmp_path / "new"), *options])
    assert named in capfd.readouterr().err
    assert not (tmp_path / "new").exists()
