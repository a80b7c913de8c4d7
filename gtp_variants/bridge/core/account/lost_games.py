"""Games that ended while nobody looked: their records get a result, their secrets are told, nothing of them is kept."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import time

from gtp_variants.bridge.core.game import ending
from gtp_variants.bridge.core.state_store import StateStore, StoredGame
from gtp_variants.errors import RecordError, VariantsError
from gtp_variants.players.table import Table
from gtp_variants.records.files import load_record, save
from gtp_variants.records.record import Record
from gtp_variants.rules.dice.stream import DiceStream


@dataclass(frozen=True, slots=True)
class LostGame:
    """A game of an earlier run that is not on any more: what is stored of it, and its record as it stood."""

    stored: StoredGame
    path: Path
    record: Record | None

    @property
    def players(self) -> dict[int, str]:
        """Colour -> name, as far as the record says."""
        return dict(self.record.players) if self.record is not None else {}


class LostGames:
    """The stored games of an account, as far as nobody plays them now."""

    def __init__(self, store: StateStore, records: Path, log: Callable[[str], None]) -> None:
        self._store, self._records, self._log = store, records, log

    def find(self, on: frozenset[str]) -> Iterator[LostGame]:
        """The stored games but those `on`; games that a journal of ours has go on by themselves."""
        for key in list(self._store):
            stored = self._store.load(key) if key not in on else None
            if stored is not None and not self._store.has_journal(stored):
                yield self._load(stored)

    def load(self, key: str) -> LostGame | None:
        """The stored game of this name."""
        stored = self._store.load(key)
        return None if stored is None else self._load(stored)

    def _load(self, stored: StoredGame) -> LostGame:
        path = self._records / f"{stored.record}.sgf"
        try:
            return LostGame(stored, path, load_record(path))
        except (OSError, RecordError) as error:
            self._log(f"{stored.key}: its record cannot be read: {error}")
            return LostGame(stored, path, None)

    def age_s(self, game: LostGame) -> float:
        """How long nothing has been stored of a game."""
        return time() - self._store.stored_at(game.stored.key)

    def close(self, game: LostGame, result: str) -> None:
        """Write the result into the record, reveal the secret of its dice, and forget the game."""
        if game.record is not None:
            try:
                save(with_end(game.record, game.stored.secret, result), game.path)
            except (OSError, VariantsError) as error:
                self._log(f"{game.stored.key}: the record cannot be kept: {error}")
        self._store.delete(game.stored.key)


def with_end(record: Record, secret: bytes, result: str) -> Record:
    """A record with the end that the server gave it, where our rules can say it, and with the secret of its dice."""
    game, dice = record.game, DiceStream(secret)
    has_dice = record.commitment is not None and dice.commitment == record.commitment
    ending.settle(Table.of(game, lambda: dice, {}), result, ())
    return replace(
        record,
        secret=secret if has_dice else record.secret,
        result=ending.stated_result(game, result),
        comment=f"on the server: {result or 'nobody knows how it ended'}",
    )
