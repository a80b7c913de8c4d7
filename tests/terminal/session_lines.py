"""Sessions without a terminal: lines in, blocks out."""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import TypeVar

from gtp_variants.players.agreements import BOT, PERSON, Participant
from gtp_variants.players.hosted_game import HostedGame, new_record
from gtp_variants.rules import parse
from gtp_variants.rules.actions import PASS, SWAP
from gtp_variants.terminal.blocks import Block, BoardBlock, DiceBlock, TextBlock
from gtp_variants.terminal.fullscreen.board_drawing import Row
from gtp_variants.terminal.games.play_session import PlaySession
from gtp_variants.terminal.games.referee_session import RefereeSession
from gtp_variants.terminal.games.save_file import PLAY, POLICY, REFEREE, GamesFolder

S = TypeVar("S", PlaySession, RefereeSession)
_BEGUN: list[PlaySession | RefereeSession] = []


def put_away() -> None:
    """Let go of the games that were begun since the last time."""
    for session in _BEGUN:
        session.host.file.release()
    _BEGUN.clear()


def playing(
    folder: Path,
    spec: str,
    bots: dict[int, str] | None = None,
    secret: str = "s",
    now: Callable[[], float] = time.monotonic,
    cores: int = 1,
) -> PlaySession:
    """A new game, begun."""
    rules = parse(spec)
    seats = dict.fromkeys(rules.colours, Participant(PERSON))
    seats |= {colour: Participant(BOT, name) for colour, name in (bots or {}).items()}
    game = HostedGame.new(new_record(rules, secret), seats, POLICY, notes={"kind": PLAY}, now=now)
    return _begin(PlaySession(GamesFolder(folder).new(rules.name), game, cores=cores))


def refereeing(folder: Path, spec: str, is_echoed: bool = False) -> RefereeSession:
    """A new game under the referee, begun."""
    rules = parse(spec)
    seats = dict.fromkeys(rules.colours, Participant(PERSON))
    game = HostedGame.new(new_record(rules, "s"), seats, POLICY, notes={"kind": REFEREE})
    return _begin(RefereeSession(GamesFolder(folder).new("referee"), game, is_echoed))


def _begin(session: S) -> S:
    _BEGUN.append(session)
    list(session.begin())
    return session


def tell(session: PlaySession | RefereeSession, *lines: str) -> list[Block]:
    """Return the result of the last of several lines."""
    blocks: list[Block] = []
    for line in lines:
        blocks = list(session.answer(line))
    return blocks


def texts(blocks: Iterable[Block], kind: str | None = None) -> list[str]:
    """The words of some blocks."""
    return [block.text for block in blocks if isinstance(block, TextBlock) and kind in (None, block.kind)]


def everything(blocks: Iterable[Block]) -> str:
    """Every word of some blocks, boards left out."""
    return "\n".join(line for block in blocks for line in _lines(block))


def _lines(block: Block) -> Iterator[str]:
    match block:
        case TextBlock() | DiceBlock():
            yield block.text
        case BoardBlock():
            yield from (block.title, *block.notes)


def text_of(row: Row) -> str:
    """The letters of a row of the full screen without styles."""
    return "".join(letter for _, letter in row)


def random_line(session: PlaySession, rng: Random) -> str:
    """A line that does something: a point that may be tried, a pass, or what a curtain or a question waits for."""
    if session.keyboard.is_curtained or session.game.is_counting:
        return "end" if session.game.is_counting else ""
    actions = session.keyboard.view.actions
    points = [action for action in actions if action >= 0]
    if points and (PASS not in actions or rng.random() < 0.9):
        return session.rules.board.vertex(rng.choice(points))
    return "swap" if SWAP in actions else "pass"
