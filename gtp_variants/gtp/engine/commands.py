"""The declarations of all GTP commands by subject, and the registry of their handlers.

The handlers of a subject are loaded when one of its commands is first used. This saves time, as a GUI starts several
engines for one window and needs few commands from each.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf, nan
from typing import TypeVar

from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.engine.engine_host import KGS
from gtp_variants.gtp.engine.session import Session
from gtp_variants.rules import find_games
from gtp_variants.rules.options import read_number
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules, HiddenRules

# A handler returns the answer's text, an iterator of lines to send one by one, or None for an empty answer.
Handler = Callable[[Session, list[str]], str | Iterator[str] | None]
AnyHandler = TypeVar("AnyHandler", bound=Handler)


# Values of `in_seat`: a command works at our own table, or in a seat that another program referees. None means both.
_TABLE, _SEAT = False, True
# The refusal of a command in the place where it does not work.
_ELSEWHERE = {None: "", _TABLE: "under a referee", _SEAT: "not under a referee: phantom-seat COLOUR comes first"}


@dataclass(frozen=True, slots=True)
class Games:
    """The games in which a command works: a description, a test of the rules, and the refusal in other games."""

    words: str
    fits: Callable[[Rules], bool]
    refusal: Callable[[], str]


def _kind(words: str, fits: Callable[[type[Rules]], bool]) -> Games:
    return Games(words, lambda rules: fits(type(rules)), lambda: f"not a {find_games(fits)[0]} game")


def _with_marks(words: str, mark: str) -> Games:
    return _kind(words, lambda game: mark in game.profile.mark_names)


WITH_DICE = _kind("games with dice", lambda game: issubclass(game, DicedRules))
HIDDEN = _kind("games with hidden stones", lambda game: issubclass(game, HiddenRules))
WITH_LOSING_MOVES = _with_marks("games with moves that lose at once", "losing")
WITH_ROWS = _with_marks("games won by a row of stones", "line")
WITH_IMMUNE_STONES = _with_marks("games with immune stones", "immune")
# GoGui and KataGo support only two colours.
GO = _kind("ordinary Go", lambda game: game.profile.is_go)
FOR_TWO = Games("games for two players", lambda rules: len(rules.colours) == 2, lambda: "not a game for two")
WITH_HANDICAP = Games("games with handicap", lambda rules: rules.handicap != "none", lambda: "not a game with handicap")
WITH_FIXED_HANDICAP = Games(
    "games with fixed handicap points", lambda rules: rules.handicap == "fixed", lambda: "not a game with handicap"
)


@dataclass(frozen=True, slots=True)
class GtpCommand:
    """A GTP command as hosts see it.

    In `arguments`, optional arguments are in brackets, and "..." follows repeated ones. `answer` is "" for an empty
    answer. `games` is None for all games. A refusal of too few or too many arguments shows `expected`, or the usage.
    """

    name: str
    arguments: str
    answer: str
    help: str
    games: Games | None = None
    in_seat: bool | None = None
    expected: str = ""

    @property
    def usage(self) -> str:
        """The name and the arguments, as shown when there are too few or too many."""
        return self.expected or f"{self.name} {self.arguments or 'without arguments'}"

    @property
    def places(self) -> tuple[bool, ...]:
        """The values of `Session.is_in_seat` for which the command works."""
        return (_TABLE, _SEAT) if self.in_seat is None else (self.in_seat,)

    def check(self, session: Session, arguments: Sequence[str]) -> None:
        """Raise CommandFailed in the wrong game or place, or NotationError for too few or too many arguments."""
        if self.games is not None and not self.games.fits(session.rules):
            raise CommandFailed(self.games.refusal())
        if session.is_in_seat not in self.places:
            raise CommandFailed(_ELSEWHERE[self.in_seat])
        least, most = _argument_counts(self.arguments)
        need(arguments, least, self.usage)
        if len(arguments) > most and "..." not in self.arguments and self.name not in _IGNORE_SURPLUS:
            raise NotationError(f"{arguments[most][:20]}: expected {self.usage}")

    @property
    def errors(self) -> list[str]:
        """The errors that the declaration implies: too few arguments, an unsupported game, or the wrong place."""
        found = [
            f"syntax error: expected {self.usage}" if _argument_counts(self.arguments)[0] else "",
            self.games.refusal() if self.games else "",
            _ELSEWHERE[self.in_seat],
        ]
        return [error for error in found if error]

    def describe(self) -> str:
        """Return the text of `help COMMAND`: its purpose, arguments, answer, games and errors, each on a line."""
        lines = [
            self.help,
            f"arguments: {self.arguments or 'none'}",
            f"answer: {self.answer or 'empty'}",
            f"games: {self.games.words if self.games else 'all'}",
            *(f"error: {error}" for error in self.errors),
        ]
        return "\n".join(lines)


@cache
def _argument_counts(arguments: str) -> tuple[int, int]:
    """Return the number of arguments that are not in brackets, and the number of all."""
    return len(re.sub(r"\[.*?\]|\.\.\.", "", arguments).split()), len(arguments.split())


# Standard commands that ignore surplus arguments, as GNU Go does, because hosts send some. They lose no number or file.
_LENIENT = (
    "protocol_version name version known_command list_commands quit clear_board play genmove reg_genmove showboard"
)
_IGNORE_SURPLUS = frozenset([*_LENIENT.split(), "final_score", "final_status_list"])


_ANALYSIS = "[COLOUR] [CENTISECONDS] [KEY VALUE]..."
_STONES = "a number of stones"
_LOADSGF = "loadsgf FILE [MOVE], FILE without blanks, MOVE from 1"
_PRINTSGF = "printsgf [FILE], FILE without blanks"

# GNU Go's codes: 0 no, 1 yes, 2 if the other side cannot answer a ko, 3 with a ko threat.
_CODE, _CODES = "code and vertex", "two codes and vertex"

# Commands by subject. Each subject is also the name of the module in handlers/ that has their handlers.
DECLARATIONS: dict[str, tuple[GtpCommand, ...]] = {
    "administration": (
        GtpCommand(
            "bot-param", "[KEY VALUE...]", "one parameter per line, or empty", "List the bot's parameters or set one"
        ),
        GtpCommand("cputime", "", "seconds", "Show the processor time used"),
        GtpCommand("gogui-interrupt", "", "", "Confirm that GoGui may interrupt a search"),
        GtpCommand("gomill-cpu_time", "", "seconds", "Show the processor time used"),
        GtpCommand("gomill-describe_engine", "", "lines", "Describe the engine, its game and its bot"),
        GtpCommand("gomill-explain_last_move", "", "text", "Explain the bot's last move"),
        GtpCommand("help", "[COMMAND]", "lines", "List all commands or describe one"),
        GtpCommand("kgs-game_over", "", "", "Note that the game on KGS has ended"),
        GtpCommand("known_command", "[COMMAND]", "true or false", "Show whether a command exists"),
        GtpCommand("list_commands", "", "one name per line", "List all commands"),
        GtpCommand("name", "", "text", "Show the engine's name"),
        GtpCommand("protocol_version", "", "2", "Show the GTP version"),
        GtpCommand("quit", "", "", "End the engine"),
        GtpCommand("set_random_seed", "NUMBER", "", "Set the seed of the bot's random numbers"),
        GtpCommand("version", "", "text", "Show the engine's version"),
    ),
    "setup": (
        GtpCommand("boardsize", "SIZE [HEIGHT]", "", "Start a game on another board size", expected="boardsize SIZE"),
        GtpCommand("clear_board", "", "", "Start a new game"),
        GtpCommand(
            "fixed_handicap", "NUMBER", "vertices", "Place fixed handicap stones", WITH_FIXED_HANDICAP, _TABLE, _STONES
        ),
        GtpCommand("gogui-setup", "[COLOUR VERTEX]...", "", "Start a game from given stones", None, _TABLE),
        GtpCommand("gogui-setup_player", "COLOUR", "", "Set who moves first", None, _TABLE),
        GtpCommand("kgs-rules", "chinese|aga|new_zealand|japanese", "", "Choose KGS's rules, in Go"),
        GtpCommand("komi", "NUMBER", "", "Set the komi, in scored games"),
        GtpCommand(
            "place_free_handicap", "NUMBER", "vertices", "Place handicap stones freely", WITH_HANDICAP, _TABLE, _STONES
        ),
        GtpCommand("rectangular_boardsize", "WIDTH HEIGHT", "", "Start a game on another board size"),
        GtpCommand("set_free_handicap", "[VERTEX...]", "", "Place given handicap stones", WITH_HANDICAP, _TABLE),
        GtpCommand("set_position", "[COLOUR VERTEX]...", "", "Start a game from given stones"),
        GtpCommand("kata-list_time_settings", "", "kinds of time control", "List KataGo's kinds of time control"),
        GtpCommand(
            "kata-time_settings",
            "none|absolute|canadian|byoyomi|fischer|fischer-capped ...",
            "",
            "Set the time control as KataGo does",
        ),
        GtpCommand("kgs-time_settings", "none|absolute|canadian|byoyomi ...", "", "Set the time control as KGS does"),
        GtpCommand("time_left", "COLOUR SECONDS STONES", "", "Set a player's remaining time"),
        GtpCommand("time_settings", "MAIN PERIOD STONES", "", "Set the time control"),
    ),
    "moves": (
        GtpCommand("genmove", "COLOUR", "vertex, pass or resign", "Let the bot move"),
        GtpCommand("gg-undo", "[NUMBER]", "", "Take back several moves", None, _TABLE),
        GtpCommand("gogui-play_sequence", "[COLOUR VERTEX]...", "", "Play several moves", None, _TABLE),
        GtpCommand("kgs-genmove_cleanup", "COLOUR", "vertex, pass or resign", "Let the bot capture dead stones, in Go"),
        GtpCommand("play", "COLOUR VERTEX", "", "Play a move", None, _TABLE),
        GtpCommand("reg_genmove", "COLOUR", "vertex, pass or resign", "Choose a move without playing it"),
        GtpCommand("undo", "", "", "Take back the last move", None, _TABLE),
    ),
    "score": (
        GtpCommand("estimate_score", "", "lead and bounds", "Estimate the score by a short search"),
        GtpCommand("final_score", "", "result", "Score the position"),
        GtpCommand("final_status", "VERTEX", "status or owner", "Judge a stone or point", None, _TABLE),
        GtpCommand(
            "final_status_list",
            "alive|dead|seki",
            "one chain per line",
            "List the chains of one status",
            None,
            _TABLE,
            "alive, dead or seki",
        ),
        GtpCommand("variant-dead", "[VERTEX...]", "vertices", "Mark chains dead or alive; list the dead", None, _TABLE),
        GtpCommand("variant-resign", "COLOUR", "", "Resign for a player", None, _TABLE),
        GtpCommand("variant-result", "", "none, or result and reason", "Show the result of the game"),
    ),
    "game_files": (
        GtpCommand("loadsgf", "FILE [MOVE]", "colour to move", "Load a game from an SGF file", None, _TABLE, _LOADSGF),
        GtpCommand("printsgf", "[FILE]", "SGF, or empty", "Print or write the game as SGF", None, _TABLE, _PRINTSGF),
        GtpCommand("showboard", "", "diagram", "Show the board"),
        GtpCommand("variant-record", "", "JSON", "Show the game as a record", None, _TABLE),
    ),
    "variants": (
        GtpCommand(
            "alter-igo-losing_moves", "[COLOUR]", "vertices", "List moves that lose at once", WITH_LOSING_MOVES, _TABLE
        ),
        GtpCommand("pentalath-line", "", "vertices", "List the points of the winning row", WITH_ROWS, _TABLE),
        GtpCommand("rosette-immune", "", "vertices", "List the immune stones", WITH_IMMUNE_STONES, _TABLE),
        GtpCommand("variant-describe", "[SPEC...]", "JSON", "Describe a game, its options and its board"),
        GtpCommand("variant-get", "", "SPEC", "Show the game with all its options"),
        GtpCommand("variant-legal_moves", "[COLOUR]", "vertices, swap, pass", "List the moves that may be played"),
        GtpCommand("variant-list", "", "one game per line: name and title", "List all games"),
        GtpCommand("variant-set", "SPEC...", "", "Start another game"),
        GtpCommand("variant-state", "[COLOUR]", "JSON", "Show the position, or what one player knows"),
        GtpCommand("aleago-commitment", "", "hexadecimal", "Show the commitment to the dice", WITH_DICE, _TABLE),
        GtpCommand(
            "aleago-draw", "[COLOUR FACE...]", "draws, or empty", "Show the known draws or set one", WITH_DICE, _TABLE
        ),
        GtpCommand("aleago-open", "", "vertices", "List the points the draw opens", WITH_DICE, _TABLE),
        GtpCommand("aleago-resume", "", "", "Resume a suspended game", WITH_DICE, _TABLE),
        GtpCommand("aleago-reveal", "", "hexadecimal", "Reveal the secret of the dice", WITH_DICE, _TABLE),
        GtpCommand("aleago-set_dice", "DICE", "", "Change the dice by agreement", WITH_DICE, _TABLE),
        GtpCommand("phantom-announcements", "[all]", "sentences", "Show what the referee said", HIDDEN),
        GtpCommand("phantom-hear", "NEWS...", "", "Give the seat its news", HIDDEN, _SEAT),
        GtpCommand("phantom-odds", "COLOUR", "probabilities by row", "Estimate where enemy stones are", HIDDEN),
        GtpCommand("phantom-seat", "COLOUR", "", "Take a seat that another program referees", HIDDEN),
        GtpCommand("phantom-view", "COLOUR", "diagram", "Show the board as one player knows it", HIDDEN),
    ),
    "gogui_rules": (
        GtpCommand("gogui-rules_board", "", "diagram", "Show the board to GoGui", FOR_TWO, _TABLE),
        GtpCommand("gogui-rules_board_gfx", "", "GoGui graphics", "Draw marks on GoGui's board", FOR_TWO, _TABLE),
        GtpCommand("gogui-rules_board_size", "", "size", "Show the board size to GoGui", FOR_TWO),
        GtpCommand("gogui-rules_captured_count", "", "two numbers", "Count the captured stones", FOR_TWO, _TABLE),
        GtpCommand("gogui-rules_final_result", "", "sentence", "Show the result to GoGui", FOR_TWO, _TABLE),
        GtpCommand("gogui-rules_game_id", "", "name", "Name the game to GoGui", FOR_TWO),
        GtpCommand("gogui-rules_legal_moves", "", "vertices, pass", "List the legal moves to GoGui", FOR_TWO, _TABLE),
        GtpCommand("gogui-rules_side_to_move", "", "black or white", "Show whose turn it is", FOR_TWO, _TABLE),
        GtpCommand("gogui-title", "", "text", "Show the title of GoGui's window"),
    ),
    "katago": (
        GtpCommand("clear_cache", "", "", "Discard what the bot's searches found"),
        GtpCommand("get_komi", "", "number", "Show the komi"),
        GtpCommand("kata-benchmark", "VISITS", "visits per second", "Time searches of ten positions"),
        GtpCommand("kata-get-models", "", "JSON", "List the networks in use"),
        GtpCommand("kata-get-param", "NAME", "value", "Show a parameter of the bot"),
        GtpCommand("kata-get-params", "", "JSON", "Show all parameters of the bot"),
        GtpCommand("kata-get-rules", "", "JSON", "Show the rules as KataGo does"),
        GtpCommand("kata-list-params", "", "names", "List the bot's parameters"),
        GtpCommand("kata-raw-nn", "[COLOUR] [SYMMETRY]", "lines", "Show the network's evaluation", FOR_TWO, _TABLE),
        GtpCommand("kata-set-param", "NAME VALUE...", "", "Set a parameter of the bot"),
        GtpCommand("kata-set-params", "OBJECT...", "", "Set several parameters of the bot"),
        GtpCommand("kata-set-rule", "KEY VALUE...", "", "Change one rule"),
        GtpCommand("kata-set-rules", "RULES...", "", "Set the rules by name, SPEC or JSON"),
        GtpCommand("stop", "", "", "Stop thinking on the opponent's time"),
    ),
    "gnugo": (
        GtpCommand("all_legal", "COLOUR", "vertices", "List the points a player may play on"),
        GtpCommand("captures", "COLOUR", "number", "Count the stones a player has captured", None, _TABLE),
        GtpCommand("color", "VERTEX", "black, white, red or empty", "Show the colour of a point"),
        GtpCommand("countlib", "VERTEX", "number", "Count a chain's liberties", expected="a vertex with a stone"),
        GtpCommand("echo", "[WORD...]", "the words", "Repeat the words"),
        GtpCommand("findlib", "VERTEX", "vertices", "List a chain's liberties", expected="a vertex with a stone"),
        GtpCommand("gg_genmove", "COLOUR [SEED]", "vertex, pass or resign", "Choose a move without playing it"),
        GtpCommand("is_legal", "COLOUR VERTEX", "1 or 0", "Show whether a move is legal"),
        GtpCommand("last_move", "", "colour and vertex", "Show the last move", None, _TABLE),
        GtpCommand("list_stones", "COLOUR", "vertices", "List a player's stones"),
        GtpCommand("move_history", "", "one move per line", "List all moves, the last one first", None, _TABLE),
        GtpCommand("popgo", "", "", "Take back a move made by trymove", None, _TABLE),
        GtpCommand("query_boardsize", "", "one or two numbers", "Show the board size"),
        GtpCommand("restricted_genmove", "COLOUR VERTEX...", "vertex", "Choose the best of some moves"),
        GtpCommand("top_moves", "[COLOUR]", "vertices with win rates", "List the bot's favourite moves"),
        GtpCommand("trymove", "COLOUR VERTEX", "", "Play a move that popgo takes back", None, _TABLE),
        GtpCommand(
            "unconditional_status", "VERTEX", "status or owner", "Judge a point, assuming its owner never answers"
        ),
    ),
    "tactics": (
        GtpCommand(
            "analyze_semeai", "VERTEX VERTEX", _CODES, "Show whether a group lives and kills another", GO, _TABLE
        ),
        GtpCommand("attack", "VERTEX", _CODE, "Show whether a chain can be captured, and how", GO, _TABLE),
        GtpCommand("connect", "VERTEX VERTEX", _CODE, "Show whether two chains can be joined, and how", GO, _TABLE),
        GtpCommand("defend", "VERTEX", _CODE, "Show whether a chain can be saved from capture, and how", GO, _TABLE),
        GtpCommand("disconnect", "VERTEX VERTEX", _CODE, "Show whether two chains can be cut apart", GO, _TABLE),
        GtpCommand("dragon_status", "[VERTEX]", "alive, dead or critical", "Judge a group by a search", GO, _TABLE),
        GtpCommand("owl_attack", "VERTEX", _CODE, "Show whether a group can be killed, and how", GO, _TABLE),
        GtpCommand("owl_defend", "VERTEX", _CODE, "Show whether a group can be made alive, and how", GO, _TABLE),
    ),
    "live_analysis": (
        GtpCommand("analyze", _ANALYSIS, "reports", "Analyse until the next command"),
        GtpCommand("cgos-genmove_analyze", _ANALYSIS, "JSON and a move", "Let the bot move, report as CGOS wants"),
        GtpCommand("genmove_analyze", _ANALYSIS, "reports and a move", "Let the bot move and report"),
        GtpCommand("kata-analyze", _ANALYSIS, "reports", "Analyse until the next command, as KataGo does"),
        GtpCommand("kata-genmove_analyze", _ANALYSIS, "reports and a move", "Let the bot move, report as KataGo does"),
        GtpCommand("kata-search", "COLOUR", "vertex, pass or resign", "Choose a move without playing it"),
        GtpCommand("kata-search_analyze", _ANALYSIS, "reports and a move", "Choose a move and report"),
        GtpCommand(
            "kata-search_analyze_cancellable",
            _ANALYSIS,
            "reports and a move, or cancelled",
            "Choose a move and report until the next command",
        ),
        GtpCommand("kata-search_cancellable", "COLOUR", "move, or cancelled", "Choose a move until the next command"),
        GtpCommand("lz-analyze", _ANALYSIS, "reports", "Analyse until the next command, as Leela Zero does"),
        GtpCommand(
            "lz-genmove_analyze", _ANALYSIS, "reports and a move", "Let the bot move, report as Leela Zero does"
        ),
    ),
    "gogui_analyze": (
        GtpCommand("gogui-analyze_commands", "", "one menu item per line", "List GoGui's analyze commands"),
        GtpCommand("show-atari", "", "GoGui graphics", "Mark chains in atari", FOR_TWO),
        GtpCommand("show-explanation", "", "text", "Explain the bot's last move"),
        GtpCommand("show-eyes", "", "GoGui graphics", "Mark the eyes of both players", FOR_TWO),
        GtpCommand("show-liberties", "", "GoGui graphics", "Label chains with their liberties", FOR_TWO),
        GtpCommand("show-odds", "", "GoGui graphics", "Show each line's odds in the next draw", WITH_DICE, _TABLE),
        GtpCommand("show-open_line", "", "GoGui graphics", "Mark the points the draw opens", WITH_DICE, _TABLE),
        GtpCommand("show-options", "", "lines", "Show the game and its options"),
        GtpCommand("show-ownership", "", "GoGui graphics", "Estimate who owns each point", FOR_TWO),
        GtpCommand("show-player", "", "text", "Show the bot's name and strength"),
        GtpCommand("show-principal_variation", "", "GoGui graphics", "Show the best line of play", FOR_TWO),
        GtpCommand(
            "show-rosettes", "", "GoGui graphics", "Mark rosettes and nearly full hexagons", WITH_IMMUNE_STONES, _TABLE
        ),
        GtpCommand("show-search", "", "GoGui graphics", "Show a search while it runs", FOR_TWO),
        GtpCommand("show-win_rates", "", "GoGui graphics", "Label moves with their win rates", FOR_TWO),
    ),
    "server_chat": (GtpCommand("kgs-chat", "game|private NAME TEXT...", "text", "Answer a chat message on KGS"),),
}
COMMANDS = {each.name: each for commands in DECLARATIONS.values() for each in commands}
_WITHOUT_CHAT = {name: each for name, each in COMMANDS.items() if name != "kgs-chat"}


def known_commands(session: Session) -> Mapping[str, GtpCommand]:
    """Return the commands of this process by name. They include kgs-chat only if the KGS bridge is used.

    kgsGtp 3.5.20 and later crash with an engine that has kgs-chat.
    """
    return COMMANDS if session.quirks.chat == KGS else _WITHOUT_CHAT


# Handlers by command name and place: True for a refereed seat, False for our own table.
HANDLERS: dict[tuple[str, bool], Handler] = {}


def command(*names: str, in_seat: bool | None = None) -> Callable[[AnyHandler], AnyHandler]:
    """Return a decorator that registers a handler: at our table, in a refereed seat, or in both.

    Raises ImportError if the command is not declared for that place or already has a handler.
    """

    def register(handler: AnyHandler) -> AnyHandler:
        for name in names:
            places = COMMANDS[name].places if name in COMMANDS else ()
            fitting = [place for place in places if in_seat in (None, place)]
            if not fitting or any((name, place) in HANDLERS for place in fitting):
                raise ImportError(f"{name}: expected a declared command with one handler")
            HANDLERS.update({(name, place): handler for place in fitting})
        return handler

    return register


def register_all(handlers: Mapping[str, Handler]) -> None:
    """Register one-line handlers by command name, in every place where the commands work."""
    for name, handler in handlers.items():
        command(name)(handler)


# -- arguments ---------------------------------------------------------------------------------------------------------


def need(arguments: Sequence[str], count: int, usage: str) -> None:
    """Raise NotationError if there are fewer than `count` arguments."""
    if len(arguments) < count:
        raise NotationError(f"expected {usage}")


def read_whole(word: str, usage: str, least: float = -inf) -> int:
    """Return a whole number, cut to its first 12 digits. Raises NotationError if it is invalid or below `least`."""
    is_long = word.isascii() and word.isdigit()
    number = int(word.lstrip("0")[:12] or "0") if is_long else read_seconds(word, usage, least)
    if number != int(number) or number < least:
        raise NotationError(f"{word[:20]}: expected {usage}")
    return int(number)


def read_seconds(word: str, usage: str, least: float = 0.0) -> float:
    """Return a time in seconds. Raises NotationError if it is invalid or below `least`."""
    try:
        number = float(read_number(word))
    except ValueError:
        number = nan
    if not number >= least:
        raise NotationError(f"{word[:20]}: expected {usage}")
    return number
