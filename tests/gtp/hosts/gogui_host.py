"""GoGui 1.6 as a host: what it was seen to send to the two processes of one window.

A player process hears each move once. A ruler hears the whole game again several times a move, with the last move
doubled, and is never told a size, a komi, an undo or to quit.
"""

import contextlib
import json
from collections.abc import Callable
from typing import Any

from gtp_variants.errors import Refused
from gtp_variants.gtp.client.peer import GtpController


class GoGui:
    """A stand-in for GoGui with a player and a ruler. Its tree is one line of moves."""

    def __init__(self, player: GtpController, ruler: GtpController) -> None:
        self.player, self.ruler = player, ruler
        self.moves: list[tuple[str, str]] = []
        self.known: list[tuple[str, str]] = []
        listed = player.send("list_commands").split("\n")
        for command in ("name", "protocol_version", "version", "gogui-interrupt", "gogui-rules_game_id"):
            player.send(command)
        self.size = player.send("gogui-rules_board_size").split()[0]
        self._start_player()
        player.send("komi", 6.5)
        for command in ("gogui-title", "gogui-rules_game_id", "gogui-rules_board_size", "name", "protocol_version"):
            player.send(command)
        if "gogui-analyze_commands" in listed:
            player.send("gogui-analyze_commands")
        self._start_player()
        for command in ("list_commands", "gogui-rules_game_id", "gogui-rules_board_size", "clear_board"):
            ruler.send(command)
        self._look()

    def _start_player(self) -> None:
        self.player.send("boardsize", self.size)
        self.player.send("clear_board")

    def _look(self) -> None:
        for what in ("board", "board_size", "captured_count", "side_to_move", "board_gfx", "legal_moves"):
            self.ruler.send(f"gogui-rules_{what}")

    def _replay(self) -> None:
        self.ruler.send("clear_board")
        for colour, vertex in self.moves:
            self.ruler.send("play", colour, vertex)
        self._look()

    def _again(self) -> None:
        # Whatever the ruler answers to the move it has already heard, GoGui takes no notice.
        with contextlib.suppress(Refused):
            self.ruler.send("play", *self.moves[-1])

    def legal(self) -> list[str]:
        return self.ruler.send("gogui-rules_legal_moves").split()

    def side(self) -> str:
        return self.ruler.send("gogui-rules_side_to_move")[0]

    def human(self, vertex: str) -> str | None:
        """A click: None, or the words of the refusal that GoGui shows, in which case no move is made."""
        assert vertex in self.legal()
        assert vertex in self.legal()
        colour = self.side()
        self._tell_player()
        try:
            self.player.send("play", colour, vertex)
        except Refused as refused:
            return refused.answer
        self.known.append((colour, vertex))
        self._made(colour, vertex)
        return None

    def computer(self) -> str:
        colour = self.side()
        self._tell_player()
        vertex = self.player.send("genmove", colour)
        if vertex == "resign":
            return vertex
        self.known.append((colour, vertex))
        self._made(colour, vertex)
        self._again()
        self._replay()
        return vertex

    def _made(self, colour: str, vertex: str) -> None:
        self.ruler.send("clear_board")
        self._look()
        self.moves.append((colour, vertex))
        self._replay()
        self._again()
        self._replay()

    def _tell_player(self) -> None:
        """Before it asks for anything GoGui brings the player where the tree is."""
        same = 0
        while same < min(len(self.known), len(self.moves)) and self.known[same] == self.moves[same]:
            same += 1
        back = len(self.known) - same
        if back:
            self.player.send("gg-undo", back)
        missing = self.moves[same:]
        if len(missing) > 1:
            self.player.send("gogui-play_sequence", *(word for move in missing for word in move))
        elif missing:
            self.player.send("play", *missing[0])
        self.known = list(self.moves)

    def go_to(self, moves: list[tuple[str, str]]) -> None:
        """A jump in the tree, of which the player hears only when it is needed."""
        self.moves = list(moves)
        self._replay()

    def new_game(self) -> None:
        self._start_player()
        self.player.send("komi", 6.5)
        self.moves, self.known = [], []
        self.ruler.send("clear_board")
        self._look()

    def states(self) -> tuple[dict[str, Any], dict[str, Any]]:
        player, ruler = (json.loads(peer.send("variant-state")) for peer in (self.player, self.ruler))
        return player, ruler

    def agree(self) -> dict[str, Any]:
        """Both processes at the same point of the game, dice and all."""
        self._tell_player()
        player, ruler = self.states()
        player.pop("announcements")
        ruler.pop("announcements")
        assert player == ruler
        return player


# Begins a window of a SPEC, with further arguments of its engine.
Start = Callable[..., GoGui]
