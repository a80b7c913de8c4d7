"""What a bridge is to do, as typed values. `reader.py` makes them from YAML."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gtp_variants.bridge.core.password import Password
from gtp_variants.players.clock import TimeControl

REROLL, UNDO, ACCEPT = "reroll", "undo", "accept"
LET_STAND, RESIGN, STOP = "let stand", "resign", "stop"
WAIT = "wait"
# What an account does on a server; and to which games a referee comes: to those of whoever asks, or all of its room.
PLAYER, REFEREE, BOARD, PRIVATE = "player", "referee", "board", "private"
ON_REQUEST, ROOM = "asked", "room"
_OFFERED = TimeControl("byoyomi", 600.0, period_s=30.0, periods=5)


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Where to log in, and as whom. `silence_s` is how long the server may say nothing.

    At KGS `room` is where the bot is found, and `pace` how many messages it sends a second at most.
    """

    type: str
    host: str
    port: int
    account: str
    password: Password
    silence_s: float
    charset: str = "utf-8"
    room: str = ""
    tls: bool = True
    pace: float = 4.0

    @property
    def url(self) -> str:
        """Where KGS's protocol is spoken."""
        return f"{'https' if self.tls else 'http'}://{self.host}:{self.port}/json/access"


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """Who thinks: a bot of ours by name, or else a command that speaks GTP.

    After `restarts` failures in one game it is given up; after `failed_games` such games in a row the bridge ends.
    """

    bot: str = ""
    command: tuple[str, ...] = ()
    folder: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    startup: tuple[str, ...] = ()
    startup_s: float = 30.0
    command_s: float = 60.0
    restarts: int = 3
    grace_s: float = 1.0
    failed_games: int = 3

    def __bool__(self) -> bool:
        """Whether anybody thinks."""
        return bool(self.bot or self.command)


@dataclass(frozen=True, slots=True)
class TimeConfig:
    """`margin_s` of the clock is kept for the way to the server; a move takes at least `at_least_s`.

    The first move of a game takes at least `first_s`, so that the opponent can read and agree on something before it.
    Where a game has no clock a move takes at most `no_clock_s`.
    """

    margin_s: float = 1.0
    at_least_s: float = 0.0
    no_clock_s: float | None = None
    first_s: float = 0.0


@dataclass(frozen=True, slots=True)
class ChallengeConfig:
    """Whom we play, and how. Pairs are the least and the most; `per_user` games a day, None for as many as they like.

    Names in `allow` are played on any terms the game allows, without a limit; `only_allowed` keeps all others out.
    """

    sizes: tuple[int, ...] = ()
    main_s: tuple[float, float] = (0.0, 86400.0)
    period_s: tuple[float, float] = (0.0, 3600.0)
    handicap: tuple[int, int] = (0, 0)
    komi: tuple[float, float] = (-20.0, 20.0)
    rated: bool = False
    colours: str = "any"
    per_user: int | None = None
    allow: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    only_allowed: bool = False


@dataclass(frozen=True, slots=True)
class OfferConfig:
    """The challenge that a bot keeps open where servers have such. Its size and komi are the game's.

    `opens` is whether there is one, `takes` whether other people's open challenges in the room are taken.
    """

    opens: bool = True
    takes: bool = False
    text: str = ""
    control: TimeControl = _OFFERED


@dataclass(frozen=True, slots=True)
class ChatConfig:
    """What is said. `greeting` and `farewell` are lines with places such as {opponent}; empty for none."""

    lang: str = "en"
    greeting: tuple[str, ...] = ()
    farewell: tuple[str, ...] = ()
    commands: bool = True


@dataclass(frozen=True, slots=True)
class PolicyConfig:
    """How games are played that a server knows only as Go.

    `double_pass`: REROLL, UNDO or ACCEPT. `illegal`: what is done after `warnings` stones off the line, or at once
    where none can be taken back: LET_STAND, RESIGN or STOP. `undo`: so many are let by in a game. `on_divergence`:
    RESIGN or STOP. `dead`: whether stones that the engine calls dead are marked. `resign`: whether it may resign.
    """

    double_pass: str = REROLL
    illegal: str = LET_STAND
    warnings: int = 3
    undo: int = 3
    undo_wait_s: float = 30.0
    on_divergence: str = RESIGN
    dead: bool = True
    resign: bool = True


@dataclass(frozen=True, slots=True)
class ReconnectConfig:
    """How long to wait before the next login: `first_s`, twice as long each time, at most `most_s`.

    `on_replaced`: STOP, or WAIT for `replaced_s`.
    """

    first_s: float = 2.0
    most_s: float = 300.0
    on_replaced: str = STOP
    replaced_s: float = 1800.0


@dataclass(frozen=True, slots=True)
class OutputConfig:
    """Where logs, records and what must outlive us are kept; a log has `log_bytes` and `log_files` older ones."""

    folder: Path
    log_bytes: int = 2_000_000
    log_files: int = 5
    keep_logs: int = 200


@dataclass(frozen=True, slots=True)
class HookConfig:
    """Commands that are run when something happened, with its facts in their environment; () for none."""

    on_game_end: tuple[str, ...] = ()
    on_failure: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BridgeConfig:
    """A whole bridge. `spec` is the game it plays; `health` the port of its health page on loopback.

    `role` is PLAYER, REFEREE, BOARD, who draws a board of its own, or PRIVATE, who referees by private words and plays,
    too, if it has an engine; a referee comes ON_REQUEST, or `watch` is ROOM.
    """

    name: str
    server: ServerConfig
    engine: EngineConfig
    spec: str
    time: TimeConfig
    challenges: ChallengeConfig
    chat: ChatConfig
    policies: PolicyConfig
    reconnect: ReconnectConfig
    outputs: OutputConfig
    hooks: HookConfig
    offer: OfferConfig = field(default_factory=OfferConfig)
    health: int | None = None
    role: str = PLAYER
    watch: str = ON_REQUEST
