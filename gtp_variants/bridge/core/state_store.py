"""What must outlive the bridge: of each game that goes on the secret of its dice and what the server does not know.

The moves are not kept here where the server has them. A game is a file that only its owner can read.
"""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_bytes
from typing import Any

from gtp_variants.bridge.core.game.replayed_game import PrivateSteps, Step
from gtp_variants.records.files import write

_PRIVATE = 0o600
_VERSION = 1
_UNSAFE = re.compile(r"[^A-Za-z0-9_.+-]")


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game that goes on.

    `record` is the name of its record's file. `count` is how many moves the server had last. `told` are numbers of
    moves that were let stand off their line; `accepts` says that the players want the next two passes to end it;
    `langs` are the languages of players who are not spoken to in `lang`. `game` is the game itself as JSON, where the
    server has nothing of it.
    """

    key: str
    spec: str
    record: str
    secret: bytes = field(default_factory=lambda: token_bytes(32), repr=False)
    count: int = 0
    unheard: tuple[PrivateSteps, ...] = ()
    told: tuple[int, ...] = ()
    warnings: int = 0
    takebacks: int = 0
    accepts: bool = False
    lang: str = "en"
    langs: tuple[tuple[str, str], ...] = ()
    game: str = field(default="", repr=False)

    def lang_of(self, user: str) -> str:
        """The language that somebody is spoken to in."""
        return dict(self.langs).get(user, self.lang)

    def spoken_to(self, user: str, lang: str) -> "StoredGame":
        """With another language for somebody."""
        return replace(self, langs=tuple({**dict(self.langs), user: lang}.items()))

    def shortened(self, count: int) -> "StoredGame":
        """Without what came after the server's first `count` moves."""
        return replace(
            self,
            count=count,
            unheard=tuple(each for each in self.unheard if each.count <= count),
            told=tuple(number for number in self.told if number < count),
        )

    def with_unheard(self, count: int, steps: Sequence[Step]) -> "StoredGame":
        """With steps that the server does not hear, after its first `count` moves."""
        return replace(self, unheard=(*self.unheard, PrivateSteps(count, tuple(steps))))


class StateStore:
    """The folder of games that go on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, key: str) -> StoredGame | None:
        """The game of this name, None if there is none, or none that can be read."""
        try:
            return _read(json.loads(self._path(key).read_bytes()))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def names(self) -> list[str]:
        """The names of all games that go on."""
        found = []
        for path in sorted(self.folder.glob("*.json")):
            with suppress(OSError, ValueError, KeyError, TypeError):
                found.append(str(json.loads(path.read_bytes())["key"]))
        return found

    def keep(self, entry: StoredGame) -> None:
        """Write a game down. Raises OSError."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write(self._path(entry.key), (json.dumps(_fields(entry)) + "\n").encode(), _PRIVATE)

    def drop(self, key: str) -> None:
        """Forget a game that is over."""
        self._path(key).unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self.folder / f"{safe(key)}.json"


def safe(text: str) -> str:
    """A text as a part of a file's name."""
    return _UNSAFE.sub("_", text)[:100]


def _fields(entry: StoredGame) -> dict[str, Any]:
    return {
        "version": _VERSION,
        "key": entry.key,
        "spec": entry.spec,
        "record": entry.record,
        "secret": entry.secret.hex(),
        "count": entry.count,
        "unheard": [[each.count, [[step.colour, step.word] for step in each.steps]] for each in entry.unheard],
        "told": list(entry.told),
        "warnings": entry.warnings,
        "takebacks": entry.takebacks,
        "accepts": entry.accepts,
        "lang": entry.lang,
        "langs": dict(entry.langs),
        "game": entry.game,
    }


def _read(fields: dict[str, Any]) -> StoredGame | None:
    if fields["version"] != _VERSION:
        return None
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
        str(fields["lang"]),
        tuple((str(name), str(lang)) for name, lang in fields.get("langs", {}).items()),
        str(fields.get("game", "")),
    )
