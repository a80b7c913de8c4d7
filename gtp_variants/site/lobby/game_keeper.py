"""Stores games: each event as it happens, the ratings at the end, and a record in a file."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from gtp_variants.records.files import write
from gtp_variants.records.sgf.games import sgf_pieces
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.access.accounts import Account, Anchors
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.account_store import ServerStore, Unreadable

# Returned by `next` at the end of some work, whose steps yield None.
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


# Maximum finished games that wait to be written while the disk is full.
_MOST_LATE = 100
# Nodes of a record written in one step, which takes a millisecond or two on a large board.
_NODES_AT_ONCE = 16


class GameKeeper:
    """Stores the games of one server. Records and unreadable games are written to files in its folder."""

    def __init__(
        self, store: ServerStore, folder: Path, anchors: Anchors, log: Callable[[str], None], background: BackgroundWork
    ) -> None:
        self._store = store
        self._records, self._aside = folder / "records", folder / "aside"
        self._anchors = anchors
        self._log = log
        self._background = background
        # Finished games that could not be written, to be tried again.
        self._late: deque[AccountGame] = deque(maxlen=_MOST_LATE)

    def load_running(self) -> dict[int, AccountGame]:
        """Return the games in progress, by number. Raises OSError."""
        return {game.number: game for game in self._read(self._store.running())}

    def file_missing(self) -> None:
        """Write the records that an earlier process could not write. Raises OSError."""
        for game in self._read(self._store.without_record()):
            for _ in self._file(game):
                pass

    def _read(self, kept: Iterable[AccountGame | Unreadable]) -> Iterator[AccountGame]:
        """Yield the readable games; end the others and write their lines to files."""
        for each in kept:
            if isinstance(each, AccountGame):
                yield each
                continue
            path = self._aside / f"{each.number:06}.jsonl"
            try:
                self._aside.mkdir(mode=0o700, parents=True, exist_ok=True)
                write(path, "".join(f"{line}\n" for line in each.lines).encode(), 0o600)
                self._store.put_aside(each.number)
            except OSError as error:
                self._log(f"game {each.number} cannot be read ({each.why}) or put aside: {error}")
            else:
                self._log(f"game {each.number} cannot be read ({each.why}); it was ended, and its lines are in {path}")

    def keep(self, game: AccountGame) -> None:
        """Write the new events of a game and, at its end, the ratings. A full disk does not stop the game."""
        try:
            if game.result:
                self._end(game)
            else:
                self._store.write(game)
        except OSError as error:
            self._log(str(error))
            if game.result:
                self._late.append(game)

    def keep_late(self) -> None:
        """Write the finished games that could not be written before."""
        while self._late:
            try:
                self._end(self._late[0])
            except OSError:
                return
            self._late.popleft()

    def _end(self, game: AccountGame) -> None:
        self._store.end(game, self._rate(game))
        self._background.add(self._file(game))

    def _rate(self, game: AccountGame) -> Sequence[Account]:
        """Return both accounts with their new ratings; () without a score, or if an account does not exist."""
        score = {"B": 1.0, "W": 0.0, "D": 0.5}.get(game.result[:1])
        black, white = (self._store.account(game.names[colour]) for colour in (BLACK, WHITE))
        if score is None or black is None or white is None:
            return ()
        return self._anchors.rate_game(black, white, score)

    def _file(self, game: AccountGame) -> Iterator[None]:
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
