"""Commands about the engine itself: its name, its commands, its bot, its random numbers."""

import time

from gtp_variants._version import __version__
from gtp_variants.ai.backend import limitation
from gtp_variants.errors import CommandFailed
from gtp_variants.gtp.engine.commands import command, known_commands, need
from gtp_variants.gtp.engine.session import ENGINE_NAME, Session


@command("protocol_version")
def protocol_version(session: Session, arguments: list[str]) -> str:
    return "2"


@command("name")
def name(session: Session, arguments: list[str]) -> str:
    return session.engine_name


@command("version")
def version(session: Session, arguments: list[str]) -> str:
    return session.quirks.version or __version__


@command("quit")
def quit_engine(session: Session, arguments: list[str]) -> str:
    session.is_done = True
    return ""


@command("gogui-interrupt", "kgs-game_over")
def nothing(session: Session, arguments: list[str]) -> str:
    """A command that is accepted and has nothing to do."""
    return ""


@command("cputime", "gomill-cpu_time")
def cputime(session: Session, arguments: list[str]) -> str:
    return f"{time.process_time():.3f}"


@command("set_random_seed")
def set_random_seed(session: Session, arguments: list[str]) -> str:
    session.bot.set_random_seed(arguments[0])
    return ""


@command("gomill-describe_engine")
def describe_engine(session: Session, arguments: list[str]) -> str:
    rules = session.rules
    lines = [
        f"{ENGINE_NAME} {__version__}",
        f"game {rules.spec}",
        f"bot {session.bot.name} ({session.bot.introduce()})",
        limitation(rules),
    ]
    return "\n".join(line for line in lines if line)


@command("gomill-explain_last_move")
def explain_last_move(session: Session, arguments: list[str]) -> str:
    return session.bot.explanation


@command("list_commands")
def list_commands(session: Session, arguments: list[str]) -> str:
    return "\n".join(sorted(known_commands(session)))


@command("known_command")
def known_command(session: Session, arguments: list[str]) -> str:
    return "true" if arguments and arguments[0] in known_commands(session) else "false"


@command("help")
def show_help(session: Session, arguments: list[str]) -> str:
    """The declaration of a command; without one the names of all, as GNU Go answers."""
    if not arguments:
        return list_commands(session, arguments)
    found = known_commands(session).get(arguments[0])
    if found is None:
        raise CommandFailed("unknown command")
    return found.describe()


# How GoGui says it.
_BOOLS = {"0": "false", "1": "true"}


@command("bot-param")
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
