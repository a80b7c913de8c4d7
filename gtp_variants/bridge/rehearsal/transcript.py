"""What a server and we said to each other, line by line, without secrets."""

from collections.abc import Callable
from datetime import UTC, datetime

from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.password import Password
from gtp_variants.bridge.core.server import Server

# Of a line of a server so much is kept.
_LONGEST = 2000


class ServerTranscript:
    """The lines so far; `wrap` makes connections tell theirs."""

    def __init__(self, secret: Password) -> None:
        self.lines: list[str] = []
        self._times: list[datetime] = []
        self._secret = secret

    def note(self, text: str) -> None:
        """Take in a line, the password in it replaced by stars."""
        self.lines.append(self._secret.hidden_in(text)[:_LONGEST])
        self._times.append(datetime.now(UTC))

    def wrap(
        self, connect: Callable[[BridgeConfig, Callable[[str], None]], Server]
    ) -> Callable[[BridgeConfig, Callable[[str], None]], Server]:
        """Wrap connections so that each of their lines is written down here as well."""

        def make(config: BridgeConfig, log: Callable[[str], None]) -> Server:
            def tell(text: str) -> None:
                self.note(text)
                log(text)

            return connect(config, tell)

        return make

    def text(self) -> str:
        """All of it, each line with its time."""
        return "".join(f"{time:%H:%M:%S.%f} {line}\n" for time, line in zip(self._times, self.lines, strict=True))
