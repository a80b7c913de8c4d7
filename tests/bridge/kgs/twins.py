"""Twin games at the border of KGS: the conversation of one player over HTTP, and what everybody else can see."""

import json
from pathlib import Path
from unittest.mock import patch

from gtp_variants.base.connection_gate import TokenBuckets
from gtp_variants.players.player import news_of
from gtp_variants.records.notation import write_move
from gtp_variants.rules.actions import BLACK
from gtp_variants.rules.game import Game
from tests.bridge.fakes.kgs_people import KgsPerson
from tests.bridge.kgs.private_room import Matchmaker, open_parlour
from tests.support.twins import TwinPair


async def _play(folder: Path, game: Game, colour: int) -> list[list[str]]:
    """What a colour's player is told, what is said in public, and all that somebody else in the room gets."""
    async with open_parlour(folder, game=game.rules.spec) as parlour:
        await parlour.begin()
        player = parlour.black if colour == BLACK else parlour.white

        def seen() -> list[list[str]]:
            others = [*parlour.public(), *parlour.fan.messages]
            return [parlour.told(player), [json.dumps(message, sort_keys=True) for message in others]]

        for index, event in enumerate(game.events):
            before = seen()
            actor = parlour.black if event.actor == BLACK else parlour.white
            await parlour.type(actor, write_move(game.rules.board, event.action).lower())
            await _wait_for_help(parlour, actor)
            if event.actor != colour:
                # What is not heard makes no message, and what is heard makes one.
                assert (seen() == before) == (news_of(game, index, colour) is None), f"{game.rules.spec}, {index}"
        await parlour.say(player, "!board")
        await _wait_for_help(parlour, player)
        return seen()


async def _wait_for_help(parlour: Matchmaker, person: KgsPerson) -> None:
    """Ask something that is always answered: what is typed is answered in its order, so all before it has been told."""
    helped = len(person.heard("!bye"))
    await parlour.say(person, "!help")
    await person.hears("!bye", helped)


async def compare_conversations(folder: Path, pair: TwinPair) -> None:
    """Compare what a colour is told, and everybody else, of two games that sound alike to it."""
    with patch.object(TokenBuckets, "allows", lambda buckets, user, now_s: True):
        one, other = [await _play(folder / str(n), game, pair.colour) for n, game in enumerate(pair.games)]
    assert one == other, f"pair {pair.number}, {pair.spec}"
    assert len(one[0]) > 5
