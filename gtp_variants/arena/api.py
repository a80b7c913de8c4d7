"""Matches from Python: `gtp_variants.match`."""

import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from gtp_variants.arena.config.command_line import name_of, trust, unique
from gtp_variants.arena.config.match_blocks import (
    BOT_PREFIX,
    GameBlock,
    MatchFile,
    OpeningsBlock,
    TournamentBlock,
    read_command,
)
from gtp_variants.arena.config.match_config import DICE, MOST_PAIRS, MatchConfig, Outputs
from gtp_variants.arena.config.resolve import resolve
from gtp_variants.arena.report import html_page, text_report
from gtp_variants.arena.report.result import Result
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.run.preflight import prepare
from gtp_variants.arena.run.runner import FAILED, INTERRUPTED, RunOptions, run
from gtp_variants.arena.statistics.tally import MatchupTally
from gtp_variants.arena.store import MatchStore
from gtp_variants.config.fields import Node, either
from gtp_variants.errors import ConfigError, VariantsError
from gtp_variants.json_values import Json
from gtp_variants.rules.rules import Rules


class Match:
    """The result of a match. `str` of it is the report that the command line prints.

    >>> import gtp_variants as gv
    >>> found = gv.match("go:size=5", ["greedy", "uniform"], pairs=2, seed=1)
    >>> found.players, sum(found.wdl), found.points("greedy") > found.points("uniform")
    (('greedy', 'uniform'), 4, True)
    """

    def __init__(self, config: MatchConfig, rows: Mapping[str, ResultRow]) -> None:
        self._result = Result(config, rows)

    def __str__(self) -> str:
        return text_report.render_text(self._result)

    def _repr_html_(self) -> str:
        return html_page.render_standings(self._result)

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
        return self._only("elo").estimate.elo  # type: ignore[union-attr]

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `elo`."""
        found = self._only("interval").estimate
        assert found is not None
        return found.interval

    @property
    def los(self) -> float:
        """The likelihood that the first player is the stronger one, 0 to 1."""
        return self._only("los").estimate.los  # type: ignore[union-attr]

    @property
    def wdl(self) -> tuple[int, int, int]:
        """Games that the first player won, drew and lost."""
        tally = self._only("wdl")
        return tally.wins, tally.draws, tally.losses

    @property
    def pentanomial(self) -> tuple[int, ...]:
        """Pairs of games by the points the first player took of them: 0, 1/2, 1, 3/2, 2."""
        return self._only("pentanomial").pairs

    def elo_of(self, player: str) -> tuple[float, float, float] | None:
        """Elo of a player against the mean of all others, with its 95 % interval; None where there is no Elo."""
        return self._result.elo(player)

    def points(self, player: str) -> float:
        """Points of a player: 1 for a win; a draw is shared."""
        return self._result.scores[player].points

    def as_json(self) -> Json:
        """The report for programs, as `gtp-variants match FILE show --json` prints it."""
        return self._result.as_json()

    def _only(self, name: str) -> MatchupTally:
        """The one matchup of two players that there is."""
        (tally, *others) = self._result.tallies
        if others or len(tally.matchup.players) != 2:
            raise ValueError(
                f"{name} is of a match of two players, here are {len(self.players)}; see elo_of and points"
            )
        return tally


def match(
    rules: Rules | str,
    players: Sequence[str] | Mapping[str, str],
    *,
    pairs: int = 100,
    seed: int | str | None = None,
    store: str | Path | None = None,
    jobs: int = 1,
    openings: str | Path | None = None,
    dice: str | None = None,
    trusted: Collection[str] = (),
) -> Match:
    """Let players meet in pairs of games with swapped colours, everybody everybody else.

    `players` are names of bots, or name -> command as in a match file: `bot:NAME` or a program that speaks GTP. With
    the same seed the same games come out, however many go on at a time; without one they differ each time. `store` is a
    file that keeps the games, so that the same call goes on where it was stopped, and with more pairs plays what is
    missing. `dice` are "own" to each game or "shared" by the games of a pair, which takes some chance out of the result
    but lets players who remember foretell them; None means as `store` was begun, else "own". A bot that is not of this
    package plays in a process of its own unless its player is among the `trusted`. Raises ConfigError for what cannot
    be, RecordError for a store that cannot be read or written, another VariantsError if a player fails too often.

    >>> import gtp_variants as gv
    >>> found = gv.match("go:size=5", ["greedy", "uniform"], pairs=2, seed=1)
    >>> sum(found.pentanomial), found.elo > 0
    (2, True)
    """
    if jobs < 1:
        raise ConfigError([f"jobs={jobs}: expected 1 or more"])
    if not 1 <= pairs <= MOST_PAIRS:
        raise ConfigError([f"pairs={pairs}: expected 1 to {MOST_PAIRS}"])
    if dice not in (None, *DICE):
        raise ConfigError([f"dice={dice!r}: expected {either(DICE)}"])
    spec = rules if isinstance(rules, str) else rules.spec
    with _folder_of(store) as path:
        node, named = Node(None), _name_players(players)
        file = MatchFile(
            "1",
            players=trust({name: read_command(name, text, node) for name, text in named.items()}, trusted, node),
            defaults=GameBlock(spec),
            tournament=TournamentBlock("roundrobin", pairs=pairs),
            openings=None if openings is None else OpeningsBlock(str(openings)),
            seed="" if seed is None else str(seed),
            dice=dice or "",
            outputs=Outputs(path.parent, path.name, "none"),
        )
        return _play(resolve(file, node), jobs)


def _name_players(players: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    if isinstance(players, str):
        raise ConfigError([f"players: expected several, not only {players!r}"])
    if isinstance(players, Mapping):
        return dict(players)
    found: dict[str, str] = {}
    for bot in players:
        found[unique(name_of(BOT_PREFIX + bot), found)] = BOT_PREFIX + bot
    return found


@contextmanager
def _folder_of(store: str | Path | None) -> Iterator[Path]:
    if store is not None:
        path = Path(store).expanduser()
        if not path.name:
            raise ConfigError([f"store={str(store)!r}: expected the name of a file"])
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="gtp-variants-", ignore_cleanup_errors=True) as folder:
        yield Path(folder) / "arena.db"


def _play(config: MatchConfig, jobs: int) -> Match:
    with MatchStore(config.store_file) as store, store.lock() as is_ours:
        if not is_ours:
            raise VariantsError(f"another process is playing this match in {config.store_file}")
        config = prepare(config, store)
        ending = run(config, store, RunOptions(jobs))
        if ending.status == INTERRUPTED:
            raise KeyboardInterrupt
        if ending.status == FAILED:
            raise VariantsError(ending.why)
        return Match(config, store.rows())
