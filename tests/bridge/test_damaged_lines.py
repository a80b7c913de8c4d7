"""Lines of NNGS, IGS, CGOS and our own server that are damaged at random: read, skipped, or the end of a connection."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gtp_variants.bridge.cgos import Cgos, Variants
from gtp_variants.bridge.core.game_sync import ReplayedGame, rules_of, setup_of, steps_of
from gtp_variants.bridge.core.server import Server, ServerGame
from gtp_variants.bridge.nngs import Nngs
from gtp_variants.errors import PeerError, PeerGarbled, PeerGone, VariantsError
from tests.bridge.fakes.running_bridge import config_of

NNGS = """1 6
9 Use <match alpha W 5 10 0> or <decline alpha> to respond.
9 Use <nmatch alpha B 2 9 600 300 25 0 0 0> or <decline alpha> to respond.
9 Creating match [1] with alpha.
15 Game 1 I: botty (0 600 -1) vs alpha (0 598 25)
15   0(B): Handicap 2
15   1(W): C3
15   2(B): Pass
7 [ 1]       botty [ NR ] vs.       alpha [ 5k*] (  0    5  0  6.5 10 FI) (  0)
9 alpha offers a new komi of 3.5.
9 Komi is now set to -2.5
9 You can check your score with the score command, type 'done' when finished.
9 Removing @ C3
9 Board is restored to what it was when you started scoring
5 Illegal Move
20 botty (W:O): 12.5 to alpha (B:#): 8.0
22 {Game 1: botty vs alpha* : W 12.5 B 8.0}
21 {Game 1: botty vs alpha : Black resigns.}
21 {Game 1: botty vs alpha has adjourned.}
21 {alpha [ 5k*] has connected.}
9 Removed game file botty-alpha from database.
9 alpha has run out of time.
9 Found 2 stored games.
23 botty-alpha alpha-botty
24 *alpha*: !dice 1d6
24 *SYSTEM*: alpha requests undo.
25 botty [3k ](W) : alpha [5k ](B) H 0 K 0.5 19x19 W+Resign 10-11-26
27   Q! --   -- alpha       4s      5k* |    X --    2 bravo      12s     NR  |
27                 ********   2 Players 1 Total Games ********
28 alpha undid the last move (C3) .
9 Your account name is botty."""
CGOS = """setup 12 5 7.5 300000 other(1523) botty(1500?)
setup 13 9 -7 300000 botty(1500) other(1523?) C3 299000 D4 298000
play w C3 299120
play b PASS 299120
genmove b 298000
genmove w -5
info hello there
gameover 2026-11-20 W+12.5
gameover 2026-11-20 B+Resign"""
VARIANTS = f"""variant 12 b aleago:size=5,dice=2d2 2bb80d53
draw 1 b 1 2
draw 2 w free
agreed 8 set_dice 1d2
propose b set_dice 1d2
hear w refused ?
record {{"format":"gtp-variants"}}
{CGOS}"""
ODD = (
    "",
    "-",
    "?",
    "0",
    "-1",
    "9" * 30,
    "9" * 5000,
    "1e999",
    "nan",
    "\u0663",
    "\ud800",
    "Z99",
    "I5",
    "(",
    "*" * 300,
    "b",
    "\t",
)


def damaged(text: str, rng: random.Random, count: int) -> Iterator[str]:
    """Yield lines in any order; of three, one is whole, one has a strange word, and one a strange letter."""
    lines = text.splitlines()
    for _ in range(count):
        line = rng.choice(lines)
        words = line.split(" ")
        kind = rng.randrange(3)
        if kind == 1:
            words[rng.randrange(len(words))] = rng.choice(ODD)
        elif kind == 2:
            at = rng.randrange(len(line) + 1)
            yield line[:at] + rng.choice(("", *"()[]{}<>*.:-+ 09W\0")) + line[at + rng.randrange(3) :]
            continue
        yield " ".join(words)


class Lines:
    """A connection that has these lines and takes anything."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    async def read(self, *limits: object) -> str:
        for line in self._lines:
            return line
        raise PeerGone("no more lines")

    async def write(self, text: str, **how: object) -> None:
        assert "\n" not in text


def _nngs(config: Any, log: Callable[[str], None]) -> Server:
    return Nngs(config, log, is_igs=False)


def _igs(config: Any, log: Callable[[str], None]) -> Server:
    return Nngs(config, log, is_igs=True)


def _follow(state: ServerGame) -> None:
    """Follow a game by our rules as far as they allow it, as the bridge does."""
    try:
        rules = rules_of("go:size=5", state)
        replay = ReplayedGame(rules, b"secret", setup_of(rules, state), first=state.first)
        replay.follow(steps_of(state.moves, (), ()))
    except VariantsError:
        pass


async def _read(make: Callable[..., Server], text: str, seed: int, count: int, folder: Path) -> int:
    """Read damaged lines, over as many connections as they end; return the number of events."""
    kind = "variants" if make is Variants else "cgos" if make is Cgos else "nngs"
    config = config_of(kind, 80, folder, game="aleago:size=5,dice=2d2" if make is Variants else "go:size=5")
    lines, happened = Lines(damaged(text, random.Random(seed), count)), 0
    while True:
        server: Any = make(config, lambda text: None)
        server._line = lines
        for part in ("_games", "_invitations"):
            if hasattr(server, part):
                getattr(server, part)._write = lines.write
        try:
            async for event in server.events():
                happened += 1
                if isinstance(event, ServerGame) and event.refereed is None:
                    _follow(event)
        except PeerError as error:
            if str(error) == "no more lines":
                return happened
            if isinstance(error, PeerGarbled) and make not in (Cgos, Variants):
                raise


SERVERS = [(_nngs, NNGS), (_igs, NNGS), (Cgos, CGOS), (Variants, VARIANTS)]


@pytest.mark.parametrize(("make", "text"), SERVERS, ids=["nngs", "igs", "cgos", "variants"])
async def test_damaged_lines_never_raise_anything_unexpected(
    make: Callable[..., Server], text: str, tmp_path: Path
) -> None:
    assert await _read(make, text, 1, 500, tmp_path) > 30


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize(("make", "text"), SERVERS, ids=["nngs", "igs", "cgos", "variants"])
async def test_many_damaged_lines(make: Callable[..., Server], text: str, tmp_path: Path, seed: int) -> None:
    assert await _read(make, text, seed, 40_000, tmp_path) > 1000
