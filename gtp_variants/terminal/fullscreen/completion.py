"""Words that complete what is typed: the commands of the game that have a use, in the language of the game."""

from collections.abc import Iterator
from dataclasses import dataclass

from gtp_variants.terminal.games.commands import PLAY, TypedCommand, fold
from gtp_variants.terminal.games.scene import GameScene


@dataclass(frozen=True, slots=True)
class TypedCompletion:
    """A text in place of what is typed so far, and what it does."""

    text: str
    meaning: str


def completions(typed: str, scene: GameScene) -> Iterator[TypedCompletion]:
    """What the beginning of a line may become, in the order of the help."""
    begun = fold(typed.lstrip())
    for command in PLAY:
        if command.name not in scene.commands:
            continue
        word = command.word(scene.lang)
        # Words of the other language are understood, too.
        if any(fold(each).startswith(begun) for each in command.words):
            text = f"{word} " if command.takes in ("point", "level", "dice", "colour") else word
            yield TypedCompletion(text, command.meaning(scene.lang))
        elif begun.partition(" ")[0] in map(fold, command.words):
            yield from _arguments(command, word, begun.partition(" ")[2], scene)


def _arguments(command: TypedCommand, word: str, begun: str, scene: GameScene) -> Iterator[TypedCompletion]:
    """What may follow a command: points with stones that are seen, levels."""
    if command.takes in ("point", "dead") and scene.boards:
        stones = scene.boards[0].picture.stones
        meaning = command.meaning(scene.lang)
        arguments = [(vertex, meaning) for point, vertex in enumerate(scene.board.vertices) if stones[point]]
    elif command.takes == "level":
        arguments = [(str(number), meaning) for number, meaning in enumerate(scene.levels, 1)]
    else:
        return
    for argument, meaning in arguments:
        if fold(argument).startswith(begun):
            yield TypedCompletion(f"{word} {argument}", meaning)
