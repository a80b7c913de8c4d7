"""`Samples`: reads a folder of games, one file at a time, as batches of training arrays."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gtp_variants.ai.nets.encoder import symmetries
from gtp_variants.ai.samples.files import read_about, read_samples
from gtp_variants.ai.samples.formats import FORMATS, SHARED
from gtp_variants.base.json_values import Json
from gtp_variants.errors import NotationError, RecordError, SpecError
from gtp_variants.rules import parse
from gtp_variants.rules.rules import Rules

Rows = dict[str, np.ndarray]

SHUFFLED_ROWS = 16_384


class Samples:
    """The samples in a folder and its subfolders, as training arrays.

    Each file contains a finished game in any of the formats; all games have the same SPEC. Only one game and the rows
    being shuffled are in memory. Raises RecordError for a folder without samples, and when reading a file that is
    damaged, of another version or of another game.

    `rules`  the game; `planes`, `scales`, `globals` and `actions` describe the columns, as in an `Encoder`
    `files`  the files found when this object was created, sorted by name

    >>> import gtp_variants as gv
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = f"{folder}/five.db"
    ...     found = gv.match("go:size=5", ["mcts:playouts=20", "greedy"], pairs=2, seed=1, store=store, export="npz")
    ...     samples = gv.Samples(f"{folder}/five.samples")
    ...     batch = next(samples.batches(16, seed=1))
    >>> len(samples.files), batch["planes"].shape == (16, len(samples.planes), 25), batch["visits"].shape
    (4, True, (16, 26))
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        files = (file for form in FORMATS for file in self.folder.rglob(f"*.{form}") if file.name[0] != ".")
        self.files: Sequence[Path] = sorted(files)
        if not self.files:
            raise RecordError(f"{self.folder}: expected files that end in .{', .'.join(FORMATS)}, found none")
        self._about = read_about(self.files[0])
        try:
            self.rules: Rules = parse(self._about["spec"])
        except SpecError as error:
            raise RecordError(f"{self.files[0]}: {error}") from None
        self.planes: tuple[str, ...] = tuple(self._about["planes"])
        self.scales = np.array(self._about["scales"], np.uint8)
        self.globals: tuple[str, ...] = tuple(self._about["globals"])
        self.actions = np.array(self._about["actions"], np.int32)

    def __repr__(self) -> str:
        return f"<Samples of {len(self.files)} games of {self.rules.spec}>"

    def __len__(self) -> int:
        """Return the number of rows; the first call reads the description in every file."""
        return self._count

    @cached_property
    def _count(self) -> int:
        return sum(int(self._expect_alike(file, read_about(file))["rows"]) for file in self.files)

    def games(self) -> Iterator[Rows]:
        """Yield each game's columns (see `docs/samples.md`) and a column `game` with its id, in the order of files."""
        for file in self.files:
            yield self._read(file)

    def batches(
        self,
        size: int,
        seed: int = 1,
        *,
        shuffle: int = SHUFFLED_ROWS,
        symmetric: bool = True,
        dtype: DTypeLike = np.uint8,
    ) -> Iterator[Rows]:
        """Yield each row once, in batches of `size` (the last batch may be smaller); equal seeds give equal batches.

        Games are read in random order, and each batch is drawn from the next `shuffle` rows or more; if `shuffle` is 0,
        rows keep the order of the files. With `symmetric` each row is transformed by a random symmetry of the board:
        planes, mask, index, visits, and points in the news. `dtype` is uint8, or float32 for planes divided by
        `scales`. Raises NotationError for an invalid argument.
        """
        if size < 1 or shuffle < 0:
            raise NotationError(f"size={size}, shuffle={shuffle}: expected 1 or more, and 0 or more")
        if np.dtype(dtype) not in (np.uint8, np.float32):
            raise NotationError(f"dtype={np.dtype(dtype)}: expected uint8 or float32")
        return self._batches(size, np.random.default_rng(seed), shuffle, symmetric, np.dtype(dtype))

    def _batches(
        self, size: int, rng: np.random.Generator, shuffle: int, symmetric: bool, dtype: np.dtype[np.generic]
    ) -> Iterator[Rows]:
        turner = _Turner(self.rules) if symmetric else None
        for rows in self._take_rows(size, rng, shuffle):
            batch = rows if turner is None else turner.turn(rows, rng)
            if dtype == np.float32:
                batch["planes"] = batch["planes"].astype(np.float32) / self.scales.astype(np.float32)[:, None]
            yield batch

    def _take_rows(self, size: int, rng: np.random.Generator, shuffle: int) -> Iterator[Rows]:
        """Yield batches of untransformed rows; for `size` and `shuffle` see `batches`."""
        order = rng.permutation(len(self.files)) if shuffle else np.arange(len(self.files))
        pool = _Pool()

        def take(count: int) -> Rows:
            return pool.draw(count, rng) if shuffle else pool.take_first(count)

        for number in order:
            pool.add(self._read(self.files[number]))
            while len(pool) >= max(shuffle, 1) + size - 1:
                yield take(size)
        while len(pool):
            yield take(min(size, len(pool)))

    def _read(self, file: Path) -> Rows:
        samples = read_samples(file)
        self._expect_alike(file, samples.about)
        game = np.full(samples.about["rows"], samples.about["game"])
        return {**samples.columns, "game": game}

    def _expect_alike(self, file: Path, about: Json) -> Json:
        """Return a file's description. Raises RecordError unless its game and encoding equal the first file's."""
        for key in SHARED:
            if about[key] != self._about[key]:
                was, found = self._about[key], about[key]
                if key != "spec":
                    was, found = ([each for each in a if each not in b] for a, b in ((was, found), (found, was)))
                raise RecordError(
                    f"{file}: {key} {found}, but {self.files[0]} has {was}: expected one game and version in a folder"
                )
        return about


class _Pool:
    """Rows waiting for a batch: whole games are added, and single rows taken out."""

    def __init__(self) -> None:
        self._columns: Rows = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, rows: Rows) -> None:
        """Add the rows of a game."""
        count = self._count + len(rows["move"])
        for name, column in rows.items():
            # Keep texts as objects, which can have any length.
            kind = np.dtype(object) if column.dtype.kind == "U" else column.dtype
            kept = self._columns.get(name, np.empty((0, *column.shape[1:]), kind))
            if len(kept) < count:
                larger = np.empty((2 * count, *column.shape[1:]), kind)
                larger[: self._count] = kept[: self._count]
                self._columns[name] = kept = larger
            kept[self._count : count] = column
        self._count = count

    def take_first(self, count: int) -> Rows:
        """Remove and return the oldest rows."""
        taken = self._copy(np.arange(count))
        self._count -= count
        for column in self._columns.values():
            column[: self._count] = column[count : count + self._count]
        return taken

    def draw(self, count: int, rng: np.random.Generator) -> Rows:
        """Remove and return random rows; the last rows fill their places."""
        drawn = rng.choice(self._count, count, replace=False)
        taken = self._copy(drawn)
        self._count -= count
        free = drawn[drawn < self._count]
        left = np.setdiff1d(np.arange(self._count, self._count + count), drawn, assume_unique=True)
        for column in self._columns.values():
            column[free] = column[left]
        return taken

    def _copy(self, indices: NDArray[np.integer]) -> Rows:
        found = {name: column[indices] for name, column in self._columns.items()}
        return {name: column.astype(np.str_) if column.dtype == object else column for name, column in found.items()}


class _Turner:
    """Transforms rows by random symmetries of the board."""

    def __init__(self, rules: Rules) -> None:
        self._goes_to = symmetries(rules)
        points = self._goes_to.shape[1]
        specials = rules.has_pass + rules.has_swap
        rest = np.broadcast_to(np.arange(points, points + specials, dtype=np.int32), (len(self._goes_to), specials))
        # Where each symmetry moves each policy index, and the inverses for points and indices.
        self._index_goes_to = np.concatenate([self._goes_to, rest], axis=1)
        self._comes_from = np.argsort(self._goes_to, axis=1)
        self._index_comes_from = np.argsort(self._index_goes_to, axis=1)
        self._vertices = [rules.board.vertex(point) for point in range(points)]

    def turn(self, rows: Rows, rng: np.random.Generator) -> Rows:
        """Return the rows, each transformed by a random symmetry of its own."""
        drawn = rng.integers(len(self._goes_to), size=len(rows["move"]))
        turned = dict(rows)
        turned["planes"] = np.take_along_axis(rows["planes"], self._comes_from[drawn][:, None, :], axis=2)
        for name in ("mask", "visits"):
            turned[name] = np.take_along_axis(rows[name], self._index_comes_from[drawn], axis=1)
        index = rows["index"].astype(np.int32)
        moved = self._index_goes_to[drawn, np.maximum(index, 0)]
        turned["index"] = np.where(index < 0, index, moved).astype(np.int32)
        if "news" in rows:
            said = [self._turn_words(str(text), int(which)) for text, which in zip(rows["news"], drawn, strict=True)]
            turned["news"] = np.array(said, np.str_)
        return turned

    def _turn_words(self, text: str, which: int) -> str:
        """Transform every vertex in news by symmetry number `which`; captured points stay in their original order."""
        turned = dict(zip(self._vertices, (self._vertices[point] for point in self._goes_to[which]), strict=True))
        lines = ((turned.get(word, word) for word in line.split()) for line in text.splitlines())
        return "\n".join(map(" ".join, lines))
