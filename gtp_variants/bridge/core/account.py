"""What all parts of a session share: the configuration, the log, the connection and the counters."""

from collections import Counter
from dataclasses import dataclass, field

from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.core.name_lists import ListedConfig
from gtp_variants.bridge.core.server import Server


@dataclass(slots=True)
class Counters:
    """The numbers that the metrics show."""

    state: str = "starting"
    logins: int = 0
    lost_lines: int = 0
    games: int = 0
    moves: int = 0
    challenges_refused: int = 0
    engine_failures: int = 0
    results: Counter[str] = field(default_factory=Counter)


@dataclass(eq=False, slots=True)
class AccountState:
    """One account: `connection` is the last one that logged in, None before the first login."""

    settings: ListedConfig
    log: Log
    counters: Counters = field(default_factory=Counters)
    connection: Server | None = None
    is_stopping: bool = False

    @property
    def config(self) -> BridgeConfig:
        """The configuration as it holds now."""
        return self.settings.config

    @property
    def server(self) -> Server:
        """The server as we are connected to it now."""
        assert self.connection is not None
        return self.connection
