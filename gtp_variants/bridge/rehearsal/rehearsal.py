"""Logs in once, plays nothing or one game against a named friend, and says which expectations held.

So the first person with an account on a server finds out what is only believed of it.
"""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from gtp_variants._version import __version__
from gtp_variants.bridge.core.account.session import ENDED, AccountSession
from gtp_variants.bridge.core.config import BridgeConfig, HookConfig
from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.core.server import Server
from gtp_variants.bridge.rehearsal.expectations import BROKEN, EXPECTATIONS, HOLDS, NOT_SEEN, Expectation
from gtp_variants.bridge.rehearsal.transcript import ServerTranscript

# How long a login without a game is listened to: the polls of KGS that bring nothing take a minute.
_LISTENS_S = {"kgs": 75.0, "cgos": 5.0, "variants": 5.0}
_LISTENS_ELSE_S = 15.0
_FRIEND_COMES_S = 900.0
_OWNER_ONLY = 0o600


@dataclass(frozen=True, slots=True)
class RehearsalReport:
    """How a rehearsal went: the session's status, each expectation with its verdict, and where the transcript is."""

    status: int
    verdicts: tuple[tuple[Expectation, str], ...]
    games: int
    transcript: Path

    @property
    def went_well(self) -> bool:
        """Whether we were in and nothing was otherwise than believed."""
        return self.status == ENDED and all(verdict != BROKEN for _, verdict in self.verdicts)

    def lines(self) -> list[str]:
        """In words, what is broken first."""
        found = [
            f"  {verdict:8}  {each.mark:13}  {each.says}"
            for wanted in (BROKEN, HOLDS, NOT_SEEN)
            for each, verdict in self.verdicts
            if verdict == wanted
        ]
        counts = ", ".join(
            f"{each}: {sum(verdict == each for _, verdict in self.verdicts)}" for each in (HOLDS, BROKEN, NOT_SEEN)
        )
        return [*found, f"{counts}; games: {self.games}", f"transcript without secrets: {self.transcript}"]


class Rehearsal:
    """One login; `listens_s` is how long it lasts if nobody plays, `friend` who may."""

    def __init__(
        self,
        config: BridgeConfig,
        friend: str,
        connect: Callable[[BridgeConfig, Callable[[str], None]], Server],
        listens_s: float | None = None,
    ) -> None:
        kind = config.server.type
        self._config, self._friend, self._connect = _quiet(config, friend), friend, connect
        usual_s = _FRIEND_COMES_S if friend else _LISTENS_S.get(kind, _LISTENS_ELSE_S)
        self._listens_s = usual_s if listens_s is None else listens_s

    async def run(self) -> RehearsalReport:
        """Log in, and leave after the game, or when it is over time. Raises OSError if nothing can be written."""
        config, transcript = self._config, ServerTranscript(self._config.server.password)
        transcript.note(f"# gtp-variants {__version__}, {config.server.type} at {config.server.host}")
        log = Log(config.outputs.folder / "bridge.log", config.outputs, config.server.password, is_shown=True)
        session = AccountSession(config, log, make=transcript.wrap(self._connect))
        watching = asyncio.ensure_future(self._stop_in_time(session))
        try:
            status = await session.run()
        finally:
            watching.cancel()
            log.close()
        verdicts = tuple((each, each.verdict(transcript.lines)) for each in EXPECTATIONS.get(config.server.type, ()))
        path = config.outputs.folder / f"transcript-{datetime.now():%Y%m%d-%H%M%S}.txt"
        report = RehearsalReport(status, verdicts, session.counters.games, path)
        self._write(path, transcript.text() + "".join(f"# {line}\n" for line in report.lines()))
        return report

    async def _stop_in_time(self, session: AccountSession) -> None:
        """End after the first game, or when nobody came, or where the server cannot be reached twice."""
        loop = asyncio.get_running_loop()
        began: float | None = None
        while True:
            await asyncio.sleep(0.05)
            counters = session.counters
            if began is None and counters.logins:
                began = loop.time()
                with suppress(Exception):
                    await session.ask_past()
            if counters.games or counters.lost_lines > 1 or (began and loop.time() - began > self._listens_s):
                session.stop(at_once=not counters.games)
                return

    @staticmethod
    def _write(path: Path, text: str) -> None:
        with os.fdopen(
            os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _OWNER_ONLY), "w", encoding="utf-8"
        ) as file:
            file.write(text)


def _quiet(config: BridgeConfig, friend: str) -> BridgeConfig:
    """The same account for a rehearsal: nobody plays but the friend, no hook runs, files lie apart."""
    only = (friend,) if friend else ()
    challenges = replace(config.challenges, only_allowed=True, allow=only, allow_lists=())
    outputs = replace(config.outputs, folder=config.outputs.folder / "rehearsal")
    offer = replace(
        config.offer,
        opens=config.offer.opens and bool(friend),
        takes=False,
        automatch=False,
        players=only if config.offer.players else (),
    )
    return replace(config, challenges=challenges, outputs=outputs, offer=offer, hooks=HookConfig(), health=None)
