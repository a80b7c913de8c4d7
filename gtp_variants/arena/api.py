"""Playing matches from Python: `gtp_variants.Match`, its result, and the shorthand `gtp_variants.match`."""

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
    """The result of a match so far. Its `str` is the report that the command line prints.

    `elo`, `interval`, `los`, `wdl` and `pentanomial` raise ValueError unless the match has exactly two players; the
    first three also raise it before the first game that counts.

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
        """The players' names. Bots are named without their parameters; repeated names are numbered."""
        return tuple(self._result.config.players)

    @property
    def games(self) -> tuple[ResultRow, ...]:
        """The games that count, ordered by id."""
        return tuple(sorted(self._result.rows, key=lambda row: row.id))

    @property
    def elo(self) -> float:
        """The Elo difference between the first player and the second."""
        return self._estimate("elo").elo

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `elo`."""
        return self._estimate("interval").interval

    @property
    def los(self) -> float:
        """The likelihood, 0 to 1, that the first player is the stronger one."""
        return self._estimate("los").los

    @property
    def wdl(self) -> tuple[int, int, int]:
        """The numbers of games that the first player has won, drawn and lost."""
        tally = self._only("wdl")
        return tally.first.wins, tally.first.draws, tally.first.losses

    @property
    def pentanomial(self) -> tuple[int, ...]:
        """The numbers of pairs in which the first player scored 0, 1/2, 1, 3/2 and 2 points."""
        return self._only("pentanomial").pairs

    def elo_of(self, player: str) -> tuple[float, float, float] | None:
        """Return a player's Elo against the mean of all others and the bounds of its 95 % interval; None if unrated."""
        return self._result.elos.get(player)

    def points(self, player: str) -> float:
        """Return a player's points: 1 for a win, and a share of 1 for a draw."""
        return self._result.scores[player].points

    def as_json(self) -> Json:
        """Return the report as JSON data, as `gtp-variants match FILE show --json` prints it."""
        return self._result.as_json()

    def _estimate(self, name: str) -> Estimate:
        found = self._result.estimate(self._only(name))
        if found is None:
            raise ValueError(f"{name}: expected a finished game that counts, but there is none yet")
        return found

    def _only(self, name: str) -> MatchupTally:
        (tally, *others) = self._result.tallies
        if others or len(tally.matchup.players) != 2:
            raise ValueError(f"{name}: expected a match of two players, got {len(self.players)}; use elo_of and points")
        return tally


@dataclass(frozen=True, slots=True)
class MatchProgress:
    """The progress of a match: `games` of at most `of` games are over. `why` is the reason for an early end, or "".

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
    """A match. Iterating it plays its games and yields each as it ends.

    `config` is the result of `matches.configure` or `matches.load`, or the name of a match file. Games in the store are
    not played again: if a loop is left early or its process is killed, the next loop continues the match. The files
    that `outputs` lists are written as `gtp-variants match` writes them. Raises ConfigError for an invalid match,
    RecordError for an unusable store, and another VariantsError if a player fails too often or another process is
    playing the match.

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
    >>> match.play().wdl                                 # plays the remaining games
    (4, 0, 0)
    """

    def __init__(self, config: MatchConfig | str | Path) -> None:
        self.config = config if isinstance(config, MatchConfig) else resolve.load(Path(config))
        self._run: Run | None = None

    def __iter__(self) -> Iterator[FinishedGame]:
        """Play the remaining games, `config.concurrency` at a time. Leaving the loop abandons the games in progress."""
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
        """Play the remaining games, unless `stop` or a stop rule ends the match early; return the result."""
        for _ in self:
            pass
        return self.result

    def stop(self) -> None:
        """Begin no more games; finish those in progress. May be called from any thread and from within the loop."""
        if self._run is not None:
            self._run.stop()

    @property
    def progress(self) -> MatchProgress:
        """The progress of the match; cheap to read while this object is playing it."""
        if self._run is not None:
            return _progress_of(self.config, self._run.count, self._run.stopping)
        with self._open() as store:
            rows = store.rows()
            games = len(rows_of_match(self.config, rows.values()))
            return _progress_of(self.config, games, StoppingRules(self._stored_config(store), rows))

    @property
    def result(self) -> MatchResult:
        """The result of all stored games, including those of earlier runs."""
        with self._open() as store:
            return MatchResult(self._stored_config(store), store.rows())

    def games(self) -> Iterator[FinishedGame]:
        """Yield every stored game of the match with its record, ordered by id."""
        with self._open() as store:
            for row in sorted(rows_of_match(self.config, store.rows().values()), key=lambda row: row.id):
                yield FinishedGame(row, store.record(row.id))

    def _open(self) -> MatchStore:
        return MatchStore(self.config.store_file)

    def _stored_config(self, store: MatchStore) -> MatchConfig:
        """Return the match; if its file gives no seed or dice, they are those with which it was begun."""
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
    """Play a round robin in pairs of games with swapped colours; return the result.

    - `players`: names of bots, or commands by name as in a match file: `bot:NAME` or a GTP program.
    - `seed`: the same seed gives the same games for any number of `jobs`; without one they differ each time.
    - `store`: the file that keeps the games. The same call continues from it; with more `pairs` it plays the new ones.
    - `dice`: "own" gives each game its own dice. "shared" gives both games of a pair the same dice: this reduces
      chance, but players who remember the first game know the dice of the second. None means the dice of the `store`,
      or "own".
    - `trusted`: players whose bots, if not built in, may play in the referee's process instead of one of their own.
    - `export`: npz, jsonl or parquet. Each game is also written as training samples, which `Samples` reads, into a
      folder beside the store, with the store's name and the ending `.samples`.

    Raises ConfigError for invalid values, RecordError for an unusable store, and another VariantsError if a player
    fails too often.

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
        raise ConfigError([f"export={export}: expected a store as well, as samples are written beside it"])
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
        # Keep the folder if it has logs of programs that cannot play: the error names it.
        is_kept = (folder / LOGS / START).is_dir()
        raise
    finally:
        if not is_kept:
            shutil.rmtree(folder, ignore_errors=True)
