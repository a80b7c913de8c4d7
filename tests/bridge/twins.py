"""Twin games at the border of a bridge: every message of a private game, whom it reaches, and that none comes early."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from pathlib import Path
from random import Random

from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.core.server import (
    Abilities,
    ChatLine,
    DrawnMove,
    RoomPresence,
    Server,
    ServerEvent,
    ServerGame,
)
from gtp_variants.bridge.core.session import AccountSession
from gtp_variants.errors import PeerGone
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.game import Game
from tests.bridge.fakes.running_bridge import config_of
from tests.support.twins import TwinPair, is_unheard

NAMES = {BLACK: "alpha", WHITE: "bravo"}
# What a player may type besides their tries.
CHATTER = ("!board", "!help", "z9", "hello", "!options", "!goban", "undo", "!dead a1", "!count", "!yes", "!rules")


class Overheard(Server):
    """A server of which everything that is sent to it is noted, by whom it reaches; None is everybody."""

    abilities = Abilities(chat=True, challenges=True)

    def __init__(self, breaks_at: str = "") -> None:
        """The line breaks as soon as something is told that begins so."""
        self.breaks_at = breaks_at
        self.coming: asyncio.Queue[ServerEvent] = asyncio.Queue()
        self.sent: dict[str | None, list[str]] = {}

    async def login(self) -> None:
        pass

    async def events(self) -> AsyncIterator[ServerEvent]:
        while True:
            yield await self.coming.get()
            self.coming.task_done()

    async def tell(self, user: str, text: str) -> None:
        if self.breaks_at and text.startswith(self.breaks_at):
            raise PeerGone("the line broke")
        self.sent.setdefault(user, []).append(text)

    async def publish(self, game: ServerGame, text: str, moves: Sequence[DrawnMove]) -> None:
        self.sent.setdefault(None, []).append(f"{text} {moves}")

    async def play(self, game: ServerGame, vertex: str, note: str) -> None:
        raise AssertionError("nothing is played on the server")

    async def resign(self, game: ServerGame) -> None:
        raise AssertionError("nothing is played on the server")

    async def ready(self, game: ServerGame) -> None:
        pass

    async def close(self) -> None:
        pass


def typed(game: Game, colour: int, seed: int, other_seed: int) -> list[ChatLine]:
    """The tries of a game as the players type them, each with chatter of their own."""
    said = [ChatLine(NAMES[BLACK], "!black"), ChatLine(NAMES[WHITE], "!blanc")]
    rngs = {side: Random(seed if side == colour else other_seed) for side in NAMES}
    for event in game.events:
        rng, name = rngs[event.actor], NAMES[event.actor]
        said += [ChatLine(name, text) for text in rng.sample(CHATTER, rng.randint(0, 2))]
        said.append(ChatLine(name, "pass" if event.action == PASS else game.rules.board.vertex(event.action).lower()))
    return [*said, ChatLine(NAMES[colour], "!board")]


async def overhear(
    folder: Path, spec: str, said: Sequence[ChatLine], unheard: Collection[int] = ()
) -> dict[str | None, list[str]]:
    """What is sent to whom while this is typed; nothing to anybody but who types the lines of the numbers `unheard`."""
    config = config_of("kgs", 80, folder, "role: private\n", name="judge", game=spec, server="room: here")
    server, log = Overheard(), Log(folder / "out" / "bridge.log", config.outputs, config.server.password)
    session = AccountSession(config, log, make=lambda _config, _log: server)
    task = asyncio.create_task(session.run())
    server.coming.put_nowait(RoomPresence(frozenset((*NAMES.values(), "carol"))))
    for number, line in enumerate(said):
        before = {user: len(texts) for user, texts in server.sent.items() if user != line.user}
        server.coming.put_nowait(line)
        await server.coming.join()
        after = {user: len(texts) for user, texts in server.sent.items() if user != line.user}
        assert number not in unheard or after == before, f"{spec}: {line}"
    assert not list((folder / "out").glob("records/*"))
    session.stop(at_once=True)
    await task
    log.close()
    return server.sent


async def compare_private_games(folder: Path, pair: TwinPair) -> None:
    """Compare what reaches a colour, and everybody, in two games that sound alike to it; others chatter differently."""
    transcripts, colour = [], pair.colour
    for number, game in enumerate(pair.games):
        said = typed(game, colour, pair.number, pair.number + number)
        transcripts.append(await overhear(folder / str(number), pair.spec, said, _find_unheard(game, said)))
    for listener in (NAMES[colour], "carol", None):
        assert transcripts[0].get(listener) == transcripts[1].get(listener), f"pair {pair.number}, {listener}"
    assert len(transcripts[0][NAMES[colour]]) > 5


def _find_unheard(game: Game, said: Sequence[ChatLine]) -> set[int]:
    """The numbers of the lines of which only who typed them may hear: chatter, and tries refused in private."""
    unheard, index = set(), 0
    for number, line in enumerate(said[2:], 2):
        if line.text in CHATTER:
            unheard.add(number)
        else:
            unheard |= {number} if is_unheard(game, index) else set()
            index += 1
    assert index == len(game.events)
    return unheard
