"""Twin games in a match: programs in both seats, and all lines that they receive."""

import sys
from collections.abc import Sequence
from pathlib import Path

from gtp_variants.arena.config.match_config import GameSettings
from gtp_variants.arena.config.player_config import ProgramConfig, TimeLimits
from gtp_variants.arena.run.referee import play_game
from gtp_variants.arena.schedule import Fixture
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.player import news_of
from gtp_variants.records.notation import write_move
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game
from tests.support.twins import TwinPair

# Plays the tries in its first argument, then resigns; writes every line it receives into the file named by its second.
PROGRAM = """
import sys
tries, log, letter = sys.argv[1].split(), sys.argv[2], sys.argv[3]
known = "protocol_version name version list_commands known_command quit boardsize clear_board komi play genmove " \\
    "time_settings time_left set_random_seed variant-set phantom-seat phantom-hear".split()
for line in sys.stdin:
    with open(log, "a", encoding="utf-8") as file:
        file.write(f"{letter} {line}")
    word = line.split()[0]
    told = {"protocol_version": "2", "name": "twin", "list_commands": "\\n".join(known)}.get(word, "")
    if word == "genmove":
        told = tries.pop(0) if tries else "resign"
    print(f"= {told}\\n", flush=True)
    if word == "quit":
        break
"""
LIMITS = TimeLimits(TimeControl("absolute", 3600.0))


def play_match_game(folder: Path, game: Game) -> list[str]:
    """Let programs play a game in a match; return all lines they receive, in order, each with the program's colour."""
    folder.mkdir(parents=True)
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    players = tuple(_program(folder, game, colour) for colour in (BLACK, WHITE))
    row, _ = play_game(Fixture("twins", 1, "a", "seed", players, GameSettings(game.rules.spec)), folder)
    assert row.status == "played", row
    return (folder / "log").read_text(encoding="utf-8").splitlines()


def _program(folder: Path, game: Game, colour: int) -> ProgramConfig:
    board = game.rules.board
    tries = " ".join(write_move(board, event.action) for event in game.events if event.actor == colour)
    letter = COLOUR_LETTERS[colour]
    command = (sys.executable, "-S", "-E", str(folder / "program.py"), tries, str(folder / "log"), letter)
    return ProgramConfig(f"twin-{letter}", command, limits=LIMITS, gtp_log="never", stderr="discard")


def _expect_silence(lines: Sequence[str], game: Game, colour: int) -> None:
    """Check that a program receives no line between a try that its colour does not hear and the next try."""
    asked = [number for number, line in enumerate(lines) if line.split()[1] == "genmove"]
    for index in range(len(game.events)):
        if news_of(game, index, colour) is None:
            between = lines[asked[index] + 1 : asked[index + 1]]
            assert not [line for line in between if line.startswith(COLOUR_LETTERS[colour])], game.rules.spec


def compare_matches(folder: Path, pair: TwinPair) -> None:
    """Check that a program receives the same lines in two games that sound alike to its colour."""
    sent = []
    for number, game in enumerate(pair.games):
        lines = play_match_game(folder / str(number), game)
        _expect_silence(lines, game, pair.colour)
        sent.append([line for line in lines if line.startswith(COLOUR_LETTERS[pair.colour])])
    assert sent[0] == sent[1], f"pair {pair.number}, {pair.spec}"
    assert len(sent[0]) > 10
