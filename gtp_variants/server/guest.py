"""Somebody who is connected: how to speak to them, and what they said of themselves."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from gtp_variants.rules import find_games
from gtp_variants.server.access.accounts import BOT
from gtp_variants.server.account_game import AccountGame


class LoginStage(IntEnum):
    """Where a connection stands; from WAITING on it has logged in, or watches."""

    PROTOCOL = 0
    NAME = 1
    PASSWORD = 2
    CHECKING = 3
    WAITING = 4
    PLAYING = 5
    OVER = 6
    WATCHING = 7


@dataclass(eq=False, slots=True)
class Guest:
    """A connection: how to speak to it and how to close it, its address and network, and what it said of itself.

    `refresh` is for who sees the game and not only its lines: it looks different, and no line tells them of it.
    """

    say: Callable[[str], None]
    hang_up: Callable[[], None]
    address: str = ""
    network: str = ""
    stage: LoginStage = LoginStage.PROTOCOL
    name: str = ""
    program: str = ""
    kind: str = BOT
    # The games it may be paired for; `is_told` whether it understands the words beyond CGOS.
    games: frozenset[str] = frozenset(find_games(lambda cls: cls.profile.is_go))
    is_told: bool = False
    game: AccountGame | None = None
    # How many events of its game it was told.
    told: int = 0
    is_gone: bool = False
    refresh: Callable[[], None] = lambda: None

    @property
    def is_in(self) -> bool:
        """Whether it has logged in."""
        return self.stage >= LoginStage.WAITING
