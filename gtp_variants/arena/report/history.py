"""Ratings of versions over time: rates every player of several matches from all their games at once.

A version is a player with one identity in the settings: bot or program, version, files and time limits. Each variant
has its own ratings, and players without a chain of games between them are not compared.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter
from pathlib import Path

from gtp_variants.arena.report.text_report import columns
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.store import MatchStore
from gtp_variants.base.json_values import Json
from gtp_variants.base.pages import Axes, Plot, PlotCurve, PlotPoint, render
from gtp_variants.errors import RecordError
from gtp_variants.lang import say
from gtp_variants.statistics.estimates import elo_text
from gtp_variants.statistics.ratings import rate

# Number of hexadecimal digits in a version's digest.
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Version:
    """A player with one identity in one or more matches. `digest` tells versions of one name apart."""

    name: str
    version: str
    digest: str


@dataclass(frozen=True, slots=True)
class PastMatch:
    """A match's games in one variant: two players and the first player's points. `begun` is the start of the match."""

    name: str
    begun: datetime
    variant: str
    games: Sequence[tuple[Version, Version, float]]


@dataclass(frozen=True, slots=True)
class RatedVersion:
    """A version's Elo, against the anchor or the mean of its group, and half the width of its 95 % interval.

    `match` is the name of the first match in which it played, and `since` is that match's start time.
    """

    version: Version
    elo: float
    error: float
    games: int
    points: float
    since: datetime
    match: str

    @property
    def share(self) -> str:
        """The points as a percentage of the number of games."""
        return f"{100 * self.points / self.games:.1f} %"

    @property
    def elo_text(self) -> str:
        """The Elo with its interval as text."""
        return elo_text(self.elo, self.elo - self.error, self.elo + self.error)


@dataclass(frozen=True, slots=True)
class VariantHistory:
    """The versions that played a variant, in groups connected by games, in the order of their first appearance."""

    variant: str
    matches: Sequence[PastMatch]
    groups: Sequence[Sequence[RatedVersion]]

    @property
    def versions(self) -> list[RatedVersion]:
        """The versions of all groups."""
        return [each for group in self.groups for each in group]

    def size(self, lang: str = "en") -> str:
        """Return the numbers of games and matches as text."""
        games = sum(len(match.games) for match in self.matches)
        return say("match.history_size", lang, games=games, matches=len(self.matches))


def read_match(path: Path) -> Iterator[PastMatch]:
    """Yield a store's two-player games, as one match per variant. Raises RecordError if there is no such file."""
    if not path.is_file():
        raise RecordError(f"{path}: there is no such file")
    with MatchStore(path) as store:
        settings = store.settings()
        named = {id: each["players"].items() for id, each in settings.items()}
        players = {id: {name: _version(name, about) for name, about in each} for id, each in named.items()}
        games: dict[str, list[tuple[Version, Version, float]]] = {}
        for row in _distinct_rows(store.rows().values()):
            if row.matchup in settings:
                first, second = (players[row.matchup][name] for name in row.players)
                found = games.setdefault(settings[row.matchup]["variant"], [])
                found.append((first, second, row.score(row.players[0])))
        begun = store.begun
    name = path.parent.name if path.name == "arena.db" else path.stem
    for variant, found in games.items():
        yield PastMatch(name, begun, variant, found)


def _version(name: str, about: Json) -> Version:
    version = str(about.get("version") or "")
    text = json.dumps(about, sort_keys=True, ensure_ascii=False)
    # Omit the digest at the end of a version: it means nothing to people.
    words = [str(about.get("bot") or ""), version.partition("sha256:")[0].strip()]
    return Version(name, ", ".join(word for word in words if word), hashlib.sha256(text.encode()).hexdigest()[:_DIGITS])


def _distinct_rows(rows: Iterable[ResultRow]) -> Iterator[ResultRow]:
    """Yield the two-player games that count, and of identical games only the first."""
    seen = set()
    for row in sorted(rows, key=attrgetter("matchup", "pair", "leg")):
        key = (row.matchup, row.players, row.fingerprint) if row.fingerprint else row.id
        if len(row.players) == 2 and not row.is_void and key not in seen:
            seen.add(key)
            yield row


def rate_history(matches: Iterable[PastMatch], anchor: str = "") -> list[VariantHistory]:
    """Return ratings per variant, with Elo 0 for the first version of `anchor`. Raises ValueError if it is unknown."""
    in_order = sorted(matches, key=attrgetter("begun", "name"))
    found = []
    for variant in dict.fromkeys(match.variant for match in in_order):
        played = [match for match in in_order if match.variant == variant]
        found.append(VariantHistory(variant, played, list(_rate(played, anchor))))
    if anchor and not any(each.version.name == anchor for history in found for each in history.versions):
        raise ValueError(f"no player is called {anchor!r}")
    return found


def _rate(matches: Sequence[PastMatch], anchor: str) -> Iterator[list[RatedVersion]]:
    """Yield the rated versions of each group."""
    games = [game for match in matches for game in match.games]
    first_match: dict[Version, PastMatch] = {}
    for match in matches:
        for game in match.games:
            for version in game[:2]:
                first_match.setdefault(version, match)
    key_of = {version: str(index) for index, version in enumerate(first_match)}
    for group in _find_groups(games):
        inside = [(key_of[one], key_of[other], score) for one, other, score in games if one in group]
        ratings = rate(inside)
        if ratings is None:
            continue
        rated = []
        for version in (version for version in first_match if version in group):
            index = ratings.players.index(key_of[version])
            scores = [s if one == version else 1 - s for one, other, s in games if version in (one, other)]
            about = (len(scores), sum(scores), first_match[version].begun, first_match[version].name)
            rated.append(RatedVersion(version, ratings.elo[index], ratings.error(index), *about))
        zero = next((each.elo for each in rated if each.version.name == anchor), 0.0)
        yield [replace(each, elo=each.elo - zero) for each in rated]


def _find_groups(games: Iterable[tuple[Version, Version, float]]) -> list[set[Version]]:
    """Return the groups of versions that are connected by games."""
    groups: list[set[Version]] = []
    for one, other, _ in games:
        joined = {one, other}.union(*(group for group in groups if one in group or other in group))
        groups = [group for group in groups if not group & joined] + [joined]
    return groups


def render_history(histories: Iterable[VariantHistory], lang: str = "en") -> str:
    """Return the ratings as text: a table for each group of each variant."""
    parts = []
    for history in histories:
        parts.append(f"{history.variant}: {history.size(lang)}")
        for group in history.groups:
            rows: list[Sequence[str]] = [say("match.history_head", lang).split("|")]
            for each in group:
                about = f"{each.since:%Y-%m-%d}", each.version.name, each.version.version, each.version.digest
                rows.append((*about, str(each.games), each.share, each.elo_text, each.match))
            parts.append(columns(rows, left=(0, 1, 2, 3, 7)))
        if len(history.groups) > 1:
            parts.append(say("match.not_connected", lang))
    return "\n\n".join(parts) or say("match.no_game", lang)


def as_json(histories: Iterable[VariantHistory]) -> Json:
    """Return the ratings as JSON data."""
    return {
        history.variant: [
            {
                "player": each.version.name,
                "version": each.version.version,
                "digest": each.version.digest,
                "since": each.since.isoformat(),
                "match": each.match,
                "games": each.games,
                "points": each.points,
                "elo": round(each.elo, 2),
                "error": round(each.error, 2),
                "group": number,
            }
            for number, group in enumerate(history.groups)
            for each in group
        ]
        for history in histories
    }


def render_history_page(histories: Iterable[VariantHistory]) -> str:
    """Return the ratings as an HTML page: a plot and a table for each group of each variant."""
    about = {"plot_of": _plot, "not_connected": say("match.not_connected", "en")}
    return render("arena/report/history.html", title="Ratings over time", histories=histories, **about)


def _plot(group: Sequence[RatedVersion], history: VariantHistory) -> Plot:
    """Return a plot of each player's Elo over the matches; each point is the Elo of the version that played."""
    rated = {each.version: each for each in group}
    points: dict[str, list[PlotPoint]] = {each.version.name: [] for each in group}
    for place, match in enumerate(history.matches):
        for version in dict.fromkeys(version for game in match.games for version in game[:2]):
            if (each := rated.get(version)) is not None:
                label = f"{version.version} {each.elo_text}".strip()
                low, high = each.elo - each.error, each.elo + each.error
                points[version.name].append(PlotPoint(place, each.elo, low, high, label))
    curves = [PlotCurve(name, found) for name, found in points.items()]
    dates = [f"{match.begun:%Y-%m-%d}" for match in history.matches]
    step = -(-len(dates) // 5)
    words = [(index, dates[index]) for index in range(0, len(dates), step)]
    return Plot("Elo, 95 % intervals", curves, Axes("match", "Elo", [(0.0, "")], x_words=words))
