"""A small CGOS on loopback, as faithful as its protocol goes: login, rounds, catch-up, flags, illegal moves, ready.

Moves are judged by the rules of Go here; the real one has its own, which agree. What tests need beyond it: lines can be
cut at any message, and everything that was said is written down.
"""

import asyncio
import contextlib
import json
import time
from dataclasses import dataclass, field
from typing import Any

from gtp_variants.errors import VariantsError
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.game import Game
from tests.bridge.fakes.fake_server import LineClient, LineServer


@dataclass(eq=False)
class CgosMatch:
    """A game: `moves` are the words as they came, with the time that was left and the analysis."""

    number: int
    names: dict[int, str]
    game: Game
    left_ms: dict[int, float]
    moves: list[tuple[str, int, str]] = field(default_factory=list)
    began: float = 0.0
    result: str = ""

    @property
    def to_play(self) -> int:
        return WHITE if len(self.moves) % 2 else BLACK


class CgosServer(LineServer):
    """`async with CgosServer() as server`: whoever comes first with a name has it."""

    first_state = "protocol"

    def __init__(self, *, size: int = 5, level_ms: int = 60_000, tick_s: float = 0.02, most_games: int = 10**9) -> None:
        super().__init__({})
        self.size, self.level_ms, self.tick_s, self.most_games = size, level_ms, tick_s, most_games
        self.rules: Any = parse(f"go:size={size},komi=6.5")
        self.match: CgosMatch | None = None
        self.finished: list[CgosMatch] = []
        self._ticker: asyncio.Task[None] | None = None

    async def open(self) -> None:
        await super().open()
        self._ticker = asyncio.create_task(self._tick())

    async def close(self) -> None:
        if self._ticker is not None:
            self._ticker.cancel()
        await super().close()

    def _cut_by_count(self, client: LineClient) -> None:
        self.cut(client)

    # -- lines ---------------------------------------------------------------------------------------------------------

    def _greet(self, client: LineClient) -> None:
        self.say(client, "protocol genmove_analyze")

    def _answer(self, client: LineClient, text: str) -> None:
        self._count(client)
        if client not in self.clients:
            return
        if client.state == "protocol":
            if not text.startswith("e1"):
                self._refuse(client, "invalid response")
                return
            client.state = "username"
            self.say(client, "username")
        elif client.state == "username":
            client.name, client.state = text, "password"
            self.say(client, "password")
        elif client.state == "password":
            self._log_in(client, text)
        elif client.state == "gameover" and text == "ready":
            client.state = "waiting"
        elif client.state == "genmove":
            self._move(client, text)

    def _refuse(self, client: LineClient, why: str) -> None:
        self.say(client, f"Error: {why}")
        self.dismiss(client)

    def _log_in(self, client: LineClient, password: str) -> None:
        name = client.name
        if self.passwords.setdefault(name, password) != password:
            self._refuse(client, "Sorry, password doesn't match")
            return
        old = self.online.get(name)
        if old is not None:
            self.say(old, "info another login is being attempted using this user name")
            self.dismiss(old)
        self.online[name] = client
        client.state = "waiting"
        match = self.match
        if match is None or name not in match.names.values():
            return
        self.say(client, self._setup_line(match))
        client.state = "ok"
        if match.names[match.to_play] == name:
            self._ask(match)

    # -- games ---------------------------------------------------------------------------------------------------------

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(self.tick_s)
            match = self.match
            if match is not None:
                if self._left(match) < 0:
                    self._end(match, "W+Time" if match.to_play == BLACK else "B+Time")
                continue
            waiting = sorted(name for name, client in self.online.items() if client.state == "waiting")
            if len(waiting) >= 2 and len(self.finished) < self.most_games:
                self._pair(waiting[:2])
                for name in waiting[2:]:
                    self.say(self.online[name], "info Games in progress: 1")

    def _pair(self, names: list[str]) -> None:
        number = len(self.finished) + 1
        black, white = names if number % 2 else reversed(names)
        left: dict[int, float] = dict.fromkeys((BLACK, WHITE), float(self.level_ms))
        match = self.match = CgosMatch(number, {BLACK: black, WHITE: white}, Game(self.rules), left)
        for name in names:
            client = self.online[name]
            client.state = "ok"
            self.say(client, self._setup_line(match))
        self._ask(match)

    def _setup_line(self, match: CgosMatch) -> str:
        moves = "".join(f" {word} {left}" for word, left, _ in match.moves)
        white, black = match.names[WHITE], match.names[BLACK]
        return f"setup {match.number} {self.size} 6.5 {self.level_ms} {white}(1800?) {black}(1795) {moves}"

    def _left(self, match: CgosMatch) -> float:
        return match.left_ms[match.to_play] - (time.monotonic() - match.began) * 1000 if match.began else 1.0

    def _ask(self, match: CgosMatch) -> None:
        client = self.online.get(match.names[match.to_play])
        match.began = match.began or time.monotonic()
        if client is not None:
            client.state = "genmove"
            self.say(client, f"genmove {'bw'[match.to_play - 1]} {int(self._left(match))}")

    def _move(self, client: LineClient, text: str) -> None:
        match = self.match
        client.state = "ok"
        if match is None or match.names[match.to_play] != client.name:
            client.state = "waiting"
            return
        colour, (word, _, note) = match.to_play, text.partition(" ")
        winner = "W" if colour == BLACK else "B"
        with contextlib.suppress(ValueError):
            note = json.dumps(json.loads(note))
        match.left_ms[colour] = self._left(match)
        match.began = time.monotonic()
        if match.left_ms[colour] < 0:
            self._end(match, f"{winner}+Time")
            return
        if word.lower() == "resign":
            self._end(match, f"{winner}+Resign", "Resignation")
            return
        try:
            match.game.play(colour, PASS if word.lower() == "pass" else self.rules.board.point(word))
        except VariantsError as error:
            self._end(match, f"{winner}+Illegal", f"Illegal move error:{error} move:{word}")
            return
        left = int(match.left_ms[colour])
        match.moves.append((word, left, note))
        other = self.online.get(match.names[match.to_play])
        if other is not None:
            self.say(other, f"play {'bw'[colour - 1]} {word} {left}")
        if self.rules.is_over(match.game.position):
            outcome = self.rules.standing(match.game.position)
            self._end(match, outcome.sgf if outcome.winner else "Draw")
        else:
            self._ask(match)

    def _end(self, match: CgosMatch, result: str, why: str = "") -> None:
        match.result = result
        self.match = None
        self.finished.append(match)
        for name in match.names.values():
            client = self.online.get(name)
            if client is not None:
                client.state = "gameover"
                self.say(client, f"gameover 2026-01-01 {result} {why}")
