"""The tables of a site's SQLite file. Files that older versions of `web` and `server` wrote are converted."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from gtp_variants.base.database import Access, Database
from gtp_variants.base.processes.file_lock import hold_file
from gtp_variants.base.processes.secrecy import hide_place
from gtp_variants.errors import ConfigError
from gtp_variants.site.access.account_store import AccountStore
from gtp_variants.site.game_store import GameStore

_VERSION = 7


def _script(name: str) -> str:
    return Path(__file__).with_name(f"{name}.sql").read_text(encoding="utf-8")


def _conversion(name: str, first: int) -> dict[int, str]:
    """Return the script that converts a file of each version, from `first` on."""
    script = _script(name).replace("-- THE NEW TABLES", _script("tables"))
    return dict.fromkeys(range(first, 4), script) | {4: script.partition("-- FROM VERSION 4 ON\n")[2]}


def open_site(path: Path | None, access: Access = "shared") -> Database:
    """Open the file of a site, which only its owner can read, or a database in memory if `path` is None.

    Raises OSError, or ConfigError for a file of an unknown version.
    """
    if path is not None and path.exists() and access != "read":
        # The file may be a copy that others can read, so make it private.
        path.chmod(0o600)
    for ending in ("", "-wal") if path is not None else ():
        hide_place(Path(f"{path}{ending}"))
    database = Database(path, "accounts and games", access)
    database.replace_damaged_letters()
    if access == "read":
        return database
    is_of_server = database.rows("select 1 from sqlite_master where name = 'matches'")
    old = _conversion("from_server", 2) if is_of_server else _conversion("from_page", 1)
    tables = _script("tables")
    new = {0: tables, 6: tables.partition("-- Since version 7.\n")[2]}
    database.upgrade(_VERSION, new | old)
    return database


class SiteStore:
    """The data of one site, in a file that only its owner can read, or in memory if `path` is None."""

    def __init__(
        self, path: Path | None, access: Access = "shared", anchors: Mapping[str, float] | None = None
    ) -> None:
        """Open the file; `anchors` are fixed ratings. Raises OSError, or ConfigError for an unsupported version."""
        self.path = path
        self._opened = ExitStack()
        self.database = open_site(path, access)
        self.accounts, self.games = AccountStore(self.database, anchors or {}), GameStore(self.database)

    def claim(self) -> None:
        """Lock the file against other servers; accounts can still be added. Raises ConfigError if it is locked."""
        assert self.path is not None
        if not self._opened.enter_context(hold_file(self.path.with_suffix(".lock"))):
            self._opened.close()
            raise ConfigError([f"{self.path}: cannot be used; perhaps another server uses it"])
        self.database.checkpoint_in_background()

    def close(self) -> None:
        self.database.close()
        self._opened.close()
