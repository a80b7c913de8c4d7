"""The adapter for each kind of Go server."""

from collections.abc import Callable
from importlib.util import find_spec

from gtp_variants.base.installation import install_command
from gtp_variants.bridge.cgos import Cgos, Variants
from gtp_variants.bridge.core.config import BOARD, PLAYER, PRIVATE, REFEREE, BridgeConfig
from gtp_variants.bridge.core.server import Server
from gtp_variants.bridge.core.session import Connect
from gtp_variants.bridge.nngs import Nngs
from gtp_variants.errors import ConfigError


def _kgs(config: BridgeConfig, log: Callable[[str], None]) -> Server:
    # Imported here because other servers need no HTTP library.
    from gtp_variants.bridge.kgs.adapter import Kgs
    from gtp_variants.bridge.kgs.roles import KgsBoard, KgsPrivate, KgsReferee

    return {PLAYER: Kgs, REFEREE: KgsReferee, BOARD: KgsBoard, PRIVATE: KgsPrivate}[config.role](config, log)


def _ogs(config: BridgeConfig, log: Callable[[str], None]) -> Server:
    from gtp_variants.bridge.ogs.adapter import Ogs
    from gtp_variants.bridge.ogs.roles import OgsBoard, OgsPrivate

    return {PLAYER: Ogs, BOARD: OgsBoard, PRIVATE: OgsPrivate}[config.role](config, log)


_MAKERS: dict[str, Connect] = {
    "cgos": Cgos,
    "variants": Variants,
    "nngs": lambda config, log: Nngs(config, log, is_igs=False),
    "igs": lambda config, log: Nngs(config, log, is_igs=True),
    "kgs": _kgs,
    "ogs": _ogs,
}
# Required libraries by kind of server. The package extra that installs them is named after the server.
_LIBRARIES = {"kgs": ("httpx",), "ogs": ("httpx", "websockets")}


def require(config: BridgeConfig) -> None:
    """Raise ConfigError if a library that the server's adapter needs is not installed."""
    kind = config.server.type
    missing = [name for name in _LIBRARIES.get(kind, ()) if find_spec(name) is None]
    if missing:
        raise ConfigError([f"server.type: {kind} needs {' and '.join(missing)}; {install_command(kind)}"])


def connect(config: BridgeConfig, log: Callable[[str], None]) -> Server:
    """Return a new, unopened connection to the configured server. `log` receives every line."""
    return _MAKERS[config.server.type](config, log)
