"""The tables of a site's SQLite file. Files that older versions of `web` and `server` wrote are converted."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from gtp_variants.base.database import Access, Database
from gtp_variants.base.processes.file_lock import hold_file
from gtp_variants.base.processes.secrecy import SECRET_PLACES
from gtp_variants.errors import ConfigError
from gtp_variants.site.access.account_store import AccountStore
from gtp_variants.site.game_store import GameStore

_VERSION = 7
# Seconds to wait for a program that holds the file's lock for a moment.
_PATIENCE_S = 1.0
# The scripts for versions before 4, and those for version 4 too, of files that `server` and `web` wrote. In them
# `{tables}` stands for the tables of this version.
_FROM_SERVER, _FROM_PAGE = ("from_server_3.sql", "from_server_4.sql"), ("from_page_3.sql", "from_page_4.sql")
_TABLES = Path(__file__).with_name("tables.sql").read_text(encoding="utf-8")


def open_site(path: Path | None, access: Access = "shared", *, may_convert: bool = True) -> Database:
    """Open the file of a site, which only its owner can read, or a database in memory if `path` is None.

    Raises OSError, or ConfigError for a file of an unknown version, or of an older one unless `may_convert`.
    """
    if path is not None and path.exists() and access != "read":
        # The file may be a copy that others can read, so make it private.
        path.chmod(0o600)
    if path is not None:
        SECRET_PLACES.update(Path(f"{path.absolute()}{ending}") for ending in ("", "-wal"))
    database = Database(path, "accounts and games", access)
    database.replace_damaged_letters()
    if access == "read":
        return database
    scripts = {0: _TABLES, 6: _TABLES.partition("-- Since version 7.\n")[2]}
    is_server = bool(database.rows("select 1 from sqlite_master where name = 'matches'"))
    paths = (Path(__file__).with_name(name) for name in (_FROM_SERVER if is_server else _FROM_PAGE))
    oldest, latest = (path.read_text(encoding="utf-8").replace("{tables}", _TABLES) for path in paths)
    scripts |= dict.fromkeys((2, 3) if is_server else (1, 2, 3), oldest + latest) | {4: latest}
    if not may_convert and database.rows("pragma user_version") != [(_VERSION,)]:
        database.close()
        raise _refusal(path)
    database.upgrade(_VERSION, scripts)
    return database


def _refusal(path: Path | None) -> ConfigError:
    return ConfigError([f"{path}: cannot be used; perhaps another server uses it"])


class SiteStore:
    """The data of one site, in a file that only its owner can read, or in memory if `path` is None."""

    def __init__(
        self,
        path: Path | None,
        access: Access = "shared",
        anchors: Mapping[str, float] | None = None,
        *,
        is_server: bool = False,
    ) -> None:
        """Open the file, for a server or for a program beside it; `anchors` are fixed ratings.

        Raises OSError, or ConfigError for an unsupported version, or if another server uses the file: beside it,
        accounts can be added to a file of this version.
        """
        self.path = path
        with ExitStack() as opened:
            is_ours = True
            if path is not None and access == "shared":
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                is_ours = opened.enter_context(hold_file(path.with_suffix(".lock"), _PATIENCE_S))
            if is_server and not is_ours:
                raise _refusal(path)
            self.database = open_site(path, access, may_convert=is_ours)
            self._opened = opened.pop_all() if is_server else ExitStack()
        if is_server and path is not None:
            self.database.checkpoint_in_background()
        self.accounts, self.games = AccountStore(self.database, anchors or {}), GameStore(self.database)

    def close(self) -> None:
        self.database.close()
        self._opened.close()
