"""The state that outlives the bridge: of each game the secret of its dice and what the server does not know.

The moves are not stored where the server has them, else in a journal. Only their owner can read these files.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields as dataclass_fields, replace
from pathlib import Path
from secrets import token_bytes
from time import time

from gtp_variants.base.json_values import Json
from gtp_variants.bridge.core.game_sync import PrivateSteps, Step
from gtp_variants.errors import RecordError
from gtp_variants.records.files import write
from gtp_variants.records.journal import Journal, JournalFile, read_journal

_OWNER_ONLY = 0o600
_VERSION = 1
# Fields that are called otherwise in a file.
_NAMES = {"private_steps": "unheard", "let_stand": "told", "has_shown_draw": "drawn"}
_UNSAFE = re.compile(r"[^A-Za-z0-9_.+-]")
_UNREADABLE = (OSError, ValueError, KeyError, TypeError)


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game that goes on.

    `record` is the name of its record's file. `count` is how many moves the server had last. `let_stand` are numbers of
    moves that were let stand off their line; `accepts` says that the players want the next two passes to end it;
    `has_shown_draw` that somebody has seen the first draw, so that nobody can choose other dice any more;
    `langs` are the languages of players who are not spoken to in `lang`. `game` is the game itself where the server has
    nothing of it, as JSON of an older version: a journal beside it has it today.
    """

    key: str
    spec: str
    record: str
    secret: bytes = field(default_factory=lambda: token_bytes(32), repr=False)
    count: int = 0
    private_steps: tuple[PrivateSteps, ...] = ()
    let_stand: tuple[int, ...] = ()
    warnings: int = 0
    takebacks: int = 0
    accepts: bool = False
    has_shown_draw: bool = False
    lang: str = "en"
    langs: tuple[tuple[str, str], ...] = ()
    game: str = field(default="", repr=False)

    def lang_of(self, user: str) -> str:
        """The language that somebody is spoken to in."""
        return dict(self.langs).get(user, self.lang)

    def with_language(self, user: str, lang: str) -> "StoredGame":
        """With another language for somebody."""
        return replace(self, langs=tuple({**dict(self.langs), user: lang}.items()))

    def cut_to(self, count: int) -> "StoredGame":
        """Without what came after the server's first `count` moves."""
        return replace(
            self,
            count=count,
            private_steps=tuple(each for each in self.private_steps if each.count <= count),
            let_stand=tuple(number for number in self.let_stand if number < count),
        )

    def with_private_steps(self, count: int, steps: Sequence[Step]) -> "StoredGame":
        """With steps that the server does not hear, after its first `count` moves."""
        return replace(self, private_steps=(*self.private_steps, PrivateSteps(count, tuple(steps))))


class StateStore:
    """The folder of games that go on: a file each, and a journal of those that the server has nothing of."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, key: str) -> StoredGame | None:
        """The game of this name, None if there is none, or none that can be read."""
        with suppress(*_UNREADABLE):
            fields = json.loads(self._path(key).read_bytes())
            return _from_fields(fields) if fields["version"] == _VERSION else None
        return None

    def __iter__(self) -> Iterator[str]:
        """The names of all games that go on."""
        for path in sorted(self.folder.glob("*.json")):
            with suppress(*_UNREADABLE):
                yield str(json.loads(path.read_bytes())["key"])

    def save(self, game: StoredGame) -> None:
        """Write a game down. Raises OSError."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write(self._path(game.key), (json.dumps(_to_fields(game)) + "\n").encode(), _OWNER_ONLY)

    def journal(self, key: str) -> JournalFile:
        """Return the file for the events of a game that the server has nothing of."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return JournalFile(self._path(key).with_suffix(".journal"))

    def has_journal(self, game: StoredGame) -> bool:
        """Return True if the game itself is kept here, as the server has nothing of it."""
        return bool(game.game) or self.journal(game.key).path.exists()

    def stored_at(self, key: str) -> float:
        """Return the time of a game's last write, in seconds since 1970; now if it is not there."""
        try:
            return self._path(key).stat().st_mtime
        except OSError:
            return time()

    def load_journal(self, game: StoredGame) -> Journal | None:
        """Return the journal of a game, None where the server has the game. Raises RecordError."""
        try:
            return read_journal(self.journal(game.key).load())
        except FileNotFoundError:
            return read_journal([game.game]) if game.game else None
        except OSError as error:
            raise RecordError(f"{game.key}: {error.strerror}") from None

    def delete(self, key: str) -> None:
        """Forget a game that is over."""
        self._path(key).unlink(missing_ok=True)
        self.journal(key).path.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self.folder / f"{safe_name(key)}.json"


def safe_name(text: str) -> str:
    """A text as a part of a file's name."""
    return _UNSAFE.sub("_", text)[:100]


def _to_fields(game: StoredGame) -> Json:
    fields: Json = {_NAMES.get(each.name, each.name): getattr(game, each.name) for each in dataclass_fields(game)}
    steps = [[each.count, [[step.colour, step.word] for step in each.steps]] for each in game.private_steps]
    return {"version": _VERSION, **fields, "secret": game.secret.hex(), "unheard": steps, "langs": dict(game.langs)}


def _from_fields(fields: Json) -> StoredGame:
    return StoredGame(
        str(fields["key"]),
        str(fields["spec"]),
        str(fields["record"]),
        bytes.fromhex(fields["secret"]),
        int(fields["count"]),
        tuple(
            PrivateSteps(int(count), tuple(Step(int(colour), str(word)) for colour, word in steps))
            for count, steps in fields["unheard"]
        ),
        tuple(int(number) for number in fields["told"]),
        int(fields["warnings"]),
        int(fields["takebacks"]),
        bool(fields["accepts"]),
        # Older versions showed the first draw at once.
        bool(fields.get("drawn", True)),
        str(fields["lang"]),
        tuple((str(name), str(lang)) for name, lang in fields.get("langs", {}).items()),
        str(fields.get("game", "")),
    )
