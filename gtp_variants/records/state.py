"""A position as JSON: the values of GTP's `variant-state` that only some games have."""

from collections.abc import Sequence
from typing import Any

from gtp_variants.rules import words
from gtp_variants.rules.diced import DicedRules
from gtp_variants.rules.hidden import HiddenRules
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import Announcement

Json = dict[str, Any]


def describe_position(rules: Rules, position: Position) -> Json:
    """What only some games have to say of a position: the draw, the announcements, marked points."""
    described: Json = {}
    if isinstance(rules, DicedRules):
        described["draw"] = rules.describe_draw(position)
    if isinstance(rules, HiddenRules):
        described["announcements"] = describe_announcements(rules, rules.announcements(position))
    described |= {name: rules.board.vertices_of(points) for name, points in rules.find_marks(position).items()}
    return described | rules.facts(position)


def describe_announcements(rules: Rules, said: Sequence[Announcement]) -> list[Json]:
    """What a referee said after one try; announcements that are joined in one sentence share its text."""
    texts = rules.texts(said) if isinstance(rules, HiddenRules) else []
    return [
        {
            "code": item.code,
            "colour": words.COLOUR_LETTERS[item.colour],
            "count": item.count,
            "points": rules.board.vertices_of(item.points),
            "text": text,
        }
        for item, text in zip(said, texts, strict=True)
    ]
