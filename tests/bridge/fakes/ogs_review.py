"""Demonstration boards on a local OGS: who may draw there, what was drawn and said, and what people see."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.boards.chains import place
from tests.bridge.fakes.ogs_clock import Fields

_LETTERS = "abcdefghijklmnopqrstuvwxy"
# An edit with its colour, or a move by Go's rules.
_STEP = re.compile(r"!([012])([a-y]{2})|([a-y]{2}|\.\.)")


@dataclass(eq=False)
class LocalReview:
    """A board; `tell` sends an event to all who look on."""

    id: int
    fields: Fields
    owner: int
    tell: Callable[["LocalReview", str, Any], None]
    controller: int = 0
    messages: list[Fields] = field(default_factory=list)
    watchers: set[Any] = field(default_factory=set)
    seen: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.controller = self.controller or self.owner
        self.messages.append({"gamedata": self.fields, "owner": self.owner, "controller": self.controller})

    def append(self, player: int, data: Fields) -> str:
        """Draw something; what is wrong with that, "" for nothing."""
        if player != self.controller:
            return "only who controls the board draws on it"
        message = {**{key: value for key, value in data.items() if key != "review_id"}, "ts": int(time.time() * 1000)}
        self.messages.append(message)
        self.tell(self, "r", message)
        return ""

    def say(self, player: int, name: str, data: Fields) -> None:
        chat = {
            "chat_id": f"r{len(self.messages)}",
            "player_id": player,
            "username": name,
            "channel": "main",
            "date": time.time(),
            "from": data["from"],
            "moves": data["moves"],
            "body": data["body"],
        }
        self.seen.append(f"{name}: {data['body']}")
        self.messages.append({"chat": chat})
        self.tell(self, "r", {"chat": chat})

    @property
    def path(self) -> str:
        """The way to what is shown now."""
        return next((str(each["m"]) for each in reversed(self.messages) if "m" in each), "")

    @property
    def texts(self) -> list[str]:
        return [str(each["t"]) for each in self.messages if "t" in each]

    @property
    def shown(self) -> dict[str, int]:
        """The stones that people see, by vertex."""
        rules = parse(f"go:size={self.fields['width']}")
        board, size = rules.board, rules.board.width
        stones, turn = [0] * len(board), BLACK
        for colour, edited, played in _STEP.findall(self.path):
            word = edited or played
            if word == "..":
                turn = BLACK + WHITE - turn
                continue
            point = (size - 1 - _LETTERS.index(word[1])) * size + _LETTERS.index(word[0])
            if edited:
                stones[point] = int(colour)
                continue
            found = place(board, bytes(stones), turn, point)
            assert found is not None
            stones, turn = list(found[0]), BLACK + WHITE - turn
        return {board.vertex(point): stone for point, stone in enumerate(stones) if stone}
