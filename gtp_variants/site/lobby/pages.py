"""The site's pages without scripts, for search engines and for people without JavaScript, from its templates."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from gtp_variants.base.json_values import Json
from gtp_variants.base.pages import Axes, Plot, PlotCurve, PlotPoint, render
from gtp_variants.lang import say
from gtp_variants.records.sgf.games import to_sgf
from gtp_variants.site.access.accounts import BOT, PERSON
from gtp_variants.site.game_store import line_of
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.site_file import SiteStore
from gtp_variants.site.tournaments import Tournament

# Maximum games and tournaments on one page.
_MOST_GAMES, _MOST_TOURNAMENTS = 50, 20


def page(name: str, lang: str, title: str, **parts: object) -> str:
    """Return a page in HTML from the template with this name."""

    def say_here(key: str) -> str:
        return say(f"server.{key}", lang)

    return render(f"site/templates/{name}.html", lang=lang, title=title, say=say_here, **parts)


@dataclass(frozen=True, slots=True)
class PageVisit:
    """The data for a page: the parts of its address, the players online, and the lobby's games and tournaments."""

    lang: str
    # The number below which games are listed, the name of a game for its ratings, and the words in the path.
    before: int
    game: str
    words: Json
    here: Collection[str]
    running: Sequence[AccountGame]
    tournaments: Sequence[Tournament]


# -- each returns a page from an archive, or None if there is nothing to show ------------------------------------------


def standings(archive: SiteStore, asked: PageVisit) -> str:
    """Return the page with ratings at a game, players online, games in progress and the latest games."""
    rated = archive.accounts.rated_games()
    played = asked.game if asked.game in rated or not rated else rated[0]
    tables = [
        (key, accounts)
        for key, kind in (("bots", BOT), ("people", PERSON))
        if (accounts := archive.accounts.standings(played, kind)) or kind == BOT
    ]
    running = list(map(line_of, asked.running))
    told = {"tables": tables, "here": asked.here, "running": running, "game": played, "rated": rated}
    begun = [each.plan.name for each in asked.tournaments][:_MOST_TOURNAMENTS]
    latest = archive.games.results()
    title = say("server.title", asked.lang)
    return page("standings", asked.lang, title, **told, tournaments=begun, latest=latest, most=_MOST_GAMES)


def player(archive: SiteStore, asked: PageVisit) -> str | None:
    """Return an account's page: its ratings, the history at its most played game, and its games; None if unknown."""
    account, lang = archive.accounts.find(asked.words["name"]), asked.lang
    if account is None:
        return None
    ratings = archive.accounts.ratings(account.name)
    played = next(iter(ratings), "")
    history = [PlotPoint(*point) for point in enumerate(archive.accounts.history(account.name, played), 1)]
    title = say("server.over_time", lang, game=played, count=len(history))
    return page(
        "player",
        lang,
        account.name,
        account=account,
        ratings=ratings,
        plot=Plot(title, [PlotCurve("", history)], Axes("", "")),
        games=archive.games.games_of(account.name, asked.before),
        most=_MOST_GAMES,
    )


def tournament(archive: SiteStore | None, asked: PageVisit) -> str | None:
    """Return a tournament's page: standings, and the games of each round; None if unknown. `archive` is not used."""
    found = next((each for each in asked.tournaments if each.plan.name == asked.words["name"]), None)
    if found is None:
        return None
    results = [
        (game.round, game.leg, game.black, game.white, f"{points[0]:g} : {points[1]:g}" if points else "–")
        for game in (*found.results, *found.due)
        for points in (found.results.get(game),)
    ]
    # Byes come after the games of their round.
    results += [(number, found.plan.games + 1, name, "", f"{given:g}") for number, name, given in found.byes]
    in_order = sorted(results, key=lambda each: (-each[0], each[1]))
    return page(
        "tournament",
        asked.lang,
        found.plan.name,
        plan=found.plan,
        round=say("server.round_of", asked.lang, round=found.round, rounds=found.rounds),
        standing=found.standing(),
        results=[(number, black, white, points) for number, _, black, white, points in in_order],
    )


def games(archive: SiteStore, asked: PageVisit) -> str:
    """Return the page of finished games, the latest first."""
    found, title = archive.games.results(asked.before), say("server.latest", asked.lang)
    return page("games", asked.lang, title, games=found, most=_MOST_GAMES)


def game(archive: SiteStore, asked: PageVisit) -> str | None:
    """Return the page of a game, in progress or finished, or None if there is no such game."""
    found = archive.games.line(asked.words["number"])
    return None if found is None else page("game", asked.lang, f"{found.black} – {found.white}", game=found)


# The pages by their paths.
PAGES: Mapping[str, Callable[[SiteStore, PageVisit], str | None]] = {
    "/standings": standings,
    "/games": games,
    "/player/{name}": player,
    "/game/{number}": game,
    "/tournament/{name}": tournament,
}


def sgf(archive: SiteStore, number: str) -> str | None:
    """Return the record of a finished game as SGF, or None for any other number. Raises RecordError if unreadable."""
    line, stored = archive.games.line(number), archive.games.load(number)
    if line is None or stored is None or not line.result:
        return None
    game = stored.replay()
    assert isinstance(game, AccountGame)
    return to_sgf(game.record())
