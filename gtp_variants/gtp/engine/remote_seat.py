"""A seat of Go Fantôme under somebody's referee: `phantom-seat`, `phantom-hear`, and what the seat may be asked.

The seat knows its news and nothing else: there is no table in it, and no position.
"""

from collections.abc import Sequence
from typing import Any

from gtp_variants.belief.particles import Worlds
from gtp_variants.errors import GameOver, NotationError
from gtp_variants.gtp.engine.wire import SHOWN
from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Player
from gtp_variants.rules import words
from gtp_variants.rules.actions import EMPTY, LEAVING, PASS, RESIGN, TURN
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, Said, View

_USAGE = (
    "phantom-hear ACTOR VERTEX|?|refused VERTEX|refused ?|pass|resign [captured V V ...] [atari N] [self-atari] "
    "[repeated]"
)
# What may follow the points of captured stones.
_EFFECTS = ("atari", "self-atari", "repeated")
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


def read_news(rules: Rules, view: View, told: Sequence[str]) -> News:
    """A line of news for the seat of a view. Raises NotationError for what cannot be read or cannot have happened."""
    rest = list(told)
    if len(rest) < 2:
        raise NotationError(f"expected {_USAGE}")
    actor = words.read_colour(rest.pop(0))
    if actor not in rules.colours:
        raise NotationError(f"{told[0]}: nobody plays {words.name(actor)} in this game")
    is_own = actor == view.colour
    refused = rest[0].lower() == "refused"
    del rest[: 1 if refused else 0]
    word = rest.pop(0).lower() if rest else ""
    if word in ("pass", "resign") and not refused:
        if rest:
            raise NotationError(f"{' '.join(rest)[:40]}: expected nothing after {word}")
        return News(actor, RESIGN) if word == "resign" else News(actor, PASS, said=(Said("passed", actor),))
    action = None if word == "?" else rules.board.point(word)
    if (action is None) == is_own:
        raise NotationError(
            f"{word}: expected {'a vertex of your own try' if is_own else '? for a stone of the other'}"
        )
    if action is not None and view.stones[action] and not refused:
        whose = "yours" if view.stones[action] == view.colour else "the other's"
        raise NotationError(f"{word}: a stone of {whose} stands there")
    if refused:
        return News(
            actor, action, True, said=(Said("impossible", actor),), shown=_read_shown(rules, view, action, rest)
        )
    captured, said = _read_said(rules, view, actor, rest)
    if action is not None and action in captured:
        raise NotationError(f"{word}: a stone cannot capture itself")
    return News(actor, action, False, captured, said)


def _read_shown(rules: Rules, view: View, tried: int | None, rest: list[str]) -> int | None:
    """What stands on the point of a refused try, None where that is not shown."""
    word = " ".join(rest)[:40].lower()
    if tried is not None and rules.values.get("refused") == "shown":
        if word not in SHOWN:
            raise NotationError(f"refused {word}: expected after the vertex what stands there, {' or '.join(SHOWN)}")
        return (view.stones[tried] or rules.others(view.colour)[0]) if word == SHOWN[0] else EMPTY
    if rest:
        raise NotationError(f"{word}: expected nothing after a refused try")
    return None


def _read_said(rules: Rules, view: View, actor: int, rest: list[str]) -> tuple[tuple[int, ...], tuple[Said, ...]]:
    """What the referee said after a stone, in his order."""
    captured: tuple[int, ...] = ()
    said: list[Said] = []
    lower = [word.lower() for word in rest]
    if lower and lower[0] == "captured":
        end = next((i for i, word in enumerate(lower) if word in _EFFECTS), len(lower))
        count, captured = _read_captured(rules, view, actor, lower[1:end])
        said.append(Said("captured", actor, count, captured))
        del lower[:end]
    if lower and lower[0] == "atari":
        said.append(Said("atari", actor, _read_count(rules, "atari", lower[1:2])))
        del lower[:2]
    if lower and lower[0] == "self-atari":
        said.append(Said("self_atari", actor))
        del lower[:1]
    said = said or [Said("played", actor)]
    if lower and lower[0] == "repeated" and rules.values["repetition"] == "draw":
        said.append(Said("repeated", actor))
        del lower[:1]
    if lower:
        raise NotationError(f"{' '.join(lower)[:40]}: expected {_USAGE}")
    return captured, tuple(said)


def _read_captured(rules: Rules, view: View, actor: int, told: list[str]) -> tuple[int, tuple[int, ...]]:
    """How many stones were taken, and the points: who took them may be told the number and what it had been shown."""
    is_counted = actor == view.colour and rules.values.get("captures") == "owner"
    points = told[1:] if is_counted else told
    captured = tuple(sorted({rules.board.point(word) for word in points}))
    count = _read_count(rules, "captured", told[:1]) if is_counted else len(captured)
    # Stones of the other side are seen only where a refused try showed them.
    may_be = {view.colour} if actor != view.colour else {*rules.others(actor), *(() if is_counted else (EMPTY,))}
    is_wrong = count < max(1, len(points)) or len(captured) != len(points)
    if is_wrong or any(view.stones[point] not in may_be for point in captured):
        raise NotationError(f"captured {' '.join(told)[:50]}: expected the different points of the stones taken")
    return count, captured


def _read_count(rules: Rules, what: str, told: list[str]) -> int:
    number = told[0] if told else ""
    if not (number.isascii() and number.isdigit() and 0 < int(number[:6]) <= len(rules.board)):
        raise NotationError(f"{what} {number[:20]}: expected a number of stones")
    return int(number)


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
    if news.action is None:
        vertex = None
    elif news.action >= 0:
        vertex = rules.board.vertex(news.action)
    else:
        vertex = "pass" if news.action == PASS else "resign"
    return {
        "colour": words.COLOUR_LETTERS[news.actor],
        "vertex": vertex,
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
