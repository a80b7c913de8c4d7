"""The folder of a training: damaged files are named, and files of another game are refused."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gtp_variants.ai.backend import load_native
from gtp_variants.ai.nets.network import Network
from gtp_variants.cli.engines.train import play_gate
from gtp_variants.cli.engines.training_gate import TrainingGate
from gtp_variants.errors import ConfigError, RecordError
from gtp_variants.records.files import write
from gtp_variants.rules import parse

pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)
pytest.importorskip("gtp_variants.ai.kernel._kernel", reason="the native kernel was not built")
if load_native("gtp_variants.ai.kernel._kernel") is None:
    pytest.skip("plain Python was chosen", allow_module_level=True)

from gtp_variants.training.self_play import PlayedGames
from gtp_variants.training.settings import TrainingSettings
from gtp_variants.training.trainer import Trainer

SMALL = TrainingSettings(
    ("go:size=4",), channels=16, blocks=0, positions=60, batch=64, chunk=4, playouts=2, considered=2
)
FIRST = "games/00001-0000.npz"


def train(
    folder: Path,
    iterations: int = 1,
    settings: TrainingSettings = SMALL,
    warn: Callable[[str], object] = pytest.fail,
) -> Trainer:
    trainer = Trainer(settings, folder, 1)
    trainer.run(lambda: trainer.progress.iteration >= iterations, lambda progress: None, warn)
    return trainer


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_of_another_game_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    train(tmp_path)
    before = contents(tmp_path)
    with pytest.raises(ConfigError, match=r"aleago:size=4: .* was begun with go:size=4, and a network plays one game"):
        Trainer(replace(SMALL, specs=("aleago:size=4",)), tmp_path, 1)
    assert contents(tmp_path) == before


def test_the_number_of_players_must_match_the_folder(tmp_path: Path) -> None:
    Trainer(replace(SMALL, specs=("pentalath",)), tmp_path, 1)
    with pytest.raises(ConfigError, match=r"pentalath:players=3: .* was begun with pentalath, "):
        Trainer(replace(SMALL, specs=("pentalath:players=3",)), tmp_path, 1)
    # Another board and other options of the same game may.
    Trainer(replace(SMALL, specs=("pentalath:swap=true",)), tmp_path, 1)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"channels": 33}, r"channels 33: expected a multiple of 16 from 16 to 512"),
        ({"blocks": -1}, r"blocks -1: expected 0 to 100"),
        ({"seed": 2**64}, r"seed 18446744073709551616: expected 0 to 18446744073709551615"),
        ({"deep_share": 1e-6, "playouts": 1}, r"playouts 1: expected 2 to 1000000\ndeep_share 1e-06: expected 0, or 0"),
        ({"passes": float("nan")}, r"passes nan: expected more than 0, at most 1000"),
        ({"specs": ()}, r"specs: expected one or more, got none"),
    ],
)
def test_invalid_settings_begin_no_folder(tmp_path: Path, setting: dict[str, float], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Trainer(replace(SMALL, **setting), tmp_path / "new", 1)  # type: ignore[arg-type]
    assert not (tmp_path / "new").exists()


def test_a_wrong_instruction_set_is_reported_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GTP_VARIANTS_INSTRUCTIONS", "nonsense")
    with pytest.raises(ConfigError, match="GTP_VARIANTS_INSTRUCTIONS=nonsense"):
        Trainer(SMALL, tmp_path / "new", 1)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("training.json", b"{", "not the settings of a training: Expecting property name"),
        ("training.json", b"[1]", "not the settings of a training: expected an object"),
        ("training.json", b"\xff", "not the settings of a training: "),
        ("training.json", b'{"specs": 5}', "specs: 5, expected a list of SPECs"),
        ("training.json", b'{"specs": ["chess"]}', "unknown game 'chess'"),
        ("log.jsonl", b'{"iteration": 1', "line 1: Expecting ',' delimiter"),
        ("log.jsonl", b"[]\n", "line 1: expected an object"),
        ("log.jsonl", b'{"iteration": "x"}\n', "line 1: iteration: 'x', expected a number"),
        ("state.bin", b"", "not a state of training: "),
        ("state.bin", b"\x02\x00\x00\x00[]", "not a state of training: "),
        ("play_times.json", b"{", "Expecting property name"),
        ("play_times.json", b'{"iteration": 2}', "seconds: None, expected a list"),
        ("play_times.json", b'{"iteration": 2, "seconds": ["x"]}', "0: 'x', expected a number"),
        (FIRST, b"", "not games of self-play: "),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    train(tmp_path)
    (tmp_path / name).write_bytes(content)
    before = contents(tmp_path)
    with pytest.raises(RecordError) as caught:
        Trainer(SMALL, tmp_path, 1)
    told = str(caught.value)
    assert told.startswith(str(tmp_path / name))
    assert said in told
    assert "\n" not in told
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", ["training.json", "log.jsonl", "state.bin", "start.safetensors", FIRST])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    start = tmp_path / "first" / "weights" / "00001.safetensors"
    train(tmp_path / "first")
    folder = tmp_path / "second"
    train(folder, 2, settings := replace(SMALL, start=str(start)))
    (folder / name).unlink()
    before = contents(folder)
    with pytest.raises(RecordError) as caught:
        Trainer(settings, folder, 1)
    assert str(caught.value).startswith(f"{folder / name}: expected ")
    assert contents(folder) == before


def test_a_truncated_log_is_named(tmp_path: Path) -> None:
    train(tmp_path, 2)
    log = tmp_path / "log.jsonl"
    log.write_text(log.read_text().splitlines()[0] + "\n")
    with pytest.raises(RecordError, match=r"log\.jsonl: expected a line of iteration 2, found none"):
        Trainer(SMALL, tmp_path, 1)


def test_another_network_to_begin_with_is_noticed_and_a_bit_that_flipped_in_it(tmp_path: Path) -> None:
    train(tmp_path / "first")
    settings = replace(SMALL, start=str(tmp_path / "first" / "weights" / "00001.safetensors"))
    train(tmp_path / "second", 1, settings)
    copy = tmp_path / "second" / "start.safetensors"
    content = bytearray(copy.read_bytes())
    content[-1] ^= 1
    copy.write_bytes(content)
    with pytest.raises(RecordError, match=r"start\.safetensors: damaged"):
        Trainer(settings, tmp_path / "second", 1)
    copy.write_bytes((tmp_path / "second" / "weights" / "00001.safetensors").read_bytes())
    with pytest.raises(RecordError, match=r"start\.safetensors: not the weights that the training began with"):
        Trainer(settings, tmp_path / "second", 1)


def test_a_killed_first_iteration_is_repeated_identically(tmp_path: Path) -> None:
    train(tmp_path)
    before = contents(tmp_path)
    (tmp_path / "state.bin").unlink()
    train(tmp_path)
    tensors = [Network.load(tmp_path / "weights" / "00001.safetensors").tensors]
    (tmp_path / "weights" / "00001.safetensors").write_bytes(before["weights/00001.safetensors"])
    assert [Network.load(tmp_path / "weights" / "00001.safetensors").tensors] == tensors


def test_damaged_or_missing_weights_are_reported_and_the_latest_rewritten(tmp_path: Path) -> None:
    train(tmp_path, 4)
    files = [tmp_path / "weights" / f"{iteration:05}.safetensors" for iteration in (1, 2, 3, 4)]
    before = files[3].read_bytes()
    files[0].unlink()
    files[1].unlink()
    for file in files[2:]:
        file.write_bytes(file.read_bytes()[:-40])
    told: list[str] = []
    trainer = Trainer(SMALL, tmp_path, 1)
    trainer.repair_weights(told.append)
    assert told[0] == f"{files[0]}: missing (and 1 more); the training does not need it"
    assert [sentence.split(": ")[0] for sentence in told] == [str(files[number]) for number in (0, 2, 3)]
    assert files[3].read_bytes() == before
    files[3].unlink()
    trainer.repair_weights(told.append)
    assert files[3].read_bytes() == before


def test_a_gate_that_is_due_is_not_played_with_damaged_weights(tmp_path: Path) -> None:
    train(tmp_path, 2)
    weights = tmp_path / "weights" / "00002.safetensors"
    trainer, gate = Trainer(SMALL, tmp_path, 1), TrainingGate(parse(SMALL.specs[0]), tmp_path, 1, 0.01)
    weights.write_bytes(weights.read_bytes()[:-40])
    assert not play_gate(trainer, gate, 2, "en")
    assert trainer.folder.explain_damage(1) is None


@pytest.mark.parametrize("place", [5, 60, 200, 500, -500, -1])
def test_a_bit_that_flipped_in_the_state_is_noticed(tmp_path: Path, place: int) -> None:
    train(tmp_path)
    state = bytearray((tmp_path / "state.bin").read_bytes())
    state[place] ^= 1
    (tmp_path / "state.bin").write_bytes(state)
    before = contents(tmp_path)
    with pytest.raises(RecordError, match=r"state\.bin: not a state of training: "):
        Trainer(SMALL, tmp_path, 1)
    assert contents(tmp_path) == before


def test_a_state_of_an_earlier_version_has_no_checksum(tmp_path: Path) -> None:
    whole = train(tmp_path / "whole", 2)
    train(tmp_path / "earlier")
    path = tmp_path / "earlier" / "state.bin"
    raw = path.read_bytes()
    end = 4 + int.from_bytes(raw[:4], "little")
    about = json.loads(raw[4:end])
    del about["sha256"]
    head = json.dumps(about).encode()
    path.write_bytes(len(head).to_bytes(4, "little") + head + raw[end:])
    assert train(tmp_path / "earlier", 2).network == whole.network


def test_weights_of_a_folder_that_does_not_continue_begin_a_new_one(tmp_path: Path) -> None:
    """Open games begun before networks saw the last five moves have smaller states."""
    train(tmp_path / "earlier")
    path = tmp_path / "earlier" / "state.bin"
    raw = path.read_bytes()
    end = 4 + int.from_bytes(raw[:4], "little")
    about = json.loads(raw[4:end])
    del about["sha256"]
    head = json.dumps(about).encode()
    path.write_bytes(len(head).to_bytes(4, "little") + head + raw[end:-64])
    with pytest.raises(RecordError, match=r"expected a state of this network, .*: --start .*N\.safetensors") as caught:
        train(tmp_path / "earlier")
    start = str(caught.value).split(" --start ")[1].replace("N.", "00001.")
    assert train(tmp_path / "new", settings=replace(SMALL, start=start)).progress.iteration == 1


def test_missing_games_that_were_learnt_from_are_named(tmp_path: Path) -> None:
    train(tmp_path, 2)
    games = (tmp_path / FIRST).read_bytes()
    (tmp_path / FIRST).unlink()
    before = contents(tmp_path)
    with pytest.raises(RecordError, match=r"00001-0000\.npz: expected games of iteration 1"):
        Trainer(SMALL, tmp_path, 1)
    assert contents(tmp_path) == before
    # Neither do others take their place.
    (tmp_path / FIRST).write_bytes((tmp_path / "games" / "00002-0000.npz").read_bytes())
    with pytest.raises(
        RecordError, match=r"games: \d+ positions to learn from, expected \d+|expected games of iteration 1"
    ):
        Trainer(SMALL, tmp_path, 1)
    (tmp_path / FIRST).write_bytes(games)
    assert train(tmp_path, 3).progress.iteration == 3


@pytest.mark.parametrize("left", [0, 0.5])
def test_games_that_were_not_learnt_from_are_played_again_where_their_file_is_damaged(
    tmp_path: Path, left: float
) -> None:
    whole = train(tmp_path / "whole", 2)
    train(tmp_path / "damaged", 1)
    content = (tmp_path / "whole" / "games" / "00002-0000.npz").read_bytes()
    (tmp_path / "damaged" / "games" / "00002-0000.npz").write_bytes(content[: round(left * len(content))])
    told: list[str] = []
    damaged = train(tmp_path / "damaged", 2, warn=told.append)
    (sentence,) = told
    assert "00002-0000.npz: not games of self-play: " in sentence
    assert sentence.endswith("; its games are played again")
    assert damaged.network == whole.network


def test_games_of_another_game_are_refused(tmp_path: Path) -> None:
    train(tmp_path / "go")
    other = replace(SMALL, specs=("aleago:size=4",))
    aleago = tmp_path / "aleago"
    (aleago / "games").mkdir(parents=True)
    games = (tmp_path / "go" / FIRST).read_bytes()
    (aleago / FIRST).write_bytes(games)
    trainer = Trainer(other, aleago, 1)
    with pytest.raises(RecordError, match=r"00001-0000\.npz: games of go:size=4,.* expected games of aleago:size=4"):
        trainer.run(lambda: False, lambda progress: None)
    (aleago / FIRST).unlink()
    trainer.run(lambda: trainer.progress.iteration == 1, lambda progress: None)
    (aleago / FIRST).write_bytes(games)
    with pytest.raises(RecordError, match=r"00001-0000\.npz: games of go:size=4"):
        Trainer(other, aleago, 1)
    strange = replace(PlayedGames.load(aleago / FIRST), spec="chess")
    strange.save(aleago / FIRST)
    with pytest.raises(RecordError, match=r"00001-0000\.npz: unknown game 'chess'"):
        Trainer(other, aleago, 1)


def test_state_is_on_disk_before_an_iteration_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: set[int] = set()
    sync, rename = os.fsync, Path.replace
    unsafe: list[str] = []

    def note_sync(handle: int) -> None:
        synced.add(os.fstat(handle).st_ino)
        sync(handle)

    def note_rename(path: Path, target: Path) -> Path:
        if path.stat().st_ino not in synced:
            unsafe.append(Path(target).name)
        if target.exists():
            # The number of the file that goes may be that of the next one.
            synced.discard(target.stat().st_ino)
        return rename(path, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "replace", note_rename)
    train(tmp_path)
    # The weights get their own name once they are there.
    assert unsafe == [".00001.safetensors"]
    assert (tmp_path / "weights" / "00001.safetensors").exists()
    # Who does not ask for it does not wait.
    synced.clear()
    write(tmp_path / "page.html", b"page")
    assert synced == set()


def test_hours_are_those_after_an_iteration(tmp_path: Path) -> None:
    trainer = train(tmp_path, 2)
    log = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    rows = [row | {"self_play_s": 1800 * row["iteration"], "learning_s": 0} for row in log]
    (tmp_path / "log.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert [trainer.hours_after(iteration) for iteration in range(3)] == [0, 0.5, 1]
