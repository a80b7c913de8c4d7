"""Openings: reading, checks against the rules, assignment to pairs, and play."""

from pathlib import Path

import pytest

import gtp_variants as gv
from gtp_variants import configs
from gtp_variants.arena import openings
from gtp_variants.arena.config import resolve
from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.openings import Opening
from gtp_variants.arena.run.referee import play_game
from gtp_variants.arena.schedule import units
from gtp_variants.errors import ConfigError
from gtp_variants.records.record import verify

MATCH = """
arena: 1
players: {a: {command: bot:greedy}, b: {command: bot:uniform}, c: {command: bot:uniform}}
defaults: {variant: "SPEC"}
tournament: {type: roundrobin, pairs: 5}
openings: {file: FILE, MORE}
seed: x
"""


def read(path: Path | str, spec: str = "go:size=9", more: str = "order: sequential") -> MatchConfig:
    return resolve.read(MATCH.replace("SPEC", spec).replace("FILE", str(path)).replace("MORE", more))


def moves(opening: Opening | None, spec: str = "go:size=9") -> str:
    assert opening is not None
    board = gv.parse(spec).board
    return " ".join("pass" if action < 0 else board.vertex(action) for _, action in opening.moves)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    file = tmp_path / "lines.txt"
    file.write_text("# a comment\nE5 C3 pass\n\nd4 D6  # a reason\nC3 G7 E5\n")
    return file


def test_pairs_take_openings_in_turn_in_every_matchup(text: Path) -> None:
    config = read(text, more="order: sequential, start: 2, plies: 2")
    taken = {unit.id: moves(fixture.opening) for unit in units(config, {}) for fixture in unit.fixtures(config)}
    for two in ("a-b", "a-c", "b-c"):
        found = [taken[f"{two}/{pair:04}"] for pair in range(1, 6)]
        assert found == ["D4 D6", "C3 G7", "E5 C3", "D4 D6", "C3 G7"]


def test_opening_order_follows_from_the_seed(tmp_path: Path) -> None:
    file = tmp_path / "many.txt"
    file.write_text("\n".join(f"{column}{row}" for column in "ABCDE" for row in range(1, 6)))
    config, same = (read(file, more="order: random") for _ in range(2))
    order = [moves(config.opening(pair)) for pair in range(1, 26)]
    assert sorted(order) == sorted(file.read_text().split())
    assert order != file.read_text().split()
    assert order == [moves(same.opening(pair)) for pair in range(1, 26)]
    assert order[:2] == ["E4", "B3"]  # The same in every version of Python.


def test_game_begins_with_its_opening(text: Path) -> None:
    config = read(text)
    fixture = next(next(units(config, {})).fixtures(config))
    row, record = play_game(fixture)
    assert row.opening == "lines.txt, line 2"
    assert [record.game.rules.board.vertex(event.action) for event in record.game.turns()[:2]] == ["E5", "C3"]
    assert verify(record).ok


def test_opening_stone_implies_the_open_line(tmp_path: Path) -> None:
    spec = "aleago:size=9,dice=1d4"
    file = tmp_path / "dice.txt"
    file.write_text("D4 A1 C3\n")
    config = read(file, spec)
    for fixture in next(units(config, {})).fixtures(config):
        _, record = play_game(fixture)
        assert moves(config.opening(1), spec) == "D4 A1 C3"
        assert record.told
        assert record.told <= {1, 2, 3}
        assert verify(record).ok


@pytest.mark.slow
def test_hidden_game_begins_with_its_opening(text: Path) -> None:
    config = read(text, "phantom:size=9")
    row, record = play_game(next(next(units(config, {})).fixtures(config)))
    assert (row.failures, record.game.turns()[0].action) == ((), record.game.rules.board.point("E5"))


def test_openings_are_read_from_sgf_files_and_folders(tmp_path: Path, text: Path) -> None:
    (tmp_path / "b.sgf").write_text("(;SZ[9];B[ee];W[gc])(;SZ[9]AB[cc][gg]PL[W];W[ee])")
    found = openings.load(tmp_path, gv.parse("go:size=9"))
    assert [opening.name for opening in found] == [
        "b.sgf, game 1",
        "b.sgf, game 2",
        "lines.txt, line 2",
        "lines.txt, line 4",
        "lines.txt, line 5",
    ]
    assert (moves(found[0]), found[0].setup) == ("E5 G7", ())
    assert (moves(found[1]), len(found[1].setup), found[1].first) == ("E5", 2, gv.WHITE)


def test_own_records_are_read_as_openings(tmp_path: Path) -> None:
    rules = gv.parse("aleago:size=9,dice=1d4")
    game = gv.random_game(rules, seed=3, plies=6)
    gv.save(game, tmp_path / "one.sgf")
    (opening,) = openings.load(tmp_path / "one.sgf", rules, 4)
    assert opening.moves == tuple((event.actor, event.action) for event in game.turns()[:4])


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("x.txt", "E5 E5", "x.txt, line 1: (occupied): E5"),
        ("x.txt", "E5\nZ99", "x.txt, line 2: "),
        ("x.txt", "# nothing", "contains no opening"),
        ("x.txt", "pass pass", "x.txt, line 1: the game is over after this opening"),
        ("x.sgf", "(;SZ[13];B[aa])", "x.sgf: game 1: SZ[13:13]: expected 9:9, the size of this board"),
        ("x.sgf", "hello", "x.sgf: line 1"),
        ("x.sgf", "(;SZ[9];B[ee];W[ee])", "x.sgf: game 1: node 2"),
    ],
)
def test_wrong_openings_are_reported(tmp_path: Path, name: str, content: str, fault: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(ConfigError) as caught:
        read(tmp_path / name)
    (found,) = caught.value.faults
    assert found.startswith(f"openings.file: {fault}") or fault == "x.sgf: line 1", found


def test_go_openings_must_be_legal(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("B1 C1 A2 D2 B3 C3 C2 B2 C2")
    with pytest.raises(ConfigError, match=r"line 1: \(repetition\): a stone on C2"):
        read(tmp_path / "x.txt", "go:size=5")


def test_file_that_is_not_utf8_is_reported(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(b"E5 \xff")
    with pytest.raises(ConfigError, match="not UTF-8"):
        read(tmp_path / "x.txt")


def test_openings_of_another_board_or_late_start_are_rejected(text: Path) -> None:
    with pytest.raises(ConfigError, match=r"openings\.start: expected 1 to 3"):
        read(text, more="start: 4")
    with pytest.raises(ConfigError, match=r"line 5: .*G7"):
        read(text, "go:size=5")


SHIPPED = {
    "aleago-9x9": ("aleago:size=9,dice=1d4", 100),
    "aleago-13x13": ("aleago:size=13", 100),
    "alter-igo-9x9": ("alter-igo:size=9", 200),
    "pentalath": ("pentalath", 200),
    "pentalath-3": ("pentalath:players=3", 200),
    "rosette-4": ("rosette:n=4", 100),
    "rosette-7": ("rosette:n=7", 100),
    "go-7x7": ("go:size=7", 200),
    "go-9x9": ("go:size=9", 200),
    "go-13x13": ("go:size=13", 100),
    "go-19x19": ("go:size=19", 22),
}


@pytest.mark.parametrize("name", SHIPPED)
def test_built_in_openings_are_legal_and_different(name: str) -> None:
    spec, count = SHIPPED[name]
    found = openings.load(configs.openings(name), gv.parse(spec))
    assert len(found) == len({opening.moves for opening in found}) == count


def test_every_built_in_collection_is_tested() -> None:
    assert sorted(file.stem for file in configs.openings("go-9x9").parent.iterdir()) == sorted(SHIPPED)
    with pytest.raises(FileNotFoundError, match="no openings 'go-8x8'; known: aleago-13x13"):
        configs.openings("go-8x8")


# -- handicap ----------------------------------------------------------------------------------------------------------


def test_handicap_stones_are_placed_before_white_begins() -> None:
    text = MATCH.replace('"SPEC"', '"go:size=9", handicap: 3').replace("openings: {file: FILE, MORE}\n", "")
    config = resolve.read(text)
    for fixture in next(units(config, {})).fixtures(config):
        _, record = play_game(fixture)
        assert (list(record.game.setup.values()), record.game.first) == ([gv.BLACK] * 3, gv.WHITE)
        assert verify(record).ok


def test_handicap_with_openings_is_rejected(text: Path) -> None:
    match = MATCH.replace('"SPEC"', '"go:size=9", handicap: 2').replace("FILE", str(text)).replace("MORE", "plies: 1")
    with pytest.raises(ConfigError, match="cannot be combined with handicap stones"):
        resolve.read(match)
