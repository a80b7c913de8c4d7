"""The base of KGS adapters that own a demonstration board, and the tree edits that draw a move on it.

A move is a node with a CIRCLE where the stone was placed (none for a pass) and SETWHOSEMOVE for whose turn follows.
What it takes is drawn as empty points; a node with a MOVE would be Go's, and is never made.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.server import DrawnMove, ServerEvent
from gtp_variants.bridge.kgs import values
from gtp_variants.bridge.kgs.adapter import Kgs
from gtp_variants.bridge.kgs.client import KgsNews
from gtp_variants.bridge.kgs.game_tree import ROOT, KgsGame
from gtp_variants.bridge.kgs.values import LONGEST_OFFER, loc_of, same_name
from gtp_variants.json_values import Json

_OWNER, _KIND = "owner", "demonstration"
_ADDED = "PROP_ADDED"
Events = list[Json]


class KgsDemonstration(Kgs, ABC):
    """A login at KGS that owns at most one demonstration board at a time."""

    def __init__(self, config: BridgeConfig, log: Callable[[str], None]) -> None:
        super().__init__(config, log)
        self._board: int | None = None
        self._is_asked = False

    def _open_board(self, size: int, text: str) -> None:
        """Ask for a board in our room, unless we have one or asked already."""
        if self._board is not None or self._is_asked or self._room is None:
            return
        self._is_asked = True
        proposal = {
            "gameType": _KIND,
            "nigiri": False,
            "rules": {"size": size, "rules": "chinese", "komi": 0.5, "timeSystem": "none"},
            "players": [{"role": _OWNER, "name": self._client.me}],
        }
        fields: Json = {"callbackKey": self._client.next_key(), "global": True, "text": text[:LONGEST_OFFER]}
        self._client.to(self._room, "CHALLENGE_CREATE", **fields, proposal=proposal)

    def _owns(self, game: KgsGame) -> bool:
        return game.kind == _KIND and same_name(game.players.get(_OWNER, ""), self._client.me)

    def _read(self, news: KgsNews) -> list[ServerEvent]:
        game = news.game
        if news.kind in ("CHALLENGE_NOT_CREATED", "CANT_PLAY_TWICE"):
            self._is_asked = False
        elif news.kind == "GAME_JOIN" and game is not None and self._owns(game):
            self._board, self._is_asked = game.channel, False
            self._begin_at_board(game)
        elif news.kind in ("UNJOIN", "CLOSE") and news.channel == self._board:
            self._board = None
            self._offer()
        return super()._read(news)

    @abstractmethod
    def _begin_at_board(self, game: KgsGame) -> None:
        """We are at a board of ours."""

    def _change(self, channel: int, events: Events) -> None:
        self._client.to(channel, "KGS_SGF_CHANGE", sgfEvents=events)

    def _save(self, channel: int, result: str) -> None:
        """Write the result down, and let the server keep the board."""
        self._change(channel, [event(_ADDED, ROOT, prop={"name": "RESULT", "text": result})])
        self._client.to(channel, "GAME_LIST_ENTRY_SET_FLAGS", saved=True)


def event(kind: str, node: int, **fields: object) -> Json:
    """A change of a board's tree."""
    return {"type": kind, "nodeId": node, **fields}


def player_names(names: Mapping[int, str]) -> Events:
    """The changes that write the players' names by colour onto a board."""
    props = [{"name": "PLAYERNAME", "color": values.ROLES[each], "text": names[each]} for each in names]
    return [event(_ADDED, ROOT, prop=prop) for prop in props]


def move_events(drawn: DrawnMove, size: int, before: int, node: int) -> Events:
    """The changes that draw a move on a new node, which comes after node `before`."""
    props: list[Json] = []
    if drawn.vertex != values.PASS:
        loc = loc_of(drawn.vertex, size)
        if drawn.stands:
            props.append({"name": "ADDSTONE", "color": values.ROLES[drawn.colour], "loc": loc})
        props += [{"name": "ADDSTONE", "color": "empty", "loc": loc_of(vertex, size)} for vertex in drawn.gone]
        props.append({"name": "CIRCLE", "loc": loc})
    props.append({"name": "SETWHOSEMOVE", "color": values.ROLES[drawn.to_play]})
    return [
        event("CHILD_ADDED", before, childNodeId=node),
        event("ACTIVATED", node, prevNodeId=before),
        *(event(_ADDED, node, prop=prop) for prop in props),
    ]
