"""The samples of a match as files, one for each game that counts, whenever the process that writes them is killed.

A game's file is written whole under another name before the game is kept in the store, and gets its own name once it
is. Whoever goes on with the match finds both cases: a file of a game that is in the store is given its name, one of a
game that is not, and will be played again, is deleted.
"""

from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

from gtp_variants.ai.samples.formats import FORMATS
from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.result_row import FinishedGame
from gtp_variants.records.files import write

_WAITING = ".waiting"


class SampleFiles:
    """The files in the folder of samples of a match."""

    def __init__(self, config: MatchConfig) -> None:
        self.folder = config.sample_folder
        self._format = config.outputs.export

    def settle(self, kept: Collection[str]) -> None:
        """After a run that was killed: give the files of games that are kept their names, and delete the others."""
        for file in sorted(self.folder.rglob(f"*{_WAITING}")):
            name = file.with_name(file.name.removesuffix(_WAITING))
            if name.with_suffix("").relative_to(self.folder).as_posix() in kept:
                file.replace(name)
            else:
                file.unlink()

    def prepare(self, game: FinishedGame) -> None:
        """Write the file of a game that is not kept yet, if it has samples."""
        if game.samples:
            target = self._waiting(game.row.id)
            target.parent.mkdir(parents=True, exist_ok=True)
            write(target, game.samples)

    def publish(self, game: FinishedGame) -> None:
        """Give the file of a game its name: the game is kept now."""
        if game.samples:
            waiting = self._waiting(game.row.id)
            waiting.replace(waiting.with_name(waiting.name.removesuffix(_WAITING)))

    def discard(self, game: FinishedGame) -> None:
        """Delete the file of a game that somebody else kept before."""
        self._waiting(game.row.id).unlink(missing_ok=True)

    def delete(self, ids: Iterable[str]) -> None:
        """Delete the files of games, and folders that are empty then."""
        folders = {self.folder}
        for id in ids:
            for form in FORMATS:
                (self.folder / f"{id}.{form}").unlink(missing_ok=True)
            folders.add((self.folder / id).parent)
        for folder in sorted(folders, reverse=True):
            with suppress(OSError):
                folder.rmdir()

    def _waiting(self, id: str) -> Path:
        return self.folder / f"{id}.{self._format}{_WAITING}"
