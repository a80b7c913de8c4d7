"""The configuration of a bridge as typed values, whose fields declare the keys of the configuration file.

`config_file.py` reads a whole file and checks keys that depend on each other.
"""

import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from gtp_variants.base.config_files import Node, Reader, block, nearest, option, quote, required
from gtp_variants.base.folders import user_path
from gtp_variants.base.processes.secrecy import SECRET_PLACES, take_variable
from gtp_variants.gtp.client.bot_reader import BOT
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.config_readers import (
    CONTROL,
    DURATION,
    FOLDER,
    NAME,
    PAIRS,
    PATHS,
    TEXT,
    TEXTS,
    TRUTH,
    choice,
    command,
    list_of,
    number,
    or_none,
    scalar,
    whole,
)
from gtp_variants.rules.languages import LANGUAGES

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Password:
    """A password that stays hidden when the object is printed; "" means no password."""

    _text: str = ""

    def reveal(self) -> str:
        """Return the password itself, which may be sent only to the server."""
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __repr__(self) -> str:
        return "Secret(***)"

    def hidden_in(self, text: str) -> str:
        """Return a text with the password replaced by stars."""
        return text.replace(self._text, "***") if self._text else text


def from_environment(name: str) -> Password:
    """Take the password out of an environment variable. Raises ValueError if it is missing or unprintable."""
    # Engines and hooks must not inherit this variable, nor read it in /proc.
    text = take_variable(name)
    if not text:
        raise ValueError(f"the variable {name} is not set")
    return _check(text)


def from_file(path: Path) -> Password:
    """Return the password in a file's first line. Raises ValueError if unreadable, unprintable or open to others."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            line = file.read(_LONGEST).split(b"\n")[0]
        SECRET_PLACES.add(path.absolute())
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    if os.name == "posix" and mode & _OTHERS:
        raise ValueError(f"{path} can be read by others (mode {mode & 0o777:03o}); expected 600: chmod 600 {path}")
    return _check(line.decode("utf-8", "replace").strip())


def _check(text: str) -> Password:
    if not text or not text.isprintable():
        raise ValueError("expected a password of printable characters")
    return Password(text)


REROLL, UNDO, ACCEPT = "reroll", "undo", "accept"
LET_STAND, RESIGN, STOP = "let stand", "resign", "stop"
WAIT = "wait"
# Roles of an account, and the games that a referee joins: only on request, or all games in its room.
PLAYER, REFEREE, BOARD, PRIVATE = "player", "referee", "board", "private"
ON_REQUEST, ROOM = "asked", "room"
SERVER_TYPES = ("cgos", "variants", "nngs", "igs", "kgs", "ogs")
TIME_SYSTEMS = ("none", "absolute", "byoyomi", "canadian", "fischer")
# Ranks as numbers: 1 dan, and any professional rank.
_DAN, _PROFESSIONAL = 30, 999
OFFERED = TimeControl("byoyomi", 600.0, period_s=30.0, periods=5)
ANY_RANK = _DAN - 30, _PROFESSIONAL
_LONGEST_OFFER = 80
_COMMAND_S = 60.0
# Placeholders of greetings and farewells.
PLACES = ("me", "opponent", "game", "size", "komi", "result", "commitment")
_PLACE = re.compile(r"\{([^{}]*)\}")
N = TypeVar("N", int, float)


def _port(word: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", word) or not 0 < int(word) <= 65535:
        raise ValueError(f"expected a port, at most 65535, not {quote(word)}")
    return int(word)


def _password(node: Node) -> Password:
    if not isinstance(node.value, dict):
        node.refuse("does not belong in this file; expected {env: VARIABLE} or {file: PATH}")
    places = node.entries(("env", "file"))
    if len(places) != 1:
        node.refuse("expected {env: VARIABLE} or {file: PATH}")
    try:
        if "env" in places:
            return from_environment(places["env"].text())
        return from_file(node.folder / user_path(places["file"].text()))
    except ValueError as error:
        node.refuse(str(error))


def _line(text: str) -> str:
    for place in _PLACE.findall(text):
        if place not in PLACES:
            raise ValueError(f"unknown placeholder {{{place[:20]}}}; {nearest(place, PLACES)}")
    return text


def read_rank(word: str) -> int:
    """Return a rank such as `3d` as a number: 30 for `1d`, 999 for any `p`. Raises ValueError for any other text."""
    found = re.fullmatch(r"([1-9][0-9]?)([kdp])", word.strip().lower())
    if found is None:
        raise ValueError(f"expected a rank such as 25k, 3d or 9p, not {quote(word)}")
    number = int(found[1])
    return {"k": _DAN - number, "d": _DAN - 1 + number, "p": _PROFESSIONAL}[found[2]]


def find_rank(word: str) -> float | None:
    """Return a rank such as `3d` as a number, or None for any other text."""
    with suppress(ValueError):
        return float(read_rank(word))
    return None


def rank_word(rank: int) -> str:
    """Return the usual form of a rank: `1d` for 30, `1k` for 29."""
    if rank == _PROFESSIONAL:
        return "9p"
    return f"{_DAN - rank}k" if rank < _DAN else f"{rank - _DAN + 1}d"


def _offer_text(text: str) -> str:
    if len(text) > _LONGEST_OFFER:
        raise ValueError(f"{len(text)} characters: expected at most {_LONGEST_OFFER}")
    return text


def _span(reader: Reader[N]) -> Reader[tuple[N, N]]:

    def read(node: Node) -> tuple[N, N]:
        items = node.items()
        found = [reader.read(each) for each in ([replace(node, value=items[0].value)] if len(items) == 1 else items)]
        if len(found) not in (1, 2) or found[0] > found[-1]:
            node.refuse("expected one value, or the least and the most: [1, 2]")
        return found[0], found[-1]

    return Reader("one value, or the least and the most", read)


def _read_share(node: Node) -> float:
    found = number(0).read(node)
    if not 0 < found <= 1:
        node.refuse(f"{node.text()}: expected a fraction, more than 0 and at most 1")
    return found


_FALLBACK = Reader("a bot, or resign", lambda node: RESIGN if node.value == RESIGN else BOT.read(node))
_PORT = scalar("a port", _port)
_SHARE = Reader("a part, at most 1", _read_share)
_RANK = scalar("a rank", read_rank)
_LINES = list_of(scalar("a line", _line))
_SYSTEMS = list_of(choice(*TIME_SYSTEMS))


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Settings for the server and the account."""

    type: str = required("type", choice(*SERVER_TYPES), f"one of {', '.join(SERVER_TYPES)}", "the kind of server")
    account: str = required("account", TEXT, "the name to log in with", "name of the account")
    host: str = option("host", TEXT, "", "host name of the server")
    port: int = option("port", _PORT, 0, "port of the server; by default the usual one of its kind")
    password: Password = option("password", Reader("its place", _password), Password(), "where to find the password")
    silence_s: float = option("silence", DURATION, 0.0, "silence after which the server counts as gone")
    charset: str = option("charset", choice("utf-8", "latin-1", "ascii"), "utf-8", "character encoding")
    room: str = option("room", TEXT, "", "KGS: the bot's room")
    tls: bool = option("tls", TRUTH, True, "KGS and OGS: encrypt the connection")
    pace: float = option("pace", number(0), 0.0, "KGS: messages per second (usually 4); OGS: lines of chat (0.5)")

    @property
    def url(self) -> str:
        """The URL for KGS's JSON protocol."""
        return f"{'https' if self.tls else 'http'}://{self.host}:{self.port}/json/access"


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """Time limits for an engine. With a clock, a move is late once it has taken `share` of the time left."""

    startup_s: float = option("startup", DURATION, 30.0, "limit for the first answer")
    command_s: float | None = option("command", DURATION, None, "limit for any other; by default 1m without a clock")
    share: float = option("share", _SHARE, 0.25, "part of the time left after which an engine counts as hung")

    @property
    def any_command_s(self) -> float:
        """The time limit for a command when no clock is running, in seconds."""
        return _COMMAND_S if self.command_s is None else self.command_s


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """The player: the name of one of our bots, or a command that starts a GTP engine."""

    bot: str = option("bot", BOT, "", "a bot by name, or a class in a file, which gets its own process")
    is_trusted: bool = option(
        "trusted", TRUTH, False, "run the engine without a wall, or the bot from a file in the bridge's process"
    )
    network: bool = option("network", TRUTH, False, "let it talk to other computers")
    paths: tuple[Path, ...] = option("paths", PATHS, (), "files and folders outside its wall that it may change")
    command: tuple[str, ...] = option("command", command(), (), "a GTP engine and its arguments")
    folder: Path | None = option("cwd", FOLDER, None, "the engine's working folder")
    environment: Mapping[str, str] = option("env", PAIRS, {}, "additional environment variables of the engine")
    startup: tuple[str, ...] = option("startup", TEXTS, (), "GTP commands to send first")
    limits: EngineLimits = option("limits", block(EngineLimits), EngineLimits(), "time limits")
    restarts: int = option("restarts", whole(0), 3, "failures in a game before the engine is given up")
    fallback: str = option("fallback", _FALLBACK, "", "a bot to replace a failed engine; by default the game's own")
    grace_s: float = option("grace", DURATION, 1.0, "pause before a restart")
    failed_games: int = option("failed_games", whole(), 3, "failed games in a row after which the bridge stops")

    def __bool__(self) -> bool:
        """Return True if a bot or an engine is configured."""
        return bool(self.bot or self.command)


@dataclass(frozen=True, slots=True)
class TimeConfig:
    """Settings for the use of our time on the clock."""

    margin_s: float = option("margin", DURATION, 1.0, "time kept for delays on the way to the server")
    at_least_s: float = option("at_least", DURATION, 0.0, "minimum time of a move, if the clock allows it")
    no_clock_s: float | None = option("no_clock", DURATION, None, "time of a move in games without a clock")
    first_s: float = option("first", DURATION, 0.0, "time before the first move or throw, to agree on options")


@dataclass(frozen=True, slots=True)
class SpeedLimits:
    """Limits for one speed class. Ranges are (minimum, maximum). None means the value from `ChallengeConfig.limits`."""

    games: int | None = option("games", or_none(whole(0)), None, "concurrent games, 0 for none")
    main_s: tuple[float, float] | None = option("main", _span(DURATION), None, "main time")
    period_s: tuple[float, float] | None = option("period", _span(DURATION), None, "time of a period, or increment")


# Default limits by speed class: concurrent games, and the ranges of main time and period in seconds.
_USUAL = {
    "blitz": SpeedLimits(0),
    "rapid": SpeedLimits(3),
    "live": SpeedLimits(3),
    "correspondence": SpeedLimits(5, (0.0, 672 * 3600.0), (4 * 3600.0, 168 * 3600.0)),
}


@dataclass(frozen=True, slots=True)
class SpeedsConfig:
    """Limits for each speed class, on servers that sort games by speed."""

    blitz: SpeedLimits = option("blitz", block(SpeedLimits), SpeedLimits(), "under 10 s a move; usually none")
    rapid: SpeedLimits = option("rapid", block(SpeedLimits), SpeedLimits(), "10 to 30 s a move; usually 3 games")
    live: SpeedLimits = option("live", block(SpeedLimits), SpeedLimits(), "up to an hour a move; usually 3 games")
    correspondence: SpeedLimits = option(
        "correspondence", block(SpeedLimits), SpeedLimits(), "slower; usually 5 games, 4 hours to 7 days a move"
    )


@dataclass(frozen=True, slots=True)
class ChallengeConfig:
    """The conditions for accepting a challenge. Ranges are (minimum, maximum)."""

    sizes: tuple[int, ...] = option("sizes", list_of(whole(2)), (), "board sizes; by default that of the game")
    main_s: tuple[float, float] = option("main", _span(DURATION), (0.0, 86400.0), "main time")
    period_s: tuple[float, float] = option("period", _span(DURATION), (0.0, 3600.0), "period of byo-yomi")
    handicap: tuple[int, int] = option("handicap", _span(whole(0)), (0, 0), "handicap stones")
    komi: tuple[float, float] = option("komi", _span(number()), (-20.0, 20.0), "komi")
    rated: bool = option("rated", TRUTH, False, "accept rated games")
    free: bool = option("free", TRUTH, True, "accept unrated games")
    rated_handicap: bool = option("rated_handicap", TRUTH, True, "accept rated games with handicap")
    ranks: tuple[int, int] = option("ranks", _span(_RANK), ANY_RANK, "OGS and KGS: opponents' ranks in rated games")
    analysis: bool = option("analysis", TRUTH, True, "OGS: accept games in which opponents may try out moves")
    systems: tuple[str, ...] = option("systems", _SYSTEMS, (), "time controls to accept; by default all")
    speeds: SpeedsConfig = option("speeds", block(SpeedsConfig), SpeedsConfig(), "OGS: limits by speed")
    at_once: int = option("at_once", whole(), 1, "OGS: concurrent games with the same opponent")
    colours: str = option("colours", choice("any", "black", "white"), "any", "our colour")
    per_user: int | None = option("per_user", whole(), None, "games a day with the same opponent")
    people: int = option("people", whole(0), 0, "minimum number of games with people between two with programs")
    programs: tuple[str, ...] = option("programs", TEXTS, (), "accounts of programs; OGS and KGS know them")
    allow: tuple[str, ...] = option("allow", TEXTS, (), "users to play on any terms, without a limit")
    block: tuple[str, ...] = option("block", TEXTS, (), "users not to play and not to answer")
    allow_lists: tuple[str, ...] = option("allow_lists", TEXTS, (), "files or web pages with more names to allow")
    block_lists: tuple[str, ...] = option("block_lists", TEXTS, (), "files or web pages with more names to block")
    refresh_s: float = option("refresh", DURATION, 3600.0, "time between two readings of those lists")
    queue: int = option("queue", whole(0), 5, "users who may wait while we play somebody else")
    only_allowed: bool = option("only_allowed", TRUTH, False, "refuse everybody who is not allowed by name")

    def limits(self, speed: str) -> SpeedLimits:
        """Return the configured limits for a speed class, else its defaults, else the limits for all challenges."""
        usual = _USUAL.get(speed, SpeedLimits())
        given: SpeedLimits = getattr(self.speeds, speed) if speed in _USUAL else usual
        games = usual.games if given.games is None else given.games
        main_s, period_s = given.main_s or usual.main_s, given.period_s or usual.period_s
        return SpeedLimits(games, main_s or self.main_s, period_s or self.period_s)


@dataclass(frozen=True, slots=True)
class OfferConfig:
    """The games that we offer or request while we are not playing. Size and komi come from the bridge's game."""

    opens: bool = option("open", TRUTH, True, "KGS: open a challenge to everybody")
    takes: bool = option("take", TRUTH, False, "KGS: accept open challenges; NNGS, IGS: invite seekers of games")
    text: str = option("text", scalar("a string", _offer_text), "", "text of our challenge")
    control: TimeControl = option("time", CONTROL, OFFERED, "time control, usually 10m+5x30s; NNGS and IGS: 10m+10m/25")
    players: tuple[str, ...] = option("players", TEXTS, (), "NNGS, IGS and OGS: users to invite")
    ranks: tuple[int, int] = option("ranks", _span(_RANK), ANY_RANK, "ranks of users to invite or accept")
    every_s: float = option("every", DURATION, 60.0, "time between two invitations")
    again_s: float = option("again", DURATION, 3600.0, "time between two invitations of the same user")
    tries: int = option("tries", whole(), 3, "failed invitations of a user in a row before a day's pause")
    automatch: bool = option("automatch", TRUTH, False, "KGS: let the server pair us, for go:size=19")
    rank: int | None = option("rank", or_none(_RANK), None, "KGS: our rank for automatch if the account has none")


@dataclass(frozen=True, slots=True)
class ChatConfig:
    """Settings for the chat. Lines may contain placeholders such as {opponent}."""

    lang: str = option("lang", choice(*LANGUAGES), "en", "language until a user types a command in another one")
    greeting: tuple[str, ...] = option("greeting", _LINES, (), "lines at the beginning of a game")
    farewell: tuple[str, ...] = option("farewell", _LINES, (), "lines at the end of a game")
    commands: bool = option("commands", TRUTH, True, "answer commands")


@dataclass(frozen=True, slots=True)
class PolicyConfig:
    """Policies for games that the server knows only as Go."""

    double_pass: str = option("double_pass", choice(REROLL, UNDO, ACCEPT), REROLL, "action after a forced second pass")
    illegal: str = option("illegal", choice(LET_STAND, RESIGN, STOP), LET_STAND, "action if a wrong stone stays")
    warnings: int = option("warnings", whole(0), 3, "wrong stones per game that we ask to take back")
    undo: int = option("undo", whole(0), 3, "moves per game that the opponent may take back")
    pause_s: float = option("pause", DURATION, 300.0, "OGS: longest pause of the opponent")
    undo_wait_s: float = option("undo_wait", DURATION, 30.0, "time to wait for an undo")
    on_divergence: str = option("on_divergence", choice(RESIGN, STOP), RESIGN, "action if Go captures other stones")
    dead: bool = option("dead", TRUTH, True, "mark stones that the engine calls dead")
    resign: bool = option("resign", TRUTH, True, "let the engine resign")


@dataclass(frozen=True, slots=True)
class ReconnectConfig:
    """The pauses before the bridge logs in again."""

    first_s: float = option("first", DURATION, 2.0, "first pause; it doubles each time")
    most_s: float = option("most", DURATION, 300.0, "longest pause")
    on_replaced: str = option("on_replaced", choice(STOP, WAIT), STOP, "action after another login with our name")
    replaced_s: float = option("replaced", DURATION, 1800.0, "pause after such a login")


@dataclass(frozen=True, slots=True)
class OutputConfig:
    """The folder for logs, records and stored games."""

    folder: Path = option("dir", scalar("a folder", user_path), Path("out/{name}"), "{name} is the bridge's name")
    log_bytes: int = option("log_size", whole(), 2_000_000, "bytes after which a log is rotated")
    log_files: int = option("log_files", whole(), 5, "number of older logs to keep")
    keep_logs: int = option("keep_logs", whole(), 200, "number of games whose logs to keep")
    keep_games_s: float = option("keep_games", DURATION, 90 * 86400.0, "time to keep games that nobody resumes")


@dataclass(frozen=True, slots=True)
class HookConfig:
    """Commands to run on events, with the facts in their environment. () means no command."""

    on_game_end: tuple[str, ...] = option("on_game_end", command(), (), "after a game")
    on_failure: tuple[str, ...] = option("on_failure", command(), (), "after a failure")


@dataclass(frozen=True, slots=True)
class BridgeConfig:
    """The configuration of a whole bridge. `spec` is the game it plays.

    A BOARD account plays on its own demonstration boards. A PRIVATE account referees by private messages, and also
    plays if it has an engine. `watch` says which games a referee joins: ON_REQUEST or ROOM.
    """

    version: str = required("bridge", choice("1"), "this version reads `bridge: 1`", "the version of the file")
    server: ServerConfig = required("server", block(ServerConfig), "expected a mapping", "where to log in, and as whom")
    spec: str = required("game", TEXT, "a SPEC such as go:size=9 or aleago:size=9", "the game")
    name: str = option("name", NAME, "", "name of the bridge; by default that of its file")
    description: str = option("description", TEXT, "", "a remark for readers of the file")
    role: str = option("role", choice(PLAYER, REFEREE, BOARD, PRIVATE), PLAYER, "role of the account")
    watch: str = option("watch", choice(ON_REQUEST, ROOM), ON_REQUEST, "games to referee")
    engine: EngineConfig = option("engine", block(EngineConfig), EngineConfig(), "the player")
    time: TimeConfig = option("time", block(TimeConfig), TimeConfig(), "use of our time")
    challenges: ChallengeConfig = option("challenges", block(ChallengeConfig), ChallengeConfig(), "accepted challenges")
    chat: ChatConfig = option("chat", block(ChatConfig), ChatConfig(), "chat")
    policies: PolicyConfig = option("policies", block(PolicyConfig), PolicyConfig(), "policies in games")
    offer: OfferConfig = option("offer", block(OfferConfig), OfferConfig(), "games that we offer or ask for")
    reconnect: ReconnectConfig = option("reconnect", block(ReconnectConfig), ReconnectConfig(), "pauses before a login")
    outputs: OutputConfig = option("outputs", block(OutputConfig), OutputConfig(), "files")
    health: int | None = option("health", _PORT, None, "port of the health page on this computer")
    hooks: HookConfig = option("hooks", block(HookConfig), HookConfig(), "commands to run on events")
