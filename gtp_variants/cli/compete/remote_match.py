"""`gtp-variants match FILE serve` and `match --join URL`: a match whose games are played on several machines."""

import argparse
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_urlsafe

from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.run.runner import COMPLETE, INTERRUPTED, GameSource
from gtp_variants.errors import ConfigError
from gtp_variants.folders import user_path
from gtp_variants.records.files import write

LISTEN = "127.0.0.1:8417"
TOKEN_VARIABLE = "GTP_VARIANTS_TOKEN"
# How long a serving side may be away until we think that it does not come back.
_PATIENCE_S = 300.0


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of both sides."""
    parser.add_argument("--listen", metavar="HOST:PORT")
    parser.add_argument("--lease", type=_seconds, metavar="S")
    parser.add_argument("--join", metavar="URL")
    parser.add_argument("--token", type=Path, metavar="FILE")


def _seconds(text: str) -> float:
    if not text.isdecimal() or not 0 < int(text) <= 86400:
        raise argparse.ArgumentTypeError(f"expected a whole number of seconds, not {text[:40]!r}")
    return float(text)


@contextmanager
def serve(config: MatchConfig, options: argparse.Namespace) -> Iterator[GameSource]:
    """Let machines join as long as the context lasts; where their games come from."""
    from gtp_variants.arena.remote.http_server import listen
    from gtp_variants.arena.remote.leases import TERM_S
    from gtp_variants.arena.remote.serving import GameServer

    host, _, port = (options.listen or LISTEN).rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise ConfigError([f"--listen: expected HOST:PORT, not {options.listen!r}"])
    path, token = _token_of(options.token, config.folder / "token")
    server = GameServer(config, _say, term_s=options.lease or TERM_S)
    with listen(host.strip("[]"), int(port), token, server.answer) as chosen:
        about = f" --token {path}" if path else ""
        _say(f"machines join by: gtp-variants match --join http://{host}:{chosen}{about}")
        yield server.games
        for name, tally in sorted(server.tallies.items()):
            _say(f"{name}: {tally.games} games")


def join(options: argparse.Namespace) -> int:
    """Play games of somebody else's match until it is over; the exit status."""
    from gtp_variants.arena.remote.joined import JoinedMachine, ServerGone, ServingSide

    _, token = _token_of(options.token, None)
    name = f"{socket.gethostname()}/{os.getpid()}"
    say = (lambda text: None) if options.quiet else _say
    server = ServingSide(options.join, token, _PATIENCE_S, say)
    try:
        kept = JoinedMachine(server, name, options.jobs or 1, say).play()
    except ServerGone as error:
        _say(str(error))
        return INTERRUPTED
    _say(f"the match is over; {kept} games were played here")
    return COMPLETE


def _token_of(path: Path | None, fresh: Path | None) -> tuple[Path | None, str]:
    """The secret and the file it is in: the one that is named, the environment, or a file that is made if need be."""
    if path is None and (token := os.environ.get(TOKEN_VARIABLE)):
        return None, token
    if path is None and fresh is not None:
        path = fresh
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, f"{token_urlsafe(32)}\n".encode(), 0o600)
    if path is None:
        raise ConfigError([f"--token: expected a file, or ${TOKEN_VARIABLE}"])
    token = user_path(path).read_text(encoding="utf-8").strip()
    if not token:
        raise ConfigError([f"--token: {path} is empty"])
    return path, token


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
