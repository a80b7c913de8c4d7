"""The configuration of a bridge as typed values, whose fields declare the keys of its file.

`config_file.py` reads a whole file and checks keys that depend on each other.
"""

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from gtp_variants.base.config_files import Node, Reader, block, nearest, option, quote, required
from gtp_variants.base.folders import user_path
from gtp_variants.base.processes.hidden_variables import hide_variable
from gtp_variants.bridge.core.chat_commands import PLACES
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.config_readers import (
    BOT,
    CONTROL,
    DURATION,
    FOLDER,
    NAME,
    PAIRS,
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
from gtp_variants.rules.words import LANGUAGES

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Password:
    """A password that appears in no representation; "" means that there is none."""

    _text: str = ""

    def reveal(self) -> str:
        """Return the password, to be sent to the server only."""
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __repr__(self) -> str:
        return "Secret(***)"

    def hidden_in(self, text: str) -> str:
        """Return a text with the password replaced by stars."""
        return text.replace(self._text, "***") if self._text else text


def from_environment(name: str) -> Password:
    """Return the password in an environment variable. Raises ValueError."""
    # Engines and hooks must not inherit it.
    hide_variable(name)
    text = os.environ.get(name)
    if not text:
        raise ValueError(f"the variable {name} is not set")
    return _check(text)


def from_file(path: Path) -> Password:
    """Return the password in the first line of a file. Raises ValueError, also if others may read the file."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            line = file.read(_LONGEST).split(b"\n")[0]
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
# Roles of an account, and the games that a referee comes to: on request, or all in its room.
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
            raise ValueError(f"unknown place {{{place[:20]}}}; {nearest(place, PLACES)}")
    return text


def read_rank(word: str) -> int:
    """Return a rank such as `3d` as a number, 30 for 1 dan. Raises ValueError."""
    found = re.fullmatch(r"([1-9][0-9]?)([kdp])", word.strip().lower())
    if found is None:
        raise ValueError(f"expected a rank such as 25k, 3d or 9p, not {quote(word)}")
    number = int(found[1])
    return {"k": _DAN - number, "d": _DAN - 1 + number, "p": _PROFESSIONAL}[found[2]]


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
        if not items:
            node.refuse("expected one value, or the least and the most: [1, 2]")
        found = [reader.read(each) for each in (items if len(items) > 1 else [replace(node, value=items[0].value)])]
        if len(found) > 2 or found[0] > found[-1]:
            node.refuse("expected one value, or the least and the most: [1, 2]")
        return found[0], found[-1]

    return Reader("one value, or the least and the most", read)


def _read_share(node: Node) -> float:
    found = number(0).read(node)
    if not 0 < found <= 1:
        node.refuse(f"{node.text()}: expected a part, more than 0 and at most 1")
    return found


def _read_fallback(node: Node) -> str:
    return RESIGN if node.value == RESIGN else BOT.read(node)


_PORT = scalar("a port", _port)
_SHARE = Reader("a part, at most 1", _read_share)
_RANK = scalar("a rank", read_rank)
_LINES = list_of(scalar("a line", _line))


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """The server and the account."""

    type: str = required("type", choice(*SERVER_TYPES), f"one of {', '.join(SERVER_TYPES)}", "the kind of server")
    account: str = required("account", TEXT, "the name to log in with", "the name to log in with")
    host: str = option("host", TEXT, "", "the name of the server's computer")
    port: int = option("port", _PORT, 0, "the number the server listens at; by default the usual one of its kind")
    password: Password = option("password", Reader("its place", _password), Password(), "where the password is")
    silence_s: float = option("silence", DURATION, 0.0, "how long the server may say nothing")
    charset: str = option("charset", choice("utf-8", "latin-1", "ascii"), "utf-8", "how text is written")
    room: str = option("room", TEXT, "", "KGS: the room that the bot is in")
    tls: bool = option("tls", TRUTH, True, "KGS and OGS: whether the line is encrypted")
    pace: float = option(
        "pace", number(0), 0.0, "KGS: messages a second, by default 4; OGS: lines of chat a second, by default 0.5"
    )

    @property
    def url(self) -> str:
        """The address of KGS's JSON protocol."""
        return f"{'https' if self.tls else 'http'}://{self.host}:{self.port}/json/access"


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """Time limits of an engine. Under a clock a move is late after `share` of the time left."""

    startup_s: float = option("startup", DURATION, 30.0, "until an engine answers for the first time")
    command_s: float | None = option(
        "command", DURATION, None, "for any other command, moves under a clock too; by default a minute without a clock"
    )
    share: float = option("share", _SHARE, 0.25, "the part of its clock after which an engine counts as hung")

    @property
    def any_command_s(self) -> float:
        """The limit of a command without a clock, in seconds."""
        return _COMMAND_S if self.command_s is None else self.command_s


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """The player: one of our bots by name, or a command that speaks GTP."""

    bot: str = option("bot", BOT, "", "a bot of ours, or a class in a file, which plays in a process of its own")
    is_trusted: bool = option("trusted", TRUTH, False, "the bot in a file is yours and plays in the bridge's process")
    command: tuple[str, ...] = option("command", command(), (), "a program that speaks GTP, and its arguments")
    folder: Path | None = option("cwd", FOLDER, None, "where the program runs")
    environment: Mapping[str, str] = option("env", PAIRS, {}, "its environment")
    startup: tuple[str, ...] = option("startup", TEXTS, (), "GTP commands that it is sent first")
    limits: EngineLimits = option("limits", block(EngineLimits), EngineLimits(), "how long it may take")
    restarts: int = option("restarts", whole(0), 3, "failures in one game after which it is given up")
    fallback: str = option(
        "fallback",
        Reader("a bot, or resign", _read_fallback),
        "",
        "a bot that plays where the engine fails, or resign; by default the game's own bot",
    )
    grace_s: float = option("grace", DURATION, 1.0, "the wait before it is started anew")
    failed_games: int = option("failed_games", whole(), 3, "games in a row with an engine given up: the bridge ends")

    def __bool__(self) -> bool:
        """Return True if a bot or an engine is configured."""
        return bool(self.bot or self.command)


@dataclass(frozen=True, slots=True)
class TimeConfig:
    """The use of our time on the clock."""

    margin_s: float = option("margin", DURATION, 1.0, "how much of the clock is kept for the way to the server")
    at_least_s: float = option("at_least", DURATION, 0.0, "how long a move takes at least, if its clock has so much")
    no_clock_s: float | None = option("no_clock", DURATION, None, "how long a move takes where a game has no clock")
    first_s: float = option(
        "first", DURATION, 0.0, "how long the first move, or first draw, waits: time to agree on something"
    )


@dataclass(frozen=True, slots=True)
class SpeedLimits:
    """Limits for one class of time. Spans are (least, most), None where `challenges` has the value."""

    games: int | None = option("games", or_none(whole(0)), None, "games at a time, 0 for none")
    main_s: tuple[float, float] | None = option("main", _span(DURATION), None, "main time")
    period_s: tuple[float, float] | None = option("period", _span(DURATION), None, "time for a move, or after each")


# Usual limits by class of time: concurrent games, main time, period.
_USUAL = {
    "blitz": SpeedLimits(0),
    "rapid": SpeedLimits(3),
    "live": SpeedLimits(3),
    "correspondence": SpeedLimits(5, (0.0, 672 * 3600.0), (4 * 3600.0, 168 * 3600.0)),
}


@dataclass(frozen=True, slots=True)
class SpeedsConfig:
    """Limits for each class of time, on servers that sort games by speed."""

    blitz: SpeedLimits = option("blitz", block(SpeedLimits), SpeedLimits(), "less than some 10 s a move; usually none")
    rapid: SpeedLimits = option("rapid", block(SpeedLimits), SpeedLimits(), "some 10 to 30 s a move; usually 3 games")
    live: SpeedLimits = option("live", block(SpeedLimits), SpeedLimits(), "up to an hour a move; usually 3 games")
    correspondence: SpeedLimits = option(
        "correspondence", block(SpeedLimits), SpeedLimits(), "days; usually 5 games of 4 hours to 7 days a move"
    )


@dataclass(frozen=True, slots=True)
class ChallengeConfig:
    """The challenges that are accepted. Spans are (least, most)."""

    sizes: tuple[int, ...] = option("sizes", list_of(whole(2)), (), "boards we play on; by default that of the game")
    main_s: tuple[float, float] = option("main", _span(DURATION), (0.0, 86400.0), "main time")
    period_s: tuple[float, float] = option("period", _span(DURATION), (0.0, 3600.0), "period of byo-yomi")
    handicap: tuple[int, int] = option("handicap", _span(whole(0)), (0, 0), "handicap stones")
    komi: tuple[float, float] = option("komi", _span(number()), (-20.0, 20.0), "komi")
    rated: bool = option("rated", TRUTH, False, "whether rated games are played")
    free: bool = option("free", TRUTH, True, "whether games that are not rated are played")
    rated_handicap: bool = option("rated_handicap", TRUTH, True, "whether rated games are played with handicap")
    ranks: tuple[int, int] = option(
        "ranks", _span(_RANK), ANY_RANK, "OGS and KGS, which tell ranks: who is played rated games"
    )
    analysis: bool = option("analysis", TRUTH, True, "OGS: whether games are played that let people try out moves")
    systems: tuple[str, ...] = option(
        "systems", list_of(choice(*TIME_SYSTEMS)), (), "time controls that are played; by default all"
    )
    speeds: SpeedsConfig = option("speeds", block(SpeedsConfig), SpeedsConfig(), "OGS: what is played by speed")
    at_once: int = option("at_once", whole(), 1, "OGS: games at a time with the same opponent")
    colours: str = option("colours", choice("any", "black", "white"), "any", "our colour")
    per_user: int | None = option("per_user", whole(), None, "games a day with the same opponent")
    people: int = option("people", whole(0), 0, "games with people between two with programs, at least")
    programs: tuple[str, ...] = option(
        "programs", TEXTS, (), "who is a program where the server does not say it; OGS and KGS do"
    )
    allow: tuple[str, ...] = option("allow", TEXTS, (), "who is played on any terms the game allows, without a limit")
    block: tuple[str, ...] = option("block", TEXTS, (), "who is not played, and not answered")
    allow_lists: tuple[str, ...] = option("allow_lists", TEXTS, (), "files or web pages with more names to allow")
    block_lists: tuple[str, ...] = option("block_lists", TEXTS, (), "files or web pages with more names to block")
    refresh_s: float = option("refresh", DURATION, 3600.0, "after how long those lists are read again")
    queue: int = option("queue", whole(0), 5, "people who may wait for their turn while we play somebody else")
    only_allowed: bool = option("only_allowed", TRUTH, False, "whether all but those allowed are kept out")

    def limits(self, speed: str) -> SpeedLimits:
        """Return the limits for a class of time: as configured, else as usual, else those of all challenges."""
        usual = _USUAL.get(speed, SpeedLimits())
        given: SpeedLimits = getattr(self.speeds, speed) if speed in _USUAL else usual
        games = usual.games if given.games is None else given.games
        main_s, period_s = given.main_s or usual.main_s, given.period_s or usual.period_s
        return SpeedLimits(games, main_s or self.main_s, period_s or self.period_s)


@dataclass(frozen=True, slots=True)
class OfferConfig:
    """The games that we offer, or ask others for, while none is played. Size and komi are those of the game.

    We may open a challenge to everybody, invite `players` by name one after the other, or ask players who are looking
    for a game (`takes`).
    """

    opens: bool = option("open", TRUTH, True, "KGS: whether a challenge of ours is open to all")
    takes: bool = option(
        "take",
        TRUTH,
        False,
        "KGS: other people's open challenges are taken; NNGS and IGS: who looks for a game is asked",
    )
    text: str = option("text", scalar("a text", _offer_text), "", "what our challenge says")
    control: TimeControl = option(
        "time", CONTROL, OFFERED, "its time; by default 10m+5x30s, on NNGS and IGS 10m+10m/25"
    )
    players: tuple[str, ...] = option("players", TEXTS, (), "NNGS, IGS and OGS: whom the bot asks for games")
    ranks: tuple[int, int] = option("ranks", _span(_RANK), ANY_RANK, "of which ranks are those who are asked, or taken")
    every_s: float = option("every", DURATION, 60.0, "the time between two questions, whoever is asked")
    again_s: float = option("again", DURATION, 3600.0, "the time until the same player is asked again")
    tries: int = option("tries", whole(), 3, "questions in a row without a game: then a player has a day's rest")
    automatch: bool = option("automatch", TRUTH, False, "KGS: whether the server may pair us, for go:size=19")
    rank: int | None = option("rank", or_none(_RANK), None, "KGS: our rank for automatch, where the account has none")


@dataclass(frozen=True, slots=True)
class ChatConfig:
    """The chat. Lines may have placeholders such as {opponent}."""

    lang: str = option("lang", choice(*LANGUAGES), "en", "the language, until somebody types a command in another one")
    greeting: tuple[str, ...] = option("greeting", _LINES, (), "lines at the beginning of a game")
    farewell: tuple[str, ...] = option("farewell", _LINES, (), "lines at its end")
    commands: bool = option("commands", TRUTH, True, "whether commands are answered")


@dataclass(frozen=True, slots=True)
class PolicyConfig:
    """Policies for games that the server knows only as Go."""

    double_pass: str = option("double_pass", choice(REROLL, UNDO, ACCEPT), REROLL, "after a second pass by force")
    illegal: str = option("illegal", choice(LET_STAND, RESIGN, STOP), LET_STAND, "what a stone off the line costs")
    warnings: int = option("warnings", whole(0), 3, "stones off the line that are asked to be undone")
    undo: int = option("undo", whole(0), 3, "moves a game that the opponent may take back")
    pause_s: float = option("pause", DURATION, 300.0, "OGS: how long the opponent may stop the clocks")
    undo_wait_s: float = option("undo_wait", DURATION, 30.0, "how long an undo is waited for")
    on_divergence: str = option("on_divergence", choice(RESIGN, STOP), RESIGN, "what is done where Go takes otherwise")
    dead: bool = option("dead", TRUTH, True, "whether stones are marked that the engine calls dead")
    resign: bool = option("resign", TRUTH, True, "whether the engine may resign")


@dataclass(frozen=True, slots=True)
class ReconnectConfig:
    """The pauses before the next login."""

    first_s: float = option("first", DURATION, 2.0, "the first wait, twice as long each time")
    most_s: float = option("most", DURATION, 300.0, "the longest wait")
    on_replaced: str = option("on_replaced", choice(STOP, WAIT), STOP, "what another login in our name comes to")
    replaced_s: float = option("replaced", DURATION, 1800.0, "the wait after such a login")


@dataclass(frozen=True, slots=True)
class OutputConfig:
    """The folder of logs, records and stored games."""

    folder: Path = option(
        "dir", scalar("a folder", user_path), Path("out/{name}"), "the folder; {name} is the bridge's"
    )
    log_bytes: int = option("log_size", whole(), 2_000_000, "bytes after which a log turns over")
    log_files: int = option("log_files", whole(), 5, "older logs that are kept")
    keep_logs: int = option("keep_logs", whole(), 200, "games whose logs are kept")
    keep_games_s: float = option("keep_games", DURATION, 90 * 86400.0, "how long a game waits that nobody goes on with")


@dataclass(frozen=True, slots=True)
class HookConfig:
    """Commands to run on events, with the facts in their environment; () for none."""

    on_game_end: tuple[str, ...] = option("on_game_end", command(), (), "after a game")
    on_failure: tuple[str, ...] = option("on_failure", command(), (), "after a failure")


@dataclass(frozen=True, slots=True)
class BridgeConfig:
    """The configuration of a whole bridge. `spec` is the game it plays.

    A BOARD account plays on demonstration boards of its own; a PRIVATE one referees by private messages, and also plays
    if it has an engine. `watch` says which games a referee comes to: ON_REQUEST or ROOM.
    """

    version: str = required("bridge", choice("1"), "this version reads `bridge: 1`", "the version of the file")
    server: ServerConfig = required("server", block(ServerConfig), "expected a mapping", "where to log in, and as whom")
    spec: str = required("game", TEXT, "a SPEC such as go:size=9 or aleago:size=9", "the game that is played")
    name: str = option("name", NAME, "", "what the bridge is called; by default as its file")
    description: str = option("description", TEXT, "", "for whoever reads the file")
    role: str = option("role", choice(PLAYER, REFEREE, BOARD, PRIVATE), PLAYER, "what the account does")
    watch: str = option("watch", choice(ON_REQUEST, ROOM), ON_REQUEST, "which games a referee comes to")
    engine: EngineConfig = option("engine", block(EngineConfig), EngineConfig(), "who thinks")
    time: TimeConfig = option("time", block(TimeConfig), TimeConfig(), "how our time is spent")
    challenges: ChallengeConfig = option(
        "challenges", block(ChallengeConfig), ChallengeConfig(), "whom we play, and how"
    )
    chat: ChatConfig = option("chat", block(ChatConfig), ChatConfig(), "what is said")
    policies: PolicyConfig = option("policies", block(PolicyConfig), PolicyConfig(), "how games are played")
    offer: OfferConfig = option("offer", block(OfferConfig), OfferConfig(), "games of our own making")
    reconnect: ReconnectConfig = option("reconnect", block(ReconnectConfig), ReconnectConfig(), "the next login")
    outputs: OutputConfig = option("outputs", block(OutputConfig), OutputConfig(), "where files go")
    health: int | None = option("health", _PORT, None, "the port of the health page on this computer")
    hooks: HookConfig = option("hooks", block(HookConfig), HookConfig(), "the user's own commands")
