"""Which adapter speaks to which kind of server. KGS's would be one line more."""

from collections.abc import Callable

from gtp_variants.bridge.cgos import Cgos
from gtp_variants.bridge.config import BridgeConfig
from gtp_variants.bridge.nngs import Nngs
from gtp_variants.bridge.server import Server
from gtp_variants.bridge.variants import Variants

_MAKERS: dict[str, Callable[[BridgeConfig, Callable[[str], None]], Server]] = {
    "cgos": Cgos,
    "variants": Variants,
    "nngs": lambda config, log: Nngs(config, log, is_igs=False),
    "igs": lambda config, log: Nngs(config, log, is_igs=True),
}


def connect(config: BridgeConfig, log: Callable[[str], None]) -> Server:
    """A new connection to the server of a configuration, not yet opened. `log` is told every line."""
    return _MAKERS[config.server.type](config, log)
