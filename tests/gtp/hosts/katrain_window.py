"""KaTrain without its window: its own engine class, game tree and bots, started by `test_katrain`.

Run with KaTrain in PYTHONPATH. It reads one line of JSON, opens each SGF text in `games` with our analysis engine as
`command`, and writes one line of JSON: what the window would show. KaTrain's own settings are in force but for the
engine and what `engine` changes. Of Kivy, KaTrain's window system, only two names are needed: both are replaced.
"""

import json
import sys
import time
from types import ModuleType, SimpleNamespace
from typing import Any

_LONGEST_S = 60


def replace_kivy() -> None:
    """Replace the platform's name and the base class of KaTrain's translations."""
    modules = {name: ModuleType(name) for name in ("kivy", "kivy.utils", "kivy._event")}
    vars(modules["kivy.utils"])["platform"] = "linux"
    vars(modules["kivy._event"])["Observable"] = object
    sys.modules.update(modules)


replace_kivy()

from katrain.core.ai import generate_ai_move  # noqa: E402
from katrain.core.engine import KataGoEngine  # noqa: E402
from katrain.core.game import Game, KaTrainSGF  # noqa: E402
from katrain.core.utils import find_package_resource, var_to_grid  # noqa: E402
from pysgf import Move  # noqa: E402


class Window:
    """The object that KaTrain's engine and game speak to: settings, players and a log."""

    def __init__(self, command: str, engine: dict[str, object]) -> None:
        with open(find_package_resource("katrain/config.json"), encoding="utf-8") as file:  # noqa: PTH123
            self.settings = json.load(file)
        self.settings["engine"] |= {"backend": "custom", "altcommand": command, **engine}
        player = SimpleNamespace(player_type="player:ai", human=False)
        self.players_info = {"B": player, "W": player}
        self.errors: list[str] = []
        self.engine = KataGoEngine(self, self.settings["engine"])

    def config(self, setting: str, default: object = None) -> Any:
        section, _, key = setting.partition("/")
        found = self.settings.get(section, {})
        return found.get(key, default) if key else found

    def log(self, message: object, level: float = 0) -> None:
        """Keep errors, and answers with an error or a warning, which KaTrain shows in its console."""
        if level == -1 or (isinstance(message, str) and message.startswith(("{'error'", "{'field'"))):
            self.errors.append(str(message))

    def __call__(self, *request: object) -> None:
        """Note a request to the window, such as to show that the engine has died."""
        self.errors.append(str(request))

    def open(self, sgf: str, styles: dict[str, dict[str, object]]) -> dict[str, object]:
        """Return what is seen of a game at the end of its main line, when every node has been analysed."""
        game = Game(self, self.engine, move_tree=KaTrainSGF.parse_sgf(sgf))
        node = game.root
        while node.children:
            node = node.children[0]
        game.set_current_node(node)
        until = time.monotonic() + _LONGEST_S
        while not all(each.analysis_complete for each in node.nodes_from_root):
            assert time.monotonic() < until, self.errors
            time.sleep(0.02)
        width, height = node.board_size
        cells = [(x, y) for y in range(height) for x in range(width)]
        owners = var_to_grid(node.ownership, (width, height))
        chosen = {}
        for style, changed in styles.items():
            chosen[style] = generate_ai_move(game, style, {**self.config(f"ai/{style}"), **changed})[0].gtp()
            game.set_current_node(node)
        return {
            "winrate": node.format_winrate(),
            "score": node.format_score(),
            "owners": {Move((x, y)).gtp(): owners[y][x] for x, y in cells},
            "policy": [[share, move.gtp()] for share, move in node.policy_ranking],
            "best": node.candidate_moves[0]["move"],
            "rules": game.rules,
            "result": game.end_result,
            "styles": chosen,
        }


def main() -> None:
    asked = json.loads(sys.stdin.readline())
    window = Window(asked["command"], asked.get("engine", {}))
    seen = [window.open(sgf, asked.get("styles", {})) for sgf in asked["games"]]
    window.engine.shutdown(finish=None)
    print(json.dumps({"games": seen, "errors": window.errors}))


if __name__ == "__main__":
    main()
