"""The command `gtp-variants analysis`: an analysis engine on standard input and output, with KataGo's JSON protocol."""

import argparse
import json
import sys
import threading
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
from typing import TextIO

from gtp_variants.base.json_values import Json
from gtp_variants.base.number_ranges import NumberRange
from gtp_variants.base.processes.cores import usable_cores
from gtp_variants.cli.parser import COUNT, CommandParser
from gtp_variants.gtp.analysis.query import PERSPECTIVES, QueryDefaults
from gtp_variants.gtp.identity import IDENTITIES
from gtp_variants.gtp.stderr_log import log

_MAX_VISITS = 2000
# Number of positions searched at the same time: the default, and the range that KataGo accepts.
_AT_ONCE = 4
_THREADS = NumberRange(1, 16_384)
_NO_FILES = ("auto", "self", "none")


def main(arguments: Sequence[str]) -> int:
    """Answer queries until the end of the input. Raises RecordError for an unreadable network."""
    options = parser().parse_args(arguments)
    if options.net not in _NO_FILES:
        from gtp_variants.ai.nets.network import Network

        Network.load(options.net)
    for effect in options.effects:
        log(f"{effect.partition(' ')[2]}: queries have such settings; the parameter has no effect here")
    answers = sys.stdout
    # Standard output is reserved for the protocol. Any output of a bot or a library goes to standard error.
    with redirect_stdout(sys.stderr):
        return _serve(options, answers)


def _serve(options: argparse.Namespace, answers: TextIO) -> int:
    from gtp_variants.gtp.analysis.engine import AnalysisEngine

    lock = threading.Lock()

    def tell(answer: Json) -> None:
        with lock:
            answers.write(json.dumps(answer, ensure_ascii=False, separators=(",", ":")) + "\n")
            answers.flush()

    queries = sys.stdin.buffer
    defaults = QueryDefaults(options.max_visits, PERSPECTIVES[options.winrates_as.upper()])
    identity = IDENTITIES[options.identity]
    engine = AnalysisEngine(tell, defaults, options.net, usable_cores(), options.analysis_threads, identity)

    def read() -> None:
        finishes = False
        try:
            for line in queries:
                engine.take(line.decode("utf-8-sig", "replace"))
            finishes = not options.quit_without_waiting
        except OSError:
            pass  # the host has closed the connection
        finally:
            engine.close(finishes=finishes)

    threading.Thread(target=read, daemon=True).start()
    # Ogatak waits for exactly this message, which KataGo prints.
    log("Started, ready to begin handling requests")
    with suppress(BrokenPipeError, KeyboardInterrupt):
        engine.work()
    return 0


def parser() -> CommandParser:
    made = CommandParser("analysis")
    made.add_argument("--max-visits", type=COUNT.read_whole, default=_MAX_VISITS, metavar="N")
    made.add_argument("--net", default="auto", metavar="FILE")
    made.add_argument("--winrates-as", choices=("black", "white", "sidetomove"), default="black")
    made.add_argument(
        "--analysis-threads", "-analysis-threads", type=_THREADS.read_whole, default=_AT_ONCE, metavar="N"
    )
    made.add_argument("--quit-without-waiting", "-quit-without-waiting", action="store_true")
    # The engine claims to be KataGo by default, because some hosts of KataGo cannot pass additional options.
    made.add_identity_option(("gtp-variants", "katago"), "katago")
    return made
