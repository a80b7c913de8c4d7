"""Update the golden transcripts: python -m tests.bridge.ogs.transcript tests/bridge/ogs/transcripts.md

Each is a real game of Aléago over a WebSocket against the local server, with the same secret each time: a person from
an English-speaking country, and one whom the server knows to come from France.
"""

import asyncio
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

from tests.bridge.fakes.ogs_game import LocalGame
from tests.bridge.fakes.ogs_people import OgsPerson, at_game
from tests.bridge.kgs.transcript import (
    ASKED,
    DRAWN,
    FRENCH,
    SECRETS,
    is_free,
    is_open,
    vertices_by_middle,
    wrap,
    written,
)
from tests.support.waiting import until

_HELLO = "Hello {opponent}! Type !help, !options before the first draw. Bonjour\u00a0! !aide, !réglages."
_MORE = (
    f'chat: {{greeting: ["{_HELLO}"], farewell: ["{{opponent}}: {{result}}"]}}\n'
    "policies: {undo_wait: 60s}\ntime: {first: 20s}\n"
)
_USERS = {"en": {"country": "gb"}, "fr": {"country": "fr"}}
# What the page shows itself, in its French words' place.
_OWN = (
    *FRENCH,
    *(("does not let it be undone", "refuse l'annulation"), ("wins by Resignation", "gagne par abandon")),
    *((" resigns", " abandonne"), ("White gagne", "Blanc gagne"), ("White", "Blanc")),
)


async def _play(person: OgsPerson, game: LocalGame, lang: str) -> None:
    """Play a person who asks first and undoes a stone on a wrong line."""
    await person.hears("I show the first throw|Je montre")
    question, wish = ASKED[lang]
    await person.say(game, question)
    await person.hears("until I show the first throw|tant que je n'ai pas montré")
    await person.say(game, wish)
    await person.hears("Agreed|D'accord")
    await person.say(game, "!dice" if lang == "en" else "!dés")
    drawn = await person.hears(DRAWN)
    for turn in range(4):
        draws = len(person.heard(DRAWN))
        if turn == 2:
            free = (vertex for vertex in vertices_by_middle(game) if is_free(game, vertex))
            await person.move(game, next(vertex for vertex in free if not is_open(game, vertex, drawn)))
            await person.hears("Please undo|Annulez")
            await person.ask_undo(game)
            drawn = await person.hears(DRAWN, draws)
            draws += 1
        open_ones = (v for v in vertices_by_middle(game) if is_free(game, v) and is_open(game, v, drawn))
        await person.move(game, next(open_ones))
        drawn = await person.hears(DRAWN, draws)
    await person.in_game("game/resign", game)
    await person.hears("alpha: W")


async def transcript(lang: str) -> str:
    """Return everything that both people read in one game."""
    with tempfile.TemporaryDirectory() as name:
        user = _USERS[lang]
        async with at_game(Path(name), _MORE, game="aleago:size=9", size=9, user=user) as (_, bridge, person, game):
            await _play(person, game, lang)
            await until(lambda: not bridge.session.games)
    lines = []
    for line in game.seen:
        if ": " not in line or line.startswith("The game"):
            for english, french in _OWN if lang == "fr" else ():
                line = line.replace(english, french)
        lines.append(line)
    return wrap(lines)


def all_transcripts() -> dict[str, str]:
    """By language."""
    found = {}
    for lang, secret in SECRETS.items():
        with patch("gtp_variants.bridge.core.state_store.token_bytes", return_value=secret):
            found[lang] = asyncio.run(transcript(lang))
    return found


if __name__ == "__main__":
    page = Path(sys.argv[1])
    page.write_text(written(page.read_text(encoding="utf-8"), all_transcripts()), encoding="utf-8")
