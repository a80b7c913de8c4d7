"""`Samples`: every row once, shuffled by a seed, turned by symmetries that the game respects, in bounded memory."""

from pathlib import Path

import numpy as np
import pytest

import gtp_variants as gv
from gtp_variants.ai.samples.files import write_samples
from gtp_variants.ai.samples.game_samples import GameSamples
from gtp_variants.ai.samples.reader import _Pool
from gtp_variants.errors import RecordError
from tests.ai.samples.games import write_games


def rows_of(batches: list[dict[str, np.ndarray]]) -> list[tuple[str, int]]:
    return [
        (str(game), int(move)) for batch in batches for game, move in zip(batch["game"], batch["move"], strict=True)
    ]


def test_unshuffled_batches_keep_the_written_order(tmp_path: Path) -> None:
    written = write_games(tmp_path, "go:size=4", 3)
    samples = gv.Samples(tmp_path)
    total = sum(each.about["rows"] for each in written)
    assert (len(samples), len(samples.files)) == (total, 3)
    batches = list(samples.batches(50, shuffle=0, symmetric=False))
    assert [len(batch["move"]) for batch in batches] == [50] * (total // 50) + [total % 50] * bool(total % 50)
    for name in written[0].columns:
        whole = np.concatenate([each.columns[name] for each in written])
        assert np.array_equal(np.concatenate([b[name] for b in batches]), whole, equal_nan=whole.dtype.kind == "f")
    assert rows_of(batches) == rows_of(list(samples.games()))


def test_shuffled_every_row_comes_once_and_a_seed_repeats_it(tmp_path: Path) -> None:
    write_games(tmp_path, "go:size=4", 6)
    samples = gv.Samples(tmp_path)
    in_order = rows_of(list(samples.games()))
    first, again, other = (rows_of(list(samples.batches(16, seed=seed, shuffle=64))) for seed in (1, 1, 2))
    assert first == again != other
    assert sorted(first) == sorted(in_order) != first
    # Rows of one game do not stand together.
    assert len({game for game, _ in first[:16]}) > 1


@pytest.mark.parametrize("spec", ["go:size=5", "phantom:size=5", "pentalath:board=hexhex5,swap=true", "rosette:n=2"])
def test_a_turned_row_is_a_row_of_the_turned_game(tmp_path: Path, spec: str) -> None:
    """Every column is what the same game turned on the board would have given."""
    rules = gv.parse(spec)
    write_games(tmp_path, spec, 2)
    samples, goes_to = gv.Samples(tmp_path), gv.symmetries(rules)
    plain = dict(by_row(list(samples.batches(8, shuffle=0, symmetric=False))))
    seen = set()
    for key, row in by_row(list(samples.batches(8, seed=3))):
        before = plain[key]
        # The same symmetry for planes, mask and visits; some rows look alike under several.
        fits = [which for which in range(len(goes_to)) if is_turned(before, row, goes_to[which])]
        assert fits, key
        seen.add(fits[0])
        assert np.array_equal(before["globals"], row["globals"])
        if "news" in row:
            vertices = [rules.board.vertex(point) for point in range(len(rules.board))]
            names = {vertex: vertices[goes_to[fits[0]][point]] for point, vertex in enumerate(vertices)}
            said = [[names.get(word, word) for word in line.split()] for line in str(before["news"]).splitlines()]
            turned = [line.split() for line in str(row["news"]).splitlines()]
            assert len(fits) > 1 or said == turned
    assert len(seen) > 1


def by_row(batches: list[dict[str, np.ndarray]]) -> list[tuple[tuple[str, int], dict[str, np.ndarray]]]:
    return [
        ((str(batch["game"][row]), int(batch["move"][row])), {name: column[row] for name, column in batch.items()})
        for batch in batches
        for row in range(len(batch["move"]))
    ]


def is_turned(before: dict[str, np.ndarray], after: dict[str, np.ndarray], goes_to: np.ndarray) -> bool:
    rest = range(len(goes_to), len(before["mask"]))
    moves = np.append(goes_to, rest).astype(int)
    index = int(before["index"])
    return bool(
        np.array_equal(after["planes"][:, goes_to], before["planes"])
        and np.array_equal(after["mask"][moves], before["mask"])
        and np.array_equal(after["visits"][moves], before["visits"])
        and int(after["index"]) == (moves[index] if index >= 0 else index)
    )


def test_planes_come_as_levels_or_divided(tmp_path: Path) -> None:
    write_games(tmp_path, "go:size=4", 1)
    samples = gv.Samples(tmp_path)
    levels = next(samples.batches(9, symmetric=False))["planes"]
    planes = next(samples.batches(9, symmetric=False, dtype=np.float32))["planes"]
    assert (str(levels.dtype), str(planes.dtype)) == ("uint8", "float32")
    assert np.array_equal(planes, levels / samples.scales[:, None].astype(np.float32))


def test_the_memory_is_that_of_the_rows_that_are_shuffled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_games(tmp_path, "go:size=4", 12)
    most, add = 0, _Pool.add

    def watch(pool: _Pool, rows: dict[str, np.ndarray]) -> None:
        nonlocal most
        add(pool, rows)
        most = max(most, len(pool))

    monkeypatch.setattr(_Pool, "add", watch)
    samples = gv.Samples(tmp_path)
    longest = max(len(game["move"]) for game in samples.games())
    assert sum(1 for _ in samples.batches(8, shuffle=20)) > 10
    assert most <= 20 + 8 + longest < len(samples) / 2


def test_invalid_input_is_reported(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"expected files that end in \.npz, \.jsonl, \.parquet, found none"):
        gv.Samples(tmp_path)
    write_games(tmp_path, "go:size=4", 1)
    samples = gv.Samples(tmp_path)
    with pytest.raises(gv.NotationError, match="size=0, shuffle=16384: expected"):
        samples.batches(0)
    with pytest.raises(gv.NotationError, match="dtype=int64: expected uint8 or float32"):
        samples.batches(1, dtype=np.int64)
    # What is half written, or hidden, is nobody's.
    (tmp_path / "a-b" / "0009a.npz.waiting").write_bytes(b"")
    (tmp_path / "a-b" / ".0009a.npz").write_bytes(b"")
    assert gv.Samples(tmp_path).files == samples.files
    write_games(tmp_path / "other", "go:size=4,komi=0", 1)
    with pytest.raises(RecordError, match=r"spec go:size=4,komi=0.*: expected one game and version in a folder"):
        len(gv.Samples(tmp_path))


def test_samples_of_another_version_are_refused_with_the_planes_that_differ(tmp_path: Path) -> None:
    written = write_games(tmp_path, "go:size=4", 2)[1]
    older = {**written.about, "planes": [name for name in written.about["planes"] if name != "last_5"]}
    columns = {**written.columns, "planes": np.delete(written.columns["planes"], 17, axis=1)}
    file = tmp_path / f"{written.about['game']}.npz"
    file.write_bytes(write_samples(GameSamples(older, columns), "npz"))
    with pytest.raises(RecordError, match=r"planes \[\], but .* has \['last_5'\]: expected one game and version"):
        len(gv.Samples(tmp_path))
