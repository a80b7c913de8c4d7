"""The page on which a person logs in and plays."""

import json
from collections.abc import Sequence
from html import escape

from gtp_variants.lang import say
from gtp_variants.server.site.pages import page

_SAID = ("yours", "theirs", "waiting", "soon", "choose", "lost", "sure", "draw", "line")


def play_page(games: Sequence[str], lang: str) -> str:
    """The page, with the games one may choose from."""
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


def _say(key: str, lang: str) -> str:
    return escape(say(f"server.{key}", lang))
