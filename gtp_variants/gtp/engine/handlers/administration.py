"""Commands about the engine itself: its name, commands, bot and random numbers."""

import time

from gtp_variants.ai.backend import limitation
from gtp_variants.errors import CommandFailed
from gtp_variants.gtp.engine.commands import command, known_commands, need, register_all
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.identity import OURS

register_all(
    {
        "protocol_version": lambda session, _: "2",
        "name": lambda session, _: session.engine_name,
        "version": lambda session, _: session.quirks.identity.version,
        "set_random_seed": lambda session, given: session.bot.set_random_seed(given[0]),
        "known_command": lambda session, given: str(bool(given) and given[0] in known_commands(session)).lower(),
        "list_commands": lambda session, _: "\n".join(known_commands(session)),
        "cputime": lambda session, _: f"{time.process_time():.3f}",
        "gomill-cpu_time": lambda session, _: f"{time.process_time():.3f}",
        "gomill-explain_last_move": lambda session, _: session.play.explain(),
        # These two commands are accepted but have no effect.
        "gogui-interrupt": lambda session, _: None,
        "kgs-game_over": lambda session, _: None,
    }
)


@command("quit")
def quit_engine(session: Session, arguments: list[str]) -> None:
    session.is_done = True


@command("gomill-describe_engine")
def describe_engine(session: Session, arguments: list[str]) -> str:
    bot = f"bot {session.bot.name} ({session.bot.introduce()})"
    lines = [f"{OURS.name} {OURS.version}", f"game {session.rules.spec}", bot, limitation(session.rules)]
    return "\n".join(line for line in lines if line)


@command("help")
def show_help(session: Session, arguments: list[str]) -> str:
    """Describe a command. Without an argument, list all commands as GNU Go does. Raises CommandFailed if unknown."""
    if not arguments:
        return "\n".join(known_commands(session))
    found = known_commands(session).get(arguments[0])
    if found is None:
        raise CommandFailed("unknown command")
    return found.describe()


@command("bot-param")
def bot_param(session: Session, arguments: list[str]) -> str:
    """Set a parameter of the bot, or list all parameters as GoGui's dialog needs them."""
    from gtp_variants.players.bots import kind, parameters

    bot = session.bot.make_player()
    known = parameters(bot)
    if arguments:
        need(arguments, 2, "bot-param KEY VALUE")
        key, text = arguments[0], " ".join(arguments[1:])
        if key in known and kind(bot, key) is bool:
            # Translate what GoGui writes: 0 for false and 1 for true.
            text = {"0": "false", "1": "true"}.get(text, text)
        session.bot.set_parameter(key, text)
        return ""
    lines = []
    for key, value in known.items():
        is_bool = kind(bot, key) is bool and value is not None
        text = "none" if value is None else str(value)
        lines.append(f"[bool] {key} {int(bool(value))}" if is_bool else f"[string] {key} {text}")
    return "\n".join(lines)
