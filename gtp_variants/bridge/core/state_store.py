"""Games stored on disk, to be continued after a restart: everything that the server does not know of them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields as dataclass_fields, replace
from pathlib import Path
from secrets import token_bytes
from time import time

from gtp_variants.base.json_values import Json
from gtp_variants.bridge.core.game_sync import PrivateSteps, Step
from gtp_variants.errors import RecordError
from gtp_variants.players.agreements import follow_in_match
from gtp_variants.records.files import write
from gtp_variants.records.journal import Journal, JournalFile, read_journal
from gtp_variants.rules.actions import BLACK, MATCH, WHITE, unpack
from gtp_variants.rules.game import Game

_OWNER_ONLY = 0o600
_VERSION = 1
_MATCH_S = 6 * 3600.0  # the longest wait for the second game of a match, in seconds
# Fields that have other names in the files.
_NAMES = {"private_steps": "unheard", "let_stand": "told", "has_shown_draw": "drawn"}
# Values for the fields that files of older versions lack. These versions showed the first draw at once.
_OLDER: Json = {"drawn": True, "furthest": 0, "single_die_from": 0, "langs": {}, "game": "", "terms": [], "after": ""}
_PLAIN: dict[object, type[str] | type[int] | type[bool]] = {str: str, int: int, bool: bool}
_UNSAFE = re.compile(r"[^A-Za-z0-9_.+-]")
_UNREADABLE = (OSError, ValueError, KeyError, TypeError)


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game in progress, in the form in which it is stored.

    * `record`: the name of its record file, without the extension
    * `count`: the last known number of moves on the server
    * `let_stand`: indices of the moves that were accepted although they were off the open line
    * `accepts`: True if the players want the next two passes to end the game
    * `has_shown_draw`: True once a player has seen the first throw; other dice can then no longer be agreed on
    * `furthest`: the last turn whose throw was shown, even if that turn was taken back
    * `single_die_from`: the first turn in which a single die is thrown by agreement, or 0
    * `terms`: what was agreed on before the first move: the proposer's colour, and the action
    * `after`: in the second game of a match, the name of the first game's record; otherwise ""
    * `configured`: the configured SPEC when the game began; `spec` may have been changed by agreement
    * `lang`, `langs`: the default chat language, and the languages of particular players
    * `game`: the whole game as JSON, in files of older versions; newer versions keep a journal beside the file
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
    furthest: int = 0
    single_die_from: int = 0
    terms: tuple[tuple[int, int], ...] = ()
    after: str = ""
    configured: str = ""
    lang: str = "en"
    langs: tuple[tuple[str, str], ...] = ()
    game: str = field(default="", repr=False)

    def lang_of(self, user: str) -> str:
        return dict(self.langs).get(user, self.lang)

    def with_language(self, user: str, lang: str) -> "StoredGame":
        """Return a copy with another chat language for a user."""
        return replace(self, langs=tuple({**dict(self.langs), user: lang}.items()))

    def cut_to(self, count: int) -> "StoredGame":
        """Return a copy without anything that came after the server's first `count` moves."""
        private_steps = tuple(each for each in self.private_steps if each.count <= count)
        let_stand = tuple(number for number in self.let_stand if number < count)
        return replace(self, count=count, private_steps=private_steps, let_stand=let_stand)

    def with_private_steps(self, count: int, steps: Sequence[Step]) -> "StoredGame":
        """Return a copy in which `steps`, unknown to the server, follow its first `count` moves."""
        return replace(self, private_steps=(*self.private_steps, PrivateSteps(count, tuple(steps))))


class StateStore:
    """A folder that only its owner can read, with a file for each game, and a journal if the server keeps no moves."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, key: str) -> StoredGame | None:
        """Return a stored game, or None if it is missing or unreadable."""
        with suppress(*_UNREADABLE):
            fields = json.loads(self._path(key).read_bytes())
            return _from_fields(fields) if fields["version"] == _VERSION else None
        return None

    def __iter__(self) -> Iterator[str]:
        """Yield the keys of all stored games."""
        for path in sorted(self.folder.glob("*.json")):
            with suppress(*_UNREADABLE):
                yield str(json.loads(path.read_bytes())["key"])

    def numbers(self, bridge: str) -> list[str]:
        """Return the server's numbers of a bridge's stored games, which follow the bridge's name in their keys."""
        return [key.removeprefix(f"{bridge}-") for key in self if key.startswith(f"{bridge}-")]

    def save(self, game: StoredGame) -> None:
        """Write a game to its file, then delete the note that made it a second game. Raises OSError if that fails."""
        fields: Json = {_NAMES.get(each.name, each.name): getattr(game, each.name) for each in dataclass_fields(game)}
        steps = [[each.count, [[step.colour, step.word] for step in each.steps]] for each in game.private_steps]
        fields |= {"version": _VERSION, "secret": game.secret.hex(), "unheard": steps, "langs": dict(game.langs)}
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write(self._path(game.key), (json.dumps(fields) + "\n").encode(), _OWNER_ONLY)
        for path in self.folder.glob("*.match") if game.after else ():
            with suppress(*_UNREADABLE):
                if json.loads(path.read_bytes())["after"] == game.after:
                    path.unlink()

    def journal(self, key: str) -> JournalFile:
        """Return the journal file of a game that the server does not keep."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return JournalFile(self._path(key).with_suffix(".journal"))

    def age_s(self, key: str) -> float:
        """Return the seconds since a game was last written, or 0 if it is not stored."""
        with suppress(OSError):
            return time() - self._path(key).stat().st_mtime
        return 0.0

    def load_journal(self, game: StoredGame) -> Journal | None:
        """Return a game's journal, or None if the server keeps the game. Raises RecordError if it is damaged."""
        try:
            return read_journal(self.journal(game.key).load())
        except FileNotFoundError:
            return read_journal([game.game]) if game.game else None
        except OSError as error:
            raise RecordError(f"{game.key}: {error.strerror}") from None

    def delete(self, key: str) -> None:
        self._path(key).unlink(missing_ok=True)
        self.journal(key).path.unlink(missing_ok=True)

    def note_match(self, players: Mapping[int, str], stored: StoredGame, game: Game) -> None:
        """Keep what the second game of a match needs after its first game. Raises OSError if that fails."""
        following, _ = follow_in_match(game)
        if following and game.outcome is not None:
            proposer = next(colour for colour, action in stored.terms if unpack(action)[0] == MATCH)
            kept: Json = {"spec": stored.spec, "configured": stored.configured, "after": stored.record}
            kept |= {"size": game.rules.board.width, "terms": [[3 - proposer, action] for action in following]}
            write(self._match_path(players[WHITE], players[BLACK]), (json.dumps(kept) + "\n").encode())

    def begin(self, players: Mapping[int, str], size: int, stored: StoredGame) -> StoredGame:
        """Return a new game as it is to be stored. With swapped colours it may be the second game of a recent match."""
        path = self._match_path(players.get(BLACK, ""), players.get(WHITE, ""))
        with suppress(*_UNREADABLE):
            kept = json.loads(path.read_bytes())
            if kept["size"] == size and kept["configured"] == stored.spec and time() < path.stat().st_mtime + _MATCH_S:
                terms = tuple((int(colour), int(action)) for colour, action in kept["terms"])
                return replace(stored, spec=str(kept["spec"]), after=str(kept["after"]), terms=terms)
        return stored

    def _match_path(self, black: str, white: str) -> Path:
        """Return the file about a match whose second game these players have not begun yet."""
        return self.folder / f"{safe_name(f'{black} vs {white}'.lower())}.match"

    def _path(self, key: str) -> Path:
        return self.folder / f"{safe_name(key)}.json"


def safe_name(text: str) -> str:
    """Return the first 100 characters of a text, with `_` for characters that are unsafe in file names."""
    return _UNSAFE.sub("_", text)[:100]


def _from_fields(fields: Json) -> StoredGame:
    fields = _OLDER | {"configured": fields["spec"]} | fields
    plain_fields = (each for each in dataclass_fields(StoredGame) if each.type in _PLAIN)
    plain: Json = {each.name: _PLAIN[each.type](fields[_NAMES.get(each.name, each.name)]) for each in plain_fields}
    return StoredGame(
        **plain,
        secret=bytes.fromhex(fields["secret"]),
        private_steps=tuple(
            PrivateSteps(int(count), tuple(Step(int(colour), str(word)) for colour, word in steps))
            for count, steps in fields["unheard"]
        ),
        let_stand=tuple(map(int, fields["told"])),
        terms=tuple((int(colour), int(action)) for colour, action in fields["terms"]),
        langs=tuple((str(name), str(lang)) for name, lang in fields["langs"].items()),
    )
