"""Writes the transcripts of docs/kgs.md anew: python -m tests.bridge.kgs_transcript docs/kgs.md

Each is a real game of Aléago over HTTP against the local server, with the same secret each time.
"""

import asyncio
import re
import sys
import tempfile
import textwrap
from pathlib import Path

from gtp_variants.bridge.vault import Entry
from tests.bridge.bridges import running, until
from tests.bridge.kgs_people import KgsPerson, kgs_config, local_server
from tests.bridge.kgs_table import Table

SECRETS = {"en": bytes(range(32)), "fr": bytes(range(32, 64))}
_MORE = 'chat: {{lang: {lang}, greeting: ["{hello}"], farewell: ["{bye}"]}}\npolicies: {{undo_wait: 60s}}\n'
_HELLO = {"en": "Hello {opponent}!", "fr": "Bonjour {opponent} !"}
_BYE = {"en": "Thank you for the game, {opponent}.", "fr": "Merci pour la partie, {opponent}."}
_ASKED = {"en": ("!options", "!crystal on"), "fr": ("!réglages", "!dés 2d4")}
_BLOCK = re.compile(r"(?<=<!-- transcript (\w\w) -->\n```\n).*?(?=```)", re.DOTALL)


async def _draw(person: KgsPerson, after: int, lang: str) -> str:
    return await person.hears(r"(?:Move|Coup) \d+, (?:you|vous)", after)


async def _play(person: KgsPerson, table: Table, lang: str) -> None:
    """What somebody does who tries things."""
    await _draw(person, 0, lang)
    for text in _ASKED[lang]:
        count = len(person.lines)
        await person.say(text)
        await until(lambda count=count: len(person.lines) > count)  # type: ignore[misc]
    drawn = await _draw(person, 1, lang)
    for turn in range(4):
        if turn == 2:
            wrong = next(v for v in ("A1", "E5", "C3", "J9", "D4", "B2") if not _is_open(table, v, drawn))
            await person.move(wrong)
            await person.hears("Please undo|Annulez")
            await person.in_game("GAME_UNDO_REQUEST")
            drawn = await _draw(person, turn + 2, lang)
        count = len(person.heard(r"(?:you|vous)"))
        draws = len(person.heard(r"(?:Move|Coup) \d+, (?:you|vous)"))
        await person.move(next(v for v in _vertices(table) if _is_open(table, v, drawn)))
        assert count
        drawn = await _draw(person, draws, lang)
    await person.in_game("GAME_RESIGN")
    await person.hears("Thank you|Merci")


def _vertices(table: Table) -> list[str]:
    """Those near the middle first."""
    board = table.game.rules.board
    middle = board.width // 2
    points = sorted(range(len(board)), key=lambda p: (p % board.width - middle) ** 2 + (p // board.width - middle) ** 2)
    return [board.vertex(point) for point in points]


def _is_open(table: Table, vertex: str, drawn: str) -> bool:
    """Whether a stone may go there as the bot said: it names the points, or the lines where there are many."""
    board, size = table.game.rules.board, table.size
    point = board.point(vertex)
    if table.game.position.stones[point]:
        return False
    said = re.split(r"-> ", drawn, maxsplit=1)[1].split(" Next")[0].split(" Ensuite")[0]
    points = re.findall(r"\b[A-HJ-T]\d+\b", said)
    x, y = point % size, point // size
    line = min(x, y, size - 1 - x, size - 1 - y) + 1
    return vertex in points if points else line in map(int, re.findall(r"\d+", said))


async def transcript(lang: str) -> str:
    """What both people read in one game."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        more = _MORE.format(lang=lang, hello=_HELLO[lang], bye=_BYE[lang])
        async with local_server() as server:
            config = kgs_config(server, folder, more, game="aleago:size=9")
            async with running(config) as bridge:
                person = await KgsPerson(server, "alpha").come()
                table = await person.begin("botty", role="black")
                await _play(person, table, lang)
                await until(lambda: not bridge.session.sittings)
                await person.go()
    lines = []
    for line in table.seen:
        lines += textwrap.wrap(line, 118, subsequent_indent="  ")
    return "\n".join(lines) + "\n"


def fixed(lang: str) -> type[Entry]:
    """Entries whose secret is the transcript's."""

    def make(*given: object, **named: object) -> Entry:
        return Entry(*given, **{"secret": SECRETS[lang], **named})  # type: ignore[arg-type]

    return make  # type: ignore[return-value]


def written(text: str, transcripts: dict[str, str]) -> str:
    """A page with its transcripts in place."""
    return _BLOCK.sub(lambda found: transcripts[found[1]], text)


def all_transcripts() -> dict[str, str]:
    """By language."""
    from gtp_variants.bridge import session

    found = {}
    for lang in SECRETS:
        session.Entry, kept = fixed(lang), session.Entry  # type: ignore[misc]
        try:
            found[lang] = asyncio.run(transcript(lang))
        finally:
            session.Entry = kept  # type: ignore[misc]
    return found


if __name__ == "__main__":
    page = Path(sys.argv[1])
    page.write_text(written(page.read_text(encoding="utf-8"), all_transcripts()), encoding="utf-8")
