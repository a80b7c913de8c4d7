"""Update the transcripts of a page: python -m tests.bridge.kgs.transcript docs/chat.md

Each is a real game over HTTP against the local server, with the same secret each time: Aléago in both languages, and a
game of Go Fantôme as each of its two players hears it, who speak different ones.
"""

import asyncio
import re
import sys
import tempfile
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from unittest.mock import patch

from tests.bridge.fakes.kgs_http import ROOMS
from tests.bridge.fakes.kgs_people import KgsPerson, at_board
from tests.bridge.fakes.kgs_table import Table
from tests.bridge.fakes.ogs_game import LocalGame
from tests.bridge.kgs.private_room import open_parlour
from tests.support.waiting import until

SECRETS = {"en": bytes(range(32)), "fr": bytes(range(32, 64))}
MORE = (
    'chat: {{lang: {lang}, greeting: ["{hello}"], farewell: ["{bye}"]}}\n'
    "policies: {{undo_wait: 60s}}\ntime: {{first: 20s}}\n"
)
HELLO = {"en": "Hello {opponent}!", "fr": "Bonjour {opponent} !"}
BYE = {"en": "Thank you for the game, {opponent}.", "fr": "Merci pour la partie, {opponent}."}
ASKED = {"en": ("!options", "!crystal on"), "fr": ("!réglages", "!dés 2d4")}
# What KGS shows itself, in its French client's place.
FRENCH = (
    *(("Black", "Noir"), ("White", "Blanc"), (" plays ", " joue "), ("asks for an undo", "demande d'annuler")),
    *(("lets the move be undone", "accepte l'annulation"), ("The game is over:", "La partie est finie\u00a0:")),
)
_BLOCK = re.compile(r"(<!-- transcript ([\w ]+) -->\n```\n).*?```\n", re.DOTALL)
# Who types what in the game of Go Fantôme, and what they hear last of it.
_ALPHA, _BRAVO = "alpha", "bravo"
_PHANTOM = (
    *((_ALPHA, "!black", "begins when"), (_BRAVO, "!blanc", "C'est à alpha"), (_ALPHA, "c3", "Black has played")),
    *((_BRAVO, "c3", "C3 a été refusé"), (_BRAVO, "c2", "Blanc a joué"), (_ALPHA, "b2", "Black has played")),
    *(
        (_BRAVO, "d4", "Blanc a joué"),
        (_ALPHA, "d2", "puts 1 white stone in atari"),
        (_BRAVO, "!goban", "C'est à vous"),
    ),
    *((_BRAVO, "c1", "Blanc a joué"), (_ALPHA, "d1", "puts 2 white stones in atari"), (_BRAVO, "passe", "Blanc passe")),
    *((_ALPHA, "b1", "captures 2 white stones"), (_BRAVO, "passe", "Blanc passe"), (_ALPHA, "pass", "farewell")),
)


DRAWN = r"(?:Move|Coup) \d+, (?:you|vous)"


async def _play(person: KgsPerson, table: Table, lang: str) -> None:
    """Play a person who asks for options first and puts one stone on a wrong line."""
    await person.hears("I show the first throw|Je montre")
    question, wish = ASKED[lang]
    await person.say(question)
    await person.hears("until I show the first throw|tant que je n'ai pas montré")
    await person.say(wish)
    await person.hears("Agreed|D'accord")
    await person.say("!dice" if lang == "en" else "!dés")
    drawn = await person.hears(DRAWN)
    for turn in range(3):
        draws = len(person.heard(DRAWN))
        if turn == 2:
            free = (vertex for vertex in vertices_by_middle(table) if is_free(table, vertex))
            await person.move(next(vertex for vertex in free if not is_open(table, vertex, drawn)))
            await person.hears("Please undo|Annulez")
            await person.in_game("GAME_UNDO_REQUEST")
            drawn = await person.hears(DRAWN, draws)
            draws += 1
        open_ones = (v for v in vertices_by_middle(table) if is_free(table, v) and is_open(table, v, drawn))
        await person.move(next(open_ones))
        drawn = await person.hears(DRAWN, draws)
    await person.in_game("GAME_RESIGN")
    await person.hears("Thank you|Merci")


def vertices_by_middle(table: Table | LocalGame) -> list[str]:
    """Return the vertices, nearest to the middle first."""
    board = table.game.rules.board
    middle = board.width // 2
    points = sorted(range(len(board)), key=lambda p: (p % board.width - middle) ** 2 + (p // board.width - middle) ** 2)
    return [board.vertex(point) for point in points]


def is_free(table: Table | LocalGame, vertex: str) -> bool:
    return not table.game.position.stones[table.game.rules.board.point(vertex)]


def is_open(table: Table | LocalGame, vertex: str, drawn: str) -> bool:
    """Return True if the bot announced the vertex as open, by its points or lines."""
    size = table.size
    point = table.game.rules.board.point(vertex)
    said = re.split(r"-> ", drawn, maxsplit=1)[1].split(" Next")[0].split(" Ensuite")[0]
    points = re.findall(r"\b[A-HJ-T]\d+\b", said)
    x, y = point % size, point // size
    line = min(x, y, size - 1 - x, size - 1 - y) + 1
    return vertex in points if points else line in map(int, re.findall(r"\d+", said))


async def transcript(lang: str) -> str:
    """Return everything that both people read in one game."""
    with tempfile.TemporaryDirectory() as name:
        more = MORE.format(lang=lang, hello=HELLO[lang], bye=BYE[lang])
        async with at_board(Path(name), more, game="aleago:size=9") as (_, bridge, person, table):
            await _play(person, table, lang)
            await until(lambda: not bridge.session.games)
    lines = []
    for line in table.seen:
        if ": " not in line or line.startswith("The game"):
            for english, french in FRENCH if lang == "fr" else ():
                line = line.replace(english, french)
        lines.append(line)
    return wrap(lines)


def wrap(lines: Iterable[str]) -> str:
    return "".join(
        f"{part}\n"
        for line in lines
        for part in textwrap.wrap(line, 118, subsequent_indent="  ", break_on_hyphens=False)
    )


async def phantom_transcripts() -> dict[str, str]:
    """Return what each player of one game of Go Fantôme types and hears."""
    with tempfile.TemporaryDirectory() as name:
        more = 'chat: {farewell: ["farewell"]}\n'
        async with open_parlour(Path(name), more, game="phantom:size=5,komi=0.5") as parlour:
            people = {_ALPHA: parlour.black, _BRAVO: parlour.white}
            for who, text, heard in _PHANTOM:
                count = len(people[who].heard(heard))
                await parlour.say(people[who], text)
                await people[who].hears(heard, count)
            for person in people.values():
                await person.hears("farewell")
            return {
                key: wrap(_typed_and_heard(person))
                for key, person in (("phantom en", people[_ALPHA]), ("phantom fr", people[_BRAVO]))
            }


def _typed_and_heard(person: KgsPerson) -> Iterator[str]:
    for message in person.got("CHAT"):
        if message["text"] != "farewell" and message["channelId"] not in ROOMS:
            yield f"{message['user']['name']}: {message['text']}"


def written(text: str, transcripts: dict[str, str]) -> str:
    """Return a page with its transcripts in place."""
    return _BLOCK.sub(lambda found: found[1] + transcripts[found[2]] + "```\n", text)


def all_transcripts() -> dict[str, str]:
    """Return the transcripts by language, and those of Go Fantôme."""
    found = {}
    for lang, secret in SECRETS.items():
        with patch("gtp_variants.bridge.core.state_store.token_bytes", return_value=secret):
            found[lang] = asyncio.run(transcript(lang))
    return found | asyncio.run(phantom_transcripts())


if __name__ == "__main__":
    page = Path(sys.argv[1])
    page.write_text(written(page.read_text(encoding="utf-8"), all_transcripts()), encoding="utf-8")
