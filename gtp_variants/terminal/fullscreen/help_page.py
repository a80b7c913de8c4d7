"""What F1 shows: the keys, and the commands that have a use in this game."""

from gtp_variants.lang import say
from gtp_variants.terminal.games.commands import PLAY, help_lines
from gtp_variants.terminal.games.scene import GameScene

_KEYS = (
    "fullscreen.help_arrows",
    "fullscreen.help_diagonals",
    "fullscreen.help_enter",
    "fullscreen.help_mouse",
    "fullscreen.help_type",
    "fullscreen.help_escape",
    "fullscreen.help_log",
)


def help_page(scene: GameScene) -> list[str]:
    """The lines of the page."""
    example = scene.board.vertices[len(scene.board) // 2]
    keys = [say(key, scene.lang, vertex=example) for key in _KEYS]
    offered = [command for command in PLAY if command.name in scene.commands]
    commands = help_lines(offered, scene.lang)
    return [
        say("fullscreen.help_title", scene.lang),
        "",
        *keys,
        "",
        say("fullscreen.help_commands", scene.lang),
        "",
        *commands,
    ]
