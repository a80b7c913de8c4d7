"""One socket that listens to a game of the page."""

import asyncio

from gtp_variants.json_values import Json
from gtp_variants.players.transcript import Audience
from gtp_variants.web.page_game import PageGame, TokenHolder

# As what somebody listens, how often something had been taken back by then, and how much news they have.
Heard = tuple[Audience, int, int]


class PageListener:
    """One socket: what it was told last, and what waits to be sent to it."""

    def __init__(self, game: PageGame, colour: TokenHolder | None, most: int, lang: str = "en", name: str = "") -> None:
        self.game = game
        self.colour = colour
        self.lang = lang
        # What somebody who only watches is called.
        self.name = name
        self.queue: asyncio.Queue[str] = asyncio.Queue(most)
        # What it was told last, and how the game stood then.
        self.heard: Heard | None = None
        self.standing: Json = {}
        # Set when it reads so slowly that it is given up; it may come again.
        self.is_lost = asyncio.Event()

    def send(self, text: str) -> None:
        """Put a message in the queue."""
        try:
            self.queue.put_nowait(text)
        except asyncio.QueueFull:
            self.is_lost.set()
