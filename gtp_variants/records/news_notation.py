"""The news that a seat of a hidden game hears, one line for each piece: `b D4 captured C4`, `b refused D5`.

A referee writes these lines. A program that plays elsewhere reads them (`phantom-hear` in GTP, `hear` on a server).
"""

from collections.abc import Sequence

from gtp_variants.errors import NotationError
from gtp_variants.records.notation import write_move
from gtp_variants.rules.actions import EMPTY, LEAVING, PASS, RESIGN
from gtp_variants.rules.colour_names import COLOUR_LETTERS, colour_name, read_colour
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import HiddenRules
from gtp_variants.rules.turn_rules import others
from gtp_variants.rules.views import Announcement, News, View

_USAGE = (
    "phantom-hear ACTOR VERTEX|?|refused VERTEX|refused ?|pass|resign [captured V V ...] [atari N] [self-atari] "
    "[repeated]"
)
# Words that may follow the points of captured stones.
_EFFECTS = ("atari", "self-atari", "repeated")
# The content of the refused point, under rules that reveal it to the player: `b refused D4 stone`.
_SHOWN = ("stone", "empty")


def write_news(rules: Rules, news: News) -> list[str]:
    """Return a piece of news as words, the actor first, or [] for events that hidden games do not announce."""
    action = news.action
    if action is not None and action < 0 and action not in (PASS, *LEAVING):
        return []
    written = [COLOUR_LETTERS[news.actor]]
    if news.refused:
        written.append("refused")
    # Announce every way of leaving the game as a resignation.
    written.append("?" if action is None else write_move(rules.board, RESIGN if action in LEAVING else action))
    if news.refused:
        return written if news.shown is None else [*written, _SHOWN[not news.shown]]
    if news.count:
        is_counted = action is not None and isinstance(rules, HiddenRules) and rules.only_owner_sees_captures
        count = [str(news.count)] if is_counted else []
        written += ["captured", *count, *rules.board.vertices_of(news.captured)]
    for said in news.said:
        if said.code == "atari":
            written += ["atari", str(said.count)]
        elif said.code in ("self_atari", "repeated"):
            written.append(said.code.replace("_", "-"))
    return written


def read_news(rules: Rules, view: View, told: Sequence[str]) -> News:
    """Return the news in a line for the seat of a view. Raises NotationError for unreadable or impossible news."""
    rest = list(told)
    if len(rest) < 2:
        raise NotationError(f"expected {_USAGE}")
    actor = read_colour(rest.pop(0))
    if actor not in rules.colours:
        raise NotationError(f"{told[0]}: this game has no {colour_name(actor)} player")
    is_own = actor == view.colour
    refused = rest[0].lower() == "refused"
    del rest[: 1 if refused else 0]
    word = rest.pop(0).lower() if rest else ""
    if word in ("pass", "resign") and not refused:
        if rest:
            raise NotationError(f"{' '.join(rest)[:40]}: expected nothing after {word}")
        return News(actor, RESIGN) if word == "resign" else News(actor, PASS, said=(Announcement("passed", actor),))
    action = None if word == "?" else rules.board.point(word)
    if (action is None) == is_own:
        wanted = "the vertex of your own try" if is_own else "? for the opponent's stone"
        raise NotationError(f"{word}: expected {wanted}")
    if action is not None and view.stones[action] and not refused:
        whose = "your own" if view.stones[action] == view.colour else "the opponent's"
        raise NotationError(f"{word}: {whose} stone stands there")
    if refused:
        shown = _read_what_stands(rules, view, action, rest)
        return News(actor, action, True, said=(Announcement("impossible", actor),), shown=shown)
    captured, said = _read_announcements(rules, view, actor, rest)
    if action is not None and action in captured:
        raise NotationError(f"{word}: a stone cannot capture itself")
    return News(actor, action, False, captured, said)


def _read_what_stands(rules: Rules, view: View, tried: int | None, rest: list[str]) -> int | None:
    """Return the colour on a refused try's point, None if the rules hide it. Raises NotationError for other words."""
    word = " ".join(rest)[:40].lower()
    if tried is not None and isinstance(rules, HiddenRules) and rules.refusal_shows_stone:
        if word not in _SHOWN:
            raise NotationError(f"refused {word}: expected after the vertex what stands there, {' or '.join(_SHOWN)}")
        return (view.stones[tried] or others(rules.colours, view.colour)[0]) if word == _SHOWN[0] else EMPTY
    if rest:
        raise NotationError(f"{word}: expected nothing after a refused try")
    return None


def _read_announcements(
    rules: Rules, view: View, actor: int, rest: list[str]
) -> tuple[tuple[int, ...], tuple[Announcement, ...]]:
    """Return the captured points and announcements after a stone, in order. Raises NotationError for other words."""
    captured: tuple[int, ...] = ()
    said: list[Announcement] = []
    lower = [word.lower() for word in rest]
    if lower and lower[0] == "captured":
        end = next((i for i, word in enumerate(lower) if word in _EFFECTS), len(lower))
        count, captured = _read_captures(rules, view, actor, lower[1:end])
        said.append(Announcement("captured", actor, count, captured))
        del lower[:end]
    if lower and lower[0] == "atari":
        said.append(Announcement("atari", actor, _read_count(rules, "atari", lower[1:2])))
        del lower[:2]
    if lower and lower[0] == "self-atari":
        said.append(Announcement("self_atari", actor))
        del lower[:1]
    said = said or [Announcement("played", actor)]
    if lower and lower[0] == "repeated" and rules.values.get("repetition") == "draw":
        said.append(Announcement("repeated", actor))
        del lower[:1]
    if lower:
        raise NotationError(f"{' '.join(lower)[:40]}: expected {_USAGE}")
    return captured, tuple(said)


def _read_captures(rules: Rules, view: View, actor: int, told: list[str]) -> tuple[int, tuple[int, ...]]:
    """Return the number of captured stones and the points that this seat may know. Raises NotationError if wrong."""
    is_counted = actor == view.colour and isinstance(rules, HiddenRules) and rules.only_owner_sees_captures
    points = told[1:] if is_counted else told
    captured = tuple(sorted({rules.board.point(word) for word in points}))
    count = _read_count(rules, "captured", told[:1]) if is_counted else len(captured)
    # The seat's own captures may look empty: its view shows an enemy stone only if a refused try revealed it.
    seen = others(rules.colours, actor) if actor == view.colour else (view.colour,)
    may_be = {*seen, EMPTY} if actor == view.colour and not is_counted else {*seen}
    is_wrong = count < max(1, len(points)) or len(captured) != len(points)
    if is_wrong or any(view.stones[point] not in may_be for point in captured):
        raise NotationError(f"captured {' '.join(told)[:50]}: expected the different points of the captured stones")
    return count, captured


def _read_count(rules: Rules, what: str, told: list[str]) -> int:
    number = told[0] if told else ""
    if not (number.isascii() and number.isdigit() and 0 < int(number[:6]) <= len(rules.board)):
        raise NotationError(f"{what} {number[:20]}: expected a number of stones")
    return int(number)
