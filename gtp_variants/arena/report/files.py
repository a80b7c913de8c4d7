"""The files that a match writes: records, replays and reports. All of them can be recreated from the store."""

import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from math import inf
from pathlib import Path
from time import monotonic

from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.report import text_report
from gtp_variants.arena.report.match_page import render_page
from gtp_variants.arena.report.result import Result
from gtp_variants.arena.result_row import FinishedGame, ResultRow
from gtp_variants.arena.run.worker import MatchObserver
from gtp_variants.arena.store import MatchStore, SampleFiles
from gtp_variants.records.drawing.replay_page import replay
from gtp_variants.records.files import write
from gtp_variants.records.sgf.games import from_sgf

LOGS = "logs"
# Maximum share of a match's time that is spent on reports while it is played.
_SHARE = 0.02


class MatchFiles(MatchObserver):
    """Writes the files in a match's `outputs`; during it, a report is delayed if the last took long (see `_SHARE`)."""

    def __init__(self, config: MatchConfig, store: MatchStore, clock: Callable[[], float] = monotonic) -> None:
        self.config, self.store, self.wanted = config, store, config.outputs
        self._clock = clock
        self._due = False
        self._not_before_s = -inf

    @cached_property
    def _result(self) -> Result:
        return Result(self.config, self.store.rows())

    def on_result(self, game: FinishedGame, number: int, of: int) -> None:
        """Write the files of a game that has just ended, and the reports if they are due."""
        if self.wanted.sgf == "per-game" or game.replay:
            self._write(f"{game.row.id}.sgf", game.sgf)
        if game.replay:
            self._write(f"{game.row.id}.html", game.replay)
        self._tidy(game.row)
        if not self.wanted.report.every:
            return
        self._result.add(game.row)
        self._due |= number % self.wanted.report.every == 0
        begun_s = self._clock()
        if self._due and begun_s >= self._not_before_s:
            self._write_reports(self._result, self.wanted.report.formats)
            ended_s = self._clock()
            self._not_before_s = ended_s + (ended_s - begun_s) / _SHARE
            self._due = False

    def _tidy(self, row: ResultRow) -> None:
        """Delete empty logs, and GTP logs that are kept only for games with failures."""
        folder = self.config.folder / LOGS / row.id
        if not folder.is_dir():
            return
        if self.wanted.gtp_log == "on-failure" and not row.failures:
            for file in folder.glob("*.gtp"):
                file.unlink(missing_ok=True)
        for file in folder.iterdir():
            if file.stat().st_size == 0:
                file.unlink(missing_ok=True)
        with suppress(OSError):
            folder.rmdir()

    def finish(self, formats: Iterable[str] = ()) -> list[Path]:
        """Write missing records and replays, and all reports, in `formats` if given; return the reports' paths."""
        result = Result(self.config, self.store.rows())
        formats = tuple(formats) or self.wanted.report.formats
        if self.wanted.sgf == "per-game" or "html" in formats:
            self._write_missing(result.every_row, ".sgf", lambda record: record)
        if "html" in formats:
            self._write_missing(result.every_row, ".html", lambda record: replay(from_sgf(record)))
        if self.wanted.sgf == "collection" and result.every_row:
            self._write(f"{self.config.name}.sgf", "".join(record for _, record in self.store.records()))
        return self._write_reports(result, formats)

    def _write_missing(self, rows: Iterable[ResultRow], ending: str, make: Callable[[str], str]) -> None:
        for row in rows:
            if not (self.config.folder / f"{row.id}{ending}").is_file():
                self._write(f"{row.id}{ending}", make(self.store.record(row.id)))

    def _write_reports(self, result: Result, formats: Iterable[str]) -> list[Path]:
        found = []
        if self.wanted.csv:
            found.append(self._write("games.csv", text_report.as_csv(result.rows)))
        for form in formats:
            if form == "text":
                found.append(self._write("report.txt", text_report.render_text(result) + "\n"))
            elif form == "json":
                found.append(self._write("report.json", json.dumps(result.as_json(), ensure_ascii=False) + "\n"))
            else:
                found.append(self._write("report.html", render_page(result)))
        return found

    def _write(self, name: str, text: str) -> Path:
        target = self.config.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        write(target, text.encode())
        return target

    def delete(self, ids: Sequence[str]) -> None:
        """Delete the files of these games, and all reports."""
        for id in ids:
            for ending in (".sgf", ".html"):
                (self.config.folder / f"{id}{ending}").unlink(missing_ok=True)
            shutil.rmtree(self.config.folder / LOGS / id, ignore_errors=True)
        SampleFiles(self.config).delete(ids)
        for name in ("games.csv", "report.txt", "report.json", "report.html", f"{self.config.name}.sgf"):
            (self.config.folder / name).unlink(missing_ok=True)
        folders = {(self.config.folder / where / id).parent for id in ids for where in ("", LOGS)}
        for folder in [*folders, self.config.folder / LOGS, self.config.folder]:
            with suppress(OSError):
                folder.rmdir()
