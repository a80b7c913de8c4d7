"""`gtp-variants verify`: 0 what is not false, 1 what is, 2 what cannot be read, 4 with --strict what is not proven."""

import json
from pathlib import Path
from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants.cli import main
from gtp_variants.records.dice_log import Thrower
from gtp_variants.records.files import load_record, save
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import to_sgf
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.dice import read_dice


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A game of Aléago to the end, its secret revealed."""
    dice = gv.DiceStream("a secret")
    game = gv.Game(gv.parse("aleago:size=5"))
    while game.outcome is None:
        actor = game.position.to_play
        game.play(actor, dice.draw(game) if actor == CHANCE else game.rules.actions(game.position)[0])
    file = tmp_path / "game.json"
    save(Record(game, dice="secret", commitment=dice.commitment, secret=dice.secret), file)
    return file


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Three throws of two dice, the secret revealed."""
    thrower = Thrower(tmp_path / "dice.jsonl", read_dice("2d6"), b"a secret")
    for _ in range(3):
        thrower.throw()
    thrower.reveal()
    return thrower.path


def change(file: Path, **values: Any) -> None:
    fields = json.loads(file.read_text())
    file.write_text(json.dumps({**fields, **values}))


@pytest.mark.slow
def test_true_records_are_verified(record: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sgf = record.with_suffix(".sgf")
    save(load_record(record), sgf)
    assert main(["verify", str(record), str(sgf), str(log)]) == 0
    said = capsys.readouterr().out
    assert said.count(": proven") == 3
    assert said.count("the secret matches the commitment") == 3
    assert "3 throws of 2d6 checked, 0 of them wrong" in said


def test_it_speaks_the_readers_language(record: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    foreign = record.with_name("foreign.sgf")
    foreign.write_text("(;GM[1]SZ[3]KM[0]RU[Japanese]RE[W+1];B[bb];W[];B[];W[])")
    assert main(["verify", str(record), str(log), str(foreign), "--lang", "fr"]) == 0
    said = capsys.readouterr().out
    assert said.count("\u00a0: prouvé\n") == 2
    assert "foreign.sgf\u00a0: cohérent\u00a0: le résultat ne peut être prouvé\n" in said
    assert said.count("le secret correspond à l'engagement") == 2
    assert "3 lancers de 2d6 vérifiés, dont 0 faux" in said
    assert "l'enregistrement dit W+1, compte d'un autre programme (règles\u00a0: Japanese)" in said
    change(record, result="B+R")
    assert main(["verify", str(record), "--lang", "fr"]) == 1
    said = capsys.readouterr().out
    assert said.startswith(f"{record}\u00a0: FAUX\n  l'enregistrement dit B+R, la partie rejouée ")
    assert not {"the", "record", "draws", "secret."} & set(said.split())


def test_a_changed_draw_is_found(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = json.loads(record.read_text())["events"]
    index = max(index for index, (actor, _) in enumerate(events) if actor == "chance")
    events[index][1] = str(int(events[index][1]) % 2 + 1)
    change(record, events=events[: index + 1], result=None, reason=None)
    assert main(["verify", str(record)]) == 1
    said = capsys.readouterr().out
    assert said.startswith(f"{record}: FALSE\n  draw of turn ")


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"commitment": "0" * 64}, "the secret does not match the commitment"),
        ({"secret": "00"}, "the secret does not match the commitment"),
        ({"result": "B+R"}, "the record says B+R"),
    ],
)
def test_a_changed_record_is_found(
    record: Path, values: dict[str, Any], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    change(record, **values)
    assert main(["verify", str(record)]) == 1
    assert why in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"faces": [', '"faces": [7, ', "draw 1: the dice show"),
        ('"draw": 3, "faces": [', '"draw": 3, "faces": [9, ', "draw 3: the dice show"),
        ('"secret": "', '"secret": "00', "the secret does not match the commitment"),
        ('"commitment": "', '"commitment": "' + "0" * 64 + '", "was": "', "the secret does not match the commitment"),
    ],
)
def test_a_changed_log_is_found(log: Path, old: str, new: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    log.write_text(log.read_text().replace(old, new, 1))
    assert main(["verify", str(log)]) == 1
    assert why in capsys.readouterr().out


def test_a_throw_left_out_is_found(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = log.read_text().splitlines()
    log.write_text("\n".join(lines[:2] + lines[3:]))
    assert main(["verify", str(log)]) == 2
    assert 'line 3: expected {"draw": 2' in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "gtp-variants-dice"}', "\x00\xff"])
@pytest.mark.parametrize("name", ["x.json", "x.sgf", "x.jsonl", "x"])
def test_unreadable_input_is_reported(
    tmp_path: Path, name: str, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.write_bytes(content.encode("latin-1"))
    assert main(["verify", str(file)]) == 2
    assert capsys.readouterr().err.startswith(f"gtp-variants verify: {file}: ")


def test_one_bad_file_does_not_hide_the_others(record: Path, tmp_path: Path) -> None:
    assert main(["verify", str(tmp_path / "missing.json"), str(record)]) == 2


@pytest.mark.slow
def test_every_game_of_a_collection_is_checked(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = to_sgf(load_record(record))
    file = tmp_path / "games.sgf"
    file.write_text(good + good.replace("RE[", "RE[x"), encoding="utf-8")
    assert main(["verify", str(file)]) == 1
    said = capsys.readouterr().out
    assert f"{file}: proven" in said
    assert f"{file}, game 2: FALSE" in said


def test_a_fault_is_reported_once_with_the_given_file_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing, damaged, folder = tmp_path / "missing.json", tmp_path / "damaged.json", tmp_path / "folder.svg"
    damaged.write_text("{")
    folder.mkdir()
    for command in ("verify", "diagram", "replay"):
        assert main([command, str(missing)]) == 2
        assert capsys.readouterr().err == f"gtp-variants {command}: {missing}: No such file or directory\n"
        assert main([command, str(damaged)]) == 2
        assert capsys.readouterr().err.startswith(f"gtp-variants {command}: {damaged}: line 1, column 2: ")
    assert main(["rules", "go", "--html", str(folder)]) == 2
    assert capsys.readouterr().err == f"gtp-variants rules: {folder}: Is a directory\n"


def test_every_record_of_a_folder_is_checked(record: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = record.parent
    deep = folder / "pairs"
    deep.mkdir()
    save(load_record(record), deep / "0001a.sgf")
    (deep / "match.db").write_bytes(b"no record")
    (deep / "report.json").write_text('{"name": "no record either"}')
    assert main(["verify", str(folder)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{log}: proven",
        f"{record}: proven",
        f"{deep / '0001a.sgf'}: proven",
        f"{folder}: proven games: 3, consistent: 0, false: 0, unreadable: 0",
    ]
    change(record, result="B+R")
    assert main(["verify", str(folder), "--lang", "fr"]) == 1
    said = capsys.readouterr().out
    assert f"{record}\u00a0: FAUX\n  l'enregistrement dit B+R" in said
    assert said.endswith("parties prouvées\u00a0: 2, cohérentes\u00a0: 0, fausses\u00a0: 1, illisibles\u00a0: 0\n")
    # A record that was cut off is one all the same.
    record.write_text(record.read_text().replace(": ", ":")[:100])
    assert main(["verify", str(folder)]) == 2
    told = capsys.readouterr()
    assert told.out.endswith("proven games: 2, consistent: 0, false: 0, unreadable: 1\n")
    assert told.err.startswith(f"gtp-variants verify: {record}: ")


def test_a_folder_without_a_record_is_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"gtp-variants verify: {tmp_path}: no record in this folder\n"


def test_record_whose_dice_cannot_be_proved_is_consistent(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events, commitment = json.loads(record.read_text())["events"], json.loads(record.read_text())["commitment"]
    last = max(index for index, (actor, _) in enumerate(events) if actor == "chance")
    events[last][1] = str(int(events[last][1]) % 2 + 1)
    change(record, events=events[: last + 1], result=None, reason=None, secret=None, commitment=None, dice=None)
    assert main(["verify", str(record)]) == 0
    assert capsys.readouterr().out.startswith(f"{record}: consistent: the dice cannot be proved\n")
    assert main(["verify", str(record), "--strict"]) == 4
    assert main(["verify", "--strict", str(record), str(tmp_path / "missing.json")]) == 2
    change(record, commitment="0" * 64)
    assert main(["verify", str(record), "--strict", "--commitment", commitment]) == 1
    with pytest.raises(SystemExit):
        main(["verify", str(record), "--commitment", "12"])
    assert "expected 64 hex digits" in capsys.readouterr().err


def test_a_game_that_cannot_be_read_hides_no_other_of_its_collection(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.sgf"
    file.write_text("(;SZ[x])(;SZ[9];B[aa];W[aa])(;SZ[9];B[aa])(;VARIANT[go:size=5];B[aa];W[aa])")
    assert main(["verify", str(file)]) == 2
    said = capsys.readouterr()
    assert "game 1: SZ[x]: expected a size" in said.err
    assert [line for line in said.out.splitlines() if line[0] != " "] == [
        f"{file}, game 2: FALSE",
        f"{file}, game 3: proven",
        f"{file}, game 4: FALSE",
    ]
    assert said.out.count("illegal move (occupied): A9 holds a black stone") == 1
    assert said.out.count("illegal move (occupied): A5 holds a black stone") == 1
