"""Work in small steps between moves, and the files of a lobby: records of its games, and games that cannot be read."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from gtp_variants.errors import RecordError
from gtp_variants.records.files import write
from gtp_variants.records.sgf.games import sgf_pieces
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.game_store import GameStore, StoredGame
from gtp_variants.site.lobby.account_game import AccountGame

# Nodes of a record written in one step, which takes a millisecond or two on a large board.
_NODES_AT_ONCE = 16
# `next` returns this default at the end of some work; the steps before yield None.
_DONE = object()


class BackgroundWork:
    """Runs queued iterators: in each turn of the event loop one step, which takes a millisecond or two."""

    def __init__(self) -> None:
        self._waiting = deque[Iterator[None]]()
        self._is_due = False

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, work: Iterator[None]) -> None:
        """Do the first step of some work and queue the rest, so that short work is done at once."""
        if next(work, _DONE) is not _DONE:
            self._waiting.append(work)
            self._schedule()

    def finish(self) -> None:
        """Do all waiting work now."""
        while self._waiting:
            for _ in self._waiting.popleft():
                pass

    def _schedule(self) -> None:
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on(self) -> None:
        self._is_due = False
        if not self._waiting:
            return
        work = self._waiting.popleft()
        try:
            if next(work, _DONE) is not _DONE:
                self._waiting.appendleft(work)
        finally:
            if self._waiting:
                self._schedule()


class GameFiles:
    """The files in a lobby's `folder`: the record of each finished game, and the lines of unreadable games."""

    def __init__(self, store: GameStore, folder: Path, log: Callable[[str], None]) -> None:
        self._store, self._log = store, log
        self._records, self._aside = folder / "records", folder / "aside"

    def read(self, stored: Sequence[StoredGame]) -> Iterator[AccountGame]:
        """Yield the readable games; end the others and write their lines to files."""
        for each in stored:
            try:
                game = each.replay()
                assert isinstance(game, AccountGame)
                yield game
            except RecordError as error:
                self._put_aside(each, str(error))

    def _put_aside(self, stored: StoredGame, why: str) -> None:
        assert stored.number is not None
        path = self._aside / f"{stored.number:06}.jsonl"
        try:
            self._aside.mkdir(mode=0o700, parents=True, exist_ok=True)
            write(path, "".join(f"{line}\n" for _, line in stored.lines).encode(), 0o600)
            self._store.put_aside(stored.number)
        except OSError as error:
            self._log(f"game {stored.number} cannot be read ({why}) or put aside: {error}")
        else:
            self._log(f"game {stored.number} cannot be read ({why}); it was ended, and its lines are in {path}")

    def file(self, game: AccountGame) -> Iterator[None]:
        """Write the record of a finished game into a file, step by step."""
        black, white = game.names[BLACK], game.names[WHITE]
        pieces: list[str] = []
        try:
            for piece in sgf_pieces(game.record()):
                pieces.append(piece)
                if len(pieces) % _NODES_AT_ONCE == 0:
                    yield
            self._records.mkdir(parents=True, exist_ok=True)
            write(self._records / f"{game.number:06}-{black}-{white}.sgf", "".join(pieces).encode())
            self._store.file(game.number)
        except OSError as error:
            self._log(f"cannot write the record of game {game.number}: {error}")
