"""Writing games to files and reading them back, by suffix."""

import os
from pathlib import Path
from threading import Thread

import pytest

from gtp_variants.errors import RecordError
from gtp_variants.records.files import load, load_all, load_record, save
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import to_sgf
from tests.records.games import HANDMADE, game


@pytest.mark.parametrize("name", ["x.json", "x.sgf", "X.SGF"])
def test_a_game_comes_back_from_a_file(tmp_path: Path, name: str) -> None:
    for played in HANDMADE:
        save(played, tmp_path / name)
        assert load(tmp_path / name) == played
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_record_keeps_its_comment(tmp_path: Path) -> None:
    record = Record(game("go:size=9", "b D4"), comment="é ] \\")
    for name in ("x.json", "x.sgf"):
        save(record, str(tmp_path / name))
        assert load_record(str(tmp_path / name)) == record


def test_a_collection_gives_its_first_game_unless_another_is_named(tmp_path: Path) -> None:
    file = tmp_path / "x.sgf"
    file.write_text("".join(to_sgf(Record(played)) for played in HANDMADE), encoding="utf-8")
    assert load(file) == HANDMADE[0]
    assert load(file, 5) == HANDMADE[4]
    assert [record.game for record in load_all(file)] == list(HANDMADE)
    with pytest.raises(RecordError, match=rf"x\.sgf: game 99: expected 1 to {len(HANDMADE)}"):
        load(file, 99)
    file.write_text("(;SZ[9])(;SZ[x];B[zz])", encoding="utf-8")
    with pytest.raises(RecordError, match=r"x\.sgf: game 2: SZ\[x\]"):
        list(load_all(file))


def test_a_json_file_holds_one_game(tmp_path: Path) -> None:
    save(HANDMADE[1], tmp_path / "x.json")
    assert [record.game for record in load_all(tmp_path / "x.json")] == [HANDMADE[1]]
    with pytest.raises(RecordError, match=r"x\.json: game 2: a \.json file can hold only one game"):
        load(tmp_path / "x.json", 2)


def test_other_suffixes_and_damaged_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"x\.txt: expected a name that ends in"):
        save(HANDMADE[0], tmp_path / "x.txt")
    (tmp_path / "x.json").write_bytes(b'{"format": "\xff"}')
    with pytest.raises(RecordError, match=r"x\.json: byte 12: not UTF-8"):
        load(tmp_path / "x.json")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "y.json")


def test_a_file_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    for name in ("x.sgf", "x.json"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(100 * 2**20)
        with pytest.raises(RecordError, match=f"{name}: 104857600 bytes: expected at most 16777216"):
            load(tmp_path / name)


def test_an_error_is_one_line_that_does_nothing_to_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "x.sgf").write_text("(;VARIANT[go];EVENT[b D\n\x1b[2J\x9b])", encoding="utf-8")
    with pytest.raises(RecordError) as caught:
        load(tmp_path / "x.sgf")
    assert (
        str(caught.value).removeprefix(f"{tmp_path}/")
        == "x.sgf: node 1: invalid colour or vertex: D  [2J  (a vertex is like D4)"
    )


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    save(HANDMADE[0], tmp_path / "x.json")
    before = (tmp_path / "x.json").read_bytes()
    with pytest.raises(RecordError):
        save(Record(HANDMADE[1], comment="\ud800"), tmp_path / "x.json")
    assert (tmp_path / "x.json").read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "d.json").mkdir()
    for name, expected in (("d.json", IsADirectoryError), ("nowhere/x.json", FileNotFoundError)):
        with pytest.raises(expected) as caught:
            save(HANDMADE[0], tmp_path / name)
        assert (caught.value.filename, caught.value.filename2) == (str(tmp_path / name), None)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    """The same applies to /dev/stdout if the user may replace it."""
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    save(HANDMADE[0], pipe)
    reader.join(60)
    save(HANDMADE[0], tmp_path / "file.json")
    assert pipe.is_fifo()
    assert read == [(tmp_path / "file.json").read_text()]
