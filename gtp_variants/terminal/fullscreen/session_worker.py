"""A thread in which a session thinks and acts, so that the screen stays alive meanwhile."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from queue import SimpleQueue

from gtp_variants.terminal.display.blocks import Block
from gtp_variants.terminal.games.play_session import PlaySession
from gtp_variants.terminal.games.scene import GameScene, scene_of

# How long the end of what goes on is waited for.
_PATIENCE_S = 2.0


@dataclass(frozen=True, slots=True)
class SessionUpdate:
    """What came of a request: a block and how the game stands then; without a block it is done.

    `is_broken_off` after an interruption; `error` is what was raised that nobody expected.
    """

    scene: GameScene
    block: Block | None = None
    is_left: bool = False
    is_broken_off: bool = False
    error: BaseException | None = None


class SessionWorker:
    """Carries out requests for a session one by one, and reports what comes of them.

    Nobody else may touch the session while a request is under way, but for `PlaySession.interrupt`.
    """

    def __init__(self, report: Callable[[SessionUpdate], None]) -> None:
        self._report = report
        self._requests: SimpleQueue[tuple[PlaySession, Callable[[], Iterable[Block]]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="session", daemon=True)
        self._thread.start()

    def request(self, session: PlaySession, blocks: Callable[[], Iterable[Block]]) -> None:
        """Let a session do something."""
        self._requests.put((session, blocks))

    def close(self) -> None:
        """Take no more requests, and give the one under way a moment to end."""
        self._requests.put(None)
        self._thread.join(_PATIENCE_S)

    def _work(self) -> None:
        while (request := self._requests.get()) is not None:
            session, blocks = request
            self._carry_out(session, blocks)

    def _carry_out(self, session: PlaySession, blocks: Callable[[], Iterable[Block]]) -> None:
        try:
            for block in blocks():
                self._report(SessionUpdate(scene_of(session), block))
        except KeyboardInterrupt:
            self._report(SessionUpdate(scene_of(session), is_broken_off=True))
        except BaseException as error:
            self._report(SessionUpdate(scene_of(session), error=error))
        else:
            self._report(SessionUpdate(scene_of(session), is_left=session.is_left))
