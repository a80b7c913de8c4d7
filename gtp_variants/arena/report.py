"""What a match came to, as text."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import isfinite

from gtp_variants.arena.config import MatchConfig, Matchup
from gtp_variants.arena.referee import Played
from gtp_variants.arena.statistics import Estimate, estimate


@dataclass(slots=True)
class Tally:
    """The games of one matchup as its first player sees them."""

    matchup: Matchup
    wins: int = 0
    draws: int = 0
    losses: int = 0
    void: int = 0
    adjudicated: int = 0
    failures: dict[str, Counter[str]] = field(default_factory=dict)
    _legs: dict[int, list[float]] = field(default_factory=dict)

    def add(self, row: Played) -> None:
        """Count a game."""
        for player, kind, _ in row.failures:
            self.failures.setdefault(player, Counter())[kind] += 1
        if row.is_void:
            self.void += 1
            return
        self.adjudicated += row.kind == "adjudicated"
        score = 0.5 if row.winner is None else float(row.winner == self.matchup.players[0])
        self.wins += score == 1
        self.draws += score == 0.5
        self.losses += score == 0
        self._legs.setdefault(row.pair, []).append(score)

    @property
    def games(self) -> int:
        """Games that count."""
        return self.wins + self.draws + self.losses

    @property
    def pairs(self) -> tuple[int, ...]:
        """Complete pairs by the points the first player took of them: 0, 1/2, 1, 3/2, 2."""
        counts = Counter(int(2 * sum(legs)) for legs in self._legs.values() if len(legs) == 2)
        return tuple(counts[points] for points in range(5))

    @property
    def unpaired(self) -> int:
        """Games whose partner is missing."""
        return sum(1 for legs in self._legs.values() if len(legs) == 1)

    @property
    def estimate(self) -> Estimate | None:
        """From complete pairs; while there is none from the games; None without a game."""
        if any(self.pairs):
            return estimate(self.pairs)
        return estimate((self.losses, self.draws, self.wins)) if self.games else None

    def failures_of(self, player: str) -> int:
        """How often a player failed."""
        return self.failures.get(player, Counter()).total()


def tallies(config: MatchConfig, rows: Iterable[Played]) -> list[Tally]:
    """One tally for each matchup, in their order; games of other matchups and pairs beyond the last do not count."""
    found = {matchup.id: Tally(matchup) for matchup in config.matchups}
    for row in rows:
        tally = found.get(row.matchup)
        if tally is not None and row.pair <= tally.matchup.pairs:
            tally.add(row)
    return list(found.values())


def too_many_failures(found: Sequence[Tally]) -> str | None:
    """Why the match must stop, if a player failed as often as its matchup allows."""
    for tally in found:
        limit = tally.matchup.game.max_failures
        for player in tally.matchup.players:
            count = tally.failures_of(player)
            if limit is not None and count >= limit:
                return f"{player} failed {count} times in {tally.matchup.id} (max_failures: {limit})"
    return None


def text(found: Sequence[Tally]) -> str:
    """The whole report: a block for each matchup, and the ranking where there are several."""
    parts = [block(tally) for tally in found]
    if len(found) > 1:
        parts.append(ranking(found))
    return "\n\n".join(parts)


def block(tally: Tally) -> str:
    """The result of a matchup in the form that users of fastchess know."""
    first, second = tally.matchup.players
    done = tally.games + tally.void
    lines = [f"Results of {first} vs {second} ({_brief(tally.matchup)}; {done} of {2 * tally.matchup.pairs} games):"]
    found = tally.estimate
    if found is None:
        return "\n".join([*lines, "no game has been played" if not done else f"void: {tally.void}"])
    lines.append(f"{_elo(found)}, nElo: {_nelo(found)}    LOS: {100 * found.los:.2f} %")
    pairs = f"    Ptnml(0-2): {list(tally.pairs)}" if any(tally.pairs) else ""
    lines.append(f"Games: {tally.games}, Wins: {tally.wins}, Losses: {tally.losses}, Draws: {tally.draws}{pairs}")
    lines.append(f"95 % interval of Elo: [{_number(found.low)}, {_number(found.high)}]    {_failures(tally)}")
    if tally.void or tally.adjudicated:
        lines.append(f"Ended at the move limit: {tally.adjudicated} adjudicated, {tally.void} void")
    if any(tally.pairs) and tally.unpaired:
        lines.append(f"Elo is from complete pairs; {tally.unpaired} more games wait for their partner")
    return "\n".join(lines)


def _brief(matchup: Matchup) -> str:
    """The game with what people tell games apart by; the whole SPEC is in the settings."""
    name, _, rest = matchup.game.spec.partition(":")
    options = dict(part.split("=", 1) for part in rest.split(","))
    told = [key for key in ("board", "size", "width", "height", "n", "dice") if key in options]
    return f"{name}:" + ",".join(f"{key}={options[key]}" for key in told) if told else name


def _elo(found: Estimate) -> str:
    if found.nelo is None:
        # All samples are alike: a difference with an error behind it would claim to know what nobody does.
        return f"Elo: {_number(found.elo)}"
    return f"Elo: {_number(found.elo)} +/- {_number(found.error)}"


def _nelo(found: Estimate) -> str:
    return "unknown" if found.nelo is None else f"{_number(found.nelo)} +/- {found.nelo_error:.2f}"


def _number(value: float) -> str:
    # Adding 0 turns a rounded -0.0 into 0.0.
    return f"{round(value, 2) + 0.0:.2f}" if isfinite(value) else str(value)


def _failures(tally: Tally) -> str:
    parts = []
    for player in tally.matchup.players:
        kinds = tally.failures.get(player, Counter())
        parts.append(f"{player} " + (", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "0"))
    return "failures: " + ", ".join(parts)


def ranking(found: Sequence[Tally]) -> str:
    """Every player with games, points and score in per cent, the best first."""
    games: Counter[str] = Counter()
    wins: Counter[str] = Counter()
    draws: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    for tally in found:
        first, second = tally.matchup.players
        for player, won in ((first, tally.wins), (second, tally.losses)):
            games[player] += tally.games
            wins[player] += won
            draws[player] += tally.draws
            failures[player] += tally.failures_of(player)

    def score(player: str) -> float:
        return (wins[player] + draws[player] / 2) / games[player] if games[player] else 0.0

    rows: list[tuple[str, ...]] = [("rank", "player", "games", "wins", "losses", "draws", "score", "failures")]
    for rank, player in enumerate(sorted(games, key=lambda name: (-score(name), name)), 1):
        lost = games[player] - wins[player] - draws[player]
        share = f"{100 * score(player):.1f} %" if games[player] else "-"
        counts = (games[player], wins[player], lost, draws[player])
        rows.append((str(rank), player, *map(str, counts), share, str(failures[player])))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def line(row: Played, number: int, of: int) -> str:
    """A finished game in one line."""
    width = len(str(of))
    note = f"  {row.kind}: {row.failures[0][0]}: {row.why}" if row.failures else f"  {row.why}" if row.why else ""
    return f"{number:{width}}/{of}  {row.id}  {row.black} - {row.white}  {row.result}  {row.moves} moves{note}"
