"""A small GTP engine with one rule wrong, for the tests of the conformance files.

    python -m tests.gtp.client.sample_engine GAME [BELIEF]

It plays at random, refuses what it believes illegal and lists nothing. `InProcess` is the engine without a process.
"""

import sys
from dataclasses import replace
from random import Random
from typing import Any

from gtp_variants.errors import IllegalMove, Refused, VariantsError
from gtp_variants.gtp.client.peer import Launch, Line
from gtp_variants.records.notation import read_faces, read_move, write_move
from gtp_variants.rules import parse
from gtp_variants.rules.actions import CHANCE, PASS, RESIGN, TURN, Event
from gtp_variants.rules.colour_names import read_colour
from gtp_variants.rules.game import Game
from gtp_variants.rules.games.go import other_of_two
from tests.gtp.client.wrong_rules import BELIEFS

COMMANDS = (
    "protocol_version name version list_commands known_command quit boardsize clear_board komi play genmove "
    "variant-set aleago-draw set_random_seed"
).split()


class SampleEngine:
    """The engine: a game by its belief, and its random moves."""

    def __init__(self, game: str, belief: str, *extra: str) -> None:
        self.belief = next((each for each in BELIEFS[game] if each.name == belief), None)
        self.commands = [*COMMANDS, *extra]
        self.rng = Random(1)
        self.game = Game(self.rules(game))

    def rules(self, spec: str) -> Any:
        return parse(spec) if self.belief is None else self.belief.rules(spec)

    def answer(self, command: str, *words: str) -> str:
        """Return the answer to a command. Raises VariantsError for a refusal."""
        game = self.game
        match command:
            case "protocol_version":
                return "2"
            case "name" | "version":
                return "Sample"
            case "list_commands":
                return "\n".join(self.commands)
            case "known_command":
                return str(words[0] in self.commands).lower()
            case "variant-set":
                self.game = Game(self.rules(words[0]))
            case "clear_board":
                self.game = Game(game.rules)
            case "set_random_seed":
                self.rng = Random(words[0])
            case "aleago-draw":
                dice = game.position.dice  # type: ignore[attr-defined]
                if game.position.to_play != CHANCE:
                    game.undo()
                game.play(CHANCE, dice.outcome(read_faces(words[1:])))
            case "play":
                self.play(read_colour(words[0]), read_move(game.rules.board, words[1]))
            case "genmove":
                return self.genmove(read_colour(words[0]))
            case "variant-legal_moves" if command in self.commands:
                return " ".join(write_move(game.rules.board, action) for action in game.rules.legal(game.position))
            case "boardsize" | "komi" | "quit":
                pass
            case _:
                raise VariantsError("unknown command")
        return ""

    def play(self, colour: int, action: int) -> None:
        self.game.play(colour, action)
        if self.game.is_refused(len(self.game.events) - 1):
            raise VariantsError("impossible move")

    def genmove(self, colour: int) -> str:
        if self.game.position.to_play not in (colour, CHANCE):
            self.game.play(colour, TURN)
        rules, position = self.game.rules, self.game.position
        neighbours, stones = rules.board.neighbours, position.stones
        points = [point for point in rules.legal(position) if point >= 0]
        open_points = [p for p in points if any(stones[near] != colour for near in neighbours[p])]
        action = self.rng.choice(open_points) if open_points else PASS if rules.has_pass else RESIGN
        if not rules.has_pass and points and not open_points:
            action = points[0]
        self.game.play(colour, action)
        return write_move(rules.board, action)


class Trusting(SampleEngine):
    """A sample engine that accepts every stone of its host and puts it on its board."""

    def play(self, colour: int, action: int) -> None:
        try:
            super().play(colour, action)
        except IllegalMove:
            position: Any = self.game.position
            stones = bytearray(position.stones)
            stones[action] = colour
            forced = replace(
                position, stones=bytes(stones), mover=other_of_two(colour), turn=position.turn + 1, passes=0
            )
            self.game.go_back(([*self.game.events, Event(colour, action)], [*self.game.positions, forced], []))


class InProcess:
    """The sample engine where a `Peer` is expected."""

    name = "Sample"

    launch = Launch(("sample",))
    time_settings = None

    def __init__(self, engine: SampleEngine) -> None:
        self.engine = engine
        self.told: list[Line] = []

    def knows(self, command: str) -> bool:
        return command in self.engine.commands

    def send(self, *line: object, timeout_s: float | None = None) -> str:
        command, *words = map(str, line)
        try:
            return self.engine.answer(command, *words)
        except VariantsError as error:
            raise Refused(command, str(error)) from None

    def ask(self, *line: object) -> str | None:
        try:
            return self.send(*line)
        except Refused:
            return None

    def tell(self, lines: list[Line]) -> None:
        """Send the lines that the engine does not know yet, as `Peer.tell` does. The first ones never change."""
        for line in lines[len(self.told) :]:
            self.send(*line)
        self.told = list(lines)


def main() -> None:
    engine = SampleEngine(sys.argv[1], " ".join(sys.argv[2:]))
    for line in sys.stdin:
        words = line.partition("#")[0].split()
        number = words.pop(0) if words and words[0].isdigit() else ""
        if not words:
            continue
        try:
            print(f"={number} {engine.answer(*words)}", end="\n\n", flush=True)
        except (VariantsError, ValueError, IndexError) as error:
            print(f"?{number} {error}", end="\n\n", flush=True)
        if words[0] == "quit":
            break


if __name__ == "__main__":
    main()
