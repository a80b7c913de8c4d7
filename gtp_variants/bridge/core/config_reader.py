"""Reads a bridge from YAML. Every fault is told at once, with its path and the nearest known key."""

import os
import re
import shlex
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from gtp_variants.bridge.core.chat_commands import PLACES
from gtp_variants.bridge.core.config import (
    ACCEPT,
    BOARD,
    LET_STAND,
    ON_REQUEST,
    PLAYER,
    PRIVATE,
    REFEREE,
    REROLL,
    RESIGN,
    ROOM,
    STOP,
    UNDO,
    WAIT,
    BridgeConfig,
    ChallengeConfig,
    ChatConfig,
    EngineConfig,
    HookConfig,
    OfferConfig,
    OutputConfig,
    PolicyConfig,
    ReconnectConfig,
    ServerConfig,
    TimeConfig,
)
from gtp_variants.bridge.core.password import Password, from_environment, from_file
from gtp_variants.bridge.core.policies import refusal as refused
from gtp_variants.bridge.core.server import Terms
from gtp_variants.config import yaml
from gtp_variants.config.tree import Tree, nearest, shown
from gtp_variants.errors import ConfigError, SpecError, VariantsError
from gtp_variants.lang import say
from gtp_variants.players import bots
from gtp_variants.players.clock import TimeControl
from gtp_variants.rules import parse
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.words import LANGUAGES

# Server -> its usual port (None where there is none) and how long it may say nothing.
TYPES: dict[str, tuple[int | None, float]] = {
    "cgos": (None, 7200.0),
    "variants": (6867, 7200.0),
    "nngs": (9696, 180.0),
    "igs": (6969, 180.0),
    # A poll without news is answered after a minute.
    "kgs": (443, 150.0),
}
_KGS, _KGS_HOST = "kgs", "www.gokgs.com"
_KGS_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{0,9}")
# Games that a server can carry which knows only Go.
GAMES = ("go", "aleago", "alter-igo")
# Role -> the one game it is for, and why others are not.
_ROLES = {
    PLAYER: ("", ""),
    REFEREE: ("aleago", "has no dice to be thrown"),
    BOARD: ("alter-igo", "is played without a board of its own"),
    PRIVATE: ("phantom", "hides nothing"),
}
_PAIRED = ("cgos", "variants")
_REFEREED = "variants"

_TOP = (
    *("bridge", "name", "description", "role", "watch", "server", "engine", "game", "time", "challenges", "chat"),
    *("policies", "offer", "reconnect", "outputs", "health", "hooks"),
)
_SERVER = ("type", "host", "port", "account", "password", "silence", "charset")
_SERVER_OF_KGS = ("room", "tls", "pace")
_OFFER = ("open", "take", "text", "time")
_ENGINE = ("bot", "command", "cwd", "env", "startup", "limits", "restarts", "grace", "failed_games")
_CHALLENGES = (
    *("sizes", "main", "period", "handicap", "komi", "rated", "colours", "per_user"),
    *("allow", "block", "only_allowed"),
)
_POLICIES = ("double_pass", "illegal", "warnings", "undo", "undo_wait", "on_divergence", "dead", "resign")
_LONGEST_OFFER = 80
_PLACE = re.compile(r"\{([^{}]*)\}")


def load(path: Path) -> BridgeConfig:
    """The bridge a file describes. Raises ConfigError with every fault, OSError if the file cannot be read."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError([f"byte {error.start}: not UTF-8"]) from None
    return read(text, path.stem, path.parent)


def read(text: str, name: str = "bridge", folder: Path = Path()) -> BridgeConfig:
    """The bridge a YAML text describes; `name` unless it says its own; files it names are sought from `folder`."""
    tree, faults = yaml.read(text)
    reader = _BridgeReader(folder)
    reader.faults += faults
    config = reader.bridge(tree, name)
    if reader.faults or config is None:
        raise ConfigError(reader.faults)
    return config


class _BridgeReader(Tree):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.kind: str | None = None

    def bridge(self, tree: Any, name: str) -> BridgeConfig | None:
        if not isinstance(tree, dict):
            self.fault("", "expected the keys of a bridge: " + ", ".join(_TOP))
            return None
        top = self.mapping(tree, "", _TOP)
        if "bridge" not in top:
            self.fault("bridge", "is missing; this version reads `bridge: 1`")
        else:
            self.choice(top["bridge"], "bridge", ("1",))
        if "description" in top:
            self.text(top["description"], "description")
        name = self.take(top, "name", "", self.name, name)
        server = self.server(top)
        role = self.take(top, "role", "", lambda value, path: self.choice(value, path, tuple(_ROLES)), PLAYER)
        watch = self.take(
            top, "watch", "", lambda value, path: self.choice(value, path, (ON_REQUEST, ROOM)), ON_REQUEST
        )
        rules = self.game(top, role)
        policies = self.policies(top.get("policies"), rules)
        challenges = self.challenges(top.get("challenges"), rules)
        engine = self.engine_of(top, role, rules)
        self.role(role, rules)
        offer = self.offer(top)
        time, chat = self.time(top.get("time")), self.chat(top.get("chat"))
        reconnect, hooks = self.reconnect(top.get("reconnect")), self.hooks(top.get("hooks"))
        outputs = self.outputs(top.get("outputs"), name)
        health = self.take(top, "health", "", self.port, None)
        if server is None or rules is None:
            return None
        self.fits(offer, challenges, rules)
        return BridgeConfig(
            name,
            server,
            engine,
            str(top["game"]).strip(),
            time,
            challenges,
            chat,
            policies,
            reconnect,
            outputs,
            hooks,
            offer,
            health,
            role,
            watch,
        )

    def must(self, block: Mapping[str, Any], key: str, path: str, read: Callable[..., Any], like: str) -> Any:
        """The value of a key that cannot be left out, None after a fault."""
        where = f"{path}.{key}" if path else key
        if key not in block:
            self.fault(where, f"is missing; {like}")
            return None
        return read(block[key], where)

    # -- where to, and who thinks --------------------------------------------------------------------------------------

    def server(self, top: Mapping[str, Any]) -> ServerConfig | None:
        path = "server"
        if "server" not in top:
            self.fault(path, "is missing; expected a mapping with the keys " + ", ".join(_SERVER))
            return None
        block = self.mapping(top["server"], path, (*_SERVER, *_SERVER_OF_KGS))
        kind = self.kind = self.must(block, "type", path, self.server_type, "one of " + ", ".join(TYPES))
        usual_port, silence_s = TYPES[kind] if kind else (None, 0.0)
        if kind == _KGS:
            block.setdefault("host", _KGS_HOST)
        host = self.must(block, "host", path, self.text, "the name of the server's computer")
        if "port" not in block and usual_port is not None:
            port: int | None = usual_port
        else:
            port = self.must(block, "port", path, self.port, "the number the server listens at")
        account = self.must(block, "account", path, self.account, "the name to log in with")
        password = Password()
        if "password" in block:
            password = self.password(block["password"], f"{path}.password")
        elif kind in _PAIRED:
            self.fault(f"{path}.password", "is missing; {env: VARIABLE} or {file: PATH}")
        silence_s = self.take(block, "silence", path, self.duration, silence_s)
        charset = self.take(block, "charset", path, self.charset, "utf-8")
        if kind is None or host is None or port is None or account is None:
            return None
        usual = ServerConfig(kind, host, port, account, password, silence_s, charset)
        return self.kgs(block, usual) if kind == _KGS else self.not_kgs(block, usual)

    def kgs(self, block: Mapping[str, Any], usual: ServerConfig) -> ServerConfig:
        path = "server"
        if not _KGS_NAME.fullmatch(usual.account):
            said = "expected a KGS name, a letter and at most nine more letters and digits"
            self.fault(f"{path}.account", f"{shown(usual.account)}: {said}")
        return replace(
            usual,
            room=self.must(block, "room", path, self.text, "the name of the room the bot is in") or "",
            tls=self.take(block, "tls", path, self.truth, usual.tls),
            pace=self.take(block, "pace", path, self.positive, usual.pace),
        )

    def not_kgs(self, block: Mapping[str, Any], usual: ServerConfig) -> ServerConfig:
        for key in set(_SERVER_OF_KGS) & set(block):
            self.fault(f"server.{key}", "is for KGS only")
        return usual

    def server_type(self, value: Any, path: str) -> str | None:
        return self.choice(value, path, tuple(TYPES))

    def charset(self, value: Any, path: str) -> str | None:
        return self.choice(value, path, ("utf-8", "latin-1", "ascii"))

    def port(self, value: Any, path: str) -> int | None:
        found = self.whole(value, path)
        if found is not None and found > 65535:
            self.fault(path, f"expected a port, at most 65535, not {found}")
            return None
        return found

    def account(self, value: Any, path: str) -> str | None:
        word = self.text(value, path)
        if word is not None and not re.fullmatch(r"[A-Za-z0-9_.-]{2,32}", word):
            self.fault(path, f"{shown(word)}: expected letters, digits and . _ - only")
            return None
        return word

    def password(self, value: Any, path: str) -> Password:
        if not isinstance(value, dict):
            self.fault(path, "does not belong in this file; expected {env: VARIABLE} or {file: PATH}")
            return Password()
        block = self.mapping(value, path, ("env", "file"))
        if len(block) != 1:
            self.fault(path, "expected {env: VARIABLE} or {file: PATH}")
            return Password()
        try:
            if "env" in block:
                return from_environment(self.text(block["env"], f"{path}.env") or "?")
            return from_file(self.folder / Path(self.text(block["file"], f"{path}.file") or "?").expanduser())
        except ValueError as error:
            self.fault(path, str(error))
            return Password()

    def game(self, top: Mapping[str, Any], role: str) -> Rules | None:
        spec = self.must(top, "game", "", self.text, "a SPEC such as go:size=9 or aleago:size=9")
        if spec is None:
            return None
        try:
            rules = parse(spec)
        except SpecError as error:
            self.fault("game", str(error))
            return None
        if self.kind == _REFEREED:
            if len(rules.colours) != 2:
                self.fault("game", f"{spec}: expected a game for two")
            return rules
        if rules.name not in GAMES and role != PRIVATE:
            self.fault("game", f"{rules.name} cannot be played where the server knows only Go; {', '.join(GAMES)} can")
            return None
        if self.kind in _PAIRED and rules.name != "go":
            self.fault("game", f"{rules.name}: cgos has neither chat nor undo; only go can be played there")
        if rules.board.width != rules.board.height:
            self.fault("game", f"a board of {rules.board.width} by {rules.board.height}: expected a square one")
        return rules

    def engine(self, top: Mapping[str, Any], rules: Rules | None) -> EngineConfig:
        path = "engine"
        block = self.mapping(top.get(path), path, _ENGINE)
        if ("bot" in block) == ("command" in block):
            self.fault(path, "expected one of bot: NAME and command: PROGRAM ARGUMENTS")
        limits = self.mapping(block.get("limits"), f"{path}.limits", ("startup", "command"))
        usual = EngineConfig()
        bot = self.take(block, "bot", path, self.bot, "")
        self.sees_enough(bot, f"{path}.bot", rules)
        return EngineConfig(
            bot,
            self.take(block, "command", path, self.command, ()),
            self.take(block, "cwd", path, self.place, None),
            self.take(block, "env", path, self.pairs, {}),
            self.take(block, "startup", path, self.texts, ()),
            self.take(limits, "startup", f"{path}.limits", self.duration, usual.startup_s),
            self.take(limits, "command", f"{path}.limits", self.duration, usual.command_s),
            self.take(block, "restarts", path, self.not_negative, usual.restarts),
            self.take(block, "grace", path, self.duration, usual.grace_s),
            self.take(block, "failed_games", path, self.whole, usual.failed_games),
        )

    def sees_enough(self, bot: str, path: str, rules: Rules | None) -> None:
        """Whether a bot can play where stones are hidden, if they are."""
        if not bot or rules is None or rules.is_open:
            return
        with suppress(VariantsError):  # which is a fault already
            if not getattr(bots.load(bot), "plays_hidden", True):
                self.fault(path, f"{bot} cannot play {rules.name}, where stones are hidden; phantom can")

    def engine_of(self, top: Mapping[str, Any], role: str, rules: Rules | None) -> EngineConfig:
        """Who thinks in a role; in private two people play each other where nobody does."""
        if role == REFEREE:
            return self.no_engine(top)
        if role == PRIVATE and "offer" in top:
            self.fault("offer", "in private nothing is offered")
        return EngineConfig() if role == PRIVATE and "engine" not in top else self.engine(top, rules)

    def no_engine(self, top: Mapping[str, Any]) -> EngineConfig:
        """What a referee has: none, as it only throws dice."""
        for key in ("engine", "offer", "time"):
            if key in top:
                self.fault(key, "a referee has none")
        return EngineConfig()

    def role(self, role: str, rules: Rules | None) -> None:
        """Only KGS has more than players: who looks on, owns a board and draws on it, or referees in private."""
        if role == PLAYER:
            return
        if self.kind not in (None, _KGS):
            self.fault("role", f"{self.kind} has no place for a {role}; {_KGS} has")
        needed, why = _ROLES[role]
        if rules is not None and rules.name != needed:
            self.fault("game", f"{rules.name} {why}; {needed} is for role {role}")

    def bot(self, value: Any, path: str) -> str | None:
        word = self.text(value, path)
        if word is None:
            return None
        name = bots.seen_from(self.folder, word.strip())
        try:
            bots.load(name)
        except ConfigError as error:
            for sentence in error.faults:
                self.fault(path, sentence)
        except VariantsError as error:
            hint = nearest(name, bots.names())
            self.fault(path, str(error) + (f"; {hint}" if hint.startswith("did") else ""))
        return name

    def command(self, value: Any, path: str) -> tuple[str, ...]:
        if isinstance(value, list):
            return self.texts(value, path)
        text = self.text(value, path) or ""
        try:
            found = tuple(shlex.split(text.replace("\\", "\\\\") if os.name == "nt" else text))
        except ValueError as error:
            self.fault(path, f"cannot be read: {error}")
            return ()
        if not found:
            self.fault(path, "expected a program and its arguments")
        return found

    def place(self, value: Any, path: str) -> Path | None:
        word = self.text(value, path)
        if word is None:
            return None
        where = (self.folder / Path(word).expanduser()).absolute()
        if not where.is_dir():
            self.fault(path, f"there is no folder {where}")
        return where

    # -- how it behaves ------------------------------------------------------------------------------------------------

    def time(self, tree: Any) -> TimeConfig:
        path = "time"
        block = self.mapping(tree, path, ("margin", "at_least", "no_clock", "first"))
        usual = TimeConfig()
        return TimeConfig(
            self.take(block, "margin", path, self.duration, usual.margin_s),
            self.take(block, "at_least", path, self.duration, usual.at_least_s),
            self.take(block, "no_clock", path, self.duration, usual.no_clock_s),
            self.take(block, "first", path, self.duration, usual.first_s),
        )

    def challenges(self, tree: Any, rules: Rules | None) -> ChallengeConfig:
        path = "challenges"
        block = self.mapping(tree, path, _CHALLENGES)
        usual = ChallengeConfig(sizes=(rules.board.width,) if rules is not None else ())
        return ChallengeConfig(
            self.take(block, "sizes", path, self.sizes, usual.sizes),
            self.span(block, "main", path, self.duration, usual.main_s),
            self.span(block, "period", path, self.duration, usual.period_s),
            self.span(block, "handicap", path, self.not_negative, usual.handicap),
            self.span(block, "komi", path, self.number, usual.komi),
            self.take(block, "rated", path, self.truth, usual.rated),
            self.take(block, "colours", path, self.colours, usual.colours),
            self.take(block, "per_user", path, self.whole, usual.per_user),
            self.take(block, "allow", path, self.texts, ()),
            self.take(block, "block", path, self.texts, ()),
            self.take(block, "only_allowed", path, self.truth, usual.only_allowed),
        )

    def offer(self, top: Mapping[str, Any]) -> OfferConfig:
        path = "offer"
        usual = OfferConfig()
        if path in top and self.kind not in (None, _KGS):
            self.fault(path, f"{self.kind} knows no open challenges; kgs does")
        block = self.mapping(top.get(path), path, _OFFER)
        return OfferConfig(
            self.take(block, "open", path, self.truth, usual.opens),
            self.take(block, "take", path, self.truth, usual.takes),
            self.take(block, "text", path, self.offer_text, usual.text),
            self.take(block, "time", path, self.offer_time, usual.control),
        )

    def fits(self, offer: OfferConfig, challenges: ChallengeConfig, rules: Rules) -> None:
        """Whether what is offered would be agreed to."""
        if self.kind != _KGS or not offer.opens:
            return
        komi = rules.values.get("komi")
        terms = Terms(rules.board.width, offer.control, None, 0, None if komi is None else float(str(komi)))
        whoever = replace(challenges, block=(), only_allowed=False, per_user=None, colours="any")
        refusal = refused(whoever, "", terms, 0)
        if refusal is not None:
            said = say(refusal.key, "en", **dict(refusal.parts))
            self.fault("offer", f"would be refused by `challenges`: {said}")

    def offer_text(self, value: Any, path: str) -> str | None:
        text = self.text(value, path)
        if text is not None and len(text) > _LONGEST_OFFER:
            self.fault(path, f"{len(text)} characters: expected at most {_LONGEST_OFFER}")
        return text

    def offer_time(self, value: Any, path: str) -> TimeControl | None:
        found: TimeControl | None = self.control(value, path)
        if found is not None and found.kind == "fischer":
            self.fault(path, f"{shown(str(value))}: KGS knows no increments; expected such as 10m+5x30s")
        return found

    def sizes(self, value: Any, path: str) -> tuple[int, ...] | None:
        found = [self.whole(each, f"{path}[{index}]", 2) for index, each in enumerate(self.listing(value, path))]
        return tuple(size for size in found if size is not None) or None

    def colours(self, value: Any, path: str) -> str | None:
        return self.choice(value, path, ("any", "black", "white"))

    def span(self, block: Mapping[str, Any], key: str, path: str, read: Callable[..., Any], usual: Any) -> Any:
        """The least and the most of something: two values, or one that is both."""
        if key not in block:
            return usual
        where = f"{path}.{key}"
        given = self.listing(block[key], where)
        found = [read(each, f"{where}[{index}]" if len(given) > 1 else where) for index, each in enumerate(given)]
        if None in found:
            return usual
        if len(found) not in (1, 2) or found[0] > found[-1]:
            self.fault(where, "expected one value, or the least and the most: [1, 2]")
            return usual
        return found[0], found[-1]

    def chat(self, tree: Any) -> ChatConfig:
        path = "chat"
        block = self.mapping(tree, path, ("lang", "greeting", "farewell", "commands"))
        return ChatConfig(
            self.take(block, "lang", path, self.lang, "en"),
            self.take(block, "greeting", path, self.spoken, ()),
            self.take(block, "farewell", path, self.spoken, ()),
            self.take(block, "commands", path, self.truth, True),
        )

    def lang(self, value: Any, path: str) -> str | None:
        return self.choice(value, path, LANGUAGES)

    def spoken(self, value: Any, path: str) -> tuple[str, ...]:
        lines = self.texts(value, path)
        for index, line in enumerate(lines):
            for place in _PLACE.findall(line):
                if place not in PLACES:
                    self.fault(f"{path}[{index}]", f"unknown place {{{place[:20]}}}; {nearest(place, PLACES)}")
        return lines

    def policies(self, tree: Any, rules: Rules | None) -> PolicyConfig:
        path = "policies"
        block = self.mapping(tree, path, _POLICIES)
        usual = PolicyConfig()
        double_pass = self.take(block, "double_pass", path, self.double_pass, usual.double_pass)
        if double_pass != ACCEPT and rules is not None and rules.name == "aleago" and not rules.values["agreement"]:
            said = "agreement=false ends the game with two passes; expected accept, or a game with agreement=true"
            self.fault(f"{path}.double_pass", f"{double_pass}: {said}")
        return PolicyConfig(
            double_pass,
            self.take(block, "illegal", path, self.illegal, usual.illegal),
            self.take(block, "warnings", path, self.not_negative, usual.warnings),
            self.take(block, "undo", path, self.not_negative, usual.undo),
            self.take(block, "undo_wait", path, self.duration, usual.undo_wait_s),
            self.take(block, "on_divergence", path, self.on_divergence, usual.on_divergence),
            self.take(block, "dead", path, self.truth, usual.dead),
            self.take(block, "resign", path, self.truth, usual.resign),
        )

    def double_pass(self, value: Any, path: str) -> str | None:
        return self.choice(value, path, (REROLL, UNDO, ACCEPT))

    def illegal(self, value: Any, path: str) -> str | None:
        return self.choice(value, path, (LET_STAND, RESIGN, STOP))

    def on_divergence(self, value: Any, path: str) -> str | None:
        return self.choice(value, path, (RESIGN, STOP))

    # -- how it lives --------------------------------------------------------------------------------------------------

    def reconnect(self, tree: Any) -> ReconnectConfig:
        path = "reconnect"
        block = self.mapping(tree, path, ("first", "most", "on_replaced", "replaced"))
        usual = ReconnectConfig()

        def on_replaced(value: Any, where: str) -> str | None:
            return self.choice(value, where, (STOP, WAIT))

        return ReconnectConfig(
            self.take(block, "first", path, self.duration, usual.first_s),
            self.take(block, "most", path, self.duration, usual.most_s),
            self.take(block, "on_replaced", path, on_replaced, usual.on_replaced),
            self.take(block, "replaced", path, self.duration, usual.replaced_s),
        )

    def outputs(self, tree: Any, name: str) -> OutputConfig:
        path = "outputs"
        block = self.mapping(tree, path, ("dir", "log_size", "log_files", "keep_logs"))
        folder = self.take(block, "dir", path, self.text, "out/{name}").replace("{name}", name)
        usual = OutputConfig(Path())
        return OutputConfig(
            Path(folder).expanduser(),
            self.take(block, "log_size", path, self.whole, usual.log_bytes),
            self.take(block, "log_files", path, self.whole, usual.log_files),
            self.take(block, "keep_logs", path, self.whole, usual.keep_logs),
        )

    def hooks(self, tree: Any) -> HookConfig:
        block = self.mapping(tree, "hooks", ("on_game_end", "on_failure"))
        return HookConfig(
            self.take(block, "on_game_end", "hooks", self.command, ()),
            self.take(block, "on_failure", "hooks", self.command, ()),
        )
