"""Conversations with an engine in this process, for tests that read like a GTP log."""

import json
from typing import Any

from gtp_variants.gtp.engine.engine import GtpEngine
from gtp_variants.gtp.engine.engine_bot import NamedBot
from gtp_variants.gtp.engine.engine_host import HostQuirks
from gtp_variants.gtp.engine.session import Session

SCORED = ("go:size=5", "aleago:size=9", "phantom:size=5", "rosette:n=2")
UNSCORED = ("alter-igo:size=4", "pentalath")


class Talk:
    """An engine that is spoken to: `talk("play b D4")` is the text of the answer and fails on a '?'.

    Its bot is a quick one, as most of what is tested does not depend on how it plays; "" is the default of the game.
    """

    def __init__(
        self,
        spec: str = "aleago",
        *,
        seed: str | None = None,
        view: int | None = None,
        bot: str | None = None,
        quirks: HostQuirks | None = None,
        **defaults: str,
    ):
        quick = "greedy" if spec.startswith("phantom") else "mcts:playouts=30,seconds=0"
        bot = quick if bot is None else bot
        self.session = Session(spec, bot=NamedBot(bot), seed=seed, viewer=view, defaults=defaults, quirks=quirks)
        self.engine = GtpEngine(self.session)

    def raw(self, line: bytes) -> bytes | None:
        """The bytes of the answer to a line."""
        return self.engine.answer(line)

    def _ask(self, line: str) -> tuple[str, str]:
        answer = self.raw(line.encode())
        assert answer is not None, line
        assert answer.endswith(b"\n\n"), (line, answer)
        assert b"\n\n" not in answer[:-2], (line, answer)
        assert answer[1:2] == b" ", (line, answer)
        return answer[:1].decode(), answer[2:-2].decode()

    def __call__(self, line: str) -> str:
        status, text = self._ask(line)
        assert status == "=", f"{line} -> ? {text}"
        return text

    def fails(self, line: str) -> str:
        """The text of a refusal."""
        status, text = self._ask(line)
        assert status == "?", f"{line} -> = {text}"
        return text

    def does(self, lines: str) -> None:
        """Several commands, one a line or between slashes, none of which may fail."""
        for line in lines.replace("/", "\n").split("\n"):
            self(line.strip())

    def plays(self, moves: str) -> None:
        """Moves like `b:D4 w:pass`."""
        for move in moves.split():
            self(f"play {move.replace(':', ' ')}")

    def state(self, colour: str = "") -> dict[str, Any]:
        """The object of `variant-state`."""
        found = json.loads(self(f"variant-state {colour}"))
        assert isinstance(found, dict)
        return found

    def snapshot(self) -> tuple[str, str, str]:
        """Everything a host can see of the game, to find out whether it changed."""
        return self("variant-state"), self("variant-record"), self("variant-get")

    def reason(self, line: str) -> str:
        """Why a move is refused: the word in brackets."""
        text = self.fails(line)
        assert text.startswith("illegal move ("), f"{line} -> {text}"
        return text.removeprefix("illegal move (").partition(")")[0]


def first_words(text: str) -> list[str]:
    """The first word of every line."""
    return [line.split()[0] for line in text.split("\n") if line]
