"""Commands about the engine itself: its name, its commands, its bot, its random numbers."""

import time

from gtp_variants._version import __version__
from gtp_variants.ai.backend import limitation
from gtp_variants.gtp.engine.handler import Handler, need
from gtp_variants.gtp.engine.session import Session

ENGINE_NAME = "GTP Variants"


def protocol_version(session: Session, arguments: list[str]) -> str:
    return "2"


def name(session: Session, arguments: list[str]) -> str:
    return ENGINE_NAME


def version(session: Session, arguments: list[str]) -> str:
    return session.quirks.version or __version__


def quit_engine(session: Session, arguments: list[str]) -> str:
    session.is_done = True
    return ""


def nothing(session: Session, arguments: list[str]) -> str:
    """A command that is accepted and has nothing to do."""
    return ""


def cputime(session: Session, arguments: list[str]) -> str:
    return f"{time.process_time():.3f}"


def set_random_seed(session: Session, arguments: list[str]) -> str:
    need(arguments, 1, "set_random_seed NUMBER")
    session.bot.set_random_seed(arguments[0])
    return ""


def describe_engine(session: Session, arguments: list[str]) -> str:
    rules = session.rules
    lines = [
        f"{ENGINE_NAME} {__version__}",
        f"game {rules.spec}",
        f"bot {session.bot.name} ({session.bot.introduce()})",
        limitation(rules),
    ]
    return "\n".join(line for line in lines if line)


def explain_last_move(session: Session, arguments: list[str]) -> str:
    return session.bot.explanation


# How GoGui says it.
_BOOLS = {"0": "false", "1": "true"}


def bot_param(session: Session, arguments: list[str]) -> str:
    """The bot's parameters as GoGui's parameter dialog reads them, or set one."""
    from gtp_variants.players.bots import kind, parameters

    if arguments:
        need(arguments, 2, "bot-param KEY VALUE")
        key, text = arguments[0], " ".join(arguments[1:])
        bot = session.bot.make_player()
        if key in parameters(bot) and kind(bot, key) is bool:
            text = _BOOLS.get(text, text)
        session.bot.set_parameter(key, text)
        return ""
    bot = session.bot.make_player()
    lines = []
    for key, value in parameters(bot).items():
        is_bool = kind(bot, key) is bool and value is not None
        lines.append(f"[bool] {key} {int(bool(value))}" if is_bool else f"[string] {key} {_parameter_text(value)}")
    return "\n".join(lines)


def _parameter_text(value: object) -> str:
    return "none" if value is None else str(value)


HANDLERS: dict[str, Handler] = {
    "bot-param": bot_param,
    "cputime": cputime,
    "gogui-interrupt": nothing,
    "gomill-cpu_time": cputime,
    "gomill-describe_engine": describe_engine,
    "gomill-explain_last_move": explain_last_move,
    "kgs-game_over": nothing,
    "name": name,
    "protocol_version": protocol_version,
    "quit": quit_engine,
    "set_random_seed": set_random_seed,
    "version": version,
}
