"""The files of a lobby: the records of its games, and the games that cannot be read."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from gtp_variants.errors import RecordError
from gtp_variants.records.files import write
from gtp_variants.records.sgf.own_format import sgf_pieces
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.site.game_store import GameRows, GameStore
from gtp_variants.site.lobby.account_game import AccountGame

# Nodes of a record written in one step, which takes a millisecond or two on a large board.
_NODES_AT_ONCE = 16


class GameFiles:
    """The files in a lobby's `folder`: the record of each finished game, and the lines of unreadable games."""

    def __init__(self, store: GameStore, folder: Path, log: Callable[[str], None]) -> None:
        self._store, self._log = store, log
        self._records, self._aside = folder / "records", folder / "aside"

    def read(self, stored: Sequence[GameRows]) -> Iterator[AccountGame]:
        """Yield the readable games; end the others and write their lines to files."""
        for each in stored:
            try:
                game = each.replay()
                assert isinstance(game, AccountGame)
                yield game
            except RecordError as error:
                self._put_aside(each, str(error))

    def _put_aside(self, stored: GameRows, why: str) -> None:
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

    async def file_missing(self) -> None:
        """Write the records that an earlier process could not write. Raises OSError if the games cannot be read."""
        for game in self.read(self._store.without_record()):
            await self.file(game)

    async def file(self, game: AccountGame) -> None:
        """Write the record of a finished game into a file, in small steps between moves of other games."""
        black, white = game.names[BLACK], game.names[WHITE]
        pieces: list[str] = []
        try:
            for piece in sgf_pieces(game.record()):
                pieces.append(piece)
                if len(pieces) % _NODES_AT_ONCE == 0:
                    await asyncio.sleep(0)
            self._records.mkdir(parents=True, exist_ok=True)
            write(self._records / f"{game.number:06}-{black}-{white}.sgf", "".join(pieces).encode())
            self._store.file(game.number)
        except OSError as error:
            self._log(f"cannot write the record of game {game.number}: {error}")
