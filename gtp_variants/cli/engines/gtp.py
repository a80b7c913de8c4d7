"""The command `gtp-variants gtp`: our GTP engine on standard input and output."""

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import BinaryIO

from gtp_variants.ai.backend import announcement
from gtp_variants.ai.nets.weight_choice import check_instructions
from gtp_variants.base.processes.cores import usable_cores
from gtp_variants.cli.parser import STONES, CommandParser, add_strength_options, at_strength, has_strength, language_of
from gtp_variants.errors import NotationError, VariantsError
from gtp_variants.gtp.engine.engine import GtpEngine
from gtp_variants.gtp.engine.engine_bot import NamedBot
from gtp_variants.gtp.engine.engine_host import KGS, OGS, HostQuirks
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.engine.stdio import serve
from gtp_variants.gtp.identity import IDENTITIES, OURS
from gtp_variants.gtp.stderr_log import log
from gtp_variants.rules import DEFAULT_SPEC, GO, parse
from gtp_variants.rules.colour_names import read_colour
from gtp_variants.rules.dice import mapping_from_rows


def main(arguments: Sequence[str]) -> int:
    """Answer GTP commands until `quit` or the end of the input. Return 2 for impossible arguments."""
    options = parser().parse_args(arguments)
    answers = sys.stdout.buffer
    # Standard output is reserved for the protocol. Any output of a bot goes to standard error.
    with redirect_stdout(sys.stderr):
        return _run(options, answers)


def _run(options: argparse.Namespace, answers: BinaryIO) -> int:
    defaults = {"lang": language_of(options)}
    identity = IDENTITIES[options.identity]
    # With `--as`, the host believes that it starts a program for ordinary Go, so the default game is Go.
    spec = (DEFAULT_SPEC if identity is OURS else GO) if options.spec is None else options.spec
    try:
        if options.mapping is not None:
            defaults["mapping"] = _read_file(options.mapping, mapping_from_rows)
        bot: object = None
        if has_strength(options):
            options.bot = at_strength(options.bot or parse(spec).profile.default_bot, options)
        if options.bot:
            from gtp_variants.players.bots import load

            bot = load(options.bot)
        shown = options.handicap, options.veil, options.chat, identity
        quirks = HostQuirks(options.off_line == "accept", options.tell, *shown)
        seed = options.seed if options.seed_file is None else _read_file(options.seed_file, _read_seed)
        named = NamedBot(options.bot)
        session = Session(spec, bot=named, seed=seed, viewer=options.view, defaults=defaults, quirks=quirks)
        check_instructions()
        # Without a SPEC, the host chooses the game later, so the bot cannot be checked yet.
        if bot is not None and options.spec is not None:
            from gtp_variants.players.bots import check_rules

            check_rules(bot, session.rules)
        session.bot.cores = usable_cores()
        # Analysis uses all cores, even if the bot uses fewer.
        log(announcement(getattr(bot, "threads", None) or session.bot.cores))
    except (VariantsError, OSError, ValueError) as error:
        from gtp_variants.records.files import complain

        return complain("gtp", error, language_of(options))
    # The host may close the pipe, and a person at a terminal may press Ctrl-C: both are normal ends.
    with suppress(BrokenPipeError, KeyboardInterrupt):
        engine = GtpEngine(session)
        for effect in options.effects:
            answer = (engine.answer(effect.encode()) or b"").decode().strip()
            if not answer.startswith("="):
                log(f"{effect}: {answer.removeprefix('? ')}; the parameter has no effect here")
        if identity.ready:
            log(identity.ready)
        serve(engine, sys.stdin.buffer, answers)
    return 0


def _read_seed(text: str) -> str:
    if not text.strip():
        raise NotationError("is empty; expected the secret of the dice")
    return text.strip()


def _read_file(path: Path, read: Callable[[str], str]) -> str:
    """Return the result of `read` for the text in a file. Raises OSError, or NotationError with the file name."""
    try:
        return read(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise NotationError(f"{path}: byte {error.start}: not UTF-8") from None
    except NotationError as error:
        raise NotationError(f"{path}: {error}") from None


def parser() -> CommandParser:
    made = CommandParser("gtp")
    made.add_argument("spec", nargs="?", metavar="SPEC")
    made.add_identity_option(tuple(IDENTITIES), "gtp-variants")
    made.add_argument("--bot", default="", metavar="NAME[:key=value,...]")
    add_strength_options(made)
    secret = made.add_mutually_exclusive_group()
    secret.add_argument("--seed", metavar="TEXT")
    secret.add_argument("--seed-file", type=Path, metavar="FILE")
    made.add_argument("--view", type=_viewer, metavar="b|w|r|all")
    made.add_argument("--mapping", type=Path, metavar="FILE")
    made.add_argument("--off-line", choices=("refuse", "accept"), default="refuse")
    made.add_argument("--veil", action="store_true")
    made.add_argument("--tell", action="store_true")
    made.add_argument("--chat", choices=(KGS, OGS), default="")
    made.add_argument("--handicap", type=STONES.read_whole, default=0, metavar="N")
    return made


def _viewer(word: str) -> int | None:
    if word.lower() == "all":
        return None
    try:
        return read_colour(word)
    except NotationError:
        raise ValueError("expected b, w, r or all") from None
