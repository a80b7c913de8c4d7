"""How much the server of the page takes on."""

from dataclasses import dataclass, field

from gtp_variants.broadcast.publisher import HEARTBEAT_S
from gtp_variants.processes.cores import available_cores


@dataclass(frozen=True, slots=True)
class PageLimits:
    """How much the server takes on.

    `games` are kept at most: those that are over make room, then those without a move that are older than `unbegun_s`,
    then those that nobody has gone on with for `idle_s`. `live` ones are shown that are played elsewhere, each given up
    for lost after `lost_s` without a word; `sockets` of those who watch are open at most, `listeners` to one game, and
    `seated` from its seats; `queue` messages wait for a slow client;
    `rate_hz` messages a second may come from one in the long run and `burst` at once; `message` bytes in one, `upload`
    bytes in a record; `recoveries` of seats of a game may be tried at once and `recovery_hz` a second; `threads` bots
    and `engines` engines think at the same time. A bot's move takes `pause_s` at least, so that a person sees it; who
    came and went is told after `meeting_s`.
    """

    games: int = 1000
    unbegun_s: float = 3600.0
    idle_s: float = 30 * 86_400.0
    sockets: int = 600
    listeners: int = 300
    seated: int = 60
    queue: int = 64
    live: int = 100
    rate_hz: float = 10.0
    burst: int = 40
    message: int = 4096
    upload: int = 1_000_000
    join_s: float = 10.0
    pause_s: float = 0.5
    meeting_s: float = 0.2
    lost_s: float = 3 * HEARTBEAT_S
    engines: int = 16
    recoveries: int = 5
    recovery_hz: float = 0.1
    threads: int = field(default_factory=lambda: max(1, available_cores() - 1))
