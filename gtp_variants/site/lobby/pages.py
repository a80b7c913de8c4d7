"""The web pages of a server, as HTML in both languages. Only the page for playing has a script."""

import json
from collections.abc import Collection, Sequence
from html import escape
from urllib.parse import quote

from gtp_variants.lang import say
from gtp_variants.records.drawing.replay_page import replay
from gtp_variants.site.access.accounts import BOT, PERSON, Account
from gtp_variants.site.lobby.account_store import Archive, GameLine, RatingStep
from gtp_variants.site.tournaments import Tournament

_WIDTH, _HEIGHT, _MARGIN = 640, 220, 44
# Maximum points in a chart; more could not be seen.
_MOST_POINTS = 600
# Maximum games on one page.
_MOST_GAMES = 50


def page(title: str, lang: str, *parts: str) -> str:
    """Return a complete HTML page."""
    return (
        f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        '<link rel="stylesheet" href="/style.css">'
        f'</head><body><header><a href="/">{_say("standings", lang)}</a> <a href="/games">{_say("games", lang)}</a>'
        f' <a href="/play">{_say("play", lang)}</a>'
        f"</header><main><h1>{escape(title)}</h1>{''.join(parts)}</main></body></html>"
    )


# -- pages from an archive: None where there is nothing to show --------------------------------------------------------


def standings(
    archive: Archive, here: Collection[str], running: Sequence[GameLine], tournaments: Sequence[str], lang: str
) -> str:
    """Return the page with ratings, players online, games in progress and the latest games."""
    latest = archive.games()
    tables = [
        f"<h2>{_say(title, lang)}</h2>{_table_of_accounts(accounts, here, lang)}"
        for title, kind in (("bots", BOT), ("people", PERSON))
        if (accounts := archive.standings(kind)) or kind == BOT
    ]
    notes = "".join(f'<p class="quiet">{_say(key, lang)}</p>' for key in ("provisional", "apart"))
    on = _table_of_games(running, lang)
    links = " · ".join(f'<a href="/tournament/{quote(name)}">{escape(name)}</a>' for name in tournaments)
    played = f"<h2>{_say('event', lang)}</h2><p>{links}</p>" if links else ""
    return page(
        say("server.title", lang),
        lang,
        f'<div class="beside"><section>{"".join(tables)}{notes}{played}</section>',
        f"<section><h2>{_say('now_on', lang)}</h2>{on or _quiet('none_on', lang)}",
        f"<h2>{_say('latest', lang)}</h2>{_table_of_games(latest, lang)}",
        f"{_older(latest, '/games', lang)}</section></div>",
    )


def player(archive: Archive, name: str, before: int, lang: str) -> str | None:
    """Return the page of an account: its rating, rating history, and games numbered below `before`."""
    account = archive.account(name)
    if account is None:
        return None
    history, found = archive.history(account.name), archive.games_of(account.name, before)
    played = say("game.label", lang, name=say("server.games", lang), value=account.games)
    count = say("server.over_time", lang, count=len(history))
    chart = f"<h2>{escape(count)}</h2>{_chart(history)}" if history else _quiet("no_history", lang)
    return page(
        account.name,
        lang,
        f'<p class="rating">{escape(account.shown)} · {escape(played)}</p>',
        f'<div class="beside"><section>{chart}</section><section><h2>{_say("games", lang)}</h2>',
        _table_of_games(found, lang) + _older(found, f"/player/{quote(account.name)}", lang),
        "</section></div>",
    )


def tournament(archive: Archive | None, found: Tournament, lang: str) -> str:
    """Return the page of a tournament: the standings, and the games of each round. `archive` is not used."""
    plan = found.plan
    heads = "".join(f"<th>{_say(key, lang)}</th>" for key in ("rank", "name", "points", "games"))
    rows = "".join(
        f"<tr><td>{rank}</td><td>{_link(name)}</td><td>{points:g}</td><td>{games}</td></tr>"
        for rank, (name, points, games) in enumerate(found.standing(), start=1)
    )
    results = [
        (game.round, game.leg, game.black, _link(game.white), f"{points[0]:g} : {points[1]:g}" if points else "–")
        for game in (*found.results, *found.due)
        for points in (found.results.get(game),)
    ]
    # Byes come after the games of their round.
    sits_out = _say("sits_out", lang)
    results += [(number, plan.games + 1, name, sits_out, f"{given:g}") for number, name, given in found.byes]
    games = "".join(
        f"<tr><td>{number}</td><td>{_link(black)}</td><td>{white}</td><td>{points}</td></tr>"
        for number, _, black, white, points in sorted(results, key=lambda each: (-each[0], each[1]))
    )
    columns = "".join(f"<th>{_say(key, lang)}</th>" for key in ("round", "black", "white", "result"))
    state = say("server.round_of", lang, round=found.round, rounds=found.rounds)
    return page(
        plan.name,
        lang,
        f'<p class="quiet">{escape(plan.spec)} · {plan.begins:%Y-%m-%d %H:%M} UTC · {escape(state)}</p>',
        f'<div class="beside"><section><table class="standings"><tr>{heads}</tr>{rows}</table></section>',
        f"<section><table><tr>{columns}</tr>{games}</table></section></div>",
    )


def games(archive: Archive, before: int, lang: str) -> str:
    """Return the page of finished games numbered below `before`, the latest first."""
    found = archive.games(before)
    return page(say("server.latest", lang), lang, _table_of_games(found, lang), _older(found, "/games", lang))


def game(archive: Archive, number: int, is_on: bool) -> str | None:
    """Return a page that replays a game, in progress or finished."""
    if is_on:
        live = archive.live_record(number)
        return None if live is None else replay(live)
    found = archive.record(number)
    return None if found is None else replay(found[1])


def sgf(archive: Archive, number: int) -> str | None:
    """Return the record of a finished game as SGF."""
    found = archive.record(number)
    return None if found is None else found[0]


def _table_of_games(games: Sequence[GameLine], lang: str) -> str:
    """Return games as an HTML table, or "" if there are none."""
    if not games:
        return ""
    heads = "".join(f"<th>{_say(key, lang)}</th>" for key in ("number", "played", "black", "white", "result", "ended"))
    rows = []
    for game in games:
        when = game.ended[:16].replace("T", " ")
        title = f' title="{escape(game.event)}"' if game.event else ""
        sgf = f' <a href="/game/{game.number}.sgf">{_say("sgf", lang)}</a>' if game.result else ""
        rows.append(
            f'<tr{title}><td><a href="/game/{game.number}">{game.number}</a></td><td>{escape(_short(game.spec))}</td>'
            f"<td>{_link(game.black)}</td><td>{_link(game.white)}</td><td>{escape(game.result)}{sgf}</td><td>{when}</td></tr>"
        )
    return f'<div class="wide"><table><tr>{heads}</tr>{"".join(rows)}</table></div>'


def _table_of_accounts(accounts: Sequence[Account], here: Collection[str], lang: str) -> str:
    if not accounts:
        return _quiet("nobody", lang)
    heads = "".join(f"<th>{_say(key, lang)}</th>" for key in ("rank", "name", "rating", "games"))
    rows = []
    for rank, account in enumerate(accounts, start=1):
        mark = f' <span class="here" title="{_say("here", lang)}">●</span>' if account.name in here else ""
        rows.append(
            f"<tr><td>{rank}</td><td>{_link(account.name)}{mark}</td><td>{escape(account.shown)}</td>"
            f"<td>{account.games}</td></tr>"
        )
    return f'<div class="wide"><table class="standings"><tr>{heads}</tr>{"".join(rows)}</table></div>'


def _older(games: Sequence[GameLine], path: str, lang: str) -> str:
    if len(games) < _MOST_GAMES:
        return ""
    return f'<p><a href="{path}?before={games[-1].number}">{_say("older", lang)}</a></p>'


def _chart(history: Sequence[RatingStep]) -> str:
    """Return a chart of an account's ratings, as SVG."""
    step = max(1, len(history) // _MOST_POINTS)
    shown = [*history[::step], history[-1]]
    ratings = [each.rating for each in shown]
    low, high = min(ratings) - 20, max(ratings) + 20
    across = (_WIDTH - 2 * _MARGIN) / max(1, len(shown) - 1)

    def at(index: int, rating: float) -> tuple[float, float]:
        return _MARGIN + index * across, _HEIGHT - 24 - (rating - low) / (high - low) * (_HEIGHT - 48)

    points = " ".join("{:.1f},{:.1f}".format(*at(index, rating)) for index, rating in enumerate(ratings))
    lines = []
    for rating in (low + 20, high - 20):
        _, y = at(0, rating)
        lines.append(
            f'<line x1="{_MARGIN}" x2="{_WIDTH - _MARGIN}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text x="{_MARGIN - 6}" y="{y + 4:.1f}" text-anchor="end">{rating:.0f}</text>'
        )
    x, y = at(len(shown) - 1, ratings[-1])
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">{"".join(lines)}<polyline points="{points}"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
        f'<text x="{x + 8:.1f}" y="{y + 4:.1f}">{ratings[-1]:.0f}</text></svg>'
    )


def _short(spec: str) -> str:
    """Return the name and size of the game in a SPEC, such as "go 19"."""
    name, _, rest = spec.partition(":")
    size = next((part for part in rest.split(",") if part.partition("=")[0] in ("size", "n", "width")), "")
    return f"{name} {size.partition('=')[2]}".strip()


def _link(name: str) -> str:
    return f'<a href="/player/{quote(name)}">{escape(name)}</a>'


def _say(key: str, lang: str) -> str:
    return escape(say(f"server.{key}", lang))


def _quiet(key: str, lang: str) -> str:
    return f'<p class="quiet">{_say(key, lang)}</p>'


_SAID = ("yours", "theirs", "waiting", "soon", "choose", "lost", "sure", "draw", "line")


def play_page(games: Sequence[str], lang: str) -> str:
    """Return the page on which people play, with a choice of games."""
    words = {key: say(f"server.{key}", lang) for key in _SAID}
    words |= {"b": say("server.black", lang), "w": say("server.white", lang)}
    boxes = "".join(
        f'<label><input type="checkbox" name="game" value="{escape(game)}" checked> {escape(game)}</label>'
        for game in games
    )
    buttons = "".join(
        f'<button id="{key}" type="button"{" hidden" if key in ("swap", "again") else ""}>{_say(key, lang)}</button> '
        for key in ("pass", "swap", "resign", "again")
    )
    return page(
        say("server.play", lang),
        lang,
        f'<div id="play" data-words="{escape(json.dumps(words))}"><form id="login"><p>{_say("play_how", lang)}</p>',
        f'<label>{_say("name", lang)} <input id="name" autocomplete="username" required maxlength="18"></label>',
        f'<label>{_say("password", lang)} <input id="password" type="password" autocomplete="current-password" ',
        f'required minlength="6" maxlength="64"></label><fieldset>{boxes}</fieldset>',
        f'<button id="enter">{_say("enter", lang)}</button></form>',
        '<p id="said" role="status" aria-live="polite"></p>',
        '<div id="table" class="beside" hidden><section id="board"></section><section><p id="names"></p>',
        f'<p id="clocks"></p><p id="draw"></p><p id="heard"></p><p>{buttons}</p><p id="spec" class="quiet"></p>',
        '<ul id="log" class="quiet"></ul></section></div></div><script type="module" src="/play.js"></script>',
    )
