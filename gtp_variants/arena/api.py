"""Matches from Python: `gtp_variants.Match`, its result, and the short form `gtp_variants.match`."""

import shutil
import tempfile
import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from gtp_variants.ai.samples.formats import FORMATS as SAMPLE_FORMATS
from gtp_variants.arena.config import resolve
from gtp_variants.arena.config.configure import Players, configure
from gtp_variants.arena.config.match_config import MOST_PAIRS, MatchConfig, Outputs, TournamentBlock
from gtp_variants.arena.report import match_page, text_report
from gtp_variants.arena.report.files import LOGS, MatchFiles
from gtp_variants.arena.report.result import Result
from gtp_variants.arena.result_row import FinishedGame, ResultRow
from gtp_variants.arena.run.preflight import START, find_repeating, prepare
from gtp_variants.arena.run.runner import FAILED, Run, RunOptions
from gtp_variants.arena.schedule import count_games
from gtp_variants.arena.stopping import StoppingRules
from gtp_variants.arena.store import MatchStore
from gtp_variants.arena.tally import MatchupTally, rows_of_match
from gtp_variants.base.config_files import either
from gtp_variants.base.folders import user_path
from gtp_variants.base.json_values import Json
from gtp_variants.errors import ConfigError, VariantsError
from gtp_variants.rules.actions import whole
from gtp_variants.rules.rules import Rules
from gtp_variants.statistics.estimates import Estimate


class MatchResult:
    """The result of a match, as far as it was played. `str` of it is the report that the command line prints.

    `elo`, `interval`, `los`, `wdl` and `pentanomial` are of a match of two players: they raise ValueError in any other,
    and the first three of them before a game that counts is over.

    >>> import gtp_variants as gv
    >>> found = gv.match("go:size=5", ["greedy", "uniform"], pairs=2, seed=1)
    >>> type(found).__name__, found.players, sum(found.wdl), found.points("greedy") > found.points("uniform")
    ('MatchResult', ('greedy', 'uniform'), 4, True)
    """

    def __init__(self, config: MatchConfig, rows: Mapping[str, ResultRow]) -> None:
        self._result = Result(config, rows)

    def __str__(self) -> str:
        return text_report.render_text(self._result)

    def _repr_html_(self) -> str:
        return match_page.render_standings(self._result)

    @property
    def players(self) -> tuple[str, ...]:
        """The players' names: of a bot without its parameters, of equals with a number."""
        return tuple(self._result.config.players)

    @property
    def games(self) -> tuple[ResultRow, ...]:
        """The games that count, in the order of their ids."""
        return tuple(sorted(self._result.rows, key=lambda row: row.id))

    @property
    def elo(self) -> float:
        """By how much the first player is stronger than the second."""
        return self._estimate("elo").elo

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `elo`."""
        return self._estimate("interval").interval

    @property
    def los(self) -> float:
        """The likelihood that the first player is the stronger one, 0 to 1."""
        return self._estimate("los").los

    @property
    def wdl(self) -> tuple[int, int, int]:
        """Games that the first player won, drew and lost."""
        tally = self._only("wdl")
        return tally.first.wins, tally.first.draws, tally.first.losses

    @property
    def pentanomial(self) -> tuple[int, ...]:
        """Pairs of games by the points the first player took of them: 0, 1/2, 1, 3/2, 2."""
        return self._only("pentanomial").pairs

    def elo_of(self, player: str) -> tuple[float, float, float] | None:
        """Elo of a player against the mean of all others, with its 95 % interval; None where there is no Elo."""
        return self._result.elos.get(player)

    def points(self, player: str) -> float:
        """Points of a player: 1 for a win; a draw is shared."""
        return self._result.scores[player].points

    def as_json(self) -> Json:
        """The report for programs, as `gtp-variants match FILE show --json` prints it."""
        return self._result.as_json()

    def _estimate(self, name: str) -> Estimate:
        found = self._result.estimate(self._only(name))
        if found is None:
            raise ValueError(f"{name}: expected a game that counts, none is over yet")
        return found

    def _only(self, name: str) -> MatchupTally:
        """The one matchup of two players that there is."""
        (tally, *others) = self._result.tallies
        if others or len(tally.matchup.players) != 2:
            raise ValueError(
                f"{name} is of a match of two players, here are {len(self.players)}; see elo_of and points"
            )
        return tally


@dataclass(frozen=True, slots=True)
class MatchProgress:
    """How far a match is: `games` are over of the `of` that it has at most; `why` it is decided, "" until it is.

    >>> import gtp_variants as gv
    >>> from gtp_variants import matches
    >>> gv.Match(matches.configure("go:size=5", ["greedy", "uniform"])).progress
    MatchProgress(games=0, of=200, is_over=False, why='')
    """

    games: int
    of: int
    is_over: bool
    why: str = ""


class Match:
    """A match: whoever iterates it has its games played, and gets each as it ends.

    `config` is made by `matches.configure` or `matches.load`; a text or path is the name of a match file. Games that
    are in its store already are not played again, so a loop that was left, or a process that was killed, is gone on
    with by the next one. What the `outputs` ask for is written as by `gtp-variants match`. Raises ConfigError for what
    cannot be, RecordError for a store that cannot be read or written, another VariantsError if a player fails too often
    or somebody else is playing the match.

    >>> import gtp_variants as gv
    >>> from gtp_variants import matches
    >>> tournament = matches.TournamentBlock("roundrobin", pairs=2)
    >>> match = gv.Match(matches.configure("go:size=5", ["greedy", "uniform"], tournament, seed=1))
    >>> for played in match:
    ...     print(played.id, played.outcome.sgf, len(played.failures))
    ...     if match.progress.games == 2:
    ...         break
    greedy-uniform/0001a B+17.5 0
    greedy-uniform/0001b W+32.5 0
    >>> match.progress
    MatchProgress(games=2, of=4, is_over=False, why='')
    >>> match.play().wdl                                 # what is left
    (4, 0, 0)
    """

    def __init__(self, config: MatchConfig | str | Path) -> None:
        self.config = config if isinstance(config, MatchConfig) else resolve.load(Path(config))
        self._run: Run | None = None

    def __iter__(self) -> Iterator[FinishedGame]:
        """Play what is left, `config.concurrency` games at a time. Left early, the games that are on are given up."""
        with self._open() as store, store.lock() as is_ours:
            if not is_ours:
                raise VariantsError(f"another process is playing this match in {self.config.store_file}")
            config = prepare(self.config, store)
            for sentence in find_repeating(config):
                warnings.warn(sentence, stacklevel=2)
            files = MatchFiles(config, store)
            self._run = run = Run(config, store, RunOptions(config.concurrency), [files])
            games = run.games()
            try:
                yield from games
            finally:
                games.close()
                self._run = None
                files.finish()
            if run.status is not None and run.status.status == FAILED:
                raise VariantsError(run.status.why)

    def play(self) -> MatchResult:
        """Play what is left; the result. Whatever ends the match early, such as `stop`, ends this."""
        for _ in self:
            pass
        return self.result

    def stop(self) -> None:
        """Begin no more games; those that are on are still played. Any thread may call it, the loop over them too."""
        if self._run is not None:
            self._run.stop()

    @property
    def progress(self) -> MatchProgress:
        """How far the match is; while it is played here that costs nothing."""
        if self._run is not None:
            return _progress_of(self.config, self._run.count, self._run.stopping)
        with self._open() as store:
            rows = store.rows()
            games = len(rows_of_match(self.config, rows.values()))
            return _progress_of(self.config, games, StoppingRules(self._stored_config(store), rows))

    @property
    def result(self) -> MatchResult:
        """The result of all games that are kept, also of earlier runs."""
        with self._open() as store:
            return MatchResult(self._stored_config(store), store.rows())

    def games(self) -> Iterator[FinishedGame]:
        """Every game of the match that is kept with its record, in the order of the ids."""
        with self._open() as store:
            for row in sorted(rows_of_match(self.config, store.rows().values()), key=lambda row: row.id):
                yield FinishedGame(row, store.record(row.id))

    def _open(self) -> MatchStore:
        return MatchStore(self.config.store_file)

    def _stored_config(self, store: MatchStore) -> MatchConfig:
        """The match with what it was begun with where its file does not say it."""
        return replace(self.config, seed=self.config.seed or store.seed(), dice=self.config.dice or store.dice())


def _progress_of(config: MatchConfig, games: int, stopping: StoppingRules) -> MatchProgress:
    why = "" if stopping.decision is None else stopping.decision.why
    return MatchProgress(games, count_games(config), stopping.is_over, why)


def match(
    rules: Rules | str,
    players: Players,
    *,
    pairs: int = 100,
    seed: int | str | None = None,
    store: str | Path | None = None,
    jobs: int = 1,
    openings: str | Path | None = None,
    dice: str | None = None,
    export: str | None = None,
    trusted: Collection[str] = (),
) -> MatchResult:
    """Let players meet in pairs of games with swapped colours, everybody everybody else.

    `players` are names of bots, or name -> command as in a match file: `bot:NAME` or a program that speaks GTP. With
    the same seed the same games come out, however many go on at a time; without one they differ each time. `store` is a
    file that keeps the games, so that the same call goes on where it was stopped, and with more pairs plays what is
    missing. `dice` are "own" to each game or "shared" by the games of a pair, which takes some chance out of the result
    but lets players who remember foretell them; None means as `store` was begun, else "own". A bot that is not of this
    package plays in a process of its own unless its player is among the `trusted`. With `export`, one of npz, jsonl and
    parquet, each game is also written as arrays to learn from, for `Samples`, into a folder beside the store that has
    its name and ends in `.samples`. Raises ConfigError for what cannot be, RecordError for a store that cannot be read
    or written, another VariantsError if a player fails too often.

    >>> import gtp_variants as gv
    >>> found = gv.match("go:size=5", ["greedy", "uniform"], pairs=2, seed=1)
    >>> sum(found.pentanomial), found.elo > 0
    (2, True)
    """
    pairs = whole("pairs", pairs)
    if not 1 <= pairs <= MOST_PAIRS:
        raise ConfigError([f"pairs={pairs}: expected 1 to {MOST_PAIRS}"])
    if export not in (None, *SAMPLE_FORMATS):
        raise ConfigError([f"export={export!r}: expected {either(SAMPLE_FORMATS)}"])
    if export is not None and store is None:
        raise ConfigError([f"export={export}: expected a store, too: samples are written beside it"])
    with _folder_of(store) as path:
        config = configure(
            rules,
            players,
            TournamentBlock("roundrobin", pairs=pairs),
            openings=openings,
            seed=seed,
            dice=dice,
            jobs=jobs,
            trusted=trusted,
            outputs=Outputs(path.parent, path.name, "none", export=export or "none"),
        )
        return Match(config).play()


@contextmanager
def _folder_of(store: str | Path | None) -> Iterator[Path]:
    if store is not None:
        path = user_path(store)
        if not path.name:
            raise ConfigError([f"store={str(store)!r}: expected the name of a file"])
        yield path
        return
    folder = Path(tempfile.mkdtemp(prefix="gtp-variants-"))
    is_kept = False
    try:
        yield folder / "arena.db"
    except VariantsError:
        # The error says that what programs said that cannot play lies there.
        is_kept = (folder / LOGS / START).is_dir()
        raise
    finally:
        if not is_kept:
            shutil.rmtree(folder, ignore_errors=True)
