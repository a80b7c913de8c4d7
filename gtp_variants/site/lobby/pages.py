"""The site's pages without scripts, for search engines and for people without JavaScript, from its templates."""

from collections.abc import Collection, Sequence

from gtp_variants.base.json_values import Json
from gtp_variants.base.pages import render
from gtp_variants.lang import say
from gtp_variants.site.access.accounts import BOT, PERSON
from gtp_variants.site.lobby.account_store import Archive, GameLine, RatingStep
from gtp_variants.site.tournaments import Tournament

_WIDTH, _HEIGHT, _MARGIN = 640, 220, 44
# Maximum points in a chart; more points could not be told apart.
_MOST_POINTS = 600
# Maximum games on one page.
_MOST_GAMES = 50


def page(name: str, lang: str, title: str, **parts: object) -> str:
    """Return a page in HTML from the template with this name."""

    def say_here(key: str) -> str:
        return say(f"server.{key}", lang)

    return render(f"site/templates/{name}.html", lang=lang, title=title, say=say_here, **parts)


# -- pages from an archive: None where there is nothing to show --------------------------------------------------------


def standings(
    archive: Archive, here: Collection[str], running: Sequence[GameLine], tournaments: Sequence[str], lang: str
) -> str:
    """Return the page with ratings, players online, games in progress and the latest games."""
    tables = [
        (key, accounts)
        for key, kind in (("bots", BOT), ("people", PERSON))
        if (accounts := archive.standings(kind)) or kind == BOT
    ]
    told = {"tables": tables, "here": here, "running": running, "tournaments": tournaments}
    return page("standings", lang, say("server.title", lang), latest=archive.games(), most=_MOST_GAMES, **told)


def player(archive: Archive, name: str, before: int, lang: str) -> str | None:
    """Return the page of an account: its rating, rating history, and games numbered below `before`."""
    account = archive.account(name)
    if account is None:
        return None
    history = archive.history(account.name)
    return page(
        "player",
        lang,
        account.name,
        account=account,
        played=say("game.label", lang, name=say("server.games", lang), value=account.games),
        count=say("server.over_time", lang, count=len(history)),
        chart=_chart(history) if history else None,
        games=archive.games_of(account.name, before),
        most=_MOST_GAMES,
    )


def tournament(archive: Archive | None, found: Tournament, lang: str) -> str:
    """Return the page of a tournament: the standings, and the games of each round. `archive` is not used."""
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
        lang,
        found.plan.name,
        plan=found.plan,
        round=say("server.round_of", lang, round=found.round, rounds=found.rounds),
        standing=found.standing(),
        results=[(number, black, white, points) for number, _, black, white, points in in_order],
    )


def games(archive: Archive, before: int, lang: str) -> str:
    """Return the page of finished games numbered below `before`, the latest first."""
    return page("games", lang, say("server.latest", lang), games=archive.games(before), most=_MOST_GAMES)


def game(archive: Archive, number: int, lang: str) -> str | None:
    """Return the page of a game, in progress or finished."""
    found = archive.line(number)
    return None if found is None else page("game", lang, f"{found.black} – {found.white}", game=found)


def sgf(archive: Archive, number: int) -> str | None:
    """Return the record of a finished game as SGF."""
    found = archive.record(number)
    return None if found is None else found[0]


def _chart(history: Sequence[RatingStep]) -> Json:
    """Return the sizes and coordinates of a chart of an account's ratings."""
    step = max(1, len(history) // _MOST_POINTS)
    shown = [*history[::step], history[-1]]
    ratings = [each.rating for each in shown]
    low, high = min(ratings) - 20, max(ratings) + 20
    across = (_WIDTH - 2 * _MARGIN) / max(1, len(shown) - 1)

    def at(index: int, rating: float) -> tuple[float, float]:
        y = _HEIGHT - 24 - (rating - low) / (high - low) * (_HEIGHT - 48)
        return round(_MARGIN + index * across, 1), round(y, 1)

    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "margin": _MARGIN,
        "points": " ".join("{},{}".format(*at(index, rating)) for index, rating in enumerate(ratings)),
        "marks": [{"y": at(0, rating)[1], "rating": f"{rating:.0f}"} for rating in (low + 20, high - 20)],
        "last": at(len(shown) - 1, ratings[-1]),
        "rating": f"{ratings[-1]:.0f}",
    }
