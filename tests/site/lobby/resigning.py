"""A server process to be killed: two guests resign game after game and write down each reported end."""

import asyncio
import random
import sys
from pathlib import Path

from gtp_variants.site.lobby.guests import Guest, LobbySettings, LoginStage
from gtp_variants.site.lobby.lobby import Lobby
from gtp_variants.site.site_file import SiteStore


async def main(folder: Path) -> None:
    store = SiteStore(folder / "server.sqlite3")
    settings = LobbySettings(("go:size=5",), pause_s=0)
    lobby = Lobby(settings, store, folder, lambda text: None, random.Random())
    inbox: asyncio.Queue[tuple[Guest, str]] = asyncio.Queue()
    for name in ("alpha", "bravo"):
        guest = Guest(lambda line: None, lambda: None)
        guest.say = lambda line, guest=guest: inbox.put_nowait((guest, line))  # type: ignore[misc]
        for line in ("e1 test/1", name):
            lobby.receive(guest, line)
        await lobby.log_in(guest, "secret")
    while True:
        lobby.pair()
        await asyncio.sleep(0)
        while not inbox.empty():
            guest, line = inbox.get_nowait()
            word = line.split()[0]
            if word == "genmove":
                lobby.receive(guest, "resign")
            elif word == "gameover" and guest.stage == LoginStage.OVER:
                sys.stdout.write(f"{line}\n")
                sys.stdout.flush()
                lobby.receive(guest, "ready")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
