"""Twin games at one keyboard: all that is shown while a seat looks, and where a curtain has fallen."""

from dataclasses import fields
from pathlib import Path

from gtp_variants.records.notation import write_move
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.game import Game
from gtp_variants.terminal.blocks import Block, Secret
from gtp_variants.terminal.games.play_session import PlaySession
from tests.support.twins import Leak, TwinPair
from tests.terminal.session_lines import playing, put_away, tell

# What somebody at the keyboard may ask for without doing anything.
_ASKED = ("board", "record", "help", "atari", "draws", "score", "undo", "dead A1", "end")


class KeyboardTwin:
    """A game that two people play at one keyboard, and what each of them saw."""

    def __init__(self, folder: Path, game: Game) -> None:
        self._game = game
        self._session = playing(folder, game.rules.spec)
        self.seen: dict[int, list[str]] = {BLACK: [], WHITE: []}
        self._path = str(self._session.host.file.path)

    def play(self) -> dict[int, list[str]]:
        """Play it; what is shown to each, and what stands before the lines they type."""
        session = self._session
        self._uncover()
        for event in self._game.events:
            assert session.keyboard.view.colour == event.actor
            self._type(event.actor, write_move(self._game.rules.board, event.action))
            self._uncover()
        for word in _ASKED:
            self._type(session.keyboard.view.colour, word)
        return self.seen

    def _uncover(self) -> None:
        """Change places at the keyboard: the player who moved leaves, the next one comes."""
        session = self._session
        while session.keyboard.is_curtained:
            before = session.keyboard.view.colour
            blocks = tell(session, "")
            # What is shown as the curtain falls is for who leaves, what is shown as it rises for who comes.
            self._show(session, session.keyboard.view.colour if not session.keyboard.is_curtained else before, blocks)

    def _type(self, colour: int, line: str) -> None:
        self._show(self._session, colour, tell(self._session, line))

    def _show(self, session: PlaySession, colour: int, blocks: list[Block]) -> None:
        self.seen[colour] += [*map(_shown, blocks), session.prompt.replace(self._path, "PATH")]


def _shown(block: Block) -> str:
    """A block as text, without the board that it is drawn on."""
    if isinstance(block, Secret):
        return block.name
    parts = {field.name: getattr(block, field.name) for field in fields(block) if field.name != "board"}
    return f"{type(block).__name__} {parts}"


def compare_keyboard(folder: Path, pair: TwinPair) -> None:
    """Compare what a seat sees at the keyboard of two games. Raises Leak."""
    try:
        seen = [KeyboardTwin(folder / which, game).play() for which, game in zip("ab", pair.games, strict=True)]
    finally:
        put_away()
    ours, theirs = (each[pair.colour] for each in seen)
    for index, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if one != other:
            raise Leak(f"pair {pair.number}, {pair.spec}, screen {index}:\n{one}\n{other}")
    if len(ours) != len(theirs):
        raise Leak(f"pair {pair.number}, {pair.spec}: {len(ours)} and {len(theirs)} screens")
