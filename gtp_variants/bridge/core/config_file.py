"""A reader for bridge configurations in YAML. It reports all faults at once, each with its place in the file."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from gtp_variants.base import config_files as fields
from gtp_variants.base.config_files import Node
from gtp_variants.base.json_values import Json
from gtp_variants.bridge.core import config as settings
from gtp_variants.bridge.core.policies import refusal as refused, terms_of_offer
from gtp_variants.bridge.core.server import Seeker
from gtp_variants.errors import ConfigError, SpecError, VariantsError
from gtp_variants.gtp.client.isolated_bot import explain_refusal
from gtp_variants.lang import load as load_table, say
from gtp_variants.players.clock import TimeControl
from gtp_variants.rules import find_games, parse
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

_SERVERS = load_table(Path(__file__).with_suffix(".toml"))


@dataclass(frozen=True, slots=True)
class _ServerType:
    """The facts about a kind of server, which `config_file.toml` holds and explains."""

    silence_s: float
    port: int = 0
    host: str = ""
    names: Sequence[str] = tuple(_SERVERS["names"])
    pairs: bool = False
    pace: float = 0.0
    roles: Sequence[str] = ()
    offered: Json | None = None

    @property
    def control(self) -> TimeControl:
        """The default time control of games that we request."""
        return settings.OFFERED if self.offered is None else TimeControl(**self.offered)


_TYPES = {name: _ServerType(**fields) for name, fields in _SERVERS["servers"].items()}
_KGS, _OGS, _REFEREED = "kgs", "ogs", "variants"
_LINES = ("nngs", "igs")
# KGS's automatch offers no other board size.
_AUTOMATCH_SIZE = 19
# Role -> (test for suitable games, why other games are unsuitable, keys that the role does not support).
_ROLES: dict[str, tuple[Callable[[type[Rules]], bool], str, Sequence[str]]] = {
    settings.REFEREE: (lambda game: issubclass(game, DicedRules), "has no dice", ("engine", "offer")),
    settings.BOARD: (
        lambda game: game.profile.fits_go_hosts and not game.profile.captures_as_go,
        "needs no board of its own",
        (),
    ),
    settings.PRIVATE: (lambda game: not game.is_open, "hides nothing", ("offer",)),
}


def load(path: Path) -> settings.BridgeConfig:
    """Return the configuration in a file. Raises ConfigError, which lists all faults, or OSError if unreadable."""
    return read(fields.load(path), path.stem, path.parent, str(path))


def read(text: str, name: str = "bridge", folder: Path = Path(), file: str = "") -> settings.BridgeConfig:
    """Return the configuration in a YAML text.

    `name` is used if the text has no name. Relative paths are resolved against `folder`. With a `file` name, each fault
    begins with FILE:LINE:COLUMN. Raises ConfigError, which lists every fault.
    """
    node = fields.parse(text, folder, file)
    if not isinstance(node.value, dict):
        keys = ", ".join(key.name for key in fields.keys_of(settings.BridgeConfig))
        raise ConfigError([*node.faults, f"expected the keys of a bridge: {keys}"])
    config = _Checks(node, fields.read(settings.BridgeConfig, node)).complete(name)
    if node.faults:
        raise node.error()
    return config


class _Checks:
    """The checks of keys that depend on each other."""

    def __init__(self, node: Node, config: settings.BridgeConfig) -> None:
        self._node, self._config = node, config
        # Required values are None if they are invalid, although their types do not say so.
        self._server: settings.ServerConfig | None = config.server
        self._type: str | None = self._server.type if self._server is not None else None
        self._spec: str | None = config.spec

    def _fault(self, path: str, sentence: str) -> None:
        node = self._node
        for key in path.split("."):
            node = node.child(key)
        node.fault(sentence)

    def _says(self, key: str) -> bool:
        return key in self._node.value

    def complete(self, name: str) -> settings.BridgeConfig:
        """Return the configuration, completed with defaults that depend on other keys. Every fault is noted."""
        config = self._config
        name = config.name or name
        rules = self._check_game()
        self._check_role(rules)
        self._check_engine(rules)
        server = self._complete_server()
        if server is None or rules is None:
            return config
        challenges = config.challenges
        if not challenges.sizes:
            challenges = replace(challenges, sizes=(rules.board.width,))
        if config.policies.double_pass != settings.ACCEPT and isinstance(rules, DicedRules) and not rules.reopens:
            said = "agreement=false ends the game with two passes; expected accept, or a game with agreement=true"
            self._fault("policies.double_pass", f"{config.policies.double_pass}: {said}")
        folder = Path(str(config.outputs.folder).replace("{name}", name))
        outputs = replace(config.outputs, folder=folder)
        spec = config.spec.strip()
        config = replace(config, name=name, spec=spec, server=server, challenges=challenges, outputs=outputs)
        return replace(config, offer=self._complete_offer(config, rules))

    def _complete_server(self) -> settings.ServerConfig | None:
        server = self._server
        if server is None or not (server.type and server.account):
            return None
        usual = _TYPES[server.type]
        host, port = server.host or usual.host, server.port or usual.port
        if not host:
            self._node.child("server").child("host").missing("the host name of the server")
        if not port:
            self._node.child("server").child("port").missing("the server's port")
        if usual.pairs and not server.password:
            self._node.child("server").child("password").missing("{env: VARIABLE} or {file: PATH}")
        if server.type == _OGS and not server.password:
            self._node.child("server").child("password").missing("the bot's API key: {env: VARIABLE}")
        for key, types in _SERVERS["server_keys"].items():
            if server.type not in types and key in self._node.value["server"]:
                self._fault(f"server.{key}", f"is for {' and '.join(each.upper() for each in types)} only")
        if server.type == _KGS and not server.room:
            self._node.child("server").child("room").missing("the name of the room the bot is in")
        pattern, expected = usual.names
        if not re.fullmatch(pattern, server.account) or not server.account.isprintable():
            self._fault("server.account", f"{fields.quote(server.account)}: {expected}")
        silence_s, pace = server.silence_s or usual.silence_s, server.pace or usual.pace
        return replace(server, host=host, port=port, silence_s=silence_s, pace=pace)

    def _check_game(self) -> Rules | None:
        spec, role = self._spec, self._config.role
        if spec is None:
            return None
        try:
            rules = parse(spec)
        except SpecError as error:
            self._fault("game", str(error))
            return None
        if self._type == _REFEREED:
            if len(rules.colours) != 2:
                self._fault("game", f"{spec}: expected a game for two")
            return rules
        if not rules.profile.fits_go_hosts and role != settings.PRIVATE:
            known = ", ".join(find_games(lambda game: game.profile.fits_go_hosts))
            self._fault("game", f"{rules.name} cannot be played on a server that knows only Go; {known} can")
            return None
        if self._type is not None and _TYPES[self._type].pairs and not rules.profile.is_go:
            known = ", ".join(find_games(lambda game: game.profile.is_go))
            self._fault("game", f"{rules.name}: cgos has neither chat nor undo; only {known} can be played there")
        if rules.board.width != rules.board.height:
            self._fault("game", f"a board of {rules.board.width} by {rules.board.height}: expected a square board")
        return rules

    def _check_role(self, rules: Rules | None) -> None:
        role = self._config.role
        if self._says("offer") and self._type is not None and _TYPES[self._type].pairs:
            self._fault("offer", f"{self._type} pairs the players itself; remove this key")
        if role == settings.PLAYER:
            return
        if self._type is not None and role not in _TYPES[self._type].roles:
            known = " and ".join(name for name, kind in _TYPES.items() if role in kind.roles)
            self._fault("role", f"{self._type} does not support role {role}; expected {known}")
        fits, why, unsupported = _ROLES[role]
        if rules is not None and not fits(type(rules)):
            self._fault("game", f"{rules.name} {why}; role {role} is for {', '.join(find_games(fits))}")
        for key in filter(self._says, unsupported):
            self._fault(key, f"not supported for role {role}")
        if role == settings.REFEREE and replace(self._config.time, first_s=0.0) != settings.TimeConfig():
            self._fault("time", "role referee supports only `first`")

    def _check_engine(self, rules: Rules | None) -> None:
        """Check that the role has the engine it needs, and that the engine can play hidden games if required."""
        role, engine = self._config.role, self._config.engine
        if role == settings.REFEREE or (role == settings.PRIVATE and not self._says("engine")):
            return
        given = self._node.value.get("engine") or {}
        if isinstance(given, dict) and ("bot" in given) == ("command" in given):
            self._fault("engine", "expected one of bot: NAME and command: PROGRAM ARGUMENTS")
        if rules is not None and not rules.is_open:
            for key, bot in (("bot", engine.bot), ("fallback", engine.fallback)):
                # Errors are ignored here, because a bot that cannot be found has been reported already.
                with suppress(VariantsError):
                    if bot and bot != settings.RESIGN and (refusal := explain_refusal(bot, rules)):
                        self._fault(f"engine.{key}", refusal)

    def _complete_offer(self, config: settings.BridgeConfig, rules: Rules) -> settings.OfferConfig:
        """Return the offer, with the server's default time if none is set. Note faulty keys and terms."""
        offer, kind, given = config.offer, config.server.type, self._node.value.get("offer")
        said = given if isinstance(given, dict) else {}
        if "time" not in said:
            offer = replace(offer, control=_TYPES[kind].control)
        for key, types in _SERVERS["offer_keys"].items():
            if kind not in types and key in said and not _TYPES[kind].pairs:
                known = " and ".join(each.upper() for each in types)
                self._fault(f"offer.{key}", f"is for {known} only, not for {kind.upper()}")
        if offer.automatch and (not rules.profile.is_go or rules.board.width != _AUTOMATCH_SIZE):
            self._fault("offer.automatch", f"{config.spec}: KGS pairs only for go:size={_AUTOMATCH_SIZE}")
        if "rank" in said and not offer.automatch:
            self._fault("offer.rank", "needs automatch: true")
        if offer.takes or offer.players or offer.automatch or (kind == _KGS and offer.opens):
            self._check_time(offer, kind)
            # The terms of our own offer must be acceptable to us.
            anyone = replace(config.challenges, block=(), only_allowed=False, per_user=None, colours="any")
            terms = terms_of_offer(replace(config, offer=offer, challenges=anyone), Seeker(""))
            if (refusal := refused(anyone, "", terms, 0)) is not None:
                why = say(refusal.key, "en", **refusal.parts)
                self._fault("offer", f"would be refused by `challenges`: {why}")
        return offer

    def _check_time(self, offer: settings.OfferConfig, kind: str) -> None:
        control = offer.control
        if kind == _KGS and control.kind == "fischer":
            self._fault("offer.time", "KGS has no increments; expected a time such as 10m+5x30s")
        if kind in _LINES:
            minutes = {control.main_s % 60, control.period_s % 60} == {0.0}
            stones = _TYPES[kind].control.stones if kind == "nngs" else control.stones
            if control.kind not in ("absolute", "canadian") or control.stones not in (0, stones) or not minutes:
                known = "absolute and Canadian time in whole minutes" + ", with 25 stones a period" * (kind == "nngs")
                expected = "expected a time such as 10m or 10m+10m/25"
                self._fault("offer.time", f"{kind.upper()} has only {known}; {expected}")
