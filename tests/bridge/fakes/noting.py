"""Stand-ins for the neighbours of one part of the bridge: they note what they are asked for, in words."""

from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from gtp_variants.bridge.core.account import AccountState, ListedConfig
from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.go_server_game import GoGame
from gtp_variants.bridge.core.server import Abilities, Server, ServerGame
from gtp_variants.bridge.core.state_store import StoredGame
from tests.bridge.fakes.running_bridge import config_of

Asked = list[tuple[Any, ...]]


class Noting:
    """Notes every coroutine call with its arguments; `answers` has the return values."""

    def __init__(self, asked: Asked, answers: Mapping[str, object] | None = None) -> None:
        self._asked, self._answers = asked, dict(answers or {})

    def __getattr__(self, name: str) -> Callable[..., Coroutine[object, object, Any]]:
        async def note(*arguments: object, **more: object) -> Any:
            self._asked.append((name, *arguments, *more.values()))
            return self._answers.get(name)

        return note


def noting_server(asked: Asked, **abilities: Any) -> Server:
    server = Noting(asked)
    server.__dict__["abilities"] = Abilities(**abilities)
    return cast(Server, server)


def account_of(folder: Path, server: Server, more: str = "", kind: str = "nngs") -> AccountState:
    """The account of a configuration, logged in; what is logged is in `account.log.lines`."""
    config: BridgeConfig = config_of(kind, 1, folder, more)
    log: Any = NotingLog()
    return AccountState(ListedConfig(config, log), log, connection=server)


class NotingLog:
    """A log that is kept in memory; what nobody expected is raised."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, text: str) -> None:
        self.lines.append(text)

    def quietly(self, text: str) -> None:
        self.lines.append(text)

    def failure(self, text: str, error: BaseException) -> None:
        raise error


class GameStub:
    """A game as its parts see it, with no server and no engine behind it."""

    def __init__(self, folder: Path, state: ServerGame, asked: Asked, more: str = "", **abilities: Any) -> None:
        self.state, self.asked = state, asked
        self.stored = StoredGame(state.key, "go:size=5", "a-game")
        self.server = noting_server(asked, **abilities)
        self.config = config_of("nngs", 1, folder, more)
        self.is_over = False
        self.started: list[Callable[[], Coroutine[object, object, None]]] = []
        self.turn = SimpleNamespace(start=self.started.append)
        self.chat = Noting(asked)
        self.log = lambda text: asked.append(("log", text))
        self.update = Noting(asked).update
        self.go_on = Noting(asked).go_on

    def keep(self, stored: StoredGame) -> None:
        self.stored = stored
        self.save()

    def save(self) -> None:
        self.asked.append(("save",))

    def cancel(self) -> None:
        self.asked.append(("cancel",))

    @property
    def game(self) -> GoGame:
        return cast(GoGame, self)
