"""A seat of Go Fantôme under somebody's referee: `phantom-seat`, `phantom-hear`, and what the seat may be asked.

The seat knows its news and nothing else: there is no table in it, and no position.
"""

from collections.abc import Sequence
from typing import Any

from gtp_variants.belief.particles import Worlds
from gtp_variants.errors import GameOver, NotationError
from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Player
from gtp_variants.records.news import read_news
from gtp_variants.records.notation import write_move
from gtp_variants.rules import words
from gtp_variants.rules.actions import LEAVING, PASS, RESIGN, TURN
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View

# How many games are imagined to tell where the other's stones may be.
_IMAGINED = 16


class Seated:
    """A player of one colour who is told news in words."""

    def __init__(self, rules: Rules, colour: int, player: Player, seed: str) -> None:
        self.rules = rules
        self.colour = colour
        # What the referee said the result is, once the game is over.
        self.result = ""
        self._player = player
        self._watch = rules.watch(colour)
        player.sit(rules, colour, seed)

    @property
    def view(self) -> View:
        """What the seat knows."""
        return self._watch.view()

    @property
    def player(self) -> Player:
        """Who plays here."""
        return self._player

    def with_player(self, player: Player, seed: str, rules: Rules | None = None) -> "Seated":
        """The same seat with another player, who is told what was heard; perhaps under rules that score otherwise."""
        other = Seated(rules or self.rules, self.colour, player, seed)
        for news in self.view.news:
            other._tell(news)
        other.result = self.result
        return other

    def hear(self, told: Sequence[str]) -> None:
        """Take in a line of news. Raises NotationError for what cannot be read or cannot have happened."""
        if self.result:
            raise self.rules.illegal("game over")
        if told and told[0].lower() == "end":
            if len(told) != 2:
                raise NotationError("expected phantom-hear end RESULT")
            self.result = told[1]
            self._player.leave(None)
            return
        news = read_news(self.rules, self.view, told)
        if news.actor != self.view.to_play and news.action not in LEAVING:
            self._tell(News(news.actor, TURN))
        self._tell(news)

    def choose(self, colour: int, clock: Clock) -> int:
        """What the player tries now. Raises IllegalMove for the other colour."""
        if colour != self.colour:
            raise self.rules.illegal("not your turn", name=words.name(self.colour, self.rules.lang))
        if self.is_over:
            return PASS if self.has_not_lost else RESIGN
        if self.view.to_play != colour:
            self._tell(News(colour, TURN))
        view = self.view
        action = self._player.choose(view, clock)
        return action if action in (*view.actions, RESIGN) else PASS

    @property
    def is_over(self) -> bool:
        """Whether nothing can be tried any more, as far as the seat was told."""
        view = self.view
        return bool(self.result) or (view.to_play == self.colour and not view.actions)

    @property
    def has_not_lost(self) -> bool:
        """Whether the referee's result, or that somebody left, does not say that the seat has lost."""
        if self.result:
            return self.result[:1].lower() in ("0", words.COLOUR_LETTERS[self.colour])
        return not any(news.action in LEAVING and news.actor == self.colour for news in self.view.news)

    def _tell(self, news: News) -> None:
        self._watch.hear(news)
        self._player.hear(news)


def seen_state(rules: Any, view: View) -> dict[str, Any]:
    """The keys of `variant-state` as far as a seat of a hidden game may know them: all from its news."""
    letters, named = words.COLOUR_LETTERS, rules.named
    suspended = not view.final and view.passes >= rules.end_passes
    over = view.final or suspended
    turns = [news for news in view.news if _is_turn(news)]
    free = [*named(point for point, there in enumerate(view.stones) if not there), "pass"]
    return {
        "variant": rules.name,
        "move_number": view.turn - 1,
        "to_play": letters[view.to_play],
        "over": over,
        "suspended": suspended,
        "result": None,
        "reason": "",
        "stones": {rules.board.vertices[p]: letters[view.stones[p]] for p in rules.board.order if view.stones[p]},
        "captures": {
            letters[colour]: sum(news.count for news in turns if news.actor == colour) for colour in rules.colours
        },
        "legal": [] if over else free,
        "passes": view.passes,
        "draw": None,
        "last": _last(rules, view, [news for news in view.news if _is_turn(news) or news.action in LEAVING]),
        **rules.describe_view(view),
    }


def _is_turn(news: News) -> bool:
    """Whether the news is of a stone that was accepted, or of a pass."""
    is_stone = news.action is None or news.action >= 0 or news.action == PASS
    return is_stone and not news.refused and news.seating is None


def _last(rules: Rules, view: View, turns: Sequence[News]) -> dict[str, Any] | None:
    if not turns:
        return None
    news = turns[-1]
    action = RESIGN if news.action in LEAVING else news.action
    return {
        "colour": words.COLOUR_LETTERS[news.actor],
        "vertex": None if action is None else write_move(rules.board, action),
        "captured": rules.named(news.captured),
    }


class Odds:
    """Where the other's stones may be, for each seat that is asked about; what was imagined is kept."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Worlds | None, tuple[News, ...]]] = {}

    def of(self, rules: Rules, view: View) -> tuple[float, ...] | None:
        """The probability of a stone of the other's on each point, from the news alone; None if none can be."""
        try:
            return self.worlds(rules, view).stones()
        except GameOver:
            self._kept[view.colour] = None, view.news
            return None

    def worlds(self, rules: Rules, view: View) -> Worlds:
        """Games that agree with a seat's news. Raises GameOver if none was found before."""
        worlds, heard = self._kept.get(view.colour, (None, ()))
        if view.news[: len(heard)] != heard:
            worlds, heard = None, ()
        if worlds is None and heard:
            raise GameOver("no position was found that agrees with all the news")
        worlds = worlds or Worlds(rules, view.colour, _IMAGINED)
        for news in view.news[len(heard) :]:
            worlds.hear(news)
        self._kept[view.colour] = worlds, view.news
        return worlds
