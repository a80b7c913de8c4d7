"""Messages on standard error for the person at the GUI: draws, open points, what the referee said."""

import sys
from typing import TYPE_CHECKING

from gtp_variants.rules import words
from gtp_variants.rules.diced import DicedRules
from gtp_variants.rules.position import Position

if TYPE_CHECKING:
    from gtp_variants.gtp.engine.session import Session


def log(text: str) -> None:
    """Write a line."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


class NewsLog:
    """Logs what changed since it looked last: what the referee said, the draw and what it opens."""

    def __init__(self) -> None:
        self._logged: Position | None = None

    def update(self, session: "Session") -> None:
        """Log the news of a session's game, if there are any."""
        from gtp_variants.lang import say
        from gtp_variants.records.sentences import announcements, draw_sentence

        rules, position = session.rules, session.position
        if position == self._logged:
            return
        self._logged = position
        for sentence in announcements(rules, position):
            log(sentence)
        if rules.is_suspended(position):
            log(say("game.suspended", rules.lang))
        draw = draw_sentence(rules, position)
        if draw is not None and isinstance(rules, DicedRules):
            points = " ".join(rules.board.vertices_of(rules.open_points(position)))
            log(f"{words.name(position.mover, rules.lang)}, {draw} {points}".rstrip())
