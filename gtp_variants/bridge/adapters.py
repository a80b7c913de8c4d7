"""Which adapter speaks to which kind of server."""

from collections.abc import Callable
from importlib.util import find_spec

from gtp_variants.bridge.cgos import Cgos
from gtp_variants.bridge.core.config import BOARD, PLAYER, PRIVATE, REFEREE, BridgeConfig
from gtp_variants.bridge.core.server import Server
from gtp_variants.bridge.nngs import Nngs
from gtp_variants.bridge.variant_server import Variants
from gtp_variants.errors import ConfigError


def _kgs(config: BridgeConfig, log: Callable[[str], None]) -> Server:
    # Whoever plays elsewhere needs no HTTP.
    from gtp_variants.bridge.kgs.adapter import Kgs
    from gtp_variants.bridge.kgs.demonstration_adapter import KgsBoard
    from gtp_variants.bridge.kgs.dice_referee import KgsReferee
    from gtp_variants.bridge.kgs.private_referee import KgsPrivate

    return {PLAYER: Kgs, REFEREE: KgsReferee, BOARD: KgsBoard, PRIVATE: KgsPrivate}[config.role](config, log)


_MAKERS: dict[str, Callable[[BridgeConfig, Callable[[str], None]], Server]] = {
    "cgos": Cgos,
    "variants": Variants,
    "nngs": lambda config, log: Nngs(config, log, is_igs=False),
    "igs": lambda config, log: Nngs(config, log, is_igs=True),
    "kgs": _kgs,
}


def require(config: BridgeConfig) -> None:
    """Raises ConfigError where a library that the kind of server needs is missing."""
    if config.server.type == "kgs" and find_spec("httpx") is None:
        raise ConfigError(["server.type: kgs needs httpx; pip install 'gtp-variants[kgs]'"])


def connect(config: BridgeConfig, log: Callable[[str], None]) -> Server:
    """A new connection to the server of a configuration, not yet opened. `log` is told every line."""
    return _MAKERS[config.server.type](config, log)
